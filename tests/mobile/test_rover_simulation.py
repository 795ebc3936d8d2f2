"""Rovers in time: against formulas by hand, balances of energy and momentum, and each other."""

import re

import numpy as np
import pytest

import loadpath as lp

G = 9.81
NONE = np.zeros(0)


def cart(wheels, *, mass=20.0, center=(0.0, 0.0, 0.2), friction=None, inertia=1.0, slope=0.0):
    friction = friction or lp.WheelFriction(0.5, 0.7, rolling=0.01)
    base = lp.WheeledBase(
        mass=mass, center_of_mass=center, inertia=inertia * np.eye(3), wheels=wheels, friction=friction
    )
    return base.carrying(ground=lp.Ground(slope=slope))


def feet(x=0.5, y=0.4):
    return [lp.Support((a * x, b * y)) for a in (1, -1) for b in (1, -1)]


def differential(J=0.0, **more):
    wheels = [lp.CasterWheel((0.6, 0), 0.1, name="caster")]
    wheels += [lp.FixedWheel((0, y), 0.1, spin_inertia=J, name=name) for y, name in ((0.3, "left"), (-0.3, "right"))]
    return cart(wheels, center=(0.2, 0.0, 0.2), **more)


def kinds(simulation):
    return [(event.kind, event.part) for event in simulation.events]


# By hand


def test_a_box_slides_to_rest_after_v2_over_2_mu_g():
    slid = cart(feet()).simulate(velocity=(2.0, 0.0), duration=0.6, sample_rate=10)
    assert slid.pose[-1] == pytest.approx([4.0 / (2 * 0.5 * G), 0, 0], abs=1e-9)
    assert slid.sliding_heat[-1] == pytest.approx(0.5 * 20 * 4.0, rel=1e-9)
    stops = slid.of_kind("sticks")
    assert len(stops) == 4 and stops[0].time == pytest.approx(2.0 / (0.5 * G), abs=1e-6)
    assert slid.sliding[0].all() and not slid.sliding[-1].any()


def test_locked_wheels_brake_alike():
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.5, -0.5) for y in (0.4, -0.4)]
    car = cart(wheels)
    braked = car.simulate(
        velocity=(2.0, 0.0), wheel_rates=dict.fromkeys(car.contact_names, 0.0), duration=0.6, sample_rate=10
    )
    assert braked.pose[-1, 0] == pytest.approx(4.0 / (2 * 0.5 * G), abs=1e-9)
    assert braked.energy_drift < 1e-9


def test_a_cart_rolls_out_after_v2_over_2_mu_r_g():
    out = differential().simulate(velocity=(0.3, 0.0), duration=4.0, sample_rate=5)
    assert out.pose[-1, 0] == pytest.approx(0.09 / (2 * 0.01 * G), abs=1e-8)
    assert kinds(out) == [("stops", "caster"), ("stops", "left"), ("stops", "right")]
    assert out.events[0].time == pytest.approx(0.3 / (0.01 * G), abs=1e-5)


def test_wheels_with_spin_inertia_roll_out_further():
    J = 0.1
    out = differential(J=J).simulate(velocity=(0.3, 0.0), duration=7.0, sample_rate=2)
    mass = 20 + 2 * J / 0.1**2
    assert out.pose[-1, 0] == pytest.approx(0.09 * mass / (2 * 0.01 * 20 * G), rel=1e-6)


@pytest.mark.parametrize(("friction", "tips"), [(0.79, False), (0.81, True)])
def test_a_braking_box_tips_from_mu_half_length_over_height(friction, tips):
    box = cart(feet(x=0.4), center=(0, 0, 0.5), friction=lp.WheelFriction(friction))
    braked = box.simulate(velocity=(1.7, 0.0), duration=0.05)
    assert braked.rocks == tips and not braked.tipped
    if tips:
        assert kinds(braked)[0] in (("rocks", "wheel2-wheel1"), ("rocks", "wheel1-wheel2"))
        assert "free body from here on" in braked.events[0].cause and braked.pitch[-1] > 0


def test_on_a_slope_a_box_holds_by_static_friction_and_slides_by_sliding_friction():
    holds = cart(feet(), slope=np.arctan(0.69)).simulate(duration=0.2)
    assert not holds.events and abs(holds.pose).max() < 1e-12
    slope = np.arctan(0.71)
    slides = cart(feet(), slope=slope).simulate(duration=0.5)
    down = G * (np.sin(slope) - 0.5 * np.cos(slope))
    assert slides.pose[-1] == pytest.approx([-0.5 * down * 0.25, 0, 0], abs=1e-9)
    assert [event.kind for event in slides.events] == ["slips"] * 4
    # Once it moves, static friction does not matter: it slides on where it would have stood.
    moves = cart(feet(), slope=np.arctan(0.6)).simulate(velocity=(-0.1, 0.0), duration=0.5)
    assert moves.velocity[-1, 0] < -0.1


def test_a_base_at_rest_rolls_only_when_pushed_by_more_than_its_rolling_resistance():
    rover = differential()
    resistance = 0.01 * 20 * G
    torque = 0.5 * resistance * 0.1
    held = rover.simulate(wheel_torques={"left": 0.99 * torque, "right": 0.99 * torque}, duration=0.2)
    assert not held.events and abs(held.velocity).max() < 1e-30  # what rounding leaves
    ramp = {side: (lambda t, state: torque * t / 0.1) for side in ("left", "right")}
    goes = rover.simulate(wheel_torques=ramp, duration=0.2)
    assert [event.kind for event in goes.events] == ["rolls"] * 3
    assert goes.events[0].time == pytest.approx(0.1, abs=1e-6)
    # x'' = (F(t) - mu M g)/M, F growing by mu M g every 0.1 s
    assert goes.velocity[-1, 0] == pytest.approx(0.5 * 0.01 * G * 0.1, abs=1e-7)


