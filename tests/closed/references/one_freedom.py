"""The slider-crank of the catalog (no offset) as one equation in the angle of its crank, by Lagrange, with friction.

    m(theta) theta'' + m'(theta) theta'^2 / 2 + V'(theta) = tau - damping theta' -+ friction

Positions are closed formulas of the angle; derivatives are taken by a complex step, exact to rounding.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

CRANK, ROD, MASSES, WIDTH, GRAVITY = 0.05, 0.20, (1.2, 0.8, 0.6), 0.032, 9.81
_STEP = 1e-40


def places(theta):
    """Angle of the rod from x, place of the slider."""
    lean = -np.arcsin(CRANK * np.sin(theta) / ROD)
    return lean, CRANK * np.cos(theta) + ROD * np.cos(lean)


def coordinates(theta):
    """q of the catalog's robot."""
    lean, slider = places(theta)
    return np.stack([theta, lean - theta, slider], axis=-1)


def ratios(theta):
    """T: speeds of crank, rod joint and slider per unit speed of the crank."""
    lean = -CRANK * np.cos(theta) / (ROD * np.cos(places(theta)[0]))
    slider = -CRANK * np.sin(theta) - ROD * np.sin(places(theta)[0]) * lean
    return np.stack([np.ones_like(theta), lean - 1, slider], axis=-1)


def inertia(theta, masses=MASSES):
    """m: twice the kinetic energy at unit speed of the crank."""
    lean, _ = places(theta)
    _, turn, slide = np.moveaxis(ratios(theta), -1, 0)
    turn = turn + 1
    crank, rod, slider = masses
    across = -CRANK * np.sin(theta) - 0.5 * ROD * np.sin(lean) * turn
    up = CRANK * np.cos(theta) + 0.5 * ROD * np.cos(lean) * turn
    own = crank * (CRANK**2 / 3 + WIDTH**2 / 12)
    return own + rod * (across**2 + up**2 + (ROD**2 + WIDTH**2) / 12 * turn**2) + slider * slide**2


def potential(theta, masses=MASSES):
    """V."""
    crank, rod, _ = masses
    lean, _ = places(theta)
    height = CRANK * np.sin(theta) + 0.5 * ROD * np.sin(lean)
    return GRAVITY * (0.5 * crank * CRANK * np.sin(theta) + rod * height)


def slope(function, theta, masses=MASSES):
    """Derivative by a complex step."""
    return np.imag(function(theta + 1j * _STEP, masses)) / _STEP


def acceleration(theta, speed, force, masses=MASSES):
    """theta'' under a generalised force."""
    bias = 0.5 * slope(inertia, theta, masses) * speed**2 + slope(potential, theta, masses)
    return (force - bias) / inertia(theta, masses)


def simulated(theta, speed, times, tau=0.0, viscous=(0.0, 0.0, 0.0), coulomb=(0.0, 0.0, 0.0)):
    """Angle and speed of the crank at the times; it may come to rest for good on the way."""
    viscous, coulomb = np.array(viscous), np.array(coulomb)

    def rate(t, y, direction):
        T = ratios(y[0])
        force = tau - viscous @ T**2 * y[1] - direction * (coulomb @ np.abs(T))
        return y[1], acceleration(y[0], y[1], force)

    def stops(t, y, direction):
        return y[1] * direction

    stops.terminal, stops.direction = True, -1
    t, y, found = 0.0, np.array([theta, speed]), []
    while len(found) < len(times):
        push = tau - slope(potential, y[0])
        direction = np.sign(y[1]) or np.sign(push)
        if y[1] == 0.0 and abs(push) <= coulomb @ np.abs(ratios(y[0])):
            return np.array([*found, *[y] * (len(times) - len(found))]), t
        ahead = times[len(found) :]
        run = solve_ivp(rate, (t, times[-1]), y, "DOP853", ahead, events=stops if coulomb.any() else None,
                        args=(direction,), rtol=1e-10, atol=1e-11)
        found += list(run.y.T)
        if run.status == 1:
            t, y = run.t_events[0][0], np.array([run.y_events[0][0][0], 0.0])
    return np.array(found), None
