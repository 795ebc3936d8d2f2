"""Derivatives of closed chains: central differences along completed states, trees in which a joint mimics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from closed.cases import State, catalog, state

Array = np.ndarray
STEP = 2e-4


def moved(robot: lp.Robot, at: State, number: int, column: int, by: float) -> State:
    """The state in which one independent coordinate, speed or acceleration is another, the dependent ones following."""
    q, *rates = at
    own = list(robot.split.independent)
    speeds, accelerations = (rate[own].copy() for rate in rates)
    if number == 0:
        place = robot.coordinate_names.index(robot.independent[column])
        q = q.copy()
        q[place] += by
        held = {name: q[robot.coordinate_names.index(name)] for name in robot.independent}
        q = np.asarray(robot.assemble(held, near=at[0]).q)
    else:
        (speeds, accelerations)[number - 1][column] += by
    names = robot.independent
    return q, *robot.complete(q, dict(zip(names, speeds, strict=True)), dict(zip(names, accelerations, strict=True)))


def differences(robot: lp.Robot, at: State, number: int, of: Callable[..., Array]) -> Array:
    """Fourth-order central differences of a function of states, a column for each freedom. By speeds and accelerations
    they are exact at any step, as forces are no more than quadratic in them: a longer one rounds less.
    """
    columns, length = [], STEP if number == 0 else 50 * STEP
    for k in range(robot.mobility):
        values = [of(*moved(robot, at, number, k, step * length)) for step in (-2, -1, 1, 2)]
        columns.append((values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * length))
    return np.array(columns).T


def close(found: Array, wanted: Array, within: float = 1e-9) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=within * max(1.0, np.abs(wanted).max()))


def rubbed(robot: lp.Robot) -> lp.Robot:
    """With friction and rotors at all joints, passive ones too."""
    joints = (joint if joint.motion.dof != 1 else replace(joint, viscous_friction=0.3, rotor_inertia=0.02)
              for joint in robot.joints)
    return replace(robot, joints=tuple(joints))


BAR = rubbed(catalog("four_bar"))
BASE = {"base_velocity": [0.1, -0.2, 0.3, 0.2, 0.1, -0.3], "base_acceleration": [0.5, 0.4, -0.3, 0.2, -0.6, 0.1]}
PUSH = {"external": {"coupler": lp.Wrench(force=(3.0, -5.0, 1.0), torque=(0.1, 0.2, 0.4))}}
REDUNDANT = BAR.with_driven("crank_joint", "rocker_joint")


@pytest.mark.parametrize(("robot", "options"), [
    (BAR, {}),
    (BAR, PUSH | BASE),
    (catalog("slider_crank"), {}),
    (catalog("five_bar"), BASE),
    (REDUNDANT, {}),
    (REDUNDANT, {"weights": [1.0, 3.0], "preload": [0.5, -0.2]}),
    pytest.param(catalog("excavator"), {}, marks=pytest.mark.slow),
    pytest.param(catalog("delta"), {}, marks=pytest.mark.slow),  # balls and quaternions
    pytest.param(catalog("stewart_platform"), {}, marks=pytest.mark.slow),
])
def test_derivatives_of_the_drives_forces_are_differences_along_completed_states(
    robot: lp.Robot, options: dict[str, Any]
) -> None:
    at = state(robot, 3)
    found = robot.inverse_dynamics_derivatives(*at, **options)
    for number, part in enumerate(found):
        assert part.shape == (robot.n, robot.mobility)
        close(part, differences(robot, at, number, lambda *x: robot.inverse_dynamics(*x, **options)))
        assert not part[[k for k in range(robot.n) if k not in robot.split.driven]].any()


@pytest.mark.parametrize(("robot", "options"), [
    (BAR, {}),
    (BAR, PUSH | BASE),
    (catalog("five_bar"), {}),
    (REDUNDANT, {}),
    pytest.param(catalog("delta"), {}, marks=pytest.mark.slow),
])
def test_derivatives_of_the_accelerations_are_differences_along_completed_states(
    robot: lp.Robot, options: dict[str, Any]
) -> None:
    at = state(robot, 3)
    tau = np.random.default_rng(4).normal(size=robot.n)  # at passive joints too: springs
    found = robot.forward_dynamics_derivatives(*at[:2], tau, **options)
    for number, part in enumerate(found[:2]):
        wanted = differences(robot, at, number, lambda q, qd, _: robot.forward_dynamics(q, qd, tau, **options))
        close(part, wanted)
    pairs = [[robot.forward_dynamics(*at[:2], tau + sign * unit, **options) for sign in (1, -1)]
             for unit in np.eye(robot.n)]
    close(found.tau, np.array([(one - other) / 2 for one, other in pairs]).T)
    close(found.tau, found.tau.T)


def test_derivatives_by_inertial_parameters_are_those_of_other_robots() -> None:
    at, tau = state(BAR, 5), np.array([2.0, 0.3, -0.1])
    found = BAR.forward_dynamics_parameter_derivatives(*at[:2], tau)
    link = BAR.link_names.index("coupler")
    inertia = BAR.link("coupler").inertia

    def accelerations(mass: float) -> Array:
        other = lp.Inertia(mass, inertia.center_of_mass, inertia.tensor)  # more mass at the center
        links = tuple(replace(own, inertia=other) if own.name == "coupler" else own for own in BAR.links)
        return np.asarray(replace(BAR, links=links).forward_dynamics.uncompiled(*at[:2], tau))

    h = 1e-3
    near, far = (accelerations(inertia.mass + h) - accelerations(inertia.mass - h),
                 accelerations(inertia.mass + 2 * h) - accelerations(inertia.mass - 2 * h))
    x, y, z = inertia.center_of_mass
    point = [1.0, x, y, z, y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y]
    close(found[:, 10 * link : 10 * link + 10] @ point, (8 * near - far) / (12 * h))


def test_a_coupling_has_the_derivatives_of_the_tree_in_which_the_joint_mimics() -> None:
    arm = rubbed(lp.catalog.random_chain(3, 7))
    last = replace(arm.joints[2], mimic=lp.Mimic(arm.joints[0].name, -1.5, 0.0))
    mimicking = replace(arm, joints=(*arm.joints[:2], last, *arm.joints[3:]))
    first, second, third = arm.dof_names
    coupled = arm.with_coupling({first: 1.5, third: 1.0}).with_driven(first, second)
    along = np.array([[1.0, 0.0], [0.0, 1.0], [-1.5, 0.0]])
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 5, 2))
    for one, other in zip(coupled.inverse_dynamics_derivatives(q @ along.T, qd @ along.T, qdd @ along.T),
                          mimicking.inverse_dynamics_derivatives(q, qd, qdd), strict=True):
        close(one[:, :2], other, 1e-12)
    tau = np.random.default_rng(3).normal(size=(5, 2))
    there = mimicking.forward_dynamics_derivatives(q, qd, tau)
    given = q @ along.T, qd @ along.T, np.concatenate([tau, np.zeros((5, 1))], axis=1)
    found = coupled.forward_dynamics_derivatives(*given)
    for one, other in zip(found[:2], there[:2], strict=True):
        close(one, along @ other, 1e-12)
    close(found.tau, along @ there.tau @ along.T, 1e-12)
    by_parameters = coupled.forward_dynamics_parameter_derivatives(*given)
    close(by_parameters, along @ mimicking.forward_dynamics_parameter_derivatives(q, qd, tau), 1e-12)
