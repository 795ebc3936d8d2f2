"""The recursive form of the generalized manipulator (Lau's thesis, chapter 5): motion from the base outwards, forces
and torques from the tips inwards, balanced about the origins of the links and in the axes of the base.

The thesis gives it twice: in *matrix form* (section 5.2, `generalized_matrices`), where the turning of link i is in its
orientation matrix A = 0_A^i and in the time derivatives d_t(A), d_tt(A); and in *vector form* (section 5.3), here, in
the vectors w and alpha. Both go to the same balance of forces and torques.

Frame i is fixed to link i, after the motion of joint i: the thesis's frame i+1, so that what it says of the motion of
link i with the superscript i+1 is said with i here. A joint contributes its turn B = (i-1)_A^i and the displacement
d of frame i in frame i-1, with their rates: so joints of any kind, in a tree.
"""

# ruff: noqa: E741  (I and l are the thesis's letters)
from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import at_joint_frames, from_wrenches
from loadpath.mechanics.joint_motion import joint_motion
from loadpath.mechanics.kinematics import base_placement
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE, Body, Mechanism
from loadpath.scalars import Array, array, cross, scale, vector, zeros


class Step(NamedTuple):
    """From link i-1 to link i, in the axes of link i-1."""

    B: Array
    """(i-1)_A^i."""
    d: Array
    """(i-1)_d^i, and its first and second time derivative."""
    d_t: Array
    d_tt: Array
    w: Array
    """(i-1)_w^i, relative angular velocity."""
    alpha: Array
    """(i-1)_alpha^i, its time derivative."""


class LinkMotion(NamedTuple):
    """Motion of link i in base axes."""

    A: Array
    """0_A^i."""
    d: Array
    """0_d^i."""
    w: Array
    alpha: Array
    epsilon: Array
    """Acceleration of the origin (5-56), minus gravity."""


def step(body: Body, q: Array, qd: Array, qdd: Array) -> Step:
    """What the joint of a link does, in the axes of the link before."""
    Q, b, w, wdot, u, udot = joint_motion(body, q, qd, qdd)

    def out(v: Array) -> Array:
        return body.turn @ (Q @ v)

    columns = [out(vector(*(1.0 if m == axis else 0.0 for m in range(3)))) for axis in range(3)]
    B = array([[columns[c][r] for c in range(3)] for r in range(3)])
    # udot and wdot are rates of components in the axes of link i, which turn with w.
    return Step(B, body.arm + body.turn @ b, out(u), out(udot + cross(w, u)), out(w), out(wdot))


def outward(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> list[LinkMotion]:
    """Vector form: the motion of every link (5-45, 5-46, 5-57, 5-58).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(catalog.planar(2))
    >>> outward(arm, zeros(2), array([1.0, 2.0]), zeros(2))[1].w.tolist()             # z of the joints is -y
    [0.0, -3.0, 0.0]
    """
    links: list[LinkMotion] = []
    base = base_placement(mechanism)
    A_0 = array([list(row) for row in base.rows])
    # (5-32 to 5-37); the base accelerates with minus g, (5-34) prints plus, see errata.
    at_rest = LinkMotion(A_0, base.origin, zeros(3), zeros(3), -base.to_world(mechanism.gravity))
    for body in mechanism.bodies:
        A, d, w, alpha, epsilon = at_rest if body.parent == BASE else links[body.parent]
        joint = step(body, q, qd, qdd)
        Ad, Ad_t, Aw = A @ joint.d, A @ joint.d_t, A @ joint.w
        links.append(
            LinkMotion(
                A @ joint.B,  # (5-1)
                d + Ad,  # (5-4)
                w + Aw,  # (5-45)
                alpha + cross(w, Aw) + A @ joint.alpha,  # (5-46)
                epsilon + cross(alpha, Ad) + cross(w, cross(w, Ad) + scale(2.0, Ad_t)) + A @ joint.d_tt,  # (5-58)
            )
        )
    return links


def inward(mechanism: Mechanism, links: list[LinkMotion], external: list[Wrench]) -> list[Wrench]:
    """Force and torque at every joint, about the origin of its link: (5-77) and (5-31); in the axes of its link."""
    own = []
    for body, (A, _, w, alpha, epsilon), (f, n) in zip(mechanism.bodies, links, external, strict=True):
        h, I = A @ body.moment, A @ body.inertia @ A.T  # mass times 0_A^i p; 0_A^i I (0_A^i)^T
        # (5-77) prints A of frame i for that of the link, i+1 there; see errata.
        force = scale(body.mass, epsilon) + cross(alpha, h) + cross(w, cross(w, h))
        # epsilon is what (5-31) and (5-83) put together of the acceleration of the joint's point, a and 2 w x u; they
        # print w and alpha of the link before, see errata.
        torque = cross(h, epsilon) + I @ alpha + cross(w, I @ w)
        # Minus what the surroundings exert; (5-38) and (5-39) print plus, see errata.
        own.append(Wrench(force - A @ f, torque - A @ n))
    return accumulated(mechanism, [(link.A, link.d) for link in links], own)


def accumulated(mechanism: Mechanism, frames: list[tuple[Array, Array]], own: list[Wrench]) -> list[Wrench]:
    """Force and torque at every joint, in the axes of its link, from what each link needs by itself and all that is
    beyond it, in base axes about the links' origins; `frames` are orientation A and origin d of every link.
    """
    joints = list(own)
    for j in reversed(range(len(joints))):
        i = mechanism.bodies[j].parent
        if i != BASE:
            (F, N), (F_j, N_j) = joints[i], joints[j]
            joints[i] = Wrench(F + F_j, N + N_j + cross(frames[j][1] - frames[i][1], F_j))
    return [Wrench(A.T @ f, A.T @ n) for (A, _), (f, n) in zip(frames, joints, strict=True)]


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives for a motion, by the recursion in vector form (section 5.4).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> still = array([0.0, 0.0])
    >>> [round(tau, 12) for tau in inverse_dynamics(plain(catalog.two_link()), still, still, array([1.0, 0.0]))]
    [5.0, 2.0]
    """
    links = outward(mechanism, q, qd, qdd)
    return from_wrenches(mechanism, q, qd, qdd, inward(mechanism, links, on_bodies(mechanism, q, external)))


@on_moving_base
def joint_wrenches(
    mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None
) -> tuple[Array, Array]:
    """Force and torque at every joint by the recursion in vector form, each (joints, 3): at the joint's origin, in the
    child's joint frame, exerted by the parent on the child.

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> force, torque = joint_wrenches(plain(catalog.two_link()), zeros(2), zeros(2), zeros(2))    # it hangs: x is down
    >>> force[0].tolist()
    [-19.6, 0.0, 0.0]
    """
    links = outward(mechanism, q, qd, qdd)
    return at_joint_frames(mechanism, q, inward(mechanism, links, on_bodies(mechanism, q, external)))


gravity_forces = gravity_from(inverse_dynamics)
bias_forces = bias_from(inverse_dynamics)

FORMULATION = Formulation(
    name="generalized-recursive",
    citation="Lau 1985, section 5.3",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
)
