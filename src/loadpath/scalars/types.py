"""The array types of signatures, each named once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
"""An array of numbers."""
Bools = NDArray[np.bool_]
"""An array of truths."""
Ints = NDArray[np.intp]
"""An array of whole numbers: indices."""

__all__ = ["ArrayLike", "Bools", "Floats", "Ints"]
