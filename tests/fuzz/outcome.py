"""How a case may end, and what is a fault."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis.strategies import SearchStrategy

from refusals import is_refusal, place

LONGEST_MESSAGE = 6000
"""Characters of a message, whatever stands in the file."""


class Fault(AssertionError):  # noqa: N818
    """Something that must not happen."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    kind: Literal["refused", "accepted", "agreed", "explained"]
    """Accepted: there is nothing to compare with. Agreed: an independent result is the same. Explained: it is not, for
    a reason that is a rule."""
    rule: str = ""
    difference: float = 0.0
    """Relative, of those that agreed."""


REFUSED, ACCEPTED = Outcome("refused"), Outcome("accepted")


@dataclass(frozen=True)
class Parser:
    """Something that reads: how to make cases for it, and what must hold of each."""

    name: str
    cases: SearchStrategy[Any]
    """Of plain data: numbers, texts, bytes, lists and dicts."""
    check: Callable[[Any], Outcome]
    weight: float = 1.0
    """Its share of the time."""


class Refusal(Exception):  # noqa: N818
    """A refusal of ours ends a case."""


@contextmanager
def refusals(*kinds: type[Exception], names: str = "") -> Iterator[None]:
    """Errors of these kinds that we raise ourselves end the case; any other error is a fault. `names` must be in the
    message, as the name of the file that was read.
    """
    try:
        yield
    except kinds as problem:
        message = str(problem)
        if not is_refusal(problem):
            raise Fault(f"{type(problem).__name__} from inside, at {place(problem)}: {message[:300]}") from problem
        if not message.strip():
            raise Fault(f"an error without words, at {place(problem)}") from problem
        if len(message) > LONGEST_MESSAGE:
            raise Fault(f"a message of {len(message)} characters, at {place(problem)}: {message[:100]}") from problem
        if names and names not in message:
            raise Fault(f"the message does not name {names!r}: {message[:300]}") from problem
        raise Refusal from None
    except (Fault, Refusal):
        raise
    except Exception as problem:
        raise Fault(f"{type(problem).__name__} at {place(problem)}: {str(problem)[:300]}") from problem


def control_characters(text: str, allowed: str = "\n\t") -> list[str]:
    """Characters that a terminal obeys instead of showing them, or that turn the order of letters."""
    return sorted({c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in allowed})
