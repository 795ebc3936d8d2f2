"""`simulate` of a closed chain: as of any robot, with the loops kept closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Never

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.errors import ModelError, warn
from loadpath.motion.checks import in_other_units
from loadpath.progress import Report, reporting
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.closed.equations import ClosedEquations
from loadpath.simulate.closed.result import ClosedSimulation
from loadpath.simulate.closed.start import on_manifold
from loadpath.simulate.closed.system import ClosedSystem
from loadpath.simulate.drive import Interpolation, Torque, make_drive
from loadpath.simulate.equations import ENERGIES
from loadpath.simulate.guard import check_all, check_energy, unresolved
from loadpath.simulate.hybrid import PROJECTED, Run, Settings, integrate, partial_result
from loadpath.simulate.simulation import MORE_EXACT, Stop, normalised_coordinates, report_times, sampled, start_state
from loadpath.states.keywords import BASE_STANDS, refuse_keywords


def simulate(
    robot: ClosableRobot,
    q: ArrayLike,
    qd: ArrayLike,
    torque: Torque | None = None,
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    sample_rate: float = 100.0,
    torque_times: ArrayLike | None = None,
    torque_interpolation: Interpolation = "linear",
    control_rate: float | None = None,
    external: Mapping[str, object] | Callable[[float, Floats, Floats], Mapping[str, object]] | None = None,
    stop: Stop | None = None,
    method: str = "DOP853",
    rtol: float = 1e-9,
    atol: float | None = None,
    max_step: float | None = None,
    strict: bool = True,
    progress: bool | Report = False,
    **others: Never,
) -> ClosedSimulation:
    """The motion of a closed chain from the state q, qd at time 0, over `duration` seconds.

    The arguments are those of `simulate` of a tree, and one more; q, qd and the torques are those of the tree. `rtol`
    is smaller unless given, so that a linkage keeps its energy through a hundred turns. A torque at a passive joint
    counts, as that of a spring or a brake there.

    The accelerations keep the loops closed, and after every step the state is moved to the nearest one with closed
    loops (the least mass is moved; speeds change by the least kinetic energy), so nothing drifts. Redundant
    constraints do no harm. A start that is not closed is refused, with `strict=False` corrected with a warning.

    Dead points are passed, as the inertia of the mechanism does it, and listed in `dead_points` of the result. At a
    bifurcation, where a linkage in line can go on in more than one way, the simulation ends with an error; with
    `strict=False` it goes straight on with a warning.

    Coulomb friction sticks and slips at driven and passive joints alike. Where more joints stick than there are
    freedoms, the reported forces are those that use the least share of each joint's friction; the motion does not
    depend on that.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> fall = bar.simulate(bar.home, [0.0, 0.0, 0.0], duration=1.0)
    >>> fall.energy_drift < 1e-7, bool(fall.closure.max() < 1e-12)
    (True, True)
    """
    refuse_keywords("simulate", others, BASE_STANDS)
    if method == "LSODA":
        raise ValueError("simulate: method 'LSODA' keeps its past steps to itself, so its states cannot be kept on "
                         f"closed loops: expected one of {', '.join(PROJECTED)}")
    _refuse_elastic(robot)
    state = start_state(robot, q, qd)
    for question in in_other_units(robot, state[: robot.nq], state[robot.nq :]):
        warn(f"simulate: {question}")
    moments = report_times(duration, times, sample_rate)
    duration = float(moments[-1])
    drive = make_drive(robot, torque, duration, torque_times, torque_interpolation, control_rate)
    longest = duration / 100 if callable(torque) and duration > 0 else np.inf
    how = Settings.checked(method, rtol, rtol if atol is None else atol, max_step, longest, if_stiff="Radau")
    at = normalised_coordinates(robot, state[: robot.nq])
    start = on_manifold(robot, at, state[robot.nq :], strict=strict)
    equations = ClosedEquations(robot, start.manifold, external, redundant=start.redundant)
    y = np.concatenate([start.q, start.qd, np.zeros(ENERGIES)])
    system = ClosedSystem(equations, drive, start.q, robot.split.driven, strict=strict)
    stop_at = None if stop is None else (lambda t, y: stop(t, *equations.coordinates(y.copy())))

    def result_of(run: Run) -> ClosedSimulation:
        values: dict[str, Any] = sampled(robot, system, run)
        closure = np.array([np.abs(start.manifold.at(at).off).max(initial=0.0) for at in values["q"]])
        return ClosedSimulation(
            **values, closure=closure, dead_points=tuple(system.dead_points), bifurcations=tuple(system.bifurcations)
        )

    with reporting(progress, f"simulating {robot.name}") as report, partial_result(system.samples, result_of):
        ends = [*drive.breaks(duration), duration]
        run = integrate(system, y, 0.0, ends, moments, how, stop=stop_at, report=report)
    result = result_of(run)
    off, most = result.closure, CLOSED_WITHIN * start.manifold.scale
    check_all(result, [("the loops are not closed", off, most, " m")], MORE_EXACT)
    check_energy(result, MORE_EXACT, rtol=rtol, unresolved=unresolved(result.q, how.atol))
    return result


def _refuse_elastic(robot: RobotModel) -> None:
    names = [name for kind in ("beams", "joint_compliances") for name, _ in getattr(robot, kind)]
    if names:
        raise ModelError(f"simulate: robot '{robot.name}' has loops, and beams or joint compliance "
                         f"({', '.join(names)}), and motions in time have one of them: robot.without_beams() is rigid "
                         "and has its loops"
                         )
