"""The section on a flexible arm: how far it bends, whether its links and the whole arm hold, how stiff it stays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion import DutySpectrum, Motion
from loadpath.report.blocks import NONE, Block, Figure, Section, Table, Text, largest, number
from loadpath.report.charts import lines
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.scalars.types import Floats, Ints
from loadpath.states import StateBatch, count_words
from loadpath.structure.deflection import Deflection, deflection
from loadpath.structure.extremes import Extremes, extremes
from loadpath.structure.fatigue import assessment
from loadpath.structure.quantities import ElasticQuantities
from loadpath.structure.response import respond as responding
from loadpath.structure.stress import Worst, stress
from loadpath.structure.vibration.bandwidth import bandwidth_check
from loadpath.structure.vibration.buckling import buckling as buckling_of

if TYPE_CHECKING:
    from loadpath.structure.response.result import MotionResponse

BUCKLING = 61
"""Samples of the chart of the whole arm's buckling; the worst is looked for among all."""


def beams(arm: ElasticQuantities, motion: Motion, states: StateBatch, few: Ints) -> tuple[Section, str]:
    """Deflection over the motion (charts at the samples `few`), safety of every beam and of the whole arm, lowest
    natural frequency under load; and the end that goes farthest. `states` are those of the motion with their load
    case. What the arm refuses (frequencies of arms with guides, say) stands in the warnings.
    """
    case = states.case_of(few).keywords
    with collected_warnings():  # of samples whose extremes are shown below
        bent = deflection(arm, *states.rows(few), **case)
    farthest = farthest_end(bent)
    own = Motion.from_checked(motion.t, motion.q, motion.qd, motion.qdd, arm)
    all_of_it = states.q, states.qd, states.qdd
    rows = few[np.unique(np.linspace(0, len(few) - 1, min(len(few), BUCKLING)).round().astype(int))]
    with collected_warnings() as said:
        found = asked_for(lambda: extremes(arm, *all_of_it, link=farthest, **states.case.keywords), said)
        buckling = asked_for(lambda: buckling_of(arm, *states.rows(rows), **states.case_of(rows).keywords), said)
        check = asked_for(lambda: bandwidth_check(arm, own, **states.case.keywords), said)
        figures = [_deflection(bent, farthest, motion, few)] if found is None else _of_extremes(found, motion, farthest)
        if found is None:
            note = "not computed: see the warnings under Beams"
            figures.append(Figure("Buckling factor", NONE, note, alarming=True))
        if found is None and arm.beams:
            strained = stress(arm, *states.rows(few), **case)
            figures.append(_safety(YIELD, strained.worst, motion.t[few]))
    ends = {name: bent[name].displacement for name in bent.ends}
    distances = {f"end '{name}'": 1e3 * np.linalg.norm(moved, axis=-1) for name, moved in ends.items()}
    directions = {f"along {axis}": 1e3 * ends[farthest][:, k] for k, axis in enumerate("xyz")}
    blocks: list[Block] = [
        lines("Displacement of the ends", motion.t[few], distances, "mm"),
        lines(f"Displacement of '{farthest}', world axes", motion.t[few], directions, "mm"),
    ]
    if found is not None and found.stress:
        blocks.append(_table(found, motion))
    if buckling is not None:
        with np.errstate(divide="ignore"):
            share = {"whole arm": 100.0 / buckling.factor}
        blocks.append(lines("Loads as a share of those at which the arm buckles", motion.t[rows], share, "%"))
    if check is not None:
        blocks += [
            lines("Lowest natural frequency under load", check.times, {check.mode: check.frequencies}, "Hz"),
            Text(f"Motion against vibration: {check}."),
        ]
        note = f"under load; {number(check.ratio)} times the motion's bandwidth; {check.required:g} times is asked for"
        figures.append(Figure("Lowest frequency", f"{number(check.frequency)} Hz", note, not check.passed))
    lead = (
        "Small deflections under the loads of the rigid motion: bending, torsion, extension and shear of the beams, "
        "compliance of the joints. Links without a beam are rigid. Displacements are those of the link frames' origins."
    )
    return Section("Beams", lead, blocks, figures, list(dict.fromkeys(said))), farthest


def farthest_end(bent: Deflection) -> str:
    """The end of the arm that goes farthest."""
    moved = {name: largest(np.linalg.norm(bent[name].displacement, axis=-1)) for name in bent.ends}
    return max(moved, key=lambda name: np.nan_to_num(moved[name], nan=-1.0))


YIELD = "Safety against yield"


