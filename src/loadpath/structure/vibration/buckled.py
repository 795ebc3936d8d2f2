"""Buckling of a whole arm: the result of `arm.buckling`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.printable import printable
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import Batch, count_words, place_of, state_words
from loadpath.structure.drawing.modes import buckling_figure
from loadpath.structure.vibration.modes import BeamLine, beam_lines

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.vibration.model import VibrationModel


class WorstBuckling(NamedTuple):
    """The state that is nearest to buckling."""

    factor: float
    link: str
    """The link or joint that takes most of the energy there."""
    state: tuple[int, ...]
    """Index in the batch; () for a single state."""


@dataclass(frozen=True, eq=False)
class BucklingShape:
    """How an arm gives way as it buckles, per link frame in world axes; batch axes in front. The largest displacement
    of a link frame is 1 (or its largest rotation, where none is displaced): the size has no meaning by itself. NaN
    where nothing buckles.
    """

    displacement: Floats
    """(..., links, 3): of the origins of the link frames."""
    rotation: Floats
    """(..., links, 3): of the link frames, small angles as a vector."""
    coordinates: Floats
    """(..., size): in the elastic coordinates of `model`."""
    q: Floats
    factor: Floats
    names: NDArray[np.object_]
    model: VibrationModel

    def beam_lines(self, points: int = 25) -> list[BeamLine]:
        """The beams' middle lines and how they move, of one state, at this many points along each piece. Their
        displacement has a leading axis of one.
        """
        if self.factor.ndim:
            raise ValueError("beam lines are of one state: choose it, buckling[3].shape.beam_lines()")
        return beam_lines(self.model, self.q, self.coordinates[None], points)

    def plot(self, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of one state: the arm unbuckled, and as it gives way."""
        return buckling_figure(self, magnification)


