"""Cycles about a mean stress, as fully reversed cycles that do the same harm.

Goodman: the amplitude grows by 1 / (1 - mean / R_m); compression is not credited. FKM (Haigh diagram of the guideline,
four fields of the stress ratio R): for -inf < R <= 0 the slope is the sensitivity M, for 0 < R < 0.5 a third of it,
beyond on either side the amplitude that is borne does not change.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from loadpath.scalars.types import Floats

MeanStress: TypeAlias = Literal["none", "goodman", "fkm"]
MEAN_STRESS = ("none", "goodman", "fkm")


def goodman(amplitude: Floats, mean: Floats, ultimate_strength: float) -> Floats:
    """Fully reversed amplitude by Goodman; infinite where the mean reaches the ultimate strength.

    >>> goodman(np.array([100.0]), np.array([200.0]), 400.0).tolist()
    [200.0]
    """
    left = 1.0 - np.maximum(mean, 0.0) / ultimate_strength
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(left > 0, amplitude / left, np.where(amplitude > 0, np.inf, 0.0)))


def fkm(amplitude: Floats, mean: Floats, M: float) -> Floats:
    """Fully reversed amplitude by the FKM guideline, with the mean stress sensitivity M.

    >>> fkm(np.array([100.0, 100.0]), np.array([0.0, 100.0]), 0.3).tolist()
    [100.0, 130.0]
    """
    a, m, third = amplitude, mean, M / 3
    return np.asarray(np.select(
        [m < -a, m <= a, m <= 3 * a],
        [a * (1 - M), a + M * m, (a + third * m) * (1 + M) / (1 + third)],
        a * (1 + M) * (1 + M) / (1 + third),
    ))
