"""One elastic model for arms with guides and without: its numbers are those of the two models that there were, and
without guides both were equal to the last bit.
"""

from __future__ import annotations

import numpy as np
import pytest
from elastic_numbers import ARMS, CASES, case_of, kept, numbers, states_of
from numpy.testing import assert_allclose, assert_array_equal

from loadpath.structure.response.generalized_loads import generalized_load_map
from loadpath.structure.vibration.geometric_stiffness import dead_loads
from loadpath.structure.vibration.guided_model import guided_model
from loadpath.structure.vibration.guided_stiffness import generalized_forces, guided_loads
from loadpath.structure.vibration.model import vibration_model

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.errors.ModelWarning")
ALIKE = 2e-15
"""Of the largest entry: the last bit of a sum."""


@pytest.mark.parametrize("name", ARMS)
def test_numbers_of_before(name: str) -> None:
    before, now = kept()[name], numbers(name)
    assert before.keys() == now.keys()
    for key, expected in before.items():
        size = np.abs(expected).max(initial=0.0)
        assert_allclose(now[key], expected, rtol=0, atol=3e-13 * size, err_msg=key)


@pytest.mark.parametrize("name", ["revolute", "any joints", "one beam", "tree"])
def test_without_guides_both_models_are_equal(name: str) -> None:
    arm = ARMS[name]()
    states, case = states_of(arm), case_of(arm)
    plain, guided = (of(arm, *CASES[name]) for of in (vibration_model, guided_model))
    assert plain.part_names == guided.part_names
    assert_array_equal(plain.part_of, guided.part_of)
    a, b = plain.at(states[0]), guided.at(states[0])
    y = np.random.default_rng(1).normal(size=(len(states[0]), 2, plain.size))
    loads = dead_loads(arm, states, case)
    forces = (generalized_load_map(plain) @ loads.reshape(len(loads), -1).T).T
    pairs = [
        *zip(a.matrices(), b.matrices(), strict=True),
        *zip(a.loaded(states, case), b.loaded(states, case), strict=True),
        *zip(a.frame_motions(y), b.frame_motions(y), strict=True),
        (forces, generalized_forces(b, guided_loads(b, states, case))),
    ]
    for ours, theirs in pairs:
        assert_allclose(ours, theirs, rtol=0, atol=ALIKE * np.abs(theirs).max())
