"""The states of all motions of a duty spectrum as one batch: every sample counts with its share of the whole time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.motion.spectrum import DutySpectrum
from loadpath.scalars.types import Floats
from loadpath.states.batch import BLOCK, Block, Located, StateBatch
from loadpath.states.load_case import LoadCase


class SpectrumBatch(StateBatch):
    """Batches of the motions, their states numbered through."""

    def __init__(self, spectrum: DutySpectrum, parts: Sequence[StateBatch]) -> None:
        self.spectrum, self.parts = spectrum, tuple(parts)
        self.starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        self.arrays = {}
        self.case = LoadCase()
        self.shape = (int(self.starts[-1]),)
        self.t = None

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """All states, at most `size` at a time, never of two motions."""
        for start, part in zip(self.starts[:-1].tolist(), self.parts, strict=True):
            for block in part.blocks(size):
                yield Block(slice(block.rows.start + start, block.rows.stop + start), block.arrays, block.case)

    def _at(self, number: int) -> tuple[int, int]:
        """The number of the motion, and of the sample in it."""
        which = int(np.searchsorted(self.starts, number, side="right")) - 1
        return which, int(number - self.starts[which])

    def case_of(self, rows: Any) -> LoadCase:
        """The load case of one state."""
        if not isinstance(rows, (int, np.integer)):
            raise ValueError("a duty spectrum has a load case for each of its motions: ask for one state")
        which, sample = self._at(int(rows))
        return self.parts[which].case_of(sample)

    def _all(self, name: str) -> Floats:
        return np.concatenate([getattr(part, name) for part in self.parts])

    @property
    def duration(self) -> float | None:
        """Of one pass through the spectrum, s."""
        return self.spectrum.duration

    @cached_property
    def weights(self) -> Floats:
        """(states,): share of each in means, summing to one: its share of its motion, times that of the motion."""
        each = zip(self.spectrum.shares, self.parts, strict=True)
        return np.concatenate([share * part.weights for share, part in each])

    def located(self, number: int) -> Located:
        """Where a state is: the name of its motion, and its sample and time there."""
        which, sample = self._at(number)
        return self.parts[which].located(sample)._replace(motion=self.spectrum.names[which])

    def where(self, number: int) -> str:
        """Words for a state in a message."""
        which, sample = self._at(number)
        return f"{self.parts[which].where(sample)} of '{self.spectrum.names[which]}'"
