"""Where along a beam an external wrench acts: a warning where that is not the point that the wrench has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loadpath.errors import warn
from loadpath.quantities.wrench import Wrench
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.model import RobotModel
from loadpath.structure.beams.skeleton import nearest

_SAME = 1e-3
"""Share of a beam's length within which sections are one."""


def check_wrench_points(arm: RobotModel, external: Mapping[str, Wrench] | None) -> None:
    """Warn of wrenches at points of a link with a beam other than its frame: the beam holds them where it holds the
    frame, so that it is not bent in between as it would be.
    """
    for link, wrench in (external or {}).items():
        own = [(k, beam) for k, beam in enumerate(arm.placed_beams) if beam.link == link]
        point = getattr(wrench, "point", None)
        if getattr(wrench, "parts", None):  # a load, held at the frame as a payload is
            continue
        if not own or not isinstance(point, np.ndarray) or not point.any() or not np.isfinite(point).all():
            continue
        frame = link_in_joint_frame(arm, link)
        held = nearest(own, frame.p)
        far = point.reshape(-1, 3)[np.linalg.norm(point.reshape(-1, 3), axis=-1).argmax()]
        if getattr(wrench, "axes", "world") == "link":
            other = nearest(own, frame.transform(far))
            apart = other.beam != held.beam or abs(other.x - held.x) > _SAME * own[0][1].length
        else:  # in which direction of the link that is depends on the state
            apart = bool(np.linalg.norm(far) > _SAME * own[0][1].length)
        if apart:
            warn(f"arm '{arm.name}': the external wrench on link '{link}' acts at a point {np.linalg.norm(far):.4g} m "
                 f"from the link's frame, and the link's beam holds it where it holds the frame, {held.x:.4g} m along: "
                 "to press on the beam elsewhere, weld a link without mass there and give it the wrench")
