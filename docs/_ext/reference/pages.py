"""The pages of the reference, as Markdown."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterable

import loadpath as lp
from docs._ext.reference import commands
from docs._ext.reference.entries import (
    Member,
    class_entry,
    data_entry,
    docstring,
    function_entry,
    member_entry,
    members,
    refusals,
    shown_members,
)
from docs._ext.reference.layout import HEAD, MEMBERS, Piece, Topic, laid_out
from docs._ext.reference.markdown import first_sentence, has_example, markdown, plain
from docs._ext.reference.purposes import NOT_LISTED, PAGES, Page, robot_groups
from docs._ext.reference.results import makers, returned
from loadpath.books.book import Book
from loadpath.books.noninertial import Noninertial
from loadpath.books.shelf import BOOKS
from loadpath.parts import listed as listed_parts
from loadpath.robot.model import RobotModel

EXAMPLE = re.compile(r"```pycon\n.*?```", re.DOTALL)
BOOK_NAMES: dict[type[Book], str] = {book: f"books.{name}" for name, book in BOOKS.items()}
BOOK_NAMES[Noninertial] = "books.angeles.noninertial"


def pages() -> dict[str, str]:
    """Every page by file name."""
    public = [name for name in lp.__all__ if name not in NOT_LISTED]
    listed = {name for page in PAGES.values() for names in page.groups.values() for name in names}
    found_results = _results()
    made: dict[str, str] = {}
    for key, page in PAGES.items():
        topics = [_book(book) for book in BOOK_NAMES] if key == "books" else []
        for heading, names in page.groups.items():
            there = [name for name in names if name in public]
            if there:
                topics.append(Topic(heading, tuple(entry(name, page) for name in there)))
        if key == "robot":
            topics += _robot()
        if key == "catalog":
            topics.append(Topic("Robots and mechanisms", _functions("catalog", lp.catalog, lp.catalog.__all__)))
        if key == "parts":
            topics.append(Topic("Parts from tables", _functions("parts", listed_parts, ["read", "table"])))
        public_too = set(_public_classes())
        classes = [cls for cls, of_page in shared_bases().items() if of_page == key and cls not in public_too]
        if classes:
            shared = tuple(_result(cls)._replace(row="") for cls in classes)
            topics.append(Topic("What several of these share", shared))
        of_page = [cls for cls in found_results.get(key, []) if cls not in shared_bases()]
        if of_page:
            topics.append(Topic("What these return", tuple(_result(cls) for cls in of_page)))
        made |= laid_out(key, page.title, page.about, topics)
    left = [name for name in public if name not in listed]
    if left:
        made["other.md"] = "\n".join(["# Other names\n", HEAD, *[entry(name, None).whole().text for name in left]])
    return made | laid_out("commands", "command line", commands.about(), commands.topics())


def row(target: str, shown: str, text: str | None) -> str:
    """The row of an entry in a table: its target, its name and its docstring."""
    return f"| {{py:obj}}`{shown} <loadpath.{target}>` | {first_sentence(text)} |".replace("\n", " ")


def _functions(prefix: str, module: object, names: Iterable[str]) -> tuple[Piece, ...]:
    """Entries of functions of a module that is public itself."""
    return tuple(
        Piece(name, row(f"{prefix}.{name}", name, made.__doc__), function_entry(made, f"{prefix}.{name}"))
        for name in names
        if (made := getattr(module, name))
    )


def _public_classes() -> list[type]:
    return [thing for name in lp.__all__ if inspect.isclass(thing := getattr(lp, name))]


@functools.cache
def shared_bases() -> dict[type, str]:
    """Classes of the package that several public classes are made from (robots apart), with the page of the first."""
    pages_of = {name: key for key, page in PAGES.items() for group in page.groups.values() for name in group}
    users: dict[type, list[str]] = {}
    for cls in _public_classes():
        if not issubclass(cls, lp.Robot | BaseException):
            for base in cls.__mro__[1:]:
                if base.__module__.startswith("loadpath") and not base.__name__.startswith("_"):
                    users.setdefault(base, []).append(cls.__name__)
    return {base: pages_of.get(names[0], "other") for base, names in users.items() if len(names) > 1}


def entry(name: str, page: Page | None) -> Piece:
    """The entry of a public name."""
    thing = getattr(lp, name)
    shown = row(name, name, thing.__doc__)
    if inspect.isclass(thing):
        made_by_users = page is None or name not in page.results
        returned_by = "" if made_by_users else _returned_by(thing)
        text = class_entry(thing, name, made_by_users=made_by_users, inner=f"{returned_by}{MEMBERS}{_refused(thing)}")
        return Piece(name, shown, text, _members(thing, name))
    return Piece(name, shown, function_entry(thing, name) if inspect.isfunction(thing) else data_entry(thing, name))


def _members(cls: type, name: str) -> tuple[Piece, ...]:
    known: dict[str, Member] = {}
    if issubclass(cls, RobotModel):
        known = members(lp.Robot)
        for base in (lp.FlexibleRobot, lp.ClosedRobot):
            if issubclass(cls, base) and cls is not base:
                known |= members(base)
    shown = shown_members(cls, known, shared_bases())
    return tuple(_member(member, name) for member in shown if f"{name}.{member.name}" not in BOOK_NAMES.values())


def _member(member: Member, prefix: str) -> Piece:
    return Piece(
        member.name, row(f"{prefix}.{member.name}", member.name, docstring(member)), member_entry(member, prefix)
    )


def _refused(cls: type) -> str:
    """What a class refuses, a table."""
    refused = refusals(cls)
    rows = [f"| {names} | {why} |".replace("\n", " ") for why, names in refused.items()]
    return "\n".join(["\nRefused:\n\n| what | why, and what to do |\n|---|---|", *rows]) if rows else ""


def _robot() -> list[Topic]:
    """`lp.Robot`, its members in groups."""
    there = {member.name: member for member in shown_members(lp.Robot, {})}
    cls = Piece("Robot", "", class_entry(lp.Robot, "Robot", made_by_users=True, inner=""))
    order = [name for part in reversed(lp.Robot.__mro__) for name in (*inspect.get_annotations(part), *vars(part))]
    groups = robot_groups(name for name in dict.fromkeys(order) if name in there)
    return [
        Topic("The class", (cls,), about=first_sentence(lp.Robot.__doc__)),
        *(Topic(heading, tuple(_member(there[name], "Robot") for name in names)) for heading, names in groups.items()),
    ]


def _result(cls: type) -> Piece:
    name = result_name(cls)
    text = class_entry(cls, name, made_by_users=False, inner=f"{_returned_by(cls)}{MEMBERS}{_refused(cls)}")
    return Piece(name, row(name, cls.__name__, cls.__doc__), text, _members(cls, name))


def _book(book: type[Book]) -> Topic:
    """A source: the table of its objects, and an entry of each."""
    name = BOOK_NAMES[book]
    rows = [
        f"| {{py:obj}}`{letter} <loadpath.{name}.{letter}>` | {place} | {plain(found.meaning)} |"
        for letter, place in book.places.items()
        if (found := book.contents()[letter])
    ]
    table = "| object | place in the source | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    piece = _result(book)._replace(row="")
    return Topic(f"robot.{name}", (piece,), lead=f"{book.source}.\n\n{table}", about=f"{book.source}.")


def _returned_by(cls: type) -> str:
    """Which functions and methods return a result, and if it has no example, that of the first of them."""
    names = all_makers().get(cls, [])
    if not names:
        return ""
    links = ", ".join(f"{{py:obj}}`{name} <loadpath.{name}>`" for name in names)
    shown = [EXAMPLE.search(markdown(text)) for name in names if (text := _text_of(name))]
    example = next((f"\n\n{found[0]}\n" for found in shown if found), "")
    return f"\nReturned by {links}.{'' if has_example(cls.__doc__) else example}\n\n"


def _text_of(name: str) -> str | None:
    """The docstring of a public function or of a member of a public class, as `Robot.mass_matrix`."""
    first, _, member = name.partition(".")
    thing = getattr(lp, first)
    return docstring(members(thing)[member]) if member else thing.__doc__


@functools.cache
def all_makers() -> dict[type, list[str]]:
    """Entries of functions and methods by the class that they return."""
    things = {name: getattr(lp, name) for name in lp.__all__ if name not in ("catalog", "parts", "__version__")}
    found = makers(things)
    kinds = {name for name, thing in things.items() if inspect.isclass(thing) and issubclass(thing, lp.Robot)}
    result = {}
    for cls, names in found.items():
        own = [name for name in names if _text_of(name)]
        first = {name.partition(".")[2] for name in own if name.startswith("Robot.")}
        result[cls] = [name for name in own if not _again(name, kinds - {"Robot"}, first)][:6]
    return result


def _again(name: str, kinds: set[str], of_robot: set[str]) -> bool:
    """Whether an entry of a kind of robot is that of `Robot`."""
    kind, _, member = name.partition(".")
    return kind in kinds and (member in of_robot or member in members(lp.Robot))


def result_name(cls: type) -> str:
    """The name of a class that is not in `lp`: that of its module; of a book, the way to it."""
    return BOOK_NAMES.get(cls) or f"{cls.__module__.removeprefix('loadpath.')}.{cls.__qualname__}"


def _results() -> dict[str, list[type]]:
    """Classes that are returned and are no public names, by the page that they belong to."""
    public = {id(getattr(lp, name)) for name in lp.__all__}
    found: dict[str, list[type]] = {}
    seen: set[type] = set()
    for key, page in PAGES.items():
        names = [name for group in page.groups.values() for name in group if name in lp.__all__]
        things: list[object] = [getattr(lp, name) for name in names] + ([lp.Robot] if key == "robot" else [])
        for cls in returned(things):
            if id(cls) in public or cls in seen or issubclass(cls, Book):
                continue
            seen.add(cls)
            found.setdefault(_page_for(cls, key), []).append(cls)
    return found


def _page_for(cls: type, otherwise: str) -> str:
    for key, page in PAGES.items():
        if cls.__module__.startswith(page.modules) and page.modules:
            return key
    return otherwise
