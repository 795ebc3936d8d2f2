"""Loops as rows: how a robot with loops gives way.

The model is that of the tree with all loops cut (`robot.cut`). The drives hold the independent speeds
(`robot.independent`); what no drive moves of them is held too. All other joints follow from the loops and are free: a
free joint is a piece without stiffness, whose six coordinates are the twist of its child, u = B dq, with dq its speeds
times a short time. What gives way in a loop's own joint is a piece with stiffness, which moves nothing but that loop
apart. The loops stay closed:

    A eta + J dq = 0,

a row for each direction that a loop holds and for each coupling. dq follows from eta; and where there are more rows
than free speeds, these rows N' A eta = 0 (N' J = 0) restrict the elastic coordinates themselves. Their stiffness is the
identity, so the restricted ones are a projection, eta = P xi with P = 1 - Q Q', Q orthonormal: directions in Q have no
mass and no load, and the stiffness stays the identity. In all,

    y = T xi,        T = [P; C P],

C what follows of all free coordinates. At rest under generalized loads f the robot is at xi = P f: the state of least
elastic energy.

What the wrenches of loops do to the stiffness, beyond forces that stay as they are: in `geometric_stiffness` a loop
exerts dead forces f and semi-tangential torques t on the links at both sides of its cut. On the closed robot they do,
to second order, the work

    W = f . (theta_m x delta) + 1/2 t . (theta x phi) + 1/2 f . (theta x (theta x r)) + 1/2 (f, t) . a,

theta the rotation of the first side, delta and phi displacement and rotation of the second side against the first,
theta_m = theta + phi / 2 halfway between them, r from the first side to the second, and a what the path of the loop's
joint leaves that of a constant twist by (`path_rates`). But a loop turns with its links and does no work on what it
allows, so the Hessian of W comes in addition. Where its joint gives way, its reaction acts halfway between both sides,
and it gives way beyond its free motion, as joints of the tree do: with the free twist (v, w) and that by which it gives
way, (v', w'), there is also

    1/2 (f . (w x v' + v x w') + t . (w x w')).

The free joints of the tree are pieces whose coordinates are twists. Those whose freedoms change as they move leave
the path of a constant twist by a, too, and the loads beyond do the work 1/2 (F, M) . a: less of the Hessian.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import cached_property, kept
from loadpath.robot.beams.edit import as_joint, marker
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import Body
from loadpath.robot.model import RobotModel
from loadpath.scalars import array
from loadpath.scalars.types import Floats
from loadpath.states.on_manifold import loop_length
from loadpath.structure.quantities import at_once
from loadpath.structure.vibration.pieces import Piece, joint_shapes, massless_piece
from loadpath.structure.vibration.world_axes import skew

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities, ElasticQuantities
    from loadpath.structure.vibration.mass import ArmParts
    from loadpath.structure.vibration.placed import PlacedModel


STIFF = 1e-11
"""Directions that give way by less than this part of the softest count as rigid."""
_NOTHING = JointCompliance(resolved=tuple((0.0,) * 6 for _ in range(6)))


@kept()
def elastic_tree(arm: ElasticQuantities) -> ElasticQuantities:
    """The tree whose elements are those of the arm: the arm itself, or that with its loops cut, where each joint that
    the loops move has an element, of no compliance if it has none, so that its loads are known.
    """
    if not arm.held_by_loops:
        return arm
    cut = arm.cut
    known = dict(cut.joint_compliances)
    added = tuple((joint, _NOTHING) for joint in _free_joints(arm) if joint not in known)
    return replace(cut, joint_compliances=(*cut.joint_compliances, *added))


def _free_joints(arm: RobotModel) -> list[str]:
    dependent = set(arm.split.dependent)  # type: ignore[attr-defined]
    return [joint.name for joint in arm.joints
            if joint.name in arm.v_slices and dependent & {*range(arm.n)[arm.v_slices[joint.name]]}]


@dataclass(frozen=True, eq=False)
class FreeJoint:
    """A joint that follows from the loops."""

    body: Body
    number: int
    """Of its body."""
    piece: int
    columns: slice
    row: int
    """Of its loads in the dead loads."""
    speeds: tuple[tuple[int, int], ...]
    """Which of its speeds is which of the dependent ones."""
    guided: float = 0.0
    """1 or -1 where it slides in a guide: whether the inner line runs along its axis, or the other way."""

    def columns_of(self, q: Floats) -> Floats:
        """(states or 1, 6 or 1, speeds): displacement, then rotation, of the child per unit of each speed."""
        if self.guided:
            return np.full((1, 1, 1), self.guided * self.body.multiplier)
        return subspaces(self.body.motion, self.body.multiplier * q[:, self.body.q] + self.body.offset
                         ) * self.body.multiplier


def subspaces(motion: JointType, q: Floats) -> Floats:
    """(states or 1, 6, speeds): displacement, then rotation, of the child per unit of each speed, in its axes."""
    neutral = np.array(motion.neutral())
    elsewhere = motion.normalised(array([0.3 + 0.1 * k for k in range(q.shape[1])]))
    if np.allclose(_subspace(motion, neutral), _subspace(motion, elsewhere.astype(float)), rtol=0, atol=1e-14):
        return _subspace(motion, neutral)[None]
    return np.array([_subspace(motion, each) for each in q]).reshape(len(q), 6, motion.dof)


def _subspace(motion: JointType, q: Floats) -> Floats:
    columns = motion.subspace(array(q.tolist()))
    return np.array([[*linear.astype(float), *angular.astype(float)] for angular, linear in columns]).reshape(-1, 6).T


def path_rates(motion: JointType, q: Floats) -> Floats:
    """(states or 1, 6, speeds, speeds): how far, to second order, the path of constant speeds leaves the one of a
    constant twist, symmetric in the speeds, in child axes; zero for joints whose freedoms stay the same.
    """
    found = np.array([_path_rate(motion, each) for each in (q if motion.dof > 1 else q[:1])])
    found = found.reshape(-1, 6, motion.dof, motion.dof)
    return found if np.any(found) else np.zeros((1, 6, motion.dof, motion.dof))


def _path_rate(motion: JointType, q: Floats) -> Floats:
    result = np.zeros((6, motion.dof, motion.dof))
    for k, unit in enumerate(np.eye(motion.dof)):
        rates = motion.subspace_rate(array(q.tolist()), array(unit.tolist()))
        for j, (angular, linear) in enumerate(rates):
            result[:, j, k] = [*linear.astype(float), *angular.astype(float)]
    return 0.5 * (result + np.swapaxes(result, -1, -2))


@dataclass(frozen=True, eq=False)
class Closing:
    """What closes a model: the joints that are free, and what gives way in the joints of the loops."""

    arm: ClosedElasticQuantities
    joints: tuple[FreeJoint, ...]
    own: tuple[Piece | None, ...]
    """For each loop the piece of its joint's compliance."""
    own_numbers: tuple[int | None, ...]
    markers: tuple[tuple[int, int], ...]
    """For each loop the links of the cut tree at its first and at its second side."""
    loop_of: tuple[int, ...]
    """For each row its loop; -1 of a coupling."""

    @property
    def count(self) -> int:
        """Number of free coordinates."""
        return sum(joint.columns.stop - joint.columns.start for joint in self.joints)


