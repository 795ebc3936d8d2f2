"""`rollout`: many robots in many states, stepped together in compiled steps of fixed length."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Never

import numpy as np

from loadpath.algorithms.coulomb import rubbing_speeds
from loadpath.engine.arguments import DEFAULT, Variant, external_wrenches
from loadpath.engine.method import CompiledMethod
from loadpath.errors import warn
from loadpath.motion.checks import in_other_units
from loadpath.progress import Report, reporting
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.motion import refuse_elastic
from loadpath.quantities.table import RobotQuantities
from loadpath.robot.arrays import batch_shape
from loadpath.robot.loops import CLOSED_WITHIN
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.simulate.drive import Torque, numbers, seconds
from loadpath.states.keywords import STEPPED, refuse_keywords
from loadpath.states.on_manifold import loop_length, verdict
from loadpath.states.unknown import not_finite, warn_of_unknown

ORDER = 4
"""Of a step, unless dry friction stops a joint in it: then it is the first."""


@dataclass(frozen=True, eq=False, repr=False)
class RolloutError:
    """How far motions of a rollout are off, estimated by stepping some of its states in halves of each step as well,
    under the same forces: the difference is, to leading order, fifteen sixteenths of the error (of a robot with dry
    friction, whose stops are of first order, at least the half of it).

    >>> import loadpath as lp
    >>> error = lp.catalog.planar(2).rollout([[0, 0]] * 50, [0, 0], step=0.02, steps=50).error
    >>> error.q.shape, round(error.largest, 5)
    ((51, 16, 2), 0.00034)
    """

    states: Ints
    """(k,): which states of the batch, by their numbers in it."""
    q: Floats
    """(times, k, n): of the coordinates, in the meaning of the speeds (`difference`), less the exact ones."""
    qd: Floats
    """(times, k, n): of the speeds."""

    @property
    def largest(self) -> float:
        """The largest of all, of coordinates (rad, m) and of speeds (rad/s, m/s)."""
        return max(float(np.abs(part).max(initial=0.0)) for part in (self.q, self.qd))


@dataclass(frozen=True, eq=False, repr=False)
class Rollout:
    """Motions of many states. The first axis is that of `times`, then come the batch axes.

    >>> import loadpath as lp
    >>> lp.catalog.planar(2).rollout([[0, 0]] * 5, [0, 0], step=0.1, steps=2)
    <rollout of 3 times up to 0.2 s, batch (5,), error about 2e-03>
    """

    times: Floats
    """(times,), s."""
    q: Floats
    """(times, ..., nq)."""
    qd: Floats
    """(times, ..., n)."""
    error: RolloutError | None = None
    """An estimate of how far it is off, of some of its states; None if that was not asked for."""

    def __repr__(self) -> str:
        batch = self.qd.shape[1:-1]
        error = "" if self.error is None else f", error about {self.error.largest:.0e}"
        return f"<rollout of {len(self.times)} times up to {self.times[-1]:.6g} s, batch {batch}{error}>"


def rollout(
    robot: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    torque: Torque | None = None,
    *,
    step: float,
    steps: int,
    torque_sequence: ArrayLike | None = None,
    external: Mapping[str, object] | None = None,
    every: int = 1,
    error_states: int = 16,
    progress: bool | Report = False,
    **others: Never,
) -> Rollout:
    """The motions of many states at once, by `steps` Runge-Kutta steps of `step` seconds (fourth order).

    - `torque`: forces of the drives, constant (..., n), or a function `f(t, q, qd)` of the whole batch, called once
      a step; `torque_sequence` (steps, ..., n) gives those of every step instead. They are held over the step.
    - `external`: constant wrenches on links.
    - `every`: keep only every so many steps (the last one too), to save memory.
    - `error_states`: of how many states, evenly spread over the batch, `.error` shall be an estimate of the error
      (`lp.RolloutError`); each of them takes three times its work. 0 for none.

    Quaternions stay units, and loops closed: each step ends on them. A joint with Coulomb friction comes to rest and
    stays; the step in which it does is of first order. The step is as long as it is given: `.error` says whether it
    is short enough. Limits of joints are not enforced.

    >>> import loadpath as lp
    >>> starts = np.random.default_rng(0).uniform(-1, 1, (1000, 2))
    >>> lp.catalog.planar(2).rollout(starts, [0, 0], step=0.01, steps=50, every=10).q.shape
    (6, 1000, 2)
    """
    if robot.is_elastic:
        refuse_elastic(robot, "rollout")
    refuse_keywords("rollout", others, STEPPED)
    step = seconds(step, "step", "rollout")
    for name, count, least in (("steps", steps, 1), ("every", every, 1), ("error_states", error_states, 0)):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < least:
            raise ValueError(f"rollout: '{name}' is {count!r}: expected a whole number, {least} or more")
    closed = bool(robot.closing_names)
    method = CompiledMethod(robot, RobotQuantities.step.for_robot(robot))
    spec, wrenches = external_wrenches(method, external)
    kernel = method.compiled(Variant(DEFAULT, None, spec))
    more = () if wrenches is None else (np.asarray(wrenches, dtype=float),)
    start = [_array(q, "q", robot.coordinate_names), _array(qd, "qd", robot.dof_names)]
    for question in in_other_units(robot, *start):
        warn(f"rollout: {question}")
    force = _force(robot, torque, torque_sequence, int(steps), step)
    first = _shaped(robot, force(0, *start), None)
    shapes = {"q": start[0].shape[:-1], "qd": start[1].shape[:-1], "torque": first.shape[:-1]}
    if wrenches is not None:
        shapes["external"] = np.shape(wrenches)[:-2]
    batch = batch_shape(shapes, "rollout")
    now = tuple(np.broadcast_to(array, (*batch, array.shape[-1])).copy() for array in start)
    kept = [0, *range(every, steps, every), steps]
    result = Rollout(
        times=np.array(kept) * step,
        q=np.empty((len(kept), *batch, robot.nq)),
        qd=np.empty((len(kept), *batch, robot.n)),
    )
    result.q[0], result.qd[0] = now
    row = 1
    halves = _Halves(robot, lambda *a: kernel(*a)[:2], result, more, error_states)
    if closed:  # its last result is the status of the state that a step begins with: none is begun with open loops
        verdict(method, now, (kernel(*now, first, step, *more)[-1],), True)
    with reporting(progress, f"rolling out {robot.name}") as report:
        for k in range(steps):
            tau = first if k == 0 else _shaped(robot, force(k, *now), batch)
            now = kernel(*now, tau, step, *more)[:2]
            halves.step(tau, step)
            if kept[row] == k + 1:
                result.q[row], result.qd[row] = now
                halves.keep(row)
                row += 1
            report((k + 1) / steps)
    result = replace(result, error=halves.error())
    if closed:
        _warn_of_open_loops(robot, result, step)
    _warn_of_divergence(result, step)
    return result


class _Halves:
    """Some states of a rollout, stepped in halves of each step."""

    def __init__(
        self, robot: RobotModel, step: Callable[..., Any], result: Rollout, more: tuple[Floats, ...], count: int
    ) -> None:
        self.robot, self.result, self.batch, self._step = robot, result, result.qd.shape[1:-1], step
        size = int(np.prod(self.batch, dtype=int))
        self.states: Ints = np.unique(np.linspace(0, size - 1, min(count, size)).astype(int)) if size else np.arange(0)
        self.now = tuple(self._chosen(part[0], 1) for part in (result.q, result.qd))
        self.more = tuple(self._chosen(part, 2) for part in more)  # wrenches, of two axes
        self.q = np.empty((len(result.times), len(self.states), robot.nq))
        self.qd = np.empty((len(result.times), len(self.states), robot.n))
        self.keep(0)

    def _chosen(self, array: Floats, axes: int) -> Floats:
        shape = array.shape[array.ndim - axes :]
        size = int(np.prod(self.batch, dtype=int))
        return np.broadcast_to(array, (*self.batch, *shape)).reshape(size, *shape)[self.states]

    def step(self, tau: Floats, step: float) -> None:
        if len(self.states):
            mine = self._chosen(tau, 1)
            for _ in range(2):
                self.now = self._step(*self.now, mine, 0.5 * step, *self.more)

    def keep(self, row: int) -> None:
        self.q[row], self.qd[row] = self.now

    def error(self) -> RolloutError | None:
        if not len(self.states):
            return None
        times = len(self.result.times)
        size = int(np.prod(self.batch, dtype=int))
        q, qd = (part.reshape(times, size, part.shape[-1])[:, self.states] for part in (self.result.q, self.result.qd))
        share = 0.5 if rubbing_speeds(plain(self.robot)) else 1.0 - 0.5**ORDER
        apart = CompiledMethod(self.robot, RobotQuantities.difference).uncompiled(self.q, q)
        return RolloutError(self.states, apart / share, (qd - self.qd) / share)


def _warn_of_open_loops(robot: RobotModel, result: Rollout, step: float) -> None:
    """Steps so long that their end was too far from the loops to close them again."""
    gaps = CompiledMethod(robot, ClosedQuantities.closure).uncompiled(result.q[-1])
    open_ = (gaps > CLOSED_WITHIN * np.array([loop_length(robot), 1.0])).any(axis=(-2, -1))
    if open_.any():
        warn(f"rollout: the loops of '{robot.name}' are open at the end in {int(open_.sum())} of {open_.size} states: "
             f"a shorter step than {step:g} s keeps them closed")


def _warn_of_divergence(result: Rollout, step: float) -> None:
    """Motions that have grown beyond all numbers: the step was too long for them, or the torque not bounded."""
    if np.isfinite(result.qd[-1]).all() and np.isfinite(result.q[-1]).all():
        return
    unknown = not_finite(result.q[-1]) | not_finite(result.qd[-1])
    lost = not_finite(result.qd).reshape(len(result.times), -1).any(axis=1)
    when = float(result.times[int(np.argmax(lost))]) if lost.any() else float(result.times[-1])
    warn_of_unknown(unknown, "rollout", f"the first by t = {when:.6g} s: a shorter step than {step:g} s may help, or "
                    "is the torque unbounded?")


def _array(value: Any, name: str, names: tuple[str, ...]) -> Floats:
    array = numbers(value, name, "rollout", names)
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise ValueError(f"rollout: '{name}' has the shape {array.shape}: expected (..., {len(names)})")
    return array


def _force(robot: RobotModel, torque: Any, sequence: Any, steps: int, step: float) -> Any:
    """A function of the step's number, q and qd that gives the drive forces."""
    if sequence is not None:
        if torque is not None:
            raise ValueError("rollout: give 'torque' or 'torque_sequence', not both")
        rows = _array(sequence, "torque_sequence", robot.dof_names)
        if rows.ndim < 2 or len(rows) != steps:
            raise ValueError(
                f"rollout: 'torque_sequence' has the shape {rows.shape}: expected ({steps}, ..., {robot.n})"
            )
        return lambda k, q, qd: rows[k]
    if callable(torque):
        return lambda k, q, qd: torque(k * step, q.copy(), qd.copy())  # the function may change its arguments
    constant = np.zeros(robot.n) if torque is None else _array(torque, "torque", robot.dof_names)
    return lambda k, q, qd: constant


def _shaped(robot: RobotModel, tau: Any, batch: tuple[int, ...] | None) -> Floats:
    array = np.asarray(tau)
    if array.dtype.kind not in "biuf" or array.ndim == 0 or array.shape[-1] != robot.n:
        raise ValueError(f"rollout: the torque has the shape {array.shape} and dtype {array.dtype}: expected "
                         f"(..., {robot.n}) real numbers")
    if batch is not None:
        try:
            np.broadcast_to(array, (*batch, robot.n))
        except ValueError:
            raise ValueError(f"rollout: the torque has the shape {array.shape}: expected one that goes with "
                             f"{(*batch, robot.n)}") from None
    return array
