"""Derivatives of a design's answers against differences of designs nearby; corners; what has none is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import loadpath as lp
from loadpath.studies.nearby import by_differences
from loadpath.studies.sensitivities import Sensitivities
from loadpath.studies.study import Study


def puma() -> lp.Robot:
    limits = {f"joint{k}": lp.Limits(effort=effort) for k, effort in enumerate((100, 300, 160, 30, 30, 30), start=1)}
    return lp.catalog.puma560().with_limits(limits).with_payload(0.0)


def fitted_arm() -> lp.Robot:
    """A prismatic joint above a revolute one, with a bearing, a gear, a motor and limits."""
    arm = lp.Robot("arm", links=(
        lp.Link("base"), lp.Link("upper", lp.Inertia(4.0, (0.3, 0.02, 0), np.diag([0.01, 0.1, 0.1]))),
        lp.Link("lower", lp.Inertia(2.0, (0.2, 0, 0.01), np.diag([0.005, 0.03, 0.03])))), joints=(
        lp.Joint("j1", "base", "upper", lp.Revolute((0, 0.6, 0.8)), limits=(lp.Limits(-3, 3, 4.0, 120.0),)),
        lp.Joint("j2", "upper", "lower", lp.Prismatic((1, 0, 0)), (0.5, 0, 0),
                 limits=(lp.Limits(-3, 3, 5.0, 60.0),))))
    arm = arm.with_payload(1.0, center_of_mass=(0.4, 0, 0))
    arm = arm.with_drives({"j1": lp.Drive(ratio=80, rotor_inertia=2e-5, efficiency=(0.8, 0.7), torque_constant=0.1)})
    return arm.with_parts({"j1": [
        lp.CrossedRollerBearing(C=5300.0, C0=6070.0, dp=0.036),
        lp.StrainWaveGear(ratio=80, rated_torque=40, rated_speed=200.0, rated_life=7000, average_torque=60,
                          peak_torque=150)]})


def compared(study: Study, design: Any, **options: Any) -> tuple[Sensitivities, float]:
    """Exact derivatives, and how far differences are from them beside the largest of each answer."""
    found = study.sensitivities(design, **options)
    columns = study.space.columns([found.number])
    asked = [answer for answer in study.answers if answer.name in found.above]
    near = by_differences(study.problem, columns, {key: list(found.above) for key in found.parameters}, asked)
    worst = 0.0
    for k, name in enumerate(found.parameters):
        for answer, above in found.above.items():
            below, sides = found.below[answer], near[name][answer]
            scale = float(np.abs(found.values[answer]).max()) / max(abs(found.points[name]), 1e-3)
            np.testing.assert_allclose(sides.value, found.values[answer], rtol=1e-12, atol=1e-12)
            worst = max(worst, float(np.abs(above[k] - sides.above).max()) / scale,
                        float(np.abs(below[k] - sides.below).max()) / scale)
    return found, worst


def test_derivatives_are_those_of_designs_nearby() -> None:
    """Through functions of the space, numbers, pace, reductions and limits."""
    arm = puma()
    space = lp.Space({
        "payload.mass": lp.span("0 kg", "12 kg"), "link2.length": lp.span("0.35 m", "0.55 m"),
        "wall": lp.span("2 mm", "6 mm"), "link2.mass": lambda wall, link2_length: 3500.0 * wall + np.sin(link2_length),
        "share": [0.1, 0.2, 0.3], "joint2.gear_ratio": lambda share: 100.0 * math.sqrt(share),
        "motion.duration": lp.span("2 s", "4 s")})
    answers = ["mass", "utilisation", "wrenches", "joint2.tilting_moment", "joint3.drive:rms", "joint1.power:max",
               "joint2.drive:0.9", "kinetic_energy:max", "*.radial_force:mean_magnitude", "joint2.torque_x:min",
               ("joint2", "effort")]
    study = lp.study(arm, space, lp.Motion.swing(arm, samples=60), answers=answers)
    found, worst = compared(study, {"payload.mass": 6.0, "link2.length": 0.5})
    assert worst < 1e-9 and not found.corners
    assert all(not errors.any() for errors in found.errors.values())
    assert found["wrenches"]["payload.mass"].shape == (len(arm.joints), 6)
    assert found["joint2.drive:0.9"]["share"] > 0  # a heavier rotor, as the gear is seen from the joint
    assert float(found.relative("kinetic_energy:max")["motion.duration"]) == pytest.approx(-2.0, rel=1e-9)


def test_lives_and_utilisations_of_parts_have_derivatives() -> None:
    arm = fitted_arm()
    motion = lp.Motion.through(arm, [[0.0, 0.1], [1.2, -0.2], [0.3, 0.2]], [0.0, 0.7, 1.5])
    space = lp.Space({"payload.mass": lp.span("0 kg", "6 kg", 4), "motion.speed": lp.span(0.5, 1.5),
                      "lower.center_of_mass": lambda x: (x, 0.0, 0.01), "x": lp.span("0.1 m", "0.3 m")})
    verdict = arm.verdict(motion)
    rows = [(row.joint, row.check) for row in verdict.checks if row.part != "limit" and row.utilisation > 0]
    study = lp.study(arm, space, motion, hours=1e4, answers=["utilisation", "life", *dict.fromkeys(rows)])
    found, worst = compared(study, {"payload.mass": 2.0, "motion.speed": 1.0})
    assert worst < 1e-8
    assert all(not errors.any() for errors in found.errors.values())
    assert found["life"]["payload.mass"] < 0 < found["utilisation"]["motion.speed"]


def test_a_corner_has_two_derivatives() -> None:
    """A state at rest and one that accelerates carry as much at 2 kg: more payload is felt as by the one, less as by
    the other.
    """
    arm = lp.catalog.planar(1).with_payload(2.0)
    still = float(arm.inverse_dynamics([0.0], [0.0], [0.0])[0])
    pushed = still / float(arm.inverse_dynamics([np.pi / 2], [0.0], [1.0])[0])
    states = ([[0.0], [np.pi / 2]], [[0.0], [0.0]], [[0.0], [pushed]])
    study = lp.study(arm, lp.Space({"payload.mass": lp.span("0 kg", "4 kg", 3)}), states, answers=["joint1.drive"])
    found = study.sensitivities(1)
    light = arm.family({"payload.mass": [1.0]})
    each = [float(found_at) for found_at in (np.array([still, still]) - light.inverse_dynamics(*states)[0, :, 0])]
    below, above = float(found.below["joint1.drive"][0]), float(found.above["joint1.drive"][0])
    assert (below, above) == pytest.approx((min(each), max(each)), rel=1e-9) and below < 0.95 * above
    assert found.corners == [("joint1.drive", "payload.mass", below, above)]
    assert any("corner" in line for line in found.warnings) and "corner" in str(found)
    near = by_differences(study.problem, study.space.columns([1]), {"payload.mass": ["joint1.drive"]},
                          list(study.answers))["payload.mass"]["joint1.drive"]
    assert (near.below, near.above) == pytest.approx((below, above), rel=1e-7)


def test_states_are_parameters_too() -> None:
    arm = puma()
    space = lp.Space({"joint2.position": lp.span("-1 rad", "1 rad"), "joint1.speed": lp.span("1 rad/s", "2 rad/s"),
                      "joint3.acceleration": lp.span(-2.0, 3.0), "payload.mass": [2.0]})
    study = lp.study(arm, space, answers=["wrenches", "joint2.drive:max", "joint3.tilting_moment"])
    found, worst = compared(study, 7)
    assert worst < 1e-9 and found.parameters == ("joint2.position", "joint1.speed", "joint3.acceleration")


def test_what_is_not_traced_is_found_by_differences() -> None:
    def make(payload: float, reach: float) -> lp.Robot:
        return lp.catalog.planar(2).with_payload(payload).family({"link1.length": reach}).robot_of(())

    level = ([[0.0, 0.0]], [[0.0, 0.0]], [[0.0, 0.0]])
    space = lp.Space(payload=lp.span("0 kg", "4 kg"), reach=["0.8 m", "1 m"])
    asked = ["joint1.drive", "mass", lp.Answer(lambda robot: robot.links[-1].inertia.mass ** 2, name="square")]
    found = lp.study(make, space, level, answers=asked).sensitivities({"payload": 2.0, "reach": 1.0})
    assert float(found["joint1.drive"]["payload"]) == pytest.approx(2.0 * 9.81, rel=1e-9)
    assert float(found["square"]["payload"]) == pytest.approx(4.0, rel=1e-9)
    assert found.errors["square"][0] > 0 and any("by differences" in line for line in found.warnings)
    at_end = lp.study(make, space, level, answers=asked).sensitivities({"payload": 0.0})
    assert np.isnan(at_end.below["mass"][0]) and float(at_end["mass"]["payload"]) == pytest.approx(1.0)
    assert any("no design below payload = 0" in line for line in at_end.warnings)


@pytest.mark.parametrize(("asked", "said"), [
    ({"answers": ["joint1.drve"]}, "did you mean 'joint1.drive'"),
    ({"answers": ["joint1.drive:at"]}, "it has no derivative"),
    ({"parameters": ["twice"]}, "'twice' follows from payload.mass: ask for those"),
    ({"parameters": ["payload.mas"]}, "no parameter of this study"),
    ({"parameters": ["joint1.part"]}, "is no number"),
    ({"design": 99}, "there is no design 99"),
])
def test_what_has_no_derivative_is_refused(asked: dict[str, Any], said: str) -> None:
    arm = lp.catalog.planar(2).with_payload(0.0)
    bearing = lp.CrossedRollerBearing(C=5300.0, C0=6070.0, dp=0.036)
    space = lp.Space({"payload.mass": [1.0, 2.0], "twice": lambda payload_mass: 2 * payload_mass,
                      "link2.mass": lambda twice: twice, "joint1.part": [bearing]})
    study = lp.study(arm, space, lp.Motion.swing(arm, samples=20), answers=["joint1.drive", "joint1.drive:at"])
    with pytest.raises(ValueError, match=said):
        study.sensitivities(asked.pop("design", 0), **asked)
