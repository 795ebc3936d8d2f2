"""Data of a drive train that a part or a file knows too: used wherever given, refused where they contradict."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import loadpath as lp

J = 1e-4
ROD = lp.catalog.planar(1)  # 1 kg, 1 m: 1/3 kg m^2 about its joint


def inertia_ratio(arm: lp.Robot) -> float:
    rows = arm.verdict(lp.Motion.swing(arm)).checks
    return next(row.demand for row in rows if row.check == "inertia ratio")


@pytest.mark.parametrize("in_drive", [True, False])
@pytest.mark.parametrize("in_motor", [True, False])
@pytest.mark.parametrize("motor_first", [True, False])
def test_inertia_ratio_of_a_rod_wherever_the_rotor_is_given(in_drive: bool, in_motor: bool, motor_first: bool) -> None:
    """By hand: (1/3) / (50^2 1e-4) = 4/3."""
    drives = {"joint1": lp.Drive(ratio=50, rotor_inertia=J if in_drive else None)}
    parts = {"joint1": lp.Motor(peak_torque=5, max_inertia_ratio=5, rotor_inertia=J if in_motor else None)}
    arm = ROD.with_parts(parts).with_drives(drives) if motor_first else ROD.with_drives(drives).with_parts(parts)
    if not in_drive and not in_motor:
        row = next(row for row in arm.verdict(lp.Motion.swing(arm)).checks if row.check == "inertia ratio")
        assert not row.checked and "no rotor_inertia given" in row.note
        return
    assert inertia_ratio(arm) == pytest.approx(4 / 3, rel=1e-12)
    assert arm.mass_matrix([0.3])[0, 0] == pytest.approx(1 / 3 + 50**2 * J, rel=1e-12)
    assert arm.motor_loads(lp.Motion.swing(arm)).drive_names == ("joint1",)
    assert not any("rotor" in sentence for sentence in missing(arm))


def missing(arm: lp.Robot) -> list[str]:
    from loadpath.loads.motors.missing import missing_drive_data

    return missing_drive_data(arm)


def test_constants_of_the_motor_give_currents_and_losses_of_the_drive() -> None:
    """Three phases of 0.5 ohm at the RMS current of one lose what 1.5 ohm lose."""
    motion = lp.Motion.swing(ROD)
    given = ROD.with_drives({"joint1": lp.Drive(ratio=50, rotor_inertia=J, torque_constant=0.2, resistance=1.5)})
    motor = lp.Motor(rotor_inertia=J, torque_constant=0.2, resistance=0.5, phases=3)
    fitted = ROD.with_drives({"joint1": lp.Drive(ratio=50)}).with_parts({"joint1": motor})
    one, other = given.motor_loads(motion), fitted.motor_loads(motion)
    np.testing.assert_array_equal(one.torque, other.torque)
    np.testing.assert_array_equal(one.current, other.current)
    np.testing.assert_array_equal(one.copper_loss, other.copper_loss)


def test_constants_of_the_drive_are_used_by_the_motor() -> None:
    drive = lp.Drive(ratio=50, rotor_inertia=J, torque_constant=0.2, resistance=1.5)
    limits = {"voltage": 48.0, "peak_current": 20.0, "phases": 3}
    both = lp.Motor(torque_constant=0.2, resistance=0.5, rotor_inertia=J, **limits)
    arms = [ROD.with_drives({"joint1": drive}).with_parts({"joint1": motor}) for motor in (lp.Motor(**limits), both)]
    one, other = ({row.check: row.demand for row in arm.verdict(lp.Motion.swing(arm)).checks if row.kind == "motor"}
                  for arm in arms)
    assert one == pytest.approx(other, rel=1e-12, nan_ok=True) and one["voltage"] > 0


def test_the_torque_of_a_brake_on_the_motor_is_that_of_the_drive() -> None:
    arm, motion = ROD.with_drives({"joint1": lp.Drive(ratio=50)}), lp.Motion.swing(ROD)
    given = arm.with_drives({"joint1": lp.Drive(brake=1.8)})
    fitted = arm.with_parts({"joint1": lp.Brake(holding_torque=1.8)})
    np.testing.assert_array_equal(fitted.motor_loads(motion).brake_share, given.motor_loads(motion).brake_share)
    both = (fitted, given.with_parts({"joint1": lp.Brake()}))
    rows = [each.verdict(motion)["joint1", "holding torque"] for each in both]
    assert rows[0].utilisation == rows[1].utilisation > 0 and fitted.without_parts() == arm
    with pytest.raises(lp.ModelError, match=r"torque of the brake is 3 N m in brake and 1\.8 N m in its drive train"):
        given.with_parts({"joint1": lp.Brake(holding_torque=3.0)})
    assert given.with_parts({"joint1": lp.Brake(holding_torque=90.0, on="joint")}).parts
    two = arm.with_parts({"joint1": [lp.Brake(holding_torque=1.0), lp.Brake(holding_torque=1.2, name="second")]})
    assert two.joint("joint1").from_parts == ()


@pytest.mark.parametrize(
    ("drive", "motor", "words"),
    [
        ({"torque_constant": 0.07}, {"torque_constant": 70}, r"is 70 N m/A in motor 'EC' and 0\.07 N m/A in its"),
        ({"resistance": 0.34}, {"resistance": 3.4}, r"resistance is 3\.4 ohm in motor 'EC' and 0\.34 ohm in its drive"),
        ({"resistance": 0.34}, {"resistance": 0.34, "phases": 3}, r"resistance is 1\.02 ohm.*3 phases count together"),
        ({"rotor_inertia": 3e-5}, {"rotor_inertia": 3e-4}, r"rotor_inertia is 0\.0003 kg m\^2 in motor 'EC' and 3e-05"),
        ({"rotor_inertia": 3e-5}, {"rotor_inertia": 3.0001e-5}, "rotor_inertia"),
    ],
)
def test_contradictions_name_both_places_in_either_order(drive: dict, motor: dict, words: str) -> None:
    drives, parts = {"joint1": lp.Drive(ratio=50, **drive)}, {"joint1": lp.Motor(name="EC", **motor)}
    with pytest.raises(lp.ModelError, match=words):
        ROD.with_drives(drives).with_parts(parts)
    with pytest.raises(lp.ModelError, match=words):
        ROD.with_parts(parts).with_drives(drives)


def test_rounded_numbers_agree_and_the_drive_s_counts() -> None:
    arm = ROD.with_drives({"joint1": lp.Drive(ratio=50, rotor_inertia=3e-5)})
    fitted = arm.with_parts({"joint1": lp.Motor(rotor_inertia=3.00000001e-5)})
    assert fitted.joint("joint1").rotor_inertia == (3e-5,) and fitted.joint("joint1").from_parts == ()


def test_a_motor_takes_its_data_with_it() -> None:
    """Another motor can take its place; what the drive train knew itself stays."""
    arm = ROD.with_drives({"joint1": lp.Drive(ratio=50, torque_constant=0.1)})
    small, large = lp.Motor(rotor_inertia=J, resistance=0.4, torque_constant=0.1), lp.Motor(rotor_inertia=4 * J)
    fitted = arm.with_parts({"joint1": small})
    assert set(fitted.joint("joint1").from_parts) == {"rotor_inertia", "resistance"}
    assert fitted.without_parts() == arm
    assert fitted.with_parts({"joint1": lp.Brake(holding_torque=1.0)}).without_parts("joint1") == arm
    other = fitted.without_parts().with_parts({"joint1": large})
    assert other.joint("joint1").reflected_inertia == (50**2 * 4 * J,)
    given = fitted.with_drives({"joint1": lp.Drive(rotor_inertia=J)})
    assert given.without_parts().joint("joint1").rotor_inertia == (J,)
    with pytest.raises(lp.ModelError, match="two places"):
        fitted.with_drives({"joint1": lp.Drive(rotor_inertia=2 * J)})
    with pytest.raises(lp.ModelError, match=r"0\.0004 kg m\^2 in motor 'second' and 0\.0001 kg m\^2 in motor:"):
        fitted.with_parts({"joint1": lp.Motor(rotor_inertia=4 * J, name="second")})


EC = lp.Motor(name="EC", rotor_inertia=J, peak_torque=5.0, max_inertia_ratio=5.0)
CSG = lp.StrainWaveGear(name="CSG", ratio=50)


def quiet(make: Callable[[], lp.Robot]) -> lp.Robot:
    """A robot that is made without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", lp.ModelWarning)
        return make()


