"""How exceptional cases come out: events of each motion that they begin from, and the momentary verdicts on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.exceptional.kinds import KINDS, options_of
from loadpath.motion.motion import Motion
from loadpath.parts.verdict.exceptions import Exceptional, ExceptionalCase, with_exceptions
from loadpath.parts.verdict.momentary import Event, momentary_verdict
from loadpath.parts.verdict.running import BEAM
from loadpath.progress import Report, reporting
from loadpath.simulate.result import Simulation
from loadpath.states import LoadCase

if TYPE_CHECKING:
    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities


def judge_exceptions(found: Verdict, cases: Sequence[ExceptionalCase], progress: bool | Report = False) -> Verdict:
    """The verdict on a duty with exceptional cases."""
    every = checked_cases(cases)
    made: list[Exceptional] = []
    with reporting(progress, f"exceptional cases of {found.robot.name}") as report:
        for k, one in enumerate(every):
            made += come_out(one, found.robot, found.duties, found.asked.case)
            report((k + 1) / len(every))
    return with_exceptions(found, made)


def checked_cases(cases: Sequence[ExceptionalCase]) -> list[ExceptionalCase]:
    """Cases, each with a name of its own."""
    every = [cases] if isinstance(cases, ExceptionalCase) else list(cases)
    for one in every:
        if not isinstance(one, ExceptionalCase):
            raise TypeError(f"{one!r} among the exceptional cases: expected lp.ExceptionalCase('emergency stop', "
                            "'stop', ...)")
    names = [one.name for one in every]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ModelError(f"two exceptional cases are called '{twice}': give each a name of its own")
    return every


def come_out(
    case: ExceptionalCase, robot: RobotQuantities, duties: Sequence[Duty], acting: LoadCase
) -> Iterator[Exceptional]:
    """A case from each motion that it may begin from; one that has its own states, once."""
    chosen = [duty for duty in duties if case.cycle in (None, duty.name)]
    if not chosen:
        names = ", ".join(f"'{duty.name}'" for duty in duties if duty.name)
        case.refuse(ValueError(f"there is no cycle '{case.cycle}'; "
                               f"{f'there are {names}' if names else 'the motion is one without a name'}"))
    if "q" in case.options:
        chosen = chosen[:1]
    for duty in chosen:
        name = f"{case.name}, {duty.name}" if len(chosen) > 1 else case.name
        try:
            yield _one(case, robot, duty, acting, name)
        except (ValueError, TypeError) as problem:
            case.refuse(problem)


def _one(
    case: ExceptionalCase, robot: RobotQuantities, duty: Duty, acting: LoadCase, name: str
) -> Exceptional:
    kind = KINDS[case.kind]
    rigid = kind.timed and robot.is_elastic
    acts: RobotQuantities = robot.without_beams() if rigid else robot  # type: ignore[attr-defined]
    taken = _acting(case, acting)
    found: Any = kind.function(acts, _motion(case, duty, timed=kind.timed), **case.options, **taken)
    event: Event = replace(found.event, count=case.count, duration=getattr(found, "time", found.event.duration))
    bent = momentary_verdict(replace(event, robot=robot, states=found.motion)) if rigid else None
    verdict = momentary_verdict(event) if bent is None or robot.parts else bent
    rows = [*verdict.checks, *getattr(found, "contact_checks", ())]
    rows += [row for row in bent.checks if row.kind == BEAM] if bent is not None and verdict is not bent else []
    notes = list(getattr(found, "notes", ()))
    if acting.given.keys() - taken.keys():
        notes.append("What acts from outside in the duty does not act in it.")
    if rigid:
        notes.append("It moves as the arm without beams does; beams bear the loads of that motion.")
    headline = getattr(found, "words", "") or found.table().title
    return Exceptional(name, case.kind, replace(verdict, checks=tuple(rows)), headline, tuple(kind.facts(found)),
                       tuple(notes), duty.name, case.count, found)


def _acting(case: ExceptionalCase, acting: LoadCase) -> dict[str, Any]:
    """What acts from outside in the duty and in the case, too: steady wrenches, where it takes some and has none."""
    takes = "external" in options_of(case.kind) and "external" not in case.options
    if not acting.external or not takes or case.options.get("category", 0) != 0:
        return {}
    steady = all(np.ndim(getattr(wrench, part)) == 1 for wrench in acting.external.values()
                 for part in ("force", "torque"))
    return {"external": acting.external} if steady else {}


def _motion(case: ExceptionalCase, duty: Duty, *, timed: bool) -> Any:
    moving = duty.moving
    if isinstance(moving, (Motion, Simulation)):
        return moving
    if timed:
        raise ValueError(f"a {case.kind} begins at an instant of a motion, and these are states without times: give an "
                         "lp.Motion")
    return duty.states.q, duty.states.qd, duty.states.qdd
