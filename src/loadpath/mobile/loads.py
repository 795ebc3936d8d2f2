"""Forces at every contact of a rover with the ground."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.cached import cached_property
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.contacts.given_motion import settle
from loadpath.mobile.contacts.plane import contact_model
from loadpath.mobile.motions import (
    Steering,
    accelerations_beyond_rounding,
    base_components,
    speeds_beyond_rounding,
)
from loadpath.mobile.support_plot import loads_plot
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import unknown_states

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover

Split = Literal["compliance", "load"]
_BLOCK = 4096
"""States at a time, which stay in the processor's cache."""
_HARD_BLOCK = 32768
"""States at a time that take several rounds, of which few states need all."""
_WORTH_COMPILING = 20_000
"""States from which on machine code for this base pays."""


@dataclass(frozen=True, eq=False)
class State:
    """What the ground gives in a motion, and how the base moves; (..., 3) each, the batch axes broadcast."""

    rover: Rover
    force: Floats
    torque: Floats
    velocity: Floats
    acceleration: Floats
    steering: Floats | None
    """(..., steerable): angles, where they are given; else wheels follow the velocity."""
    mass_shift: Floats | None = None
    """(..., 3): how far the mass center of a deflected rover is from that of the rigid one (m)."""

    @cached_property
    def placed(self) -> Placed:
        """Where the contacts are and which way they roll."""
        wheels = self.rover.arrangement
        if self.steering is not None:
            return wheels.placed(self.steering)
        return wheels.placed(wheels.aligned(self.velocity)) if len(wheels.steerable) else wheels.at_rest

    @cached_property
    def one_polygon(self) -> Floats | None:
        """(contacts, 2): where the contacts are, if that is the same in all states."""
        wheels = self.rover.arrangement
        if wheels.fixed_points:
            return wheels.pivots
        deciding = self.velocity if self.steering is None else self.steering
        if deciding.ndim > 1:
            rows = deciding.reshape(math.prod(deciding.shape[:-1]), deciding.shape[-1])
            if not len(rows) or not (rows == rows[0]).all():
                return None
            deciding = rows[0]
        if not np.isfinite(deciding).all():
            return None
        return wheels.placed(wheels.aligned(deciding) if self.steering is None else deciding).points

    @property
    def vertical(self) -> Floats:
        """(..., 3): F_z, N_x, N_y, which the normal forces carry."""
        return np.stack([self.force[..., 2], self.torque[..., 0], self.torque[..., 1]], axis=-1)

    @cached_property
    def batch(self) -> tuple[int, ...]:
        """The batch shape of all of it together."""
        parts = [self.force, self.velocity, self.acceleration, *([] if self.steering is None else [self.steering])]
        return np.broadcast_shapes(*(part.shape[:-1] for part in parts))

    @cached_property
    def count(self) -> int:
        """Number of states."""
        return math.prod(self.batch)

    def rows(self, some: slice | NDArray[np.intp]) -> State:
        """Some of the states, in a row."""

        def part(array: Floats) -> Floats:
            if array.ndim == 1:
                return array
            whole = array if array.shape[:-1] == self.batch else np.broadcast_to(array, (*self.batch, array.shape[-1]))
            return whole.reshape(self.count, array.shape[-1])[some]

        return State(
            self.rover, part(self.force), part(self.torque), part(self.velocity), part(self.acceleration),
            None if self.steering is None else part(self.steering),
            None if self.mass_shift is None else part(self.mass_shift),
        )

    def blocks(self) -> Iterator[tuple[slice, State]]:
        """The same states a few thousand at a time, and which they are."""
        for start in range(0, self.count, _BLOCK):
            some = slice(start, min(start + _BLOCK, self.count))
            yield some, self.rows(some)

    def compute(self, quantity: str, *arguments: Floats, states: int) -> Any:
        """A quantity of the contacts over scalars, at the steering angles of the state: as machine code if there are
        `states` enough in all to pay for it.
        """
        method = getattr(self.rover, quantity)
        function = method if states >= _WORTH_COMPILING else method.uncompiled
        with np.errstate(divide="ignore", invalid="ignore"):  # pairs of contacts that are no edge, bad states
            if self.steering is None or not self.steering.shape[-1]:
                return function(*arguments, np.zeros(max(1, len(self.rover.arrangement.steerable))))
            return function(*arguments, self.steering, aligned=False)