def closing_of(
    arm: ElasticQuantities, cut: ArmParts, effects: tuple[str, ...], numbers: dict[str, int], pieces: list[Piece]
) -> Closing | None:
    """Adds the joints of loops that give way, then those that are free; None for a tree."""
    if not arm.held_by_loops:
        return None
    closed: ClosedElasticQuantities = arm  # type: ignore[assignment]
    own: list[Piece | None] = []
    places: list[int | None] = []
    given = dict(arm.loop_compliances)
    for loop in arm.loops:
        if loop.name in given and "joints" in effects:
            twists = joint_shapes(given[loop.name].matrix(as_joint(loop)))
            link = numbers[marker(loop.name, "second")]
            own.append(massless_piece(loop.name, link, _next(pieces), twists, f"joint '{loop.name}'"))
            places.append(len(pieces))
            pieces.append(own[-1])  # type: ignore[arg-type]
        else:
            own.append(None)
            places.append(None)
    joints = tuple(_free_joint(closed, cut, name, numbers, pieces) for name in _free_joints(arm))
    sides = tuple((numbers[marker(loop.name, "first")], numbers[marker(loop.name, "second")]) for loop in arm.loops)
    rows = [k for k, loop in enumerate(arm.loops) for _ in range(loop.rows)] + [-1] * len(arm.couplings)
    return Closing(closed, joints, tuple(own), tuple(places), sides, tuple(rows))


