"""Random bases under random laws: a few of them here, `python -m tests.mobile.random_bases` has as many as one likes.

Each was wrong once: corners that were stepped over, contacts that crept without end, searches that did not end.
"""

import numpy as np
import pytest
import random_bases
from random_bases import LAWS, run, run_limited

from loadpath.mobile.corners import corners


@pytest.mark.parametrize("number", [10, 23, 41, 65, 101, 111])
def test_it_rolls_without_slip_and_keeps_its_energy(number):
    assert run(number).faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(200))
def test_it_ends_in_time(number):
    verdict = run_limited(number)
    assert verdict.faults() == [], verdict.case


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_corners_of_laws_are_where_they_are(law):
    """Of the laws here only the delayed ramp has a corner; another one's is added to it."""
    smooth = corners(law(1.0), 0.0, 1.0)
    assert smooth == (pytest.approx([0.23], abs=1e-12) if law is random_bases.delayed else [])
    broken = corners(lambda t: law(1.0)(t) + 0.3 * abs(t - 0.61), 0.0, 1.0)
    assert min(np.abs(np.array(broken) - 0.61)) < 1e-12


def test_a_jump_is_no_corner():
    assert corners(lambda t: float(t > 0.3), 0.0, 1.0) == []
