"""Every formulation takes what the default takes, for every quantity that has several; the page says which has what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loadpath as lp
from loadpath.engine.quantity import Compiled, quantities_of
from loadpath.formulations.table import FORMULATIONS

PAGE = Path(__file__).parents[2] / "docs" / "formulations.md"
SEVERAL = [
    (owner, name, quantity)
    for owner in (lp.Robot, lp.ClosedRobot, lp.FlexibleRobot, lp.ClosedFlexibleRobot)
    for name, quantity in quantities_of(owner).items()
    if len(quantity.formulations) > 1
]
LOADS = ("external", "base_velocity", "base_acceleration")


@pytest.mark.parametrize(
    ("owner", "name", "quantity"), SEVERAL, ids=[f"{owner.__name__}.{name}" for owner, name, _ in SEVERAL]
)
def test_every_formulation_takes_what_the_default_takes(owner: type, name: str, quantity: Compiled) -> None:
    keywords = [*quantity.optional, *quantity.choices, *(["external"] if quantity.takes_external else [])]
    refused = {by: [key for key in keywords if not quantity.takes(by, key)] for by in quantity.formulations}
    assert not any(refused.values()), refused


@pytest.mark.parametrize("name", ["inverse_dynamics", "joint_wrenches", "bias_forces", "forward_dynamics"])
def test_loads_are_taken(name: str) -> None:
    """Numbers under them: test_formulations_on_moving_bases.py."""
    quantity = getattr(lp.Robot, name)
    assert quantity.takes_external
    assert {*LOADS[1:]} <= {*quantity.optional}


def test_the_page_says_which_formulation_gives_what() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## What each gives")[1].split("\n## ")[0]
    head, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in section.splitlines()
                      if line.startswith("|")]
    columns = [re.findall(r"`(\w+)`", cell) for cell in head[1:]]
    shown = {row[0].strip("`"): {name for names, cell in zip(columns, row[1:], strict=True) if cell for name in names}
             for row in rows}
    assert list(shown) == list(FORMULATIONS)
    named = [name for names in columns for name in names]
    given = {by: {name for name in named if by in getattr(lp.Robot, name).formulations} for by in FORMULATIONS}
    assert shown == given
