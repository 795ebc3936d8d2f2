"""Freedoms of linkages where counting fails, and words for what is wrong."""

from __future__ import annotations

import re

import numpy as np
import pytest

import loadpath as lp
from closed.linkages_by_hand import bennett, four_bar, sarrus


def test_four_hinges_in_a_plane() -> None:
    bar = four_bar(0.3, 0.8, 0.6, 0.7)
    assert (bar.mobility, bar.gruebler) == (1, -2)
    assert bar.driven == bar.independent == ("crank_joint",)
    assert bar.passive == ("coupler_joint", "rocker_joint")
    words = bar.mobility_report()
    assert "has 1 freedom: 3 speeds of its tree, 5 directions held by 1 loop, of which 2 are independent" in words
    assert "count is 3 - 5 = -2: 3 directions are held more than once" in words
    assert "- loop 'pin' holds 5, of which 2 restrict the motion; 3 are held already" in words


def test_bennett_and_sarrus_move_though_the_count_says_otherwise() -> None:
    assert (bennett().mobility, bennett().gruebler) == (1, -2)
    assert (sarrus().mobility, sarrus().gruebler) == (1, 0)
    # and they do: finitely, not only by rank at one pose
    linkage = bennett()
    moved = linkage.assemble({"hinge1": linkage.home[0] + np.linspace(0, 1.0, 12)})
    assert moved.error.max() < 1e-12 and np.ptp(moved.q, axis=0).min() > 0.3
    # opposite hinges turn alike
    np.testing.assert_allclose(np.abs(moved.q[:, 2]), np.abs(moved.q[:, 0]), atol=1e-9)


def test_a_linkage_that_is_not_quite_bennetts_does_not_move() -> None:
    links, joints = bennett().links, list(bennett().joints)
    skew = lp.Pose(joints[1].origin.rotation, (0.41, 0.0, 0.0))
    joints[1] = lp.Joint("hinge2", "one", "two", lp.Revolute(), origin=skew)
    tree = lp.Robot("not_bennett", links, tuple(joints))
    stiff = tree.with_loop("hinge4", "three", "base", at=bennett().loops[0].at, q=bennett().home)
    assert stiff.mobility == 0
    assert "nothing can move: it is a structure" in stiff.mobility_report()


def test_a_parallelogram_with_a_third_crank_still_moves() -> None:
    y = (0.0, 1.0, 0.0)
    links = tuple(lp.Link(n, lp.Inertia(1.0, (0.1, 0, 0))) for n in ("base", "crank", "coupler", "rocker", "third"))
    joints = (
        lp.Joint("crank_joint", "base", "crank", lp.Revolute(y)),
        lp.Joint("coupler_joint", "crank", "coupler", lp.Revolute(y), origin=(0.3, 0, 0)),
        lp.Joint("rocker_joint", "base", "rocker", lp.Revolute(y), origin=(0.8, 0, 0)),
        lp.Joint("third_joint", "base", "third", lp.Revolute(y), origin=(0.4, 0, 0)),
    )
    tree = lp.Robot("three_cranks", links, joints)
    q = np.array([0.7, -0.7, 0.7, 0.7])
    robot = tree.with_loop("pin1", "coupler", "rocker", motion=lp.Revolute(y), at=(0.8, 0, 0), q=q)
    robot = robot.with_loop("pin2", "coupler", "third", motion=lp.Revolute(y), at=(0.4, 0, 0), q=q)
    assert (robot.mobility, robot.gruebler) == (1, -6)
    words = robot.mobility_report()
    assert "loop 'pin2' holds 5, of which 1 restricts the motion" in words
    assert "1 by the loops before it" in words


def test_a_differential_has_the_freedoms_of_its_ratios() -> None:
    names = ("motor_a", "motor_b", "wrist")
    links = (lp.Link("base"), *(lp.Link(f"{n}_body", lp.Inertia(1.0, tensor=np.eye(3))) for n in names))
    tree = lp.Robot("wrist", links, tuple(lp.Joint(n, "base", f"{n}_body", lp.Revolute()) for n in names))
    robot = tree.with_coupling({"motor_a": 1.0, "motor_b": -1.0, "wrist": 40.0})
    assert (robot.mobility, robot.gruebler, robot.driven) == (2, 2, ("motor_a", "motor_b"))
    assert "no direction is held twice" in robot.mobility_report()
    same = robot.with_coupling({"motor_a": 2.0, "motor_b": -2.0, "wrist": 80.0}, name="again")
    assert (same.mobility, same.gruebler) == (2, 1)
    contrary = robot.with_coupling({"motor_a": 2.0, "motor_b": -2.0, "wrist": 80.0}, name="again", offset=1.0)
    with pytest.raises(lp.ModelError, match=r"couplings 'coupling1', 'again' contradict each other: .*\(0, 1\)"):
        _ = contrary.home