def test_a_cart_turns_downhill_and_rolls_with_the_slope():
    """A caster lets the cart go: across the slope it swings round, and gains what it falls."""
    rolls = differential(slope=0.2, friction=lp.WheelFriction(0.9)).simulate(pose=(0, 0, np.pi / 2), duration=2.0)
    assert rolls.pose[-1, 0] < -1.0 and abs(rolls.pose[-1, 2] - np.pi) < 0.5
    assert rolls.energy_drift < 1e-9 and rolls.rolling_heat[-1] == 0


def test_too_fast_a_turn_slips_and_a_slow_one_does_not():
    """M v w (and the mass center before the axle turning) against static friction of the axle."""
    rover = differential(friction=lp.WheelFriction(0.5, 0.7))
    assert not rover.simulate(velocity=(1.0, 1.0), duration=0.2).events
    fast = rover.simulate(velocity=(3.0, 4.0), duration=0.6)
    assert kinds(fast)[:2] == [("slips", "left"), ("slips", "right")]
    assert {event.kind for event in fast.events[2:]} == {"sticks"}
    assert fast.sliding_heat[-1] > 0 and fast.energy_drift < 1e-8
    moving = fast.sliding[:, 1]
    assert np.allclose(abs(fast.lateral[moving, 1]), 0.5 * fast.normal[moving, 1])


def test_the_rate_of_a_spinning_wheel_is_its_own():
    """A torque beyond friction: the wheel spins up by (tau - mu N R)/J, the base by mu N/M."""
    J, tau = 0.05, 15.0
    wheels = [lp.FixedWheel((x, y), 0.1, spin_inertia=J) for x in (0.5, -0.5) for y in (0.4, -0.4)]
    car = cart(wheels, center=(0, 0, 0.0), friction=lp.WheelFriction(0.5, 0.7))
    spun = car.simulate(wheel_torques=dict.fromkeys(car.contact_names, tau), duration=0.2)
    assert [event.kind for event in spun.events] == ["slips"] * 4
    assert spun.velocity[-1, 0] == pytest.approx(0.5 * G * 0.2, rel=1e-9)
    lift = J * spun.wheel_rates[-1, 0] / 0.2  # the wheels' own angular acceleration shifts the load: N differs
    assert spun.wheel_rates[-1].sum() * J == pytest.approx((4 * tau - 0.5 * 20 * G * 0.1) * 0.2, rel=1e-9)
    assert lift > 0 and spun.normal[-1, 0] < spun.normal[-1, 2] and spun.energy_drift < 1e-9


def test_without_spin_inertia_a_wheel_beyond_friction_pulls_what_sliding_friction_gives():
    rover = differential(friction=lp.WheelFriction(0.3, 0.4))
    pulse = {side: (lambda t, state: 20.0 if t < 0.2 else 1.0) for side in ("left", "right")}
    spun = rover.simulate(wheel_torques=pulse, duration=0.3)
    assert [event.kind for event in spun.events] == ["slips", "slips", "sticks", "sticks"]
    first = spun.times < 0.2
    assert np.allclose(spun.longitudinal[first, 1:], 0.3 * spun.normal[first, 1:])
    assert np.allclose(spun.longitudinal[-1, 1:], 10.0)


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_wheels_that_a_drive_spins_slide_whichever_way_they_turn(turn):
    """Without spin inertia, 20 N m ask for 200 N a wheel, of which sliding friction gives 0.3 N."""
    rover = differential(friction=lp.WheelFriction(0.3, 0.4))
    spun = rover.simulate(wheel_torques={"left": 20.0 * turn, "right": 20.0 * turn}, duration=0.05)
    assert spun.sliding.tolist() == [[False, True, True]] * len(spun.times)
    assert np.allclose(spun.longitudinal[:, 1:], turn * 0.3 * spun.normal[:, 1:])
    assert spun.velocity[-1, 0] * turn > 0 and spun.energy_drift < 1e-9
    assert [(event.kind, event.part) for event in spun.events] == [("slips", "left"), ("slips", "right")]


@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_wheels_with_rollers_that_a_drive_spins_slide_whichever_way_they_turn(turn):
    """They hold nothing across, so that only their spinning shows it. Each gives 0.3 N along its roller's axis."""
    corners = [(x, y) for x in (1, -1) for y in (1, -1)]
    wheels = [lp.MecanumWheel((0.3 * x, 0.25 * y), 0.1, roller_angle=-x * y * np.pi / 4) for x, y in corners]
    rover = cart(wheels, center=(0, 0, 0), friction=lp.WheelFriction(0.3, 0.4))
    spun = rover.simulate(wheel_torques=dict.fromkeys(rover.contact_names, 20.0 * turn), duration=0.05)
    assert spun.sliding.all() and [event.kind for event in spun.events] == ["slips"] * 4
    assert spun.acceleration[-1, 0] == pytest.approx(turn * 0.3 * G * np.sqrt(0.5), rel=1e-9)
    assert spun.energy_drift < 1e-9


