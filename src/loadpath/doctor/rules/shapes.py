"""Masses, mass centers and inertias against the shapes of the links.

What bounds the inertia of a body is the box around it: the mean square distance of its mass from its center along an
axis is at most (upper - center) (center - lower), whatever the body is like (Bhatia and Davis, 2000).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loadpath.doctor.finding import Finding, Severity
from loadpath.doctor.patient import Filled, Measured, Patient
from loadpath.errors import ModelError
from loadpath.robot.parts import Link
from loadpath.robot.units import size_of

LIGHTEST, HEAVIEST = 100.0, 20_000.0
"""kg/m^3: half of the links of published robots have 700 to 2500 of their shapes, gold has 19,300."""
OUTSIDE = 0.1
"""Of the size of the shapes: a mass center farther outside of the box around them is asked about."""
BEYOND = 2.0
"""Times what the box permits: shapes leave out screws and cables."""
FAR_SMALLER = 50.0
"""Times less than a uniform body of the shape."""
SHARE = 1e-3
"""Of the robot's mass: what weighs less hardly counts, and often has made-up numbers."""


def _weighed(patient: Patient) -> Iterator[tuple[Link, Measured, Severity]]:
    """Links with a mass and shapes that can be measured, and how bad it is if they do not fit."""
    for link in patient.links:
        if link.inertia.mass > 0:
            shape = patient.measured(link)
            if shape is not None and shape.size > 0:
                yield link, shape, "warning" if link.inertia.mass >= SHARE * patient.mass else "note"


def density(patient: Patient) -> Iterator[Finding]:
    """What the mass of a link and the volume of its shapes say of its density: too much for the largest volume, or too
    little for the smallest.
    """
    for link, shape, severity in _weighed(patient):
        if not shape.filled:
            continue
        mass = link.inertia.mass
        least, most = (pick(shape.filled, key=lambda one: one.volume) for pick in (min, max))
        if mass > HEAVIEST * most.volume:
            remedy = "is the mass in grams, or the mesh not scaled?"
            yield Finding(severity, f"link '{link.name}'", *_density(mass, most, "more than any metal", remedy))
        elif mass < LIGHTEST * least.volume and least.closed:  # a hull may be hollow
            remedy = "is the mass made up, in tonnes, or the mesh scaled wrongly?"
            yield Finding(severity, f"link '{link.name}'", *_density(mass, least, "less than foam", remedy))


def _density(mass: float, shape: Filled, verdict: str, remedy: str) -> tuple[str, str, str, dict[str, float]]:
    """Message, remedy, no rule yet, and numbers."""
    value = mass / shape.volume
    of = "its shapes" if shape.closed else "the convex hull of its shapes"
    said = f"{mass:.4g} kg in {shape.volume:.4g} m^3 of {of}: {value:.3g} kg/m^3, {verdict}"
    return said, remedy, "", {"mass": mass, "volume": shape.volume, "density": value}


def _outside(link: Link, shape: Measured) -> float:
    """How far the mass center is from the box around the shapes (m)."""
    at = np.array(link.inertia.center_of_mass)
    return float(np.linalg.norm(np.maximum(np.maximum(shape.lower - at, at - shape.upper), 0.0)))


def center(patient: Patient) -> Iterator[Finding]:
    """A mass center lies within the box around the body."""
    for link, shape, severity in _weighed(patient):
        off = _outside(link, shape)
        if off > OUTSIDE * shape.size:
            at = ", ".join(f"{x:.4g}" for x in link.inertia.center_of_mass)
            yield Finding(
                severity,
                f"link '{link.name}'",
                f"center of mass ({at}) m is {off:.3g} m outside of the box around its shapes, which is "
                f"{shape.size:.3g} m across",
                "is the origin of the inertia in another frame, or in another unit?",
                numbers={"distance": off, "size": shape.size},
            )


def spread(patient: Patient) -> Iterator[Finding]:
    """The inertia against the largest that fits into the box around the shapes, and against that of a uniform body."""
    for link, shape, severity in _weighed(patient):
        tensor = np.array(link.inertia.tensor)
        moment = float(np.trace(tensor))
        if moment <= 0:
            continue
        excess, axis = _excess(link, shape)
        ratio = shape.uniform * link.inertia.mass / moment
        radius = float(np.sqrt(moment / 2 / link.inertia.mass))
        sizes = {"gyration": radius, "size": shape.size}
        about = f"radius of gyration {radius:.3g} m, box {shape.size:.3g} m across"
        where = f"link '{link.name}'"
        if excess > BEYOND:
            said = f"its inertia is {excess:.3g} times what mass within the box around its shapes can have along {axis}"
            remedy = "is the tensor about another point than the center of mass, made up, or in another unit?"
            yield Finding(severity, where, f"{said}: {about}", remedy, numbers={"excess": excess, **sizes})
        elif ratio > FAR_SMALLER:
            said = f"its inertia is {ratio:.3g} times less than that of a uniform body of its shape"
            remedy = "is the tensor made up, or in another unit?"
            yield Finding(severity, where, f"{said}: {about}", remedy, numbers={"ratio": ratio, **sizes})


def _excess(link: Link, shape: Measured) -> tuple[float, str]:
    """The mean square distance of the mass along the worst axis, over what the box permits."""
    tensor = np.array(link.inertia.tensor)
    squares = np.trace(tensor) / 2 - np.diag(tensor)  # times the mass
    sides = shape.upper - shape.lower + 2e-3 * shape.size  # of a flat sheet too
    most = link.inertia.mass * sides**2 / 4
    if not _outside(link, shape):
        at = np.array(link.inertia.center_of_mass)
        margin = 0.05 * shape.size
        most = np.minimum(most, link.inertia.mass * (shape.upper - at + margin) * (at - shape.lower + margin))
    worst = int(np.argmax(squares / most))
    return float(squares[worst] / most[worst]), "xyz"[worst]


# Meshes: missing, broken, or of a size that no robot has.


LARGEST_SIZE, SMALLEST_SIZE = 30.0, 1e-3
"""m, for a robot whose size is not known."""
TIMES = 20.0
"""A mesh so many times as large as the robot is not scaled."""


def meshes(patient: Patient) -> Iterator[Finding]:
    """Each shape once, with the first link that has it."""
    if not patient.with_meshes:
        return
    size = size_of(patient.robot.links, patient.robot.joints) if patient.robot is not None else 0.0
    largest = max(TIMES * size, 1.0) if size else LARGEST_SIZE
    seen: set[object] = set()
    for link in patient.links:
        for shape in link.shapes:
            if shape in seen:
                continue
            seen.add(shape)
            where = f"link '{link.name}'"
            try:
                lower, upper = shape.surface().bounds
            except (ModelError, ImportError) as problem:
                yield Finding(
                    "warning",
                    where,
                    f"{shape.purpose}: {problem}",
                    "pictures go without it; check the path and the package, or export the mesh anew",
                )
                continue
            across = float(np.linalg.norm(upper - lower))
            if across > largest or 0 < across < SMALLEST_SIZE:
                yield Finding(
                    "warning",
                    where,
                    f"{shape.purpose}: its {shape.kind} is {across:.3g} m across"
                    + (f", of a robot of about {size:.3g} m" if size else ""),
                    'is it drawn in millimetres? scale="0.001 0.001 0.001"'
                    if across > largest
                    else "is it scaled twice?",
                    numbers={"size": across, "robot": size},
                )
