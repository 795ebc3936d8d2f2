"""States of an arm as users give them: speeds may be left out, links are found by name, a state by its index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from loadpath.loads.states import check_joints, is_motion
from loadpath.loads.wrench import Wrench
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import EFFECTS, check_effects

BLOCK = 8192
"""States that go through at once where only extremes, or iterations, are asked for."""


def moving(arm: RobotModel, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any, Any]:
    """The state with zeros for what is left out: the arm at rest. A motion brings all three of its own."""
    if is_motion(q):
        if qd is not None or qdd is not None:
            raise ValueError("a motion has speeds and accelerations of its own: leave 'qd' and 'qdd' out")
        check_joints(arm, q)
        return q.q, q.qd, q.qdd
    still = np.zeros(arm.n)
    return q, still if qd is None else qd, still if qdd is None else qdd


def whole(value: Any, what: str, least: int = 1) -> int:
    """A whole number, or an error that says what came.

    >>> whole(2.5, "'pieces'")
    Traceback (most recent call last):
    ValueError: 'pieces' is 2.5: expected a whole number, 1 or more
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{what} is {value!r}: expected a whole number, {least} or more")
    return int(value)


def chosen_effects(effects: Iterable[str] | str | None) -> tuple[str, ...]:
    """Effects in their usual order, all of them unless told; errors name what is none.

    >>> chosen_effects(["torsion", "bending"])
    ('bending', 'torsion')
    """
    if effects is None:
        return EFFECTS
    asked = (effects,) if isinstance(effects, str) else tuple(effects)
    check_effects(asked)
    return tuple(name for name in EFFECTS if name in asked)


def ends_of(arm: RobotModel) -> tuple[str, ...]:
    """The links that carry no other."""
    parents = {joint.parent for joint in arm.joints}
    return tuple(name for name in arm.link_names if name not in parents)


def only_end(arm: RobotModel, link: str | None) -> str:
    """The link of that name; without one, the only link that carries no other."""
    if link is not None:
        return arm.link(link).name
    ends = ends_of(arm)
    if len(ends) != 1:
        raise ValueError(f"robot '{arm.name}' has {len(ends)} ends, {', '.join(ends[:8])}: name the link")
    return ends[0]


def checked(arm: RobotModel, q: Any, qd: Any, qdd: Any) -> list[Floats]:
    """The state as arrays of numbers, zeros for what is left out; errors tell the shapes."""
    given = [np.asarray(value, dtype=float) for value in moving(arm, q, qd, qdd)]
    for name, array, size in zip(("q", "qd", "qdd"), given, (arm.nq, arm.n, arm.n), strict=True):
        if array.ndim == 0 or array.shape[-1] != size:
            raise ValueError(f"'{name}' has the shape {array.shape}: expected (..., {size})")
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in given))
    except ValueError:
        words = ", ".join(f"'{k}' {a.shape[:-1]}" for k, a in zip(("q", "qd", "qdd"), given, strict=True))
        raise ValueError(f"the batch shapes do not go together: {words}") from None
    return given


_PARTS = ("force", "torque", "point")


class Batch:
    """Many states, gone through in blocks: arrays (..., k) and external wrenches whose batch axes broadcast.

    >>> batch = Batch([np.zeros((3, 1, 2)), np.zeros((4, 5))])
    >>> batch.shape, [rows.shape for part, index in batch.blocks() for rows in batch.rows(index)]
    ((3, 4), [(12, 2), (12, 5)])
    """

    def __init__(self, arrays: Iterable[Floats], external: Mapping[str, Any] | None = None) -> None:
        self.arrays = list(arrays)
        self.external = dict(external or {})
        for link, wrench in self.external.items():
            if not isinstance(wrench, Wrench):
                raise ValueError(f"external wrench on '{link}' is a {type(wrench).__name__}: expected an lp.Wrench")
        wrenches = [getattr(wrench, part) for wrench in self.external.values() for part in _PARTS]
        self.shape = np.broadcast_shapes(*(np.shape(part)[:-1] for part in (*self.arrays, *wrenches)))
        self.total = int(np.prod(self.shape, dtype=int))

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[slice, Any]]:
        """Places of each block in the states as a list, and its index in the batch."""
        for start in range(0, self.total, size):
            numbers = np.arange(start, min(start + size, self.total))
            index = np.unravel_index(numbers, self.shape) if self.shape else (None,)
            yield slice(start, start + len(numbers)), index

    def rows(self, index: Any) -> list[Floats]:
        """Those rows of the arrays; of a broadcast array no more is ever written out."""
        return [np.broadcast_to(array, (*self.shape, array.shape[-1]))[index] for array in self.arrays]

    def wrenches(self, index: Any) -> dict[str, Any] | None:
        """The external wrenches of those states."""

        def those(values: Any) -> Any:
            return np.broadcast_to(values, (*self.shape, 3))[index]

        return {link: changed(wrench, those) for link, wrench in self.external.items()} or None


def changed(wrench: Wrench, how: Callable[[Any], Any]) -> Wrench:
    """The wrench with its force, torque and point each changed in the same way."""
    return replace(wrench, **{part: how(getattr(wrench, part)) for part in _PARTS})


def blocks(arm: RobotModel, q: Any, qd: Any, qdd: Any) -> tuple[tuple[int, ...], Iterator[tuple[Any, ...]]]:
    """Batch shape of the states, and the states in blocks: number of the first one, q, qd, qdd."""
    batch = Batch(checked(arm, q, qd, qdd))
    return batch.shape, ((part.start, *batch.rows(index)) for part, index in batch.blocks())


def state_at(batch: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Index of a state in the batch, from its number."""
    return tuple(int(k) for k in np.unravel_index(number, batch)) if batch else ()


def told(state: tuple[Any, ...]) -> str:
    """Words for a state in a message: the index itself where there is one axis, none for a single state.

    >>> told((3,)), told((1, 2)), told(())
    (' in state 3', ' in state (1, 2)', '')
    """
    index = tuple(int(k) for k in state)
    return f" in state {index[0] if len(index) == 1 else index}" if index else ""
