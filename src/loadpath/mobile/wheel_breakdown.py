"""What every contact carries, by cause: which joint that moves, which link's weight, which motion of the base.

The wrench of the ground on the base is that of a joint between the two, so its terms are those of `load_breakdown` at
such a joint. Normal forces are linear in it while all contacts carry: F_z, N_x and N_y of each term are shared among
the contacts as those of all terms together (`loadpath.mobile.normals`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

import numpy as np

from loadpath import html
from loadpath.mobile.ground_wrench import spin_moment
from loadpath.mobile.loads import WheelLoads, wheel_loads
from loadpath.mobile.motions import BaseState, arm_states, base_state_of, motion_of_base, refuse_unknown
from loadpath.mobile.normals import on_springs
from loadpath.mobile.quantities import reframed_rover
from loadpath.mobile.state import State, state_at
from loadpath.quantities.load_index import Cause, cause_label
from loadpath.robot.joints import Fixed
from loadpath.robot.numbers import known
from loadpath.robot.parts import Joint, Link
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, place_of

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.mobile.rover import Rover

_FEW = 1000
"""States up to which nothing is compiled."""
_VERTICAL = [2, 3, 4]
"""Of force and torque, what the normal forces carry: F_z, N_x, N_y."""
_SPIN: Cause = ("base", ("spin",))
"""Of wheels that spin: what turns them, and what turns their axles."""


@dataclass(frozen=True, eq=False, repr=False)
class WheelLoadBreakdown:
    """The normal force (N) of every contact as a sum of terms with their causes, as those of `LoadBreakdown`.

    | kind | by | for |
    |---|---|---|
    | "inertial" | the degree of freedom that accelerates | qdd |
    | "centrifugal" | the degree of freedom that moves | qd squared |
    | "coriolis" | two of them | products of two qd |
    | "gravity" | the link that weighs, the base among them | gravity |
    | "base" | "inertial", "centrifugal", "coriolis" with a degree of freedom, "spin" of wheels | `velocity=` ... |
    | "external", "carried" | the link, the load | `external=`, `motion.with_loads` |

    A term that presses a contact down is positive. They sum to `WheelLoads.normal`.
    """

    normal: Floats
    """(..., causes, contacts)."""
    all_causes: tuple[Cause, ...]
    loads: WheelLoads
    """All forces of the contacts in these states."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return self.loads.names

    @property
    def causes(self) -> list[str]:
        """The causes in words, in the order of `normal`."""
        return [cause_label(cause) for cause in self.all_causes]

    def total(self) -> Floats:
        """(..., contacts): the sums of all terms, the normal forces."""
        result: Floats = self.normal.sum(axis=-2)
        return result

    def by_cause(self, contact: str) -> dict[str, Floats]:
        """What every cause puts on a contact, (...), by its words.

        >>> import loadpath as lp
        >>> split = lp.catalog.lau_rover().wheel_load_breakdown([0, 0, 0.5], acceleration=(1.0, 0.0))
        >>> {cause: float(force.round(3)) for cause, force in split.by_cause("wheel1").items() if abs(force) > 1e-9}
        {'gravity rover': 32.7, 'gravity turntable': 3.27, 'gravity rod': 3.27, 'base inertial': -4.667}
        """
        column = self._column(contact)
        return {cause_label(cause): column[..., row] for row, cause in enumerate(self.all_causes)}

    def by_kind(self, contact: str) -> dict[str, Floats]:
        """The sums of all inertial, centrifugal, Coriolis, gravity, external and base terms on a contact."""
        return self._sums(contact, lambda kind, names: {kind: 1.0})

    def by_mover(self, contact: str) -> dict[str, Floats]:
        """What each degree of freedom (or joint) that moves puts on a contact: its inertial and centrifugal terms and
        half of each Coriolis term that it shares; the motion of the base as "base". With the other kinds these sum to
        the normal force.
        """
        moving = ("inertial", "centrifugal", "coriolis")
        return self._sums(contact, lambda kind, names: (
            dict.fromkeys(names, 1.0 / len(set(names))) if kind in moving else {"base": 1.0} if kind == "base" else {}
        ))

    def _sums(self, contact: str, shares: Any) -> dict[str, Floats]:
        column = self._column(contact)
        found: dict[str, Any] = {}
        for row, (kind, names) in enumerate(self.all_causes):
            for name, share in shares(kind, names).items():
                found[name] = found.get(name, 0.0) + share * column[..., row]
        return found

    def _column(self, contact: str) -> Floats:
        known(contact, self.names, "contact")
        return self.normal[..., self.names.index(contact)]

    def __repr__(self) -> str:
        states = "one state" if self.normal.ndim == 2 else f"states {self.normal.shape[:-2]}"
        return f"<WheelLoadBreakdown of {len(self.names)} contacts, {len(self.all_causes)} causes, {states}>"

    def _repr_html_(self) -> str:
        flat = self.normal.reshape(-1, *self.normal.shape[-2:])
        rows = [[cause, *(html.ranged(flat[:, row, k]) for k in range(len(self.names)))]
                for row, cause in enumerate(self.causes)]
        return html.table("Normal forces of the wheels by cause (N)", ["cause", *self.names], rows)


