"""Where numbers come from, in one word: a file, a catalogue, a measurement, an estimate, or a default of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel

PEDIGREES = ("file", "catalogue", "measured", "estimated", "default")
WEAK = ("estimated", "default")
"""Those that a verdict names, wherever a row rests on them."""
OF_ROBOT = ("masses", "payload", "limits", "friction", "rotors", "beams", "wheels")
"""Data of a robot whose pedigree can be said."""
_FIRST_WORDS = {
    "file": ("file", "cad"),
    "catalogue": ("catalogue", "catalog", "datasheet"),
    "measured": ("measured", "measurement", "measurements", "weighed", "tested", "test", "identified"),
    "estimated": ("estimated", "estimate", "guess", "guessed", "assumed", "assumption"),
    "default": ("default",),
}

R = TypeVar("R", bound=RobotModel)


def pedigree_of(source: str) -> str:
    """The pedigree that the first word of a source says; of another source it is a catalogue.

    >>> pedigree_of("measured 2026-03, dyno"), pedigree_of("CAD, rev. C"), pedigree_of("HD 2019"), pedigree_of("")
    ('measured', 'file', 'catalogue', '')
    """
    first = source.strip().lower().replace(",", " ").replace(":", " ").split(maxsplit=1)[:1]
    return next((one for one, words in _FIRST_WORDS.items() if first and first[0] in words), "catalogue" if first else
                "")


def read_pedigree(given: object, what: str) -> str:
    """One of the five words, or nothing.

    >>> read_pedigree("Measured", "pedigree")
    'measured'
    """
    if not isinstance(given, str) or (given and given.lower() not in PEDIGREES):
        close = get_close_matches(str(given).lower(), PEDIGREES, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        raise ModelError(f"{what} is {given!r}: expected one of {', '.join(PEDIGREES)}{hint}")
    return given.lower()


def with_pedigree(robot: R, data: Mapping[str, str]) -> R:
    """The robot with the sources of its data, by what they are of; no equation depends on them.

    >>> from loadpath.robot.catalog import panda
    >>> with_pedigree(panda(), {"masses": "CAD, rev. C"}).pedigrees
    (('masses', 'CAD, rev. C'),)
    """
    for of, source in data.items():
        if of not in OF_ROBOT:
            close = get_close_matches(of, OF_ROBOT, n=1)
            hint = f"did you mean '{close[0]}'? There" if close else "there"
            raise ModelError(f"robot '{robot.name}' has no pedigree of '{of}'; {hint} are {', '.join(OF_ROBOT)}")
        if not isinstance(source, str) or not source.strip():
            raise ModelError(f"pedigree of {of} of robot '{robot.name}' is {source!r}: expected words, like "
                             "'measured 2026-03, balance'")
    return replace(robot, pedigrees=tuple({**dict(robot.pedigrees), **data}.items()))
