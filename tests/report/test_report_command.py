"""`loadpath report`: its files, and its mistakes as one line."""

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
    assert "Carries 1.5 kg of payload." in html and "gravity payload" in html


def test_a_motion_from_a_file(tmp_path):
    arm = lp.catalog.planar(2)
    lp.Motion.swing(arm, 101, duration=2.5).to_csv(tmp_path / "m.csv")
    result = run("planar:2", "--motion", tmp_path / "m.csv", "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    assert "Motion of 2.5 s, 101 samples." in (tmp_path / "r.html").read_text(encoding="utf-8")


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
        ("m.csv", b"t,joint1,joint2\n1,0,0\n0,1,1\n", "m.csv: t does not rise"),
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
