"""What the commands print: tables that fit 80 columns, with or without colour."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from loadpath.counting import Row
from loadpath.loads.wrench import JointWrenches
from loadpath.motion import Motion
from loadpath.robot.model import Joint, Limits, RobotModel
from loadpath.scalars import OperationCount
from loadpath.verification import Verification

Array = NDArray[np.float64]

_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 10
_NONE = "-"
NOTHING = 1e-9
"""Forces and torques smaller than this are rounding."""
ROOMY = 96
"""From this width on there is room for more than the numbers."""


def _table(console: Console, columns: Iterable[str], left: int = 1) -> Table:
    """A table whose first `left` columns hold text and the others numbers; only text may be folded."""
    gap = 1 if console.width >= ROOMY else 0
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, gap, 0, 0), pad_edge=False)
    for k, column in enumerate(columns):
        table.add_column(column, justify="left" if k < left else "right", no_wrap=k >= left, overflow="fold")
    return table


def _titled(title: str, table: Table) -> Group:
    return Group(Text(title, style="bold"), table, "")


# Numbers


def decimals(values: Any) -> int:
    """How many decimals show the largest of the values with four digits (three if it is below one).

    >>> decimals([-123.4, 5.0]), decimals([0.01]), decimals([0.0])
    (1, 4, 2)
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    if not math.isfinite(largest) or largest < NOTHING:
        return 2
    digits = 4 if largest >= 1 else 3
    return min(max(digits - 1 - math.floor(math.log10(largest)), 0), 8)


def shown(value: float, digits: int) -> str:
    """A number with so many decimals; nothing is shown as minus zero.

    >>> shown(-1e-9, 2), shown(-0.125, 2)
    ('0.00', '-0.12')
    """
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def _range(values: Array, digits: int) -> str:
    return f"{shown(float(values.min()), digits)}..{shown(float(values.max()), digits)}"


def _marks(unicode: bool) -> tuple[str, str]:
    return ("▲", "▼") if unicode else ("^", "v")


def legend(console: Console) -> str:
    """What the marks mean."""
    up, down = _marks(_unicode(console))
    return f"{up} {down} largest, smallest shown; min..max over all states; axial: along the axis."


def _marked(values: Sequence[float], digits: int, unicode: bool) -> list[Text]:
    """Numbers of a row or column, its largest and smallest marked."""
    up, down = _marks(unicode)
    texts = [shown(value, digits) for value in values]
    flat = len(set(texts)) == 1
    high, low = int(np.argmax(values)), int(np.argmin(values))
    result = []
    for k, text in enumerate(texts):
        if k == high and not flat:
            result.append(Text(text + up, style="bold red"))
        elif k == low and not flat:
            result.append(Text(text + down, style="bold blue"))
        else:
            result.append(Text(text + " "))
    return result


def sparkline(values: Array, width: int = _SPARKLINE_WIDTH) -> str:
    """A curve in one line of text.

    >>> sparkline(np.array([0.0, 1.0, 2.0, 1.0]), width=4)
    '▁▅█▅'
    """
    picked = values[np.linspace(0, len(values) - 1, width).round().astype(int)]
    span = float(picked.max() - picked.min())
    if span <= 1e-9 * max(1.0, float(np.abs(picked).max())):
        return _BLOCKS[0] * width
    return "".join(_BLOCKS[k] for k in np.rint((picked - picked.min()) / span * 7).astype(int))


