"""Where the tip of a robot gets: the region seen from the side and from above, and its dimensions.

The ends of the region (highest, lowest, farthest) are found by climbing from the outermost of many configurations to
where no joint gets any farther: they hold to the last digits. The regions are what so many configurations fill of a
grid: their edges are as fine as its cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property
from loadpath.datasheet.configurations import Ranges, lines_of, places
from loadpath.errors import ModelError
from loadpath.robot.ends import link_or_only_end
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities
    from loadpath.robot.parts import Joint

DRAWN = 400_000
CELLS = 150
"""Along the longer side of a view."""
CLIMBERS = 24
"""The outermost configurations that are led on."""
DIRECTIONS, STARTS, EDGE_ROUNDS = 360, 20_000, 9
"""In which the edge of a section is looked for, among how many configurations first, and rounds of the climb."""
UPRIGHT = 1e-6
"""rad: an axis within this of the vertical is vertical."""
THIN = 1e-6
"""Of the reach: a region that is no wider is a line."""


@dataclass(frozen=True, eq=False)
class View:
    """A region as it is seen from one side: which cells of a grid the tip can be in."""

    across: str
    """What its horizontal axis is, and the vertical one."""
    up: str
    x: Floats
    """(columns,), m: middles of the cells."""
    y: Floats
    """(rows,), m."""
    filled: Bools
    """(rows, columns)."""

    @property
    def area(self) -> float:
        """m^2 of the cells that are filled."""
        return float(self.filled.sum() * (self.x[1] - self.x[0]) * (self.y[1] - self.y[0]))

    @property
    def cell(self) -> float:
        """m: the side of a cell."""
        return float(self.x[1] - self.x[0])


@dataclass(frozen=True, eq=False)
class Workspace:
    """Where the tip gets, from `robot.datasheet().workspace`."""

    tip: str
    axis: str
    """The joint about whose axis it is measured."""
    reach: float
    """m: the farthest that the tip gets from that axis."""
    nearest: float
    """m: the nearest."""
    low: Floats
    """(3,), m: the least x, y, z of the tip in the world, all joints within their ranges."""
    high: Floats
    """(3,), m: the largest."""
    side: View | None
    """From the side; None where all of it is a line."""
    top: View | None
    """From above; None of a robot that moves in one upright plane."""
    ranges: Ranges

    @cached_property
    def size(self) -> Floats:
        """(3,), m: length, width and height."""
        found: Floats = self.high - self.low
        return found


def workspace(robot: RobotQuantities, tip: str | None = None, count: int = DRAWN) -> Workspace:
    """Where the tip of a robot (the only end unless given) gets within the ranges of its joints.

    >>> import loadpath as lp
    >>> found = workspace(lp.catalog.planar(2), count=20_000)                        # two links of 1 m
    >>> round(found.reach, 9), found.high.round(9).tolist(), found.top is None
    (2.0, [2.0, 0.0, 2.0], True)
    """
    robot = robot.on_fixed_base
    tip = link_or_only_end(robot, tip)
    ranges = Ranges.of(robot)
    joint = _first(robot, tip)
    column = robot.v_slices[joint.name].start
    q = ranges.draw(count)
    where = places(robot, q, tip)
    point, axis = (part[0] for part in lines_of(robot, q[:1], joint))

    def away(q: Floats) -> Floats:
        from_axis = places(robot, q, tip) - point
        found: Floats = np.linalg.norm(from_axis - (from_axis @ axis)[:, None] * axis, axis=1)
        return found

    distance = np.linalg.norm(where - point - ((where - point) @ axis)[:, None] * axis, axis=1)
    reach = _end(ranges, away, q, distance)
    nearest = -_end(ranges, lambda q: -away(q), q, -distance)
    def along(direction: Floats) -> float:
        return _end(ranges, lambda q: places(robot, q, tip) @ direction, q, where @ direction)

    high = np.array([along(axis) for axis in np.eye(3)])
    low = -np.array([along(-axis) for axis in np.eye(3)])
    low, high = (np.where(np.abs(part) < 1e-9, 0.0, part) for part in (low, high))
    upright = abs(axis[2]) > math.cos(UPRIGHT) and bool(joint.motion.angular[0])
    side: View | None
    top: View | None
    if upright:
        turned = where - point
        turn = -np.sign(axis[2]) * (q[:, column] - 0.5 * (ranges.low[column] + ranges.high[column]))
        main = _main_direction(turned, turn)
        edge = _edge(ranges, lambda q: places(robot, q, tip) - point, q, column, main)
        turned, turn = np.concatenate([turned, edge]), np.concatenate([turn, np.zeros(len(edge))])
        side, top = _about_upright(turned, turn, main, ranges.high[column] - ranges.low[column], point)
    else:
        thin = THIN * max(reach, 1e-9)
        flat, narrow = (high - low)[1] <= thin, (high - low)[0] <= thin
        side = None
        if not (narrow and flat):
            side = _view("y", "z", where[:, 1:]) if narrow else _view("x", "z", where[:, ::2])
        top = None if flat or narrow else _view("x", "y", where[:, :2])
    return Workspace(tip, joint.name, reach, max(nearest, 0.0), low, high, side, top, ranges)


def _first(robot: RobotQuantities, tip: str) -> Joint:
    """The first joint that moves the tip."""
    on: dict[str, Joint] = {joint.child: joint for joint in robot.joints}
    found, link = None, tip
    while link in on:
        if on[link].motion.dof:
            found = on[link]
        link = on[link].parent
    if found is None:
        raise ModelError(f"no joint moves '{tip}' of robot '{robot.name}': it has no workspace")
    if found.motion.axis_direction() is None:
        raise ModelError(f"joint '{found.name}' of robot '{robot.name}' has no single axis to measure from")
    return found


def _end(ranges: Ranges, size: Callable[[Floats], Floats], q: Floats, sizes: Floats) -> float:
    """The largest there is, from the outermost configurations on."""
    outermost = np.argsort(-sizes)[:CLIMBERS]
    return float(ranges.climb(size, q[outermost])[1].max())


def _turned(away: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """x and y of points turned about the vertical."""
    c, s = np.cos(turn), np.sin(turn)
    return c * away[:, 0] - s * away[:, 1], s * away[:, 0] + c * away[:, 1]


def _main_direction(away: Floats, turn: Floats) -> float:
    """rad: where an arm points whose first joint is in the middle of its range."""
    x, y = _turned(away, turn)
    main = 0.5 * math.atan2(2 * float((x * y).mean()), float((x * x - y * y).mean()))
    forward = np.cos(main) * x + np.sin(main) * y
    return main + math.pi if -forward.min() > forward.max() else main


def _edge(ranges: Ranges, away: Callable[[Floats], Floats], q: Floats, column: int, main: float) -> Floats:
    """(directions, 3): where the tip is farthest in every direction of the section, the first joint in the middle of
    its range.
    """
    angle = 2 * math.pi * np.arange(DIRECTIONS) / DIRECTIONS
    along = np.cos(angle)[:, None] * np.array([math.cos(main), math.sin(main), 0.0])
    along[:, 2] = np.sin(angle)
    start = q[:STARTS].copy()
    start[:, column] = 0.5 * (ranges.low[column] + ranges.high[column])
    first = start[(away(start) @ along.T).argmax(axis=0)]

    def farther(q: Floats) -> Floats:
        found: Floats = (away(q) * np.repeat(along, len(q) // DIRECTIONS, axis=0)).sum(axis=1)
        return found

    return away(ranges.climb(farther, first, (column,), EDGE_ROUNDS)[0])


def _about_upright(away: Floats, turn: Floats, main: float, swept: float, point: Floats) -> tuple[View, View | None]:
    """Both views of what an upright first joint sweeps: the section through its axis, all turned into one plane, and
    that section turned through the joint's range.
    """
    x, y = _turned(away, turn)
    forward = np.cos(main) * x + np.sin(main) * y
    side = _view("forward", "z", np.stack([forward, away[:, 2] + point[2]], axis=1))
    radius, azimuth = np.hypot(x, y), np.arctan2(y, x)
    most = float(radius.max())
    if most <= 0:
        return side, None
    rings, sectors = CELLS // 2, 2 * CELLS
    ring = np.minimum((radius / most * rings).astype(int), rings - 1)
    sector = np.minimum(((azimuth + math.pi) / (2 * math.pi) * sectors).astype(int), sectors - 1)
    seen = np.zeros((rings, sectors), dtype=bool)
    seen[ring, sector] = True
    half = min(round(swept / (2 * math.pi) * sectors / 2), sectors // 2)
    if half >= sectors // 2:
        swept_through = np.repeat(seen.any(axis=1, keepdims=True), sectors, axis=1)
    else:
        around = np.concatenate([seen, seen, seen], axis=1).astype(int)
        sums = np.concatenate([np.zeros((rings, 1), dtype=int), np.cumsum(around, axis=1)], axis=1)
        middle = np.arange(sectors, 2 * sectors)
        swept_through = sums[:, middle + half + 1] - sums[:, middle - half] > 0
    middles = (np.arange(CELLS) + 0.5) / CELLS * 2 * most - most
    grid_x, grid_y = np.meshgrid(middles, middles)
    away_from = np.hypot(grid_x, grid_y)
    at_ring = np.minimum((away_from / most * rings).astype(int), rings - 1)
    at_sector = np.minimum(((np.arctan2(grid_y, grid_x) + math.pi) / (2 * math.pi) * sectors).astype(int), sectors - 1)
    filled = swept_through[at_ring, at_sector] & (away_from <= most)
    return side, View("x", "y", middles + point[0], middles + point[1], _closed(filled))


def _view(across: str, up: str, points: Floats) -> View:
    """What points (count, 2) fill of a grid of square cells."""
    low, high = points.min(axis=0), points.max(axis=0)
    cell = float((high - low).max()) / CELLS or 1.0
    counts = np.maximum(np.ceil((high - low) / cell - 1e-9).astype(int), 2)
    place = np.minimum(((points - low) / cell).astype(int), counts - 1)
    filled = np.zeros((counts[1], counts[0]), dtype=bool)
    filled[place[:, 1], place[:, 0]] = True
    x, y = (low[k] + cell * (np.arange(counts[k]) + 0.5) for k in range(2))
    return View(across, up, x, y, _closed(filled))


def _closed(filled: Bools) -> Bools:
    """With gaps filled that are no wider than two cells, which no configuration happened to fall into."""
    wide = np.pad(filled, 2)
    wide = ~_spread(~_spread(wide))
    found: Bools = wide[2:-2, 2:-2] | filled
    return found


def _spread(filled: Bools) -> Bools:
    """With all neighbours."""
    found = filled.copy()
    for rows, columns in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        found |= np.roll(filled, (rows, columns), axis=(0, 1))
    return found
