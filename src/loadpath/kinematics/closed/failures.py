"""Words for loops that are not closed: which, how far apart, in which states, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import warn
from loadpath.states.unknown import count_words, listed

if TYPE_CHECKING:
    from loadpath.kinematics.closed.assembly import Assembly
    from loadpath.quantities.closed import ClosedQuantities


def report(robot: ClosedQuantities, task: Any, result: Assembly, strict: bool) -> None:
    """Raise or warn where loops are not closed; states that are not numbers are warned of."""
    unknown = ~task.sound.reshape(task.batch)
    if unknown.any():
        warn(f"assemble: {count_words(unknown)}, and not assembled")
    open_states = ~result.reached & ~unknown
    if not open_states.any():
        return
    text = _words(robot, task, result, np.asarray(open_states), strict)
    if strict:
        raise ValueError(text)
    warn(text)


def _words(robot: ClosedQuantities, task: Any, result: Assembly, open_states: Any, strict: bool) -> str:
    places = [tuple(int(k) for k in place) for place in np.argwhere(open_states)]
    first, errors = places[0], result.by_part
    scaled = errors.distances[first] / task.size + errors.angles[first]
    worst = int(scaled.argmax())
    name, distance, angle = errors.names[worst], errors.distances[first][worst], errors.angles[first][worst]
    links = task.closing.targets.links
    loops, couplings = len(robot.loops), len(robot.couplings)
    what = (
        f"loop '{name}' stays {distance:.3g} m and {angle:.3g} rad open"
        if worst < loops
        else f"coupling '{name}' is off by {max(distance, angle):.3g}"
        if worst < loops + couplings
        else f"link '{name}' stays {distance:.3g} m and {angle:.3g} rad from its pose"
    )
    count = len(places)
    which = f" in {count} of {result.reached.size} states ({listed(places, count)})" if first else ""
    given = ", ".join(
        f"{robot.coordinate_names[k]} = {result.q[first][k]:.6g}" for k in task.held.places[:6]
    ) + (" ..." if len(task.held.places) > 6 else "")
    at = f" at {given}:" if given else ""
    aim = "the poses" if links and not given else "the driven values"
    remedy = f"check {aim}, or give another start with near="
    if strict:
        remedy = f"check {aim}, give another start with near=, or strict=False for the nearest configuration"
    if task.limits and (at_limit := _at_limit(robot, task, result.q[first])):
        remedy = f"{at_limit}; {remedy}, or limits=False"
    return (
        f"assemble: robot '{robot.name}' cannot be assembled{which}:{' the first,' if count > 1 else ''}{at} {what}, "
        f"the nearest found: {remedy}"
    )


def _at_limit(robot: ClosedQuantities, task: Any, q: Any) -> str:
    """Which passive joints are at their limits in the nearest configuration."""
    ranges = task.ranges
    near = (np.abs(q - ranges.lower) < 1e-9) | (np.abs(q - ranges.upper) < 1e-9)
    near[task.held.places] = False
    names = [robot.coordinate_names[k] for k in np.flatnonzero(near)]
    if not names:
        return ""
    return f"{', '.join(repr(name) for name in names[:4])} {'is' if len(names) == 1 else 'are'} at the limit there"
