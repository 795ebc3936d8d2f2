"""Robots as Python objects: equality, hashing, copies, pickles, subclasses, names; and their bound functions."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
import weakref
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import cloudpickle
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import loadpath as lp
from loadpath.engine import kernels

STATE = ([0.1, 0.2], [0.3, 0.4], [0.5, 0.6])


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    robot = lp.catalog.two_link(m2=1.5)
    robot.inverse_dynamics(*STATE)
    return robot


# Equality


def test_robots_of_equal_content_are_equal_and_share_their_code(arm: lp.Robot) -> None:
    twin = lp.catalog.two_link(m2=1.5)
    assert twin is not arm
    assert twin == arm
    assert hash(twin) == hash(arm)
    assert {arm: 1}[twin] == 1
    assert twin.inverse_dynamics.ufunc is arm.inverse_dynamics.ufunc


def test_robots_of_other_content_are_not_equal_and_do_not_share(arm: lp.Robot) -> None:
    other = lp.catalog.two_link(m2=np.nextafter(1.5, 2))
    assert other != arm
    assert other.inverse_dynamics.ufunc is not arm.inverse_dynamics.ufunc
    assert not np.array_equal(other.inverse_dynamics(*STATE), arm.inverse_dynamics(*STATE))


def test_names_of_robots_count_in_equality_but_not_in_their_code(arm: lp.Robot) -> None:
    renamed = replace(arm, name="other")
    assert renamed != arm
    assert renamed.inverse_dynamics.ufunc is arm.inverse_dynamics.ufunc


def test_equal_robots_hash_equally_with_negative_zeros_too() -> None:
    one, two = lp.catalog.two_link(gravity=(0.0, 0.0, -9.8)), lp.catalog.two_link(gravity=(-0.0, 0.0, -9.8))
    assert one == two
    assert hash(one) == hash(two)


def test_order_of_links_and_joints_is_the_robots_own() -> None:
    arm = lp.catalog.planar(3)
    shuffled = lp.Robot(arm.name, arm.links[::-1], arm.joints, arm.gravity)
    assert shuffled == arm


def test_a_robot_is_not_equal_to_other_things(arm: lp.Robot) -> None:
    assert arm != "two_link"
    assert arm != None  # noqa: E711
    assert (arm == 3) is False


# Frozen


@pytest.mark.parametrize("name", ["gravity", "links", "name", "inverse_dynamics", "something"])
def test_robots_cannot_be_changed(arm: lp.Robot, name: str) -> None:
    before = pickle.dumps(arm)
    with pytest.raises(FrozenInstanceError):
        setattr(arm, name, None)
    with pytest.raises(FrozenInstanceError):
        delattr(arm, name)
    assert pickle.dumps(arm) == before


def test_robots_made_from_a_robot_leave_it_as_it_is(arm: lp.Robot) -> None:
    before = pickle.dumps(arm)
    arm.with_payload(1.0), arm.with_gravity(0.0), arm.locked({"joint1": 0.3})
    arm.without_friction(), arm.without_rotors()
    assert pickle.dumps(arm) == before


# Copies and pickles


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        replace,
        lambda r: pickle.loads(pickle.dumps(r)),
        lambda r: pickle.loads(pickle.dumps(r, protocol=2)),
        lambda r: cloudpickle.loads(cloudpickle.dumps(r)),
    ],
    ids=["copy", "deepcopy", "replace", "pickle", "old pickle", "cloudpickle"],
)
def test_duplicates_are_equal_and_compute_the_same(arm: lp.Robot, duplicate: Any) -> None:
    twin = duplicate(arm)
    assert type(twin) is lp.Robot
    assert twin is not arm
    assert twin == arm
    assert hash(twin) == hash(arm)
    assert_array_equal(twin.inverse_dynamics(*STATE), arm.inverse_dynamics(*STATE))
    method = duplicate(arm.inverse_dynamics) if duplicate is not replace else twin.inverse_dynamics
    assert_array_equal(method(*STATE), arm.inverse_dynamics(*STATE))


def test_pickles_hold_no_machine_code(arm: lp.Robot) -> None:
    arm.joint_wrenches(*STATE), arm.jacobian(STATE[0])
    assert len(pickle.dumps(arm)) == len(pickle.dumps(lp.catalog.two_link(m2=1.5)))


def test_results_pickle(arm: lp.Robot) -> None:
    wrenches = pickle.loads(pickle.dumps(arm.joint_wrenches(*STATE)))
    assert_array_equal(wrenches["joint2"].force, arm.joint_wrenches(*STATE)["joint2"].force)
    wrench = pickle.loads(pickle.dumps(lp.Wrench((1, 2, 3), axes="link")))
    assert_array_equal(wrench.force, (1, 2, 3))
    assert wrench.axes == "link"


def test_warnings_about_a_robot_are_given_once() -> None:
    doubtful = lp.Link("wheel", lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=3))
    with pytest.warns(lp.ModelWarning, match="wheel"):
        robot = lp.Robot("r", (lp.Link("base"), doubtful), (lp.Joint("j", "base", "wheel", lp.Revolute()),))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(robot))
        copy.deepcopy(robot)
        robot.with_gravity(1.0).with_payload(1.0)


def test_robots_and_their_functions_can_be_garbage() -> None:
    robot = lp.catalog.planar(1, length=0.123)
    robot.gravity_forces([0.1])
    robot.gravity_forces(np.array([0.1]))
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None


def test_code_dropped_from_memory_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MOST_KEPT", 1)
    robots = [lp.catalog.planar(1, length=0.1 * k) for k in (1, 2, 3)]
    for _ in range(2):
        for k, robot in enumerate(robots, start=1):
            fresh = copy.copy(robot)
            assert fresh.gravity_forces([0.0])[0] == pytest.approx(9.81 * 0.05 * k)
            assert robot.gravity_forces([0.0])[0] == pytest.approx(9.81 * 0.05 * k)


# Subclasses


class Doubled(lp.Robot):
    """A user's own robot, with one function of its own."""

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Any:
        return 2 * super().inverse_dynamics(q, qd, qdd)


