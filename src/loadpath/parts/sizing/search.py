"""Combinations from the tip to the base: what is chosen at a joint loads the joints before it, so that a joint is
judged when all that it feels is chosen, and what does not hold there is not looked at with all that may come after.

Exhaustive, all that is left is taken to the next joint. Branch and bound takes those first whose least possible aim is
the smallest (Hart, Nilsson and Raphael, IEEE Trans. SSC 4 (1968) 100), until nothing that is left can be as good.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from loadpath.parts.sizing.dominance import front_of
from loadpath.parts.sizing.options import Option
from loadpath.parts.sizing.proof import Bound, hopeless
from loadpath.parts.sizing.stations import Station
from loadpath.progress import Report
from loadpath.scalars.types import Bools, Floats, Ints

PAIRS = 1 << 15
"""Of a design and a state that are judged at once."""


class Nodes(NamedTuple):
    """Designs whose first joints, from the tip on, are chosen."""

    choices: Ints
    """(designs, joints that are chosen): numbers of options."""
    aims: Floats
    """(designs, aims) so far."""
    used: Floats
    """(designs,): the largest utilisation so far."""

    def some(self, rows: Bools | Ints) -> Nodes:
        """Some of them."""
        return Nodes(self.choices[rows], self.aims[rows], self.used[rows])


@dataclass(frozen=True, eq=False)
class Fallen:
    """Designs that do not hold at a joint, all alike in what fails: `choices` (designs, chosen joints)."""

    joint: str
    choices: Ints
    used: Floats
    labels: tuple[tuple[str, str], ...]
    which: Ints
    alone: int | None = None
    """The level of a single joint whose choices (designs, 1) do not hold whatever is chosen at the others; then `used`
    is what they use at least.
    """

    def at(self, level: int) -> Ints:
        """(designs,): what is chosen at a level."""
        return self.choices[:, 0 if self.alone is not None else level]

    @property
    def depth(self) -> int:
        """Up to which level it was found."""
        return self.choices.shape[1] if self.alone is None else self.alone + 1


@dataclass(eq=False)
class Tree:
    """What is to be chosen, in order, and what is judged after each choice."""

    joints: tuple[str, ...]
    """From the tip to the base."""
    options: tuple[tuple[Option, ...], ...]
    stations: tuple[tuple[Station, ...], ...]
    """Judged after the choice at each of these joints."""
    states: int
    judged: int = 0
    """Designs, whole or in part, that were judged at a joint."""
    fallen: list[Fallen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.alive = [np.ones(len(several), dtype=bool) for several in self.options]
        """Which options of each joint are not known to fail with all others."""
        self.masses = [np.array([option.mass for option in several]) for several in self.options]
        self.aims = [np.array([option.aims for option in several]) for several in self.options]
        least = [aims.min(axis=0) for aims in self.aims]
        self.to_come = [sum(least[k:], start=np.zeros(len(least[0]))) for k in range(len(least) + 1)]
        """The least that the joints after each choice add."""

    def leave_out(self, options: Sequence[tuple[int, int, Bound]]) -> None:
        """Options that cannot hold are not tried."""
        for level, number, bound in options:
            self.alive[level][number] = False
            self.fallen.append(Fallen(self.joints[level], np.array([[number]], dtype=np.int32), np.array([bound.size]),
                                      (bound.label,), np.zeros(1, dtype=int), alone=level))
        least = [aims[some].min(axis=0) if some.any() else aims.min(axis=0)
                 for aims, some in zip(self.aims, self.alive, strict=True)]
        self.to_come = [sum(least[k:], start=np.zeros(len(least[0]))) for k in range(len(least) + 1)]

    @property
    def count(self) -> int:
        """Of all combinations."""
        found = 1
        for several in self.options:
            found *= len(several)
        return found

    @property
    def block(self) -> int:
        """Designs that are judged at once."""
        return max(1, PAIRS // max(self.states, 1))

    def root(self) -> Nodes:
        """Nothing is chosen."""
        return Nodes(np.zeros((1, 0), dtype=int), np.zeros((1, len(self.to_come[0]))), np.zeros(1))

    def masses_of(self, choices: Ints) -> Floats:
        """(designs, all joints): kg, zero where nothing is chosen yet."""
        found = np.zeros((len(choices), len(self.joints)))
        for k in range(choices.shape[1]):
            found[:, k] = self.masses[k][choices[:, k]]
        return found

    def grown(self, nodes: Nodes) -> Nodes:
        """All that hold with one joint more."""
        level = nodes.choices.shape[1]
        several = np.flatnonzero(self.alive[level])
        count = len(nodes.used)
        parent = np.repeat(np.arange(count), len(several))
        chosen = np.tile(several, count)
        choices = np.concatenate([nodes.choices[parent], chosen[:, None]], axis=1)
        made = Nodes(choices, nodes.aims[parent] + self.aims[level][chosen], nodes.used[parent].copy())
        for station in self.stations[level]:
            if not len(made.used):
                break
            made = self._judged(station, made, level)
        return made

    def first_fallen(self, choice: Sequence[int]) -> Fallen | None:
        """Where one combination does not hold, from the tip; None where it does. Nothing of this is kept."""
        other = replace(self, fallen=[], judged=0)
        for level in range(len(self.joints)):
            chosen = np.array(choice[: level + 1], dtype=int)[None]
            for station in self.stations[level]:
                other._judged(station, Nodes(chosen, np.zeros((1, len(self.to_come[0]))), np.zeros(1)), level)
                if other.fallen:
                    return other.fallen[0]
        return None

    def _judged(self, station: Station, nodes: Nodes, level: int) -> Nodes:
        """Those that hold at a joint. Where they differ in what that does not feel, it is judged once."""
        self.judged += len(nodes.used)
        masses = self.masses_of(nodes.choices)
        masses[:, [k for k in range(masses.shape[1]) if k not in station.felt]] = 0.0
        own = self.joints.index(station.name) if station.name in self.joints else -1
        variant = nodes.choices[:, own] if own >= 0 else np.zeros(len(masses), dtype=int)
        different, place = np.unique(masses, axis=0, return_inverse=True)
        place = place.reshape(-1)
        used = np.empty(len(masses))
        which = np.zeros(len(masses), dtype=int)
        labels: dict[tuple[str, str], int] = {}
        numbers = np.unique(variant)
        for start in range(0, len(different), self.block):
            mine = (place >= start) & (place < start + self.block)
            wanted = [number for number in numbers if (mine & (variant == number)).any()]
            for number, found in zip(wanted, station.judged(different[start: start + self.block], wanted), strict=True):
                rows = np.flatnonzero(mine & (variant == number))
                at = place[rows] - start
                used[rows] = found.size[at]
                order = np.array([labels.setdefault(label, len(labels)) for label in found.labels])
                which[rows] = order[found.which[at]]
        falls = ~(used <= 1.0)
        if falls.any():
            self.fallen.append(Fallen(station.name, nodes.choices[falls].astype(np.int32), used[falls], tuple(labels),
                                      which[falls]))
        held = nodes.some(~falls)
        return held._replace(used=np.maximum(held.used, used[~falls]))


def every(tree: Tree, report: Report) -> Nodes:
    """All combinations that hold."""
    nodes = tree.root()
    for level in range(len(tree.joints)):
        grown = []
        step = max(1, tree.block)
        for start in range(0, len(nodes.used), step):
            grown.append(tree.grown(nodes.some(np.arange(start, min(start + step, len(nodes.used))))))
            report((level + (start + step) / max(len(nodes.used), step)) / len(tree.joints))
        if not grown:
            break
        nodes = Nodes(*(np.concatenate(parts) for parts in zip(*grown, strict=True)))
    return nodes if nodes.choices.shape[1] == len(tree.joints) else tree.root().some(np.zeros(0, dtype=int))


def best(tree: Tree, count: int, report: Report) -> Nodes:
    """Those that are best: of one aim so many, of several all that no other is as good as in each."""
    whole = len(tree.joints)
    tree.leave_out(hopeless(tree))
    if not all(some.any() for some in tree.alive):
        return tree.root().some(np.zeros(0, dtype=int))
    found = _Found(count, len(tree.to_come[0]), whole)
    scale = np.maximum(np.abs(tree.to_come[0]), 1e-300)
    heaps: list[list[tuple[float, int]]] = [[] for _ in range(whole)]
    kept: dict[int, tuple[Ints, Floats, float]] = {}
    numbers = itertools.count()

    def put(nodes: Nodes) -> None:
        level = nodes.choices.shape[1]
        if level == whole:
            found.add(nodes)
            return
        bounds = nodes.aims + tree.to_come[level]
        ranks = (bounds / scale).sum(axis=1)
        for k in np.flatnonzero(~found.beats(bounds)):
            number = next(numbers)
            kept[number] = nodes.choices[k], nodes.aims[k], float(nodes.used[k])
            heapq.heappush(heaps[level], (float(ranks[k]), number))

    put(tree.root())
    while any(heaps):
        level = min((k for k in range(whole) if heaps[k]), key=lambda k: (heaps[k][0][0], -k))
        taken: list[tuple[Ints, Floats, float]] = []
        while heaps[level] and len(taken) < tree.block:
            node = kept.pop(heapq.heappop(heaps[level])[1])
            if not found.beats((node[1] + tree.to_come[level])[None])[0]:
                taken.append(node)
        if taken:
            choices, aims, used = (np.array(part) for part in zip(*taken, strict=True))
            put(tree.grown(Nodes(choices.reshape(len(taken), level), aims, used)))
            report(1.0 - 1.0 / (1.0 + tree.judged / 1e5))
    return found.nodes


class _Found:
    """What was found to hold, and what that leaves to be found."""

    def __init__(self, count: int, aims: int, joints: int) -> None:
        self.count = count
        self.nodes = Nodes(np.zeros((0, joints), dtype=int), np.zeros((0, aims)), np.zeros(0))

    def add(self, nodes: Nodes) -> None:
        """Those that are not beaten, and what of the others they leave."""
        together = Nodes(*(np.concatenate(pair) for pair in zip(self.nodes, nodes, strict=True)))
        if together.aims.shape[1] == 1:
            self.nodes = together.some(np.argsort(together.aims[:, 0], kind="stable")[: self.count])
        else:
            self.nodes = together.some(front_of(together.aims))

    def beats(self, bounds: Floats) -> Bools:
        """Which can be no better than what is found."""
        aims = self.nodes.aims
        if bounds.shape[1] == 1:
            full = len(aims) >= self.count
            return np.full(len(bounds), full) & (bounds[:, 0] >= (aims[-1, 0] if full else np.inf))
        as_good: Bools = np.all(aims[None] <= bounds[:, None], axis=2)
        return np.asarray(as_good.any(axis=1))


def in_order(joints: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    """From the tip to the base: the order of the robot's joints, backwards.

    >>> in_order(["a", "c"], ["a", "b", "c"])
    ('c', 'a')
    """
    return tuple(sorted(joints, key=lambda name: -list(order).index(name)))
