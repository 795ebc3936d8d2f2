"""Running a formulation as it stands on batches of states, each scalar a NumPy array; and rows made few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loadpath.robot.mechanism import Mechanism
from loadpath.scalars import array, is_zero
from loadpath.scalars.types import Floats


def triangle(rows: Floats) -> Floats:
    """The R of a QR factorisation: all that least squares needs of the rows."""
    return np.asarray(np.linalg.qr(rows, mode="r"))


def on_batch(formulation: Callable[..., Any], mechanism: Mechanism, *states: Floats) -> Floats:
    """The array that a formulation gives for states (count, size) each, with the states in front.

    >>> from loadpath.mechanics.kinematics import link_poses
    >>> from loadpath.robot.catalog import panda
    >>> from loadpath.robot.mechanism import plain
    >>> on_batch(link_poses, plain(panda()), np.zeros((5, 7))).shape
    (5, 9, 4, 4)
    """
    entries = formulation(mechanism, *(array(list(state.T)) for state in states))
    result = np.zeros((len(states[0]), *entries.shape))
    for index in np.ndindex(entries.shape):
        if not is_zero(entries[index]):
            result[(..., *index)] = entries[index]
    return result
