"""The compiled steps that close a robot's loops, for some coordinates held and some links at given poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.engine.arguments import Variant
from loadpath.engine.program import Operand
from loadpath.engine.quantity import Compiled, CompiledMethod
from loadpath.engine.uncompiled import Uncompiled
from loadpath.kinematics.closed import equations
from loadpath.kinematics.closed.search import ROUNDING, Search
from loadpath.kinematics.closed.subject import ClosedChain, size_of, tree_of, unsplit
from loadpath.robot.closed_mechanism import ClosedMechanism
from loadpath.scalars.types import Floats


def _targets(robot: Any, variant: Variant) -> dict[str, int]:
    return {"t": len(dict(variant.choices)["links"])}  # type: ignore[arg-type]


class _Kernels:
    assembly_step = Compiled(
        equations.assembly_step,
        "(q),(n)->(q),()",
        unsplit,
        "One step towards a closed configuration.",
        choices={"limits": True, "size": 1.0},
        public_name="assemble",
    )
    posing_step = Compiled(
        equations.posing_step,
        "(q),(n),(t,4,4),(t,6)->(q),()",
        unsplit,
        "One step towards a closed configuration with links at given poses.",
        choices={"links": (), "limits": True, "size": 1.0},
        sizes=_targets,
        public_name="assemble",
    )
    pose_errors = Compiled(
        equations.pose_errors,
        "(q),(t,4,4),(t,6)->(t,2)",
        unsplit,
        "How far links are from given poses.",
        choices={"links": ()},
        sizes=_targets,
        public_name="assemble",
    )
    closure = Compiled(
        equations.closure, "(q)->(m)", unsplit, "How far loops are from closed.", public_name="assemble"
    )


@lru_cache(maxsize=128)
def _compiled(robot: Any, kernel: str, choices: tuple[tuple[str, Any], ...]) -> Any:
    quantity: Compiled = getattr(_Kernels, kernel)
    return CompiledMethod(robot, quantity).compiled(Variant(choices=quantity.chosen(dict(choices))))


def residual_kernel(robot: ClosedChain) -> Callable[[Floats], Floats]:
    """(..., rows): what the loops and couplings of configurations are off, compiled."""
    kernel: Callable[[Floats], Floats] = _compiled(robot, "closure", ())
    return kernel


@dataclass
class Targets:
    """Poses that links are to take."""

    links: tuple[str, ...] = ()
    poses: Floats | None = None
    """(rows, links, 4, 4)."""
    weights: Floats | None = None
    """(links, 6)."""


@dataclass
class Closing:
    """Closes the loops of one robot from given starts."""

    robot: ClosedChain
    free: Floats
    """(n,): 1 for speeds whose coordinates may move."""
    targets: Targets
    limits: bool

    def __post_init__(self) -> None:
        size = ("size", size_of(tree_of(self.robot)))
        choices = (("limits", self.limits), size)
        if self.targets.links:
            self._kernel = _compiled(self.robot, "posing_step", (("links", self.targets.links), *choices))
        else:
            self._kernel = _compiled(self.robot, "assembly_step", choices)

    def step(self, q: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """The next q, and how far the present one is off."""
        if not self.targets.links:
            following, error = self._kernel(q, self.free)
        else:
            assert self.targets.poses is not None
            following, error = self._kernel(q, self.free, self.targets.poses[rows], self.targets.weights)
        return following, np.asarray(error)

    def close(self, search: Search, rows: NDArray[np.intp], q: Floats) -> None:
        """Walk rows from q, and look whether those that were hasty have arrived."""
        search.walk(rows, q)
        rows = np.unique(rows)
        _, error = self.step(search.q[rows], rows)
        short = search.look_again(rows, error)
        if len(short):
            search.walk(short, search.q[short], hasty=False)

    def target_errors(self, q: Floats) -> Floats:
        """(rows, links, 2): distance and angle of links from their poses."""
        if not self.targets.links:
            return np.zeros((len(q), 0, 2))
        kernel = _compiled(self.robot, "pose_errors", (("links", self.targets.links),))
        found: Floats = kernel(q, self.targets.poses, self.targets.weights)
        return found


def uncompiled_step(mechanism: ClosedMechanism, size: float, free: Floats, *, limits: bool = True) -> Any:
    """A step for a few rows of a mechanism, on NumPy batches: nothing is compiled."""
    q, n = Operand("q", (mechanism.nq,)), Operand("free", (mechanism.n,))

    def run(q: Any, free: Any) -> Any:
        return equations.assembly_step(mechanism, q, free, limits=limits, size=size)

    function = Uncompiled("assemble", run, [q, n], [q, Operand("error", ())])

    def step(q: Floats, rows: NDArray[np.intp]) -> tuple[Floats, Floats]:
        following, error = function(q, free)
        return following, np.asarray(error)

    return step


__all__ = ["ROUNDING", "Closing", "Targets", "residual_kernel", "uncompiled_step"]
