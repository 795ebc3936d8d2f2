"""Linkages whose closed forms the tests write down: built here from links and joints, not from the catalog."""

from __future__ import annotations

from functools import cache

import numpy as np

import loadpath as lp

Array = np.ndarray
Y = (0.0, 1.0, 0.0)


@cache
def four_bar(a: float, b: float, c: float, d: float) -> lp.ClosedRobot:
    """Crank a, coupler b, rocker c, base d, in the plane of x and z; positive angles turn x towards -z."""
    links = [lp.Link(name, lp.Inertia(1.0, (0.1, 0, 0))) for name in ("base", "crank", "coupler", "rocker")]
    joints = [
        lp.Joint("crank_joint", "base", "crank", lp.Revolute(Y)),
        lp.Joint("coupler_joint", "crank", "coupler", lp.Revolute(Y), origin=(a, 0, 0)),
        lp.Joint("rocker_joint", "base", "rocker", lp.Revolute(Y), origin=(d, 0, 0)),
    ]
    tree = lp.Robot("four_bar", tuple(links), tuple(joints))
    return tree.with_loop("pin", "coupler", "rocker", motion=lp.Revolute(Y), at=(b, 0, 0), on=(c, 0, 0))


def by_circles(a: float, b: float, c: float, d: float, crank: Array, side: int) -> Array:
    """Coordinates (states, 3) of a four-bar: the pin is where two circles meet, on one side or the other."""
    crank = np.asarray(crank, dtype=float)
    A = np.stack([a * np.cos(crank), a * np.sin(crank)], axis=-1)
    to = np.array([d, 0.0]) - A
    r = np.linalg.norm(to, axis=-1)
    along = (b * b - c * c + r * r) / (2 * r)
    off = side * np.sqrt(b * b - along * along)
    unit = to / r[..., None]
    pin = A + along[..., None] * unit + off[..., None] * np.stack([-unit[..., 1], unit[..., 0]], axis=-1)
    coupler = np.arctan2(pin[..., 1] - A[..., 1], pin[..., 0] - A[..., 0]) - crank
    rocker = np.arctan2(pin[..., 1], pin[..., 0] - d)
    return np.stack([crank, coupler, rocker], axis=-1)


def same_angles(q: Array, expected: Array) -> float:
    """The largest difference of angles, turns apart."""
    return float(np.abs(np.angle(np.exp(1j * (q - expected)))).max())


def _turned(axis: str, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    M = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}
    return np.array(M[axis])


def _frame(R: Array, p: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> lp.Pose:
    return lp.Pose(R.tolist(), p)


@cache
def bennett(a: float = 0.4, alpha: float = 0.7, beta: float = 1.2) -> lp.ClosedRobot:
    """Bennett's linkage: four hinges in space, opposite links alike, lengths as the sines of the twists. It moves,
    where any other four hinges in space would not.
    """
    b = a * np.sin(beta) / np.sin(alpha)
    links = tuple(lp.Link(name, lp.Inertia(1.0, (0.1, 0, 0))) for name in ("base", "one", "two", "three"))
    # Denavit and Hartenberg: each link leads along x by its length and turns about it by its twist.
    step = {"a": _frame(_turned("x", alpha), (a, 0, 0)), "b": _frame(_turned("x", beta), (b, 0, 0))}
    joints = (
        lp.Joint("hinge1", "base", "one", lp.Revolute()),
        lp.Joint("hinge2", "one", "two", lp.Revolute(), origin=step["a"]),
        lp.Joint("hinge3", "two", "three", lp.Revolute(), origin=step["b"]),
    )
    tree = lp.Robot("bennett", links, joints)
    # The base is the last link: from hinge 4 it leads by b and beta back to hinge 1.
    return tree.with_loop("hinge4", "three", "base", at=step["a"], on=step["b"].inverse()).with_home(
        (0.9, *_bennett_angles(0.9, alpha, beta))
    )


def _bennett_angles(first: float, alpha: float, beta: float) -> tuple[float, float]:
    """Opposite hinges turn alike, but for the sense; neighbours by the equation of Bennett."""
    ratio = np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha))
    second = 2.0 * np.arctan2(ratio, np.tan(0.5 * first))
    return float(second), -first


@cache
def sarrus() -> lp.ClosedRobot:
    """Sarrus's linkage: two pairs of three parallel hinges, across each other; the top moves straight up."""
    length = 0.5
    names = ("base", "left_low", "left_high", "top", "right_low", "right_high")
    links = tuple(lp.Link(name, lp.Inertia(1.0, (0.0, 0, 0.1))) for name in names)
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    joints = (
        lp.Joint("left1", "base", "left_low", lp.Revolute(x), origin=(0, 0.3, 0)),
        lp.Joint("left2", "left_low", "left_high", lp.Revolute(x), origin=(0, 0, length)),
        lp.Joint("left3", "left_high", "top", lp.Revolute(x), origin=(0, 0, length)),
        lp.Joint("right1", "base", "right_low", lp.Revolute(y), origin=(0.3, 0, 0)),
        lp.Joint("right2", "right_low", "right_high", lp.Revolute(y), origin=(0, 0, length)),
    )
    tree = lp.Robot("sarrus", links, joints)
    bend = 0.6
    q = np.array([bend, -2 * bend, bend, bend, -2 * bend])
    return tree.with_loop("right3", "right_high", "top", motion=lp.Revolute(y), at=(0, 0, length), q=q)
