r"""Search for symbols as people type them: "U_ijk" finds the formula U_{ijk}, "w_C" w^C, "T_dot" \dot T.

The search of Sphinx cuts text into words of letters, digits and underscores. Of a formula that leaves pieces, "U_" and
"ijk", which nobody types.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

BOLD = re.compile(r"\\mathbf\s*\{(\w+)\}")
WITH_INDEX = re.compile(r"([A-Za-z]+)[_^]\{?(\w+)")
WITH_DOTS = re.compile(r"\\(d?dot)\s*\{?\s*(\w)")


def symbols(text: str) -> list[str]:
    r"""The symbols of LaTeX that have indices or dots, one word each.

    >>> symbols(r"U_{ijk} = \partial U_{ij} / \partial q_k, \mathbf{w}^C, \dot{\mathbf{T}}")
    ['U_ijk', 'U_ij', 'q_k', 'w_C', 'T_dot']
    """
    text = BOLD.sub(r"\1", text)
    indexed = [f"{name}_{index}" for name, index in WITH_INDEX.findall(text)]
    return indexed + [f"{name}_{dots}" for dots, name in WITH_DOTS.findall(text)]


class WordsAndSymbols(SearchEnglish):
    """English, and the symbols of formulas."""

    def split(self, input: str) -> list[str]:
        """The words of a text, and its symbols."""
        return [*super().split(input), *symbols(input)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Puts it in the place of English."""
    app.add_search_language(WordsAndSymbols)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
