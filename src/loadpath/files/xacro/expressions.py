"""Expressions of xacro: an interpreter of our own for a list of operations on plain data, and nothing else.

Python's own parser reads an expression; each node of its tree is then looked up in the list here. What is not in the
list is refused. There are no objects with attributes: `a.b` is the entry `b` of a dict or a name of a module, and
methods are called by name from the list in `functions`. Nothing here reaches the interpreter or the environment.
"""

from __future__ import annotations

import ast
import keyword
import operator
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.xacro.functions import (
    DEEPEST_EXPRESSION,
    LARGEST_BITS,
    LONGEST_EXPRESSION,
    METHODS,
    Function,
    Names,
    Steps,
    filled_in,
    refuse_large,
    refuse_long_integer,
    weighed,
)
from loadpath.printable import clipped

LookUp = Callable[[str], object]
"""What a name stands for; KeyError if nothing."""


def evaluate(expression: str, look_up: LookUp, steps: Steps) -> object:
    """The value of an expression, plain data.

    >>> evaluate("2 * length if name.startswith('a') else 0", {"length": 0.25, "name": "arm"}.__getitem__, Steps())
    0.5
    >>> evaluate("().__class__", {}.__getitem__, Steps())
    Traceback (most recent call last):
    loadpath.errors.ModelError: tuple has no '__class__' here, when evaluating expression '().__class__'
    >>> evaluate("9**9**9", {}.__getitem__, Steps())
    Traceback (most recent call last):
    loadpath.errors.ModelError: a whole number has more than 2,048 binary digits, which no robot needs, when ...
    """
    try:
        value = _Evaluation(look_up, steps).value(_parsed(expression.strip()))
        return weighed(value, steps)
    except ModelError as problem:
        words = str(problem)
    except RecursionError:
        words = "it is nested too deeply"
    except (ArithmeticError, LookupError, TypeError, ValueError, MemoryError) as problem:
        words = clipped(str(problem) or type(problem).__name__)
    marker = ", when evaluating expression '"
    raise ModelError(words if marker in words else f"{words}{marker}{clipped(expression.strip())}'") from None


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.expr:
    if len(expression) > LONGEST_EXPRESSION:
        raise ModelError(f"it has more than {LONGEST_EXPRESSION:,} characters")
    try:
        tree = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as problem:
        raise ModelError(f"it cannot be read: {clipped(getattr(problem, 'msg', None) or str(problem))}") from None
    level: list[ast.AST] = [tree]
    for _ in range(DEEPEST_EXPRESSION):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise ModelError(f"it has more than {DEEPEST_EXPRESSION} operations inside one another")
    return tree


_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_, ast.Invert: operator.invert,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}


