"""Duty maps: every cell against a verdict on the robot that carries the mass, at that speed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_payload_diagram import geared

import loadpath as lp


def test_each_cell_against_a_verdict_by_itself() -> None:
    arm, swing = geared()
    masses, speeds = [0.0, 2.0, 6.0], [0.5, 1.0, 1.4]
    center = (0.1, 0.05, 0.0)
    found = arm.duty_map(swing, masses, speeds, hours=20_000, center_of_mass=center)
    for m, mass in enumerate(masses):
        loaded = arm.with_payload(mass, center) if mass else arm
        for s, speed in enumerate(speeds):
            alone = loaded.verdict(swing.scaled(speed=speed), hours=20_000)
            assert alone.worst is not None and alone.shortest_life is not None
            assert found.utilisation[m, s] == pytest.approx(alone.worst.utilisation, rel=1e-10)
            assert found.life[m, s] == pytest.approx(alone.shortest_life.life_hours, rel=1e-9)
            assert tuple(found.limit(m, s)) == (alone.worst.joint, alone.worst.part, alone.worst.check)
            assert tuple(found.weakest(m, s)) == (
                alone.shortest_life.joint, alone.shortest_life.part, alone.shortest_life.check)
            assert found.holds[m, s] == (not alone.failing)
    assert (np.diff(found.life, axis=0) < 0).all()       # more payload, shorter life
    assert not found.holds.all()
    assert found.holds.any()
    assert found.not_checked


def test_default_payloads_reach_past_the_largest() -> None:
    arm = lp.catalog.panda()
    swing = lp.Motion.swing(arm, 41)
    found = arm.duty_map(swing, speeds=[1.0])
    most = arm.largest("payload", swing).value
    assert found.payload[0] == 0 and found.payload[-1] == pytest.approx(1.25 * most)
    assert found.holds[:, 0].tolist() == [mass <= most for mass in found.payload]
    assert np.isnan(found.life).all()
    with pytest.raises(ValueError, match="no part has a life"):
        found.weakest(0, 0)


def test_spectra_tables_and_pictures(tmp_path: Path) -> None:
    arm, swing = geared()
    spectrum = lp.DutySpectrum([(swing, 0.7), (swing.scaled(speed=0.5), 0.3)])
    found = arm.duty_map(spectrum, [0.0, 3.0], [0.8, 1.2])
    alone = arm.with_payload(3.0).verdict(
        lp.DutySpectrum([(swing.scaled(speed=0.8), 0.7), (swing.scaled(speed=0.4), 0.3)]))
    assert found.life[1, 0] == pytest.approx(alone.shortest_life.life_hours, rel=1e-9)
    assert found.to_table().count("\n") == 3
    assert len(found.to_csv(tmp_path / "map.csv").read_text().splitlines()) == 5
    assert found.to_dataframe().shape == (4, 6)
    assert "lives" in repr(found) and "<table" in found._repr_html_()
    assert [trace.type for trace in found.plot().data] == ["heatmap", "contour"]


@pytest.mark.parametrize(("options", "words"), [
    ({"payloads": [-1.0]}, "a payload is -1 kg"),
    ({"payloads": []}, "expected one row of numbers of zero or more"),
    ({"payloads": ["heavy"]}, "payloads"),
    ({"speeds": [0.0]}, "a speed is 0"),
    ({"speeds": [[1.0]]}, "expected one row of factors"),
    ({"speeds": [np.nan]}, "speeds are"),
    ({"hours": 0}, "hours is 0"),
    ({"link": "nowhere"}, "nowhere"),
])
def test_wrong_questions(options: dict, words: str) -> None:
    arm = lp.catalog.panda()
    given = {"payloads": [0.0, 1.0], "speeds": [1.0], **options}
    with pytest.raises(ValueError, match=words):
        arm.duty_map(lp.Motion.swing(arm, 11), **given)


def test_rovers_with_tipping_and_wheels() -> None:
    """The verdict of a rover has its tipping over in it: what limits the payload of a cell is what `largest` says."""
    rover = lp.catalog.lau_rover()
    still = [0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    most = rover.largest("payload", still, link="rod").value
    found = rover.duty_map(still, [0.5 * most, 1.2 * most], [1.0], link="rod")
    assert found.holds[:, 0].tolist() == [True, False]
    assert found.limit(1, 0).check == "tipping over"