@dataclass(frozen=True, eq=False, repr=False)
class Buckling:
    """By what factor all loads of a state may grow until the arm buckles, as a whole; batch axes in front.

    The factor is on all present loads together: gravity, motion, payload and external wrenches. At 1 the arm buckles,
    below 1 it is past buckling; it is infinite where nothing buckles.
    """

    factor: Floats
    """(...)."""
    model: VibrationModel
    batch: Batch
    """The states and their loads."""
    error: Floats
    """(...): relative change of each factor when the last polynomials were added, which is more than the error that is
    left; NaN where the order was given, and for states that are not numbers.
    """
    found: tuple[Floats, Floats, Floats] | None
    """(..., size) of coordinates, (..., links, 3) of displacement and of rotation; None where they were too many to be
    kept.
    """
    numbers: Ints
    """(...): for each state the number in `owner_names` of what takes most of the energy, the last for none."""

    @property
    def q(self) -> Floats:
        """(..., nq)."""
        nq = self.model.arm.nq
        return np.broadcast_to(self.batch.arrays["q"], (*self.batch.shape, nq))

    @property
    def unknown(self) -> Bools:
        """(...): states that are not numbers."""
        return np.asarray(np.isnan(self.factor))

    @property
    def stable(self) -> Bools:
        """(...): whether the arm holds against buckling, its factor above 1; false for states that are not numbers."""
        return np.asarray(self.factor > 1)

    @property
    def owner_names(self) -> tuple[str, ...]:
        """Links with a beam, and compliant joints."""
        return owners(self.model)[0]

    @property
    def link(self) -> str | NDArray[np.object_]:
        """The link or joint that takes most of the energy: (...) names, for a single state one string. "none" where
        nothing buckles, "nan" for states that are not numbers.
        """
        names = np.array([*self.owner_names, "none"], dtype=object)[self.numbers]
        found = np.where(self.unknown, "nan", names)
        return str(found[()]) if not self.factor.ndim else found

    @property
    def part_names(self) -> tuple[str, ...]:
        """What takes energy: every kind of strain of every beam, and the compliant joints."""
        return self.model.part_names

    @property
    def energy_shares(self) -> Floats:
        """(..., parts): share of the elastic energy that each part of `part_names` takes. They add up to 1."""
        energy = self._shapes[0] ** 2
        result: Floats = energy / energy.sum(axis=-1, keepdims=True) @ self.model.part_of
        return result

    @property
    def shape(self) -> BucklingShape:
        """How the arm gives way."""
        coordinates, displacement, rotation = self._shapes
        names = np.asarray(self.link, dtype=object)
        return BucklingShape(displacement, rotation, coordinates, self.q, self.factor, names, self.model)

    @cached_property
    def _shapes(self) -> tuple[Floats, Floats, Floats]:
        if self.found is None:
            raise ValueError(f"the shapes of {self.factor.size} states are not kept: choose some and ask again, "
                             "arm.buckling(q[buckling.worst.state])")
        return self.found

    @property
    def worst(self) -> WorstBuckling:
        """The state with the smallest factor, among those that are numbers."""
        if self.unknown.all():
            why = "only states that are not numbers" if self.factor.size else "no states"
            raise ValueError(f"there is no worst state: {why}")
        k = int(np.nanargmin(self.factor))
        names = np.asarray(self.link, dtype=object)
        return WorstBuckling(float(self.factor.flat[k]), str(names.flat[k]), place_of(k, self.factor.shape))

    def __getitem__(self, state: int | slice | tuple[int | slice, ...] | Ints) -> Buckling:
        """Some states of the batch."""
        if not self.factor.ndim:
            raise IndexError("this is the buckling of one state, there is no batch to choose from")
        numbers = np.arange(self.factor.size).reshape(self.factor.shape)[state]
        arrays = dict(zip(self.batch.arrays, self.batch.rows(numbers.ravel()), strict=True))
        case = self.batch.case_of(numbers.ravel())
        arrays = {name: array.reshape(*numbers.shape, array.shape[-1]) for name, array in arrays.items()}
        case = case.changed(
            lambda given: np.reshape(given, (*numbers.shape, np.shape(given)[-1])) if np.ndim(given) > 1 else given
        )
        found = None if self.found is None else tuple(part[state] for part in self.found)
        return replace(self, factor=np.asarray(self.factor[state]), batch=Batch(arrays, case),
                       error=np.asarray(self.error[state]), numbers=np.asarray(self.numbers[state]), found=found)  # type: ignore[arg-type]

    def plot(self, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of how the arm gives way, of one state: see `shape`."""
        return self.shape.plot(magnification=magnification)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        of = f"buckling of '{printable(self.model.arm.name)}'"
        missing = count_words(self.unknown)
        if self.unknown.all():
            return f"<{of}: {missing or 'no states'}>"
        worst = self.worst
        if self.factor.ndim:
            held = "all hold" if self.stable.all() else f"{int((~self.stable & ~self.unknown).sum())} past buckling"
            where = f"the smallest factor {worst.factor:.4g} ({printable(worst.link)}{state_words(worst.state)})"
            return f"<{of}: {self.factor.size} states, {where}, {held}{f'; {missing}' if missing else ''}>"
        if worst.factor == np.inf:
            return f"{of}: nothing buckles, however large the loads"
        lines = [f"{of}: all loads may grow by the factor {worst.factor:.4g}"
                 f"{'' if worst.factor > 1 else ', past buckling'}"]
        if self.found is not None:
            shares = self.energy_shares
            for k in np.argsort(-shares)[:4]:
                if shares[k] >= 0.05:
                    lines.append(f"{100 * shares[k]:5.0f} %  {printable(self.part_names[k])}")
        return "\n".join(lines)


def owners(model: VibrationModel) -> tuple[tuple[str, ...], Floats]:
    """Names of the links and joints that the coordinates belong to, and (size, owners) which one has which."""
    unique = tuple(dict.fromkeys(name for name, _ in model.owners))
    table = np.zeros((model.size, len(unique)))
    for name, columns in model.owners:
        table[columns, unique.index(name)] = 1.0
    return unique, table


def columns_in(low: VibrationModel, high: VibrationModel) -> Ints:
    """(size,): the coordinates of a model in one of the same arm with more polynomials: the first of each resultant of
    each piece.
    """
    result = np.empty(low.size, dtype=int)
    for (_, few), (_, many) in zip(low.owners, high.owners, strict=True):
        kinds, of = (model.part_of.argmax(axis=1) for model in (low, high))
        for kind in np.unique(kinds[few]):
            here = few.start + np.flatnonzero(kinds[few] == kind)
            there = many.start + np.flatnonzero(of[many] == kind)
            result[here] = there[: len(here)]
    return result
