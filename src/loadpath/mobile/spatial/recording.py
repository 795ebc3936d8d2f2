"""The samples of a base that is a free body, put together as arrays; what such a simulation checks of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mechanics.springs import energy, has_springs
from loadpath.mobile.equations import kernel
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.loops import forces_of_drives
from loadpath.mobile.spatial.carried import carried
from loadpath.mobile.spatial.forces import Outcome
from loadpath.mobile.spatial.geometry import Contacts, Touch, cross, rotation_of
from loadpath.mobile.spatial.input import Place
from loadpath.mobile.spatial.start import on_plane
from loadpath.mobile.spatial.system import POSE, WORKS, Sample, SpatialSystem, pose_of
from loadpath.mobile.support import edges_of, zero_moment
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.simulate.guard import check_all
from loadpath.simulate.result import Simulation
from loadpath.states import wrenches_over

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

GAP, SLIPS, BEYOND, PULLS = 1e-8, 1e-6, 1e-3, 1e-6
"""The most there may be: gap of a rigid contact that touches (m), slip of what sticks (m/s), share of friction that is
asked for in excess, share of the weight that contacts pull with."""


def in_space(pose: Floats) -> dict[str, Floats]:
    """Position and quaternion of a base on the plane (times, 3)."""
    return {"position": np.concatenate([pose[:, :2], np.zeros((len(pose), 1))], axis=1),
            "quaternion": on_plane(pose)}


def arrays(rover: Rover, system: SpatialSystem) -> dict[str, Any]:
    """What a `Simulation` has of the samples, but for names and events."""
    samples, n, wheels = system.samples, rover.n, system.contacts.wheels
    U = np.array([s.at.in_joints(s.at.U) for s in samples])
    Udot = np.array([s.at.in_joints(s.outcome.Udot) for s in samples])
    q = np.array([s.at.q for s in samples]).reshape(len(samples), rover.nq)
    q = np.asarray(kernel(rover, "normalised")(q)) if n else q
    joints = slice(SPATIAL, SPATIAL + n)
    tau = np.array([s.at.tau + s.outcome.reaction[joints] for s in samples]).reshape(len(samples), n)
    work = dict(zip(WORKS, np.array([s.y[system.works] for s in samples]).T, strict=True))
    pose = np.array([pose_of(s.at.place) for s in samples])
    pose[:, 2] = np.unwrap(pose[:, 2])
    of_wheels = (in_wheel_axes(system.contacts, s.outcome) for s in samples)
    along, across, points = (np.array(each) for each in zip(*of_wheels, strict=True))
    normal = system.contacts.by_body(np.array([s.outcome.normal for s in samples]))
    brakes = np.array([system.brake_torques(s.outcome) for s in samples])
    margin, point = _margins(normal[:, :wheels], points)
    plane = [0, 1, 5]
    twist, rate, gravity = in_inertial_space(system, U[:, :SPATIAL], Udot[:, :SPATIAL])
    return dict(
        times=np.array([s.time for s in samples]),
        q=q,
        qd=U[:, joints],
        qdd=Udot[:, joints],
        tau=tau if system.guidance.motion is None else forces_of_drives(rover, q, tau),
        pose=pose,
        position=np.array([s.y[:3] for s in samples]),
        quaternion=np.array([s.y[3:POSE] for s in samples]),
        base_velocity=twist,
        base_acceleration=rate,
        velocity=U[:, plane],
        acceleration=Udot[:, plane],
        normal=normal[:, :wheels],
        body_forces=normal[:, wheels:],
        **_of_suspensions(system),
        longitudinal=along,
        lateral=across,
        wheel_rates=np.array([system.wheel_rates(s.at, s.outcome.equations.touch.pulls) for s in samples]),
        wheel_torques=np.array([system.wheel_torques(s.at, s.outcome) for s in samples]) + brakes,
        brake_torques=brakes,
        wheel_accelerations=np.array([_wheel_accelerations(system, s) for s in samples]),
        ground_forces=np.array([_ground_forces(system, s) for s in samples]),
        contact_frames=np.array([_frames(system, s) for s in samples]),
        contact_forces=np.array([_contact_forces(system, s) for s in samples]),
        steering=np.array([s.at.angles for s in samples]),
        sliding=np.array([_sliding(system, s) for s in samples]),
        lifted=system.contacts.by_body(np.array([s.mode.touching for s in samples]).astype(float))[:, :wheels] == 0,
        margin=margin,
        zero_moment_point=point,
        kinetic=np.array([0.5 * s.at.U @ s.outcome.equations.M @ s.at.U for s in samples]),
        potential=_potential(rover, system, q),
        drive_work=work["drive"],
        wheel_work=work["wheel"],
        external_work=work["external"],
        base_work=work["base"],
        sliding_heat=work["sliding"],
        rolling_heat=work["rolling"],
        joint_heat=work["joint"],
        brake_heat=work["brake"],
        impact_heat=work["impact"],
        damper_heat=work["damper"],
        dissipated=work["sliding"] + work["rolling"] + work["joint"] + work["brake"] + work["impact"]
        + work["damper"],
        contact_points=points,
        gravity=gravity,
        external=wrenches_over([s.at.external for s in samples]),
        **system.loops_over(q),
    )


def _of_suspensions(system: SpatialSystem) -> dict[str, Floats]:
    """Travel and forces (times, wheels) of a rover that has suspensions."""
    sprung, samples = system.forces.sprung, system.samples
    if not len(sprung.at):
        return {}
    forces = [sprung.forces(s.outcome.equations.springs, s.at.U, s.mode.touching) for s in samples]
    return {"suspension_travel": np.array([sprung.travel(s.outcome.equations.springs) for s in samples]),
            "suspension_force": np.array(forces)}


def in_inertial_space(system: SpatialSystem, twist: Floats, rate: Floats) -> tuple[Floats, Floats, Floats]:
    """Velocity and acceleration (times, 6) of the base, and gravity (times, 3), in base axes, from its speeds and their
    rates; on moving ground its angular velocity and both accelerations are those in inertial space.
    """
    rate, forces = rate.copy(), system.forces
    if forces.rover.ground.motion is None:
        rate[:, :3] += cross(twist[:, 3:], twist[:, :3])
        return twist, rate, np.array([forces.gravity @ s.at.place.rotation for s in system.samples])
    moved = [carried(forces.gravity, forces.ground_at(s.at), s.at) for s in system.samples]
    whole = twist + np.array([each.twist for each in moved])
    rate += np.array([each.rate for each in moved])
    rate[:, :3] += cross(whole[:, 3:], whole[:, :3])
    seen = np.concatenate([twist[:, :3], whole[:, 3:]], axis=1)
    return seen, rate, np.array([each.gravity for each in moved])


def in_wheel_axes(contacts: Contacts, outcome: Outcome) -> tuple[Floats, Floats, Floats]:
    """Longitudinal and lateral forces of wheels and feet, and where they touch in the plane of the base frame."""
    touch, elements = outcome.equations.touch, contacts.elements
    force = np.zeros((contacts.wheels, 2))
    rows, wheel, local = contacts.row_contacts
    np.add.at(force, wheel, outcome.forces[rows, None] * local)
    np.add.at(force, elements.pulls.contact, outcome.pull[elements.pulled, None] * elements.pulls.local)
    return force[:, 0], force[:, 1], touch.points[_nearest(contacts, touch)][:, :2]


def _nearest(contacts: Contacts, touch: Touch) -> Ints:
    """(wheels,): numbers of the contacts of wheels and feet, each on the piece of ground that is nearest."""
    piece = touch.apart.reshape(-1, contacts.bodies)[:, : contacts.wheels].argmin(axis=0)
    result: Ints = contacts.bodies * piece + np.arange(contacts.wheels)
    return result


def _wheel_accelerations(system: SpatialSystem, s: Sample) -> Floats:
    """(wheels,): rates of the wheels' rates; of wheels that roll without an inertia, without what turns their rows."""
    elements, rates = system.elements, np.zeros(system.contacts.wheels)
    if len(elements.pulled):
        rates[elements.pulled] = -(s.outcome.equations.touch.pulls @ s.outcome.Udot) / elements.pulls.spin
    return system.with_spins(rates, s.outcome.Udot)


