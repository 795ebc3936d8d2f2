"""Joint wrenches by cause: the sum of all terms, and each term by itself, against other ways to find it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loadpath as lp
from loadpath.algorithms.load_terms import load_terms
from loadpath.formulations import newton_euler
from loadpath.loads.breakdown.result import LoadBreakdown
from loadpath.quantities.load_index import index_of
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.reduction import reframed
from loadpath.scalars import zeros
from on_scalars import applied, entries, on_arrays
from references.lau_robots import with_mimics
from references.to_pinocchio import random_state

BASE_MOTION = ("base_velocity", "base_acceleration")


def six(wrench: lp.Wrench) -> np.ndarray:
    return np.concatenate([wrench.force, wrench.torque], axis=-1)


def all_six(wrenches: lp.JointWrenches) -> np.ndarray:
    return np.concatenate([wrenches.force, wrenches.torque], axis=-1)


def assert_sums(found: np.ndarray, expected: np.ndarray) -> None:
    """To 1e-12, relative to the largest force or torque in the robot."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * (np.abs(expected).max(initial=0.0) or 1.0))


def uncompiled(robot: lp.Robot, state: tuple, external: dict, base: dict, **choices: object) -> LoadBreakdown:
    """The breakdown without compiling it: random robots are many."""
    scalars = {name: entries(value) for name, value in base.items()}
    parts = on_arrays(load_terms, plain(robot), *state, external=external, **scalars, **choices)
    kinds = choices.get("by", "freedom"), choices.get("by_link", False)
    return LoadBreakdown(*parts, index_of(robot, *kinds, frozenset(external), tuple(base)))


def expected_wrenches(robot: lp.Robot, state: tuple, external: dict, base: dict) -> np.ndarray:
    scalars = {name: entries(value) for name, value in base.items()}
    parts = on_arrays(newton_euler.joint_wrenches, reframed(robot), *state, external=external, **scalars)
    return np.concatenate(parts, axis=-1)


# All terms together


@settings(max_examples=30)
@given(
    seed=st.integers(0, 100_000),
    joints=st.integers(1, 7),
    branches=st.booleans(),
    mimics=st.booleans(),
    payload=st.booleans(),
    loaded=st.integers(0, 3),
    moving=st.sets(st.sampled_from(BASE_MOTION)),
    by=st.sampled_from(["freedom", "joint"]),
    by_link=st.booleans(),
    speed=st.sampled_from([0.0, 1e-3, 1.0, 50.0]),
)
def test_the_parts_sum_to_the_joint_wrenches(
    seed: int,
    joints: int,
    branches: bool,
    mimics: bool,
    payload: bool,
    loaded: int,
    moving: set[str],
    by: str,
    by_link: bool,
    speed: float,
) -> None:
    """Whatever the robot, the state, and what acts on it."""
    make = lp.catalog.random_tree if branches else lp.catalog.random_chain
    robot, rng = make(joints, seed, "all", general=True, drives=True), np.random.default_rng(seed)
    if mimics and sum(joint.motion.dof == 1 for joint in robot.joints) > 1:
        robot = with_mimics(robot)
    if payload:
        robot = robot.with_payload(2.0, (0.1, -0.2, 0.3), link=robot.link_names[-1])
    q, qd, qdd = random_state(robot, rng)
    state = q, speed * qd, qdd
    links = rng.permutation(robot.link_names)[:loaded]
    external = {link: applied(*rng.normal(size=(2, 3)) * 10, bool(k % 2)) for k, link in enumerate(links)}
    base = {name: rng.normal(size=6) for name in BASE_MOTION if name in moving}
    loads = uncompiled(robot, state, external, base, by=by, by_link=by_link)
    expected = expected_wrenches(robot, state, external, base)
    assert loads.values.shape == (len(loads.index.terms), 6)
    assert_sums(loads.totals(), expected)
    for joint, wrench in zip(robot.joint_names, expected, strict=True):
        size = np.abs(expected).max(initial=0.0)
        assert np.abs(six(loads.total(joint)) - wrench).max() <= 1e-12 * size
        by_kind = sum((six(part) for part in loads.by_kind(joint).values()), np.zeros(6))
        assert np.abs(by_kind - wrench).max() <= 1e-12 * size


