"""What changes in a moving robot when one of its joints is displaced, seen by what that joint carries (Singh, Russo and
Wensing 2022, for any joint).

A small displacement s_j of joint j carries all bodies beyond it along as one rigid body. Seen by these bodies, axes,
inertias and the freedoms of their joints stay as they are; what changes is the motion that comes in from joint j's
parent p. With D_j the change in the axes that go along, at given qd and qdd,

    D_j v_i = y_j,    D_j a_i = z_j - v_i x y_j,    y_j = v_p x s_j,    z_j = a_p x s_j + v_p x y_j

for all bodies i beyond j, with v and a the spatial velocity and acceleration (less gravity). A particle at r that moves
with xdot then accelerates by z_lin + z_ang x r + 2 y_ang x xdot more. So of a composite body only its inertia, its
linear momentum P and the matrix N = tr(K) 1 - K with K = sum of m xdot r^T are needed: the wrench that it takes to
accelerate it changes by I z_j + B 2 y_j, of which

    B y:  force y_ang x P,  torque N y_ang.

By a speed the same holds with s_j for y_j and w_j = v_p x s_j + v_j x s_j for z_j. Joints whose freedoms, seen from the
child, depend on their own coordinates add the changes of these (`OwnSlopes`).

All vectors of the bodies beyond one root are in the axes of that root's body, about its origin. Where nothing but
differences of velocities counts, the base has no velocity there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from loadpath.algorithms.composite_body import RigidInertia
from loadpath.formulations.newton_euler import base_motion
from loadpath.mechanics.joint_motion import joint_columns, joint_placement, joint_rates
from loadpath.mechanics.kinematics import placements
from loadpath.mechanics.wrenches import External, Wrench, on_body
from loadpath.robot.joints import Columns, JointType
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import (
    Array,
    MatrixRotation,
    Scalar,
    array,
    cross,
    dot,
    identity,
    is_zero,
    outer,
    parallel_axis,
    scale,
    skew,
    zeros,
)
from loadpath.scalars.dual import Dual, partial_of
from loadpath.scalars.recording import Recording


class Twist(NamedTuple):
    """A motion of a rigid body: angular, and of the point of it at the origin."""

    angular: Array
    linear: Array

    def __add__(self, other: Twist) -> Twist:  # type: ignore[override]
        return Twist(self.angular + other.angular, self.linear + other.linear)

    def scaled(self, factor: Scalar) -> Twist:
        """Times a number."""
        return Twist(scale(factor, self.angular), scale(factor, self.linear))

    def crossed(self, other: Twist) -> Twist:
        """v x s: the rate of a motion s that is carried along by the motion v."""
        return Twist(
            cross(self.angular, other.angular),
            cross(self.angular, other.linear) + cross(self.linear, other.angular),
        )

    def crossed_with(self, wrench: Wrench) -> Wrench:
        """v x* f: the rate of a wrench that is carried along by the motion v."""
        return Wrench(
            cross(self.angular, wrench.force),
            cross(self.angular, wrench.torque) + cross(self.linear, wrench.force),
        )

    def work(self, wrench: Wrench) -> Scalar:
        """Of a wrench on this motion."""
        return dot(self.angular, wrench.torque) + dot(self.linear, wrench.force)


STILL = Twist(zeros(3), zeros(3))


class MovingInertia(NamedTuple):
    """A body, or all that is beyond a joint, as it moves: all of these add up."""

    inertia: RigidInertia
    P: Array
    """Linear momentum."""
    N: Array
    """tr(K) 1 - K with K = sum of m xdot r^T."""
    wrench: Wrench
    """What it takes to accelerate it as it does, less external wrenches."""
    world_force: Array
    """Sum of the external forces whose direction stays the same in the world."""
    world_torque: Array
    """E with E omega = sum of p x (omega x f) + omega x n over these wrenches (f, n) at their points p."""

    def __add__(self, other: MovingInertia) -> MovingInertia:  # type: ignore[override]
        return MovingInertia(
            self.inertia + other.inertia,
            self.P + other.P,
            self.N + other.N,
            Wrench(self.wrench.force + other.wrench.force, self.wrench.torque + other.wrench.torque),
            self.world_force + other.world_force,
            self.world_torque + other.world_torque,
        )

    def accelerated(self, z: Twist) -> Wrench:
        """I z."""
        return Wrench(*self.inertia.momentum(z.angular, z.linear))

    def turned_by(self, y: Array) -> Wrench:
        """B y, of an angular velocity."""
        return Wrench(cross(y, self.P), self.N @ y)

    def left_behind(self, s: Twist) -> Wrench:
        """What external wrenches that keep their directions in the world give less, seen by the displaced bodies."""
        return Wrench(cross(s.angular, self.world_force), self.world_torque @ s.angular)

    def turned_by_on(self, s: Twist) -> Array:
        """The vector b with b . y = work of B y on the motion s."""
        result: Array = self.N.T @ s.angular + cross(self.P, s.linear)
        return result

    def left_behind_on(self, s: Twist) -> Array:
        """The vector e with e . omega = work of what is left behind by a turn omega, on the motion s."""
        result: Array = self.world_torque.T @ s.angular + cross(self.world_force, s.linear)
        return result


class Placed(NamedTuple):
    """Where a body is: from its own axes to those of the root's body."""

    turn: MatrixRotation
    origin: Array

    def twist(self, own: Twist) -> Twist:
        """A motion that is given in the body's axes, of its origin."""
        omega = self.turn @ own.angular
        return Twist(omega, self.turn @ own.linear + cross(self.origin, omega))


