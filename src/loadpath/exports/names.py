"""Names of exported functions."""

from __future__ import annotations

import re

from loadpath.exports.request import Request


def names(text: str) -> frozenset[str]:
    """Names that stand in a text."""
    return frozenset(text.split())


def default_name(request: Request) -> str:
    """A name after the robot, the quantity, its link and its choices; it may begin with a digit, or be taken.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> default_name(request(lp.catalog.two_link(), "jacobian"))
    'two_link_jacobian_tip'
    """
    parts = [request.robot.name, request.name, *([request.variant.link] if request.variant.link else [])]
    parts += [str(value) for _, value in request.variant.choices]
    return re.sub(r"[\W_]+", "_", "_".join(parts), flags=re.ASCII).strip("_")


def check_name(given: object) -> None:
    """Refuse what is no name in any language."""
    if not isinstance(given, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", given, flags=re.ASCII):
        raise ValueError(f"function_name is {given!r}: expected letters, digits and underscores, a letter first")
