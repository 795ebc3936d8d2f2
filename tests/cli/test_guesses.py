"""What a log or a typed state does not say: guessed, shown, and taken only if the user agrees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import loadpath as lp
from loadpath.cli import app, guesses
from loadpath.motion.logs.guess import guessed_columns

T = np.linspace(0, 2, 101)
JOINTS = lp.catalog.ur5().dof_names
Q = np.outer(np.sin(T) ** 2, [0.2, -0.8, 1.0, -0.3, 0.5, 0.1])


def run(*arguments: object, answer: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "100"}, input=answer)


def written(path: Path, header: str, *columns: np.ndarray) -> Path:
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="", fmt="%.9f")
    return path


def drives(*arguments: object) -> list[float]:
    result = run("loads", "ur5", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [row["max"] for row in json.loads(result.stdout)["drives"]]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    """Of the log that says everything, which nobody asks about."""
    path = written(tmp_path_factory.mktemp("logs") / "m.csv", ",".join(["t", *JOINTS]), T, Q)
    return drives("--motion", path)


@pytest.mark.parametrize(("header", "scale_t", "scale_q", "words"), [
    ("t,j1,j2,j3,j4,j5,j6", 1, 1, "order of the joints"),
    ("Zeit,A1,A2,A3,A4,A5,A6", 1, 1, "named like a time"),
    ("t,a,b,c,d,e,f", 1, 1, "order of the joints"),
    ("t,left_Shoulder_Pan,left_ShoulderLift,left_elbow,left_wrist_1,left_wrist_2,left_wrist_3", 1, 1, "part of its"),
    (",".join(["t", *JOINTS]), 1, 180 / np.pi, "in degrees: by the limits"),
    (",".join(["t", *JOINTS]), 1000, 1, "times in ms"),
    (",".join(["t", *JOINTS]), 1000, 180 / np.pi, "times in ms"),
    ("", 1, 1, "rises evenly"),
])
def test_what_a_log_does_not_say_is_guessed_shown_and_taken_with_yes(
    tmp_path: Path, right: list[float], header: str, scale_t: float, scale_q: float, words: str
) -> None:
    log = written(tmp_path / "m.csv", header, scale_t * T, scale_q * Q)
    result = run("loads", "ur5", "--motion", log)
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert words in said and "--yes takes it" in said and "q.shoulder_lift_joint" in said
    taken = run("loads", "ur5", "--motion", log, "--yes", "--json")
    assert taken.exit_code == 0 and words in " ".join(taken.output.split())
    assert drives("--motion", log, "--yes") == pytest.approx(right, rel=1e-3)


def test_what_is_certain_is_not_asked_about(tmp_path: Path, right: list[float]) -> None:
    named = ",".join(f"{name} [deg]" for name in JOINTS)
    for header, scale, more in (
        (f"time_ms,{named}", 180 / np.pi, ()),
        ("timestamp," + ",".join(f"actual_q_{k}" for k in range(6)), 1, ()),
        ("t," + ",".join(JOINTS), 180 / np.pi, ("--degrees",)),
        ("t," + ",".join(JOINTS), 180 / np.pi, ("--units", "q=deg")),
        ("t," + ",".join(f"j{k + 1}" for k in range(6)), 1,
         [part for k, name in enumerate(JOINTS) for part in ("--columns", f"j{k + 1}={name}")]),
    ):
        log = written(tmp_path / "m.csv", header, T * (1000 if "time_ms" in header else 1), scale * Q)
        assert "a guess" not in run("loads", "ur5", "--motion", log, *more).output
        assert drives("--motion", log, *more) == pytest.approx(right, rel=2e-3)


def test_the_user_denies_a_guess_by_options(tmp_path: Path) -> None:
    log = written(tmp_path / "m.csv", ",".join(["t", *JOINTS]), T, 180 / np.pi * Q)
    result = run("loads", "ur5", "--motion", log, "--radians")
    assert result.exit_code == 0 and "outside its limits" in " ".join(result.output.split())
    slow = written(tmp_path / "s.csv", ",".join(["t", *JOINTS]), 1000 * T, Q)
    assert run("loads", "ur5", "--motion", slow, "--units", "t=s").exit_code == 0
    assert "expected what it is of" in run("loads", "ur5", "--motion", slow, "--units", "ms").output


def test_iso_stamps_in_a_column_of_any_name(tmp_path: Path, right: list[float]) -> None:
    stamps = [f"2026-05-04T12:59:{59 + t:09.6f}Z" if t < 1 else f"2026-05-04T13:00:{t - 1:09.6f}Z" for t in T]
    rows = "\n".join(f"{stamp},{','.join(f'{x:.9f}' for x in q)}" for stamp, q in zip(stamps, Q, strict=True))
    for head, more in (("t", ()), ("recorded at", ("--yes",))):
        (tmp_path / "m.csv").write_text(f"{head},{','.join(JOINTS)}\n{rows}\n")
        assert drives("--motion", tmp_path / "m.csv", *more) == pytest.approx(right, rel=2e-3)
    assert "has dates" in run("loads", "ur5", "--motion", tmp_path / "m.csv").output


def test_somebody_at_the_terminal_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "at_terminal", lambda: True)
    log = written(tmp_path / "m.csv", "t,j1,j2,j3,j4,j5,j6", T, Q)
    for answer, code in (("\n", 0), ("y\n", 0), ("n\n", 2)):
        result = run("loads", "ur5", "--motion", log, answer=answer)
        assert result.exit_code == code and "Is that right?" in result.output
    assert "say what is right with --columns 'j1=shoulder_pan_joint' and so on" in " ".join(result.output.split())


def test_one_state_in_degrees_is_asked_about_as_a_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = "--q", "0,-90,90,0,0,0"
    result = run("loads", "ur5", *typed)
    said = " ".join(result.output.split())
    assert result.exit_code == 2 and "'shoulder_lift_joint' is at -90" in said and "--yes takes it" in said
    right = run("loads", "ur5", "--q", "0,-90deg,90deg,0,0,0", "--json").stdout
    assert run("loads", "ur5", *typed, "--degrees", "--json").stdout == right
    taken = run("loads", "ur5", *typed, "--yes", "--json")
    assert taken.exit_code == 0 and json.loads(taken.stdout)["drives"] == json.loads(right)["drives"]
    wrong = run("loads", "ur5", *typed, "--radians")
    assert wrong.exit_code == 0 and "outside its limits" in " ".join(wrong.output.split())
    assert run("simulate", "ur5", *typed, "--duration", "0.01").exit_code == 2
    monkeypatch.setattr(guesses, "at_terminal", lambda: True)
    assert run("loads", "ur5", *typed, answer="y\n").exit_code == 0


@pytest.mark.parametrize("rows", [
    "t,a,b\n0,1,2\n", "t,a,b,c,d,e,f,g\n" + "0,1,2,3,4,5,6,7\n1,1,2,3,4,5,6,7\n",  # too few, and one too many
    "t,shoulder_pan_joint,b,c,d,e,f\n" + "0,1,2,3,4,5,6\n1,1,2,3,4,5,6\n",  # one by name: the others are no order
    "x,a,b,c,d,e,f\n" + "3,1,2,3,4,5,6\n1,1,2,3,4,5,6\n",  # nothing rises
    "t,tau_1,tau_2,tau_3,tau_4,tau_5,tau_6\n" + "0,1,2,3,4,5,6\n1,1,2,3,4,5,6\n",
    "a,a,a\n0,1,2\n", "t\n", "t,a,b,c,d,e,f\n0,x,y,z,1,2,3\n",
])
def test_nothing_is_guessed_where_nothing_fits(tmp_path: Path, rows: str) -> None:
    (tmp_path / "m.csv").write_text(rows)
    assert guessed_columns(tmp_path / "m.csv", lp.catalog.ur5()) is None
    result = run("loads", "ur5", "--motion", tmp_path / "m.csv")
    assert result.exit_code == 2 and "a guess" not in result.output


def test_speeds_and_measured_positions_are_told_from_targets(tmp_path: Path) -> None:
    arm = lp.catalog.planar(2)
    log = tmp_path / "m.csv"
    log.write_text("time,target_A,target_B,act_A,act_B,speed_A,speed_B,torque_A\n0,9,9,1,2,3,4,5\n0.1,9,9,1,2,3,4,5\n")
    found = guessed_columns(log, arm)
    assert found is not None
    assert {column: label for column, (label, _) in found.items()} == {
        "act_A": "q.joint1", "act_B": "q.joint2", "speed_A": "qd.joint1", "speed_B": "qd.joint2"}


def test_arrays_without_names(tmp_path: Path) -> None:
    q, qd = 180 / np.pi * Q, np.gradient(180 / np.pi * Q, T, axis=0)
    np.savetxt(tmp_path / "m.txt", np.column_stack([T, np.radians(q), np.radians(qd)]))
    with pytest.raises(ValueError, match=r"columns=\{'column 1': 't', ...\} says what a file without names holds"):
        lp.Motion.from_csv(tmp_path / "m.txt", lp.catalog.ur5())
    found = guessed_columns(tmp_path / "m.txt", lp.catalog.ur5())
    assert found is not None and found["column 8"] == ("qd.shoulder_pan_joint", "order of the joints")
    np.savez(tmp_path / "m.npz", t=T, q=q)
    result = run("loads", "ur5", "--motion", tmp_path / "m.npz")
    assert result.exit_code == 2 and "in degrees" in result.output
    assert run("loads", "ur5", "--motion", tmp_path / "m.npz", "--yes").exit_code == 0


@pytest.mark.parametrize("typed", ["5", "5kg", "5 kg", "5000 g", "0.005t"])
def test_payloads_have_units(typed: str) -> None:
    assert run("loads", "planar:2", "--q", "0,0", "--payload", typed, "--json").stdout == run(
        "loads", "planar:2", "--q", "0,0", "--payload", "5.0", "--json").stdout


def test_payloads_in_other_units_are_refused_and_joints_have_numbers(tmp_path: Path) -> None:
    assert "'5N' is no mass: expected a number of kg" in " ".join(run("info", "ur5").output.split()) + " ".join(
        run("loads", "ur5", "--payload", "5N").output.split())
    by_number = run("loads", "ur5", "--q", "0,0,0,0,0,0", "--joint", "2").stdout
    assert by_number == run("loads", "ur5", "--q", "0,0,0,0,0,0", "--joint", "shoulder_lift_joint").stdout
    assert "'ur5' has 6 joints that move" in run("loads", "ur5", "--joint", "7").output
    assert "loadpath new ur5 --base -o cart.toml" in " ".join(run("rover", "ur5").output.split())


def test_exports_carry_the_payload_and_print_their_prototype(tmp_path: Path) -> None:
    plain, loaded = tmp_path / "a.c", tmp_path / "b.c"
    result = run("export", "planar:2", "gravity_forces", "-o", plain)
    assert "void planar2_gravity_forces(const double *q, double *tau);" in " ".join(result.stdout.split())
    assert run("export", "planar:2", "gravity_forces", "--payload", "2kg", "-o", loaded).exit_code == 0
    assert loaded.read_text() == lp.catalog.planar(2).with_payload(2.0).c_source("gravity_forces")
    assert loaded.read_text() != plain.read_text()


@pytest.mark.parametrize("name", ["loads", "export", "report"])
def test_flags_take_nothing_in_help(name: str) -> None:
    assert "bool" not in run(name, "--help").stdout and "bool" not in run("--help").stdout


@pytest.mark.parametrize("arguments", [("verdict", "planar:2"), ("deflect", "planar:2"), ("report", "planar:2")])
def test_commands_advise_what_their_users_write(
    arguments: tuple[str, ...], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    said = " ".join(run(*arguments).output.split())
    assert "robot.with_parts" not in said
    if arguments[0] == "verdict":
        assert "[[parts.joint1]] in a project file" in said
