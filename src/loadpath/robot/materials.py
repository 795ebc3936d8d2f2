"""What a beam is made of: stiffness, density and strength, checked on construction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from loadpath.errors import ModelError, warn
from loadpath.robot.measured import Measured
from loadpath.robot.measures import measures
from loadpath.robot.numbers import name as a_name
from loadpath.robot.numbers import number, positive, positive_or_infinite
from loadpath.scalars.types import ArrayLike, Floats

# S-N curves: how many cycles of a stress range a material or a welded detail bears.
#
# Sources: EN 1993-1-9:2005, clause 7.1 (detail categories of steel: slope 3 to 5 million cycles, slope 5 to the cut-off
# at 100 million); FKM guideline "Analytical strength assessment", 6th edition 2012, sections 2.2 and 2.4 (base
# material: fully reversed strength as a share of the ultimate strength, slope 5 to 1 million cycles, of aluminium slope
# 15 to 100 million; mean stress sensitivity M = a_M R_m / 1000 MPa + b_M).


MinerRule: TypeAlias = Literal["haibach", "original", "elementary"]
MINER_RULES = ("haibach", "original", "elementary")

DETAIL_CATEGORIES = (160, 140, 125, 112, 100, 90, 80, 71, 63, 56, 50, 45, 40, 36)
"""Detail categories of EN 1993-1-9: the stress range, in MPa, that is borne 2 million times."""


class FKMGroup(NamedTuple):
    """A group of materials of the FKM guideline."""

    reversed_share: float
    """Fully reversed fatigue strength, as an amplitude, over the ultimate strength."""
    per_strength: float
    """a_M of the mean stress sensitivity."""
    offset: float
    """b_M."""
    second_slope: float
    """Beyond 1 million cycles: infinite where there is an endurance limit."""
    last: float
    """Cycles from which on the curve is level."""


FKM_GROUPS: Mapping[str, FKMGroup] = MappingProxyType({
    "steel": FKMGroup(0.45, 0.35, -0.10, math.inf, math.inf),
    "stainless steel": FKMGroup(0.40, 0.35, -0.10, math.inf, math.inf),
    "case-hardened steel": FKMGroup(0.40, 0.35, -0.10, math.inf, math.inf),
    "cast steel": FKMGroup(0.34, 0.35, 0.05, math.inf, math.inf),
    "wrought aluminium": FKMGroup(0.30, 1.00, -0.04, 15.0, 1e8),
    "cast aluminium": FKMGroup(0.30, 1.00, 0.20, 15.0, 1e8),
})
"""Groups of the FKM guideline."""


@dataclass(frozen=True)
class SNCurve(Measured):
    """How many cycles a stress range (Pa, from the lowest to the highest stress) is borne: `stress_range` is borne
    `cycles` times, and along the curve N S^slope is constant; beyond `knee` cycles with `slope_beyond` (infinite: an
    endurance limit), and ranges below the one at `cut_off` cycles do no harm.

    `fully_reversed` says what the curve was measured at: mean stress zero, so that other means are converted (with
    `mean_sensitivity` by FKM, else by Goodman); if false, ranges count whatever their mean, as for welds.

    `shear` is the range of shear stress that is borne as often, with its slope; without it, 1 / sqrt(3) of the other,
    by von Mises: see `in_shear`.

    `SNCurve.detail(71)` is a detail category of EN 1993-1-9, `SNCurve.fkm(ultimate_strength, "steel")` base material by
    the FKM guideline.

    >>> curve = SNCurve.detail(71)
    >>> curve.cycles_at([142e6, 71e6, 20e6]).tolist(), (curve.range_at([5e6]) / 1e6).round(1).tolist()
    ([250000.0, 2000000.0, inf], [52.3])
    """

    stress_range: float = field(metadata=measures("stress"))
    cycles: float = field(default=2e6, metadata=measures("plain number"))
    slope: float = field(default=3.0, metadata=measures("plain number"))
    knee: float = field(default=math.inf, metadata=measures("plain number"))
    slope_beyond: float = field(default=math.inf, metadata=measures("plain number"))
    cut_off: float = field(default=math.inf, metadata=measures("plain number"))
    fully_reversed: bool = False
    mean_sensitivity: float | None = field(default=None, metadata=measures("plain number"))
    shear: tuple[float, float] | None = field(default=None, metadata=measures("plain number"))
    name: str = "S-N curve"
    source: str = ""

    def __post_init__(self) -> None:
        of = f"of {self.name}"
        values = {
            "stress_range": positive(self.stress_range, f"stress range {of}"),
            "cycles": positive(self.cycles, f"cycles {of}"),
            "slope": positive(self.slope, f"slope {of}"),
            "knee": positive_or_infinite(self.knee, f"knee {of}"),
            "slope_beyond": positive_or_infinite(self.slope_beyond, f"slope beyond the knee {of}"),
            "cut_off": positive_or_infinite(self.cut_off, f"cut-off {of}"),
        }
        for part, value in values.items():
            object.__setattr__(self, part, value)
        if self.slope < 1:
            raise ModelError(f"slope {of} is {self.slope}: expected 1 or more, the m of N S^m (some tables have its "
                             f"reciprocal: {1 / self.slope:.4g}?)")
        if self.slope_beyond < self.slope:
            raise ModelError(f"slope beyond the knee {of} is {self.slope_beyond}: expected at least the slope before "
                             f"it, {self.slope}")
        if self.cut_off < self.knee and not math.isinf(self.knee):
            raise ModelError(f"cut-off {of} is at {self.cut_off:g} cycles: expected at or beyond its knee, "
                             f"{self.knee:g}")
        if self.mean_sensitivity is not None:
            M = number(self.mean_sensitivity, f"mean stress sensitivity {of}")
            if not 0 <= M <= 1:
                raise ModelError(f"mean stress sensitivity {of} is {M}: expected 0 to 1")
            if not self.fully_reversed:
                raise ModelError(f"{self.name} has a mean stress sensitivity, but is not fully_reversed: its ranges "
                                 "count whatever their mean")
            object.__setattr__(self, "mean_sensitivity", M)
        if self.shear is not None:
            pair = self.shear if isinstance(self.shear, tuple) and len(self.shear) == 2 else (math.nan, math.nan)
            read = (positive(pair[0], f"shear range {of}"), positive(pair[1], f"slope in shear {of}"))
            object.__setattr__(self, "shear", read)
        if self.stress_range < 1e5:
            warn(f"stress range {of} is {self.stress_range:g} Pa: is it in Pa? 71 MPa is 71e6")

    @classmethod
    def detail(cls, category: float, *, partial_factor: float = 1.0) -> SNCurve:
        """A detail category of EN 1993-1-9, in MPa at 2 million cycles: slope 3 to 5 million cycles, then 5, and
        nothing beyond 100 million. Mean stress does not count. In shear it is category 100 for base material (125 and
        more), else 80, slope 5. The strength is divided by `partial_factor` (gamma_Mf: 1.0 to 1.35, clause 3).

        >>> (SNCurve.detail(160).range_at([5e6, 1e8]) / 160e6).round(3).tolist()
        [0.737, 0.405]
        """
        if category not in DETAIL_CATEGORIES:
            there = ", ".join(map(str, DETAIL_CATEGORIES))
            raise ModelError(f"detail category is {category!r}: expected one of {there} (MPa), or your own SNCurve")
        factor = positive(partial_factor, "partial factor of a detail category")
        shear = (100e6 if category >= 125 else 80e6) / factor
        return cls(category * 1e6 / factor, 2e6, 3.0, 5e6, 5.0, 1e8, shear=(shear, 5.0),
                   name=f"detail category {category:g}", source="EN 1993-1-9:2005, 7.1")

    @classmethod
    def fkm(cls, ultimate_strength: float, group: str = "steel") -> SNCurve:
        """Base material by the FKM guideline, smooth and polished, 97.5 % survival: the fully reversed strength is a
        share of the ultimate strength (Pa), borne a million times, slope 5; in shear 0.577 of it, slope 8. Groups are
        those of `FKM_GROUPS`. Notches and rough surfaces are for `stress_concentration` of `fatigue`.

        >>> curve = SNCurve.fkm(490e6)
        >>> curve.stress_range / 2e6, round(curve.mean_sensitivity, 4)         # amplitude 0.45 R_m, MPa
        (220.5, 0.0715)
        """
        if group not in FKM_GROUPS:
            raise ModelError(f"FKM group is {group!r}: expected one of {', '.join(FKM_GROUPS)}")
        strength, of = positive(ultimate_strength, "ultimate strength of an FKM curve"), FKM_GROUPS[group]
        M = min(max(of.per_strength * strength / 1e9 + of.offset, 0.0), 1.0)
        S = 2 * of.reversed_share * strength
        return cls(S, 1e6, 5.0, 1e6, of.second_slope, of.last, True, M, (0.577 * S, 8.0),
                   name=f"FKM {group}, R_m = {strength / 1e6:g} MPa",
                   source="FKM guideline, 6th edition 2012")

    def divided(self, factor: float) -> SNCurve:
        """The curve with all its stresses divided by a factor, as of safety.

        >>> SNCurve.detail(80).divided(2.0).stress_range
        40000000.0
        """
        by = positive(factor, f"factor of {self.name}")
        shear = None if self.shear is None else (self.shear[0] / by, self.shear[1])
        return replace(self, stress_range=self.stress_range / by, shear=shear)

    def in_shear(self) -> SNCurve:
        """The curve for ranges of shear stress. Of EN 1993-1-9 it is one line to the cut-off (clause 7.1 (2)); beyond a
        million cycles that of FKM's aluminium has the slope 25. Mean stress does not count.

        >>> SNCurve.detail(71).in_shear().cycles_at(160e6)                                         # 2e6 (80 / 160)^5
        array(62500.)
        """
        name = f"{self.name}, in shear"
        if self.shear is None:
            return replace(self, stress_range=self.stress_range / math.sqrt(3), fully_reversed=False,
                           mean_sensitivity=None, name=name)
        line = replace(self, stress_range=self.shear[0], slope=self.shear[1], knee=math.inf, slope_beyond=math.inf,
                       fully_reversed=False, mean_sensitivity=None, shear=None, name=name)
        if not self.fully_reversed:
            return line
        return replace(line, knee=self.knee, slope_beyond=math.inf if math.isinf(self.slope_beyond) else 25.0)

    def by(self, miner: MinerRule) -> SNCurve:
        """The curve as Miner's rule reads it. "haibach": an endurance limit goes on with the slope 2 m - 1, since what
        is above it also lowers it, and base material has no cut-off; detail categories, which are drawn for mixed
        cycles, stay. "elementary": the first slope goes on without end. "original": the curve as it is.

        >>> SNCurve.fkm(490e6).by("haibach").slope_beyond
        9.0
        """
        if miner == "elementary":
            return replace(self, knee=math.inf, slope_beyond=math.inf, cut_off=math.inf)
        if miner not in MINER_RULES:
            raise ValueError(f"miner is {miner!r}: expected one of {', '.join(MINER_RULES)}")
        if miner == "original" or math.isinf(self.knee):
            return self
        if math.isinf(self.slope_beyond):
            return replace(self, slope_beyond=2 * self.slope - 1, cut_off=math.inf)
        return replace(self, cut_off=math.inf) if self.fully_reversed else self

    @property
    def _at_knee(self) -> float:
        return 0.0 if math.isinf(self.knee) else self.stress_range * (self.cycles / self.knee) ** (1 / self.slope)

    def cycles_at(self, stress_range: ArrayLike) -> Floats:
        """How often a stress range (Pa) is borne; infinite below the endurance limit or the cut-off.

        >>> SNCurve(100e6, 1e6, slope=5.0).cycles_at(50e6)
        array(32000000.)
        """
        S = np.asarray(stress_range, dtype=float)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            N: Floats = self.cycles * (self.stress_range / S) ** self.slope
            if not math.isinf(self.knee):
                low = self._at_knee * (1 - 1e-12) > S
                beyond = (
                    math.inf if math.isinf(self.slope_beyond) else self.knee * (self._at_knee / S) ** self.slope_beyond
                )
                N = np.where(low, beyond, N)
            if not math.isinf(self.cut_off):
                N = np.where(self.cut_off * (1 + 1e-9) < N, math.inf, N)
        return np.asarray(N)

    def range_at(self, cycles: ArrayLike) -> Floats:
        """The stress range (Pa) that is borne so often: the endurance limit, or the range at the cut-off, beyond it.

        >>> (SNCurve.detail(100).range_at([2e6, 1e9]) / 1e6).round(1).tolist()
        [100.0, 40.5]
        """
        N = np.minimum(np.asarray(cycles, dtype=float), self.cut_off)
        with np.errstate(divide="ignore", over="ignore"):
            S: Floats = self.stress_range * (self.cycles / N) ** (1 / self.slope)
            if not math.isinf(self.knee):
                S = np.where(self.knee < N, self._at_knee * (self.knee / N) ** (1 / self.slope_beyond), S)
        return np.asarray(S)


__all__ = ["ALUMINIUM", "CARBON_UD", "STEEL", "TITANIUM", "Material", "positive"]


# What soft rubber and foam have at least; less is in other units. (Much more may stand for what is all but rigid.)
_USUAL = {
    "Young's modulus": (1e6, "Pa", "210 GPa is 210e9"),
    "density": (10.0, "kg/m^3", "7.85 g/cm^3 is 7850"),
    "yield strength": (1e4, "Pa", "355 MPa is 355e6"),
}


@dataclass(frozen=True)
class Material(Measured):
    """A linear elastic material. All in SI units: moduli and strength in Pa, density in kg/m^3.

    Give the shear modulus or Poisson's ratio; the other follows from G = E / (2 (1 + nu)). If both are given they must
    agree to 5 %. `orthotropic=True` is for materials like fibre along the beam, for which that relation does not hold:
    there `youngs_modulus` is along the beam, `shear_modulus` that of its cross section, and Poisson's ratio (0.3 unless
    given) only enters the shear factors; `transverse_modulus`, Young's modulus across it, is for local buckling of thin
    walls alone. A `ModelWarning` asks about numbers too small for any beam.

    `ultimate_strength` and `fatigue`, an `lp.SNCurve`, are for fatigue alone, which refuses materials without them;
    `source` says where the numbers are from. `lp.materials` has common materials.

    >>> Material(youngs_modulus=70e9, poisson_ratio=0.25, density=2700, yield_strength=100e6).shear_modulus
    28000000000.0
    """

    youngs_modulus: float = field(metadata=measures("stress"))
    # Without one here it is a number after construction, as the Poisson ratio
    shear_modulus: float = field(default=None, metadata=measures("stress"))  # type: ignore[assignment]
    density: float = field(default=0.0, metadata=measures("density"))
    yield_strength: float = field(default=float("inf"), metadata=measures("stress"))
    poisson_ratio: float = field(default=None, metadata=measures("plain number"))  # type: ignore[assignment]
    orthotropic: bool = False
    name: str = "material"
    ultimate_strength: float | None = field(default=None, metadata=measures("stress"))
    fatigue: SNCurve | None = field(default=None, metadata=measures(SNCurve))
    transverse_modulus: float | None = field(default=None, metadata=measures("stress"))
    source: str = ""

    def __post_init__(self) -> None:
        a_name(self.name, "name of a material")
        of = f"of material '{self.name}'"
        set_ = object.__setattr__
        E = positive(self.youngs_modulus, f"Young's modulus {of}")
        density = number(self.density, f"density {of}")
        if density < 0:
            raise ModelError(f"density {of} is {density}: expected zero or more")
        if density > 0:
            positive(density, f"density {of}")
        strength = positive_or_infinite(self.yield_strength, f"yield strength {of}")
        self._read_fatigue(strength)
        nu = None if self.poisson_ratio is None else number(self.poisson_ratio, f"Poisson's ratio {of}")
        G = None if self.shear_modulus is None else positive(self.shear_modulus, f"shear modulus {of}")
        if nu is not None and not -1.0 < nu <= 0.5:
            raise ModelError(f"Poisson's ratio {of} is {nu}: expected more than -1 and at most 0.5")
        if G is None:
            if nu is None or self.orthotropic:
                wanted = "its shear modulus" if self.orthotropic else "its shear modulus or its Poisson's ratio"
                raise ModelError(f"material '{self.name}' has no shear modulus: give {wanted}")
            G = E / (2 * (1 + nu))
        elif self.orthotropic:
            nu = 0.3 if nu is None else nu
        else:
            nu = self._consistent(E, G, nu)
        for what, value in (("Young's modulus", E), ("density", density), ("yield strength", strength)):
            least, unit, example = _USUAL[what]
            if 0.0 < value < least:
                warn(f"{what} {of} is {value:.6g} {unit}: is it in {unit}? {example}")
        for part, value in (("youngs_modulus", E), ("shear_modulus", G), ("density", density),
                            ("yield_strength", strength), ("poisson_ratio", nu)):
            set_(self, part, value)

    def _read_fatigue(self, strength: float) -> None:
        of, set_ = f"of material '{self.name}'", object.__setattr__
        if self.ultimate_strength is not None:
            set_(self, "ultimate_strength", positive(self.ultimate_strength, f"ultimate strength {of}"))
            if self.ultimate_strength < strength < float("inf"):
                raise ModelError(f"ultimate strength {of} is {self.ultimate_strength:g} Pa: expected at least its "
                                 f"yield strength, {strength:g} Pa")
        if self.fatigue is not None and not isinstance(self.fatigue, SNCurve):
            raise ModelError(f"fatigue {of} is {self.fatigue!r}: expected an SNCurve, like SNCurve.fkm(490e6)")
        if self.transverse_modulus is not None:
            if not self.orthotropic:
                raise ModelError(f"material '{self.name}' has a transverse modulus, but is not orthotropic: leave it "
                                 "out, or say orthotropic=True")
            set_(self, "transverse_modulus", positive(self.transverse_modulus, f"transverse modulus {of}"))

    def _consistent(self, E: float, G: float, given: float | None) -> float:
        implied = E / (2 * G) - 1
        if not -1.0 < implied <= 0.5 + 1e-9:
            raise ModelError(f"material '{self.name}': E = {E:.6g} and G = {G:.6g} Pa ask for the Poisson's ratio "
                             f"{implied:.4g}: expected more than -1 and at most 0.5 (or orthotropic)")
        if given is not None and abs(E / (2 * (1 + given)) - G) > 0.05 * G:
            raise ModelError(f"material '{self.name}': Poisson's ratio is {given}, but E = {E:.6g} and G = {G:.6g} Pa "
                             f"ask for {implied:.4g}: leave one of the three out")
        return min(implied, 0.5) if given is None else given


STEEL = Material(
    210e9, 81e9, 7850.0, 355e6, name="steel", ultimate_strength=490e6, fatigue=SNCurve.detail(160),
    source="S355: EN 1993-1-1 table 3.1; fatigue of rolled base material: EN 1993-1-9 table 8.1",
)
"""Structural steel S355."""

ALUMINIUM = Material(
    69e9, 26e9, 2700.0, 276e6, name="aluminium", ultimate_strength=310e6,
    fatigue=SNCurve.fkm(310e6, "wrought aluminium"),
    source="6061-T6: ASM Handbook 2, typical; fatigue of smooth base material: FKM guideline",
)
"""Aluminium 6061-T6."""

TITANIUM = Material(
    113.8e9, 44e9, 4430.0, 880e6, name="titanium", ultimate_strength=950e6,
    source="Ti-6Al-4V, annealed: ASM, typical; no fatigue data",
)
"""Titanium Ti-6Al-4V, annealed."""

CARBON_UD = Material(
    135e9, 5e9, 1600.0, 1200e6, orthotropic=True, name="carbon_ud", transverse_modulus=10e9,
    source="standard carbon fibre in epoxy, 60 % fibre: Performance Composites, typical; no fatigue data",
)
"""Unidirectional carbon fibre in epoxy, 60 % fibre, fibres along the beam; the strength is that in compression."""


# Common materials by their usual names, each with the source of its numbers: `lp.materials["S355"]`.
#
# Strengths of structural and stainless steels are the nominal ones of the standards for the thinnest products (up to
# 16 mm), those of aluminium and titanium typical ones of handbooks, but where a standard is named. Fatigue data are
# those of base material: by EN 1993-1-9, table 8.1, for rolled structural and stainless steel, by the FKM guideline
# for smooth wrought aluminium. Welds, holes and notches bear less: give `detail` or `stress_concentration` to
# `fatigue`. Materials whose fatigue data could not be found in a standard have none.


ROLLED = SNCurve.detail(160)
"""Rolled products of steel as base material, EN 1993-1-9 table 8.1."""


class Materials(Mapping[str, Material]):
    """Materials by name; a name that is not there is answered with those that are.

    >>> import loadpath as lp
    >>> steel = lp.materials["S235"]
    >>> steel.yield_strength / 1e6, steel.ultimate_strength / 1e6, steel.source
    (235.0, 360.0, 'EN 1993-1-1 table 3.1 (EN 10025-2); fatigue EN 1993-1-9 table 8.1')
    >>> lp.materials["S350"]
    Traceback (most recent call last):
    KeyError: "material 'S350' is not in the catalogue: did you mean 'S355'?"
    """

    def __init__(self, materials: Iterable[Material]) -> None:
        self._by_name = {material.name: material for material in materials}

    def __getitem__(self, name: str) -> Material:
        if name not in self._by_name:
            near = get_close_matches(str(name), self._by_name, n=1)
            meant = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(self._by_name)}"
            raise KeyError(f"material {name!r} is not in the catalogue: {meant}")
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"<Materials: {', '.join(self._by_name)}>"


def _structural(name: str, strength: float, ultimate: float, standard: str) -> Material:
    return Material(210e9, density=7850.0, yield_strength=strength * 1e6, poisson_ratio=0.3, name=name,
                    ultimate_strength=ultimate * 1e6, fatigue=ROLLED,
                    source=f"{standard}; fatigue EN 1993-1-9 table 8.1")


def _stainless(name: str, density: float, strength: float, ultimate: float) -> Material:
    return Material(200e9, density=density, yield_strength=strength * 1e6, poisson_ratio=0.3, name=name,
                    ultimate_strength=ultimate * 1e6, fatigue=ROLLED,
                    source="EN 1993-1-4 table 2.1, hot rolled plate; fatigue EN 1993-1-9 table 8.1")


def _aluminium(name: str, E: float, density: float, strength: float, ultimate: float, source: str) -> Material:
    return Material(E * 1e9, density=density, yield_strength=strength * 1e6, poisson_ratio=0.33, name=name,
                    ultimate_strength=ultimate * 1e6, fatigue=SNCurve.fkm(ultimate * 1e6, "wrought aluminium"),
                    source=f"{source}; fatigue FKM guideline, smooth")


def _carbon(name: str, E: float, G: float, strength: float, why: str) -> Material:
    return Material(E * 1e9, G * 1e9, 1600.0, strength * 1e6, orthotropic=True, name=name,
                    transverse_modulus=E * 1e9, source=why)


_TYPICAL = "ASM Handbook 2, typical"
_PLIES = "laminate theory with plies of CARBON_UD"

materials = Materials([
    _structural("S235", 235, 360, "EN 1993-1-1 table 3.1 (EN 10025-2)"),
    _structural("S275", 275, 430, "EN 1993-1-1 table 3.1 (EN 10025-2)"),
    _structural("S355", 355, 490, "EN 1993-1-1 table 3.1 (EN 10025-2)"),
    _structural("S420", 420, 520, "EN 1993-1-1 table 3.1 (EN 10025-3)"),
    _structural("S460", 460, 540, "EN 1993-1-1 table 3.1 (EN 10025-3)"),
    _structural("S690", 690, 770, "EN 1993-1-12 table 2 (EN 10025-6)"),
    _stainless("1.4301", 7900.0, 210, 520),
    _stainless("1.4404", 8000.0, 220, 520),
    _stainless("1.4462", 7800.0, 460, 640),
    _aluminium("6061-T6", 69, 2700.0, 276, 310, _TYPICAL),
    _aluminium("6082-T6", 70, 2700.0, 250, 290, "EN 755-2, profiles up to 5 mm"),
    _aluminium("7075-T6", 72, 2810.0, 505, 570, _TYPICAL),
    _aluminium("2024-T3", 73, 2780.0, 345, 485, _TYPICAL),
    _aluminium("5083-H116", 71, 2660.0, 205, 290, _TYPICAL),
    Material(113.8e9, 44e9, 4430.0, 880e6, name="Ti-6Al-4V", ultimate_strength=950e6, source=TITANIUM.source),
    Material(135e9, 5e9, 1600.0, 1200e6, orthotropic=True, name="carbon UD", transverse_modulus=10e9,
             source=CARBON_UD.source),
    _carbon("carbon quasi-isotropic", 52.4, 20.0, 262,
            f"{_PLIES}, [0/45/-45/90]; the strength is that of the first crack, 0.5 % strain; no fatigue data"),
    _carbon("carbon +-45", 17.7, 35.0, 140,
            f"{_PLIES}, for torsion; the strength is twice the plies' in shear, 70 MPa; no fatigue data"),
])
"""Common materials by their usual names."""
