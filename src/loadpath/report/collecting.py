"""Warnings of the library, collected for the page to show, and by kind: those that differ in names and numbers only are
one, and exceeded limits come first.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from loadpath.errors import ModelWarning

MOST_NAMES = 8
_VARYING = re.compile(r"'[^']*'|[-+]?\d[\d.,]*(?:e[-+]?\d+)?|\b(?:nan|inf)\b")
_LIMITS = re.compile(r"\blimits?\b|faster than")


def by_kind(messages: Sequence[str]) -> list[list[str]]:
    """The messages, those together that differ in names and numbers only.

    >>> by_kind(["joint 'a' is at 3", "joint 'a' is slow", "joint 'b' is at 4"])
    [["joint 'a' is at 3", "joint 'b' is at 4"], ["joint 'a' is slow"]]
    """
    kinds: dict[str, list[str]] = {}
    for message in dict.fromkeys(messages):
        kinds.setdefault(_VARYING.sub("_", message), []).append(message)
    return list(kinds.values())


def one_a_kind(messages: Sequence[str]) -> list[str]:
    """One message for each kind, with the names that the others are about; limits that are exceeded come first.

    >>> one_a_kind(["joint 'a' is slow", "joint 'b' is slow", "drive 'a' needs more than its limit"])
    ["drive 'a' needs more than its limit", "joint 'a' is slow (the same of 'b')"]
    """
    kinds = by_kind(messages)
    kinds.sort(key=lambda kind: not _LIMITS.search(kind[0]))
    return [f"{kind[0]}{_others(kind[1:])}" for kind in kinds]


def _others(messages: Sequence[str]) -> str:
    """What the other messages of a kind are about."""
    if not messages:
        return ""
    named = dict.fromkeys(name[0] for message in messages if (name := re.search(r"'[^']*'", message)))
    if len(named) < len(messages):
        return f" (and {len(messages)} more like it)"
    names = list(named)
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f" (the same of {', '.join(names[:MOST_NAMES])}{more})"


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
