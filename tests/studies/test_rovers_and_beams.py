"""Rovers and arms with beams in studies: many designs through the kernels of a family are as one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.studies.passes import run


def cart(wheels: int = 4, **more: Any) -> lp.Rover:
    """A two-joint arm on a cart that stands on three or four wheels."""
    places = [(-0.4, 0.35), (-0.4, -0.35), (0.4, 0.35), (0.4, -0.35)] if wheels == 4 else [
        (0.5, 0.0), (-0.3, 0.3), (-0.3, -0.3)]
    base = lp.WheeledBase(mass=60, center_of_mass=(0, 0, 0.25), inertia=np.diag([3.0, 3.0, 4.0]).tolist(),
                          wheels=[lp.FixedWheel(place, 0.1, **more) for place in places],
                          friction=lp.WheelFriction(0.6, 0.8, 0.01))
    arm = lp.catalog.planar(2).with_payload(1.0).with_limits({"joint1": {"effort": 80.0}})
    return base.carrying(arm, at=lp.Pose.from_xyz_rpy((0, 0, 0.5), (np.pi / 2, 0, 0)))


def swing(rover: lp.Rover) -> lp.Motion:
    return lp.Motion.through(rover, [[0.3, 0.2], [1.2, -0.9], [0.2, 0.4]], [0.0, 0.8, 1.6], rate=40)


ANSWERS = ["mass", "wheel_load", "margin", "*.normal", "wheel2.lateral:rms", "wheel1.friction_used:max",
           "rover.margin:min", "utilisation", "joint2.tilting_moment", "joint1.drive:at", ("rover", "tipping over"),
           ("wheel3", "slip")]
SPACES: dict[str, Callable[[lp.Rover], lp.Space]] = {
    "numbers of robots and base": lambda rover: lp.Space({
        "payload.mass": lp.span("0 kg", "6 kg"), "rover.mass": lp.span("40 kg", "90 kg"),
        "link1.length": lp.span("0.7 m", "1.2 m"), "motion.speed": lp.span(0.6, 1.2)}).sobol(16, seed=2),
    "slopes": lambda rover: lp.Space({"payload.mass": ["1 kg", "5 kg"], "ground.slope": lp.span("0 deg", "9 deg", 3),
                                "ground.gravity": [9.81, 3.7]}),
    "wheels": lambda rover: lp.Space({
        "payload.mass": ["1 kg", "5 kg"], "rover.friction.static": [0.7, 0.9],
        "wheel1.position": [[factor * x for x in rover.base.wheels[0].position] for factor in (1.0, 1.3)]}),
}


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Designs of each block that is computed."""
    found: list[int] = []

    def watched(case: Any, *others: Any) -> Any:
        found.append(case.designs)
        return run(case, *others)

    monkeypatch.setattr("loadpath.studies.chunks.run", watched)
    return found


@pytest.mark.parametrize(("of", "wheels", "groups"), [
    ("numbers of robots and base", 3, 1), ("numbers of robots and base", 4, 1), ("slopes", 3, 1), ("wheels", 4, 4)])
