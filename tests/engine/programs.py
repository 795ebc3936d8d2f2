"""Small programs for the engine's tests, and ufuncs of any vector width made from them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import casadi
import numpy as np

from loadpath.engine import better, jit
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.llvm.emit import emit, symbol
from loadpath.engine.llvm.lanes import Lanes
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import OPERATIONS, read_tape
from loadpath.engine.trace import trace
from loadpath.exports.casadi_function import functions
from loadpath.scalars.recording import Recording, applied

WIDTHS = (1, 2, 4, 8)
ONE = "neg inv sq twice sqrt fabs sign not sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log log1p"
TWO = "add sub mul div fmin fmax lt le eq ne logic_and logic_or if_else_zero atan2 pow hypot fmod remainder copysign"
UNARY = [*ONE.split(), "expm1", "floor", "ceil", "erf"]
BINARY = TWO.split()
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "neg": lambda a: -a,
    "inv": lambda a: 1 / a,
    "sq": lambda a: a * a,
    "twice": lambda a: a + a,
    "not": casadi.logic_not,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "pow": lambda a, b: a**b,
    "if_else_zero": lambda a, b: casadi.if_else(a, b, 0),
}


def apply(name: str, *arguments: Any) -> Any:
    """The CasADi operation of this name."""
    return (FUNCTIONS.get(name) or getattr(casadi, name))(*arguments)


def program(
    name: str,
    inputs: dict[str, tuple[int, ...]],
    outputs: dict[str, tuple[int, ...]],
    run: Callable[..., Sequence[Any]],
) -> Program:
    """A program from a function of flat CasADi columns."""
    ins = tuple(Operand(key, shape) for key, shape in inputs.items())
    outs = tuple(Operand(key, shape) for key, shape in outputs.items())
    columns = [casadi.SX.sym(o.name, o.size) for o in ins]
    function = casadi.Function(name, columns, [casadi.densify(casadi.SX(result)) for result in run(*columns)])
    made = trace(lambda *arrays: _run(function, arrays), name, ins, outs)
    _FUNCTIONS[id(made)] = made, function
    return made


_FUNCTIONS: dict[int, tuple[Program, casadi.Function]] = {}
"""Programs that were made of CasADi's functions, and those, which say what is right."""


@functools.cache
def _operations() -> dict[int, str]:
    """Names of operations by CasADi's codes."""
    codes = {name: getattr(casadi, "OP_" + name.upper(), None) for name in (*OPERATIONS, "assign", "lift", "erfinv")}
    return {code: name for name, code in codes.items() if code is not None}  # older versions lack some


