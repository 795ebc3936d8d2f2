"""Which parameters act together, found by numbers: the dependent columns of the regressor at random states.

Columns are taken from the base outwards; in each link those come first that a body on a revolute axis cannot share with
its parent. A column is kept if it does not depend on those kept before it. This leaves Khalil's choice: of
a link on a revolute joint along z its mass, its mz and its Iyy go to the parent, of one on a slide its tensor.

- M. Gautier, W. Khalil, Direct calculation of minimum set of inertial parameters of serial robots, IEEE Trans. Robotics
  and Automation 6 (1990), 368-373.
- M. Gautier, Numerical calculation of the base inertial parameters of robots, J. Robotic Systems 8 (1991), 485-506.
- H. Mayeda, K. Yoshida, K. Osuka, Base parameters of manipulator dynamic models, IEEE Trans. Robotics and Automation 6
  (1990), 312-321.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are imported where they are first used

from loadpath.identification.closed_states import random_closed_states
from loadpath.identification.parameters import TENSOR, DynamicParameters, Scale, carriers, frames_only
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

_SEEDS = (1, 2)
_EXACT = 1e-9
"""What is left of a dependent column by rounding, in units of the robot's scale, is far below this."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Columns kept, in rising order, and how the others depend on them: others = kept @ shares, in SI units."""

    kept: tuple[int, ...]
    idle: tuple[int, ...]
    """Columns of parameters without any influence."""
    matrix: Floats
    """(kept, parameters): base parameters = matrix @ all parameters."""
    misfit: float
    """How far the grouping is from exact, relative: rounding, or angles near a special one (1.5708)."""


def group(parameters: DynamicParameters, tolerance: float) -> Grouping:
    """The grouping of a robot's parameters; columns within the tolerance of dependent count as dependent.

    >>> from loadpath.catalog import planar
    >>> parameters = DynamicParameters(planar(2))
    >>> [parameters.names[j] for j in group(parameters, 1e-4).kept]
    ['mx1', 'my1', 'Izz1', 'mx2', 'my2', 'Izz2']
    """
    scale = Scale.of(parameters.robot)
    order = preference(parameters.robot)
    order += range(parameters.of_links, len(parameters.names))
    draws = [_columns(parameters, scale, seed) for seed in _SEEDS]
    choices = [_independent(columns, order, tolerance) for columns in draws]
    ranks = {_rank(columns, tolerance) for columns in draws} | {len(choice) for choice in choices}
    if len(ranks) > 1 or len(set(choices)) > 1:
        raise ValueError(
            f"robot '{parameters.robot.name}': how many parameters are independent is not clear at the tolerance "
            f"{tolerance:g}: {' or '.join(str(rank) for rank in sorted(ranks))}; give another tolerance"
        )
    kept = sorted(choices[0])
    columns = np.vstack(draws)
    norms = np.linalg.norm(columns, axis=0)
    others = [j for j in range(len(norms)) if j not in set(kept)]
    shares = np.linalg.lstsq(columns[:, kept], columns[:, others], rcond=None)[0]
    off = np.linalg.norm(columns[:, kept] @ shares - columns[:, others], axis=0) / np.maximum(norms[others], 1.0)
    misfit = float(off.max(initial=0.0))
    shares[np.abs(shares) <= (_EXACT if misfit <= _EXACT else tolerance)] = 0.0
    idle = tuple(j for k, j in enumerate(others) if not shares[:, k].any())
    unit = scale.of_parameters(parameters)
    matrix = np.zeros((len(kept), len(norms)))
    matrix[np.arange(len(kept)), kept] = 1.0
    matrix[:, others] = _neat(shares * unit[kept][:, None] / unit[others])
    return Grouping(tuple(kept), idle, matrix, misfit)


def _neat(shares: Floats) -> Floats:
    """Shares within rounding of whole numbers made whole."""
    whole = np.round(shares)
    neat: Floats = np.where(np.abs(shares - whole) <= 1e-11 * np.abs(whole), whole, shares)
    return neat


def preference(robot: RobotModel) -> list[int]:
    """Columns of the links in the order in which they are kept: parents first, bodies before frames without mass."""
    frames, carrier, names = frames_only(robot), carriers(robot), robot.link_names
    links = sorted(range(len(names)), key=lambda i: (names.index(carrier[names[i]]), names[i] in frames, i))
    return [10 * i + entry for i in links for entry in of_link(robot, names[i])]


