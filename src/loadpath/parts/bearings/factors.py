"""Factors of equivalent loads: ISO 281, table 3 (balls) and table 8 (rollers), and ISO 76, tables 2 and 3."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.numbers import numbers, positive
from loadpath.scalars.types import Floats

# ISO 281:2007, table 3, single-row radial contact: e and Y by f0 Fa / C0r; X = 0.56.
DEEP_GROOVE_LOADS = np.array([0.172, 0.345, 0.689, 1.03, 1.38, 2.07, 3.45, 5.17, 6.89])
DEEP_GROOVE_E = np.array([0.19, 0.22, 0.26, 0.28, 0.30, 0.34, 0.38, 0.42, 0.44])
DEEP_GROOVE_Y = np.array([2.30, 1.99, 1.71, 1.55, 1.45, 1.31, 1.15, 1.04, 1.00])
F0_OF_OLD_TABLES = 12.3
"""Catalogues without f0 have the same table by Fa / C0: 0.172 / 0.014."""

# The same table, contact angle 15 degrees; X = 0.44 (Koyo, Ball & roller bearings, B 20, the same).
FIFTEEN = math.radians(15.0)
FIFTEEN_LOADS = np.array([0.178, 0.357, 0.714, 1.07, 1.43, 2.14, 3.57, 5.35, 7.14])
FIFTEEN_E = np.array([0.38, 0.40, 0.43, 0.46, 0.47, 0.50, 0.55, 0.56, 0.56])
FIFTEEN_Y = np.array([1.47, 1.40, 1.30, 1.23, 1.19, 1.12, 1.02, 1.00, 1.00])

# The same table, contact angles from 20 degrees on, whatever the load (30 and 40 degrees: Koyo, B 20, the same).
ANGLES = np.radians([20.0, 25.0, 30.0, 35.0, 40.0, 45.0])
ANGULAR_E = np.array([0.57, 0.68, 0.80, 0.95, 1.14, 1.34])
ANGULAR_X = np.array([0.43, 0.41, 0.39, 0.37, 0.35, 0.33])
ANGULAR_Y = np.array([1.00, 0.87, 0.76, 0.66, 0.57, 0.50])
# ISO 76:2006, table 2: X0 = 0.5.
ANGULAR_Y0 = np.array([0.42, 0.38, 0.33, 0.29, 0.26, 0.22])
FIFTEEN_Y0 = 0.46


@dataclass(frozen=True, eq=False)
class Factors:
    """e, X and Y of a single-row bearing: P = F_r for F_a <= e F_r, else X F_r + Y F_a; P0 = max(F_r, X0 F_r + Y0 F_a).

    `loads`, if there are, are values of f0 F_a / C0 at which `e` and `Y` hold: between them they are linear.
    """

    e: Floats
    X: float
    Y: Floats
    X0: float
    Y0: float
    loads: Floats | None = None
    per_newton: float = 0.0
    """f0 / C0."""

    def at(self, axial: Floats) -> tuple[Floats, Floats]:
        """e and Y under axial forces (N)."""
        if self.loads is None:
            return self.e, self.Y
        relative = self.per_newton * axial
        return np.interp(relative, self.loads, self.e), np.interp(relative, self.loads, self.Y)

    def shares(self, radial: Floats, axial: Floats) -> tuple[Floats, Floats]:
        """By how much radial and axial force enter P: X and Y, or 1 and 0."""
        e, Y = self.at(axial)
        beyond = axial > e * radial
        return np.where(beyond, self.X, 1.0), np.where(beyond, Y, 0.0)

    def static_shares(self, radial: Floats, axial: Floats) -> tuple[Floats, Floats]:
        """By how much radial and axial force enter P0."""
        beyond = self.X0 * radial + self.Y0 * axial > radial
        return np.where(beyond, self.X0, 1.0), np.where(beyond, self.Y0, 0.0)


def deep_groove(C0: float | None, f0: float | None) -> Factors:
    """Of deep-groove ball bearings. Without C0 the smallest row of the table, which is on the safe side."""
    per_newton = 0.0 if C0 is None else (F0_OF_OLD_TABLES if f0 is None else f0) / C0
    return Factors(DEEP_GROOVE_E, 0.56, DEEP_GROOVE_Y, 0.6, 0.5, DEEP_GROOVE_LOADS, per_newton)


def angular_contact(angle: float, C0: float | None, f0: float | None, of: str) -> Factors:
    """Of angular contact ball bearings, by their contact angle (rad)."""
    if abs(angle - FIFTEEN) < 1e-3:
        per_newton = 0.0 if C0 is None else (F0_OF_OLD_TABLES if f0 is None else f0) / C0
        return Factors(FIFTEEN_E, 0.44, FIFTEEN_Y, 0.5, FIFTEEN_Y0, FIFTEEN_LOADS, per_newton)
    if not ANGLES[0] - 1e-3 <= angle <= ANGLES[-1] + 1e-3:
        raise ModelError(f"contact_angle {of} is {math.degrees(angle):.4g} degrees: expected 15, or from 20 to 45 "
                         "(ISO 281, table 3); of others give the catalogue's factors=(e, X, Y) and "
                         "static_factors=(X0, Y0)")
    e, X, Y, Y0 = (float(np.interp(angle, ANGLES, row)) for row in (ANGULAR_E, ANGULAR_X, ANGULAR_Y, ANGULAR_Y0))
    return Factors(np.asarray(e), X, np.asarray(Y), 0.5, Y0)


def tapered(angle: float) -> Factors:
    """Of single-row tapered roller bearings, by their contact angle (rad): ISO 281, table 8, ISO 76, table 3."""
    cot = 1.0 / math.tan(angle)
    return Factors(np.asarray(1.5 / cot), 0.4, np.asarray(0.4 * cot), 0.5, 0.22 * cot)


def catalogue_factors(given: object, static: object, of: str) -> Factors:
    """(e, X, Y) and (X0, Y0) of a catalogue; without the latter P0 counts both forces in full."""
    e, X, Y = (positive(each, f"factors {of}") for each in numbers(given, f"factors {of}", 3))
    X0, Y0 = (1.0, 1.0) if static is None else numbers(static, f"static_factors {of}", 2)
    return Factors(np.asarray(e), X, np.asarray(Y), X0, Y0)


def angle_of_taper(Y: float) -> float:
    """Contact angle (rad) from the factor Y of the catalogue, Y = 0.4 cot(angle).

    >>> round(math.degrees(angle_of_taper(1.6)), 2)
    14.04
    """
    return math.atan2(0.4, Y)
