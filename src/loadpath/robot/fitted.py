"""What is fitted to the joints of a robot: bearings, gears, motors, bolts. Equations depend on them only through what
they know of the drive train.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from loadpath.errors import ModelError

if TYPE_CHECKING:
    from loadpath.robot.drive_train.drive import Drive


class Fitted:
    """A part at a joint or loop. A robot only keeps it; what it must carry is examined in `loadpath.parts`."""

    def drive_data(self) -> Mapping[str, float]:
        """What it knows of the drive train of its joint, by the fields of `lp.Drive`: a gear its ratio."""
        ratio = getattr(self, "drive_ratio", getattr(self, "ratio", None))
        return {} if ratio is None else {"ratio": float(ratio)}

    def with_drive_data(self, drive: Drive) -> Self:
        """The part with what only the drive train of its joint knows of it."""
        return self


def check_parts(robot: str, given: object) -> None:
    """Refuse what is not a row of pairs of a name and a part. Whether the joint is there is asked where parts are
    fitted and where they are examined: a robot may be cut open in between, as closed chains are for their equations.
    """
    if not isinstance(given, tuple) or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in given):
        raise ModelError(f"robot '{robot}': parts are {given!r}, expected pairs of a joint's name and a part; "
                         "robot.with_parts({'joint1': [...]}) makes them")
    for joint, part in given:
        if not isinstance(part, Fitted):
            raise ModelError(f"joint '{joint}' of robot '{robot}': {part!r} is no part; parts are made like "
                             "lp.CrossedRollerBearing(...)")
