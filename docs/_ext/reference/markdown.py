"""Docstrings as Markdown. They nearly are: names stand in backticks, tables are tables, examples are doctests."""

from __future__ import annotations

import inspect
import re

CODE = re.compile(r"(`[^`]*`)")
DIRECTIVE = re.compile(r"\s*# doctest: .*$")
SHAPES = re.compile(r"^Signature: (.+)$")


def markdown(docstring: str) -> str:
    """The docstring with its examples fenced."""
    lines: list[str] = []
    session = False
    for line in inspect.cleandoc(docstring).splitlines():
        begins = line.lstrip().startswith(">>> ")
        if begins and not session:
            lines += ["", "```pycon"]
            session = True
        elif session and not line.strip():
            lines.append("```")
            session = False
        lines.append(DIRECTIVE.sub("", line) if session else plain(line))
    if session:
        lines.append("```")
    return "\n".join(lines).strip()


def plain(line: str) -> str:
    """A line of text with what Markdown would read as markup escaped."""
    shapes = SHAPES.match(line)
    if shapes:
        return f"Shapes: `{shapes[1].strip()}`"
    parts = CODE.split(line)
    return "".join(part if part.startswith("`") else part.replace("<", r"\<").replace("$", r"\$") for part in parts)


def has_example(docstring: str | None) -> bool:
    """Whether a docstring shows a call."""
    return ">>> " in (docstring or "")


def first_sentence(docstring: str | None) -> str:
    """What stands in an overview."""
    paragraph = " ".join(inspect.cleandoc(docstring or "").split("\n\n")[0].split())
    return plain(re.split(r"(?<=[.:;]) |:$", paragraph)[0].rstrip(".:;"))
