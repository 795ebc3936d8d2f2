"""Large and endless files of robots: time and memory grow with their length, and there is a limit."""

from __future__ import annotations

import gc
import gzip
import os
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli import app
from loadpath.files import assets, xml_reading
from loadpath.files.urdf.reading import parse_urdf
from loadpath.files.xml_reading import read_xml

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def chain(n: int, mimic: bool = False, star: bool = False, backwards: bool = False) -> str:
    """A robot of n joints, one after the other or all on the base; in mimics each follows the one before."""
    links = [f'<link name="l{k}">{BODY}</link>' for k in range(n + 1)]
    joints = [
        f'<joint name="j{k}" type="revolute"><parent link="l{0 if star else k - 1}"/><child link="l{k}"/>'
        f'<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
        f"{f'<mimic joint={chr(34)}j{k - 1}{chr(34)}/>' if mimic and k > 1 else ''}</joint>"
        for k in range(1, n + 1)
    ]
    parts = links + joints
    return f'<robot name="r">{"".join(reversed(parts) if backwards else parts)}</robot>'


def text_between_tags(n: int) -> str:
    line = "x" * 70 + "\n"
    return f'<robot name="r"><link name="a"/><gazebo>{line * n}</gazebo></robot>'


def attributes(n: int) -> str:
    words = " ".join(f"a{k}=''" for k in range(n))
    return f"<robot name='r'><link name='a'/><gazebo {words}/></robot>"


def seconds(text: str) -> float:
    """Of the processor, the best of three; without looking for garbage among what other tests have made."""
    taken = []
    gc.freeze()
    for _ in range(3):
        begin = time.process_time()
        robot = parse_urdf(text)
        _ = robot.q_slices, robot.dof_names, [robot.joint(name) for name in robot.joint_names]
        taken.append(time.process_time() - begin)
    gc.unfreeze()
    return min(taken)


@pytest.mark.parametrize(
    ("make", "few"),
    [
        (lambda n: chain(n, star=True), 100),
        (lambda n: chain(n, backwards=True), 100),
        (lambda n: chain(n, mimic=True), 100),
        (text_between_tags, 4_000),
        (lambda n: "<robot name='r'><link name='a'/>" + "<gazebo/>" * n + "</robot>", 4_000),
        (lambda n: "<robot name='r'><link name='a'/>" + "<gazebo>" * n + "</gazebo>" * n + "</robot>", 4_000),
        (attributes, 4_000),
    ],
    ids=["star", "backwards", "mimics", "text", "elements", "depth", "attributes"],
)
def test_loading_takes_time_in_proportion(make: Callable[[int], str], few: int) -> None:
    """Ten times as long takes ten times as long; a quadratic reader would take a hundred."""
    short = seconds(make(few))
    assert seconds(make(10 * few)) < 35 * max(short, 0.002)


def test_info_of_a_large_robot_is_complete_and_quick(tmp_path: Path) -> None:
    """A table of thousands of rows is not laid out by Rich, which takes a millisecond for each."""
    (tmp_path / "r.urdf").write_text(chain(800, mimic=True))
    begin = time.process_time()
    result = CliRunner().invoke(app, ["info", str(tmp_path / "r.urdf")])
    assert time.process_time() - begin < 20  # it was more than 30, and is 2
    assert result.exit_code == 0
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.strip()}
    assert all(f"l{k}" in lines and f"j{k}" in lines for k in range(1, 801))
    assert lines["j800"] == ["j800", "j799", "1", "0", "rad"]


def test_long_text_is_kept_for_messages_only() -> None:
    text = "x" * 10**6
    root = read_xml(f"<robot><mass>{text}</mass>\n<mass> 2.5 </mass></robot>", "r.urdf")
    assert root.children[0].text == "x" * xml_reading.TEXT_KEPT
    assert root.children[1].text == " 2.5 "


# Limits


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "LARGEST_FILE", 2**20)
    (tmp_path / "r.urdf").write_text(text_between_tags(2**20 // 71 + 1))
    with pytest.raises(lp.ModelError, match=r"r\.urdf: the file is larger than 1 MiB, which no robot needs"):
        lp.load(tmp_path / "r.urdf")
    (tmp_path / "r.urdf").write_text(text_between_tags(2**20 // 71 - 2))
    assert lp.load(tmp_path / "r.urdf").link_names == ("a",)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
def test_a_file_without_end(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").symlink_to("/dev/zero")
    tracemalloc.start()
    try:
        with pytest.raises(lp.ModelError, match="larger than 64 MiB"):
            lp.load(tmp_path / "r.urdf")
        assert tracemalloc.get_traced_memory()[1] < 3 * assets.LARGEST_FILE
    finally:
        tracemalloc.stop()


def test_too_many_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_reading, "MOST_ELEMENTS", 1000)
    inside = "<robot name='r'><link name='a'/>" + "<gazebo/>" * 998 + "</robot>"
    assert parse_urdf(inside).link_names == ("a",)
    with pytest.raises(lp.ModelError, match=r"r\.urdf: it has more than 1,000 elements, which no robot needs"):
        parse_urdf(inside.replace("</robot>", "<gazebo/></robot>"), source="r.urdf")


def test_memory_of_an_element_is_small() -> None:
    """So that a million elements take less than half a gigabyte."""
    text = "<r>" + "<a/>" * 20_000 + "</r>"
    tracemalloc.start()
    try:
        read_xml(text, "r.urdf")
        assert tracemalloc.get_traced_memory()[1] < 400 * 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("kind", "tool"), [("gzip", "gunzip"), ("zip", "unzip")])
def test_a_compressed_text_is_named(tmp_path: Path, kind: str, tool: str) -> None:
    """`lp.load` unpacks them, those who give the content of a file do that themselves."""
    file = tmp_path / "r.urdf"
    if kind == "gzip":
        file.write_bytes(gzip.compress(chain(1).encode()))
    else:
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("r.urdf", chain(1))
    with pytest.raises(lp.ModelError, match=rf"r.urdf: this is a compressed file \({kind}\), not XML: {tool} it first"):
        parse_urdf(file.read_bytes(), "r.urdf")
    assert lp.load(file).n == 1


@pytest.mark.parametrize("length", [10_000, 100_000])
def test_long_names_take_no_time_to_compare(length: int) -> None:
    """Names that are nearly alike: to find the nearest among long ones would take hours."""
    name, other = "ab" * length, "ba" * length
    text = chain(1).replace("j1", name).replace("</joint>", f'<mimic joint="{other}"/></joint>')
    begin = time.process_time()
    with pytest.raises(lp.ModelError, match="which is not there"):
        parse_urdf(text)
    with pytest.raises(ValueError, match="has no joint"):
        lp.catalog.planar(1).joint(other)
    assert time.process_time() - begin < 5


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    """As a shell hands over the output of another program."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("pipes of POSIX")
    import threading

    os.mkfifo(tmp_path / "r.urdf")
    writer = threading.Thread(target=lambda: (tmp_path / "r.urdf").write_text(chain(2)))
    writer.start()
    assert lp.load(tmp_path / "r.urdf").n == 2
    writer.join()