def _deflection(bent: Deflection, end: str, motion: Motion, few: Ints) -> Figure:
    moved = np.linalg.norm(bent[end].displacement, axis=-1)
    missing = count_words(bent.unknown)
    when = "" if np.isnan(moved).all() else f", at {motion.t[few][int(np.nanargmax(moved))]:.3g} s"
    note = f"'{end}'{when}; {missing}" if missing else f"'{end}'{when}"
    return Figure("Largest deflection", f"{number(1e3 * largest(moved))} mm", note, bool(missing))


def _of_extremes(found: Extremes, motion: Motion, end: str) -> list[Figure]:
    missing = count_words(found.unknown)
    where = f"'{end}', at {motion.t[found.tip.state[0]]:.3g} s" if found.tip.state else f"'{end}'"
    where = f"{where}; {missing}" if missing else where
    deflected = f"{number(1e3 * found.tip.distance)} mm"
    figures = [Figure("Largest deflection", deflected, where, bool(missing))]
    if found.stress:
        figures.append(_safety(YIELD, found.worst_stress, motion.t))
    if found.local:
        worst = min(found.local.values(), key=lambda local: local.safety)
        figures.append(_safety("Safety against local buckling", worst, motion.t))
    if not found.unknown.all():
        figures.append(_buckling(found, motion, missing))
    return figures


def _buckling(found: Extremes, motion: Motion, missing: str) -> Figure:
    worst, also = found.buckling, f"; {missing}" if missing else ""
    if worst is None or worst.factor == np.inf:
        return Figure("Buckling factor", "\N{INFINITY}", f"nothing buckles{also}", bool(missing))
    note = f"of the whole arm, '{worst.link}' gives way most, at {motion.t[worst.state[0]]:.3g} s{also}"
    return Figure("Buckling factor", number(worst.factor), note, worst.factor < 1 or bool(missing))


def _safety(words: str, worst: Worst, times: Floats) -> Figure:
    note = f"link '{worst.link}', {worst.position:.3g} m along, at {times[worst.state[0]]:.3g} s"
    return Figure(words, number(worst.safety), note, worst.safety < 1)


def _table(found: Extremes, motion: Motion) -> Table:
    columns = ["link", "yield safety", "von Mises (MPa)", "at (m)", "column alone", "with bending", "at (m)",
               "thin walls"]
    rows = []
    for link, worst in found.stress.items():
        column, both, local = found.euler.get(link), found.beam_column.get(link), found.local.get(link)
        rows.append([
            link, *_cells(worst, motion), number(1e-6 * worst.value), f"{worst.position:.3g}",
            *(_cells(column, motion) if column else [NONE]), *(_cells(both, motion) if both else [NONE]),
            f"{both.position:.3g}" if both else NONE, *(_cells(local, motion) if local else [NONE]),
        ])
    note = (
        "Smallest safety factors over the motion, and where along the beam, from the link's joint. As a column alone, "
        "by Euler's load with the correction for shear; with its bending, and no more than the whole arm has; of thin "
        f"walls that buckle by themselves. {NONE} where a link is never compressed, or its walls are not known."
    )
    return Table("Whether the links hold", columns, rows, note)


def _cells(worst: Worst, motion: Motion) -> list[str | tuple[str, str]]:
    return [(number(worst.safety), f"at {motion.t[worst.state[0]]:.4g} s")]


# The section on the vibration of a flexible arm: over the motion, and after its end.

DAMPING = 0.02
"""Ratio that is taken where none is known."""
SETTLED = 1e-4
"""Share of the tip's largest distance from the base within which it counts as settled: 0.1 mm of an arm of 1 m."""
MOST_SAMPLES = 1200


def vibration(
    arm: ElasticQuantities,
    motion: Motion,
    case: Mapping[str, Any],
    tip: str,
    respond: Callable[..., MotionResponse] | None,
) -> Section:
    """How far the tip swings, what is left after the motion's end, and how long it takes to settle. `respond` is asked
    in place of the arm's own, where the arm stands on a base that knows more of its loads.
    """
    if respond is None:
        own = Motion.from_checked(motion.t, motion.q, motion.qd, motion.qdd, arm)
        ask = lambda: responding.respond(arm, own, damping=DAMPING, tip=tip, **case)  # noqa: E731
    else:
        ask = lambda: respond(motion, damping=DAMPING, tip=tip)  # noqa: E731
    with collected_warnings() as said:
        found = asked_for(ask, said)
    lead = (
        "The joints follow the motion exactly, the arm vibrates about its deflection, every mode with a damping ratio "
        f"of {DAMPING:g}; after the end of the motion it rings on in the last pose."
    )
    if found is None:
        return Section("Vibration", lead, (), (), said)
    few = _few(found)
    moved = {
        "with vibration": 1e3 * np.linalg.norm(found.displacement[tip][few], axis=-1),
        "without": 1e3 * np.linalg.norm(found.quasi_static[tip][few], axis=-1),
    }
    shaking = {f"along {axis}": 1e3 * found.vibration[tip][few, k] for k, axis in enumerate("xyz")}
    blocks: list[Block] = [
        lines(f"Displacement of '{tip}'", found.times[few], moved, "mm"),
        lines(f"Vibration of '{tip}' alone, world axes", found.times[few], shaking, "mm"),
        Text(f"The lowest mode has {number(float(found.frequencies.min()))} Hz in its softest pose, without loads."),
    ]
    return Section("Vibration", lead, blocks, _figures(found, motion, _reach(arm, motion, tip)), said)


