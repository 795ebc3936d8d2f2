"""The samples of a simulated rover, put together as arrays; what a simulation checks of itself: its energy, and that
wheels are held where they are said to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loadpath.mechanics.springs import energy, has_springs
from loadpath.mobile.base_in_space import base_in_space
from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.events import lasting
from loadpath.mobile.loops import forces_of_drives
from loadpath.mobile.rover_system import RoverSystem, Sample
from loadpath.mobile.support import edges_of, zero_moment
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.types import Floats
from loadpath.simulate.guard import check_all, check_energy
from loadpath.simulate.hybrid import Run
from loadpath.simulate.result import Simulation
from loadpath.simulate.tree import MORE_EXACT
from loadpath.states import wrenches_over

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def recorded(rover: Rover, system: RoverSystem, run: Run) -> dict[str, Any]:
    """What a `Simulation` has of a run."""
    samples = system.samples
    n = rover.n
    U, Udot = (
        np.array([system.in_joints(s.at, along) for s, along in zip(samples, each, strict=True)])
        for each in ([s.at.U for s in samples], [s.outcome.Udot for s in samples])
    )
    tau = np.array([system.joint_forces(s.at, s.outcome) for s in samples])
    q = np.array([s.at.q for s in samples]).reshape(len(samples), rover.nq)
    q = np.asarray(kernel(rover, "normalised")(q)) if n else q
    pose = np.array([_pose(system, s) for s in samples])
    vertical = np.array([s.outcome.vertical for s in samples])
    points = np.array([s.outcome.placed.points for s in samples])
    works = np.array([s.y[system.works] for s in samples])
    along, across, steering = zip(*(_in_wheel_axes(rover, system, s) for s in samples), strict=True)
    work = {"brake": np.zeros(len(samples)), **dict(zip(system.work.names, works.T, strict=True))}
    margin, point = _margins(rover, vertical, points)
    times, of = np.array([s.time for s in samples]), system.work
    rates, torques, brakes = (
        np.array([each(s.at, s.outcome) for s in samples])
        for each in (of.wheel_rates, of.wheel_torques, of.brake_torques)
    )
    return dict(
        times=times,
        q=q,
        qd=U[:, BASE : BASE + n],
        qdd=Udot[:, BASE : BASE + n],
        tau=tau if system.guidance.motion is None else forces_of_drives(rover, q, tau),
        pose=pose,
        velocity=U[:, :BASE],
        acceleration=Udot[:, :BASE],
        normal=np.array([s.outcome.normal for s in samples]),
        longitudinal=np.array(along),
        lateral=np.array(across),
        wheel_rates=rates,
        wheel_torques=torques + brakes,
        brake_torques=brakes,
        drive_limited=system.guidance.drives.at_limit(times, rates, torques),
        steering=np.array(steering),
        sliding=np.array([_sliding(system, s) for s in samples]),
        lifted=np.array([~s.mode.touching for s in samples]),
        margin=margin,
        zero_moment_point=point,
        kinetic=np.array([0.5 * s.at.U @ s.outcome.M @ s.at.U for s in samples]),
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


def _sliding(system: RoverSystem, s: Sample) -> NDArray[np.bool_]:
    slides: NDArray[np.bool_] = s.mode.spinning != 0
    for i, e in enumerate(system.elements.all):
        if e.grips and not s.mode.stuck[i] and s.mode.touching[e.contact]:
            slides[e.contact] = True
    return slides


def _in_wheel_axes(rover: Rover, system: RoverSystem, s: Sample) -> tuple[Floats, Floats, Floats]:
    """Longitudinal and lateral forces of every contact, and steering angles, casters in the direction of their way."""
    wheels = rover.arrangement
    # Wheels without an angle of their own point the way they go.
    free = np.array([not (wheels.steered[k] or k in wheels.swivelling) for k in wheels.steerable], dtype=bool)
    angles = np.where(free, wheels.aligned(s.at.U[:BASE]), s.at.angles)
    axes = wheels.placed(angles)
    along, across = system.elements.in_wheel_axes(s.outcome.forces, s.outcome.pull, s.outcome.placed, axes)
    return along, across, angles


def _margins(rover: Rover, vertical: Floats, points: Floats) -> tuple[Floats, Floats]:
    fixed = rover.arrangement.fixed_points
    edges = edges_of(points[0]) if fixed else edges_of(points)
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
    mechanism = plain(rover.robot)
    if has_springs(mechanism):
        coordinates = array([q[:, k] for k in range(q.shape[1])])
        for body in mechanism.bodies:
            result = result + energy(body, coordinates)
    return result


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
    slips, beyond, apart, pulls = np.array([_faults(system, each) for each in samples]).reshape(-1, 4).T
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


def _faults(system: RoverSystem, sample: Sample) -> tuple[float, float, float, float]:
    """Of one moment, in the order of the checks."""
    mode, outcome = sample.mode, sample.outcome
    rows = [np.abs(outcome.slip[e.rows]).max() for i, e in enumerate(system.elements.all) if mode.stuck[i]]
    fastest = float(np.abs(_speeds(system, sample)).max(initial=0.0))
    weight = max(float(np.abs(outcome.normal).sum()), 1e-300)
    return (
        max(rows, default=0.0) / (1.0 + fastest),
        -outcome.shares.reserve if mode.stuck.any() else 0.0,
        outcome.strife * 1e-7,
        float(-np.where(mode.touching, outcome.normal, 0.0).min(initial=0.0)) / weight,
    )


def _speeds(system: RoverSystem, sample: Sample) -> Floats:
    """Speeds of the contacts, m/s."""
    vx, vy, w = sample.at.U[:BASE]
    points = sample.outcome.placed.points
    return np.asarray(np.hypot(vx - w * points[:, 1], vy + w * points[:, 0]))
