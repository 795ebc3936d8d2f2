"""What can be asked of a robot with loops about where it is and how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.api.in_room import InRoom

if TYPE_CHECKING:
    from loadpath.kinematics.closed import assembly, completion, inverse, loop_positions, mobility, motions, singular


class ClosedKinematics:
    """Assembly, completion, freedoms and dead points."""

    if TYPE_CHECKING:
        assemble = assembly.assemble
        inverse_kinematics = inverse.inverse_kinematics
        loop_positions = loop_positions.loop_positions
        motion = motions.motion
        complete = completion.complete
        mobility_report = mobility.mobility_report
        singularities = singular.singularities
    else:
        assemble = InRoom("loadpath.kinematics.closed.assembly")
        inverse_kinematics = InRoom("loadpath.kinematics.closed.inverse")
        loop_positions = InRoom("loadpath.kinematics.closed.loop_positions")
        motion = InRoom("loadpath.kinematics.closed.motions")
        complete = InRoom("loadpath.kinematics.closed.completion")
        mobility_report = InRoom("loadpath.kinematics.closed.mobility")
        singularities = InRoom("loadpath.kinematics.closed.singular")
