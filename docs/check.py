"""Checks the made site: every link inside it leads somewhere, nothing is loaded from the net, every name has its entry,
no page of the reference is too long.

`python -m docs` does this after it has made the site; `python -m docs.check FOLDER` does it alone.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs._ext.reference.layout import MOST_WORDS

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
"""What a browser fetches by itself, by tag."""
TAG = re.compile(r"<(\w+)\s([^<>]*)>")
ANY_TAG = re.compile(r"<[^>]*>")
ATTRIBUTE = re.compile(r'\b(id|name|href|src|data|rel)="([^"]*)"')
IN_STYLES = re.compile(r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^'\")]+")


class Page:
    """What stands in a page: its anchors, its links, what it loads. Patterns do: Sphinx writes plain HTML."""

    def __init__(self, path: Path) -> None:
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.entries: set[str] = set()
        text = path.read_text()
        self.words = len(html.unescape(ANY_TAG.sub("", _article(text))).split())
        for tag, attributes in TAG.findall(text):
            found = {name: html.unescape(value) for name, value in ATTRIBUTE.findall(attributes)}
            self.anchors |= {found[name] for name in ("id", "name") if name in found}
            if tag == "dt" and "id" in found:
                self.entries.add(found["id"])
            if tag == "a" and "href" in found:
                self.links.append(found["href"])
            if tag in LOADED and LOADED[tag] in found and found.get("rel") not in ("canonical", "author"):
                self.loaded.append(found[LOADED[tag]])


def problems(site: Path) -> Iterator[str]:
    """What is wrong with the site, a line each."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    if len(pages) < 50:
        yield f"{site}: only {len(pages)} pages"
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        yield from (f"{name} {problem}" for problem in _of_loading(path, page))
        yield from (f"{name} {problem}" for problem in _of_links(path, page, pages))
    for style in site.rglob("*.css"):
        for found in IN_STYLES.findall(style.read_text()):
            yield f"{style.name} loads from the net: {found}"
    reference = {path: page for path, page in pages.items() if path.parent.name == "reference"}
    for path, page in reference.items():
        if page.words > MOST_WORDS:
            yield f"reference/{path.name} has {page.words} words: at most {MOST_WORDS} (docs/_ext/reference/layout.py)"
    entries = set().union(*(page.entries for page in reference.values()))
    for name in names():
        if f"loadpath.{name}" not in entries:
            yield f"the reference has no entry of {name}"


def _article(text: str) -> str:
    """What a page says, without what stands beside it."""
    begin, end = text.find("<article"), text.rfind("</article>")
    return text[begin:end] if begin >= 0 else text


def _of_loading(path: Path, page: Page) -> Iterator[str]:
    for target in page.loaded:
        if urlsplit(target).scheme in ("http", "https") or target.startswith("//"):
            yield f"loads {target} from the net"
        elif not target.startswith("data:") and not _file(path, target).exists():
            yield f"loads {target}, which is not there"


def _of_links(path: Path, page: Page, pages: Mapping[Path, Page]) -> Iterator[str]:
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = _file(path, parts.path) if parts.path else path
        if not target.exists():
            yield f"links to {link}, which is not there"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"links to {link}, which has no such anchor"


def names() -> list[str]:
    """What must have an entry: public names, members of `lp.Robot`, robots of the catalog, objects of the books."""
    import loadpath as lp
    from docs._ext.reference.entries import shown_members
    from docs._ext.reference.pages import BOOK_NAMES

    found = [name for name in lp.__all__ if name not in ("catalog", "parts", "__version__")]
    found += [f"catalog.{name}" for name in lp.catalog.__all__]
    found += [f"{name}.{letter}" for book, name in BOOK_NAMES.items() for letter in book.places]
    return found + [f"Robot.{member.name}" for member in shown_members(lp.Robot, {})]


def _file(page: Path, target: str) -> Path:
    return (page.parent / unquote(urlsplit(target).path)).resolve()


def main(site: Path) -> int:
    """Prints what is wrong; 1 if something is."""
    found = list(problems(site))
    for problem in found[:50]:
        print(problem, file=sys.stderr)
    if found:
        print(f"{len(found)} problems in {site}", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "site")))
