"""Reading the catalogue numbers of gears, motors and brakes, and holding a demand against one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.parts.part import Check, Direction, Instant, Part, not_checked
from loadpath.robot.numbers import number, numbers, positive
from loadpath.robot.parts import Joint
from loadpath.robot.units import HEAVY_ROTOR, LARGEST_TORQUE_CONSTANT, meant
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.parts.gears.gear import Gear
    from loadpath.parts.motors.motor import Motor

FASTEST = 1500.0
"""rad/s, 14,000 rpm: hardly an input of a gear or a motor at a joint turns faster. What is above was meant in rpm."""


def titled(part: Part) -> str:
    """What a part is called in messages: "strain wave gear 'CSF-25'"."""
    return f"{part.kind} '{part.name}'" if part.name else part.kind


def check_name(part: Part) -> None:
    """The user's word for a part is a string."""
    if not isinstance(part.name, str):
        raise ModelError(f"name of a {part.kind} is {part.name!r}: expected a string")


def check_positive(part: Part, fields: Iterable[str], *, needed: Iterable[str] = ()) -> None:
    """All fields that are given are numbers above zero, and those that are needed are given."""
    for field in needed:
        if getattr(part, field) is None:
            raise ModelError(f"{titled(part)}: {field} is missing, expected a number above zero")
    for field in fields:
        value = getattr(part, field)
        if value is not None:
            object.__setattr__(part, field, positive(value, f"{field} of {titled(part)}"))


def check_not_negative(part: Part, fields: Iterable[str]) -> None:
    """All fields that are given are numbers from zero on."""
    for field in fields:
        value = getattr(part, field)
        if value is None:
            continue
        found = number(value, f"{field} of {titled(part)}")
        if found < 0:
            raise ModelError(f"{field} of {titled(part)} is {found}: expected zero or more")
        object.__setattr__(part, field, found)


def warn_of_rpm(part: Part, fields: Iterable[str], fastest: float = FASTEST) -> None:
    """Catalogues have speeds in rpm, this library in rad/s."""
    for field in fields:
        value = getattr(part, field)
        if value is not None and value > fastest:
            warn(question_of_rpm(field, titled(part), value))


def question_of_rpm(field: str, whose: str, value: float) -> str:
    """Of a speed that is one in rpm, most likely."""
    return (f"{field} of {whose} is {value:g} rad/s, {value * 30 / np.pi:.0f} rpm: if {value:g} rpm was meant, "
            f"{meant(field, value, 'rpm', 'math.pi / 30')}")


def curve(part: Part, field: str, of: str) -> tuple[tuple[float, float], ...]:
    """Points of a curve, the first number rising from zero or more, the second not negative; `of` names both."""
    given = getattr(part, field)
    what = f"{field} of {titled(part)}"
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ModelError(f"{what} is {given!r}: expected pairs {of}")
    points = [numbers(point, f"a point of the {what}", 2) for point in given]
    if len(points) < 2:
        raise ModelError(f"{what} has {len(points)} points: expected two or more pairs {of}")
    for (x, y), (further, _) in zip(points, [*points[1:], (np.inf, 0.0)], strict=True):
        if x < 0 or y < 0:
            raise ModelError(f"{what} has the point ({x:g}, {y:g}): expected pairs {of}, none negative")
        if further <= x:
            raise ModelError(f"{what} goes from {x:g} to {further:g}: expected pairs {of} in rising order")
    return tuple((point[0], point[1]) for point in points)


def at_curve(points: Sequence[tuple[float, float]], x: Floats) -> Floats:
    """A curve between its points; level before the first and zero beyond the last, where nothing is promised."""
    known, values = np.array(points).T
    found: Floats = np.interp(x, known, values, right=0.0)
    return found


