"""Flexible arms in time: against rods of finite elements, chains of rigid segments, formulas, and what is conserved."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from planar_rod_fe import PlanarRod, spun_rod
from random_arms import random_arm
from segment_chain import segment_chain

import loadpath as lp
from loadpath.structure.motion_in_time.assembly import Assembly
from loadpath.structure.motion_in_time.chain import chain

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

ALL = ("bending", "torsion", "extension", "shear", "joints")
SOFT = lp.Material(youngs_modulus=2e9, shear_modulus=0.75e9, density=1200.0, name="soft")


def pendulum(material: lp.Material = SOFT, radius: float = 0.01) -> lp.FlexibleRobot:
    """A rod of 1 m on a hinge, falling in the plane."""
    beam = lp.Beam(lp.Rod(radius), material, end="tip_joint")
    return lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)


def two_links(material: lp.Material = SOFT) -> lp.FlexibleRobot:
    section = lp.Rod(0.012)
    beams = {
        "link1": lp.Beam(section, material, end="joint2"),
        "link2": lp.Beam(section, material, end="tip_joint"),
    }
    return lp.catalog.planar(2).with_beams(beams, inertia_from_beams=True)


# The equations themselves


@pytest.mark.parametrize("seed", [1, 2])
def test_mass_matrix_of_the_straight_arm(seed: int) -> None:
    """The rigid robot's and the vibration model's, joints of all kinds and trees included."""
    arm = random_arm(seed)
    parts = chain(arm, ALL, 3)
    model, n = parts.model, arm.n
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=n), rng.normal(size=n)
    at = Assembly(parts, np.eye(model.size))(q, qd, np.zeros((2, model.size)))
    rigid = arm.without_beams().mass_matrix(q) - np.diag([*_rotors(arm)])
    np.testing.assert_allclose(at.M[:n, :n], rigid, atol=1e-9 * np.abs(rigid).max())
    held = model.at(q[None]).matrices()[0][0]
    lowest = [np.sort(np.linalg.eigvalsh(M))[::-1][:6] for M in (at.M[n:, n:], held)]
    np.testing.assert_allclose(lowest[0], lowest[1], rtol=1e-3)


def _rotors(arm: lp.FlexibleRobot) -> Any:
    from loadpath.robot.mechanism import plain
    from loadpath.structure.motion_in_time.assembly import drive_constants

    return drive_constants(plain(arm))[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_bias_forces_are_lagranges(seed: int) -> None:
    """d/dt (dT/dz') - dT/dz + dV/dz from differences of the mass matrix, far from straight and fast."""
    arm = random_arm(seed)
    parts = chain(arm, ALL, 3)
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(parts.model.size, 5)))[0]
    assembly, n = Assembly(parts, basis), arm.n
    z, zd = 0.4 * rng.normal(size=n + 5), rng.normal(size=n + 5)
    bend = 0.5 / np.abs(np.einsum("kic,cm->kim", parts.strain_matrices(), basis)[:, 3:6]).max()
    z[n:], zd[n:] = bend * rng.normal(size=5), bend * rng.normal(size=5)

    def at(z: np.ndarray, zd: np.ndarray) -> Any:
        return assembly(z[:n], zd[:n], np.stack([z[n:], zd[n:]]))

    def kinetic(z: np.ndarray) -> float:
        return float(0.5 * zd @ at(z, zd).M @ zd)

    h = 1e-5
    still = np.zeros_like(zd)
    dM = (at(z + h * zd, zd).M - at(z - h * zd, zd).M) / (2 * h)
    expected = dM @ zd
    for k in range(n + 5):
        size = h * (bend if k >= n else 1.0)
        e = size * np.eye(n + 5)[k]
        expected[k] -= (kinetic(z + e) - kinetic(z - e)) / (2 * size)
        expected[k] += (at(z + e, still).potentials.sum() - at(z - e, still).potentials.sum()) / (2 * size)
    found = at(z, zd).bias
    np.testing.assert_allclose(found, expected, atol=2e-7 * np.abs(expected).max())


# Rigid limit, conservation


@pytest.mark.slow
def test_stiff_arm_moves_like_the_rigid_robot() -> None:
    apart = []
    for factor in (1.0, 6.0, 36.0):
        material = lp.Material(SOFT.youngs_modulus * factor, SOFT.shear_modulus * factor, SOFT.density)
        arm = two_links(material)
        bent = arm.simulate([0.3, 0.4], [0.5, -1.0], duration=0.06, modes=2, elastic="straight", sample_rate=500)
        rigid = arm.without_beams().simulate([0.3, 0.4], [0.5, -1.0], duration=0.06, sample_rate=500)
        apart.append(float(np.abs(bent.q - rigid.q).max()))
        assert bent.energy_drift < 1e-7
    assert apart[1] < apart[0] / 3 and apart[2] < apart[1] / 3


