"""Tables at widths from 60 to 120: they fit, no name is broken in mid-word, and every limit has its unit."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

import loadpath as lp
from loadpath.cli.sheet import Sheet
from loadpath.cli.tables import joint_table, link_table, peak_table

NAMES = ["gripper_left_inner_double_joint", "wrist_right_ft_tool_joint", "leg_left_1_joint", "torso_2_joint"]


def robot() -> lp.Robot:
    """A tree with names as long as those of Talos."""
    links, joints, parent = [lp.Link("base_link")], [], "base_link"
    for k, name in enumerate(NAMES):
        child = name.replace("joint", "link")
        links.append(lp.Link(child, lp.Inertia(1.25, (0.1, 0.0, -0.2), ((0.01, 0, 0), (0, 0.02, 0), (0, 0, 0.02)))))
        motion = lp.Prismatic((0, 0, 1)) if k == 3 else lp.Revolute((0, 1, 0))
        limits = [lp.Limits(-1.5, 2.25, 3.5, 120.0)]
        joints.append(lp.Joint(name, parent, child, motion, lp.Pose(translation=(0.1, 0, 0.2)), limits=limits))
        parent = child
    return lp.Robot("long_names", links, joints)


def printed(part: object, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def joined(text: str) -> str:
    """The text with names that were folded at underscores put together again, column by column."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_names_are_folded_at_underscores_only(width: int) -> None:
    arm = robot()
    motion = lp.Motion.swing(arm, 11)
    wrenches = arm.joint_wrenches.uncompiled(motion.q, motion.qd, motion.qdd)
    console = Console(width=width)
    for table in (link_table(arm, console), joint_table(arm, console),
                  peak_table(arm, motion, wrenches, "force", console)):  # fmt: skip
        text = printed(table, width)
        assert max(map(len, text.splitlines())) <= width
        assert "…" not in text
        atoms = {atom for name in [*arm.joint_names, *arm.link_names] for atom in name.split("_")}
        for line in text.splitlines():
            for word in re.findall(r"[a-z]+_[a-z0-9_]*", line):
                assert set(word.strip("_").split("_")) <= atoms, line


@pytest.mark.parametrize("width", [60, 80, 100])
def test_limits_have_units_of_their_joint(width: int) -> None:
    text = printed(joint_table(robot(), Console(width=width)), width)
    assert text.count("-1.5 .. 2.25 rad") == 3 and text.count("-1.5 .. 2.25 m") == 1
    assert text.count("3.5 rad/s") == 3 and text.count("3.5 m/s") == 1
    assert text.count("120 N m") == 3 and len(re.findall(r"120 N(?! m)", text)) == 1


def test_what_fits_is_not_folded_and_what_never_fits_is_written_row_by_row() -> None:
    table = Sheet(["joint", "value (N m)"])
    table.add_row("some_long_name_of_a_joint", "12.5")
    assert printed(table, 60).splitlines()[2].split() == ["some_long_name_of_a_joint", "12.5"]
    folded = printed(table, 26).splitlines()
    assert [line.split() for line in folded[2:]] == [["some_long_", "12.5"], ["name_of_a_"], ["joint"]] or all(
        len(line) <= 26 for line in folded
    )
    narrow = Sheet(["joint", *(f"column {k}" for k in range(9))])
    narrow.add_row("elbow", *[f"{k}.000000" for k in range(9)])
    text = printed(narrow, 40)
    assert text.splitlines()[0] == "elbow"
    assert "column 8: 8.000000" in text and max(map(len, text.splitlines())) <= 40
