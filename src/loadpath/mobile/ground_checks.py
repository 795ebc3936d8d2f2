"""What the ground asks of a rover over its motions: ratings of the wheels, tipping over, slipping."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from loadpath.errors import ModelError, ModelWarning
from loadpath.mobile.base_rows import base_rows
from loadpath.parts.part import Check, Instant, not_checked
from loadpath.parts.wheel_ratings import wheel_checks
from loadpath.scalars.types import Bools

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.parts.verdict.duties import Duty

Found = list[tuple[str, str, str, Check]]
"""Where, the part's name, its kind, and the check."""

TIPPING, SLIP = "tipping over", "slip"


def ground_checks(
    rover: Rover, duties: Sequence[Duty], bases: Sequence[Mapping[str, Any]]
) -> tuple[Found, tuple[Bools, ...]]:
    """All checks, and of each motion which states are not numbers."""
    worst: dict[tuple[str, str], Check] = {}
    unknown = []
    radius = inner_radius(rover)
    slides = _friction_missing(rover)
    for duty, base in zip(duties, bases, strict=True):
        bad = np.zeros(len(duty), dtype=bool)
        for block in duty.blocks():
            rows = slice(block.first, block.first + len(block))
            own = base_rows(base, rows, duty.states.shape)
            with warnings.catch_warnings():  # said of the whole in the end
                warnings.simplefilter("ignore", ModelWarning)
                standing = rover.stability(*block.arrays, **own)
                gripping = None if slides else rover.slip(*block.arrays, **own)
                rated = wheel_checks(rover, dict(rover.ratings), block.arrays, **own) if rover.ratings else []
            margin = np.broadcast_to(standing.margin, (len(block),))
            bad[rows] = np.isnan(margin)
            _keep(worst, (rover.name, TIPPING), _tipping(margin, radius, duty, block.first))
            if gripping is not None:
                for k, name in enumerate(rover.contact_names):
                    _keep(worst, (name, SLIP), _slipping(gripping, k, duty, block.first, len(block)))
            for name, check in rated:
                _keep(worst, (name, check.check), _placed(check, duty, block.first))
        unknown.append(bad)
    labels = {name: rating.label for name, rating in rover.ratings}
    kinds = {rover.name: "base"}
    found: Found = [(name, labels.get(name, kinds.get(name, "wheel")), kinds.get(name, "wheel"), check)
                    for (name, _), check in worst.items()]  # fmt: skip
    if slides:
        found.append((rover.name, "base", "base", not_checked(SLIP, slides)))
    return found, tuple(unknown)


def _placed(check: Check, duty: Duty, first: int) -> Check:
    """The check of a block with its instant in the whole motion."""
    if check.at is None:
        return check
    sample = first + check.at.sample
    return replace(check, at=Instant(duty.number, sample, duty.time_of(sample)))


def inner_radius(rover: Rover) -> float:
    """m: distance from the edges of the support polygon of the place that is farthest from all of them."""
    edges = rover.edges
    start, along = edges.start[edges.there], edges.along[edges.there]
    # Inside an edge by r: along x (point - start) >= r. The largest r over points x, y.
    rows = np.stack([along[:, 1], -along[:, 0], np.ones(len(along))], axis=-1)
    bound = along[:, 1] * start[:, 0] - along[:, 0] * start[:, 1]
    solved = linprog([0.0, 0.0, -1.0], A_ub=rows, b_ub=bound, bounds=[(None, None), (None, None), (0, None)])
    return float(solved.x[2])


def _friction_missing(rover: Rover) -> str:
    """Why slip cannot be checked; nothing where it can."""
    try:
        _ = rover.frictions
    except ModelError as problem:
        return str(problem)
    return ""


def _tipping(margin: Any, radius: float, duty: Duty, first: int) -> Check:
    if np.isnan(margin).all():
        return not_checked(TIPPING, "no state is a number", "m")
    k = int(np.nanargmin(margin))
    least = float(margin[k])
    demand = max(radius - least, 0.0)
    at = Instant(duty.number, first + k, duty.time_of(first + k))
    note = f"least margin {least:.4g} m"
    return Check(TIPPING, demand, radius, "m", demand / radius, at, note=note)


def _slipping(found: Any, k: int, duty: Duty, first: int, count: int) -> Check:
    ratio = np.broadcast_to(found.ratio, (count, len(found.names)))[:, k]
    if np.isnan(ratio).all():
        return not_checked(SLIP, "no state is a number", "N")
    row = int(np.nanargmax(ratio))
    used, there = (float(np.broadcast_to(part, (count, len(found.names)))[row, k])
                   for part in (found.used, found.available))  # fmt: skip
    share = float(ratio[row])
    # Shares at the limit are within rounding of it, as `Slip.slips` has it.
    share = 1.0 if 1.0 < share < 1.0 + 1e-9 else share
    at = Instant(duty.number, first + row, duty.time_of(first + row))
    note = "nothing presses it to the ground" if math.isinf(share) else ""
    return Check(SLIP, used, there, "N", share, at, note=note)


def _keep(worst: dict[tuple[str, str], Check], key: tuple[str, str], check: Check) -> None:
    """The check of the largest utilisation; one that could be made before one that could not."""
    old = worst.get(key)
    if old is None or not old.checked or (check.checked and check.utilisation > old.utilisation):
        worst[key] = check if check.checked or old is None else old
