"""Numbers with units: "15 deg", "69.3 kN", "20 mm", and quantities of libraries of units (anything that has
`to_base_units()`, as of Pint); plain numbers are in SI units.

Each key takes the units of what it measures and no others: a load rating in kN m, or a length in degrees, is a mistake
of the file, not a number. What a key measures is said by the field of the class that it is for (`robot/measures.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from loadpath.robot.measures import Measures, measured_by
from loadpath.robot.quantities_with_units import is_quantity, of_quantity

_DEGREE, _TURN = math.pi / 180, 2 * math.pi

UNITS = {
    "length": {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3},
    "angle": {"rad": 1.0, "deg": _DEGREE, "arcmin": _DEGREE / 60, "arcsec": _DEGREE / 3600},
    "mass": {"kg": 1.0, "g": 1e-3, "t": 1e3},
    "force": {"N": 1.0, "kN": 1e3},
    "torque": {"N m": 1.0, "Nm": 1.0, "kN m": 1e3, "kNm": 1e3, "mN m": 1e-3, "mNm": 1e-3, "N mm": 1e-3, "Nmm": 1e-3,
               "N cm": 1e-2, "Ncm": 1e-2},
    "time": {"s": 1.0, "ms": 1e-3, "min": 60.0, "h": 3600.0},
    "life": {"h": 1.0, "kh": 1e3},
    "speed": {"rad/s": 1.0, "deg/s": _DEGREE, "rpm": _TURN / 60, "1/min": _TURN / 60},
    "speed of a slide": {"m/s": 1.0, "mm/s": 1e-3},
    "acceleration": {"m/s^2": 1.0},
    "angular acceleration": {"rad/s^2": 1.0, "deg/s^2": _DEGREE},
    "moment of inertia": {"kg m^2": 1.0, "kg cm^2": 1e-4, "g cm^2": 1e-7, "kg mm^2": 1e-6},
    "torsional stiffness": {"N m/rad": 1.0, "Nm/rad": 1.0, "kN m/rad": 1e3, "kNm/rad": 1e3, "N m/arcmin": 60 / _DEGREE,
                            "Nm/arcmin": 60 / _DEGREE},
    "stiffness": {"N/m": 1.0, "kN/m": 1e3, "N/mm": 1e3},
    "damping": {"N m s/rad": 1.0, "Nm s/rad": 1.0},
    "damping of a slide": {"N s/m": 1.0},
    "voltage": {"V": 1.0},
    "current": {"A": 1.0},
    "resistance": {"ohm": 1.0, "mohm": 1e-3},
    "inductance": {"H": 1.0, "mH": 1e-3},
    "energy": {"J": 1.0, "kJ": 1e3},
    "power": {"W": 1.0, "kW": 1e3},
    "motor constant": {"N m/A": 1.0, "Nm/A": 1.0, "N/A": 1.0, "V s/rad": 1.0, "V s/m": 1.0, "mN m/A": 1e-3,
                       "mNm/A": 1e-3, "V/krpm": 30 / math.pi / 1e3, "V/rpm": 30 / math.pi,
                       "rpm/V": 30 / math.pi},
    "share": {"%": 1e-2},
    "area": {"m^2": 1.0, "cm^2": 1e-4, "mm^2": 1e-6},
    "section modulus": {"m^3": 1.0, "cm^3": 1e-6, "mm^3": 1e-9},
    "second moment of area": {"m^4": 1.0, "cm^4": 1e-8, "mm^4": 1e-12},
    "stress": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm^2": 1e6, "N/cm^2": 1e4},
    "density": {"kg/m^3": 1.0, "g/cm^3": 1e3},
    "frequency": {"Hz": 1.0, "kHz": 1e3},
    "temperature": {"degC": 1.0},
    "thermal resistance": {"K/W": 1.0},
    "temperature coefficient": {"1/K": 1.0},
    "plain number": {},
}
"""By what is measured, to SI units; lives stay in hours, temperatures in degrees Celsius."""
_INVERSE = frozenset({"rpm/V"})
"""Units of a speed constant, whose inverse is the motor constant: SI units are the factor over the number."""

_NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?:\s+(?=1/)|\s*(?=[^\d\s.]))(.*?)\s*")
_WRITTEN = str.maketrans({"·": " ", "*": " ", "²": "^2", "³": "^3", "⁴": "^4", "°": "deg", "Ω": "ohm"})


def in_si(value: object, measures: Measures, key: str, slides: bool | None = None) -> object:
    """A number with its unit in SI units, as what it `measures` has them; plain numbers, and keys of words, which
    measure nothing, as they are; lists and tables entry by entry, those of a table as its class says. Where it is known
    whether the joint `slides` or turns, what measures one or the other takes only that. `key` is named in errors.

    >>> in_si("69.3 kN", ("force",), "C"), in_si(["10 mm", 2.5], ("length",), "center_of_mass"), in_si("20", (), "name")
    (69300.0, [0.01, 2.5], '20')
    >>> in_si("69.3 kN m", ("force",), "C")
    Traceback (most recent call last):
        ...
    ValueError: C is '69.3 kN m', a torque: expected a force, in N or kN
    """
    if isinstance(value, (list, tuple)):
        return type(value)([in_si(entry, measures, key, slides) for entry in value])
    if isinstance(value, Mapping):
        inside = _inside(value, measures)
        return {name: in_si(entry, inside.get(name, ()), name, slides) for name, entry in value.items()}
    of_numbers = [what for what in measures if isinstance(what, str)]
    quantity = is_quantity(value)
    if not (isinstance(value, str) or quantity) or not of_numbers:
        return value
    if slides is not None and len(of_numbers) > 1:  # of a joint that turns, and of one that slides, by turns
        of_numbers = of_numbers[slides::2]
    if quantity:
        return of_quantity(value, of_numbers, key)
    assert isinstance(value, str)
    units = {unit: factor for what in of_numbers for unit, factor in UNITS[what].items()}
    found = _NUMBER.fullmatch(value)
    unit = "" if found is None else " ".join(found[2].translate(_WRITTEN).split())
    if found is not None and unit in units:
        if unit in _INVERSE:
            if float(found[1]) == 0:
                raise ValueError(f"{key} is '{value}': a speed constant is more than zero")
            return units[unit] / float(found[1])
        number = float(found[1]) * units[unit]
        if math.isinf(number):  # which would count as no limit at all
            raise ValueError(f"{key} is '{value}': expected a smaller number")
        return number
    if not units:
        raise ValueError(f"{key} is '{value}': expected a number, which has no unit")
    other = next((f", {_a(what)}" for what, known in UNITS.items() if unit in known), "")
    one_of = f"{', '.join([*units][:-1])} or {[*units][-1]}" if len(units) > 1 else next(iter(units))
    raise ValueError(f"{key} is '{value}'{other}: expected {_a(' or '.join(of_numbers))}, in {one_of}")


def has_unit(value: object) -> bool:
    """Whether it is a number with a unit in text or a quantity, or a list or table with some in it.

    >>> has_unit("3 mm"), has_unit(3.0), has_unit([0, "3 mm"]), has_unit("steel")
    (True, False, True, False)
    """
    if value is None or isinstance(value, (float, int)):
        return False
    if isinstance(value, (list, tuple)):
        return any(map(has_unit, value))
    if isinstance(value, Mapping):
        return any(map(has_unit, value.values()))
    return is_quantity(value) if not isinstance(value, str) else _NUMBER.fullmatch(value) is not None


def _inside(table: Mapping[str, object], measures: Measures) -> Mapping[str, Measures]:
    """What the keys of a table in a table measure: of several classes, that which knows most of them."""
    classes = [measured_by(what) for what in measures if isinstance(what, type)]
    return max(classes, key=lambda known: len(known.keys() & table.keys()), default={})


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aei' else 'a'} {what}"


def kinds_of_unit(unit: str) -> tuple[str, ...]:
    """What a unit may measure: "h" a time or a life, "rpm" a speed.

    >>> kinds_of_unit("h"), kinds_of_unit("kg"), kinds_of_unit("parsec")
    (('time', 'life'), ('mass',), ())
    """
    return tuple(kind for kind, units in UNITS.items() if unit in units)


def kinds_of_si_unit(unit: str) -> tuple[str, ...]:
    """What is measured in an SI unit, as the parameters of a robot name theirs; lives, whose unit is the hour, too.

    >>> kinds_of_si_unit("kg m^2"), kinds_of_si_unit("SI")
    (('moment of inertia',), ())
    """
    return tuple(kind for kind, units in UNITS.items() if units.get(unit) == 1.0)


def unit_in(text: str) -> str | None:
    """The unit of a number in text, "" of a number without one; None of what is no number.

    >>> unit_in("12 kg"), unit_in("12"), unit_in("steel")
    ('kg', '', None)
    """
    found = _NUMBER.fullmatch(text)
    if found is not None:
        return " ".join(found[2].translate(_WRITTEN).split())
    try:
        float(text)
    except ValueError:
        return None
    return ""
