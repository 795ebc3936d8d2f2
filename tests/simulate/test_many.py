"""Batches of simulations: order, failures, processes, and means over random friction against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from batch_cases import swing_or_trouble
from scipy.stats import norm

import loadpath as lp


def braked(friction: float, speed: float) -> lp.Simulation:
    """A box on feet that slides to rest."""
    feet = [lp.Support((x, y)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    body = lp.WheeledBase(
        mass=20, center_of_mass=(0, 0, 0.1), inertia=np.eye(3), wheels=feet, friction=lp.WheelFriction(friction)
    )
    return body.carrying().simulate(velocity=(speed, 0.0), duration=0.6)


def distance(run: lp.Simulation) -> dict[str, float]:
    return {"distance": float(run.pose[-1, 0])}


def pendulum(length: float) -> lp.Robot:
    return lp.catalog.planar(1, length=length)


def test_stopping_distances_over_random_friction() -> None:
    """Each is v^2/(2 mu g), so that their mean is; E[1/mu] = ln(b/a)/(b - a) for uniform mu."""
    drawn = lp.samples(4, seed=3, method="latin", friction=(0.3, 0.6), speed=0.8)
    many = lp.simulations(braked, drawn, keep=distance)
    expected = [0.8**2 / (2 * 9.81 * case["friction"]) for case in drawn]
    assert np.abs(many.values("distance") - expected).max() < 1e-12
    assert abs(many.values("distance").mean() - 0.8**2 / (2 * 9.81) * np.log(2.0) / 0.3) < 4e-3
    ends = many.quantiles("distance", at=[0.0, 1.0])
    assert np.allclose(ends, [min(expected), max(expected)], rtol=1e-12)


@pytest.mark.slow
def test_two_hundred_runs_have_the_same_bits_with_one_process_and_two() -> None:
    drawn = lp.samples(200, seed=1, friction=(0.3, 0.6), speed=(0.5, 1.0))
    one, two = (lp.simulations(braked, drawn, workers=count) for count in (1, 2))
    assert not one.failed and not two.failed
    for part in ("pose", "velocity", "normal", "kinetic"):
        assert np.array_equal(one.values(part), two.values(part))


def test_processes_give_the_same_bits_in_order_and_a_failure_or_a_dead_one_stops_no_other() -> None:
    shares: list[float] = []
    many = lp.simulations(swing_or_trouble, {"number": range(6)}, workers=2, progress=shares.append)
    assert many.failed == {1: "ModelError: the second has no speed", 3: "its process died (SIGKILL)"}
    assert many.done == (0, 2, 4, 5) and shares[-1] == 1.0 and shares == sorted(shares)
    here = lp.simulations(lp.catalog.planar(1), {"q": [[0.1 * k] for k in many.done]}, duration=0.1)
    values = many.values("q")
    assert np.isnan(values[[1, 3]]).all() and np.array_equal(values[list(many.done)], here.values("q"))
    assert "its process died" in many.table().text()


def test_a_function_may_give_robots() -> None:
    """Small swings of rods of two lengths: the shorter is ahead after a short time, qdd = 3 g sin / (2 l)."""
    many = lp.simulations(pendulum, {"length": [0.5, 2.0]}, q=[0.0], times=[0.0, 1e-3])
    first = many.values("qdd", "first")[:, 0]
    assert np.allclose(first[0] / first[1], 4.0)


def test_warnings_are_told_once() -> None:
    def asked(slow: bool) -> float:
        lp.WheelFriction(sliding=6.0)
        return 1.0

    with pytest.warns(lp.ModelWarning, match=r"2 of 2 cases gave warnings .*static friction is 6"):
        many = lp.simulations(asked, {"slow": [True, False]})
    assert set(many.warned) == {0, 1}


def test_ctrl_c_is_answered() -> None:
    def interrupted(k: int) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lp.simulations(interrupted, {"k": [1, 2]})


def test_samples_are_those_of_their_seed_and_spread() -> None:
    spread = {"mass": norm(10.0, 0.5), "slope": (0.1, 0.2), "kind": ["a", "b"], "fixed": 3}
    for method in ("random", "latin", "sobol"):
        drawn, again, others = (lp.samples(64, seed=seed, method=method, **spread) for seed in (5, 5, 6))
        assert drawn == again != others
        assert abs(np.mean([case["mass"] for case in drawn]) - 10.0) < 0.3
        assert {case["kind"] for case in drawn} == {"a", "b"} and all(case["fixed"] == 3 for case in drawn)
        assert all(0.1 <= case["slope"] <= 0.2 for case in drawn)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lp.simulations(3, [{}]), "the subject is 3"),
        (lambda: lp.simulations(pendulum, []), "there is no case"),
        (lambda: lp.simulations(pendulum, [3]), "case 0 is 3"),
        (lambda: lp.simulations(pendulum, {"a": [1], "b": [1, 2]}), "not equally long: 'a' has 1, 'b' has 2"),
        (lambda: lp.simulations(pendulum, [{"length": 1.0}], workers=0), "'workers' is 0"),
        (lambda: lp.simulations(pendulum, [{}], keep=3), "'keep' is 3"),
        (lambda: lp.simulations(lambda a: 1, [{"a": 1}, {"a": 2}], workers=2), "the subject cannot be sent"),
        (lambda: lp.simulations(pendulum, [{"length": lambda: 1}] * 2, workers=2), "case 0 cannot be sent"),
        (lambda: lp.simulations(pendulum, [{}] * 2, workers=2, torque=lambda t: 1), "'torque' cannot be sent"),
        (lambda: lp.simulations(float, {"x": []}), "there is no case"),
        (lambda: lp.simulations(dict, [{"a": 1}]).values("b"), "'b' was not kept; there are a"),
        (lambda: lp.simulations(dict, [{"a": 1}]).values("a", "least"), "reduce is 'least'"),
        (lambda: lp.simulations(dict, [{"a": [1]}, {"a": [1, 2]}]).values("a"), "different shapes"),
        (lambda: lp.simulations(pendulum, [{"long": 1}]).quantiles("q"), "no case has a result"),
        (lambda: lp.samples(0, a=1), "count is 0"),
        (lambda: lp.samples(2, a=(2.0, 1.0)), "'a' is"),
        (lambda: lp.samples(2, a=[]), "empty list"),
        (lambda: lp.samples(2, method="other"), "'method' is 'other'"),
    ],
)
def test_wrong_calls_are_told(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()  # type: ignore[operator]
