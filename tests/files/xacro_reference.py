"""What the package `xacro` makes of a file, and both results as plain trees that can be compared."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loadpath.files.assets import Assets
from loadpath.files.xacro import run_xacro
from loadpath.files.xml_reading import XmlElement, read_xml

Tree = tuple[str, dict[str, str], str, list[Any]]


def plain(element: XmlElement) -> Tree:
    """Tag, attributes, text and children; declarations of name spaces aside."""
    attributes = {name: value for name, value in element.attributes.items() if not name.startswith("xmlns")}
    return element.tag, attributes, " ".join(element.text.split()), [plain(child) for child in element.children]


@contextlib.contextmanager
def _packages(folders: Mapping[str, str]) -> Iterator[None]:
    from xacro import substitution_args

    before = substitution_args._eval_find
    substitution_args._eval_find = lambda name: folders[name]
    try:
        yield
    finally:
        substitution_args._eval_find = before


def of_xacro(path: Path, arguments: Mapping[str, str] | None = None, packages: Mapping[str, str] | None = None) -> Tree:
    """What xacro itself makes of a file; its errors are raised."""
    import xacro

    with _packages(packages or {}), contextlib.redirect_stderr(io.StringIO()):
        document = xacro.process_file(str(path), mappings=dict(arguments or {}))
        return plain(read_xml(document.toxml(), str(path)))


def of_ours(path: Path, arguments: Mapping[str, str] | None = None, packages: Mapping[str, str] | None = None) -> Tree:
    """What Loadpath makes of it."""
    assets = Assets(Path(path).parent, named_packages=dict(packages or {}))
    return plain(read_xml(run_xacro(Path(path).read_bytes(), str(path), assets, arguments or {}), str(path)))
