"""The motor's side: by hand, and the power balance of every drive train."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.loads.motors.missing import missing_drive_data
from loadpath.loads.motors.motor_side import motor_side, motors_of

# By hand


def level_rod(**drive):
    """A rod of 1 kg and 1 m, level: 4.905 N m hold it."""
    return lp.catalog.planar(1).with_drives({"joint1": lp.Drive(**drive)})


def test_efficiency_by_the_direction_of_power():
    arm = level_rod(ratio=100, efficiency=(0.8, 0.7))
    lift, lower, hold = arm.motor_loads([[0.0]] * 3, [[1.0], [-1.0], [0.0]], [[0.0]] * 3).torque[:, 0]
    assert lift == pytest.approx(0.04905 / 0.8) and lower == pytest.approx(0.04905 * 0.7)
    assert hold == pytest.approx(0.04905)


def test_a_negative_ratio_turns_no_sign_of_the_joint():
    there, back = (level_rod(ratio=r, efficiency=0.8).motor_loads([0.0], [1.0], [0.0]) for r in (100, -100))
    assert there.torque == pytest.approx(back.torque) and there.speed == pytest.approx(back.speed) == [100.0]


def test_a_gear_that_locks_itself_is_driven_down():
    """A worm gear of forward efficiency 0.4 has 2 - 1/0.4 = -0.5 backward."""
    loads = level_rod(ratio=50, efficiency=(0.4, 2 - 1 / 0.4)).motor_loads([0.0], [-1.0], [0.0])
    assert loads.torque == pytest.approx([-0.5 * 4.905 / 50]) and loads.power > 0
    assert loads.gear_loss == pytest.approx(loads.power + 4.905)


def test_ball_screw_by_the_catalogue_formula():
    """T = F l / (2 pi e) to lift, F l e / (2 pi) to lower: 1000 N, lead 10 mm, efficiency 0.9: 1.768 and 1.432 N m."""
    slide = lp.Robot("z", (lp.Link("base"), lp.Link("nut", lp.Inertia(100.0))),
                     (lp.Joint("z", "base", "nut", lp.Prismatic((0, 0, 1))),), gravity=(0, 0, -10.0))
    screw = slide.with_drives({"z": lp.Drive(lead=0.01, efficiency=0.9)})
    loads = screw.motor_loads([[0.0]] * 2, [[0.2], [-0.2]], [[0.0]] * 2)
    assert loads.torque[:, 0] == pytest.approx([1.768388, 1.432394], abs=1e-6)
    assert loads.speed[0, 0] == pytest.approx(2 * math.pi * 0.2 / 0.01)


def test_rotor_current_and_losses_by_hand():
    drive = lp.Drive(ratio=50, rotor_inertia=2e-4, efficiency=0.8, torque_constant=0.1, resistance=0.5,
                     no_load_torque=0.02)
    arm = lp.catalog.planar(1, gravity=0).with_drives({"joint1": drive})
    loads = arm.motor_loads([0.0], [2.0], [3.0])
    torque = (1 / 3) * 3 / (50 * 0.8) + 2e-4 * 50 * 3 + 0.02  # links by the gear, rotor before it
    assert loads.torque == pytest.approx([torque]) and loads.speed == pytest.approx([100.0])
    assert loads.current == pytest.approx([torque / 0.1])
    assert loads.copper_loss == pytest.approx([0.5 * (torque / 0.1) ** 2])
    assert loads.gear_loss == pytest.approx([2.0 / 0.8 - 2.0 + 0.02 * 100])
    assert loads.electrical_power == pytest.approx(loads.power + loads.copper_loss)


def test_followers_load_the_gear_with_their_rotors():
    held = {f"panda_joint{k}": -0.1 for k in (1, 2, 3, 4, 5, 7)} | {"panda_joint6": 1.0}
    hand = lp.catalog.panda(hand=True).locked(held).with_gravity(0.0)
    hand = hand.with_drives({"panda_finger_joint1": lp.Drive(lead=0.01, rotor_inertia=1e-6, efficiency=0.5),
                             "panda_finger_joint2": lp.Drive(ratio=600, rotor_inertia=1e-6)})
    mass = hand.link("panda_leftfinger").inertia.mass + hand.link("panda_rightfinger").inertia.mass
    N = 2 * math.pi / 0.01
    loads = hand.motor_loads([0.02], [0.1], [3.0])
    assert loads.torque == pytest.approx([(mass + 600**2 * 1e-6) * 3.0 / (N * 0.5) + N * 1e-6 * 3.0])


def test_brakes_hold_what_rests_on_them():
    arm = level_rod(ratio=100, brake=0.1, efficiency=0.5, friction=lp.Friction(1.0, 2.0))
    motion = arm.motor_loads([[0.0], [math.pi / 3]], [[1.0], [2.0]], [[3.0], [4.0]])
    assert motion.holding_torque[:, 0] == pytest.approx([0.04905, 0.04905 / 2])
    assert motion.brake_share == pytest.approx([0.4905])
    pulled = arm.motor_loads([0.0], [0.0], [0.0], external={"tip": lp.Wrench(force=(0, 0, -10.0))})
    assert pulled.holding_torque == pytest.approx([0.14905])


# Power balance of every drive train, to 1e-10


FULL = {"efficiency": (0.8, 0.65), "torque_constant": 0.1, "resistance": 0.5, "no_load_torque": 0.02}
RUBBING = lp.Friction(1.0, 2.0, 3.0, 0.5)
LINE = lp.LineSpring((0.1, -0.2, 0.1), (0.3, 0.1, 0), 200.0, 0.2, 20.0)


def turning():
    return lp.catalog.planar(2).with_drives({
        "joint1": lp.Drive(ratio=-80, rotor_inertia=2e-4, friction=RUBBING, spring=(LINE, lp.TorsionSpring(20, 0.1)),
                           **FULL),
        "joint2": lp.Drive(ratio=50, rotor_inertia=1e-4, spring=lp.TorsionSpring(4, 0.3, 2.0), **FULL),
    })


def sliding():
    arm, drives = lp.catalog.lau_arm(), {}
    for name in arm.dof_names:
        unit = {"lead": 0.01} if name == "d2" else {"ratio": 60}
        drives[name] = lp.Drive(rotor_inertia=1e-5, friction=RUBBING, spring=lp.TorsionSpring(15, 0.2), **unit, **FULL)
    return arm.with_drives(drives)


def mimicking():
    held = {f"panda_joint{k}": -0.1 for k in (2, 3, 4, 5, 7)} | {"panda_joint6": 1.0}
    hand = lp.catalog.panda(hand=True).locked(held)
    return hand.with_drives({
        "panda_joint1": lp.Drive(ratio=100, rotor_inertia=1e-5, friction=RUBBING, **FULL),
        "panda_finger_joint1": lp.Drive(lead=0.01, rotor_inertia=1e-6, friction=RUBBING, spring=lp.TorsionSpring(300),
                                        **FULL),
        "panda_finger_joint2": lp.Drive(friction=lp.Friction(1.0, 2.0), spring=lp.TorsionSpring(100, 0.01)),
    })


def closed():
    return lp.catalog.four_bar().with_drives({
        "crank_joint": lp.Drive(ratio=30, rotor_inertia=1e-4, friction=RUBBING, spring=(LINE, lp.TorsionSpring(3)),
                                **FULL),
    })


def coupled():
    arm = lp.catalog.planar(2).with_drives({"joint1": lp.Drive(ratio=30, rotor_inertia=1e-4, friction=RUBBING, **FULL)})
    return arm.with_coupling({"joint1": 1.0, "joint2": -2.0}).with_driven("joint1")


@pytest.mark.parametrize("make", [turning, sliding, mimicking, closed, coupled])
def test_power_balance_of_every_drive_train(make):
    """Electrical power = copper + gear + friction + rotors + springs + links, each from the numbers given; links by
    the bare robot.
    """
    arm = make()
    motion = lp.Motion.swing(arm).resampled(40)
    q, qd, qdd = motion.q, motion.qd, motion.qdd
    loads = arm.motor_loads(motion)
    flows = loads.powers()
    bare = arm.without_rotors().without_friction().without_springs()
    to_links = (bare.inverse_dynamics.uncompiled(q, qd, qdd) * qd).sum(axis=1)
    total = to_links
    for k, (name, drive) in enumerate(arm.drive_trains):
        place = arm.dof_names.index(name)
        v, a, N = qd[:, place], qdd[:, place], abs(drive.ratio)
        rotor = drive.rotor_inertia * N**2 * a * v
        friction = np.array([drive.friction.at(x) * x for x in v]) if drive.friction else np.zeros(len(v))
        into_gear = loads.torque[:, k] * loads.speed[:, k] - rotor - 0.02 * N * np.abs(v)
        out = np.where(into_gear > 0, into_gear * 0.8, into_gear / 0.65)  # by what goes in
        gear = into_gear - out + 0.02 * N * np.abs(v)
        current = loads.torque[:, k] / 0.1
        assert loads.gear_loss[:, k] == pytest.approx(gear, rel=1e-10, abs=1e-10) and (gear >= -1e-12).all()
        assert flows.rotor[:, k] == pytest.approx(rotor, abs=1e-10)
        total = total + rotor + gear + 0.5 * current**2
        if make is not mimicking or name == "panda_joint1":
            assert flows.friction[:, k] == pytest.approx(friction, abs=1e-10)
    total = total + friction_of_all(arm, q, qd) + spring_power_of_all(arm, q, qd)
    assert loads.electrical_power.sum(axis=1) == pytest.approx(total, rel=1e-10, abs=1e-10)
    parts = flows.copper + flows.gear + flows.rotor + flows.friction + flows.springs + flows.links
    assert parts == pytest.approx(flows.electrical, rel=1e-10, abs=1e-10)
    for k, energy in enumerate(loads.energies):
        over = np.trapezoid(loads.electrical_power[:, k], motion.t)
        assert energy.electrical == pytest.approx(over, rel=1e-9) == pytest.approx(energy.taken - energy.returned)
        stored = energy.copper + energy.gear + energy.rotor + energy.friction + energy.springs + energy.links
        assert stored == pytest.approx(energy.electrical, rel=1e-10)


def own_motion(arm, q, qd):
    """Every joint's own coordinate and speed."""
    for joint in arm.joints:
        if joint.motion.dof == 1:
            mimic = arm.mimic_of(joint)
            at, speed = arm.q_slices[joint.name].start, arm.v_slices[joint.name].start
            yield joint, mimic.multiplier * q[:, at] + mimic.offset, mimic.multiplier * qd[:, speed]


