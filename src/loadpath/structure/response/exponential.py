"""Exact steps of linear equations of motion: the matrix exponential and its integrals, for many matrices at once.

The state equation z' = A z + b with b a polynomial of the time within the step has the solution

    z(h) = e^{hA} z(0) + h Sum_k k! phi_{k+1}(hA) b_k,        b(s h) = Sum_k b_k s^k,    s from 0 to 1,

phi_0(X) = e^X and phi_k(X) = Sum_i X^i / (i + k)!. Series for a halved argument, then doubled back.
"""

from __future__ import annotations

import math

import numpy as np

from loadpath.scalars.types import Floats

TERMS = 12
"""Of the series, for a norm of at most `SMALL`: to the last digits."""
SMALL = 0.5


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
