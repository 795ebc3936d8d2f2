"""Short formulas of vibration and columns, each against the same by hand: a slip in one of them shows nowhere else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import expm

import loadpath as lp
from loadpath.motion.layout import layout_of, numbered
from loadpath.states import LoadCase
from loadpath.structure.response.march import phi_functions
from loadpath.structure.response.reduction import joined
from loadpath.structure.response.ring_down import RingDown, ring_down
from loadpath.structure.response.section_forces import _piece_at
from loadpath.structure.response.shaped import _refuse
from loadpath.structure.response.spectrum import response_spectrum
from loadpath.structure.response.track import track_of


@pytest.mark.parametrize("phase", [0.3, 0.9, 1.7])
def test_the_amplitude_of_one_vibration_is_found_between_the_instants(phase: float) -> None:
    """2 mm cos(w t + phase) is never larger, wherever the instants fall."""
    rates = np.array([40j, -40j])
    shapes = np.zeros((3, 2), dtype=complex)
    shapes[1] = 1e-3 * np.exp([1j * phase, -1j * phase])
    assert RingDown(rates, shapes).amplitude(2.0) == pytest.approx(2e-3, rel=2e-5)  # the parabola is good to that


def circling(radius: float, w: float, decay: float) -> RingDown:
    """radius e^(-decay t) (cos w t, sin w t, 0), whose distance from its middle has no waves."""
    half = 0.5 * radius * np.array([[1, 1], [-1j, 1j], [0, 0]])
    return RingDown(np.array([complex(-decay, w), complex(-decay, -w)]), half)


def together(*parts: RingDown) -> RingDown:
    return RingDown(np.concatenate([part.rates for part in parts]), np.concatenate([p.shapes for p in parts], axis=1))


def sinking(height: float, decay: float) -> RingDown:
    """height e^(-decay t) along z."""
    return RingDown(np.array([complex(-decay)]), np.array([[0.0], [0.0], [height]], dtype=complex))


@pytest.mark.parametrize("decay", [0.02, 0.5, 30.0])
@pytest.mark.parametrize("share", [0.9, 0.3, 1e-4])
def test_a_decaying_circle_settles_when_its_radius_has_become_small(decay: float, share: float) -> None:
    """radius e^(-decay t) = tolerance."""
    found = circling(2e-3, 40.0, decay)
    assert found.settled_after(share * 2e-3) == pytest.approx(-np.log(share) / decay, rel=1e-9)
    assert found.amplitude(1.0) == pytest.approx(2e-3, rel=1e-9)
    assert found.spacing() == pytest.approx(2 * np.pi / 32 / np.hypot(40.0, decay))
    # Each of the two vibrations could be radius / 2 along x and y at once.
    assert found.bound(3.0) == pytest.approx(np.sqrt(2) * 2e-3 * np.exp(-3.0 * decay))
    for tolerance in (2.1e-3, 3e-3):  # never left, below and above the bound
        assert found.settled_after(tolerance) == 0.0


def test_a_quick_vibration_settles_at_the_last_of_many_crossings() -> None:
    """2 mm e^(-300 t) cos(5e4 t): of the waves that are still larger than the tolerance the last one counts."""
    found = RingDown(np.array([complex(-300, 5e4), complex(-300, -5e4)]), np.array([[0, 0], [0, 0], [1e-3, 1e-3]]) + 0j)
    t = np.linspace(0.0, 0.02, 2_000_001)
    size = 2e-3 * np.exp(-300 * t) * np.abs(np.cos(5e4 * t))
    for tolerance in (1.3e-3, 4e-4, 5e-5):
        last = t[np.flatnonzero(size > tolerance)[-1]]
        assert found.settled_after(tolerance) == pytest.approx(last, abs=2e-8)


def test_what_goes_round_for_ever_settles_only_within_its_radius() -> None:
    """Undamped circle of 1 mm, and 5 mm along z that decay: they settle when z^2 = tolerance^2 - 1 mm^2."""
    both = together(circling(1e-3, 40.0, 0.0), sinking(5e-3, 0.7))
    assert both.settled_after(0.99e-3) == np.inf
    for tolerance in (1.2e-3, 2e-3):  # the bound of the circle, 1.41 mm, is between them
        settled = -np.log(np.sqrt(tolerance**2 - 1e-6) / 5e-3) / 0.7
        assert both.settled_after(tolerance) == pytest.approx(settled, rel=1e-6)
    slow = together(circling(1e-3, 40.0, 0.0), circling(1e-3, 40.0 + 1.0, 0.0))  # beats of 2 pi s: 2 mm, now and then
    assert slow.settled_after(1.9e-3) == np.inf


def test_only_vibrations_that_matter_decide_how_close_instants_are() -> None:
    """One in ten thousand of the displacement is looked over."""
    for share, highest in ((0.5e-4, 40.0), (2e-4, 900.0)):
        found = together(circling(1.0, 40.0, 0.0), circling(2 * share, 900.0, 0.0))  # two vibrations, half of it each
        assert found.spacing() == pytest.approx(2 * np.pi / 32 / highest)
    still = circling(0.0, 40.0, 1.0)
    assert still.spacing() == np.inf
    assert still.amplitude(1.0) == 0.0


def test_ring_down_is_free_vibration() -> None:
    """Two masses with springs and dampers, against the exponential of the state's matrix."""
    mass, stiffness = np.diag([2.0, 0.5]), np.array([[300.0, -100.0], [-100.0, 120.0]])
    damping = np.array([[3.0, -0.5], [-0.5, 0.8]])
    shape = np.array([[1.0, 0.0], [0.0, 1.0], [0.3, -0.7]])
    state = np.array([0.01, -0.02]), np.array([0.3, 0.1])
    found = ring_down(mass, damping, stiffness, state, shape)
    inverse = np.linalg.inv(mass)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ stiffness, -inverse @ damping]])
    times = np.array([0.0, 0.05, 0.4, 1.3])
    by_hand = [shape @ (expm(A * t) @ np.concatenate(state))[:2] for t in times]
    np.testing.assert_allclose(found.at(times), by_hand, atol=1e-14)
    dense = np.linspace(0.0, 20.0, 200_001)
    outside = np.flatnonzero(np.linalg.norm(found.at(dense), axis=1) > 1e-3)
    assert found.settled_after(1e-3) == pytest.approx(dense[outside[-1]], abs=2e-4)


