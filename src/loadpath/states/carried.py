"""Loads that a motion carries, as wrenches on the links that carry them.

A rigid body of mass m on a link acts on it with what gravity does to it, less what its motion takes (d'Alembert): at
the origin of the link's frame, r from there to its mass center,

    force = m (g - a),    torque = r x force - (I alpha + w x I w),    a = a_link + alpha x r + w x (w x r).

So whatever takes external wrenches counts loads that are picked up and put down; they are split from other wrenches
on the same link by their names. Functions that take no such wrenches, or in which accelerations are the answer, refuse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion.carried import Carried, carried_at, on_robot
from loadpath.scalars.types import Floats
from loadpath.states.reading import Joints, loads_of, read_motion

if TYPE_CHECKING:
    from loadpath.states.load_case import LoadCase

BLOCK = 8192


@dataclass(frozen=True, eq=False)
class WrenchWithLoads:
    """All that acts on a link: a wrench as `lp.Wrench` has it, and the parts of it that carried loads are."""

    force: Floats
    torque: Floats
    axes: str
    point: Floats
    parts: Mapping[str, Any]
    """By the names of the loads; what remains acts from outside."""
    alone: bool
    """Whether nothing but loads acts on the link."""
    spread: Floats
    """(samples, 9): symmetric part of the sum of arm times force over all that acts, N m, row by row. A wrench does not
    have it, and the stability of a bent arm depends on it: forces go along with the points where they act."""


VIBRATES = "takes masses that stay: a load that comes and goes changes the frequencies"
"""Why functions of vibrations refuse loads."""


def refuse_counted(case: LoadCase, caller: str, why: str) -> None:
    """Refuse a load case with carried loads where a wrench does not stand for their mass."""
    for wrench in (case.external or {}).values():
        if isinstance(wrench, WrenchWithLoads):
            raise ValueError(f"{caller} {why}, and the motion carries '{next(iter(wrench.parts))}': take "
                             "robot.with_payload(...) for the part of the motion with it (motion.between), or "
                             "motion.with_loads([]) for the motion without")


def counted(case: LoadCase) -> bool:
    """Whether a load case has the carried loads in its wrenches already."""
    return any(isinstance(wrench, WrenchWithLoads) for wrench in (case.external or {}).values())


def with_loads(case: LoadCase, subject: Any, states: Any, caller: str) -> LoadCase:
    """The load case with the wrenches of the loads that a motion of this robot (or on this rover) carries, in addition
    to those that it has.
    """
    if not loads_of(states) or counted(case):
        return case
    robot = getattr(subject, "robot", subject)
    joints = Joints.of(subject)
    read = read_motion(joints, states, caller, counts_loads=True)
    if read.times is None:
        raise ValueError(f"{caller}: the motion carries '{loads_of(states)[0].name}' and has no times")
    arrays = tuple(np.asarray(part, dtype=float) for part in read[:3])
    return with_wrenches(case, robot, placed(loads_of(states), robot, states), read.times, arrays)


def placed(loads: tuple[Carried, ...], robot: Any, states: Any) -> tuple[Carried, ...]:
    """Loads with the names that their links have on a robot, or on that of a rover."""
    own = getattr(states, "robot", None)
    prefix = ""
    if own is not None and own.dof_names and robot.dof_names:
        prefix = robot.dof_names[0].removesuffix(own.dof_names[0]) if len(own.dof_names) == robot.n else ""
    return tuple(on_robot(load, robot, prefix) for load in loads)


def with_wrenches(
    case: LoadCase, robot: Any, loads: tuple[Carried, ...], times: Floats, arrays: tuple[Floats, ...]
) -> LoadCase:
    """The load case with the wrenches of loads for these samples of a motion."""
    external = dict(case.external or {})
    for link in dict.fromkeys(load.link for load in loads):
        assert link is not None
        mine = [load for load in loads if load.link == link]
        given = external.get(link)
        axes = "world" if given is None else getattr(given, "axes", "world")
        if axes not in ("world", "link"):
            raise ValueError(f"external wrench on '{link}' has the axes {axes!r}: expected 'world' or 'link'")
        motion = _LinkMotion(case, robot, link, times, arrays)
        names = list(dict.fromkeys(load.name for load in mine))
        parts = {name: motion.wrench([load for load in mine if load.name == name], axes) for name in names}
        if given is None and len(parts) == 1:
            external[link] = replace(parts[names[0]], parts=parts)  # of a million samples they are large
            continue
        force = sum((part.force for part in parts.values()), start=np.zeros(3))
        torque = sum((part.torque for part in parts.values()), start=np.zeros(3))
        spread = sum((part.spread for part in parts.values()), start=np.zeros(9))
        if given is not None:
            at_origin = given.at((0.0, 0.0, 0.0)) if hasattr(given, "at") else given
            force, torque = force + at_origin.force, torque + at_origin.torque
            spread = spread + _symmetric(np.asarray(given.point)[..., :, None] * np.asarray(given.force)[..., None, :])
        external[link] = WrenchWithLoads(force, torque, axes, np.zeros(3), parts, given is None, spread)
    return replace(case, external=external)


@dataclass(frozen=True)
class _LinkMotion:
    """How a link moves over the samples of a motion, and what loads on it do to it."""

    case: LoadCase
    robot: Any
    link: str
    times: Floats
    arrays: tuple[Floats, ...]

    def wrench(self, loads: list[Carried], axes: str) -> WrenchWithLoads:
        """Force and torque (samples, 3) about the origin of the link's frame, in the axes of the link or of the world;
        zero where nothing is carried.
        """
        count = len(self.times)
        force, torque, spread = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 9))
        bodies = carried_at(loads, self.times)
        some = np.flatnonzero(np.any(list(bodies.values()), axis=0))
        for first in range(0, len(some), BLOCK):
            rows = some[first : first + BLOCK]
            turned, w, alpha, felt = self._felt(rows)
            total, arms = np.zeros((2, len(rows), 3)), np.zeros((len(rows), 3, 3))
            turning = _crossing(alpha) + _crossing(w) @ _crossing(w)
            for body, when in bodies.items():
                r, tensor = np.array(body.center_of_mass), np.array(body.tensor)
                pull = body.mass * (felt - np.cross(alpha, r) - np.cross(w, np.cross(w, r)))
                twist = np.cross(r, pull) - alpha @ tensor - np.cross(w, w @ tensor)
                second = np.trace(tensor) / 2 * np.eye(3) - tensor  # of the mass about its center
                dyad = r[:, None] * pull[:, None, :] - second @ np.swapaxes(turning, -1, -2)
                times = when[rows, None]
                total += np.where(times > 0, times * np.stack([pull, twist]), 0.0)
                arms += np.where(times[..., None] > 0, times[..., None] * dyad, 0.0)
            if axes == "world":
                total = np.einsum("sij,ksj->ksi", turned, total)
                arms = turned @ arms @ np.swapaxes(turned, -1, -2)
            force[rows], torque[rows] = total
            spread[rows] = _symmetric(arms)
        return WrenchWithLoads(force, torque, axes, np.zeros(3), {}, True, spread)

    def _felt(self, rows: Any) -> tuple[Floats, Floats, Floats, Floats]:
        """The link's rotation, and in its axes its angular velocity, angular acceleration, and g - a of its origin."""
        place = self.robot.link_names.index(self.link)
        q, qd, qdd = (part[rows] for part in self.arrays)
        case = self.case.of_states(rows, self.times.shape)
        base, gravity = case.base_motion, self.robot.gravity if case.gravity is None else case.gravity
        moving = {name: base[name] for name in base if name == "base_velocity"}
        turned = np.asarray(self.robot.link_poses(q))[:, place, :3, :3]
        w = np.asarray(self.robot.link_velocities(q, qd, **moving).angular)[:, place]
        found = self.robot.link_accelerations(q, qd, qdd, **base)
        a, alpha = np.asarray(found.linear)[:, place], np.asarray(found.angular)[:, place]
        felt = np.asarray(gravity, dtype=float) - a
        w, alpha, felt = (np.einsum("sji,sj->si", turned, v) for v in (w, alpha, felt))
        return turned, w, alpha, felt


def _symmetric(dyads: Floats) -> Floats:
    """(..., 9): the symmetric part of matrices (..., 3, 3), row by row."""
    whole: Floats = (0.5 * (dyads + np.swapaxes(dyads, -1, -2))).reshape(*dyads.shape[:-2], 9)
    return whole


def _crossing(v: Floats) -> Floats:
    """(..., 3, 3): matrices that take the cross product with vectors (..., 3) from the left."""
    return np.cross(v[..., None, :], np.eye(3)).swapaxes(-1, -2)
