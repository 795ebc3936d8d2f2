"""Quantities as a WebAssembly module with the JavaScript that loads it: for pages that compute."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path

from loadpath._version import __version__
from loadpath.engine import tracing
from loadpath.engine.program import Operand, Program
from loadpath.exports.javascript.library import sources
from loadpath.exports.javascript.source import ModuleKind
from loadpath.exports.request import Request
from loadpath.exports.webassembly.module import encoded
from loadpath.printable import printable
from loadpath.robot.model import RobotModel
from loadpath.whole_file import check_ending, check_writable, write_whole


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
    programs = [request.program() for request in requests]
    for request, program in zip(requests, programs, strict=True):
        for operand in program.inputs:
            if inputs.setdefault(operand.name, operand) != operand:
                raise ValueError(f"{request.name}: its argument '{operand.name}' has the shape {operand.shape}, that "
                                 f"of another quantity {inputs[operand.name].shape}")
        for operand in program.outputs:
            name = operand.name if operand.name not in outputs else f"{request.name}_{operand.name}"
            outputs[name] = Operand(name, operand.shape)
    name = "_and_".join(request.name for request in requests)
    with tracing.lock:
        return _joined(name, programs, tuple(inputs.values()), tuple(outputs.values()))


def _joined(
    name: str, programs: Sequence[Program], inputs: tuple[Operand, ...], outputs: tuple[Operand, ...]
) -> Program:
    import casadi

    columns = {operand.name: casadi.SX.sym(operand.name, operand.size) for operand in inputs}
    results: list[casadi.SX] = []
    for program in programs:
        results += program.function.call([columns[operand.name] for operand in program.inputs])
    function = casadi.Function(name, list(columns.values()), casadi.cse(results))
    return Program(name, function, inputs, outputs)
