"""Past tipping on rigid contacts: Housner's block, bouncing, falling on an incline, flight, a braked cart, an arm."""

import numpy as np
import pytest
from scipy.integrate import quad

import loadpath as lp

G = 9.81
B, H, MASS = 0.2, 0.6, 50.0
"""Half the width and height of a block, and its mass."""
ALPHA, R = np.arctan2(B, H), np.hypot(B, H)
P2 = 3 * G / (4 * R)


def block(friction=2.0, restitution=0.0, **parts) -> lp.Rover:
    """A uniform block on four feet, which rocks about y."""
    inertia = MASS / 3 * np.diag([0.5**2 + H**2, B**2 + H**2, B**2 + 0.5**2])
    feet = [lp.Support((x, y), restitution=restitution) for x in (B, -B) for y in (0.5, -0.5)]
    ground = parts.pop("ground", None)
    return lp.WheeledBase(mass=MASS, center_of_mass=(0, 0, H), inertia=inertia, wheels=feet,
                          friction=lp.WheelFriction(friction), **parts).carrying(ground=ground)


def kicked(impulse: float, over: float = 0.05):
    """A push at the mass center at first."""
    return lambda t, state: {"rover": lp.Wrench(force=(impulse / over if t < over else 0.0, 0, 0),
                                                torque=(0, H * impulse / over if t < over else 0.0, 0))}


def impacts(run) -> list[float]:
    return sorted({event.time for event in run.of_kind("impacts")})


def test_housners_block_has_his_loss_and_his_period():
    run = block().simulate(duration=0.75, external=kicked(15.0), max_step=0.05, rtol=1e-9)
    first, second, third = impacts(run)[:3]
    assert run.rocks and not run.tipped and run.energy_drift < 1e-6
    # Speeds after an impact are (1 - 1.5 sin^2 alpha) of those before: so are the normal velocities of what hits.
    speeds = [float(event.cause.split(" at ")[1].split(" ")[0]) for event in run.of_kind("impacts")]
    assert speeds[2] / speeds[0] == pytest.approx(1 - 1.5 * np.sin(ALPHA) ** 2, abs=2e-4)
    rises = np.abs(run.pitch[(run.times > first) & (run.times < second)]).max()
    # Energy: from the speed at the impact to the highest point, and its time by a quadrature of its own.
    omega = speeds[2] / (2 * B)
    top = ALPHA - np.arccos(np.cos(ALPHA) + omega**2 / (2 * P2))
    assert rises == pytest.approx(top, rel=5e-3)
    rest = lambda s: 1 / np.sqrt(2 * P2 * (np.cos(ALPHA - top) - np.cos(ALPHA - top * (1 - s * s))))  # noqa: E731
    half = 2 * quad(lambda s: rest(s) * 2 * s * top, 0, 1)[0]
    assert second - first == pytest.approx(half, rel=1e-3)
    housner = 2 / np.sqrt(P2) * np.arccosh(1 / (1 - top / ALPHA))
    assert second - first == pytest.approx(housner, rel=0.02) and third - second < second - first


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_block_thrown_up_bounces_by_its_restitution(e):
    def up(t, state):
        return {"rover": lp.Wrench(force=(0, 0, 2 * MASS * G if t < 0.1 else 0.0), torque=(0, 0, 0))}

    run = block(restitution=e).simulate(duration=0.7, external=up, max_step=0.02)
    z = run.position[:, 2]
    flies = run.lifted.all(axis=1) & (run.times > 0.1) & (run.times < impacts(run)[0])
    fall = run.base_velocity[flies, 2]
    assert np.diff(fall) == pytest.approx(-G * np.diff(run.times[flies]), abs=1e-9)
    first = impacts(run)[0]
    rises = z[run.times > first].max()
    assert rises == pytest.approx(e**2 * z.max(), abs=2e-3) and run.energy_drift < 1e-6


