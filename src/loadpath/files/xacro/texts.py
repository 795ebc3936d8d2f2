"""Texts in a file of xacro: what `${...}` and `$(...)` in them come to, and the files that they may name.

Everything that an evaluation uses up is counted here.
"""

from __future__ import annotations

import contextlib
import math
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.assets import LARGEST_FILE, Assets
from loadpath.files.xacro.expressions import Scope, evaluate
from loadpath.files.xacro.functions import (
    DEEPEST_NESTING,
    GLOBAL,
    LARGEST_YAML,
    MOST_ELEMENTS,
    MOST_FILES,
    MOST_TEXT,
    Function,
    Module,
    Steps,
    refuse_large,
    weighed,
)
from loadpath.files.xml_reading import XmlElement, decoded, read_xml
from loadpath.printable import clipped, printable

# YAML for xacro: plain data from the tree of a document, in which what is used again counts again.
#
# PyYAML reads the text into nodes; they are turned into data here, as a few lines of references can stand for any
# amount.


_UNITS = {"!radians": 1.0, "!degrees": math.pi / 180.0, "!meters": 1.0, "!millimeters": 0.001, "!foot": 0.3048,
          "!inches": 0.0254}
_CORE = "tag:yaml.org,2002:"
_TAGS = {"sequence": _CORE + "seq", "mapping": _CORE + "map"}
_TRUE = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]{0,300})")
_BASED = {"0b": 2, "0x": 16}


