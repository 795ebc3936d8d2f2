"""JAX functions: the same numbers as the compiled methods, under jit, grad, jacfwd and vmap."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator

import casadi
import numpy as np
import pytest
from export_cases import QUANTITIES, arguments, asked, expected, mixed

import loadpath as lp
from engine.programs import BINARY, UNARY, apply, program, reference
from loadpath.exports import jax_function as module
from loadpath.exports.jax_function import jax_function, replay

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install loadpath[jax]")
STATE = [0.3, -0.7], [1.1, 0.2], [0.4, -2.0]


@pytest.fixture(autouse=True)
def _double_precision() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("name", QUANTITIES)
def test_every_quantity_agrees_with_the_compiled_method(name: str) -> None:
    asking = asked(mixed(), name)
    given = arguments(asking)
    results = jax.tree_util.tree_leaves(jax_function(asking)(*given))
    for part, wanted in zip(results, expected(asking, *given), strict=True):
        assert (part.shape, part.dtype) == (wanted.shape, np.float64)
        np.testing.assert_allclose(part, wanted, rtol=1e-10, atol=1e-10 * max(1, abs(wanted).max()))


def test_compiled_batches() -> None:
    robot = lp.catalog.two_link()
    states = np.random.default_rng(1).uniform(-2, 2, (3, 50, 2))
    forces = jax.jit(jax.vmap(robot.jax("inverse_dynamics")))
    np.testing.assert_allclose(forces(*states), robot.inverse_dynamics(*states), atol=1e-12)
    wrenches = jax.jit(jax.vmap(robot.jax("joint_wrenches"), in_axes=(0, None, None)))(states[0], *states[1:, 0])
    wanted = robot.joint_wrenches(states[0], *states[1:, 0])
    np.testing.assert_allclose(wrenches.force, wanted.force, atol=1e-12)
    np.testing.assert_allclose(wrenches.torque, wanted.torque, atol=1e-12)


def test_slopes_both_ways_are_the_derivatives() -> None:
    robot = lp.catalog.two_link()
    wanted = robot.inverse_dynamics_derivatives(*STATE)
    state = [jax.numpy.array(part) for part in STATE]
    for slopes in (jax.jacfwd, jax.jacrev):
        found = jax.jit(slopes(robot.jax("inverse_dynamics"), argnums=(0, 1, 2)))(*state)
        for part, by in zip(found, wanted, strict=True):
            np.testing.assert_allclose(part, by, atol=1e-12)
    slope = jax.jit(jax.grad(robot.jax("potential_energy")))(state[0])
    np.testing.assert_allclose(slope, robot.gravity_forces(STATE[0]), atol=1e-12)


def test_slopes_through_quaternions() -> None:
    """By JAX they are by the entries of q; times the rate of q per unit of speed, those of the tangent space."""
    robot = lp.catalog.random_chain(2, seed=2, joints=("spherical", "revolute"))
    asking = asked(robot, "gravity_forces")
    (q,) = arguments(asking)
    by_entries = jax.jit(jax.jacfwd(jax_function(asking)))(jax.numpy.array(q))
    rates = np.array([robot.coordinate_rate(q, unit) for unit in np.eye(robot.n)]).T
    still = np.zeros(robot.n)
    np.testing.assert_allclose(by_entries @ rates, robot.inverse_dynamics_derivatives(q, still, still).q, atol=1e-12)


def test_friction_in_single_precision_and_whole_numbers() -> None:
    robot = lp.catalog.puma560()
    f = robot.jax("bias_forces")
    q, qd = np.linspace(-1, 1, 6), np.linspace(1, -2, 6)
    single = f(q.astype(np.float32), qd.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, robot.bias_forces(q, qd), rtol=1e-4, atol=1e-4)
    assert f([1] * 6, [2] * 6).dtype == np.float64
    jax.config.update("jax_enable_x64", False)
    assert f(q, qd).dtype == np.float32


def test_constant_results_have_the_dtype_too() -> None:
    still = lp.catalog.two_link().locked({"joint1": 0.3, "joint2": -0.2})
    poses = still.jax("link_poses")(np.zeros(0, np.float32))
    assert poses.dtype == np.float32
    np.testing.assert_allclose(poses, still.link_poses(np.zeros(0)), atol=1e-6)
    assert still.jax("mass_matrix")(np.zeros(0)).shape == (0, 0)


def test_results_are_named() -> None:
    robot = lp.catalog.two_link()
    assert robot.jax("inverse_dynamics_derivatives")(*STATE).qdd.shape == (2, 2)
    assert robot.jax("joint_wrenches")(*STATE).torque.shape == (3, 3)
    assert robot.jax("momentum")(*STATE[:2]).angular.shape == (3,)


def test_links_formulations_and_external_wrenches() -> None:
    robot = lp.catalog.two_link()
    np.testing.assert_allclose(robot.jax("jacobian", link="link1")([0.1, 0.2]), robot.jacobian([0.1, 0.2], "link1"))
    by_bodies = robot.jax("forward_dynamics", formulation="articulated-body")(*STATE)
    np.testing.assert_allclose(by_bodies, robot.forward_dynamics(*STATE))
    pushed = robot.jax("inverse_dynamics", external=["tip"])(*STATE, [[1.0, 2, 3, 4, 5, 6]])
    wanted = robot.inverse_dynamics(*STATE, external={"tip": lp.Wrench((1.0, 2, 3), (4.0, 5, 6))})
    np.testing.assert_allclose(pushed, wanted)


def test_nan_stays_in_its_row() -> None:
    robot = lp.catalog.two_link()
    q = np.array([[0.1, 0.2], [np.nan, 0.2], [0.3, 0.4]])
    forces = jax.vmap(robot.jax("gravity_forces"))(q)
    assert np.isnan(forces[1]).all()
    np.testing.assert_allclose(forces[::2], robot.gravity_forces(q[::2]))


def test_every_operation() -> None:
    def run(a: casadi.SX, b: casadi.SX) -> list[casadi.SX]:
        one = [apply(name, a[k % 3]) for k, name in enumerate(UNARY)]
        return [casadi.vertcat(*one, *(apply(name, a[k % 3], b[k % 2]) for k, name in enumerate(BINARY)))]

    made = program("operations", {"a": (3,), "b": (2,)}, {"y": (len(UNARY) + len(BINARY),)}, run)
    f = jax.jit(replay(made))
    for a in [(0.3, 0.7, -0.4), (1.0, 0.0, -2.5), (-0.0, 5.0, 5.5)]:
        for b in [(0.7, -0.4), (0.0, 2.0), (5.0, 5.5)]:
            found = f([jax.numpy.float64(x) for x in (*a, *b)])
            np.testing.assert_allclose(np.array(found), reference(made, a, b)[0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("given", "problem", "told"),
    [
        (STATE[:2], TypeError, "takes q, qd, qdd: 2 arguments"),
        ((*STATE[:2], [1.0, 2, 3]), ValueError, r"'qdd' has the shape \(3,\): expected \(2,\)"),
        (np.ones((3, 5, 2)), ValueError, "use jax.vmap"),
        ((*STATE[:2], [1j, 2j]), ValueError, "expected real numbers"),
        ((*STATE[:2], [True, False]), ValueError, "expected real numbers"),
    ],
)
def test_wrong_calls_are_told(given: object, problem: type[Exception], told: str) -> None:
    with pytest.raises(problem, match=told):
        lp.catalog.two_link().jax("inverse_dynamics")(*given)


def test_what_cannot_be_had_is_refused() -> None:
    with pytest.raises(ValueError, match="not a compiled quantity"):
        lp.catalog.two_link().jax("inverse")


@pytest.mark.parametrize("documented", [lp.Robot.jax, jax_function])
def test_examples(documented: object) -> None:
    """Doctest leaves these out, as JAX need not be there."""
    text = inspect.getdoc(documented).replace("# doctest: +SKIP", "")
    examples = doctest.DocTestParser().get_doctest(text, dict(vars(module)), "examples", None, None)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0
