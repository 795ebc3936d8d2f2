"""The stages of a plan as WebAssembly functions of the scratch memory's address.

WebAssembly is a stack machine with locals. A result that the next operation takes stays on the stack; every other one
goes into a local, and locals are used again, which keeps the code small.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from loadpath.engine.llvm.arithmetic import LIBRARY
from loadpath.engine.llvm.sincos import COSINE, LIMIT, MANTISSA_BITS, SINE, half_pi_parts
from loadpath.engine.plan import Angles, Chunk, Plan
from loadpath.exports.webassembly.encoding import (
    F64,
    I32,
    SLOT,
    V128,
    Constants,
    Module,
    body,
    call,
    code,
    function_type,
    get,
    integer,
    lane,
    memory,
    put,
    tee,
)
from loadpath.progress import each

# Operations on two lanes, as WebAssembly instructions.
#
# Infinities, NaN and signed zeros behave as in the compiled methods, and no lane sees the other.


A, B = 1, 2
"""Locals that operations may use for themselves; 0 is the address of the scratch memory."""
FIRST_FREE = 3

SIGN_BIT = 1 << 63
COMMUTATIVE = {"add", "mul"}

_DIRECT = {
    "add": "f64x2.add", "sub": "f64x2.sub", "mul": "f64x2.mul", "div": "f64x2.div", "neg": "f64x2.neg",
    "sqrt": "f64x2.sqrt", "fabs": "f64x2.abs", "floor": "f64x2.floor", "ceil": "f64x2.ceil",
}
_COMPARED = {"lt": "f64x2.lt", "le": "f64x2.le", "eq": "f64x2.eq", "ne": "f64x2.ne"}

FROM_HOST = {name: function for name, function in LIBRARY.items() if name not in _DIRECT}
"""Operations that JavaScript has functions for: their names and numbers of arguments."""


class Operation(NamedTuple):
    """What comes before the arguments and what after them."""

    before: bytes
    after: bytes


def operation(name: str, constants: Constants, imported: Mapping[str, int]) -> Operation:
    """The instructions of an operation; `imported` has the numbers of the host's functions."""
    one, zero, sign = constants.push(1.0), constants.push(0.0), constants.push_bits(SIGN_BIT)
    if name in _DIRECT:
        return Operation(b"", code(_DIRECT[name]))
    if name in _COMPARED:
        return Operation(b"", code(_COMPARED[name]) + one + code("v128.and"))
    if name in FROM_HOST:
        function, arguments = FROM_HOST[name]
        return Operation(b"", _lane_by_lane(imported[function], arguments))
    if name == "inv":
        return Operation(one, code("f64x2.div"))
    parts = {
        "sq": tee(A) + get(A) + code("f64x2.mul"),
        "twice": tee(A) + get(A) + code("f64x2.add"),
        "not": zero + code("f64x2.eq") + one + code("v128.and"),
        "and": _both_true("v128.and", zero, one),
        "or": _both_true("v128.or", zero, one),
        "if_else_zero": put(B) + zero + code("f64x2.ne") + get(B) + code("v128.and"),
        # One with the sign of the argument where it is above or below zero; zero and NaN stay what they are.
        "sign": tee(A) + sign + code("v128.and") + one + code("v128.or") + get(A)
        + get(A) + code("f64x2.abs") + zero + code("f64x2.gt", "v128.bitselect"),
        "copysign": put(B) + sign + code("v128.andnot") + get(B) + sign + code("v128.and", "v128.or"),
        "fmin": _chosen("f64x2.lt"),
        "fmax": _chosen("f64x2.gt"),
    }
    return Operation(b"", parts[name])


def _both_true(joined: str, zero: bytes, one: bytes) -> bytes:
    truth = zero + code("f64x2.ne")
    return put(B) + truth + get(B) + truth + code(joined) + one + code("v128.and")


def _chosen(compared: str) -> bytes:
    """The second argument where it compares so with the first, or where the first is NaN."""
    mask = get(B) + get(A) + code(compared) + get(A) + get(A) + code("f64x2.ne", "v128.or")
    return put(B) + put(A) + get(B) + get(A) + mask + code("v128.bitselect")


def _lane_by_lane(function: int, arguments: int) -> bytes:
    used = (A, B)[:arguments]

    def one(number: int) -> bytes:
        return b"".join(get(local) + lane("f64x2.extract_lane", number) for local in used) + call(function)

    stored = b"".join(put(local) for local in reversed(used))
    return stored + one(0) + code("f64x2.splat") + one(1) + lane("f64x2.replace_lane", 1)


