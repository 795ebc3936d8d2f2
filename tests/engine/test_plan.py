"""A plan keeps every value until its last use: run in plain Python, slot by slot, it gives CasADi's results."""

from __future__ import annotations

import math
from typing import Any

import casadi
import numpy as np
import pytest
from programs import mixed, program, random_program, reference

from loadpath.engine.plan import Angles, Plan, plan
from loadpath.engine.program import Program
from loadpath.engine.tape import read_tape

ARITHMETIC: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sq": lambda a: a * a,
    "twice": lambda a: a + a,
    "inv": lambda a: 1 / a,
    "fabs": abs,
    "fmin": min,
    "fmax": max,
    "tanh": math.tanh,
    "atan": math.atan,
}


def run(planned: Plan, inputs: list[float], scratch: list[float] | None = None) -> list[float]:
    """The outputs; the scratch memory is as it was left, or as long as the inputs at first."""
    tape = planned.tape
    scratch = [] if scratch is None else scratch
    scratch[: len(inputs)] = inputs
    scratch += [math.nan] * (planned.slots - len(scratch))
    for stage in planned.stages:
        if isinstance(stage, Angles):
            for angle, sine, cosine in stage.slots:
                scratch[sine], scratch[cosine] = math.sin(scratch[angle]), math.cos(scratch[angle])
            continue
        here = dict(tape.constants)
        stores: dict[int, list[int]] = {}
        for value, slot in stage.stores:
            stores.setdefault(value, []).append(slot)
        for value in [*stage.values, *(v for v in stores if v not in stage.values)]:
            if value in tape.operations and value in stage.values:
                name, arguments = tape.operations[value]
                for a in arguments:
                    here.setdefault(a, scratch[planned.slot.get(a, 0)])
                here[value] = ARITHMETIC[name](*(here[a] for a in arguments))
            elif value not in here:
                here[value] = scratch[planned.slot[value]]
            for slot in stores.get(value, ()):
                scratch[slot] = here[value]
    return scratch[tape.inputs : tape.inputs + len(tape.outputs)]


def check(made: Program, chunk_length: int) -> None:
    random = np.random.default_rng(2)
    arrays = [random.uniform(-1, 1, o.shape) for o in made.inputs]
    planned = plan(read_tape(made), chunk_length)
    result = run(planned, [float(x) for a in arrays for x in np.ravel(a)])
    expected = np.concatenate([np.ravel(r) for r in reference(made, *arrays)])
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("chunk_length", [1, 2, 3, 7, 20, 1000])
def test_mixed(chunk_length: int) -> None:
    check(mixed(), chunk_length)


@pytest.mark.parametrize("chunk_length", [1, 5, 40, 400])
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int, chunk_length: int) -> None:
    check(random_program(seed, 150, smooth=True), chunk_length)


def test_an_angle_that_is_constant_or_an_output() -> None:
    def equations(a: Any) -> list[Any]:
        angle = a + 1
        constant = casadi.SX(0.25)
        return [casadi.vertcat(angle, casadi.sin(angle), casadi.sin(casadi.cos(angle)), casadi.sin(constant), constant)]

    check(program("angles", {"a": ()}, {"x": (5,)}, equations), 10)


def test_slots_are_used_again() -> None:
    def chain(a: Any) -> list[Any]:
        x, y = a[0], a[1]
        for k in range(2000):
            x, y = y * 0.5 + k, x - y
        return [x]

    planned = plan(read_tape(program("chain", {"a": (2,)}, {"x": ()}, chain)), 50)
    assert planned.slots < 12


def test_what_no_output_needs_is_left_out() -> None:
    made = program("unused", {"a": (2,)}, {"x": ()}, lambda a: [a[1] * 2])
    assert len(read_tape(made).operations) == 1


@pytest.mark.parametrize("chunk_length", [1, 7, 40])
@pytest.mark.parametrize("seed", range(3))
def test_only_what_is_used_later_is_stored(seed: int, chunk_length: int) -> None:
    """Every store costs time: a value goes to memory only for an output or for a later stage."""
    tape = read_tape(random_program(seed, 150, smooth=True))
    planned = plan(tape, chunk_length)
    used: list[set[int]] = []
    for stage in planned.stages:
        operations = [] if isinstance(stage, Angles) else [tape.operations.get(v, ("", ()))[1] for v in stage.values]
        used.append(set(stage.values) if isinstance(stage, Angles) else {a for found in operations for a in found})
    outputs = range(tape.inputs, tape.inputs + len(tape.outputs))
    for s, stage in enumerate(planned.stages):
        for value, slot in [] if isinstance(stage, Angles) else stage.stores:
            assert slot in outputs or any(value in later for later in used[s + 1 :]), (value, slot)


def test_what_is_divided_by_twice_is_inverted_once() -> None:
    once = program("once", {"a": (3,)}, {"x": ()}, lambda a: [a[0] / a[2]])
    twice = program("twice", {"a": (3,)}, {"x": (2,)}, lambda a: [casadi.vertcat(a[0] / a[2], a[1] / a[2])])
    assert [name for name, _ in read_tape(once).operations.values()] == ["div"]
    assert [name for name, _ in read_tape(twice).operations.values()] == ["inv", "mul", "mul"]
    check(twice, 10)
