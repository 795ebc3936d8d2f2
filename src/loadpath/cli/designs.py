"""The motion of what a user names: the one that is asked for, else that of its project file, else a swing."""

from __future__ import annotations

import loadpath as lp
from loadpath.cli.motions import LogOptions
from loadpath.cli.motions import motion as motion_of
from loadpath.cli.options import SWING
from loadpath.cli.robots import Named

SAMPLES = 2001


def motion_for(one: Named, motion: str | None, duration: float | None, log: LogOptions | None = None) -> lp.Motion:
    """The motion that is asked for, its log read as the user says; else that of the project file, else a swing."""
    own = None if one.cell is None else one.cell.motion
    if motion is None and duration is None and own is not None:
        if not isinstance(own, lp.Motion):
            raise ValueError("a project file with several cycles has no single motion to show: give --motion")
        if log is not None and log != LogOptions():
            raise ValueError("--degrees, --columns, --smooth and --cutoff are of --motion; those of a project file are "
                             "keys of its [motion]")  # fmt: skip
        return own
    return motion_of(one.robot, SWING if motion is None else motion, SAMPLES, duration, log)


def motion_words(one: Named, motion: str | None, duration: float | None) -> str:
    """Where the motion comes from, in a few words."""
    if motion is None and duration is None and one.cell is not None and one.cell.motion is not None:
        return f"the motion of {one.cell.path}"
    return "a swing from rest to rest within the limits" if motion in (None, SWING) else f"the motion of {motion}"
