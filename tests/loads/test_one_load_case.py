"""One load case: gravity of each state and of time, and `under=` in place of keywords, against the same robot under
another gravity, state by state, and against the base accelerating the other way.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.random_chain(3, 1)
RANDOM = np.random.default_rng(5)
STATES = tuple(RANDOM.normal(size=(4, 3)) for _ in range(3))
GRAVITY = 9.0 * RANDOM.normal(size=(4, 3))
MOVING = {"base_velocity": RANDOM.normal(size=(4, 6)), "base_acceleration": RANDOM.normal(size=(4, 6))}


def arrays(result: Any) -> list[np.ndarray]:
    return [np.asarray(part) for part in result] if isinstance(result, tuple) else [np.asarray(result)]


def pair(wrench: Any) -> tuple[np.ndarray, np.ndarray]:
    return wrench.force, wrench.torque


def each_by_itself(ask: Callable[..., Any], base: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The same of one state after the other, on robots that have the gravity themselves."""
    rows = [arrays(ask(ARM.with_gravity(GRAVITY[k]), *(part[k] for part in STATES),
                       **{name: part[k] for name, part in base.items()})) for k in range(len(GRAVITY))]
    return [np.array(parts) for parts in zip(*rows, strict=True)]


ASKED: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": lambda robot, *state, **acting: robot.inverse_dynamics(*state, **acting),
    "forward_dynamics": lambda robot, *state, **acting: robot.forward_dynamics(*state, **acting),
    "joint_wrenches": lambda robot, *state, **acting: pair(robot.joint_wrenches(*state, **acting)),
    "base_wrench": lambda robot, *state, **acting: pair(robot.base_wrench(*state, **acting)),
    "load_breakdown": lambda robot, *state, **acting: robot.load_breakdown(*state, **acting, compiled=False).values,
    "luh": lambda robot, *state, **acting: robot.inverse_dynamics.uncompiled(*state, **acting, formulation="luh"),
}


@pytest.mark.parametrize("base", [{}, MOVING], ids=["still", "moving"])
@pytest.mark.parametrize("name", ASKED)
def test_gravity_of_each_state_is_that_of_a_robot_with_it(name: str, base: dict[str, np.ndarray]) -> None:
    found = arrays(ASKED[name](ARM, *STATES, gravity=GRAVITY, **base))
    for got, expected in zip(found, each_by_itself(ASKED[name], base), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12 * abs(expected).max())


def test_gravity_is_an_acceleration_of_the_base_the_other_way() -> None:
    upwards = np.concatenate([np.array(ARM.gravity) - GRAVITY, np.zeros((4, 3))], axis=-1)
    np.testing.assert_allclose(ARM.inverse_dynamics(*STATES, gravity=GRAVITY),
                               ARM.inverse_dynamics(*STATES, base_acceleration=upwards), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ARM.gravity_forces(STATES[0], gravity=GRAVITY),
                               ARM.inverse_dynamics(STATES[0], np.zeros(3), np.zeros(3), gravity=GRAVITY), atol=1e-12)


def test_its_share_of_the_loads_is_gravity_and_not_motion_of_the_base() -> None:
    loads = ARM.load_breakdown(*STATES, gravity=GRAVITY, compiled=False)
    own = ARM.load_breakdown(*STATES, compiled=False)
    assert loads.index.terms == own.index.terms
    weighs = np.array([term.kind == "gravity" for term in own.index.terms])
    assert weighs.any()
    np.testing.assert_array_equal(loads.values[:, ~weighs], own.values[:, ~weighs])
    down = ARM.load_breakdown(*STATES, gravity=2.0 * np.array(ARM.gravity), compiled=False)
    np.testing.assert_allclose(down.values[:, weighs], 2.0 * own.values[:, weighs], rtol=1e-12, atol=1e-12)


def test_gravity_of_time_over_a_motion() -> None:
    motion = lp.Motion.swing(ARM)
    case = lp.LoadCase(gravity=lambda t: (3.0 * t, 0.0, -9.81))
    rows = np.stack([3.0 * motion.t, 0.0 * motion.t, 0.0 * motion.t - 9.81], axis=-1)
    np.testing.assert_array_equal(ARM.inverse_dynamics(motion, under=case),
                                  ARM.inverse_dynamics(motion.q, motion.qd, motion.qdd, gravity=rows))
    over, at = ARM.peak_loads(motion, under=case), ARM.peak_loads(motion, gravity=rows)
    name = ARM.dof_names[0]
    assert over[name, "drive"].peak.value == at[name, "drive"].peak.value
    with pytest.raises(ValueError, match="'gravity' is a function of time, and these states have no times"):
        ARM.inverse_dynamics(*STATES, under=case)
    with pytest.raises(ValueError, match="peak_loads: 'gravity' is a function of time"):
        ARM.peak_loads(*STATES, under=case)


