"""Mixed dynamics: what is known of a motion, by halves, gives the other halves; against Pinocchio and the partitioned
mass matrix; bad names and robots.
"""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from formulation_checks import ROBOTS, deviation
from loadpath.algorithms import mixed_dynamics as mixed
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from on_scalars import entries
from references.to_pinocchio import random_state, to_pinocchio

MOVABLE = {name: robot for name, robot in ROBOTS.items() if robot.n and name != "massless links"}
TREE = lp.catalog.random_tree(4, 3, ["revolute", "prismatic", "spherical"], general=True, drives=True)


def split(robot: lp.Robot, qdd: np.ndarray, tau: np.ndarray, prescribed: np.ndarray) -> dict[str, dict[str, object]]:
    names = np.array(robot.dof_names)
    return {
        "accelerations": {name: qdd[..., k] for k, name in enumerate(names) if prescribed[k]},
        "forces": {name: tau[..., k] for k, name in enumerate(names) if not prescribed[k]},
    }


def batch(robot: lp.Robot, count: int, seed: int = 1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(count)), strict=True)]


@pytest.mark.parametrize("robot", MOVABLE.values(), ids=MOVABLE)
def test_what_is_known_by_halves_against_pinocchio(robot: lp.Robot) -> None:
    """Its torques of a motion, some of them and the other accelerations handed in."""
    peer, rng = to_pinocchio(robot), np.random.default_rng(3)
    q, qd, qdd = batch(robot, 2)
    tau = np.array([peer.inverse_dynamics(*one) for one in zip(q, qd, qdd, strict=True)])
    for _ in range(3):
        given = split(robot, qdd, tau, rng.random(robot.n) < 0.5)
        for formulation in ("newton-euler", "constraint-system"):
            found = robot.mixed_dynamics.uncompiled(q, qd, **given, formulation=formulation)
            assert deviation(found.qdd, qdd) < 1e-9
            assert deviation(found.tau, tau) < 1e-9


def test_the_partition_of_the_mass_matrix() -> None:
    """tau_p, qdd_f by NumPy from Pinocchio's M and bias; all three routes."""
    robot = lp.catalog.random_chain(5, 4, general=True, drives=True)
    peer, (q, qd, _) = to_pinocchio(robot), random_state(robot, np.random.default_rng(2))
    known = np.random.default_rng(5).normal(size=5)
    M, h = peer.mass_matrix(q), peer.inverse_dynamics(q, qd, np.zeros(5))
    for prescribed in ([True, False, True, False, False], [False] * 5, [True] * 5, [False, False, True, True, True]):
        p, f = np.flatnonzero(prescribed), np.flatnonzero(~np.array(prescribed))
        qdd, tau = known.copy(), known.copy()
        qdd[f] = np.linalg.solve(M[np.ix_(f, f)], known[f] - h[f] - M[np.ix_(f, p)] @ known[p])
        tau[p] = M[p] @ qdd + h[p]
        for solve, mechanism in ((mixed.by_partition, reduced), (mixed.by_articulated_bodies, reduced)):
            found = solve(mechanism(robot), entries(q), entries(qd), entries(known), prescribed)
            assert deviation(found[0].astype(float), qdd) < 1e-10
            assert deviation(found[1].astype(float), tau) < 1e-10
        names = tuple(name for name, choice in zip(robot.dof_names, prescribed, strict=True) if choice)
        found = mixed.by_linear_system(plain(robot), entries(q), entries(qd), entries(known), names)
        assert deviation(np.array(found, dtype=float), np.array([qdd, tau])) < 1e-10


