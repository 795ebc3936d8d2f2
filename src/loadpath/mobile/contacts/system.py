"""The linear equations that the contact solver and its accelerations have in common.

The speeds are U = (v_x, v_y, w, qd, rates of spinning wheels). Within one way of sticking, sliding and touching,

    M Udot + h = Q + B^T g + P N,        B Udot = a,        N = S (V Udot + v),

with B what is held, g the holding forces, P N friction in proportion to the normal forces N, and S the share of the
contacts in what the normal forces carry, F_z, N_x, N_y = V Udot + v. All arrays may have batch axes in front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError
from loadpath.mobile.arrangement import Placed
from loadpath.mobile.equations import RoverEquations
from loadpath.scalars.types import Floats


class EndlessError(RuntimeError):
    """What contacts do next is not found with the effort that is allowed."""


class System(NamedTuple):
    """M, h, V, v."""

    M: Floats
    h: Floats
    V: Floats
    v: Floats


def with_axles(
    equations: RoverEquations, placed: Placed, spinning: NDArray[np.intp], inertia: Floats, momentum: Floats,
    w: Floats, rates: Floats,
) -> System:
    """The equations of a rover and of wheels that spin: numbers of these, the inertias that resist their acceleration,
    those that give their angular momentum (geared rotors differ in the two), and their rates (..., spins).
    """
    if not len(spinning):
        return System(*equations)
    shape = np.broadcast_shapes(equations.bias.shape[:-1], placed.forward.shape[:-2], np.shape(w), rates.shape[:-1])
    own = equations.bias.shape[-1]
    size = own + len(spinning)
    M, h = np.zeros((*shape, size, size)), np.zeros((*shape, size))
    V, v = np.zeros((*shape, 3, size)), np.empty((*shape, 3))
    M[..., :own, :own], h[..., :own] = equations.mass_matrix, equations.bias
    V[..., :own], v[...] = equations.vertical_matrix, equations.vertical_bias
    spins = np.arange(own, size)
    M[..., spins, spins] = inertia
    # d/dt (J b e) = J db/dt e - J b w f: the axle e = left turns with the base, towards -f.
    forward = placed.forward[..., spinning, :]
    V[..., 1, own:], V[..., 2, own:] = -momentum * forward[..., 1], momentum * forward[..., 0]
    v[..., 1:] -= np.asarray(w)[..., None] * ((momentum * rates)[..., None, :] @ forward)[..., 0, :]
    return System(M, h, V, v)


class Solved(NamedTuple):
    """Accelerations of the free speeds, and holding forces."""

    Udot: Floats
    g: Floats


def accelerations(
    M: Floats, forces: Floats, V: Floats, v: Floats, P: Floats, S: Floats, B: Floats, a: Floats,
    idle: Floats | None = None,
) -> Solved:
    """Udot and g, over speeds that are all free; rows of B that are all zero, `idle` being 1 there, hold nothing."""
    G = P @ S
    matrix, right = M - G @ V, forces + (G @ v[..., None])[..., 0]
    rows = B.shape[-2]
    if not rows:
        return Solved(solved(matrix, right[..., None])[..., 0], np.zeros((*right.shape[:-1], 0)))
    answer = solved(matrix, np.concatenate([right[..., None], np.swapaxes(B, -1, -2)], axis=-1))
    loose, per = answer[..., :1], answer[..., 1:]
    yielding = B @ per
    if idle is not None:
        yielding = yielding + idle[..., None] * np.eye(rows)
    g = solved(yielding, a[..., None] - B @ loose)
    return Solved((loose + per @ g)[..., 0], g[..., 0])


SINGULAR = (
    "the equations of motion of the rover are singular: nothing resists some acceleration. Give the base an inertia "
    "(about the vertical, at least), and every link that a joint moves a mass or an inertia"
)


def solved(A: Floats, b: Floats) -> Floats:
    """A^-1 b, A being of the masses."""
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=float)
    except np.linalg.LinAlgError:
        raise ModelError(SINGULAR) from None
