"""`arm.buckling(q)`: by what factor the loads of an arm may grow until it buckles as a whole.

In elastic coordinates the stiffness of an arm under loads that have grown by a factor is 1 + factor K_G (see
`geometric_stiffness`). It buckles where that is singular: the smallest factor is one over the largest eigenvalue
of -K_G.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError, warn
from loadpath.printable import printable
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints
from loadpath.states import (
    Batch,
    StateBatch,
    StatesLike,
    count_words,
    place_of,
    read_states,
    state_words,
    warn_of_unknown,
)
from loadpath.structure.arm_lines import buckling_figure
from loadpath.structure.checks import check_guide_range, check_wrench_points, chosen_effects
from loadpath.structure.vibration.eigenvalues import BucklingSolver, Solved, largest_positive
from loadpath.structure.vibration.frequencies import BeamLine, beam_lines
from loadpath.structure.vibration.model import VibrationModel, model_size, row_blocks, vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads, largest_strains
from loadpath.structure.vibration.placed import PlacedModel

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.vibration.model import VibrationModel


class WorstBuckling(NamedTuple):
    """The state that is nearest to buckling."""

    factor: float
    link: str
    """The link or joint that takes most of the energy there."""
    state: tuple[int, ...]
    """Index in the batch; () for a single state."""


@dataclass(frozen=True, eq=False)
class BucklingShape:
    """How an arm gives way as it buckles, per link frame in world axes; batch axes in front. The largest displacement
    of a link frame is 1 (or its largest rotation, where none is displaced): the size has no meaning by itself. NaN
    where nothing buckles.
    """

    displacement: Floats
    """(..., links, 3): of the origins of the link frames."""
    rotation: Floats
    """(..., links, 3): of the link frames, small angles as a vector."""
    coordinates: Floats
    """(..., size): in the elastic coordinates of `model`."""
    q: Floats
    factor: Floats
    names: NDArray[np.object_]
    model: VibrationModel

    def beam_lines(self, points: int = 25) -> list[BeamLine]:
        """The beams' middle lines and how they move, of one state, at this many points along each piece. Their
        displacement has a leading axis of one.
        """
        if self.factor.ndim:
            raise ValueError("beam lines are of one state: choose it, buckling[3].shape.beam_lines()")
        return beam_lines(self.model, self.q, self.coordinates[None], points)

    def plot(self, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of one state: the arm unbuckled, and as it gives way."""
        return buckling_figure(self, magnification)


