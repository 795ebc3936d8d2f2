"""What a verdict rests on: which motion, whether parts were given, and which numbers are guesses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.loads.breakdown.calculation import load_breakdown
from loadpath.loads.breakdown.drive import drive_parts
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.parts.part import DRIVE, GEAR, GROUND, HOLDING
from loadpath.parts.verdict.pedigree import estimated_data
from loadpath.quantities.load_index import Cause
from loadpath.scalars.types import Ints
from loadpath.states.reading import source_of

if TYPE_CHECKING:
    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.result import Verdict, VerdictRow


MOST_GUESSES = 4
"""That are named in a sentence."""


@dataclass(frozen=True)
class Basis:
    """What a verdict rests on; `str` says it in one line.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> basis = arm.verdict(lp.Motion.swing(arm)).basis
    >>> basis.invented, basis.parts, str(basis)
    (True, 0, 'a demo swing of 1.293 s; no parts given')
    """

    motion: str
    """Where the motion comes from."""
    duration: float | None
    """s; None of several motions, and of states without times."""
    invented: bool
    """Whether the motion, or one of a spectrum, is a swing that nobody gave."""
    parts: int
    """Bearings, gears, motors, brakes, bolts, ratings of wheels."""
    beams: int
    """Links that bend."""
    guesses: tuple[str, ...]
    """What is not known, and was put in to have a number."""
    hours: float | None
    """Life that is required."""
    exceptions: tuple[str, ...] = ()
    """Names of exceptional cases."""
    estimated: tuple[str, ...] = ()
    """Data of the robot and its parts that are said to be estimates or defaults."""

    @property
    def sound(self) -> bool:
        """Whether a verdict on it can say that the robot holds: a motion that was given, parts or beams to judge, and
        no guesses.
        """
        return not self.invented and bool(self.parts or self.beams) and not self.guesses

    @property
    def over(self) -> str:
        """The motion and how long it is, in words."""
        return self.motion if self.duration is None else f"{self.motion} of {self.duration:.4g} s"

    @property
    def rest(self) -> str:
        """All but the motion, in words."""
        words = []
        if self.parts or self.beams:
            some = [f"{count} {what}{'s' if count != 1 else ''}" for count, what in
                    ((self.parts, "part"), (self.beams, "beam")) if count]
            words.append(" and ".join(some))
        else:
            words.append("no parts given")
        if self.hours is not None:
            words.append(f"{self.hours:,.10g} h of life required")
        if self.exceptions:
            count = len(self.exceptions)
            words.append(f"{count} exceptional case{'s' if count > 1 else ''}")
        doubtful = {"guessed": self.guesses, "estimated": self.estimated}
        words += [f"{what}: {_some(names)}" for what, names in doubtful.items() if names]
        return "; ".join(words)

    def __str__(self) -> str:
        return f"{self.over}; {self.rest}"

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {**asdict(self), "guesses": list(self.guesses), "exceptions": list(self.exceptions),
                "estimated": list(self.estimated), "sound": self.sound}



def _some(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_GUESSES
    return f"{', '.join(names[:MOST_GUESSES])}{f' and {more} more' if more > 0 else ''}"


def basis_of(verdict: Verdict) -> Basis:
    """What a verdict rests on: all of it is in its motions and its robot."""
    subject: Any = verdict.subject
    robot = verdict.robot
    ratings = getattr(subject, "ratings", ())
    invented = any(getattr(duty.given, "invented", False) for duty in verdict.duties)
    beams = dict.fromkeys(link for link, _ in robot.beams)
    of = "of a box" if verdict.worst_cases else ""
    return Basis(*_motion(verdict.duties, of), invented, len(robot.parts) + len(ratings), len(beams),
                 guesses_of(subject), verdict.hours, tuple(case.name for case in verdict.exceptions),
                 estimated_data(robot))


def guesses_of(subject: Any) -> tuple[str, ...]:
    """What is a guess of a robot or rover, in words.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint", guess=True)
    >>> guesses_of(lp.catalog.planar(1).with_beams({"link1": tube}))
    ("section and material of the beam of 'link1'",)
    """
    robot = getattr(subject, "robot", subject)
    words = []
    if robot is not subject and subject.base.guess:
        words.append(f"mass, friction and wheels of base '{subject.base.name}'")
    for link in robot.guessed_masses:
        if link in robot.link_names:
            words.append(f"mass of '{link}'")
    limited = [f"'{joint.name}'" for joint in robot.joints if any(limits.guess for limits in joint.limits)]
    words += [f"limits of {', '.join(limited)}"] if limited else []
    bent = dict.fromkeys(link for link, beam in robot.beams if beam.guess)
    if bent:
        several = len(bent) > 1
        names = ", ".join(f"'{link}'" for link in bent)
        words.append(f"section{'s' if several else ''} and material{'s' if several else ''} of the "
                     f"beam{'s' if several else ''} of {names}")
    return tuple(words)


def _motion(duties: tuple[Duty, ...], of: str) -> tuple[str, float | None]:
    """Where the motions come from, and how long one is."""
    if len(duties) == 1:
        (duty,) = duties
        duration = duty.states.duration
        if duration is None:
            return f"{len(duty)} state{'s' if len(duty) != 1 else ''} {of}".strip(), None
        return source_of(duty.given) or "the motion given", float(duration / duty.pace)
    shares = ", ".join(f"{_called(duty)} {100 * duty.share:.3g} %" for duty in duties)
    return f"{len(duties)} motions ({shares})", None


def _called(duty: Duty) -> str:
    """Where a motion of a spectrum comes from, with the name that it has there."""
    source = source_of(duty.given)
    if duty.name == f"motion {duty.number + 1}":
        return source or duty.name
    return f"{duty.name} ({source})" if source else duty.name


# What caused a row of a verdict: the load breakdown of the state that decides it, along what the check measures.


INSTANTS_AT_ONCE = 128
"""Of a humanoid an instant has about ten thousand terms, half a megabyte."""


def causes_of(verdict: Verdict, row: VerdictRow) -> dict[Cause, float]:
    """For each cause what it adds to the demand of a row at its instant. Forces and torques of drives sum to the
    demand: a mean, or a torque at the motor's shaft, is shared as the drive's force is at that instant. What is no
    force, as a temperature or a voltage, has the causes of the drive's force (N m or N) at that instant. Of
    tipping over, causes are how far (m) each takes the zero-moment point towards the nearest edge.
    """
    if row.at is None or row.along is None:
        why = row.note or "it is not decided by one instant" if row.at is None else "it is no load with causes"
        raise ValueError(f"{row.words} has no causes: {why}")
    if row.along == GROUND and verdict.on_ground is not None:
        return verdict.on_ground(row)
    loads = breakdown_at(verdict, row.at.motion, row.at.sample, at_rest=row.along == HOLDING)
    if isinstance(row.along, str):
        found = {cause: float(part) for cause, part in drive_parts(loads, row.joint).items()}
        if row.along == GEAR:
            found = {cause: part for cause, part in found.items() if cause != ("rotor", (row.joint,))}
        elif row.along not in (DRIVE, HOLDING):
            raise ValueError(f"{row.words}: causes along {row.along!r} are not known")
        total = sum(found.values())
        factor = -1.0 if total < 0 else 1.0
        if row.unit in ("N", "N m") and total:
            factor = row.demand / total
        return {cause: factor * part for cause, part in found.items()}
    along = np.array(row.along, dtype=float)
    return {cause: float(loads.sum_of(rows) @ along) for cause, rows in loads.index.of_joint(row.joint).items()}


def breakdown_at(verdict: Verdict, motion: int, sample: int, *, at_rest: bool = False) -> LoadBreakdown:
    """All joint wrenches by cause at one sample of one motion. Those of all rows of that motion are made together, and
    once: computing a hundred instants takes hardly longer than one.
    """
    kept = verdict.breakdowns
    if (motion, sample, at_rest) not in kept:
        wanted = [row.at.sample for row in verdict.of_duty if row.at is not None and row.along not in (None, GROUND)
                  and row.at.motion == motion and (row.along == HOLDING) == at_rest]
        samples = [sample, *(other for other in dict.fromkeys(wanted) if other != sample)][:INSTANTS_AT_ONCE]
        together = _breakdown(verdict, motion, np.array(samples), at_rest=at_rest)
        for k, number in enumerate(samples):
            kept[motion, number, at_rest] = together.at(k)
    return kept[motion, sample, at_rest]


def _breakdown(verdict: Verdict, motion: int, samples: Ints, *, at_rest: bool) -> LoadBreakdown:
    """All joint wrenches by cause at some samples of a motion."""
    duty = verdict.duties[motion]
    q, qd, qdd, case = duty.state(samples)
    if at_rest:
        qd, qdd = np.zeros_like(qd), np.zeros_like(qdd)
        case = duty.case_at_rest(verdict.robot, samples, q)
    return load_breakdown(verdict.robot, q, qd, qdd, **case.keywords, compiled=False)
