"""What tips a rover with wheels on links, in joules, degrees and as limits: by hand, and against one rigid body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer
from numpy.testing import assert_allclose
from scipy.optimize import fsolve

import loadpath as lp

G = 9.81


@pytest.fixture(scope="module")
def truck():
    return with_trailer(pitch=True)


def as_one_body(linked):
    """The tractor with its trailer as one body, all wheels on it."""
    center = (800 * np.array([1.2, 0, 0.5]) + 300 * np.array([-3.4, 0, 0.7])) / 1100
    wheels = [replace(wheel, link=None, position=(wheel.position[0] - 0.8, wheel.position[1])) if wheel.link else wheel
              for wheel in linked.base.wheels]
    return lp.WheeledBase(mass=1100, center_of_mass=tuple(center), wheels=wheels, inertia=np.eye(3) * 900,
                          friction=linked.base.friction).carrying()


def test_a_locked_hitch_is_one_rigid_body() -> None:
    hitch = trailer().with_drives({"yaw": lp.Drive(brake=1e3)})
    locked = tractor(axle()).carrying(hitch, at=(-0.8, 0, 0.4))
    body, q = as_one_body(locked), [0.0]
    moving = {"velocity": (1.0, 0.0), "acceleration": (-0.5, 0.0)}
    for slope, given in ((0.0, {}), (0.0, moving), (0.12, {"heading": 0.7})):
        ground = lp.Ground(slope=slope)
        one, other = locked.on(ground).stability(q, **given), body.on(ground).stability(**given)
        for name in ("margin", "energy_margin", "tilt_margin", "falls"):
            assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-10, err_msg=name)
    facing = np.linspace(0, 2 * np.pi, 5)
    for slipping in (True, False):
        maps = [rover.largest_slope(*arms, heading=facing, slipping=slipping) for rover, arms in
                ((locked, (q,)), (body, ()))]
        assert_allclose(maps[0].value, maps[1].value, rtol=1e-7)
        assert maps[0].limit.tolist() == maps[1].limit.tolist()
    fast = [rover.largest_speed(*arms, radius=[8.0, -20.0], slipping=False).value for rover, arms in
            ((locked, (q,)), (body, ()))]
    assert_allclose(*fast, rtol=1e-9)
    at = {"center_of_mass": (4.0, 1.0, 1.0), "link": "rover"}
    assert_allclose(locked.largest_payload(q, **at), body.largest_payload(**at), rtol=1e-9)
    assert_allclose(locked.largest_acceleration(q, direction=(0, 1, 0)), body.largest_acceleration(direction=(0, 1, 0)),
                    rtol=1e-9)
    assert_allclose([row.limit for row in locked.standards.rollover_threshold(q)],
                    [row.limit for row in body.standards.rollover_threshold()], rtol=1e-9)
    corners, others = (rover.stability(*arms).support_polygon for rover, arms in ((locked, (q,)), (body, ())))
    assert sorted(map(tuple, corners.round(9).tolist())) == sorted(map(tuple, others.round(9).tolist()))


def test_work_that_turns_a_trailer_over(truck) -> None:
    """Sideways tractor and trailer turn as one body; about its hitch the trailer swings up by itself."""
    standing = truck.stability([0.0, 0.0])
    assert_allclose(standing.energy_margin, as_one_body(truck).stability().energy_margin, rtol=1e-9)
    work = dict(zip(standing.edges, standing.over_edges[0], strict=True))
    # 300 kg, 2.6 m behind the hitch and 0.3 m above it.
    assert_allclose(work["rl", "rr", "fl"], 300 * G * (np.hypot(2.6, 0.3) - 0.3), rtol=1e-9)
    assert np.isinf(dict(zip(standing.edges, standing.edge_tilts, strict=True))["rl", "rr", "fl"])  # the base stays


def test_work_through_a_linkage_is_the_barrier_of_its_potential() -> None:
    """The left middle wheel goes up, the pivot of its bogie over the rear one; by solving for where the other five
    contacts are on the ground, the wheel being raised step by step.
    """
    rover = rocker_bogie(link_mass=2.0)
    standing = rover.stability([0, 0, 0])
    work = {(set(rover.contact_names) - set(edge)).pop(): w for edge, w in
            zip(standing.edges, standing.over_edges[0], strict=True)}
    links = [rover.robot.link_names.index(wheel.link) for wheel in rover.base.wheels]
    home = rover.robot.link_poses([0, 0, 0])[links]
    at = [np.linalg.inv(pose)[:3] @ (*(pose[:3, 3] * (1, 1, 0) + (*wheel.position, 0)), 1)
          for pose, wheel in zip(home, rover.base.wheels, strict=True)]

    def down(x):
        """Third row of the base's rotation, and heights of all contacts: pitch after roll."""
        row = np.array([-np.sin(x[1]) * np.cos(x[2]), np.sin(x[2]), np.cos(x[1]) * np.cos(x[2])])
        poses = rover.robot.link_poses(x[3:])[links]
        return row, np.array([x[0] + row @ (pose[:3, :3] @ p + pose[:3, 3]) for pose, p in zip(poses, at, strict=True)])

    middle, x, values = rover.contact_names.index("left middle"), np.zeros(6), []
    for rise in np.linspace(0.0, 0.42, 43):
        x = fsolve(lambda y, rise=rise: down(y)[1] - rise * np.eye(6)[middle], x, xtol=1e-12)
        values.append(48 * G * (x[0] + down(x)[0] @ np.asarray(rover.mass_center(x[3:]))))
    top = int(np.argmax(values))
    assert 0 < top < 42
    a, b, c = np.polyfit([-1, 0, 1], values[top - 1 : top + 2], 2)
    assert_allclose(work["left middle"], c - b * b / (4 * a) - values[0], rtol=1e-5)
    assert_allclose(work["left middle"], work["right middle"], rtol=1e-9)
    assert standing.energy_margin == min(standing.over_edges[0])


