"""Ground that moves: the deck of a ship, the bed of a truck, a lift, an elevator, a shaking table.

The frame of the ground moves against an inertial one, its frame at rest (where all six motions are zero): x along the
steepest ascent of the mean plane, z along its normal, so vertical where the slope is zero. `surge`, `sway` and `heave`
(m) are displacements along the x, y and z axes of that frame at rest; `roll`, `pitch` and `yaw` (rad) turn the ground
by R = Rz(yaw) Ry(pitch) Rx(roll), so that a vector with the parts v in the ground's axes has the parts R v at rest.
Positive pitch lowers what is ahead (+x), positive roll lowers what is to the right (-y).

Of each the rate and its rate count, too. They are exact of numbers, of `Sinusoid`s and of `TimeSeries` (a spline of
fifth order through the samples); of functions they are what these return, or, of a function that returns the
displacement alone, central differences of fourth order in steps of 1 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from loadpath.cached import cached_property
from loadpath.converted import Converted
from loadpath.errors import ModelError, warn
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import Vector3, number, numbers, vector3
from loadpath.scalars.types import ArrayLike, Floats

TURNS = ("roll", "pitch", "yaw")
SHIFTS = ("surge", "sway", "heave")
_STEP = 1e-3
"""s: of differences of functions."""
_ORDER = 5
_FAR = 1000.0
"""m: displacements beyond which they are asked about."""


@dataclass(frozen=True)
class Sinusoid(Measured):
    """`mean` + `amplitude` sin(2 pi `frequency` t + `phase`): m or rad, Hz, rad.

    >>> Sinusoid(amplitude=2.0, frequency=0.25).derivatives(1.0).round(9).tolist()      # at its peak
    [2.0, 0.0, -4.934802201]
    """

    amplitude: float = field(metadata=measures("length", "angle"))
    frequency: float = field(metadata=measures("frequency"))
    phase: float = field(default=0.0, metadata=measures("angle"))
    mean: float = field(default=0.0, metadata=measures("length", "angle"))

    def __post_init__(self) -> None:
        for part in fields(self):
            object.__setattr__(self, part.name, number(getattr(self, part.name), f"{part.name} of a sinusoid"))
        if self.frequency < 0:
            raise ModelError(f"frequency of a sinusoid is {self.frequency} Hz: expected zero or more; a period of T "
                             "seconds has 1/T")

    def derivatives(self, t: ArrayLike) -> Floats:
        """(..., 3): value, rate and its rate."""
        turn = 2 * math.pi * self.frequency
        angle = turn * np.asarray(t, dtype=float) + self.phase
        s, c = self.amplitude * np.sin(angle), self.amplitude * np.cos(angle)
        return np.stack([self.mean + s, turn * c, -turn * turn * s], axis=-1)

    @property
    def largest(self) -> float:
        """The largest displacement."""
        return abs(self.mean) + abs(self.amplitude)


_FELT, _OPPOSITE = 0.01, -0.2
"""m/s^2 or rad/s^2: accelerations that count; and how alike neighbours are below which it is asked about noise."""


@dataclass(frozen=True)
class TimeSeries(Measured):
    """A log of a displacement (m or rad): `values` at `times` (s), which rise. Between them it is a spline of fifth
    order, whose second derivative is smooth; times outside are an error.

    >>> import numpy as np
    >>> t = np.linspace(0, 2, 41)
    >>> TimeSeries(times=t, values=0.5 * 3.0 * t**2).derivatives(1.23)[2].round(6)
    np.float64(3.0)
    """

    times: tuple[float, ...] = field(metadata=measures("time"))
    values: tuple[float, ...] = field(metadata=measures("length", "angle"))

    def __post_init__(self) -> None:
        for part in ("times", "values"):
            object.__setattr__(self, part, numbers(getattr(self, part), f"{part} of a time series"))
        if len(self.times) != len(self.values):
            raise ModelError(f"a time series has {len(self.times)} times and {len(self.values)} values: expected a "
                             "value for each time")
        if len(self.times) < _ORDER + 1 or not all(a < b for a, b in pairwise(self.times)):
            raise ModelError(f"a time series has {len(self.times)} times: expected {_ORDER + 1} or more that rise")
        self._ask_about_noise()

    def _ask_about_noise(self) -> None:
        """Of a log that is sampled densely enough neighbouring accelerations are alike; those of noise, which is
        differentiated twice, are opposite: -2/3 correlated.
        """
        t, x = np.array(self.times), np.array(self.values)
        change = 2.0 * np.diff(np.diff(x) / np.diff(t)) / (t[2:] - t[:-2])
        power = float(change @ change)
        rms = math.sqrt(power / len(change))
        if rms > _FELT and float(change[1:] @ change[:-1]) < _OPPOSITE * power:
            warn(f"a time series of a displacement changes the sign of its acceleration from sample to sample (RMS "
                 f"{rms:.3g} m/s^2 or rad/s^2): is it a log with noise, which becomes loads? Smooth it: values = "
                 "lp.Motion(times, values[:, None], smooth=True).q[:, 0]")

    @cached_property
    def _splines(self) -> tuple[Any, Any, Any]:
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(np.array(self.times), np.array(self.values), k=_ORDER)
        return spline, spline.derivative(1), spline.derivative(2)

    def derivatives(self, t: ArrayLike) -> Floats:
        """(..., 3): value, rate and its rate."""
        times = np.asarray(t, dtype=float)
        slack = 1e-9 * (self.times[-1] - self.times[0])
        outside = (times < self.times[0] - slack) | (times > self.times[-1] + slack)
        if outside.any():
            raise ValueError(f"the motion of the ground is asked at {times[outside].flat[0]:.6g} s, and its log goes "
                             f"from {self.times[0]:g} to {self.times[-1]:g} s")
        return np.stack([np.asarray(spline(times)) for spline in self._splines], axis=-1)

    @property
    def largest(self) -> float:
        """The largest displacement."""
        return max(abs(value) for value in self.values)


Component: TypeAlias = (
    "float | Sinusoid | TimeSeries | tuple[Sinusoid, ...] | Callable[[float], float | tuple[float, float, float]]"
)
"""How one of the six motions goes on: a number, a sinusoid or several whose sum it is, a log, or a function of time."""


@dataclass(frozen=True, eq=False)
class GroundState:
    """How the ground moves at given times: all of it in the axes of the ground, (..., 3) but for the rotation.

    `rotation` (..., 3, 3) turns parts of a vector in the ground's axes to those of its frame at rest; `velocity` (m/s)
    and `acceleration` (m/s^2) are of the ground's origin, against inertial space; `angular_velocity` (rad/s) and
    `angular_acceleration` (rad/s^2) of the ground. What is left out is none. It may be given as the ground's state of
    an instant, where no motion over time is known:

    >>> braking = GroundState(acceleration=(-3.0, 0.0, 0.0))
    >>> braking.acceleration_at((1.0, 2.0)).tolist()
    [-3.0, 0.0, 0.0]
    """

    rotation: Floats = field(default_factory=lambda: np.eye(3))
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    acceleration: Floats = field(default_factory=lambda: np.zeros(3))
    angular_velocity: Floats = field(default_factory=lambda: np.zeros(3))
    angular_acceleration: Floats = field(default_factory=lambda: np.zeros(3))
    position: Floats = field(default_factory=lambda: np.zeros(3))
    """(..., 3): of the ground's origin, in the axes of its frame at rest (m)."""

    def __post_init__(self) -> None:
        for part in fields(self):
            try:
                value = np.asarray(getattr(self, part.name), dtype=float)
            except (TypeError, ValueError):
                raise ValueError(f"{part.name} of the ground is {getattr(self, part.name)!r}: expected numbers"
                                 ) from None
            core = (3, 3) if part.name == "rotation" else (3,)
            if value.shape[-len(core):] != core:
                raise ValueError(f"{part.name} of the ground has the shape {value.shape}: expected "
                                 f"(..., {', '.join(map(str, core))})")
            object.__setattr__(self, part.name, value)
        turned = np.einsum("...ji,...jk->...ik", self.rotation, self.rotation) - np.eye(3)
        if np.nanmax(np.abs(turned), initial=0.0) > 1e-6:
            raise ValueError("rotation of the ground is no rotation matrix: expected (..., 3, 3) with R^T R = 1")

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch shape of all of it together."""
        rows = (self.velocity, self.acceleration, self.angular_velocity, self.angular_acceleration, self.position)
        return np.broadcast_shapes(self.rotation.shape[:-2], *(row.shape[:-1] for row in rows))

    def acceleration_at(self, point: ArrayLike) -> Floats:
        """(..., 3): acceleration (m/s^2) of a point (..., 2 or 3) of the ground, all in its axes."""
        r = in_space(point)
        w = self.angular_velocity
        return np.asarray(self.acceleration + np.cross(self.angular_acceleration, r) + np.cross(w, np.cross(w, r)))

    def velocity_at(self, point: ArrayLike) -> Floats:
        """(..., 3): velocity (m/s) of a point (..., 2 or 3) of the ground, all in its axes."""
        return np.asarray(self.velocity + np.cross(self.angular_velocity, in_space(point)))


def in_space(point: ArrayLike) -> Floats:
    """Points (..., 3), of points of the plane as well."""
    r = np.asarray(point, dtype=float)
    if r.shape[-1:] not in ((2,), (3,)):
        raise ValueError(f"a point of the ground has the shape {r.shape}: expected (..., 2) or (..., 3)")
    return r if r.shape[-1] == 3 else np.concatenate([r, np.zeros((*r.shape[:-1], 1))], axis=-1)


@dataclass(frozen=True)
class GroundMotion(Measured):
    """A motion of the ground: each of the six a number, an `lp.Sinusoid` (or several, which add up), an
    `lp.TimeSeries`, or a function of time (s) that returns the displacement, or displacement, rate and its rate.

    `surge`, `sway`, `heave` (m) are along the x, y, z axes of the ground's frame at rest, `roll`, `pitch`, `yaw` (rad)
    about them: see `loadpath.robot.wheels.ground_motion`. `about` (m) is the point that they are of, in the ground's
    frame: of a ship its center of gravity, as (-12, 0, -6) below and behind the deck's origin.

    >>> deck = GroundMotion(heave=Sinusoid(amplitude=1.5, frequency=0.1), roll=Sinusoid(0.2, 0.08))
    >>> state = deck.at(2.5)                                                # heave is at its peak
    >>> state.position.round(9).tolist(), state.acceleration.shape
    ([0.0, 0.0, 1.5], (3,))
    """

    surge: Component = field(default=0.0, metadata=measures("length", Sinusoid, TimeSeries))
    sway: Component = field(default=0.0, metadata=measures("length", Sinusoid, TimeSeries))
    heave: Component = field(default=0.0, metadata=measures("length", Sinusoid, TimeSeries))
    roll: Component = field(default=0.0, metadata=measures("angle", Sinusoid, TimeSeries))
    pitch: Component = field(default=0.0, metadata=measures("angle", Sinusoid, TimeSeries))
    yaw: Component = field(default=0.0, metadata=measures("angle", Sinusoid, TimeSeries))
    about: Converted[Vector3, ArrayLike] = field(default=(0.0, 0.0, 0.0), metadata=measures("length"))  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", vector3(self.about, "about of a motion of the ground"))
        for name in (*SHIFTS, *TURNS):
            object.__setattr__(self, name, _component(getattr(self, name), name))

    def at(self, t: ArrayLike) -> GroundState:
        """The state of the ground at times (...)."""
        times = np.asarray(t, dtype=float)
        parts = {name: _derivatives(getattr(self, name), times, name) for name in (*SHIFTS, *TURNS)}
        rotation, spin, spin_rate = _rotating(*(parts[name] for name in TURNS))
        moved = np.stack([parts[name] for name in SHIFTS], axis=-1)  # (..., 3 derivatives, 3 axes)
        velocity, acceleration = (np.einsum("...ji,...j->...i", rotation, moved[..., k, :]) for k in (1, 2))
        about = np.array(self.about)
        position = moved[..., 0, :]
        if about.any():
            position = position + about - rotation @ about
            velocity = velocity - np.cross(spin, about)
            acceleration = acceleration - np.cross(spin_rate, about) - np.cross(spin, np.cross(spin, about))
        return GroundState(rotation, velocity, acceleration, spin, spin_rate, position)

    @property
    def turns(self) -> bool:
        """Whether it rolls, pitches or yaws at all."""
        return any(getattr(self, name) != 0.0 for name in TURNS)


def _component(value: object, name: str) -> Component:
    called = f"{name} of the ground"
    if isinstance(value, (list, tuple)):
        several = tuple(value)
        if not several or not all(isinstance(one, Sinusoid) for one in several):
            raise ModelError(f"{called} is {value!r}: expected a number, an lp.Sinusoid or several, an "
                             "lp.TimeSeries(times, values) or a function of time")
        value = several
    elif not isinstance(value, (Sinusoid, TimeSeries)) and not callable(value):
        value = number(value, called)
    largest = _largest(value)
    if name in TURNS and largest > 2 * math.pi and name != "yaw":
        raise ModelError(f"{called} reaches {largest:.4g} rad: expected at most 2 pi; {largest:.4g} degrees are "
                         f"{math.radians(largest):.4g} rad")
    if name in SHIFTS and largest > _FAR:
        warn(f"{called} reaches {largest:.4g} m: is it in millimetres?")
    return value


def _largest(value: object) -> float:
    if isinstance(value, tuple):
        return float(sum(one.largest for one in value))
    if isinstance(value, (Sinusoid, TimeSeries)):
        return value.largest
    return abs(value) if isinstance(value, float) else 0.0


def _derivatives(value: Component, t: Floats, name: str) -> Floats:
    """(..., 3): displacement, rate and its rate."""
    if isinstance(value, (Sinusoid, TimeSeries)):
        return value.derivatives(t)
    if isinstance(value, tuple):
        return np.asarray(sum(one.derivatives(t) for one in value))
    if callable(value):
        return _of_function(value, t, name)
    constant = np.zeros((*t.shape, 3)) + 0.0 * t[..., None]
    constant[..., 0] += value
    return constant


_FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
_SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


def _of_function(function: Callable[[float], object], t: Floats, name: str) -> Floats:
    called = f"{name} of the ground, a function of time,"
    result = np.full((t.size, 3), np.nan)
    for k, time in enumerate(t.ravel().tolist()):
        if math.isnan(time):
            continue
        value = function(time)
        if isinstance(value, Iterable):
            result[k] = numbers(value, f"{called} at {time:g} s", 3)
            continue
        steps = [number(value if i == 0 else function(time + i * _STEP), f"{called} at {time + i * _STEP:g} s")
                 for i in range(-2, 3)]
        result[k] = steps[2], _FIRST @ steps / _STEP, _SECOND @ steps / _STEP**2
    return result.reshape(*t.shape, 3)


def _rotating(roll: Floats, pitch: Floats, yaw: Floats) -> tuple[Floats, Floats, Floats]:
    """Rotation (..., 3, 3) = Rz Ry Rx, angular velocity and acceleration (..., 3) in the axes that turn."""
    (a, da, dda), (b, db, ddb), (c, dc, ddc) = (np.moveaxis(part, -1, 0) for part in (roll, pitch, yaw))
    ca, sa, cb, sb, cc, sc = np.cos(a), np.sin(a), np.cos(b), np.sin(b), np.cos(c), np.sin(c)
    rows = [
        [cb * cc, sa * sb * cc - ca * sc, ca * sb * cc + sa * sc],
        [cb * sc, sa * sb * sc + ca * cc, ca * sb * sc - sa * cc],
        [-sb, sa * cb, ca * cb],
    ]
    rotation = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    spin = np.stack([da - dc * sb, db * ca + dc * cb * sa, -db * sa + dc * cb * ca], axis=-1)
    rate = np.stack([
        dda - ddc * sb - dc * db * cb,
        ddb * ca - db * da * sa + ddc * cb * sa - dc * db * sb * sa + dc * da * cb * ca,
        -ddb * sa - db * da * ca + ddc * cb * ca - dc * db * sb * ca - dc * da * cb * sa,
    ], axis=-1)
    return rotation, spin, rate
