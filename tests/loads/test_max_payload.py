"""The largest payload: against bisection with robots that carry it, hand calculations, and the cases at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from loadpath.formulations import newton_euler
from loadpath.loads.payload import SLACK, mass_to_bounds, mass_to_length
from loadpath.robot.mechanism import plain
from loadpath.scalars import array

QUANTITIES = ("drive", "force_x", "torque_y", "axial_force", "radial_force", "axial_torque", "tilting_moment", "force",
              "torque")


def loads(robot: lp.Robot, states: tuple[np.ndarray, ...], name: str, quantity: str) -> np.ndarray:
    """One quantity over all states, without the code under test and without compiling: robots come and go here."""
    mechanism = plain(robot)
    rows = [[array(list(part)) for part in state] for state in zip(*states, strict=True)]
    if quantity == "drive":
        taus = [newton_euler.inverse_dynamics(mechanism, *row) for row in rows]
        return np.array(taus, dtype=float)[..., robot.dof_names.index(name)]
    wrenches = np.array([newton_euler.joint_wrenches(mechanism, *row) for row in rows], dtype=float)
    vector = wrenches[:, 0 if "force" in quantity else 1, robot.joint_names.index(name)]
    if quantity[-2:] in ("_x", "_y", "_z"):
        return vector[..., "xyz".index(quantity[-1])]
    axis = robot.joint(name).motion.axis_direction()
    if quantity in ("force", "torque"):
        return np.linalg.norm(vector, axis=-1)
    if quantity.startswith("axial"):
        return vector @ np.array(axis)
    return np.linalg.norm(np.cross(vector, axis), axis=-1)


def bisected(robot: lp.Robot, states: tuple[np.ndarray, ...], limits: dict, **payload: object) -> float:
    """The largest mass by trial of robots that carry it."""

    def holds(mass: float) -> bool:
        loaded = robot.with_payload(mass, **payload)
        return all(
            np.abs(loads(loaded, states, name, quantity)).max() <= bound
            for name, parts in limits.items()
            for quantity, bound in (parts.items() if isinstance(parts, dict) else [("drive", parts)])
        )

    low, high = 0.0, 1.0
    assert holds(low)
    while holds(high):
        low, high = high, 2 * high
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def random_states(robot: lp.Robot, count: int, seed: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-1.5, 1.5, (count, robot.n)) for _ in range(3))


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    """Turns, slides, with friction and rotors, and no limits in the model."""
    body = lp.Inertia.from_moments(1.5, (0.1, 0.05, 0.2), ixx=0.02, iyy=0.03, izz=0.04)
    drive = {"viscous_friction": 0.3, "coulomb_friction": 0.2, "rotor_inertia": 1e-3, "gear_ratio": 10.0}
    joints = (
        lp.Joint("turn", "base", "a", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0, 0, 0.3)), **drive),
        lp.Joint("lift", "a", "b", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.2, 0, 0)), **drive),
        lp.Joint("slide", "b", "c", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(0.1, 0.1, 0)), **drive),
    )
    return lp.Robot("arm", (lp.Link("base"), *(lp.Link(name, body) for name in "abc")), joints)


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("joint", ["lift", "slide"])
def test_one_limit_against_bisection(arm: lp.Robot, joint: str, quantity: str) -> None:
    states = random_states(arm, 4, seed=1)
    payload = {"center_of_mass": (0.1, -0.05, 0.2), "link": "c"}
    gyration = np.diag([0.01, 0.02, 0.015])
    unloaded = np.abs(loads(arm, states, joint, quantity)).max()
    limits = {joint: {quantity: 1.5 * unloaded + 3.0}}
    found = arm.max_payload(states, limits, **payload)
    assert found.mass == pytest.approx(bisected(arm, states, limits, **payload), rel=1e-6)
    body = arm.max_payload(states, limits, inertia_per_mass=gyration, **payload)
    # At that mass the limit is just reached, in the state that it names.
    loaded = arm.with_payload(body.mass, inertia=body.mass * gyration, **payload)
    value = np.abs(loads(loaded, states, joint, quantity))
    assert value.max() == pytest.approx(limits[joint][quantity], rel=1e-9)
    assert body.binding is not None
    assert (body.binding.name, body.binding.quantity) == (joint, quantity)
    assert body.binding.sample == int(value.argmax())
    np.testing.assert_array_equal(body.binding.q, states[0][body.binding.sample])


def test_all_limits_together_against_bisection(arm: lp.Robot) -> None:
    states = random_states(arm, 12, seed=2)
    limits = {
        "turn": 40.0,
        "lift": {"drive": 60.0, "tilting_moment": 70.0},
        "slide": {"force": 90.0, "radial_force": 80.0},
    }
    found = arm.max_payload(states, limits, center_of_mass=(0.1, 0, 0))
    assert found.mass == pytest.approx(bisected(arm, states, limits, center_of_mass=(0.1, 0, 0)), rel=1e-7)
    masses = [limit.mass for limit in found.limits]
    assert len(masses) == 5
    assert masses == sorted(masses)
    assert masses[0] == found.mass == float(found)
    assert str(found).startswith(f"payload of {found.mass:.6g} kg on 'c', bound by ")
    assert found.to_table().count("\n") == 6


def test_panda_against_bisection_with_its_own_limits() -> None:
    panda = lp.catalog.panda()
    motion = lp.Motion.swing(panda, samples=101)
    states = motion.q, motion.qd, motion.qdd
    limits = {joint.name: joint.limits[0].effort for joint in panda.joints if joint.motion.dof}
    found = panda.max_payload(motion)
    low, high = found.mass * (1 - 1e-9), found.mass * (1 + 1e-9)
    over = [
        max(
            np.abs(loads(panda.with_payload(mass), states, name, "drive")).max() / bound
            for name, bound in limits.items()
        )
        for mass in (low, high)
    ]
    assert over[0] <= 1 <= over[1]
    assert found.binding is not None
    assert found.binding.time == motion.t[found.binding.sample]
    # Giving them by hand is the same, and a tighter one replaces the model's.
    assert panda.max_payload(motion, limits, model_limits=False).mass == found.mass
    tighter = panda.max_payload(motion, {"panda_joint5": 3.0})
    assert tighter.mass < found.mass
    assert tighter.binding is not None and tighter.binding.name == "panda_joint5"


def test_with_a_payload_on_already() -> None:
    arm = lp.catalog.planar(2)
    level = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    alone = arm.max_payload(level, {"joint1": 100.0}).mass
    assert alone == pytest.approx((100 / 9.81 - 2) / 2)  # 2 kg at 1 m, the payload at 2 m
    carrying = arm.with_payload(1.0, link="tip")
    assert carrying.max_payload(level, {"joint1": 100.0}, link="tip").mass == pytest.approx(alone - 1.0)


def test_one_sided_limits() -> None:
    """A vertical slide: gravity pulls down, so only the upward bound of what the joint exerts counts."""
    lift = lp.Joint("lift", "base", "car", lp.Prismatic((0, 0, 1)))
    robot = lp.Robot("lift", (lp.Link("base"), lp.Link("car", lp.Inertia(10.0))), (lift,))
    still = [0.0], [0.0], [0.0]
    assert robot.max_payload(still, {"lift": (-1.0, 981.0)}).mass == pytest.approx(90.0)
    assert robot.max_payload(still, {"lift": {"force_z": (-1.0, 981.0)}}).mass == pytest.approx(90.0)
    assert robot.max_payload(still, {"lift": {"axial_force": (0.0, 981.0)}}).mass == pytest.approx(90.0)
    falling = [0.0], [0.0], [-19.62]  # the drive pulls down
    assert robot.max_payload(falling, {"lift": (-981.0, 1.0)}).mass == pytest.approx(90.0)


# The ends of the scale


def test_exceeded_without_any_payload() -> None:
    arm = lp.catalog.planar(2)
    level = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    found = arm.max_payload(level, {"joint1": 10.0, "joint2": 100.0})
    assert found.mass == 0.0
    assert found.exceeded
    assert found.binding is not None and found.binding.name == "joint1"
    assert str(found) == "no payload on 'tip': without any, drive of 'joint1' is beyond its limit at sample 0"
    assert "exceeded" in found.to_table()


def test_a_payload_that_helps_does_not_excuse_a_limit_that_is_exceeded_without() -> None:
    """A seesaw that is too heavy on one side: a payload on the other side would balance it."""
    beam = lp.Link("beam", lp.Inertia(10.0, (-1.0, 0, 0)))
    seesaw = lp.Robot("seesaw", (lp.Link("base"), beam), (lp.Joint("pivot", "base", "beam", lp.Revolute((0, 1, 0))),))
    still = [0.0], [0.0], [0.0]
    found = seesaw.max_payload(still, {"pivot": 50.0}, center_of_mass=(1.0, 0, 0))
    assert found.mass == 0.0 and found.exceeded
    held = seesaw.max_payload(still, {"pivot": 98.1}, center_of_mass=(1.0, 0, 0))
    assert held.mass == pytest.approx(20.0)  # from 10 kg too much on one side to 10 kg too much on the other


def test_a_payload_that_loads_nothing_has_no_end() -> None:
    arm = lp.catalog.planar(2).with_gravity((0, 0, 0))
    found = arm.max_payload((np.zeros(2), np.zeros(2), np.zeros(2)), {"joint1": 10.0})
    assert math.isinf(found.mass)
    assert found.binding is None
    assert "no payload on 'tip' brings any of the 1 limits nearer" in str(found)
    # On a link below the limited joint, too: the shoulder does not carry what sits on the base's side.
    straight = lp.catalog.planar(2)
    states = random_states(straight, 20, seed=4)
    assert math.isinf(straight.max_payload(states, {"joint2": 1e3}, link="link1").mass)


def test_calls_without_sense_are_refused(arm: lp.Robot) -> None:
    states = random_states(arm, 3, seed=0)
    for limits, message in (
        (None, "robot 'arm' has no limits of effort: give some, like limits={'turn': 100.0}"),
        ({"turn": math.inf}, "no limits of effort"),
        ({"elbow": 3.0}, "limit of 'elbow', drive: robot 'arm' has no such degree of freedom; it has turn, lift"),
        ({"elbow": {"force": 3.0}}, "robot 'arm' has no such joint"),
        ({"turn": {"shear": 3.0}}, "limit of 'turn', shear: there is no such quantity"),
        ({"turn": -3.0}, "expected zero or more"),
        ({"turn": (1.0, 2.0)}, "a pair around zero"),
        ({"turn": math.nan}, "expected zero or more"),
        ({"turn": {"radial_force": (-1.0, 2.0)}}, "expected a number"),
        ({"turn": [1.0, 2.0, 3.0]}, "expected a number or a pair"),
    ):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            arm.max_payload(states, limits)
    with pytest.raises(ValueError, match="no link 'hand'"):
        arm.max_payload(states, {"turn": 50.0}, link="hand")
    with pytest.raises(ValueError, match="three arrays"):
        arm.max_payload(np.zeros(3), {"turn": 50.0})
    bad = states[0].copy()
    bad[1, 1] = np.nan
    with pytest.raises(ValueError, match="not finite at state 1"):
        arm.max_payload((bad, *states[1:]), {"turn": 500.0, "lift": {"force": 1e4}})
    welded = lp.catalog.panda()
    with pytest.raises(ValueError, match="no single axis"):
        welded.max_payload((np.zeros(7),) * 3, {"panda_joint8": {"tilting_moment": 3.0}})


# The equations for one limit


numbers = st.floats(-100, 100)


@given(numbers, numbers, st.floats(0, 100))
def test_bounds_are_reached_at_the_mass(start: float, slope: float, limit: float) -> None:
    (mass,) = mass_to_bounds(-limit, limit, np.array([start]), np.array([slope]))
    if abs(start) > limit:
        assert mass == -1
    elif math.isfinite(mass) and mass < 1e100:
        assert mass >= 0
        assert abs(start + mass * slope) == pytest.approx(limit, rel=1e-9, abs=1e-9)
        assert abs(start + mass * slope / 2) <= limit + 1e-9


@settings(max_examples=200)
@given(st.tuples(numbers, numbers, numbers), st.tuples(numbers, numbers, numbers), st.floats(0.01, 200))
def test_lengths_are_reached_at_the_mass(start: tuple, slope: tuple, limit: float) -> None:
    a, b = np.array([start]), np.array([slope])
    (mass,) = mass_to_length(limit, a, b)
    if np.linalg.norm(a) > limit * (1 + 1e-12) * (1 + SLACK):
        assert mass == -1
    elif 0 <= mass < 1e100 and np.linalg.norm(b) > 1e-6:
        assert np.linalg.norm(a + mass * b) == pytest.approx(limit, rel=1e-6)
        assert np.linalg.norm(a + 0.5 * mass * b) <= limit * (1 + 1e-9)


def test_limits_that_are_none() -> None:
    arm, level = lp.catalog.planar(2), ([0, 0], [0, 0], [0, 0])
    for wrong in ([100.0, 100.0], 100.0):
        with pytest.raises(ValueError, match=r"expected a dict by names, like \{'joint1': 80"):
            arm.max_payload(level, wrong)
    for wrong in ("100", None, True, [1, "2"]):
        with pytest.raises(ValueError, match=r"limit of 'joint1', drive is .*: expected a number"):
            arm.max_payload(level, {"joint1": wrong})


def test_of_equal_states_the_first_binds():
    """Also where they are computed in several blocks."""
    arm = lp.catalog.planar(2)
    level = np.zeros((5000, 2))
    found = arm.max_payload(level, level, level, {"joint1": 100.0})
    assert found.binding is not None and found.binding.sample == 0
    assert float(found) == pytest.approx((100.0 / 9.81 - 2.0) / 2.0)  # 9.81 (2 + m 2) = 100, rods of 1 m and 1 kg
    assert found.mass == arm.max_payload((level, level, level), limits={"joint1": 100.0}).mass
    with pytest.raises(TypeError, match="got 'limits' twice"):
        arm.max_payload(level, level, level, {"joint1": 100.0}, limits={"joint2": 1.0})
    with pytest.raises(TypeError, match="takes a motion, or q, qd and qdd, and after them the limits"):
        arm.max_payload(level, level, level, {"joint1": 100.0}, None)


def test_what_a_robot_carries_already_stays_and_is_named() -> None:
    arm, level = lp.catalog.planar(2), ([0, 0], [0, 0], [0, 0])
    free = arm.max_payload(level, {"joint1": 100.0})
    found = arm.with_payload(1.5).max_payload(level, {"joint1": 100.0})
    assert free.carried == 0.0 and "in addition" not in str(free)
    assert found.carried == 1.5 and found.mass == pytest.approx(free.mass - 1.5)
    assert "payload of 2.59684 kg on 'payload', in addition to the 1.5 kg that it carries, bound by" in str(found)
