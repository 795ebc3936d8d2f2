"""Rovers on decks, trucks, lifts: against hand formulas, free-floating robots and themselves on other grounds."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

Q, QD, QDD = np.array([0.3, 0.2, 0.5]), np.array([1.0, -0.5, 0.2]), np.array([2.0, 1.0, -0.4])
DECK = lp.GroundMotion(
    surge=lp.Sinusoid(0.4, 0.2, 0.3), sway=lp.Sinusoid(0.2, 0.15), heave=lp.Sinusoid(1.5, 0.1, 0.2),
    roll=lp.Sinusoid(0.3, 0.12), pitch=lp.Sinusoid(0.15, 0.17, 0.5), yaw=lp.Sinusoid(0.2, 0.05, 1.1),
    about=(-3.0, 0.5, -2.0),
)


def rover(motion: lp.GroundMotion | None = None, **ground) -> lp.Rover:
    return lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8)).on(lp.Ground(motion=motion, **ground))


def cart(ground: lp.Ground, friction: float = 0.5, height: float = 0.2, inertia: float = 0.0) -> lp.Rover:
    feet = [lp.Support((x, y)) for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    base = lp.WheeledBase(mass=50, center_of_mass=(0, 0, height), wheels=feet, friction=lp.WheelFriction(friction),
                          inertia=inertia * np.eye(3))
    return base.carrying(ground=ground)


def test_a_mass_on_a_moving_deck_by_hand() -> None:
    """F = m (a_P - g), at the mass center, of a point mass: places of it by the rotation, accelerations by differences.
    """
    deck = cart(lp.Ground(motion=DECK))
    position, heading, t, h = np.array([1.5, -0.7]), 0.4, 3.3, 1e-3

    def at(t: float) -> np.ndarray:
        state = DECK.at(t)
        return state.position + state.rotation @ np.array([*position, 0.2])

    # Fourth-order differences of places in the world.
    a = (-at(t + 2 * h) + 16 * at(t + h) - 30 * at(t) + 16 * at(t - h) - at(t - 2 * h)) / (12 * h * h)
    c, s = math.cos(heading), math.sin(heading)
    axes = DECK.at(t).rotation @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    force = axes.T @ (50.0 * (a + np.array([0, 0, 9.81])))
    wrench = deck.ground_wrench(time=t, position=position, heading=heading)
    np.testing.assert_allclose(wrench.force, force, rtol=1e-7)
    np.testing.assert_allclose(wrench.torque, np.cross([0, 0, 0.2], force), atol=1e-6)
    loads = deck.wheel_loads(time=t, position=position, heading=heading)
    np.testing.assert_allclose(loads.force.sum(axis=0), force, rtol=1e-7)


def test_a_rover_on_a_deck_is_a_free_robot_with_that_motion() -> None:
    """The wrench of the ground is the force of the free joint of the floating robot, whose motion is by another path:
    poses on the deck differentiated in time.
    """
    deck = rover(DECK)
    body = deck.robot
    speeds, changes, heading, position, t = (0.5, 0.1, 0.3), (0.2, -0.1, 0.4), 0.7, np.array([1.0, 2.0]), 4.1

    def pose(t_: float) -> np.ndarray:
        """Of the base in the world, near t: along its path on the deck to second order."""
        d = t_ - t
        psi = heading + speeds[2] * d + changes[2] * d * d / 2
        c, s = math.cos(heading), math.sin(heading)
        v = np.array([c * speeds[0] - s * speeds[1], s * speeds[0] + c * speeds[1]])
        own = np.array([changes[0] - speeds[2] * speeds[1], changes[1] + speeds[2] * speeds[0]])
        a = np.array([c * own[0] - s * own[1], s * own[0] + c * own[1]])
        x, y = position + v * d + a * d * d / 2
        on_deck = np.eye(4)
        on_deck[:2, :2] = [[math.cos(psi), -math.sin(psi)], [math.sin(psi), math.cos(psi)]]
        on_deck[:2, 3] = x, y
        state, world = DECK.at(t_), np.eye(4)
        world[:3, :3], world[:3, 3] = state.rotation, state.position
        return world @ on_deck

    h = 1e-3
    five = [pose(t + k * h) for k in (-2, -1, 0, 1, 2)]
    first, second = (sum(w * p for w, p in zip(weights, five, strict=True)) / (12 * h**power) for power, weights in
                     ((1, (1, -8, 0, 8, -1)), (2, (-1, 16, -30, 16, -1))))
    R = five[2][:3, :3]
    spin = R.T @ first[:3, :3]
    spin_rate = R.T @ second[:3, :3] - spin @ spin
    w, alpha = ([m[2, 1], m[0, 2], m[1, 0]] for m in (spin, spin_rate))
    twist = np.concatenate([R.T @ first[:3, 3], w])
    rate = np.concatenate([R.T @ second[:3, 3], alpha])
    gravity = R.T @ [0, 0, -9.81]
    base = {"base_velocity": twist, "base_acceleration": rate}
    still = body.with_gravity(gravity)
    moving = {"velocity": speeds, "acceleration": changes, "heading": heading, "position": position, "time": t}
    np.testing.assert_allclose(deck.inverse_dynamics(Q, QD, QDD, **moving), still.inverse_dynamics(Q, QD, QDD, **base),
                               atol=1e-6)
    joint = deck.joint_wrenches(Q, QD, QDD, **moving)
    alone = still.joint_wrenches(Q, QD, QDD, **base)
    for name in body.joint_names:
        np.testing.assert_allclose(joint[name].torque, alone[name].torque, atol=1e-6)
        np.testing.assert_allclose(joint[name].force, alone[name].force, atol=1e-5)


def test_an_elevator_is_changed_gravity() -> None:
    lift = rover(lp.GroundMotion(heave=lambda t: 0.5 * 2.0 * t * t))
    heavier = rover(gravity=11.81)
    moving = {"velocity": (0.5, 0.2), "acceleration": (1.0, 0.1)}
    for name in ("wheel_loads", "stability", "slip"):
        up, more = (getattr(one, name)(Q, QD, QDD, **moving, **more) for one, more in
                    ((lift, {"time": 1.0}), (heavier, {})))
        number = {"wheel_loads": "normal", "stability": "margin", "slip": "used"}[name]
        np.testing.assert_allclose(getattr(up, number), getattr(more, number), rtol=1e-8)
    np.testing.assert_allclose(lift.joint_wrenches(Q, QD, QDD, **moving, time=1.0).force,
                               heavier.joint_wrenches(Q, QD, QDD, **moving).force, rtol=1e-8)


def test_a_truck_that_brakes_is_a_slope() -> None:
    """Braking by a: gravity is sqrt(g^2 + a^2), and the bed is a slope of atan(a/g), which rises to the rear."""
    a = 3.0
    truck, slope = rover(), rover(slope=math.atan(a / 9.81), gravity=math.hypot(a, 9.81))
    braking = lp.GroundState(acceleration=(-a, 0.0, 0.0))
    for heading in (0.0, 0.6, 2.5):
        there = truck.wheel_loads(Q, QD, QDD, heading=heading, ground_state=braking)
        on_slope = slope.wheel_loads(Q, QD, QDD, heading=heading + math.pi)
        np.testing.assert_allclose(there.normal, on_slope.normal, rtol=1e-12)
        np.testing.assert_allclose(there.force, on_slope.force, atol=1e-11)
        np.testing.assert_allclose(truck.stability(Q, QD, QDD, heading=heading, ground_state=braking).force_angle,
                                   slope.stability(Q, QD, QDD, heading=heading + math.pi).force_angle, rtol=1e-12)


def test_a_constant_velocity_of_the_ground_changes_nothing() -> None:
    belt = rover(lp.GroundMotion(surge=lambda t: (7.0 * t, 7.0, 0.0), heave=3.0))
    np.testing.assert_allclose(belt.wheel_loads(Q, QD, QDD, velocity=(1.0, 0.3), time=5.0).force,
                               rover().wheel_loads(Q, QD, QDD, velocity=(1.0, 0.3)).force, atol=1e-12)


def test_a_turntable_pulls_outwards_and_across() -> None:
    """m r w^2 outwards at rest, and the Coriolis force 2 m w v while it drives along a radius."""
    w, v, r = 0.8, 0.5, 2.0
    table = cart(lp.Ground(), height=0.0)
    turning = lp.GroundState(angular_velocity=(0, 0, w))
    wrench = table.ground_wrench(ground_state=turning, position=(r, 0.0), velocity=(v, 0.0))
    np.testing.assert_allclose(wrench.force, [-50 * r * w * w, 2 * 50 * w * v, 50 * 9.81], atol=1e-12)


def test_causes_sum_to_loads_on_a_deck() -> None:
    deck = rover(DECK)
    moving = {"velocity": (0.5, 0.2), "acceleration": (1.0, 0.1), "time": np.array([1.0, 3.0]), "position": (1.0, 2.0)}
    split = deck.wheel_load_breakdown(Q, QD, QDD, **moving)
    np.testing.assert_allclose(split.total(), deck.wheel_loads(Q, QD, QDD, **moving).normal, atol=1e-11)
    still = deck.wheel_load_breakdown(Q, time=1.0)
    assert abs(still.by_kind("wheel1")["base"]) > 0.1


def test_motions_bring_their_times_and_batches_are_single_states() -> None:
    deck = rover(DECK)
    motion = lp.Motion.through(deck.robot, [Q, Q + 0.4], [0.0, 1.0], rate=10)
    loads = deck.wheel_loads(motion)
    one = deck.wheel_loads(motion.q[4], motion.qd[4], motion.qdd[4], time=motion.t[4])
    np.testing.assert_allclose(loads.normal[4], one.normal, rtol=1e-12)
    np.testing.assert_allclose(deck.inverse_dynamics(motion)[4],
                               deck.inverse_dynamics(motion.q[4], motion.qd[4], motion.qdd[4], time=motion.t[4]),
                               atol=1e-11)
    with pytest.warns(lp.ModelWarning):
        lost = deck.wheel_loads(Q, time=np.array([1.0, np.nan]))
    assert lost.unknown.tolist() == [False, True]


def test_verdicts_and_reports_know_the_deck() -> None:
    wild = lp.GroundMotion(roll=lp.Sinusoid(0.9, 1.0))
    motion = lp.Motion.through(rover().robot, [Q, Q + 0.4], [0.0, 1.0], rate=20)
    tipping = {name: max(row.utilisation for row in one.verdict(motion) if row.check == "tipping over")
               for name, one in (("still", rover()), ("wild", rover(wild)))}
    assert tipping["still"] < 1 < tipping["wild"]


def test_what_is_wrong_is_named() -> None:
    deck = rover(DECK)
    for call, words in (
        (lambda: deck.wheel_loads(Q), "the ground moves: give time="),
        (lambda: deck.joint_wrenches(Q, QD, QDD), "the ground moves: give time="),
        (lambda: deck.wheel_loads(Q, time=0.0, position=(1, 2, 3)), "expected (..., 2)"),
        (lambda: deck.wheel_loads(Q, ground_state=3.0), "expected an lp.GroundState"),
        (lambda: deck.wheel_loads(Q, time="now"), "time is 'now'"),
        (lambda: deck.gravity_forces(Q), "gravity_forces does not know ground with a motion"),
    ):
        with pytest.raises(ValueError) as problem:
            call()
        assert words in str(problem.value)


# In time


def slides_at(ground: lp.Ground, duration: float, **options) -> float | None:
    run = cart(ground, inertia=2.0, **options).simulate(duration=duration)
    return next((event.time for event in run.events if "slip" in event.kind), None)


def test_a_parked_rover_slides_on_a_rolling_deck_when_friction_says_so() -> None:
    """On a deck that rolls about its own origin by A sin(w t) the base at the origin needs mu = |F_t| / F_n. By hand:
    the mass center, h above, has the accelerations h A w^2 sin (along the deck) and h (A w cos)^2 (towards it).
    """
    A, f, h, mu = 0.45, 0.4, 0.2, 0.35
    w = 2 * math.pi * f
    t = np.linspace(0, 0.5 / f, 200_001)
    angle, rate, change = A * np.sin(w * t), A * w * np.cos(w * t), -A * w * w * np.sin(w * t)
    across = 9.81 * np.sin(angle) - h * change  # what friction must give along +y, per kg
    pressed = 9.81 * np.cos(angle) - h * rate**2
    first = t[np.argmax(np.abs(across) > mu * pressed)]
    assert 0.05 < first < 0.5
    deck = lp.Ground(motion=lp.GroundMotion(roll=lp.Sinusoid(A, f)))
    assert slides_at(deck, 1.02 * float(first), friction=mu) == pytest.approx(first, abs=1e-5)
    assert slides_at(deck, 0.3, friction=0.9) is None


def test_energy_of_a_cart_that_slides_on_a_wild_deck_balances() -> None:
    run = cart(lp.Ground(motion=DECK), friction=0.05, inertia=2.0).simulate(duration=1.5, pose=(0.5, 0.2, 0.3))
    assert np.abs(run.velocity).max() > 0.1
    assert run.energy_drift < 1e-6
    np.testing.assert_allclose(run.normal.sum(axis=1),
                               cart(lp.Ground(motion=DECK)).ground_wrench(
                                   velocity=run.velocity, acceleration=run.acceleration, heading=run.pose[:, 2],
                                   position=run.pose[:, :2], time=run.t).force[:, 2], rtol=1e-9)


def test_a_free_body_on_a_smooth_moving_floor_stays_where_it_is() -> None:
    """Without friction, the mass center stays in inertial space, in the plane, whatever the floor does under it: surge,
    sway and yaw. Coriolis and centrifugal forces of the frame are all of what moves it against the floor.
    """
    motion = lp.GroundMotion(surge=lp.Sinusoid(0.3, 0.5), sway=lp.Sinusoid(0.2, 0.4, 0.7), yaw=lp.Sinusoid(0.5, 0.3))
    start, pose = motion.at(0.0), np.array([0.7, -0.2, 0.1])
    v = -(start.velocity_at(pose[:2]))[:2]  # at rest in space
    c, s = math.cos(pose[2]), math.sin(pose[2])
    own = c * v[0] + s * v[1], -s * v[0] + c * v[1], -float(start.angular_velocity[2])
    feet = [lp.Support((x, y)) for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    base = lp.WheeledBase(mass=50, center_of_mass=(0, 0, 0.2), wheels=feet, friction=lp.WheelFriction(0.0),
                          inertia=np.diag([1.0, 2.0, 3.0]))
    run = base.carrying(ground=lp.Ground(motion=motion)).simulate(duration=3.0, pose=pose, velocity=own)
    states = motion.at(run.t)
    places = states.position + np.einsum("kij,kj->ki", states.rotation, np.column_stack([run.pose[:, :2],
                                                                                        np.zeros(len(run.t))]))
    np.testing.assert_allclose(places, np.broadcast_to(places[0], places.shape), atol=1e-7)
    angles = run.pose[:, 2] + np.arctan2(states.rotation[:, 1, 0], states.rotation[:, 0, 0])
    np.testing.assert_allclose(angles, angles[0], atol=1e-7)


def test_the_arm_of_a_simulated_rover_has_the_torques_of_inverse_dynamics() -> None:
    deck = rover(DECK)
    run = deck.simulate(Q, QD, duration=0.3, torque=lambda t, q, qd: -2.0 * qd, pose=(1.0, 0.5, 0.4))
    assert run.energy_drift < 1e-6
    np.testing.assert_allclose(deck.inverse_dynamics(run), run.tau, atol=1e-6)
    np.testing.assert_allclose(deck.robot.inverse_dynamics(run), run.tau, atol=1e-6)
    again = deck.forward_dynamics(run)
    np.testing.assert_allclose(again.qdd, run.qdd, atol=1e-6)


def test_peaks_and_causes_on_a_deck_are_those_of_the_wrenches():
    """Those of a motion and of a simulation, whose times say how the deck moves; gravity and base are causes."""
    arm = lp.catalog.planar(2, length=0.3, mass=2.0)
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    deck = lp.Ground(motion=lp.GroundMotion(heave=lp.Sinusoid(1.0, 0.1), roll=lp.Sinusoid(0.8, 0.2)))
    rover = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3, 4]), wheels=wheels,
                           friction=lp.WheelFriction(0.6)).carrying(arm, at=(0.1, 0, 0.4), ground=deck)
    swing = lp.Motion.through(arm, [[0.2, 0.1], [0.8, -0.3]], times=[0, 0.3], rate=50)
    for states in (swing, rover.roll(swing)):
        wrenches, split, peaks = rover.joint_wrenches(states), rover.load_breakdown(states), rover.peak_loads(states)
        assert np.allclose(split.total("joint1").torque, wrenches["joint1"].torque, rtol=0, atol=1e-10)
        assert np.allclose(split.total("joint1").force, wrenches["joint1"].force, rtol=0, atol=1e-10)
        largest = np.linalg.norm(wrenches["joint1"].force, axis=-1)
        assert abs(peaks["joint1", "force"].highest.value - largest.max()) < 1e-9
        assert {"base", "gravity", "inertial"} <= split.by_kind("joint1").keys()
        on_plane = rover.on(lp.Ground()).joint_wrenches(swing)["joint1"].force
        assert np.abs(on_plane[: len(largest)] - wrenches["joint1"].force).max() > 1.0
    with pytest.raises(ValueError, match="a simulation brings it"):
        rover.peak_loads([0.2, 0.1], [0, 0], [0, 0], time=0.3)


def test_logs_with_noise_are_asked_about_and_smoothed_they_are_not():
    """0.1 mm of noise in a log of 100 Hz are some 2.4 m/s^2 of noise in the loads."""
    times = np.linspace(0, 4, 401)
    clean = 0.1 * np.sin(times)
    noisy = clean + 1e-4 * np.random.default_rng(0).normal(size=len(times))
    with pytest.warns(lp.ModelWarning, match=r"is it a log with noise.*smooth=True"):
        lp.TimeSeries(times, noisy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smooth = lp.TimeSeries(times, lp.Motion(times, noisy[:, None], smooth=True).q[:, 0])
        for fine in (clean, 0 * times, 2 * times, clean + 1e-7 * np.cos(1e3 * times)):
            lp.TimeSeries(times, fine)
    inside = times[50:-50]
    assert_allclose(smooth.derivatives(inside)[:, 2], -0.1 * np.sin(inside), atol=0.01)