def _next(pieces: list[Piece]) -> int:
    return pieces[-1].columns.stop if pieces else 0


def _free_joint(
    arm: ClosedElasticQuantities, cut: ArmParts, name: str, numbers: dict[str, int], pieces: list[Piece]
) -> FreeJoint:
    number = next(i for i, body in enumerate(cut.mechanism.bodies) if body.joint.name == name)
    body, dependent = cut.mechanism.bodies[number], list(arm.split.dependent)
    speeds = tuple((k, dependent.index(v)) for k, v in enumerate(range(arm.n)[body.v]) if v in dependent)
    guide = next((guide.guide for guide in cut.guides if guide.guide.joint == name), None)
    row = next((k for k, element in enumerate(cut.elements) if element.root == number and not element.is_beam), -1)
    twists, guided = np.eye(6), 0.0
    if guide is not None:
        twists = np.zeros((6, 1))
        guided = float(np.sign(guide.axes[:, 0] @ np.array(guide.guide.axis(body.joint))))
    piece = massless_piece(name, numbers[body.joint.child], _next(pieces), twists, "")
    pieces.append(piece)
    return FreeJoint(body, number, len(pieces) - 1, piece.columns, row, speeds, guided)


class ClosedRows:
    """The rows of a model in states, and what they leave; rows are in the units of `unit`, so that forces and torques
    compare. World axes.
    """

    def __init__(self, placed: PlacedModel, closing: Closing) -> None:
        self.placed, self.closing, self.count = placed, closing, placed.count
        arm, loop_of = closing.arm, list(closing.loop_of)
        m = len(loop_of)
        S = np.asarray(at_once(arm.loop_directions, placed.q), dtype=float) if m else np.zeros((self.count, 0, 6))
        first, second = ([side[k] for side in closing.markers] for k in range(2))
        self.axes = placed.R[:, second]
        """(states, loops, 3, 3): axes of the frames `on`."""
        turn, apart = np.zeros((self.count, m, 3, 3)), np.zeros((self.count, m, 3))
        if arm.loops:
            turn, apart = self.axes[:, loop_of], (placed.p[:, second] - placed.p[:, first])[:, loop_of]
        self.force, self.torque = (np.einsum("skij,skj->ski", turn, part) for part in (S[..., :3], S[..., 3:]))
        """(states, m, 3): unit wrench of each row on the second link, at the origin of `on`; zero of couplings."""
        self.offset = apart
        """(states, m, 3): from the side on the first link to that on the second."""
        self.unit = self._units()
        """(m,): a force and a torque of the size that the robot has."""
        self._solve()

    def _units(self) -> Floats:
        arm, m = self.closing.arm, len(self.closing.loop_of)
        weight = max(9.81 * sum(link.inertia.mass for link in arm.links[1:]), 1.0)
        S = np.linalg.norm(self.force, axis=-1)
        turning = (S < 0.5).all(axis=0) if S.size else np.zeros(m, dtype=bool)
        return np.where(turning, weight * loop_length(arm), weight)

    @cached_property
    def B(self) -> Floats:
        """(states, free coordinates, p): of the free joints, per unit of each dependent speed."""
        closing, first = self.closing, self.placed.model.size
        result = np.zeros((self.count, closing.count, len(closing.arm.split.dependent)))
        for joint in closing.joints:
            columns = joint.columns_of(self.placed.q)
            for k, at in joint.speeds:
                result[:, joint.columns.start - first : joint.columns.stop - first, at] = columns[..., k]
        return result

    def _opened(self) -> Floats:
        """(states, m, coordinates but for those of slides): how far the rows open."""
        placed, closing = self.placed, self.closing
        model, on_frames = placed.model, placed.extension.on_frames
        opened = np.zeros((self.count, len(closing.loop_of), model.total))
        for number, (first, second) in enumerate(closing.markers):
            mine = [k for k, of in enumerate(closing.loop_of) if of == number]
            which = on_frames[:, second] - on_frames[:, first]
            if (own := closing.own_numbers[number]) is not None:
                which = which.copy()
                which[:, own] = -1.0
            at = placed.p[:, second, None]
            power = np.concatenate([self.force[:, mine], self.torque[:, mine] + np.cross(at, self.force[:, mine])], -1)
            opened[:, mine] = (power @ placed.twists) * which[:, None, model.piece_of]
        return placed.without_slides(opened)

    def _solve(self) -> None:
        size, arm, unit = self.placed.model.size, self.closing.arm, self.unit[:, None]
        opened = self._opened()
        self.A = opened[..., :size] * unit
        """(states, m, size)."""
        J = opened[..., size:] @ self.B
        for k, coupling in enumerate(arm.couplings, start=len(unit) - len(arm.couplings)):
            ratios = dict(coupling.ratios)
            J[:, k] = [ratios.get(arm.dof_names[v], 0.0) for v in arm.split.dependent]
        self.J = J * unit
        """(states, m, p)."""
        U, s, Vt = np.linalg.svd(self.J, full_matrices=True)
        p = self.J.shape[-1]
        self.along, self.N = U[..., :p], U[..., p:]
        self.inverse = np.swapaxes(Vt, -1, -2) / s[..., None, :]
        """(states, p, p): J = along inverse^-1; and N, what the free speeds do not feel."""
        self.turned = -self.inverse @ np.swapaxes(self.along, -1, -2) @ self.A
        """(states, p, size): dq per unit of each elastic coordinate."""
        rows = np.swapaxes(self.N, -1, -2) @ self.A
        _, stretch, right = np.linalg.svd(rows, full_matrices=False)
        largest = np.einsum("ski,ski->sk", self.A, self.A).max(axis=-1, initial=1e-300)
        soft = stretch**2 > STIFF * largest[:, None]
        self.Q = np.swapaxes(right * soft[..., None], -1, -2)
        """(states, size, k): orthonormal, what the loops do not allow of the elastic coordinates; columns of zeros
        where a row restricts none of them.
        """

    @property
    def C(self) -> Floats:
        """(states, free coordinates, size)."""
        result: Floats = self.B @ self.turned
        return result

    @cached_property
    def rotors(self) -> Floats:
        """(p,): inertia of rotors at the dependent speeds, which turn while the drives are held."""
        arm = self.closing.arm
        result = np.zeros(len(arm.split.dependent))
        for joint in self.closing.joints:
            for k, at in joint.speeds:
                result[at] += joint.body.joint.reflected_inertia[k] * joint.body.multiplier**2
        return result

    def wrenches(self, multipliers: Floats) -> tuple[Floats, Floats]:
        """Force and torque (..., states, loops, 3) on the second links, at the origins of `on`, of multipliers (...,
        states, m) of the rows as they are.
        """
        loops = [[float(of == number) for of in self.closing.loop_of] for number in range(len(self.closing.markers))]
        which = np.array(loops).reshape(len(loops), len(self.unit))
        force, torque = (np.einsum("...sk,skj,lk->...slj", multipliers, part, which)
                         for part in (self.force, self.torque))
        return force, torque


