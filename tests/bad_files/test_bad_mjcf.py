"""Every wrong or hostile MJCF file says what is wrong, where, and what to do, in the words of the corpus; none of them
hangs, fills the memory, or has a file opened that is not the robot's.
"""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

import loadpath as lp
from bad_files.corpus import Case, cases, check_words
from bad_files.test_bad_files import described, message_of

MJCF = cases("mjcf.txt")
BODY = '<body name="b"><joint name="j"/><geom size="0.1"/></body>'
WORLD = f"<worldbody>{BODY}</worldbody>"


def text_of(case: str) -> str:
    return case.replace("BODY", BODY).replace("WORLD", WORLD)


@pytest.mark.parametrize("case", MJCF, ids=described)
def test_mjcf(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "arm.xml"
    file.write_text(text_of(case.what), encoding="utf-8")
    message = message_of(case, lambda: lp.load(file))
    assert message.startswith(str(file))
    check_words(case, message)


def archive(folder: Path, **members: str) -> Path:
    file = folder / "robot.zip"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as zipped:
        for name, text in members.items():
            zipped.writestr(f"{name}.xml", text)
    file.write_bytes(data.getvalue())
    return file


@pytest.mark.parametrize("there", [True, False])
def test_an_archive_does_not_learn_which_files_there_are(tmp_path: Path, there: bool) -> None:
    secret = tmp_path / "secret.stl"
    if there:
        secret.write_bytes(b"solid secret")
    flex = f'<flexcomp name="f" type="mesh" file="{secret}" mass="1"/>'
    file = archive(tmp_path, arm=f"<mujoco><worldbody>{BODY}{flex}</worldbody></mujoco>")
    with pytest.raises(lp.ModelError, match="<flexcomp> 'f' is a deformable body: only rigid links can be kept"):
        lp.load(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("element", [
    "<include file='{}.xml'/>WORLD",
    "<asset><model name='m' file='{}.xml'/></asset>WORLD",
    "<worldbody>BODY<flexcomp name='f' type='mesh' file='{}.stl' mass='1'/></worldbody>",
    "<asset><mesh name='m' file='{}.stl'/></asset><worldbody><body><joint/><geom type='mesh' mesh='m'/></body>"
    "</worldbody>",
    "<asset><texture name='t' type='2d' file='{}.png'/><hfield name='h' file='{}.png' size='1 1 1 1'/></asset>WORLD",
])
def test_pipes_and_folders_are_not_opened(tmp_path: Path, element: str) -> None:
    for ending in ("xml", "stl", "png"):
        os.mkfifo(tmp_path / f"pipe.{ending}")
        (tmp_path / f"folder.{ending}").mkdir()
    for name in ("pipe", "folder"):
        file = tmp_path / "arm.xml"
        file.write_text(f"<mujoco>{text_of(element.replace('{}', name))}</mujoco>")
        if "texture" in element:  # nobody opens these
            assert lp.load(file).n == 1
            continue
        with pytest.raises(lp.ModelError, match=r"no such file|which is not there|deformable"):
            lp.load(file)
