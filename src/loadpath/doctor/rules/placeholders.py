"""Made-up inertias: round numbers, the same on several links that do not look the same."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Link

SEVERAL = 3
"""Links with the same round numbers."""
NAMED = 4


def placeholders(patient: Patient) -> Iterator[Finding]:
    """Bodies with one round number for all three moments, where several links have the same."""
    groups: dict[tuple[float, float], list[Link]] = {}
    for link in patient.links:
        if link.inertia.mass and is_round(link.inertia):
            groups.setdefault((link.inertia.mass, float(f"{link.inertia.tensor[0][0]:.0e}")), []).append(link)
    for (mass, moment), links in groups.items():
        moving = [link for link in links if link.name in patient.moved]
        share = mass * len(links) / patient.mass
        named = ", ".join(f"'{link.name}'" for link in links[:NAMED])
        more = f" and {len(links) - NAMED} more" if len(links) > NAMED else ""
        if not moving or (len(links) < SEVERAL and share < 0.01):
            continue
        severe = share >= 0.01
        one = len(links) == 1
        yield Finding(
            "warning" if severe else "note",
            f"link '{links[0].name}'",
            f"mass {mass:g} kg and three equal moments of {moment:g} kg m^2"
            f"{'' if one else f' on {len(links)} links ({named}{more})'}: made up? {share:.2g} of the robot's mass",
            "take mass and inertia from CAD, or from the shape with lp.Inertia.from_mesh",
            numbers={"mass": mass, "moment": moment, "links": float(len(links)), "share": share},
        )


def is_round(body: Inertia) -> bool:
    """Whether all three moments are one number of one digit, like 0.001, and there are no products.

    >>> is_round(Inertia.from_moments(0.1, ixx=1e-3, iyy=1e-3, izz=1e-3)), is_round(Inertia.sphere(0.1, mass=1.3))
    (True, False)
    """
    tensor = np.array(body.tensor)
    value = float(tensor[0, 0])
    digit = float(f"{value:.0e}")
    return value > 0 and bool(np.abs(tensor - digit * np.eye(3)).max() < 1e-9 * value)
