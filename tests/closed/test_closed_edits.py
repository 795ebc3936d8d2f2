"""Closed robots made from others: loops, couplings, drives and the start of the assembly stay right."""

from __future__ import annotations

import copy
import pickle
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp
from loadpath.engine.arguments import Variant

URDF = Path(__file__).parent / "urdf"


@cache
def bar() -> lp.ClosedRobot:
    found = lp.load(URDF / "four_bar_plus.urdf")
    assert isinstance(found, lp.ClosedRobot)
    return found.with_home(found.home)


@cache
def wrist() -> lp.ClosedRobot:
    found = lp.load(URDF / "geared_wrist.urdf")
    assert isinstance(found, lp.ClosedRobot)
    return found


def gap(robot: lp.ClosedRobot, q: np.ndarray) -> float:
    """How far the pin of the four-bar is open, from the poses of the tree."""
    poses = dict(zip(robot.link_names, robot.tree.link_poses.uncompiled(q), strict=True))
    return float(np.linalg.norm(poses["coupler"] @ [0.3, 0, 0, 1] - poses["rocker"] @ [0.25, 0, 0, 1]))


@pytest.mark.parametrize(
    "edit",
    [
        lambda r: r.with_payload(2.0, (0.1, 0, 0), link="coupler"),
        lambda r: r.with_payload(2.0, link="coupler").without_payload(),
        lambda r: r.with_gravity((0, 0, -1.6)),
        lambda r: r.with_inertias({"crank": lp.Inertia(3.0, (0.1, 0, 0))}),
        lambda r: r.without_friction(),
        lambda r: r.without_rotors(),
        lambda r: r.without_beams(),
        pickle.loads,
        copy.copy,
        copy.deepcopy,
    ],
    ids=["payload", "payload off", "gravity", "inertias", "friction", "rotors", "beams", "pickle", "copy", "deepcopy"],
)
def test_what_closes_it_is_kept(edit: object) -> None:
    made = edit(pickle.dumps(bar()) if edit is pickle.loads else bar())  # type: ignore[operator]
    assert isinstance(made, lp.ClosedRobot)
    assert (made.loops, made.couplings, made.drives, made.near) == (
        bar().loops,
        bar().couplings,
        bar().drives,
        bar().near,
    )
    assert made.driven == ("crank_joint",) and made.mobility == 1


def test_equal_robots_are_equal_and_others_are_not() -> None:
    same = pickle.loads(pickle.dumps(bar()))
    assert same == bar() and hash(same) == hash(bar()) and same.digest == bar().digest
    assert same.defined_by == bar().defined_by
    others = [
        bar().tree,
        bar().with_driven("rocker_joint"),
        bar().with_home(bar().home + 0.1),
        bar().with_coupling({"crank_joint": 1.0, "rocker_joint": 1.0}),
        bar().tree.with_loop(
            "pin", "coupler", "rocker", motion=lp.Revolute((0, 1, 0)), at=(0.3, 0, 0), on=(0.24, 0, 0)
        ),
    ]
    assert all(other != bar() and bar() != other for other in others)
    assert len({r.digest for r in (bar(), *others)}) == len(others) + 1
    assert len({r.defined_by for r in (bar(), *others)}) == len(others) + 1


def test_a_locked_drive_holds_the_mechanism() -> None:
    q = bar().home
    held = bar().locked({"crank_joint": q[0]})
    assert (held.n, held.mobility, held.driven, held.drives) == (2, 0, (), ())
    np.testing.assert_allclose(held.near, q[1:])
    assert gap(held, held.home) < 1e-10


def test_a_locked_passive_joint_holds_it_too() -> None:
    q = bar().home
    held = bar().locked({"coupler_joint": q[1]})
    assert held.mobility == 0
    assert held.near == tuple(q[[0, 2]])


def test_where_a_joint_is_locked_the_loop_is_closed_again() -> None:
    held = bar().locked({"crank_joint": bar().home[0] + 0.3})
    assert gap(held, held.home) < 1e-10


