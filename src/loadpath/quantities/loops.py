"""What loops add to lines of the table of quantities: a status of each state and its verdict, keywords that choose
among forces and stiffnesses, formulations of their own, and what is refused of a robot before anything is computed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from loadpath.algorithms.loops import forward_dynamics as forward
from loadpath.algorithms.loops import reactions, status
from loadpath.algorithms.loops.checks import check_driven, check_moved
from loadpath.algorithms.loops.idle import idle_columns, idle_gravity
from loadpath.algorithms.movable import check_movable as check_movable_tree
from loadpath.closure.freedoms import poses_nearby
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import Loops, On
from loadpath.errors import ModelError
from loadpath.formulations import moving_base
from loadpath.formulations.orthogonal_complement import FORMULATION as COMPLEMENT
from loadpath.mechanics.wrenches import BASE_MOTION
from loadpath.quantities.wrench import ClosedJointWrenches, JointWrenches
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.scalars import Array, array
from loadpath.states.on_manifold import verdict, verdict_with_q

COMPLEMENT_UP_TO = 20
"""Speeds up to which the natural orthogonal complement of links and loops together is compiled: links in equilibrium
all together are a large system.
"""
CHOSEN_EFFORT: Mapping[str, tuple[int | str, ...]] = {"weights": ("a",), "preload": ("a",)}
"""What chooses among the forces of more drives than freedoms."""


def counts(robot: ClosableRobot, variant: Variant) -> Mapping[str, int]:
    """Letters of quantities with loops: `a` drives, `s` entries of a status, `c` loops and couplings."""
    closed = len(robot.loops) + len(robot.couplings)
    return {"a": len(robot.split.driven), "s": status.ENTRIES, "c": closed}


def by_complement(equation: Callable[..., tuple[Array, ...]]) -> dict[str, On]:
    """The function of the natural orthogonal complement of trees and loops together."""
    added = dict.fromkeys(BASE_MOTION, moving_base.SPEEDS)
    return {COMPLEMENT.name: On(equation, plain, COMPLEMENT_UP_TO, added)}


WITH_STATUS = functools.partial(Loops, verdict=verdict, sizes=counts)
"""A line that has a status with loops."""
WITH_EFFORT = functools.partial(WITH_STATUS, optional=CHOSEN_EFFORT)
"""One whose drives may be more than its freedoms."""
WITH_REACTIONS = functools.partial(
    WITH_EFFORT, choices={"compliances": ()}, choice_readers={"compliances": reactions.read_compliances}
)
"""One of reactions that statics may leave open."""
WITH_WRENCHES = functools.partial(WITH_REACTIONS, verdict=verdict_with_q)
"""One of the wrenches of all joints, which say what statics gives of them at the coordinates."""


def wrenches_of(robot: ClosableRobot, force: Any, torque: Any, q: Any = None) -> JointWrenches:
    """The wrenches at the joints of a robot; with loops they know the coordinates that they are for."""
    if not robot.held_by_loops:
        return JointWrenches(force, torque, robot.joint_names)
    return ClosedJointWrenches(force, torque, robot.closed_joint_names, robot, q)


# What is refused


def check_movable(robot: ClosableRobot, mechanism: Mechanism) -> None:
    """Refuse a robot with a freedom that moves nothing that has inertia."""
    if mechanism.is_tree or not robot.held_by_loops:
        check_movable_tree(robot, mechanism)
        return
    matrix, _ = forward.driven_mass_matrix(mechanism, array(robot.home.tolist()))
    if not forward.is_regular(matrix):
        raise ModelError(
            f"robot '{robot.name}': one of its freedoms ({', '.join(robot.independent)}) moves without inertia, so "
            "forces do not determine its acceleration: give the links mass and inertia, or a joint a rotor inertia"
        )


def check_broken_down(robot: ClosableRobot, mechanism: Mechanism) -> None:
    """Refuse open chains with joints that no drive moves: causes would be those of a motion that is not given."""
    (check_moved if robot.closing_names else check_driven)(robot, mechanism)


def check_held_still(robot: ClosableRobot, mechanism: Mechanism) -> None:
    """Refuse to hold still what no drive moves and gravity does; a balanced rod between two balls stays as it is."""
    check_moved(robot, mechanism)
    for q in poses_nearby(robot) if idle_columns(mechanism) else ():
        pull, size = idle_gravity(mechanism, array(q.tolist()))
        if max(abs(float(x)) for x in pull) > 1e-9 * float(size):
            check_driven(robot, mechanism)
