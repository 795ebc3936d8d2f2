"""Beams: materials and sections, arms with elastic links and joints, how far they bend and whether they hold.

`beam.py`, `materials.py` and the files of sections say what a beam is, `flexible.py` has the robot with beams,
`skeleton.py` makes of it the mechanism that the formulations read, the other files each answer one question.
"""

from loadpath.structure.beams.beam import Beam, Segment
from loadpath.structure.beams.column import critical_load
from loadpath.structure.beams.guide import Guide
from loadpath.structure.joint_compliance import JointCompliance
from loadpath.structure.materials import ALUMINIUM, CARBON_UD, STEEL, TITANIUM, Material
from loadpath.structure.response.damping import Rayleigh
from loadpath.structure.sections.hexagonal import HexagonalBar, HexagonalTube
from loadpath.structure.sections.open_profiles import Angle, Channel, TBeam
from loadpath.structure.sections.polygon import PolygonSection
from loadpath.structure.sections.round import Rod, Tube
from loadpath.structure.sections.section import Bar, Section, Shape
from loadpath.structure.sections.thin_walled import IBeam, RectangularTube

__all__ = [
    "ALUMINIUM",
    "CARBON_UD",
    "STEEL",
    "TITANIUM",
    "Angle",
    "Bar",
    "Beam",
    "Channel",
    "Guide",
    "HexagonalBar",
    "HexagonalTube",
    "IBeam",
    "JointCompliance",
    "Material",
    "PolygonSection",
    "Rayleigh",
    "RectangularTube",
    "Rod",
    "Section",
    "Segment",
    "Shape",
    "TBeam",
    "Tube",
    "critical_load",
]