def of_link(robot: RobotModel, link: str) -> list[int]:
    """The ten parameters of a link, last those that it can share with its parent if its axis is nearest to `k`."""
    joint = next((joint for joint in robot.joints if joint.child == link), None)
    axis = joint.motion.axis_direction() if joint is not None else None
    k = 2 if axis is None or joint is None else int(np.argmax(np.abs(joint.link_offset.R.T @ axis)))
    i, j = (k + 1) % 3, (k + 2) % 3  # k = z: i = x, j = y
    tensor = [TENSOR[k][k], TENSOR[i][i], TENSOR[i][j], TENSOR[i][k], TENSOR[j][k]]
    return [*tensor, 1 + i, 1 + j, TENSOR[j][j], 1 + k, 0]


def random_states(parameters: DynamicParameters, scale: Scale, count: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """States in which nothing is special, of speeds and accelerations that gravity gives to bodies of that size."""
    robot, rng = parameters.robot, np.random.default_rng(seed)
    q = np.zeros((count, robot.nq))
    for joint in robot.joints:
        if joint.mimic is None and joint.motion.dof:
            at, motion = robot.q_slices[joint.name], joint.motion
            sizes = [math.pi if angular else scale.length for angular in motion.angular][: motion.coordinates]
            if motion.coordinates != motion.dof:  # a quaternion, of any length
                sizes = [scale.length] * (motion.coordinates - 4) + [1.0] * 4
            q[:, at] = rng.uniform(-1.0, 1.0, (count, motion.coordinates)) * sizes
    size = np.array([1.0 if angular else scale.length for angular in parameters.angular])
    qd, qdd = rng.normal(size=(2, count, robot.n)) * size
    return q, qd / scale.time, qdd / scale.time**2


def _columns(parameters: DynamicParameters, scale: Scale, seed: int) -> Floats:
    """The regressor of many random states, rows compressed, in units of the scale and per state."""
    if parameters.robot.closing_names:
        return _compressed(closed_rows(parameters, scale, seed))
    count = math.ceil(3 * len(parameters.names) / max(parameters.robot.n, 1)) + 10
    Y = parameters.regressor(*random_states(parameters, scale, count, seed))
    Y = Y * scale.of_parameters(parameters) / scale.of_forces(parameters)[:, None]
    return _compressed(Y)


def closed_rows(parameters: DynamicParameters, scale: Scale, seed: int) -> Floats:
    """(states, freedoms, parameters): the tree's forces along each motion that the loops allow, of random closed
    states, in units of the scale. Orthonormal motions: dead points of the drives are no special places then.
    """
    robot = parameters.robot
    count = math.ceil(3 * len(parameters.names) / max(robot.mobility, 1)) + 10
    size = np.array([1.0 if angular else scale.length for angular in parameters.angular])
    states, motions = random_closed_states(robot, size, 1.0 / scale.time, count, seed)
    Y = np.swapaxes(motions, 1, 2) @ (size[:, None] * parameters.of_tree(*states))
    return Y * scale.of_parameters(parameters) / (scale.gravity * scale.length)


def _compressed(Y: Floats) -> Floats:
    """Rows (states, rows, parameters) as few, per state."""
    return np.asarray(np.linalg.qr(Y.reshape(-1, Y.shape[-1]), mode="r")) / math.sqrt(len(Y))


def _independent(columns: Floats, order: list[int], tolerance: float) -> tuple[int, ...]:
    """Columns that do not depend on those before them in the order (Gram-Schmidt, twice is enough)."""
    basis = np.zeros((len(columns), 0))
    kept = []
    for j in order:
        length = float(np.linalg.norm(columns[:, j]))
        if length <= tolerance:
            continue
        remainder = columns[:, j] / length
        for _ in range(2):
            remainder = remainder - basis @ (basis.T @ remainder)
        left = float(np.linalg.norm(remainder))
        if left > tolerance:
            kept.append(j)
            basis = np.column_stack([basis, remainder / left])
    return tuple(kept)


def _rank(columns: Floats, tolerance: float) -> int:
    """The rank by QR with column pivoting, which no order of the columns can mislead."""
    norms = np.linalg.norm(columns, axis=0)
    moving = columns[:, norms > tolerance] / norms[norms > tolerance]
    if not moving.size:
        return 0
    pivots = np.abs(np.diag(scipy.linalg.qr(moving, mode="r", pivoting=True)[0]))
    return int(np.count_nonzero(pivots > tolerance * pivots[0]))