def compare(
    check: str,
    demand: float,
    capacity: float | None,
    unit: str,
    field: str,
    at: Instant | None = None,
    along: Direction | None = None,
    note: str = "",
) -> Check:
    """A demand against a catalogue number; not checked where that is not given.

    >>> compare("peak torque", 3.0, 4.0, "N m", "peak_torque").utilisation
    0.75
    >>> compare("peak torque", 3.0, None, "N m", "peak_torque").note
    'not checked: no peak_torque given'
    """
    if capacity is None:
        return not_checked(check, f"no {field} given", unit)
    used = demand / capacity if capacity > 0 else np.inf if demand > 0 else 0.0
    return Check(check, float(demand), float(capacity), unit, float(used), at, along, note=note)


# Ratings that look like ones in another unit: rpm, mN m, N mm, kg cm^2, minutes. Only questions are asked.
#
# No rating is wrong by itself: motors give from a micronewton metre to kilonewton metres. So numbers of one part are
# held against each other, and those of the parts at one joint against each other. A slip of a unit is a factor of 60
# and more, mostly a thousand; bounds lie a factor of ten and more beyond what catalogues have.

SLUGGISH, NIMBLE = 50.0, 1e6
"""rad/s^2: what the continuous torque of a motor gives its own rotor; servo motors have 1e3 to 2e5."""
COOL, HOT = 0.02, 20e3
"""W: copper loss at the continuous torque; catalogues have 0.5 W to 2 kW."""
STRONG = 200e3
"""W: continuous torque times largest speed of a motor at a joint."""
INDUCED = 5.0
"""The voltage that a motor induces at its largest speed, of its supply: at most about one."""
CURRENTS = 20.0
"""Peak torque over peak current, of the torque constant, or the other way round: about one. Likewise the back EMF of
all phases.
"""
SHORT, SHORT_OF_SERVO, SERVO = 30.0, 100.0, 0.5
"""s: time constant of the housing (the only one of one body): of a tiny motor, and of one of 0.5 N m or more."""
TWIST = 0.3
"""rad: a gear under its largest torque; catalogues have a few mrad."""
APART = 100.0
"""How many times as much torque one part at a joint gives or bears as another: 1/5 to 5 is usual."""
GEAR_TORQUES = ("rated_torque", "nominal_torque", "average_torque", "peak_torque", "acceleration_torque",
                "momentary_torque", "emergency_stop_torque")
LARGEST_GEAR_TORQUE, LARGEST_OF_STRAIN_WAVES = 3e5, 3e4
"""N m: strain wave gears end at some 10 kN m, the momentary torque of the largest."""


def ask_of_motor(motor: Motor, before: Motor | None = None) -> None:
    """Warn of numbers of a motor that do not fit together, but for what it was asked `before` it was completed by the
    data of its drive train. Linear motors are not asked.
    """
    if not motor.linear:
        asked = [] if before is None else list(_of_motor(before))
        for question in _of_motor(motor):
            if question not in asked:
                warn(question)


