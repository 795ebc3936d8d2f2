"""The shape of uneven ground: heights over the mean plane, and normals, at any points of it.

A surface is a height z(x, y) over the plane of the ground, in its frame: x along the steepest ascent of that plane, z
along its normal, all in m. `gradient` has the slopes dz/dx and dz/dy. Surfaces add up: `Kerb(...) + Ramp(...)`.

In statics contacts are points on it: where a wheel's rim would touch a step beside its lowest point is left out. In
time wheels are discs: see `loadpath.mobile.spatial.terrain`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeAlias, cast

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError, warn
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import number, numbers
from loadpath.scalars.types import ArrayLike, Floats

Grid: TypeAlias = tuple[tuple[float, ...], ...]
HIGH = 50.0
"""m: heights beyond which they are asked about."""
_HIGHEST_STEP = 10.0
_DIFFERENCE = 1e-5
"""m: of slopes, for curvatures."""
_FOR_GOOD = 1e6
"""m: length of a ramp without an end."""


@dataclass(frozen=True)
class Surface(Measured):
    """Heights over the plane of the ground. A class of your own has `height` and `gradient`, which broadcast, and is
    smooth; `curvature` has their derivatives, for simulations.
    """

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): height z (m) at points of the ground's plane."""
        raise NotImplementedError

    def gradient(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2): slopes dz/dx and dz/dy at points of the ground's plane."""
        raise NotImplementedError

    def normal(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 3): unit vector out of the ground, in its frame.

        >>> Ramp(at=0.0, slope=math.atan(0.75)).normal(1.0, 0.0).round(12).tolist()
        [-0.6, 0.0, 0.8]
        """
        slopes = self.gradient(x, y)
        upright = np.concatenate([-slopes, np.ones((*slopes.shape[:-1], 1))], axis=-1)
        result: Floats = upright / np.linalg.norm(upright, axis=-1, keepdims=True) + 0.0
        return result

    def curvature(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2, 2): second derivatives of the height (1/m), by central differences of the slopes unless a class has
        its own.

        >>> bowl = HeightMap(x=range(5), y=range(5), z=[[0.1 * x**2] * 5 for x in range(5)], interpolation="cubic")
        >>> (bowl.curvature(2.0, 2.0).round(9) + 0.0).tolist()
        [[0.2, 0.0], [0.0, 0.0]]
        """
        px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        d = _DIFFERENCE
        shifts = np.array([(d, 0.0), (-d, 0.0), (0.0, d), (0.0, -d)]).reshape(4, 2, *[1] * px.ndim)
        ahead, behind, left, right = self.gradient(px + shifts[:, 0], py + shifts[:, 1])
        along, across = (ahead - behind) / (2 * d), (left - right) / (2 * d)
        found = np.stack([along, across], axis=-1)
        return np.asarray(0.5 * (found + np.swapaxes(found, -1, -2)))

    def shape(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 6): height, slopes dz/dx and dz/dy, and second derivatives xx, xy and yy, at once.

        >>> Ramp(at=0.0, slope=math.atan(0.75)).shape(1.0, 0.0).round(12).tolist()
        [0.75, 0.75, 0.0, 0.0, 0.0, 0.0]
        """
        H = self.curvature(x, y)
        return np.concatenate([self.height(x, y)[..., None], self.gradient(x, y),
                               np.stack([H[..., 0, 0], H[..., 0, 1], H[..., 1, 1]], axis=-1)], axis=-1)

    def __add__(self, other: object) -> Surface:
        if not isinstance(other, Surface):
            return NotImplemented
        return SumOfSurfaces((*_parts(self), *_parts(other)))


@dataclass(frozen=True)
class SumOfSurfaces(Surface):
    """Surfaces on top of each other: their heights add up.

    >>> (Kerb(at=1.0, step=0.1) + Kerb(at=2.0, step=0.1)).height([0.5, 1.5, 2.5], 0.0).tolist()
    [0.0, 0.1, 0.2]
    """

    parts: tuple[Surface, ...]

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        for part in parts:
            if not isinstance(part, Surface):
                raise ModelError(f"a sum of surfaces has {part!r}: expected an lp.HeightMap, lp.Kerb or lp.Ramp")
        object.__setattr__(self, "parts", parts)

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): the sum of heights."""
        return np.asarray(sum((part.height(x, y) for part in self.parts), start=_flat(x, y)))

    def gradient(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2): the sum of slopes."""
        none = np.zeros((*_flat(x, y).shape, 2))
        return np.asarray(sum((part.gradient(x, y) for part in self.parts), start=none))

    def curvature(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2, 2): the sum of curvatures."""
        none = np.zeros((*_flat(x, y).shape, 2, 2))
        return np.asarray(sum((part.curvature(x, y) for part in self.parts), start=none))


