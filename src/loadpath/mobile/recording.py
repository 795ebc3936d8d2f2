"""The samples of a simulated rover, put together as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loadpath.mobile.equations import BASE, kernel
from loadpath.mobile.simulation_result import RoverSimulation
from loadpath.mobile.stepping import WORKS, RoverRun, Sample
from loadpath.mobile.support import edges_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Floats = NDArray[np.float64]


def result_of(rover: Rover, run: RoverRun) -> RoverSimulation:
    """The result of a run."""
    samples = run.samples
    n = rover.n
    U = np.array([s.at.U for s in samples])
    Udot = np.array([s.outcome.Udot for s in samples])
    q = np.array([s.at.q for s in samples]).reshape(len(samples), rover.nq)
    q = np.asarray(kernel(rover, "normalised")(q)) if n else q
    pose = np.array([_pose(run, s) for s in samples])
    vertical = np.array([s.outcome.vertical for s in samples])
    points = np.array([s.outcome.placed.points for s in samples])
    works = np.array([s.y[run._works] for s in samples])
    along, across, steering = zip(*(_in_wheel_axes(rover, run, s) for s in samples), strict=True)
    work = dict(zip(WORKS, works.T, strict=True))
    margin, point = _margins(rover, vertical, points)
    return RoverSimulation(
        times=np.array([s.time for s in samples]),
        q=q,
        qd=U[:, BASE : BASE + n],
        qdd=Udot[:, BASE : BASE + n],
        tau=np.array([s.at.tau + s.outcome.reaction[BASE : BASE + n] for s in samples]),
        pose=pose,
        velocity=U[:, :BASE],
        acceleration=Udot[:, :BASE],
        normal=np.array([s.outcome.normal for s in samples]),
        longitudinal=np.array(along),
        lateral=np.array(across),
        wheel_rates=np.array([run.wheel_rates(s.at, s.outcome) for s in samples]),
        wheel_torques=np.array([run.wheel_torques(s.at, s.outcome) for s in samples]),
        steering=np.array(steering),
        sliding=np.array([_sliding(run, s) for s in samples]),
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
        events=tuple(run.events),
        tipped=run.tipped,
        stopped=run.stopped,
        contact_names=rover.contact_names,
        contact_points=points,
        name=rover.name,
        ground=rover.ground,
        steps=run.steps,
        evaluations=run.forces.evaluations,
    )


def _pose(run: RoverRun, s: Sample) -> Floats:
    return run.guidance.base(s.time)[0] if run.guidance.base_motion is not None else s.y[:BASE]


def _sliding(run: RoverRun, s: Sample) -> NDArray[np.bool_]:
    slides: NDArray[np.bool_] = s.mode.spinning != 0
    for i, e in enumerate(run.elements.all):
        if e.kind == "grip" and not s.mode.stuck[i] and s.mode.touching[e.contact]:
            slides[e.contact] = True
    return slides


def _in_wheel_axes(rover: Rover, run: RoverRun, s: Sample) -> tuple[Floats, Floats, Floats]:
    """Longitudinal and lateral forces of every contact, and steering angles, casters in the direction of their way."""
    wheels = rover.arrangement
    free = wheels.casters[wheels.steerable] & (wheels.trail[wheels.steerable] == 0)
    angles = np.where(free, wheels.aligned(s.at.U[:BASE]), s.at.angles)
    placed = wheels.placed(angles)
    along, across = np.zeros(len(rover.contact_names)), np.zeros(len(rover.contact_names))
    turn = wheels.roller_angle
    along[run.elements.pulled] += (np.cos(turn) * s.outcome.pull)[run.elements.pulled]
    across[run.elements.pulled] += (np.sin(turn) * s.outcome.pull)[run.elements.pulled]
    for e in run.elements.all:
        k, f = e.contact, s.outcome.forces[e.rows]
        if e.kind == "grip":
            if wheels.omni[k]:
                along[k] += np.cos(turn[k]) * f[0]
                across[k] += np.sin(turn[k]) * f[0]
            elif e.count == 2:
                along[k] += f[0]
                across[k] += f[1]
            else:
                across[k] += f[0]
        elif e.kind == "rolling" and wheels.casters[k]:
            force = f if e.count == 2 else f[0] * placed.forward[k]
            along[k] += force @ placed.forward[k]
            across[k] += force @ placed.left[k]
        elif e.kind == "rollers":
            along[k] -= np.sin(turn[k]) * f[0]
            across[k] += np.cos(turn[k]) * f[0]
    return along, across, angles


def _margins(rover: Rover, vertical: Floats, points: Floats) -> tuple[Floats, Floats]:
    fixed = rover.arrangement.fixed_points
    edges = edges_of(points[0]) if fixed else edges_of(points)
    least = edges.moments(vertical).min(axis=-1)
    pressed = vertical[:, 0] > 0
    force = np.where(pressed, vertical[:, 0], 1.0)
    margin = np.where(pressed, least / force, -np.inf)
    point = np.stack([-vertical[:, 2], vertical[:, 1]], axis=-1) / force[:, None]
    return margin, np.where(pressed[:, None], point, np.inf)


def _potential(rover: Rover, q: Floats, pose: Floats) -> Floats:
    """Against the origin of the ground's frame."""
    mass = sum(link.inertia.mass for link in rover.robot.links)
    c = np.asarray(rover.mass_center(q)).reshape(-1, 3)
    cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x = pose[:, 0] + cos * c[:, 0] - sin * c[:, 1]
    y = pose[:, 1] + sin * c[:, 0] + cos * c[:, 1]
    g = rover.ground.gravity_in_base(0.0)
    result: Floats = -mass * (g[0] * x + g[1] * y + g[2] * c[:, 2])
    return result
