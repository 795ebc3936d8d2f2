"""`deflection`, `stress`, `joint_wrenches` and its kin, of robots with loops whose links bend, and what is compiled of
beams: all of it is that of the tree with its loops cut, under the loads and what the loops exert.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from loadpath.algorithms.directed_reaction import frame_of
from loadpath.quantities.load_keywords import DriveLoadKeywords, RestingLoadKeywords, takes_loads
from loadpath.quantities.wrench import ClosedJointWrenches, Wrench
from loadpath.robot.beams.edit import SIDES, marker
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.closed_mechanism import closed_plain
from loadpath.robot.ends import ends_of, link_or_only_end
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike, is_motion, read_states, warn_of_unknown
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.checks import check_wrench_points, chosen_effects
from loadpath.structure.closed.settling import as_driven, settle
from loadpath.structure.deflection import Deflection, check_rotation
from loadpath.structure.quantities import SECTIONS, ElasticQuantities, at_once
from loadpath.structure.stress import Stress
from loadpath.structure.stress import stress as stress_of_tree
from loadpath.structure.vibration.model import row_blocks, vibration_model

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities


ORDER = 2
"""Polynomials of bending moments with which pieces that are loaded at their ends bend exactly right."""


class _Settled(NamedTuple):
    """States of a call, in rows, and what the loops exert there; NaN where a state is not a number."""

    batch: StateBatch
    exerted: Floats
    """(states, loops, 6), in the axes of the frames `on`."""
    external: dict[str, Wrench]
    displacement: Floats
    """(states, links, 3)."""
    rotation: Floats

    def shaped(self, part: Floats) -> Floats:
        """With the batch axes of the call."""
        return part.reshape(*self.batch.shape, *part.shape[1:])

    @property
    def loads(self) -> dict[str, Wrench]:
        """All external wrenches on the cut tree."""
        own = {link: Wrench(self.shaped(np.asarray(wrench.force)), self.shaped(np.asarray(wrench.torque)))
               for link, wrench in self.external.items()}
        return {**(self.batch.case.external or {}), **own}


def _settled(
    arm: ClosedElasticQuantities, q: StatesLike, qd: ArrayLike | None, qdd: ArrayLike | None, case: LoadCase,
    caller: str, effects: tuple[str, ...] = EFFECTS, strict: bool = True,
) -> _Settled:
    read = read_states(arm, q, qd, qdd, caller=caller, at_rest=True, counts_loads=True)
    case = case.with_motion_of(q, arm, caller)
    if caller in ("deflection", "stress"):
        check_wrench_points(arm.cut, case.external)
    batch = StateBatch(arm, read._replace(qdd=as_driven(arm, read[:3], case, strict)[2]), case, caller)
    model, count = vibration_model(arm, effects, ORDER), len(batch)
    exerted = np.full((count, len(arm.loops), 6), np.nan)
    moved, turned = (np.full((count, len(arm.links), 3), np.nan) for _ in range(2))
    external = {marker(loop.name, side): Wrench(*np.full((2, count, 3), np.nan))
                for loop in arm.loops for side in SIDES}
    of_cut = [arm.cut.link_names.index(link) for link in arm.link_names]
    for rows in row_blocks(model, batch):
        states = batch.rows(rows)
        placed = model.at(states[0])
        assert placed.closed is not None
        found = settle(placed.closed, states, batch.case_of(rows), effects, strict)
        back = np.swapaxes(placed.closed.axes, -1, -2)
        exerted[rows] = np.concatenate([np.einsum("slij,slj->sli", back, found.exerted[..., part])
                                        for part in (slice(0, 3), slice(3, 6))], axis=-1)
        u, w = (part[:, 0] for part in placed.frames_moved(found.coordinates[:, None]))
        moved[rows], turned[rows] = found.displacement[:, of_cut] + u, found.rotation[:, of_cut] + w
        for link, wrench in found.external.items():
            external[link].force[rows], external[link].torque[rows] = wrench.force, wrench.torque
    return _Settled(batch, exerted, external, moved, turned)


def _on_cut(
    arm: ClosedElasticQuantities, name: str, states: tuple[ArrayLike, ArrayLike, ArrayLike], loads: dict[str, Any],
    more: tuple[Floats, ...] = (),
) -> Any:
    """A compiled quantity of the cut tree under the loads and what the loops exert; `loads` may have choices of it, and
    `more` are arguments after the states.
    """
    parts = [part.name for part in fields(LoadCase)]
    case = LoadCase(**{part: value for part, value in loads.items() if part in parts})
    q, qd, qdd = states
    found = _settled(arm, q, qd, qdd, case, name)
    choices = {choice: value for choice, value in loads.items() if choice not in parts}
    quantity = getattr(ElasticQuantities, name).__get__(arm.cut, type(arm.cut))
    external = {"external": found.loads} if found.loads else {}
    return at_once(quantity, *found.batch.arrays.values(), *more, **external, **found.batch.case.on_links, **choices)


def small_deflection(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **loads: Any
) -> tuple[Floats, Floats]:
    """Displacement (m) and rotation (rad) of every link frame, each (..., links, 3); `deflection` names them."""
    effects = chosen_effects(loads.pop("effects", EFFECTS))
    found = _settled(arm, q, qd, qdd, LoadCase(**loads), "small_deflection", effects)
    return found.shaped(found.displacement), found.shaped(found.rotation)


def section_actions(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **loads: Any
) -> tuple[Floats, Floats]:
    """Force (N) and moment (N m) in every cross section: see `FlexibleRobot.section_actions`."""
    found: tuple[Floats, Floats] = _on_cut(arm, "section_actions", (q, qd, qdd), loads)
    return found


def section_stresses(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **loads: Any
) -> tuple[Floats, ...]:
    """Axial, bending, shear, torsion and von Mises stress (Pa) in every cross section, each (..., sections)."""
    found: tuple[Floats, ...] = _on_cut(arm, "section_stresses", (q, qd, qdd), loads)
    return found


def section_stresses_with(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, force: Floats, moment: Floats,
    **loads: Any,
) -> tuple[Floats, ...]:
    """The same with more force (N) and moment (N m) in every cross section: see `FlexibleRobot`."""
    found: tuple[Floats, ...] = _on_cut(arm, "section_stresses_with", (q, qd, qdd), loads, (force, moment))
    return found


def section_buckling(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **loads: Any
) -> tuple[Floats, ...]:
    """Compression (N), its share of the critical load, and the reciprocal of the safety of the beam-column, in every
    cross section, each (..., sections).
    """
    found: tuple[Floats, ...] = _on_cut(arm, "section_buckling", (q, qd, qdd), loads)
    return found


def compliance(arm: ClosedElasticQuantities, q: ArrayLike, link: str | None = None, *, effects: Names = None) -> Floats:
    """Compliance (..., 6, 6) at a link: see `FlexibleRobot.compliance`. The independent joints are held; the others
    turn as the bent links make them, so that all loops stay closed.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> arm = bar.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")})
    >>> along_y = {"coupler": lp.Wrench(force=(0, 1.0, 0))}
    >>> moved = [arm.deflection(bar.home, external=load)["coupler"].displacement for load in (along_y, None)]
    >>> bool(abs(moved[0] - moved[1] - arm.compliance(bar.home, "coupler")[:3, 1]).max() < 1e-15)
    True
    """
    read = read_states(arm, q, caller="compliance", at_rest=True)
    batch = StateBatch(arm, read, LoadCase(), "compliance")
    at_once(arm.complement, read.q)  # poses in which loops are open are refused
    model = vibration_model(arm, chosen_effects(effects), ORDER)
    number = arm.link_names.index(link_or_only_end(arm, link))
    result = np.full((len(batch), 6, 6), np.nan)
    for rows in row_blocks(model, batch):
        placed = model.at(batch.rows(rows)[0])
        units = np.broadcast_to(np.eye(model.size), (len(rows), model.size, model.size))
        shape = np.concatenate([part[:, :, number] for part in placed.frame_motions(units)], axis=-1)
        result[rows] = np.swapaxes(shape, -1, -2) @ shape
    return result.reshape(*batch.shape, 6, 6)


@takes_loads
def deflection(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    effects: Names = None,
    axes: Literal["world", "link"] = "world",
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
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
    found = _settled(arm, q, qd, qdd, acting["under"], "deflection", chosen_effects(effects), strict)
    displacement, rotation = found.shaped(found.displacement), found.shaped(found.rotation)
    if axes == "link":
        poses = at_once(arm.tree.link_poses, found.shaped(found.batch.q))
        R = np.swapaxes(poses[..., :3, :3], -1, -2)
        displacement, rotation = (np.einsum("...ij,...j->...i", R, part) for part in (displacement, rotation))
    result = Deflection(displacement, rotation, arm.link_names, ends_of(arm), axes)
    warn_of_unknown(result.unknown, "deflection", "NaN there: see deflection.unknown")
    check_rotation(rotation, arm.cut)
    return result


@takes_loads
def stress(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    sections: int = SECTIONS,
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
) -> Stress:
    """Stresses along the beams: see `FlexibleRobot.stress`. They are those of the tree with its loops cut, under the
    loads and the wrenches that the loops exert.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
    >>> bar.with_beams({"coupler": rod}, inertia_from_beams=True).stress(bar.home).worst.link
    'coupler'
    """
    found = _settled(arm, q, qd, qdd, acting["under"], "stress", strict=strict)
    states = tuple(found.batch.arrays.values())
    return stress_of_tree(arm.cut, *states, external=found.loads, sections=sections, **found.batch.case.on_links)


@takes_loads
def joint_wrenches(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
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
    if not is_motion(q) and (qd is None or qdd is None):
        raise TypeError("joint_wrenches needs qd and qdd as well, or an lp.Motion or a simulation in place of q; "
                        "static_wrenches(q) are those at rest")
    found = _settled(arm, q, qd, qdd, acting["under"], "joint_wrenches", strict=strict)
    states = tuple(found.batch.arrays.values())
    tree = at_once(arm.cut.joint_wrenches, *states, external=found.loads, **found.batch.case.on_links)
    exerted = found.shaped(found.exerted)
    rows = [arm.cut.joint_names.index(joint) for joint in arm.joint_names]
    shape = (*found.batch.shape, len(arm.cut.joints), 3)
    force, torque = (
        np.concatenate([np.broadcast_to(part, shape)[..., rows, :], exerted[..., at : at + 3]], axis=-2)
        for part, at in ((tree.force, 0), (tree.torque, 3))
    )
    return ClosedJointWrenches(force, torque, arm.closed_joint_names, arm, states[0])


@takes_loads
def static_wrenches(
    arm: ClosedElasticQuantities, q: StatesLike, *, strict: bool = True, **acting: Unpack[RestingLoadKeywords]
) -> ClosedJointWrenches:
    """`joint_wrenches` of the robot at rest, under gravity and `external`.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> elastic = bar.with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(tilting=1e4)})
    >>> elastic.static_wrenches(bar.home).force.shape
    (4, 3)
    """
    where = read_states(arm, q, caller="static_wrenches").q if is_motion(q) else q
    still, case = np.zeros(arm.n), acting["under"].with_motion_of(q, arm, "static_wrenches").at_rest
    return joint_wrenches(arm, where, still, still, strict=strict, under=case)


def force_along(
    arm: ClosedElasticQuantities,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    direction: ArrayLike,
    *,
    joint: str | None = None,
    axes: Literal["joint", "world"] = "joint",
    **loads: Any,
) -> Floats:
    """Force (N) at a joint or loop along any direction: see `ClosedRobot.force_along`; it is that of `joint_wrenches`.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> elastic = bar.with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(tilting=1e4)})
    >>> still = [0, 0, 0]
    >>> along = elastic.force_along(bar.home, still, still, [2, 0, 0], joint="rocker_pin")
    >>> bool(abs(along - elastic.static_wrenches(bar.home)["rocker_pin"].force[0]) < 1e-12)
    True
    """
    force, _ = _wrench_in(arm, (q, qd, qdd), joint, axes, loads)
    return _component(direction, force)


def torque_about(
    arm: ClosedElasticQuantities,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    direction: ArrayLike,
    *,
    joint: str | None = None,
    axes: Literal["joint", "world"] = "joint",
    point: ArrayLike | None = None,
    **loads: Any,
) -> Floats:
    """Torque (N m) at a joint or loop about any line, as `force_along`; the line goes through the joint's origin or
    through `point`, (..., 3), counted from there.
    """
    force, torque = _wrench_in(arm, (q, qd, qdd), joint, axes, loads)
    if point is not None:
        torque = torque - np.cross(np.asarray(point, dtype=float), force)
    return _component(direction, torque)


def _wrench_in(
    arm: ClosedElasticQuantities, states: tuple[ArrayLike, ArrayLike, ArrayLike], joint: str | None,
    axes: Literal["joint", "world"], loads: dict[str, Any],
) -> tuple[Floats, Floats]:
    """Force and torque at one joint or loop, in its joint frame or in world axes."""
    chain = closed_plain(arm)
    frame_of({**chain.joint_frames, **{loop.name: loop.on for loop in chain.loops}}, joint, axes)
    found = joint_wrenches(arm, *states, **loads)[joint or ""]
    force, torque = np.asarray(found.force), np.asarray(found.torque)
    if axes == "world":
        if joint in arm.loop_names:
            loop = arm.loops[arm.loop_names.index(joint)]
            link, turn = loop.second, np.asarray(loop.on.R)
        else:
            link = next(each.child for each in arm.joints if each.name == joint)
            turn = np.swapaxes(np.asarray(link_in_joint_frame(arm, link).R), -1, -2)
        poses = at_once(arm.tree.link_poses, np.asarray(states[0], dtype=float))[..., arm.link_names.index(link), :, :]
        R = poses[..., :3, :3] @ turn
        force, torque = (np.einsum("...ij,...j->...i", R, part) for part in (force, torque))
    return force, torque


def _component(direction: ArrayLike, v: Floats) -> Floats:
    along = np.asarray(direction, dtype=float)
    result: Floats = (along * v).sum(axis=-1) / np.linalg.norm(along, axis=-1)
    return result
