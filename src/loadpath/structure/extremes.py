"""`arm.extremes`: the worst of a long motion, found block by block, so that a million states fit in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadpath.structure.quantities import SECTIONS
from loadpath.structure.states import Floats, blocks, chosen_effects, only_end, state_at
from loadpath.structure.stressing import Sections, Worst, sections_of


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
        """Of all links."""
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
    sections: int = SECTIONS,
    effects: Any = None,
) -> Extremes:
    """The worst of many states, in bounded memory: the states go through in blocks and only the extremes are kept.

    States are (..., nq), (..., n), (..., n), and the indices of the worst ones are in these batch axes. `link` is the
    tip to look at (the only end unless told). States with NaN in them are passed over.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> turn = np.linspace(-3, 3, 10001)[:, None]
    >>> found = arm.extremes(turn)
    >>> found.tip.state, found.worst_stress.link, turn[found.worst_euler.state].round(2)
    ((5000,), 'link1', array([1.57]))
    """
    tip, chosen = only_end(arm, link), chosen_effects(effects)
    places = sections_of(arm, sections) if arm.beams else None
    row = arm.link_names.index(tip)
    batch, parts = blocks(arm, q, qd, qdd)
    farthest = FarthestTip(np.zeros(3), np.zeros(3), ())
    stressed: dict[str, Worst] = {}
    pressed: dict[str, Worst] = {}
    buckled: dict[str, Worst] = {}
    for start, *state in parts:
        displacement, rotation = (part[:, row] for part in arm.small_deflection(*state, effects=chosen))
        distance = np.nan_to_num(np.linalg.norm(displacement, axis=-1), nan=-1.0)
        k = int(np.argmax(distance))
        if distance[k] > farthest.distance or (start == 0 and distance[k] >= 0):
            farthest = FarthestTip(displacement[k].copy(), rotation[k].copy(), state_at(batch, start + k))
        if places is None:
            continue
        with np.errstate(invalid="ignore"):
            von_mises = arm.section_stresses(*state, sections=sections)[4]
            compression, euler, interaction = arm.section_buckling(*state, sections=sections)
        _keep(stressed, von_mises / places.yield_strengths, von_mises, places, batch, start)
        _keep(pressed, interaction, compression, places, batch, start)
        _keep(buckled, euler, compression, places, batch, start)
    pressed, buckled = ({k: worst for k, worst in each.items() if worst.safety < np.inf} for each in (pressed, buckled))
    return Extremes(farthest, stressed, pressed, buckled, int(np.prod(batch, dtype=int)))


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
