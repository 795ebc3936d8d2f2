"""Forces and moments in the cross sections of a vibrating arm: the elastic coordinates are stress resultants."""

from __future__ import annotations

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.vibration.basis import strains
from loadpath.structure.vibration.model import VibrationModel


def section_map(model: VibrationModel, sections: int) -> Floats:
    """(sections, 6, size): force and moment, beam axes, in the sections of `stress`, per unit of each coordinate."""
    samples = skeleton(model.arm).samples(sections)
    result = np.zeros((len(samples), 6, model.size))
    for row, sample in enumerate(samples):
        piece = model.pieces[sample.element]
        assert piece.stretch is not None
        x = np.array([sample.x])
        at = piece.stretch.properties(x)
        stiffness = np.array([at.EA, at.GAy, at.GAz, at.GJ, at.EIy, at.EIz])
        result[row][:, piece.columns] = stiffness * strains(piece.stretch, x, piece.order, model.effects)[0]
    return result
