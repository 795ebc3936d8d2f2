"""Which joints the page shows: those asked for, or all that carry something, and of those in charts the ones that
matter. What is left out is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadpath.loads.peaks.result import PeakLoads
from loadpath.quantities.carriers import carriers
from loadpath.report.blocks import listed
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import known
from loadpath.robot.parts import Joint

NOTHING = 1e-9
"""Loads smaller than this (N, N m) are rounding."""
LITTLE = 0.01
"""Of the largest force and torque: of robots with many joints, those that carry less of both are in tables only."""
MANY = 12
"""Moving joints."""


@dataclass(frozen=True)
class Shown:
    """The joints of tables and charts."""

    tables: tuple[str, ...]
    charts: tuple[str, ...]
    drives: tuple[str, ...]
    left_out: str
    """A sentence on the joints that no table has."""
    in_tables_only: str
    """A sentence on the joints that no chart has."""


def shown_joints(peaks: PeakLoads, asked: Sequence[str] | None) -> Shown:
    """Those asked for; else all that carry anything.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()                                  # with a frame without mass at its end
    >>> found = shown_joints(arm.peak_loads(lp.Motion.swing(arm)), None)
    >>> len(found.tables), found.left_out
    (7, "Not shown: 'panda_joint8', which carries nothing.")
    """
    robot, names = peaks.robot, peaks.joint_names
    if asked is not None:
        chosen = chosen_joints(robot, asked)
        drives = tuple(name for name in peaks.drive_names if _joint_of(name, robot) in chosen)
        return Shown(chosen, chosen, drives, f"Shown are the {len(chosen)} of {len(names)} joints asked for.", "")
    size = dict(zip(names, peaks.components.magnitude, strict=True))
    empty = [name for name in names if not np.nanmax(size[name], initial=0.0) > NOTHING]
    same = {name: other for name, other in _same(robot).items() if name not in empty and other not in empty}
    tables = tuple(name for name in names if name not in empty and name not in same)
    most = np.array([[size[name][:3].max(), size[name][3:].max()] for name in tables]).reshape(-1, 2)
    most = np.nan_to_num(most)
    whole = most.max(axis=0, initial=0.0)
    matter = (most > LITTLE * whole).any(axis=1)
    if sum(carrier.motion.dof > 0 for carrier in carriers(robot)) <= MANY:
        matter[:] = True
    welds = _welds(robot)
    charts = tuple(name for name, counts in zip(tables, matter, strict=True) if counts and name not in welds)
    sentences = []
    if empty:
        sentences.append(f"{listed(empty)}, which carr{'ies' if len(empty) == 1 else 'y'} nothing")
    sentences += [f"'{name}', which carries the same as '{other}'" for name, other in same.items()]
    little = [name for name in tables if name not in charts]
    why = "welds" if matter.all() else f"welds, and joints with less than {LITTLE:.0%} of the largest force and torque"
    also = (
        f"In tables only: {listed(little)} ({why}); joints=[...] (--joints) shows those that you name."
        if little
        else ""
    )
    left_out = f"Not shown: {'; '.join(sentences)}." if sentences else ""
    return Shown(tables, charts, peaks.drive_names, left_out, also)


def chosen_joints(robot: RobotModel, asked: Sequence[str]) -> tuple[str, ...]:
    """The joints asked for, in the order of the robot; degrees of freedom stand for their joints."""
    if isinstance(asked, str):
        raise ValueError(f"joints is {asked!r}: expected a list of names, like joints=[{asked!r}]")
    names = robot.closed_joint_names
    wanted = {name if name in names else _joint_of(name, robot) for name in asked}
    for name in wanted:
        known(name, names, "joint")
    if not wanted:
        raise ValueError("joints is empty: expected names of joints, or None for all")
    return tuple(name for name in names if name in wanted)


def _joint_of(freedom: str, robot: RobotModel) -> str:
    """The joint of a degree of freedom, which has its name and perhaps a letter after a dot."""
    return freedom if freedom in robot.joint_names else freedom.rpartition(".")[0] or freedom


def _same(robot: RobotModel) -> dict[str, str]:
    """Welds to frames without mass that carry one other weld: both have the same load."""
    on: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        on.setdefault(joint.parent, []).append(joint)
    bare = {link.name for link in robot.links if link.inertia.is_zero}
    loaded = {joint.name: _mass(robot, joint.child, on) > 0 for joint in robot.joints}
    found = {}
    for joint in robot.joints:
        beyond = [other for other in on.get(joint.child, []) if loaded[other.name]]
        if not joint.motion.dof and joint.child in bare and len(beyond) == 1 and not beyond[0].motion.dof:
            found[joint.name] = beyond[0].name
    return found


def _mass(robot: RobotModel, link: str, on: dict[str, list[Joint]]) -> float:
    total, todo = 0.0, [link]
    while todo:
        name = todo.pop()
        total += robot.link(name).inertia.mass
        todo += [joint.child for joint in on.get(name, [])]
    return total


def _welds(robot: RobotModel) -> set[str]:
    """Fixed joints that charts leave out: not those of payloads."""
    fixed = [carrier for carrier in carriers(robot) if not carrier.motion.dof and isinstance(carrier, Joint)]
    return {joint.name for joint in fixed if not joint.child.startswith("payload")}
