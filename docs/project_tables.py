"""The tables of the page on the project file, from the schema: `python -m docs.project_tables` writes them into it, and
the schema for editors beside it. A test compares both with the code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadpath.project.schema import schema

PAGE = Path(__file__).parent / "project_file.md"
SCHEMA = Path(__file__).parent / "project_file.schema.json"
_INSIDE = {"base": ("wheels", "ground", "motion"), "base.ground": ("surface", "patches", "motion"),
           "study": ("states",)}
"""Tables in tables that have a table of their own."""
BEGIN, END = "<!-- tables -->", "<!-- end of tables -->"


def schema_text() -> str:
    """The schema as its file has it."""
    return json.dumps(schema(), indent=1) + "\n"


def tables() -> str:
    """A table of keys for every table of a project file."""
    whole = schema()
    parts = []
    for name, value in whole["properties"].items():
        described = value.get("description") or value.get("items", {}).get("description", "")
        title = f"[[{name}]]" if value.get("type") == "array" else f"[{name}]"
        parts.append(f"### `{title}`\n\n{described}\n")
        parts += _rows(name, value, whole)
    for name in ("section", "material"):
        parts.append(f"### A {name}\n")
        parts += _rows(name, whole["definitions"][name], whole)
    return "\n".join(parts)


def _rows(name: str, value: dict[str, Any], whole: dict[str, Any]) -> Iterator[str]:
    value = value.get("items", value)
    by_name = value.get("additionalProperties")
    if isinstance(by_name, dict):
        value = by_name
    for one in _alternatives(value, whole):
        if "properties" not in one:
            continue
        kind = one["properties"].get("kind", {}).get("enum")
        if kind:
            yield f"`kind = \"{kind[0]}\"`: {one.get('description', '')}\n"
        rows = [f"| `{key}` | {_words(part, whole)} |" for key, part in one["properties"].items() if key != "kind"]
        yield "| key | takes |\n|---|---|\n" + "\n".join(rows) + "\n"
        for key, part in one["properties"].items():
            inside = part.get("items", part)
            if key in _INSIDE.get(name, ()):
                yield f"`{'[[' if 'items' in part else '['}{name}.{key}{']]' if 'items' in part else ']'}`:\n"
                yield from _rows(f"{name}.{key}", inside, whole)


def _alternatives(value: dict[str, Any], whole: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables that may stand here, one of several kinds, or several of one."""
    found = [one for one in value.get("anyOf", [value]) if one.get("type") != "array"]
    return [deeper for one in found for deeper in (_alternatives(one, whole) if "anyOf" in one else [one])]


def _words(part: dict[str, Any], whole: dict[str, Any]) -> str:
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        found = whole["definitions"][name].get("description")
        return str(found) if found else f"a {name}: [see below](#a-{name})"
    said = part.get("description", "")
    if "enum" in part:
        said = f"{said} {' or '.join(f'`{one}`' for one in part['enum'])}".strip()
    kinds = {"string": "text", "boolean": "true or false", "object": "a table", "array": "a list",
             "integer": "a number"}
    return (said or kinds.get(part.get("type", ""), "") or "see the class in the reference").replace("|", r"\|")


def page() -> str:
    """The page with its tables as they are now."""
    text = PAGE.read_text()
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    return f"{before}{BEGIN}\n\n{tables()}\n{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
    SCHEMA.write_text(schema_text())
