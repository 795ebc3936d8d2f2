"""Margins in joules and radians: against the mass center turned about edges in steps, and tilt by bisection."""

from __future__ import annotations

import numpy as np
import pytest
from rovers import motions, random_base

import loadpath as lp


def turned_over(center, start, along, gravity, mass):
    """Work over an edge by turning the mass center about it in small steps, and refining the highest of them."""

    def potential(angle):
        x, y = along
        axis, arm = np.array([x, y, 0.0]), center - np.array([*start, 0.0])
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        at = arm * c + np.cross(axis, arm) * s + axis * (axis @ arm) * (1 - c)
        return -mass * at @ gravity

    low, high = 0.0, np.pi
    for _ in range(12):
        angles = np.linspace(low, high, 201)
        top = int(potential(angles).argmax())
        low, high = angles[max(top - 1, 0)], angles[min(top + 1, 200)]
    return float(potential(np.array([(low + high) / 2]))[0] - potential(np.zeros(1))[0])


@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_energy_by_turning_the_mass_center(slope):
    for seed in range(4):
        rover = random_base(seed).carrying(lp.catalog.two_link(), at=(0.1, 0, 0.3)).on(lp.Ground(slope=slope))
        q, heading = np.array([0.4, -0.8 + 0.3 * seed]), 0.7 * seed
        standing = rover.stability(q, heading=heading)
        mass = sum(link.inertia.mass for link in rover.robot.links)
        center, gravity = rover.mass_center(q), rover.ground.gravity_in_base(heading)
        points = dict(zip(rover.contact_names, rover.wheel_loads(q, heading=heading).points, strict=True))
        for k, (first, second) in enumerate(standing.edges):
            if not np.isfinite(standing.edge_energies[k]) or standing.edge_moments[k] < 0:
                continue
            step = points[second] - points[first]
            expected = turned_over(center, points[first], step / np.linalg.norm(step), gravity, mass)
            assert standing.edge_energies[k] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert standing.energy_margin == np.min(standing.edge_energies)
        assert set(standing.energy_edge) == set(standing.edges[int(np.argmin(standing.edge_energies))])


def test_tilt_margin_by_bisection_of_gravity():
    """A table that tilts about each edge in turn, until a point mass on it goes over; the base may move on it."""
    at = np.array([0.05, 0.02, 0.5])
    cart = lp.WheeledBase(mass=80, center_of_mass=at, wheels=[
        lp.FixedWheel((0.4, 0.3), 0.1), lp.FixedWheel((-0.4, 0.3), 0.1), lp.FixedWheel((-0.3, -0.35), 0.1),
        lp.FixedWheel((0.4, -0.3), 0.1)]).carrying()
    w, turning = 0.5, 0.3
    moved = np.array([0.8 - turning * at[1] - w * w * at[0], 0.4 + w * 1.0 + turning * at[0] - w * w * at[1], 0.0])
    for motion, a in (({}, np.zeros(3)), ({"acceleration": (0.8, 0.4, turning), "velocity": (1.0, 0.0, w)}, moved)):
        standing = cart.stability(**motion)
        for k in range(len(standing.edges)):
            x, y = cart.edges.along[k]
            arm = at - np.array([*cart.edges.start[k], 0.0])
            low, high = 0.0, 1.5
            for _ in range(60):
                tilt = (low + high) / 2
                gravity = 9.81 * np.array([y * np.sin(tilt), -x * np.sin(tilt), -np.cos(tilt)])  # outwards
                over = np.array([x, y, 0.0]) @ np.cross(arm, gravity - a) > 0
                low, high = (low, tilt) if over else (tilt, high)
            assert standing.edge_tilts[k] == pytest.approx(low, abs=1e-12)
        if not motion:
            np.testing.assert_allclose(standing.edge_tilts, standing.edge_angles, rtol=1e-12)
    slope = float(standing.tilt_margin)  # of the moving one, by the library's own slope
    x, y = cart.edges.along[int(standing.edge_tilts.argmin())]
    for tilt, tips in ((slope - 1e-7, False), (slope + 1e-7, True)):
        tilted = cart.on(lp.Ground(slope=tilt)).stability(heading=-np.arctan2(x, -y), **motion)
        assert bool(tilted.tips_over) == tips


def test_on_a_slope_the_rest_of_the_tilt_is_left():
    cart = box(0.6)
    whole = cart.stability().tilt_margin
    ramp = cart.on(lp.Ground(slope=0.2)).stability(heading=np.array([0.0, np.pi]))
    np.testing.assert_allclose(ramp.tilt_margin, whole - 0.2, rtol=1e-12)


def box(height, half=0.5, mass=100.0):
    feet = [lp.Support((x, y), name=f"{x},{y}") for x, y in
            ((half, half), (-half, half), (-half, -half), (half, -half))]
    return lp.WheeledBase(mass=mass, center_of_mass=(0, 0, height), wheels=feet).carrying()


