"""Warnings of the library, collected for the page to show."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from loadpath.errors import ModelWarning

T = TypeVar("T")


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """What the library warns of within, for the page to show, each text once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ModelWarning)
        yield texts
    texts += [text for text in dict.fromkeys(str(warning.message) for warning in caught) if text not in texts]


def asked_for(ask: Callable[[], T], said: list[str]) -> T | None:
    """What a call returns; where it refuses, or lacks an optional library, its words are kept, and the page does
    without it.
    """
    try:
        return ask()
    except (ValueError, ImportError) as problem:
        said.append(str(problem))
        return None
