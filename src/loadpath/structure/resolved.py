"""Quantities of robots with loops whose links bend: those of the tree with its loops cut, under the loads and what the
loops exert (`loop_forces`), which statics leaves open.

`load_terms`: every cause goes through the loops by itself. Rigid statics has the terms of all causes by the rule of
equally stiff joints. What beams make of them differs by a self-stress, linear in the loads of each cause: the one that
closes the cuts, which the cause opens by F lambda + delta. F lambda is of the loops' wrenches in the rigid term; delta,
of its loads on the cut tree with its joints held. Loads are linear in accelerations and external wrenches and quadratic
in speeds, so delta of motion is found by states in which only that moves, and by differences. Weight of a link: delta
is the work that it does on what a unit of each multiplier bends (Betti), which the momenta of the elastic coordinates
have.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np

from loadpath.algorithms.directed_reaction import frame_of
from loadpath.cached import kept
from loadpath.engine.quantity import Compiled
from loadpath.errors import ModelError
from loadpath.kinematics.closed.completion import complete
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.load_index import Index, index_of
from loadpath.quantities.load_keywords import DriveLoadKeywords, RestingLoadKeywords, takes_loads
from loadpath.quantities.wrench import ClosedJointWrenches, Wrench
from loadpath.results import ClosedLoadTerms
from loadpath.robot.beams.edit import SIDES, marker
from loadpath.robot.beams.placement import link_in_joint_frame
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.mechanism import plain
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import LoadCase, StateBatch, StatesLike, is_motion, read_states
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.checks import chosen_effects
from loadpath.structure.loop_forces import as_driven, opened, per_multiplier, resolve, self_stress, squares
from loadpath.structure.quantities import ElasticQuantities, at_once
from loadpath.structure.vibration.model import row_blocks, vibration_model
from loadpath.structure.vibration.world_axes import carried_inertias

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities
    from loadpath.structure.vibration.closing import ClosedRows
    from loadpath.structure.vibration.placed import PlacedModel

ORDER = 2
"""Polynomials of bending moments with which pieces that are loaded at their ends bend exactly right."""
States = tuple[Floats, ...]
_LOADS = tuple(part.name for part in fields(LoadCase))


class Resolved:
    """A line of the table of quantities, called through what resolves the reactions of the loops."""

    def __init__(self, line: Compiled, call: Callable[..., Any]) -> None:
        self.line, self.call = line, call
        self.__doc__ = line.__doc__

    def __get__(self, arm: Any, owner: type) -> Resolved | ResolvedMethod:
        return self if arm is None else ResolvedMethod(self, arm)

    def __call__(self, arm: ClosedElasticQuantities, *arguments: Any, **options: Any) -> Any:
        """As of any method of a class."""
        return self.call(arm, *arguments, **options)


class ResolvedMethod(functools.partial[Any]):
    """A resolved quantity of a robot. It has the name, the words and the signature of its line."""

    def __new__(cls, resolved: Resolved, arm: Any) -> ResolvedMethod:
        method = super().__new__(cls, resolved.call, arm)
        line = resolved.line
        method.quantity, method.__name__, method.__doc__ = line, line.name, line.__doc__  # type: ignore[attr-defined]
        shown = line.__signature__
        method.__signature__ = shown.replace(parameters=list(shown.parameters.values())[1:])  # type: ignore[attr-defined]
        return method


class _OfStates(NamedTuple):
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
    def acting(self) -> dict[str, Any]:
        """All that acts on the cut tree, as keywords."""
        by_loops = {link: Wrench(self.shaped(np.asarray(wrench.force)), self.shaped(np.asarray(wrench.torque)))
                    for link, wrench in self.external.items()}
        external = {**(self.batch.case.external or {}), **by_loops}
        return {**({"external": external} if external else {}), **self.batch.case.on_links}


def _case_of(options: dict[str, Any]) -> tuple[LoadCase, dict[str, Any]]:
    """The load case among the options of a call, and the others."""
    case = LoadCase.of({name: options.pop(name) for name in (*_LOADS, "under") if name in options}, "")
    return case, options


def _resolved(
    arm: ClosedElasticQuantities, states: tuple[Any, Any, Any], case: LoadCase, caller: str,
    effects: tuple[str, ...] = EFFECTS, strict: bool = True,
) -> _OfStates:
    read = read_states(arm, *states, caller=caller, at_rest=True, counts_loads=True)
    case = case.with_motion_of(states[0], arm, caller)
    batch = StateBatch(arm, read._replace(qdd=as_driven(arm, read[:3], case, strict)[2]), case, caller)
    model, count = vibration_model(arm, effects, ORDER), len(batch)
    exerted = np.full((count, len(arm.loops), 6), np.nan)
    moved, turned = (np.full((count, len(arm.links), 3), np.nan) for _ in range(2))
    external = {marker(loop.name, side): Wrench(*np.full((2, count, 3), np.nan))
                for loop in arm.loops for side in SIDES}
    of_cut = [arm.cut.link_names.index(link) for link in arm.link_names]
    for rows in row_blocks(model, batch):
        states_here = batch.rows(rows)
        placed = model.at(states_here[0])
        assert placed.closed is not None
        forces = resolve(placed.closed, states_here, batch.case_of(rows), effects, strict)
        exerted[rows] = _turned(np.swapaxes(placed.closed.axes, -1, -2), forces.exerted)
        u, w = (part[:, 0] for part in placed.frames_moved(forces.coordinates[:, None]))
        moved[rows], turned[rows] = forces.displacement[:, of_cut] + u, forces.rotation[:, of_cut] + w
        for link, wrench in forces.external.items():
            external[link].force[rows], external[link].torque[rows] = wrench.force, wrench.torque
    return _OfStates(batch, exerted, external, moved, turned)


def _turned(R: Floats, pairs: Floats) -> Floats:
    """Pairs of vectors (..., 6), each turned by its rotation (..., 3, 3)."""
    return np.concatenate([np.einsum("...ij,...j->...i", R, pairs[..., part]) for part in (slice(0, 3), slice(3, 6))],
                          axis=-1)


def _through_cut(line: Compiled) -> Resolved:
    """A quantity of the cut tree under the loads and what the loops exert."""

    def call(
        arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *arrays: ArrayLike,
        strict: bool = True, **options: Any,
    ) -> Any:
        case, choices = _case_of(options)
        found = _resolved(arm, (q, qd, qdd), case, line.name, strict=strict)
        on_cut = line.__get__(arm.cut, type(arm.cut))
        return at_once(on_cut, *found.batch.arrays.values(), *arrays, **found.acting, **choices)

    return Resolved(line, call)


def _small_deflection(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, effects: Names = EFFECTS,
    axes: str = "world", without_driven: bool = False, strict: bool = True, **options: Any,
) -> tuple[Floats, Floats]:
    """The independent joints are held by their drives; the others turn as the bent links make them."""
    if without_driven:
        raise ModelError(f"robot '{arm.name}' has loops, through which the drive of a joint balances loads of all "
                         "links: leave 'without_driven' out")
    case = LoadCase.of(options, "small_deflection", _LOADS)
    found = _resolved(arm, (q, qd, qdd), case, "small_deflection", chosen_effects(effects), strict)
    moved, turned = found.shaped(found.displacement), found.shaped(found.rotation)
    if axes == "link":
        R = np.swapaxes(at_once(arm.tree.link_poses, found.shaped(found.batch.q))[..., :3, :3], -1, -2)
        moved, turned = (np.einsum("...ij,...j->...i", R, part) for part in (moved, turned))
    return moved, turned


def _compliance(
    arm: ClosedElasticQuantities, q: ArrayLike, link: str | None = None, *, effects: Names = None
) -> Floats:
    """The same of what the loops allow of the elastic coordinates."""
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


small_deflection = Resolved(ElasticQuantities.small_deflection, _small_deflection)
compliance = Resolved(ElasticQuantities.compliance, _compliance)
section_actions = _through_cut(ElasticQuantities.section_actions)
section_stresses = _through_cut(ElasticQuantities.section_stresses)
section_stresses_with = _through_cut(ElasticQuantities.section_stresses_with)
section_buckling = _through_cut(ElasticQuantities.section_buckling)


# Reactions


@takes_loads
def _joint_wrenches(
    arm: ClosedElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    strict: bool = True,
    **acting: Unpack[DriveLoadKeywords],
) -> ClosedJointWrenches:
    if not is_motion(q) and (qd is None or qdd is None):
        raise TypeError("joint_wrenches needs qd and qdd as well, or an lp.Motion or a simulation in place of q; "
                        "static_wrenches(q) are those at rest")
    found = _resolved(arm, (q, qd, qdd), acting["under"], "joint_wrenches", strict=strict)
    states = tuple(found.batch.arrays.values())
    tree = at_once(arm.cut.joint_wrenches, *states, **found.acting)
    exerted = found.shaped(found.exerted)
    rows = [arm.cut.joint_names.index(joint) for joint in arm.joint_names]
    shape = (*found.batch.shape, len(arm.cut.joints), 3)
    force, torque = (
        np.concatenate([np.broadcast_to(part, shape)[..., rows, :], exerted[..., at : at + 3]], axis=-2)
        for part, at in ((tree.force, 0), (tree.torque, 3))
    )
    return ClosedJointWrenches(force, torque, arm.closed_joint_names, arm, states[0])


@takes_loads
def _static_wrenches(
    arm: ClosedElasticQuantities, q: StatesLike, *, strict: bool = True, **acting: Unpack[RestingLoadKeywords]
) -> ClosedJointWrenches:
    where = read_states(arm, q, caller="static_wrenches").q if is_motion(q) else q
    still, case = np.zeros(arm.n), acting["under"].with_motion_of(q, arm, "static_wrenches").at_rest
    return _joint_wrenches(arm, where, still, still, strict=strict, under=case)


def _force_along(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, direction: ArrayLike, *,
    joint: str | None = None, axes: Literal["joint", "world"] = "joint", **loads: Any,
) -> Floats:
    return _component(direction, _wrench_in(arm, (q, qd, qdd), joint, axes, loads)[0])


def _torque_about(
    arm: ClosedElasticQuantities, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, direction: ArrayLike, *,
    joint: str | None = None, axes: Literal["joint", "world"] = "joint", point: ArrayLike | None = None, **loads: Any,
) -> Floats:
    force, torque = _wrench_in(arm, (q, qd, qdd), joint, axes, loads)
    if point is not None:
        torque = torque - np.cross(np.asarray(point, dtype=float), force)
    return _component(direction, torque)


def _wrench_in(
    arm: ClosedElasticQuantities, states: tuple[ArrayLike, ArrayLike, ArrayLike], joint: str | None,
    axes: Literal["joint", "world"], loads: dict[str, Any],
) -> tuple[Floats, Floats]:
    """Force and torque at one joint or loop, in its joint frame or in world axes."""
    chain = plain(arm)
    frame_of({**chain.joint_frames, **{loop.name: loop.on for loop in chain.loops}}, joint, axes)
    found = _joint_wrenches(arm, *states, **loads)[joint or ""]
    force, torque = np.asarray(found.force), np.asarray(found.torque)
    if axes == "world":
        if joint in arm.loop_names:
            loop = arm.loops[arm.loop_names.index(joint)]
            link, rotation = loop.second, np.asarray(loop.on.R)
        else:
            link = next(each.child for each in arm.joints if each.name == joint)
            rotation = np.swapaxes(np.asarray(link_in_joint_frame(arm, link).R), -1, -2)
        poses = at_once(arm.tree.link_poses, np.asarray(states[0], dtype=float))[..., arm.link_names.index(link), :, :]
        R = poses[..., :3, :3] @ rotation
        force, torque = (np.einsum("...ij,...j->...i", R, part) for part in (force, torque))
    return force, torque


def _component(direction: ArrayLike, v: Floats) -> Floats:
    along = np.asarray(direction, dtype=float)
    result: Floats = (along * v).sum(axis=-1) / np.linalg.norm(along, axis=-1)
    return result


joint_wrenches = Resolved(ClosedQuantities.joint_wrenches, _joint_wrenches)
static_wrenches = Resolved(ClosedQuantities.static_wrenches, _static_wrenches)
force_along = Resolved(ClosedQuantities.force_along, _force_along)
torque_about = Resolved(ClosedQuantities.torque_about, _torque_about)


# Loads by cause


def _load_terms(
    arm: ClosedElasticQuantities,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    by: Any = "freedom",
    by_link: bool = False,
    frame: str = "joint",
    strict: bool = True,
    **loads: Any,
) -> ClosedLoadTerms:
    out = loads.pop("out", None)
    if loads.pop("compliances", None):
        raise ModelError(f"robot '{arm.name}': 'compliances' are for rigid links, and here beams and joint compliance "
                         "settle the reactions: leave them out, or take robot.without_beams()")
    if by_link:
        raise ModelError(f"robot '{arm.name}' has loops, and beams or joint compliance: what bends it is kept apart by "
                         "the link whose mass carries it for gravity alone: leave by_link out, or take "
                         "robot.without_beams()")
    case, choices = _case_of(loads)
    read = read_states(arm, q, qd, qdd, caller="load_terms", counts_loads=True)
    batch = StateBatch(arm, read._replace(qdd=as_driven(arm, read[:3], case, strict)[2]), case, "load_terms")
    index = index_of(arm, by, False, frozenset(case.external or ()), (*case.base_motion, *case.effort))
    model, count = vibration_model(arm, EFFECTS, ORDER), len(batch)
    sizes = (len(index.terms), 6), (arm.n,), (arm.n,), (len(index.sources), len(index.drive_names))
    found = [np.full((count, *size), np.nan) for size in sizes]
    stiff = _rigid(arm)
    rigid = ClosedQuantities.load_terms.__get__(stiff, type(stiff))
    of_rigid = index_of(stiff, by, False, frozenset(case.external or ()), (*case.base_motion, *case.effort))
    place = {term: k for k, term in enumerate(index.terms)}
    kept_terms = [place[term] for term in of_rigid.terms]  # what bends may reach more
    for rows in row_blocks(model, batch):
        states, here, placed = batch.rows(rows), batch.case_of(rows), model.at(batch.rows(rows)[0])
        terms = at_once(rigid, *states, by=by, strict=strict, **here.keywords, **choices)
        values = np.zeros((len(rows), len(index.terms), 6))
        values[:, kept_terms] = terms.values
        resolved = _resolved_values(placed, states, here, by, index, values)
        for whole, part in zip(found, (resolved, *terms[1:]), strict=True):
            whole[rows] = part
        if frame != "joint":
            found[0][rows] = _turned(_rotations(placed, index, frame), found[0][rows])
    shaped = [part.reshape(*batch.shape, *part.shape[1:]) for part in found]
    for given, part in zip(out or (), shaped, strict=False):
        given[...] = part
    return ClosedLoadTerms(*(shaped if out is None else out))


@kept()
def _rigid(arm: ClosedElasticQuantities) -> ClosedQuantities:
    """The same with links that do not bend."""
    return replace(arm, beams=(), joint_compliances=(), guides=())


def _resolved_values(
    placed: PlacedModel, states: States, case: LoadCase, by: Any, index: Index, values: Floats
) -> Floats:
    """Terms (states, terms, 6) in the axes of the joints, from those of rigid links."""
    rows = placed.closed
    assert rows is not None
    arm, count = rows.closing.arm, rows.count
    source_of = [index.sources.index(((term.kind, term.names), term.link)) for term in index.terms]
    table = np.zeros((len(index.sources), count, len(arm.closed_joint_names), 6))
    place_of = [arm.closed_joint_names.index(term.joint) for term in index.terms]
    table[source_of, :, place_of] = np.moveaxis(values, 1, 0)
    lam = _multipliers(rows, table[:, :, len(arm.joints):])
    delta = _Openings(placed, rows, states, case, by, index).of_sources()
    still = np.zeros((count, arm.n))
    B = per_multiplier(rows, (states[0], still, still), LoadCase())[0]

    def rule() -> tuple[Floats, Floats]:
        H = squares(rows, B)
        return H, -np.einsum("skl,usl->usk", H, lam)  # the terms of rigid links are least by it

    added = self_stress(rows, lam, delta, rule)
    more = np.zeros_like(table)
    more[:, :, : len(arm.joints)] = np.einsum("sjck,usk->usjc", B, added)
    force, torque = rows.wrenches(added * rows.unit)
    back = np.swapaxes(rows.axes, -1, -2)
    more[:, :, len(arm.joints) :] = _turned(back, np.concatenate([force, torque], axis=-1))
    result: Floats = values + np.moveaxis(more[source_of, :, place_of], 0, 1)
    return result


def _multipliers(rows: ClosedRows, wrenches: Floats) -> Floats:
    """(sources, states, m), in the units of the rows, of the loops' wrenches (sources, states, loops, 6) in the axes of
    `on`; zero of couplings, in which nothing is compliant.
    """
    result = np.zeros((*wrenches.shape[:2], len(rows.unit)))
    for number in range(len(rows.closing.markers)):
        mine = [k for k, of in enumerate(rows.closing.loop_of) if of == number]
        S = np.concatenate([rows.force[:, mine], rows.torque[:, mine]], axis=-1)
        world = [np.einsum("sij,usj->usi", rows.axes[:, number], wrenches[:, :, number, part])
                 for part in (slice(0, 3), slice(3, 6))]
        along = np.einsum("ski,usi->usk", S, np.concatenate(world, axis=-1))
        result[..., mine] = np.linalg.solve(S @ np.swapaxes(S, -1, -2), along[..., None])[..., 0]
    return result / rows.unit


@kept()
def _without_mimics(arm: ClosedElasticQuantities) -> ElasticQuantities:
    """The cut tree whose joints move each by itself."""
    return replace(arm.cut, joints=tuple(replace(joint, mimic=None) for joint in arm.cut.joints))


def _each_by_itself(arm: ClosedElasticQuantities, tree: ElasticQuantities, states: States) -> States:
    """States of the tree without mimics."""
    found = [np.zeros((len(states[0]), size)) for size in (tree.nq, tree.n, tree.n)]
    for body, own in zip(plain(arm.cut).bodies, plain(tree).bodies, strict=True):
        found[0][:, own.q] = body.multiplier * states[0][:, body.q] + body.offset
        for rates, given in zip(found[1:], states[1:], strict=True):
            rates[:, own.v] = body.multiplier * given[:, body.v]
    return tuple(found)


class _Alone(NamedTuple):
    """Part of the motion and the loads of all states, while nothing weighs."""

    qd: Floats
    qdd: Floats
    velocity: bool = False
    acceleration: bool = False
    external: str = ""


class _Openings:
    """How far the cuts open by each source, (states, m), with the joints of the tree held."""

    def __init__(
        self, placed: PlacedModel, rows: ClosedRows, states: States, case: LoadCase, by: Any, index: Index
    ) -> None:
        self.placed, self.rows, self.case, self.by, self.index = placed, rows, case, by, index
        self.arm = rows.closing.arm
        self.q, self.qd, self.qdd = states
        self.tree: ElasticQuantities = self.arm.cut
        if by != "drive" and any(joint.mimic is not None for joint in self.arm.joints):
            self.tree = _without_mimics(self.arm)
            self.q, self.qd, self.qdd = _each_by_itself(self.arm, self.tree, states)
        self.still = np.zeros((rows.count, self.tree.n))
        self.parts: dict[Any, int] = {}
        self.alone: list[_Alone] = []
        self._check()

    def _check(self) -> None:
        if any(kind == "coriolis" and names[0] == names[1] for (kind, names), _ in self.index.sources):
            raise ModelError(f"robot '{self.arm.name}' has loops, and beams or joint compliance: what bends it by the "
                             "motion of joints that turn and slide at once is kept apart with by='freedom' only")

    def _part(self, key: Any, make: Any) -> int:
        """The number of a part of the motion, made when it is first asked for."""
        if key not in self.parts:
            self.parts[key] = len(self.alone)
            self.alone.append(make())
        return self.parts[key]

    def of_sources(self) -> Floats:
        """(sources, states, m)."""
        sums = [self._sum(kind, names) for (kind, names), _ in self.index.sources]
        of_parts = self._of_parts()
        weights = None
        result = np.zeros((len(sums), *of_parts.shape[1:]))
        for k, ((kind, names), _) in enumerate(self.index.sources):
            if kind == "gravity":
                weights = self._of_weights() if weights is None else weights
                result[k] = weights[:, :, self.arm.cut.link_names.index(names[0])]
            for part, factor in sums[k].items():
                result[k] += factor * of_parts[part]
        return result

    def _sum(self, kind: str, names: tuple[str, ...]) -> dict[int, float]:
        """Factors of the parts."""
        if kind == "base":
            kind, names = names[0], ("", *names[1:])
            if kind == "inertial":
                return {self._part("base", lambda: _Alone(self.still, self.still, acceleration=True)): 1.0}
        if kind == "inertial":
            return {self._part((kind, names), lambda: _Alone(self.still, self._along(names[0], self.qdd))): 1.0}
        if kind == "centrifugal":
            return {self._moving(names[:1]): 1.0}
        if kind == "coriolis":
            both, one, other = (self._moving(movers) for movers in (names, names[:1], names[1:]))
            return {both: 1.0, one: -1.0, other: -1.0}
        if kind == "external":
            return {self._part((kind, names), lambda: _Alone(self.still, self.still, external=names[0])): 1.0}
        return {}  # what acts inside the drives bends nothing; weights are below

    def _moving(self, movers: tuple[str, ...]) -> int:
        """The part in which only these move, the base by the name of nothing."""
        def made() -> _Alone:
            speeds = sum((self._along(name, self.qd) for name in movers if name), self.still)
            accelerations = self.still
            if self.by == "drive" and any(movers):  # the others follow
                given = {name: speeds[:, self.arm.dof_names.index(name)] for name in self.arm.independent}
                accelerations = complete(self.arm, self.q, given, strict=False)[1]
            return _Alone(speeds, accelerations, velocity="" in movers)

        return self._part(("moving", frozenset(movers)), made)

    def _along(self, mover: str, rates: Floats) -> Floats:
        """What one mover has of speeds or accelerations."""
        arm = self.arm
        if self.by == "drive":
            T = np.asarray(at_once(arm.complement, self.q), dtype=float)
            k = arm.dof_names.index(mover)
            result: Floats = T[..., list(arm.split.independent).index(k)] * rates[:, [k]]
            return result
        which = self.tree.v_slices[mover] if self.by == "joint" else self.tree.dof_names.index(mover)
        result = np.zeros_like(rates)
        result[:, which] = rates[:, which]
        return result

    def _of_parts(self) -> Floats:
        """(parts, states, m)."""
        count, states = len(self.alone), self.rows.count
        if not count:
            return np.zeros((0, states, len(self.rows.unit)))
        qd, qdd = (np.array([getattr(part, name) for part in self.alone]) for name in ("qd", "qdd"))
        loads: dict[str, Any] = {"gravity": np.zeros(3)}
        for name, flag in (("base_velocity", "velocity"), ("base_acceleration", "acceleration")):
            if (given := self.case.base_motion.get(name)) is not None:
                acts = np.array([float(getattr(part, flag)) for part in self.alone])
                loads[name] = acts[:, None, None] * np.broadcast_to(given, (states, 6))
        external = {}
        for link, wrench in (self.case.external or {}).items():
            acts = np.array([float(part.external == link) for part in self.alone])[:, None, None]
            force, torque = (acts * np.broadcast_to(part, (states, 3)) for part in (wrench.force, wrench.torque))
            external[link] = Wrench(force, torque, wrench.axes, wrench.point)
        if external:
            loads["external"] = external
        deflection = ElasticQuantities.small_deflection.__get__(self.tree, type(self.tree))
        q = np.broadcast_to(self.q, (count, *self.q.shape))
        return opened(self.rows, *at_once(deflection, q, qd, qdd, effects=self.placed.model.effects, **loads))

    def _of_weights(self) -> Floats:
        """(states, m, links of the cut tree): of the weight of each link."""
        placed, model = self.placed, self.placed.model
        of, links = placed.extension, list(model.body_links)
        inertias = carried_inertias(of.inertias, placed.R[:, links], placed.p[:, links])[..., :3, :]
        own = placed.own_momenta[:, :3]
        given = self.case.gravity
        g = np.broadcast_to(np.asarray(self.arm.gravity if given is None else given, dtype=float), (placed.count, 3))
        work = np.zeros((placed.count, len(self.arm.cut.links), model.total))
        for body, link in enumerate(links):
            moved = np.einsum("si,sij,sjc->sc", g, np.broadcast_to(inertias[:, body], (placed.count, 3, 6)),
                              placed.twists)
            work[:, link] += moved * of.on_inertias[:, body][:, model.piece_of]
        for piece in model.pieces:
            work[:, piece.link, piece.columns] += np.einsum("si,sic->sc", g, own[..., piece.columns])
        result: Floats = self.rows.A @ np.swapaxes(placed.without_slides(work)[..., : model.size], -1, -2)
        return result


def _rotations(placed: PlacedModel, index: Index, frame: str) -> Floats:
    """(states, terms, 3, 3): from the axes of each term's joint to those of the world or of a link."""
    rows = placed.closed
    assert rows is not None
    arm, cut = rows.closing.arm, rows.closing.arm.cut
    axes = [placed.R[:, cut.link_names.index(joint.child)] for joint in arm.joints]
    axes += [rows.axes[:, k] for k in range(len(arm.loops))]
    R = np.stack([axes[arm.closed_joint_names.index(term.joint)] for term in index.terms], axis=1)
    if frame != "world":
        poses = np.asarray(at_once(arm.tree.link_poses, placed.q), dtype=float)[:, arm.link_names.index(frame)]
        R = np.swapaxes(poses[:, None, :3, :3], -1, -2) @ R
    return R


load_terms = Resolved(ClosedQuantities.load_terms, _load_terms)
