"""Wheels on links of the robot that a base carries: trailers behind a hitch, rockers and bogies.

A contact with a `link` is fixed to that link: its hub lies a radius above the point on the ground where it stands with
the joints at home. The joints between base and link are passive: no drive gives a torque there, so that each of them
asks for one balance more. With J the Jacobian of the point of the link that touches the ground, n the ground's normal
and d the directions of grip, the forces N and f of the contacts give the passive joints

    sum J^T (n N + d f) = tau,

tau being what these joints would take to move as they do, without contacts: inertia, gravity, springs and viscous
friction (Coulomb friction of a joint at rest may hold something as well: it is left out). The freedoms in which wheels
move up and down, of rockers, bogies and hitches that nod, are balanced by the normal forces, as heave, roll and pitch
of the base are; those in which they move along the ground only, of hitches about the vertical, by friction.

A joint on the way to a wheel is passive unless it has a motor or gear: a ratio, a rotor or a brake, as
`robot.with_drives` gives them. What loops, couplings and mimics tie to a passive joint is passive, too: a differential
between two rockers is a joint that mimics another with -1, or a coupling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.algorithms.link_motion import link_accelerations
from loadpath.cached import cached_property
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.errors import ModelError
from loadpath.mechanics.kinematics import frame_placement, jacobian, placements
from loadpath.mobile.loops import free_directions
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars import Array, array, zeros
from loadpath.scalars.types import Bools, Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_UPRIGHT = 1e-9
_RANK = 1e-9
_MOTOR = ("ratio", "rotor_inertia", "efficiency", "brake", "torque_constant", "resistance", "no_load_torque", "lead")
"""What a drive has that is more than a spring or friction in the joint."""


@dataclass(frozen=True, eq=False)
class LinkedMechanism:
    """The robots on a base, and of every contact the link that it is on."""

    mechanism: Mechanism
    links: tuple[str, ...]


def linked_mechanism(rover: Rover) -> LinkedMechanism:
    """The mechanism of a rover, in the frames of its own."""
    robot = rover.on_fixed_base.tree
    return LinkedMechanism(plain(robot), tuple(wheel.link or robot.base.name for wheel in rover.base.wheels))


def link_motion(linked: LinkedMechanism, q: Array, qd: Array) -> tuple[Array, Array, Array, Array]:
    """Of the link of every contact, in base axes on a base at rest: origin (c, 3), axes (c, 3, 3) as columns, Jacobian
    (c, 6, n) of the origin's velocity above the angular velocity, and the accelerations (c, 6) that speeds alone make.
    """
    mechanism, count = linked.mechanism, len(linked.links)
    bodies = placements(mechanism, q)
    linear, angular = link_accelerations(mechanism, q, qd, zeros(mechanism.n))
    numbers = {name: k for k, name in enumerate(mechanism.link_frames)}
    origin, axes, J, bias = zeros(count, 3), zeros(count, 3, 3), zeros(count, 6, mechanism.n), zeros(count, 6)
    for c, name in enumerate(linked.links):
        rows, at = frame_placement(mechanism, bodies, mechanism.link_frames[name])
        origin[c], bias[c] = at, array([*linear[numbers[name]], *angular[numbers[name]]])
        for i in range(3):
            axes[c, i] = rows[i]
        J[c] = jacobian(mechanism, q, name)
    return origin, axes, J, bias


class _Kernels:
    link_motion = Compiled(
        link_motion,
        "(q),(n)->(c,3),(c,3,3),(c,6,n),(c,6)",
        linked_mechanism,
        "Of the link of every contact: where it is, its Jacobian, and the accelerations that speeds alone make.",
        sizes=lambda rover, variant: {"c": len(rover.contact_names)},
        public_name="wheel_loads",
    )


class Hubs(NamedTuple):
    """Hubs of all contacts in states (...), in base axes."""

    center: Floats
    """(..., contacts, 3): of the wheels."""
    forward: Floats
    """(..., contacts, 3): unit vectors along which they roll where they are not steered."""
    up: Floats
    """(..., contacts, 3): the z axis of their links."""
    J: Floats
    """(..., contacts, 6, n): velocity of the link's origin and angular velocity per unit of qd."""
    bias: Floats
    """(..., contacts, 6): their accelerations at qdd = 0 on a base at rest."""
    origin: Floats
    """(..., contacts, 3): of the links."""

    @property
    def left(self) -> Floats:
        """(..., contacts, 3): unit vectors across."""
        return np.cross(self.up, self.forward)

    @property
    def axes(self) -> Floats:
        """(..., contacts, 3, 3): forward, to the left and up, as columns."""
        return np.stack([self.forward, self.left, self.up], axis=-1)

    def point_jacobian(self, points: Floats) -> Floats:
        """(..., contacts, 3, n): velocity of points (..., contacts, 3) that are fixed to the links."""
        arm = (points - self.origin)[..., None]
        w = self.J[..., 3:, :]
        turned = np.stack([w[..., 1, :] * arm[..., 2, :] - w[..., 2, :] * arm[..., 1, :],
                           w[..., 2, :] * arm[..., 0, :] - w[..., 0, :] * arm[..., 2, :],
                           w[..., 0, :] * arm[..., 1, :] - w[..., 1, :] * arm[..., 0, :]], axis=-2)
        result: Floats = self.J[..., :3, :] + turned
        return result

    def point_bias(self, points: Floats, qd: Floats) -> Floats:
        """(..., contacts, 3): accelerations of such points at qdd = 0 on a base at rest."""
        arm = points - self.origin
        w = (self.J[..., 3:, :] @ qd[..., None, :, None])[..., 0]
        result: Floats = self.bias[..., :3] + np.cross(self.bias[..., 3:], arm) + np.cross(w, np.cross(w, arm))
        return result


