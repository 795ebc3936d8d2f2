"""Mass matrix, forward dynamics, Coriolis matrix, momentum and derivatives: against Pinocchio, against exact
derivatives by complex steps, and against each other, for every joint type."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import loadpath as lp
from engine.programs import reference
from loadpath.algorithms import articulated_body, composite_body, coriolis, momentum, regressor, state_space
from loadpath.algorithms.movable import check_movable
from loadpath.engine.arguments import Variant
from loadpath.formulations import newton_euler
from loadpath.mechanics import kinematics
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced, reframed
from on_scalars import applied
from on_scalars import on_arrays as on_batches
from real_robots import REAL_ROBOTS, REFUSED
from references.to_pinocchio import random_state, to_pinocchio

TOLERANCE = 1e-10
STEP = 1e-30  # of complex differentiation: exact to rounding, since nothing is subtracted


def robots() -> dict[str, lp.Robot]:
    found = {
        "panda": lp.catalog.panda(),
        "stanford": lp.catalog.stanford_arm(),
        "chain": lp.catalog.random_chain(9, 1, "all", general=True, drives=True),
        "tree": lp.catalog.random_tree(12, 1, "all", general=True, drives=True),
        "floating": lp.catalog.random_tree(7, 3, general=True).floating(),
        "long chain": lp.catalog.random_chain(16, 4, drives=True),
        "one joint": lp.catalog.random_chain(1, 5),
    }
    tree = lp.catalog.random_tree(10, 6, general=True, drives=True)
    first, *_, last = (joint for joint in tree.joints if joint.motion.dof == 1)
    joints = [replace(j, mimic=lp.Mimic(first.name, -1.4, 0.2)) if j is last else j for j in tree.joints]
    found["mimic"] = replace(tree, joints=tuple(joints))
    # A jump of the force at zero speed has no derivative there, and no complex continuation.
    return {
        name: replace(r, joints=tuple(replace(j, coulomb_friction=0.0) for j in r.joints)) for name, r in found.items()
    }


ROBOTS = robots()


def on_arrays(formulation, mechanism, *arrays, **options):
    """A formulation on one state, which may be complex: a batch of one."""
    result = on_batches(formulation, mechanism, *(np.asarray(a)[None] for a in arrays), **options)
    return tuple(part[0] for part in result) if isinstance(result, tuple) else result[0]


def near(found: object, expected: object, tolerance: float = TOLERANCE) -> None:
    expected = np.asarray(expected, dtype=float)
    scale = float(np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(np.asarray(found, dtype=float), expected, rtol=0, atol=tolerance * max(scale, 1e-6))


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest) -> lp.Robot:
    return ROBOTS[request.param]


@pytest.fixture
def state(robot: lp.Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return random_state(robot, np.random.default_rng(7))


def along(robot: lp.Robot, q: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """q moved by an infinitesimal, imaginary time with these speeds."""
    return q + 1j * STEP * on_arrays(state_space.coordinate_rate, plain(robot), q, speeds)


def derivative(values: np.ndarray) -> np.ndarray:
    return values.imag / STEP


def evaluate(robot: lp.Robot, name: str, *arrays: np.ndarray, **options: object) -> list[np.ndarray]:
    """A compiled quantity's program, evaluated by CasADi instead of machine code."""
    program = getattr(lp.Robot, name).program(robot, Variant(**options))
    return reference(program, *arrays)


def test_mass_matrix(robot, state):
    q = state[0]
    M = on_arrays(composite_body.mass_matrix, reduced(robot), q)
    near(M, to_pinocchio(robot).mass_matrix(q))
    assert np.array_equal(M, M.T)
    near(on_arrays(composite_body.mass_matrix_inverse, reduced(robot), q) @ M, np.eye(robot.n), 1e-8)


def test_both_routes_to_forward_dynamics(robot, state):
    q, qd, tau = state
    expected = to_pinocchio(robot).forward_dynamics(q, qd, tau)
    near(on_arrays(composite_body.forward_dynamics, reduced(robot), q, qd, tau), expected, 1e-9)
    near(on_arrays(state_space.forward_dynamics, reduced(robot), q, qd, tau), expected, 1e-9)
    if all(joint.mimic is None for joint in robot.joints):
        near(on_arrays(articulated_body.forward_dynamics, reduced(robot), q, qd, tau), expected, 1e-9)


def test_external_wrenches_act_in_forward_dynamics(robot, state):
    q, qd, qdd = state
    rng = np.random.default_rng(3)
    links = rng.choice(robot.link_names, size=min(2, len(robot.links)), replace=False)
    external = {link: applied(*rng.normal(size=(2, 3)), bool(k)) for k, link in enumerate(links)}
    mechanism = reduced(robot)
    tau = on_arrays(newton_euler.inverse_dynamics, mechanism, q, qd, qdd, external=external)
    near(on_arrays(composite_body.forward_dynamics, mechanism, q, qd, tau, external=external), qdd, 1e-8)
    if all(joint.mimic is None for joint in robot.joints):
        near(on_arrays(articulated_body.forward_dynamics, mechanism, q, qd, tau, external=external), qdd, 1e-8)
    assert not np.allclose(on_arrays(composite_body.forward_dynamics, mechanism, q, qd, tau), qdd)


