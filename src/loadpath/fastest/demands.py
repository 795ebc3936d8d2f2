"""Demands on what is carried as sums of magnitudes, which have their gradients in closed form:

    demand(w) = l . w + sum over k of |A_k w|,    its gradient  l + sum over k of A_k' (A_k w) / |A_k w|.

Resultants, friction cones and the signals of parts are such sums of a wrench. They are written in NumPy, and their own
lines, run once on terms in the place of numbers, say which sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from loadpath.cached import cached_property
from loadpath.scalars.types import Floats

PROBES = 20


class Demand(Protocol):
    """A convex function of loads (..., m), as of wrenches (..., 6), force first, that grows in proportion with them."""

    def __call__(self, load: Floats, /) -> Floats:
        """(...,)"""

    def gradient(self, load: Floats, /) -> Floats:
        """(..., m); at a kink between those of all sides."""

    def most(self, within: Floats, /) -> Floats:
        """(...,): what it is at most of loads whose entries are of these magnitudes (..., m) or less."""


@dataclass(frozen=True, eq=False)
class Sum:
    """A linear form and magnitudes of linear maps, of loads (..., m), as wrenches (..., 6), force first.

    >>> moment = Sum(np.zeros(6), (np.eye(6)[3:5],))
    >>> moment(np.array([1.0, 0, 0, 3, 4, 9])).item(), moment.gradient(np.array([1.0, 0, 0, 3, 4, 9])).round(9).tolist()
    (5.0, [0.0, 0.0, 0.0, 0.6, 0.8, 0.0])
    """

    linear: Floats
    """(m,)"""
    magnitudes: tuple[Floats, ...]
    """(rows, m) each."""

    @cached_property
    def rows(self) -> Floats:
        """(rows of all magnitudes, m)"""
        return np.concatenate([np.zeros((0, len(self.linear))), *self.magnitudes])

    @cached_property
    def owners(self) -> Floats:
        """(rows, magnitudes): ones where a row belongs to a magnitude."""
        found = [np.full(len(part), k) for k, part in enumerate(self.magnitudes)]
        which = np.concatenate([np.zeros(0, dtype=int), *found])
        return np.asarray(which[:, None] == np.arange(len(self.magnitudes)), dtype=float)

    def __call__(self, wrench: Floats) -> Floats:
        """(...,)"""
        flat = wrench.reshape(-1, wrench.shape[-1])  # one product of two matrices, not one for each point of a grid
        parts = flat @ self.rows.T
        found: Floats = flat @ self.linear + np.sqrt((parts * parts) @ self.owners).sum(axis=-1)
        return found.reshape(wrench.shape[:-1])

    def gradient(self, wrench: Floats) -> Floats:
        """(..., m); of a magnitude that is zero it has none, which is between those of all sides."""
        parts = wrench.reshape(-1, wrench.shape[-1]) @ self.rows.T
        sizes = np.sqrt((parts * parts) @ self.owners)
        shares = 1 / np.where(sizes > 0, sizes, np.inf)
        spread = shares if len(self.magnitudes) == 1 else shares @ self.owners.T
        found: Floats = (parts * spread) @ self.rows
        if self.linear.any():
            found += self.linear
        return found.reshape(wrench.shape)

    def most(self, within: Floats) -> Floats:
        """(...,): see `Demand`."""
        parts = within @ np.abs(self.rows).T
        found: Floats = within @ np.abs(self.linear) + np.sqrt((parts * parts) @ self.owners).sum(axis=-1)
        return found


def sum_of(demand: Callable[[Any], Any]) -> Sum | None:
    """The sum that a demand on wrenches is, None of one that is none: a product, the largest of some, cases, less a
    magnitude.

    >>> found = sum_of(lambda w: np.linalg.norm(w[..., :2], axis=-1) + 3 * np.abs(w[..., 5]) - w[..., 2])
    >>> found.linear.tolist(), [part.shape for part in found.magnitudes]
    ([0.0, 0.0, -1.0, 0.0, 0.0, 0.0], [(2, 6), (1, 6)])
    >>> sum_of(lambda w: np.maximum(w[..., 0], w[..., 1])), sum_of(lambda w: w[..., 0] - np.abs(w[..., 1]))
    (None, None)
    """
    wrench = np.empty((1, 6), dtype=object)
    wrench[0] = [Term(row) for row in np.eye(6)]
    try:
        (found,) = np.ravel(demand(wrench))
    except TypeError:
        return None
    if not isinstance(found, Term) or len(found.squares):
        return None
    made = Sum(found.linear, found.magnitudes)
    probes = np.random.default_rng(0).normal(size=(PROBES, 6))
    return made if np.allclose(made(probes), demand(probes), rtol=1e-9, atol=1e-9) else None


def known_sum(demand: Callable[[Any], Any]) -> Sum:
    """The sum that a demand of the library's own is."""
    found = sum_of(demand)
    if found is None:
        raise TypeError(f"{demand} is no sum of magnitudes")
    return found


class Term:
    """What a demand is made of: a linear form, magnitudes, and squares of linear forms, whose root is a magnitude. As
    an entry of an array of objects it takes what NumPy does to numbers, and refuses what leads out of such sums.
    """

    def __init__(self, linear: Floats, magnitudes: tuple[Floats, ...] = (), squares: Floats | None = None) -> None:
        self.linear, self.magnitudes = linear, magnitudes
        self.squares = np.zeros((0, len(linear))) if squares is None else squares

    @property
    def _straight(self) -> bool:
        return not self.magnitudes and not len(self.squares)

    def _same(self, other: Term) -> bool:
        return np.array_equal(self.linear, other.linear, equal_nan=True)  # NaN about an axis that is not there

    def __add__(self, other: Any) -> Term:
        if isinstance(other, Term):
            return Term(self.linear + other.linear, self.magnitudes + other.magnitudes,
                        np.concatenate([self.squares, other.squares]))
        return self if other == 0 else self._refuse()

    def __mul__(self, other: Any) -> Term:
        if isinstance(other, Term):
            if self._straight and other._straight and self._same(other):
                return Term(np.zeros(6), squares=self.linear[None])
            self._refuse()
        if self._straight:
            return Term(other * self.linear)
        if not other >= 0:
            self._refuse()
        return Term(other * self.linear, tuple(other * part for part in self.magnitudes), np.sqrt(other) * self.squares)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Term:
        return self * -1.0

    def __sub__(self, other: Any) -> Term:
        found: Term = self + (-other)
        return found

    def __rsub__(self, other: Any) -> Term:
        found: Term = -self + other
        return found

    def __truediv__(self, other: Any) -> Term:
        if isinstance(other, Term):
            self._refuse()
        found: Term = self * (1.0 / other)
        return found

    def __pow__(self, other: Any) -> Term:
        return self * self if other == 2 else self._refuse()

    def __abs__(self) -> Term:
        if self._straight:
            return Term(np.zeros(6), (self.linear[None],))
        return self._refuse() if len(self.squares) or self.linear.any() else self

    def sqrt(self) -> Term:
        """Of squares: the magnitude."""
        if self.magnitudes or self.linear.any():
            self._refuse()
        return Term(self.linear, (self.squares,) if len(self.squares) else ())

    def conjugate(self) -> Term:
        """Itself, which the norm of NumPy asks for."""
        return self

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("no sum of magnitudes")

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = _refuse