class OwnSlopes(NamedTuple):
    """How the freedoms of a joint, seen from the child, change with its own displacements."""

    columns: list[list[Twist]]
    """[k][m]: of freedom m by a displacement along k."""
    velocity: list[Twist]
    """Of the joint's relative velocity, by displacement."""
    acceleration: list[Twist]
    """Of the rate of its components, by displacement."""
    by_speed: list[Twist]
    """Of the same, by speed, without what qdd gives."""
    rate: Twist
    """The rate of the components, without what qdd gives."""


class Carried(NamedTuple):
    """A body as it is carried, with its joint."""

    turn: MatrixRotation
    """From its own axes to those of the root's body."""
    origin: Array
    s: list[Twist]
    """The freedoms of its joint, per unit of the robot's speeds."""
    y: list[Twist]
    """D v by each of these displacements."""
    z: list[Twist]
    """D a + v x D v by each of these displacements."""
    half_w: list[Twist]
    """Half of what stands for z in the derivative by each speed."""
    changes: list[list[Twist]]
    """[k][m]: how freedom m changes with a displacement along k, seen by the body; empty where none does."""
    v: Twist
    a: Twist


Equation: TypeAlias = Callable[[Array, Array, Array], Iterable[Scalar]]
"""Values of the coordinates, speeds and accelerations of a robot."""


class OwnMotion(NamedTuple):
    """The motion of a robot at one of its joints: what depends on this joint alone is differentiated here, by dual
    numbers over whatever scalars the motion is made of.
    """

    body: Body
    q: Array
    qd: Array
    qdd: Array

    def by_displacement(self, of: Equation) -> Array:
        """(results, dof): derivatives by a displacement along each of the joint's freedoms."""
        body = self.body
        units = identity(body.motion.dof)
        if body.joint.mimic is None:
            x = self.q[body.q]
            units = array([list(body.motion.coordinate_rate(x, unit)) for unit in units])
        return differentiated(of, (self.q, self.qd, self.qdd), 0, body.q, units)

    def by_speed(self, of: Equation) -> Array:
        """(results, dof): derivatives by each of the joint's speeds."""
        return differentiated(of, (self.q, self.qd, self.qdd), 1, self.body.v, identity(self.body.motion.dof))


def differentiated(
    of: Equation, at: tuple[Array, Array, Array], which: int, part: slice, directions: Array
) -> Array:
    """(results, k): change of values along each of k directions (k, entries) of a part of one of their arguments."""
    lifted = [array([Dual(x, {}) for x in given]) for given in at]
    entries = range(part.start, part.stop)
    for place, entry in enumerate(entries):
        partials = {k: row[place] for k, row in enumerate(directions) if not is_zero(row[place])}
        lifted[which][entry] = Dual(at[which][entry], partials)
    found = of(*lifted)
    return array([[partial_of(value, k) for k in range(len(directions))] for value in found])


