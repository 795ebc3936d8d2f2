"""Every wrong or hostile file of xacro, SDF, project or archive says what is wrong, where, and what to do, in the words
of the corpus; none runs code, reads a file of others or takes long.
"""

from __future__ import annotations

import warnings
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
        message = message_of(case, lambda: lp.load_cell(file) if file.suffix == ".toml" else lp.load(file))
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
    (tmp_path / "arm.py").write_text("raise SystemExit('this ran')")
    (tmp_path / "hostile.urdf").write_text(f"{START}<link name=\"${{().__class__}}\"/><xacro:if value='1'/></robot>")
    file = tmp_path / "cell.toml"
    file.write_text(case.what.replace(" | ", "\n") + "\n")
    checked(case, file)


@pytest.mark.parametrize("case", ARCHIVE_CASES, ids=described)
def test_archives(case: Case, tmp_path: Path) -> None:
    file = tmp_path / case.what
    file.write_bytes(ARCHIVES[case.what]())
    checked(case, file)


def test_every_archive_has_its_words() -> None:
    assert sorted(case.what for case in ARCHIVE_CASES) == sorted(ARCHIVES)
    assert len({case.what for case in (*XACRO, *SDF, *PROJECTS)}) >= 70
