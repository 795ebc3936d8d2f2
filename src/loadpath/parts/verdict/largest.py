"""`robot.largest("payload", motion)`, `robot.largest("speed", motion)`: how far it goes before a limit is reached.

Nothing is taken to be monotone: the worst utilisation is looked at in growing steps from (nearly) zero, and the first
step in which it passes 1 is halved until the crossing is found. Under payload, loads are linear in the mass and the
equivalent loads of parts convex in them, so no crossing lies hidden between two steps; under speed, one narrower than a
step may.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, Unpack

import scipy  # its parts are imported where they are first used
from numpy.typing import ArrayLike

from loadpath.digits import percent
from loadpath.motion import DutySpectrum
from loadpath.parts.verdict.what_if import again, carrying_link
from loadpath.printable import printable
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow
    from loadpath.quantities.table import RobotQuantities

What: TypeAlias = Literal["payload", "speed"]

MASSES = [0.0, *(4.0**k for k in range(-3, 6))]
"""Payloads that are tried, in masses of the robot."""
FACTORS = [0.01, *(1.25**k for k in range(-16, 21))]
"""Factors of the motion's speed that are tried: from a hundredth to some hundred times."""
EXACT = 1e-9
"""Relative error of the crossing."""
BEYOND = 1e-6
"""So far past the value, relatively, it is looked for what passes 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Largest:
    """How far it goes, what limits it there, and the verdict there.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> most = arm.largest("payload", lp.Motion.swing(arm))
    >>> round(most.value, 3), most.limiting.joint, most.exceeded
    (5.287, 'panda_joint2', False)
    """

    what: What
    value: float
    """kg of payload in addition to what is carried, or the factor of the motion's speed; infinite if no limit is
    reached, 0 if one is exceeded from the start."""
    limiting: VerdictRow | None
    """The row that reaches 1; None where the value is infinite."""
    verdict: Verdict
    """At the value; where that is infinite, at the last one tried."""
    exceeded: bool
    """Whether a limit is exceeded from the start: without payload, or at a hundredth of the speed."""
    link: str | None = None
    """The link that carries the payload."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """In words."""
        row = self.limiting
        open_ = self.verdict.open_count
        also = f"; {open_} checks could not be made" if open_ > 1 else "; 1 check could not be made" if open_ else ""
        if row is None:
            return f"no {self.what} that was tried reaches a limit{also}"
        by = row.words
        if self.exceeded:
            start = "without any payload" if self.what == "payload" else "at a hundredth of the speed"
            return f"{by} is exceeded {start}, {percent(row.utilisation)}{also}"
        on = "" if self.link is None else f" on '{self.link}'"
        size = f"payload of {self.value:.6g} kg{on}" if self.what == "payload" else f"speed times {self.value:.6g}"
        return f"{size}, limited by {by}{also}"

    def __repr__(self) -> str:
        return printable(f"<{self}>")


@takes_loads
def largest(
    robot: RobotQuantities,
    what: What,
    motion: StatesLike | DutySpectrum | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    hours: float | None = None,
    link: str | None = None,
    center_of_mass: Sequence[float] | None = None,
    progress: bool | Report = False,
    **acting: Unpack[DriveLoadKeywords],
) -> Largest:
    """The largest payload (kg, in addition to what it carries) or the largest speed (a factor of the motion's) under
    the limits of all parts and of the robot itself, what limits it, and the verdict there: see `Largest`.

    `largest("payload", ...)` adds a point mass on `link` at `center_of_mass` (m, in its frame): without them where the
    payload is that it carries, else at the end of the arm. `largest("speed", ...)` runs the motion in less time; the
    base moves faster with it, external wrenches stay. All else is as in `verdict`, that of a rover, too:
    `largest_payload` has the mass that tips it in each state.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> motion = lp.Motion.swing(arm)
    >>> arm.largest("speed", motion)
    <speed times 1.25, limited by speed limit of 'panda_joint1'>
    >>> rover, still = lp.catalog.lau_rover(), ([0, 0, 1.0], [0, 0, 0], [0, 0, 0])
    >>> most = rover.largest("payload", still, link="rod")
    >>> bool(abs(most.value - rover.largest_payload([0, 0, 1.0], link="rod")) < 1e-6), most.limiting.check
    (True, 'tipping over')
    """
    if what not in ("payload", "speed"):
        raise ValueError(f"the largest {what!r} is not known: ask for 'payload' or 'speed'")
    if motion is None and not robot.on_wheels:
        raise TypeError("largest: a motion is needed, or states q, qd, qdd; a base on wheels without robots needs none")
    arrays = [part for part in (qd, qdd) if part is not None]
    now = robot.verdict(motion, *arrays, hours=hours, **acting)  # type: ignore[attr-defined]
    return largest_of(now, what, link=link, center_of_mass=center_of_mass, progress=progress)


def largest_of(
    now: Verdict,
    what: What,
    *,
    link: str | None = None,
    center_of_mass: Sequence[float] | None = None,
    progress: bool | Report = False,
) -> Largest:
    """The same from a verdict."""
    if now.unknown_count:
        raise ValueError(f"no largest {what} is known: {now.unknown_words}")
    if now.worst is None:
        open_ = (*now.not_checked, *now.not_given)
        raise ValueError(f"no largest {what} is known: nothing could be checked; {open_[0].note}")
    if what == "payload":
        size = sum(part.inertia.mass for part in now.robot.links) or 1.0
        tried = [size * share for share in MASSES]
        judge = partial(_with_payload, now, link, center_of_mass)
    elif callable(now.asked.case.gravity):
        raise ValueError("no largest speed is known: gravity is a function of time, which stays as it is where the "
                         "motion takes less; give it for each sample")
    else:
        tried, judge = FACTORS, partial(_at_pace, now)
    with reporting(progress, f"largest {what}") as report:
        found = _first_crossing(what, tried, judge, report)
    return found if what == "speed" else replace(found, link=carrying_link(now.subject, link, center_of_mass))


def _with_payload(now: Verdict, link: str | None, center: Sequence[float] | None, mass: float) -> Verdict:
    return now if mass == 0.0 else again(now, mass=mass, link=link, center_of_mass=center)


def _at_pace(now: Verdict, pace: float) -> Verdict:
    return now if pace == 1.0 else again(now, pace=pace)


def _first_crossing(what: What, tried: Sequence[float], judge: Callable[[float], Verdict], report: Report) -> Largest:
    """The first value, in growing steps, at which the worst utilisation passes 1."""
    before = tried[0]
    found = judge(before)
    if _over(found) > 0:
        return Largest(what, 0.0, found.worst, found, exceeded=True)
    for k, value in enumerate(tried[1:], start=1):
        here = judge(value)
        report(min(0.7, 0.7 * k / len(tried)))
        if _over(here) > 0:
            break
        before, found = value, here
    else:
        return Largest(what, math.inf, None, found, exceeded=False)
    seen = {before: found, value: here}

    def over(x: float) -> float:
        seen[x] = seen[x] if x in seen else judge(x)
        beyond = _over(seen[x])
        # Friction that wheels share stays at its limit for a while: the end of that is looked for, not any place in it.
        return min(beyond, 1e6) if beyond > 0 else min(beyond, -1e-12)

    root = float(scipy.optimize.brentq(over, before, value, xtol=EXACT * value, rtol=EXACT))
    for _ in range(5):  # from the side where everything holds
        over(root)
        if _over(seen[root]) <= 0:
            break
        root = max(before, root * (1 - EXACT))
    past = root * (1 + BEYOND)
    over(past)
    report(1.0)
    return Largest(what, root, _limiting(seen[root], seen[past]), seen[root], exceeded=False)


def _limiting(at: Verdict, past: Verdict) -> VerdictRow | None:
    """The row that passes 1, of the verdict at the value: a position that the motion takes to its very limit is at 1
    with any payload.
    """
    if past.worst is None or past.worst.holds:
        return at.worst
    passing = past.checks.index(past.worst)
    alike = len(at.checks) == len(past.checks) and at.checks[passing].checked
    return at.checks[passing] if alike else at.worst


def _over(found: Verdict) -> float:
    worst = found.worst
    return -1.0 if worst is None else worst.utilisation - 1.0
