"""Operation counts of inverse dynamics as formulas in the number of joints, and next to those of a robot.

The formulas of the sources are what their steps give when they are executed (`printed`). Those of other authors stand
in Angeles's tables 7.3 and 7.4 without their steps: they are quoted.
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

    def __str__(self) -> str:
        written = [
            _polynomial(coefficients, below)
            for coefficients, below in zip((self.multiplications, self.additions), self.over, strict=True)
        ]
        return f"{written[0]} multiplications, {written[1]} additions"


def _polynomial(coefficients: tuple[int, ...], below: int) -> str:
    """A polynomial in n as the books write it, highest power first.

    >>> _polynomial((-277, 412), 1), _polynomial((0, 160, 739, 512, 128), 3), _polynomial((0, 82), 1)
    ('412n - 277', '(128n^4 + 512n^3 + 739n^2 + 160n)/3', '82n')
    """
    text = ""
    for power, c in reversed(list(enumerate(coefficients))):
        if c:
            letter = "" if power == 0 else "n" if power == 1 else f"n^{power}"
            sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
            text += f"{sign}{abs(c)}{letter}"
    return text if below == 1 else f"({text})/{below}"


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


class Published(NamedTuple):
    """What authors published of the cost of their method."""

    authors: str
    method: str
    """The principle: `E-L`, `N-E`, `Kane` or `tensor`, as the book abbreviates it."""
    formula: Formula

    def __str__(self) -> str:
        return f"{self.authors}, {self.method}: {self.formula}"


TABLE_7_3: tuple[Published, ...] = (
    Published("Hollerbach (1980)", "E-L", Formula((-277, 412), (-201, 320))),
    Published("Luh et al. (1980)", "N-E", Formula((-48, 150), (-48, 131))),
    Published("Walker & Orin (1982)", "N-E", Formula((-22, 137), (-11, 101))),
    Published("Khalil et al. (1986)", "N-E", Formula((-92, 105), (-86, 94))),
    Published("Angeles et al. (1989)", "Kane", Formula((-109, 105), (-105, 90))),
    Published("Balafoutis & Patel (1991)", "tensor", Formula((-69, 93), (-65, 81))),
    Published("Li & Sankar (1992)", "E-L", Formula((-69, 88), (-66, 76))),
)
"""Table 7.3 of the book as quoted there: n revolute joints."""

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


def quoted(n: int) -> list[Row]:
    """What other authors need for n revolute joints, as the book quotes it: by table 7.3, and for six joints also what
    table 7.4 has in addition or differently. A formula that gives less than nothing is left out: that of Angeles et al.
    (1989) begins with two joints.

    >>> for row in quoted(6):
    ...     print(f"{row.what:28} {row.where} {row.operations.multiplications:5} {row.operations.additions:5}")
    Hollerbach (1980)            table 7.3  2195  1719
    Luh et al. (1980)            table 7.3   852   738
    Walker & Orin (1982)         table 7.3   800   595
    Khalil et al. (1986)         table 7.3   538   478
    Angeles et al. (1989)        table 7.3   521   435
    Balafoutis & Patel (1991)    table 7.3   489   421
    Li & Sankar (1992)           table 7.3   459   390
    Hollerbach and Sahar (1983)  table 7.4   688   558
    Kane & Levinson (1983)       table 7.4   646   394
    Balafoutis & Patel (1991)    table 7.4   489   420
    >>> len(quoted(1)), len(quoted(7))
    (6, 7)
    """
    rows = [Row(entry.authors, entry.formula(n), "quoted", "table 7.3") for entry in TABLE_7_3]
    rows = [row for row in rows if min(row.operations.multiplications, row.operations.additions) >= 0]
    if n == 6:
        known = {(row.what, row.operations) for row in rows}
        for authors, _, m, a in TABLE_7_4:
            count = OperationCount(m, a)
            if (authors, count) not in known:
                rows.append(Row(authors, count, "quoted", "table 7.4"))
    return rows


class Counted(Protocol):
    """A robot that counts its operations."""

    def operation_count(
        self, name: str = ..., formulation: str = ..., link: str | None = ..., *, as_written: bool = ...
    ) -> OperationCount:
        """Operations of a function."""


def of_the_sources(n: int) -> list[Row]:
    """The figures of the sources for n revolute joints, those of their corrected steps, and those of other authors as
    the book quotes them.

    >>> for row in of_the_sources(6)[:3]:
    ...     print(row.what, row.operations.multiplications, row.operations.additions)
    Lagrange-Euler, trace form 101348 77405
    Luh's Newton-Euler, table 3.2 792 662
    Newton-Euler, outward 492 396
    """
    return [*(Row(what, formula(n), kind, where) for what, formula, kind, where in OF_THE_SOURCES), *quoted(n)]


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
