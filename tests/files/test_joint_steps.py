"""A joint as several simpler ones moves as the joint itself, and each format makes the joints that it has words for."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from loadpath.files.joint_steps import steps_of
from loadpath.files.sdf import words
from loadpath.files.urdf.joints import JOINT_TYPES, OF_URDF, Axes, motion_of
from loadpath.robot import joints
from loadpath.robot.joints import JointType

TILTED, ACROSS = (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
SEVERAL = [
    lp.Cylindrical(TILTED, 0.3), lp.Universal(ACROSS, TILTED), lp.Planar(), lp.Translational(), lp.Free(),
    lp.PointOnLine(TILTED), lp.PointOnPlane(TILTED), lp.Generalized((("turn", TILTED), "y", ("slide", TILTED))),
]
SIMPLE = (lp.Revolute, lp.Prismatic, lp.Spherical)


def pose(motion: JointType, q: np.ndarray) -> np.ndarray:
    """(4, 4): where a robot of this joint alone has its link."""
    arm = lp.Link("arm", lp.Inertia(1.0, (0, 0, 0), np.eye(3)))
    robot = lp.Robot("one", [lp.Link("base"), arm], [lp.Joint("joint", "base", "arm", motion)])
    return np.asarray(robot.link_poses.uncompiled(q))[..., -1, :, :]


@pytest.mark.parametrize("motion", SEVERAL, ids=lambda motion: type(motion).__name__)
def test_the_steps_together_move_as_the_joint(motion: JointType) -> None:
    steps = steps_of(motion, SIMPLE)
    assert [type(step.motion) in SIMPLE for step in steps] == [True] * len(steps)
    q = np.random.default_rng(3).normal(size=motion.coordinates)
    if motion.coordinates > motion.dof:
        q[-4:] /= np.linalg.norm(q[-4:])
    together = np.eye(4)
    for step in steps:
        together = together @ pose(step.motion, q[step.first : step.first + step.motion.coordinates])
    assert np.allclose(together, pose(motion, q), atol=1e-14)
    assert len({step.label for step in steps}) == len(steps)


def test_every_joint_of_the_library_is_written_to_sdf_and_has_a_word_in_urdf() -> None:
    kinds = {getattr(joints, name) for name in joints.__all__} - {JointType}
    kinds = {kind for kind in kinds if isinstance(kind, type) and issubclass(kind, JointType)}
    assert kinds - {lp.Generalized} == set(JOINT_TYPES.values())
    for kind in kinds:
        motion = lp.Generalized("rz") if kind is lp.Generalized else kind()
        assert words.steps_of(motion, "joint"), kind


def test_a_revolute_joint_is_no_sum_of_slides() -> None:
    assert steps_of(lp.Revolute(TILTED), (lp.Prismatic,)) == ()


def test_axes_of_urdf_make_the_joint_that_takes_them() -> None:
    axes = Axes(TILTED, ACROSS, 0.2, 0.05)
    assert motion_of("helical", axes) == lp.Helical(TILTED, 0.2, 0.05)
    assert motion_of("universal", axes) == lp.Universal(TILTED, ACROSS)
    assert motion_of("planar", axes) == lp.Planar()
    assert motion_of("point_on_line", axes) == lp.PointOnLine(TILTED)
    assert set(OF_URDF) <= set(JOINT_TYPES)


@pytest.mark.parametrize("word", words.KINDS)
def test_seen_from_the_child_a_joint_of_sdf_moves_back(word: str) -> None:
    axes = [ACROSS, TILTED][: words.axis_count(word)]
    there, back = (words.motion_of(word, axes, 0.1, reverse=reverse) for reverse in (False, True))
    q = np.array([0.4, -0.7])[: there.dof] if word != "ball" else np.array([0.1, 0.3, -0.2, 0.9]) / np.sqrt(0.95)
    backwards = q[::-1] if word != "ball" else q * [-1, -1, -1, 1]
    assert np.allclose(pose(there, q) @ pose(back, backwards), np.eye(4), atol=1e-14)
    assert words.WORDS[type(there)] == word.replace("revolute2", "universal")
