"""Meshes: missing, broken, or of a size that no robot has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.errors import ModelError
from loadpath.robot.units import size_of

LARGEST, SMALLEST = 30.0, 1e-3
"""m, for a robot whose size is not known."""
TIMES = 20.0
"""A mesh so many times as large as the robot is not scaled."""


def meshes(patient: Patient) -> Iterator[Finding]:
    """Each shape once, with the first link that has it."""
    if not patient.with_meshes:
        return
    size = size_of(patient.robot.links, patient.robot.joints) if patient.robot is not None else 0.0
    largest = max(TIMES * size, 1.0) if size else LARGEST
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
            if across > largest or 0 < across < SMALLEST:
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