def test_what_a_motion_carries_weighs_by_that_gravity() -> None:
    box = {"link": ARM.link_names[-1], "center_of_mass": (0.1, 0.0, 0.2)}
    motion = lp.Motion.swing(ARM).with_loads([lp.Carried(2.0, **box)])
    loaded = ARM.with_payload(2.0, **box).with_gravity((1.0, 2.0, -3.0))
    np.testing.assert_allclose(ARM.inverse_dynamics(motion, gravity=(1.0, 2.0, -3.0)),
                               loaded.inverse_dynamics(motion.q, motion.qd, motion.qdd), rtol=1e-11, atol=1e-11)


def test_verdicts_and_load_cases_are_those_of_a_robot_with_it() -> None:
    arm = ARM.with_limits({name: lp.Limits(effort=500.0) for name in ARM.dof_names})
    motion, g = lp.Motion.swing(arm), (4.0, -3.0, 5.0)
    judged = arm.verdict(motion, gravity=g).checks, arm.with_gravity(g).verdict(motion).checks
    for found, expected in zip(*judged, strict=True):
        assert found.demand == pytest.approx(expected.demand, rel=1e-12, nan_ok=True)
    assert arm.load_cases(motion, gravity=g).residual < 1e-12
    with pytest.raises(ValueError, match="gravity is a function of time"):
        arm.largest("speed", motion, gravity=lambda t: g)


def test_a_load_case_stands_for_its_keywords() -> None:
    push = {ARM.link_names[-1]: lp.Wrench(force=(1.0, 2.0, 3.0))}
    case = lp.LoadCase(external=push, gravity=GRAVITY, **MOVING)
    apart = {"external": push, "gravity": GRAVITY, **MOVING}
    np.testing.assert_array_equal(ARM.inverse_dynamics(*STATES, under=case), ARM.inverse_dynamics(*STATES, **apart))
    np.testing.assert_array_equal(ARM.load_breakdown(*STATES, under=case, compiled=False).values,
                                  ARM.load_breakdown(*STATES, **apart, compiled=False).values)
    replaced = ARM.inverse_dynamics(*STATES, under=case, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_array_equal(replaced, ARM.inverse_dynamics(*STATES, **{**apart, "gravity": (0.0, 0.0, 0.0)}))


def test_what_is_wrong_with_a_load_case() -> None:
    with pytest.raises(ValueError, match="'gravity' has the shape"):
        lp.LoadCase(gravity=9.81)
    with pytest.raises(ValueError, match=r"inverse_dynamics: 'gravity' has the shape \(2,\): expected \(..., 3\)"):
        ARM.inverse_dynamics(*STATES, gravity=(1.0, 2.0))
    with pytest.raises(ValueError, match=r"peak_loads: 'under' is a dict: expected an lp\.LoadCase"):
        ARM.peak_loads(*STATES, under={})
    with pytest.raises(TypeError, match="max_payload takes no 'weights', which the load case of 'under' has"):
        ARM.max_payload(*STATES, under=lp.LoadCase(weights=[1.0]))
    with pytest.raises(TypeError, match="mass_matrix takes no 'gravity'; inverse_dynamics"):
        ARM.mass_matrix(STATES[0], gravity=GRAVITY)
    with pytest.raises(TypeError, match=r"peak_loads\(\) got an unexpected keyword argument 'gravitation'"):
        ARM.peak_loads(*STATES, gravitation=GRAVITY)


@pytest.mark.parametrize("name", ["load_breakdown", "peak_loads", "max_payload", "motor_loads", "verdict", "report"])
def test_signatures_show_every_keyword(name: str) -> None:
    shown = inspect.signature(getattr(lp.Robot, name)).parameters
    for keyword in ("external", "base_velocity", "base_acceleration", "gravity", "under"):
        assert shown[keyword].kind is inspect.Parameter.KEYWORD_ONLY
        assert shown[keyword].annotation.endswith("None")
    assert not any(part.kind is inspect.Parameter.VAR_KEYWORD for part in shown.values())
