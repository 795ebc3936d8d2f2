"""How near the whole arm is to buckling, for the safety of its beams, and the worst of many states of it.

A beam under compression bends more than its load by itself says: by 1 / (1 - f c), c the share of the critical load, f
the factor of growing loads. The critical load is that of the link's own column or of the whole arm, whichever is
smaller.

Of a million states only those are solved that may be the worst of all: `buckling_bound` says which may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import Batch, Block, place_of
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.vibration.buckled import WorstBuckling
from loadpath.structure.vibration.buckling import (
    ORDERS,
    STRIDE,
    TOLERANCE,
    converged,
    factors_of,
    solved,
)
from loadpath.structure.vibration.buckling_bound import BucklingBound, buckling_bound
from loadpath.structure.vibration.buckling_values import BucklingSolver
from loadpath.structure.vibration.eigenvalues import largest_positive
from loadpath.structure.vibration.model import model_size, vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads, largest_strains
from loadpath.structure.vibration.world_axes import frames_of_joints

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.stress import Sections

CHUNK = 128
"""States that are solved at once."""


def with_whole_arm(sections: Sections, compression: Floats, own: Floats, interaction: Floats, arm: Floats) -> Floats:
    """The reciprocal of the safety of every section (..., sections), the whole arm taken into account.

    `own` is the section's share of its link's critical load, `interaction` the reciprocal of the safety with that (see
    `beams.stress_equations.buckling`), `arm` (...) the share of the whole arm's critical load. Under compression the
    larger share counts; without compression the arm's alone.
    """
    pressed = np.maximum(compression, 0.0)
    n = pressed / (sections.areas * sections.yield_strengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        m = np.where(interaction > 0, (interaction - n) * (interaction - own) / interaction, 0.0)
    m = np.maximum(m, 0.0)
    c = np.maximum(own, arm[..., None])
    root = np.sqrt((n - c) ** 2 + m * (m + 2.0 * (n + c)))
    result: Floats = 0.5 * (n + m + c + root)
    return result


class WorstOfArm:
    """The least safety of every link, and the smallest factor of the whole arm, in the states seen so far."""

    def __init__(self, arm: ElasticQuantities, batch: Batch, sections: Sections | None) -> None:
        self.arm, self.batch, self.sections = arm, batch, sections
        self.rigid = model_size(arm, EFFECTS, 1) == 0
        self.share, self.number = 0.0, -1
        """The largest share of the arm's critical load, and the number of its state."""
        self.links: dict[str, tuple[float, int, int]] = {}
        """By link: reciprocal of the least safety, number of the state, and of the section."""
        names = () if sections is None else sections.links
        self.rows = {link: np.flatnonzero([name == link for name in names]) for link in dict.fromkeys(names)}
        if self.rigid or not len(batch):
            return
        self.model = vibration_model(arm, EFFECTS, ORDERS[converged(arm, EFFECTS, batch, TOLERANCE) - STRIDE])
        self.solver: BucklingSolver | None = None
        self.bound: BucklingBound | None = None
        if not self.model.slides:  # all states of an arm with guides are solved
            self.bound, self.solver = buckling_bound(self.model), BucklingSolver(self.model, batch)

    def see(self, block: Block, missing: Bools, buckling: tuple[Floats, Floats, Floats] | None) -> None:
        """Take a block of states into account, but for those that are missing; `buckling` as `section_buckling`."""
        if self.rigid:
            return
        left = np.flatnonzero(~missing)
        if not len(left):
            return
        if self.bound is None or self.solver is None:
            for begin in range(0, len(left), CHUNK):
                self._solve(block, left[begin : begin + CHUNK], None, buckling)
            return
        loads = dead_loads(self.arm, block.arrays, block.case)
        bounds = np.zeros(len(block))
        bounds[left] = self.bound.quick(loads[left])
        most = np.zeros((len(block), len(self.rows)))  # of each link, by itself
        if buckling is not None:
            for k, rows in enumerate(self.rows.values()):
                most[:, k] = buckling[2][:, rows[0] : rows[-1] + 1].max(axis=-1)
        first = np.unique([*most[left].argmax(axis=0), bounds[left].argmax()])
        self._solve(block, left[first], loads, buckling)
        left = self._may(np.delete(left, first), bounds, most)
        for begin in range(0, len(left), 2 * CHUNK):
            part = left[begin : begin + 2 * CHUNK]
            bounds[part] = self.bound.close(frames_of_joints(self.arm, block.arrays[0][part])[0], loads[part])
        left = self._may(left, bounds, most)
        for begin in range(0, len(left), 2 * CHUNK):
            part = self._may(left[begin : begin + 2 * CHUNK], bounds, most)
            if len(part):
                R = frames_of_joints(self.arm, block.arrays[0][part])[0]
                bounds[part] = self.solver.bounds(R, loads[part], bounds[part])
        left = self._may(left, bounds, most)
        left = left[np.argsort(-bounds[left], kind="stable")]
        while len(left):
            self._solve(block, left[:CHUNK], loads, buckling)
            left = self._may(left[CHUNK:], bounds, most)

    def _may(self, rows: Ints, bounds: Floats, most: Floats) -> Ints:
        """Those of the states that may be worse than what has been seen: the arm adds no more than its share."""
        kept = np.array([self.links.get(link, (0.0,))[0] for link in self.rows])
        worse = (most[rows] + bounds[rows, None] > kept).any(axis=-1) | (bounds[rows] > self.share)
        return rows[worse]

    def _solve(
        self, block: Block, rows: Ints, loads: Floats | None, buckling: tuple[Floats, Floats, Floats] | None
    ) -> None:
        if loads is not None and self.solver is not None:
            placed = self.model.at(block.arrays[0][rows])
            found = self.solver.solve(placed.R, loads[rows]).values
            strains = largest_strains(self.model, loads[rows], placed.extension)
        else:
            numbers = rows + block.first
            states = self.batch.rows(numbers)
            K, strains = self.model.at(states[0]).loaded(states, self.batch.case_of(numbers))
            found = largest_positive(-K)[0]
        share = 1.0 / factors_of(found, strains)
        k = int(share.argmax())
        if share[k] > self.share:
            self.share, self.number = float(share[k]), block.first + int(rows[k])
        if buckling is None or self.sections is None:
            return
        compression, own, interaction = (part[rows] for part in buckling)
        use = with_whole_arm(self.sections, compression, own, interaction, share)
        for link, columns in self.rows.items():
            at = int(use[:, columns].argmax())
            row, column = divmod(at, len(columns))
            value = float(use[row, columns[column]])
            if value > self.links.get(link, (0.0,))[0]:
                self.links[link] = value, block.first + int(rows[row]), int(columns[column])

    def worst(self) -> WorstBuckling | None:
        """The state nearest to buckling; None where none ever does."""
        if self.number < 0 or self.share == 0:
            return None
        row = np.array([self.number])
        found = solved(self.arm, EFFECTS, self.batch.chosen(row), TOLERANCE).worst
        return found._replace(state=place_of(self.number, self.batch.shape))