def _run(function: casadi.Function, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """CasADi's instructions on recorded scalars."""
    given = [np.ravel(array) for array in arrays]
    recording = next((entry.recording for values in given for entry in values), Recording())
    results = [np.empty(function.numel_out(k), object) for k in range(function.n_out())]
    register: dict[int, Any] = {}
    for k in range(function.n_instructions()):
        code, source, target = function.instruction_id(k), function.instruction_input(k), function.instruction_output(k)
        if code == casadi.OP_OUTPUT:
            results[target[0]][target[1]] = register[source[0]]
        elif code == casadi.OP_INPUT:
            register[target[0]] = given[source[0]][source[1]]
        elif code == casadi.OP_CONST:
            register[target[0]] = function.instruction_constant(k)
        else:
            name, values = _operations()[code], [register[r] for r in source]
            register[target[0]] = values[0] if name in ("assign", "lift") else applied(recording, name, *values)
    return tuple(results)


def llvm_text(made: Program, dtype: str, width: int) -> list[str]:
    """LLVM assembly of its loop for a number type; `width` doubles, or twice as many floats, make a vector."""
    lanes = Lanes(dtype, width if dtype == "f8" else 2 * width)
    return emit(made.name, read_tape(made), made.inputs, made.outputs, lanes)


def ufunc(
    made: Program,
    width: int | None = None,
    change: Callable[[str], str] = str,
    compiler: Callable[[str], bytes] = jit.compile_object,
) -> np.ufunc:
    """The program compiled for a vector width, with the LLVM text changed first if so wished."""
    libraries = {}
    for dtype in ("f4", "f8"):
        texts = llvm_text(made, dtype, width or jit.host_width())
        codes = [compiler(change(text)) for text in texts]
        libraries[dtype] = jit.load_object(codes, symbol(made.name, dtype))
    loops = {dtype: library.address(symbol(made.name, dtype)) for dtype, library in libraries.items()}
    shapes = [o.shape for o in made.inputs], [o.shape for o in made.outputs]
    return make_ufunc(made.name, "A test.", loops, *shapes, owner=libraries)


def nothing_in_background() -> None:
    """What other tests left to be optimised is given up, and what is being optimised is waited for."""
    with better.better_lock:
        better._optimizer.waiting.clear()
    assert better.settle()


def reference(made: Program, *arrays: Any) -> list[np.ndarray]:
    """What CasADi itself computes, state by state, in double precision."""
    _, function = _FUNCTIONS.get(id(made), (None, None))
    if function is None:
        columns = [casadi.SX.sym(o.name, o.size) for o in made.inputs]
        values = iter(made.tape.run(casadi.vertsplit(casadi.vertcat(casadi.SX(0, 1), *columns)), functions()))
        flat_results = [casadi.vertcat(casadi.SX(0, 1), *(next(values) for _ in range(o.size))) for o in made.outputs]
        function = casadi.Function(made.name, columns, flat_results)
    operands = list(zip(arrays, made.inputs, strict=True))
    batch = np.broadcast_shapes(*(np.shape(a)[: np.ndim(a) - len(o.shape)] for a, o in operands))
    full = [np.broadcast_to(np.asarray(a, float), batch + o.shape).reshape(-1, o.size) for a, o in operands]
    results = [np.empty((*batch, *o.shape)) for o in made.outputs]
    flat = [r.reshape(-1, o.size) for r, o in zip(results, made.outputs, strict=True)]
    for row in range(int(np.prod(batch))):
        values = function.call([casadi.DM(f[row]) for f in full])
        for target, value in zip(flat, values, strict=True):
            target[row] = np.asarray(value.full()).ravel()
    return results


@functools.cache
def mixed() -> Program:
    """Operands of several shapes, angles of angles, outputs that are inputs, constants, sines, repeated."""

    def run(a: Any, b: Any, c: Any, s: Any) -> list[Any]:
        turned = casadi.sin(a[0] + 0.5 * s) * b[1]
        nested = casadi.cos(turned + casadi.sin(s)) + c[2]
        rows = [a[i % 5] * b[i % 12] + c[i % 3] * nested + turned for i in range(12)]
        return [
            casadi.vertcat(*rows),
            casadi.vertcat(casadi.sin(s), casadi.cos(a[0] + 0.5 * s), a[4], 2.5, nested, nested, rows[7]),
            rows[3] / (1 + casadi.fabs(nested)),
        ]

    shapes = {"a": (5,), "b": (3, 2, 2), "c": (3,), "s": ()}
    return program("mixed", shapes, {"x": (4, 3), "y": (7,), "z": ()}, run)


@functools.cache
def mixed_ufunc(width: int) -> np.ufunc:
    """`mixed` for a vector width."""
    return ufunc(mixed(), width)


@functools.cache
def random_program(seed: int, length: int, smooth: bool = False) -> Program:
    """A random graph of operations on three inputs, with four outputs anywhere in it."""
    random = np.random.default_rng(seed)
    unary = ["neg", "sq", "sin", "cos", "tanh", "atan", "fabs"] if smooth else UNARY
    binary = ["add", "sub", "mul", "fmin", "fmax"] if smooth else BINARY

    def run(a: Any, b: Any, c: Any) -> list[Any]:
        values = [*casadi.vertsplit(a), *casadi.vertsplit(b), c, casadi.SX(0.75), casadi.SX(-2)]
        for _ in range(length):
            one, two = (values[int(len(values) * (1 - random.random() ** 2))] for _ in range(2))
            if random.random() < 0.3:
                value = apply(str(random.choice(unary)), one)
            else:
                value = apply(str(random.choice(binary)), one, two)
            # Without this the numbers of a long program would run out of range.
            values.append(casadi.atan(value) if smooth and random.random() < 0.2 else value)
        chosen = [values[-1 - int(k)] for k in random.integers(0, len(values), 3)]
        if smooth:  # so that nothing is left out
            chosen[2] = casadi.sum1(casadi.vertcat(*values)) / length
        return [casadi.vertcat(values[-1], *chosen[:2]), chosen[2]]

    return program(f"random{seed}", {"a": (3,), "b": (2, 2), "c": ()}, {"x": (3,), "y": ()}, run)
