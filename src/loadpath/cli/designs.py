"""The motion of what a user names, and the one verdict on it that all commands show: over the motion that is asked for,
else that of its project file, else a swing.
"""

from __future__ import annotations

from typing import Any

import loadpath as lp
from loadpath.cli.motions import motion as motion_of
from loadpath.cli.options import SWING, LogOptions, MotionAsked
from loadpath.cli.robots import Named
from loadpath.mobile.motions import BaseState
from loadpath.parts.verdict.result import Verdict
from loadpath.progress import Report

SAMPLES = 2001


def duty_for(one: Named, asked: MotionAsked) -> lp.Motion | lp.DutySpectrum | None:
    """The motion that is asked for, its log read as the user says; else that of the project file, which may be a
    spectrum, else a swing. None of a base without robots, which needs none.
    """
    own = None if one.cell is None else one.cell.motion
    if asked.motion is None and asked.duration is None and own is not None:
        if asked.log != LogOptions():
            raise ValueError("--degrees, --columns, --smooth and --cutoff are of --motion; those of a project file are "
                             "keys of its [motion]")  # fmt: skip
        return own
    if not one.robot.n and asked.motion is None:
        return None
    return motion_of(one.robot, asked, SAMPLES)


def motion_for(one: Named, asked: MotionAsked) -> lp.Motion:
    """The same where one motion is needed."""
    duty = duty_for(one, asked)
    if isinstance(duty, lp.DutySpectrum):
        raise ValueError("a project file with several cycles has no single motion to show: give --motion")
    return motion_of(one.robot, asked, SAMPLES) if duty is None else duty


def verdict_on(
    one: Named,
    states: Any,
    *,
    hours: float | None = None,
    base: BaseState | None = None,
    progress: bool | Report = False,
) -> Verdict:
    """Does everything hold of what a user names: of a rover the rover, on its moving base; with the life that is asked
    for, else that of the project file.
    """
    hours = one.hours if hours is None else hours
    if one.rover is not None:
        return one.rover.verdict(states, hours=hours, progress=progress, **(one.base_state if base is None else base))
    return one.robot.verdict(states, hours=hours, external=one.external, progress=progress)


def motion_words(one: Named, asked: MotionAsked) -> str:
    """Where the motion comes from, in a few words."""
    if asked.motion is None and asked.duration is None and one.cell is not None and one.cell.motion is not None:
        return f"the motion of {one.cell.path}"
    swings = asked.motion in (None, SWING)
    return "a swing from rest to rest within the limits" if swings else f"the motion of {asked.motion}"
