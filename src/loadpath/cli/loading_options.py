"""What the user of a command says of the files that it loads, as the loading of robots needs to know it: whether to
evaluate xacro, whether to trust a project file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_XACRO: ContextVar[tuple[str, ...]] = ContextVar("xacro", default=())
_TRUST: ContextVar[bool] = ContextVar("trust", default=False)
_WITHOUT_ARGUMENTS = "yes"


@contextmanager
def loading_options(xacro: Sequence[str] = (), trust: bool = False) -> Iterator[None]:
    """What the options `--xacro` and `--trust` say, as long as a command runs."""
    before = _XACRO.set(tuple(xacro)), _TRUST.set(trust)
    try:
        yield
    finally:
        _XACRO.reset(before[0])
        _TRUST.reset(before[1])


def is_trusted() -> bool:
    """Whether project files are to be trusted."""
    return _TRUST.get()


def xacro_options() -> dict[str, Any]:
    """The arguments for `lp.load` that the option stands for.

    >>> with loading_options(xacro=["prefix=left_"]):
    ...     xacro_options()
    {'xacro': True, 'xacro_arguments': {'prefix': 'left_'}}
    """
    entries = _XACRO.get()
    if not entries:
        return {}
    pairs = dict(_pair(entry) for entry in entries if entry != _WITHOUT_ARGUMENTS)
    return {"xacro": True, "xacro_arguments": pairs or None}


def _pair(entry: str) -> tuple[str, str]:
    name, sign, value = entry.partition("=")
    if not sign or not name:
        raise ValueError(f"--xacro {entry}: expected 'yes', or a name and a value, like prefix=left_")
    return name.removesuffix(":"), value  # as xacro itself writes it, prefix:=left_
