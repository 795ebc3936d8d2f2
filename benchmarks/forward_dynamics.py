"""How fast everything else is that a controller calls in a loop: against Pinocchio, MuJoCo and JAX, one thread."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

import loadpath as lp
from benchmarks import jax_peer, mujoco_peer
from benchmarks.peers import Array, panda, states, urdf_files
from benchmarks.report import Row
from benchmarks.timing import best_times

BATCH = 4096
HUMANOID = "g1_description/g1_29dof_rev_1_0"


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    repetitions = 3 if quick else 30
    return [
        *_panda(repetitions),
        *_jax(quick),
        *_mujoco(512 if quick else BATCH, repetitions),
        *_humanoid(256 if quick else 1024, repetitions),
    ]


def _panda(repetitions: int) -> list[Row]:
    both = panda()
    robot, model, data = both.robot, both.model, both.data
    q, qd, x = states(robot, BATCH)
    # Name of ours, theirs in a loop, least ratio.
    cases: list[tuple[str, Callable[[int], Any], int]] = [
        ("forward_dynamics", lambda k: pin.aba(model, data, q[k], qd[k], x[k]), 30),
        ("mass_matrix", lambda k: pin.crba(model, data, q[k]), 8),
        ("mass_matrix_inverse", lambda k: pin.computeMinverse(model, data, q[k]), 8),
        ("coriolis_matrix", lambda k: pin.computeCoriolisMatrix(model, data, q[k], qd[k]), 8),
        ("inverse_dynamics_derivatives", lambda k: pin.computeRNEADerivatives(model, data, q[k], qd[k], x[k]), 8),
        ("forward_dynamics_derivatives", lambda k: pin.computeABADerivatives(model, data, q[k], qd[k], x[k]), 8),
        ("regressor", lambda k: pin.computeJointTorqueRegressor(model, data, q[k], qd[k], x[k]), 5),
    ]
    return [_against_pinocchio(robot, name, (q, qd, x), theirs, least, repetitions) for name, theirs, least in cases]


def _against_pinocchio(
    robot: lp.Robot,
    name: str,
    arrays: tuple[Array, ...],
    theirs: Callable[[int], Any],
    least: float,
    repetitions: int,
) -> Row:
    method = getattr(robot, name)
    arrays = arrays[: method.ufunc.nin]
    first = method.ufunc(*arrays)
    out = tuple(np.empty_like(part) for part in first) if isinstance(first, tuple) else np.empty_like(first)
    count = len(arrays[0])

    def loop() -> None:
        for k in range(count):
            theirs(k)

    times = best_times({"ours": lambda: method(*arrays, out=out), "loop": loop}, repetitions)
    ours, loop_time = (1e9 * times[key] / count for key in ("ours", "loop"))
    return Row(
        f"Panda, {name.replace('_', ' ')}: Pinocchio in a Python loop / ours",
        loop_time / ours,
        at_least=least,
        remark=f"{loop_time:.0f} / {ours:.0f} ns a state",
    )


def _jax(quick: bool) -> list[Row]:
    try:
        import jax  # noqa: F401
    except ImportError:
        return []
    ours, theirs = jax_peer.measure()
    return [
        Row(
            "Panda, inverse dynamics: JAX, jit(vmap) of the same formulation / ours",
            theirs / ours,
            at_least=3,
            remark=f"{theirs:.0f} / {ours:.0f} ns a state",
        )
    ]


def _mujoco(count: int, repetitions: int) -> list[Row]:
    times = mujoco_peer.measure(count, repetitions)
    return [
        Row(
            f"Panda, {what}: MuJoCo's {call} in a Python loop / ours",
            times[f"{what}, MuJoCo"] / times[f"{what}, ours"],
            at_least=30,
            remark=f"{times[f'{what}, MuJoCo']:.0f} / {times[f'{what}, ours']:.0f} ns a state; "
            f"{times[f'{what}, MuJoCo, the call alone']:.0f} ns the call alone",
        )
        for what, call in (("inverse dynamics", "mj_inverse"), ("forward dynamics", "mj_forward"))
    ]


def _humanoid(count: int, repetitions: int) -> list[Row]:
    """A humanoid on a free base: both have position and quaternion first; the joints are matched by name."""
    path = urdf_files()[HUMANOID]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        robot = lp.load(path).without_friction().floating(name="free")
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    order = [robot.v_slices[name].start for name in list(model.names)[2:]]
    speeds = [*range(6), *order]
    places = [*range(7), *(k + 1 for k in order)]
    q, qd, x = states(robot, count)
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    theirs = [np.ascontiguousarray(a) for a in (q[:, places], qd[:, speeds], x[:, speeds])]
    results = []
    for name, call in (("inverse_dynamics", pin.rnea), ("forward_dynamics", pin.aba)):
        ours = getattr(robot, name)(q[:50], qd[:50], x[:50])[:, speeds]
        expected = np.array([call(model, data, *(a[k] for a in theirs)) for k in range(50)])
        error = np.abs(ours - expected).max() / np.abs(expected).max()
        if not error < 1e-10:
            raise RuntimeError(f"{name}: the peers compute different things, they differ by {error:.2g}")
        row = _against_pinocchio(
            robot, name, (q, qd, x), lambda k, call=call: call(model, data, *(a[k] for a in theirs)), 8, repetitions
        )
        results.append(Row(row.what.replace("Panda", f"{model.nv - 6}-joint humanoid on a free base"), row.value,
                           row.unit, at_least=row.at_least, remark=row.remark))
    return results