@functools.cache
def has_constant_freedoms(motion: JointType) -> bool:
    """Whether the freedoms of a joint, seen from the child, are always the same."""
    recording = Recording()
    rates = motion.subspace_rate(array(recording.inputs(motion.coordinates)), array(recording.inputs(motion.dof)))
    return all(is_zero(entry) for rate in rates for vector in rate for entry in vector)


def own_slopes(body: Body, q: Array, qd: Array, qdd: Array) -> OwnSlopes | None:
    """The slopes of a joint in the child's axes; none where its freedoms, seen from the child, are always the same."""
    if has_constant_freedoms(body.motion):
        return None
    own, dof = OwnMotion(body, q, qd, qdd), body.motion.dof

    def columns(x: Array, xd: Array, xdd: Array) -> list[Scalar]:
        return [entry for column in joint_columns(body, x) for vector in column for entry in vector]

    def rate(x: Array, xd: Array, xdd: Array) -> Array:
        return _weighted(xd[body.v], joint_rates(body, x, xd))

    def velocity(x: Array, xd: Array, xdd: Array) -> Array:
        return _weighted(xd[body.v], joint_columns(body, x))

    def acceleration(x: Array, xd: Array, xdd: Array) -> Array:
        result: Array = rate(x, xd, xdd) + _weighted(xdd[body.v], joint_columns(body, x))
        return result

    def twists(of: Array) -> list[Twist]:
        return [Twist(six[:3], six[3:]) for six in of.reshape(-1, 6)]

    by_column = own.by_displacement(columns).T.reshape(dof, 6 * dof)
    return OwnSlopes(
        [twists(row) for row in by_column],
        twists(own.by_displacement(velocity).T),
        twists(own.by_displacement(acceleration).T),
        twists(own.by_speed(rate).T),
        twists(rate(q, qd, qdd))[0],
    )


def _weighted(weights: Array, columns: Columns) -> Array:
    total = zeros(6)
    for weight, (angular, linear) in zip(weights, columns, strict=True):
        total = total + scale(weight, array([*angular, *linear]))
    return total


def carried_bodies(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, base_velocity: Array | None, base_acceleration: Array | None
) -> list[Carried]:
    """All bodies, parents first."""
    base = base_motion(mechanism, base_velocity, base_acceleration)
    found: list[Carried] = []
    for body in mechanism.bodies:
        Q, b = joint_placement(body, q)
        step = body.arm + body.turn @ b
        if body.parent == BASE:
            turn, origin = MatrixRotation(identity(3)), zeros(3)
            omega, omegadot, linear = (
                Q.T @ (body.turn.T @ x) for x in (base.omega, base.omegadot, base.oddot + base.W @ step)
            )
            v, a = Twist(omega, zeros(3)), Twist(omegadot, linear)
        else:
            parent = found[body.parent]
            turn = MatrixRotation(array([list(Q.T @ (body.turn.T @ row)) for row in parent.turn.entries]))
            origin = parent.origin + parent.turn @ step
            v, a = parent.v, parent.a
        found.append(_with_joint(body, Placed(turn, origin), v, a, q, qd, qdd))
    return found


