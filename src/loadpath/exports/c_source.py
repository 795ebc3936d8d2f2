"""A quantity as C99 source that needs nothing but <math.h>: for microcontrollers, plants and other languages.

The function is written from the tape that the compiled method is made from, operation by operation. It allocates
nothing and keeps nothing between calls. A long tape is cut into static functions, because a compiler's time grows
faster than the length of a function; what lives from one to the next is kept in an array on the stack.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import get_args

from loadpath.engine.plan import Scratch
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import Tape, read_tape
from loadpath.exports.c_comment import comment
from loadpath.exports.c_expressions import READ_TWICE, Expression, Precision, expression, literal, sign_function
from loadpath.exports.c_names import taken
from loadpath.exports.request import Request

LONGEST_FUNCTION = 1500
"""Operations in one C function; gcc -O2 takes about a third of a millisecond for each."""

_LONGEST_PART = 40
"""Letters of an expression that still goes into another instead of getting a name."""


def c_source(request: Request, function_name: str | None = None, scalar: Precision = "double") -> str:
    """The source of one function `void function_name(const double *q, ..., double *tau)`.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> source = c_source(request(lp.catalog.two_link(), "gravity_forces"), "hold")
    >>> print(source[source.index("void") :].splitlines()[0])
    void hold(const double *q, double *tau);
    """
    if scalar not in get_args(Precision):
        raise ValueError(f"scalar is {scalar!r}: expected 'double' or 'float'")
    name = _function_name(request, function_name)
    program = request.program()
    return written(program, name, scalar, comment(request, program))


def written(program: Program, function_name: str, scalar: Precision, heading: str = "") -> str:
    """Any program as C source below a heading."""
    return _Writer(program, function_name, scalar).source(heading)


def _function_name(request: Request, given: str | None) -> str:
    if given is None:
        parts = [request.robot.name, request.name, *([request.variant.link] if request.variant.link else [])]
        parts += [str(value) for _, value in request.variant.choices]
        name = re.sub(r"[\W_]+", "_", "_".join(parts), flags=re.ASCII).strip("_")
        return name if name[:1].isalpha() and not taken(name) else f"robot_{name}"
    if not isinstance(given, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", given, flags=re.ASCII):
        raise ValueError(f"function_name is {given!r}: expected letters, digits and underscores, a letter first")
    if taken(given):
        raise ValueError(f"function_name is {given!r}, which means something else in C or C++, or is reserved there: "
                         f"choose another, like 'robot_{given.strip('_').replace('__', '_')}'")  # fmt: skip
    return given


class _Writer:
    """Writes one program as C. Values of the tape are named `v` and their number, and kept across functions in `w`."""

    def __init__(self, program: Program, name: str, precision: Precision) -> None:
        self.name = name
        self.precision = precision
        self.inputs, self.outputs = program.inputs, program.outputs
        self.tape = read_tape(program)
        self.operations = _operations(self.tape)
        self.input_places, self.output_places = _places(program.inputs), _places(program.outputs)
        values = list(self.operations)
        self.chunks = [values[i : i + LONGEST_FUNCTION] for i in range(0, len(values), LONGEST_FUNCTION)]
        self.slot, self.slots = _slots(self.chunks, self.operations)
        self.uses = Counter(
            argument
            for operation, arguments in self.operations.values()
            for argument in arguments * (2 if operation in READ_TWICE else 1)
        )
        self.outputs_of: dict[int, list[str]] = {}
        for value, place in zip(self.tape.outputs, self.output_places, strict=True):
            self.outputs_of.setdefault(value, []).append(place)

    def source(self, heading: str) -> str:
        """The file."""
        bodies = [self.body(chunk) for chunk in self.chunks]
        parts: list[str] = []
        if len(bodies) > 1:
            lines = [f"    {self.precision} w[{self.slots}];", ""] if self.slots else []
            for k, body in enumerate(bodies):
                call, definition = self.part(f"{self.name}_part{k + 1}", body)
                lines.append(call)
                parts.append(definition)
        else:
            lines = [line for body in bodies for line in body]
        lines += self.untouched()
        text = "\n".join(lines)
        ignored = [f"    (void){o.name};" for o in (*self.inputs, *self.outputs) if not _mentions(text, o.name)]
        head = f"void {self.name}({', '.join(self.parameters((*self.inputs, *self.outputs)))})"
        if any(operation == "sign" for operation, _ in self.operations.values()):
            parts.insert(0, sign_function(self.precision, self.name))
        body_text = "\n".join([*ignored, *lines])
        pieces = [heading, "#include <math.h>\n", f"{head};\n", *parts, f"{head}\n{{\n{body_text}\n}}\n"]
        return "\n".join(pieces)

    def parameters(self, operands: tuple[Operand, ...]) -> list[str]:
        """Declarations of the arrays."""
        return [f"{'const ' if o in self.inputs else ''}{self.precision} *{o.name}" for o in operands]

    def part(self, function: str, body: list[str]) -> tuple[str, str]:
        """A piece of the program as a static function with the arrays that it touches: its call and its definition."""
        text = "\n".join(body)
        operands = tuple(o for o in (*self.inputs, *self.outputs) if _mentions(text, o.name))
        parameters, arguments = self.parameters(operands), [o.name for o in operands]
        if _mentions(text, "w"):
            parameters.append(f"{self.precision} *w")
            arguments.append("w")
        definition = f"static void {function}({', '.join(parameters)})\n{{\n{text}\n}}\n"
        return f"    {function}({', '.join(arguments)});", definition

    def body(self, chunk: list[int]) -> list[str]:
        """The lines of a chunk: what it takes over, what it computes, what it hands on."""
        # A slot may be given out again where its value is used last, so all are read before any is written.
        used = {argument for value in chunk for argument in self.operations[value][1]}
        taken = sorted(value for value in used.difference(chunk) if value in self.slot)
        lines = [f"    const {self.precision} v{value} = w[{self.slot[value]}];" for value in taken]
        known = {value: Expression(f"v{value}") for value in taken}
        stores = {v: self.outputs_of.get(v, []) + ([f"w[{self.slot[v]}]"] if v in self.slot else []) for v in chunk}
        for value in chunk:
            operation, arguments = self.operations[value]
            read = [known.get(argument) or self.given(argument) for argument in arguments]
            written = expression(operation, read, self.precision, self.name)
            handed_on = not self.uses[value] and len(stores[value]) == 1
            part_of_another = self.uses[value] == 1 and not stores[value] and len(written.text) <= _LONGEST_PART
            if not (handed_on or part_of_another):
                lines.append(f"    const {self.precision} v{value} = {written.text};")
                written = Expression(f"v{value}")
            known[value] = written
        return lines + [f"    {place} = {known[value].text};" for value in chunk for place in stores[value]]

    def untouched(self) -> list[str]:
        """Lines for results that are constants or arguments as they came."""
        return [
            f"    {place} = {self.given(value).text};"
            for value, place in zip(self.tape.outputs, self.output_places, strict=True)
            if value not in self.operations
        ]

    def given(self, value: int) -> Expression:
        """A constant or an entry of an argument."""
        if value in self.tape.constants:
            return literal(self.tape.constants[value], self.precision)
        return Expression(self.input_places[value])


def _operations(tape: Tape) -> dict[int, tuple[str, tuple[int, ...]]]:
    """The operations in order, sines and cosines among them: C has no function that gives both."""
    sines = {
        value: (function, (angle,))
        for angle, pair in tape.angles.items()
        for function, value in zip(("sin", "cos"), pair, strict=True)
    }
    needed = set(tape.outputs).union(tape.angles, *(arguments for _, arguments in tape.operations.values()))
    return {value: done for value, done in sorted({**tape.operations, **sines}.items()) if value in needed}


def _slots(chunks: list[list[int]], operations: dict[int, tuple[str, tuple[int, ...]]]) -> tuple[dict[int, int], int]:
    """A slot for each value that a later chunk uses, and the number of slots; a slot is used again when it is free."""
    made = {value: k for k, chunk in enumerate(chunks) for value in chunk}
    last: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        last.update({a: k for value in chunk for a in operations[value][1] if made.get(a, k) < k})
    ending: dict[int, list[int]] = {}
    for value, k in last.items():
        ending.setdefault(k, []).append(value)
    slot: dict[int, int] = {}
    scratch = Scratch()
    for k, chunk in enumerate(chunks):
        scratch.give_back(sorted((slot[value] for value in ending.get(k, ())), reverse=True))
        slot.update((value, scratch.take()) for value in chunk if value in last)
    return slot, scratch.size


def _places(operands: tuple[Operand, ...]) -> list[str]:
    """Where the caller keeps the entries of arrays, in their order."""
    return [f"{operand.name}[{k}]" for operand in operands for k in range(operand.size)]


def _mentions(text: str, array: str) -> bool:
    return re.search(rf"\b{array}\b", text) is not None
