"""Buckling and frequencies under load of a base on tyres, against the energy of its springs at finite rotations.

The contacts stick to the ground at P_i. Seen from the base, which moves by v and turns by R, contact i moves to
rho = R^T (P_i - v): the springs of its tyre are as long as that says, in base axes. The second derivatives of what the
preloaded springs and the weights store are the geometric stiffness; they are taken by differences of the energy.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import loadpath as lp

G = 9.81
K = 2e4
HEIGHT, TOP, BOTTOM = 2.0, 60.0, 100.0
SPOTS = tuple((x, y) for x in (-0.5, 0.5) for y in (-0.3, 0.3))


def rover(at: tuple[float, float], grip: float | None, spots: tuple[tuple[float, float], ...] = SPOTS) -> lp.Rover:
    """A cart of 100 kg, its mass center 0.2 m high over the origin; 60 kg stand 2 m high over `at`."""
    soft = {} if grip is None else {"grip_stiffness": grip}
    wheels = [lp.FixedWheel(spot, 0.1, stiffness=K, driven=True, **soft) for spot in spots]
    cart = lp.WheeledBase(mass=BOTTOM, center_of_mass=(0, 0, 0.2), inertia=np.diag([5.0, 6.0, 7.0]), wheels=wheels)
    links = (lp.Link("foot"), lp.Link("head", lp.Inertia(TOP, (0, 0, 0), np.diag([1.0, 1.2, 0.8]))))
    mast = lp.Robot(
        "mast", links, (lp.Joint("yaw", "foot", "head", lp.Revolute(), lp.Pose(translation=(0, 0, HEIGHT))),)
    )
    return cart.carrying(mast, at=(*at, 0.0))


def hessian(energy: Callable[[np.ndarray], float], size: int = 6, step: float = 1e-3) -> np.ndarray:
    """Second derivatives at zero, by central differences of the fourth order."""
    found = np.zeros((size, size))
    for i in range(size):
        for k in range(size):
            for a, wa in ((1, 2 / 3), (2, -1 / 12)):
                for b, wb in ((1, 2 / 3), (2, -1 / 12)):
                    for sa in (1, -1):
                        for sb in (1, -1):
                            y = np.zeros(size)
                            y[i] += sa * a * step
                            y[k] += sb * b * step
                            found[i, k] += sa * sb * wa * wb * energy(y) / step**2
    return found


def own_matrices(
    at: tuple[float, float], grip: float, spots: tuple[tuple[float, float], ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Stiffness of the springs, stiffness of the loads, and mass, in displacement and rotation of the base frame."""
    points = np.array([(*spot, 0.0) for spot in spots])
    stiff = np.array([grip, grip, K])
    masses = ((BOTTOM, np.array([0, 0, 0.2]), np.diag([5.0, 6.0, 7.0])),
              (TOP, np.array([*at, HEIGHT]), np.diag([1.0, 1.2, 0.8])))

    def pressed(y: np.ndarray) -> np.ndarray:
        """How far each contact moves against the base, in base axes."""
        return Rotation.from_rotvec(-y[3:]).apply(points - y[:3]) - points

    springs = hessian(lambda y: 0.5 * (pressed(y) ** 2 @ stiff).sum())
    weight = sum(m * G * np.array([0, 0, -1.0, -r[1], r[0], 0.0]) for m, r, _ in masses)
    sunk = np.linalg.solve(springs, weight)
    normal = (points[:, 0] * sunk[4] - points[:, 1] * sunk[3] - sunk[2]) * K  # what each contact carries
    assert normal.sum() == pytest.approx((TOP + BOTTOM) * G)

    def loads(y: np.ndarray) -> float:
        turn = Rotation.from_rotvec(y[3:])
        heights = sum(m * G * (y[:3] + turn.apply(r))[2] for m, r, _ in masses)
        return float(heights + normal @ pressed(y)[:, 2])  # preloaded springs store force times the way

    mass = np.zeros((6, 6))
    for m, r, tensor in masses:
        turned = [[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]]
        moves = np.hstack([np.eye(3), turned])
        mass += m * moves.T @ moves
        mass[3:, 3:] += tensor
    return springs, hessian(loads), mass


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.3, 0.0), (0.3, -0.2)])
def test_without_sway_the_place_of_the_load_does_not_matter(at: tuple[float, float]) -> None:
    """Rigid in the plane: the base rolls where k_phi = factor * sum of weight times height, wherever it stands."""
    found = rover(at, None).buckling([0.0])
    assert_allclose(found.factor, 4 * K * 0.3**2 / (G * (TOP * HEIGHT + BOTTOM * 0.2)), rtol=1e-12)


def test_a_block_that_sways_by_hand() -> None:
    """Roll and sway: by the moment about the contacts, which stay, (k_phi - f W h) k_y = (f W)^2."""
    grip = 2e4
    W, Wh = (TOP + BOTTOM) * G, G * (TOP * HEIGHT + BOTTOM * 0.2)
    k_phi, k_y = 4 * K * 0.3**2, 4 * grip
    by_hand = np.roots([W**2, Wh * k_y, -k_phi * k_y]).max()
    assert_allclose(rover((0, 0), grip).buckling([0.0]).factor, by_hand, rtol=1e-9)


@pytest.mark.parametrize("spots", [SPOTS, ((0.0, -0.4), (0.0, 0.3), (0.9, 0.1))], ids=["four", "three"])
@pytest.mark.parametrize("at", [(0.0, 0.0), (0.2, 0.0), (0.15, 0.1)])
def test_buckling_and_frequencies_against_the_energy_of_the_springs(
    at: tuple[float, float], spots: tuple[tuple[float, float], ...]
) -> None:
    grip = 1.5e4
    springs, loads, mass = own_matrices(at, grip, spots)
    factors = 1 / eigh(-loads, springs, eigvals_only=True)
    cart = rover(at, grip, spots)
    assert_allclose(cart.buckling([0.0]).factor, factors[factors > 0].min(), rtol=1e-6)
    own = np.sqrt(eigh(springs + loads, mass, eigvals_only=True)) / (2 * np.pi)
    assert_allclose(cart.natural_frequencies([0.0], count=6).frequencies, own, rtol=1e-6)
