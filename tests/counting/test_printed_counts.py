"""Operation counts of the sources, by executing their steps; every row, every n that they give a formula for."""

from __future__ import annotations

import pytest

import loadpath as lp
from loadpath.counting import TABLE_7_3, TABLE_7_4, compared, of_the_sources, printed, quoted
from loadpath.scalars import OperationCount

SIZES = (1, 2, 3, 6, 7)
TABLE_7_1 = {"Q": (4, 0), "c": (8, 10), "omega": (8, 5), "cdot": (20, 16), "omegadot": (10, 7), "cddot": (32, 28)}
PRISMATIC = {"Q": (4, 0), "c": (16, 15), "omega": (8, 4), "cdot": (14, 11), "omegadot": (8, 4), "cddot": (20, 19)}


def pair(count: OperationCount) -> tuple[int, int]:
    return count.multiplications, count.additions


@pytest.mark.parametrize("n", SIZES)
def test_table_7_1(n: int) -> None:
    tally = printed.algorithm_7_4_1(n)
    assert {name: pair(count) for name, count in tally.rows.items()} == {
        name: (m * n, a * n) for name, (m, a) in TABLE_7_1.items()
    }
    assert pair(tally.total) == (82 * n, 66 * n)


def test_table_7_1_lacks_the_row_of_the_mass_centers() -> None:
    listed = [TABLE_7_1[name] for name in ("Q", "omega", "cdot", "omegadot", "cddot")]
    assert (sum(m for m, _ in listed), sum(a for _, a in listed)) == (74, 56)


def test_prismatic_joint_as_printed_and_corrected() -> None:
    found = printed.outward_prismatic(printed=True)
    assert {name: pair(count) for name, count in found.rows.items()} == PRISMATIC
    corrected = printed.outward_prismatic(printed=False)
    assert pair(corrected.rows["cddot"]) == (22, 20)
    assert pair(corrected.total) == (72, 54)


@pytest.mark.parametrize("n", SIZES)
def test_table_7_2(n: int) -> None:
    tally = printed.algorithm_7_4_2(n)
    expected = {"1": (3, 3), "2": (30, 27)}
    if n > 1:
        expected |= {"5": (8 * (n - 1), 4 * (n - 1)), "6": (3 * (n - 1), 3 * (n - 1))}
        expected["7"] = (44 * (n - 1), 37 * (n - 1))
    assert {name: pair(count) for name, count in tally.rows.items()} == expected
    assert pair(tally.total) == (55 * n - 22, 44 * n - 14)


def test_equations_7_42_and_7_43() -> None:
    assert pair(printed.algorithm_7_4_2(6).total) == (308, 250)
    assert pair(printed.angeles(6)) == (800, 646)
    for n in SIZES:
        assert pair(printed.angeles(n)) == (137 * n - 22, 110 * n - 14)


@pytest.mark.parametrize("n", SIZES)
def test_repaired_inward_recursions(n: int) -> None:
    assert pair(printed.inward_form_a(n).total) == (57 * n - 22, 45 * n - 14)
    assert pair(printed.inward_form_b(n).total) == (55 * n - 6, 44 * n - 6)
    assert pair(printed.outward_needed(n)) == (62 * n, 46 * n)


@pytest.mark.parametrize("n", (1, 2, 3, 6, 8))
def test_newton_euler_of_the_lecture(n: int) -> None:
    assert pair(printed.table_3_2(n).total) == (132 * n, 111 * n - 4)


@pytest.mark.parametrize("n", SIZES)
def test_lagrange_euler_of_the_lecture(n: int) -> None:
    found = printed.trace_form(n).total
    assert 3 * found.multiplications == 128 * n**4 + 512 * n**3 + 739 * n**2 + 160 * n
    assert 6 * found.additions == 196 * n**4 + 781 * n**3 + 1118 * n**2 + 245 * n


def test_figures_of_the_lecture_for_six_joints() -> None:
    assert pair(printed.table_3_2(6).total) == (792, 662)
    assert pair(printed.trace_form(6).total) == (101_348, 77_405)


