"""Solving with the factors of a mass matrix for many columns at once, along the tree.

In the factors M = L^T D L row i of L has entries only for joints between joint i and the base. A column that belongs to
a joint k is zero but for the joints beyond k and between k and the base. The first half of solving leaves it so; in the
second half all other joints follow those that their ways to the base have in common with k's. How they follow, without
any force of their own, is the same for all columns and is found once.
"""

from __future__ import annotations

from loadpath.scalars import LTDL, Array, Scalar, identity, is_zero, zeros


class TreeSolve:
    """Solves M x = b for the columns of a matrix."""

    def __init__(self, factors: LTDL) -> None:
        self.L, self.pivots = factors
        self.n = len(self.pivots)
        self.parent = [
            max((j for j in range(i) if not is_zero(self.L[i, j])), default=-1) for i in range(self.n)
        ]
        self._following: dict[tuple[int, int], dict[int, Scalar]] = {}

    def columns(self, b: Array) -> Array:
        """X (n, k) with M X = b (n, k)."""
        result = zeros(*b.shape)
        for k in range(b.shape[1]):
            result[:, k] = self._solved(b[:, k], self.n)
        return result

    def inverse(self) -> Array:
        """The inverse of M."""
        result = zeros(self.n, self.n)
        unit = identity(self.n)
        for k in range(self.n):
            column = self._solved(unit[:, k], k + 1)
            for i in range(k + 1):
                result[i, k] = result[k, i] = column[i]
        return result

    def _solved(self, b: Array, rows: int) -> Array:
        """The first rows of x with M x = b."""
        y = b.copy()
        for i in reversed(range(self.n)):
            if not is_zero(y[i]):
                for j in range(i):
                    if not is_zero(self.L[i, j]):
                        y[j] = y[j] - self.L[i, j] * y[i]
        x = zeros(self.n)
        for i in range(rows):
            at = self.parent[i]
            if is_zero(y[i]):
                while at >= 0 and is_zero(y[at]):
                    at = self.parent[at]
                x[i] = self._sum(self._follows(i, at), x)
                continue
            x[i] = self.pivots[i] * y[i]
            for j in range(i):
                if not is_zero(self.L[i, j]):
                    x[i] = x[i] - self.L[i, j] * x[j]
        return x

    def _follows(self, i: int, above: int) -> dict[int, Scalar]:
        """How joint i, and all between it and joint `above`, with no forces, follow that one and those before it."""
        if (i, above) not in self._following:
            found: dict[int, Scalar] = {}
            for j in range(i):
                factor = self.L[i, j]
                if is_zero(factor):
                    continue
                through = {j: 1.0} if j <= above else self._follows(j, above)
                for column, share in through.items():
                    found[column] = found.get(column, 0.0) - factor * share
            self._following[i, above] = found
        return self._following[i, above]

    @staticmethod
    def _sum(factors: dict[int, Scalar], x: Array) -> Scalar:
        total: Scalar = 0.0
        for column, factor in factors.items():
            total = total + factor * x[column]
        return total