def test_a_wheel_that_spins_backwards_slides_as_well():
    rover = differential(friction=lp.WheelFriction(0.3, 0.4))
    back = rover.simulate(wheel_torques={"left": -20.0, "right": 20.0}, duration=0.02)
    assert back.sliding[:, 1:].all() and not back.sliding[:, 0].any()
    np.testing.assert_allclose(back.longitudinal[:, 1], -0.3 * back.normal[:, 1], rtol=1e-9)
    np.testing.assert_allclose(back.longitudinal[:, 2], 0.3 * back.normal[:, 2], rtol=1e-9)
    # Omni wheels hold nothing else that could slide.
    at = [0.0, 2 * np.pi / 3, 4 * np.pi / 3]
    wheels = [lp.OmniWheel((0.4 * np.cos(a), 0.4 * np.sin(a)), 0.05, direction=a + np.pi / 2) for a in at]
    spun = cart(wheels, friction=lp.WheelFriction(0.3, 0.4)).simulate(
        wheel_torques={"wheel1": -20.0, "wheel2": 20.0}, duration=0.02
    )
    assert spun.sliding[:, :2].all() and not spun.sliding[:, 2].any()
    np.testing.assert_allclose(spun.longitudinal[:, 0], -0.3 * spun.normal[:, 0], rtol=1e-9)


@pytest.mark.parametrize(
    ("sliding", "center"),
    [
        ((0.15, 0.15, 0.15, 0.15), (0.2, 0.1, 0.2)),  # one foot lifts while the others hold, and lands as they slide
        ((0.203, 0.115, 0.06, 0.054), (0.125, 0.165, 0.2)),
        ((0.196, 0.225, 0.18, 0.274), (0.126, -0.199, 0.2)),
        ((0.086, 0.283, 0.264, 0.247), (-0.008, -0.107, 0.2)),
    ],
)
def test_at_the_start_of_slip_each_contact_gives_its_sliding_friction_against_its_own_motion(sliding, center):
    """Feet that push each other about: Newton's law by hand, with friction of the size mu N against every slip."""
    points = np.array([(x, y) for x in (0.4, -0.4) for y in (0.3, -0.3)])
    feet = [lp.Support(p, friction=lp.WheelFriction(mu, 0.295)) for p, mu in zip(points, sliding, strict=True)]
    run = cart(feet, center=center, inertia=1.3, slope=0.3).simulate(pose=(0, 0, np.pi / 2), duration=0.0)
    assert run.sliding[0].all() and not run.velocity[0].any()
    a, alpha = run.acceleration[0, :2], run.acceleration[0, 2]
    slip = a + alpha * np.stack([-points[:, 1], points[:, 0]], axis=-1)
    size = (np.array(sliding) * run.normal[0])[:, None]
    force = -size * slip / np.linalg.norm(slip, axis=1, keepdims=True)
    weight = 20 * G * np.sin(0.3) * np.array([0.0, 1.0])
    x, y, _ = center
    np.testing.assert_allclose(20 * (a + alpha * np.array([-y, x])), weight + force.sum(axis=0), atol=1e-6)
    arm = points - (x, y)
    moment = (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0]).sum()
    # Of the base as a rigid body about its mass center.
    assert 1.3 * alpha == pytest.approx(moment, abs=1e-6)
    np.testing.assert_allclose(np.stack([run.longitudinal[0], run.lateral[0]], axis=-1), force, atol=1e-6)


def test_prescribed_rates_roll_the_base_and_tell_their_torques():
    rover = differential(friction=lp.WheelFriction(0.9, rolling=0.02))
    driven = rover.simulate(
        wheel_rates={"left": lambda t: 2 * t, "right": lambda t: 4 * t}, duration=1.0, sample_rate=20
    )
    v, w = 0.1 * 3 * driven.times, 0.1 * 2 * driven.times / 0.6
    assert abs(driven.velocity - np.stack([v, 0 * v, w], axis=-1)).max() < 1e-8
    assert driven.energy_drift < 1e-8 and driven.wheel_work[-1] > 0
    k = 10
    loads = rover.base_acceleration(
        NONE, NONE, NONE, velocity=driven.velocity[k], wheel_torques=driven.wheel_torques[k]
    )
    assert abs(loads.acceleration - (0.3, 0, 0.2 / 0.6)).max() < 1e-6


def test_wheel_rates_from_a_standing_start_spin_until_they_grip():
    rover = differential(friction=lp.WheelFriction(0.4, 0.5))
    start = rover.simulate(wheel_rates={"left": 5.0, "right": 5.0}, duration=1.0)
    assert kinds(start) == [("slips", "left"), ("slips", "right"), ("sticks", "left"), ("sticks", "right")]
    assert start.velocity[-1, 0] == pytest.approx(0.5, abs=1e-9)
    assert start.energy_drift < 1e-8


# Kinds of wheels


def test_steered_wheels_about_a_common_axis_do_not_slide_and_others_do():
    wheels = [lp.SteeredWheel((0.5, y), 0.1, name=name) for y, name in ((0.3, "fl"), (-0.3, "fr"))]
    wheels += [lp.FixedWheel((0, y), 0.1) for y in (0.3, -0.3)]
    car = cart(wheels, center=(0.2, 0, 0.2), friction=lp.WheelFriction(0.6, 0.8))
    angles = {name: np.arctan2(0.5, 1.0 - y) for name, y in (("fl", 0.3), ("fr", -0.3))}
    turn = car.simulate(velocity=(0.5, 0.5), steering=angles, duration=1.0, sample_rate=10)  # about (0, 1)
    assert not turn.events
    assert abs(np.hypot(turn.pose[:, 0], turn.pose[:, 1] - 1.0) - 1.0).max() < 1e-9
    scrubs = car.simulate(velocity=(0.5, 0.0), steering={"fl": 0.2, "fr": -0.2}, duration=0.2)
    assert kinds(scrubs) == [("slips", "fl"), ("slips", "fr")]
    sides = (("fl", 0.3), ("fr", -0.3))
    angles = {name: (lambda t, y=y: np.arctan2(0.25 * t, 1.0 - 0.5 * y * t)) for name, y in sides}
    follows = car.simulate(velocity=(0.5, 0.0), steering=angles, duration=1.0, sample_rate=10)
    assert not follows.events
    assert abs(follows.velocity[:, 2] - 0.5 * follows.times * follows.velocity[:, 0]).max() < 1e-7


