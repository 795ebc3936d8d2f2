"""What a rule found: how bad, where, with which numbers, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from loadpath.doctor.fixes import Fix

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
