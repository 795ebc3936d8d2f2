"""First derivatives of the small deflection: how far the frames move more for another pose, speed, acceleration.

The deflection is linear in the accelerations and quadratic in the speeds; by q both the loads and the geometry change.
All of it by the chain rule over the recorded equations (`scalars.derivative`), so for the scalar that records alone.
"""

from __future__ import annotations

from loadpath.algorithms.derivatives import tangents
from loadpath.mechanics.wrenches import External
from loadpath.scalars import Array, zeros
from loadpath.scalars.derivative import along
from loadpath.structure.beams.deflection_equations import small_deflection
from loadpath.structure.beams.elastic_mechanism import ElasticMechanism


def deflection_slopes(
    elastic: ElasticMechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    external: External | None = None,
    base_velocity: Array | None = None,
    base_acceleration: Array | None = None,
    *,
    effects: tuple[str, ...],
    axes: str,
    without_driven: bool,
) -> tuple[Array, ...]:
    """Derivatives (links, 3, n) of the displacements and of the rotations: of both by a motion of q, by qd, by qdd."""
    moved = small_deflection(elastic, q, qd, qdd, external, base_velocity, base_acceleration,
                             effects=effects, axes=axes, without_driven=without_driven)
    slopes = by_state([x for part in moved for x in part.ravel()], q, qd, qdd, tangents(elastic.mechanism, q))
    links, n = len(moved[0]), len(qd)
    whole = slopes.reshape(2, links, 3, 3, n)  # of which, link, axis, by which, entry
    return tuple(whole[of, :, :, by] for by in range(3) for of in range(2))


def by_state(of: list[object], q: Array, qd: Array, qdd: Array, motions: Array) -> Array:
    """(results, 3 n): derivatives by motions of q (its rates for the unit of each speed, (nq, n)), by qd and by qdd."""
    nq, n = len(q), len(qd)
    directions = zeros(nq + 2 * n, 3 * n)
    directions[:nq, :n] = motions
    for k in range(2 * n):
        directions[nq + k, n + k] = 1.0
    return along(of, [*q, *qd, *qdd], directions)
