"""What an SDF file may include: models beside it and where they are kept, and nothing else of the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadpath as lp

SECRET = """<sdf version="1.9"><model name="secret-model"><link name="secret-link"/></model>
<model name="another-secret"/></sdf>"""
GRIPPER = """<sdf version="1.9"><model name="gripper"><link name="palm"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link></model></sdf>"""


def including(uri: str) -> str:
    return f"""<sdf version="1.9"><model name="arm"><link name="base"><inertial><mass>1</mass>
    <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link><include><uri>{uri}</uri></include>
    <joint name="j" type="revolute"><parent>base</parent><child>gripper::palm</child>
    <axis><xyz>0 0 1</xyz></axis></joint>    </model></sdf>"""


OUTSIDE = [
    "{secret}", "file://{secret}", "../../secret.sdf", "model://../secret.sdf", "model://..", "package://../secret.sdf",
    "model://private/secret.sdf", "link.sdf", "{folder}/../../secret.sdf", "/etc/passwd", "file:///etc",
    "model://downloads/../secret.sdf", "/proc/self/environ",
]


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("written", OUTSIDE)
def test_what_lies_outside_is_not_read(tmp_path: Path, written: str, there: bool) -> None:
    secret, folder = tmp_path / "private" / "secret.sdf", tmp_path / "private" / "downloads" / "arm"
    folder.mkdir(parents=True)
    if there:
        secret.write_text(SECRET)
        (secret.parent / "model.sdf").write_text(SECRET)
    (folder / "link.sdf").symlink_to(secret)
    file = folder / "arm.sdf"
    uri = written.format(secret=secret, folder=folder)
    file.write_text(including(uri))
    with pytest.raises(lp.ModelError) as caught:
        lp.load(file)
    message = str(caught.value)
    assert message.startswith(str(file)) and f"'{uri}" in message
    assert "-link" not in message and "models: expected one" not in message and "root:" not in message
    assert "is outside of what this file may include" in message or "there is no such model next to the file" in message


def test_the_error_is_the_same_whether_a_file_is_there_or_not(tmp_path: Path) -> None:
    folder = tmp_path / "downloads" / "arm"
    folder.mkdir(parents=True)
    file, said = folder / "arm.sdf", []
    for content in (None, SECRET, "no XML"):
        if content is not None:
            (tmp_path / "secret.sdf").write_text(content)
        for written in (str(tmp_path / "secret.sdf"), "model://downloads/secret.sdf", "../../secret.sdf"):
            file.write_text(including(written))
            with pytest.raises(lp.ModelError) as caught:
                lp.load(file)
            said.append(str(caught.value))
    assert said[:3] == said[3:6] == said[6:]


NEARBY = ["model://gripper", "../gripper/model.sdf", "gripper", "gripper.sdf", "file://gripper.sdf"]


@pytest.mark.parametrize("uri", NEARBY)
def test_models_beside_the_file_are_read(tmp_path: Path, uri: str) -> None:
    arm, gripper = tmp_path / "models" / "arm", tmp_path / "models" / "gripper"
    for folder in (arm / "gripper", gripper):
        folder.mkdir(parents=True)
        (folder / "model.config").write_text("<model><sdf version='1.9'>model.sdf</sdf></model>")
        (folder / "model.sdf").write_text(GRIPPER)
    (arm / "gripper.sdf").write_text(GRIPPER)
    (arm / "arm.sdf").write_text(including(uri))
    assert lp.load(arm / "arm.sdf").n == 1


def test_folders_that_the_user_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept" / "gripper"
    kept.mkdir(parents=True)
    (kept / "model.sdf").write_text(GRIPPER)
    file = tmp_path / "downloads" / "arm" / "arm.sdf"
    file.parent.mkdir(parents=True)
    file.write_text(including("model://gripper"))
    with pytest.raises(lp.ModelError, match="there is no such model next to the file"):
        lp.load(file)
    assert lp.load(file, package_paths=[tmp_path / "kept"]).n == 1
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "kept"))
    assert lp.load(file).n == 1
