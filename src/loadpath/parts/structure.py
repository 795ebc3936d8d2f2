"""Beams of a flexible arm as rows of a verdict: yield, buckling, fatigue, by `arm.extremes` and `arm.fatigue`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from loadpath.in_room import function_in_room
from loadpath.parts.part import Check, Instant, not_checked
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.materials import SNCurve
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import positive

if TYPE_CHECKING:
    from loadpath.robot.materials import Material
    from loadpath.states import LoadCase
    from loadpath.structure.extremes import extremes
    from loadpath.structure.fatigue.assessment import fatigue
    from loadpath.structure.quantities import ElasticQuantities
    from loadpath.structure.stress import Worst
else:  # imported with the first arm that has beams
    extremes = function_in_room("loadpath.structure.extremes", "extremes")
    fatigue = function_in_room("loadpath.structure.fatigue.assessment", "fatigue")

LOADS, DAMAGE = "x the loads", "Miner's sum"
"""Units of what has none: how many times the loads of the motion, and the damage that is summed."""
_ANY_CURVE = SNCurve.detail(160)
"""Of links without fatigue data, whose damage is thrown away: the others can be counted with them."""


@takes_loads
def structure_checks(
    arm: ElasticQuantities,
    motion: Any,
    hours: float | None = None,
    *,
    safety: float = 1.0,
    buckling_safety: float = 1.0,
    detail: SNCurve | Mapping[str, SNCurve] | None = None,
    **acting: Unpack[LoadKeywords],
) -> list[tuple[str, Check]]:
    """Whether the beams of an arm hold: pairs of a link and a check, in the order of the links.

    `motion` is an `lp.Motion`, a simulation or a tuple of states (q, qd, qdd), or a spectrum with `motions` and their
    `shares` of the time. `hours` is the life that is asked for. `safety` is required against yield and
    `buckling_safety` against buckling: of thin walls, of a link under compression and bending, of the whole arm.
    `detail` and the loads are as in `arm.fatigue`. States that are not numbers are left out, with a warning.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=5.0).with_payload(40.0).with_beams(
    ...     {"link1": lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint")})
    >>> swing = lp.Motion.through(arm, [[0.0], [3.0], [0.0]], [0.0, 1.5, 3.0])
    >>> for link, check in structure_checks(arm, swing, hours=1000):
    ...     print(link, check.check, round(check.utilisation, 3))
    link1 yield 0.282
    link1 local buckling of thin walls 0.009
    link1 beam-column 0.278
    link1 buckling of the arm 0.005
    link1 fatigue 1.148
    """
    if not arm.beams:
        return []
    case = acting["under"]
    motions, shares = _motions(motion)
    any_end = arm.link_names[-1]  # beams are judged wherever they are: no end is asked for, of several arms either
    over = [(k, extremes(arm, *_states(each), link=any_end, under=case)) for k, each in enumerate(motions)]
    found = _Found(arm, over, motions)
    needed, buckled = positive(safety, "safety"), positive(buckling_safety, "buckling_safety")
    rows: list[tuple[str, Check]] = []
    damage = _fatigue(arm, motions, shares, hours, detail, case)
    for link in dict.fromkeys(link for link, _ in arm.beams):
        rows.append((link, found.yielding(link, needed)))
        for check, kind in (("local buckling of thin walls", "local"), ("beam-column", "beam_column")):
            worst = found.worst(kind, link)
            if worst is not None:
                rows.append((link, found.loads_may_grow(check, worst[1].safety, buckled, worst[0], worst[1].state,
                                                        _where(worst[1]))))
        if link == found.buckling_link:
            rows.append((link, found.whole_arm(buckled)))
        rows.append((link, damage[link]))
    return rows


@dataclass(frozen=True, eq=False)
class _Found:
    """The extremes of all motions."""

    arm: RobotModel
    extremes: Sequence[tuple[int, Any]]
    """Number of each motion, and its `Extremes`."""
    motions: Sequence[Any]

    def worst(self, kind: str, link: str) -> tuple[int, Worst] | None:
        """Number of the motion and the worst place and state of a link; None where there is none."""
        some = [(k, each) for k, found in self.extremes if (each := getattr(found, kind).get(link)) is not None]
        return min(some, key=lambda pair: pair[1].safety, default=None)

    def at(self, motion: int, state: tuple[int, ...]) -> Instant:
        """The instant of a state."""
        sample = state[0] if state else 0
        times = getattr(self.motions[motion], "t", None)
        return Instant(motion, sample, math.nan if times is None else float(times[sample]))

    def yielding(self, link: str, needed: float) -> Check:
        """Largest von Mises stress against the yield strength."""
        materials = _materials(self.arm)[link]
        lacking = [material.name for material in materials if math.isinf(material.yield_strength)]
        worst = self.worst("stress", link)
        if lacking:
            return not_checked("yield", f"no yield_strength of material '{lacking[0]}' given", "Pa")
        if worst is None:
            return not_checked("yield", "no state is a number", "Pa")
        motion, place = worst
        strength = min(material.yield_strength for material in materials)
        # Of a link of several materials the worst place need not be of the weakest: its safety says which it is.
        capacity = (place.value * place.safety if place.value > 0 else strength) / needed
        return Check("yield", place.value, capacity, "Pa", place.value / capacity, self.at(motion, place.state),
                     note=f"von Mises, {_where(place)}")

    @property
    def buckling_link(self) -> str:
        """The link whose row tells of the whole arm: that which gives way most, else the first."""
        links = [link for link, _ in self.arm.beams]
        some = [found.buckling for _, found in self.extremes if found.buckling is not None]
        worst = min(some, key=lambda each: each.factor, default=None)
        return worst.link if worst is not None and worst.link in links else links[0]

    def whole_arm(self, needed: float) -> Check:
        """By what factor all loads may grow until the arm buckles."""
        some = [(k, found.buckling) for k, found in self.extremes if found.buckling is not None]
        if not some:
            return Check("buckling of the arm", 1.0, math.inf, LOADS, 0.0, note="nothing buckles")
        motion, worst = min(some, key=lambda pair: pair[1].factor)
        return self.loads_may_grow("buckling of the arm", worst.factor, needed, motion, worst.state,
                                   f"'{worst.link}' gives way most")

    def loads_may_grow(
        self, check: str, factor: float, needed: float, motion: int, state: tuple[int, ...], note: str
    ) -> Check:
        """The loads as they are, 1, against the factor by which they may grow."""
        return Check(check, 1.0, factor / needed, LOADS, needed / factor, self.at(motion, state), note=note)


def _materials(arm: RobotModel) -> dict[str, list[Material]]:
    """By link: what its beams are made of."""
    found: dict[str, list[Material]] = {}
    for link, beam in arm.beams:
        own = [beam.material] if beam.material is not None else [segment.material for segment in beam.segments]
        found.setdefault(link, []).extend(own)
    return found


def _where(worst: Worst) -> str:
    return f"{worst.position:.4g} m from the beam's start"


def _motions(given: Any) -> tuple[list[Any], list[float]]:
    """The motions of a spectrum with their shares, or one."""
    if hasattr(given, "motions") and hasattr(given, "shares"):
        return list(given.motions), [float(share) for share in given.shares]
    return [given], [1.0]


def _states(motion: Any) -> tuple[Any, ...]:
    """As arguments: a motion, or a tuple of arrays."""
    return motion if isinstance(motion, tuple) and not hasattr(motion, "t") else (motion,)


def _fatigue(
    arm: ElasticQuantities,
    motions: Sequence[Any],
    shares: Sequence[float],
    hours: float | None,
    detail: SNCurve | Mapping[str, SNCurve] | None,
    case: LoadCase,
) -> dict[str, Check]:
    """By link: Miner's sum after the hours that are asked for."""
    links = list(dict.fromkeys(link for link, _ in arm.beams))
    if any(getattr(motion, "t", None) is None for motion in motions):
        return dict.fromkeys(links, not_checked("fatigue", "states without times: give a motion"))
    own = detail if isinstance(detail, Mapping) else {}
    lacking = {link: material.name for link, materials in _materials(arm).items() for material in materials
               if material.fatigue is None and link not in own and not isinstance(detail, SNCurve)}
    curves = detail if isinstance(detail, SNCurve) else {**dict.fromkeys(lacking, _ANY_CURVE), **own}
    durations = [float(motion.t[-1] - motion.t[0]) for motion in motions]
    if any(not duration > 0 for duration in durations):
        return dict.fromkeys(links, not_checked("fatigue", "a motion without duration"))
    each_hour = [(motion, 3600.0 * share / duration)
                 for motion, share, duration in zip(motions, shares, durations, strict=True) if share > 0]
    try:
        found = fatigue(arm, each_hour, detail=curves or None, under=case)
        worst = found.by_link
    except ImportError as problem:
        return dict.fromkeys(links, not_checked("fatigue", str(problem)))
    except ValueError as problem:  # a curve that does not fit its mean stress, or no state that is a number
        return dict.fromkeys(links, not_checked("fatigue", str(problem)))
    rows = {}
    for link in links:
        if link in lacking:
            rows[link] = not_checked("fatigue", f"no fatigue= of material '{lacking[link]}' given, and no detail=")
            continue
        fibre = worst[link]
        note = f"fibre '{fibre.fibre}' {fibre.position:.4g} m from the beam's start"
        summed = math.nan if hours is None else fibre.damage * hours
        rows[link] = Check("fatigue", summed, 1.0, DAMAGE, summed, life_hours=fibre.life,
                           note=note if hours is not None else f"no hours are asked for; {note}")
    return rows