def test_loops_that_cannot_close_say_how_far_they_are_apart() -> None:
    with pytest.raises(lp.ModelError, match=r"loop 'pin' stays 1\.4 m and 0 rad open in the nearest configuration"):
        _ = four_bar(0.3, 0.2, 0.1, 2.0).home


def test_drives_are_chosen_or_named_and_judged() -> None:
    bar = four_bar(0.3, 0.8, 0.6, 0.7)
    assert bar.with_driven("rocker_joint").independent == ("rocker_joint",)
    both = bar.with_driven("rocker_joint", "crank_joint")
    assert both.driven == ("rocker_joint", "crank_joint") and both.independent == ("rocker_joint",)
    assert "1 drive more than the 1 freedom that they move" in both.mobility_report()
    five = lp.catalog.five_bar()
    half = five.with_driven(five.driven[1])
    assert half.independent[0] == five.driven[1] and len(half.independent) == 2
    assert f"the drives leave 1 freedom open: {half.independent[1]}" in half.mobility_report()
    with pytest.raises(lp.ModelError, match="'pump'"):
        bar.with_driven("pump")


def test_a_drive_where_loops_hold_moves_nothing() -> None:
    tree = lp.catalog.planar(3)
    held = tree.with_loop("weld", "base", "link1", motion=lp.Fixed(), q=[0.3, 0.1, 0.2])
    assert held.mobility == 2 and held.driven == ("joint2", "joint3")
    words = held.with_driven("joint1", "joint2").mobility_report()
    assert "the loops hold joint1: a drive there moves nothing" in words


def test_rods_between_ball_joints_spin_and_nothing_asks_for_it() -> None:
    """An ankle with two motors: rods with balls at both ends have a freedom each that nobody means."""

    def ankle(upper: lp.JointType) -> lp.ClosedRobot:
        bodies = ("foot", "crank_l", "rod_l", "crank_r", "rod_r")
        joints, loops = [lp.Joint("ankle", "shank", "foot", lp.Universal((0, 1, 0), (1, 0, 0)))], []
        for side, y in (("l", 0.05), ("r", -0.05)):
            joints += [lp.Joint(f"motor_{side}", "shank", f"crank_{side}", lp.Revolute((0, 1, 0)), (0, y, 0.25)),
                       lp.Joint(f"ball_{side}", f"crank_{side}", f"rod_{side}", upper, (-0.04, 0, 0))]
            loops.append((f"heel_{side}", f"rod_{side}", (-0.04, y, 0)))
        links = (lp.Link("shank"), *(lp.Link(name, lp.Inertia(0.1, (0, 0, -0.1), np.eye(3) / 1e3)) for name in bodies))
        tree: lp.Robot = lp.Robot("ankle", links, tuple(joints))
        for name, rod, on in loops:
            tree = tree.with_loop(name, rod, "foot", motion=lp.Spherical(), at=(0, 0, -0.25), on=on)
        assert isinstance(tree, lp.ClosedRobot)
        return tree.with_driven("motor_l", "motor_r")

    loose, still, t = ankle(lp.Spherical()), np.zeros(10), np.linspace(0, 1, 11)
    assert loose.inverse_dynamics(loose.home, still, still)[list(loose.split.driven)].all()
    held = ankle(lp.Universal((1, 0, 0), (0, 1, 0)))
    assert held.mobility == 2 and loose.mobility == 4
    speeds = [dict(zip(robot.dof_names, robot.complete(robot.home, [0.1, 0.2]).qd, strict=True))
              for robot in (loose, held)]
    for name in ("ankle.first", "ankle.second", "motor_l", "motor_r"):  # spins are nobody's matter
        np.testing.assert_allclose(speeds[0][name], speeds[1][name], rtol=0, atol=1e-14)
    for motion in (lp.Motion.swing(loose), loose.motion(t, 0.3 * np.stack([t, t], axis=1))):
        assert loose.closure(motion.q).max() < 1e-9
        assert abs(loose.constraint_jacobian(motion.q) @ motion.qd[..., None]).max() < 1e-12
    spins = r"two ball joints \('ball_l' and 'heel_l'; 'ball_r' and 'heel_r'\) spins .* make one of each two an lp"
    assert re.search(spins, loose.mobility_report().replace("\n", " "))


def test_one_direction_is_singular() -> None:
    assert "1 direction held by 1 coupling, of which 1 is independent" in lp.catalog.planar(2).with_coupling(
        {"joint1": 1.0, "joint2": -2.0}).mobility_report()
