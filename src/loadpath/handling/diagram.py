"""`robot.payload_diagram(motion)`: the largest mass over where its mass center is, and what limits it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.handling.limits import Bounded, DiagramLimit, Length, PayloadLimit, Reached, limit_of
from loadpath.handling.offsets import AZIMUTHS, Grid, PayloadLoads, Places, azimuths
from loadpath.handling.part_limits import PartLimit
from loadpath.handling.result import InertiaDiagram, PayloadDiagram
from loadpath.loads.payload import Limits, limits_of
from loadpath.motion import DutySpectrum
from loadpath.parts.fitting import parts_of
from loadpath.parts.sizing.loads import train_of
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.parts.verdict.running import checked_hours
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import Vector3, matrix3, unit_vector, vector3
from loadpath.robot.parameters import payloads_of
from loadpath.robot.units import size_of
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats, Ints
from loadpath.states import StatesLike

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

CELLS = 25
MASSES = 11
TILE = 10
"""Cells of a side of the tiles of which it is asked first whether a part bears them."""
COARSE = 40
"""Places at which it is looked for the states that decide."""
"""Axial and radial offsets where none are given, up to a share of the robot's size."""
SHARE = 0.4
MOST_CELLS = 1_000_000
HEAVIEST = 1e9
"""Masses of the robot: more is no bound but rounding."""
TRIED = tuple(4.0**k for k in range(-3, 9))
"""Masses of the robot that are tried where no limit in closed form bounds the payload."""
LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}

Direction = str | Sequence[float]


@takes_loads
def payload_diagram(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    offsets: tuple[ArrayLike, ArrayLike] | None = None,
    directions: tuple[Direction, Direction | None] = ("z", None),
    around: int = AZIMUTHS,
    link: str | None = None,
    inertia_per_mass: ArrayLike | None = None,
    limits: Limits | None = None,
    model_limits: bool = True,
    hours: float | None = None,
    **acting: Unpack[DriveLoadKeywords],
) -> PayloadDiagram:
    """The largest mass (kg, in addition to what the robot carries) over where its mass center is, as makers of robots
    print it, and which joint and part limits each region. See `PayloadDiagram`.

    `motion` is an `lp.Motion` or a simulation, an `lp.DutySpectrum`, or the array q with qd and qdd after it: the
    states in all of which the limits hold. `offsets` are the axial and radial offsets (m) of the mass center from the
    origin of `link` (the only end of the arm unless given), along `directions` in its frame: "x", "y", "z", "-z" or a
    vector. Without a radial direction the mass may be anywhere around the axial one, and the worst of `around`
    directions counts. The payload is a point mass, or with `inertia_per_mass` (m^2, 3 x 3, about the mass center, axes
    of the link) a body.

    Limits are those of the model's drives and those given by names, as `max_payload` takes them, and all checks of the
    robot's parts, with `hours` of life.

    Loads are affine in the mass, and what one kilogram adds is a polynomial of its place: ten robots with a payload
    give all of them. Limits of forces and their magnitudes are exact, those of parts are found to thirteen digits.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> found = arm.payload_diagram(lp.Motion.swing(arm), offsets=([0.0, 0.1, 0.2], [0.0, 0.1]), around=4)
    >>> found.mass.round(2).tolist()
    [[5.29, 4.59], [4.91, 3.71], [3.98, 3.05]]
    """
    case, caller = acting["under"], "payload_diagram"
    needed = checked_hours(hours)
    along, beside = _directions(directions)
    axial, radial = _offsets(robot, offsets, beside is None)
    across, angles = azimuths(along, beside, _count(around))
    tensor = _tensor(inertia_per_mass, "inertia_per_mass")
    asked = limits_of(robot, limits, model_limits)
    duties = duties_of(robot, caller, motion, qd, qdd, case)
    if not sum(map(len, duties)):
        raise ValueError("payload_diagram: there are no states")
    carrier = link_or_only_end(robot, link, "the payload is on")
    parts = parts_of(robot)
    if not asked and not parts:
        joint = (robot.dof_names or robot.joint_names or ("joint1",))[0]
        raise ValueError(f"robot '{robot.name}' has no limits of effort and no parts: give some limits, like "
                         f"limits={{{joint!r}: 100.0}}")
    grid = Grid(axial, radial, along, across)
    many = _Many(robot, duties, carrier, asked, parts, needed)
    mass, which, sample, limited = many.solved(grid, tensor, caller)
    shape = len(axial), len(radial), len(across)
    worst = mass.reshape(shape).argmin(axis=2)

    def of_worst(array: Any) -> Any:
        return np.take_along_axis(array.reshape(shape), worst[..., None], axis=2)[..., 0]

    carried = sum(robot.link(payload).inertia.mass for payload in payloads_of(robot))
    return PayloadDiagram(
        axial, radial, of_worst(mass), of_worst(which), of_worst(sample), angles[worst], limited.labels, carrier,
        (along, beside), robot.name, carried, limited.unchecked, many.inertias,
    )


