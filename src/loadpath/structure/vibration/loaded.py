"""The loaded arm in elastic coordinates: the geometric stiffness of many states, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import Batch, LoadCase
from loadpath.structure.vibration.geometric_stiffness import dead_loads, geometric_stiffness
from loadpath.structure.vibration.model import VibrationModel
from loadpath.structure.vibration.placed_arm import ElasticModel

BLOCK_BYTES = 48e6
"""Matrices held at a time."""


class LoadedStates(NamedTuple):
    """Some states of a batch, with the matrices of the arm there."""

    rows: Ints
    """Their numbers in the batch."""
    R: Floats
    p: Floats
    origins: Floats
    """Of the links: see `VibrationModel.joint_frames`."""
    loads: Floats
    """(states, pieces, 18): see `beams.dead_loads`."""
    K: Floats
    """(states, size, size): the geometric stiffness; the whole stiffness is 1 + K."""


def row_blocks(
    model: ElasticModel, batch: Batch, rows: Ints | None = None, length: int | None = None
) -> Iterator[Ints]:
    """The numbers of all states of a batch (q, qd, qdd), or the given ones, in blocks of `length` states, or of so many
    that their matrices stay small; those that are not numbers are left out.
    """
    if length is None:
        length = max(1, int(BLOCK_BYTES / 8 / model.floats_each))
    numbers = np.arange(len(batch)) if rows is None else rows
    for begin in range(0, len(numbers), length):
        chosen = numbers[begin : begin + length]
        chosen = chosen[known(batch.rows(chosen), batch.case_of(chosen))]
        if len(chosen):
            yield chosen


def loaded_states(model: VibrationModel, batch: Batch, rows: Ints | None = None) -> Iterator[LoadedStates]:
    """The states of a batch, or those of the given numbers, with their geometric stiffness, block by block."""
    for chosen in row_blocks(model, batch, rows):
        yield of_states(model, batch.rows(chosen), batch.case_of(chosen))._replace(rows=chosen)


def of_states(model: VibrationModel, states: tuple[Floats, ...], case: LoadCase) -> LoadedStates:
    """The loaded arm in states (states, nq), (states, n), (states, n)."""
    q, qd, qdd = states
    R, p, origins = model.joint_frames(q)
    loads = dead_loads(model.arm, (q, qd, qdd), case)
    return LoadedStates(np.arange(len(q)), R, p, origins, loads, geometric_stiffness(model, R, loads))


def known(states: tuple[Floats, ...], case: LoadCase) -> Bools:
    """(states,): which states and their loads are numbers."""
    parts = [*states, *case.base_motion.values()]
    for wrench in (case.external or {}).values():
        parts += [wrench.force, wrench.torque, wrench.point]
    good = np.ones(len(states[0]), dtype=bool)
    for part in parts:
        good &= np.isfinite(np.asarray(part, dtype=float)).all(axis=-1)
    return good