@pytest.mark.parametrize("joints", [10, 21])
def test_long_chains_go_by_articulated_bodies(joints: int) -> None:
    robot = lp.catalog.random_chain(joints, 2, ["revolute", "prismatic"], drives=True)
    q, qd, qdd = batch(robot, 2)
    tau = robot.inverse_dynamics.uncompiled(q, qd, qdd)
    for prescribed in (np.zeros(joints, bool), np.arange(joints) % 3 == 0):
        found = robot.mixed_dynamics.uncompiled(q, qd, **split(robot, qdd, tau, prescribed))
        assert deviation(found.qdd, qdd) < 1e-8
        assert deviation(found.tau, tau) < 1e-8


def test_the_ends_are_inverse_and_forward_dynamics_with_all_loads() -> None:
    q, qd, qdd = batch(TREE, 3)
    tau = np.random.default_rng(0).normal(size=qd.shape)
    rng = np.random.default_rng(4)
    loads = {
        "external": {TREE.link_names[-1]: lp.Wrench(*rng.normal(size=(2, 3)), axes="link")},
        "base_velocity": rng.normal(size=6),
        "base_acceleration": rng.normal(size=6),
    }
    every, none = np.ones(TREE.n, bool), np.zeros(TREE.n, bool)
    some = rng.random(TREE.n) < 0.5
    inverse = TREE.inverse_dynamics.uncompiled(q, qd, qdd, **loads)
    forward = TREE.forward_dynamics.uncompiled(q, qd, tau, **loads)
    for formulation in ("newton-euler", "constraint-system"):
        ask = TREE.mixed_dynamics.uncompiled
        options = {**loads, "formulation": formulation}
        assert deviation(ask(q, qd, **split(TREE, qdd, tau, every), **options).tau, inverse) < 1e-11
        assert deviation(ask(q, qd, **split(TREE, qdd, tau, none), **options).qdd, forward) < 1e-10
        found = ask(q, qd, **split(TREE, qdd, inverse, some), **options)
        assert deviation(found.qdd, qdd) < 1e-10
        assert deviation(found.tau, inverse) < 1e-10


def test_compiled_batches_and_broadcasting() -> None:
    arm = lp.catalog.two_link()
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (2, 100_000, 2))
    q[3] = np.nan
    swing = np.zeros(100_000)
    swing[9] = np.nan
    found = arm.mixed_dynamics(q, qd, accelerations={"joint1": swing}, forces={"joint2": 0.0})
    assert found.qdd.shape == found.tau.shape == (100_000, 2)
    for part in found:
        assert np.flatnonzero(np.isnan(part).any(axis=1)).tolist() == [3, 9]
    fine = ~np.isnan(found.tau).any(axis=1)
    again = arm.inverse_dynamics(q[fine], qd[fine], found.qdd[fine])
    assert deviation(again, found.tau[fine]) < 1e-11
    grid = arm.mixed_dynamics(q[10:14, None], qd[10], accelerations={"joint1": [0.0, 1.0, 2.0]}, forces={"joint2": 1})
    assert grid.qdd.shape == (4, 3, 2)
    assert grid.qdd[..., 0].tolist() == [[0.0, 1.0, 2.0]] * 4
    assert (grid.tau[..., 1] == 1.0).all()
    direct = arm.mixed_dynamics(q[10], qd[10], [2.0, 1.0], prescribed=("joint1",))
    by_keyword = arm.mixed_dynamics(q[10], qd[10], known=[2.0, 1.0], prescribed=["joint1"])
    np.testing.assert_array_equal(direct.qdd, by_keyword.qdd)
    q, qd, swing = (part[10:12].astype("f4") for part in (q, qd, swing))
    narrow = arm.mixed_dynamics(q, qd, accelerations={"joint1": swing}, forces={"joint2": 0})
    assert narrow.qdd.dtype == np.float32


