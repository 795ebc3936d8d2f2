"""`rover.posture`: how a base stands on its tyres and suspensions, and how much of their travel it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from loadpath import html
from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.mobile.motions import BaseState, refuse_unknown
from loadpath.mobile.state import State, state_at
from loadpath.mobile.tyres import settled, spring_normals
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import StatesLike, warn_of_unknown

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


@dataclass(frozen=True, eq=False)
class Posture:
    """How a base stands on its springs, for every state, against its design position: the one in which the base frame
    lies on level ground, suspensions are in their design position and tyres bear no load.

    - `heave` (...): how far the origin of the base frame is higher (m): less than zero where it has sunk in.
    - `roll`, `pitch` (...): rotations about x and y (rad), small: the left side goes up with roll, the nose down with
      pitch.
    - `normal`, `suspension`, `tyre` (..., contacts): force of the ground (N), deflection of the suspension from its
      design position (m, bump positive; 0 where there is none) and of the tyre from no load (m).

    Where the base `tips_over` it has no posture: its numbers are NaN, but for `normal`, as in `wheel_loads`.
    """

    heave: Floats
    roll: Floats
    pitch: Floats
    normal: Floats
    suspension: Floats
    tyre: Floats
    tips_over: Bools
    names: tuple[str, ...]
    state: State
    element_stiffness: Floats
    """(..., elements): of each spring of `rover.arrangement.springs`, where it stands (N/m); NaN where it tips over."""

    @property
    def unknown(self) -> Bools:
        """(...): states that are not numbers; they count as tipping over."""
        return np.asarray(np.isnan(self.normal).any(axis=-1))

    @property
    def lifted(self) -> Bools:
        """(..., contacts): which are in the air, though the base does not tip over."""
        result: Bools = (self.normal == 0) & ~self.tips_over[..., None]
        return result

    @cached_property
    def travel_used(self) -> Floats:
        """(..., contacts): share of the suspension's travel, 1 at the bump stop, -1 at the rebound stop; beyond where
        the stop is pressed in, 0 where the travel has no end.
        """
        springs = [wheel.suspension for wheel in self.state.rover.base.wheels]
        columns = [0.0 * self.suspension[..., k] if spring is None else spring.travel_used(self.suspension[..., k])
                   for k, spring in enumerate(springs)]
        return np.stack(columns, axis=-1)

    @property
    def on_bump_stop(self) -> Bools:
        """(..., contacts): whose bump stop is pressed in."""
        result: Bools = self.travel_used > 1
        return result

    @property
    def on_rebound_stop(self) -> Bools:
        """(..., contacts): whose rebound stop pulls: the preload is not overcome, or the wheel hangs in the air."""
        result: Bools = self.travel_used < -1
        return result

    @cached_property
    def stiffness(self) -> Floats:
        """(..., 3, 3): force along z (N) and moments about x and y (N m) at the origin of the base frame per unit of
        heave (m), roll and pitch (rad), for small changes of the posture: of the springs that carry as they stand.
        """
        springs, points = self.state.rover.arrangement.springs, self.state.placed.points
        shape = (*self.state.batch, *points.shape[-2:])
        flat = self.element_stiffness.reshape(-1, self.element_stiffness.shape[-1])
        places = np.broadcast_to(points, shape).reshape(-1, *points.shape[-2:]) if points.ndim > 2 else points
        result = np.full((len(flat), 3, 3), np.nan)
        known = np.flatnonzero(~np.isnan(flat).any(axis=-1))
        if points.ndim > 2:
            for k in known:
                result[k] = springs.stiffness(places[k], flat[k])
        elif len(known):
            each, which = np.unique(flat[known], axis=0, return_inverse=True)
            result[known] = np.array([springs.stiffness(points, one) for one in each])[which.ravel()]
        return result.reshape(*self.state.batch, 3, 3)

    @property
    def compliance(self) -> Floats:
        """(..., 3, 3): heave, roll and pitch per unit of force along z and moments about x and y at the origin of the
        base frame: the inverse of `stiffness`; infinite where too few springs carry to hold the base.
        """
        scale = np.array([1.0, *2 * [self.state.rover.arrangement.size]])
        K = self.stiffness / np.outer(scale, scale)
        known = np.asarray(~np.isnan(K).any(axis=(-1, -2)))
        values, vectors = np.linalg.eigh(np.where(known[..., None, None], K, np.eye(3)))
        holds = np.asarray(values[..., 0] > 1e-9 * values[..., -1])
        whole = (vectors / np.where(holds[..., None], values, 1.0)[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        whole = np.where(holds[..., None, None], whole / np.outer(scale, scale), np.inf)
        result: Floats = np.where(known[..., None, None], whole, np.nan)
        return result

    @property
    def roll_stiffness(self) -> Floats:
        """(...): moment about x per roll (N m/rad), heave and pitch free."""
        result: Floats = 1.0 / self.compliance[..., 1, 1]
        return result

    @property
    def pitch_stiffness(self) -> Floats:
        """(...): moment about y per pitch (N m/rad), heave and roll free."""
        result: Floats = 1.0 / self.compliance[..., 2, 2]
        return result

    def _repr_html_(self) -> str:
        parts = {"normal (N)": self.normal, "suspension (m)": self.suspension, "tyre (m)": self.tyre,
                 "travel used": self.travel_used}
        flat = [np.reshape(values, (-1, len(self.names))) for values in parts.values()]
        rows = [[name, *(html.ranged(values[:, k]) for values in flat)] for k, name in enumerate(self.names)]
        return html.table("Posture on springs", ["contact", *parts], rows)


def posture(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    **motion: Unpack[BaseState],
) -> Posture:
    """Heave, pitch and roll of the base on its tyres and suspensions, their deflections and the travel that they use,
    for arm and base to move as they do: states and motion are as in `wheel_loads`. It counts preload, ends of travel,
    wheels that lift, anti-roll bars and unsprung masses; of first order in the posture, so that the loads are those of
    the base in its design position.

    On ground with a surface it counts from the plane nearest to the ground under the contacts (`state.stance`).

    `heights` (..., contacts), or by names, is how high the ground is under each contact (m), along z from the plane of
    the base frame in its design position: a kerb, a jack, a hole.

    >>> import loadpath as lp
    >>> spring = lp.Suspension(stiffness=20e3, preload=1962.0, bump_travel=0.05, bump_stop_stiffness=180e3)
    >>> wheels = [lp.FixedWheel((x, y), 0.3, suspension=spring) for x in (-1, 1) for y in (-0.5, 0.5)]
    >>> cart = lp.WheeledBase(mass=800, center_of_mass=(0, 0, 0.5), wheels=wheels).carrying()
    >>> round(float(cart.posture().heave), 9)                            # its springs carry 1962 N each
    0.0
    >>> braking = cart.posture(acceleration=(-5.0, 0.0))                 # 500 N more on each wheel in front
    >>> float(braking.pitch.round(6)), braking.travel_used.round(6).tolist()
    (0.025, [0.0, 0.0, 0.5, 0.5])
    """
    refuse_unknown(motion, "posture")
    if not rover.base.on_springs:
        raise ModelError(f"posture: base '{rover.name}' stands on rigid wheels: give them stiffness= (of the tyre) or "
                         "suspension=lp.Suspension(...)")
    state, contacts = state_at(rover, q, qd, qdd, motion, "posture"), len(rover.contact_names)
    row = state.rows(slice(None))
    own, tips = settled(rover, row)
    normal = spring_normals(rover, row) if tips.any() else own.normal
    shape = state.batch
    compliance = [0.0 if wheel.stiffness is None else 1.0 / wheel.stiffness for wheel in rover.base.wheels]
    result = Posture(
        heave=own.base[:, 0].reshape(shape), roll=own.base[:, 1].reshape(shape), pitch=own.base[:, 2].reshape(shape),
        normal=normal.reshape(*shape, contacts), suspension=own.deflection.reshape(*shape, contacts),
        tyre=(own.normal * compliance).reshape(*shape, contacts), tips_over=tips.reshape(shape),
        names=rover.contact_names, state=state, element_stiffness=own.tangent.reshape(*shape, own.tangent.shape[-1]),
    )
    warn_of_unknown(result.unknown, "posture", "NaN there, and counted as tipping over: see posture.unknown")
    return result
