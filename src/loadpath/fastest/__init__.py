"""The fastest motion along a path within every load limit, certified between points.

Along a path q(s) every torque and every component of a wrench is a u + b x + c in u = s'' and x = s'^2. So what limits
a motion are rows in (u, x), and the fastest motion is found by controllable sets, point by point, in one go forth and
back:

    path -> grid (nodes) -> loads (a, b, c) -> rows of limits -> controllable sets -> certificate -> result
"""

from loadpath.fastest.path import Path
from loadpath.fastest.result import Fastest
from loadpath.fastest.run import fastest

__all__ = ["Fastest", "Path", "fastest"]
