"""How a robot with loops moves in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.api.in_room import InRoom

if TYPE_CHECKING:
    from loadpath.simulate.closed import simulation


class ClosedMotion:
    """Simulation with closed loops; steps of many states at once, `step` and `rollout`, refuse such robots."""

    if TYPE_CHECKING:
        simulate = simulation.simulate
    else:
        simulate = InRoom("loadpath.simulate.closed")
