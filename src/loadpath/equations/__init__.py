"""Equations of motion in symbols: a formulation run on polynomials whose constants are symbols or exact numbers.

`equations` is what `robot.equations()` calls; `Equations` is what comes back, of robots with loops `ClosedEquations`.
"""

from loadpath.equations.closed_result import ClosedEquations
from loadpath.equations.entry import equations
from loadpath.equations.letters.names import Letters
from loadpath.equations.parameters import Choice, Constant, constants
from loadpath.equations.result import Equations, SourceObjects
from loadpath.equations.written import SymbolicObject

__all__ = [
    "Choice",
    "ClosedEquations",
    "Constant",
    "Equations",
    "Letters",
    "SourceObjects",
    "SymbolicObject",
    "constants",
    "equations",
]
