"""Pages of source files: what a page links to outside of docs/, as `../src/...`, is on the site, highlighted.

A folder becomes a list of its files. These pages are not in the search index, which is about the documentation.
"""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util.osutil import relative_uri

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "code"
STYLES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")
LAYOUT = """
:root { color-scheme: light dark; }
body { margin: 0 auto; padding: 1rem 2rem; max-width: 75rem; font-family: system-ui, sans-serif; }
a { color: #0b5cad; }
pre { overflow-x: auto; line-height: 1.4; font-size: 0.85rem; }
.linenos { color: #5c656e; padding-right: 1.2em; user-select: none; text-decoration: none; }
:target { scroll-margin-top: 3rem; }
span:target, a:target + span { background: #fff3b0; }
@media (prefers-color-scheme: dark) {
  body { background: #131416; color: #cfd0d0; }
  a { color: #8cc4ff; }
  .linenos { color: #a4adb6; }
  span:target, a:target + span { background: #4a4320; }
}
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name} - Loadpath</title><link rel="stylesheet" href="{up}code/code.css"></head>
<body><nav><p><a href="{up}index.html">Loadpath: documentation</a></p></nav>
<main><h1>{name}</h1>
{body}
</main></body></html>
"""


def page_of(path: Path) -> str:
    """The page of a source file or folder of the project."""
    return f"{FOLDER}/{path.relative_to(ROOT).as_posix()}" + ("/index" if path.is_dir() else "")


class LinkToSources(SphinxTransform):
    """Links to files that are no pages lead to a page of the file."""

    default_priority = 200

    def apply(self, **options: object) -> None:
        """Replaces the links of one document."""
        links = [
            node
            for kind in (addnodes.download_reference, addnodes.pending_xref)
            for node in self.document.findall(kind)
            if node.get("reftype") == "myst"
        ]
        here = Path(self.env.doc2path(self.env.docname)).parent
        for node in links:
            target, _, line = unquote(node["reftarget"]).partition("#")
            if node.get("refdomain") == "doc":  # Markdown, and where it is outside of docs/, with its whole path
                target, line = f"{target}.md", node.get("reftargetid") or ""
                if not Path(target).is_absolute():
                    continue
            path = Path(os.path.normpath(here / target)) if target else None
            if path is None or not path.exists() or not path.is_relative_to(ROOT):
                continue
            page = project_page(path)
            if page is None:
                page = page_of(path)
                wanted(self.env).setdefault(self.env.docname, set()).add(path)
            uri = relative_uri(f"{self.env.docname}.html", f"{page}.html") + (f"#{line}" if line else "")
            link = nodes.reference("", "", *node.children, refuri=uri, internal=True)
            node.replace_self(link)


def project_page(path: Path) -> str | None:
    """The page of a text at the top of the project, such as SECURITY.md, or of an example."""
    if path.parent == ROOT and path.suffix == ".md":
        return "index" if path.stem == "README" else f"project/{path.stem.lower()}"
    if path == ROOT / "examples":
        return "gallery"
    if path.parent == ROOT / "examples" and path.suffix == ".py":
        return f"examples/{path.stem}"
    return None


def wanted(env: BuildEnvironment) -> dict[str, set[Path]]:
    """The source files that documents link to, by document."""
    if not hasattr(env, "loadpath_sources"):
        env.loadpath_sources = {}  # type: ignore[attr-defined]
    found: dict[str, set[Path]] = env.loadpath_sources
    return found


def forget(app: Sphinx, env: BuildEnvironment, document: str) -> None:
    """What a document asked for before it changed."""
    wanted(env).pop(document, None)


def merge(app: Sphinx, env: BuildEnvironment, documents: list[str], other: BuildEnvironment) -> None:
    """What documents asked for that another process has read."""
    wanted(env).update({name: wanted(other)[name] for name in documents if name in wanted(other)})


def write_pages(app: Sphinx, problem: Exception | None) -> None:
    """Writes the pages of all files that are linked to, and of the files in the folders that are.

    They are pages of their own and not Sphinx's, which would take longer for them than for all the others.
    """
    if problem is not None or app.builder.format != "html":
        return
    asked = {path for of_document in wanted(app.env).values() for path in of_document}
    for folder in [path for path in asked if path.is_dir()]:
        asked |= set(_files(folder))
    out = Path(app.outdir)
    light, dark = (HtmlFormatter(style=name).get_style_defs() for name in STYLES)
    (out / FOLDER).mkdir(exist_ok=True)
    (out / FOLDER / "code.css").write_text(f"{LAYOUT}\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n")
    for path in sorted(asked):
        file = out / f"{page_of(path)}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(file.relative_to(out).parts) - 1)
        name = html.escape(path.relative_to(ROOT).as_posix())
        body = _listing(path) if path.is_dir() else _code(path)
        file.write_text(PAGE.format(name=name, up=up, body=body))


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in {".py", ".pyi", ".md"})


def _listing(folder: Path) -> str:
    rows = "".join(f'<li><a href="{path.name}.html"><code>{path.name}</code></a></li>' for path in _files(folder))
    return f"<ul>{rows}</ul>"


def _code(path: Path) -> str:
    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    shown = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, wrapcode=True, cssclass="highlight")
    return str(highlight(path.read_text(), lexer, shown)).replace('"L-', '"L').replace("#L-", "#L")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects links and pages."""
    app.add_transform(LinkToSources)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