@pytest.mark.parametrize("parts", [[EC, CSG], [CSG, EC]])
def test_the_gear_says_the_ratio_of_a_motor_without_a_drive_train(parts: list) -> None:
    """By hand, J N^2 = 0.25 kg m^2 at the joint of a rod of 1/3 kg m^2; at the shaft, without losses, what the rod
    takes over N and what the rotor takes.
    """
    arm = quiet(lambda: ROD.with_parts({"joint1": parts}))
    assert arm.mass_matrix([0.3])[0, 0] == pytest.approx(1 / 3 + 50**2 * J, rel=1e-12)
    q, qd, qdd = [0.3], [0.5], [2.0]
    rod = 0.5 * 9.81 * np.cos(0.3) + 2.0 / 3
    assert arm.inverse_dynamics(q, qd, qdd)[0] == pytest.approx(rod + 50**2 * J * 2.0, rel=1e-12)
    assert arm.motor_loads(q, qd, qdd).torque[..., 0] == pytest.approx(rod / 50 + 50 * J * 2.0, rel=1e-12)
    assert inertia_ratio(arm) == pytest.approx(4 / 3, rel=1e-12)
    assert not any("rotor" in sentence.lower() for sentence in missing(arm))
    given = ROD.with_drives({"joint1": lp.Drive(ratio=50, rotor_inertia=J)}).with_parts({"joint1": parts})
    motion = lp.Motion.swing(arm)
    demands = [[row.demand for row in each.verdict(motion).checks] for each in (arm, given)]
    assert demands[0] == pytest.approx(demands[1], rel=1e-12, nan_ok=True)
    assert arm.without_parts() == ROD and arm.without_rotors().with_payload(1.0).joint("joint1").rotor_inertia == (0.0,)


