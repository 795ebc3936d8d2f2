"""Names of xacro and their values: properties, the parameters of macros, and the names of included files.

A property is evaluated when it is first asked for, in the scope where it was set, as xacro does. A scope asks the one
around it for what it does not have; that of a macro is around by its call, not by its definition.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable

from loadpath.errors import ModelError
from loadpath.files.xacro.functions import LONGEST_EXPRESSION, Names
from loadpath.printable import clipped

Evaluate = Callable[[str, "Scope"], object]
"""What a text comes to in a scope."""


class Scope:
    """The names of a file or of a macro that is being expanded."""

    def __init__(self, evaluate: Evaluate, around: Scope | None = None) -> None:
        self.evaluate, self.around = evaluate, around
        self._values: dict[str, object] = {}
        self._waiting: set[str] = set()
        """Names whose value is a text that is not evaluated yet."""
        self._asked: list[str] = []
        """Names that are being evaluated."""

    def look_up(self, name: str) -> object:
        """The value of a name; KeyError if it is not known."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope._values:
                return scope._resolved(name)
            scope = scope.around
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._values:
                return True
            scope = scope.around
        return False

    def set(self, name: str, value: object, lazily: bool = False) -> None:
        """Give a name a value; lazily: a text is evaluated when it is first asked for."""
        self._values[name] = literal(value) if isinstance(value, str) else value
        if lazily and isinstance(self._values[name], str):
            self._waiting.add(name)
        else:
            self._waiting.discard(name)

    def remove(self, name: str) -> None:
        """Take a name out of this scope and all around it."""
        scope: Scope | None = self
        while scope is not None:
            scope._values.pop(name, None)
            scope._waiting.discard(name)
            scope = scope.around

    def outermost(self) -> Scope:
        """The scope of the file that was loaded."""
        scope = self
        while scope.around is not None:
            scope = scope.around
        return scope

    def _resolved(self, name: str) -> object:
        value = self._values[name]
        if name in self._waiting:
            assert isinstance(value, str)
            if name in self._asked:
                chain = " -> ".join([*self._asked[self._asked.index(name) :], name])
                raise ModelError(f"properties are defined by one another: {clipped(chain)}")
            self._asked.append(name)
            try:
                evaluated = self.evaluate(value, self)
            finally:
                self._asked.remove(name)
            value = literal(evaluated) if isinstance(evaluated, str) else evaluated
            self._values[name] = value
            self._waiting.discard(name)
        return value


class Namespace(Scope, Names):
    """The names of a file that was included with `ns=`, asked for by a dot."""


def literal(text: str) -> object:
    """The number, truth value or text that a text says; quotes make it a text.

    >>> literal("2"), literal("2.5"), literal("true"), literal("'2'"), literal("1_000")
    (2, 2.5, True, '2', '1_000')
    """
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1]
    if "_" in text:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "True": True, "false": False, "False": False}.get(text, text)


def truth(value: object, written: str) -> bool:
    """Whether a condition holds."""
    if not isinstance(value, str):
        return bool(value)
    if value in ("true", "True", "false", "False"):
        return value in ("true", "True")
    try:
        return bool(int(value))
    except ValueError:
        raise ModelError(f"the condition '{clipped(written)}' comes to '{clipped(value)}': expected true or false"
                         ) from None


def check_name(name: str) -> str:
    """A name that expressions can use."""
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
        raise ModelError(f"the name of a property is '{clipped(name)}': expected letters, digits and underscores")
    return name


def parameters(written: str) -> dict[str, tuple[bool, str | None] | None]:
    """The parameters of a macro with their defaults: None, or whether it is forwarded (`^`) and the text.

    >>> parameters("name mass:=2 *origin size:=^|${a + b} prefix:=''")
    {'name': None, 'mass': (False, '2'), '*origin': None, 'size': (True, '${a + b}'), 'prefix': (False, "''")}
    """
    if len(written) > LONGEST_EXPRESSION:
        raise ModelError(f"params of a macro have more than {LONGEST_EXPRESSION:,} characters")
    found: dict[str, tuple[bool, str | None] | None] = {}
    at, end = 0, len(written)

    def spaces(place: int) -> int:
        while place < end and written[place].isspace():
            place += 1
        return place

    at = spaces(0)
    while at < end:
        start = at
        while at < end and not written[at].isspace() and written[at] not in ":=":
            at += 1
        name, sign = written[start:at], spaces(at)
        length = 2 if written.startswith(":=", sign) else 1 if written.startswith("=", sign) else 0
        if not name or (not length and at < end and not written[at].isspace()):
            raise ModelError(
                f"params of a macro are '{clipped(written)}': expected names, with name:=value for defaults"
            )
        if not length:
            found[name] = None
            at = sign
            continue
        at = spaces(sign + length)
        forwarded = written.startswith("^", at)
        at += (2 if written.startswith("^|", at) else 1) if forwarded else 0
        stop = _end_of_default(written, at)
        found[name] = (forwarded, written[at:stop] or None)
        at = spaces(stop)
    return found


def _end_of_default(written: str, at: int) -> int:
    """Where the default that begins here ends: an expression with spaces in it, or words and quoted texts."""
    end = len(written)
    for opening, closing in (("${", "}"), ("$(", ")")):
        if written.startswith(opening, at):
            stop = written.find(closing, at)
            while stop >= 0:
                if stop + 1 == end or written[stop + 1].isspace():
                    return stop + 1
                stop = written.find(closing, stop + 1)
    while at < end and not written[at].isspace():
        if written[at] in "'\"":
            closed = written.find(written[at], at + 1)
            if closed < 0:
                raise ModelError(f"params of a macro are '{clipped(written)}': a quote is not closed")
            at = closed
        at += 1
    return at
