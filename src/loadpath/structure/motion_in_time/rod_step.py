"""One step along a rod: where its end is against its start, for any bending, twist, stretch and shear.

A rod's cross sections follow g' = g A, with A its strain: curvature and twist, and the tangent (1, 0, 0) with stretch
and shear added. Over a step of length h Magnus's series to fourth order gives the twist Omega of the whole step,

    Omega = B0 + [B0, B1],     B0 = Integral A ds,     B1 = Integral (s - h/2) A ds / h,

and the end lies at exp(Omega). Nothing is small here: a rod may bend into a ring. With its first and second
derivative in time a step hands on velocity and acceleration, and its derivative by the strains is the Jacobian. All
are derivatives of one function, so energy is conserved exactly.

Rotations: exp and its derivative are E = 1 + w^ D and D = 1 + b w^ + c w^ w^, where b and c are series in w.w.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from loadpath.scalars import Array, Scalar, array, cross, dot, identity, outer, scale, skew, zeros

TERMS = 9
"""Of the series: to rounding for steps that turn by up to 2 rad, to 2e-10 at 3 rad."""


class Twist(NamedTuple):
    """Translation and rotation of a step, or their rates."""

    v: Array
    w: Array

    def __add__(self, other: Twist) -> Twist:  # type: ignore[override]
        return Twist(self.v + other.v, self.w + other.w)


def bracket(a: Twist, b: Twist) -> Twist:
    """Of Lie: how far two small motions depend on their order."""
    return Twist(cross(a.w, b.v) - cross(b.w, a.v), cross(a.w, b.w))


def doubled(a: Twist) -> Twist:
    """Twice it."""
    return Twist(scale(2.0, a.v), scale(2.0, a.w))


class Step(NamedTuple):
    """A step, in the axes at its start."""

    turn: Array
    """E, 3 x 3: from the axes at its end."""
    move: Array
    """From its start to its end; then its first and second derivative in time."""
    move_rate: Array
    move_acceleration: Array
    spin: Array
    """Angular velocity of the end against the start, and its derivative."""
    spin_rate: Array
    per_turn: Array
    """D, 3 x 3: small rotation per change of w; also the translation per change of v."""
    move_per_turn: Array
    """3 x 3: translation per change of w."""


class _Coefficients(NamedTuple):
    """b, c and their first two derivatives by u = w.w."""

    b: Scalar
    c: Scalar
    b1: Scalar
    c1: Scalar
    b2: Scalar
    c2: Scalar


def _coefficients(u: Scalar) -> _Coefficients:
    def series(shift: int, order: int) -> Scalar:
        total: Scalar = 0.0
        for n in reversed(range(order, TERMS)):
            falling = math.prod(range(n - order + 1, n + 1))
            total = total * u + (-1.0) ** n * falling / math.factorial(2 * n + shift)
        return total

    return _Coefficients(*(series(shift, order) for order in range(3) for shift in (2, 3)))


def step(at: Twist, rate: Twist, acceleration: Twist) -> Step:
    """The step of the twist `at`, while the twist changes at that rate and acceleration."""
    v, w = at
    vd, wd = rate
    vdd, wdd = acceleration
    k = _coefficients(dot(w, w))
    ud = 2.0 * dot(w, wd)
    udd = 2.0 * (dot(wd, wd) + dot(w, wdd))
    bd, cd = k.b1 * ud, k.c1 * ud
    bdd, cdd = k.b2 * ud * ud + k.b1 * udd, k.c2 * ud * ud + k.c1 * udd
    # D v = v + b y + c z with y = w x v, z = w x y; and their derivatives in time.
    y = cross(w, v)
    yd = cross(wd, v) + cross(w, vd)
    ydd = cross(wdd, v) + scale(2.0, cross(wd, vd)) + cross(w, vdd)
    z = cross(w, y)
    zd = cross(wd, y) + cross(w, yd)
    zdd = cross(wdd, y) + scale(2.0, cross(wd, yd)) + cross(w, ydd)
    move = v + scale(k.b, y) + scale(k.c, z)
    move_rate = vd + scale(bd, y) + scale(k.b, yd) + scale(cd, z) + scale(k.c, zd)
    move_acceleration = vdd + scale(bdd, y) + scale(2.0 * bd, yd) + scale(k.b, ydd)
    move_acceleration = move_acceleration + scale(cdd, z) + scale(2.0 * cd, zd) + scale(k.c, zdd)
    # The same with wd in the place of v.
    s = cross(w, wd)
    sd = cross(w, wdd)
    t = cross(w, s)
    td = cross(wd, s) + cross(w, sd)
    spin = wd + scale(k.b, s) + scale(k.c, t)
    spin_rate = wdd + scale(bd, s) + scale(k.b, sd) + scale(cd, t) + scale(k.c, td)
    W = skew(w)
    WW = W @ W
    D = identity(3) + scale(k.b, W) + scale(k.c, WW)
    E = identity(3) + W @ D
    by_turn = outer(scale(2.0 * k.b1, y) + scale(2.0 * k.c1, z), w) - scale(k.b, skew(v))
    by_turn = by_turn - scale(k.c, skew(y) + W @ skew(v))
    return Step(E, move, move_rate, move_acceleration, spin, spin_rate, D, by_turn)


class Strain(NamedTuple):
    """What a step of a rod is made from: B0 and B1."""

    mean: Twist
    slope: Twist


def of_twelve(values: Array) -> Strain:
    """From twelve numbers: translation and rotation of B0, then of B1."""
    v0, w0, v1, w1 = (values[3 * k : 3 * k + 3] for k in range(4))
    return Strain(Twist(v0, w0), Twist(v1, w1))


def _changed(whole: Strain, by: Strain) -> Twist:
    """How Omega changes with the strain."""
    return by.mean + bracket(by.mean, whole.slope) + bracket(whole.mean, by.slope)


def rod_step(_: object, strain: Array, strain_rate: Array, length: Scalar) -> tuple[Array, Array, Array]:
    """A step of that length: its turn (3, 3); its move with two derivatives and its spin with one (5, 3); and the twist
    of its end per unit of each of the twelve numbers of its strain (12, 6), linear part first, about its start.

    The strain is that in addition to the straight rod's. A step of length zero is a spring: B0 is its twist.
    """
    elastic, rate = of_twelve(strain), of_twelve(strain_rate)
    whole = Strain(elastic.mean + Twist(array([length, 0.0, 0.0]), zeros(3)), elastic.slope)
    omega = whole.mean + bracket(whole.mean, whole.slope)
    made = step(omega, _changed(whole, rate), doubled(bracket(rate.mean, rate.slope)))
    columns = zeros(12, 6)
    for component in range(12):
        unit = zeros(12)
        unit[component] = 1.0
        change = _changed(whole, of_twelve(unit))
        w = made.per_turn @ change.w
        v = made.per_turn @ change.v + made.move_per_turn @ change.w
        columns[component] = array([*(v + cross(made.move, w)), *w])
    motion = array([
        list(part) for part in (made.move, made.move_rate, made.move_acceleration, made.spin, made.spin_rate)
    ])
    return made.turn, motion, columns
