"""Parts on and off robots: names, ratios, duplicates, and that every edit keeps them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from plain_parts import Coupling, Pin

import loadpath as lp


def test_parts_are_kept_by_joint_in_the_order_given() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": [Pin(100.0), Coupling(5.0)], "tip_joint": Pin(3.0)})
    assert arm.parts == (("joint1", Pin(100.0)), ("joint1", Coupling(5.0)), ("tip_joint", Pin(3.0)))
    assert lp.catalog.planar(2).parts == ()
    assert [name for name, _ in arm.with_parts({"joint2": [Pin(1.0)]}).parts] == ["joint1", "joint1", "tip_joint",
                                                                                  "joint2"]


def test_parts_come_off_all_at_once_or_by_joint() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": Pin(1.0), "joint2": Pin(2.0)})
    assert arm.without_parts() == lp.catalog.planar(2)
    assert arm.without_parts("joint1").parts == (("joint2", Pin(2.0)),)
    with pytest.raises(lp.ModelError, match=r"no parts at a joint 'joint3'; did you mean 'joint"):
        arm.without_parts("joint3")
    with pytest.raises(lp.ModelError, match="has none at all"):
        lp.catalog.planar(1).without_parts("joint1")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"joint_2": [Pin(1.0)]}, r"'joint_2', which robot 'planar2' does not have; did you mean 'joint2'\?"),
        ({"joint2": [Pin(1.0), Pin(2.0)]}, "two parts called 'pin'"),
        ({"joint2": Pin}, "Pin is a class|expected parts like"),
        ({"joint2": [Pin]}, r"Pin is a class: give its numbers, Pin\(\.\.\.\)"),
        ({"joint2": [4.0]}, "4.0 is no part"),
        ({"joint2": "bearing"}, "expected parts like"),
        ([Pin(1.0)], "expected a dict from joints to parts"),
    ],
)
def test_what_is_no_part_or_no_joint_is_refused_by_name(given: object, words: str) -> None:
    with pytest.raises(lp.ModelError, match=words):
        lp.catalog.planar(2).with_parts(given)


def test_two_of_a_kind_need_names() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint2": [Pin(1.0, name="left"), Pin(1.0, name="right")]})
    assert [part.label for _, part in arm.parts] == ["left", "right"]
    with pytest.raises(lp.ModelError, match="two parts called 'left'"):
        arm.with_parts({"joint2": Pin(5.0, name="left")})


def test_a_gear_has_the_ratio_of_the_rotor() -> None:
    arm = lp.catalog.puma560()  # its joint 1 has a ratio of -62.6111
    assert arm.with_parts({"joint1": Coupling(1.0, ratio=62.6111)}).parts
    with pytest.raises(lp.ModelError, match=r"ratio is 60 in coupling and -62\.6111 in its drive train"):
        arm.with_parts({"joint1": Coupling(1.0, ratio=60.0)})


def test_edits_and_pickles_keep_parts() -> None:
    pin = ("joint1", Pin(1.0))
    arm = lp.catalog.planar(2).with_parts({"joint1": Pin(1.0)})
    beam = lp.Beam(lp.Tube(outer_radius=0.02, wall=0.002), lp.ALUMINIUM, end="tip_joint")
    changed = [
        arm.with_payload(1.0),
        arm.with_payload(1.0).without_payload(),
        arm.with_gravity(1.6),
        arm.with_inertias({"link1": lp.Inertia(2.0)}),
        arm.locked({"joint1": 0.3}),
        arm.with_inertias({"base": lp.Inertia(1.0, (0, 0, 0), np.eye(3))}).floating(),
        arm.without_friction(),
        arm.without_rotors(),
        arm.with_beams({"link2": beam}),
        arm.with_beams({"link2": beam}).without_beams(),
        arm.with_coupling({"joint1": 1.0, "joint2": -1.0}),
        pickle.loads(pickle.dumps(arm)),
        replace(arm, name="other"),
    ]
    assert all(pin in robot.parts for robot in changed)
    assert pickle.loads(pickle.dumps(arm)) == arm
    rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.4)).carrying(arm, at=(-0.1, 0, 0.4), prefix="b_")
    assert rover.robot.parts == (pin, ("b_joint1", Pin(1.0)))
    grip = lp.Pose.from_xyz_rpy((0.1, 0, 0), (0, 3.141592653589793, 0))
    three = lp.catalog.planar(3, length=0.5).with_parts({"joint1": Pin(1.0)})
    turned = lp.Pose.from_xyz_rpy((1.2, 0, 0), (0, 0, 3.141592653589793))
    pair = lp.grasp({"l": lp.Hold(three, grip=(-0.1, 0, 0)), "r": lp.Hold(three, base=turned, grip=grip)},
                    lp.Inertia(2.0), q={"l": [1.0, -1.5, 0.6], "r": [1.0, -1.5, 0.6]})
    assert [name for name, _ in pair.parts] == ["l_joint1", "r_joint1"]


def test_a_part_whose_joint_is_gone_is_named() -> None:
    robot = lp.catalog.panda().floating().with_parts({"floating_base": Pin(1.0)})
    bare = replace(lp.catalog.planar(1), parts=robot.parts)
    with pytest.raises(lp.ModelError, match="pin sits at joint 'floating_base', which robot 'planar1' has no more"):
        bare.verdict(([0.0], [0.0], [0.0]))


def test_notebooks_and_info_mention_parts() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": [Pin(1.0), Coupling(2.0, name="R+W")]})
    assert "parts: joint1: pin, R+W" in arm._repr_html_()


def test_of_parts_that_come_together_each_joint_is_asked_about_its_own() -> None:
    """Motors of 1.4 and of 1400 N m behind gears of 100 and 157 N m: the second is in other units."""
    drives = {name: lp.Drive(ratio=100) for name in ("joint1", "joint2")}
    gear = lp.StrainWaveGear(ratio=100, peak_torque=157)
    arm = lp.catalog.planar(2).with_drives(drives).with_parts({"joint1": gear, "joint2": gear})
    with pytest.warns(lp.ModelWarning, match="in mN m or N mm") as caught:
        arm.with_parts({"joint1": lp.Motor(peak_torque=1.4), "joint2": lp.Motor(peak_torque=1400)})
    (only,) = (str(one.message) for one in caught)
    assert only.startswith("joint 'joint2': motor has 1400 N m (peak_torque) times 100 at the joint, and strain wave")
