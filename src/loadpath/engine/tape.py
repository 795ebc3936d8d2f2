"""A program's tape as it is compiled: few divisions, sines and cosines of angles without their constants, and products
fused with sums.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection

from loadpath.engine.llvm.arithmetic import INSTRUCTIONS, INTRINSICS, LIBRARY
from loadpath.engine.program import Program, Tape

OPERATIONS = (*INSTRUCTIONS, *INTRINSICS, *LIBRARY, "sin", "cos")
"""Operations that there is machine code for."""


class UnsupportedOperationError(NotImplementedError):
    """A program contains an operation that the engine has no machine code for."""


def read_tape(program: Program, *, as_traced: bool = False) -> Tape:
    """The program's tape, ready to be compiled. A constant that is part of an angle is taken out of its sine and cosine
    (see `_with_constants_out_of_angles`) unless asked otherwise.
    """
    unknown = next((name for name, _ in program.tape.operations.values() if name not in OPERATIONS), None)
    if unknown is not None:
        raise UnsupportedOperationError(f"program {program.name!r}: there is no machine code for {unknown}")
    tape = _with_shared_reciprocals(program.tape)
    return tape if as_traced else _with_constants_out_of_angles(tape)


def with_fused_products(tape: Tape, apart: Collection[int] = ()) -> Tape:
    """A product that only one sum uses is taken together with it, rounded once ("fma": a b + c; "fms": a b - c; "fnma":
    c - a b), but not one of the values `apart` with a sum that is none of them.

    This is left to no compiler, so that the numbers are the same however hard one tries.

    >>> tape = Tape(3, {}, {3: ("mul", (0, 1)), 4: ("sub", (2, 3))}, {}, (4,))
    >>> with_fused_products(tape).operations
    {4: ('fnma', (0, 1, 2))}
    """
    uses = Counter(argument for _, arguments in tape.operations.values() for argument in arguments)
    uses.update([*tape.outputs, *tape.angles])
    operations = dict(tape.operations)
    for value, (name, arguments) in tape.operations.items():
        if name not in ("add", "sub"):
            continue
        for place in (1, 0):
            product, other = arguments[place], arguments[1 - place]
            factor, factors = operations.get(product, ("", ()))
            if uses[product] == 1 and factor in ("mul", "sq") and (product not in apart or value in apart):
                fused = "fma" if name == "add" else ("fms", "fnma")[place]
                operations[value] = fused, (factors[0], factors[-1], other)
                del operations[product]
                break
    return Tape(tape.inputs, tape.constants, operations, tape.angles, tape.outputs)


def _with_shared_reciprocals(tape: Tape) -> Tape:
    """Divide once by what is divided by more than once: a division takes as long as ten multiplications.

    The recorder makes x / y of x * (1 / y), so a factor that an equation inverts once comes as many divisions.
    """
    divisors = Counter(arguments[1] for name, arguments in tape.operations.values() if name == "div")
    shared = {value for value, uses in divisors.items() if uses > 1}
    if not shared:
        return tape
    pair_of = {value: pair for pair in tape.angles.values() for value in pair}
    renamed = {value: value for value in range(tape.inputs)}
    operations: dict[int, tuple[str, tuple[int, ...]]] = {}
    reciprocal: dict[int, int] = {}
    count = tape.inputs
    for value in sorted([*tape.constants, *tape.operations, *pair_of]):
        name, arguments = tape.operations.get(value, ("", ()))
        arguments = tuple(renamed[argument] for argument in arguments)
        if name == "div" and tape.operations[value][1][1] in shared:
            numerator, divisor = arguments
            if divisor not in reciprocal:
                operations[count] = ("inv", (divisor,))
                reciprocal[divisor] = count
                count += 1
            name, arguments = "mul", (numerator, reciprocal[divisor])
        if name:
            operations[count] = (name, arguments)
        renamed[value] = count
        count += 1
    return Tape(
        tape.inputs,
        {renamed[value]: constant for value, constant in tape.constants.items()},
        operations,
        {renamed[angle]: (renamed[s], renamed[c]) for angle, (s, c) in tape.angles.items()},
        tuple(renamed[value] for value in tape.outputs),
    )


def _with_constants_out_of_angles(tape: Tape) -> Tape:
    """Sine and cosine of an angle and a constant by the addition theorem, from those of the angle alone.

    Added to an angle of 1e6 rad, a joint's zero would cost ten digits of both. This is four products and two sums.
    """
    apart = {angle: split for angle in tape.angles if (split := _split(tape, angle))[1] != 0.0}
    if not apart:
        return tape
    sine_of = {s: angle for angle, (s, _) in tape.angles.items()}
    cosine_of = {c: angle for angle, (_, c) in tape.angles.items()}
    renamed = {value: value for value in range(tape.inputs)}
    new = Tape(tape.inputs, {}, {}, {}, ())
    count = tape.inputs
    made: dict[int, tuple[int, int]] = {}  # angle of the old tape -> its sine and cosine on the new one

    def add(name: str, *arguments: int) -> int:
        nonlocal count
        new.operations[count] = (name, arguments)
        count += 1
        return count - 1

    def constant(number: float) -> int:
        nonlocal count
        new.constants[count] = number
        count += 1
        return count - 1

    def pair(angle: int) -> tuple[int, int]:
        nonlocal count
        if angle in made:
            return made[angle]
        alone, shift = apart.get(angle, (angle, 0.0))
        if renamed[alone] not in new.angles:
            new.angles[renamed[alone]] = (count, count + 1)
            count += 2
        s, c = new.angles[renamed[alone]]
        if shift:
            sz, cz = constant(math.sin(shift)), constant(math.cos(shift))
            s, c = add("add", add("mul", s, cz), add("mul", c, sz)), add("sub", add("mul", c, cz), add("mul", s, sz))
        made[angle] = s, c
        return s, c

    for value in sorted([*tape.constants, *tape.operations, *sine_of, *cosine_of]):
        if value in tape.constants:
            renamed[value] = constant(tape.constants[value])
        elif value in tape.operations:
            name, arguments = tape.operations[value]
            renamed[value] = add(name, *(renamed[argument] for argument in arguments))
        elif value in sine_of:
            renamed[value] = pair(sine_of[value])[0]
        else:
            renamed[value] = pair(cosine_of[value])[1]
    return _without_unused(new, tuple(renamed[value] for value in tape.outputs))


def _split(tape: Tape, value: int) -> tuple[int, float]:
    """A value as the sum of another one and a constant, which is 0 where there is none."""
    shift = 0.0
    while value in tape.operations:
        name, arguments = tape.operations[value]
        a, b = arguments[0], arguments[-1]
        if name == "add" and a in tape.constants and b not in tape.constants:
            value, shift = b, shift + tape.constants[a]
        elif name in ("add", "sub") and b in tape.constants and a not in tape.constants:
            value, shift = a, shift + (tape.constants[b] if name == "add" else -tape.constants[b])
        else:
            break
    return value, shift


def _without_unused(tape: Tape, outputs: tuple[int, ...]) -> Tape:
    needed = set(outputs)
    angle_of = {value: angle for angle, pair in tape.angles.items() for value in pair}
    for value in sorted([*tape.operations, *angle_of], reverse=True):
        if value in needed:
            needed.update(tape.operations[value][1] if value in tape.operations else (angle_of[value],))
    return Tape(
        tape.inputs,
        {v: c for v, c in tape.constants.items() if v in needed},
        {v: o for v, o in tape.operations.items() if v in needed},
        {a: pair for a, pair in tape.angles.items() if needed.intersection(pair)},
        outputs,
    )
