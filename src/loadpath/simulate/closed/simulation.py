"""A robot with loops in time, made ready for the stepper: as a tree, with the loops kept closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.simulate.asked import Asked, Prepared
from loadpath.simulate.base_in_time import base_in_time
from loadpath.simulate.closed.equations import ClosedEquations
from loadpath.simulate.closed.start import on_manifold
from loadpath.simulate.closed.system import ClosedSystem
from loadpath.simulate.guard import check_all
from loadpath.simulate.hybrid import PROJECTED, Run
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT, balanced, recorded, state_of

RTOL = 1e-9
"""Smaller than of trees, so that a linkage keeps its energy through a hundred turns."""


def prepared(asked: Asked) -> Prepared:
    """A robot with loops at its start."""
    if asked.method == "LSODA":
        raise ValueError("simulate: method 'LSODA' keeps its past steps to itself, so its states cannot be kept on "
                         f"closed loops: expected one of {', '.join(PROJECTED)}")
    robot, strict = asked.robot, asked.options.get("strict", True)
    q, qd = asked.start(robot)
    moments = asked.moments()
    duration = float(moments[-1])
    drive = asked.drive(robot, duration)
    base = base_in_time(robot, asked.options, duration)
    how = asked.settings(asked.longest_step(duration, base), rtol=RTOL)
    start = on_manifold(robot, q, qd, strict=strict)
    equations = ClosedEquations(robot, start.manifold, asked.external, base, redundant=start.redundant)
    y = np.concatenate([start.q, start.qd, np.zeros(equations.works)])
    system = ClosedSystem(equations, drive, start.q, robot.split.driven, strict=strict)

    def closed(run: Run) -> dict[str, Any]:
        found = recorded(robot, system, run)
        closure = np.array([np.abs(start.manifold.at(at).off).max(initial=0.0) for at in found["q"]])
        met = {"dead_points": tuple(system.dead_points), "bifurcations": tuple(system.bifurcations)}
        return {**found, "closure": closure, **met}

    def check(found: Simulation) -> None:
        most = CLOSED_WITHIN * start.manifold.scale
        check_all(found, [("the loops are not closed", found.closure, most, " m")], MORE_EXACT)
        balanced(how)(found)

    return Prepared(system, y, how, moments, [*drive.breaks(duration), duration], state_of(system), closed, check)
