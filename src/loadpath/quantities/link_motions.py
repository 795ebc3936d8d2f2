"""Results of links and bases that move, and whether a robot can float."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.algorithms.free_base import whole
from loadpath.errors import ModelError
from loadpath.robot.inertia import point_mass_tensor
from loadpath.robot.mechanism import Mechanism
from loadpath.robot.model import RobotModel
from loadpath.scalars import array

# A principal moment this much smaller than the others is rounding.
_SINGULAR = 1e-12


class FreeBaseMotion(NamedTuple):
    """Velocity and acceleration (..., 6) of the root link's origin, linear first, then angular, in its axes."""

    velocity: NDArray[np.float64]
    acceleration: NDArray[np.float64]


class LinkMotion(NamedTuple):
    """Linear part, of the origin of the link's frame, and angular part, each (..., 3), in world axes."""

    linear: NDArray[np.float64]
    angular: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkMotions:
    """Velocities or accelerations of all links, linear (of the origin of the link's frame) and angular, each
    (..., links, 3), in world axes. Links are in the order of `link_names`.
    """

    linear: NDArray[np.float64]
    angular: NDArray[np.float64]
    link_names: tuple[str, ...]

    def __getitem__(self, link: str) -> LinkMotion:
        """Those of one link, by its name."""
        if link not in self.link_names:
            raise ValueError(f"no link '{link}'; there are {', '.join(self.link_names)}")
        k = self.link_names.index(link)
        return LinkMotion(self.linear[..., k, :], self.angular[..., k, :])

    __iter__ = None  # a link is found by its name


def check_free(robot: RobotModel, mechanism: Mechanism) -> None:
    """Refuse a robot that cannot float: without mass, or with all of it on one line.

    >>> import loadpath as lp
    >>> lp.catalog.two_link().free_base_motion([0, 1], [0, 0], [0, 0])        # doctest: +ELLIPSIS
    Traceback (most recent call last):
    loadpath.errors.ModelError: robot 'two_link' cannot float: turning all of it about some line takes no torque ...
    """
    # Any generic configuration shows it; this one has no special angles in it.
    mass, moment, tensor = whole(mechanism, array([0.3 + 0.7 * math.sin(1.0 + 2.0 * k) for k in range(robot.nq)]))
    if not float(mass) > 0.0:
        raise ModelError(f"robot '{robot.name}' cannot float: no link of it has mass")
    c = moment.astype(float) / float(mass)
    about_center = tensor.astype(float) - point_mass_tensor(float(mass), c)
    principal = np.linalg.eigvalsh(about_center)
    if principal[0] <= _SINGULAR * principal[-1]:
        moments = ", ".join(f"{moment:.3g}" for moment in principal)
        raise ModelError(f"robot '{robot.name}' cannot float: turning all of it about some line takes no torque "
                         f"(principal moments {moments} kg m^2); give its links inertia")
