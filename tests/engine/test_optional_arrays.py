"""Arrays that may be left out and choices made before tracing, on a subject made for it and on robots."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import loadpath as lp
from loadpath.engine.arguments import DEFAULT, Variant
from loadpath.engine.quantity import Compiled
from loadpath.exports.request import request
from loadpath.scalars import Array, Scalar, array, dot, scale, zeros

# A subject that is no robot: springs that pull at an end, with preload, a drift and a stretch where wanted.


@dataclass(frozen=True)
class Springs:
    """`stiffness` of each spring; `copies` is a letter of the signature that a choice sets."""

    stiffness: tuple[float, ...]
    name: str = "springs"

    @property
    def n(self) -> int:
        return len(self.stiffness)

    @property
    def sizes(self) -> Mapping[str, int]:
        return {"n": self.n}

    @property
    def defined_by(self) -> tuple[object, ...]:
        return (self.stiffness,)


def pull(springs: Springs, x: Array, preload: Array | None = None, gain: Array | None = None, power: int = 1) -> Array:
    """k x^power, plus preload; times the gain's sum."""
    result = zeros(springs.n)
    for k, stiffness in enumerate(springs.stiffness):
        value: Scalar = stiffness
        for _ in range(power):
            value = value * x[k]
        result[k] = value if preload is None else value + preload[k]
    return result if gain is None else scale(dot(gain, array([1.0, 1.0])), result)


def pull_again(springs: Springs, x: Array, power: int = 1) -> Array:
    return pull(springs, x, power=power)


def energy(springs: Springs, x: Array) -> Scalar:
    return dot(pull(springs, x), x)


def repeated(springs: Springs, x: Array, copies: int = 2) -> Array:
    result = zeros(copies, springs.n)
    for k in range(copies):
        result[k] = pull(springs, x)
    return result


class Pulled(Springs):
    """With compiled quantities."""

    pull = Compiled(
        {DEFAULT: pull, "again": pull_again},
        "(n)->(n)",
        lambda springs: springs,
        "Forces.",
        optional={"preload": (3,), "gain": (2,)},
        choices={"power": 1},
    )
    energy = Compiled(energy, "(n)->()", lambda springs: springs, "Energy.")
    repeated = Compiled(
        repeated,
        "(n)->(c,n)",
        lambda springs: springs,
        "Forces of several.",
        choices={"copies": 2},
        sizes=lambda springs, variant: {"c": dict(variant.choices).get("copies", 2)},
        wrap=lambda springs, forces: {"forces": forces, "of": springs.name},
    )


@pytest.fixture(scope="module")
def springs() -> Pulled:
    return Pulled((1.0, 2.0, 3.0))


X = np.array([0.5, -1.0, 2.0])
PULL = np.array([0.5, -2.0, 6.0])


def test_left_out_and_given(springs: Pulled) -> None:
    assert_allclose(springs.pull(X), PULL)
    assert_allclose(springs.pull(X, preload=[1, 1, 1]), PULL + 1)
    assert_allclose(springs.pull(X, gain=[2, 3]), 5 * PULL)
    assert_allclose(springs.pull(X, preload=[1, 1, 1], gain=[2, 3]), 5 * (PULL + 1))
    assert_allclose(springs.pull(X, gain=[2, 3], preload=[1, 1, 1]), 5 * (PULL + 1))  # in either order
    assert_allclose(springs.pull(X, preload=None), PULL)  # None is left out
    assert_allclose(springs.pull(x=X, preload=[1, 1, 1]), PULL + 1)
    assert_allclose(springs.energy(X), PULL @ X)


def test_batches_broadcast_with_the_others(springs: Pulled) -> None:
    x, preload = X * np.arange(4)[:, None], np.arange(15.0).reshape(5, 1, 3)
    found = springs.pull(x, preload=preload)
    assert found.shape == (5, 4, 3)
    assert_allclose(found, np.array(springs.stiffness) * x + preload)
    assert springs.pull(np.zeros((0, 3)), preload=[1, 2, 3]).shape == (0, 3)
    with pytest.raises(ValueError, match=r"pull: the batch shapes do not go together: 'x' \(4,\), 'preload' \(5,\)"):
        springs.pull(x, preload=np.zeros((5, 3)))


def test_out_and_float32(springs: Pulled) -> None:
    out = np.empty(3)
    assert springs.pull(X, preload=[1, 1, 1], out=out) is out
    assert_allclose(out, PULL + 1)
    single = springs.pull(X.astype(np.float32), preload=np.ones(3, np.float32))
    assert single.dtype == np.float32
    assert_allclose(single, PULL + 1, rtol=1e-6)
    assert springs.pull(X.astype(np.float32), preload=np.ones(3)).dtype == np.float64


