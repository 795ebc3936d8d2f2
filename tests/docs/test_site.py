"""What the site is made of: the gallery, its pictures, links to headings, the metadata that stands twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx")

import loadpath as lp
from docs import check, gallery
from docs._ext.keywords import keywords
from docs._ext.navigation import parts
from docs._ext.symbol_search import WordsAndSymbols, symbols

ROOT = Path(__file__).parents[2]
MADE = ("reference", "examples", "project")
PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.relative_to(ROOT / "docs").parts[0] not in MADE)
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")


def slug(heading: str) -> str:
    """The anchor of a heading, as code hosts and the site make it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_headings_lead_to_one(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text()):
        if target.startswith("http") or re.fullmatch(r"L\d+", anchor):
            continue
        other = (page.parent / target).resolve() if target else page
        text = re.sub(r"^```.*?^```$", "", other.read_text(), flags=re.MULTILINE | re.DOTALL)
        assert anchor in {slug(line) for line in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}, f"{page}: #{anchor}"


def test_the_gallery_has_every_example_as_it_is_now() -> None:
    """`python -m docs.gallery` writes it anew."""
    assert (ROOT / "docs" / "gallery.md").read_text() == gallery.page()
    for name in gallery.names():
        pictures = list((ROOT / "docs" / "images" / "gallery").glob(f"{name}.*"))
        assert len(pictures) == 1, f"python -m docs.gallery {name}"
        assert pictures[0].stat().st_size < 100_000


def test_no_page_is_out_of_reach() -> None:
    found = parts({"Start": ["start/*"], "Loads": ["peaks", "gone"]}, {"index", "start/a", "start/b", "peaks", "new"})
    assert found == {"Start": ["start/a", "start/b"], "Loads": ["peaks"], "More": ["new"]}


def test_what_is_wrong_with_a_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "reference").mkdir()
    (tmp_path / "there.html").write_text('<h1 id="top">There</h1>')
    (tmp_path / "reference" / "index.html").write_text(
        '<dl><dt id="loadpath.Robot"></dt></dl><a href="../there.html#top">fine</a><a href="../gone.html">1</a>'
        '<a href="../there.html#no">2</a><script src="https://example.org/x.js"></script>'
    )
    found = " ".join(check.problems(tmp_path))
    for words in ("gone.html, which is not there", "there.html#no, which has no such anchor", "from the net",
                  "no entry of Wrench"):
        assert words in found
    assert "no entry of Robot " not in f"{found} "


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {lp.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_ci_makes_the_site() -> None:
    """Beside the tests, and what it returns counts."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "documentation() { there && .venv/bin/python -m docs && in_browser; }" in lines
    assert "beside documentation" in lines
    assert '  wait "${numbers[$k]}" || { result=failed; failed=1; }' in lines and lines[-1] == "exit $failed"


def test_a_site_made_anew_over_an_old_one_keeps_the_keywords_of_unchanged_pages(tmp_path: Path) -> None:
    sphinx = pytest.importorskip("sphinx.cmd.build")
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nextensions = ['myst_parser', 'docs._ext.keywords']\n"
        "html_theme = 'basic'\n", encoding="utf-8")
    (source / "index.md").write_text("# Start\n\n```{toctree}\ntip\nlog\n```\n", encoding="utf-8")
    for name, word in (("tip", "will it tip"), ("log", "where is my log")):
        head = f"---\nmyst:\n  html_meta:\n    keywords: '{word}'\n---\n"
        (source / f"{name}.md").write_text(f"{head}# {name}\n\nText.\n", encoding="utf-8")

    def entries() -> str:
        assert sphinx.main(["-q", "-b", "html", str(source), str(site)]) == 0
        index = (site / "searchindex.js").read_text(encoding="utf-8")
        return str(re.search(r'"indexentries":\s*(\{.*?\})', index)[1])  # type: ignore[index]

    first = entries()
    assert "will it tip" in first and "where is my log" in first
    with (source / "log.md").open("a", encoding="utf-8") as page:
        page.write("More.\n")
    assert entries() == first


def test_a_keyword_leads_to_one_page() -> None:
    """Else the search has two pages first; and the pages that answer questions have some."""
    words: dict[str, list[str]] = {}
    for page in PAGES:
        for found in re.findall(r'^ +keywords: "(.*)"$', page.read_text(), re.MULTILINE):
            for word in keywords(found):
                words.setdefault(word.lower(), []).append(page.stem)
    assert not {word: pages for word, pages in words.items() if len(pages) > 1}
    assert {"questions", "sizing", "fastest", "install", "mobile"} <= {pages[0] for pages in words.values()}


def test_symbols_are_searched_as_they_are_typed() -> None:
    found = symbols(r"U_{ijk} = \partial U_{ij} / \partial q_k, \mathbf{w}^C, \dot{\mathbf{T}}")
    assert found == ["U_ijk", "U_ij", "q_k", "w_C", "T_dot"]
    assert {"rotation", "U_ijk"} <= set(WordsAndSymbols({}).split("rotation U_{ijk}"))


def test_no_window_is_too_narrow_for_the_room_that_the_text_takes() -> None:
    """Else every page scrolls sideways there. Both side bars of the theme take 36em; from 97em on its em is 1.1 of that
    which widths of windows are measured in.
    """
    rooms = re.findall(
        r"min-width: (\d+)em\) \{\s*\.content \{ width: (\d+)em", (ROOT / "docs/_static/site.css").read_text()
    )
    assert rooms
    for window, text in rooms:
        assert (int(text) + 36) * (1.1 if int(window) >= 97 else 1.0) <= int(window)
