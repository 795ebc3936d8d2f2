"""The joint of chosen freedoms: its motion, against chains of single joints and Pinocchio, and what it refuses."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.algorithms.composite_body import mass_matrix
from loadpath.formulations import newton_euler
from loadpath.formulations.table import FORMULATIONS
from loadpath.robot.mechanism import plain
from loadpath.robot.reduction import reduced
from loadpath.robot.tree import model_warnings
from loadpath.scalars import array, rotation_from_matrix
from on_scalars import on_arrays
from references.lau_robots import TurnThenSlide
from references.to_pinocchio import random_state, to_pinocchio

SOME = [
    "rz x",
    "all",
    "-ry rx -z y",
    "x z",
    (("turn", (1, 2, 3)), ("turn", (1, 0, -1)), ("slide", (0, 1, 1)), "x"),
    (("turn", (2, 2, 1)), ("turn", (-2, 1, 2)), ("turn", (1, -2, 2))),
    ("turn", (0, 3, 4)),
]


def entries(values: object) -> np.ndarray:
    return array(np.asarray(values, dtype=float).tolist())


def floats(columns: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    return np.array([[*angular, *linear] for angular, linear in columns], dtype=float)


def placed(motion: lp.JointType, q: np.ndarray) -> np.ndarray:
    turn, shift = motion.placement(entries(q))
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn.matrix().astype(float), shift.astype(float)
    return matrix


@pytest.mark.parametrize("freedoms", SOME, ids=str)
def test_it_turns_and_then_slides_along_the_turned_axes(freedoms: object) -> None:
    motion = lp.Generalized(freedoms)
    q = np.random.default_rng(1).uniform(-1, 1, motion.dof)
    expected = np.eye(4)
    for k, axis in enumerate((*motion.turns, *motion.slides)):
        single = lp.Revolute(axis) if k < len(motion.turns) else lp.Prismatic(axis)
        expected = expected @ placed(single, q[k : k + 1])
    np.testing.assert_allclose(placed(motion, q), expected, atol=1e-15)


@pytest.mark.parametrize("freedoms", SOME, ids=str)
def test_its_speeds_are_the_rates_of_its_coordinates(freedoms: object) -> None:
    motion, rng, h = lp.Generalized(freedoms), np.random.default_rng(2), 1e-6
    q, qd = rng.uniform(-1, 1, (2, motion.dof))
    here, S = placed(motion, q), floats(motion.subspace(entries(q)))
    rate = (placed(motion, q + h * qd) - placed(motion, q - h * qd)) / (2 * h)
    spin = here[:3, :3].T @ rate[:3, :3]
    twist = [spin[2, 1], spin[0, 2], spin[1, 0], *(here[:3, :3].T @ rate[:3, 3])]
    np.testing.assert_allclose(S.T @ qd, twist, atol=1e-8)
    ahead, behind = (floats(motion.subspace(entries(q + step * qd))) for step in (h, -h))
    change = floats(motion.subspace_rate(entries(q), entries(qd)))
    np.testing.assert_allclose(change, (ahead - behind) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("freedoms", SOME, ids=str)
def test_what_it_holds_does_no_work_and_what_it_allows_is_nearest(freedoms: object) -> None:
    motion = lp.Generalized(freedoms)
    q = np.random.default_rng(3).uniform(-1, 1, motion.dof)
    pose = placed(motion, q)
    Q, b = rotation_from_matrix(pose[:3, :3]), entries(pose[:3, 3])
    S, held = floats(motion.subspace(entries(q))), floats(motion.held(Q, b)).reshape(-1, 6)
    assert held.shape == (6 - motion.dof, 6)
    assert np.linalg.matrix_rank(held, tol=1e-6) == len(held)
    np.testing.assert_allclose(held @ S.T, 0.0, atol=1e-14)  # torque on angular velocity, force on velocity
    turn, shift = motion.nearest(Q, b)
    np.testing.assert_allclose(turn.matrix().astype(float), pose[:3, :3], atol=1e-14)
    np.testing.assert_allclose(shift.astype(float), pose[:3, 3], atol=1e-14)
    np.testing.assert_allclose(motion.coordinates_at(pose[:3, :3], pose[:3, 3]), q, atol=1e-13)


def test_where_two_of_three_turns_fall_together() -> None:
    motion = lp.Generalized("all")
    q = np.array([0.4, np.pi / 2, -0.3, 0.1, 0.2, 0.3])
    assert np.linalg.matrix_rank(floats(motion.subspace(entries(q))), tol=1e-9) == 5
    found = motion.coordinates_at(*(placed(motion, q)[rows] for rows in ((slice(3), slice(3)), (slice(3), 3))))
    np.testing.assert_allclose(placed(motion, found), placed(motion, q), atol=1e-8)  # other angles, the same pose
    links = (lp.Link("base"), lp.Link("body", lp.Inertia.from_moments(2.0, ixx=0.1, iyy=0.2, izz=0.25)))
    body = lp.Robot("body", links, (lp.Joint("j", "base", "body", motion),))
    assert np.isfinite(on_arrays(newton_euler.inverse_dynamics, plain(body), q, np.ones(6), np.ones(6))).all()
    assert abs(np.linalg.eigvalsh(on_arrays(mass_matrix, plain(body), q))[0]) < 1e-12


# In robots


def with_motion(robot: lp.Robot, name: str, motion: lp.JointType) -> lp.Robot:
    made = [lp.Joint(j.name, j.parent, j.child, motion, j.origin, j.link_offset) if j.name == name else j
            for j in robot.joints]
    return replace(robot, joints=tuple(made))


def in_single_joints(robot: lp.Robot) -> lp.Robot:
    """Every generalized joint as one after the other of its freedoms, with massless links between."""
    links, joints = [robot.base], []
    for joint in robot.joints:
        if not isinstance(joint.motion, lp.Generalized):
            joints.append(joint)
            links.append(robot.link(joint.child))
            continue
        parts = [lp.Revolute(a) for a in joint.motion.turns] + [lp.Prismatic(a) for a in joint.motion.slides]
        parent, origin = joint.parent, joint.origin
        for k, part in enumerate(parts):
            last = k == len(parts) - 1
            child = joint.child if last else f"{joint.child}_{k}"
            offset = joint.link_offset if last else lp.Pose()
            joints.append(lp.Joint(joint.name if last else f"{joint.name}_{k}", parent, child, part, origin, offset))
            links.append(robot.link(child) if last else lp.Link(child))
            parent, origin = child, lp.Pose()
    known = frozenset(model_warnings(links, joints))
    return lp.Robot(robot.name, tuple(links), tuple(joints), robot.gravity, known_faults=known)


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    """A hinge, and after it a joint that turns twice and slides along an axis of its own."""
    robot = lp.catalog.random_chain(2, seed=7, joints="revolute", general=True)
    return with_motion(robot, "joint2", lp.Generalized(("-ry", ("turn", (3, 1, 4)), ("slide", (1, 1, 0)))))


def test_all_formulations_agree_and_lagrange_takes_its_rates(arm: lp.Robot) -> None:
    assert lp.verify(arm).worst < 1e-12

    six = with_motion(arm, "joint2", lp.Generalized("all"))
    state = random_state(six, np.random.default_rng(6))
    expected = on_arrays(newton_euler.inverse_dynamics, plain(six), *state)
    for formulation in FORMULATIONS.values():
        found = on_arrays(formulation.inverse_dynamics, plain(six), *state)
        np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max(), err_msg=formulation.name)


def test_it_is_a_chain_of_single_joints_and_a_composite_joint_of_pinocchio(arm: lp.Robot) -> None:
    single, peer = in_single_joints(arm), to_pinocchio(arm)
    state = q, qd, qdd = random_state(arm, np.random.default_rng(3))
    tau, (force, torque) = arm.inverse_dynamics(*state), peer.joint_wrenches(*state)
    np.testing.assert_allclose(tau, peer.inverse_dynamics(*state), atol=1e-13 * np.abs(tau).max())
    np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, atol=1e-10)
    rows = [single.joint_names.index(joint.name) for joint in arm.joints]
    in_a_row = [part[rows] for part in on_arrays(newton_euler.joint_wrenches, plain(single), *state)]
    ours = arm.joint_wrenches(*state)
    for wanted in ((force, torque), in_a_row):
        for found, part in zip((ours.force, ours.torque), wanted, strict=True):
            np.testing.assert_allclose(found, part, atol=1e-12 * np.abs(part).max())


def test_its_energy_is_kept_in_time(arm: lp.Robot) -> None:
    q, qd = np.zeros(arm.nq), np.full(arm.n, 0.3)
    run = arm.simulate(q, qd, duration=0.5)
    energy = arm.kinetic_energy(run.q, run.qd) + arm.potential_energy(run.q)
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()


def test_breakdown_peaks_and_inverse_kinematics(arm: lp.Robot) -> None:
    q, qd, qdd = random_state(arm, np.random.default_rng(4))
    wrench = arm.joint_wrenches(q, qd, qdd)["joint2"]
    for by in ("joint", "freedom"):
        total = arm.load_breakdown(q, qd, qdd, by=by).total("joint2")
        np.testing.assert_allclose(total.force, wrench.force, atol=1e-12 * np.abs(wrench.force).max())
    peaks = arm.peak_loads((q, qd, qdd))
    assert np.isnan(peaks["joint2", "radial_force"].maximum)  # it has no single axis
    assert peaks["joint2", "force"].maximum == pytest.approx(np.linalg.norm(wrench.force))
    target = arm.link_poses(0.3 * q)[-1]
    found = arm.inverse_kinematics(target, link=arm.link_names[-1], q0=np.zeros(arm.nq))
    np.testing.assert_allclose(arm.link_poses(found.q)[-1], target, atol=1e-6)


def test_one_with_a_single_axis_has_its_resultants() -> None:
    known = {"rz": lp.Revolute(), "-x": lp.Prismatic((-1, 0, 0)), "ry y": lp.Cylindrical((0, 1, 0))}
    for freedoms, simple in known.items():
        motion = lp.Generalized(freedoms)
        assert motion.axis_direction() == simple.axis_direction()
        assert motion.turns_about_line() == simple.turns_about_line()
        ours, theirs = (with_motion(lp.catalog.random_chain(3, 5, "revolute"), "joint2", m) for m in (motion, simple))
        state = random_state(theirs, np.random.default_rng(1))
        found, wanted = (on_arrays(newton_euler.inverse_dynamics, reduced(r), *state) for r in (ours, theirs))
        np.testing.assert_allclose(found, wanted, atol=1e-13)
    assert lp.Generalized("rz x").axis_direction() is None


def test_it_closes_loops_and_holds_what_a_chain_holds() -> None:
    """A scotch yoke: the crank's pin turns in a block that slides in the yoke's slot. The loop's wrench is that at the
    block where the block is a link of its own, and the pin closes.
    """
    bar = lp.Inertia.from_moments(1.5, (0.1, 0, 0), ixx=0.01, iyy=0.02, izz=0.02)
    links = (lp.Link("base"), lp.Link("crank", bar), lp.Link("yoke", bar))
    turn = lp.Joint("crank_joint", "base", "crank", lp.Revolute())
    slide = lp.Joint("yoke_joint", "base", "yoke", lp.Prismatic((1, 0, 0)))
    q, r = 0.7, 0.3
    start = (q, r * np.cos(q))
    options = {"at": (r, 0, 0), "on": lp.Pose()}
    yoke = lp.Robot("yoke", links, (turn, slide))
    yoke = yoke.with_loop("pin", "crank", "yoke", motion=lp.Generalized("rz y"), q=start, **options)
    assert yoke.mobility == 1
    qd = np.array([1.0, -r * np.sin(q)])
    qdd = np.array([0.5, -r * (np.sin(q) * 0.5 + np.cos(q))])
    block = lp.Joint("block_joint", "yoke", "block", lp.Prismatic((0, 1, 0)))
    known = frozenset(["link 'block': no mass, though joint 'block_joint' moves it"])
    tree = lp.Robot("yoke", (*links, lp.Link("block")), (turn, slide, block), known_faults=known)
    height = r * np.sin(q)
    other = tree.with_loop("pin", "crank", "block", motion=lp.Revolute(), q=(*start, height), **options)
    speeds = [(*qd, r * np.cos(q)), (*qdd, r * (np.cos(q) * 0.5 - np.sin(q)))]
    ours, theirs = yoke.joint_wrenches(start, qd, qdd), other.joint_wrenches((*start, height), *speeds)
    for name in ("yoke_joint", "pin"):  # in the plane; across it they hold each other twice
        np.testing.assert_allclose(ours[name].force[:2], theirs[name].force[:2], atol=1e-12)
    tau = yoke.inverse_dynamics(start, qd, qdd)[0]
    moment = 1.5 * 0.01 + 0.02  # of the crank about its axis
    assert tau == pytest.approx(moment * 0.5 - 1.5 * qdd[1] * height, rel=1e-9)  # the yoke pushes back at the pin


def test_equal_ones_are_equal_and_pickle() -> None:
    motion = lp.Generalized(["rz", ("slide", (2, 0, 0))])
    assert motion == lp.Generalized("rz x") == pickle.loads(pickle.dumps(motion))
    assert hash(motion) == hash(lp.Generalized(("rz", "x")))
    assert repr(motion) == "Generalized(freedoms=('rz', 'x'))"
    assert lp.Generalized("rz").labels == ("",)
    assert lp.Generalized((("turn", (1, 1, 0)), "-x")).labels == ("turn1", "x")


def test_the_quaternion_form_of_a_user_is_right() -> None:
    """Lau's joint with a quaternion, a class of the tests: `lagrangian` needs the rates of its coordinates."""
    robot = lp.catalog.random_chain(2, 1, "free", general=True)
    for joint in robot.joints:
        robot = with_motion(robot, joint.name, TurnThenSlide())
    assert lp.verify(robot).worst < 1e-12


