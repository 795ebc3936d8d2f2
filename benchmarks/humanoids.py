"""Derivatives and regressors, of humanoids above all: operations, first results, packed results against Pinocchio,
second derivatives.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

import loadpath as lp
from benchmarks.peers import load, panda, states, urdf_files
from benchmarks.report import Row
from benchmarks.timing import best_times
from loadpath.engine import better
from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import compiled_line

ROBOTS = {"G1": "g1_description/g1_29dof_rev_1_0", "Talos": "talos_data/talos_full_v2"}
BATCH = 512
FIRST_CALL = """
import sys, time, warnings
import numpy as np
import loadpath as lp
warnings.simplefilter("ignore")
path, base, name = sys.argv[1:]
robot = lp.load(path)
robot = robot.floating() if base == "free" else robot
q, v = robot.neutral() + 0.1, np.full(robot.n, 0.1)
begin = time.process_time()
getattr(robot, name)(q, v, v)
print(time.process_time() - begin)
"""


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    names = ["G1"] if quick else list(ROBOTS)
    repetitions = 3 if quick else 30
    return [
        *_operations(names),
        *(row for name in names for row in _first_results(name)),
        *(row for name in names for row in _packed(name, repetitions)),
        *(_second(f"{name} on a free base", load(urdf_files()[ROBOTS[name]]), repetitions) for name in names),
        _second("as many joints as Atlas, on a free base", atlas_like(), repetitions),
    ]


def _operations(names: list[str]) -> list[Row]:
    """Against the Jacobian that CasADi makes of the same inverse dynamics, with the mass matrix."""
    try:
        import casadi
    except ImportError:
        return []
    found = []
    for name, robot in {"Panda": panda().robot, **{name: load(urdf_files()[ROBOTS[name]]) for name in names}}.items():
        q, qd, qdd = (casadi.SX.sym(part, robot.n) for part in ("q", "qd", "qdd"))
        tau = robot.casadi_function("inverse_dynamics")(q, qd, qdd)
        M = robot.casadi_function("mass_matrix")(q)
        theirs = casadi.cse([casadi.jacobian(tau, casadi.vertcat(q, qd)), M])
        program = casadi.Function("theirs", [q, qd, qdd], theirs)
        kinds = (casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_CONST, casadi.OP_NEG)
        count = sum(program.instruction_id(k) not in kinds for k in range(program.n_instructions()))
        ours = compiled_line(robot, "inverse_dynamics_derivatives").count(robot, Variant())
        own = ours.multiplications + ours.additions + ours.divisions + ours.functions
        what = f"{name}, derivatives of inverse dynamics: operations / those of CasADi's Jacobian"
        found.append(Row(what, own / count, at_most=0.85, remark=f"{own} / {count}"))
    return found


def _first_results(name: str) -> list[Row]:
    cases = [("inverse_dynamics_derivatives", "fixed", 2.0), ("inverse_dynamics_derivatives", "free", 5.0),
             ("forward_dynamics_derivatives", "free", 8.0), ("regressor", "fixed", 4.0)]
    found = []
    for quantity, base, most in cases:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", FIRST_CALL, str(urdf_files()[ROBOTS[name]]), base, quantity]
            environment = {**os.environ, "LOADPATH_CACHE_DIR": folder}
            printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        words = quantity.replace("_", " ")
        found.append(Row(f"{name}, {base} base, {words}: first result", float(printed), "s", at_most=most,
                         remark="processor time, nothing on disk"))
    return found


def _packed(name: str, repetitions: int) -> list[Row]:
    path = urdf_files()[ROBOTS[name]]
    robot = load(path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    state = states(robot, BATCH)
    rng = np.random.default_rng(1)
    q, v = pin.neutral(model) + 0.1 * rng.normal(size=(64, model.nq)), rng.normal(size=(64, model.nv))
    cases: list[tuple[str, Callable[[int], Any]]] = [
        ("inverse_dynamics_derivatives", lambda k: pin.computeRNEADerivatives(model, data, q[k], v[k], v[k])),
        ("regressor", lambda k: pin.computeJointTorqueRegressor(model, data, q[k], v[k], v[k])),
    ]
    return [_against(robot, name, quantity, theirs, state, repetitions) for quantity, theirs in cases]


def _against(
    robot: lp.Robot, name: str, quantity: str, theirs: Callable[[int], Any], state: Any, repetitions: int
) -> Row:
    method = getattr(robot, quantity)
    found = method(*state, packed=True)
    better.settle()  # not the code of the first moments
    out = np.empty_like(found.values)

    def loop() -> None:
        for k in range(64):
            theirs(k)

    candidates = {"ours": lambda: method(*state, packed=True, out=out),
                  "called": lambda: method(*state, packed=True), "loop": loop}
    times = best_times(candidates, repetitions)
    ours, called, pinocchio = 1e9 * times["ours"] / BATCH, 1e9 * times["called"] / BATCH, 1e9 * times["loop"] / 64
    return Row(f"{name}, {quantity.replace('_', ' ')}, packed: Pinocchio in a Python loop / ours", pinocchio / ours,
               at_least=20, remark=f"{pinocchio:.0f} / {ours:.0f} ns a state, {called:.0f} without out=, "
               f"{out.shape[1]} numbers")


def _second(name: str, fixed: lp.Robot, repetitions: int) -> Row:
    robot = fixed.floating(name="free")
    q, qd, qdd = states(robot, BATCH)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    method = robot.inverse_dynamics_second_derivatives
    out = np.empty_like(method(q, qd, qdd).values)
    better.settle()
    times = best_times({"ours": lambda: method(q, qd, qdd, out=out)}, max(repetitions // 3, 2))
    return Row(f"{name}, {robot.n} freedoms: second derivatives of inverse dynamics, a state",
               1e6 * times["ours"] / BATCH, "us", at_most=40.0,
               remark=f"{out.shape[1]} numbers, packed; Singh et al. 2023: 200 us for Atlas")


def atlas_like() -> lp.Robot:
    """Thirty joints as those of Atlas: a back of three, a neck, legs of six and arms of seven, on the pelvis. Axes go
    round as they do there; dimensions and inertias are of that size.
    """
    axes = {"z": (0.0, 0.0, 1.0), "y": (0.0, 1.0, 0.0), "x": (1.0, 0.0, 0.0)}
    limbs = [("back", "pelvis", "zyx", (0.0, 0.0, 0.1)), ("neck", "back2", "y", (0.1, 0.0, 0.3))]
    for side, y in (("left", 1.0), ("right", -1.0)):
        limbs += [(f"{side}_leg", "pelvis", "zxyyyx", (0.0, 0.1 * y, -0.2)),
                  (f"{side}_arm", "back2", "zxyxyxy", (0.05, 0.2 * y, 0.2))]
    random = np.random.default_rng(1)
    links, joints = [_body("pelvis", 16.0, random)], []
    for limb, trunk, letters, step in limbs:
        for k, letter in enumerate(letters):
            parent = f"{limb}{k - 1}" if k else trunk
            place = np.array(step) * (1.0 if k == 0 else random.uniform(0.3, 0.8)) + random.uniform(-0.02, 0.02, 3)
            joints.append(lp.Joint(f"{limb}{k}_joint", parent, f"{limb}{k}", lp.Revolute(axes[letter]), tuple(place)))
            links.append(_body(f"{limb}{k}", random.uniform(2.0, 9.0), random))
    return lp.Robot("atlas_like", tuple(links), tuple(joints))


def _body(name: str, mass: float, random: np.random.Generator) -> lp.Link:
    turned = np.linalg.qr(random.normal(size=(3, 3)))[0]
    tensor = turned @ np.diag(mass * random.uniform(0.004, 0.007, 3)) @ turned.T
    return lp.Link(name, lp.Inertia(mass, tuple(random.uniform(-0.1, 0.1, 3)), tensor))