@pytest.mark.parametrize("n", (1, 2, 3, 5, 6, 7, 12))
def test_the_formulas_are_what_the_replayed_steps_give(n: int) -> None:
    outward, form_b = printed.algorithm_7_4_1(n).total, printed.inward_form_b(n).total
    replayed = {
        "Lagrange-Euler, trace form": [printed.trace_form(n).total],
        "Luh's Newton-Euler, table 3.2": [printed.table_3_2(n).total],
        "Newton-Euler, outward": [outward],
        "Newton-Euler, inward": [printed.algorithm_7_4_2(n).total],
        "Newton-Euler, both": [printed.angeles(n)],
        "Newton-Euler, inward repaired, form A": [outward, printed.inward_form_a(n).total],
        "Newton-Euler, inward repaired, form B": [outward, form_b],
        "the same, without c, cdot and Q": [printed.outward_needed(n), form_b],
    }
    found = {row.what: pair(row.operations) for row in of_the_sources(n) if row.kind != "quoted"}
    assert found == {
        what: (sum(c.multiplications for c in counts), sum(c.additions for c in counts))
        for what, counts in replayed.items()
    }


TABLE_7_3_FOR_SIX = {who: (m, a) for who, _, m, a in TABLE_7_4} | {"Balafoutis & Patel (1991)": (489, 421)}


def test_table_7_4_is_table_7_3_for_six_joints_but_for_one_addition() -> None:
    for entry in TABLE_7_3:
        assert pair(entry.formula(6)) == TABLE_7_3_FOR_SIX[entry.authors], entry
    printed_only = {who for who, _, _, _ in TABLE_7_4} - {entry.authors for entry in TABLE_7_3}
    assert printed_only == {"Hollerbach and Sahar (1983)", "Kane & Levinson (1983)"}
    methods = {who: method for who, method, _, _ in TABLE_7_4}
    assert all(methods[entry.authors] == entry.method for entry in TABLE_7_3)


def test_table_7_3_prints_as_in_the_book() -> None:
    formulas = {entry.authors: str(entry.formula) for entry in TABLE_7_3}
    assert formulas["Walker & Orin (1982)"] == "137n - 22 multiplications, 101n - 11 additions"
    assert formulas["Li & Sankar (1992)"] == "88n - 69 multiplications, 76n - 66 additions"


@pytest.mark.parametrize(("n", "rows"), [(1, 6), (2, 7), (6, 10), (7, 7), (30, 7)])
def test_other_authors_are_quoted_for_every_number_of_joints(n: int, rows: int) -> None:
    found = quoted(n)
    assert len(found) == rows == len([row for row in of_the_sources(n) if row.kind == "quoted"])
    assert all(min(pair(row.operations)) >= 0 for row in found)
    # 137 n - 22 multiplications are those of the book's own algorithm too, as it says below (7.43).
    of_walker = next(row for row in found if row.what.startswith("Walker"))
    assert of_walker.operations.multiplications == printed.angeles(n).multiplications


def test_all_figures_side_by_side() -> None:
    rows = {(row.what, row.kind): pair(row.operations) for row in of_the_sources(6)}
    assert rows["Newton-Euler, both", "printed"] == (800, 646)
    arm = lp.catalog.random_dh_arm(6, seed=1)
    ours = compared(arm, ["newton-euler", "generalized-recursive"], 6)[-4:]
    assert [row.kind for row in ours] == ["as written", "as written", "compiled", "compiled"]
    assert pair(ours[2].operations) == (386, 328)
    assert all(row.operations.multiplications < 459 for row in ours[2:3])  # fewer than anything in table 7.4
    assert min(m for _, _, m, _ in TABLE_7_4) == 459


def test_counts_as_written_are_those_of_the_lines() -> None:
    arm = lp.catalog.two_link()
    written, compiled = arm.operation_count(as_written=True), arm.operation_count()
    assert written.multiplications > compiled.multiplications
    assert written.functions == compiled.functions == 4


@pytest.mark.parametrize("formulation", list(lp.Robot.inverse_dynamics.formulations))
def test_every_formulation_is_counted_as_written(formulation: str) -> None:
    three = lp.catalog.random_dh_arm(3, seed=1)
    count = three.operation_count(formulation=formulation, as_written=True)
    assert count.multiplications > 100 and count.additions > 100


def test_growth_of_the_trace_form_and_of_the_recursion() -> None:
    """From n to 2 n: towards sixteen times for the trace form, twice for a recursion."""
    small, large = (lp.catalog.random_dh_arm(n, seed=1) for n in (4, 8))

    def ratio(formulation: str) -> float:
        counts = [arm.operation_count(formulation=formulation, as_written=True) for arm in (small, large)]
        return counts[1].multiplications / counts[0].multiplications

    assert 1.9 < ratio("newton-euler") < 2.6
    assert ratio("lagrange-euler") > 7
    assert printed.trace_form(24).total.multiplications > 13 * printed.trace_form(12).total.multiplications
