"""Limits of joints: missing, zero, or so that nothing can move."""

from __future__ import annotations

import math
from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
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
