"""Loads on the ground with the mass of robots where their beams, joints and tyres let it sag to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loadpath.mobile.loads import State
from loadpath.mobile.motions import loads_on_robot
from loadpath.mobile.tyres import elastic_robot, placed_for, warn_of_lifted
from loadpath.states import LoadCase
from loadpath.states.subjects import refuse_loops
from loadpath.structure.checks import chosen_effects
from loadpath.structure.deflection import check_rotation

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def deflected_state(
    rover: Rover, state: State, states: tuple[Any, Any, Any], base: Mapping[str, Any], asked: str
) -> State:
    """The same state with the ground's wrench on the deflected rover: small deflections, under the loads of the rigid
    one.
    """
    refuse_loops(rover.robot, f"{asked}(deflected=True)", "rover.deflection(...) says how far it bends")
    arm = elastic_robot(rover, asked, placed_for(rover, state, asked))
    case = LoadCase(**loads_on_robot(rover, base)).keywords
    force, torque, moved = arm.load_shift(*states, **case)
    options = {"effects": chosen_effects(None), "axes": "world"}
    check_rotation(arm.small_deflection(*states, **options, **case)[1], arm)
    mass = sum(link.inertia.mass for link in arm.links)
    shifted = replace(
        state, force=state.force + force, torque=state.torque + torque, mass_shift=moved / mass if mass else moved
    )
    warn_of_lifted(rover, shifted, asked)
    return shifted
