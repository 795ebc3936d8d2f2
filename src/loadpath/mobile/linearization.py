"""`rover.linearize`: the linear equations of small deviations of a rover whose wheels roll, arm and base together.

Its wheels hold the base in some directions (`rover.constraint_matrix`), so of (v_x, v_y, w) some speeds are independent
and the others follow. The deviation of a state is

    x = (dx, dy, dheading, dq,  deviations of the independent speeds of the base, dqd),

the place of the base in its own axes (a small motion with the meaning of the velocity). Accelerations are those of
`rover.forward_dynamics`, which solves for contacts; they are differentiated by differences of sixth order, with an
error of about 1e-11 of the numbers that they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from loadpath.algorithms.coulomb import DryFriction
from loadpath.errors import ModelError
from loadpath.mobile.dynamics import AskedAccelerations, rover_accelerations
from loadpath.mobile.motions import (
    MOVES_BY,
    Steering,
    as_numbers,
    base_components,
    refuse_ground,
    refuse_links,
)
from loadpath.quantities.motion import refuse_elastic
from loadpath.quantities.wrench import Wrench
from loadpath.robot.mechanism import plain
from loadpath.robot.numbers import known
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.simulate.linearization import POSE, Linearization, refuse_dry_friction
from loadpath.states import Joints, StatesLike, is_motion, read_arrays, refuse_keywords

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

PLACE = ("base x", "base y", "base heading")
SPEEDS = ("base v_x", "base v_y", "base w")
STEP = 0.01
"""Of differences: radians, the size of the base, and speeds of these."""
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
"""Steps and weights of central differences of sixth order."""


def linearize(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    *,
    velocity: ArrayLike | None = None,
    wheel_torques: ArrayLike | Mapping[str, ArrayLike] | None = None,
    heading: ArrayLike | None = None,
    steering: Steering = None,
    external: Mapping[str, Wrench] | None = None,
    dt: float | None = None,
    inputs: Iterable[str] | None = None,
    output: str | None = None,
    **others: Never,
) -> Linearization:
    """The linear equations of small deviations from the motion of base and arm together through q, qd and `velocity`,
    under `tau` and `wheel_torques`, while every wheel rolls: `.A`, `.B`, `.C`, `.D`; see `lp.Linearization`.

    The state has the place of the base (its origin along the base's own axes and its heading), the joints, the speeds
    of the base that its wheels leave independent (all of `.state_names`), and those of the joints. Inputs are the
    forces of the arm's drives, then the torques of all wheels with an axle, or those that `inputs` names. Steering
    angles stay as they are. `output="link"` is the pose of a link seen from the base. `tau` is zero if not given.

    At rest, rolling resistance and dry friction hold what stands, which no linear equation describes: an error that
    names it. Arguments as in `forward_dynamics`.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True, friction=lp.WheelFriction(0.8))
    >>> about = rover.linearize([0, 0, 0.5], velocity=(1.0, 0.0))
    >>> about.state_names[6:8], about.input_names[-2:]
    (('base v_x', 'base w'), ('wheel2', 'wheel3'))
    >>> about.A[1, 2]                                     # a heading of 1 rad off drifts to the left with 1 m/s
    np.float64(1.0)
    """
    refuse_keywords("linearize", others, MOVES_BY)
    _refuse(rover)
    if q is None or is_motion(q):
        raise ValueError("linearize of a rover takes arrays q, qd, tau and velocity=: give those of the motion")
    still = np.zeros(rover.n)
    given = {"q": q, "qd": still if qd is None else qd, "tau": still if tau is None else tau}
    read = {name: np.asarray(part, dtype=float) for name, part in
            read_arrays(Joints.of(rover), given, "linearize").items()}
    speeds = base_components((0.0, 0.0) if velocity is None else velocity, "velocity")
    facing = as_numbers(0.0 if heading is None else heading, "heading")
    wheels = rover.arrangement
    angles = wheels.aligned(speeds) if steering is None else wheels.read_steering(steering)
    if np.ndim(angles) > 1:
        if (angles != angles.reshape(-1, angles.shape[-1])[0]).any():
            raise ValueError("linearize: wheels are steered otherwise in each state, so their equations have other "
                             "states: linearize for one steering= at a time")
        angles = angles.reshape(-1, angles.shape[-1])[0]
    _refuse_rest(rover, speeds, read["qd"])
    free, N = _independent(rover.constraint_matrix(steering=angles))
    axled = [name for name, turned in zip(rover.contact_names, wheels.axled, strict=True) if turned]
    names = (*rover.dof_names, *axled)
    batch = np.broadcast_shapes(*(part.shape[:-1] for part in read.values()), speeds.shape[:-1], facing.shape)
    n, m = rover.n, len(free)
    torques = _torques(rover, wheel_torques, axled, batch)

    # One vector has all that changes: heading, q, independent speeds of the base, qd, tau, torques of wheels.
    here = np.concatenate([np.broadcast_to(part, (*batch, part.shape[-1])) for part in (
        facing[..., None], read["q"], speeds[..., free], read["qd"], read["tau"], torques)], axis=-1)
    cuts = np.cumsum([1, n, m, n, n])

    def accelerations(at: Floats) -> Floats:
        facing, q, own, qd, tau, torques = np.split(at, cuts, axis=-1)
        found = rover_accelerations(AskedAccelerations(
            rover, q, qd, velocity=own @ N.T, tau=tau, heading=facing[..., 0], steering=angles, external=external,
            wheel_torques={name: torques[..., k] for k, name in enumerate(axled)} or None,
        ))
        return np.concatenate([found.acceleration[..., free], found.qdd], axis=-1)

    slopes = _slopes(accelerations, here, _steps(rover, here, cuts, free))
    states, place = 3 + n + m + n, 3 + n
    A, B = np.zeros((*batch, states, states)), np.zeros((*batch, states, len(names)))
    v_x, v_y, w = (np.broadcast_to(speeds, (*batch, 3))[..., k] for k in range(3))
    A[..., 0, 1], A[..., 0, 2], A[..., 1, 0], A[..., 1, 2] = w, -v_y, -w, v_x
    A[..., :3, place : place + m] = N
    A[..., range(3, place), range(place + m, states)] = 1.0
    A[..., place:, 2:place], A[..., place:, place:] = slopes[..., : 1 + n], slopes[..., 1 + n : cuts[3]]
    B[..., place:, :] = slopes[..., cuts[3] :]
    chosen = names if inputs is None else tuple(known(name, names, "joint or wheel for an input") for name in inputs)
    moving = (*(SPEEDS[k] for k in free), *(f"{name} rate" for name in rover.dof_names))
    state_names = (*PLACE, *rover.dof_names, *moving)
    if output is None:
        C, output_names = np.broadcast_to(np.eye(states), A.shape).copy(), state_names
    else:
        C, output_names = np.zeros((*batch, 6, states)), tuple(f"{output} {name}" for name in POSE)
        link = known(output, rover.link_names, "link for the output")
        C[..., 3:place] = rover.on_fixed_base.jacobian(read["q"], link)
    D = np.zeros((*batch, len(output_names), len(chosen)))
    found = Linearization(A, B[..., [names.index(name) for name in chosen]], C, D, state_names, chosen, output_names,
                          accelerations(here))
    return found if dt is None else found.discretized(dt)


def _refuse(rover: Rover) -> None:
    if rover.is_elastic:
        refuse_elastic(rover, "linearize")
    refuse_ground(rover.ground, "linearize")
    refuse_links(rover, "linearize")
    if rover.closing_names:
        raise ModelError(f"linearize of a rover knows open chains, and the robot on '{rover.name}' is closed by "
                         f"{', '.join(rover.closing_names)}: rover.robot.linearize(...) is of it on a base at rest")
    if rover.quaternion_starts:
        raise ModelError(f"linearize of a rover knows joints without quaternions, and the robot on '{rover.name}' has "
                         "some: rover.robot.linearize(...) is of it on a base at rest")
    if not rover.base.on_plain_springs and len(rover.contact_names) > 3:
        raise ModelError(f"linearize: base '{rover.name}' stands on springs: rover.ride_modes(...) has its vibrations, "
                         "and rover.without_beams().linearize(...) is on rigid wheels")


def _refuse_rest(rover: Rover, speeds: Floats, qd: Floats) -> None:
    refuse_dry_friction(rover, qd)
    resisted = [name for name, rolling in zip(rover.contact_names, rover.rolling_friction, strict=True) if rolling]
    if resisted and (speeds == 0).all(axis=-1).any():
        raise ValueError(f"linearize: rover '{rover.name}' stands, and rolling resistance of '{resisted[0]}' holds it, "
                         "which no linear equation describes: give it a velocity=, or friction with rolling=0")


def _independent(rows: Floats) -> tuple[list[int], Floats]:
    """Which of (v_x, v_y, w) are independent under the rows of the wheels, and all three (3, m) per unit of these."""
    _, sizes, directions = np.linalg.svd(np.vstack([rows.reshape(-1, 3), np.zeros((1, 3))]))
    rank = int((sizes > 1e-9 * max(sizes.max(), 1e-300)).sum()) if sizes.max() > 0 else 0
    held = directions[:rank]
    best, chosen = -1.0, [0, 1, 2]
    for dependent in sorted(combinations(range(3), rank), key=lambda which: 1 not in which):
        size = abs(float(np.linalg.det(held[:, dependent]))) if rank else 1.0
        if size > best + 1e-9:
            best, chosen = size, [k for k in range(3) if k not in dependent]
    N = np.zeros((3, len(chosen)))
    N[chosen, range(len(chosen))] = 1.0
    rest = [k for k in range(3) if k not in chosen]
    N[rest] = -np.linalg.solve(held[:, rest], held[:, chosen]) + 0.0
    return chosen, N


def _torques(rover: Rover, given: Any, axled: list[str], batch: tuple[int, ...]) -> Floats:
    """(..., wheels with an axle)."""
    result = np.zeros((*batch, len(axled)))
    if given is None:
        return result
    if not isinstance(given, Mapping):
        numbers = as_numbers(given, "wheel_torques")
        given = {name: numbers[..., k] for k, name in enumerate(rover.contact_names) if name in axled}
    for name, value in given.items():
        result[..., axled.index(known(name, axled, "wheel with an axle"))] = value
    return result


def _steps(rover: Rover, at: Floats, cuts: Ints, free: list[int]) -> Floats:
    """How far each entry is moved, (..., entries): so little that nothing stops or turns round that friction acts on.
    Accelerations are linear in forces, which may change by any amount; the weight of the rover is one.
    """
    _, q, own, qd, tau, _ = np.split(at, cuts, axis=-1)
    length, mass = rover.arrangement.size, rover.mass_matrix(q)[..., 0, 0]
    angular = np.array([turns for joint in rover.robot.joints if joint.motion.dof and joint.mimic is None
                        for turns in joint.motion.angular], dtype=bool)
    of_joints, of_base = np.where(angular, 1.0, length), np.array([length, length, 1.0])[free]
    rubs = DryFriction(plain(rover.robot)).at_rest > 0
    moving = np.where(rubs, np.minimum(10 * np.abs(qd), of_joints), of_joints)
    rolls = np.ones(own.shape)
    if rover.rolling_friction.any():
        rolls = rolls * np.minimum(10 * np.abs(own / of_base).max(axis=-1, initial=0.0, keepdims=True), 1.0)
    forces = (100 * mass * length)[..., None] * np.ones((tau.shape[-1] + at.shape[-1] - cuts[-1],))
    parts = (np.ones((*at.shape[:-1], 1)), np.broadcast_to(of_joints, q.shape), rolls * of_base, moving, forces)
    return STEP * np.concatenate(parts, axis=-1)


def _slopes(function: Callable[[Floats], Floats], at: Floats, step: Floats) -> Floats:
    """(..., results, entries): derivatives of a function of batches by each entry."""
    moves = step[..., None, :] * np.eye(at.shape[-1])
    steps = [(side * count, side * weight) for count, weight in STENCIL for side in (1, -1)]
    moved = np.stack([at[..., None, :] + count * moves for count, _ in steps], axis=-3)
    found = function(moved)  # (..., steps, entries, results)
    slope = np.einsum("s,...skr->...rk", [weight for _, weight in steps], found) / step[..., None, :]
    return np.asarray(slope)
