"""Ramps, hills, kerbs and sinusoidal roads under a base in time, against hand formulas and equations of their own."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp
from loadpath.mobile.spatial.geometry import rotation_of
from loadpath.mobile.spatial.terrain import Bodies, pieces_of
from loadpath.robot.wheels.surface import Surface

G, M, R, H = 9.81, 30.0, 0.1, 0.2


def cart(surface: Surface | None, spin_inertia: float = 0.0, patches: tuple[lp.Patch, ...] = (), **wheel) -> lp.Rover:
    """Four wheels at (+-0.35, +-0.3) of the radius 0.1."""
    wheels = [lp.FixedWheel((x, y), R, spin_inertia=spin_inertia, **wheel) for x in (0.35, -0.35) for y in (0.3, -0.3)]
    base = lp.WheeledBase(mass=M, center_of_mass=(0, 0, H), inertia=np.diag([1.0, 2.0, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8))
    return base.carrying(ground=lp.Ground(surface=surface, patches=patches))


@dataclass(frozen=True)
class Sine(Surface):
    a: float
    k: float

    def height(self, x, y):
        return self.a * np.sin(self.k * np.asarray(x)) + 0.0 * np.asarray(y)

    def gradient(self, x, y):
        slope = self.a * self.k * np.cos(self.k * np.asarray(x)) + 0.0 * np.asarray(y)
        return np.stack([slope, 0.0 * slope], axis=-1)


def test_a_cart_on_a_ramp_accelerates_by_hand():
    run = cart(lp.Ramp(at=-10.0, slope=0.2)).simulate(velocity=(1.0, 0.0), duration=0.5)
    assert run.velocity[:, 0] == pytest.approx(1.0 - G * np.sin(0.2) * run.times, abs=1e-10)
    assert run.normal.sum(axis=1) == pytest.approx(M * G * np.cos(0.2))
    assert run.pitch == pytest.approx(-0.2) and run.energy_drift < 1e-10


def test_rolling_over_a_hill_keeps_the_energy():
    """Wheels with inertia roll and lose nothing."""
    hill = Sine(0.15, 1.0)
    run = cart(hill, spin_inertia=0.02).simulate(velocity=(3.0, 0.0), pose=(-0.5, 0, 0), duration=0.8)
    energy = run.kinetic + run.potential
    assert np.ptp(energy) < 1e-7 * energy[0] and run.potential.max() - run.potential[0] > 40.0 and not run.events
    height = hill.height(run.position[-1, 0], 0.0)
    assert run.position[-1, 2] == pytest.approx(height, abs=0.02)
    x = np.linspace(-1.5, 1.5, 61)
    heights = np.outer(hill.height(x, 0.0), np.ones(4))
    mapped = cart(lp.HeightMap(x=x, y=(-1, -0.5, 0.5, 1), z=heights, interpolation="cubic"), spin_inertia=0.02)
    again = mapped.simulate(velocity=(3.0, 0.0), pose=(-0.5, 0, 0), times=run.times[run.times < 0.02])
    count = len(again.times)
    assert again.position == pytest.approx(run.position[:count], abs=1e-6) and count > 1


def test_a_wheel_meets_the_foot_of_a_ramp_with_the_impact_by_hand():
    """Velocities of the base (x, z, pitch) before and after, front wheels along the ramp, rear wheels on the road."""
    slope, v = 0.1, 1.0
    run = cart(lp.Ramp(at=0.7, slope=slope, length=1.0)).simulate(velocity=(v, 0.0), duration=0.5)
    n = np.array([-np.sin(slope), np.cos(slope)])
    mass = np.diag([M, M, 2.0])
    # Rows of the front and rear wheels' centers, (x, z) from the mass center, in the speeds (x, z, pitch).
    centers = (n, (0.35, R - H)), ((0, 1), (-0.35, R - H))
    rows = [np.array([d[0], d[1], d[0] * c[1] - d[1] * c[0]]) for d, c in centers]
    A, before = np.array(rows), np.array([v, 0.0, 0.0])
    per = np.linalg.solve(mass, A.T)
    after = before - per @ np.linalg.solve(A @ per, A @ before)
    k = int(np.searchsorted(run.times, run.events[0].time, side="right"))
    lost = 0.5 * (before @ mass @ before - after @ mass @ after)
    assert run.impact_heat[-1] == pytest.approx(lost, rel=1e-6)
    assert run.events[0].time == pytest.approx((0.35 - R * np.tan(slope / 2)) / v, abs=1e-9)
    assert run.base_velocity[k, 4] == pytest.approx(after[2], rel=5e-2) and run.energy_drift < 1e-8


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_the_pull_that_lifts_a_cart_over_a_kerb_by_hand(share):
    """F = W_front sqrt(2 R h - h^2)/(R - h), pulled at the height of the axles."""
    h = 0.03
    reach = np.sqrt(2 * R * h - h * h)
    rover = cart(lp.Kerb(at=1.0, step=h))
    F = share * 0.5 * M * G * reach / (R - h)
    pull = {"rover": lp.Wrench(force=(F, 0, 0), point=(0, 0, R))}
    run = rover.simulate(pose=(1.0 - reach - 0.35 - 1e-9, 0, 0), external=pull, duration=0.2)
    assert run.position[-1, 0] - run.position[0, 0] == pytest.approx(1e-9, abs=1e-9) if share < 1 else \
        run.position[-1, 0] - run.position[0, 0] > 1e-3


def test_a_cart_climbs_a_kerb_if_it_is_fast_enough():
    h = 0.03
    slow, fast = (cart(lp.Kerb(at=1.0, step=h)).simulate(velocity=(v, 0), pose=(0.5, 0, 0), duration=0.5)
                  for v in (0.5, 1.0))
    assert slow.velocity[-1, 0] < 0 and slow.position[-1, 2] < 1e-6
    assert fast.position[-1, 2] == pytest.approx(h / 2, rel=1e-2) and fast.velocity[-1, 0] > 0.5
    assert slow.energy_drift < 1e-6 and fast.energy_drift < 1e-6


def test_a_half_car_on_a_sinusoidal_road():
    """Linear equations of heave and pitch: the tyres' forces are along the road's normals and through the axles. What
    is left is of second order in the amplitude.
    """
    L, k, c, v = 0.35, 1e4, 150.0, 2.0
    left = []
    for a in (1e-3, 5e-4):
        run = cart(Sine(a, 6.0), stiffness=k, damping=c).simulate(velocity=(v, 0), duration=0.4, sample_rate=50)

        def rate(t, y, a=a):
            z, pitch, dz, dpitch = y
            force = moment = 0.0
            for x in (L, -L):
                phase = 6.0 * (v * t + x)
                slope = a * 6.0 * np.cos(phase)
                N = 2 * k * (a * np.sin(phase) - z + x * pitch) + 2 * c * (slope * v - dz + x * dpitch)
                force += N
                moment += -x * N + (H - R) * (M * G / 2) * (slope + pitch)
            return [dz, dpitch, force / M - G, moment / 2.0]

        first = rotation_of(run.quaternion[0]) @ run.base_velocity[0, :3]
        z = run.position[:, 2] + H * np.cos(run.pitch) - H
        own = solve_ivp(rate, (0, 0.4), [z[0], run.pitch[0], first[2], run.base_velocity[0, 4]], t_eval=run.times,
                        rtol=1e-9, atol=1e-12).y
        left.append([np.abs(own[0] - z).max() / a, np.abs(own[1] - run.pitch).max() / a])
        assert np.ptp(z) > a and run.energy_drift < 1e-9
    assert max(left[1]) < 5e-3
    assert np.array(left[0]) == pytest.approx(2 * np.array(left[1]), rel=0.1)


def test_two_fixed_wheels_across_a_hill_scrub_and_go_on():
    """Their lateral grips do not go together on ground that is not plane: one of them slides a little."""
    wheels = [lp.FixedWheel((0.35, y), R) for y in (0.3, -0.3)]
    wheels.append(lp.Support((-0.35, 0), friction=lp.WheelFriction(0.0)))
    base = lp.WheeledBase(mass=M, center_of_mass=(0.05, 0, H), inertia=np.diag([1.0, 2.0, 2.0]), wheels=wheels,
                          friction=lp.WheelFriction(0.8))
    rover = base.carrying(ground=lp.Ground(surface=Sine(0.15, 1.0)))
    run = rover.simulate(velocity=(2.0, 0.0), pose=(-1.0, 0, 0.2), duration=0.4)
    assert run.of_kind("slips") and run.energy_drift < 1e-7 and run.sliding_heat[-1] > 0


def test_plane_ground_with_a_ramp_far_away_is_as_the_plane():
    """The free body is the planar one, on patches of friction as well: the same forces of wheels that slide."""
    ice = lp.Patch(((0.6, 0.0), (1.2, 2.0)), lp.WheelFriction(0.1, rolling=0.03))
    brakes = {f"wheel{k}": 0.0 for k in range(1, 5)}
    plane, space = (cart(surface, 0.01, (ice,)).simulate(velocity=(2.0, 0.0), wheel_rates=brakes, duration=0.3)
                    for surface in (None, lp.Ramp(at=50.0, slope=0.1)))
    assert space.pose == pytest.approx(plane.pose, abs=1e-8) and abs(plane.pose[-1, 2]) > 1e-3
    assert space.normal == pytest.approx(plane.normal, abs=1e-5)
    assert space.sliding_heat[-1] == pytest.approx(plane.sliding_heat[-1])
    crossing = plane.of_kind("crosses")[0]
    assert space.of_kind("crosses")[0].time == pytest.approx(crossing.time) and crossing.part == "wheel1"


@pytest.mark.parametrize("surface", [
    Sine(0.05, 2.0), lp.Kerb(at=1.0, step=0.1, direction=0.2),
    lp.Ramp(at=0.8, slope=0.3, length=0.3) + lp.Ramp(at=1.2, slope=-0.3, length=1.0),
])
def test_normals_turn_and_gaps_change_as_their_differences(surface):
    rng, step = np.random.default_rng(3), 1e-5
    for piece in pieces_of(surface):
        for _ in range(40):
            center, v, w = rng.uniform((0.6, -0.1, 0.1), (1.4, 0.1, 0.3)), rng.normal(size=3), rng.normal(size=3)
            axle, radius = np.array([np.sin(0.3), np.cos(0.3), rng.normal() * 0.1]), rng.choice([0.2, 0.0])
            axle /= np.linalg.norm(axle)

            def at(t, piece=piece, center=center, v=v, w=w, axle=axle, radius=radius):
                turned = axle + t * np.cross(w, axle) + 0.5 * t * t * np.cross(w, np.cross(w, axle))
                turned /= np.linalg.norm(turned)
                bodies = Bodies((center + v * t)[None], turned[None], np.array([radius]), v[None],
                                np.cross(w, turned)[None])
                under = piece.under(bodies)
                r = bodies.reach(under.normal)
                return under, float((under.normal * r).sum() - under.offset[0]), r[0]

            (before, low, _), (now, _, r), (after, high, _) = at(-step), at(0.0), at(step)
            if np.abs(after.normal - before.normal).max() > 1e-2:
                continue  # over a corner, far away
            slope = (after.normal - before.normal) / (2 * step)
            if np.abs(slope).max() > 0 and not now.normal_rate.any():
                continue  # between a side and a corner
            assert now.normal_rate == pytest.approx(slope, abs=1e-5 * (1 + np.abs(slope).max()))
            rate = now.normal[0] @ (v + np.cross(w, r - center))
            assert rate == pytest.approx((high - low) / (2 * step), abs=1e-5)


def test_what_is_not_known_on_uneven_ground_is_refused_by_name():
    steps = lp.HeightMap(x=(-5, 0, 5), y=(-5, 5), z=((0, 0), (0, 0), (1, 1)))
    with pytest.raises(lp.ModelError, match="interpolation='cubic'"):
        cart(steps).simulate(duration=0.1)
    with pytest.raises(lp.ModelError, match="several directions"):
        cart(lp.Kerb(at=1, step=0.1) + lp.Kerb(at=1, step=0.1, direction=1.0)).simulate(duration=0.1)
    with pytest.raises(lp.ModelError, match="spin_inertia="):
        cart(lp.Kerb(at=1, step=0.1)).simulate(wheel_torques={"wheel1": 1.0}, duration=0.1)
    with pytest.raises(lp.ModelError, match="stands on uneven ground"):
        cart(lp.Kerb(at=1, step=0.1)).simulate(freedoms="x", duration=0.1)
    with pytest.raises(lp.ModelError, match="does not stand"):
        cart(lp.Kerb(at=0.0, step=2.0, across=(0.0, 9.0))).simulate(pose=(-0.1, 0, 0), duration=0.1)
    with pytest.raises(lp.IntegrationError, match="came over its side"):
        cart(lp.Kerb(at=-5, step=0.02, across=(0.5, 1.0))).simulate(velocity=(1, 0), pose=(0, 0, 0.6), duration=0.2)


def test_one_torque_drives_all_of_a_cart_on_ground_of_several_pieces():
    """By hand: M + 4 J / R^2 is moved by T / R."""
    J, T = 0.01, 1.0
    run = cart(lp.Kerb(at=1.0, step=0.05), spin_inertia=J).simulate(wheel_torques={"wheel1": T}, duration=0.05)
    assert run.velocity[-1, 0] == pytest.approx(T / R / (M + 4 * J / R**2) * 0.05, rel=1e-6)
