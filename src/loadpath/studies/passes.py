"""Quantities of many designs over many states, block by block: pairs of a design and a state go through the kernels of
a family, so many at a time that their results stay in the processor's cache, and are reduced there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from loadpath.engine.arguments import Variant
from loadpath.engine.quantity import compiled_line, quantities_of
from loadpath.loads.resultants import OF_DRIVES, RESULTANTS, axes_of
from loadpath.quantities.wrench import COMPONENTS
from loadpath.scalars.types import Floats
from loadpath.studies.answers import WRENCHES, Answer, Reducing, reducing, split_name
from loadpath.studies.checks import BlockChecks
from loadpath.studies.signals import Case, Signals

PAIRS = 4096
"""Of a design and a state that are computed at once."""
PIECE = 1 << 18
"""States of one design that a thread takes."""


class Column:
    """How an answer is computed of signals: (designs, states) or (designs, states, entries)."""

    def __init__(self, answer: Answer, robot: Any) -> None:
        self.answer = answer
        assert isinstance(answer.quantity, str)
        joint, last = split_name(answer.quantity)
        self.last = last
        self.compiled = ""
        self.dims: tuple[tuple[str, tuple[str, ...]], ...] = ()
        """Names and labels of the axes of its entries."""
        if answer.quantity == WRENCHES:
            self.dims = (("joint", robot.closed_joint_names), ("component", COMPONENTS))
            self.places: list[int] = []
            return
        if not joint:
            self.compiled = last
            self.places = []
            return
        names = robot.dof_names if last in OF_DRIVES else robot.closed_joint_names
        if joint == "*":
            axes = axes_of(robot)
            needs_axis = last in RESULTANTS and last not in ("force", "torque")
            self.places = [k for k in range(len(names)) if not (needs_axis and np.isnan(axes[k]).any())]
            self.dims = (("drive" if last in OF_DRIVES else "joint", tuple(names[k] for k in self.places)),)
        else:
            self.places = [list(names).index(joint)]

    def values(self, signals: Signals) -> Floats:
        """Of a block."""
        if self.answer.quantity == WRENCHES:
            force, torque = signals.wrenches
            both = np.stack([force, torque], axis=-2)  # joints, force or torque, axis
            return signals.wide(both.reshape(*both.shape[:2], -1))
        if self.compiled:
            inputs = {"q": signals.q, "qd": signals.qd, "qdd": signals.qdd}
            arrays = [inputs[name] for name in _inputs_of(signals.robot, self.compiled)]
            found = np.asarray(signals.asked(self.compiled, *arrays))
            wide = np.broadcast_to(found, (*signals.shape, *found.shape[2:]))
            return wide.reshape(*signals.shape, -1) if wide.ndim > 2 else wide
        of = signals.of_drive if self.last in OF_DRIVES else signals.of_joint
        columns = [of(k, self.last) for k in self.places]
        return columns[0] if not self.dims else np.stack(columns, axis=-1)


def _inputs_of(robot: Any, name: str) -> list[str]:
    inputs, _ = compiled_line(robot, name).operands(robot, Variant())
    return [operand.name for operand in inputs]


def takes_states(robot: Any, name: str) -> bool:
    """Whether a name is a compiled quantity of q, qd and qdd alone, with one result."""
    if name not in quantities_of(robot):
        return False
    try:
        inputs, outputs = compiled_line(robot, name).operands(robot, Variant())
    except (ValueError, TypeError, KeyError):
        return False
    return len(outputs) == 1 and all(operand.name in ("q", "qd", "qdd") for operand in inputs)


def run(
    case: Case, columns: Mapping[str, Column], checks: BlockChecks | None = None, pool: Executor | None = None
) -> dict[str, Floats]:
    """All answers of all designs, (designs, entries...) each, those of the checks among them."""
    found: dict[str, list[Floats]] = {name: [] for name in columns}
    checked: list[dict[str, Floats]] = []
    count = case.states.count
    per_block = max(1, PAIRS // count)
    for first in range(0, case.designs, per_block):
        designs = slice(first, min(first + per_block, case.designs))
        if checks is not None or count <= PAIRS:
            parts = [_piece(case, columns, designs, slice(0, count), count, checks, checked)]
        else:
            pieces = [slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE)]
            if pool is not None and len(pieces) > 1:
                parts = list(pool.map(lambda piece, of=designs: _piece(case, columns, of, piece, PAIRS), pieces))
            else:
                parts = [_piece(case, columns, designs, piece, PAIRS) for piece in pieces]
        for name in columns:
            whole = parts[0][name]
            for part in parts[1:]:
                for mine, later in zip(whole, part[name], strict=True):
                    mine.join(later)
            results = [one.result() for one in whole]
            found[name].append(results[0] if len(results) == 1 else np.stack(results, axis=1))
    result = {name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in found.items()}
    if checks is not None:
        for name in checked[0] if checked else ():
            result[name] = np.concatenate([one[name] for one in checked])
    return result


def _piece(
    case: Case, columns: Mapping[str, Column], designs: slice, piece: slice, size: int,
    checks: BlockChecks | None = None, checked: list[dict[str, Floats]] | None = None,
) -> dict[str, Sequence[Reducing]]:
    """What the states of a piece add, block by block."""
    into: dict[str, list[Reducing]] = {}
    count = designs.stop - designs.start
    for first in range(piece.start, piece.stop, size):
        states = slice(first, min(first + size, piece.stop))
        signals = Signals(case, designs, states)
        weights = case.states.weights_of(states)
        for name, column in columns.items():
            values = column.values(signals)
            how = column.answer.reduce
            together = values.ndim == 2 or how in ("peak", "max", "min", "mean", "mean_magnitude", "rms", "cubic_mean")
            if name not in into:
                shape = (count,) if together else ()
                into[name] = [reducing(how, count) for _ in range(1 if shape else values.shape[2])]
            if together:
                into[name][0].add(values, weights, first)
            else:
                for k, one in enumerate(into[name]):
                    one.add(values[..., k], weights, first)
        if checks is not None and checked is not None:
            checked.append(checks.of(signals, weights))
    return into  # type: ignore[return-value]
