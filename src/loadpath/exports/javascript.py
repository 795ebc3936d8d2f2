"""A quantity as JavaScript that needs nothing else: a function over Float64Arrays, of one state or of many.

It is written from the tape that the compiled method is made from, operation by operation, as the C source is.
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, get_args

from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.exports.names import check_name, comment, default_name, names
from loadpath.exports.request import Request
from loadpath.exports.straight_line import ATOM, SIGNED, Expression, StraightLine

# The functions of the C library that JavaScript lacks, or has with other special cases.


@cache
def library() -> dict[str, str]:
    """Source by name of the function.

    >>> list(library())
    ['fmin', 'fmax', 'copysign', 'pow', 'fmod', 'remainder', 'erf']
    """
    text = (resources.files("loadpath.exports") / "library.js").read_text(encoding="utf-8")
    found = re.findall(r"(/\*\*[^\n]*\*/\nfunction (\w+)\(.*?\n}\n)", text, flags=re.DOTALL)
    return {name: source for source, name in found}


def sources(names: Collection[str] | None = None) -> str:
    """The source of some of them, or of all."""
    return "\n".join(source for name, source in library().items() if names is None or name in names)


ModuleKind = Literal["esm", "script"]
"""An ES module, which exports the function, or a script, which defines it for the page."""

LONGEST_FUNCTION = 1500
"""Operations in one function: engines give up optimising longer ones."""

_WORDS = names(
    "abstract arguments as async await boolean break byte case catch char class const continue debugger default delete "
    "do double else enum eval export extends false final finally float for from function get globalThis goto if "
    "implements import in instanceof int interface let long native new null of package private protected public return "
    "self set short static super switch synchronized this throw throws transient true try typeof undefined var "
    "volatile void while window with yield document Array Float64Array Infinity JSON Math NaN Number Object Promise "
    "RangeError String Symbol WebAssembly"
)
_OWN = frozenset(("count", "k", "w", "step", *library()))
"""Names that the source itself uses."""


@dataclass(frozen=True)
class JavaScript:
    """How JavaScript writes numbers and functions.

    >>> JavaScript().literal(-0.1).text, JavaScript().function("sin"), JavaScript().function("fmin")
    ('-0.1', 'Math.sin', 'fmin')
    """

    comparisons: dict[str, str] = field(default_factory=lambda: {"lt": "<", "le": "<=", "eq": "===", "ne": "!=="})

    def literal(self, value: float) -> Expression:
        """A constant, with as many digits as it takes to be the same number again."""
        if not math.isfinite(value):
            text = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        else:
            text = repr(float(value))
        return Expression(text, SIGNED if text.startswith("-") else ATOM)

    def function(self, name: str) -> str:
        """A function of `Math`, or of those that JavaScript lacks."""
        return name if name in library() else f"Math.{'abs' if name == 'fabs' else name}"


def javascript_source(request: Request, function_name: str | None = None, module: ModuleKind = "esm") -> str:
    """The source of one function `function_name(q, ..., tau, count = 1)`.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> source = javascript_source(request(lp.catalog.two_link(), "gravity_forces"), "hold")
    >>> "export { hold };" in source, "function hold(q, tau, count = 1) {" in source
    (True, True)
    """
    if not isinstance(module, str) or module not in get_args(ModuleKind):
        raise ValueError(f"module is {module!r}: expected 'esm' or 'script'")
    name = _function_name(request, function_name)
    program = request.program()
    made = "no dependencies, ES2015 or later"
    return written(program, name, module, comment(request, program, "Results, which are written into", made))


def written(program: Program, function_name: str, module: ModuleKind = "esm", heading: str = "") -> str:
    """Any program as JavaScript source below a heading."""
    return _Writer(program, function_name).source(heading, module)


def _function_name(request: Request, given: str | None) -> str:
    if given is None:
        name = default_name(request)
        return name if name[:1].isalpha() and not _taken(name) else f"robot_{name}"
    check_name(given)
    if _taken(given):
        raise ValueError(f"function_name is {given!r}, which means something else in JavaScript: choose another, like "
                         f"'robot_{given}'")
    return given


def _taken(name: str) -> bool:
    return name in _WORDS or name in _OWN or re.fullmatch(r"(v|part)\d+", name) is not None


class _Writer:
    """Writes one program as JavaScript. Array `q` has its state at `q_at`."""

    def __init__(self, program: Program, name: str) -> None:
        self.name = name
        self.inputs, self.outputs = program.inputs, program.outputs
        self.arrays = {o.name: _array_name(o.name, name) for o in (*program.inputs, *program.outputs)}
        self.lines = StraightLine(
            read_tape(program),
            JavaScript(),
            declared="const",
            input_places=self.places(program.inputs),
            output_places=self.places(program.outputs),
            longest=LONGEST_FUNCTION,
        )

    def places(self, operands: tuple[Operand, ...]) -> list[str]:
        """Where the entries of arrays are, in their order."""
        named = [(self.arrays[operand.name], operand.size) for operand in operands]
        return [f"{array}[{array}_at + {k}]" if k else f"{array}[{array}_at]" for array, n in named for k in range(n)]

    def source(self, heading: str, module: ModuleKind) -> str:
        """The file."""
        bodies = [*self.lines.bodies(), self.lines.untouched()]
        both = [f"{array}, {array}_at" for array in self.arrays.values()]
        parts = [
            f"function part{k}({', '.join(both)}) {{\n" + "\n".join(line[2:] for line in body) + "\n}\n"
            for k, body in enumerate(bodies)
            if body
        ]
        calls = [f"    part{k}({', '.join(self.arguments())});" for k, body in enumerate(bodies) if body]
        helpers = self.lines.used | ({"pow"} if "constpow" in self.lines.used else set())
        pieces = [
            *([f"const w = new Float64Array({self.lines.slots});\n"] if self.lines.slots else []),
            *([sources(helpers)] if helpers & library().keys() else []),
            _STEP,
            *parts,
            self.documentation() + self.loop(calls),
        ]
        text = "\n".join(pieces)
        if module == "esm":
            return f"{heading}\n{text}\nexport {{ {self.name} }};\n"
        inside = "\n".join(f"  {line}".rstrip() for line in text.splitlines())
        return f'{heading}\nconst {self.name} = (() => {{\n  "use strict";\n{inside}\n  return {self.name};\n}})();\n'

    def arguments(self) -> list[str]:
        """What a part is called with for state k."""
        given = [f"{self.arrays[o.name]}, k * {self.arrays[o.name]}_step" for o in self.inputs]
        return given + [f"{self.arrays[o.name]}, k * {o.size}" for o in self.outputs]

    def documentation(self) -> str:
        """JSDoc, which editors read."""
        lines = ["/**", " * All states of a batch, one after the other in every array."]
        for operand in (*self.inputs, *self.outputs):
            shape = "".join(f"[{size}]" for size in operand.shape) or "[1]"
            use = "count, or one for all states" if operand in self.inputs else "count, written"
            lines.append(f" * @param {{Float64Array}} {self.arrays[operand.name]} {shape} times {use}")
        return "\n".join([*lines, " * @param {number} [count] number of states", " */", ""])

    def loop(self, calls: list[str]) -> str:
        """The function itself."""
        arrays = [*self.arrays.values(), "count = 1"]
        steps = [
            f'  const {self.arrays[o.name]}_step = step("{o.name}", {self.arrays[o.name]}, {o.size}, count);'
            for o in self.inputs
        ]
        checks = [f'  step("{o.name}", {self.arrays[o.name]}, {o.size}, count, true);' for o in self.outputs]
        body = "\n".join([*steps, *checks, "  for (let k = 0; k < count; k++) {", *calls, "  }"])
        return f"function {self.name}({', '.join(arrays)}) {{\n{body}\n}}\n"


_STEP = """/** Numbers from one state to the next in an array of one state for all, or of as many as there are. */
function step(name, array, size, count, written = false) {
  if (array.length === size * count) return size;
  if (array.length === size && !written) return 0;
  throw new RangeError(`'${name}' has ${array.length} numbers: expected ${size} for each of ${count} states`);
}
"""


def _array_name(name: str, function: str) -> str:
    """The name of an array, changed where it means something else in the source."""
    is_taken = _taken(name) or name == function or name.endswith(("_at", "_step")) or keyword.iskeyword(name)
    return f"{name}_" if is_taken else name