def test_parts_fitted_elsewhere_bring_no_rotor_back() -> None:
    arm = lp.catalog.planar(2).with_parts({"joint1": [EC, CSG]}).without_rotors()
    assert arm.with_parts({"joint2": CSG}).joint("joint1").reflected_inertia == (0.0,)


def test_a_drive_train_takes_the_ratio_of_the_gear_in_either_order() -> None:
    """Also where the drive train has the rotor, and the gear the ratio."""
    drives, parts = {"joint1": lp.Drive(rotor_inertia=J, efficiency=0.8)}, {"joint1": CSG}
    for make in (lambda: ROD.with_drives(drives).with_parts(parts), lambda: ROD.with_parts(parts).with_drives(drives)):
        arm = quiet(make)
        assert arm.joint("joint1").reflected_inertia == pytest.approx((50**2 * J,))
        assert arm.without_parts() == ROD.with_drives(drives)
        with pytest.raises(lp.ModelError, match="ratio is 50 in strain wave gear 'CSG' and 60 in its drive train"):
            arm.with_drives({"joint1": lp.Drive(ratio=60)})
    on_rotor = lp.Robot("r", [lp.Link("base"), lp.Link("arm", lp.Inertia(1.0))],
                        [lp.Joint("hinge", "base", "arm", lp.Revolute(), rotor_inertia=J)])
    with pytest.raises(lp.ModelError, match=r"ratio is 50 .* and 1 in its drive train"):  # not J times 2500, silently
        on_rotor.with_parts({"hinge": CSG})
    with pytest.raises(lp.ModelError, match=r"ratio is 60 in .*'other' and 50 in strain wave gear 'CSG'"):
        ROD.with_parts({"joint1": [CSG, lp.StrainWaveGear(name="other", ratio=60)]})


def test_a_brake_on_the_motor_has_the_ratio_of_the_gear() -> None:
    arm = ROD.with_parts({"joint1": [lp.Brake(holding_torque=1.8), CSG]})
    motion = lp.Motion.swing(ROD)
    with_ratio = ROD.with_parts({"joint1": lp.Brake(holding_torque=1.8, ratio=50)})
    rows = [each.verdict(motion)["joint1", "holding torque"] for each in (arm, with_ratio)]
    held = max(abs(0.5 * 9.81 * np.cos(motion.q[:, 0])))
    assert [row.demand for row in rows] == pytest.approx([held / 50] * 2, rel=1e-9)


