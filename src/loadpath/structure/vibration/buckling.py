"""`arm.buckling(q)`: by what factor the loads of an arm may grow until it buckles as a whole.

In elastic coordinates the stiffness of an arm under loads that have grown by a factor is 1 + factor K_G (see
`geometric_stiffness`). It buckles where that is singular: the smallest factor is one over the largest eigenvalue
of -K_G.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Floats, Ints
from loadpath.states import (
    Batch,
    StateBatch,
    StatesLike,
    place_of,
    read_states,
    state_words,
    warn_of_unknown,
)
from loadpath.structure.choices import chosen_effects
from loadpath.structure.guide_range import check_guide_range
from loadpath.structure.vibration.buckled import Buckling, WorstBuckling, columns_in, owners
from loadpath.structure.vibration.buckling_values import BucklingSolver, Solved
from loadpath.structure.vibration.eigenvalues import largest_positive
from loadpath.structure.vibration.loaded import row_blocks
from loadpath.structure.vibration.model import VibrationModel, model_size, vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads, largest_strains
from loadpath.structure.vibration.placed import PlacedModel
from loadpath.structure.wrench_points import check_wrench_points

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

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
