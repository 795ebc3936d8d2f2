"""Tracks: load and pressure under them, support polygon, straight driving, turning on the spot against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.optimize import brentq

import loadpath as lp

R, LENGTH, GAUGE, MASS, MU, SPIN = 0.15, 1.2, 1.6, 300.0, 0.6, 0.2
WEIGHT = MASS * 9.81


def crawler(count: int = 5, center: float = 0.0, drive: lp.WheelDrive | None = None, **more: Any) -> lp.Rover:
    tracks = [
        lp.Track((0, y), R, length=LENGTH, name=name, count=count, spin_inertia=SPIN, drive=drive, **more)
        for name, y in (("left", GAUGE / 2), ("right", -GAUGE / 2))
    ]
    return lp.WheeledBase(
        mass=MASS, center_of_mass=(center, 0, 0.3), inertia=np.diag([20.0, 40, 50]), wheels=tracks,
        friction=lp.WheelFriction(MU),
    ).carrying()


def test_even_pressure_and_its_slope() -> None:
    """In the middle: p = W/(2 L b). Off by e: the end piece has p (1 + 6 e / L), to 2/(count - 1)^2 of the slope."""
    for count in (5, 9):
        rover = crawler(count, width=0.3)
        area = np.array([wheel.area for wheel in rover.base.wheels])
        assert np.isclose(area.sum(), 2 * LENGTH * 0.3)
        assert np.allclose(rover.wheel_loads([]).normal / area, WEIGHT / (2 * LENGTH * 0.3))
        pressure = crawler(count, 0.1, width=0.3).wheel_loads([]).normal / area
        slope = 6 * 0.1 / LENGTH / (1 + 2 / (count - 1) ** 2)
        assert np.isclose(pressure.max() / pressure.mean(), 1 + slope, rtol=0.02)
    loads = crawler(5, 0.1).wheel_loads([])
    x = loads.points[:, 0]
    assert np.isclose(loads.normal @ x, 0.1 * WEIGHT) and np.isclose(loads.normal.sum(), WEIGHT)


def test_the_support_polygon_is_the_ground_under_the_tracks() -> None:
    assert np.isclose(crawler().stability([]).margin, LENGTH / 2)
    wide = crawler(width=0.4)
    corners = wide.base.positions
    assert np.isclose(np.abs(corners[:, 1]).max(), GAUGE / 2 + 0.2) and np.isclose(np.abs(corners[:, 0]).max(), 0.6)


def test_straight_ahead_by_torques_of_the_tracks() -> None:
    """m' = m + 2 J/R^2, with the rotor of each track's drive once."""
    drive = lp.WheelDrive(peak_torque=1.0, ratio=50, rotor_inertia=1e-4, efficiency=0.8)
    rover = crawler(drive=drive)
    inertia = SPIN + 2500 * 1e-4
    run = rover.simulate(wheel_torques={"left": 30.0, "right": 30.0}, duration=0.5, sample_rate=20)
    assert np.isclose(run.velocity[-1, 0], 0.5 * 60.0 / R / (MASS + 2 * inertia / R**2), rtol=1e-9)
    assert np.isclose(run.wheel_torques[-1].sum(), 60.0) and not run.drive_limited.any()
    pushed = rover.forward_dynamics([], [], wheel_torques={"left": 30.0, "right": 30.0}, velocity=(0.1, 0.0))
    assert np.isclose(pushed.acceleration[0], 60.0 / R / (MASS + 2 * inertia / R**2))
    with pytest.warns(lp.ModelWarning, match="20 N m are given to wheel 'left 1', and its drive has 8 N m"):
        rover.forward_dynamics([], [], wheel_torques={"left": 100.0}, velocity=(0.1, 0.0))
    limited = rover.simulate(wheel_torques={"left": 99.0, "right": 99.0}, duration=0.2, sample_rate=20)
    assert np.isclose(limited.wheel_torques[-1].sum(), 2 * 50 * 0.8) and limited.drive_limited.all()
    loads = rover.wheel_loads([], velocity=(0.3, 0.0), acceleration=(1.0, 0.0))
    assert np.isclose(loads.drive_torque.sum(), MASS * R + 2 * inertia / R)
    rows = {row.check: row for row in rover.verdict(velocity=(0.3, 0.0), acceleration=(1.0, 0.0))
            if row.joint == "left"}
    through = (MASS * R / 2 + SPIN / R) / 50 / 0.8
    assert np.isclose(rows["motor torque"].utilisation, through + 50 * 1e-4 / R)


def turning(count: int) -> tuple[float, float]:
    """Slip of the belt over the rate of turn (m), and torque of a track, of pieces that turn on the spot: friction is
    along the slip of each, traction and moments balance.
    """
    s = LENGTH * (np.arange(count) / (count - 1) - 0.5)
    load = MU * WEIGHT / 2 * np.r_[0.5, np.ones(count - 2), 0.5] / (count - 1)

    def left(k: float) -> float:
        return float((load * (k * GAUGE / 2 - s * s) / np.hypot(k, s)).sum())

    k = brentq(left, 1e-9, 10.0)
    return k, float(R * (load * k / np.hypot(k, s)).sum())


def test_turning_on_the_spot() -> None:
    run = crawler(5).simulate(
        wheel_rates={"left": lambda t: -4 * np.tanh(9 * t), "right": lambda t: 4 * np.tanh(9 * t)}, duration=1.2,
        sample_rate=10)
    k, torque = turning(5)
    assert np.isclose(run.velocity[-1, 2], R * 4 / (GAUGE / 2 + k), rtol=1e-7)
    assert np.allclose([run.wheel_torques[-1, :5].sum(), run.wheel_torques[-1, 5:].sum()], [-torque, torque], rtol=1e-7)
    assert run.energy_drift < 1e-8
    # Many pieces: k asinh(1/k) gauge/2 = L/4 (sqrt(1 + k^2) - k^2 asinh(1/k)), with k in half lengths.
    def balance(k: float) -> float:
        return float(k * np.arcsinh(1 / k) * GAUGE / 2
                     - LENGTH / 4 * (np.hypot(1, k) - k * k * np.arcsinh(1 / k)))

    by_integral = brentq(balance, 1e-6, 9.0)
    limit = R * MU * WEIGHT / 2 * by_integral * np.arcsinh(1 / by_integral)
    off = [abs(turning(count)[1] / limit - 1) for count in (5, 9, 17, 401)]
    assert off[0] < 0.03 and off[1] < 0.01 and off[2] < 0.003 and off[3] < 1e-5


def test_the_turning_moment_is_that_of_even_pressure() -> None:
    """mu W L / 4 of a line; of a rectangle the integral of mu p r. Odd counts of pieces have the former exactly."""
    line = lp.Track((0, 0), R, length=LENGTH, name="a")
    assert np.isclose(line.turning_moment(MU, 1000.0), MU * 1000.0 * LENGTH / 4)
    for count in (3, 5, 9):
        pieces = lp.Track((0, 0), R, length=LENGTH, name="a", count=count).pieces()
        share = np.array([1 / piece.compliance for piece in pieces])
        x = np.array([piece.position[0] for piece in pieces])
        assert np.isclose(share.sum(), 1.0) and np.isclose(share @ np.abs(x), LENGTH / 4)
    wide = lp.Track((0, 0), R, length=LENGTH, width=0.4, name="a")
    integral, _ = dblquad(lambda y, x: np.hypot(x, y), 0.0, 0.6, 0.0, 0.2)
    assert np.isclose(wide.turning_moment(MU, 1000.0), MU * 1000.0 * integral / (0.6 * 0.2), rtol=1e-8)


def test_a_track_that_is_braked_and_slanted() -> None:
    base = [lp.Track((0, y), R, length=1.0, name=name, spin_inertia=SPIN) for name, y in (("l", 0.5), ("r", -0.5))]
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0, 0, 0.3), inertia=np.diag([20.0, 40, 50]), wheels=base,
                           friction=lp.WheelFriction(0.9)).carrying(ground=lp.Ground(slope=0.3))
    down = WEIGHT * np.sin(0.3)
    held = rover.simulate(brakes={"l": down * R, "r": down * R}, duration=0.1, sample_rate=20)
    assert np.abs(held.velocity).max() < 1e-9 and np.isclose(held.brake_torques[-1].sum(), down * R)
    slips = rover.simulate(brakes={"l": 20.0, "r": 20.0}, duration=0.1, sample_rate=20)
    assert np.isclose(slips.velocity[-1, 0], 0.1 * (40.0 / R - down) / (MASS + 2 * SPIN / R**2), rtol=1e-8)
    pieces = lp.Track((1.0, 2.0), R, length=2.0, width=1.0, direction=np.pi / 2, name="a", count=3).pieces()
    assert np.allclose(pieces[0].position, (0.5, 1.0)) and np.allclose(pieces[5].position, (1.5, 3.0))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"length": 0.0}, "length of track 'a' is 0"),
        ({"width": -1.0}, "width of track 'a' is -1"),
        ({"count": 4}, "count of track 'a' is 4: expected an odd number, three or more"),
        ({"suspension": lp.Suspension(stiffness=1e4)}, "give the track a stiffness"),
    ],
)
def test_wrong_tracks_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        lp.Track((0, 0), R, **{"length": 1.0, "name": "a", **given})


def test_what_simulate_refuses_of_tracks() -> None:
    tracks = [lp.Track((0, y), R, length=1.0, name=name) for name, y in (("l", 0.5), ("r", -0.5))]
    rover = lp.WheeledBase(mass=MASS, center_of_mass=(0, 0, 0.3), inertia=np.eye(3), wheels=tracks,
                           friction=lp.WheelFriction(MU)).carrying()
    with pytest.raises(lp.ModelError, match="track 'l' has no spin inertia and no given rate"):
        rover.simulate(velocity=(1.0, 0.0), duration=0.1)
    with pytest.raises(ValueError, match="'l 1', a piece of track 'l', which has one rate"):
        rover.simulate(wheel_rates={"l 1": 2.0, "r": 1.0}, duration=0.1)
