"""`arm.compensated`: joint coordinates that put the sagging tip where the rigid one should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import warn
from loadpath.structure.states import Floats, only_end

_STEPS = 30


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
    """(...): whether the last step still changed anything."""


def compensated(
    arm: Any,
    q_target: Any,
    *,
    link: str | None = None,
    external: Any = None,
    orientation: bool | None = None,
    iterate: bool = False,
    tolerance: float = 1e-10,
) -> Compensation:
    """Joint coordinates that put the tip of the arm at rest, bent by gravity and `external` wrenches, where the tip of
    the rigid arm is at `q_target` (..., nq).

    By Newton's steps with the rigid arm's Jacobian, which converge fast because sag changes little with the joints.
    With `orientation` the tip's orientation counts as well as its position; unless told, it does for arms with six
    degrees of freedom or more. What cannot be reached is made small in least squares, and told as what remains.
    `iterate` takes the deflected geometry into account, as in `deflection`. `link` is the tip unless told.

    >>> import loadpath as lp
    >>> beam = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="joint2")
    >>> tip = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(2).with_payload(2.0).with_beams({"link1": beam, "link2": tip})
    >>> found = arm.compensated([0.3, 0.5])
    >>> bool(found.converged), bool(np.abs(found.position_error).max() < 1e-10)
    (True, True)
    """
    tip = only_end(arm, link)
    row = arm.link_names.index(tip)
    target = np.asarray(q_target, dtype=float)
    if target.ndim == 0 or target.shape[-1] != arm.nq:
        raise ValueError(f"compensated: 'q_target' has the shape {target.shape}: expected (..., {arm.nq})")
    with_turn = arm.n >= 6 if orientation is None else bool(orientation)
    wanted = arm.link_poses(target)[..., row, :, :]
    q = target.copy()
    converged = np.zeros(target.shape[:-1], dtype=bool)
    rows = slice(0, 6 if with_turn else 3)
    for _ in range(_STEPS):
        error = _error(arm, q, tip, row, wanted, external, iterate)
        J = arm.jacobian(q, tip)[..., rows, :]
        finite = np.isfinite(J).all((-1, -2)) & np.isfinite(error).all(-1)
        # Directions that the joints hardly reach are left alone: they would ask for wild steps.
        pinv = np.linalg.pinv(np.where(finite[..., None, None], J, 0.0), rcond=1e-6)
        step = (pinv @ error[..., rows, None])[..., 0]
        q = np.asarray(arm.integrate(q, step))
        converged = np.asarray(np.abs(step).max(axis=-1, initial=0.0) <= tolerance) & finite
        if (converged | ~finite).all():
            break
    error = _error(arm, q, tip, row, wanted, external, iterate)
    given = np.isfinite(target).all(-1)
    if (given & ~converged).any():
        warn(f"arm '{arm.name}': the compensation of {int((given & ~converged).sum())} states has not converged")
    return Compensation(q, error[..., :3], error[..., 3:], converged)


def _error(arm: Any, q: Floats, tip: str, row: int, wanted: Floats, external: Any, iterate: bool) -> Floats:
    """From the bent tip to the wanted one: way, then rotation vector; world axes."""
    pose = arm.link_poses(q)[..., row, :, :]
    bent = arm.deflection(q, external=external, iterate=iterate)[tip]
    batch = np.broadcast_shapes(pose.shape[:-2], bent.displacement.shape[:-1])
    way = wanted[..., :3, 3] - pose[..., :3, 3] - bent.displacement
    turned = np.broadcast_to(wanted[..., :3, :3] @ pose[..., :3, :3].swapaxes(-1, -2), (*batch, 3, 3))
    rotation = np.broadcast_to(bent.rotation, (*batch, 3)).reshape(-1, 3)
    result = np.full((*batch, 6), np.nan)
    result[..., :3] = way
    flat = result.reshape(-1, 6)
    fine = np.isfinite(rotation).all(-1)
    matrices = turned.reshape(-1, 3, 3)[fine]
    if len(matrices):
        from scipy.spatial.transform import Rotation

        left = Rotation.from_matrix(matrices) * Rotation.from_rotvec(rotation[fine]).inv()
        flat[fine, 3:] = left.as_rotvec()
    return np.asarray(flat.reshape(*batch, 6))