def test_a_trailing_caster_swivels_round_into_the_velocity():
    wheels = [lp.CasterWheel((0.6, 0), 0.05, trail=0.05, name="caster")]
    wheels += [lp.FixedWheel((0, y), 0.1) for y in (0.3, -0.3)]
    rover = cart(wheels, center=(0.2, 0, 0.2), friction=lp.WheelFriction(0.6, rolling=0.005))
    back = rover.simulate(velocity=(-0.5, 0.1), steering={"caster": 0.0}, duration=1.5)
    angle = np.arctan2(0.6 * back.velocity[-1, 2], back.velocity[-1, 0])
    assert back.steering[0, 0] == 0 and abs(back.steering[-1, 0] - angle) < 1e-2
    assert back.contact_points[0, 0, 0] == pytest.approx(0.55) and back.contact_points[-1, 0, 0] > 0.6
    assert back.energy_drift < 1e-8


def test_omni_wheels_let_the_base_go_anywhere():
    at = [0.0, 2 * np.pi / 3, 4 * np.pi / 3]
    wheels = [lp.OmniWheel((0.4 * np.cos(a), 0.4 * np.sin(a)), 0.05, direction=a + np.pi / 2) for a in at]
    rover = cart(wheels, friction=lp.WheelFriction(0.6))
    coasts = rover.simulate(velocity=(0.5, 0.3, 1.0), duration=1.0)
    assert not coasts.events
    assert coasts.pose[-1] == pytest.approx([0.5, 0.3, 1.0], abs=1e-9)


def test_mecanum_wheels_go_sideways():
    places = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]
    wheels = [
        lp.MecanumWheel(p, 0.1, roller_angle=-np.pi / 4 * np.sign(p[0] * p[1]), spin_inertia=0.01) for p in places
    ]
    rover = cart(wheels)
    ramp = [lambda t, k=k: k * 3 * t for k in (-1, 1, 1, -1)]
    goes = rover.simulate(wheel_rates=dict(zip(rover.contact_names, ramp, strict=True)), duration=0.5, sample_rate=10)
    assert abs(goes.velocity - np.stack([0 * goes.times, 0.3 * goes.times, 0 * goes.times], axis=-1)).max() < 1e-7
    assert goes.energy_drift < 1e-8


# Arm and base together


def arm_on_casters(friction=None):
    """Nothing holds this base: casters all round, and no rolling resistance."""
    base = lp.WheeledBase(
        mass=10, center_of_mass=(0.1, 0, 0.2), inertia=0.5 * np.eye(3),
        wheels=[lp.CasterWheel((x, y), 0.05) for x in (0.8, -0.8) for y in (0.8, -0.8)],
        friction=friction or lp.WheelFriction(0.5),
    )
    return base.carrying(lp.catalog.lau_arm(), at=(0.1, 0.1, 0.3))


def test_momentum_is_kept_where_no_wheel_holds():
    rover = arm_on_casters()
    swing = rover.simulate([0.3, 0.2, 0.5], [1.0, 0.0, 0.3], torque=[0.5, 9.0, 0.0], velocity=(0.2, -0.1, 0.3),
                           duration=0.8, rtol=1e-11)
    assert not swing.events and swing.energy_drift < 1e-7
    M = rover.mass_matrix(swing.q)
    U = np.concatenate([swing.velocity, swing.qd], axis=-1)
    p = np.einsum("tij,tj->ti", M, U)[:, :3]
    c, s = np.cos(swing.pose[:, 2]), np.sin(swing.pose[:, 2])
    px, py = c * p[:, 0] - s * p[:, 1], s * p[:, 0] + c * p[:, 1]
    about_origin = p[:, 2] + swing.pose[:, 0] * py - swing.pose[:, 1] * px
    for part in (px, py, about_origin):
        assert np.ptp(part) < 1e-8


def test_simulated_motion_obeys_world_frame_equations():
    """Second differences of what was simulated, against the planar robot's equations with a constraint force."""
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.9))
    h = 1e-3
    run = rover.simulate([0.3, 0.2, 0.5], [1.0, 0.0, 0.3], torque=[0.5, 15.0, 0.0], duration=0.1, sample_rate=1 / h,
                         rtol=1e-11)
    x = np.concatenate([run.pose, run.q], axis=-1)
    k = 50
    xd = (x[k - 2] - 8 * x[k - 1] + 8 * x[k + 1] - x[k + 2]) / (12 * h)
    xdd = (-x[k - 2] + 16 * x[k - 1] - 30 * x[k] + 16 * x[k + 1] - x[k + 2]) / (12 * h**2)
    needed = rover.planar.inverse_dynamics(x[k], xd, xdd)
    assert abs(needed[3:] - [0.5, 15.0, 0.0]).max() < 1e-4
    side = np.array([-np.sin(x[k, 2]), np.cos(x[k, 2]), 0.0])
    assert abs(needed[:3] - (needed[:3] @ side) * side).max() < 1e-4  # the axle holds across, and nothing else
    assert (needed[:3] @ side) == pytest.approx(run.lateral[k].sum(), abs=1e-4)


