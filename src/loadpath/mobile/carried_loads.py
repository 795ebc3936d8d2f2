"""A flexible robot on the base of a rover, and what the motion of the base loads it with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from loadpath.api.kinds import FlexibleRobot
from loadpath.mobile.motions import (
    BaseState,
    arm_states,
    as_numbers,
    base_state_of,
    loads_on_robot,
    refuse_unknown,
)
from loadpath.mobile.tyres import elastic_robot, placed_for, warn_of_lifted

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


class Loaded(NamedTuple):
    """A flexible robot, its states, and what the motion of the base loads it with."""

    arm: FlexibleRobot
    states: tuple[Any, Any, Any]
    case: dict[str, Any]


def loaded_robot(rover: Rover, q: Any, qd: Any, qdd: Any, base: Mapping[str, Any], asked: str) -> Loaded:
    """A flexible robot on a base that moves like this, for its states."""
    refuse_unknown(base, asked)
    given, states = base_state_of(rover, q, base, asked), arm_states(rover, q, qd, qdd, asked)
    if not rover.base.on_tyres:
        return Loaded(elastic_robot(rover, asked), states, loads_on_robot(rover, given))
    state = rover._state(*states, cast(BaseState, given), asked)
    warn_of_lifted(rover, state, asked)
    arm = elastic_robot(rover, asked, placed_for(rover, state, asked))
    return Loaded(arm, states, loads_on_robot(rover, given))


def carried_robot(
    rover: Rover, base: Mapping[str, Any], loaded: bool, asked: str
) -> tuple[FlexibleRobot, dict[str, Any]]:
    """A flexible robot and what the motion of the base loads it with, where the states of the robot are not given."""
    refuse_unknown(base, asked)
    if not loaded:
        refuse_loads({name: value for name, value in base.items() if value is not None}, asked)
        return elastic_robot(rover, asked), {}
    return elastic_robot(rover, asked), loads_on_robot(rover, base)


def standing_robot(rover: Rover, heading: float, asked: str) -> FlexibleRobot:
    """A flexible robot on the base that stands, under gravity as it acts there."""
    arm = elastic_robot(rover, asked)
    facing = float(as_numbers(heading, "heading"))
    return arm.with_gravity(rover.ground.gravity_in_base(facing)) if rover.ground.slope else arm


def refuse_loads(given: Mapping[str, object], asked: str) -> None:
    """An error where loads are given to a question that leaves them out."""
    if given:
        raise ValueError(f"{asked}: '{next(iter(given))}' is a load, and loaded=False leaves all loads out: give one "
                         "or the other")
