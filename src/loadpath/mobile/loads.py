"""Forces at every contact of a rover with the ground, and what a motion asks for that no contact gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.cached import cached_property
from loadpath.errors import warn
from loadpath.in_text import named_rows
from loadpath.mobile.arrangement import Arrangement
from loadpath.mobile.contacts.given_motion import Loads, scrubs, settle
from loadpath.mobile.contacts.linked import motions_at, settle_on_links
from loadpath.mobile.contacts.plane import ContactModel, contact_model
from loadpath.mobile.contacts.uneven import contact_axes, settle_on_uneven
from loadpath.mobile.kinematics import rotation_axis
from loadpath.mobile.on_patches import each_patch
from loadpath.mobile.plot import loads_plot
from loadpath.mobile.state import State
from loadpath.mobile.support import TURNS, edges_of, zero_moment
from loadpath.mobile.tyres import spring_normals, springs_under
from loadpath.mobile.wheel_motors import WheelMotors, wheel_motors
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.simulate.base_state import FreeBase
from loadpath.states import place_of, state_words, unknown_states

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover


Split = Literal["compliance", "load"]
_HARD_BLOCK = 32768
"""States at a time that take several rounds, of which few states need all."""


@dataclass(frozen=True, eq=False)
class WheelLoads:
    """Forces (N) of the ground on every contact, (..., contacts) each; columns follow `names`.

    `normal` along the ground's normal; `longitudinal` along the contact's rolling direction, positive forward;
    `lateral` across it, positive to the left. `drive_torque` (N m) is what the motor or brake of a driven wheel must
    give, its spin inertia, the rotor of its `drive` and its rolling resistance included; 0 for others. `motors` has
    that at the motors' shafts, against their limits.

    `tips_over` (...): no contact forces are in balance with the motion; the normal forces are then those that would
    be if contacts could pull, some of them negative. Of a simulation whose base was a free body all forces are those of
    the simulation, and `tips_over` says where it turns over an edge or flies.
    `unsupplied` (..., 3): force along x and y and moment about z, that the motion asks for but no contact can give: not
    zero means that the base does not move so by itself (it rolls away, or does not start). Of wheels on links, the same
    for each passive joint about the vertical after these.
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

    def __repr__(self) -> str:
        return named_rows("Forces of the ground on every contact", self.names, {
            "normal (N)": self.normal, "longitudinal (N)": self.longitudinal, "lateral (N)": self.lateral,
            "drive torque (N m)": self.drive_torque})

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
        stance, free, linked = self.state.stance, self.state.free, self.state.linked
        if free is not None:
            return free.forces
        normals = linked.normals if linked is not None else None if stance is None else stance.normals
        if normals is not None:
            forward, left = contact_axes(self.state.placed, normals)
            each = zip((self.normal, self.longitudinal, self.lateral), (normals, forward, left), strict=True)
            return np.asarray(sum(force[..., None] * axis for force, axis in each))
        x, y = self.forward[..., 0], self.forward[..., 1]
        along, across = self.longitudinal, self.lateral
        return np.stack([x * along - y * across, y * along + x * across, self.normal], axis=-1)

    @cached_property
    def motors(self) -> WheelMotors:
        """What the motors of wheels with a `drive` do for this, and what steering takes."""
        return wheel_motors(self)

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
    if state.free is not None:
        return _of_free_base(rover, state, state.free, split)
    if state.pose is not None:
        return _by_patches(rover, state, split)
    normal, along, across, drive = (np.empty((state.count, contacts)) for _ in range(4))
    hinges = 0 if state.linked is None else state.linked.J.shape[-1] - state.linked.lifting
    missing, tips = np.empty((state.count, 3 + hinges)), np.zeros(state.count, dtype=bool)
    model, wheels = contact_model(rover), rover.arrangement
    edges = rover.edges if wheels.fixed_points else None
    hard: list[NDArray[np.intp]] = []
    sprung = not rover.base.on_plain_springs or state.heights is not None
    exactly = sprung or state.stance is not None or state.linked is not None
    for some, block in () if exactly else state.blocks():
        motion = block.force, block.torque, block.velocity, block.acceleration
        *results, check = block.compute("contact_loads", *motion, states=state.count)
        for whole, part in zip((normal, along, across, drive, missing), results, strict=True):
            whole[some] = part
        wrong = np.broadcast_to(~(check[..., 0] == 0.0), (some.stop - some.start,))
        hard.append(np.flatnonzero(wrong if split == "compliance" else np.ones_like(wrong)) + some.start)
    left = np.arange(state.count) if exactly else np.concatenate(hard) if hard else np.zeros(0, dtype=np.intp)
    for start in range(0, len(left), _HARD_BLOCK):
        at = left[start : start + _HARD_BLOCK]
        those = state.rows(at)
        parts = those.force, those.torque, those.velocity, those.acceleration
        each = (np.broadcast_to(part, (len(at), 3)) for part in parts)
        if those.linked is not None:
            exact = _on_links(model, wheels, those, [np.array(part) for part in each], by_load=split == "load")
        elif those.stance is not None:
            exact = settle_on_uneven(model, wheels, those.placed, those.stance, *list(each)[:2],
                                     by_load=split == "load",
                                     carried_by=partial(springs_under, rover, those) if sprung else None)
        else:
            exact = settle(model, wheels, those.placed, edges, *each, by_load=split == "load",
                           normal=spring_normals(rover, those) if sprung else None)
        normal[at], along[at], across[at], drive[at], missing[at], tips[at] = exact
    tips |= unknown_states(normal)
    shape = state.batch
    return WheelLoads(
        normal=normal.reshape(*shape, contacts),
        longitudinal=along.reshape(*shape, contacts),
        lateral=across.reshape(*shape, contacts),
        drive_torque=drive.reshape(*shape, contacts),
        unsupplied=missing.reshape(*shape, missing.shape[-1]),
        tips_over=tips.reshape(shape),
        names=rover.contact_names,
        state=state,
    )


