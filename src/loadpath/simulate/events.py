"""What happens in a simulation, and when: what contacts and joints begin to do, dead points that are passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from loadpath.printable import printable

EventKind = Literal[
    "slips", "sticks", "rolls", "stops", "lifts", "lands", "impacts", "rocks", "tips", "tips over", "joint moves",
    "joint stops", "brake slips", "brake holds", "crosses",
]


@dataclass(frozen=True)
class RoverEvent:
    """Something that changed.

    `kind`: "slips" (a contact begins to slide, or a wheel to spin), "sticks" (it grips again), "rolls" (a wheel begins
    to roll, or turns round), "stops" (its rolling resistance holds it), "lifts", "lands", "impacts" (hits the ground),
    "rocks" (the base begins to turn over the edge between the contacts in `part`, and is a free body from there on),
    "tips over" (it falls), "tips" (begins to turn over the edge, and nothing further is computed), "joint moves",
    "joint stops" (Coulomb friction lets go, holds), "brake slips", "brake holds" (of a wheel that has one), "crosses"
    (a contact, the border of a patch of friction).

    >>> import loadpath as lp
    >>> str(lp.RoverEvent(0.5, "lifts", "wheel1", "its load fell to zero"))
    '0.5000 s: wheel1 lifts: its load fell to zero'
    """

    time: float
    """s."""
    kind: EventKind
    part: str
    """Name of the contact, of the edge's two contacts, or of the degree of freedom."""
    cause: str
    """Why, with numbers."""
    impulse: float | None = None
    """N s, along the ground's normal: of what hits the ground."""

    def __str__(self) -> str:
        return printable(f"{self.time:.4f} s: {self.part} {self.kind}: {self.cause}")


class DeadPoint(NamedTuple):
    """A moment at which the geometry lets a joint stand although the mechanism moves, or drives hold it no more.

    >>> import loadpath as lp
    >>> str(lp.DeadPoint(0.25, ("crank_joint",), driven=True))
    "drive 'crank_joint' at 0.25 s"
    """

    time: float
    """s."""
    joints: tuple[str, ...]
    """Names of the speeds that are dead: one, or all drives of a mechanism with several freedoms together."""
    driven: bool
    """Whether the drives are dead: with all of them locked the mechanism can move, and no torque of theirs holds it."""

    def __str__(self) -> str:
        what = "drive" if self.driven else "joint"
        return f"{what} {', '.join(repr(name) for name in self.joints)} at {self.time:.6g} s"
