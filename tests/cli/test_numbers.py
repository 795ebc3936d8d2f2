"""Numbers of the new commands, against those by hand or by another way."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_loads_of_a_level_rod() -> None:
    found = json.loads(run("loads", "planar:1", "--q", "0", "--payload", "2", "--json", "--causes", "5"))
    joint = found["joints"][0]
    assert joint["force"] == pytest.approx([0, 3 * 9.81, 0], abs=1e-12)
    assert joint["torque"] == pytest.approx([0, 0, (0.5 + 2) * 9.81], abs=1e-12)
    assert {part["cause"]: round(part["torque"][2], 6) for part in joint["causes"]} == {
        "gravity payload": 19.62, "gravity link1": 4.905}
    assert found["drives"][0]["value"] == pytest.approx(2.5 * 9.81)


def test_loads_over_a_motion_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    run("loads", "planar:1", "--duration", "2", "--csv", str(file))
    rows = list(csv.reader(file.open()))
    table = {name: np.array([float(row[k]) for row in rows[1:]]) for k, name in enumerate(rows[0])}
    robot = lp.catalog.planar(1)
    motion = lp.Motion.swing(robot, len(rows) - 1, 2.0)
    # A rod of 1 kg and 1 m: by energy, tau = I qdd + m g cos(q) / 2.
    inertia = float(robot.mass_matrix([0.0])[0, 0])
    wanted = inertia * motion.qdd[:, 0] + 0.5 * 9.81 * np.cos(motion.q[:, 0])
    np.testing.assert_allclose(table["drive.joint1 (N m)"], wanted, atol=1e-12)
    radial = -0.5 * motion.qd[:, 0] ** 2 + 9.81 * np.sin(motion.q[:, 0])
    np.testing.assert_allclose(table["joint1.force_x (N)"], radial, atol=1e-12)


def test_a_pendulum_falls_as_scipy_says(tmp_path: Path) -> None:
    file = tmp_path / "fall.npz"
    found = json.loads(run("simulate", "planar:1", "--q", "0.3", "--duration", "0.8", "-o", str(file), "--json"))
    inertia = float(lp.catalog.planar(1).mass_matrix([0.0])[0, 0])
    fall = solve_ivp(lambda t, y: [y[1], -0.5 * 9.81 * np.cos(y[0]) / inertia], (0, 0.8), [0.3, 0.0], rtol=1e-10,
                     atol=1e-12)
    assert found["end"]["q"]["joint1"] == pytest.approx(fall.y[0, -1], abs=1e-7)
    saved = np.load(file)
    assert saved["q"][-1, 0] == found["end"]["q"]["joint1"] and len(saved["t"]) == found["samples"]
    assert found["energies"]["kinetic"]["end"] == pytest.approx(
        found["energies"]["potential"]["start"] - found["energies"]["potential"]["end"], abs=1e-7)


def test_held_it_stays_and_driven_by_its_loads_it_moves_as_planned(tmp_path: Path) -> None:
    held = json.loads(run("simulate", "planar:2", "--q", "0.3,0.4", "--torque", "hold", "--duration", "0.2", "--json"))
    assert held["end"]["q"] == pytest.approx({"joint1": 0.3, "joint2": 0.4}, abs=1e-9)
    file = tmp_path / "loads.csv"
    run("loads", "planar:1", "--duration", "1", "--csv", str(file))
    motion = lp.Motion.swing(lp.catalog.planar(1), 2001, 1.0)
    start = f"{motion.q[0, 0]!r}".removeprefix("np.float64(").removesuffix(")")
    driven = json.loads(run("simulate", "planar:1", f"--q={start}", "--torque", str(file), "--duration", "1", "--json"))
    assert driven["end"]["q"]["joint1"] == pytest.approx(motion.q[-1, 0], abs=1e-4)


@pytest.mark.parametrize(("arguments", "words"), [
    (("loads", "planar:2", "--q", "1"), "--q has 1 number: expected 2, of joint1, joint2"),
    (("loads", "planar:2", "--q", "joint1=3kg"), "'3kg' is no number with a unit of this joint: expected an angle"),
    (("loads", "planar:2", "--q", "joint3=1"), "--q: no joint 'joint3'; did you mean"),
    (("loads", "planar:2", "--q", "nan,0"), "'nan' is not finite"),
    (("loads", "planar:2", "--q", "0,0", "--motion", "swing"), "give one or the other"),
    (("simulate", "planar:1", "--duration", "0"), "duration is 0 s: expected more than zero"),
    (("simulate", "planar:1", "-o", "x.txt"), "'x.txt' ends in '.txt': expected .csv or .npz"),
    (("simulate", "planar:1", "--torque", "x.toml"), "expected 'zero', 'hold', or a file ending in .csv"),
    (("simulate", "planar:1", "--velocity", "1,0"), "--velocity is of the base of a rover"),
    (("rover", "planar:1"), "'planar:1' is no rover"),
    (("rover", "lau_rover", "--velocity", "fast"), "--velocity fast: expected v,w or vx,vy,w"),
    (("deflect", "planar:1"), "'planar:1' is rigid"),
    (("new", "planar:1", "-o", "x.txt"), "a project is written as TOML"),
    (("new", "lau_rover", "-o", "-"), "expected a robot of the catalog or a robot's file"),
])
def test_wrong_requests_say_what_is_expected(arguments: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 2
    assert words in result.stderr and result.stderr.count("\n") == 1
