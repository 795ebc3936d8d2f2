"""The samples of a simulated rover, put together as arrays; what a simulation checks of itself: its energy, and that
wheels are held where they are said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import kept
from loadpath.mechanics.springs import energy, has_springs
from loadpath.mobile.base_in_space import base_in_space
from loadpath.mobile.contacts.modes import Mode
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.events import lasting
from loadpath.mobile.loops import forces_of_drives
from loadpath.mobile.rover_system import RoverSystem, Sample
from loadpath.mobile.support import edges_of, zero_moment
from loadpath.robot.mechanism import Body, plain
from loadpath.scalars import array
from loadpath.scalars.types import Floats
from loadpath.simulate.guard import check_all, check_energy
from loadpath.simulate.hybrid import Run
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT
from loadpath.states import wrenches_over

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


class _Forces(NamedTuple):
    """Forces at all samples."""

    rows: Floats
    """(samples, rows): of all elements."""
    pull: Floats
    """(samples, contacts): along their traction of wheels whose rates follow from their rolling."""


def _forces(system: RoverSystem, part: Callable[[str], Floats]) -> _Forces:
    """Forces of the samples: together where they are shared by compliance alone, else as each has them."""
    samples, elements = system.samples, system.elements
    rows, pull = part("sliding") + part("elastic"), np.zeros((len(samples), len(system.rover.contact_names)))
    torques = np.array([s.at.wheel_torques for s in samples])[:, elements.pulled]
    for i in np.flatnonzero(part("beyond")[:, 0]).tolist():
        rows[i] = samples[i].outcome.forces
    pull[:, elements.pulled] = torques / -elements.pulls.spin + rows @ system.forces.resists_axle.T
    for i, s in enumerate(samples):
        if s.mode.spins:
            pull[i] = s.outcome.pull
    return _Forces(rows, pull)


def recorded(rover: Rover, system: RoverSystem, run: Run) -> dict[str, Any]:
    """What a `Simulation` has of a run."""
    samples, n, of = system.samples, rover.n, system.work
    table, places = np.array([s.outcome.row for s in samples]), system.forces.layout.result.at

    def part(name: str) -> Floats:
        found: Floats = table[:, places[name]]
        return found

    solved, Udot = np.array([s.at.U for s in samples]), part("Udot")
    kinetic = 0.5 * (
        solved[:, None, :] @ system.forces.mass_matrix(np.array([s.outcome.equations for s in samples]))
        @ solved[:, :, None])[:, 0, 0]
    U = solved
    if system.forces.closed:
        U, Udot = (np.array([system.in_joints(s.at, along) for s, along in zip(samples, each, strict=True)])
                   for each in (U, Udot))
    tau = np.array([s.at.tau for s in samples])
    if system.forces.closed or len(system.forces.fixed):
        tau = np.array([system.joint_forces(s.at, s.outcome) for s in samples])
    q = np.array([s.at.q for s in samples]).reshape(len(samples), rover.nq)
    q = np.asarray(kernel(rover, "normalised")(q)) if n else q
    pose = np.array([_pose(system, s) for s in samples])
    placed = system.forces.placed_at([s.at.angles for s in samples])
    points = np.broadcast_to(placed.points, (len(samples), *placed.points.shape[-2:]))
    works = np.array([s.y[system.works] for s in samples])
    steering = _angles(rover, np.array([s.at.angles for s in samples]), solved)
    along, across = system.elements.in_wheel_axes(*_forces(system, part), placed, rover.arrangement.placed(steering))
    work = {"brake": np.zeros(len(samples)), **dict(zip(system.work.names, works.T, strict=True))}
    margin, point = _margins(rover, part("vertical"), points)
    times, rates = np.array([s.time for s in samples]), of.rates_of(placed, solved)
    torques, brakes = of.torques_of([(s.at, s.outcome) for s in samples])
    slides = {id(mode): _sliding(system, mode) for mode in {id(s.mode): s.mode for s in samples}.values()}
    return dict(
        times=times,
        q=q,
        qd=U[:, BASE : BASE + n],
        qdd=Udot[:, BASE : BASE + n],
        tau=tau if system.guidance.motion is None else forces_of_drives(rover, q, tau),
        pose=pose,
        velocity=U[:, :BASE],
        acceleration=Udot[:, :BASE],
        normal=part("normal"),
        longitudinal=along,
        lateral=across,
        wheel_rates=rates,
        wheel_torques=torques + brakes,
        brake_torques=brakes,
        drive_limited=system.guidance.drives.at_limit(times, rates, torques),
        steering=steering,
        sliding=np.array([slides[id(s.mode)] for s in samples]),
        lifted=np.array([~s.mode.touching for s in samples]),
        margin=margin,
        zero_moment_point=point,
        kinetic=kinetic,
        potential=_potential(rover, q, pose),
        drive_work=work["drive"],
        wheel_work=work["wheel"],
        external_work=work["external"],
        base_work=work["base"],
        sliding_heat=work["sliding"],
        rolling_heat=work["rolling"],
        joint_heat=work["joint"],
        brake_heat=work["brake"],
        dissipated=work["sliding"] + work["rolling"] + work["joint"] + work["brake"],
        events=tuple(lasting(system.events)),
        tipped=system.tipped,
        rocks=system.rocks,
        stopped=run.stopped,
        contact_names=rover.contact_names,
        contact_points=points,
        name=rover.name,
        dof_names=rover.robot.dof_names,
        coordinate_names=rover.robot.coordinate_names,
        base_link=rover.robot.base.name,
        ground=rover.ground,
        gravity=_gravity(rover, [s.time for s in samples], pose),
        external=wrenches_over([s.at.external for s in samples]),
        steps=run.steps,
        evaluations=system.forces.evaluations,
        **system.loops_over(q),
    )


def _gravity(rover: Rover, times: Sequence[float], pose: Floats) -> Floats | None:
    """(times, 3): gravity in base axes, where it changes."""
    if rover.ground.motion is not None:
        still = np.zeros((len(times), BASE))
        stands = {"time": np.array(times), "position": pose[:, :2], "heading": pose[:, 2]}
        return base_in_space(rover.ground, stands, still, still).gravity
    return rover.ground.gravity_in_base(pose[:, 2]) if rover.ground.slope else None


def _pose(system: RoverSystem, s: Sample) -> Floats:
    return system.guidance.base(s.time)[0] if system.guidance.base_motion is not None else s.y[:BASE]


def _sliding(system: RoverSystem, mode: Mode) -> NDArray[np.bool_]:
    slides: NDArray[np.bool_] = mode.spinning != 0
    for i, e in enumerate(system.elements.all):
        if e.grips and not mode.stuck[i] and mode.touching[e.contact]:
            slides[e.contact] = True
    return slides


def _angles(rover: Rover, angles: Floats, U: Floats) -> Floats:
    """(samples, steerable): steering angles, casters in the direction of their path."""
    wheels = rover.arrangement
    # Wheels without an angle of their own point the way they go.
    free = np.array([not (wheels.steered[k] or k in wheels.swivelling) for k in wheels.steerable], dtype=bool)
    return np.where(free, wheels.aligned(U[:, :BASE]), angles) if free.any() else angles


def _margins(rover: Rover, vertical: Floats, points: Floats) -> tuple[Floats, Floats]:
    edges = rover.edges if rover.arrangement.fixed_points else edges_of(points)
    least = edges.moments(vertical).min(axis=-1)
    return zero_moment(vertical, least)


def _potential(rover: Rover, q: Floats, pose: Floats) -> Floats:
    """Against the origin of the ground's frame; with what the springs of joints store."""
    mass = sum(link.inertia.mass for link in rover.robot.links)
    c = np.asarray(rover.mass_center(q)).reshape(-1, 3)
    cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x = pose[:, 0] + cos * c[:, 0] - sin * c[:, 1]
    y = pose[:, 1] + sin * c[:, 0] + cos * c[:, 1]
    g = rover.ground.gravity_in_base(0.0)
    result: Floats = -mass * (g[0] * x + g[1] * y + g[2] * c[:, 2])
    sprung = _on_springs(rover)
    if sprung:
        coordinates = array([q[:, k] for k in range(q.shape[1])])
        for body in sprung:
            result = result + energy(body, coordinates)
    return result


