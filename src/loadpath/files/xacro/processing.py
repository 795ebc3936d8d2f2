"""The elements of xacro: macros, properties, conditions and includes, expanded into plain XML.

The order and the scopes are those of xacro (its version 2.1): elements in the order of the file, the attributes of an
element first, the blocks of a call in the scope of the caller, the body of a macro in a scope inside that.
"""

from __future__ import annotations

import contextlib
import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.bounded_reading import LARGEST_FILE
from loadpath.files.xacro.expressions import evaluate
from loadpath.files.xacro.functions import GLOBAL, Function, Module
from loadpath.files.xacro.limits import (
    DEEPEST,
    LARGEST_YAML,
    MOST_ELEMENTS,
    MOST_FILES,
    MOST_TEXT,
    Steps,
    refuse_large,
)
from loadpath.files.xacro.scopes import Namespace, Scope, check_name, parameters, truth
from loadpath.files.xacro.yaml_data import yaml_data
from loadpath.files.xml_reading import TEXT_KEPT, XmlElement, decoded, read_xml
from loadpath.printable import clipped, printable

PREFIX = "xacro:"
_PIECE = re.compile(
    r"(?P<escaped>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<extension>[^)]*)\)|(?P<text>[^$]+|\$[^{($]+|\$\Z)"
)
_FIND = re.compile(r"\$\(find +([^()\s]+) *\)")
_GLOB = re.compile(r"[*?\[]")
_MOST_WARNINGS = 20
_STEPS_OF_CALL, _STEPS_OF_YAML = 20, 4
"""Of a call of a macro, and of each character of YAML, whose reader is slow."""


@dataclass(frozen=True)
class _Macro:
    name: str
    body: XmlElement
    file: str
    parameters: Mapping[str, tuple[bool, str | None] | None]


class Macros:
    """The macros of a file, or of a macro that is being expanded, by name; those of `ns=` in a table of their own."""

    def __init__(self, around: Macros | None = None) -> None:
        self.around = around
        self.own: dict[str, _Macro | Macros] = {}

    def look_up(self, name: str) -> _Macro | Macros:
        table: Macros | None = self
        while table is not None:
            if name in table.own:
                return table.own[name]
            table = table.around
        raise KeyError(name)


