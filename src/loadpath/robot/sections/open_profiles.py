"""Open thin-walled profiles: angles, channels and T sections, with sharp corners (fillets of rolled ones left out).

Second moments are those of their rectangles, exactly. Shear is that of strips. Torsion is that of El Darwish and
Johnston, "Torsion of structural shapes", J. Struct. Div. ASCE 91 (1965), without fillets: thin strips, more at the
junctions and less at the free ends; warping is not held. Forces act through the shear centre, not through the centroid:
what they twist otherwise is left out.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field

from loadpath.errors import ModelError
from loadpath.robot.measures import measures
from loadpath.robot.sections.polygon import Moments, OutlinedSection, moments, turned
from loadpath.robot.sections.section import Corner, Fibre, check_dimensions
from loadpath.robot.sections.walls import Flow, Point, Strip, Wall, flow


class OpenProfile(OutlinedSection):
    """What open profiles share: all but torsion follows from their outline and their strips."""

    @property
    @abstractmethod
    def outline(self) -> tuple[Point, ...]:
        """Corners of the outline, as drawn: y and z (m) from the outer corner of its walls."""

    @property
    @abstractmethod
    def _drawn_strips(self) -> tuple[Strip, ...]:
        """Middle lines of the walls, as drawn, in the order of the shear flow."""

    @property
    @abstractmethod
    def torsion_constant(self) -> float:
        """m^4."""

    @property
    def _moments(self) -> Moments:
        return moments(self.outline)

    @property
    def _turned_outline(self) -> list[Point]:
        return turned(self.outline, self.centroid, self.principal_angle)

    @property
    def strips(self) -> tuple[Strip, ...]:
        """Middle lines of the walls from their own centroid, in principal axes."""
        drawn = self._drawn_strips
        area = sum(strip.length * strip.thickness for strip in drawn)
        middles = [(strip.at(0.5), strip.length * strip.thickness / area) for strip in drawn]
        centroid = sum(p[0] * w for p, w in middles), sum(p[1] * w for p, w in middles)
        angle = self.principal_angle
        ends = [turned([strip.start, strip.end], centroid, angle) for strip in drawn]
        return tuple(Strip(a, b, strip.thickness) for (a, b), strip in zip(ends, drawn, strict=True))

    @property
    def _flows(self) -> tuple[Flow, Flow]:
        strips = self.strips
        return flow(strips, 0), flow(strips, 1)

    def shear_factors(self, poisson_ratio: float) -> tuple[float, float]:
        along_y, along_z = self._flows
        return along_y.factor, along_z.factor

    @property
    def shear_peaks(self) -> tuple[float, float]:
        along_y, along_z = self._flows
        return (
            self.area * along_y.largest / along_y.second_moment,
            self.area * along_z.largest / along_z.second_moment,
        )

    @property
    def torsion_modulus(self) -> float:
        return self.torsion_constant / max(strip.thickness for strip in self._drawn_strips)

    @property
    def extremes(self) -> tuple[float, float]:
        outline = self._turned_outline
        return max(abs(y) for y, _ in outline), max(abs(z) for _, z in outline)

    @property
    def corners(self) -> tuple[Corner, ...]:
        return tuple(Corner(f"corner {k}", y, z) for k, (y, z) in enumerate(self._turned_outline))

    @property
    def fibres(self) -> tuple[Fibre, ...]:  # type: ignore[override]
        """Ends of the walls, and where shear is largest in them."""
        (ey, ez), flows, thickest = self.extremes, self._flows, max(strip.thickness for strip in self._drawn_strips)
        outline, found = self._turned_outline, []
        for k, strip in enumerate(self.strips):
            for share in sorted({place for each in flows for place in each.peaks(k)}):
                y, z = strip.at(share)
                near = [p for p in outline if math.dist(p, (y, z)) < 1.5 * thickest] or _sides(strip, share)
                found.append(Fibre(
                    max(abs(q) for _, q in near) / ez, max(abs(p) for p, _ in near) / ey, strip.thickness / thickest,
                    flows[0].stress(k, share) / flows[0].largest, flows[1].stress(k, share) / flows[1].largest, True,
                ))
        return tuple(dict.fromkeys(found))


def _sides(strip: Strip, share: float) -> list[Point]:
    """The two faces of a wall."""
    (a, b), (c, d), (y, z) = strip.start, strip.end, strip.at(share)
    n, m = (b - d) / strip.length * strip.thickness / 2, (c - a) / strip.length * strip.thickness / 2
    return [(y + n, z + m), (y - n, z - m)]


THICK_WEB = 2.0
"""Web over flange up to which the polynomials of junctions hold; they were fitted to webs thinner than the flange."""


def _junction(flange: float, web: float) -> float:
    """What an L junction adds to the torsion constant, over that of the strips; without fillet."""
    ratio = web / flange
    circle = 2 * (web + flange - math.sqrt(2 * web * flange))
    return max(0.0, -0.0908 + 0.2621 * ratio - 0.0945 * ratio**2) * circle**4


def _on_thick_web(height: float, web: float, wings: float, flange: float, ends: int) -> float:
    """The torsion constant of a thick web with thin wings of a length in all, and so many free ends of wings: strips
    less their ends. Junctions are part of the web, and add nothing that counts.
    """
    return (height * web**3 + wings * flange**3) / 3 - 0.21 * web**4 - 0.105 * ends * flange**4


@dataclass(frozen=True)
class Angle(OpenProfile):
    """An L section: legs of `width` along y and of `height` along z, of the same `wall`, with the corner at the lower
    left. Its principal axes are turned from the legs by `principal_angle`: a beam's `y_axis` is along the leg, and the
    beam turns the section's axes from there.

    >>> angle = Angle(width=0.05, height=0.05, wall=0.005)
    >>> round(angle.area * 1e6), round(math.degrees(angle.principal_angle)), round(angle.centroid[0] * 1e3, 2)
    (475, 45, 14.34)
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))
    wall: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "an angle")
        if self.wall >= min(self.width, self.height):
            raise ModelError(f"wall of an angle is {self.wall} m: expected less than its shorter leg, "
                             f"{min(self.width, self.height)} m")

    @property
    def outline(self) -> tuple[Point, ...]:
        b, h, t = self.width, self.height, self.wall
        return (0.0, 0.0), (b, 0.0), (b, t), (t, t), (t, h), (0.0, h)

    @property
    def _drawn_strips(self) -> tuple[Strip, ...]:
        b, h, t = self.width, self.height, self.wall
        corner = t / 2, t / 2
        return Strip((b, t / 2), corner, t), Strip(corner, (t / 2, h), t)

    @property
    def torsion_constant(self) -> float:
        b, h, t = self.width, self.height, self.wall
        return (b + h - t) * t**3 / 3 + _junction(t, t) - 0.21 * t**4

    @property
    def walls(self) -> tuple[Wall, ...]:
        return tuple(Wall(f"leg along {axis}", "one edge", (leg - self.wall) / self.wall)
                     for axis, leg in (("y", self.width), ("z", self.height)))


