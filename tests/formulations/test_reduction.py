"""Frames on joint axes and regrouped inertias change nothing but the cost: plain, reframed and reduced agree."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import loadpath as lp
from loadpath.engine.arguments import Variant
from loadpath.engine.trace import count, trace
from loadpath.formulations import newton_euler
from loadpath.robot.catalog.random_robots import random_inertia
from loadpath.robot.joints import JointType
from loadpath.robot.mechanism import Mechanism, plain
from loadpath.robot.model import RobotModel
from loadpath.robot.reduction import reduced, reframed
from on_scalars import on_arrays
from references.to_pinocchio import random_state

TOLERANCE = 1e-12


def assert_all_agree(robot: RobotModel, seed: int = 1) -> None:
    state = random_state(robot, np.random.default_rng(seed))
    own, framed, grouped = (
        on_arrays(newton_euler.inverse_dynamics, mechanism(robot), *state) for mechanism in (plain, reframed, reduced)
    )
    force, torque = on_arrays(newton_euler.joint_wrenches, plain(robot), *state)
    slack = TOLERANCE * max(np.abs(part).max(initial=0.0) for part in (own, force, torque))
    np.testing.assert_allclose(framed, own, rtol=0, atol=slack)
    np.testing.assert_allclose(grouped, own, rtol=0, atol=slack)
    same_force, same_torque = on_arrays(newton_euler.joint_wrenches, reframed(robot), *state)
    np.testing.assert_allclose(same_force, force, rtol=0, atol=slack)
    np.testing.assert_allclose(same_torque, torque, rtol=0, atol=slack)


def chain(motions: list[JointType], origins: list[lp.Pose], seed: int, masses: list[bool] | None = None) -> lp.Robot:
    rng = np.random.default_rng(seed)
    heavy = masses or [True] * len(motions)
    links = [lp.Link("base")]
    joints = []
    for i, (motion, origin) in enumerate(zip(motions, origins, strict=True)):
        inertia = random_inertia(rng)
        links.append(lp.Link(f"link{i}", inertia if heavy[i] else lp.Inertia()))
        joints.append(lp.Joint(f"joint{i}", links[-2].name, links[-1].name, motion, origin))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        return lp.Robot("chain", tuple(links), tuple(joints))


def tilted(rng: np.random.Generator, tilt: float, reach: float) -> lp.Pose:
    """The next axis off parallel by `tilt`, in a random direction, at a random place."""
    direction = rng.uniform(0, math.tau)
    lean = Rotation.from_rotvec(tilt * np.array([math.cos(direction), math.sin(direction), 0.0]))
    turn = Rotation.from_euler("z", rng.uniform(-3, 3)) * lean
    return lp.Pose(turn.as_matrix().tolist(), (reach * rng.normal(size=3)).tolist())


TILTS = [0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-9, 1e-8, 3e-8, 1e-7, 1e-5, 1e-3, 0.049, 0.051, math.pi / 2]


@pytest.mark.parametrize("tilt", TILTS)
def test_parallel_and_nearly_parallel_axes(tilt: float) -> None:
    rng = np.random.default_rng(2)
    for kinds, reach in (
        ((lp.Revolute,), 0.5),
        ((lp.Revolute, lp.Prismatic), 10.0),
        ((lp.Revolute, lp.Cylindrical), 0.0),
        ((lp.Prismatic, lp.Prismatic, lp.Helical), 0.5),
    ):
        motions = [kinds[i % len(kinds)]() for i in range(4)]
        assert_all_agree(chain(motions, [tilted(rng, tilt, reach) for _ in motions], 3))


@pytest.mark.parametrize("tilt", [1e-9, 1e-8, 3e-8])
def test_frames_off_by_a_tilt_whose_cosine_is_one(tilt: float) -> None:
    """The torque of a rod that should stand on end but leans a little is that little, not zero."""
    lean = lp.Pose(Rotation.from_euler("y", tilt).as_matrix().tolist())
    pole = lp.Robot(
        "pole",
        (lp.Link("base"), lp.Link("pole", lp.Inertia(1.0, (0.0, 0.0, 1.0)))),
        (lp.Joint("joint", "base", "pole", lp.Revolute((0, 1, 0)), lean),),
    )
    for mechanism in (plain, reframed, reduced):
        found = on_arrays(newton_euler.gravity_forces, mechanism(pole), np.zeros(1))
        assert found[0] == pytest.approx(-9.81 * tilt, rel=1e-6)


ORIGINS = {
    "coincident axes": lp.Pose(),
    "same axis, further on": lp.Pose(translation=(0, 0, 0.4)),
    "parallel axes": lp.Pose(translation=(0.3, -0.2, 0.0)),
    "opposite axes": lp.Pose.from_xyz_rpy((0.3, 0, 0.1), (math.pi, 0, 0)),
    "axes that meet at a right angle": lp.Pose.from_xyz_rpy((0, 0, 0), (math.pi / 2, 0, 0)),
    "axes that meet further on": lp.Pose.from_xyz_rpy((0, 0, 0.7), (0, 0.6, 0)),
    "axes that meet behind": lp.Pose.from_xyz_rpy(Rotation.from_euler("y", 0.6).apply((0, 0, 0.5)), (0, 0.6, 0)),
    "crossing axes": lp.Pose.from_xyz_rpy((0.4, 0.1, 0.2), (0.3, -1.2, 2.0)),
}
KINDS = [lp.Revolute, lp.Prismatic, lp.Helical, lp.Cylindrical, lp.Planar, lp.Spherical, lp.Universal, lp.Fixed]


@pytest.mark.parametrize("name", ORIGINS)
def test_special_positions_of_axes(name: str) -> None:
    for first, second in zip([*KINDS, lp.Revolute], [*KINDS[2:4], *KINDS[:4], *KINDS[:2], lp.Revolute], strict=True):
        motions = [first(), second(), lp.Revolute((0.0, 0.6, -0.8))]
        assert_all_agree(chain(motions, [lp.Pose(translation=(0, 0, 1)), ORIGINS[name], ORIGINS[name]], 4))


axes = st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (-1, 0, 0), (0, 0.6, 0.8), (1, 1, 1)])
turns = st.sampled_from([0.0, math.pi / 2, -math.pi / 2, math.pi, 0.3, 1e-8, math.pi / 2 + 1e-9])
lengths = st.sampled_from([0.0, 0.0, 0.3, -1.0, 1e-9, 50.0])
origins = st.builds(lp.Pose.from_xyz_rpy, st.tuples(lengths, lengths, lengths), st.tuples(turns, turns, turns))
motions = st.one_of(
    st.builds(lp.Revolute, axes, turns),
    st.builds(lp.Prismatic, axes),
    st.builds(lp.Helical, axes, turns, pitch=st.sampled_from([-0.1, 0.2])),
    st.builds(lp.Cylindrical, axes, turns),
    st.sampled_from([lp.Fixed(), lp.Planar(), lp.Translational(), lp.Spherical(), lp.Free(), lp.Universal()]),
)


@given(st.data(), st.integers(1, 6))
def test_trees_of_nasty_geometry(data: st.DataObject, n: int) -> None:
    """Whole quarter turns, almost quarter turns, zero lengths, huge offsets, massless links, branches anywhere."""
    rng = np.random.default_rng(5)
    links, joints = [lp.Link("base")], []
    for i in range(n):
        parent = data.draw(st.sampled_from(links)).name
        heavy = data.draw(st.booleans())
        links.append(lp.Link(f"link{i}", random_inertia(rng) if heavy else lp.Inertia()))
        joints.append(
            lp.Joint(f"joint{i}", parent, f"link{i}", data.draw(motions), data.draw(origins), data.draw(origins))
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        assert_all_agree(lp.Robot("tree", tuple(links), tuple(joints)))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_of_all_joints(seed: int) -> None:
    robot = lp.catalog.random_tree(16, seed, "all", general=True, drives=True)
    assert_all_agree(robot)
    assert_all_agree(robot.floating())


@pytest.mark.parametrize(
    "robot",
    [
        lp.catalog.random_tree(6, 1, "fixed", general=True),
        lp.catalog.random_chain(1, 2, general=True),
        lp.catalog.random_chain(1, 2, "free", general=True),
        lp.catalog.random_chain(40, 3, "revolute"),
        lp.catalog.random_chain(40, 4, "all", general=True),
        lp.catalog.random_chain(30, 5, ["fixed"] * 9 + ["revolute"], general=True),
        lp.catalog.random_chain(5, 6, "prismatic", general=True),
    ],
    ids=["welds only", "one joint", "one free joint", "40 in a DH chain", "40 of all", "long welds", "slides"],
)
def test_extreme_sizes(robot: RobotModel) -> None:
    assert_all_agree(robot)


def test_branches_at_the_base() -> None:
    star = lp.catalog.random_tree(9, 7, "revolute", general=True)
    joints = tuple(replace(joint, parent="base") for joint in star.joints)
    assert_all_agree(replace(star, joints=joints))


def test_massless_links_anywhere() -> None:
    rng = np.random.default_rng(8)
    motions = [lp.Revolute(), lp.Prismatic((1, 0, 0)), lp.Revolute((0, 1, 0)), lp.Fixed(), lp.Revolute()]
    for heavy in ([False] * 5, [False, False, True, False, False], [True, False, False, False, True]):
        assert_all_agree(chain(motions, [tilted(rng, 0.7, 0.4) for _ in motions], 9, heavy))


# What it costs


def cost(robot: RobotModel, mechanism: Mechanism) -> tuple[int, int]:
    quantity = lp.Robot.inverse_dynamics
    inputs, outputs = quantity.operands(robot, Variant())
    tally = count(trace(lambda *x: newton_euler.inverse_dynamics(mechanism, *x), "cost", inputs, outputs))
    return tally.multiplications, tally.additions


@pytest.mark.parametrize("seed", range(4))
def test_a_general_arm_of_six_revolute_joints_costs_no_more_than_the_best_published(seed: int) -> None:
    """Khalil and Kleinfinger's 425 multiplications and 369 additions."""
    found = lp.catalog.random_dh_arm(6, seed).operation_count("inverse_dynamics")
    assert found.multiplications <= 425
    assert found.additions <= 369


