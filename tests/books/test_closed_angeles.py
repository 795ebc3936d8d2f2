"""The objects of the natural orthogonal complement of robots with loops: by the equations that they fulfil, and against
what the closed robot computes by other formulations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from book_checks import ask, base_motion, close, times, transposed

import loadpath as lp
from closed.cases import states

# Made once: what is found about a closed robot (its home, its freedoms) takes time.
CASES: dict[str, lp.ClosedRobot] = {}


def robot_of(name: str) -> lp.ClosedRobot:
    if name not in CASES:
        CASES[name] = {
            "four bar": lp.catalog.four_bar,
            "slider crank": lp.catalog.slider_crank,
            "coupling": lambda: lp.catalog.random_chain(4, 2, ["revolute", "prismatic"], general=True, drives=True)
            .with_coupling({"joint1": 1.0, "joint4": -0.5}),
            "mimic": with_follower,
            "free": lambda: lp.catalog.four_bar().floating(),
        }[name]()
    return CASES[name]


def with_follower() -> lp.ClosedRobot:
    """A joint that mimics another, in a tree with a coupling."""
    tree = lp.catalog.random_chain(4, 5, "revolute", general=True, drives=True)
    joints = tuple(
        lp.Joint(**{**vars_of(joint), "mimic": lp.Mimic("joint1", -0.7, 0.1)}) if joint.name == "joint3" else joint
        for joint in tree.joints
    )
    return lp.Robot(tree.name, tree.links, joints).with_coupling({"joint1": 1.0, "joint4": 2.0})


def vars_of(joint: lp.Joint) -> dict[str, Any]:
    names = ("name", "parent", "child", "motion", "origin", "link_offset", "viscous_friction", "coulomb_friction",
             "rotor_inertia", "gear_ratio", "limits")
    return {name: getattr(joint, name) for name in names}


def state_of(robot: lp.ClosedRobot, count: int = 2) -> tuple[np.ndarray, ...]:
    """States of the closed robot near its home, by kinematics of the tests' own."""
    return states(robot, count)


