"""Drives of wheels and tracks in project files."""

from pathlib import Path

import numpy as np
import pytest

import loadpath as lp

TEXT = """
[base]
mass = 300
center_of_mass = [0, 0, "30 cm"]
friction = { sliding = 0.6 }
[[base.wheels]]
kind = "track"
name = "left"
position = [0, 0.5]
radius = "15 cm"
length = "1200 mm"
width = 0.3
drive = { peak_torque = "800 mN m", intermittent_curve = [[0, "0.9 N m"], ["3000 rpm", 0]], power = "0.2 kW", \
ratio = 50, efficiency = [0.8, "70 %"], brake = 0.5, rotor_inertia = "1 kg cm^2" }
[[base.wheels]]
kind = "steered"
name = "right"
position = [0, -0.5]
radius = 0.2
patch_radius = "30 mm"
steering_drive = { peak_torque = 1, max_speed = "30 deg/s" }
"""


def test_a_track_and_drives(tmp_path: Path) -> None:
    path = tmp_path / "rover.toml"
    path.write_text(TEXT)
    base = lp.load_project(path).rover.base
    assert base.contact_names == (*(f"left {k}" for k in range(1, 11)), "right")
    drive = lp.WheelDrive(peak_torque=0.8, intermittent_curve=[(0, 0.9), (100 * np.pi, 0)], power=200.0, ratio=50,
                          efficiency=(0.8, 0.7), brake=0.5, rotor_inertia=1e-4)
    track = lp.Track((0, 0.5), 0.15, length=1.2, width=0.3, name="left", drive=drive)
    assert np.isclose(base.wheels[0].drive.power, track.pieces()[0].drive.power)
    assert base.wheels[0].position == track.pieces()[0].position
    assert np.isclose(base.wheels[-1].steering_drive.max_speed, np.pi / 6) and base.wheels[-1].patch_radius == 0.03


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('power = "0.2 kW"', 'power = "0.2 kN"', "power"),
        ("ratio = 50", "ratios = 50", "ratios"),
        ("steering_drive = {", "steering_drive = 3 #", "steering_drive is 3: expected a table like"),
        ('kind = "track"', 'kind = "support"', "drive|radius"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = tmp_path / "rover.toml"
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(ValueError, match=words):
        lp.load_project(path)
