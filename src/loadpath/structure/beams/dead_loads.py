"""The loads of every element as forces at points: what an arm's stability depends on, beyond force and moment.

Whether an arm buckles depends on where the forces act, not only on their moment: turned by a small rotation, a force f
at r moves along with r and keeps its direction. The part of the arm beyond a section loads it by

    F = sum f,        G = sum r f^T,

r from the section to where f acts. The antisymmetric part of G is the moment; the symmetric part is new. Mass loads by
-(A + W r) dm, A and W of its body, so that G of a body needs the integral of r r^T dm, which is 1/2 tr(I) 1 - I. An
external torque has no points: it counts as the antisymmetric G that has this moment (semi-tangential torque).
"""

from __future__ import annotations

from loadpath.formulations.newton_euler import BaseMotion, LinkMotion, base_motion, outward
from loadpath.mechanics.kinematics import placements
from loadpath.mechanics.wrenches import External
from loadpath.robot.mechanism import BASE
from loadpath.scalars import Array, Rotation, Scalar, array, dot, outer, scale, skew, vector, zeros
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism

LOADS = 18
"""Numbers of an element's load: F (3) and G (3 x 3, by rows) at its end, A (3) and B (3) of the load along it."""


def element_dead_loads(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
) -> Array:
    """(elements, 18): for every element, in its axes, F and G of all that lies beyond, about its end; then A and B, so
    that its own mass is loaded by -mu(x) (A + B x).
    """
    mechanism = elastic.mechanism
    base = base_motion(mechanism, base_velocity, base_acceleration)
    links = outward(mechanism, q, qd, qdd, base_velocity, base_acceleration)
    F: list[Array] = []
    G: list[Array] = []
    for (f, g), body, link in zip(external_loads(elastic, q, external), mechanism.bodies, links, strict=True):
        force, virial = of_mass(body.mass, body.moment, body.inertia, link.oddot, link.W)
        F.append(force + f)
        G.append(virial + g)
    for i in reversed(range(len(links))):
        body, joint = mechanism.bodies[i], links[i].joint
        if body.parent != BASE:
            f, g = towards_base(joint.Q, joint.b, F[i], G[i])
            f, g = towards_base(body.turn, body.arm, f, g)
            F[body.parent], G[body.parent] = F[body.parent] + f, G[body.parent] + g
    result = zeros(len(elastic.elements), LOADS)
    element_rows(elastic, base, links, F, G, result)
    return result


def element_rows(
    elastic: ElasticMechanism, base: BaseMotion, links: list[LinkMotion], F: list[Array], G: list[Array], result: Array
) -> None:
    """Writes the loads of the elements, from F and G of all that lies beyond each body."""
    mechanism = elastic.mechanism
    for row, element in enumerate(elastic.elements):
        turn = mechanism.bodies[element.end].turn
        f, g = towards_base(turn, zeros(3), F[element.end], G[element.end])
        root = base if element.root == BASE else links[element.root]
        A = root.oddot + root.W @ element.start
        B = root.W @ (element.axes @ vector(1.0, 0.0, 0.0))
        back = element.axes.T
        f, g = towards_base(back, zeros(3), f, g)
        result[row, :3], result[row, 3:12] = f, g.reshape(9)
        result[row, 12:15], result[row, 15:] = back @ A, back @ B


def of_mass(mass: Scalar, moment: Array, tensor: Array, A: Array, W: Array) -> tuple[Array, Array]:
    """Of a mass with its first moment and tensor about a point that is accelerated by A: F, and G about that point."""
    trace = tensor[0, 0] + tensor[1, 1] + tensor[2, 2]
    second = array([[(0.5 * trace if i == k else 0.0) - tensor[i, k] for k in range(3)] for i in range(3)])
    force = scale(-1.0, scale(mass, A) + W @ moment)
    virial = scale(-1.0, outer(moment, A) + _product(second, W.T))
    return force, virial


def _product(a: Array, b: Array) -> Array:
    return array([[dot(a[i], b[:, k]) for k in range(3)] for i in range(3)])


def external_loads(elastic: ElasticMechanism, q: Array, external: External | None) -> list[tuple[Array, Array]]:
    """For each body F and G of the external wrenches on it, about its origin and in its axes."""
    mechanism = elastic.mechanism
    found = [(zeros(3), zeros(3, 3)) for _ in mechanism.bodies]
    bodies = placements(mechanism, q) if any(w.in_world_axes for w in (external or {}).values()) else []
    for link, (force, torque, in_world_axes) in (external or {}).items():
        frame = mechanism.link_frames[link]
        if frame.body == BASE:
            continue
        if in_world_axes:
            f, n = bodies[frame.body].from_world(force), bodies[frame.body].from_world(torque)
        else:
            f, n = frame.rotation @ force, frame.rotation @ torque
        F, G = found[frame.body]
        found[frame.body] = F + f, G + outer(frame.origin, f) - scale(0.5, skew(n))
    return found


def towards_base(turn: Rotation, arm: Array, F: Array, G: Array) -> tuple[Array, Array]:
    """F and G in the axes before a turn, about a point from which `arm` leads to the present one."""
    half = array([list(turn @ G[:, k]) for k in range(3)]).T  # turn times G
    f = turn @ F
    return f, array([list(turn @ half[i]) for i in range(3)]) + outer(arm, f)
