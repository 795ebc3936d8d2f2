"""Sag compensation: the bent tip where the rigid one should be."""

from __future__ import annotations

import warnings

import numpy as np
from elastic_arms import WEIGHTLESS
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import loadpath as lp


def six_joint_arm() -> lp.FlexibleRobot:
    robot = lp.catalog.puma560().with_payload(2.5, (0, 0, 0.1))
    beams = {}
    carrier = {joint.child: joint for joint in robot.joints}
    for joint in robot.joints:
        # From the joint that carries the link: a DH link's own frame lies at its far end.
        if joint.parent in carrier and np.linalg.norm((carrier[joint.parent].link_offset @ joint.origin).p) > 0.05:
            beams.setdefault(joint.parent, lp.Beam(lp.Tube(0.04, 0.002), WEIGHTLESS, end=joint.name))
    assert len(beams) >= 3
    drives = {f"joint{k}": lp.JointCompliance(drive=3e4) for k in range(1, 7)}
    return robot.with_beams(beams, joint_compliance=drives)


def test_position_and_orientation_of_six_joints() -> None:
    arm = six_joint_arm()
    rng = np.random.default_rng(0)
    target = rng.uniform(-0.8, 0.8, (20, 6)) + np.array([0, 0.4, 0.3, 0.2, 0.9, 0])
    found = arm.compensated(target)
    assert found.converged.all()
    assert np.abs(found.position_error).max() < 1e-9
    assert np.abs(found.rotation_error).max() < 1e-9
    # Checked from outside: pose of the rigid arm at q, then the deflection there.
    wanted, rigid = arm.link_poses(target)[:, -1], arm.link_poses(found.q)[:, -1]
    bent = arm.deflection(found.q).tip
    assert_allclose(rigid[:, :3, 3] + bent.displacement, wanted[:, :3, 3], atol=1e-9)
    turned = Rotation.from_rotvec(bent.rotation) * Rotation.from_matrix(rigid[:, :3, :3])
    assert (turned * Rotation.from_matrix(wanted[:, :3, :3]).inv()).magnitude().max() < 1e-9
    # Near singular poses no joint runs wild, and the tip is never worse off than without.
    near = target.copy()
    near[:, 4] = np.linspace(-1e-3, 1e-3, 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)  # some take too many steps
        tried = arm.compensated(near)
    assert np.abs(tried.q - near).max() < np.pi
    before = arm.deflection(near).tip
    left = np.linalg.norm(np.concatenate([tried.position_error, tried.rotation_error], axis=-1), axis=-1)
    assert (left <= np.linalg.norm(np.concatenate(before, axis=-1), axis=-1) + 1e-9).all()
    # It mattered: uncorrected, the tip is off by a thousand times that and more.
    assert np.linalg.norm(arm.deflection(target).tip.displacement, axis=-1).min() > 1e-5


def test_fewer_joints_reach_what_they_can() -> None:
    rod = lp.Bar(0.03, 0.01)
    arm = lp.catalog.planar(2).with_beams({"link1": lp.Beam(rod, WEIGHTLESS, end="joint2")}).with_payload(1.0)
    found = arm.compensated([0.4, 0.7])
    assert found.converged
    assert np.abs(found.position_error).max() < 1e-10
    assert np.abs(found.rotation_error).max() > 1e-6  # two joints cannot mend the orientation as well
    pushed = {"tip": lp.Wrench(force=(0.0, 30.0, 0.0))}  # across the plane, where no joint reaches
    sideways = arm.compensated([0.4, 0.7], external=pushed)
    assert abs(sideways.position_error[1]) > 1e-4
    assert np.abs(sideways.position_error[[0, 2]]).max() < 1e-9


def test_rows_without_numbers_and_the_deflected_geometry() -> None:
    rod = lp.Tube(0.02, 0.002)
    arm = lp.catalog.planar(2).with_beams({"link1": lp.Beam(rod, WEIGHTLESS, end="joint2")})
    found = arm.compensated([[0.4, 0.7], [np.nan, 0.0]])
    assert found.converged.tolist() == [True, False]
    assert np.isnan(found.q[1]).any()
    iterated = arm.compensated([0.4, 0.7], iterate=True)
    bent = arm.deflection(iterated.q, iterate=True).tip.displacement
    wanted, rigid = (arm.link_poses(q)[-1, :3, 3] for q in ([0.4, 0.7], iterated.q))
    assert_allclose(rigid + bent, wanted, atol=1e-9)
    hooks = {"tip": lp.Wrench(force=(0.0, 0, -50), point=[(0.0, 0, 0), (0.3, 0, 0), (0, 0, 0.2)])}
    several = arm.compensated([0.4, 0.7], external=hooks)
    assert several.converged.all()
    bent = arm.deflection(several.q, external=hooks).tip.displacement
    assert_allclose(arm.link_poses(several.q)[:, -1, :3, 3] + bent, np.stack([wanted] * 3), atol=1e-9)
    assert np.ptp(several.q[:2], axis=0).min() > 1e-5
