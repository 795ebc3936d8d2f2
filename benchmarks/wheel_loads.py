"""How long wheel loads and margins of a million arm states take, one thread; as users call them, without `out=`.

Ratios are against the wrench of the ground alone, without which no wheel load can be known.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

import loadpath as lp
from benchmarks.report import Row
from benchmarks.timing import best_times

MILLION = 1_000_000
FRICTION = lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01)


def four_wheels() -> lp.Rover:
    """A Panda on four fixed wheels."""
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.25, -0.25)]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=FRICTION)
    return base.carrying(lp.catalog.panda(), at=(0, 0, 0.4))


def trailing_casters() -> lp.Rover:
    """A Panda on the base of docs/mobile.md."""
    wheels = [
        *(lp.FixedWheel((0.0, y), 0.1) for y in (0.3, -0.3)),
        *(lp.CasterWheel((x, 0.0), 0.05, trail=0.03) for x in (0.4, -0.4)),
    ]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=FRICTION)
    return base.carrying(lp.catalog.panda(), at=(0.1, 0, 0.4))


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    return [
        *_rows("Panda on four wheels", four_wheels(), quick, loads=8.0),
        *_rows("Panda on trailing casters", trailing_casters(), quick, loads=12.0, force_angle=15.0),
        *_rows("three-wheeler of the thesis", lp.catalog.lau_rover(), quick),
        *([] if quick else [_memory()]),
    ]


def _states(rover: lp.Rover, count: int) -> tuple[tuple[np.ndarray, ...], dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    state = rng.uniform(-1, 1, (count, rover.nq)), *rng.normal(size=(2, count, rover.n))
    return state, {"velocity": 0.3 * rng.normal(size=(count, 2)), "acceleration": 0.5 * rng.normal(size=(count, 2))}


def _rows(
    name: str, rover: lp.Rover, quick: bool, loads: float | None = None, force_angle: float | None = None
) -> list[Row]:
    count = 50_000 if quick else MILLION
    state, motion = _states(rover, count)
    times = best_times(
        {
            "ground wrench": lambda: rover.ground_wrench(*state),
            "ground wrench, the base moving": lambda: rover.ground_wrench(*state, **motion),
            "wheel loads": lambda: rover.wheel_loads(*state),
            "wheel loads, the base moving": lambda: rover.wheel_loads(*state, **motion),
            "margins, the base moving": lambda: rover.stability(*state, **motion).margin,
            "force-angle measure, the base moving": lambda: rover.stability(*state, **motion).force_angle,
            "slip, the base moving": lambda: rover.slip(*state, **motion).ratio,
        },
        repetitions=2 if quick else 3,
    )
    limits = {"wheel loads, the base moving": loads, "force-angle measure, the base moving": force_angle}
    least = times["ground wrench"]
    return [
        Row(f"{name}: {what}", seconds / least, "ground wrenches", at_most=limits.get(what),
            remark=f"{1e9 * seconds / count:.0f} ns a state")
        for what, seconds in times.items()
    ]


_MEASURED = """
from benchmarks.memory import begin_anew, peak_bytes
from benchmarks.wheel_loads import MILLION, _states, trailing_casters
rover = trailing_casters()
few, moving = _states(rover, 30_000)
rover.wheel_loads(*few, **moving), rover.stability(*few, **moving).force_angle
state, motion = _states(rover, MILLION)
begin_anew()
before = peak_bytes()
loads, stability = rover.wheel_loads(*state, **motion), rover.stability(*state, **motion)
angle = stability.force_angle
results = [loads.normal, loads.longitudinal, loads.lateral, loads.drive_torque, loads.unsupplied, loads.tips_over,
           stability.zero_moment_point, stability.margin, stability.tips_over, stability.edge_moments, angle]
taken = peak_bytes() - before
print((taken - sum(part.nbytes for part in results)) / 1e9)
"""


def _memory() -> Row:
    """Peak memory of a million states beyond inputs and results, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", _MEASURED], capture_output=True, text=True, check=True)
    return Row("memory of a million wheel loads and margins, beyond inputs and results", float(done.stdout), "GB",
               at_most=0.5)
