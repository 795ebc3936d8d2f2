"""Linear combinations of parameters as people write them: Izz1 + Iyy2 + 0.1865 (m3 + m4 + m5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from loadpath.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType


def combination(terms: Iterable[tuple[float, str]], digits: int = 4) -> str:
    """A sum of coefficients times names; terms with one and the same coefficient share a bracket.

    >>> combination([(1, "Izz1"), (1, "Iyy2"), (0.18645, "m3"), (0.18645, "m4"), (-1.0, "mx2")])
    'Izz1 + Iyy2 + 0.1865 (m3 + m4) - mx2'
    """
    written = [(abs(c), _number(abs(c), digits), c > 0, name) for c, name in terms]
    return bracketed((text if size != 1.0 else "", positive, name) for size, text, positive, name in written)


def bracketed(terms: Iterable[tuple[str, bool, str]]) -> str:
    """A sum of (coefficient, is it positive, name), terms of one coefficient in one bracket (none for ones)."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for coefficient, positive, name in terms:
        key = (coefficient, positive)
        groups.setdefault(key if coefficient else (name, positive), []).append(name)
    text = ""
    for (coefficient, positive), names in groups.items():
        sign = (" + " if positive else " - ") if text else ("" if positive else "-")
        bracket = names[0] if len(names) == 1 else f"({' + '.join(names)})"
        text += sign + (bracket if names == [coefficient] else f"{coefficient} {bracket}")
    return text


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}g}"


def rendered(table: RenderableType, width: int = 110) -> str:
    """What Rich prints of it, as plain text."""
    from rich.console import Console

    console = Console(width=width, no_color=True, force_terminal=False, legacy_windows=False, markup=False, emoji=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().rstrip().splitlines())


def listed(names: Iterable[str], separator: str = ", ", most: int = 8) -> str:
    """Names in a row, not too many.

    >>> listed("abcdefghij", most=3)
    'a, b, c and 7 more'
    """
    names = list(names)
    more = len(names) - most
    return separator.join(map(printable, names[:most])) + (f" and {more} more" if more > 0 else "")
