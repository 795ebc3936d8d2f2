"""Some of the random bodies of `random_bodies`, which runs as many as one asks for."""

import pytest
from random_bodies import run

SLOW = [*range(4), *range(5, 10), *range(11, 26), *range(27, 30), 57, 86]
"""In 23 and 26 what the plane leaves open is settled in space; in 57 and 86 feet rebound for less than a step."""


@pytest.mark.parametrize("seed", [4, 10, 26, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SLOW)])
def test_random_bodies_end_and_keep_to_the_physics(seed):
    verdict = run(seed)
    assert not verdict.faults(), verdict.told
