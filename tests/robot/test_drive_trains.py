"""Drive trains as data: written to the joints, read back, kept through edits; limits given and changed."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pytest

import loadpath as lp

FULL = lp.Drive(ratio=-100, rotor_inertia=2e-5, efficiency=(0.8, 0.6), friction=lp.Friction(1.0, 2.0, 3.0, 0.1),
                spring=lp.TorsionSpring(20.0, 0.1, 3.0), brake=0.5, torque_constant=0.1, resistance=0.4,
                no_load_torque=0.01)
BEAMS = {"link1": lp.Beam(lp.Tube(outer_radius=0.02, wall=0.001), lp.ALUMINIUM, end="joint2")}


def test_a_drive_train_is_written_to_the_joint_and_read_back():
    arm = lp.catalog.planar(2).with_drives({"joint2": FULL})
    joint = arm.joint("joint2")
    assert joint.gear_ratio == (-100.0,) and joint.rotor_inertia == (2e-5,)
    assert joint.viscous_friction == (1.0,) and joint.coulomb_friction == (2.0,)
    assert joint.reflected_inertia == pytest.approx((0.2,))
    assert arm.drive_trains == (("joint2", FULL),)


def test_what_a_drive_does_not_give_stays():
    arm = lp.catalog.puma560()
    changed = arm.with_drives({"joint1": lp.Drive(efficiency=0.7)}).with_drives({"joint1": lp.Drive(brake=1.0)})
    drive = dict(changed.drive_trains)["joint1"]
    assert drive.ratio == arm.joint("joint1").gear_ratio[0] and drive.efficiency == (0.7, 0.7) and drive.brake == 1.0
    assert changed.joint("joint1").viscous_friction == arm.joint("joint1").viscous_friction
    assert changed.with_drives({"joint1": lp.Drive(spring=())}).joint("joint1").springs == ((),)


def test_friction_replaces_all_friction_and_without_friction_takes_all_of_it():
    arm = lp.catalog.puma560().with_drives({"joint1": lp.Drive(friction=lp.Friction(static=3.0, stribeck_speed=0.1))})
    assert arm.joint("joint1").viscous_friction == (0.0,) and arm.joint("joint1").stribeck[0].static == 3.0
    bare = arm.without_friction()
    assert not any(any((*j.viscous_friction, *j.coulomb_friction, *j.stribeck)) for j in bare.joints)
    assert arm.without_friction() == lp.catalog.puma560().without_friction()


def test_without_rotors_takes_motors_and_leaves_springs_and_friction():
    arm = lp.catalog.planar(1).with_drives({"joint1": FULL}).without_rotors()
    assert arm.drive_trains == () and arm.joint("joint1").gear_ratio == (1.0,)
    assert arm.joint("joint1").springs == ((lp.TorsionSpring(20.0, 0.1, 3.0),),)
    assert arm.joint("joint1").coulomb_friction == (2.0,)


def test_friction_and_springs_alone_are_no_motor():
    drive = lp.Drive(friction=lp.Friction(1.0), spring=lp.TorsionSpring(1.0))
    arm = lp.catalog.planar(2).with_drives({"joint1": drive})
    assert arm.drive_trains == ()
    assert arm.with_drives({"joint1": lp.Drive(ratio=1)}).drive_trains[0][0] == "joint1"


def test_drive_trains_survive_edits_and_pickling():
    arm = lp.catalog.planar(2).with_drives({"joint2": FULL})
    made = {
        "payload": arm.with_payload(1.0), "gravity": arm.with_gravity(1.62), "reduced": arm.reduced({"joint1": ()}),
        "limits": arm.with_limits({"joint2": {"effort": 3}}), "locked": arm.locked({"joint1": 0.3}),
        "pickled": pickle.loads(pickle.dumps(arm)), "replaced": replace(arm, name="another"),
        "coupled": arm.with_coupling({"joint1": 1.0, "joint2": -2.0}),
        "beams": arm.with_beams(BEAMS),
    }
    for what, robot in made.items():
        assert robot.drive_trains == (("joint2", FULL),), what
    assert made["pickled"] == arm
    assert made["locked"].locked({"joint2": 0.1}).drive_trains == ()


def test_a_motor_changes_no_equation_and_so_no_compiled_code():
    arm = lp.catalog.planar(1).with_drives({"joint1": FULL})
    other = arm.with_drives({"joint1": lp.Drive(torque_constant=0.2)})
    assert arm != other and arm.defined_by == other.defined_by
    assert arm.defined_by != arm.with_drives({"joint1": lp.Drive(ratio=50)}).defined_by


def test_degrees_of_freedom_of_joints_with_several():
    arm = lp.catalog.generalized(1).reduced({"joint1": ("rz", "x")}).with_drives({"joint1.x": lp.Drive(lead=0.005)})
    assert [name for name, _ in arm.drive_trains] == ["joint1.x"]
    assert arm.joint("joint1").gear_ratio == (1.0, pytest.approx(400 * math.pi))
    assert arm.reduced({"joint1": ("x",)}).drive_trains[0][1].ratio == pytest.approx(400 * math.pi)


def test_limits_are_given_and_changed():
    arm = lp.catalog.planar(2).with_limits({"joint1": lp.Limits(-1, 2, 3, 4)})
    assert arm.joint("joint1").limits == (lp.Limits(-1, 2, 3, 4),)
    again = arm.with_limits({"joint1": {"effort": 9.0, "upper": None}})
    assert again.joint("joint1").limits == (lp.Limits(-1, 2, 3, 9),)
    assert again.joint("joint2").limits == (lp.Limits(),)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: lp.Drive(efficiency=85), "85 % is 0.85"),
    (lambda: lp.Drive(efficiency=0), "more than 0"),
    (lambda: lp.Drive(efficiency=(0.8, 1.2)), "at most 1"),
    (lambda: lp.Drive(efficiency=(0.8, 0.7, 0.6)), "or two"),
    (lambda: lp.Drive(ratio=0), "ratio of a Drive is 0"),
    (lambda: lp.Drive(ratio=2, lead=0.1), "give one of the two"),
    (lambda: lp.Drive(rotor_inertia=-1), "rotor_inertia of a Drive is -1"),
    (lambda: lp.Drive(torque_constant=0), "positive"),
    (lambda: lp.Drive(friction=0.1), "expected lp.Friction"),
    (lambda: lp.Drive(spring=5.0), "expected a spring"),
    (lambda: lp.Friction(coulomb=2, static=1, stribeck_speed=0.1), "below the Coulomb friction"),
    (lambda: lp.Friction(coulomb=2, static=3), "stribeck_speed is not given"),
    (lambda: lp.Friction(static=1, stribeck_speed=0), "stribeck_speed of a Friction is 0"),
    (lambda: lp.Friction(exponent=3), "expected 1 or 2"),
    (lambda: lp.Friction(viscous=float("nan")), "viscous"),
    (lambda: lp.TorsionSpring(-1), "stiffness of a TorsionSpring is -1"),
    (lambda: lp.LineSpring((0, 0), (1, 0, 0)), "on_parent"),
    (lambda: lp.LineSpring((0, 0, 0), (1, 0, 0), free_length=-1), "free_length"),
    (lambda: lp.catalog.planar(2).with_drives({"jiont1": lp.Drive()}), "did you mean 'joint1'"),
    (lambda: lp.catalog.planar(2).with_drives({"joint1": 100}), "expected a Drive"),
    (lambda: lp.catalog.planar(2).with_drives([lp.Drive()]), "expected a dict"),
    (lambda: lp.catalog.planar(2).with_drives({"tip_joint": lp.Drive()}), "'tip_joint' is fixed"),
    (lambda: lp.catalog.panda(hand=True).with_drives({"panda_finger_joint2": lp.Drive(brake=1)}), "follows joint"),
    (lambda: lp.catalog.generalized(1).with_drives({"joint1": lp.Drive()}), "name one of joint1.vx"),
    (lambda: lp.catalog.generalized(1).with_drives({"joint1.wx": lp.Drive(spring=lp.TorsionSpring(1))}), "LineSpring"),
    (lambda: lp.catalog.planar(2).with_limits({"joint1": {"efort": 3}}), "did you mean 'effort'"),
    (lambda: lp.catalog.planar(2).with_limits({"joint1": 3}), "expected lp.Limits"),
    (lambda: lp.catalog.planar(2).with_limits({"joint1": {"velocity": -1}}), "must not be negative"),
])
def test_bad_input_is_refused_by_name(make, words):
    with pytest.raises(lp.ModelError, match=words.replace("(", r"\(").replace(")", r"\)")):
        make()


SPRUNG = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(spring=lp.LineSpring((0, 1, 0), (1, 0, 0), 5.0))})
RUBBING = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(friction=lp.Friction(1, 2, 3, 0.1))})


@pytest.mark.parametrize(("call", "words"), [
    (SPRUNG.equations, "equations in symbols"),
    (RUBBING.equations, "Stribeck"),
    (lambda: SPRUNG.with_coupling({"joint1": 1, "joint2": 1}).equations(), "equations in symbols"),
    (lambda: SPRUNG.books.angeles, "sources' equations"),
    (lambda: SPRUNG.with_coupling({"joint1": 1, "joint2": 1}).books.angeles, "sources' equations"),
    (lambda: lp.identify(SPRUNG, [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]]), "identified parameters"),
    (lambda: lp.identify(RUBBING, [[0, 0]], [[0, 0]], [[0, 0]], [[0, 0]]), "Stribeck"),
    (lambda: SPRUNG.with_beams(BEAMS), "beams and compliant joints"),
    (lambda: SPRUNG.locked({"joint1": 0}), "LineSpring"),
    (SPRUNG.generalized, "has springs"),
    (lambda: SPRUNG.reduced({"joint1": "rz"}, at={"joint1": 0.2}), "has springs"),
])
def test_where_springs_and_stribeck_friction_are_not_known_they_are_refused(call, words):
    with pytest.raises(lp.ModelError, match=words):
        call()


def test_a_torsion_spring_beside_the_compliance_of_its_drive_is_refused():
    arm = lp.catalog.planar(2).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    with pytest.raises(lp.ModelError, match="TorsionSpring and a compliance"):
        arm.with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(5.0))})


def test_a_screw_is_refused_at_a_joint_that_turns() -> None:
    arm = lp.catalog.stanford_arm()
    assert arm.with_drives({"joint3": lp.Drive(lead=0.01)}).joint("joint3").gear_ratio[0] == pytest.approx(628.3185307)
    with pytest.raises(lp.ModelError, match=r"drive of 'joint1': its lead, .* is that of a screw"):
        arm.with_drives({"joint1": lp.Drive(lead=0.01)})
    with pytest.raises(lp.ModelError, match=r"it has joint1, joint2, joint3, joint4, joint5, joint6, tool_joint$"):
        arm.with_drives({"nope": lp.Drive(ratio=10)})
