"""The robots of the examples as pictures: each with its loads at the worst instant of the example's own motion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import loadpath as lp
from docs.portraits import portrait, save_small
from loadpath.report.report import Report

Names = dict[str, Any]
ROBOTS: dict[str, tuple[Callable[[Names], Report], dict[str, float]]] = {}
WIDE, HIGH = 360, 240


def of(example: str, **turn: float) -> Callable[[Callable[[Names], Report]], Callable[[Names], Report]]:
    """Enters a report for an example, and how its picture is turned."""

    def enter(make: Callable[[Names], Report]) -> Callable[[Names], Report]:
        ROBOTS[example] = make, turn
        return make

    return enter


def draw(example: str, names: Names, path: Path) -> None:
    """The picture of an example that has run."""
    make, turn = ROBOTS[example]
    save_small(portrait(make(names), WIDE, HIGH, turn, words=False), path)


def _of(robot: Any, motion: Any, **acting: Any) -> Report:
    return robot.report(motion, only=["overview"], interactive=False, **acting)  # type: ignore[no-any-return]


@of("bearing_loads")
def bearing_loads(x: Names) -> Report:
    return _of(x["robot"], lp.Motion(x["t"], x["q"], x["qd"], x["qdd"], robot=x["robot"]))


@of("palletizer")
def palletizer(x: Names) -> Report:
    return _of(x["robot"], x["motion"])


@of("excavator", yaw=-1.2)
def excavator(x: Names) -> Report:
    return _of(x["digger"], x["motion"], external=x["soil"])


@of("stewart_platform")
def stewart_platform(x: Names) -> Report:
    return _of(x["platform"], x["motion"])


@of("swing_of_a_puma", yaw=-0.5)
def swing_of_a_puma(x: Names) -> Report:
    return _of(x["puma"], x["motion"])


@of("slender_arm_in_time")
def slender_arm(x: Names) -> Report:
    return _of(x["arm"], x["soft"])


@of("telescopic_boom", yaw=-1.4, pitch=0.15)
def telescopic_boom(x: Names) -> Report:
    arm = x["crane"](2000.0)
    motion = lp.Motion.through(arm, [[0.0, np.radians(45), 0.0], [0.3, np.radians(30), x["STROKE"]]], times=[0, 20])
    return _of(arm, motion)


@of("lau_rover", yaw=-0.6)
def lau_rover(x: Names) -> Report:
    return _of(x["rover"], x["swing"], velocity=(0.6, 0.0))


@of("cart_that_must_not_tip", yaw=-0.9)
def cart(x: Names) -> Report:
    reach = [[0.0, 0.2, 0.0, -1.6, 0.0, 1.9, 0.8], [0.5, 1.0, 0.0, -0.9, 0.0, 1.9, 0.8]]
    return _of(x["rover"], lp.Motion.through(x["rover"].robot, reach, times=[0, 1]), acceleration=(-1.0, 0.0),
               velocity=(0.5, 0.0))
