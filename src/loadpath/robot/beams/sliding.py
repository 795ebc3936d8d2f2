"""Beams and slides without a guide: what slides along a beam needs to be held somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot.beams.placement import PlacedBeam, joint_of, link_in_joint_frame
from loadpath.robot.joints import Cylindrical, Generalized, Helical, Prismatic
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint

ALONG = 0.996
"""Cosine of the angle between slide and beam from which on they go the same way: 5 degrees."""

NEARLY = 0.8
"""The same from which on they may be meant to."""


def refuse_slides(arm: RobotModel, beams: Sequence[PlacedBeam], guided: Iterable[str]) -> None:
    """Refuses a link that slides along its own beam, and a joint that slides along the beam of its parent, where no
    guide says what holds it: the length that is free, or the place of the load, changes with the extension. `guided`
    are the joints that have one.
    """
    guided = set(guided)
    for beam in beams:
        joint = joint_of(arm, beam.link)
        if joint is not None and joint.name not in guided:
            along = _along_slide(joint, beam)
            if along > ALONG:
                _refuse_turning(arm, joint, f"along the beam of its own link '{beam.link}'")
            _check_telescope(arm, beam, joint.name, along)
        for name, along in _carriages(arm, beam):
            if name not in guided:
                if along > ALONG:
                    _refuse_turning(arm, arm.joint(name), f"along the beam of '{beam.link}'")
                _check_carriage(arm, beam, name, along)


def _refuse_turning(arm: RobotModel, joint: Joint, where: str) -> None:
    """An error for a joint that turns as well as slides: it takes no guide."""
    if not isinstance(joint.motion, Prismatic):
        raise ModelError(f"arm '{arm.name}': joint '{joint.name}' ({type(joint.motion).__name__}) slides {where}, and "
                         "how the beam is loaded changes with the extension. A guide holds joints that slide and do "
                         "not turn: make it two joints, a lp.Revolute and a lp.Prismatic with a guide")


def _check_telescope(arm: RobotModel, beam: PlacedBeam, joint: str, along: float) -> None:
    if along > ALONG:
        raise ModelError(f"arm '{arm.name}': link '{beam.link}' slides along its own beam by joint '{joint}', as a "
                         "telescope does, and how much of the beam is free changes with the extension. Give the beam "
                         "a guide that holds it: guide=lp.Guide(front=..., tail=...) for a telescope, lp.Guide(at=...) "
                         "for a carriage in which it slides; lp.Guide(at=0, pads_on='child') clamps it where its joint "
                         "frame is")
    if along > NEARLY:
        warn(f"arm '{arm.name}': link '{beam.link}' slides at {_degrees(along):.3g} degrees to its own beam: as a "
             "telescope does? The beam keeps its whole length and is clamped at its start, however far it is drawn "
             "out: a guide (lp.Guide) holds a beam that is parallel to the slide")


def _check_carriage(arm: RobotModel, beam: PlacedBeam, joint: str, along: float) -> None:
    if along > ALONG:
        raise ModelError(f"arm '{arm.name}': joint '{joint}' slides along the beam of '{beam.link}', and the place of "
                         f"its load moves along the beam. Give the joint a guide: guides={{'{joint}': lp.Guide(at=0, "
                         "pads_on='child')} for a carriage on the beam, with spacing= for two pads")
    warn(f"arm '{arm.name}': joint '{joint}' slides at {_degrees(along):.3g} degrees to the beam of '{beam.link}': "
         "along it? It loads that beam at the joint's own origin wherever the carriage is: a guide (lp.Guide) moves "
         "along a beam that is parallel to the slide")


def _degrees(along: float) -> float:
    return float(np.degrees(np.arccos(min(along, 1.0))))


def _along_slide(joint: Joint, beam: PlacedBeam) -> float:
    """Cosine of the angle between a beam and the slide of its own link; zero where it does not slide."""
    return max((abs(float(np.array(axis) @ beam.axes[:, 0])) for axis, _ in _slides(joint)), default=0.0)


def _slides(joint: Joint) -> list[tuple[Vector3, tuple[float, float]]]:
    """The directions in which a joint slides along a fixed axis of its child, each with its limits (m)."""
    motion, limits = joint.motion, [(bound.lower, bound.upper) for bound in joint.limits]
    if isinstance(motion, Prismatic):
        return [(motion.axis, limits[0])]
    if isinstance(motion, Cylindrical):
        return [(motion.axis, limits[1])]
    if isinstance(motion, Helical) and motion.pitch != 0:
        return [(motion.axis, (motion.pitch * limits[0][0], motion.pitch * limits[0][1]))]
    if isinstance(motion, Generalized):
        return list(zip(motion.slides, limits[len(motion.turns) :], strict=True))
    return []


def _carriages(arm: RobotModel, beam: PlacedBeam) -> list[tuple[str, float]]:
    """Joints that slide along a beam, other than outwards from its end, with the cosine of the angle to it."""
    found = []
    frame = link_in_joint_frame(arm, beam.link)
    for joint in arm.joints:
        for axis, travel in _slides(joint) if joint.parent == beam.link else ():
            along = float((frame.R @ joint.origin.R @ np.array(axis)) @ beam.axes[:, 0])
            place = float((frame.transform(joint.origin.translation) - beam.start) @ beam.axes[:, 0])
            reach = [limit * along for limit in travel if np.isfinite(limit)]
            outwards = place > (1 - 1e-6) * beam.length and (not reach or min(reach) >= -1e-9)
            if abs(along) > NEARLY and not outwards:
                found.append((joint.name, abs(along)))
    return found