def yaml_data(text: str, evaluate: Callable[[str], object], steps: Steps) -> object:
    """The data of a document; `evaluate` is for values with a unit, as `!degrees 2 * 45`.

    >>> yaml_data("limits: {upper: !degrees 180, names: [a, b]}", float, Steps())
    {'limits': {'upper': 3.141592653589793, 'names': ['a', 'b']}}
    """
    try:
        import yaml
    except ImportError:
        raise ModelError("load_yaml takes PyYAML: pip install 'loadpath[xacro]'") from None
    depth = 0
    for sign in text:  # PyYAML looks at all that are open, at each character
        depth += (sign in "[{") - (sign in "]}")
        if depth > DEEPEST_NESTING:
            raise ModelError("it is nested too deeply")
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError) as problem:
        mark = getattr(problem, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise ModelError(f"it is no YAML{place}: {clipped(str(getattr(problem, 'problem', None) or 'not readable'))}"
                         ) from None
    except RecursionError:
        raise ModelError("it is nested too deeply") from None
    return weighed(_Data(evaluate, steps).of(node, 0), steps)


class _Data:
    def __init__(self, evaluate: Callable[[str], object], steps: Steps) -> None:
        self.evaluate, self.steps = evaluate, steps

    def of(self, node: Any, depth: int) -> Any:
        self.steps.take(10)
        if depth > DEEPEST_NESTING:
            raise ModelError(f"its lists are more than {DEEPEST_NESTING} deep")
        if node is None:
            return None
        if node.id in _TAGS and node.tag != _TAGS[node.id]:
            raise _unknown(node.tag)
        if node.id == "sequence":
            return [self.of(item, depth + 1) for item in node.value]
        if node.id == "mapping":
            return self._mapping(node, depth)
        return self._scalar(node.tag, node.value)

    def _mapping(self, node: Any, depth: int) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        entries: dict[Any, Any] = {}
        for key, value in node.value:
            if key.tag == _CORE + "merge":
                parts = value.value if value.id == "sequence" else [value]
                for part in reversed(parts):  # the first counts most; as PyYAML, whose order the keys have then
                    if part.id != "mapping":
                        raise ModelError("'<<' is not given a mapping")
                    merged |= self.of(part, depth + 1)
                continue
            name = self.of(key, depth + 1)
            if isinstance(name, (list, dict)):
                raise ModelError("a key is a list or a mapping: expected a name")
            entries[name] = self.of(value, depth + 1)
        return {**merged, **entries}

    def _scalar(self, tag: str, text: str) -> Any:
        if tag in _UNITS:
            value = self.evaluate(text)
            if isinstance(value, (str, int, float)):
                return float(value) * _UNITS[tag]
            raise ModelError(f"'{tag} {clipped(text)}': expected a number")
        kind = tag.removeprefix(_CORE)
        if kind == "null":
            return None
        if kind == "bool":
            return _TRUE[text.lower()]
        if kind == "float":
            return _float(text)
        if kind == "int":
            return _int(text)
        if kind in ("str", "timestamp", "value"):
            return text
        raise _unknown(tag)


def _unknown(tag: str) -> ModelError:
    return ModelError(f"the tag '{clipped(tag)}' is not known: expected plain data, or {', '.join(_UNITS)}")


def _int(text: str) -> Any:
    """A whole number as YAML 1.1 writes them, octal ones with a leading zero."""
    plain = text.replace("_", "")
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    sign, digits = (-1 if plain.startswith("-") else 1), plain.lstrip("+-")
    if ":" in digits or len(digits) > 300:
        raise ModelError(f"the number '{clipped(text)}' is not read: write it in decimal digits")
    base = _BASED.get(digits[:2].lower())
    return sign * (int(digits[2:], base) if base else int(digits, 8))


def _float(text: str) -> float:
    plain = text.replace("_", "").lower()
    if plain.lstrip("+-") in (".inf", ".nan"):
        return float(plain.replace(".", ""))
    try:
        return float(plain)
    except ValueError:
        raise ModelError(f"the number '{clipped(text)}' is not read: write it in decimal digits") from None


_PIECE = re.compile(
    r"(?P<escaped>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<extension>[^)]*)\)|(?P<text>[^$]+|\$[^{($]+|\$\Z)"
)
_FIND = re.compile(r"\$\(find +([^()\s]+) *\)")
_GLOB = re.compile(r"[*?\[]")
_MOST_WARNINGS = 20
_STEPS_OF_YAML = 4
"""Of each character, as its reader is slow."""


@dataclass(frozen=True)
class Macro:
    """A macro, and the file that defines it."""

    name: str
    body: XmlElement
    file: str
    parameters: Mapping[str, tuple[bool, str | None] | None]


class Texts:
    """The evaluation of one file, with what it may still use up."""

    def __init__(self, source: str, assets: Assets, arguments: Mapping[str, str]) -> None:
        self.arguments = dict(arguments)
        self.asked: set[str] = set()
        """Arguments that the file asks for."""
        self.warnings: list[str] = []
        self.steps = Steps()
        self._files: list[tuple[str, Assets]] = [(source, assets)]
        """The file that is read now, after those that include it."""
        self._roots: dict[str, XmlElement] = {}
        self._data: dict[str, object] = {}
        self._macros: list[Macro] = []
        self._line = 1
        self._left = {"elements": MOST_ELEMENTS, "text": MOST_TEXT, "files": MOST_FILES}
        self._depth = 0
        own: dict[str, Callable[..., object]] = {
            "load_yaml": self._load_yaml, "arg": self._argument, "dotify": lambda data: data,
            "abs_filename": self._absolute, "tokenize": _tokenize, "fatal": self._fatal, "message": self._said,
            "warning": self._said, "error": self._said, "print_location": lambda: "",
        }
        functions = {name: Function(name, call) for name, call in own.items()}
        listed = {name: functions[name] for name in ("load_yaml", "abs_filename", "dotify")}
        self._known: dict[str, object] = {**GLOBAL, **listed, "xacro": Module("xacro", functions)}

    def place(self) -> str:
        """Where the evaluation is: to be put behind what went wrong."""
        macro = f"macro '{clipped(self._macros[-1].name)}', " if self._macros else ""
        file = self._macros[-1].file if self._macros else self._files[-1][0]
        return f"(in {macro}{'' if file == self._files[0][0] else f'{file}, '}line {self._line})"

    def _use(self, what: str, count: int, most: int) -> None:
        self._left[what] -= count
        if self._left[what] < 0:
            units = {"text": "characters of text"}.get(what, what)
            raise ModelError(f"it makes or reads more than {most:,} {units}, which no robot needs")

    @contextlib.contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST_NESTING:
            raise ModelError(f"macros, files, elements or properties are more than {DEEPEST_NESTING} inside one "
                             "another: does a macro call itself, or a file include itself?")
        try:
            yield
        finally:
            self._depth -= 1

    def _warn(self, words: str) -> None:
        if len(self.warnings) < _MOST_WARNINGS and words not in self.warnings:
            self.warnings.append(words)

    # Texts with expressions in them

    def _text(self, text: str, scope: Scope) -> str:
        value = self.text_value(text, scope)
        made = value if isinstance(value, str) else str(value)
        self._use("text", len(made), MOST_TEXT)
        return made

    def text_value(self, text: str, scope: Scope) -> object:
        """What a text comes to: the value of its expression if it is nothing else, else a text."""
        self.steps.take()
        if "$" not in text:
            return text
        refuse_large(len(text))
        pieces: list[object] = []
        at, length = 0, 0
        with self._deeper():
            while at < len(text):
                found = _PIECE.match(text, at)
                if found is None:
                    raise ModelError(f"an expression is not closed: '{clipped(text[at:])}'")
                pieces.append(self._piece(found, scope))
                at = found.end()
        if len(pieces) == 1:
            return pieces[0]
        texts = []
        for piece in pieces:
            texts.append(str(piece))
            length += len(texts[-1])
            refuse_large(length)
        return "".join(texts)

    def _piece(self, found: re.Match[str], scope: Scope) -> object:
        self.steps.take(1 + len(found[0]) // 10)
        if found["expression"] is not None:
            inner = self.text_value(found["expression"], scope)
            return evaluate(str(inner), lambda name: self._named(name, scope), self.steps)
        if found["extension"] is not None:
            return self._extension(str(self.text_value(found["extension"], scope)))
        return found["text"] if found["text"] is not None else found["escaped"][1:]

    def _named(self, name: str, scope: Scope) -> object:
        try:
            value = scope.look_up(name)
        except KeyError:
            return self._known[name]
        if isinstance(value, XmlElement):
            raise ModelError(f"'{clipped(name)}' is a block: <xacro:insert_block> inserts it")
        return value

    # What stands in $(...)

    def _extension(self, written: str) -> str:
        command, _, rest = written.strip().partition(" ")
        words = rest.split()
        if command == "eval":
            known = {**self._known, "true": True, "false": False, "arg": Function("arg", self._converted),
                     "find": Function("find", self._package)}
            return str(evaluate(rest, lambda name: known[name] if name in known else self._converted(name), self.steps))
        if command == "arg" and len(words) == 1:
            return _FIND.sub(lambda found: self._package(found[1]), self._argument(words[0]))
        if command == "find" and len(words) == 1:
            return self._package(words[0])
        if command in ("env", "optenv"):
            raise ModelError(f"$({clipped(written)}) asks for a variable of the environment, which no file may read: "
                             "write <xacro:arg> and $(arg ...), and give xacro_arguments={...}")
        if command in ("cwd", "dirname"):
            raise ModelError(f"$({clipped(written)}) is not evaluated: name files from the folder of the file, or by "
                             "$(find package)")
        raise ModelError(f"$({clipped(written)}) is not known: expected $(arg name), $(find package) or $(eval ...)")

    def _argument(self, name: str) -> str:
        self.asked.add(name)
        if name not in self.arguments:
            raise ModelError(f"the argument '{clipped(name)}' is not defined: give xacro_arguments="
                             f"{{'{clipped(name)}': ...}}")
        return self.arguments[name]

    def _converted(self, name: str) -> object:
        """An argument as `$(eval ...)` takes it: a number, a truth value or a text."""
        if name not in self.arguments:
            self.asked.add(name)
            raise KeyError(name)
        text = self._argument(name)
        with contextlib.suppress(ValueError):
            return float(text) if "." in text else int(text)
        return text.lower() == "true" if text.lower() in ("true", "false") else text

    # Files

    def _package(self, name: str) -> str:
        folder = self._files[-1][1].package_of_texts(name)
        if folder is None:
            raise ModelError(f"package '{clipped(name)}' is not found: give its folder, "
                             "lp.load(..., package_paths=[...])")
        return folder

    def _absolute(self, name: str) -> str:
        folder = self._files[-1][1].folder
        return name if folder is None or posixpath.isabs(name) else str(folder / name)

    def _matching(self, name: str, optional: bool) -> list[str]:
        """The files that an include names, perhaps by a pattern in the last part of the path."""
        assets = self._files[-1][1]
        folder, _, last = name.rpartition("/")
        if _GLOB.search(last):
            self._use("files", 1, MOST_FILES)  # a folder is looked through
            self.steps.take(len(assets.members) // 4)
            found = assets.texts_in(folder, last)
            if not found:
                self._warn(f"no file matches '{clipped(name)}' {self.place()}")
            return sorted(found)
        path = assets.text_file(name)
        if path is None and not optional:
            raise ModelError(f"there is no file '{clipped(name)}', which is included")
        return [] if path is None else [path]

    def _root(self, path: str) -> XmlElement:
        """The root element of an included file, read once."""
        if path not in self._roots:
            root = read_xml(self._read(path, LARGEST_FILE), path)
            self._use("elements", sum(1 for _ in root.everything()), MOST_ELEMENTS)
            self._roots[path] = root
        return self._roots[path]

    def _read(self, path: str, most: int) -> bytes:
        self._use("files", 1, MOST_FILES)
        data = self._files[-1][1].text_at(path, most)
        self.steps.take(len(data) // 50)
        return data

    def _load_yaml(self, name: str) -> object:
        path = self._files[-1][1].text_file(str(name))
        if path is None:
            raise ModelError(f"there is no file '{clipped(str(name))}', which load_yaml is to read")
        if path not in self._data:
            self._data[path] = self._yaml(path)
        return self._data[path]

    def _yaml(self, path: str) -> object:
        try:
            text = decoded(self._read(path, LARGEST_YAML))
            self.steps.take(_STEPS_OF_YAML * len(text))
            return yaml_data(text, lambda unit: evaluate(unit, self._known.__getitem__, self.steps), self.steps)
        except UnicodeError:
            raise ModelError(f"{path}: the file is not in UTF-8: save it in UTF-8") from None
        except ModelError as problem:
            raise ModelError(f"{path}: {problem}") from None

    # What a file says to its user

    def _said(self, *words: object, **_: object) -> str:
        self._warn(clipped(printable(" ".join(map(str, words))), 300))
        return ""

    def _fatal(self, *words: object) -> None:
        raise ModelError(f"the file says: {clipped(printable(' '.join(map(str, words))), 300)}")


def _tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The parts of a text between any of some characters."""
    parts, start = [], 0
    for place, sign in enumerate(text):
        if sign in sep:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part or not skip_empty]
