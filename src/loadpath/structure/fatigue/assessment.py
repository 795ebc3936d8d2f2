"""`arm.fatigue`: how often a motion or duty cycle may be repeated until a beam cracks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, Unpack

import numpy as np

from loadpath.errors import ModelError
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.materials import Material, MinerRule, SNCurve
from loadpath.robot.numbers import number, positive
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import StatesLike, warn_of_unknown
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.checks import check_wrench_points, whole_number
from loadpath.structure.fatigue.causes import Causes, histories
from loadpath.structure.fatigue.damage import (
    COUNTINGS,
    MEAN_STRESS,
    Counting,
    FibreDamage,
    MeanStress,
    Strength,
    fibre_damage,
    pylife_rainflow,
)
from loadpath.structure.fatigue.duty import DutyCycle, HasSectionHistory, SectionHistory, duration_of, duty_parts
from loadpath.structure.fatigue.fibres import Fibres, fibres_of
from loadpath.structure.fatigue.result import Fatigue
from loadpath.structure.quantities import SECTIONS

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

T = TypeVar("T")


@takes_loads
def fatigue(
    arm: ElasticQuantities,
    q: StatesLike | HasSectionHistory | SectionHistory | DutyCycle,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    cycles: float | None = None,
    cycles_per_hour: float | None = None,
    detail: SNCurve | Mapping[str, SNCurve] | None = None,
    shear_detail: SNCurve | Mapping[str, SNCurve] | None = None,
    stress_concentration: float | Mapping[str, float] = 1.0,
    mean_stress: MeanStress | None = None,
    miner: MinerRule = "haibach",
    counting: Counting = "repeated",
    sections: int = SECTIONS,
    **acting: Unpack[LoadKeywords],
) -> Fatigue:
    """Damage of a motion or duty cycle in every fibre of the beams, and how often it may be repeated.

    `q` is a motion or a simulation, what `arm.respond` returns (its vibration counts too), or states (samples, nq) one
    after the other in time, with `qd` and `qdd`, or a duty cycle: a list of (motion, repeats), which come one after the
    other. The loads are those of `stress`; the signed normal stress of every fibre is counted by rainflow and added up
    by Miner's rule with the S-N curve of the material, or with a `detail` (an `lp.SNCurve`, or one for each link), such
    as `lp.SNCurve.detail(71)` for a weld. `stress_concentration`, a number or one for each link, multiplies the stress:
    the notch factor K_f. Torsion is counted by itself, with the shear strength of the curve (`SNCurve.in_shear`) or
    with a `shear_detail`, and its damage added (EN 1993-1-9, 8 (3)).

    `mean_stress` is "none", "goodman" or "fkm", by default that which the curve is made for: ranges of welds and of
    rolled steel count whatever their mean. `miner` is "haibach", "original" or "elementary", see `SNCurve.by`.
    `counting` is of a motion that is "repeated" without end, or that happens "once" (ASTM E1049's half cycles).
    `cycles` are the repetitions that are wanted: then `fails` and `total` say whether they are borne.

    Shear by forces across the beam is not counted. Needs pyLife: `pip install loadpath[fatigue]`.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1, mass=5.0).with_payload(40.0).with_beams(
    ...     {"link1": lp.Beam(lp.Tube(0.03, 0.003), lp.materials["S355"], end="tip_joint")})
    >>> swing = lp.Motion.through(arm, [[0.0], [3.0], [0.0]], [0.0, 1.5, 3.0])
    >>> found = arm.fatigue(swing, cycles=2e6, detail=lp.SNCurve.detail(71))
    >>> found.worst.link, found.worst.position, found.worst.fibre, found.fails
    ('link1', 0.0, '0 deg', True)
    >>> next(iter(found.causes["link1"]))
    'mass of payload'
    """
    if not arm.beams:
        raise ValueError(f"arm '{arm.name}' has no beams: there is no fatigue")
    pylife_rainflow()
    if counting not in COUNTINGS:
        raise ValueError(f"fatigue: counting is {counting!r}: expected 'repeated' or 'once'")
    sections = whole_number(sections, "'sections'", 2)
    wanted = None if cycles is None else positive(cycles, "fatigue: cycles")
    per_hour = None if cycles_per_hour is None else positive(cycles_per_hour, "fatigue: cycles_per_hour")
    fibres = fibres_of(arm, sections)
    links = tuple(dict.fromkeys(fibres.links))
    notches = _by_link(stress_concentration, links, "stress_concentration", 1.0)
    details = _by_link(detail, links, "detail", None), _by_link(shear_detail, links, "shear_detail", None)
    strengths = _strengths(fibres, *details, mean_stress, miner)
    factors = np.array([_notch(notches[link], link) for link in fibres.links])
    fibres = fibres.with_notches(factors)
    case = acting["under"]
    check_wrench_points(arm, case.external)
    parts = duty_parts(arm, q, qd, qdd, case, sections, len(skeleton(arm).samples(sections)))
    causes = Causes(arm, parts, sections, counting)
    turning, known = histories(parts, fibres, causes.total)
    unknown = tuple(~part for part in known)
    for k, part in enumerate(unknown):
        of = f"fatigue, motion {k}" if len(unknown) > 1 else "fatigue"
        warn_of_unknown(
            part, of, "left out of the history, so that whether the beams hold is not known: see its unknown"
        )
    repeats = [part.repeats for part in parts]
    if all(part.all() for part in unknown):
        found = [FibreDamage(np.nan, np.nan, np.nan)] * len(fibres)
    else:
        found = [fibre_damage([part[k] for part in turning], repeats, strength, counting)
                 for k, strength in enumerate(strengths)]
    damage, largest, counted = (np.array(values, dtype=float) for values in zip(*found, strict=True))
    return Fatigue(*_together(fibres, damage, largest), counted[~fibres.twisted], fibres, unknown, wanted, per_hour,
                   duration_of(parts), strengths, causes)


def _together(fibres: Fibres, damage: Floats, largest: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Damage of the fibres with that of the torsion of their sections, and that alone; largest ranges of both."""
    twisted = fibres.twisted
    of_section = {int(number): k for k, number in zip(np.flatnonzero(twisted), fibres.sections[twisted], strict=True)}
    rows = [of_section[int(number)] for number in fibres.sections[~twisted]]
    return damage[~twisted] + damage[rows], damage[rows], largest[~twisted], largest[rows]


