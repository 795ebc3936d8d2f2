"""JavaScript source: run by QuickJS, it computes what CasADi does with the same program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import web_cases
from web_cases import CASES, check, wanted

import loadpath as lp
from engine.programs import random_program, reference
from loadpath.engine.program import Operand, Program
from loadpath.exports import javascript as module
from loadpath.exports.javascript import written
from references.javascript import JavaScriptError, Script

pytest.importorskip("quickjs")


def run(made: Program, *given: np.ndarray) -> list[np.ndarray]:
    return Script(written(made, "f", "script")).call("f", made.outputs, *given, count=len(given[0]))


@pytest.mark.parametrize("name", CASES)
def test_every_quantity(name: str) -> None:
    made, given = CASES[name]()
    check(run(made, *given), wanted(name))


def test_every_operation_and_every_kind_of_number() -> None:
    made, given = web_cases.operations()
    # CasADi gives the sign of zero and powers of NaN as the C library does; so does this.
    check(run(made, *given), reference(made, *given), 4e-15)


def test_long_programs_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    made = random_program(3, 600, smooth=True)
    monkeypatch.setattr(module, "LONGEST_FUNCTION", 50)
    assert "function part7(" in written(made, "f")
    rng = np.random.default_rng(0)
    given = rng.uniform(-2, 2, (5, 3)), rng.uniform(-2, 2, (5, 2, 2)), rng.uniform(-2, 2, 5)
    check(run(made, *given), reference(made, *given), 1e-10)


def test_one_argument_for_all_states_and_none() -> None:
    arm = lp.catalog.two_link().with_payload(1.0)
    source = arm.javascript_source(
        "inverse_dynamics", parameters=["gravity", "payload.mass"], function_name="f", module="script"
    )
    script, outputs = Script(source), [Operand("tau", (2,))]
    q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, 4, 2))
    (tau,) = script.call("f", outputs, q, qd, qdd, [1.0, 0.0, -9.0], [2.5], count=4)
    moved = lp.catalog.two_link().with_payload(2.5).with_gravity((1.0, 0.0, -9.0))
    check([tau], [moved.inverse_dynamics.uncompiled(q, qd, qdd)])
    (none,) = script.call("f", outputs, [], [], [], [1.0, 0.0, -9.0], [2.5], count=0)
    assert none.shape == (0, 2)
    with pytest.raises(JavaScriptError, match="'qd' has 3 numbers: expected 2 for each of 4 states"):
        script.call("f", outputs, q, [*qd[0], 1.0], qdd, [1.0, 0.0, -9.0], [2.5], count=4)


def test_a_module_exports_and_a_script_defines_the_function() -> None:
    arm = lp.catalog.two_link()
    assert arm.javascript_source("gravity_forces").rstrip().endswith("export { two_link_gravity_forces };")
    script = arm.javascript_source("gravity_forces", module="script")
    assert "const two_link_gravity_forces = (() => {" in script and "export" not in script
    with pytest.raises(ValueError, match="module is 'umd': expected 'esm' or 'script'"):
        arm.javascript_source("gravity_forces", module="umd")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["function", "await", "Math", "w", "erf", "v12", "part3", "1f", "a-b", 7])
def test_names_that_are_none_in_javascript_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="function_name is"):
        lp.catalog.two_link().javascript_source("gravity_forces", function_name=name)


def test_names_from_files_cannot_leave_their_comment() -> None:
    bad = "arm */ throw 1; /* ` ${x} </script> \\ \u2028"
    two = lp.catalog.two_link()
    robot = replace(two, name=bad, joints=tuple(replace(joint, name=f"{joint.name} {bad}") for joint in two.joints))
    source = robot.javascript_source("joint_wrenches", function_name="f", module="script")
    assert source.isascii() and "*/ throw" not in source and "</script" not in source
    Script(source)


def test_it_says_what_it_computes() -> None:
    source = lp.catalog.panda().with_payload(3.0).javascript_source("joint_wrenches", parameters=["payload.mass"])
    for part in ("joint_wrenches of the robot 'panda'", "0 panda_joint1", "mass of the link 'payload' (kg)",
                 "3 in the robot", "@param {Float64Array} qdd [7] times count, or one for all states",
                 "Gravity (m/s^2"):
        assert part in source
