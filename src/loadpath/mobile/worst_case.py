"""The largest load of a rover over a box: its joints and drives, the normal force of a wheel, and the least margin to
tipping over, over ranges of its arms' states and of the motion of its base.

All of these follow from the wrench of the ground on the base, which is a sum of cosines and powers as joint wrenches
are. Where the contacts are fixed to the base, normal forces and moments about the edges of the support polygon are
linear in it; normal forces of more than three contacts as long as none of them lifts off, which is part of what is
certified. The margin is a quotient, the least moment m about an edge by the force N on the ground: no margin is below t
where no m - t N is below zero (Dinkelbach).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from loadpath.bounds.asked import DRIVE, OF_JOINTS, Asked, Sense, asked_of, checked_sense, turning
from loadpath.bounds.box import Box, range_of, ranges_of
from loadpath.bounds.payload import Carrying
from loadpath.bounds.result import WorstCase
from loadpath.bounds.search import SAMPLES, Found, checked_effort, search
from loadpath.bounds.variables import Variables
from loadpath.bounds.worst_case import names, refuse
from loadpath.errors import ModelError
from loadpath.loads.peaks.result import MARGIN, OF_WHEELS
from loadpath.mobile.motions import BaseState, base_components
from loadpath.progress import Report, reporting
from loadpath.robot.numbers import known
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

BASE = ("velocity v_x", "velocity v_y", "velocity w", "acceleration v_x", "acceleration v_y", "acceleration w",
        "heading")
"""Of the entries of a state after q, qd and qdd."""
NORMAL = "normal"
LINEAR = 1e-9
"""Of the weight: by so much a normal force may be off what is linear in the wrench of the ground."""
ROUNDS = 6
"""Of the quotient: each begins at the least margin of the one before."""


def worst_case(
    rover: Rover,
    *what: str | tuple[str, str],
    over: Box | Mapping[str, object] | None = None,
    sense: Sense | None = None,
    tolerance: float = 1e-3,
    seconds: float = 60.0,
    progress: bool | Report = False,
    **base: Unpack[BaseState],
) -> WorstCase:
    """`Robot.worst_case` of a rover: over ranges of its arms' states, and of `velocity`, `acceleration` and `heading`
    of its base, which are parts of the box (`lp.Box(velocity=[(0, 1), 0], ...)`), or keywords where they stay.

    Beside the quantities of joints and drives there is `"normal"` of a wheel (of `sense="min"`, what presses it down at
    least), and `"margin"` of the rover, the least distance (m) of the zero-moment point from an edge of the support
    polygon: negative where the rover tips over.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> box = lp.Box(q={"theta1": (-1, 1), "theta2": 0, "d2": 0.5}, qd=0, acceleration=[(-1, 1), 0])
    >>> found = rover.worst_case("wheel1", "normal", over=box)
    >>> found.certified, round(found.also["acceleration v_x"], 3)
    (True, -1.0)
    """
    name, quantity = names(what)
    refuse(rover)
    checked_effort(tolerance, seconds)
    box = Box.read(over, rover)
    low, high = ends_of(rover, box, base)
    rest: dict[str, Any] = {key: value for key, value in base.items() if key not in _RANGED and value is not None}
    carrying = Carrying.of(rover, box)
    if carrying is not None:
        low, high = carrying.with_ends(low, high)

    def whole(of: Callable[[Any], Asked]) -> Asked:
        return of(rover) if carrying is None else carrying.asked(of)

    with reporting(progress, f"worst {quantity} of {name}") as report:
        if quantity == MARGIN:
            unit, checked = "m", _sense_of_margin(rover, name, sense)
            found = _least_margin(rover, whole, rest, low, high, tolerance, seconds, report)
        elif quantity == NORMAL:
            unit, checked = "N", checked_sense(sense, quantity, 1)
            found = _normal(rover, name, checked, whole, rest, low, high, tolerance, seconds, report)
        elif quantity in OF_WHEELS:
            raise ValueError(f"{quantity} of '{name}': friction of contacts is shared by rules that nothing bounds "
                             f"over a box; there are '{NORMAL}' and '{MARGIN}', and peak_loads of states")
        else:
            known(quantity, (*OF_JOINTS, DRIVE, NORMAL, MARGIN), "quantity")
            asked = whole(lambda one: _with_base(one, asked_of(
                one, name, quantity, sense, moving=lambda states: {**rest, **moving(one, states)})))
            unit, checked = asked.unit, asked.sense
            found = search(asked, low, high, tolerance, seconds, report)
    n, state = rover.n, found.state
    also = [*BASE, *(["payload", "payload x", "payload y", "payload z"] if carrying is not None else [])]
    return WorstCase(
        name, quantity, checked, found.value, found.bound, tolerance, found.certified,
        state[:n], state[n : 2 * n], state[2 * n : 3 * n], found.largest_sample, SAMPLES, found.boxes, found.seconds,
        unit, rover.dof_names, also=dict(zip(also, state[3 * n :].tolist(), strict=True)),
        robot=rover if carrying is None else carrying.robot_of(state),
        acting={**rest, **{key: value[0] for key, value in moving(rover, state[None]).items()}},
    )


_RANGED = ("velocity", "acceleration", "heading")


def _ends_of_base(rover: Rover, box: Box, base: Mapping[str, Any]) -> Floats:
    """(7, 2): ranges of the motion of the base, zero where nothing is said."""
    ends = np.zeros((7, 2))
    for k, part in enumerate(_RANGED):
        ranged, fixed = box.of_base.get(part), base.get(part)
        if ranged is not None and fixed is not None:
            raise ValueError(f"{part} of the base is in the box, and is given: leave out one of them")
        if part == "heading":
            if ranged is not None:
                ends[6] = range_of(ranged, "heading of the box")
            elif fixed is not None:
                ends[6] = range_of(fixed, "heading")
        elif ranged is not None:
            two = isinstance(ranged, Sized) and len(ranged) == 2
            each = ranges_of(ranged, part, ("v", "w") if two else ("v_x", "v_y", "w"))
            ends[3 * k : 3 * k + 3] = (each[0], (0.0, 0.0), each[1]) if two else each
        elif fixed is not None:
            ends[3 * k : 3 * k + 3] = range_rows(base_components(fixed, part), part)
    return ends


def range_rows(components: Floats, part: str) -> Floats:
    """(3, 2): three numbers as ranges."""
    if components.shape != (3,):
        raise ValueError(f"{part} of the base has the shape {components.shape}: over a box it is one motion, or a "
                         f"range in the box, lp.Box({part}=[(low, high), ...])")
    return np.stack([components, components], axis=1)


def ends_of(rover: Rover, box: Box, base: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Ends of the states of the arms, and of the motion of the base after them."""
    low, high = box.of(rover)
    ends = _ends_of_base(rover, box, base)
    return np.concatenate([low, ends[:, 0]]), np.concatenate([high, ends[:, 1]])