def _by_link(given: T | Mapping[str, T], links: tuple[str, ...], what: str, default: T) -> dict[str, T]:
    """One for all links, or those that are named and a default."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(links, given)
    for link in given:
        if link not in links:
            raise ValueError(f"fatigue: {what} names '{link}', which has no beam; those that have are "
                             f"{', '.join(links)}")
    return {link: given.get(link, default) for link in links}


def _notch(value: object, link: str) -> float:
    factor = number(value, f"stress concentration of link '{link}'")
    if factor < 1:
        raise ModelError(f"stress concentration of link '{link}' is {factor}: expected 1 or more")
    return factor


def _strengths(
    fibres: Fibres,
    details: Mapping[str, SNCurve | None],
    shear_details: Mapping[str, SNCurve | None],
    mean_stress: MeanStress | None,
    miner: MinerRule,
) -> tuple[Strength, ...]:
    if mean_stress is not None and mean_stress not in MEAN_STRESS:
        raise ValueError(f"fatigue: mean_stress is {mean_stress!r}: expected 'none', 'goodman' or 'fkm'")
    kept: dict[tuple[str, Material, bool], Strength] = {}
    keys = list(zip(fibres.links, fibres.materials, map(bool, fibres.twisted), strict=True))
    for link, material, twisted in dict.fromkeys(keys):
        curve = _curve(link, material, details[link], "detail")
        if twisted:
            own = shear_details[link]
            in_shear = curve.in_shear() if own is None else _curve(link, material, own, "shear_detail")
            kept[link, material, twisted] = Strength(in_shear.by(miner), "none", None)
        else:
            kept[link, material, twisted] = _strength(link, material, curve.by(miner), mean_stress)
    return tuple(kept[key] for key in keys)


def _curve(link: str, material: Material, detail: SNCurve | None, what: str) -> SNCurve:
    if detail is not None and not isinstance(detail, SNCurve):
        raise ModelError(f"fatigue: {what} of link '{link}' is {detail!r}: expected an SNCurve, like "
                         "SNCurve.detail(71)")
    curve = detail if detail is not None else material.fatigue
    if curve is None:
        raise ModelError(f"fatigue: link '{link}' is of '{material.name}', which has no fatigue data: give the "
                         f"material an SNCurve (fatigue=), or the link one, detail={{{link!r}: lp.SNCurve(...)}}"
                         )
    return curve


def _strength(link: str, material: Material, curve: SNCurve, mean_stress: MeanStress | None) -> Strength:
    rule: MeanStress = "none"
    if mean_stress is not None:
        rule = mean_stress
    elif curve.fully_reversed:
        rule = "fkm" if curve.mean_sensitivity is not None else "goodman"
    if rule != "none" and not curve.fully_reversed:
        raise ModelError(f"fatigue: mean_stress is {rule!r}, but {curve.name} of link '{link}' counts ranges whatever "
                         "their mean: leave mean_stress out, or give a curve that is fully_reversed")
    if rule == "fkm" and curve.mean_sensitivity is None:
        raise ModelError(f"fatigue: mean_stress is 'fkm', but {curve.name} of link '{link}' has no mean_sensitivity: "
                         "give it one, or take 'goodman'")
    if rule == "goodman" and material.ultimate_strength is None:
        raise ModelError(f"fatigue: mean stress by Goodman asks for the ultimate_strength of '{material.name}', of "
                         f"which link '{link}' is: give it, or take mean_stress='none'")
    return Strength(curve, rule, material.ultimate_strength)
