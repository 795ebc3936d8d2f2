"""Checks of many designs at once by their rules (`part.Rule`): reductions of signals (designs, states)."""

from __future__ import annotations

import math

import numpy as np

from loadpath.loads.motors.motor_side import Motors, at_shaft
from loadpath.parts.part import Check, MotorSide, Rule
from loadpath.scalars.types import Floats


def used_by_rule(
    rule: Rule, check: Check, mean_speed: float, signal: Floats, speed: Floats, weights: Floats
) -> tuple[Floats, Floats]:
    """Utilisation and hours of a check, (designs,) each; hours are NaN of what is no life. `check` is how it came out
    for one design, whose speed has the magnitude `mean_speed` in the mean. `speed` is (designs, states) or (states,),
    `weights` (states,) are shares of time.

    >>> rule = Rule("rms", lambda loads: loads.drive)
    >>> check = Check("RMS torque", 2.0, 4.0, "N m", 0.5)
    >>> signal, half = np.array([[3.0, 3.0], [4.0, -4.0]]), np.array([0.5, 0.5])
    >>> used_by_rule(rule, check, 1.0, signal, np.ones(2), half)[0].tolist()
    [0.75, 1.0]
    """
    nothing = np.full(len(signal), np.nan)
    if rule.reduction == "largest":
        demand = np.maximum(signal.max(axis=1), 0.0)
    elif rule.reduction == "average":
        demand = signal @ weights
    elif rule.reduction == "rms":
        demand = np.sqrt((signal * signal) @ weights)
    else:
        size = np.abs(speed)
        turned = np.broadcast_to(size * weights, signal.shape)
        turned = np.where((turned.sum(axis=1) == 0)[:, None], weights, turned)
        worn = (turned * _powered(signal, rule.exponent)).sum(axis=1)
        demand = (worn / turned.sum(axis=1)) ** (1.0 / rule.exponent)
        if rule.reduction == "life":
            fast = np.broadcast_to(size @ weights, nothing.shape)
            return _life(rule, check, mean_speed, rule.factor * demand, fast)
    return rule.factor * demand / check.capacity, nothing


def _powered(signal: Floats, exponent: float) -> Floats:
    """Products take a tenth of the time of a power. Signals may have derivatives, so what comes is what goes."""
    return signal * signal * signal if exponent == 3.0 else signal**exponent


def _life(rule: Rule, check: Check, mean_speed: float, demand: Floats, speed: Floats) -> tuple[Floats, Floats]:
    """From one design's life: hours go with demand^-p and with the inverse of the mean speed."""
    hours = check.life_hours
    if hours is None or math.isinf(hours) or check.demand == 0.0:
        return np.full(len(demand), check.utilisation), np.full(len(demand), math.inf if hours is None else hours)
    with np.errstate(divide="ignore"):
        longer = (check.demand / demand) ** rule.exponent * (mean_speed / speed)
    used = np.full(len(demand), check.utilisation)
    if not math.isnan(check.utilisation):
        used = check.utilisation * longer ** (-1.0 / rule.exponent)
    return used, hours * longer


def motor_at(motors: Motors, k: int, tau: Floats, speed: Floats, acceleration: Floats) -> MotorSide:
    """What the k-th motor does for forces `tau` of its drive, at that speed and acceleration of its joint."""
    ratio = float(motors.ratio[k])
    shaft = at_shaft(tau, speed, acceleration, ratio, float(motors.rotor_inertia[k]),
                     (float(motors.forward[k]), float(motors.backward[k])), float(motors.no_load_torque[k]))
    torque = shaft.gear + shaft.rotor + shaft.idle
    return MotorSide(torque, ratio * speed, torque / motors.torque_constant[k], ratio)
