"""An arm as it bends, for the picture of the report: its beams as tubes along their curves, coloured by how much of
their yield strength the stress takes, and the straight parts between them; displacements are drawn many times as large.

Sent are the places of the points on their links, once, and how far each is displaced at every instant: between two
instants the page has poses of its own, and takes displacements from both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.drawing.robot_figure import RADIUS
from loadpath.errors import ModelError
from loadpath.report.collecting import collected_warnings
from loadpath.scalars.types import Floats
from loadpath.structure.arm_lines import ArmShape, deflected, magnification_of, marked, rigid_lines
from loadpath.structure.stress import stress

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

ALONG = 17
"""Points of a beam in the picture."""
SECTIONS = 9
"""Cross sections of a beam whose stress colours it; between them it is linear."""
THICK, THIN = 0.75, 0.4
"""Radius of beams and of rigid parts as they are drawn, of that of a joint."""


class Line(NamedTuple):
    """A beam, or a straight part, at one instant; `rest` and `moved` are (points, 3), world axes, m."""

    link: int
    rest: Floats
    moved: Floats
    beam: int
    """Its number; -1 of a straight part."""
    along: Floats
    """(points,): positions along the beam, m."""


class Bent(NamedTuple):
    """A bent arm at some instants."""

    sent: dict[str, Any]
    """Of the trace: lines with their points in the frames of their links, factor and legend."""
    moved: Floats
    """(instants, points, 3): displacement of all points, world axes, m, as it is."""
    used: Floats | None
    """(instants, points): stress over yield strength; none where nothing but joints is compliant."""
    poses: Floats
    """(instants, lines, 12): of their links."""
    words: str


def bent_of(
    arm: ElasticQuantities, states: Sequence[Floats], case_of: Callable[[int], Mapping[str, Any]], poses: Floats,
    size: float,
) -> Bent | None:
    """The arm in states (instants, ...) q, qd and qdd, each with what acts on it; `poses` are those of its links there.
    None of arms whose shape is not known, as of some with loops.
    """
    q, qd, qdd = states
    finer = marked(arm)
    with collected_warnings():  # which the section on beams shows
        try:
            shapes = [deflected(arm, q[k], qd[k], qdd[k], case_of(k), finer)[0] for k in range(len(q))]
        except ModelError:
            return None
        used = [_used(arm, (q[k], qd[k], qdd[k]), case_of(k)) for k in range(len(q))] if arm.beams else None
    lines = [_lines(arm, shape) for shape in shapes]
    if len({tuple((line.link, len(line.rest)) for line in found) for found in lines}) != 1:
        return None  # what slides is held elsewhere at another instant
    moved = np.array([np.concatenate([line.moved for line in found]) for found in lines])
    if not lines[0] or not np.isfinite(moved).any():
        return None
    largest = int(np.nanargmax([shape.largest() for shape in shapes]))
    factor = magnification_of(shapes[largest], "auto")
    first = lines[0]
    sent = {"factor": factor, "lines": [
        {"points": (line.rest - poses[0, line.link, :3, 3]) @ poses[0, line.link, :3, :3], "beam": line.beam >= 0,
         "radius": RADIUS * size * (THICK if line.beam >= 0 else THIN), "link": line.link} for line in first]}
    times = f"{factor:,.0f} times" if factor >= 1 else f"{factor:g} times"
    by = f"{1e3 * shapes[largest].largest():.3g} mm"
    sent["name"] = f"bending drawn {times}"
    words = f"by up to {by}, drawn {times} as large"
    shares = None
    if used is not None:
        shares = np.array([np.concatenate([_share(line, at) for line in found])
                           for found, at in zip(lines, used, strict=True)])
        words += ", coloured by how much of the yield strength the stress takes"
    of_lines = poses[:, [line.link for line in first], :3].reshape(len(poses), -1, 12)
    return Bent(sent, moved, shares, of_lines, words)


def put(bent: Bent, trace: dict[str, Any]) -> Floats:
    """Put it into the trace of a robot, and give the points that are to be in view."""
    trace["bent"] = bent.sent
    for k, frame in enumerate(trace["frames"]):
        frame |= {"moved": bent.moved[k], "bent poses": bent.poses[k]}
        if bent.used is not None:
            frame["used"] = bent.used[k]
    return drawn_points(bent).reshape(-1, 3)


def drawn_points(bent: Bent) -> Floats:
    """(instants, points, 3): where the points are drawn, in the world."""
    rest = []
    for k, line in enumerate(bent.sent["lines"]):
        pose = bent.poses[:, k].reshape(-1, 3, 4)
        rest.append(np.einsum("sij,pj->spi", pose[:, :, :3], line["points"]) + pose[:, None, :, 3])
    return np.asarray(np.concatenate(rest, axis=1) + bent.sent["factor"] * bent.moved)


def _lines(arm: ElasticQuantities, shape: ArmShape) -> list[Line]:
    place = {name: k for k, name in enumerate(arm.link_names)}
    found = []
    for curve in shape.curves:
        few = np.unique(np.linspace(0, len(curve.points) - 1, ALONG).round().astype(int))
        along = np.linspace(0.0, arm.placed_beams[curve.beam].length, len(curve.points))[few]
        found.append(Line(place[curve.link], curve.points[few], curve.displacement[few], curve.beam, along))
    for (link, rest), (_, now) in zip(rigid_lines(arm, shape, 0.0), rigid_lines(arm, shape, 1.0), strict=True):
        if link == arm.base.name:  # which stands
            continue
        found.append(Line(place[link], rest, now - rest, -1, np.zeros(2)))
    return found


def _used(arm: ElasticQuantities, state: Sequence[Floats], case: Mapping[str, Any]) -> dict[int, tuple[Floats, Floats]]:
    """For every beam: positions along it, rising, and the share of the yield strength there."""
    found = stress(arm, *state, sections=SECTIONS, **case)
    at, share = np.asarray(found.sections.positions, dtype=float), np.asarray(1.0 / found.safety)
    beams, by_beam = np.array(found.sections.beams), {}
    for beam in np.unique(beams):
        own = np.flatnonzero(beams == beam)
        order = own[np.argsort(at[own], kind="stable")]
        by_beam[int(beam)] = (at[order], share[order])
    return by_beam


def _share(line: Line, used: dict[int, tuple[Floats, Floats]]) -> Floats:
    if line.beam not in used:
        return np.full(len(line.rest), np.nan)
    return np.interp(line.along, *used[line.beam])