def test_a_rolled_motion_is_the_integral_of_base_accelerations():
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.9))
    motion = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1.2, 0.3, 0.7]], [0, 0.6], rate=50)
    rolled = rover.roll(motion, rtol=1e-10)
    again = rover.base_acceleration(motion.q, motion.qd, motion.qdd, velocity=rolled.velocity * (1, 0, 1))
    assert abs(again.acceleration - rolled.acceleration).max() < 1e-9
    assert abs(again.tau - rolled.tau).max() < 1e-9 and abs(again.normal - rolled.normal).max() < 1e-9
    assert abs(rolled.pose[-1]).max() > 1e-2 and rolled.energy_drift < 1e-7
    stability = rover.stability(
        motion.q, motion.qd, motion.qdd, velocity=rolled.velocity, acceleration=rolled.acceleration
    )
    assert abs(stability.margin - rolled.margin).max() < 1e-9


def test_an_arm_that_moves_out_lifts_a_wheel_then_tips_the_base_at_the_known_time():
    """A mass that slides out at constant speed: moments by hand."""
    slider = lp.Robot(
        "slider",
        (lp.Link("rail"), lp.Link("mass", lp.Inertia(4.0))),
        (lp.Joint("slide", "rail", "mass", lp.Prismatic((1, 0, 0))),),
    )
    base = lp.WheeledBase(mass=10, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=feet(0.5, 0.4),
                          friction=lp.WheelFriction(0.9))
    out = base.carrying(slider, at=(0, 0.1, 0.3)).simulate([0.0], [2.0], duration=2.0)
    begins, = out.of_kind("rocks")
    assert set(begins.part.split("-")) == {"wheel1", "wheel2"}
    # 4 (x - 0.5) = 10 * 0.5 at x = 1.75 m
    assert begins.time == pytest.approx(1.75 / 2.0, abs=1e-6)
    assert out.tipped and out.events[-1].kind == "tips over" and out.energy_drift < 1e-6
    lifts = out.of_kind("lifts")
    # Four equal springs: N4 = (14 - 4 x/0.5 - 4 * 0.1/0.4) g/4 is zero at x = 1.625 m
    assert [event.part for event in lifts] == ["wheel4", "wheel3"]
    assert lifts[0].time == pytest.approx(1.625 / 2.0, abs=1e-6)
    before = out.times < begins.time
    assert abs(out.normal.sum(axis=1)[before] - 14 * G).max() < 1e-9 and abs(out.margin[~before]).max() < 1e-6


def test_a_motion_that_tips_from_the_beginning_says_so():
    rover = lp.catalog.lau_rover()
    motion = lp.Motion([0.0, 0.5], [[0.0, 0.0, 12.0]] * 2, np.zeros((2, 3)), np.zeros((2, 3)))
    rolled = rover.roll(motion)
    assert rolled.tipped and rolled.times[-1] < 1e-9 and rolled.margin[0] <= 1e-9


def test_a_base_on_a_rail_reacts_along_it_alone():
    """Momentum along the rail: M v + m (v + u) stays zero."""
    slider = lp.Robot(
        "slider",
        (lp.Link("rail"), lp.Link("mass", lp.Inertia(4.0))),
        (lp.Joint("slide", "rail", "mass", lp.Prismatic((1, 0, 0))),),
    )
    base = lp.WheeledBase(
        mass=10, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), friction=lp.WheelFriction(0.5),
        wheels=[lp.FixedWheel((x, y), 0.1) for x in (0.5, -0.5) for y in (0.4, -0.4)],
    )
    rover = base.carrying(slider, at=(0, 0.2, 0.3))
    motion = lp.Motion.through(slider, [[0.0], [0.4]], [0, 0.5], rate=50)
    railed = rover.roll(motion, freedoms="x")
    assert abs(14 * railed.velocity[:, 0] + 4 * motion.qd[:, 0]).max() < 1e-8
    assert railed.pose[-1] == pytest.approx([-4 / 14 * 0.4, 0, 0], abs=1e-9)
    # Without the rail, four parallel wheels hold the base straight as well as they can.
    free = rover.roll(motion)
    assert not free.events and abs(free.pose - railed.pose).max() < 1e-8


def test_a_base_on_a_platform_moves_as_given_and_the_arm_feels_it():
    rover = lp.catalog.lau_rover()
    t = np.linspace(0, 1, 101)
    x = np.stack([0.2 * np.sin(2 * t), 0.1 * t**2, 0.3 * t], axis=-1)
    xd = np.stack([0.4 * np.cos(2 * t), 0.2 * t, 0.3 + 0 * t], axis=-1)
    xdd = np.stack([-0.8 * np.sin(2 * t), 0.2 + 0 * t, 0 * t], axis=-1)
    platform = lp.Motion(t, x, xd, xdd)
    moved = rover.simulate([0.1, 0.0, 0.5], [0, 0, 0], torque=[0.1, 4.0, 0.0], base_motion=platform)
    world = np.concatenate([moved.pose, moved.q], axis=-1)
    speeds, changes = np.concatenate([xd, moved.qd], axis=-1), np.concatenate([xdd, moved.qdd], axis=-1)
    needed = rover.planar.inverse_dynamics(world, speeds, changes)
    assert abs(needed[:, 3:] - [0.1, 4.0, 0.0]).max() < 1e-6
    assert moved.energy_drift < 1e-6 and moved.base_work[-1] != 0
    shaken = lp.Motion(t, np.stack([4 * t**3, 0 * t, 0 * t], axis=-1))
    still = lp.Motion(t, np.tile([0.0, 0.0, 0.5], (101, 1)), np.zeros((101, 3)), np.zeros((101, 3)))
    falls = rover.simulate(motion=still, base_motion=shaken)
    # tips backwards at a = 24 t = g h_x/h_z
    h = rover.mass_center([0.0, 0.0, 0.5])
    assert falls.tipped and falls.times[-1] == pytest.approx(G * h[0] / h[2] / 24, abs=1e-6)


