"""Sine and cosine of two angles at once, as one WebAssembly function: the same method as the compiled methods have.

Calls of JavaScript's `Math.sin` and `Math.cos` for each lane would take twice as long in V8 (67 instead of 33 of a
Panda's 160 ns a state). Angles beyond `LIMIT`, infinities and NaN are left to them.
"""

from __future__ import annotations

import math

from loadpath.engine.llvm.sincos import COSINE, LIMIT, MANTISSA_BITS, SINE, half_pi_parts
from loadpath.exports.webassembly.arithmetic import SIGN_BIT
from loadpath.exports.webassembly.encoding import F64, V128, Module, body, function_type
from loadpath.exports.webassembly.instructions import Constants, call, code, get, integer, lane, put, tee

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
