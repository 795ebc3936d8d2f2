"""What a beam is made of: stiffness, density and strength, checked on construction."""

from __future__ import annotations

from dataclasses import dataclass, field

from loadpath.errors import ModelError, warn
from loadpath.robot.materials.sn_curve import SNCurve
from loadpath.robot.measures import measures
from loadpath.robot.numbers import name as a_name
from loadpath.robot.numbers import number, positive, positive_or_infinite

__all__ = ["ALUMINIUM", "CARBON_UD", "STEEL", "TITANIUM", "Material", "positive"]


# What soft rubber and foam have at least; less is in other units. (Much more may stand for what is all but rigid.)
_USUAL = {
    "Young's modulus": (1e6, "Pa", "210 GPa is 210e9"),
    "density": (10.0, "kg/m^3", "7.85 g/cm^3 is 7850"),
    "yield strength": (1e4, "Pa", "355 MPa is 355e6"),
}


@dataclass(frozen=True)
class Material:
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
