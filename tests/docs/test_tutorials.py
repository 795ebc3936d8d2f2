"""Tutorials are notebooks: they run, print what stands in them, and can be had as .ipynb."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from docs import cells

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted(path for path in (ROOT / "docs" / "tutorials").glob("*.md") if path.stem != "index")


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_prints_what_it_says(tutorial: Path) -> None:
    pytest.importorskip("jupytext")
    if os.environ.get("LOADPATH_SITE") == "beside":
        pytest.skip("the site is made beside the tests, and runs it")
    text = tutorial.read_text()
    found = cells.run(text, tutorial.name)
    assert not cells.problems(found, cells.notebook(text, found))


def test_there_are_tutorials_and_the_first_page_leads_to_each() -> None:
    assert len(TUTORIALS) >= 4
    listed = re.findall(r"\]\((\w+\.md)\)", (ROOT / "docs" / "tutorials" / "index.md").read_text())
    assert sorted(listed) == [path.name for path in TUTORIALS]


def test_another_output_is_noticed() -> None:
    page = "```python\nprint(6 * 7)\n7 * 8\n```\n\n```text\n42\n{}\n```\n"
    (right,) = cells.run(page.format("56"), "page.md")
    (wrong,) = cells.run(page.format("57"), "page.md")
    assert right.difference() is None
    book = cells.notebook(page.format("57"), [wrong])
    assert [words.split(":")[0] for words in cells.problems([wrong], book)] == [
        "line 1", "1 cells, 1 in its notebook", "1 cells of its notebook show something"]
    assert "but the output is\n42\n56" in (wrong.difference() or "")
    assert cells.filled(page.format("57"), "page.md") == page.format("56")
