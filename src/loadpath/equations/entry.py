"""From a robot to its equations in symbols: those of its tree, and what its loops hold, if there are any.

The equations of a loop are those of the books: the two points of a pin coincide (in the axes of the link that both
sides of the loop hang on), the axis of a hinge has no part across the other's, and so on for each direction that the
loop's joint holds. What no joint moves is left out: of a hinge in a plane linkage three of five.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import sympy

from loadpath.algorithms.loops.paths import chain_end, path_of
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.closure.robot import ClosableRobot
from loadpath.equations.closed_result import ClosedEquations
from loadpath.equations.derivation import DEFAULT, Derivation, derived, symbolic_frame
from loadpath.equations.letters.names import Letters, names_of
from loadpath.equations.parameters import Choice
from loadpath.equations.polynomial import fractions
from loadpath.equations.result import Equations
from loadpath.robot.drive_train.of_joint import refuse_springs, refuse_stribeck
from loadpath.robot.joints import JointType
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.mechanism import ClosedLoop
from loadpath.robot.model import RobotModel
from loadpath.scalars import Array, Rotation, Scalar, array, compose, cross, dot, is_zero

if TYPE_CHECKING:
    from loadpath.engine.quantity import On


class _Held(NamedTuple):
    """One direction that is held: its name, and what is zero while the loop is closed."""

    name: str
    phi: Scalar


def equations(
    robot: ClosableRobot,
    formulations: Mapping[str, On],
    formulation: str = DEFAULT,
    parameters: Choice | None = None,
    letters: Letters | None = None,
    *,
    shapes: bool = True,
) -> Equations:
    """The equations of motion of a robot, by one of the given formulations of its tree's inverse dynamics;
    `ClosedEquations` where loops, couplings or joints without a drive have a say.
    """
    refuse_springs(robot, "equations in symbols")
    refuse_stribeck(robot, "equations in symbols")
    made = _derivation(robot, formulations, formulation, parameters, letters, shapes)
    return _closed(robot, made) if robot.held_by_loops else Equations(**made.parts())


def _derivation(
    robot: RobotModel,
    formulations: Mapping[str, On],
    formulation: str,
    parameters: Choice | None,
    letters: Letters | None,
    shapes: bool,
) -> Derivation:
    names = names_of(robot, parameters, letters, shapes=shapes)
    again = partial(_derivation, formulations=formulations, formulation=formulation, parameters=parameters,
                    letters=letters, shapes=shapes)
    return replace(derived(robot, formulations, formulation, names), choices=again)


def _closed(robot: ClosableRobot, made: Derivation) -> ClosedEquations:
    held = [row for loop in robot.loops for row in _of_loop(made, loop)]
    held += [_Held(coupling.name, _of_coupling(made, coupling)) for coupling in robot.couplings]
    shown = [(name, made.ring.show(phi)) for name, phi in held]
    rows = [(name, made.simplifier.simplified(fractions(phi))) for name, phi in shown]
    moving = [(name, phi) for name, phi in rows if set(made.q_symbols) & phi.free_symbols and not _is_rounding(phi)]
    names = [name for name, _ in moving]
    return ClosedEquations(
        **made.parts(),
        constraints=sympy.Matrix(len(moving), 1, [phi for _, phi in moving]),
        constraint_names=tuple(names),
        left_out=tuple(name for name, _ in rows if name not in names),
        driven=robot.split.driven,
        independent=robot.split.independent,
        dependent=robot.split.dependent,
        _rates=_coordinate_rates(made),
    )


def _is_rounding(phi: sympy.Expr) -> bool:
    """Whether all of it is rounding of rotations."""
    numbers = [term.as_coeff_Mul()[0] for term in sympy.Add.make_args(phi)]
    return all(isinstance(x, sympy.Float) and abs(float(x)) < 1e-13 for x in numbers)


def _coordinate_rates(made: Derivation) -> tuple[sympy.Expr, ...]:
    """Time derivatives of the coordinates: the speeds, but for quaternions."""
    if made.speeds_are_rates:
        return tuple(made.qd_symbols)
    rates = coordinate_rate(made.mechanism, array(made.q_symbols), array(made.qd_symbols))
    return tuple(sympy.nsimplify(rate) for rate in rates)


def _of_coupling(made: Derivation, coupling: Coupling) -> Scalar:
    total: Scalar = -coupling.offset
    for dof, factor in coupling.ratios:
        total = made.q[made.robot.coordinate_names.index(dof)] * factor + total
    return total


def _of_loop(made: Derivation, loop: Loop) -> list[_Held]:
    frames = made.mechanism.link_frames
    at, on = (
        symbolic_frame(made.robot, made.ring, made.names.expressions, frames[link], f"{loop.name}.{end}", pose)
        for end, link, pose in (("at", loop.first, loop.at), ("on", loop.second, loop.on))
    )
    placed = ClosedLoop(loop.name, loop.motion, at, on)
    path = path_of(made.mechanism, placed)
    A, p_at = chain_end(made.mechanism, made.q, path.first, at)
    B, p_on = chain_end(made.mechanism, made.q, path.second, on)
    Q, apart = compose(A.T, B), p_on - p_at
    b = A.T @ apart
    held = loop.motion.held(Q, b)
    forces = [force for torque, force in held if all(is_zero(x) for x in torque)]
    torques = [torque for torque, force in held if all(is_zero(x) for x in force)]
    if len(forces) + len(torques) < len(held):
        raise ValueError(f"no equations of robot '{made.robot.name}' with the loop '{loop.name}': a "
                         f"{type(loop.motion).__name__} joint ties a turn to a slide, which is no polynomial in sines "
                         "and cosines")
    if len(forces) == 3:  # in the axes of the common ancestor, which are plainer
        rows = [_Held(f"{loop.name}.{axis}", entry) for axis, entry in zip("xyz", apart, strict=True)]
    else:
        seen = Q.T @ b
        rows = [_Held(f"{loop.name}.force{k}", dot(force, seen)) for k, force in enumerate(forces, start=1)]
    turns = _of_turns(made, loop, Q, torques)
    return rows + [_Held(f"{loop.name}.turn{k}", turn) for k, turn in enumerate(turns, start=1)]


def _of_turns(made: Derivation, loop: Loop, Q: Rotation, torques: list[Array]) -> list[Scalar]:
    """What is zero while the joint's held turns are, one for each held torque."""
    if not torques:
        return []
    if len(torques) == 3:  # no turn at all
        R = Q.matrix()
        turn = array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        return [dot(torque, turn) / 2 for torque in torques]
    if len(torques) == 2:  # about one axis: seen from either side it is the same
        axis = array(np.cross(torques[0].astype(float), torques[1].astype(float)).tolist())
        across = cross(Q.T @ axis, axis)
        return [dot(torque, across) for torque in torques]
    return [_of_two_axes(made, loop.name, loop.motion, Q)]


def _of_two_axes(made: Derivation, name: str, motion: JointType, Q: Rotation) -> Scalar:
    """The angle between the axes of a universal joint stays."""
    first, second = getattr(motion, "first", None), getattr(motion, "second", None)
    if first is None or second is None:
        raise ValueError(f"no equations of robot '{made.robot.name}' with the loop '{name}': a "
                         f"{type(motion).__name__} joint holds one turn by an equation that is not known")
    return dot(Q.T @ array(first), array(second)) - float(np.dot(first, second))
