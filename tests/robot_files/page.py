"""The page of all robot files tried, from their rows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from robot_files.trying import Row

PAGE = Path(__file__).parents[2] / "docs" / "robot_files_tried.md"
PEERS = {"URDF": "Pinocchio", "MJCF": "MuJoCo", "SDF": "Drake"}
MOST_REASONS = 60
HEAD = """# Robot files tried

Robot files that packages on PyPI ship, each loaded with `lp.load`: it loads, or there is a reason. What loads is
compared with a peer that reads the same file by its own reader (URDF: Pinocchio; MJCF: MuJoCo; SDF: Drake): torques,
mass matrix and reactions (Drake: without reactions) of a random motion, each relative to its largest entry. *Compared*
counts the files that the peer reads too and that have the same freedoms there. URDFs are also written as URDF, and as
MJCF and SDF that are read and written as URDF; each is read again, and must be the same robot: to the last digit, by
MJCF, which has quaternions for angles, to 1e-14. Those that are not equal by MJCF have the same torques, but frames or
mass centers of links without mass are elsewhere. This page is written by `python -m tests.robot_files FOLDER...`; what
each format says is on the page of [robot files](robot_files.md).

"""


def write_page(rows: Sequence[Row]) -> None:
    PAGE.write_text(page(rows))


def page(rows: Sequence[Row]) -> str:
    parts = [HEAD]
    for kind in PEERS:
        own = [row for row in rows if row.kind == kind]
        if own:
            parts += [f"## {kind}\n\n", *table(kind, own), *reasons(own)]
    return "".join(parts).rstrip() + "\n"


def table(kind: str, rows: Sequence[Row]) -> Iterable[str]:
    through = list(PEERS) if kind == "URDF" else []
    columns = ["package", "files", "load", "with a warning", "compared", f"largest difference to {PEERS[kind]}"]
    if kind == "MJCF":
        columns.remove("with a warning")
    columns += ["to URDF and back" if name == kind else f"to {name} to URDF and back" for name in through]
    yield f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    for package in dict.fromkeys(row.package for row in rows):
        yield line(package, kind, [row for row in rows if row.package == package], through)
    if len({row.package for row in rows}) > 1:
        yield line("**all**", kind, rows, through)
    yield "\n"


def line(package: str, kind: str, rows: Sequence[Row], through: Sequence[str]) -> str:
    loaded = [row for row in rows if not row.reason]
    differences = [row.difference for row in loaded if row.difference is not None]
    cells = [package, len(rows), len(loaded)]
    cells += [] if kind == "MJCF" else [sum(row.warned for row in loaded)]
    cells += [len(differences), f"{max(differences):.0e}" if differences else ""]
    for name in through:
        same = [dict(row.through)[name] for row in loaded if row.through]
        cells.append(f"{sum(same)} of {len(same)} equal")
    return f"| {' | '.join(str(cell) for cell in cells)} |\n"


def reasons(rows: Sequence[Row]) -> Iterable[str]:
    """Why files are refused, those with the same words together."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.reason:
            groups[pattern(row.reason)].append(row)
    if not groups:
        return
    yield "Refused:\n\n| files | why | one of them |\n|---|---|---|\n"
    for why, own in sorted(groups.items(), key=lambda item: -len(item[1]))[:MOST_REASONS]:
        words = " ".join(own[0].reason.split())
        words = why if len(own) > 1 else words
        shown = words if len(words) < 240 else words[:240].rsplit(" ", 1)[0] + " ..."
        safe = shown.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replace("$", "\\$")
        yield f"| {len(own)} | {safe} | `{own[0].package}`: `{own[0].file}` |\n"
    yield "\n"


def pattern(words: str) -> str:
    """The words of a reason without the names and numbers of one file.

    >>> pattern("link 'arm', line 3: mass is -2.5")
    "link '...', line …: mass is …"
    """
    words = " ".join(words.split())
    words = re.sub(r"'[^']*'", "'...'", words)
    words = re.sub(r"\S*/\S*", "...", words)
    return re.sub(r"-?\b\d[\d.e+-]*", "…", words)
