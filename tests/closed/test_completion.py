"""Completed speeds and accelerations against differences along closed paths, and what cannot be completed."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.linkages_by_hand import by_circles, four_bar

CRANK_ROCKER = (0.3, 0.8, 0.6, 0.7)


@pytest.fixture(scope="module")
def five_bar() -> lp.ClosedRobot:
    return lp.catalog.five_bar()


def test_speeds_and_accelerations_are_rates_along_the_path(five_bar: lp.ClosedRobot) -> None:
    rng = np.random.default_rng(0)
    places = [five_bar.coordinate_names.index(name) for name in five_bar.driven]
    start = five_bar.home[places] + rng.uniform(-0.2, 0.2, (8, 2))
    speed, rate = rng.normal(size=(2, 8, 2))
    h = 1e-3
    path = [five_bar.assemble(start + s * h * speed + 0.5 * (s * h) ** 2 * rate).q for s in (-2, -1, 0, 1, 2)]
    qd, qdd = five_bar.complete(path[2], speed, rate)
    first = (path[0] - 8 * path[1] + 8 * path[3] - path[4]) / (12 * h)
    second = (-path[0] + 16 * path[1] - 30 * path[2] + 16 * path[3] - path[4]) / (12 * h * h)
    np.testing.assert_allclose(qd, first, atol=1e-8)
    np.testing.assert_allclose(qdd, second, atol=2e-6)
    np.testing.assert_array_equal(qd[:, places], speed)


def test_any_speeds_that_determine_the_others_will_do(five_bar: lp.ClosedRobot) -> None:
    q = five_bar.home
    qd, qdd = five_bar.complete(q, [0.3, -0.7], [1.0, 2.0])
    passive = {name: qd[five_bar.dof_names.index(name)] for name in five_bar.passive}
    rates = {name: qdd[five_bar.dof_names.index(name)] for name in five_bar.passive}
    other = five_bar.complete(q, passive, rates)
    np.testing.assert_allclose(other.qd, qd, atol=1e-12)
    np.testing.assert_allclose(other.qdd, qdd, atol=1e-11)
    named = five_bar.complete(q, dict(zip(five_bar.driven[::-1], [-0.7, 0.3], strict=True)))
    np.testing.assert_allclose(named.qd, qd, atol=1e-14)


def test_more_speeds_than_freedoms_must_agree() -> None:
    bar = four_bar(*CRANK_ROCKER).with_driven("crank_joint", "rocker_joint")
    q = by_circles(*CRANK_ROCKER, [0.5, 0.9], 1)
    qd, qdd = bar.complete(q, {"crank_joint": 1.0})
    again = bar.complete(q, qd[:, [0, 2]], qdd[:, [0, 2]])
    np.testing.assert_allclose(again.qd, qd, atol=1e-14)
    with pytest.raises(ValueError, match=r"speeds of crank_joint, rocker_joint contradict each other by 0.5"):
        bar.complete(q, qd[:, [0, 2]] + [0.0, 0.5])
    with pytest.warns(lp.ModelWarning, match=r"in 1 of 2 states \(1\): the accelerations of"):
        bar.complete(q, qd[:, [0, 2]], qdd[:, [0, 2]] + [[0, 0], [0, 1.0]], strict=False)


def test_too_few_speeds_are_named(five_bar: lp.ClosedRobot) -> None:
    left, _ = five_bar.driven
    half = five_bar.with_driven(left)
    message = f"'qd': {left} does not determine the motion.*has 2 freedoms: give"
    with pytest.raises(ValueError, match=message):
        half.complete(half.home, [1.0])
    with pytest.raises(ValueError, match=message):
        five_bar.complete(five_bar.home, {left: 1.0})
    found = half.complete(half.home, {left: 1.0, half.independent[1]: 0.5})
    assert abs(half.constraint_jacobian(half.home) @ found.qd).max() < 1e-12
    with pytest.raises(ValueError, match="has no speed 'middle'; there are"):
        five_bar.complete(five_bar.home, {"middle": 1.0})


def test_open_loops_and_dead_points_are_refused() -> None:
    a, b, c, d = CRANK_ROCKER
    bar = four_bar(*CRANK_ROCKER)
    with pytest.raises(ValueError, match=r"the loops are open, 'pin' by 0\.\d+ m and 0 rad: close them with"):
        bar.complete([0.1, 0.2, 0.3], [1.0])
    # Crank and coupler in one line: the rocker stands still, and does not determine the crank.
    stretched = np.arccos((d * d + (a + b) ** 2 - c * c) / (2 * d * (a + b)))
    dead = bar.assemble({"crank_joint": stretched, "coupler_joint": 0.0}).q
    rocker = bar.with_driven("rocker_joint")
    with pytest.raises(ValueError, match="dead point, where rocker_joint does not determine the motion"):
        rocker.complete(dead, [1.0])
    with pytest.warns(lp.ModelWarning, match=r"in 1 of 2 states \(0\): this is a dead point"):
        qd, _ = rocker.complete(np.stack([dead, by_circles(*CRANK_ROCKER, 1.5, 1)]), [1.0], strict=False)
    assert np.isnan(qd[0]).all() and np.isfinite(qd[1]).all()


def test_an_assembly_is_taken_where_coordinates_are() -> None:
    bar = lp.catalog.four_bar()
    found = bar.assemble({"crank_joint": np.linspace(0.0, 1.0, 3)})
    speeds = bar.complete(found, {"crank_joint": 2.0}, {"crank_joint": 0.0})
    np.testing.assert_array_equal(speeds, bar.complete(found.q, {"crank_joint": 2.0}, {"crank_joint": 0.0}))
    np.testing.assert_array_equal(bar.inverse_dynamics(found, *speeds), bar.inverse_dynamics(found.q, *speeds))


@pytest.mark.parametrize("speeds", [0.3, [0.3], [0.3, -0.7, 0.1], [[0.3], [0.1]]])
def test_speeds_for_another_number_of_drives_are_refused(five_bar: lp.ClosedRobot, speeds: object) -> None:
    shape = str(np.shape(speeds)).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=rf"has the shape {shape}: expected \(\.\.\., 2\), the drives "):
        five_bar.complete(five_bar.home, speeds)  # type: ignore[arg-type]
