"""Quantities as a WebAssembly module with the JavaScript that loads it: for pages that compute."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from loadpath._version import __version__
from loadpath.engine.plan import Plan, plan
from loadpath.engine.program import Operand, Program
from loadpath.engine.tape import read_tape
from loadpath.engine.trace import again, trace
from loadpath.exports.javascript import ModuleKind, sources
from loadpath.exports.request import ExternalLinks, Request, request
from loadpath.exports.webassembly.encoding import (
    DOUBLE,
    F64,
    I32,
    SLOT,
    Constants,
    Module,
    body,
    branch_if,
    call,
    code,
    function_type,
    get,
    integer,
    memory,
    put,
    tee,
)
from loadpath.exports.webassembly.stages import FROM_HOST, sincos, stage_functions
from loadpath.printable import printable
from loadpath.progress import each, part
from loadpath.robot.model import RobotModel
from loadpath.scalars import array
from loadpath.whole_file import check_ending, check_writable, write_whole

# A whole program as a WebAssembly module.
#
# It exports `memory` and `run(count, q, q_step, ..., tau, ...)`. For each argument `run` takes the address of its
# numbers and the bytes from one state to the next (0 for the same numbers in all states), for each result the address
# where the states go one after the other. All numbers are doubles in C order. A section `loadpath` describes this in
# JSON.


CHUNK_LENGTH = 400
"""Operations in one function: engines compile in time that grows faster than the length of a function."""

SECTION = "loadpath"
HOST = "math"
"""The name of the object of functions that the module imports."""


def encoded(program: Program, about: dict[str, object]) -> bytes:
    """The module; `about` goes into its description."""
    with part(0.35):
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
    with part(0.6):
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


@dataclass(frozen=True, eq=False, repr=False)
class WebAssemblyKernel:
    """A WebAssembly module of one or several quantities of a robot. In JavaScript:

        const f = await load(bytes);                              // or load(fetch("arm.wasm"))
        const { tau } = f.run({ q, qd, qdd }, 1000);              // Float64Array, 1000 states one after the other

    The arrays of a batch have the states one after the other, each in C order. An argument with the numbers of one
    state only is the same for all.
    """

    name: str
    robot: RobotModel
    """The robot that was traced: its names of joints and links are those of the results."""
    module: bytes
    """The module, as in a file `.wasm`."""
    inputs: tuple[Operand, ...]
    """Names and shapes of the arguments, of one state."""
    outputs: tuple[Operand, ...]
    """Names and shapes of the results, of one state."""

    @property
    def javascript(self) -> str:
        """The loader as an ES module: `import { load } from "./arm.js"`. It is the same for all kernels."""
        return loader("esm")

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the module to `path`, which ends in .wasm, and the loader beside it with the ending .js."""
        check_ending(path, (".wasm",), "a module")
        beside = Path(path).with_suffix(".js")
        check_writable(beside)
        written = write_whole(path, lambda file: file.write(self.module))
        write_whole(beside, lambda file: file.write(self.javascript.encode()))
        return written

    @property
    def packed(self) -> str:
        """The module as text to stand in a page: gzip in base64, for the loader's `unpack`."""
        return base64.b64encode(gzip.compress(self.module, 9, mtime=0)).decode()

    def html_snippet(self, variable: str = "robot") -> str:
        """A `<script>` that makes the kernel in any page, also one that is opened as a file: afterwards
        `const f = await robot` gives it.
        """
        if not isinstance(variable, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable, flags=re.ASCII):
            raise ValueError(f"variable is {variable!r}: expected letters, digits and underscores, a letter first")
        use = f'globalThis.{variable} = loadpath.unpack("{self.packed}").then(loadpath.load);\n'
        return f"<script>\n{loader('script')}{use}</script>\n"

    def __repr__(self) -> str:
        arguments, results = (", ".join(o.name for o in part) for part in (self.inputs, self.outputs))
        return (f"<WebAssembly of '{printable(self.robot.name)}': {self.name}({arguments}) -> {results}, "
                f"{len(self.module) / 1000:.1f} kB>")


def webassembly(request: Request) -> WebAssemblyKernel:
    """The module of one quantity.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> webassembly(request(lp.catalog.two_link(), "gravity_forces")).module[:4]
    b'\\x00asm'
    """
    return kernel_of(request.name, request.robot, request.program())


def kernel_of(name: str, robot: RobotModel, program: Program) -> WebAssemblyKernel:
    """The module of a program that was traced of a robot."""
    about: dict[str, object] = {
        "name": name,
        "robot": robot.name,
        "made_by": f"loadpath {__version__}",
        "joints": robot.joint_names,
        "links": robot.link_names,
        "speeds": robot.dof_names,
    }
    return WebAssemblyKernel(name, robot, encoded(program, about), program.inputs, program.outputs)


