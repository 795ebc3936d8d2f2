"""What is kept with an object: once for each key, a bounded number, and by any number of threads."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import loadpath as lp
from loadpath.cached import kept
from loadpath.structure.beams.elastic_mechanism import EFFECTS
from loadpath.structure.vibration.model import vibration_model


class Owner:
    pass


def test_the_last_results_are_kept_and_the_first_goes() -> None:
    computed = []

    @kept(maximum=3)
    def square(owner: Owner, n: int) -> int:
        computed.append(n)
        return n * n

    owner, other = Owner(), Owner()
    assert [square(owner, n) for n in (1, 2, 3, 1, 4, 2, 3, 4, 1)] == [1, 4, 9, 1, 16, 4, 9, 16, 1]
    assert computed == [1, 2, 3, 4, 1]
    assert square(other, 2) == 4
    assert computed == [1, 2, 3, 4, 1, 2]  # each object has its own
    (results,) = (value for name, value in vars(owner).items() if name.startswith("_kept_"))
    assert len(results) == 3


def test_an_error_is_not_kept_and_what_is_kept_keeps_nothing_alive() -> None:
    calls = []

    @kept()
    def fails_once(owner: Owner) -> int:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("not yet")
        return 7

    owner = Owner()
    with pytest.raises(ValueError, match="not yet"):
        fails_once(owner)
    assert fails_once(owner) == fails_once(owner) == 7
    assert len(calls) == 2
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_threads_that_come_and_go_have_right_results() -> None:
    """Hand-made dictionaries that were changed while others went through them raised errors."""

    @kept(maximum=2)
    def power(owner: Owner, n: int) -> int:
        return 3**n

    owner, start = Owner(), threading.Barrier(8)

    def ask(seed: int) -> bool:
        start.wait()
        return all(power(owner, (seed * k) % 7) == 3 ** ((seed * k) % 7) for k in range(3000))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(1, 9)))


def test_models_of_an_arm_are_kept_and_few() -> None:
    beam = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(1).with_beams({"link1": beam}, inertia_from_beams=True)
    models = [vibration_model(arm, EFFECTS, order) for order in range(2, 10)]
    assert vibration_model(arm, EFFECTS, 9) is models[-1]
    assert vibration_model(arm, EFFECTS, 2) is not models[0]
    results = [value for name, value in vars(arm).items() if name.endswith("_vibration_model")]
    assert len(results[0]) == 6
