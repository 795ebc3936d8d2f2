"""Motions of a rover on its plane, x, y and heading before the joints of its arms, as those of the rover itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, read_states, refuse_keywords

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

PLANE = 3
"""Coordinates of a base on the ground."""


def from_planar(
    rover: Rover, q: StatesLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None, **others: Never
) -> dict[str, Floats]:
    """States (..., 3 + n) of `rover.planar`, or a motion of it, as the keywords of a rover's quantities: q, qd and qdd
    of its arms, velocity and acceleration of its base along its own axes, and its heading.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> states = [1.0, 0, 0.5 * np.pi, 0, 0, 0.5], [0, 2.0, 0.1, 0, 0, 0], np.zeros(6)
    >>> rover.from_planar(*states)["velocity"].round(12).tolist()
    [2.0, 0.0, 0.1]
    """
    refuse_keywords("from_planar", others, "its states have the motion of the base, and loads are given where they are "
                    "asked for: rover.wheel_loads(**rover.from_planar(...), external=...)")
    states = read_states(rover.planar, q, qd, qdd, caller="from_planar")
    where, rate, bend = (np.asarray(part, dtype=float) for part in states[:3])
    for name, part, size in (("q", where, rover.nq), ("qd", rate, rover.n), ("qdd", bend, rover.n)):
        if part.shape[-1:] != (size + PLANE,):
            raise ValueError(f"from_planar: '{name}' has the shape {part.shape}: expected (..., {size + PLANE})")
    try:
        np.broadcast_shapes(where.shape[:-1], rate.shape[:-1], bend.shape[:-1])
    except ValueError:
        raise ValueError(f"from_planar: q has the batch {where.shape[:-1]}, qd {rate.shape[:-1]} and qdd "
                         f"{bend.shape[:-1]}: expected as many states of each, or one of some") from None
    first, second = ([part[..., k] for k in range(PLANE)] for part in (rate, bend))
    parts = along_own_axes(where[..., 2], first, second, np.cos, np.sin)
    velocity, acceleration = (np.stack(np.broadcast_arrays(*each), axis=-1) for each in parts)
    return {"q": where[..., PLANE:], "qd": rate[..., PLANE:], "qdd": bend[..., PLANE:], "velocity": velocity,
            "acceleration": acceleration, "heading": where[..., 2]}


def along_own_axes(angle: Any, rate: Any, bend: Any, cosine: Callable[..., Any], sine: Callable[..., Any]) -> Any:
    """Velocity of the base along its own axes, and the rates of these numbers, from those in the ground's frame."""
    c, s, w = cosine(angle), sine(angle), rate[2]
    vx, vy = c * rate[0] + s * rate[1], c * rate[1] - s * rate[0]
    return [vx, vy, w], [c * bend[0] + s * bend[1] + w * vy, c * bend[1] - s * bend[0] - w * vx, bend[2]]
