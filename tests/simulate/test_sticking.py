"""Coulomb friction in simulations: joints slip, stop, stick and break away as by hand."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.simulate.friction import box_forces

MASS, FRICTION = 2.0, 3.0


def block(**joint: float) -> lp.Robot:
    """A block that slides along x with Coulomb friction."""
    slide = lp.Joint("slide", "base", "block", lp.Prismatic((1, 0, 0)), **{"coulomb_friction": FRICTION, **joint})
    return lp.Robot("block", (lp.Link("base"), lp.Link("block", lp.Inertia(MASS))), (slide,))


def test_a_sliding_block_stops_where_its_energy_is_used_up_and_stays() -> None:
    slide = block().simulate([0.0], [4.0], duration=5.0)
    stops, way = MASS * 4.0 / FRICTION, MASS * 4.0**2 / (2 * FRICTION)
    before = slide.times < stops
    assert slide.qd[before, 0] == pytest.approx(4.0 - FRICTION / MASS * slide.times[before], abs=1e-12)
    assert (slide.qd[~before] == 0).all() and (slide.qdd[~before] == 0).all()
    assert slide.sticking[:, 0].tolist() == (~before).tolist()
    assert slide.q[-1, 0] == pytest.approx(way, rel=1e-12)
    assert slide.dissipated[-1] == pytest.approx(FRICTION * way, rel=1e-12)
    assert slide.steps < 50  # it does not chatter


def test_a_block_breaks_away_when_the_pull_exceeds_its_friction() -> None:
    rate = 2.0
    pull = block().simulate([0.0], [0.0], lambda t, q, qd: [rate * t], 3.0)
    breaks = FRICTION / rate
    late = pull.times > breaks
    assert (pull.q[~late] == 0).all()
    assert pull.friction[~late, 0] == pytest.approx(rate * pull.times[~late])
    t = pull.times[late] - breaks
    assert pull.q[late, 0] == pytest.approx(rate * t**3 / (6 * MASS), abs=1e-7)
    assert pull.energy_drift < 1e-7


@pytest.mark.parametrize(("slope", "slips"), [(0.99, False), (1.01, True)])
def test_on_a_slope_it_holds_up_to_its_friction(slope: float, slips: bool) -> None:
    robot = block().with_gravity((slope * FRICTION / MASS, 0.0, -9.81))
    motion = robot.simulate([0.5], [0.0], duration=2.0)
    assert motion.sticking.all() != slips
    expected = 0.5 + (0.5 * 0.01 * FRICTION / MASS * motion.times**2 if slips else 0.0 * motion.times)
    assert motion.q[:, 0] == pytest.approx(expected, abs=1e-9)


def test_an_oscillator_with_friction_loses_the_same_amplitude_every_half_swing() -> None:
    stiffness, amplitude = 50.0, 1.0
    swing = block().simulate([amplitude], [0.0], lambda t, q, qd: -stiffness * q, 6.0, rtol=1e-10)
    lost = 2 * FRICTION / stiffness
    turns = [amplitude]
    while abs(turns[-1]) > FRICTION / stiffness:
        turns.append(-np.sign(turns[-1]) * (abs(turns[-1]) - lost))
    half = np.pi * np.sqrt(MASS / stiffness)
    at_turns = block().simulate([amplitude], [0.0], lambda t, q, qd: -stiffness * q, rtol=1e-10,
                                times=half * np.arange(len(turns)))
    assert at_turns.q[:, 0] == pytest.approx(turns, abs=1e-8)
    assert swing.q[-1, 0] == pytest.approx(turns[-1], abs=1e-8)
    assert swing.sticking[-1, 0] and swing.qd[-1, 0] == 0
    assert swing.energy_drift < 1e-8


def test_a_robot_with_friction_comes_to_rest_and_stays() -> None:
    puma = lp.catalog.puma560()
    fall = puma.simulate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [1.0, -0.5, 0.3, 2.0, -2.0, 1.0], duration=20.0)
    assert fall.sticking[-1].all() and (fall.qd[-1] == 0).all()
    resting = fall.sticking.all(axis=1).argmax()
    assert (fall.q[resting:] == fall.q[-1]).all()
    assert fall.steps < 300
    assert fall.energy_drift < 1e-7
    # Standing still, friction carries the weight: its force is what inverse dynamics asks for, and within its limits.
    weight = puma.gravity_forces(fall.q[-1])
    assert fall.friction[-1] == pytest.approx(-weight, abs=1e-9)
    limits = np.array([joint.coulomb_friction[0] for joint in puma.joints if joint.motion.dof])
    assert (np.abs(weight) <= limits).all()


def test_two_blocks_pushed_apart_stick_and_slip_together() -> None:
    """Blocks one on the other: each slides with its own friction, and which sticks depends on both."""
    links = (lp.Link("base"), lp.Link("lower", lp.Inertia(2.0)), lp.Link("upper", lp.Inertia(1.0)))
    joints = (
        lp.Joint("floor", "base", "lower", lp.Prismatic((1, 0, 0)), coulomb_friction=4.0),
        lp.Joint("between", "lower", "upper", lp.Prismatic((1, 0, 0)), coulomb_friction=2.0),
    )
    robot = lp.Robot("stack", links, joints)

    def pushed(force: float) -> np.ndarray:
        """Accelerations at once after a force on the upper block."""
        return robot.simulate([0, 0], [0, 0], duration=0.0, external={"upper": lp.Wrench((force, 0, 0))}).qdd[0]

    assert pushed(1.9) == pytest.approx([0, 0])  # both hold
    assert pushed(3.0) == pytest.approx([0, 1.0])  # the upper slips, too weakly to move the lower: (3 - 2) / 1
    assert robot.simulate([0, 0], [0, 0], [9.0, 0.0], 0.0).qdd[0] == pytest.approx([5 / 3, 0])  # carried along
    assert robot.simulate([0, 0], [0, 0], [13.0, 0.0], 0.0).qdd[0] == pytest.approx([3.5, -1.5])  # left behind


def test_friction_of_joints_at_rest_solves_its_conditions() -> None:
    rng = np.random.default_rng(8)
    for n in (1, 2, 5, 9):
        for _ in range(20):
            root = rng.normal(size=(n, n))
            mobility = root @ root.T + 0.05 * np.eye(n)
            free, limits = rng.normal(size=n) * 3, rng.uniform(0.1, 3, n)
            forces = box_forces(mobility, free, limits)
            moving = free - mobility @ forces
            held = np.abs(forces) < limits
            assert moving[held] == pytest.approx(0, abs=1e-9)
            assert (moving[~held] * forces[~held] >= -1e-9).all()


def test_forces_that_jump_break_joints_away_and_turn_them_round() -> None:
    """A function may jump at any time; the integrator finds out when."""
    late = block().simulate([0.0], [0.0], lambda t, q, qd: [5.0 if t > 0.5 else 0.0], 1.0)
    assert late.q[-1, 0] == pytest.approx(0.5 * (5 - FRICTION) / MASS * 0.5**2, rel=1e-7)
    assert late.sticking[:51].all() and not late.sticking[51:].any()
    turned = block().simulate([0.0], [0.0], lambda t, q, qd: [6.0 if t < 1 else -6.0], 2.0)
    # 1.5 m/s^2 for 1 s, -4.5 m/s^2 to a stop in 1/3 s, -1.5 m/s^2 for the rest
    assert turned.q[-1, 0] == pytest.approx(0.75 + 0.25 - 0.5 * 1.5 * (2 / 3) ** 2, rel=1e-6)
    assert turned.energy_drift < 1e-6


def test_a_joint_that_starts_and_turns_within_one_step_is_followed() -> None:
    push = block().simulate([0.0], [0.0], lambda t, q, qd: [3.5 - 200 * t], 1.0, max_step=1.0)
    exact = block().simulate([0.0], [0.0], lambda t, q, qd: [3.5 - 200 * t], 1.0, max_step=1e-3, rtol=1e-11)
    assert push.q == pytest.approx(exact.q, abs=1e-7)


def test_a_force_that_chatters_is_given_up_with_a_reason() -> None:
    smooth = block(coulomb_friction=0.0)
    with pytest.raises(
        lp.IntegrationError, match=r"failed at t = 0\.666\d+ s: 'slide' .* no step function of speed"
    ) as caught:
        smooth.simulate([0.0], [1.0], lambda t, q, qd: -3 * np.sign(qd), 2.0)
    before = caught.value.result  # 2 kg that 3 N brake
    assert before.times[-1] == pytest.approx(0.66, abs=0.01)
    assert before.qd[:, 0] == pytest.approx(1 - 1.5 * before.times, abs=1e-6)


def test_a_mimicking_joint_brings_its_friction_along() -> None:
    links = (lp.Link("base"), lp.Link("a", lp.Inertia(1.0)), lp.Link("b", lp.Inertia(1.0)))
    joints = (
        lp.Joint("first", "base", "a", lp.Prismatic((1, 0, 0)), coulomb_friction=1.0),
        lp.Joint("second", "base", "b", lp.Prismatic((0, 1, 0)), coulomb_friction=1.0, mimic=lp.Mimic("first", -2.0)),
    )
    motion = lp.Robot("gears", links, joints).simulate([0.0], [1.0], duration=2.0)
    # kinetic energy 1/2 (1 + 4), friction 1 + 2
    assert motion.q[-1, 0] == pytest.approx(2.5 / 3.0, rel=1e-9)
    assert motion.dissipated[-1] == pytest.approx(2.5, rel=1e-9)
