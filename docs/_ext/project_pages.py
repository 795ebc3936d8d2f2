"""Pages made of the texts at the top of the project: changelog, how to contribute, security."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from docs._ext.source_pages import ROOT
from docs._ext.writing import write

TEXTS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)\s]+\))")


def write_pages(app: Sphinx) -> None:
    """docs/project/*.md, with links as seen from there."""
    folder = Path(app.srcdir) / "project"
    there = [ROOT / name for name in TEXTS if (ROOT / name).exists()]
    write(folder, {f"{path.stem.lower()}.md": _moved(path.read_text()) for path in there})


def _moved(text: str) -> str:
    return LINK.sub(r"\1../../\2", text)


def setup(app: Sphinx) -> dict[str, Any]:
    """Writes them before Sphinx looks for pages."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
