"""Draws the figures of the sources into docs/images/sources: all of them, or those that are named."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from docs.source_figures.drawing import FIGURES, save

HERE = Path(__file__).parent
IMAGES = HERE.parent / "images" / "sources"
MODULES = sorted(path.stem for path in HERE.glob("*_*.py") if not path.stem.startswith("__"))


def draw(names: list[str], folder: Path = IMAGES) -> list[Path]:
    """Draws the figures of these names (all, if none is given); the files that were written."""
    for module in MODULES:
        import_module(f"docs.source_figures.{module}")
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        raise SystemExit(f"no figure {', '.join(unknown)}; there are: {', '.join(sorted(FIGURES))}")
    folder.mkdir(parents=True, exist_ok=True)
    return [save(FIGURES[name](), folder / f"{name}.svg") for name in names or sorted(FIGURES)]


if __name__ == "__main__":
    for path in draw(sys.argv[1:]):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
