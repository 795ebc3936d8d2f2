"""Rules for joints: limits, joints that follow others, `<transmission>` elements."""

from __future__ import annotations

import math
from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.files.xml_reading import XmlElement, parse_number
from loadpath.robot.numbers import nearest
from loadpath.robot.parts import Joint


def limits(patient: Patient) -> Iterator[Finding]:
    """Of joints with one degree of freedom that follow none."""
    missing: dict[str, list[str]] = {}
    for joint in patient.joints:
        if joint.motion.dof != 1:
            continue
        bound, where = joint.limits[0], f"joint '{joint.name}'"
        if bound.lower == bound.upper:
            yield Finding(
                "warning",
                where,
                f"lower and upper limit are both {bound.lower:g}: it cannot move",
                "write its range, or make it fixed",
                numbers={"lower": bound.lower, "upper": bound.upper},
            )
        if joint.mimic is None:
            for what, value, unit in _drive(joint):
                if value == 0:
                    yield Finding(
                        "warning",
                        where,
                        f"{what} limit is 0 {unit}: controllers that obey it do not move",
                        f"write the {what} limit of the drive",
                        numbers={what: 0.0},
                    )
                elif math.isinf(value):
                    missing.setdefault(what, []).append(joint.name)
    for what, joints in missing.items():
        named = ", ".join(f"'{name}'" for name in joints[:4]) + (f" and {len(joints) - 4} more" if joints[4:] else "")
        yield Finding(
            "note",
            f"joint '{joints[0]}'",
            f"no {what} limit is known of {len(joints)} joints: {named}",
            "utilisation and verdicts need it: robot.with_limits",
            numbers={"joints": float(len(joints))},
        )


def _drive(joint: Joint) -> Iterator[tuple[str, float, str]]:
    angular = bool(joint.motion.angular[0])
    yield "velocity", joint.limits[0].velocity, "rad/s" if angular else "m/s"
    yield "effort", joint.limits[0].effort, "N m" if angular else "N"


# Joints that follow others.


ROUNDING = 0.01
"""Of the range: what a typed limit may be off by."""


def mimics(patient: Patient) -> Iterator[Finding]:
    """Mimics of mimics, without a multiplier, and whose range is not that of the joint they follow."""
    joints = {joint.name: joint for joint in patient.joints}
    for joint in patient.joints:
        mimic = joint.mimic
        if mimic is None or mimic.joint not in joints:
            continue
        where, followed = f"joint '{joint.name}'", joints[mimic.joint]
        if followed.mimic is not None:
            yield Finding(
                "note",
                where,
                f"mimics '{followed.name}', which mimics '{followed.mimic.joint}' itself",
                "some programs follow no chains: let it mimic the first joint, factors multiplied",
            )
        if mimic.multiplier == 0:
            yield Finding(
                "warning",
                where,
                "the multiplier of its mimic is 0: it does not move",
                "write the ratio, or make it fixed",
                numbers={"multiplier": 0.0},
            )
        else:
            yield from _range(joint, followed)


def _range(joint: Joint, followed: Joint) -> Iterator[Finding]:
    """Where the followed joint drives it out of its own limits."""
    mimic = joint.mimic
    assert mimic is not None
    own, other = joint.limits[0], followed.limits[0]
    if not all(map(math.isfinite, (own.lower, own.upper, other.lower, other.upper))):
        return
    ends = sorted((mimic.multiplier * other.lower + mimic.offset, mimic.multiplier * other.upper + mimic.offset))
    beyond = max(own.lower - ends[0], ends[1] - own.upper)
    if beyond > ROUNDING * max(ends[1] - ends[0], own.upper - own.lower):
        unit = "rad" if joint.motion.angular[0] else "m"
        yield Finding(
            "warning",
            f"joint '{joint.name}'",
            f"'{followed.name}' drives it from {ends[0]:.4g} to {ends[1]:.4g} {unit} (multiplier "
            f"{mimic.multiplier:g}, offset {mimic.offset:g}), but its own limits are {own.lower:.4g} to "
            f"{own.upper:.4g} {unit}",
            "write the limits that the multiplier gives, or mend the multiplier",
            numbers={"beyond": beyond},
        )


# `<transmission>` elements of URDF: what they name, and reductions that nothing uses.


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
