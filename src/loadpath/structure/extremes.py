"""`arm.extremes`: the worst of a long motion, found block by block, so that a million states fit in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.structure.deflection import LARGE_ROTATION, warn_of_rotation
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.states import Batch, checked, chosen_effects, only_end, state_at, whole
from loadpath.structure.stress import Sections, Worst, sections_of, warn_of_buckling, warn_of_stress


class FarthestTip(NamedTuple):
    """The largest displacement of the tip."""

    displacement: Floats
    """(3,), m, world axes."""
    rotation: Floats
    """(3,), rad, world axes, of the same state."""
    state: tuple[int, ...]

    @property
    def distance(self) -> float:
        """m."""
        return float(np.linalg.norm(self.displacement))


@dataclass(frozen=True, eq=False)
class Extremes:
    """The worst of many states: how far the tip went, and for every link with a beam where and when it held least."""

    tip: FarthestTip
    stress: dict[str, Worst]
    """By link: smallest safety against yield, with the von Mises stress (Pa) there."""
    beam_column: dict[str, Worst]
    """By link: smallest safety under compression and bending together, with the compression (N) there."""
    euler: dict[str, Worst]
    """By link: smallest safety against buckling alone, with the compression (N) there. Links that are never compressed
    are in neither.
    """
    states: int
    """How many states there were."""

    @property
    def worst_stress(self) -> Worst:
        """Of all links; an error where there are no beams, or no states."""
        if not self.stress:
            raise ValueError("there is no worst place: no beams, no states, or only states that are not numbers")
        return min(self.stress.values(), key=lambda worst: worst.safety)

    @property
    def worst_beam_column(self) -> Worst | None:
        """Of all links; None if none is ever compressed."""
        return min(self.beam_column.values(), key=lambda worst: worst.safety, default=None)

    @property
    def worst_euler(self) -> Worst | None:
        """Of all links; None if none is ever compressed."""
        return min(self.euler.values(), key=lambda worst: worst.safety, default=None)


def extremes(
    arm: Any,
    q: Any,
    qd: Any = None,
    qdd: Any = None,
    *,
    link: str | None = None,
    external: Mapping[str, Any] | None = None,
    base_velocity: Any = None,
    base_acceleration: Any = None,
    sections: int = SECTIONS,
    effects: Any = None,
) -> Extremes:
    """The worst of many states, in bounded memory: the states go through in blocks and only the extremes are kept.

    States are (..., nq), (..., n), (..., n), or an `lp.Motion` in their place; the indices of the worst ones are in
    these batch axes (`motion.t[worst.state]` is its instant). `external`, `base_velocity` and `base_acceleration` are
    as in `stress`. `link` is the tip to look at (the only end unless told). States with NaN in them are passed over. A
    `ModelWarning` tells of stress past yield, of loads past buckling and of rotations that are not small.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> turn = np.linspace(-3, 3, 10001)[:, None]
    >>> found = arm.extremes(turn)
    >>> found.tip.state, found.worst_stress.link, turn[found.worst_euler.state].round(2)
    ((5000,), 'link1', array([1.57]))
    """
    tip, chosen, sections = only_end(arm, link), chosen_effects(effects), whole(sections, "'sections'", 2)
    places = sections_of(arm, sections) if arm.beams else None
    row = arm.link_names.index(tip)
    base = {"base_velocity": base_velocity, "base_acceleration": base_acceleration}
    moved = {name: np.asarray(value, dtype=float) for name, value in base.items() if value is not None}
    batch = Batch([*checked(arm, q, qd, qdd), *moved.values()], external)
    farthest = FarthestTip(np.zeros(3), np.zeros(3), ())
    turned: tuple[float, tuple[int, ...]] = (0.0, ())
    stressed: dict[str, Worst] = {}
    pressed: dict[str, Worst] = {}
    buckled: dict[str, Worst] = {}
    for part, index in batch.blocks():
        rows = batch.rows(index)
        loads = {"external": batch.wrenches(index), **dict(zip(moved, rows[3:], strict=True))}
        displacement, rotation = arm.small_deflection(*rows[:3], effects=chosen, **loads)
        distance = np.nan_to_num(np.linalg.norm(displacement[:, row], axis=-1), nan=-1.0)
        k = int(np.argmax(distance))
        if distance[k] > farthest.distance or (part.start == 0 and distance[k] >= 0):
            state = state_at(batch.shape, part.start + k)
            farthest = FarthestTip(displacement[k, row].copy(), rotation[k, row].copy(), state)
        angles = np.nan_to_num(np.linalg.norm(rotation, axis=-1), nan=-1.0)
        if angles.max() > turned[0]:
            number, place = divmod(int(angles.argmax()), angles.shape[1])
            turned = float(angles.max()), (*state_at(batch.shape, part.start + number), place)
        if places is None:
            continue
        missing = ~np.isfinite(np.concatenate(rows, axis=-1)).all(-1)
        with np.errstate(invalid="ignore"):
            von_mises = arm.section_stresses(*rows[:3], sections=sections, **loads)[4]
            compression, euler, interaction = arm.section_buckling(*rows[:3], sections=sections, **loads)
        for kept, use, value in (
            (stressed, von_mises / places.yield_strengths, von_mises),
            (pressed, interaction, compression),
            (buckled, euler, compression),
        ):
            use[missing] = np.nan
            _keep(kept, use, value, places, batch.shape, part.start)
    pressed, buckled = ({k: worst for k, worst in each.items() if worst.safety < np.inf} for each in (pressed, buckled))
    found = Extremes(farthest, stressed, pressed, buckled, batch.total)
    _warn(arm, found, turned)
    return found


def _warn(arm: Any, found: Extremes, turned: tuple[float, tuple[int, ...]]) -> None:
    if found.stress and found.worst_stress.safety < 1:
        warn_of_stress(arm, found.worst_stress)
    if found.worst_beam_column is not None and found.worst_beam_column.safety < 1:
        warn_of_buckling(arm, found.worst_beam_column)
    if turned[0] > LARGE_ROTATION:
        warn_of_rotation(arm, *turned)


def _keep(
    kept: dict[str, Worst], use: Floats, value: Floats, places: Sections, batch: tuple[int, ...], start: int
) -> None:
    """Keep for every link what uses it most, of a block of states and what was kept before."""
    use = np.nan_to_num(use, nan=-1.0)
    at = use.argmax(axis=0)  # the state, for every section
    most = use[at, np.arange(use.shape[1])]
    for name in dict.fromkeys(places.links):
        rows = [k for k, link in enumerate(places.links) if link == name]
        k = rows[int(np.argmax(most[rows]))]
        if most[k] < 0:
            continue
        safety = float(1.0 / most[k]) if most[k] > 0 else float("inf")
        if name not in kept or safety < kept[name].safety:
            number = start + int(at[k])
            where = float(places.positions[k])
            kept[name] = Worst(safety, float(value[at[k], k]), name, where, state_at(batch, number))
