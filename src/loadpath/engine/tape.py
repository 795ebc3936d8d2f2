"""The instruction list of a traced program, each value with a number of its own.

CasADi hands out a list of instructions over reused work registers. `read_tape` renames the registers, so that
every value is assigned once, pairs the sine and the cosine of an angle, and drops what no output needs.
"""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from loadpath.engine.llvm.arithmetic import INSTRUCTIONS, INTRINSICS, LIBRARY
from loadpath.engine.program import Program

OPERATIONS = (*INSTRUCTIONS, *INTRINSICS, *LIBRARY, "sin", "cos", "assign", "lift")
"""CasADi's operations that there is machine code for."""


class UnsupportedOperationError(NotImplementedError):
    """A program contains an operation that the engine has no machine code for."""


@dataclass(frozen=True)
class Tape:
    """Values 0, 1, 2, ...: first every input scalar, then constants and results.

    A value is an input (less than `inputs`), a key of `constants` or `operations`, or one of a pair in
    `angles`. Arguments always have smaller numbers than results.
    """

    inputs: int
    constants: dict[int, float]
    operations: dict[int, tuple[str, tuple[int, ...]]]  # value -> its operation and the values it works on
    angles: dict[int, tuple[int, int]]  # value -> its sine, its cosine
    outputs: tuple[int, ...]  # the value of every output scalar


def read_tape(program: Program) -> Tape:
    """The program's instructions as a tape, without those that no output depends on."""
    import casadi

    operations = _operation_names()
    function = program.function
    first_input = [0, *accumulate(operand.size for operand in program.inputs)]
    first_output = [0, *accumulate(operand.size for operand in program.outputs)]
    tape = Tape(first_input[-1], {}, {}, {}, ())
    outputs = [-1] * first_output[-1]
    register: dict[int, int] = {}  # CasADi's work register -> the value in it now
    count = tape.inputs
    for k in range(function.n_instructions()):
        code = function.instruction_id(k)
        arguments = function.instruction_input(k)
        target = function.instruction_output(k)
        if code == casadi.OP_OUTPUT:
            operand, entry = target
            outputs[first_output[operand] + entry] = register[arguments[0]]
        elif code == casadi.OP_INPUT:
            operand, entry = arguments
            register[target[0]] = first_input[operand] + entry
        elif code == casadi.OP_CONST:
            tape.constants[count] = function.instruction_constant(k)
            register[target[0]] = count
            count += 1
        elif code not in operations:
            raise UnsupportedOperationError(
                f"program {program.name!r}: there is no machine code for {_name(code)} (instruction {k})"
            )
        else:
            name = operations[code]
            values = tuple(register[r] for r in arguments)
            if name in ("assign", "lift"):
                register[target[0]] = values[0]
            elif name in ("sin", "cos"):
                if values[0] not in tape.angles:
                    tape.angles[values[0]] = (count, count + 1)
                    count += 2
                register[target[0]] = tape.angles[values[0]][name == "cos"]
            else:
                tape.operations[count] = (name, values)
                register[target[0]] = count
                count += 1
    if -1 in outputs:
        raise ValueError(f"program {program.name!r}: every output must be a dense column")
    return _with_shared_reciprocals(_without_unused(tape, tuple(outputs)))


def _with_shared_reciprocals(tape: Tape) -> Tape:
    """Divide once by what is divided by more than once: a division takes as long as ten multiplications.

    CasADi makes x / y of x * (1 / y), so a factor that an equation inverts once comes as many divisions.
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


@functools.cache
def _operation_names() -> dict[int, str]:
    """The operations by CasADi's codes."""
    import casadi

    codes = {name: getattr(casadi, "OP_" + name.upper(), None) for name in OPERATIONS}
    return {code: name for name, code in codes.items() if code is not None}  # older versions lack some


def _name(code: int) -> str:
    import casadi

    names = [name for name in dir(casadi) if name.startswith("OP_") and getattr(casadi, name) == code]
    return names[0] if names else f"operation {code}"
