"""How much is read of a file: a file that somebody else made must not fill the memory."""

from __future__ import annotations

from typing import TypeAlias

from loadpath.scalars.types import Floats

Parts: TypeAlias = tuple[Floats, Floats, Floats | None, Floats | None]
"""t, q, and qd and qdd where they are there."""

MOST_NUMBERS = 2**28
"""Numbers of a motion in a file: 2 GiB. Seven joints with speeds and accelerations at 1 kHz fill it in three hours."""
MOST_NAMES = 2**20
"""Characters of all names of an archive together."""


def too_many_numbers(path: object) -> ValueError:
    return ValueError(f"{path}: there are more than {MOST_NUMBERS:,} numbers (2 GiB): split the motion, or take fewer "
                      "samples a second")  # fmt: skip
