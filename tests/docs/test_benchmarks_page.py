"""The page of the benchmarks: the tables of one run, and apart from them dated tables of others."""

from __future__ import annotations

import re

import pytest

from benchmarks import docs_page, tables
from benchmarks.report import Row

TEXT = docs_page.PAGE.read_text(encoding="utf-8")
RUN = TEXT.partition(docs_page.BEGIN)[2].partition(docs_page.END)[0]
TITLES = [title for title, _ in tables.ALL.values()]


def test_the_run_says_what_is_of_it() -> None:
    """One machine, one day, known tables in their order, and the names of those that are missing."""
    assert len(re.findall(r"\d{4}-\d\d-\d\d", RUN)) == 1 and RUN.count("doubles)") == 1
    found = re.findall(r"^### (.*)$", RUN, re.MULTILINE)
    assert found == [title for title in TITLES if title in found] and len(found) > 5
    missing = [name for name, (title, _) in tables.ALL.items() if title not in found]
    named = re.search(r"^Not in this run: (.*)\.$", RUN, re.MULTILINE)
    assert (named[1].split(", ") if named else []) == missing
    assert not re.search("another run|later run|busy machine|measured by itself", RUN)


def test_other_runs_have_their_day_and_machine() -> None:
    others = TEXT.partition(docs_page.END)[2]
    for heading in re.findall(r"^### (.*)$", others, re.MULTILINE):
        assert re.match(r"\d{4}-\d\d-\d\d.*doubles\), \d+ cores", heading), heading
    assert "### " not in others.partition(docs_page.OTHERS)[0]


def a_run(*names: str) -> dict[str, tuple[str, list[Row]]]:
    return {name: (f"Table {name}", [Row(f"row of {name}", 2.0, at_least=1.0)] if name in names else [])
            for name in ("first", "second")}


def test_a_run_replaces_all_that_was_of_another() -> None:
    page = f"# Page\n\nhow\n\n{docs_page.BEGIN}\n\nold numbers\n\n{docs_page.END}\n\n{docs_page.OTHERS}\n\n### older\n"
    part = docs_page.of_run(page, "2031-02-03", "a machine", a_run("second"))
    assert part.startswith("# Page\n\nhow\n") and "old numbers" not in part
    assert "Of one run that ended on 2031-02-03: a machine." in part and "Not in this run: first." in part
    assert "| row of second | 2 | >= 1 | pass |  |" in part and "### older" in part
    whole = docs_page.of_run(part, "2031-02-04", "a machine", a_run("first", "second"))
    assert "Not in this run" not in whole and "older" not in whole and whole.count("### Table") == 2
    assert docs_page.of_run(whole, "2031-02-04", "a machine", a_run("first", "second")) == whole


def test_some_tables_are_another_run_below() -> None:
    page = docs_page.of_run(f"{docs_page.BEGIN}\n{docs_page.END}\n", "2031-02-03", "one", a_run("second"))
    known = {name: title for name, (title, _) in a_run().items()}
    some = {"first": a_run("first")["first"]}
    more = docs_page.with_other(page, "2031-02-04", "a machine (4 doubles), 2 cores", some, known)
    assert "Not in this run: first." in more.partition(docs_page.END)[0] and "| row of second |" in more
    assert "### 2031-02-04: a machine (4 doubles), 2 cores\n\n#### Table first\n" in more.partition(docs_page.END)[2]
    again = docs_page.with_other(more, "2031-02-05", "a machine (4 doubles), 2 cores", some, known)
    assert "2031-02-04" not in again and again.count("#### Table first") == 1
    assert "#### " not in docs_page.of_run(again, "2031-02-06", "one", a_run("first", "second"))


def test_a_page_without_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="nothing was written"):
        docs_page.of_run("# Page\n", "2031-02-03", "a machine", a_run("first"))