def _of_motor(motor: Motor) -> Iterator[str]:
    whose = titled(motor)
    yield from _of_speeds(motor, whose)
    torque, field = _continuous(motor)
    rotor, constant, resistance = motor.rotor_inertia, motor.torque_constant, motor.resistance
    in_other = f"is it in mN m? {meant(field, torque or 0.0, 'mN m', 1e-3)}"
    gain = torque / rotor if torque and rotor else None
    current = torque / constant if torque and constant else None
    asked = False
    if gain is not None and gain > NIMBLE:
        asked = True
        yield (f"{field} of {whose} is {torque:g} N m: its rotor of {rotor:g} kg m^2 would gain {gain:.3g} rad/s in a "
               f"second, where servo motors gain up to 2e5: {in_other}")
    elif gain is not None and gain < SLUGGISH:
        yield (f"rotor_inertia of {whose} is {rotor:g} kg m^2: {torque:g} N m would bring it to no more than "
               f"{gain:.3g} rad/s in a second, where servo motors gain 1e3 and more: is it in kg cm^2? "
               f"{meant('rotor_inertia', rotor or 0.0, 'kg cm^2', 1e-4)}")
    elif rotor is not None and torque is None and rotor > HEAVY_ROTOR:
        yield (f"rotor_inertia of {whose} is {rotor:g} kg m^2: is it in kg cm^2? "
               f"{meant('rotor_inertia', rotor, 'kg cm^2', 1e-4)}")
    if torque and motor.max_speed and torque * motor.max_speed > STRONG and motor.max_speed <= FASTEST and not asked:
        asked = True
        yield (f"{field} of {whose} is {torque:g} N m: at its largest speed that is "
               f"{torque * motor.max_speed / 1000:.3g} kW: {in_other}")
    induced = motor.phases * motor.back_emf_constant if motor.back_emf_constant else None
    if constant and induced and not 1 / CURRENTS <= constant / induced <= CURRENTS:
        yield (f"torque_constant of {whose} is {constant:g} N m/A and its back_emf_constant "
               f"{motor.back_emf_constant:g} V s/rad: by the balance of power the one is {motor.phases} times "
               "the other: is one of them in mN m/A, or in V/krpm (9.549e-3 V s/rad)?")
        yield from _of_thermal(motor, whose, torque)
        return
    loss = motor.phases * resistance * current**2 if current and resistance else None
    if loss is not None and loss > HOT and not asked:
        yield (f"{field} of {whose} is {torque:g} N m: it would take {current:.3g} A and lose "
               f"{loss / 1000:.3g} kW in the copper: {in_other}")
    elif constant is not None and (why := _why_not(motor, constant, loss, torque)):
        yield (f"torque_constant of {whose} is {constant:g} N m/A: {why}: is it in mN m/A? "
               f"{meant('torque_constant', constant, 'mN m/A', 1e-3)} (and of a speed constant in rpm/V, "
               "k_t = 30 / (pi k_n))")
    yield from _of_thermal(motor, whose, torque)


def _of_speeds(motor: Motor, whose: str) -> Iterator[str]:
    """Largest speeds, which the voltage may confirm."""
    constant = motor.back_emf_constant or (motor.torque_constant or 0.0) / motor.phases
    reached = motor.voltage / constant if motor.voltage and constant else 0.0
    ends = {field: points[-1][0] for field in ("continuous_curve", "intermittent_curve")
            if (points := getattr(motor, field)) is not None}
    for field, speed in {"max_speed": motor.max_speed or 0.0, **ends}.items():
        if speed > max(FASTEST, 1.2 * reached):
            yield question_of_rpm(field, whose, speed)


def _continuous(motor: Motor) -> tuple[float | None, str]:
    """The continuous torque and the field that has it; the peak torque where only that is known."""
    if motor.continuous_torque is not None:
        return motor.continuous_torque, "continuous_torque"
    if motor.continuous_curve is not None:
        return max(torque for _, torque in motor.continuous_curve) or None, "continuous_curve"
    if motor.peak_torque is not None:
        return motor.peak_torque, "peak_torque"
    if motor.intermittent_curve is not None:
        return max(torque for _, torque in motor.intermittent_curve) or None, "intermittent_curve"
    return None, ""


def _why_not(motor: Motor, constant: float, loss: float | None, torque: float | None) -> str:
    """Why a torque constant is more than can be believed, if it is."""
    induced = (motor.back_emf_constant or constant / motor.phases) * (motor.max_speed or 0.0)
    if motor.voltage and (motor.max_speed or 0.0) <= FASTEST and induced > INDUCED * motor.voltage:
        return f"at its largest speed it would induce {induced:.4g} V, where the supply has {motor.voltage:g} V"
    if motor.peak_current and motor.peak_torque and constant * motor.peak_current > CURRENTS * motor.peak_torque:
        return (f"{motor.peak_current:g} A would give {constant * motor.peak_current:.4g} N m, where the peak torque "
                f"is {motor.peak_torque:g} N m")
    if loss is not None and torque is not None and loss < COOL:
        return f"{torque:g} N m would take {torque / constant:.3g} A and lose {loss:.2g} W in the copper"
    return "no motor has as much" if constant > LARGEST_TORQUE_CONSTANT else ""


