"""Tipping and slipping: margins by hand, the largest payload and acceleration, the force-angle measure."""

from __future__ import annotations

import numpy as np
import pytest
from rovers import motions, random_base

import loadpath as lp


@pytest.fixture(scope="module")
def rover():
    return lp.catalog.lau_rover()


def box(height, half=0.5, mass=100.0):
    corners = ((half, half), (-half, half), (-half, -half), (half, -half))
    feet = [lp.Support((x, y), name=f"{x},{y}") for x, y in corners]
    return lp.WheeledBase(mass=mass, center_of_mass=(0, 0, height), wheels=feet).carrying()


def test_margin_is_where_normals_vanish(rover):
    q, qd, qdd, speed, change = motions(rover, 200, 1)
    motion = {"velocity": 0.3 * speed[:, [0, 2]], "acceleration": change[:, [0, 2]]}
    standing = rover.stability(q, qd, 5 * qdd, **motion)
    loads = rover.wheel_loads(q, qd, 5 * qdd, **motion)
    np.testing.assert_array_equal(standing.tips_over, loads.normal.min(axis=-1) < 0)
    assert 0 < standing.tips_over.sum() < 200
    # The edge moment is the opposite wheel's normal force times its distance from the edge.
    far = {frozenset(("wheel2", "wheel3")): (0, 0.6)}
    slant = 2 * 0.3 * 0.6 / np.hypot(0.6, 0.3)
    far |= {frozenset(("wheel1", "wheel2")): (2, slant), frozenset(("wheel1", "wheel3")): (1, slant)}
    for k, edge in enumerate(standing.edges):
        contact, distance = far[frozenset(edge)]
        np.testing.assert_allclose(standing.edge_moments[:, k], loads.normal[:, contact] * distance, atol=1e-9)
    assert standing.edge.shape == (200, 2)
    assert (standing.edge_moments.argmin(axis=-1) == standing.edge_number).all()


def test_zero_moment_point_by_hand():
    """A box that accelerates: the point moves back by a h/g; it tips at a = g half / h."""
    crate = box(0.8)
    moving = crate.stability([], acceleration=(2.0, 0.0))
    np.testing.assert_allclose(moving.zero_moment_point, [-2.0 * 0.8 / 9.81, 0], atol=1e-12)
    assert moving.margin == pytest.approx(0.5 - 2.0 * 0.8 / 9.81)
    assert set(moving.edge) == {"-0.5,0.5", "-0.5,-0.5"}
    most = crate.largest_acceleration([], direction=(1.0, 0.0))
    assert most == pytest.approx(9.81 * 0.5 / 0.8, rel=1e-12)
    assert crate.stability([], acceleration=(float(most) * 1.001, 0.0)).tips_over
    # In a curve, v w does the same sideways.
    assert crate.stability([], velocity=(2.0, 1.0)).zero_moment_point[1] == pytest.approx(-2.0 * 0.8 / 9.81)


def test_force_angle_by_hand():
    """At rest: theta = atan(half/height), the moment m g half; a low mass center has the larger measure."""
    for height in (0.2, 0.8):
        still = box(height).stability([])
        theta = np.arctan2(0.5, height)
        assert still.angle == pytest.approx(theta, rel=1e-12)
        assert still.force_angle == pytest.approx(theta * 100 * 9.81 * 0.5, rel=1e-12)
    assert box(0.2).stability([]).force_angle > box(0.8).stability([]).force_angle
    assert box(0.8).stability([], acceleration=(8.0, 0.0)).force_angle < 0


def papadopoulos_rey(points, center, force, moment):
    """The measure as the paper builds it: axes a, normals l, the force with the moment in it, angle, distance."""
    least = np.inf
    for i in range(len(points)):
        a = points[(i + 1) % len(points)] - points[i]
        a = a / np.linalg.norm(a)
        across = np.eye(3) - np.outer(a, a)
        l = across @ (points[(i + 1) % len(points)] - center)  # noqa: E741
        f = across @ force
        f = f + np.cross(l / np.linalg.norm(l), a * (a @ moment)) / np.linalg.norm(l)
        unit = f / np.linalg.norm(f)
        d = -l + (l @ unit) * unit
        sign = 1.0 if np.cross(l / np.linalg.norm(l), unit) @ a < 0 else -1.0
        theta = sign * np.arccos(np.clip(unit @ l / np.linalg.norm(l), -1, 1))
        least = min(least, theta * np.linalg.norm(d) * np.linalg.norm(f))
    return least


