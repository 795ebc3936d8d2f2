"""Questions about the units of a base: numbers that no vehicle has in metres and kilograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import warn
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.robot.wheels.base import BaseModel

FAR = 10.0
"""Times the distance of the farthest contacts from each other: no mass center is so far outside them."""
HIGH = 20.0
"""The same for its height."""
WHEEL = 3.0
"""The same for the radius of a wheel."""
LARGEST_WHEEL = 10.0
"""m; the wheels of the largest dump trucks have 2 m."""
LARGEST_BASE = 200.0
"""m; the crawlers of the largest excavator stand 50 m apart."""
HEAVIEST = 22600.0
"""kg/m^3: osmium. No body has so much mass in a cube as large as its track."""

SUNK = 0.25
"""The same for how far a base sinks in on its tyres; that of a car does by a tenth, from its unloaded springs."""


def extent_of(points: Floats) -> float:
    """The largest distance of two contacts (m)."""
    return float(np.linalg.norm(points[:, None] - points[None], axis=-1).max(initial=0.0))


def ask_about_units(base: BaseModel) -> None:
    """One question for everything that would fit other units, in a warning; the numbers stay."""
    extent, height = extent_of(base.positions), abs(base.center_of_mass[2])
    questions = []
    if extent > LARGEST_BASE:
        questions.append(f"its contacts lie up to {extent:.4g} m apart: are they in millimetres?")
    for wheel in base.wheels:
        radius = getattr(wheel, "radius", 0.0)
        if radius > LARGEST_WHEEL or radius > WHEEL * extent:
            questions.append(f"the radius of '{wheel.name}' is {radius:.4g} m, the contacts lie up to {extent:.4g} m "
                             "apart: is it in millimetres?")
            break
    if base.mass > 0 and height > HIGH * extent:
        questions.append(f"its mass center lies {height:.4g} m high, the contacts up to {extent:.4g} m apart: is it in "
                         "millimetres?")
    elif base.mass > HEAVIEST * max(extent, 2 * height) ** 3:
        questions.append(f"its mass is {base.mass:.4g} kg, the contacts lie up to {extent:.4g} m apart: is it in "
                         "grams?")
    stiffness = sum(wheel.stiffness or 0.0 for wheel in base.wheels)
    if stiffness and 9.81 * base.mass > SUNK * extent * stiffness:
        sunk = 9.81 * base.mass / stiffness
        questions.append(f"on its tyres, {stiffness:.4g} N/m in all, its own weight sinks it in by {sunk:.4g} m, the "
                         f"contacts lie up to {extent:.4g} m apart: is their stiffness in N/mm?")
    if questions:
        warn(f"base '{base.name}': {'; '.join(questions)}")


def ask_about_mount(base: str, positions: Floats, robot: str, at: Sequence[float]) -> None:
    """Ask whether the place of a robot on a base is in millimetres, where it is far beyond the base's own size."""
    distance, extent = math.hypot(*at), extent_of(positions)
    if distance > HIGH * extent:
        warn(f"base '{base}': robot '{robot}' is mounted {distance:.4g} m from the origin of the base frame, the "
             f"contacts lie up to {extent:.4g} m apart: is it in millimetres?")