@cache
def loader(kind: ModuleKind) -> str:
    """The JavaScript that loads modules, as an ES module or as a script that defines the object `loadpath`."""
    text = (resources.files("loadpath.exports.webassembly") / "loader.js").read_text(encoding="utf-8")
    text += "\n" + sources(("pow", "fmod", "remainder", "erf"))
    if kind == "esm":
        return f"{text}\nexport {{ load, unpack }};\n"
    inside = text.replace("\n", "\n  ").rstrip()
    return f"globalThis.loadpath ??= (() => {{\n  {inside}\n  return {{ load, unpack }};\n}})();\n"


def together(requests: Sequence[Request]) -> Program:
    """Several quantities of a robot as one program. Arguments of the same name are one; a result whose name another
    one has already is called after its quantity too.

    >>> import loadpath as lp
    >>> from loadpath.exports.request import request
    >>> arm = lp.catalog.two_link()
    >>> made = together([request(arm, "inverse_dynamics"), request(arm, "gravity_forces")])
    >>> [operand.name for operand in made.inputs], [operand.name for operand in made.outputs]
    (['q', 'qd', 'qdd'], ['tau', 'gravity_forces_tau'])
    """
    inputs: dict[str, Operand] = {}
    outputs: dict[str, Operand] = {}
    programs = [asked.program() for asked in each(requests)]
    for asked, program in zip(requests, programs, strict=True):
        for operand in program.inputs:
            if inputs.setdefault(operand.name, operand) != operand:
                raise ValueError(f"{asked.name}: its argument '{operand.name}' has the shape {operand.shape}, that "
                                 f"of another quantity {inputs[operand.name].shape}")
        for operand in program.outputs:
            name = operand.name if operand.name not in outputs else f"{asked.name}_{operand.name}"
            outputs[name] = Operand(name, operand.shape)
    name = "_and_".join(asked.name for asked in requests)
    return _joined(name, programs, tuple(inputs.values()), tuple(outputs.values()))


def _joined(
    name: str, programs: Sequence[Program], inputs: tuple[Operand, ...], outputs: tuple[Operand, ...]
) -> Program:
    def equations(*arrays: Any) -> tuple[Any, ...]:
        given = {operand.name: np.ravel(values) for operand, values in zip(inputs, arrays, strict=True)}
        results: list[Any] = []
        for program in programs:
            entries = [entry for operand in program.inputs for entry in given[operand.name]]
            values = iter(again(program.tape, entries))
            results += [array([next(values) for _ in range(operand.size)]) for operand in program.outputs]
        return tuple(results)

    return trace(equations, name, inputs, outputs)


# What a page needs to answer "what if": everything that it draws, in one WebAssembly module.
#
# | argument | for | shape |
# |---|---|---|
# | `q`, `qd`, `qdd` | each state | (nq,), (n,), (n,) |
# | `external` | each state, if links are named | (links, 6): force, then torque |
# | `base_velocity`, `base_acceleration` | each state, if asked for | (6,) |
# | `payload_mass` (after the link's name) | all states | () |
# | `gravity` | all states | (3,) |
#
# A motion that runs `s` times as fast has the speeds `s qd` and the accelerations `s^2 qdd`, which the page makes
# itself.
#
# | result | quantity | shape |
# |---|---|---|
# | `tau` | `inverse_dynamics` | (n,) |
# | `force`, `torque` | `joint_wrenches` | (joints, 3), in the order of `kernel.robot.joint_names` |
# | `link_poses` | `link_poses` | (links, 4, 4), in the order of `kernel.robot.link_names` |
# | `values`, `friction`, `rotor` | `load_terms` | (terms, 6), (n,), (n,); terms: `index_of(kernel.robot).terms` |
# | `status` | of closed chains | (entries,), as in `algorithms.loops.status.Status` |
#
# A result whose name another one has already is called after its quantity too: `base_wrench_force`,
# `joint_wrenches_status`.
#
# Every array of a batch has the states one after the other, in C order. In the page, `loadpath.load(bytes)` makes a
# kernel (`kernel.packed` of Python is text for `loadpath.unpack`, which gives the bytes), and
# `kernel.run({q, qd, qdd, payload_mass, gravity}, count)` an object of Float64Arrays by these names.


LOADS = ("inverse_dynamics", "joint_wrenches", "link_poses")
"""Quantities that a page shows of every state; `load_terms` splits them by cause, in a module ten times as large."""


def page_kernel(
    robot: RobotModel,
    quantities: Sequence[str] = LOADS,
    *,
    parameters: Sequence[str] = ("payload.mass", "gravity"),
    external: ExternalLinks = (),
    arrays: Sequence[str] = (),
) -> WebAssemblyKernel:
    """Several quantities of a robot in one module, with constants of the robot as arguments. External wrenches and
    `arrays` go to the quantities that take them.

    >>> import loadpath as lp
    >>> page_kernel(lp.catalog.two_link().with_payload(0.0)).inputs[-1]
    Operand(name='gravity', shape=(3,))
    """
    asked = []
    for name in quantities:
        kind = request(robot, name).quantity
        given = [key for key in arrays if key in kind.optional]
        links = external if kind.takes_external else ()
        asked.append(request(robot, name, external=links, arrays=given, parameters=parameters))
    with part(0.4):
        program = together(asked)
    with part(0.6):
        return kernel_of("_and_".join(quantities), asked[0].robot, program)