@pytest.fixture(scope="module")
def carrying() -> lp.Robot:
    """Panda with a payload."""
    return lp.catalog.panda().with_payload(3.0, (0.0, 0.05, 0.1))


@settings(max_examples=50)
@given(seed=st.integers(0, 100_000), speed=st.floats(0, 100), batch=st.sampled_from([(), (1,), (3,), (2, 5)]))
def test_the_compiled_parts_sum_to_the_joint_wrenches(
    carrying: lp.Robot, seed: int, speed: float, batch: tuple[int, ...]
) -> None:
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, *batch, carrying.n))
    loads = carrying.load_breakdown(q, speed * qd, qdd)
    expected = carrying.joint_wrenches(q, speed * qd, qdd)
    assert_sums(loads.totals(), all_six(expected))
    for joint in carrying.joint_names:
        assert_sums(six(loads.total(joint)), six(expected[joint]))


def test_by_link_with_everything_compiled() -> None:
    robot = lp.catalog.random_tree(3, 5, ["cylindrical", "revolute", "prismatic"], general=True, drives=True)
    rng = np.random.default_rng(2)
    state = tuple(np.array(part) for part in zip(*(random_state(robot, rng) for _ in range(6)), strict=True))
    external = {
        robot.link_names[2]: lp.Wrench(rng.normal(size=(6, 3)), rng.normal(size=3)),
        robot.link_names[1]: lp.Wrench(rng.normal(size=3), rng.normal(size=3), axes="link"),
        robot.link_names[0]: lp.Wrench((1, 2, 3)),
    }
    base = {name: rng.normal(size=6) for name in BASE_MOTION}
    loads = robot.load_breakdown(*state, external=external, by_link=True, **base)
    expected = robot.joint_wrenches(*state, external=external, **base)
    assert_sums(loads.totals(), all_six(expected))
    last = robot.joint_names[-1]
    carriers = loads.by_carrier(last)
    assert_sums(sum(six(part) for part in carriers.values()), six(expected[last]))
    parts = [loads.of_link(link).totals() for link in robot.link_names[1:]]
    assert_sums(np.sum(parts, axis=0), all_six(expected))


# Each term by itself


@pytest.fixture(scope="module")
def several() -> lp.Robot:
    """A chain with joints of several freedoms."""
    return lp.catalog.random_chain(3, 3, ["universal", "free", "prismatic"], general=True)


def test_each_term_is_what_its_cause_alone_takes(several: lp.Robot) -> None:
    """Inertial: only qdd_k. Centrifugal: only qd_k. Coriolis: qd_k and qd_l less each alone. Gravity: at rest."""
    q, qd, qdd = random_state(several, np.random.default_rng(4))
    loads = several.load_breakdown(q, qd, qdd)
    weightless, n, names = several.with_gravity((0, 0, 0)), several.n, several.dof_names
    pairs = [(k, m) for k in range(n) for m in range(k + 1, n)]
    only, none = np.eye(n), np.zeros(n)
    size = np.abs(loads.totals()).max()

    def near(wrench: lp.Wrench, expected: np.ndarray) -> None:
        np.testing.assert_allclose(six(wrench), expected, rtol=0, atol=1e-12 * size)

    inertial = all_six(weightless.joint_wrenches(q, none, only * qdd))
    squares = all_six(weightless.joint_wrenches(q, only * qd, none))
    both = all_six(weightless.joint_wrenches(q, np.array([(only[k] + only[m]) * qd for k, m in pairs]), none))
    weight = all_six(several.joint_wrenches(q, none, none))
    for i, joint in enumerate(several.joint_names):
        for k, name in enumerate(names):
            near(loads.inertial[joint, name], inertial[k, i])
            near(loads.centrifugal[joint, name], squares[k, i])
        for (k, m), together in zip(pairs, both, strict=True):
            near(loads.coriolis[joint, names[m], names[k]], together[i] - squares[k, i] - squares[m, i])
        near(loads.by_kind(joint)["gravity"], weight[i])


