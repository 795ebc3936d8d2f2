"""Sine and cosine of many angles at once, as LLVM functions.

Cody and Waite's argument reduction by multiples of pi/2 (the constant cut into parts, so that the products
are exact) and one polynomial each for sine and cosine on [-pi/4, pi/4]; at most 2 units in the last place.
Angles beyond `LIMIT`, infinities and NaN are left to the C library, lane by lane.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from fractions import Fraction

from loadpath.engine.llvm.arithmetic import fused
from loadpath.engine.llvm.lanes import PLAIN, Lanes, external

HALF_PI = Fraction("1.57079632679489661923132169163975144209858469968755291048747229615390820314")

REDUCTION_BITS = {"f8": 20, "f4": 11}
"""Multiples of pi/2 up to 2 to this power are taken off; the parts of pi/2 have as many bits less."""

LIMIT = {code: math.floor(2**bits * math.pi / 2) for code, bits in REDUCTION_BITS.items()}
"""Angles up to here (radians) take the fast way."""

MANTISSA_BITS = {"f8": 53, "f4": 24}

# sin r = r + r^3 S(r^2), cos r = 1 + r^2 (-1/2 + r^2 C(r^2)); highest power first.
# f8: the minimax coefficients of FDLIBM (k_sin.c, k_cos.c); f4: those of Cephes (sinf.c).
SINE = {
    "f8": (
        1.58969099521155010221e-10,
        -2.50507602534068634195e-08,
        2.75573137070700676789e-06,
        -1.98412698298579493134e-04,
        8.33333333332248946124e-03,
        -1.66666666666666324348e-01,
    ),
    "f4": (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
}
COSINE = {
    "f8": (
        -1.13596475577881948265e-11,
        2.08757232129817482790e-09,
        -2.75573143513906633035e-07,
        2.48015872894767294178e-05,
        -1.38888888888741095749e-03,
        4.16666666666666019037e-02,
        -0.5,
    ),
    "f4": (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2, -0.5),
}


def half_pi_parts(code: str, *, fuses: bool = False) -> list[float]:
    """pi/2 as a sum of numbers: all but the last so short that a multiple of them is exact.

    Where products and sums are fused they need not be short: taken off an angle, a multiple of the first leaves a
    number of no more digits than there are, and what that of the second leaves is rounded once.

    >>> from fractions import Fraction
    >>> [abs(float(sum(map(Fraction, half_pi_parts("f8", fuses=fuses))) - HALF_PI)) < 1e-45 for fuses in (False, True)]
    [True, True]
    """
    parts = []
    rest = HALF_PI
    long, short = MANTISSA_BITS[code], MANTISSA_BITS[code] - REDUCTION_BITS[code]
    for bits in (long, long, long) if fuses else (short, short, short, long):
        unit = Fraction(2) ** (math.frexp(float(rest))[1] - bits)
        parts.append(float((rest // unit) * unit))
        rest -= Fraction(parts[-1])
    return parts


TOGETHER = 2
"""Angles worked on side by side: one alone would leave the processor waiting for its own results..."""
MEMBER = "#"
TOGETHER_INLINED = 8
"""... and so many at most where no call separates them from the rest."""


def together(lanes: Lanes, count: int) -> int:
    """How many of so many angles are worked on side by side.

    >>> [together(Lanes("f8", 8, inlined=True), count) for count in (1, 7, 9, 20)], together(Lanes("f8", 8), 7)
    ([2, 7, 5, 7], 2)
    """
    if not lanes.inlined:
        return TOGETHER
    return max(TOGETHER, -(-count // -(-count // TOGETHER_INLINED)))


def angle_table(slots: Sequence[tuple[int, int, int]], group: int) -> list[int]:
    """The argument `table` of `sincos_f8`: filled up to full groups with the last angle once more."""
    missing = -len(slots) % group
    return [slot for triple in (*slots, *[slots[-1]] * missing) for slot in triple]


def sincos_functions(lanes: Lanes, group: int) -> str:
    """LLVM text of `sincos_f8(scratch, table, groups)` (or `_f4`) and what it needs, for groups of so many angles.

    The table has three slot numbers for each angle: where the angle is, where its sine and its cosine go.
    """
    return _slow(lanes) + _fast(lanes, group)


def _fast(lanes: Lanes, group: int) -> str:
    code = lanes.code
    members = range(group)
    # Line by line through all angles of a group, so that their calculations are interleaved.
    body = "\n".join(line.replace(MEMBER, str(i)) for line in _one_angle(lanes) for i in members)
    places = "\n".join(f"  %a{i}.entry = getelementptr i32, ptr %entry, i64 {3 * i}" for i in members)
    far = "\n".join(f"  %far.{i + 1} = or {lanes.booleans} %far.{i}, %a{i}.far" for i in members)
    slow = "\n".join(
        f"  call void @sincos_slow_{code}(ptr %a{i}.x.at, ptr %a{i}.sin.at, ptr %a{i}.cos.at)" for i in members
    )
    return f"""