NAMES = [*("four bar", "mimic"), *(pytest.param(name, marks=pytest.mark.slow)
                                   for name in ("slider crank", "coupling", "free"))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("loaded", [False, True])
def test_the_equations_of_the_source_hold(name: str, loaded: bool) -> None:
    robot = robot_of(name)
    book = robot.books.angeles
    q, qd, qdd = state_of(robot)
    loads: dict[str, Any] = {}
    if loaded:
        loads = {"external": {robot.link_names[-1]: lp.Wrench((3.0, -2.0, 5.0), (1.0, 2.0, -1.0))}, **base_motion()}
    K, T, M = (ask(book, letter, q) for letter in "KTM")
    close(K @ T, np.zeros((len(q), K.shape[1], robot.mobility)), 1e-11, 1.0)
    close(times(T, qd[:, list(robot.split.independent)]), ask(book, "t", q, qd), 1e-11)
    w_C, w_A, tau = (ask(book, letter, q, qd, qdd, **loads) for letter in ("w_C", "w_A", "tau"))
    w_D = ask(book, "w_D", q, qd)
    size = float(np.abs(w_C).max() + np.abs(w_A).max())
    close(times(transposed(T), w_C), np.zeros((len(q), robot.mobility)), 1e-10, size)
    close(tau, robot.inverse_dynamics.uncompiled(q, qd, qdd, **loads), 1e-10, size)
    # (7.48): the links in equilibrium
    t_dot = ask(book, "t_dot", q, qd, qdd, **{key: loads[key] for key in loads if key != "external"})
    velocity = {key: loads[key] for key in loads if key == "base_velocity"}
    W, t = (ask(book, letter, q, qd, **velocity) for letter in "Wt")
    left = times(M, t_dot) + times(W, times(M, t)) - w_A - w_D - book.w_G() - w_C
    if loaded:
        link, c = robot.links[-1], np.array(robot.links[-1].inertia.center_of_mass)
        assert link.inertia.mass
        R = robot.link_poses.uncompiled(q)[:, -1, :3, :3]
        arm = times(R, np.broadcast_to(c, (len(q), 3)))
        left[:, -6:-3] -= np.array([1.0, 2.0, -1.0]) - np.cross(arm, [3.0, -2.0, 5.0])
        left[:, -3:] -= [3.0, -2.0, 5.0]
    close(left, np.zeros_like(left), 1e-10, size)


@pytest.mark.parametrize("name", NAMES)
def test_matrices_and_multipliers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = robot_of(name)
    book = robot.books.angeles
    q, qd, qdd = state_of(robot)
    inertia, C, T, T_dot = ask(book, "I", q), ask(book, "C", q, qd), ask(book, "T", q), ask(book, "T_dot", q, qd)
    close(transposed(T) @ ask(book, "M", q) @ T, inertia, 1e-11)
    if all(not any(joint.rotor_inertia) for joint in robot.joints):
        close(inertia, robot.driven_mass_matrix.uncompiled(q), 1e-10)
    # I thetaddot_I = C thetadot_I + T_loop^T tau + gamma + delta + J^T w, less the rotors
    own = list(robot.split.independent)
    tau = ask(book, "tau", q, qd, qdd)
    loop = robot.complement.uncompiled(q)
    still = robot.tree.without_friction()
    rotors = still.inverse_dynamics.uncompiled(q, qd, qdd) - still.without_rotors().inverse_dynamics.uncompiled(
        q, qd, qdd
    )
    right = times(C, qd[:, own]) + times(transposed(loop), tau - rotors) + ask(book, "gamma", q)
    right += ask(book, "delta", q, qd)
    close(times(inertia, qdd[:, own]), right, 1e-8, float(np.abs(right).max() + np.abs(tau).max()))
    h = 1e-6
    after, before = (robot.integrate.uncompiled(q, s * h * qd + 0.5 * h * h * qdd) for s in (1, -1))
    close(T_dot, (ask(book, "T", after, strict=False) - ask(book, "T", before, strict=False)) / (2 * h), 1e-6, 1.0)
    # lambda of w_C, and w_C from it
    monkeypatch.setattr("loadpath.engine.method.warn", lambda *_: None)
    monkeypatch.setattr(type(book.w_C.quantity), "compiles", lambda *_: False)
    lam, w_C = book.multipliers(q, qd, qdd), ask(book, "w_C", q, qd, qdd)
    close(times(transposed(ask(book, "K", q)), lam), w_C, 1e-10)
    assert lam.shape == (len(q), ask(book, "K", q).shape[1])
    broken = q.copy()
    broken[0] = np.nan
    some = book.multipliers(broken, qd, qdd, strict=False)
    assert np.isnan(some[0]).all()
    close(some[1], lam[1], 1e-10)


def test_states_that_are_none_of_the_closed_robot_are_refused() -> None:
    bar = robot_of("four bar")
    with pytest.raises(
        ValueError, match=r"the loops of .four_bar. are open .* robot\.books\.angeles\.T\(\.\.\., st"
    ):
        ask(bar.books.angeles, "T", bar.home + 0.1)
    with pytest.raises(lp.ModelError, match=r"noninertial is refused: .* robot\.floating\(\)\.books\.angeles"):
        _ = bar.books.angeles.noninertial
    with pytest.raises(lp.ModelError, match=r"has loops, .* robot\.tree\.books\.lecture"):
        _ = bar.books.lecture
    assert bar.tree.books.lecture.J().shape == (3, 4, 4)
    assert "robot.tree.books.lecture" in repr(bar.books)
    undriven = bar.with_driven("coupler_joint") if "coupler_joint" in bar.dof_names else bar
    assert undriven.books.angeles.independent == undriven.independent


def test_multipliers_of_a_motion_are_those_of_its_states() -> None:
    book = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0}).books.angeles
    t = np.linspace(0.0, 1.0, 5)
    q, qd, qdd = (0.3 * wave[:, None] * (1, -1) for wave in (np.sin(t), np.cos(t), -np.sin(t)))
    of_states = book.multipliers(q, qd, qdd)
    np.testing.assert_array_equal(book.multipliers(lp.Motion(t, q, qd, qdd)), of_states)
    wrenches = np.einsum("trb,tr->tb", book.K(q), of_states)
    np.testing.assert_allclose(wrenches, book.w_C(q, qd, qdd), atol=1e-12)
    for given in ((q,), (q, qd)):
        with pytest.raises(TypeError, match=r"w_C needs .*qdd as well"):
            book.multipliers(*given)


def test_multipliers_count_what_acts_from_outside() -> None:
    """K^T lambda = w_C under a wrench on the hand as well, of a coupled arm, where lambda is another one."""
    arm = lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": 1.0})
    book, state = arm.books.angeles, ([0.2, -0.2], [0.3, -0.3], [0.0, 0.0])
    load = {"external": {"link2": lp.Wrench((3.0, -2.0, 5.0), (1.0, 2.0, -1.0))}}
    K = np.asarray(book.K(state[0]))
    found = {loaded: np.asarray(book.multipliers(*state, **load if loaded else {})) for loaded in (False, True)}
    for loaded, lam in found.items():
        np.testing.assert_allclose(K.T @ lam, book.w_C(*state, **load if loaded else {}), atol=1e-10)
    assert np.abs(found[True] - found[False]).max() > 1.0