def moving(rover: Rover, states: Floats) -> dict[str, Any]:
    """How the base moves in states, as keywords."""
    n = 3 * rover.n
    motion = states[:, n : n + 7]
    found: dict[str, Any] = {"velocity": motion[:, :3], "acceleration": motion[:, 3:6]}
    if rover.ground.slope:
        found["heading"] = motion[:, 6]
    return found


def _with_base(rover: Rover, asked: Asked) -> Asked:
    """The same with the entries of the base."""
    names, n = rover.dof_names, 3 * rover.n
    joints = Variables.of_joints(names, turning(rover))
    return replace(asked, variables=replace(
        joints, names=(*joints.names, *BASE), angles=(*joints.angles, n + 6),
        speeds=(*joints.speeds, *range(n, n + 3)), accelerations=(*joints.accelerations, *range(n + 3, n + 6))))


# The ground's wrench


def _pressing(rover: Rover, rest: Mapping[str, Any]) -> Callable[[Floats], Floats]:
    """(b, 3): force along the ground's normal, and moments about x and y, at states."""

    def pressing(states: Floats) -> Floats:
        n = rover.n
        wrench = rover.ground_wrench(states[:, :n], states[:, n : 2 * n], states[:, 2 * n : 3 * n], **rest,
                                     **moving(rover, states))
        parts = [np.broadcast_to(part, len(states)) for part in (
            wrench.force[..., 2], wrench.torque[..., 0], wrench.torque[..., 1])]
        return np.stack(parts, axis=1)

    return pressing


def _linear(pressing: Floats, values: Floats) -> Floats | None:
    """(3, functions): the matrix that makes values of the wrench; None where there is none."""
    matrix = np.asarray(np.linalg.lstsq(pressing, values, rcond=None)[0], dtype=float)
    off = np.abs(pressing @ matrix - values).max(initial=0.0)
    return None if off > LINEAR * np.abs(pressing[:, 0]).max(initial=0.0) else matrix


def _of_ground(
    rover: Rover, name: str, quantity: str, unit: str, sense: Sense, matrix: Floats, rest: Mapping[str, Any]
) -> Callable[[Rover], Asked]:
    """A number that is linear in the wrench of the ground, as what is asked for."""

    def of(one: Rover) -> Asked:
        pressing = _pressing(one, rest)
        plain = Variables.of_joints(one.dof_names, turning(one))
        return _with_base(one, Asked(name, quantity, unit, lambda states: pressing(states) @ matrix[:, None], 1, plain,
                                     sense, size=lambda states: pressing(states)[:, :1]))

    return of


def _sampled(rover: Rover, low: Floats, high: Floats, rest: Mapping[str, Any]) -> tuple[Floats, dict[str, Any], Floats]:
    """States of the box (without a payload), as arrays and keywords, and the wrenches of the ground there."""
    size = 3 * rover.n + 7
    states = np.random.default_rng(1).uniform(low[:size], high[:size], (256, size))
    arrays = dict(zip(("q", "qd", "qdd"), np.split(states[:, : 3 * rover.n], 3, axis=1), strict=True))
    return states, {**arrays, **rest, **moving(rover, states)}, _pressing(rover, rest)(states)