def _unicode(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")


def _pick(motion: Motion, samples: int) -> list[int]:
    return [int(k) for k in np.linspace(0, len(motion.t) - 1, samples).round()]


def _room(robot: RobotModel, console: Console, with_curve: bool) -> int:
    """How many columns of numbers fit next to the names."""
    taken = min(max(len(name) for name in robot.dof_names), console.width // 4) + 6
    if with_curve:
        taken += _SPARKLINE_WIDTH + 2
    return max(2, (console.width - taken) // 10)


def _dof_units(robot: RobotModel) -> list[str]:
    joints = (joint for joint in robot.joints if joint.mimic is None)
    return ["N m" if angular else "N" for joint in joints for angular in joint.motion.angular]


# The demo


def drive_table(robot: RobotModel, motion: Motion, tau: Array, samples: int, console: Console) -> Group:
    """Forces of the drives at a few instants, joint by joint."""
    unicode = _unicode(console)
    with_curve = unicode and console.width >= ROOMY
    at = _pick(motion, min(samples, _room(robot, console, with_curve)))
    columns = ["joint", "", *(f"{motion.t[k]:.2f} s " for k in at), *(["over time"] if with_curve else [])]
    table = _table(console, columns, left=2)
    for k, (name, unit) in enumerate(zip(robot.dof_names, _dof_units(robot), strict=True)):
        values = tau[:, k]
        cells: list[str | Text] = [name, unit, *_marked(values[at].tolist(), decimals(values), unicode)]
        table.add_row(*cells, *([sparkline(values)] if with_curve else []))
    return _titled("Torque or force of every drive", table)


def _along_and_across(joint: Joint, vectors: Array) -> tuple[Array, Array] | None:
    """Sizes of the parts of vectors along and across the joint's axis, if there is one."""
    axis = joint.motion.axis_direction()
    if axis is None:
        return None
    along = vectors @ np.array(axis)
    return np.abs(along), np.linalg.norm(vectors - along[:, None] * np.array(axis), axis=1)


def peak_table(robot: RobotModel, motion: Motion, wrenches: JointWrenches, part: str, console: Console) -> Group:
    """What every joint has to carry over the motion: ranges of the components, peaks along and across the axis."""
    symbol, unit, words = ("F", "N", ("axial", "radial")) if part == "force" else ("M", "N m", ("axial", "bending"))
    with_time = console.width >= ROOMY
    columns = ["joint", *(f"{symbol}{axis} min..max" for axis in "xyz"), *words, *(["peak at"] if with_time else [])]
    table = _table(console, columns)
    values: Array = getattr(wrenches, part)
    for k, joint in enumerate(robot.joints):
        vectors = values[:, k, :]
        sizes = np.linalg.norm(vectors, axis=1)
        if sizes.max() < NOTHING:
            table.add_row(joint.name, *[_NONE] * (len(columns) - 1))
            continue
        digits = decimals(vectors)
        split = _along_and_across(joint, vectors)
        peaks = [shown(float(size.max()), digits) for size in split] if split else [_NONE, _NONE]
        ranges = [_range(vectors[:, axis], digits) for axis in range(3)]
        time = [f"{motion.t[int(sizes.argmax())]:.2f} s"] if with_time else []
        table.add_row(joint.name, *ranges, *peaks, *time)
    return _titled(f"{part.capitalize()} at every joint ({unit}), by the parent on the child", table)


def wrench_table(motion: Motion, wrenches: JointWrenches, joint: str, samples: int, console: Console) -> Group:
    """All six components at one joint, instant by instant."""
    at = _pick(motion, samples)
    wrench = wrenches[joint]
    columns = ["time", *(f"F{axis} (N) " for axis in "xyz"), *(f"M{axis} (N m) " for axis in "xyz")]
    table = _table(console, columns, left=0)
    parts = [*wrench.force[at].T, *wrench.torque[at].T]
    digits = [decimals(wrench.force)] * 3 + [decimals(wrench.torque)] * 3
    cells = [_marked(p.tolist(), d, _unicode(console)) for p, d in zip(parts, digits, strict=True)]
    for row, k in enumerate(at):
        table.add_row(f"{motion.t[k]:.2f} s", *(column[row] for column in cells))
    return _titled(f"Wrench at {joint}, at the joint's origin, in the child's joint frame", table)


# What a robot is


def link_table(robot: RobotModel, console: Console) -> Group:
    """Masses and inertias of the links."""
    table = _table(console, ["link", "mass (kg)", "center of mass (m)", "principal moments (kg m^2)"])
    for link in robot.links:
        body = link.inertia
        if body.is_zero:
            table.add_row(link.name, _NONE, _NONE, _NONE)
            continue
        center = "  ".join(shown(x, 4) for x in body.center_of_mass)
        table.add_row(link.name, f"{body.mass:.5g}", center, "  ".join(f"{x:.3g}" for x in body.principal_moments))
    return _titled("Links", table)


def joint_table(robot: RobotModel, console: Console) -> Group:
    """Types, limits and drives of the joints."""
    table = _table(console, ["joint", "type", "child link", "range", "speed", "effort", "friction"], left=3)
    for joint in robot.joints:
        kind = type(joint.motion).__name__.lower() if joint.mimic is None else "mimic"
        rows = [_limits(limits, friction) for limits, friction in zip(joint.limits, _frictions(joint), strict=True)]
        first, *others = rows or [(_NONE,) * 4]
        table.add_row(joint.name, kind, joint.child, *first)
        for k, row in enumerate(others, start=1):
            table.add_row("", f"  {joint.motion.labels[k]}", "", *row)
    return _titled("Joints", table)


def mimic_table(robot: RobotModel, console: Console) -> Group:
    """Which joints follow others, and how."""
    table = _table(console, ["mimic", "follows", "multiplier", "offset"], left=2)
    for joint in robot.joints:
        if joint.mimic is not None:
            table.add_row(joint.name, joint.mimic.joint, f"{joint.mimic.multiplier:.5g}", f"{joint.mimic.offset:.5g}")
    return _titled("Mimics", table)


def _frictions(joint: Joint) -> list[str]:
    pairs = zip(joint.viscous_friction, joint.coulomb_friction, strict=True)
    return [f"{viscous:.3g} v + {coulomb:.3g}" if viscous or coulomb else _NONE for viscous, coulomb in pairs]


def _limits(limits: Limits, friction: str) -> tuple[str, str, str, str]:
    bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    reach = f"{limits.lower:.3g} .. {limits.upper:.3g}" if bounded else _NONE
    speed, effort = (f"{x:.4g}" if math.isfinite(x) else _NONE for x in (limits.velocity, limits.effort))
    return reach, speed, effort, friction


def count_table(robot: RobotModel, counts: Sequence[tuple[str, OperationCount | None]], console: Console) -> Group:
    """Operations of each compiled function; none where this robot has no such function."""
    table = _table(console, ["function", "multiply", "add", "divide", "sin, cos, ..."])
    for name, count in counts:
        if count is None:
            table.add_row(name, *[_NONE] * 4)
            continue
        numbers = (count.multiplications, count.additions, count.divisions, count.functions)
        table.add_row(name, *(str(number) for number in numbers))
    return _titled(f"Operations per state of '{robot.name}', as compiled", table)


def source_count_table(rows: Sequence[Row], n: int, console: Console) -> Group:
    """Operations of inverse dynamics for n joints: those of the sources, executed, next to those of this robot."""
    table = _table(console, ["inverse dynamics", "", "multiply", "add"], left=2)
    for row in rows:
        count = row.operations
        where = f"{row.kind}, {row.where}" if row.where else row.kind
        table.add_row(row.what, where, f"{count.multiplications:,}", f"{count.additions:,}")
    return _titled(f"Operations of the sources for {n} revolute joints, their steps executed", table)


def verification_table(result: Verification, console: Console) -> Group:
    """Differences of each pair of formulations."""
    table = _table(console, ["", *(str(k + 1) for k in range(len(result.names) - 1))])
    for i, name in enumerate(result.names):
        cells = [f"{result.differences[i, j]:.0e}" if j < i else "" for j in range(len(result.names) - 1)]
        table.add_row(f"{i + 1} {name}", *cells)
    states = f"{result.states} random state{'s' if result.states > 1 else ''}"
    return _titled(f"Differences of the torques of '{result.robot_name}' on {states}, relative to the largest", table)
