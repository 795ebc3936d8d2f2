"""Thin walls of sections: how shear flows through them, and when they wrinkle before the beam yields or buckles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from loadpath.robot.materials import Material

Support = Literal["both edges", "one edge", "web", "long side", "round"]
"""How a wall is held, and what it is: the web of a profile is bent in its plane, the long side of a box mostly so."""

STEEL_LIMITS: dict[Support, float] = {
    "both edges": 42.0, "one edge": 14.0, "web": 124.0, "long side": 124.0, "round": 90.0,
}
"""EN 1993-1-1 table 5.2, times epsilon = sqrt(235 MPa / f_y E / 210 GPa), for round tubes epsilon squared."""
ALUMINIUM_LIMITS: dict[Support, float] = {
    "both edges": 22.0, "one edge": 6.0, "web": 55.0, "long side": 55.0, "round": (22 / 3) ** 2,
}
"""EN 1999-1-1 table 6.2 and 6.1.4.3: beta is b / t, 0.4 b / t for webs in bending, 3 sqrt(D / t) for tubes."""


class Wall(NamedTuple):
    """A wall of a section: clear width over thickness, or of a round tube diameter over thickness."""

    name: str
    support: Support
    slenderness: float
    flange_of: str = ""
    """Of a box: the axis, "y" or "z", about which bending presses it evenly; about the other it is a web."""

    def limit(self, material: Material) -> float:
        """Slenderness up to which it reaches the yield strength; infinite where that is not known.

        >>> from loadpath.robot.materials import STEEL
        >>> round(Wall("flange", "one edge", 10.0).limit(STEEL), 2)                    # 14 sqrt(235 / 355)
        11.39
        """
        strength, E = material.yield_strength, material.youngs_modulus
        if material.orthotropic or math.isinf(strength):
            return math.inf
        if E >= 150e9:
            factor, epsilon = STEEL_LIMITS[self.support], math.sqrt(235e6 / strength * E / 210e9)
        else:
            factor, epsilon = ALUMINIUM_LIMITS[self.support], math.sqrt(250e6 / strength * E / 70e9)
        return factor * (epsilon**2 if self.support == "round" else epsilon)

    def critical_stress(self, material: Material, *, bending: bool = False) -> float:
        """Pa, in uniform compression, or where the section is bent; not a number where it is not known.

        >>> from loadpath.robot.materials import STEEL
        >>> round(Wall("flange", "both edges", 60.0).critical_stress(STEEL) / 1e6)           # 4 * 0.904 E / 60^2
        210
        """
        E, G, nu, ratio = material.youngs_modulus, material.shear_modulus, material.poisson_ratio, self.slenderness
        across = material.transverse_modulus if material.orthotropic else E
        if across is None:
            return math.nan
        mean, less = math.sqrt(E * across), 1 - nu * nu * across / E
        if self.support == "round":
            x = math.sqrt(ratio / 2 - 0.5) / 16  # middle radius over thickness
            knock_down = 1 - (0.731 if bending else 0.901) * (1 - math.exp(-x))
            soft = 1.0
            if material.orthotropic:
                soft = min(1.0, math.sqrt(2 * G * (1 + nu * math.sqrt(across / E)) / mean))
            return knock_down * soft * mean / (ratio / 2 - 0.5) / math.sqrt(3 * less)
        if self.support == "one edge":
            plate = G if material.orthotropic else 0.43 * math.pi**2 * E / (12 * less)
        else:
            plate = math.pi**2 / 6 * ((mean + nu * across) / less + 2 * G) if material.orthotropic else (
                math.pi**2 * E / (3 * less))
            if self.support == "web" and bending:
                plate *= 23.9 / 4
        return plate / ratio**2

    def bent_about(self, axis: str, material: Material) -> float:
        """Critical stress (Pa) where the section is bent about an axis."""
        critical = self.critical_stress(material, bending=True)
        return critical * (23.9 / 4 if self.flange_of not in ("", axis) else 1.0)

    def weakens(self, material: Material) -> bool:
        """Whether it takes a fifth of the section's strength or more: where it is beyond the class-3 limit, and a
        plate's critical stress is below the yield strength (Winter's curve, EN 1993-1-5, 4.4), a tube's below twice
        that (EN 1993-1-6, 8.5).

        >>> from loadpath.robot.materials import STEEL
        >>> [Wall("flange", "both edges", ratio).weakens(STEEL) for ratio in (30.0, 40.0, 50.0)]
        [False, False, True]
        """
        reserve = 2.0 if self.support == "round" else 1.0
        critical = self.critical_stress(material, bending=True)
        return self.slenderness > self.limit(material) and critical < reserve * material.yield_strength


class LocalBuckling(NamedTuple):
    """How near the walls of a section of some material are to wrinkling."""

    compression: float
    """Pa: critical stress of the worst wall in uniform compression; infinite for a solid section."""
    bending: float
    """Pa: critical stress of the outermost fibre in bending."""
    bending_y: float
    """Pa: the same in bending about y alone."""
    bending_z: float
    wall: str
    """The wall that is farthest beyond, or nearest to, its class-3 limit."""
    slenderness: float
    limit: float
    """Of class 3."""
    weakens: bool
    """Whether it takes a fifth of the section's strength or more."""

    @property
    def slender(self) -> bool:
        """Whether a wall is beyond the class-3 limit, so that it may buckle before it yields."""
        return self.slenderness > self.limit


