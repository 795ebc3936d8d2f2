"""What a test after a standard says: rows of a demand against a limit, each with where it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loadpath.digits import number, percent
from loadpath.parts.part import Check, not_checked
from loadpath.printable import printable
from loadpath.tables import Table


@dataclass(frozen=True)
class StandardRow:
    """One line of a test: `demand` must not be above `limit`, both in `unit`. Where a standard asks for at least so
    much, the demand is what it asks for, and the limit what there is.

    `clause` names the standard or practice that it follows; the number of a clause stands there only where its text was
    at hand. `assumption` says what is computed, `numbers` what with. See the page "tests of the standards".

    >>> StandardRow("tips sideways", 0.06, 0.24, "slope", "after ISO 22915-2", "rigid truck").utilisation
    0.25
    """

    test: str
    demand: float
    limit: float
    unit: str
    clause: str
    assumption: str
    numbers: Mapping[str, float | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for part in ("demand", "limit"):
            object.__setattr__(self, part, float(getattr(self, part)))

    @property
    def utilisation(self) -> float:
        """Demand over limit: above 1 the test is not passed. Infinite where nothing is there for a demand."""
        if math.isnan(self.demand) or math.isnan(self.limit):
            return math.nan
        if self.demand <= 0:
            return 0.0
        return self.demand / self.limit if self.limit > 0 else math.inf

    @property
    def passes(self) -> bool:
        """Whether the demand is within the limit; what is not a number does not pass."""
        return self.utilisation <= 1.0


@dataclass(frozen=True)
class StandardTest:
    """A test after a standard: its rows, in their order, and whether all of them pass.

    >>> import loadpath as lp
    >>> test = lp.catalog.lau_rover(driven=True).standards.braking([0, 0, 0.5], speed=1.0, deceleration=2.0)
    >>> test.passes, [row.test for row in test]
    (True, ['tips over', 'slips'])
    >>> print(test.worst.test)
    slips
    """

    title: str
    rover: str
    rows: tuple[StandardRow, ...]

    @property
    def passes(self) -> bool:
        """Whether all rows pass."""
        return all(row.passes for row in self.rows)

    @property
    def worst(self) -> StandardRow:
        """The row of the largest utilisation; one that is not a number before all others."""
        return max(self.rows, key=lambda row: math.inf if math.isnan(row.utilisation) else row.utilisation)

    def __iter__(self) -> Iterator[StandardRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, test: str) -> StandardRow:
        for row in self.rows:
            if row.test == test:
                return row
        raise KeyError(f"no row '{test}'; there are {', '.join(row.test for row in self.rows)}")

    @property
    def assumptions(self) -> str:
        """What is assumed, each once: of one that another row goes on from, only the longer."""
        every = list(dict.fromkeys(row.assumption for row in self.rows))
        longest = [one for one in every if not any(other != one and other.startswith(one) for other in every)]
        return " ".join(f"{one}." for one in longest)

    @property
    def table(self) -> Table:
        """The rows as a table of text."""
        rows = [[row.test, number(row.demand), number(row.limit), row.unit, _percent(row.utilisation),
                 "passes" if row.passes else "fails", row.clause] for row in self.rows]
        note = self.assumptions
        heads = ["test", "demand", "limit", "unit", "used", "", "after"]
        return Table(f"{self.title}: {self.rover}", heads, rows, note, right=2, words=("unit",))

    def as_dict(self) -> dict[str, object]:
        """Plain data, for JSON."""
        rows = [{"test": row.test, "demand": row.demand, "limit": row.limit, "unit": row.unit,
                 "utilisation": row.utilisation, "passes": row.passes, "clause": row.clause,
                 "assumption": row.assumption, "numbers": dict(row.numbers)} for row in self.rows]
        return {"title": self.title, "rover": self.rover, "passes": self.passes, "rows": rows}

    def checks(self) -> list[Check]:
        """The rows as checks of a verdict."""
        return [not_checked(f"{self.title}: {row.test}", "not a number", row.unit) if math.isnan(row.utilisation) else
                Check(f"{self.title}: {row.test}", row.demand, row.limit, row.unit, row.utilisation, note=row.clause)
                for row in self.rows]

    def __repr__(self) -> str:
        worst = self.worst
        says = "passes" if self.passes else "fails"
        return printable(f"<{self.title} of '{self.rover}': {says}, {worst.test} {_percent(worst.utilisation)}>")

    def __str__(self) -> str:
        table = self.table
        return "\n".join(printable(line) for line in (table.title, *table.text().split("\n"), table.note))

    def _repr_html_(self) -> str:
        return self.table.html()


def _percent(used: float) -> str:
    return "not known" if math.isnan(used) else percent(used)
