"""Polynomials one after the other: what paths are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loadpath.scalars.types import Floats

SAME = 1e-12
"""rad or m: points that differ by less are the same."""


def joined(pieces: Sequence[tuple[float, Floats]]) -> tuple[Floats, Floats]:
    """Breaks and coefficients of pieces of any degrees, each with its length in p."""
    degree = max(len(c) for _, c in pieces)
    breaks = np.concatenate([[0.0], np.cumsum([length for length, _ in pieces])])
    padded = [np.concatenate([np.zeros((degree - len(c), c.shape[1])), c]) for _, c in pieces]
    return breaks, np.stack(padded, axis=1)
