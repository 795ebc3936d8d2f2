"""`inverse_kinematics`: configurations that bring a link to given poses, for many poses at once.

Every row of a batch walks by itself: rows that have arrived, or that no longer get nearer, leave the batch; those
that have not arrived begin again elsewhere. The step is one compiled kernel.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Never

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms import pose_steps as formulation
from loadpath.algorithms.pose_steps import moving_speeds
from loadpath.closure.chain import Ranges
from loadpath.engine.arguments import DEFAULT, Variant, link_name
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.errors import warn
from loadpath.motion.checks import in_other_units
from loadpath.robot.arrays import array_of, batch_shape
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.keywords import refuse_keywords

# Poses given by the caller: checked, and made exact rotations.

TOLERANCE = 1e-5
"""How far the product of a rotation matrix with its transpose may be from the identity."""


def checked_poses(pose: Any, caller: str = "inverse_kinematics", what: str = "pose") -> Floats:
    """Poses (..., 4, 4) with the rotations nearest to those given, or an error that names the first bad one.

    >>> checked_poses(np.diag([1.0, 1.0, -1.0, 1.0]))
    Traceback (most recent call last):
    ValueError: inverse_kinematics: pose is a reflection, not a rotation (determinant -1)
    """
    try:
        poses = np.asarray(pose, dtype=float)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{caller}: '{what}' is not an array of numbers ({problem}): expected homogeneous "
                         "matrices (..., 4, 4), as link_poses and lp.Pose(...).matrix give them") from None
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise ValueError(f"{caller}: '{what}' has the shape {poses.shape}: expected (..., 4, 4)")
    title = caller, what
    _refuse(title, ~np.isfinite(poses).all(axis=(-2, -1)), "has entries that are not finite numbers")
    _refuse(title, np.abs(poses[..., 3, :] - [0, 0, 0, 1]).max(axis=-1) > 1e-9, "has a last row that is not 0, 0, 0, 1")
    R = poses[..., :3, :3]
    _refuse(title, np.linalg.det(R) < 0, "is a reflection, not a rotation (determinant -1)")
    stretch = np.abs(np.swapaxes(R, -2, -1) @ R - np.eye(3)).max(axis=(-2, -1))
    skewed = "is not a rotation: its columns are not perpendicular units (off by {:.3g})"
    _refuse(title, stretch > TOLERANCE, skewed, stretch)
    exact = poses.copy()
    for _ in range(2):  # each squares how far they are from the nearest rotation
        R = R @ (1.5 * np.eye(3) - 0.5 * np.swapaxes(R, -2, -1) @ R)
    exact[..., :3, :3] = R
    return exact


def _refuse(title: tuple[str, str], bad: NDArray[np.bool_], why: str, number: Floats | None = None) -> None:
    if not bad.any():
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    caller, what = title
    row = f"{what} {list(first)}" if first else what
    raise ValueError(f"{caller}: {row} {why.format('' if number is None else number[first])}")


PATIENCE, PROGRESS = 8, 0.9
"""A row that within so many steps does not get below this share of its error begins again elsewhere."""
LAST_PATIENCE, LAST_PROGRESS = 30, 0.999
"""The same for rows that have not arrived from anywhere, on their way from the best they found."""
AT_ONCE = 64
"""Few rows begin again from many places at once: a small batch takes as long as one."""


FAR, LOOSE = 10.0, 1.5
"""A target so many times as far away as the link reaches is asked about, if a thousandth of it is within reach."""


UNDER_LOADS = (
    "poses of rigid links do not depend on loads; robot.with_beams(...).compensated(q, ...) takes them, and corrects q "
    "for how far they bend the arm"
)
"""Why loads are not taken, and what to do."""


class UnreachedWarning(UserWarning):
    """Some targets of an inverse kinematics were not reached."""


class _Kernels:
    inverse_kinematics_step = Compiled(
        formulation.inverse_kinematics_step,
        "(q),(4,4),(6),(6)->(q),(3)",
        plain,
        "One step of damped least squares towards a pose.",
        takes_link=True,
    )


@dataclass(frozen=True, eq=False)
class IKResult:
    """Configurations for the poses that were asked for. Where `reached` is False, q is only the nearest one found."""

    q: Floats
    """(..., nq): within the limits of the joints."""
    reached: NDArray[np.bool_]
    """(...): whether both errors are within the tolerances."""
    position_error: Floats
    """(...): distance of the link's origin from the target's, m, along the axes that count."""
    rotation_error: Floats
    """(...): angle between the link and the target, rad, about the axes that count."""
    iterations: NDArray[np.int64]
    """(...): steps taken, over all starts."""


def inverse_kinematics(
    robot: RobotModel,
    pose: ArrayLike,
    link: str | None = None,
    q0: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    tolerance_position: float = 1e-6,
    tolerance_rotation: float = 1e-6,
    iterations: int = 100,
    restarts: int = 50,
    seed: int = 0,
    strict: bool = False,
    **others: Never,
) -> IKResult:
    """Configurations that bring a link to poses (..., 4, 4) in the world, within the limits of the joints.

    - `link`: by default the only end that the robot has. Only joints between the base and the link move.
    - `q0` (..., nq): where the search begins; by default the middle of the joints' ranges. Joints that do not move the
      link stay there.
    - `weights` (6): of the errors along and about the world's x, y and z; those with weight 0 do not count:
      `(1, 1, 1, 0, 0, 0)` for positions only.
    - `tolerance_position` (m), `tolerance_rotation` (rad): what counts as reached.
    - `iterations`: most steps from each start; `restarts`: how often a row that has not arrived begins again, at random
      within the limits (`seed`).
    - `strict`: raise a ValueError if a target is not reached, instead of warning.

    Damped least squares (see `loadpath.algorithms.pose_steps`). A target that is not reached is reported:
    `reached` is False, and q is the nearest configuration found. A quaternion has no limits.

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> target = arm.link_poses([0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7])[-1]
    >>> answer = arm.inverse_kinematics(target)
    >>> bool(answer.reached), bool(answer.position_error < 1e-6)
    (True, True)
    """
    refuse_keywords("inverse_kinematics", others, UNDER_LOADS)
    targets = checked_poses(pose)
    counts, weighted = _weights(weights)
    for name, value in (("tolerance_position", tolerance_position), ("tolerance_rotation", tolerance_rotation)):
        if not value > 0:
            raise ValueError(f"inverse_kinematics: '{name}' is {value}: expected a positive number")
    if iterations < 1 or restarts < 0:
        raise ValueError(f"inverse_kinematics: 'iterations' is {iterations} and 'restarts' is {restarts}: expected at "
                         "least 1 and 0")
    task = _task(robot, link)
    ranges = task.ranges
    start = _start(robot, ranges, q0)
    batch = batch_shape({"pose": targets.shape[:-2], "q0": start.shape[:-1]}, "inverse_kinematics")
    count = math.prod(batch)
    targets = np.broadcast_to(targets, (*batch, 4, 4)).reshape(count, 4, 4)
    start = np.broadcast_to(start, (*batch, robot.nq)).reshape(count, robot.nq)
    search = _Search(
        kernel=task.kernel,
        targets=targets,
        weights=weighted / np.repeat((ranges.size, 1.0), 3),
        counts=counts,
        tolerances=np.array([tolerance_position, tolerance_rotation]),
        best_q=start.copy(),
        best=np.full((count, 3), np.inf),
        reached=np.zeros(count, dtype=bool),
        taken=np.zeros(count, dtype=np.int64),
    )
    search.walk(np.arange(count), start, iterations)
    rng = np.random.default_rng(seed)
    left = restarts if task.moving.any() else 0
    while left and not search.reached.all():
        rows = np.flatnonzero(~search.reached)
        copies = min(left, max(1, AT_ONCE // len(rows)))
        rows = np.repeat(rows, copies)
        search.walk(rows, np.where(task.moving, ranges.anywhere(start[rows], rng), start[rows]), iterations)
        left -= copies
    rows = np.flatnonzero(~search.reached)
    search.walk(rows, search.best_q[rows], iterations, LAST_PATIENCE, LAST_PROGRESS)
    result = IKResult(
        q=ranges.clipped(search.best_q).reshape(*batch, robot.nq),
        reached=search.reached.reshape(batch),
        position_error=search.best[:, 0].reshape(batch),
        rotation_error=search.best[:, 1].reshape(batch),
        iterations=search.taken.reshape(batch),
    )
    _report_missed(robot, task.link, targets.reshape(*batch, 4, 4), result, strict)
    return result


class _Task(NamedTuple):
    """What depends on robot and link alone."""

    link: str
    kernel: np.ufunc
    ranges: Ranges
    moving: NDArray[np.bool_]
    """(nq): which coordinates move the link."""


@functools.lru_cache(maxsize=64)
def _task(robot: RobotModel, link: str | None) -> _Task:
    method = CompiledMethod(robot, _Kernels.inverse_kinematics_step)
    name = link_name(method, link)
    kernel = method.compiled(Variant(DEFAULT, name))
    speeds = set(moving_speeds(plain(robot), name))
    moving = np.zeros(robot.nq, dtype=bool)
    for joint, v in robot.v_slices.items():
        moving[robot.q_slices[joint]] |= v.start in speeds
    return _Task(name, kernel, Ranges(robot, reach(robot, name)), moving)


@dataclass
class _Search:
    """The best found so far for every target, and the walk that improves it."""

    kernel: np.ufunc
    targets: Floats
    weights: Floats
    counts: Floats
    tolerances: Floats
    best_q: Floats
    best: Floats
    """(targets, 3): distance, angle and weighted error of the best."""
    reached: NDArray[np.bool_]
    taken: NDArray[np.int64]

    def walk(
        self, rows: NDArray[np.intp], q: Floats, iterations: int, patience: int = PATIENCE, progress: float = PROGRESS
    ) -> None:
        """Step from q towards the targets of some rows until they arrive or no longer get nearer. A row may come
        several times, from several q; when one has arrived the others stop.
        """
        targets = self.targets[rows]
        nearest = np.full(len(rows), np.inf)
        waited = np.zeros(len(rows), dtype=np.int64)
        for count in range(iterations + 1):
            if not len(rows):
                return
            following, sizes = self.kernel(q, targets, self.weights, self.counts)
            arrived = (sizes[:, 0] <= self.tolerances[0]) & (sizes[:, 1] <= self.tolerances[1])
            nearer = sizes[:, 2] < progress * nearest
            nearest = np.where(nearer, sizes[:, 2], nearest)
            waited = np.where(nearer, 0, waited + 1)
            leaving = arrived | (waited >= patience) | (count == iterations) | self.reached[rows]
            if not leaving.any():
                q = following
                continue
            self._keep(rows[leaving], q[leaving], sizes[leaving], arrived[leaving], count)
            going = np.flatnonzero(~leaving)
            q, rows, targets = following[going], rows[going], targets[going]
            nearest, waited = nearest[going], waited[going]

    def _keep(self, rows: NDArray[np.intp], q: Floats, sizes: Floats, arrived: NDArray[np.bool_], count: int) -> None:
        np.add.at(self.taken, rows, count)
        better = np.flatnonzero(~self.reached[rows] & (arrived | (sizes[:, 2] < self.best[rows, 2])))
        # Of the same row the best comes last, and stays; one that has arrived is better than any that has not.
        better = better[np.lexsort((-sizes[better, 2], arrived[better]))]
        which = rows[better]
        self.best_q[which], self.best[which], self.reached[which] = q[better], sizes[better], arrived[better]


def reach(robot: RobotModel, link: str) -> float:
    """A length (m) of the size of the robot up to a link: the sum of the distances from joint to joint."""
    parent = {joint.child: joint for joint in robot.joints}
    total = 0.0
    while link in parent:
        joint = parent[link]
        total += float(np.linalg.norm(joint.origin.p) + np.linalg.norm(joint.link_offset.p))
        for limits, angular in zip(joint.limits, joint.motion.angular, strict=False):
            if not angular and np.isfinite([limits.lower, limits.upper]).all():
                total += limits.upper - limits.lower
        link = joint.parent
    return total if total > 0 else 1.0


def _weights(weights: Any) -> tuple[Floats, Floats]:
    """Which errors count (1 or 0), and the weights."""
    values = np.ones(6) if weights is None else np.asarray(weights, dtype=float)
    if values.shape != (6,) or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise ValueError(f"inverse_kinematics: 'weights' is {weights}: expected six numbers, zero or more, for the "
                         "errors along and about x, y and z, not all zero")
    return (values > 0).astype(float), values


def _start(robot: RobotModel, ranges: Ranges, q0: Any) -> Floats:
    if q0 is None:
        return ranges.middle()
    start = np.asarray(array_of(q0, robot.coordinate_names, "inverse_kinematics: 'q0'"), dtype=float)
    if start.ndim == 0 or start.shape[-1] != robot.nq:
        raise ValueError(f"inverse_kinematics: 'q0' has the shape {start.shape}: expected (..., {robot.nq})")
    if not np.isfinite(start).all():
        raise ValueError("inverse_kinematics: 'q0' has entries that are not finite numbers")
    for k in ranges.quaternions:
        if not start[..., k : k + 4].any(axis=-1).all():
            raise ValueError("inverse_kinematics: 'q0' has a quaternion that is zero: expected x, y, z, w")
    for question in in_other_units(robot, start, np.zeros((1, robot.n))):
        warn(f"inverse_kinematics: in 'q0' {question}")
    return ranges.clipped(start)


def _in_millimetres(robot: RobotModel, link: str, target: Floats) -> str:
    """A question, where a target out of reach would be within reach in millimetres."""
    base = next((joint.origin.p for joint in robot.joints if joint.parent == robot.base.name), np.zeros(3))
    distance, length = float(np.linalg.norm(target[:3, 3] - base)), reach(robot, link)
    return ": millimetres?" if distance > FAR * length and distance / 1000 <= LOOSE * length else ""


def _report_missed(robot: RobotModel, link: str, targets: Floats, result: IKResult, strict: bool) -> None:
    missed = np.argwhere(~result.reached)
    if not len(missed):
        return
    first = tuple(int(i) for i in missed[0])
    names = ", ".join(str(list(map(int, row))) for row in missed[:5]) + (" ..." if len(missed) > 5 else "")
    which = f"{len(missed)} of {result.reached.size} targets ({names})" if first else "the target"
    text = (
        f"inverse_kinematics: '{link}' of robot '{robot.name}' does not reach {which}: the nearest configuration found"
        f"{' for the first' if len(missed) > 1 else ''} is off by {result.position_error[first]:.3g} m and "
        f"{result.rotation_error[first]:.3g} rad{_in_millimetres(robot, link, targets[first])}"
    )
    if strict:
        raise ValueError(text)
    warn(text, UnreachedWarning)
