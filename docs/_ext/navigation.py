"""The table of contents. It is written here and not in index.md, which stays a page that reads well anywhere.

A page that stands in no part of `navigation` (conf.py) comes last, under `More`: no page is ever out of reach.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

LISTS = {"gallery": "examples/"}
"""Pages in addition to each `FOLDER/index` that list the pages of a folder."""


def parts(navigation: dict[str, list[str]], documents: set[str]) -> dict[str, list[str]]:
    """The documents that there are, by the captions of the parts; a pattern such as `sources/*` stands for many."""
    left = documents - {"index"}
    found: dict[str, list[str]] = {}
    for caption, patterns in navigation.items():
        found[caption] = []
        for pattern in patterns:
            matching = sorted(name for name in left if fnmatch(name, pattern))
            found[caption] += matching
            left -= set(matching)
    found["More"] = sorted(left)
    return {caption: names for caption, names in found.items() if names}


def add_to_index(app: Sphinx, document: str, source: list[str]) -> None:
    """Appends one hidden table a part to the start page, and to the first page of a folder those of the folder."""
    documents = app.env.found_docs
    if document == "index":
        for caption, names in parts(app.config.navigation, inner(documents)).items():
            source[0] += _table(names, caption)
    elif document in LISTS or document.endswith("/index"):
        folder = LISTS.get(document, document.removesuffix("index"))
        of_folder = [name for name in documents if name.startswith(folder) and name != document]
        if of_folder:
            order = [f"{folder}{name}" for name in app.config.order_in_folders.get(folder.rstrip("/"), [])]
            of_folder = [name for name in of_folder if first_page(name) not in documents]
            listed = [name for name in order if name in of_folder]
            source[0] += _table(listed + sorted(set(of_folder) - set(listed)), None)


def first_page(name: str) -> str | None:
    """The page that lists a page of the reference, if there is one: `reference/robot` of `reference/robot-matrices`.

    >>> first_page("reference/robot-matrices"), first_page("reference/robot")
    ('reference/robot', None)
    """
    folder, _, page = name.rpartition("/")
    return f"{folder}/{page.split('-')[0]}" if folder and "-" in page else None


def lists(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """The pages to read again when pages come or go: those that list others."""
    if not added and not removed:
        return []
    return [name for name in env.found_docs if name == "index" or name in LISTS or name.endswith("/index")]


def inner(documents: set[str]) -> set[str]:
    """The documents without those that the first page of their folder lists."""
    return {
        name
        for name in documents
        if "/" not in name or name.endswith("/index") or not _listed(name, documents)
    }


def _listed(name: str, documents: set[str]) -> bool:
    folder = name.rsplit("/", 1)[0]
    return f"{folder}/index" in documents or f"{folder}/" in LISTS.values()


def _table(names: list[str], caption: str | None) -> str:
    heading = f":caption: {caption}\n" if caption else ""
    return "\n\n```{toctree}\n:hidden:\n" + heading + "\n" + "\n".join(f"/{name}" for name in names) + "\n```\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Reads the setting `navigation`."""
    app.add_config_value("navigation", {}, "env")
    app.add_config_value("order_in_folders", {}, "env")
    app.connect("source-read", add_to_index)
    app.connect("env-get-outdated", lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