def only_link(mechanism: Mechanism, j: int) -> Mechanism:
    """The mechanism with all links but one without inertia."""
    bodies = tuple(
        body if k == j else replace(body, mass=0.0, moment=zeros(3), inertia=zeros(3, 3))
        for k, body in enumerate(mechanism.bodies)
    )
    return replace(mechanism, bodies=bodies)


def test_by_link_each_link_carries_what_it_would_if_the_others_had_no_mass(several: lp.Robot) -> None:
    state = random_state(several, np.random.default_rng(6))
    loads = uncompiled(several, state, {}, {}, by_link=True)
    for j, link in enumerate(several.link_names[1:]):
        expected = np.concatenate(on_arrays(newton_euler.joint_wrenches, only_link(plain(several), j), *state), axis=-1)
        assert_sums(loads.of_link(link).totals(), expected)
    moving = several.dof_names[1]
    carried = [six(loads.inertial[several.joint_names[0], moving, link]) for link in several.link_names[1:]]
    assert_sums(np.sum(carried, axis=0), six(loads.inertial[several.joint_names[0], moving]))


def test_joints_are_the_sums_of_their_freedoms(several: lp.Robot) -> None:
    state = random_state(several, np.random.default_rng(8))
    freedoms, joints = (uncompiled(several, state, {}, {}, by=by) for by in ("freedom", "joint"))
    first, second, third = several.joint_names
    of = {joint: [name for name in several.dof_names if name.split(".")[0] == joint] for joint in several.joint_names}
    size = np.abs(joints.totals()).max()
    for at in several.joint_names:
        for joint in several.joint_names:
            sums = sum(six(freedoms.inertial[at, name]) for name in of[joint])
            np.testing.assert_allclose(six(joints.inertial[at, joint]), sums, rtol=0, atol=1e-12 * size)
        pairs = sum(six(freedoms.coriolis[at, k, m]) for k in of[first] for m in of[second])
        np.testing.assert_allclose(six(joints.coriolis[at, second, first]), pairs, rtol=0, atol=1e-12 * size)
    # The free joint turns and slides at once, along its own axes: w x u.
    u, w = ([name for name in of[second] if name.split(".")[1][0] == letter] for letter in "vw")
    own = sum(six(freedoms.coriolis[second, k, m]) for k in u for m in w)
    np.testing.assert_allclose(six(joints.coriolis[second, second, second]), own, rtol=0, atol=1e-12 * size)
    assert np.abs(own).max() > 1e-3 * size
    assert third in joints.index.movers


# By hand


def test_a_turning_rod_by_hand() -> None:
    """Of a rod of 1 m and 2 kg on a hinge: m l/2 qdd across it, -m l/2 qd^2 along it, m g down."""
    loads = lp.catalog.planar(1, mass=2.0).load_breakdown([0.0], [3.0], [5.0])
    np.testing.assert_allclose(loads.inertial["joint1", "joint1"].force, [0, 5, 0], atol=1e-14)
    np.testing.assert_allclose(loads.inertial["joint1", "joint1"].torque, [0, 0, 2 / 3 * 5], atol=1e-14)
    np.testing.assert_allclose(loads.centrifugal["joint1", "joint1"].force, [-9, 0, 0], atol=1e-14)
    np.testing.assert_allclose(loads.gravity["joint1", "link1"].force, [0, 2 * 9.81, 0], atol=1e-14)