def test_what_is_locked_until_nothing_closes_it_is_an_open_chain() -> None:
    """The same arm, locked as a tree, is the reference: every question has the same answer."""
    tree = lp.catalog.planar(3, mass=2.0)
    held = {"joint1": 0.2, "joint2": 0.1}
    geared = tree.with_coupling({"joint1": 1.0, "joint2": -2.0}).locked(held)
    assert not geared.held_by_loops and not isinstance(geared, lp.ClosedRobot)
    alone = tree.locked(held)
    state = [0.1], [0.2], [0.3]
    loads = [robot.load_breakdown(*state).total("joint1") for robot in (geared, alone)]
    np.testing.assert_array_equal(loads[0].force, loads[1].force)
    np.testing.assert_array_equal(geared.inverse_dynamics(*state), alone.inverse_dynamics(*state))
    swings = [robot.simulate([0.1], [0.0], duration=0.1).q for robot in (geared, alone)]
    np.testing.assert_array_equal(*swings)
    assert str(geared.base_parameters()) == str(alone.base_parameters()) and lp.verify(geared).agrees
    rod = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    bent = tree.with_beams({"link3": rod}).with_coupling({"joint1": 1.0, "joint2": -2.0}).locked(held)
    assert isinstance(bent, lp.FlexibleRobot)
    sag = alone.with_beams({"link3": rod}).deflection([0.1]).tip.displacement
    np.testing.assert_allclose(bent.deflection([0.1]).tip.displacement, sag, rtol=1e-12)


def test_a_robot_without_loops_whose_drives_are_all_named_is_an_open_chain() -> None:
    tree = lp.catalog.planar(3, mass=2.0)
    named = tree.with_driven(*tree.dof_names)
    assert not named.held_by_loops and lp.verify(named).agrees
    state = [0.1, -0.2, 0.4], [0.2, 0.3, -0.1], [0.3, 0.0, 0.5]
    np.testing.assert_array_equal(named.inverse_dynamics(*state), tree.inverse_dynamics(*state))


@pytest.mark.parametrize("name", ["inverse_dynamics", "gravity_forces", "bias_forces", "forward_dynamics", "regressor"])
def test_what_is_written_for_loops_is_that_of_a_tree_where_there_are_none(name: str) -> None:
    tree = lp.catalog.planar(3, mass=2.0)
    state = [np.array(part) for part in ([0.1, -0.2, 0.4], [0.2, 0.3, -0.1], [0.3, 0.0, 0.5])]
    line = getattr(lp.ClosedRobot, name)
    arrays = state[: len(line.argument_names)]
    np.testing.assert_allclose(line.uncompiled(tree, Variant())(*arrays)[0], getattr(tree, name)(*arrays), rtol=1e-11)


def test_drives_that_are_all_locked_are_asked_for() -> None:
    five = (
        lp.catalog.planar(4)
        .with_loop("pin", "link4", "base", motion=lp.Revolute((0, 0, 1)), at=(1, 0, 0), q=(0.3, 0.9, 1.2, 0.8))
        .with_driven("joint1")
    )
    with pytest.raises(lp.ModelError, match=r"all of its drives, joint1, would be locked, and 1 freedoms are left"):
        five.locked({"joint1": 0.3})


def test_a_coupling_keeps_its_ratio_among_the_others() -> None:
    held = wrist().locked({"wrist_joint": 0.4})
    assert held.couplings == (lp.Coupling("belt", {"motor_joint": 0.25, "tool_joint": -1.0}, 0.4),)
    assert held.drives == ("motor_joint", "tool_joint") and held.mobility == 1
    both = held.locked({"tool_joint": 0.1})
    assert both.couplings == (lp.Coupling("belt", {"motor_joint": 0.25}, 0.5),)
    assert both.home == pytest.approx([2.0])
    assert type(both.locked({"motor_joint": 2.0})) is lp.Robot
    with pytest.raises(lp.ModelError, match=r"coupling 'belt' is broken .* motor_joint = 1 is 0\.25 off"):
        both.locked({"motor_joint": 1.0})


def test_a_free_base_comes_first() -> None:
    free = bar().floating()
    assert free.driven == (*free.dof_names[:6], "crank_joint")
    np.testing.assert_allclose(free.near, [0, 0, 0, 0, 0, 0, 1, *bar().home])
    assert free.mobility == 7 and gap(free, free.home) < 1e-10


