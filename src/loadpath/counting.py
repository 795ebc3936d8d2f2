"""Operation counts of inverse dynamics: printed in the sources, corrected, as written here and as compiled here.

The counts of the sources are formulas in the number of joints. The tests replay the printed recursions step by step
and find these formulas (tests/references/printed_counts.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from loadpath.scalars import OperationCount


class Row(NamedTuple):
    """One way to compute the torques of an arm, and what it costs."""

    what: str
    operations: OperationCount
    kind: str
    """`printed`: the source's steps under its convention; `corrected`; `as written` here; `compiled` here; `quoted`."""
    where: str = ""
    """Where the source prints it."""


class Formula(NamedTuple):
    """Operations for n revolute joints: polynomials in n, lowest power first, each over a whole number."""

    multiplications: tuple[int, ...]
    additions: tuple[int, ...]
    over: tuple[int, int] = (1, 1)

    def __call__(self, n: int) -> OperationCount:
        """The count for n joints."""
        values = [
            sum(c * n**power for power, c in enumerate(coefficients)) // below
            for coefficients, below in zip((self.multiplications, self.additions), self.over, strict=True)
        ]
        return OperationCount(*values)


TRACE_FORM = Formula((0, 160, 739, 512, 128), (0, 245, 1118, 781, 196), over=(3, 6))
NEWTON_EULER = Formula((-22, 137), (-14, 110))

OF_THE_SOURCES: tuple[tuple[str, Formula, str, str], ...] = (
    ("Lagrange-Euler, trace form", TRACE_FORM, "printed", "lecture"),
    ("Luh's Newton-Euler, table 3.2", Formula((0, 132), (-4, 111)), "printed", "lecture"),
    ("Newton-Euler, outward", Formula((0, 82), (0, 66)), "printed", "table 7.1"),
    ("Newton-Euler, inward", Formula((-22, 55), (-14, 44)), "printed", "table 7.2"),
    ("Newton-Euler, both", NEWTON_EULER, "printed", "eq. (7.43)"),
    ("Newton-Euler, inward repaired, form A", Formula((-22, 139), (-14, 111)), "corrected", ""),
    ("Newton-Euler, inward repaired, form B", Formula((-6, 137), (-6, 110)), "corrected", ""),
    ("the same, without c, cdot and Q", Formula((-6, 117), (-6, 90)), "corrected", ""),
)
"""What is counted, its formula, its kind and where it is printed."""

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


class Counted(Protocol):
    """A robot that counts its operations."""

    def operation_count(
        self, name: str = ..., formulation: str = ..., link: str | None = ..., *, as_written: bool = ...
    ) -> OperationCount:
        """Operations of a function."""


def of_the_sources(n: int) -> list[Row]:
    """The figures of the sources for n revolute joints, and those of their corrected steps; for six joints also those
    of other authors, as the book quotes them.

    >>> for row in of_the_sources(6)[:3]:
    ...     print(row.what, row.operations.multiplications, row.operations.additions)
    Lagrange-Euler, trace form 101348 77405
    Luh's Newton-Euler, table 3.2 792 662
    Newton-Euler, outward 492 396
    """
    rows = [Row(what, formula(n), kind, where) for what, formula, kind, where in OF_THE_SOURCES]
    if n == 6:
        rows += [Row(who, OperationCount(m, a), "quoted", "table 7.4") for who, _, m, a in TABLE_7_4]
    return rows


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
