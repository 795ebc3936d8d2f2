"""The equations of a rover over scalars: the wrench of the ground on it, and its motion.

The wrench is what the ground must exert on a rover for arm and base to move as they do (errata of Lau's thesis, chapter
6).

The rover's root link is the base: its frame lies on the ground, x forward, z along the ground's normal. The base has
the speeds v_x, v_y (of the frame's origin O, along its own axes) and w (about z). These axes turn with it, so that O
has the acceleration a_O = (dv_x/dt - w v_y, dv_y/dt + w v_x, 0); with v_y = 0 that is (dv/dt, v w, 0).

The equations of motion are in the speeds u = (v_x, v_y, w, qd): of its base in base axes, and of its arms.

All of them at once, before anything is said about wheels:

    ground wrench (6) = A udot + b,        tau (n) = a udot + c,

the wrench about O in base axes, as in `ground_wrench`. The rows F_x, F_y, N_z of A are those of the planar base in
the mass matrix M, the other three are what the normal forces carry, V udot + v. And a is symmetric to A: its first
columns are the columns of the joints in A, the others are the mass matrix of the arm on a base at rest. Wheels that
hold take directions out of u, others give forces: `loadpath.mobile.contacts`. What spins inside wheels is left to that,
as is Coulomb friction of joints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadpath.algorithms.composite_body import mass_matrix
from loadpath.algorithms.coulomb import without_coulomb
from loadpath.algorithms.free_base import whole
from loadpath.algorithms.momentum import momentum_at_base
from loadpath.algorithms.state_space import coordinate_rate
from loadpath.formulations.newton_euler import base_wrench, inverse_dynamics
from loadpath.mechanics import configuration
from loadpath.mechanics.kinematics import base_placement, placements
from loadpath.mechanics.wrenches import External, at_frame
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.wheels.ground import gravity_on_slope
from loadpath.scalars import Array, Scalar, array, cross, is_zero, scale, vector, zeros


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
    gravity: Scalar
    """Strength of gravity."""
    slope: Scalar
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
    in_space: Array | None = None,
) -> tuple[Array, Array]:
    """Force and moment about O, in base axes, of the ground on the rover. Where the ground moves or is uneven,
    `in_space` (15) has gravity, velocity and acceleration of the base against inertial space
    (`loadpath.mobile.base_in_space`), while `velocity` and `acceleration` are those against the ground.
    """
    g, twist, rate = _in_space(rover, velocity, acceleration, heading, in_space)
    # The root link is the world's frame of the mechanism; its own base frame may be another.
    mechanism = replace(rover.mechanism, gravity=rover.mechanism.base.rotation @ g)
    if velocity is None or acceleration is None or twist is None:
        return base_wrench(mechanism, q, qd, qdd, external)
    force, moment = base_wrench(mechanism, q, qd, qdd, external, twist, rate)
    if not rover.spins:
        return force, moment
    return force, moment + spin_moment(rover.spins, velocity, acceleration, None if in_space is None else twist[3:])


def _in_space(
    rover: RoverMechanism,
    velocity: Array | None,
    acceleration: Array | None,
    heading: Scalar | None,
    in_space: Array | None,
) -> tuple[Array, Array | None, Array | None]:
    """Gravity, velocity and acceleration (6) of the base against inertial space; on a plane at rest the last two follow
    from (v_x, v_y, w) and the rates of these.
    """
    if in_space is not None:
        return in_space[:3], in_space[3:9], in_space[9:]
    g = gravity_on_slope(rover.gravity, rover.slope, 0.0 if heading is None else heading)
    if velocity is None or acceleration is None:
        return g, None, None
    vx, vy, w = velocity
    ax, ay, alpha = acceleration
    rate = array([ax - w * vy, ay + w * vx, 0.0, 0.0, 0.0, alpha])
    return g, array([vx, vy, 0.0, 0.0, 0.0, w]), rate


def spin_moment(
    spins: tuple[Spin, ...], velocity: Array, acceleration: Array, turning: Array | None = None
) -> Array:
    """What turns the wheels that spin, and their axles with the base: d/dt (J b e), e = (-y, x, 0) the axle. The base
    turns about its z with the ground at rest, else with `turning` (3).
    """
    moment, w = zeros(3), velocity[2] if turning is None else turning[2]
    for spin in spins:
        b, bdot = array(spin.rate) @ velocity, array(spin.rate) @ acceleration
        (x, y), J = spin.forward, spin.inertia
        moment = moment + scale(J * bdot, vector(-y, x, 0.0)) - scale(J * w * b, vector(x, y, 0.0))
        if turning is not None:
            moment = moment + scale(J * b * (turning[0] * x + turning[1] * y), vector(0.0, 0.0, 1.0))
    return moment


def mass_center(rover: RoverMechanism, q: Array) -> Array:
    """Mass center of base and arms together, in base axes from O."""
    mechanism = rover.mechanism
    base, own = base_placement(mechanism), mechanism.base_inertia
    mass: Scalar = own.mass
    moment = scale(own.mass, base.origin) + base.to_world(own.moment) if not is_zero(own.mass) else zeros(3)
    for body, at in zip(mechanism.bodies, placements(mechanism, q), strict=True):
        mass = mass + body.mass
        moment = moment + scale(body.mass, at.origin) + at.to_world(body.moment)
    return scale(1.0 / mass, moment)


PLANAR, SPATIAL = 3, 6
"""Speeds of the base in front of those of the joints: on the plane, and of a base that is a free body."""
_PLANE, _VERTICAL = [0, 1, 5], [2, 3, 4]
"""Which components of a wrench act along the speeds of the base, and which the normal forces carry."""


def wrench_per_acceleration(rover: RoverMechanism, q: Array) -> Array:
    """Matrix A (6, 6 + n): as well the momentum, linear and angular about O, per unit of each speed of a base that is
    a free body; the first six columns are the spatial inertia of the whole rover.
    """
    mechanism = rover.mechanism
    root, body, joints = mechanism.base, whole(mechanism, q), momentum_at_base(mechanism, q)
    columns = zeros(6, SPATIAL + mechanism.n)
    for k in range(SPATIAL):
        unit = [1.0 if i == k % 3 else 0.0 for i in range(3)]
        angular = root.rotation @ vector(*(unit if k >= 3 else [0.0, 0.0, 0.0]))
        linear = root.rotation @ vector(*(unit if k < 3 else [0.0, 0.0, 0.0])) - cross(angular, root.origin)
        p, h = at_frame(root, *body.momentum(angular, linear))
        columns[:, k] = array([*p, *h])
    for k in range(mechanism.n):
        p, h = at_frame(root, joints[:3, k], joints[3:, k])
        columns[:, SPATIAL + k] = array([*p, *h])
    return columns


def free_equations(
    rover: RoverMechanism,
    q: Array,
    qd: Array,
    twist: Array,
    gravity: Array,
    external: External | None = None,
    rate: Array | None = None,
) -> tuple[Array, Array]:
    """M (6 + n, 6 + n) and h (6 + n) of a base that is a free body: the forces along (twist, qd) are M udot + h. `rate`
    (6) is the acceleration of O and the angular acceleration at udot = 0, where it is not that of a body that keeps the
    numbers of its twist.

    The twist is the velocity of O and the angular velocity, in base axes, as `gravity` (3) is; udot has the rates of
    these numbers. The rover on the plane has a selection of these rows and columns, see `rover_equations`.
    """
    mechanism = replace(without_coulomb(rover.mechanism), gravity=rover.mechanism.base.rotation @ gravity)
    v, w = twist[:3], twist[3:]
    if rate is None:
        rate = array([*cross(w, v), 0.0, 0.0, 0.0])  # of the origin, while the numbers of its velocity stay
    still = zeros(mechanism.n)
    force, moment = base_wrench(mechanism, q, qd, still, external, twist, rate)
    joints = inverse_dynamics(mechanism, q, qd, still, external, twist, rate)
    A = wrench_per_acceleration(rover, q)
    M = zeros(SPATIAL + mechanism.n, SPATIAL + mechanism.n)
    M[:SPATIAL] = A
    M[SPATIAL:, :SPATIAL] = A[:, SPATIAL:].T
    M[SPATIAL:, SPATIAL:] = mass_matrix(mechanism, q)
    return M, array([*force, *moment, *joints])


def rover_equations(
    rover: RoverMechanism,
    q: Array,
    qd: Array,
    velocity: Array,
    external: External | None = None,
    heading: Scalar | None = None,
    in_space: Array | None = None,
) -> tuple[Array, Array, Array, Array]:
    """M (3 + n, 3 + n) and h (3 + n), the forces along u being M udot + h; V (3, 3 + n) and v (3), the ground's F_z,
    N_x, N_y being V udot + v. `in_space` is as in `ground_wrench`, while the numbers v_x, v_y, w stay.
    """
    g, twist, _ = _in_space(rover, velocity, velocity, heading, in_space)
    assert twist is not None
    M, h = free_equations(rover, q, qd, twist, g, external, None if in_space is None else in_space[9:])
    moving = [*_PLANE, *range(SPATIAL, SPATIAL + rover.mechanism.n)]
    rows = M[moving]
    return rows[:, moving], h[moving], M[_VERTICAL][:, moving], h[_VERTICAL]


def equations_row(
    rover: RoverMechanism,
    q: Array,
    speeds: Array,
    heading: Array,
    external: External | None = None,
    in_space: Array | None = None,
) -> Array:
    """M, h, V, v of `rover_equations` at speeds u, row by row, and the rates of the coordinates, one after the other.
    """
    qd = speeds[PLANAR:]
    M, h, V, v = rover_equations(rover, q, qd, speeds[:PLANAR], external, heading[0], in_space)
    return array([*M.ravel(), *h, *V.ravel(), *v, *coordinate_rates(rover, q, qd)])


def coordinate_rates(rover: RoverMechanism, q: Array, qd: Array) -> Array:
    """Time derivative of the arms' coordinates."""
    return coordinate_rate(rover.mechanism, q, qd)


def normalised(rover: RoverMechanism, q: Array) -> Array:
    """The same coordinates of the arms, with unit quaternions."""
    return configuration.normalised(rover.mechanism, q)
