"""The wrenches at all joints, those of the tree and those of the loops.

A multiplier lambda_k of each held direction adds to the wrenches w0 of the open tree: w = w0 + B lambda, with the
loop's own wrench, exerted by the first link on the second, the sum of its multipliers times its held directions.
Passive joints give no force, which is J_P' lambda = (tau_tree - tau_drives)_P.

Where that leaves multipliers open (a hinge in a plane linkage holds three directions too many) they are those that make

    1/2 sum over all joints of w' C w

least: equal compliances C = 1 for all components (N and N m, at the joints' origins), or given ones. A coupling counts
with the forces that it puts on its joints. H = B' C B is positive definite, since every multiplier has its own part in
its loop's wrench. In coordinates that make H the identity (`whitening`), the condition has orthonormal columns
(`columns`): along them the multipliers are given, across them the least sum is a projection. No rank is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from loadpath.algorithms.loops.columns import Orthonormal, orthonormal
from loadpath.algorithms.loops.completion import Constraints, held_by_drives
from loadpath.algorithms.loops.drives import drive_forces
from loadpath.algorithms.loops.idle import with_idle_accelerations
from loadpath.algorithms.loops.rows import HeldRow, held_rows, matrix_of
from loadpath.algorithms.loops.sparse import scaled, sparse_dot, times
from loadpath.algorithms.loops.status import status
from loadpath.algorithms.loops.whitening import Whitening, whitening
from loadpath.formulations.newton_euler import inward, outward
from loadpath.mechanics.drives import carried, from_wrenches
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import Frame, Mechanism
from loadpath.scalars import Array, array, cross, is_zero, zeros

Compliances = tuple[tuple[str, tuple[float, ...]], ...]
"""Names of joints and loops with six compliances each: m/N along and rad/(N m) about the axes of the joint frame."""


STIFF = 1e-6
"""Compliance of joints that are not named, where others are: this part of the mean of those."""


def read_compliances(given: Mapping[str, float | Sequence[float]] | Compliances | None) -> Compliances:
    """Compliances as users give them: one number or six by the names of joints and loops.

    >>> read_compliances({"pin": 2.0})
    (('pin', (2.0, 2.0, 2.0, 2.0, 2.0, 2.0)),)
    """
    pairs = given.items() if isinstance(given, Mapping) else given or ()
    found = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"compliances are {given!r}: expected a dict from names of joints and loops to numbers")
        joint, values = pair
        try:
            six = tuple(np.broadcast_to(np.asarray(values, dtype=float), 6).tolist())
        except (TypeError, ValueError):
            raise ValueError(f"compliances of joint '{joint}' are {values!r}: expected one number, or six: three along "
                             "(m/N) and three about (rad/(N m)) the axes of its joint frame") from None
        found.append((joint, six))
    return tuple(found)


class Reactions(NamedTuple):
    """What distributes wrenches among the joints at one configuration. Everything it does is linear."""

    mechanism: Mechanism
    rows: list[HeldRow]
    given: Constraints
    parts: list[dict[str, Array]]
    """B: for each multiplier the joints and loops that it loads, each with six numbers: force and torque at the joint's
    origin, in the child's joint frame (of a loop: in the frame `on`).
    """
    compliances: Mapping[str, Array]
    """Six of each joint that has not those of all, one."""
    white: Whitening | None
    """Of H; none where statics alone gives the multipliers."""
    factors: Orthonormal
    """Of the dependent columns of J, in white coordinates where there are such."""

    def multipliers(self, wrenches: list[Wrench], missing: Array) -> Array:
        """lambda (m), for joint wrenches of the open tree (in body axes at body origins) and the forces `missing` (n):
        what the tree takes less what drives give.
        """
        missing = missing[self.given.dependent]
        if self.white is None:
            return self._of_all_rows(self.factors.solve_transposed(missing))
        at_joints = in_joint_frames(self.mechanism, wrenches)
        load = zeros(len(self.parts))
        for r, part in enumerate(self.parts):
            for joint, six in part.items():
                if joint in at_joints:
                    load[r] = load[r] + sparse_dot(six, self.strain(joint, at_joints[joint]))
        y = self.factors.remainder(-self.white.of_force(load))
        along = self.factors.coordinates(missing)
        for coordinate, column in zip(along, self.factors.U, strict=True):
            y = y + scaled(coordinate, column)
        return self.white.back(y)

    def wrench(self, joint: str, wrenches: list[Wrench], multipliers: Array) -> Wrench:
        """Force and torque at a joint or loop, in the child's joint frame, at the joint's origin, exerted by the parent
        on the child (the first link on the second).
        """
        frame = self.mechanism.joint_frames.get(joint)
        six = zeros(6) if frame is None else _six(frame, wrenches[frame.body])
        for multiplier, part in zip(multipliers, self.parts, strict=True):
            if joint in part:
                six = six + scaled(multiplier, part[joint])
        return Wrench(six[:3], six[3:])

    @property
    def names(self) -> list[str]:
        """Of all joints, then of the loops."""
        return [*self.mechanism.joint_frames, *(loop.name for loop in self.mechanism.loops)]

    def leverages(self) -> Array:
        """(joints and loops, 6): from 0, where statics alone gives a component, to 1, where compliances alone do."""
        result = zeros(len(self.names), 6)
        if self.white is None:
            return result
        for k, joint in enumerate(self.names):
            for component in range(6):
                row = array([part[joint][component] if joint in part else 0.0 for part in self.parts])
                if not all(is_zero(x) for x in row):
                    free = self.factors.remainder(self.white.of_force(row))
                    result[k, component] = sparse_dot(free, free)
        return result

    def strain(self, joint: str, six: Array) -> Array:
        """Six numbers at a joint, each times its compliance."""
        return times(self.compliances[joint], six) if joint in self.compliances else six

    def _of_all_rows(self, moving: Array) -> Array:
        result = zeros(len(self.parts))
        result[self.given.moving] = moving
        return result


def reactions(mechanism: Mechanism, q: Array, compliances: Compliances = ()) -> Reactions:
    """What distributes wrenches among the joints at q."""
    rows = held_rows(mechanism, q)
    J = matrix_of(mechanism, q, rows)
    given = held_by_drives(mechanism, J)
    parts = [_loaded(mechanism, row) for row in rows]
    for r, coupling in enumerate(mechanism.coupling_rows):  # the forces that it, a gear of its own, puts on its joints
        parts.append({f"\0{r} {k}": array([factor]) for k, factor in enumerate(coupling) if not is_zero(factor)})
    soft = compliances_of(mechanism, compliances)
    if len(J) == mechanism.n - len(mechanism.split.independent):
        return Reactions(mechanism, rows, given, parts, soft, None, given.factors)
    white = whitening(_stiffness(parts, soft))
    columns = [white.of_force(J[:, k]) for k in given.dependent]
    return Reactions(mechanism, rows, given, parts, soft, white, orthonormal(columns, len(given.factors.pivots)))


def compliances_of(mechanism: Mechanism, given: Compliances) -> dict[str, Array]:
    """Six of every joint and loop, if any are given: joints that are not named are stiff."""
    names = [*mechanism.joint_frames, *(loop.name for loop in mechanism.loops)]
    for joint, six in given:
        if joint not in names:
            raise ValueError(f"compliances: there is no joint '{joint}'; there are {', '.join(names)}")
        if not all(x > 0.0 for x in six):
            raise ValueError(f"compliances of joint '{joint}' are {six}: expected numbers above zero")
    if not given:
        return {}
    others: list[float] = []
    for part in (slice(0, 3), slice(3, 6)):
        sizes = [math.log(x) for _, six in given for x in six[part]]
        others += [STIFF * math.exp(sum(sizes) / len(sizes))] * 3
    by_name = dict(given)
    return {joint: array(list(by_name.get(joint, others))) for joint in names}


def _loaded(mechanism: Mechanism, row: HeldRow) -> dict[str, Array]:
    """The joints that a unit of a held direction loads: the tree's lose what it carries, the loop's own has it."""
    carried = {i: Wrench(-wrench.force, -wrench.torque) for i, wrench in row.on_bodies.items()}
    loaded = {joint: _six(frame, carried[frame.body]) for joint, frame in mechanism.joint_frames.items()
              if frame.body in carried}
    return {**loaded, mechanism.loops[row.loop].name: array([*row.force, *row.torque])}


def _stiffness(parts: list[dict[str, Array]], soft: Mapping[str, Array]) -> Array:
    """H = B' C B; its lower half."""
    H = zeros(len(parts), len(parts))
    for r, part in enumerate(parts):
        strained = {joint: times(soft[joint], six) if joint in soft else six for joint, six in part.items()}
        for s in range(r + 1):
            for joint, six in strained.items():
                if joint in parts[s]:
                    H[r, s] = H[r, s] + sparse_dot(six, parts[s][joint])
    return H


