"""The formulations by name, the default first."""

from __future__ import annotations

from loadpath.formulations import (
    constraint_system,
    generalized,
    generalized_matrices,
    generalized_recursive,
    lagrange_euler,
    lagrangian,
    luh,
    newton_euler,
    orthogonal_complement,
)
from loadpath.formulations.formulation import Formulation

FORMULATIONS: dict[str, Formulation] = {
    module.FORMULATION.name: module.FORMULATION
    for module in (
        newton_euler,
        luh,
        lagrange_euler,
        lagrangian,
        orthogonal_complement,
        constraint_system,
        generalized,
        generalized_recursive,
        generalized_matrices,
    )
}
"""All formulations of the sources.

>>> from loadpath.formulations.table import FORMULATIONS
>>> print(FORMULATIONS["luh"].citation)
Luh, Walker and Paul 1980; table 3.2 of the lecture notes
"""