def wheel_load_breakdown(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    by: Literal["freedom", "joint"] = "freedom",
    **motion: Unpack[BaseState],
) -> WheelLoadBreakdown:
    """The normal force of every contact by cause: which joint's acceleration or speed, which link's weight, which
    motion of the base. States and motion of the base are as in `wheel_loads`, `by` as in `load_breakdown`. Three
    contacts carry what balance says, more by their stated compliances: states in which one of these lifts are refused,
    as then what a cause does depends on all others.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> split = rover.wheel_load_breakdown([0.3, 0.2, 0.5], [1, 2, 0], [3, 0, 0], velocity=(0.5, 1.0))
    >>> sorted(split.by_kind("wheel2"))
    ['base', 'centrifugal', 'coriolis', 'gravity', 'inertial']
    >>> bool(abs(split.total() - split.loads.normal).max() < 1e-11)
    True
    """
    caller = "wheel_load_breakdown"
    refuse_unknown(motion, caller)
    state = state_at(rover, q, qd, qdd, motion, caller)
    loads = wheel_loads(rover, state)
    _refuse_lifted(loads)
    base = base_state_of(rover, q, motion, caller)
    states = arm_states(rover, q, qd, qdd, caller)
    causes, vertical = _by_cause(rover, states, base, by, state)
    points = state.placed.points
    unit = on_springs(points[..., None, :, :], 1.0 / rover.arrangement.compliance, np.eye(3)).normal
    normal = np.broadcast_to(vertical @ unit, (*state.batch, len(causes), len(loads.names)))
    return WheelLoadBreakdown(normal, causes, loads)


def _by_cause(
    rover: Rover, states: tuple[Any, Any, Any], base: Mapping[str, Any], by: str, state: State
) -> tuple[tuple[Cause, ...], Floats]:
    """Causes, and F_z, N_x, N_y (..., causes, 3) of each, of the ground on the base."""
    robot, joint = _on_ground(rover)
    moves = {name: base[name] for name in ("velocity", "acceleration") if base.get(name) is not None}
    still = np.zeros(3)
    speeds, changes = moves.get("velocity", still), moves.get("acceleration", still)
    case: dict[str, Any] = dict(motion_of_base(speeds, changes)) if moves else {}
    split = robot.load_breakdown(*states, by=cast(Any, by), compiled=state.count > _FEW, external=base.get("external"),
                                 **case)
    rows = split.index.of_joint(joint)
    parts = {cause: split.values[..., found, :].sum(axis=-2)[..., _VERTICAL] for cause, found in rows.items()}
    parts |= _gravity(rover, np.asarray(states[0], dtype=float), base.get("heading"))
    spins = reframed_rover(rover).spins
    if spins and moves:
        about_x, about_y, _ = spin_moment(spins, _components(state.velocity), _components(state.acceleration))
        parts[_SPIN] = np.stack(np.broadcast_arrays(0.0, about_x, about_y), axis=-1)
    each = np.broadcast_arrays(*parts.values())
    return tuple(parts), np.stack(each, axis=-2)


def _components(values: Floats) -> Any:
    """Components (..., 3) as three scalars."""
    found = np.empty(3, dtype=object)
    found[:] = [values[..., k] for k in range(3)]
    return found


def _on_ground(rover: Rover) -> tuple[Robot, str]:
    """The robot without weight, with a joint between the ground and the base, and the name of that joint."""
    robot, name = rover.robot.without_beams(), "ground"
    while name in robot.link_names or name in robot.closed_joint_names:
        name += "_"
    joint = Joint(name, name, robot.link_names[0], Fixed())
    standing = replace(robot, links=(Link(name), *robot.links), joints=(joint, *robot.joints), gravity=(0.0, 0.0, 0.0))
    return standing, name


def _gravity(rover: Rover, q: Floats, heading: ArrayLike | None) -> dict[Cause, Floats]:
    """What holds the weight of each link: its mass times gravity as it acts at the heading, at its mass center."""
    g = rover.ground.gravity_in_base(0.0 if heading is None else heading)
    found: dict[Cause, Floats] = {}
    for link, pose in zip(rover.robot.links, np.moveaxis(np.asarray(rover.robot.link_poses(q)), -3, 0), strict=True):
        if link.inertia.mass:
            held = np.broadcast_to(-link.inertia.mass * g, np.broadcast_shapes(g.shape, (*pose.shape[:-2], 3)))
            center = pose[..., :3, 3] + pose[..., :3, :3] @ np.asarray(link.inertia.center_of_mass)
            moment = np.cross(center, held)
            found["gravity", (link.name,)] = np.stack([held[..., 2], moment[..., 0], moment[..., 1]], axis=-1)
    return found


def _refuse_lifted(loads: WheelLoads) -> None:
    lifted = loads.lifted & ~loads.unknown[..., None]
    if len(loads.names) > 3 and lifted.any():
        states = lifted.any(axis=-1)
        place = place_of(int(np.flatnonzero(states)[0]), states.shape)
        where = f" in {int(states.sum())} of {states.size} states, first {place}"
        contact = loads.names[int(np.flatnonzero(lifted.reshape(-1, len(loads.names)).any(axis=0))[0])]
        raise ValueError(f"wheel_load_breakdown: contact '{contact}' lifts{where if states.ndim else ''}, and without "
                         "it the others share what the causes do together, not each by itself: leave these states out "
                         "(wheel_loads(...).lifted)")
