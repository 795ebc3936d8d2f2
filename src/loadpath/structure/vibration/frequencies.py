"""`arm.natural_frequencies(q)`: at what frequencies an arm rings in a pose, and how it moves then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Never

import numpy as np
from numpy.typing import NDArray

from loadpath.errors import ModelError, warn
from loadpath.robot.choices import Names
from loadpath.scalars.types import Floats
from loadpath.states import StatesLike, read_states, refuse_keywords, state_array, warn_of_unknown
from loadpath.structure.choices import ALIKE, chosen_effects
from loadpath.structure.vibration.eigenvalues import largest_eigenpairs
from loadpath.structure.vibration.model import VibrationModel, model_size, vibration_model
from loadpath.structure.vibration.modes import Modes

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot

ORDERS = (3, 4, 5, 6, 8, 10, 12, 14, 17, 20)
"""Polynomials of a piece's bending moments that are tried in turn."""
TOLERANCE = 1e-6
SAMPLES = 4
"""Poses of a batch on which the order is found."""
BLOCK_BYTES = 48e6
"""Mass matrices held at a time."""
_NOTHING = 1e-14
"""Eigenvalues below this share of the largest are rounding: nothing moves there."""


def natural_frequencies(
    arm: FlexibleRobot,
    q: StatesLike,
    count: int | None = None,
    *,
    effects: Names = None,
    tolerance: float = TOLERANCE,
    order: int | None = None,
    **others: Never,
) -> Modes:
    """The lowest natural frequencies (Hz) of an arm in poses `q` (..., nq), or in those of a motion, and the shapes of
    their vibrations.

    Each beam bends, twists, stretches and shears with its mass along it (consistent mass, rotary inertia of the
    sections included as far as the link's tensor has it); what a link weighs beyond its beam, links without a beam and
    payloads are rigid bodies held where `with_beams` says, with their full inertia. Joints are locked, but for those
    with a `JointCompliance`: these are springs, the drive side of the gearbox held. `effects` leaves some out, as in
    `deflection`: without "shear" the beams are Euler-Bernoulli's with rotary inertia, without "joints" all joints are
    locked. Small vibrations about the undeflected arm; that gravity or speed stiffens it is not counted.

    `count` is 6 unless given, or as many as there are. The number of polynomials along each piece of a beam is raised
    until the frequencies of up to four poses of the batch change by less than the share `tolerance`; `order` sets it
    instead. A pose with a NaN gives NaN; a coordinate that moves no mass gives an infinite frequency.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> modes = arm.natural_frequencies([0.0], count=4)
    >>> modes.frequencies.round(2)
    array([14.47, 14.47, 90.55, 90.55])
    >>> float((1.8751041**2 / (2 * np.pi) * np.sqrt(210e9 * 0.01**2 / 4 / 7850)).round(2))    # of a slender cantilever
    14.47
    """
    refuse_keywords("natural_frequencies", others, ALIKE)
    chosen = chosen_effects(effects)
    poses = _checked(arm, q, count, tolerance, order)
    orders = ORDERS if order is None else (int(order),)
    model, wanted, error = converged(arm, chosen, orders, poses.reshape(-1, arm.nq), count, tolerance)
    found = _solved(model, poses, wanted, error)
    warn_of_unknown(found.unknown, "natural_frequencies", "NaN there: see its unknown")
    return found


def _checked(arm: FlexibleRobot, q: StatesLike, count: int | None, tolerance: float, order: int | None) -> Floats:
    states = read_states(arm, q, caller="natural_frequencies", at_rest=True)
    poses = state_array(states.q, "q", arm.nq, "natural_frequencies")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}: expected a share between 0 and 1")
    if order is not None and not (isinstance(order, int | np.integer) and 1 <= order <= ORDERS[-1]):
        raise ValueError(f"order is {order!r}: expected a whole number from 1 to {ORDERS[-1]}")
    if count is not None and not (isinstance(count, int | np.integer) and count >= 1):
        raise ValueError(f"count is {count!r}: expected a whole number, 1 or more")
    return poses


