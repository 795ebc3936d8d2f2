"""Flexible robots on a base: beams come along, and feel how the base moves and what slope it stands on."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

AT = lp.Pose.from_matrix(
    [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, -0.05], [0.0, 0.0, 1.0, 0.4], [0.0, 0.0, 0.0, 1.0]]
)
BASE = lp.WheeledBase(
    mass=40,
    center_of_mass=(0.0, 0.0, 0.2),
    inertia=np.diag([1.0, 2.0, 3.0]),
    wheels=[lp.FixedWheel((x, y), 0.1, driven=True) for x in (-0.4, 0.4) for y in (-0.3, 0.3)],
    friction=lp.WheelFriction(0.8, rolling=0.01),
)
ROD = lp.Rod(0.01)
EI = 210e9 * np.pi / 4 * 0.01**4


def flexible_arm() -> lp.FlexibleRobot:
    tube = lp.Tube(0.02, 0.002)
    beams = {"link1": lp.Beam(tube, lp.STEEL, end="joint2"), "link2": lp.Beam(tube, lp.ALUMINIUM, end="tip_joint")}
    soft = {"joint2": lp.JointCompliance(drive=5e3, tilting=2e4)}
    return lp.catalog.planar(2).with_payload(1.5).with_beams(beams, joint_compliance=soft, inertia_from_beams=True)


def mast() -> lp.FlexibleRobot:
    """A rod of 1 m that weighs 2.466 kg, upright at q = pi/2."""
    return lp.catalog.planar(1).with_beams({"link1": lp.Beam(ROD, lp.STEEL, end="tip_joint")}, inertia_from_beams=True)


def states(count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-1, 1, (count, size)) for size in (2, 2, 2, 3, 3, 1))


def own_loads(rover: lp.Rover, velocity: np.ndarray, acceleration: np.ndarray, heading: np.ndarray) -> tuple:
    """Twist and acceleration of the arm's own base, in its axes, and gravity there, by hand."""
    R, p = np.array(AT.rotation), np.array(AT.translation)
    w = np.zeros(3)
    w[2], alpha = velocity[2], np.array([0.0, 0.0, acceleration[2]])
    v = np.array([velocity[0], velocity[1], 0.0])
    a = np.array([acceleration[0], acceleration[1], 0.0]) + np.cross(w, v)
    twist = [*(R.T @ (v + np.cross(w, p))), *(R.T @ w)]
    rate = [*(R.T @ (a + np.cross(alpha, p) + np.cross(w, np.cross(w, p)))), *(R.T @ alpha)]
    s, g = rover.ground.slope, rover.ground.gravity
    gravity = g * np.array([-np.sin(s) * np.cos(heading), np.sin(s) * np.sin(heading), -np.cos(s)])
    return twist, rate, tuple(R.T @ gravity)


@pytest.mark.parametrize("iterate", [False, True])
def test_the_same_as_the_arm_alone_on_a_moving_base_with_gravity_turned(iterate: bool) -> None:
    arm = flexible_arm()
    rover = BASE.carrying(arm, at=AT, ground=lp.Ground(slope=0.25))
    q, qd, qdd, velocity, acceleration, heading = states(2)
    base = {"velocity": velocity, "acceleration": acceleration, "heading": heading[:, 0]}
    push = {"tip": lp.Wrench(force=(3.0, -2.0, 5.0), axes="link")}
    found = rover.deflection(q, qd, qdd, iterate=iterate, external=push, **base)
    stress, buckling = (f(q, qd, qdd, external=push, **base) for f in (rover.stress, rover.buckling_safety))
    R = np.array(AT.rotation)
    for k in range(len(q)):
        twist, rate, gravity = own_loads(rover, velocity[k], acceleration[k], heading[k, 0])
        alone, moved = arm.with_gravity(gravity), {"base_velocity": twist, "base_acceleration": rate, "external": push}
        state = q[k], qd[k], qdd[k]
        bent = alone.deflection(*state, iterate=iterate, **moved)
        for ours, own in zip(found["tip"], bent["tip"], strict=True):
            assert np.abs(ours[k] - R @ own).max() < 1e-10 * np.abs(bent["tip"].displacement).max() + 1e-14
        assert np.allclose(stress.von_mises[k], alone.stress(*state, **moved).von_mises, rtol=1e-10)
        own_safety = alone.buckling_safety(*state, **moved)
        assert np.allclose(buckling.euler[k], own_safety.euler, rtol=1e-9)
        assert np.allclose(buckling.safety[k], own_safety.safety, rtol=1e-4)  # the whole arm's, to its tolerance


