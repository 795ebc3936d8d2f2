"""The API reference, made from signatures and docstrings: every public name, its members, its examples, its source.

`purposes.py` says on which page a name stands; `entries.py` writes an entry; `pages.py` puts the pages together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from docs._ext.reference.pages import pages as all_pages
from docs._ext.writing import write


def write_pages(app: Sphinx) -> None:
    """docs/reference/*.md, except the first page, which is written by hand."""
    write(Path(app.srcdir) / "reference", all_pages(), kept=("index.md",))


def setup(app: Sphinx) -> dict[str, Any]:
    """Writes them before Sphinx looks for pages."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