def in_space() -> lp.FlexibleRobot:
    """Two bodies joined by a bent, twisting arm that floats without weight."""
    links = (
        lp.Link("world"),
        lp.Link("hull", lp.Inertia(3.0, (0.1, 0.0, 0.05), np.diag([0.2, 0.3, 0.25]).tolist())),
        lp.Link("boom", lp.Inertia(0.5, (0.4, 0.0, 0.0), np.diag([1e-3, 0.03, 0.03]).tolist())),
        lp.Link("load", lp.Inertia(1.0, (0.05, 0.1, 0.0), np.diag([0.02, 0.03, 0.02]).tolist())),
    )
    joints = (
        lp.Joint("floats", "world", "hull", lp.Free()),
        lp.Joint("elbow", "hull", "boom", lp.Revolute((0.0, 0.6, 0.8)), origin=lp.Pose(translation=(0.2, 0.1, 0.0))),
        lp.Joint("held", "boom", "load", lp.Fixed(), origin=lp.Pose(translation=(0.8, 0.0, 0.0))),
    )
    robot = lp.Robot("in space", links, joints, gravity=(0.0, 0.0, 0.0))
    return robot.with_beams({"boom": lp.Beam(lp.Bar(0.02, 0.012), SOFT, end="held")}, inertia_from_beams=True)


def test_momentum_is_conserved_in_space() -> None:
    arm = in_space()
    rng = np.random.default_rng(3)
    q = arm.neutral()
    run = arm.simulate(q, rng.normal(size=arm.n), duration=0.3, elastic="straight", sample_rate=20, damping=0.1)
    assert run.energy_drift < 1e-7
    assert np.abs(run.deflection.tip.displacement).max() > 0.01  # it does bend
    assembly = Assembly(run.chain, run.basis)
    linear, angular = [], []
    from scipy.spatial.transform import Rotation

    for k in range(len(run.times)):
        elastic = np.stack([run.elastic[k], run.elastic_rate[k]])
        at = assembly(run.q[k], run.qd[k], elastic)
        momentum = at.M[:6] @ np.concatenate([run.qd[k], run.elastic_rate[k]])
        x, R = run.q[k, :3], Rotation.from_quat(run.q[k, 3:7]).as_matrix()
        # Speeds of a free joint are the twist in the hull's axes: whichever of its halves is the linear one.
        halves = [R @ momentum[:3], R @ momentum[3:6]]
        P, L = halves if _linear_first() else halves[::-1]
        linear.append(P)
        angular.append(L + np.cross(x, P))
    np.testing.assert_allclose(linear, [linear[0]] * len(linear), atol=1e-6 * np.abs(linear[0]).max())
    np.testing.assert_allclose(angular, [angular[0]] * len(angular), atol=1e-6 * np.abs(angular[0]).max())


def _linear_first() -> bool:
    return not lp.Free.angular[0]


def test_energy_of_a_pendulum() -> None:
    """Part of a swing here. By hand, 94.5 periods: 1.0e-6; 9.5 periods: 1.0e-7, with rtol=1e-9 9.3e-9."""
    run = pendulum().simulate([-0.5], [0.0], duration=1.0, modes=4, sample_rate=30, damping=0.0)
    assert run.energy_drift < 2e-8
    assert np.ptp(run.q[:, 0]) > 1.0 and np.ptp(run.strain_energy) > 1e-4


def test_work_of_drives_and_heat_are_balanced() -> None:
    arm = two_links()
    joints = tuple(
        lp.Joint(j.name, j.parent, j.child, j.motion, origin=j.origin, link_offset=j.link_offset,
                 viscous_friction=0.05, coulomb_friction=0.2, rotor_inertia=1e-3)
        if j.name in ("joint1", "joint2") else j
        for j in arm.joints
    )
    from dataclasses import replace

    arm = replace(arm, joints=joints)
    run = arm.simulate(
        [0.0, 0.3], [0.0, 0.0], lambda t, q, qd: [12.0 * math.cos(3 * t), 2.0 - 1.5 * qd[1]], duration=0.2,
        external={"tip": lp.Wrench(force=(0.0, 3.0, 1.0))}, damping=0.03, modes=4,
    )
    assert run.energy_drift < 1e-6
    assert run.dissipated[-1] > 0.01 and run.drive_work[-1] != 0 and run.external_work[-1] != 0


# Against formulas and other programs


