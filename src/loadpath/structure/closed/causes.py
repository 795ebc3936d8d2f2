"""`load_terms` of robots with loops whose links bend: every cause goes through the loops by itself.

Rigid statics has the terms of all causes by the rule of equally stiff joints. What beams make of them differs by a
self-stress, linear in the loads of each cause: the one that closes the cuts, which the cause opens by F lambda + delta.
F lambda is of the loops' wrenches in the rigid term; delta, of its loads on the cut tree with its joints held. Loads
are linear in accelerations and external wrenches and quadratic in speeds, so delta of motion is found by states in
which only that moves, and by differences. Weight of a link: delta is the work that it does on what a unit of each
multiplier bends (Betti), which the momenta of the elastic coordinates have.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.cached import kept
from loadpath.errors import ModelError
from loadpath.kinematics.closed.completion import complete
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.load_index import Index, index_of
from loadpath.quantities.wrench import Wrench
from loadpath.results import ClosedLoadTerms
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import LoadCase, StateBatch, read_states
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.closed.results import ORDER
from loadpath.structure.closed.settling import as_driven, opened, per_multiplier, self_stress, squares
from loadpath.structure.quantities import ElasticQuantities, at_once
from loadpath.structure.vibration.model import row_blocks, vibration_model
from loadpath.structure.vibration.world_axes import carried_inertias

if TYPE_CHECKING:
    from loadpath.structure.quantities import ClosedElasticQuantities
    from loadpath.structure.vibration.closing import ClosedRows
    from loadpath.structure.vibration.placed import PlacedModel

States = tuple[Floats, ...]


def load_terms(
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
    """The arrays that `load_breakdown` is made of: see `ClosedRobot.load_terms`. Beams and joint compliance settle what
    each cause does where statics leaves it open.

    >>> import loadpath as lp
    >>> bar = lp.catalog.four_bar()
    >>> elastic = bar.with_beams(joint_compliance={"rocker_pin": lp.JointCompliance(tilting=1e4)})
    >>> elastic.load_terms(bar.home, [0, 0, 0], [0, 0, 0]).values.shape
    (40, 6)
    """
    out = loads.pop("out", None)
    if loads.pop("compliances", None):
        raise ModelError(f"robot '{arm.name}': 'compliances' are for rigid links, and here beams and joint compliance "
                         "settle the reactions: leave them out, or take robot.without_beams()")
    if by_link:
        raise ModelError(f"robot '{arm.name}' has loops, and beams or joint compliance: what bends it is kept apart by "
                         "the link whose mass carries it for gravity alone: leave by_link out, or take "
                         "robot.without_beams()")
    parts = [part.name for part in fields(LoadCase)]
    case = LoadCase(**{part: value for part, value in loads.items() if part in parts})
    choices = {name: value for name, value in loads.items() if name not in parts}
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
        settled = _settled_values(placed, states, here, by, index, values)
        for whole, part in zip(found, (settled, *terms[1:]), strict=True):
            whole[rows] = part
        if frame != "joint":
            found[0][rows] = _turned(placed, index, frame, found[0][rows])
    shaped = [part.reshape(*batch.shape, *part.shape[1:]) for part in found]
    for given, part in zip(out or (), shaped, strict=False):
        given[...] = part
    return ClosedLoadTerms(*(shaped if out is None else out))


@kept()
def _rigid(arm: ClosedElasticQuantities) -> ClosedQuantities:
    """The same with links that do not bend."""
    return replace(arm, beams=(), joint_compliances=(), guides=())


def _settled_values(
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
    more[:, :, len(arm.joints) :] = np.concatenate(
        [np.einsum("slij,uslj->usli", back, part) for part in (force, torque)], axis=-1)
    result: Floats = values + np.moveaxis(more[source_of, :, place_of], 0, 1)
    return result


def _multipliers(rows: ClosedRows, wrenches: Floats) -> Floats:
    """(sources, states, m), in the units of the rows, of the loops' wrenches (sources, states, loops, 6) in the axes of
    `on`; zero of couplings, in which nothing gives way.
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


def _turned(placed: PlacedModel, index: Index, frame: str, values: Floats) -> Floats:
    """Terms (states, terms, 6) in the axes of the world or of a link."""
    rows = placed.closed
    assert rows is not None
    arm, cut = rows.closing.arm, rows.closing.arm.cut
    axes = [placed.R[:, cut.link_names.index(joint.child)] for joint in arm.joints]
    axes += [rows.axes[:, k] for k in range(len(arm.loops))]
    R = np.stack([axes[arm.closed_joint_names.index(term.joint)] for term in index.terms], axis=1)
    if frame != "world":
        poses = np.asarray(at_once(arm.tree.link_poses, placed.q), dtype=float)[:, arm.link_names.index(frame)]
        R = np.swapaxes(poses[:, None, :3, :3], -1, -2) @ R
    return np.concatenate([np.einsum("stij,stj->sti", R, values[..., part])
                           for part in (slice(0, 3), slice(3, 6))], axis=-1)
