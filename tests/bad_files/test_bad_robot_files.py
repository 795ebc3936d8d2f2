"""Every wrong or hostile file of xacro, SDF, project or archive says what is wrong, where, and what to do, in the words
of the corpus; none runs code, reads a file of others or takes long.
"""

from __future__ import annotations

import os
import warnings
import zipfile
from pathlib import Path

import pytest

import loadpath as lp
from bad_files.corpus import Case, cases, check_words
from bad_files.hostile_archives import ARCHIVES
from bad_files.test_bad_files import described, message_of

XACRO, SDF = cases("xacro.txt"), cases("sdf.txt")
PROJECTS, ARCHIVE_CASES = cases("projects.txt"), cases("archives.txt")
START = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
LINK = """<link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
</link>"""
LONGEST = 1_500


def checked(case: Case, file: Path) -> None:
    """The words are there, the message is short and has nothing from elsewhere in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        message = message_of(case, lambda: lp.load_project(file) if file.suffix == ".toml" else lp.load(file))
    check_words(case, message)
    assert message.startswith(str(file)) and len(message) < LONGEST
    assert "root:" not in message and "PATH=" not in message


@pytest.mark.parametrize("case", XACRO, ids=described)
def test_xacro(case: Case, tmp_path: Path) -> None:
    file = tmp_path / ("arm.urdf" if case.what.startswith("URDF ") else "arm.xacro")
    file.write_text(f"{START}{case.what.removeprefix('URDF ')}</robot>")
    checked(case, file)


@pytest.mark.parametrize("case", SDF, ids=described)
def test_sdf(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "arm.sdf"
    file.write_text(case.what.replace("LINK", LINK))
    checked(case, file)


@pytest.mark.parametrize("case", PROJECTS, ids=described)
def test_projects(case: Case, tmp_path: Path) -> None:
    file = hostile_project(tmp_path) / "cell.toml"
    text = case.what.replace(" | ", "\n") + "\n"
    for word, bomb in BOMBS.items():
        text = text.replace(word, bomb)
    file.write_text(text)
    checked(case, file)


BOMBS = {"LONG": "x" * 10**6, "DIGITS": "9" * 5000, "NESTED": "[" * 300 + "]" * 300, "DOTTED": ".".join("a" * 10**5)}
"""What words of the corpus stand for."""


def hostile_project(folder: Path) -> Path:
    """The folder of a project beside files that it must not read, with all ways that lead there."""
    inside, outside = folder / "project", folder / "outside"
    (inside / "inside").mkdir(parents=True)
    outside.mkdir()
    arm = Path(__file__).with_name("arm.urdf").read_text()
    (outside / "arm.urdf").write_text(arm)
    (outside / "log.csv").write_text("root:secret\n")
    (outside / "secret.xacro").write_text(f"{START}<link name='root:secret'/></robot>")
    for archive in (outside / "arms.zip", inside / "arms.zip", inside / "link_out.zip:arms.zip",
                    inside / "pipe.zip:arms.zip"):
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr("arm.urdf", arm)
    (inside / "arm.py").write_text("raise SystemExit('this ran')")
    (inside / "hostile.urdf").write_text(f"{START}<link name=\"${{().__class__}}\"/><xacro:if value='1'/></robot>")
    (inside / "secret.xacro").write_text(f"{START}<xacro:include filename='../outside/secret.xacro'/></robot>")
    (inside / "link_out.urdf").symlink_to(outside / "arm.urdf")
    (inside / "link_out.zip").symlink_to(outside / "arms.zip")
    (inside / "folder_out").symlink_to(outside)
    (inside / "link_to_itself.urdf").symlink_to("link_to_itself.urdf")
    for pipe in ("pipe.urdf", "pipe.csv", "pipe.zip", "arms.zip:pipe"):
        os.mkfifo(inside / pipe)
    with (inside / "huge.urdf").open("wb") as huge:
        huge.truncate(65 * 2**20)
    return inside


@pytest.mark.parametrize("case", ARCHIVE_CASES, ids=described)
def test_archives(case: Case, tmp_path: Path) -> None:
    file = tmp_path / case.what
    file.write_bytes(ARCHIVES[case.what]())
    checked(case, file)


def test_every_archive_has_its_words() -> None:
    assert sorted(case.what for case in ARCHIVE_CASES) == sorted(ARCHIVES)
    assert len({case.what for case in (*XACRO, *SDF, *PROJECTS)}) >= 70
