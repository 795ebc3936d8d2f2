"""How a free base begins: at rest on its wheels, at a place and heading on the ground, moving along it."""

from __future__ import annotations

import numpy as np

from loadpath.errors import ModelError
from loadpath.mobile.ground_wrench import SPATIAL
from loadpath.mobile.spatial.forces import SpatialForces
from loadpath.mobile.spatial.geometry import Contacts, Touch, cross, rotation_of, turned_by
from loadpath.mobile.spatial.input import Input, Place
from loadpath.mobile.spatial.lowering import lowered
from loadpath.mobile.spatial.system import SpatialSystem
from loadpath.scalars.types import Floats

_ITERATIONS, _BALANCED = 60, 1e-11
_NEAR, _ON = 0.05, 1e-7
"""Gaps up to which contacts count for the mean of the normals (of the size of the base), and are on the ground (m)."""


def on_plane(pose: Floats) -> Floats:
    """Quaternion (..., 4) of a base that stands upright with a heading, from its pose (..., 3).

    >>> on_plane(np.array([0.0, 0.0, np.pi])).round(12).tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    half = 0.5 * pose[..., 2]
    return np.stack([np.zeros_like(half), np.zeros_like(half), np.sin(half), np.cos(half)], axis=-1)


def standing(
    forces: SpatialForces, at: Input, place: Place, quaternion: Floats
) -> tuple[Place, Floats, Floats]:
    """Place, quaternion and internal states at which the springs carry the weight, robots held still, near a place
    where the wheels touch the ground: the sum of the forces along the mean of the normals there, the moments about axes
    across it and the forces on hubs are zero. On a plane, forces along the ground turn nothing there.
    """
    sprung, inner = forces.sprung, np.zeros(forces.inner)
    still = at._replace(U=np.zeros(len(at.U)), given=np.zeros(len(at.given)))
    size = np.array([1.0, forces.contacts.extent, forces.contacts.extent])
    touch = forces.contacts.touch(still._replace(place=place))
    near = touch.apart <= float(touch.apart.min()) + _NEAR * forces.contacts.extent
    mean = place.rotation @ touch.G[near, :3].sum(axis=0)
    up = mean / np.sqrt(mean @ mean)
    ahead = place.rotation[:, 0] - (place.rotation[:, 0] @ up) * up
    ahead = ahead / np.sqrt(ahead @ ahead)
    axes = np.stack([ahead, cross(up, ahead), up])
    foot = place.position + place.rotation @ touch.points[near].mean(axis=0)

    def missing(place: Place, inner: Floats) -> Floats:
        eq = forces.equations(still._replace(place=place, inner=inner))
        G = eq.touch.G
        loads, unbalanced = sprung.at_rest(eq.springs, eq.forces[sprung.columns], G[:, 2])
        wrench = eq.forces[:SPATIAL] + loads @ G[:, :SPATIAL]
        force, moment = place.rotation @ wrench[:3], place.rotation @ wrench[3:]
        moment = moment + cross(place.position - foot, force)
        balance = np.array([force @ up, moment @ axes[0], moment @ axes[1]]) / size
        result: Floats = np.concatenate([balance, unbalanced])
        return result

    def moved(place: Place, quaternion: Floats, inner: Floats, by: Floats) -> tuple[Place, Floats, Floats]:
        turn = (by[1] * axes[0] + by[2] * axes[1]) @ place.rotation
        turned = turned_by(quaternion, turn / size[1])
        return Place(place.position + by[0] * up, rotation_of(turned)), turned, inner + by[3:]

    asked = forces.equations(still._replace(place=place, inner=inner)).forces
    force, moment = place.rotation @ asked[:3], place.rotation @ asked[3:SPATIAL]
    load = -np.array([force @ up, moment @ axes[0], moment @ axes[1]])
    weight = abs(float(load[0]))
    depth = weight * sprung.softness
    moves = sprung.settled(touch.gap, load, still.angles, -float(forces.gravity @ up))
    place, quaternion, inner = moved(place, quaternion, inner, moves * np.array([*size, *np.ones(forces.inner)]))
    for _ in range(_ITERATIONS):
        left = missing(place, inner)
        if float(np.abs(left).max()) <= _BALANCED * max(weight, 1e-9):
            return place, quaternion, inner
        step = 1e-6 * max(depth, 1e-9)
        J = np.stack([(missing(*moved(place, quaternion, inner, step * unit)[::2]) - left) / step
                      for unit in np.eye(3 + forces.inner)], axis=1)
        try:
            by: Floats = np.asarray(-np.linalg.solve(J, left), dtype=float)
        except np.linalg.LinAlgError:
            break
        by = by * min(1.0, 2 * depth / max(float(np.abs(by).max()), 1e-300))
        place, quaternion, inner = moved(place, quaternion, inner, by)
    raise ModelError(f"rover '{forces.rover.name}' does not come to rest on its wheels in the pose at the start: does "
                     "it stand? rover.stability(...) says how far it is from tipping")


def _at_rest(
    forces: SpatialForces, at: Input, place: Place, quaternion: Floats
) -> tuple[Place, Floats, Floats]:
    """As `standing` under all that acts at first, external wrenches included; under the weight alone where these leave
    no rest: a kick.
    """
    try:
        return standing(forces, at, place, quaternion)
    except ModelError:
        if not at.external:
            raise
        return standing(forces, at._replace(external=None), place, quaternion)


def first_in_space(system: SpatialSystem, start: tuple[Floats, Floats, Floats, Floats]) -> Floats:
    """y of a base that stands on the ground, on its springs if it has any, and moves along it with a velocity; wheels
    with spin inertia begin as if they rolled.
    """
    pose, velocity, q, qd = start
    t, guidance, contacts = system.begin, system.guidance, system.contacts
    angles = guidance.steering.begins(t, velocity)
    casters, spinning, hubs = angles[system.caster_at], system.elements.spinning, system.forces.sprung.columns
    U = np.concatenate([np.zeros(SPATIAL), qd, np.zeros(len(spinning) + len(hubs))])
    quaternion, inner = on_plane(pose), np.zeros(system.forces.inner)
    place = Place(np.array([pose[0], pose[1], 0.0]), rotation_of(quaternion))
    y = system.state_of(place, quaternion, q, U, casters, np.zeros(0))
    system.begin_piece(t, t, y)
    at = system.input(t, y)
    if contacts.pieces:
        place, quaternion = lowered(system.forces, at, pose)
    on_ground = contacts.touch(at._replace(place=place))
    U[:SPATIAL] = along_ground(on_ground, velocity)
    if contacts.springs.any() or len(hubs):
        flat = place.rotation @ U[:3], place.rotation @ U[3:SPATIAL]
        place, quaternion, inner = _at_rest(system.forces, at, place, quaternion)
        U[:3], U[3:SPATIAL] = (part @ place.rotation for part in flat)
    put_rolling_rates(contacts, on_ground, at, U)
    return system.state_of(place, quaternion, q, U, casters, np.zeros(0), inner)


def put_rolling_rates(contacts: Contacts, touch: Touch, at: Input, U: Floats) -> None:
    """Rates of wheels with spin inertia as if they rolled, put in their places among the speeds."""
    tractions = contacts.rover.arrangement.tractions
    for k, local, spin in zip(tractions.contact, tractions.local, tractions.spin, strict=True):
        if int(k) in contacts.elements.spin_at:
            i = int(k) + contacts.bodies * int(touch.apart[k :: contacts.bodies].argmin())
            along = local[0] * touch.forward[i] + local[1] * touch.left[i]
            moving = U[:SPATIAL]
            if contacts.rover.linkage is not None:
                moving = moving + contacts.link_twists(at)[0][i] @ at.qd
            U[contacts.elements.spin_at[int(k)] + 3] = -(along @ moving) / spin


def along_ground(touch: Touch, velocity: Floats) -> Floats:
    """(6,): velocity and angular velocity with v_x, v_y and w_z as they are given, and the others such that contacts on
    the ground stay on it.
    """
    twist, sought = np.zeros(SPATIAL), [2, 3, 4]
    twist[[0, 1, 5]] = velocity
    G = touch.G[touch.apart <= _ON, :SPATIAL]
    if len(G) and np.any(velocity):
        twist[sought] = np.linalg.lstsq(G[:, sought], -(G @ twist), rcond=1e-9)[0]
    return twist