STAGE = function_type([I32])
_GET, _PUT, _TEE = get, put, tee


def stage_functions(
    module: Module, plan: Plan, constants: Constants, imported: Mapping[str, int], sincos: int | None
) -> list[int]:
    """The numbers of the stages' functions, in order."""
    numbers = []
    for stage in each(plan.stages):
        if isinstance(stage, Angles):
            assert sincos is not None
            text, local_count = _angles(stage, sincos), 0
        else:
            text, local_count = _Writer(plan, stage, constants, imported).written()
        numbers.append(module.function(STAGE, body([(FIRST_FREE - 1 + local_count, V128)], text)))
    return numbers


def _angles(stage: Angles, sincos: int) -> bytes:
    text = b""
    for angle, sine, cosine in stage.slots:
        text += _load(angle) + call(sincos) + put(B) + put(A)
        text += _store(sine, get(A)) + _store(cosine, get(B))
    return text


def _load(slot: int) -> bytes:
    return get(0) + memory("v128.load", SLOT * slot)


def _store(slot: int, value: bytes) -> bytes:
    return get(0) + value + memory("v128.store", SLOT * slot)


class _Writer:
    """Writes one chunk: first as instructions that name values, then with locals for them."""

    def __init__(self, plan: Plan, chunk: Chunk, constants: Constants, imported: Mapping[str, int]) -> None:
        self.plan, self.chunk, self.constants, self.imported = plan, chunk, constants, imported
        self.parts: list[bytes | tuple[str, int]] = []
        self.stack: list[tuple[int, int]] = []
        """What lies on the stack: values, and where in `parts` each was left there."""
        self.known: set[int] = set()
        used = [argument for value in chunk.values for argument in plan.tape.operations.get(value, ("", ()))[1]]
        self.uses = Counter([*used, *(value for value, _ in chunk.stores)])

    def written(self) -> tuple[bytes, int]:
        """The instructions, and how many locals they need."""
        stores: dict[int, list[int]] = {}
        for value, slot in self.chunk.stores:
            stores.setdefault(value, []).append(slot)
        for value in self.chunk.values:
            if value in self.plan.tape.operations:
                self.compute(value)
            self.keep(value, stores.pop(value, []))
        for value, slots in stores.items():
            self.keep(value, slots)
        for value, _ in list(self.stack):
            self.off_stack(value)
        return self.with_locals()

    def compute(self, value: int) -> None:
        """The instructions of one operation; its result is left on the stack."""
        name, arguments = self.plan.tape.operations[value]
        before, after = operation(name, self.constants, self.imported)
        if before:
            self.parts.append(before)
            self.push_all(arguments)
        else:
            if name in COMMUTATIVE and not self.on_top(arguments):
                backwards = arguments[::-1]
                if self.on_top(backwards) or self.on_top(backwards[:1]):
                    arguments = backwards
            there = 0 if arguments[0] == arguments[-1] and len(arguments) == 2 else self.how_many_on_top(arguments)
            del self.stack[len(self.stack) - there :]
            self.push_all(arguments[there:])
        self.parts.append(after)
        self.leave(value)

    def leave(self, value: int) -> None:
        """A value that was just computed or loaded stays on the stack, and in a local if it is needed again."""
        self.known.add(value)
        self.stack.append((value, len(self.parts)))
        self.parts.append(("tee", value) if self.uses[value] > 1 else b"")

    def on_top(self, values: tuple[int, ...]) -> bool:
        return len(self.stack) >= len(values) and tuple(v for v, _ in self.stack[-len(values) :]) == values

    def how_many_on_top(self, values: tuple[int, ...]) -> int:
        """How many of an operation's arguments, from the first on, are on top of the stack in their order."""
        return next((count for count in range(len(values), 0, -1) if self.on_top(values[:count])), 0)

    def push_all(self, values: tuple[int, ...]) -> None:
        for value in values:
            self.push(value)

    def push(self, value: int) -> None:
        """The value once more onto the stack, for the operation that follows."""
        tape = self.plan.tape
        if value in tape.constants:
            self.parts.append(self.constants.push(tape.constants[value]))
            return
        if value not in self.known:
            self.known.add(value)
            self.parts.append(_load(self.plan.slot[value]))
            if self.uses[value] > 1:
                self.parts.append(("tee", value))
            return
        self.off_stack(value)
        self.parts.append(("get", value))

    def off_stack(self, value: int) -> None:
        """A value that waits on the stack goes into its local there: it is wanted elsewhere."""
        for k, (waiting, where) in enumerate(self.stack):
            if waiting == value:
                self.parts[where] = ("put", value)
                del self.stack[k]
                return

    def keep(self, value: int, slots: list[int]) -> None:
        for slot in slots:
            self.parts.append(get(0))
            self.push(value)
            self.parts.append(memory("v128.store", SLOT * slot))

    def with_locals(self) -> tuple[bytes, int]:
        """The instructions with a local for each named value from its first to its last mention."""
        last = {part[1]: k for k, part in enumerate(self.parts) if isinstance(part, tuple)}
        local: dict[int, int] = {}
        free: list[int] = []
        count = 0
        text = bytearray()
        for k, part in enumerate(self.parts):
            if isinstance(part, bytes):
                text += part
                continue
            kind, value = part
            if value not in local:
                if not free:
                    free.append(FIRST_FREE + count)
                    count += 1
                local[value] = free.pop()
            text += {"get": _GET, "put": _PUT, "tee": _TEE}[kind](local[value])
            if last[value] == k:
                free.append(local[value])
        return bytes(text), count


