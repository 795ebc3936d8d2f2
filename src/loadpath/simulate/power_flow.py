"""Where the power goes while a robot moves: what drives and surroundings put in, what friction takes out.

With the rates of kinetic and potential energy they balance, so their integrals show the error of a simulation.
"""

from __future__ import annotations

from loadpath.algorithms.coulomb import without_coulomb
from loadpath.algorithms.loops.forward_dynamics import forward_dynamics as closed_forward_dynamics
from loadpath.algorithms.state_space import coordinate_rate, forward_dynamics
from loadpath.formulations.newton_euler import inverse_dynamics
from loadpath.mechanics.drives import along_speeds, friction_forces
from loadpath.mechanics.kinematics import frame_placement, jacobian, placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import Array, Scalar, array, dot, zeros


def viscous_forces(mechanism: Mechanism, qd: Array) -> Array:
    """Forces of viscous friction along each speed of the robot, against which the drives work."""
    smooth = without_coulomb(mechanism)
    return along_speeds(smooth, lambda body: friction_forces(body, qd))


def external_power(mechanism: Mechanism, q: Array, qd: Array, external: External | None) -> Scalar:
    """Power of wrenches on links: force times velocity of the link's origin and torque times angular velocity."""
    power: Scalar = 0.0
    if not external:
        return power
    bodies = placements(mechanism, q)
    for link, wrench in external.items():
        force, torque = wrench.force, wrench.torque
        if not wrench.in_world_axes:
            at = frame_placement(mechanism, bodies, mechanism.link_frames[link])
            force, torque = at.to_world(force), at.to_world(torque)
        twist = jacobian(mechanism, q, link) @ qd
        power = power + dot(force, twist[:3]) + dot(torque, twist[3:])
    return power


def state_and_power_rates(
    mechanism: Mechanism,
    x: Array,
    tau: Array,
    coulomb: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> tuple[Array, Array]:
    """Derivative of the state x = (q, qd), and the power of the drives, of friction and of external wrenches; where the
    base moves, that of the forces of inertia, too, which its motion brings in the axes of the base.

    Coulomb friction is not the robot's own here but the given force, against which the drives work. Forces that keep
    loops closed do no work.
    """
    q, qd = x[: mechanism.nq], x[mechanism.nq :]
    smooth, base = without_coulomb(mechanism), (base_velocity, base_acceleration)
    if smooth.rows:
        qdd, _ = closed_forward_dynamics(smooth, q, qd, tau - coulomb, external, *base)
    else:
        qdd = forward_dynamics(smooth, q, qd, tau - coulomb, external, *base)
    lost = dot(coulomb, qd) + dot(viscous_forces(mechanism, qd), qd)
    powers = [dot(tau, qd), lost, external_power(mechanism, q, qd, external)]
    if base_velocity is not None:
        still = zeros(mechanism.n)
        more = inverse_dynamics(smooth, q, qd, still, None, *base) - inverse_dynamics(smooth, q, qd, still)
        powers.append(-dot(more, qd))
    return array([*coordinate_rate(mechanism, q, qd), *qdd]), array(powers)
