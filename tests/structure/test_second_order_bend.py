"""What a bent piece adds to its own bend, against integrals along the deflected piece and against Cosserat's rod."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.scalars.types import Floats
from loadpath.structure.beams.deflection_equations import element_bend, second_order_bend
from loadpath.structure.beams.element_loads import ElementLoad
from loadpath.structure.beams.skeleton import skeleton

BAR = lp.Bar(0.004, 0.006)
PIECE = skeleton(cantilever(BAR, length=0.7, y_axis=(0.0, 0.0, 1.0))).elements[0]
LENGTH = PIECE.length
E, G = WEIGHTLESS.youngs_modulus, WEIGHTLESS.shear_modulus
STIFFNESS = np.array([G * BAR.torsion_constant, E * BAR.second_moment_y, E * BAR.second_moment_z])
EFFECTS = ("bending", "torsion")
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
NONE = np.zeros(3)


def by_integrals(P: Floats, Q: Floats, n: Floats, effects: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Displacement and rotation by the curvature that the loads cause in a piece whose sections have turned by
    n x / L.
    """
    give = np.array(["torsion" in effects, "bending" in effects, "bending" in effects]) / STIFFNESS

    def position(x: float) -> Floats:
        s = x / 2 * (POINTS + 1)
        return np.asarray(x / 2 * WEIGHTS @ Rotation.from_rotvec(np.outer(s / LENGTH, n)).apply([1.0, 0, 0]))

    m, turned = np.zeros(3), np.zeros(3)
    for x, w in zip(LENGTH / 2 * (POINTS + 1), LENGTH / 2 * WEIGHTS, strict=True):
        moment = Q + np.cross(position(LENGTH) - position(x), P)
        curvature = give * Rotation.from_rotvec(n * x / LENGTH).inv().apply(moment)
        turned += w * curvature
        m += w * (LENGTH - x) * np.cross(curvature, [1.0, 0, 0])
    return m, turned


@pytest.mark.parametrize("effects", [EFFECTS, ("bending",), ("torsion",)])
@pytest.mark.parametrize("seed", range(3))
def test_each_term_is_the_integral_along_the_bent_piece(effects: tuple[str, ...], seed: int) -> None:
    P, Q, n = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    found = second_order_bend(PIECE, ElementLoad(P, Q, NONE, NONE), n, effects)
    small = 1e-4
    there, back = (by_integrals(P, Q, sign * small * n, effects) for sign in (1, -1))
    for part in range(2):
        expected = (there[part] - back[part]) / (2 * small)
        assert_allclose(np.asarray(found[part], dtype=float), expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


def cosserat(P: Floats, Q: Floats) -> Floats:
    """Displacement and rotation vector of the end of the piece, which neither stretches nor shears: exact."""

    def along(_: float, state: Floats) -> Floats:
        R, moment = state[3:12].reshape(3, 3), state[12:]
        turn = np.cross(np.eye(3), R.T @ moment / STIFFNESS)  # rows e x u: times v it is u x v
        return np.concatenate([R[:, 0], (R @ turn).ravel(), -np.cross(R[:, 0], P)])

    moment = np.cross([LENGTH, 0, 0], P) + Q
    for _ in range(12):  # the moment at the start, until that at the end is Q
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        end = solve_ivp(along, (0, LENGTH), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        moment = moment + Q - end[12:]
    return np.concatenate([end[:3] - [LENGTH, 0, 0], Rotation.from_matrix(end[3:12].reshape(3, 3)).as_rotvec()])


def one_piece(P: Floats, Q: Floats) -> Floats:
    """The same of a single piece in equilibrium with its bend."""
    load, n = ElementLoad(P, Q, NONE, NONE), np.zeros(3)
    for _ in range(30):
        first, second = element_bend(PIECE.response(EFFECTS), load), second_order_bend(PIECE, load, n, EFFECTS)
        m, n = (np.asarray(a + b, dtype=float) for a, b in zip(first, second, strict=True))
    arc = LENGTH / 6 * np.array([-(n[1] ** 2) - n[2] ** 2, n[0] * n[1], n[0] * n[2]])
    return np.concatenate([m + arc, n])


@pytest.mark.parametrize(
    ("one", "other"), [(3, 4), (3, 5), (4, 5), (4, 4), (5, 5), (0, 4), (0, 5), (1, 2)]
)  # numbers in Px, Py, Pz, Qx, Qy, Qz
def test_a_single_piece_is_exact_to_second_order_where_its_curvature_is_even(one: int, other: int) -> None:
    """Torques at the end, and an axial force with them: there the piece is the parabola that it is taken for.

    The twist by two forces across is exact too.
    """

    def mixed(function: Callable[[Floats, Floats], Floats]) -> Floats:
        step = 2e-3

        def at(a: float, b: float) -> Floats:
            load = np.zeros(6)
            load[one] += a
            load[other] += b
            load = load * STIFFNESS[[2, 2, 1, 0, 1, 2]]
            return function(load[:3], load[3:])

        values = at(step, step) - at(step, -step) - at(-step, step) + at(-step, -step)
        return np.asarray(values / (4 * step * step))

    expected = mixed(cosserat)
    assert_allclose(mixed(one_piece), expected, atol=2e-4 * np.abs(expected).max())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_two_pieces_are_near_where_a_twisted_bar_is_pushed_across() -> None:
    bar = cantilever(BAR, y_axis=(0.0, 0.0, 1.0))
    force, torque = np.array([0.0, 0.0, 3.0]), np.array([2.0, 0.0, 0.0])
    found = bar.deflection(
        [0.0], external={"tip": lp.Wrench(force=force, torque=torque)}, iterate=True, pieces=2, effects=EFFECTS
    )
    fine = bar.deflection(
        [0.0], external={"tip": lp.Wrench(force=force, torque=torque)}, iterate=True, pieces=64, effects=EFFECTS
    )
    size = np.linalg.norm(fine.tip.displacement)
    assert_allclose(found.tip.displacement, fine.tip.displacement, atol=5e-3 * size)