def state_of(
    rover: Rover,
    q: Any,
    qd: Any,
    qdd: Any,
    *,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    heading: ArrayLike | None,
    steering: Steering,
    external: Mapping[str, Wrench] | None,
) -> State:
    """The wrench of the ground and the motion of the base, in a motion of arm and base."""
    wrench = rover.ground_wrench(
        q, qd, qdd, velocity=velocity, acceleration=acceleration, heading=heading, external=external
    )
    speeds = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    changes = base_components((0.0, 0.0) if acceleration is None else acceleration, "acceleration")
    speeds, changes = speeds_beyond_rounding(rover, speeds), accelerations_beyond_rounding(rover, changes)
    angles = None if steering is None else rover.arrangement.read_steering(steering)
    force, torque = wrench.force, wrench.torque
    if angles is not None and np.isnan(angles).any():  # what holds the base is not known, nor what carries it
        lost = np.where(np.isnan(angles).any(axis=-1, keepdims=True), np.nan, 0.0)
        force, torque = force + lost, torque + lost
    return State(rover, force, torque, speeds, changes, angles)


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
    `unknown` (...): states that are not numbers (a steering angle among them); they count as tipping over.

    What balance leaves open is shared by the contacts' compliances, each within its friction: see
    `loadpath.mobile.contacts.sharing`. Where no share is within the friction of all contacts (or none is known), it is
    the share without limits: `slip` says which contacts then give way, and how much friction it would take.
    """

    normal: Floats
    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats
    unsupplied: Floats
    tips_over: Bools
    names: tuple[str, ...]
    state: State

    def _repr_html_(self) -> str:
        parts = {"normal (N)": self.normal, "longitudinal (N)": self.longitudinal, "lateral (N)": self.lateral,
                 "drive torque (N m)": self.drive_torque}
        flat = [np.reshape(values, (-1, len(self.names))) for values in parts.values()]
        rows = [[name, *(html.ranged(values[:, k]) for values in flat)] for k, name in enumerate(self.names)]
        note = f"tips over in {int(self.tips_over.sum())} of {self.tips_over.size} states"
        return html.table("Loads of the wheels", ["contact", *parts], rows, note=note)

    @property
    def points(self) -> Floats:
        """(..., contacts, 2): where the contacts are, in the base frame."""
        return self.state.placed.points

    @property
    def forward(self) -> Floats:
        """(..., contacts, 2): unit vectors along which they roll."""
        return self.state.placed.forward

    @property
    def lifted(self) -> Bools:
        """(..., contacts): which contacts carry nothing though the base does not tip; those whose load is not known
        among them.
        """
        result: Bools = (self.normal == 0) & ~self.tips_over[..., None] | np.isnan(self.normal)
        return result

    @cached_property
    def unknown(self) -> Bools:
        """(...): states of which some force is not a number."""
        return unknown_states(self.normal, self.longitudinal, self.lateral)

    @property
    def force(self) -> Floats:
        """(..., contacts, 3): force on each contact in base axes."""
        x, y = self.forward[..., 0], self.forward[..., 1]
        along, across = self.longitudinal, self.lateral
        return np.stack([x * along - y * across, y * along + x * across, self.normal], axis=-1)

    def plot(self, time: ArrayLike | None = None) -> Figure:
        """A Plotly figure of the three forces at every contact over a row of states, at given times (s).

        >>> import loadpath as lp
        >>> loads = lp.catalog.lau_rover().wheel_loads([[0.1 * k, 0, 0.5] for k in range(5)])
        >>> len(loads.plot().data)
        9
        """
        return loads_plot(self, time)


def wheel_loads(rover: Rover, state: State, split: Split = "compliance") -> WheelLoads:
    """The wrench of the ground, shared among the contacts."""
    if split not in ("compliance", "load"):
        raise ValueError(f"split is {split!r}: expected 'compliance' or 'load'")
    contacts = len(rover.contact_names)
    normal, along, across, drive = (np.empty((state.count, contacts)) for _ in range(4))
    missing, tips = np.empty((state.count, 3)), np.zeros(state.count, dtype=bool)
    model, wheels = contact_model(rover), rover.arrangement
    edges = rover.edges if wheels.fixed_points else None
    hard: list[NDArray[np.intp]] = []
    for some, block in state.blocks():
        motion = block.force, block.torque, block.velocity, block.acceleration
        *results, check = block.compute("contact_loads", *motion, states=state.count)
        for whole, part in zip((normal, along, across, drive, missing), results, strict=True):
            whole[some] = part
        wrong = np.broadcast_to(~(check[..., 0] == 0.0), (some.stop - some.start,))
        hard.append(np.flatnonzero(wrong if split == "compliance" else np.ones_like(wrong)) + some.start)
    left = np.concatenate(hard) if hard else np.zeros(0, dtype=np.intp)
    for start in range(0, len(left), _HARD_BLOCK):
        at = left[start : start + _HARD_BLOCK]
        those = state.rows(at)
        parts = those.force, those.torque, those.velocity, those.acceleration
        each = (np.broadcast_to(part, (len(at), 3)) for part in parts)
        exact = settle(model, wheels, those.placed, edges, *each, by_load=split == "load")
        normal[at], along[at], across[at], drive[at], missing[at], tips[at] = exact
    tips |= unknown_states(normal)
    shape = state.batch
    return WheelLoads(
        normal=normal.reshape(*shape, contacts),
        longitudinal=along.reshape(*shape, contacts),
        lateral=across.reshape(*shape, contacts),
        drive_torque=drive.reshape(*shape, contacts),
        unsupplied=missing.reshape(*shape, 3),
        tips_over=tips.reshape(shape),
        names=rover.contact_names,
        state=state,
    )
