"""The rows of loops, couplings and links with poses as numbers: speeds in, rates of residuals out, without units."""

from __future__ import annotations

import numpy as np

from loadpath.closure.chain import column_scales, mechanism_of, row_scales, size_of
from loadpath.quantities.closed import ClosedQuantities
from loadpath.scalars.types import Floats


def scaled_rows(robot: ClosedQuantities, q: Floats, links: tuple[str, ...] = ()) -> Floats:
    """(states, rows, n): the rows of loops and couplings, then six of each link, lengths in units of the robot's size,
    for speeds in units of the size too where they are not turning.
    """
    mechanism, size = mechanism_of(robot), size_of(robot)
    J = robot.constraint_jacobian(q) * row_scales(mechanism, size)[:, None]
    if links:
        of_links = [robot.jacobian(q, link) for link in links]
        J = np.concatenate([J, *(part / np.repeat([size, 1.0], 3)[:, None] for part in of_links)], axis=1)
    found: Floats = J * column_scales(mechanism, size)
    return found
