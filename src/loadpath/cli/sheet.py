"""Tables for terminals of any width: names and numbers stay whole, text is folded at spaces only.

A table that is too wide even so leaves out columns that are called less important, and says which; without any, or if
that is not enough, it is written row by row, each cell with the name of its column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from loadpath.printable import printable

NONE = "-"
"""What stands where there is no number."""
GAP = 2
"""Spaces between columns; one where it is narrow."""
HEADER = Style(bold=True)
RULE = Style(dim=True)

_WORD = re.compile(r"\S+\s*|\s+")
"""What a text is made of: it may be folded after each."""
_UNIT = re.compile(r"\([^()]*\)")


class Sheet:
    """Rows of cells. The first `left` columns hold text, as do those called `words`, and the others numbers, which are
    not folded. `less_important` are the headings of columns that may be left out, the least important first.
    """

    def __init__(
        self, columns: Iterable[str], left: int = 1, *, words: Sequence[str] = (), less_important: Sequence[str] = ()
    ) -> None:
        self.columns = list(columns)
        self.is_text = [k < left or column in words for k, column in enumerate(self.columns)]
        self.less_important = tuple(less_important)
        self.rows: list[list[Text]] = []

    def add_row(self, *cells: str | Text) -> None:
        """A row; it may be shorter than the others."""
        row = [cell if isinstance(cell, Text) else Text(printable(cell)) for cell in cells]
        self.rows.append([*row, *[Text("")] * (len(self.columns) - len(row))])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        rule = "─" if console.encoding.lower().startswith("utf") else "-"
        for count in range(len(self.less_important) + 1):
            left_out = self.less_important[:count]
            some = self._without(left_out)
            for gap, whole in ((GAP, True), (1, True), (GAP, False), (1, False)):
                widths = some._widths(room, gap)
                if widths is not None and (not whole or some._whole(widths)):
                    yield from some._laid_out(widths, gap, rule)
                    if lost := [head for head in left_out if self._has(head)]:
                        said = f"Left out, for want of width: {', '.join(lost)}."
                        yield from (Segment(line) for text in _fold(_atoms(said), room) for line in (text, "\n"))
                    return
        yield from self._row_by_row(room)

    def _has(self, heading: str) -> bool:
        """Whether a column holds anything."""
        k = self.columns.index(heading)
        return any(row[k].plain.strip() for row in self.rows)

    def _without(self, headings: Sequence[str]) -> Sheet:
        """The same without some columns, and without those of the less important that are empty."""
        gone = [k for k, head in enumerate(self.columns)
                if head in headings or (head in self.less_important and not self._has(head))]  # fmt: skip
        kept = [k for k in range(len(self.columns)) if k not in gone]
        made = Sheet([self.columns[k] for k in kept])
        made.is_text = [self.is_text[k] for k in kept]
        made.rows = [[row[k] for k in kept] for row in self.rows]
        return made

    # Columns

    def _widths(self, room: int, gap: int) -> list[int] | None:
        """Widths of the columns, those of text shrunk as far as needed; None if they do not fit."""
        columns = list(zip(*([cell.plain for cell in row] for row in self.rows), strict=True))
        whole, least = [], []
        for k, head in enumerate(self.columns):
            cells = columns[k] if columns else ()
            longest = max((cell_len(cell.rstrip()) for cell in cells), default=0)
            atoms = max((cell_len(atom.rstrip()) for cell in set(cells) for atom in _atoms(cell)), default=0)
            words = max((cell_len(word) for word in _words(head)), default=0)
            least.append(max(atoms if self.is_text[k] else longest, words))
            whole.append(max(longest, cell_len(head) if self.is_text[k] else words, words))
        free = room - gap * (len(widths := list(least)) - 1) - sum(least)
        if free < 0:
            return None
        # Headers of numbers are folded last: they get what is left when all names are whole.
        for wanted in (whole, [max(w, cell_len(head)) for w, head in zip(whole, self.columns, strict=True)]):
            while free > 0 and (short := [k for k in range(len(widths)) if widths[k] < wanted[k]]):
                each = max(free // len(short), 1)
                for k in short[: free if each == 1 else None]:
                    more = min(each, wanted[k] - widths[k])
                    widths[k] += more
                    free -= more
        return widths

    def _whole(self, widths: Sequence[int]) -> bool:
        """Whether no text is folded."""
        return all(cell_len(cell.plain.rstrip()) <= width for row in self.rows
                   for cell, width, text in zip(row, widths, self.is_text, strict=True) if text)  # fmt: skip

    def _laid_out(self, widths: Sequence[int], gap: int, rule: str) -> Iterator[Segment]:
        heads = [Text(head) for head in self.columns]
        yield from self._lines([_folded_words(head, width) for head, width in zip(heads, widths, strict=True)], widths,
                               gap, HEADER)  # fmt: skip
        yield Segment(rule * (sum(widths) + gap * (len(widths) - 1)), RULE)
        yield Segment.line()
        for row in self.rows:
            cells = [_folded(cell, width) if self.is_text[k] else [cell]
                     for k, (cell, width) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
            yield from self._lines(cells, widths, gap)

    def _lines(
        self, cells: Sequence[Sequence[Text]], widths: Sequence[int], gap: int, style: Style | None = None
    ) -> Iterator[Segment]:
        for line in range(max(map(len, cells), default=0)):
            row: list[Segment] = []
            for k, (parts, width) in enumerate(zip(cells, widths, strict=True)):
                part = parts[line] if line < len(parts) else Text("")
                space = " " * (width - cell_len(part.plain))
                around = ("", space) if self.is_text[k] else (space, "")
                row += [Segment(around[0]), *_segments(part, style), Segment(around[1] + " " * gap)]
            while row and not row[-1].text.strip():
                row.pop()
            yield from row
            yield Segment.line()

    # One under the other

    def _row_by_row(self, room: int) -> Iterator[Segment]:
        for row in self.rows:
            first, *others = row
            for line in _folded(first, room):
                yield from (*_segments(line, HEADER), Segment.line())
            begun = 0
            for head, cell in zip(self.columns[1:], others, strict=True):
                if cell.plain.strip() in ("", NONE):
                    continue
                label = f"{head}: " if head else ""
                for k, part in enumerate(_folded(cell, max(room - 2 - cell_len(label), 8))):
                    text = label if k == 0 else " " * cell_len(label)
                    size = cell_len(text) + cell_len(part.plain)
                    if begun and (begun + 3 + size > room or k):
                        yield Segment.line()
                        begun = 0
                    yield Segment(("   " if begun else "  ") + text)
                    yield from _segments(part)
                    begun += (3 if begun else 2) + size
            if begun:
                yield Segment.line()


def titled(title: str, table: Sheet) -> Group:
    """A table with its title above and an empty line below."""
    return Group(Text(printable(title), style="bold"), table, "")


def _segments(text: Text, style: Style | None = None) -> list[Segment]:
    """A line of a cell with its colours."""
    own = Style.parse(text.style) if isinstance(text.style, str) and text.style else (text.style or None)
    plain = text.plain.rstrip()
    return [Segment(plain, own or style)] if plain else []


def _atoms(text: str) -> list[str]:
    """The pieces after each of which a text may be folded: names are not broken.

    >>> _atoms("gripper_left_joint"), _atoms("-1 .. 2 rad")
    (['gripper_left_joint'], ['-1 ', '.. ', '2 ', 'rad'])
    """
    return _WORD.findall(text)


def _words(text: str) -> list[str]:
    """Words of a heading, a unit in parentheses among them.

    >>> _words("center of mass (kg m^2)")
    ['center', 'of', 'mass', '(kg m^2)']
    """
    return [word.replace("\0", " ") for word in _UNIT.sub(lambda found: found[0].replace(" ", "\0"), text).split()]


def _folded(text: Text, width: int) -> list[Text]:
    """The lines of a cell, folded between its words; a name that is longer than the width stays whole."""
    if cell_len(text.plain) <= width:
        return [text]
    return [Text(line, style=text.style) for line in _fold(_atoms(text.plain), width)]


def _folded_words(text: Text, width: int) -> list[Text]:
    return [Text(line) for line in _fold([f"{word} " for word in _words(text.plain)], width)] or [Text("")]


def _fold(pieces: Iterable[str], width: int) -> list[str]:
    lines = [""]
    for piece in pieces:
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
