"""Limits that beams bring: stress and deflection, quasi-static, both linear in the loads.

Forces and moments in a cross section are affine in u and x. Von Mises's stress of a fibre is a norm of sums of
magnitudes of them, as `loadpath.structure.beams.stress_equations` has it; that of a beam is the largest of all fibres
of all its cross sections. Round sections have no special fibres: they are looked at in `AROUND` of them, and what is
between these is less than what they carry of bending and shear made larger by 1 / cos(pi / 2 AROUND), which is 0.5 %.
The stress of `arm.stress` is that of the two fibres where bending, and where shear, is largest: not more than this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.fastest.cones import Cone
from loadpath.fastest.demands import Sum
from loadpath.fastest.limits import Limits, Name
from loadpath.fastest.loads import ACTIONS, DEFLECTION, Model
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import Floats
from loadpath.structure.beams.elastic_mechanism import SectionSample
from loadpath.structure.beams.skeleton import skeleton
from loadpath.structure.quantities import SECTIONS

N, VY, VZ, T, MY, MZ = np.eye(6)
"""Entries of the force and the moment in a cross section."""
AROUND = 16
"""Fibres on half of a round section."""


@dataclass(frozen=True, eq=False)
class Fibres:
    """The largest von Mises's stress of fibres in cross sections, of forces and moments (..., 6 sections):

        sigma = sum |sigma_k w|,    tau = sum |tau_k w| + |both w|,    sqrt(sigma^2 + 3 tau^2).
    """

    sigma: Floats
    """(sections, fibres, 3, 6), as what follows."""
    tau: Floats
    both: Floats
    """(sections, fibres, 2, 6): of which the magnitude counts."""

    @cached_property
    def rows(self) -> Floats:
        """(sections, 6, fibres * 8)"""
        every = np.concatenate([self.sigma, self.tau, self.both], axis=2)
        return np.ascontiguousarray(np.swapaxes(every.reshape(len(every), -1, 6), 1, 2))

    def _parts(self, load: Floats, rows: Floats) -> Floats:
        """(..., sections, fibres, 8)"""
        each = load.reshape(*load.shape[:-1], len(rows), 1, 6) @ rows
        return each.reshape(*load.shape[:-1], *self.sigma.shape[:2], 8)

    def _stress(self, parts: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """(..., sections, fibres): stress, sigma, tau and the magnitude in it."""
        sigma, both = np.abs(parts[..., :3]).sum(axis=-1), np.hypot(parts[..., 6], parts[..., 7])
        tau = np.abs(parts[..., 3:6]).sum(axis=-1) + both
        return np.sqrt(sigma * sigma + 3 * tau * tau), sigma, tau, both

    def __call__(self, load: Floats) -> Floats:
        """(...,)"""
        found: Floats = self._stress(self._parts(load, self.rows))[0].max(axis=(-2, -1))
        return found

    def most(self, within: Floats) -> Floats:
        """(...,): see `Demand`."""
        found: Floats = self._stress(self._parts(within, np.abs(self.rows)))[0].max(axis=(-2, -1))
        return found

    def gradient(self, load: Floats) -> Floats:
        """(..., 6 sections): that of the fibre with the largest stress."""
        parts = self._parts(load, self.rows)
        every = [part.reshape(*load.shape[:-1], -1) for part in self._stress(parts)]
        which = every[0].argmax(axis=-1)[..., None]
        stress, sigma, tau, both = (np.take_along_axis(part, which, axis=-1) for part in every)
        own = np.take_along_axis(parts.reshape(*load.shape[:-1], -1, 8), which[..., None], axis=-2)[..., 0, :]
        share = 1 / np.where(stress > 0, stress, np.inf)
        slopes = np.sign(own)
        slopes[..., 6:] = own[..., 6:] / np.where(both > 0, both, np.inf)
        slopes[..., :3] *= sigma * share
        slopes[..., 3:] *= 3 * tau * share
        section, fibre = (each[..., 0] for each in np.divmod(which, self.sigma.shape[1]))
        rows = np.swapaxes(self.rows, 1, 2).reshape(*self.sigma.shape[:2], 8, 6)[section, fibre]
        found = np.zeros((*load.shape[:-1], len(self.sigma), 6))
        np.put_along_axis(found, section[..., None, None], (slopes[..., None, :] @ rows), axis=-2)
        return found.reshape(load.shape)


def refuse_bent_loops(robot: Any, kinds: Iterable[str]) -> None:
    """What loops carry goes with what bends, and along a path what bends is known of open chains."""
    for kind in kinds:
        raise ModelError(f"limit of {kind}: robot '{robot.name}' is closed by {', '.join(robot.closing_names)}, and "
                         "has beams or joint compliance, which settle what its joints carry: along a path that is "
                         "known of closed robots that are rigid, and of open ones that bend (robot.tree)")


def limits_of_beams(
    model: Model, stress: Any, deflection: Any, shares: Mapping[str, float], suffix: str
) -> list[Limits]:
    """Limits of von Mises's stress, the yield strengths of the beams where nothing else is given, and of how far the
    frames of links move because the arm bends.
    """
    robot = model.robot
    wanted = [what for what, given in (("stress", stress), ("deflection", deflection)) if given not in (None, False)]
    if not robot.is_elastic:
        if wanted:
            raise ModelError(f"limit of {wanted[0]}: robot '{robot.name}' has no beams and no joint compliance, so "
                             "nothing bends: robot.with_beams(...)")
        return []
    if robot.closing_names:
        if wanted:
            raise ModelError(f"limit of {wanted[0]}: robot '{robot.name}' is closed by {', '.join(robot.closing_names)}"
                             f", and along a path {wanted[0]} is known of open chains; robot.tree is the open one")
        return []
    return [*_stresses(model, stress, shares.get("stress", 1.0), suffix),
            *_deflections(model, deflection, shares.get("deflection", 1.0), suffix)]


def _stresses(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Of each link with beams."""
    if given is False:
        return []
    robot, samples = model.robot, skeleton(model.robot).samples(SECTIONS)
    links = [robot.beams[sample.beam][0] for sample in samples]
    chosen: dict[str, Any] = dict.fromkeys(links) if given in (None, True) else dict.fromkeys(links, given)
    if isinstance(given, Mapping):
        chosen = {known(link, tuple(dict.fromkeys(links)), "link with a beam"): value for link, value in given.items()}
    found: list[Limits] = []
    for link, value in chosen.items():
        of_link = [k for k, each in enumerate(links) if each == link]
        most = {k: _number(samples[k].yield_strength) if value is None else number(value, f"stress limit of '{link}'")
                for k in of_link}
        capacity = min(most.values())
        if not np.isfinite(capacity):
            continue
        if capacity <= 0:
            raise ValueError(f"stress limit of '{link}' is {value}: expected more than zero (Pa)")
        first, last = of_link[0], of_link[-1]
        parts = [_fibres(samples[k], capacity / most[k] if k in most else 0.0) for k in range(first, last + 1)]
        name = Name("stress", link + suffix, share * capacity, "Pa")
        count = max(len(each) for each in parts)
        whole = np.stack([np.pad(each, [(0, count - len(each)), (0, 0), (0, 0)]) for each in parts])
        demand = Fibres(whole[..., :3, :], whole[..., 3:6, :], whole[..., 6:, :])
        found.append(Cone(model, name, demand, name.capacity, name.capacity, ACTIONS, slice(6 * first, 6 * last + 6)))
    return found