def test_a_slide_on_a_turntable_by_hand() -> None:
    """Coriolis force 2 m w u across the slide, and nothing else from the pair."""
    arm = lp.catalog.lau_arm(m1=1.3, m2=0.7, d0=0.1, d1=0.35, length=0.9, gravity=9.81)
    loads = arm.load_breakdown([0.0, 0.0, 0.8], [2.0, 0.0, 0.5], [0.0, 0.0, 0.0])
    across = loads.coriolis["d2", "theta1", "d2"].force
    assert np.linalg.norm(across) == pytest.approx(2 * 0.7 * 2.0 * 0.5, rel=1e-14)
    assert np.linalg.norm(loads.coriolis["theta2", "theta1", "theta2"].force) == 0.0


def test_gravity_of_each_link_does_the_work_of_lifting_it(carrying: lp.Robot) -> None:
    """Lagrange: the drive's share of a link's weight is the derivative of the link's height by the joint's angle."""
    q = np.random.default_rng(1).uniform(-1.5, 1.5, carrying.n)
    loads = carrying.load_breakdown(q, np.zeros(7), np.zeros(7))
    poses = carrying.link_poses(q)
    for number, link in enumerate(carrying.links):
        if not link.inertia.mass or not number:
            continue
        to_center = poses[number, :3, :3] @ np.array(link.inertia.center_of_mass)
        jacobian = carrying.jacobian(q, link.name)
        lift = jacobian[:3] + np.cross(jacobian[3:].T, to_center).T
        expected = -link.inertia.mass * np.array(carrying.gravity) @ lift
        drives = [loads.gravity[joint, link.name].torque[2] for joint in carrying.dof_names]
        np.testing.assert_allclose(drives, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    assert ("gravity", ("payload",)) in loads.index.of_joint("panda_joint1")


@pytest.fixture(scope="module")
def small() -> lp.Robot:
    """Two joints, a weld to a flange, a payload on it."""
    return lp.catalog.planar(2).with_payload(3.0, (0.0, 0.05, 0.1))


def test_a_payload_is_apart_from_its_link(small: lp.Robot) -> None:
    """With it all other gravity terms stay the same."""
    q, still = np.full(2, 0.4), np.zeros(2)
    loads, without = small.load_breakdown(q, still, still), small.without_payload().load_breakdown(q, still, still)
    for joint in without.index.joint_names:
        for link in ("link1", "link2"):
            np.testing.assert_allclose(six(loads.gravity[joint, link]), six(without.gravity[joint, link]), atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(loads.gravity["joint1", "payload"].force), 3.0 * 9.81, rtol=1e-14)
    weld = small.joint_names[-1]
    np.testing.assert_allclose(six(loads.gravity[weld, "payload"]), six(loads.by_kind(weld)["gravity"]))


def test_external_wrenches_on_one_body_stay_apart(small: lp.Robot) -> None:
    """The tip and the payload are welded together, yet each wrench is told by itself."""
    q, still = np.full(2, 0.4), np.zeros(2)
    on = {"payload": lp.Wrench((0, 0, -10)), "tip": lp.Wrench((5, 0, 0), axes="link")}
    loads = small.load_breakdown(q, still, still, external=on)
    free = small.joint_wrenches(q, still, still)
    for link, wrench in on.items():
        alone = small.joint_wrenches(q, still, still, external={link: wrench})
        for joint in small.joint_names:
            difference = six(alone[joint]) - six(free[joint])
            np.testing.assert_allclose(six(loads.external[joint, link]), difference, rtol=0, atol=1e-12)
    assert np.abs(six(loads.external["joint1", "tip"])).max() > 1.0
    assert not six(loads.external["joint2", "link1"]).any()
    order = small.load_breakdown(q, still, still, external=dict(reversed(on.items())))
    np.testing.assert_array_equal(order.values, loads.values)


def test_friction_and_rotors_make_the_axis_component_the_drive_force() -> None:
    robot = lp.catalog.puma560()
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 20, 6))
    loads = robot.load_breakdown(q, qd, qdd)
    along = np.stack([loads.total(joint).torque[:, 2] for joint in robot.dof_names], axis=-1)
    tau = robot.inverse_dynamics(q, qd, qdd)
    assert_sums(along + loads.friction + loads.rotor, tau)
    bare = robot.without_friction()
    assert not bare.load_breakdown(q, qd, qdd).friction.any()
    assert_sums(loads.friction, tau - bare.inverse_dynamics(q, qd, qdd))
    assert np.abs(loads.rotor).max() > 0.1


