"""Iterated deflections out of a plane: against Cosserat's rod, and the lateral buckling of a narrow bar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.optimize import root
from scipy.spatial.transform import Rotation

import loadpath as lp

BAR = lp.Bar(0.004, 0.006)
UP = {"y_axis": (0.0, 0.0, 1.0)}  # the link's z, along the world's y: the section's height is up
ARM = cantilever(BAR, **UP)  # along x, one metre
E, G = WEIGHTLESS.youngs_modulus, WEIGHTLESS.shear_modulus


def cosserat(force: np.ndarray, torque: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and rotation of the end of the bar, by shooting: geometrically exact, with shear and extension."""
    k_y, k_z = BAR.shear_factors(WEIGHTLESS.poisson_ratio)
    stretch = np.array([E, k_y * G, k_z * G]) * BAR.area
    bend = np.array([G * BAR.torsion_constant, E * BAR.second_moment_y, E * BAR.second_moment_z])

    def along(_: float, state: np.ndarray) -> np.ndarray:
        R, moment = state[3:12].reshape(3, 3), state[12:]
        tangent = R @ (np.array([1.0, 0, 0]) + R.T @ force / stretch)
        turn = np.cross(np.eye(3), R.T @ moment / bend)  # rows e x u: times v it is u x v
        return np.concatenate([tangent, (R @ turn).ravel(), -np.cross(tangent, force)])

    def end(moment: np.ndarray) -> np.ndarray:
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        return np.asarray(solve_ivp(along, (0, 1), start, rtol=1e-10, atol=1e-12).y[:, -1])

    found = root(lambda moment: end(moment)[12:] - torque, np.cross([1.0, 0, 0], force) + torque, tol=1e-12)
    assert found.success
    last = end(found.x)
    return last[:3] - [1, 0, 0], Rotation.from_matrix(last[3:12].reshape(3, 3)).as_rotvec()


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
@pytest.mark.parametrize(
    ("force", "torque"),
    [((0, 2, 3), (0, 0, 0)), ((-1, 1, 1.5), (0.5, 0.2, -0.3)), ((5, 4, -6), (1, 0, 0)), ((0, 0, 0), (3, 1, 2))],
)
def test_bending_about_both_axes_twists_and_torsion_bends(force: Any, torque: Any) -> None:
    force, torque = np.array(force, dtype=float), np.array(torque, dtype=float)
    displacement, rotation = cosserat(force, torque)
    for pieces, share in ((4, 2.5e-3), (8, 7e-4)):
        found = ARM.deflection(
            [0.0], external={"tip": lp.Wrench(force=force, torque=torque)}, iterate=True, pieces=pieces
        ).tip
        assert_allclose(found.displacement, displacement, atol=share * np.linalg.norm(displacement))
        assert_allclose(found.rotation, rotation, atol=share * np.linalg.norm(rotation))


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_a_narrow_bar_buckles_sideways_where_prandtl_says() -> None:
    bar = lp.Bar(0.002, 0.05)
    critical = 4.0126 * np.sqrt(E * bar.second_moment_z * G * bar.torsion_constant)
    push = np.array([0.9, 0.98, 1.02, 1.1]) * critical
    down = lp.Wrench(force=np.stack([0 * push, 0 * push, -push], axis=-1))
    found = cantilever(bar, **UP).deflection([0.0], external={"tip": down}, iterate=True, pieces=8)
    assert found.stable is not None
    assert found.stable.tolist() == [True, True, False, False]
