"""Numbers with units in cells: "15 deg", "69.3 kN", "20 mm"; plain numbers are in SI units."""

from __future__ import annotations

import math
import re

FACTORS = {
    "m": 1.0, "mm": 1e-3, "cm": 1e-2, "rad": 1.0, "deg": math.pi / 180, "kg": 1.0, "g": 1e-3, "t": 1e3,
    "N": 1.0, "kN": 1e3, "N m": 1.0, "Nm": 1.0, "kN m": 1e3, "kNm": 1e3, "mN m": 1e-3, "mNm": 1e-3,
    "s": 1.0, "ms": 1e-3, "min": 60.0, "h": 1.0, "kh": 1e3,
    "rad/s": 1.0, "deg/s": math.pi / 180, "rpm": math.pi / 30, "1/min": math.pi / 30, "m/s": 1.0, "mm/s": 1e-3,
    "kg m^2": 1.0, "kg cm^2": 1e-4, "g cm^2": 1e-7, "kg mm^2": 1e-6,
    "N m/rad": 1.0, "Nm/rad": 1.0, "N m/arcmin": 60 * 180 / math.pi, "Nm/arcmin": 60 * 180 / math.pi,
    "arcmin": math.pi / 180 / 60, "arcsec": math.pi / 180 / 3600,
    "W": 1.0, "kW": 1e3, "V": 1.0, "A": 1.0, "ohm": 1.0, "mohm": 1e-3, "H": 1.0, "mH": 1e-3, "J": 1.0, "kJ": 1e3,
    "N m/A": 1.0, "Nm/A": 1.0, "%": 1e-2, "K": 1.0, "degC": 1.0, "N/m": 1.0, "N/mm": 1e3, "MPa": 1e6, "GPa": 1e9,
    "K/W": 1.0, "J/K": 1.0,
}  # fmt: skip
"""To SI units; lives stay in hours, temperatures in degrees Celsius."""

_NUMBER = re.compile(r"\s*([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([^\d\s].*?)\s*")


def in_si(value: object) -> object:
    """A number with its unit in SI units; all else as it is, lists and tables entry by entry.

    >>> in_si("69.3 kN"), in_si(["10 mm", 2.5]), in_si("tool0")
    (69300.0, [0.01, 2.5], 'tool0')
    """
    if isinstance(value, list):
        return [in_si(entry) for entry in value]
    if isinstance(value, dict):
        return {key: in_si(entry) for key, entry in value.items()}
    if not isinstance(value, str):
        return value
    found = _NUMBER.fullmatch(value)
    if found is None or found[2] not in FACTORS:
        return value
    return float(found[1]) * FACTORS[found[2]]
