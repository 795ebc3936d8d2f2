"""Natural frequencies under load against the exact equation of the beam-column, and against the unloaded arm."""

from __future__ import annotations

import numpy as np
import pytest
from elastic_arms import cantilever
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from random_arms import random_arm
from scipy.linalg import eigh
from scipy.optimize import brentq

import loadpath as lp
from loadpath.states import LoadCase, StateBatch, States
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.buckling_bound import buckling_bound
from loadpath.structure.vibration.eigenvalues import BucklingSolver
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads

ROD = lp.Rod(0.002)
STEEL = lp.Material(210e9, 80e9, 7850.0, 300e6)
EI, MU = 210e9 * ROD.second_moment_y, 7850.0 * ROD.area
CRITICAL = np.pi**2 * EI / 4


def exact(P: float, tip: float, count: int) -> list[float]:
    """Hz, of a clamped rod of 1 m with a mass at its end, pushed by P along it, a force that keeps its direction:
    EI w'''' + P w'' = mu omega^2 w, at the end w'' = 0 and EI w''' + P w' + M omega^2 w = 0.
    """

    def determinant(f: NDArray[np.float64]) -> NDArray[np.float64]:
        omega = 2 * np.pi * f
        half = P / (2 * EI)
        root = np.sqrt(half**2 + MU * omega**2 / EI)
        a, b = np.sqrt(root - half), np.sqrt(root + half)
        # w = A (cosh ax - cos bx) + B (sinh ax / a - sin bx / b)
        ch, sh, c, s = np.cosh(a), np.sinh(a), np.cos(b), np.sin(b)
        second = [a * a * ch + b * b * c, a * sh + b * s]
        third = [a**3 * sh - b**3 * s, a * a * ch + b * b * c]
        first = [a * sh + b * s, ch - c]
        value = [ch - c, sh / a - s / b]
        last = [EI * t + P * u + tip * omega**2 * w for t, u, w in zip(third, first, value, strict=True)]
        return np.asarray(second[0] * last[1] - second[1] * last[0])

    grid = np.geomspace(1e-3, 200, 40000)
    values = determinant(grid)
    changes = np.flatnonzero(np.sign(values[1:]) != np.sign(values[:-1]))[:count]
    return [brentq(determinant, grid[k], grid[k + 1], xtol=1e-13) for k in changes]


@pytest.mark.parametrize("tip", [0.0, 0.5])
@pytest.mark.parametrize("share", [-1.0, 0.0, 0.5, 0.9, 0.99])
def test_a_beam_column(share: float, tip: float) -> None:
    arm = cantilever(ROD, STEEL, inertia_from_beams=True)
    arm = arm.with_payload(tip) if tip else arm
    push = {"tip": lp.Wrench(force=(-share * CRITICAL, 0, 0))}
    found = arm.natural_frequencies([0.0], 6, external=push, effects=("bending",)).frequencies
    expected = np.repeat(exact(share * CRITICAL, tip, 3), 2)
    assert_allclose(found, expected, rtol=1e-4)
    factor = arm.buckling([0.0], external=push, effects=["bending"]).factor
    assert_allclose(factor, np.inf if share <= 0 else 1 / share, rtol=1e-4)


