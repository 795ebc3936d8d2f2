"""The reduced arm through time: M a'' + (D + 2 N) a' + K a = f, in steps that are exact for a pose that stays.

With the state z = (a, a' / w), w a frequency for scale, a step is z -> T z + G_0 c_0 + G_1 c_1 + G_2 c_2, the
force within it being c_0 + c_1 s + c_2 s^2 (its values at both ends and in the middle). T and G come from
`phi_functions` at the nodes of a panel, with the matrices of the time of the node, and are interpolated to the middle
of each step: the error of a step comes from what the pose changes within it, and falls with the square of its length.

The state equation z' = A z + b with b a polynomial of the time within the step has the solution

    z(h) = e^{hA} z(0) + h Sum_k k! phi_{k+1}(hA) b_k,        b(s h) = Sum_k b_k s^k,    s from 0 to 1,

phi_0(X) = e^X and phi_k(X) = Sum_i X^i / (i + k)!. Series for a halved argument, then doubled back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.response.damping import Rayleigh, ratios_of
from loadpath.structure.response.panels import Panel

TERMS = 12
"""Of the series, for a norm of at most `SMALL`: to the last digits."""
SMALL = 0.5


class Matrices(NamedTuple):
    """Of instants, each (instants, size, size)."""

    mass: Floats
    mass_rate: Floats
    """What multiplies the rates because the arm moves."""
    stiffness: Floats
    joint_damping: Floats
    """Of the dampers of joints; (size, size) where it is the same at all instants."""

    def damping(self, of_modes: Floats | Rayleigh) -> Floats:
        """(instants, size, size): the modes of every instant have the ratios that are given, and joints their dampers.
        """
        if isinstance(of_modes, Rayleigh):
            return of_modes.alpha * self.mass + of_modes.beta * np.eye(self.mass.shape[-1]) + self.joint_damping
        omega, modes = modes_of(self.mass, 0.5 * (self.stiffness + np.swapaxes(self.stiffness, -1, -2)))
        weights = 2 * ratios_of(of_modes, omega) * omega
        momenta = self.mass @ modes
        return (momenta * weights[..., None, :]) @ np.swapaxes(momenta, -1, -2) + self.joint_damping


def modes_of(mass: Floats, stiffness: Floats) -> tuple[Floats, Floats]:
    """Angular frequencies (..., size), lowest first, and modes (..., size, size) as columns of unit modal mass."""
    lower = np.linalg.cholesky(mass)
    inverse = np.linalg.inv(lower)
    values, vectors = np.linalg.eigh(inverse @ stiffness @ np.swapaxes(inverse, -1, -2))
    return np.sqrt(np.maximum(values, 0.0)), np.swapaxes(inverse, -1, -2) @ vectors


class Steps(NamedTuple):
    """Of the nodes of a panel."""

    T: Floats
    """(nodes, 2 size, 2 size)."""
    G: Floats
    """(nodes, 3 size, 2 size): what the coefficients of the force bring, transposed."""


def step_matrices(at: Matrices, damping: Floats, step: Floats, scale: float) -> Steps:
    """The matrices of steps of lengths (nodes,)."""
    size = at.mass.shape[-1]
    inverse = np.linalg.inv(at.mass)
    A = np.zeros((len(inverse), 2 * size, 2 * size))
    A[:, :size, size:] = scale * np.eye(size)
    A[:, size:, :size] = -inverse @ at.stiffness / scale
    A[:, size:, size:] = -inverse @ (damping + at.mass_rate)
    phi = phi_functions(A * step[:, None, None], 3)
    brought = step[:, None, None] * inverse / scale
    G = [factor * phi[k + 1][:, :, size:] @ brought for k, factor in enumerate((1.0, 1.0, 2.0))]
    return Steps(phi[0], np.swapaxes(np.concatenate(G, axis=-1), -1, -2))


def march(panel: Panel, steps: Steps, forces: tuple[Floats, Floats, Floats], start: Floats) -> Floats:
    """States (steps + 1, 2 size) through a panel, the first that at its start; forces (steps, size) at the beginning,
    in the middle and at the end of each step.
    """
    begin, middle, end = forces
    coefficients = np.concatenate([begin, 4 * middle - 3 * begin - end, 2 * (begin + end) - 4 * middle], axis=1)
    weights = panel.weights(panel.instants + 0.5 * panel.step)
    count, width = panel.steps, len(start)
    brought = np.zeros((count, width))
    for k, G in enumerate(steps.G):
        brought += weights[:, k, None] * (coefficients @ G)
    result = np.empty((count + 1, width))
    result[0] = start
    if len(steps.T) == 1:
        T = steps.T[0]
        for k in range(count):
            np.dot(T, result[k], out=result[k + 1])
            result[k + 1] += brought[k]
        return result
    flat = steps.T.reshape(len(steps.T), -1)
    length = max(1, int(2e6 / flat.shape[1]))
    for first in range(0, count, length):
        T_of = (weights[first : first + length] @ flat).reshape(-1, width, width)
        for k, T in enumerate(T_of, first):
            np.dot(T, result[k], out=result[k + 1])
            result[k + 1] += brought[k]
    return result


def phi_functions(X: Floats, count: int) -> list[Floats]:
    """phi_0 to phi_count of matrices (..., n, n).

    >>> one = phi_functions(np.array([[[2.0]]]), 2)
    >>> [round(float(value[0, 0, 0]), 12) for value in one]       # e^2, (e^2 - 1) / 2, (e^2 - 3) / 4
    [7.389056098931, 3.194528049465, 1.097264024733]
    """
    norm = float(np.abs(X).sum(axis=-1).max(initial=0.0))
    halvings = max(0, math.ceil(math.log2(norm / SMALL))) if norm > SMALL else 0
    X = X / 2.0**halvings
    unit = np.broadcast_to(np.eye(X.shape[-1]), X.shape)
    # phi_count by its series; the lower ones by phi_k = 1 / k! + X phi_{k+1}.
    last = unit / math.factorial(TERMS + count)
    for i in range(TERMS - 1, -1, -1):
        last = X @ last + unit / math.factorial(i + count)
    values = [last]
    for k in range(count - 1, -1, -1):
        values.insert(0, X @ values[0] + unit / math.factorial(k))
    for _ in range(halvings):
        exp = values[0]
        doubled = [exp @ exp]
        for k in range(1, count + 1):
            total = exp @ values[k] + sum(values[j] / math.factorial(k - j) for j in range(1, k + 1))
            doubled.append(total / 2.0**k)
        values = doubled
    return values