def test_nan_stays_in_its_row(springs: Pulled) -> None:
    preload = np.ones((3, 3))
    preload[1] = np.nan
    found = springs.pull(X, preload=preload)
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()


def test_choices(springs: Pulled) -> None:
    assert_allclose(springs.pull(X, power=2), PULL * X)
    assert_allclose(springs.pull(X, power=3, preload=[1, 1, 1]), PULL * X**2 + 1)
    assert_allclose(springs.pull(X, power=1), PULL)
    assert_allclose(springs.pull(X, power=2, formulation="again"), PULL * X)
    # The usual choice is no variant of its own.
    assert Variant(choices=(("power", 1),)) not in springs.pull._kernels


def test_a_letter_may_depend_on_a_choice(springs: Pulled) -> None:
    assert springs.repeated(X)["forces"].shape == (2, 3)
    found = springs.repeated(X, copies=4)
    assert found["forces"].shape == (4, 3)
    assert found["of"] == "springs"
    assert_allclose(found["forces"], np.broadcast_to(PULL, (4, 3)))


def test_wrong_calls_are_named(springs: Pulled) -> None:
    with pytest.raises(ValueError, match=r"pull: 'preload' has the shape \(2,\): expected \(..., 3\)"):
        springs.pull(X, preload=[1, 2])
    with pytest.raises(ValueError, match="pull: 'gain' has the dtype"):
        springs.pull(X, gain=["a", "b"])
    with pytest.raises(TypeError, match="pull takes no 'prelude'"):
        springs.pull(X, prelude=[1, 2, 3])
    with pytest.raises(TypeError, match="pull takes x: 2 arguments were given"):
        springs.pull(X, [1, 1, 1])  # by name only
    with pytest.raises(ValueError, match="pull by 'again' takes no 'preload'; by newton-euler it does"):
        springs.pull(X, preload=[1, 1, 1], formulation="again")
    with pytest.raises(TypeError, match="energy takes no 'preload'"):
        springs.energy(X, preload=[1, 1, 1])


# On robots


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.random_chain(2, 5, general=True)


MOTION: dict[str, Any] = {"base_velocity": [0, 0, 0, 0.1, 0.2, 0.3], "base_acceleration": [1, 2, 3, 4, 5, 6]}


def test_dask(arm: lp.Robot) -> None:
    rng = np.random.default_rng(1)
    q, qd, acceleration = rng.normal(size=(10, 2)), rng.normal(size=(10, 2)), rng.normal(size=(10, 6))
    expected = arm.inverse_dynamics(q, qd, qd, base_acceleration=acceleration)
    lazy = da.from_array(acceleration, chunks=(4, 6))
    found = arm.inverse_dynamics(q, qd, qd, base_acceleration=lazy)
    assert isinstance(found, da.Array)
    assert_allclose(found.compute(), expected, rtol=1e-14)
    found = arm.inverse_dynamics(da.from_array(q, chunks=(5, 2)), qd, qd, **MOTION)
    assert_allclose(found.compute(), arm.inverse_dynamics(q, qd, qd, **MOTION), rtol=1e-14)
    with pytest.raises(TypeError, match="of Dask arrays takes no out"):
        arm.inverse_dynamics(q, qd, qd, base_acceleration=lazy, out=np.empty((10, 2)))


def test_pickling(arm: lp.Robot) -> None:
    given = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    expected = arm.inverse_dynamics(*given, **MOTION)
    method = pickle.loads(pickle.dumps(arm.inverse_dynamics))
    assert_array_equal(method(*given, **MOTION), expected)
    assert_array_equal(pickle.loads(pickle.dumps(arm)).inverse_dynamics(*given, **MOTION), expected)


def test_with_external_wrenches(arm: lp.Robot) -> None:
    """Both at once: each array goes where it belongs."""
    q, qd, qdd = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    wrench = {"link2": lp.Wrench((1, 2, 3), (4, 5, 6))}
    both = arm.inverse_dynamics(q, qd, qdd, external=wrench, **MOTION)
    alone = arm.inverse_dynamics(q, qd, qdd, **MOTION)
    pushed = arm.inverse_dynamics(q, qd, qdd, external=wrench) - arm.inverse_dynamics(q, qd, qdd)
    assert_allclose(both - alone, pushed, rtol=1e-12)


def test_the_short_way_is_still_there(arm: lp.Robot) -> None:
    """Calls without options go to the ufunc as before, also after one with options."""
    q, qd, qdd = np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([0.5, 0.6])
    before = arm.inverse_dynamics(q, qd, qdd)
    arm.inverse_dynamics(q, qd, qdd, **MOTION)
    assert_array_equal(arm.inverse_dynamics(q, qd, qdd), before)
    assert_array_equal(arm.inverse_dynamics.ufunc(q, qd, qdd), before)
    assert arm.inverse_dynamics.ufunc.nin == 3


