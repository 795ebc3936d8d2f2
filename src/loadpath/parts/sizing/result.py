"""What a sizing says: which combinations hold, the best of them, and why the others do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.parts.sizing.dominance import front_of
from loadpath.parts.sizing.options import Option, with_masses, with_option
from loadpath.parts.sizing.rejections import Rejection, Rejections, rejection
from loadpath.parts.sizing.search import Nodes, Tree
from loadpath.parts.sizing.unchecked import Unchecked
from loadpath.parts.verdict.result import Verdict, VerdictRow
from loadpath.printable import printable
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Ints
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

MOST_LISTED = 10
Chosen: TypeAlias = "Choice | Mapping[str, str | tuple[str, ...]]"
"""A combination: one that holds, or the names of the parts at each joint."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A combination of which no check that is made is exceeded: an option at each joint.

    `names` are its parts by joint, `aims` what was to be small, `utilisation` the largest of all its checks. Checks
    that are not made, for want of a rating, are in `unchecked`: with any, it is not known to hold.

    >>> import loadpath as lp
    >>> gears = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=100, name="size 20")], mass=[0.5])
    >>> arm = lp.catalog.planar(1)
    >>> arm.size(lp.Motion.swing(arm), {"joint1": gears}).best
    <joint1 size 20: mass 0.5, used to 6.61 %, 5 checks not made>
    """

    options: tuple[Option, ...]
    """From the base to the tip."""
    aims: Mapping[str, float]
    utilisation: float
    unchecked: tuple[str, ...] = ()
    """Checks that are not made, with the reason."""

    @property
    def holds(self) -> bool:
        """Whether it is known to hold, as `verdict.holds` says it: every check was made."""
        return not self.unchecked

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Of the parts at each joint."""
        return {option.joint: option.names for option in self.options}

    @property
    def mass(self) -> float:
        """kg, of all parts that were chosen."""
        return sum(option.mass for option in self.options)

    def __getitem__(self, joint: str) -> Option:
        return next(option for option in self.options if option.joint == joint)

    def __str__(self) -> str:
        parts = ", ".join(f"{option.joint} {option.label}" for option in self.options)
        aims = ", ".join(f"{name} {value:.6g}" for name, value in self.aims.items())
        count = len(self.unchecked)
        less = f", {count} check{'s' if count > 1 else ''} not made" if count else ""
        return f"{parts}: {aims}, used to {100 * self.utilisation:.4g} %{less}"

    def __repr__(self) -> str:
        return printable(f"<{self}>")


