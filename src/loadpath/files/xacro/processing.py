"""The elements of xacro: macros, properties, conditions and includes, expanded into plain XML.

The order and the scopes are those of xacro (its version 2.1): elements in the order of the file, the attributes of an
element first, the blocks of a call in the scope of the caller, the body of a macro in a scope inside that.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping

from loadpath.errors import ModelError, warn
from loadpath.files.assets import Assets
from loadpath.files.xacro.expressions import Namespace, Scope, check_name, parameters, truth
from loadpath.files.xacro.functions import DEEPEST_NESTING, LONGEST_MESSAGE, MOST_ELEMENTS
from loadpath.files.xacro.texts import Macro, Texts
from loadpath.files.xml_reading import TEXT_KEPT, XmlElement, read_xml
from loadpath.files.xml_writing import plain_xml
from loadpath.printable import clipped, printable

PREFIX = "xacro:"
_STEPS_OF_CALL = 20


class Macros:
    """The macros of a file, or of a macro that is being expanded, by name; those of `ns=` in a table of their own."""

    def __init__(self, around: Macros | None = None) -> None:
        self.around = around
        self.own: dict[str, Macro | Macros] = {}

    def look_up(self, name: str) -> Macro | Macros:
        table: Macros | None = self
        while table is not None:
            if name in table.own:
                return table.own[name]
            table = table.around
        raise KeyError(name)


class Processor(Texts):
    """The evaluation of the elements of one file."""

    # The document

    def expanded(self, root: XmlElement) -> XmlElement:
        """The root element with everything evaluated."""
        return self._evaluated(root, Macros(), Scope(self.text_value))

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
        macros.own[name] = Macro(name, element, self._files[-1][0], parameters(given["params"] or ""))

    def _named_call(self, target: XmlElement, element: XmlElement, macros: Macros, scope: Scope) -> None:
        if "macro" not in element.attributes:
            raise ModelError("<xacro:call> has no attribute 'macro'")
        self._call(target, element, self._text(element.attributes["macro"], scope), macros, scope, ("macro",))

    def _call(
        self, target: XmlElement, element: XmlElement, name: str, macros: Macros, scope: Scope,
        passed_over: tuple[str, ...] = (),
    ) -> None:
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
                                 f"{clipped(', '.join(macro.parameters)) or 'none'}")
            del left[attribute]
            inside.set(attribute, self.text_value(written, scope))
        caller = self._element(element.tag, element.line)
        self._fill(caller, element, macros, scope)
        blocks = iter(caller.children)
        for parameter in [parameter for parameter in left if parameter.startswith("*")]:
            block = next(blocks, None)
            if block is None:
                raise ModelError(f"macro '{clipped(macro.name)}' takes a block '{clipped(parameter.lstrip('*'))}', "
                                 "which is not given")
            del left[parameter]
            inside.set(parameter, block)
        spare = next(blocks, None)
        if spare is not None:
            raise ModelError(f"macro '{clipped(macro.name)}' is given a block <{clipped(spare.tag)}> that it does not "
                             "take")
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
                             "defined")
        return self.text_value(written, scope)

    def _resolved(self, name: str, macros: Macros, scope: Scope) -> tuple[Macros, Scope, Macro]:
        """A macro by its name, perhaps with those of namespaces before it."""
        with contextlib.suppress(KeyError):
            macro = macros.look_up(name)
            if isinstance(macro, Macro):
                return macros, scope, macro
        *spaces, last = name.split(".")[:DEEPEST_NESTING]
        try:
            for space in spaces:
                table, names = macros.look_up(space), scope.look_up(space)
                if not isinstance(table, Macros) or not isinstance(names, Namespace):
                    raise KeyError(space)
                macros, scope = table, names
            macro = macros.look_up(last)
            if isinstance(macro, Macro):
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
                             element.children, element.text)
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


# From a file of xacro to the XML that it makes.


XACRO_ENDING = ".xacro"


def ends_as_xacro(source: str) -> bool:
    """Whether the name of a file asks for xacro.

    >>> ends_as_xacro("arm.urdf.xacro"), ends_as_xacro("arm.xacro.gz"), ends_as_xacro("arm.urdf")
    (True, True, False)
    """
    return source.lower().endswith((XACRO_ENDING, XACRO_ENDING + ".gz"))


def has_xacro(root: XmlElement) -> bool:
    """Whether there are elements of xacro in a file.

    >>> has_xacro(read_xml("<robot name='r'><xacro:macro name='arm'/></robot>", "arm.urdf"))
    True
    """
    return any(element.tag.startswith(PREFIX) for element in root.everything())


def run_xacro(data: bytes, source: str, assets: Assets, arguments: Mapping[str, object]) -> bytes:
    """The XML that a file of xacro makes. `arguments` are what `<xacro:arg>` is to be.

    >>> run_xacro(b"<robot name='${2 * 3}'/>", "arm.xacro", Assets(), {}).decode()
    '<robot name="6"/>\\n'
    """
    root = read_xml(data, source)
    processor = Processor(source, assets, _texts(arguments))
    try:
        made = plain_xml(processor.expanded(root))
    except ModelError as problem:
        raise ModelError(f"{source}: xacro: {clipped(str(problem), LONGEST_MESSAGE)} {processor.place()}") from None
    except RecursionError:
        raise ModelError(f"{source}: xacro: it is nested too deeply {processor.place()}") from None
    _refuse_unknown(source, arguments, processor.asked)
    if processor.warnings:
        warn(f"{source}: xacro: {printable('; '.join(processor.warnings))}")
    return made.encode()


def _texts(arguments: Mapping[str, object]) -> dict[str, str]:
    """Arguments as xacro takes them."""
    for name, value in arguments.items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise ValueError(f"xacro_arguments has {name!r}: {value!r}; expected names with texts or numbers, like "
                             "{'prefix': 'left_'}")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def _refuse_unknown(source: str, arguments: Mapping[str, object], asked: set[str]) -> None:
    for name in arguments:
        if name not in asked:
            known = clipped(", ".join(f"'{other}'" for other in sorted(asked)), 400) or "none"
            raise ValueError(f"{source}: xacro_arguments has '{name}', which the file does not ask for; it asks for "
                             f"{known}")
