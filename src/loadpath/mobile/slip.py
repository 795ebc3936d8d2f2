"""Friction used against friction available, wheel by wheel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.in_text import named_rows
from loadpath.mobile.contacts.given_motion import scrubs
from loadpath.mobile.contacts.linked import rows_on_links
from loadpath.mobile.contacts.plane import carrying, contact_model
from loadpath.mobile.contacts.sharing import friction_needed, groups_of, independent, scales
from loadpath.mobile.contacts.uneven import contact_axes
from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.on_patches import each_patch
from loadpath.mobile.state import State
from loadpath.scalars.types import Bools, Floats
from loadpath.states import unknown_states

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_ROUNDING = 1e-10
"""Of the largest friction force available, what shares at their limits may be beyond it."""


@dataclass(frozen=True, eq=False)
class Slip:
    """Friction at every contact, (..., contacts) each; columns follow `names`.

    `used` (N): size of the longitudinal and lateral force together (friction circle). `available` (N): coefficient
    times normal force: static, or sliding where the motion of the base drags the contact (`sliding`). `loads` has the
    forces: a share within all friction circles, where there is one. `unknown` (...): states that are not numbers, all
    of whose contacts count as slipping.
    """

    used: Floats
    available: Floats
    sliding: Bools
    loads: WheelLoads
    names: tuple[str, ...]

    def __repr__(self) -> str:
        columns = {"friction used (N)": self.used, "available (N)": self.available, "used / available": self.ratio}
        return named_rows("Friction at every contact", self.names, columns)

    @property
    def ratio(self) -> Floats:
        """(..., contacts): used over available: 1 at the limit; 0 where nothing is asked, infinite where nothing is
        there for what is asked. It is above 1 exactly where the contact `slips`: what that forgives as rounding is
        forgiven here, too.
        """
        some = self.available > self._rounding
        result: Floats = np.where(some, self.used / np.where(some, self.available, 1.0), 0.0)
        asked = self.used > self._rounding
        result = np.where(~some & asked, np.inf, np.where(np.isnan(self.used), np.nan, result))
        return np.where(self.slips, result, np.minimum(result, 1.0))

    @property
    def slips(self) -> Bools:
        """(..., contacts): which contacts cannot hold what is asked of them, or are not known to."""
        result: Bools = ~(self.used <= self.available + self._rounding)
        return result

    @property
    def _rounding(self) -> Floats:
        """(..., 1): N, forces that are rounding beside those of the other contacts."""
        result: Floats = _ROUNDING * self.available.max(axis=-1, keepdims=True, initial=0.0)
        return result

    @cached_property
    def unknown(self) -> Bools:
        """(...): states of which some force is not a number."""
        return unknown_states(self.used, self.available)

    @cached_property
    def friction_factor(self) -> Floats:
        """(...): the least factor on all friction coefficients with which the contacts could hold what is asked of
        them, however they share it: up to 1 the base holds. State by state, so for many states it takes its time.

        >>> import loadpath as lp
        >>> stop = lp.catalog.lau_rover(driven=True).slip([0, 0, 0.5], velocity=(1.0, 0.0), acceleration=(-6.0, 0.0))
        >>> bool(stop.friction_factor > 1) == bool(stop.slips.any())
        True
        """
        return _friction_factor(self.loads, self.available)

    @property
    def worst_number(self) -> NDArray[np.intp]:
        """(...): number of the contact with the largest ratio."""
        result: NDArray[np.intp] = np.asarray(self.ratio.argmax(axis=-1))
        return result

    @property
    def worst(self) -> str | NDArray[np.str_]:
        """Name of the contact nearest to slipping (...); for one state, a text. Empty where the state has a NaN."""
        bad: Bools = np.asarray(np.isnan(self.used).any(axis=-1))
        found = np.array([*self.names, ""])[np.where(bad, -1, self.worst_number)]
        return found if bad.ndim else str(found)


def slip(rover: Rover, state: State, loads: WheelLoads) -> Slip:
    """Friction used and available in a state."""
    contacts = len(loads.names)
    friction = _coefficients(rover, state)
    used, available = np.empty((state.count, contacts)), np.empty((state.count, contacts))
    sliding = np.empty((state.count, contacts), dtype=bool)
    along, across, normal = (
        part.reshape(-1, contacts) for part in (loads.longitudinal, loads.lateral, loads.normal)
    )
    for some, block in state.blocks():
        sliding[some] = scrubs(rover.arrangement, block.placed, block.speeds) if block.free is None else \
            block.free.sliding
        coefficient = np.where(sliding[some], *(part if part.ndim == 1 else part[some] for part in friction))
        used[some] = np.hypot(along[some], across[some])
        available[some] = coefficient * np.maximum(normal[some], 0.0)
    shape = (*state.batch, contacts)
    return Slip(used.reshape(shape), available.reshape(shape), sliding.reshape(shape), loads, rover.contact_names)


def _coefficients(rover: Rover, state: State) -> tuple[Floats, Floats]:
    """Of sliding and static friction, (contacts,), or (count, contacts) on patches."""
    if state.pose is None:
        return rover.frictions["sliding"], rover.frictions["static"]
    sliding, static = (np.empty((state.count, len(rover.contact_names))) for _ in range(2))
    for at, those in each_patch(state):
        sliding[at], static[at] = those.rover.frictions["sliding"], those.rover.frictions["static"]
    return sliding, static


def _friction_factor(loads: WheelLoads, available: Floats) -> Floats:
    state = loads.state
    wheels, placed = state.rover.arrangement, state.placed
    grip = carrying(contact_model(state.rover)).grip
    groups = groups_of(grip.contact, len(loads.names))
    rows = wheels.in_base(grip, placed) if state.linked is None else rows_on_links(grip, placed, state.linked)
    if state.stance is not None and state.linked is None:  # with the normal forces as they are
        forward, left = contact_axes(placed, state.stance.normals)
        d = grip.local[:, 0, None] * forward[..., grip.contact, :] + grip.local[:, 1, None] * left[..., grip.contact, :]
        x, y = wheels.pivots[grip.contact].T
        rows = np.stack([d[..., 0], d[..., 1], x * d[..., 1] - y * d[..., 0]], axis=-1)
    rows = rows / scales(rows, wheels.size)
    rows = np.broadcast_to(rows, (*state.batch, *rows.shape[-2:])).reshape(state.count, *rows.shape[-2:])
    # What the rows carry; what a contact carries besides leaves less of its circle.
    force = np.stack([loads.longitudinal, loads.lateral], axis=-1).reshape(state.count, len(loads.names), 2)
    carried = (force[:, grip.contact] * grip.local).sum(axis=-1)
    most = available.reshape(state.count, len(loads.names)) ** 2 - (force**2).sum(axis=-1) + groups.sizes(carried) ** 2
    result = np.full(state.count, np.nan)
    for i in np.flatnonzero(np.isfinite(carried).all(axis=-1) & np.isfinite(most).all(axis=-1)):
        basis = independent(rows[i])
        load = basis.T @ (carried[i] @ rows[i])
        result[i] = friction_needed(rows[i] @ basis, groups, np.sqrt(np.maximum(most[i], 0.0)), load).factor
    return result.reshape(state.batch)
