"""`deflection`, `stress`, `joint_wrenches` and `static_wrenches` of robots with loops whose links bend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from loadpath.quantities.wrench import ClosedJointWrenches, Wrench
from loadpath.robot.ends import ends_of
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike
from loadpath.states import LoadCase, StatesLike, read_states, warn_of_unknown
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.choices import chosen_effects
from loadpath.structure.closed.settling import States, at_once, settle
from loadpath.structure.deflection import Deflection, check_rotation
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.stress import Stress
from loadpath.structure.stress import stress as stress_of_tree
from loadpath.structure.wrench_points import check_wrench_points

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities


Effort = ArrayLike | Mapping[str, ArrayLike] | None
"""Weights or a preload of redundant drives, as in `inverse_dynamics`."""


def _effort(weights: Effort, preload: Effort) -> dict[str, ArrayLike | Mapping[str, ArrayLike]]:
    given = {"weights": weights, "preload": preload}
    return {name: value for name, value in given.items() if value is not None}


def _read(arm: RobotModel, q: StatesLike, qd: ArrayLike | None, qdd: ArrayLike | None, caller: str) -> States:
    read = read_states(arm, q, qd, qdd, caller=caller, at_rest=True, counts_loads=True)
    positions, speeds, accelerations = (np.asarray(part, dtype=float) for part in read[:3])
    return positions, speeds, accelerations


def deflection(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    effects: Names = None,
    axes: Literal["world", "link"] = "world",
    weights: Effort = None,
    preload: Effort = None,
    strict: bool = True,
) -> Deflection:
    """How far every link frame moves because beams and joints give way, in small deflections: see
    `FlexibleRobot.deflection`. The independent joints (`robot.independent`) are held by their drives; the other joints
    turn as the bent links make them, and that is in the result. Loops stay closed.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    >>> bent = bar.with_beams({"coupler": rod}, inertia_from_beams=True).deflection(bar.home)
    >>> bent.displacement.shape
    (4, 3)
    """
    if axes not in ("world", "link"):
        raise ValueError(f"deflection: axes are {axes!r}: expected 'world' or 'link'")
    states = _read(arm, q, qd, qdd, "deflection")
    case = LoadCase(external, base_velocity, base_acceleration).with_motion_of(q, arm, "deflection")
    check_wrench_points(arm.cut, case.external)
    with np.errstate(invalid="ignore"):
        found = settle(arm, states, case, chosen_effects(effects), strict, _effort(weights, preload))
        moved = at_once(arm.tree.link_velocities, states[0], found.turned)
        rows = [arm.cut.link_names.index(link) for link in arm.link_names]
        displacement = found.displacement[..., rows, :] + moved.linear
        rotation = found.rotation[..., rows, :] + moved.angular
        if axes == "link":
            R = np.swapaxes(at_once(arm.tree.link_poses, states[0])[..., :3, :3], -1, -2)
            displacement, rotation = (np.einsum("...ij,...j->...i", R, part) for part in (displacement, rotation))
    result = Deflection(displacement, rotation, arm.link_names, ends_of(arm), axes)
    warn_of_unknown(result.unknown, "deflection", "NaN there: see deflection.unknown")
    check_rotation(rotation, arm.cut)
    return result


def stress(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    sections: int = SECTIONS,
    weights: Effort = None,
    preload: Effort = None,
    strict: bool = True,
) -> Stress:
    """Stresses along the beams: see `FlexibleRobot.stress`. They are those of the tree with its loops cut, under the
    loads and the wrenches that the loops exert.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    >>> bar.with_beams({"coupler": rod}, inertia_from_beams=True).stress(bar.home).worst.link
    'coupler'
    """
    states = _read(arm, q, qd, qdd, "stress")
    case = LoadCase(external, base_velocity, base_acceleration).with_motion_of(q, arm, "stress")
    check_wrench_points(arm.cut, case.external)
    with np.errstate(invalid="ignore"):
        found = settle(arm, states, case, EFFECTS, strict, _effort(weights, preload))
    loads = {**(case.external or {}), **found.external}
    return stress_of_tree(arm.cut, *states, external=loads, sections=sections, **case.base_motion)


def joint_wrenches(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    weights: Effort = None,
    preload: Effort = None,
    strict: bool = True,
) -> ClosedJointWrenches:
    """Force and torque at every joint and loop: see `ClosedRobot.joint_wrenches`. What statics leaves open is settled
    by the beams and the compliance of the joints: the links bend so that all loops stay closed.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    >>> elastic, q = bar.with_beams({"coupler": rod}), bar.home
    >>> pin, rigid = (robot.static_wrenches(q)["rocker_pin"].force for robot in (elastic, bar))
    >>> bool(abs(pin - rigid).max() < 1e-9)                       # in a plane statics gives the forces
    True
    """
    states = _read(arm, q, qd, qdd, "joint_wrenches")
    case = LoadCase(external, base_velocity, base_acceleration).with_motion_of(q, arm, "joint_wrenches")
    with np.errstate(invalid="ignore"):
        found = settle(arm, states, case, EFFECTS, strict, _effort(weights, preload))
        loads = {**(case.external or {}), **found.external}
        tree = at_once(arm.cut.joint_wrenches, *states, external=loads, **case.base_motion)
    rows = [arm.cut.joint_names.index(joint) for joint in arm.joint_names]
    force, torque = (
        np.concatenate([part[..., rows, :], found.wrenches[..., at : at + 3]], axis=-2)
        for part, at in ((tree.force, 0), (tree.torque, 3))
    )
    return ClosedJointWrenches(force, torque, arm.closed_joint_names, arm, states[0])


def static_wrenches(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    *,
    external: Mapping[str, Wrench] | None = None,
    weights: Effort = None,
    preload: Effort = None,
    strict: bool = True,
) -> ClosedJointWrenches:
    """`joint_wrenches` of the robot at rest, under gravity and `external`.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> elastic = bar.with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(tilting=1e4)})
    >>> elastic.static_wrenches(bar.home).force.shape
    (4, 3)
    """
    still = np.zeros(arm.n)
    return joint_wrenches(arm, q, still, still, external=external, weights=weights, preload=preload, strict=strict)