UNKNOWN_WALLS = LocalBuckling(math.nan, math.nan, math.nan, math.nan, "", math.nan, math.nan, False)
"""Of a section whose walls are not known."""


def local_buckling_of(walls: Iterable[Wall], material: Material) -> LocalBuckling:
    """Of a section with these walls.

    >>> from loadpath.robot.materials import STEEL
    >>> local_buckling_of([], STEEL).compression
    inf
    """
    there = [wall for wall in walls if wall.slenderness > 0]
    if not there:
        return LocalBuckling(math.inf, math.inf, math.inf, math.inf, "", 0.0, math.inf, False)
    limits = [wall.limit(material) for wall in there]
    shares = [wall.slenderness / limit for wall, limit in zip(there, limits, strict=True)]
    k = max(range(len(there)), key=lambda i: (shares[i], there[i].slenderness))
    about_y, about_z = (min(wall.bent_about(axis, material) for wall in there) for axis in "yz")
    pressed = min(wall.critical_stress(material) for wall in there)
    worst = there[k]
    return LocalBuckling(pressed, min(about_y, about_z), about_y, about_z, worst.name, worst.slenderness, limits[k],
                         any(wall.weakens(material) for wall in there))


# Thin walls as strips along their middle lines: how shear flows through them.
#
# In an open section the shear flow of a force V along z is V Q / I_y, Q the integral of z t from a free edge to there.
# Its energy gives the shear factor, k = I^2 / (A int Q^2 / t ds); Cowper's of 1966, where there is one, differs by the
# effect of Poisson's ratio. The force is taken to act through the shear centre, so that it does not twist the section.


Point = tuple[float, float]
"""y and z."""

GAUSS = ((0.5 - math.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + math.sqrt(0.15), 5 / 18))
"""Exact for the square of a parabola."""


class Strip(NamedTuple):
    """A straight wall, from where the shear flow comes to where it goes on."""

    start: Point
    end: Point
    thickness: float

    @property
    def length(self) -> float:
        """m."""
        return math.dist(self.start, self.end)

    def at(self, share: float) -> Point:
        """A point of its middle line."""
        (a, b), (c, d) = self.start, self.end
        return a + (c - a) * share, b + (d - b) * share


class Flow(NamedTuple):
    """Shear by a force along one axis, in all strips."""

    strips: tuple[Strip, ...]
    before: tuple[float, ...]
    """Q where each strip starts."""
    axis: int
    """Of the force: 0 for y, 1 for z."""

    def first_moment(self, number: int, share: float) -> float:
        """Q at a place of a strip."""
        strip = self.strips[number]
        u, v = strip.start[self.axis], strip.end[self.axis]
        return self.before[number] + strip.thickness * strip.length * share * (u + (v - u) * share / 2)

    @property
    def second_moment(self) -> float:
        """Integral of the squared distance, of the middle lines."""
        return sum(strip.thickness * strip.length * weight * strip.at(share)[self.axis] ** 2
                   for strip in self.strips for share, weight in GAUSS)

    @property
    def factor(self) -> float:
        """Share of the area that counts against shear."""
        energy = sum(strip.length / strip.thickness * weight * self.first_moment(k, share) ** 2
                     for k, strip in enumerate(self.strips) for share, weight in GAUSS)
        area = sum(strip.length * strip.thickness for strip in self.strips)
        return self.second_moment**2 / (area * energy)

    def stress(self, number: int, share: float) -> float:
        """Size of Q / t at a place of a strip."""
        return abs(self.first_moment(number, share)) / self.strips[number].thickness

    def peaks(self, number: int) -> list[float]:
        """Places of a strip, as shares of it, where the flow may be largest: its ends, and where it meets the axis."""
        u, v = self.strips[number].start[self.axis], self.strips[number].end[self.axis]
        return [0.0, 1.0] if u * v >= 0 else [0.0, u / (u - v), 1.0]

    @property
    def largest(self) -> float:
        """Largest Q / t."""
        return max(self.stress(k, share) for k in range(len(self.strips)) for share in self.peaks(k))


def flow(strips: Sequence[Strip], axis: int) -> Flow:
    """Shear flow through strips that come in the order of the flow: those that end where one starts come before it.

    >>> bar = [Strip((0.0, 0.5), (0.0, -0.5), 0.01)]
    >>> round(flow(bar, 1).factor, 12), round(flow(bar, 1).largest, 12)                  # 5/6, and h^2 / 8
    (0.833333333333, 0.125)
    """
    before: list[float] = []
    for k, strip in enumerate(strips):
        arriving = [j for j in range(k) if math.dist(strips[j].end, strip.start) < 1e-9 * strip.length]
        made = Flow(tuple(strips), tuple(before), axis)
        before.append(sum(made.first_moment(j, 1.0) for j in arriving))
    return Flow(tuple(strips), tuple(before), axis)
