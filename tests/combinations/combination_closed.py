"""Robots with loops, against everything: a ratio between two joints, written as a coupling, against the same robot with
a joint that mimics, which is an open tree; and what only robots with loops have, on robots with every feature, against
identities that it must fulfil.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import combination_books as of_books
import combination_flexible as flexible
import combination_methods as methods
import numpy as np
import pytest
from combination_methods import COMPILER, close
from combination_reduction import EXPECTED, PER_PARAMETER, Reduced, times
from combination_states import BY_DIFFERENCES, NEEDS_COMPILING, Floats, States, numbers, options_of
from combination_subjects import OFFSET, RATIO, TUBE, base, coupled, loops, mimicking, rover
from typer.testing import CliRunner

import loadpath as lp
from loadpath.cli.app import app
from loadpath.engine.attached import line_of
from loadpath.engine.program import Operand
from references import javascript, webassembly

ALONG = np.array([[1.0, 0.0], [0.0, 1.0], [RATIO, 0.0]])
"""Speeds of the closed robot from those of the tree that mimics."""


def states_of(count: int = 3, seed: int = 1) -> States:
    """States of the closed robot."""
    rng = np.random.default_rng(seed)

    def closed(q: Floats) -> Floats:
        return np.column_stack([q, RATIO * q[:, 0] + OFFSET])

    q, to = (closed(part) for part in rng.uniform(-0.7, 0.7, (2, count, 2)))
    qd, qdd = (part @ ALONG.T for part in rng.uniform(-1, 1, (2, count, 2)))
    tau = np.column_stack([rng.uniform(-20, 20, (count, 2)), np.zeros(count)])
    x = np.concatenate([q, qd], axis=-1)
    direction = rng.normal(size=(count, 3))
    return {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "u": tau, "v": qd, "x": x, "to": to, "direction": direction}


def ask(robot: Any, name: str, s: States) -> list[Floats]:
    """A compiled quantity of a robot, on NumPy batches where it can be."""
    quantity, method = line_of(robot, name), getattr(robot, name)
    arrays = [s[argument] for argument in quantity.argument_names]
    run = method if name in NEEDS_COMPILING else method.uncompiled
    return numbers(run(*arrays, **options_of(quantity, "tip", "joint2")))


# Methods of every robot

SAME = ("inverse_dynamics", "gravity_forces", "bias_forces", "joint_wrenches", "static_wrenches", "base_wrench",
        "force_along", "torque_about", "link_poses", "link_velocities", "link_accelerations", "center_of_mass",
        "momentum", "kinetic_energy", "potential_energy", "free_base_motion")
"""The same numbers, and no force at the joint without a drive."""
TREE = ("coordinate_rate", "integrate", "difference")
"""In the coordinates of the tree."""
JACOBIANS = ("jacobian", "momentum_matrix", "generalized_jacobian")


def check(row: str) -> None:
    """A method of `lp.Robot`, of the closed robot."""
    s = states_of()
    reduced = Reduced(loops()[0], s)
    there = reduced.at()
    if row in SAME:
        for found, wanted in zip(ask(coupled(), row, s), reduced.of(row), strict=True):
            close(found, wanted)
    elif row in TREE:
        for found, wanted in zip(ask(coupled(), row, s), ask(coupled().tree, row, s), strict=True):
            close(found, wanted)
    elif row in JACOBIANS:
        close(ask(coupled(), row, s)[0] @ ALONG, ask(mimicking(), row, there)[0])
    else:
        ROBOT[row](s, there)


def _jacobian_dot(s: States, there: States, h: float = 1e-6) -> None:
    moved = [coupled().jacobian.uncompiled(s["q"] + step * s["qd"], "tip") for step in (h, -h)]
    close(coupled().jacobian_dot(s["q"], s["qd"], "tip"), (moved[0] - moved[1]) / (2 * h), 1e-6)


def _mass_matrix(s: States, there: States) -> None:
    close(ALONG.T @ ask(coupled(), "mass_matrix", s)[0] @ ALONG, ask(mimicking(), "mass_matrix", there)[0])


def _coriolis_matrix(s: States, there: States) -> None:
    found = times(ask(coupled(), "coriolis_matrix", s)[0], s["qd"]) @ ALONG
    close(found, times(ask(mimicking(), "coriolis_matrix", there)[0], there["qd"]))


def _forward_dynamics(s: States, there: States) -> None:
    there["tau"] = s["tau"][:, :2]
    close(ask(coupled(), "forward_dynamics", s)[0], ask(mimicking(), "forward_dynamics", there)[0] @ ALONG.T)


def _state_derivative(s: States, there: States) -> None:
    there["tau"] = s["tau"][:, :2]
    wanted = ask(mimicking(), "forward_dynamics", there)[0] @ ALONG.T
    close(ask(coupled(), "state_derivative", s)[0], np.concatenate([s["qd"], wanted], axis=-1))


def _mass_matrix_inverse(s: States, there: States) -> None:
    wanted = ALONG @ ask(mimicking(), "mass_matrix_inverse", there)[0] @ ALONG.T
    close(ask(coupled(), "mass_matrix_inverse", s)[0], wanted)


def _step(s: States, there: States) -> None:
    (q, qd), wanted = (robot.step.uncompiled(x["q"], x["qd"], x["tau"][:, :robot.n], 0.01) for robot, x in
                       ((coupled(), s), (mimicking(), there | {"tau": s["tau"]})))
    close(q, np.column_stack([wanted[0], RATIO * wanted[0][:, 0] + OFFSET]))
    close(qd, wanted[1] @ ALONG.T)


def _rollout(s: States, there: States) -> None:
    found, wanted = (robot.rollout(x["q"], x["qd"], s["tau"][:, :robot.n], step=0.01, steps=5) for robot, x in
                     ((coupled(), s), (mimicking(), there)))
    close(found.q[..., :2], wanted.q)
    close(found.qd, wanted.qd @ ALONG.T)


def _fastest(s: States, there: States) -> None:
    """Without friction of the joint that has no drive, which is not known along a path: against the tree."""
    with pytest.raises(lp.ModelError, match="'joint3' has no drive"):
        coupled().fastest(s["q"][:2])
    own, tree, still = coupled(friction=False), mimicking(friction=False), np.zeros((21, 2))
    ends = s["q"][0, :2] + np.array([[0.0], [0.2]])
    most = 3.0 + 1.2 * np.abs(tree.inverse_dynamics.uncompiled(np.linspace(*ends, 21), still, still)).max(axis=0)
    limits = {"torque": dict(zip(tree.dof_names, most.tolist(), strict=True)), "speed": False}
    found, wanted = (robot.fastest(ends, limits=limits, intervals=60) for robot in (own, tree))
    close(found.duration, wanted.duration, 1e-6)
    used = np.abs(own.inverse_dynamics.uncompiled(*found.sampled(9)))[:, :2] / most
    assert 0.99 < used.max() <= found.certificate <= 1 + 1e-4


def _path_durations(s: States, there: States) -> None:
    coupled().path_durations(s["q"][None, :2])


def _linearize(s: States, there: States) -> None:
    found = coupled().linearize(s["q"], s["qd"], s["tau"], dry_friction=False)
    wanted = mimicking().linearize(there["q"], there["qd"], s["tau"][:, :2], dry_friction=False)
    close(found.A, wanted.A)
    close(found.B[..., [found.input_names.index(name) for name in wanted.input_names]], wanted.B)


def _inverse_dynamics_derivatives(s: States, there: States) -> None:
    for found, wanted in zip(ask(coupled(), "inverse_dynamics_derivatives", s),
                             ask(mimicking(), "inverse_dynamics_derivatives", there), strict=True):
        close(found[..., :2, :], wanted)
        assert not found[..., 2, :].any()


def _forward_dynamics_derivatives(s: States, there: States) -> None:
    there["tau"] = s["tau"][:, :2]
    *found, by_tau = ask(coupled(), "forward_dynamics_derivatives", s)
    *wanted, inverse = ask(mimicking(), "forward_dynamics_derivatives", there)
    for one, other in zip(found, wanted, strict=True):
        close(one, ALONG @ other)
    close(by_tau, ALONG @ inverse @ ALONG.T)


def _parameter_derivatives(s: States, there: States) -> None:
    there["tau"] = s["tau"][:, :2]
    found = ask(coupled(), "forward_dynamics_parameter_derivatives", s)[0]
    close(found, ALONG @ ask(mimicking(), "forward_dynamics_parameter_derivatives", there)[0])


def _operational(row: str) -> Callable[[States, States], None]:
    def check(s: States, there: States) -> None:
        if row == "operational_space_inertia":
            for robot in (coupled(), mimicking()):
                try:
                    ask(robot, row, s if robot is coupled() else there)
                except ValueError as problem:
                    assert "operational_space_mobility" in str(problem)
                else:
                    raise AssertionError("six directions from two freedoms")
            return
        close(ask(coupled(), row, s)[0], ask(mimicking(), row, there)[0])

    return check


def _regressor(s: States, there: States) -> None:
    found, wanted = ask(coupled(), "regressor", s)[0], ask(mimicking(), "regressor", there)[0]
    close(found[:, :2], wanted)
    assert not found[:, 2].any()


def _family(s: States, there: States) -> None:
    """Designs of the coupled robot against those of the one whose joints follow."""
    link = coupled().link_names[-1]
    designs = {"gravity": [(0, 0, -9.81), (1.0, 2.0, -3.0)], f"{link}.mass": [0.5, 2.0]}
    found = coupled().family(designs).inverse_dynamics(s["q"], s["qd"], s["qdd"])
    wanted = mimicking().family(designs).inverse_dynamics(there["q"], there["qd"], there["qdd"])
    close(found[..., :2], wanted)


def _base_parameters(s: States, there: States) -> None:
    found, wanted = coupled().base_parameters(), mimicking().base_parameters()
    assert found.groups == wanted.groups
    close(found.values, wanted.values)


def check_function(row: str) -> None:
    """`lp.identify` or `lp.excitation`, of the closed robot."""
    s = states_of(60)
    there = Reduced(loops()[0], s).at()
    both = [(robot, (x["q"], x["qd"], x["qdd"])) for robot, x in ((coupled(), s), (mimicking(), there))]
    if row == "excitation":
        found, wanted = (lp.excitation(robot, *state, friction=False) for robot, state in both)
        close(found.condition, wanted.condition, 1e-6)
        return
    found, wanted = (lp.identify(robot, *state, robot.inverse_dynamics.uncompiled(*state), friction=False,
                                 max_condition=1e9) for robot, state in both)
    close(found.values, wanted.values, 1e-6)
    assert type(found.robot) is type(coupled())


def _drive_regressor(s: States, there: States) -> None:
    found = ask(coupled(), "drive_regressor", s)[0]
    tree = coupled().tree.drive_regressor.uncompiled(s["qd"], s["qdd"])
    close(found[:, :2], ALONG.T @ tree)
    assert not found[:, 2].any()


def _load_terms(s: States, there: States) -> None:
    loads = coupled().load_breakdown(s["q"], s["qd"], s["qdd"], compiled=False)
    close(ask(coupled(), "load_terms", s)[0], loads.values)
    close(loads.totals(), np.concatenate(ask(mimicking(), "joint_wrenches", there), axis=-1))


def _by_method(row: str) -> Callable[[States, States], None]:
    return lambda s, there: methods.METHODS[row](coupled(), s, "tip")


def _peak_loads(s: States, there: States) -> None:
    peaks = coupled().peak_loads(s["q"], s["qd"], s["qdd"])
    tau = np.abs(ask(mimicking(), "inverse_dynamics", there)[0]).max(axis=0)
    close([peaks[name, "drive"].magnitude for name in coupled().driven], tau)


def _max_payload(s: States, there: States) -> None:
    state = s["q"], s["qd"], s["qdd"]
    limits = {"joint1": 400.0, "joint2": 300.0}
    found = coupled().max_payload(*state, limits=limits, link="tip", model_limits=False)
    loaded = coupled().with_payload(found.mass, link="tip", name="largest")
    close(np.max(np.abs(ask(loaded, "inverse_dynamics", s)[0][:, :2]) / [400.0, 300.0]), 1.0)


def _largest(s: States, there: States) -> None:
    state = s["q"], s["qd"], s["qdd"]
    limited = coupled().with_limits({"joint1": {"effort": 400.0}, "joint2": {"effort": 300.0}})
    found = limited.largest("payload", *state, link="tip")
    loaded = coupled().with_payload(found.value, link="tip", name="largest")
    close(np.max(np.abs(ask(loaded, "inverse_dynamics", s)[0][:, :2]) / [400.0, 300.0]), 1.0, 1e-7)


def _motor_loads(s: States, there: States) -> None:
    state = s["q"], s["qd"], s["qdd"]
    belt = coupled().with_drives({"joint1": methods.GEAR})
    tau = ask(belt, "inverse_dynamics", s)[0][:, 0]
    v, a = state[1][:, 0], state[2][:, 0]
    through = tau - 40**2 * 2e-3 * a
    found = belt.motor_loads(*state)
    close(found.torque[:, found.drive_names.index("joint1")],
          np.where(through * v > 0, through / 32, through * 0.6 / 40) + 0.08 * a)


def _report(s: States, there: States) -> None:
    t = np.linspace(0, 0.4, 9)
    motion = coupled().motion(t, {"joint1": 0.3 * np.sin(2 * t), "joint2": 0.2 * np.cos(2 * t)})
    tau = coupled().inverse_dynamics.uncompiled(motion.q, motion.qd, motion.qdd)[:, :2]
    methods.check_peaks(coupled().report(motion).html, methods.DRIVES, coupled().driven, tau)


def _equations(s: States, there: States) -> None:
    derived = coupled().equations()
    symbols = (*derived.q, *derived.qd, *derived.qdd)
    state = np.concatenate([s[part][0] for part in ("q", "qd", "qdd")])
    values = dict(zip(symbols, state.tolist(), strict=True))
    found = [float(torque.subs(values)) for torque in derived.reduced_torques]
    close(found, ask(mimicking(), "inverse_dynamics", there)[0][0])


def _casadi_function(s: States, there: States) -> None:
    tau, status = coupled().casadi_function("inverse_dynamics")(*(s[part][0] for part in ("q", "qd", "qdd")))
    close(np.asarray(tau).ravel()[:2], ask(mimicking(), "inverse_dynamics", there)[0][0])
    assert float(status[-1]) > 0.1


def _jax(s: States, there: States) -> None:
    import jax  # seconds, and not everywhere

    found = coupled().jax("gravity_forces")(jax.numpy.asarray(s["q"][0], jax.numpy.float32))
    close(found.tau[:2], ask(mimicking(), "gravity_forces", there)[0][0], 1e-4)


def _c_source(s: States, there: States) -> None:
    source = coupled().c_source("inverse_dynamics", function_name="f")
    assert "double *tau, double *status)" in source
    if COMPILER is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder, "f.c"), Path(folder, "f.so")
        code.write_text(source)
        subprocess.run([COMPILER, "-O0", "-shared", "-fPIC", str(code), "-o", str(library), "-lm"], check=True)
        given = [np.ascontiguousarray(s[part][0]) for part in ("q", "qd", "qdd")]
        results = [np.zeros(3), np.zeros(7)]
        ctypes.CDLL(str(library)).f(*(ctypes.c_void_p(array.ctypes.data) for array in (*given, *results)))
    close(results[0][:2], ask(mimicking(), "inverse_dynamics", there)[0][0])


def _javascript_source(s: States, there: States) -> None:
    source = coupled().javascript_source("inverse_dynamics", function_name="f", module="script")
    results = [Operand("tau", (3,)), Operand("status", (7,))]
    given = [s[part] for part in ("q", "qd", "qdd")]
    tau, status = javascript.Script(source).call("f", results, *given, count=len(s["q"]))
    close(tau[:, :2], ask(mimicking(), "inverse_dynamics", there)[0])
    assert (status[:, -1] > 0.1).all()


def _wasm(s: States, there: States) -> None:
    tau, status = webassembly.run(coupled().wasm("inverse_dynamics"), *(s[part] for part in ("q", "qd", "qdd")))
    close(tau[:, :2], ask(mimicking(), "inverse_dynamics", there)[0])
    assert (status[:, -1] > 0.1).all()


def _made(row: str) -> Callable[[States, States], None]:
    """Drive forces of what a maker makes of both."""

    def check(s: States, there: States) -> None:
        if row == "floating":
            free, wanted = coupled().floating(), mimicking().floating()
            front = {"q": np.eye(7)[[6] * 3], "qd": np.zeros((3, 6)), "qdd": np.zeros((3, 6))}
            found, expected = (
                robot.inverse_dynamics.uncompiled(*(np.hstack([front[part], of[part]]) for part in front))
                for robot, of in ((free, s), (wanted, there))
            )
            close(found[:, :8], expected)
        elif row == "locked":
            held, wanted = coupled().locked({"joint2": 0.2}), mimicking().locked({"joint2": 0.2})
            found = held.inverse_dynamics.uncompiled(*(s[part][:, [0, 2]] for part in ("q", "qd", "qdd")))
            expected = wanted.inverse_dynamics.uncompiled(*(there[part][:, :1] for part in ("q", "qd", "qdd")))
            close(found[:, :1], expected)
        else:
            robots = [methods.KEEPING[row](robot, "tip") for robot in (coupled(), mimicking())]
            assert robots[0].couplings == coupled().couplings
            close(ask(robots[0], "inverse_dynamics", s)[0][:, :2], ask(robots[1], "inverse_dynamics", there)[0])

    return check


def _more(row: str) -> Callable[[States, States], None]:
    return lambda s, there: check_closing(coupled(), row)


ROBOT: dict[str, Callable[[States, States], None]] = {
    "jacobian_dot": _jacobian_dot,
    "mass_matrix": _mass_matrix,
    "coriolis_matrix": _coriolis_matrix,
    "forward_dynamics": _forward_dynamics,
    "state_derivative": _state_derivative,
    "mass_matrix_inverse": _mass_matrix_inverse,
    "step": _step,
    "rollout": _rollout,
    "linearize": _linearize,
    "inverse_dynamics_derivatives": _inverse_dynamics_derivatives,
    "forward_dynamics_derivatives": _forward_dynamics_derivatives,
    "forward_dynamics_parameter_derivatives": _parameter_derivatives,
    **{row: _operational(row) for row in ("operational_space_mobility", "operational_space_inertia")},
    "regressor": _regressor,
    "base_parameters": _base_parameters,
    "family": _family,
    "drive_regressor": _drive_regressor,
    "load_terms": _load_terms,
    **{row: _by_method(row) for row in ("load_breakdown", "reduce_loads", "inverse_kinematics", "simulate",
                                        "operation_count", "plot", "verdict", "size", "load_cases", "load_spectra",
                                        "worst_case")},
    "fastest": _fastest,
    "path_durations": _path_durations,
    "largest": _largest,
    "peak_loads": _peak_loads,
    "max_payload": _max_payload,
    "motor_loads": _motor_loads,
    "report": _report,
    "equations": _equations,
    "casadi_function": _casadi_function,
    "jax": _jax,
    "c_source": _c_source,
    "javascript_source": _javascript_source,
    "wasm": _wasm,
    "books": lambda s, there: of_books.closed(coupled(), s),
    **{row: _made(row) for row in (*methods.KEEPING, "floating", "locked")},
    **{row: _more(row) for row in ("with_loop", "with_coupling")},
    **{row: lambda s, there, row=row: getattr(coupled(), row)(s["q"], s["qd"]) for row in  # type: ignore[misc]
       ("mixed_dynamics", *BY_DIFFERENCES, "generalized", "reduced")},
}
"""What is no plain comparison, by name; the last ones are refused."""

assert not {*SAME} - {*EXPECTED} and PER_PARAMETER


# Loops and couplings put on robots with every feature


def check_closing(robot: lp.Robot, row: str, tip: str = "tip") -> None:
    """The forces of the drives of what `with_loop` or `with_coupling` makes do the work that the tree's do."""
    if row == "with_coupling":
        pair = [name for name in robot.dof_names if name in robot.coordinate_names][-2:]
        made = robot.with_coupling({pair[0]: 1.0, pair[-1]: 2.0} if len(pair) > 1 else {pair[0]: 1.0}, name="gear")
    else:  # a tip on a plane, where it is
        made = robot.with_loop("plane", robot.link_names[0], tip, motion=lp.PointOnPlane((0.0, 0.6, 0.8)),
                               at=_tip(robot, tip), q=_start(robot))
    q = made.home
    T, still = made.complement.uncompiled(q), np.zeros(made.n)
    assert T.shape == (made.n, made.n - len(made.couplings) - len(made.loops))
    closed = made.inverse_dynamics.uncompiled(q, still, still)
    close(T.T @ closed, T.T @ made.tree.inverse_dynamics.uncompiled(q, still, still))
    assert not closed[[made.dof_names.index(name) for name in made.passive]].any()
    close(made.closure.uncompiled(q), 0.0 * made.closure.uncompiled(q))


