"""`arm.compensated`: joint coordinates that put the sagging tip where the rigid one should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.kinematics.closed.closing import closed_nearby
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.arrays import array_of
from loadpath.robot.ends import link_or_only_end
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import (
    Batch,
    Block,
    LoadCase,
    is_motion,
    state_array,
    state_words,
    unknown_states,
    warn_of_unknown,
)
from loadpath.structure.checks import (
    check_free_ends,
    check_guide_range,
    check_wrench_points,
    chosen_effects,
    refuse_guides,
)
from loadpath.structure.deflection import check_rotation, equilibrium
from loadpath.structure.quantities import PIECES, at_once

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

STEPS = 50
"""Newton's steps after which a compensation is given up."""

LONGEST = 0.5
"""rad or m: no step is longer. Sag asks for small ones, except near singular poses, where they would be wild."""

_SMALL = 1e-6


@dataclass(frozen=True, eq=False)
class Compensation:
    """Coordinates `q` (..., nq) for which the bent arm's tip is where the rigid arm's is at the target.

    `position_error` (m) and `rotation_error` (rad, as a vector), each (..., 3) in world axes, are from where the bent
    tip is to where it should be; an arm with fewer than six degrees of freedom cannot make all of them zero.
    """

    q: Floats
    position_error: Floats
    rotation_error: Floats
    converged: NDArray[np.bool_]
    """(...): whether the last step changed nothing any more."""

    @property
    def unknown(self) -> Bools:
        """(...): targets that are not numbers, or under loads that are not."""
        return unknown_states(self.q, self.position_error)


@takes_loads
def compensated(
    arm: ElasticQuantities,
    q_target: ArrayLike,
    *,
    link: str | None = None,
    orientation: bool | None = None,
    iterate: bool = False,
    tolerance: float = 1e-10,
    **acting: Unpack[LoadKeywords],
) -> Compensation:
    """Joint coordinates that put the tip of the arm, its joints at rest, bent by gravity, `external` wrenches and the
    motion of its base, where the tip of the rigid arm is at `q_target` (..., nq).

    By Newton's steps, damped near singular poses. With `orientation` the tip's orientation counts as well as its
    position; unless given, it does for arms with six degrees of freedom or more. An error in directions in which the
    joints do not move the tip is left alone, what else cannot be reached is made small, and the result has what
    remains. `iterate` takes the deflected geometry into account, as in `deflection`. `link` is the tip unless given.
    Of a robot with loops the independent joints move, and the others follow, so that the loops stay closed.

    >>> import loadpath as lp
    >>> beam = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="joint2")
    >>> tip = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(2).with_payload(2.0).with_beams({"link1": beam, "link2": tip})
    >>> found = arm.compensated([0.3, 0.5])
    >>> bool(found.converged), bool(np.abs(found.position_error).max() < 1e-10)
    (True, True)
    """
    if is_motion(q_target):
        raise ValueError("compensated takes poses of an arm at rest, not a motion with its speeds: give motion.q")
    tip = link_or_only_end(arm, link)
    plain = array_of(q_target, arm.coordinate_names, "compensated: 'q_target'")
    target = state_array(plain, "q_target", arm.nq, "compensated")
    case = acting["under"]
    check_wrench_points(arm, case.external)
    check_guide_range(arm, target)
    check_free_ends(arm, "compensated")
    if iterate and arm.held_by_loops:
        raise ModelError(f"robot '{arm.name}' has loops: compensated(iterate=True) is for open arms, whose bent joints "
                         "follow one another; leave 'iterate' out for the small deflection")
    if iterate:
        refuse_guides(arm, "compensated(iterate=True)", "leave 'iterate' out for the small deflection")
    freedoms = len(arm.independent) if arm.held_by_loops else arm.n
    with_turn = freedoms >= 6 if orientation is None else bool(orientation)
    sag = _Sag(arm, arm.link_names.index(tip), bool(iterate))
    sag.check(target, case)
    batch = Batch({"q_target": target}, case, "compensated")
    count = len(batch)
    q, error, converged = np.empty((count, arm.nq)), np.empty((count, 6)), np.empty(count, dtype=bool)
    for block in batch.blocks():
        part = block.rows
        q[part], error[part], converged[part] = _solved(sag, block, tip, with_turn, tolerance)
    lost = ~converged & np.broadcast_to(np.isfinite(target).all(-1), batch.shape).reshape(-1)
    if lost.any():
        first = state_words(batch.place(int(np.argmax(lost)))) or " and only one"
        warn(f"arm '{arm.name}': the compensation of {int(lost.sum())} of {count} states, the first{first}, has "
             f"not converged in {STEPS} steps (a singular pose?)")
    found = Compensation(
        q.reshape(*batch.shape, arm.nq),
        error[:, :3].reshape(*batch.shape, 3),
        error[:, 3:].reshape(*batch.shape, 3),
        converged.reshape(batch.shape),
    )
    warn_of_unknown(found.unknown, "compensated", "NaN there: see its unknown")
    return found


