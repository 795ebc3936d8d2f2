"""What all figures share: names from users' files as text that Plotly takes as it stands."""

from __future__ import annotations


def label(text: str) -> str:
    """A name for a figure: Plotly reads a few HTML tags in its texts and sees none in this one.

    >>> label("<b>arm</b>")
    '&lt;b&gt;arm&lt;/b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