def test_two_masses_and_a_spring() -> None:
    """A rotor and a wheel on a drive spring: exact."""
    inertia, rotor, stiffness = 0.3, 0.1, 40.0
    links = (lp.Link("base"), lp.Link("wheel", lp.Inertia(1.0, (0, 0, 0), (inertia * np.eye(3)).tolist())))
    joint = lp.Joint("drive", "base", "wheel", lp.Revolute((0, 0, 1)), rotor_inertia=rotor)
    arm = lp.Robot("oscillator", links, (joint,), gravity=(0, 0, 0)).with_beams(
        joint_compliance={"drive": lp.JointCompliance(drive=stiffness)}
    )
    run = arm.simulate([0.2], [0.0], duration=2.0, elastic=[0.5 * math.sqrt(stiffness)], damping=0.0)
    omega = math.sqrt(stiffness * (1 / inertia + 1 / rotor))
    wind_up = 0.5 * np.cos(omega * run.times)
    np.testing.assert_allclose(run.deflection["wheel"].rotation[:, 2], wind_up, atol=1e-7)
    # The rotor takes the share of the inertias, and the mass center of both stays.
    rest = 0.2 + 0.5 * inertia / (inertia + rotor)
    np.testing.assert_allclose(run.q[:, 0], rest - wind_up * inertia / (inertia + rotor), atol=1e-7)
    damped = arm.simulate([0.2], [0.0], duration=2.0, elastic=[0.5 * math.sqrt(stiffness)], damping=0.1)
    assert damped.energy_drift < 1e-7 and damped.energy[-1] < 0.1 * damped.energy[0]


def simo_beam() -> lp.FlexibleRobot:
    """Simo and Vu-Quoc's beam: L = 10, EA = 2.8e7, GA = 1e7, EI = 1.4e4, 1.2 kg/m, rotary inertia 6e-4."""
    section = lp.Section(1.0, 5e-4, 5e-4, 5e-4, shear_factor_y=1.0, shear_factor_z=1.0)
    with pytest.warns(lp.ModelWarning, match="density"):
        material = lp.Material(2.8e7, 1e7, 1.2, orthotropic=True)
    inertia = lp.Inertia(12.0, (5, 0, 0), np.diag([0.012, 100, 100]).tolist())
    links = lp.Link("base"), lp.Link("beam", inertia), lp.Link("tip")
    joints = (
        lp.Joint("hub", "base", "beam", lp.Revolute((0, 0, 1))),
        lp.Joint("tip_joint", "beam", "tip", lp.Fixed(), origin=lp.Pose(translation=(10, 0, 0))),
    )
    robot = lp.Robot("spin-up", links, joints, gravity=(0, 0, 0))
    return robot.with_beams({"beam": lp.Beam(section, material, end="tip_joint")}, inertia_from_beams=True)


def spin_up(t: float) -> tuple[float, float, float]:
    """To 6 rad/s in 15 s."""
    T, w = 15.0, 2 * math.pi / 15.0
    if t >= T:
        return 6 * t - 45, 6.0, 0.0
    c, s = math.cos(w * t), math.sin(w * t)
    return 0.4 * (t * t / 2 + (c - 1) / w**2), 0.4 * (t - s / w), 0.4 * (1 - c)


def test_spin_up_stiffens() -> None:
    """Up to 8 s here; to 20 s with finer elements by hand: 0.11 % of the largest deflection."""
    duration = 8.0
    options: Any = {"prescribed": {"hub": spin_up}, "modes": 6, "damping": 0.0, "sample_rate": 20}
    run = simo_beam().simulate([0.0], [0.0], duration=duration, **options)
    c, s = np.cos(run.q[:, 0]), np.sin(run.q[:, 0])
    d = run.deflection.tip.displacement
    found = np.stack([c * d[:, 0] + s * d[:, 1], -s * d[:, 0] + c * d[:, 1]], axis=1)
    rod = PlanarRod(10.0, (2.8e7, 1e7, 1.4e4), (1.2, 6e-4), elements=8)
    times, tip = spun_rod(rod, spin_up, duration, 0.01)
    expected = np.stack([np.interp(run.times, times, column) for column in tip.T], axis=1)
    assert expected[:, 1].min() == pytest.approx(-0.574, abs=2e-3)
    assert np.abs(found[:, 1] - expected[:, 1]).max() < 0.005 * np.abs(expected[:, 1]).max()
    assert np.abs(found[:, 0] - expected[:, 0]).max() < 0.01 * np.abs(expected[:, 0]).max()
    assert run.energy_drift < 1e-7


def test_two_links_against_a_chain_of_segments() -> None:
    """MuJoCo's rigid segments with springs between them; by hand with 16 coordinates and 32 slices: 0.14 %."""
    pytest.importorskip("mujoco")
    rubber = lp.Material(youngs_modulus=2e8, shear_modulus=0.75e8, density=1200.0)
    arm = two_links(rubber)
    q, qd, times = (0.2, 0.5), (0.0, 6.0), np.linspace(0.0, 0.6, 16)
    run = arm.simulate(q, qd, times=times, modes=12, effects=("bending",), elastic="straight", damping=0.0)
    tip = segment_chain(rubber, 0.012, q, qd, times, slices=16, step=2e-4)
    rigid = arm.without_beams().simulate(q, qd, times=times)
    moved = arm.link_poses(rigid.q)[:, -1, :3, 3]
    assert np.abs(run.tip_position - moved).max() > 0.1  # it is not rigid
    assert np.abs(run.tip_position - tip).max() < 0.01 * np.abs(run.tip_position - moved).max()