def test_coriolis_matrix(robot, state):
    q, qd, _ = state
    mechanism, bare = reduced(robot), reduced(robot.without_friction())
    C = on_arrays(coriolis.coriolis_matrix, mechanism, q, qd)
    still = np.zeros(robot.n)
    forces = on_arrays(newton_euler.inverse_dynamics, bare, q, qd, still)
    near(C @ qd, forces - on_arrays(newton_euler.gravity_forces, bare, q))
    rate = derivative(on_arrays(composite_body.mass_matrix, mechanism, along(robot, q, qd)))
    near(rate, C + C.T)  # dM/dt - 2 C is skew
    if robot.n == robot.nq:  # then C is that of the Christoffel symbols, half the derivative of C qd by qd
        for k, unit in enumerate(np.eye(robot.n)):
            moved = on_arrays(newton_euler.inverse_dynamics, bare, q, qd + 1j * STEP * unit, still)
            near(2 * C[:, k], derivative(moved))


def test_momentum_and_mass_center(robot, state):
    q, qd, _ = state
    free = robot.floating() if not any(isinstance(j.motion, lp.Free) for j in robot.joints) else robot
    q, qd, _ = random_state(free, np.random.default_rng(1))
    peer, mechanism = to_pinocchio(free), reframed(free)
    pin.ccrba(peer.model, peer.data, peer.q(q), peer.v(qd))
    near(on_arrays(momentum.momentum_matrix, mechanism, q), peer.data.Ag @ peer.speeds)
    linear, angular = on_arrays(momentum.momentum, mechanism, q, qd)
    near(np.concatenate([linear, angular]), peer.data.hg.vector)
    near(on_arrays(momentum.center_of_mass, mechanism, q), pin.centerOfMass(peer.model, peer.data, peer.q(q)))


