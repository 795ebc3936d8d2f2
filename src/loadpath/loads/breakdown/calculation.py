"""From states to the breakdown of all joint wrenches: what `robot.load_breakdown` calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.engine.method import CompiledMethod
from loadpath.errors import ModelError
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.quantities.carriers import is_closed
from loadpath.quantities.load_index import Cause, Index, index_of
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.results import ClosedLoadTerms
from loadpath.robot.numbers import known
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike, read_states

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

@takes_loads
def load_breakdown(
    robot: RobotQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    by: Literal["freedom", "joint", "drive"] = "freedom",
    by_link: bool = False,
    frame: str = "joint",
    compliances: Mapping[str, float | Sequence[float]] | None = None,
    out: tuple[Floats, ...] | None = None,
    compiled: bool = True,
    **acting: Unpack[DriveLoadKeywords],
) -> LoadBreakdown:
    """Every joint wrench by cause, for one state or any batch of them: see `LoadBreakdown`.

    `q` may be a motion or a simulation, without `qd` and `qdd`. Axes are those of each child's joint frame, or all
    those of the world (`frame="world"`) or of a link (`frame` its name); the point is the joint's origin in each case,
    displaced as far as the joint slides. `by="joint"` takes the degrees of freedom of a joint together: where it turns
    about several axes, what the rate of its axes causes is centrifugal. `by_link=True` says for each term which link's
    mass carries it. `external={"link": lp.Wrench(...)}` are wrenches that the surroundings exert on links. For a base
    that moves give `base_velocity` and `base_acceleration`, each (..., 6): of the root link's origin (its ordinary
    second derivative), then angular, in the root link's axes, with which the world's coincide at that instant.
    `gravity`, (..., 3) or a function of time, takes the place of the robot's own, and counts as gravity.
    Closed chains: a cause reaches all joints of the loops that it loads, loop pins among them, and friction and rotors
    of passive joints are causes like others. `by="drive"` takes all joints that an independent speed moves as one: what
    does the motion of this drive cause? Of more drives than freedoms `weights` and `preload` are as in
    `inverse_dynamics`, the preload a cause of its own; `compliances` are as in `joint_wrenches`.
    `out` are arrays for `.values`, `.friction` and `.rotor` (of a closed chain also `.drives`), used again.
    `compiled=False` saves compiling, seconds for an arm, where there are but a few hundred states.

    >>> import loadpath as lp
    >>> arm = lp.catalog.lau_arm()
    >>> loads = arm.load_breakdown([0.1, 0.2, 0.8], [1, 2, 3], [4, 5, 6])
    >>> loads.causes("d2")[-3:]
    ['coriolis theta1, d2', 'coriolis theta2, d2', 'gravity rod']
    >>> wrench = arm.joint_wrenches([0.1, 0.2, 0.8], [1, 2, 3], [4, 5, 6])["d2"]
    >>> bool(abs(loads.total("d2").force - wrench.force).max() < 1e-12)
    True
    """
    states = read_states(robot, q, qd, qdd, caller="load_breakdown", counts_loads=True)
    case = acting["under"].with_motion_of(q, robot, "load_breakdown")
    if not isinstance(by, str) or by not in ("freedom", "joint", "drive"):
        expected = "'freedom', 'joint' or 'drive'" if is_closed(robot) else "'freedom' or 'joint'"
        raise ValueError(f"by is {by!r}: expected {expected}")
    if by == "drive" and not is_closed(robot):
        raise ValueError(f"by is 'drive', which is for closed chains; robot '{robot.name}' has no loops, so each drive "
                         "moves its own joint alone: by='freedom'")
    if frame not in ("joint", "world"):
        known(frame, robot.link_names, "link to take the axes of")
    options: dict[str, Any] = {"by": by, "by_link": bool(by_link), "frame": frame, **case.keywords}
    if out is not None:
        options["out"] = out
    chosen = case.effort | ({} if compliances is None else {"compliances": compliances})
    if chosen and not is_closed(robot):
        raise ValueError(f"load_breakdown: {next(iter(chosen))}= is for closed chains; robot '{robot.name}' has no "
                         "loops: leave it out")
    options |= chosen
    compute: Callable[..., Any] = robot.load_terms
    if not compiled and isinstance(compute, CompiledMethod):  # of robots with loops and beams it is none
        compute = compute.uncompiled
    try:
        found = compute(states.q, states.qd, states.qdd, **options)
    except ModelError:
        raise
    except ValueError as problem:  # in the words of the call that was made
        raise ValueError(str(problem).replace("load_terms:", "load_breakdown:")) from None
    index = index_of(robot, by, bool(by_link), frozenset(case.external or ()), (*case.base_motion, *chosen))
    coordinates = states.q if hasattr(states.q, "shape") else np.asarray(states.q, dtype=float)
    values, friction, rotor = found[:3]
    drives = found.drives if isinstance(found, ClosedLoadTerms) else None
    if has_loads(case.external):
        alike = {name: value for name, value in options.items() if name != "out"}
        again = lambda wrenches: compute(states.q, states.qd, states.qdd, **alike | {"external": wrenches})  # noqa: E731
        index, values, drives = split_loads(index, values, drives, case.external or {}, again)
    return LoadBreakdown(values, friction, rotor, index, frame, states.times, robot, coordinates, drives=drives)


# Loads that a motion carries as causes of their own: "carried box", apart from other wrenches on the same link.
#
# They come as parts of the external wrench on their link. Terms are linear in it, so each part is what the same
# computation gives for it alone; where nothing else acts on the link, the term of the wrench is that of the load.

Plan = tuple[tuple[str, tuple[str, ...], bool], ...]
"""Links with loads, the names of these, and whether nothing else acts on the link."""


def has_loads(external: Mapping[str, Any] | None) -> bool:
    """Whether carried loads are among external wrenches."""
    return any(getattr(wrench, "parts", None) for wrench in (external or {}).values())


def split_loads(
    index: Index,
    values: Floats,
    drives: Floats | None,
    external: Mapping[str, Any],
    compute: Callable[[Mapping[str, Any]], Any],
) -> tuple[Index, Floats, Floats | None]:
    """The terms of a breakdown with a row for each load in place of the wrench that it is a part of; `compute` gives
    the terms of the same states under other wrenches on the same links.
    """
    plan: Plan = tuple((link, tuple(wrench.parts), wrench.alone) for link, wrench in external.items()
                       if getattr(wrench, "parts", None))
    new, rows, sources = _split_index(index, plan)
    most = max(len(names) for _, names, _ in plan)
    if most == 1 and all(alone for *_, alone in plan):
        return new, values, drives
    alone_values: list[Any] = []
    alone_drives: list[Any] = []
    for k in range(most):
        mine = dict(external)
        for link, names, _ in plan:
            part = external[link].parts[names[min(k, len(names) - 1)]]
            mine[link] = part
        found = compute(mine)
        alone_values.append(found[0])
        alone_drives.append(getattr(found, "drives", None))
    split_values = _taken(values, rows, alone_values, axis=-2)
    split_drives = None if drives is None else _taken(drives, sources, alone_drives, axis=-2)
    return new, split_values, split_drives


Row = tuple[int, int | None, int]
"""A row of the whole, which load's part of it (by number; none for the rest), and how many loads there are."""