def test_tilts_are_where_moments_vanish() -> None:
    rover = rocker_bogie(link_mass=2.0, friction=lp.WheelFriction(4.9))
    standing = rover.stability([0, 0, 0])
    k = int(np.argmin(standing.edge_tilts))
    x, y = standing.state.linked.rows(slice(None), (), 1).tipping.motion[0, k, 1:3]
    steep = rover.on(lp.Ground(slope=float(standing.tilt_margin)))
    heading = np.arctan2(-x, -y)  # the edge is downhill
    assert abs(steep.stability([0, 0, 0], heading=heading).edge_moments[k]) < 1e-9 * 48 * G
    assert_allclose(rover.largest_slope([0, 0, 0], heading=heading, slipping=False).value, standing.tilt_margin,
                    rtol=1e-9)


def test_payload_behind_the_axle_of_a_trailer(truck) -> None:
    """1 m behind it, it lifts the hitch with a third of its weight, until nothing is left on the tractor's rear axle:
    300 kg 0.4 m / 3 m at the hitch less m / 3, times 3.3 m from the front axle, against 800 kg 1.3 m.
    """
    found = truck.largest_payload([0, 0], link="trailer", center_of_mass=(-4.0, 0, 0.3), limits=True)
    assert_allclose(found.value, 3 * (800 * 1.3 / 3.3 + 40), rtol=1e-9)
    assert found.limit == "tipping"
    assert str(found.where).startswith("fl to fr")
    plain = truck.largest_payload([0, 0], link="trailer", center_of_mass=(-4.0, 0, 0.3))
    loaded = truck.with_payload(float(plain), (-4.0, 0, 0.3), link="trailer")
    assert abs(loaded.stability([0, 0]).margin) < 1e-9
    assert_allclose(loaded.wheel_loads([0, 0]).normal[:2], 0, atol=1e-6)


def test_a_trailer_jackknifed_moves_the_limits() -> None:
    grips = tractor(axle(), friction=lp.WheelFriction(4.9)).carrying(trailer(pitch=True), at=(-0.8, 0, 0.4))
    q = np.array([[0.0, 0.0], [0.6, 0.0]])
    speeds = grips.largest_speed(q[:, None], radius=[15.0, -15.0], slipping=False).value
    assert_allclose(speeds[0, 0], speeds[0, 1], rtol=1e-9)
    assert abs(speeds[1, 0] - speeds[1, 1]) > 0.1
    for k in (0, 1):
        moments = grips.stability(q[k], velocity=(speeds[k, 0], speeds[k, 0] / 15.0)).edge_moments
        assert abs(moments.min()) < 1e-8 * 1100 * G


def test_falls_counts_what_moves_through_the_linkage(truck) -> None:
    fast = truck.stability([0.0, 0.0], velocity=[(1.0, 0.0), (4.0, 0.0)])
    work, moving, _ = fast.over_edges
    front = [k for k, edge in enumerate(fast.edges) if {"fl", "fr"} <= set(edge) and np.isfinite(work[0, k])
             and fast.edge_tilts[0, k] < np.inf]
    assert_allclose(moving[:, front], np.array([[0.5 * 1100], [0.5 * 1100 * 16]]) * np.ones(len(front)))
    assert fast.falls.tolist() == [False, True]
    side = [k for k, edge in enumerate(fast.edges) if set(edge) == {"rl", "fl", "tl"}]
    assert not moving[:, side].any()
