"""Numbers with units in projects: "15 deg", "69.3 kN", "20 mm"; plain numbers are in SI units.

Each key takes the units of what it measures and no others: a load rating in kN m, or a length in degrees, is a mistake
of the file, not a number.
"""

from __future__ import annotations

import math
import re

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
    "torsional stiffness": {"N m/rad": 1.0, "Nm/rad": 1.0, "N m/arcmin": 60 / _DEGREE, "Nm/arcmin": 60 / _DEGREE},
    "stiffness": {"N/m": 1.0, "N/mm": 1e3},
    "damping": {"N m s/rad": 1.0, "Nm s/rad": 1.0},
    "damping of a slide": {"N s/m": 1.0},
    "voltage": {"V": 1.0},
    "current": {"A": 1.0},
    "resistance": {"ohm": 1.0, "mohm": 1e-3},
    "inductance": {"H": 1.0, "mH": 1e-3},
    "energy": {"J": 1.0, "kJ": 1e3},
    "motor constant": {"N m/A": 1.0, "Nm/A": 1.0, "N/A": 1.0, "V s/rad": 1.0, "V s/m": 1.0, "mN m/A": 1e-3,
                       "mNm/A": 1e-3, "V/krpm": 30 / math.pi / 1e3, "V/rpm": 30 / math.pi,
                       "rpm/V": 30 / math.pi},
    "share": {"%": 1e-2},
    "area": {"m^2": 1.0, "cm^2": 1e-4, "mm^2": 1e-6},
    "section modulus": {"m^3": 1.0, "cm^3": 1e-6, "mm^3": 1e-9},
    "second moment of area": {"m^4": 1.0, "cm^4": 1e-8, "mm^4": 1e-12},
    "stress": {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6, "GPa": 1e9, "N/mm^2": 1e6},
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

_KEYS = {
    ("length",): "center_of_mass dp offset spacing positions circle bearing_offset critical_stroke rated_travel lead "
    "point on_parent on_child free_length",
    ("angle",): "contact_angle critical_angle backlash hysteresis torsion_limit",
    ("angle", "length"): "lower upper rest",
    ("mass",): "mass",
    ("force",): "C C0 axial_force radial_force preload largest_preload least_clamp proof_load force",
    ("torque",): "rated_torque average_torque momentary_torque stiffness_torques acceleration_torque "
    "emergency_stop_torque emergency_torque nominal_torque permitted_moment moments no_load_torque torque",
    ("torque", "force"): "effort spring.preload peak_torque continuous_torque holding_torque braking_torque brake "
    "coulomb static allowable_moment",
    ("time",): "from to emergency_time overload_time response_time duration thermal.time_constant",
    ("life",): "rated_life hours",
    ("speed",): "rated_speed average_input_speed max_input_speed max_output_speed nominal_input_speed emergency_speed",
    ("speed", "speed of a slide"): "velocity max_speed stribeck_speed",
    ("speed", "speed of a slide", "torque", "force"): "continuous_curve intermittent_curve",
    ("acceleration",): "gravity",
    ("moment of inertia",): "inertia rotor_inertia armature",
    ("torsional stiffness", "stiffness"): "stiffness",
    ("damping", "damping of a slide"): "viscous",
    ("voltage",): "voltage",
    ("current",): "peak_current",
    ("resistance",): "resistance",
    ("inductance",): "inductance",
    ("energy",): "energy_per_stop total_energy",
    ("motor constant",): "torque_constant back_emf_constant",
    ("share",): "efficiency reliability friction share speed",
    ("temperature",): "thermal.ambient thermal.limit thermal.reference",
    ("thermal resistance",): "thermal.resistance",
    ("temperature coefficient",): "thermal.copper_coefficient",
    ("plain number",): "ratio output_ratio load_factor life_factor static_safety cycles_factor exponent "
    "rated_life_percent Y f0 factors static_factors induced bolts safety up normal stops emergency_count phases "
    "pole_pairs max_inertia_ratio repeat",
}

