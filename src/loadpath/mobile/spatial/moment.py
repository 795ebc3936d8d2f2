"""Accelerations of rovers with wheels on links, state by state: as at the first moment of a simulation.

The base is a free body on level ground, its contacts what `Settling` finds of them: normal forces, grip, rolling
resistance and dry friction of joints in one complementarity. Nothing is integrated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.algorithms.coulomb import DryFriction
from loadpath.errors import IntegrationError, ModelError
from loadpath.mobile.base_in_space import base_position, moves_or_is_uneven, state_of_ground
from loadpath.mobile.contacts.elements import Elements
from loadpath.mobile.dynamics import AskedAccelerations, RoverAccelerations, refuse_sliding
from loadpath.mobile.equations import BASE
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.linked_state import refuse_off_ground
from loadpath.mobile.loops import check_closed
from loadpath.mobile.spatial.forces import Outcome, SpatialForces
from loadpath.mobile.spatial.geometry import Contacts, rotation_of
from loadpath.mobile.spatial.input import Input, Place
from loadpath.mobile.spatial.recording import in_wheel_axes
from loadpath.mobile.spatial.settling import JamsError, Settling
from loadpath.mobile.spatial.start import along_ground, on_plane, put_rolling_rates
from loadpath.mobile.spatial.system import AT_ONCE
from loadpath.mobile.wheel_motors import warn_of_torques
from loadpath.robot.arrays import numbers
from loadpath.robot.mechanism import plain
from loadpath.robot.wheels.ground_motion import GroundState
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.closed.start import manifold_of
from loadpath.states import LoadCase
from loadpath.states.batch import place_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_LIFTS = 1e-6
"""m/s: speed up to which joints move a contact along the normal of the ground by rounding."""
_ALIKE = 1e-6


def linked_accelerations(asked: AskedAccelerations) -> RoverAccelerations:
    """Accelerations of a rover with wheels on links, whose passive joints follow whatever is given."""
    rover, qdd, caller = asked.rover, asked.qdd, asked.caller
    linkage, wheels = rover.linkage, rover.arrangement
    assert linkage is not None
    if rover.robot.closing_names and qdd is not None:
        raise ModelError(f"{caller}: rover '{rover.name}' has wheels on links, and loops or couplings "
                         f"({', '.join(rover.robot.closing_names)}): which joints follow is known of forces alone "
                         "(forward_dynamics), or with a mimic in place of a coupling")
    check_closed(rover, asked.q)
    base, speeds, qd, given = asked.base, asked.speeds, asked.joint_speeds, asked.given
    q = np.asarray(asked.q, dtype=float)
    headings = numbers(0.0 if asked.heading is None else asked.heading, "heading")
    torques, place = asked.torques, base_position(base)
    ground = state_of_ground(rover.ground, base) if moves_or_is_uneven(rover.ground, base) else None
    all_speeds = _joined(speeds, qd)
    angles = asked.angles(all_speeds, q)
    placed = wheels.placed(angles, q)
    refuse_off_ground(rover, linkage.hubs(q).center - linkage.radius[:, None] * (0.0, 0.0, 1.0))
    refuse_sliding(rover, placed, all_speeds, asked.steering)
    warn_of_torques(rover, torques, lambda: (wheels.rate_rows(placed) @ all_speeds[..., None])[..., 0], caller)
    case = LoadCase(asked.external)
    parts: dict[str, Floats] = {"q": q, "qd": qd, "speeds": speeds, "given": given, "torques": torques,
                                "angles": angles, "heading": headings[..., None], "place": place}
    moved = {} if ground is None else {part.name: getattr(ground, part.name) for part in fields(ground)}
    shape = np.broadcast_shapes(
        *(part.shape[:-1] for part in parts.values()), *case.shapes.values(),
        *(value.shape[: value.ndim - _core(name)] for name, value in moved.items()))
    count = int(np.prod(shape, dtype=int))
    rows = {name: np.broadcast_to(part, (*shape, part.shape[-1])).reshape((count, part.shape[-1]))
            for name, part in parts.items()}
    grounds = {name: np.broadcast_to(value, (*shape, *value.shape[value.ndim - _core(name) :])).reshape(
        (count, *value.shape[value.ndim - _core(name) :])) for name, value in moved.items()}
    moments = _Moments(rover, None if qdd is None else linkage.passive, caller)
    found = []
    for k in range(count):
        here = GroundState(**{name: value[k] for name, value in grounds.items()}) if grounds else None
        own = case.of_states(k, shape).external if shape else case.external
        found.append(moments.at({name: part[k] for name, part in rows.items()}, here, own, place_of(k, shape)))
    qdd, acceleration, tau, normal, longitudinal, lateral, tips = (
        np.array([one[i] for one in found]).reshape((*shape, *np.asarray(unknown).shape))
        for i, unknown in enumerate(moments.unknown))
    return RoverAccelerations(qdd, acceleration, tau, normal, longitudinal, lateral, tips.astype(bool),
                              rover.contact_names)


def _core(name: str) -> int:
    return 2 if name == "rotation" else 1


def _joined(speeds: Floats, qd: Floats) -> Floats:
    """(..., 3 + n)."""
    shape = np.broadcast_shapes(speeds.shape[:-1], qd.shape[:-1])
    return np.concatenate([np.broadcast_to(part, (*shape, part.shape[-1])) for part in (speeds, qd)], axis=-1)


class _Moments:
    """The equations of one rover; `sought` (n,) has the joints whose accelerations are, None for all of them."""

    def __init__(self, rover: Rover, sought: Bools | None, caller: str) -> None:
        self.rover, self.caller, self.sought, n = rover, caller, sought, rover.n
        joints = np.ones(n, dtype=bool) if sought is None else sought
        elements = Elements(rover, set(), driven_joints=joints)
        friction = rover.ground.friction or rover.base.friction
        contacts = Contacts(rover, elements, (0.0, 0.0) if friction is None else (friction.static, friction.sliding))
        free = np.ones(contacts.size, dtype=bool)
        self.manifold = manifold_of(rover.robot, rover.robot.home) if rover.robot.closing_names else None
        free[SPATIAL : SPATIAL + n] = joints if self.manifold is None else np.arange(n) < rover.robot.mobility
        self.joints = slice(SPATIAL, SPATIAL + n)
        self.contacts, self.forces = contacts, SpatialForces(rover, contacts, free)
        self.settling = Settling(self.forces)
        self.rubs = DryFriction(plain(rover.robot))
        wheels = len(rover.contact_names)
        self.unknown = (np.full(n, np.nan), np.full(BASE, np.nan), np.full(n, np.nan), *[np.full(wheels, np.nan)] * 3,
                        True)
        """Of a state that is not a number: qdd, acceleration, tau, normal, longitudinal, lateral, tips_over."""

    def at(
        self, state: Mapping[str, Floats], ground: GroundState | None, external: Mapping[str, Any] | None,
        place: Any,
    ) -> tuple[Any, ...]:
        """What a `RoverAccelerations` has of one state."""
        if not all(np.isfinite(part).all() for part in state.values()):
            return self.unknown
        moment = self._input(state, ground, external)
        outcome, touching = self._settled(moment)
        along, across, _ = in_wheel_axes(self.contacts, outcome)
        wheels = self.contacts.wheels
        normal = self.contacts.by_body(outcome.normal)[:wheels]
        lifted = self.contacts.by_body(touching.astype(float))[:wheels] == 0
        qdd, tau = moment.in_joints(outcome.Udot)[self.joints], state["given"]
        if self.sought is not None:
            self._refuse_other(tau, qdd, place)
            rubbed = np.where(self.sought, 0.0, self.rubs.at(moment.qd) * np.sign(moment.qd))
            tau = outcome.reaction[self.joints] + rubbed
        return qdd, outcome.Udot[[0, 1, 5]], tau, normal, along, across, bool(lifted.any() or (normal < 0).any())

    def _input(self, state: Mapping[str, Floats], ground: GroundState | None, external: Any) -> Input:
        rover, contacts, n = self.rover, self.contacts, self.rover.n
        quaternion = on_plane(np.array([0.0, 0.0, state["heading"][0]]))
        there = Place(np.array([*state["place"], 0.0]), rotation_of(quaternion))
        U, given, tau, none = np.zeros(contacts.size), np.zeros(contacts.size), np.zeros(n), np.zeros(0)
        U[self.joints] = state["qd"]
        if self.sought is None:
            tau = state["given"]
        else:
            given[self.joints] = np.where(self.sought, 0.0, state["given"])
        wheels = rover.arrangement
        rates = wheels.swivel_rates(wheels.placed(state["angles"], state["q"]), _joined(state["speeds"], state["qd"]))
        moment = Input(0.0, state["q"], state["qd"], there, U, given, tau, state["torques"], state["angles"], rates,
                       external, none, None, ground)
        touch = contacts.touch(moment)
        U[:SPATIAL] = along_ground(touch, state["speeds"])
        put_rolling_rates(contacts, touch, moment, U)
        if self.manifold is not None:
            moment = moment._replace(directions=self.manifold.directions(state["q"], state["qd"]))
            assert moment.directions is not None
            given[self.joints] = moment.directions.held
            moment = moment._replace(U=moment.along(U))
        return moment

    def _settled(self, moment: Input) -> tuple[Outcome, Bools]:
        """Accelerations and forces, and which contacts touch the ground."""
        contacts = self.contacts
        contacts.choose(moment)
        eq = self.forces.equations(moment)
        leaves = np.abs(eq.touch.gap_rate[: contacts.wheels])
        if leaves.max(initial=0.0) > _LIFTS:
            k = int(leaves.argmax())
            raise ValueError(f"{self.caller}: qd moves contact '{contacts.names[k]}' of rover '{self.rover.name}' "
                             f"{'off' if eq.touch.gap_rate[k] > 0 else 'into'} the ground at {leaves[k]:.4g} m/s: "
                             "these accelerations are those of wheels that stay on it; rover.simulate can lift")
        try:
            mode = self.settling.settle(moment, eq, None, self.settling.touches(eq, None)).mode
        except JamsError as jams:
            raise IntegrationError(f"{self.caller}: {jams}") from None
        mode, _ = self.settling.directed(moment, eq, mode, AT_ONCE)
        return self.forces.evaluate(moment, mode, eq), mode.touching

    def _refuse_other(self, given: Floats, found: Floats, place: Any) -> None:
        """An error for accelerations of passive joints that are not those with which they follow."""
        assert self.sought is not None
        off = self.sought & (given != 0) & (np.abs(given - found) > _ALIKE * (1.0 + np.abs(found)))
        if off.any():
            k, where = int(np.flatnonzero(off)[0]), f" at {place}" if place else ""
            raise ValueError(f"base_acceleration: qdd of '{self.rover.robot.dof_names[k]}'{where} is {given[k]:.6g}, "
                             f"and it is passive: it follows with {found[k]:.6g}; give 0 there")