@pytest.mark.parametrize(
    ("freedoms", "words"),
    [
        ((), "has no freedoms"),
        ("", "has no freedoms"),
        ("yaw", "'yaw' is not one"),
        (("x", "rz"), "write ('rz', 'x')"),
        (("rz", "ry", "rz"), "depend on each other"),
        ("x -x", "depend on each other"),
        ("rx ry rz x y z", None),
        (("rx", ("turn", (0, 1, 1)), ("turn", (0, 0, 1))), "at right angles"),
        (("turn", (0, 0, 0)), "not a zero vector"),
        (("twist", (0, 0, 1)), "'twist' is not one"),
        (3, "are 3"),
        (("rz", 3), "3 is not one"),
        ((("turn", "z"),), "axis of the turn"),
    ],
)
def test_what_it_refuses(freedoms: object, words: str | None) -> None:
    if words is None:
        assert lp.Generalized(freedoms) == lp.Generalized("all")
        return
    with pytest.raises(lp.ModelError) as caught:
        lp.Generalized(freedoms)
    assert words in str(caught.value)


def test_beams_along_its_slide_are_refused() -> None:
    arm = lp.catalog.lau_arm(joints=2)
    beam = lp.Beam(lp.Rod(radius=0.01), lp.ALUMINIUM, end=(1, 0, 0))
    with pytest.raises(lp.ModelError, match=r"'joint2' .Generalized. slides along the beam of its own link 'rod'"):
        arm.with_beams({"rod": beam})


def test_a_class_that_does_not_count_its_labels_is_refused() -> None:
    class Wrong(lp.Revolute):
        labels = ("a", "b")

    with pytest.raises(lp.ModelError, match=r"joint 'j': `labels` of its class Wrong is .* expected 1"):
        lp.Joint("j", "a", "b", Wrong())