def _with_joint(body: Body, at: Placed, v: Twist, a: Twist, q: Array, qd: Array, qdd: Array) -> Carried:
    """A body with its joint, whose parent moves with v and a."""
    s = [at.twist(Twist(*column)) for column in joint_columns(body, q)]
    own = own_slopes(body, q, qd, qdd)
    still, changes = [STILL] * len(s), []
    of_velocity, of_acceleration, by_speed, rate = still, still, still, STILL
    if own is not None:
        of_velocity, of_acceleration, by_speed = (
            [at.twist(twist) for twist in twists] for twists in (own.velocity, own.acceleration, own.by_speed)
        )
        rate, changes = at.twist(own.rate), [[at.twist(twist) for twist in row] for row in own.columns]
    across = [v.crossed(column) for column in s]  # v_p x s
    relative, accelerated = STILL, a + rate
    for column, carried_along, speed, acceleration in zip(s, across, qd[body.v], qdd[body.v], strict=True):
        relative = relative + column.scaled(speed)
        accelerated = accelerated + column.scaled(acceleration) + carried_along.scaled(speed)
    moved = v + relative
    y = [one + more for one, more in zip(across, of_velocity, strict=True)]
    z = [a.crossed(s[k]) + v.crossed(y[k]) + moved.crossed(of_velocity[k]) + of_acceleration[k] for k in range(len(s))]
    turned = still if len(s) == 1 else [relative.crossed(column) for column in s]  # of one freedom: s x s = 0
    half_w = [across[k] + (turned[k] + by_speed[k]).scaled(0.5) for k in range(len(s))]
    return Carried(at.turn, at.origin, s, y, z, half_w, changes, moved, accelerated)


def composites(
    mechanism: Mechanism, q: Array, bodies: list[Carried], external: External | None
) -> list[MovingInertia]:
    """For every body, it and all that is beyond it."""
    wrenches = _external(mechanism, q, bodies, external)
    result = []
    for body, at, given in zip(mechanism.bodies, bodies, wrenches, strict=True):
        result.append(_moving(body, at, *given))
    for i in reversed(range(len(bodies))):
        parent = mechanism.bodies[i].parent
        if parent != BASE:
            result[parent] = result[parent] + result[i]
    return result


def _moving(body: Body, at: Carried, given: Wrench, world_force: Array, world_torque: Array) -> MovingInertia:
    m, c = body.mass, at.turn @ body.moment
    tensor = at.turn.tensor(body.inertia)
    if not all(is_zero(x) for x in at.origin):
        tensor = tensor + parallel_axis(m, c, at.origin)
    h = c + scale(m, at.origin)
    inertia = RigidInertia(m, h, tensor)
    P, L = inertia.momentum(*at.v)
    force, torque = inertia.momentum(*at.a)
    gyroscopic = at.v.crossed_with(Wrench(P, L))
    wrench = Wrench(force + gyroscopic.force - given.force, torque + gyroscopic.torque - given.torque)
    return MovingInertia(inertia, P, turning_matrix(inertia, at.v), wrench, world_force, world_torque)


def turning_matrix(inertia: RigidInertia, u: Twist) -> Array:
    """N of a body that moves with u: tr(K) 1 - K with K = u_lin h^T + [u_ang] S, S = tr(J)/2 1 - J its second moments,
    and the trace of [u_ang] S is zero.
    """
    _, h, tensor = inertia
    half_trace = 0.5 * (tensor[0, 0] + tensor[1, 1] + tensor[2, 2])
    N: Array = scale(dot(u.linear, h), identity(3)) - outer(u.linear, h) - scale(half_trace, skew(u.angular))
    for k in range(3):
        N[:, k] = N[:, k] + cross(u.angular, tensor[:, k])
    return N


def _external(
    mechanism: Mechanism, q: Array, bodies: list[Carried], external: External | None
) -> list[tuple[Wrench, Array, Array]]:
    """For every body the external wrenches on it, the force and the matrix of those that are in world axes."""
    sums = [(Wrench(zeros(3), zeros(3)), zeros(3), zeros(3, 3)) for _ in bodies]
    external = external or {}
    world = placements(mechanism, q) if any(wrench.in_world_axes for wrench in external.values()) else []
    for link, (force, torque, in_world_axes) in external.items():
        frame = mechanism.link_frames[link]
        if frame.body == BASE:
            continue
        at = bodies[frame.body]
        before, f_world, E = sums[frame.body]
        if in_world_axes:
            seen = world[frame.body]
            f, n = at.turn @ seen.from_world(force), at.turn @ seen.from_world(torque)
            p = at.origin + at.turn @ frame.origin
            E = E - skew(p) @ skew(f) - skew(n)
            f_world = f_world + f
            n = n + cross(p, f)
        else:
            f, n = (at.turn @ x for x in on_body(frame, force, torque))
            n = n + cross(at.origin, f)
        sums[frame.body] = Wrench(before.force + f, before.torque + n), f_world, E
    return sums
