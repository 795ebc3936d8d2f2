"""The section on a closed mechanism: its freedoms, the joints that close it, what statics knows of its reactions."""

from __future__ import annotations

from typing import cast

from loadpath.kinematics.closed.mobility import mobility_report
from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import OPEN, open_components
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.wrench import COMPONENTS
from loadpath.report.blocks import Block, Figure, Section, Table, Text, number
from loadpath.report.peaks import mark_note
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools

KNOWN, BY_RULE = "\N{BLACK CIRCLE}", "\N{WHITE CIRCLE}"


def counts(robot: RobotModel) -> str:
    """How many freedoms and joints a robot has, in words.

    >>> import loadpath as lp
    >>> counts(lp.catalog.four_bar()), counts(lp.catalog.planar(2))
    ('1 degree of freedom, 3 joints and 1 that closes a loop', '2 degrees of freedom, 3 joints')
    """
    if not is_closed(robot):
        return f"{robot.n} degrees of freedom, {len(robot.joints)} joints"
    freedoms, loops, couplings = cast("ClosedQuantities", robot).mobility, len(robot.loops), len(robot.couplings)
    words = [f"{freedoms} degree{'s' if freedoms != 1 else ''} of freedom, {len(robot.joints)} joints"]
    words += [f"{loops} that close{'s a loop' if loops == 1 else ' loops'}"] if loops else []
    words += [f"{couplings} coupling{'s' if couplings > 1 else ''}"] if couplings else []
    return " and ".join(words)


def mechanism(peaks: PeakLoads) -> Section:
    """The section of a closed robot."""
    robot = cast("ClosedQuantities", peaks.robot)
    left_open = open_components(robot, peaks.states.q)
    lines = mobility_report(robot).splitlines()
    parts = [[line for line in lines if line.startswith("- ") == detail] for detail in (False, True)]
    blocks: list[Block] = [Text(_sentences(part)) for part in parts if part]
    if robot.loops:
        blocks.append(_loops(peaks, robot))
    if robot.couplings:
        blocks.append(_couplings(robot))
    blocks.append(_statics(robot, left_open))
    count, of = int(left_open.sum()), left_open.size
    note = (
        "settled by " + ("what bends" if robot.is_elastic else "the rule of equal compliances") if count
        else "the mechanism is statically determinate" if robot.mobility == robot.gruebler
        else "how couplings share a load is open, and shows in no joint"
    )
    value = f"{count} of {of}" if count else "none"
    figures = [Figure("Reaction components open to rigid statics", value, note)]
    lead = (
        "A tree of links, closed by further joints. The wrench of such a joint is exerted by its first link on the "
        "second, at the origin and in the axes of its frame there, as that of any joint by the parent on the child."
    )
    return Section("Mechanism", lead, blocks, figures)


def _sentences(lines: list[str]) -> str:
    plain = [line.removeprefix("- ").rstrip(".") for line in lines]
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in plain)


def _loops(peaks: PeakLoads, robot: ClosedQuantities) -> Table:
    columns = ["joint", "type", "first link", "second link", "directions held", "largest force (N)",
               "largest torque (N m)"]
    rows: list[list[str | tuple[str, str]]] = []
    for loop in robot.loops:
        force, torque = (peaks[loop.name, part] for part in ("force", "torque"))
        ends = (type(loop.motion).__name__.lower(), loop.first, loop.second)
        rows.append([loop.name, *ends, str(loop.rows), *(_largest(peaks, part) for part in (force, torque))])
    note = f"{OPEN} {mark_note(robot)}" if any(peaks.open.values()) else ""
    return Table("Joints that close loops", columns, rows, note, left=4)


def _largest(peaks: PeakLoads, of: Quantity) -> tuple[str, str]:
    when = of.peak
    by_rule = OPEN * peaks.open[of.name, of.quantity]
    return number(of.magnitude) + by_rule, f"sample {when.sample}" if when.time is None else f"at {when.time:.4g} s"


def _couplings(robot: ClosedQuantities) -> Table:
    rows = [[coupling.name, " ".join(ratio_words(*ratio) for ratio in coupling.ratios).removeprefix("+ ") + " = 0"]
            for coupling in robot.couplings]
    return Table("Couplings between speeds", ["coupling", "speeds"], rows, left=2)


def ratio_words(name: str, factor: float) -> str:
    """A speed with its factor in a sum.

    >>> ratio_words("motor", -40.0), ratio_words("wrist", 1.0)
    ('- 40 motor', '+ wrist')
    """
    size = "" if abs(factor) == 1 else f"{abs(factor):.6g} "
    return f"{'-' if factor < 0 else '+'} {size}{name}"


def _statics(robot: ClosedQuantities, left_open: Bools) -> Table:
    columns = ["joint", *(name.replace("_", " ") for name in COMPONENTS)]
    rows = [[carrier.name, *(BY_RULE if part else KNOWN for part in parts)]
            for carrier, parts in zip(carriers(robot), left_open, strict=True)]
    if left_open.any():
        note = (
            f"{KNOWN} follows from statics alone, whatever the stiffness of the parts. {BY_RULE} {mark_note(robot)} "
            "Such a component depends on stiffness, play and how exactly the parts fit: do not size a bearing by it "
            "without those, or free it (a spherical bearing in place of a hinge)."
        )
    else:
        note = f"{KNOWN} follows from statics alone, whatever the stiffness of the parts: every reaction does."
    return Table("What rigid statics knows of the reactions", columns, rows, note)
