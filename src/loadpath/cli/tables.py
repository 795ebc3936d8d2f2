"""What the commands print: tables that fit 80 columns, with or without colour."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from loadpath.api.kinds import ClosedRobot, FlexibleRobot
from loadpath.cli.robots import uphill
from loadpath.closure.robot import ClosableRobot
from loadpath.counting import Row
from loadpath.digits import decimals as decimals_of
from loadpath.digits import fixed
from loadpath.loads.resultants import OPEN, meaning, open_components
from loadpath.mobile.rover import Rover
from loadpath.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.carriers import Carrier, carriers, drive_names
from loadpath.quantities.wrench import JointWrenches
from loadpath.report.closed import ratio_words
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.robot.joint_compliance import RIGID, JointCompliance
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits
from loadpath.scalars import OperationCount
from loadpath.tables import NONE, Styled, Table, laid_out
from loadpath.verification import Verification

# Tables on a terminal of any width: see `loadpath.tables`.


__all__ = ["NONE", "Sheet", "Styled", "titled"]


class Sheet:
    """Rows of cells, with colours. The first `left` columns hold text, as do those called `words`, and the others
    numbers, which are not folded. `less_important` are the headings of columns that may be left out, the least
    important first.
    """

    def __init__(
        self, columns: Iterable[str], left: int = 1, *, words: Sequence[str] = (), less_important: Sequence[str] = ()
    ) -> None:
        self.columns = list(columns)
        self.holds_words = [k < left or column in words for k, column in enumerate(self.columns)]
        self.less_important = tuple(less_important)
        self.rows: list[list[Styled]] = []

    @classmethod
    def of(cls, table: Table, less_important: Sequence[str] = ()) -> Sheet:
        """A table of text for the terminal."""
        made = cls(table.columns, less_important=less_important)
        made.holds_words = table.holds_words
        for row in table.texts:
            made.add_row(*row)
        return made

    def add_row(self, *cells: str | Styled) -> None:
        """A row; it may be shorter than the others."""
        row = [cell if isinstance(cell, Styled) else Styled(printable(cell)) for cell in cells]
        self.rows.append([*row, *[Styled("")] * (len(self.columns) - len(row))])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rule = "─" if console.encoding.lower().startswith("utf") else "-"
        for line in laid_out(self.columns, self.rows, self.holds_words, options.max_width, rule=rule,
                             less_important=self.less_important):
            yield from (Segment(text, Style.parse(style) if style else None) for text, style in line)
            yield Segment.line()


def titled(title: str, table: Sheet) -> Group:
    """A table with its title above and an empty line below."""
    return Group(Text(printable(title), style="bold"), table, "")


Array = NDArray[np.float64]

_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 10
ROUNDING = 1e-9
"""Forces and torques smaller than this are rounding."""
ROOMY = 96
"""From this width on there is room for more than the numbers."""


# Numbers


def decimals(values: Any) -> int:
    """How many decimals show the largest of the values with four digits (three if it is below one).

    >>> decimals([-123.4, 5.0])
    1
    """
    return decimals_of(float(np.max(np.abs(values), initial=0.0)))


def _range(values: Array, digits: int) -> str:
    return f"{fixed(float(values.min()), digits)}..{fixed(float(values.max()), digits)}"


def _marks(unicode: bool) -> tuple[str, str]:
    return ("▲", "▼") if unicode else ("^", "v")


def legend(console: Console) -> str:
    """What the marks mean."""
    up, down = _marks(_unicode(console))
    return f"{up} {down} largest, smallest shown; min..max over all states; axial: along the axis."


def _marked(values: Sequence[float], digits: int, unicode: bool) -> list[Styled]:
    """Numbers of a row or column, its largest and smallest marked."""
    up, down = _marks(unicode)
    texts = [fixed(value, digits) for value in values]
    flat = len(set(texts)) == 1
    high, low = int(np.argmax(values)), int(np.argmin(values))
    result = []
    for k, text in enumerate(texts):
        if k == high and not flat:
            result.append(Styled(text + up, "bold red"))
        elif k == low and not flat:
            result.append(Styled(text + down, "bold blue"))
        else:
            result.append(Styled(text + " "))
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


def _room(names: Sequence[str], console: Console, with_curve: bool) -> int:
    """How many columns of numbers fit next to the names."""
    taken = min(max(len(printable(name)) for name in names), console.width // 4) + 6
    if with_curve:
        taken += _SPARKLINE_WIDTH + 2
    return max(2, (console.width - taken) // 10)


def slides(robot: RobotModel) -> list[bool]:
    """Which degrees of freedom slide."""
    return [not turns for joint in robot.joints if joint.mimic is None for turns in joint.motion.angular]


def dof_units(robot: RobotModel) -> list[str]:
    """Units of the forces of the drives, N m or N."""
    return ["N" if sliding else "N m" for sliding in slides(robot)]


# The demo


def drive_table(robot: ClosableRobot, motion: Motion, tau: Array, samples: int, console: Console) -> Group:
    """Forces of the drives at a few instants, joint by joint."""
    unicode = _unicode(console)
    with_curve = unicode and console.width >= ROOMY
    drives = drive_names(robot)
    at = _pick(motion, min(samples, _room(drives or robot.dof_names, console, with_curve)))
    columns = ["joint", "", *(f"{motion.t[k]:.2f} s " for k in at), *(["over time"] if with_curve else [])]
    table = Sheet(columns, left=2)
    for k, (name, unit) in enumerate(zip(robot.dof_names, dof_units(robot), strict=True)):
        if name not in drives:
            continue
        values = tau[:, k]
        cells: list[str | Styled] = [name, unit, *_marked(values[at].tolist(), decimals(values), unicode)]
        table.add_row(*cells, *([sparkline(values)] if with_curve else []))
    return titled("Torque or force of every drive", table)


def _along_and_across(joint: Carrier, vectors: Array) -> tuple[Array, Array] | None:
    """Sizes of the parts of vectors along and across the joint's axis, if there is one."""
    axis = joint.motion.axis_direction()
    if axis is None:
        return None
    along = vectors @ np.array(axis)
    return np.abs(along), np.linalg.norm(vectors - along[:, None] * np.array(axis), axis=1)


