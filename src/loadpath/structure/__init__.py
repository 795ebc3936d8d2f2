"""Arms with elastic links and joints: how far they bend and whether they hold.

What a beam is, its material, section, guide and place, is data of the robot (`robot/beams`, `robot/sections`,
`robot/materials`, `robot/joint_compliance.py`). The page `docs/elastic_models.md` says which model answers what:

- `beams/`: the skeleton (bodies, elements and lines), and statics on it, exact and compiled: deflection, stress, loads;
- `vibration/`: the elastic model, y = T eta, of stress resultants as coordinates, with a stiffness of one: M, K_G;
  guides and loops are rows of T; frequencies, buckling, and with `second_order.py` what bending makes of it;
- `loop_forces.py`: what loops exert; `resolved.py`: so the cut tree has the statics of the closed robot;
- `response/`: few combinations of the coordinates, along a motion; `fatigue/` counts what comes of it;
- `motion_in_time/`: the same pieces as rods, for which nothing is small.

The other files are questions that a user asks: each one a method of an arm.
"""

from loadpath.robot.beams.beam import Beam, Guide, Segment
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.materials import ALUMINIUM, CARBON_UD, STEEL, TITANIUM, Material
from loadpath.robot.sections.open_profiles import Angle, Channel, TBeam
from loadpath.robot.sections.polygon import PolygonSection
from loadpath.robot.sections.profiles import HexagonalBar, HexagonalTube, IBeam, RectangularTube, Rod, Tube
from loadpath.robot.sections.section import Bar, Section, Shape
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
