"""Robots of the literature, with their published numbers, mechanisms with closed chains, and random robots for tests.

Each function says where its numbers come from and which frames they are in. The makers of closed chains give their
spanning tree with what closes it.
"""

from loadpath.robot.catalog.arms import panda, puma560, stanford_arm, ur5
from loadpath.robot.catalog.linkages import excavator, five_bar, four_bar, parallelogram_palletizer, slider_crank
from loadpath.robot.catalog.parallel_robots import delta, stewart_platform
from loadpath.robot.catalog.random_robots import random_chain, random_dh_arm, random_tree
from loadpath.robot.catalog.textbook import generalized, lau_arm, planar, two_link

__all__ = [
    "delta",
    "excavator",
    "five_bar",
    "four_bar",
    "generalized",
    "lau_arm",
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
