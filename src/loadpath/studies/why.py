"""Why a design is limited: its verdict, what caused the worst row, and what follows when that is lifted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loadpath.loads.breakdown.result import Contribution
from loadpath.printable import printable

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict, VerdictRow

LIFTED = 1.1
"""The capacity that limits, so many times as large."""


@dataclass(frozen=True, eq=False, repr=False)
class Why:
    """What limits a design, when, by what cause, and what lifting it by 10 % gains; `str` says it."""

    number: int
    design: dict[str, object]
    verdict: Verdict
    worst: VerdictRow
    """The check with the largest utilisation."""
    causes: tuple[Contribution, ...]
    """What adds most to it, the largest first; none of what is no load."""
    lifted: float
    """The largest utilisation with 10 % more of what limits."""
    next: VerdictRow | None
    """What limits then."""
    note: str = ""
    """Why there are no causes, where they are asked for and not known."""

    @property
    def gain(self) -> float:
        """By how much the largest utilisation falls."""
        return self.worst.utilisation - self.lifted

    def __str__(self) -> str:
        lines = [f"design {self.number}: {', '.join(f'{name} {_text(value)}' for name, value in self.design.items())}",
                 f"limited by the {self.worst}"]
        if self.causes:
            unit = self.worst.unit
            lines.append("mostly by " + ", ".join(f"{one.cause} ({one.value:.4g} {unit})".replace(" )", ")")
                                                  for one in self.causes))
        if self.note:
            lines.append(self.note)
        then = "the same" if self.next is self.worst or self.next is None else f"the {self.next.words}"
        lines.append(f"with 10 % more of it the largest utilisation is {100 * self.lifted:.4g} % instead of "
                     f"{100 * self.worst.utilisation:.4g} %, and {then} limits")
        return "\n".join(map(printable, lines))

    def __repr__(self) -> str:
        return printable(f"<design {self.number}: {self.worst.words}, {100 * self.worst.utilisation:.4g} %>")


def why_of(
    number: int, design: dict[str, object], robot: Any, motion: Any, hours: float | None, acting: Mapping[str, Any]
) -> Why:
    """Of one design."""
    verdict = robot.verdict(motion, hours=hours, **acting)
    ranked = verdict.ranked
    if not ranked:
        raise ValueError(f"why: nothing of design {number} could be checked: give the robot limits or parts")
    worst = ranked[0]
    causes: tuple[Contribution, ...] = ()
    note = ""
    if worst.at is not None and worst.along is not None:
        try:
            causes = tuple(worst.top(3))
        except ValueError as problem:  # a wheel at its friction: what a cause does depends on all others
            note = f"its causes cannot be told apart: {problem}"
    eased = worst.utilisation / LIFTED
    second = ranked[1] if len(ranked) > 1 else None
    limits_then = second if second is not None and second.utilisation > eased else worst
    lifted = max(eased, second.utilisation) if second is not None else eased
    return Why(number, design, verdict, worst, causes, lifted, limits_then, note)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_text, value))})"
    return str(getattr(value, "label", "") or getattr(value, "name", "") or value)
