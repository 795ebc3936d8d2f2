"""Which inertial parameters the torques depend on, and what measured torques say of them.

- `base`: the minimal set, `robot.base_parameters()`; `grouping` finds it by numbers, `symbolic` writes it in symbols.
- `excitation`: what a motion can show of it, `lp.excitation`.
- `identify`: a robot fitted to measurements, `lp.identify`; its steps are `measurements`, `least_squares` and
  `consistency`.
"""

from loadpath.identification.base import BaseParameters, base_parameters
from loadpath.identification.excitation import Excitation, excitation
from loadpath.identification.identify import identify
from loadpath.identification.result import Identification

__all__ = [
    "BaseParameters",
    "Excitation",
    "Identification",
    "base_parameters",
    "excitation",
    "identify",
]