def friction_of_all(arm, q, qd):
    total = np.zeros(len(q))
    for joint, _, v in own_motion(arm, q, qd):
        stribeck = joint.stribeck[0]
        c = joint.coulomb_friction[0]
        more = 0.0 if stribeck is None else (stribeck.static - c) * np.exp(-((v / stribeck.speed) ** 2))
        total += joint.viscous_friction[0] * v**2 + (c + more) * np.abs(v)
    return total


def spring_power_of_all(arm, q, qd):
    """Rates of the springs' energies: of those on a line by the rate of their length, between points in the world."""
    total, poses = np.zeros(len(q)), arm.link_poses.uncompiled(q)
    for joint, x, v in own_motion(arm, q, qd):
        for spring in joint.springs[0]:
            if isinstance(spring, lp.TorsionSpring):
                total += (spring.stiffness * (x - spring.rest) - spring.preload) * v
                continue
            ends, rates = [], []
            for link, point in ((joint.parent, spring.on_parent), (joint.child, spring.on_child)):
                place = arm.link_names.index(link)
                ends.append((poses[:, place] @ [*point, 1.0])[:, :3])
                J = arm.jacobian.uncompiled(q, link)
                twist = np.einsum("sij,sj->si", J, qd)
                arm_ = np.einsum("sij,j->si", poses[:, place, :3, :3], np.array(point))
                rates.append(twist[:, :3] + np.cross(twist[:, 3:], arm_))
            line, rate = ends[0] - ends[1], rates[0] - rates[1]
            length = np.linalg.norm(line, axis=1)
            pull = spring.preload + spring.stiffness * (length - spring.free_length)
            total += pull * (line * rate).sum(axis=1) / length
    return total


