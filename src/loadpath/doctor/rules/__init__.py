"""The rules: each a function from what is examined to findings, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.doctor.rules import file, inertias, joints, shapes


@dataclass(frozen=True)
class Rule:
    """A rule: its name, what it looks for, and the function that does."""

    name: str
    about: str
    examine: Callable[[Patient], Iterator[Finding]]


RULES: tuple[Rule, ...] = (
    Rule("file", "what refuses the file, all of it", file.refusals),
    Rule("words", "words and elements that the reader does not use", file.remarks),
    Rule("inertia", "principal moments that are negative or break the triangle inequality", inertias.conditions),
    Rule("massless", "frames without mass that a joint moves", inertias.massless),
    Rule("forgotten", "moving links with a shape and no inertia", inertias.forgotten),
    Rule("density", "masses that do not fit the volume of the shapes", shapes.density),
    Rule("center", "mass centers outside of the shapes", shapes.center),
    Rule("spread", "inertias larger than the shapes permit, or far smaller", shapes.spread),
    Rule("placeholder", "made-up inertias, the same on several links", inertias.placeholders),
    Rule("symmetry", "left and right sides that differ", inertias.symmetry),
    Rule("limits", "limits that are missing, zero or empty", joints.limits),
    Rule("axis", "axes whose length is not 1", file.axes),
    Rule("units", "numbers that look like millimetres, degrees or g mm^2", file.units),
    Rule("unused", "links that nothing joins to the robot", file.unused),
    Rule("frames", "frames twice in one place, and names that a link and a joint share", file.duplicates),
    Rule("mimic", "mimics of mimics, and ranges that do not fit", joints.mimics),
    Rule(
        "transmission",
        "transmissions of joints that are not there, and reductions without a rotor",
        joints.transmissions,
    ),
    Rule("mesh", "meshes that are missing, broken, or of a strange size", shapes.meshes),
)
"""In the order of examination."""