@pytest.mark.filterwarnings("ignore:.*no mass, though")
def test_coulomb_friction_of_a_joint_sticks_and_lets_go():
    arm = lp.catalog.lau_arm()
    sticky = lp.Robot(
        arm.name, arm.links,
        tuple(lp.Joint(**{**{f: getattr(j, f) for f in j.__dataclass_fields__}, "coulomb_friction": (1.0,)})
              if j.name == arm.joint_names[0] else j for j in arm.joints),
        arm.gravity,
    )
    base = lp.catalog.lau_rover().base
    rover = base.carrying(sticky, at=(0.2, 0, 0.3))
    hold = [0.0, 2.0 * 0.5 * G, 0.0]
    turn = rover.simulate([0.0, 0.0, 0.5], [0, 0, 0], torque=lambda t, q, qd: [2.0 * t, 0, 0] - 20 * qd * (0, 1, 1),
                          duration=0.7)
    moves = turn.of_kind("joint moves")
    assert len(moves) == 1 and moves[0].time == pytest.approx(0.5, abs=0.05) and hold[1] > 0
    assert turn.joint_heat[-1] > 0 and turn.energy_drift < 1e-6


def test_energy_balances_through_everything_at_once():
    """Slope, arm, torques, sliding, rolling resistance."""
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.15, 0.2, rolling=0.02), driven=True).on(
        lp.Ground(slope=0.1)
    )
    assert rover.ground.friction is None
    run = rover.simulate(
        [0.5, 0.3, 0.5], [3.0, 0.0, 0.0], torque=[2.0, 4.0, 0.0], velocity=(1.0, 0.4, 2.0), pose=(0, 0, 1.0),
        wheel_torques={"wheel2": 1.5, "wheel3": lambda t, state: -2.0 * np.sin(9 * t)}, duration=0.25,
        external={"rover": lp.Wrench((1.0, 2.0, 0.0))},
    )
    assert run.sliding_heat[-1] > 0.01 and run.rolling_heat[-1] > 0.01 and run.external_work[-1] != 0
    assert (np.diff(run.sliding_heat) >= -1e-12).all() and (np.diff(run.rolling_heat) >= -1e-12).all()
    assert run.energy_drift < 1e-7
    used = np.hypot(run.longitudinal, run.lateral)
    assert (used <= (0.2 + 1e-9) * run.normal).all()


# Calls


def test_stop_samples_progress_and_motion():
    seen = []
    run = differential().simulate(
        velocity=(0.5, 0.0), duration=2.0, stop=lambda t, state: state.pose[0] - 0.3, progress=seen.append
    )
    assert run.stopped and run.pose[-1, 0] == pytest.approx(0.3, abs=1e-9) and seen
    some = differential().simulate(velocity=(0.5, 0.0), times=[0.0, 0.05, 0.11])
    assert some.times.tolist() == [0.0, 0.05, 0.11] and some.pose[1, 0] == pytest.approx(0.5 * 0.05, rel=1e-2)
    at_once = differential().simulate(velocity=(0.5, 0.0), duration=0.0)
    assert at_once.times.tolist() == [0.0]
    with pytest.raises(TypeError, match="not a sequence"):
        list(at_once)


def test_plot_has_path_loads_margin_and_events():
    figure = differential().simulate(velocity=(0.1, 0.5), duration=1.5).plot()
    names = {trace.name for trace in figure.data}
    assert {"caster", "left", "right", "margin", "path", "events", "v_x (m/s)"} <= names


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "needs a 'duration'"),
        ({"duration": -1.0}, "expected seconds"),
        ({"duration": 1.0, "wheel_torques": {"caster": 1.0}}, "'caster' is a caster wheel and cannot be driven"),
        ({"duration": 1.0, "wheel_torques": {"front": 1.0}}, "names 'front'"),
        ({"duration": 1.0, "wheel_torques": {"left": "much"}}, "expected a number"),
        ({"duration": 1.0, "wheel_torques": {"left": np.nan}}, "expected a finite number"),
        ({"duration": 1.0, "wheel_torques": {"left": 1.0}, "wheel_rates": {"left": 1.0}}, "a torque and a rate"),
        ({"duration": 1.0, "steering": {"left": 0.1}}, "'steering' names 'left'"),
        ({"duration": 1.0, "steering": {"caster": np.sin}}, "turns by itself"),
        ({"duration": 1.0, "freedoms": ("x", "roll")}, "is no freedom of a base: there are 'x', 'y', 'yaw'"),
        ({"duration": 1.0, "freedoms": "x", "velocity": (1.0, 1.0)}, "not among its freedoms"),
        ({"duration": 1.0, "velocity": (1.0, np.inf)}, "expected .v, w."),
        ({"duration": 1.0, "pose": (0.0, 1.0)}, "expected .3,.: x, y and heading"),
        ({"duration": 1.0, "method": "Euler"}, "'method' is 'Euler'"),
        ({"duration": 1.0, "rtol": 0.0}, "'rtol' is 0.0"),
        ({"duration": 1.0, "base_motion": 3}, "three coordinates"),
        ({"duration": 1.0, "q": [1.0]}, "expected .0,."),
        ({"motion": 3}, "expected an lp.Motion"),
        ({"duration": 1.0, "wheel_torques": {"left": lambda t, state: None}}, "expected a number"),
    ],
)
def test_wrong_calls_are_told(options, told):
    with pytest.raises(ValueError, match=told):
        differential().simulate(**options)