def test_force_angle_as_the_paper_builds_it():
    """On random rovers and motions, with the moment of the arm; the corners go clockwise there."""
    arm = lp.catalog.random_chain(3, 2)
    rover = random_base(4, 5, kinds=("fixed", "caster", "support")).carrying(arm, at=(0.1, 0, 0.4))
    q, qd, qdd, speed, change = motions(rover, 30, 2)
    standing = rover.stability(q, qd, 3 * qdd, velocity=speed, acceleration=change)
    wrench = rover.ground_wrench(q, qd, 3 * qdd, velocity=speed, acceleration=change)
    corners = np.column_stack([standing.support_polygon[::-1], np.zeros(len(standing.support_polygon))])
    for k, center in enumerate(rover.mass_center(q)):
        moment = -(wrench.torque[k] - np.cross(center, wrench.force[k]))
        expected = papadopoulos_rey(corners, center, -wrench.force[k], moment)
        assert standing.force_angle[k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_largest_payload(rover):
    q = np.random.default_rng(3).uniform(-1, 1, (20, 3))
    most = rover.largest_payload(q, 0.1 * q, link="rod", center_of_mass=(0.1, 0, 0))
    finite = np.flatnonzero(np.isfinite(most))
    assert len(finite) > 5
    for k in finite[:3]:
        loaded = rover.with_payload(most[k], (0.1, 0, 0), link="rod")
        assert loaded.stability(q[k], 0.1 * q[k]).margin == pytest.approx(0.0, abs=1e-9)
    # Over the support, no mass tips it.
    assert box(0.3).largest_payload([], link="rover") == np.inf
    assert box(0.3).largest_payload([], link="rover", center_of_mass=(1.0, 0, 0)) == pytest.approx(100.0)
    tipped = box(0.3).largest_payload([], acceleration=(30.0, 0.0), link="rover")
    assert tipped == 0.0


def test_largest_acceleration_of_joints(rover):
    q = [0.4, 0.2, 0.6]
    most = rover.largest_acceleration(q, joints=[0.0, 1.0, 0.0])
    assert rover.stability(q, None, [0.0, float(most), 0.0]).margin == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(ValueError, match=r"either direction=.* or joints="):
        rover.largest_acceleration(q)


def test_slip_of_a_braking_cart():
    """Friction circle: braking and curve together, and the share of each wheel by hand on a symmetric cart."""
    cart = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 1e-9), friction=lp.WheelFriction(0.5, 0.7), wheels=[
        lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]).carrying()
    used = cart.slip([], velocity=(1.0, 0.0), acceleration=(-4.0, 0.0))
    np.testing.assert_allclose(used.used, 50 * 4 / 4, rtol=1e-9)
    np.testing.assert_allclose(used.ratio, 4 / 9.81 / 0.7, rtol=1e-6)
    assert not used.slips.any()
    assert cart.slip([], velocity=(1.0, 0.0), acceleration=(-7.0, 0.0)).slips.all()
    # Turning, four fixed wheels scrub: sliding friction is what is left.
    turning = cart.slip([], velocity=(1.0, 0.5))
    assert turning.sliding.all()
    np.testing.assert_allclose(turning.available, 0.5 * 50 * 9.81 / 4, rtol=1e-6)
    assert used.worst in cart.contact_names
    assert cart.slip(np.zeros((3, 0)), velocity=(1.0, 0.0)).worst.shape == (3,)


def test_casters_that_trail_move_the_polygon():
    """A caster swung outwards widens the support, swung inwards it narrows it."""
    wheels = [lp.CasterWheel((0.5, 0), 0.1, trail=0.1), lp.FixedWheel((0, 0.3), 0.1), lp.FixedWheel((0, -0.3), 0.1)]
    cart = lp.WheeledBase(mass=20, center_of_mass=(0.2, 0, 0.3), wheels=wheels).carrying()
    loads = cart.wheel_loads([], steering=[[0.0], [np.pi], [np.pi / 2]])
    np.testing.assert_allclose(loads.points[:, 0], [(0.4, 0), (0.6, 0), (0.5, -0.1)], atol=1e-12)
    np.testing.assert_allclose(loads.normal[:, 0], 20 * 9.81 * 0.2 / np.array([0.4, 0.6, 0.5]), rtol=1e-12)
    margins = cart.stability([], steering=[[0.0], [np.pi], [np.pi / 2]]).margin
    assert margins[1] > margins[0]
    # Moving forward it trails behind.
    np.testing.assert_allclose(cart.wheel_loads([], velocity=(1.0, 0.0)).points[0], (0.4, 0), atol=1e-12)
    four = lp.WheeledBase(mass=20, center_of_mass=(0.2, 0, 0.3), wheels=[*wheels, lp.Support((0.45, 0.28))]).carrying()
    loads = four.wheel_loads([], steering=[[0.0], [np.pi / 2]])
    assert (loads.normal >= 0).all() and not loads.tips_over.any()
    np.testing.assert_allclose(loads.normal.sum(axis=-1), 20 * 9.81)


def test_three_wheels_in_a_row_make_an_edge_also_where_casters_swivel():
    """Margins of many states, over all pairs of contacts, are those of one state, over the hull."""
    places = [(0.4, 0.3), (0.0, 0.3), (-0.4, 0.3), (0.4, -0.3), (-0.4, -0.3)]
    wheels = [*(lp.FixedWheel(p, 0.1) for p in places), lp.CasterWheel((0.0, 0.0), 0.05, trail=0.05)]
    cart = lp.WheeledBase(mass=20, center_of_mass=(0.02, 0.1, 0.3), inertia=np.eye(3), wheels=wheels).carrying()
    speeds = np.array([(0.5, 0.0, 0.0), (0.0, 0.2, 0.4), (-0.3, 0.1, 0.2)])
    many = cart.stability(np.zeros((3, 0)), velocity=speeds)
    for k, velocity in enumerate(speeds):
        one = cart.stability([], velocity=velocity)
        assert many.margin[k] == pytest.approx(float(one.margin), rel=1e-12)
        assert many.force_angle[k] == pytest.approx(float(one.force_angle), rel=1e-12)
