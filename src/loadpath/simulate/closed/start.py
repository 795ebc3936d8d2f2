"""The manifold of a closed robot, and the state on it from which a simulation starts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loadpath.algorithms import composite_body
from loadpath.algorithms.loops.residual import angular_speeds, closure
from loadpath.algorithms.loops.rows import constraint_jacobian, constraint_rate, held_rows
from loadpath.closure.robot import ClosableRobot
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled, Subject
from loadpath.errors import ModelError, warn
from loadpath.mechanics import configuration
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced
from loadpath.scalars import Array, array
from loadpath.scalars.types import Floats
from loadpath.simulate.closed.manifold import Manifold
from loadpath.states.on_manifold import loop_length

MANY_WAYS = 1e-8
"""Least singular value of what is held, relative to the largest, below which a configuration is a bifurcation."""
_RANK = 1e-5
"""Singular values below this part of the largest are none: rounded numbers of a file leave 1e-6 of it."""
_MASSLESS = 1e-12
_FAR = 1.0
"""rad or m: a configuration further away is not near."""


def closure_and_rows(mechanism: Mechanism, q: Array) -> tuple[Array, Array]:
    """How far the held directions are from closed (m), and the rows J (m, n)."""
    return closure(mechanism, q), constraint_jacobian(mechanism, q)


class _Kernels:
    closure_and_rows = Compiled(
        closure_and_rows, "(q)->(m),(m,n)", reduced, "Closure of the loops and their rows."
    )
    constraint_rate = Compiled(
        constraint_rate, "(q),(n)->(m)", reduced, "Jdot qd: accelerations that the loops hold while qdd is zero."
    )
    mass_matrix = Compiled(composite_body.mass_matrix, "(q)->(n,n)", reduced, "Mass matrix.")
    integrate = Compiled(configuration.integrate, "(q),(n)->(q)", plain, "Configuration after a motion.")


class OnManifold(NamedTuple):
    """A manifold and a state on it."""

    manifold: Manifold
    q: Floats
    qd: Floats
    redundant: bool
    """Whether rows of the loops depend on each other only where the loops are closed."""


def on_manifold(robot: ClosableRobot, q: Floats, qd: Floats, *, strict: bool) -> OnManifold:
    """The start on the manifold, or an error that says how far off it is; with `strict=False` a warning."""
    mechanism, manifold = plain(robot), manifold_of(robot, q)
    closed = _closed(robot, mechanism, manifold, q, strict)
    _check_distinct(robot, manifold, closed)
    if manifold.freedoms:
        _check_movable(robot, manifold, closed)
    consistent = _consistent(robot, manifold, closed, qd, strict)
    return OnManifold(manifold, closed, consistent, _redundant(manifold, closed))


def manifold_of(robot: ClosableRobot, q: Floats) -> Manifold:
    """The manifold of a robot, by the units that its rows have at a configuration."""
    subject: Subject = robot
    mechanism = plain(robot)
    size = loop_length(robot)
    sizes = np.where(angular_speeds(mechanism), size, 1.0)
    row_sizes = [size if angular else 1.0 for angular in _angular_rows(mechanism, q)]
    for factors in mechanism.coupling_rows:
        row_sizes.append(1.0 / float((np.abs(factors.astype(float)) / sizes).max()))
    return Manifold(
        CompiledMethod(subject, _Kernels.closure_and_rows),
        CompiledMethod(subject, _Kernels.constraint_rate),
        CompiledMethod(subject, _Kernels.mass_matrix),
        CompiledMethod(subject, _Kernels.integrate),
        robot.mobility,
        size,
        sizes,
        np.array(row_sizes),
    )


def _angular_rows(mechanism: Mechanism, q: Floats) -> list[bool]:
    """For every held direction of the loops whether it is a pure torque."""
    return [not any(float(x) for x in row.force) for row in held_rows(mechanism, array(q.tolist()))]


def _closed(robot: RobotModel, mechanism: Mechanism, manifold: Manifold, q: Floats, strict: bool) -> Floats:
    off = manifold.at(q).off
    worst = float(np.abs(off).max(initial=0.0))
    closed = manifold.closed(q)
    if worst <= CLOSED_WITHIN * manifold.scale:
        return closed
    k = int(np.abs(off).argmax())
    text = (
        f"simulate: the start q is not closed: {_row_name(mechanism, k)} is {worst:.3g} m off (angles times the size "
        f"of the robot, {manifold.scale:.3g} m)"
    )
    left = float(np.abs(manifold.at(closed).off).max(initial=0.0))
    moved = float(np.abs(closed - q).max())
    if left > CLOSED_WITHIN * manifold.scale or moved > _FAR:
        raise ModelError(f"{text}, and no closed configuration is found near it: start from robot.home or "
                         "robot.assemble(...)")
    if strict:
        raise ModelError(f"{text}: robot.assemble(...) closes it, or give strict=False to start from the nearest "
                         "closed configuration")
    warn(f"{text}; it starts from the nearest closed configuration, up to "
         f"{moved:.3g} from it")
    return closed


def _row_name(mechanism: Mechanism, row: int) -> str:
    for loop in mechanism.loops:
        row -= 6 - loop.motion.dof
        if row < 0:
            return f"loop '{loop.name}'"
    return "a coupling"


def _check_distinct(robot: RobotModel, manifold: Manifold, q: Floats) -> None:
    """Refuse configurations at which the loops hold fewer or more directions than at the robot's home."""
    place, held = manifold.at(q), manifold.held
    if manifold.distinct(place) < MANY_WAYS:
        raise ModelError(f"simulate: robot '{robot.name}' starts at a bifurcation: at this configuration its loops "
                         "hold a direction less than nearby, so it can go on in more than one way (a parallelogram in "
                         "line does); start a little away from it")
    if len(place.sigma) > held and place.sigma[held] > _RANK * place.sigma[0]:
        count = int((place.sigma > _RANK * place.sigma[0]).sum())
        raise ModelError(f"simulate: at this configuration the loops of robot '{robot.name}' hold {count} directions, "
                         f"but {held} at its home: it is assembled in another way, with fewer freedoms; give this "
                         "configuration as with_home(q)")


