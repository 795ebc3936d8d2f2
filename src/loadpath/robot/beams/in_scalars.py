"""Beams and joint compliances some of whose numbers are scalars of any kind, for families of designs, and the same of
plain numbers: `link1.beam.section.wall`, `link1.beam.material.density`, `joint2.compliance.drive`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from loadpath.cached import kept
from loadpath.robot.beams.beam import Beam, Segment
from loadpath.robot.beams.placement import Place, PlacedBeam, Places, placed
from loadpath.robot.inertia import Inertia
from loadpath.robot.joint_compliance import JointCompliance
from loadpath.robot.materials import Material
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.scalars import Scalar, point_tensor, scale
from loadpath.scalars.decided import Decided, Numbers, numbers
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.robot.varied import DesignNumbers

_SAME = 1e-9
_STIFFNESSES = ("drive", "tilting", "radial", "axial", "rotation", "translation")
_OF_MATERIALS = ("youngs_modulus", "shear_modulus", "density", "yield_strength")
T = TypeVar("T")
R = TypeVar("R", bound=RobotModel)


# Names


class Part(NamedTuple):
    """A section or a material of a beam."""

    beam: int
    """Number in `robot.beams`."""
    segment: int
    field: str
    """`section`, `end_section` or `material`."""
    value: Any


def beams_by_name(robot: RobotModel) -> dict[str, int]:
    """The beams of a robot: `link1.beam`, of a link with several `link1.beam1`, `link1.beam2`, ...

    >>> import loadpath as lp
    >>> beam = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> beams_by_name(lp.catalog.planar(2).with_beams({"link2": beam}))
    {'link2.beam': 0}
    """
    links = [link for link, _ in robot.beams]
    return {f"{link}.beam" if links.count(link) == 1 else f"{link}.beam{links[:k].count(link) + 1}": k
            for k, link in enumerate(links)}


def parts_by_name(robot: RobotModel) -> dict[str, Part]:
    """The sections and materials of all beams: `link1.beam.section`, of stepped beams `link1.beam.segment1.section`."""
    found = {}
    for name, k in beams_by_name(robot).items():
        segments = robot.beams[k][1].segments
        for number, segment in enumerate(segments):
            owner = name if len(segments) == 1 else f"{name}.segment{number + 1}"
            for field in ("section", "end_section", "material"):
                value = getattr(segment, field)
                if value is not None:
                    found[f"{owner}.{field}"] = Part(k, number, field, value)
    return found


def fields_of(part: Any) -> Iterator[tuple[str, float]]:
    """The numbers of a section or a material."""
    if isinstance(part, Material):
        yield from ((name, getattr(part, name)) for name in _OF_MATERIALS)
        return
    for each in fields(part):
        value = getattr(part, each.name)
        if isinstance(value, float):
            yield each.name, value


def stiffnesses_of(robot: RobotModel) -> Iterator[tuple[str, str, tuple[float, ...]]]:
    """Of compliant joints the stiffnesses that there are: joint, field, numbers."""
    for name, given in robot.joint_compliances:
        if name not in robot.joint_names:
            continue
        joint = robot.joint(name)
        asked = [(part, getattr(given, part)) for part in _STIFFNESSES]
        asked = [(part, values) for part, values in asked if all(np.isfinite(values))]
        if asked and np.allclose(replace(given, resolved=None).matrix(joint), given.matrix(joint), rtol=_SAME):
            yield from ((name, part, values) for part, values in asked)  # of a locked joint they are resolved


# With other numbers


def with_numbers(part: T, given: Mapping[str, Any]) -> T:
    """A section, material or compliance with other numbers, as it is made of them."""
    return replace(part, **_together(part, given))  # type: ignore[type-var]


def _together(part: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers given, and those that go with them."""
    changed = dict(given)
    if isinstance(part, Material) and not part.orthotropic:
        E = changed.get("youngs_modulus", part.youngs_modulus)
        if "shear_modulus" in changed:
            changed["poisson_ratio"] = E / (2.0 * changed["shear_modulus"]) - 1.0
        elif "youngs_modulus" in changed:  # Poisson's ratio stays
            changed["shear_modulus"] = E * (part.shear_modulus / part.youngs_modulus)
    return changed