def _few(found: MotionResponse) -> Floats:
    """Numbers of the instants to draw."""
    count = len(found.times)
    return np.unique(np.linspace(0, count - 1, min(count, MOST_SAMPLES)).round().astype(int))


def _reach(arm: ElasticQuantities, motion: Motion, tip: str) -> float:
    at = np.asarray(arm.link_poses(motion.q))[:, arm.link_names.index(tip), :3, 3]
    return float(np.linalg.norm(at, axis=-1).max(initial=0.0))


def _figures(found: MotionResponse, motion: Motion, reach: float) -> list[Figure]:
    peak = found.peak
    swing = f"vibration {number(1e3 * peak.vibration)} mm, at {peak.vibration_time:.3g} s"
    figures = [Figure("Largest displacement, vibrating", f"{number(1e3 * peak.displacement)} mm", swing)]
    if found.times[-1] <= motion.t[-1]:
        return figures
    tolerance = SETTLED * reach
    residual = found.residual
    figures.append(Figure("Vibration left at the end", f"{number(1e3 * residual)} mm", "of the tip, after the motion"))
    if tolerance > 0:
        settling = found.settling_time(tolerance)
        value = f"{number(settling)} s" if math.isfinite(settling) else "never"
        note = f"after the motion, until the tip stays within {number(1e3 * tolerance)} mm"
        figures.append(Figure("Settling time", value, note, not math.isfinite(settling)))
    return figures


# The section on fatigue: how often the motion may be repeated until a beam cracks.

UNLIMITED = "unlimited"
_SUPERSCRIPTS = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def fatigue(arm: ElasticQuantities, motion: Motion | DutySpectrum, case: Mapping[str, Any]) -> Section:
    """The worst fibre of every beam, its damage and life in repetitions of the motion, or of a pass of a spectrum."""
    several = isinstance(motion, DutySpectrum)
    what = f"A pass through all cycles ({number(motion.duration)} s)" if several else "The motion"
    lead = (
        f"{what} is repeated without end. Normal stress of every fibre, and torsion; cycles by rainflow, damage by "
        "Miner's rule with the S-N curve of the material, without notches or welds, which must be given to arm.fatigue."
    )
    own: Any = motion if isinstance(motion, DutySpectrum) else \
        Motion.from_checked(motion.t, motion.q, motion.qd, motion.qdd, arm)
    with collected_warnings() as said:
        found = asked_for(lambda: assessment.fatigue(arm, own, **case), said)
    if found is None:
        return Section("Fatigue", lead, (), (), said)
    rows = []
    for link, worst in found.by_link.items():
        life = _life(worst.life)
        causes = found.causes.get(link, {})
        drives = next(iter(causes), "") if worst.damage > 0 else ""
        rows.append([link, f"{worst.position:.3g}", worst.fibre, number(worst.largest_range / 1e6),
                     f"{worst.damage:.3g}", life, drives])
    columns = ["link", "at (m)", "fibre", "largest range (MPa)", "damage of one", "life (repetitions)", "driven by"]
    note = "The fibre of each link with the most damage, and the cause without which most of the damage would go."
    worst = found.worst
    life = _life(worst.life)
    where = f"link '{worst.link}', {worst.position:.3g} m along; largest range {number(worst.largest_range / 1e6)} MPa"
    figure = Figure("Fatigue life", life if life == UNLIMITED else f"{life} times", where, worst.life < 1)
    return Section("Fatigue", lead, [Table("Fatigue of the beams", columns, rows, note)], [figure], said)


def _life(repetitions: float) -> str:
    r"""Repetitions as a page shows them.

    >>> _life(1234.5), _life(math.inf)
    ('1234', 'unlimited')
    >>> ascii(_life(6.354e10))
    "'6.4 \\xd7 10\\xb9\\u2070'"
    """
    if math.isinf(repetitions):
        return UNLIMITED
    if repetitions < 1e6:
        return number(repetitions)
    digits, power = f"{repetitions:.1e}".split("e")
    return f"{digits} \N{MULTIPLICATION SIGN} 10{str(int(power)).translate(_SUPERSCRIPTS)}"
