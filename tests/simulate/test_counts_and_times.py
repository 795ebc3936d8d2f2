"""Counts and times of `rollout` and `linearize` that are none, and states that are not known."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2)
STILL = np.zeros(2)


@pytest.mark.parametrize("dt", ["0.1", [0.1, 0.2], 0, -1.0, np.nan, np.inf, True, 1j])
def test_times_that_are_none(dt):
    with pytest.raises(ValueError, match=r"linearize: 'dt' is .*: expected a positive number of seconds"):
        ARM.linearize(STILL, dt=dt)
    with pytest.raises(ValueError, match=r"rollout: 'step' is .*: expected a positive number of seconds"):
        ARM.rollout(STILL, STILL, step=dt, steps=3)


@pytest.mark.parametrize("name", ["steps", "every", "error_states"])
@pytest.mark.parametrize("count", [2.5, "3", None, True, -1])
def test_counts_that_are_none(name, count):
    with pytest.raises(ValueError, match=rf"rollout: '{name}' is .*: expected a whole number"):
        ARM.rollout(STILL, STILL, step=0.01, **{"steps": 3, name: count})


def test_eigenvalues_of_a_state_that_is_not_known_are_unknown_and_no_others():
    q = np.array([[0.1, 0.2], [np.nan, 0.0], [0.3, 0.4]])
    found = ARM.linearize(q).eigenvalues()
    assert np.isnan(found).any(axis=-1).tolist() == [False, True, False]
    np.testing.assert_array_equal(found[2], ARM.linearize(q[2]).eigenvalues())


def test_errors_name_the_call():
    with pytest.raises(ValueError, match=r"linearize: 'q' has the shape \(3,\)"):
        ARM.linearize(np.zeros(3))
