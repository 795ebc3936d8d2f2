"""A robot with loops in time, made ready for the stepper: as a tree, with the loops kept closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.simulate.asked import Asked, Prepared
from loadpath.simulate.base_in_time import base_in_time
from loadpath.simulate.closed.equations import ClosedEquations
from loadpath.simulate.closed.start import on_manifold
from loadpath.simulate.closed.system import ClosedSystem
from loadpath.simulate.hybrid import PROJECTED, Run
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT, balanced, pieces, recorded, state_of

RTOL = 1e-9
"""Smaller than of trees, so that a linkage keeps its energy through a hundred turns."""


def prepared(asked: Asked) -> Prepared:
    """A robot with loops at its start."""
    refuse_lsoda(asked.method)
    robot, strict = asked.robot, asked.options.get("strict", True)
    q, qd = asked.start(robot)
    moments = asked.moments()
    duration = float(moments[-1])
    drive = asked.drive(robot, duration)
    base = base_in_time(robot, asked.options, duration)
    how = asked.settings(asked.longest_step(duration, base), rtol=RTOL)
    start = on_manifold(robot, q, qd, strict=strict)
    if not start.manifold.freedoms:
        raise ModelError(f"simulate: robot '{robot.name}' cannot move: its loops leave no freedom")
    equations = ClosedEquations(robot, start.manifold, asked.external, base, redundant=start.redundant,
                                power_off=asked.power_off(robot))
    y = np.concatenate([start.q, start.qd, np.zeros(equations.works + equations.off.heats)])
    system = ClosedSystem(robot, equations, drive, start.q, strict=strict)

    def closed(run: Run) -> dict[str, Any]:
        found = recorded(robot, system, run)
        return {**found, **system.loops_over(found["q"])}

    def check(found: Simulation) -> None:
        system.check_closed(found, MORE_EXACT)
        balanced(how)(found)

    ends = pieces(duration, drive.breaks(duration), equations.off.breaks)
    return Prepared(system, y, how, moments, ends, state_of(system), closed, check)


def refuse_lsoda(method: str) -> None:
    """An error for a method whose states cannot be kept on closed loops."""
    if method == "LSODA":
        raise ValueError("simulate: method 'LSODA' keeps its past steps to itself, so its states cannot be kept on "
                         f"closed loops: expected one of {', '.join(PROJECTED)}")
