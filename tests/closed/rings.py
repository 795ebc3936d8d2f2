"""A ring of four bodies in space, ground, crank, coupler and rocker, joined at A, B, C and D: where its loop is cut is
the modeller's choice and must not show in any number.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

import loadpath as lp

PLACES = {"A": [0.0, 0.0, 0.0], "B": [0.1, 0.05, 0.35], "C": [0.6, 0.15, 0.5], "D": [0.7, 0.0, 0.0]}
TURNS = dict(zip(PLACES, Rotation.from_rotvec(0.6 * np.random.default_rng(0).normal(size=(4, 3))).as_matrix(),
                 strict=True))
BODIES = ("ground", "crank", "coupler", "rocker", "ground")
ENDS = {"crank": ("A", "B"), "coupler": ("B", "C"), "rocker": ("D", "C")}
RADII = {"crank": 0.006, "coupler": 0.004, "rocker": 0.005}


def _seen(link: str, joint: str) -> np.ndarray:
    """A joint's frame in that of a link, whose axes are the world's and whose origin is its first end."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = TURNS[joint], PLACES[joint]
    if link != "ground":
        pose[:3, 3] -= PLACES[ENDS[link][0]]
    return pose


def ring(
    motions: Mapping[str, lp.JointType], cut: str, compliance: Mapping[str, lp.JointCompliance] | None = None
) -> lp.Robot:
    """The ring with its loop at a joint; each body is a rod."""
    between = {name: (BODIES[k], BODIES[k + 1]) for k, name in enumerate(PLACES)}
    names = list(PLACES)
    at = names.index(cut)
    tree = [(name, *between[name]) for name in names[:at]]
    tree += [(name, *reversed(between[name])) for name in names[:at:-1]]
    joints = [lp.Joint(name, parent, child, motions[name], _seen(parent, name),
                       link_offset=np.linalg.inv(_seen(child, name))) for name, parent, child in tree]
    links = [lp.Link("ground"), *(lp.Link(name, lp.Inertia(1.0, tensor=np.eye(3))) for name in ENDS)]
    first, second = between[cut]
    robot = lp.Robot("ring", tuple(links), tuple(joints)).with_gravity((0.1, 0.2, -0.5))
    robot = robot.with_loop(cut, first, second, motion=motions[cut], at=_seen(first, cut), on=_seen(second, cut),
                            q=robot.neutral())
    carried = {child: name for name, _, child in tree}
    rods = {link: lp.Beam(lp.Rod(RADII[link]), lp.STEEL, end=next(end for end in ends if end != carried[link]))
            for link, ends in ENDS.items()}
    return robot.with_beams(rods, joint_compliance=dict(compliance or {}), inertia_from_beams=True)