def test_buckling_and_loaded_frequencies_of_the_arm_alone_on_a_moving_base_with_gravity_turned() -> None:
    arm = flexible_arm()
    rover = BASE.carrying(arm, at=AT, ground=lp.Ground(slope=0.25))
    q, qd, qdd, velocity, acceleration, heading = states(2, seed=5)
    base = {"velocity": velocity, "acceleration": acceleration, "heading": heading[:, 0]}
    push = {"tip": lp.Wrench(force=(-300.0, -20.0, 50.0), axes="link")}
    buckling = rover.buckling(q, qd, qdd, external=push, **base)
    ringing = rover.natural_frequencies(q, 2, qd=qd, qdd=qdd, external=push, **base).frequencies
    for k in range(len(q)):
        twist, rate, gravity = own_loads(rover, velocity[k], acceleration[k], heading[k, 0])
        alone, moved = arm.with_gravity(gravity), {"base_velocity": twist, "base_acceleration": rate, "external": push}
        assert buckling.factor[k] == pytest.approx(alone.buckling(q[k], qd[k], qdd[k], **moved).factor, rel=1e-8)
        own = alone.natural_frequencies(q[k], 2, qd=qd[k], qdd=qdd[k], **moved).frequencies
        assert ringing[k] == pytest.approx(own, rel=1e-7)
    assert np.abs(rover.natural_frequencies(q, 2, loaded=False).frequencies - ringing).max() > 1e-3
    with pytest.raises(ValueError, match="'velocity' is a load, and loaded=False leaves all loads out"):
        rover.natural_frequencies(q, loaded=False, velocity=velocity)


def test_an_arm_on_a_lift_buckles_under_more_and_rings_slower() -> None:
    """Upwards with a third of gravity is a third more gravity."""
    arm = mast()
    lifted = {"base_velocity": np.zeros(6), "base_acceleration": [0, 0, 9.81 / 3, 0, 0, 0]}
    heavier = arm.with_gravity((0, 0, -9.81 * 4 / 3))
    q = [np.pi / 2]
    assert arm.buckling(q, **lifted).factor == pytest.approx(0.75 * arm.buckling(q).factor, rel=1e-9)
    assert arm.buckling(q, **lifted).factor == pytest.approx(heavier.buckling(q).factor, rel=1e-12)
    slower = arm.natural_frequencies(q, 2, **lifted).frequencies
    assert slower == pytest.approx(heavier.natural_frequencies(q, 2).frequencies, rel=1e-12)
    assert (slower < arm.natural_frequencies(q, 2).frequencies).all()


def test_a_spinning_base_stiffens_an_arm_that_points_outwards() -> None:
    """Centrifugal loads pull: the same loads by hand, on a base that stands."""
    arm = lp.catalog.planar(1, mass=3.0, gravity=0.0).with_payload(3.0).with_beams(
        {"link1": lp.Beam(ROD, lp.STEEL, end="tip_joint")})
    m = arm.link("link1").inertia.mass
    spin = {"base_velocity": [0, 0, 0, 0, 0, 20.0], "base_acceleration": np.zeros(6)}
    fast = arm.natural_frequencies([0.0], 2, **spin).frequencies
    still = arm.natural_frequencies([0.0], 2).frequencies
    pulled = arm.natural_frequencies([0.0], 2, external={"tip": lp.Wrench(force=(3.0 * 400, 0, 0))}).frequencies
    assert (fast > pulled).all()  # the rod's own mass pulls, too
    more = arm.natural_frequencies([0.0], 2, external={"tip": lp.Wrench(force=((3.0 + m) * 400, 0, 0))}).frequencies
    assert ((still < pulled) & (fast < more)).all()
    assert arm.buckling([0.0], **spin).factor == np.inf