def _ground_forces(system: SpatialSystem, s: Sample) -> Floats:
    """(6,): force of all contacts on the base, and moment about its origin, in base axes."""
    touch, outcome = s.outcome.equations.touch, s.outcome
    total: Floats = (outcome.normal @ touch.G + outcome.forces @ touch.D
                     + outcome.pull[system.elements.pulled] @ touch.pulls)[:SPATIAL]
    return total


def _contact_forces(system: SpatialSystem, s: Sample) -> Floats:
    """(wheels, 3): of the ground on wheels and feet, on all pieces of it, in base axes."""
    touch, outcome, contacts, elements = s.outcome.equations.touch, s.outcome, system.contacts, system.elements
    force = np.zeros((contacts.bodies, 3))
    np.add.at(force, contacts.owner, outcome.normal[:, None] * touch.G[:, :3])
    rows, wheel, _ = contacts.row_contacts
    np.add.at(force, wheel, outcome.forces[rows, None] * touch.D[rows, :3])
    np.add.at(force, elements.pulls.contact, outcome.pull[elements.pulled, None] * touch.pulls[:, :3])
    return force[: contacts.wheels]


def _frames(system: SpatialSystem, s: Sample) -> Floats:
    """(wheels, 3, 4): directions of the contacts of wheels and feet, and where they touch, in base axes."""
    touch = s.outcome.equations.touch
    those = _nearest(system.contacts, touch)
    parts = touch.forward[those, :3], touch.left[those, :3], touch.G[those, :3], touch.points[those]
    return np.stack(parts, axis=-1)


