"""Modes of one frequency: a round rod rings along y and along z alike, and a response needs both or neither."""

from __future__ import annotations

import numpy as np

from loadpath.states import Batch
from loadpath.structure.vibration.frequencies import vibrating
from loadpath.structure.vibration.model import VibrationModel

ALIKE = 2e-3
"""Share by which 1 / w^2 of two modes may differ that belong together."""
MORE = 4
"""Modes beyond the wanted ones that are looked at."""


def with_degenerate_modes(model: VibrationModel, batch: Batch, count: int, loaded: bool) -> int:
    """`count`, or as many modes more as have the frequency of the last one in some state of the batch. Of modes alike
    the solver gives any combination: with one of two the direction of the response would be left to chance.
    """
    most = min(count + MORE, model.size)
    found = [part.values for part in vibrating(model, batch, most, loaded) if len(part.values)]
    if not found or most <= count:
        return count
    values = np.concatenate(found)
    while count < most and (values[:, count - 1] - values[:, count] <= ALIKE * values[:, count - 1]).any():
        count += 1
    return count
