"""Wheel loads with the mass where the sagging arm has it: by hand, and by the robot built rigidly in its bent shape."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.robot.parts import Joint, Link

BASE = lp.WheeledBase(
    mass=40,
    center_of_mass=(0.0, 0.0, 0.2),
    inertia=np.diag([1.0, 2.0, 3.0]),
    wheels=[lp.FixedWheel((x, y), 0.1, driven=True) for x in (-0.4, 0.4) for y in (-0.3, 0.3)],
    friction=lp.WheelFriction(0.8, rolling=0.01),
)
ROD = lp.Rod(0.02)
EI = 210e9 * np.pi / 4 * 0.02**4
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # no material is so light, which is the point
    LIGHT = replace(lp.STEEL, density=1e-6)


def boom(material: lp.Material = lp.STEEL, payload: float = 0.0) -> lp.FlexibleRobot:
    arm = lp.catalog.planar(1, mass=1e-9 if material is LIGHT else 1.0)
    arm = arm.with_payload(payload) if payload else arm
    return arm.with_beams({"link1": lp.Beam(ROD, material, end="tip_joint")}, inertia_from_beams=True)


def front_axle(rover: lp.Rover, q: float, **options: object) -> float:
    change = [rover.wheel_loads([q], deflected=d, **options).normal[2:].sum() for d in (False, True)]  # type: ignore[arg-type]
    return float(change[1] - change[0])


def test_a_boom_with_a_load_at_its_tip_by_hand() -> None:
    rover = BASE.carrying(boom(LIGHT, payload=20.0), at=(0.2, 0.0, 0.5))
    sag = 20.0 * 9.81 * np.cos(0.6) / (3 * EI)  # across the boom, which is 1 m long
    by_hand = 20.0 * 9.81 * sag * np.sin(0.6) / 0.8  # over the wheelbase
    # The arc is shorter than the boom by 3/5 sag^2, which counts a little.
    assert front_axle(rover, 0.6) == pytest.approx(by_hand, rel=3 * sag)
    assert by_hand > 0.2


def test_a_boom_under_its_own_weight_by_hand() -> None:
    arm = boom()
    mu = arm.link("link1").inertia.mass
    rover = BASE.carrying(arm, at=(0.2, 0.0, 0.5))
    shift = arm.load_shift([0.6], [0.0], [0.0], effects=("bending",))[2]
    sagging = mu * mu * 9.81 * np.cos(0.6) / (20 * EI)  # sum of mass times sag, Int mu w(x) dx
    assert np.allclose(shift, [sagging * np.sin(0.6), 0.0, -sagging * np.cos(0.6)], rtol=2e-4, atol=1e-12)
    assert front_axle(rover, 0.6) == pytest.approx(9.81 * sagging * np.sin(0.6) / 0.8, rel=5e-3)  # shear adds to it


def elbow() -> lp.FlexibleRobot:
    """Two beams without mass to speak of, two heavy bodies, one of them out of line, and a soft drive."""
    arm = lp.catalog.planar(2, mass=1e-9)
    arm = arm.with_payload(2.0, (0.5, 0.05, 0.0), link="link1", name="motor")
    arm = arm.with_payload(3.0, (0.1, 0.2, -0.1), link="tip")
    beams = {"link1": lp.Beam(lp.Tube(0.03, 0.004), LIGHT, end="joint2"),
             "link2": lp.Beam(lp.Tube(0.02, 0.004), LIGHT, end="tip_joint")}
    soft = {"joint2": lp.JointCompliance(drive=4e4, tilting=5e4)}
    return arm.with_beams(beams, joint_compliance=soft, inertia_from_beams=True)


def rebuilt(rover: lp.Rover, bent: lp.Deflection, q: np.ndarray) -> lp.Rover:
    """The heavy bodies welded to the base, rigidly, where the bent arm has them."""
    robot = rover.robot
    poses = robot.link_poses(q)
    heavy = [k for k, link in enumerate(robot.links) if k and link.inertia.mass > 1e-3]
    links, joints = [robot.links[0]], []
    for k in heavy:
        theta, angle = bent.rotation[k], np.linalg.norm(bent.rotation[k])
        K = np.cross(np.eye(3), theta / angle)  # K v = theta x v / angle
        pose = poses[k].copy()
        pose[:3, :3] = (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K) @ pose[:3, :3]
        pose[:3, 3] += bent.displacement[k]
        name = robot.links[k].name
        links.append(Link(name, robot.links[k].inertia))
        joints.append(Joint(f"{name}_weld", robot.base.name, name, lp.Fixed(), lp.Pose.from_matrix(pose)))
    welded = lp.Robot("welded", tuple(links), tuple(joints), robot.gravity)
    return lp.Rover(rover.base, welded, rover.ground)


@pytest.mark.parametrize(
    "motion",
    [{}, {"velocity": (1.0, 1.5), "acceleration": (-2.0, 1.0)}, {"heading": 0.7}],
    ids=["standing", "braking and turning", "on a slope"],
)
def test_against_the_rover_built_rigidly_in_its_bent_shape(motion: dict) -> None:
    rover = BASE.carrying(elbow(), at=(-0.3, 0.1, 0.5), ground=lp.Ground(slope=0.1 if "heading" in motion else 0.0))
    q = np.array([1.1, -0.7])
    rigid = rover.wheel_loads(q, **motion)
    shifted = rover.wheel_loads(q, **motion, deflected=True)
    other = rebuilt(rover, rover.deflection(q, **motion), q).wheel_loads(**motion)
    change = np.abs(other.normal - rigid.normal).max()
    assert change > 0.005
    assert np.abs(shifted.normal - other.normal).max() < 0.01 * change  # the second order of the deflection
    assert np.abs(shifted.force - other.force).max() < 0.01 * change + 1e-3 * np.abs(other.force - rigid.force).max()
    margins = [r.stability(q if r.n else None, **motion, **o) for r, o in (
        (rover, {}), (rover, {"deflected": True}), (rebuilt(rover, rover.deflection(q, **motion), q), {}))]
    for part in ("margin", "angle", "force_angle"):
        before, ours, theirs = (float(getattr(margin, part)) for margin in margins)
        assert ours == pytest.approx(theirs, abs=0.03 * abs(theirs - before) + 1e-12)
        assert ours != before


def test_states_in_a_batch_and_options() -> None:
    rover = BASE.carrying(elbow(), at=(-0.3, 0.1, 0.5))
    q = np.array([[1.1, -0.7], [0.3, 0.2], [np.nan, 0.0]])
    with pytest.warns(lp.ModelWarning, match="not a number|not numbers"):
        many = rover.wheel_loads(q, deflected=True)
    for k in range(2):
        assert np.allclose(many.normal[k], rover.wheel_loads(q[k], deflected=True).normal, rtol=1e-12)
    assert many.unknown.tolist() == [False, False, True]
    wrench = rover.ground_wrench(q[0], deflected=True)
    assert wrench.force[2] == pytest.approx(many.normal[0].sum(), rel=1e-12)
    slip = rover.slip(q[0], deflected=True)
    assert np.allclose(slip.loads.normal, many.normal[0], rtol=1e-12)


def test_a_rigid_rover_says_what_it_lacks() -> None:
    rover = BASE.carrying(lp.catalog.planar(1), at=(0.2, 0.0, 0.5))
    with pytest.raises(lp.ModelError, match=r"no robot with beams .*, and its wheels have no stiffness"):
        rover.wheel_loads([0.3], deflected=True)


def test_a_deflection_that_is_not_small_is_warned_of() -> None:
    rover = BASE.carrying(boom(LIGHT, payload=5.0).with_gravity((0, 0, -9.81)), at=(0.2, 0.0, 0.5))
    soft = rover.with_beams({"link1": lp.Beam(lp.Rod(0.005), LIGHT, end="tip_joint")})
    with pytest.warns(lp.ModelWarning, match="not small"):
        soft.wheel_loads([0.6], deflected=True)


def telescope(lumps: int = 0) -> lp.FlexibleRobot:
    """A boom of two tubes on a slewing post, the inner one in a guide, and a trolley that rides on the inner one. With
    `lumps` the mass of the tubes is in so many points along each of them.
    """
    masses = {"post": 0.0, "head": 5.0, "outer": 1e-9, "inner": 1e-9, "trolley": 20.0}
    links = [lp.Link(name, lp.Inertia(mass)) for name, mass in masses.items()]
    joints = [
        lp.Joint("slew", "post", "head", lp.Revolute((0, 0, 1))),
        lp.Joint("lift", "head", "outer", lp.Revolute((0, -1, 0))),
        lp.Joint("extend", "outer", "inner", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(3.0, 0, 0))),
        lp.Joint("ride", "inner", "trolley", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(-0.4, 0, 0))),
    ]
    robot = lp.Robot("telescope", tuple(links), tuple(joints)).with_payload(40.0, (0, 0.1, -0.2), link="inner")
    sections = {"outer": lp.RectangularTube(0.1, 0.14, 0.004), "inner": lp.RectangularTube(0.07, 0.1, 0.003)}
    for k in range(lumps):
        for link, section in sections.items():
            x, mass = 3.0 * (k + 0.5) / lumps - (3.0 if link == "inner" else 0.0), 7850 * section.area * 3.0 / lumps
            robot = robot.with_payload(mass, (x, 0, 0), link=link, name=f"{link} {k}")
    steel = LIGHT if lumps else lp.STEEL
    outer = lp.Beam(sections["outer"], steel, end=(3.0, 0, 0))
    inner = lp.Beam(sections["inner"], steel, start=(-3.0, 0, 0), end=(0.0, 0, 0),
                    guide=lp.Guide(front=0.0, tail=-2.8))
    ride = {"ride": lp.Guide(at=0.0, spacing=0.2, pads_on="child")}
    return robot.with_beams({"outer": outer, "inner": inner}, guides=ride, inertia_from_beams=True)


@pytest.mark.parametrize("extension", [0.4, 1.7])
def test_the_mass_of_a_telescope_goes_where_its_frames_go(extension: float) -> None:
    """By Betti a gravity along x moves as much mass along z as one along z moves along x; and points of mass move as
    `deflection` says.
    """
    arm, q, still = telescope(), np.array([0.4, 0.7, extension, -0.3]), np.zeros(4)
    light = 1e-3 * np.eye(3)
    moved = np.array([arm.with_gravity(tuple(g)).load_shift.uncompiled(q, still, still)[2] for g in light])
    assert np.abs(moved - moved.T).max() < 2e-4 * np.abs(moved).max()
    points = telescope(lumps=6).with_gravity((0, 0, 1e-3))
    bent = points.deflection(q)
    poses, by_frames = points.link_poses(q), np.zeros(3)
    for k, link in enumerate(points.links):
        arms = poses[k, :3, :3] @ np.array(link.inertia.center_of_mass)
        by_frames += link.inertia.mass * (bent.displacement[k] + np.cross(bent.rotation[k], arms))
    assert moved[2] == pytest.approx(by_frames, abs=0.01 * np.abs(by_frames).max())
    found = points.load_shift.uncompiled(q, still, still)[2]
    assert found == pytest.approx(by_frames, rel=1e-3, abs=1e-6 * np.abs(by_frames).max())


def test_wheel_loads_of_a_deflected_telescope() -> None:
    rover = BASE.carrying(telescope(), at=(-0.3, 0.1, 0.5))
    heavy = replace(rover, wheeled_base=replace(rover.base, mass=4000))
    q = np.array([0.4, 0.7, 1.2, -0.3])
    change = heavy.wheel_loads(q, deflected=True).normal - heavy.wheel_loads(q).normal
    moved = telescope().load_shift(q, np.zeros(4), np.zeros(4))[2]
    x, y = np.array([wheel.position for wheel in BASE.wheels]).T
    assert change @ x == pytest.approx(9.81 * moved[0], rel=1e-6)
    assert change @ y == pytest.approx(9.81 * moved[1], rel=1e-6)
    spun = {"velocity": (0.5, 0.4), "acceleration": (0.3, 0.2)}
    turning = heavy.ground_wrench(q, deflected=True, **spun)
    assert np.isfinite(turning.torque).all()
