"""Products of powers of variables, their derivatives, and how far they change over boxes."""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats, Ints


class Monomials:
    """Products of powers y^e of variables, by exponents (p, others).

    >>> values, rates = Monomials(np.array([[2, 1]]))(np.array([[3.0, 5.0]]))
    >>> values.tolist(), rates.tolist()
    ([[45.0]], [[[30.0, 9.0]]])
    """

    def __init__(self, exponents: Ints) -> None:
        self.terms, self.others = exponents.shape
        degree = int(exponents.sum(axis=1).max(initial=0))
        # Each product as a list of variables, one for each degree; the last column stands for a one.
        self.slots = np.full((degree, self.terms), self.others)
        for p, row in enumerate(exponents):
            named = np.repeat(np.arange(self.others), row)
            self.slots[: len(named), p] = named
        self.rows = [np.flatnonzero(slots < self.others) for slots in self.slots]

    def __call__(self, y: Floats) -> tuple[Floats, Floats]:
        """Products (b, p), and their derivatives (b, p, others)."""
        with_one = np.concatenate([y, np.ones((len(y), 1))], axis=1)
        factors = [with_one[:, slots] for slots in self.slots]
        value = np.ones((len(y), self.terms))
        for factor in factors:
            value *= factor
        rate = np.zeros((len(y), self.terms, self.others))
        for d, rows in enumerate(self.rows):
            rest = np.ones((len(y), len(rows)))
            for other, factor in enumerate(factors):
                if other != d:
                    rest *= factor[:, rows]
            rate[:, rows, self.slots[d, rows]] += rest
        return value, rate


class Powers:
    """Products of powers y^e over boxes with centers y and half widths k: (b, p)."""

    def __init__(self, monomials: Monomials, y: Floats, k: Floats) -> None:
        size, far = np.abs(y), np.abs(y) + k
        self.value, self.rate = monomials(y)
        """(b, p), and derivatives at the center (b, p, others)."""
        value_of_size, rate_of_size = monomials(size)
        value_far, far_rate = monomials(far)
        self.deviation = np.maximum(value_far - value_of_size, 0.0)
        """From the value at the center, at most."""
        self.rest = np.maximum(self.deviation - np.einsum("bpi,bi->bp", rate_of_size, k), 0.0)
        """From value and derivatives at the center, at most: the coefficients of all that is left are positive."""
        self.rate_error = np.maximum(far_rate - rate_of_size, 0.0)
