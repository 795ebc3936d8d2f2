"""What the loads that a motion carries add to the inertia that a torque at each joint accelerates.

Their wrenches are in all forces already; brakes that stop a joint and motors that are matched to an inertia need their
mass as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from loadpath.motion.carried import Carried, carried_at
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities


def carried_inertias(robot: RobotQuantities, loads: tuple[Carried, ...], t: Floats, q: Floats) -> Floats:
    """(states, n): kg m^2 (kg of joints that slide), m |v_c|^2 + w . I w at a unit speed of each joint; zero where
    nothing is carried at these rising times.
    """
    found = np.zeros((len(q), robot.n))
    for link in dict.fromkeys(load.link for load in loads):
        assert link is not None
        for body, times in carried_at([load for load in loads if load.link == link], t).items():
            some = np.flatnonzero(times)
            if not len(some):
                continue
            columns = np.asarray(robot.jacobian(q[some], link))
            turned = np.asarray(robot.link_poses(q[some]))[:, robot.link_names.index(link), :3, :3]
            linear, angular = np.swapaxes(columns[:, :3], 1, 2), np.swapaxes(columns[:, 3:], 1, 2)
            arm = turned @ np.asarray(body.center_of_mass)
            moving = linear + np.cross(angular, arm[:, None])
            about = angular @ turned  # in the link's axes, as the tensor is
            turning = np.einsum("snk,kl,snl->sn", about, np.asarray(body.tensor), about)
            found[some] += times[some, None] * (body.mass * np.einsum("snk,snk->sn", moving, moving) + turning)
    return found
