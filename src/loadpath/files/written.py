"""What a writer of robot files returns, whatever the format: the text, and what of the robot the format cannot say; and
how it names meshes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.robot.shapes import MeshShape


@dataclass(frozen=True)
class Written:
    """A robot as text, and a sentence for each thing that the format has no word for.

    >>> Written("<robot name='arm'/>", ("gravity (0, 0, 0): URDF has no word for it",)).lost
    ('gravity (0, 0, 0): URDF has no word for it',)
    """

    text: str
    lost: tuple[str, ...] = ()


def lost_everywhere(robot: RobotModel) -> list[str]:
    """What no robot file has a word for: beams, guides and compliances, fitted parts, and the data sheets of motors.

    >>> import loadpath as lp
    >>> beams = {"link1": lp.Beam(lp.Tube(0.04, 0.003), lp.STEEL, "joint2")}
    >>> lost_everywhere(lp.catalog.two_link().with_beams(beams))
    ["beams of 'link1': no robot file has a word for them"]
    """
    found = [
        f"{what} of {named(name for name, _ in given)}: no robot file has a word for them"
        for what, given in (
            ("beams", robot.beams),
            ("guides", robot.guides),
            ("joint compliances", robot.joint_compliances),
            ("parts", robot.parts),
        )
        if given
    ]
    driven = [joint.name for joint in robot.joints if any(drive is not None and drive.motor_side != type(drive)()
                                                          for drive in joint.drives)]
    if driven:
        found.append(f"motor data of {named(driven)} (efficiency, brake, torque constant, resistance, no-load torque): "
                     "no robot file has a word for them")
    return found


def named(names: Iterable[str], most: int = 4) -> str:
    """Some names for a sentence, each once: 'a', 'b' and 3 more.

    >>> named(["a", "b", "a"]), named("abcdef")
    ("'a', 'b'", "'a', 'b', 'c', 'd' and 2 more")
    """
    each = [f"'{name}'" for name in dict.fromkeys(names)]
    more = f" and {len(each) - most} more" if len(each) > most else ""
    return ", ".join(each[:most]) + more


_SCHEME = re.compile(r"[a-z]+://", re.IGNORECASE)


def mesh_name(shape: MeshShape) -> str:
    """How to name a mesh in a file: as its source names it, but a path from the folder of that file as a whole path, if
    the mesh is there.

    >>> mesh_name(MeshShape("/a/b.stl", uri="package://a/b.stl")), mesh_name(MeshShape("b.stl"))
    ('package://a/b.stl', 'b.stl')
    """
    if shape.uri and (_SCHEME.match(shape.uri) or shape.content is not None or not Path(shape.file).is_absolute()):
        return shape.uri
    return shape.file


def not_written(shape: MeshShape, link: Link) -> list[str]:
    """What is to be said of a mesh whose file is not beside the one that is written."""
    if shape.content is None:
        return []
    return [f"mesh '{shape.file}' of link '{link.name}' came in an archive: it is named, and not written"]