def peak_table(
    robot: RobotModel, motion: Motion, wrenches: JointWrenches, part: str, console: Console, only: str | None = None
) -> Group:
    """What every joint, or one, has to carry over the motion: ranges of the components, peaks along and across the
    axis.
    """
    symbol, unit, words = ("F", "N", ("axial", "radial")) if part == "force" else ("M", "N m", ("axial", "bending"))
    with_time = console.width >= ROOMY
    columns = ["joint", *(f"{symbol}{axis} min..max" for axis in "xyz"), *words, *(["peak at"] if with_time else [])]
    table = Sheet(columns)
    values: Array = getattr(wrenches, part)
    open_ones = open_components(robot, motion.q)[:, slice(0, 3) if part == "force" else slice(3, 6)]
    for k, joint in enumerate(carriers(robot)):
        if only is not None and joint.name != only:
            continue
        vectors = values[:, k, :]
        sizes = np.linalg.norm(vectors, axis=1)
        if sizes.max() < ROUNDING:
            table.add_row(joint.name, *[NONE] * (len(columns) - 1))
            continue
        digits = decimals(vectors)
        split = _along_and_across(joint, vectors)
        peaks = [fixed(float(size.max()), digits) for size in split] if split else [NONE, NONE]
        ranges = [_range(vectors[:, axis], digits) + OPEN * bool(open_ones[k, axis]) for axis in range(3)]
        time = [f"{motion.t[int(sizes.argmax())]:.2f} s"] if with_time else []
        table.add_row(joint.name, *ranges, *peaks, *time)
    note = f"; {meaning(robot)}" if open_ones.any() else ""
    return titled(f"{part.capitalize()} at every joint ({unit}), by the parent on the child{note}", table)


def wrench_table(motion: Motion, wrenches: JointWrenches, joint: str, samples: int, console: Console) -> Group:
    """All six components at one joint, instant by instant."""
    at = _pick(motion, samples)
    wrench = wrenches[joint]
    columns = ["time", *(f"F{axis} (N) " for axis in "xyz"), *(f"M{axis} (N m) " for axis in "xyz")]
    table = Sheet(columns, left=0)
    parts = [*wrench.force[at].T, *wrench.torque[at].T]
    digits = [decimals(wrench.force)] * 3 + [decimals(wrench.torque)] * 3
    cells = [_marked(p.tolist(), d, _unicode(console)) for p, d in zip(parts, digits, strict=True)]
    for row, k in enumerate(at):
        table.add_row(f"{motion.t[k]:.2f} s", *(column[row] for column in cells))
    return titled(f"Wrench at {joint}, at the joint's origin, in the child's joint frame", table)


# What a robot is


