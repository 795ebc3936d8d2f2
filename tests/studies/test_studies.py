"""Answers of studies against robots that are compiled one by one; what is refused; designs that fail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.studies.chunks import FAILED, LEFT_OUT

ARM = lp.catalog.planar(2).with_payload(0.0)
MOTION = lp.Motion.through(ARM, [[0.0, 0.3], [1.2, -0.4], [0.2, 0.9]], [0.0, 0.7, 1.5])
PEAKS = {"peak": "magnitude", "max": "maximum", "min": "minimum", "mean": "mean", "rms": "rms",
         "mean_magnitude": "mean_magnitude", "cubic_mean": "cubic_mean"}


def checked_arm(payload: float, length: float, gear: Any = None) -> lp.Robot:
    """Two links with limits, a bearing at the base and a gear, made anew: nothing of it comes from a family."""
    arm = lp.Robot("arm", links=(
        lp.Link("base"), lp.Link("upper", lp.Inertia(4.0 * length, (length / 2, 0, 0), np.diag([0.01, 0.1, 0.1]))),
        lp.Link("lower", lp.Inertia(2.0, (0.2, 0, 0), np.diag([0.005, 0.03, 0.03])))), joints=(
        lp.Joint("j1", "base", "upper", lp.Revolute((0, 1, 0)), limits=(lp.Limits(-3, 3, 4.0, 120.0),)),
        lp.Joint("j2", "upper", "lower", lp.Revolute((0, 1, 0)), (length, 0, 0),
                 limits=(lp.Limits(-3, 3, 5.0, 60.0),))))
    arm = arm.with_payload(payload, center_of_mass=(0.4, 0, 0))
    parts = [lp.CrossedRollerBearing(C=5300.0, C0=6070.0, dp=0.036)]
    return arm.with_parts({"j1": parts if gear is None else [*parts, gear]})


def test_peaks_and_means_are_those_of_robots_made_one_by_one() -> None:
    space = lp.Space({"payload.mass": lp.span("0 kg", "6 kg", 3), "link1.length": lp.span("0.5 m", "1.2 m", 2),
                      "motion.duration": ["1.5 s", "2 s"]})
    asked = [f"joint1.{quantity}:{how}" for quantity in ("drive", "tilting_moment", "radial_force", "force", "torque_x",
                                                         "axial_torque", "speed", "power") for how in PEAKS]
    study = lp.study(ARM, space, MOTION, answers=[*asked, "joint2.drive:at", "wrenches", "*.radial_force", "mass"])
    study.run(threads=1)
    for number in range(len(space)):
        design = space.design(number)
        robot = lp.catalog.planar(2)
        joints = [joint if joint.name != "joint2" else lp.Joint(
            joint.name, joint.parent, joint.child, joint.motion, (design["link1.length"], 0, 0),
            limits=joint.limits) for joint in robot.joints]
        robot = lp.Robot(robot.name, links=robot.links, joints=tuple(joints), gravity=robot.gravity)
        robot = robot.with_payload(design["payload.mass"], link=ARM.joint("payload_joint").parent)
        peaks = robot.peak_loads(MOTION.scaled(duration=design["motion.duration"]))
        place = np.unravel_index(number, study.shape)
        for name in asked:
            joint, _, rest = name.partition(".")
            quantity, _, how = rest.partition(":")
            np.testing.assert_allclose(study.answer(name)[place], getattr(peaks[joint, quantity], PEAKS[how]),
                                       rtol=1e-12, atol=1e-12, err_msg=name)
        assert study.answer("joint2.drive:at")[place] == peaks["joint2", "drive"].peak.sample
        np.testing.assert_allclose(study.answer("wrenches")[place], peaks.components.magnitude, rtol=1e-12, atol=1e-12)
        assert study.answer("mass")[place] == pytest.approx(2.0 + design["payload.mass"], rel=1e-15)


def test_quantiles_histograms_and_own_reductions() -> None:
    answers = [lp.Answer("joint1.drive", 0.9), lp.Answer("joint1.drive", ("histogram", [-50.0, 0.0, 50.0])),
               lp.Answer("joint1.drive", lambda values, weights: (values**4) @ weights, name="fourth"),
               "kinetic_energy:max", "*.drive:rms"]
    study = lp.study(ARM, lp.Space({"payload.mass": [0.0, 2.0]}), MOTION, answers=answers).run(threads=1)
    for k, payload in enumerate((0.0, 2.0)):
        robot = lp.catalog.planar(2).with_payload(payload)
        tau = robot.inverse_dynamics(MOTION.q, MOTION.qd, MOTION.qdd)
        weights = np.gradient(MOTION.t)
        weights[[0, -1]] = np.diff(MOTION.t)[[0, -1]] / 2
        weights = weights / weights.sum()
        order = np.argsort(tau[:, 0])
        at = np.searchsorted(np.cumsum(weights[order]), 0.9 - 1e-12)
        assert study.answer("joint1.drive:0.9")[k] == pytest.approx(tau[order[at], 0], rel=1e-12)
        shares = [weights[(tau[:, 0] >= a) & (tau[:, 0] < b)].sum() for a, b in ((-50, 0), (0, 50))]
        np.testing.assert_allclose(study.answer("joint1.drive:histogram")[k], shares, atol=1e-12)
        assert study.answer("fourth")[k] == pytest.approx((tau[:, 0] ** 4) @ weights, rel=1e-12)
        energy = robot.kinetic_energy(MOTION.q, MOTION.qd)
        assert study.answer("kinetic_energy:max")[k] == pytest.approx(energy.max(), rel=1e-12)
        np.testing.assert_allclose(study.answer("*.drive:rms")[k], np.sqrt(weights @ tau**2), rtol=1e-12)


GEARS = [lp.StrainWaveGear(ratio=100, rated_torque=25.0, rated_speed=200.0, rated_life=7000.0, average_torque=40.0,
                           peak_torque=200.0, average_input_speed=400.0, max_input_speed=700.0, name="size 20"), None]


@pytest.mark.parametrize("gear", [0, 1])
def test_utilisation_and_life_of_functions_are_those_of_verdicts(gear: int) -> None:
    """Rules over many designs at once against the verdict on each."""
    part = None if gear else GEARS[0]
    robot = checked_arm(1.0, 0.4, part)
    motion = lp.Motion.through(robot, [[0.0, 0.3], [1.2, -0.4], [0.2, 0.9]], [0.0, 0.7, 1.5])
    space = lp.Space(payload=lp.span("0 kg", "6 kg", 4), length=["400 mm", "0.5 m"])
    study = lp.study(lambda payload, length: checked_arm(payload, length, part), space, motion,
                     answers=["utilisation", "life", "mass", "j1.tilting_moment", ("j1", "effort")], hours=5000)
    study.run(threads=1)
    assert not study.cost.one_by_one
    for number in range(len(space)):
        design = space.design(number)
        verdict = checked_arm(**design, gear=part).verdict(motion, hours=5000)
        place = np.unravel_index(number, study.shape)
        assert verdict.worst is not None
        assert study.answer("utilisation")[place] == pytest.approx(verdict.worst.utilisation, rel=1e-12)
        lives = [row.life_hours for row in verdict.checks if row.life_hours is not None]
        assert study.answer("life")[place] == pytest.approx(min(lives), rel=1e-11)
        assert study.answer("j1.effort")[place] == pytest.approx(verdict["j1", "effort"].utilisation, rel=1e-12)


def test_two_parts_of_a_joint_have_a_life_each() -> None:
    """A row by joint, part and check is that of the part, in blocks, one by one and as derivatives."""
    gear = lp.StrainWaveGear(ratio=100, rated_torque=60, rated_speed=200, rated_life=7000, average_torque=70,
                             peak_torque=150, name="gear")
    ring = lp.CrossedRollerBearing(C=29.1e3, C0=40e3, dp=0.07, name="ring")
    arm = lp.catalog.planar(2).with_payload(1.0).with_limits({"joint1": lp.Limits(effort=90.0)}).with_parts(
        {"joint1": [ring, gear]})
    motion = lp.Motion.through(arm, [[0.0, 0.3], [1.2, -0.4], [0.2, 0.9]], [0.0, 0.7, 1.5])
    rows = [("joint1", "ring", "life L10"), ("joint1", "gear", "life L10"), ("joint1", "limits", "effort"),
            ("joint1", "ring", "static safety")]
    space = lp.Space({"payload.mass": [1.0, 2.0]})
    blocks = lp.study(arm, space, motion, answers=rows, hours=5000).run(threads=1)
    assert not blocks.cost.one_by_one
    singly = lp.study(lambda mass: arm.family({"payload.mass": mass}).robot_of(()), lp.Space(mass=[1.0, 2.0]),
                      lambda robot: motion, answers=rows, hours=5000).run(threads=1)
    assert singly.cost.one_by_one
    slopes = blocks.sensitivities(0, parameters=["payload.mass"])
    for number in range(2):
        verdict = blocks.robot_of(number).verdict(motion, hours=5000)
        for row in rows:
            name = ".".join(row)
            expected = verdict[row].utilisation
            assert blocks.answer(name)[number] == pytest.approx(expected, rel=1e-12)
            assert singly.answer(name)[number] == pytest.approx(expected, rel=1e-12)
            if number == 0:
                assert float(slopes.values[name]) == pytest.approx(expected, rel=1e-12)
    assert blocks.answer("joint1.ring.life L10")[0] < 0.5 * blocks.answer("joint1.gear.life L10")[0]


def test_parts_that_are_parameters_and_motions_of_designs() -> None:
    robot = checked_arm(2.0, 0.4)
    bearings = [lp.CrossedRollerBearing(C0=size, dp=0.05, name=f"{size:g}") for size in (5e3, 9e3)]

    def motion(cycle_time: float) -> lp.Motion:
        return lp.Motion.through(robot, [[0.0, 0.3], [1.2, -0.4]], [0.0, cycle_time])

    space = lp.Space({"j2.part": bearings, "cycle_time": ["0.6 s", "1.2 s"], "payload.mass": [0.0, 4.0]})
    study = lp.study(robot, space, motion, answers=["utilisation", "j2.tilting_moment"]).run(threads=1)
    for number in range(len(space)):
        design = space.design(number)
        made = checked_arm(design["payload.mass"], 0.4).with_parts({"j2": design["j2.part"]})
        verdict = made.verdict(motion(design["cycle_time"]))
        assert verdict.worst is not None
        place = np.unravel_index(number, study.shape)
        assert study.answer("utilisation")[place] == pytest.approx(verdict.worst.utilisation, rel=1e-12)


def test_states_of_the_workspace_are_dimensions() -> None:
    arm = checked_arm(3.0, 0.4).without_parts()
    space = lp.Space({"j1.position": lp.span(count=5), "j2.position": lp.span("-90 deg", "90 deg", 3),
                      "payload.mass": [0.0, 3.0]})
    study = lp.study(arm, space, answers=["j1.drive", "utilisation"]).run(threads=1)
    q = [[a, b] for a in np.linspace(-3, 3, 5) for b in np.linspace(-np.pi / 2, np.pi / 2, 3)]
    for k, payload in enumerate((0.0, 3.0)):
        tau = checked_arm(payload, 0.4).gravity_forces(q)
        np.testing.assert_allclose(study.answer("j1.drive")[..., k].ravel(), np.abs(tau[:, 0]), rtol=1e-12, atol=1e-12)
    still = np.zeros((1, 2))
    worst = checked_arm(0.0, 0.4).without_parts().verdict((np.array([[3.0, 0.0]]), still, still)).worst
    assert worst is not None
    assert study.answer("utilisation")[-1, 1, 0] == pytest.approx(worst.utilisation, rel=1e-9)


def test_a_space_of_states_is_reduced_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("passes", "study"):
        monkeypatch.setattr(sys.modules[f"loadpath.studies.{module}"], "PIECE", 5000)
    states = lp.Space({"joint1.position": lp.span("-2 rad", "2 rad"), "joint2.speed": lp.span(-1.0, 1.0)}).sobol(12_000)
    study = lp.study(ARM, lp.Space({"payload.mass": [1.0, 2.0]}), states,
                     answers=["wrenches", "joint1.drive:mean", "joint1.drive:at"]).run(threads=2)
    columns = states.columns(slice(0, 12_000))
    q, qd = np.zeros((12_000, 2)), np.zeros((12_000, 2))
    q[:, 0], qd[:, 1] = columns["joint1.position"], columns["joint2.speed"]
    for k, payload in enumerate((1.0, 2.0)):
        peaks = lp.catalog.planar(2).with_payload(payload).peak_loads(q, qd, 0 * qd)
        np.testing.assert_allclose(study.answer("wrenches")[k], peaks.components.magnitude, rtol=1e-12, atol=1e-12)
        assert study.answer("joint1.drive:mean")[k] == pytest.approx(peaks["joint1", "drive"].mean, rel=1e-9)
        assert study.answer("joint1.drive:at")[k] == peaks["joint1", "drive"].peak.sample


def test_functions_of_topologies_and_failures_beside_each_other() -> None:
    def make(joints: float, payload: float) -> lp.Robot:
        if payload > 2.5:
            raise lp.ModelError("a link that buckles")
        return lp.catalog.planar(int(joints)).with_payload(payload)

    def motion(robot: lp.Robot) -> Any:
        return np.full(robot.n, 0.2), np.zeros(robot.n), np.zeros(robot.n)

    space = lp.Space(joints=[1, 2], payload=lp.span("0 kg", "3 kg", 4)).subject_to("payload != 1 kg")
    study = lp.study(make, space, motion, answers=["joint1.drive", "mass"]).run(threads=1)
    drive = study.answer("joint1.drive")
    for j, joints in enumerate((1, 2)):
        for p, payload in enumerate((0.0, 1.0, 2.0)):
            expected = lp.catalog.planar(joints).with_payload(payload).gravity_forces(np.full(joints, 0.2))[0]
            if p == 1:
                assert np.isnan(drive[j, p])
            else:
                assert drive[j, p] == pytest.approx(expected, rel=1e-12)
    assert study.status.reshape(2, 4)[:, 1].tolist() == [LEFT_OUT] * 2
    assert study.status.reshape(2, 4)[:, 3].tolist() == [FAILED] * 2
    assert study.failures == {3: "a link that buckles", 7: "a link that buckles"}
    assert study.counts == {"computed": 4, "failed": 2, "left out": 2, "not computed yet": 0}


def test_numbers_that_no_robot_has_fail_alone() -> None:
    space = lp.Space({"link1.mass": lambda x: x - 1.0, "x": [0.0, 2.0, 3.0]})
    study = lp.study(ARM, space, MOTION, answers=["joint1.drive"]).run(threads=1)
    assert np.isnan(study.answer("joint1.drive")).tolist() == [True, False, False]
    assert "link1.mass" in study.failures[0]


def test_own_functions_and_answers_of_one_robot_at_a_time() -> None:
    study = lp.study(ARM, lp.Space({"payload.mass": [1.0, 2.0]}), MOTION,
                     answers={"twice": lambda robot: 2.0 * robot.link("payload").inertia.mass,
                              "long": lambda robot, motion: motion.duration}).run()
    assert study.answer("twice").tolist() == [2.0, 4.0]
    assert study.answer("long").tolist() == [1.5, 1.5]
    assert "one robot at a time" in study.cost.one_by_one


def test_beams_are_asked_one_by_one() -> None:
    def make(wall: float) -> lp.Robot:
        return lp.catalog.planar(1, mass=5.0).with_payload(4.0).with_beams(
            {"link1": lp.Beam(lp.Tube(0.03, wall), lp.STEEL, end="tip_joint")})

    states = np.array([[0.0], [0.5]]), np.zeros((2, 1)), np.zeros((2, 1))
    study = lp.study(make, lp.Space(wall=["2 mm", "3 mm"]), states,
                     answers=["deflection", "frequency", "buckling_safety"]).run(threads=1)
    assert not study.failures
    for k, wall in enumerate((0.002, 0.003)):
        arm = make(wall)
        bent = np.linalg.norm(arm.deflection(*states).tip.displacement, axis=-1).max()
        assert study.answer("deflection")[k] == pytest.approx(bent, rel=1e-12)
        frequencies = arm.natural_frequencies(states[0], qd=states[1], qdd=states[2], count=1).frequencies
        assert study.answer("frequency")[k] == pytest.approx(frequencies.min(), rel=1e-12)
        safety = arm.buckling_safety(*states).safety
        assert study.answer("buckling_safety")[k] == pytest.approx(safety.min(), rel=1e-12)


def test_wheels_and_margin_of_rovers() -> None:
    def make(track: float) -> lp.Rover:
        base = lp.WheeledBase(mass=30.0, inertia=np.diag([1.0, 2.0, 2.0]), center_of_mass=(0.2, 0, 0.2), wheels=[
            lp.FixedWheel((0.0, track / 2), 0.1), lp.FixedWheel((0.0, -track / 2), 0.1),
            lp.CasterWheel((0.6, 0.0), 0.1)])
        return base.carrying(lp.catalog.planar(1), at=(0.1, 0, 0.4))

    states = np.array([[0.0], [1.0]]), np.zeros((2, 1)), np.zeros((2, 1))
    study = lp.study(make, lp.Space(track=["0.5 m", "0.7 m"]), states, answers=["margin", "wheel_load", "mass"])
    study.run(threads=1)
    for k, track in enumerate((0.5, 0.7)):
        rover = make(track)
        peaks = rover.peak_loads(*states)
        assert peaks.margin is not None and peaks.wheels is not None
        assert study.answer("margin")[k] == pytest.approx(float(peaks.margin.minimum.min()), rel=1e-12)
        assert study.answer("wheel_load")[k] == pytest.approx(float(peaks.wheels.maximum[:, 0].max()), rel=1e-12)
        assert study.answer("mass")[k] == pytest.approx(31.0, rel=1e-12)


def test_dataset_and_tables_have_names() -> None:
    pytest.importorskip("xarray")
    space = lp.Space({"payload.mass": lp.span("0 kg", "2 kg", 3), "link1.mass": lambda payload_mass: 1 + payload_mass})
    study = lp.study(ARM, space, MOTION, answers=["wrenches", "mass"]).run(threads=1)
    found = study.dataset
    assert dict(found.sizes) == {"payload.mass": 3, "joint": 4, "component": 6}
    assert float(found["mass"].sel({"payload.mass": 2.0})) == pytest.approx(6.0)
    assert float(found["wrenches"].sel(joint="joint1", component="torque_z")[0]) > 0
    frame = study.to_dataframe()
    assert list(frame["mass"]) == study.answer("mass").tolist()
    assert "wrenches joint1 torque_z" in frame.columns


def _refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_what_is_refused() -> None:
    payload = lp.Space({"payload.mass": [0.0, 1.0]})
    _refused(lambda: lp.study(ARM, lp.Space({"payload.mas": [1.0]}), MOTION, answers=["mass"]),
             "no parameter 'payload.mas'; did you mean 'payload.mass'")
    _refused(lambda: lp.study(ARM, lp.Space({"payload.mass": lp.span("0 m", "1 m")}), MOTION, answers=["mass"]),
             "payload.mass is '0 m', a length: expected a mass")
    _refused(lambda: lp.study(lambda payload: ARM, lp.Space(payload=[1.0], wall=[2.0]), MOTION, answers=["mass"]),
             "'wall' is no argument of the function")
    _refused(lambda: lp.study(lambda paylod: ARM, lp.Space(payload=[1.0]), MOTION, answers=["mass"]),
             "the argument 'paylod', which is no parameter of the space; did you mean 'payload'")
    _refused(lambda: lp.study(ARM, payload.subject_to("payload.mass > 5 kg"), MOTION, answers=["mass"]),
             "none of the 2 designs of this space fulfils its conditions")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=[]), "no answers are asked for")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["joint1.tilting"]), "no quantity 'tilting'")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["joint9.drive"]), "no degree of freedom 'joint9'")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["weight"]), "no answer 'weight'")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["mass", "mass"]), "two answers are named 'mass'")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["joint1.drive:median"]), "reduce is 'median'")
    _refused(lambda: lp.study(ARM, payload, answers=["joint1.drive"]), "no motion is given")
    limited = ARM.with_limits({"joint1": lp.Limits(effort=90.0)})
    _refused(lambda: lp.study(limited, payload, MOTION, answers=[("joint1", "efort")]), "has no check 'efort'")
    _refused(lambda: lp.study(ARM, lp.Space({"motion.speed": [1.0]}), answers=["mass"]), "no motion is given")
    _refused(lambda: lp.study("arm.urdf", payload, MOTION, answers=["mass"]), "expected a robot, a rover")
    _refused(lambda: lp.study(ARM, {"payload.mass": [1.0]}, MOTION, answers=["mass"]), "expected an lp.Space")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["mass"]).run(threads=0), "threads is 0")
    _refused(lambda: lp.study(ARM, payload, MOTION, answers=["mass"]).run(client=3), "a dask.distributed.Client")
    study = lp.study(ARM, payload, MOTION, answers=["mass"]).run()
    _refused(lambda: study.where("weight > 1"), "there is no 'weight'")
    _refused(lambda: study.where("mass > 3 s"), "a time: expected a mass")
    _refused(lambda: study.front("mass"), "two aims or more")
    _refused(lambda: study.front("mass", "payload.mass", where="mass > 1 t"), "there is no design that fulfils")
    _refused(lambda: study.answer("mas"), "did you mean 'mass'")
    _refused(lambda: study.number_of(7), "there is no design 7")