def converged(
    arm: FlexibleRobot, effects: tuple[str, ...], orders: tuple[int, ...], rows: Floats, count: int | None, tol: float
) -> tuple[VibrationModel, int, float]:
    """The model with enough polynomials, the number of frequencies, and the last change of one."""
    most = model_size(arm, effects, orders[-1])
    if most == 0:
        raise ModelError(f"robot '{arm.name}' has no elastic part{_left_out(arm, effects)}: a rigid robot with locked "
                         "joints has no natural frequencies; give with_beams a beam or a joint_compliance")  # fmt: skip
    wanted = min(6, most) if count is None else int(count)
    if wanted > most:
        raise ValueError(f"count is {wanted}: robot '{arm.name}' has {most} elastic coordinates"
                         f"{_at_order(arm, orders[-1])}, so no more frequencies than that")  # fmt: skip
    finite = rows[np.isfinite(rows).all(axis=1)]
    if len(orders) == 1 or not len(finite):
        return vibration_model(arm, effects, orders[-1] if len(orders) == 1 else orders[1]), wanted, float("nan")
    sample = finite[np.unique(np.linspace(0, len(finite) - 1, SAMPLES).round().astype(int))]
    before, change = np.full((len(sample), wanted), np.nan), float("nan")
    for order in orders:
        if model_size(arm, effects, order) < wanted:
            continue
        model = vibration_model(arm, effects, order)
        now = frequencies_alone(model, sample, wanted)
        both = np.isfinite(now) & np.isfinite(before)
        if not np.isnan(before).all():
            change = float((np.abs(now[both] - before[both]) / now[both]).max(initial=0.0))
            if change <= tol and (np.isfinite(now) == np.isfinite(before)).all():
                break
        before = now
    else:
        if not model.size == wanted == most:
            warn(f"robot '{arm.name}': its {wanted} lowest frequencies are good to {change:.2g} only, not to "
                 f"{tol:.2g}, with {orders[-1]} polynomials along each piece of a beam: ask for fewer")  # fmt: skip
    return model, wanted, change


def _left_out(arm: FlexibleRobot, effects: tuple[str, ...]) -> str:
    return f" with the effects {', '.join(effects) or 'none'}" if arm.beams or arm.joint_compliances else ""


def _at_order(arm: FlexibleRobot, order: int) -> str:
    return f" with {order} polynomials along each piece of a beam" if arm.beams else ""


def frequencies_alone(model: VibrationModel, rows: Floats, count: int) -> Floats:
    """Frequencies (poses, count) without their shapes."""
    R, p, _ = model.joint_frames(rows)
    return _frequencies(largest_eigenpairs(model.matrices(R, p)[0], count)[0])


def _frequencies(values: Floats) -> Floats:
    """Hz, from the eigenvalues 1 / omega^2 (the stiffness matrix is the identity)."""
    moving = values > _NOTHING * values[:, :1]
    result: Floats = np.where(moving, 1 / (2 * np.pi * np.sqrt(np.where(moving, values, 1.0))), np.inf)
    return result


def blocks(model: VibrationModel, rows: Floats) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Indices and poses in blocks whose matrices stay small; poses with a NaN are left out."""
    good = np.flatnonzero(np.isfinite(rows).all(axis=1))
    floats_each = 6 * model.size**2 + 72 * model.size + 100 * len(model.inertias)
    length = max(1, int(BLOCK_BYTES / 8 / floats_each))
    for begin in range(0, len(good), length):
        chosen = good[begin : begin + length]
        yield chosen, rows[chosen]


def _solved(model: VibrationModel, q: Floats, count: int, error: float) -> Modes:
    rows = q.reshape(-1, q.shape[-1])
    links = len(model.arm.links)
    frequencies = np.full((len(rows), count), np.nan)
    coordinates = np.full((len(rows), count, model.size), np.nan)
    moved, turned = (np.full((len(rows), count, links, 3), np.nan) for _ in range(2))
    effective = np.full((len(rows), count, 3), np.nan)
    first = next((int(chosen[0]) for chosen, _ in blocks(model, rows)), 0)
    for chosen, poses in blocks(model, rows):
        R, p, origins = model.joint_frames(poses)
        M, base, S = model.matrices(R, p)
        values, vectors = largest_eigenpairs(M, count)
        if chosen[0] == first:
            _check_positive(model, float(np.linalg.eigvalsh(M[:1])[0, 0]), float(values[0, 0]))
        frequencies[chosen] = _frequencies(values)
        unit = np.where(values > _NOTHING * values[:, :1], 1 / np.sqrt(np.abs(values) + 1e-300), 0.0)
        y = vectors * unit[..., None]  # of modal mass one
        u, w = frame_motions(model, S, origins, y)
        sign = _signs(u, w)
        coordinates[chosen] = y * sign[..., None]
        moved[chosen], turned[chosen] = u * sign[..., None, None], w * sign[..., None, None]
        effective[chosen] = (y @ base[..., :3]) ** 2
    shape = q.shape[:-1]
    return Modes(
        frequencies=frequencies.reshape(*shape, count),
        displacement=moved.reshape(*shape, count, links, 3),
        rotation=turned.reshape(*shape, count, links, 3),
        effective_mass=effective.reshape(*shape, count, 3),
        coordinates=coordinates.reshape(*shape, count, model.size),
        q=q,
        model=model,
        error=error,
    )


def frame_motions(model: VibrationModel, S: Floats, origins: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Displacements and rotations (poses, modes, links, 3) of the link frames, for coordinates (poses, modes, size)."""
    twists = np.einsum("pic,lc,pmc->pmli", S, model.frame_moved, y, optimize=True)
    turned = twists[..., 3:]
    return twists[..., :3] + np.cross(turned, origins[:, None]), turned


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
             "its beam (inertia_from_beams=True) or a tensor that a body can have")  # fmt: skip
