"""`without_driven`, the fourth assumption of Lau's chapter 7: what drives the joint of a link does not bend the link.

A force across the beam that the joint cannot follow (J^T f = 0) must bend it in full, whatever the joint's axis.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

L, RADIUS = 0.6, 0.008
EI = lp.STEEL.youngs_modulus * np.pi * RADIUS**4 / 4
BENDING = ["bending"]
SLOPE = np.sqrt(0.5)


def arm(motion: lp.JointType, gravity: float = 0.0, segments: int = 1) -> lp.FlexibleRobot:
    """A rod along x on one joint; its beam in several segments of the same section."""
    links = [
        lp.Link("base"),
        lp.Link("rod", lp.Inertia(1.0, (0.3, 0, 0), np.diag([0.01] * 3))),
        lp.Link("tip", lp.Inertia(1e-9)),
    ]
    joints = [lp.Joint("drive", "base", "rod", motion),
              lp.Joint("weld", "rod", "tip", lp.Fixed(), lp.Pose(translation=(L, 0, 0)))]
    robot = lp.Robot("one", links, joints, gravity=(0.0, 0.0, -gravity))
    parts = [(1 / segments, lp.Rod(RADIUS), lp.STEEL)] * segments
    return robot.with_beams({"rod": lp.Beam(segments=parts, end="weld")}, inertia_from_beams=True)


def bent(
    of: lp.FlexibleRobot, force: tuple[float, ...] = (0, 0, 0), torque: tuple[float, ...] = (0, 0, 0), **options: object
) -> lp.Deflection:
    return of.deflection(of.neutral(), external={"tip": lp.Wrench(force, torque)}, **options).tip


def test_a_roll_joint_leaves_a_force_across_its_beam_whole() -> None:
    tip = bent(arm(lp.Revolute(axis=(1, 0, 0))), (0, 0, -20), effects=BENDING, without_driven=True)
    assert_allclose(tip.displacement, (0, 0, -20 * L**3 / (3 * EI)), atol=1e-12)
    assert_allclose(tip.displacement[2], -2.1315e-3, atol=1e-7)


def test_a_roll_joint_that_is_rounded_in_a_file_is_a_roll_joint() -> None:
    tip = bent(arm(lp.Revolute(axis=(1, 8e-4, 0))), (0, 0, -20), effects=BENDING, without_driven=True)
    assert_allclose(tip.displacement[2], -20 * L**3 / (3 * EI), rtol=1e-9)


def test_an_oblique_axis_in_the_plane_of_the_force_leaves_it_whole() -> None:
    """The axis lies in the plane of beam and force: the force does not drive the joint."""
    oblique = arm(lp.Revolute(axis=(SLOPE, 0, SLOPE)))
    tip = bent(oblique, (0, 0, -20), effects=BENDING, without_driven=True)
    assert_allclose(tip.displacement, (0, 0, -20 * L**3 / (3 * EI)), atol=1e-12)
    driving = bent(oblique, (0, 20, 0), effects=BENDING, without_driven=True)
    assert_allclose(driving.displacement, np.zeros(3), atol=1e-15)


@pytest.mark.parametrize("axis", [(1, 0, 0), (SLOPE, 0, SLOPE), (0.2, 0.7, -0.4), (0, 0, 1), (0, 1, 0)])
def test_a_pull_along_the_beam_never_bends_it(axis: tuple[float, float, float]) -> None:
    pulled = arm(lp.Revolute(axis=axis))
    assert_allclose(bent(pulled, (100, 0, 0), effects=BENDING, without_driven=True).displacement, 0, atol=1e-15)
    whole, left = (bent(pulled, (100, 0, 0), without_driven=driven).displacement for driven in (False, True))
    assert_allclose(left, whole, rtol=1e-12)  # it stretches the beam: the bearing carries it, not the drive


@pytest.mark.parametrize("seed", range(5))
def test_of_a_force_stays_what_does_not_drive_the_joint(seed: int) -> None:
    """By virtual work: a force with J^T f = 0 bends in full; one along the motion of the tip not at all."""
    rng = np.random.default_rng(seed)
    axis, f = rng.normal(size=(2, 3))
    axis /= np.linalg.norm(axis)
    rod = arm(lp.Revolute(axis=tuple(axis)), segments=1 + seed % 3)
    jacobian = rod.jacobian([0.0], "tip")[:3, 0]
    way = jacobian / np.linalg.norm(jacobian)
    idle = f - way * (way @ f)
    whole = bent(rod, tuple(idle)).displacement
    assert_allclose(bent(rod, tuple(idle), without_driven=True).displacement, whole, rtol=1e-11)
    assert_allclose(bent(rod, tuple(f), without_driven=True).displacement, whole, rtol=1e-11)
    n = rng.normal(size=3)
    still = n - axis * (axis @ n)
    turned = bent(rod, torque=tuple(still)).rotation
    assert_allclose(bent(rod, torque=tuple(n), without_driven=True).rotation, turned, rtol=1e-11)


@pytest.mark.parametrize("motion", [
    lp.Revolute(axis=(0, 0, 1)), lp.Revolute(axis=(SLOPE, 0, SLOPE)), lp.Revolute(axis=(0.5, -0.7, 0.2)),
    lp.Prismatic(axis=(0, 0, 1)), lp.Prismatic(axis=(0.6, 0, 0.8)), lp.Cylindrical(axis=(0.1, 0.5, 0.4)),
    lp.Spherical(),
])
def test_a_beam_in_pieces_bends_like_the_beam_in_one(motion: lp.JointType) -> None:
    one, three = (arm(motion, gravity=9.81, segments=n) for n in (1, 3))
    rng = np.random.default_rng(1)
    qd, qdd = rng.normal(size=(2, motion.dof))
    case = {"external": {"tip": lp.Wrench((3.0, 5.0, -7.0), (0.4, -0.3, 0.2))}, "without_driven": True}
    expected, got = (each.deflection(each.neutral(), qd, qdd, **case).tip for each in (one, three))
    assert np.abs(expected.displacement).max() > 1e-9
    assert_allclose(got.displacement, expected.displacement, rtol=1e-10, atol=1e-17)
    assert_allclose(got.rotation, expected.rotation, rtol=1e-10, atol=1e-17)


def test_the_weight_of_a_beam_on_a_roll_joint_and_on_an_oblique_one_bends_it_in_full() -> None:
    weight = 9.81 * lp.STEEL.density * np.pi * RADIUS**2
    for axis in ((1, 0, 0), (SLOPE, 0, SLOPE)):
        for segments in (1, 3):
            tip = bent(arm(lp.Revolute(axis=axis), 9.81, segments), effects=BENDING, without_driven=True)
            assert_allclose(tip.displacement[2], -weight * L**4 / (8 * EI), rtol=1e-6)  # the tip weighs 1e-9 kg


def test_a_slide_across_the_beam_takes_the_force_along_it_and_no_torque() -> None:
    """(7-13) and (7-14): of a force its part along the slide is left out, of a torque nothing."""
    for segments in (1, 2):
        gantry = arm(lp.Prismatic(axis=(0, 0, 1)), segments=segments)
        tip = bent(gantry, (0, 8, -20), (0, 3, 0), effects=BENDING, without_driven=True)
        assert_allclose(tip.displacement, (0, 8 * L**3 / (3 * EI), -3 * L**2 / (2 * EI)), atol=1e-12)


def test_a_joint_of_several_freedoms_takes_what_each_of_them_moves() -> None:
    ball = bent(arm(lp.Spherical()), (0, 8, -20), (1, 2, 3), effects=("bending", "torsion"), without_driven=True)
    assert_allclose([*ball.displacement, *ball.rotation], 0, atol=1e-15)
    # Turns about z and slides along it: what is left is the pull along the beam, and torques across z.
    both = arm(lp.Cylindrical(axis=(0, 0, 1)))
    tip, plain = bent(both, (500, 8, -20), (1, 2, 3), without_driven=True), bent(both, (500, 0, 0), (1, 2, 0))
    assert_allclose([*tip.displacement, *tip.rotation], [*plain.displacement, *plain.rotation], atol=1e-15)


def test_joints_whose_directions_change_are_refused_by_name() -> None:
    for motion in (lp.Universal((1, 0, 0), (0, 0, 1)), lp.Helical(axis=(0, 0, 1), pitch=0.1)):
        with pytest.raises(lp.ModelError, match=f"link 'rod': 'without_driven' .* {type(motion).__name__} joint"):
            bent(arm(motion), (0, 0, 1), without_driven=True)


def test_an_oblique_joint_whose_beam_carries_a_guide() -> None:
    """The outer beam of a telescope is a line with stations; its loads are split in the same way."""
    links = [
        lp.Link("base"),
        lp.Link("tube", lp.Inertia(1.0)),
        lp.Link("rod", lp.Inertia(1.0)),
        lp.Link("tip", lp.Inertia(1e-9)),
    ]
    joints = [lp.Joint("turn", "base", "tube", lp.Revolute(axis=(SLOPE, 0, SLOPE))),
              lp.Joint("slide", "tube", "rod", lp.Prismatic(axis=(1, 0, 0)), lp.Pose(translation=(0.8, 0, 0))),
              lp.Joint("weld", "rod", "tip", lp.Fixed(), lp.Pose(translation=(L, 0, 0)))]
    robot = lp.Robot("telescope", links, joints, gravity=(0.0, 0.0, 0.0))
    outer = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end=(0.8, 0, 0))
    inner = lp.Beam(lp.Rod(0.02), lp.STEEL, start=(-0.2, 0, 0), end="weld", guide=lp.Guide(front=0.0, tail=-0.2))
    telescope = robot.with_beams({"tube": outer, "rod": inner})
    q = [0.0, 0.1]

    def tip(force: tuple[float, float, float], **options: bool) -> np.ndarray:
        return telescope.deflection(q, external={"tip": lp.Wrench(force)}, **options).tip.displacement

    assert_allclose(tip((0, 0, -20), without_driven=True), tip((0, 0, -20)), rtol=1e-10)  # J^T f = 0
    inner_alone = tip((0, 20, 0), without_driven=True)  # drives the turn: only the rod bends
    assert 0 < inner_alone[1] < 0.5 * tip((0, 20, 0))[1]