def in_joint_frames(mechanism: Mechanism, wrenches: list[Wrench]) -> dict[str, Array]:
    """Six numbers at every joint of the tree, from wrenches in body axes at body origins."""
    return {joint: _six(frame, wrenches[frame.body]) for joint, frame in mechanism.joint_frames.items()}


def _six(frame: Frame, wrench: Wrench) -> Array:
    force, torque = wrench
    moved = frame.rotation.T @ (torque - cross(frame.origin, force))
    return array([*(frame.rotation.T @ force), *moved])


# The quantities


def settled(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Callable[[str], Wrench], Reactions, Array]:
    """The wrench at any joint or loop by its name, what distributed it, and the status of the state."""
    shared = reactions(mechanism, q, compliances)
    given, qdd = qdd, with_idle_accelerations(mechanism, q, qd, qdd, external, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    of_tree = inward(mechanism, links, on_bodies(mechanism, q, external))
    at_joints, multipliers = carried(mechanism, q, of_tree), zeros(0)
    if mechanism.rows or weights is not None or preload is not None:
        tau = from_wrenches(mechanism, q, qd, qdd, of_tree)
        missing = tau - drive_forces(mechanism, shared.given, tau, weights, preload)
        multipliers = shared.multipliers(at_joints, missing)
    trust = status(mechanism, q, shared.given, qd, given)
    return lambda joint: shared.wrench(joint, at_joints, multipliers), shared, trust


def joint_wrenches(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Array, Array, Array]:
    """Force and torque at all joints and loops, each (joints and loops, 3), and the status of the state."""
    wrench_at, shared, trust = settled(
        mechanism, q, qd, qdd, external, base_velocity, base_acceleration, weights, preload, compliances
    )
    force, torque = zeros(len(shared.names), 3), zeros(len(shared.names), 3)
    for k, joint in enumerate(shared.names):
        force[k], torque[k] = wrench_at(joint)
    return force, torque, trust


def static_wrenches(
    mechanism: Mechanism,
    q: Array,
    external: External | None = None,
    weights: Array | None = None,
    preload: Array | None = None,
    compliances: Compliances = (),
) -> tuple[Array, Array, Array]:
    """`joint_wrenches` of the robot at rest."""
    still = zeros(mechanism.n)
    return joint_wrenches(mechanism, q, still, still, external, None, None, weights, preload, compliances)


def leverages(mechanism: Mechanism, q: Array, compliances: Compliances = ()) -> Array:
    """(joints and loops, 6): 0 where a component of a joint wrench follows from statics alone."""
    return reactions(mechanism, q, compliances).leverages()
