"""What a verdict rests on: which motion, whether parts were given, and which numbers are guesses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from loadpath.states.reading import source_of

if TYPE_CHECKING:
    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.result import Verdict

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
        if self.guesses:
            more = len(self.guesses) - MOST_GUESSES
            words.append(f"guessed: {', '.join(self.guesses[:MOST_GUESSES])}{f' and {more} more' if more > 0 else ''}")
        return "; ".join(words)

    def __str__(self) -> str:
        return f"{self.over}; {self.rest}"

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {**asdict(self), "guesses": list(self.guesses), "sound": self.sound}


def basis_of(verdict: Verdict) -> Basis:
    """What a verdict rests on: all of it is in its motions and its robot."""
    subject: Any = verdict.subject
    robot = verdict.robot
    ratings = getattr(subject, "ratings", ())
    invented = any(getattr(duty.given, "invented", False) for duty in verdict.duties)
    beams = dict.fromkeys(link for link, _ in robot.beams)
    return Basis(*_motion(verdict.duties), invented, len(robot.parts) + len(ratings), len(beams), guesses_of(subject),
                 verdict.hours)


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


def _motion(duties: tuple[Duty, ...]) -> tuple[str, float | None]:
    """Where the motions come from, and how long one is."""
    if len(duties) == 1:
        (duty,) = duties
        duration = duty.states.duration
        if duration is None:
            return f"{len(duty)} state{'s' if len(duty) != 1 else ''}", None
        return source_of(duty.given) or "the motion given", float(duration / duty.pace)
    shares = ", ".join(f"{source_of(duty.given) or duty.name} {100 * duty.share:.3g} %" for duty in duties)
    return f"{len(duties)} motions ({shares})", None
