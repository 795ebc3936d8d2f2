"""What the tests of the books share: asking an object without compiling it, states, comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

import loadpath as lp
from loadpath.books.book import Book
from references.to_pinocchio import random_state


def ask(book: Book, letter: str, *states: Any, **options: Any) -> Any:
    """An object by its letter, on NumPy batches: compiling every one for every robot would take minutes."""
    return getattr(book, letter).uncompiled(*states, **options)


def states(robot: Any, count: int = 3, seed: int = 11) -> tuple[np.ndarray, ...]:
    """q, qd, qdd, each (count, ...)."""
    rng = np.random.default_rng(seed)
    return tuple(np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(count)), strict=True))


def wrenches(robot: lp.Robot, seed: int = 5) -> dict[str, lp.Wrench]:
    """A wrench on every link, in world axes and in the link's own by turns."""
    rng = np.random.default_rng(seed)
    return {
        link: lp.Wrench(*rng.normal(size=(2, 3)) * 20, axes=("world", "link")[k % 2])
        for k, link in enumerate(robot.link_names)
    }


def base_motion(seed: int = 6) -> dict[str, np.ndarray]:
    velocity, acceleration = np.random.default_rng(seed).normal(size=(2, 6))
    return {"base_velocity": velocity, "base_acceleration": acceleration}


def close(found: Any, expected: Any, tolerance: float = 1e-12, size: float = 0.0) -> None:
    """Equal to a part of the largest expected entry, or of a given size."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    if found.size:
        scale = max(size, float(np.abs(expected).max())) or 1.0
        assert np.abs(found - expected).max() <= tolerance * scale


def times(matrix: Any, values: Any) -> np.ndarray:
    """Matrices times vectors, one of each a state."""
    return np.einsum("...ij,...j->...i", matrix, values)


def transposed(matrix: Any) -> np.ndarray:
    return np.swapaxes(matrix, -1, -2)