@dataclass(frozen=True, eq=False, repr=False)
class Buckling:
    """By what factor all loads of a state may grow until the arm buckles, as a whole; batch axes in front.

    The factor is on all present loads together: gravity, motion, payload and external wrenches. At 1 the arm buckles,
    below 1 it is past buckling; it is infinite where nothing buckles.
    """

    factor: Floats
    """(...)."""
    model: VibrationModel
    batch: Batch
    """The states and their loads."""
    error: Floats
    """(...): relative change of each factor when the last polynomials were added, which is more than the error that is
    left; NaN where the order was given, and for states that are not numbers.
    """
    found: tuple[Floats, Floats, Floats] | None
    """(..., size) of coordinates, (..., links, 3) of displacement and of rotation; None where they were too many to be
    kept.
    """
    numbers: Ints
    """(...): for each state the number in `owner_names` of what takes most of the energy, the last for none."""

    @property
    def q(self) -> Floats:
        """(..., nq)."""
        nq = self.model.arm.nq
        return np.broadcast_to(self.batch.arrays["q"], (*self.batch.shape, nq))

    @property
    def unknown(self) -> Bools:
        """(...): states that are not numbers."""
        return np.asarray(np.isnan(self.factor))

    @property
    def stable(self) -> Bools:
        """(...): whether the arm holds against buckling, its factor above 1; false for states that are not numbers."""
        return np.asarray(self.factor > 1)

    @property
    def owner_names(self) -> tuple[str, ...]:
        """Links with a beam, and compliant joints."""
        return owners(self.model)[0]

    @property
    def link(self) -> str | NDArray[np.object_]:
        """The link or joint that takes most of the energy: (...) names, for a single state one string. "none" where
        nothing buckles, "nan" for states that are not numbers.
        """
        names = np.array([*self.owner_names, "none"], dtype=object)[self.numbers]
        found = np.where(self.unknown, "nan", names)
        return str(found[()]) if not self.factor.ndim else found

    @property
    def part_names(self) -> tuple[str, ...]:
        """What takes energy: every kind of strain of every beam, and the compliant joints."""
        return self.model.part_names

    @property
    def energy_shares(self) -> Floats:
        """(..., parts): share of the elastic energy that each part of `part_names` takes. They add up to 1."""
        energy = self._shapes[0] ** 2
        result: Floats = energy / energy.sum(axis=-1, keepdims=True) @ self.model.part_of
        return result

    @property
    def shape(self) -> BucklingShape:
        """How the arm gives way."""
        coordinates, displacement, rotation = self._shapes
        names = np.asarray(self.link, dtype=object)
        return BucklingShape(displacement, rotation, coordinates, self.q, self.factor, names, self.model)

    @cached_property
    def _shapes(self) -> tuple[Floats, Floats, Floats]:
        if self.found is None:
            raise ValueError(f"the shapes of {self.factor.size} states are not kept: choose some and ask again, "
                             "arm.buckling(q[buckling.worst.state])")
        return self.found

    @property
    def worst(self) -> WorstBuckling:
        """The state with the smallest factor, among those that are numbers."""
        if self.unknown.all():
            why = "only states that are not numbers" if self.factor.size else "no states"
            raise ValueError(f"there is no worst state: {why}")
        k = int(np.nanargmin(self.factor))
        names = np.asarray(self.link, dtype=object)
        return WorstBuckling(float(self.factor.flat[k]), str(names.flat[k]), place_of(k, self.factor.shape))

    def __getitem__(self, state: int | slice | tuple[int | slice, ...] | Ints) -> Buckling:
        """Some states of the batch."""
        if not self.factor.ndim:
            raise IndexError("this is the buckling of one state, there is no batch to choose from")
        numbers = np.arange(self.factor.size).reshape(self.factor.shape)[state]
        arrays = dict(zip(self.batch.arrays, self.batch.rows(numbers.ravel()), strict=True))
        case = self.batch.case_of(numbers.ravel())
        arrays = {name: array.reshape(*numbers.shape, array.shape[-1]) for name, array in arrays.items()}
        case = case.changed(
            lambda given: np.reshape(given, (*numbers.shape, np.shape(given)[-1])) if np.ndim(given) > 1 else given
        )
        found = None if self.found is None else tuple(part[state] for part in self.found)
        return replace(self, factor=np.asarray(self.factor[state]), batch=Batch(arrays, case),
                       error=np.asarray(self.error[state]), numbers=np.asarray(self.numbers[state]), found=found)  # type: ignore[arg-type]

    def plot(self, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of how the arm gives way, of one state: see `shape`."""
        return self.shape.plot(magnification=magnification)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        of = f"buckling of '{printable(self.model.arm.name)}'"
        missing = count_words(self.unknown)
        if self.unknown.all():
            return f"<{of}: {missing or 'no states'}>"
        worst = self.worst
        if self.factor.ndim:
            held = "all hold" if self.stable.all() else f"{int((~self.stable & ~self.unknown).sum())} past buckling"
            where = f"the smallest factor {worst.factor:.4g} ({printable(worst.link)}{state_words(worst.state)})"
            return f"<{of}: {self.factor.size} states, {where}, {held}{f'; {missing}' if missing else ''}>"
        if worst.factor == np.inf:
            return f"{of}: nothing buckles, however large the loads"
        lines = [f"{of}: all loads may grow by the factor {worst.factor:.4g}"
                 f"{'' if worst.factor > 1 else ', past buckling'}"]
        if self.found is not None:
            shares = self.energy_shares
            for k in np.argsort(-shares)[:4]:
                if shares[k] >= 0.05:
                    lines.append(f"{100 * shares[k]:5.0f} %  {printable(self.part_names[k])}")
        return "\n".join(lines)


def owners(model: VibrationModel) -> tuple[tuple[str, ...], Floats]:
    """Names of the links and joints that the coordinates belong to, and (size, owners) which one has which."""
    unique = tuple(dict.fromkeys(name for name, _ in model.owners))
    table = np.zeros((model.size, len(unique)))
    for name, columns in model.owners:
        table[columns, unique.index(name)] = 1.0
    return unique, table


def columns_in(low: VibrationModel, high: VibrationModel) -> Ints:
    """(size,): the coordinates of a model in one of the same arm with more polynomials: the first of each resultant of
    each piece.
    """
    result = np.empty(low.size, dtype=int)
    for (_, few), (_, many) in zip(low.owners, high.owners, strict=True):
        kinds, of = (model.part_of.argmax(axis=1) for model in (low, high))
        for kind in np.unique(kinds[few]):
            here = few.start + np.flatnonzero(kinds[few] == kind)
            there = many.start + np.flatnonzero(of[many] == kind)
            result[here] = there[: len(here)]
    return result


ORDERS = (2, 3, 4, 5, 6, 8, 10, 12, 14, 17, 20)
"""Polynomials of a piece's bending moments that are tried in turn."""
TOLERANCE = 1e-4
SAMPLES = 4
"""States of a batch on which the order is found that the others start with."""
STRIDE = 2
"""Steps of `ORDERS` between two that are compared: one more polynomial may change nothing because it is odd."""
STRAIN = 0.5
"""Force in a beam over its shear (or axial) stiffness, at which nothing is elastic any more: what buckles at larger
loads does not count. A beam in tension would give way in shear at about one.
"""
BLOCK = 128
"""States that are solved at once, where few coordinates are enough: their matrices stay in the cache."""
KEPT = 2e7
"""Numbers of shapes that are kept."""


@takes_loads
def buckling(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    effects: Names = None,
    tolerance: float = TOLERANCE,
    order: int | None = None,
    progress: bool | Report = False,
    **acting: Unpack[LoadKeywords],
) -> Buckling:
    """By what factor all loads of a state may grow together until the arm buckles: all its links, beams and compliant
    joints as one, in states (..., nq), (..., n), (..., n), or of an `lp.Motion` or simulation in their place; without
    `qd` and `qdd` at rest.

    The loads are gravity on all masses, the inertia of the motion, payloads, `external` wrenches and the motion of the
    base, as in `deflection`; the factor is on all of them. Axial forces, moments that make narrow sections give way
    sideways (lateral-torsional buckling) and torques count, in any bent arm. Forces keep their direction while the arm
    gives way; an external torque is semi-tangential; joints are held, but for those with a `JointCompliance`. Of a
    robot with loops those are held that `natural_frequencies` has held, and what loops exert turns with the links. The
    arm is straight before it buckles: what it bends under the loads is small against that (see
    `deflection(iterate=True)`). `effects` as in `deflection`.

    A factor of 1 is buckling, less is past it: a result, with a `ModelWarning`. It is infinite where nothing buckles
    before the force in some section is half of its shear stiffness, where nothing is elastic any more. The number of
    polynomials along each piece of a beam is raised, in each state by itself, until its factor changes by less than the
    share `tolerance` (`error` has the change of each); `order` sets it instead. States that are not numbers
    give NaN. `progress=True` shows a bar.

    >>> import loadpath as lp
    >>> rod = lp.Rod(0.01)
    >>> arm = lp.catalog.planar(1, gravity=0.0).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
    >>> push = {"tip": lp.Wrench(force=(-1000.0, 0, 0))}
    >>> found = arm.buckling([0.0], external=push)
    >>> float((found.factor * 1000 / (np.pi**2 * 210e9 * rod.second_moment_y / 4)).round(3))              # Euler
    1.0
    >>> found.link, bool(found.stable)
    ('link1', True)
    """
    states = read_states(arm, q, qd, qdd, caller="buckling", at_rest=True, counts_loads=True)
    check_guide_range(arm, states.q)
    case = acting["under"].with_motion_of(q, arm, "buckling")
    check_wrench_points(arm, case.external)
    batch = StateBatch(arm, states, case, "buckling")
    with reporting(progress, "buckling") as report:
        found = solved(arm, chosen_effects(effects), batch, tolerance, order, report=report)
    warn_of_unknown(found.unknown, "buckling", "whether the arm holds there is not known: see buckling.unknown")
    if not found.unknown.all() and found.worst.factor < 1:
        warn_of_arm(arm, found.worst)
    return found


def warn_of_arm(arm: RobotModel, worst: WorstBuckling) -> None:
    """Warn of loads past buckling."""
    warn(f"arm '{arm.name}': past buckling{state_words(worst.state)}, where the whole arm holds {worst.factor:.4g} "
         f"times the loads; '{worst.link}' gives way most")


def solved(
    arm: ElasticQuantities,
    effects: tuple[str, ...],
    batch: Batch,
    tolerance: float,
    order: int | None = None,
    keep: float = KEPT,
    report: Report | None = None,
) -> Buckling:
    """The factors of all states of a batch, with their shapes if they are no more than `keep` numbers.

    All states are solved with two orders, and those that change by more than the tolerance with higher ones.
    """
    _check(arm, effects, tolerance, order)
    if order is not None:
        return _with_shapes(vibration_model(arm, effects, order), batch, keep, tolerance, report)
    at = converged(arm, effects, batch, tolerance)
    if not arm.beams:  # nothing but joints: no polynomials
        return _with_shapes(vibration_model(arm, effects, ORDERS[at]), batch, keep, tolerance, report, 0.0)
    before = factors(vibration_model(arm, effects, ORDERS[at - STRIDE]), batch, np.arange(len(batch)), tolerance)
    found = _with_shapes(vibration_model(arm, effects, ORDERS[at]), batch, keep, tolerance, report, before)
    rows = np.flatnonzero(found.error.ravel() > tolerance)
    while len(rows) and at < len(ORDERS) - 1:
        at = min(at + STRIDE, len(ORDERS) - 1)
        model = vibration_model(arm, effects, ORDERS[at])
        finer = _with_shapes(model, batch.chosen(rows), keep, tolerance, None, found.factor.flat[rows])
        found = _merged(found, rows, finer, keep)
        rows = rows[finer.error > tolerance]
    if len(rows):
        worst = int(rows[found.error.flat[rows].argmax()])
        warn(f"arm '{arm.name}': its buckling factor is good to {found.error.flat[worst]:.2g} only, not to "
             f"{tolerance:.2g},{state_words(place_of(worst, batch.shape))} with {ORDERS[-1]} polynomials along each "
             "piece of a beam")
    return found


def sample_rows(batch: Batch) -> Ints:
    """States of a batch on which the order is found."""
    if not len(batch):
        return np.zeros(0, dtype=int)
    return np.unique(np.linspace(0, len(batch) - 1, SAMPLES).round().astype(int))


def converged(arm: ElasticQuantities, effects: tuple[str, ...], batch: Batch, tolerance: float) -> int:
    """The number in `ORDERS` with which the factors of some states of a batch change no more."""
    before: Floats | None = None
    last = len(ORDERS) - 1
    for at in range(0, last, STRIDE):
        now = factors(vibration_model(arm, effects, ORDERS[at]), batch, sample_rows(batch), tolerance)
        if not arm.beams or np.isnan(now).all():
            return max(at, STRIDE)
        if before is not None and (_change(before, now) <= tolerance).all():
            return at
        before = now
    return last


def _change(before: Floats, now: Floats) -> Floats:
    """How far factors moved, as a share; infinite where only one of the two is, and zero where both are."""
    with np.errstate(invalid="ignore"):
        moved = np.abs(now - before) / now
    both = np.isfinite(now) & np.isfinite(before)
    unknown = np.isnan(now) | np.isnan(before)
    result: Floats = np.where(both, moved, np.where(unknown, 0.0, np.where(now == before, 0.0, np.inf)))
    return result


def factors(model: VibrationModel, batch: Batch, rows: Ints, tolerance: float = TOLERANCE) -> Floats:
    """The factors (rows,) of some states of a batch; NaN of those that are not numbers."""
    place = np.full(len(batch), -1)
    place[rows] = np.arange(len(rows))
    result = np.full(len(rows), np.nan)
    for chosen, _, strains, found in _solutions(model, batch, tolerance, rows):
        result[place[chosen]] = factors_of(found.values, strains)
    return result


def _solutions(
    model: VibrationModel, batch: Batch, tolerance: float, rows: Ints | None = None
) -> Iterator[tuple[Ints, PlacedModel, Floats, Solved]]:
    """Numbers of states, the arm there, its largest strains and eigenvalues, block by block."""
    solver = BucklingSolver(model, batch, rows, 0.5 * tolerance) if not model.follows else None
    for chosen in row_blocks(model, batch, rows, BLOCK if solver is not None and solver.levels else None):
        states, case = batch.rows(chosen), batch.case_of(chosen)
        at = model.at(states[0])
        if solver is not None:
            loads = dead_loads(model.arm, states, case)
            yield chosen, at, largest_strains(model, loads, at.extension), solver.solve(at.R, loads)
        else:
            K, strains = at.loaded(states, case)
            yield chosen, at, strains, Solved(*largest_positive(-K), np.zeros(len(chosen)))


def factors_of(values: Floats, strains: Floats) -> Floats:
    """From the largest eigenvalues of -K_G, and the largest strains under the present loads."""
    with np.errstate(divide="ignore"):
        found = np.where(values > 0, 1.0 / np.abs(values), np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(found * strains > STRAIN, np.inf, found)


def _with_shapes(
    model: VibrationModel,
    batch: Batch,
    keep: float,
    tolerance: float,
    report: Report | None,
    before: Floats | float = float("nan"),
) -> Buckling:
    """`before` are the factors of a lower order, from which the errors follow; a number is the error of all states."""
    count, links = len(batch), len(model.arm.links)
    names, table = owners(model)
    factor, most = np.full(count, np.nan), np.full(count, len(names), dtype=int)
    kept = count * (model.size + 6 * links) <= keep
    coordinates = np.full((count if kept else 0, model.size), np.nan)
    moved, turned = (np.full((count if kept else 0, links, 3), np.nan) for _ in range(2))
    left_out = np.zeros(count)
    for chosen, at, strains, found_here in _solutions(model, batch, tolerance):
        factor[chosen] = factors_of(found_here.values, strains)
        left_out[chosen] = found_here.estimated
        buckles = np.isfinite(factor[chosen])
        rows, vectors = chosen[buckles], found_here.vectors[buckles]
        most[rows] = (vectors**2 @ table).argmax(axis=-1)
        if kept and len(rows):
            u, w = (part[:, 0] for part in at.chosen(buckles).frame_motions(vectors[:, None]))
            size = _scales(u, w)[:, None]
            coordinates[rows], moved[rows], turned[rows] = vectors * size, u * size[..., None], w * size[..., None]
        if report is not None:
            report((int(chosen[-1]) + 1) / count)
    shape = batch.shape
    found = None
    if kept:
        parts = (coordinates, moved, turned)
        found = tuple(part.reshape(*shape, *part.shape[1:]) for part in parts)
    error = np.full(count, before) if isinstance(before, float) else _change(before, factor) + left_out
    error[np.isnan(factor)] = np.nan
    error = error.reshape(shape)
    return Buckling(factor.reshape(shape), model, batch, error, found, most.reshape(shape))  # type: ignore[arg-type]


def _merged(all_: Buckling, rows: Ints, finer: Buckling, keep: float) -> Buckling:
    """The states of a batch with some of them replaced by what a model of a higher order says of these."""
    factor, error, numbers = all_.factor.copy(), all_.error.copy(), all_.numbers.copy()
    factor.flat[rows], error.flat[rows], numbers.flat[rows] = finer.factor, finer.error, finer.numbers
    found = None
    links = len(finer.model.arm.links)
    if all_.found is not None and finer.found is not None and factor.size * (finer.model.size + 6 * links) <= keep:
        coordinates, moved, turned = (part.reshape(factor.size, *part.shape[factor.ndim :]) for part in all_.found)
        wider = np.zeros((factor.size, finer.model.size))
        wider[:, columns_in(all_.model, finer.model)] = coordinates
        parts = (wider, moved.copy(), turned.copy())
        for part, better in zip(parts, finer.found, strict=True):
            part[rows] = better
        found = tuple(part.reshape(*factor.shape, *part.shape[1:]) for part in parts)
    return Buckling(factor, finer.model, all_.batch, error, found, numbers)  # type: ignore[arg-type]


def _scales(u: Floats, w: Floats) -> Floats:
    """Factors that make the largest displacement (rotation where there is none) of every shape 1, and positive."""
    flat = u.reshape(len(u), -1)
    still = np.abs(flat).max(axis=-1, initial=0.0) <= 1e-9 * np.abs(w).reshape(len(w), -1).max(axis=-1, initial=0.0)
    flat = np.where(still[:, None], w.reshape(len(w), -1), flat)
    # A hair more for the first, so that components that are equal but for rounding give one sign.
    weight = 1 - 1e-9 * np.arange(flat.shape[1])
    largest = np.take_along_axis(flat, np.abs(flat * weight).argmax(axis=-1)[:, None], axis=-1)[:, 0]
    result: Floats = 1.0 / np.where(largest == 0, 1.0, largest)
    return result


def _check(arm: ElasticQuantities, effects: tuple[str, ...], tolerance: float, order: int | None) -> None:
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}: expected a share between 0 and 1")
    if order is not None and not (isinstance(order, int | np.integer) and 1 <= order <= ORDERS[-1]):
        raise ValueError(f"order is {order!r}: expected a whole number from 1 to {ORDERS[-1]}")
    if model_size(arm, effects, ORDERS[-1]) == 0:
        left_out = f" with the effects {', '.join(effects) or 'none'}" if arm.beams or arm.joint_compliances else ""
        raise ModelError(f"robot '{arm.name}' has no elastic part{left_out}: what is rigid does not buckle; give "
                         "with_beams a beam or a joint_compliance")