# Wrenches that turn with their links


def turning_loops(placed: PlacedModel, loads: Floats, exerted: Floats | None) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of factors (states, k, size), from the loads (states, pieces, 18) of all pieces and what the loops exert on
    their second links (states, loops, 6), world axes.
    """
    rows = placed.closed
    if rows is None or exerted is None:
        return
    for number, (first, second) in enumerate(rows.closing.markers):
        one, other = (_motion(placed, side) for side in (first, second))
        f, t = exerted[:, number, :3], exerted[:, number, 3:]
        r = placed.p[:, second] - placed.p[:, first]
        theta, phi = one[:, 3:], other[:, 3:] - one[:, 3:]
        delta = other[:, :3] - one[:, :3] + skew(r) @ theta
        yield delta, skew(f) @ (theta + 0.5 * phi)
        yield phi, 0.5 * skew(t) @ theta
        across = f[:, :, None] * r[:, None]
        levers = 0.5 * (across + np.swapaxes(across, -1, -2)) - np.einsum("si,si->s", f, r)[:, None, None] * np.eye(3)
        yield theta, 0.5 * levers @ theta
        free = np.concatenate([delta, phi], axis=1)
        if (own := rows.closing.own_numbers[number]) is not None:
            soft = _moved_by(placed, np.eye(len(placed.model.pieces))[own][None], second)
            free = free - soft
            yield free[:, 3:], -0.5 * (skew(f) @ soft[:, :3] + skew(t) @ soft[:, 3:])
            yield free[:, :3], -0.5 * skew(f) @ soft[:, 3:]
        yield from _of_path(placed, rows, number, free, exerted[:, number])
    yield from _of_joints(placed, rows, loads)


def _motion(placed: PlacedModel, link: int) -> Floats:
    """(states, 6, size): displacement of the origin of a link's joint frame, and rotation of the frame."""
    return _moved_by(placed, placed.extension.on_frames[:, link], link)


