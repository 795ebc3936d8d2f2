"""Dask arrays: lazy, in threads, pickled to other machines."""

from __future__ import annotations

from pathlib import Path

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from numpy.testing import assert_array_equal
from scripts import mixed_arm, states

import loadpath as lp


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return mixed_arm()


@pytest.fixture(params=["threads", "synchronous"])
def scheduler(request: pytest.FixtureRequest) -> str:
    return request.param


def test_dask_arrays_stay_lazy_and_give_the_same(arm: lp.Robot, scheduler: str) -> None:
    state = states(arm, 100)
    lazy = [da.from_array(x, chunks=(30, -1)) for x in state]
    found = arm.inverse_dynamics(*lazy)
    assert isinstance(found, da.Array)
    assert found.shape == (100, arm.n)
    assert found.dtype == np.float64
    with dask.config.set(scheduler=scheduler):
        assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_states_from_a_zarr_store_and_torques_into_one(arm: lp.Robot, tmp_path: Path) -> None:
    state = states(arm, 100)
    for name, values in zip(("q", "qd", "qdd"), state, strict=True):
        zarr.save_array(str(tmp_path / f"{name}.zarr"), values)
    lazy = [da.from_zarr(str(tmp_path / f"{name}.zarr"), chunks=(30, values.shape[1]))
            for name, values in zip(("q", "qd", "qdd"), state, strict=True)]
    arm.inverse_dynamics(*lazy).to_zarr(str(tmp_path / "tau.zarr"))
    kept = zarr.open_array(str(tmp_path / "tau.zarr"), mode="r")
    assert_array_equal(kept[:], arm.inverse_dynamics(*state))
    stored = zarr.open_array(str(tmp_path / "q.zarr"), mode="r")
    assert_array_equal(arm.gravity_forces(stored), arm.gravity_forces(state[0]))  # type: ignore[arg-type]


def test_every_kind_of_result_on_dask(arm: lp.Robot) -> None:
    q, qd, qdd = states(arm, 50)
    lazy_q, lazy_qd, lazy_qdd = (da.from_array(x, chunks=(20, -1)) for x in (q, qd, qdd))
    for found, expected in (
        (arm.link_poses(lazy_q), arm.link_poses(q)),
        (arm.jacobian(lazy_q, "link2"), arm.jacobian(q, "link2")),
        (arm.kinetic_energy(lazy_q, lazy_qd), arm.kinetic_energy(q, qd)),
        (arm.inverse_dynamics(lazy_q, qd[0], lazy_qdd), arm.inverse_dynamics(q, qd[0], qdd)),
        (
            arm.inverse_dynamics(lazy_q, lazy_qd, lazy_qdd, external={"link3": lp.Wrench((1, 2, 3))}),
            arm.inverse_dynamics(q, qd, qdd, external={"link3": lp.Wrench((1, 2, 3))}),
        ),
    ):
        assert isinstance(found, da.Array)
        assert found.shape == expected.shape
        assert_array_equal(found.compute(), expected)
    wrenches = arm.joint_wrenches(lazy_q, lazy_qd, lazy_qdd)
    assert isinstance(wrenches.force, da.Array)
    one = wrenches["joint2"]
    assert isinstance(one.torque, da.Array)
    assert_array_equal(one.torque.compute(), arm.joint_wrenches(q, qd, qdd)["joint2"].torque)


def test_dask_arrays_chunked_across_the_state_are_rechunked(arm: lp.Robot) -> None:
    state = states(arm, 10)
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(4, 2)) for x in state))
    assert_array_equal(found.compute(), arm.inverse_dynamics(*state))


def test_float32_on_dask(arm: lp.Robot) -> None:
    state = [x.astype(np.float32) for x in states(arm, 10)]
    found = arm.inverse_dynamics(*(da.from_array(x, chunks=(5, -1)) for x in state))
    assert found.dtype == np.float32
    assert found.compute().dtype == np.float32


def test_dask_graphs_travel(arm: lp.Robot) -> None:
    """As a distributed scheduler sends them: by cloudpickle, to be computed elsewhere."""
    state = states(arm, 20)
    lazy = arm.inverse_dynamics(*(da.from_array(x, chunks=(10, -1)) for x in state))
    arrived = cloudpickle.loads(cloudpickle.dumps(lazy))
    assert_array_equal(arrived.compute(scheduler="synchronous"), arm.inverse_dynamics(*state))


def test_wrong_dask_arrays_are_refused_before_computing(arm: lp.Robot) -> None:
    q, qd, qdd = (da.from_array(x, chunks=(5, -1)) for x in states(arm, 10))
    with pytest.raises(ValueError, match=r"inverse_dynamics: 'qd' has the shape \(10, 3\)"):
        arm.inverse_dynamics(q, qd[:, :3], qdd)
    with pytest.raises(ValueError, match="inverse_dynamics: 'q' has the dtype complex128"):
        arm.inverse_dynamics(q.astype(complex), qd, qdd)
    with pytest.raises(TypeError, match="inverse_dynamics of Dask arrays takes no out"):
        arm.inverse_dynamics(q, qd, qdd, out=np.zeros((10, arm.n)))