@pytest.mark.parametrize("payload", [0.0, 0.25])
def test_a_mast_rings_at_its_loaded_frequency(payload: float) -> None:
    """Small vibrations of an upright mast that its payload brings near buckling."""
    arm = pendulum(radius=0.006).with_payload(mass=payload)
    q, held = [math.pi / 2], {"joint1": math.pi / 2}
    expected = arm.natural_frequencies(q, count=2).frequencies[0]
    unloaded = arm.natural_frequencies(q, count=2, loaded=False).frequencies[0]
    assert expected < (0.97 if payload == 0 else 0.7) * unloaded
    push = np.array([1e-4, 1e-4, 0, 0, 0, 0])
    duration = 5 / expected
    options: Any = {"prescribed": held, "modes": 6, "damping": 0.0, "elastic": push}
    run = arm.simulate(q, [0.0], times=np.linspace(0.0, duration, 201), **options)
    # A sine is fitted to the tip's displacement, by its frequency; a window keeps other modes out.
    window = np.hanning(len(run.times))
    swing = run.deflection.tip.displacement @ np.array([1.0, 0.0, 0.0])

    def left(frequency: float) -> float:
        w = 2 * np.pi * frequency * run.times
        waves = np.stack([np.sin(w), np.cos(w)], axis=1)
        return float(np.linalg.lstsq(window[:, None] * waves, window * swing, rcond=None)[1][0])

    from scipy.optimize import minimize_scalar

    found = minimize_scalar(left, bracket=(0.99 * expected, 1.01 * expected), tol=1e-10).x
    assert found == pytest.approx(expected, rel=5e-4)


# What is refused


def test_wrong_inputs() -> None:
    arm = pendulum()
    start: Any = ([0.3], [0.0])
    with pytest.raises(ValueError, match="'modes' is 500"):
        arm.simulate(*start, duration=0.1, modes=500)
    with pytest.raises(ValueError, match="'elastic' is 'bent'"):
        arm.simulate(*start, duration=0.1, elastic="bent")
    with pytest.raises(ValueError, match=r"its prescribed law begins at 0\.5"):
        arm.simulate(*start, duration=0.1, prescribed={"joint1": 0.5})
    with pytest.raises(ValueError, match="speed 0 at t = 0 s, but its position changes at 1"):
        arm.simulate([0.0], [0.0], duration=0.1, prescribed={"joint1": lambda t: (t, 0.0, 0.0)})
    with pytest.raises(ValueError, match="no joint 'joint7'"):
        arm.simulate(*start, duration=0.1, prescribed={"joint7": 0.5})
    with pytest.raises(ValueError, match=r"damping is 1\.5"):
        arm.simulate(*start, duration=0.1, damping=1.5)
    with pytest.raises(lp.ModelError, match="no elastic part"):
        arm.simulate(*start, duration=0.1, effects=("joints",))


def test_torque_of_a_joint_that_follows_a_law_is_named() -> None:
    arm = pendulum()
    with pytest.warns(lp.ModelWarning, match="torque for joint1, which 'prescribed' makes follow a law"):
        arm.simulate([0.3], [0.0], [2.0], 0.01, prescribed={"joint1": 0.3}, modes=1)


def test_a_law_that_jumps_is_named() -> None:
    """A speed that ends at once takes a blow that no force has: the energy of the arm does not add up."""
    arm = pendulum()
    with pytest.raises(
        lp.IntegrationError, match=r"J of energy are not accounted for, [\d.]+ % .*law of a joint may jump"
    ) as found:
        stops = {"joint1": lambda t: (0.3 + t, 1.0, 0.0) if t < 0.05 else (0.35, 0.0, 0.0)}
        arm.simulate([0.3], [1.0], duration=0.1, modes=1, prescribed=stops)
    assert 0.03 < found.value.result.times[-1] <= 0.05
    with pytest.raises(ValueError, match="'prescribed' is a list: expected a mapping"):
        arm.simulate([0.3], [0.0], duration=0.1, prescribed=[("joint1", 0.3)])  # type: ignore[arg-type]


def test_an_arm_that_is_held_does_not_drift() -> None:
    box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    arm = lp.catalog.planar(1, mass=3.0).with_payload(2.0).with_beams({"link1": box})
    assert arm.simulate([0.3], [0.0], duration=0.05, prescribed={"joint1": 0.3}).energy_drift < 1e-6
