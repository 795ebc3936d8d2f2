"""Pages that are made: written where they changed, so that Sphinx reads only those again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(folder: Path, pages: Mapping[str, str], kept: tuple[str, ...] = ()) -> None:
    """These pages, by file name, and no other (`kept` are not made, and stay)."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in pages and old.name not in kept:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
