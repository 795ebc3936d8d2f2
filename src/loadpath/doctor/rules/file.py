"""What the reader of the file says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadpath.doctor.finding import Finding
from loadpath.doctor.patient import Patient

_OWNER = re.compile(r"((?:link|joint|loop|coupling|constraint|transmission) '[^']*')")


def refusals(patient: Patient) -> Iterator[Finding]:
    """A finding for each reason to refuse the file."""
    for sentence in patient.refusals:
        yield Finding("error", owner_of(sentence), sentence, "mend this in the file: it is refused as it is")


def remarks(patient: Patient) -> Iterator[Finding]:
    """A finding for each warning of the reader."""
    for sentence in patient.remarks:
        yield Finding("warning", owner_of(sentence), sentence, "write it as the format does, or remove it")


def owner_of(sentence: str) -> str:
    """The link or joint that a sentence names first.

    >>> owner_of("arm.urdf, line 3: link 'arm': <mass> has no attribute 'value'")
    "link 'arm'"
    """
    found = _OWNER.search(sentence)
    return found[1] if found else "robot"
