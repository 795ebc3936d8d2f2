"""Tutorials are notebooks: Markdown pages whose Python blocks run one after the other, with what they print below.

A `text` block right after a Python block is its output, and must be: `...` stands for anything. The site shows it, with
pictures and tables that the last line of a block makes, and offers the page as a notebook (.ipynb).
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n*```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass
class Cell:
    """A block of a page, and what came of it."""

    source: str
    expected: str | None
    line: int
    printed: str = ""
    shown: dict[str, Any] = field(default_factory=dict)
    """What its last line gave, by MIME type, as in a notebook."""

    def difference(self) -> str | None:
        """How the output differs from that on the page; None if it does not."""
        wanted, got = self.expected or "", self.text()
        if self.expected is None or doctest.OutputChecker().check_output(wanted, got, SAME):
            return None
        return f"line {self.line}: the page says\n{wanted}\nbut the output is\n{got}"

    def text(self) -> str:
        """All that is text."""
        return self.printed + (f"{self.shown['text/plain']}\n" if "text/plain" in self.shown else "")


def read(text: str) -> list[Cell]:
    """The cells of a page."""
    return [Cell(found[1], found[2], text.count("\n", 0, found.start()) + 1) for found in BLOCK.finditer(text)]


def run(text: str, name: str) -> list[Cell]:
    """The cells of a page, run in one namespace, in a folder of their own."""
    cells = read(text)
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in cells:
                _run(cell, names, name)
        finally:
            os.chdir(before)
    return cells


def _run(cell: Cell, names: dict[str, Any], name: str) -> None:
    tree = ast.parse("\n" * cell.line + cell.source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        if isinstance(last, ast.Expr):
            cell.shown = _shown(eval(compile(ast.Expression(last.value), name, "eval"), names))
    cell.printed = printed.getvalue()


def _shown(value: object) -> dict[str, Any]:
    """What a notebook would show of a value."""
    if value is None:
        return {}
    if type(value).__module__.startswith("plotly."):
        return {"application/vnd.plotly.v1+json": value}
    shown: dict[str, Any] = {"text/plain": repr(value)}
    for kind, method in (("text/html", "_repr_html_"), ("text/latex", "_repr_latex_"), ("image/svg+xml", "_repr_svg_")):
        made = getattr(value, method, None)
        text = made() if callable(made) else None
        if text is not None:
            shown[kind] = text
    return shown


def notebook(text: str, cells: list[Cell]) -> str:
    """The page as a notebook, JSON, with the outputs of its cells."""
    import jupytext
    import nbformat

    bare = BLOCK.sub(lambda found: f"```python\n{found[1]}```\n", text)
    bare = re.sub(r"\[([^\]]*)\]\((?![a-z]+:)[^)]*\)", r"\1", bare)  # pages that a notebook on its own does not have
    book = jupytext.reads(bare, fmt="md")
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    codes = [cell for cell in book.cells if cell.cell_type == "code"]
    for code, cell in zip(codes, cells, strict=True):
        if cell.printed:
            code.outputs.append(nbformat.v4.new_output("stream", name="stdout", text=cell.printed))
        data = {
            kind: value.to_plotly_json() if kind.startswith("application/vnd.plotly") else value
            for kind, value in cell.shown.items()
        }
        if data:
            code.outputs.append(nbformat.v4.new_output("display_data", data=_plain(data)))
    for number, cell in enumerate(book.cells):
        cell["id"] = f"cell{number}"  # the same from build to build
    return str(nbformat.writes(book))


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Without NumPy arrays, as JSON has them."""
    import json

    from plotly.utils import PlotlyJSONEncoder

    plain: dict[str, Any] = json.loads(json.dumps(data, cls=PlotlyJSONEncoder))
    return plain


def problems(cells: list[Cell], book: str) -> list[str]:
    """What is wrong with a tutorial that ran, and with its notebook."""
    import json

    found = [problem for cell in cells if (problem := cell.difference())]
    codes = [cell for cell in json.loads(book)["cells"] if cell["cell_type"] == "code"]
    if len(cells) < 4 or len(codes) != len(cells):
        found.append(f"{len(cells)} cells, {len(codes)} in its notebook: expected four or more, in both")
    if (shown := sum(bool(code.get("outputs")) for code in codes)) < 3:
        found.append(f"{shown} cells of its notebook show something: expected three or more")
    return found


def filled(text: str, name: str) -> str:
    """The page with the outputs as they are now, below the blocks that print something."""
    cells = iter(run(text, name))

    def block(found: re.Match[str]) -> str:
        output = next(cells).text()
        return f"```python\n{found[1]}```\n" + (f"\n```text\n{output}```\n" if output else "")

    return BLOCK.sub(block, text)


def main(paths: list[str]) -> None:
    """Writes the outputs into pages: `python -m docs.cells docs/tutorials/*.md`, then look at what changed."""
    for path in map(Path, paths):
        text = path.read_text()
        new = filled(text, path.name)
        if new != text:
            path.write_text(new)
            print(f"wrote {path}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