def link_table(robot: RobotModel) -> Group:
    """Masses and inertias of the links."""
    table = Sheet(["link", "mass (kg)", "center of mass (m)", "principal moments (kg m^2)"])
    for link in robot.links:
        body = link.inertia
        if body.is_zero:
            table.add_row(link.name, NONE, NONE, NONE)
            continue
        center = "  ".join(fixed(x, 4) for x in body.center_of_mass)
        table.add_row(link.name, f"{body.mass:.5g}", center, "  ".join(f"{x:.3g}" for x in body.principal_moments))
    return titled("Links", table)


def joint_table(robot: RobotModel) -> Group:
    """Types, limits and drives of the joints; units are those of each joint: one that slides has m and N."""
    rubs = any(any((*joint.viscous_friction, *joint.coulomb_friction)) for joint in robot.joints)
    columns = ["range", "speed", "effort", *(["friction"] if rubs else [])]
    table = Sheet(["joint", "type", "child link", *columns], left=3)
    for joint in robot.joints:
        kind = type(joint.motion).__name__.lower() if joint.mimic is None else "mimic"
        first, *others = _freedom_rows(joint) or [(NONE,) * 4]
        table.add_row(joint.name, kind, joint.child, *first[: len(columns)])
        for k, row in enumerate(others, start=1):
            table.add_row("", f"  {joint.motion.labels[k]}", "", *row[: len(columns)])
    return titled("Joints", table)


def mimic_table(robot: RobotModel) -> Group:
    """Which joints follow others, and how."""
    table = Sheet(["mimic", "follows", "multiplier", "offset"], left=2)
    for joint in robot.joints:
        if joint.mimic is not None:
            unit = "rad" if all(joint.motion.angular) else "m"
            offset = f"{joint.mimic.offset:.5g} {unit}"
            table.add_row(joint.name, joint.mimic.joint, f"{joint.mimic.multiplier:.5g}", offset)
    return titled("Mimics", table)


def _freedom_rows(joint: Joint) -> list[tuple[str, str, str, str]]:
    """Range, speed, effort and friction of each freedom of a joint, with their units."""
    given = zip(joint.limits, joint.viscous_friction, joint.coulomb_friction, joint.motion.angular, strict=True)
    return [_freedom(*one) for one in given]


def _freedom(limits: Limits, viscous: float, coulomb: float, turns: bool) -> tuple[str, str, str, str]:
    unit, force = ("rad", "N m") if turns else ("m", "N")
    bounded = math.isfinite(limits.lower) or math.isfinite(limits.upper)
    reach = f"{limits.lower:.3g} .. {limits.upper:.3g} {unit}" if bounded else NONE
    speed = f"{limits.velocity:.4g} {unit}/s" if math.isfinite(limits.velocity) else NONE
    effort = f"{limits.effort:.4g} {force}" if math.isfinite(limits.effort) else NONE
    friction = f"{viscous:.3g} v + {coulomb:.3g} {force}" if viscous or coulomb else NONE
    return reach, speed, effort, friction


def count_table(robot: RobotModel, counts: Sequence[tuple[str, OperationCount | None]]) -> Group:
    """Operations of each compiled function; none where this robot has no such function."""
    table = Sheet(["function", "multiply", "add", "divide", "sin, cos, ..."])
    for name, count in counts:
        if count is None:
            table.add_row(name, *[NONE] * 4)
            continue
        numbers = (count.multiplications, count.additions, count.divisions, count.functions)
        table.add_row(name, *(str(number) for number in numbers))
    return titled(f"Operations per state of '{robot.name}', as compiled", table)


def source_count_table(rows: Sequence[Row], n: int) -> Group:
    """Operations of inverse dynamics for n joints: those of the sources, executed, and of authors that they quote."""
    table = Sheet(["inverse dynamics", "", "multiply", "add"], left=2)
    for row in rows:
        count = row.operations
        where = f"{row.kind}, {row.where}" if row.where else row.kind
        table.add_row(row.what, where, f"{count.multiplications:,}", f"{count.additions:,}")
    joints = f"{n} revolute joint{'s' if n > 1 else ''}"
    return titled(f"Operations of the sources for {joints}, their steps executed or quoted", table)


def verification_table(result: Verification, console: Console) -> Group:
    """Differences of each pair of formulations."""
    table = Sheet(["", *(str(k + 1) for k in range(len(result.names) - 1))])
    named = [f"{i + 1} {name}" for i, name in enumerate(result.names)]
    fits = max(map(len, named)) + 6 * (len(named) - 1) <= console.width
    for i, name in enumerate(named):
        cells = [f"{result.differences[i, j]:.0e}" if j < i else "" for j in range(len(result.names) - 1)]
        table.add_row(name if fits else str(i + 1), *cells)
    below: list[RenderableType] = [] if fits else [Text(", ".join(named)), ""]
    states = f"{result.states} random state{'s' if result.states > 1 else ''}"
    title = f"Differences of the torques of '{result.robot_name}' on {states}, relative to the largest"
    return Group(titled(title, table), *below)


