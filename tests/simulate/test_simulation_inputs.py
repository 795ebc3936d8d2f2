"""What `simulate` takes and refuses: torques of every kind, times, conditions to stop, errors that name the fault."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loadpath as lp

ARM = lp.catalog.planar(2)
START = ([0.3, -0.2], [0.0, 0.1])


# Torques


def test_torques_over_time_are_what_a_function_would_give() -> None:
    times = np.array([0.0, 0.1, 0.35, 0.6])
    rows = np.array([[1.0, -1.0], [3.0, 0.0], [-2.0, 1.0], [0.0, 0.0]])

    def linear(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([np.interp(t, times, rows[:, 0]), np.interp(t, times, rows[:, 1])])

    def steps(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return rows[np.searchsorted(times, t, side="right") - 1]

    for kind, function in (("linear", linear), ("previous", steps)):
        found = ARM.simulate(*START, rows, 0.6, torque_times=times, torque_interpolation=kind, rtol=1e-10)
        expected = ARM.simulate(*START, function, 0.6, rtol=1e-8, max_step=1e-3)
        assert found.q == pytest.approx(expected.q, abs=1e-6)
        assert found.tau[:-1] == pytest.approx(np.array([function(t, None, None) for t in found.times[:-1]]))
        assert found.energy_drift < 1e-9


def test_a_held_torque_goes_on_after_its_last_time_but_a_line_does_not() -> None:
    rows = [[1.0, 0.0], [2.0, 0.0]]
    held = ARM.simulate(*START, rows, 1.0, torque_times=[0, 0.5], torque_interpolation="previous")
    assert held.tau[-1].tolist() == [2.0, 0.0]
    with pytest.raises(ValueError, match=r"from 0 s to 0.5 s, but the simulation from 0 s to 1 s"):
        ARM.simulate(*START, rows, 1.0, torque_times=[0, 0.5])


def test_a_control_rate_holds_the_torque_between_calls() -> None:
    called = []

    def control(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        called.append(t)
        return -20 * q - 2 * qd

    found = ARM.simulate(*START, control, 0.1, control_rate=50, rtol=1e-11)
    assert called == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    q, qd = (np.array(part, dtype=float) for part in START)
    for _ in range(5):
        piece = ARM.simulate(q, qd, -20 * q - 2 * qd, 0.02, rtol=1e-11)
        q, qd = piece.q[-1], piece.qd[-1]
    assert found.q[-1] == pytest.approx(q, abs=1e-10)


def test_torques_that_a_function_returns_with_labels_are_put_in_order() -> None:
    names = ARM.dof_names
    swapped = pd.Series([3.0, -1.0], index=names[::-1])
    found = ARM.simulate(*START, lambda t, q, qd: swapped, 0.05)
    assert found.tau[0].tolist() == [-1.0, 3.0]
    np.testing.assert_array_equal(found.q, ARM.simulate(*START, lambda t, q, qd: [-1.0, 3.0], 0.05).q)
    for wrong, message in (
        (pd.Series([1.0, 2.0], index=[names[0], "elbow"]), f"'<lambda>' returned has no '{names[1]}' and 'elbow'"),
        (np.ma.masked_array([1.0, 2.0], mask=[False, True]), "'<lambda>' returned has 1 masked value"),
    ):
        with pytest.raises(ValueError, match=message):
            ARM.simulate(*START, lambda t, q, qd, wrong=wrong: wrong, 0.05)


def test_feedback_reaches_its_goal() -> None:
    robot = lp.catalog.panda()
    goal = np.array([0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7])

    def computed_torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return robot.inverse_dynamics(q, qd, 100 * (goal - q) - 20 * qd)

    motion = robot.simulate([0, 0, 0, -1, 0, 1, 0], np.zeros(7), computed_torque, 2.0)
    # critically damped: (1 + 10 t) exp(-10 t)
    gap = (1 + 10 * motion.times) * np.exp(-10 * motion.times)
    assert motion.q - goal == pytest.approx(gap[:, None] * (motion.q[0] - goal), abs=1e-6)


def test_wrenches_over_time() -> None:
    def wind(t: float, q: np.ndarray, qd: np.ndarray) -> dict[str, lp.Wrench]:
        return {"link2": lp.Wrench((10 * np.sin(9 * t), 0, 0))}

    blown = ARM.simulate(*START, duration=0.5, external=wind)
    assert np.abs(blown.external_work).max() > 0.01
    assert blown.energy_drift < 1e-7
    with pytest.raises(ValueError, match=r"acts on \['link1'\] at t = "):
        ARM.simulate(
            *START, duration=0.5, external=lambda t, q, qd: {"link1" if t > 0.1 else "link2": lp.Wrench((1, 0, 0))}
        )


# Times


def test_times_are_those_asked_for() -> None:
    asked = [0.0, 0.123, 0.2, 0.31]
    some = ARM.simulate(*START, times=asked)
    assert some.times.tolist() == asked
    dense = ARM.simulate(*START, duration=0.31, sample_rate=1000)
    assert len(dense.times) == 311 and dense.times[-1] == 0.31
    assert some.q == pytest.approx(dense.q[[0, 123, 200, 310]], abs=1e-8)
    assert ARM.simulate(*START, times=[0.2]).q[0] == pytest.approx(some.q[2], abs=1e-8)
    assert ARM.simulate(*START, duration=0.0).q.tolist() == [START[0]]


def test_it_stops_where_it_is_told_to() -> None:
    fall = ARM.simulate([0.3, 0.0], [0.0, 0.0], duration=5.0, stop=lambda t, q, qd: q[0] - 0.2, rtol=1e-10)
    assert fall.stopped and fall.times[-1] < 5.0
    assert fall.q[-1, 0] == pytest.approx(0.2, abs=1e-10)
    assert (fall.q[:-1, 0] > 0.2).all()
    assert not ARM.simulate(*START, duration=0.1, stop=lambda t, q, qd: 1.0).stopped


def test_progress_is_told() -> None:
    shares: list[float] = []
    ARM.simulate(*START, duration=1.0, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0
    ARM.simulate(*START, duration=0.1, progress=True)
    with pytest.raises(ValueError, match="progress is 'yes'"):
        ARM.simulate(*START, duration=0.1, progress="yes")


# Faults


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [0.0]}, r"'q' has the shape \(1,\): expected \(2,\)"),
        ({"q": np.zeros((5, 2))}, "robot.rollout"),
        ({"qd": ["a", "b"]}, "'qd' is not an array of real numbers"),
        ({"qd": [0.0, np.nan]}, r"'qd' has the entry nan at \[1\]"),
        ({"duration": -1.0}, "'duration' is -1.0"),
        ({"duration": np.inf}, "'duration' is inf"),
        ({"duration": None}, "needs a 'duration'"),
        ({"times": [0, 1]}, "not both"),
        ({"duration": None, "times": [1, 0]}, "increasing"),
        ({"sample_rate": 0}, "'sample_rate' is 0"),
        ({"torque": [1.0]}, r"'torque' has the shape \(1,\): expected \(2,\)"),
        ({"torque": np.zeros((4, 2))}, "torque_times"),
        ({"torque": [1.0, np.inf]}, "'torque' has the entry inf"),
        ({"torque": np.zeros((4, 2)), "torque_times": [0, 1]}, r"expected \(2, 2\)"),
        ({"torque_times": [0, 1]}, "goes with a torque that is an array"),
        ({"torque": lambda t, q, qd: [1.0, 2.0, 3.0]}, r"function '<lambda>' returned the shape \(3,\)"),
        ({"torque": lambda t, q, qd: [1.0, np.nan if t > 0.2 else 0]}, "returned nan for 'joint2' at t = 0.2"),
        ({"control_rate": 10}, "goes with a torque that is a function"),
        ({"method": "Euler"}, "'method' is 'Euler'"),
        ({"rtol": 0}, "'rtol' is 0"),
        ({"max_step": -1}, "'max_step' is -1"),
        ({"external": {"hand": lp.Wrench((1, 0, 0))}}, "no link 'hand'"),
        ({"external": {"link2": lp.Wrench(np.ones((4, 3)))}}, "not one finite wrench"),
    ],
)
def test_faults_are_named(change: dict[str, object], message: str) -> None:
    arguments = {"q": START[0], "qd": START[1], "duration": 1.0} | change
    with pytest.raises(ValueError, match=message):
        ARM.simulate(**arguments)


def test_a_zero_quaternion_is_named() -> None:
    free = lp.catalog.panda().floating()
    with pytest.raises(ValueError, match="quaternion of joint 'floating_base'"):
        free.simulate(np.zeros(14), np.zeros(13), duration=1.0)


def test_a_motion_without_bound_is_told_with_time_and_joint() -> None:
    robot = lp.catalog.planar(2).with_gravity((0, 0, 0))
    with pytest.raises(lp.IntegrationError, match=r"failed at t = 0\.\d+ s: 'joint2' moves at") as caught:
        robot.simulate([0, 0], [0, 0], lambda t, q, qd: robot.inverse_dynamics(q, qd, [0, (1 + qd[1] ** 2) * 4]), 5.0)
    before = caught.value.result  # the solution is tan(4 t), up to pi / 8
    assert isinstance(before, lp.Simulation) and not before.stopped
    assert before.times[-1] == pytest.approx(np.pi / 8, abs=0.011) and before.times[-1] < np.pi / 8
    assert before.qd[:, 1] == pytest.approx(np.tan(4 * before.times), rel=1e-4)


def test_a_simulation_that_cannot_start_has_no_result() -> None:
    assert lp.IntegrationError("simulate: no elastic equilibrium").result is None


@pytest.mark.filterwarnings("ignore::loadpath.ModelWarning")
def test_a_robot_without_inertia_is_refused() -> None:
    robot = lp.Robot("ghost", (lp.Link("base"), lp.Link("ghost")), (lp.Joint("hinge", "base", "ghost", lp.Revolute()),))
    with pytest.raises(lp.ModelError, match="without inertia"):
        robot.simulate([0.0], [0.0], duration=1.0)


def test_a_robot_whose_joints_are_all_locked_stays_as_it_is() -> None:
    arm = lp.catalog.planar(2)
    still = arm.locked(dict.fromkeys(arm.joint_names[:2], 0.3))
    assert still.simulate([], [], duration=0.1).q.shape == (11, 0)
    assert still.rollout([], [], step=0.1, steps=3).q.shape == (4, 0)


def test_functions_that_change_their_arguments_do_not_change_the_motion() -> None:
    """`qd *= -3` in a controller is the caller's own business: the state that is integrated stays as it is."""

    def spoil(*arrays: np.ndarray) -> None:
        for array in arrays:
            array[:] = 0.0

    def damp(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        tau = -3.0 * qd
        spoil(q, qd)
        return tau

    def push(t: float, q: np.ndarray, qd: np.ndarray) -> dict[str, lp.Wrench]:
        force = (q[0], 0.0, qd[1])
        spoil(q, qd)
        return {"tip": lp.Wrench(force=force)}

    def fallen(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        height = q[0] + 1.0
        spoil(q, qd)
        return float(height)

    fair = ARM.simulate(*START, lambda t, q, qd: -3.0 * qd, 0.4, stop=lambda t, q, qd: q[0] + 1.0,
                        external=lambda t, q, qd: {"tip": lp.Wrench(force=(q[0], 0.0, qd[1]))})
    spoilt = ARM.simulate(*START, damp, 0.4, stop=fallen, external=push)
    np.testing.assert_array_equal(spoilt.q, fair.q)
    fair = ARM.simulate(*START, lambda t, q, qd: -3.0 * qd, 0.4, control_rate=50)
    np.testing.assert_array_equal(ARM.simulate(*START, damp, 0.4, control_rate=50).q, fair.q)
    rolled = [ARM.rollout(*START, f, step=0.01, steps=20).q for f in (damp, lambda t, q, qd: -3.0 * qd)]
    np.testing.assert_array_equal(*rolled)
