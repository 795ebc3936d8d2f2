"""Time cut into panels of even steps, in which everything that changes with the pose is a polynomial of the time.

Mass and stiffness of a moving arm, and the matrices of a time step with them, are smooth while its acceleration does
not jump. They are computed at a few nodes of each panel (Chebyshev's) and interpolated; a panel in which that is not
good enough is halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from loadpath.scalars.types import Floats

NODES = 7
"""Of a panel of a moving arm."""
TRAVEL = 0.6
"""rad (or m): travel of all joints together in a panel, to begin with."""
GOOD = 1e-6
"""Error of the interpolated matrices, as a share of their size."""
HALVINGS = 6
SHORT = 64
"""Steps of a panel where loads vary from sample to sample."""
_PROBES = (0.03, 0.4)
"""Places in a panel where the interpolation is checked."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Even steps from `begin` to `end`."""

    begin: float
    end: float
    steps: int
    moving: bool
    checked: bool = False
    """Whether it need not be looked at again."""

    @property
    def step(self) -> float:
        """s."""
        return (self.end - self.begin) / self.steps

    @property
    def nodes(self) -> Floats:
        """Times of the nodes: one where nothing moves."""
        count = min(NODES, self.steps) if self.moving else 1
        angles = np.pi * (2 * np.arange(count) + 1) / (2 * count)
        result: Floats = 0.5 * (self.begin + self.end) - 0.5 * (self.end - self.begin) * np.cos(angles)
        return result

    @property
    def instants(self) -> Floats:
        """Where its steps begin."""
        result: Floats = self.begin + self.step * np.arange(self.steps, dtype=float)
        return result

    def weights(self, times: Floats) -> Floats:
        """(times, nodes): takes values at the nodes to those at times of the panel."""
        nodes = (self.nodes - self.begin) / (self.end - self.begin)
        at = (times - self.begin) / (self.end - self.begin)
        result = np.ones((len(at), len(nodes)))
        for k, node in enumerate(nodes):
            for other in np.delete(nodes, k):
                result[:, k] *= (at - other) / (node - other)
        return result


def panels_between(
    begin: float, end: float, step: float, travelled: Callable[[Floats], Floats], *, varying: bool = False
) -> list[Panel]:
    """Panels from `begin` to `end` with steps of about `step`; `travelled` gives the joints' travel up to times. Where
    loads vary from sample to sample, panels are short.
    """
    steps = max(1, math.ceil((end - begin) / step * (1 - 1e-9)))
    edges = np.linspace(begin, end, steps + 1)
    way = travelled(edges)
    total = float(way[-1] - way[0])
    count = min(steps, max(1, math.ceil(total / TRAVEL)))
    cuts = np.searchsorted(way, way[0] + total * np.arange(1, count) / count)
    cuts = np.unique(np.concatenate([cuts, np.arange(SHORT, steps, SHORT)]) if varying else cuts)
    marks = [0, *(int(c) for c in cuts if 0 < c < steps), steps]
    return [Panel(float(edges[a]), float(edges[b]), b - a, varying or total > 1e-12) for a, b in pairwise(marks)]


def refined(panels: list[Panel], matrices: Callable[[Floats], Floats]) -> list[Panel]:
    """The panels, halved where matrices (times, ...) of the times are not interpolated well."""
    found = list(panels)
    for _ in range(HALVINGS):
        looked = [k for k, panel in enumerate(found) if not panel.checked and panel.moving and panel.steps >= 2 * NODES]
        if not looked:
            return found
        times = [np.concatenate([found[k].nodes, _probes(found[k])]) for k in looked]
        values = matrices(np.concatenate(times))
        bad = set()
        at = 0
        for k, own in zip(looked, times, strict=True):
            given, probed = values[at : at + NODES], values[at + NODES : at + len(own)]
            at += len(own)
            error = np.abs(np.tensordot(found[k].weights(own[NODES:]), given, 1) - probed).max()
            if error > GOOD * np.abs(given).max():
                bad.add(k)
        parts: list[Panel] = []
        for k, panel in enumerate(found):
            if k in bad:
                parts += _halves(panel)
            else:
                parts.append(replace(panel, checked=True))
        found = parts
        if not bad:
            break
    return found


def _probes(panel: Panel) -> Floats:
    return panel.begin + (panel.end - panel.begin) * np.array(_PROBES)


def _halves(panel: Panel) -> list[Panel]:
    first = panel.steps // 2
    middle = panel.begin + panel.step * first
    return [replace(panel, end=middle, steps=first), replace(panel, begin=middle, steps=panel.steps - first)]