def test_a_direct_drive_says_so() -> None:
    arm = quiet(lambda: ROD.with_drives({"joint1": lp.Drive(ratio=1)}).with_parts({"joint1": EC}))
    assert arm.mass_matrix([0.0])[0, 0] == pytest.approx(1 / 3 + J, rel=1e-14)
    with pytest.warns(lp.ModelWarning, match=r"motor 'EC', 0\.0001 kg m\^2, counts as that of a direct drive") as asked:
        unsaid = ROD.with_drives({"joint1": lp.Drive(efficiency=0.9)}).with_parts({"joint1": EC})
    assert len(asked) == 1 and "lp.Drive(ratio=100)" in str(asked[0].message) and asked[0].filename == __file__
    assert unsaid.mass_matrix([0.0]) == arm.mass_matrix([0.0]) and "direct drive" in missing(unsaid)[0]


def test_a_rotor_without_a_ratio_is_asked_about_wherever_it_is_missing() -> None:
    with pytest.warns(lp.ModelWarning, match=r"joint 'joint1' of robot 'planar1': the rotor of motor 'EC'.*not in the "
                      r"dynamics.*with_drives\(\{'joint1': lp\.Drive\(ratio=100\)\}\)") as asked:
        arm = ROD.with_parts({"joint1": EC})
    assert len(asked) == 1 and arm.mass_matrix([0.0]) == ROD.mass_matrix([0.0])
    assert "'EC'" in missing(arm)[0] and not any("No rotor inertia is known" in sentence for sentence in missing(arm))
    assert not any(row.checked for row in arm.verdict(lp.Motion.swing(arm)).checks)
    quiet(lambda: ROD.with_parts({"joint1": lp.Motor(peak_torque=5)}))  # nothing of it would be in the dynamics
    two = lp.catalog.planar(2)
    follower = replace(two.joint("joint2"), mimic=lp.Mimic("joint1"))
    with pytest.warns(lp.ModelWarning, match="follows joint 'joint1'; fit the motor there, or give "):
        replace(two, joints=(two.joint("joint1"), follower, *two.joints[2:])).with_parts({"joint2": EC})
    with pytest.warns(lp.ModelWarning, match=r"does not move and has no drive; take .* robot\.without_parts"):
        ROD.with_parts({"tip_joint": EC})
    planar = lp.Robot("r", [lp.Link("base"), lp.Link("arm", lp.Inertia(1.0, (0.1, 0, 0), np.eye(3) * 0.1))],
                      [lp.Joint("table", "base", "arm", lp.Planar())])
    with pytest.warns(lp.ModelWarning, match=r"3 degrees of freedom; give robot\.with_drives\(\{'table\.x'"):
        planar.with_parts({"table": EC})


def test_gears_of_slides_and_passive_joints() -> None:
    """rad per rad is no ratio of a slide; a gear alone makes no motor of a passive joint."""
    slide = lp.catalog.stanford_arm(drives=False)
    with pytest.raises(lp.ModelError, match="joint 'joint3', which slides: give output_ratio"):
        slide.with_parts({"joint3": CSG})
    pinion = lp.StrainWaveGear(ratio=50, output_ratio=1 / 0.02)
    assert slide.with_parts({"joint3": [pinion, EC]}).joint("joint3").reflected_inertia[0] == pytest.approx(2500**2 * J)
    four = lp.catalog.four_bar()
    passive = next(name for name in four.dof_names if name not in four.driven)
    motion = lp.Motion.swing(four)
    rows = four.with_parts({passive: lp.StrainWaveGear(ratio=50, rated_torque=10)}).verdict(motion).checks
    assert rows and not any(row.checked for row in rows)
    with pytest.raises(lp.ModelError, match=f"'{passive}' .*has a drive train, and it is passive"):
        four.with_parts({passive: [EC, CSG]}).motor_loads(motion)
    with pytest.warns(lp.ModelWarning, match="it closes a loop and has no drive; take the motor off"):
        four.with_parts({"rocker_pin": EC})


def loaded(text: str) -> lp.Robot:
    """A robot from the text of a file, whose format its content tells."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)
        path = Path(folder, "robot.xml")
        path.write_text(text)
        return lp.load(path)


ARMATURE = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" armature="0.1"/>
              <geom type="capsule" size="0.04" fromto="0 0 0 0.5 0 0"/></body></worldbody></mujoco>"""


