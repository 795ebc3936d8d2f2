"""Tables: columns and rows as data, and how they are laid out as text. HTML of them is written by `loadpath.html`.

Names and numbers stay whole, other text is folded at spaces only. A table that is too wide for its page even so leaves
out columns that are called less important, and says which; without any, or if that is not enough, it is written row by
row, each cell with the name of its column.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from loadpath import html
from loadpath.printable import storable
from loadpath.whole_file import write_whole

NONE = "-"
"""What stands where there is no number."""
GAP = 2
"""Spaces between columns; one where it is narrow."""
HEADING, RULE = "bold", "dim"
"""Styles of headings and of the line below them."""
UNBOUNDED = 1_000_000
"""Width of a page on which everything fits."""

_WORD = re.compile(r"\S+\s*|\s+")
"""What a text is made of: it may be folded after each."""
_UNIT = re.compile(r"\([^()]*\)")


class Styled(NamedTuple):
    """A text of a terminal with its colours, in the words of Rich."""

    text: str
    style: str = ""


Line = list[Styled]
"""Pieces of a line of a laid out table."""


@dataclass(frozen=True)
class Table:
    """Rows of text; the first `left` columns hold names, the others numbers, but for the last `right`, which hold
    words. A cell may carry a note, as the time of a peak.

    >>> print(Table("Masses", ["link", "mass (kg)"], [["upper arm", "12.5"], ["hand", "0.7"]]).text())
    link       mass (kg)
    --------------------
    upper arm       12.5
    hand             0.7
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | tuple[str, str]]]
    note: str = ""
    left: int = 1
    right: int = 0
    """So many of the last columns hold words, too."""
    words: Sequence[str] = field(default=(), kw_only=True)
    """Headings of further columns that hold words."""

    @property
    def texts(self) -> list[list[str]]:
        """The cells without their notes."""
        return [[cell if isinstance(cell, str) else cell[0] for cell in row] for row in self.rows]

    @property
    def holds_words(self) -> list[bool]:
        """For each column, whether it holds words."""
        last = len(self.columns) - self.right
        return [k < self.left or k >= last or head in self.words for k, head in enumerate(self.columns)]

    def text(self, width: int = UNBOUNDED, *, rule: str = "-") -> str:
        """The columns and rows on a page of a width, which is exceeded where names and numbers need more; with a line
        below the heading, unless its letter is empty.
        """
        rows: list[Sequence[Styled]] = [[Styled(cell) for cell in row] for row in self.texts]
        layout = _Layout(list(self.columns), rows, self.holds_words)
        return plain(layout.lines(max(width, layout.narrowest), rule))

    def __str__(self) -> str:
        return self.text()

    def html(self) -> str:
        """With title and note, for notebooks."""
        words = [k for k, is_text in enumerate(self.holds_words) if is_text]
        return html.table(self.title, self.columns, self.texts, left=0, words=words, note=self.note)


def plain(lines: Iterable[Line]) -> str:
    """Lines without their colours.

    >>> plain([[Styled("a ", "bold"), Styled("b")], []])
    'a b\\n'
    """
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def laid_out(
    columns: Sequence[str],
    rows: Sequence[Sequence[Styled]],
    holds_words: Sequence[bool],
    width: int,
    *,
    rule: str = "-",
    less_important: Sequence[str] = (),
) -> Iterator[Line]:
    """The lines of a table on a page of a width. `less_important` are the headings of columns that may be left out, the
    least important first.
    """
    return _Layout(list(columns), list(rows), list(holds_words), tuple(less_important)).lines(width, rule)