def test_a_block_on_an_incline_falls_as_a_pendulum_does():
    """Steeper than b/h: it turns over its lower feet from rest, which hold."""
    slope = 0.4
    run = block(ground=lp.Ground(slope=slope)).simulate(duration=3.0, pose=(0, 0, np.pi), sample_rate=20)
    assert run.tipped and run.events[-1].kind == "tips over" and not run.of_kind("slips")
    # 2 R^2/3 2 = 4/3 R^2: w^2 = 2 P2 (cos(first) - cos(last)), angles of the mass center from the vertical.
    start, last = slope - ALPHA, 0.35
    assert run.base_velocity[-1, 4] ** 2 == pytest.approx(2 * P2 * (np.cos(start) - np.cos(last)), rel=1e-6)
    assert run.energy_drift < 1e-7


@pytest.mark.slow
def test_a_base_that_falls_on_its_body_points_comes_to_rest_on_them():
    corners = [(x, y, 2 * H) for x in (B, -B) for y in (0.5, -0.5)]
    rover = block(friction=0.7, ground=lp.Ground(slope=0.4), body_points=corners)
    run = rover.simulate(duration=2.2, pose=(0, 0, np.pi), sample_rate=20)
    assert run.tipped and run.times[-1] == pytest.approx(2.2)
    hits = [event for event in run.of_kind("impacts") if event.part.startswith("body point")]
    assert hits and run.pitch[-1] == pytest.approx(np.pi / 2, abs=1e-3)
    assert run.body_forces[-1].sum() > 0 and run.energy_drift < 1e-5


def tall_cart(inertia: float = 9.3) -> lp.Rover:
    wheels = [lp.FixedWheel((x, y), 0.1, name=f"{x}{y}") for x in (0.35, -0.35) for y in (0.3, -0.3)]
    return lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.diag([inertia, inertia, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.5)).carrying()


def pitch_in_mujoco(speed: float, times: np.ndarray) -> np.ndarray:
    """The same cart there, on contacts with a time constant of 2 ms."""
    import mujoco

    step = 1e-4
    wheels = "".join(
        f'<geom type="cylinder" size="0.1 0.002" pos="{x} {y} 0.1" zaxis="0 1 0" friction="0.5 0 0" condim="3" '
        f'solref="0.002 1" mass="0"/>' for x in (0.35, -0.35) for y in (0.3, -0.3)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" integrator="implicitfast" cone="elliptic" impratio="100"/><worldbody>'
        '<geom type="plane" size="20 20 1" friction="0.5 0 0" condim="3" solref="0.002 1"/><body><freejoint/>'
        f'<inertial pos="0 0 0.9" mass="30" diaginertia="9.3 9.3 2"/>{wheels}</body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    data.qvel[0] = speed
    found = []
    for _ in range(round(times[-1] / step) + 1):
        w, x, y, z = data.qpos[3:7]
        found.append(np.arcsin(2 * (w * y - x * z)))
        mujoco.mj_step(model, data)
    return np.interp(times, step * np.arange(len(found)), found)


@pytest.mark.parametrize("speed", [0.3, 1.0])
def test_a_locked_cart_pitches_and_comes_back_as_in_mujoco(speed):
    cart = tall_cart()
    run = cart.simulate(velocity=(speed, 0), wheel_rates=dict.fromkeys(cart.contact_names, 0.0), duration=0.2,
                        sample_rate=50)
    assert not run.tipped and run.rocks and run.energy_drift < 1e-6
    assert np.degrees(run.pitch) == pytest.approx(np.degrees(pitch_in_mujoco(speed, run.times)), abs=0.005)


def test_rocking_comes_to_an_end_without_a_jump():
    cart = tall_cart()
    run = cart.simulate(velocity=(0.1, 0), wheel_rates=dict.fromkeys(cart.contact_names, 0.0), duration=0.4,
                        sample_rate=20)
    assert abs(run.pitch[-1]) < 1e-9 and abs(run.base_velocity[-1]).max() < 1e-9 and not run.lifted[-1].any()
    assert run.normal[-1] == pytest.approx([30 * G / 4] * 4) and run.energy_drift < 1e-6


@pytest.mark.slow
def test_an_arm_on_four_braked_wheels_rocks():
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([3.0, 4.0, 5.0]),
                          wheels=[lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.25, -0.25)],
                          friction=lp.WheelFriction(0.9))
    rover = base.carrying(lp.catalog.ur5(), at=(0, 0, 0.5))
    still = lp.Motion([0, 1.0], [[0, -1.57, 0.3, 0, 0, 0]] * 2, np.zeros((2, 6)), np.zeros((2, 6)))
    run = rover.simulate(motion=still, velocity=(1.0, 0), wheel_rates=dict.fromkeys(rover.contact_names, 0.0),
                         times=np.linspace(0, 0.2, 11))
    assert run.rocks and run.energy_drift < 1e-6 and np.degrees(run.pitch.max()) > 0.5
    tau = rover.robot.inverse_dynamics(run)  # the motion of the base in space included
    assert tau == pytest.approx(run.tau, abs=1e-6)


