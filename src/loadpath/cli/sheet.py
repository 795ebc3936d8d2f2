"""Tables on a terminal of any width: see `loadpath.tables`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from loadpath.printable import printable
from loadpath.tables import NONE, Styled, Table, laid_out

__all__ = ["NONE", "Sheet", "Styled", "titled"]


class Sheet:
    """Rows of cells, with colours. The first `left` columns hold text, as do those called `words`, and the others
    numbers, which are not folded. `less_important` are the headings of columns that may be left out, the least
    important first.
    """

    def __init__(
        self, columns: Iterable[str], left: int = 1, *, words: Sequence[str] = (), less_important: Sequence[str] = ()
    ) -> None:
        self.columns = list(columns)
        self.holds_words = [k < left or column in words for k, column in enumerate(self.columns)]
        self.less_important = tuple(less_important)
        self.rows: list[list[Styled]] = []

    @classmethod
    def of(cls, table: Table, less_important: Sequence[str] = ()) -> Sheet:
        """A table of text for the terminal."""
        made = cls(table.columns, less_important=less_important)
        made.holds_words = table.holds_words
        for row in table.texts:
            made.add_row(*row)
        return made

    def add_row(self, *cells: str | Styled) -> None:
        """A row; it may be shorter than the others."""
        row = [cell if isinstance(cell, Styled) else Styled(printable(cell)) for cell in cells]
        self.rows.append([*row, *[Styled("")] * (len(self.columns) - len(row))])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rule = "─" if console.encoding.lower().startswith("utf") else "-"
        for line in laid_out(self.columns, self.rows, self.holds_words, options.max_width, rule=rule,
                             less_important=self.less_important):
            yield from (Segment(text, Style.parse(style) if style else None) for text, style in line)
            yield Segment.line()


def titled(title: str, table: Sheet) -> Group:
    """A table with its title above and an empty line below."""
    return Group(Text(printable(title), style="bold"), table, "")
