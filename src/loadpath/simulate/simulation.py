"""`simulate`: the motion of one robot from one state, integrated with adaptive steps, and its energy balance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Never

import numpy as np

from loadpath.algorithms import energy
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.errors import warn
from loadpath.mechanics import configuration
from loadpath.motion.checks import in_other_units
from loadpath.progress import Report, reporting
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.reduction import reframed
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate import power_flow
from loadpath.simulate.drive import Interpolation, Torque, make_drive, numbers, times_of
from loadpath.simulate.equations import ENERGIES, Equations
from loadpath.simulate.guard import check_energy, unresolved
from loadpath.simulate.hybrid import Run, Settings, integrate, partial_result
from loadpath.simulate.result import Simulation
from loadpath.simulate.robot_system import RobotSystem
from loadpath.states.keywords import BASE_STANDS, refuse_keywords

MORE_EXACT = "give a smaller rtol, or a max_step shorter than what drives and wrenches do at once"
"""What to do where energy does not balance."""
MOST_SAMPLES = 1e8
"""More than memory holds with any robot."""

Stop = Callable[[float, Floats, Floats], float]
"""A function of t, q and qd; the simulation ends where its sign changes."""


class _Kernels:
    kinetic_energy = Compiled(energy.kinetic_energy, "(q),(n)->()", reframed, "Kinetic energy.")
    potential_energy = Compiled(energy.potential_energy, "(q)->()", reframed, "Potential energy.")
    normalised = Compiled(configuration.normalised, "(q)->(q)", plain, "The same with unit quaternions.")
    viscous_forces = Compiled(power_flow.viscous_forces, "(n)->(n)", plain, "Viscous friction.")


def simulate(
    robot: RobotModel,
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
    rtol: float = 1e-8,
    atol: float | None = None,
    max_step: float | None = None,
    progress: bool | Report = False,
    **others: Never,
) -> Simulation:
    """The motion of the robot from the state q, qd at time 0, over `duration` seconds.

    - `torque`: forces of the drives: none, a constant (n,), rows over the times `torque_times` (straight lines between
      them, or each held until the next with `torque_interpolation="previous"`), or a function `f(t, q, qd)`. With
      `control_rate` (Hz) the function is called at that rate and its force held in between.
    - `times` (increasing, from 0 on) or `sample_rate` (Hz): when the motion is reported. The integrator chooses its
      own steps in between.
    - `external`: wrenches on links, `{"link": lp.Wrench(...)}`, or a function of t, q and qd that gives them.
    - `stop`: a function of t, q and qd; the simulation ends where its sign changes.
    - `method`, `rtol`, `atol`: of SciPy's integrators; `atol` (in the units of q, qd and J) is `rtol` unless given.
      Where the equations are stiff, as with strong damping, and an explicit method would creep, "Radau" takes over, and
      a `ModelWarning` says so.
    - `max_step` (s): longest step; a hundredth of the duration if the torque is a function, so that none of its pulses
      is stepped over, else none.
    - `progress`: True for a bar, or a function of the share done.

    Coulomb friction is not smoothed. A joint slips, or sticks at exactly zero speed for as long as the force on it
    does not exceed its friction (which joints stick is a convex problem with one solution); the integrator stops at
    every change. Limits of joints are not enforced: stop there, or push back with a torque of your own.

    An `lp.IntegrationError` ends a simulation whose energy does not balance, to a thousandth of what is turned over (or
    a thousand `rtol`, if that is more).

    >>> import loadpath as lp
    >>> fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=1.0)
    >>> fall.q.shape, fall.energy_drift < 1e-7
    ((101, 2), True)
    """
    refuse_keywords("simulate", others, BASE_STANDS)
    state = start_state(robot, q, qd)
    for question in in_other_units(robot, state[: robot.nq], state[robot.nq :]):
        warn(f"simulate: {question}")
    moments = report_times(duration, times, sample_rate)
    duration = float(moments[-1])
    drive = make_drive(robot, torque, duration, torque_times, torque_interpolation, control_rate)
    longest = duration / 100 if callable(torque) and duration > 0 else np.inf
    how = Settings.checked(method, rtol, rtol if atol is None else atol, max_step, longest, if_stiff="Radau")
    equations = Equations(robot, external)
    y = np.concatenate([normalised_coordinates(robot, state[: robot.nq]), state[robot.nq :], np.zeros(ENERGIES)])
    system = RobotSystem(equations, drive)
    stop_at = None if stop is None else (lambda t, y: stop(t, *equations.coordinates(y.copy())))

    def result_of(run: Run) -> Simulation:
        return Simulation(**sampled(robot, system, run))

    with reporting(progress, f"simulating {robot.name}") as report, partial_result(system.samples, result_of):
        ends = [*drive.breaks(duration), duration]
        run = integrate(system, y, 0.0, ends, moments, how, stop=stop_at, report=report)
    result = result_of(run)
    check_energy(result, MORE_EXACT, rtol=rtol, unresolved=unresolved(result.q, how.atol))
    return result


def start_state(robot: RobotModel, q: Any, qd: Any) -> Floats:
    parts = []
    for name, value, names in (("q", q, robot.coordinate_names), ("qd", qd, robot.dof_names)):
        array, size = numbers(value, name, names=names), len(names)
        if array.shape != (size,):
            hint = "; for many states at once there is robot.rollout" if array.ndim > 1 else ""
            raise ValueError(f"simulate: '{name}' has the shape {array.shape}: expected ({size},){hint}")
        parts.append(array)
    for joint, where in robot.q_slices.items():
        motion = robot.joint(joint).motion
        if motion.coordinates != motion.dof and not parts[0][where][-4:].any():
            raise ValueError(f"simulate: the quaternion of joint '{joint}' in 'q' is zero: expected x, y, z, w")
    return np.concatenate(parts)


def report_times(duration: float | None, times: Any, sample_rate: float) -> Floats:
    if times is not None:
        if duration is not None:
            raise ValueError("simulate: give 'duration' or 'times', not both: the last of the times is the duration")
        moments = times_of(times, "times")
        if moments.ndim != 1 or len(moments) == 0 or moments[0] < 0 or (np.diff(moments) <= 0).any():
            raise ValueError("simulate: 'times' must be one row of increasing times, from 0 on")
        return moments
    if duration is None:
        raise ValueError("simulate: needs a 'duration' in seconds, or 'times'")
    duration = number(duration, "simulate: 'duration'")
    if duration < 0:
        raise ValueError(f"simulate: 'duration' is {duration}: expected seconds, zero or more")
    if not (np.isfinite(sample_rate) and sample_rate > 0):
        raise ValueError(f"simulate: 'sample_rate' is {sample_rate}: expected a positive number of Hz")
    if duration * sample_rate > MOST_SAMPLES:
        raise ValueError(f"simulate: a 'duration' of {duration:g} s at a 'sample_rate' of {sample_rate:g} Hz are "
                         f"{duration * sample_rate:.3g} samples: expected at most {MOST_SAMPLES:g}; give a lower "
                         "sample_rate, or 'times'")
    ticks = np.arange(int(np.floor(duration * sample_rate)) + 1) / sample_rate
    return np.append(ticks[ticks < duration * (1 - 1e-12)], duration)


def normalised_coordinates(robot: RobotModel, q: Floats) -> Floats:
    result: Floats = CompiledMethod(robot, _Kernels.normalised)(q)
    return result


def sampled(robot: RobotModel, system: RobotSystem, run: Run) -> dict[str, Any]:
    """What a `Simulation` has, from the samples of a system."""
    equations, samples = system.equations, system.samples
    y = np.array([s.y for s in samples])
    q, qd = normalised_coordinates(robot, y[:, : robot.nq]), y[:, robot.nq : equations.nx]
    samples_at = [(s.time, *equations.coordinates(s.y)) for s in samples]
    sticking = np.zeros((len(y), robot.n), dtype=bool)
    for k, s in enumerate(samples):
        sticking[k, s.grip.stuck] = True
    return dict(  # noqa: C408
        times=np.array([s.time for s in samples]),
        q=q,
        qd=qd,
        qdd=np.array([s.at.rate[robot.nq : equations.nx] for s in samples]),
        tau=np.array([s.at.tau for s in samples]),
        friction=np.array([s.at.coulomb for s in samples]) + CompiledMethod(robot, _Kernels.viscous_forces)(qd),
        sticking=sticking,
        kinetic=CompiledMethod(robot, _Kernels.kinetic_energy)(q, qd),
        potential=CompiledMethod(robot, _Kernels.potential_energy)(q),
        drive_work=y[:, equations.nx],
        dissipated=y[:, equations.nx + 1],
        external_work=y[:, equations.nx + 2],
        dof_names=robot.dof_names,
        steps=run.steps,
        evaluations=equations.evaluations,
        stopped=run.stopped,
        external=equations.external_over(samples_at),
    )
