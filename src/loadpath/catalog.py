"""Robots of the literature, with their published numbers: `lp.catalog.puma560()` and others.

The makers, with their sources, are in `loadpath.robot.catalog`; here they give the public `lp.Robot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadpath.api import public
from loadpath.robot import catalog

if TYPE_CHECKING:
    from loadpath.mobile.catalog import lau_rover

generalized = public(catalog.generalized)
lau_arm = public(catalog.lau_arm)
panda = public(catalog.panda)
planar = public(catalog.planar)
puma560 = public(catalog.puma560)
random_chain = public(catalog.random_chain)
random_dh_arm = public(catalog.random_dh_arm)
random_tree = public(catalog.random_tree)
stanford_arm = public(catalog.stanford_arm)
two_link = public(catalog.two_link)
ur5 = public(catalog.ur5)

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