@pytest.mark.parametrize(
    "robot",
    [
        lp.catalog.random_dh_arm(6, 1),
        lp.catalog.panda(hand=True),
        lp.catalog.puma560(),
        lp.catalog.lau_arm(),
        lp.catalog.planar(5),
        lp.catalog.random_chain(6, 2, general=True),
        lp.catalog.random_tree(12, 3, "all", general=True),
        lp.catalog.random_chain(4, 4, ["spherical", "universal", "planar", "free"], general=True),
        lp.catalog.random_chain(6, 5, "prismatic", general=True),
    ],
    ids=lambda robot: robot.name,
)
def test_reduction_makes_nothing_much_dearer(robot: RobotModel) -> None:
    before, after = sum(cost(robot, plain(robot))), sum(cost(robot, reduced(robot)))
    assert after <= 1.2 * before


def test_welds_and_frames_cost_nothing() -> None:
    """The panda with a welded, massless tip costs what it costs without."""
    arm = lp.catalog.panda()
    tipped = replace(
        arm,
        links=(*arm.links, lp.Link("tool")),
        joints=(*arm.joints, lp.Joint("weld", "panda_link8", "tool", lp.Fixed(), lp.Pose(translation=(0, 0.1, 0.2)))),
    )
    assert cost(tipped, reduced(tipped)) == cost(arm, reduced(arm))


def test_operations_grow_linearly_with_the_joints() -> None:
    costs = [sum(cost(robot, reduced(robot))) for robot in (lp.catalog.random_dh_arm(n, 1) for n in (6, 12, 24))]
    assert (costs[2] - costs[1]) == pytest.approx(2 * (costs[1] - costs[0]), rel=0.02)
