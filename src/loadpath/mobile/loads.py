"""Forces at every contact of a rover with the ground."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath.loads.wrench import Wrench
from loadpath.mobile.arrangement import Arrangement, Placed
from loadpath.mobile.motions import base_components
from loadpath.mobile.normals import share_normals
from loadpath.mobile.support import Edges, edges_of
from loadpath.mobile.traction import share_traction, spin_rates

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Split = Literal["compliance", "load"]
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class State:
    """What the ground gives in a motion, and where the contacts are."""

    force: Floats
    torque: Floats
    velocity: Floats
    acceleration: Floats
    placed: Placed
    known_edges: Edges | None
    """Edges of the support polygon where the contacts stay where they are."""

    @cached_property
    def edges(self) -> Edges:
        """Edges of the support polygon."""
        return edges_of(self.placed.points) if self.known_edges is None else self.known_edges

    def edge_moments(self) -> Floats:
        """Moments (..., edges) that keep the base down about the edges (N m)."""
        if self.known_edges is not None or math.prod(self.batch) <= 2 * _BLOCK:
            return self.edges.moments(self.vertical)
        parts = np.concatenate([block.edges.moments(block.vertical) for block in self.blocks(_BLOCK)])
        return parts.reshape(*self.batch, -1)

    @property
    def vertical(self) -> Floats:
        """(..., 3): F_z, N_x, N_y, which the normal forces carry."""
        return np.stack([self.force[..., 2], self.torque[..., 0], self.torque[..., 1]], axis=-1)

    @property
    def in_plane(self) -> Floats:
        """(..., 3): F_x, F_y, N_z, which friction carries."""
        return np.stack([self.force[..., 0], self.force[..., 1], self.torque[..., 2]], axis=-1)

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch shape of all of it together."""
        cores = ((self.force, 1), (self.velocity, 1), (self.acceleration, 1), (self.placed.forward, 2))
        return np.broadcast_shapes(*(part.shape[: part.ndim - core] for part, core in cores))

    def blocks(self, size: int) -> Iterator[State]:
        """The same states a few thousand at a time, which stay in the processor's cache."""
        shape = self.batch

        def rows(part: Any, core: int) -> Any:
            if part.ndim == core:
                return part
            whole = np.broadcast_to(part, (*shape, *part.shape[part.ndim - core :]))
            return whole.reshape(-1, *part.shape[part.ndim - core :])

        parts = [rows(part, 1) for part in (self.force, self.torque, self.velocity, self.acceleration)]
        parts += [rows(part, 2) for part in self.placed]
        cores = [1, 1, 1, 1, 2, 2]
        for start in range(0, math.prod(shape), size):
            some = slice(start, start + size)
            f, t, v, a, *where = (p if p.ndim == c else p[some] for p, c in zip(parts, cores, strict=True))
            yield State(f, t, v, a, Placed(*where), self.known_edges)


def _together(parts: list[WheelLoads], shape: tuple[int, ...], placed: Placed) -> WheelLoads:
    """Results of blocks as one."""
    names = ("normal", "longitudinal", "lateral", "drive_torque", "unsupplied", "tips_over")
    whole: dict[str, Any] = {}
    for name in names:
        values = np.concatenate([getattr(part, name) for part in parts])
        whole[name] = values.reshape(*shape, *values.shape[1:])
    return replace(parts[0], **whole, points=placed.points, forward=placed.forward)


def state_of(
    rover: Rover,
    q: Any,
    qd: Any,
    qdd: Any,
    *,
    velocity: Any,
    acceleration: Any,
    heading: Any,
    steering: Any,
    external: Mapping[str, Wrench] | None,
    directions: bool = True,
) -> State:
    """The wrench of the ground and the contacts' places, in a motion of arm and base; without the directions of wheels
    where they are not asked for and the contacts stay where they are.
    """
    wrench = rover.ground_wrench(
        q, qd, qdd, velocity=velocity, acceleration=acceleration, heading=heading, external=external
    )
    speeds = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    changes = base_components((0.0, 0.0) if acceleration is None else acceleration, "acceleration")
    wheels = rover.arrangement
    placed = _placed(wheels, speeds, steering) if directions or not wheels.fixed_points else wheels.at_rest
    edges = rover.edges if wheels.fixed_points else None
    return State(wrench.force, wrench.torque, speeds, changes, placed, edges)


