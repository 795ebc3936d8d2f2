"""First derivatives of the loads of wheels: how the forces at every contact change with the motion of arm and base.

The wrench of the ground and its shares are differentiated together, by the chain rule over the recorded equations. In
each state the contacts that carry are those of `wheel_loads`, and casters stay at the angles that they have there: a
caster turns over a way, not at once. Where friction is used up the shares are those of another rule, and where a
contact just lifts or a wheel stands still with nothing to say which way it would roll, forces have a kink: no
derivative there, and the result says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from loadpath.algorithms.derivatives import tangents
from loadpath.errors import warn
from loadpath.in_text import parts
from loadpath.mechanics.wrenches import External
from loadpath.mobile.contacts.given_motion import loads_on
from loadpath.mobile.contacts.plane import ContactModel
from loadpath.mobile.ground_wrench import RoverMechanism, ground_wrench
from loadpath.mobile.loads import WheelLoads, wheel_loads
from loadpath.mobile.motions import BaseState, arm_states, as_numbers, base_state_of, refuse_ground, refuse_links
from loadpath.mobile.state import state_at
from loadpath.scalars import Array, Scalar, zeros
from loadpath.scalars.derivative import along
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import StatesLike, warn_of_unknown
from loadpath.states.keywords import refuse_loops

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

PARTS = 4
"""Normal, longitudinal and lateral forces, torques of drives."""


class OnContacts(NamedTuple):
    """The arms on a base, and what their contacts are."""

    rover: RoverMechanism
    contacts: ContactModel


def wheel_load_slopes(
    on: OnContacts,
    q: Array,
    qd: Array,
    qdd: Array,
    velocity: Array,
    acceleration: Array,
    steering: Array,
    external: External | None = None,
    heading: Scalar | None = None,
    carries: Array | None = None,
) -> tuple[Array, Array]:
    """Derivatives (4 contacts, 3 n + 6) of normal, longitudinal and lateral forces and torques of drives, by q, qd,
    qdd, velocity and acceleration of the base; and two numbers that are zero where they hold: for the normal forces,
    and for the others. `carries` is 0 for contacts in the air; without it none is.
    """
    force, torque = ground_wrench(on.rover, q, qd, qdd, external, velocity, acceleration, heading)
    *loads, _, pulls, slips = loads_on(on.contacts, force, torque, velocity, acceleration, steering, carries)
    nq, n = len(q), len(qd)
    directions = zeros(nq + 2 * n + 6, 3 * n + 6)
    directions[:nq, :n] = tangents(on.rover.mechanism, q)
    for k in range(2 * n + 6):
        directions[nq + k, n + k] = 1.0
    slopes = along([x for part in loads for x in part], [*q, *qd, *qdd, *velocity, *acceleration], directions)
    checks = zeros(2)
    checks[0], checks[1] = pulls[0], pulls[0] + slips[0]
    return slopes, checks


@dataclass(frozen=True, eq=False)
class WheelLoadSlopes:
    """Derivatives (..., contacts, k) of the forces at every contact, and of the torques of drives, by the k entries of
    one kind of argument.
    """

    normal: Floats
    longitudinal: Floats
    lateral: Floats
    drive_torque: Floats

    def __repr__(self) -> str:
        return parts("Derivatives of wheel loads, by contact and entry", {
            "normal": (self.normal, "N per unit"), "longitudinal": (self.longitudinal, "N per unit"),
            "lateral": (self.lateral, "N per unit"), "drive_torque": (self.drive_torque, "N m per unit")})


@dataclass(frozen=True, eq=False)
class WheelLoadDerivatives:
    """Derivatives of `wheel_loads` by q (a small motion with the meaning of qd), qd and qdd, each (..., contacts, n),
    and by the velocity (v_x, v_y, w) and acceleration of the base, each (..., contacts, 3). Casters keep their angles.
    """

    q: WheelLoadSlopes
    qd: WheelLoadSlopes
    qdd: WheelLoadSlopes
    velocity: WheelLoadSlopes
    acceleration: WheelLoadSlopes
    loads: WheelLoads
    """What they are the derivatives of."""
    kinks: Bools
    """(...): where normal forces have no derivative: the base tips over, a contact just touches, or the state is not
    known. NaN there.
    """
    friction_kinks: Bools
    """(...): where the others have none: there, where friction is used up, and at rest on wheels that resist. NaN."""

    def __repr__(self) -> str:
        kinds = {"q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s^2 or m/s^2", "velocity": "m/s, rad/s",
                 "acceleration": "m/s^2, rad/s^2"}
        lines = [f"  .{kind}: normal, longitudinal, lateral (N), drive_torque (N m) per {unit}, "
                 f"{np.shape(getattr(self, kind).normal)}" for kind, unit in kinds.items()]
        return "\n".join([f"Derivatives of wheel loads of {', '.join(self.loads.names)}", *lines])


def wheel_load_derivatives(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    **motion: Unpack[BaseState],
) -> WheelLoadDerivatives:
    """Derivatives of `wheel_loads` by the motion of arm and base: `.q`, `.qd`, `.qdd`, `.velocity`, `.acceleration`,
    each with `.normal`, `.longitudinal`, `.lateral` and `.drive_torque`. Arguments as in `wheel_loads`. Contacts that
    are in the air stay there, casters keep their angles.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))
    >>> found = rover.wheel_load_derivatives([0, 0, 0.5], velocity=(1.0, 0.0), acceleration=(0.5, 0.0))
    >>> found.q.normal.shape, found.velocity.lateral.shape
    ((3, 3), (3, 3))
    >>> float(abs(found.q.normal.sum(axis=0)).max().round(9))        # an arm at rest: its weight is what it is
    0.0
    >>> float(found.acceleration.longitudinal.sum(axis=0)[0].round(9))      # kg: force along x per m/s^2
    12.0
    """
    caller = "wheel_load_derivatives"
    refuse_links(rover, caller)
    refuse_ground(rover.ground, caller)
    refuse_loops(rover, caller, "differences of rover.wheel_loads along rover.complete(...) are of the closed robot")
    if not rover.base.on_plain_springs:
        raise ValueError(f"{caller}: base '{rover.base.name}' stands on springs or tyres that carry more than stated "
                         "compliances do, and this knows firm contacts: use differences of rover.wheel_loads")
    if motion.get("heights") is not None:
        raise ValueError(f"{caller} does not know heights of the ground under contacts: leave 'heights' out")
    state = state_at(rover, q, qd, qdd, motion, caller)
    loads = wheel_loads(rover, state)
    warn_of_unknown(loads.unknown, caller, "NaN there, and counted as tipping over: see .loads.unknown")
    joints = [np.asarray(part, dtype=float) for part in arm_states(rover, q, qd, qdd, caller)]
    base = base_state_of(rover, q, motion, caller)
    wheels, options = rover.arrangement, {"external": base.get("external")}
    if rover.ground.slope or base.get("heading") is not None:
        options["heading"] = as_numbers(0.0 if base.get("heading") is None else base["heading"], "heading")
    angles = state.steering
    if angles is None or not angles.shape[-1]:
        angles = wheels.aligned(state.velocity) if len(wheels.steerable) else np.zeros(1)
    given = {"velocity": state.velocity, "acceleration": state.acceleration, "steering": angles}
    slopes, checks = _all_slopes(rover, joints, given, options, loads)
    n, contacts = rover.n, len(rover.contact_names)
    table = slopes.reshape(*slopes.shape[:-2], PARTS, contacts, 3 * n + 6)
    kinks = _lost(checks[..., 0], table[..., :1, :, :]) | loads.unknown
    friction_kinks = _lost(checks[..., 1], table) | loads.unknown
    table[..., 0, :, :][kinks] = np.nan
    table[..., 1:, :, :][friction_kinks] = np.nan
    _warn_of_kinks(kinks, friction_kinks, loads)
    cuts = np.cumsum([n, n, n, 3])
    q_, qd_, qdd_, v, a = (WheelLoadSlopes(*np.moveaxis(part, -3, 0)) for part in np.split(table, cuts, axis=-1))
    return WheelLoadDerivatives(q_, qd_, qdd_, v, a, loads, kinks, friction_kinks)


def _all_slopes(
    rover: Rover, joints: list[Floats], base: Mapping[str, Floats], options: dict[str, Any], loads: WheelLoads
) -> tuple[Floats, Floats]:
    """Slopes and checks of all states: those in which contacts are in the air by themselves, as that takes longer."""
    batch = loads.normal.shape[:-1]
    with np.errstate(all="ignore"):  # what is no number is said later
        found = rover.wheel_load_slopes(*joints, *base.values(), **options)
        slopes, checks = (np.array(np.broadcast_to(part, (*batch, *part.shape[part.ndim - core :])))
                          for part, core in zip(found, (2, 1), strict=True))
        lifted = loads.lifted.any(axis=-1) & ~loads.tips_over
        if lifted.any():
            some = [np.broadcast_to(part, (*batch, part.shape[-1]))[lifted] for part in (*joints, *base.values())]
            some_options = {**options, "carries": (loads.normal[lifted] != 0.0).astype(float)}
            if "heading" in options:
                some_options["heading"] = np.broadcast_to(options["heading"], batch)[lifted]
            if options["external"]:
                some_options["external"] = {
                    link: replace(wrench, **{part: np.broadcast_to(getattr(wrench, part), (*batch, 3))[lifted]
                                             for part in ("force", "torque", "point")})
                    for link, wrench in options["external"].items()}
            slopes[lifted], checks[lifted] = rover.wheel_load_slopes(*some, **some_options)
    return slopes, checks


def _lost(check: Floats, slopes: Floats) -> Bools:
    """In which states there is no derivative."""
    lost: Bools = np.asarray(~((check == 0.0) & np.isfinite(slopes).all(axis=(-3, -2, -1))))
    return lost


def _warn_of_kinks(kinks: Bools, friction_kinks: Bools, loads: WheelLoads) -> None:
    """One warning for each kind; what is unknown is said already."""
    for which, what in ((kinks, "the base tips over or a contact just touches, so normal forces have"),
                        (friction_kinks & ~kinks, "friction is used up, or wheels that resist stand still, so forces "
                                                  "along the ground have")):
        count = int((which & ~loads.unknown).sum())
        if count:
            warn(f"wheel_load_derivatives: in {count} of {which.size} states {what} no derivative: NaN there, see "
                 ".kinks and .friction_kinks")
