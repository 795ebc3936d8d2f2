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
from loadpath.studies.answers import MARGIN, OF_BLOCKS, ON_WHEELS, WRENCHES, Answer, Reducing, reducing, split_name
from loadpath.studies.rover_checks import Checks
from loadpath.studies.signals import Case, Scratch, Signals
from loadpath.studies.subjects import robots_of

PAIRS, PAIRS_OF_RULES = 12_288, 4096
"""Of a design and a state that are computed at once: a signal of so many is below the 128 KiB from which allocators
fetch fresh memory, of rules, which have signals of three axes, so many.
"""
PIECE = 1 << 18
"""States of one design that a thread takes."""
_TOGETHER = ("peak", "max", "min", "mean", "mean_magnitude", "rms", "cubic_mean")
"""Reductions of all entries of an answer at once."""


class Column:
    """How an answer is computed of signals: (designs, states) or (designs, states, entries)."""

    def __init__(self, answer: Answer, robot: Any) -> None:
        self.answer = answer
        assert isinstance(answer.quantity, str)
        joint, last = split_name(answer.quantity)
        self.last = last
        self.how = OF_BLOCKS.get(answer.quantity, answer.reduce)
        self.compiled = ""
        self.dims: tuple[tuple[str, tuple[str, ...]], ...] = ()
        """Names and labels of the axes of its entries."""
        robots = robots_of(robot)
        if answer.quantity == WRENCHES:
            self.dims = (("joint", robots.closed_joint_names), ("component", COMPONENTS))
            self.places: list[int] = []
            return
        if last in OF_BLOCKS or last == MARGIN:
            self.places = []
            return
        if not joint:
            self.compiled = last
            self.places = []
            return
        if last in ON_WHEELS:
            names = robot.contact_names
            self.places = list(range(len(names))) if joint == "*" else [names.index(joint)]
            self.dims = (("wheel", names),) if joint == "*" else ()
            return
        names = robots.dof_names if last in OF_DRIVES else robots.closed_joint_names
        if joint == "*":
            axes = axes_of(robots)
            needs_axis = last in RESULTANTS and last not in ("force", "torque")
            self.places = [k for k in range(len(names)) if not (needs_axis and np.isnan(axes[k]).any())]
            self.dims = (("drive" if last in OF_DRIVES else "joint", tuple(names[k] for k in self.places)),)
        else:
            self.places = [list(names).index(joint)]

    def values(self, signals: Signals) -> list[Floats]:
        """Of a block: pieces of the entries, in the order in which `joined` has them."""
        if self.answer.quantity == WRENCHES:
            return [signals.wide(part.reshape(*part.shape[:2], -1)) for part in signals.wrenches]
        return [self._values(signals)]

    def joined(self, results: Sequence[Floats]) -> Floats:
        """(designs, entries...) of results of pieces."""
        if self.answer.quantity != WRENCHES:
            return results[0] if len(results) == 1 else np.stack(results, axis=1)
        half = len(results) // 2
        parts = [results[k] if half == 1 else np.stack(results[k: k + half], axis=1) for k in (0, half)]
        both = np.stack([part.reshape(len(part), -1, 3, *part.shape[2:]) for part in parts], axis=2)
        return both.reshape(len(both), -1, *both.shape[4:])  # joints, force or torque, axis

    def _values(self, signals: Signals) -> Floats:
        if self.compiled:
            inputs = {"q": signals.q, "qd": signals.qd, "qdd": signals.qdd}
            arrays = [inputs[name] for name in _inputs_of(signals.robot, self.compiled)]
            found: Floats = signals.asked(self.compiled, *arrays)
            wide = np.broadcast_to(found, (*signals.shape, *found.shape[2:]))
            return wide.reshape(*signals.shape, -1) if wide.ndim > 2 else wide
        if self.last == "wheel_load":
            return np.asarray(signals.wide(signals.ground.of("normal")).max(axis=2))
        if self.last == MARGIN:
            return signals.wide(signals.ground.margin)
        if self.last == "deflection":
            return signals.wide(signals.deflections)
        of_joint = signals.of_drive if self.last in OF_DRIVES else signals.of_joint
        of = signals.of_wheel if self.last in ON_WHEELS else of_joint
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
    case: Case, columns: Mapping[str, Column], checks: Checks | None = None, pool: Executor | None = None
) -> dict[str, Floats]:
    """All answers of all designs, (designs, entries...) each, those of the checks among them."""
    found: dict[str, list[Floats]] = {name: [] for name in columns}
    checked: list[dict[str, Floats]] = []
    count = case.states.count
    pairs = PAIRS if checks is None or not checks.ruled else PAIRS_OF_RULES
    per_block, scratch = max(1, pairs // count), Scratch()
    for first in range(0, case.designs, per_block):
        designs = slice(first, min(first + per_block, case.designs))
        if checks is not None or count <= pairs:
            parts = [_piece(case, columns, designs, slice(0, count), count, checks, checked, scratch)]
        else:
            pieces = [slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE)]
            if pool is not None and len(pieces) > 1:
                parts = list(pool.map(lambda piece, of=designs: _piece(case, columns, of, piece, pairs), pieces))
            else:
                parts = [_piece(case, columns, designs, piece, pairs) for piece in pieces]
        for name in columns:
            whole = parts[0][name]
            for part in parts[1:]:
                for mine, later in zip(whole, part[name], strict=True):
                    mine.join(later)
            found[name].append(columns[name].joined([one.result() for one in whole]))
    result = {name: np.concatenate(parts) if parts else np.zeros(0) for name, parts in found.items()}
    if checks is not None:
        for name in checked[0] if checked else ():
            result[name] = np.concatenate([one[name] for one in checked])
    return result


def _piece(
    case: Case, columns: Mapping[str, Column], designs: slice, piece: slice, size: int,
    checks: Checks | None = None, checked: list[dict[str, Floats]] | None = None, scratch: Scratch | None = None,
) -> dict[str, Sequence[Reducing]]:
    """What the states of a piece add, block by block."""
    into: dict[str, list[Reducing]] = {}
    count = designs.stop - designs.start
    scratch = Scratch() if scratch is None else scratch
    for first in range(piece.start, piece.stop, size):
        states = slice(first, min(first + size, piece.stop))
        signals = Signals(case, designs, states, scratch)
        weights = case.states.weights_of(states)
        for name, column in columns.items():
            how = column.how
            entries: list[Floats] = []
            for values in column.values(signals):
                together = values.ndim == 2 or how in _TOGETHER
                entries += [values] if together else [values[..., k] for k in range(values.shape[2])]
            if name not in into:
                into[name] = [reducing(how, count) for _ in entries]
            for one, values in zip(into[name], entries, strict=True):
                one.add(values, weights, first)
        if checks is not None and checked is not None:
            checked.append(checks.of(signals, weights))
    return into  # type: ignore[return-value]