def test_joints_with_several_speeds_by_their_names() -> None:
    free = lp.catalog.random_chain(2, 6, general=True).floating()
    q, qd, qdd = batch(free, 2)
    drives = {"joint1": 0.3, "joint2": [0.1, 0.2]}
    floating = free.mixed_dynamics.uncompiled(q, qd, forces={"floating_base": 0.0}, accelerations=drives)
    named = {f"floating_base.{label}": 0.0 for label in ("vx", "vy", "vz", "wx", "wy", "wz")}
    each = free.mixed_dynamics.uncompiled(q, qd, forces=named, accelerations=drives)
    np.testing.assert_array_equal(floating.qdd, each.qdd)
    assert deviation(free.inverse_dynamics.uncompiled(q, qd, floating.qdd)[:, :6], np.zeros((2, 6))) < 1e-9
    held = free.mixed_dynamics.uncompiled(q, qd, accelerations={"floating_base": qdd[:, :6], **drives})
    np.testing.assert_array_equal(held.qdd[:, :6], qdd[:, :6])


def test_motions_labels_and_lazy_arrays() -> None:
    arm = lp.catalog.two_link()
    t = np.linspace(0, 1, 5)
    motion = lp.Motion(t, np.stack([t, t**2], axis=-1), robot=arm)
    given = {"accelerations": {"joint1": motion.qdd[:, 0]}, "forces": {"joint2": 0.0}}
    wanted = arm.mixed_dynamics(motion.q, motion.qd, **given)
    np.testing.assert_array_equal(arm.mixed_dynamics(motion, **given).qdd, wanted.qdd)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(motion.q[:, ::-1], columns=["joint2", "joint1"])
    np.testing.assert_array_equal(arm.mixed_dynamics(frame, motion.qd, **given).tau, wanted.tau)
    dask = pytest.importorskip("dask.array")
    lazy = arm.mixed_dynamics(dask.from_array(motion.q, chunks=(2, 2)), motion.qd, **given)
    np.testing.assert_array_equal(lazy.qdd.compute(), wanted.qdd)


def test_exports() -> None:
    arm = lp.catalog.two_link()
    function = arm.casadi_function("mixed_dynamics", choices={"prescribed": ("joint1",)})
    assert function.name_in() == ["q", "qd", "known"]
    assert function.name_out() == ["qdd", "tau"]
    qdd, tau = (np.asarray(part).ravel() for part in function([0.3, 0.4], [1, 2], [1.0, 0.0]))
    found = arm.mixed_dynamics([0.3, 0.4], [1, 2], accelerations={"joint1": 1}, forces={"joint2": 0})
    assert deviation(np.array([qdd, tau]), np.array(found)) < 1e-14
    assert "known" in arm.c_source("mixed_dynamics", choices={"prescribed": ("joint1",)})


# Bad calls


