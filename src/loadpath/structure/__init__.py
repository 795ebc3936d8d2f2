"""Beams: materials and sections, arms with elastic links and joints, how far they bend and whether they hold.

`beam.py`, `sections.py` and `materials.py` say what a beam is, `flexible.py` has the robot with beams, `skeleton.py`
makes of it the mechanism that the formulations read, the other files each answer one question.
"""

from loadpath.structure.beam import Beam, Segment
from loadpath.structure.joint_compliance import JointCompliance
from loadpath.structure.materials import ALUMINIUM, CARBON_UD, STEEL, TITANIUM, Material
from loadpath.structure.sections import Bar, IBeam, RectangularTube, Rod, Section, Tube

__all__ = [
    "ALUMINIUM",
    "CARBON_UD",
    "STEEL",
    "TITANIUM",
    "Bar",
    "Beam",
    "IBeam",
    "JointCompliance",
    "Material",
    "RectangularTube",
    "Rod",
    "Section",
    "Segment",
    "Tube",
]
