"""What cannot be a link, a joint or a robot is refused where it is made, by the name of the field and its value."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import loadpath as lp

HINGE = lp.Revolute()
BODY = lp.Inertia(1.0, (0.1, 0, 0), np.diag([0.01, 0.01, 0.01]))


def joint(**parts: Any) -> lp.Joint:
    return lp.Joint(**{"name": "j", "parent": "base", "child": "arm", "motion": HINGE, **parts})


LINKS = (lp.Link("base"), lp.Link("arm", BODY))


def robot(links: Any = LINKS, joints: Any = None, **more: Any) -> lp.Robot:
    return lp.Robot("r", links, (joint(),) if joints is None else joints, **more)


MATRIX = np.array([[0.0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    "origin", [(0, 0, 1), [0.0, 0.0, 1.0], np.array([0, 0, 1]), lp.Pose(translation=(0, 0, 1)), MATRIX, MATRIX.tolist()]
)
def test_an_origin_may_be_a_pose_a_matrix_or_a_position(origin: Any) -> None:
    made = joint(origin=origin, link_offset=origin)
    assert isinstance(made.origin, lp.Pose)
    assert made.origin == made.link_offset
    assert made.origin.translation == (0.0, 0.0, 1.0)
    height = robot(joints=(joint(origin=origin),)).link_poses([0.2])[1][2, 3]
    assert height == 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: joint(origin="x"), r"origin of joint 'j' is 'x': expected an lp.Pose, a 4 x 4 matrix, or a position"),
        (lambda: joint(origin=None), "origin of joint 'j' is None"),
        (lambda: joint(origin=1.0), "origin of joint 'j' is 1.0"),
        (lambda: joint(origin=np.eye(3)), r"origin of joint 'j' has the shape \(3, 3\)"),
        (lambda: joint(origin=2 * np.eye(4)), "origin of joint 'j': pose of the shape .* with the last row"),
        (lambda: joint(origin=np.diag([2, 1, 1, 1])), "origin of joint 'j': rotation of a pose is not a right-handed"),
        (lambda: joint(link_offset=(0, math.nan, 0)), "position of the link offset of joint 'j' is nan"),
        (lambda: joint(link_offset=("a", 0, 0)), "position of the link offset of joint 'j' is 'a'"),
        (lambda: joint(origin=[[1, 2], [3]]), r"origin of joint 'j' is \[\[1, 2\], \[3\]\]"),
        (lambda: joint(origin=(1e308, 0, 0)), r"coordinate of the origin of joint 'j' is 1e\+308 m: expected at most"),
        (lambda: joint(name=3), "name of a joint is 3"),
        (lambda: joint(parent=None), "parent of joint 'j' is None"),
        (lambda: joint(child=("arm",)), r"child of joint 'j' is \('arm',\)"),
        (lambda: joint(motion="revolute"), "motion is 'revolute', expected a joint type"),
        (lambda: joint(motion=lp.Revolute), "motion is <class"),
        (lambda: joint(limits="ab"), "limits are 'ab', expected Limits"),
        (lambda: joint(limits=(-1, 1)), r"limits are \(-1, 1\), expected Limits"),
        (lambda: joint(limits=None), "limits are None|limits are"),
        (lambda: joint(mimic="other"), "mimic is 'other', expected a Mimic"),
        (lambda: joint(viscous_friction="1"), "viscous friction of joint 'j' is '1'"),
        (lambda: joint(viscous_friction=-1), "viscous friction is .*expected zero or more"),
        (lambda: joint(rotor_inertia=(math.inf,)), "rotor inertia of joint 'j' is inf"),
        (lambda: joint(gear_ratio=(1, 2)), "gear ratio of joint 'j' has 2 numbers"),
        (lambda: lp.Limits("a"), "lower limit is 'a'"),
        (lambda: lp.Limits([1], 2), r"lower limit is \[1\]"),
        (lambda: lp.Limits(math.nan), "lower limit is nan"),
        (lambda: lp.Limits(None), "lower limit is None"),
        (lambda: lp.Limits(2, 1), "lower limit 2.0 is above the upper limit 1.0"),
        (lambda: lp.Mimic(None), "name of the joint that a mimic follows is None"),
        (lambda: lp.Mimic("a", "b"), "multiplier of the mimic of 'a' is 'b'"),
        (lambda: lp.Mimic("a", math.inf), "multiplier of the mimic of 'a' is inf"),
        (lambda: lp.Link(""), "name of a link is ''"),
        (lambda: lp.Link("a", 2.0), "link 'a': inertia is 2.0"),
        (lambda: lp.Inertia(-1), "mass is -1.0: expected zero or more"),
        (lambda: lp.Inertia(math.nan), "mass is nan"),
        (lambda: lp.Inertia("1"), "mass is '1'"),
        (lambda: lp.Inertia(1e200), "mass is 1e[+]200 kg: expected at most"),
        (lambda: lp.Inertia(1, None), "center of mass is None"),
        (lambda: lp.Inertia(1, (0, 0)), "center of mass has 2 numbers"),
        (lambda: lp.Inertia(1, (0, 0, 1e200)), "a coordinate of the center of mass is 1e[+]200 m"),
        (lambda: lp.Inertia(1, (0, 0, 0), "x"), "inertia tensor is 'x'"),
        (lambda: lp.Inertia(1, (0, 0, 0), None), "inertia tensor is None"),
        (lambda: lp.Inertia(1, (0, 0, 0), [[1, 2], [3]]), r"inertia tensor is \[\[1, 2\], \[3\]\]"),
        (lambda: lp.Inertia(1, (0, 0, 0), np.eye(4)), r"inertia tensor has the shape \(4, 4\)"),
        (lambda: lp.Inertia(1, (0, 0, 0), np.full((3, 3), np.nan)), "inertia tensor is nan"),
        (lambda: lp.Inertia(1, (0, 0, 0), [[1, 2, 3], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
        (lambda: lp.Inertia(1, (0, 0, 0), 1e200 * np.eye(3)), "largest entry of the inertia tensor is 1e[+]200 kg m"),
        (lambda: lp.Pose("x"), "rotation of a pose is 'x'"),
        (lambda: lp.Pose(translation=(0, 0)), "translation of a pose has 2 numbers"),
        (lambda: lp.Pose(2 * np.eye(3)), "not a right-handed rotation"),
        (lambda: lp.Pose.from_matrix("x"), "pose is 'x'"),
        (lambda: robot(links=("base", "arm")), r"robot 'r': links\[0\] is 'base', expected a Link like Link\('base'\)"),
        (lambda: robot(links="base"), "robot 'r': links are 'base'"),
        (lambda: robot(links=None), "robot 'r': links are None"),
        (lambda: robot(joints=("j",)), r"robot 'r': joints\[0\] is 'j', expected a Joint"),
        (lambda: robot(joints=joint()), "robot 'r': joints are"),
        (lambda: robot(gravity=9.81), "gravity of robot 'r' is 9.81"),
        (lambda: robot(gravity=(0, 0, math.nan)), "gravity of robot 'r' is nan"),
        (lambda: lp.Beam(lp.Rod(0.02), lp.STEEL, end=("a", "b", "c")), "end of a beam is 'a'"),
        (lambda: lp.Beam(lp.Rod(0.02), lp.STEEL, end=None), "end of a beam is None"),
        (lambda: lp.Beam(lp.Rod(0.02), lp.STEEL, end=(1, 0, math.inf)), "end of a beam is inf"),
        (lambda: lp.Beam("tube", lp.STEEL, end="j"), "section of a beam is 'tube'"),
        (lambda: lp.Wrench(force=(1, 2)), r"force of a wrench has the shape \(2,\)"),
        (lambda: lp.Wrench(torque="x"), "torque of a wrench has the shape"),
        (lambda: lp.Wrench(force=None), "force of a wrench has the shape"),
        (lambda: lp.Wrench(axes="tool"), "axes of a wrench are 'tool'"),
    ],
)
def test_what_cannot_be_is_refused_at_construction(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


# Joints that no inertia resists

POINT = lp.Inertia(2.0)
"""A point mass, here on the axis."""


def chain(*parts: tuple[Any, lp.Inertia], **last: Any) -> lp.Robot:
    """Joints one after the other, half a metre apart."""
    links = [lp.Link("base"), *(lp.Link(f"link{k}", body) for k, (_, body) in enumerate(parts))]
    joints = [
        lp.Joint(f"joint{k}", links[k].name, links[k + 1].name, motion, (0.5, 0, 0), **more)
        for k, (motion, more) in enumerate((motion, last if body is parts[-1][1] else {}) for motion, body in parts)
    ]
    return lp.Robot("chain", links, joints)


@pytest.mark.parametrize(
    ("make", "joint"),
    [
        (lambda: chain((HINGE, BODY), (HINGE, POINT)), "joint1"),
        (lambda: chain((HINGE, BODY), (lp.Universal(), POINT)), "joint1"),
        (lambda: chain((HINGE, BODY), (lp.Spherical(), lp.Inertia(1, (0, 0, 0.3)))), "joint1"),  # a rod on its own axis
        (lambda: chain((HINGE, BODY), (lp.Cylindrical(), POINT)), "joint1"),  # slides, but does not turn
        # Two parallel hinges at one place: one of them moves nothing of its own.
        (lambda: chain((HINGE, BODY), (lp.Revolute((0, 0, 1)), lp.Inertia(1, (0, 0, 0.2)))), "joint1"),
    ],
)
def test_a_joint_that_no_inertia_resists_is_reported(make: Any, joint: str) -> None:
    with pytest.warns(lp.ModelWarning, match=f"neither inertia nor a rotor resists joint '{joint}'"):
        arm = make()
    with pytest.raises(lp.ModelError, match="without inertia"):  # which forward dynamics then refuses
        arm.forward_dynamics(arm.neutral(), np.zeros(arm.n), np.zeros(arm.n))


@pytest.mark.parametrize(
    "make",
    [
        lambda: chain((HINGE, BODY), (HINGE, POINT), rotor_inertia=1e-4),
        lambda: chain((HINGE, BODY), (lp.Prismatic(), POINT)),
        lambda: chain((HINGE, BODY), (HINGE, lp.Inertia(2.0, (0.1, 0, 0)))),
        lambda: chain((HINGE, POINT), (lp.Revolute((1, 0, 0)), BODY)),  # the first moves the second
        lambda: chain((lp.Universal(), POINT), (HINGE, BODY)),
        lambda: chain((lp.Free(), POINT), (HINGE, BODY)),
        lambda: chain((HINGE, lp.Inertia(1e-12, (1e-4, 0, 0))), (HINGE, lp.Inertia(1e-12, (1e-4, 0, 0)))),
    ],
)
def test_joints_that_something_resists_are_not_reported(make: Any, recwarn: pytest.WarningsRecorder) -> None:
    arm = make()
    assert [str(w.message) for w in recwarn if "resists" in str(w.message)] == []
    rng = np.random.default_rng(0)
    q = arm.neutral() + rng.uniform(-0.5, 0.5, arm.nq)
    assert np.isfinite(arm.forward_dynamics(q, np.zeros(arm.n), np.ones(arm.n))).all()


URDF = """<robot name="r"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="disk"><inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<joint name="a" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="arm"/><child link="disk"/><axis xyz="0 0 1"/><origin xyz="{x} 0 0"/>
</joint>
</robot>"""


def test_files_with_a_joint_that_no_inertia_resists(tmp_path: Any) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(izz=0, x=0.5))
    with pytest.warns(lp.ModelWarning, match="'disk': neither inertia nor a rotor resists joint 'b'"):
        lp.load(path)
    with pytest.raises(lp.ModelError, match="neither inertia nor a rotor resists joint 'b'"):
        lp.load(path, strict=True)


def test_a_file_with_lengths_beyond_all_measure_is_refused(tmp_path: Any) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(URDF.format(izz=1, x=1e308))
    with pytest.raises(lp.ModelError, match=r"r.urdf, line 7: .*origin of joint 'b' is 1e\+308 m"):
        lp.load(path)


def test_results_that_overflow_are_reported() -> None:
    arm = lp.catalog.planar(2)
    still = np.zeros((3, 2))
    with pytest.warns(RuntimeWarning, match="overflow encountered in inverse_dynamics"):
        arm.inverse_dynamics(still, still + 1e200, still)


def test_a_helical_joint_without_pitch_is_asked_about_once_and_turns() -> None:
    """The question is the constructor's; what the library makes of the joint to compute with does not ask again."""
    body = lp.Inertia(1.0, (0.3, 0.1, 0.2), np.diag([0.02, 0.03, 0.04]).tolist())
    with pytest.warns(lp.ModelWarning, match="is pitch=0.4, which is now its zero, missing"):
        screw = lp.Helical((0.2, 1, 0.3), 0.4)
    taus = []
    for motion in (screw, lp.Revolute((0.2, 1, 0.3), 0.4)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            links = (lp.Link("base", body), lp.Link("rod", body))
            arm = lp.Robot("arm", links, (lp.Joint("turn", "base", "rod", motion),))
            taus.append(arm.floating().inverse_dynamics([0.1, 0.2, 0.3, 0.1, 0, 0, 1, 0.5], np.ones(7), np.ones(7)))
            arm.with_payload(1.0).load_breakdown([0.5], [1.0], [1.0], compiled=False)
    np.testing.assert_allclose(taus[0], taus[1], rtol=1e-13)