# Loops


def loop_table(robot: ClosedRobot) -> Group:
    """The joints that close the loops."""
    table = Sheet(["loop", "type", "first link", "second link", "holds"], left=4)
    for loop in robot.loops:
        table.add_row(loop.name, type(loop.motion).__name__.lower(), loop.first, loop.second, str(loop.rows))
    return titled("Joints that close loops, and how many directions each holds", table)


def coupling_table(robot: ClosedRobot) -> Group:
    """Fixed ratios between speeds."""
    table = Sheet(["coupling", "of speeds"], left=2)
    for coupling in robot.couplings:
        speeds = " ".join(ratio_words(*ratio) for ratio in coupling.ratios).removeprefix("+ ")
        table.add_row(coupling.name, f"{speeds} = 0")
    return titled("Couplings", table)


def freedom_lines(robot: ClosedRobot) -> list[str]:
    """Mobility, counted and real, and who drives it."""
    lines = [*robot.mobility_report().splitlines(), f"passive: {', '.join(robot.passive) or 'none'}"]
    return [printable(line) for line in lines]


# Rovers


def contact_table(rover: Rover) -> Group:
    """The contacts of a rover with the ground, and what each carries while it stands."""
    home = (rover.robot.home,) if rover.n else ()
    normal = np.atleast_1d(rover.wheel_loads(*home).normal)
    soft = ["stiffness (N/m)"] if rover.base.on_tyres else []
    table = Sheet(["contact", "type", "x (m)", "y (m)", "standing load (N)", *soft], left=2)
    for wheel, load in zip(rover.base.wheels, normal.tolist(), strict=True):
        kind = type(wheel).__name__.removesuffix("Wheel").lower()
        cells = [*(fixed(float(x), 4) for x in wheel.position), fixed(load, decimals(normal))]
        own = NONE if wheel.stiffness is None else f"{wheel.stiffness:.4g}"
        table.add_row(wheel.name, kind, *cells, *([own] if soft else []))
    where = "at home" if rover.n and rover.robot.home.any() else "with all joints at zero"
    return titled(f"Contacts with the ground, and their loads {where}{uphill(rover)}", table)


def edge_table(rover: Rover) -> Group:
    """The edges of the support polygon, and how far from tipping over each of them the rover stands."""
    home = (rover.robot.home,) if rover.n else ()
    standing = rover.stability(*home)
    x, y = (float(part) for part in np.ravel(standing.zero_moment_point)[:2])
    linked = rover.base.on_links  # edges of wheels on links have more contacts than two
    table = Sheet(["edge" if linked else "edge from", *([] if linked else ["to"]), "holding moment (N m)"],
                  left=1 if linked else 2)
    moments = np.ravel(standing.edge_moments)
    for edge, moment in zip(standing.edges, moments.tolist(), strict=True):
        if math.isfinite(moment):
            names = (", ".join(edge),) if linked else edge
            table.add_row(*names, fixed(moment, decimals(moments[np.isfinite(moments)])))
    return titled(f"Support polygon: the zero-moment point, at ({fixed(x, 4)}, {fixed(y, 4)}) m, is "
                   f"{fixed(float(np.ravel(standing.margin)[0]), 4)} m from the nearest edge"
                   f"{': it tips over' if np.any(standing.tips_over) else ''}", table)


def wheel_load_table(rover: Rover, motion: Motion, samples: int, console: Console) -> Group:
    """Normal forces of the wheels at a few instants of a motion of the robots, while the base stands."""
    normal = rover.wheel_loads(motion.q, motion.qd, motion.qdd).normal
    unicode = _unicode(console)
    with_curve = unicode and console.width >= ROOMY
    at = _pick(motion, min(samples, _room(rover.contact_names, console, with_curve)))
    columns = ["contact", "", *(f"{motion.t[k]:.2f} s " for k in at), *(["over time"] if with_curve else [])]
    table = Sheet(columns, left=2)
    for k, name in enumerate(rover.contact_names):
        values = normal[:, k]
        cells: list[str | Styled] = [name, "N", *_marked(values[at].tolist(), decimals(values), unicode)]
        table.add_row(*cells, *([sparkline(values)] if with_curve else []))
    return titled(f"Normal force of every wheel, while the base stands{uphill(rover)}", table)


