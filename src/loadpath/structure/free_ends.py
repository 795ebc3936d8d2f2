"""Whether the end of the last beam has a frame: a warning where what is reported of the tip is of another place."""

from __future__ import annotations

from loadpath.errors import warn
from loadpath.robot.beams.cut import ends_at_loops
from loadpath.robot.beams.placement import PlacedBeam, joint_of, link_in_joint_frame
from loadpath.robot.ends import ends_of
from loadpath.robot.model import RobotModel
from loadpath.structure.beams.skeleton import nearest

_SAME = 1e-3
"""Share of a beam's length within which places are one."""
_APART = 0.1
"""Share of a beam's length: a frame this far from the section that holds its link moves otherwise than that."""


def check_free_ends(arm: RobotModel, caller: str) -> None:
    """Warn of a last link with a beam that goes on beyond where it holds the link's frame, which does not move with the
    beam's end; and of a body welded to such a link, held far from its frame. An end that a loop holds is none of these.
    """
    for link in ends_of(arm):
        joint = joint_of(arm, link)
        if joint is None:
            continue
        beam = _only_beam(arm, link)
        if beam is not None and beam.beam == ends_at_loops(beam.beam, arm.loops):
            along = nearest([(0, beam)], link_in_joint_frame(arm, link).p).x
            beyond = beam.length - along
            if beyond > _SAME * beam.length:
                warn(f"{caller}: the beam of link '{link}' goes on for {beyond:.4g} m beyond the link's frame, and no "
                     f"frame moves with its end: displacements of '{link}' are those of its frame, {along:.4g} m along "
                     f"the beam. {_remedy(beam)}")
        if beam is not None:
            continue
        beam = _only_beam(arm, joint.parent)
        body = arm.link(link).inertia
        if beam is None or beam.child is not None or joint.motion.dof or body.mass == 0:
            continue
        pose = link_in_joint_frame(arm, joint.parent) @ joint.origin @ joint.link_offset
        frame, held = (nearest([(0, beam)], point).x for point in (pose.p, pose.transform(body.center_of_mass)))
        if abs(frame - held) > _APART * beam.length:
            warn(f"{caller}: the beam of link '{joint.parent}' holds '{link}' by its mass center, {held:.4g} m along, "
                 f"and the frame of '{link}' lies {frame:.4g} m along: displacements of '{link}' are those of its "
                 f"frame, not of what it weighs. {_remedy(beam)}")


def _only_beam(arm: RobotModel, link: str) -> PlacedBeam | None:
    """The beam of a link; None where it has none, or several, of which no single end stands for the link."""
    own = [beam for beam in arm.placed_beams if beam.link == link]
    return own[0] if len(own) == 1 else None


def _remedy(beam: PlacedBeam) -> str:
    return (f"Give the robot a link without mass there, by a fixed joint on '{beam.link}' with its origin at "
            f"{beam.beam.end!r}, before with_beams")
