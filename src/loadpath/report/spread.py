"""How far utilisations may be off, beside them: the spreads of `lp.uncertainty` on the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from loadpath.report.blocks import Section

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities


class Spreads(Protocol):
    """What `lp.uncertainty` finds."""

    @property
    def verdict(self) -> Verdict: ...

    def section(self) -> Section: ...


def sections_on(uncertainty: Spreads | None, robot: RobotQuantities, *, several: bool) -> Sequence[Section]:
    """The section on spreads, of one motion of a robot without wheels."""
    if uncertainty is None:
        return []
    if robot.on_wheels or several:
        what = f"rover '{robot.name}'" if robot.on_wheels else "a duty spectrum"
        raise ValueError("uncertainty= is of one motion of a robot without wheels, and this report is of "
                         f"{what}: ask for the robot, or for each motion, by itself")
    return [uncertainty.section()]


def with_spreads(found: Verdict | None, uncertainty: Spreads | None) -> Verdict | None:
    """The verdict with spreads, refused where they are of another robot, motion or life."""
    if found is None or uncertainty is None:
        return found
    own = {(row.joint, row.part, row.check): row.utilisation for row in found.of_duty}
    other = {(row.joint, row.part, row.check): row.utilisation for row in uncertainty.verdict.of_duty}
    for joint, part, check in uncertainty.verdict.spreads:
        key = joint, part, check
        if key not in own or not math.isclose(own[key], other[key], rel_tol=1e-6, abs_tol=1e-9):
            here = f"{100 * own[key]:.4g} % here" if key in own else "not among the checks here"
            raise ValueError(f"uncertainty= is of another robot, motion or life: '{check}' of {part} at '{joint}' is "
                             f"utilised by {100 * other[key]:.4g} % there, and {here}")
    return replace(found, spreads=uncertainty.verdict.spreads)
