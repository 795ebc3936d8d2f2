"""The equations of loops: rows against differences of residuals, factors, forces and accelerations."""

from __future__ import annotations

import numpy as np
import pytest
from random_loops import closed_at, motion_of, moved, random_configuration, random_tree

import loadpath as lp
from loadpath.algorithms import loops
from loadpath.robot.closed_mechanism import Split, with_loops
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import array

LOOP_TYPES = (lp.Revolute, lp.Prismatic, lp.Helical, lp.Cylindrical, lp.Universal, lp.Planar, lp.Translational,
              lp.Spherical, lp.Fixed, lp.PointOnLine, lp.PointOnPlane)  # fmt: skip
FRAMES = {"plain": plain, "reframed": reframed, "reduced": reduced}


def floats(of):
    return np.asarray(of).astype(float)


def given(values):
    return array(np.asarray(values, dtype=float).tolist())


@pytest.mark.parametrize("kind", LOOP_TYPES)
def test_rows_are_the_rate_of_the_residual_and_gamma_the_rate_of_the_rows(kind):
    rng = np.random.default_rng(LOOP_TYPES.index(kind))
    kinds = (lp.Revolute, lp.Spherical, lp.Prismatic, lp.Universal, lp.Fixed, lp.Free, lp.Planar)
    tree = random_tree(rng, kinds, mimic=True)
    q = random_configuration(tree, rng)
    motion = motion_of(kind, rng)
    robot = closed_at(tree, q, [("base", "m", motion), ("l2", "l5", motion), ("l6", "l1", motion)], rng)
    for make in FRAMES.values():
        mechanism = with_loops(make(robot), robot, robot, Split((), (), ()))
        assert np.abs(floats(loops.closure(mechanism, given(q)))).max() < 1e-13
        J = floats(loops.constraint_jacobian(mechanism, given(q)))
        assert J.shape == (3 * (6 - motion.dof), tree.n)
        v, h = rng.normal(size=tree.n), 1e-5
        there, back = (moved(mechanism, q, step * v) for step in (h, -h))
        ahead, behind = (floats(loops.closure(mechanism, given(x))) for x in (there, back))
        rate = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(J @ v, rate, atol=1e-7)
        J_there, J_back = (floats(loops.constraint_jacobian(mechanism, given(x))) for x in (there, back))
        gamma = floats(loops.constraint_rate(mechanism, given(q), given(v)))
        np.testing.assert_allclose(gamma, (J_there - J_back) @ v / (2 * h), atol=1e-6)
