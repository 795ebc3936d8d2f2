"""CasADi's operations on two lanes, as WebAssembly instructions.

Infinities, NaN and signed zeros behave as in the compiled methods, and no lane sees the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loadpath.engine.llvm.arithmetic import LIBRARY
from loadpath.exports.webassembly.instructions import Constants, call, code, get, lane, put, tee

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