def test_armature_is_at_the_joint_whatever_the_ratio() -> None:
    """The mass matrix of MuJoCo, before and after."""
    mujoco = pytest.importorskip("mujoco")
    arm = loaded(ARMATURE)
    model = mujoco.MjModel.from_xml_string(ARMATURE)
    data, forces = mujoco.MjData(model), []
    for data.qacc in (0.0, 1.0):
        mujoco.mj_inverse(model, data)
        forces.append(float(data.qfrc_inverse[0]))
    M = forces[1] - forces[0]
    for ratio in (None, 100, 50):  # one after the other
        arm = arm if ratio is None else arm.with_drives({"j": lp.Drive(ratio=ratio)})
        np.testing.assert_allclose(arm.mass_matrix([0.0]), M, rtol=1e-12)
        assert dict(arm.drive_trains)["j"].rotor_inertia == pytest.approx(0.1 / (ratio or 1) ** 2, rel=1e-15)
    fitted = arm.with_parts({"j": lp.Motor(rotor_inertia=0.1 / 50**2)})
    np.testing.assert_array_equal(fitted.mass_matrix([0.0]), arm.mass_matrix([0.0]))
    with pytest.raises(lp.ModelError, match=r"0\.0003 .* in motor and 4e-05 .* in its armature .* ratio 18\.26;"):
        arm.with_parts({"j": lp.Motor(rotor_inertia=3e-4)})
    of_gear = quiet(lambda: loaded(ARMATURE).with_parts({"j": [lp.Motor(rotor_inertia=0.1 / 50**2), CSG]}))
    assert of_gear.joint("j").gear_ratio == (50.0,) and of_gear.joint("j").reflected_inertia == (0.1,)
    given = arm.with_drives({"j": lp.Drive(rotor_inertia=2e-5)}).joint("j")
    assert given.armature == (0.0,) and given.reflected_inertia == (50**2 * 2e-5,)


def test_armature_survives_files() -> None:
    """To the last digit in URDF, SDF and MJCF, and still at the joint."""
    arm = loaded(ARMATURE)
    for back in (loaded(arm.to_urdf()), loaded(arm.to_sdf()), loaded(arm.to_mjcf())):
        assert back.joint("j").armature == (0.1,) and back.joint("j").rotor_inertia == (0.0,)
        assert back.with_drives({"j": lp.Drive(ratio=100)}).joint("j").reflected_inertia == (0.1,)
    geared = arm.with_drives({"j": lp.Drive(ratio=64)})  # whose square divides without rounding
    assert loaded(geared.to_urdf()).joint("j").armature == (0.1,)
    for back in (loaded(geared.to_urdf()), loaded(geared.to_sdf()), loaded(geared.to_mjcf())):
        assert back.joint("j").reflected_inertia == (0.1,)
    rotor = ROD.with_drives({"joint1": lp.Drive(ratio=1.0, rotor_inertia=J)})
    for back in (loaded(rotor.to_urdf()), loaded(rotor.to_sdf()), loaded(rotor.to_mjcf())):
        assert back.joint("joint1").rotor_inertia == (J,) and back.joint("joint1").armature == (0.0,)


def test_a_joint_has_its_rotor_on_one_side() -> None:
    with pytest.raises(lp.ModelError, match=r"rotor inertia 0\.0001 .*and the armature 0\.2 .*give one of the two"):
        lp.Joint("hinge", "a", "b", lp.Revolute(), rotor_inertia=1e-4, armature=0.2)
    with pytest.raises(lp.ModelError, match=r"armature is .*expected zero or more"):
        lp.Joint("hinge", "a", "b", lp.Revolute(), armature=-0.2)
    arm = loaded(ARMATURE)
    assert arm.without_rotors().joint("j").armature == (0.0,)
    with_and_without = [each.inverse_dynamics([0], [0], [1.0])[0] for each in (arm, arm.without_rotors())]
    assert with_and_without[0] - with_and_without[1] == pytest.approx(0.1)
    assert [cause for cause in arm.load_breakdown([0.0], [0.0], [1.0]).drive("j") if "rotor" in cause]
