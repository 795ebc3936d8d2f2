"""Names of columns: as they are written, the spellings that are understood, and units that stand behind them."""

from __future__ import annotations

from collections.abc import Iterable

from loadpath.motion.layout import Layout

KINDS = {
    "q": ("q", "pos", "position"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
    "tau": ("tau", "torque", "effort"),
    "current": ("current",),
}
TIME = ("t", "time", "timestamp")
_SEPARATORS = "._:/ "
_MOST_LISTED = 30
_LONGEST_LISTED = 80


def columns(layout: Layout) -> list[str]:
    """Names of the columns as they are written."""
    names = {"q": layout.coordinate_names, "qd": layout.dof_names, "qdd": layout.dof_names}
    found = ["t", *(f"{kind}.{name}" for kind, each in names.items() for name in each)]
    seen: set[str] = set()
    for label in found:
        if label in seen:
            raise ValueError(f"two columns would have the name {label!r}: give one of the joints another name")
        seen.add(label)
    return found


def listed(names: Iterable[str]) -> str:
    """Names in a message, not too many."""
    given = list(names)
    more = f" and {len(given) - _MOST_LISTED} more" if len(given) > _MOST_LISTED else ""
    short = (name if len(name) <= _LONGEST_LISTED else f"{name[:_LONGEST_LISTED]}..." for name in given[:_MOST_LISTED])
    return ", ".join(repr(name) for name in short) + more


def split_unit(cell: str) -> tuple[str, str]:
    """The name of a column, and the unit in brackets after it; a number in brackets is part of the name.

    >>> split_unit(" turn [deg]"), split_unit("turn"), split_unit("position[0]")
    (('turn', 'deg'), ('turn', ''), ('position[0]', ''))
    """
    text = cell.strip()
    if not text.endswith(("]", ")")):
        return text, ""
    closed = max(text.rfind(mark, 0, -1) for mark in "])")
    start = min((k for k in (text.find(mark, closed + 1) for mark in "[(") if k >= 0), default=-1)
    if start < 0 or text[start + 1 : -1].strip().isdigit():
        return text, ""
    return text[:start].strip(), text[start + 1 : -1].strip()


def spellings(kind: str, name: str = "") -> list[str]:
    """The names that a column may have."""
    if kind == "t":
        return list(TIME)
    spelled = [f"{prefix}{mark}{name}" for prefix in KINDS[kind] for mark in _SEPARATORS]
    spelled += [f"{name}{mark}{suffix}" for suffix in KINDS[kind] for mark in _SEPARATORS]
    return [*spelled, name] if kind == "q" else spelled
