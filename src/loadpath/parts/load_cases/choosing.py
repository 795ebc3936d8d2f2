"""Which instants of a motion matter: where resultants of joints are largest, or where a verdict is decided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.loads.peaks.resultants import RESULTANTS, axes_of, resultants
from loadpath.robot.numbers import known as known_name
from loadpath.states.unknown import not_finite

if TYPE_CHECKING:
    from loadpath.parts.verdict.duties import Duty
    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities

LOOKED_AT = ("force", "radial_force", "torque", "tilting_moment")


class Chosen(NamedTuple):
    """An instant, and why."""

    motion: int
    sample: int
    because: tuple[str, ...]


def chosen_instants(
    robot: RobotQuantities, duties: tuple[Duty, ...], joints: Sequence[str] | None = None
) -> list[Chosen]:
    """Where the resultants are largest over all motions; instants of several peaks first."""
    every = robot.closed_joint_names
    if isinstance(joints, str):
        joints = (joints,)
    names = every if joints is None else tuple(known_name(name, every, "joint") for name in joints)
    columns = [every.index(name) for name in names]
    kinds = [RESULTANTS.index(kind) for kind in LOOKED_AT]
    axes = axes_of(robot)[columns]
    most = np.zeros((len(names), len(kinds)))
    at: dict[tuple[int, int], tuple[int, int]] = {}
    for duty in duties:
        for block in duty.blocks():
            found = robot.joint_wrenches(*block.arrays, **block.case.keywords)
            force, torque = np.asarray(found.force)[:, columns], np.asarray(found.torque)[:, columns]
            bad = not_finite(force, 2) | not_finite(torque, 2)
            sizes = np.abs(resultants(axes, force, torque)[..., kinds])
            sizes = np.where(np.isnan(sizes) | bad[:, None, None], -1.0, sizes)
            rows = sizes.argmax(axis=0)
            here = sizes.max(axis=0)
            for j, k in np.argwhere(here > most * (1 + 1e-9) + 1e-9):  # what rounding makes larger is no new peak
                most[j, k], at[int(j), int(k)] = here[j, k], (duty.number, block.first + int(rows[j, k]))
    if not at:
        first = next((int(k) for duty in duties for k in range(len(duty))), 0)
        return [Chosen(0, first, ("no load",))]
    return _gathered((place, f"largest {LOOKED_AT[k].replace('_', ' ')} at '{names[j]}'")
                     for (j, k), place in sorted(at.items()))


def deciding_instants(verdict: Verdict) -> list[Chosen]:
    """Where the rows of a verdict are decided, in the order of their utilisation."""
    rows = [row for row in verdict.ranked if row.at is not None]
    if not rows:
        raise ValueError("no instant decides this verdict: nothing could be checked")
    found: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        assert row.at is not None
        found.setdefault((row.at.motion, row.at.sample), []).append(f"{row.check} of {row.part} at '{row.joint}'")
    return [Chosen(*place, tuple(why)) for place, why in found.items()]


def _gathered(pairs: Iterable[tuple[tuple[int, int], str]]) -> list[Chosen]:
    """One entry for each instant, those with the most reasons first."""
    found: dict[tuple[int, int], list[str]] = {}
    for place, why in pairs:
        found.setdefault(place, []).append(why)
    chosen = [Chosen(*place, tuple(why)) for place, why in found.items()]
    return sorted(chosen, key=lambda one: (-len(one.because), one.motion, one.sample))