def with_mimic() -> lp.Robot:
    arm = lp.catalog.planar(2)
    joints = [*arm.joints]
    joints[1] = lp.Joint("joint2", "link1", "link2", joints[1].motion, joints[1].origin, mimic=lp.Mimic("joint1"))
    return lp.Robot("coupled", arm.links, tuple(joints), arm.gravity)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'joint1', 'joint2' have neither an acceleration nor a force: name each speed of robot 'two_link'"),
        ({"forces": {"joint1": 0}}, "'joint2' has neither"),
        ({"forces": {"joint1": 0, "joint2": 0}, "accelerations": {"joint2": 1}}, "'joint2' has an acceleration and a"),
        ({"forces": {"joint1": 0, "jiont2": 0}}, r"forces\['jiont2'\]: robot 'two_link' has no such.* did you mean"),
        ({"forces": {"tip_joint": 0}}, r"forces\['tip_joint'\]: joint 'tip_joint' is fixed"),
        ({"forces": [0, 0]}, "'forces' is a list: expected a mapping"),
        ({"forces": {"joint1": "much", "joint2": 0}}, r"forces\['joint1'\] is 'much': expected numbers"),
        ({"forces": {"joint1": [1, 2, 3], "joint2": [1, 2]}}, r"do not go together: 'joint1' \(3,\), 'joint2' \(2,\)"),
        ({"forces": {"joint1": 1j, "joint2": 0}}, "dtype complex128"),
        ({"forces": {"joint1": 0}, "known": [0, 0]}, "'forces' and 'known' say the same"),
        ({"forces": {"joint1": 0, "joint2": 0}, "prescribed": ()}, "'prescribed' goes with the array 'known'"),
        ({"known": [0, 0], "prescribed": ("elbow",)}, "'prescribed' names 'elbow': expected some of joint1, joint2"),
        ({"known": [0, 0], "prescribed": "joint1"}, "'prescribed' is 'joint1': expected names"),
        ({"known": [0, 0, 0]}, r"'known' has the shape \(3,\)"),
        ({"forces": {"joint1": 0, "joint2": 0}, "formulation": "luh"}, "no formulation 'luh'"),
        ({"forces": {"joint1": 0, "joint2": 0}, "external": {"arm": lp.Wrench()}}, "no link 'arm'"),
    ],
)
def test_wrong_calls(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.two_link().mixed_dynamics([0, 0], [0, 0], **given)


def test_missing_speeds_and_shapes_by_name() -> None:
    free = lp.catalog.random_chain(1, 6).floating()
    with pytest.raises(ValueError, match=r"has the shape \(3,\): joint 'floating_base' has 6 speeds"):
        free.mixed_dynamics(free.neutral(), np.zeros(7), forces={"floating_base": [0, 0, 0], "joint1": 0})
    with pytest.raises(ValueError, match=r"'floating_base\.vx' has two values in 'forces'"):
        free.mixed_dynamics(free.neutral(), np.zeros(7), forces={"floating_base": 0, "floating_base.vx": 1})
    with pytest.raises(ValueError, match="joint 'joint2' mimics 'joint1': name 'joint1'"):
        with_mimic().mixed_dynamics([0], [0], forces={"joint2": 0})
    with pytest.raises(TypeError, match="mixed_dynamics needs qd as well"):
        lp.catalog.two_link().mixed_dynamics([0, 0], forces={"joint1": 0, "joint2": 0})


def test_robots_that_cannot_be_asked() -> None:
    closed = lp.catalog.four_bar()
    with pytest.raises(lp.ModelError, match=r"mixed_dynamics is refused.*robot\.tree\.mixed_dynamics"):
        closed.mixed_dynamics(closed.home, np.zeros(closed.n), forces={})
    links = (lp.Link("base"), lp.Link("slide"), lp.Link("load", lp.Inertia(1.0)))
    x = lp.Joint("x", "base", "slide", lp.Prismatic((1, 0, 0)))
    y = lp.Joint("y", "slide", "load", lp.Revolute((0, 0, 1)))
    with pytest.warns(lp.ModelWarning):
        point = lp.Robot("point", links, (x, y))
    with pytest.raises(lp.ModelError, match=r"'y' moves without inertia.*prescribe its acceleration"):
        point.mixed_dynamics([0, 0], [0, 0], forces={"x": 1, "y": 1})
    found = point.mixed_dynamics([0, 0], [0, 0], forces={"x": 1}, accelerations={"y": 1})
    assert found.qdd.tolist() == [1.0, 1.0]


def test_a_robot_without_speeds() -> None:
    welds = lp.catalog.random_tree(2, 7, "fixed", general=True)
    found = welds.mixed_dynamics([], [])
    assert found.qdd.shape == found.tau.shape == (0,)
    assert welds.mixed_dynamics(np.zeros((4, 0)), np.zeros((4, 0)), forces={}).tau.shape == (4, 0)


def test_batches_that_do_not_go_together_are_named_as_they_were_given() -> None:
    arm = lp.catalog.two_link()
    with pytest.raises(ValueError, match=r"'q' \(3,\), 'qd' \(3,\), 'accelerations and forces' \(2,\)"):
        arm.mixed_dynamics(np.zeros((3, 2)), np.zeros((3, 2)), forces={"joint1": [1, 2], "joint2": 0})
