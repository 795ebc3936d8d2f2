"""`robot.with_beams(...)`: the robot with elastic links and joints, and everything that can be asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from loadpath import html
from loadpath.api import Robot
from loadpath.api.elastic_motion import rigid_only
from loadpath.api.elastic_refused import ElasticRefusals
from loadpath.errors import ModelError, warn
from loadpath.printable import printable
from loadpath.robot.beams.beam import Beam
from loadpath.robot.beams.guide import Guide
from loadpath.robot.beams.placed_guide import PlacedGuide, placed_guides
from loadpath.robot.beams.placement import PlacedBeam, joint_of, link_in_joint_frame, placed_beams
from loadpath.robot.beams.sliding import refuse_slides
from loadpath.robot.drive_train.refuse import refuse_with_beams
from loadpath.robot.inertia import Inertia
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.simulate.rollout import rollout
from loadpath.structure import compensation
from loadpath.structure import deflection as deflecting
from loadpath.structure import extremes as extreme
from loadpath.structure import stiffness as stiffening
from loadpath.structure import stress as stressing
from loadpath.structure.drawing import deflected as drawing
from loadpath.structure.fatigue import assessment
from loadpath.structure.motion_in_time import simulation as moving
from loadpath.structure.quantities import ElasticQuantities
from loadpath.structure.response import frequency_response as shaking
from loadpath.structure.response import respond as responding
from loadpath.structure.response import shaped as shaping
from loadpath.structure.vibration import bandwidth, frequencies
from loadpath.structure.vibration import buckling as whole_arm
from loadpath.structure.vibration import frequency_map as mapping

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, repr=False)
class FlexibleRobot(ElasticRefusals, ElasticQuantities, Robot):
    """A robot some of whose links are beams and some of whose joints give way. What is asked of any robot is answered
    for rigid links, but for its motion in time: `simulate` moves the flexible arm, `rollout` and `step` refuse it, and
    `without_beams()` gives the rigid robot. Payloads, other gravities and locked joints keep its beams.

    >>> import loadpath as lp
    >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
    >>> arm = lp.catalog.planar(2).with_beams({"link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")})
    >>> arm
    <FlexibleRobot 'planar2': 4 links, 3 joints, 2 degrees of freedom, beams: link2>
    """

    beams: tuple[tuple[str, Beam], ...] = ()
    """Beams with the names of their links; a link may have several."""
    joint_compliances: tuple[tuple[str, JointCompliance], ...] = ()
    """Compliant joints by name."""
    guides: tuple[tuple[str, Guide], ...] = ()
    """Guides by the names of their joints, in addition to those that the beams have."""

    deflection = deflecting.deflection
    stiffness = stiffening.stiffness
    compensated = compensation.compensated
    stress = stressing.stress
    buckling_safety = stressing.buckling_safety
    buckling = whole_arm.buckling
    extremes = extreme.extremes
    fatigue = assessment.fatigue
    natural_frequencies = frequencies.natural_frequencies
    frequency_map = mapping.frequency_map
    bandwidth_check = bandwidth.bandwidth_check
    respond = responding.respond
    frequency_response = shaking.frequency_response
    shaped = shaping.shaped
    plot_deflection = drawing.plot_deflection
    plot_safety = drawing.plot_safety

    simulate = moving.simulate
    # Refused for as long as it has beams: without_beams() moves the rigid robot.
    rollout = rigid_only(rollout)

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_with_beams(self, tuple(name for name, _ in self.joint_compliances))
        order = {link: k for k, link in enumerate(self.link_names)}
        beams = sorted(self.beams, key=lambda entry: order.get(entry[0], 0))
        object.__setattr__(self, "beams", tuple(beams))
        compliances = tuple((name, compliance.of(self.joint(name))) for name, compliance in self.joint_compliances)
        object.__setattr__(self, "joint_compliances", compliances)
        _ = self.placed_guides  # so that beams and guides that cannot be placed are refused here

    def locked(self, joints: Mapping[str, ArrayLike]) -> Self:
        """The robot with joints frozen at the given coordinates, its beams as they are: see `Robot.locked`. A guide
        holds as it does at that extension. A joint that slides at the end of a beam, without a guide, cannot be locked
        away from its zero: the beam would grow with it.

        >>> import loadpath as lp
        >>> tube = lp.Tube(outer_radius=0.02, wall=0.002)
        >>> arm = lp.catalog.planar(2).with_beams({"link1": lp.Beam(tube, lp.ALUMINIUM, end="joint2")})
        >>> arm.locked({"joint2": 0.5})
        <FlexibleRobot 'planar2': 4 links, 3 joints, 1 degrees of freedom, beams: link1>
        """
        guided = {guide.joint: guide.guide for guide in self.placed_guides}
        loose = replace(self, beams=tuple((link, self._unguided(beam, guided)) for link, beam in self.beams), guides=())
        made = Robot.locked(loose, joints)
        frozen = {name: guide for name, guide in guided.items()
                  if made.joint(name).motion != self.joint(name).motion}  # fmt: skip
        beams = []
        for link, beam in self.beams:
            joint, kept = joint_of(self, link), beam
            if isinstance(beam.end, str) and made.joint(beam.end).motion != self.joint(beam.end).motion:
                before, after = (robot.joint(beam.end).origin.translation for robot in (self, made))
                slide = math.dist(before, after)
                if beam.end in frozen:
                    kept = replace(beam, end=before)
                elif slide > 1e-12:
                    raise ModelError(f"link '{link}': its beam ends at joint '{beam.end}', which would be locked "
                                     f"{slide:.4g} m away from there, and the beam would grow with it: lock the joint "
                                     f"before with_beams, and give the beam the point where it ends, end={before}"
                                     )  # fmt: skip
            beams.append((link, replace(kept, guide=None) if joint and joint.name in frozen else kept))
        guides = {name: guide for name, guide in self.guides if name not in frozen}
        for name, guide in frozen.items():
            still, moved = (robot.joint(name).origin for robot in (self, made))
            axis = still.R @ np.array(guide.axis(self.joint(name)))
            guides[name] = guide.locked(self.joint(name), float(axis @ (moved.p - still.p)))
        return replace(made, beams=tuple(beams), guides=tuple(guides.items()))

    def _unguided(self, beam: Beam, guided: Mapping[str, Guide]) -> Beam:
        """The beam without its guide; one that ends at a joint with a guide ends at the same point."""
        end = self.joint(beam.end).origin.translation if isinstance(beam.end, str) and beam.end in guided else beam.end
        return replace(beam, guide=None, end=end)

    @cached_property
    def placed_beams(self) -> tuple[PlacedBeam, ...]:
        """The beams with their ends and axes in the joint frames of their links."""
        return tuple(placed_beams(self, self.beams))

    @cached_property
    def placed_guides(self) -> tuple[PlacedGuide, ...]:
        """The guides, those of the beams among them, with their pads as places along the beams."""
        return placed_guides(self, self.placed_beams, dict(self.guides))

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on: robots with equal data share compiled code."""
        return *super().defined_by, self.beams, self.joint_compliances, self.guides

    def __hash__(self) -> int:
        return hash((self._hash, self.beams, self.joint_compliances, self.guides))

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _repr_html_(self) -> str:
        links = ", ".join(dict.fromkeys(link for link, _ in self.beams)) or "none"
        joints = ", ".join(name for name, _ in self.joint_compliances)
        words = f"beams: {links}{f'; compliant joints: {joints}' if joints else ''}"
        return super()._repr_html_() + html.paragraph(printable(words))

    def __repr__(self) -> str:
        links = ", ".join(dict.fromkeys(link for link, _ in self.beams)) or "none"
        joints = ", ".join(name for name, _ in self.joint_compliances)
        return printable(
            f"<FlexibleRobot '{self.name}': {len(self.links)} links, {len(self.joints)} joints, {self.n} degrees of "
            f"freedom, beams: {links}{f', compliant joints: {joints}' if joints else ''}>"
        )


