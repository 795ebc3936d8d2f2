"""Beams, guides and compliant joints given to a robot, and what becomes of them when joints are locked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot import edit
from loadpath.robot.beams.beam import Beam, Guide
from loadpath.robot.beams.placement import PlacedBeam, joint_of, link_in_joint_frame, placed_beams
from loadpath.robot.inertia import Inertia
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.joints import Cylindrical, Fixed, Generalized, Helical, Prismatic
from loadpath.robot.loops import Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Vector3
from loadpath.robot.parts import Joint, Link
from loadpath.robot.tree import model_warnings
from loadpath.scalars.types import ArrayLike

# Beams and slides without a guide: what slides along a beam needs to be held somewhere.


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


R = TypeVar("R", bound=RobotModel)


def with_beams(
    robot: R,
    beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
    *,
    joint_compliance: Mapping[str, JointCompliance] | None = None,
    guides: Mapping[str, Guide] | None = None,
    inertia_from_beams: bool = False,
) -> R:
    """The robot with beams in some links and compliance in some joints. A link without a beam is rigid.

    `beams` gives for a link its beam, or a list of beams that end at different children. `joint_compliance` gives for a
    joint its `JointCompliance`, `guides` for a sliding joint its `Guide` (where the link that slides has a beam, the
    beam may have it). Of a robot with loops a beam may end at a loop, and a loop may be compliant, by their names. On a
    robot that has beams already, those of the links and joints named are replaced.

    Mass. The beam's mass, from its density, lies along it; what the link weighs beyond that acts as a rigid lump, held
    by the section of the beam that is nearest to the lump's mass center. A link that weighs less than its beam has all
    its mass spread like the beam's, and a `ModelWarning` says so. With `inertia_from_beams=True` the link's
    inertia is that of its beams.

    What hangs on a link (other joints at their origins, welded bodies by their mass centers) is held by the nearest
    section of its beams; the child that a beam ends at by its end.

    >>> import loadpath as lp
    >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(tube, lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> round(arm.link("link1").inertia.mass, 4)          # 7850 kg/m^3 times 238.76 mm^2
    1.8743
    """
    if robot.held_by_loops:
        return _with_beams_and_loops(robot, beams, joint_compliance, guides, inertia_from_beams)
    chosen = _read_beams(robot, beams or {})
    compliances = _read_compliances(robot, joint_compliance or {})
    slides = _read_guides(robot, guides or {})
    # A guide of a joint gives way to that of the beam of the link that slides.
    guided = {joint.name for link, beam in chosen if beam.guide is not None and (joint := joint_of(robot, link))}
    arm = replace(
        robot,
        beams=(*(entry for entry in robot.beams if entry[0] not in dict(chosen)), *chosen),
        joint_compliances=(
            *(entry for entry in robot.joint_compliances if entry[0] not in dict(compliances)),
            *compliances,
        ),
        guides=(*(entry for entry in robot.guides if entry[0] not in {*dict(slides), *guided}), *slides),
    )
    if not arm.is_elastic:
        return arm
    refuse_slides(arm, arm.placed_beams, [guide.joint for guide in arm.placed_guides])
    own = {link: [b for b in arm.placed_beams if b.link == link] for link, _ in chosen}
    for beam in (beam for placed in own.values() for beam in placed):
        _check_size(beam)
        _check_walls(beam)
    if inertia_from_beams:
        made = {link: _inertia(arm, link, placed) for link, placed in own.items()}
        links = tuple(replace(k, inertia=made[k.name]) if k.name in made else k for k in arm.links)
        return replace(arm, links=links)
    for link, placed in own.items():
        _compare_masses(arm, link, sum(beam.mass for beam in placed))
    return arm


def _with_beams_and_loops(
    robot: R,
    beams: Mapping[str, Beam | Iterable[Beam]] | None,
    joint_compliance: Mapping[str, JointCompliance] | None,
    guides: Mapping[str, Guide] | None,
    inertia_from_beams: bool,
) -> R:
    """The beams are given to the tree with its loops cut, where a beam that ends at a loop ends at the cut."""
    compliances = dict(_named(joint_compliance or {}, "joint_compliance is", "joint names to JointCompliance"))
    of_loops = {name: given for name, given in compliances.items() if name in robot.loop_names}
    kept = tuple(entry for entry in robot.loop_compliances if entry[0] not in of_loops)
    given = _named(beams or {}, "beams are a", "link names to beams")
    ended = {robot.link(link).name: _at_welds(link, several, robot) for link, several in given.items()}
    others = {name: compliance for name, compliance in compliances.items() if name not in of_loops}
    opened = with_beams(
        robot.cut, ended, joint_compliance=others, guides=guides, inertia_from_beams=inertia_from_beams
    )
    inertias = {link.name: link for link in opened.links}
    return replace(
        robot,
        links=tuple(inertias[link.name] for link in robot.links),
        beams=tuple((link, ends_at_loops(beam, robot.loops)) for link, beam in opened.beams),
        joint_compliances=(*opened.joint_compliances, *kept, *of_loops.items()),
        guides=opened.guides,
    )


def _at_welds(link: str, given: Any, robot: RobotModel) -> Any:
    """The beams of a link with their ends at the cuts; what is not a beam is refused later."""
    several = [given] if isinstance(given, Beam) or not isinstance(given, Iterable) else list(given)
    return [ends_at_welds(link, beam, robot.loops) if isinstance(beam, Beam) else beam for beam in several]


def _read_beams(robot: RobotModel, beams: Any) -> tuple[tuple[str, Beam], ...]:
    read: list[tuple[str, Beam]] = []
    for link, given in _named(beams, "beams are a", "link names to beams").items():
        several = given if isinstance(given, Iterable) and not isinstance(given, Beam) else [given]
        read += [(link, checked_beam(robot, link, beam)) for beam in several]
    return tuple(read)


def _read_compliances(robot: RobotModel, compliances: Any) -> tuple[tuple[str, JointCompliance], ...]:
    read = _named(compliances, "joint_compliance is", "joint names to JointCompliance")
    return tuple((joint, checked_compliance(robot, joint, given)) for joint, given in read.items())


def _read_guides(robot: RobotModel, guides: Any) -> tuple[tuple[str, Guide], ...]:
    read = _named(guides, "guides are", "joint names to Guide")
    return tuple((joint, checked_guide(robot, joint, given)) for joint, given in read.items())


def _named(given: Any, what: str, expected: str) -> Mapping[str, Any]:
    """What is given by names of links or joints."""
    if not isinstance(given, Mapping):
        shown = type(given).__name__ if what.endswith(" a") else repr(given)  # a beam has many words
        raise ValueError(f"with_beams: {what} {shown}: expected a dict from {expected}")
    return given


def _inertia(arm: RobotModel, link: str, beams: Iterable[PlacedBeam]) -> Inertia:
    """Inertia of a link's beams, in the link's frame."""
    total = Inertia()
    for beam in beams:
        total = total + beam.inertia()
    return total.seen_from(link_in_joint_frame(arm, link).inverse())


def _check_size(placed: PlacedBeam) -> None:
    """Ask about sections far wider than the beam is long, and about beams longer than those of any arm."""
    for segment in placed.beam.segments:
        for section in (segment.section, segment.end_section or segment.section):
            gyration = math.sqrt(max(section.second_moment_y, section.second_moment_z) / section.area)
            if gyration > 5 * placed.length or placed.length > 100.0:
                warn(f"{placed}: it is {placed.length:.4g} m long, and its section {section} has a radius of gyration "
                     f"of {gyration:.4g} m: are all of its dimensions in m?")
                return


def _check_walls(placed: PlacedBeam) -> None:
    """Warn of a wall so thin that it buckles locally well before the section yields."""
    for segment in placed.beam.segments:
        for section in (segment.section, segment.end_section or segment.section):
            found = section.local_buckling(segment.material)
            if found.weakens:
                by_axis = [f"{stress / 1e6:.3g} MPa" for stress in (found.bending_y, found.bending_z)]
                stresses = f"{by_axis[0]}, bent about y and {by_axis[1]}, bent about z"
                if by_axis[0] == by_axis[1]:
                    stresses = f"{by_axis[0]} in bending"
                warn(f"{placed}: the {found.wall} of its section is {found.slenderness:.3g} times as wide as thick, "
                     f"beyond {found.limit:.3g}, up to which a wall of '{segment.material.name}' yields before it "
                     f"buckles locally (class 3): the section may wrinkle at {stresses}; see stress(...).local"
                     )
                return


def _compare_masses(arm: RobotModel, link: str, beams: float) -> None:
    mass = arm.link(link).inertia.mass
    if beams > mass * (1 + 1e-9):
        warn(f"link '{link}' weighs {mass:.6g} kg, less than its beam by its density, {beams:.6g} kg: the link's mass "
             "is kept and spread along the beam; inertia_from_beams=True takes the beam's")


def locked_beams(arm: R, joints: Mapping[str, ArrayLike]) -> R:
    """An open chain with joints frozen, its beams as they are. A guide holds as it does at that extension."""
    guided = {guide.joint: guide.guide for guide in arm.placed_guides}
    loose = replace(arm, beams=tuple((link, _unguided(arm, beam, guided)) for link, beam in arm.beams), guides=())
    made = edit.locked(loose, joints)
    frozen = {name: guide for name, guide in guided.items()
              if made.joint(name).motion != arm.joint(name).motion}
    beams = []
    for link, beam in arm.beams:
        joint, kept = joint_of(arm, link), beam
        if isinstance(beam.end, str) and made.joint(beam.end).motion != arm.joint(beam.end).motion:
            before, after = (robot.joint(beam.end).origin.translation for robot in (arm, made))
            slide = math.dist(before, after)
            if beam.end in frozen:
                kept = replace(beam, end=before)
            elif slide > 1e-12:
                raise ModelError(f"link '{link}': its beam ends at joint '{beam.end}', which would be locked "
                                 f"{slide:.4g} m away from there, and the beam would grow with it: lock the joint "
                                 f"before with_beams, and give the beam the point where it ends, end={before}"
                                 )
        beams.append((link, replace(kept, guide=None) if joint and joint.name in frozen else kept))
    guides = {name: guide for name, guide in arm.guides if name not in frozen}
    for name, guide in frozen.items():
        still, moved = (robot.joint(name).origin for robot in (arm, made))
        axis = still.R @ np.array(guide.axis(arm.joint(name)))
        guides[name] = guide.locked(arm.joint(name), float(axis @ (moved.p - still.p)))
    return replace(made, beams=tuple(beams), guides=tuple(guides.items()))


def _unguided(arm: RobotModel, beam: Beam, guided: Mapping[str, Guide]) -> Beam:
    """The beam without its guide; one that ends at a joint with a guide ends at the same point."""
    end = arm.joint(beam.end).origin.translation if isinstance(beam.end, str) and beam.end in guided else beam.end
    return replace(beam, guide=None, end=end)


# The tree of a closed robot with its loops cut: at either side of every cut a link without mass, where the beam of the
# link that it is on holds it, and where the wrench of the loop acts.


SIDES = ("first", "second")



def opened_tree(robot: R) -> R:
    """A robot without its loops and couplings; a beam that ended at a loop ends at that point of its link."""
    return _opened(robot, beams=tuple((link, ends_at_points(link, beam, robot.loops)) for link, beam in robot.beams))


def cut_robot(robot: R) -> R:
    """A robot with its loops cut, with a link without mass at either side of every cut, where beams end."""
    links, joints = markers(robot.loops)
    beams = tuple((link, ends_at_welds(link, beam, robot.loops)) for link, beam in robot.beams)
    return _opened(robot, links=(*robot.links, *links), joints=(*robot.joints, *joints), beams=beams)


def _opened(robot: R, **changed: Any) -> R:
    # What holds massless links is cut for the sake of the equations: no reason to warn.
    known = robot.known_faults | frozenset(model_warnings(robot.links, robot.joints))
    of_tree = tuple(entry for entry in robot.joint_compliances if entry[0] not in robot.loop_names)
    nothing: dict[str, Any] = dict.fromkeys(("loops", "couplings", "drives", "near"), ())
    return replace(robot, **nothing, known_faults=known, joint_compliances=of_tree, **changed)


def marker(loop: str, side: str) -> str:
    """Name of the link at a side of a cut.

    >>> marker("pin", "first")
    'pin.first'
    """
    return f"{loop}.{side}"


def weld(loop: str, side: str) -> str:
    """Name of the weld that holds it."""
    return f"{loop}.{side} weld"


def markers(loops: Iterable[Loop]) -> tuple[list[Link], list[Joint]]:
    """The links without mass at all cuts, and their welds."""
    links, joints = [], []
    for loop in loops:
        for side, parent, pose in zip(SIDES, (loop.first, loop.second), (loop.at, loop.on), strict=True):
            links.append(Link(marker(loop.name, side)))
            joints.append(Joint(weld(loop.name, side), parent, marker(loop.name, side), Fixed(), pose))
    return links, joints


def ends_at_welds(link: str, beam: Beam, loops: Sequence[Loop]) -> Beam:
    """A beam that ends at a loop, as one that ends at the weld of the cut on its link."""
    for loop in loops:
        if beam.end == loop.name:
            return replace(beam, end=weld(loop.name, _side(link, loop)))
    return beam


def ends_at_loops(beam: Beam, loops: Sequence[Loop]) -> Beam:
    """The same back."""
    for loop in loops:
        if beam.end in [weld(loop.name, side) for side in SIDES]:
            return replace(beam, end=loop.name)
    return beam


def ends_at_points(link: str, beam: Beam, loops: Sequence[Loop]) -> Beam:
    """A beam that ends at a loop, as one that ends at that point of its link."""
    for loop in loops:
        if beam.end == loop.name:
            pose = loop.at if _side(link, loop) == "first" else loop.on
            return replace(beam, end=pose.translation)
    return beam


def _side(link: str, loop: Loop) -> str:
    if link not in (loop.first, loop.second):
        raise ModelError(f"link '{link}': its beam ends at loop '{loop.name}', which is between '{loop.first}' and "
                         f"'{loop.second}'")
    return "first" if link == loop.first else "second"


def as_joint(loop: Loop) -> Joint:
    """A loop as the joint that it is, from its first link to its second, for what a joint is asked."""
    return Joint(loop.name, loop.first, loop.second, loop.motion, loop.at)


# What is refused as a beam, a compliance or a guide of a robot, wherever it comes from.


T = TypeVar("T")


def checked_beam(robot: RobotModel, link: str, beam: object) -> Beam:
    """A beam of a link that is there."""
    return _checked(f"link '{robot.link(link).name}': its beam", beam, Beam, "")


def checked_compliance(robot: RobotModel, joint: str, compliance: object) -> JointCompliance:
    """A compliance of a joint or a loop that is there."""
    if joint in robot.loop_names:
        example = ", like JointCompliance(radial=1e7)"
        return _checked(f"loop '{joint}': its compliance", compliance, JointCompliance, example)
    example = ", like JointCompliance(drive=2e4)"
    return _checked(f"joint '{robot.joint(joint).name}': its compliance", compliance, JointCompliance, example)


def checked_guide(robot: RobotModel, joint: str, guide: object) -> Guide:
    """A guide of a joint that is there."""
    return _checked(f"joint '{robot.joint(joint).name}': its guide", guide, Guide, ", like Guide(at=0)")


def check_elastic(robot: RobotModel) -> None:
    """Refuse what a robot has that is none of these, or that is on links and joints which are not there."""
    beams = [(link, checked_beam(robot, link, beam)) for link, beam in robot.beams]
    for joint, compliance in robot.joint_compliances:
        checked_compliance(robot, joint, compliance)
    for joint, guide in robot.guides:
        checked_guide(robot, joint, guide)
    if robot.loops:  # their guides are placed on the tree with its loops cut, when they are asked for
        placed_beams(robot, tuple((link, ends_at_points(link, beam, robot.loops)) for link, beam in beams))
    else:
        _ = robot.placed_guides


def _checked(whose: str, value: object, kind: type[T], example: str) -> T:
    if not isinstance(value, kind):
        raise ModelError(f"{whose} is {value!r}: expected a {kind.__name__}{example}")
    return value