@pytest.mark.filterwarnings("ignore:.*had to be derived")
def test_friction_must_be_known_and_the_motion_must_fit():
    bare = lp.WheeledBase(mass=5, center_of_mass=(0.2, 0, 0.2), wheels=differential().base.wheels, inertia=np.eye(3))
    with pytest.raises(lp.ModelError, match="no friction is known of contact 'caster'"):
        bare.carrying().simulate(velocity=(1.0, 0.0), duration=1.0)
    rover = lp.catalog.lau_rover()
    with pytest.raises(ValueError, match="the motion has 2 coordinates"):
        rover.roll(lp.Motion([0, 1], np.zeros((2, 2))))
    with pytest.raises(ValueError, match="leaves no room for q"):
        rover.simulate([0, 0, 1], motion=lp.Motion([0, 1], np.zeros((2, 3))))
    with pytest.raises(ValueError, match="'q' is missing"):
        rover.simulate(duration=1.0)


@pytest.mark.parametrize("kind", ["feet", "parallel", "mecanum", "trailing", "no spin inertia"])
def test_whatever_happens_energy_balances_and_friction_keeps_its_limits(kind):
    rng = np.random.default_rng(len(kind))
    corners = [(x, y) for x in (0.5, -0.5) for y in (0.3, -0.3)]
    wheels = {
        "feet": [lp.Support(p) for p in corners],
        "parallel": [lp.FixedWheel(p, 0.1, spin_inertia=0.02) for p in corners],
        "mecanum": [lp.MecanumWheel(p, 0.1, roller_angle=-np.pi / 4 * np.sign(p[0] * p[1])) for p in corners],
        "trailing": [lp.CasterWheel((0.6, 0), 0.1, trail=0.06), lp.CasterWheel((-0.5, 0), 0.1, trail=0.04),
                     *(lp.FixedWheel((0, y), 0.1, spin_inertia=0.02) for y in (0.3, -0.3))],
        "no spin inertia": [lp.CasterWheel((0.6, 0), 0.1), *(lp.FixedWheel((0, y), 0.1) for y in (0.3, -0.3))],
    }[kind]
    base = lp.WheeledBase(
        mass=20, center_of_mass=(0.1, 0, 0.15), inertia=np.eye(3), wheels=wheels,
        friction=lp.WheelFriction(0.25, 0.3, rolling=0.0 if kind == "mecanum" else 0.01),
    )
    rover = base.carrying(lp.catalog.lau_arm(), at=(0.1, 0, 0.25), ground=lp.Ground(slope=0.1))
    axled = [name for name, turns in zip(rover.contact_names, rover.arrangement.axled, strict=True) if turns]
    torques = {name: (lambda t, state, k=k: 4.0 * np.sin(9 * t + k)) for k, name in enumerate(axled)}
    run = rover.simulate(
        [0.2, 0.1, 0.5], rng.normal(size=3), torque=rng.normal(size=3), velocity=(0.3, 0.1, 0.8), wheel_torques=torques,
        duration=0.4, sample_rate=50,
    )
    assert run.of_kind("slips") and run.energy_drift < 1e-6
    assert (run.normal >= -1e-9).all()
    assert (np.hypot(run.longitudinal, run.lateral) <= 0.3 * run.normal * (1 + 1e-5) + 1e-9).all()
    for heat in (run.sliding_heat, run.rolling_heat, run.joint_heat):
        assert (np.diff(heat) >= -1e-10).all()


def test_a_contact_that_creeps_sticks_and_its_energy_is_told():
    # Slip in the plane that dies out by turning round and round: the arm's damping makes the equations stiff besides.
    rover = lp.catalog.lau_rover()
    run = rover.simulate([0, 0, 0.5], torque=lambda t, q, qd: -20 * qd, wheel_rates={"wheel2": 5, "wheel3": 5},
                         duration=0.15)
    assert [(event.part, event.kind) for event in run.events[-2:]] == [("wheel2", "sticks"), ("wheel3", "sticks")]
    np.testing.assert_allclose(run.velocity[-1], [0.5, 0, 0], atol=1e-9)
    assert run.energy_drift < 1e-10
    assert run.evaluations < 4000


def test_of_wheels_that_cannot_all_grip_the_one_slips_that_leaves_least_motion():
    wheels = [lp.SteeredWheel((0.5, y), 0.1, name=name) for y, name in ((0.3, "fl"), (-0.3, "fr"))]
    wheels += [lp.FixedWheel((-0.5, y), 0.1) for y in (0.3, -0.3)]
    car = cart(wheels, mass=50.0, center=(0, 0, 0.3), inertia=3.0, friction=lp.WheelFriction(0.6, 0.8, 0.01))
    run = car.simulate(velocity=(1, 0), steering={"fl": lambda t: 0.2 * t, "fr": lambda t: 0.19 * t}, duration=0.6)
    assert [(event.part, event.kind) for event in run.events] == [("fr", "slips")]
    assert run.energy_drift < 1e-9


