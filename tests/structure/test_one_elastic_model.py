"""One elastic model for arms with guides and without: its numbers are those of the two models that there were, which
were equal to the last bit for arms without guides.
"""

from __future__ import annotations

import numpy as np
import pytest
from elastic_numbers import ARMS, CASES, case_of, kept, numbers, states_of
from numpy.testing import assert_allclose

from loadpath.structure.vibration.geometric_stiffness import geometric_stiffness, loaded_coordinates
from loadpath.structure.vibration.model import vibration_model
from loadpath.structure.vibration.piece_loads import dead_loads

pytestmark = pytest.mark.filterwarnings("ignore::loadpath.errors.ModelWarning")


@pytest.mark.parametrize("name", ARMS)
def test_numbers_of_before(name: str) -> None:
    before, now = kept()[name], numbers(name)
    assert before.keys() == now.keys()
    for key, expected in before.items():
        size = np.abs(expected).max(initial=0.0)
        assert_allclose(now[key], expected, rtol=0, atol=3e-13 * size, err_msg=key)


@pytest.mark.parametrize("name", ["revolute", "tree"])
def test_some_coordinates_have_the_stiffness_that_they_have_among_all(name: str) -> None:
    arm = ARMS[name]()
    states, case = states_of(arm), case_of(arm)
    model = vibration_model(arm, *CASES[name])
    placed, loads = model.at(states[0]), dead_loads(arm, states, case)
    K = geometric_stiffness(placed, loads)
    for chosen in (np.arange(model.size), np.flatnonzero(np.random.default_rng(2).uniform(size=model.size) < 0.3)):
        found = loaded_coordinates(model, chosen).stiffness(placed.R, loads)
        assert_allclose(found, K[:, chosen][:, :, chosen], rtol=0, atol=2e-15 * np.abs(K).max())


@pytest.mark.parametrize("name", ["telescope", "both in pads", "revolute"])
def test_a_batch_of_states_is_its_states(name: str) -> None:
    """Also where pads have passed other stations in some of them, so that other pieces move other bodies."""
    arm = ARMS[name]()
    states, case = states_of(arm), case_of(arm)
    model = vibration_model(arm, *CASES[name])
    whole = [*model.at(states[0]).matrices(), *model.at(states[0]).loaded(states, case)]
    for k in range(len(states[0])):
        state = tuple(part[[k]] for part in states)
        alone = [*model.at(state[0]).matrices(), *model.at(state[0]).loaded(state, case)]
        for together, one in zip(whole, alone, strict=True):
            assert_allclose(together[k], one[0], rtol=0, atol=1e-13 * np.abs(one).max())