def _placed(wheels: Arrangement, velocity: Floats, steering: Any) -> Placed:
    if steering is not None:
        angles = wheels.read_steering(steering)
    elif velocity.any() and len(wheels.steerable):
        angles = wheels.aligned(velocity)
    else:
        return wheels.at_rest
    return wheels.placed(angles)


def tipping(edges: Edges, vertical: Floats) -> Bools:
    """Whether no normal forces are in balance: the moment about some edge, or the force itself, would have to pull (or
    nothing presses at all).
    """
    held = edges.moments(vertical).min(axis=-1)
    result: Bools = (held < 0) | (vertical[..., 0] <= 0)
    return result


@dataclass(frozen=True, eq=False)
class WheelLoads:
    """Forces (N) of the ground on every contact, (..., contacts) each; columns follow `names`.

    `normal` along the ground's normal; `longitudinal` along the contact's rolling direction, positive forward;
    `lateral` across it, positive to the left. `drive_torque` (N m) is what the motor or brake of a driven wheel must
    give, its spin inertia and rolling resistance included; 0 for others.

    `tips_over` (...): no contact forces are in balance with the motion; the normal forces are then those that would
    be if contacts could pull, some of them negative. `unsupplied` (..., 3): force along x and y and moment about z,
    that the motion asks for but no contact can give: not zero means that the base does not move so by itself (it rolls
    away, or does not start).
    `points` (..., contacts, 2): where the contacts are, `forward` (..., contacts, 2): which way they roll.
    """

    normal: Floats
    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats
    unsupplied: Floats
    tips_over: Bools
    points: Floats
    forward: Floats
    names: tuple[str, ...]

    @property
    def lifted(self) -> Bools:
        """(..., contacts): which contacts carry nothing though the base does not tip."""
        result: Bools = (self.normal == 0) & ~self.tips_over[..., None]
        return result

    @property
    def force(self) -> Floats:
        """(..., contacts, 3): force on each contact in base axes."""
        x, y = self.forward[..., 0], self.forward[..., 1]
        along, across = self.longitudinal, self.lateral
        return np.stack([x * along - y * across, y * along + x * across, self.normal], axis=-1)

    def plot(self, time: Any = None) -> Any:
        """A Plotly figure of the three forces at every contact over a row of states, at given times (s).

        >>> import loadpath as lp
        >>> loads = lp.catalog.lau_rover().wheel_loads([[0.1 * k, 0, 0.5] for k in range(5)])
        >>> len(loads.plot().data)
        9
        """
        from loadpath.mobile.support_plot import loads_plot

        return loads_plot(self, time)


def wheel_loads(rover: Rover, state: State, split: Split = "compliance") -> WheelLoads:
    """The wrench of the ground, shared among the contacts."""
    if split not in ("compliance", "load"):
        raise ValueError(f"split is {split!r}: expected 'compliance' or 'load'")
    shape = state.batch
    if math.prod(shape) > 2 * _BLOCK:
        parts = [wheel_loads(rover, block, split) for block in state.blocks(_BLOCK)]
        return _together(parts, shape, state.placed)
    wheels, placed, vertical = rover.arrangement, state.placed, state.vertical
    tips = tipping(state.edges, vertical)
    normal = share_normals(placed.points, wheels.compliance, vertical, tips)
    along, across, unsupplied = share_traction(
        wheels,
        placed,
        normal,
        state.in_plane,
        friction=rover.rolling_friction,
        velocity=state.velocity,
        acceleration=state.acceleration,
        by_load=split == "load",
    )
    return WheelLoads(
        normal=normal,
        longitudinal=along,
        lateral=across,
        drive_torque=_drive_torque(rover, state, normal, along),
        unsupplied=unsupplied,
        tips_over=tips,
        points=placed.points,
        forward=placed.forward,
        names=rover.contact_names,
    )


def _drive_torque(rover: Rover, state: State, normal: Floats, along: Floats) -> Floats:
    """tau = R f + J db/dt + mu_r N R sgn(b), of driven wheels."""
    wheels = rover.arrangement
    torque = wheels.radius * along
    if state.acceleration.any() and wheels.spin_inertia.any():
        torque = torque + wheels.spin_inertia * spin_rates(wheels, state.placed, state.acceleration)
    if rover.rolling_friction.any():
        rate = spin_rates(wheels, state.placed, state.velocity)
        start = spin_rates(wheels, state.placed, state.acceleration)
        sense = np.where(rate != 0, np.sign(rate), np.sign(start))
        torque = torque + rover.rolling_friction * np.maximum(normal, 0.0) * wheels.radius * sense
    return np.where(wheels.driven, torque, 0.0)
