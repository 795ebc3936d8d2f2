"""`loadpath report`: its files, and its mistakes as one line."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["report", *map(str, arguments)])


def test_a_robot_of_the_catalog(tmp_path):
    result = run("planar:2", "--payload", 1.5, "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Carries 1.5 kg on &#39;tip&#39;" in html and "gravity payload" in html
    assert "the catalog, planar:2" in html and "a swing of every joint" in html
    assert "payload on 'tip'" in result.output.replace("\n", " ")


def test_a_motion_from_a_file(tmp_path):
    arm = lp.catalog.planar(2)
    lp.Motion.swing(arm, 101, duration=2.5).to_csv(tmp_path / "m.csv")
    result = run("planar:2", "--motion", tmp_path / "m.csv", "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    assert "Motion of 2.5 s, 101 samples." in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_log_in_degrees_with_columns_of_its_own(tmp_path):
    t = np.arange(100) / 100
    q = np.degrees(np.column_stack([np.sin(t), np.cos(t)])) + np.random.default_rng(0).normal(0, 0.02, (100, 2))
    log = np.column_stack([1000 * t, q])
    np.savetxt(tmp_path / "m.txt", log, header="time_ms;axis A;axis B", delimiter=";", comments="")
    columns = "--columns", "axis A=joint1", "--columns", "axis B=joint2"
    for more, words in (((), "positions were smoothed"), (("--no-smooth",), "--smooth, or --cutoff HZ"),
                        (("--cutoff", 5), "")):
        log = "--motion", tmp_path / "m.txt", "--degrees", *columns
        result = run("planar:2", *log, *more, "-o", tmp_path / "r.html")
        assert result.exit_code == 0, result.output
        assert words in result.output.replace("\n", " ")
        assert "smooth=" not in result.output
        assert "Motion of 0.99 s, 100 samples." in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_mistakes_about_logs_speak_of_options(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{k / 10},{k},{k}\n" for k in range(30))
    (tmp_path / "m.csv").write_text(f"t,field.position0,field.position1\n{rows}")
    np.savez(tmp_path / "m.npz", t=[0, 1], q=[[0, 0], [1, 1]])
    for arguments, words in (
        (["--motion", "m.csv"], "say it with --columns 'field.position0=joint1'"),
        (["--motion", "m.csv", "--columns", "elbow"], "--columns elbow: expected a column and a joint, like"),
        (["--motion", "m.csv", "--columns", "x=joint1"], "--columns names the column 'x', which is not there"),
        (["--motion", "m.csv", "--cutoff", "1", "--smooth"], "leave out --smooth and --no-smooth"),
        (["--motion", "m.csv", "--cutoff", "0"], "cutoff is 0: expected a frequency (Hz)"),
        (["--motion", "m.npz", "--columns", "x=joint1"], "--columns is of tables; an NPZ file"),
        (["--degrees"], "--degrees, --units, --columns, --smooth and --cutoff are of a motion from a file (--motion)"),
    ):
        result = run("planar:2", *arguments)
        assert result.exit_code == 2
        assert words in result.output.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["pnda"], "did you mean 'panda'"),
        (["planar:2", "--motion", "m.xlsx"], "expected 'swing' or a file ending in .csv, .tsv, .txt, .npz or .parquet"),
        (["planar:2", "--motion", "missing.csv"], "missing.csv"),
        (["planar:2", "--duration", "-1"], "duration is -1 s"),
        (["planar:2", "--motion", "m.csv", "--duration", "1"], "--duration is of the swing"),
        (["planar:2", "-o", "no/such/folder/r.html"], "there is no folder"),
        (["planar:2", "-o", "."], "'.' is a folder: expected the name of a file to write"),
        (["planar:2", "--payload", "-1"], "mass"),
        (["planar:2", "--joints", "joint1,joint9"], "no joint 'joint9'"),
        (["planar:2", "--sections", "drives,cause"], "no section 'cause'; did you mean 'causes'?"),
        (["planar:2", "--paper", "a5"], "'a5' is not one of 'a4', 'letter'"),
        (["planar:2", "-o", "r.docx"], "'r.docx' ends in .docx, but a report is written as HTML"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert told in result.output.replace("\n", " ") and "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("m.npz", b"", "m.npz: this is no sound NPZ file"),
        ("m.npz", b"PK\x05\x06", "m.npz: this is no sound NPZ file"),
        ("m.csv", b"\xff\xfe", "m.csv: this is not text in UTF-8"),
        ("m.csv", b"t,joint1,joint2\n0,0,0\n", "m.csv: t has the shape (1,)"),
        ("m.csv", b"t,joint1,joint2\n1,0,0\n0,1,1\n", "m.csv: line 3, column 't': the time goes back, from 1"),
        (
            "m.csv",
            b"t,joint1,joint2\n0,1e308,0\n1,-1e308,0\n2,1e308,0\n3,0,0\n4,0,1\n",
            "the speed of joint 'joint1' cannot be derived",
        ),
    ],
)
def test_faulty_motions_are_told_in_one_line(name, content, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    result = run("planar:2", "--motion", name)
    assert result.exit_code == 2
    assert told in result.output.replace("\n", " ") and "Traceback" not in result.output
    assert result.output.count("\n") == 1 and [path.name for path in tmp_path.iterdir()] == [name]


def test_doubts_about_a_file_are_told(tmp_path):
    (tmp_path / "m.csv").write_text("t,joint1,joint2,torque\n0,0,0,1\n1,1,0,1\n2,0,1,1\n3,1,0,1\n")
    result = run("planar:2", "--motion", tmp_path / "m.csv", "-o", tmp_path / "r.html")
    assert result.exit_code == 0
    told = result.output.replace("\n", " ")
    assert "not used are the columns 'torque'" in told and "accelerations had to be derived" in told
    assert "not used are the columns &#39;torque&#39;" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_joints_and_sections_are_chosen(tmp_path):
    result = run("planar:3", "--joints", "joint2", "--sections", "drives,joints", "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", html) == ["Drives", "Joints"]
    assert "joint2" in html and "joint1" not in html and "joint3" not in html


def test_a_pdf_needs_a_browser_and_is_never_html(tmp_path, monkeypatch):
    monkeypatch.setattr("loadpath.report.page.BROWSERS", ())
    monkeypatch.setattr("loadpath.report.page.ELSEWHERE", ())
    result = run("planar:2", "-o", tmp_path / "r.pdf")
    assert result.exit_code == 2 and "apt install chromium" in result.output.replace("\n", " ")
    with pytest.raises(FileNotFoundError, match="none is installed"):
        lp.catalog.planar(1).report(only=["drives"]).save(tmp_path / "r.pdf")
    assert not list(tmp_path.iterdir())


def test_a_browser_that_fails_leaves_nothing(tmp_path, monkeypatch):
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho it broke >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr("loadpath.report.page.BROWSERS", (str(broken),))
    result = run("planar:2", "--sections", "drives", "-o", tmp_path / "r.pdf")
    told = result.output.replace("\n", " ")
    assert result.exit_code == 2 and "did not print the report (exit code 3): it broke" in told
    assert [path.name for path in tmp_path.iterdir()] == ["chromium"]


def test_two_designs_side_by_side(tmp_path):
    (tmp_path / "heavy.py").write_text(
        "import loadpath as lp\narm = lp.catalog.planar(2)\n"
        "arm = arm.with_inertias({'link2': lp.Inertia(2.0, (0.5, 0, 0), [[0, 0, 0], [0, 0.2, 0], [0, 0, 0.2]])})\n"
    )
    result = CliRunner().invoke(
        app, ["compare", "planar:2", str(tmp_path / "heavy.py"), "-o", str(tmp_path / "c.html")]
    )
    assert result.exit_code == 0, result.output
    assert "heavy" in result.output and "gravity link2 (" in result.output
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "<h2>Comparison</h2>" in page and "<h2>Causes that changed</h2>" in page
    wrong = CliRunner().invoke(app, ["compare", "planar:2", "lau_rover"])
    assert wrong.exit_code == 2 and "is a rover" in wrong.output


def test_a_cell_has_its_own_motion(tmp_path):
    for name, mass in (("a", 0.5), ("b", 1.5)):
        text = f'[robot]\ncatalog = "panda"\n[payload]\nmass = {mass}\n[motion]\nswing = true\n'
        (tmp_path / f"{name}.toml").write_text(text)
    result = run(tmp_path / "a.toml", "--sections", "verdict,basis", "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.findall("<h2>(.*?)</h2>", html) == ["Verdict", "What was computed"] and "0.5 kg on" in html
    pair = [str(tmp_path / f"{name}.toml") for name in "ab"]
    result = CliRunner().invoke(app, ["compare", *pair], env={"COLUMNS": "110"})
    assert result.exit_code == 0 and "Utilisation" in result.output and "gravity payload (" in result.output
