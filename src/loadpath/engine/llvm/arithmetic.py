"""Operations on vectors, as LLVM instructions.

The only liberty taken ision: a product and a sum may become one fused instruction. Infinities, NaN
and signed zeros behave as in scalar code, and no lane sees another.
"""

from __future__ import annotations

from loadpath.engine.llvm.lanes import PLAIN, Lanes, external

INSTRUCTIONS = {
    "add": "{r} = fadd {v} {a}, {b}",
    "sub": "{r} = fsub {v} {a}, {b}",
    "mul": "{r} = fmul {v} {a}, {b}",
    "div": "{r} = fdiv {v} {a}, {b}",
    "inv": "{r} = fdiv {v} {one}, {a}",
    "neg": "{r} = fneg {v} {a}",
    "sq": "{r} = fmul {v} {a}, {a}",
    "twice": "{r} = fadd {v} {a}, {a}",
    "lt": "{r}.t = fcmp olt {v} {a}, {b}; {r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "le": "{r}.t = fcmp ole {v} {a}, {b}; {r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "eq": "{r}.t = fcmp oeq {v} {a}, {b}; {r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "ne": "{r}.t = fcmp une {v} {a}, {b}; {r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "not": "{r}.t = fcmp oeq {v} {a}, {zero}; {r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "and": "{r}.a = fcmp une {v} {a}, {zero}; {r}.b = fcmp une {v} {b}, {zero}; {r}.t = and {m} {r}.a, {r}.b; "
    "{r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "or": "{r}.a = fcmp une {v} {a}, {zero}; {r}.b = fcmp une {v} {b}, {zero}; {r}.t = or {m} {r}.a, {r}.b; "
    "{r} = select {m} {r}.t, {v} {one}, {v} {zero}",
    "if_else_zero": "{r}.t = fcmp une {v} {a}, {zero}; {r} = select {m} {r}.t, {v} {b}, {v} {zero}",
    # The sign of zero and of NaN is what it was. By its bit: a comparison by size would raise an exception for NaN.
    "sign": "{r}.z = fcmp ueq {v} {a}, {zero}; {r}.b = bitcast {v} {a} to {i}; {r}.s = and {i} {r}.b, {top}; "
    "{r}.o = bitcast {v} {one} to {i}; {r}.w = or {i} {r}.s, {r}.o; {r}.u = bitcast {i} {r}.w to {v}; "
    "{r} = select {m} {r}.z, {v} {a}, {v} {r}.u",
}
"""Operations in LLVM's words: {r} is the result, {a} and {b} are arguments, {v}, {i} and {m} types of numbers,
integers and truths.
"""

FUSED = {"fma": (False, False), "fms": (False, True), "fnma": (True, False)}
"""a b + c, a b - c and c - a b, rounded once: whether the first factor and the summand are negated."""

INTRINSICS = {
    "sqrt": ("sqrt", 1),
    "fabs": ("fabs", 1),
    "fmin": ("minnum", 2),
    "fmax": ("maxnum", 2),
    "copysign": ("copysign", 2),
}
"""Operations that LLVM has functions for: their names and numbers of arguments."""

LIBRARY = {
    **{name: (name, 1) for name in ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")},
    **{name: (name, 1) for name in ("exp", "log", "log1p", "expm1", "floor", "ceil", "erf")},
    **{name: (name, 2) for name in ("atan2", "pow", "hypot", "fmod", "remainder")},
    "constpow": ("pow", 2),
}
"""Operations left to the C library, lane by lane: names and numbers of arguments there."""


def operation(lanes: Lanes, result: str, name: str, arguments: tuple[str, ...]) -> list[str]:
    """The lines that compute `result` (a name with %) from arguments (names or constants)."""
    if name in INSTRUCTIONS:
        text = INSTRUCTIONS[name].format(
            r=result,
            a=arguments[0],
            b=arguments[-1],
            v=lanes.vector,
            m=lanes.booleans,
            zero="zeroinitializer",
            one=lanes.one,
            i=lanes.integers,
            top=lanes.integer(-(2 ** (8 * lanes.size - 1))),
        )
        return [f"  {line}" for line in text.split("; ")]
    if name in FUSED:
        return fused(lanes, result, arguments, FUSED[name])
    listed = ", ".join(f"{lanes.vector} {value}" for value in arguments)
    if name in INTRINSICS:
        function = f"llvm.{INTRINSICS[name][0]}.{lanes.intrinsic}"
    else:
        function = f"each_{LIBRARY[name][0]}_{lanes.code}"
    return [f"  {result} = call {lanes.vector} @{function}({listed})"]


def fused(
    lanes: Lanes, result: str, arguments: tuple[str, ...], negated: tuple[bool, bool] = (False, False)
) -> list[str]:
    """The lines of a product and a sum, rounded once; twice where the processor has no instruction for it."""
    a, b, c = arguments
    vector = lanes.vector
    if not lanes.fuses:
        product = f"  {result}.p = fmul {vector} {a}, {b}"
        if negated[0]:
            return [product, f"  {result} = fsub {vector} {c}, {result}.p"]
        return [product, f"  {result} = {'fsub' if negated[1] else 'fadd'} {vector} {result}.p, {c}"]
    lines = []
    if negated[0]:
        lines.append(f"  {result}.a = fneg {vector} {a}")
        a = f"{result}.a"
    if negated[1]:
        lines.append(f"  {result}.c = fneg {vector} {c}")
        c = f"{result}.c"
    function = f"@llvm.fma.{lanes.intrinsic}"
    return [*lines, f"  {result} = call {vector} {function}({vector} {a}, {vector} {b}, {vector} {c})"]


def helper_functions(lanes: Lanes, names: set[str]) -> str:
    """Declarations and definitions that the operations of these names rely on."""
    text = f"declare {lanes.vector} @llvm.fma.{lanes.intrinsic}({', '.join([lanes.vector] * 3)})\n"
    for name in sorted(names & INTRINSICS.keys()):
        intrinsic, arguments = INTRINSICS[name]
        kinds = ", ".join([lanes.vector] * arguments)
        text += f"declare {lanes.vector} @llvm.{intrinsic}.{lanes.intrinsic}({kinds})\n"
    for function, arguments in sorted({LIBRARY[name] for name in names & LIBRARY.keys()}):
        text += _lane_by_lane(lanes, function, "ab"[:arguments])
    return text


def _lane_by_lane(lanes: Lanes, function: str, letters: str) -> str:
    """A function of the C library, called once for each lane."""
    symbol = function + ("" if lanes.code == "f8" else "f")
    lines = [f"  %function = load ptr, ptr @at_{symbol}"]
    vector = "poison"
    for i in range(lanes.count):
        for x in letters:
            lines.append(f"  %{x}{i} = extractelement {lanes.vector} %{x}, i32 {i}")
        listed = ", ".join(f"{lanes.scalar} %{x}{i}" for x in letters)
        lines.append(f"  %r{i} = call {lanes.scalar} %function({listed})")
        lines.append(f"  %v{i} = insertelement {lanes.vector} {vector}, {lanes.scalar} %r{i}, i32 {i}")
        vector = f"%v{i}"
    body = "\n".join(lines)
    parameters = ", ".join(f"{lanes.vector} %{x}" for x in letters)
    return f"""
{external(symbol, lanes.scalar, *[lanes.scalar] * len(letters))}
define internal {lanes.vector} @each_{function}_{lanes.code}({parameters}) {PLAIN} noinline {{
{body}
  ret {lanes.vector} {vector}
}}
"""
