"""Work grows with the length of a file and no faster: MJCF as far as it is ours, counted in lines that run, and readers
of meshes, by the processor's time with room for noise.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import trimesh

from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import check_mjcf
from loadpath.files.mjcf.compiling import request_of
from loadpath.files.mjcf.reading import read_mjcf
from loadpath.foreign import mesh_reader
from loadpath.foreign.messages import Message, as_bytes

FACTOR = 1.25
"""Twice the length may take so much more than twice the work."""


def lines_run(work: Callable[[], Any]) -> int:
    """Lines of this library that run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if "loadpath" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def bodies(count: int) -> str:
    return each("<body name='b{0}'><joint name='j{0}'/><geom size='0.1'/><site name='s{0}'/></body>", count)


def each(text: str, count: int) -> str:
    return "".join(text.format(k, k + 1) for k in range(count))


def world(inside: str, after: str = "") -> str:
    return f"<mujoco><worldbody>{inside}</worldbody>{after}</mujoco>"


TEXTS: dict[str, Callable[[int], str]] = {
    "bodies": lambda n: world(bodies(n)),
    "nested": lambda n: world("<body>" * n + "</body>" * n),
    "replicates": lambda n: world("<replicate count='2'><geom size='1'/></replicate>" * n),
    "nested replicates": lambda n: world("<replicate count='1'>" * n + "</replicate>" * n),
    "numbers": lambda n: world("", each("<mesh params='1 2 3' quat='1 0 0 0'/>", n)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_looking_over_a_file(name: str) -> None:
    def work(count: int) -> int:
        text = TEXTS[name](count)
        return lines_run(lambda: request_of(check_mjcf(text, "arm.xml", Assets())))

    small, middle, large = work(100), work(200), work(400)
    assert middle < 2 * FACTOR * small and large < 2 * FACTOR * middle


def test_files_that_include_one_another(tmp_path: Path) -> None:
    """In a row, and each of the next ones twice, until there are too many of them."""
    for k in range(40):
        (tmp_path / f"{k}.xml").write_text(f"<mujoco><include file='{k + 1}.xml'/></mujoco>")
    (tmp_path / "40.xml").write_text(world(bodies(1)))
    assets = Assets.beside(tmp_path / "arm.xml")

    def work(files: int) -> int:
        text = f"<mujoco><include file='{41 - files}.xml'/></mujoco>"
        return lines_run(lambda: check_mjcf(text, "arm.xml", assets))

    small, middle, large = work(10), work(20), work(40)
    assert middle < 2 * FACTOR * small and large < 2 * FACTOR * middle


AFTER: dict[str, Callable[[int], str]] = {
    "nothing": lambda n: "",
    "actuators": lambda n: "<actuator>" + each("<motor joint='j{0}'/>", n) + "</actuator>",
    "followers": lambda n: "<equality>" + each("<joint joint1='j{1}' joint2='j0'/>", n - 1) + "</equality>",
    "a row of followers": lambda n: "<equality>" + each("<joint joint1='j{1}' joint2='j{0}'/>", n - 1) + "</equality>",
    "a row that is held": lambda n: "<equality><joint joint1='j0'/>"
    + each("<joint joint1='j{1}' joint2='j{0}'/>", n - 1) + "</equality>",
    "loops": lambda n: "<equality>" + each("<connect site1='s{1}' site2='s{0}'/>", n - 1) + "</equality>",
    "loops between two bodies": lambda n: "<equality>" + "<connect site1='s1' site2='s0'/>" * n + "</equality>",
}


@pytest.mark.parametrize("name", AFTER)
def test_making_a_robot_of_what_mujoco_has_compiled(name: str) -> None:
    def work(count: int) -> int:
        text = world(bodies(count), AFTER[name](count))
        with warnings.catch_warnings(action="ignore"):
            return lines_run(lambda: read_mjcf(text, "arm.xml"))

    small, middle, large = work(50), work(100), work(200)
    assert middle < 2 * FACTOR * small and large < 2 * FACTOR * middle


# Meshes


def grid(side: int) -> tuple[Any, Any]:
    """A square of so many by so many corners, and its triangles."""
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    corners = np.column_stack([x.ravel(), y.ravel(), np.zeros(side * side)])
    k = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    faces = np.concatenate([np.column_stack([k, k + 1, k + side]), np.column_stack([k + 1, k + side + 1, k + side])])
    return corners, faces


KINDS = ("stl", "obj", "ply", "off", "glb", "dae")


@pytest.mark.parametrize("kind", KINDS)
def test_readers_of_meshes(kind: str) -> None:
    def work(side: int) -> float:
        data = trimesh.Trimesh(*grid(side), process=False).export(file_type=kind)
        content = as_bytes(data.encode() if isinstance(data, str) else data)
        return min(_seconds(kind, content) for _ in range(3))

    work(5)
    small, large = work(60), work(240)  # sixteen times as many triangles
    assert large < 16 * 6 * max(small, 0.002)


def _seconds(kind: str, content: Any) -> float:
    begin = time.process_time()
    found = mesh_reader.run(Message({"ending": f".{kind}"}, {"content": content}), lambda fields: Message())
    assert len(found.arrays["faces"]) > 0
    return time.process_time() - begin
