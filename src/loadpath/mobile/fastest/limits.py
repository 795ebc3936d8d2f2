"""Limits of contacts: loads, slip, margins to tipping over, torques of wheels and what their drives have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.cones import Cone
from loadpath.fastest.demands import Sum
from loadpath.fastest.limits import Limits, Name
from loadpath.mobile.fastest.contacts import Contacts
from loadpath.mobile.fastest.planar import PLANE
from loadpath.mobile.fastest.wheel_drives import asked_drives, limits_of_drives
from loadpath.mobile.support import edges_of
from loadpath.robot.numbers import known, number
from loadpath.scalars.types import Floats

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

KINDS = ("normal", "wheel_load", "margin", "slip", "wheel_torque", "wheel_drives")
"""Limits of contacts, by the keys of `limits`."""


def limits_of_contacts(
    rover: Rover, contacts: Contacts, given: Mapping[str, Any], shares: Callable[[str], float], suffix: str
) -> list[Limits]:
    """Those asked for, and those that it has by itself."""
    names = rover.contact_names
    found: list[Limits] = []
    weight = rover.ground.gravity * sum(link.inertia.mass for link in rover.robot.links)
    usual = weight / len(names)
    friction = {name: rover.friction_of(name) for name in names}

    def linear(kind: str, name: str, row: Floats, capacity: float, scale: float, unit: str) -> None:
        found.append(Cone(contacts.model, Name(kind, name + suffix, abs(capacity), unit), Sum(row, ()), capacity, scale,
                          contacts.load, contacts.columns))

    slips = given.get("slip", True)
    shares_slip = {name: value for name, value in _by_contact(rover, 1.0 if slips is True else slips, "slip").items()
                   if friction[name] is not None}
    if slips is not True:
        for name in _by_contact(rover, slips, "slip"):
            if friction[name] is None:
                raise ModelError(f"limit of slip: friction of contact '{name}' is not known: lp.WheelFriction(...)")
    lifts = _by_contact(rover, given.get("normal"), "normal")
    ratings = {} if given.get("wheel_load") is False else _ratings(rover) | _by_contact(
        rover, given.get("wheel_load"), "wheel_load")
    torques = _by_contact(rover, given.get("wheel_torque"), "wheel_torque")
    drives = limits_of_drives(rover, contacts, contacts.direction, shares("wheel_drives"), suffix) if asked_drives(
        given) else []
    found += drives
    if len(names) > PLANE and (shares_slip or ratings or torques or drives):
        lifts = {name: lifts.get(name, 0.0) for name in names}  # shares are linear only where none lifts
    for name, least in lifts.items():
        linear("normal force", name, -contacts.rows[names.index(name), 0], -least, usual, "N")
    for name, most in ratings.items():
        capacity = shares("wheel_load") * _positive(most, f"wheel_load of '{name}'")
        linear("wheel load", name, contacts.rows[names.index(name), 0], capacity, capacity, "N")
    for name, most in torques.items():
        row = contacts.rows[names.index(name), 3]
        capacity = shares("wheel_torque") * _positive(most, f"wheel_torque of '{name}'")
        if row.any():
            for sign in (1.0, -1.0):
                linear("wheel torque" if sign > 0 else "wheel torque backwards", name, sign * row, capacity, capacity,
                       "N m")
    margin = given.get("margin", 0.0)
    if margin is not False and margin is not None:
        found += _margins(rover, contacts, number(0.0 if margin is True else margin, "limit of margin"), weight, suffix)
    for name, share in shares_slip.items():
        known_friction = friction[name]
        assert known_friction is not None
        most = shares("slip") * _positive(share, f"slip of '{name}'") * float(known_friction.static)
        normal, along, across = contacts.rows[names.index(name), :3]
        both = np.stack([along, across])
        if both.any():
            found.append(Cone(contacts.model, Name("slip", name + suffix, most, "of N"), Sum(-most * normal, (both,)),
                              0.0, most * usual, contacts.load, contacts.columns))
    return found


def _margins(rover: Rover, contacts: Contacts, least: float, weight: float, suffix: str) -> list[Limits]:
    """No zero-moment point nearer to an edge."""
    edges = edges_of(contacts.points)
    found: list[Limits] = []
    for k in range(len(edges.first)):
        (ax, ay), (x, y) = edges.along[k], edges.start[k]
        row = np.array([ay * x - ax * y - least, ax, ay]) @ contacts.pressing
        name = f"{rover.contact_names[edges.first[k]]}, {rover.contact_names[edges.second[k]]}"
        found.append(Cone(contacts.model, Name("margin", name + suffix, least, "m"), Sum(-row, ()), 0.0,
                          weight * rover.arrangement.size, contacts.load, contacts.columns))
    return found


def _ratings(rover: Rover) -> dict[str, float]:
    """Largest loads of contacts with a rating."""
    return {name: float(rating.load) for name, rating in rover.ratings
            if name in rover.contact_names and rating.load is not None}


def _by_contact(rover: Rover, given: Any, kind: str) -> dict[str, float]:
    """Numbers by contacts."""
    if given is None or given is False:
        return {}
    if isinstance(given, Mapping):
        return {known(name, rover.contact_names, "contact"): number(value, f"{kind} of '{name}'")
                for name, value in given.items()}
    return dict.fromkeys(rover.contact_names, number(given, f"limit of {kind}"))


def _positive(value: float, what: str) -> float:
    if value <= 0:
        raise ValueError(f"{what} is {value:g}: expected more than zero")
    return value


def shares_of(factor: float | Mapping[str, float]) -> Callable[[str], float]:
    """The factor of a kind of limit."""
    if not isinstance(factor, Mapping):
        every = _positive(number(factor, "factor"), "factor")
        return lambda kind: every
    by_kind = {kind: _positive(number(value, f"factor of {kind}"), f"factor of {kind}")
               for kind, value in factor.items()}
    return lambda kind: by_kind.get(kind, 1.0)