@pytest.mark.parametrize("size", [1e-3, 0.4, 0.6, 3.0, 40.0])
def test_integrals_of_the_exponential(size: float) -> None:
    """phi_k stand in the exponential of a wider matrix: exp [[X, 1, 0], [0, 0, 1], [0, 0, 0]] has e^X, phi_1."""
    X = np.random.default_rng(4).normal(size=(3, 3))
    X *= size / np.abs(X).sum(axis=1).max()
    unit, none = np.eye(3), np.zeros((3, 3))
    whole = expm(np.block([[X, unit, none, none], [none, none, unit, none], [none, none, none, unit], [none] * 4]))
    for k, found in enumerate(phi_functions(X[None], 3)):
        expected = whole[:3, 3 * k : 3 * k + 3]
        np.testing.assert_allclose(found[0], expected, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize(
    ("mean", "begin", "end"),
    [
        (3.5, 3.0, 4.0),  # the middle: straight
        (3.32, 3.0, 4.0),  # off the middle by less than a fifth of the change
        (3.28, 3.0, 3.56),  # nearer to the begin: it jumps at the end, 2 mean - begin
        (3.0, 3.0, 3.0),
        (2.76, 3.0, 2.52),
        (2.74, 3.0, 4.0),  # by more than three quarters: speeds that do not fit
        (3.68, 3.0, 4.0),
        (3.72, 3.44, 4.0),  # nearer to the end: it jumps at the begin
        (4.24, 4.48, 4.0),
        (4.26, 3.0, 4.0),
    ],
)
def test_accelerations_jump_where_the_speeds_say_so(mean: float, begin: float, end: float) -> None:
    """Two seconds between samples of 3 and 4 rad/s^2."""
    t, qd = np.array([1.0, 3.0]), np.array([[0.5], [0.5 + 2.0 * mean]])
    found = track_of(numbered(1), t, np.zeros((2, 1)), qd, np.array([[3.0], [4.0]]))
    assert (found.begins.item(), found.ends.item()) == pytest.approx((begin, end), rel=1e-12)


def test_small_changes_and_many_jumps_are_none() -> None:
    """A change of a thousandth of the largest acceleration; and 400 jumps, where more of them are noise."""
    t = np.arange(4.0)
    for change, jumps in ((0.9e-2, False), (1.1e-2, True)):
        qdd = np.array([[10.0], [10.0], [0.0], [change]])
        qd = np.array([[0.0], [10.0], [15.0], [15.0]])  # no growth: the last acceleration is after a jump
        assert (track_of(numbered(1), t, 0 * qd, qd, qdd).ends[-1, 0] == 0.0) == jumps
    for count, end in ((400, 0.0), (401, 1.0)):  # intervals from 0 to 1 and back, in which the speed does not grow
        qdd = (np.arange(count + 1) % 2)[:, None] * 1.0
        found = track_of(numbered(1), np.arange(count + 1.0), 0 * qdd, 0 * qdd, qdd)
        assert np.abs(found.ends).max() == np.abs(found.begins).max() == end


@pytest.mark.parametrize(("x", "before", "after"), [
    (0.0, None, 0), (0.4, 0, 0), (1.0, 0, 2), (1.5, 2, 2), (2.0, 2, 3), (2.7, 3, 3), (3.0, 3, None),
])
def test_a_section_belongs_to_the_piece_on_its_side(x: float, before: int | None, after: int | None) -> None:
    """A beam from 0 to 3 m in pieces that end at 1 and 2 m; the second, between pads at one place, has no length."""
    ends: Any = [SimpleNamespace(start=k, stop=k + 1.0) for k in (0.0, 1.0, 2.0)]
    pieces = [(ends[0], 0.0, 3), (None, 0.0, 3), (ends[1], 0.0, 3), (ends[2], 0.0, 3)]
    for rounding in (-1e-10, 0.0, 1e-10):
        assert _piece_at(pieces, x + rounding, False, 1e-9) == before
        assert _piece_at(pieces, x + rounding, True, 1e-9) == after


def test_modes_of_many_poses_are_held_by_few_columns() -> None:
    """A hundred poses with the same two modes have singular values of 10. One that is off adds its share of a third,
    which counts from 3e-3 of that on.
    """
    first, second, third = np.eye(4)[:3]
    for off, columns in ((1e-9, 2), (0.02, 2), (0.04, 3), (1.0, 3)):
        shapes = np.repeat(np.array([[first, 3 * second]]), 100, axis=0)
        shapes[7, 1] += 3 * off * third
        found = joined(shapes)
        assert found.shape == (4, columns)
        np.testing.assert_allclose(found.T @ found, np.eye(columns), atol=1e-12)
        np.testing.assert_allclose(found @ found.T @ first, first, atol=1e-12)


def test_ball_joints_may_stand_in_a_motion_that_is_shaped() -> None:
    bodies = [lp.Link("base"), *(lp.Link(name, lp.Inertia(1.0, tensor=np.eye(3))) for name in ("arm", "ball"))]
    joints = lp.Joint("turn", "base", "arm", lp.Revolute()), lp.Joint("wrist", "arm", "ball", lp.Spherical())
    layout = layout_of(lp.Robot("arm", tuple(bodies), joints))
    t = np.linspace(0.0, 1.0, 11)
    q, rates = np.zeros((11, 5)), np.zeros((11, 4))
    q[:, 0], q[:, 1:] = 0.3 * t, (0.6, 0.0, 0.0, 0.8)
    _refuse(layout, track_of(layout, t, q, rates, rates))
    q[5:, 1:] = (0.0, 0.6, 0.0, 0.8)
    with pytest.raises(lp.ModelError, match="has a quaternion and moves"):
        _refuse(layout, track_of(layout, t, q, rates, rates))


def test_loads_between_samples_are_on_a_straight_line() -> None:
    t = np.array([0.0, 1.0, 3.0])
    moving = np.array([[0.0] * 6, [1.0] * 6, [5.0] * 6])
    case = LoadCase(base_velocity=moving)
    found = track_of(numbered(1), t, np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((3, 1)), case)
    there = found.loads_at(np.array([0.0, 0.25, 1.0, 1.5, 3.0])).base_motion["base_velocity"]
    np.testing.assert_allclose(there[:, 2], [0.0, 0.25, 1.0, 2.0, 5.0], atol=1e-15)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_the_spectrum_of_a_short_ramp_on_both_sides_of_the_series(share: float) -> None:
    """Acceleration t from 0 to h, with w h = share * 1e-3: below 1e-3 a series takes the place of the integral."""
    frequency = 0.5
    w = 2 * np.pi * frequency
    h = share * 1e-3 / w
    t = np.array([[0.0], [h]])
    found = response_spectrum(track_of(numbered(1), t[:, 0], t**3 / 6, t**2 / 2, t), frequency)
    parts = [quad(lambda s, part=part: s * part(w * s), 0, h, epsabs=0, epsrel=1e-13)[0] for part in (np.cos, np.sin)]
    assert found.residual[0] == pytest.approx(w * np.hypot(*parts) / h, rel=1e-9)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_the_spectrum_of_a_short_push_on_both_sides_of_the_series(share: float) -> None:
    """A constant acceleration for h: the residual is 2 sin(w h / 2), and the same phase everywhere."""
    frequency = 0.5
    w = 2 * np.pi * frequency
    h = share * 1e-3 / w
    t = np.array([[0.0], [h]])
    found = response_spectrum(track_of(numbered(1), t[:, 0], t**2 / 2, t, np.ones_like(t)), frequency)
    assert found.residual[0] == pytest.approx(2 * np.sin(w * h / 2), rel=1e-9)


def test_a_bandwidth_that_is_given_amplifies_as_a_steady_push() -> None:
    """1 / (1 - (f / f_0)^2), where the motion itself is slower than that."""
    rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    slow = lp.Motion.through(arm, [[0.0], [0.1]], times=[0.0, 10.0])
    found = arm.bandwidth_check(slow, bandwidth=6.0)
    assert found.amplification == pytest.approx(1 / (1 - (6.0 / found.frequency) ** 2), rel=1e-12)
    assert found.amplification > found.spectrum


def test_the_critical_load_of_a_short_column_counts_its_shear() -> None:
    """Engesser: 1 / P = 1 / P_Euler + 1 / (k G A), in the weaker plane."""
    bar = lp.Bar(0.02, 0.04)
    column = lp.Beam(bar, lp.ALUMINIUM, end=(0.1, 0, 0))
    EI = lp.ALUMINIUM.youngs_modulus * 0.04 * 0.02**3 / 12
    euler = np.pi**2 * EI / (2 * 0.1) ** 2
    factor = bar.shear_factors(lp.ALUMINIUM.poisson_ratio)
    by_hand = [1 / (1 / euler + 1 / (k * lp.ALUMINIUM.shear_modulus * bar.area)) for k in factor]
    found = lp.structure.critical_load(column, 0.1)
    assert min(abs(found / value - 1) for value in by_hand) < 1e-9
    assert found < lp.structure.critical_load(column, 0.1, shear=False) == pytest.approx(euler, rel=1e-12)
