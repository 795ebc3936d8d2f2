"""A state that is not a number is neither safe nor unsafe: rovers count it as unsafe, and say how many and which."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import loadpath as lp

NAN = np.nan
ROWS = np.array([[0.0, 0.0, 0.5], [NAN, 0.0, 0.5], [0.1, 0.0, 0.5], [0.0, NAN, 0.5]])


@pytest.fixture(scope="module")
def rover() -> lp.Rover:
    return lp.catalog.lau_rover(driven=True)


def only_warning(call, match: str):
    """What a call returns, which gives one warning and no other."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    assert len(caught) == 1 and issubclass(caught[0].category, lp.ModelWarning), [str(w.message) for w in caught]
    assert match in str(caught[0].message), str(caught[0].message)
    return found


def test_verdicts_of_danger_are_true_unless_the_opposite_is_shown(rover) -> None:
    bad = [False, True, False, True]
    counted = "2 of 4 states are not numbers (1, 3)"
    standing = only_warning(lambda: rover.stability(ROWS), f"stability: {counted}")
    assert standing.tips_over.tolist() == standing.unknown.tolist() == bad == np.isnan(standing.margin).tolist()
    assert not (standing.tips_over & ~standing.unknown).any()
    loads = only_warning(lambda: rover.wheel_loads(ROWS), f"wheel_loads: {counted}")
    assert loads.tips_over.tolist() == loads.unknown.tolist() == bad
    assert loads.lifted.all(axis=-1).tolist() == bad
    slip = only_warning(lambda: rover.slip(ROWS), f"slip: {counted}")
    assert slip.slips.all(axis=-1).tolist() == slip.unknown.tolist() == bad
    assert np.isnan(slip.ratio).all(axis=-1).tolist() == bad
    most = only_warning(lambda: rover.largest_payload(ROWS, link="rod"), f"largest_payload: {counted}")
    assert np.isnan(most).tolist() == bad
    most = only_warning(lambda: rover.largest_acceleration(ROWS, direction=(1, 0)), f"largest_acceleration: {counted}")
    assert np.isnan(most).tolist() == bad
    rates = rover.wheel_motion(np.array([[0.5, 1.0], [NAN, 1.0]]))
    assert rates.scrubs.tolist() == rates.unknown.tolist() == [False, True]


def test_accelerations_too() -> None:
    cart = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8))
    found = only_warning(lambda: cart.base_acceleration(ROWS), "base_acceleration: 2 of 4 states are not numbers")
    assert found.tips_over.tolist() == found.unknown.tolist() == [False, True, False, True]


@pytest.mark.parametrize("options", [
    {"velocity": (NAN, 0.0)},
    {"velocity": (1.0, 0.0), "acceleration": (NAN, 0.0)},
    {"external": {"rod": lp.Wrench(force=(0.0, 0.0, NAN))}},
])
def test_what_else_may_not_be_a_number(rover, options) -> None:
    standing = only_warning(lambda: rover.stability([0.0, 0.0, 0.5], **options), "the state is not a number")
    assert bool(standing.tips_over) and bool(standing.unknown)
    assert bool(only_warning(lambda: rover.wheel_loads([0.0, 0.0, 0.5], **options), "not a number").tips_over)
    assert only_warning(lambda: rover.slip([0.0, 0.0, 0.5], **options), "not a number").slips.all()


def test_large_batches_name_the_first_few_and_clean_ones_say_nothing(rover) -> None:
    q = np.tile([0.0, 0.0, 0.5], (50, 40, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not rover.stability(q).unknown.any()
        assert not rover.wheel_loads(q).unknown.any()
    q[3:, 5] = NAN
    found = only_warning(lambda: rover.stability(q),
                         "47 of 2000 states are not numbers ((3, 5), (4, 5), (5, 5), (6, 5), (7, 5), ...)")
    assert int(found.unknown.sum()) == 47


def test_pictures_say_what_they_leave_out(rover) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        standing, loads, none = rover.stability(ROWS), rover.wheel_loads(ROWS), rover.stability(ROWS[[1, 3]])
    assert standing.plot().layout.title.text.endswith("; 2 of 4 states are not numbers (1, 3)")
    assert standing.plot().layout.title.text.startswith("Least margin 0.157 m")
    assert "2 of 4 states are not numbers" in loads.plot().layout.title.text
    assert none.plot().layout.title.text == "No margin is known: 2 of 2 states are not numbers (0, 1)"


@pytest.mark.parametrize("slope", [0.0, 0.2])
def test_a_heading_that_is_no_number_leaves_no_number_in_its_row(slope: float) -> None:
    rover = lp.catalog.lau_rover().base.carrying(lp.catalog.puma560(), at=(0.2, 0, 0.3), ground=lp.Ground(slope=slope))
    q, heading = np.linspace(0.1, 1.0, 18).reshape(3, 6), np.array([0.0, np.nan, 0.3])
    still = np.zeros_like(q)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        wrench = rover.ground_wrench(q, heading=heading)
        results = (
            wrench.force, wrench.torque, rover.inverse_dynamics(q, still, still, heading=heading),
            rover.gravity_forces(q, heading=heading)[:, :5],  # the last is 0 at any gravity
            rover.joint_wrenches(q, still, still, heading=heading).force[:, :6],
            rover.wheel_loads(q, heading=heading).normal, rover.forward_dynamics(q, still, heading=heading).qdd,
            rover.base_acceleration(q, heading=heading).acceleration,
        )
    for found in results:
        rows = np.isnan(found).reshape(3, -1)
        assert rows[1].all() and not rows[[0, 2]].any()
