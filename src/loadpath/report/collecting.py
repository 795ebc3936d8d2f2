"""Warnings of the library, collected for the page to show."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from loadpath.errors import ModelWarning


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """What the library warns of within, for the page to show, each text once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelWarning)
        yield texts
    texts += [text for text in dict.fromkeys(str(warning.message) for warning in caught) if text not in texts]
