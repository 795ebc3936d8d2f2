"""Vibrations on springs: quarter and half cars in closed form, bars by hand, the elastic model of the rover."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

K, KT, C, MU, M, G = 2e4, 2e5, 1500.0, 40.0, 1400.0, 9.81
FRONT, REAR, TRACK = 1.0, 1.6, 0.7


def car(
    *, damping: float | None = C, unsprung: float = MU, front: float = FRONT, rear: float = REAR,
    bars: tuple[lp.AntiRollBar, ...] = (), tyre: float | None = KT, height: float = 0.5, **spring: float,
) -> lp.Rover:
    one = lp.Suspension(stiffness=K, damping=damping, unsprung_mass=unsprung, **spring)
    wheels = [lp.FixedWheel((x, y), 0.3, suspension=one, stiffness=tyre, name=f"{a}{b}")
              for x, a in ((-rear, "r"), (front, "f")) for y, b in ((TRACK, "l"), (-TRACK, "r"))]
    return lp.WheeledBase(mass=M, center_of_mass=(0, 0, height), inertia=np.diag([400.0, 1500.0, 1700.0]),
                          wheels=wheels, anti_roll_bars=bars).carrying()


def quarter_car(sprung: float, unsprung: float, stiffness: float, tyre: float) -> np.ndarray:
    """Both frequencies (rad/s) of two masses, the roots of m_s m_u w^4 - (...) w^2 + k k_t."""
    b = sprung * (stiffness + tyre) + unsprung * stiffness
    return np.sqrt(np.sort(np.roots([sprung * unsprung, -b, stiffness * tyre])))


def test_a_quarter_car_in_closed_form() -> None:
    modes = car(front=1.2, rear=1.2).ride_modes()
    slow, fast = quarter_car(M / 4 - MU, MU, K, KT)
    omega = 2 * np.pi * modes.frequencies
    assert_allclose(modes.frequency("heave") * 2 * np.pi, slow, rtol=1e-12)
    heave, hop = int(np.argmin(np.abs(omega - slow))), int(np.argmin(np.abs(omega - fast)))
    assert_allclose(omega[hop], fast, rtol=1e-12)
    for mode in (heave, hop):  # how far the hub goes by how far the body does
        w2 = omega[mode] ** 2
        body, hubs = modes.shapes[mode, 0], modes.shapes[mode, 3:]
        assert_allclose(hubs / body, (K - (M / 4 - MU) * w2) / K, rtol=1e-9)
    assert modes.damping_ratios is not None
    assert modes.eigenvalues is not None
    ms = M / 4 - MU
    exact = np.roots([ms * MU, C * (ms + MU), ms * (K + KT) + MU * K, C * KT, K * KT])
    for root in exact:
        assert np.abs(modes.eigenvalues - root).min() < 1e-8 * abs(root)
    relative = modes.shapes[heave, 3] - modes.shapes[heave, 0]
    energy = ms * modes.shapes[heave, 0] ** 2 + MU * modes.shapes[heave, 3] ** 2
    assert_allclose(modes.damping_ratios[heave], C * relative**2 / (2 * slow * energy), rtol=1e-10)


@pytest.mark.parametrize("tyre", [None, KT])
def test_a_half_car_in_closed_form(tyre: float | None) -> None:
    """Bounce and pitch of a body on two axles that do not lie evenly: (Z - w^2)(Q - w^2) = P^2 m / I."""
    modes = car(unsprung=0.0, tyre=tyre).ride_modes(loaded=False)
    k = 2 * (K if tyre is None else 1 / (1 / K + 1 / KT))
    inertia = 1500.0 + M * 0.5**2  # about the origin, as contacts stick in the plane
    Z, Q, P = 2 * k / M, k * (FRONT**2 + REAR**2) / inertia, k * (REAR - FRONT) / M
    squares = np.sort(np.roots([1.0, -(Z + Q), Z * Q - P * P * M / inertia]))
    omega = 2 * np.pi * modes.frequencies
    found = [int(np.argmin(np.abs(omega**2 - one))) for one in squares]
    assert_allclose(omega[found] ** 2, squares, rtol=1e-11)
    for mode, one in zip(found, squares, strict=True):
        assert_allclose(modes.shapes[mode, 2] / modes.shapes[mode, 0], (one - Z) / P, rtol=1e-9)
        assert modes.names[mode] in ("heave", "pitch")
    assert sorted(modes.names.tolist()) == ["heave", "pitch", "roll"]


def test_roll_with_bars_and_the_weight_by_hand() -> None:
    bars = (lp.AntiRollBar("fl", "fr", 8e3), lp.AntiRollBar("rl", "rr", 4e3))
    rover = car(front=1.2, rear=1.2, bars=bars, unsprung=0.0, tyre=None)
    stiffness = TRACK**2 * (4 * K + 4 * (8e3 + 4e3)) - M * G * 0.5
    by_hand = np.sqrt(stiffness / (400 + M * 0.25)) / (2 * np.pi)
    assert_allclose(rover.ride_modes().frequency("roll"), by_hand, rtol=1e-12)
    level = rover.ride_modes(loaded=False).frequency("roll")
    assert_allclose(level, np.sqrt(rover.posture().roll_stiffness / (400 + M * 0.25)) / (2 * np.pi), rtol=1e-12)


def test_frequencies_are_those_of_the_elastic_model_without_unsprung_masses() -> None:
    arm = lp.catalog.planar(2, mass=30.0)
    alone = car(unsprung=0.0, preload=3000.0, bars=(lp.AntiRollBar("fl", "fr", 8e3),))
    rover = alone.base.carrying(arm, (0.4, 0.2, 0.9))
    q = np.array([[0.3, 0.5], [-0.4, 1.0]])
    for loaded in (True, False):
        own = rover.ride_modes(q, loaded=loaded).frequencies
        for k in range(2):
            model = rover.natural_frequencies(q[k], count=3, loaded=loaded).frequencies
            assert_allclose(own[k], model, rtol=1e-9)
            assert_allclose(rover.ride_modes(q[k], loaded=loaded).frequencies, own[k], rtol=1e-12)


def test_stops_and_wheels_in_the_air_change_the_vibrations() -> None:
    stops = {"bump_travel": 0.05, "bump_stop_stiffness": 1.8e5}
    heavy = car(front=1.2, rear=1.2, unsprung=0.0, tyre=None, preload=M * G / 4 - 1500.0, **stops)
    assert heavy.posture().on_bump_stop.all()
    assert_allclose(heavy.ride_modes().frequency("heave"), np.sqrt(4 * 2e5 / M) / (2 * np.pi), rtol=1e-12)
    rover, hole = car(preload=3000.0), [0.0, -1.0, 0.0, 0.0]
    hanging = rover.ride_modes(heights=hole)
    assert rover.posture(heights=hole).lifted.tolist() == [False, True, False, False]
    in_air = np.sqrt((K / MU) * (1 + MU / 300)) / (2 * np.pi)  # a hub on its suspension alone, below a heavy body
    assert np.abs(hanging.frequencies - in_air).min() < 0.3


def test_what_is_not_known_and_what_falls() -> None:
    assert car(damping=None).ride_modes().damping_ratios is None
    assert car(damping=None).ride_modes().eigenvalues is None
    with pytest.warns(lp.ModelWarning, match="falls over by itself in 1 of 1 states"):
        tower = car(height=4.0, unsprung=0.0).ride_modes()
    assert np.isnan(tower.frequencies).any()
    feet = [lp.Support(at) for at in ((0, 1), (1, 0), (-1, -1))]
    rigid = lp.WheeledBase(mass=9, center_of_mass=(0, 0, 1), wheels=feet)
    with pytest.raises(lp.ModelError, match="stands on rigid wheels"):
        rigid.carrying().ride_modes()
    with pytest.raises(ValueError, match="no mode is called 'yaw'"):
        car().ride_modes().frequency("yaw")
