"""Drives of wheels limit the fastest motion of rovers: by hand, and by the motors that `wheel_loads` gives itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import loadpath as lp
from tests.mobile.test_fastest_rovers import four_wheels

ARM = [[0.3, 0.5], [1.2, -0.4], [0.4, 0.9]]


def rolls(found: lp.Fastest, rover: lp.Rover) -> Any:
    """Motors of the wheels at 97 instants of every interval."""
    return rover.wheel_loads(**rover.from_planar(*found.sampled(97))).motors


@pytest.mark.parametrize(("limits", "rules"), [
    ({"peak_torque": 0.2, "max_speed": 300.0}, {"motor torque", "motor speed"}),
    ({"intermittent_curve": [(0, 0.6), (200, 0.5), (320, 0.0)], "rotor_inertia": 2e-4}, {"motor torque"}),
    ({"peak_torque": 0.25, "power": 60.0, "rotor_inertia": 1e-4}, {"motor torque", "motor power"}),
])
def test_a_rolling_rover_by_its_motors(limits: dict[str, Any], rules: set[str]) -> None:
    """With losses of the gears, spin, rolling resistance and an arm that moves along, forward and backward."""
    drive = lp.WheelDrive(ratio=-20, efficiency=(0.85, 0.8), **limits)
    rover = four_wheels(spin_inertia=0.02, drive=drive).carrying(
        lp.catalog.planar(2, length=0.4, mass=5.0), at=(0.1, 0, 0.5))
    for way in (1, -1):
        path = [[way * x, 0, 0, *q] for x, q in zip((0, 0.9, 2.5), ARM, strict=True)]
        found = rover.fastest(path, {"torque": 300.0, "speed": 12.0}, intervals=400)
        assert found.certificate <= 1 + 2e-6
        motors = rolls(found, rover)
        worst = {"motor torque": motors.torque_share.max(), "motor speed": motors.speed_share.max(),
                 "motor power": motors.power_share.max()}
        assert max(worst.values()) <= 1.000002
        ruling = {each.limit.split(", ")[1] for each in found.rules if "wheel drive" in each.limit}
        assert rules <= ruling
        assert all(worst[each] > 0.999 for each in rules)
        free = rover.fastest(path, {"torque": 300.0, "speed": 12.0, "wheel_drives": False})
        assert free.duration < found.duration
        assert rolls(free, rover).torque_share.max() > 1.05


def test_a_cart_on_the_line_of_its_motors_by_hand() -> None:
    """M v' = F (1 - v / v0): v = v0 (1 - exp(-k t)), with what the wheels and rotors take of M."""
    ratio, radius, stall, free = 20, 0.1, 0.4, 200.0
    drive = lp.WheelDrive(intermittent_curve=[(0, stall), (free, 0)], ratio=ratio, rotor_inertia=1e-4)
    cart = four_wheels(rolling=0.0, spin_inertia=0.03, drive=drive).carrying()
    found = cart.fastest([[0.0, 0, 0], [4.0, 0, 0]], end="any", intervals=1000)
    assert found.certificate <= 1 + 2e-6
    mass = 60 + 4 * (0.03 + ratio**2 * 1e-4) / radius**2
    force, last = 4 * stall * ratio / radius, free * radius / ratio
    k = force / last / mass

    def off(t: float) -> float:
        return last * (t - (1 - math.exp(-k * t)) / k) - 4.0

    assert found.duration == pytest.approx(brentq(off, 0, 100), rel=1e-3)


def test_a_standing_rover_holds_by_brakes_and_motors() -> None:
    """An arm that moves while wheels hold: the brake's torque is used in full, and kept."""
    held = {}
    for brake in (0.1, None):
        drive = lp.WheelDrive(peak_torque=None if brake else 0.12, ratio=20, brake=brake)
        rover = four_wheels(drive=drive).carrying(lp.catalog.planar(2, length=0.4, mass=5.0), at=(0.1, 0, 0.5))
        found = rover.fastest(ARM, {"torque": 300.0, "speed": 12.0})
        assert found.certificate <= 1 + 2e-6
        states = dict(zip(("q", "qd", "qdd"), found.sampled(97), strict=True))
        used = np.abs(rover.wheel_loads(**states).drive_torque).max() / 20 / (brake or 0.12)
        assert 0.999 < used <= 1.000002
        held[brake] = found.duration
    assert held[0.1] > held[None]


def test_a_track_has_one_motor() -> None:
    """Pieces of a track share its torque evenly, as `wheel_loads` has it."""
    drive = lp.WheelDrive(peak_torque=0.5, ratio=20, efficiency=0.9, rotor_inertia=1e-4)
    tracks = [lp.Track((0, y), 0.1, length=0.8, name=name, drive=drive, spin_inertia=0.05)
              for name, y in (("left", 0.3), ("right", -0.3))]
    crawler = lp.WheeledBase(mass=60, center_of_mass=(0.1, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=tracks,
                             friction=lp.WheelFriction(0.8, rolling=0.02)).carrying()
    found = crawler.fastest([[0.0, 0, 0], [2.0, 0, 0]], {"speed": 3.0, "margin": False})
    assert {each.limit.split("'")[1] for each in found.rules if "motor torque" in each.limit} <= {"left", "right"}
    assert 0.999 < rolls(found, crawler).torque_share.max() <= 1.000002


def test_a_share_of_them() -> None:
    cart = four_wheels(drive=lp.WheelDrive(peak_torque=0.2, max_speed=250.0, ratio=20)).carrying()
    found = cart.fastest([[0.0, 0, 0], [3.0, 0, 0]], factor={"wheel_drives": 0.8})
    used = rolls(found, cart)
    assert used.torque_share.max() == pytest.approx(0.8, rel=1e-5)
    assert used.speed_share.max() == pytest.approx(0.8, rel=1e-5)


def test_what_is_refused() -> None:
    drive = lp.WheelDrive(intermittent_curve=[(0, 1.0), (100, 0.2), (300, 0.0)], ratio=20)
    cart = four_wheels(drive=drive).carrying()
    path = [[0.0, 0, 0], [1.0, 0, 0]]
    with pytest.raises(lp.ModelError, match="of 'fl' does not fall faster and faster"):
        cart.fastest(path)
    assert cart.fastest(path, {"wheel_drives": False, "speed": 2.0}).certificate <= 1.0001
    with pytest.raises(ValueError, match="expected True or False; their numbers"):
        cart.fastest(path, {"wheel_drives": 3.0})
