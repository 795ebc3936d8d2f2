"""What all exports are tried on: every quantity of small robots with every difficulty, and what it should give."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import loadpath as lp
from loadpath.engine.quantity import quantities_of
from loadpath.exports.request import Request, request
from references.to_pinocchio import random_state

QUANTITIES = sorted(quantities_of(lp.Robot))


@functools.cache
def mixed() -> lp.Robot:
    """A robot with a quaternion, a slide, friction and rotors and nothing in a special position; its end can move in
    every direction.
    """
    kinds = ("cylindrical", "revolute", "spherical")
    return lp.catalog.random_chain(3, seed=4, joints=kinds, general=True, drives=True)


def asked(robot: lp.Robot, name: str, **options: Any) -> Request:
    """The request for a quantity, of the last link or joint if it is one of a link or joint."""
    if getattr(lp.Robot, name).takes_link:
        options.setdefault("link", robot.link_names[-1])
    if "joint" in getattr(lp.Robot, name).choices:
        options.setdefault("choices", {"joint": robot.joint_names[-1]})
    return request(robot, name, **options)


def arguments(asking: Request, seed: int = 1) -> list[np.ndarray]:
    """Random arguments; what stands for coordinates has unit quaternions."""
    rng = np.random.default_rng(seed)
    robot = asking.robot
    shapes = [operand.shape for operand in asking.program().inputs]
    given = [rng.uniform(-1.5, 1.5, shape) for shape in shapes]
    inputs = asking.quantity.signature.split("->")[0].strip("()").split("),(")
    for k, symbol in enumerate(inputs):
        if symbol in ("q", "x"):
            given[k][: robot.nq] = random_state(robot, rng)[0]
    return given


def expected(asking: Request, *given: Any) -> list[np.ndarray]:
    """What the ufunc of the compiled method gives."""
    result = getattr(asking.robot, asking.name).compiled(asking.variant)(*given)
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]
