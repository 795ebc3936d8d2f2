"""Ordinary words in the search: the `keywords` at the head of a page lead to it before anything that only has the word.

    ---
    myst:
      html_meta:
        keywords: "fk, forward kinematics"
    ---

The search of Sphinx does not count: a page with a word in a footnote ranks as one about it. Entries of the
index rank by how much of them was typed, so each keyword becomes one, at the first heading that has its words, else at
the top of the page. A keyword leads to one page, or nobody knows which comes first: tests/docs holds that.

Where a site is made anew over one that is there, Sphinx takes the words of unchanged pages from the old index of the
search, but not their entries: they are put back from what it remembers of all pages.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.index_entries import split_index_msg

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


def entries_of_unchanged_pages(app: Sphinx) -> tuple[()]:
    """Gives the index of the search the entries of pages that are not written anew; adds no page of its own."""
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None:
        kept: dict[str, list[Any]] = app.env.domaindata["index"]["entries"]
        for page, entries in kept.items():
            if page in indexer._titles and page not in indexer._index_entries:
                indexer._index_entries[page] = sorted({
                    (words, target or "", main) for kind, value, target, main, _ in entries
                    for words in split_index_msg(kind, value)
                })
    return ()


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the transform, and what is done before the index is written."""
    app.add_transform(Keywords)
    app.connect("html-collect-pages", entries_of_unchanged_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
