"""Ordinary words in the search: the `keywords` at the head of a page lead to it before anything that only has the word.

    ---
    myst:
      html_meta:
        keywords: "fk, forward kinematics"
    ---

The search of Sphinx does not count: a page with a word in a footnote ranks as one about it. Entries of the
index rank by how much of them was typed, so each keyword becomes one, at the first heading that has its words, else at
the top of the page. A keyword leads to one page, or nobody knows which comes first: tests/docs holds that.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

WORD = re.compile(r"\w+")


def keywords(content: str) -> list[str]:
    """Those of the head of a page.

    >>> keywords("fk, forward  kinematics, ")
    ['fk', 'forward kinematics']
    """
    return [" ".join(word.split()) for word in content.split(",") if word.strip()]


def place(keyword: str, headings: list[str]) -> int:
    """Which heading a keyword stands for: the first that has its words, else the first of all.

    >>> place("fk", ["Questions", "Where is the tool? Forward kinematics, fk"]), place("rnea", ["Questions", "More"])
    (1, 0)
    """
    wanted = set(WORD.findall(keyword.lower()))
    having = (k for k, heading in enumerate(headings) if wanted <= set(WORD.findall(heading.lower())))
    return next(having, 0)


class Keywords(SphinxTransform):
    """Enters the keywords of a page, before the index is collected."""

    default_priority = 820

    def apply(self, **options: object) -> None:
        """Those of one document."""
        said = [node for node in self.document.findall(nodes.meta) if node.get("name") == "keywords"]
        sections = list(self.document.findall(nodes.section))
        headings = [section[0].astext() for section in sections]
        for word in (word for node in said for word in keywords(node["content"])):
            section = sections[place(word, headings)]
            section.insert(1, addnodes.index(entries=[("single", word, section["ids"][0], "main", None)]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the transform."""
    app.add_transform(Keywords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
