"""A tree of rigid links in time, made ready for the stepper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.algorithms import energy
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reframed
from loadpath.scalars.types import Floats
from loadpath.simulate import power_flow
from loadpath.simulate.asked import Asked, Prepared, normalised_coordinates
from loadpath.simulate.base_in_time import base_in_time
from loadpath.simulate.equations import Equations
from loadpath.simulate.guard import check_energy, unresolved
from loadpath.simulate.hybrid import Run, Settings
from loadpath.simulate.result import Simulation
from loadpath.simulate.robot_system import RobotSystem, Sample

MORE_EXACT = "give a smaller rtol, or a max_step shorter than what drives and wrenches do at once"
"""What to do where energy does not balance."""
WORKS = ("drive_work", "dissipated", "external_work", "base_work")
"""What follows the state in y; the last where the base moves."""


class _Kernels:
    kinetic_energy = Compiled(energy.kinetic_energy, "(q),(n)->()", reframed, "Kinetic energy.")
    potential_energy = Compiled(energy.potential_energy, "(q)->()", reframed, "Potential energy.")
    viscous_forces = Compiled(power_flow.viscous_forces, "(n)->(n)", plain, "Viscous friction.")


def prepared(asked: Asked) -> Prepared:
    """A tree at its start."""
    robot = asked.robot
    q, qd = asked.start(robot)
    moments = asked.moments()
    duration = float(moments[-1])
    drive = asked.drive(robot, duration)
    base = base_in_time(robot, asked.options, duration)
    how = asked.settings(asked.longest_step(duration, base))
    equations = Equations(robot, asked.external, base, asked.power_off(robot))
    system = RobotSystem(equations, drive)
    y = np.concatenate([q, qd, np.zeros(equations.works + equations.off.heats)])
    ends = pieces(duration, drive.breaks(duration), equations.off.breaks)
    return Prepared(
        system, y, how, moments, ends, state_of(system), lambda run: recorded(robot, system, run), balanced(how)
    )


def pieces(duration: float, *breaks: Floats) -> list[float]:
    """Ends of the pieces of time within which nothing switches.

    >>> pieces(2.0, np.array([0.5, 1.0]), np.array([0.0, 0.7, 3.0]))
    [0.5, 0.7, 1.0, 2.0]
    """
    every = np.unique(np.concatenate(breaks))
    return [*every[(every > 0) & (every < duration)].tolist(), duration]


def state_of(system: RobotSystem) -> Callable[[float, Any], tuple[Any, ...]]:
    """q and qd, for callers."""
    return lambda t, y: system.equations.coordinates(y.copy())


def balanced(how: Settings) -> Callable[[Simulation], None]:
    """The guard of rigid robots."""
    return lambda found: check_energy(
        found, MORE_EXACT, rtol=how.rtol, unresolved=unresolved(found.q, how.atol)
    )


def sampled(robot: RobotModel, system: RobotSystem, run: Run) -> dict[str, Any]:
    """What a `Simulation` has, from the samples of a robot on a fixed base, but for its energies."""
    equations, samples = system.equations, system.samples
    y, nx = np.array([s.y for s in samples]), equations.nx
    sticking = np.zeros((len(y), robot.n), dtype=bool)
    for k, s in enumerate(samples):
        sticking[k, s.grip.stuck] = True
    heats = y.shape[1] - equations.off.heats
    works = dict(zip(WORKS, y[:, heats - equations.works : heats].T, strict=False))
    times = np.array([s.time for s in samples])
    return {
        **works,
        **_of_brakes(equations, samples, y[:, heats:]),
        **({} if equations.base is None else equations.base.over(times)),
        "times": times,
        "q": normalised_coordinates(robot, y[:, : robot.nq]),
        "qd": y[:, robot.nq : nx],
        "qdd": np.array([s.at.rate[robot.nq : nx] for s in samples]),
        "tau": np.array([s.at.tau for s in samples]),
        "friction": np.array([s.at.coulomb for s in samples]),
        "sticking": sticking,
        "name": robot.name,
        "dof_names": robot.dof_names,
        "coordinate_names": robot.coordinate_names,
        "steps": run.steps,
        "evaluations": equations.evaluations,
        "stopped": run.stopped,
        "external": equations.external_over([(s.time, s.y) for s in samples]),
    }


def _of_brakes(equations: Equations, samples: list[Sample], heats: Floats) -> dict[str, Any]:
    """What brakes and gears did, where there are some."""
    found: dict[str, Any] = {}
    brakes = equations.off.brakes
    if brakes is not None:
        found = {"joint_brake_names": brakes.names, "joint_brake_heat": heats[:, : len(brakes.names)],
                 "joint_brake_torques": np.array([each.brakes for each in samples])}
    if equations.off.losses is not None:
        found["gear_heat"] = heats[:, -1]
    return found


def recorded(robot: RobotModel, system: RobotSystem, run: Run) -> dict[str, Any]:
    """The same of rigid links, with their energies."""
    found = sampled(robot, system, run)
    q, qd = found["q"], found["qd"]
    return found | {
        "friction": found["friction"] + CompiledMethod(robot, _Kernels.viscous_forces)(qd),
        "kinetic": CompiledMethod(robot, _Kernels.kinetic_energy)(q, qd),
        "potential": CompiledMethod(robot, _Kernels.potential_energy)(q),
    }