class Sizing:
    """Which parts to take: `robot.size(...)` makes one.

    `best` is what was asked for, `feasible` what holds (all of it, if every combination was looked at, else the best),
    `front` those that no other is better than, of two aims or more. They hold as far as checked: `choice.holds` says
    whether all checks were made, `choice.unchecked` which were not. `why(choice)` says what is exceeded by a
    combination that does not hold, by the verdict on it; `rejections` what was found on the way. `robot(choice)` is the
    robot with these parts and their masses.
    """

    def __init__(
        self, base: RobotQuantities, tree: Tree, nodes: Nodes, aims: Sequence[str], *, exhaustive: bool,
        judge: Callable[[RobotQuantities], Verdict], unchecked: Unchecked,
    ) -> None:
        self.base, self.aims, self.exhaustive = base, tuple(aims), exhaustive
        self._unchecked = unchecked
        self.notes = unchecked.all
        """Checks that could not be made."""
        self._tree, self._judge = tree, judge
        order = np.lexsort(nodes.aims.T[::-1]) if len(nodes.used) else np.zeros(0, dtype=int)
        self._nodes = nodes.some(order)

    @property
    def joints(self) -> tuple[str, ...]:
        """At which something is chosen, from the base to the tip."""
        return self._tree.joints[::-1]

    @property
    def combinations(self) -> int:
        """How many there are."""
        return self._tree.count

    @property
    def judged(self) -> int:
        """How often a joint was judged with what was chosen at it and beyond it."""
        return self._tree.judged

    @property
    def method(self) -> str:
        """How they were looked at."""
        return "exhaustive" if self.exhaustive else "branch and bound"

    @cached_property
    def feasible(self) -> tuple[Choice, ...]:
        """Those that hold, the smallest first; by branch and bound only the best of them."""
        return tuple(map(self._choice, range(len(self._nodes.used))))

    @property
    def count(self) -> int:
        """How many of these there are."""
        return len(self._nodes.used)

    @property
    def known(self) -> int:
        """How many of these are known to hold, with all checks made."""
        return int(np.count_nonzero(self._lacking == 0))

    @cached_property
    def _lacking(self) -> Ints:
        """Of each of these, how many checks are not made."""
        return self._unchecked.counts(self._nodes.choices) if self.count else np.zeros(0, dtype=int)

    @property
    def best(self) -> Choice | None:
        """That with the least of the (first) aim; None if none holds."""
        return self._choice(0) if self.count else None

    @cached_property
    def front(self) -> tuple[Choice, ...]:
        """Those of which no other has less of one aim and as little of all others, by the first aim."""
        rows = front_of(self._nodes.aims) if self.count else ()
        return tuple(self._choice(int(k)) for k in rows)

    def _choice(self, k: int) -> Choice:
        tree, nodes = self._tree, self._nodes
        options = tuple(several[number] for several, number in zip(tree.options, nodes.choices[k], strict=True))[::-1]
        return Choice(options, dict(zip(self.aims, nodes.aims[k].tolist(), strict=True)), float(nodes.used[k]),
                      self._unchecked.of(nodes.choices[k].tolist()))

    # Any combination

    def robot(self, choice: Chosen | None = None) -> RobotQuantities:
        """The robot with the parts of a choice (by default the best) and their masses."""
        options = self._options(choice)
        robot = with_masses(self.base, {option.joint: option.mass for option in options})
        for option in options:
            robot = with_option(robot, option)
        return robot

    def verdict(self, choice: Chosen | None = None) -> Verdict:
        """The verdict on a choice, by default the best: `{"joint2": "size 25", "joint3": ("size 20", "M1")}`."""
        return self._judge(self.robot(choice))

    def why(self, choice: Chosen) -> tuple[VerdictRow, ...]:
        """The rows of the verdict that a choice exceeds, the most utilised first; `row.top()` are the causes."""
        return self.verdict(choice).failing

    def _options(self, choice: Chosen | None) -> tuple[Option, ...]:
        if choice is None:
            if self.best is None:
                raise ModelError(f"no combination holds: {self._nearest}")
            choice = self.best
        if isinstance(choice, Choice):
            return choice.options
        found = []
        for joint, options in zip(self._tree.joints[::-1], self._tree.options[::-1], strict=True):
            if joint not in choice:
                raise ModelError(f"the choice {choice!r} says nothing of joint '{joint}'")
            names = choice[joint]
            wanted = (names,) if isinstance(names, str) else tuple(names)
            option = next((one for one in options if one.names == wanted), None)
            if option is None:
                said = " + ".join(map(str, wanted))
                there = [one.label for one in options]
                raise ModelError(f"at joint '{joint}' there is no {said}{nearest(said, there)}")
            found.append(option)
        return tuple(found)

    # What does not hold

    @cached_property
    def rejections(self) -> Rejections:
        """What was found not to hold, from the tip to the base; by branch and bound first what cannot hold whatever is
        chosen at the other joints. A list: `next(iter(found.rejections))` is its first.
        """
        return Rejections(self._tree)

    @cached_property
    def smaller(self) -> dict[str, Rejection]:
        """Why not less: the best with the next smaller choice at one joint, by the (first) aim, which does not hold; by
        this joint.
        """
        found: dict[str, Rejection] = {}
        if not self.count:
            return found
        for level, aims in reversed(list(enumerate(self._tree.aims))):
            choice = self._nodes.choices[0].tolist()
            less = np.flatnonzero(aims[:, 0] < aims[choice[level], 0])
            if not len(less):
                continue
            choice[level] = int(less[np.argmax(aims[less, 0])])
            fallen = self._tree.first_fallen(choice)
            if fallen is not None:
                whole = replace(fallen, choices=np.array([choice]))
                found[self._tree.joints[level]] = rejection(self._tree, whole, 0)
        return found

    @property
    def _nearest(self) -> str:
        """Of what does not hold, what was nearest to it at the last joint that was reached."""
        last = max(self._tree.fallen, key=lambda one: one.depth, default=None)
        if last is None:
            return "nothing was judged"
        same = [one for one in self._tree.fallen if one.depth == last.depth]
        fallen = min(same, key=lambda one: float(one.used.min()))
        return f"nearest was {rejection(self._tree, fallen, int(np.argmin(fallen.used)))}"

    def table(self) -> Table:
        """What can be chosen at each joint: how often it was judged not to hold there, by what, and how near it was."""
        rows = []
        for level in range(len(self._tree.joints) - 1, -1, -1):
            joint = self._tree.joints[level]
            counts: dict[int, dict[tuple[str, str], int]] = {}
            least: dict[int, float] = {}
            for fallen in self._tree.fallen:
                if fallen.joint != joint:
                    continue
                pairs, times = np.unique(np.stack([fallen.at(level), fallen.which]), axis=1, return_counts=True)
                for (number, which), often in zip(pairs.T.tolist(), times.tolist(), strict=True):
                    of = counts.setdefault(number, {})
                    of[fallen.labels[which]] = of.get(fallen.labels[which], 0) + often
                for number in np.unique(fallen.at(level)).tolist():
                    used = float(fallen.used[fallen.at(level) == number].min())
                    least[number] = min(least.get(number, np.inf), used)
            for number, option in enumerate(self._tree.options[level]):
                of = counts.get(number, {})
                part, check = max(of, key=lambda label: of[label], default=("", ""))
                rows.append([joint, option.label, f"{option.mass:.6g}", f"{sum(of.values()):,}",
                             f"{len(self._unchecked.by_option[level][number])} of "
                             f"{self._unchecked.checks[level][number]}",
                             f"{100 * least[number]:.4g} %" if of else "-", f"{check} of {part}" if of else "-"])
        return Table("What does not hold", ["joint", "parts", "mass (kg)", "rejected", "not checked", "at least",
                                            "mostly by"], rows, left=2, right=1)

    def to_table(self) -> str:
        """The table as text."""
        return "\n".join(map(printable, self.table().text().splitlines()))

    @property
    def _held(self) -> str:
        """How many hold, and what of that is known."""
        count = f"{self.count:,} hold" if self.exhaustive else f"the best {self.count:,} that hold"
        if self.known == self.count:
            return count
        said = self._choice(int(np.argmax(self._lacking > 0))).unchecked
        why = f"{len(said)} check{'s' if len(said) > 1 else ''} not made, as {said[0]}"
        if self.known:
            return f"{count}, {self.count - self.known:,} of them only as far as checked, not known to hold: {why}"
        return f"{count} as far as checked: {why}; not known to hold"

    def __str__(self) -> str:
        lines = [f"{self.combinations:,} combinations, {self.method}: {self._held}"]
        if self.best is None:
            lines.append(f"none holds: {self._nearest}")
        shown = self.front if len(self.aims) > 1 else self.feasible
        lines += [str(choice) for choice in shown[:MOST_LISTED]]
        if len(shown) > MOST_LISTED:
            lines.append(f"and {len(shown) - MOST_LISTED:,} more")
        for joint, smaller in self.smaller.items():
            label = next(option.label for option in smaller.options if option.joint == joint)
            lines.append(f"not {label} at {joint}: {smaller.words}")
        return "\n".join(map(printable, lines))

    def __repr__(self) -> str:
        return printable(f"<sizing of '{self.base.name}': {self.combinations:,} combinations, {self.method}, best: "
                         f"{self.best}>")
