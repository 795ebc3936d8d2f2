"""Objects as functions in Python, C and MATLAB, executed."""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
from pathlib import Path

import lettered
import numpy as np
import pytest

import loadpath as lp

CASES = [("lau_arm", "lau"), ("rods", "course")]
OBJECTS = ("mass_matrix", "coriolis_matrix", "gravity", "torques", "kinetic_energy", "joint_wrenches", "link_poses")
compiler = shutil.which("cc") or shutil.which("gcc")


def run_python(source: str, name: str, arguments: dict[str, object]) -> object:
    space: dict[str, object] = {}
    exec(compile(source, "generated", "exec"), space)
    function = space[name]
    wanted = function.__code__.co_varnames[: function.__code__.co_argcount]
    return function(*(arguments[each] for each in wanted))


def arguments_of(name: str, letters: str) -> tuple[dict[str, object], dict[object, float]]:
    found = lettered.equations(name, letters)
    state = lettered.state(found)
    return dict(zip(("q", "qd", "qdd"), lettered.arrays(found, state), strict=True)), state


@pytest.mark.parametrize(("name", "letters"), CASES)
def test_python(name: str, letters: str) -> None:
    found = lettered.equations(name, letters)
    arguments, state = arguments_of(name, letters)
    for each in OBJECTS:
        result = run_python(found[each].code("python"), each, arguments)
        expected = lettered.values(found[each], state)
        made = result if isinstance(result, dict) else {"": result}
        assert made.keys() == expected.keys()
        for part, value in expected.items():
            shape = value.shape if value.ndim and value.shape[-1] > 1 else value.shape[:1]
            np.testing.assert_allclose(made[part], value.reshape(shape), rtol=1e-12, atol=1e-13)


def test_python_is_what_the_robot_does() -> None:
    robot, found = lettered.robot("lau_arm"), lettered.equations("lau_arm", "lau")
    arguments, _ = arguments_of("lau_arm", "lau")
    torques = run_python(found["torques"].code(), "torques", arguments)
    np.testing.assert_allclose(torques, robot.inverse_dynamics(*arguments.values()), rtol=1e-12)


@pytest.mark.skipif(compiler is None, reason="there is no C compiler")
@pytest.mark.parametrize(("name", "letters"), CASES[:1])
def test_c(name: str, letters: str, tmp_path: Path) -> None:
    found = lettered.equations(name, letters)
    arguments, state = arguments_of(name, letters)
    (tmp_path / "arm.c").write_text(found.code(OBJECTS, "c"))
    subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "arm.c", "-lm",
                    "-o", "arm.so"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "arm.so"))
    source = (tmp_path / "arm.c").read_text()
    values = {str(symbol): value for symbol, value in state.items()}
    for each in OBJECTS:
        declared = re.search(rf"(double|void) {each}\(([^)]*)\)", source)
        assert declared is not None
        given, results = [], {}
        for argument in declared[2].split(", "):
            kind, array = argument.split()[-1], "[" in argument
            if argument.startswith("const double"):
                vector = arguments[kind.split("[")[0]]
                given.append((ctypes.c_double * len(vector))(*vector))
            elif array:
                place, size = re.fullmatch(r"(\w+)\[(\d+)\]", kind).groups()
                results[place] = (ctypes.c_double * int(size))()
                given.append(results[place])
            else:
                given.append(ctypes.c_double(values[kind]))
        function = getattr(library, each)
        function.restype = ctypes.c_double if declared[1] == "double" else None
        returned = function(*given)
        expected = lettered.values(found[each], state)
        if declared[1] == "double":
            assert returned == pytest.approx(float(expected[""]), rel=1e-12)
            continue
        for part, value in expected.items():
            place = part.replace(".", "_") or "out"
            np.testing.assert_allclose(list(results[place]), np.ravel(value), rtol=1e-12, atol=1e-13)


def from_matlab(source: str) -> str:
    """A MATLAB function of numbers as Python, read line by line."""
    lines = []
    for line in source.splitlines():
        head = re.fullmatch(r"function out = (\w+)\((.*)\)", line)
        if head:
            lines += [f"def {head[1]}({head[2]}):", "    out = Struct()"]
        elif line == "end":
            lines.append("    return out")
        elif line.strip() and not line.strip().startswith("%"):
            assert re.fullmatch(r"    [\w.]+ = .*;", line), line
            assert not re.search(r"\.[*/^]|\*\*", line)
            left, _, right = line.strip().rstrip(";").partition(" = ")
            right = right.replace("^", "**")
            right = re.sub(r"\b(qd{0,2})\((\d+)\)", lambda found: f"{found[1]}[{int(found[2]) - 1}]", right)
            if right.startswith("["):
                right = f"[[{right[1:-1].replace(';', '],[')}]]"
            lines.append(f"    {left} = {right}")
    return "\n".join(lines)


@pytest.mark.parametrize(("name", "letters"), CASES)
def test_matlab(name: str, letters: str) -> None:
    found = lettered.equations(name, letters)
    arguments, state = arguments_of(name, letters)
    values = {str(symbol): value for symbol, value in state.items()} | arguments
    space: dict[str, object] = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "sign": np.sign,
                                "Struct": type("Struct", (), {})}
    for each in OBJECTS:
        exec(compile(from_matlab(found[each].code("matlab")), "generated", "exec"), space)
        function = space[each]
        result = function(
            *(values[argument] for argument in function.__code__.co_varnames[: function.__code__.co_argcount])
        )
        for part, value in lettered.values(found[each], state).items():
            made = getattr(result, part.replace(".", "_")) if part else result
            np.testing.assert_allclose(np.reshape(made, value.shape), value, rtol=1e-12, atol=1e-13)


def test_friction_and_names_that_are_words_of_a_language() -> None:
    letters = {"joint1.q": "lambda", "joint2.q": "x0", "link1.mass": "for", "gravity": "q_1"}
    found = lp.catalog.two_link().equations(letters=letters)
    source = found["torques"].code()
    assert "lambda_, x0 = q" in source and "for_=1.0" in source
    state = [[0.3, 0.4], [1.0, -2.0], [0.5, 0.6]]
    torques = run_python(source, "torques", dict(zip(("q", "qd", "qdd"), state, strict=True)))
    np.testing.assert_allclose(torques, lp.catalog.two_link().inverse_dynamics(*state), rtol=1e-12)
    arm = lp.catalog.puma560().locked(dict.fromkeys(("joint2", "joint3", "joint4", "joint5", "joint6"), 0.0))
    source = arm.equations()["torques"].code("python", name="tau")
    torque = run_python(source, "tau", {"q": [0.1], "qd": [-0.5], "qdd": [0.7]})
    np.testing.assert_allclose(torque, arm.inverse_dynamics([0.1], [-0.5], [0.7]), rtol=1e-10)


def test_mistakes_are_named() -> None:
    found = lettered.equations("rods", "course")
    with pytest.raises(ValueError, match="'python', 'c', 'matlab'"):
        found["gravity"].code("fortran")
    with pytest.raises(ValueError, match="expected one like 'mass_matrix'"):
        found["gravity"].code("c", name="2 G")
