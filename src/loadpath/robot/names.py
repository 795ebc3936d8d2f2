"""Names that users give, looked up, with errors that show what there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def known(name: str, names: Iterable[str], what: str) -> str:
    """The name, or an error with the nearest one that there is."""
    names = list(names)
    if name in names:
        return name
    raise ValueError(f"no {what} {name!r}{nearest(name, names, 'there are')}")


def nearest(name: str, names: Iterable[str], otherwise: str = "it has") -> str:
    """A hint for a misspelt name."""
    names = list(names)
    close = difflib.get_close_matches(str(name)[:200], [other for other in names if len(other) < 200], n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; {otherwise} {', '.join(names[:12]) or 'none'}{' ...' if len(names) > 12 else ''}"
