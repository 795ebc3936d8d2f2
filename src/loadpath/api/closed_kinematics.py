"""What can be asked of a robot with loops about where it is and how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.api.in_room import InRoom

if TYPE_CHECKING:
    from loadpath.kinematics.closed import assembly


class ClosedKinematics:
    """Assembly, completion, freedoms and dead points."""

    if TYPE_CHECKING:
        assemble = assembly.assemble
    else:
        assemble = InRoom("loadpath.kinematics.closed.assembly")
