"""`arm.natural_frequencies(q)`: at what frequencies an arm rings in a state, and how it moves then.

In elastic coordinates (see `basis`) the stiffness of the unloaded arm is the identity; loads add their geometric
stiffness K_G: (1 + K_G) x = omega^2 M x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.printable import printable
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Bools, Floats, Ints
from loadpath.states import (
    Batch,
    LoadCase,
    StateBatch,
    StatesLike,
    count_words,
    place_of,
    read_states,
    state_words,
    unknown_states,
    warn_of_unknown,
)
from loadpath.states.carried import VIBRATES, refuse_counted
from loadpath.structure.arm_lines import mode_figure
from loadpath.structure.checks import check_guide_range, check_wrench_points, chosen_effects
from loadpath.structure.quantities import at_once
from loadpath.structure.vibration.eigenvalues import (
    largest_eigenpairs,
    largest_pairs_with_stiffness,
    largest_positive,
)
from loadpath.structure.vibration.model import VibrationModel, model_size, row_blocks, vibration_model
from loadpath.structure.vibration.placed import PlacedModel

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.vibration.model import VibrationModel


class BeamLine(NamedTuple):
    """The middle line of a beam of the undeflected arm, and how it moves; world axes, m."""

    link: str
    position: Floats
    """(points,), from the beam's start."""
    points: Floats
    """(points, 3)."""
    displacement: Floats
    """(modes, points, 3), per unit of modal mass."""


@dataclass(frozen=True, eq=False, repr=False)
class Modes:
    """Vibrations of an arm, lowest frequency first; batch axes in front. World axes, all links in phase.

    Shapes are of unit modal mass (their kinetic energy is rate^2 / 2), so their size has no meaning by itself; the
    largest displacement of a link frame counts positive.
    """

    frequencies: Floats
    """(..., count), Hz."""
    displacement: Floats
    """(..., count, links, 3): of the origins of the link frames."""
    rotation: Floats
    """(..., count, links, 3): of the link frames, small angles as a vector."""
    effective_mass: Floats
    """(..., count, 3), kg: what of the arm's moving mass a shaking of the base along world x, y, z brings to move in
    this mode; over all modes they add up to the moving mass."""
    coordinates: Floats
    """(..., count, size): in the elastic coordinates of `model`; their squares are shares of the energy."""
    q: Floats
    model: VibrationModel
    error: float
    """Relative change of a frequency when the last polynomials were added; NaN where the order was given."""
    past_buckling: Bools
    """(...): states whose loads are past buckling: an arm does not vibrate there, and its frequencies are NaN."""

    @property
    def unknown(self) -> Bools:
        """(...): states whose frequencies are not known: poses that are not numbers, or past buckling."""
        return unknown_states(self.frequencies)

    @property
    def part_names(self) -> tuple[str, ...]:
        """What stores the energy: every kind of strain of every beam, and the compliant joints."""
        return self.model.part_names

    @property
    def energy_shares(self) -> Floats:
        """(..., count, parts): share of the elastic energy that each part of `part_names` stores. They add up to 1."""
        energy = self.coordinates**2
        total = energy.sum(axis=-1, keepdims=True)
        result: Floats = (energy / np.where(total > 0, total, 1.0)) @ self.model.part_of
        return result

    @property
    def names(self) -> NDArray[np.object_]:
        """The part that stores most of the energy of each mode: strings, an array (..., count)."""
        shares = self.energy_shares
        names = np.array([*self.part_names, "nan"], dtype=object)
        return names[np.where(np.isnan(shares).any(axis=-1), len(names) - 1, shares.argmax(axis=-1))]

    def __getitem__(self, state: int | slice | tuple[int | slice, ...] | Ints) -> Modes:
        """The modes of some states of the batch."""
        if self.frequencies.ndim == 1:
            raise IndexError("these are the modes of one state, there is no batch to choose from")
        arrays = (self.frequencies, self.displacement, self.rotation, self.effective_mass, self.coordinates, self.q)
        frequencies, displacement, rotation, effective, coordinates, q = (a[state] for a in arrays)
        past = np.asarray(self.past_buckling[state])
        return Modes(frequencies, displacement, rotation, effective, coordinates, q, self.model, self.error, past)

    def beam_lines(self, points: int = 25) -> list[BeamLine]:
        """The beams' middle lines and how they move in each mode of one state, at this many points along each piece."""
        if self.frequencies.ndim != 1:
            raise ValueError("beam lines are of one state: choose it, modes[3].beam_lines()")
        return beam_lines(self.model, self.q, self.coordinates, points)

    def plot(self, mode: int = 0, *, magnification: float | str = "auto") -> Figure:
        """A Plotly figure of a mode of one state: the arm at rest, and at both ends of the vibration."""
        return mode_figure(self, mode, magnification)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        of = f"natural frequencies of '{printable(self.model.arm.name)}'"
        if self.frequencies.ndim != 1:
            lowest = self.frequencies[..., 0]
            known, missing = lowest[~np.isnan(lowest)], count_words(self.unknown & ~self.past_buckling)
            span = f"the lowest {known.min():.4g} to {known.max():.4g} Hz" if known.size else "none known"
            if self.past_buckling.any():
                span += f", {int(self.past_buckling.sum())} past buckling"
            return f"<{of}: {lowest.size} poses, {span}{f'; {missing}' if missing else ''}>"
        lines = [of]
        for k, (f, shares) in enumerate(zip(self.frequencies, self.energy_shares, strict=True)):
            best = [i for i in np.argsort(-shares)[:3] if shares[i] >= 0.05]
            strongest = ", ".join(f"{printable(self.part_names[i])} {100 * shares[i]:.0f} %" for i in best)
            lines.append(f"{k + 1:3d} {f:12.4g} Hz  {strongest}")
        return "\n".join(lines)


