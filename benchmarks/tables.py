"""The tables that `python -m benchmarks` prints, by name. A table is a function from `quick` to rows."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks import (
    agreement,
    buckling,
    closed_chains,
    compiling,
    families,
    fastest,
    flexible_arms,
    flexible_vs_fe,
    forward_dynamics,
    humanoids,
    installing,
    inverse_dynamics,
    loads,
    operations,
    page,
    response,
    simulation,
    starting,
    studies,
    symbols,
    verdict,
    viewer,
    webassembly,
    wheel_loads,
    worst_case,
)
from benchmarks.report import Row

ALL: dict[str, tuple[str, Callable[[bool], list[Row]]]] = {
    "inverse_dynamics": ("Inverse dynamics against Pinocchio, one thread", inverse_dynamics.rows),
    "forward_dynamics": ("Forward dynamics, matrices and derivatives, one thread", forward_dynamics.rows),
    "humanoids": ("Derivatives and regressors of humanoids, one thread", humanoids.rows),
    "closed_chains": ("Closed chains against Pinocchio, the open tree and the clock, one thread", closed_chains.rows),
    "loads": ("Joint wrenches and their breakdown by cause, one core", loads.rows),
    "verdict": ("From a log to a verdict on all parts, one core", verdict.rows),
    "wheel_loads": ("Wheel loads of a million arm states, one thread", wheel_loads.rows),
    "simulation": ("Simulated time against computing time, one thread", simulation.rows),
    "flexible_arms": ("Flexible arms: deflection, stress, buckling, one thread", flexible_arms.rows),
    "flexible_vs_fe": ("Flexible arms against frame finite elements, one thread", flexible_vs_fe.rows),
    "buckling": ("Buckling and loaded frequencies against frame finite elements, one thread", buckling.rows),
    "response": ("Vibration in time against Newmark's rule on frame finite elements, one thread", response.rows),
    "viewer": ("The viewer: states shown a second, one thread", viewer.rows),
    "starting": ("Imports and the command line against importing NumPy", starting.rows),
    "installing": ("What an installation weighs", installing.rows),
    "compiling": ("First calls and compile times", compiling.rows),
    "families": ("Families: numbers of the robot as arguments, one thread", families.rows),
    "studies": ("Studies of many designs, two cores", studies.rows),
    "worst_case": ("Worst cases over boxes of states, 5 s of the processor each", worst_case.rows),
    "fastest": ("Fastest motions on random paths, one thread", fastest.rows),
    "symbols": ("Equations in symbols", symbols.rows),
    "wasm": ("Quantities in a page, in Chromium on one core", webassembly.rows),
    "page": ("The report answers: a change of its controls, 1,000 samples of a Panda, in Chromium", page.rows),
    "operations": ("Operations of inverse dynamics", operations.rows),
    "agreement": ("Agreement with Pinocchio on the URDFs of example-robot-data", agreement.rows),
}
