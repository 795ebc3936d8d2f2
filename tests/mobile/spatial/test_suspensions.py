"""Wheels on suspensions in time, against closed forms, statics, modes, and equations written apart."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import loadpath as lp
from loadpath.robot.wheels.surface import Surface

G = 9.81
MASS, K, C, TYRE, HUB = 1400.0, 20e3, 1500.0, 200e3, 40.0
STOPS = {"bump_travel": 0.18, "bump_stop_stiffness": 2e5, "rebound_travel": 0.05, "rebound_stop_stiffness": 4e5}
KINDS = {
    "hubs with a mass": {"unsprung_mass": HUB},
    "dampers": {},
    "tyres alone have dampers": {"damping": 0.0, "tyre_damping": 300.0},
    "no dampers": {"damping": 0.0},
    "hubs with a mass on rigid tyres": {"unsprung_mass": HUB, "tyre": None},
    "rigid tyres": {"tyre": None},
    "rigid tyres without dampers": {"damping": 0.0, "tyre": None},
}


def car(center=(0.0, 0.0, 0.5), tyre=TYRE, tyre_damping=0.0, wheel=lp.CasterWheel, bars=(), **parts):
    """Four equal wheels at (+-1.2, +-0.7)."""
    strut = lp.Suspension(**{"stiffness": K, "damping": C, **parts})
    own = {} if tyre is None else {"stiffness": tyre, "damping": tyre_damping}
    radius = () if wheel is lp.Support else (0.3,)
    wheels = [wheel((x, y), *radius, suspension=strut, **own) for x in (-1.2, 1.2) for y in (-0.7, 0.7)]
    return lp.WheeledBase(mass=MASS, center_of_mass=center, inertia=np.diag([400.0, 1500.0, 1700.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8), anti_roll_bars=bars).carrying()


def level(**parts):
    """On rigid tyres, its springs in their design position under the weight."""
    return car(tyre=None, unsprung_mass=HUB, preload=MASS * G / 4 - HUB * G, **parts)


def after_start(force=(0, 0, 0), torque=(0, 0, 0)):
    """A step right after the base has come to rest."""
    zero = np.zeros(3)
    return lambda t, state: {"rover": lp.Wrench(*((force, torque) if t > 0 else (zero, zero)))}


QUICK = ("hubs with a mass", "dampers", "rigid tyres")
EVERY = [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]


@pytest.mark.parametrize("kind", EVERY)
def test_a_base_begins_at_rest_as_in_statics_and_keeps_its_energy(kind):
    """Statics are of first order: a preload keeps the posture small."""
    rover = car(center=(0.01, 0.005, 0.5), preload=3000.0, **KINDS[kind])
    posture = rover.posture()
    run = rover.simulate(duration=0.05, external=after_start((0, 0, -9000.0), (200.0, 300.0, 0)))
    assert run.suspension_travel[0] == pytest.approx(posture.suspension, abs=1e-3)
    assert run.normal[0] == pytest.approx(posture.normal, rel=5e-3)
    assert abs(run.base_acceleration[0]).max() < 1e-9
    assert run.energy_drift < 1e-9 and not run.events and abs(run.base_velocity).max() > 0.1
    assert (run.damper_heat[-1] > 0) == (kind not in ("no dampers", "rigid tyres without dampers"))


def test_a_quarter_car_with_its_hub_rings_as_in_closed_form_and_has_the_eigenvalues_of_ride_modes():
    rover = car(unsprung_mass=HUB, tyre_damping=100.0)
    run = rover.simulate(duration=0.3, external=after_start((0, 0, -500.0)), rtol=1e-9)
    spring, damper = (4 * np.array([[a, -a], [-a, a + b]]) for a, b in ((K, TYRE), (C, 100.0)))
    per_mass = np.diag([1 / (MASS - 4 * HUB), 1 / (4 * HUB)])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-per_mass @ spring, -per_mass @ damper]])
    B = np.zeros((5, 5))
    B[:4, :4], B[2, 4] = A, -500.0 * per_mass[0, 0]
    base, hub = np.array([expm(B * t)[:2, 4] for t in run.times]).T
    assert run.position[:, 2] - run.position[0, 2] == pytest.approx(base, abs=1e-9)
    assert run.suspension_travel[:, 0] - run.suspension_travel[0, 0] == pytest.approx(hub - base, abs=1e-9)
    force = K * run.suspension_travel[:, 0] + C * np.gradient(run.suspension_travel[:, 0], run.times, edge_order=2)
    assert run.suspension_force[1:-1, 0] == pytest.approx(force[1:-1], rel=2e-2)
    eigenvalues = rover.ride_modes().eigenvalues
    for root in np.linalg.eigvals(A):
        assert abs(eigenvalues - root).min() < 1e-9 * abs(root)


def test_a_base_on_feet_rolls_with_the_frequency_and_damping_of_ride_modes():
    rover, T = level(wheel=lp.Support), 20.0
    modes = rover.ride_modes()
    k = modes.names.tolist().index("roll")
    w, zeta = 2 * np.pi * modes.frequencies[k], modes.damping_ratios[k]
    run = rover.simulate(duration=0.3, external=after_start(torque=(T, 0, 0)), rtol=1e-10)
    t, damped = run.times, w * np.sqrt(1 - zeta**2)
    stiffness = 4 * K * 0.7**2 - MASS * G * 0.5
    ring = np.exp(-zeta * w * t) * (np.cos(damped * t) + zeta * w / damped * np.sin(damped * t))
    assert run.roll == pytest.approx(T / stiffness * (1 - ring), abs=1e-6 * T / stiffness)


@pytest.mark.parametrize("hub", [HUB, pytest.param(0.0, marks=pytest.mark.slow)])
def test_a_car_that_the_ground_shakes_moves_as_two_masses_on_springs(hub):
    """Ground that heaves by A (1 - cos w t)^2; in inertial space."""
    A, w = 0.01, 6 * np.pi

    def ground(t):
        p = 1 - np.cos(w * t)
        return A * p**2, 2 * A * p * w * np.sin(w * t), 2 * A * w * w * (np.sin(w * t) ** 2 + p * np.cos(w * t))

    rover = car(unsprung_mass=hub, tyre_damping=100.0).on(lp.Ground(motion=lp.GroundMotion(heave=ground)))
    run = rover.simulate(duration=0.3, rtol=1e-9)

    def rates(t, y):
        z, h, v = y[:3]
        up, rate, _ = ground(t)
        if not hub:
            u = (TYRE * (up - h) + 100.0 * rate - K * (h - z) + C * v) / (C + 100.0)
            return [v, u, 4 * (K * (h - z) + C * (u - v)) / MASS]
        force, tyre = K * (h - z) + C * (y[3] - v), TYRE * (up - h) + 100.0 * (rate - y[3])
        return [v, y[3], 4 * force / (MASS - 4 * hub), (tyre - force) / hub]

    z, h, *_ = solve_ivp(rates, (0, 0.3), np.zeros(4 if hub else 3), "DOP853", run.times, rtol=1e-11, atol=1e-13).y
    assert run.position[:, 2] - run.position[0, 2] == pytest.approx(z - ground(run.times)[0], abs=1e-8)
    assert run.suspension_travel[:, 0] - run.suspension_travel[0, 0] == pytest.approx(h - z, abs=1e-8)
    assert np.ptp(z) > 0.02 and run.energy_drift < 1e-7


def ramped(t, end):
    return min(max(t, 0.0) / end, 1.0)


@pytest.mark.slow
def test_a_driven_car_squats_and_moves_its_load_to_the_rear():
    rover, T, h, R, L = level(wheel=lp.FixedWheel), 150.0, 0.5, 0.3, 2.4
    torques = dict.fromkeys(rover.contact_names, lambda t, state: T * ramped(t, 0.3))
    run = rover.simulate(velocity=(1.0, 0.0), duration=3.0, wheel_torques=torques, sample_rate=10)
    a = 4 * T / R / MASS
    pitch = -MASS * a * h / (4 * K * 1.2**2 - MASS * G * (h - R))  # the wheels roll under their axles
    assert run.acceleration[-1, 0] == pytest.approx(a, rel=1e-4) and run.pitch[-1] == pytest.approx(pitch, rel=1e-3)
    more = (MASS * a * h - MASS * G * (h - R) * pitch) / L / 2
    assert run.normal[-1] - run.normal[0] == pytest.approx([more, more, -more, -more], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("bar", [0.0, 8e3])
def test_a_lateral_force_leans_a_car_against_springs_and_anti_roll_bars(bar):
    """As in a steady turn: the roll stiffness less weight times height."""
    ends = [("wheel1", "wheel2"), ("wheel3", "wheel4")]
    bars = [lp.AntiRollBar(right, left, bar) for right, left in ends] if bar else ()
    rover, h, F = level(wheel=lp.FixedWheel, bars=bars, damping=6000.0), 0.5, 280.0

    def push(t, state):
        f = F * ramped(t, 0.5)
        return {"rover": lp.Wrench(force=(0, f, 0), torque=(-h * f, 0, 0))}

    run = rover.simulate(duration=2.5, external=push, sample_rate=10)
    stiffness = 4 * K * 0.7**2 + 2 * bar * 1.4**2
    assert run.roll[-1] == pytest.approx(-F * h / (stiffness - MASS * G * h), rel=1e-3)
    assert run.suspension_travel[-1] == pytest.approx(np.array([-1, 1, -1, 1]) * -0.7 * run.roll[-1], abs=2e-5)
    assert run.suspension_force[-1] - run.suspension_force[0] == pytest.approx(
        K * (run.suspension_travel[-1] - run.suspension_travel[0]), rel=1e-3, abs=0.1)


class Hill(Surface):
    """A bump across the way."""

    A, L, AT = 0.03, 0.6, 2.0

    def height(self, x, y):
        return self.A * np.exp(-(((x + 0 * y) - self.AT) / self.L) ** 2)

    def gradient(self, x, y):
        slope = -2 * (x - self.AT) / self.L**2 * self.height(x, y)
        return np.stack([slope, 0 * slope], axis=-1)

    def curvature(self, x, y):
        bent = (4 * (x - self.AT) ** 2 / self.L**4 - 2 / self.L**2) * self.height(x, y)
        return np.stack([np.stack([bent, 0 * bent], axis=-1), np.zeros((*np.shape(bent), 2))], axis=-2)


def _half_car(hill, tyre_damping, inertia=1500.0, h=0.5, R=0.3, a=1.2):
    """Rates of (x, z, pitch, travel in front and behind) and their speeds: sprung body and hubs as bodies of their own,
    a wheel pressed in along the normal at the nearest point of the road.
    """
    sprung = MASS - 4 * HUB
    high = (MASS * h - 4 * HUB * R) / sprung
    I = inertia - sprung * (high - h) ** 2 - 4 * HUB * (a**2 + (R - h) ** 2)  # noqa: E741

    def road(x):
        at, y = np.float64(x), np.float64(0.0)
        return float(hill.height(at, y)), float(hill.gradient(at, y)[0]), float(hill.curvature(at, y)[0, 0])

    def rates(t, y):
        q, qd = y[:5], y[5:]
        c, s, w = np.cos(q[2]), np.sin(q[2]), qd[2]
        M, f = np.zeros((5, 5)), np.zeros(5)
        M[2, 2] = I
        for x, design, m, hub in ((0.0, high, sprung, None), (a, R, 2 * HUB, 3), (-a, R, 2 * HUB, 4)):
            z, slides = (design, 0.0) if hub is None else (design + q[hub], qd[hub])
            J = np.zeros((2, 5))
            J[:, :3] = [[1, 0, -x * s + z * c], [0, 1, -x * c - z * s]]
            if hub is not None:
                J[:, hub] = s, c
            bias = w * w * np.array([-x * c - z * s, x * s - z * c]) + 2 * w * slides * np.array([c, -s])
            M += m * J.T @ J
            f += J.T @ (m * np.array([0, -G]) - m * bias)
            if hub is None:
                continue
            center = q[:2] + np.array([x * c + z * s, -x * s + z * c])
            u = center[0]
            for _ in range(20):
                up, slope, bent = road(u)
                u -= (u - center[0] + (up - center[1]) * slope) / (1 + slope**2 + (up - center[1]) * bent)
            up, slope, _ = road(u)
            n = np.array([-slope, 1.0]) / np.hypot(1.0, slope)
            depth = R - n @ (center - [u, up])
            f += J.T @ n * 2 * max(TYRE * depth - tyre_damping * n @ J @ qd, 0.0) * (depth > 0)
            f[hub] -= 2 * (K * q[hub] + C * qd[hub])
        return np.concatenate([qd, np.linalg.solve(M, f)])

    return rates


@pytest.mark.slow
def test_a_car_over_a_bump_moves_as_equations_written_apart_say():
    hill = Hill()
    rover = car(unsprung_mass=HUB, tyre_damping=500.0).on(lp.Ground(surface=hill))
    run = rover.simulate(velocity=(4.0, 0.0), duration=1.2, rtol=1e-9)
    c, s, v = np.cos(run.pitch[0]), np.sin(run.pitch[0]), run.base_velocity[0]
    start = [run.position[0, 0], run.position[0, 2], run.pitch[0], *run.suspension_travel[0, [2, 0]],
             v[0] * c + v[2] * s, -v[0] * s + v[2] * c, v[4], 0.0, 0.0]
    own = solve_ivp(_half_car(hill, 500.0), (0, 1.2), start, "DOP853", run.times, rtol=1e-10, atol=1e-12).y
    there = [run.position[:, 0], run.position[:, 2], run.pitch, *run.suspension_travel[:, [2, 0]].T]
    assert np.array(there) == pytest.approx(own[:5], abs=1e-8)
    assert np.ptp(run.suspension_travel) > 0.03 and run.energy_drift < 1e-9


def test_a_wheel_that_is_lifted_hangs_at_its_rebound_stop():
    """A torque that shifts the load off the right wheel in front from the start: the stop holds the hub's weight."""
    rover = car(center=(0, 0, 0.3), unsprung_mass=HUB, preload=3000.0, **STOPS)
    shifted = {"rover": lp.Wrench(torque=(-MASS * G * 0.38, -MASS * G * 0.65, 0))}
    run = rover.simulate(duration=0.05, external=shifted)
    upright = np.cos(run.pitch[0]) * np.cos(run.roll[0])
    hangs = float(rover.base.wheels[0].suspension.deflection(-HUB * G * upright))
    assert run.lifted[0].tolist() == [False, False, True, False] and hangs < -STOPS["rebound_travel"]
    assert run.suspension_travel[0, 2] == pytest.approx(hangs, abs=1e-9)
    assert run.suspension_travel[:, 2] == pytest.approx(hangs, abs=1e-5)
    assert run.suspension_force[:, 2] == pytest.approx(-HUB * G * upright, rel=1e-2)


