"""The numbers that a verdict rests on: every part and drive train with its data, where they come from, what was taken
by default, and what is left out of the checks of its kind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from loadpath.digits import ARC_MINUTE, SMALL_ANGLE
from loadpath.parts.fitting import parts_of
from loadpath.parts.part import Part
from loadpath.quantities.table import RobotQuantities
from loadpath.report.blocks import NONE, Block, Cell, Section, Table, number
from loadpath.robot.parts import Fitted
from loadpath.robot.units_of_text import UNITS

TITLE = "Data of the parts"
NO_SOURCE = "as given, no source named"
NOT_SAID = "not said"
RPM = math.pi / 30
WORDS_LEFT_OUT = {
    "bearing": "Lubrication, contamination, temperature and fits enter the life by the life factor alone (a_ISO of "
               "ISO 281); preload and clearance, and the ovality of soft housings, not at all. Of ten "
               "bearings, one does not reach its life L10.",
    "guide": "Lubrication, contamination and temperature enter the life by its factors alone; preload is not computed.",
    "gear": "Lubricants, temperature, ratcheting and shocks within the cycle are not computed. The efficiency is that "
            "of the drive train. Torques of emergency stops and collisions are as given, not of the motion.",
    "motor": "Losses are those of the copper; iron, friction and switching warm a fast motor, too, unless its "
             "continuous curve has them in it. Magnets do not weaken as they warm.",
    "brake": "One joint stops at a time, in the pose in which the power fails; the others stand, and gears lose "
             "nothing.",
    "flange": "Flanges are rigid and their bolts alike; bending of bolts, thin flanges and fatigue of threads are not "
              "computed.",
}
"""By the last word of a kind of parts."""
_NOT_DATA = ("name",)


def data_of_parts(robot: RobotQuantities, ratings: Sequence[tuple[str, Fitted]] = ()) -> Section | None:
    """Parts and drive trains with their data; None where there are none. `ratings` are those of a rover's wheels, with
    their names.
    """
    slides = {joint.name: type(joint.motion).__name__ == "Prismatic" for joint in robot.joints}
    fitted: list[tuple[str, Fitted]] = [*parts_of(robot), *ratings]
    blocks: list[Block] = []
    if fitted:
        rows: list[list[Cell]] = [_row(joint, part, slides.get(joint, False)) for joint, part in fitted]
        note = "In SI units, as they were given, with what the drive train of the joint adds."
        blocks.append(Table("Parts", ["part", "joint", "kind", "data", "by default", "pedigree", "from"], rows, note,
                            left=7, steady=True))
    trains: list[list[Cell]] = [[name, *_words(drive, slides.get(name, False))] for name, drive in robot.drive_trains]
    if trains:
        blocks.append(Table("Drive trains", ["joint", "data", "by default"], trains, "", left=3, steady=True))
    kinds = dict.fromkeys(_noun(part) for _, part in fitted)
    left_out: list[list[Cell]] = [[kind, WORDS_LEFT_OUT[kind]] for kind in kinds if kind in WORDS_LEFT_OUT]
    if left_out:
        blocks.append(Table("Left out of the checks", ["of a", "what"], left_out, left=2, steady=True))
    return Section(TITLE, "", blocks) if blocks else None


def _noun(part: Fitted) -> str:
    return str(getattr(part, "kind", "part")).rpartition(" ")[2]


def _row(joint: str, part: Any, slides: bool) -> list[Cell]:
    origin = getattr(part, "origin", None)
    kind = getattr(part, "kind", type(part).__name__)
    grade = origin.grade if origin else ""
    return [part.label, joint, kind, *_words(part, slides), grade or NOT_SAID, str(origin) if origin else NO_SOURCE]


def _words(thing: Any, slides: bool) -> tuple[str, str]:
    """What is given, and what is as it is unless given, each in words."""
    given: list[str] = []
    default: list[str] = []
    for each, value in _values(thing):
        own = each.default is MISSING or value != each.default
        (given if own else default).append(f"{each.name.replace('_', ' ')} {_value(each, value, slides)}")
    return "; ".join(given) or NONE, "; ".join(default) or NONE


def _values(thing: Any) -> Iterator[tuple[Field[Any], Any]]:
    """Fields that say something; of parts that are no dataclasses there are none."""
    for each in fields(thing) if is_dataclass(thing) else ():
        value = getattr(thing, each.name)
        if each.name not in _NOT_DATA and each.init and value is not None and value != () and value is not False:
            yield each, value


def _value(each: Field[Any], value: Any, slides: bool) -> str:
    """With its unit.

    >>> from loadpath.parts.gears.kinds import StrainWaveGear
    >>> _words(StrainWaveGear(ratio=100, rated_torque=67, rated_speed="2000 rpm", torsion_limit="1.5 arcmin"), False)[0]
    'ratio 100; rated torque 67 N m; rated speed 209.4 rad/s (2000 rpm); torsion limit 1.5 arcmin'
    """
    measured = [what for what in each.metadata.get("measures", ()) if isinstance(what, str)]
    if len(measured) > 1:  # of a joint that turns, and of one that slides, by turns
        measured = measured[int(slides)::2]
    what = measured[0] if measured else "plain number"
    if isinstance(value, bool):
        return "yes"
    if isinstance(value, (int, float)):
        return _number(float(value), what)
    if isinstance(value, (tuple, list)):
        return f"({', '.join(_value(each, one, slides) for one in value)})"
    if is_dataclass(value):
        kind = f"{value.kind} " if isinstance(value, Part) else ""
        return f"{kind}[{_words(value, slides)[0]}]"
    return str(value)


def _number(value: float, what: str) -> str:
    if what == "angle" and 0 < abs(value) < SMALL_ANGLE:
        return f"{number(value / ARC_MINUTE)} arcmin"
    unit = next(iter(UNITS[what]), "") if what not in ("plain number", "share") else ""
    small = 0 < abs(value) < 1e-9  # which `number` would call zero
    text = f"{f'{value:.4g}' if small else number(value)} {unit}".rstrip()
    return f"{text} ({number(value / RPM)} rpm)" if what == "speed" else text
