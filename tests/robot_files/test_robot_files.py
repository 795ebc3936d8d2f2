"""The page of robot files tried, against a few of them tried again."""

from __future__ import annotations

import re

import pytest

from loadpath.files.formats import URDF
from real_robots import DOUBTFUL, REAL_ROBOTS, REFUSED
from robot_files.page import PAGE, pattern
from robot_files.trying import EXAMPLES, try_file

TEXT = PAGE.read_text()


def cells(package: str) -> list[str]:
    (line,) = re.findall(rf"^\| {re.escape(package)} \|.*$", TEXT, re.MULTILINE)
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_robots_of_the_examples_are_all_there() -> None:
    """What other tests know of them: how many, which are refused, which give a warning."""
    _, files, load, warned, compared, difference, *through = cells(EXAMPLES)
    assert (int(files), int(load)) == (len(REAL_ROBOTS), len(REAL_ROBOTS) - len(REFUSED))
    assert int(warned) == len(DOUBTFUL)
    assert int(compared) >= 60 and float(difference) < 1e-13
    assert through == [f"{load} of {load} equal"] * 3


@pytest.mark.parametrize("name", ["double_pendulum_description/double_pendulum", "panda_description/panda",
                                  "z1_description/z1"])
def test_a_robot_tried_again_is_as_the_page_says(name: str) -> None:
    row = try_file(EXAMPLES, URDF, REAL_ROBOTS[name], name)
    assert not row.reason and row.warned == (name in DOUBTFUL)
    assert row.difference is not None and row.difference <= max(float(cells(EXAMPLES)[5]) * 1.5, 1e-14)
    assert dict(row.through) == {"URDF": True, "MJCF": True, "SDF": True}


def test_a_refused_robot_is_listed_with_its_reason() -> None:
    name = "alex_description/alex_psyonic_hands"
    row = try_file(EXAMPLES, URDF, REAL_ROBOTS[name], name)
    assert row.reason.split("'")[0] in TEXT and f"`{name}`" in TEXT
    assert pattern("joint 'a' of 12 in /x/y is 3.5") == "joint '...' of … in ... is …"