def beam_lines(model: VibrationModel, q: Floats, coordinates: Floats, points: int) -> list[BeamLine]:
    """Middle lines of all beams in a pose, moved by elastic coordinates (modes, size)."""
    curves = model.at(q[None]).beam_lines(coordinates, points)
    return [BeamLine(curve.link, curve.position, curve.points, curve.displacement) for curve in curves]


ORDERS = (3, 4, 5, 6, 8, 10, 12, 14, 17, 20)
"""Polynomials of a piece's bending moments that are tried in turn."""
TOLERANCE = 1e-6
SAMPLES = 4
"""Poses of a batch on which the order is found, beside those that need the most polynomials."""
_NOTHING = 1e-14
"""Eigenvalues below this share of the largest are rounding: nothing moves there."""


@takes_loads
def natural_frequencies(
    arm: ElasticQuantities,
    q: StatesLike,
    count: int | None = None,
    *,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = TOLERANCE,
    order: int | None = None,
    **acting: Unpack[LoadKeywords],
) -> Modes:
    """The lowest natural frequencies (Hz) of an arm in states `q` (..., nq), `qd` and `qdd` (..., n), or in those of a
    motion, and the shapes of their vibrations; without `qd` and `qdd` at rest.

    Each beam bends, twists, stretches and shears with its mass along it (consistent mass, rotary inertia of the
    sections included as far as the link's tensor has it); what a link weighs beyond its beam, links without a beam and
    payloads are rigid bodies held where `with_beams` says, with their full inertia. Joints are locked, but for those
    with a `JointCompliance`: these are springs, the drive side of the gearbox held. `effects` leaves some out, as in
    `deflection`: without "shear" the beams are Euler-Bernoulli's with rotary inertia, without "joints" all joints are
    locked.

    Of a robot with loops the independent joints (`robot.independent`) are locked, those by their drives and what no
    drive moves of them, too; all other joints are free, whether they have a drive or not, and turn as the links bend,
    so that all loops stay closed. The rotors of these turn with them; springs of joints are loads that stay what they
    are.

    Small vibrations about the undeflected arm under its loads: compression makes it softer, tension stiffer, as far as
    `buckling` says, at which the lowest frequency is zero. The loads are gravity, the inertia of the motion, `external`
    wrenches and the motion of the base, as in `deflection`; they stay what they are while the arm vibrates. Past
    buckling there is no vibration: NaN there, with a `ModelWarning`; where all states are past it, an error.
    `loaded=False` leaves all loads out.

    `count` is 6 unless given, or as many as there are. The number of polynomials along each piece of a beam is raised
    until the frequencies change by less than the share `tolerance`, in those states of the batch that need the most,
    which two low orders find; `order` sets it instead. A pose with a NaN gives NaN; a coordinate that moves no mass
    gives an infinite frequency.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> arm.natural_frequencies([0.0], count=4, loaded=False).frequencies.round(2)
    array([14.47, 14.47, 90.55, 90.55])
    >>> float((1.8751041**2 / (2 * np.pi) * np.sqrt(210e9 * 0.01**2 / 4 / 7850)).round(2))    # of a slender cantilever
    14.47
    >>> hanging_and_upright = [[-np.pi / 2], [np.pi / 2]]
    >>> arm.natural_frequencies(hanging_and_upright, count=1).frequencies.round(2).tolist()
    [[14.48], [14.45]]
    """
    chosen = chosen_effects(effects)
    _check(count, tolerance, order)
    batch = vibrating_states(arm, q, qd, qdd, acting["under"], loaded, "natural_frequencies")
    orders = ORDERS if order is None else (int(order),)
    model, wanted, error = converged(arm, chosen, orders, batch, count, tolerance, loaded)
    found = _solved(model, batch, wanted, error, loaded)
    warn_of_unknown(found.unknown & ~found.past_buckling, "natural_frequencies", "NaN there: see its unknown")
    return found


