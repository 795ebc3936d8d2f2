"""A quantity as C99 source that needs nothing but <math.h>: for microcontrollers, plants and other languages.

The function is written from the tape that the compiled method is made from, operation by operation. It allocates
nothing and keeps nothing between calls. A long tape is cut into static functions, because a compiler's time grows
faster than the length of a function; what lives from one to the next is kept in an array on the stack.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.exports.names import check_name, comment, default_name, taken
from loadpath.exports.request import Request
from loadpath.exports.straight_line import ATOM, SIGNED, Expression, StraightLine

# How C writes numbers and functions, in double or single precision.


Precision = Literal["double", "float"]


@dataclass(frozen=True)
class C:
    """The language; `prefix` is that of the helper functions' names.

    >>> C().literal(0.1).text, C("float").literal(1 / 3).text, C().literal(-2.0).text
    ('0.1', '0.33333334f', '-2.0')
    """

    precision: Precision = "double"
    prefix: str = ""
    comparisons: dict[str, str] = field(default_factory=lambda: {"lt": "<", "le": "<=", "eq": "==", "ne": "!="})

    def literal(self, value: float) -> Expression:
        """A constant, with as many digits as it takes to be the same number again."""
        if not math.isfinite(value):
            text = "NAN" if math.isnan(value) else "HUGE_VAL" if value > 0 else "-HUGE_VAL"
            return Expression(f"({self.precision}){text}", SIGNED)
        if self.precision == "double":
            text = repr(float(value))
        else:
            digits = str(np.float32(value))
            text = (digits if any(c in digits for c in ".e") else f"{digits}.0") + "f"
        return Expression(text, SIGNED if text.startswith("-") else ATOM)

    def function(self, name: str) -> str:
        """The sign is a helper, all others are functions of <math.h> with the same names."""
        if name == "sign":
            return f"{self.prefix}_sign"
        return f"{name}f" if self.precision == "float" else name

    def sign_function(self) -> str:
        """The sign of a number, which C has no function for; zero and NaN stay what they are."""
        one, zero = self.literal(1.0).text, self.literal(0.0).text
        return (
            f"static {self.precision} {self.prefix}_sign({self.precision} x)\n{{\n"
            f"    return x > {zero} ? {one} : x < {zero} ? -{one} : x;\n}}\n"
        )


LONGEST_FUNCTION = 1500
"""Operations in one C function; gcc -O2 takes about a third of a millisecond for each."""


def c_source(request: Request, function_name: str | None = None, scalar: Precision = "double") -> str:
    """The source of one function `void function_name(const double *q, ..., double *tau)`.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> source = c_source(request(lp.catalog.two_link(), "gravity_forces"), "hold")
    >>> print(source[source.index("void") :].splitlines()[0])
    void hold(const double *q, double *tau);
    """
    if not isinstance(scalar, str) or scalar not in get_args(Precision):
        raise ValueError(f"scalar is {scalar!r}: expected 'double' or 'float'")
    name = _function_name(request, function_name)
    program = request.program()
    results = "Results, which must not overlap the arguments"
    heading = comment(request, program, results, "C99, link with the math library")
    return written(program, name, scalar, heading)


def written(program: Program, function_name: str, scalar: Precision, heading: str = "") -> str:
    """Any program as C source below a heading."""
    return _Writer(program, function_name, scalar).source(heading)


def _function_name(request: Request, given: str | None) -> str:
    if given is None:
        name = default_name(request)
        return name if name[:1].isalpha() and not taken(name) else f"robot_{name}"
    check_name(given)
    if taken(given):
        raise ValueError(f"function_name is {given!r}, which means something else in C or C++, or is reserved there: "
                         f"choose another, like 'robot_{given.strip('_').replace('__', '_')}'")
    return given


class _Writer:
    """Writes one program as C."""

    def __init__(self, program: Program, name: str, precision: Precision) -> None:
        self.name, self.precision = name, precision
        self.inputs, self.outputs = program.inputs, program.outputs
        self.language = C(precision, name)
        self.lines = StraightLine(
            read_tape(program),
            self.language,
            declared=f"const {precision}",
            input_places=_places(program.inputs),
            output_places=_places(program.outputs),
            longest=LONGEST_FUNCTION,
        )

    def source(self, heading: str) -> str:
        """The file."""
        bodies = self.lines.bodies()
        parts: list[str] = []
        if len(bodies) > 1:
            lines = [f"    {self.precision} w[{self.lines.slots}];", ""] if self.lines.slots else []
            for k, body in enumerate(bodies):
                call, definition = self.part(f"{self.name}_part{k + 1}", body)
                lines.append(call)
                parts.append(definition)
        else:
            lines = [line for body in bodies for line in body]
        lines += self.lines.untouched()
        text = "\n".join(lines)
        ignored = [f"    (void){o.name};" for o in (*self.inputs, *self.outputs) if not mentions(text, o.name)]
        head = f"void {self.name}({', '.join(self.parameters((*self.inputs, *self.outputs)))})"
        if "sign" in self.lines.used:
            parts.insert(0, self.language.sign_function())
        body_text = "\n".join([*ignored, *lines])
        pieces = [heading, "#include <math.h>\n", f"{head};\n", *parts, f"{head}\n{{\n{body_text}\n}}\n"]
        return "\n".join(pieces)

    def parameters(self, operands: tuple[Operand, ...]) -> list[str]:
        """Declarations of the arrays."""
        return [f"{'const ' if o in self.inputs else ''}{self.precision} *{o.name}" for o in operands]

    def part(self, function: str, body: list[str]) -> tuple[str, str]:
        """A piece of the program as a static function with the arrays that it touches: its call and its definition."""
        text = "\n".join(body)
        operands = tuple(o for o in (*self.inputs, *self.outputs) if mentions(text, o.name))
        parameters, arguments = self.parameters(operands), [o.name for o in operands]
        if mentions(text, "w"):
            parameters.append(f"{self.precision} *w")
            arguments.append("w")
        definition = f"static void {function}({', '.join(parameters)})\n{{\n{text}\n}}\n"
        return f"    {function}({', '.join(arguments)});", definition


def _places(operands: tuple[Operand, ...]) -> list[str]:
    """Where the caller keeps the entries of arrays, in their order."""
    return [f"{operand.name}[{k}]" for operand in operands for k in range(operand.size)]


def mentions(text: str, array: str) -> bool:
    """Whether a name stands in some lines."""
    return re.search(rf"\b{array}\b", text) is not None
