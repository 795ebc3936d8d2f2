"""How large a motion may be, read or made: a file that somebody else made must not fill the memory."""

from __future__ import annotations

from typing import TypeAlias

from loadpath.scalars.types import Floats

Parts: TypeAlias = tuple[Floats, Floats, Floats | None, Floats | None]
"""t, q, and qd and qdd where they are there."""

MOST_NUMBERS = 2**28
"""Numbers of a motion: 2 GiB. Seven joints with speeds and accelerations at 1 kHz fill it in three hours."""
MOST_NAMES = 2**20
"""Characters of all names of an archive together."""


def check_samples(count: float, width: int, what: str) -> None:
    """Refuse so many samples of so many numbers, before they are made.

    >>> check_samples(1e12, 7, "rate is 1e+12")
    Traceback (most recent call last):
    ValueError: rate is 1e+12: 1e+12 samples of 7 numbers are more than 268,435,456 numbers (2 GiB): take fewer
    """
    if count * width > MOST_NUMBERS:
        raise ValueError(f"{what}: {count:.6g} samples of {width} numbers are more than {MOST_NUMBERS:,} numbers "
                         "(2 GiB): take fewer")


def too_many_numbers(path: object) -> ValueError:
    return ValueError(f"{path}: there are more than {MOST_NUMBERS:,} numbers (2 GiB): split the motion, or take fewer "
                      "samples a second")
