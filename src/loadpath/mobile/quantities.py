"""What is compiled of a rover, a line each; `rover.py` has everything that is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.engine.quantity import Compiled, compiled_quantities
from loadpath.mobile import ground_wrench as grounds
from loadpath.mobile.ground_wrench import RoverMechanism, Spin
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.reduction import reduced, reframed

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def _on_wheels(rover: Rover, mechanism: Mechanism) -> RoverMechanism:
    wheels = rover.arrangement
    grip = wheels.grip(wheels.at_rest)
    spins = []
    for k in wheels.spin_inertia.nonzero()[0]:
        x, y = (float(c) for c in wheels.at_rest.forward[k])
        a, b = (float(c) for c in grip[k] / (wheels.radius[k] * (grip[k] @ wheels.at_rest.forward[k])))
        px, py = (float(c) for c in wheels.pivots[k])
        spins.append(Spin(float(wheels.spin_inertia[k]), (x, y), (a, b, b * px - a * py)))
    return RoverMechanism(mechanism, rover.ground.gravity, rover.ground.slope, tuple(spins))


def reduced_rover(rover: Rover) -> RoverMechanism:
    """The rover for wrenches on its base, its inertias regrouped."""
    return _on_wheels(rover, reduced(rover.robot))


def reframed_rover(rover: Rover) -> RoverMechanism:
    """The rover with every inertia where it is."""
    return _on_wheels(rover, reframed(rover.robot))


class RoverQuantities:
    """The compiled quantities of a rover."""

    compiled_ground_wrench = Compiled(
        grounds.ground_wrench,
        "(q),(n),(n)->(3),(3)",
        reduced_rover,
        """Force and torque of the ground on the rover: see `ground_wrench`, which this computes. Velocity and
        acceleration have three components here, and go together.

        >>> import loadpath as lp
        >>> force, torque = lp.catalog.lau_rover().compiled_ground_wrench([0, 0, 1], [0, 0, 0], [0, 0, 0])
        """,
        optional={"velocity": (3,), "acceleration": (3,), "heading": ()},
        takes_external=True,
        public_name="ground_wrench",
    )
    mass_center = Compiled(
        grounds.mass_center,
        "(q)->(3)",
        reframed_rover,
        """Mass center (m) of base and arms together, in the base frame.

        >>> import loadpath as lp
        >>> lp.catalog.lau_rover().mass_center([0, 0, 0.5]).shape
        (3,)
        """,
    )


__test__ = {f"Rover.{key}": value.__doc__ or "" for key, value in compiled_quantities(RoverQuantities).items()}