@dataclass(frozen=True)
class _Sag:
    """How far the tip moves as the arm at rest bends."""

    arm: ElasticQuantities
    row: int
    iterate: bool

    def check(self, q: Floats, case: LoadCase) -> None:
        """Errors and warnings about the question itself, once."""
        with np.errstate(invalid="ignore"):
            check_rotation(self.arm.small_deflection(*self._at_rest(q), **case.keywords)[1], self.arm)

    def _at_rest(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        still = np.zeros(self.arm.n)
        return q, still, still

    def small(self, q: Floats, case: LoadCase) -> Floats:
        """Displacement and rotation (..., 6), linear in the loads."""
        with np.errstate(invalid="ignore"):
            found = self.arm.small_deflection(*self._at_rest(q), **case.keywords)
        return np.concatenate([part[..., self.row, :] for part in found], axis=-1)

    def __call__(self, q: Floats, case: LoadCase) -> Floats:
        """Displacement and rotation (..., 6)."""
        if not self.iterate:
            return self.small(q, case)
        states = self._at_rest(q)
        bent = equilibrium(self.arm, states, case, pieces=PIECES, effects=chosen_effects(None), axes="world")
        return np.concatenate([part[..., self.row, :] for part in bent[:2]], axis=-1)

    def motions(self, q: Floats) -> Floats:
        """(states or 1, n, f): speeds of all joints, for each that can be chosen."""
        if not self.arm.held_by_loops:
            return np.eye(self.arm.n)[None]
        motions: Floats = at_once(self.arm.complement, q)  # type: ignore[attr-defined]
        return motions

    def moved(self, q: Floats, motions: Floats, step: Floats) -> Floats:
        """Configurations after steps (states, f) of the joints that can be chosen."""
        after = self.arm.integrate(q, (motions @ step[..., None])[..., 0])
        return closed_nearby(self.arm, after) if self.arm.held_by_loops else after  # type: ignore[arg-type]

    def by_q(self, q: Floats, motions: Floats, case: LoadCase) -> Floats:
        """How it changes with these joints, (..., 6, f): of the small deflection, which is near enough."""
        nearby = self.arm.integrate(q[..., None, :], _SMALL * np.swapaxes(motions, -1, -2))
        wider = case.changed(lambda array: np.asarray(array)[..., None, :])
        change = self.small(nearby, wider) - self.small(q, case)[..., None, :]
        return np.asarray(change.swapaxes(-1, -2) / _SMALL)


def _solved(
    sag: _Sag, block: Block, tip: str, with_turn: bool, tolerance: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Coordinates, errors (6), and whether they have converged, for a block of targets."""
    (target,) = block.arrays
    arm, rows = sag.arm, slice(0, 6 if with_turn else 3)
    wanted = arm.link_poses(target)[..., sag.row, :, :]

    def missed(q: Floats, which: NDArray[np.intp]) -> Floats:
        bent = sag(q, block.case.of_states(which, (len(target),)))
        return _error(arm.link_poses(q)[..., sag.row, :, :], bent, wanted[which])

    q, open_ = target.copy(), np.arange(len(target))
    error = missed(q, open_)
    damping, converged = np.zeros(len(target)), np.zeros(len(target), dtype=bool)
    open_ = open_[np.isfinite(error).all(-1)]  # those that still move
    reach = np.zeros((len(target), rows.stop, rows.stop))
    reach[open_] = _reach((arm.jacobian(target[open_], tip) @ sag.motions(target[open_]))[..., rows, :])
    for _ in range(STEPS):
        if open_.size == 0:
            break
        motions = sag.motions(q[open_])
        D = arm.jacobian(q[open_], tip) @ motions
        D = D + sag.by_q(q[open_], motions, block.case.of_states(open_, (len(target),)))
        before = _along(reach[open_], error[open_, rows])
        step = _damped(reach[open_] @ D[..., rows, :], before, damping[open_])
        ahead = sag.moved(q[open_], motions, step)
        after = missed(ahead, open_)
        size = np.linalg.norm(_along(reach[open_], after[:, rows]), axis=-1)
        better = size <= np.linalg.norm(before, axis=-1) + tolerance  # false where the next one is not a number
        q[open_[better]], error[open_[better]] = ahead[better], after[better]
        damping[open_] = np.where(better, damping[open_] / 100, np.maximum(10 * damping[open_], 1e-8))
        converged[open_] = np.abs(step).max(axis=-1, initial=0.0) <= tolerance
        open_ = open_[~converged[open_]]
    q[~np.isfinite(error).all(-1)] = np.nan
    return q, error, converged


def _reach(J: Floats) -> Floats:
    """Projection of errors to those that the joints can mend; in others they would only trade one for another."""
    U, s, _ = np.linalg.svd(J, full_matrices=False)
    U = np.where((s > 1e-6 * s.max(axis=-1, keepdims=True, initial=0.0))[..., None, :], U, 0.0)
    return np.asarray(U @ U.swapaxes(-1, -2))


def _along(reach: Floats, error: Floats) -> Floats:
    return np.asarray((reach @ error[..., None])[..., 0])


def _damped(D: Floats, error: Floats, damping: Floats) -> Floats:
    """Least-squares step, after Levenberg and Marquardt."""
    U, s, Vt = np.linalg.svd(D, full_matrices=False)
    largest = s.max(axis=-1, keepdims=True, initial=1e-300)
    used = s > 1e-9 * largest
    filtered = np.where(used, s / np.where(used, s * s + damping[:, None] * largest**2, 1.0), 0.0)
    step = (Vt.swapaxes(-1, -2) @ (filtered[..., None] * (U.swapaxes(-1, -2) @ error[..., None])))[..., 0]
    size = np.linalg.norm(step, axis=-1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, LONGEST / np.maximum(size, 1e-300)))


def _error(pose: Floats, bent: Floats, wanted: Floats) -> Floats:
    """From the bent tip to the wanted one: displacement, then rotation vector; world axes."""
    from scipy.spatial.transform import Rotation

    result = np.full((len(pose), 6), np.nan)
    fine = np.isfinite(bent).all(-1) & np.isfinite(pose).all((-1, -2))
    result[fine, :3] = wanted[fine, :3, 3] - pose[fine, :3, 3] - bent[fine, :3]
    if fine.any():
        turned = wanted[fine, :3, :3] @ pose[fine, :3, :3].swapaxes(-1, -2)
        left = Rotation.from_matrix(turned) * Rotation.from_rotvec(bent[fine, 3:]).inv()
        result[fine, 3:] = left.as_rotvec()
    return result