# Frames


def test_frames_turn_the_axes_and_leave_the_point() -> None:
    robot = lp.catalog.random_chain(2, 9, general=True)
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, 4, 2))
    in_joint, in_world, in_link = (
        robot.load_breakdown(q, qd, qdd, frame=frame) for frame in ("joint", "world", "link1")
    )
    rotation = dict(zip(robot.link_names, robot.link_poses(q).swapaxes(0, 1)[..., :3, :3], strict=True))
    for row, term in enumerate(in_joint.index.terms):
        joint = robot.joint(term.joint)
        joint_frame = rotation[joint.child] @ joint.link_offset.R.T
        for part in (slice(3), slice(3, 6)):
            world = np.einsum("sij,sj->si", joint_frame, in_joint.values[:, row, part])
            np.testing.assert_allclose(in_world.values[:, row, part], world, atol=1e-12)
            seen = np.einsum("sji,sj->si", rotation["link1"], world)
            np.testing.assert_allclose(in_link.values[:, row, part], seen, atol=1e-12)
    assert [loads.total("joint2").axes for loads in (in_joint, in_world, in_link)] == ["joint", "world", "other"]


# A base that moves


def test_the_moving_base_is_the_free_joint_of_the_floating_robot() -> None:
    """On a free joint that moves so, the same wrenches; the base's terms are that joint's."""
    robot = lp.catalog.random_tree(3, 4, ["revolute", "prismatic"], general=True)
    rng = np.random.default_rng(6)
    q, qd, qdd = rng.normal(size=(3, robot.n))
    v, w, a, alpha = rng.normal(size=(4, 3))
    loads = robot.load_breakdown(q, qd, qdd, base_velocity=[*v, *w], base_acceleration=[*a, *alpha])
    free = robot.floating()
    # The free joint's acceleration is that of the components in the moving axes: a = vdot + w x v.
    floating = free.load_breakdown(
        [0, 0, 0, 0, 0, 0, 1, *q], [*v, *w, *qd], [*(a - np.cross(w, v)), *alpha, *qdd], by="joint"
    )
    own = free.joint_names[0]
    for joint in robot.joint_names:
        assert_sums(six(loads.total(joint)), six(floating.total(joint)))
        squares = six(floating.centrifugal[joint, own])
        np.testing.assert_allclose(six(loads.base[joint, "centrifugal"]), squares, atol=1e-12)
        for moving in robot.dof_names:
            pair = six(floating.coriolis[joint, own, moving])
            np.testing.assert_allclose(six(loads.base[joint, "coriolis", moving]), pair, atol=1e-12)
            np.testing.assert_allclose(
                six(loads.inertial[joint, moving]), six(floating.inertial[joint, moving]), atol=1e-12
            )
    still = robot.load_breakdown(q, qd, qdd)
    assert "base" not in still.by_kind(robot.joint_names[0])
    assert not six(still.base[robot.joint_names[0], "centrifugal"]).any()


def test_a_lift_that_accelerates_adds_to_the_weight() -> None:
    """Upwards with g/2, every gravity term is half as large again; falling freely, all is weightless."""
    robot = lp.catalog.random_chain(3, 2)
    q, still, g = np.full(3, 0.3), np.zeros(3), np.array(robot.gravity)
    loads = robot.load_breakdown(q, still, still, base_acceleration=[*(-g / 2), 0, 0, 0])
    for joint in robot.joint_names:
        np.testing.assert_allclose(
            six(loads.base[joint, "inertial"]), six(loads.by_kind(joint)["gravity"]) / 2, atol=1e-12
        )
    falling = robot.load_breakdown(q, still, still, base_acceleration=[*g, 0, 0, 0])
    assert np.abs(falling.totals()).max() < 1e-12