def vibrating_states(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None,
    qdd: ArrayLike | None,
    case: LoadCase,
    loaded: bool,
    caller: str,
) -> StateBatch:
    """The states of a call with their loads; refuses loads where they do not count."""
    states = read_states(arm, q, qd, qdd, caller=caller, at_rest=True)
    check_guide_range(arm, states.q)
    refuse_open_loops(arm, states.q)
    if not loaded and (case.given or qd is not None or qdd is not None):
        given = next(iter(case.given), "qd" if qd is not None else "qdd")
        raise ValueError(f"{caller}: '{given}' is a load, and loaded=False leaves all loads out: give one or the other")
    if not loaded:
        still = np.zeros(arm.n)
        return StateBatch(arm, states._replace(qd=still, qdd=still), LoadCase(), caller)
    case = case.with_motion_of(q, arm, caller)
    refuse_counted(case, caller, VIBRATES)
    check_wrench_points(arm, case.external)
    return StateBatch(arm, states, case, caller)


def refuse_open_loops(arm: ElasticQuantities, q: ArrayLike) -> None:
    """An error for poses in which a robot's loops are not closed."""
    if arm.held_by_loops:
        at_once(arm.complement, q)  # type: ignore[attr-defined]  # which says so


def _check(count: int | None, tolerance: float, order: int | None) -> None:
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}: expected a share between 0 and 1")
    if order is not None and not (isinstance(order, int | np.integer) and 1 <= order <= ORDERS[-1]):
        raise ValueError(f"order is {order!r}: expected a whole number from 1 to {ORDERS[-1]}")
    if count is not None and not (isinstance(count, int | np.integer) and count >= 1):
        raise ValueError(f"count is {count!r}: expected a whole number, 1 or more")


def converged(
    arm: ElasticQuantities,
    effects: tuple[str, ...],
    orders: tuple[int, ...],
    batch: Batch,
    count: int | None,
    tol: float,
    loaded: bool,
) -> tuple[VibrationModel, int, float]:
    """The model with enough polynomials, the number of frequencies, and the last change of one."""
    most = model_size(arm, effects, orders[-1])
    if most == 0:
        raise ModelError(f"robot '{arm.name}' has no elastic part{_left_out(arm, effects)}: a rigid robot with locked "
                         "joints has no natural frequencies; give with_beams a beam or a joint_compliance")
    wanted = min(6, most) if count is None else int(count)
    if wanted > most:
        raise ValueError(f"count is {wanted}: robot '{arm.name}' has {most} elastic coordinates"
                         f"{_at_order(arm, orders[-1])}, so no more frequencies than that")
    numbers = np.concatenate([np.zeros(0, dtype=int), *row_blocks(vibration_model(arm, effects, orders[0]), batch)])
    if len(orders) == 1 or not len(numbers):
        return vibration_model(arm, effects, orders[-1] if len(orders) == 1 else orders[1]), wanted, float("nan")
    sample = numbers
    if len(numbers) > SAMPLES:
        lowest = [order for order in orders if model_size(arm, effects, order) >= wanted][:2]
        tried = [frequencies_alone(vibration_model(arm, effects, order), batch, wanted, loaded, numbers)[0]
                 for order in lowest]
        sample = numbers[_hardest(tried[0], tried[-1])]
    before, change = np.full((len(sample), wanted), np.nan), float("nan")
    for order in orders:
        if model_size(arm, effects, order) < wanted:
            continue
        model = vibration_model(arm, effects, order)
        now = frequencies_alone(model, batch, wanted, loaded, sample)[0]
        both = np.isfinite(now) & np.isfinite(before)
        if np.isnan(now).all():
            break  # all past buckling: another order is no better
        if not np.isnan(before).all():
            change = float((np.abs(now[both] - before[both]) / now[both]).max(initial=0.0))
            if change <= tol and (np.isfinite(now) == np.isfinite(before)).all():
                break
        before = now
    else:
        if not model.size == wanted == most:
            warn(f"robot '{arm.name}': its {wanted} lowest frequencies are good to {change:.2g} only, not to "
                 f"{tol:.2g}, with {orders[-1]} polynomials along each piece of a beam: ask for fewer")
    return model, wanted, change


