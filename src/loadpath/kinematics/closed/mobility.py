"""Freedoms in words: how many there really are, how many a count finds, and where the difference comes from."""

from __future__ import annotations

import numpy as np

from loadpath.closure.freedoms import RANK, determines, freedoms_of
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.loops import idle_rods_in_words
from loadpath.scalars.types import Floats

NEARLY = 1e-3
"""Singular values between RANK and this part of the largest are asked about."""


def mobility_report(robot: ClosedQuantities) -> str:
    """How many freedoms the robot has, by rank at closed configurations and by Gruebler's count, and why they differ:
    which loops hold directions that are held already.

    >>> import loadpath as lp
    >>> print(lp.catalog.four_bar().mobility_report())  # doctest: +ELLIPSIS
    robot 'four_bar' has 1 freedom...
    """
    found = freedoms_of(robot)
    real, counted = robot.n - found.rank, robot.n - sum(count for _, count, _ in _parts(robot))
    held = robot.n - counted
    lines = [
        f"robot '{robot.name}' has {_count(real, 'freedom')}: {_count(robot.n, 'speed')} of its tree, "
        f"{_count(held, 'direction')} held by {_closing(robot)}, of which {found.rank} "
        f"{'is' if found.rank == 1 else 'are'} independent"
    ]
    if real == counted:
        lines.append(f"Gruebler's count is the same, {robot.n} - {held} = {counted}: no direction is held twice")
    else:
        lines.append(f"Gruebler's count is {robot.n} - {held} = {counted}: {_count(real - counted, 'direction')} "
                     f"{'is' if real - counted == 1 else 'are'} held more than once (overconstrained), so that many "
                     "reactions depend on stiffness and on how exactly the parts fit")
        lines += _overconstrained(robot, found.rows[0] if len(found.rows) == 1 else found.rows[1], found.rank)
    lines += _drives(robot, found.motions)
    smallest, largest = found.gap
    if RANK < smallest < NEARLY:
        lines.append(f"the last direction counts by {smallest:.2g} of the first only: is the geometry rounded? A "
                     "little off, axes that should be parallel or meet hold what exact ones leave free")
    elif largest > 0.01 * RANK:
        lines.append(f"a direction that counts as dependent is off by {largest:.2g}: the geometry closes only nearly")
    return "\n".join(lines)


def _overconstrained(robot: ClosedQuantities, rows: Floats, rank: int) -> list[str]:
    """For each loop what it holds that the loops before it, or its own chain, hold already."""
    lines = []
    start = before = 0
    for name, count, what in _parts(robot):
        alone = _rank(rows[start : start + count])
        together = _rank(rows[: start + count])
        added = together - before
        if added < count:
            own = count - alone
            by = []
            if own:
                by.append(f"{own} by the joints of its own chain")
            if alone - added:
                by.append(f"{alone - added} by the loops before it")
            lines.append(f"- {what} '{name}' holds {count}, of which {added} restrict{'s' if added == 1 else ''} the "
                         f"motion; {count - added} {'is' if count - added == 1 else 'are'} held already, "
                         f"{' and '.join(by)}")
        start, before = start + count, together
    return lines


def _drives(robot: ClosedQuantities, motions: Floats) -> list[str]:
    """Which drives there are, and what they leave open or hold together."""
    if not motions.shape[2]:
        return ["nothing can move: it is a structure"]
    driven = list(robot.split.driven)
    chosen: list[int] = []
    for k in driven:
        if determines(motions, [*chosen, k]):
            chosen.append(k)
    names = ", ".join(robot.dof_names[k] for k in driven)
    still = [robot.dof_names[k] for k in driven if np.abs(motions[:, k]).max() < 10 * RANK]
    lines = [f"driven: {names}"]
    if still:
        lines.append(f"- the loops hold {', '.join(still)}: a drive there moves nothing")
    if len(chosen) < motions.shape[2]:
        open_ones = [robot.dof_names[k] for k in robot.split.independent if k not in chosen]
        lines.append(f"- the drives leave {_count(motions.shape[2] - len(chosen), 'freedom')} open: "
                     f"{', '.join(open_ones)}{idle_rods_in_words(robot, open_ones)}")
    if len(driven) > len(chosen):
        lines.append(f"- {_count(len(driven) - len(chosen), 'drive')} more than the {_count(len(chosen), 'freedom')} "
                     "that they move: they can work against each other")
    return lines


def _parts(robot: ClosedQuantities) -> list[tuple[str, int, str]]:
    loops = [(loop.name, loop.rows, "loop") for loop in robot.loops]
    return loops + [(coupling.name, 1, "coupling") for coupling in robot.couplings]


def _closing(robot: ClosedQuantities) -> str:
    parts = []
    if robot.loops:
        parts.append(_count(len(robot.loops), "loop"))
    if robot.couplings:
        parts.append(_count(len(robot.couplings), "coupling"))
    return " and ".join(parts) or "nothing"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _rank(rows: Floats) -> int:
    if not rows.size:
        return 0
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > RANK * max(float(values[0]), 1e-300)).sum())
