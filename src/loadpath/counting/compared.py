"""All counts of inverse dynamics side by side: printed in the sources, corrected, as written here, as compiled here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from loadpath.counting import printed
from loadpath.scalars import OperationCount


class Row(NamedTuple):
    """One way to compute the torques of an arm, and what it costs."""

    what: str
    operations: OperationCount
    kind: str
    """`printed`: the source's steps under its convention; `corrected`; `as written` here; `compiled` here; `quoted`."""
    where: str = ""
    """Where the source prints it."""


class Counted(Protocol):
    """A robot that tells its operation counts."""

    def operation_count(
        self, name: str = ..., formulation: str = ..., link: str | None = ..., *, as_written: bool = ...
    ) -> OperationCount:
        """Operations of a function."""


TABLE_7_4: tuple[tuple[str, str, int, int], ...] = (
    ("Hollerbach (1980)", "E-L", 2195, 1719),
    ("Luh et al. (1980)", "N-E", 852, 738),
    ("Walker & Orin (1982)", "N-E", 800, 595),
    ("Hollerbach and Sahar (1983)", "N-E", 688, 558),
    ("Kane & Levinson (1983)", "Kane", 646, 394),
    ("Khalil et al. (1986)", "N-E", 538, 478),
    ("Angeles et al. (1989)", "Kane", 521, 435),
    ("Balafoutis & Patel (1991)", "tensor", 489, 420),
    ("Li & Sankar (1992)", "E-L", 459, 390),
)
"""Table 7.4 of the book as quoted there, for n = 6; by its table 7.3, Balafoutis and Patel take 421 additions."""


def _sum(*counts: OperationCount) -> OperationCount:
    return OperationCount(sum(c.multiplications for c in counts), sum(c.additions for c in counts))


def of_the_sources(n: int) -> list[Row]:
    """The figures of the sources for n revolute joints, by executing their steps, and those of the corrected steps; for
    six joints also those of other authors, as the book quotes them.

    >>> for row in of_the_sources(6)[:3]:
    ...     print(row.what, row.operations.multiplications, row.operations.additions)
    Lagrange-Euler, trace form 101348 77405
    Luh's Newton-Euler, table 3.2 792 662
    Newton-Euler, outward 492 396
    """
    outward, inward = printed.algorithm_7_4_1(n).total, printed.algorithm_7_4_2(n).total
    needed = printed.outward_needed(n)
    quoted = [Row(who, OperationCount(m, a), "quoted", "table 7.4") for who, _, m, a in TABLE_7_4] if n == 6 else []
    return [
        Row("Lagrange-Euler, trace form", printed.trace_form(n).total, "printed", "lecture"),
        Row("Luh's Newton-Euler, table 3.2", printed.table_3_2(n).total, "printed", "lecture"),
        Row("Newton-Euler, outward", outward, "printed", "table 7.1"),
        Row("Newton-Euler, inward", inward, "printed", "table 7.2"),
        Row("Newton-Euler, both", _sum(outward, inward), "printed", "eq. (7.43)"),
        Row("Newton-Euler, inward repaired, form A", _sum(outward, printed.inward_form_a(n).total), "corrected"),
        Row("Newton-Euler, inward repaired, form B", _sum(outward, printed.inward_form_b(n).total), "corrected"),
        Row("the same, without c, cdot and Q", _sum(needed, printed.inward_form_b(n).total), "corrected"),
        *quoted,
    ]


def compared(robot: Counted, formulations: Sequence[str], n: int) -> list[Row]:
    """The figures of the sources for n joints, and those of a robot here, by each formulation of inverse dynamics.

    >>> import loadpath as lp
    >>> rows = compared(lp.catalog.random_dh_arm(6, seed=1), ["newton-euler"], 6)
    >>> rows[-1].kind, rows[-1].operations.multiplications, rows[-1].operations.additions
    ('compiled', 386, 328)
    """
    rows = of_the_sources(n)
    for kind, as_written in (("as written", True), ("compiled", False)):
        for formulation in formulations:
            rows.append(Row(formulation, robot.operation_count(formulation=formulation, as_written=as_written), kind))
    return rows
