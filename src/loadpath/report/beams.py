"""The section on a flexible arm: how far it bends, whether its links hold, and whether the motion lets it ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.motion import Motion
from loadpath.report.blocks import Block, Figure, Section, Table, Text
from loadpath.report.charts import lines
from loadpath.report.collecting import collected_warnings
from loadpath.report.peaks import NONE, largest, number
from loadpath.scalars.types import Ints
from loadpath.states import StateBatch, count_words
from loadpath.structure.extremes import Extremes
from loadpath.structure.stress import Worst

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot
    from loadpath.structure.vibration.bandwidth import BandwidthCheck


def beams(arm: FlexibleRobot, motion: Motion, states: StateBatch, few: Ints) -> Section:
    """Deflection over the motion (charts at the samples `few`), safety of every beam, lowest natural frequency.
    `states` are those of the motion with their load case.
    """
    with collected_warnings():  # of samples whose extremes are shown below
        bent = arm.deflection(*states.rows(few), **states.case_of(few).keywords)
    ends = {name: bent.displacement[:, bent.link_names.index(name)] for name in bent.ends}
    farthest = max(ends, key=lambda name: np.nan_to_num(largest(np.linalg.norm(ends[name], axis=-1)), nan=-1.0))
    with collected_warnings() as said:
        found = arm.extremes(states.q, states.qd, states.qdd, link=farthest, **states.case.keywords)
        check = arm.bandwidth_check(motion)
    distances = {f"end '{name}'": 1e3 * np.linalg.norm(moved, axis=-1) for name, moved in ends.items()}
    directions = {f"along {axis}": 1e3 * ends[farthest][:, k] for k, axis in enumerate("xyz")}
    blocks: list[Block] = [
        lines("Displacement of the ends", motion.t[few], distances, "mm"),
        lines(f"Displacement of '{farthest}', world axes", motion.t[few], directions, "mm"),
    ]
    if found.stress:
        blocks.append(_table(found, motion))
    blocks += [
        lines("Lowest natural frequency", check.times, {check.mode: check.frequencies}, "Hz"),
        Text(f"Motion against vibration: {check}."),
    ]
    lead = (
        "Small deflections under the loads of the rigid motion: bending, torsion, extension and shear of the beams, "
        "compliance of the joints. Links without a beam are rigid."
    )
    return Section("Beams", lead, blocks, _figures(found, motion, farthest, check), said)


def _figures(found: Extremes, motion: Motion, end: str, check: BandwidthCheck) -> list[Figure]:
    missing = count_words(found.unknown)
    where = f"'{end}', at {motion.t[found.tip.state[0]]:.3g} s" if found.tip.state else f"'{end}'"
    where = f"{where}; {missing}" if missing else where
    deflected = f"{number(1e3 * found.tip.distance)} mm"
    figures = [Figure("Largest deflection", deflected, where, bool(found.unknown.any()))]
    if found.stress:
        figures.append(_safety("Safety against yield", found.worst_stress, motion))
    if found.beam_column and found.worst_beam_column is not None:
        figures.append(_safety("Safety of beams under compression", found.worst_beam_column, motion))
    if found.buckling is not None:
        at = f", at {motion.t[found.buckling.state[0]]:.3g} s" if found.buckling.state else ""
        note = f"times the loads; '{found.buckling.link}' gives way most{at}"
        figures.append(Figure("Buckling of the whole arm", number(found.buckling.factor), note, found.buckling.factor < 1))
    note = f"{number(check.ratio)} times the motion's bandwidth; {check.required:g} times is asked for"
    figures.append(Figure("Lowest frequency", f"{number(check.frequency)} Hz", note, not check.passed))
    return figures


def _safety(words: str, worst: Worst, motion: Motion) -> Figure:
    note = f"link '{worst.link}', {worst.position:.3g} m along, at {motion.t[worst.state[0]]:.3g} s"
    return Figure(words, number(worst.safety), note, worst.safety < 1)


def _table(found: Extremes, motion: Motion) -> Table:
    columns = ["link", "yield safety", "von Mises (MPa)", "at (m)", "column by itself", "with bending and the whole arm",
               "at (m)"]  # fmt: skip
    rows = []
    for link, stress in found.stress.items():
        column, both = found.euler.get(link), found.beam_column.get(link)
        rows.append([
            link, *_cells(stress, motion), number(1e-6 * stress.value), f"{stress.position:.3g}",
            *(_cells(column, motion) if column else [NONE]), *(_cells(both, motion) if both else [NONE]),
            f"{both.position:.3g}" if both else NONE,
        ])  # fmt: skip
    note = (
        "Smallest safety factors over the motion, and where along the beam, from the link's joint. A link as a column by "
        "itself: Euler's load with the correction for shear; with bending: the beam column, whose bending grows towards "
        f"the buckling of its own column or of the whole arm; {NONE} where a link is never compressed or nothing buckles."
    )
    return Table("Whether the links hold", columns, rows, note)


def _cells(worst: Worst, motion: Motion) -> list[str | tuple[str, str]]:
    return [(number(worst.safety), f"at {motion.t[worst.state[0]]:.4g} s")]
