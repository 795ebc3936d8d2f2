"""Formulas as MathML, which browsers draw themselves: no script, no font and no network is needed to read them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator


def _mathml(node: nodes.math | nodes.math_block, display: str) -> str:
    try:
        return convert(node.astext(), display=display)
    except Exception as problem:
        raise ExtensionError(f"{node.source}:{node.line}: not a formula: {node.astext()!r}: {problem!r}") from problem


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """A formula in a line."""
    self.body.append(f'<span class="math">{_mathml(node, "inline")}</span>')
    raise nodes.SkipNode


def visit_display(self: HTML5Translator, node: nodes.math_block) -> None:
    """A formula of its own; wide ones scroll."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    self.body.append(f"{_mathml(node, 'block')}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Makes `mathml` a choice for `html_math_renderer`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))  # type: ignore[arg-type]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
