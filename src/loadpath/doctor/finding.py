"""What a rule found (how bad, where, with which numbers, what to do), and what can be mended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import Vector3

# What can be mended, as data: another inertia of a link, another axis of a joint.
#
# A fix has a kind, by which it is asked for. Safe ones change nothing that a real robot could mean.


@dataclass(frozen=True)
class InertiaFix:
    """Another inertia of a link, in the frame of the link."""

    link: str
    inertia: Inertia
    kind: str


@dataclass(frozen=True)
class AxisFix:
    """Another axis of a joint, in its frame."""

    joint: str
    axis: Vector3
    kind: str = "axis"


Fix: TypeAlias = InertiaFix | AxisFix

KINDS: dict[str, str] = {
    "inertia": "the nearest tensor that a body can have, in place of one that none has",
    "axis": "axes of joints scaled to the length 1",
    "massless": "a billionth of the robot's mass for moving frames without any, which MuJoCo asks for",
    "symmetry": "the mirror image of the other side, where the two differ and one is impossible or far from its shape",
    "estimate": "inertias from shapes, for moving links that have a shape and no inertia: needs a density",
}
"""Kinds of fixes by name, and what each does."""
SAFE: tuple[str, ...] = ("inertia", "axis")
"""Those that are applied unless others are named."""


Severity: TypeAlias = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""error: no robot is like this, or the file is refused. warning: probably wrong, or wrong in other programs. note:
worth knowing.
"""


@dataclass(frozen=True)
class Finding:
    """Something wrong or strange in a robot.

    >>> import loadpath as lp
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     arm = lp.catalog.planar(1).with_inertias({"link1": lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=3)})
    >>> found = lp.check(arm).findings[0]
    >>> found.severity, found.where, found.rule
    ('error', "link 'link1'", 'inertia')
    """

    severity: Severity
    where: str
    """As in "link 'forearm'"; "robot" or the place in the file where it is no single one."""
    message: str
    """What is wrong, with the numbers."""
    remedy: str = ""
    """What to do."""
    rule: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """The numbers of the message, by name, in SI units."""
    fix: Fix | None = None
    """What would mend it, if anything can."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.message} [{self.rule}]"
