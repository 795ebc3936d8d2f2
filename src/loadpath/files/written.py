"""What a writer of robot files returns, whatever the format: the text, and what of the robot the format cannot say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadpath.robot.model import RobotModel


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
                                                          for drive in joint.drives)]  # fmt: skip
    if driven:
        found.append(f"motor data of {named(driven)} (efficiency, brake, torque constant, resistance, no-load torque): "
                     "no robot file has a word for them")  # fmt: skip
    return found


def named(names: Iterable[str], most: int = 4) -> str:
    """Some names for a sentence, each once: 'a', 'b' and 3 more.

    >>> named(["a", "b", "a"]), named("abcdef")
    ("'a', 'b'", "'a', 'b', 'c', 'd' and 2 more")
    """
    each = [f"'{name}'" for name in dict.fromkeys(names)]
    more = f" and {len(each) - most} more" if len(each) > most else ""
    return ", ".join(each[:most]) + more
