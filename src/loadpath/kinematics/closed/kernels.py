"""The compiled functions of the kinematics of closed chains."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from loadpath.algorithms.loops import closing_steps as equations
from loadpath.algorithms.loops import constraint_rate, driven
from loadpath.engine.arguments import Variant
from loadpath.engine.method import CompiledMethod
from loadpath.engine.quantity import Compiled
from loadpath.kinematics.closed.determinants import block_determinants
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.mechanism import plain

NAME = "assemble"


def _counts(robot: Any, variant: Variant) -> dict[str, int]:
    """How many links take poses, and how many blocks there are."""
    chosen: dict[str, Any] = dict(variant.choices)
    return {"t": len(chosen.get("links", ())), "b": len(chosen.get("blocks", ()))}


class _Kernels:
    assembly_step = Compiled(
        equations.assembly_step,
        "(q),(n),()->(q),()",
        plain,
        "One step towards a closed configuration.",
        choices={"limits": True, "size": 1.0},
        public_name=NAME,
    )
    posing_step = Compiled(
        equations.posing_step,
        "(q),(n),(),(t,4,4),(t,6)->(q),()",
        plain,
        "One step towards a closed configuration with links at given poses.",
        choices={"links": (), "limits": True, "size": 1.0},
        sizes=_counts,
        public_name=NAME,
    )
    pose_errors = Compiled(
        equations.pose_errors,
        "(q),(t,4,4),(t,6)->(t,2)",
        plain,
        "How far links are from given poses.",
        choices={"links": ()},
        sizes=_counts,
        public_name=NAME,
    )
    block_determinants = Compiled(
        block_determinants,
        "(q)->(b)",
        plain,
        "Determinants whose signs are the label of an assembly mode.",
        choices={"blocks": (), "links": ()},
        sizes=_counts,
        public_name=NAME,
    )
    completion = Compiled(
        equations.completion_and_pivot,
        "(q),(f),(f)->(n),(n),()",
        plain,
        "All speeds and accelerations.",
        public_name="complete",
    )
    complement = Compiled(
        lambda mechanism, q: driven.natural_complement(mechanism, q)[0],
        "(q)->(n,f)",
        plain,
        "All speeds per unit of each independent one.",
        public_name="complete",
    )
    constraint_rate = Compiled(
        constraint_rate, "(q),(n)->(m)", plain, "Rates of the rows, times the speeds.", public_name="complete"
    )


@lru_cache(maxsize=256)
def compiled(
    robot: ClosedQuantities, name: str, choices: tuple[tuple[str, Hashable], ...] = ()
) -> Callable[..., Any]:
    """One of the functions for a robot."""
    quantity: Compiled = getattr(_Kernels, name)
    variant = Variant(choices=quantity.chosen(dict(choices)))
    return CompiledMethod(robot, quantity).compiled(variant)