def _parts(surface: Surface) -> tuple[Surface, ...]:
    return surface.parts if isinstance(surface, SumOfSurfaces) else (surface,)


def _flat(x: ArrayLike, y: ArrayLike) -> Floats:
    """Zeros of the shape of the points; NaN where a point has one."""
    return np.asarray(0.0 * (np.asarray(x, dtype=float) + np.asarray(y, dtype=float)))


@dataclass(frozen=True)
class HeightMap(Surface):
    """Heights on a grid. `z` (len(x), len(y)) has them over its lines `x` and `y` (m), which rise; between them by
    interpolation: "linear" (bilinear: the normal jumps at the lines) or "cubic" (smooth, twice differentiable). Points
    outside the map are an error.

    >>> bump = HeightMap(x=(0, 1, 2), y=(0, 1), z=((0, 0), (0.1, 0.1), (0, 0)))
    >>> bump.height([0.5, 1.5], 0.3).round(12).tolist(), bump.gradient(0.5, 0.3).round(12).tolist()
    ([0.05, 0.05], [0.1, 0.0])
    """

    x: tuple[float, ...] = field(metadata=measures("length"))
    y: tuple[float, ...] = field(metadata=measures("length"))
    z: Grid = field(metadata=measures("length"))
    interpolation: Literal["linear", "cubic"] = "linear"

    def __post_init__(self) -> None:
        least = 4 if self.interpolation == "cubic" else 2
        if self.interpolation not in ("linear", "cubic"):
            raise ModelError(f"interpolation of a height map is {self.interpolation!r}: expected 'linear' or 'cubic'")
        for axis in ("x", "y"):
            values = numbers(getattr(self, axis), f"{axis} of a height map")
            if len(values) < least or not all(a < b for a, b in pairwise(values)):
                raise ModelError(f"{axis} of a height map is {_short(values)}: expected {least} numbers or more that "
                                 "rise")
            object.__setattr__(self, axis, values)
        rows = self.z.tolist() if isinstance(self.z, np.ndarray) else self.z
        if not isinstance(rows, Iterable):
            raise ModelError(f"z of a height map is {rows!r}: expected a row of heights for each x")
        grid = tuple(numbers(row, "a row of z of a height map") for row in rows)
        shape = len(grid), *{len(row) for row in grid}
        if shape != (len(self.x), len(self.y)):
            raise ModelError(f"z of a height map has the shape {shape}: expected ({len(self.x)}, {len(self.y)}), a row "
                             "for each x with a height for each y")
        object.__setattr__(self, "z", grid)
        highest = max(abs(value) for row in grid for value in row)
        if highest > HIGH:
            warn(f"a height map reaches {highest:.4g} m from the plane of the ground: is it in millimetres? Its mean "
                 "slope is that of lp.Ground(slope=...)")

    @cached_property
    def _hash(self) -> int:
        return hash((self.x, self.y, self.z, self.interpolation))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _grid(self) -> tuple[Floats, Floats, Floats]:
        return np.array(self.x), np.array(self.y), np.array(self.z)

    @cached_property
    def _cells(self) -> Floats:
        """(cells along x, cells along y, 4, 4): of a cubic map, the cubics of every cell, about its middle."""
        from scipy.interpolate import make_interp_spline

        x, y, z = self._grid
        along = make_interp_spline(x, z, k=3)
        parts = np.stack([along(0.5 * (x[:-1] + x[1:]), i) / math.factorial(i) for i in range(4)], axis=-1)
        across = make_interp_spline(y, parts, k=3, axis=1)
        return np.stack([across(0.5 * (y[:-1] + y[1:]), j) / math.factorial(j) for j in range(4)], axis=-1)

    def _inside(self, x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        px, py = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        for axis, values, lines in (("x", px, self.x), ("y", py, self.y)):
            outside = (values < lines[0]) | (values > lines[-1])
            if outside.any():
                at = int(np.flatnonzero(outside)[0])
                raise ValueError(f"the height of the ground is asked at ({px.flat[at]:.4g}, {py.flat[at]:.4g}) m, and "
                                 f"its height map has {axis} from {lines[0]:.4g} to {lines[-1]:.4g} m: give a larger "
                                 "map, or another position of the base")
        return px, py

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): height by interpolation."""
        px, py = self._inside(x, y)
        if self.interpolation == "cubic":
            return np.asarray(self._cubic(px, py)[..., 0, 0])
        (i, u, _), (j, v, _) = self._cell(px, 0), self._cell(py, 1)
        z = self._grid[2]
        return np.asarray((1 - u) * ((1 - v) * z[i, j] + v * z[i, j + 1]) +
                          u * ((1 - v) * z[i + 1, j] + v * z[i + 1, j + 1]))

    def gradient(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2): slopes of the interpolation; on a line of a linear map, those of the cell beyond it."""
        px, py = self._inside(x, y)
        if self.interpolation == "cubic":
            cubic = self._cubic(px, py)
            return np.stack([cubic[..., 1, 0], cubic[..., 0, 1]], axis=-1)
        (i, u, a), (j, v, b) = self._cell(px, 0), self._cell(py, 1)
        z = self._grid[2]
        along = ((1 - v) * (z[i + 1, j] - z[i, j]) + v * (z[i + 1, j + 1] - z[i, j + 1])) / a
        across = ((1 - u) * (z[i, j + 1] - z[i, j]) + u * (z[i + 1, j + 1] - z[i + 1, j])) / b
        return np.stack([along, across], axis=-1)

    def curvature(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2, 2): second derivatives of a cubic map; of a linear one, those inside its cells."""
        px, py = self._inside(x, y)
        if self.interpolation == "cubic":
            cubic = self._cubic(px, py)
            along, mixed, across = cubic[..., 2, 0], cubic[..., 1, 1], cubic[..., 0, 2]
        else:
            (i, _, a), (j, _, b) = self._cell(px, 0), self._cell(py, 1)
            z = self._grid[2]
            mixed = np.asarray((z[i + 1, j + 1] - z[i + 1, j] - z[i, j + 1] + z[i, j]) / (a * b))
            along = across = 0.0 * mixed
        return np.stack([np.stack([along, mixed], axis=-1), np.stack([mixed, across], axis=-1)], axis=-2)

    def _cell(self, values: Floats, axis: int) -> tuple[Floats, Floats, Floats]:
        """Number of the cell, share of the way through it, and its length."""
        lines = self._grid[axis]
        known = np.where(np.isnan(values), lines[0], values)
        number = np.clip(np.searchsorted(lines, known, side="right") - 1, 0, len(lines) - 2)
        length = lines[number + 1] - lines[number]
        return cast(Floats, number), np.asarray((values - lines[number]) / length), np.asarray(length)

    def shape(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 6): height, slopes dz/dx and dz/dy, and second derivatives xx, xy and yy, at once."""
        if self.interpolation != "cubic":
            return super().shape(x, y)
        cubic = self._cubic(*self._inside(x, y))
        return cubic[..., (0, 1, 0, 2, 1, 0), (0, 0, 1, 0, 1, 2)]

    def _cubic(self, x: Floats, y: Floats) -> Floats:
        """(..., 3, 3): derivatives along x and y up to the second."""
        (i, u, a), (j, v, b) = self._cell(x, 0), self._cell(y, 1)
        along, across = (_powers((share - 0.5) * length) for share, length in ((u, a), (v, b)))
        return np.asarray(along @ self._cells[i, j] @ np.swapaxes(across, -1, -2))


