"""The short way in for one state: same numbers as the ufunc, and everything else handed to the general way."""

import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine import direct, method, pool
from loadpath.engine.direct import has_direct_entry, understands_arrays
from loadpath.engine.program import Operand


@pytest.fixture(scope="module")
def arm():
    robot = lp.catalog.random_dh_arm(3, seed=4)
    robot.inverse_dynamics(np.zeros(3), np.zeros(3), np.zeros(3))
    return robot


@pytest.fixture
def state():
    return [x.copy() for x in np.random.default_rng(0).normal(size=(3, 3))]


def test_it_is_taken(arm):
    assert type(arm.inverse_dynamics.func).__name__ == "builtin_function_or_method"


def test_equals_the_ufunc(arm, state):
    assert np.array_equal(arm.inverse_dynamics(*state), arm.inverse_dynamics.ufunc(*state))
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 9))
    strided = q[::-3], qd[::3], qdd[2::3]
    assert np.array_equal(arm.inverse_dynamics(*strided), arm.inverse_dynamics.ufunc(*strided))
    assert np.array_equal(arm.mass_matrix(state[0]), arm.mass_matrix.ufunc(state[0]))
    still = np.broadcast_to(0.0, (3,))
    assert np.allclose(arm.inverse_dynamics(state[0], still, still), arm.gravity_forces(state[0]), rtol=1e-12)


class Tagged(np.ndarray):
    """A subclass of ndarray must come out as NumPy treats it, not as a plain array's memory."""


def unaligned(x):
    return np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.tolist(),
        lambda x: x.astype(np.float32),
        lambda x: x.astype(">f8"),
        lambda x: np.array([x, x]),
        lambda x: x.view(Tagged),
        unaligned,
        lambda x: x.astype(int),
    ],
    ids=["list", "float32", "byte-swapped", "batch", "subclass", "unaligned", "int"],
)
def test_other_arguments_go_the_general_way(arm, state, change):
    q, qd, qdd = state
    for arguments in ((change(q), qd, qdd), (q, change(qd), qdd), (q, qd, change(qdd))):
        plain = [np.array(a, dtype=float) for a in arguments]
        result = arm.inverse_dynamics(*arguments)
        assert np.allclose(result, arm.inverse_dynamics.ufunc(*plain), rtol=1e-6)


class GeneralWayError(Exception):
    pass


@pytest.fixture
def no_general_way(arm, monkeypatch):
    def fail(*_):
        raise GeneralWayError

    monkeypatch.setattr(arm.inverse_dynamics, "_ufunc", None)
    monkeypatch.setattr(type(arm.inverse_dynamics), "_general", fail)


@pytest.mark.usefixtures("no_general_way")
def test_plain_states_take_the_short_way_and_nothing_else_does(arm, state):
    q, qd, qdd = state
    assert arm.inverse_dynamics(q, qd, qdd).shape == (3,)
    assert arm.inverse_dynamics(np.zeros(9)[::3], qd[::-1], qdd).shape == (3,)
    others = [q.tolist(), tuple(q), q.astype("f4"), q.astype(">f8"), q[None], unaligned(q), q.view(Tagged)]
    for other in [*others, np.zeros(2), np.zeros(4), np.zeros(0), np.array(1.0), None]:
        for arguments in ((other, qd, qdd), (q, other, qdd), (q, qd, other)):
            with pytest.raises(GeneralWayError):
                arm.inverse_dynamics(*arguments)
    calls = (((q, qd), {"qdd": qdd}), ((q, qd, qdd), {"out": np.zeros(3)}), ((q, qd), {}), (state * 2, {}))
    for arguments, options in calls:
        with pytest.raises(GeneralWayError):
            arm.inverse_dynamics(*arguments, **options)


def test_the_short_way_is_there_for_vectors_and_one_result():
    vector, matrix, number, nothing = (Operand("a", shape) for shape in ((3,), (3, 3), (), (0,)))
    assert has_direct_entry([vector, vector], [vector])
    assert has_direct_entry([vector], [matrix])
    for inputs, outputs in (
        ([vector, matrix], [vector]),
        ([number], [vector]),
        ([vector], [number]),
        ([vector], [vector, vector]),
        ([nothing], [vector]),
        ([vector], [nothing]),
    ):
        assert not has_direct_entry(inputs, outputs)


def test_errors_explain_themselves(arm, state):
    q, qd, qdd = state
    with pytest.raises(ValueError, match=r"'qd' has the shape \(2,\): expected \(\.\.\., 3\)"):
        arm.inverse_dynamics(q, qd[:2], qdd)
    with pytest.raises(TypeError, match="needs qdd"):
        arm.inverse_dynamics(q, qd)
    with pytest.raises(TypeError):
        arm.inverse_dynamics(q, qd, qdd, qdd.copy())
    assert np.array_equal(arm.inverse_dynamics(q, qd, qdd=qdd), arm.inverse_dynamics(q, qd, qdd))


def test_no_reference_is_lost_or_kept(arm, state):
    before = [sys.getrefcount(x) for x in state]
    results = [arm.inverse_dynamics(*state) for _ in range(1000)]
    assert [sys.getrefcount(x) for x in state] == before
    assert sys.getrefcount(results[0]) == sys.getrefcount([np.zeros(3)][0]) + 1  # this list stays
    assert results[0].flags.owndata and results[0].flags.writeable


def test_method_and_robot_can_go(state):
    robot = lp.catalog.random_dh_arm(3, seed=5)
    method = robot.inverse_dynamics
    expected = method(*state)
    gone = weakref.ref(robot)
    del robot
    assert np.array_equal(method(*state), expected)
    copied = pickle.loads(pickle.dumps(method))
    del method
    gc.collect()
    assert gone() is None
    assert np.array_equal(copied(*state), expected)


@pytest.mark.parametrize("field", ["DATA", "DIMENSIONS_COUNT", "DIMENSIONS", "STRIDES", "DESCRIPTOR", "FLAGS", "HEAD"])
def test_a_numpy_with_its_fields_elsewhere_is_not_understood(monkeypatch, field):
    assert understands_arrays()
    monkeypatch.setattr(direct, field, getattr(direct, field) + 8)
    monkeypatch.setattr(direct, "_makes_arrays", lambda: True)
    assert not understands_arrays.__wrapped__()


def test_what_is_not_understood_is_not_called_directly(monkeypatch, state):
    monkeypatch.setattr(method, "understands_arrays", lambda: False)
    monkeypatch.setattr(pool, "understands_arrays", lambda: False)
    robot = lp.catalog.random_dh_arm(3, seed=4)
    tau = robot.inverse_dynamics(*state)
    assert type(robot.inverse_dynamics.func).__name__ != "builtin_function_or_method"
    assert np.array_equal(tau, robot.inverse_dynamics.ufunc(*state))
    assert pool._made() is None
