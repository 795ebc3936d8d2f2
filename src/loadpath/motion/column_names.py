"""Which column of a text file holds what: one column serves one joint, an exact name comes first, doubt is an error.

The rule itself is `find_names` of `loadpath.robot.arrays`, for files and arrays alike; here are the spellings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loadpath.errors import warn
from loadpath.motion.layout import Layout
from loadpath.robot.arrays import Spellings, find_names

KINDS = {
    "q": ("q", "pos", "position"),
    "qd": ("qd", "dq", "vel", "velocity"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
}
TIME = ("t", "time", "timestamp")
UNITS_TAKEN = {"", "s", "rad", "m", "rad/s", "m/s", "rad/s^2", "rad/s2", "m/s^2", "m/s2"}
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


def places(path: object, header: Sequence[str], layout: Layout) -> list[list[int]]:
    """Where the columns of t, q, qd and qdd are; none for speeds or accelerations that are to be derived."""
    wanted = {label: tuple(label.partition(".")[::2]) for label in columns(layout)}
    where = _exact(path, header, list(wanted))
    _add_others(path, header, wanted, where)
    found: list[list[int]] = []
    missing: list[str] = []
    for kind in ("t", *KINDS):
        labels = [label for label, (of, _) in wanted.items() if of == kind]
        if kind in ("qd", "qdd") and not any(label in where for label in labels):
            labels = []  # none at all: to be derived
        missing += [label for label in labels if label not in where]
        found.append([where[label] for label in labels if label in where])
    if missing:
        raise ValueError(f"{path}: there is no column {listed(missing)}; there are {listed(header)}")
    used = {place for picked in found for place in picked}
    unused = [name for k, name in enumerate(header) if name.strip() and k not in used]
    if unused:
        warn(f"{path}: not used are the columns {listed(unused)}")
    return found


def all_named(header: Sequence[str], names: Sequence[str]) -> bool:
    """Whether there is a column for each of these coordinates, in one of its spellings.

    >>> all_named(["t", "Pos.Crank [rad]"], ["crank"]), all_named(["t", "crank"], ["crank", "rocker"])
    (True, False)
    """
    there = {text.lower() for cell in header for text in (cell.strip(), _split(cell)[0])}
    return all(any(text.lower() in there for text in _spellings("q", name)) for name in names)


def _exact(path: object, header: Sequence[str], labels: list[str]) -> dict[str, int]:
    """Columns named as they are written here, whatever is in the names: spaces, brackets, the words of units."""
    found = find_names(header, labels, str(path), [lambda label: (label,)])
    return {label: place for label, place in zip(labels, found, strict=True) if place is not None}


def _add_others(
    path: object, header: Sequence[str], wanted: dict[str, tuple[str, ...]], where: dict[str, int]
) -> None:
    """The columns that are named otherwise, with a unit after the name or in another spelling."""
    used = set(where.values())
    others = [k for k, name in enumerate(header) if k not in used and name.strip()]
    bare = [_split(header[k])[0] for k in others]
    for k, name in zip(others, bare, strict=True):
        if name in where:
            raise ValueError(f"{path}: {name!r} is there twice, as {header[where[name]]!r} and {header[k]!r}: keep one")
    lower: dict[str, list[str]] = {}
    for name in bare:
        lower.setdefault(name.lower(), []).append(name)
    # The plain name of a joint, or of the time; another spelling; in other letters.
    ranks: list[Spellings] = [
        lambda label: (label,),
        lambda label: TIME if label == "t" else (wanted[label][1],) if wanted[label][0] == "q" else (),
        lambda label: _spellings(*wanted[label]),
        lambda label: [name for text in _spellings(*wanted[label]) for name in lower.get(text.lower(), ())],
    ]
    open_labels = [label for label in wanted if label not in where]
    for label, place in zip(open_labels, find_names(bare, open_labels, str(path), ranks), strict=True):
        if place is not None:
            where[label] = others[place]
            unit = _split(header[others[place]])[1]
            if unit not in UNITS_TAKEN:
                raise ValueError(f"{path}: column {header[others[place]]!r} is in {unit}: expected s, rad, m and their "
                                 "rates")  # fmt: skip


def _split(cell: str) -> tuple[str, str]:
    """The name of a column, and the unit in brackets after it.

    >>> _split(" turn [deg]"), _split("turn")
    (('turn', 'deg'), ('turn', ''))
    """
    text = cell.strip()
    if not text.endswith(("]", ")")):
        return text, ""
    closed = max(text.rfind(mark, 0, -1) for mark in "])")
    start = min((k for k in (text.find(mark, closed + 1) for mark in "[(") if k >= 0), default=-1)
    if start < 0:
        return text, ""
    return text[:start].strip(), text[start + 1 : -1].strip()


def _spellings(kind: str, name: str = "") -> list[str]:
    """The names that a column may have."""
    if kind == "t":
        return list(TIME)
    spelled = [f"{prefix}{mark}{name}" for prefix in KINDS[kind] for mark in _SEPARATORS]
    spelled += [f"{name}{mark}{suffix}" for suffix in KINDS[kind] for mark in _SEPARATORS]
    return [*spelled, name] if kind == "q" else spelled
