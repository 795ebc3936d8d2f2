"""The recursive form of the generalized manipulator in matrices (Lau's thesis, section 5.2): how a link turns is in its
orientation matrix A = 0_A^i and in the time derivatives d_t(A), d_tt(A), nine numbers each.

Frames, joints and axes are those of the vector form (`generalized_recursive`). Of it the thesis says (5.3) that it is
three times as efficient. Counted for a general 6R arm that holds for the motion outwards; of the torques as a whole,
matrices take 1.9 times the multiplications (docs/operation_counts.md).
"""

# ruff: noqa: E741  (I is the thesis's letter)
from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.formulation import Formulation, bias_from, gravity_from
from loadpath.formulations.generalized_recursive import accumulated, step
from loadpath.formulations.moving_base import on_moving_base
from loadpath.mechanics.drives import at_joint_frames, from_wrenches
from loadpath.mechanics.kinematics import base_placement
from loadpath.mechanics.wrenches import External, Wrench, on_bodies
from loadpath.robot.mechanism import BASE, Mechanism
from loadpath.scalars import Array, array, cross, scale, skew, vector, zeros


class LinkMatrices(NamedTuple):
    """Motion of link i in matrices, and that of its origin; base axes."""

    A: Array
    """0_A^i, and its first and second time derivative."""
    A_t: Array
    A_tt: Array
    d: Array
    """0_d^i, and its first and second time derivative; the second minus gravity."""
    d_t: Array
    d_tt: Array


def outward(mechanism: Mechanism, q: Array, qd: Array, qdd: Array) -> list[LinkMatrices]:
    """Orientation and position of every link, and their time derivatives (5-1 to 5-6).

    >>> from loadpath.robot import catalog
    >>> from loadpath.robot.mechanism import plain
    >>> arm = plain(catalog.planar(2))
    >>> outward(arm, zeros(2), array([1.0, 2.0]), zeros(2))[1].d_t.tolist()                  # 1 rad/s at 1 m: up
    [0.0, 0.0, 1.0]
    """
    links: list[LinkMatrices] = []
    base = base_placement(mechanism)
    A_0, none = array([list(row) for row in base.rows]), zeros(3, 3)
    gravity = base.to_world(mechanism.gravity)
    at_rest = LinkMatrices(A_0, none, none, base.origin, zeros(3), -gravity)  # (5-34) prints plus, see errata
    for body in mechanism.bodies:
        A, A_t, A_tt, d, d_t, d_tt = at_rest if body.parent == BASE else links[body.parent]
        joint = step(body, q, qd, qdd)
        B, W = joint.B, skew(joint.w)
        B_t = W @ B  # (5-42)
        B_tt = (skew(joint.alpha) + W @ W) @ B  # (2-71)
        links.append(
            LinkMatrices(
                A @ B,  # (5-1)
                # (5-2) and (5-3) print the first term without B, see errata.
                A_t @ B + A @ B_t,
                A_tt @ B + _twice(A_t @ B_t) + A @ B_tt,
                d + A @ joint.d,  # (5-4)
                d_t + A_t @ joint.d + A @ joint.d_t,  # (5-5)
                d_tt + A_tt @ joint.d + _twice(A_t @ joint.d_t) + A @ joint.d_tt,  # (5-6)
            )
        )
    return links


def _twice(x: Array) -> Array:
    return scale(2.0, x)


def _axial(X: Array) -> Array:
    """The vector v whose [v]x is the skew-symmetric part of a matrix."""
    return scale(0.5, vector(X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]))


def inward(mechanism: Mechanism, links: list[LinkMatrices], external: list[Wrench]) -> list[Wrench]:
    """Force and torque at every joint, about the origin of its link: (5-18) and (5-31); in the axes of its link."""
    own = []
    for body, (A, A_t, A_tt, _, _, d_tt), (f, n) in zip(mechanism.bodies, links, external, strict=True):
        # (5-18): the mass center is fixed in the frame of the link here, so its own two terms are zero.
        force = scale(body.mass, d_tt) + A_tt @ body.moment
        # The vectors of d_t(A) = [w]x A (2-68) and d_tt(A) = ([alpha]x + [w]x [w]x) A (2-71); below (5-28) exchanged.
        w, alpha = _axial(A_t @ A.T), _axial(A_tt @ A.T)
        I = A @ body.inertia @ A.T
        torque = cross(A @ body.moment, d_tt) + I @ alpha + cross(w, I @ w)
        # Minus what the surroundings exert; (5-38) and (5-39) print plus, see errata.
        own.append(Wrench(force - A @ f, torque - A @ n))
    return accumulated(mechanism, [(link.A, link.d) for link in links], own)


@on_moving_base
def inverse_dynamics(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, external: External | None = None) -> Array:
    """Forces of the drives for a motion, by the recursion in matrix form.

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
    """Force and torque at every joint by the recursion in matrix form, each (joints, 3): at the joint's origin, in the
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
    name="generalized-matrices",
    citation="Lau 1985, section 5.2",
    inverse_dynamics=inverse_dynamics,
    gravity_forces=gravity_forces,
    bias_forces=bias_forces,
    joint_wrenches=joint_wrenches,
)