define internal void @sincos_{code}(ptr %scratch, ptr %table, i64 %groups) {lanes.vector_code} {{
begin:
  %far.0 = bitcast i{lanes.count} 0 to {lanes.booleans}
  br label %group
group:
  %i = phi i64 [0, %begin], [%i.next, %done]
  %first = mul i64 %i, {3 * group}
  %entry = getelementptr i32, ptr %table, i64 %first
{places}
{body}
{far}
  %mask = bitcast {lanes.booleans} %far.{group} to i{lanes.count}
  %any = icmp ne i{lanes.count} %mask, 0
  br i1 %any, label %slow, label %done
slow:
{slow}
  br label %done
done:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %groups
  br i1 %more, label %group, label %end
end:
  ret void
}}
"""


def _one_angle(lanes: Lanes) -> list[str]:
    """The calculation for one member of a group; names begin with its number, for which `MEMBER` stands."""
    code, vector, integers = lanes.code, lanes.vector, lanes.integers
    bits = 8 * lanes.size
    lines: list[str] = []

    def let(name: str, text: str) -> str:
        lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def fuse(name: str, a: str, b: str, c: str) -> str:
        lines.extend(fused(lanes, f"%{name}", (a, b, c)))
        return f"%{name}"

    number = lanes.constant
    for field, name in enumerate(("x", "sin", "cos")):
        let(f"{name}.field", f"getelementptr i32, ptr %entry, i64 {field}")
        let(f"{name}.slot", f"load i32, ptr %{name}.field")
        let(f"{name}.index", f"zext i32 %{name}.slot to i64")
        let(f"{name}.at", f"getelementptr {vector}, ptr %scratch, i64 %{name}.index")
    let("given", f"load {vector}, ptr %x.at")
    # Compared as integers: a comparison of numbers would raise a floating-point exception for NaN.
    let("pattern", f"bitcast {vector} %given to {integers}")
    let("magnitude", f"and {integers} %pattern, {lanes.integer(2 ** (bits - 1) - 1)}")
    let("far", f"icmp sgt {integers} %magnitude, {lanes.integer(_pattern(lanes, LIMIT[code]))}")
    let("x", f"select {lanes.booleans} %far, {vector} {number(0.0)}, {vector} %given")

    # Adding 1.5 * 2^52 rounds to an integer, and leaves this integer in the lowest bits.
    magic = number(1.5 * 2.0 ** (MANTISSA_BITS[code] - 1))
    fuse("shifted", "%x", number(2 / math.pi), magic)
    let("k", f"fsub {vector} %shifted, {magic}")
    let("quadrant", f"bitcast {vector} %shifted to {integers}")
    r = "%x"
    for i, part in enumerate(half_pi_parts(code, fuses=lanes.fuses)):
        r = fuse(f"r.{i}", "%k", number(-part), r)
    z = let("z", f"fmul {vector} {r}, {r}")

    def polynomial(name: str, coefficients: tuple[float, ...]) -> str:
        value = number(coefficients[0])
        for i, coefficient in enumerate(coefficients[1:]):
            value = fuse(f"{name}.s{i}", value, z, number(coefficient))
        return value

    s = polynomial("s", SINE[code])
    c = polynomial("c", COSINE[code])
    let("cube", f"fmul {vector} {r}, {z}")
    fuse("s", "%cube", s, r)
    fuse("c", z, c, number(1.0))

    # Odd quadrants exchange sine and cosine; bit 1 of the quadrant turns the sign.
    let("odd.bit", f"shl {integers} %quadrant, {lanes.integer(bits - 1)}")
    let("odd", f"icmp slt {integers} %odd.bit, zeroinitializer")
    let("next", f"add {integers} %quadrant, {lanes.integer(1)}")
    for name, first, second, turned in (("sin", "s", "c", "quadrant"), ("cos", "c", "s", "next")):
        let(f"{name}.plain", f"select {lanes.booleans} %odd, {vector} %{second}, {vector} %{first}")
        let(f"{name}.pattern", f"bitcast {vector} %{name}.plain to {integers}")
        let(f"{name}.bit", f"shl {integers} %{turned}, {lanes.integer(bits - 2)}")
        let(f"{name}.sign", f"and {integers} %{name}.bit, {lanes.integer(-(2 ** (bits - 1)))}")
        let(f"{name}.signed", f"xor {integers} %{name}.pattern, %{name}.sign")
        let(f"{name}", f"bitcast {integers} %{name}.signed to {vector}")
        lines.append(f"  store {vector} %{name}, ptr %{name}.at")
    return re.sub(r"%(?!scratch)([a-z])", rf"%a{MEMBER}.\1", "\n".join(lines)).split("\n")


def _slow(lanes: Lanes) -> str:
    """The lanes that are out of range, by the C library; the others are left as they are."""
    code, scalar, size = lanes.code, lanes.scalar, lanes.size
    suffix = "" if code == "f8" else "f"
    declarations = external(f"sin{suffix}", scalar, scalar) + external(f"cos{suffix}", scalar, scalar)
    return f"""
{declarations}
define internal void @sincos_slow_{code}(ptr %x, ptr %sin, ptr %cos) {PLAIN} noinline {{
begin:
  br label %lane
lane:
  %i = phi i64 [0, %begin], [%i.next, %done]
  %at = getelementptr {scalar}, ptr %x, i64 %i
  %value = load {scalar}, ptr %at
  %pattern = bitcast {scalar} %value to i{8 * size}
  %magnitude = and i{8 * size} %pattern, {2 ** (8 * size - 1) - 1}
  %far = icmp sgt i{8 * size} %magnitude, {_pattern(lanes, LIMIT[code])}
  br i1 %far, label %call, label %done
call:
  %sin.function = load ptr, ptr @at_sin{suffix}
  %cos.function = load ptr, ptr @at_cos{suffix}
  %s = call {scalar} %sin.function({scalar} %value)
  %c = call {scalar} %cos.function({scalar} %value)
  %sin.at = getelementptr {scalar}, ptr %sin, i64 %i
  %cos.at = getelementptr {scalar}, ptr %cos, i64 %i
  store {scalar} %s, ptr %sin.at
  store {scalar} %c, ptr %cos.at
  br label %done
done:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, {lanes.count}
  br i1 %more, label %lane, label %end
end:
  ret void
}}
"""


def _pattern(lanes: Lanes, number: float) -> int:
    """The number's bits, read as an integer."""
    pattern = int(lanes.literal(number), 16)
    if lanes.code == "f8":
        return pattern
    return int.from_bytes(struct.pack(">f", number))
