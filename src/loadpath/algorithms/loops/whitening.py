"""Coordinates in which a positive definite matrix is the identity: H = G' G, y = G x, |y|^2 = x' H x."""

from __future__ import annotations

from typing import NamedTuple

from loadpath.scalars import LTDL, Array, Scalar, is_zero, ltdl, sqrt


class Whitening(NamedTuple):
    """G = D^1/2 L of the factors H = L' D L."""

    factors: LTDL
    inverse_roots: list[Scalar]
    """D^-1/2."""

    def of_force(self, b: Array) -> Array:
        """G^-T b: what b, a force on x, is on y."""
        x, L = b.copy(), self.factors.L
        for i in reversed(range(len(x))):
            if is_zero(x[i]):
                continue
            for j in range(i):
                if not is_zero(L[i, j]):
                    x[j] = x[j] - L[i, j] * x[i]
        for i, root in enumerate(self.inverse_roots):
            x[i] = x[i] if is_zero(x[i]) else root * x[i]
        return x

    def of_motion(self, x: Array) -> Array:
        """G x."""
        y, L = x.copy(), self.factors.L
        for i, root in enumerate(self.inverse_roots):
            for j in range(i):
                if not is_zero(L[i, j]) and not is_zero(x[j]):
                    y[i] = y[i] + L[i, j] * x[j]
            y[i] = y[i] if is_zero(y[i]) else y[i] / root
        return y

    def back(self, y: Array) -> Array:
        """G^-1 y."""
        x, L = y.copy(), self.factors.L
        for i, root in enumerate(self.inverse_roots):
            x[i] = x[i] if is_zero(x[i]) else root * x[i]
            for j in range(i):
                if not is_zero(L[i, j]) and not is_zero(x[j]):
                    x[i] = x[i] - L[i, j] * x[j]
        return x


def whitening(H: Array) -> Whitening:
    """Of a symmetric positive definite matrix; its lower half is read.

    >>> from loadpath.scalars import array
    >>> w = whitening(array([[4.0, 0.0], [0.0, 9.0]]))
    >>> w.of_force(array([4.0, 9.0])).tolist(), w.back(array([2.0, 3.0])).tolist()
    ([2.0, 3.0], [1.0, 1.0])
    >>> w.of_motion(array([1.0, 1.0])).tolist()
    [2.0, 3.0]
    """
    factors = ltdl(H)
    return Whitening(factors, [sqrt(pivot) for pivot in factors.pivots])
