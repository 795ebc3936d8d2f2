"""What a source calls the parts of a robot of its own, where that is not what the rule of its letters gives.

A table is for one structure of links and joints. It is used for a robot only if that is its structure, if the table has
a letter for every constant that is not zero, and if the robot's numbers agree with what the letters say of each other
(a rod's mass center lies at L/2). Otherwise the next table is tried, and after the last one the rule holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """The letters of one robot."""

    robot: str
    """What it is, for messages."""
    joints: tuple[tuple[str, str, str, tuple[bool, ...]], ...]
    """Name, parent and child of each joint, and whether its speeds are angular."""
    letters: Mapping[str, str]
    """Symbol or expression of each coordinate, speed, acceleration and constant."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """What else must hold: the value of a constant in the letters of others."""


def _drives(*numbered: tuple[str, str]) -> dict[str, str]:
    parts = (("viscous_friction", "b"), ("coulomb_friction", "f"), ("reflected_inertia", "J"))
    return {f"{joint}.{part}": f"{letter}{number}" for joint, number in numbered for part, letter in parts}


def _tensor(link: str, number: str) -> dict[str, str]:
    return {f"{link}.inertia.{entry}": f"I{number}{entry}" for entry in ("xx", "xy", "xz", "yy", "yz", "zz")}


_TURN, _SLIDE = (True,), (False,)
_LAU_JOINTS = (
    ("theta1", "base", "turntable", _TURN),
    ("theta2", "turntable", "carriage", _TURN),
    ("d2", "carriage", "rod", _SLIDE),
)
_LAU: dict[str, str] = {
    "theta1.q": "theta1", "theta1.qd": "w1", "theta1.qdd": "alpha1",
    "theta2.q": "theta2", "theta2.qd": "w2", "theta2.qdd": "alpha2",
    "d2.q": "d2", "d2.qd": "u2", "d2.qdd": "a2",
    "theta1.origin.z": "d0", "theta2.origin.y": "d1",
    "turntable.mass": "M1", "rod.mass": "M2", "gravity": "g",
    **_tensor("turntable", "1"), **_tensor("rod", "2"),
    **_drives(("theta1", "1"), ("theta2", "2"), ("d2", "3")),
}
_LAU_IN_TWO = (_LAU_JOINTS[0], ("joint2", "turntable", "rod", (True, False)))
"""The same arm in two links, the second of which turns and slides on one joint."""
_TWO_NAMES = {"theta2.origin.": "joint2.origin.", "theta2.": "joint2.ry.", "d2.": "joint2.x."}


def _in_two(letters: Mapping[str, str]) -> dict[str, str]:
    """The letters of the arm for the keys that it has in two links."""

    def key_of(key: str) -> str:
        name, _, drive = key.partition(".")
        if drive in ("viscous_friction", "coulomb_friction", "reflected_inertia") and name != "theta1":
            return f"joint2.{drive}.{'ry' if name == 'theta2' else 'x'}"
        start = next((start for start in _TWO_NAMES if key.startswith(start)), "")
        return _TWO_NAMES[start] + key.removeprefix(start) if start else key

    return {key_of(key): text for key, text in letters.items()}


_ANY_ROD = {f"{link}.center_of_mass.{axis}": f"p{number}{axis}" for axis in "xyz"
            for link, number in (("turntable", "1"), ("rod", "2"))}
_SLENDER = {"rod.inertia.yy": "M2*L**2/12", "rod.inertia.zz": "M2*L**2/12"}

TABLES: dict[str, tuple[Table, ...]] = {
    "lau": (
        # Chapter 3: the rod is link 2, which turns and slides; its length L is that of the corrected example.
        Table("the arm of chapter 3", _LAU_JOINTS, {**_LAU, "rod.center_of_mass.x": "L/2"}, checks=_SLENDER),
        Table("the arm of chapter 3 with any rod", _LAU_JOINTS, {**_LAU, **_ANY_ROD}),
        Table("the arm of chapter 3 in two links", _LAU_IN_TWO, _in_two({**_LAU, "rod.center_of_mass.x": "L/2"}),
              checks=_SLENDER),
        Table("the arm of chapter 3 in two links with any rod", _LAU_IN_TWO, _in_two({**_LAU, **_ANY_ROD})),
    ),
}
"""By the name of the source."""
