"""`load_terms` of robots with more terms than are compiled one by one: formulas of one piece each (`load_pairs`) run
over all pieces of some states at once, and one compiled loop makes the rows of them.

Nothing here grows with the robot but lists of numbers, so the first result of a humanoid takes a second or two.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms import load_pairs
from loadpath.algorithms.load_pairs import FRAME, INERTIA, ITEM, TWIST, Pieces
from loadpath.engine import kernels
from loadpath.engine.arguments import Variant
from loadpath.engine.gufunc import make_ufunc
from loadpath.engine.identity import identity
from loadpath.engine.jit import Library
from loadpath.engine.kernels import Work, machine_code
from loadpath.engine.llvm.pair_rows import NOTHING, SYMBOL, pair_rows_text
from loadpath.engine.pool import results as memory
from loadpath.engine.program import Operand
from loadpath.engine.quantity import Compiled
from loadpath.engine.uncompiled import Uncompiled
from loadpath.formulations.generalized_motion import own_pairs
from loadpath.mechanics.wrenches import GRAVITY
from loadpath.robot.mechanism import plain
from loadpath.scalars.types import Floats, Ints

AT_ONCE = 4
"""States whose pieces are there at once: some 500 kB a state of a humanoid, to stay in a near cache."""


def in_pieces(robot: Any, variant: Variant, inputs: Sequence[Operand], outputs: Sequence[Operand]) -> Uncompiled | None:
    """What computes `load_terms` of a tree in pieces; none where that is not known: on a base that moves, by joint or
    by link.
    """
    choices = dict(variant.choices)
    other = choices.get("by", "freedom") != "freedom" or choices.get("by_link", False)
    if other or set(variant.given) - {"gravity"} or robot.held_by_loops:
        return None
    found = load_pairs.pieces(plain(robot), [link for link, _ in variant.external])
    if found is None:
        return None
    axes = replace(variant, choices=tuple(choice for choice in variant.choices if choice[0] == "frame"))
    return InPieces(robot, found, axes, inputs, outputs)


def _sizes(robot: Any, variant: Variant) -> dict[str, int]:
    mechanism = plain(robot)
    moving = [body for body in mechanism.bodies if body.motion.dof]
    return {"b": len(mechanism.bodies), "f": sum(body.motion.dof for body in moving),
            "o": sum(len(own_pairs(body)) for body in mechanism.bodies),
            "w": len(mechanism.bodies) + len(variant.external)}


INGREDIENTS = Compiled(
    load_pairs.ingredients,
    f"(q),(n),(n)->(b,{FRAME}),(b,{INERTIA}),(w,6),(f,{TWIST}),(f,2),(o,6),(n),(n)",
    plain,
    "What pieces of the breakdown are made of.",
    optional=GRAVITY,
    choices={"frame": "joint"},
    takes_external=True,
    sizes=_sizes,
)
INGREDIENTS.name = "load_ingredients"


class InPieces(Uncompiled):
    """The terms of a robot, from pieces."""

    def __init__(
        self, robot: Any, found: Pieces, variant: Variant, inputs: Sequence[Operand], outputs: Sequence[Operand]
    ) -> None:
        super().__init__("load_terms", lambda *_: None, inputs, outputs)
        self._ingredients = INGREDIENTS.kernel(robot, variant).ufunc
        self._results = INGREDIENTS.operands(robot, variant)[1]
        nothing = _library().address(NOTHING)
        self._reserve = make_ufunc("reserve", "", {"f8": nothing}, [()], [outputs[0].shape], _library())
        self._items = _columns(found.items, 3)
        self._others, self._products = _columns(found.others, 2), _columns(found.products, 2)
        lists: list[Sequence[tuple[int, ...]]] = [
            found.bilinear, found.halves, found.of_items, [(1 + other, row) for other, row in found.of_others],
            [(l, k, 1 + other, row) for l, k, other, row in found.sums],  # noqa: E741  # as in the table
        ]
        numbers = [len(found.items), 1 + len(found.others), outputs[0].shape[0]]  # the first of the others is zero
        for part in lists:
            numbers += [len(part), *(number for entry in part for number in entry)]
        self._lists = np.array(numbers, dtype=np.int32)
        self._kept = threading.local()
        """Where each thread keeps its room."""

    def _reserved(self, count: int, operand: Operand, kind: np.dtype[Any]) -> NDArray[Any]:
        if operand is not self.outputs[0] or kind != np.float64:
            return super()._reserved(count, operand, kind)
        found: NDArray[Any] = memory.call(self._reserve, np.empty(count))  # which writes nothing
        return found

    def _block(self, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]]) -> None:
        room: _Room = getattr(self._kept, "room", None) or _Room()
        self._kept.room = room
        for start in range(0, len(inputs[0]), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            self._some(room, [array[part] for array in inputs], [array[part] for array in outputs])

    def _some(self, room: _Room, inputs: list[NDArray[Any]], outputs: list[NDArray[Any]]) -> None:
        room.states = len(inputs[0])
        found = self._ingredients(*inputs, out=tuple(room(k, operand.shape) for k, operand in enumerate(self._results)))
        frames, inertias, weights, twists, speeds, own, friction, rotor = found
        joint, mover, body = self._items
        items = _formula("seen")(
            room.taken(frames, joint), room.taken(inertias, body), room.taken(twists, mover),
            room.taken(speeds, mover), out=room("items", (len(joint), ITEM)),
        )
        (body, product), count = self._products, weights.shape[1]
        wrenches = room("wrenches", (count + len(body), 6))
        wrenches[:, :count] = weights
        if len(body):
            _formula("momentum")(room.taken(inertias, body), room.taken(own, product), out=wrenches[:, count:])
        joint, wrench = self._others
        others = room("others", (1 + len(joint), 6))
        others[:, 0] = 0.0
        _formula("moved")(room.taken(frames, joint), room.taken(wrenches, wrench), out=others[:, 1:])
        rows = outputs[0]
        direct = rows.dtype == np.float64 and rows.flags.c_contiguous
        into = rows if direct else np.empty(rows.shape)
        _pair_rows()(items.ctypes.data, others.ctypes.data, into.ctypes.data, len(rows), self._lists.ctypes.data)
        if not direct:
            rows[...] = into
        outputs[1][...], outputs[2][...] = friction, rotor


class _Room:
    """Arrays for the pieces of some states, used again for the next: fresh memory costs more than computing."""

    def __init__(self) -> None:
        self.states = 0
        self._arrays: dict[Any, Floats] = {}

    def __call__(self, name: Any, shape: tuple[int, ...]) -> Floats:
        if name not in self._arrays:
            self._arrays[name] = np.empty((AT_ONCE, *shape))
        return self._arrays[name][: self.states]

    def taken(self, array: Floats, numbers: Ints) -> Floats:
        """Entries of an array (states, entries, ...) by their numbers."""
        into = self((id(numbers), array.shape[-1]), (len(numbers), array.shape[-1]))
        return np.take(array, numbers, axis=1, out=into, mode="clip")  # without a copy of the result


def _columns(entries: Sequence[tuple[int, ...]], count: int) -> tuple[Ints, ...]:
    return tuple(np.array(entries, dtype=np.intp).reshape(-1, count).T.copy())


_OPERANDS = {"frame": FRAME, "inertia": INERTIA, "twist": TWIST, "speed": 2, "wrench": 6}
_RESULTS = {"seen": ITEM, "momentum": 6, "moved": 6}


@functools.cache
def _formula(name: str) -> Any:
    """A formula of one piece as a ufunc, for all robots."""
    function = getattr(load_pairs, name)
    inputs = [Operand(part, (_OPERANDS[part],)) for part in inspect.signature(function).parameters]
    work = Work(f"load_{name}", f"load_{name}", inputs, [Operand(name, (_RESULTS[name],))])
    return kernels.kernel(f"formula {identity(function)}", work, lambda: function).ufunc


@functools.cache
def _library() -> Library:
    return machine_code([pair_rows_text()], [SYMBOL, NOTHING], None)


@functools.cache
def _pair_rows() -> Any:
    kind = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 3, ctypes.c_int64, ctypes.c_void_p)
    return kind(_library().address(SYMBOL))