def _powers(s: Floats) -> Floats:
    """(..., 3, 4): 1, s, s^2, s^3, and their first and second derivatives."""
    result = np.zeros((*s.shape, 3, 4))
    result[..., 0, 0] = result[..., 1, 1] = 1.0
    result[..., 2, 2] = 2.0
    result[..., 0, 1], result[..., 0, 2], result[..., 0, 3] = s, s * s, s * s * s
    result[..., 1, 2], result[..., 1, 3], result[..., 2, 3] = 2 * s, 3 * s * s, 6 * s
    return result


@dataclass(frozen=True)
class _Profile(Surface):
    """Heights that depend on the distance along one direction, over a strip of the ground."""

    def _rise(self) -> tuple[float, float, float, float]:
        """Where it begins, over which distance it rises, by how much, and where it drops again."""
        raise NotImplementedError

    direction: float = field(default=0.0, metadata=measures("angle"), kw_only=True)
    across: tuple[float, float] | None = field(default=None, metadata=measures("length"), kw_only=True)

    def _read(self, what: str, parts: Iterable[str]) -> None:
        for part in parts:
            if getattr(self, part) is not None:
                object.__setattr__(self, part, number(getattr(self, part), f"{part} of {what}"))
        if abs(self.direction) > 2 * math.pi:
            raise ModelError(f"direction of {what} is {self.direction} rad: expected -2 pi to 2 pi; {self.direction} "
                             f"degrees are {math.radians(self.direction):.4g} rad")
        if self.across is not None:
            low, high = numbers(self.across, f"across of {what}", 2)
            if not low < high:
                raise ModelError(f"across of {what} is ({low}, {high}): expected from where to where it reaches to "
                                 "the left of its direction, which rises")
            object.__setattr__(self, "across", (low, high))

    def _along(self, x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        """Distance along the direction, and 1 within the strip, 0 outside."""
        px, py = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        c, s = math.cos(self.direction), math.sin(self.direction)
        side = c * py - s * px
        within = _flat(x, y) + 1.0 if self.across is None else np.where(
            np.isnan(side), np.nan, (side >= self.across[0]) & (side <= self.across[1]))
        return np.asarray(c * px + s * py), within

    def height(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(...): height over the plane."""
        along, within = self._along(x, y)
        begin, over, rise, end = self._rise()
        share = np.clip((along - begin) / over, 0.0, 1.0) if over else np.where(
            np.isnan(along), np.nan, along >= begin)
        return np.asarray(within * np.where(along > end, 0.0, rise * share) + 0.0 * along)

    def gradient(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """(..., 2): slopes; of a vertical step, those of the ground beside it."""
        along, within = self._along(x, y)
        begin, over, rise, end = self._rise()
        rising = (along >= begin) & (along < begin + over) & (along <= end)
        steep = within * np.where(rising, rise / over if over else 0.0, 0.0) + 0.0 * along
        return np.stack([steep * math.cos(self.direction), steep * math.sin(self.direction)], axis=-1)


@dataclass(frozen=True)
class Kerb(_Profile):
    """A step up by `step` (m), or down where that is below zero. It is at the distance `at` (m) from the ground's
    origin along `direction` (rad, against the ground's x axis). `depth` (m): after that it steps down again, as a
    kerbstone or a plank does; left out, it stays. `across` (from, to) (m): how far it reaches, to the left
    of its direction; left out, all along.

    >>> Kerb(at=1.0, step=0.12).height([0.99, 1.0, 5.0], 0.0).tolist()
    [0.0, 0.12, 0.12]
    >>> Kerb(at=1.0, step=120)
    Traceback (most recent call last):
    loadpath.errors.ModelError: step of a kerb is 120.0 m: expected up to 10 m either way; is it in millimetres?
    """

    at: float = field(metadata=measures("length"))
    step: float = field(metadata=measures("length"))
    depth: float | None = field(default=None, metadata=measures("length"))

    def __post_init__(self) -> None:
        self._read("a kerb", ("at", "step", "depth", "direction"))
        if abs(self.step) > _HIGHEST_STEP:
            raise ModelError(f"step of a kerb is {self.step} m: expected up to {_HIGHEST_STEP:g} m either way; is it "
                             "in millimetres?")
        if self.depth is not None and self.depth <= 0:
            raise ModelError(f"depth of a kerb is {self.depth} m: expected more than zero, or none where it stays up")

    def _rise(self) -> tuple[float, float, float, float]:
        return self.at, 0.0, self.step, math.inf if self.depth is None else self.at + self.depth


@dataclass(frozen=True)
class Ramp(_Profile):
    """A ramp that rises by the angle `slope` (rad) against the plane of the ground, or falls where that is below zero.
    It begins at the distance `at` (m) from the ground's origin along `direction` (rad, against the ground's x axis),
    and goes on for `length` (m) of that plane, then level with it; left out, for good. `across` is as that of
    `lp.Kerb`.

    >>> Ramp(at=1.0, slope=math.atan(0.2), length=2.0).height([1.0, 2.0, 5.0], 0.0).round(12).tolist()
    [0.0, 0.2, 0.4]
    """

    at: float = field(metadata=measures("length"))
    slope: float = field(metadata=measures("angle"))
    length: float | None = field(default=None, metadata=measures("length"))

    def __post_init__(self) -> None:
        self._read("a ramp", ("at", "slope", "length", "direction"))
        if not abs(self.slope) < math.pi / 2:
            raise ModelError(f"slope of a ramp is {self.slope} rad: expected between -pi/2 and pi/2; {self.slope} "
                             f"degrees are {math.radians(self.slope):.4g} rad")
        if self.length is not None and self.length <= 0:
            raise ModelError(f"length of a ramp is {self.length} m: expected more than zero, or none where it goes on")

    def _rise(self) -> tuple[float, float, float, float]:
        over = _FOR_GOOD if self.length is None else self.length
        return self.at, over, over * math.tan(self.slope), math.inf


def _short(values: tuple[float, ...]) -> str:
    return str(list(values[:6])).replace("]", ", ...]" if len(values) > 6 else "]")


__all__ = ["HeightMap", "Kerb", "Ramp", "SumOfSurfaces", "Surface"]
