"""The states of a batch in blocks whose matrices stay small."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import Batch, LoadCase
from loadpath.structure.vibration.model import VibrationModel

BLOCK_BYTES = 48e6
"""Matrices held at a time."""


def row_blocks(
    model: VibrationModel, batch: Batch, rows: Ints | None = None, length: int | None = None
) -> Iterator[Ints]:
    """The numbers of all states of a batch (q, qd, qdd), or the given ones, in blocks of `length` states, or of so many
    that their matrices stay small; those that are not numbers are left out.
    """
    if length is None:
        length = max(1, int(BLOCK_BYTES / 8 / model.floats_per_state))
    numbers = np.arange(len(batch)) if rows is None else rows
    for begin in range(0, len(numbers), length):
        chosen = numbers[begin : begin + length]
        chosen = chosen[known(batch.rows(chosen), batch.case_of(chosen))]
        if len(chosen):
            yield chosen


def known(states: tuple[Floats, ...], case: LoadCase) -> Bools:
    """(states,): which states and their loads are numbers."""
    parts = [*states, *case.on_links.values()]
    for wrench in (case.external or {}).values():
        parts += [wrench.force, wrench.torque, wrench.point]
    good = np.ones(len(states[0]), dtype=bool)
    for part in parts:
        good &= np.isfinite(np.asarray(part, dtype=float)).all(axis=-1)
    return good
