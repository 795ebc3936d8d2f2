"""What screen readers need and the theme leaves out; what depends on the window is in docs/_static/site.js."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

CAPTION = 'role="heading"'
PARAMETERS = re.compile(r'<dl>\n(<dd><em class="sig-param">.*?)</dl>', re.DOTALL)


def mend(app: Sphinx, page: str, template: str, context: dict[str, Any], document: nodes.document | None) -> None:
    """Headings of the side bar get their level; parameters below each other are no list of definitions."""
    side = context.get("furo_navigation_tree")
    if side:
        context["furo_navigation_tree"] = side.replace(CAPTION, f'{CAPTION} aria-level="2"')
    body = context.get("body")
    if body:
        context["body"] = PARAMETERS.sub(lambda found: f'<div class="parameters">{rows(found[1])}</div>', body)


def rows(parameters: str) -> str:
    """Without the names of the lists.

    >>> rows('<dd><em class="sig-param">q</em>,</dd>')
    '<div><em class="sig-param">q</em>,</div>'
    """
    return parameters.replace("<dd>", "<div>").replace("</dd>", "</div>")


def setup(app: Sphinx) -> dict[str, bool]:
    """After the theme, which makes the side bar."""
    app.connect("html-page-context", mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