# Arrays


def test_single_precision_out_and_nan(carrying: lp.Robot) -> None:
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 9, 7))
    loads = carrying.load_breakdown(q, qd, qdd)
    single = carrying.load_breakdown(*(part.astype(np.float32) for part in (q, qd, qdd)))
    assert single.values.dtype == np.float32
    np.testing.assert_allclose(single.values, loads.values, atol=1e-4 * np.abs(loads.values).max())
    out = tuple(np.empty_like(part) for part in (loads.values, loads.friction, loads.rotor))
    again = carrying.load_breakdown(q, qd, qdd, out=out)
    assert again.values is out[0]
    np.testing.assert_array_equal(out[0], loads.values)
    q[4, 0] = np.nan
    spoilt = carrying.load_breakdown(q, qd, qdd)
    others = np.arange(9) != 4
    np.testing.assert_array_equal(spoilt.values[others], loads.values[others])
    assert np.isnan(spoilt.total("panda_joint2").torque[4]).all()


def test_dask_arrays(carrying: lp.Robot) -> None:
    dask = pytest.importorskip("dask.array")
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 40, 7))
    lazy = carrying.load_breakdown(*(dask.from_array(part, chunks=(10, 7)) for part in (q, qd, qdd)))
    torque = lazy.total("panda_joint2").torque
    expected = carrying.load_breakdown(q, qd, qdd).total("panda_joint2").torque
    np.testing.assert_allclose(torque.compute(), expected, rtol=1e-12)


def test_robots_without_motion_or_mass() -> None:
    """A lone base, and links without any mass: no terms, and totals of zero."""
    base = lp.Robot("block", (lp.Link("block", lp.Inertia(1.0)),), ())
    loads = base.load_breakdown([], [], [])
    assert loads.values.shape == (0, 6) and loads.totals().shape == (0, 6)
    welded = lp.Robot(
        "post", (lp.Link("ground"), lp.Link("post", lp.Inertia(2.0))), (lp.Joint("weld", "ground", "post", lp.Fixed()),)
    )
    loads = welded.load_breakdown([], [], [])
    np.testing.assert_allclose(loads.total("weld").force, [0, 0, 2 * 9.81])
    assert loads.causes("weld") == ["gravity post"]


def test_large_robots_run_uncompiled_by_joint() -> None:
    """Too many terms to compile in reasonable time, and not known in pieces: the same numbers, with a warning."""
    robot = lp.catalog.random_chain(17, 1, "revolute")
    state = random_state(robot, np.random.default_rng(0))
    with pytest.warns(lp.UncompiledWarning, match="results a state"):
        loads = robot.load_breakdown(*state, by="joint")
    assert_sums(loads.totals(), all_six(robot.joint_wrenches(*state)))


def test_the_same_without_compiling() -> None:
    robot = lp.catalog.random_tree(4, 3).with_payload(1.0, link=lp.catalog.random_tree(4, 3).link_names[-1])
    q, qd, qdd = (np.random.default_rng(4).normal(size=(3, 2, size)) for size in (robot.nq, robot.n, robot.n))
    push = {robot.link_names[-1]: lp.Wrench(force=(1, 2, 3), torque=(4, 5, 6), axes="link")}
    options = {"external": push, "base_velocity": np.arange(6.0), "frame": "world", "by_link": True}
    at_once = robot.load_breakdown(q, qd, qdd, **options, compiled=False)
    assert not robot.load_terms._kernels  # nothing was compiled
    compiled = robot.load_breakdown(q, qd, qdd, **options)
    for part in ("values", "friction", "rotor"):
        np.testing.assert_allclose(getattr(at_once, part), getattr(compiled, part), rtol=1e-12, atol=1e-11)
    assert robot.load_breakdown(q, qd, qdd, **options, compiled=False).values.tobytes() == compiled.values.tobytes()
    with pytest.raises(ValueError, match="'qd' has the shape"):
        robot.load_breakdown(q, qd[..., :1], qdd, compiled=False)
