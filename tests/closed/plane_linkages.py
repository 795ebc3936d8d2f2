"""Random plane linkages: cranks on the ground, and pairs of bars that hang between what is there already."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import loadpath as lp

Z = (0.0, 0.0, 1.0)


@cache
def random_linkage(seed: int) -> lp.ClosedRobot:
    """One or two driven cranks and two to four pairs of bars. A pair has three joints, two to bodies that are there and
    one between its bars, the loop: three hinges; or with a slide between its bars; or with a slide on the body. So the
    linkage is determinate in its plane. In the world's x-z plane, closed at q = 0; masses, friction, rotors random.
    """
    rng = np.random.default_rng(seed)
    lying = lp.Pose(((1, 0, 0), (0, 0, -1), (0, 1, 0)), (0, 0, 0))
    ground = lp.Joint("ground", "world", "base", lp.Fixed(), lying)
    links, joints, loops = [lp.Link("world"), lp.Link("base")], [ground], []
    where = {"base": np.zeros(2)}

    def add(name: str, on: str, at: Any, motion: lp.JointType, drive: bool = False) -> None:
        moment = float(rng.uniform(0.01, 0.1))
        center = (*rng.uniform(-0.3, 0.3, 2), 0.0)
        links.append(lp.Link(name, lp.Inertia.from_moments(float(rng.uniform(0.5, 3)), center, ixx=moment, iyy=moment,
                                                           izz=moment)))
        origin = lp.Pose(translation=(*(at - where[on]), 0.0))
        more = {"rotor_inertia": 1e-3, "gear_ratio": 10.0} if drive else {}
        joints.append(lp.Joint(f"{name}_joint", on, name, motion, origin, viscous_friction=float(rng.uniform(0, 0.3)),
                               coulomb_friction=float(rng.uniform(0, 0.3)), **more))
        where[name] = np.array(at)

    cranks = 1 + seed % 2
    for k in range(cranks):
        add(f"crank{k}", "base", rng.uniform(-1, 1, 2), lp.Revolute(Z), drive=True)
    for k in range(int(rng.integers(2, 5))):
        one, two = (str(name) for name in rng.choice(list(where), 2, replace=False))
        if k == 0:
            one, two = "crank0", ("base" if cranks == 1 else "crank1")
        a, b, middle = rng.uniform(-1.5, 1.5, (3, 2))
        slide = (*(direction := rng.normal(size=2)) / np.linalg.norm(direction), 0.0)
        kind = (seed + k) % 3
        add(f"a{k}", one, a, lp.Revolute(Z))
        add(f"b{k}", two, b, lp.Prismatic(slide) if kind == 2 else lp.Revolute(Z))
        motion = lp.Prismatic(slide) if kind == 1 else lp.Revolute(Z)
        loops.append((f"pin{k}", f"a{k}", f"b{k}", motion, middle - a, middle - b))
    robot: Any = lp.Robot(f"linkage{seed}", tuple(links), tuple(joints))
    for name, first, second, motion, at, on in loops:
        robot = robot.with_loop(name, first, second, motion=motion, at=(*at, 0.0), on=(*on, 0.0))
    made: lp.ClosedRobot = robot.with_driven(*(f"crank{k}_joint" for k in range(cranks)))
    return made
