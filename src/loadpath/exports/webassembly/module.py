"""A whole program as a WebAssembly module.

It exports `memory` and `run(count, q, q_step, ..., tau, ...)`. For each argument `run` takes the address of its numbers
and the bytes from one state to the next (0 for the same numbers in all states), for each result the address where the
states go one after the other. All numbers are doubles in C order. A section `loadpath` describes this in JSON.
"""

from __future__ import annotations

import json
from itertools import accumulate

from loadpath.engine.plan import Plan, plan
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.exports.webassembly.arithmetic import FROM_HOST
from loadpath.exports.webassembly.encoding import F64, I32, Module, body, function_type
from loadpath.exports.webassembly.instructions import (
    DOUBLE,
    SLOT,
    Constants,
    branch_if,
    call,
    code,
    get,
    integer,
    memory,
    put,
    tee,
)
from loadpath.exports.webassembly.sincos import sincos
from loadpath.exports.webassembly.stages import stage_functions

CHUNK_LENGTH = 400
"""Operations in one function: engines compile in time that grows faster than the length of a function."""

SECTION = "loadpath"
HOST = "math"
"""The name of the object of functions that the module imports."""


def encoded(program: Program, about: dict[str, object]) -> bytes:
    """The module; `about` goes into its description."""
    planned = plan(read_tape(program), CHUNK_LENGTH)
    module = Module()
    used = {FROM_HOST[name] for name, _ in planned.tape.operations.values() if name in FROM_HOST}
    if planned.tape.angles:
        used |= {("sin", 1), ("cos", 1)}
    imported = {
        name: module.imported(HOST, name, function_type([F64] * arguments, [F64])) for name, arguments in sorted(used)
    }
    constants = Constants(SLOT * planned.slots)
    turned = sincos(module, constants, imported["sin"], imported["cos"]) if planned.tape.angles else None
    stages = stage_functions(module, planned, constants, imported, turned)
    module.export_function("run", _run(module, program, planned, stages))
    heap = constants.end
    description = {
        **about,
        "inputs": _described(program.inputs),
        "outputs": _described(program.outputs),
        "heap": heap,
        "imports": sorted(imported),
    }
    module.custom(SECTION, json.dumps(description, separators=(",", ":")).encode())
    return module.encoded(heap, constants.at, constants.data)


def _described(operands: tuple[Operand, ...]) -> list[dict[str, object]]:
    return [{"name": operand.name, "shape": list(operand.shape)} for operand in operands]


_COPY = function_type([I32] * 4)


def _gather(module: Module) -> int:
    """`gather(first, second, slot, entries)`: numbers of two states side by side into slots."""
    first, second, slot, entries = range(4)
    text = code("block") + get(entries) + integer(1) + code("i32.lt_s") + branch_if(0) + code("loop")
    text += get(slot) + get(second) + get(first) + memory("v128.load64_splat", 0)
    text += memory("v128.load64_lane", 0, 1) + memory("v128.store", 0)
    text += _advance(first, second, slot, entries) + code("end", "end")
    return module.function(_COPY, body([], text))


def _scatter(module: Module) -> int:
    """`scatter(first, second, slot, entries)`: the way back."""
    first, second, slot, entries = range(4)
    text = code("block") + get(entries) + integer(1) + code("i32.lt_s") + branch_if(0) + code("loop")
    text += get(first) + get(slot) + memory("v128.load", 0) + memory("v128.store64_lane", 0, 0)
    text += get(second) + get(slot) + memory("v128.load", 0) + memory("v128.store64_lane", 0, 1)
    text += _advance(first, second, slot, entries) + code("end", "end")
    return module.function(_COPY, body([], text))


def _advance(first: int, second: int, slot: int, entries: int) -> bytes:
    text = b""
    for local, step in ((first, DOUBLE), (second, DOUBLE), (slot, SLOT)):
        text += get(local) + integer(step) + code("i32.add") + put(local)
    return text + get(entries) + integer(1) + code("i32.sub") + tee(entries) + branch_if(0)


def _run(module: Module, program: Program, planned: Plan, stages: list[int]) -> int:
    """The loop over pairs of states. Where the last one is alone, both lanes have it and write the same."""
    gather, scatter = _gather(module), _scatter(module)
    inputs, outputs = program.inputs, program.outputs
    first_input = list(accumulate((operand.size for operand in inputs), initial=0))
    first_output = list(accumulate((operand.size for operand in outputs), initial=planned.tape.inputs))
    count, parameters = 0, 1 + 2 * len(inputs) + len(outputs)
    state, other = parameters, parameters + 1

    def address(array: int, index: int, step: bytes) -> bytes:
        return get(array) + get(index) + step + code("i32.mul", "i32.add")

    text = code("block") + get(count) + integer(1) + code("i32.lt_s") + branch_if(0) + code("loop")
    last = get(count) + integer(1) + code("i32.sub")
    following = get(state) + integer(1) + code("i32.add")
    text += following + last + get(state) + last + code("i32.lt_s", "select") + put(other)
    for k, operand in enumerate(inputs):
        array, step = 1 + 2 * k, get(2 + 2 * k)
        text += address(array, state, step) + address(array, other, step)
        text += integer(SLOT * first_input[k]) + integer(operand.size) + call(gather)
    for stage in stages:
        text += integer(0) + call(stage)
    for k, operand in enumerate(outputs):
        array, step = 1 + 2 * len(inputs) + k, integer(DOUBLE * operand.size)
        text += address(array, state, step) + address(array, other, step)
        text += integer(SLOT * first_output[k]) + integer(operand.size) + call(scatter)
    text += get(state) + integer(2) + code("i32.add") + tee(state) + get(count) + code("i32.lt_s") + branch_if(0)
    text += code("end", "end")
    return module.function(function_type([I32] * parameters), body([(2, I32)], text))
