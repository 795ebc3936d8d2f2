"""The section on the vibration of a flexible arm: over the motion, and after its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.motion import Motion
from loadpath.report.blocks import Block, Figure, Section, Text
from loadpath.report.charts import lines
from loadpath.report.collecting import asked_for, collected_warnings
from loadpath.report.numbers import number
from loadpath.scalars.types import Floats
from loadpath.structure.quantities import ElasticQuantities
from loadpath.structure.response import respond as responding

if TYPE_CHECKING:
    from loadpath.structure.response.result import MotionResponse

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
