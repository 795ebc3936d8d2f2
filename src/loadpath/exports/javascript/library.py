"""The functions of the C library that JavaScript lacks, or has with other special cases."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib import resources


@cache
def library() -> dict[str, str]:
    """Source by name of the function.

    >>> list(library())
    ['fmin', 'fmax', 'copysign', 'pow', 'fmod', 'remainder', 'erf']
    """
    text = (resources.files("loadpath.exports.javascript") / "library.js").read_text(encoding="utf-8")
    found = re.findall(r"(/\*\*[^\n]*\*/\nfunction (\w+)\(.*?\n}\n)", text, flags=re.DOTALL)
    return {name: source for source, name in found}


def sources(names: Collection[str] | None = None) -> str:
    """The source of some of them, or of all."""
    return "\n".join(source for name, source in library().items() if names is None or name in names)
