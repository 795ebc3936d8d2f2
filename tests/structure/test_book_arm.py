"""Book's planar arm of two flexible links with compliant joints, by his transfer matrices, written out here.

W. J. Book's method (Modeling, Design and Control of Flexible Manipulator Arms, PhD thesis, MIT 1974; with
O. Maizza-Neto and D. E. Whitney, Feedback Control of Two Beam, Two Joint Systems With Distributed Flexibility,
J. Dyn. Sys. 97, 1975):
the state (u, w, theta, N, V, M) of a section, displacements along and across, slope, axial and shear force, moment, is
carried by exact matrices along a Bernoulli beam, through a joint with a spring and around its angle, to a payload at
the tip; the frequencies are those where a determinant vanishes. Beams do not stretch there, and have no rotary inertia.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import loadpath as lp

E, RHO, RADIUS, LENGTH = 210e9, 7850.0, 1e-3, 1.0
EI, MU = E * math.pi * RADIUS**4 / 4, RHO * math.pi * RADIUS**2


def beam(omega: float) -> Any:
    """From the start of a beam to its end."""
    b = (MU * omega**2 / EI) ** 0.25
    x = b * LENGTH
    c, s, C, S = math.cos(x), math.sin(x), math.cosh(x), math.sinh(x)
    # Krylov's functions, which carry w, w' / b, w'' / b^2, w''' / b^3.
    K = [(C + c) / 2, (S + s) / 2, (C - c) / 2, (S - s) / 2]
    matrix = np.eye(6)
    across = (1, 2, 5, 4)  # w, theta = w', M = EI w'', V = -EI w'''
    scale = np.array([1.0, b, EI * b**2, -EI * b**3])
    for i in range(4):
        for k in range(4):
            matrix[across[i], across[k]] = scale[i] / scale[k] * K[(k - i) % 4]
    matrix[3, 0] = -MU * LENGTH * omega**2  # the beam moves along as one body: N' = mu u''
    return matrix


def joint(stiffness: float) -> Any:
    matrix = np.eye(6)
    matrix[2, 5] = 1 / stiffness
    return matrix


def around(angle: float) -> Any:
    """Into the axes of a link that is turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(6)
    for first in (0, 3):
        matrix[first, first], matrix[first, first + 1] = c, s
        matrix[first + 1, first], matrix[first + 1, first + 1] = -s, c
    return matrix


def frequencies(stiffness: tuple[float, float], angle: float, payload: float, highest: float) -> list[float]:
    """Hz, up to the highest."""

    def determinant(omega: float) -> float:
        T = beam(omega) @ around(angle) @ joint(stiffness[1]) @ beam(omega) @ joint(stiffness[0])
        end = T[:, 3:]  # clamped before the first joint: N, V, M there are unknown
        free = end[3:].copy()
        free[0] -= payload * omega**2 * end[0]  # N = m w^2 u at the end, and V
        free[1] -= payload * omega**2 * end[1]
        return float(np.linalg.det(free))

    grid = 2 * math.pi * np.linspace(0.003 * highest, highest, 3000)
    values = [determinant(w) for w in grid]
    steps = zip(pairwise(grid), pairwise(values), strict=True)
    found = [brentq(determinant, a, b, xtol=1e-12) for (a, b), (x, y) in steps if x * y < 0]
    return [w / (2 * math.pi) for w in found]


def arm(stiffness: tuple[float, float], payload: float) -> lp.FlexibleRobot:
    rod = lp.Rod(RADIUS)
    beams = {"link1": lp.Beam(rod, lp.STEEL, end="joint2"), "link2": lp.Beam(rod, lp.STEEL, end="tip_joint")}
    springs = {f"joint{k + 1}": lp.JointCompliance(drive=value) for k, value in enumerate(stiffness)}
    made = lp.catalog.planar(2).with_beams(beams, joint_compliance=springs, inertia_from_beams=True)
    carrying = made.with_payload(mass=payload)
    assert isinstance(carrying, lp.FlexibleRobot)
    return carrying


def in_plane(robot: lp.FlexibleRobot, angle: float, count: int) -> Any:
    """Natural frequencies of the vibrations in the plane of the arm, which is that of x and z."""
    modes = robot.natural_frequencies([0.0, angle], 2 * count + 2, effects=("bending", "joints"), loaded=False)
    across = np.abs(modes.displacement[..., 1]).max(axis=-1) > 1e-3 * np.abs(modes.displacement).max(axis=(-1, -2))
    return modes.frequencies[~across][:count]


@pytest.mark.parametrize("angle", [0.0, math.pi / 2, 2.5])
@pytest.mark.parametrize("stiffness", [(0.1, 0.1), (1.0, 3.0), (30.0, 100.0), (1e6, 1e6)])
def test_frequencies_of_two_links_on_springs(angle: float, stiffness: tuple[float, float]) -> None:
    """Springs in units of EI / L, from almost loose to clamped; payload of half a link. To 2e-5: rotary inertia, which
    the transfer matrices leave out, has a share of (radius / L)^2 times the square of the mode's number.
    """
    springs = (stiffness[0] * EI / LENGTH, stiffness[1] * EI / LENGTH)
    payload = 0.5 * MU * LENGTH
    found = in_plane(arm(springs, payload), angle, 4)
    expected = frequencies(springs, angle, payload, 1.1 * float(found[-1]))
    np.testing.assert_allclose(found, expected[:4], rtol=2e-5)


def test_joints_and_links_share_the_flexibility() -> None:
    """Stiffer joints raise the lowest frequency up to that of the clamped arm: half of it is reached with springs of
    less than EI / L, and nine tenths take some fifteen; so the joints' control, not the links, sets what is felt below.
    """
    payload = 0.5 * MU * LENGTH
    lowest = [in_plane(arm((k * EI, k * EI), payload), 0.5, 1)[0] for k in (0.05, 1.0, 15.0, 1e6)]
    share = np.array(lowest) / lowest[-1]
    assert (np.diff(share) > 0).all()
    assert 0.5 < share[1] < 0.7
    assert 0.9 < share[2] < 0.97
    rigid = arm((0.05 * EI, 0.05 * EI), payload).natural_frequencies([0.0, 0.5], 1, effects=("joints",), loaded=False)
    assert lowest[0] == pytest.approx(rigid.frequencies[0], rel=0.02)
