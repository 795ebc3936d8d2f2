"""What checks choose at random, and what they leave out because it takes too long."""

from __future__ import annotations

from differential.robots import Case


def choose(case: Case, names: tuple[str, ...], purpose: str) -> str:
    return str(case.rng(purpose).choice(names))


def link_of(case: Case, purpose: str) -> str:
    return choose(case, case.robot.link_names, purpose)


def small_enough(case: Case) -> bool:
    """Formulations of books take long to compile for many freedoms."""
    return case.robot.n <= 5
