"""Numbers that look like ones in another unit: the questions of `loadpath.robot.units`."""

from __future__ import annotations

from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient
from loadpath.doctor.rules.file import owner_of
from loadpath.robot.units import unit_questions


def units(patient: Patient) -> Iterator[Finding]:
    """Lengths, inertias and limits."""
    if patient.robot is None:
        return
    for question in unit_questions(patient.robot.links, patient.robot.joints):
        yield Finding("warning", owner_of(question), question, "write it in SI units: m, kg, rad, kg m^2")
