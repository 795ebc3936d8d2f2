"""External wrenches on a simulated rover: the same at all times, or a function of time and state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from loadpath.engine.arguments import external_wrenches
from loadpath.loads.tip.link_point import OnFixedBase
from loadpath.mobile.equations import kernel
from loadpath.mobile.wheel_drives import RoverState
from loadpath.quantities.wrench import Wrench
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

Wrenches: TypeAlias = Mapping[str, Wrench]
External: TypeAlias = (
    Wrenches | Callable[[float, Floats, Floats], Wrenches] | Callable[[float, RoverState], Wrenches] | None
)
"""Wrenches by names of links, or a function that gives them: of t, q and qd, or of t and a `RoverState`."""


class AppliedWrenches:
    """What acts on the links at every moment."""

    def __init__(self, rover: Rover, given: External) -> None:
        self._given: Any = given
        self._method = kernel(rover, "equations_row")
        self.changing = callable(given)
        """Whether they are a function."""
        if isinstance(given, OnFixedBase):
            raise ValueError(f"simulate: {given.what} is in the world, and was made for a robot whose base is the "
                             f"world: it would travel with rover '{rover.name}'. Make a spring with during(rover), not "
                             "with rover.robot; other conditions at the tip are not there for rovers")
        constant: Any = None if self.changing else given
        self.constant: Wrenches | None = constant
        self._of_state = callable(given) and _arguments(given) == 2
        self._spec: object = None
        if not self.changing:
            self._checked(given, "")

    def at(self, t: float, state: RoverState) -> Wrenches | None:
        """The wrenches at a moment."""
        if not self.changing:
            return self.constant
        found = self._given(t, state) if self._of_state else self._given(t, state.q, state.qd)
        return self._checked(found, f" at t = {t:.6g} s")

    def _checked(self, given: Any, when: str) -> Wrenches | None:
        if given is not None and not isinstance(given, Mapping):
            raise ValueError(f"simulate: 'external'{when} is a {type(given).__name__}: expected a mapping from link "
                             "names to lp.Wrench(force=, torque=), or a function of t, q and qd (or of t and a "
                             "RoverState) that returns one")
        spec, wrenches = external_wrenches(self._method, given)
        array = np.zeros((0, 6)) if wrenches is None else np.asarray(wrenches, dtype=float)
        if array.ndim != 2 or not np.isfinite(array).all():
            raise ValueError(f"simulate: 'external'{when} is not one finite wrench for each link: expected force and "
                             "torque of the shape (3,)")
        if when and self._spec is not None and spec != self._spec:
            now, first = ([link for link, _ in each] for each in (spec, self._spec))  # type: ignore[attr-defined]
            raise ValueError(f"simulate: 'external' acts on {now}{when}, but on {first} at the start: name the same "
                             "links in the same axes at all times")
        self._spec = spec
        wrenches_by_link: Wrenches | None = given or None
        return wrenches_by_link


def _arguments(function: Callable[..., Any]) -> int:
    """How many arguments a function is to be called with: two where it takes no more, else three."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 3
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return 2 if len(positional) == 2 else 3