def test_the_case_of_the_review() -> None:
    """A slender arm with a load at 0.9 of buckling: nearly sqrt(0.1) of what it is without load."""
    tube = lp.Tube(0.02, 0.0015)
    beams = {"link1": lp.Beam(tube, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    mast = lp.catalog.planar(2, length=2.0).with_payload(30.0).with_beams(beams, inertia_from_beams=True)
    up = [np.pi / 2, 0.0]
    loaded = mast.with_gravity((0.0, 0.0, -9.81 * 0.9 * float(mast.buckling(up).factor)))
    plain = loaded.natural_frequencies(up, 1, loaded=False).frequencies[0]
    assert_allclose(loaded.natural_frequencies(up, 1).frequencies[0], plain * np.sqrt(0.1), rtol=0.01)
    assert loaded.natural_frequencies([-np.pi / 2, 0.0], 1).frequencies[0] > 1.3 * plain  # hanging


def test_a_spinning_arm_stiffens() -> None:
    """Southwell: omega^2 = omega_0^2 + c Omega^2, c = 1.193 for the first mode of a rod across the plane of turning."""
    arm = lp.catalog.planar(1, gravity=0.0).with_beams(
        {"link1": lp.Beam(ROD, STEEL, end="tip_joint")}, inertia_from_beams=True
    )
    still = arm.natural_frequencies([0.0], 2, effects=["bending"]).frequencies[0]
    spin = arm.natural_frequencies([0.0], 2, qd=[10.0], effects=["bending"]).frequencies
    c = (2 * np.pi) ** 2 * (spin[0] ** 2 - still**2) / 10**2
    assert_allclose(c, 1.193, rtol=0.02)


def spinning(speed: float, stiffness: float, mass: float, length: float, size: int = 26) -> float:
    """rad/s of the lowest flapping of an Euler-Bernoulli cantilever that turns about its clamp, by Rayleigh and Ritz in
    x^2 times Legendre polynomials: bending, the tension mass speed^2 (L^2 - x^2) / 2 along it, and its mass.
    """
    x, weight = np.polynomial.legendre.leggauss(80)
    x, weight = (x + 1) / 2, weight / 2
    shapes = [np.polynomial.Legendre.basis(k, domain=[0, 1]) * np.polynomial.Polynomial([0, 0, 1]).convert(
              kind=np.polynomial.Legendre, domain=[0, 1]) for k in range(size)]
    w, slope, bend = (np.array([shape.deriv(d)(x) if d else shape(x) for shape in shapes]) for d in range(3))
    tension = mass * speed**2 * length**2 * (1 - x**2) / 2
    K = stiffness / length**3 * (bend * weight) @ bend.T + (slope * tension * weight) @ slope.T / length
    return float(np.sqrt(eigh(K, mass * length * (w * weight) @ w.T, eigvals_only=True)[0]))


@pytest.mark.parametrize("speed", [10.0, 60.0, 120.0])
def test_one_state_of_a_batch_that_needs_more_polynomials(speed: float) -> None:
    """Of 101 states one spins, none of those that are looked at evenly. By hand; at 10 times sqrt(EI / mL^4) Wright,
    Smith, Thresher and Wang (J. Applied Mechanics 49, 1982) have 11.2023.
    """
    radius = 0.002
    rod = lp.Beam(lp.Rod(radius), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1, gravity=0).with_beams({"link1": rod}, inertia_from_beams=True)
    stiffness, mass = lp.STEEL.youngs_modulus * np.pi * radius**4 / 4, lp.STEEL.density * np.pi * radius**2
    unit = np.sqrt(stiffness / mass)
    q, qd = np.zeros((101, 1)), np.zeros((101, 1))
    qd[40] = speed * unit
    right = spinning(speed * unit, stiffness, mass, 1.0)
    if speed == 10.0:
        assert right / unit == pytest.approx(11.2023, abs=6e-5)
    found = arm.natural_frequencies(q, 1, qd=qd, qdd=0 * qd, effects=["bending"])
    assert found.frequencies[40, 0] == pytest.approx(right / (2 * np.pi), rel=2e-5)  # sections turn, too: 1e-5
    alone = arm.natural_frequencies(q[40], 1, qd=qd[40], qdd=[0.0], effects=["bending"], order=20).frequencies[0]
    assert found.frequencies[40, 0] == pytest.approx(alone, rel=1e-6) and found.error <= 1e-6
    assert_allclose(found.frequencies[[0, 100], 0], 1.87510407**2 * unit / (2 * np.pi), rtol=2e-5)


def test_past_buckling_there_is_no_vibration() -> None:
    arm = cantilever(ROD, STEEL, inertia_from_beams=True)
    pushes = lp.Wrench(force=np.array([[-0.5, 0, 0], [-2.0, 0, 0], [-1.25, 0, 0]]) * CRITICAL)
    with pytest.warns(lp.ModelWarning, match=r"2 of 3 states are past buckling, farthest in state 1, .*holds 0\.[45]"):
        found = arm.natural_frequencies([0.0], 2, external={"tip": pushes})
    assert found.past_buckling.tolist() == found.unknown.tolist() == [False, True, True]
    assert np.isnan(found.frequencies).all(axis=-1).tolist() == [False, True, True]
    assert "2 past buckling" in str(found)
    with pytest.raises(lp.ModelError, match=r"past buckling, the whole arm holds 0\.[45]\d* times its loads"):
        arm.natural_frequencies([0.0], 2, external={"tip": lp.Wrench(force=(-2 * CRITICAL, 0, 0))})
    with pytest.raises(ValueError, match="'external' is a load, and loaded=False leaves all loads out"):
        arm.natural_frequencies([0.0], loaded=False, external={"tip": lp.Wrench(force=(1, 0, 0))})
    with pytest.raises(ValueError, match="'qd' is a load"):
        arm.natural_frequencies([0.0], loaded=False, qd=[1.0])


def test_maps_and_motions_are_loaded_too() -> None:
    tube = lp.Tube(0.008, 0.001)
    beams = {"link1": lp.Beam(tube, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    arm = lp.catalog.planar(2).with_payload(6.2).with_beams(beams, inertia_from_beams=True)
    with pytest.warns(lp.ModelWarning, match="past buckling"):
        chart = arm.frequency_map({"joint1": np.linspace(-np.pi / 2, np.pi / 2, 5)})
    plain = arm.frequency_map({"joint1": np.linspace(-np.pi / 2, np.pi / 2, 5)}, loaded=False)
    assert chart.frequencies[0] > plain.frequencies[0]
    assert not chart.past_buckling[:3].any() and chart.past_buckling[-1]
    assert "past buckling" in repr(chart) and not plain.past_buckling.any()
    move = lp.Motion.through(arm, [[-1.0, 0.0], [0.0, 0.3]], times=[0.0, 2.0])
    assert arm.bandwidth_check(move).frequency != arm.bandwidth_check(move, loaded=False).frequency
    one = arm.natural_frequencies(move.q[0], 1, qd=move.qd[0], qdd=move.qdd[0]).frequencies[0]
    assert_allclose(arm.bandwidth_check(move).frequencies[0], one, rtol=1e-4)


def test_bounds_of_the_largest_eigenvalue() -> None:
    arm = random_arm(3)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-2, 2, (3, 200, arm.n))
    model = vibration_model(arm, EFFECTS, 4)
    batch = StateBatch(arm, States(q, qd, qdd), LoadCase())
    placed, loads = model.at(q), dead_loads(arm, (q, qd, qdd), LoadCase())
    R, K = placed.R, geometric_stiffness(placed, loads)
    exactly = np.linalg.eigvalsh(-K)[:, -1]
    solver, bound = BucklingSolver(model, batch), buckling_bound(model)
    norms = bound.close(R, loads)
    assert_allclose(norms, np.linalg.norm(K, axis=(1, 2)), rtol=1e-12)
    near = solver.bounds(R, loads, norms)
    assert (bound.quick(loads) >= norms * (1 - 1e-12)).all()
    assert (near >= exactly * (1 - 1e-12)).all()
    assert (near <= norms).all() and np.median(near / exactly) < 1.2
    found = solver.solve(R, loads)
    assert_allclose(found.values, exactly, rtol=3e-5)
    assert len(solver.levels) > 0
    residual = -(K @ found.vectors[..., None])[..., 0] - exactly[:, None] * found.vectors
    assert (np.linalg.norm(residual, axis=-1) < 0.1 * np.abs(exactly)).all()
