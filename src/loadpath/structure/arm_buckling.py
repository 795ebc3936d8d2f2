"""How near beams, and the whole arm, are to failing under compression, and the worst of many states of it.

A section fails where its fibres yield under compression and bending that what buckles makes larger (`second_order`),
where its link buckles as a column by itself, or with the whole arm.

Of a million states only those are solved that may be the worst of all: `buckling_bound` says which may not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import Batch, Block, LoadCase, place_of
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.buckling_bound import BucklingBound, buckling_bound, most_growth
from loadpath.structure.second_order import bent_shapes, fibres_of, greatest_use, grown_once
from loadpath.structure.vibration.buckling import (
    ORDERS,
    STRIDE,
    TOLERANCE,
    Buckling,
    WorstBuckling,
    converged,
    factors_of,
    solved,
)
from loadpath.structure.vibration.eigenvalues import BucklingSolver, largest_positive
from loadpath.structure.vibration.model import VibrationModel, model_size, row_blocks, vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads, largest_strains
from loadpath.structure.vibration.world_axes import frames_of_joints

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.stress import Sections

CHUNK = 128
"""States that are solved at once."""
LIKELY = 16
"""States of a block that are solved first, of those that are likely to be the worst of each link."""


class Pressed(NamedTuple):
    """Compression in the sections of states: each (states, sections)."""

    compression: Floats
    """N, negative in tension."""
    own: Floats
    """Its share of the critical load of the link's column, zero in tension."""
    first: Floats
    """Its share of the yield strength, with bending of first order; zero in tension."""

    @classmethod
    def of_first_order(
        cls, compression: Floats, own: Floats, axial: Floats, bending: Floats, sections: Sections
    ) -> Pressed:
        """From the stresses of `stress`."""
        with np.errstate(invalid="ignore"):
            return cls(compression, own, np.where(axial < 0, (bending - axial) / sections.yield_strengths, 0.0))

    def of(self, rows: Ints) -> Pressed:
        """In some states."""
        return Pressed(*(part[rows] for part in self))


def uses_of_states(whole: Buckling, sections: Sections, count: int, compression: Floats, own: Floats) -> Floats:
    """The reciprocal of the safety (..., sections) in all states of a batch: see `uses`."""
    batch, rows = whole.batch, compression.shape[-1]
    pressed = Pressed(*(part.reshape(-1, rows) for part in (compression, own, own)))
    share, result = 1.0 / whole.factor.reshape(-1), np.full((len(batch), rows), np.nan)
    for chosen in row_blocks(whole.model, batch, None, CHUNK):
        states, case = batch.rows(chosen), batch.case_of(chosen)
        result[chosen] = uses(whole.model, (states, case), sections, count, pressed.of(chosen), share[chosen])
    return result.reshape(*batch.shape, rows)


def uses(
    model: VibrationModel, loaded: tuple[tuple[Floats, ...], LoadCase], sections: Sections, count: int,
    pressed: Pressed, arm: Floats, loads: Floats | None = None,
) -> Floats:
    """The reciprocal of the safety of every section (states, sections): the largest of its share of the link's critical
    load, of the whole arm's share, `arm` (states,), and of what bending and compression take of its yield strength
    (`second_order`). `loads` are the rows of `dead_loads`, where they are known.
    """
    states, case = loaded
    placed = model.at(states[0])
    rows, exerted = placed.dead_loads(states, case) if loads is None else (loads, None)
    moment = np.asarray(model.arm.section_actions(*states, sections=count, **case.keywords)[1])
    n = np.maximum(pressed.compression, 0.0) / (sections.areas * sections.yield_strengths)
    bent = bent_shapes(placed, rows, count, exerted)
    return np.maximum(greatest_use(fibres_of(model.arm, count), bent, n, moment[..., 1:], arm), pressed.own)


