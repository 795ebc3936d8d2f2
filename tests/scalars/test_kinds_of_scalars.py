"""One set of equations, run on every kind of scalar: all kinds agree."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import loadpath as lp
from loadpath.algorithms import energy
from loadpath.algorithms.loops import reactions
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.mechanism import plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from loadpath.scalars import Counter, array
from on_scalars import entries, on_arrays, on_symbols
from references.to_pinocchio import random_state

ROBOT = lp.catalog.random_tree(11, 71, "all", general=True, drives=True)
QUANTITIES = {
    "inverse_dynamics": (newton_euler.inverse_dynamics, reduced, 3),
    "joint_wrenches": (reactions.joint_wrenches, reframed, 3),
    "gravity_forces": (newton_euler.gravity_forces, reduced, 1),
    "link_poses": (kinematics.link_poses, plain, 1),
    "kinetic_energy": (energy.kinetic_energy, reframed, 2),
    "potential_energy": (energy.potential_energy, reframed, 1),
}


def flat(result: object) -> np.ndarray:
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part).astype(float) for part in parts])


@pytest.mark.parametrize("name", QUANTITIES)
def test_floats_batches_symbols_and_counting_agree(name: str) -> None:
    formulation, frames, count = QUANTITIES[name]
    mechanism = frames(ROBOT)
    rng = np.random.default_rng(1)
    states = [random_state(ROBOT, rng)[:count] for _ in range(3)]
    on_floats = [flat(on_arrays(formulation, mechanism, *state)) for state in states]
    scale = np.abs(on_floats).max()

    stacked = [np.array(part) for part in zip(*states, strict=True)]
    batches = on_arrays(formulation, mechanism, *stacked)
    for k in range(3):
        row = tuple(part[k] for part in batches) if isinstance(batches, tuple) else batches[k]
        np.testing.assert_allclose(flat(row), on_floats[k], rtol=0, atol=1e-14 * scale)

    in_two_axes = on_arrays(formulation, mechanism, *(part[:, None] for part in stacked))
    first = in_two_axes[0] if isinstance(in_two_axes, tuple) else in_two_axes
    assert first.shape[:2] == (3, 1)

    symbols = on_symbols(formulation, mechanism, *states[0])
    np.testing.assert_allclose(symbols, on_floats[0], rtol=0, atol=1e-13 * scale)

    counter = Counter()
    counted = formulation(mechanism, *(array([counter.scalar(x) for x in part]) for part in states[0]))
    np.testing.assert_allclose(flat(counted), on_floats[0], rtol=0, atol=1e-14 * scale)
    assert counter.multiplications > 0
    assert counter.additions > 0

    method = getattr(lp.Robot, name)
    assert method.formulations["newton-euler"].formulation is formulation  # it is what users call


def test_counting_and_tracing_count_alike_up_to_what_tracing_shares() -> None:
    """A trace shares common subexpressions, so it never has more operations than were counted."""
    robot = lp.catalog.random_dh_arm(4, 1)
    counter = Counter()
    state = (array([counter.scalar(x) for x in part]) for part in random_state(robot, np.random.default_rng(2)))
    newton_euler.inverse_dynamics(reduced(robot), *state)
    traced = robot.operation_count("inverse_dynamics")
    assert traced.multiplications <= counter.multiplications <= 1.3 * traced.multiplications
    assert traced.additions <= counter.additions <= 1.3 * traced.additions
    assert counter.functions == 8
    assert traced.functions == 6  # gravity is along the first axis: the first angle does not matter


# SymPy


def sympy_state(robot: RobotModel) -> list[np.ndarray]:
    names = ("q", "w", "a")
    sizes = (robot.nq, robot.n, robot.n)
    return [array(list(sympy.symbols(f"{name}1:{size + 1}"))) for name, size in zip(names, sizes, strict=True)]


def same(found: object, expected: object) -> bool:
    """Equal as expressions, up to rounding of their coefficients."""
    difference = sympy.expand(sympy.expand_trig(sympy.expand(sympy.nsimplify(found - expected, rational=True))))
    return sympy.simplify(difference) == 0


def test_sympy_derives_the_two_link_arm() -> None:
    """(21)-(23) of the course notes: D, C and G of two point masses of 1 kg on links of 1 m."""
    robot = lp.catalog.two_link(1, 1, 1, 1)
    q, qd, qdd = sympy_state(robot)
    tau = newton_euler.inverse_dynamics(plain(robot), q, qd, qdd)
    (q1, q2), (w1, w2), (a1, a2) = q, qd, qdd
    s1, s2, c2, s12 = sympy.sin(q1), sympy.sin(q2), sympy.cos(q2), sympy.sin(q1 + q2)
    g = sympy.Rational(98, 10)
    first = (3 + 2 * c2) * a1 + (1 + c2) * a2 - s2 * (2 * w1 * w2 + w2**2) + g * (2 * s1 + s12)
    second = (1 + c2) * a1 + a2 + s2 * w1**2 + g * s12
    assert same(tau[0], first)
    assert same(tau[1], second)


def test_sympy_agrees_with_floats_on_reduced_frames() -> None:
    robot = lp.catalog.random_chain(2, 72, ["revolute", "prismatic"], general=True)
    symbols = sympy_state(robot)
    tau = newton_euler.inverse_dynamics(reduced(robot), *symbols)
    state = random_state(robot, np.random.default_rng(3))
    values = {
        str(s): float(x) for symbol, part in zip(symbols, state, strict=True) for s, x in zip(symbol, part, strict=True)
    }
    found = [float(entry.subs(values)) for entry in tau]
    np.testing.assert_allclose(found, on_arrays(newton_euler.inverse_dynamics, reduced(robot), *state), rtol=1e-12)


def test_constants_may_be_symbols_too() -> None:
    """The mass of a pendulum as a symbol: the equations do not ask what a constant is."""
    from dataclasses import replace

    robot = lp.catalog.planar(1, length=1.0, mass=1.0)
    mechanism = plain(robot)
    m, r = sympy.symbols("m r")
    body = replace(
        mechanism.bodies[0],
        mass=m,
        moment=array([m * r, 0.0, 0.0]),
        inertia=array([[0.0, 0.0, 0.0], [0.0, m * r**2, 0.0], [0.0, 0.0, m * r**2]]),
    )
    pendulum = replace(mechanism, bodies=(body, *mechanism.bodies[1:]))
    q, qd, qdd = sympy_state(robot)
    tau = newton_euler.inverse_dynamics(pendulum, q, qd, qdd)
    assert same(tau[0], m * r**2 * qdd[0] + sympy.Rational(981, 100) * m * r * sympy.cos(q[0]))


def test_entries_of_a_batch_are_never_looked_into() -> None:
    """A batch as long as a vector is the trap: (3,) must stay one scalar."""
    robot = lp.catalog.random_chain(3, 73, "revolute")
    states = [random_state(robot, np.random.default_rng(k)) for k in range(3)]
    stacked = [np.array(part) for part in zip(*states, strict=True)]
    assert entries(stacked[0])[0].shape == (3,)
    found = on_arrays(newton_euler.inverse_dynamics, reduced(robot), *stacked)
    expected = [on_arrays(newton_euler.inverse_dynamics, reduced(robot), *state) for state in states]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_jax_arrays_are_scalars_that_can_be_differentiated() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install loadpath[jax]")
    robot = lp.catalog.random_chain(4, 3, ["revolute", "prismatic", "spherical", "universal"], general=True)
    mechanism = reduced(robot)
    q, qd, qdd = random_state(robot, np.random.default_rng(2))

    def tau(*state: object) -> object:
        arrays = [array(list(part)) for part in state]  # type: ignore[call-overload]
        return jax.numpy.stack(list(newton_euler.inverse_dynamics(mechanism, *arrays)))

    expected = on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd)
    with jax.enable_x64(True):
        state = [jax.numpy.asarray(part) for part in (q, qd, qdd)]
        np.testing.assert_allclose(tau(*state), expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(jax.jit(tau)(*state), expected, rtol=1e-12, atol=1e-12)
        by_qdd = jax.jacfwd(tau, argnums=2)(*state)
        np.testing.assert_allclose(by_qdd, robot.mass_matrix(q), rtol=1e-10, atol=1e-12)
