"""A bound for loads of chains at rest, whatever their length: joint after joint from the tip on.

At rest a load of a chain is of first degree in the cosine and the sine of each angle, and in each slide. All that the
joints from the j-th on add to it is a vector b_j of at most three numbers (where the mass center of what they carry
is), which the joints before multiply by a vector d and add a number to. So the largest load that they can still bring
is a function of d alone, the support function of all that b_j can be:

    h_j(d) = max over x_j, ..., x_n of  d . b_j(x_j, ..., x_n)
           = max over x_j of  a_0(d, x_j) + h_(j+1)(a(d, x_j))

Such a function is convex, and h(s d) = s h(d) for s > 0. It is tabulated on the surface of a cube, from the tip on.
What is read between the points of a table is never below it, because it is convex; and what it is over an arc of x_j is
not above the largest of its values at three points whose triangle holds the arc. So the last number is a bound of the
load, and finer tables bring it down to the largest load.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from loadpath.bounds.asked import Asked
from loadpath.bounds.expansion import ROUNDING, Complexes, Expansion, along_direction, merged_modes
from loadpath.scalars.types import Floats, Ints

LARGEST_TENSOR = 2_000_000
DIMENSIONS = 3
"""Of what is tabulated, at most."""
RANK = 1e-11
"""Singular values below this share of the largest are rounding."""
CELLS, PARTS, TIMES, FINEST = 12, 5, 5, 1e-5
"""Arcs of a whole turn, into how many each is cut where it may hold the maximum, how often, and how near is enough."""
TABLES = (8, 16, 32, 64, 128, 256)
"""Points along an edge of the cube; each table costs four times the one before."""


@dataclass(frozen=True)
class _Step:
    """From d to what multiplies the numbers of the joints after it: (d, basis) and (d, basis, 3)."""

    angle: bool
    low: float
    high: float
    alone: Floats
    onward: Floats


class Nested:
    """Bounds of a load that is of first degree in everything, over a box."""

    def __init__(self, tensor: Floats, kinds: list[bool], low: Floats, high: Floats) -> None:
        self.constant = float(tensor.flat[0])
        self.slack = 10 * ROUNDING * float(np.abs(tensor).sum())
        self.steps: list[_Step] = []
        self.fits = True
        sizes = [3 if angle else 2 for angle in kinds]
        basis = _without_constant(tensor.reshape(1, -1))
        for j, angle in enumerate(kinds):
            after = tensor.reshape(math.prod(sizes[: j + 1]), -1)
            rows = _without_constant(after)
            singular, vectors = np.linalg.svd(rows, full_matrices=False)[1:]
            rank = int((singular > RANK * max(float(np.abs(tensor).max()), 1e-300)).sum())
            if rank > DIMENSIONS:
                self.fits = False
                return
            new = np.zeros((DIMENSIONS, rows.shape[1]))
            new[:rank] = vectors[:rank]
            split = basis.reshape(len(basis), sizes[j], -1)
            onward = _without_constant(split.reshape(-1, split.shape[2])) @ new.T
            self.steps.append(_Step(angle, low[j], high[j], split[:, :, 0],
                                    onward.reshape(*split.shape[:2], DIMENSIONS)))
            basis = new

    def bound(self, size: int) -> float:
        """No value is larger: by tables with so many points along the edges of their cubes."""
        table: Floats | None = None
        points = _cube(size)
        for step in reversed(self.steps[1:]):
            table = _largest(step, points, table, size).reshape(6, size + 1, size + 1)
        at_all = _largest(self.steps[0], np.ones((1, 1)), table, size)[0] if self.steps else 0.0
        return self.constant + float(at_all) + self.slack


def nested(asked: Asked, expansion: Expansion, low: Floats, high: Floats) -> list[Nested] | None:
    """Bounds over a box of states, one for each box of the directions; None where the load is no chain at rest."""
    variables, mass = asked.variables, asked.variables.mass
    if asked.coulomb and (low[asked.speed] != 0.0 or high[asked.speed] != 0.0):
        return None
    if mass in expansion.others:  # of first degree: the largest load has the largest mass, or the least
        both = [nested(asked, expansion.fixed(mass, end), low, high) for end in {low[mass], high[mass]}]
        return None if any(part is None for part in both) else [one for part in both for one in part or []]
    exponents = expansion.exponents
    if exponents.max(initial=0) > 1 or not {*expansion.others} <= {*variables.slides, *variables.center}:
        return None
    amplitudes, multiples = merged_modes(*along_direction(
        -expansion.amplitudes if asked.sense == "min" else expansion.amplitudes, expansion.multiples,
        both_signs=asked.sense == "magnitude"))
    gone = (np.abs(multiples) > 1).any(axis=1)
    angles, slides = multiples.shape[1], len(expansion.others)
    second_degree = np.abs(amplitudes[:, gone]).sum() > RANK * np.abs(amplitudes).sum()
    if second_degree or 3**angles * 2**slides > LARGEST_TENSOR:
        return None
    tensor = _tensor(amplitudes[:, ~gone], multiples[~gone], exponents)
    joints, turning = [*expansion.angles, *expansion.others], len(expansion.angles)
    chain = [int(k) if k < turning else int(k) + angles - turning for k in np.argsort(joints)]
    # The directions stand after the joint whose load it is: then few numbers go from one joint to the next.
    for place in range(len(chain), -1, -1):
        order = [*chain[:place], *range(turning, angles), *chain[place:]]
        kinds = [k < angles for k in order]
        found = []
        for of_direction in asked.direction_boxes():
            ends = [np.concatenate([end[list(expansion.angles)], direction, end[list(expansion.others)]])[order]
                    for end, direction in zip((low, high), of_direction, strict=True)]
            found.append(Nested(tensor.transpose(order), kinds, *ends))
        if all(one.fits for one in found):
            return found
    return None


def nested_bound(some: list[Nested], enough: float, until: float) -> float:
    """The least bound that is found before a time, or the first that is not above what is enough."""
    best = math.inf
    for size in TABLES:
        began = time.monotonic()
        best = min(best, max(one.bound(size) for one in some))
        now = time.monotonic()
        if best <= enough or now + 4 * (now - began) > until:
            break
    return best


def _tensor(amplitudes: Complexes, multiples: Floats, exponents: Ints) -> Floats:
    """(3, ..., 2, ...): by 1, cos, sin of each angle, and 1, s of each slide."""
    angles, slides = multiples.shape[1], exponents.shape[1]
    spectrum = np.zeros((*[3] * angles, *[2] * slides), dtype=complex)
    for powers, row in zip(exponents, amplitudes, strict=True):
        spectrum[(*(multiples + 1).astype(int).T, *(np.full(len(row), e) for e in powers))] += row
    for axis in range(angles):
        minus, none, plus = np.moveaxis(spectrum, axis, 0)
        spectrum = np.stack([none, plus + minus, 1j * (plus - minus)], axis=axis)
    return np.ascontiguousarray(spectrum.real)


def _without_constant(rows: Floats) -> Floats:
    result = rows.copy()
    result[:, 0] = 0.0
    return result


def _cube(size: int) -> Floats:
    """(6 (size + 1)^2, 3): points on the surface of a cube, face after face."""
    ends = np.linspace(-1.0, 1.0, size + 1)
    u, v = (part.ravel() for part in np.meshgrid(ends, ends, indexing="ij"))
    faces = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            face = np.empty((len(u), 3))
            face[:, axis], face[:, (axis + 1) % 3], face[:, (axis + 2) % 3] = sign, u, v
            faces.append(face)
    return np.concatenate(faces)


def _read(table: Floats | None, size: int, x: Floats) -> Floats:
    """(k,): what a table says at x (k, 3), never less than the function that it is of."""
    if table is None:
        return np.zeros(len(x))
    axis = np.abs(x).argmax(axis=1)
    rows = np.arange(len(x))
    along = x[rows, axis]
    far = np.abs(along)
    safe = np.where(far > 0, far, 1.0)
    places = []
    for k in (1, 2):
        place = (x[rows, (axis + k) % 3] / safe + 1.0) * (size / 2)
        cell = np.clip(place.astype(np.intp), 0, size - 1)
        places.append((cell, np.clip(place - cell, 0.0, 1.0)))
    (i, u), (j, v) = places
    flat = table.reshape(-1)
    at = ((2 * axis + (along > 0)) * (size + 1) + i) * (size + 1) + j
    h00, h01, h10, h11 = flat[at], flat[at + 1], flat[at + size + 1], flat[at + size + 2]
    one = np.where(u + v <= 1, h00 + u * (h10 - h00) + v * (h01 - h00),
                   h11 + (1 - u) * (h01 - h11) + (1 - v) * (h10 - h11))
    other = np.where(u >= v, h00 + u * (h10 - h00) + v * (h11 - h10), h00 + v * (h01 - h00) + u * (h11 - h01))
    found: Floats = far * np.minimum(one, other)
    return found


def _largest(step: _Step, d: Floats, table: Floats | None, size: int) -> Floats:
    """(k,): the largest value over a joint, for vectors d (k, numbers)."""
    alone, onward = d @ step.alone, np.tensordot(d, step.onward, axes=1)  # (k, basis), (k, basis, 3)

    def values(k: Ints, basis: Floats) -> Floats:
        after = _read(table, size, np.einsum("kb,kbi->ki", basis, onward[k]))
        found: Floats = np.einsum("kb,kb->k", alone[k], basis) + after
        return found

    every = np.arange(len(d))
    if not step.angle:
        ends = [values(every, np.tile([1.0, x], (len(d), 1))) for x in (step.low, step.high)]
        return np.maximum(*ends)

    def turned(x: Floats, stretch: Floats | float = 1.0) -> Floats:
        return np.stack([np.ones(len(x)), np.cos(x) * stretch, np.sin(x) * stretch], axis=1)

    high = min(step.high, step.low + 2 * np.pi)
    count = max(1, math.ceil(CELLS * (high - step.low) / (2 * np.pi)))
    k = every
    edges = np.tile(np.linspace(step.low, high, count + 1), (len(d), 1))
    scale = FINEST * (np.abs(alone).sum(axis=1) + np.abs(onward).sum(axis=(1, 2)))
    least, most = np.full(len(d), -np.inf), np.full(len(d), -np.inf)
    upper = np.zeros(0)
    for _ in range(TIMES):
        cells = edges.shape[1] - 1
        half, middle = (edges[:, 1:] - edges[:, :-1]) / 2, (edges[:, 1:] + edges[:, :-1]) / 2
        at_edges = values(np.repeat(k, cells + 1), turned(edges.ravel())).reshape(edges.shape)
        # Where the tangents at both ends meet: the triangle holds the arc.
        outside = values(np.repeat(k, cells), turned(middle.ravel(), 1 / np.cos(half.ravel()))).reshape(half.shape)
        np.maximum.at(least, k, at_edges.max(axis=1))
        upper = np.maximum(np.maximum(at_edges[:, :-1], at_edges[:, 1:]), outside)
        hopeful = upper > (least + scale)[k][:, None]
        np.maximum.at(most, k, np.where(hopeful, -np.inf, upper).max(axis=1))
        if not hopeful.any():
            return most
        row, cell = np.nonzero(hopeful)
        k, upper = k[row], upper[hopeful]
        edges = np.linspace(edges[row, cell], edges[row, cell + 1], PARTS + 1, axis=1)
    np.maximum.at(most, k, upper)
    return most
