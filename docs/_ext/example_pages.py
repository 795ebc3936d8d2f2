"""A page for each example: what it says of itself, its picture, and its code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from docs import gallery
from docs._ext.writing import write


def page(name: str) -> str:
    """The page of one example."""
    picture = f"![{gallery.title(name)}](../images/gallery/{name}.svg)\n\n" if _drawn(name) else ""
    code = (gallery.EXAMPLES / f"{name}.py").read_text()
    return (
        f"# {gallery.title(name)}\n\n{gallery.docstring(name)}\n\n{picture}"
        f"Run it in the folder of the project: `python examples/{name}.py`. "
        "Others are in the [gallery](../gallery.md).\n\n"
        f"````python\n{code}````\n"
    )


def _drawn(name: str) -> bool:
    return (gallery.IMAGES / f"{name}.svg").exists()


def write_pages(app: Sphinx) -> None:
    """docs/examples/*.md; the gallery lists them."""
    made = {f"{name}.md": page(name) for name in gallery.names()}
    write(Path(app.srcdir) / "examples", made)


def setup(app: Sphinx) -> dict[str, Any]:
    """Writes them before Sphinx looks for pages."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
