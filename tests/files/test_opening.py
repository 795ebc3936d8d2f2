"""`lp.load` goes by content: which format a file has, what it is instead, and robots by name."""

from __future__ import annotations

import os
import sys
import threading
import types
from pathlib import Path
from typing import Any

import pytest

import loadpath as lp
from loadpath.files import formats
from loadpath.files.formats import FORMATS

BASE = "<robot name='r'><link name='base'/></robot>"


@pytest.mark.parametrize("name", ["r.urdf", "r.xml", "r.txt", "r", "r.sdf", "r.csv", "Ä rm.urdf"])
def test_the_ending_does_not_matter(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BASE)
    assert lp.load(tmp_path / name).name == "r" and lp.load(str(tmp_path / name)).name == "r"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + BASE.encode(),
        ("<?xml version='1.0' encoding='utf-16'?>" + BASE).encode("utf-16"),
        b"<?xml version='1.0' encoding='iso-8859-1'?><!-- \xe4 -->" + BASE.encode(),
        b"\n\n  <!-- " + b"x" * 200_000 + b" -->\n" + BASE.encode(),
    ],
)
def test_encodings_and_what_stands_before_the_root(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r.urdf").write_bytes(content)
    assert lp.load(tmp_path / "r.urdf").name == "r"


EXPECTED = "expected XML with the root element <robot> (URDF)"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"solid arm\nfacet", "this is a mesh (STL), not a robot: " + EXPECTED),
        (b"\x00" * 80 + b"\x01\x00\x00\x00" + b"\x00" * 50, "this is a mesh (STL)"),
        (b"ply\nformat", "this is a mesh (PLY)"),
        (b"glTF\x02\x00", "this is a mesh (glTF)"),
        (b"<COLLADA/>", "this is a mesh (COLLADA)"),
        (b"ISO-10303-21;", "this is a CAD file (STEP): export a URDF"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"\xfd7zXZ\x00", "compressed (xz): unpack it first"),
        (b"<html></html>", "this is a web page"),
        (b"<svg/>", "this is a drawing (SVG)"),
        (b"<thing/>", "the root element is <thing>: " + EXPECTED),
        (b"joint1,joint2\n", "this is not XML: " + EXPECTED),
        (b"\x89PNG\x00\x00", "this is not a file of text"),
        (b"<robot name='r'", "not well-formed XML"),
        (b"<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "entity 'a' is defined here"),
    ],
)
def test_what_a_file_is_instead(tmp_path: Path, content: bytes, words: str) -> None:
    for name in ("r.urdf", "r.stl"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(lp.ModelError) as caught:
            lp.load(tmp_path / name)
        assert str(caught.value).startswith(str(tmp_path / name)) and words in str(caught.value)


def test_paths_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(BASE)
    with pytest.raises(FileNotFoundError, match=r"there is no such URDF file \(there is 'panda\.urdf'\)"):
        lp.load(tmp_path / "pandas.urdf")
    with pytest.raises(FileNotFoundError, match=r"there is no such URDF file, and no folder"):
        lp.load(tmp_path / "nowhere" / "panda.urdf")
    with pytest.raises(lp.ModelError, match=r"is a folder: .* like '.*panda\.urdf'"):
        lp.load(tmp_path)
    with pytest.raises(lp.ModelError, match="null byte"):
        lp.load("a\x00b.urdf")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(BASE,))
    writer.start()
    try:
        assert lp.load(tmp_path / "pipe").name == "r"
    finally:
        writer.join()


def test_each_format_has_its_row() -> None:
    assert FORMATS[0].name == "URDF"
    assert len({row.root for row in FORMATS}) == len({row.name for row in FORMATS}) == len(FORMATS)
    assert len({ending for row in FORMATS for ending in row.endings}) == sum(len(row.endings) for row in FORMATS)


# Names of robot_descriptions


@pytest.fixture
def descriptions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The package without the network: one robot that is there, one of xacro, one whose repository is not."""
    package = types.ModuleType("robot_descriptions")
    package.DESCRIPTIONS = dict.fromkeys(("arm_description", "made_description", "far_description"))
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "a.stl").write_text("solid a")
    mesh = "<visual><geometry><mesh filename='package://any_name/meshes/a.stl'/></geometry></visual>"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "arm.urdf").write_text(BASE.replace("'base'/>", f"'base'>{mesh}</link>"))
    made = '<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="name" default="a"/>'
    (tmp_path / "arm" / "made.xacro").write_text(made + '<xacro:arg name="side" default="left"/>'
                                                 '<link name="$(arg side)"/></robot>')
    arm, xacro = types.ModuleType("robot_descriptions.arm"), types.ModuleType("robot_descriptions.made")
    arm.URDF_PATH = str(tmp_path / "elsewhere" / "arm.urdf")
    arm.PACKAGE_PATH = arm.REPOSITORY_PATH = xacro.PACKAGE_PATH = str(tmp_path / "arm")
    xacro.XACRO_PATH, xacro.XACRO_ARGS = str(tmp_path / "arm" / "made.xacro"), {"name": "made"}
    monkeypatch.setitem(sys.modules, "robot_descriptions.arm_description", arm)
    monkeypatch.setitem(sys.modules, "robot_descriptions.made_description", xacro)
    return package


def test_robots_by_name(descriptions: types.ModuleType, tmp_path: Path) -> None:
    arm = lp.load("arm_description")
    (shape,) = arm.links[0].shapes
    assert isinstance(shape, lp.MeshShape) and shape.uri.startswith("package://any_name")
    made = lp.load("made_description")
    assert (made.name, made.link_names) == ("made", ("left",))
    assert lp.load("made_description", xacro_arguments={"side": "right"}).link_names == ("right",)


def test_names_that_cannot_be_loaded(descriptions: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(lp.ModelError, match=r"has none of that name; did you mean 'arm_description'"):
        lp.load("arms_description")
    with pytest.raises(lp.ModelError, match=r"'far_description' of robot_descriptions could not be downloaded: "):
        lp.load("far_description")  # the module is not there: its import fails as one without the network does
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    with pytest.raises(lp.ModelError, match=r"pip install 'loadpath\[descriptions\]'"):
        lp.load("arm_description")


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm_description").write_text(BASE)
    assert lp.load("arm_description").name == "r"


@pytest.mark.parametrize("size", [10, 70_000, 300_000])
def test_a_long_comment_in_front_hides_no_robot(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Expat 2.6 and later look at a long token when they have twice as much, or its end; others at once."""
    begun = formats.DefusedExpatParser.feed
    whole: dict[object, bytes] = {}

    def late(self: Any, data: bytes, isFinal: bool = False) -> None:
        if self not in whole:
            begun(self, data[:1])
            whole[self], data = b"", data[1:]
        whole[self] += data
        if isFinal:
            begun(self, whole.pop(self), True)

    monkeypatch.setattr(formats.DefusedExpatParser, "feed", late)
    file = tmp_path / "arm.urdf"
    file.write_text(f"<!--{'x' * size}--><robot name='arm'><link name='base'/></robot>")
    assert formats.root_of(file.read_bytes()) == "robot"
    monkeypatch.undo()
    assert lp.load(file).name == "arm"