def test_only_what_is_asked_for_is_compiled() -> None:
    arm = lp.catalog.random_chain(1, 6, general=True)
    arm.inverse_dynamics([0.1], [0.2], [0.3], **MOTION)
    assert list(arm.inverse_dynamics._kernels) == [Variant(given=("base_velocity", "base_acceleration"))]
    arm.inverse_dynamics([0.1], [0.2], [0.3])
    assert Variant() in arm.inverse_dynamics._kernels


def test_wrapped_results_of_the_short_way(arm: lp.Robot) -> None:
    """The same as by names, with `out`, on Dask arrays, and errors that explain themselves."""
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 6, 2))
    short, long = arm.joint_wrenches(q, qd, qdd), arm.joint_wrenches(q=q, qd=qd, qdd=qdd)
    assert_array_equal(short.force, long.force)
    assert_array_equal(short.torque, long.torque)
    out = np.empty((6, 2, 3)), np.empty((6, 2, 3))
    given = arm.joint_wrenches(q, qd, qdd, out=out)
    assert given.force is out[0]
    assert_array_equal(out[1], short.torque)
    lazy = arm.joint_wrenches(da.from_array(q, chunks=(3, 2)), qd, qdd)
    assert isinstance(lazy.force, da.Array)
    assert_allclose(lazy.torque.compute(), short.torque, rtol=1e-14)
    with pytest.raises(ValueError, match=r"joint_wrenches: 'qd' has the shape \(3,\): expected \(..., 2\)"):
        arm.joint_wrenches(q, [1, 2, 3], qdd)
    with pytest.raises(TypeError, match="joint_wrenches takes q, qd, qdd: 4 arguments were given"):
        arm.joint_wrenches(q, qd, qdd, qdd)


def test_exports_are_of_the_quantity_without_options(arm: lp.Robot) -> None:
    asked = request(arm, "inverse_dynamics")
    assert asked.variant == Variant()
    assert [operand.name for operand in asked.program().inputs] == ["q", "qd", "qdd"]
    exported = arm.casadi_function("inverse_dynamics")
    assert exported.n_in() == 3
    given = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    assert_allclose(np.array(exported(*given)).ravel(), arm.inverse_dynamics(*given), rtol=1e-13)


def test_exports_with_arrays_and_choices(arm: lp.Robot) -> None:
    exported = arm.casadi_function("inverse_dynamics", arrays=["base_acceleration", "base_velocity"])
    assert [exported.name_in(k) for k in range(5)] == ["q", "qd", "qdd", "base_velocity", "base_acceleration"]
    given = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    found = exported(*given, MOTION["base_velocity"], MOTION["base_acceleration"])
    assert_allclose(np.array(found).ravel(), arm.inverse_dynamics(*given, **MOTION), rtol=1e-13)
    exported = arm.casadi_function("force_along", choices={"joint": "joint2", "axes": "joint"})
    expected = arm.force_along(*given, [1, 2, 3], joint="joint2")
    assert_allclose(float(exported(*given, [1, 2, 3])), expected, rtol=1e-13)
    source = arm.c_source("force_along", choices={"joint": "joint2"})
    assert "force_along_joint2(const double *q" in source
    assert "joint 'joint2'" in source
    for options, message in (
        ({"arrays": ["momentum"]}, "'momentum' is not known among its arrays; it takes base_velocity"),
        ({"arrays": "base_velocity"}, "'arrays' is 'base_velocity': expected several names"),
        ({"choices": {"joint": "joint2"}}, "'joint' is not known among its choices; it takes none"),
    ):
        with pytest.raises(ValueError, match=message):
            arm.casadi_function("inverse_dynamics", **options)


def test_equal_robots_share_each_variant_and_variants_differ(arm: lp.Robot) -> None:
    twin = lp.catalog.random_chain(2, 5, general=True)
    with_motion = Variant(given=("base_velocity", "base_acceleration"))
    assert arm.inverse_dynamics.compiled(with_motion) is twin.inverse_dynamics.compiled(with_motion)
    assert arm.inverse_dynamics.compiled(with_motion) is not arm.inverse_dynamics.compiled(Variant())
    assert arm.inverse_dynamics.compiled(with_motion).nin == 5


def test_operations_are_counted_of_the_quantity_without_options(arm: lp.Robot) -> None:
    plain = arm.operation_count("inverse_dynamics")
    counted = type(arm).inverse_dynamics.count(arm, Variant(given=("base_acceleration",)))
    assert counted.multiplications > plain.multiplications
