"""Names of exported functions: those that C, C++ or the C library take are refused, all others compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.exports.names import _LIBRARY, _MATH, _WORDS, taken

COMPILER = shutil.which("gcc") or shutil.which("cc")
COMPILED = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler on this machine")
FLAGS = ["-Wall", "-Wextra", "-pedantic"]
STANDARDS = ["c99", "gnu99", "c11", "gnu17", "gnu2x"]

FROM_THE_REVIEW = """
round log2 cbrt exp2 fma nan NAN isnan signbit double_t float_t j1 y0 gamma scalb M_PI asm typeof _X __x x__y sinf sinl
sinf128 lgamma_r main int class bool true alignas constexpr nullptr restrict typeof_unqual INFINITY HUGE_VAL HUGE_VALF
fpclassify signgam I complex linux unix printf exit abs index memcpy strlen puts malloc EOF EDOM
""".split()  # noqa: SIM905
FREE = """
hold torque robot arm arm1 gravity_forces M MM M_arm q tau w v1 x y z f32 roundtrip sinus cost logger torque_t1 expf_arm
arm_sin panda_inverse_dynamics j2 y2 Main Round ROUND Int isarm strong tower E e m_pi fp_arm sign part1 hold_part1
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", FROM_THE_REVIEW)
def test_names_that_are_taken_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"function_name is '{name}'"):
        lp.catalog.two_link().c_source("gravity_forces", function_name=name)


@pytest.mark.parametrize("name", ["", "1x", "a-b", "a b", "é", "x;", "x\n", "x(y", "*/"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"function_name is .* expected letters, digits and underscores"):
        lp.catalog.two_link().c_source("gravity_forces", function_name=name)


def compiles(folder: Path, source: str, standard: str, *flags: str) -> str:
    """What the compiler says."""
    file = folder / "names.c"
    file.write_text(source)
    done = subprocess.run(
        [str(COMPILER), f"-std={standard}", *FLAGS, *flags, "-c", str(file), "-o", str(folder / "names.o")],
        capture_output=True, text=True, check=False,
    )
    return done.stderr


@COMPILED
@pytest.mark.parametrize("standard", STANDARDS)
def test_every_name_that_the_headers_know_is_refused_or_compiles(tmp_path: Path, standard: str) -> None:
    """Whatever a compiler's own <math.h>, <complex.h> and <tgmath.h> mention, in their text or as macros."""
    if compiles(tmp_path, "int x;", standard):
        pytest.skip(f"this compiler does not know {standard}")
    includes = "#include <math.h>\n#include <complex.h>\n#include <tgmath.h>\n"
    (tmp_path / "headers.c").write_text(includes)
    seen: set[str] = set(FROM_THE_REVIEW) | set(FREE) | _WORDS | _MATH | _LIBRARY
    for options in (["-E"], ["-E", "-D_GNU_SOURCE"], ["-dM", "-E"], ["-dM", "-E", "-D_GNU_SOURCE"]):
        command = [str(COMPILER), f"-std={standard}", *options, str(tmp_path / "headers.c")]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        text = re.sub(r"^# .*$", "", text, flags=re.MULTILINE)
        seen |= set(re.findall(r"\b[A-Za-z][A-Za-z0-9_]*", text))
    accepted = sorted(name for name in seen if not taken(name))
    assert len(seen) > 800 and len(accepted) < 0.5 * len(seen)
    lines = [f"void {name}(const double *q, double *tau);\nvoid {name}(const double *q, double *tau) "
             "{ tau[0] = sin(q[0]); }" for name in accepted]
    source = "#include <math.h>\n" + "\n".join(lines)
    for flags in ([], ["-D_GNU_SOURCE"], ["-O2"]):
        assert compiles(tmp_path, source, standard, *flags) == ""


@COMPILED
@pytest.mark.parametrize("standard", ["c99", "gnu17"])
def test_exports_under_names_that_are_accepted_compile(tmp_path: Path, standard: str) -> None:
    robot = lp.catalog.two_link()
    for name in ("hold", "q", "tau", "w", "v1", "M", "robot_round"):
        source = robot.c_source("inverse_dynamics", function_name=name)
        assert compiles(tmp_path, source, standard) == "", name


@pytest.mark.parametrize("name", ["round", "_", "M", "3", "class", "__x"])
def test_a_robot_may_have_any_name(name: str) -> None:
    from dataclasses import replace

    source = replace(lp.catalog.two_link(), name=name).c_source("gravity_forces")
    (found,) = re.findall(r"^void (\w+)\(.*;$", source, flags=re.MULTILINE)
    assert not taken(found) and "gravity_forces" in found