def _check_movable(robot: RobotModel, manifold: Manifold, q: Floats) -> None:
    """Refuse robots that can move without moving any inertia."""
    free = manifold.free_motions(q)
    M = manifold.mass_matrix(q)
    values, vectors = np.linalg.eigh(free.T @ M @ free)
    if values[0] > _MASSLESS * max(values[-1], 1e-300):
        return
    motion = np.abs(free @ vectors[:, 0]) * manifold.sizes
    name = robot.dof_names[int(motion.argmax())]
    raise ModelError(f"simulate: robot '{robot.name}' can move along '{name}' without moving any inertia, so forces do "
                     "not determine its acceleration: give its links mass and inertia, or the joint a rotor inertia"
                     )


def _consistent(robot: RobotModel, manifold: Manifold, q: Floats, qd: Floats, strict: bool) -> Floats:
    result = manifold.consistent(q, qd)
    change = np.abs(result - qd) * manifold.sizes
    if float(change.max(initial=0.0)) <= CLOSED_WITHIN * float((np.abs(qd) * manifold.sizes).max(initial=0.0)):
        return result
    k = int(change.argmax())
    text = (
        f"simulate: the start qd would open the loops: '{robot.dof_names[k]}' has {qd[k]:.6g}, where the nearest "
        f"speeds that keep them closed have {result[k]:.6g}"
    )
    if strict:
        raise ModelError(f"{text}: robot.complete(q, speeds of the drives) gives all speeds, or give strict=False to "
                         "start with the nearest")
    warn(f"{text}; it starts with those")
    return result


def _redundant(manifold: Manifold, q: Floats) -> bool:
    """Whether rows that depend on others at a closed configuration no longer do so near it."""
    if len(manifold.row_sizes) <= manifold.held:
        return False
    sigma = manifold.at(manifold.nearby(q)).sigma
    return len(sigma) > manifold.held and bool(sigma[manifold.held] > _RANK * sigma[0])