def test_kinetic_energy_counts_towards_the_edge_only():
    cart = box(0.8)
    over = 100 * 9.81 * (np.hypot(0.5, 0.8) - 0.8)
    moving = cart.stability(velocity=(1.0, 0.0))
    by_edge = {frozenset(edge): energy for edge, energy in zip(moving.edges, moving.edge_energies, strict=True)}
    front = frozenset(("0.5,0.5", "0.5,-0.5"))
    assert by_edge.pop(front) == pytest.approx(over - 50.0)
    np.testing.assert_allclose(list(by_edge.values()), over, rtol=1e-12)
    assert frozenset(moving.energy_edge) == front
    critical = np.sqrt(2 * over / 100)
    assert cart.stability(velocity=(critical * np.array([0.999, 1.001]), 0.0)).falls.tolist() == [False, True]
    # It tips while it brakes so, and rocks: one says that contacts lift, the other that it comes back.
    braking = cart.stability(velocity=(1.0, 0.0), acceleration=(-7.0, 0.0))
    assert braking.tips_over and not braking.falls


def test_kinetic_energy_and_momenta_of_arms_by_links():
    rover = lp.catalog.lau_rover(driven=True)
    q, qd, _, speed, _ = motions(rover, 5, 3)
    velocity = speed[:, [0, 2]]
    standing = rover.stability(q, qd, velocity=velocity)
    motion = standing._motion
    moving = rover.robot.link_velocities(q, qd, base_velocity=np.stack(
        [velocity[:, 0], *np.zeros((4, 5)), velocity[:, 1]], axis=-1))
    poses = rover.robot.link_poses(q)
    energy, linear, angular = np.zeros(5), np.zeros((5, 3)), np.zeros((5, 3))
    for k, link in enumerate(rover.robot.links):
        R, inertia = poses[:, k, :3, :3], link.inertia
        arm = R @ np.array(inertia.center_of_mass)
        v = moving.linear[:, k] + np.cross(moving.angular[:, k], arm)
        spin = np.einsum("sij,jk,slk,sl->si", R, np.array(inertia.tensor), R, moving.angular[:, k])
        energy += 0.5 * inertia.mass * (v**2).sum(-1) + 0.5 * (moving.angular[:, k] * spin).sum(-1)
        linear += inertia.mass * v
        angular += np.cross(poses[:, k, :3, 3] + arm, inertia.mass * v) + spin
    for mine, theirs in zip(motion, (energy, linear, angular), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


def test_what_a_motion_carries_counts_as_a_payload_does():
    rover = lp.catalog.lau_rover()
    motion = lp.Motion.through(rover.robot, [[0, 0, 0.2], [0.6, 0.3, 0.5]], times=[0.0, 1.0])
    carried = motion.with_loads([lp.Carried(2.0, link="rod", center_of_mass=(0.1, 0, 0.2))])
    loaded = rover.with_payload(2.0, (0.1, 0, 0.2), link="rod")
    one, other = rover.stability(carried, velocity=(0.4, 0.2)), loaded.stability(
        motion.q, motion.qd, motion.qdd, velocity=(0.4, 0.2))
    for name in ("energy_margin", "tilt_margin", "margin"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-9)


def test_casters_that_swivel_move_the_edges_of_joules_too():
    rover = lp.WheeledBase(mass=50, center_of_mass=(0.1, 0, 0.4), wheels=[
        lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1), lp.CasterWheel((0.5, 0.2), 0.05, trail=0.1),
        lp.CasterWheel((0.5, -0.2), 0.05, trail=0.1)]).carrying()
    velocity = np.array([[0.5, 0.0], [0.0, 0.5], [-0.5, 0.2]])
    many = rover.stability(velocity=velocity)
    each = [rover.stability(velocity=row) for row in velocity]
    for name in ("energy_margin", "tilt_margin"):
        np.testing.assert_allclose(getattr(many, name), [getattr(one, name) for one in each], rtol=1e-12)
    assert [set(pair) for pair in many.energy_edge] == [set(one.energy_edge) for one in each]


def test_unknown_states_and_states_off_the_ground():
    rover = lp.catalog.lau_rover()
    with pytest.warns(lp.ModelWarning):
        found = rover.stability([[0, 0, 0.5], [np.nan, 0, 0.5]])
    assert np.isnan(found.energy_margin[1]) and np.isnan(found.tilt_margin[1]) and found.falls.tolist() == [False, True]
    assert found.energy_edge[1].tolist() == ["", ""]
    up = {"rover": lp.Wrench((0, 0, 500.0), (0, 0, 0))}
    lifted = rover.stability([0, 0, 0.5], external=up)
    assert lifted.margin == lifted.energy_margin == lifted.tilt_margin == -np.inf and lifted.falls
    afloat = rover.on(lp.Ground(gravity=0.0)).stability([0, 0, 0.5])
    assert not afloat.energy_margin > 0


def test_a_hundred_thousand_states():
    rover = lp.catalog.lau_rover()
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-0.5, 0.5, (100_000, 3)), rng.uniform(-1, 1, (100_000, 3))
    many = rover.stability(q, qd, velocity=(0.5, 0.1))
    few = rover.stability(q[:50], qd[:50], velocity=(0.5, 0.1))
    np.testing.assert_allclose(many.energy_margin[:50], few.energy_margin, rtol=1e-10)
    np.testing.assert_allclose(many.tilt_margin[:50], few.tilt_margin, rtol=1e-10)
    assert many.falls.shape == (100_000,)
