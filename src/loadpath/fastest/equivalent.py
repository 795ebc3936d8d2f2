"""Equivalent loads of bearings as limits: P = X F_r + Y F_a with the branch that counts, ISO 281 and ISO 76.

A catalogue's pair of factors changes where F_a / F_r goes through e, and there both branches are the same. Then the one
that counts is the larger, and the larger of convex functions is convex: a cone. A tilting moment M on one bearing with
the pitch diameter d counts as 2 M / d of radial load, as of crossed rollers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.fastest.cones import Cone
from loadpath.fastest.demands import Demand, Sum
from loadpath.fastest.limits import Limits, Name
from loadpath.fastest.loads import Model
from loadpath.loads.resultants import axes_of
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import Floats


@dataclass(frozen=True)
class EquivalentLoad:
    """The largest equivalent load `limit` (N) of a bearing: the largest of X F_r + Y F_a over its `branches` (X, Y),
    F_r the radial and F_a the axial force of its joint. With a `pitch_diameter` (m) its tilting moment M adds
    2 M / pitch_diameter to F_r.

    >>> deep_groove = EquivalentLoad(2000.0, branches=((1.0, 0.0), (0.56, 1.6)))            # e = 0.275
    >>> crossed = EquivalentLoad(9000.0, branches=((1.0, 0.45), (0.67, 0.67)), pitch_diameter=0.08)
    >>> deep_groove.limit, crossed.branches[0]
    (2000.0, (1.0, 0.45))
    """

    limit: float
    branches: Sequence[tuple[float, float]] = ((1.0, 0.0), (0.56, 1.6))
    pitch_diameter: float | None = None

    def __post_init__(self) -> None:
        what = "of an EquivalentLoad"
        pairs = tuple((number(X, f"X {what}"), number(Y, f"Y {what}")) for X, Y in self.branches)
        object.__setattr__(self, "limit", number(self.limit, f"limit {what}"))
        object.__setattr__(self, "branches", pairs)
        if self.limit <= 0:
            raise ValueError(f"limit {what} is {self.limit:g}: expected more than zero (N)")
        if not pairs or any(X < 0 or Y < 0 or X + Y == 0 for X, Y in pairs):
            raise ValueError(f"branches {what} are {self.branches}: expected pairs (X, Y) of factors, zero or more")
        if self.pitch_diameter is not None:
            object.__setattr__(self, "pitch_diameter", number(self.pitch_diameter, f"pitch_diameter {what}"))
            if self.pitch_diameter <= 0:
                raise ValueError(f"pitch_diameter {what} is {self.pitch_diameter:g}: expected more than zero (m)")

    def demand(self, axis: Floats) -> Largest:
        """N, of wrenches (..., 6) of a joint with an axis."""
        along, across = np.zeros((1, 6)), np.zeros((3, 6))
        along[0, :3] = axis
        across[:, :3] = np.eye(3) - np.outer(axis, axis)
        parts = []
        for X, Y in self.branches:
            sizes = [X * across, Y * along]
            if self.pitch_diameter is not None:
                sizes.append(2 * X / self.pitch_diameter * np.roll(across, 3, axis=1))
            parts.append(Sum(np.zeros(6), tuple(size for size in sizes if size.any())))
        return Largest(tuple(parts))


@dataclass(frozen=True, eq=False)
class Largest:
    """The largest of demands.

    >>> both = Largest((Sum(np.array([1.0, 0]), ()), Sum(np.array([0, 2.0]), ())))
    >>> both(np.array([3.0, 1.0])).item(), both.gradient(np.array([3.0, 2.0])).tolist()
    (3.0, [0.0, 2.0])
    """

    parts: Sequence[Demand]

    def __call__(self, load: Floats) -> Floats:
        """(...,)"""
        found: Floats = np.max([part(load) for part in self.parts], axis=0)
        return found

    def gradient(self, load: Floats) -> Floats:
        """(..., m): that of the largest."""
        which = np.argmax([part(load) for part in self.parts], axis=0)
        every = np.stack([part.gradient(load) for part in self.parts], axis=-2)
        found: Floats = np.take_along_axis(every, which[..., None, None], axis=-2)[..., 0, :]
        return found

    def most(self, within: Floats) -> Floats:
        """(...,): see `Demand`."""
        found: Floats = np.max([part.most(within) for part in self.parts], axis=0)
        return found


def limits_of_bearings(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Equivalent loads, by joints and loops."""
    if given is None or given is False:
        return []
    if not isinstance(given, Mapping) or not all(isinstance(each, EquivalentLoad) for each in given.values()):
        raise ValueError(f"equivalent_load is {given!r}: expected a dict from joints to lp.EquivalentLoad, like "
                         "{'joint1': lp.EquivalentLoad(2000.0, branches=((1, 0), (0.56, 1.6)))}")
    names, axes = model.robot.closed_joint_names, axes_of(model.robot)
    found: list[Limits] = []
    for joint, load in given.items():
        k = names.index(known(joint, names, "joint"))
        if np.isnan(axes[k]).any():
            raise ValueError(f"joint '{joint}' has no single axis, so it has no equivalent load")
        name = Name("equivalent load", joint + suffix, share * load.limit, "N")
        found.append(Cone.of_joint(model, k, name, load.demand(axes[k]), name.capacity))
    return found