# What the result offers


def test_causes_sum_to_the_torque_of_the_motor():
    arm = turning()
    motion = lp.Motion.swing(arm).resampled(30)
    loads = arm.motor_loads(motion)
    for k, name in enumerate(loads.drive_names):
        parts = loads.breakdown(name)
        assert sum(parts.values()) == pytest.approx(loads.torque[:, k], abs=1e-12)
        assert {f"gear losses {name}", f"spring {name}", f"rotor {name}"} <= parts.keys()
    at = loads.peak_at[0]
    one = loads.breakdown("joint1", at=at)
    assert one["friction joint1"] == pytest.approx(RUBBING.at(motion.qd[at, 0]) / 80)
    assert abs(loads.torque[at, 0]) == pytest.approx(loads.peak_torque[0])


def test_batches_long_motions_and_states_that_are_no_numbers():
    arm = turning()
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 2, 1500, 2))  # more than a block
    loads = arm.motor_loads(q, qd, qdd)
    assert loads.torque.shape == (2, 1500, 2) and loads.holding_torque.shape == (2, 1500, 2)
    one = arm.motor_loads(q[1, 700], qd[1, 700], qdd[1, 700])
    assert one.torque == pytest.approx(loads.torque[1, 700]) and one.torque.shape == (2,)
    assert loads.rms_torque == pytest.approx(np.sqrt((loads.torque**2).mean(axis=(0, 1))))
    q[0, 3] = np.nan
    with pytest.warns(lp.ModelWarning, match="motor_loads"):
        holed = arm.motor_loads(q, qd, qdd)
    assert np.isnan(holed.torque[0, 3]).all() and np.isfinite(holed.torque).sum() == 2 * 2999
    assert np.isfinite(holed.peak_torque).all() and np.isfinite(holed.rms_torque).all()
    assert math.isnan(holed.energies[0].gear)


