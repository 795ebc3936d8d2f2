"""Which joints of a closed chain hold each other: a load on one of them reaches all of its circuit.

The wrench of a loop acts on the joints between its two links and their common ancestor, where the two parts of it
cancel. Loops that share such a joint, and couplings between speeds, make one circuit.
"""

from __future__ import annotations

from typing import NamedTuple

from loadpath.formulations.generalized_motion import path
from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import is_zero


class Circuit(NamedTuple):
    """Loops and joints that hold each other, by their numbers."""

    bodies: frozenset[int]
    """Bodies whose joints its loops load."""
    loops: frozenset[int]
    speeds: frozenset[int]
    """Speeds that it restricts; a body that mimics one of them from outside the loops loads it too."""


def circuits(mechanism: Mechanism) -> list[Circuit]:
    """All circuits of a mechanism; none of them has a joint, a loop or a speed of another.

    >>> import loadpath as lp
    >>> from loadpath.robot.mechanism import plain
    >>> [len(circuit.loops) for circuit in circuits(plain(lp.catalog.four_bar()))]
    [1]
    """
    found: list[Circuit] = []
    for k, loop in enumerate(mechanism.loops):
        between = set(path(mechanism, loop.at.body)) ^ set(path(mechanism, loop.on.body))
        speeds = {v for i in between for v in range(mechanism.n)[mechanism.bodies[i].v]}
        found = _merged(found, Circuit(frozenset(between), frozenset({k}), frozenset(speeds)))
    for row in mechanism.coupling_rows:
        coupled = frozenset(v for v, factor in enumerate(row) if not is_zero(factor))
        found = _merged(found, Circuit(frozenset(), frozenset(), coupled))
    return found


def _merged(circuits: list[Circuit], new: Circuit) -> list[Circuit]:
    """The circuits with another one, those that share something with it taken together."""
    apart = []
    for old in circuits:
        if old.bodies & new.bodies or old.speeds & new.speeds:
            new = Circuit(*(a | b for a, b in zip(old, new, strict=True)))
        else:
            apart.append(old)
    return [*apart, new]
