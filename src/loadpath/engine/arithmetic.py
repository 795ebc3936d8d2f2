"""CasADi's operations on vectors, as LLVM instructions.

The only liberty taken is contraction: a product and a sum may become one fused instruction. Infinities, NaN
and signed zeros behave as in scalar code, and no lane sees another.
"""

from __future__ import annotations

from loadpath.engine.lanes import Lanes

INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
INTRINSICS = {"sqrt": "sqrt", "fabs": "fabs", "fmin": "minnum", "fmax": "maxnum", "copysign": "copysign"}
LIBRARY = {
    name: name
    for name in (
        "tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log log1p expm1 pow hypot fmod "
        "remainder floor ceil erf"
    ).split()
} | {"constpow": "pow"}
"""Operations left to the C library, lane by lane."""

TWO_ARGUMENTS = {"atan2", "pow", "hypot", "fmod", "remainder"}


def operation(lanes: Lanes, result: str, name: str, arguments: tuple[str, ...]) -> list[str]:
    """The lines that compute `result` (a name with %) from arguments (names or constants)."""
    vector = lanes.vector
    one, zero = lanes.constant(1.0), lanes.constant(0.0)
    a = arguments[0]
    b = arguments[-1]

    def number(truth: str) -> str:
        return f"  {result} = select {lanes.booleans} {truth}, {vector} {one}, {vector} {zero}"

    def is_true(suffix: str, value: str) -> str:
        return f"  {result}.{suffix} = fcmp une {vector} {value}, {zero}"

    if name in INSTRUCTIONS:
        return [f"  {result} = {INSTRUCTIONS[name]} contract {vector} {a}, {b}"]
    if name == "sq":
        return [f"  {result} = fmul contract {vector} {a}, {a}"]
    if name == "twice":
        return [f"  {result} = fadd contract {vector} {a}, {a}"]
    if name == "neg":
        return [f"  {result} = fneg {vector} {a}"]
    if name == "inv":
        return [f"  {result} = fdiv {vector} {one}, {a}"]
    if name in INTRINSICS:
        listed = ", ".join(f"{vector} {value}" for value in arguments)
        return [f"  {result} = call {vector} @llvm.{INTRINSICS[name]}.{lanes.intrinsic}({listed})"]
    if name in LIBRARY:
        listed = ", ".join(f"{vector} {value}" for value in arguments)
        return [f"  {result} = call {vector} @each_{LIBRARY[name]}_{lanes.code}({listed})"]
    if name in COMPARISONS:
        return [f"  {result}.t = fcmp {COMPARISONS[name]} {vector} {a}, {b}", number(f"{result}.t")]
    if name == "not":
        return [f"  {result}.t = fcmp oeq {vector} {a}, {zero}", number(f"{result}.t")]
    if name in ("and", "or"):
        both = f"  {result}.t = {name} {lanes.booleans} {result}.a, {result}.b"
        return [is_true("a", a), is_true("b", b), both, number(f"{result}.t")]
    if name == "if_else_zero":
        return [
            is_true("t", a),
            f"  {result} = select {lanes.booleans} {result}.t, {vector} {b}, {vector} {zero}",
        ]
    if name == "sign":  # zero and NaN stay what they are
        return [
            f"  {result}.p = fcmp ogt {vector} {a}, {zero}",
            f"  {result}.n = fcmp olt {vector} {a}, {zero}",
            f"  {result}.u = select {lanes.booleans} {result}.p, {vector} {one}, {vector} {a}",
            f"  {result} = select {lanes.booleans} {result}.n, {vector} {lanes.constant(-1.0)}, {vector} {result}.u",
        ]
    raise AssertionError(name)  # `read_tape` lets nothing else through


def helper_functions(lanes: Lanes, names: set[str]) -> str:
    """Declarations and definitions that the operations of these names rely on."""
    text = ""
    for name in sorted(names & INTRINSICS.keys()):
        count = 2 if name in ("fmin", "fmax", "copysign") else 1
        kinds = ", ".join([lanes.vector] * count)
        text += f"declare {lanes.vector} @llvm.{INTRINSICS[name]}.{lanes.intrinsic}({kinds})\n"
    for function in sorted({LIBRARY[name] for name in names & LIBRARY.keys()}):
        text += _lane_by_lane(lanes, function)
    return text


def _lane_by_lane(lanes: Lanes, function: str) -> str:
    """A function of the C library, called once for each lane."""
    symbol = f"loadpath_{function}" + ("" if lanes.code == "f8" else "f")
    letters = "ab" if function in TWO_ARGUMENTS else "a"
    lines = []
    vector = "poison"
    for i in range(lanes.count):
        for letter in letters:
            lines.append(f"  %{letter}{i} = extractelement {lanes.vector} %{letter}, i32 {i}")
        listed = ", ".join(f"{lanes.scalar} %{letter}{i}" for letter in letters)
        lines.append(f"  %r{i} = call {lanes.scalar} @{symbol}({listed})")
        lines.append(f"  %v{i} = insertelement {lanes.vector} {vector}, {lanes.scalar} %r{i}, i32 {i}")
        vector = f"%v{i}"
    body = "\n".join(lines)
    parameters = ", ".join(f"{lanes.vector} %{letter}" for letter in letters)
    kinds = ", ".join([lanes.scalar] * len(letters))
    declaration = f"declare {lanes.scalar} @{symbol}({kinds})\n"
    return f"""
{declaration}define internal {lanes.vector} @each_{function}_{lanes.code}({parameters}) nounwind noinline {{
{body}
  ret {lanes.vector} {vector}
}}
"""