def test_the_function_for_blocks_gives_what_the_result_has():
    arm = turning()
    motion = lp.Motion.swing(arm).resampled(30)
    state = motion.q, motion.qd, motion.qdd
    found = motor_side(arm, *state, arm.inverse_dynamics(*state), motors_of(arm))
    loads = arm.motor_loads(motion)
    for part in ("torque", "speed", "current", "gear_loss", "copper_loss"):
        assert getattr(found, part) == pytest.approx(getattr(loads, part), nan_ok=True)


def test_what_is_not_known_is_nan_and_said():
    loads = level_rod(ratio=100).motor_loads([0.0], [1.0], [0.0])
    assert np.isnan(loads.current).all() and np.isnan(loads.electrical_power).all() and np.isfinite(loads.power).all()
    words = " ".join(missing_drive_data(level_rod(ratio=100)))
    for missing in ("rotor inertia", "friction", "gear efficiency", "torque constant"):
        assert f"No {missing} is known of joint1" in words
    full = lp.Drive(ratio=50, rotor_inertia=1e-5, friction=RUBBING, **FULL)
    assert missing_drive_data(lp.catalog.planar(1).with_drives({"joint1": full})) == []
    assert "any of the 7 joints" in missing_drive_data(lp.catalog.panda())[0]


def test_tables_and_figure():
    arm = turning()
    loads = arm.motor_loads(lp.Motion.swing(arm).resampled(30))
    frame = loads.to_dataframe()
    assert list(frame["drive"]) == ["joint1", "joint2"]
    assert frame["peak_torque"].to_numpy() == pytest.approx(loads.peak_torque)
    assert "peak torque (N m)" in loads.to_table() and "<table" in loads._repr_html_()
    assert len(loads.plot().data) == 8  # torque, speed, power and gear loss of two motors
    with pytest.raises(ValueError, match="states without times"):
        arm.motor_loads([0, 0], [1, 1], [1, 1]).plot()


def test_refusals():
    with pytest.raises(lp.ModelError, match=r"robot.with_drives\(\{'joint1'"):
        lp.catalog.planar(2).motor_loads([0, 0], [0, 0], [0, 0])
    passive = lp.catalog.four_bar().with_drives({"rocker_joint": lp.Drive(ratio=10)})
    with pytest.raises(lp.ModelError, match="'rocker_joint' of robot 'four_bar' has a drive train, and it is passive"):
        passive.motor_loads(passive.home, np.zeros(3), np.zeros(3))
    spinning = lp.catalog.four_bar()
    joints = tuple(replace(j, rotor_inertia=(1e-3,)) if j.name == "rocker_joint" else j for j in spinning.joints)
    with pytest.raises(lp.ModelError, match="rotors at passive joints only"):
        replace(spinning, joints=joints).motor_loads(spinning.home, np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="degree of freedom with a drive train"):
        level_rod(ratio=2).motor_loads([0.0], [1.0], [0.0]).breakdown("joint9")