def _of_free_base(rover: Rover, state: State, free: FreeBase, split: Split) -> WheelLoads:
    """The forces that the simulation found: in space they do not follow from the motion."""
    if split != "compliance":
        raise ValueError(f"split is {split!r}, and in the simulation the base moves in space, where the forces of the "
                         "contacts are those of the simulation: leave it out")
    margin = zero_moment(free.vertical, edges_of(free.points).moments(free.vertical).min(axis=-1))[0]
    return WheelLoads(
        normal=free.normal, longitudinal=free.longitudinal, lateral=free.lateral, drive_torque=free.wheel_torques,
        unsupplied=np.zeros((*state.batch, 3)), tips_over=~(margin > TURNS * rover.arrangement.size),
        names=rover.contact_names, state=state,
    )


def _on_links(model: ContactModel, wheels: Arrangement, state: State, motion: list[Floats], *, by_load: bool) -> Loads:
    """Forces in states in a row, some contacts being on links."""
    force, torque, velocity, acceleration = motion
    linked, placed = state.linked, state.placed
    assert linked is not None
    speeds, rates = (np.concatenate([part, joints], axis=-1)
                     for part, joints in ((velocity, linked.qd), (acceleration, linked.qdd)))
    motions = motions_at(wheels, placed, speeds, rates, linked.bias)
    return settle_on_links(model, wheels, placed, linked.hung, force, torque, motions,
                           scrubs(wheels, placed, speeds), by_load=by_load)


def with_ground_forces(loads: WheelLoads, given: Mapping[str, Wrench]) -> dict[str, Wrench]:
    """External wrenches on links, with what the ground does to the wheels of each, in base axes at the links' origins.
    """
    state, rover = loads.state, loads.state.rover
    assert state.linked is not None
    assert rover.linkage is not None
    result = dict(given)
    origins = rover.linkage.hubs(state.linked.q).origin
    for link in dict.fromkeys(wheel.link for wheel in rover.base.wheels if wheel.link is not None):
        those = [k for k, wheel in enumerate(rover.base.wheels) if wheel.link == link]
        force, arm = loads.force[..., those, :], (state.linked.points - origins)[..., those, :]
        total = Wrench(force.sum(axis=-2), np.cross(arm, force).sum(axis=-2))
        if link in given:
            own = given[link]
            if own.axes != "world":
                raise ValueError(f"the external wrench on link '{link}', which has wheels, is in {own.axes} axes: give "
                                 "it in world axes, which are those of the base")
            own = own.at((0.0, 0.0, 0.0))
            total = Wrench(total.force + own.force, total.torque + own.torque)
        result[link] = total
    return result


