"""`simulate`: the motion of one robot from one state, integrated with adaptive steps, and its energy balance.

One function and one loop for all robots. What a robot has (loops, beams or compliant joints, wheels) says which
equations are stepped, and which options it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Never

from loadpath.errors import IntegrationError, warn
from loadpath.in_room import function_in_room
from loadpath.motion.motion import Motion
from loadpath.progress import Report, reporting
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike
from loadpath.simulate.asked import Asked, Prepared
from loadpath.simulate.base_in_time import InTime
from loadpath.simulate.drive import Interpolation, Torque
from loadpath.simulate.hybrid import Run, integrate, partial_result
from loadpath.simulate.power_off import BrakeLike
from loadpath.simulate.prescribed import LawLike
from loadpath.simulate.result import Simulation
from loadpath.states import LoadCase
from loadpath.states.keywords import MOVES_BY, refuse_keywords

_PREPARED: Mapping[str, Callable[[Asked], Prepared]] = {
    "wheels": function_in_room("loadpath.mobile.simulate", "prepared"),
    "beams": function_in_room("loadpath.structure.motion_in_time.simulation", "prepared"),
    "loops": function_in_room("loadpath.simulate.closed.simulation", "prepared"),
    "": function_in_room("loadpath.simulate.tree", "prepared"),
}
"""What makes a robot with these ready; the rooms of beams and wheels are above this one."""
_LOADS = ("external", "base_velocity", "base_acceleration", "gravity")
_NO_POWER_OFF = {
    "beams": "has beams or compliant joints: brakes and gear losses are of rigid ones, robot.without_beams()",
    "wheels": "is on wheels: gear losses are of robots on a fixed base",
}
_WITHOUT = {
    "loops": "has no loops: 'strict' is about starts that are not closed, and bifurcations",
    "beams": "has no beams or compliant joints: with_beams(...) and with_joint_compliance(...) give it some",
    "wheels": "is on a fixed base: base.carrying(robot) puts it on wheels, robot.floating() moves with its base",
}
_POWER_OFF = ("brakes", "gear_losses")
_OPTIONS = {
    "loops": ("strict",),
    "beams": ("prescribed", "damping", "modes", "effects", "order", "elastic"),
    "wheels": ("motion", "velocity", "pose", "wheel_torques", "wheel_rates", "brakes", "steering", "freedoms",
               "base_motion"),
}
"""Which options each takes; for others there is nothing that they could mean."""


def simulate(
    robot: RobotModel,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    torque: Torque | None = None,
    duration: float | None = None,
    *,
    times: ArrayLike | None = None,
    sample_rate: float | None = None,
    torque_times: ArrayLike | None = None,
    torque_interpolation: Interpolation = "linear",
    control_rate: float | None = None,
    external: Mapping[str, object] | Callable[..., Mapping[str, object]] | None = None,
    stop: Callable[..., float] | None = None,
    method: str = "DOP853",
    rtol: float | None = None,
    atol: float | None = None,
    max_step: float | None = None,
    progress: bool | Report = False,
    base_velocity: InTime | None = None,
    base_acceleration: InTime | None = None,
    gravity: InTime | None = None,
    under: LoadCase | None = None,
    strict: bool | None = None,
    prescribed: Mapping[str, LawLike] | None = None,
    damping: object = None,
    modes: int | None = None,
    effects: Names = None,
    order: int | None = None,
    elastic: str | ArrayLike | None = None,
    motion: Motion | None = None,
    velocity: ArrayLike | None = None,
    pose: ArrayLike | None = None,
    wheel_torques: Mapping[str, float | Callable[..., float]] | None = None,
    wheel_rates: Mapping[str, float | Callable[[float], float]] | None = None,
    brakes: Mapping[str, BrakeLike | Callable[[float], float]] | None = None,
    gear_losses: bool | None = None,
    steering: ArrayLike | Mapping[str, float | Callable[[float], float]] | None = None,
    freedoms: Names = None,
    base_motion: Motion | None = None,
    **others: Never,
) -> Simulation:
    """The motion of the robot from the state q, qd (at rest unless given) at time 0, over `duration` seconds.

    - `torque`: forces of the drives: none, a constant (n,), rows over the times `torque_times` (straight lines between
      them, or each held until the next with `torque_interpolation="previous"`), or a function `f(t, q, qd)`. With
      `control_rate` (Hz) the function is called at that rate and its force held in between.
    - `times` (increasing, from 0 on) or `sample_rate` (Hz, 100 unless given): when the motion is reported. The
      integrator chooses its own steps in between.
    - `external`: wrenches on links, `{"link": lp.Wrench(...)}`, or a function of t, q and qd that gives them.
    - `stop`: a function of t, q and qd; the simulation ends where its sign changes.
    - `method`, `rtol` (1e-8, with loops 1e-9), `atol`: of SciPy's integrators; `atol` (in the units of q, qd and J) is
      `rtol` unless given, on wheels a hundredth of it.
      Where the equations are stiff, as with strong damping, and an explicit method would creep, "Radau" takes over, and
      a `ModelWarning` says so (not on wheels).
    - `max_step` (s): longest step; a hundredth of the duration if the torque is a function, so that none of its pulses
      is stepped over, else none. On wheels too where rates of wheels or steering are functions of time, a fiftieth
      where something else is, and else a twentieth.
    - `progress`: True for a bar, or a function of the share done.
    - `base_velocity`, `base_acceleration` (6,), as in `inverse_dynamics`, and `gravity` (3,): of a base that moves as
      given, as in a lift or on a vehicle, in the axes of the base; numbers, or functions of t. An `lp.LoadCase` has all
      three and `external` (`under`). q, qd and the energies are those in these axes, and `base_work` is what the
      motion of the base does. With beams the base does not turn.

    Coulomb friction is not smoothed. A joint slips, or sticks at exactly zero speed for as long as the force on it
    does not exceed its friction (which joints stick is a convex problem with one solution); the integrator stops at
    every change. Limits of joints are not enforced: stop there, or push back with a torque of your own.

    Energy must balance, to a thousandth of what is turned over (or a thousand `rtol`, if that is more; of beams a
    hundredth), and what holds must hold. Where it does not, on the way or at the end, all is computed again with a
    hundredth of the tolerances and shorter steps, and a `ModelWarning` says so; if that does not help, an
    `lp.IntegrationError` says when and what, and its `result` has what there is up to that moment.

    - `brakes`: of joints, by the names of their degrees of freedom: an `lp.Brake`, which engages its `response_time`
      after the beginning, with one torque while it slips and another at rest; or N m (N) at the joint at all times.
      `joint_brake_heat` is what each turns into heat.
    - `gear_losses`: True for the efficiencies and no-load torques of drive trains. `torque` is then that of motors
      (times the ratio), and what gears lose goes with their load, in the direction of power.

    >>> import loadpath as lp
    >>> fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=1.0)
    >>> fall.q.shape, fall.energy_drift < 1e-7
    ((101, 2), True)

    >>> lift = lp.catalog.planar(2).simulate([0.3, 0.0], duration=1.0, base_acceleration=[0, 0, -9.81, 0, 0, 0])
    >>> bool(abs(lift.q - [0.3, 0.0]).max() < 1e-12)                          # it falls with its base
    True

    **With loops** q, qd and the torques are those of the tree; a torque at a passive joint counts, as that of a spring
    or a brake there. The accelerations keep the loops closed, and after every step the state is moved to the nearest
    one with closed loops (the least mass is moved; speeds change by the least kinetic energy), so nothing drifts.
    Redundant constraints do no harm. A start that is not closed is refused, with `strict=False` corrected with a
    warning.

    Dead points are passed, as the inertia of the mechanism does it, and listed in `dead_points` of the result. At a
    bifurcation, where a linkage in line can go on in more than one way, the simulation ends with an error; with
    `strict=False` it goes straight on with a warning.

    Coulomb friction sticks and slips at driven and passive joints alike. Where more joints stick than there are
    freedoms, the reported forces are those that use the least share of each joint's friction; the motion does not
    depend on that.

    >>> bar = lp.catalog.four_bar()
    >>> fall = bar.simulate(bar.home, [0.0, 0.0, 0.0], duration=1.0)
    >>> fall.energy_drift < 1e-7, bool(fall.closure.max() < 1e-12)
    (True, True)

    **With beams or compliant joints** their elastic motion and that of the joints act on each other. Deflections may be
    large: beams are geometrically exact rods, so that turning stiffens them and compression makes them buckle. q is the
    motors' side of a compliant joint. In addition:

    - `prescribed`: joints that follow a law exactly, `{"joint1": f}` with f(t) -> (position, speed, acceleration), or
      an `lp.Motion` that has the joint, or a number to hold it at. `tau` then says what force that takes.
    - `damping`: a ratio for all modes, one each, or `lp.Rayleigh`, as in `respond`: of the modes in the pose at the
      start with the joints held. Dampers of compliant joints come in addition.
    - `modes`: number of elastic coordinates; unless given up to 8, or 4 a beam, as far as their frequencies are within
      30 times the lowest. They span the lowest
      modes in the pose at the start and in others, with held and with free joints; what is left out follows the loads
      at once (mode acceleration) in all that is reported. `effects` as in `deflection`, `order` as in
      `natural_frequencies`.
    - `elastic`: how it starts: "equilibrium" with all joints held, or "straight", or elastic coordinates (modes,) of
      another run of the same arm from the same q, or (2, modes) with their rates.

    The fastest mode bounds the step: fewer `modes` are quicker.

    >>> rod = lp.Beam(lp.Rod(0.01), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> fall = arm.simulate([0.3], [0.0], duration=0.2, modes=4)
    >>> fall.tip_position.shape, fall.energy_drift < 1e-7
    ((21, 3), True)

    **On wheels** arm and base move together, with all that happens at the wheels. Nothing is assumed about rolling or
    slipping. Every contact grips as long as its static friction holds, then slides
    against its sliding friction; every wheel stands as long as its rolling resistance holds, then rolls; contacts lift
    and land as the load shifts. The integrator stops at each such change, finds what follows and reports it as one
    of the `events`. Friction of contacts must be known. Where the base would tip it is a free body from there on: it
    rocks, flies, lands with impacts (`restitution` of contacts) and comes to rest, or tips over, which ends the
    simulation unless its base has `body_points` to fall on. With loops, fewer `freedoms`, a `base_motion` or the method
    "LSODA" it ends where it would tip. Wheels on springs (`stiffness` and `damping`) begin at rest on them, under
    all that acts at first; under the weight alone where nothing balances that, as a kick.

    The ground is that of the rover. On a surface (`lp.Kerb`, `lp.Ramp`, a cubic `lp.HeightMap`) the base is a free body
    from the beginning, which it begins at rest on the surface; wheels are discs, which climb edges. Patches of friction
    count where contacts touch. Ground that moves carries the base, which may rock and lift off on it; `pose`,
    `velocity` and energies are against the ground.

    The robots are driven by `torque`, or they move as `motion` says, an
    `lp.Motion`. The base is at `pose`, (x, y, heading) in the frame of the ground, with `velocity`, (v, w) or
    (v_x, v_y, w) in base axes. It begins at the first of the `times`; with a motion it is reported at the motion's own,
    unless others are given. Wheels roll freely but for

    - `wheel_torques`: N m by names of wheels, `{"wheel2": 1.0}`: numbers, or functions of t and a `RoverState` with
      `pose`, `velocity`, `q`, `qd`;
    - `wheel_rates`: rad/s by names: numbers or functions of t. Zero is a locked brake;
    - `brakes`: N m about the axle by names: the torque up to which a brake holds its wheel, and with which it slips;
      numbers, functions of t, or True for the brake of the wheel's `drive`. Such a wheel needs spin inertia.

    The `drive` of a wheel, an `lp.WheelDrive`, cuts `wheel_torques` to what it has at the wheel's rate; where a given
    rate takes more, a `ModelWarning` says so. `drive_limited` says when. A `steering_drive` turns its wheel no faster
    than its `max_speed`.

    `steering`: angles of steered wheels by names, numbers or smooth functions of t (zero unless given), and first
    angles of casters. A base on a rail has fewer `freedoms` ("x", "y", "yaw", in base axes; or
    `{"yaw": False}`). A base that is fixed to a platform
    or vehicle has a given `base_motion`, an `lp.Motion` of (x, y, heading) of the base itself: grip is not looked at
    there, and no wheel rolls on the platform. `external` has
    wrenches on links, axes of the base: `{"rover": lp.Wrench(...)}`, or a function of t, q and qd
    or of t and a `RoverState` that gives them, on the same links at all times. `stop` is a function of t and a
    `RoverState`.

    More contacts than needed share the holding forces by their `grip_compliance`, each within its friction. They let go
    when no share is left that keeps all of them within their friction. A contact that slides though it holds, more
    friction than there is and changes without end are an `lp.IntegrationError`, too. Loops of robots are kept closed as
    on a fixed base.

    >>> cart = lp.catalog.lau_rover().base.carrying()                 # rolls out: v^2/(2 mu_r g) = 0.0510 m
    >>> out = cart.simulate(velocity=(0.1, 0.0), duration=2.0)
    >>> float(out.pose[-1, 0].round(4)), out.events[0].kind
    (0.051, 'stops')
    """
    refuse_keywords("simulate", others, MOVES_BY)
    if under is not None:
        given = {"external": external, "base_velocity": base_velocity, "base_acceleration": base_acceleration,
                 "gravity": gravity, "under": under}
        case = LoadCase.of(given, "simulate", _LOADS)
        external, base_velocity, base_acceleration, gravity = (getattr(case, name) for name in _LOADS)
    has = "wheels" if robot.on_wheels else "beams" if robot.is_elastic else "loops" if robot.held_by_loops else ""
    options = _options(
        robot, has, base_velocity=base_velocity, base_acceleration=base_acceleration, gravity=gravity,
        strict=strict, prescribed=prescribed, damping=damping, modes=modes, effects=effects, order=order,
        elastic=elastic, motion=motion, velocity=velocity, pose=pose, wheel_torques=wheel_torques,
        wheel_rates=wheel_rates, brakes=brakes, steering=steering, freedoms=freedoms, base_motion=base_motion,
        gear_losses=gear_losses,
    )
    asked = Asked(
        robot=robot, q=q, qd=qd, torque=torque, duration=duration, times=times, sample_rate=sample_rate,
        torque_times=torque_times, torque_interpolation=torque_interpolation, control_rate=control_rate,
        external=external, method=method, rtol=rtol, atol=atol, max_step=max_step, options=options,
    )
    with reporting(progress, f"simulating {robot.name}") as report:
        try:
            return _run(_PREPARED[has](asked), stop, report)
        except _UnsoundError as first:
            again = _PREPARED[has](asked)
            span = float(again.moments[-1]) - again.begin
            finer = replace(again, how=again.how.finer(span))
            told = f"rtol={finer.how.rtol:.1g} and steps of {finer.how.max_step:.3g} s at most"
            try:
                result = _run(finer, stop, report)
            except IntegrationError:  # so fine it does not come to the end
                raise first.fault from None
            except _UnsoundError as second:
                raise IntegrationError(f"{second.fault}; {told} do not help", second.fault.result) from None
            warn(f"{_without_remedy(first.fault)}. It was computed again with {told}, with which all balances: give "
                 "rtol= and max_step= to have them from the beginning")
            return result


class _UnsoundError(Exception):
    """Numbers that do not go together: the `fault` says when, what and why."""

    def __init__(self, fault: IntegrationError) -> None:
        super().__init__()
        self.fault = fault


def _run(ready: Prepared, stop: Callable[..., float] | None, report: Report) -> Simulation:
    """From the start to the end, watched on the way: what does not balance is an `_UnsoundError`."""
    stop_at = None if stop is None else (lambda t, y: stop(t, *ready.state(t, y)))

    def result_of(run: Run) -> Simulation:
        return Simulation(**ready.recorded(run))

    def checked(run: Run) -> Simulation:
        result = result_of(run)
        try:
            ready.check(result)
        except IntegrationError as fault:
            raise _UnsoundError(fault) from None
        return result

    with partial_result(ready.system.samples, result_of):
        run = integrate(
            ready.system, ready.y, ready.begin, ready.ends, ready.moments, ready.how, stop=stop_at, report=report,
            check=checked,
        )
    return checked(run)


def _without_remedy(fault: IntegrationError) -> str:
    """What was wrong, without what to do about it."""
    return str(fault).split("; the numbers are not to be trusted")[0]


def _options(robot: RobotModel, has: str, **given: Any) -> dict[str, Any]:
    """The options that are given; one that the robot has no use for is refused, and says what it is for."""
    options = {name: value for name, value in given.items() if value is not None}
    if robot.on_wheels:
        refuse_keywords("simulate", {name: options[name] for name in _LOADS[1:] if name in options}, MOVES_BY)
    if has in ("beams", "wheels"):
        for name in (_POWER_OFF if has == "beams" else _POWER_OFF[1:]):
            if name in options:
                raise TypeError(f"simulate takes no '{name}' of robot '{robot.name}', which {_NO_POWER_OFF[has]}")
    for part, names in _OPTIONS.items():
        wrong = [name for name in names if name in options and part != has and name != "brakes"]
        if wrong and not (part == "loops" and robot.on_fixed_base.held_by_loops):  # on wheels, too
            why = _WITHOUT[part] if has != "wheels" else f"is on wheels, and this is for {part} on a fixed base"
            raise TypeError(f"simulate takes no '{wrong[0]}': robot '{robot.name}' {why}")
    return options
