"""`arm.stiffness`: what force and torque a unit of displacement of the tip takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

import numpy as np

from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import Names
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike, read_states, refuse_keywords
from loadpath.structure.choices import ALIKE, chosen_effects
from loadpath.structure.free_ends import check_free_ends
from loadpath.structure.guide_range import check_guide_range

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

_SINGULAR = 1e-14


def stiffness(
    arm: ElasticQuantities, q: StatesLike, link: str | None = None, *, effects: Names = None, **others: Never
) -> Floats:
    """Cartesian stiffness (..., 6, 6) at a link: force (N, three rows) and torque (N m) on it, at its origin, per unit
    of its displacement (m) and rotation (rad), in world axes, with all joints held; the inverse of `compliance`.
    Without a link, at the only end that there is. Where the link is rigid in some direction there is none: the call is
    refused, and `compliance` says all.

    >>> import loadpath as lp
    >>> rod = lp.Rod(0.01)
    >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
    >>> K = arm.stiffness([0.0])
    >>> round(float(K[0, 0]) / (210e9 * rod.area), 9)                # E A / L
    1.0
    """
    refuse_keywords("stiffness", others, ALIKE)
    tip = link_or_only_end(arm, link)
    check_free_ends(arm, "stiffness")
    if arm.placed_guides:
        check_guide_range(arm, read_states(arm, q, caller="stiffness", at_rest=True)[0])
    C = np.asarray(arm.compliance(q, tip, effects=chosen_effects(effects)))
    # Rotations and displacements are compared by the size of what each does itself.
    size = np.sqrt(np.abs(np.diagonal(C, axis1=-2, axis2=-1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = C / (size[..., :, None] * size[..., None, :])
    given = np.isfinite(C).all((-1, -2))
    usable = np.isfinite(scaled).all((-1, -2))
    smallest = np.linalg.eigvalsh(np.where(usable[..., None, None], scaled, np.eye(6)))[..., 0]
    rigid = given & (~usable | (smallest < _SINGULAR))
    if rigid.any():
        raise ValueError(f"stiffness: link '{tip}' is rigid in some direction, so its stiffness is infinite there "
                         f"({int(rigid.sum())} of {rigid.size} states): use compliance(q, link)")
    inverse = np.linalg.inv(np.where(usable[..., None, None], scaled, np.eye(6)))
    inverse = inverse / (size[..., :, None] * size[..., None, :])
    inverse = 0.5 * (inverse + inverse.swapaxes(-1, -2))
    return np.asarray(np.where(given[..., None, None], inverse, np.nan))