def test_a_subclass_may_put_its_own_function_in_front(arm: lp.Robot) -> None:
    own = Doubled(**{part.name: getattr(arm, part.name) for part in fields(arm)})
    for _ in range(3):  # not only the first time
        assert_array_equal(own.inverse_dynamics(*STATE), 2 * arm.inverse_dynamics(*STATE))
    assert_array_equal(own.gravity_forces(STATE[0]), arm.gravity_forces(STATE[0]))
    loaded = own.with_payload(1.0)
    assert type(loaded) is Doubled
    assert_array_equal(loaded.inverse_dynamics(*STATE), 2 * arm.with_payload(1.0).inverse_dynamics(*STATE))


# Names


def test_names_of_any_script() -> None:
    robot = lp.Robot(
        "机器人 №1",
        (lp.Link("base ⊥"), lp.Link('Öl-Arm "1"', lp.Inertia(1.0, (1, 0, 0))), lp.Link("手", lp.Inertia(0.5))),
        (
            lp.Joint("Gelenk ä", "base ⊥", 'Öl-Arm "1"', lp.Revolute((0, 1, 0))),
            lp.Joint("関節\n2", 'Öl-Arm "1"', "手", lp.Fixed(), lp.Pose(translation=(2, 0, 0))),
        ),
    )
    assert robot.gravity_forces([0.0])[0] == pytest.approx(-9.81 * 2.0)
    assert robot.jacobian([0.0], "手").shape == (6, 1)
    wrenches = robot.joint_wrenches([0.0], [0.0], [0.0], external={"手": lp.Wrench((0, 0, 1))})
    assert wrenches["関節\n2"].force[2] == pytest.approx(0.5 * 9.81 - 1.0)
    assert "手" in repr(robot.links)
    assert pickle.loads(pickle.dumps(robot)) == robot


# What functions say about themselves


def test_functions_introduce_themselves(arm: lp.Robot) -> None:
    method = arm.inverse_dynamics
    assert method.__name__ == "inverse_dynamics"
    assert "Forces of the drives" in method.__doc__
    assert "inverse_dynamics" in repr(method)
    assert "two_link" in repr(method)
    assert "Forces of the drives" in lp.Robot.inverse_dynamics.__doc__
    assert isinstance(method.ufunc, np.ufunc)
    assert arm.inverse_dynamics is method
    assert repr(arm) == "<Robot 'two_link': 4 links, 3 joints, 2 degrees of freedom>"


def test_functions_work_as_plain_callables(arm: lp.Robot) -> None:
    assert len(list(map(arm.gravity_forces, [[0, 0], [1, 1]]))) == 2
    function = arm.gravity_forces
    del arm
    gc.collect()
    assert function([0.0, 0.0]).shape == (2,)


def test_operation_counts(arm: lp.Robot) -> None:
    count = arm.operation_count("inverse_dynamics")
    assert count.multiplications > 0
    assert count.additions > 0
    assert count.functions == 4  # sine and cosine of q1 and q2
    assert arm.operation_count("gravity_forces").multiplications < count.multiplications
    near, far = (arm.operation_count("jacobian", link=link) for link in ("link1", "tip"))
    assert near.multiplications < far.multiplications
