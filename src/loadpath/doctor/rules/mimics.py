"""Joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.robot.parts import Joint

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