def test_the_same_as_the_arm_on_a_planar_joint() -> None:
    """No motion of a base there, but three joints more: another way through all of the equations."""
    rover = BASE.carrying(flexible_arm(), at=AT, ground=lp.Ground(slope=0.3))
    q, qd, qdd, velocity, acceleration, heading = states(6, seed=1)
    psi = heading[:, 0]
    found = rover.deflection(q, qd, qdd, velocity=velocity, acceleration=acceleration, heading=psi)
    c, s = np.cos(psi), np.sin(psi)
    turn = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    v, w = (turn @ velocity[:, :2, None])[..., 0], velocity[:, 2]
    rate = acceleration[:, :2] + w[:, None] * np.stack([-velocity[:, 1], velocity[:, 0]], axis=1)
    a = (turn @ rate[..., None])[..., 0]
    place = np.column_stack([np.ones(6), np.zeros(6), psi, q])
    on_joint = rover.planar.deflection(
        place, np.column_stack([v, w, qd]), np.column_stack([a, acceleration[:, 2], qdd])
    )
    moved = on_joint["tip"].displacement
    in_base = np.column_stack([(turn.transpose(0, 2, 1) @ moved[:, :2, None])[..., 0], moved[:, 2]])
    assert np.abs(found["tip"].displacement - in_base).max() < 1e-11 * np.abs(moved).max()
    assert np.abs(moved).max() > 1e-3


def test_braking_turning_and_slopes_by_hand() -> None:
    arm = mast()
    m, rover = arm.link("link1").inertia.mass, BASE.carrying(arm, at=(0.3, 0.0, 0.4))
    upright = [np.pi / 2]
    braking = rover.deflection(upright, velocity=(2.0, 0.0), acceleration=(-1.5, 0.0), effects=["bending"])
    assert braking.tip.displacement[0] == pytest.approx(m * 1.5 / (8 * EI), rel=1e-12)
    stress = rover.stress(upright, acceleration=(-1.5, 0.0))
    assert stress.bending[0] == pytest.approx(m * 1.5 / 2 / (np.pi / 4 * 0.01**3), rel=1e-12)
    turning = rover.deflection(upright, velocity=(0.0, 2.0), effects=["bending"])  # 0.3 m from the axis, outwards
    assert turning.tip.displacement[0] == pytest.approx(m * 0.3 * 4.0 / (8 * EI), rel=1e-12)
    slope = rover.on(lp.Ground(slope=0.2))
    headings = np.array([0.0, np.pi / 2, np.pi])  # uphill is ahead, on the right, behind: it hangs the other way
    hanging = slope.deflection(upright, heading=headings, effects=["bending"]).tip.displacement
    sag = m * 9.81 * np.sin(0.2) / (8 * EI)
    assert np.allclose(hanging[:, :2], sag * np.array([[-1, 0], [0, 1], [1, 0]]), atol=1e-12 * sag)
    lighter = slope.buckling_safety(upright).euler[0] / rover.buckling_safety(upright).euler[0]
    assert lighter == pytest.approx(1 / np.cos(0.2), rel=1e-12)


def test_a_simulation_on_a_slope_brings_the_motion_of_its_base() -> None:
    rover = BASE.carrying(flexible_arm(), at=AT, ground=lp.Ground(slope=0.15))
    with pytest.raises(lp.ModelError, match=r"beams or compliant joints.*simulate.*without_beams"):
        rover.simulate([0.5, 0.3], duration=0.1)
    rolled = rover.without_beams().simulate(
        [0.5, 0.3], [0.2, -0.4], duration=0.1, velocity=(0.5, 2.0), pose=(0.0, 0.0, 0.7)
    )
    found = rover.deflection(rolled)
    by_hand = rover.deflection(rolled.q, rolled.qd, rolled.qdd, velocity=rolled.velocity,
                               acceleration=rolled.acceleration, heading=rolled.pose[:, 2])
    assert found.displacement.shape == (11, 6, 3)
    assert np.array_equal(found.displacement, by_hand.displacement)
    assert np.ptp(rolled.pose[:, 2]) > 1e-3
    worst = rover.extremes(rolled)
    assert worst.worst_stress == rover.extremes(rolled.q, rolled.qd, rolled.qdd, **rolled.base_state).worst_stress
    assert worst.tip.distance == pytest.approx(np.linalg.norm(found.tip.displacement, axis=-1).max())
    assert rover.bandwidth_check(rolled).frequency > 0
    assert "state" in rover.plot_safety(rolled).layout.title.text


