"""Verdicts on rovers: parts of the arm on the moving base, wheels, tipping and slip."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from plain_parts import Pin

import loadpath as lp

STILL = ([0, 0, 0.5], [0, 0, 0], [0, 0, 0])
MOVES = {"velocity": (1.0, 0.0), "acceleration": (0.5, 0.0)}


def rover() -> lp.Rover:
    return lp.catalog.lau_rover(driven=True).with_parts(
        {"wheel1": lp.WheelRating(load=60.0, speed=2.0, dynamic_load=55.0), "theta2": Pin(100.0)}
    )


def test_parts_of_joints_and_wheels() -> None:
    found = rover()
    assert found.ratings[0][0] == "wheel1" and found.robot.parts == (("theta2", Pin(100.0)),)
    assert pickle.loads(pickle.dumps(found)) == found and found != lp.catalog.lau_rover(driven=True)
    assert found.with_payload(1.0, link="rod").ratings and found.on(lp.Ground(slope=0.1)).robot.parts
    assert found.without_parts() == lp.catalog.lau_rover(driven=True)
    assert found.without_parts("wheel1").robot.parts and not found.without_parts("wheel1").ratings
    with pytest.raises(lp.ModelError, match=r"'whel1', which is no joint and no wheel .*did you mean 'wheel1'"):
        found.with_parts({"whel1": lp.WheelRating(load=1.0)})
    with pytest.raises(lp.ModelError, match="has a rating already"):
        found.with_parts({"wheel1": lp.WheelRating(load=1.0)})
    with pytest.raises(lp.ModelError, match="is no rating of a wheel"):
        found.with_parts({"wheel2": Pin(1.0)})


def test_tipping_and_slip_are_those_of_stability_and_slip() -> None:
    subject = rover()
    motion = lp.Motion.swing(subject.robot, 61, 2.0)
    found = subject.verdict(motion, **MOVES)
    tipping = found["rover", "tipping over"]
    margins = subject.stability(motion, **MOVES).margin
    radius = 0.18 / ((0.6 + 2 * np.hypot(0.6, 0.3)) / 2)  # of the triangle of wheels: area over half the sides
    assert tipping.capacity == pytest.approx(radius)
    assert tipping.utilisation == pytest.approx(1 - margins.min() / radius)
    assert tipping.at.sample == int(margins.argmin())
    ratios = subject.slip(motion, **MOVES).ratio
    for k, name in enumerate(subject.contact_names):
        assert found[name, "slip"].utilisation == pytest.approx(ratios[:, k].max())
    loads = subject.wheel_loads(motion, **MOVES).normal[:, 0]
    assert found["wheel1", "load"].demand == pytest.approx(loads.max())
    ahead = {"base_velocity": [1.0, 0, 0, 0, 0, 0], "base_acceleration": [0.5, 0, 0, 0, 0, 0]}
    forces = subject.robot.joint_wrenches(motion, **ahead)["theta2"].force
    assert found["theta2", "force"].demand == pytest.approx(np.linalg.norm(forces, axis=-1).max())
    assert sum(found["theta2", "force"].causes.values()) == pytest.approx(found["theta2", "force"].demand)


@pytest.mark.slow
def test_largest_payload_is_that_of_tipping() -> None:
    subject = lp.catalog.lau_rover()
    still = ([0, 0, 1.0], [0, 0, 0], [0, 0, 0])
    most = subject.largest("payload", still, link="rod")
    assert most.value == pytest.approx(float(subject.largest_payload([0, 0, 1.0], link="rod")), rel=1e-7)
    assert most.limiting.check == "tipping over"


def test_largest_speed_moves_the_base_faster_too() -> None:
    subject = lp.catalog.lau_rover(driven=True).with_parts({"wheel1": lp.WheelRating(speed=3.0)})
    most = subject.largest("speed", STILL, velocity=(1.0, 0.0))
    assert most.value == pytest.approx(3.0, rel=1e-7) and most.limiting.check == "speed"


def test_a_slope_does_not_grow_with_the_speed() -> None:
    subject = lp.catalog.lau_rover(driven=True).on(lp.Ground(slope=0.2)).with_parts({"theta2": Pin(1e3)})
    found = subject.verdict(STILL)
    fast = subject.largest("speed", STILL)
    assert np.isinf(fast.value)
    used = [each["rover", "tipping over"].utilisation for each in (found, fast.verdict)]
    assert used[0] == pytest.approx(used[1])


def test_without_friction_slip_is_not_checked_and_nothing_is_claimed() -> None:
    base = lp.WheeledBase(mass=40, center_of_mass=(0.2, 0, 0.3), wheels=[
        lp.CasterWheel((0.6, 0), 0.1), lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1)])
    found = base.carrying().verdict(velocity=(0.5, 0.0))
    assert "no friction is known" in found.not_checked[0].note and not found.holds
    assert found["rover", "tipping over"].holds


def test_nan_states_are_counted() -> None:
    with pytest.warns(lp.ModelWarning):
        found = rover().verdict((np.array([[0, 0, 0.5], [0, np.nan, 0.5]]), np.zeros((2, 3)), np.zeros((2, 3))))
    assert found.unknown_count == 1 and not found.holds


BRAKE = lp.Brake(holding_torque=50, on="joint", energy_per_stop=100, response_time=0.05)
BOX = lp.Carried(1.5, link="rod", center_of_mass=(0, 0, 0.1), name="box")


def test_a_brake_holds_against_the_slope_and_what_is_carried() -> None:
    rover = lp.catalog.lau_rover(driven=True).on(lp.Ground(slope=0.3)).with_parts({"theta1": BRAKE})
    motion = lp.Motion.swing(rover.robot, 21, 2.0).with_loads([BOX])
    row = rover.verdict(motion, heading=0.7, velocity=(1, 0), acceleration=(0.5, 0))["theta1", "holding torque"]
    arm = rover.robot.with_gravity(rover.ground.gravity_in_base(0.7)).with_payload(1.5, (0, 0, 0.1), link="rod")
    by_hand = arm.inverse_dynamics(motion.q, 0 * motion.qd, 0 * motion.qdd)[:, 0]
    assert row.demand == pytest.approx(np.abs(by_hand).max(), rel=1e-12) and row.demand > 3.0
    assert sum(row.causes.values()) == pytest.approx(row.demand)


def test_carried_loads_weigh_more_at_a_faster_pace() -> None:
    from loadpath.parts.verdict.what_if import again

    rover = lp.catalog.lau_rover(driven=True).with_parts({"theta1": BRAKE})
    motion = lp.Motion.swing(rover.robot, 21, 2.0).with_loads([BOX])
    faster = again(rover.verdict(motion, velocity=(1.0, 0), acceleration=(0.5, 0)), pace=1.3)
    given = rover.verdict(motion.scaled(speed=1.3), velocity=(1.3, 0), acceleration=(0.5 * 1.3**2, 0))
    for one, other in zip(faster.checks, given.checks, strict=True):
        assert one.demand == pytest.approx(other.demand, rel=1e-9, nan_ok=True), one


def test_buckling_on_tyres_is_that_of_the_rover():
    beam = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint")
    boom = lp.catalog.planar(1, length=2.0, mass=10.0).with_payload(40.0).with_beams({"link1": beam})
    wheels = [lp.FixedWheel((x, y), 0.2, stiffness=2e4) for x in (-0.8, 0.8) for y in (-0.6, 0.6)]
    base = lp.WheeledBase(mass=400, center_of_mass=(0, 0, 0.5), wheels=wheels, inertia=np.diag([60.0, 90, 130]))
    rover = base.carrying(boom, at=(-0.4, 0, 0.8)).on(lp.Ground(slope=0.1))
    up = lp.Motion.through(boom, [[1.4], [1.57]], times=[0.0, 1.0])
    moving = {"velocity": (0.5, 0.0), "heading": 2.0}
    found, worst = rover.verdict(up, **moving), rover.extremes(up, **moving)
    assert worst.buckling.link == "tyres" and worst.buckling.factor < 0.2 * rover.robot.extremes(up).buckling.factor
    assert found["link1", "buckling of the arm"].capacity == pytest.approx(worst.buckling.factor)
    assert found["link1", "beam-column"].capacity == pytest.approx(worst.beam_column["link1"].safety)
    assert found["link1", "yield"].demand == pytest.approx(worst.stress["link1"].value)