def _start(robot: lp.Robot) -> Floats:
    """A configuration without special angles."""
    return np.asarray(robot.integrate.uncompiled(robot.neutral(), 0.2 + 0.15 * np.arange(robot.n)))


def _tip(robot: lp.Robot, tip: str = "tip") -> lp.Pose:
    poses = dict(zip(robot.link_names, robot.link_poses.uncompiled(_start(robot)), strict=True))
    return lp.Pose.from_matrix(np.linalg.inv(poses[robot.link_names[0]]) @ poses[tip])


# What only robots with loops have


@cache
def bar() -> lp.ClosedRobot:
    """A four-bar with a tip on its coupler, and limits."""
    made = lp.catalog.four_bar()
    tip = lp.Joint("tip_joint", "coupler", "tip", lp.Fixed(), (0.2, 0.05, 0.0))
    return replace(made, links=(*made.links, lp.Link("tip", lp.Inertia(0.3))), joints=(*made.joints, tip))


def _beamed(robot: lp.ClosedRobot) -> lp.ClosedFlexibleRobot:
    return robot.with_beams({"coupler": lp.Beam(TUBE, lp.ALUMINIUM, end="rocker_pin")}, inertia_from_beams=True)


def _spatial() -> lp.ClosedRobot:
    """A crank, a rod on a universal joint, and a rocker that a ball joins to it."""
    hinge = lp.Revolute((0, 0, 1))
    links = [lp.Link("base"), *(lp.Link(name, lp.Inertia(1.0, (0.1, 0.02, 0.0), np.diag([0.01, 0.02, 0.02])))
                                for name in ("crank", "rod", "rocker")), lp.Link("tip", lp.Inertia(0.2))]
    joints = [lp.Joint("crank_joint", "base", "crank", hinge),
              lp.Joint("cross", "crank", "rod", lp.Universal((0, 0, 1), (0, 1, 0)), (0.2, 0, 0)),
              lp.Joint("rocker_joint", "base", "rocker", lp.Revolute((1, 0, 0)), (0.3, 0.2, 0.1)),
              lp.Joint("tip_joint", "rocker", "tip", lp.Fixed(), (0, 0.3, 0))]
    tree = lp.Robot("spatial", tuple(links), tuple(joints))
    return tree.with_loop("ball", "rod", "rocker", motion=lp.Spherical(), at=(0.4, 0, 0), q=(0.4, 0.5, 0.2, 0.3))


