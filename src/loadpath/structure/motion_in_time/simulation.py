"""`arm.simulate`: the motion in time of an arm whose links and joints are elastic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Never

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.motion.checks import in_other_units
from loadpath.progress import Report, reporting
from loadpath.robot.choices import Names
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.drive import Interpolation, Torque, make_drive, numbers
from loadpath.simulate.equations import ENERGIES
from loadpath.simulate.guard import check_energy
from loadpath.simulate.hybrid import Run, Settings, integrate, partial_result
from loadpath.simulate.robot_system import RobotSystem
from loadpath.simulate.simulation import MORE_EXACT, Stop, normalised_coordinates, report_times, start_state
from loadpath.states.keywords import BASE_STANDS, refuse_keywords
from loadpath.structure.choices import chosen_effects, whole_number
from loadpath.structure.free_ends import check_free_ends
from loadpath.structure.motion_in_time.assembly import Assembly
from loadpath.structure.motion_in_time.chain import Chain, chain
from loadpath.structure.motion_in_time.elastic_equations import ElasticEquations
from loadpath.structure.motion_in_time.elastic_start import elastic_equilibrium
from loadpath.structure.motion_in_time.prescribed import LawLike, Prescribed, read_prescribed, start_of
from loadpath.structure.motion_in_time.reduced_basis import reduced_basis
from loadpath.structure.motion_in_time.result import FlexibleSimulation
from loadpath.structure.response.damping import RATIO, DampingLike, joint_damping, ratios_of, read_damping
from loadpath.structure.vibration.mass import arm_parts

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

MODES = 8
"""Elastic coordinates, unless given; more for arms with more than two beams."""
MODES_PER_BEAM = 4
FASTEST = 30.0
"""Modes faster than this many times the lowest are left out, unless a number of modes is given."""
LEAST_MODES = 4
ORDERS = ((4, 6), (9, 5))
"""Polynomials along each piece of a beam: 6 for arms of up to 4 pieces, 5 up to 9, 4 beyond."""
LARGE_DRIFT = 0.01
"""Share of the energy turned over that may be unaccounted for: the elastic coordinates are few."""
ROUNDING = 1e-7
LEAST_ORDER, LARGEST_ORDER = 2, 12


def simulate(
    arm: ElasticQuantities,
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
    prescribed: Mapping[str, LawLike] | None = None,
    damping: DampingLike = RATIO,
    modes: int | None = None,
    effects: Names = None,
    order: int | None = None,
    elastic: str | ArrayLike = "equilibrium",
    stop: Stop | None = None,
    method: str = "DOP853",
    rtol: float = 1e-8,
    atol: float | None = None,
    max_step: float | None = None,
    progress: bool | Report = False,
    **others: Never,
) -> FlexibleSimulation:
    """The motion of a flexible arm from the state q, qd at time 0: its joints, and with them the elastic motion of its
    beams and compliant joints, each acting on the other. Deflections may be large: beams are geometrically exact rods,
    so that turning stiffens them and compression makes them buckle.

    What `Robot.simulate` takes, it takes with the same meaning (`torque` with `torque_times` and `control_rate`,
    `times` or `sample_rate`, `external`, `stop`, `method`, `rtol`, `atol`, `max_step`, `progress`), friction and
    rotors of the joints too. q is the motors' side of a compliant joint. In addition:

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

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> fall = arm.simulate([0.3], [0.0], duration=0.2, modes=4)
    >>> fall.tip_position.shape, fall.energy_drift < 1e-7
    ((21, 3), True)
    """
    refuse_keywords("simulate", others, BASE_STANDS)
    _refuse_guides(arm)
    check_free_ends(arm, "simulate")
    state = start_state(arm, q, qd)
    for question in in_other_units(arm, state[: arm.nq], state[arm.nq :]):
        warn(f"simulate: {question}")
    moments = report_times(duration, times, sample_rate)
    duration = float(moments[-1])
    drive = make_drive(arm, torque, duration, torque_times, torque_interpolation, control_rate)
    led = read_prescribed(arm, prescribed, duration)
    _check_torque(arm, torque, led)
    q0, qd0 = start_of(arm, led, normalised_coordinates(arm, state[: arm.nq]), state[arm.nq :])
    led_by_function = len(led.numbers) > 0 or callable(torque)
    longest = duration / 100 if led_by_function and duration > 0 else np.inf
    how = Settings.checked(method, rtol, rtol if atol is None else atol, max_step, longest, if_stiff="Radau")
    ratios = read_damping(damping, "simulate")
    parts = chain(arm, chosen_effects(effects), _order(arm, order))
    equations = ElasticEquations(arm, parts, external, led)
    omega = _use_modes(equations, q0, modes)
    dampers = joint_damping(parts.model)
    equations.damping = np.diag(2 * ratios_of(ratios, omega) / omega) + equations.reduced(dampers)
    bent, bending = _elastic_start(equations, elastic, q0, qd0)
    equations.check_masses(q0, bent)
    y = np.concatenate([q0, qd0, bent, bending, np.zeros(ENERGIES)])
    how = replace(how, atol=_tolerances(how.atol, arm, omega))
    system = RobotSystem(equations, drive)
    stop_at = None if stop is None else (lambda t, y: stop(t, *equations.coordinates(y.copy())))

    def result_of(run: Run) -> FlexibleSimulation:
        return _result(arm, equations, system, run, omega / (2 * np.pi))

    with reporting(progress, f"simulating {arm.name}") as report, partial_result(system.samples, result_of):
        ends = [*drive.breaks(duration), duration]
        run = integrate(system, y, 0.0, ends, moments, how, stop=stop_at, report=report)
    found = result_of(run)
    why = "the law of a joint may jump, in position or speed: make it smooth" if len(led.numbers) else MORE_EXACT
    check_energy(found, why, rtol=rtol, large=LARGE_DRIFT, rounding=ROUNDING)
    return found


def _refuse_guides(arm: RobotModel) -> None:
    if arm.placed_guides:
        guide = arm.placed_guides[0]
        raise ModelError(f"robot '{arm.name}' has a guide at joint '{guide.joint}' ({guide.guide}), and simulate does "
                         "not move beams in guides: without_beams().simulate(...) moves the rigid robot, and "
                         "arm.deflection(...) and arm.stress(...) of that simulation are quasi-static; a joint that "
                         "stays at its extension can be locked before with_beams, with beams that are clamped there"
                         )


def _check_torque(arm: RobotModel, torque: Torque | None, led: Prescribed) -> None:
    """Warn of torques for joints that follow a law: these take what force they need, and no other."""
    if not isinstance(torque, (np.ndarray, list, tuple)):
        return
    given = np.asarray(torque, dtype=float)
    names = [arm.dof_names[k] for k in led.numbers if given.ndim and np.any(given[..., k])]
    if names:
        warn(f"simulate: there is a torque for {', '.join(names)}, which 'prescribed' makes follow a law: it is not "
             "used; simulation.tau says what force the law takes")


def _order(arm: RobotModel, order: int | None) -> int:
    if order is not None:
        wanted = whole_number(order, "'order'", LEAST_ORDER)
        if wanted > LARGEST_ORDER:
            raise ValueError(f"simulate: 'order' is {wanted}: expected {LEAST_ORDER} to {LARGEST_ORDER}")
        return wanted
    pieces = sum(stretch is not None for stretch in arm_parts(arm).stretches)
    return next((value for most, value in ORDERS if pieces <= most), 4)


def _use_modes(equations: ElasticEquations, q: Floats, modes: int | None) -> Floats:
    """Chooses the elastic coordinates: the modes of the pose at the start, as far as the basis has them. Returns their
    angular frequencies (modes,), rad/s.
    """
    parts, n = equations.chain, equations.n
    count = _modes(parts, modes)
    everything = Assembly(parts, np.eye(parts.model.size), equations.spec)
    held = everything(q, np.zeros(n), np.zeros((2, parts.model.size))).M[n:, n:]
    if modes is None:
        lowest = np.sort(np.linalg.eigvalsh(held))[::-1][:count]
        quick = int((lowest >= lowest[0] / FASTEST**2).sum())
        count = min(count, max(quick, LEAST_MODES))
    basis = reduced_basis(everything, q, equations.rotors, count)
    values, vectors = np.linalg.eigh(basis.T @ held @ basis)
    omega: Floats = 1 / np.sqrt(np.maximum(values[::-1], 1e-14 * values[-1]))
    # The last of them may mix many fast modes.
    kept = int((omega <= 1.2 * FASTEST * omega[0]).sum()) if modes is None else count
    kept = max(kept, min(count, LEAST_MODES))
    equations.use(basis @ vectors[:, ::-1][:, :kept])
    return omega[:kept]


def _tolerances(atol: float | Floats, arm: RobotModel, omega: Floats) -> Floats:
    """For every number in y: the speed of an elastic coordinate may err by its frequency times what the coordinate may,
    so that both stand for the same energy.
    """
    rigid = np.ones(arm.nq + arm.n)
    return atol * np.concatenate([rigid, np.ones(len(omega)), np.maximum(omega, 1.0), np.ones(ENERGIES)])


def _modes(parts: Chain, modes: int | None) -> int:
    arm, most = parts.arm, parts.model.size
    if most == 0:  # as with effects that no part of the arm has
        raise ModelError(f"robot '{arm.name}' has no elastic part with these effects: without_beams().simulate moves "
                         "the rigid robot")
    if modes is None:
        springs = sum(p.columns.stop - p.columns.start for p in parts.model.pieces if p.stretch is None)
        return int(min(max(MODES, MODES_PER_BEAM * len(arm.beams) + springs), most))
    wanted = whole_number(modes, "'modes'")
    if wanted > most:
        raise ValueError(f"simulate: 'modes' is {wanted}: robot '{arm.name}' has {most} elastic coordinates with "
                         "these effects and this order")
    return int(wanted)


def _elastic_start(
    equations: ElasticEquations, elastic: str | ArrayLike, q: Floats, qd: Floats
) -> tuple[Floats, Floats]:
    """Elastic coordinates and their rates at the start."""
    still = np.zeros(equations.modes)
    if isinstance(elastic, str):
        if elastic == "straight":
            return still, still
        if elastic == "equilibrium":
            return elastic_equilibrium(equations.assembly, q, equations.start_wrenches(q, qd)), still
        raise ValueError(f"simulate: 'elastic' is {elastic!r}: expected 'equilibrium', 'straight' or coordinates")
    given = numbers(elastic, "elastic")
    if given.shape == (equations.modes,):
        return given, still
    if given.shape == (2, equations.modes):
        return given[0], given[1]
    raise ValueError(f"simulate: 'elastic' has the shape {given.shape}: expected ({equations.modes},), or "
                     f"(2, {equations.modes}) with the rates")


def _result(
    arm: ElasticQuantities, equations: ElasticEquations, system: RobotSystem, run: Run, frequencies: Floats
) -> FlexibleSimulation:
    samples = system.samples
    y, times = np.array([s.y for s in samples]), np.array([s.time for s in samples])
    led = equations.prescribed
    if len(led.numbers):
        laws = np.array([led.at(t) for t in times])
        y[:, led.coordinates], y[:, arm.nq + led.numbers] = laws[:, 0], laws[:, 1]
    nx = equations.nx
    y[:, : arm.nq] = normalised_coordinates(arm, y[:, : arm.nq])
    elastic = equations.elastic(y)
    kinetic, gravity, strain = equations.energies(times, y)
    sticking = np.zeros((len(y), arm.n), dtype=bool)
    for k, s in enumerate(samples):
        sticking[k, s.grip.stuck] = True
    qd, rates = y[:, arm.nq : nx], np.array([s.at.rate for s in samples])
    return FlexibleSimulation(
        times=times,
        q=y[:, : arm.nq],
        qd=qd,
        qdd=rates[:, arm.nq : nx],
        tau=np.array([s.at.tau for s in samples]),
        friction=np.array([s.at.coulomb for s in samples]) + equations.viscous * qd,
        sticking=sticking,
        kinetic=kinetic,
        potential=gravity + strain,
        drive_work=y[:, -3],
        dissipated=y[:, -2],
        external_work=y[:, -1],
        dof_names=arm.dof_names,
        steps=run.steps,
        evaluations=equations.evaluations,
        stopped=run.stopped,
        external=equations.external_over([(s.time, *equations.coordinates(s.y)) for s in samples]),
        arm=arm,
        elastic=elastic[:, 0],
        elastic_rate=elastic[:, 1],
        coordinates=equations.all_coordinates(times, y, rates),
        calm_coordinates=equations.rigid_coordinates(times, y, rates),
        strain_energy=strain,
        frequencies=frequencies,
        basis=equations.assembly.basis,
        chain=equations.chain,
    )