class Processor:
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
        self._macros: list[_Macro] = []
        self._line = 1
        self._left = {"elements": MOST_ELEMENTS, "text": MOST_TEXT, "files": MOST_FILES}
        self._depth = 0
        own: dict[str, Callable[..., object]] = {
            "load_yaml": self._load_yaml, "arg": self._argument, "dotify": lambda data: data,
            "abs_filename": self._absolute, "tokenize": _tokenize, "fatal": self._fatal, "message": self._said,
            "warning": self._said, "error": self._said, "print_location": lambda: "",
        }  # fmt: skip
        functions = {name: Function(name, call) for name, call in own.items()}
        listed = {name: functions[name] for name in ("load_yaml", "abs_filename", "dotify")}
        self._known: dict[str, object] = {**GLOBAL, **listed, "xacro": Module("xacro", functions)}

    # The document

    def expanded(self, root: XmlElement) -> XmlElement:
        """The root element with everything evaluated."""
        return self._evaluated(root, Macros(), Scope(self.text_value))

    def place(self) -> str:
        """Where the evaluation is: to be put behind what went wrong."""
        macro = f"macro '{clipped(self._macros[-1].name)}', " if self._macros else ""
        file = self._macros[-1].file if self._macros else self._files[-1][0]
        return f"(in {macro}{'' if file == self._files[0][0] else f'{file}, '}line {self._line})"

    def _evaluated(self, element: XmlElement, macros: Macros, scope: Scope, tag: str = "") -> XmlElement:
        """A plain element, its attributes and all in it evaluated."""
        made = self._element(tag or element.tag, element.line)
        self._line = element.line
        for name, value in element.attributes.items():
            if not name.startswith(PREFIX) and name != "xmlns:xacro":
                made.attributes[name] = self._text(value, scope)
        self._fill(made, element, macros, scope)
        return made

    def _fill(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        """What is in an element, evaluated, at the end of another one."""
        with self._deeper():
            for child in element.children:
                self._line = child.line
                of_xacro = _ELEMENTS.get(child.tag)
                if of_xacro is not None:
                    of_xacro(self, target, child, macros, scope)
                elif child.tag.startswith(PREFIX):
                    self._call(target, child, child.tag.removeprefix(PREFIX), macros, scope)
                else:
                    target.children.append(self._evaluated(child, macros, scope))
        if element.text and len(target.text) < TEXT_KEPT:
            self._line = element.line
            whole = len(element.text) < TEXT_KEPT  # else it is cut, perhaps in an expression
            target.text += self._text(element.text, scope) if whole else element.text

    def _element(self, tag: str, line: int) -> XmlElement:
        self._use("elements", 1, MOST_ELEMENTS)
        return XmlElement(tag, {}, line)

    def _use(self, what: str, count: int, most: int) -> None:
        self._left[what] -= count
        if self._left[what] < 0:
            units = {"text": "characters of text"}.get(what, what)
            raise ModelError(f"it makes or reads more than {most:,} {units}, which no robot needs")

    @contextlib.contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ModelError(f"macros, files, elements or properties are more than {DEEPEST} inside one another: does "
                             "a macro call itself, or a file include itself?")  # fmt: skip
        try:
            yield
        finally:
            self._depth -= 1

    def _attributes(self, element: XmlElement, needed: str, *optional: str) -> dict[str, str | None]:
        """The attributes of an element of xacro as written; others are warned of."""
        names = (*needed.split(), *optional)
        for name in needed.split():
            if name not in element.attributes:
                raise ModelError(f"<{element.tag}> has no attribute '{name}'")
        for name in element.attributes:
            if name not in names and not name.startswith("xmlns:"):
                self._warn(f"<{element.tag}> has an attribute '{clipped(name)}', which is not used {self.place()}")
        return {name: element.attributes.get(name) for name in names}

    def _warn(self, words: str) -> None:
        if len(self.warnings) < _MOST_WARNINGS and words not in self.warnings:
            self.warnings.append(words)

    # Elements of xacro

    def _property(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        given = self._attributes(element, "name", "value", "default", "remove", "scope", "lazy_eval")
        name = check_name(self._text(given["name"] or "", scope))
        value, default, removed = given["value"], given["default"], False
        if given["remove"]:
            removed = truth(self.text_value(given["remove"], scope), given["remove"])
        if (value is not None) + (default is not None) + removed > 1:
            raise ModelError(f"property '{name}' has two of value, default and remove: expected one")
        if removed:
            scope.remove(name)
            return
        if default is not None:
            if name in scope:
                return
            value = default
        if name in self._known:
            self._warn(f"property '{name}' hides a function or constant of that name {self.place()}")
        lazily = truth(self.text_value(given["lazy_eval"] or "true", scope), given["lazy_eval"] or "true")
        wide = given["scope"] if default is None else None
        owner = self._owner(name, wide, scope)
        if owner is None:
            return
        if value is None:
            owner.set("**" + name, element)  # a block, evaluated where it is inserted
        elif lazily and wide not in ("global", "parent"):
            owner.set(name, value, lazily=True)
        else:
            owner.set(name, self.text_value(value, scope))

    def _owner(self, name: str, wide: str | None, scope: Scope) -> Scope | None:
        """The scope that gets a property: this one, or the one that is asked for."""
        if wide == "global":
            return scope.outermost()
        if wide != "parent":
            return scope
        owner = scope.around
        if owner is None:
            self._warn(f"property '{name}' has the scope 'parent', and there is none {self.place()}")
        elif not isinstance(scope, Namespace):
            while isinstance(owner, Namespace) and owner.around is not None:
                owner = owner.around
        return owner

    def _macro(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        given = self._attributes(element, "name", "params")
        name = (given["name"] or "").removeprefix(PREFIX)
        if not name or name == "call" or "." in name:
            raise ModelError(f"the name of a macro is '{clipped(name)}': expected one without a point, and not 'call'")
        macros.own[name] = _Macro(name, element, self._files[-1][0], parameters(given["params"] or ""))

    def _named_call(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        if "macro" not in element.attributes:
            raise ModelError("<xacro:call> has no attribute 'macro'")
        self._call(target, element, self._text(element.attributes["macro"], scope), macros, scope, ("macro",))

    def _call(
        self, target: XmlElement, element: XmlElement, name: str, macros: Macros, scope: Scope,
        passed_over: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """A macro, expanded in place of its call."""
        self.steps.take(_STEPS_OF_CALL)
        table, outside, macro = self._resolved(name, macros, scope)
        inside = Scope(self.text_value, outside)
        left = dict(macro.parameters)
        for attribute, written in element.attributes.items():
            if attribute in passed_over:
                continue
            if attribute not in left:
                raise ModelError(f"macro '{clipped(macro.name)}' has no parameter '{clipped(attribute)}'; it has "
                                 f"{clipped(', '.join(macro.parameters)) or 'none'}")  # fmt: skip
            del left[attribute]
            inside.set(attribute, self.text_value(written, scope))
        caller = self._element(element.tag, element.line)
        self._fill(caller, element, macros, scope)
        blocks = iter(caller.children)
        for parameter in [parameter for parameter in left if parameter.startswith("*")]:
            block = next(blocks, None)
            if block is None:
                raise ModelError(f"macro '{clipped(macro.name)}' takes a block '{clipped(parameter.lstrip('*'))}', "
                                 "which is not given")  # fmt: skip
            del left[parameter]
            inside.set(parameter, block)
        spare = next(blocks, None)
        if spare is not None:
            raise ModelError(f"macro '{clipped(macro.name)}' is given a block <{clipped(spare.tag)}> that it does not "
                             "take")  # fmt: skip
        for parameter, default in list(left.items()):
            if default is not None:
                inside.set(parameter, self._default(parameter, *default, scope))
                del left[parameter]
        if left:
            raise ModelError(f"macro '{clipped(macro.name)}' is not given {clipped(', '.join(left))}")
        self._macros.append(macro)
        self._fill(target, macro.body, Macros(table), inside)
        self._macros.pop()

    def _default(self, parameter: str, forwarded: bool, written: str | None, scope: Scope) -> object:
        if forwarded and parameter in scope:
            return scope.look_up(parameter)
        if written is None:
            raise ModelError(f"the parameter '{clipped(parameter)}' is to come from around the call, where it is not "
                             "defined")  # fmt: skip
        return self.text_value(written, scope)

    def _resolved(self, name: str, macros: Macros, scope: Scope) -> tuple[Macros, Scope, _Macro]:
        """A macro by its name, perhaps with those of namespaces before it."""
        with contextlib.suppress(KeyError):
            macro = macros.look_up(name)
            if isinstance(macro, _Macro):
                return macros, scope, macro
        *spaces, last = name.split(".")[:DEEPEST]
        try:
            for space in spaces:
                table, names = macros.look_up(space), scope.look_up(space)
                if not isinstance(table, Macros) or not isinstance(names, Namespace):
                    raise KeyError(space)
                macros, scope = table, names
            macro = macros.look_up(last)
            if isinstance(macro, _Macro):
                return macros, scope, macro
        except KeyError:
            pass
        raise ModelError(f"there is no macro '{clipped(name)}'")

    def _insert(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        name = self._attributes(element, "name")["name"] or ""
        for stars in ("**", "*"):
            if stars + name in scope:
                block = scope.look_up(stars + name)
                assert isinstance(block, XmlElement)
                if stars == "**":
                    self._fill(target, block, macros, scope)
                else:
                    target.children.append(self._evaluated(block, macros, scope))
                return
        raise ModelError(f"there is no block '{clipped(name)}'")

    def _include(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        given = self._attributes(element, "filename", "ns", "optional")
        if given["ns"]:
            space = self._text(given["ns"], scope)
            names, table = Namespace(self.text_value, scope), Macros()
            scope.set(space, names)
            macros.own[space] = table
        else:
            names, table = scope, macros  # type: ignore[assignment]
        optional = given["optional"] is not None and truth(given["optional"], given["optional"])
        for path in self._matching(self._text(given["filename"] or "", scope), optional):
            root = self._root(path)
            self._files.append((path, self._files[-1][1].of_included(path)))
            line = self._line
            with self._deeper():
                for value in root.attributes.values():
                    self._text(value, names)
                self._fill(target, root, table, names)
            self._files.pop()
            self._line = line

    def _argument_element(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        given = self._attributes(element, "name default")
        name = given["name"] or ""
        self.asked.add(name)
        if name not in self.arguments:
            self.arguments[name] = self._text(given["default"] or "", scope)

    def _dynamic_element(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        written = element.attributes.get("xacro:name")
        tag = "" if written is None else self._text(written, scope)
        if not tag:
            raise ModelError("<xacro:element> has no attribute 'xacro:name' with a name")
        if not re.fullmatch(r"[\w.:-]+", tag):
            raise ModelError(f"<xacro:element> makes an element '{clipped(tag)}', which is no name in XML")
        renamed = XmlElement(tag, {k: v for k, v in element.attributes.items() if k != "xacro:name"}, element.line,
                             element.children, element.text)  # fmt: skip
        self._fill(target, XmlElement("", {}, element.line, [renamed]), macros, scope)

    def _dynamic_attribute(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        given = self._attributes(element, "name value")
        name = self._text(given["name"] or "", scope)
        if not re.fullmatch(r"[\w.:-]+", name):
            raise ModelError(f"<xacro:attribute> makes an attribute '{clipped(name)}', which is no name in XML")
        target.attributes[name] = self._text(given["value"] or "", scope)

    def _condition(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        written = self._attributes(element, "value")["value"] or ""
        if truth(self.text_value(written, scope), written) is (element.tag == PREFIX + "if"):
            self._fill(target, element, macros, scope)

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
                     "find": Function("find", self._package)}  # fmt: skip
            return str(evaluate(rest, lambda name: known[name] if name in known else self._converted(name), self.steps))
        if command == "arg" and len(words) == 1:
            return _FIND.sub(lambda found: self._package(found[1]), self._argument(words[0]))
        if command == "find" and len(words) == 1:
            return self._package(words[0])
        if command in ("env", "optenv"):
            raise ModelError(f"$({clipped(written)}) asks for a variable of the environment, which no file may read: "
                             "write <xacro:arg> and $(arg ...), and give xacro_arguments={...}")  # fmt: skip
        if command in ("cwd", "dirname"):
            raise ModelError(f"$({clipped(written)}) is not evaluated: name files from the folder of the file, or by "
                             "$(find package)")  # fmt: skip
        raise ModelError(f"$({clipped(written)}) is not known: expected $(arg name), $(find package) or $(eval ...)")

    def _argument(self, name: str) -> str:
        self.asked.add(name)
        if name not in self.arguments:
            raise ModelError(f"the argument '{clipped(name)}' is not defined: give xacro_arguments="
                             f"{{'{clipped(name)}': ...}}")  # fmt: skip
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
                             "lp.load(..., package_paths=[...])")  # fmt: skip
        return folder

    def _absolute(self, name: str) -> str:
        folder = self._files[-1][1].folder
        return name if folder is None or posixpath.isabs(name) else str(folder / name)

    def _matching(self, name: str, optional: bool) -> list[str]:
        """The files that an include names, perhaps by a pattern in the last part of the path."""
        assets = self._files[-1][1]
        folder, _, last = name.rpartition("/")
        if _GLOB.search(last):
            found = [entry for entry in assets.texts_in(folder) if fnmatch.fnmatchcase(posixpath.basename(entry), last)]
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


_Handler = Callable[[Processor, XmlElement, XmlElement, Macros, Scope], None]
_ELEMENTS: dict[str, _Handler] = {
    "xacro:property": Processor._property,
    "xacro:macro": Processor._macro,
    "xacro:call": Processor._named_call,
    "xacro:insert_block": Processor._insert,
    "xacro:include": Processor._include,
    "xacro:arg": Processor._argument_element,
    "xacro:element": Processor._dynamic_element,
    "xacro:attribute": Processor._dynamic_attribute,
    "xacro:if": Processor._condition,
    "xacro:unless": Processor._condition,
}


def _tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The parts of a text between any of some characters."""
    parts, start = [], 0
    for place, sign in enumerate(text):
        if sign in sep:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part or not skip_empty]
