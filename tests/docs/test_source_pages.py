"""The pages of the sources: every row of their tables is evaluated, every link and picture exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
from source_page import Row, difference, failures, literal, parts, tolerance

SOURCES = Path(__file__).parents[2] / "docs" / "sources"
PAGES = sorted(SOURCES.glob("*.md"))
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_row_of_a_source_page_holds(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert failures(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_of_a_source_page_exist(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_reader_finds_what_is_wrong(tmp_path: Path) -> None:
    """A page with a right and a wrong row: the wrong ones are named, with their lines."""
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n\n```python\nx = 2.0\n```\n\n"
        "| place | symbol | call | number |\n|---|---|---|---|\n"
        "| (1) | a | `x` | `2` m |\n"
        "| (2) | b | `x + 1` | `4` |\n"
        "| (3) | c | `[x, 1 / 3]` | `[2.0, 0.333]` |\n"
        "| (4) | d | `no_such_name` | `1` |\n"
        "| (5) | e | `x \\| 1` | `3` |\n"
        "\n| place | symbol, by hand | call | number |\n|---|---|---|---|\n"
        "| (6) | $x$ = `1 + 1` | `x` | `2` |\n"
        "| (7) | $x$ | `x` | `2` |\n"
        "| (8) | `1 + 1.5` | `x` | `2` |\n"
        "\n| where | printed |\n|---|---|\n| (9) | `y` |\n"
    )
    assert [part.line for part in parts(page)] == [4, 9, 10, 11, 12, 13, 17, 18, 19]
    assert all(isinstance(part, Row) for part in parts(page)[1:])
    assert [line.split(":")[1] for line in failures(page)] == ["10", "12", "13", "19"]


def test_numbers_are_compared_to_the_digits_that_are_printed() -> None:
    assert tolerance("2.50") == pytest.approx(0.005, rel=1e-6)
    assert tolerance("1.2e-3") == pytest.approx(0.5e-4, rel=1e-6)
    assert tolerance("7") == pytest.approx(7e-9)
    assert literal("[-1.0, (2, 3)]")[0] == [-1.0, [2, 3]]
    assert difference(29.43, "29.4", {}) is None
    assert difference(29.46, "29.4", {}) is not None
    assert difference(5.001, "5", {}) is not None
    assert difference(np.array([1e-13, -1e-14]), "< 1e-12", {}) is None
    assert difference(np.array([1e-13, np.nan]), "< 1e-12", {}) is not None
    assert difference(np.array([1.0, np.nan]), "[1.0, 2.0]", {}) is not None
    assert difference(np.eye(2), "[1, 1]", {}) is not None
    assert difference("Stable", '"Stable"', {}) is None
    assert difference(np.bool_(True), "False", {}) is not None


def test_symbols_are_compared_as_functions() -> None:
    import sympy

    x, y = sympy.symbols("x y")
    names: dict[str, object] = {"x": x, "y": y}
    assert difference((x + y) ** 2, "x**2 + 2*x*y + y**2", names) is None
    assert difference(sympy.Matrix([x, sympy.sin(y) ** 2]), "[x, 1 - cos(y)**2]", names) is None
    assert difference(x * y, "x + y", names) is not None


def test_places_are_found_in_the_index_by_their_numbers() -> None:
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("equation_index", SOURCES.parent / "_ext" / "equation_index.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.equation_numbers("D, (3-100) to (3-102), (3-98b)") == ["3-100", "3-101", "3-102", "3-98b"]
    assert module.equation_numbers("before (3-121)") == []
    assert module.equation_numbers("(7.38a), (27)") == ["7.38a", "27"]
