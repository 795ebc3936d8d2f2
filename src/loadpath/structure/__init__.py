"""Arms with elastic links and joints: how far they bend and whether they hold.

What a beam is, its material, section, guide and place, is data of the robot (`robot/beams`, `robot/sections`,
`robot/materials`, `robot/joint_compliance.py`); `skeleton.py` makes of it the mechanism that the formulations read, the
other files each answer one question.
"""

from loadpath.robot.beams.beam import Beam, Segment
from loadpath.robot.beams.guide import Guide
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.materials.material import ALUMINIUM, CARBON_UD, STEEL, TITANIUM, Material
from loadpath.robot.sections.hexagonal import HexagonalBar, HexagonalTube
from loadpath.robot.sections.open_profiles import Angle, Channel, TBeam
from loadpath.robot.sections.polygon import PolygonSection
from loadpath.robot.sections.round import Rod, Tube
from loadpath.robot.sections.section import Bar, Section, Shape
from loadpath.robot.sections.thin_walled import IBeam, RectangularTube
from loadpath.structure.beams.column import critical_load
from loadpath.structure.response.damping import Rayleigh

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