def test_a_motion_of_the_arm_alone_serves_the_rover() -> None:
    arm = flexible_arm()
    rover = BASE.carrying(arm, at=AT, prefix="left_")
    assert rover.robot.beams[0][0] == "left_link1"
    assert rover.robot.beams[0][1].end == "left_joint2"
    assert [name for name, _ in rover.robot.joint_compliances] == ["left_joint2"]
    swing = lp.Motion.through(arm, [[0, 0.2], [1, 0.5]], [0, 0.5], rate=20)
    assert np.allclose(rover.deflection(swing)["left_tip"].displacement,
                       arm.deflection(swing).tip.displacement @ np.array(AT.rotation).T, atol=1e-15)
    both = rover.carrying(mast(), at=(0.2, 0.1, 0.4), prefix="right_")
    assert both.deflection([0.1, 0.2, np.pi / 2])["right_tip"].displacement.shape == (3,)
    assert both.robot.beams[-1][0] == "right_link1"
    rigid_first = BASE.carrying(lp.catalog.planar(1), prefix="a_").carrying(mast(), prefix="b_")
    assert [link for link, _ in rigid_first.robot.beams] == ["b_link1"]
    then_rigid = BASE.carrying(mast(), prefix="b_").carrying(lp.catalog.planar(1), prefix="a_")
    assert [link for link, _ in then_rigid.robot.beams] == ["b_link1"]


def test_all_that_a_flexible_arm_can_say() -> None:
    arm = flexible_arm()
    rover = BASE.carrying(arm, at=AT)
    q, turn = np.array([[0.3, 0.4], [0.5, -0.2]]), np.kron(np.eye(2), np.array(AT.rotation))
    assert np.allclose(rover.natural_frequencies(q, 4).frequencies, arm.natural_frequencies(q, 4).frequencies)
    own, ours = arm.compliance(q, "tip"), rover.compliance(q, "tip")
    assert np.allclose(ours, turn @ own @ turn.T, atol=1e-12 * np.abs(own).max())
    assert np.allclose(rover.stiffness(q, "tip") @ ours, np.eye(6), atol=1e-6)
    ours, own = (each.frequency_map({"joint2": (0.0, 1.0, 3)}).frequencies for each in (rover, arm))
    assert np.allclose(ours, own, rtol=1e-10)
    assert np.allclose(rover.compensated(q, link="tip").q, arm.compensated(q, link="tip").q, atol=1e-9)
    slope = rover.on(lp.Ground(slope=0.3))
    tilted = arm.with_gravity(tuple(np.array(AT.rotation).T @ lp.Ground(slope=0.3).gravity_in_base(0.4)))
    assert np.allclose(slope.compensated(q, link="tip", heading=0.4).q, tilted.compensated(q, link="tip").q, atol=1e-9)
    assert rover.plot_deflection(q[0], acceleration=(1.0, 0.0)).data


def test_payloads_ground_and_pickles_keep_the_beams() -> None:
    rover = BASE.carrying(flexible_arm(), at=AT)
    loaded = rover.with_payload(3.0, link="tip", name="more")
    assert loaded.robot.beams == rover.robot.beams
    sag, more = (abs(r.deflection([0.2, 0.1])["tip"].displacement[2]) for r in (rover, loaded))
    assert more > 2 * sag
    assert rover.on(lp.Ground(slope=0.1)).robot.beams == rover.robot.beams
    copy = pickle.loads(pickle.dumps(rover))
    assert copy == rover
    assert np.array_equal(copy.deflection([0.2, 0.1]).displacement, rover.deflection([0.2, 0.1]).displacement)
    assert rover.largest_payload([0.2, 0.1], link="tip") > 0
    rigid = rover.without_beams()
    assert not rigid.robot.is_elastic and not isinstance(rigid.robot, lp.FlexibleRobot)
    assert np.array_equal(rigid.wheel_loads([0.2, 0.1]).normal, rover.wheel_loads([0.2, 0.1]).normal)
    again = rigid.with_beams(dict(rover.robot.beams), joint_compliance=dict(rover.robot.joint_compliances))
    assert np.allclose(again.deflection([0.2, 0.1]).displacement, rover.deflection([0.2, 0.1]).displacement)