class Linkage:
    """The contacts of one rover on their links, and what its passive joints leave free."""

    def __init__(self, rover: Rover) -> None:
        self.rover, self.robot = rover, rover.on_fixed_base
        self._kernel = CompiledMethod(rover, _Kernels.link_motion)
        wheels = rover.base.wheels
        self.radius = np.array([getattr(wheel, "radius", 0.0) for wheel in wheels])
        self.passive: Bools = passive_speeds(self.robot, {wheel.link for wheel in wheels if wheel.link is not None})
        """(n,): which speeds have no drive."""
        home = self.robot.home
        origin, axes, *_ = self._kernel(home, np.zeros(rover.n))
        for k, wheel in enumerate(wheels):
            if wheel.link is not None and abs(axes[k, 2, 2] - 1.0) > _UPRIGHT:
                z = axes[k, :, 2].round(6).tolist()
                raise ModelError(f"base '{rover.base.name}': {wheel.kind} '{wheel.name}' is on link '{wheel.link}', "
                                 f"whose z axis is {z} in base axes where the robot is at home: expected (0, 0, 1), "
                                 "upright; give the link another frame (link_offset of its joint)")
        direction = np.array([wheel.direction for wheel in wheels])
        self._center = np.concatenate([rover.base.positions, (self.radius - origin[:, 2])[:, None]], axis=-1)
        self._forward = np.stack([np.cos(direction), np.sin(direction), 0.0 * direction], axis=-1)

    def hubs(self, q: Floats, qd: Floats | None = None) -> Hubs:
        """Hubs in states (..., nq)."""
        origin, axes, J, bias = self._kernel(q, np.zeros(self.rover.n) if qd is None else qd)
        center = origin + (axes @ self._center[..., None])[..., 0]
        return Hubs(center, (axes @ self._forward[..., None])[..., 0], axes[..., :, 2], J, bias, origin)

    @cached_property
    def freedoms(self) -> tuple[int, int]:
        """How many passive freedoms there are: those in which wheels move up and down, and all others."""
        hubs = self.hubs(self.robot.home)
        P = self._directions(self.robot.home)
        lifts = (hubs.point_jacobian(hubs.center)[:, 2] @ P)
        size = max(1.0, float(np.abs(lifts).max(initial=0.0)))
        vertical = int((np.linalg.svd(lifts, compute_uv=False) > _RANK * size).sum()) if P.shape[-1] else 0
        return vertical, P.shape[-1] - vertical

    @cached_property
    def _own(self) -> Floats | None:
        """(n, m): passive directions of robots without loops, those that lift wheels first; None with loops."""
        if self.robot.closing_names:
            return None
        P = np.eye(self.rover.n)[:, self.passive]
        hubs = self.hubs(self.robot.home)
        lifts = np.abs(hubs.point_jacobian(hubs.center)[:, 2] @ P).max(axis=0, initial=0.0) > _RANK
        return P[:, np.argsort(~lifts, kind="stable")]

    def _directions(self, q: Floats) -> Floats:
        """(..., n, m): speeds of all joints per unit of each passive freedom, at states (..., nq)."""
        if self._own is not None:
            return self._own
        found = free_directions(self.rover, q, np.zeros(self.rover.n))
        assert found is not None
        E = found.speeds[..., : self.robot.mobility]
        driven = E[..., ~self.passive, :]
        if not driven.shape[-2]:
            return E
        _, values, right = np.linalg.svd(driven, full_matrices=True)
        rank = int((np.atleast_2d(values)[..., :] > _RANK).sum(axis=-1).max(initial=0))
        result: Floats = E @ np.swapaxes(right, -1, -2)[..., rank:]
        return result

    def directions(self, q: Floats, lifts: Floats) -> Floats:
        """(..., n, m): passive freedoms, those that lift wheels first; `lifts` (..., contacts, n) are the velocities of
        contacts along the normals of the ground per unit of qd.
        """
        P = self._directions(q)
        if self._own is not None or not P.shape[-1]:
            return P
        _, _, right = np.linalg.svd(lifts @ P, full_matrices=True)
        result: Floats = P @ np.swapaxes(right, -1, -2)
        return result

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the passive speeds."""
        return tuple(name for name, free in zip(self.robot.dof_names, self.passive, strict=True) if free)


def passive_speeds(robot: RobotModel, links: set[str]) -> Bools:
    """(n,): which speeds have no drive: those on the way to links with wheels, and what is tied to them."""
    by_name = {joint.name: joint for joint in robot.joints}
    above = {joint.child: joint for joint in robot.joints}

    def master(joint: Joint) -> Joint:
        return joint if joint.mimic is None else master(by_name[joint.mimic.joint])

    def path(link: str) -> list[Joint]:
        found = []
        while link in above:
            found.append(above[link])
            link = above[link].parent
        return found

    def speeds(joints: list[Joint]) -> set[int]:
        numbers: set[int] = set()
        for joint in map(master, joints):
            at = robot.v_slices.get(joint.name, slice(0, 0))
            numbers |= {k for i, k in enumerate(range(at.start, at.stop)) if not _has_motor(joint, i)}
        return numbers

    free = set().union(*(speeds(path(link)) for link in links))
    ties = [speeds(path(loop.first)) ^ speeds(path(loop.second)) for loop in robot.loops]
    ties += [{robot.dof_names.index(name) for name, _ in coupling.ratios} for coupling in robot.couplings]
    for _ in ties:
        for tie in ties:
            free |= tie if tie & free else set()
    result = np.zeros(robot.n, dtype=bool)
    result[sorted(free)] = True
    return result


def passive_joints(rover: Rover) -> Bools:
    """(n,): which speeds follow while the motion of the others is given: none where all wheels are on the base."""
    return np.zeros(rover.n, dtype=bool) if rover.linkage is None else rover.linkage.passive


def led_coordinates(rover: Rover) -> Bools:
    """(nq,): coordinates of the joints of which all speeds have a drive."""
    result, passive = np.ones(rover.nq, dtype=bool), passive_joints(rover)
    for joint, where in rover.robot.q_slices.items():
        speeds = passive[rover.robot.v_slices[joint]]
        result[where] = ~speeds if len(speeds) == where.stop - where.start else not speeds.any()
    return result


def _has_motor(joint: Joint, k: int) -> bool:
    drive = joint.drives[k]
    known = drive is not None and any(getattr(drive, part) is not None for part in _MOTOR)
    return known or joint.gear_ratio[k] != 1.0 or joint.reflected_inertia[k] > 0


