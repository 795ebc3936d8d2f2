"""Data of a drive train that a part or a file knows too: used wherever given, refused where they contradict."""

from __future__ import annotations

import warnings
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
                  for arm in arms)  # fmt: skip
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
    with pytest.raises(lp.ModelError, match=r"0\.0003 .* in motor and 4e-05 .* in its armature of 0\.1 kg m\^2"):
        arm.with_parts({"j": lp.Motor(rotor_inertia=3e-4)})
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