def frames_on_plane(rover: Rover, points: Floats, steering: Floats) -> Floats:
    """(times, contacts, 3, 4): the same of a base on the plane, with contacts at points (times, contacts, 2)."""
    placed = rover.arrangement.placed(steering) if steering.shape[1] else rover.arrangement.at_rest
    frames = np.zeros((*points.shape[:2], 3, 4))
    frames[..., :2, 0], frames[..., :2, 1], frames[..., 2, 2] = placed.forward, placed.left, 1.0
    frames[..., :2, 3] = points
    return frames


def _sliding(system: SpatialSystem, s: Sample) -> Bools:
    contacts = system.contacts
    slides: Bools = s.mode.spinning[: contacts.wheels] != 0
    for i, e in enumerate(contacts.every):
        on_wheel = e.grips and contacts.owner[e.contact] < contacts.wheels
        if on_wheel and not s.mode.stuck[i] and s.mode.touching[e.contact]:
            slides[contacts.owner[e.contact]] = True
    return slides


def _margins(normal: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Margin and zero-moment point from the forces of the contacts; not a number where none carries anything."""
    vertical = np.stack([normal.sum(axis=1), (normal * points[..., 1]).sum(axis=1),
                         -(normal * points[..., 0]).sum(axis=1)], axis=-1)
    vertical = np.where(vertical[:, :1] > 0, vertical, np.nan)
    edges = edges_of(points)
    return zero_moment(vertical, edges.moments(vertical).min(axis=-1))


def _potential(rover: Rover, system: SpatialSystem, q: Floats) -> Floats:
    """Against the origin of the ground's frame; with what the springs of joints and tyres store."""
    c = np.asarray(rover.mass_center(q)).reshape(-1, 3)
    at = np.array([s.at.place.position + s.at.place.rotation @ each for s, each in zip(system.samples, c, strict=True)])
    result: Floats = -system.mass * at @ system.forces.gravity
    sprung = system.forces.sprung
    stored = [sprung.stored(s.outcome.equations.springs)
              + sprung.weight_energy(s.at.inner, system.forces.gravity @ s.at.place.rotation) for s in system.samples]
    result = result + np.array(stored)
    mechanism = plain(rover.robot)
    if has_springs(mechanism):
        coordinates = array([q[:, k] for k in range(q.shape[1])])
        for body in mechanism.bodies:
            result = result + energy(body, coordinates)
    return result


def check_space(result: Simulation, system: SpatialSystem, remedy: str) -> None:
    """An error where the numbers of the samples in space do not go together."""
    before = len(result.times) - len(system.samples)
    faults = np.array([_faults(system, s) for s in system.samples]).reshape(-1, 4)
    gap, slips, beyond, pulls = np.concatenate([np.zeros((before, 4)), faults]).T
    check_all(
        result,
        [
            ("a contact that touches has a gap", gap, GAP, " m"),
            ("a contact that holds slides", slips, SLIPS, " m/s"),
            ("contacts hold more than their friction", beyond, BEYOND, " of it in excess"),
            ("a contact pulls", pulls, PULLS, " of the weight"),
        ],
        remedy,
    )


def _faults(system: SpatialSystem, s: Sample) -> tuple[float, float, float, float]:
    rigid = s.mode.touching & ~system.contacts.springs
    held = [float(np.abs(s.outcome.slip[e.rows]).max()) for i, e in enumerate(system.contacts.every) if s.mode.stuck[i]]
    weight = max(float(np.abs(s.outcome.normal).sum()), 1e-9)
    return (
        float(np.abs(s.outcome.equations.touch.gap[rigid]).max(initial=0.0)),
        max(held, default=0.0),
        -s.outcome.shares.reserve if s.mode.stuck.any() else 0.0,
        float(-s.outcome.normal.min(initial=0.0)) / weight,
    )


__all__ = ["Place", "arrays", "check_space", "frames_on_plane", "in_space", "rotation_of"]
