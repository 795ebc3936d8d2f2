"""Short formulas of vibration and columns, each against the same by hand: a slip in one of them shows nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import loadpath as lp
from loadpath.motion.layout import numbered
from loadpath.structure.response.ring_down import RingDown
from loadpath.structure.response.spectrum import response_spectrum
from loadpath.structure.response.track import track_of


@pytest.mark.parametrize("phase", [0.3, 0.9, 1.7])
def test_the_amplitude_of_one_vibration_is_found_between_the_instants(phase: float) -> None:
    """2 mm cos(w t + phase) is never larger, wherever the instants fall."""
    rates = np.array([40j, -40j])
    shapes = np.zeros((3, 2), dtype=complex)
    shapes[1] = 1e-3 * np.exp([1j * phase, -1j * phase])
    assert RingDown(rates, shapes).amplitude(2.0) == pytest.approx(2e-3, rel=2e-5)  # the parabola is good to that


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
