"""Robots of the literature, with their published numbers: `lp.catalog.puma560()` and others.

The makers, with their sources, are in `loadpath.robot.catalog`; here they give the public `lp.Robot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.api import public
from loadpath.robot import catalog

if TYPE_CHECKING:
    from loadpath.mobile.catalog import lau_rover

generalized = public(catalog.generalized, __name__)
lau_arm = public(catalog.lau_arm, __name__)
panda = public(catalog.panda, __name__)
planar = public(catalog.planar, __name__)
puma560 = public(catalog.puma560, __name__)
random_chain = public(catalog.random_chain, __name__)
random_dh_arm = public(catalog.random_dh_arm, __name__)
random_tree = public(catalog.random_tree, __name__)
stanford_arm = public(catalog.stanford_arm, __name__)
two_link = public(catalog.two_link, __name__)
ur5 = public(catalog.ur5, __name__)

__all__ = [
    "generalized",
    "lau_arm",
    "lau_rover",
    "panda",
    "planar",
    "puma560",
    "random_chain",
    "random_dh_arm",
    "random_tree",
    "stanford_arm",
    "two_link",
    "ur5",
]


def __getattr__(name: str) -> object:
    """The rover, which is imported when it is first asked for."""
    if name == "lau_rover":
        from loadpath.mobile.catalog import lau_rover

        return lau_rover
    raise AttributeError(f"the catalog has no robot '{name}'")
