"""What editors show of a compiled quantity and what its calls take are the same."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from loadpath.engine.quantity import Compiled
from loadpath.mobile.quantities import RoverQuantities
from loadpath.quantities import load_keywords
from loadpath.quantities.closed import ClosedQuantities
from loadpath.quantities.forces import ForceQuantities
from loadpath.quantities.motion import MotionQuantities
from loadpath.quantities.slopes import SlopeQuantities
from loadpath.quantities.table import RobotQuantities
from loadpath.structure.quantities import ElasticQuantities

TABLES = (
    ForceQuantities, SlopeQuantities, MotionQuantities, RobotQuantities, ClosedQuantities, ElasticQuantities,
    RoverQuantities,
)
ARRAYS_BY_LOOPS = {"drive_regressor"}
"""Whose arrays are others with loops: their heads have `*arrays`."""


def heads() -> Iterator[Any]:
    for table in TABLES:
        (made,) = ast.parse(textwrap.dedent(inspect.getsource(table))).body
        assert isinstance(made, ast.ClassDef)
        for head in made.body:
            if isinstance(head, ast.FunctionDef) and isinstance(vars(table)[head.name], Compiled):
                yield pytest.param(vars(table)[head.name], head, id=head.name)


HEADS = list(heads())


def signatures(quantity: Compiled) -> list[inspect.Signature]:
    """Of trees, and with loops."""
    return [quantity.__signature__, *([quantity.with_loops().__signature__] if quantity.loops else [])]


def test_every_quantity_of_the_tables_has_a_head() -> None:
    written = {id(case.values[0]) for case in HEADS}
    assert len(written) > 50
    for table in TABLES:
        assert all(id(line) in written for line in vars(table).values() if isinstance(line, Compiled))


@pytest.mark.parametrize(("quantity", "head"), HEADS)
def test_head_names_what_calls_take(quantity: Compiled, head: ast.FunctionDef) -> None:
    by_name = inspect.Parameter.KEYWORD_ONLY
    taken = [list(one.parameters.values()) for one in signatures(quantity)]
    places = [[part.name for part in one if part.kind is not by_name] for one in taken]
    if head.name in ARRAYS_BY_LOOPS:
        assert head.args.vararg is not None and places[0] != places[1]
    else:
        assert [[part.arg for part in head.args.args]] * len(places) == places

    named = {part.arg for part in head.args.kwonlyargs}
    if head.args.kwarg is not None:
        annotation = ast.unparse(head.args.kwarg.annotation)  # type: ignore[arg-type]
        named |= set(getattr(load_keywords, annotation.removeprefix("Unpack[").removesuffix("]")).__annotations__)
    assert named == {part.name for one in taken for part in one if part.kind is by_name}


@pytest.mark.parametrize(("quantity", "head"), HEADS)
def test_head_has_the_defaults_of_calls(quantity: Compiled, head: ast.FunctionDef) -> None:
    module = inspect.getmodule(TABLES[[head.name in vars(table) for table in TABLES].index(True)])
    shown = dict(zip((part.arg for part in head.args.kwonlyargs), head.args.kw_defaults, strict=True))
    for one in signatures(quantity):
        for part in one.parameters.values():
            default = shown.get(part.name)
            if part.name not in shown or part.default == ():  # none of something
                continue
            assert default is not None
            assert eval(ast.unparse(default), vars(module)) == part.default, part.name


@pytest.mark.parametrize(("quantity", "head"), HEADS)
def test_head_says_how_many_results_there_are(quantity: Compiled, head: ast.FunctionDef) -> None:
    result = ast.unparse(head.returns)  # type: ignore[arg-type]
    count = quantity.signature.split("->")[1].count("),(") + 1 - (quantity.verdict is not None)
    if quantity.wrap is not None or result.startswith("Packable"):
        return  # a result with names
    assert result == ("Floats" if count == 1 else f"tuple[{', '.join(['Floats'] * count)}]")
