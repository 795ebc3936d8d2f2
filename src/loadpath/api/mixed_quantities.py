"""Forward and inverse dynamics at once: of each speed either the acceleration or the force is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadpath.algorithms import mixed_dynamics as mixed
from loadpath.api.quantities import Quantities
from loadpath.engine.arguments import DEFAULT
from loadpath.engine.quantity import Compiled, On, compiled_quantities
from loadpath.mechanics.load_case import BASE_MOTION
from loadpath.results import MixedDynamics
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from loadpath.states.mixed import BY_NAME


def _names(prescribed: object) -> tuple[str, ...]:
    """Names of speeds in any order as a choice that does not depend on it."""
    if isinstance(prescribed, str) or not isinstance(prescribed, Iterable):
        raise ValueError(f"mixed_dynamics: 'prescribed' is {prescribed!r}: expected names of speeds, like ('joint1',)")
    return tuple(sorted(map(str, prescribed)))


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class MixedQuantities(Quantities):
    """A robot and its compiled quantities, mixed dynamics among them."""

    mixed_dynamics = Compiled(
        {DEFAULT: mixed.mixed_dynamics, "constraint-system": On(mixed.by_linear_system, plain)},
        "(q),(n),(n)->(n),(n)",
        reduced,
        """All accelerations and drive forces, `.qdd` and `.tau`, where of each speed one of them is known:
        `robot.mixed_dynamics(q, qd, accelerations={"joint1": 0.5}, forces={"joint2": 3.0})`. Every speed must be named
        once, as in `dof_names`; a joint with several speeds may be named as a whole, with (..., speeds) or one number.
        Values are numbers or arrays with batch axes. `external=`, `base_velocity=` and `base_acceleration=` as in
        `inverse_dynamics`.

        Which accelerations are prescribed is fixed when a function is compiled, so each choice compiles once. The
        function itself, for exports, takes `known`, (..., n), the acceleration or the force of each speed, and
        `prescribed=("joint1",)`, the names of those with accelerations.

        >>> import loadpath as lp
        >>> arm = lp.catalog.two_link(gravity=0)
        >>> found = arm.mixed_dynamics([0, 0], [0, 0], accelerations={"joint1": 1.0}, forces={"joint2": 0.0})
        >>> found.qdd.round(12).tolist(), found.tau.round(12).tolist()             # joint 2 swings freely
        ([1.0, -2.0], [1.0, 0.0])
        """,
        optional=BASE_MOTION,
        choices={"prescribed": ()},
        choice_readers={"prescribed": _names},
        takes_external=True,
        wrap=lambda robot, qdd, tau: MixedDynamics(qdd, tau),
        by_name=BY_NAME,
    )


# Docstrings of descriptors are not found by doctest; these are.
_INHERITED = compiled_quantities(Quantities)
__test__ = {
    f"Robot.{key}": value.__doc__ or ""
    for key, value in compiled_quantities(MixedQuantities).items()
    if key not in _INHERITED
}
