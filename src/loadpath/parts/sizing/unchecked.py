"""What of a sizing cannot be checked, for want of ratings: by option, and so of every combination."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

import numpy as np

from loadpath.errors import warn
from loadpath.parts.sizing.search import Tree
from loadpath.parts.sizing.stations import PartJudge, Station
from loadpath.scalars.types import Ints

_OF_SPEED = ("rad/s", "m/s")
"""Units of checks that are of no load."""


class Unchecked:
    """Checks that are not made, of each option, and of the parts that stay."""

    def __init__(self, tree: Tree) -> None:
        stations = {station.name: station for level in tree.stations for station in level}
        self.by_option = [[_said(stations.get(joint), k) for k in range(len(options))]
                          for joint, options in zip(tree.joints, tree.options, strict=True)]
        """From the tip to the base, as the tree has them."""
        self.checks = [[sum(judge.count for judge in stations[joint].judges[k]) if joint in stations else 0
                        for k in range(len(options))]
                       for joint, options in zip(tree.joints, tree.options, strict=True)]
        """How many there are, made or not."""
        self.staying = tuple(chain.from_iterable(
            _said(station, 0) for name, station in stations.items() if name not in tree.joints))

    @property
    def all(self) -> tuple[str, ...]:
        """Of all options, each once."""
        every = chain(self.staying, *(said for several in self.by_option for said in several))
        return tuple(dict.fromkeys(every))

    def of(self, choice: Iterable[int]) -> tuple[str, ...]:
        """Of a combination, from the tip to the base: its checks from the base to the tip."""
        chosen = [said[k] for said, k in zip(self.by_option, choice, strict=True)]
        return tuple(chain(*chosen[::-1], self.staying))

    def counts(self, choices: Ints) -> Ints:
        """How many, of combinations (combinations, joints)."""
        found = np.full(len(choices), len(self.staying))
        for level, said in enumerate(self.by_option):
            found += np.array([len(one) for one in said])[choices[:, level]]
        return found


def _said(station: Station | None, number: int) -> tuple[str, ...]:
    if station is None:
        return ()
    return tuple(f"{judge.part.label} at {station.name}, {check.check}: {check.note}"
                 for judge in station.judges[number] for check in judge.unchecked)


def ask_of_ratings(tree: Tree) -> None:
    """Warn of parts to choose from of which no load can be checked, and of those that lack what others have: they hold
    since nothing is known of them.
    """
    bare: dict[tuple[str, str], PartJudge] = {}
    lacking: dict[tuple[str, str], str] = {}
    for station in (station for level in tree.stations for station in level if station.name in tree.joints):
        judges = {judge.part.label: judge for several in station.judges for judge in several}
        made = {(judge.part.kind, check.check) for judge in judges.values() for check in judge.made}
        for label, judge in judges.items():
            if all(check.unit in _OF_SPEED for check in judge.made):
                bare[station.name, label] = judge
                continue
            less = [check for check in judge.unchecked if (judge.part.kind, check.check) in made]
            if less:
                lacking[station.name, label] = f"{less[0].check}: {less[0].note}"
    if bare:
        (joint, label), judge = next(iter(bare.items()))
        first = f" ({judge.unchecked[0].check}: {judge.unchecked[0].note})" if judge.unchecked else ""
        warn(f"size: of {judge.part.kind} '{label}' at joint '{joint}'{_more(len(bare))} no load can be checked"
             f"{first}: they pass since nothing is known of them, and are not known to hold")
    if lacking:
        (joint, label), note = next(iter(lacking.items()))
        warn(f"size: '{label}' at joint '{joint}'{_more(len(lacking))} lacks a rating that others have, and is not "
             f"known to hold where they may fail: {note}")


def _more(count: int) -> str:
    return f" and {count - 1} more" if count > 1 else ""