def _normal(
    rover: Rover, name: str, sense: Sense, whole: Callable[[Any], Asked], rest: Mapping[str, Any], low: Floats,
    high: Floats, tolerance: float, seconds: float, report: Report,
) -> Found:
    """The largest or least normal force of a contact."""
    place = rover.contact_names.index(known(name, rover.contact_names, "contact"))
    _, arguments, pressing = _sampled(rover, low, high, rest)
    normal: Floats = np.broadcast_to(rover.wheel_loads(**arguments).normal, (len(pressing), len(rover.contact_names)))
    standing = (normal > 0).all(axis=1) if normal.shape[1] > 3 else np.ones(len(normal), dtype=bool)
    matrix = _linear(pressing[standing], normal[standing]) if standing.sum() >= 8 else None
    if matrix is None:
        raise ModelError(f"normal of '{name}': in the box the normal forces of rover '{rover.name}' are not linear in "
                         "the wrench of the ground (contacts lift off, casters swivel, or wheels are on links), and "
                         "nothing bounds them. Narrow the box, or ask peak_loads of states")
    others = [k for k in range(normal.shape[1]) if k != place] if normal.shape[1] > 3 else []
    part = seconds / (1 + len(others))

    def asked(k: int, of: Sense) -> Asked:
        return whole(_of_ground(rover, rover.contact_names[k], NORMAL, "N", of, matrix[:, k], rest))

    found = search(asked(place, sense), low, high, tolerance, part, report)
    weight = float(np.abs(pressing[:, 0]).max())
    for k in [place, *others] if others else []:  # none lifts off: only then is what is linear the normal force
        least = search(asked(k, "min"), low, high, tolerance, part, report,
                       floor=-tolerance * weight, least=weight)
        if least.bound < 0 or least.value < 0:
            bound = -np.inf if sense == "min" else np.inf
            return replace(found, bound=bound, certified=False)
    return found


def _sense_of_margin(rover: Rover, name: str, sense: Sense | None) -> Sense:
    known(name, (rover.name,), "rover")
    if sense not in (None, "min"):
        raise ValueError(f"sense is {sense!r}: of the margin there is the least, sense='min'")
    return "min"


def _least_margin(
    rover: Rover, whole: Callable[[Any], Asked], rest: Mapping[str, Any], low: Floats, high: Floats,
    tolerance: float, seconds: float, report: Report,
) -> Found:
    """The least margin, edge after edge."""
    states, arguments, pressing = _sampled(rover, low, high, rest)
    standing = rover.stability(**arguments)
    moments = np.broadcast_to(standing.edge_moments, (len(states), len(standing.edges)))
    matrix = _linear(pressing, moments) if np.isfinite(moments).all() else None
    if matrix is None:
        raise ModelError(f"margin of '{rover.name}': the moments about the edges are not linear in the wrench of the "
                         "ground (casters swivel, or wheels are on links), and nothing bounds them over a box. Ask "
                         "peak_loads of states")
    down = np.array([1.0, 0.0, 0.0])
    edges = matrix.shape[1]
    share = seconds / (2 + 2 * edges)

    def asked(column: Floats) -> Asked:
        return whole(_of_ground(rover, rover.name, MARGIN, "m", "min", column, rest))

    least_force = search(asked(down), low, high, 0.05, share, report)
    weight = float(np.abs(pressing[:, 0]).max())
    forces = asked(down)
    each = [asked(matrix[:, k]) for k in range(matrix.shape[1])]

    def margin(state: Floats) -> float:
        force = forces.parts(state[None])[0, 0]
        return min(float(one.parts(state[None])[0, 0]) for one in each) / force if force > 0 else -np.inf

    if least_force.value <= 0:  # nothing presses on the ground
        return replace(least_force, value=-np.inf, bound=-np.inf, certified=True, largest_sample=-np.inf)
    first = states[int(np.argmin(moments.min(axis=1) / pressing[:, 0]))]
    best_state = np.concatenate([first, low[len(first):]])
    best = sampled = margin(best_state)
    boxes, spent, below = least_force.boxes, least_force.seconds, np.inf
    reach = float(np.abs(matrix[0]).max(initial=0.0)) or 1.0
    for _ in range(ROUNDS):
        before, below, share = best, 0.0, max((seconds - spent) / (2 * edges), 1e-3 * seconds)
        for k in range(edges):
            found = search(asked(matrix[:, k] - before * down), low, high, tolerance, share, report, floor=0.0,
                           least=weight * max(abs(before), 1e-3 * reach))
            boxes, spent, below = boxes + found.boxes, spent + found.seconds, max(below, -found.bound)
            if (there := margin(found.state)) < best:
                best, best_state = there, found.state
        if best > before - 1e-9 * max(abs(before), reach) or spent > seconds:
            break
    bound = min(best, before - below / least_force.bound) if least_force.bound > 0 else -np.inf
    certified = best - bound <= 2 * tolerance * max(abs(best), 1e-3 * reach)
    return Found(best, bound, certified, best_state, sampled, boxes, spent)
