"""The instruction list of a traced program, each value with a number of its own.

CasADi hands out a list of instructions over reused work registers. `read_tape` renames the registers, so that
every value is assigned once, pairs the sine and the cosine of an angle, and drops what no output needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import casadi

from loadpath.engine.arithmetic import INSTRUCTIONS, INTRINSICS, LIBRARY
from loadpath.engine.program import Program

OPERATIONS: dict[int, str] = {
    getattr(casadi, "OP_" + name.upper()): name
    for name in (*INSTRUCTIONS, *INTRINSICS, *LIBRARY, "sin", "cos", "assign", "lift")
    if hasattr(casadi, "OP_" + name.upper())  # older versions lack some
}
"""CasADi's operation codes that there is machine code for."""


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
        elif code not in OPERATIONS:
            raise UnsupportedOperationError(
                f"program {program.name!r}: there is no machine code for {_name(code)} (instruction {k})"
            )
        else:
            name = OPERATIONS[code]
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
    return _without_unused(tape, tuple(outputs))


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


def _name(code: int) -> str:
    names = [name for name in dir(casadi) if name.startswith("OP_") and getattr(casadi, name) == code]
    return names[0] if names else f"operation {code}"