# Sine and cosine of two angles at once, as one WebAssembly function: the same method as the compiled methods have.
#
# Calls of JavaScript's `Math.sin` and `Math.cos` for each lane would take twice as long in V8 (67 instead of 33 of a
# Panda's 160 ns a state). Angles beyond `LIMIT`, infinities and NaN are left to them.


_X, _FAR, _QUADRANT, _K, _R, _Z, _S, _C, _ODD = range(9)
_LAST = _ODD


def sincos(module: Module, constants: Constants, sine: int, cosine: int) -> int:
    """The number of the function from a vector of angles to those of sines and cosines; `sine` and `cosine` are the
    host's functions.
    """
    number, bits = constants.push, constants.push_bits
    magic = number(1.5 * 2.0 ** (MANTISSA_BITS["f8"] - 1))  # added, it rounds, and leaves an integer in the low bits
    text = get(_X) + code("f64x2.abs") + number(LIMIT["f8"]) + code("f64x2.le", "v128.not") + put(_FAR)
    text += get(_X) + get(_FAR) + code("v128.andnot") + tee(_R) + number(2 / math.pi) + code("f64x2.mul")
    text += magic + code("f64x2.add") + tee(_QUADRANT) + magic + code("f64x2.sub") + put(_K)
    text += get(_R)
    for part in half_pi_parts("f8"):
        text += get(_K) + number(part) + code("f64x2.mul", "f64x2.sub")
    text += tee(_R) + get(_R) + code("f64x2.mul") + put(_Z)

    def polynomial(coefficients: tuple[float, ...]) -> bytes:
        result = number(coefficients[0])
        for coefficient in coefficients[1:]:
            result += get(_Z) + code("f64x2.mul") + number(coefficient) + code("f64x2.add")
        return result

    text += get(_R) + get(_R) + get(_Z) + code("f64x2.mul") + polynomial(SINE["f8"]) + code("f64x2.mul", "f64x2.add")
    text += put(_S)
    text += polynomial(COSINE["f8"]) + get(_Z) + code("f64x2.mul") + number(1.0) + code("f64x2.add") + put(_C)
    text += get(_QUADRANT) + integer(63) + code("i64x2.shl") + integer(63) + code("i64x2.shr_s") + put(_ODD)

    def turned(odd: int, even: int, quadrant: bytes) -> bytes:
        """Odd quadrants exchange sine and cosine; bit 1 of the quadrant turns the sign."""
        sign = quadrant + integer(62) + code("i64x2.shl") + bits(SIGN_BIT) + code("v128.and")
        return get(odd) + get(even) + get(_ODD) + code("v128.bitselect") + sign + code("v128.xor")

    following = get(_QUADRANT) + bits(1) + code("i64x2.add")
    text += turned(_C, _S, get(_QUADRANT)) + turned(_S, _C, following) + put(_C) + put(_S)
    text += get(_FAR) + code("v128.any_true", "if") + _far(_S, sine) + _far(_C, cosine) + code("end")
    text += get(_S) + get(_C)
    return module.function(function_type([V128], [V128, V128]), body([(_LAST, V128)], text))


def _far(result: int, function: int) -> bytes:
    """The lanes that are out of range, by a function of the host; the others are left as they are."""
    text = get(_X) + lane("f64x2.extract_lane", 0) + call(function) + code("f64x2.splat")
    text += get(_X) + lane("f64x2.extract_lane", 1) + call(function) + lane("f64x2.replace_lane", 1)
    return text + get(result) + get(_FAR) + code("v128.bitselect") + put(result)


HOST_TYPE = function_type([F64], [F64])
