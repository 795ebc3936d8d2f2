"""What a joint leaves free: the columns S of its own speeds, and what takes its speeds back out of a twist."""

from __future__ import annotations

from loadpath.robot.mechanism import Body
from loadpath.scalars import Array, array, is_zero, ltdl, zeros


def freedoms_of(body: Body, q: Array) -> Array:
    """S, (6, dof): angular and linear velocity at O_i per unit of the joint's *own* speeds, in body axes."""
    own = q[body.q]
    if body.joint.mimic is not None:
        own = array([body.multiplier * own[0] + body.offset])
    result = zeros(6, body.motion.dof)
    for k, (angular, linear) in enumerate(body.motion.subspace(own)):
        result[:3, k], result[3:, k] = angular, linear
    return result


def kind_of(body: Body, q: Array) -> tuple[str, Array]:
    """Whether the source knows the joint, "revolute" or "prismatic", or "other"; and its S."""
    S = freedoms_of(body, q)
    turns = any(not is_zero(x) for column in S.T for x in column[:3])
    slides = any(not is_zero(x) for column in S.T for x in column[3:])
    if body.motion.dof != 1 or turns == slides:
        return "other", S
    return ("revolute" if turns else "prismatic"), S


def dual_freedoms(body: Body, q: Array) -> Array:
    """(dof, 6): the joint's own speeds from the relative twist of its link at O_i, in body axes."""
    return dual(freedoms_of(body, q))


def dual(S: Array) -> Array:
    """(S^T S)^-1 S^T."""
    result: Array = ltdl(S.T @ S).inverse() @ S.T
    return result
