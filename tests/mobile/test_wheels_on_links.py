"""Loads and margins of wheels on links: by lever arms, by hand moments, and by the work of raising the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from linked import axle, rocker_bogie, tractor, trailer, with_trailer
from numpy.testing import assert_allclose
from scipy.optimize import nnls

import loadpath as lp

G = 9.81


@pytest.fixture(scope="module")
def truck():
    return with_trailer(pitch=True)


@pytest.fixture(scope="module")
def rover():
    return rocker_bogie()


def test_a_trailer_by_hand_moments(truck) -> None:
    """300 kg, 0.4 m ahead of an axle that is 3 m behind the hitch, which is 0.8 m behind the rear axle."""
    loads = truck.wheel_loads([0.0, 0.0])
    hitch, axle = 300 * G * 0.4 / 3, 300 * G * 2.6 / 3
    rear, front = (800 * G * 1.3 + hitch * 3.3) / 2.5, (800 * G * 1.2 - hitch * 0.8) / 2.5
    assert_allclose(loads.normal, np.array([rear, rear, front, front, axle, axle]) / 2, rtol=1e-10)
    assert not loads.tips_over
    assert_allclose(truck.joint_wrenches([0, 0], [0, 0], [0, 0]).force[-1], (0, 0, hitch), atol=1e-6)
    braked = truck.wheel_loads([0.0, 0.0], velocity=(5.0, 0.0), acceleration=(-2.0, 0.0))
    # The trailer pushes its hitch with 600 N, 0.4 m high; its own mass center is 0.3 m above that.
    axle = axle - 300 * 2 * 0.3 / 3
    assert_allclose(braked.normal[4:].sum(), axle, rtol=1e-10)
    hitch = 300 * G - axle
    front = (800 * G * 1.2 - hitch * 0.8 + 800 * 2 * 0.5 + 300 * 2 * 0.4) / 2.5
    assert_allclose(braked.normal[2:4].sum(), front, rtol=1e-10)
    assert_allclose(braked.longitudinal[:2], -1100.0, rtol=1e-10)  # by the driven wheels
    wrench = truck.joint_wrenches([0, 0], [0, 0], [0, 0], velocity=(5.0, 0.0), acceleration=(-2.0, 0.0))
    assert_allclose(wrench.force[-1], (-600, 0, hitch), atol=1e-6)


def test_passive_joints_are_in_balance(truck) -> None:
    rng = np.random.default_rng(1)
    q = np.stack([rng.uniform(-1, 1, 20), np.zeros(20)], axis=-1)
    qd, qdd = (np.stack([rng.normal(size=20), np.zeros(20)], axis=-1) for _ in range(2))
    motion = {"velocity": rng.normal(size=(20, 3)), "acceleration": rng.normal(size=(20, 3)),
              "steering": rng.uniform(-0.3, 0.3, (20, 2))}
    on_slope = truck.on(lp.Ground(slope=0.1))
    for one in (truck, on_slope):
        loads = one.wheel_loads(q, qd, qdd, **motion)
        wrench = one.ground_wrench(q, qd, qdd, **{k: v for k, v in motion.items() if k != "steering"})
        force = loads.force.sum(axis=-2)
        force[:, :2] += loads.unsupplied[:, :2]
        assert_allclose(force, wrench.force, atol=1e-7)
        arms = loads.state.linked.points
        torque = np.cross(arms, loads.force).sum(axis=-2)
        torque[:, 2] += loads.unsupplied[:, 2]
        assert_allclose(torque, wrench.torque, atol=1e-7)
        tau = one.inverse_dynamics(q, qd, qdd, **motion)
        assert_allclose(tau[:, 0], loads.unsupplied[:, 3], atol=1e-7)
        assert_allclose(tau[:, 1], 0.0, atol=1e-7)
        single = one.wheel_loads(q[3], qd[3], qdd[3], **{k: v[3] for k, v in motion.items()})
        assert_allclose(single.normal, loads.normal[3], rtol=1e-12)


def test_a_hitch_that_cannot_nod_makes_one_body(truck) -> None:
    """Trailer and tractor carry as one rigid body on six contacts, the hitch locked or free about the vertical."""
    stiff = with_trailer()
    base = stiff.base
    whole = lp.Inertia(800, (1.2, 0, 0.5)), lp.Inertia(300, (-0.8 - 2.6, 0, 0.7))
    mass, center = 1100, sum(part.mass * np.array(part.center_of_mass) for part in whole) / 1100
    moved = [replace(wheel, link=None, position=(wheel.position[0] - 0.8, wheel.position[1]))
             if wheel.link else wheel for wheel in base.wheels]
    body = lp.WheeledBase(mass=mass, center_of_mass=tuple(center), wheels=moved, friction=base.friction)
    assert_allclose(stiff.wheel_loads([0.0]).normal, body.carrying().wheel_loads().normal, rtol=1e-12)
    assert_allclose(stiff.stability([0.0]).margin, body.carrying().stability().margin, rtol=1e-12)
    driven = tractor(base.wheels[4:]).carrying(trailer().with_drives({"yaw": lp.Drive(brake=1e3)}), at=(-0.8, 0, 0.4))
    assert driven.linkage.names == ()
    assert_allclose(driven.wheel_loads([0.0]).normal, stiff.wheel_loads([0.0]).normal, rtol=1e-12)


def test_a_rocker_bogie_shares_by_its_levers(rover) -> None:
    """A side carries half: the rocker shares 0.4 : 0.5 between front wheel and bogie, the bogie 0.2 : 0.3."""
    side = 40 * G / 2
    front, bogie = side * 0.4 / 0.9, side * 0.5 / 0.9
    expected = [front, bogie * 0.2 / 0.5, bogie * 0.3 / 0.5]
    assert_allclose(rover.wheel_loads([0, 0, 0]).normal, expected * 2, rtol=1e-6)
    heavy = rocker_bogie(link_mass=2.0)
    more, own = 2 * G, heavy.wheel_loads([0, 0, 0]).normal[:3]
    # The rocker's own weight is at its pivot, that of the bogie at its own.
    assert_allclose(own, [front + more * 0.4 / 0.9, (bogie + more * 0.5 / 0.9 + more) * 0.4,
                          (bogie + more * 0.5 / 0.9 + more) * 0.6], rtol=1e-9)
    assert_allclose(heavy.inverse_dynamics([0, 0, 0], [0, 0, 0], [0, 0, 0], acceleration=(1.0, 0.0)), 0, atol=1e-12)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.3, -0.3])
def test_a_rocker_bogie_tips_where_a_differential_lets_it(x: float) -> None:
    """With S = F (1/2 + y/w) on a side and F x / 2 about each pivot: 0.4 S + F x / 2 > 0 and 0.5 S - F x / 2 > 0."""
    standing = rocker_bogie(center=(x, 0, 0.6)).stability([0, 0, 0])
    lines = [(0.4 * 0.5 + x / 2) / np.hypot(0.4, 0.5), (0.5 * 0.5 - x / 2) / np.hypot(0.5, 0.5)]
    assert_allclose(standing.margin, min(lines), rtol=1e-6)
    assert len(standing.edge) == 5
    assert not standing.tips_over


def test_margins_are_where_loads_vanish(rover) -> None:
    for side in (0.0, 0.3, 0.49):
        moved = rocker_bogie(center=(0.1, side, 0.6))
        loads, standing = moved.wheel_loads([0, 0, 0]), moved.stability([0, 0, 0])
        assert bool(standing.tips_over) == bool((loads.normal < 0).any()) == bool(loads.tips_over)
    brakes = np.linspace(0, 8, 9)
    loads = rover.wheel_loads([0, 0, 0], acceleration=(-brakes, 0.0))
    standing = rover.stability([0, 0, 0], acceleration=(-brakes, 0.0))
    assert ((loads.normal < -1e-9).any(axis=-1) == standing.tips_over).all()
    assert standing.tips_over.any()
    assert not standing.tips_over.all()


def test_a_differential_may_be_a_coupling(rover) -> None:
    free = replace(rover.on_fixed_base, joints=tuple(replace(j, mimic=None) for j in rover.on_fixed_base.joints))
    with pytest.raises(lp.ModelError, match="two rockers need a differential"):
        lp.Rover(rover.base, free).wheel_loads([0, 0, 0, 0])
    names = free.dof_names
    tied = free.with_coupling({"left rocker joint": 1.0, "right rocker joint": 1.0})
    coupled = lp.Rover(rover.base, tied)
    assert sorted(coupled.linkage.names) == sorted(names)
    assert_allclose(coupled.wheel_loads([0, 0, 0, 0]).normal, rover.wheel_loads([0, 0, 0]).normal, rtol=1e-9)
    heights = {"left front": 0.1, "right middle": 0.04}
    own, other = (one.wheel_loads(np.zeros(one.n), heights=heights) for one in (coupled, rover))
    assert_allclose(own.normal, other.normal, rtol=1e-8)


def test_rockers_follow_the_ground(rover) -> None:
    """The body pitches by the mean of both rockers; one wheel higher turns one of them alone."""
    loads = rover.wheel_loads([0, 0, 0], heights={"left front": [0.0, 0.02, 0.1]})
    stance, q = loads.state.stance, loads.state.linked.q
    assert_allclose(stance.gaps, 0, atol=1e-9)
    left, right = stance.pitch + q[:, 0], stance.pitch - q[:, 0]
    assert_allclose(right, 0, atol=2e-4)
    assert_allclose(stance.pitch, (left + right) / 2, atol=1e-15)
    assert_allclose(left, -np.arcsin(np.array([0.0, 0.02, 0.1]) / 0.9), atol=2e-3)
    both = rover.wheel_loads([0, 0, 0], heights={"left front": 0.1, "right front": 0.1})
    assert_allclose(both.state.linked.q[0], 0, atol=1e-12)
    bogie = rover.wheel_loads([0, 0, 0], heights={"right rear": 0.05})
    assert abs(bogie.state.linked.q[2]) > 0.05
    assert abs(bogie.state.stance.pitch) < 0.03


def test_loads_on_uneven_ground_are_the_work_of_raising_it() -> None:
    """N = dV/dh of each wheel, V the potential energy as the rover stands on blocks of the heights h."""
    heavy = rocker_bogie(link_mass=3.0, center=(0.05, 0.04, 0.6))
    h = np.array([0.08, -0.03, 0.02, 0.0, 0.05, -0.06])

    def energy(heights):
        state = heavy.wheel_loads([0, 0, 0], heights=heights).state
        center = np.asarray(heavy.mass_center(state.linked.q))
        high = state.stance.origin[..., 2] + (state.stance.rotation[..., 2, :] * center).sum(axis=-1)
        return 52 * G * high

    step = 1e-4
    blocks = h + step * np.concatenate([np.eye(6), -np.eye(6)])
    by_work = (energy(blocks)[:6] - energy(blocks)[6:]) / (2 * step)
    loads = heavy.wheel_loads([0, 0, 0], heights=h)
    assert_allclose(loads.normal, by_work, rtol=1e-6)
    assert_allclose(loads.normal.sum(), 52 * G, rtol=1e-9)
    standing = heavy.stability([0, 0, 0], heights=h)
    assert 0.1 < standing.margin < 0.35
    slope = rocker_bogie().on(lp.Ground(surface=lp.Ramp(at=-5.0, slope=0.2, length=10.0)))
    tilted = slope.wheel_loads([0, 0, 0])
    assert_allclose(tilted.state.stance.pitch, -0.2, atol=1e-6)
    assert_allclose(tilted.normal, rocker_bogie().on(lp.Ground(slope=0.2)).wheel_loads([0, 0, 0]).normal, rtol=1e-6)


def test_slip_of_wheels_on_links(truck) -> None:
    still = truck.slip([0.4, 0.0], velocity=(2.0, 0.0), steering=[0, 0])
    assert still.sliding[4:].all()  # the trailer stands askew and is dragged straight ahead
    swings = truck.slip([0.4, 0.0], [-(2.0 / 3) * np.sin(0.4), 0.0], velocity=(2.0, 0.0), steering=[0, 0])
    assert not swings.sliding.any()  # theta' = -(v / L) sin theta: it rolls
    assert truck.slip([0.0, 0.0]).ratio.max() < 1e-9


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.wheel_loads([0.0, 0.1]), "contact 'tl' of rover 'rover' is 0.3 m above the ground"),
        (lambda r: r.wheel_loads([0, 0], [0, 1], heights={"tl": 0.1}), "loads are those of a rover at rest"),
        (lambda r: r.gravity_forces([0, 0]), "gravity_forces: fixed wheel 'tl' .* on link 'trailer'"),
        (lambda r: r.equations(), "equations: fixed wheel 'tl'"),
        (lambda r: r.stability([0, 0]).force_angle, "knows wheels on the base only: tilt_margin and energy_margin"),
        (lambda r: r.stability([[0, 0], [0.1, 0]]).support_polygon, "ask for one state at a time"),
        (lambda r: r.standards.kerb([0, 0], height=0.02, speed=1.0), "speed is given, and rover 'rover' has wheels on"),
        (lambda r: r.standards.rollover_threshold([0, 0], lateral_stiffness=1e5), "and its contacts give way"),
    ],
)
def test_what_is_refused(truck, ask, message: str) -> None:
    with pytest.raises((lp.ModelError, ValueError), match=message):
        ask(truck)


def test_a_link_that_does_not_stand_upright() -> None:
    hung = lp.Robot("trailer", (lp.Link("coupling"), lp.Link("trailer", lp.Inertia(10, (0, 0, 0)))),
                    (lp.Joint("yaw", "coupling", "trailer", lp.Revolute((0, 0, 1)),
                              lp.Pose.from_xyz_rpy((0, 0, 0), (0.3, 0, 0))),))
    wheel = lp.FixedWheel((-1, 0), 0.3, link="trailer", name="t")
    with pytest.raises(lp.ModelError, match=r"whose z axis is .* expected \(0, 0, 1\), upright"):
        tractor([wheel]).carrying(hung, at=(-0.8, 0, 0.4)).wheel_loads([0.0])


def test_kinematics_of_a_trailer(truck) -> None:
    theta = np.array([0.4, -0.7])
    q = np.stack([theta, 0 * theta], axis=-1)
    qd = np.stack([-(2.0 / 3) * np.sin(theta), 0 * theta], axis=-1)
    motion = truck.wheel_motion((2.0, 0.0), q=q, qd=qd)
    assert not motion.scrubs.any()
    swing = 0.7 * qd[:, 0]  # the left wheel is on the side to which a trailer turns back
    assert_allclose(motion.rate[:, 4], (2.0 * np.cos(theta) - swing) / 0.3, rtol=1e-12)
    assert_allclose(motion.rate[:, 5], (2.0 * np.cos(theta) + swing) / 0.3, rtol=1e-12)
    assert_allclose(motion.rate[:, :2], 2.0 / 0.3, rtol=1e-12)
    assert truck.wheel_motion((2.0, 0.0), q=q).scrubs.all()
    A = truck.constraint_matrix(q=q)
    assert A.shape == (2, 6, 5)
    assert_allclose((A @ np.concatenate([[[2.0, 0, 0]] * 2, qd], axis=-1)[..., None])[..., 0], 0, atol=1e-12)
    turning = truck.wheel_motion((0.5, 0.2), q=[0.0, 0.0])  # about (0, 2.5); the trailer's axle is 3.8 m behind
    assert_allclose(turning.scrub[4:], -0.2 * 3.8, rtol=1e-12)
    with pytest.raises(ValueError, match="give q=, the coordinates"):
        truck.wheel_motion((1.0, 0.0))
    with pytest.raises(ValueError, match="all wheels of the rover are on its base"):
        lp.catalog.lau_rover().wheel_motion((1.0, 0.0), q=[0, 0, 0])


@pytest.mark.parametrize("x", [0.2, 0.8])
def test_wheels_that_lift_leave_the_others_the_least_energy(x: float) -> None:
    """Of all normal forces in balance, none of them pulling, those with the least sum of squares; and a row without
    numbers spoils no other.
    """
    leans = tractor(axle(), center_of_mass=(x, 0.5, 0.5)).carrying(trailer(pitch=True), at=(-0.8, 0, 0.4))
    with pytest.warns(lp.ModelWarning, match="1 of 4 states is not a number"):
        loads = leans.wheel_loads([[0.0, 0.0], [1.2, 0.0], [-1.2, 0.0], [np.nan, 0.0]])
    assert loads.unknown.tolist() == loads.tips_over.tolist() == [False] * 3 + [True]
    assert loads.lifted[:3].any()
    state = loads.state.rows(slice(None))
    for k in range(3):
        rows = state.linked.hung.normal_rows[k]
        held = rows.T @ loads.normal[k]
        least = nnls(np.concatenate([1e5 * rows.T, np.eye(6)]), np.concatenate([1e5 * held, np.zeros(6)]))[0]
        assert_allclose(loads.normal[k], least, atol=1e-6 * held[0])
        assert_allclose(held[0], 1100 * G, rtol=1e-9)
