"""Which end is meant where none is named: frames on one body are one, fingers none, of two arms neither."""

import warnings

import pytest

import loadpath as lp
from real_robots import REAL_ROBOTS

BODY = lp.Inertia(1.0, (0, 0, 0.05))


def real(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lp.load(REAL_ROBOTS[name])


@pytest.mark.parametrize(
    ("name", "flange"),
    [
        ("ur_description/ur10_robot", "tool0"),
        ("ur_description/ur5_gripper", "tool0"),
        ("kinova_description/kinova", "j2s6s200_end_effector"),
        ("panda_description/panda", "panda_hand_tcp"),
        ("tiago_description/tiago", "hand_grasping_frame"),
        ("tiago_description/tiago_no_hand", "wrist_ft_tool_link"),
        ("anymal_b_simple_description/anymal-kinova", "j2s6s200_end_effector"),
    ],
)
def test_the_flange_of_real_robots(name, flange):
    robot = real(name)
    with pytest.warns(lp.ModelWarning, match=f"the payload is on '{flange}', where no link is named"):
        loaded = robot.with_payload(1.0)
    assert loaded.joint("payload_joint").parent == flange
    with pytest.warns(lp.ModelWarning, match=f"the payload is on '{flange}'"):  # what is carried is no end of its own
        assert loaded.with_payload(0.5, name="payload2").joint("payload2_joint").parent == flange


@pytest.mark.parametrize(
    ("name", "likely"),
    [("talos_data/talos_full_v2", "gripper_right_base_link"), ("tiago_description/tiago_dual", "grasping_frame"),
     ("solo_description/solo12", "FOOT"), ("allegro_hand_description/allegro_left_hand", "tip")],
)
def test_no_choice_between_two_arms(name, likely):
    with pytest.raises(ValueError, match=f"has several ends, .*name the link, like link='.*{likely}'"):
        real(name).with_payload(1.0)


def iiwa():
    """Seven joints and the frames that iiwa files have on link 7, one welded to the base."""
    links = [lp.Link("world"), lp.Link("iiwa_link_0", BODY), *(lp.Link(f"iiwa_link_{k}", BODY) for k in range(1, 8))]
    joints = [lp.Joint("world_joint", "world", "iiwa_link_0", lp.Fixed())]
    joints += [lp.Joint(f"iiwa_joint_{k}", f"iiwa_link_{k - 1}", f"iiwa_link_{k}", lp.Revolute((0, k % 2, 1 - k % 2)),
                        (0, 0, 0.18))
               for k in range(1, 8)]
    for frame, parent in (("iiwa_link_ee", "iiwa_link_7"), ("camera_frame", "iiwa_link_7"), ("table", "world")):
        links.append(lp.Link(frame))
        joints.append(lp.Joint(f"{frame}_joint", parent, frame, lp.Fixed(), (0, 0, 0.04)))
    return lp.Robot("iiwa", tuple(links), tuple(joints))


def test_all_that_ask_for_the_only_end_find_the_same():
    arm = iiwa()
    level = [0.0] * 7
    with pytest.warns(lp.ModelWarning, match="'iiwa_link_ee'"):
        assert arm.with_payload(1.0).joint("payload_joint").parent == "iiwa_link_ee"
    with pytest.warns(lp.ModelWarning, match="'iiwa_link_ee'"):
        found = arm.max_payload((level, level, level), {"iiwa_joint_2": 500.0})
    assert found.link == "iiwa_link_ee"
    with pytest.warns(lp.ModelWarning, match="taken is the link 'iiwa_link_ee'"):
        own = arm.jacobian(level)
    assert (own == arm.jacobian(level, link="iiwa_link_ee")).all()


def test_a_wrong_mass_comes_before_the_question_of_the_link():
    with pytest.raises(lp.ModelError, match="mass is -1"):
        real("talos_data/talos_full_v2").with_payload(-1.0)
