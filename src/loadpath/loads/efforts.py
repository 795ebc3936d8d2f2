"""What the drives of a robot can give at most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loadpath.closure.robot import ClosableRobot
from loadpath.quantities.carriers import driven


def effort_limits(robot: ClosableRobot) -> NDArray[np.float64]:
    """(n,): the effort limit of each degree of freedom (N m or N), infinite where none is known, and
    of joints without a drive: passive joints of closed chains.

    >>> import loadpath as lp
    >>> effort_limits(lp.catalog.panda()).tolist()
    [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]
    """
    given = [limit.effort for joint in robot.joints if joint.mimic is None for limit in joint.limits]
    efforts = np.array(given, dtype=float)
    return np.where((efforts > 0) & driven(robot), efforts, np.inf)  # files write 0 where they know of no limit