@kept()
def _on_springs(rover: Rover) -> tuple[Body, ...]:
    """The bodies of a rover if any of its joints has a spring."""
    mechanism = plain(rover.robot)
    return mechanism.bodies if has_springs(mechanism) else ()


SLIPS, BEYOND, APART, PULLS = 1e-4, 1e-3, 1e-4, 1e-6
"""The most there may be: slip of what sticks (of the fastest contact, and as much in m/s), share of friction that is
asked for in excess, acceleration of what cannot stick together (of the largest, and as much in m/s^2), share of the
weight that contacts pull with. Those in `tests/mobile` have up to 1e-6, 0, 1e-7 and 0."""

REMEDY = (
    "the contacts of this rover at this moment are beyond this simulation. Rates that start with an acceleration, "
    "wheel_torques instead of wheel_rates, friction without rolling resistance (rolling=0), or steering angles whose "
    "axles meet in one point may lead round it; a smaller rtol or max_step, if little is missing"
)


def check_rover(result: Simulation, system: RoverSystem, rtol: float) -> None:
    """An error where the numbers of a result do not go together."""
    samples = system.samples[:-1] if result.tipped or result.rocks else system.samples
    slips, beyond, apart, pulls = _faults(system, samples)
    check_all(
        result,
        [
            ("a contact that holds slides", slips, SLIPS, " of the fastest"),
            ("contacts hold more than their friction", beyond, BEYOND, " of it in excess"),
            ("what holds the base cannot hold together", apart, APART, " of the acceleration"),
            ("a contact pulls", pulls, PULLS, " of the weight"),
        ],
        REMEDY,
    )
    system.check_closed(result, MORE_EXACT)
    check_energy(result, REMEDY, rtol=rtol)


def _faults(system: RoverSystem, samples: Sequence[Sample]) -> tuple[Floats, Floats, Floats, Floats]:
    """(samples,) each, in the order of the checks."""
    if not samples:
        none = np.zeros(0)
        return none, none, none, none
    outcomes = [s.outcome for s in samples]
    held = np.repeat([s.mode.stuck for s in samples], [e.count for e in system.elements.all], axis=1)
    slip, normal = np.array([each.slip for each in outcomes]), np.array([each.normal for each in outcomes])
    points = system.forces.placed_at([s.at.angles for s in samples]).points
    vx, vy, w = np.array([s.at.U[:BASE] for s in samples]).T[..., None]
    fastest = np.hypot(vx - w * points[..., 1], vy + w * points[..., 0]).max(axis=-1, initial=0.0)
    touching = np.array([s.mode.touching for s in samples])
    return (
        np.where(held, np.abs(slip), 0.0).max(axis=-1, initial=0.0) / (1.0 + fastest),
        np.array([-s.outcome.shares.reserve if s.mode.sticks else 0.0 for s in samples]),
        np.array([each.strife for each in outcomes]) * 1e-7,
        -np.where(touching, normal, 0.0).min(axis=-1, initial=0.0) / np.maximum(np.abs(normal).sum(axis=-1), 1e-300),
    )
