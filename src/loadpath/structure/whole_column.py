"""Whether links that are compressed together may buckle as one column, before any of them does by itself.

`buckling_safety` takes each beam alone, clamped at its joint. Links in line, or a link on a compliant joint, buckle
earlier. Here is an estimate on the safe side, to ask about it: the compressed beams of a chain as one column, clamped
at the first and free at the end, and by Southwell's sum of reciprocals on the compliance of its joints. Whether the
arm holds is for `deflection(iterate=True)`, in its `stable`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import warn
from loadpath.scalars.types import Floats, Ints
from loadpath.states import place_of, state_words
from loadpath.structure.beams.placement import joint_of

if TYPE_CHECKING:
    from loadpath.api.flexible import FlexibleRobot
    from loadpath.structure.stress import Sections

ENOUGH = 3.0
"""Estimated safety of the whole column from which on there is no question."""


@dataclass(frozen=True)
class Chain:
    """Beams from the base to an end, by their numbers in `arm.beams`."""

    beams: Ints
    lengths: Floats
    """m."""
    factors: Floats
    """Of their buckling lengths."""
    compliance: float
    """rad/(N m) of the joints that carry them."""


class WholeColumns:
    """The chains of beams of an arm, and the least safety of any of them in the states seen so far."""

    def __init__(self, arm: FlexibleRobot) -> None:
        self.arm, self.chains = arm, _chains(arm)
        self.least = self.alone = float("inf")
        self.state: tuple[int, ...] = ()
        self.together: tuple[str, ...] = ()
        self.soft = False

    def look(self, euler: Floats, compression: Floats, sections: Sections, batch: tuple[int, ...], first: int) -> None:
        """Take states (s, sections) into account, the first of which has this number in a batch of that shape."""
        if not self.chains or not len(euler):
            return
        beams = np.array(sections.beams)
        each = [np.flatnonzero(beams == k) for k in range(len(self.arm.beams))]
        own = np.stack([euler[:, rows].min(axis=-1) for rows in each], axis=-1)
        pressed = np.stack([compression[:, rows].max(axis=-1) for rows in each], axis=-1)
        for chain in self.chains:
            self._look(chain, own[:, chain.beams], np.maximum(pressed[:, chain.beams], 0.0), batch, first)

    def _look(self, chain: Chain, own: Floats, pressed: Floats, batch: tuple[int, ...], first: int) -> None:
        compressed = pressed > 0
        length = compressed @ chain.lengths
        with np.errstate(divide="ignore", invalid="ignore"):
            share = chain.factors * chain.lengths / (2.0 * length[:, None])
            whole = np.where(compressed, own * np.minimum(share, 1.0) ** 2, np.inf).min(axis=-1)
            together = 1.0 / (1.0 / whole + pressed.max(axis=-1) * length * chain.compliance)
        several = (compressed.sum(axis=-1) > 1) | (chain.compliance > 0)
        together = np.where(several & np.isfinite(together), together, np.inf)
        k = int(together.argmin())
        if together[k] < self.least:
            self.least, self.state, self.alone = float(together[k]), place_of(first + k, batch), float(own[k].min())
            self.soft = chain.compliance > 0
            self.together = tuple(dict.fromkeys(self.arm.beams[b][0] for b in chain.beams[compressed[k]]))

    def ask(self) -> None:
        """One warning where the whole may hold less than its parts."""
        if not self.least < ENOUGH:
            return
        names = ", ".join(f"'{name}'" for name in self.together)
        springs, several = " on compliant joints" if self.soft else "", len(self.together) > 1
        warn(f"arm '{self.arm.name}': buckling is looked at link by link, each clamped at its joint. Compressed"
             f"{' together' if several else ''}{state_words(self.state)}, {names} may buckle as one column{springs} at "
             f"about {self.least:.2g} times the load, where {'the weakest alone' if several else 'clamped it'} holds "
             f"{self.alone:.3g} times: deflection(..., iterate=True).stable says whether the whole arm holds"
             )  # fmt: skip


@lru_cache(maxsize=64)
def _chains(arm: FlexibleRobot) -> tuple[Chain, ...]:
    """Chains of two beams or more, or of beams on compliant joints; those that are part of another are left out."""
    compliances = {name: float(np.linalg.eigvalsh(given.matrix(arm.joint(name))[3:, 3:])[-1])
                   for name, given in arm.joint_compliances}  # fmt: skip
    placed = arm.placed_beams
    found: dict[tuple[int, ...], float] = {}
    for number, beam in enumerate(placed):
        links, soft, link = [], 0.0, beam.link
        while True:
            links.append(link)
            joint = joint_of(arm, link)
            if joint is None:
                break
            soft += compliances.get(joint.name, 0.0)
            link = joint.parent
        before = [k for k, other in enumerate(placed) if other.link in links[1:]]
        found[*before, number] = soft
    longest = [chain for chain in found if not any(set(chain) < set(other) for other in found)]
    return tuple(
        Chain(np.array(chain), np.array([placed[k].length for k in chain]),
              np.array([placed[k].beam.length_factor for k in chain]), found[chain])
        for chain in longest if len(chain) > 1 or found[chain] > 0
    )  # fmt: skip