def _moved_by(placed: PlacedModel, which: Floats, link: int) -> Floats:
    """The same, by some pieces (states, pieces)."""
    twist = placed.reduced(placed.twists * which[:, None, placed.model.piece_of])
    return np.concatenate([twist[:, :3] - skew(placed.p[:, link]) @ twist[:, 3:], twist[:, 3:]], axis=1)


def _of_path(
    placed: PlacedModel, rows: ClosedRows, number: int, free: Floats, exerted: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Of a loop's joint whose freedoms change as it moves; `free` is its free twist (states, 6, size)."""
    motion, (first, second) = rows.closing.arm.loops[number].motion, rows.closing.markers[number]
    if motion.dof < 2:
        return
    back = np.swapaxes(placed.R[:, first], -1, -2)
    shift = np.einsum("sij,sj->si", back, placed.p[:, second] - placed.p[:, first])
    at = motion.coordinates_at(back @ placed.R[:, second], shift)
    rates = path_rates(motion, at)
    if not np.any(rates):
        return
    S, R = subspaces(motion, at), np.swapaxes(placed.R[:, second], -1, -2)
    seen = np.concatenate([R @ free[:, :3], R @ free[:, 3:]], axis=1)
    speeds = np.linalg.pinv(S) @ seen
    wrench = np.concatenate([np.einsum("sij,sj->si", R, part) for part in (exerted[:, :3], exerted[:, 3:])], axis=-1)
    yield speeds, 0.5 * np.einsum("si,sijk->sjk", wrench, np.broadcast_to(rates, (len(wrench), *rates.shape[1:]))
                                  ) @ speeds


def _of_joints(placed: PlacedModel, rows: ClosedRows, loads: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Of the free joints of the tree whose freedoms change as they move."""
    for joint in rows.closing.joints:
        body = joint.body
        if joint.guided or body.motion.dof < 2:
            continue
        rates = path_rates(body.motion, body.multiplier * placed.q[:, body.q] + body.offset)
        if not np.any(rates):
            continue
        G = loads[:, joint.piece, 3:12].reshape(-1, 3, 3)
        moment = np.stack([G[:, 1, 2] - G[:, 2, 1], G[:, 2, 0] - G[:, 0, 2], G[:, 0, 1] - G[:, 1, 0]], axis=-1)
        wrench = np.concatenate([loads[:, joint.piece, :3], moment], axis=-1)
        own, at = ([each[k] for each in joint.speeds] for k in range(2))
        speeds = placed.allowed(rows.turned[:, at])
        K = np.einsum("si,sijk->sjk", wrench, np.broadcast_to(rates, (len(wrench), *rates.shape[1:])))
        yield speeds, -0.5 * K[:, own][:, :, own] @ speeds
