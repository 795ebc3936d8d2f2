"""Beams and slides: what a beam along a sliding joint leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import warn
from loadpath.robot.joints import Prismatic
from loadpath.structure.beams.placement import PlacedBeam, joint_of, link_in_joint_frame

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot

ALONG = 0.8
"""Cosine of the angle between slide and beam from which on they go the same way."""


def warn_of_slides(arm: FlexibleRobot, beams: Iterable[PlacedBeam]) -> None:
    """One warning each for telescopes, whose free length is not that of their beams, and for carriages on beams."""
    beams = list(beams)
    inner = [beam for beam in beams if _telescopes(arm, beam)]
    if inner:
        names = ", ".join(f"'{name}'" for name in dict.fromkeys(beam.link for beam in inner))
        warn(f"arm '{arm.name}': {names} slides along its own beam, as a telescope does. The beam keeps its whole "
             "length and is clamped at its start, however far it is drawn out: what its guide holds, and that the free "
             "length changes with the extension, is left out of deflection, stress and frequencies")  # fmt: skip
    carriages = [(beam, name) for beam in beams for name in _carriages(arm, beam)]
    if carriages:
        beam, name = carriages[0]
        warn(f"arm '{arm.name}': joint '{name}' slides along the beam of '{beam.link}', and loads that beam at the "
             "joint's own origin wherever the carriage is: that the load moves along the beam is left out")  # fmt: skip


def _telescopes(arm: FlexibleRobot, beam: PlacedBeam) -> bool:
    joint = joint_of(arm, beam.link)
    if joint is None or not isinstance(joint.motion, Prismatic):
        return False
    axis = joint.motion.axis_direction()
    return axis is not None and abs(float(np.array(axis) @ beam.axes[:, 0])) > ALONG


def _carriages(arm: FlexibleRobot, beam: PlacedBeam) -> list[str]:
    """Joints that slide along a beam, other than outwards from its end."""
    found = []
    frame = link_in_joint_frame(arm, beam.link)
    for joint in arm.joints:
        axis = joint.motion.axis_direction()
        if joint.parent != beam.link or not isinstance(joint.motion, Prismatic) or axis is None:
            continue
        along = float((frame.R @ joint.origin.R @ np.array(axis)) @ beam.axes[:, 0])
        place = float((frame.transform(joint.origin.translation) - beam.start) @ beam.axes[:, 0])
        reach = [limit * along for limit in (joint.limits[0].lower, joint.limits[0].upper) if np.isfinite(limit)]
        outwards = place > (1 - 1e-6) * beam.length and (not reach or min(reach) >= -1e-9)
        if abs(along) > ALONG and not outwards:
            found.append(joint.name)
    return found
