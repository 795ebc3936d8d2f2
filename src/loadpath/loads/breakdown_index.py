"""Which row of a breakdown holds what: terms by joint, kind and names, with errors that say what there is."""

from __future__ import annotations

import functools
from typing import Any

from loadpath.formulations.load_terms import Term, layout
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel


@functools.lru_cache(maxsize=64)
def terms_of(
    robot: RobotModel,
    by: Any = "freedom",
    by_link: bool = False,
    external: tuple[str, ...] = (),
    given: tuple[str, ...] = (),
) -> tuple[Term, ...]:
    """What the rows of `robot.load_terms` are the loads of; `given` are the base's motions that are given."""
    return layout(
        plain(robot),
        by=by,
        by_link=by_link,
        external=external,
        base_velocity="base_velocity" in given,
        base_acceleration="base_acceleration" in given,
    )


def count_terms(robot: RobotModel, variant: Any) -> dict[str, int]:
    """The size `t` of the signature of `load_terms` for a variant of it."""
    choices = dict(variant.choices)
    links = tuple(link for link, _ in variant.external)
    return {
        "t": len(terms_of(robot, choices.get("by", "freedom"), choices.get("by_link", False), links, variant.given))
    }
