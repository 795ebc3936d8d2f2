"""A single state in degrees or millimetres is asked about, once a robot, where the call is slow anyway."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app

DEGREES = [0.0, -90.0, 90.0, 0.0, 0.0, 0.0]
REST = [0.0] * 6


def questions(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(entry.message) for entry in caught if issubclass(entry.category, lp.ModelWarning)]


@pytest.mark.parametrize("call", [
    lambda arm: arm.inverse_dynamics(DEGREES, REST, REST),
    lambda arm: arm.inverse_dynamics(np.array(DEGREES), qd=REST, qdd=REST),
    lambda arm: arm.gravity_forces(DEGREES),
    lambda arm: arm.link_poses(DEGREES),
    lambda arm: arm.jacobian(DEGREES, "link6"),
    lambda arm: arm.joint_wrenches(DEGREES, REST, REST),
    lambda arm: arm.inverse_dynamics(DEGREES, REST, REST, external={"link6": lp.Wrench((0, 0, 5))}),
    lambda arm: arm.load_breakdown(DEGREES, REST, REST),
])
def test_degrees_are_asked_about(call: Callable[[lp.Robot], object]) -> None:
    arm = lp.catalog.ur5()
    (question,) = questions(lambda: call(arm))
    assert "'shoulder_lift_joint' is at -90, outside its limits -6.28319 to 6.28319: degrees? (and 1 more)" in question
    assert questions(lambda: call(arm)) == []  # once is enough


def test_lists_are_asked_about_later_too() -> None:
    """People type lists. Arrays go straight into compiled code; a state that is large with reason is looked at once."""
    arm, array = lp.catalog.ur5(), np.array(DEGREES)
    assert questions(lambda: arm.inverse_dynamics(REST, REST, REST)) == []
    assert questions(lambda: arm.inverse_dynamics(array, *np.zeros((2, 6)))) == []
    assert questions(lambda: arm.inverse_dynamics([REST, DEGREES], REST, REST)) == []  # a batch
    (question,) = questions(lambda: arm.inverse_dynamics(DEGREES, REST, REST))
    assert "'shoulder_lift_joint' is at -90" in question
    assert questions(lambda: arm.gravity_forces(DEGREES)) == []  # once a robot
    arm = lp.catalog.ur5()
    assert questions(lambda: arm.joint_wrenches(REST, REST, REST)) == []
    (question,) = questions(lambda: arm.joint_wrenches(REST, [90.0, *REST[1:]], REST))
    assert "moves at 90, faster" in question
    turning = lp.Joint("wheel", "base", "rim", lp.Continuous())
    wheel = lp.Robot("cart", (lp.Link("base"), lp.Link("rim", lp.Inertia(1.0, (0.1, 0, 0)))), (turning,))
    assert questions(lambda: [wheel.gravity_forces([angle]) for angle in (0.0, 400.0, 500.0)]) == []


def test_speeds_and_lengths_are_asked_about() -> None:
    (question,) = questions(lambda: lp.catalog.ur5().inverse_dynamics(REST, [90.0, *REST[1:]], REST))
    assert "moves at 90, faster than its limit 3.14159: degrees?" in question
    base, slide = lp.Link("base"), lp.Link("slide", lp.Inertia(1.0))
    joint = lp.Joint("x", "base", "slide", lp.Prismatic(), limits=lp.Limits(0, 2))
    gantry = lp.Robot("gantry", (base, slide), (joint,))
    (question,) = questions(lambda: gantry.gravity_forces([1500.0]))
    assert "'x' is at 1500, outside its limits 0 to 2: millimetres?" in question


@pytest.mark.parametrize("q", [
    np.linspace(-6, 6, 6), np.full(6, 7.0), np.full(6, 400.0), np.tile(DEGREES, (3, 1)), np.full(6, np.nan),
])
def test_no_question_inside_a_little_outside_of_batches_and_of_nan(q: np.ndarray) -> None:
    """400 is outside in degrees too: what it means nobody knows."""
    still = np.zeros_like(q)
    assert questions(lambda: lp.catalog.ur5().inverse_dynamics(q, still, still)) == []


def test_later_calls_have_no_python_frame_and_the_robot_is_the_same() -> None:
    arm, rest = lp.catalog.ur5(), np.zeros(6)
    questions(lambda: arm.inverse_dynamics(DEGREES, REST, REST))
    frames: list[str] = []
    sys.setprofile(lambda frame, event, _: frames.append(frame.f_code.co_name) if event == "call" else None)
    arm.inverse_dynamics(rest, rest, rest)
    sys.setprofile(None)
    assert frames == []
    assert arm == lp.catalog.ur5() and hash(arm) == hash(lp.catalog.ur5())
    assert "_asked" not in vars(pickle.loads(pickle.dumps(arm)))


def test_the_library_s_own_calls_are_not_asked_about() -> None:
    """Searches and motions pass through states of their own; motions were asked about where they were made."""
    arm = lp.catalog.ur5()
    motion = lp.Motion(np.linspace(0, 1, 5), np.zeros((5, 6)), np.zeros((5, 6)), np.zeros((5, 6)))
    assert questions(lambda: arm.peak_loads(motion)) == []


@pytest.mark.parametrize(("command", "asks"), [
    (["loads", "ur5", "--q", "0,0,0,0,0,90", "--radians"], True),
    (["loads", "ur5", "--q", "wrist_3_joint=90", "--radians"], True),
    (["loads", "ur5", "--q", "0,0,0,0,0,90deg"], False),
    (["loads", "ur5", "--q", "0,0,0,0,0,1.5", "--json"], False),
])
def test_commands_ask_and_say_how_units_are_written(command: list[str], asks: bool) -> None:
    with warnings.catch_warnings(record=True) as raw:
        warnings.simplefilter("always")
        result = CliRunner().invoke(app, command, env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0 and not raw
    assert ("--q: joint 'wrist_3_joint' is at 90" in result.output) is asks
    assert ("Numbers have units, as 90deg or 50mm" in result.output) is asks