@pytest.mark.slow
def test_the_report_shows_the_beams_under_the_motion_of_the_base() -> None:
    arm = mast()
    rover = BASE.carrying(arm, at=(0.1, 0.0, 0.4))
    swing = lp.Motion.through(arm, [[1.2], [1.6]], [0, 1.0], rate=20)
    titles = [section.title for section in rover.report(swing).sections]
    assert titles[-4:] == ["Beams", "Vibration", "Fatigue", "Wheels"]
    still, pushed = (
        next(figure for section in rover.report(swing, **base).sections for figure in section.figures
             if figure.label == "Largest deflection").value
        for base in ({}, {"acceleration": (4.0, 0.0)})
    )
    assert float(pushed.split()[0]) > float(still.split()[0])


def test_a_rover_without_beams_says_how_it_gets_them() -> None:
    rover = BASE.carrying(lp.catalog.planar(1))
    for ask in (rover.deflection, rover.stress, rover.buckling_safety, rover.extremes, rover.natural_frequencies,
                rover.compliance, rover.stiffness, rover.compensated, rover.plot_safety, rover.plot_deflection,
                rover.bandwidth_check, rover.frequency_map):
        with pytest.raises(lp.ModelError, match=rf"^{ask.__name__}: rover 'rover' carries no robot.*with_beams"):
            ask([0.1])
    with pytest.raises(TypeError, match=r"'speed': the motion of a base has velocity"):
        BASE.carrying(mast()).deflection([0.1], speed=(1.0, 0.0))


def test_carrying_beams_says_nothing() -> None:
    arm = flexible_arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BASE.carrying(arm, at=AT, prefix="x_").with_payload(1.0, link="x_tip", name="more")


def trolley() -> lp.FlexibleRobot:
    """A girder of 4 m with a trolley that rides along it on two pads: a guide of a link without a beam."""
    girder, trolley = lp.Inertia(60.0, (2.0, 0.0, 0.0)), lp.Inertia(8.0)
    links = [lp.Link("wall"), lp.Link("girder", girder), lp.Link("trolley", trolley)]
    joints = [
        lp.Joint("slew", "wall", "girder", lp.Revolute((0, 0, 1))),
        lp.Joint("ride", "girder", "trolley", lp.Prismatic((1, 0, 0)), lp.Pose(translation=(1.0, 0.0, 0.0))),
    ]
    beam = lp.Beam(lp.RectangularTube(0.08, 0.12, 0.004), lp.STEEL, end=(4.0, 0.0, 0.0))
    arm = lp.Robot("jib", tuple(links), tuple(joints))
    return arm.with_beams({"girder": beam}, guides={"ride": lp.Guide(at=0.0, spacing=0.3, pads_on="child")})


def test_guides_come_along_on_a_base_and_on_tyres() -> None:
    arm, q = trolley(), [0.3, 2.0]
    own = arm.deflection(q)["trolley"].displacement
    rover = BASE.carrying(arm, at=(0.0, 0.0, 0.4))
    assert rover.robot.guides == arm.guides
    assert rover.deflection(q)["trolley"].displacement == pytest.approx(own, rel=1e-10, abs=1e-14)
    twice = rover.carrying(arm, at=(0.0, 0.0, 0.8), prefix="upper_")
    both = twice.deflection([*q, *q])
    assert both["upper_trolley"].displacement == pytest.approx(own, rel=1e-10, abs=1e-14)
    wheels = [replace(wheel, stiffness=1e9) for wheel in BASE.wheels]
    firm = replace(BASE, mass=4000, wheels=wheels).carrying(arm, at=(0.0, 0.0, 0.4))
    assert firm.deflection(q)["trolley"].displacement == pytest.approx(own, abs=0.05 * np.abs(own).max())
    again = BASE.carrying(arm.without_beams(), at=(0.0, 0.0, 0.4)).with_beams(dict(arm.beams), guides=dict(arm.guides))
    assert again.robot == rover.robot
