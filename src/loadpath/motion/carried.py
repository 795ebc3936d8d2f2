"""Loads that are picked up and put down within a motion: `motion.with_loads([lp.Carried(...)])`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from loadpath.converted import Converted
from loadpath.errors import ModelError, warn
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.inertia import Inertia
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Matrix3, Vector3, number
from loadpath.robot.units import questions_of_body, size_of
from loadpath.scalars.types import ArrayLike, Bools, Floats

_ZERO: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
TOUCHING = 1e-9
"""s: loads that end and begin within this are the same load, carried on."""


@dataclass(frozen=True)
class Carried(Measured):
    """A rigid body that a link carries from one time of a motion to another, in s on the motion's own clock.

    It is carried at the samples with `from_ <= t < to`: at the instant of the pick it is in the hand, at that of the
    release it no longer is. Without `from_` it is there at the beginning, without `to` until the end, the last sample
    included. `center_of_mass` (m) is in the frame of `link`, `inertia` (kg m^2, 3 x 3) about the mass center in the
    axes of `link`; without it the load is a point mass. Without `link` it is the only end that the robot has. The
    breakdown by cause names it: "carried box".

    >>> import loadpath as lp
    >>> lp.Carried(2.5, from_=0.4, to=1.2, link="hand", center_of_mass=(0, 0, 0.1), name="box").sentence
    'Carries box, 2.5 kg on hand with its mass center at (0, 0, 0.1) m, from 0.4 s to 1.2 s.'
    """

    mass: float = field(metadata=measures("mass"))
    from_: float | None = field(default=None, kw_only=True, metadata=measures("time"))
    to: float | None = field(default=None, kw_only=True, metadata=measures("time"))
    link: str | None = field(default=None, kw_only=True)
    center_of_mass: Converted[Vector3, ArrayLike] = field(
        default=(0.0, 0.0, 0.0), kw_only=True, metadata=measures("length")  # type: ignore[arg-type]
    )
    inertia: Converted[Matrix3, ArrayLike] = field(default=_ZERO, kw_only=True, metadata=measures("moment of inertia"))  # type: ignore[arg-type]
    name: str = field(default="load", kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ModelError(f"name of a load is {self.name!r}: expected a word, like 'box'")
        what = f"carried load '{self.name}'"
        if self.link is not None and not isinstance(self.link, str):
            raise ModelError(f"{what}: link is {self.link!r}: expected the name of a link")
        tensor = _ZERO if self.inertia is None else self.inertia
        try:
            body = Inertia(self.mass, self.center_of_mass, tensor)
        except ModelError as problem:
            raise ModelError(f"{what}: {problem}") from None
        if not body.mass > 0:
            raise ModelError(f"{what}: mass is {body.mass:g}: expected more than zero, in kg")
        object.__setattr__(self, "mass", body.mass)
        object.__setattr__(self, "center_of_mass", body.center_of_mass)
        object.__setattr__(self, "inertia", body.tensor)
        for part in ("from_", "to"):
            if getattr(self, part) is not None:
                object.__setattr__(self, part, number(getattr(self, part), f"{what}: '{part}'"))
        if self.from_ is not None and self.to is not None and not self.from_ < self.to:
            raise ModelError(f"{what} is put down at {self.to:g} s and picked up at {self.from_:g} s: expected "
                             "from_ < to")

    @property
    def body(self) -> Inertia:
        """Mass, mass center and inertia, in the frame of the link."""
        return Inertia(self.mass, self.center_of_mass, self.inertia)

    @property
    def sentence(self) -> str:
        """What is carried, where and when, in words."""
        on = "the end of the arm" if self.link is None else self.link
        x, y, z = self.center_of_mass
        begin = "the beginning" if self.from_ is None else f"{self.from_:.4g} s"
        end = "the end" if self.to is None else f"{self.to:.4g} s"
        return (f"Carries {self.name}, {self.mass:.4g} kg on {on} with its mass center at ({x:.4g}, {y:.4g}, {z:.4g}) "
                f"m, from {begin} to {end}.")

    def at(self, t: ArrayLike) -> Bools:
        """(samples,): whether it is carried at these times.

        >>> Carried(1.0, from_=1.0, to=2.0).at([0.9, 1.0, 1.9, 2.0]).tolist()
        [False, True, True, False]
        """
        times = np.asarray(t, dtype=float)
        found: Bools = (times >= self._begin) & (times < self._end)
        return found

    @property
    def _begin(self) -> float:
        return -math.inf if self.from_ is None else self.from_

    @property
    def _end(self) -> float:
        return math.inf if self.to is None else self.to

    def _is(self, other: Carried) -> bool:
        """Whether it is the same body on the same link, whenever."""
        return replace(self, from_=None, to=None) == replace(other, from_=None, to=None)


# Loads of a motion


def carried_at(loads: Iterable[Carried], t: Floats) -> dict[Inertia, NDArray[np.int64]]:
    """For every body (samples,) how often it is carried at these rising times: a repeated motion has a load for each
    repetition, all of one body.
    """
    found: dict[Inertia, NDArray[np.int64]] = {}
    for load in loads:
        when = found.setdefault(load.body, np.zeros(len(t), dtype=np.int64))
        when[np.searchsorted(t, load._begin) : np.searchsorted(t, load._end)] += 1
    return found


def checked_loads(loads: Iterable[Carried], t: Floats, robot: RobotModel | None) -> tuple[Carried, ...]:
    """Loads for a motion at these times: each by a name of its own on a link that there is."""
    if isinstance(loads, Carried):
        raise ValueError("with_loads takes a list: with_loads([lp.Carried(...)])")
    found: list[Carried] = []
    for load in loads:
        if not isinstance(load, Carried):
            raise ValueError(f"with_loads: {load!r} is a {type(load).__name__}: expected lp.Carried(mass, from_=, to=)")
        placed = load if robot is None else on_robot(load, robot)
        if robot is not None:
            size = size_of(robot.links, robot.joints)
            for question in questions_of_body(f"carried load '{load.name}'", load.body, size)[:1]:
                warn(question)
        if not load.at(t).any():
            between = " and ".join(f"{x:g} s" for x in (load.from_, load.to) if x is not None) or "its times"
            warn(f"carried load '{load.name}': the motion, {t[0]:.6g} to {t[-1]:.6g} s, has no sample at which it is "
                 f"carried ({between}): it counts nowhere")
        found.append(placed)
    return tuple(found)


def on_robot(load: Carried, robot: RobotModel, prefix: str = "") -> Carried:
    """The load with the name of its link on this robot, where names may have a prefix."""
    name = load.link
    if name is not None and prefix and name not in robot.link_names:
        name = prefix + name
    try:
        return replace(load, link=link_or_only_end(robot, name, f"the load '{load.name}' is carried by"))
    except ValueError as problem:
        raise ModelError(f"carried load '{load.name}': {problem}") from None


def within(loads: Sequence[Carried], begin: float, end: float) -> tuple[Carried, ...]:
    """Those that are carried at some time from `begin` to `end`."""
    return tuple(load for load in loads if load._begin <= end and load._end > begin)


def at_another_pace(loads: Sequence[Carried], begin: float, factor: float) -> tuple[Carried, ...]:
    """Those of a motion that begins there and goes so many times as fast."""

    def moved(time: float | None) -> float | None:
        return None if time is None else begin + (time - begin) / factor

    return tuple(replace(load, from_=moved(load.from_), to=moved(load.to)) for load in loads)


def one_after_the_other(parts: Sequence[tuple[Sequence[Carried], float, float, float]]) -> tuple[Carried, ...]:
    """Those of motions that follow each other: for each its loads, by how much its times are moved, and when it begins
    and ends in the whole. A load that one motion ends with and the next begins with is carried on.
    """
    found: list[Carried] = []
    last = len(parts) - 1
    for k, (loads, shift, begin, end) in enumerate(parts):
        for load in loads:
            first, late = load._begin + shift, load._end + shift
            starts = None if k == 0 and load.from_ is None else max(first, begin)
            stops = None if k == last and load.to is None else late if k == last else min(late, end)
            if starts is not None and stops is not None and starts >= stops:
                continue
            moved = replace(load, from_=starts, to=stops)
            before = next((i for i, old in enumerate(found) if old._is(load) and old.to is not None
                           and starts is not None and abs(old.to - starts) <= TOUCHING), None)
            if before is None:
                found.append(moved)
            else:
                found[before] = replace(found[before], to=stops)
    return tuple(found)


def warn_of_unwritten(loads: Sequence[Carried], path: object) -> None:
    """Warn that a file of samples does not have the loads of a motion."""
    if loads:
        names = ", ".join(dict.fromkeys(f"'{load.name}'" for load in loads))
        warn(f"{path} has the samples of the motion, not what it carries ({names}): give the loads again with "
             "with_loads when it is read")
