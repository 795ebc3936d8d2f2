"""`loadpath count`: operations of the functions of a robot."""

from __future__ import annotations

from typing import Annotated

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, RobotName

if will_run():
    from loadpath.cli import tables
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_notes, print_warnings, show, terminal
    from loadpath.cli.robots import find
    from loadpath.counting import of_the_sources
    from loadpath.engine.quantity import quantities_of
    from loadpath.progress import each
    from loadpath.scalars import OperationCount


def count(
    robot: RobotName = "panda",
    *,
    function: Annotated[list[str] | None, typer.Option(help="Count this one only; may be given several times.")] = None,
    as_json: AsJson = False,
) -> None:
    """Multiplications and additions of every function of a robot, and those that the sources print."""
    with errors_reported():
        named = find(robot)
        known = quantities_of(named.robot.without_beams())
        unknown = [name for name in function or () if name not in known]
        if unknown:
            raise ValueError(f"no function '{unknown[0]}'; there are {', '.join(known)}")
        if not as_json:
            print_warnings(named.warnings)
        print_notes(named.on_standing_base("the counts are"), named.flexible("the counts are"))
        counts = []
        with busy(f"Counting operations of {named.robot.name} ..."):
            for quantity in each([known[name] for name in function or known]):
                link = named.robot.link_names[-1] if quantity.takes_link else None
                for formulation in each(quantity.formulations):
                    name = f"{quantity.name}, {formulation}" if len(quantity.formulations) > 1 else quantity.name
                    counts.append((name, _operations(named.robot, quantity.name, formulation, link)))
    sources = of_the_sources(named.robot.n) if function is None and named.robot.n else []
    if as_json:
        print_json(
            robot=named.robot.name,
            functions=[{"function": name, **_numbers(counted)} for name, counted in counts],
            sources=[{"what": row.what, "kind": row.kind, "where": row.where, **_numbers(row.operations)}
                     for row in sources],
            warnings=named.warnings,
        )
        return
    console = terminal()
    show(console, tables.count_table(named.robot, counts))
    if sources:
        show(console, tables.source_count_table(sources, named.robot.n))


def _numbers(counted: OperationCount | None) -> dict[str, int | None]:
    """Of a function that this robot does not have, nothing is known."""
    names = ("multiplications", "additions", "divisions", "functions")
    return {name: None if counted is None else getattr(counted, name) for name in names}


def _operations(robot: lp.Robot, name: str, formulation: str, link: str | None) -> OperationCount | None:
    """The count, or None if there is no such function of this robot (no mass to move, say)."""
    try:
        return robot.operation_count(name, formulation, link)
    except (ValueError, ArithmeticError):
        return None