def test_regressor(robot, state):
    parameters = []
    for link in robot.links:
        tensor = link.inertia.at_origin()
        entries = tensor[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        parameters += [link.inertia.mass, *link.inertia.first_moment, *entries]
    Y = on_arrays(regressor.regressor, plain(robot), *state)
    bare = robot.without_friction().without_rotors()
    near(Y @ parameters, on_arrays(newton_euler.inverse_dynamics, reduced(bare), *state))
    drives = on_arrays(regressor.drive_regressor, plain(robot), state[1], state[2])
    own = [joint for joint in robot.joints if joint.mimic is None]
    if len(own) == len(robot.joints):
        values = [x for part in ("viscous_friction", "coulomb_friction", "reflected_inertia") for j in own
                  for x in getattr(j, part)]
        everything = on_arrays(newton_euler.inverse_dynamics, reduced(robot), *state)
        near(Y @ parameters + drives @ values, everything)


def test_derivatives_of_inverse_dynamics(robot, state):
    q, qd, qdd = state
    by_q, by_qd, by_qdd = evaluate(robot, "inverse_dynamics_derivatives", q, qd, qdd)
    mechanism = reduced(robot)
    for k, unit in enumerate(np.eye(robot.n)):
        near(
            by_q[:, k], derivative(on_arrays(newton_euler.inverse_dynamics, mechanism, along(robot, q, unit), qd, qdd))
        )
        faster = qd + 1j * STEP * unit
        near(by_qd[:, k], derivative(on_arrays(newton_euler.inverse_dynamics, mechanism, q, faster, qdd)))
    near(by_qdd, on_arrays(composite_body.mass_matrix, mechanism, q))


def test_derivatives_of_forward_dynamics(robot, state):
    q, qd, tau = state
    by_q, by_qd, by_tau = evaluate(robot, "forward_dynamics_derivatives", q, qd, tau)
    mechanism = reduced(robot)
    for k, unit in enumerate(np.eye(robot.n)):
        moved = on_arrays(composite_body.forward_dynamics, mechanism, along(robot, q, unit), qd, tau)
        near(by_q[:, k], derivative(moved), 1e-8)
        faster = on_arrays(composite_body.forward_dynamics, mechanism, q, qd + 1j * STEP * unit, tau)
        near(by_qd[:, k], derivative(faster), 1e-8)
        stronger = on_arrays(composite_body.forward_dynamics, mechanism, q, qd, tau + 1j * STEP * unit)
        near(by_tau[:, k], derivative(stronger), 1e-8)


def test_derivatives_against_pinocchio():
    panda = ROBOTS["panda"]
    peer = to_pinocchio(panda.locked({}))
    q, qd, x = random_state(panda, np.random.default_rng(2))
    arguments = peer.model, peer.data, peer.q(q), peer.v(qd), peer.v(x)
    S = peer.speeds
    expected = pin.computeRNEADerivatives(*arguments)
    for found, part in zip(panda.inverse_dynamics_derivatives(q, qd, x)[:2], expected[:2], strict=True):
        near(found, S.T @ part @ S)


def test_derivatives_under_external_wrenches():
    robot = ROBOTS["floating"]
    q, qd, qdd = random_state(robot, np.random.default_rng(4))
    wrench = np.random.default_rng(5).normal(size=6)
    link = robot.link_names[-1]
    for in_world in (True, False):
        external = {link: applied(wrench[:3], wrench[3:], in_world)}
        options = {"external": ((link, in_world),)}
        by_q, *_ = evaluate(robot, "inverse_dynamics_derivatives", q, qd, qdd, wrench, **options)
        forward, *_ = evaluate(robot, "forward_dynamics_derivatives", q, qd, qdd, wrench, **options)
        mechanism = reduced(robot)
        for k, unit in enumerate(np.eye(robot.n)):
            moved = along(robot, q, unit), qd, qdd
            near(by_q[:, k], derivative(on_arrays(newton_euler.inverse_dynamics, mechanism, *moved, external=external)))
            other = on_arrays(composite_body.forward_dynamics, mechanism, *moved, external=external)
            near(forward[:, k], derivative(other), 1e-8)


def test_derivatives_by_inertial_parameters():
    robot = lp.catalog.random_chain(3, 8, general=True)
    q, qd, tau = random_state(robot, np.random.default_rng(6))
    found = robot.forward_dynamics_parameter_derivatives(q, qd, tau)
    number, step = 2, 1e-5
    link = robot.links[number]

    def with_more_mass(more: float) -> lp.Robot:
        heavier = lp.Inertia.about_origin(
            link.inertia.mass + more,
            link.inertia.first_moment / (link.inertia.mass + more),  # the same first moment and tensor at the origin
            link.inertia.at_origin(),
        )
        links = [lp.Link(link.name, heavier) if entry is link else entry for entry in robot.links]
        return replace(robot, links=tuple(links))

    up, down = (with_more_mass(sign * step).forward_dynamics(q, qd, tau) for sign in (1, -1))
    near(found[:, 10 * number], (up - down) / (2 * step), 1e-6)


def test_rate_of_the_jacobian(robot, state):
    q, qd, _ = state
    link = robot.link_names[-1]
    (found,) = evaluate(robot, "jacobian_dot", q, qd, link=link)
    near(found, derivative(on_arrays(kinematics.jacobian, plain(robot), along(robot, q, qd), link=link)))


def test_state_derivative(robot, state):
    q, qd, tau = state
    (found,) = evaluate(robot, "state_derivative", np.concatenate([q, qd]), tau)
    near(found[: robot.nq], on_arrays(state_space.coordinate_rate, plain(robot), q, qd))
    near(found[robot.nq :], on_arrays(composite_body.forward_dynamics, reduced(robot), q, qd, tau), 1e-9)


def test_operational_space():
    panda = lp.catalog.panda()
    q = np.array([0.1, 0.4, -0.2, -1.5, 0.3, 1.6, 0.7])
    J, mobility = panda.jacobian(q, "panda_link8"), panda.operational_space_mobility(q)
    near(mobility, J @ np.linalg.inv(panda.mass_matrix(q)) @ J.T, 1e-11)
    near(panda.operational_space_inertia(np.array([q, q]))[1] @ mobility, np.eye(6), 1e-9)
    with pytest.raises(ValueError, match="cannot move in every direction"):
        lp.catalog.two_link().operational_space_inertia([0.1, 0.2])
    with pytest.raises(ValueError, match=r"\(5 speeds move it\)"):
        lp.catalog.random_dh_arm(5, seed=1).operational_space_inertia(np.zeros(5))


NAMES = sorted(REAL_ROBOTS.keys() - REFUSED.keys())


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if k % 3 else []) for k, name in enumerate(NAMES)]
)
def test_real_robots(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        robot = lp.load(REAL_ROBOTS[name])
        robot = robot.floating(name="free") if robot.base.inertia.mass > 0 else robot
    peer, mechanism = to_pinocchio(robot), reduced(robot)
    q, qd, tau = random_state(robot, np.random.default_rng(0))
    near(on_arrays(composite_body.mass_matrix, mechanism, q), peer.mass_matrix(q))
    try:
        check_movable(robot, mechanism)
    except lp.ModelError as refusal:
        assert robot.n and any(link in str(refusal) for link in robot.link_names)
        assert np.linalg.eigvalsh(peer.mass_matrix(q))[0] < 1e-9
        return
    near(on_arrays(state_space.forward_dynamics, mechanism, q, qd, tau), peer.forward_dynamics(q, qd, tau))


def test_external_wrenches_act_in_the_state_derivative():
    arm = lp.catalog.two_link()
    q, qd, tau = np.array([0.3, 0.4]), np.array([0.5, -0.2]), np.array([1.0, 2.0])
    external = {"tip": lp.Wrench(torque=(0.0, 3.0, 0.0))}
    found = arm.state_derivative(np.concatenate([q, qd]), tau, external=external)
    near(found[2:], arm.forward_dynamics(q, qd, tau, external=external))
    assert not np.allclose(found[2:], arm.forward_dynamics(q, qd, tau))
