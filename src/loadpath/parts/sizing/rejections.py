"""What of a sizing does not hold, as a list that is made where it is read."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import overload

from loadpath.parts.sizing.options import Option
from loadpath.parts.sizing.search import Fallen, Tree
from loadpath.printable import printable

MOST_SHOWN = 10


@dataclass(frozen=True)
class Rejection:
    """What does not hold: choices at some joints, and with them every combination that has them.

    What it says is the check that is exceeded most at the first joint, from the tip, at which one is.

    >>> import loadpath as lp
    >>> gears = lp.parts.table([lp.StrainWaveGear(ratio=100, peak_torque=3, name="size 11")], mass=[0.1])
    >>> arm = lp.catalog.planar(1)
    >>> arm.size(lp.Motion.swing(arm), {"joint1": gears}).rejections[0]
    <joint1 size 11: repeated peak torque of size 11 at joint1 is used to 220.3 %>
    """

    options: tuple[Option, ...]
    joint: str
    part: str
    check: str
    utilisation: float
    combinations: int
    """How many have these choices."""
    at_least: bool = False
    """Whether it is used to more with any choice at the other joints: then `utilisation` is what it uses at least."""

    @property
    def words(self) -> str:
        """What is exceeded."""
        least = "at least " if self.at_least else ""
        return f"{self.check} of {self.part} at {self.joint} is used to {least}{100 * self.utilisation:.4g} %"

    def __str__(self) -> str:
        return f"{', '.join(f'{option.joint} {option.label}' for option in self.options)}: {self.words}"

    def __repr__(self) -> str:
        return printable(f"<{self}>")


class Rejections(Sequence[Rejection]):
    """What was found not to hold, from the tip to the base; `print` shows the first."""

    def __init__(self, tree: Tree) -> None:
        self._tree, self._fallen = tree, tuple(tree.fallen)
        self._ends = list(accumulate(len(fallen.used) for fallen in self._fallen))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, key: int) -> Rejection: ...
    @overload
    def __getitem__(self, key: slice) -> list[Rejection]: ...
    def __getitem__(self, key: int | slice) -> Rejection | list[Rejection]:
        places = range(len(self))[key]
        if isinstance(places, range):
            return [self[k] for k in places]
        number = bisect_right(self._ends, places)
        first = self._ends[number - 1] if number else 0
        return rejection(self._tree, self._fallen[number], places - first)

    def __iter__(self) -> Iterator[Rejection]:
        for fallen in self._fallen:
            for k in range(len(fallen.used)):
                yield rejection(self._tree, fallen, k)

    def __str__(self) -> str:
        lines = [str(one) for one in self[:MOST_SHOWN]] or ["nothing was rejected"]
        more = [f"and {len(self) - MOST_SHOWN:,} more"] if len(self) > MOST_SHOWN else []
        return "\n".join(map(printable, lines + more))

    def __repr__(self) -> str:
        return f"<{len(self):,} rejections>\n{self}"


def rejection(tree: Tree, fallen: Fallen, k: int) -> Rejection:
    """One of those that fell together, with the names of what was chosen."""
    chosen = fallen.choices[k]
    part, check = fallen.labels[fallen.which[k]]
    if fallen.alone is not None:
        several = tree.options[fallen.alone]
        return Rejection((several[int(chosen[0])],), fallen.joint, part, check, float(fallen.used[k]),
                         tree.count // len(several), at_least=True)
    options = tuple(several[number] for several, number in zip(tree.options, chosen, strict=False))[::-1]
    more = 1
    for several in tree.options[len(chosen):]:
        more *= len(several)
    return Rejection(options, fallen.joint, part, check, float(fallen.used[k]), more)