class _Evaluation:
    """One expression, with the variables of its comprehensions."""

    def __init__(self, look_up: LookUp, steps: Steps) -> None:
        self.look_up, self.steps = look_up, steps
        self.variables: dict[str, object] = {}

    def value(self, node: ast.AST) -> Any:
        """What a node stands for: plain data, a function or a module."""
        self.steps.take()
        of_its_kind = _NODES.get(type(node))
        if of_its_kind is None:
            raise ModelError(f"'{type(node).__name__}' of Python is not evaluated here")
        return of_its_kind(self, node)

    def data(self, node: ast.AST) -> Any:
        """The plain data that a node stands for."""
        value = self.value(node)
        if isinstance(value, (Function, Names)):
            raise ModelError(f"'{clipped(ast.unparse(node))}' is a name for functions: expected a value")
        return value

    # Names and literals

    def name(self, node: ast.Name) -> Any:
        if node.id in self.variables:
            return self.variables[node.id]
        try:
            return self.look_up(node.id)
        except KeyError:
            raise ModelError(f"name '{node.id}' is not defined") from None

    def constant(self, node: ast.Constant) -> Any:
        return weighed(node.value, self.steps)

    def sequence(self, node: ast.List | ast.Tuple) -> Any:
        items = [self.data(item) for item in node.elts]
        return weighed(items if isinstance(node, ast.List) else tuple(items), self.steps)

    def mapping(self, node: ast.Dict) -> Any:
        if None in node.keys:
            raise ModelError("'**' of Python is not evaluated here")
        entries = {self.data(key): self.data(value) for key, value in zip(node.keys, node.values, strict=True) if key}
        return weighed(entries, self.steps)

    # Operations

    def binary(self, node: ast.BinOp) -> Any:
        a, b = self.data(node.left), self.data(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(a, str):
            return weighed(filled_in(a, b), self.steps)
        apply = _ARITHMETIC.get(type(node.op))
        if apply is None:
            raise ModelError(f"'{type(node.op).__name__}' of Python is not evaluated here")
        _refuse_growth(node.op, a, b)
        return weighed(apply(a, b), self.steps)

    def unary(self, node: ast.UnaryOp) -> Any:
        return weighed(_SIGNS[type(node.op)](self.data(node.operand)), self.steps)

    def both_or_either(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for part in node.values:
            value = self.data(part)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def comparison(self, node: ast.Compare) -> bool:
        left = weighed(self.data(node.left), self.steps)  # to compare takes as long as they are large
        for kind, part in zip(node.ops, node.comparators, strict=True):
            right = weighed(self.data(part), self.steps)
            if not _COMPARISONS[type(kind)](left, right):
                return False
            left = right
        return True

    def choice(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.data(node.test) else node.orelse)

    # Entries and calls

    def subscript(self, node: ast.Subscript) -> Any:
        value = self.data(node.value)
        if isinstance(node.slice, ast.Slice):
            ends = (node.slice.lower, node.slice.upper, node.slice.step)
            return weighed(value[slice(*(None if end is None else self.data(end) for end in ends))], self.steps)
        key = weighed(self.data(node.slice), self.steps)
        try:
            return value[key]
        except KeyError:
            raise ModelError(f"there is no entry {clipped(repr(key))}") from None

    def attribute(self, node: ast.Attribute) -> Any:
        """An entry of a dict, as xacro writes it, or a name of a module or of an included file."""
        value = self.value(node.value)
        try:
            if isinstance(value, Names):
                return value.look_up(node.attr)
            if isinstance(value, dict):
                return value[node.attr]
        except KeyError:
            raise ModelError(f"there is no '{node.attr}' in '{clipped(ast.unparse(node.value))}'") from None
        raise ModelError(f"{type(value).__name__.lower()} has no '{node.attr}' here")

    def call(self, node: ast.Call) -> Any:
        function = self._called(node.func)
        if any(isinstance(part, ast.Starred) for part in node.args) or any(word.arg is None for word in node.keywords):
            raise ModelError("'*' before an argument is not evaluated here")
        given = [self.value(part) for part in node.args]
        named = {word.arg: self.data(word.value) for word in node.keywords if word.arg is not None}
        if any(isinstance(part, Names) for part in given):
            raise ModelError(f"'{clipped(ast.unparse(node))}' is given a name for functions: expected values")
        for value in (*given, *named.values()):
            if not isinstance(value, Function):
                weighed(value, self.steps)
        return weighed(function(*given, **named), self.steps)

    def _called(self, node: ast.expr) -> Callable[..., object]:
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            method = METHODS.get(type(owner), {}).get(node.attr)
            if method is not None:
                weighed(owner, self.steps)
                return lambda *given, **named: method(owner, *given, **named)
        function = self.value(node)
        if not isinstance(function, Function):
            raise ModelError(f"'{clipped(ast.unparse(node))}' is no function")
        return function.call

    # Comprehensions

    def listed(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        return weighed([self.data(node.elt) for _ in self._rounds(node.generators)], self.steps)

    def mapped(self, node: ast.DictComp) -> Any:
        return weighed({self.data(node.key): self.data(node.value) for _ in self._rounds(node.generators)}, self.steps)

    def _rounds(self, loops: list[ast.comprehension]) -> Iterator[None]:
        """Once for each round, with the variables set; they end with the comprehension."""
        before = dict(self.variables)
        for count, _ in enumerate(self._nested(loops)):
            refuse_large(count)
            yield
        self.variables = before

    def _nested(self, loops: list[ast.comprehension]) -> Iterator[None]:
        if not loops:
            yield
            return
        for item in list(self.data(loops[0].iter)):
            self.steps.take()
            self._assign(loops[0].target, item)
            if all(self.data(test) for test in loops[0].ifs):
                yield from self._nested(loops[1:])

    def _assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.variables[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part, item in zip(target.elts, value, strict=True):
                self._assign(part, item)
        else:
            raise ModelError(f"'{clipped(ast.unparse(target))}' is no variable")


_NODES: dict[type[ast.AST], Callable[[_Evaluation, Any], Any]] = {
    ast.Name: _Evaluation.name,
    ast.Constant: _Evaluation.constant,
    ast.List: _Evaluation.sequence,
    ast.Tuple: _Evaluation.sequence,
    ast.Dict: _Evaluation.mapping,
    ast.BinOp: _Evaluation.binary,
    ast.UnaryOp: _Evaluation.unary,
    ast.BoolOp: _Evaluation.both_or_either,
    ast.Compare: _Evaluation.comparison,
    ast.IfExp: _Evaluation.choice,
    ast.Subscript: _Evaluation.subscript,
    ast.Attribute: _Evaluation.attribute,
    ast.Call: _Evaluation.call,
    ast.ListComp: _Evaluation.listed,
    ast.GeneratorExp: _Evaluation.listed,
    ast.DictComp: _Evaluation.mapped,
}
"""All that an expression may consist of."""


def _refuse_growth(kind: ast.operator, a: Any, b: Any) -> None:
    """Operations whose result may be far larger than what goes in, refused before they are done."""
    if isinstance(kind, ast.Mult):
        for many, times in ((a, b), (b, a)):
            if isinstance(many, (str, list, tuple)) and isinstance(times, int):
                refuse_large(len(many) * max(times, 0))
    elif isinstance(kind, ast.Pow) and isinstance(a, int) and isinstance(b, int):
        refuse_long_integer(a.bit_length() * b if abs(a) > 1 and b > 0 else 0)
    elif isinstance(kind, ast.LShift) and isinstance(a, int) and isinstance(b, int):
        refuse_long_integer(a.bit_length() + min(b, LARGEST_BITS + 1))


# Names of xacro and their values: properties, the parameters of macros, and the names of included files.
#
# A property is evaluated when it is first asked for, in the scope where it was set, as xacro does. A scope asks the one
# around it for what it does not have; that of a macro is around by its call, not by its definition.


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