@dataclass(frozen=True, eq=False)
class _Limits:
    """All limits, those in closed form first."""

    limits: tuple[PayloadLimit, ...]
    labels: tuple[DiagramLimit, ...]
    unchecked: tuple[tuple[DiagramLimit, str], ...]


@dataclass(frozen=True, eq=False)
class _Many:
    """Many payloads of one robot, in the same states."""

    robot: Any
    duties: tuple[Duty, ...]
    link: str
    asked: Sequence[Any]
    parts: tuple[tuple[str, Any], ...]
    hours: float | None

    @property
    def size(self) -> float:
        """kg of the robot."""
        return sum(part.inertia.mass for part in self.robot.links) or 1.0

    def loads(self, points: Floats, tensor: Floats | None, unit: Floats | None, caller: str) -> PayloadLoads:
        names = [limit.name for limit in self.asked if limit.quantity != "drive"]
        seats = tuple(dict.fromkeys((*names, *(name for name, _ in self.parts))))
        return PayloadLoads.of(self.robot, self.duties, seats, points, self.link, tensor, unit, caller)

    def limits(self, loads: PayloadLoads, weights: Floats) -> _Limits:
        found: list[PayloadLimit] = [limit_of(loads, limit) for limit in self.asked]
        unchecked: list[tuple[DiagramLimit, str]] = []
        typical = 0.05 * self.size * weights.mean(axis=0)
        for name, part in self.parts:
            of = PartLimit(part, loads.seats[name], train_of(self.robot, name), self.hours, typical)
            unchecked += of.unchecked
            if of.labels:
                found.append(of)
        if self.robot.is_elastic:
            for link in dict.fromkeys(link for link, _ in self.robot.beams):
                unchecked.append((DiagramLimit(link, "beam", "stress and deflection"),
                                  "not checked: beams are not in a payload diagram; robot.largest('payload') has them"))
        labels = tuple(label for limit in found for label in limit.labels)
        return _Limits(tuple(found), labels, tuple(unchecked))

    def solved(
        self, grid: Grid, tensor: Floats | None, caller: str
    ) -> tuple[Floats, Ints, Ints, _Limits]:
        """(payloads,): mass, number of the limit and of the state; and the limits."""
        points = grid.points.reshape(-1, 3)
        loads = self.loads(points, tensor, None, caller)
        weights = loads.weights(points)
        limits = self.limits(loads, weights)
        return (*first_reached(limits.limits, weights, self.size, (grid, loads.places)), limits)

    def inertias(
        self, masses: ArrayLike | None, center_of_mass: Sequence[float], tensor: ArrayLike | None
    ) -> InertiaDiagram:
        """See `PayloadDiagram.largest_inertia`."""
        caller = "largest_inertia"
        center = np.array(vector3(center_of_mass, f"{caller}: center of mass"))
        unit = np.eye(3) if tensor is None else _tensor(tensor, "tensor")
        loads = self.loads(center[None], None, unit, caller)
        weights = loads.weights(center)
        alone = self.limits(loads, weights[None])
        most, by = (array[0] for array in first_reached(alone.limits, weights[None], self.size)[:2])
        if masses is None:
            masses = np.linspace(0.0, float(most) if np.isfinite(most) else self.size, MASSES)
        asked = np.atleast_1d(np.asarray(in_si(masses, ("mass",), "masses"), dtype=float))
        if asked.ndim != 1 or not np.isfinite(asked).all() or (asked < 0).any():
            raise ValueError(f"{caller}: masses are {masses!r}: expected one row of numbers of zero or more, kg")
        inertia, which = np.full(len(asked), np.nan), np.full(len(asked), by)
        one = np.ones((1, 1))
        for k in np.flatnonzero(asked <= most).tolist():
            limits = self.limits(loads.with_more(asked[k] * weights), one)
            found, number, _ = first_reached(limits.limits, one, self.size)
            inertia[k] = found[0]
            which[k] = alone.labels.index(limits.labels[int(number[0])])
        return InertiaDiagram(asked, inertia, which, alone.labels, self.link, tuple(center.tolist()))


