"""The geometric stiffness against the second derivative of the work of dead forces on geometrically exact rods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact_chain import curvature
from random_arms import random_arm

import loadpath as lp
from loadpath.states import LoadCase
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness, loaded_coordinates
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads


def stiffness(model: Any, state: Any, external: Any = None) -> Any:
    states = tuple(np.array(part)[None] for part in state)
    placed, loads = model.at(states[0]), dead_loads(model.arm, states, LoadCase(external))
    (K,) = geometric_stiffness(placed, loads)
    x = np.random.default_rng(0).normal(size=model.size)
    (found,) = loaded_coordinates(model).product(placed.R, loads, x[None])
    np.testing.assert_allclose(found, K @ x, atol=1e-12 * abs(K).max())
    return K


@pytest.mark.parametrize("seed", [1, 4])
def test_second_derivative_of_the_work(seed: int) -> None:
    arm = random_arm(seed)
    model = vibration_model(arm, EFFECTS, 3)
    rng = np.random.default_rng(seed)
    state = tuple(rng.uniform(-2, 2, (3, arm.n)))
    tip = arm.link_names[-1]
    push, at = rng.normal(size=3) * 300, rng.normal(size=3) * 0.2
    external = {tip: lp.Wrench(force=push, point=at)}
    K = stiffness(model, state, external)
    np.testing.assert_allclose(K, K.T, atol=1e-12 * abs(K).max())
    directions = rng.normal(size=(12, model.size))
    directions[4:] *= rng.uniform(size=(8, model.size)) < 0.15  # few coordinates at a time
    expected = -curvature(model, state, directions, [(tip, at, push)])
    found = np.einsum("di,ij,dj->d", directions, K, directions)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * abs(found).max())
