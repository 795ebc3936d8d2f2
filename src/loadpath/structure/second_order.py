"""Bending under loads that have grown: what buckles is amplified, and nothing else.

In elastic coordinates (stress resultants, see `vibration.basis`) an arm under f times its loads is in equilibrium, to
second order, where

    (1 + f K_G) eta = f g,

g the loads as generalized forces, K_G the geometric stiffness of the loads as they are. Without K_G the moments in a
section, M = b eta, are f M_1, those of the undeflected arm. With the shapes v_i in which the arm buckles,
-K_G v_i = v_i / lambda_i, they are

    M(f) = f M_1 + f sum_i (b v_i) (v_i g) / (lambda_i / f - 1).

So each shape amplifies the part of the bending that it takes, by 1 / (1 - f / lambda_i): as the plane of a column's
bending does, in any arm in space. A shape that the loads do not bend, v_i g = 0, amplifies nothing: an arm that is bent
in a plane and buckles across it is stiff in its plane until it buckles. Shapes with lambda_i < 0 stiffen, as tension
does.

The sum is over the shapes that the loads bend at all: these are in the space of g, K_G g, K_G^2 g, ..., of which a few
are enough (Lanczos).

A section fails at the smallest f at which its outermost fibre yields: f n + m(M(f)) = 1, n the axial stress and m the
bending stress over the yield strength. Axial forces are those of the undeflected arm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.response.generalized_loads import generalized_forces
from loadpath.structure.response.section_forces import section_map
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness, loaded_coordinates
from loadpath.structure.vibration.placed import PlacedModel

if TYPE_CHECKING:
    from loadpath.structure.vibration.model import VibrationModel

SHAPES = 10
"""Shapes that are taken, at most."""
CLOSER, NEAR = 16, 1e-9
"""Steps towards the factor at which the arm buckles, each to a quarter of the distance that is left, in which the first
failure is looked for; and the share of it at which there is none.
"""
STEPS = 60
"""Of the search for the factor, at most; ten are usual."""


class Fibres(NamedTuple):
    """What makes bending moments a share of the yield strength in the outermost fibres of sections."""

    are_round: Bools
    """(sections,): these have their outermost fibre wherever the moment wants it."""
    shares: Floats
    """(sections, fibres, 2): by the moments about y and z, per N m."""

    def of(self, rows: Ints) -> Fibres:
        """Of some sections, each as often as it is named."""
        return Fibres(self.are_round[rows], self.shares[rows])

    def use(self, moments: Floats) -> Floats:
        """(..., sections): the largest bending stress over the yield strength, from moments (..., sections, 2)."""
        straight = (np.abs(moments)[..., None, :] * self.shares).sum(axis=-1).max(axis=-1)
        around = np.hypot(moments[..., 0], moments[..., 1]) * self.shares[:, 0, 0]
        result: Floats = np.where(self.are_round, around, straight)
        return result


@kept(maximum=4)
def fibres_of(arm: RobotModel, sections: int) -> Fibres:
    """Of the sections of `stress`."""
    samples = skeleton(arm).samples(sections)
    shares = np.zeros((len(samples), max([len(sample.fibres) for sample in samples] + [1]), 2))
    for row, sample in enumerate(samples):
        by = [(fibre.bending_y, fibre.bending_z) for fibre in sample.fibres] or [(1.0, 1.0)]
        shares[row, : len(by)] = np.array(by) / (np.array([sample.modulus_y, sample.modulus_z]) * sample.yield_strength)
    return Fibres(np.array([not sample.fibres for sample in samples]), shares)


class BentShapes(NamedTuple):
    """The shapes that the loads of some states bend, and what they add to the moments of sections."""

    shares: Floats
    """(states, shapes): 1 / lambda, rising."""
    moments: Floats
    """(states, sections, 2, shapes): (b v) (v g), about y and z."""


def bent_shapes(placed: PlacedModel, loads: Floats, sections: int, exerted: Floats | None = None) -> BentShapes:
    """Of the states of a model, from the rows (states, rows, 18) of their `dead_loads`, and what loops exert."""
    g = generalized_forces(placed, loads, exerted)
    basis, T = _krylov(_product(placed, loads, exerted), g)
    shares, turns = np.linalg.eigh(T)
    taken = turns[:, 0] * np.linalg.norm(g, axis=-1)[:, None]
    shapes = np.swapaxes(basis, -1, -2) @ turns * taken[:, None]  # (states, size, shapes)
    maps = _bending_maps(placed, sections)
    found = maps.reshape(len(maps), -1, maps.shape[-1]) @ shapes
    return BentShapes(shares, found.reshape(len(g), -1, 2, shares.shape[-1]))


def _product(placed: PlacedModel, loads: Floats, exerted: Floats | None = None) -> Callable[[Floats], Floats]:
    """What -K_G does to vectors (states, size)."""
    if not placed.model.follows:
        product = loaded_coordinates(placed.model).products(placed.R, loads)
        return lambda x: -product(x)
    K = geometric_stiffness(placed, loads, exerted)
    return lambda x: -(K @ x[..., None])[..., 0]


def _krylov(product: Callable[[Floats], Floats], start: Floats) -> tuple[Floats, Floats]:
    """Orthonormal vectors (states, steps, size) of the space of a symmetric matrix and vectors (states, size), and the
    matrix in them (states, steps, steps). Where the space is smaller the last vectors are zero.
    """
    steps = min(SHAPES, start.shape[-1])
    basis, T = np.zeros((len(start), steps, start.shape[-1])), np.zeros((len(start), steps, steps))
    w, scale = start, np.linalg.norm(start, axis=-1)
    for j in range(steps):
        length = np.linalg.norm(w, axis=-1)
        basis[:, j] = w / np.where(length > 1e-12 * scale, length, np.inf)[:, None]
        w = product(basis[:, j])
        scale = np.linalg.norm(w, axis=-1)
        V = basis[:, : j + 1]
        share = (V @ w[..., None])[..., 0]
        T[:, j, : j + 1] = T[:, : j + 1, j] = share
        w = w - (share[:, None] @ V)[:, 0]
        w = w - ((V @ w[..., None])[..., 0][:, None] @ V)[:, 0]  # once leaves rounding behind
    return basis, T


def grown_once(placed: PlacedModel, loads: Floats, sections: int) -> tuple[Floats, Floats]:
    """Of an arm without guides: |K_G g| / |g| (states,), and what b K_G g takes of the yield strength (states,
    sections).
    """
    g = generalized_forces(placed, loads)
    w = _product(placed, loads)(g)
    size = np.maximum(np.linalg.norm(g, axis=-1), 1e-300)
    moments = np.moveaxis(standing_map(placed.model, sections)[0] @ w.T, -1, 0)
    return np.linalg.norm(w, axis=-1) / size, fibres_of(placed.model.arm, sections).use(moments)


def _bending_maps(placed: PlacedModel, sections: int) -> Floats:
    """(states, sections, 2, size): moments about y and z per unit of each coordinate; one state where all are alike."""
    if placed.extension.count == 1:
        return standing_map(placed.model, sections)
    return np.stack([section_map(PlacedModel(placed.model, q[None]), sections)[:, 4:] for q in placed.q])


@kept(maximum=2)
def standing_map(model: VibrationModel, sections: int) -> Floats:
    """(1, sections, 2, size): moments about y and z per unit of each coordinate, of an arm without guides."""
    return section_map(model.at(np.zeros((1, model.arm.nq))), sections)[None, :, 4:]


def greatest_use(fibres: Fibres, bent: BentShapes, n: Floats, first: Floats, arm: Floats) -> Floats:
    """(states, sections): reciprocal of the smallest factor at which a section yields or the arm buckles, from n and
    the moments of first order (states, sections, 2) of what is compressed, n > 0, and the share of the whole arm's
    critical load, `arm` (states,). Where nothing is compressed it is the arm's.
    """
    result = np.broadcast_to(arm[:, None], n.shape).copy()
    state, section = np.nonzero(n > 0)
    if len(state):
        pressed = _Pressed(fibres.of(section), n[state, section], first[state, section],
                           bent.shares[state], bent.moments[state, section])
        result[state, section] = pressed.largest_root(arm[state])
    return result


class _Pressed(NamedTuple):
    """Sections under compression, whatever their states: x = 1 / f is looked for, with x = n + m(M(f) / f)."""

    fibres: Fibres
    n: Floats
    first: Floats
    shares: Floats
    moments: Floats

    def of(self, rows: Ints) -> _Pressed:
        return _Pressed(self.fibres.of(rows), *(part[rows] for part in self[1:]))

    def above(self, x: Floats) -> Floats:
        """How far x is above what the fibres take of it: positive where they hold."""
        more = self.shares / (x[:, None] - self.shares)
        result: Floats = x - self.n - self.fibres.use(self.first + (self.moments * more[:, None]).sum(axis=-1))
        return result

    def largest_root(self, arm: Floats) -> Floats:
        """The largest x, or the arm's share where none is larger. Above the largest share the sum is no more than that
        of its terms' sizes over the distance: x <= a + D / (x - share) is where the search begins.
        """
        share, a = np.maximum(self.shares[:, -1], 0.0), self.n + self.fibres.use(self.first)
        D = self.fibres.use((np.abs(self.moments) * np.abs(self.shares[:, None])).sum(axis=-1))
        high = 0.5 * (a + share + np.sqrt((a - share) ** 2 + 4 * D)) * (1 + 1e-12)
        lowest = np.maximum(share, arm)
        result = np.where(arm > 0, arm, a)
        left = np.flatnonzero(high > lowest)
        for _ in range(CLOSER):
            left = left[high[left] - lowest[left] > NEAR * lowest[left]]
            part, end = self.of(left), lowest[left]
            low = end + 0.25 * (high[left] - end)
            past = part.above(low) < 0
            found = left[past]
            result[found] = self.of(found).root(low[past], high[found])
            high[left] = low
            left = left[~past]
            if not len(left):
                break
        return result

    def root(self, low: Floats, high: Floats) -> Floats:
        """Between places where the fibres yield and where they hold: by secants that stay between (Illinois)."""
        below, above = self.above(low), self.above(high)
        was_past = np.ones(len(low), dtype=bool)
        x = low
        for step in range(STEPS):
            x = high - above * (high - low) / np.where(above > below, above - below, 1.0)
            at = self.above(x)
            if ((np.abs(at) <= 1e-14 * x) | (high - low <= 1e-14 * x)).all():
                break
            past = at < 0
            again = (past == was_past) & (step > 0)  # the other end has stayed twice
            less = np.where(again, 0.5, 1.0)
            above, below = np.where(past, less * above, at), np.where(past, at, less * below)
            low, high, was_past = np.where(past, x, low), np.where(past, high, x), past
        return x
