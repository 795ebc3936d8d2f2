"""The equations of a robot without loops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from loadpath.equations.derivation import DEFAULT, Derivation, derived
from loadpath.equations.letters.names import Letters, names_of
from loadpath.equations.parameters import Choice
from loadpath.equations.result import Equations
from loadpath.robot.drive_train.refuse import refuse_springs, refuse_stribeck
from loadpath.robot.model import RobotModel

if TYPE_CHECKING:
    from loadpath.engine.quantity import On


def equations(
    robot: RobotModel,
    formulations: Mapping[str, On],
    formulation: str = DEFAULT,
    parameters: Choice | None = None,
    letters: Letters | None = None,
    *,
    shapes: bool = True,
) -> Equations:
    """The equations of motion of a robot, by one of the given formulations of its inverse dynamics."""
    refuse_springs(robot, "equations in symbols")
    refuse_stribeck(robot, "equations in symbols")
    return Equations(**_derivation(robot, formulations, formulation, parameters, letters, shapes).parts())


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