class WorstOfArm:
    """The least safety of every link, and the smallest factor of the whole arm, in the states seen so far."""

    def __init__(self, arm: ElasticQuantities, batch: Batch, sections: Sections | None, count: int) -> None:
        self.arm, self.batch, self.sections, self.asked = arm, batch, sections, count
        self.rigid = model_size(arm, EFFECTS, 1) == 0
        self.share, self.number = 0.0, -1
        """The largest share of the arm's critical load, and the number of its state."""
        self.links: dict[str, tuple[float, int, int]] = {}
        """By link: reciprocal of the least safety, number of the state, and of the section."""
        names = () if sections is None else sections.links
        self.rows = {link: np.flatnonzero([name == link for name in names]) for link in dict.fromkeys(names)}
        if self.rigid or not len(batch):
            return
        order = converged(arm, EFFECTS, batch, TOLERANCE)
        self.model, self.bending = (vibration_model(arm, EFFECTS, ORDERS[k]) for k in (order - STRIDE, order))
        self.solver: BucklingSolver | None = None
        self.bound: BucklingBound | None = None
        if not self.model.follows:  # all states of an arm with guides or loops are solved
            self.bound, self.solver = buckling_bound(self.bending), BucklingSolver(self.model, batch)

    def see(self, block: Block, missing: Bools, pressed: Pressed | None) -> None:
        """Take a block of states into account, but for those that are missing."""
        if self.rigid:
            return
        left = np.flatnonzero(~missing)
        if not len(left):
            return
        if self.bound is None or self.solver is None:
            for begin in range(0, len(left), CHUNK):
                self._solve(block, left[begin : begin + CHUNK], None, pressed)
            return
        loads = dead_loads(self.arm, block.arrays, block.case)
        most = _MostOfLinks(np.zeros(len(block)), *np.zeros((3, len(block), len(self.rows))))
        if pressed is not None:
            parts = pressed.own, pressed.first, most_growth(self.bending, loads, self.asked)
            most = _MostOfLinks(most.shares, *(_of_links(part, self.rows) for part in parts))
        most.shares[left] = self.bound.quick(loads[left])
        for part in _chunks(self._may(left, most)):
            most.shares[part] = self.bound.close(frames_of_joints(self.arm, block.arrays[0][part])[0], loads[part])
        likely = np.column_stack([most.shares[left], most.first[left] + most.shares[left, None]])
        start = np.unique(np.argsort(-likely, axis=0)[:LIKELY])
        self._solve(block, left[start], loads, pressed)
        left = self._may(np.delete(left, start), most)
        for part in _chunks(self._may(left, most)):
            if pressed is not None:
                w, grown = grown_once(self.bending.at(block.arrays[0][part]), loads[part], self.asked)
                most.grow(part, self._seen, w, _of_links(grown, self.rows))
        for chunk in _chunks(self._may(left, most)):
            part = self._may(chunk, most)
            if len(part):
                R = frames_of_joints(self.arm, block.arrays[0][part])[0]
                most.shares[part] = self.solver.bounds(R, loads[part], most.shares[part])
        left = self._may(left, most)
        left = left[np.argsort(-most.shares[left], kind="stable")]
        while len(left):
            self._solve(block, left[:CHUNK], loads, pressed)
            left = self._may(left[CHUNK:], most)

    @property
    def _seen(self) -> Floats:
        """(links,): the largest use so far."""
        return np.array([self.links.get(link, (0.0,))[0] for link in self.rows])

    def _may(self, rows: Ints, most: _MostOfLinks) -> Ints:
        """Those of the states that may be worse than what has been seen."""
        return rows[most.may_exceed(rows, self._seen).any(axis=-1) | (most.shares[rows] > self.share)]

    def _solve(self, block: Block, rows: Ints, loads: Floats | None, pressed: Pressed | None) -> None:
        numbers = rows + block.first
        states, case = self.batch.rows(numbers), self.batch.case_of(numbers)
        placed, here = self.model.at(states[0]), None if loads is None else loads[rows]
        if here is not None and self.solver is not None:
            found = self.solver.solve(placed.R, here).values
            strains = largest_strains(self.model, here, placed.extension)
        else:
            K, strains = placed.loaded(states, case)
            found = largest_positive(-K)[0]
        share = 1.0 / factors_of(found, strains)
        k = int(share.argmax())
        if share[k] > self.share:
            self.share, self.number = float(share[k]), int(numbers[k])
        if pressed is None or self.sections is None:
            return
        use = uses(self.bending, (states, case), self.sections, self.asked, pressed.of(rows), share, here)
        for link, columns in self.rows.items():
            at = int(use[:, columns].argmax())
            row, column = divmod(at, len(columns))
            value = float(use[row, columns[column]])
            if value > self.links.get(link, (0.0,))[0]:
                self.links[link] = value, int(numbers[row]), int(columns[column])

    def worst(self) -> WorstBuckling | None:
        """The state nearest to buckling; None where none ever does."""
        if self.number < 0 or self.share == 0:
            return None
        row = np.array([self.number])
        found = solved(self.arm, EFFECTS, self.batch.chosen(row), TOLERANCE).worst
        return found._replace(state=place_of(self.number, self.batch.shape))


def _chunks(rows: Ints) -> Iterator[Ints]:
    for begin in range(0, len(rows), 2 * CHUNK):
        yield rows[begin : begin + 2 * CHUNK]


class _MostOfLinks(NamedTuple):
    """What the sections of links are used by at most: what is known of states before their arm is solved.

    With x one over the factor, the bending that is added to that of first order is -b K (x + K)^-1 g, b what a unit of
    the coordinates does to a section (`second_order`). So with w = -K g, where x >= X > share,

        x <= first + |K b| |g| / (X - share),    and    x <= first + b w / X + |K b| (|w| / X) / (X - share).
    """

    shares: Floats
    """(states,): what the share of the whole arm's critical load cannot exceed."""
    own: Floats
    """(states, links): the largest share of the link's critical load."""
    first: Floats
    """(states, links): the same of the yield strength, by compression and bending; zero where nothing is compressed."""
    growth: Floats
    """(states, links): what |K b| |g| cannot exceed, or |K b| |w| / X."""

    def grow(self, states: Ints, seen: Floats, w: Floats, grown: Floats) -> None:
        """Take the second bound in some states, from the uses seen so far, |w| / |g| (states,), b w (states, links)."""
        X = np.maximum(seen, 1e-300)
        self.first[states] += np.where(self.first[states] > 0, grown / X, 0.0)
        self.growth[states] *= w[:, None] / X

    def may_exceed(self, states: Ints, seen: Floats) -> Bools:
        """(states, links): whether they may be used more than what has been seen (links,)."""
        share = self.shares[states, None]
        own, first, growth = (part[states] for part in self[1:])
        with np.errstate(over="ignore"):  # as good as no bound
            used = np.where(first > 0, first + growth / np.maximum(seen - share, 1e-300), 0.0)
        result: Bools = np.maximum(np.maximum(own, share), used) * (1 + 1e-9) > seen
        return result


def _of_links(values: Floats, rows: Mapping[str, Ints]) -> Floats:
    """(states, links): the largest of the sections (states, sections) of each link, which follow each other."""
    return np.stack([values[:, r[0] : r[-1] + 1].max(axis=-1) for r in rows.values()], axis=-1)
