"""`python tests/house/measures.py`: how many names mean several things, and how many combinations are refused.

An implementation is a function, or the default formulation of a line of the table of compiled quantities, that answers
to a public name of a robot: of an open chain, of one with loops, with beams, with both, of a rover. What only refuses
is none. Cells are those of the page of combinations (`docs/combinations.md`).
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import loadpath as lp
from loadpath.engine.arguments import DEFAULT

PAGE = Path(__file__).parents[2] / "docs" / "combinations.md"
MARKS = {"✓": "work", "✗": "are refused", "r": "are asked of rover.robot", "·": "do not meet"}


def robots_of_each_kind() -> dict[str, Any]:
    arm, bars = lp.catalog.planar(2, mass=1.0), lp.catalog.four_bar()
    beam = lp.Beam(lp.Rod(0.02), lp.STEEL, end=(0.1, 0.0, 0.0))
    wheels = [lp.FixedWheel((0.0, y), 0.1) for y in (0.4, -0.4)]
    base = lp.WheeledBase(mass=60.0, inertia=np.eye(3), center_of_mass=(0.3, 0.0, 0.2),
                          wheels=[*wheels, lp.CasterWheel((0.8, 0.0), 0.1)])
    return {"open": arm, "loops": bars, "beams": arm.with_beams({"link1": beam}),
            "loops and beams": bars.with_beams({"coupler": beam}), "rover": base.carrying(arm)}


def implementation(robot: Any, name: str) -> object:
    """What answers to a name; None for data, and for what only refuses."""
    try:
        value = getattr(robot, name)
    except Exception:  # which names what to ask instead
        return None
    if hasattr(value, "quantity"):
        # Other formulations, which only trees or only loops have, are further ways to the same.
        return value.quantity.formulations[DEFAULT].formulation
    if callable(value):
        function = inspect.unwrap(getattr(value, "__func__", value))
        return None if function.__module__ == "loadpath.engine.refused" else function
    found = inspect.getattr_static(type(robot), name, None)
    if hasattr(found, "line"):
        from loadpath.engine.attached import line_of

        found = line_of(robot, name)
    return found.fget if isinstance(found, property) else found.func if isinstance(found, cached_property) else None


def implementations() -> dict[str, dict[object, list[str]]]:
    """Of every public name, which kinds of robots each implementation answers for."""
    answers: dict[str, dict[object, list[str]]] = {}
    for kind, robot in robots_of_each_kind().items():
        for name in (name for name in dir(robot) if not name.startswith("_")):
            answer = implementation(robot, name)
            if answer is not None:
                answers.setdefault(name, {}).setdefault(answer, []).append(kind)
    return answers


def cells() -> Counter[str]:
    """Cells of the page of combinations by what they say."""
    rows = [line.split("|")[2:-1] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    marks = [re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]", "", cell.strip()) for row in rows for cell in row]
    return Counter(MARKS.get(mark, "work") for mark in marks)


if __name__ == "__main__":
    every = implementations()
    several = {name: answers for name, answers in every.items() if len(answers) > 1}
    for name, answers in sorted(several.items()):
        print(f"{name:32} " + " | ".join(", ".join(kinds) for kinds in answers.values()))
    print(f"{len(several)} of {len(every)} public names have more than one implementation")
    counted = cells()
    print(f"{counted.total()} combinations: " + ", ".join(f"{count} {what}" for what, count in counted.most_common()))