def first_reached(
    limits: Sequence[PayloadLimit], weights: Floats, size: float, grid: tuple[Grid, Places] | None = None
) -> tuple[Floats, Ints, Ints]:
    """The smallest mass (payloads,) at which any of the limits is reached, the number of its label among all, and of
    its state. Limits in closed form bound what parts are asked for.
    """
    best = np.full(len(weights), np.inf)
    which, sample = (np.zeros(len(weights), dtype=np.intp) for _ in range(2))

    def take(found: Reached, first: int) -> None:
        less = found.mass < best
        best[less], which[less], sample[less] = found.mass[less], first + found.which[less], found.sample[less]

    numbers = np.cumsum([0, *(len(limit.labels) for limit in limits)]).tolist()
    closed = [(k, one) for k, one in zip(numbers, limits, strict=False) if isinstance(one, Bounded)]
    others = [(k, one) for k, one in zip(numbers, limits, strict=False) if isinstance(one, (Length, PartLimit))]
    lengths = [(k, one) for k, one in others if isinstance(one, Length)]
    first: list[tuple[int, Bounded | Length]] = [*closed, *lengths]
    for number, limit in first:
        if isinstance(limit, Length) and limit.exceeded is None and np.isfinite(best).all():
            continue  # below, of few payloads
        if limit.exceeded is not None:
            none = np.zeros(len(weights))
            take(Reached(none, none.astype(np.intp), none.astype(np.intp) + limit.exceeded), number)
        else:
            take(limit.reached(weights, best), number)
    best[best > HEAVIEST * size] = np.inf
    parts = [(number, part) for number, part in others if not isinstance(part, Length) or part.exceeded is None]
    coarse = np.unique(np.linspace(0, len(weights) - 1, min(len(weights), COARSE)).round().astype(int))
    _bracket(parts, weights[coarse], weights, best, take_some := _taker(best, which, sample), size)
    if not np.isfinite(best).any():
        return best, which, sample
    known = np.isfinite(best) & (best > 0)
    some = np.flatnonzero(known)
    if len(weights) > COARSE:  # states that decide, before all of them
        for number, part in parts:
            seen = coarse[known[coarse]]
            few = part.foremost(weights[seen] * best[seen][:, None]) if part.exceeded is None and len(seen) else None
            if few is not None:
                take_some(few.reached(weights[some], best[some]), some, number)
    for number, part in parts:
        rows = _unproven(part, grid, best)
        if len(rows):
            take_some(part.reached(weights[rows], best[rows]), rows, number)
    return best, which, sample


def _taker(best: Floats, which: Ints, sample: Ints) -> Callable[[Reached, Ints, int], None]:
    """Takes what is less, of some payloads, from a limit whose labels begin with a number."""

    def take(found: Reached, rows: Ints, first: int) -> None:
        less = found.mass < best[rows]
        these = rows[less]
        best[these], which[these], sample[these] = found.mass[less], first + found.which[less], found.sample[less]

    return take


def _bracket(
    parts: Sequence[tuple[int, PartLimit | Length]], coarse: Floats, weights: Floats, best: Floats,
    take: Callable[[Reached, Ints, int], None], size: float,
) -> None:
    """Where no limit in closed form bounds the mass: parts by the smallest of the masses tried that some part does not
    bear.
    """
    for number, part in parts:
        tried = [size * share for share in TRIED]
        # Most payloads are beyond their limit at the mass at which those of a few places are.
        start = next((k for k, mass in enumerate(tried) if (part.used(coarse * mass)[0] > 1.0).all()), 0)
        for mass in tried[start:]:
            rows = np.flatnonzero(np.isinf(best))
            if not len(rows):
                return
            take(part.reached(weights[rows], np.full(len(rows), mass)), rows, number)


