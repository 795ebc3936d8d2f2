"""How long wheel loads and margins of a million arm states take, one thread."""

from __future__ import annotations

import numpy as np

import loadpath as lp
from benchmarks.report import Row
from benchmarks.timing import best_times

MILLION = 1_000_000


def rows(quick: bool) -> list[Row]:
    """The rows of the table."""
    wheels = [lp.FixedWheel((x, y), 0.1) for x in (0.3, -0.3) for y in (0.25, -0.25)]
    four = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([2.0, 3.0, 4.0]), wheels=wheels,
                          friction=lp.WheelFriction(sliding=0.6, static=0.8, rolling=0.01))  # fmt: skip
    return [
        *_rows("Panda on four wheels", four.carrying(lp.catalog.panda(), at=(0, 0, 0.4)), quick),
        *_rows("three-wheeler of the thesis", lp.catalog.lau_rover(), quick),
    ]


def _rows(name: str, rover: lp.Rover, quick: bool) -> list[Row]:
    count = 20_000 if quick else MILLION
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (count, rover.nq)), *rng.normal(size=(2, count, rover.n))
    motion = {"velocity": 0.3 * rng.normal(size=(count, 2)), "acceleration": 0.5 * rng.normal(size=(count, 2))}
    times = best_times(
        {
            "wheel loads and margins": lambda: (rover.wheel_loads(q, qd, qdd), rover.stability(q, qd, qdd).margin),
            "the same, the base moving": lambda: (
                rover.wheel_loads(q, qd, qdd, **motion),
                rover.stability(q, qd, qdd, **motion).margin,
            ),
            "force-angle measure": lambda: rover.stability(q, qd, qdd).force_angle,
        },
        repetitions=1 if quick else 3,
    )
    scale = MILLION / count
    limit = {"wheel loads and margins": 3.0, "the same, the base moving": 3.0}
    return [
        Row(f"{name}: {what}, a million states", seconds * scale, "s", at_most=limit.get(what))
        for what, seconds in times.items()
    ]
