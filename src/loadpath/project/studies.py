"""From the tables `[study]`, `[study.space]` and `[study.states]` of a project file to a study of its robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from loadpath.in_room import function_in_room
from loadpath.printable import clipped
from loadpath.project.document import IF_TRUSTED, Document, meant
from loadpath.project.reading import part_of

if TYPE_CHECKING:
    from loadpath.project.project import Project
    from loadpath.robot.conditions import Condition
    from loadpath.studies.answers import Answer, answers_of
    from loadpath.studies.dependent import Dependent, following
    from loadpath.studies.space import Space
    from loadpath.studies.span import Span, span
    from loadpath.studies.states import named_states
    from loadpath.studies.study import Study, study
else:  # imported with the first project that asks for a study
    Answer = function_in_room("loadpath.studies.answers", "Answer")
    answers_of = function_in_room("loadpath.studies.answers", "answers_of")
    Condition = function_in_room("loadpath.robot.conditions", "Condition")
    following = function_in_room("loadpath.studies.dependent", "following")
    Space = function_in_room("loadpath.studies.space", "Space")
    span = function_in_room("loadpath.studies.span", "span")
    named_states = function_in_room("loadpath.studies.states", "named_states")
    study = function_in_room("loadpath.studies.study", "study")

T = TypeVar("T")

SAMPLING = ("sampling", "designs", "seed")
STUDY = ("answers", "space", "states", "subject_to", *SAMPLING, "to", "chunk", "front", "maximise", "where")
"""Keys of [study]."""
STATES = ("space", *SAMPLING)
"""Keys of [study.states]."""
SPAN = ("from", "to", "count", "spacing")
FOLLOWS = "follows"
ANSWER = ("quantity", "row", "reduce", "histogram", "name")
"""Keys of an answer that is a table."""
KINDS: Mapping[str, str] = {"grid": "grid", "latin hypercube": "latin_hypercube", "sobol": "sobol", "pairs": "pairs"}
"""How designs are chosen, and the method of `lp.Space` that does it."""
MOST_DESIGNS = 100_000_000
_MOST_VALUES = 1_000_000
_COUNTED = 10**18
_DEEPEST_NAME = 6
_STUDY, _SPACE, _OF_STATES = ("study",), ("study", "space"), ("study", "states")


class Choice(NamedTuple):
    """What is to be chosen of the designs."""

    front: tuple[str, ...] = ()
    """Aims that shall be small."""
    maximise: tuple[str, ...] = ()
    """Aims that shall be large."""
    where: str | None = None
    """What designs have to fulfil."""


@dataclass(frozen=True, eq=False)
class AskedStudy:
    """A study of the file, yet to be made."""

    document: Document
    space: Space
    states: Space | None
    """Of the workspace, in the place of a motion."""
    answers: tuple[Answer, ...]
    to: Path | None
    """The folder that the file names."""
    chunk: int | None
    choice: Choice

    def of(self, project: Project, to: Path | None) -> Study:
        """The study of a project. What is wrong with its names and units, or of its robot, is an error here."""
        robot = project.robot if project.rover is None else project.rover
        motion: Any = project.motion if self.states is None else self.states
        if self.states is None and named_states(robot, self.space.names):
            motion = None  # each design has a state of its own
        acting: dict[str, Any] = dict(project.base_state) if project.rover is not None else (
            {"external": project.external} if project.external else {})
        try:
            return study(robot, self.space, motion, answers=list(self.answers), to=to, hours=project.hours,
                         chunk=self.chunk, **acting)
        except (ValueError, TypeError, OverflowError) as problem:
            self._refuse(str(problem))

    def _refuse(self, said: str) -> NoReturn:
        """The error with the line of the parameter, or answer, that it names."""
        for name in self.space.names:
            if f"'{name}'" in said or said.startswith(name):
                self.document.refuse(said, _SPACE, _key_of(self.document, name))
        if any(f"'{answer.name}'" in said or f"'{answer.quantity}'" in said for answer in self.answers):
            self.document.refuse(said, _STUDY, "answers")
        self.document.refuse(said, _STUDY)


def study_of(document: Document) -> AskedStudy | None:
    """The study that the file asks for, if it asks for one."""
    if "study" not in document.content:
        return None
    given = document.table("study", STUDY)
    for key in ("answers", "space"):
        if key not in given:
            example = 'answers = ["mass", "utilisation"]' if key == "answers" else \
                '[study.space] with "payload.mass" = { from = "0 kg", to = "5 kg" }'
            document.refuse(f"no {key} {'are' if key == 'answers' else 'is'} given: expected {example}", _STUDY)
    answers = [_answer(document, one) for one in _list(document, given["answers"], "answers")]
    asked = _with(document, _STUDY, "answers", lambda: answers_of(answers))
    space = _sampled(document, _space(document, given["space"], _SPACE), given, _STUDY)
    conditions = _texts(document, given, "subject_to")
    space = _with(document, _STUDY, "subject_to", lambda: space.subject_to(*conditions))
    states = None
    if "states" in given:
        table = given["states"]
        if not isinstance(table, dict):
            document.refuse(f"states is {table!r}: expected a table [study.states]", _STUDY, "states")
        document.check_keys(table, STATES, _OF_STATES)
        states = _sampled(document, _space(document, table.get("space"), (*_OF_STATES, "space")), table, _OF_STATES)
    return AskedStudy(document, space, states, asked, _folder(document, given), _chunk(document, given),
                      _choice(document, given, [*space.names, *(answer.name for answer in asked)]))


# The space


def _space(document: Document, given: Any, table: tuple[str, ...]) -> Space:
    if not isinstance(given, dict) or not given:
        document.refuse(f"{'.'.join(table)} is {given!r}: expected a table [{'.'.join(table)}] with parameters",
                        table[:-1], table[-1])
    flat: dict[str, Any] = {}
    for name, value in _flat(document, given, table):
        if name in flat:
            document.refuse(f"'{name}' is given twice", table, _key_of(document, name, table))
        flat[name] = value
    axes = {name: _axis(document, name, value, list(flat), table) for name, value in flat.items()}
    return _with(document, table, None, lambda: Space(axes), list(flat))


def _flat(
    document: Document, given: Mapping[str, Any], table: tuple[str, ...], before: tuple[str, ...] = ()
) -> list[tuple[str, Any]]:
    """Parameters by name: `payload.mass = ...` is a table in a table."""
    found: list[tuple[str, Any]] = []
    for key, value in given.items():
        name = (*before, key)
        if isinstance(value, dict) and not _is_axis(value) and len(name) < _DEEPEST_NAME:
            found += _flat(document, value, table, name)
        else:
            found.append((".".join(name), value))
    return found


def _is_axis(value: Mapping[str, Any]) -> bool:
    return not value or FOLLOWS in value or any(key in SPAN and not isinstance(value[key], dict) for key in value)


def _axis(
    document: Document, name: str, value: Any, names: list[str], table: tuple[str, ...]
) -> Span | Dependent | list[Any] | str | float:
    """A span, values, parts, or what follows from others."""
    key = _key_of(document, name, table)
    if isinstance(value, dict):
        known = (FOLLOWS,) if FOLLOWS in value else SPAN
        for one in value:
            if one not in known:
                document.refuse(f"'{name}': '{one}' is not known{meant(one, known)}", table, key)
        if FOLLOWS in value:
            text = value[FOLLOWS]
            if not isinstance(text, str):
                document.refuse(f"'{name}' follows from {text!r}: expected text like \"2 * link2.length\"", table, key)
            others = [other for other in names if other != name]
            return _with(document, table, key, lambda: following(f"'{name}'", text, others))
        options = {("low" if one == "from" else "high" if one == "to" else one): part for one, part in value.items()}
        if isinstance(options.get("count"), int) and options["count"] > _MOST_VALUES:
            document.refuse(f"'{name}' has {options['count']} values: expected at most {_MOST_VALUES}", table, key)
        return _with(document, table, key, lambda: span(**options), [name])
    if isinstance(value, list):
        if name.endswith(".part"):
            return [_parts(document, name, one, table, key) for one in value]
        values = [_value(document, name, one, table, key) for one in value]
        for number, one in enumerate(values):
            if one in values[:number]:
                document.refuse(f"'{name}' has the value {one!r} twice", table, key)
        return values
    return _value(document, name, value, table, key)  # type: ignore[no-any-return]


def _value(document: Document, name: str, value: Any, table: tuple[str, ...], key: str) -> Any:
    """A number, text with a unit, or the numbers of a vector."""
    if isinstance(value, list) and value and all(_is_number(one) for one in value):
        return [float(one) for one in value]
    if not (_is_number(value) or isinstance(value, str)):
        document.refuse(f"'{name}' is {clipped(repr(value))}: expected numbers, text with a unit, or a span "
                        "{ from = \"1 kg\", to = \"5 kg\" }", table, key)
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _parts(document: Document, name: str, given: Any, table: tuple[str, ...], key: str) -> Any:
    """A part from its table, several, or none: an empty table."""
    several = given if isinstance(given, list) else [given]
    if not all(isinstance(one, dict) for one in several):
        document.refuse(f"'{name}' is {clipped(repr(given))}: expected parts, like {{ kind = \"strain wave gear\", ... "
                        "}, and {} for none", table, key)
    made = [part_of(document, one, table) for one in several if one]
    return made[0] if len(made) == 1 else made or ""


def _key_of(document: Document, name: str, table: tuple[str, ...] = _SPACE) -> str:
    """What stands for a parameter in its table: its name, or what its name begins with."""
    return name if document.line_of(table, name) != document.line_of(table) else name.partition(".")[0]


# How it is sampled


def _sampled(document: Document, space: Space, given: Mapping[str, Any], table: tuple[str, ...]) -> Space:
    how = given.get("sampling", "grid")
    if not isinstance(how, str) or how.lower() not in KINDS:
        said = f"sampling is {how!r}{meant(how, KINDS) if isinstance(how, str) else ''}"
        document.refuse(f"{said}: expected {', '.join(KINDS)}", table, "sampling")
    method = KINDS[how.lower()]
    if method == "grid":
        for key in ("designs", "seed"):
            if key in given:
                document.refuse(f"{key} is of a sampling, and a grid has all combinations: expected sampling = "
                                "\"sobol\", or counts of spans", table, key)
    elif "designs" not in given:
        document.refuse(f"a sampling '{how}' needs how many: expected designs = 1024", table, "sampling")
    else:
        count, seed = given["designs"], given.get("seed", 0)
        if isinstance(count, int) and count > MOST_DESIGNS:
            document.refuse(f"designs is {count}: expected at most {MOST_DESIGNS}", table, "designs")
        space = _with(document, table, "designs", lambda: getattr(space, method)(count, seed=seed), ["seed"])
    # Counted without `len`, which knows no number of more than 63 bits.
    count = math.prod(space.shape)
    if count > MOST_DESIGNS:
        many = f"{count:.3g}" if count < _COUNTED else f"more than {_COUNTED:.0e}"
        document.refuse(f"the space has {many} designs: expected at most {MOST_DESIGNS:,}; give spans a smaller "
                        "count, or sampling = \"sobol\" with designs = ...", table)
    return space


# Answers, and what is chosen


def _answer(document: Document, given: Any) -> Any:
    if isinstance(given, list):
        given = {"row": given}
    if isinstance(given, str):
        return given
    if not isinstance(given, dict):
        document.refuse(f"an answer is {given!r}: expected a name like \"joint2.tilting_moment\", a row of the verdict "
                        "like [\"joint2\", \"effort\"], or a table with its quantity", _STUDY, "answers")
    for key in given:
        if key not in ANSWER:
            document.refuse(f"'{key}' is not known of an answer{meant(key, ANSWER)}", _STUDY, "answers")
    quantity = given.get("quantity", given.get("row"))
    if quantity is None or ("quantity" in given and "row" in given):
        document.refuse("an answer needs a quantity, or a row of the verdict", _STUDY, "answers")
    if isinstance(quantity, list):
        quantity = tuple(quantity)
    if "reduce" in given and "histogram" in given:
        document.refuse("an answer has reduce or a histogram, not both", _STUDY, "answers")
    reduce = given.get("reduce", "peak")
    if "histogram" in given:
        edges = given["histogram"]
        if not isinstance(edges, list) or not all(map(_is_number, edges)):
            document.refuse(f"histogram is {edges!r}: expected edges, numbers that rise", _STUDY, "answers")
        reduce = ("histogram", tuple(float(edge) for edge in edges))
    name = given.get("name", "")
    return _with(document, _STUDY, "answers", lambda: Answer(quantity, reduce, name))


def _choice(document: Document, given: Mapping[str, Any], names: list[str]) -> Choice:
    front, maximise = (tuple(_texts(document, given, key)) for key in ("front", "maximise"))
    for key, aims in (("front", front), ("maximise", maximise)):
        for aim in aims:
            if aim not in names:
                document.refuse(f"there is no parameter or answer '{aim}'{meant(aim, names)}", _STUDY, key)
    if (front or maximise) and len({*front, *maximise}) < 2:
        document.refuse("a front is of two aims or more: expected front = [\"mass\", \"utilisation\"]", _STUDY,
                        "front" if front else "maximise")
    where = given.get("where")
    if where is not None:
        if not isinstance(where, str):
            document.refuse(f"where is {where!r}: expected text like \"life >= 20_000 h\"", _STUDY, "where")
        condition = _with(document, _STUDY, "where", lambda: Condition(where))
        for name in condition.names:
            if name not in names:
                document.refuse(f"there is no parameter or answer '{name}'{meant(name, names)}", _STUDY, "where")
    return Choice(front, maximise, where)


def _folder(document: Document, given: Mapping[str, Any]) -> Path | None:
    """Where answers are kept, below the folder of the file: a file of a stranger writes nowhere else."""
    if "to" not in given:
        return None
    name = given["to"]
    if not isinstance(name, str) or not name.strip() or "\0" in name:
        document.refuse(f"to is {name!r}: expected the name of a folder, relative to that of this file", _STUDY, "to")
    here = document.path.parent
    inside = (here / name).resolve()
    if not document.trust and (not inside.is_relative_to(here.resolve()) or inside == here.resolve()):
        document.refuse(f"to is '{clipped(name)}', which is not below the folder of this file: {IF_TRUSTED}, or name "
                        "the folder in the call (--to)", _STUDY, "to")
    return here / name


def _chunk(document: Document, given: Mapping[str, Any]) -> int | None:
    chunk = given.get("chunk")
    if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
        document.refuse(f"chunk is {chunk!r}: expected how many designs are written together, one or more", _STUDY,
                        "chunk")
    return chunk


def _list(document: Document, value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        document.refuse(f"{key} is {value!r}: expected a list like [\"mass\", \"utilisation\"]", _STUDY, key)
    return value


def _texts(document: Document, given: Mapping[str, Any], key: str) -> list[str]:
    value = given.get(key, [])
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list) or not all(isinstance(one, str) for one in several):
        document.refuse(f"{key} is {value!r}: expected a list of texts", _STUDY, key)
    return several


def _with(
    document: Document, table: tuple[str, ...], key: str | None, make: Callable[[], T], names: list[str] | None = None
) -> T:
    """What is made of a value, errors with their place: that of the name which the error has, if it has one."""
    try:
        return make()
    except (ValueError, TypeError, OverflowError) as problem:
        said = str(problem)
        if said.startswith(str(document.path)):
            raise
        for name in names or ():
            if said.startswith(name) or f"'{name}'" in said:
                key = _key_of(document, name, table)
                break
        document.refuse(said, table, key)
