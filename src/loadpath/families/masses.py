"""Masses of all designs of a family: of links whose mass is an argument, and of links that are their beams."""

from __future__ import annotations

from typing import Any

import numpy as np

from loadpath.engine.family import design_of, split
from loadpath.robot.varied import DesignNumbers, decided_values
from loadpath.scalars.decided import Decisions, bare
from loadpath.scalars.types import Floats


def masses_of_designs(family: Any) -> Floats:
    """(designs,): kg, of all links.

    >>> import loadpath as lp
    >>> masses_of_designs(lp.catalog.planar(2).with_payload(1.0).family({"payload.mass": [0.0, 4.0]})).tolist()
    [2.0, 6.0]
    """
    robot, parameters = family.robot, family.parameters
    rows = family.rows.reshape(-1, family.rows.shape[-1])
    values = split(parameters, rows.T)
    total = np.zeros(len(rows))
    if not robot.beams:
        for link in robot.links:
            total = total + values.get(f"{link.name}.mass", link.inertia.mass)
        return total.reshape(family.shape)
    decisions = Decisions()
    numbers = DesignNumbers(robot, decided_values(robot, values, decisions), decided=True)
    for link in robot.links:
        total = total + np.asarray(bare(numbers.inertia(link.name)).mass, dtype=float)
    for k in np.flatnonzero(~decisions.hold((len(rows),))):  # beams that are laid out otherwise
        total[k] = sum(link.inertia.mass for link in design_of(robot, parameters, rows[k]).links)
    return total.reshape(family.shape)
