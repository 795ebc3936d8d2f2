"""What is compiled of a rover, a line each; `rover.py` has everything that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from loadpath.engine.quantity import compiled_quantities
from loadpath.mobile import ground_wrench as grounds
from loadpath.mobile.contacts.given_motion import contact_loads
from loadpath.mobile.contacts.plane import contact_model
from loadpath.mobile.families import GROUND_GRAVITY, GROUND_SLOPE
from loadpath.mobile.ground_wrench import RoverMechanism, Spin
from loadpath.mobile.load_slopes import PARTS, OnContacts, wheel_load_slopes
from loadpath.mobile.support import edge_angles, edge_ends, edge_moments
from loadpath.quantities.declared import compiled
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.reduction import reduced, reframed
from loadpath.robot.varied import MAKERS

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover
    from loadpath.quantities.declared import Out
    from loadpath.quantities.wrench import Wrench
    from loadpath.scalars.types import ArrayLike, Floats
    from loadpath.states.load_case import LoadCase


def _on_wheels(rover: Rover, mechanism: Mechanism, values: Mapping[str, Any] | None = None) -> RoverMechanism:
    wheels = rover.arrangement
    placed = wheels.at_home
    rates, forward = wheels.rate_rows(placed)[:, :3], placed.forward  # of wheels on the base; others have no inertia
    spins = []
    for k in wheels.momentum_inertia.nonzero()[0]:
        x, y = (float(c) for c in forward[k])
        vx, vy, w = (float(c) for c in rates[k])
        spins.append(Spin(float(wheels.momentum_inertia[k]), (x, y), (vx, vy, w)))
    given = {} if values is None else values
    gravity, slope = given.get(GROUND_GRAVITY, rover.ground.gravity), given.get(GROUND_SLOPE, rover.ground.slope)
    return RoverMechanism(mechanism, gravity, slope, tuple(spins))


def reduced_rover(rover: Rover) -> RoverMechanism:
    """The rover for wrenches on its base, its inertias regrouped."""
    return _on_wheels(rover, reduced(rover.robot))


def reframed_rover(rover: Rover) -> RoverMechanism:
    """The rover with every inertia where it is."""
    return _on_wheels(rover, reframed(rover.robot))


def on_contacts(rover: Rover) -> OnContacts:
    """The rover and its contacts."""
    return OnContacts(reduced_rover(rover), contact_model(rover))


# In families of its robots, slopes and gravities; what reads wheels alone is the same for all designs.
MAKERS[reduced_rover] = lambda rover, values, follow: _on_wheels(
    rover, MAKERS[reduced](rover.robot, values, follow), values)
MAKERS[reframed_rover] = lambda rover, values, follow: _on_wheels(
    rover, MAKERS[reframed](rover.robot, values, follow), values)
MAKERS[on_contacts] = lambda rover, values, follow: OnContacts(
    MAKERS[reduced_rover](rover, values, follow), contact_model(rover))
MAKERS[contact_model] = lambda rover, values, follow: contact_model(rover)


class RoverQuantities:
    """The compiled quantities of a rover."""

    @compiled(
        grounds.ground_wrench,
        "(q),(n),(n)->(3),(3)",
        reduced_rover,
        optional={"velocity": (3,), "acceleration": (3,), "heading": (), "in_space": (15,)},
        takes_external=True,
        public_name="ground_wrench",
    )
    def compiled_ground_wrench(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        *,
        external: Mapping[str, Wrench] | None = None,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        heading: ArrayLike | None = None,
        in_space: ArrayLike | None = None,
        under: LoadCase | None = None,
        out: Out = None,
    ) -> tuple[Floats, Floats]:
        """Force and torque of the ground on the rover: see `ground_wrench`, which this computes. Velocity and
        acceleration have three components here, and go together.

        >>> import loadpath as lp
        >>> force, torque = lp.catalog.lau_rover().compiled_ground_wrench([0, 0, 1], [0, 0, 0], [0, 0, 0])
        """

    @compiled(grounds.mass_center, "(q)->(3)", reframed_rover)
    def mass_center(self, q: ArrayLike, *, out: Out = None) -> Floats:
        """Mass center (m) of base and arms together, in the base frame.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().mass_center([0, 0, 0.5]).shape
        (3,)
        """

    @compiled(
        contact_loads,
        "(3),(3),(3),(3),(a)->(c),(c),(c),(c),(3),(1)",
        contact_model,
        choices={"aligned": True},
        sizes=lambda rover, variant: {"a": max(1, len(rover.arrangement.steerable))},
        public_name="wheel_loads",
    )
    def contact_loads(
        self,
        force: ArrayLike,
        torque: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        steering: ArrayLike,
        *,
        aligned: bool = True,
        out: Out = None,
    ) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """Forces at the contacts where none lifts and friction is enough: `wheel_loads` has them in all states."""

    @compiled(
        wheel_load_slopes,
        "(q),(n),(n),(3),(3),(a)->(y,x),(2)",
        on_contacts,
        optional={"heading": (), "carries": ("c",)},
        takes_external=True,
        sizes=lambda rover, variant: {
            "a": max(1, len(rover.arrangement.steerable)), "y": PARTS * len(rover.contact_names), "x": 3 * rover.n + 6},
        public_name="wheel_load_derivatives",
    )
    def wheel_load_slopes(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        velocity: ArrayLike,
        acceleration: ArrayLike,
        steering: ArrayLike,
        *,
        external: Mapping[str, Wrench] | None = None,
        heading: ArrayLike | None = None,
        carries: ArrayLike | None = None,
        under: LoadCase | None = None,
        out: Out = None,
    ) -> tuple[Floats, Floats]:
        """Derivatives of the loads of contacts that carry: `wheel_load_derivatives` has them with names."""

    @compiled(
        edge_moments,
        "(3),(3),(3),(a)->(e)",
        contact_model,
        choices={"aligned": True},
        sizes=lambda rover, variant: _edge_sizes(rover),
        public_name="stability",
    )
    def edge_moments(
        self,
        force: ArrayLike,
        torque: ArrayLike,
        velocity: ArrayLike,
        steering: ArrayLike,
        *,
        aligned: bool = True,
        out: Out = None,
    ) -> Floats:
        """Moments that keep the base down about the edges of its support polygon: `stability` has them."""

    @compiled(
        edge_angles,
        "(3),(3),(3),(3),(a)->(e)",
        contact_model,
        choices={"aligned": True},
        sizes=lambda rover, variant: _edge_sizes(rover),
        public_name="stability",
    )
    def edge_angles(
        self,
        force: ArrayLike,
        torque: ArrayLike,
        mass_center: ArrayLike,
        velocity: ArrayLike,
        steering: ArrayLike,
        *,
        aligned: bool = True,
        out: Out = None,
    ) -> Floats:
        """Angles of the net force to the edges of the support polygon: `stability` has them."""


def _edge_sizes(rover: Rover) -> dict[str, int]:
    return {"a": max(1, len(rover.arrangement.steerable)), "e": len(edge_ends(rover.arrangement)[0])}


__test__ = {f"Rover.{key}": value.__doc__ or "" for key, value in compiled_quantities(RoverQuantities).items()}
