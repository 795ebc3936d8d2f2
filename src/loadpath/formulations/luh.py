"""The second Newton-Euler form (Luh, Walker and Paul 1980; table 3.2 of the lecture on robot dynamics).

Read beside the table. Frame i sits on link i, as in a standard Denavit-Hartenberg table: p_i* goes from origin i-1, on
the axis of joint i, to origin i (and contains the slide), s_i from origin i to the mass center. Moments n_i are about
origin i-1. Vectors are in the link's own axes, or, `axes="base"`, all in those of the base; the lines are the same,
only the rotations between them are then none.

Three things are wider than the table, and nothing where the table speaks:

- Where frame i-1 does not sit on the axis of joint i (frames that are not DH frames), an arm e_i, fixed on link i-1,
  leads there. It is zero for DH frames.
- A joint may have any freedom. `z qdot` of a rotational joint is its relative angular velocity w; `z qdot` of a
  translational one is the rate of p_i* as seen from link i. Every joint has both; one is zero in the table's cases.
- A link may have several children; their forces and moments add.

Of the table, two misprints are corrected (see errata): vdot_i in its third line, and vdot_0 = -g.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import at_joint_frames, drive_forces
from loadpath.mechanics.joint_motion import joint_columns, joint_motion
from loadpath.mechanics.link_geometry import links_in_frames
from loadpath.mechanics.wrenches import External, Wrench, at_frame, on_bodies, on_body
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import (
    IDENTITY,
    Array,
    MatrixRotation,
    Rotation,
    Scalar,
    compose,
    cross,
    dot,
    scale,
    zeros,
)

Axes = Literal["link", "base"]


class Link(NamedTuple):
    """What table 3.2 reads of link i: in the axes of link i, but for z and e, in those of link i-1; or all in the
    base's.
    """

    parent: int
    R: Rotation
    """From the axes of link i to those of link i-1; none in base axes."""
    turn: Rotation
    """From the axes of frame i to those that the vectors are in: none, or to the base's."""
    e: Array
    zqd: Array
    """Relative angular velocity: z_{i-1} qdot_i of a rotational joint, zero of a translational one."""
    zqdd: Array
    """Relative angular acceleration: z_{i-1} qddot_i of a rotational joint."""
    d: Array
    """Rate of p* seen from link i: z_{i-1} qdot_i of a translational joint, zero of a rotational one."""
    dd: Array
    """Second rate of p*: z_{i-1} qddot_i of a translational joint."""
    p: Array
    """p_i*, from origin i-1 (the joint) to origin i."""
    s: Array
    m: Scalar
    inertia: Array
    columns: list[tuple[Array, Array]]
    """w and d per unit of each speed."""
    f: Array
    """External force on the link."""
    n: Array
    """External moment on it, about origin i."""


def links(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None, axes: Axes = "link"
) -> list[Link]:
    """Everything that table 3.2 takes as known, in the chosen axes."""
    applied = on_bodies(mechanism, q, external)
    found: list[Link] = []
    for body, link, wrench in zip(mechanism.bodies, links_in_frames(mechanism), applied, strict=True):
        move = joint_motion(body, q, qd, qdd)
        back = link.frame.rotation.T
        b, w, wdot = move.Q.T @ move.b, move.w, move.wdot
        d = move.u - cross(w, b)
        dd = move.udot - cross(wdot, b) - cross(w, d)
        f, n = at_frame(link.frame, *wrench)
        found.append(
            Link(
                parent=link.parent,
                R=MatrixRotation(compose(link.E, move.Q, link.frame.rotation).matrix()),
                turn=IDENTITY,
                e=link.e,
                zqd=link.E @ (move.Q @ w),
                zqdd=link.E @ (move.Q @ wdot),
                d=back @ d,
                dd=back @ dd,
                p=back @ (b + link.frame.origin),
                s=link.s,
                m=link.mass,
                inertia=link.tensor,
                columns=[(back @ angular, back @ (u - cross(angular, b))) for angular, u in joint_columns(body, q)],
                f=f,
                n=n,
            )
        )
    return found if axes == "link" else _in_base_axes(found)


def _in_base_axes(links: list[Link]) -> list[Link]:
    turned: list[Link] = []
    for link in links:
        before = IDENTITY if link.parent == BASE else turned[link.parent].turn
        turn = MatrixRotation(before.matrix() @ link.R.matrix())
        turned.append(
            link._replace(
                R=IDENTITY,
                turn=turn,
                e=before @ link.e,
                zqd=before @ link.zqd,
                zqdd=before @ link.zqdd,
                d=turn @ link.d,
                dd=turn @ link.dd,
                p=turn @ link.p,
                s=turn @ link.s,
                inertia=turn.tensor(link.inertia),
                columns=[(turn @ angular, turn @ slide) for angular, slide in link.columns],
                f=turn @ link.f,
                n=turn @ link.n,
            )
        )
    return turned


class Motion(NamedTuple):
    """Of link i: omega_i, omegadot_i, vdot_i (of origin i) and a_i (of the mass center), the last two less gravity."""

    omega: Array
    omegadot: Array
    vdot: Array
    a: Array


