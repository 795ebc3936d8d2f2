"""Forces and moments in the cross sections of a vibrating arm: the elastic coordinates are stress resultants."""

from __future__ import annotations

import numpy as np
from numpy.polynomial.legendre import legvander

from loadpath.scalars.types import Floats
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.vibration.basis import RESULTANTS, orthonormal, polynomials
from loadpath.structure.vibration.model import VibrationModel

_PLACES = {"extension": 0, "shear along y": 1, "shear along z": 2, "torsion": 3, "bending about y": 4,
           "bending about z": 5}  # fmt: skip


def section_map(model: VibrationModel, sections: int) -> Floats:
    """(sections, 6, size): force and moment, beam axes, in the cross sections of `stress` per unit of each coordinate.
    """
    samples = skeleton(model.arm).samples(sections)
    result = np.zeros((len(samples), 6, model.size))
    for row, sample in enumerate(samples):
        piece = model.pieces[sample.element]
        assert piece.stretch is not None
        first = piece.columns.start
        for resultant in RESULTANTS:
            if resultant.effect not in model.effects:
                continue
            size = polynomials(resultant, piece.order)
            values = legvander(np.array([2 * sample.x / piece.stretch.length - 1]), size - 1)[0]
            columns = slice(first, first + size)
            result[row, _PLACES[resultant.name], columns] = orthonormal(piece.stretch, resultant, size) @ values
            first += size
    return result
