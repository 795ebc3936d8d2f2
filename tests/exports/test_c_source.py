"""C source: compiled with every warning an error, it computes what the compiled method does."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import casadi
import numpy as np
import pytest
from export_cases import QUANTITIES, arguments, asked, expected, mixed

import loadpath as lp
from engine.programs import BINARY, UNARY, apply, program, random_program, reference
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.exports import c_source as module
from loadpath.exports.c_source import c_source, written
from loadpath.exports.names import comment_safe

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
STRICTER = ["-Wshadow", "-Wconversion", "-Wdouble-promotion", "-Wmissing-prototypes", "-Wcomment", "-Wtrigraphs"]

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler on this machine")

Function = Callable[..., list[np.ndarray]]


def compiled(folder: Path, source: str, *flags: str) -> Path:
    """A shared library from source; the object file is beside it."""
    code, unlinked, library = (folder / f"source.{ending}" for ending in ("c", "o", "so"))
    code.write_text(source)
    for command in (
        [*STRICT, *(flags or ("-O1",)), "-fPIC", "-c", code, "-o", unlinked],
        ["-shared", unlinked, "-o", library, "-lm"],
    ):
        done = subprocess.run([str(COMPILER), *map(str, command)], check=False, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    return library


def called(library: Path, name: str, outputs: Sequence[Operand], dtype: type = np.float64) -> Function:
    """A function of a library, on arrays."""
    function = getattr(ctypes.CDLL(str(library)), name)
    function.restype = None

    def call(*given: np.ndarray) -> list[np.ndarray]:
        arrays = [np.ascontiguousarray(array, dtype) for array in given]
        results = [np.full(operand.shape, np.nan, dtype) for operand in outputs]
        function(*(ctypes.c_void_p(array.ctypes.data) for array in (*arrays, *results)))
        return results

    return call


def of_program(folder: Path, made: Program, *flags: str) -> Function:
    return called(compiled(folder, written(made, "f", "double"), *flags), "f", made.outputs)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All quantities of a robot in one file, which also shows that they get along."""
    sources = [c_source(asked(mixed(), name), f"f_{name}") for name in QUANTITIES]
    return compiled(tmp_path_factory.mktemp("all"), "\n".join(sources), "-O0", *STRICTER)


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_agrees_with_the_compiled_method(library: Path, name: str) -> None:
    asking = asked(mixed(), name)
    given = arguments(asking)
    results = called(library, f"f_{name}", asking.program().outputs)(*given)
    for result, wanted in zip(results, expected(asking, *given), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-10, atol=1e-10 * max(1, abs(wanted).max()))


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "joint_wrenches", "link_poses", "difference"])
def test_single_precision(tmp_path: Path, name: str) -> None:
    asking = asked(mixed(), name)
    given = arguments(asking)
    path = compiled(tmp_path, c_source(asking, "f", "float"), "-O1", *STRICTER)
    results = called(path, "f", asking.program().outputs, np.float32)(*given)
    for result, wanted in zip(results, expected(asking, *given), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4 * max(1, abs(wanted).max()))


