"""How a base on springs begins: at rest on its tyres, at a place and heading on the ground."""

from __future__ import annotations

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.forces import SpatialForces
from loadpath.mobile.spatial.geometry import cross, rotation_of, turned_by
from loadpath.mobile.spatial.input import Input, Place
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.scalars.types import Floats

_ITERATIONS, _BALANCED = 60, 1e-11


def on_plane(pose: Floats) -> Floats:
    """Quaternion of a base that stands upright with a heading.

    >>> on_plane(np.array([0.0, 0.0, np.pi])).round(12).tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    return np.array([0.0, 0.0, np.sin(0.5 * pose[2]), np.cos(0.5 * pose[2])])


def standing(forces: SpatialForces, at: Input, pose: Floats) -> tuple[Place, Floats]:
    """Place and quaternion at which the springs carry the weight, robots held still: the sum of the forces along the
    ground's normal and the moments about axes in the ground are zero. Forces along the ground turn nothing there.
    """
    quaternion = on_plane(pose)
    place = Place(np.array([pose[0], pose[1], 0.0]), rotation_of(quaternion))
    still = at._replace(U=np.zeros(len(at.U)), given=np.zeros(len(at.given)))
    size = np.array([1.0, forces.contacts.extent, forces.contacts.extent])

    def missing(place: Place) -> Floats:
        eq = forces.equations(still._replace(place=place))
        wrench = eq.forces[:SPATIAL] + np.maximum(eq.loads, 0.0) @ eq.touch.G[:, :SPATIAL]
        force, moment = place.rotation @ wrench[:3], place.rotation @ wrench[3:]
        moment = moment + cross(np.array([0.0, 0.0, place.position[2]]), force)
        result: Floats = np.array([force[2], moment[0], moment[1]]) / size
        return result

    def moved(place: Place, quaternion: Floats, by: Floats) -> tuple[Place, Floats]:
        turned = turned_by(quaternion, np.array([by[1], by[2], 0.0]) / size[1])
        position = place.position + np.array([0.0, 0.0, by[0]])
        return Place(position, rotation_of(turned)), turned

    high = Place(place.position + np.array([0.0, 0.0, 1e3]), place.rotation)
    weight = float(np.abs(missing(high)[0]))
    depth = weight / max(float(forces.stiffness.sum()), 1e-300)
    place, quaternion = moved(place, quaternion, np.array([-depth, 0.0, 0.0]))
    for _ in range(_ITERATIONS):
        left = missing(place)
        if float(np.abs(left).max()) <= _BALANCED * max(weight, 1e-9):
            return place, quaternion
        step = 1e-6 * max(depth, 1e-9)
        J = np.stack([(missing(moved(place, quaternion, step * unit)[0]) - left) / step for unit in np.eye(3)], axis=1)
        try:
            by: Floats = np.asarray(-np.linalg.solve(J, left), dtype=float)
        except np.linalg.LinAlgError:
            break
        by = by * min(1.0, 2 * depth / max(float(np.abs(by).max()), 1e-300))
        place, quaternion = moved(place, quaternion, by)
    raise ModelError(f"rover '{forces.rover.name}' does not come to rest on its wheels in the pose at the start: does "
                     "it stand? rover.stability(...) says how far it is from tipping")


def first_on_springs(system: SpatialSystem, start: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """y of a base that stands on its springs, and moves along the ground with a velocity; wheels with spin inertia
    begin as if they rolled.
    """
    pose, velocity, q, qd = start
    t, guidance, wheels = system.begin, system.guidance, system.rover.arrangement
    steered, _ = guidance.steering.at(t)
    angles = np.where(guidance.steering.is_steered, steered, guidance.steering.first(velocity))
    casters = angles[system.caster_at]
    rates = (wheels.rate_rows(wheels.placed(angles)) @ velocity)[system.elements.spinning]
    U = np.concatenate([np.zeros(SPATIAL), qd, rates])
    upright = Place(np.array([pose[0], pose[1], 0.0]), rotation_of(on_plane(pose)))
    y = system.state_of(upright, on_plane(pose), q, U, casters, np.zeros(0))
    system.begin_piece(t, t, y)
    place, quaternion = standing(system.forces, system.input(t, y), pose)
    flat = upright.rotation @ np.array([velocity[0], velocity[1], 0.0])
    U[:3], U[3:SPATIAL] = flat @ place.rotation, np.array([0.0, 0.0, velocity[2]]) @ place.rotation
    return system.state_of(place, quaternion, q, U, casters, np.zeros(0))
