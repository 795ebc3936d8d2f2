"""`<transmission>` elements of URDF: what they name, and reductions that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.files.xml_node import parse_number
from loadpath.files.xml_reading import XmlElement
from loadpath.robot.names import nearest


def transmissions(patient: Patient) -> Iterator[Finding]:
    """Joints that are not there, joints with several transmissions, reductions without a rotor inertia."""
    names = [joint.attributes.get("name", "") for joint in patient.elements("joint")]
    joints = {joint.name: joint for joint in patient.joints}
    used: dict[str, str] = {}
    reduced: list[tuple[str, float]] = []
    for element in patient.elements("transmission"):
        own = element.attributes.get("name", "")
        for name in _joints_of(element):
            if name not in names:
                yield Finding(
                    "warning",
                    f"transmission '{own}'",
                    f"its joint '{name}' is not there{nearest(name, names)}",
                    "write the name of the joint: controllers do not start without it",
                )
            elif name in used and used[name] != own:
                yield Finding(
                    "note",
                    f"transmission '{own}'",
                    f"joint '{name}' has the transmission '{used[name]}' already",
                    "one drive has one transmission",
                )
            used.setdefault(name, own)
        ratio = _reduction(element)
        driven = next(iter(_joints_of(element)), "")
        if ratio not in (None, 1.0) and driven in joints and not any(joints[driven].reflected_inertia):
            reduced.append((driven, float(ratio or 0.0)))
    if reduced:
        name, ratio = reduced[0]
        others = f", and of {len(reduced) - 1} more joints" if len(reduced) > 1 else ""
        yield Finding(
            "note",
            f"joint '{name}'",
            f"its transmission has a reduction of {ratio:g}{others}, but no rotor inertia "
            "is known: what the rotor adds, its inertia times the ratio squared, is missing",
            "robot.with_drives({joint: lp.Drive(ratio=..., rotor_inertia=...)})",
            numbers={"reduction": ratio},
        )


def _joints_of(element: XmlElement) -> list[str]:
    return [
        child.attributes["name"] for child in element.children if child.tag == "joint" and "name" in child.attributes
    ]


def _reduction(element: XmlElement) -> float | None:
    for inner in element.everything():
        if inner.tag in ("mechanicalReduction", "mechanical_reduction"):
            return parse_number(inner.text.strip())
    return None
