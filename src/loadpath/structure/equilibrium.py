"""Where the deflected arm is in equilibrium: bends of the elements that its loads, in the deflected geometry, make.

By repetition, made faster by Anderson's combination of the last few guesses, for a block of states at a time; and
whether the equilibrium holds: past buckling an arm may balance, as a pencil on its tip.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.scalars.types import Floats
from loadpath.states import Batch, LoadCase
from loadpath.structure.beams.skeleton import skeleton

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

TOLERANCE = 1e-10
"""Change of the bends, as a share of the largest, at which an iteration has converged."""

STEPS = 200
"""Steps after which an iteration is given up."""

_MEMORY = 5
_PROBES = 12
_NUMBERS = 1 << 16  # bends that go through at once: what is kept of the last few guesses stays in the cache
_SMALL = 1e-6

Step = Callable[[Floats], tuple[Floats, ...]]


class Equilibrium(NamedTuple):
    """Of the deflected arm: displacement and rotation of the link frames, each (..., links, 3), NaN where there is
    none.
    """

    displacement: Floats
    rotation: Floats
    found: NDArray[np.bool_]
    """(...): whether there is one."""
    stable: NDArray[np.bool_]
    """(...): whether the arm returns to it when pushed a little."""


def equilibrium(
    arm: ElasticQuantities,
    states: tuple[Floats, Floats, Floats],
    case: LoadCase,
    *,
    pieces: int,
    **choices: Any,
) -> Equilibrium:
    """The deflected arm in equilibrium with its loads, for states (..., nq), (..., n), (..., n), block by block."""
    count = len(skeleton(arm, pieces).elements)
    named = zip(("q", "qd", "qdd"), states, strict=True)
    batch = Batch({name: np.asarray(value, dtype=float) for name, value in named}, case)
    total, links = len(batch), len(arm.link_names)
    displacement, rotation = np.empty((total, links, 3)), np.empty((total, links, 3))
    found, stable = np.zeros(total, dtype=bool), np.zeros(total, dtype=bool)
    for block in batch.blocks(max(64, _NUMBERS // (6 * count + 1))):
        part, given = block.rows, {"pieces": pieces, **choices, **block.case.keywords}

        def step(bends: Floats, arrays: Any = block.arrays, given: Any = given) -> tuple[Floats, ...]:
            result: tuple[Floats, ...] = arm.bent_deflection(*arrays, bends, **given)
            return result

        bends, reached = fixed_point(step, np.zeros((len(block), count, 6)))
        _, moved, axis, cosine = step(bends)
        moved[~reached], axis[~reached] = np.nan, np.nan
        displacement[part], rotation[part] = moved, _rotation_vector(axis, cosine)
        found[part], stable[part] = reached, reached & (growth(step, bends) < 1.0)
    shape = (*batch.shape, links, 3)
    return Equilibrium(
        displacement.reshape(shape), rotation.reshape(shape), found.reshape(batch.shape), stable.reshape(batch.shape)
    )


def _rotation_vector(axis: Floats, cosine: Floats) -> Floats:
    """From the axis times the sine of an angle, and its cosine."""
    sine = np.linalg.norm(axis, axis=-1)
    angle = np.arctan2(sine, cosine)
    return np.asarray(axis * np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)[..., None])


def fixed_point(step: Step, start: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Bends that come out of a step as they went in, for every state of a block, and for which states they do.

    Anderson's acceleration: each new guess is the combination of the last few that would have had the smallest change,
    if the step were linear. It finds equilibria in strong tension too, where plain repetition swings ever wider.
    """
    shape = start.shape
    x = start.reshape(len(start), -1)
    done = np.zeros(len(x), dtype=bool)
    xs: list[Floats] = []
    changes: list[Floats] = []
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            change = step(x.reshape(shape))[0].reshape(x.shape) - x
            size = np.abs(x + change).max(axis=-1)
            done = done | (np.abs(change).max(axis=-1) <= TOLERANCE * size)
            lost = ~np.isfinite(change).all(axis=-1)
            if (done | lost).all():
                break
            xs, changes = [*xs[-_MEMORY:], x], [*changes[-_MEMORY:], change]
            x = np.where(done[:, None], x + change, x + _accelerated(xs, changes))
    return x.reshape(shape), done


def _accelerated(xs: list[Floats], changes: list[Floats]) -> Floats:
    """The step to the next guess."""
    last = changes[-1]
    if len(xs) == 1:
        return last
    by_x = np.stack([b - a for a, b in pairwise(xs)], axis=-1)
    by_change = np.stack([b - a for a, b in pairwise(changes)], axis=-1)
    normal = by_change.swapaxes(-1, -2) @ by_change
    scale = np.trace(normal, axis1=-2, axis2=-1)[..., None, None]
    normal = normal + 1e-14 * scale * np.eye(normal.shape[-1]) + 1e-300 * np.eye(normal.shape[-1])
    normal = np.where(np.isfinite(normal), normal, np.eye(normal.shape[-1]))
    right = by_change.swapaxes(-1, -2) @ last[..., None]
    weights = np.linalg.solve(normal, right)
    return np.asarray(last - ((by_x + by_change) @ weights)[..., 0])


def growth(step: Step, bends: Floats) -> Floats:
    """By what factor a step makes a small deviation from an equilibrium grow at most, for every state of a block.

    The step answers a deviation with the compliance times the loads that the deviation adds: a factor of one or more
    means that the loads add more than the arm takes back, so it does not return. In tension the factor is negative, and
    holds. It is the largest eigenvalue of the step's derivative, by Arnoldi's method from a random deviation: good to
    a percent, unless another part of the arm is in tension a hundred times its own buckling load.
    """
    shape = bends.shape
    x = bends.reshape(len(bends), -1)
    probes = min(_PROBES, x.shape[1])
    v = np.random.default_rng(0).normal(size=x.shape[1])
    basis = [np.broadcast_to(v / np.linalg.norm(v), x.shape)]
    H = np.zeros((len(x), probes, probes))
    with np.errstate(all="ignore"):
        here = step(bends)[0].reshape(x.shape)
        for k in range(probes):
            w = (step((x + _SMALL * basis[k]).reshape(shape))[0].reshape(x.shape) - here) / _SMALL
            size = np.linalg.norm(w, axis=-1)
            for i, b in enumerate(basis):
                H[:, i, k] = np.einsum("ij,ij->i", w, b)
                w = w - H[:, i, k, None] * b
            left = np.linalg.norm(w, axis=-1)
            if k + 1 < probes:
                goes_on = left > 1e-8 * size
                H[:, k + 1, k] = np.where(goes_on, left, 0.0)
                basis.append(np.where(goes_on[:, None], w / left[:, None], 0.0))
    given = np.asarray(np.isfinite(H).all((-1, -2)))
    values = np.linalg.eigvals(np.where(given[:, None, None], H, 0.0)).real.max(axis=-1, initial=0.0)
    return np.asarray(np.where(given, values, np.nan))
