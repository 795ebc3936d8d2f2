"""Flexible arms in three dimensions: by hand from the joint wrenches, reciprocity, superposition, limits, batches."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from elastic_arms import WEIGHTLESS, cantilever, random_rod_arm
from numpy.testing import assert_allclose

import loadpath as lp
from loadpath.robot.beams.placement import placed_beams


def by_hand(arm: lp.FlexibleRobot, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray]:
    """Displacement and rotation of the link frames, in world axes: the errata's formulas with public joint wrenches,
    accelerations from Jacobians, and propagation as rigid bodies in the world. For chains with link frames at joints.
    """
    q, qd, qdd = (np.asarray(v, dtype=float) for v in (q, qd, qdd))
    poses, wrenches = arm.link_poses(q), arm.joint_wrenches(q, qd, qdd)
    row = {name: k for k, name in enumerate(arm.link_names)}
    beams = {beam.link: beam for beam in placed_beams(arm, arm.beams)}
    displacement, rotation = np.zeros((len(row), 3)), np.zeros((len(row), 3))
    for joint in arm.joints:
        parent, child = row[joint.parent], row[joint.child]
        R, p = poses[parent, :3, :3], poses[parent, :3, 3]
        m, n = displacement[parent], rotation[parent]
        where = p
        if joint.parent in beams:
            beam = beams[joint.parent]
            axes = R @ beam.axes
            f = -poses[child, :3, :3] @ wrenches[joint.name].force
            t = -poses[child, :3, :3] @ wrenches[joint.name].torque
            end = p + R @ beam.end
            t = t + np.cross(poses[child, :3, 3] - end, f)  # a sliding child has left the end
            twist_rate = arm.jacobian(q, joint.parent) @ qdd + arm.jacobian_dot(q, qd, joint.parent) @ qd
            omega, alpha = (arm.jacobian(q, joint.parent) @ qd)[3:], twist_rate[3:]
            e = axes[:, 0]
            A = twist_rate[:3] - np.array(arm.gravity)
            B = np.cross(alpha, e) + np.cross(omega, np.cross(omega, e))
            own_m, own_n = uniform_beam(beam, *(axes.T @ v for v in (f, t, A, B)))
            m = m + np.cross(n, R @ beam.end) + axes @ own_m
            n = n + axes @ own_n
            where = end
        displacement[child] = m + np.cross(n, poses[child, :3, 3] - where)
        rotation[child] = n
    return displacement, rotation


def uniform_beam(beam: Any, P: Any, Q: Any, A: Any, B: Any) -> tuple[np.ndarray, np.ndarray]:
    section, material, L = beam.beam.section, beam.beam.material, beam.length
    mu = material.density * section.area
    q0, q1 = -mu * A, -mu * L * B
    EA, EIy, EIz = (
        material.youngs_modulus * v for v in (section.area, section.second_moment_y, section.second_moment_z)
    )
    ky, kz = section.shear_factors(material.poisson_ratio)
    GAy, GAz = ky * material.shear_modulus * section.area, kz * material.shear_modulus * section.area
    force = q0 / 2 + q1 / 3
    m = [
        P[0] * L / EA + force[0] * L**2 / EA,
        P[1] * (L**3 / (3 * EIz) + L / GAy) + Q[2] * L**2 / (2 * EIz) + (q0[1] / 8 + 11 * q1[1] / 120) * L**4 / EIz
        + force[1] * L**2 / GAy,
        P[2] * (L**3 / (3 * EIy) + L / GAz) - Q[1] * L**2 / (2 * EIy) + (q0[2] / 8 + 11 * q1[2] / 120) * L**4 / EIy
        + force[2] * L**2 / GAz,
    ]
    n = [
        Q[0] * L / (material.shear_modulus * section.torsion_constant),
        Q[1] * L / EIy - P[2] * L**2 / (2 * EIy) - (q0[2] / 6 + q1[2] / 8) * L**3 / EIy,
        Q[2] * L / EIz + P[1] * L**2 / (2 * EIz) + (q0[1] / 6 + q1[1] / 8) * L**3 / EIz,
    ]
    return np.array(m), np.array(n)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_arms_by_hand(seed: int) -> None:
    arm = random_rod_arm(3, seed)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1, 1, (3, arm.n))
        found = arm.deflection(q, qd, qdd)
        displacement, rotation = by_hand(arm, q, qd, qdd)
        size = np.abs(displacement).max()
        assert size > 1e-6
        assert_allclose(found.displacement, displacement, rtol=1e-10, atol=1e-10 * size)
        assert_allclose(found.rotation, rotation, rtol=1e-10, atol=1e-10 * np.abs(rotation).max())


ARM = random_rod_arm(3, 7)
Q = np.random.default_rng(7).uniform(-1, 1, (4, ARM.n))


def pushed(link: str, force: Any = (0, 0, 0), torque: Any = (0, 0, 0)) -> Any:
    still = ARM.with_gravity(0.0)
    wrench = lp.Wrench(force=np.array(force, dtype=float), torque=np.array(torque, dtype=float))
    return still.deflection(Q[0], external={link: wrench})


def test_reciprocity_of_maxwell_and_betti() -> None:
    rng = np.random.default_rng(1)
    (f1, t1), (f2, t2) = rng.normal(size=(2, 2, 3))
    at_tip, at_joint = pushed("tip", f1, t1), pushed("link3", f2, t2)
    one = f2 @ at_tip["link3"].displacement + t2 @ at_tip["link3"].rotation
    other = f1 @ at_joint["tip"].displacement + t1 @ at_joint["tip"].rotation
    assert_allclose(one, other, rtol=1e-12)


def test_compliance_is_the_response_to_unit_wrenches_and_stiffness_its_inverse() -> None:
    C, K = ARM.compliance(Q[0], "tip"), ARM.stiffness(Q[0])
    columns = [pushed("tip", *np.eye(6)[k].reshape(2, 3))["tip"] for k in range(6)]
    expected = np.array([[*each.displacement, *each.rotation] for each in columns]).T
    assert_allclose(C, expected, rtol=1e-11, atol=1e-13 * np.abs(C).max())
    assert_allclose(C, C.T, rtol=0, atol=0)
    assert_allclose(K, K.T, rtol=0, atol=0)
    assert_allclose(K @ C, np.eye(6), atol=1e-9)
    assert np.linalg.eigvalsh(K).min() > 0
    halfway = ARM.compliance(Q[0], "link3")
    assert (np.linalg.eigvalsh(C[:3, :3]) > 0).all()
    assert_allclose(halfway, halfway.T, atol=0)
    assert ARM.stiffness(Q).shape == (4, 6, 6)


def test_superposition_of_loads_and_causes() -> None:
    still = ARM.with_gravity(0.0)
    rng = np.random.default_rng(2)
    qd, qdd = rng.uniform(-1, 1, (2, ARM.n))
    wrench = {"tip": lp.Wrench(force=rng.normal(size=3), torque=rng.normal(size=3))}
    whole = ARM.deflection(Q[0], qd, qdd, external=wrench)
    parts = [
        ARM.deflection(Q[0]),
        still.deflection(Q[0], qd, None),
        still.deflection(Q[0], None, qdd),
        still.deflection(Q[0], external=wrench),
    ]
    assert_allclose(whole.displacement, sum(part.displacement for part in parts), rtol=1e-10, atol=1e-15)
    assert_allclose(whole.rotation, sum(part.rotation for part in parts), rtol=1e-10, atol=1e-15)


def test_the_rigid_limit_and_links_without_beams() -> None:
    hard = lp.Material(1e30, 4e29, 0.0)
    robot = lp.catalog.planar(3)
    arm = robot.with_beams({"link2": lp.Beam(lp.Rod(0.01), hard, end="joint3")})
    assert np.abs(arm.deflection([0.1, 0.2, 0.3]).displacement).max() < 1e-18
    with pytest.raises(ValueError, match="rigid in some direction"):
        arm.stiffness([0.1, 0.2, 0.3], effects=("joints",))
    assert robot.with_beams({}) == robot
    soft = robot.with_beams({"link2": lp.Beam(lp.Rod(0.01), WEIGHTLESS, end="joint3")})
    found = soft.deflection([0.1, 0.2, 0.3])
    assert_allclose(found["link2"].displacement, 0, atol=0)  # nothing gives way before it
    theta, d = found["link3"].rotation, found["link3"].displacement
    poses = soft.link_poses([0.1, 0.2, 0.3])
    arm_to_tip = poses[-1, :3, 3] - poses[3, :3, 3]
    assert_allclose(found.tip.displacement, d + np.cross(theta, arm_to_tip), rtol=1e-12, atol=1e-18)


def test_a_right_angle_by_hand() -> None:
    """An L of two rods in a horizontal plane, loaded at its end: the first bends and twists, the second bends."""
    rod = lp.Tube(0.02, 0.002)
    a, b, F = 0.6, 0.4, 50.0
    links = (lp.Link("base"), lp.Link("first", lp.Inertia(1.0)), lp.Link("second", lp.Inertia(1.0)), lp.Link("tip"))
    joints = (
        lp.Joint("joint1", "base", "first", lp.Revolute((0, 1, 0))),
        lp.Joint("joint2", "first", "second", lp.Revolute((0, 0, 1)), lp.Pose(translation=(a, 0, 0))),
        lp.Joint("tip_joint", "second", "tip", lp.Fixed(), lp.Pose(translation=(b, 0, 0))),
    )
    arm = lp.Robot("bend", links, joints, (0.0, 0.0, 0.0)).with_beams(
        {"first": lp.Beam(rod, WEIGHTLESS, end="joint2"), "second": lp.Beam(rod, WEIGHTLESS, end="tip_joint")}
    )
    found = arm.deflection(
        [0.0, np.pi / 2], external={"tip": lp.Wrench(force=(0, 0, -F))}, effects=["bending", "torsion"]
    )
    EI, GJ = 200e9 * rod.second_moment_y, 80e9 * rod.torsion_constant
    assert_allclose(found.tip.displacement[2], -F * (a**3 / (3 * EI) + b**3 / (3 * EI) + b * b * a / GJ), rtol=1e-12)
    assert_allclose(found.tip.rotation, (-F * b * a / GJ - F * b**2 / (2 * EI), F * a**2 / (2 * EI), 0), atol=1e-15)


def test_joint_compliance_by_hand() -> None:
    robot = lp.catalog.planar(2, length=0.5, mass=2.0)
    soft = lp.JointCompliance(drive=1e4, tilting=(2e4, 5e4), radial=1e7, axial=2e7)
    arm = robot.with_beams(
        joint_compliance={"joint1": soft, "tip_joint": lp.JointCompliance(rotation=3e3, translation=1e6)}
    )
    q = np.array([0.3, 0.4])
    tau = robot.gravity_forces(q)
    found = arm.deflection(q)
    # Gear wind-up: link 1 turns down by tau / k about the joint's axis, world -y.
    assert_allclose(found["link1"].rotation, (0, tau[0] / 1e4, 0), rtol=1e-12, atol=1e-18)
    assert_allclose(found["link1"].displacement, (0, 0, -4 * 9.81 / 1e7), rtol=1e-12, atol=1e-18)
    side = arm.with_gravity(0.0).deflection(
        [0.0, 0.0], external={"link1": lp.Wrench(torque=(7.0, 0, 0), force=(0, 9.0, 0))}
    )
    assert_allclose(side["link1"].rotation, (7 / 2e4, 0, 0), rtol=1e-12, atol=1e-18)
    assert_allclose(side["link1"].displacement, (0, 9 / 2e7, 0), rtol=1e-12, atol=1e-18)
    up = arm.with_gravity(0.0).deflection(
        [0.0, 0.0], external={"tip": lp.Wrench(torque=(0, 0, 6.0), force=(3.0, 0, 0))}
    )
    assert_allclose(up.tip.rotation, (0, 0, 6 / 5e4 + 6 / 3e3), rtol=1e-12, atol=1e-18)
    assert_allclose(up.tip.displacement[0], 3 / 1e7 + 3 / 1e6, rtol=1e-12)
    assert_allclose(arm.deflection(q, effects=["bending"]).displacement, 0, atol=0)


def test_a_prismatic_drive_gives_way_along_itself_and_locked_joints_keep_their_compliance() -> None:
    arm = lp.catalog.lau_arm().with_beams(joint_compliance={"d2": lp.JointCompliance(drive=1e5)})
    q = np.array([0.2, 1.0, 0.8])
    tau = arm.gravity_forces(q)
    found = arm.deflection(q, axes="link")
    assert_allclose(found["rod"].displacement, (tau[2] / 1e5, 0, 0), rtol=1e-12, atol=1e-18)  # its axis is -x
    locked = arm.locked({"d2": 0.8})
    assert_allclose(locked.deflection(q[:2]).displacement, arm.deflection(q).displacement, rtol=1e-12, atol=1e-18)


def test_a_tree_bends_branch_by_branch() -> None:
    links = (lp.Link("base"), lp.Link("body", lp.Inertia(5.0)), lp.Link("left", lp.Inertia(1.0)),
             lp.Link("right", lp.Inertia(2.0)))
    joints = (
        lp.Joint("turn", "base", "body", lp.Revolute((0, 0, 1))),
        lp.Joint("to_left", "body", "left", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.5, 0.2, 0))),
        lp.Joint("to_right", "body", "right", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.5, -0.2, 0))),
    )
    rod = lp.Rod(0.01)
    arm = lp.Robot("fork", links, joints).with_beams(
        {"body": [lp.Beam(rod, WEIGHTLESS, end="to_left"), lp.Beam(rod, WEIGHTLESS, end="to_right")]}
    )
    found = arm.deflection([0.3, 0.0, 0.0], effects=["bending"])
    sag = 9.81 * np.hypot(0.5, 0.2) ** 3 / (3 * 200e9 * rod.second_moment_y)
    assert_allclose(found["left"].displacement[2], -sag, rtol=1e-12)
    assert_allclose(found["right"].displacement[2], -2 * sag, rtol=1e-12)
    assert_allclose(found["body"].displacement, 0, atol=0)


def test_a_pedestal_on_the_base_link_and_a_named_start() -> None:
    links = (lp.Link("base", lp.Inertia(30.0)), lp.Link("arm", lp.Inertia(4.0, (0.3, 0, 0))))
    joints = (lp.Joint("turn", "base", "arm", lp.Revolute((0, 0, 1)), lp.Pose(translation=(0, 0, 1.0))),)
    post = lp.Tube(0.03, 0.002)
    robot = lp.Robot("post", links, joints)
    arm = robot.with_beams({"base": lp.Beam(post, WEIGHTLESS, end="turn")})
    EI, EA = 200e9 * post.second_moment_y, 200e9 * post.area
    found = arm.deflection([0.0])["arm"]
    M = 4 * 9.81 * 0.3
    assert_allclose(found.displacement, (M / (2 * EI), 0, -4 * 9.81 / EA), rtol=1e-12, atol=1e-18)
    assert_allclose(found.rotation, (0, M / EI, 0), rtol=1e-12, atol=1e-18)
    short = robot.with_beams({"base": lp.Beam(post, WEIGHTLESS, start=(0, 0, 0.4), end="turn")})
    assert_allclose(short.deflection([0.0])["arm"].rotation, (0, M * 0.6 / EI, 0), rtol=1e-12, atol=1e-18)


def test_link_axes_batches_and_nan_rows() -> None:
    world, own = ARM.deflection(Q), ARM.deflection(Q, axes="link")
    R = ARM.link_poses(Q)[..., :3, :3]
    assert_allclose(np.einsum("...ij,...j->...i", R, own.displacement), world.displacement, rtol=1e-11, atol=1e-16)
    assert_allclose(np.einsum("...ij,...j->...i", R, own.rotation), world.rotation, rtol=1e-11, atol=1e-16)
    one = ARM.deflection(Q[2])
    assert_allclose(world.displacement[2], one.displacement, rtol=1e-13)
    assert world["link3"].displacement.shape == (4, 3)
    holes = Q.copy()
    holes[1, 0] = np.nan
    with_holes = ARM.deflection(holes)
    assert np.isnan(with_holes.displacement[1, -1]).all()
    assert_allclose(with_holes.displacement[[0, 2, 3]], world.displacement[[0, 2, 3]], rtol=1e-14)
    speeds = np.zeros((5, 1, ARM.n))
    assert ARM.deflection(Q, speeds).displacement.shape == (5, 4, 5, 3)
    single = ARM.deflection(Q.astype(np.float32), np.zeros(3, np.float32), np.zeros(3, np.float32))
    assert single.displacement.dtype == np.float32
    assert_allclose(single.displacement, world.displacement, rtol=2e-3, atol=1e-5 * np.abs(world.displacement).max())
    with pytest.raises(ValueError, match="no link 'hand'"):
        world["hand"]


def test_a_slender_rods_loads_sum_to_the_reaction_wrenches() -> None:
    """At the start of each beam the section carries what the joint does, by rigid dynamics."""
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.uniform(-1, 1, (3, ARM.n))
    force, moment = ARM.section_actions(q, qd, qdd)
    wrenches = ARM.joint_wrenches(q, qd, qdd)
    rows = np.cumsum([0, 9, 9])
    for row, beam in zip(rows, ARM.placed_beams, strict=True):
        joint = next(j.name for j in ARM.joints if j.child == beam.link)
        # What the part beyond exerts on the section is minus what the joint exerts on the link.
        assert_allclose(beam.axes @ force[row], -wrenches[joint].force, rtol=1e-10, atol=1e-10)
        assert_allclose(beam.axes @ moment[row], -wrenches[joint].torque, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_other_joints_too() -> None:
    """Spherical, planar and free joints, and forty links."""
    for robot in (lp.catalog.random_tree(5, 3, joints=["spherical", "planar", "revolute", "cylindrical", "prismatic"]),
                  lp.catalog.planar(40, length=0.1, mass=0.1)):
        beams = {j.parent: lp.Beam(lp.Tube(0.05, 0.004), WEIGHTLESS, end=j.name) for j in robot.joints
                 if j.parent != robot.base.name and np.linalg.norm(j.origin.p) > 1e-3}
        arm = robot.with_beams(beams)
        q = robot.integrate(robot.neutral(), np.full(robot.n, 0.1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lp.ModelWarning)
            found = arm.deflection(q)
        assert np.isfinite(found.displacement).all()
        # The work of the loads is positive: the arm sinks.
        compliance = arm.compliance(q, robot.link_names[-1])
        assert np.linalg.eigvalsh(compliance).min() > -1e-15


def test_one_cantilever_in_the_uncompiled_path_too() -> None:
    """The same equations on NumPy batches as scalars."""
    from loadpath.engine.arguments import Variant

    arm = cantilever(lp.Rod(0.01), lp.STEEL, gravity=9.81, inertia_from_beams=True)
    quantity = type(arm).small_deflection
    plain = quantity.uncompiled(arm, Variant())
    q = np.linspace(-1, 1, 7)[:, None]
    assert_allclose(
        plain(q, np.zeros(1), np.zeros(1))[0], arm.small_deflection(q, [0.0], [0.0])[0], rtol=1e-12, atol=1e-18
    )


@pytest.mark.slow
def test_a_moving_base_loads_the_arm() -> None:
    """Falling freely nothing bends; a base that accelerates upwards bends the arm as more gravity would."""
    up = np.array([0, 0, 9.81, 0, 0, 0])
    still = ARM.deflection(Q)
    falling = ARM.deflection(Q, base_acceleration=-up)
    assert np.abs(falling.displacement).max() < 1e-12 * np.abs(still.displacement).max()
    lifted = ARM.deflection(Q, base_acceleration=up)
    assert_allclose(lifted.displacement, 2 * still.displacement, rtol=1e-11, atol=1e-15)
    heavier = ARM.with_gravity(2 * 9.81)
    assert_allclose(ARM.stress(Q, base_acceleration=up).bending, heavier.stress(Q).bending, rtol=1e-9)
    spin = np.array([0, 0, 0, 0, 0, 2.0])
    turned = ARM.deflection(Q[0], base_velocity=spin).displacement
    q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], Q[0]])
    qd = np.concatenate([spin, np.zeros(ARM.n)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        assert_allclose(turned, ARM.floating().deflection(q, qd).displacement[1:], rtol=1e-10, atol=1e-15)
    heavy = ARM.deflection(Q[:2], base_acceleration=up, iterate=True, pieces=1)
    expected = heavier.deflection(Q[:2], iterate=True, pieces=1)
    assert_allclose(heavy.displacement, expected.displacement, rtol=1e-8, atol=1e-14)


def test_dask_arrays_stay_lazy() -> None:
    dask = pytest.importorskip("dask.array")
    lazy = ARM.stress(dask.from_array(Q, chunks=(2, ARM.n)))
    assert not isinstance(lazy.von_mises, np.ndarray)
    assert_allclose(lazy.von_mises.compute(), ARM.stress(Q).von_mises, rtol=1e-13)
    moved = ARM.deflection(dask.from_array(Q, chunks=(2, ARM.n)))
    assert_allclose(moved.tip.displacement.compute(), ARM.deflection(Q).tip.displacement, rtol=1e-13)
