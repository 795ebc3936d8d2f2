"""What may be given to the compiled functions and what comes back: shapes, types, layouts, `out`, odd numbers."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import mutually_broadcastable_shapes
from numpy.testing import assert_allclose, assert_array_equal

import loadpath as lp

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    """Four joints, one of them with a quaternion, all with Coulomb friction: nq = 7, n = 6."""
    return lp.catalog.random_chain(4, 51, ["revolute", "spherical", "prismatic", "helical"], general=True, drives=True)


def states(arm: lp.Robot, *batch: int) -> Arrays:
    rng = np.random.default_rng(1)
    return rng.normal(size=(*batch, arm.nq)), rng.normal(size=(*batch, arm.n)), rng.normal(size=(*batch, arm.n))


# Shapes


def test_shapes_of_one_state(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm)
    assert arm.inverse_dynamics(q, qd, qdd).shape == (6,)
    assert arm.gravity_forces(q).shape == (6,)
    assert arm.link_poses(q).shape == (5, 4, 4)
    assert arm.jacobian(q, "link4").shape == (6, 6)
    assert np.shape(arm.kinetic_energy(q, qd)) == ()
    assert np.shape(arm.potential_energy(q)) == ()
    wrenches = arm.joint_wrenches(q, qd, qdd)
    assert wrenches.force.shape == wrenches.torque.shape == (4, 3)


def test_shapes_of_batches(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 2, 3)
    assert arm.inverse_dynamics(q, qd, qdd).shape == (2, 3, 6)
    assert arm.link_poses(q).shape == (2, 3, 5, 4, 4)
    assert arm.jacobian(q, "link4").shape == (2, 3, 6, 6)
    assert arm.kinetic_energy(q, qd).shape == (2, 3)
    wrenches = arm.joint_wrenches(q, qd, qdd)
    assert wrenches.force.shape == (2, 3, 4, 3)
    assert wrenches["joint2"].torque.shape == (2, 3, 3)
    assert_array_equal(wrenches["joint2"].torque, wrenches.torque[..., 1, :])


@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 0, 2)])
def test_empty_batches(arm: lp.Robot, batch: tuple[int, ...]) -> None:
    q, qd, qdd = states(arm, *batch)
    assert arm.inverse_dynamics(q, qd, qdd).shape == (*batch, 6)
    assert arm.joint_wrenches(q, qd, qdd).force.shape == (*batch, 4, 3)
    assert arm.kinetic_energy(q, qd).shape == batch


@given(mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=5))
def test_batch_axes_broadcast_as_numpy_broadcasts(shapes: object) -> None:
    arm = lp.catalog.two_link()
    rng = np.random.default_rng(2)
    q, qd, qdd = (rng.normal(size=(*shape, 2)) for shape in shapes.input_shapes)
    found = arm.inverse_dynamics(q, qd, qdd)
    assert found.shape == (*shapes.result_shape, 2)
    full = [np.ascontiguousarray(np.broadcast_to(x, (*shapes.result_shape, 2))) for x in (q, qd, qdd)]
    assert_array_equal(found, arm.inverse_dynamics(*full))


def test_a_large_batch_equals_a_loop(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 100_000)
    tau, energy = arm.inverse_dynamics(q, qd, qdd), arm.kinetic_energy(q, qd)
    wrenches = arm.joint_wrenches(q, qd, qdd)
    for k in [0, 1, 7, 8, 15, 4096, 77_777, 99_991, *range(99_992, 100_000)]:
        assert_allclose(tau[k], arm.inverse_dynamics(q[k], qd[k], qdd[k]), rtol=1e-13, atol=1e-13)
        assert_allclose(energy[k], arm.kinetic_energy(q[k], qd[k]), rtol=1e-13)
        assert_allclose(wrenches.force[k], arm.joint_wrenches(q[k], qd[k], qdd[k]).force, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("count", range(1, 35))
def test_every_length_of_batch(arm: lp.Robot, count: int) -> None:
    """Vector widths and their remainders: no row is left out, none is written past the end."""
    q, qd, qdd = states(arm, 40)
    whole = arm.inverse_dynamics(q, qd, qdd)
    room = np.full((count + 2, arm.n), 7.0)
    arm.inverse_dynamics(q[:count], qd[:count], qdd[:count], out=room[1:-1])
    assert_allclose(room[1:-1], whole[:count], rtol=1e-14)
    assert_array_equal(room[[0, -1]], 7.0)


# Ways to give the same


def test_lists_tuples_ints_and_keywords_are_all_the_same() -> None:
    arm = lp.catalog.two_link()
    expected = arm.inverse_dynamics(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.array([5.0, 6.0]))
    for found in (
        arm.inverse_dynamics([1, 2], [3, 4], [5, 6]),
        arm.inverse_dynamics((1.0, 2), [3, 4.0], range(5, 7)),
        arm.inverse_dynamics(q=[1, 2], qd=[3, 4], qdd=[5, 6]),
        arm.inverse_dynamics([1, 2], qdd=[5, 6], qd=[3, 4]),
        arm.inverse_dynamics(np.array([1, 2]), np.array([3, 4], dtype=np.uint32), np.array([5, 6], dtype=np.int64)),
        arm.inverse_dynamics([1, 2], [3, 4], [5, 6], formulation="newton-euler"),
        arm.inverse_dynamics([1, 2], [3, 4], [5, 6], external={}),
        arm.inverse_dynamics([1, 2], [3, 4], [5, 6], external=None),
    ):
        assert_array_equal(found, expected)
        assert found.dtype == np.float64
    assert_array_equal(arm.jacobian([1, 2], "tip"), arm.jacobian(q=[1, 2], link="tip"))
    assert_array_equal(arm.jacobian([1, 2], "tip"), arm.jacobian([1, 2]))  # it has one end only


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "read only": lambda x: np.frombuffer(x.tobytes(), dtype=x.dtype).reshape(x.shape),
    "column of a matrix": lambda x: np.stack([x, x], axis=-1)[..., 0],
    "subclass": lambda x: x.view(Subclass),
    "record field": lambda x: np.rec.fromarrays([x, x], names="a,b")["a"],
}


class Subclass(np.ndarray):
    pass


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("one_state", [True, False])
def test_layout_in_memory_does_not_matter(arm: lp.Robot, layout: str, one_state: bool) -> None:
    given_states = states(arm, 11)
    arrays = [LAYOUTS[layout](x) for x in given_states]
    if one_state:
        given_states, arrays = [x[4] for x in given_states], [x[4] for x in arrays]
    assert_array_equal(arm.inverse_dynamics(*arrays), arm.inverse_dynamics(*given_states))
    assert_array_equal(arm.link_poses(arrays[0]), arm.link_poses(given_states[0]))
    assert_array_equal(arm.joint_wrenches(*arrays).torque, arm.joint_wrenches(*given_states).torque)


def test_arguments_are_left_as_they_are(arm: lp.Robot) -> None:
    given_states = states(arm, 9)
    copies = [x.copy() for x in given_states]
    arm.inverse_dynamics(*given_states)
    arm.inverse_dynamics(*(x[0] for x in given_states))
    arm.joint_wrenches(*given_states)
    for array, copy in zip(given_states, copies, strict=True):
        assert_array_equal(array, copy)


def test_a_surplus_argument_is_refused_and_not_written_to() -> None:
    """A ufunc would take it for `out`: gravity_forces(q, qd) would destroy qd."""
    arm = lp.catalog.two_link()
    q, qd = np.array([0.1, 0.2]), np.array([5.0, 6.0])
    for _ in range(2):  # at the first call and later
        with pytest.raises(TypeError, match="gravity_forces takes q: 2 arguments"):
            arm.gravity_forces(q, qd)
        arm.gravity_forces(q)
        with pytest.raises(TypeError, match="inverse_dynamics takes q, qd, qdd: 4 arguments"):
            arm.inverse_dynamics(q, q, q, qd)
        arm.inverse_dynamics(q, q, q)
    assert_array_equal(qd, [5.0, 6.0])


# Where results go


def test_out(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 5)
    expected = arm.inverse_dynamics(q, qd, qdd)
    room = np.empty((5, 6))
    assert arm.inverse_dynamics(q, qd, qdd, out=room) is room
    assert_array_equal(room, expected)
    strided = np.zeros((5, 12))
    arm.inverse_dynamics(q, qd, qdd, out=strided[:, ::2])
    assert_array_equal(strided[:, ::2], expected)
    assert_array_equal(strided[:, 1::2], 0.0)


def test_out_may_be_an_argument(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 37)
    expected = arm.inverse_dynamics(q, qd, qdd)
    arm.inverse_dynamics(q, qd, qdd, out=qdd)
    assert_array_equal(qdd, expected)


def test_out_of_several_results(arm: lp.Robot) -> None:
    state = states(arm, 5)
    force, torque = np.empty((5, 4, 3)), np.empty((5, 4, 3))
    found = arm.joint_wrenches(*state, out=(force, torque))
    assert found.force is force
    assert found.torque is torque
    assert_array_equal(torque, arm.joint_wrenches(*state).torque)


def test_results_own_their_memory(arm: lp.Robot) -> None:
    """A result is not overwritten by the next call, and is freed when it is dropped."""
    q, qd, qdd = states(arm)
    first = arm.inverse_dynamics(q, qd, qdd)
    kept = first.copy()
    second = arm.inverse_dynamics(q + 1, qd, qdd)
    assert_array_equal(first, kept)
    assert not np.shares_memory(first, second)
    assert first.flags.writeable
    assert first.flags.owndata
    gc.collect()
    before = sys.getrefcount(q)
    for _ in range(1000):
        arm.inverse_dynamics(q, qd, qdd)
    assert sys.getrefcount(q) == before


# Types


def test_float32_in_float32_out_and_close(arm: lp.Robot) -> None:
    exact = [x.astype(np.float32).astype(np.float64) for x in states(arm, 200)]
    single = [x.astype(np.float32) for x in exact]
    for name, count in (("inverse_dynamics", 3), ("gravity_forces", 1), ("link_poses", 1), ("kinetic_energy", 2)):
        found, expected = getattr(arm, name)(*single[:count]), getattr(arm, name)(*exact[:count])
        assert found.dtype == np.float32
        assert_allclose(found, expected, rtol=0, atol=3e-5 * np.abs(expected).max())
        assert not np.array_equal(found, expected)  # it was computed in float32, not rounded at the end
    assert arm.joint_wrenches(*single).force.dtype == np.float32
    assert arm.inverse_dynamics(*(x[0] for x in single)).dtype == np.float32


def test_mixed_types_become_float64(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 3)
    found = arm.inverse_dynamics(q.astype(np.float32), qd, qdd)
    assert found.dtype == np.float64
    assert_array_equal(found, arm.inverse_dynamics(q.astype(np.float32).astype(np.float64), qd, qdd))


def test_dtype_can_be_asked_for(arm: lp.Robot) -> None:
    assert arm.inverse_dynamics(*states(arm, 3), dtype=np.float32, casting="same_kind").dtype == np.float32


# Odd numbers


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_bad_number_harms_only_its_row(arm: lp.Robot, bad: float, dtype: type) -> None:
    for row in (0, 3, 7, 8, 16):
        for part in range(3):
            given_states = [x.astype(dtype) for x in states(arm, 17)]
            expected = arm.inverse_dynamics(*given_states)
            given_states[part][row, 0] = bad
            with np.errstate(all="ignore"):
                found = arm.inverse_dynamics(*given_states)
            others = np.arange(17) != row
            assert_array_equal(found[others], expected[others])
            assert not np.isfinite(found[row]).all()


def test_nan_angle_gives_nan_and_not_an_error() -> None:
    arm = lp.catalog.two_link()
    assert np.isnan(arm.gravity_forces([np.nan, 0.0])).all()
    assert np.isnan(arm.link_poses([np.nan, 0.0])[1, :3, :2]).any()


@pytest.mark.parametrize("angle", [1e3, -1e5, 1e8, 1e15, -3e18, 1e300])
def test_huge_angles(angle: float) -> None:
    rod = lp.catalog.planar(1, length=2.0, mass=1.0)
    batch = np.full((9, 1), angle)
    batch[4] = 0.3  # beside a small one
    expected = 9.81 * np.cos(batch)
    assert_allclose(rod.gravity_forces(batch), expected, rtol=1e-13, atol=1e-13)
    assert_allclose(rod.gravity_forces([angle]), 9.81 * np.cos([angle]), rtol=1e-13, atol=1e-13)


def test_a_quaternion_that_is_nan_is_nan_for_its_row_only() -> None:
    ball = lp.catalog.random_chain(1, 1, "spherical")
    q = np.array([[0.0, 0.0, 0.0, 1.0], [np.nan, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    with np.errstate(all="ignore"):
        found = ball.gravity_forces(q)
    assert np.isfinite(found[[0, 2]]).all()
    assert np.isnan(found[1]).any()


# Robots without degrees of freedom


def test_a_robot_that_cannot_move() -> None:
    statue = lp.catalog.random_tree(3, 5, "fixed", general=True)
    none = np.zeros((7, 0))
    assert (statue.n, statue.nq) == (0, 0)
    assert statue.inverse_dynamics(none, none, none).shape == (7, 0)
    assert statue.link_poses(none).shape == (7, 4, 4, 4)
    assert statue.jacobian(none, "link1").shape == (7, 6, 0)
    assert statue.kinetic_energy(none, none).shape == (7,)
    wrenches = statue.joint_wrenches(none, none, none)
    assert wrenches.force.shape == (7, 3, 3)
    assert_array_equal(wrenches.force, np.broadcast_to(wrenches.force[0], (7, 3, 3)))
    assert np.abs(wrenches.force).min() > 0
    with pytest.raises(ValueError, match=r"'q' has the shape \(7, 1\): expected \(\.\.\., 0\)"):
        statue.link_poses(np.zeros((7, 1)))


# External wrenches


def test_external_wrenches_broadcast_with_the_states(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 4)
    forces = np.random.default_rng(3).normal(size=(4, 3))
    together = arm.inverse_dynamics(q, qd, qdd, external={"link4": lp.Wrench(forces)})
    each = [arm.inverse_dynamics(q[k], qd[k], qdd[k], external={"link4": lp.Wrench(forces[k])}) for k in range(4)]
    assert_allclose(together, each, rtol=1e-13, atol=1e-13)
    many = arm.inverse_dynamics(
        q[0], qd[0], qdd[0], external={"link4": lp.Wrench(forces), "link2": lp.Wrench((1, 0, 0))}
    )
    assert many.shape == (4, 6)
    crossed = arm.joint_wrenches(q[:, None], qd[:, None], qdd[:, None], external={"link4": lp.Wrench(forces)})
    assert crossed.force.shape == (4, 4, 4, 3)


def test_wrenches_add(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm)
    one, two = {"link4": lp.Wrench((1, 2, 3), (4, 5, 6))}, {"link3": lp.Wrench((-1, 0, 2), axes="link")}
    free = arm.inverse_dynamics(q, qd, qdd)
    both = arm.inverse_dynamics(q, qd, qdd, external=one | two) - free
    parts = [arm.inverse_dynamics(q, qd, qdd, external=wrench) - free for wrench in (one, two)]
    assert_allclose(both, sum(parts), rtol=1e-12, atol=1e-12)
