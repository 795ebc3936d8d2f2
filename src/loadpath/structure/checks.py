"""What is checked of a call for a flexible arm: its choices, whether its guides hold, and where beams hold frames and
wrenches.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.quantities.wrench import Wrench
from loadpath.robot.beams.edit import ends_at_loops
from loadpath.robot.beams.placement import PlacedBeam, PlacedGuide, fault, joint_of, link_in_joint_frame
from loadpath.robot.ends import ends_of
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names, chosen_names
from loadpath.states import place_of, state_words
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.beams.skeleton import nearest

ALIKE = "with small displacements it is the same under all loads; deflection, stress and their kin take them"
"""Why loads are not taken, and what to do."""


def whole_number(value: object, what: str, least: int = 1) -> int:
    """A whole number, or an error that says what came.

    >>> whole_number(2.5, "'pieces'")
    Traceback (most recent call last):
    ValueError: 'pieces' is 2.5: expected a whole number, 1 or more
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{what} is {value!r}: expected a whole number, {least} or more")
    return int(value)


def chosen_effects(effects: Names) -> tuple[str, ...]:
    """Effects in their usual order, all of them unless given; a mapping changes those that it names.

    >>> chosen_effects(["torsion", "bending"]), chosen_effects({"shear": False})
    (('bending', 'torsion'), ('bending', 'torsion', 'extension', 'joints'))
    """
    return chosen_names(effects, EFFECTS, "'effects'", "effect of a flexible arm")


def check_guide_range(arm: RobotModel, q: object) -> None:
    """Refuses states in which a pad has left its beam, or the pads of a guide have met: nothing holds the link there.
    States that are not numbers are none of these; lazy arrays (Dask's) are not computed for it, and NaN there.
    """
    if not arm.placed_guides or not isinstance(q, (np.ndarray, list, tuple)):
        return
    q = np.asarray(q, dtype=float)
    if q.shape[-1:] != (arm.nq,):
        return  # an error that comes anyway
    for guide in arm.placed_guides:
        if not guide.extension.moves:
            continue  # locked, and looked at when the arm was made
        x, (low, high) = q[..., guide.extension.coordinate], guide.allowed
        with np.errstate(invalid="ignore"):
            lost = (x < low) | (x > high)
        if not lost.any():
            continue
        state = place_of(int(np.argmax(lost)), np.shape(lost))
        value = float(x[state])
        own = guide.extension.at({guide.extension.coordinate: value})
        several = f" ({int(lost.sum())} of {lost.size} states)" if np.shape(lost) else ""
        raise ModelError(f"arm '{arm.name}', joint '{guide.joint}' at {own:g} m{state_words(state)}{several}: "
                         f"{fault(guide, value)}. Its guide, {guide.guide}, holds it from {_words(guide)}")


def _words(guide: PlacedGuide) -> str:
    """The extensions at which a guide holds."""
    ends = sorted(guide.extension.at({guide.extension.coordinate: q}) for q in guide.allowed)
    return " to ".join(f"{round(end, 6) + 0.0:g}" for end in ends) + " m"


def refuse_guides(arm: RobotModel, what: str, instead: str) -> None:
    """An error where an arm has a guide and the question does not know guides."""
    if arm.placed_guides:
        guide = arm.placed_guides[0]
        raise ModelError(f"arm '{arm.name}': {what} does not know guides, and joint '{guide.joint}' has one "
                         f"({guide.guide}): {instead}")


def refuse_loops(arm: RobotModel, what: str, instead: str) -> None:
    """An error where an arm has loops and the question does not know them."""
    if arm.held_by_loops:
        raise ModelError(f"arm '{arm.name}': {what} does not know loops: {instead}")


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
