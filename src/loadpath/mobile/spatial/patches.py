"""Patches of friction under a free base: which contact stands on which, its coefficients there, the way to a border."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath.mobile.contacts.elements import Element
from loadpath.mobile.contacts.forces import Mode
from loadpath.mobile.contacts.patches_under import left_on, patches_under
from loadpath.mobile.spatial.input import Input
from loadpath.robot.wheels.friction import WheelFriction
from loadpath.scalars.types import Bools, Floats
from loadpath.simulate.events import RoverEvent

if TYPE_CHECKING:
    from loadpath.mobile.spatial.geometry import Contacts, Touch


class Frictions(NamedTuple):
    """Friction where the contacts stand."""

    every: list[Element]
    """The elements, with their coefficients."""
    static: Floats
    """(elements,)."""
    sliding: Floats
    """(contacts,)."""
    holding: Floats
    """(contacts,): static."""
    rolling: Floats
    """(contacts,)."""


def frictions(contacts: Contacts, elements: list[Element], under: tuple[int, ...]) -> Frictions:
    """Those of contacts on patches of these numbers, -1 beside them; nothing: beside all."""
    known, patches = contacts.rover.frictions, contacts.rover.ground.patches
    sliding, holding, rolling = (contacts.of_wheels(known[name]) for name in ("sliding", "static", "rolling"))
    every = list(elements)
    for k, number in enumerate(under):
        if number >= 0:
            friction: WheelFriction = patches[number].friction
            sliding[k], holding[k], rolling[k] = friction.sliding, friction.static, friction.rolling
    for i, e in enumerate(every):
        if e.contact >= 0 and under and under[e.contact] >= 0:
            k = e.contact
            static, kinetic = (rolling[k], rolling[k]) if e.rolls else (holding[k], sliding[k])
            every[i] = replace(e, static=float(static), kinetic=float(kinetic))
    return Frictions(every, np.array([e.static for e in every]), sliding, holding, rolling)


def stands(at: Input, touch: Touch) -> Floats:
    """(contacts, 2): where contacts touch the ground, or would, in its plane."""
    place = at.place
    return np.asarray((place.position + touch.points @ place.rotation.T)[:, :2])


def speeds(at: Input, touch: Touch) -> Floats:
    """(contacts,): m/s, of these points."""
    return np.asarray(np.linalg.norm(at.U[:3] + np.cross(at.U[3:6], touch.points), axis=1))


def under_contacts(contacts: Contacts, at: Input, touch: Touch, before: Mode | None) -> tuple[int, ...]:
    """Numbers of the patches under contacts; nothing where the ground has none."""
    ground = contacts.rover.ground
    if not ground.patches:
        return ()
    earlier = before.under if before is not None and len(before.under) == contacts.count else ()
    return patches_under(ground, stands(at, touch), earlier)


def left_on_patches(contacts: Contacts, at: Input, touch: Touch, mode: Mode) -> Floats:
    """(contacts,): path (m) until contacts that touch stand on another patch."""
    if not mode.under:
        return np.full(contacts.count, np.inf)
    left = left_on(contacts.rover.ground, stands(at, touch), mode.under)
    return np.where(mode.touching, left, np.inf)


def crossed(contacts: Contacts, time: float, before: Mode, after: Mode) -> Iterator[RoverEvent]:
    """Events of contacts that touch and stand on other patches than before."""
    if not after.under or len(before.under) != len(after.under):
        return
    both: Bools = before.touching & after.touching
    for k in np.flatnonzero(both):
        old, new = before.under[k], after.under[k]
        if old != new:
            f = contacts.friction
            where = f"off patch {old} of the ground" if new < 0 else f"onto patch {new} of the ground"
            yield RoverEvent(time, "crosses", contacts.names[k], f"{where}: friction {f.sliding[k]:g} sliding, "
                             f"{f.holding[k]:g} static, {f.rolling[k]:g} rolling")