@pytest.mark.parametrize("kind", [
    "rigid tyres without dampers", *(pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS if kind[0] != "r")])
def test_a_car_thrown_up_lands_on_its_stops(kind):
    def up(t, state):
        return {"rover": lp.Wrench(force=(0, 0, 40e3 if 0 < t < 0.15 else 0.0), torque=(500.0, 0, 0))}

    run = car(**{**STOPS, **KINDS[kind]}).simulate(velocity=(1.0, 0.0), duration=0.9, external=up, max_step=0.01)
    flies = run.lifted.all(axis=1)
    assert flies.sum() > 10 and {event.kind for event in run.events} >= {"lifts", "lands"}
    assert run.suspension_travel.max() > STOPS["bump_travel"] and run.energy_drift < 2e-6
    assert abs(run.normal[flies]).max() == 0


def test_what_suspensions_lack_in_time_is_refused():
    with pytest.raises(lp.ModelError, match=r"has no damping: give lp.Suspension\(damping="):
        car(damping=None).simulate(duration=0.1)
    bar = lp.AntiRollBar("wheel1", "wheel2", 8e3)
    with pytest.raises(lp.ModelError, match=r"an anti-roll bar holds 'wheel1'.*neither an unsprung_mass nor a damping"):
        car(damping=0.0, bars=[bar]).simulate(duration=0.1)
    kerb = lp.Ground(surface=lp.Kerb(at=3.0, step=0.05))
    with pytest.raises(lp.ModelError, match="has no unsprung_mass, and a wheel may stand on several sides"):
        car().on(kerb).simulate(duration=0.1)


def test_a_kick_from_the_beginning_finds_the_car_at_rest_under_its_weight():
    """No posture balances it: it begins as without it, and takes its impulse up."""
    kick = 6 * MASS * G
    rover = car(unsprung_mass=HUB)
    run = rover.simulate(duration=0.02, external={"rover": lp.Wrench(force=(0, 0, kick), torque=(0, 0, 0))})
    at_rest = rover.simulate(duration=0.001)
    assert run.position[0] == pytest.approx(at_rest.position[0], abs=1e-12)
    assert run.suspension_travel[0] == pytest.approx(at_rest.suspension_travel[0], abs=1e-12)
    assert run.base_acceleration[0, 2] == pytest.approx(kick / (MASS - 4 * HUB), rel=1e-9)
    assert run.energy_drift < 1e-8
