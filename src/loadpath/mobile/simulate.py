"""`rover.simulate` and `rover.roll`: arm and base through time, with all that happens at the wheels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Never, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import IntegrationError, ModelError
from loadpath.mobile.applied_wrenches import AppliedWrenches, External
from loadpath.mobile.contacts.elements import Elements
from loadpath.mobile.contacts.forces import ContactForces
from loadpath.mobile.contacts.system import EndlessError
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.guidance import Guidance, Steering
from loadpath.mobile.loops import GIVEN_MOTION
from loadpath.mobile.motions import MOVES_BY, base_components
from loadpath.mobile.recording import result_of
from loadpath.mobile.rover_system import RoverSystem
from loadpath.mobile.simulation_result import RoverSimulation
from loadpath.mobile.trust import check_rover
from loadpath.mobile.wheel_drives import RoverState, WheelDrives
from loadpath.motion.motion import Motion
from loadpath.progress import Report, reporting
from loadpath.robot.choices import Names, chosen_names
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.drive import Interpolation, Torque, make_drive, numbers, times_of
from loadpath.simulate.hybrid import Run, Settings, integrate, partial_result
from loadpath.states import as_motion, is_motion, refuse_keywords
from loadpath.states.subjects import refuse_loops
from loadpath.structure.quantities import is_flexible

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Stop = Callable[[float, RoverState], float]
FREEDOMS = ("x", "y", "yaw")


def simulate(
    rover: Rover,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    torque: Torque | None = None,
    duration: float | None = None,
    *,
    motion: Motion | None = None,
    velocity: ArrayLike | None = None,
    pose: ArrayLike = (0.0, 0.0, 0.0),
    wheel_torques: Mapping[str, float | Callable[[float, RoverState], float]] | None = None,
    wheel_rates: Mapping[str, float | Callable[[float], float]] | None = None,
    steering: ArrayLike | Mapping[str, float | Callable[[float], float]] | None = None,
    freedoms: Names = FREEDOMS,
    base_motion: Motion | None = None,
    external: External = None,
    times: ArrayLike | None = None,
    sample_rate: float | None = None,
    torque_times: ArrayLike | None = None,
    torque_interpolation: Interpolation = "linear",
    control_rate: float | None = None,
    stop: Stop | None = None,
    method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float | None = None,
    max_step: float | None = None,
    progress: bool | Report = False,
    **others: Never,
) -> RoverSimulation:
    """Arm and base through time, from a state at the beginning, with all that happens at the wheels.

    Nothing is assumed about rolling or slipping. Every contact grips as long as its static friction holds, then slides
    against its sliding friction; every wheel stands as long as its rolling resistance holds, then rolls; contacts lift
    and land as the load shifts. The integrator stops at each such change, finds what follows and reports it as one
    of the `events`. Where the base begins to tip over the simulation ends and says so. Friction of contacts must be
    known.

    The robots are driven by `torque`, as in `Robot.simulate` (nothing, constant, rows over `torque_times`, or a
    function of t, q and qd, with `control_rate` held in between), from `q` and `qd`; or they move as `motion` says, an
    `lp.Motion`. The base is at `pose`, (x, y, heading) in the frame of the ground, with `velocity`, (v, w) or
    (v_x, v_y, w) in base axes. Wheels roll freely but for

    - `wheel_torques`: N m by names of wheels, `{"wheel2": 1.0}`: numbers, or functions of t and a `RoverState` with
      `pose`, `velocity`, `q`, `qd`;
    - `wheel_rates`: rad/s by names: numbers or functions of t. Zero is a locked brake.

    `steering`: angles of steered wheels by names, numbers or smooth functions of t (zero unless given), and first
    angles of casters. A base on a rail has fewer `freedoms` ("x", "y", "yaw", in base axes; or
    `{"yaw": False}`). A base that is fixed to a platform
    or vehicle has a given `base_motion`, an `lp.Motion` of (x, y, heading) of the base itself: grip is not looked at
    there, and no wheel rolls on the platform. `external` has
    wrenches on links, axes of the base: `{"rover": lp.Wrench(...)}`, or a function of t, q and qd (as in
    `Robot.simulate`) or of t and a `RoverState` that gives them, on the same links at all times.

    `times` or `sample_rate` (Hz) say when the motion is reported: if left out, at the samples of a given motion, or 100
    times a second. `stop`: a function of t and a `RoverState`; it ends where its sign changes. `method`, `rtol`, `atol`
    (rtol/100 unless given) and `max_step` (a fiftieth of the time; a twentieth where nothing is a function of time) are
    SciPy's. `progress`: True for a bar, or a function of the share done.

    More contacts than needed share the holding forces by their `grip_compliance`, each within its friction. They let go
    when no share is left that keeps all of them within their friction.

    An `lp.IntegrationError` ends a simulation whose numbers do not go together: energy that is not accounted for, a
    contact that slides though it holds, more friction than there is, changes without end. It says when and what, and
    its `result` has what there is up to that moment.

    >>> import loadpath as lp
    >>> cart = lp.catalog.lau_rover().base.carrying()                 # rolls out: v^2/(2 mu_r g) = 0.0510 m
    >>> out = cart.simulate(velocity=(0.1, 0.0), duration=2.0)
    >>> float(out.pose[-1, 0].round(4)), out.events[0].kind
    (0.051, 'stops')
    """
    refuse_keywords("simulate", others, MOVES_BY)
    _check_robots(rover)
    freedoms = chosen_names(freedoms, FREEDOMS, "simulate: 'freedoms'", "freedom of a base")
    drives = WheelDrives(rover, wheel_torques, wheel_rates)
    motion = _robots_motion(rover, motion, q, qd, torque)
    if motion is None:
        refuse_loops(rover.robot, "simulate of a rover under torques", GIVEN_MOTION)
    _check_base_motion(base_motion, velocity, wheel_torques, wheel_rates)
    moments = _moments(motion, base_motion, duration, times, sample_rate)
    span = float(moments[-1] - moments[0])
    driven = motion is None
    turned = Steering(rover, steering)
    guidance = Guidance(rover, motion, base_motion, drives, turned)
    elements = Elements(rover, set(drives.rates), arm_is_driven=driven, base_is_free=base_motion is None)
    free = _free(rover, elements, drives, driven, base_motion, freedoms)
    angles = None if turned.changes else turned.at(float(moments[0]))[0]
    applied = AppliedWrenches(rover, external)
    forces = ContactForces(rover, elements, drives, free, angles)
    drive = make_drive(rover.robot, torque, span, torque_times, torque_interpolation, control_rate)
    start = _start(rover, motion, q, qd, velocity, pose, moments[0], freedoms)
    timed = not driven or base_motion is not None or callable(torque) or drives.changing or turned.timed
    timed = timed or applied.changing
    longest = max(span, 1e-12) / (50 if timed else 20)
    how = Settings.checked(method, rtol, rtol * 1e-2 if atol is None else atol, max_step, longest)
    begin = float(moments[0])
    system = RoverSystem(forces, guidance, drive, applied, begin)
    ends = [begin + float(t) for t in drive.breaks(span)] + [float(moments[-1])]
    stop_at = None if stop is None else (lambda t, y: stop(t, system.state(t, y)))
    with reporting(progress, f"simulating {rover.name}") as report:
        run = _integrated(system, system.first(start), begin, ends, moments, how, stop_at, report)
    result = result_of(rover, system, run)
    check_rover(result, system, rtol)
    return result


def _integrated(
    system: RoverSystem, y: Floats, begin: float, ends: Sequence[float], moments: Floats, how: Settings,
    stop: Callable[[float, Floats], float] | None, report: Report | None,
) -> Run:
    """The run, or an error that has what there is."""
    with partial_result(system.samples, lambda end: result_of(system.rover, system, end)):
        try:
            return integrate(system, y, begin, ends, moments, how, stop=stop, report=report)
        except EndlessError:
            told = f"simulate: at t = {system.now:.9g} s {system.endless(system.now, None)}"
            raise IntegrationError(told) from None


class RollOptions(TypedDict, total=False):
    """The options of `simulate` that go with a given motion of the robots."""

    duration: float | None
    velocity: ArrayLike | None
    pose: ArrayLike
    wheel_torques: Mapping[str, float | Callable[[float, RoverState], float]] | None
    wheel_rates: Mapping[str, float | Callable[[float], float]] | None
    steering: ArrayLike | Mapping[str, float | Callable[[float], float]] | None
    freedoms: Names
    base_motion: Motion | None
    external: External
    times: ArrayLike | None
    sample_rate: float | None
    stop: Stop | None
    method: str
    rtol: float
    atol: float | None
    max_step: float | None
    progress: bool | Report


def roll(rover: Rover, motion: Motion, **options: Unpack[RollOptions]) -> RoverSimulation:
    """The base rolls, or slides, in reaction to a given motion of the robots on it: the thesis's non-forcing case.
    `options` are those of `simulate`; with `wheel_torques` or `wheel_rates` it becomes the forcing case.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8))
    >>> swing = lp.Motion.through(lp.catalog.lau_arm(), [[0, 0, 0.5], [1, 0, 0.5]], [0, 0.5], rate=50)
    >>> rolled = rover.roll(swing)
    >>> bool(rolled.pose[-1, 2] < 0), rolled.energy_drift < 1e-6               # it has turned the other way
    (True, True)
    """
    refuse_keywords("roll", {name: None for name in options if name not in RollOptions.__annotations__}, MOVES_BY)
    if motion is None:
        raise ValueError("roll: 'motion' is None: expected an lp.Motion of the robots on the base")
    return simulate(rover, motion=motion, **options)


def _robots_motion(rover: Rover, motion: Motion | None, q: Any, qd: Any, torque: Any) -> Motion | None:
    if motion is None:
        return None
    if not is_motion(motion):
        raise ValueError(f"simulate: 'motion' is {motion!r}: expected an lp.Motion of the robots on the base")
    if q is not None or qd is not None or torque is not None:
        raise ValueError("simulate: a given motion of the robots leaves no room for q, qd or torque")
    return as_motion(rover, motion, "simulate")


def _check_base_motion(given: Motion | None, velocity: Any, torques: Any, rates: Any) -> None:
    if given is None:
        return
    if not isinstance(given, Motion) or given.q.shape[1] != BASE or given.qd.shape[1] != BASE:
        raise ValueError("simulate: 'base_motion' must be an lp.Motion with three coordinates: x, y and heading of the "
                         "base in the frame of the ground")
    if velocity is not None or torques or rates:
        raise ValueError("simulate: a given motion of the base leaves no room for velocity, wheel_torques, wheel_rates")


def _moments(
    motion: Motion | None, base_motion: Motion | None, duration: float | None, times: Any, rate: float | None
) -> Floats:
    """Times at which the motion is reported, from that of the beginning on."""
    leader = motion if motion is not None else base_motion
    if times is not None:
        if duration is not None:
            raise ValueError("simulate: give 'duration' or 'times', not both")
        moments = times_of(times, "times")
        if moments.ndim != 1 or len(moments) == 0 or (np.diff(moments) <= 0).any():
            raise ValueError("simulate: 'times' must be one row of increasing times")
    else:
        begin = 0.0 if leader is None else float(leader.t[0])
        if duration is None:
            if leader is None:
                raise ValueError("simulate: needs a 'duration' in seconds, or 'times'")
            duration = leader.duration
        if not (np.isfinite(duration) and duration >= 0):
            raise ValueError(f"simulate: 'duration' is {duration}: expected seconds, zero or more")
        if leader is not None and rate is None and duration == leader.duration:
            return np.array(leader.t)
        rate = 100.0 if rate is None else rate
        if not (np.isfinite(rate) and rate > 0):
            raise ValueError(f"simulate: 'sample_rate' is {rate}: expected a positive number of Hz")
        ticks = np.arange(int(np.floor(duration * rate)) + 1) / rate
        moments = begin + np.append(ticks[ticks < duration * (1 - 1e-12)], duration)
    for known, what in ((motion, "the motion"), (base_motion, "the base's motion")):
        if known is not None and (moments[0] < known.t[0] or moments[-1] > known.t[-1] + 1e-12 * known.duration):
            raise ValueError(f"simulate: {what} is known from {known.t[0]:.6g} s to {known.t[-1]:.6g} s, not from "
                             f"{moments[0]:.6g} s to {moments[-1]:.6g} s")
    if leader is None and moments[0] < 0:
        raise ValueError("simulate: 'times' must begin at 0 or later")
    return moments


def _free(
    rover: Rover, elements: Elements, drives: WheelDrives, driven: bool, base_motion: Motion | None,
    freedoms: Sequence[str],
) -> NDArray[np.bool_]:
    """Which speeds are free to change; the others are given, or held at zero."""
    free = np.ones(elements.size, dtype=bool)
    free[:BASE] = [entry in freedoms and base_motion is None for entry in FREEDOMS]
    free[BASE : BASE + rover.n] = driven
    for k in drives.rates:
        free[elements.spin_at[k]] = False
    if base_motion is not None:
        free[BASE + rover.n :] = False
    return free


def _start(
    rover: Rover, motion: Motion | None, q: Any, qd: Any, velocity: Any, pose: Any, begin: float, freedoms: Any
) -> tuple[Floats, Floats, Floats, Floats]:
    """Pose, velocity, q and qd at the beginning."""
    where = numbers(pose, "pose")
    if where.shape != (BASE,):
        raise ValueError(f"simulate: 'pose' has the shape {where.shape}: expected (3,): x, y and heading")
    speed = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    if speed.shape != (BASE,) or not np.isfinite(speed).all():
        raise ValueError(f"simulate: 'velocity' is {velocity!r}: expected (v, w) or (v_x, v_y, w), finite")
    held = [name for name, v in zip(FREEDOMS, speed, strict=True) if v and name not in freedoms]
    if held:
        raise ValueError(f"simulate: the base moves along '{held[0]}', which is not among its freedoms "
                         f"({', '.join(freedoms) or 'none'})")
    if motion is not None:
        return where, speed, motion.q[0], motion.qd[0]
    parts = []
    if q is None and rover.nq:
        raise ValueError(f"simulate: 'q' is missing: {rover.nq} coordinates of the robots, or a 'motion'")
    for name, value, names in (("q", q, rover.robot.coordinate_names), ("qd", qd, rover.robot.dof_names)):
        size = len(names)
        array = numbers(np.zeros(size) if value is None else value, name, names=names)
        if array.shape != (size,):
            raise ValueError(f"simulate: '{name}' has the shape {array.shape}: expected ({size},)")
        parts.append(array)
    if rover.n:
        parts[0] = np.asarray(kernel(rover, "normalised")(parts[0]))
        if not np.isfinite(parts[0]).all():
            raise ValueError("simulate: a quaternion in 'q' is zero: expected x, y, z, w")
    return where, speed, parts[0], parts[1]


def _check_robots(rover: Rover) -> None:
    """An error for a rover that nothing can accelerate soundly, or whose robots would swing on their beams."""
    if is_flexible(rover.robot) and (rover.robot.beams or rover.robot.joint_compliances):
        raise ModelError(f"rover '{rover.name}' carries a robot with beams or compliant joints, and simulate moves "
                         "rigid links: rover.without_beams().simulate(...) simulates the rigid rover, and its result "
                         "can be handed to rover.deflection, rover.stress and rover.report")
    if rover.base.on_tyres:
        raise ModelError(f"rover '{rover.name}' stands on wheels with a stiffness, and simulate moves a base on rigid "
                         "wheels: rover.without_beams().simulate(...) simulates it (contacts share their loads as with "
                         "the stiffness)")
    if not sum(link.inertia.mass for link in rover.robot.links) > 0:
        raise ModelError(f"rover '{rover.name}' has no mass: it cannot be simulated")
