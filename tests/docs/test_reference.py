"""The API reference: every public name and every method is in it, by purpose, with an example."""

from __future__ import annotations

import inspect
import re

import pytest

pytest.importorskip("sphinx")

import loadpath as lp
from docs._ext.reference import layout, pages, purposes
from docs._ext.reference.entries import Member, docstring, function_of, members, shown_members
from docs._ext.reference.layout import Piece, Topic
from docs._ext.reference.markdown import has_example, markdown
from loadpath.cli.command_list import COMMANDS, EXAMPLES
from loadpath.engine.quantity import Compiled

MOVED = re.compile(r'<span id="([^"]*)" data-moved="([^"]*)"')
ENTRY = re.compile(r"^`+\{py:(?!currentmodule)\w+\} ([\w.]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return pages.pages()


@pytest.fixture(scope="module")
def entries(made: dict[str, str]) -> set[str]:
    found = [name for text in made.values() for name in ENTRY.findall(text)]
    assert len(found) == len(set(found)), "an entry stands twice"
    return set(found)


def is_method(member: Member) -> bool:
    plain = function_of(member.value) is not None and not isinstance(member.value, property)
    return isinstance(member.value, Compiled) or (plain and not hasattr(member.value, "attrname"))


def test_every_public_name_has_an_entry(entries: set[str]) -> None:
    assert {name for name in lp.__all__ if name not in ("catalog", "parts", "__version__")} <= entries
    assert {"parts.read", "parts.table"} <= entries
    assert {f"catalog.{name}" for name in lp.catalog.__all__} <= entries
    for cls in (lp.Robot, lp.Motion, lp.WheeledBase):
        assert {f"{cls.__name__}.{member.name}" for member in shown_members(cls, {}, pages.shared_bases())} <= entries
    for cls in (lp.FlexibleRobot, lp.ClosedRobot, lp.Rover):
        own = [member.name for member in shown_members(cls, members(lp.Robot))]
        assert {f"{cls.__name__}.{name}" for name in own} <= entries


def test_every_object_of_the_books_has_an_entry(entries: set[str]) -> None:
    shelf = lp.catalog.two_link().books
    for name in ("angeles", "course", "lau", "lecture"):
        book = type(getattr(shelf, name))
        prefix = pages.result_name(book)
        assert {f"{prefix}.{letter}" for letter in book.places} <= entries


def test_every_name_stands_by_its_purpose(made: dict[str, str]) -> None:
    """A new name goes into docs/_ext/reference/purposes.py; of robots, their lines say it."""
    assert "other.md" not in made, made["other.md"]
    names = [member.name for member in shown_members(lp.Robot, {})]
    groups = purposes.robot_groups(names)
    assert sorted(names) == sorted(name for group in groups.values() for name in group)
    assert all(groups.values()), "a heading without a name"
    assert made["robot.md"].count("\n## ") == len(groups) + len(purposes.PAGES["robot"].groups) + 2


def test_every_public_name_and_method_has_an_example() -> None:
    without = []
    for name in lp.__all__:
        thing = getattr(lp, name)
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            shown = markdown(thing.__doc__ or "") + pages.entry(name, None).whole().text + pages._returned_by(thing)
        elif inspect.isfunction(thing):
            shown = markdown(thing.__doc__ or "")
        else:
            continue
        if ">>> " not in shown:
            without.append(name)
    methods = [member for member in members(lp.Robot).values() if is_method(member)]
    assert len(methods) >= 60
    without += [f"Robot.{member.name}" for member in methods if not has_example(docstring(member))]
    without += [f"catalog.{name}" for name in lp.catalog.__all__ if not has_example(getattr(lp.catalog, name).__doc__)]
    assert not without


def test_examples_stand_at_the_margin(made: dict[str, str]) -> None:
    """Markdown takes what is indented for code without a language, paragraphs too."""
    assert not [line for text in made.values() for line in text.splitlines() if re.match(r" +>>> ", line)]
    assert "\nWith `point=`" in (lp.Robot.jacobian.__doc__ or "")  # help() shows it so, too


def test_every_command_is_there_with_an_example(made: dict[str, str]) -> None:
    assert set(COMMANDS) == set(EXAMPLES)
    for name in COMMANDS:
        assert f"## loadpath {name}\n" in made["commands.md"]
        pages_of_it = [text for key, text in made.items() if key.startswith("commands-")]
        assert sum(f"\n## loadpath {name}\n" in text for text in pages_of_it) == 1


def test_no_page_is_too_long_to_find_something_in_it(made: dict[str, str]) -> None:
    """docs/check.py counts the words of the made pages; these are as Markdown, which has more of them."""
    long = {name: layout.words(text) for name, text in made.items() if layout.words(text) > layout.ROOM}
    first = {name for name in long if "-" not in name}
    assert set(long) == first <= {"robot.md"}, long  # its tables: names as Markdown links are three words each
    entry = "``````{py:method} A.m%d()\n\n" + "word " * 400 + "\n``````\n"
    pieces = [Piece(f"m{k}", f"| m{k} | |", entry % k) for k in range(40)]
    cls = Piece("A", "| A | |", "````````{py:class} A\n\n%members%\n````````\n", tuple(pieces))
    found = layout.laid_out("x", "things", "About them.", [Topic("One", (cls,)), Topic("Two", tuple(pieces[:2]))])
    assert len(found) >= 8 and all(layout.words(text) <= layout.ROOM for text in found.values())
    assert sum(text.count("{py:method}") for text in found.values()) == 42


def test_who_comes_by_an_old_link_is_led_on(made: dict[str, str]) -> None:
    """The first page of a long one has the anchors of all entries, with the page that has each now."""
    for first in ("robot", "mobile", "flexible", "books"):
        at = dict(MOVED.findall(made[f"{first}.md"]))
        others = {name: text for name, text in made.items() if name.startswith(f"{first}-")}
        there = {f"loadpath.{entry}": name for name, text in others.items() for entry in ENTRY.findall(text)}
        assert {name for name, page in at.items() if page.endswith(".html")} == set(at)
        for name, page in at.items():
            assert page.replace(".html", ".md") in others, name
        whole = {name for name in there if name.count(".") > 1 or name in at}
        assert whole <= set(at) | {name for name in there if name.rpartition(".")[0] in at} and len(at) > 50


def test_docstrings_become_markdown() -> None:
    found = markdown("""Sum of `a < b` and 2 < 3.

        >>> 1 + 1  # doctest: +SKIP
        2

        Signature: (q)->(n)
        """)
    assert found == "Sum of `a < b` and 2 \\< 3.\n\n\n```pycon\n>>> 1 + 1\n2\n```\n\nShapes: `(q)->(n)`"
