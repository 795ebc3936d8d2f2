"""Names that users give, looked up, with errors that show what there is."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def known(name: str, names: Iterable[str], what: str) -> str:
    """The name, or an error with the nearest one that there is."""
    names = list(names)
    if name in names:
        return name
    close = difflib.get_close_matches(str(name), names, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(names[:12]) or 'none'}" + (
        " ..." if len(names) > 12 else "")  # fmt: skip
    raise ValueError(f"no {what} {name!r}; {hint}")
