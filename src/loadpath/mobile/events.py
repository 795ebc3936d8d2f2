"""What happens to a rover: slips, sticks, rolls, stops, lifts, lands, tips; each with its time and its cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.contacts.elements import Element
from loadpath.mobile.contacts.forces import Mode, Outcome
from loadpath.mobile.support import edges_of
from loadpath.mobile.tipping import across_edges
from loadpath.scalars.types import Floats
from loadpath.simulate.events import EventKind, RoverEvent

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_AT_LIMIT = 0.02
"""Share by which a force that is reported may differ from the limit that it exceeds."""
_MEANS_NOTHING = 20.0
"""Times its limit from which on a holding force is not reported: contacts whose rows are nearly the same hold each
other with any force at all."""
_UNDONE = {"sticks": "slips", "stops": "rolls", "lands": "lifts", "brake holds": "brake slips"}
_MOMENT = 1e-9
"""Time (s) within which what is undone has not happened."""


def changes(
    rover: Rover, elements: list[Element], time: float, before: Mode, then: Outcome, after: Mode, now: Outcome
) -> list[RoverEvent]:
    """Events between two modes; `then` has the forces in the old one."""
    names = rover.contact_names
    of_contacts = [RoverEvent(time, kind, name, why) for k, name in enumerate(names)
                   for kind, why in _of_contact(rover, elements, k, before, then, after, now)]
    newly = [
        names[e.contact]
        for i, e in enumerate(elements)
        if e.grips and after.stuck[i] and not before.stuck[i] and after.touching[e.contact]
    ]
    if after.under != before.under:
        of_contacts = [*_crossings(rover, time, before, after), *of_contacts]
    of_elements = []
    for i, e in enumerate(elements):
        if not _rests_on_ground(e, before, after):
            continue
        if before.stuck[i] and not after.stuck[i]:
            of_elements.append(_lets_go(rover, e, i, time, then, now, newly))
        elif after.stuck[i] and not before.stuck[i]:
            of_elements.append(_holds(rover, e, i, time, now))
        elif not after.stuck[i] and float(before.direction[i] @ after.direction[i]) < 0 and _is_rolling(rover, e):
            why = f"it turns round: rolling resistance does not hold it ({now.limits[i]:.4g} N)"
            of_elements.append(RoverEvent(time, "rolls", names[e.contact], why))
    return of_contacts + of_elements


def _of_contact(
    rover: Rover, elements: list[Element], k: int, before: Mode, then: Outcome, after: Mode, now: Outcome
) -> Iterator[tuple[EventKind, str]]:
    """What a contact begins to do, and why: lift, land, spin, grip again."""
    if before.touching[k] and not after.touching[k]:
        yield "lifts", f"the others carry all of the weight ({now.normal.sum():.4g} N)"
    if after.touching[k] and not before.touching[k]:
        yield "lands", f"the base leans on it again ({now.normal[k]:.4g} N)"
    if after.spinning[k] and not before.spinning[k]:
        slides = any(e.massless and e.contact == k and not before.stuck[i] for i, e in enumerate(elements))
        holds = _available(k, then, slides)
        yield "slips", f"its drive asks for {abs(then.pull[k]):.4g} N, friction holds {holds:.4g} N: the wheel spins"
    if before.spinning[k] and not after.spinning[k]:
        yield "sticks", "its drive asks for no more than friction holds"


def _crossings(rover: Rover, time: float, before: Mode, after: Mode) -> Iterator[RoverEvent]:
    """Contacts that stand on other patches of the ground than before."""
    for name, old, new in zip(rover.contact_names, before.under, after.under, strict=True):
        if new != old:
            friction = rover.friction_of(name) if new < 0 else rover.ground.patches[new].friction
            where = f"off patch {old} of the ground" if new < 0 else f"onto patch {new} of the ground"
            values = "" if friction is None else (f": friction {friction.sliding:g} sliding, {friction.static:g} "
                                                  f"static, {friction.rolling:g} rolling")
            yield RoverEvent(time, "crosses", name, f"{where}{values}")


def _rests_on_ground(e: Element, before: Mode, after: Mode) -> bool:
    """Whether an element is a joint, or a contact that touches and does not spin, before and after."""
    touches = before.touching[e.contact] and after.touching[e.contact]
    return e.contact < 0 or bool(touches and not (before.spinning[e.contact] or after.spinning[e.contact]))


def first_state(rover: Rover, elements: list[Element], mode: Mode, now: Outcome) -> list[RoverEvent]:
    """What is to be reported of the beginning: contacts that slide from the start, that carry nothing."""
    found = []
    for k, name in enumerate(rover.contact_names):
        if not mode.touching[k]:
            found.append(RoverEvent(0.0, "lifts", name, "the others carry all of the weight from the beginning"))
        if mode.spinning[k]:
            found.append(RoverEvent(0.0, "slips", name, "its drive asks for more than friction holds "
                                    f"({_available(k, now):.4g} N): the wheel spins"))
    found += [RoverEvent(0.0, "brake slips", _wheel_name(rover, e.axle), "more is asked of it than its "
                         f"{now.limits[i]:.4g} N m from the beginning")
              for i, e in enumerate(elements) if e.axle >= 0 and not (mode.stuck[i] or mode.armed[i])]
    for i, e in enumerate(elements):
        if mode.stuck[i] or e.contact < 0 or not mode.touching[e.contact] or mode.spinning[e.contact]:
            continue
        if _is_rolling(rover, e) and not mode.armed[i]:
            found.append(RoverEvent(0.0, "rolls", rover.contact_names[e.contact], "more pushes it on than its rolling "
                                    f"resistance holds ({now.limits[i]:.4g} N) from the beginning"))
        if e.grips:
            speed = float(np.hypot.reduce(now.slip[e.rows]))
            why = f"more is asked of it than friction holds ({now.limits[i]:.4g} N)"
            why = f"it slides at {speed:.4g} m/s" if speed > 1e-6 else why
            found.append(RoverEvent(0.0, "slips", rover.contact_names[e.contact], f"{why} from the beginning"))
    return found


def _is_rolling(rover: Rover, e: Element) -> bool:
    """Whether an element is the rolling of a wheel itself, not of the rollers on its rim."""
    return e.rolls and (e.with_axle or not rover.arrangement.axled[e.contact])


def _wheel_name(rover: Rover, k: int) -> str:
    """Of a wheel, or of the track that it is a piece of."""
    return rover.base.wheels[k].track or rover.contact_names[k]


def _available(k: int, outcome: Outcome, slides: bool = False) -> float:
    return float(outcome.friction.contacts["sliding" if slides else "static"][k] * max(float(outcome.normal[k]), 0.0))


def lasting(events: list[RoverEvent]) -> list[RoverEvent]:
    """Without what is undone at the same moment.

    >>> happened = (0.0, "slips", "a"), (1e-12, "sticks", "a"), (0.5, "sticks", "b")
    >>> [event.part for event in lasting([RoverEvent(*each, "") for each in happened])]
    ['b']
    """
    kept: list[RoverEvent] = []
    for event in events:
        done = _UNDONE.get(event.kind)
        before = [k for k, other in enumerate(kept) if other.part == event.part and event.time - other.time <= _MOMENT]
        if before and kept[before[-1]].kind == done:
            del kept[before[-1]]
        else:
            kept.append(event)
    return kept


def _lets_go(
    rover: Rover, e: Element, i: int, time: float, then: Outcome, now: Outcome, newly: list[str]
) -> RoverEvent:
    """`newly` has the contacts that begin to grip at the same moment."""
    force = float(np.hypot.reduce(then.forces[e.rows]))
    if e.contact < 0:
        return _of_axle_or_joint(rover, e, time, force)
    name = rover.contact_names[e.contact]
    N, static = float(then.normal[e.contact]), float(now.friction.static[i])
    weight = float(now.normal.sum())
    sound = force <= _MEANS_NOTHING * static * weight and -_AT_LIMIT * weight <= N <= (1 + _AT_LIMIT) * weight
    N = N if sound else float(now.normal[e.contact])
    limit = f"{static:.4g} x {N:.4g} N = {static * N:.4g} N"
    if e.grips:
        used = float(np.hypot(force, then.pull[e.contact])) if e.massless else force
        if sound and used > static * N * (1 - 1e-6):
            return RoverEvent(time, "slips", name, f"{used:.4g} N are asked of its friction, which holds {limit}")
        if newly or not sound:
            others = f"{', '.join(newly)}, which does from now on" if newly else "the others, whatever holds it"
            why = f"it cannot grip together with {others} (its friction holds {limit})"
            return RoverEvent(time, "slips", name, why)
        return RoverEvent(time, "slips", name, "what holds the base is used up, and it gives way with the others (its "
                          f"own friction holds {limit})")
    most = static * N
    if sound and abs(force - most) <= _AT_LIMIT * most:
        return RoverEvent(time, "rolls", name, f"{force:.4g} N push it on, its rolling resistance holds {limit}")
    # The rows of casters are nearly parallel at first: forces that would hold both have no meaning.
    why = "more pushes it on than" if force > most else "it cannot stand where others roll, whatever"
    return RoverEvent(time, "rolls", name, f"{why} its rolling resistance holds ({limit})")


def _of_axle_or_joint(rover: Rover, e: Element, time: float, force: float) -> RoverEvent:
    """A brake or the friction of a joint lets go."""
    if e.axle >= 0:
        return RoverEvent(time, "brake slips", _wheel_name(rover, e.axle), f"{force:.4g} N m are asked of its brake")
    name = rover.robot.dof_names[e.joint]
    return RoverEvent(time, "joint moves", name, f"the force on it exceeds its Coulomb friction ({e.static:.4g})")


def _holds(rover: Rover, e: Element, i: int, time: float, now: Outcome) -> RoverEvent:
    force = float(np.hypot.reduce(now.forces[e.rows]))
    if e.axle >= 0:
        return RoverEvent(time, "brake holds", _wheel_name(rover, e.axle), f"the wheel came to rest; its brake holds "
                          f"{now.limits[i]:.4g} N m, {force:.4g} N m are asked of it")
    if e.contact < 0:
        name = rover.robot.dof_names[e.joint]
        return RoverEvent(time, "joint stops", name, f"its Coulomb friction ({e.static:.4g}) holds it")
    kind: EventKind = "sticks" if e.grips else "stops"
    what = "friction" if e.grips else "rolling resistance"
    asked = f"{force:.4g} N" if force > 1e-9 * now.limits[i] else "nothing"
    return RoverEvent(time, kind, rover.contact_names[e.contact],
                      f"it came to rest; its {what} holds {now.limits[i]:.4g} N, {asked} is asked of it")


def tipping(
    rover: Rover, time: float, outcome: Outcome, touching: NDArray[np.bool_], rocks: tuple[float, float] | None
) -> RoverEvent:
    """The end: no contact forces are in balance any more. `rocks` has the energy that there is and that it would take
    to tip over, if it is known to be less.
    """
    edges = edges_of(outcome.placed.points)
    moments = edges.moments(outcome.vertical)
    worst = int(np.asarray(moments).argmin())
    pair = [rover.contact_names[int(np.asarray(part)[worst])] for part in (edges.first, edges.second)]
    gone = [rover.contact_names[k] for k in np.flatnonzero(touching & (outcome.normal < 1e-9 * outcome.vertical[0]))]
    lifts = f" and {', '.join(gone)} would lift" if gone else ""
    reached = f"the zero-moment point has reached this edge{lifts}"
    if rocks is not None:
        return RoverEvent(time, "rocks", f"{pair[0]}-{pair[1]}", f"{reached}: the base begins to rock, and does not "
                          f"tip over: its {rocks[0]:.4g} J of motion cannot lift its mass center over the edge, which "
                          f"takes {rocks[1]:.4g} J. Rocking is not simulated, and the simulation ends")
    return RoverEvent(time, "tips", f"{pair[0]}-{pair[1]}", f"{reached}: the base begins to turn over it, and the "
                      "simulation ends: how it falls, or comes back, is not computed")


def energy_over(rover: Rover, center: Floats, outcome: Outcome) -> float:
    """J that it takes, on level ground, to turn a rigid rover over the edge that its zero-moment point has reached."""
    edges = edges_of(outcome.placed.points)
    worst = int(np.asarray(edges.moments(outcome.vertical)).argmin())
    mass = sum(link.inertia.mass for link in rover.robot.links)
    return mass * float(across_edges(edges, center, rover.ground.gravity_in_base(0.0)).work()[worst])