OF_CLOSED: dict[str, Callable[[], lp.ClosedRobot]] = {
    "payload": lambda: bar().with_payload(2.0, (0.05, 0, 0), link="tip"),
    "free base": lambda: bar().floating(),
    "locked joints": lambda: coupled().locked({"joint2": 0.4}),
    "mimic": lambda: mimicking().with_loop("plane", "base", "tip", motion=lp.PointOnPlane((0, 0.6, 0.8)),
                                           at=_tip(mimicking()), q=_start(mimicking())),
    "many freedoms": _spatial,
    "beams": lambda: _beamed(bar()),
    "joint compliance": lambda: bar().with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(radial=1e7)}),
    "wheels": lambda: _closed(base().carrying(bar(), at=(0.3, 0.0, 0.3))),
    "slope": lambda: _closed(rover(bar(), slope=0.2)),
    "loops": bar,
}


def _closed(robot: lp.Robot) -> lp.ClosedRobot:
    assert isinstance(robot, lp.ClosedRobot)
    return robot


@cache
def closed_with(feature: str) -> lp.ClosedRobot:
    return OF_CLOSED[feature]()


def check_own(row: str, feature: str) -> None:
    """A method that only robots with loops have, of one with a feature."""
    robot = closed_with(feature)
    q = robot.home
    OWN[row](robot, q, robot.complement.uncompiled(q))


