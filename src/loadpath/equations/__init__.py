"""Equations of motion in symbols: a formulation run on polynomials whose constants are symbols or exact numbers.

`equations` is what `robot.equations()` calls; `Equations` is what comes back.
"""

from loadpath.equations.derivation import equations
from loadpath.equations.parameters import Choice, Constant, constants
from loadpath.equations.result import Equations

__all__ = ["Choice", "Constant", "Equations", "constants", "equations"]
