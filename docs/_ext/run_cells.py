"""Runs the cells of tutorials while the site is made, shows their outputs, and offers the pages as notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform
from sphinx.util.osutil import relative_uri

from docs import cells

FOLDER = "tutorials/"
PLOTLY = "_static/plotly.min.js"


class RunCells(SphinxTransform):
    """Puts outputs after the blocks that made them."""

    default_priority = 100

    def apply(self, **options: object) -> None:
        """Runs the blocks of one document."""
        document = self.env.docname
        if not document.startswith(FOLDER) or document == f"{FOLDER}index":
            return
        text = Path(self.env.doc2path(document)).read_text()
        found = cells.run(text, f"{document}.md")
        book = cells.notebook(text, found)
        if problems := cells.problems(found, book):
            raise ExtensionError(f"{document}.md: " + "\n".join(problems))
        blocks = [node for node in self.document.findall(nodes.literal_block) if node.get("language") == "python"]
        for node, cell in zip(blocks, found, strict=True):
            self._show(node, cell)
        self._offer(book)

    def _show(self, node: nodes.literal_block, cell: cells.Cell) -> None:
        parent, place = node.parent, node.parent.index(node) + 1
        if cell.expected is not None:
            written = parent[place]
            assert isinstance(written, nodes.literal_block), f"line {cell.line}: its output does not follow it"
            parent.remove(written)
        made: list[nodes.Node] = []
        rich = [kind for kind in cell.shown if kind != "text/plain"]
        text = cell.printed if rich else cell.text()
        if text:
            made.append(nodes.literal_block(text, text, language="text", classes=["output"]))
        for kind in rich[:1]:
            made.append(self._rich(kind, cell.shown[kind]))
        parent.insert(place, made)

    def _rich(self, kind: str, value: Any) -> nodes.Node:
        if kind == "text/latex":
            return nodes.math_block(value.strip("$ \n"), value.strip("$ \n"), nowrap=True)
        if kind.startswith("application/vnd.plotly"):
            script = relative_uri(f"{self.env.docname}.html", PLOTLY)
            value.update_layout(autosize=True, margin={"l": 50, "r": 20, "t": 50, "b": 40})
            page = value.to_html(full_html=False, include_plotlyjs=False, config={"responsive": True})
            text = f'<div class="output figure"><script src="{script}"></script>{page}</div>'
        else:
            text = f'<div class="output">{value}</div>'
        return nodes.raw("", text, format="html")

    def _offer(self, book: str) -> None:
        """Writes the notebook beside the page, with a link to it below the title."""
        out = Path(self.app.outdir) / f"{self.env.docname}.ipynb"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(book)
        link = f'<p class="notebook"><a href="{out.name}" download>Download as a notebook</a></p>'
        section = next(iter(self.document.findall(nodes.section)))
        section.insert(1, nodes.raw("", link, format="html"))


def add_plotly(app: Sphinx, problem: Exception | None) -> None:
    """The script that draws the figures, once, from the package that is installed: pages load nothing from the net."""
    if problem is None and app.builder.format == "html":
        from plotly.offline import get_plotlyjs

        (Path(app.outdir) / PLOTLY).write_text(get_plotlyjs())


def setup(app: Sphinx) -> dict[str, Any]:
    """Adds the transform."""
    app.add_transform(RunCells)
    app.connect("build-finished", add_plotly)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