def test_brakes_that_slip_past_tipping():
    """A brake far above what it takes locks the wheels at once; a weak one slips with its torque, and heats by it."""
    wheels = [lp.FixedWheel((x, y), 0.1, spin_inertia=1e-6) for x in (0.35, -0.35) for y in (0.3, -0.3)]
    cart = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.9), inertia=np.diag([9.3, 9.3, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.5)).carrying()
    names, times = cart.contact_names, np.linspace(0, 0.2, 11)
    locked = cart.simulate(velocity=(1.0, 0), wheel_rates=dict.fromkeys(names, 0.0), times=times)
    strong = cart.simulate(velocity=(1.0, 0), brakes=dict.fromkeys(names, 1e3), times=times)
    assert strong.rocks and strong.energy_drift < 1e-7
    assert np.degrees(strong.pitch) == pytest.approx(np.degrees(locked.pitch), abs=1e-3)
    weak = cart.simulate(velocity=(1.0, 0), brakes=dict.fromkeys(names, 7.0), times=np.linspace(0, 0.1, 201))
    assert weak.rocks and weak.energy_drift < 1e-7
    front = weak.wheel_rates[:, 0] > 1e-3
    assert front.sum() > 50 and weak.brake_torques[front][1:, 0] == pytest.approx(-7.0)
    power = np.abs(weak.brake_torques * weak.wheel_rates).sum(axis=1)
    assert weak.brake_heat[-1] == pytest.approx(np.trapezoid(power, weak.times), rel=2e-2)


def test_casters_with_a_trail_are_taken_along():
    """Pushed aside, a base with casters stands on one wheel: the casters keep their angles in the air."""
    wheels = [lp.FixedWheel((0, y), 0.1, name=name) for y, name in ((0.2, "left"), (-0.2, "right"))]
    wheels += [lp.CasterWheel((x, 0.0), 0.05, trail=0.03, name=name) for x, name in ((0.4, "front"), (-0.4, "rear"))]
    base = lp.WheeledBase(mass=30, center_of_mass=(0, 0, 0.5), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.9)).carrying()

    def push(t, state):
        force = 400.0 if t < 0.05 else 0.0
        return {"rover": lp.Wrench(force=(0, force, 0), torque=(-0.5 * force, 0, 0))}

    run = base.simulate(velocity=(0.5, 0.0), steering={"front": 0.3}, external=push, duration=0.2, max_step=0.02)
    assert run.rocks and run.energy_drift < 1e-9 and run.lifted[-1].tolist() == [False, True, True, True]
    np.testing.assert_allclose(run.steering[2:], [[0.3, 0.0]] * (len(run.times) - 2), atol=1e-12)
    # About the line under the left wheel: (30 (0.2^2 + 0.5^2) + 1) w = 0.05 s (400 N 0.5 m - 30 g 0.2 m), nearly.
    turning = 0.05 * (200 - 6 * G) / (30 * 0.29 + 1)
    assert abs(run.base_velocity[run.times == 0.05, 3]) == pytest.approx(turning, rel=0.01)
