"""Names and texts from files, as they may be printed: nothing in them that a terminal would obey, or that is not seen.

A name can hold an escape sequence that clears the screen, a line break that begins a line of its own, or a mark that
turns the direction of reading. They are shown, as Python would write them, and not obeyed.
"""

from __future__ import annotations

import re

LONGEST_WORD = 500
LONGEST_LINE = 6_000
"""Characters of a message that are shown."""


def printable(text: str) -> str:
    """The text in one line, with every character that is not seen as one written as an escape sequence.

    >>> print(printable("elbow\\x1b[2J\\nloadpath: all is well"))
    elbow\\x1b[2J\\nloadpath: all is well
    >>> print(printable("\\u202e Ellbogen-Gelenk äöü 肘"))
    \\u202e Ellbogen-Gelenk äöü 肘
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    """The same of a text of several lines, which stay lines.

    >>> print(printable_lines("two\\nlines\\x07"))
    two
    lines\\x07
    """
    return text if text.isprintable() else "\n".join(map(printable, text.split("\n")))


def message_of(text: str) -> str:
    """The lines of a message as they may be printed, without the middle of words (as long names) and lines that
    are longer than anybody reads.

    >>> said = message_of(f"no link '{'x' * 1_000_000}' in the robot")
    >>> len(said), said[:12], said[255:270], said[-15:]
    (528, "no link 'xxx", 'xxx [...] xxxxx', "x' in the robot")
    """
    shown = printable_lines(text)
    if len(shown) <= LONGEST_WORD:
        return shown
    words = re.sub(r"\S+", lambda word: _without_middle(word[0], LONGEST_WORD), shown)
    return "\n".join(_without_middle(line, LONGEST_LINE) for line in words.split("\n"))


def _without_middle(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]} [...] {text[-most // 2 :]}"


def clipped(text: str, most: int = 120) -> str:
    """A text for a message.

    >>> clipped("a" * 200, 5)
    'aaaaa ...'
    """
    return text if len(text) <= most else text[:most] + " ..."


def storable(text: str) -> str:
    """A text that a file in UTF-8 can hold: what it cannot, a byte of a file's name that is no UTF-8, is shown as an
    escape sequence.

    >>> storable("b\\udcff.urdf")
    'b\\\\udcff.urdf'
    """
    return text.encode("utf-8", "backslashreplace").decode()