def _number(value: Any) -> float:
    return float(value)


def _fibres(sample: SectionSample, weight: float) -> Floats:
    """(fibres, 8, 6): rows of sigma (3), of tau (3) and of the magnitude in tau (2), times a weight; signs are taken as
    they are worst.
    """
    about_y, about_z = MY / _number(sample.modulus_y), MZ / _number(sample.modulus_z)
    along_y, along_z = VY / _number(sample.shear_area_y), VZ / _number(sample.shear_area_z)
    pull, twist, none = N / _number(sample.area), T / _number(sample.torsion_modulus), np.zeros(6)
    if not sample.fibres:
        angles, larger = np.pi * np.arange(AROUND) / AROUND, 1 / np.cos(np.pi / (2 * AROUND))
        rows = [[pull, larger * (about_y * c + about_z * s), none, twist, larger * (along_z * c - along_y * s), none,
                 none, none] for c, s in zip(np.cos(angles), np.sin(angles), strict=True)]
        return weight * np.array(rows)
    rows = []
    for fibre in sample.fibres:
        y, z = fibre.shear_y * along_y, fibre.shear_z * along_z
        shear = [y, z, none, none] if fibre.in_wall else [none, none, y, z]
        rows.append([pull, fibre.bending_y * about_y, fibre.bending_z * about_z, fibre.torsion * twist, *shear])
    return weight * np.array(rows)


def _deflections(model: Model, given: Any, share: float, suffix: str) -> list[Limits]:
    """Of frames of links, by their names; of one number that of the only end."""
    if given is None or given is False:
        return []
    robot = model.robot
    chosen = given if isinstance(given, Mapping) else {link_or_only_end(robot, None, "fastest"): given}
    found: list[Limits] = []
    for link, value in chosen.items():
        k = robot.link_names.index(known(link, robot.link_names, "link"))
        capacity = share * number(value, f"deflection limit of '{link}'")
        if capacity <= 0:
            raise ValueError(f"deflection limit of '{link}' is {value}: expected more than zero (m)")
        name = Name("deflection", link + suffix, capacity, "m")
        found.append(Cone(model, name, Sum(np.zeros(3), (np.eye(3),)), capacity, capacity, DEFLECTION,
                          slice(6 * k, 6 * k + 3)))
    return found
