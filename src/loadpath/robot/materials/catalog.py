"""Common materials by their usual names, each with the source of its numbers: `lp.materials["S355"]`.

Strengths of structural and stainless steels are the nominal ones of the standards for the thinnest products (up to
16 mm), those of aluminium and titanium typical ones of handbooks, but where a standard is named. Fatigue data are those
of base material: by EN 1993-1-9, table 8.1, for rolled structural and stainless steel, by the FKM guideline for smooth
wrought aluminium. Welds, holes and notches bear less: give `detail` or `stress_concentration` to `fatigue`. Materials
whose fatigue data could not be found in a standard have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from loadpath.robot.materials.material import CARBON_UD, TITANIUM, Material, SNCurve

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