def _hardest(one: Floats, other: Floats) -> Ints:
    """Which states of a batch need the most polynomials: those whose frequencies (states, count) two orders disagree on
    most, each frequency with its own, those that one of them alone has, and some between.
    """
    with np.errstate(invalid="ignore"):
        change = np.abs(one - other) / other
    change[np.isfinite(one) != np.isfinite(other)] = np.inf
    between = np.linspace(0, len(one) - 1, SAMPLES).round().astype(int)
    return np.unique([*np.nan_to_num(change, posinf=np.inf).argmax(axis=0), *between])


def _left_out(arm: RobotModel, effects: tuple[str, ...]) -> str:
    return f" with the effects {', '.join(effects) or 'none'}" if arm.beams or arm.joint_compliances else ""


def _at_order(arm: RobotModel, order: int) -> str:
    return f" with {order} polynomials along each piece of a beam" if arm.beams else ""


class Vibrating(NamedTuple):
    """Some states of a batch, with their eigenvalues."""

    rows: Ints
    """Their numbers in the batch."""
    values: Floats
    """(states, count): 1 / omega^2, largest first."""
    vectors: Floats
    """(states, count, size), x (1 + K_G) x = 1."""
    momenta: Floats
    """(states, size, 6): shared with a motion of the base."""
    at: PlacedModel
    first: tuple[Floats, float]
    """Mass matrix of the first state, and its largest eigenvalue."""
    buckled: Ints
    """Numbers of states that are left out because they are past buckling."""
    factors: Floats
    """Their factors of buckling."""


def vibrating(
    model: VibrationModel, batch: Batch, count: int, loaded: bool, rows: Ints | None = None
) -> Iterator[Vibrating]:
    """The states of a batch, or the given ones, block by block; poses with a NaN are left out."""
    for block in row_blocks(model, batch, rows):
        chosen, states = block, batch.rows(block)
        at = model.at(states[0])
        M, momenta = at.matrices()
        buckled, factors = np.zeros(0, dtype=int), np.zeros(0)
        if loaded:
            B = at.loaded(states, batch.case_of(chosen))[0]
            largest = _past_buckling(B)
            B += np.eye(model.size)
            if largest is not None:
                holds = largest < 1
                buckled, factors = chosen[~holds], 1 / largest[~holds]
                chosen, at = chosen[holds], at.chosen(holds)
                M, B, momenta = (x[holds] for x in (M, B, momenta))
            if len(chosen):
                values, vectors = largest_pairs_with_stiffness(M, B, count)
        elif len(chosen):
            values, vectors = largest_eigenpairs(M, count)
        if not len(chosen):
            values, vectors, M = np.zeros((0, count)), np.zeros((0, count, model.size)), np.zeros((1, 0, 0))
        first = M[0], float(values[0, 0]) if len(values) else 0.0
        yield Vibrating(chosen, values, vectors, momenta, at, first, buckled, factors)


def _past_buckling(K: Floats) -> Floats | None:
    """Largest eigenvalues of -K where any of 1 + K is not positive definite; None where all are."""
    try:
        np.linalg.cholesky(K + np.eye(K.shape[-1]))
    except np.linalg.LinAlgError:
        return largest_positive(-K)[0]
    return None


def frequencies_alone(
    model: VibrationModel,
    batch: Batch,
    count: int,
    loaded: bool,
    rows: Ints | None = None,
    progress: Callable[[float], object] | None = None,
) -> tuple[Floats, Bools]:
    """Frequencies (states, count) without their shapes, of all states of a batch or of the given ones, NaN where there
    are none; and which states are past buckling, with an error where all are that are numbers.
    """
    numbers = np.arange(len(batch)) if rows is None else rows
    place = np.full(len(batch), -1)
    place[numbers] = np.arange(len(numbers))
    found, past = np.full((len(numbers), count), np.nan), np.zeros(len(numbers), dtype=bool)
    smallest = _Smallest()
    for block in vibrating(model, batch, count, loaded, rows):
        found[place[block.rows]] = _frequencies(block.values)
        past[place[block.buckled]] = True
        smallest.see(block)
        if progress is not None:
            progress((smallest.past + smallest.good) / len(numbers))
    if rows is None:
        smallest.report(model.arm, batch)
    return found, past