def stability_line(rover: Rover, motion: Motion) -> str:
    """How far from tipping over the rover is at the worst instant of a motion."""
    found = rover.stability(motion.q, motion.qd, motion.qdd)
    k = int(np.argmin(found.margin))
    edge = ", ".join(found.edges[int(found.edge_number[k])])
    margin = f"{float(found.margin[k]):.3g} m, over the edge {edge}, at {motion.t[k]:.2f} s"
    return printable(f"Smallest distance of the zero-moment point from an edge: {margin}"
                     f"{'; it tips over.' if np.any(found.tips_over) else '.'}")


# What the commands print of flexible arms and of bases on tyres.


INSTANTS_TRIED = 101
"""Instants of a motion at which the whole arm is tried for buckling and its frequencies are looked at."""


def beam_table(robot: FlexibleRobot) -> Group:
    """The beams of a flexible arm: sections, materials, lengths."""
    table = Sheet(["beam of link", "section", "material", "length (m)"], left=3)
    for (link, beam), placed in zip(robot.beams, robot.placed_beams, strict=True):
        sections = dict.fromkeys(type(segment.section).__name__ for segment in beam.segments)
        materials = dict.fromkeys(segment.material.name for segment in beam.segments)
        table.add_row(link, ", ".join(sections), ", ".join(materials), f"{placed.length:.4g}")
    return titled("Beams", table)


def guide_table(robot: FlexibleRobot) -> Group:
    """What holds the links that slide along beams."""
    table = Sheet(["guide of joint", "link that slides", "in", "guide"], left=4)
    for placed in robot.placed_guides:
        table.add_row(placed.joint, placed.inner, placed.outer, str(placed.guide))
    return titled("Guides", table)


def compliance_table(compliances: Sequence[tuple[str, JointCompliance]]) -> Group:
    """The joints that give way, and how stiff they are in which direction."""
    table = Sheet(["compliant joint", "stiffness (N m/rad, N/m), damping (N m s/rad, N s/m)"], left=2)
    for name, compliance in compliances:
        table.add_row(name, "; ".join(_stiffnesses(compliance)) or "by its compliance matrix")
    return titled("Compliant joints", table)


def _stiffnesses(compliance: JointCompliance) -> Iterable[str]:
    for part in fields(compliance):
        values = getattr(compliance, part.name)
        if part.name.startswith("resolved") or not isinstance(values, tuple):
            continue
        if any(value not in (RIGID, 0.0) for value in values):
            yield f"{part.name} {', '.join('rigid' if value == RIGID else f'{value:.4g}' for value in values)}"


def elastic_lines(arm: FlexibleRobot | Rover, motion: Motion) -> list[str]:
    """Sag, safety, buckling and lowest frequency of a flexible arm over a motion, a line each; of a rover, while its
    base stands, on its tyres if it has some.
    """
    few = np.unique(np.linspace(0, len(motion.t) - 1, INSTANTS_TRIED).round().astype(int))
    some = motion.q[few], motion.qd[few], motion.qdd[few]
    said: list[str] = []
    lines = []
    with collected_warnings() as warned:
        bent = arm.deflection(*some)
        moved = {name: np.linalg.norm(bent[name].displacement, axis=-1) for name in bent.ends}
        end = max(moved, key=lambda name: float(moved[name].max()))
        at = int(moved[end].argmax())
        lines.append(f"Largest deflection: {1e3 * moved[end][at]:.4g} mm of '{end}', at {motion.t[few][at]:.2f} s.")
        if (arm.robot if isinstance(arm, Rover) else arm).beams:
            worst = arm.stress(*some).worst
            where = f"link '{worst.link}', {worst.position:.3g} m along, at {motion.t[few][worst.state[0]]:.2f} s"
            lines.append(f"Smallest safety against yield: {worst.safety:.4g}, {where}.")
        buckling = asked_for(lambda: arm.buckling(*some), said)
        if buckling is not None:
            least = buckling.worst
            when = f"at {motion.t[few][least.state[0]]:.2f} s; '{least.link}' gives way most"
            many = f"{least.factor:.4g} times these loads, {when}"
            words = many if math.isfinite(least.factor) else "no multiple of these loads"
            lines.append(f"The arm buckles under {words}.")
        modes = asked_for(lambda: arm.natural_frequencies(some[0], 1, qd=some[1], qdd=some[2]), said)
        if modes is not None:
            lowest = modes.frequencies[:, 0]
            k = int(np.nanargmin(lowest))
            lines.append(f"Lowest natural frequency under load: {lowest[k]:.4g} Hz, at {motion.t[few][k]:.2f} s.")
    return [printable(line) for line in [*lines, *dict.fromkeys([*said, *warned])]]