@functools.lru_cache(maxsize=64)
def _split_index(index: Index, plan: Plan) -> tuple[Index, tuple[Row, ...], tuple[Row, ...]]:
    """The index with terms of loads, and where the rows of its terms and of its sources come from."""
    loads = {link: (names, alone) for link, names, alone in plan}
    terms, rows = [], []
    for row, term in enumerate(index.terms):
        for cause, part, count in _causes(loads, term.kind, term.names):
            terms.append(term._replace(kind=cause[0], names=cause[1]))
            rows.append((row, part, count))
    sources, of_sources = [], []
    for row, ((kind, names), link) in enumerate(index.sources):
        for cause, part, count in _causes(loads, kind, names):
            sources.append((cause, link))
            of_sources.append((row, part, count))
    carried = tuple(dict.fromkeys(name for _, names, _ in plan for name in names))
    new = replace(index, terms=tuple(terms), sources=tuple(sources), load_names=carried)
    return new, tuple(rows), tuple(of_sources)


def _causes(loads: Mapping[str, tuple[tuple[str, ...], bool]], kind: Any, names: tuple[str, ...]) -> Any:
    """What takes the place of a cause."""
    if kind != "external" or names[0] not in loads:
        return [((kind, names), None, 0)]
    carried, alone = loads[names[0]]
    found: list[tuple[Cause, int | None, int]] = [] if alone else [((kind, names), None, len(carried))]
    return found + [(("carried", (name,)), k, len(carried)) for k, name in enumerate(carried)]


def _taken(whole: Any, rows: tuple[Row, ...], parts: list[Any], axis: int) -> Floats:
    """Rows of the whole, of the parts, and what the parts leave of the whole."""
    columns = []
    for row, part, count in rows:
        if part is not None:
            columns.append(parts[part][..., row, :])
        elif count:
            columns.append(whole[..., row, :] - sum(parts[k][..., row, :] for k in range(count)))
        else:
            columns.append(whole[..., row, :])
    return np.stack(np.broadcast_arrays(*columns), axis=axis)
