"""Equality constraints of a compiled model: loops, couplings and joints that follow others. MuJoCo holds them with some
give; here they hold exactly.

- `connect` is a ball joint between two bodies. Two of them between the same bodies are a hinge about the line through
  both points.
- `weld` is a weld.
- `joint` with a constant and a linear coefficient is a joint that follows another (or is held, without another).
- `tendon` with these coefficients, of fixed tendons, is a coupling of all their joints.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.mjcf.joints import Names, dof_of, switched_off
from loadpath.files.mjcf.remembered import pose_at, unit_quaternion
from loadpath.foreign.mujoco_model import MujocoModel
from loadpath.robot.joints import Fixed, Revolute, Spherical
from loadpath.robot.joints.base import across
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.parts import Mimic
from loadpath.robot.pose import Pose

_SAME_DISTANCE = 1e-6
"""Of a distance: two pairs of points as far apart as this on both bodies are on one axis."""


@dataclass
class Closing:
    """What closes a model."""

    loops: list[Loop] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    mimics: dict[str, Mimic] = field(default_factory=dict)
    held: dict[str, float] = field(default_factory=dict)
    """Joints that are held at a coordinate."""
    sites: set[int] = field(default_factory=set)
    """Sites that constraints refer to."""
    idle: list[str] = field(default_factory=list)
    """Constraints that are switched off."""


def closing_of(model: MujocoModel, names: Names, source: str) -> Closing:
    """Loops, couplings and mimics of a model, or an error that names what cannot be kept."""
    reader = _Reader(model, names, source)
    for equality in range(model.count["eq"]):
        reader.read(equality)
    reader.found.loops = _hinges(reader.found.loops)
    _hold_followers(reader.found, source)
    reader.found.couplings = [_among_independent(coupling, reader.found) for coupling in reader.found.couplings]
    return reader.found


def _among_independent(coupling: Coupling, found: Closing) -> Coupling:
    """A coupling of joints that follow others or are held, as one of those that are free to move."""
    ratios: dict[str, float] = {}
    offset = coupling.offset
    for name, factor in coupling.ratios:
        joint, ratio = name, factor
        while joint in found.mimics:
            mimic = found.mimics[joint]
            offset -= ratio * mimic.offset
            joint, ratio = mimic.joint, ratio * mimic.multiplier
        if joint in found.held:
            offset -= ratio * found.held[joint]
        else:
            ratios[joint] = ratios.get(joint, 0.0) + ratio
    return Coupling(coupling.name, tuple((joint, ratio) for joint, ratio in ratios.items() if ratio), offset)


def _hold_followers(found: Closing, source: str) -> None:
    """What follows a joint that is held is held too."""
    for joint in found.held:
        if joint in found.mimics:
            raise ModelError(f"{source}: joint '{joint}' is held by one equality and follows joint "
                             f"'{found.mimics[joint].joint}' by another: leave one of them out")
    following: dict[str, list[str]] = {}
    for joint, mimic in found.mimics.items():
        following.setdefault(mimic.joint, []).append(joint)
    followers = [joint for leader in found.held for joint in following.get(leader, ())]
    while followers:
        joint = followers.pop()
        mimic = found.mimics.pop(joint)
        found.held[joint] = mimic.multiplier * found.held[mimic.joint] + mimic.offset
        followers += following.get(joint, ())


class _Reader:
    def __init__(self, model: MujocoModel, names: Names, source: str) -> None:
        self.model, self.names, self.source = model, names, source
        self.found = Closing()
        self.taken = set(names.joints)
        self.leaders: dict[str, str] = {}
        """For joints that follow others: one of those that they follow, the last one known."""
        self.off = "EQUALITY" in switched_off(model)

    def read(self, equality: int) -> None:
        kind = self.model.eq_kind[equality]
        name = self.model.eq_name[equality] or f"{kind or 'equality'}{equality}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        if self.model.eq_ends[equality] == "site":
            self.found.sites |= {int(self.model.eq_obj1id[equality]), int(self.model.eq_obj2id[equality])}
        if self.off or not self.model.eq_active0[equality]:
            self.found.idle.append(name)
        elif kind in ("connect", "weld"):
            self.found.loops.append(self._loop(equality, kind, name))
        elif kind == "joint":
            self._joint(equality, name)
        elif kind == "tendon":
            self.found.couplings.append(self._tendons(equality, name))
        else:
            self._refuse(name, "constraints of deformable bodies cannot be kept")

    def _refuse(self, name: str, why: str) -> None:
        raise ModelError(f"{self.source}: equality '{name}': {why}")

    # Loops

    def _loop(self, equality: int, kind: str, name: str) -> Loop:
        model, data = self.model, self.model.eq_data[equality]
        ends = [int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])]
        if model.eq_ends[equality] == "site":
            at, on = (pose_at(model.site_pos[site], model.site_quat[site]) for site in ends)
            bodies = [int(model.site_bodyid[site]) for site in ends]
        elif kind == "connect":
            at, on, bodies = pose_at(data[:3]), pose_at(data[3:6]), ends
        else:  # the point is given in the second body
            at, on, bodies = pose_at(data[3:6], unit_quaternion(data[6:10])), pose_at(data[:3]), ends
        for body in bodies:
            if model.body_mocapid[body] >= 0:
                self._refuse(name, f"it ties the model to mocap body '{self.names.bodies[body]}', which is moved from "
                                   "outside: take the constraint out, or make that body a fixed one")
        if bodies[0] == bodies[1]:
            self._refuse(name, f"it ties body '{self.names.bodies[bodies[0]]}' to itself")
        free = kind == "connect" or float(data[10]) == 0.0  # a weld without a scale for torques holds the point alone
        first, second = (self.names.bodies[body] for body in bodies)
        return Loop(name, first, second, Spherical() if free else Fixed(), at, on)

    # Joints that follow others

    def _joint(self, equality: int, name: str) -> None:
        model, names = self.model, self.names
        first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
        constant, factor = self._coefficients(equality, name)
        for joint in (first, second):
            if joint >= 0 and dof_of(model, joint) > 1:
                self._refuse(
                    name, f"joint '{names.joints[joint]}' is a ball or free: only hinges and slides can follow"
                )
        start = float(model.qpos0[model.jnt_qposadr[first]]) + constant
        if second < 0 or factor == 0.0:
            self.found.held[names.joints[first]] = start
            return
        offset = start - factor * float(model.qpos0[model.jnt_qposadr[second]])
        follower, leader = names.joints[first], names.joints[second]
        if follower in self.found.mimics or self._last_leader(leader) == follower:
            self.found.couplings.append(Coupling(name, ((follower, 1.0), (leader, -factor)), offset))
        else:
            self.found.mimics[follower] = Mimic(leader, factor, offset)
            self.leaders[follower] = leader

    def _last_leader(self, joint: str) -> str:
        """The one that follows no other, at the end of a row of joints that follow one another."""
        row = []
        while joint in self.leaders:
            row.append(joint)
            joint = self.leaders[joint]
        for follower in row:  # the next question is answered at once
            self.leaders[follower] = joint
        return joint

    def _coefficients(self, equality: int, name: str) -> tuple[float, float]:
        data = [float(entry) for entry in self.model.eq_data[equality][:5]]
        if any(data[2:]):
            self._refuse(name, f"polycoef is {' '.join(f'{entry:g}' for entry in data)}: only a constant and a linear "
                               "coefficient can be kept")
        return data[0], data[1]

    # Couplings

    def _tendons(self, equality: int, name: str) -> Coupling:
        model = self.model
        constant, factor = self._coefficients(equality, name)
        ratios: dict[str, float] = {}
        offset = constant
        for sign, tendon in ((1.0, int(model.eq_obj1id[equality])), (-factor, int(model.eq_obj2id[equality]))):
            if tendon < 0 or sign == 0.0:
                continue
            if model.tendon_spatial[tendon]:
                self._refuse(name, "it holds the length of a cable (a spatial tendon): only fixed tendons, sums of "
                                   "joint coordinates, can be kept")
            start = int(model.tendon_adr[tendon])
            for wrap in range(start, start + int(model.tendon_num[tendon])):
                joint, coefficient = int(model.wrap_objid[wrap]), sign * float(model.wrap_prm[wrap])
                ratios[self.names.joints[joint]] = ratios.get(self.names.joints[joint], 0.0) + coefficient
                offset += coefficient * float(model.qpos0[model.jnt_qposadr[joint]])
        return Coupling(name, tuple((joint, ratio) for joint, ratio in ratios.items() if ratio), offset)


# Two balls on one axis


def _hinges(loops: list[Loop]) -> list[Loop]:
    """Loops with each two balls between the same bodies as one hinge, where their distances agree."""
    kept: list[Loop] = []
    balls: dict[tuple[str, str], list[int]] = {}
    """For two bodies, which of those are balls between them."""
    for loop in loops:
        others = balls.setdefault((loop.first, loop.second), []) if isinstance(loop.motion, Spherical) else []
        hinge = _hinge(kept[others[0]], loop) if others else None
        if hinge is not None:
            kept[others.pop(0)] = hinge
            continue
        others.append(len(kept))
        kept.append(loop)
    return kept


def _hinge(first: Loop, second: Loop) -> Loop | None:
    along = [second.at.p - first.at.p, second.on.p - first.on.p]
    lengths = [float(np.linalg.norm(way)) for way in along]
    if min(lengths) < _SAME_DISTANCE or abs(lengths[0] - lengths[1]) > _SAME_DISTANCE * max(lengths):
        return None
    a, b = (way / length for way, length in zip(along, lengths, strict=True))
    in_at, in_on = first.at.R.T @ a, first.on.R.T @ b
    motion = Revolute(tuple(in_at.tolist()))
    if np.abs(in_at - in_on).max() < _SAME_DISTANCE:
        return replace(first, motion=motion)
    # The frames of bare points do not agree on the axis: turn the second so that they do.
    return replace(first, motion=motion, on=Pose((_basis(b) @ _basis(in_at).T).tolist(), first.on.translation))


def _basis(axis: Any) -> Any:
    x, y, z = (float(entry) for entry in axis)
    return np.column_stack([np.array(side) for side in across((x, y, z))] + [axis])