@dataclass(frozen=True)
class Channel(OpenProfile):
    """A C section: two flanges of `width` along y and thickness `flange`, and a `web` on their left; `height` along z
    over all. Its shear centre lies outside, beyond the web.

    >>> channel = Channel(width=0.05, height=0.1, flange=0.0085, web=0.006)
    >>> channel.second_moment_y > 6 * channel.second_moment_z, round(channel.centroid[0] * 1e3, 1)
    (True, 16.9)
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))
    flange: float = field(metadata=measures("length"))
    web: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "a channel")
        if 2 * self.flange >= self.height:
            raise ModelError(f"flange of a channel is {self.flange} m: expected less than half its height, "
                             f"{self.height / 2} m")
        if self.web >= self.width:
            raise ModelError(f"web of a channel is {self.web} m: expected less than its width, {self.width} m")

    @property
    def outline(self) -> tuple[Point, ...]:
        b, h, f, w = self.width, self.height, self.flange, self.web
        return (0.0, 0.0), (b, 0.0), (b, f), (w, f), (w, h - f), (b, h - f), (b, h), (0.0, h)

    @property
    def _drawn_strips(self) -> tuple[Strip, ...]:
        b, h, f, w = self.width, self.height, self.flange, self.web
        low, high = (w / 2, f / 2), (w / 2, h - f / 2)
        return Strip((b, f / 2), low, f), Strip(low, high, w), Strip(high, (b, h - f / 2), f)

    @property
    def torsion_constant(self) -> float:
        b, h, f, w = self.width, self.height, self.flange, self.web
        if w > THICK_WEB * f:
            return _on_thick_web(h, w, 2 * (b - w), f, 2)
        return (2 * b * f**3 + (h - 2 * f) * w**3) / 3 + 2 * _junction(f, w) - 0.42 * f**4

    @property
    def walls(self) -> tuple[Wall, ...]:
        flange = Wall("flange", "one edge", (self.width - self.web) / self.flange)
        return flange, Wall("web", "web", (self.height - 2 * self.flange) / self.web)

    @property
    def shear_centre(self) -> Point:
        """Where forces do not twist it: y and z (m) as drawn, y negative beyond the web."""
        b, h = self.width - self.web / 2, self.height - self.flange
        about = 2 * b * self.flange * (h / 2) ** 2 + self.web * h**3 / 12
        return self.web / 2 - self.flange * b**2 * h**2 / (4 * about), self.height / 2


@dataclass(frozen=True)
class TBeam(OpenProfile):
    """A T section: a flange of `width` along y and thickness `flange` on top, a `web` below it; `height` along z over
    all.

    >>> tee = TBeam(width=0.08, height=0.08, flange=0.009, web=0.009)
    >>> round(tee.area * 1e6), round((tee.height - tee.centroid[1]) * 1e3, 1)              # centroid from the flange
    (1359, 23.3)
    """

    width: float = field(metadata=measures("length"))
    height: float = field(metadata=measures("length"))
    flange: float = field(metadata=measures("length"))
    web: float = field(metadata=measures("length"))

    def __post_init__(self) -> None:
        check_dimensions(self, "a T beam")
        if self.flange >= self.height:
            raise ModelError(f"flange of a T beam is {self.flange} m: expected less than its height, {self.height} m")
        if self.web > self.width:
            raise ModelError(f"web of a T beam is {self.web} m: expected at most its width, {self.width} m")

    @property
    def outline(self) -> tuple[Point, ...]:
        b, h, f, w = self.width / 2, self.height, self.flange, self.web / 2
        return (-w, 0.0), (w, 0.0), (w, h - f), (b, h - f), (b, h), (-b, h), (-b, h - f), (-w, h - f)

    @property
    def _drawn_strips(self) -> tuple[Strip, ...]:
        b, h, f = self.width / 2, self.height, self.flange
        middle = 0.0, h - f / 2
        return Strip((-b, h - f / 2), middle, f), Strip((b, h - f / 2), middle, f), Strip(middle, (0.0, 0.0), self.web)

    @property
    def torsion_constant(self) -> float:
        b, h, f, w = self.width, self.height, self.flange, self.web
        if w > THICK_WEB * f:
            return _on_thick_web(h, w, b - w, f, 2)
        ratio = w / f
        circle = (f * f + w * w / 4) / f
        junction = max(0.0, -0.042 + 0.2204 * ratio - 0.0725 * ratio**2) * circle**4
        return (b * f**3 + (h - f) * w**3) / 3 + junction - 0.21 * f**4 - 0.105 * w**4

    @property
    def walls(self) -> tuple[Wall, ...]:
        flange = Wall("flange", "one edge", (self.width - self.web) / 2 / self.flange)
        return flange, Wall("web", "one edge", (self.height - self.flange) / self.web)
