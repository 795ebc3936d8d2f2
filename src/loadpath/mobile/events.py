"""What happens to a rover: slips, sticks, rolls, stops, lifts, lands, tips; each with its time and its cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.contacts.elements import Element
from loadpath.mobile.contacts.forces import Mode, Outcome
from loadpath.mobile.support import edges_of
from loadpath.printable import printable

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

EventKind = Literal["slips", "sticks", "rolls", "stops", "lifts", "lands", "tips", "joint moves", "joint stops"]

_AT_LIMIT = 0.02
"""Share by which a force that is reported may differ from the limit that it exceeds."""


@dataclass(frozen=True)
class RoverEvent:
    """Something that changed.

    `kind`: "slips" (a contact begins to slide, or a wheel to spin), "sticks" (it grips again), "rolls" (a wheel begins
    to roll, or turns round), "stops" (its rolling resistance holds it), "lifts", "lands", "tips" (over the edge between
    the contacts in `part`), "joint moves", "joint stops" (Coulomb friction lets go, holds).

    >>> import loadpath as lp
    >>> str(lp.RoverEvent(0.5, "lifts", "wheel1", "its load fell to zero"))
    '0.5000 s: wheel1 lifts: its load fell to zero'
    """

    time: float
    """s."""
    kind: EventKind
    part: str
    """Name of the contact, of the edge's two contacts, or of the degree of freedom."""
    cause: str
    """Why, with numbers."""

    def __str__(self) -> str:
        return printable(f"{self.time:.4f} s: {self.part} {self.kind}: {self.cause}")


def changes(
    rover: Rover, elements: list[Element], time: float, before: Mode, then: Outcome, after: Mode, now: Outcome
) -> list[RoverEvent]:
    """Events between two modes; `then` has the forces in the old one."""
    names, found = rover.contact_names, []
    for k, name in enumerate(names):
        if before.touching[k] and not after.touching[k]:
            found.append(RoverEvent(time, "lifts", name, "the others carry all of the weight "
                                    f"({now.normal.sum():.4g} N)"))  # fmt: skip
        if after.touching[k] and not before.touching[k]:
            found.append(RoverEvent(time, "lands", name, f"the base leans on it again ({now.normal[k]:.4g} N)"))
        if after.spinning[k] and not before.spinning[k]:
            slides = any(e.massless and e.contact == k and not before.stuck[i] for i, e in enumerate(elements))
            found.append(RoverEvent(time, "slips", name, f"its drive asks for {abs(then.pull[k]):.4g} N, friction "
                                    f"holds {_available(rover, k, then, slides):.4g} N: the wheel spins"))  # fmt: skip
        if before.spinning[k] and not after.spinning[k]:
            found.append(RoverEvent(time, "sticks", name, "its drive asks for no more than friction holds"))
    newly = [
        names[e.contact]
        for i, e in enumerate(elements)
        if e.grips and after.stuck[i] and not before.stuck[i] and after.touching[e.contact]
    ]
    for i, e in enumerate(elements):
        if e.contact >= 0 and not (before.touching[e.contact] and after.touching[e.contact]):
            continue
        if e.contact >= 0 and (before.spinning[e.contact] or after.spinning[e.contact]):
            continue
        if before.stuck[i] and not after.stuck[i]:
            found.append(_lets_go(rover, e, time, then, newly))
        elif after.stuck[i] and not before.stuck[i]:
            found.append(_holds(rover, e, i, time, now))
        elif not after.stuck[i] and float(before.direction[i] @ after.direction[i]) < 0 and _is_rolling(rover, e):
            found.append(RoverEvent(time, "rolls", names[e.contact], "it turns round: rolling resistance does not hold "
                                    f"it ({now.limits[i]:.4g} N)"))  # fmt: skip
    return found


def first_state(rover: Rover, elements: list[Element], mode: Mode, now: Outcome) -> list[RoverEvent]:
    """What is to be reported of the beginning: contacts that slide from the start, that carry nothing."""
    found = []
    for k, name in enumerate(rover.contact_names):
        if not mode.touching[k]:
            found.append(RoverEvent(0.0, "lifts", name, "the others carry all of the weight from the beginning"))
        if mode.spinning[k]:
            found.append(RoverEvent(0.0, "slips", name, "its drive asks for more than friction holds "
                                    f"({_available(rover, k, now):.4g} N): the wheel spins"))  # fmt: skip
    for i, e in enumerate(elements):
        if mode.stuck[i] or e.contact < 0 or not mode.touching[e.contact] or mode.spinning[e.contact]:
            continue
        if _is_rolling(rover, e) and not mode.armed[i]:
            found.append(RoverEvent(0.0, "rolls", rover.contact_names[e.contact], "more pushes it on than its rolling "
                                    f"resistance holds ({now.limits[i]:.4g} N) from the beginning"))  # fmt: skip
        if e.grips:
            speed = float(np.hypot.reduce(now.slip[e.rows]))
            why = f"more is asked of it than friction holds ({now.limits[i]:.4g} N)"
            why = f"it slides at {speed:.4g} m/s" if speed > 1e-6 else why
            found.append(RoverEvent(0.0, "slips", rover.contact_names[e.contact], f"{why} from the beginning"))
    return found


