"""What all figures share: colours, and names from users' files as text that Plotly takes as it stands."""

from __future__ import annotations

COLORS = ("#0b5cad", "#d1495b", "#2e8b57", "#e08e0b", "#7b4fa3", "#00868b", "#8c564b", "#5c6b78", "#b8860b", "#c2569b")
"""For lines of joints, wheels or links, in their order."""


def label(text: str) -> str:
    """A name for a figure: Plotly reads a few HTML tags in its texts and sees none in this one.

    >>> label("<b>arm</b>")
    '&lt;b&gt;arm&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
