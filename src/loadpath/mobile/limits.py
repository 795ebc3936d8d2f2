"""How much more a rover bears before it tips over: the payload, the acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np

from loadpath.mobile.motions import BaseState, arm_states, as_numbers, base_components, base_state_of
from loadpath.mobile.stability import until_tipping
from loadpath.mobile.state import state_at
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import Joints, StatesLike, read_array
from loadpath.states.reading import refuse_loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def largest_payload(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    link: str | None = None,
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0),
    **motion: Unpack[BaseState],
) -> Floats:
    """Largest mass (kg) of a point payload on a link before the rover tips over in this motion, exactly: the
    ground's wrench is linear in it. Zero where it tips already, infinite where no mass takes it over.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> most = rover.largest_payload([0, 0, 1.0], link="rod")
    >>> float(rover.with_payload(most, link="rod").stability([0, 0, 1.0]).margin.round(9)) + 0.0
    0.0
    """
    refuse_loads_of(q, "largest_payload")
    now = state_at(rover, q, qd, qdd, motion, "largest_payload")
    # One kilogram, by a name that no link has.
    name = "payload"
    while name in rover.link_names or f"{name}_joint" in rover.robot.joint_names:
        name += "_"
    loaded = rover.with_payload(1.0, center_of_mass, link=link, name=name)
    return until_tipping(now, state_at(loaded, q, qd, qdd, motion, "largest_payload"), "largest_payload")


def largest_acceleration(
    rover: Rover,
    q: StatesLike | None = None,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    direction: ArrayLike | None = None,
    joints: ArrayLike | None = None,
    **motion: Unpack[BaseState],
) -> Floats:
    """How many units of acceleration more the rover bears before it tips over, exactly: of the base along
    `direction` (like (1, 0): m/s^2 forward), or of the robots' joints along `joints` (like qdd). Zero where it tips
    already, infinite where no acceleration that way takes it over.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> most = rover.largest_acceleration([0, 0, 0.5], direction=(1, 0))               # g h_x / h_z
    >>> float(most.round(6)), bool(abs(most - 9.81 * 0.2 / 0.7 * 3) < 1e-9)
    (8.408571, True)
    """
    if (direction is None) == (joints is None):
        raise ValueError("give either direction=, of the base's acceleration, or joints=, of the joints'")
    refuse_loads_of(q, "largest_acceleration", "accelerates what is carried, too")
    motion = cast(BaseState, base_state_of(rover, q, motion))
    q, qd, qdd = arm_states(rover, q, qd, qdd)
    now = state_at(rover, q, qd, qdd, motion, "largest_acceleration")
    if direction is not None:
        given = motion.get("acceleration")
        change = base_components((0.0, 0.0) if given is None else given, "acceleration")
        more: BaseState = {**motion, "acceleration": change + base_components(direction, "direction")}
        return until_tipping(now, state_at(rover, q, qd, qdd, more, "largest_acceleration"), "largest_acceleration")
    along = as_numbers(read_array(Joints.of(rover), "joints", joints), "joints")
    if along.ndim == 0 or along.shape[-1] != rover.n:
        raise ValueError(f"joints has the shape {along.shape}: expected (..., {rover.n}), like qdd")
    faster = np.asarray(qdd, dtype=float) + along
    return until_tipping(now, state_at(rover, q, qd, faster, motion, "largest_acceleration"), "largest_acceleration")
