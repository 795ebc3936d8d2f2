"""What goes to other tools: CasADi functions, C source, JAX functions, symbolic equations; each against Pinocchio."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from differential.of_identification import small
from differential.register import Compared, check
from differential.robots import Case
from loadpath.engine.program import Operand
from references import javascript, webassembly

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@check("Robot.casadi_function", against="Pinocchio, rnea and crba", bound=1e-10, every=2)
def casadi_function(case: Case) -> Iterator[Compared]:
    q, qd, qdd = case.state
    found = case.robot.casadi_function("inverse_dynamics")(q, qd, qdd)
    yield Compared(np.array(found)[:, 0], case.peer.inverse_dynamics(q, qd, qdd), case.wrench_size)
    yield Compared(np.array(case.robot.casadi_function("mass_matrix")(q)), case.peer.mass_matrix(q))


@check("Robot.c_source", against="Pinocchio, rnea, and the C compiler of this machine", bound=1e-10, every=2)
def c_source(case: Case) -> Iterator[Compared]:
    if COMPILER is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder) / "f.c", Path(folder) / "f.so"
        code.write_text(case.robot.c_source("inverse_dynamics", function_name="tau_of"), encoding="utf-8")
        subprocess.run(
            [COMPILER, "-std=c99", "-O0", "-shared", "-fPIC", str(code), "-o", str(library), "-lm"], check=True
        )
        function = ctypes.CDLL(str(library)).tau_of
        arrays = [np.ascontiguousarray(part) for part in case.state]
        tau = np.full(case.robot.n, np.nan)
        function(*(ctypes.c_void_p(part.ctypes.data) for part in (*arrays, tau)))
    yield Compared(tau, case.peer.inverse_dynamics(*case.state), case.wrench_size)


@check("Robot.javascript_source", against="Pinocchio, rnea, and the engine QuickJS", bound=1e-10, every=2)
def javascript_source(case: Case) -> Iterator[Compared]:
    source = case.robot.javascript_source("inverse_dynamics", function_name="tau_of", module="script")
    (tau,) = javascript.Script(source).call("tau_of", [Operand("tau", (case.robot.n,))], *case.state)
    yield Compared(tau[0], case.peer.inverse_dynamics(*case.state), case.wrench_size)


@check("Robot.wasm", against="Pinocchio, rnea, and the engine Wasmtime", bound=1e-10, every=2)
def wasm(case: Case) -> Iterator[Compared]:
    robot, state = case.robot, case.state
    (tau,) = webassembly.run(robot.wasm("inverse_dynamics"), *(part[None] for part in state))
    yield Compared(tau[0], case.peer.inverse_dynamics(*state), case.wrench_size)


@check("Robot.jax", against="Pinocchio, rnea; in double precision", bound=1e-10, every=6)
def jax_function(case: Case) -> Iterator[Compared]:
    case = small(case.seed, case.number)
    jax = __import__("jax")
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        arrays = [jax.numpy.asarray(part) for part in case.state]
        found = np.asarray(case.robot.jax("inverse_dynamics")(*arrays))
    yield Compared(found, case.peer.inverse_dynamics(*case.state), case.wrench_size)


@check("Robot.equations", against="Pinocchio, crba, rnea and gravity at numbers put in", bound=1e-9, every=4)
def equations(case: Case) -> Iterator[Compared]:
    import sympy

    case = small(case.seed, case.number)
    robot, (q, qd, qdd) = case.robot, case.state
    if robot.n > 2:
        return
    found = robot.equations()
    symbols = [*found.q, *found.qd, *found.qdd]
    numbers = np.concatenate([q, qd, qdd])

    def value(matrix: sympy.Matrix) -> np.ndarray:
        return np.array(sympy.lambdify(symbols, matrix, "numpy")(*numbers), dtype=float)

    size = case.wrench_size
    yield Compared(value(found.mass_matrix), case.peer.mass_matrix(q))
    yield Compared(value(found.gravity)[:, 0], case.peer.gravity_forces(q), size)
    yield Compared(value(found.torques)[:, 0], case.peer.inverse_dynamics(q, qd, qdd), size)
    force, torque = case.peer.joint_wrenches(q, qd, qdd)
    yield Compared(value(found.joint_wrenches.force), force, size)
    yield Compared(value(found.joint_wrenches.torque), torque, size)
    poses = sympy.Matrix.vstack(*found.link_poses.values())
    yield Compared(value(poses).reshape(-1, 4, 4), case.peer.link_poses(q))


@check("Robot.operation_count", against="operators in the exported C source, counted", bound=0.0, every=2)
def operation_count(case: Case) -> Iterator[Compared]:
    """A constant in an angle is one addition by the book; the code makes four products and two sums of it."""
    count = case.robot.operation_count("inverse_dynamics")
    code = case.robot.c_source("inverse_dynamics")
    body = [line for line in code.splitlines() if "=" in line and not line.lstrip().startswith(("/*", "*", "//"))]
    written = sum(len(re.findall(r" [+*-] ", line)) for line in body)
    more, remainder = divmod(written - count.multiplications - count.additions, 5)
    yield Compared(remainder, 0)
    yield Compared(0 <= more <= len(re.findall(r"\bsin\(", code)), 1.0)