def _is_rolling(rover: Rover, e: Element) -> bool:
    """Whether an element is the rolling of a wheel itself, not of the rollers on its rim."""
    return e.rolls and (e.with_axle or not rover.arrangement.axled[e.contact])


def _available(rover: Rover, k: int, outcome: Outcome, slides: bool = False) -> float:
    return float(rover.frictions["sliding" if slides else "static"][k] * max(float(outcome.normal[k]), 0.0))


def _lets_go(rover: Rover, e: Element, time: float, then: Outcome, newly: list[str]) -> RoverEvent:
    """`newly` has the contacts that begin to grip at the same moment."""
    force = float(np.hypot.reduce(then.forces[e.rows]))
    if e.contact < 0:
        name = rover.robot.dof_names[e.joint]
        return RoverEvent(time, "joint moves", name, f"the force on it exceeds its Coulomb friction ({e.static:.4g})")
    name = rover.contact_names[e.contact]
    N = float(then.normal[e.contact])
    limit = f"{e.static:.4g} x {N:.4g} N = {e.static * N:.4g} N"
    if e.grips:
        used = float(np.hypot(force, then.pull[e.contact])) if e.massless else force
        if used > e.static * N * (1 - 1e-6):
            return RoverEvent(time, "slips", name, f"{used:.4g} N are asked of its friction, which holds {limit}")
        if newly:
            return RoverEvent(time, "slips", name, f"it cannot grip together with {', '.join(newly)}, which does from "
                              f"now on (its friction holds {limit})")  # fmt: skip
        return RoverEvent(time, "slips", name, "what holds the base is used up, and it gives way with the others (its "
                          f"own friction holds {limit})")  # fmt: skip
    most = e.static * N
    if abs(force - most) <= _AT_LIMIT * most:
        return RoverEvent(time, "rolls", name, f"{force:.4g} N push it on, its rolling resistance holds {limit}")
    # The rows of casters are nearly parallel at first: forces that would hold both have no meaning.
    why = "more pushes it on than" if force > most else "it cannot stand where others roll, whatever"
    return RoverEvent(time, "rolls", name, f"{why} its rolling resistance holds ({limit})")


def _holds(rover: Rover, e: Element, i: int, time: float, now: Outcome) -> RoverEvent:
    force = float(np.hypot.reduce(now.forces[e.rows]))
    if e.contact < 0:
        name = rover.robot.dof_names[e.joint]
        return RoverEvent(time, "joint stops", name, f"its Coulomb friction ({e.static:.4g}) holds it")
    kind: EventKind = "sticks" if e.grips else "stops"
    what = "friction" if e.grips else "rolling resistance"
    asked = f"{force:.4g} N" if force > 1e-9 * now.limits[i] else "nothing"
    return RoverEvent(time, kind, rover.contact_names[e.contact],
                      f"it came to rest; its {what} holds {now.limits[i]:.4g} N, {asked} is asked of it")  # fmt: skip


def tipping(rover: Rover, time: float, outcome: Outcome, touching: NDArray[np.bool_]) -> RoverEvent:
    """The end: no contact forces are in balance any more."""
    edges = edges_of(outcome.placed.points)
    moments = edges.moments(outcome.vertical)
    worst = int(np.asarray(moments).argmin())
    pair = [rover.contact_names[int(np.asarray(part)[worst])] for part in (edges.first, edges.second)]
    gone = [rover.contact_names[k] for k in np.flatnonzero(touching & (outcome.normal < 1e-9 * outcome.vertical[0]))]
    lifts = f" and {', '.join(gone)} would lift" if gone else ""
    return RoverEvent(time, "tips", f"{pair[0]}-{pair[1]}", "the zero-moment point has reached this edge"
                      f"{lifts}: the base begins to fall over, and the simulation ends")  # fmt: skip
