"""Short SDF texts for tests: bodies and joints in a line each."""

from __future__ import annotations

import loadpath as lp
from loadpath.api.loading import closed_from
from loadpath.api.robot import as_robot
from loadpath.files.contract import ReadRobot


def body(name: str, pose: str = "0 0 0 0 0 0", mass: float = 1.0, inside: str = "") -> str:
    """A link with a round inertia 0.1 m above its origin."""
    moments = "".join(f"<{tag}>0.02</{tag}>" for tag in ("ixx", "iyy", "izz"))
    inertial = f"<inertial><pose>0 0 0.1 0 0 0</pose><mass>{mass}</mass><inertia>{moments}</inertia></inertial>"
    return f"<link name='{name}'><pose>{pose}</pose>{inertial}{inside}</link>\n"


def joint(name: str, parent: str, child: str, kind: str = "revolute", axis: str = "0 1 0", inside: str = "",
          in_axis: str = "") -> str:
    given = "" if kind in ("fixed", "ball") else f"<axis><xyz>{axis}</xyz>{in_axis}</axis>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f"<joint name='{name}' type='{kind}'>{ends}{given}{inside}</joint>\n"


def model(*parts: str, name: str = "robot", version: str = "1.9", attributes: str = "") -> str:
    return f"<sdf version='{version}'>\n<model name='{name}' {attributes}>\n{''.join(parts)}</model></sdf>"


def world(*parts: str, version: str = "1.9") -> str:
    return f"<sdf version='{version}'>\n<world name='w'>\n{''.join(parts)}</world></sdf>"


def robot_of(read: ReadRobot) -> lp.Robot:
    """The robot that a reader found."""
    if not (read.loops or read.couplings):
        return as_robot(read.tree)
    return closed_from(read, "r.sdf")
