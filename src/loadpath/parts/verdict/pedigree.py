"""What rows of a verdict rest on, beside what was measured or stands in catalogues: estimates and defaults."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from loadpath.parts.fitting import parts_of
from loadpath.parts.verdict.limits import LABEL
from loadpath.robot.pedigree import WEAK, pedigree_of

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow
    from loadpath.quantities.table import RobotQuantities

OF_LIVES = ("load_factor", "life_factor", "reliability", "rated_life_percent", "cycles_factor", "exponent")
"""Fields whose defaults a life rests on."""


def rests_on(verdict: Verdict, row: VerdictRow) -> str:
    """What of a row is an estimate or a default, in words; empty where nothing is known to be.

    >>> import loadpath as lp
    >>> ring = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036).with_source("estimated from its size")
    >>> arm = lp.catalog.planar(1).with_parts({"joint1": [ring]})
    >>> rests_on(found := arm.verdict(lp.Motion.swing(arm)), found["joint1", "static safety"])
    'data estimated from its size'
    """
    if row.part == LABEL:
        return _of_limits(verdict.robot, row.joint)
    words = []
    for joint, part in parts_of(verdict.robot):
        if (joint, part.label) == (row.joint, row.part):
            origin = part.origin
            if origin is not None and origin.grade in WEAK:
                words.append(f"data {origin.named}" if pedigree_of(origin.source) == origin.grade else
                             f"data {origin.grade}{f' ({origin.named})' if origin.named else ''}")
            if row.life_hours is not None and (taken := defaults_of(part)):
                words.append(f"by default {taken}")
    return "; ".join(words)


def defaults_of(part: Any) -> str:
    """The factors of a part's life that were taken by default, in words.

    >>> import loadpath as lp
    >>> defaults_of(lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036, load_factor=1.2))
    'reliability 0.9, life factor 1'
    """
    words = []
    for each in fields(part) if is_dataclass(part) else ():
        value = getattr(part, each.name)
        if each.name in OF_LIVES and each.default is not MISSING and value is not None and value == each.default:
            words.append(f"{each.name.replace('_', ' ')} {value:.4g}")
    return ", ".join(words)


def estimated_data(robot: RobotQuantities) -> tuple[str, ...]:
    """Data of a robot and its parts that are said to be estimates or defaults, in words.

    >>> import loadpath as lp
    >>> estimated_data(lp.catalog.planar(1).with_pedigree(masses="estimated", limits="catalogue"))
    ('masses',)
    """
    found = [of for of, source in robot.pedigrees if pedigree_of(source) in WEAK]
    for joint, part in parts_of(robot):
        if part.origin is not None and part.origin.grade in WEAK:
            found.append(f"{part.label} of '{joint}'")
    return tuple(found)


def _of_limits(robot: RobotQuantities, freedom: str) -> str:
    joint = next((one for one in robot.joints if freedom in (one.name, *robot.dof_names) and
                  (freedom == one.name or freedom.rpartition(".")[0] == one.name)), None)
    if joint is not None and any(limit.guess for limit in joint.limits):
        return "limits are a guess"
    said = dict(robot.pedigrees).get("limits", "")
    return f"limits {said}" if pedigree_of(said) in WEAK else ""
