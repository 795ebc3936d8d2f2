"""`robot.verdict(motion)`: the states of a motion, block by block, past the examiners of all parts.

Nothing of a block is kept but what the examiners keep, so a million samples take no more memory than the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.bounds.box import Box
from loadpath.bounds.over import worst_states
from loadpath.bounds.peaks import refuse_both
from loadpath.errors import ModelError
from loadpath.in_room import function_in_room
from loadpath.motion import DutySpectrum
from loadpath.parts.fitting import parts_of
from loadpath.parts.part import Check, Examiner, Part, not_checked
from loadpath.parts.structure import structure_checks
from loadpath.parts.verdict.duties import Block, Duty, duties_of
from loadpath.parts.verdict.joint_loads import Drives, Seat, Source
from loadpath.parts.verdict.limits import LABEL, OwnLimits, TipWatch
from loadpath.parts.verdict.result import Asked, Verdict, VerdictRow
from loadpath.parts.verdict.what_if import Payload
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.numbers import number
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats, Ints
from loadpath.states import StatesLike
from loadpath.states.unknown import not_finite, warn_of_unknown

if TYPE_CHECKING:
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.quantities.table import RobotQuantities


NOTHING_SEEN = not_checked("all", "no state is a number")
BEAM = "beam"
"""What stands in the place of a part in rows of flexible arms."""


@dataclass(frozen=True, eq=False)
class Examined:
    """A part at its joint, and what examines it."""

    seat: Seat
    part: Part
    examiner: Examiner


@takes_loads
def verdict(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    over: Box | Mapping[str, object] | None = None,
    seconds: float = 60.0,
    hours: float | None = None,
    exceptions: Sequence[ExceptionalCase] = (),
    progress: bool | Report = False,
    **acting: Unpack[DriveLoadKeywords],
) -> Verdict:
    """Does every part hold, for how long, what limits it, and what caused that? See `Verdict`.

    `motion` is an `lp.Motion` or a simulation, an `lp.DutySpectrum` of several motions with their shares of the time,
    or the array q with qd and qdd after it (or a tuple of all three): states of equal weight without times, for which
    checks that need time are not made and say so. `hours` is the life that is asked for: with it, lives are checks with
    a utilisation; without, they are reported. What acts on the robot (`external`, `gravity`, ... or `under`) is as in
    `peak_loads`. `progress=True` shows a bar; a function is called with the share done.

    In place of states there may be a box of them, `over=lp.Box(...)`, as in `worst_case`: then the verdict is on the
    states that were found to be the worst for each resultant of each joint and for each drive, and on 2,048 samples of
    the box. `worst_cases` has what bounds these loads in all of it, and `effort_certified` whether no drive exceeds its
    limit anywhere in it; what parts make of several loads at once is known in these states, and is not bounded.

    `exceptions` are exceptional cases, as `lp.ExceptionalCase("emergency stop", "stop", category=1)`: the verdict has
    their rows, too, which are of momentary limits alone.

    Examined are all parts of `with_parts`, the beams of a flexible arm, and the robot's own limits of effort, speed and
    position.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda().with_payload(3.0)
    >>> found = arm.verdict(lp.Motion.swing(arm))
    >>> found.holds, found.worst.joint, found.worst.check
    (True, 'panda_joint1', 'speed')
    """
    asked = Asked(acting["under"], checked_hours(hours))
    if over is not None:
        refuse_both("verdict", motion, qd, qdd)
        if exceptions:
            raise ValueError("verdict: exceptional cases begin from a motion, and over= is a box of states")
        return over_box(robot, over, seconds, progress, asked)
    if motion is None:
        raise TypeError("verdict is on states: give a motion, arrays q, qd, qdd, or a box of states, over=")
    duties = duties_of(robot, "verdict", motion, qd, qdd, asked.case)
    found = run(robot, duties, asked, progress=progress)
    return _judge_exceptions(found, exceptions, progress) if exceptions else found


_judge_exceptions = function_in_room("loadpath.exceptional.judging", "judge_exceptions")
SAMPLES = 2048
"""Of a box, beside its worst states."""


def over_box(
    robot: RobotQuantities, over: Box | Mapping[str, object], seconds: float, progress: bool | Report, asked: Asked
) -> Verdict:
    """The verdict on the worst states of a box and on samples of it."""
    worst = worst_states(robot, over, seconds, progress, "verdict", {"under": asked.case})
    low, high = Box.read(over, robot).of(robot)
    samples = np.split(np.random.default_rng(1).uniform(low, high, (SAMPLES, len(low))), 3, axis=1)
    states = tuple(np.concatenate(parts) for parts in zip((worst.q, worst.qd, worst.qdd), samples, strict=True))
    duties = duties_of(robot, "verdict", states, None, None, asked.case)
    return replace(run(robot, duties, asked), worst_cases=worst.worst)


def checked_hours(hours: float | None) -> float | None:
    """Hours of life that are asked for, more than zero; None for none."""
    if hours is None:
        return None
    checked = number(in_si(hours, ("life",), "hours"), "hours of life that are asked for")
    if checked <= 0:
        raise ValueError(f"hours is {checked:g}: expected the life that is asked for, more than zero")
    return checked


def run(
    robot: RobotQuantities,
    duties: tuple[Duty, ...],
    asked: Asked,
    more: Payload | None = None,
    progress: bool | Report = False,
    elastic: RobotQuantities | None = None,
) -> Verdict:
    """All states past all examiners; with a payload more, where one is given. `elastic` is what bends, if that is more
    than the robot: the robot on tyres.
    """
    source = Source(robot) if more is None else Source(robot, more.unit, more.mass)
    examined = [Examined(seat, part, part.examiner(seat.place)) for seat, part in _seated(robot)]
    limits = OwnLimits(robot)
    if not examined and not limits and not robot.beams:
        joint = (robot.joint_names or ("joint1",))[0]
        raise ModelError(f"robot '{robot.name}' has neither parts nor limits, so there is nothing to judge: give it "
                         f"parts, robot.with_parts({{{joint!r}: [...]}})")
    seats = list({one.seat.name: one.seat for one in examined}.values())
    drives = Drives(source, [seat for seat in seats if seat.freedom is not None])
    tip = TipWatch(robot)
    unknown = tuple(np.zeros(len(duty), dtype=bool) for duty in duties)
    total, done = sum(len(duty) for duty in duties), 0
    with reporting(progress, f"verdict on {robot.name}") as report:
        for duty in duties:
            for block in duty.blocks():
                force, torque, tau = _loads(source, block, wrenches=bool(seats))
                bad = not_finite(tau) | not_finite(force, 2) | not_finite(torque, 2)
                unknown[duty.number][block.first : block.first + len(block)] = bad
                for known in _runs(bad):
                    limits.add(block, known, block.arrays[0][known], block.arrays[1][known], tau[known])
                    seen = drives.of(block, known, tau[known])
                    tip.add(block, known, seen)
                    for seat in seats:
                        k = seat.number
                        loads = seat.loads(robot, block, known, force[known, k], torque[known, k], seen.get(seat.name))
                        for one in examined:
                            if one.seat is seat:
                                one.examiner.add(loads)
                done += len(block)
                report(done / total)
    for bad in unknown:
        warn_of_unknown(bad, "verdict", "left out, and the verdict does not hold")
    seen_any = not all(bad.all() for bad in unknown)
    rows = [row_of(one.seat.name, one.part.label, one.part.kind, check)
            for one in examined
            for check in (one.examiner.checks(asked.hours) if seen_any else [NOTHING_SEEN])]
    actual = robot if more is None else more.actual
    if seen_any:
        rows += [row_of(link, BEAM, BEAM, check) for link, check in _beams(elastic or actual, duties, asked)]
    rows += [row_of(name, LABEL, LABEL, check) for name, check in limits.checks()]
    return Verdict(tuple(rows), actual, duties, asked, unknown, run, tip_error=tip.found)


def _seated(robot: RobotQuantities) -> list[tuple[Seat, Part]]:
    seats: dict[str, Seat] = {}
    return [(seats.setdefault(name, Seat(robot, name)), part) for name, part in parts_of(robot)]


def _loads(source: Source, block: Block, *, wrenches: bool) -> tuple[Floats, Floats, Floats]:
    """Forces and torques at all joints, and the forces of the drives."""
    keywords = block.case.keywords
    tau = source.drives(block.arrays, keywords)
    if not wrenches:
        return np.zeros((len(block), 0, 3)), np.zeros((len(block), 0, 3)), tau
    return *source.wrenches(block.arrays, keywords), tau


def _runs(bad: Any) -> Iterator[Ints]:
    """Numbers of the states that are numbers, in runs without a gap: examiners count samples from the first."""
    known = np.flatnonzero(~bad)
    if len(known) == len(bad):
        yield known
    elif len(known):
        yield from np.split(known, np.flatnonzero(np.diff(known) > 1) + 1)


def _beams(robot: RobotQuantities, duties: tuple[Duty, ...], asked: Asked) -> list[tuple[str, Check]]:
    """Checks of the beams of a flexible arm, by link."""
    if not robot.beams:
        return []
    case = asked.case
    if case.effort:
        return [(link, not_checked("stress", "weights and preload of drives are not known to beams"))
                for link in dict.fromkeys(link for link, _ in robot.beams)]
    spectrum = SimpleNamespace(motions=[duty.moving for duty in duties], shares=[duty.share for duty in duties])
    given = spectrum if len(duties) > 1 else spectrum.motions[0]
    return structure_checks(robot, given, asked.hours, under=case)  # type: ignore[arg-type]


def row_of(joint: str, label: str, kind: str, check: Check) -> VerdictRow:
    """A check as a row."""
    numbers = {part.name: getattr(check, part.name) for part in fields(Check)}
    return VerdictRow(**numbers, part=label, joint=joint, kind=kind)
