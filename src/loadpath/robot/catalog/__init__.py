"""Robots of the literature, with their published numbers, and random ones for tests.

Each function says where its numbers come from and which frames they are in.
"""

from loadpath.robot.catalog.generalized import generalized
from loadpath.robot.catalog.panda import panda
from loadpath.robot.catalog.puma560 import puma560
from loadpath.robot.catalog.random_robots import random_chain, random_dh_arm, random_tree
from loadpath.robot.catalog.stanford_arm import stanford_arm
from loadpath.robot.catalog.textbook import lau_arm, planar, two_link
from loadpath.robot.catalog.ur5 import ur5

__all__ = [
    "generalized",
    "lau_arm",
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