@pytest.mark.parametrize("slips", ["fl", "fr"])
def test_which_of_two_wheels_that_cannot_both_grip_slips_by_hand(slips):
    """The front goes sideways at u = 0.2 or 0.19 m/s^2 with one wheel or the other, the rear not at all: a_y = u/2,
    alpha = u. That takes F = (m u/2 + 2 I u)/2 at the front axle, far less than friction: the one that slips rubs, the
    other holds it back. With friction at rest above that of sliding both are possible (0.8 N holds 0.6 N and F), with
    the same friction only the smaller motion is, of which the least energy comes.
    """
    m, inertia, u = 50.0, 3.0, {"fl": 0.19, "fr": 0.2}[slips]
    force, N = (m * u / 2 + 2 * inertia * u) / 2, m * G / 4
    friction = lp.WheelFriction(0.6, 0.6 if slips == "fl" else 0.8)
    wheels = [lp.SteeredWheel((0.5, y), 0.1, name=name) for y, name in ((0.3, "fl"), (-0.3, "fr"))]
    wheels += [lp.FixedWheel((-0.5, y), 0.1) for y in (0.3, -0.3)]
    height = 0.0 if slips == "fl" else 0.3
    car = cart(wheels, mass=m, center=(0, 0, height), inertia=inertia, friction=friction)
    first = car.simulate(velocity=(1, 0), steering={"fl": lambda t: 0.2 * t, "fr": lambda t: 0.19 * t}, duration=0.0)
    assert [event.part for event in first.of_kind("slips")] == [slips]
    np.testing.assert_allclose(first.acceleration[0], [0.0, u / 2, u], atol=1e-9)
    shift = m * u / 2 * height / 0.6 / 2
    rubs = 0.6 * (N - shift if slips == "fl" else N + shift) * (1 if slips == "fl" else -1)
    by_hand = [rubs, force - rubs] if slips == "fl" else [force - rubs, rubs]
    np.testing.assert_allclose(first.lateral[0, :2], by_hand, rtol=1e-9)
    held = by_hand[1] if slips == "fl" else by_hand[0]
    assert abs(held) < friction.static * (N - shift)


def test_samples_of_a_motion_unless_a_rate_is_given():
    swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [0.1, 0, 0.5]], [0, 0.1], rate=30)
    rover = lp.catalog.lau_rover()
    assert len(rover.roll(swing).times) == len(swing.t)
    assert len(rover.roll(swing, sample_rate=100).times) == 11


# How much work it is


def test_a_box_that_turns_while_it_slides_to_rest_does_not_chatter():
    """Four feet under a swinging arm stop one after the other; near rest their friction turns quickly."""
    rng = np.random.default_rng(5)
    center = (*rng.uniform(-0.1, 0.1, 2), 0.2)
    base = cart(feet(x=0.4, y=0.3), center=center, friction=lp.WheelFriction(0.5, 0.6)).base
    rover = base.carrying(lp.catalog.planar(2, length=0.4, mass=2.0), at=(0, 0, 0.3))
    slid = rover.simulate(rng.normal(size=2), 3 * rng.normal(size=2), velocity=tuple(rng.normal(size=3)), duration=1.0,
                          sample_rate=10)
    assert sorted(event.kind for event in slid.events) == ["slips"] * 4 + ["sticks"] * 4
    assert slid.steps < 150 and slid.energy_drift < 1e-6


def test_wheels_at_the_edge_of_spinning_keep_to_what_they_do():
    """Drives without spin inertia ask for more than friction now and then, while the wheels slide sideways: there are
    two ways to go on, and it does not change between them.
    """
    rover = differential(friction=lp.WheelFriction(0.3, 0.7))
    torques = {name: (lambda t, state: 6.0 * np.sin(12 * t)) for name in ("left", "right")}
    driven = rover.simulate(velocity=(0.4, 0.5, 1.2), wheel_torques=torques, duration=0.5, sample_rate=20)
    assert driven.of_kind("slips") and driven.energy_drift < 1e-8
    assert driven.steps < 150


def test_forces_that_push_casters_on_are_forces_of_this_world():
    """Standing casters have nearly the same row: what would hold both of them while the base turns is no force."""
    wheels = [*(lp.FixedWheel((0.0, y), 0.1) for y in (0.3, -0.3)),
              *(lp.CasterWheel((x, 0.0), 0.05, trail=0.03) for x in (0.4, -0.4))]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.6, 0.8, rolling=0.01))
    arm = lp.catalog.lau_arm()
    swing = lp.Motion.through(arm, [[0, 0, 0.5], [1.5, 0, 0.6]], [0, 0.5], rate=50)
    run = base.carrying(arm, at=(0.1, 0, 0.4)).roll(swing)
    rolls = [event for event in run.of_kind("rolls") if "turns round" not in event.cause]
    assert {event.part for event in rolls} == {"wheel1", "wheel2", "wheel3", "wheel4"}
    for event in rolls:
        named = [float(number) for number in re.findall(r"([\d.e+]+) N\b", event.cause)]
        assert max(named) < 60 * G * 2, event
        if "push it on" in event.cause:  # a force that is named is the one that its rolling resistance holds
            assert named[0] == pytest.approx(named[-1], rel=0.03), event
    assert any("more pushes it on" in event.cause or "cannot stand" in event.cause for event in rolls)
    assert run.energy_drift < 1e-6
