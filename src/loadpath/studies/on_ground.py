"""What wheels of many designs carry in a block of states: rovers that differ in numbers of robots and base stand on the
same wheels, so the wrenches of the ground on all of them, from the kernel of their family, are shared at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.engine.over_designs import stand_in
from loadpath.errors import ModelError
from loadpath.mobile.loads import WheelLoads, wheel_loads
from loadpath.mobile.slip import slip
from loadpath.mobile.stability import stability
from loadpath.mobile.state import state_at
from loadpath.scalars.types import Floats

OF_LOADS = ("normal", "longitudinal", "lateral")
USED, MARGIN = "friction_used", "margin"
_WRENCH = "compiled_ground_wrench"


def one_by_one_on(rover: Any) -> str:
    """Why rovers are asked one after the other for their wheels; nothing where they stand on a plane at rest, on wheels
    that are on the base and do not give way.
    """
    base, ground = rover.base, rover.ground
    what = "wheels on links" if base.on_links else "wheels that give way" if base.on_tyres else \
        "ground that is more than a plane at rest" if ground.plane is not ground else ""
    return f"rover '{rover.name}' has {what}" if what else ""


class OnGround:
    """Forces at the contacts of all designs and states of a block, (designs, states, contacts), and the margin."""

    def __init__(self, rover: Any, family: Any, rows: Floats | None, states: tuple[Floats, Floats, Floats],
                 acting: Any) -> None:
        self.rover, self.acting, self.states = rover, acting, states
        self.shape = (1 if rows is None else len(rows), states[0].shape[1])
        self.whole = rover
        if rows is not None:
            paired = family.with_rows(rows[:, None, :], paired=True)
            self.whole = stand_in(rover, paired._carrier.wholes(paired), (_WRENCH,))

    @cached_property
    def loads(self) -> WheelLoads:
        """Of all contacts."""
        state = state_at(self.whole, *self.states, self.acting, "study")
        return wheel_loads(self.whole, state)

    def of(self, quantity: str) -> Floats:
        """(designs, states, contacts)."""
        if quantity == USED:
            return self._wide(self._used)
        return self._wide(getattr(self.loads, quantity))

    @cached_property
    def _used(self) -> Floats:
        try:
            return slip(self.whole, self.loads.state, self.loads).ratio
        except ModelError as problem:  # no friction is known
            raise ValueError(f"friction_used: {problem}") from problem

    @cached_property
    def margin(self) -> Floats:
        """(designs, states): m, of the zero-moment point from the nearest edge."""
        q, qd, _ = self.states
        return self._wide(stability(self.whole, self.loads.state, q, qd).margin)

    def _wide(self, array: Any) -> Floats:
        return np.asarray(array)