class _Smallest:
    """The state that is farthest past buckling, of those seen."""

    def __init__(self) -> None:
        self.factor, self.number, self.past, self.good = float("inf"), 0, 0, 0

    def see(self, block: Vibrating) -> None:
        self.past += len(block.buckled)
        self.good += len(block.rows)
        if len(block.buckled) and block.factors.min() < self.factor:
            k = int(block.factors.argmin())
            self.factor, self.number = float(block.factors[k]), int(block.buckled[k])

    def report(self, arm: RobotModel, batch: Batch) -> None:
        """A warning where some states are past buckling, an error where all are."""
        if not self.past:
            return
        where = state_words(place_of(self.number, batch.shape))
        holds = f"the whole arm holds {self.factor:.4g} times its loads"
        if not self.good:
            raise ModelError(f"arm '{arm.name}': past buckling{where}, {holds}: it has no natural frequencies; "
                             "arm.buckling(...) shows what gives way, and loaded=False leaves the loads out"
                             )
        warn(f"arm '{arm.name}': {self.past} of {len(batch)} states are past buckling, farthest{where}, where {holds}: "
             "no natural frequencies there, NaN")


def _frequencies(values: Floats) -> Floats:
    """Hz, from the eigenvalues 1 / omega^2."""
    moving = values > _NOTHING * values[:, :1]
    result: Floats = np.where(moving, 1 / (2 * np.pi * np.sqrt(np.where(moving, values, 1.0))), np.inf)
    return result


def _solved(model: VibrationModel, batch: Batch, count: int, error: float, loaded: bool) -> Modes:
    total, links = len(batch), len(model.arm.links)
    frequencies = np.full((total, count), np.nan)
    coordinates = np.full((total, count, model.size), np.nan)
    moved, turned = (np.full((total, count, links, 3), np.nan) for _ in range(2))
    effective, past = np.full((total, count, 3), np.nan), np.zeros(total, dtype=bool)
    smallest, checked = _Smallest(), False
    for block in vibrating(model, batch, count, loaded):
        smallest.see(block)
        past[block.buckled] = True
        chosen, values = block.rows, block.values
        if not len(chosen):
            continue
        if not checked:
            _check_positive(model, float(np.linalg.eigvalsh(block.first[0])[0]), block.first[1])
            checked = True
        frequencies[chosen] = _frequencies(values)
        unit = np.where(values > _NOTHING * values[:, :1], 1 / np.sqrt(np.abs(values) + 1e-300), 0.0)
        y = block.vectors * unit[..., None]  # of modal mass one
        u, w = block.at.frame_motions(y)
        sign = _signs(u, w)
        coordinates[chosen] = y * sign[..., None]
        moved[chosen], turned[chosen] = u * sign[..., None, None], w * sign[..., None, None]
        effective[chosen] = (y @ block.momenta[..., :3]) ** 2
    smallest.report(model.arm, batch)
    shape = batch.shape
    return Modes(
        frequencies=frequencies.reshape(*shape, count),
        displacement=moved.reshape(*shape, count, links, 3),
        rotation=turned.reshape(*shape, count, links, 3),
        effective_mass=effective.reshape(*shape, count, 3),
        coordinates=coordinates.reshape(*shape, count, model.size),
        q=np.broadcast_to(batch.arrays["q"], (*shape, model.arm.nq)),
        model=model,
        error=error,
        past_buckling=past.reshape(shape),
    )


def _signs(u: Floats, w: Floats) -> Floats:
    """Signs that make the largest displacement (or rotation, where nothing else moves) of every mode positive."""
    flat = np.concatenate([x.reshape(*x.shape[:2], -1) for x in (u, w)], axis=-1)
    weight = np.concatenate([np.full(u[0, 0].size, 1.0), np.full(w[0, 0].size, 1e-6)])
    # A hair more for the first, so that components that are equal but for rounding give one sign.
    weight = weight * (1 - 1e-9 * np.arange(weight.size))
    largest = np.take_along_axis(flat, np.abs(flat * weight).argmax(axis=-1)[..., None], axis=-1)[..., 0]
    result: Floats = np.where(largest < 0, -1.0, 1.0)
    return result


def _check_positive(model: VibrationModel, least: float, most: float) -> None:
    if least < -1e-9 * most:
        warn(f"robot '{model.arm.name}': its mass matrix has a negative eigenvalue ({least:.3g}, largest {most:.3g}), "
             "because a link's inertia tensor is smaller than its beam's mass asks for: give the link the inertia of "
             "its beam (inertia_from_beams=True) or a tensor that a body can have")
