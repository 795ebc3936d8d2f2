"""The proof that all formulations are one: each of them on the same random states, and how far they are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath import html
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.quantity import Compiled, compiled_line
from loadpath.printable import printable
from loadpath.progress import each
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.states.keywords import needs_robot

COMPILED = "compiled"
TOLERANCE = 1e-12


@dataclass(frozen=True, eq=False)
class Verification:
    """Differences of the drive forces by each pair of formulations, relative to the largest drive force.

    `compiled` is the compiled function that `robot.inverse_dynamics` is by default; the others are the formulations as
    they are written, run on NumPy batches.

    >>> import loadpath as lp
    >>> result = lp.verify(lp.catalog.stanford_arm())
    >>> result.agrees, len(result.names)
    (True, 10)
    """

    robot_name: str
    names: tuple[str, ...]
    differences: NDArray[np.float64]
    """(formulations, formulations): largest difference over all states and joints, over `largest`."""
    largest: float
    """Largest drive force (N m or N)."""
    states: int
    refused: Mapping[str, str]
    """Formulations that refuse the robot, with their reason."""

    @property
    def worst(self) -> float:
        """The largest of all differences."""
        return float(self.differences.max(initial=0.0))

    @property
    def agrees(self) -> bool:
        """Whether every pair agrees to 1e-12."""
        return bool(self.worst <= TOLERANCE)

    def __repr__(self) -> str:
        words = "agree" if self.agrees else "do NOT agree"
        return (f"<verification of '{printable(self.robot_name)}': {len(self.names)} formulations {words}, to "
                f"{self.worst:.1e} of {self.largest:.4g} N m or N>")

    def _repr_html_(self) -> str:
        names = [f"{k + 1}: {name}" for k, name in enumerate(self.names)]
        columns = ["", *(str(k + 1) for k in range(len(names)))]
        rows = [[name, *(f"{x:.0e}" if j < i else "" for j, x in enumerate(self.differences[i]))]
                for i, name in enumerate(names)]
        words = "agree to 1e-12" if self.agrees else "do NOT agree to 1e-12"
        notes = [f"{name} refuses: {printable(reason)}" for name, reason in self.refused.items()]
        return html.table(f"{printable(self.robot_name)}: formulations {words}", columns, rows, note="; ".join(notes))

    def __str__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [f"'{printable(self.robot_name)}', {self.states} random states, largest drive force {self.largest:.4g}"]
        lines.append(" " * width + "".join(f"{k + 1:>8}" for k in range(len(self.names))))
        for i, name in enumerate(self.names):
            cells = (f"{self.differences[i, j]:8.0e}" if j < i else f"{'':8}" for j in range(len(self.names)))
            lines.append(f"{name:<{width}}{''.join(cells)}".rstrip() + f"  ({i + 1})")
        lines += [f"{name} refuses: {printable(reason)}" for name, reason in self.refused.items()]
        return "\n".join(lines)


States = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def _states(robot: Any, count: int, seed: int) -> States:
    turns, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, count, robot.n))
    return robot.integrate(robot.neutral(), turns), qd, qdd


def _closed_states(robot: Any, count: int, seed: int) -> States:
    """States of a robot with loops: near its home, where the independent speeds determine the others well."""
    rng = np.random.default_rng(seed)
    names = robot.independent
    steps, qd, qdd = rng.uniform(-1, 1, (3, count, len(names)))
    home = robot.home
    # A third of a unit along the motion of the closed robot, then the loops are closed.
    along = np.einsum("ij,kj->ki", robot.complement(home), steps / 3)
    closed = robot.assemble(near=robot.integrate(home, along), path=False, strict=False)
    q = np.where(closed.reached[:, None], closed.q, home)
    speeds = [{name: part[:, k] for k, name in enumerate(names)} for part in (qd, qdd)]
    completed = robot.complete(q, *speeds)
    return q, *completed


def _others(
    robot: RobotModel, others: Mapping[str, Callable[..., object]] | None, known: Iterable[str]
) -> Mapping[str, Callable[..., object]]:
    """Formulations that are no part of the library."""
    if others is None:
        return {}
    if not isinstance(others, Mapping) or not all(callable(function) for function in others.values()):
        raise ValueError(f"others are {others!r}: expected functions by name, like {{'mine': inverse_dynamics}}")
    if robot.held_by_loops:
        raise ValueError(f"robot '{robot.name}' has loops, and formulations of your own are of trees: take robot.tree")
    for name in others:
        if name in known:
            raise ValueError(f"there is a formulation '{name}' already: give yours another name")
    return others


def verify(
    robot: RobotModel,
    states: int = 20,
    seed: int = 0,
    *,
    others: Mapping[str, Callable[..., object]] | None = None,
) -> Verification:
    """Every formulation of the inverse dynamics on random states of a robot, and the differences of each pair.

    Coordinates are within one radian or metre of the unmoved robot; speeds and accelerations within one unit. Those of
    a robot with loops are states of the closed robot, near its home. `others` are formulations of your own, by name:
    functions of a mechanism, q, qd and qdd as in `loadpath.formulations`.

    >>> import loadpath as lp
    >>> lp.verify(lp.catalog.random_chain(6, seed=1)).worst < 1e-12
    True
    """
    if isinstance(states, bool) or not isinstance(states, (int, np.integer)) or states < 1:
        raise ValueError(f"states is {states!r}: expected a whole number from 1")
    robot = needs_robot(robot, "verify")
    if not robot.n:
        raise ValueError(f"robot '{robot.name}' has no moving joints, so there are no drive forces to compare")
    methods: Any = robot  # with the compiled methods of lp.Robot
    if robot.held_by_loops and not methods.mobility:
        raise ValueError(f"robot '{robot.name}' cannot move, its loops leave no freedom, so there are no drive forces "
                         "to compare")
    q, qd, qdd = _closed_states(methods, states, seed) if robot.held_by_loops else _states(methods, states, seed)
    quantity = compiled_line(robot, "inverse_dynamics")
    found: dict[str, NDArray[np.float64]] = {}
    refused: dict[str, str] = {}
    for name in each(quantity.formulations):
        try:
            result = quantity.uncompiled(robot, Variant(name))(q, qd, qdd)
            found[name] = result[0] if quantity.verdict is not None else result  # without the status
        except (ValueError, ArithmeticError) as problem:
            refused[name] = str(problem)
    for name, function in _others(robot, others, found | refused).items():
        found[name] = Compiled(function, "(q),(n),(n)->(n)", plain, "").uncompiled(robot, Variant(DEFAULT))(q, qd, qdd)
    found[f"{DEFAULT}, {COMPILED}"] = methods.inverse_dynamics(q, qd, qdd)
    tau = np.stack(list(found.values()))
    largest = float(np.abs(tau).max(initial=0.0))
    apart = np.abs(tau[:, None] - tau[None]).max(axis=(-2, -1))
    differences = apart / largest if largest else apart
    return Verification(robot.name, tuple(found), differences, largest, int(states), refused)
