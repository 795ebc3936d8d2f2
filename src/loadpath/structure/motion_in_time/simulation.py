"""An arm whose links and joints are elastic in time, made ready for the stepper."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.simulate.asked import Asked, Prepared, normalised_coordinates
from loadpath.simulate.base_in_time import base_in_time
from loadpath.simulate.drive import Torque, numbers
from loadpath.simulate.guard import check_energy
from loadpath.simulate.hybrid import Run
from loadpath.simulate.prescribed import Prescribed, read_prescribed, start_of
from loadpath.simulate.robot_system import RobotSystem
from loadpath.simulate.tree import MORE_EXACT, sampled, state_of
from loadpath.structure.checks import check_free_ends, chosen_effects, whole_number
from loadpath.structure.motion_in_time.assembly import Assembly
from loadpath.structure.motion_in_time.chain import Chain, chain
from loadpath.structure.motion_in_time.elastic_equations import ElasticEquations
from loadpath.structure.motion_in_time.elastic_start import elastic_equilibrium
from loadpath.structure.motion_in_time.reduced_basis import reduced_basis
from loadpath.structure.response.damping import RATIO, joint_damping, ratios_of, read_damping
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


def prepared(asked: Asked) -> Prepared:
    """A flexible arm at its start."""
    arm, options = asked.robot, asked.options
    _refuse_guides(arm)
    check_free_ends(arm, "simulate")
    q, qd = asked.start(arm)
    moments = asked.moments()
    duration = float(moments[-1])
    drive = asked.drive(arm, duration)
    led = read_prescribed(arm, options.get("prescribed"), duration)
    _check_torque(arm, asked.torque, led)
    q, qd = start_of(arm, led, q, qd)
    base = base_in_time(arm, options, duration)
    how = asked.settings(asked.longest_step(duration, base, led=len(led.numbers) > 0))
    ratios = read_damping(options.get("damping", RATIO), "simulate")
    parts = chain(arm, chosen_effects(options.get("effects")), _order(arm, options.get("order")))
    equations = ElasticEquations(arm, parts, asked.external, led, base)
    omega = _use_modes(equations, q, options.get("modes"))
    dampers = joint_damping(parts.model)
    equations.damping = np.diag(2 * ratios_of(ratios, omega) / omega) + equations.reduced(dampers)
    bent, bending = _elastic_start(equations, options.get("elastic", "equilibrium"), q, qd)
    equations.check_masses(q, bent)
    y = np.concatenate([q, qd, bent, bending, np.zeros(equations.works)])
    how = replace(how, atol=_tolerances(how.atol, equations, omega))
    system = RobotSystem(equations, drive)
    why = "the law of a joint may jump, in position or speed: make it smooth" if len(led.numbers) else MORE_EXACT
    return Prepared(
        system, y, how, moments, [*drive.breaks(duration), duration], state_of(system),
        lambda run: {**_recorded(arm, equations, system, run), "frequencies": omega / (2 * np.pi)},
        lambda found: check_energy(found, why, rtol=how.rtol, large=LARGE_DRIFT, rounding=ROUNDING),
    )


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


def _tolerances(atol: float | Floats, equations: ElasticEquations, omega: Floats) -> Floats:
    """For every number in y: the speed of an elastic coordinate may err by its frequency times what the coordinate may,
    so that both stand for the same energy.
    """
    rigid, works = np.ones(equations.nx), np.ones(equations.works)
    return atol * np.concatenate([rigid, np.ones(len(omega)), np.maximum(omega, 1.0), works])


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


def _recorded(
    arm: ElasticQuantities, equations: ElasticEquations, system: RobotSystem, run: Run
) -> dict[str, Any]:
    """What a `Simulation` has of a flexible arm."""
    found = sampled(arm, system, run)
    samples, times = system.samples, found["times"]
    y, rates = np.array([s.y for s in samples]), np.array([s.at.rate for s in samples])
    led = equations.prescribed
    if len(led.numbers):
        laws = np.array([led.at(t) for t in times])
        y[:, led.coordinates], y[:, arm.nq + led.numbers] = laws[:, 0], laws[:, 1]
    y[:, : arm.nq] = normalised_coordinates(arm, y[:, : arm.nq])
    qd, elastic = y[:, arm.nq : equations.nx], equations.elastic(y)
    kinetic, gravity, strain = equations.energies(times, y)
    return {
        **found,
        "q": y[:, : arm.nq],
        "qd": qd,
        "friction": found["friction"] + equations.viscous * qd,
        "kinetic": kinetic,
        "potential": gravity + strain,
        "arm": arm,
        "elastic": elastic[:, 0],
        "elastic_rate": elastic[:, 1],
        "coordinates": equations.all_coordinates(times, y, rates),
        "calm_coordinates": equations.rigid_coordinates(times, y, rates),
        "strain_energy": strain,
        "basis": equations.assembly.basis,
        "chain": equations.chain,
    }
