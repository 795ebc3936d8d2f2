"""Forces and moments in the cross sections of a vibrating arm: the elastic coordinates are stress resultants."""

from __future__ import annotations

import numpy as np

from loadpath.robot.beams.placement import Stretch
from loadpath.scalars.types import Floats
from loadpath.structure.beams.line_equations import SAME
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.vibration.basis import strains
from loadpath.structure.vibration.placed import PlacedModel


def section_map(placed: PlacedModel, sections: int) -> Floats:
    """(sections, 6, size): force and moment, beam axes, in the sections of `stress` per unit of each coordinate, in the
    first state.
    """
    model, edges = placed.model, placed.extension.edges
    samples = skeleton(model.tree).samples(sections)
    result = np.zeros((len(samples), 6, model.size))
    pieces = [line.stretches(starts[0], stops[0]) for line, (starts, stops) in zip(model.lines, edges, strict=True)]
    for row, sample in enumerate(samples):
        if sample.on_line is None:
            piece = model.pieces[sample.element]
            assert piece.stretch is not None
            result[row][:, piece.columns] = _resultants(piece.stretch, sample.x, piece.order, model.effects)
            continue
        number, x = sample.on_line.line, float(sample.on_line.place(placed.q[0]))
        line = model.lines[number]
        held = _piece_at(pieces[number], x, sample.on_line.after, SAME * line.line.length)
        if held is None:
            if sample.on_line.after or line.line.guide is not None:
                continue  # nothing is beyond, or all that is beyond is in equilibrium
            held = next(k for k, (stretch, _, _) in enumerate(pieces[number]) if stretch is not None)
        stretch, _, order = pieces[number][held]
        assert stretch is not None
        inside = min(max(x - stretch.start, 0.0), stretch.length)
        columns = model.pieces[line.first + held].columns
        result[row][:, columns] = _resultants(stretch, inside, order, model.effects)
    return result


def _resultants(stretch: Stretch, x: float, order: int, effects: tuple[str, ...]) -> Floats:
    """(6, coordinates): force and moment at a place of a piece."""
    place = np.array([x])
    at = stretch.properties(place)
    stiffness = np.array([at.EA, at.GAy, at.GAz, at.GJ, at.EIy, at.EIz])
    result: Floats = stiffness * strains(stretch, place, order, effects)[0]
    return result


def _piece_at(pieces: list[tuple[Stretch | None, float, int]], x: float, after: bool, slack: float) -> int | None:
    """The piece just after a place, or just before it; None at the end of the beam, or at its start."""
    if after:
        return next((k for k, (s, _, _) in enumerate(pieces) if s is not None and s.stop > x + slack), None)
    found = [k for k, (s, _, _) in enumerate(pieces) if s is not None and s.start < x - slack]
    return found[-1] if found else None