def test_rovers_at_once_are_as_one_after_the_other(of: str, wheels: int, groups: int, blocks: list[int]) -> None:
    rover = cart(wheels)
    motion = swing(rover)
    study = lp.study(rover, SPACES[of](rover), motion, answers=ANSWERS).run()
    assert not study.cost.one_by_one
    assert study.counts["computed"] == len(study)
    assert blocks.count(len(study) // groups) >= groups
    flat = {name: study.answer(name).reshape(len(study), -1) for name in (answer.name for answer in study.answers)}
    for k in range(len(study)):
        one, moved = study.robot_of(k), study.motion_of(k)
        assert isinstance(one, lp.Rover)
        peaks, verdict = one.peak_loads(moved), one.verdict(moved)
        expected = {
            "mass": sum(link.inertia.mass for link in one.robot.links),
            "wheel_load": peaks.wheels.maximum[:, 0].max(), "margin": peaks.margin.minimum[0],
            "*.normal": [peaks[wheel, "normal"].magnitude for wheel in one.contact_names],
            "wheel2.lateral:rms": peaks["wheel2", "lateral"].rms,
            "wheel1.friction_used:max": peaks["wheel1", "friction_used"].maximum,
            "rover.margin:min": peaks["rover", "margin"].minimum, "utilisation": verdict.worst.utilisation,
            "joint2.tilting_moment": peaks["joint2", "tilting_moment"].magnitude,
            "joint1.drive:at": peaks["joint1", "drive"].peak.sample,
            "rover.tipping over": verdict["rover", "tipping over"].utilisation,
            "wheel3.slip": verdict["wheel3", "slip"].utilisation,
        }
        for name, value in expected.items():
            np.testing.assert_allclose(flat[name][k], value, rtol=1e-11, atol=1e-12, err_msg=f"{name} of {k}")


def test_slope_and_gravity_count_in_what_joints_of_a_family_of_rovers_carry() -> None:
    rover = cart()
    family = rover.family({"ground.slope": [0.0, 0.2], "payload.mass": [1.0, 3.0]})
    q, qd, qdd = np.array([[0.3, 0.2], [0.9, -0.4]]), np.ones((2, 2)), np.zeros((2, 2))
    for k, (slope, mass) in enumerate(((0.0, 1.0), (0.2, 3.0))):
        own = rover.family({"payload.mass": mass}).robot_of(())
        own = lp.Rover(own.base, own.on_fixed_base, lp.Ground(slope=slope))
        np.testing.assert_allclose(family.inverse_dynamics(q, qd, qdd)[k], own.inverse_dynamics(q, qd, qdd), rtol=1e-12)
        np.testing.assert_allclose(family.joint_wrenches(q, qd, qdd).force[k], own.joint_wrenches(q, qd, qdd).force,
                                   rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(family.robot_of(k).inverse_dynamics(q, qd, qdd), own.inverse_dynamics(q, qd, qdd),
                                   rtol=1e-12)
        np.testing.assert_allclose(family.wheel_loads(q, qd, qdd).normal[k], own.wheel_loads(q, qd, qdd).normal,
                                   rtol=1e-12)
        np.testing.assert_allclose(family.robot_of(k).mass_center(q), own.mass_center(q), rtol=1e-12)
    with pytest.raises(ValueError, match="through gravity"):
        family.sensitivity("inverse_dynamics", q, qd, qdd)


def test_wheel_loads_of_a_family_lift_where_those_of_a_rover_do() -> None:
    rover = cart()
    family = rover.family({"payload.mass": np.linspace(0.0, 60.0, 12)})
    q = np.array([[0.0, 0.0], [1.5, 0.0]])
    found = family.wheel_loads(q)
    assert found.tips_over.any()
    assert not found.tips_over.all()
    slips = family.slip(q, acceleration=(1.0, 0.0)).ratio
    for k in range(12):
        own = family.robot_of(k)
        loads = own.wheel_loads(q)
        np.testing.assert_allclose(found.normal[k], loads.normal, rtol=1e-9, atol=1e-9)
        assert (found.tips_over[k] == loads.tips_over).all()
        np.testing.assert_allclose(slips[k], own.slip(q, acceleration=(1.0, 0.0)).ratio, rtol=1e-9, atol=1e-9)


def test_rovers_that_a_function_makes_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rover = cart()

    def make(payload: float, ballast: float) -> lp.Rover:
        return rover.family({"payload.mass": payload, "rover.mass": 60.0 + ballast}).robot_of(())

    space = lp.Space(payload=lp.span("0 kg", "4 kg", 3), ballast=["0 kg", "30 kg"])
    motion = swing(rover)
    study = lp.study(make, space, motion, answers=["wheel_load", "joint1.drive"])
    asked: list[object] = []
    monkeypatch.setattr("loadpath.studies.chunks.answers_one", lambda *given: asked.append(given))
    study.run()
    assert not asked
    for k in range(6):
        peaks = study.robot_of(k).peak_loads(motion)
        assert study.answer("wheel_load").flat[k] == pytest.approx(peaks.wheels.maximum[:, 0].max(), rel=1e-11)
        assert study.answer("joint1.drive").flat[k] == pytest.approx(peaks["joint1", "drive"].magnitude, rel=1e-11)


def test_how_the_base_moves_is_the_same_for_all_designs() -> None:
    rover = cart(3)
    moves: Any = {"velocity": (0.6, 0.2), "acceleration": (0.8, 0.0)}
    study = lp.study(rover, lp.Space({"payload.mass": ["0 kg", "4 kg"]}), swing(rover),
                     answers=["margin", "wheel2.friction_used", "joint1.drive", "utilisation"], **moves).run()
    assert "velocity" in study.cost.one_by_one
    for k in range(2):
        own = study.robot_of(k)
        peaks = own.peak_loads(swing(rover), **moves)
        assert study.answer("margin")[k] == pytest.approx(peaks.margin.minimum[0], rel=1e-11)
        assert study.answer("wheel2.friction_used")[k] == pytest.approx(
            peaks["wheel2", "friction_used"].magnitude, rel=1e-11)
        assert study.answer("joint1.drive")[k] == pytest.approx(peaks["joint1", "drive"].magnitude, rel=1e-11)
        assert study.answer("utilisation")[k] == pytest.approx(
            own.verdict(swing(rover), **moves).worst.utilisation, rel=1e-11)


def test_each_design_may_have_a_pose_of_its_own() -> None:
    rover = cart()
    space = lp.Space({"joint1.position": lp.span("0 deg", "90 deg", 4), "payload.mass": ["0 kg", "6 kg"]})
    study = lp.study(rover, space, answers=["margin", "*.normal"]).run()
    for k in range(len(study)):
        design, own = study.design(k), study.robot_of(k)
        q = [design["joint1.position"], 0.0]
        assert study.answer("margin").flat[k] == pytest.approx(float(own.stability(q).margin), rel=1e-11)
        np.testing.assert_allclose(study.answer("*.normal").reshape(len(study), -1)[k], own.wheel_loads(q).normal,
                                   rtol=1e-11)
    states = lp.Space({"joint1.position": lp.span("0 deg", "90 deg", 50)})
    whole = lp.study(rover, lp.Space({"payload.mass": ["6 kg"]}), states, answers=["margin"]).run()
    every = np.stack([np.linspace(0, np.pi / 2, 50), np.zeros(50)], axis=-1)
    heavy = rover.family({"payload.mass": 6.0}).robot_of(())
    assert whole.answer("margin")[0] == pytest.approx(heavy.stability(every).margin.min(), rel=1e-11)


def test_a_base_without_robots_needs_no_motion() -> None:
    study = lp.study(cart().base.carrying(), lp.Space({"ground.slope": ["0 deg", "6 deg"]}), answers=["margin"]).run()
    expected = [float(study.robot_of(k).stability().margin) for k in range(2)]
    np.testing.assert_allclose(study.answer("margin"), expected, rtol=1e-12)


def test_wheels_that_give_way_are_asked_one_by_one_and_say_so() -> None:
    rover = cart(stiffness=1e5)
    study = lp.study(rover, lp.Space({"payload.mass": ["0 kg", "4 kg"]}), swing(rover), answers=["wheel_load"]).run()
    assert "wheels that give way" in study.cost.one_by_one
    peaks = study.robot_of(1).peak_loads(swing(rover))
    assert study.answer("wheel_load")[1] == pytest.approx(peaks.wheels.maximum[:, 0].max(), rel=1e-11)
    with pytest.raises(ValueError, match="several entries, and is asked of one design at a time"):
        lp.study(rover, lp.Space({"payload.mass": ["0 kg"]}), swing(rover), answers=["*.normal"])


@pytest.mark.parametrize(("answer", "said"), [
    ("wheel9.normal", "no contact 'wheel9'"), ("wheel1.drve", "no quantity 'drve'"), ("kinetic", "no answer 'kinetic'"),
])
def test_a_name_of_no_wheel_is_said(answer: str, said: str) -> None:
    rover = cart(3)
    with pytest.raises(ValueError, match=said):
        lp.study(rover, lp.Space({"payload.mass": ["0 kg"]}), swing(rover), answers=[answer])


def arm() -> lp.FlexibleRobot:
    beams = {"link1": lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.STEEL, end="joint2"),
             "link2": lp.Beam(lp.RectangularTube(width=0.05, height=0.06, wall=0.003), lp.ALUMINIUM, end="tip_joint")}
    return lp.catalog.planar(2).with_payload(5.0).with_beams(beams, inertia_from_beams=True)


def test_arms_with_beams_at_once_are_as_one_after_the_other(blocks: list[int]) -> None:
    robot = arm()
    motion = lp.Motion.through(robot, [[0.0, 0.0], [1.0, -0.8]], [0.0, 0.7], rate=30)
    space = lp.Space({"link1.beam.section.wall": ["2 mm", "3 mm", "5 mm"], "payload.mass": ["0 kg", "8 kg"],
                      "motion.speed": [0.7, 1.0]})
    study = lp.study(robot, space, motion, answers=["deflection", "mass", "joint1.drive"]).run()
    assert blocks == [8, 12]  # of those that are tried, and of all
    assert not study.cost.one_by_one
    for k in range(len(study)):
        own, moved = study.robot_of(k), study.motion_of(k)
        bent = np.linalg.norm(own.deflection(moved).tip.displacement, axis=-1).max()
        assert study.answer("deflection").flat[k] == pytest.approx(bent, rel=1e-10)
        assert study.answer("mass").flat[k] == pytest.approx(sum(link.inertia.mass for link in own.links), rel=1e-12)
        assert study.answer("joint1.drive").flat[k] == pytest.approx(
            own.peak_loads(moved)["joint1", "drive"].magnitude, rel=1e-11)
