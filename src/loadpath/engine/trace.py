"""Running a formulation on scalars that record: out comes a program, with constants folded and repetition shared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from loadpath.engine.program import Operand, Program, Tape
from loadpath.engine.tape import OPERATIONS, read_tape
from loadpath.scalars import Array, OperationCount, array
from loadpath.scalars.recording import INPUT, NUMBER, Recorded, Recording, applied, needed_for, recording_among


def trace(
    formulation: Callable[..., Array | tuple[Array, ...]],
    name: str,
    inputs: Sequence[Operand],
    outputs: Sequence[Operand],
) -> Program:
    """The program of a formulation; each input comes to it as an object array of the operand's shape, or as a scalar.

    >>> square = trace(lambda x: array([x[0] * x[0], x[0] * 1.0]), "square", [Operand("x", (1,))], [Operand("y", (2,))])
    >>> print(count(square))
    1 multiplications, 0 additions
    """
    return Program(name, tape_of(name, *record(formulation, inputs, outputs)), tuple(inputs), tuple(outputs))


def record(
    formulation: Callable[..., Array | tuple[Array, ...]], inputs: Sequence[Operand], outputs: Sequence[Operand]
) -> tuple[list[Recorded], list[Any]]:
    """A formulation's inputs, and the entries of all of its results as they were recorded: plain numbers where they
    depend on nothing.
    """
    recording = Recording()
    symbols = [recording.inputs(operand.size) for operand in inputs]
    arrays = [array(entries).reshape(operand.shape) for entries, operand in zip(symbols, inputs, strict=True)]
    results = formulation(*(values[()] for values in arrays))  # an array stays one, a lone scalar comes out of its own
    if not isinstance(results, tuple):
        results = (results,)
    flat = [value for result, operand in zip(results, outputs, strict=True) for value in _entries(result, operand)]
    return [symbol for entries in symbols for symbol in entries], flat


def _entries(result: Any, operand: Operand) -> list[Any]:
    flat = [result] if operand.shape == () and not isinstance(result, np.ndarray) else list(np.ravel(result))
    if len(flat) != operand.size:
        raise ValueError(f"result '{operand.name}' has {len(flat)} entries, expected {operand.size}")
    return flat


def tape_of(name: str, inputs: Sequence[Recorded], outputs: Sequence[Any]) -> Tape:
    """The values that outputs are made of, numbered anew; sine and cosine of an angle are a pair."""
    number = {value.place: k for k, value in enumerate(inputs)}
    tape = Tape(len(inputs), {}, {}, {}, ())
    constants: dict[tuple[float, str], int] = {}
    count = len(inputs)
    for value in needed_for(outputs):
        if value.name == INPUT:
            if value.place not in number or value is not inputs[number[value.place]]:
                raise ValueError(f"program {name!r} depends on a value that is none of its inputs")
            continue
        arguments = tuple(number[argument.place] for argument in value.arguments)
        if value.name in ("sin", "cos"):
            if arguments[0] not in tape.angles:
                tape.angles[arguments[0]] = count, count + 1
                count += 2
            number[value.place] = tape.angles[arguments[0]][value.name == "cos"]
            continue
        number[value.place] = count
        if value.name == NUMBER:
            tape.constants[count] = value.value
            constants[value.value, repr(value.value)] = count
        else:
            tape.operations[count] = value.name, arguments
        count += 1
    places = []
    for value in outputs:
        if isinstance(value, Recorded):
            places.append(number[value.place])
            continue
        key = float(value), repr(float(value))
        if key not in constants:
            tape.constants[count], constants[key] = key[0], count
            count += 1
        places.append(constants[key])
    return Tape(tape.inputs, tape.constants, tape.operations, tape.angles, tuple(places))


def again(tape: Tape, entries: Sequence[Any]) -> list[Any]:
    """The outputs of a tape, recorded once more for other entries of its inputs."""
    recording = recording_among(entries)
    return tape.run(entries, {name: partial(applied, recording, name) for name in OPERATIONS})


_KINDS = {"mul": 0, "sq": 0, "add": 1, "sub": 1, "twice": 1, "div": 2, "inv": 2}
_FREE = ("neg",)


def count(program: Program) -> OperationCount:
    """The operations of a program per state; sign changes are free, a sine is one function.

    An angle and its constant are one addition, as in the sources. The compiled code makes a turn of it, by four
    products and two sums, which keeps the digits of large angles.
    """
    tape = read_tape(program, as_traced=True)
    counts = [0, 0, 0, 0]
    for name, _ in tape.operations.values():
        if name not in _FREE:
            counts[_KINDS.get(name, 3)] += 1
    multiplications, additions, divisions, functions = counts
    return OperationCount(multiplications, additions, divisions, functions + 2 * len(tape.angles))
