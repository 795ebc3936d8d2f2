"""What the ground must exert on a rover for arm and base to move as they do (errata of Lau's thesis, chapter 6).

The rover's root link is the base: its frame lies on the ground, x forward, z along the ground's normal. The base has
the speeds v_x, v_y (of the frame's origin O, along its own axes) and w (about z). These axes turn with it, so that O
has the acceleration a_O = (dv_x/dt - w v_y, dv_y/dt + w v_x, 0); with v_y = 0 that is (dv/dt, v w, 0).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadpath.formulations.newton_euler import base_wrench
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.wheels.ground import gravity_on_slope
from loadpath.scalars import Array, Scalar, array, scale, vector, zeros


@dataclass(frozen=True)
class Spin:
    """A wheel that stores angular momentum: inertia about its axle, and its rate per unit of the base's speeds."""

    inertia: float
    forward: tuple[float, float]
    """The rolling direction, in base axes; the axle points to the left of it."""
    rate: tuple[float, float, float]
    """Rate of turn = rate . (v_x, v_y, w)."""


@dataclass(frozen=True, eq=False)
class RoverMechanism:
    """The arms on a base, the ground under it, and the wheels that spin."""

    mechanism: Mechanism
    gravity: float
    """Strength of gravity."""
    slope: float
    """Angle of the ground against the horizontal."""
    spins: tuple[Spin, ...]


def ground_wrench(
    rover: RoverMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    velocity: Array | None = None,
    acceleration: Array | None = None,
    heading: Scalar | None = None,
) -> tuple[Array, Array]:
    """Force and moment about O, in base axes, of the ground on the rover."""
    g = gravity_on_slope(rover.gravity, rover.slope, 0.0 if heading is None else heading)
    # The root link is the world's frame of the mechanism; its own base frame may be another.
    mechanism = replace(rover.mechanism, gravity=rover.mechanism.base.rotation @ g)
    if velocity is None or acceleration is None:
        return base_wrench(mechanism, q, qd, qdd, external)
    vx, vy, w = velocity
    ax, ay, alpha = acceleration
    twist = array([vx, vy, 0.0, 0.0, 0.0, w])
    rate = array([ax - w * vy, ay + w * vx, 0.0, 0.0, 0.0, alpha])
    force, moment = base_wrench(mechanism, q, qd, qdd, external, twist, rate)
    return force, moment + spin_moment(rover.spins, velocity, acceleration) if rover.spins else moment


def spin_moment(spins: tuple[Spin, ...], velocity: Array, acceleration: Array) -> Array:
    """What turns the wheels that spin, and their axles with the base: d/dt (J b e), e = (-y, x, 0) the axle."""
    moment, w = zeros(3), velocity[2]
    for spin in spins:
        b, bdot = array(spin.rate) @ velocity, array(spin.rate) @ acceleration
        (x, y), J = spin.forward, spin.inertia
        moment = moment + scale(J * bdot, vector(-y, x, 0.0)) - scale(J * w * b, vector(x, y, 0.0))
    return moment


def mass_center(rover: RoverMechanism, q: Array) -> Array:
    """Mass center of base and arms together, in base axes from O."""
    mechanism = rover.mechanism
    base, own = base_placement(mechanism), mechanism.base_inertia
    mass: Scalar = own.mass
    moment = scale(own.mass, base.origin) + base.to_world(own.moment) if own.mass else zeros(3)
    for body, at in zip(mechanism.bodies, placements(mechanism, q), strict=True):
        mass = mass + body.mass
        moment = moment + scale(body.mass, at.origin) + at.to_world(body.moment)
    return scale(1.0 / mass, moment)