_INSIDE: dict[str, dict[tuple[str, ...], str]] = {
    "base": {
        ("length",): "position center_of_mass",
        ("angle",): "rpy heading steering",
        ("speed of a slide", "speed"): "velocity",
        ("acceleration", "angular acceleration"): "acceleration",
    },
    "ground": {("angle",): "slope", ("acceleration",): "gravity", ("share",): "sliding static rolling"},
    "wheel": {
        ("length",): "position radius trail",
        ("angle",): "direction roller_angle",
        ("stiffness",): "stiffness grip_stiffness",
        ("moment of inertia",): "spin_inertia",
        ("plain number",): "compliance grip_compliance",
    },
    "rating": {
        ("force",): "load dynamic_load side_force",
        ("speed of a slide",): "speed",
        ("torque",): "torque",
    },
    "beam": {("length",): "start", ("plain number",): "y_axis", ("share",): "share"},
    "section": {
        ("length",): "width height wall flange web outer_radius radius across_flats extreme_y extreme_z points holes",
        ("area",): "area",
        ("second moment of area",): "second_moment_y second_moment_z torsion_constant",
        ("section modulus",): "torsion_modulus",
        ("plain number",): "shear_factor_y shear_factor_z shear_peak_y shear_peak_z elements",
    },
    "material": {
        ("stress",): "youngs_modulus shear_modulus yield_strength ultimate_strength transverse_modulus",
        ("density",): "density",
        ("plain number",): "poisson_ratio",
    },
    "fatigue": {
        ("stress",): "stress_range",
        ("plain number",): "cycles slope knee slope_beyond cut_off mean_sensitivity shear",
    },
    "guide": {("length",): "front tail at spacing"},
    "compliance": {
        ("torsional stiffness", "stiffness"): "drive",
        ("torsional stiffness",): "tilting rotation",
        ("stiffness",): "radial axial translation",
        ("damping", "damping of a slide"): "damping",
    },
    "dh": {
        ("length",): "d a",
        ("angle",): "theta alpha",
        ("angle", "length"): "offset limits",
        ("damping", "damping of a slide"): "viscous_friction",
        ("torque", "force"): "coulomb_friction",
        ("plain number",): "gear_ratio",
    },
    "through": {
        ("angle", "length"): "through",
        ("time",): "times",
        ("speed", "speed of a slide"): "velocity",
        ("angular acceleration", "acceleration"): "acceleration",
        ("frequency",): "rate",
    },
}
"""Keys of tables that mean something else elsewhere, by what their table is about."""

MEASURES = {key: what for what, keys in _KEYS.items() for key in keys.split()} | {
    f"{inside}.{key}": what for inside, table in _INSIDE.items() for what, keys in table.items() for key in keys.split()
}
"""What each key measures, one of several; those of `_INSIDE` with what their table is about in front."""

_NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?:\s+(?=1/)|\s*(?=[^\d\s.]))(.*?)\s*")
_WRITTEN = str.maketrans({"·": " ", "*": " ", "²": "^2", "³": "^3", "⁴": "^4", "°": "deg", "Ω": "ohm"})


def in_si(value: object, key: str, slides: bool | None = None, inside: str = "") -> object:
    """A number with its unit in SI units, as this key takes them; plain numbers and keys of words as they are, lists
    and tables entry by entry. A table in a table has its keys after its own: "thermal.resistance". Where it is known
    whether the joint `slides` or turns, keys that measure one or the other, as "velocity", take only that. `inside` is
    what the table is about, like "wheel", where its keys mean something else elsewhere.

    >>> in_si("69.3 kN", "C"), in_si(["10 mm", 2.5], "center_of_mass"), in_si("20 mm", "name")
    (69300.0, [0.01, 2.5], '20 mm')
    >>> in_si("69.3 kN m", "C")
    Traceback (most recent call last):
        ...
    ValueError: C is '69.3 kN m', a torque: expected a force, in N or kN
    """
    if inside:
        key = scoped if (scoped := f"{inside}.{key}") in MEASURES else key
    if isinstance(value, list):
        return [in_si(entry, key, slides) for entry in value]
    if isinstance(value, dict):
        return {name: in_si(entry, inside if (inside := f"{key}.{name}") in MEASURES else name, slides)
                for name, entry in value.items()}
    if not isinstance(value, str) or key not in MEASURES:
        return value
    measures = MEASURES[key]
    if slides is not None and len(measures) > 1:  # of a joint that turns, and of one that slides, by turns
        measures = measures[slides::2]
    units = {unit: factor for what in measures for unit, factor in UNITS[what].items()}
    found = _NUMBER.fullmatch(value)
    unit = "" if found is None else " ".join(found[2].translate(_WRITTEN).split())
    if found is not None and unit in units:
        if unit in _INVERSE:
            if float(found[1]) == 0:
                raise ValueError(f"{key.rpartition('.')[2]} is '{value}': a speed constant is more than zero")
            return units[unit] / float(found[1])
        number = float(found[1]) * units[unit]
        if math.isinf(number):  # which would count as no limit at all
            raise ValueError(f"{key.rpartition('.')[2]} is '{value}': expected a smaller number")
        return number
    called = key.rpartition(".")[2]
    if not units:
        raise ValueError(f"{called} is '{value}': expected a number, which has no unit")
    other = next((f", {_a(what)}" for what, known in UNITS.items() if unit in known), "")
    one_of = f"{', '.join([*units][:-1])} or {[*units][-1]}" if len(units) > 1 else next(iter(units))
    raise ValueError(f"{called} is '{value}'{other}: expected {_a(' or '.join(measures))}, in {one_of}")


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aei' else 'a'} {what}"
