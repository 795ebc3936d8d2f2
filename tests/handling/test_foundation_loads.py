"""Loads on a foundation: against the wrenches of the root joints, Newton's law by differences, and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.planar(2)


@pytest.fixture(scope="module")
def swing(arm: lp.Robot) -> lp.Motion:
    return lp.Motion.swing(arm, 201, duration=1.0)


def test_negative_of_the_wrench_of_the_first_joint(arm: lp.Robot, swing: lp.Motion) -> None:
    """The root link of this arm weighs nothing: the foundation carries what the first joint does, at its origin."""
    found = arm.foundation_loads(swing)
    joint = arm.joint_wrenches(swing.q, swing.qd, swing.qdd)[arm.joint_names[0]]
    turned = np.asarray(arm.link_poses(swing.q))[:, arm.link_names.index("link1"), :3, :3]
    for part, rows in ((joint.force, slice(0, 3)), (joint.torque, slice(3, 6))):
        np.testing.assert_allclose(found.wrenches["service"][:, rows], -np.einsum("sij,sj->si", turned, part),
                                   atol=1e-11)


def test_momentum_balance_in_service_and_in_a_stop(arm: lp.Robot, swing: lp.Motion) -> None:
    """Force and moment are weight less the rate of momentum, by differences of centers of mass in time."""
    stop = arm.stop(swing, at=0.5, brakes={"joint1": 60.0, "joint2": 20.0})
    found = arm.foundation_loads(swing, stops=stop)
    assert found.cases == ("service", "stop")
    for case, motion in (("service", swing), ("stop", stop.motion)):
        t = motion.t
        momentum = _momentum(arm, motion)
        total = np.trapezoid(found.wrenches[case], t, axis=0)
        weight = np.trapezoid(_weight(arm, motion), t, axis=0)
        np.testing.assert_allclose(total, weight - (momentum[-1] - momentum[0]), rtol=2e-3, atol=2e-2)


def _bodies(arm: lp.Robot, motion: lp.Motion):
    poses, moving = np.asarray(arm.link_poses(motion.q)), arm.link_velocities(motion.q, motion.qd)
    for k, link in enumerate(arm.links):
        if not link.inertia.mass:
            continue
        R = poses[:, k, :3, :3]
        arm_of = R @ np.asarray(link.inertia.center_of_mass)
        velocity = moving.linear[:, k] + np.cross(moving.angular[:, k], arm_of)
        yield (link.inertia.mass, poses[:, k, :3, 3] + arm_of, velocity,
               np.einsum("sij,jk,slk,sl->si", R, np.asarray(link.inertia.tensor), R, moving.angular[:, k]))


def _momentum(arm: lp.Robot, motion: lp.Motion) -> np.ndarray:
    total = np.zeros((len(motion.t), 6))
    for mass, center, velocity, spin in _bodies(arm, motion):
        total[:, :3] += mass * velocity
        total[:, 3:] += np.cross(center, mass * velocity) + spin
    return total


def _weight(arm: lp.Robot, motion: lp.Motion) -> np.ndarray:
    total = np.zeros((len(motion.t), 6))
    for mass, center, _, _ in _bodies(arm, motion):
        force = mass * np.asarray(arm.gravity)
        total[:, :3] += force
        total[:, 3:] += np.cross(center, np.broadcast_to(force, center.shape))
    return total


def test_causes_sum_to_each_value(arm: lp.Robot, swing: lp.Motion) -> None:
    found = arm.foundation_loads(swing, external={"tip": lp.Wrench(force=(3.0, 1.0, -20.0))},
                                 base_acceleration=[0.3, 0.1, 1.0, 0.0, 0.2, 0.0])
    assert len(found) == 12
    for row in found:
        assert sum(row.causes.values()) == pytest.approx(row.value, rel=1e-10, abs=1e-10)
    weight = arm.with_gravity((0, 0, 0)).foundation_loads(swing)["service", "force"].causes["weight"]
    assert weight == 0.0


def test_level_arm_by_hand(arm: lp.Robot) -> None:
    """Two rods of 1 m and 1 kg, level, with 2 kg at the tip: all at rest, at the origin and 0.5 m below it."""
    loaded = arm.with_payload(2.0)
    still = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    found = loaded.foundation_loads(*still, point=(0.0, 0.0, -0.5))
    assert found["service", "vertical_force"].value == pytest.approx(4 * 9.81)
    assert found["service", "tilting_moment"].value == pytest.approx(9.81 * (0.5 + 1.5 + 2 * 2))
    assert found["service", "horizontal_force"].value == pytest.approx(0.0, abs=1e-12)
    pushed = loaded.foundation_loads(*still, point=(0.0, 0.0, -0.5),
                                     external={"payload": lp.Wrench(force=(10.0, 0.0, 0.0))})
    assert pushed["service", "force_x"].value == pytest.approx(10.0)
    # The push at the height of the first joint has an arm of 0.5 m about the point.
    assert pushed["service", "torque_y"].value == pytest.approx(9.81 * 6.0 + 10.0 * 0.5)


def test_spectra_tables_and_wrong_questions(arm: lp.Robot, swing: lp.Motion, tmp_path: Path) -> None:
    both = lp.DutySpectrum([(swing, 0.5), (swing.scaled(speed=2.0), 0.5)], names=["slow", "fast"])
    found = arm.foundation_loads(both)
    assert found.cases == ("slow", "fast")
    assert found.largest("tilting_moment").case == "fast"
    assert len(found.to_csv(tmp_path / "loads.csv").read_text().splitlines()) == 25
    assert found.to_dataframe().shape == (24, 16)
    heavy = next(line for line in found.to_table().splitlines() if "vertical force" in line)
    assert heavy.split()[-1] == "weight"
    assert "mostly" in found.to_table() and "fast" in repr(found) and "<table" in found._repr_html_()
    stop = arm.stop(swing, at=0.5, brakes={"joint1": 60.0, "joint2": 20.0})
    with pytest.raises(ValueError, match="two cases are called 'fast'"):
        arm.foundation_loads(both, stops={"fast": stop})
    with pytest.raises(ValueError, match=r"expected what robot.stop\(...\) gives"):
        arm.foundation_loads(swing, stops=[swing])
    with pytest.raises(ValueError, match="which has other joints"):
        lp.catalog.panda().foundation_loads(lp.Motion.swing(lp.catalog.panda()), stops=[stop])
    with pytest.raises(ValueError, match="there are no states"):
        arm.foundation_loads(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2)))
    with pytest.raises(ValueError, match="there is no quantity 'weight'"):
        found.largest("weight")
    with pytest.raises(ValueError, match="not numbers"):
        arm.foundation_loads([np.nan, 0.0], [0.0, 0.0], [0.0, 0.0])


def test_robots_with_loops_and_on_wheels() -> None:
    bar = lp.catalog.four_bar()
    swing = lp.Motion.swing(bar, 11)
    found = bar.foundation_loads(swing)
    base = bar.base_wrench(swing.q, swing.qd, swing.qdd)
    np.testing.assert_allclose(found.wrenches["service"][:, :3], -np.asarray(base.force), atol=1e-10)
    rover = lp.catalog.lau_rover()
    with pytest.raises(lp.ModelError, match="a base on wheels has no foundation"):
        rover.foundation_loads([0.0, 0.0, 1.0], [0.0] * 3, [0.0] * 3)


def test_gears_that_ring_load_the_foundation_as_much_as_their_links() -> None:
    """A brake of 20 N m on a rotor of 0.3 J gives the link 20 / 1.3 through a stiff gear, twice that through a soft
    one; and so does the foundation, about the axis.
    """
    rod = lp.Robot("rod", (lp.Link("base"), lp.Link("rod", lp.Inertia.from_moments(1.0, iyy=0.5, izz=0.5))),
                   (lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),), gravity=(0, 0, 0))
    gear, brake = lp.StrainWaveGear(ratio=100, stiffness=1e4), lp.Brake(holding_torque=0.2, response_time=0.01)
    robot = rod.with_drives({"turn": lp.Drive(ratio=100, rotor_inertia=0.15e-4)}).with_parts({"turn": [gear, brake]})
    turns = lp.Motion([0.0, 1.0], [[0.0], [2.0]], [[2.0], [2.0]], [[0.0], [0.0]])
    stops = {name: robot.stop(turns, at=0.5, elastic=name == "soft") for name in ("soft", "stiff")}
    found = robot.foundation_loads(turns, stops=stops)
    assert np.isclose(abs(found["stiff", "torque_z"].value), 20 / 1.3, rtol=1e-9)
    assert np.isclose(abs(found["soft", "torque_z"].value), 2 * 20 / 1.3, rtol=1e-3)
