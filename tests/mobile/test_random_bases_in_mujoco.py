"""Random bases against MuJoCo: a few of them here, `python -m tests.mobile.random_bases_in_mujoco` has all."""

import pytest

mujoco = pytest.importorskip("mujoco")
random_bases_in_mujoco = pytest.importorskip("random_bases_in_mujoco")


@pytest.mark.parametrize("number", [7, 13, 28, 32])
def test_it_goes_where_mujoco_says(number):
    assert random_bases_in_mujoco.run(number).faults() == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_it_goes_where_mujoco_says_always(number):
    apart = random_bases_in_mujoco.run(number)
    assert apart.faults() == [], apart.words