@pytest.mark.parametrize("longest", [10**6, 70])
@pytest.mark.parametrize("name", ["inverse_dynamics", "link_poses"])
def test_long_programs_are_cut_and_give_the_same_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, longest: int
) -> None:
    """Without optimisation, C does the same operations in the same order as CasADi does."""
    monkeypatch.setattr(module, "LONGEST_FUNCTION", longest)
    asking = asked(lp.catalog.panda(), name)
    made, given = asking.program(), arguments(asking)
    source = written(made, "f", "double")
    assert ("f_part2" in source) == (longest == 70)
    results = called(compiled(tmp_path, source, "-O0"), "f", made.outputs)(*given)
    for result, wanted in zip(results, reference(made, *given), strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_scratch_memory_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_FUNCTION", 70)
    asking = asked(lp.catalog.panda(), "forward_dynamics")
    scratch = re.search(r"double w\[(\d+)\];", written(asking.program(), "f", "double"))
    assert scratch is not None
    assert int(scratch.group(1)) < len(asking.program().tape.operations) / 5


def test_every_operation(tmp_path: Path) -> None:
    def run(a: casadi.SX, b: casadi.SX) -> list[casadi.SX]:
        one = [apply(name, a[k % 3]) for k, name in enumerate(UNARY)]
        two = [apply(name, a[k % 3], b[k % 2]) for k, name in enumerate(BINARY)]
        return [casadi.vertcat(*one, *two, np.inf, -np.inf, np.nan, -0.0, 1e-300, 1 / 3)]

    count = len(UNARY) + len(BINARY) + 6
    made = program("operations", {"a": (3,), "b": (2,)}, {"y": (count,)}, run)
    f = of_program(tmp_path, made, "-O0")
    states = [(0.3, 0.7, -0.4), (1.0, 0.0, -2.5), (-0.0, 5.0, 5.5)]
    for a in states:
        for b in [(0.7, -0.4), (0.0, 2.0), (5.0, 5.5)]:
            np.testing.assert_allclose(f(np.array(a), np.array(b))[0], reference(made, a, b)[0], rtol=1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_nested_expressions_group_as_the_program_does(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Constants stay in their angles here, as the reference has them: only so all digits can be the same.
    monkeypatch.setattr(module, "read_tape", lambda program: read_tape(program, as_traced=True))
    made = random_program(seed, 400, smooth=True)
    f = of_program(tmp_path, made, "-O0")
    rng = np.random.default_rng(seed)
    for _ in range(5):
        given = rng.uniform(-2, 2, 3), rng.uniform(-2, 2, (2, 2)), rng.uniform(-2, 2, ())
        for result, wanted in zip(f(*given), reference(made, *given), strict=True):
            np.testing.assert_array_equal(result, wanted)


def test_it_needs_only_the_math_library_and_keeps_nothing(library: Path) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm, which lists the symbols of a library, is not installed")
    listed = subprocess.check_output([nm, library.with_suffix(".o")], text=True)
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    needed = {symbol for kind, symbol in symbols if kind == "U"} - {"_GLOBAL_OFFSET_TABLE_"}
    assert needed
    assert needed <= {"sin", "cos", "sincos", "sqrt", "atan2"}  # a compiler may make one function of two
    kept = {symbol for kind, symbol in symbols if kind in "bBdDsSC"}
    assert kept == set()
    assert {symbol for kind, symbol in symbols if kind == "T"} == {f"f_{name}" for name in QUANTITIES}


def test_names_from_files_cannot_leave_their_comment(tmp_path: Path) -> None:
    bad = 'arm */ int broken = 1; /* ??/ \\\n#error "no" * / \u00e9 \\'
    two = lp.catalog.two_link()
    joints = tuple(replace(joint, name=f"{joint.name} {bad}") for joint in two.joints)
    robot = replace(two, name=bad, joints=joints)
    source = robot.c_source("joint_wrenches")
    heading = source[: source.index("#include")]
    assert heading.count("/*") == heading.count("*/") == 1
    assert "\\" not in source
    assert source.isascii()
    assert "void arm_int_broken_1_error_no_joint_wrenches(" in source
    compiled(tmp_path, source, *STRICTER)
    assert comment_safe("*/*/ /*/ ????") == "* / * / / * / ? ? ? ?"


def test_the_heading_tells_what_one_must_know() -> None:
    robot = lp.catalog.panda().floating()
    heading = robot.c_source(
        "jacobian", link="panda_link5" if "panda_link5" in robot.link_names else robot.link_names[5]
    )
    heading = heading[: heading.index("#include")]
    for part in ("jacobian of the robot 'panda'", "q[14]", "jacobian[6][13]", "C order", "0-6 floating_base", "7 ",
                 "world axes", "multiplications", f"loadpath {lp.__version__}", "must not overlap"):
        assert part in heading
    links = robot.c_source("inverse_dynamics", external={robot.link_names[-1]: "link"})
    assert f"0 {robot.link_names[-1]} (link axes)" in links
    assert "external[1][6]" in links


def test_the_same_robot_gives_the_same_text_in_any_process() -> None:
    code = "import loadpath as lp; print(lp.catalog.puma560().c_source('forward_dynamics'), end='')"
    texts = [
        subprocess.check_output([sys.executable, "-c", code], text=True, env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    ]
    assert texts[0] == texts[1] == lp.catalog.puma560().c_source("forward_dynamics")


def test_a_robot_that_does_not_move(tmp_path: Path) -> None:
    still = lp.catalog.two_link().locked({"joint1": 0.3, "joint2": -0.2})
    asking = asked(still, "link_poses")
    f = called(compiled(tmp_path, c_source(asking, "f")), "f", asking.program().outputs)
    np.testing.assert_allclose(f(np.zeros(0))[0], still.link_poses(np.zeros(0)))


@pytest.mark.parametrize("name", ["", "9f", "f-g", "f g", "_f", "é", "while", "sin", "cosf", "main", 7])
def test_names_that_are_none_in_c_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="function_name is"):
        lp.catalog.two_link().c_source("gravity_forces", function_name=name)


def test_only_two_precisions_are_known() -> None:
    with pytest.raises(ValueError, match="expected 'double' or 'float'"):
        lp.catalog.two_link().c_source("gravity_forces", scalar="half")


def test_default_names_are_valid_in_c() -> None:
    robot = replace(lp.catalog.two_link(), name="2-link")
    assert "void robot_2_link_gravity_forces(" in robot.c_source("gravity_forces")
    assert "void robot_2_link_jacobian_tip(" in robot.c_source("jacobian")