def with_beams(
    robot: Robot,
    beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
    *,
    joint_compliance: Mapping[str, JointCompliance] | None = None,
    guides: Mapping[str, Guide] | None = None,
    inertia_from_beams: bool = False,
) -> FlexibleRobot:
    """The robot with beams in some links and compliance in some joints. A link without a beam is rigid.

    `beams` gives for a link its beam, or a list of beams that end at different children. `joint_compliance` gives for a
    joint its `JointCompliance`, `guides` for a sliding joint its `Guide` (where the link that slides has a beam, the
    beam may have it). On a robot that has beams already, those of the links and joints named are replaced.

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
    chosen = _read_beams(robot, beams or {})
    compliances = _read_compliances(robot, joint_compliance or {})
    slides = _read_guides(robot, guides or {})
    kept_guides: tuple[tuple[str, Guide], ...] = ()
    kept_beams: tuple[tuple[str, Beam], ...] = ()
    kept_joints: tuple[tuple[str, JointCompliance], ...] = ()
    if isinstance(robot, FlexibleRobot):
        kept_beams = tuple(entry for entry in robot.beams if entry[0] not in dict(chosen))
        kept_joints = tuple(entry for entry in robot.joint_compliances if entry[0] not in dict(compliances))
        # A guide of a joint gives way to that of the beam of the link that slides.
        new = {joint.name for link, beam in chosen if beam.guide is not None and (joint := joint_of(robot, link))}
        kept_guides = tuple(entry for entry in robot.guides if entry[0] not in {*dict(slides), *new})
    values = {part.name: getattr(robot, part.name) for part in fields(Robot)}
    values |= {"beams": (*kept_beams, *chosen), "joint_compliances": (*kept_joints, *compliances)}
    values |= {"guides": (*kept_guides, *slides)}
    arm = FlexibleRobot(**values)
    refuse_slides(arm, arm.placed_beams, [guide.joint for guide in arm.placed_guides])
    own = {link: [b for b in arm.placed_beams if b.link == link] for link, _ in chosen}
    for beam in (beam for placed in own.values() for beam in placed):
        _look_at_size(beam)
        _look_at_walls(beam)
    if inertia_from_beams:
        made = {link: _inertia(arm, link, placed) for link, placed in own.items()}
        values["links"] = tuple(replace(k, inertia=made[k.name]) if k.name in made else k for k in arm.links)
        return FlexibleRobot(**values)
    for link, placed in own.items():
        _compare_masses(arm, link, sum(beam.mass for beam in placed))
    return arm


def _read_beams(robot: Robot, beams: Any) -> tuple[tuple[str, Beam], ...]:
    if not isinstance(beams, Mapping):
        raise ValueError(f"with_beams: beams are a {type(beams).__name__}: expected a dict from link names to beams")
    read: list[tuple[str, Beam]] = []
    for link, given in beams.items():
        robot.link(link)
        several = [given] if isinstance(given, Beam) else given
        for beam in several if isinstance(several, Iterable) else [several]:
            if not isinstance(beam, Beam):
                raise ModelError(f"link '{link}': its beam is {beam!r}: expected a Beam")
            read.append((link, beam))
    return tuple(read)


def _read_compliances(robot: Robot, compliances: Any) -> tuple[tuple[str, JointCompliance], ...]:
    if not isinstance(compliances, Mapping):
        raise ValueError(f"with_beams: joint_compliance is {compliances!r}: expected a dict from joint names to "
                         "JointCompliance")  # fmt: skip
    for joint, given in compliances.items():
        robot.joint(joint)
        if not isinstance(given, JointCompliance):
            raise ModelError(f"joint '{joint}': its compliance is {given!r}: expected a JointCompliance, like "
                             "JointCompliance(drive=2e4)")  # fmt: skip
    return tuple(compliances.items())


def _read_guides(robot: Robot, guides: Any) -> tuple[tuple[str, Guide], ...]:
    if not isinstance(guides, Mapping):
        raise ValueError(f"with_beams: guides are {guides!r}: expected a dict from joint names to Guide")
    for joint, given in guides.items():
        robot.joint(joint)
        if not isinstance(given, Guide):
            raise ModelError(f"joint '{joint}': its guide is {given!r}: expected a Guide, like Guide(at=0)")
    return tuple(guides.items())


def _inertia(arm: FlexibleRobot, link: str, beams: Iterable[PlacedBeam]) -> Inertia:
    """Inertia of a link's beams, in the link's frame."""
    total = Inertia()
    for beam in beams:
        total = total + beam.inertia()
    return total.seen_from(link_in_joint_frame(arm, link).inverse())


def _look_at_size(placed: PlacedBeam) -> None:
    """Ask about sections far wider than the beam is long, and about beams longer than those of any arm."""
    for segment in placed.beam.segments:
        for section in (segment.section, segment.end_section or segment.section):
            gyration = math.sqrt(max(section.second_moment_y, section.second_moment_z) / section.area)
            if gyration > 5 * placed.length or placed.length > 100.0:
                warn(f"{placed}: it is {placed.length:.4g} m long, and its section {section} has a radius of gyration "
                     f"of {gyration:.4g} m: are all of its dimensions in m?")  # fmt: skip
                return


def _look_at_walls(placed: PlacedBeam) -> None:
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
                     )  # fmt: skip
                return


def _compare_masses(arm: FlexibleRobot, link: str, beams: float) -> None:
    mass = arm.link(link).inertia.mass
    if beams > mass * (1 + 1e-9):
        warn(f"link '{link}' weighs {mass:.6g} kg, less than its beam by its density, {beams:.6g} kg: the link's mass "
             "is kept and spread along the beam; inertia_from_beams=True takes the beam's")  # fmt: skip