def _of_thermal(motor: Motor, whose: str, torque: float | None) -> Iterator[str]:
    if motor.thermal is None:
        return
    given = motor.thermal.time_constant
    slowest = max(given) if isinstance(given, tuple) else given
    least = SHORT_OF_SERVO if torque is not None and torque >= SERVO else SHORT
    if slowest < least:
        yield (f"time_constant of the thermal model of {whose} is {slowest:g} s, where motors take minutes to warm: is "
               f"it in minutes? {meant('time_constant', slowest, 'min', '60')}")


def ask_of_gear(gear: Gear) -> None:
    """Warn of numbers of a gear that do not fit together."""
    whose = titled(gear)
    if abs(gear.ratio) < 1:
        warn(f"ratio of {whose} is {gear.ratio:g}: expected turns of the input per turn of the output, "
             f"{1 / gear.ratio:g} of a gear that slows the joint down")
    torque, field = _of_gear(gear)
    stiffness = gear.stiffness if not isinstance(gear.stiffness, tuple) else gear.stiffness[-1]
    if torque and stiffness and torque / stiffness > TWIST:
        warn(f"{whose} has the {field} {torque:g} N m and a stiffness of {stiffness:g} N m/rad: it would twist by "
             f"{torque / stiffness:.3g} rad: is the torque in N mm, {meant(field, torque, 'N mm', 1e-3)}, or the "
             f"stiffness in N m/arcmin, {meant('stiffness', stiffness, 'N m/arcmin', '10800 / math.pi')}?")
    elif torque > (LARGEST_OF_STRAIN_WAVES if gear.kind == "strain wave gear" else LARGEST_GEAR_TORQUE):
        warn(f"{field} of {whose} is {torque:g} N m: is it in N mm? {meant(field, torque, 'N mm', 1e-3)}")


def _of_gear(gear: Part) -> tuple[float, str]:
    """The largest torque that a gear is rated for, and its field."""
    known = ((getattr(gear, field, None) or 0.0, field) for field in GEAR_TORQUES)
    return max(known, default=(0.0, ""))


def ask_of_joint(joint: Joint, ratio: float | None, parts: Sequence[Part], new: Sequence[Part]) -> None:
    """Warn where the torques of two parts at one joint, or of a part and the joint's limit of effort, lie far apart.
    Only pairs with a part that is new are asked about; nothing is at joints that slide.
    """
    torques = [entry for part in parts if (entry := _at_joint(part, ratio)) is not None]
    for k, (torque, words, part) in enumerate(torques):
        for other_torque, other_words, other in torques[:k]:
            if _apart(torque, other_torque) and (part in new or other in new):
                warn(f"joint '{joint.name}': {words}, and {other_words}: is one of them in mN m or N mm?")
                return
        effort = joint.limits[0].effort
        if part in new and 0 < effort < float("inf") and _apart(torque, effort):
            warn(f"joint '{joint.name}': {words}, and its limit of effort is {effort:g} N m: is one of them in mN m or "
                 "N mm?")
            return


def _apart(one: float, other: float) -> bool:
    return not 1 / APART <= one / other <= APART


def _at_joint(part: Part, ratio: float | None) -> tuple[float, str, Part] | None:
    """The largest torque that a part gives or bears at the joint, in words."""
    if part.kind.endswith("gear"):
        torque, field = _of_gear(part)
        usual = getattr(part, "output_ratio", None) is None and torque
        return (torque, f"{titled(part)} bears {torque:g} N m ({field})", part) if usual else None
    fields = {"motor": ("peak_torque", "continuous_torque"), "brake": ("holding_torque",)}.get(part.kind, ())
    at_joint = getattr(part, "on", "motor") == "joint"
    given = [(value, field) for field in fields if (value := getattr(part, field)) is not None]
    if not given or getattr(part, "linear", False) or not (ratio or at_joint):
        return None
    torque, field = max(given)
    factor = 1.0 if at_joint else abs(ratio or 1.0)
    of = f"{torque:g} N m ({field})" + ("" if factor == 1 else f" times {factor:g} at the joint")
    return torque * factor, f"{titled(part)} has {of}", part
