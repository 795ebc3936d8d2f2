"""Virtual power: what the drives give is the rate of energy, what friction takes, less what external wrenches give, to
1e-11; and loops that are cut and held by the computed wrenches from outside: the open tree takes the same forces.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.cases import CATALOG, ask, catalog, on_links, random_closed, reference, state
from closed.plane_linkages import random_linkage

TOLERANCE = 1e-11
CASES = {
    **{name: lambda name=name: catalog(name) for name in CATALOG},
    **{f"spatial {seed}": lambda seed=seed: random_closed(seed) for seed in (0, 4, 8)},
    **{f"linkage {seed}": lambda seed=seed: random_linkage(seed) for seed in range(2)},
}


def pushed(robot, seed):
    """Random wrenches on all moving links, as pairs and as `lp.Wrench`."""
    rng = np.random.default_rng(seed)
    push = {link: rng.normal(size=(2, 3)) for link in robot.link_names[1:]}
    return push, {link: lp.Wrench(force=both[0], torque=both[1]) for link, both in push.items()}


@pytest.mark.parametrize("name", CASES)
def test_power_of_the_drives_is_rate_of_energy_less_external_power(name):
    robot = CASES[name]()
    model = reference(robot)
    q, qd, qdd = state(robot, 1)
    push, external = pushed(robot, 1)
    tau = ask(robot, "inverse_dynamics", q, qd, qdd, external=external)
    bodies = model.bodies(model.polynomials(q, qd, qdd))
    given = sum(force @ bodies[link].v + torque @ bodies[link].omega for link, (force, torque) in push.items())
    lost = model.drive_losses(qd) @ qd
    parts = np.array([tau @ qd, model.power(q, qd, qdd), lost, given])
    size = max(1.0, abs(tau * qd).max(), abs(parts).max())
    assert abs(parts[0] - parts[1] - parts[2] + parts[3]) < TOLERANCE * size


@pytest.mark.parametrize("name", CASES)
def test_a_loop_that_is_cut_and_held_from_outside_is_an_open_tree_with_the_same_forces(name):
    robot = CASES[name]()
    q, qd, qdd = state(robot, 1)
    tau = ask(robot, "inverse_dynamics", q, qd, qdd)
    wrenches = ask(robot, "joint_wrenches", q, qd, qdd)
    held = on_links(robot, q, robot.loop_names, wrenches)
    size = max(1.0, abs(wrenches.force).max(), abs(wrenches.torque).max())
    cut = ask(robot.tree, "inverse_dynamics", q, qd, qdd, external=held)
    np.testing.assert_allclose(cut, tau, rtol=0, atol=TOLERANCE * size)
    of_tree = ask(robot.tree, "joint_wrenches", q, qd, qdd, external=held)
    count = len(robot.joints)
    np.testing.assert_allclose(of_tree.force, wrenches.force[:count], rtol=0, atol=TOLERANCE * size)
    np.testing.assert_allclose(of_tree.torque, wrenches.torque[:count], rtol=0, atol=TOLERANCE * size)