def test_a_payload_that_closes_a_loop_stays() -> None:
    hook = lp.catalog.planar(3).with_payload(1.0, (0, 0, 0), link="tip", name="hook")
    closed = hook.with_loop("pin", "base", "hook", motion=lp.Revolute((0, 0, 1)), q=(0.4, 0.9, 0.7))
    with pytest.raises(lp.ModelError, match=r"loop 'pin'.*no link 'hook'"):
        closed.without_payload("hook")


def test_links_without_mass_do_not_warn_in_closed_chains_only() -> None:
    with pytest.warns(lp.ModelWarning, match="link 'coupler': no mass, though joint 'coupler_joint' moves it"):
        bar().tree.with_inertias({"coupler": lp.Inertia()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        light = bar().with_inertias({"coupler": lp.Inertia()})
        assert light.tree.link("coupler").inertia.is_zero
        light.with_gravity(0.0).with_payload(1.0, link="rocker").floating().tree  # noqa: B018
        light.locked({"crank_joint": 0.0})


def on_wheels(robot: lp.Robot, **options: object) -> lp.Rover:
    wheels = [lp.FixedWheel(position=(0.0, 0.4), radius=0.1, name="left", driven=True),
              lp.FixedWheel(position=(0.0, -0.4), radius=0.1, name="right", driven=True),
              lp.CasterWheel(position=(0.8, 0.0), radius=0.1, name="caster")]
    inertia = ((2.0, 0, 0), (0, 2.5, 0), (0, 0, 3.0))
    base = lp.WheeledBase(mass=60, inertia=inertia, center_of_mass=(0.3, 0, 0.2), wheels=wheels,
                          friction=lp.WheelFriction(sliding=0.7))
    return base.carrying(robot, at=(0.3, 0.0, 0.3), **options)  # type: ignore[arg-type]


def test_a_rover_carries_the_loops_of_its_robots() -> None:
    rover = on_wheels(lp.catalog.planar(1)).carrying(bar(), at=(0.1, 0.0, 0.3), prefix="left_")
    both = rover.robot
    assert isinstance(both, lp.ClosedRobot)
    assert [(loop.name, loop.first, loop.second) for loop in both.loops] == [
        ("left_pin", "left_coupler", "left_rocker")
    ]
    assert both.driven == ("joint1", "left_crank_joint")
    np.testing.assert_allclose(both.home, [0.0, *bar().home], atol=1e-9)
    tree = on_wheels(lp.catalog.planar(1)).carrying(bar().tree, at=(0.1, 0.0, 0.3), prefix="left_")
    np.testing.assert_allclose(rover.wheel_loads(both.home).normal, tree.wheel_loads(both.home).normal, rtol=1e-12)
    np.testing.assert_allclose(rover.planar.mass_matrix.uncompiled([0, 0, 0, *both.home]),
                               tree.planar.mass_matrix.uncompiled([0, 0, 0, *both.home]))


def test_loops_and_beams_on_one_base() -> None:
    soft = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    one, both = on_wheels(soft), on_wheels(soft).carrying(bar(), at=(0.1, 0.0, 0.3), prefix="left_")
    assert isinstance(both.robot, lp.ClosedFlexibleRobot)
    home = both.robot.home
    sag = one.deflection(home[:1])["link1"].rotation
    assert abs(sag).max() > 1e-5
    np.testing.assert_allclose(both.deflection(home)["link1"].rotation, sag, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("generalized", 0, "change those of robot.tree"),
    ],
)
def test_what_a_tree_has_and_loops_do_not_let_stand(name: str, arguments: int, words: str) -> None:
    states = [bar().home, np.zeros(3), np.zeros(3)][:arguments]
    for ask in (
        lambda: getattr(bar(), name)(*states),
        lambda: bar().c_source(name),
        lambda: bar().operation_count(name),
    ):
        with pytest.raises(lp.ModelError, match=rf"robot 'four_bar': {name} is refused: .*{words}"):
            ask()


def test_frames_that_do_not_meet_at_the_given_configuration_are_refused() -> None:
    arm, pin, q = lp.catalog.planar(3), lp.Revolute((0, 0, 1)), (0.5, 1.2, 0.9)
    closed = arm.with_loop("pin", "link3", "base", motion=pin, at=(1, 0, 0), q=q)
    on = closed.loops[0].on
    assert arm.with_loop("pin", "link3", "base", motion=pin, at=(1, 0, 0), on=on, q=q) == closed
    with pytest.raises(lp.ModelError, match=r"do not meet at the given q, they are 0.3 m and 0 rad apart"):
        arm.with_loop("pin", "link3", "base", motion=pin, at=(1.3, 0, 0), on=on, q=q)


def test_the_only_end_is_the_one_that_no_loop_holds() -> None:
    rod = lp.Link("rod", lp.Inertia(1.0, (0.5, 0, 0)))
    joint = lp.Joint("rod_joint", "base", "rod", lp.Revolute((0, 0, 1)), (0.3, 0, 0))
    arm = lp.catalog.planar(3)
    arm = lp.Robot("arm", (*arm.links, rod), (*arm.joints, joint))
    with pytest.raises(ValueError, match="several ends, 'tip', 'rod'"):
        arm.with_payload(1.0)
    closed = arm.with_loop("pin", "rod", "link2", motion=lp.Revolute((0, 0, 1)), at=(1.0, 0, 0), on=(0.5, 0, 0))
    assert closed.with_payload(1.0).joint("payload_joint").parent == "tip"


def test_couplings_and_drives_that_make_no_sense() -> None:
    arm = lp.catalog.planar(2)
    with pytest.raises(lp.ModelError, match=r"ratios are \['joint1'\], expected a dict"):
        arm.with_coupling(["joint1"])  # type: ignore[arg-type]
    with pytest.raises(lp.ModelError, match="'joint1' is driven 2 times"):
        arm.with_coupling({"joint1": 1.0, "joint2": 1.0}).with_driven("joint1", "joint1")
    base = replace(arm.links[0], inertia=lp.Inertia(1.0, tensor=np.eye(3)))
    floating = replace(arm, links=(base, *arm.links[1:])).floating()
    with pytest.raises(lp.ModelError, match=r"'floating_base.vx' with a coordinate of .*; there are joint1, joint2$"):
        floating.with_coupling({"floating_base.vx": 1.0, "joint2": 1.0})


@pytest.mark.parametrize(
    ("q", "words"),
    [
        ([0, 0, 0], "frames do not meet at the given q, they are 2 m and 0 rad apart"),
        ([0, np.nan, 0], "loop 'pin': q of 'joint2' is nan"),
        ([0, 0], r"loop 'pin': q has the shape \(2,\): expected \(3,\)"),
        ("home", "loop 'pin': q is 'home': expected 3 numbers"),
    ],
)
def test_configurations_that_do_not_fit_a_new_loop_are_refused(q, words):
    frames = {"at": lp.Pose.from_xyz_rpy((1, 0, 0), (np.pi / 2, 0, 0)), "on": (1, 0, 0)}
    with pytest.raises(lp.ModelError, match=words):
        lp.catalog.planar(3).with_loop("pin", "base", "link3", motion=lp.Revolute((0, 0, 1)), **frames, q=q)


def test_a_home_that_is_no_configuration_is_refused():
    with pytest.raises(lp.ModelError, match="with_home: q of 'crank_joint' is nan"):
        bar().with_home([np.nan, 0, 0])
    with pytest.raises(lp.ModelError, match="coordinate 'crank_joint' of the configuration to start from is inf"):
        replace(bar(), near=(np.inf, 0.0, 0.0))


def test_a_start_beyond_limits_is_named_where_nothing_closes():
    arm = lp.catalog.planar(3)
    stiff = replace(arm.joints[2], limits=(lp.Limits(-0.5, 0.5),))
    arm = replace(arm, joints=(*arm.joints[:2], stiff, *arm.joints[3:]))
    closed = arm.with_loop("weld", "base", "link3", motion=lp.Fixed(), at=(1.5, 0, 0.5), q=[0.3, 0.9, 1.2])
    with pytest.raises(lp.ModelError, match=r"this start is beyond limits: 'joint3' at 1.2, limits -0.5 and 0.5"):
        _ = closed.home
