"""Rules for the file: what its reader says, numbers in another unit, axes, links that belong to nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from loadpath.doctor.finding import AxisFix, Finding
from loadpath.doctor.patient import Patient
from loadpath.files.xml_reading import XmlElement, parse_number
from loadpath.robot.units import unit_questions

_OWNER = re.compile(r"((?:link|joint|loop|coupling|constraint|transmission) '[^']*')")


def refusals(patient: Patient) -> Iterator[Finding]:
    """A finding for each reason to refuse the file."""
    for sentence in patient.refusals:
        yield Finding("error", owner_of(sentence), sentence, "mend this in the file: it is refused as it is")


def remarks(patient: Patient) -> Iterator[Finding]:
    """A finding for each warning of the reader."""
    for sentence in patient.remarks:
        yield Finding("warning", owner_of(sentence), sentence, "write it as the format does, or remove it")


def owner_of(sentence: str) -> str:
    """The link or joint that a sentence names first.

    >>> owner_of("arm.urdf, line 3: link 'arm': <mass> has no attribute 'value'")
    "link 'arm'"
    """
    found = _OWNER.search(sentence)
    return found[1] if found else "robot"


# Numbers that look like ones in another unit: the questions of `loadpath.robot.units`.


def units(patient: Patient) -> Iterator[Finding]:
    """Lengths, inertias and limits."""
    if patient.robot is None:
        return
    for question in unit_questions(patient.robot.links, patient.robot.joints):
        yield Finding("warning", owner_of(question), question, "write it in SI units: m, kg, rad, kg m^2")


# Axes, links that belong to nothing, frames that are there twice.


UNIT = 1e-3
"""What the length of a typed axis may be off by."""


def axes(patient: Patient) -> Iterator[Finding]:
    """An axis is a unit vector; some programs scale it, others take the length as a gear."""
    for joint in patient.elements("joint"):
        if joint.attributes.get("type") in ("fixed", "floating"):
            continue
        for child in joint.children:
            axis = _vector(child, "xyz") if child.tag == "axis" else None
            length = math.hypot(*axis) if axis else 0.0
            if axis and length and abs(length - 1) > UNIT:
                name = joint.attributes.get("name", "")
                unit = (axis[0] / length, axis[1] / length, axis[2] / length)
                yield Finding(
                    "note",
                    f"joint '{name}'",
                    f"axis {child.attributes['xyz']} has the length {length:.6g}",
                    "write a unit vector: not every program scales it",
                    numbers={"length": length},
                    fix=AxisFix(name, unit),
                )


def _vector(element: XmlElement, attribute: str) -> tuple[float, float, float] | None:
    words = [parse_number(word) for word in element.attributes.get(attribute, "").split()]
    if len(words) != 3 or None in words:
        return None
    x, y, z = (float(word or 0.0) for word in words)
    return x, y, z


def unused(patient: Patient) -> Iterator[Finding]:
    """Links that are joined to nothing: pieces beside the largest one."""
    if patient.robot is not None or not patient.links:
        return
    piece = {link.name: link.name for link in patient.links}

    def root(name: str) -> str:
        while piece.get(name, name) != name:
            name = piece[name]
        return name

    for joint in patient.joints:
        if joint.parent in piece and joint.child in piece:
            piece[root(joint.child)] = root(joint.parent)
    members: dict[str, list[str]] = {}
    for link in patient.links:
        members.setdefault(root(link.name), []).append(link.name)
    pieces = sorted(members.values(), key=len, reverse=True)
    for lost in pieces[1:]:
        others = f" with {len(lost) - 1} links on it" if len(lost) > 1 else ""
        yield Finding(
            "error",
            f"link '{lost[0]}'",
            f"nothing joins it{others} to the rest of the robot",
            "add a joint, or remove it",
            numbers={"links": float(len(lost))},
        )


def duplicates(patient: Patient) -> Iterator[Finding]:
    """Bare frames in the same place on the same link, and names that a link and a joint share."""
    parents = {joint.parent for joint in patient.joints}
    seen: dict[object, str] = {}
    for joint in patient.joints:
        link = patient.link_by_name.get(joint.child)
        if joint.motion.dof or link is None or link.shapes or not link.inertia.is_zero or joint.child in parents:
            continue
        at = (joint.parent, joint.origin @ joint.link_offset)
        first = seen.setdefault(at, joint.child)
        if first != joint.child:
            yield Finding(
                "note",
                f"link '{joint.child}'",
                f"the same frame as '{first}': no mass, no shape, in one place",
                "remove one of them, unless programs ask for both names",
            )
    shared = sorted(set(patient.link_by_name) & {joint.name for joint in patient.joints})
    if shared:
        named = ", ".join(f"'{name}'" for name in shared[:4]) + (f" and {len(shared) - 4} more" if shared[4:] else "")
        yield Finding(
            "note",
            f"link '{shared[0]}'",
            f"a link and a joint share a name: {named}",
            "SDF refuses it: rename one of them",
            numbers={"names": float(len(shared))},
        )