def _in_scalars(part: T, given: Mapping[str, Any]) -> T:
    """The same with scalars; what numbers decide there is asked, so that it is noted."""
    if not given:
        return part
    made = copy.copy(part)
    changed = _together(part, given)
    for name, value in changed.items():
        object.__setattr__(made, name, value)
    if isinstance(made, Material):
        nu = made.poisson_ratio
        if isinstance(nu, Decided):
            _ = nu > -1.0, nu <= 0.5 + _SAME
        if made.ultimate_strength is not None and isinstance(made.yield_strength, Decided):
            _ = made.yield_strength > made.ultimate_strength
    else:
        made.__post_init__()  # type: ignore[attr-defined]  # a section's
    return made


def _values_under(values: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """What is given of an owner, by the names of its fields."""
    start = f"{owner}."
    return {key[len(start):]: value for key, value in values.items()
            if key.startswith(start) and "." not in key[len(start):]}


def beams_with(robot: RobotModel, given: Mapping[str, Any]) -> tuple[tuple[str, Beam], ...]:
    """The beams of a robot with other numbers, given flat by the names of parameters."""
    beams = list(robot.beams)
    for owner, part in parts_by_name(robot).items():
        changed = {name: float(value[0]) for name, value in _values_under(given, owner).items()}
        if changed:
            link, beam = beams[part.beam]
            segments = list(beam.segments)
            made: Any = {part.field: with_numbers(part.value, changed)}
            segments[part.segment] = replace(segments[part.segment], **made)
            whole: dict[str, Any] = {"segments": tuple(segments)}
            if beam.section is not None:  # not stepped
                only = segments[0]
                whole = {"segments": (), "section": only.section, "material": only.material}
                whole["end_section"] = only.end_section
            beams[part.beam] = link, replace(beam, **whole)
    return tuple(beams)


def compliances_with(robot: RobotModel, given: Mapping[str, Any]) -> tuple[tuple[str, JointCompliance], ...]:
    """The compliances of its joints with other numbers."""
    found = []
    for name, compliance in robot.joint_compliances:
        changed: Any = {part: tuple(value) for part, value in _values_under(given, f"{name}.compliance").items()}
        found.append((name, replace(compliance, resolved=None, **changed) if changed else compliance))
    return tuple(found)


# In scalars


class _PlacesInScalars(Places):
    def __init__(self, of: DesignNumbers) -> None:
        super().__init__(of.robot)
        self.of = of

    def origin(self, joint: Joint) -> Place:
        return self.of.place(joint, "origin") or super().origin(joint)

    def link_offset(self, joint: Joint) -> Place:
        return self.of.place(joint, "link_offset") or super().link_offset(joint)


def beams_in_scalars(of: DesignNumbers) -> tuple[PlacedBeam, ...]:
    """The beams of a robot in their links' joint frames."""
    robot, places = of.robot, _PlacesInScalars(of)
    named = parts_by_name(robot)
    found = []
    for k, placed_beam in enumerate(robot.placed_beams):
        parts = [(owner, part) for owner, part in named.items() if part.beam == k]
        segments = list(placed_beam.beam.segments)
        for owner, part in parts:
            values = _values_under(of.values, owner)
            segments[part.segment] = _segment_with(segments[part.segment], part.field, _in_scalars(part.value, values))
        beam = copy.copy(placed_beam.beam)
        object.__setattr__(beam, "segments", tuple(segments))
        found.append(_placed(places, placed_beam, beam))
    return tuple(found)


def _segment_with(segment: Segment, field: str, value: Any) -> Segment:
    if value is getattr(segment, field):
        return segment
    made = copy.copy(segment)
    object.__setattr__(made, field, value)
    return made


def _placed(places: _PlacesInScalars, own: PlacedBeam, beam: Beam) -> PlacedBeam:
    """A beam in its place, which is that of the robot as it is unless a joint there is elsewhere."""
    of, robot = places.of, places.robot
    carrier = next((joint for joint in robot.joints if joint.child == own.link), None)
    moved = carrier is not None and of.place(carrier, "link_offset") is not None
    ends_at = next((joint for joint in robot.joints if joint.name == own.child), None)  # none where a loop is cut
    moved = moved or (ends_at is not None and of.place(ends_at, "origin") is not None)
    return placed(robot, own.link, beam, places) if moved else replace(own, beam=beam)


def compliance_in_scalars(of: DesignNumbers, joint: Joint) -> Numbers | None:
    """Of a compliant joint (6, 6); None where it is as the robot has it."""
    values = _values_under(of.values, f"{joint.name}.compliance")
    if not values:
        return None
    given = copy.copy(dict(of.robot.joint_compliances)[joint.name])
    object.__setattr__(given, "resolved", None)
    for name, value in values.items():
        object.__setattr__(given, name, tuple(value) if isinstance(value, np.ndarray) else (value,))
    return given.matrix(joint)


# Links whose inertia is that of their beams


@kept()
def links_of_beams(robot: RobotModel) -> frozenset[str]:
    """Links whose inertia is that of their beams, as `with_beams(..., inertia_from_beams=True)` makes it.

    >>> import loadpath as lp
    >>> beams = {"link2": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")}
    >>> links_of_beams(lp.catalog.planar(2).with_beams(beams, inertia_from_beams=True))
    frozenset({'link2'})
    >>> links_of_beams(lp.catalog.planar(2, mass=5.0).with_beams(beams))
    frozenset()
    """
    found = set()
    for link in {link for link, _ in robot.beams}:
        own = robot.link(link).inertia
        mass, center, tensor = _together_in_link(robot.placed_beams, link, Places(robot))
        size = mass * float(center @ center) + float(np.abs(tensor).max())
        near = np.abs(center - np.array(own.center_of_mass)).max() <= _SAME * (1.0 + float(np.abs(center).max()))
        if mass > 0 and abs(mass - own.mass) <= _SAME * mass and near and (
            np.abs(tensor - np.array(own.tensor)).max() <= _SAME * size
        ):
            found.add(link)
    return frozenset(found)


def with_bodies_of_beams(robot: R, links: Iterable[str]) -> R:
    """The robot with the inertia of their beams for some links."""
    names = set(links)
    if not names:
        return robot
    made = []
    for link in robot.links:
        body = _together_in_link(robot.placed_beams, link.name, Places(robot)) if link.name in names else None
        made.append(link if body is None else replace(link, inertia=_inertia(*body)))
    return replace(robot, links=tuple(made))


def _inertia(mass: float, center: Floats, tensor: Floats) -> Inertia:
    return Inertia(float(mass), tuple(center.tolist()), ((tensor + tensor.T) / 2).tolist())


def body_of_beams(of: DesignNumbers, link: str) -> tuple[Scalar, Numbers, Numbers]:
    """Mass, mass center and tensor about it of a link that is its beams, in its frame."""
    return _together_in_link(of.beams, link, _PlacesInScalars(of))


def _together_in_link(beams: tuple[PlacedBeam, ...], link: str, places: Places) -> tuple[Scalar, Numbers, Numbers]:
    into_link = places.of_link(link).inverse()
    bodies = [beam.body() for beam in beams if beam.link == link]
    mass, center, tensor = bodies[0]
    if len(bodies) > 1:
        mass = sum(each[0] for each in bodies)
        center = numbers(sum(scale(m, c) for m, c, _ in bodies) / mass)
        parts = [t + point_tensor(m, c - center) for m, c, t in bodies]
        tensor = numbers(sum(parts[1:], parts[0]))
    R: Numbers = into_link.R
    turned: Numbers | Floats = R @ tensor @ R.T
    return mass, into_link.transform(center), numbers(turned)
