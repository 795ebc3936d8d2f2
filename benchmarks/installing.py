"""What an installation weighs: loadpath without extras and all that it needs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.report import Row

ROOT = Path(__file__).parents[1]
HEAVY = 5
"""Packages that are named beside the sum."""


def rows(quick: bool) -> list[Row]:
    """One row, of the packages of this environment."""
    weights = {"loadpath": _megabytes((ROOT / "src" / "loadpath").rglob("*"))}
    missing = []
    for name in _needed():
        try:
            weights[name] = _megabytes(Path(str(entry.locate())) for entry in distribution(name).files or ())
        except PackageNotFoundError:
            missing.append(name)
    heaviest = sorted(weights, key=lambda name: -weights[name])[:HEAVY]
    remark = f"{len(weights)} packages: {', '.join(f'{name} {weights[name]:.0f}' for name in heaviest)}, ..."
    if missing:
        remark += f"; not there: {', '.join(missing)}"
    return [Row("files of loadpath without extras and of all that it needs, without bytecode", sum(weights.values()),
                "MB", at_most=450, remark=remark)]


def _needed() -> list[str]:
    """Packages that pip would install beside loadpath, without its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [Requirement(line) for line in project["dependencies"]]
    needed: dict[str, None] = {}
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if not wanted or name in needed:
            continue
        needed[name] = None
        try:
            waiting += [Requirement(line) for line in distribution(name).requires or ()]
        except PackageNotFoundError:
            continue  # it is named in the row
    return list(needed)


def _megabytes(paths: Iterable[Path]) -> float:
    return sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc") / 1e6
