"""Batch rollouts: order of the step, agreement with the adaptive integration, quaternions, friction, inputs."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms import time_stepping
from loadpath.robot.mechanism import plain
from on_scalars import entries
from references.to_pinocchio import random_state


@pytest.mark.parametrize("floating", [False, True])
def test_the_step_is_of_fourth_order(floating: bool) -> None:
    robot = lp.catalog.random_tree(2, 41, general=True)
    robot = robot.floating() if floating else robot
    q, qd, _ = random_state(robot, np.random.default_rng(1))
    exact = robot.simulate(q, qd, duration=0.2, rtol=1e-12, sample_rate=5)
    errors = []
    for steps in (10, 20, 40):
        end = robot.rollout(q, qd, step=0.2 / steps, steps=steps, every=steps)
        gap = np.concatenate([robot.difference(exact.q[-1], end.q[-1]), exact.qd[-1] - end.qd[-1]])
        errors.append(np.abs(gap).max())
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (orders > 3.7).all() and (orders < 4.6).all()


def test_a_batch_is_its_states_one_by_one() -> None:
    robot = lp.catalog.random_chain(2, 43, ("revolute", "spherical"), general=True)
    rng = np.random.default_rng(2)
    states = [random_state(robot, rng)[:2] for _ in range(6)]
    q, qd = (np.array([state[k] for state in states]).reshape(2, 3, -1) for k in range(2))
    torques = rng.normal(size=(4, 3, robot.n))
    many = robot.rollout(q, qd, torque_sequence=torques[:, None], step=0.01, steps=4)
    assert many.q.shape == (5, 2, 3, robot.nq) and many.qd.shape == (5, 2, 3, robot.n)
    assert many.times == pytest.approx([0, 0.01, 0.02, 0.03, 0.04])
    for i in range(2):
        for j in range(3):
            one = robot.rollout(q[i, j], qd[i, j], torque_sequence=torques[:, j], step=0.01, steps=4)
            assert many.q[:, i, j] == pytest.approx(one.q, abs=1e-13)
            assert many.qd[:, i, j] == pytest.approx(one.qd, abs=1e-12)


def test_kept_steps_and_torques_of_every_kind() -> None:
    arm = lp.catalog.planar(2)
    q, qd = np.random.default_rng(3).uniform(-1, 1, (2, 10, 2))
    all_steps = arm.rollout(q, qd, [1.0, -1.0], step=0.01, steps=7)
    some = arm.rollout(q, qd, lambda t, q, qd: np.array([1.0, -1.0]), step=0.01, steps=7, every=3)
    assert some.times == pytest.approx([0, 0.03, 0.06, 0.07])
    assert some.q.tolist() == all_steps.q[[0, 3, 6, 7]].tolist()
    pushed = arm.rollout(q, qd, step=0.01, steps=7, external={"link2": lp.Wrench(np.ones((10, 3)))})
    assert not np.allclose(pushed.q[-1], arm.rollout(q, qd, step=0.01, steps=7).q[-1])
    shares: list[float] = []
    arm.rollout(q, qd, step=0.01, steps=7, progress=shares.append)
    assert shares[-1] == 1.0


def test_friction_stops_joints_and_holds_them() -> None:
    puma = lp.catalog.puma560()
    rng = np.random.default_rng(4)
    q, qd = rng.uniform(-1, 1, (20, 6)), rng.uniform(-2, 2, (20, 6))
    fall = puma.rollout(q, qd, step=2e-3, steps=5000, every=1000)
    assert np.abs(fall.qd[-1]).max() < 1e-12
    assert fall.q[-1] == pytest.approx(fall.q[-2], abs=1e-9)
    exact = puma.simulate(q[0], qd[0], duration=10.0, sample_rate=1)
    assert fall.q[-1, 0] == pytest.approx(exact.q[-1], abs=1e-3)


def test_friction_is_of_first_order_where_it_stops_a_joint_and_never_turns_it_round() -> None:
    slide = lp.Joint("slide", "base", "block", lp.Prismatic((1, 0, 0)), coulomb_friction=3.0)
    block = lp.Robot("block", (lp.Link("base"), lp.Link("block", lp.Inertia(2.0))), (slide,))
    for step in (0.1, 0.01, 0.001):
        motion = block.rollout([0.0], [4.0], step=step, steps=round(4 / step))
        assert motion.qd.min() >= -1e-14
        assert motion.qd[-1, 0] == pytest.approx(0, abs=1e-15)
        assert motion.q[-1, 0] == pytest.approx(2 * 4.0**2 / (2 * 3.0), abs=step**2)


def test_the_compiled_step_is_the_equations_on_floats() -> None:
    robot = lp.catalog.random_tree(3, 47, ("revolute", "spherical"), general=True, drives=True)
    q, qd, tau = random_state(robot, np.random.default_rng(5))
    expected = time_stepping.runge_kutta_step(plain(robot), entries(q), entries(qd), entries(tau), 0.01)[:2]
    for found, wanted in zip(robot.step(q, qd, tau, 0.01), expected, strict=True):
        assert found == pytest.approx(wanted.astype(float), abs=1e-11)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"step": 0.0}, "'step' is 0.0"),
        ({"steps": 0}, "'steps' is 0"),
        ({"every": 0}, "'every' is 0"),
        ({"q": np.zeros((5, 3))}, r"'q' has the shape \(5, 3\): expected \(..., 2\)"),
        ({"q": np.zeros((5, 2)), "qd": np.zeros((4, 2))}, "do not go together"),
        ({"torque": [1.0]}, "'torque' has the shape"),
        ({"torque": [1.0, 2.0], "torque_sequence": np.zeros((3, 2))}, "not both"),
        ({"torque_sequence": np.zeros((2, 2))}, r"expected \(3, ..., 2\)"),
        ({"torque": lambda t, q, qd: np.zeros(3)}, r"torque has the shape \(3,\)"),
        ({"torque": lambda t, q, qd: np.zeros((7, 2)) if t else np.zeros(2)}, r"one that goes with \(2,\)"),
        ({"q": [0.0, np.nan]}, "'q' has the entry nan"),
    ],
)
def test_faults_of_rollouts_are_named(change: dict[str, object], message: str) -> None:
    arguments = {"q": [0.0, 0.0], "qd": [0.0, 0.0], "step": 0.01, "steps": 3} | change
    with pytest.raises(ValueError, match=message):
        lp.catalog.planar(2).rollout(**arguments)


@pytest.mark.parametrize("load", [{"gravity": (0, 0, 0)}, {"under": lp.LoadCase(gravity=(0, 0, 0))}])
def test_loads_that_a_rollout_does_not_take(load):
    with pytest.raises(TypeError, match=r"rollout takes no '\w+': robot\.with_gravity"):
        lp.catalog.planar(1).rollout([0.0], [0.0], step=0.01, steps=1, **load)


@pytest.mark.parametrize("closed", [False, True])
def test_the_error_is_that_of_a_fine_reference(closed: bool) -> None:
    robot = lp.catalog.four_bar() if closed else lp.catalog.random_chain(2, 43, ("revolute", "spherical"), general=True)
    rng = np.random.default_rng(4)
    q, qd, _ = random_state(robot, rng)
    if closed:
        q, qd = robot.home, robot.complete(robot.home, {robot.driven[0]: 4.0})[0]
    torques = np.zeros((20, 40, robot.n))
    torques[..., 0] = 0.2 * rng.normal(size=(20, 40))  # a sequence: held over each step in all of them
    rolled = robot.rollout(np.broadcast_to(q, (40, len(q))), qd, torque_sequence=torques, step=0.02, steps=20, every=5)
    fine = robot.rollout(np.broadcast_to(q, (40, len(q))), qd, torque_sequence=np.repeat(torques, 16, axis=0),
                         step=0.02 / 16, steps=320, every=80, error_states=0)
    assert fine.error is None
    error = rolled.error
    assert error is not None and error.q.shape == (5, 16, robot.n)
    assert error.states[[0, -1]].tolist() == [0, 39]
    off = robot.difference(fine.q[:, error.states], rolled.q[:, error.states]), (rolled.qd - fine.qd)[:, error.states]
    for estimate, real in zip((error.q, error.qd), off, strict=True):
        size = np.abs(real).max(axis=(1, 2))[1:]
        assert (size > 1e-10).all()  # well above rounding
        assert (np.abs(estimate - real).max(axis=(1, 2))[1:] < 0.15 * size).all()
    assert error.largest == max(np.abs(error.q).max(), np.abs(error.qd).max())
    assert "error about" in repr(rolled)


def test_the_error_counts_feedback_wrenches_and_stops() -> None:
    arm = lp.catalog.planar(2)
    push = {"tip": lp.Wrench(force=np.linspace(0, 1, 18).reshape(6, 3, 1) * (1.0, 2.0, 0.0))}
    rolled = arm.rollout([0.1, 0.2], [0, 0], lambda t, q, qd: -3.0 * qd, external=push, step=0.02, steps=10)
    assert rolled.error is not None and rolled.error.q.shape == (11, 16, 2) and 0 < rolled.error.largest < 1e-3
    slide = lp.Joint("slide", "base", "block", lp.Prismatic((1, 0, 0)), coulomb_friction=3.0)
    block = lp.Robot("block", (lp.Link("base"), lp.Link("block", lp.Inertia(1.0))), (slide,))
    stopped = block.rollout([0.0], [1.0], step=0.07, steps=10)
    assert stopped.error is not None
    real = stopped.q[-1, 0] - 1.0 / 6.0  # v^2 / 2 mu g
    assert abs(real) <= 1.5 * abs(float(stopped.error.q[-1, 0, 0])) <= 6 * abs(real)
    with pytest.raises(ValueError, match="'error_states' is -1"):
        block.rollout([0.0], [1.0], step=0.1, steps=1, error_states=-1)
    none = arm.rollout(np.zeros((0, 2)), [0, 0], step=0.1, steps=1)
    assert none.error is None and none.q.shape == (2, 0, 2)
