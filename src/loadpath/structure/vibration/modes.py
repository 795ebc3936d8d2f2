"""Natural frequencies and mode shapes: the result of `natural_frequencies`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.printable import printable
from loadpath.scalars.types import Bools, Floats, Ints
from loadpath.states import count_words, unknown_states
from loadpath.structure.drawing.modes import mode_figure

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.vibration.model import VibrationModel


class BeamLine(NamedTuple):
    """The middle line of a beam of the undeflected arm, and how it moves; world axes, m."""

    link: str
    position: Floats
    """(points,), from the beam's start."""
    points: Floats
    """(points, 3)."""
    displacement: Floats
    """(modes, points, 3), per unit of modal mass."""


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    """Vibrations of an arm, lowest frequency first; batch axes in front. World axes, all links in phase.

    Shapes are of unit modal mass (their kinetic energy is rate^2 / 2), so their size has no meaning by itself; the
    largest displacement of a link frame counts positive.
    """

    frequencies: Floats
    """(..., count), Hz."""
    displacement: Floats
    """(..., count, links, 3): of the origins of the link frames."""
    rotation: Floats
    """(..., count, links, 3): of the link frames, small angles as a vector."""
    effective_mass: Floats
    """(..., count, 3), kg: what of the arm's moving mass a shaking of the base along world x, y, z brings to move in
    this mode; over all modes they add up to the moving mass."""
    coordinates: Floats
    """(..., count, size): in the elastic coordinates of `model`; their squares are shares of the energy."""
    q: Floats
    model: VibrationModel
    error: float
    """Relative change of a frequency when the last polynomials were added; NaN where the order was given."""
    past_buckling: Bools
    """(...): states whose loads are past buckling: an arm does not vibrate there, and its frequencies are NaN."""

    @property
    def unknown(self) -> Bools:
        """(...): states whose frequencies are not known: poses that are not numbers, or past buckling."""
        return unknown_states(self.frequencies)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What stores the energy: every kind of strain of every beam, and the compliant joints."""
        return self.model.part_names

    @property
    def energy_shares(self) -> Floats:
        """(..., count, parts): share of the elastic energy that each part of `part_names` stores. They add up to 1."""
        energy = self.coordinates**2
        total = energy.sum(axis=-1, keepdims=True)
        result: Floats = (energy / np.where(total > 0, total, 1.0)) @ self.model.part_of
        return result

    @property
    def names(self) -> NDArray[np.object_]:
        """The part that stores most of the energy of each mode: strings, an array (..., count)."""
        shares = self.energy_shares
        names = np.array([*self.part_names, "nan"], dtype=object)
        return names[np.where(np.isnan(shares).any(axis=-1), len(names) - 1, shares.argmax(axis=-1))]

    def __getitem__(self, state: int | slice | tuple[int | slice, ...] | Ints) -> Modes:
        """The modes of some states of the batch."""
        if self.frequencies.ndim == 1:
            raise IndexError("these are the modes of one state, there is no batch to choose from")
        arrays = (self.frequencies, self.displacement, self.rotation, self.effective_mass, self.coordinates, self.q)
        frequencies, displacement, rotation, effective, coordinates, q = (a[state] for a in arrays)
        past = np.asarray(self.past_buckling[state])
        return Modes(frequencies, displacement, rotation, effective, coordinates, q, self.model, self.error, past)

    def beam_lines(self, points: int = 25) -> list[BeamLine]:
        """The beams' middle lines and how they move in each mode of one state, at this many points along each piece."""
        if self.frequencies.ndim != 1:
            raise ValueError("beam lines are of one state: choose it, modes[3].beam_lines()")
        return beam_lines(self.model, self.q, self.coordinates, points)

    def plot(self, mode: int = 0, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of a mode of one state: the arm at rest, and at both ends of the vibration."""
        return mode_figure(self, mode, magnification)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        of = f"natural frequencies of '{printable(self.model.arm.name)}'"
        if self.frequencies.ndim != 1:
            lowest = self.frequencies[..., 0]
            known, missing = lowest[~np.isnan(lowest)], count_words(self.unknown & ~self.past_buckling)
            span = f"the lowest {known.min():.4g} to {known.max():.4g} Hz" if known.size else "none known"
            if self.past_buckling.any():
                span += f", {int(self.past_buckling.sum())} past buckling"
            return f"<{of}: {lowest.size} poses, {span}{f'; {missing}' if missing else ''}>"
        lines = [of]
        for k, (f, shares) in enumerate(zip(self.frequencies, self.energy_shares, strict=True)):
            best = [i for i in np.argsort(-shares)[:3] if shares[i] >= 0.05]
            strongest = ", ".join(f"{printable(self.part_names[i])} {100 * shares[i]:.0f} %" for i in best)
            lines.append(f"{k + 1:3d} {f:12.4g} Hz  {strongest}")
        return "\n".join(lines)


def beam_lines(model: VibrationModel, q: Floats, coordinates: Floats, points: int) -> list[BeamLine]:
    """Middle lines of all beams in a pose, moved by elastic coordinates (modes, size)."""
    curves = model.at(q[None]).beam_lines(coordinates, points)
    return [BeamLine(curve.link, curve.position, curve.points, curve.displacement) for curve in curves]
