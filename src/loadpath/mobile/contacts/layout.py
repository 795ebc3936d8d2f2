"""Which rows, contacts and works the compiled motion of a rover has, from its elements and drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.cached import kept
from loadpath.mobile.contacts.within_mode import Layout
from loadpath.mobile.equations import BASE
from loadpath.robot.mechanism import plain
from loadpath.scalars import array
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.power_flow import viscous_forces

if TYPE_CHECKING:
    from loadpath.mobile.contacts.elements import Elements
    from loadpath.mobile.rover import Rover
    from loadpath.mobile.wheel_drives import WheelDrives

WORKS = ("drive", "wheel", "external", "base", "sliding", "rolling", "joint")
"""What is integrated along with the motion: work of drives of robots and of wheels, of external wrenches, of what moves
the base, the motion of the ground among it; heat of sliding, of rolling, of joints; and of brakes of wheels, where
there are any."""


def works_of(elements: Elements) -> tuple[str, ...]:
    """Names of the works of a rover."""
    return (*WORKS, "brake") if any(e.axle >= 0 for e in elements.all) else WORKS


@kept()
def viscous_of(rover: Rover) -> Floats:
    """(n,): viscous friction of the joints."""
    result = np.array(viscous_forces(plain(rover.robot), array([1.0] * rover.n)), dtype=float)
    result.flags.writeable = False
    return result


def constants_of(rover: Rover, elements: Elements, *, closed: bool) -> Floats:
    """What ends the row of `Layout.mode`, the same in all modes."""
    wheels = rover.arrangement
    axles, momentum = elements.members @ wheels.axle_inertia, elements.members @ wheels.momentum_inertia
    turns = momentum[:, None] * wheels.at_rest.forward[elements.spinning]
    viscous = np.zeros(rover.n) if closed else viscous_of(rover)
    return np.concatenate([viscous, axles, turns.ravel(), torque_of_resistance(elements).ravel(), (0.0,)])


def torque_of_resistance(elements: Elements) -> Floats:
    """(pulled, rows): force along its traction with which a wheel without inertia answers forces along its other rows,
    tau + sum of spin f = 0.
    """
    result = np.zeros((len(elements.pulled), elements.count))
    for i, (k, spin) in enumerate(zip(elements.pulled, elements.pulls.spin, strict=True)):
        mine = np.flatnonzero(elements.own.contact == k)
        result[i, mine] = -elements.own.spin[mine] / spin
    return result


def layout_of(rover: Rover, elements: Elements, drives: WheelDrives, free: Bools, *, closed: bool) -> Layout:
    """The layout. Of robots with loops, which are `closed`, the speeds are along directions that change: what concerns
    their joints one by one is left out.
    """
    n, works = rover.n, works_of(elements)
    contact, heat = np.full(elements.count, -1), np.zeros(elements.count, dtype=int)
    contact[: elements.contact_rows] = elements.own.contact
    for e in elements.all:
        heat[e.rows] = works.index(e.heat)
    pulled = elements.pulled.tolist()
    kinds = ["base"] * BASE + ["" if closed else "drive"] * n + [""] * len(elements.spinning)
    for k in drives.rates:
        kinds[elements.spin_at[k]] = "wheel"
    given = [(int(i), works.index(kinds[i])) for i in np.flatnonzero(~free) if kinds[i]]
    both = works.index("wheel"), works.index("rolling")
    return Layout(
        joints=n,
        coordinates=rover.nq,
        free=tuple(np.flatnonzero(free).tolist()),
        spins=len(elements.spinning),
        contact_of_row=tuple(contact.tolist()),
        heat_of_row=tuple(heat.tolist()),
        elements=tuple((e.rows.start, e.rows.stop, e.contact, pulled.index(e.contact) if e.massless else -1)
                       for e in elements.all),
        pulled=tuple(pulled),
        contacts=len(rover.contact_names),
        casters=len(elements.trailing),
        works=len(works),
        given_work=tuple(given),
        resisting=tuple((k, elements.spin_at[k], both) for k in sorted(drives.rates)),
        driving=(works.index("drive"), works.index("wheel"), works.index("joint")),
    )


__all__ = ["WORKS", "constants_of", "layout_of", "torque_of_resistance", "viscous_of", "works_of"]
