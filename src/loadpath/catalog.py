"""Robots of the literature, with their published numbers: `lp.catalog.puma560()` and others, and mechanisms with closed
chains: `lp.catalog.four_bar()` and others.

The makers, with their sources, are in `loadpath.robot.catalog`; here they give the public `lp.Robot`. Robots of plugins
are found when they are asked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, cast

from loadpath import plugins
from loadpath.api import public
from loadpath.errors import ModelError
from loadpath.robot import catalog
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import nearest

if TYPE_CHECKING:
    from loadpath.api.kinds import ClosedRobot
    from loadpath.mobile.catalog import lau_rover

P = ParamSpec("P")


def _closed(make: Callable[P, RobotModel]) -> Callable[P, ClosedRobot]:
    """The same maker, giving the public robot, which has loops."""
    return cast("Callable[P, ClosedRobot]", public(make, __name__))


delta = _closed(catalog.delta)
excavator = _closed(catalog.excavator)
five_bar = _closed(catalog.five_bar)
four_bar = _closed(catalog.four_bar)
generalized = public(catalog.generalized, __name__)
lau_arm = public(catalog.lau_arm, __name__)
panda = public(catalog.panda, __name__)
parallelogram_palletizer = _closed(catalog.parallelogram_palletizer)
planar = public(catalog.planar, __name__)
puma560 = public(catalog.puma560, __name__)
random_chain = public(catalog.random_chain, __name__)
random_dh_arm = public(catalog.random_dh_arm, __name__)
random_tree = public(catalog.random_tree, __name__)
slider_crank = _closed(catalog.slider_crank)
stanford_arm = public(catalog.stanford_arm, __name__)
stewart_platform = _closed(catalog.stewart_platform)
two_link = public(catalog.two_link, __name__)
ur5 = public(catalog.ur5, __name__)

__all__ = [
    "delta",
    "excavator",
    "five_bar",
    "four_bar",
    "generalized",
    "lau_arm",
    "lau_rover",
    "panda",
    "parallelogram_palletizer",
    "planar",
    "puma560",
    "random_chain",
    "random_dh_arm",
    "random_tree",
    "slider_crank",
    "stanford_arm",
    "stewart_platform",
    "two_link",
    "ur5",
]


def __getattr__(name: str) -> object:
    """The rover, which is imported when it is first asked for; the robots of plugins."""
    if name == "lau_rover":
        from loadpath.mobile.catalog import lau_rover

        return lau_rover
    if name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    try:
        found = maker_of_plugin(name)
    except ModelError as problem:
        raise AttributeError(str(problem)) from None
    if found is None:
        others = [one for one in names() if one != name]  # a plugin that cannot be imported has the name
        raise AttributeError(f"the catalog has no robot '{name}'{nearest(name, others)}")
    return found


def __dir__() -> list[str]:
    """The robots alone: what an editor offers after `lp.catalog.`."""
    return names()


def names() -> list[str]:
    """All robots, those of plugins last."""
    return [*__all__, *sorted(plugins.offered("catalog", __all__))]


def maker_of_plugin(name: str) -> Callable[..., object] | None:
    """The maker of a robot that is not ours.

    >>> maker_of_plugin("no_such_robot") is None
    True
    """
    found: Callable[..., object] | None = plugins.find("catalog", name, __all__, _not_a_maker)
    return found


def _not_a_maker(found: object) -> str:
    try:
        inspect.signature(found)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "a function that makes a robot"
    return ""
