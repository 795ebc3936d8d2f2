"""`arm.extremes`: the worst of a long motion, found block by block, so that a million states fit in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np

from loadpath.in_text import number as digits
from loadpath.printable import printable
from loadpath.progress import Report, reporting
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.ends import link_or_only_end, one_name
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import ArrayLike, Bools, Floats
from loadpath.states import (
    Block,
    StateBatch,
    StatesLike,
    place_of,
    read_states,
    unknown_states,
    warn_of_unknown,
)
from loadpath.structure.arm_buckling import Pressed, WorstOfArm
from loadpath.structure.checks import (
    check_free_ends,
    check_guide_range,
    check_wrench_points,
    chosen_effects,
    whole_number,
)
from loadpath.structure.deflection import LARGE_ROTATION, warn_of_rotation
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.stress import (
    Sections,
    Worst,
    local_use_of,
    sections_of,
    warn_of_buckling,
    warn_of_local,
    warn_of_stress,
)
from loadpath.structure.vibration.buckling import TOLERANCE, WorstBuckling, warn_of_arm

AT_ONCE = 4096
"""States at a time: of the dead loads of an arm of six beams there are 55 MB for so many."""

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities


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
    """By link: smallest `safety` of `buckling_safety`, compression and bending together and the buckling of the whole
    arm, with the compression (N) there; links that are always infinitely safe are left out.
    """
    local: dict[str, Worst]
    """By link: smallest safety against local buckling of thin walls, with the compressive stress (Pa) there; links
    whose walls are never compressed, and those whose walls are not known, are not in it.
    """
    euler: dict[str, Worst]
    """By link: smallest safety against buckling of the link's column by itself, with the compression (N) there. Links
    that are never compressed are left out. The whole arm may buckle before: see `buckling`.
    """
    buckling: WorstBuckling | None
    """The state in which the whole arm is nearest to buckling, with its factor and the link or joint that gives way
    most; None where nothing ever buckles.
    """
    states: int
    """How many states there were."""
    unknown: Bools
    """(...): states that are not numbers, which were left out."""

    def __repr__(self) -> str:
        lines = [f"Worst of {self.states} states: tip displaced by {digits(1e3 * self.tip.distance)} mm"]
        for what, unit, rows in (("stress", "Pa", self.stress), ("compression and bending", "N", self.beam_column),
                                 ("local buckling", "Pa", self.local), ("column", "N", self.euler)):
            lines += [f"  {printable(link)}, {what}: safety {digits(one.safety)}, {digits(one.value)} {unit} at "
                      f"{digits(one.position)} m" for link, one in rows.items()]
        return "\n".join(lines)

    @property
    def worst_stress(self) -> Worst:
        """Of all links; an error where there are no beams, or no states that are numbers."""
        self._need_states()
        if not self.stress:
            raise ValueError("there is no worst place: no beams")
        return min(self.stress.values(), key=lambda worst: worst.safety)

    @property
    def worst_beam_column(self) -> Worst | None:
        """Of all links; None if all are always infinitely safe."""
        self._need_states()
        return min(self.beam_column.values(), key=lambda worst: worst.safety, default=None)

    @property
    def worst_local(self) -> Worst | None:
        """Of all links; None if no thin wall is ever compressed."""
        self._need_states()
        return min(self.local.values(), key=lambda worst: worst.safety, default=None)

    @property
    def worst_euler(self) -> Worst | None:
        """Of all links, each a column by itself; None if none is ever compressed."""
        self._need_states()
        return min(self.euler.values(), key=lambda worst: worst.safety, default=None)

    def _need_states(self) -> None:
        if self.unknown.all():
            why = "only states that are not numbers" if self.unknown.size else "no states"
            raise ValueError(f"there is no worst place: {why}")


@takes_loads
def extremes(
    arm: ElasticQuantities,
    q: StatesLike,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    link: str | None = None,
    tip: str | None = None,
    sections: int = SECTIONS,
    effects: Names = None,
    progress: bool | Report = False,
    **acting: Unpack[LoadKeywords],
) -> Extremes:
    """The worst of many states, in bounded memory: the states go through in blocks and only the extremes are kept.

    States are (..., nq), (..., n), (..., n), or an `lp.Motion` or simulation in their place; the indices of the worst
    ones are in these batch axes (`motion.t[worst.state]` is its instant). `external`, `base_velocity` and
    `base_acceleration` are as in `stress`. The buckling of the whole arm is solved in states that may be the worst: a
    bound excludes the others. `link` (or `tip`) is the link to look at, the only end unless given. States that are
    not numbers are left out, and `unknown` has them. There is a `ModelWarning` for these, for stress past yield, for
    loads past buckling and for rotations that are not small. `progress=True` shows a bar.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")},
    ...                                       inertia_from_beams=True)
    >>> turn = np.linspace(-3, 3, 10001)[:, None]
    >>> found = arm.extremes(turn)
    >>> found.tip.state, found.worst_stress.link, turn[found.worst_euler.state].round(2)
    ((5000,), 'link1', array([1.57]))
    """
    tip, chosen = link_or_only_end(arm, one_name("extremes", link, tip)), chosen_effects(effects)
    sections = whole_number(sections, "'sections'", 2)
    places = sections_of(arm, sections) if arm.beams else None
    row = arm.link_names.index(tip)
    case = acting["under"].with_motion_of(q, arm, "extremes")
    check_wrench_points(arm, case.external)
    every = read_states(arm, q, qd, qdd, caller="extremes", at_rest=True, counts_loads=True)
    check_guide_range(arm, every.q)
    check_free_ends(arm, "extremes")
    batch = StateBatch(arm, every, case, "extremes")
    farthest = FarthestTip(np.full(3, np.nan), np.full(3, np.nan), ())
    unknown, whole = np.zeros(len(batch), dtype=bool), WorstOfArm(arm, batch, places, sections)
    turned: tuple[float, tuple[int, ...]] = (0.0, ())
    stressed: dict[str, Worst] = {}
    buckled: dict[str, Worst] = {}
    wrinkled: dict[str, Worst] = {}
    for block in _watched(batch, progress):
        states, loads = block.arrays, block.case.keywords
        with np.errstate(invalid="ignore"):
            displacement, rotation = arm.small_deflection(*states, effects=chosen, **loads)
        unknown[block.rows] = unknown_states(displacement.reshape(len(block), -1))
        distance = np.where(unknown[block.rows], -1.0, np.linalg.norm(displacement[:, row], axis=-1))
        k = int(np.argmax(distance))
        if distance[k] >= 0 and not distance[k] <= farthest.distance:
            state = batch.place(block.first + k)
            farthest = FarthestTip(displacement[k, row].copy(), rotation[k, row].copy(), state)
        angles = np.nan_to_num(np.linalg.norm(rotation, axis=-1), nan=-1.0)
        if angles.max() > turned[0]:
            number, place = divmod(int(angles.argmax()), angles.shape[1])
            turned = float(angles.max()), (*batch.place(block.first + number), place)
        given = [*states, *(np.broadcast_to(a, (len(block), np.shape(a)[-1])) for a in block.case.on_links.values())]
        missing = ~np.isfinite(np.concatenate(given, axis=-1)).all(-1) | unknown[block.rows]
        if places is None:
            whole.see(block, missing, None)
            continue
        here = sections_of(arm, sections, states[0]) if arm.placed_guides else places
        with np.errstate(invalid="ignore"):
            axial, bending, _, _, von_mises = arm.section_stresses(*states, sections=sections, **loads)
            thin = local_use_of(arm, sections, places, states, loads, axial, bending)
            compression, euler, _ = arm.section_buckling(*states, sections=sections, **loads)
        missing |= unknown_states(von_mises, euler)
        unknown[block.rows] = missing
        whole.see(block, missing, Pressed.of_first_order(compression, euler, axial, bending, places))
        for kept, use, value in (
            (stressed, von_mises / places.yield_strengths, von_mises),
            (buckled, euler, compression),
            (wrinkled, places.local_use(axial, bending) if thin is None else thin, bending - axial),
        ):
            use[missing] = np.nan
            _keep(kept, use, value, here, batch.shape, block.first)
    buckled, wrinkled = ({k: worst for k, worst in each.items() if worst.safety < np.inf}
                         for each in (buckled, wrinkled))
    pressed = _pressed(arm, batch, whole, places, sections)
    found = Extremes(
        farthest, stressed, pressed, wrinkled, buckled, whole.worst(), len(batch), unknown.reshape(batch.shape)
    )
    warn_of_unknown(found.unknown, "extremes", "left out: see extremes.unknown")
    _warn(arm, found, turned)
    return found


def _watched(batch: StateBatch, progress: bool | Report) -> Iterator[Block]:
    """The blocks of a batch; each is reported when it is done."""
    with reporting(progress, "extremes") as report:
        for block in batch.blocks(AT_ONCE):
            yield block
            report((block.first + len(block)) / len(batch))


def _pressed(
    arm: ElasticQuantities, batch: StateBatch, whole: WorstOfArm, places: Sections | None, sections: int
) -> dict[str, Worst]:
    found = {}
    for link, (use, number, column) in whole.links.items():
        if use > 0 and places is not None:
            row = np.array([number])
            states, case = batch.rows(row), batch.case_of(row)
            compression = arm.section_buckling(*states, sections=sections, **case.keywords)[0]
            here = sections_of(arm, sections, states[0]) if arm.placed_guides else places
            where = here.position(column, (0,))
            found[link] = Worst(1.0 / use, float(compression[0, column]), link, where, batch.place(number))
    return found


def _warn(arm: RobotModel, found: Extremes, turned: tuple[float, tuple[int, ...]]) -> None:
    if found.unknown.all():
        return
    if found.stress and found.worst_stress.safety < 1:
        warn_of_stress(arm, found.worst_stress)
    if found.buckling is not None and found.buckling.factor < 1:
        warn_of_arm(arm, found.buckling)
    pressed = found.worst_beam_column
    least = np.inf if found.buckling is None else found.buckling.factor
    if pressed is not None and pressed.safety < min(1.0, least * (1 - TOLERANCE)):
        warn_of_buckling(arm, pressed)
    worst = found.worst_local
    if worst is not None and worst.safety < min(1.0, found.stress[worst.link].safety):  # else yield comes first
        warn_of_local(arm, worst)
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
            where = places.position(k, (int(at[k]),))
            kept[name] = Worst(safety, float(value[at[k], k]), name, where, place_of(number, batch))
