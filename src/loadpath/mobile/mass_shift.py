"""The mass center of a rover whose robots carry loads for a part of their motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.scalars.types import Floats
from loadpath.states.carried import placed
from loadpath.states.reading import Joints, loads_of, read_motion

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def shift_by_loads(rover: Rover, motion: Any, asked: str) -> Floats:
    """(samples, 3): how far what a motion carries moves the mass center of the rover, m, in base axes."""
    states = read_motion(Joints.of(rover), motion, asked, counts_loads=True)
    q, times = np.asarray(states.q, dtype=float), np.asarray(states.times, dtype=float)
    center = np.asarray(rover.mass_center(q))
    mass, moment = np.zeros(len(times)), np.zeros((len(times), 3))
    for load in placed(loads_of(motion), rover.robot, motion):
        rows = np.flatnonzero(load.at(times))
        pose = np.asarray(rover.robot.link_poses(q[rows]))[:, rover.robot.link_names.index(str(load.link))]
        at = pose[:, :3, 3] + pose[:, :3, :3] @ np.array(load.center_of_mass)
        mass[rows] += load.mass
        moment[rows] += load.mass * (at - center[rows])
    own = sum(link.inertia.mass for link in rover.robot.links)
    return moment / (own + mass)[:, None]
