"""Robots and their equations that several tests look at, derived once."""

from __future__ import annotations

from functools import cache

import numpy as np
import sympy

import loadpath as lp
from loadpath.equations import Equations, SymbolicObject


@cache
def robot(name: str) -> lp.Robot:
    """Robots of the catalog, and some that are not there."""
    makers = {
        "rods": lambda: lp.catalog.two_link(1.2, 0.7, 0.8, 0.6, distributed=True),
        "lau_arm": lambda: lp.catalog.lau_arm(1.5, 0.8, 0.2, 0.4, 1.1),
        "tilted": lambda: lp.catalog.random_dh_arm(2, seed=3),
        "stanford3": lambda: lp.catalog.stanford_arm().locked(dict.fromkeys(("joint4", "joint5", "joint6"), 0.0)),
        "cylindrical": lambda: lp.catalog.random_chain(2, seed=6, joints=["cylindrical", "planar"]),
    }
    return makers.get(name, getattr(lp.catalog, name, None))()


@cache
def equations(name: str, letters: str | None = None, parameters: str | None = "symbols") -> Equations:
    return robot(name).equations(parameters=parameters, letters=letters)


def state(found: Equations, seed: int = 3) -> dict[sympy.Symbol, float]:
    """Numbers for all symbols: a random state and the robot's constants."""
    rng = np.random.default_rng(seed)
    motion = (*found.q, *found.qd, *found.qdd)
    return dict(zip(motion, rng.uniform(0.2, 1.3, len(motion)).tolist(), strict=True)) | dict(found.parameters)


def arrays(found: Equations, numbers: dict[sympy.Symbol, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, qd, qdd = (np.array([numbers[s] for s in symbols]) for symbols in (found.q, found.qd, found.qdd))
    return q, qd, qdd


def values(found: SymbolicObject, numbers: dict[sympy.Symbol, float]) -> dict[str, np.ndarray]:
    """The numbers of an object, by piece."""
    function = sympy.lambdify(list(numbers), [piece.value for piece in found.pieces])
    made = function(*numbers.values())
    return {piece.name: np.array(_rows(value), dtype=float) for piece, value in zip(found.pieces, made, strict=True)}


def _rows(value: object) -> object:
    return value.tolist() if hasattr(value, "tolist") else value
