"""The first section: the numbers to see first, and the robot where its load is largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import RESULTANTS, effort_limits
from loadpath.report.around import Around
from loadpath.report.blocks import Figure, Section, number, seconds
from loadpath.report.robot_picture import Worst, robot_picture
from loadpath.report.shown import Shown


def overview(
    peaks: PeakLoads, worst: Worst, shown: Shown, more: Sequence[Figure] = (), around: Around | None = None,
    bends: bool = False,
) -> Section:
    """The largest loads, whose they are, and when; the robot at its worst instant. `more` are figures of other
    sections: what bends, buckles, vibrates or tips is to be seen first. `around` is drawn with the robot,
    drawn bent where it `bends`.
    """
    figures = [*_drives(peaks), *_joints(peaks), *more]
    arrows = shown.tables or peaks.joint_names
    return Section("Overview", "", [robot_picture(peaks, worst, arrows, around, bends)], figures)


def _drives(peaks: PeakLoads) -> list[Figure]:
    limits = effort_limits(peaks.robot)
    figures = []
    if peaks.drive_names:
        driven = [peaks.dof_names.index(name) for name in peaks.drive_names]
        magnitude, limits = peaks.drive.magnitude[driven], limits[driven]
        if np.isfinite(limits).any():
            share = magnitude / limits  # zero where there is none
            k = int(np.argmax(share))
            found = peaks[peaks.drive_names[k], "drive"]
            note = f"{found.name}: {number(found.peak.value)} of {number(limits[k])} {found.unit}, {_at(found)}"
            live = {"show": "share", "columns": driven}
            figures.append(Figure("Hardest working drive", f"{100 * share[k]:.0f} %", note, bool(share[k] > 1), live))
        else:
            found = peaks[peaks.drive_names[int(np.argmax(magnitude))], "drive"]
            figures.append(_figure("Largest drive load", found, {"quantity": "drive", "columns": driven}))
        power = peaks[peaks.drive_names[int(np.argmax(peaks.power.magnitude[driven]))], "power"]
        words = "Most power given" if power.peak.value >= 0 else "Most power taken back"
        live = {"show": "power", "quantity": "power", "columns": driven}
        figures.append(Figure(words, f"{number(power.magnitude)} W", f"{power.name}, {_at(power)}", live=live))
    return figures


def _joints(peaks: PeakLoads) -> list[Figure]:
    """The largest of each resultant over all joints."""
    figures = []
    labels = {"radial_force": "Largest radial force", "axial_force": "Largest axial force",
              "tilting_moment": "Largest tilting moment"}
    for quantity, words in labels.items():
        every = [peaks[joint, quantity] for joint in peaks.joint_names]
        known = {k: part for k, part in enumerate(every) if not np.isnan(part.magnitude)}
        if known:
            live = {"quantity": "resultants", "columns": [6 * k + RESULTANTS.index(quantity) for k in known]}
            figures.append(_figure(words, max(known.values(), key=lambda part: part.magnitude), live))
    return figures


def _figure(words: str, found: Quantity, live: dict[str, Any]) -> Figure:
    value = f"{number(found.peak.value)} {found.unit}"
    return Figure(words, value, f"{found.name}, {_at(found)}", live={"show": "largest", **live})


def _at(found: Quantity) -> str:
    peak = found.peak
    return f"at {seconds(peak.time, peak.sample)}" if peak.time is not None else f"sample {peak.sample}"