@dataclass
class _Layout:
    """Columns whose widths are sought."""

    columns: list[str]
    rows: list[Sequence[Styled]]
    is_text: list[bool]
    less_important: tuple[str, ...] = ()

    def lines(self, room: int, rule: str) -> Iterator[Line]:
        for count in range(len(self.less_important) + 1):
            left_out = self.less_important[:count]
            some = self._without(left_out)
            for gap, whole in ((GAP, True), (1, True), (GAP, False), (1, False)):
                widths = some._widths(room, gap)
                if widths is not None and (not whole or some._whole(widths)):
                    yield from some._in_columns(widths, gap, rule)
                    if lost := [head for head in left_out if self._has(head)]:
                        words = f"Left out, for want of width: {', '.join(lost)}."
                        yield from ([Styled(text)] for text in _fold(_atoms(words), room))
                    return
        yield from self._row_by_row(room)

    def _has(self, heading: str) -> bool:
        """Whether a column holds anything."""
        k = self.columns.index(heading)
        return any(row[k].text.strip() for row in self.rows)

    def _without(self, headings: Sequence[str]) -> _Layout:
        """The same without some columns, and without those of the less important that are empty."""
        if not self.less_important:
            return self
        gone = [head in headings or (head in self.less_important and not self._has(head)) for head in self.columns]
        stay = [k for k, left_out in enumerate(gone) if not left_out]
        rows: list[Sequence[Styled]] = [[row[k] for k in stay] for row in self.rows]
        return _Layout([self.columns[k] for k in stay], rows, [self.is_text[k] for k in stay])

    # Columns

    @property
    def narrowest(self) -> int:
        """The width of the narrowest page on which it stands in columns."""
        least, _ = self._bounds()
        return sum(least) + len(least) - 1

    def _bounds(self) -> tuple[list[int], list[int]]:
        """Least widths of the columns, and those at which nothing is folded but headings of numbers."""
        columns = list(zip(*([cell.text for cell in row] for row in self.rows), strict=True))
        least, whole = [], []
        for k, head in enumerate(self.columns):
            cells = columns[k] if columns else ()
            longest = max((_length(cell.rstrip() if self.is_text[k] else cell) for cell in cells), default=0)
            atoms = max((_length(atom.rstrip()) for cell in set(cells) for atom in _atoms(cell)), default=0)
            words = max((_length(word) for word in _words(head)), default=0) + len(_space_after(head))
            least.append(max(atoms if self.is_text[k] else longest, words))
            whole.append(max(longest, _length(head) if self.is_text[k] else words, words))
        return least, whole

    def _widths(self, room: int, gap: int) -> list[int] | None:
        """Widths of the columns, those of text shrunk as far as needed; None if they do not fit."""
        least, whole = self._bounds()
        free = room - gap * (len(widths := list(least)) - 1) - sum(least)
        if free < 0:
            return None
        # Headers of numbers are folded last: they get what is left when all names are whole.
        for wanted in (whole, [max(w, _length(head)) for w, head in zip(whole, self.columns, strict=True)]):
            while free > 0 and (short := [k for k in range(len(widths)) if widths[k] < wanted[k]]):
                each = max(free // len(short), 1)
                for k in short[: free if each == 1 else None]:
                    more = min(each, wanted[k] - widths[k])
                    widths[k] += more
                    free -= more
        return widths

    def _whole(self, widths: Sequence[int]) -> bool:
        """Whether no text is folded."""
        return all(_length(cell.text.rstrip()) <= width for row in self.rows
                   for cell, width, text in zip(row, widths, self.is_text, strict=True) if text)

    def _in_columns(self, widths: Sequence[int], gap: int, rule: str) -> Iterator[Line]:
        if any(self.columns):
            heads = [[Styled(f"{text}{_space_after(head)}", HEADING)
                      for text in _fold([f"{word} " for word in _words(head)], width - len(_space_after(head)))]
                     for head, width in zip(self.columns, widths, strict=True)]
            yield from self._aligned(heads, widths, gap)
        if rule:
            yield [Styled(rule * (sum(widths) + gap * (len(widths) - 1)), RULE)]
        for row in self.rows:
            cells = [_folded(cell, width) if self.is_text[k] else [cell]
                     for k, (cell, width) in enumerate(zip(row, widths, strict=True))]
            yield from self._aligned(cells, widths, gap)

    def _aligned(self, cells: Sequence[Sequence[Styled]], widths: Sequence[int], gap: int) -> Iterator[Line]:
        for number in range(max(map(len, cells), default=0)):
            line: Line = []
            for k, (parts, width) in enumerate(zip(cells, widths, strict=True)):
                text, style = parts[number] if number < len(parts) else Styled("")
                space = " " * (width - _length(text))
                before, after = ("", space) if self.is_text[k] else (space, "")
                line += [Styled(before), Styled(text.rstrip(), style),
                         Styled(text[len(text.rstrip()) :] + after + " " * gap)]
            while line and not line[-1].text.strip():
                line.pop()
            yield line

    # One under the other

    def _row_by_row(self, room: int) -> Iterator[Line]:
        for first, *others in self.rows:
            yield from ([Styled(text, style or HEADING)] for text, style in _folded(first, room))
            line: Line = []
            size = 0
            for head, cell in zip(self.columns[1:], others, strict=True):
                if cell.text.strip() in ("", NONE):
                    continue
                label = f"{head}: " if head else ""
                for k, part in enumerate(_folded(cell, max(room - 2 - _length(label), 8))):
                    before = label if k == 0 else " " * _length(label)
                    more = _length(before) + _length(part.text)
                    if line and (size + 3 + more > room or k):
                        yield line
                        line, size = [], 0
                    gap = 3 if line else 2
                    line += [Styled(" " * gap + before), Styled(part.text.rstrip(), part.style)]
                    size += gap + more
            if line:
                yield line


def _length(text: str) -> int:
    """Places that a text takes: some letters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _space_after(head: str) -> str:
    """Spaces at the end of a heading: room for marks behind the numbers below it."""
    return head[len(head.rstrip()) :]


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


def _folded(cell: Styled, width: int) -> list[Styled]:
    """The lines of a cell, folded between its words; a name that is longer than the width stays whole."""
    if _length(cell.text) <= width:
        return [cell]
    return [Styled(line, cell.style) for line in _fold(_atoms(cell.text), width)]


def _fold(pieces: Iterable[str], width: int) -> list[str]:
    lines = [""]
    for piece in pieces:
        if lines[-1] and _length((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


# Tables in CSV files, written whole or not at all.
#
# A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, and formulas can fetch and run.
# Names of joints and links come from files of strangers: where one begins like that, an apostrophe is put before it,
# which spreadsheets read as "text" and do not show. Numbers stay as they are.

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
MARK = "'"


def text_cell(text: str) -> str:
    """A name as the text of a cell that is no formula.

    >>> text_cell("joint1"), text_cell("=1+1"), text_cell(" @SUM(1)"), text_cell("-0.5")
    ('joint1', "'=1+1", "' @SUM(1)", '-0.5')
    """
    # Some programs pass over spaces, and over apostrophes of ours, before they look.
    return MARK + text if text.lstrip(f" {MARK}").startswith(FORMULAS) and not _is_number(text) else text


def write_table(
    path: str | PathLike[str], columns: Sequence[str], rows: Iterable[Sequence[object] | Mapping[str, object]]
) -> Path:
    """A header and rows, as lists or by the names of the columns; numbers with all their digits, as `repr` writes
    them, and None as an empty cell.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([text_cell(column) for column in columns])
    for row in rows:
        cells = [row[name] for name in columns] if isinstance(row, Mapping) else row
        writer.writerow([_written(cell) for cell in cells])
    return write_whole(path, lambda file: file.write(storable(text.getvalue()).encode()))


def data_frame(rows: Sequence[object], columns: Sequence[str] | None = None) -> Any:
    """Rows, as mappings or in the order of the columns, as a pandas data frame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from None
    return pandas.DataFrame(rows, columns=None if columns is None else list(columns))


def _written(cell: object) -> object:
    if isinstance(cell, str):
        return text_cell(cell)
    if cell is None:
        return ""
    return float(cell) if hasattr(cell, "dtype") else cell  # type: ignore[arg-type]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