def _moved(robot: lp.ClosedRobot, q: Floats, by: Floats) -> Floats:
    return np.asarray(robot.tree.integrate.uncompiled(q, by))


def _residual_slope(robot: lp.ClosedRobot, q: Floats, v: Floats, h: float = 1e-5) -> float:
    """How fast the loops open along a motion."""
    opened = [robot.closure.uncompiled(_moved(robot, q, step * v)) for step in (h, -h)]
    return float(sum(np.abs(part).max() for part in opened) / (2 * h))


def _constraint_jacobian(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    J = robot.constraint_jacobian.uncompiled(q)
    rng = np.random.default_rng(2)
    for v in rng.normal(size=(3, robot.n)):
        opening = float(np.linalg.norm(J @ v))
        assert (_residual_slope(robot, q, v) > 1e-3) == (opening > 1e-3)
    assert _residual_slope(robot, q, T @ rng.normal(size=T.shape[1])) < 1e-4


def _complement(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    J = robot.constraint_jacobian.uncompiled(q)
    close(J @ T, np.zeros((len(J), T.shape[1])))
    close(T[list(robot.split.independent)], np.eye(robot.mobility))


def _closure(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    close(robot.closure.uncompiled(q), np.zeros((len(robot.loops) + len(robot.couplings), 2)))
    away = robot.closure.uncompiled(_moved(robot, q, 0.1 * np.ones(robot.n)))
    assert away.max() > 1e-3


def _loop_directions(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    """The work of a unit wrench on the relative motion is the row of J."""
    S, J = robot.loop_directions.uncompiled(q), robot.constraint_jacobian.uncompiled(q)
    at = 0
    poses = robot.link_poses.uncompiled(q)
    v = np.random.default_rng(5).normal(size=robot.n)
    motion = robot.link_velocities.uncompiled(q, v)
    for loop in robot.loops:
        first, second = (robot.link_names.index(link) for link in (loop.first, loop.second))
        on = poses[second] @ np.vstack([np.hstack([loop.on.R, np.array(loop.on.p)[:, None]]), [0, 0, 0, 1]])
        speeds = [motion.linear[k] + np.cross(motion.angular[k], on[:3, 3] - poses[k][:3, 3]) for k in (first, second)]
        apart = np.concatenate([on[:3, :3].T @ (speeds[1] - speeds[0]),
                                on[:3, :3].T @ (motion.angular[second] - motion.angular[first])])
        rows = slice(at, at + loop.rows)
        close(S[rows] @ apart, J[rows] @ v)
        at += loop.rows
    assert not S[at:].any()


def _driven_mass_matrix(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    close(robot.driven_mass_matrix.uncompiled(q), T.T @ robot.on_fixed_base.tree.mass_matrix.uncompiled(q) @ T)


def _driven_jacobian(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    link = robot.link_names[-1]
    close(robot.driven_jacobian.uncompiled(q, link), robot.tree.jacobian.uncompiled(q, link) @ T)


def _reaction_leverages(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    """As many directions are open as rigid statics leaves, each counted once."""
    found = robot.reaction_leverages.uncompiled(q)
    assert found.shape == (len(robot.closed_joint_names), 6)
    assert found.min() > -1e-9 and found.max() < 1 + 1e-9
    J = robot.constraint_jacobian.uncompiled(q)[: sum(loop.rows for loop in robot.loops)]
    if robot.loops and not robot.couplings:
        close(found.sum(), len(J) - np.linalg.matrix_rank(J, tol=1e-9), 1e-6)


def _complete(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    rng = np.random.default_rng(7)
    u, a = rng.normal(size=(2, robot.mobility))
    qd, qdd = robot.complete(q, *(dict(zip(robot.independent, part, strict=True)) for part in (u, a)))
    close(qd, T @ u)
    h = 1e-5
    J = [robot.constraint_jacobian.uncompiled(_moved(robot, q, step * qd)) for step in (h, -h)]
    close(robot.constraint_jacobian.uncompiled(q) @ qdd + (J[0] - J[1]) @ qd / (2 * h), 0.0 * (J[0] @ qd), 1e-6)


def _assemble(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    near = _moved(robot, q, T @ np.full(T.shape[1], 0.05))
    found = robot.assemble(near=near)
    assert found.reached and robot.closure.uncompiled(found.q).max() < 1e-8
    assert np.abs(found.q - near).max() < 0.1


def _motion(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    t = np.linspace(0, 0.2, 6)
    start = dict(zip(robot.coordinate_names, q, strict=True))
    drives = [name for name in robot.driven if name in start]  # those of a free base are no coordinates
    made = robot.motion(t, {name: start[name] + 0.1 * t**2 for name in drives})
    assert robot.closure.uncompiled(made.q).max() < 1e-8
    close(np.einsum("sij,sj->si", robot.constraint_jacobian.uncompiled(made.q), made.qd),
          np.zeros((6, len(robot.constraint_jacobian.uncompiled(q)))), 1e-8)


def _mobility_report(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    rank = np.linalg.matrix_rank(robot.constraint_jacobian.uncompiled(q), tol=1e-8)
    assert robot.mobility == robot.n - rank == T.shape[1]
    assert str(robot.mobility) in robot.mobility_report()


def _singularities(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    assert not robot.singularities(q).dead
    assert robot.singularities(q).drive > 0.05


def _loop_positions(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    found = robot.loop_positions(q)
    assert set(found) == {loop.name for loop in robot.loops}
    for loop in robot.loops:
        assert np.shape(found[loop.name]) == (loop.motion.coordinates,)


def _preload_for(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    """With drives at all joints a loop carries the force that is asked for."""
    more = robot.with_driven(*robot.dof_names)
    still, name = np.zeros(robot.n), robot.loop_names[0]
    J = robot.constraint_jacobian.uncompiled(q)[: robot.loops[0].rows]
    moved = int(np.abs(J).max(axis=1).argmax())  # a direction in which the joints move the loop
    direction = robot.loop_directions.uncompiled(q)[moved, :3]
    ask = getattr(more.joint_wrenches, "uncompiled", more.joint_wrenches)
    force = ask(q, still, still)[name].force + 5.0 * direction
    asked = np.where(np.abs(direction) > 1e-9, force, np.nan)
    preload = more.preload_for({name: lp.Wrench(asked, (np.nan,) * 3, axes="joint")}, q, still, still)
    found = ask(q, still, still, preload=preload)[name].force
    close(found @ direction, force @ direction, 1e-6)


def _with_driven(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    assert robot.with_driven(*robot.independent).driven == robot.independent


def _with_home(robot: lp.ClosedRobot, q: Floats, T: Floats) -> None:
    close(robot.with_home(q).home, q, 1e-7)


OWN: dict[str, Callable[[lp.ClosedRobot, Floats, Floats], None]] = {
    check.__name__.lstrip("_"): check
    for check in (_assemble, _complete, _motion, _mobility_report, _singularities, _loop_positions, _closure,
                  _constraint_jacobian, _complement, _loop_directions, _driven_mass_matrix, _driven_jacobian,
                  _reaction_leverages, _preload_for, _with_driven, _with_home)
}


# Beams


def check_flexible(row: str) -> None:
    """A method of arms with beams, of the closed robot: a coupling holds no beam, so it is the tree that mimics."""
    flexible.check("loops", loops()[0], row)


# Commands


def check_command(row: str, folder: Path) -> None:
    """What a command says of a closed robot that a file makes, with the numbers that Python gives."""
    file = folder / "closed.py"
    file.write_text("import loadpath as lp\nbar = lp.catalog.four_bar()\n")
    result = CliRunner().invoke(
        app, [row, f"{file}:bar", *(["-o", str(folder / "bar.html")] if row == "report" else [])]
    )
    assert result.exit_code == 0, result.output
    if row == "report":
        assert "rocker_pin" in (folder / "bar.html").read_text()
    elif row in ("info", "demo"):
        assert "rocker_pin" in result.output
    elif row == "count":
        assert str(lp.catalog.four_bar().operation_count("inverse_dynamics").multiplications) in result.output
    else:
        assert "four_bar" in result.output or "q1" in result.output
