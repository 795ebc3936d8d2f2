"""Whether the user of a command asks for xacro, as the loading of robots needs to know it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_ASKED: ContextVar[tuple[str, ...]] = ContextVar("xacro", default=())
_WITHOUT_ARGUMENTS = "yes"


@contextmanager
def xacro_asked_for(entries: Sequence[str]) -> Iterator[None]:
    """What the option `--xacro` says, as long as a command runs."""
    token = _ASKED.set(tuple(entries))
    try:
        yield
    finally:
        _ASKED.reset(token)


def xacro_options() -> dict[str, Any]:
    """The arguments for `lp.load` that the option stands for.

    >>> with xacro_asked_for(["prefix=left_"]):
    ...     xacro_options()
    {'xacro': True, 'xacro_arguments': {'prefix': 'left_'}}
    """
    entries = _ASKED.get()
    if not entries:
        return {}
    pairs = dict(_pair(entry) for entry in entries if entry != _WITHOUT_ARGUMENTS)
    return {"xacro": True, "xacro_arguments": pairs or None}


def _pair(entry: str) -> tuple[str, str]:
    name, sign, value = entry.partition("=")
    if not sign or not name:
        raise ValueError(f"--xacro {entry}: expected 'yes', or a name and a value, like prefix=left_")
    return name.removesuffix(":"), value  # as xacro itself writes it, prefix:=left_