def _unproven(part: PartLimit | Length, grid: tuple[Grid, Places] | None, best: Floats) -> Ints:
    """Numbers of the payloads of which it is not known that a part bears them.

    What a part bears is convex: if it bears the largest mass of a tile at all control points of the tile, it bears
    every payload of the tile.
    """
    if grid is None or part.slow or part.exceeded is not None:
        return np.flatnonzero((best > 0) & np.isfinite(best))
    cells, places = grid
    open_ = cells.tiles(TILE)
    for last in (False, True):
        if not open_:
            break
        most = np.array([best[cells.numbers(tile)].max() for tile in open_])
        bounded = np.isfinite(most)
        hulls = np.stack([cells.hull(tile, places) for tile in open_])
        held = np.zeros(len(open_), dtype=bool)
        if bounded.any():
            asked = (hulls * most[:, None, None])[bounded]
            used, _ = part.used(asked.reshape(-1, asked.shape[-1]))
            held[bounded] = used.reshape(len(asked), -1).max(axis=1) <= 1.0
        open_ = [tile for tile, holds in zip(open_, held, strict=True) if not holds]
        if not last:
            open_ = [quarter for tile in open_ for quarter in tile.quarters()]
    numbers = np.concatenate([cells.numbers(tile) for tile in open_]) if open_ else np.zeros(0, dtype=np.intp)
    return np.asarray(numbers[(best[numbers] > 0) & np.isfinite(best[numbers])], dtype=np.intp)


def _directions(given: tuple[Direction, Direction | None]) -> tuple[Floats, Floats | None]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"payload_diagram: directions are {given!r}: expected two, of axial and radial offsets, like "
                         "('z', 'x'), or ('z', None) for all around")
    along = np.array(_direction(given[0], "axial"))
    if given[1] is None:
        return along, None
    beside = np.array(_direction(given[1], "radial"))
    if np.linalg.norm(np.cross(along, beside)) < 1e-9:
        raise ValueError(f"payload_diagram: directions are {given!r}: expected two that are not parallel")
    return along, beside


def _direction(one: Direction, name: str) -> Vector3:
    what = f"payload_diagram: the {name} direction"
    if isinstance(one, str):
        letter = one.removeprefix("-")
        if letter not in LETTERS:
            raise ValueError(f"{what} is {one!r}: expected 'x', 'y', 'z', one of them with a minus, or a vector")
        return tuple((-x if one != letter else x) + 0.0 for x in LETTERS[letter])  # type: ignore[return-value]
    return unit_vector(one, what)


def _offsets(
    robot: RobotQuantities, given: tuple[ArrayLike, ArrayLike] | None, around: bool
) -> tuple[Floats, Floats]:
    if given is None:
        reach = SHARE * size_of(robot.links, robot.joints) or 1.0
        even = np.linspace(0.0, float(f"{reach:.1g}"), CELLS)
        return even, even
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ValueError(f"payload_diagram: offsets are {given!r}: expected two rows of numbers, axial and radial, m")
    found = []
    for name, values in zip(("axial", "radial"), given, strict=True):
        what = f"payload_diagram: {name} offsets"
        try:
            row = np.atleast_1d(np.asarray(in_si(values, ("length",), what), dtype=float))
        except (TypeError, ValueError):
            raise ValueError(f"{what} are {values!r}: expected numbers, m") from None
        if row.ndim != 1 or not len(row) or not np.isfinite(row).all():
            raise ValueError(f"{what} are {values!r}: expected one row of finite numbers, m")
        found.append(row)
    if around and (found[1] < 0).any():
        raise ValueError(f"payload_diagram: a radial offset is {found[1].min():g} m: expected zero or more where it "
                         "may be anywhere around, or a radial direction, directions=('z', 'x')")
    if len(found[0]) * len(found[1]) > MOST_CELLS:
        raise ValueError(f"payload_diagram: {len(found[0])} x {len(found[1])} offsets: expected at most "
                         f"{MOST_CELLS:,} in all")
    return found[0], found[1]


def _count(around: object) -> int:
    if isinstance(around, bool) or not isinstance(around, (int, np.integer)) or not 1 <= around <= 360:
        raise ValueError(f"payload_diagram: 'around' is {around!r}: expected a number of directions, 1 to 360")
    return int(around)


def _tensor(given: ArrayLike | None, what: str) -> Floats | None:
    return None if given is None else np.asarray(matrix3(given, f"payload_diagram: {what}"), dtype=float)