def _by_patches(rover: Rover, state: State, split: Split) -> WheelLoads:
    """The loads of states on patches, group by group."""
    if not state.count:
        return wheel_loads(rover, replace(state, pose=None), split)
    parts: dict[str, Floats | Bools] = {}
    for at, those in each_patch(state):
        loads = wheel_loads(those.rover, those, split)
        for name in ("normal", "longitudinal", "lateral", "drive_torque", "unsupplied", "tips_over"):
            value = getattr(loads, name)
            value = np.broadcast_to(value, (len(at), *value.shape[value.ndim - (name != "tips_over") :]))
            parts.setdefault(name, np.empty((state.count, *value.shape[1:]), dtype=value.dtype))[at] = value
    shaped = {name: value.reshape((*state.batch, *value.shape[1:])) for name, value in parts.items()}
    return WheelLoads(**shaped, names=rover.contact_names, state=state)


NOTICEABLE = 1e-6
"""Share of the load on the contacts from which on something is missing; less is rounding."""


def shares_missing(loads: WheelLoads) -> Floats:
    """(...): what is missing as a share of what the contacts carry, moments by the size of the base. Zero where the
    base tips over: then it is no question of drives.
    """
    size = np.full(loads.unsupplied.shape[-1], 1.0 / loads.state.rover.arrangement.size)
    size[:2] = 1.0
    missing, carried = np.linalg.norm(loads.unsupplied * size, axis=-1), loads.normal.sum(axis=-1)
    judged: Bools = (carried > 0) & ~loads.tips_over & ~np.isnan(missing)
    return np.asarray(np.where(judged, missing / np.where(judged, carried, 1.0), 0.0))


def _only_rounding(loads: WheelLoads) -> bool:
    """Whether nothing is missing anywhere, by the largest entry of all and the smallest load: quick passes over a large
    batch. NaN says no.
    """
    missing, carried = loads.unsupplied, loads.normal @ np.ones(loads.normal.shape[-1])
    if not missing.size:
        return True
    largest = max(missing.max(), -missing.min()) * 2.0 * max(1.0, 1.0 / loads.state.rover.arrangement.size)
    return bool(largest <= NOTICEABLE * carried.min())


def missing_words(unsupplied: Floats) -> str:
    """The largest force and moment (..., 3) that are missing.

    >>> missing_words(np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]]))
    '5 N along the ground and 2 N m about the vertical'
    """
    rows = unsupplied.reshape(-1, unsupplied.shape[-1])
    force, moment = (float(np.nanmax(part)) for part in (np.hypot(rows[:, 0], rows[:, 1]), np.abs(rows[:, 2:])))
    largest = max(force, moment)
    words = [(force, "N along the ground"), (moment, "N m about the vertical")]
    return " and ".join(f"{value:.4g} {unit}" for value, unit in words if value > NOTICEABLE * largest)


def warn_of_unsupplied(loads: WheelLoads, caller: str) -> None:
    """One warning where a base with drives is asked for what they cannot give. Of a base without drives that is known:
    it rolls as it is pushed.
    """
    rover = loads.state.rover
    if not rover.arrangement.driven.any() or _only_rounding(loads):
        return
    shares = shares_missing(loads)
    lacks = shares > NOTICEABLE
    if not lacks.any():
        return
    place = place_of(int(np.argmax(shares)), shares.shape)
    many = f" in {int(lacks.sum())} of {lacks.size} states, most{state_words(place)}" if lacks.ndim else ""
    steering = None if loads.state.steering is None else np.broadcast_to(
        loads.state.steering, (*loads.state.batch, loads.state.steering.shape[-1])
    )[place]
    loose = "" if rover.base.on_links else rotation_axis(rover, steering).loose_words()
    why = f" ({loose})" if loose else ""
    warn(f"{caller}: the motion of '{rover.name}' asks for {missing_words(loads.unsupplied[place])} that no contact "
         f"and no drive gives{many}{why}: the base does not move so by itself")