def forward(links: list[Link], gravity: Array) -> list[Motion]:
    """Forward equations of table 3.2, i = 1, 2, ..., n.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm = plain(lp.catalog.two_link())
    >>> still, turning = array([0.0, 0.0]), array([1.0, 2.0])
    >>> forward(links(arm, still, turning, still), arm.gravity)[1].omega.tolist()
    [0.0, 0.0, 3.0]
    """
    omega_0, omegadot_0 = zeros(3), zeros(3)
    vdot_0 = -gravity  # printed (g_x, g_y, g_z); see errata
    motions: list[Motion] = []
    for link in links:
        omega, omegadot, vdot = omega_0, omegadot_0, vdot_0  # with index i-1
        if link.parent != BASE:
            omega, omegadot, vdot, _ = motions[link.parent]
        vdot = vdot + cross(omegadot, link.e) + cross(omega, cross(omega, link.e))  # where e_i is not zero
        R, p, s = link.R, link.p, link.s
        omega_i = R.T @ (omega + link.zqd)
        omegadot_i = R.T @ (omegadot + link.zqdd + cross(omega, link.zqd))
        vdot_i = (  # printed v_i; see errata
            link.dd
            + cross(omegadot_i, p)
            + scale(2.0, cross(omega_i, link.d))
            + cross(omega_i, cross(omega_i, p))
            + R.T @ vdot
        )
        a_i = cross(omegadot_i, s) + cross(omega_i, cross(omega_i, s)) + vdot_i
        motions.append(Motion(omega_i, omegadot_i, vdot_i, a_i))
    return motions


def backward(links: list[Link], motions: list[Motion]) -> list[Wrench]:
    """Backward equations of table 3.2, i = n, n-1, ..., 1: f_i and n_i, exerted by link i-1 on link i, the moment about
    origin i-1.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm = plain(lp.catalog.two_link())
    >>> still = array([0.0, 0.0])
    >>> there = links(arm, still, still, still, axes="base")
    >>> backward(there, forward(there, arm.gravity))[0].force.tolist()         # two kilograms hang on joint 1
    [0.0, 0.0, 19.6]
    """
    joints: list[Wrench] = []
    for link, (omega, omegadot, _, a) in zip(links, motions, strict=True):
        F = scale(link.m, a)
        N = link.inertia @ omegadot + cross(omega, link.inertia @ omega)
        # f_{n+1}, n_{n+1}: what the link exerts on its surroundings, minus what these exert on it
        f = F - link.f
        n = cross(link.p + link.s, F) + N - (link.n + cross(link.p, link.f))
        joints.append(Wrench(f, n))
    for i in reversed(range(len(links))):
        link, (f_i, n_i) = links[i], joints[i]
        if link.parent != BASE:
            f, n = joints[link.parent]
            R, p = link.R, links[link.parent].p + link.e
            joints[link.parent] = Wrench(f + R @ f_i, n + R @ (n_i + cross(R.T @ p, f_i)))
    return joints


@on_moving_base
def inverse_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    axes: Axes = "link",
) -> Array:
    """Forces of the drives: tau_i = n_i . z_{i-1} + b_i qdot_i (rotational) or f_i . z_{i-1} + b_i qdot_i
    (translational), with Coulomb friction and rotor inertia in addition to the viscous damping b_i.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> arm = plain(lp.catalog.two_link())
    >>> tau = inverse_dynamics(arm, array([0.0, 0.0]), array([0.0, 0.0]), array([1.0, 0.0]))
    >>> [round(x, 12) for x in tau]
    [5.0, 2.0]
    """
    known = links(mechanism, q, qd, qdd, external, axes)
    wrenches = backward(known, forward(known, mechanism.gravity))
    tau = zeros(mechanism.n)
    for body, link, (f, n) in zip(mechanism.bodies, known, wrenches, strict=True):
        for k, ((z, slide), drive) in enumerate(zip(link.columns, drive_forces(body, q, qd, qdd), strict=True)):
            j = body.v.start + k
            tau[j] = tau[j] + dot(n, z) + dot(f, slide) + drive
    return tau


@on_moving_base
def joint_wrenches(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    axes: Axes = "link",
) -> tuple[Array, Array]:
    """f_i and n_i of all joints, moved to the joint's origin after its slide, in the child's joint frame.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> from loadpath.scalars import array
    >>> still = array([0.0, 0.0])
    >>> force, torque = joint_wrenches(plain(lp.catalog.two_link()), still, still, still)
    >>> force[0].tolist()                                                       # its x hangs down
    [-19.6, 0.0, 0.0]
    """
    known = links(mechanism, q, qd, qdd, external, axes)
    wrenches = backward(known, forward(known, mechanism.gravity))
    through = []
    for link, here, (f, n) in zip(known, links_in_frames(mechanism), wrenches, strict=True):
        about_origin = link.turn.T @ f, link.turn.T @ (n - cross(link.p, f))  # of link i, in frame i
        through.append(on_body(here.frame, *about_origin))
    return at_joint_frames(mechanism, q, through)


gravity_forces = gravity_from(inverse_dynamics)
bias_forces = bias_from(inverse_dynamics)

FORMULATION = Formulation(
    name="luh",
    citation="Luh, Walker and Paul 1980; table 3.2 of the lecture notes",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
)
