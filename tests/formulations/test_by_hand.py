"""Small robots whose loads can be worked out on paper, through the compiled functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import loadpath as lp

G = 9.81


def arm_of(*joints: lp.Joint, **inertias: lp.Inertia) -> lp.Robot:
    names = ["base", *(joint.child for joint in joints)]
    return lp.Robot("arm", tuple(lp.Link(name, inertias.get(name, lp.Inertia())) for name in names), joints)


@pytest.fixture(scope="module")
def planar2() -> lp.Robot:
    return lp.catalog.planar(2, length=0.8, mass=3.0)


# Statics


def test_two_rods_held_out_horizontally(planar2: lp.Robot) -> None:
    """Each rod weighs m g at its middle: m g l/2 at the elbow, m g (l/2 + 3 l/2) at the shoulder."""
    weight, length = 3.0 * G, 0.8
    assert_allclose(planar2.gravity_forces([0, 0]), [weight * 2 * length, weight * length / 2])
    assert_allclose(planar2.gravity_forces([math.pi / 2, 0]), [0, 0], atol=1e-14)
    assert_allclose(planar2.gravity_forces([0, math.pi / 2]), [weight * (length / 2 + length), 0], atol=1e-14)


def test_joint_wrenches_of_two_rods_held_out(planar2: lp.Robot) -> None:
    """Link axes: x along the rod, y up, z (the joint's) to the viewer."""
    wrenches = planar2.joint_wrenches([0, 0], [0, 0], [0, 0])
    weight, length = 3.0 * G, 0.8
    assert_allclose(wrenches["joint1"].force, [0, 2 * weight, 0], atol=1e-13)
    assert_allclose(wrenches["joint2"].force, [0, weight, 0], atol=1e-13)
    assert_allclose(wrenches["joint1"].torque, [0, 0, 2 * weight * length], atol=1e-13)
    assert_allclose(wrenches["joint2"].torque, [0, 0, weight * length / 2], atol=1e-13)
    assert_allclose(wrenches["tip_joint"].force, 0)
    lifted = planar2.joint_wrenches([math.pi / 2, 0], [0, 0], [0, 0])
    assert_allclose(lifted["joint1"].force, [2 * weight, 0, 0], atol=1e-13)  # now along the rods


def test_a_payload_at_arms_length(planar2: lp.Robot) -> None:
    loaded = planar2.with_payload(mass=5.0, center_of_mass=(0.1, 0.0, 0.2))
    extra = loaded.gravity_forces([0, 0]) - planar2.gravity_forces([0, 0])
    assert_allclose(extra, [5.0 * G * (1.6 + 0.1), 5.0 * G * (0.8 + 0.1)])
    weld = loaded.joint_wrenches([0, 0], [0, 0], [0, 0])["payload_joint"]
    assert_allclose(weld.force, [0, 5.0 * G, 0], atol=1e-13)
    # About the tip: (0.1, 0, 0.2) x (0, 5 g, 0).
    assert_allclose(weld.torque, [-0.2 * 5.0 * G, 0, 0.1 * 5.0 * G], atol=1e-13)


def test_a_swinging_payload_pulls_at_its_weld(planar2: lp.Robot) -> None:
    """Centripetal m omega^2 r towards the shoulder, tangential m alpha r, and its own spin."""
    moment = np.diag([0.01, 0.02, 0.03])
    loaded = planar2.with_payload(mass=5.0, inertia=moment).with_gravity((0, 0, 0))
    weld = loaded.joint_wrenches([0.4, 0], [2.0, 0], [3.0, 0])["payload_joint"]
    assert_allclose(weld.force, [-5.0 * 4.0 * 1.6, 5.0 * 3.0 * 1.6, 0], atol=1e-12)
    assert_allclose(weld.torque, [0, 0, 0.03 * 3.0], atol=1e-12)


def test_a_lift() -> None:
    lift = arm_of(lp.Joint("lift", "base", "cage", lp.Prismatic()), cage=lp.Inertia(40.0, (0.3, 0.0, 1.0)))
    assert_allclose(lift.inverse_dynamics([2.0], [0.5], [1.5]), [40.0 * (G + 1.5)])
    wrench = lift.joint_wrenches([2.0], [0.5], [1.5])["lift"]
    assert_allclose(wrench.force, [0, 0, 40.0 * (G + 1.5)])
    assert_allclose(wrench.torque, [0, -0.3 * 40.0 * (G + 1.5), 0])
    assert float(lift.potential_energy([2.0])) == pytest.approx(40.0 * G * 3.0)
    assert float(lift.kinetic_energy([2.0], [0.5])) == pytest.approx(0.5 * 40.0 * 0.25)


def test_a_lift_downwards_hangs_on_its_rope() -> None:
    hook = arm_of(lp.Joint("rope", "base", "hook", lp.Prismatic((0, 0, -1))), hook=lp.Inertia(2.0))
    assert_allclose(hook.inverse_dynamics([1.0], [0.0], [G]), [0], atol=1e-14)  # free fall
    assert_allclose(hook.inverse_dynamics([1.0], [0.0], [0.0]), [-2.0 * G])


def test_a_screw_lifts_by_its_pitch() -> None:
    """Statics: torque times angle is weight times lift."""
    pitch = 0.02
    screw = arm_of(
        lp.Joint("screw", "base", "nut", lp.Helical((0, 0, 1), pitch=pitch)),
        nut=lp.Inertia.from_moments(10.0, (0.4, 0, 0), ixx=1, iyy=1, izz=0.5),
    )
    assert_allclose(screw.gravity_forces([0.3]), [10.0 * G * pitch])
    inertia = 0.5 + 10.0 * 0.4**2 + 10.0 * pitch**2
    assert_allclose(screw.inverse_dynamics([0.3], [0.7], [2.0]), [inertia * 2.0 + 10.0 * G * pitch])


def test_an_external_force_at_the_tip(planar2: lp.Robot) -> None:
    """A weight hung on the tip in world axes; in link axes the same force turns with the arm."""
    still = [0.0, 0.0]
    hanging = {"tip": lp.Wrench(force=(0, 0, -50))}
    bare = planar2.gravity_forces([0, 0])
    assert_allclose(planar2.inverse_dynamics([0, 0], still, still, external=hanging) - bare, [80, 40])
    up = planar2.inverse_dynamics([math.pi / 2, 0], still, still, external=hanging)
    assert_allclose(up, [0, 0], atol=1e-12)
    across = {"tip": lp.Wrench(force=(0, -50, 0), axes="link")}
    turned = planar2.inverse_dynamics([math.pi / 2, 0], still, still, external=across)
    assert_allclose(turned, [80, 40], atol=1e-12)
    twist = {"tip": lp.Wrench(force=(0, 0, 0), torque=(0, -7, 0))}  # about world -y, the joints' axis
    twisted = planar2.inverse_dynamics([0.2, 0.3], still, still, external=twist)
    assert_allclose(twisted - planar2.gravity_forces([0.2, 0.3]), [-7, -7])


def test_a_wrench_on_the_base_goes_into_the_ground(planar2: lp.Robot) -> None:
    state = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    pushed = planar2.inverse_dynamics(*state, external={"base": lp.Wrench((10, 20, 30), (1, 2, 3))})
    assert_allclose(pushed, planar2.inverse_dynamics(*state), rtol=1e-14)


# Dynamics


def test_a_rod_on_a_hinge() -> None:
    rod = lp.catalog.planar(1, length=2.0, mass=3.0)
    about_end = 3.0 * 2.0**2 / 3
    assert_allclose(rod.inverse_dynamics([0.4], [1.0], [2.5]), [about_end * 2.5 + 3.0 * G * math.cos(0.4)])
    assert float(rod.kinetic_energy([0.4], [1.5])) == pytest.approx(0.5 * about_end * 1.5**2)
    assert float(rod.potential_energy([0.4])) == pytest.approx(3.0 * G * math.sin(0.4))


def test_a_spinning_top_precesses() -> None:
    """Spin s about a horizontal axle that turns with rate p: torque I s p, in the direction z x axle."""
    top = arm_of(
        lp.Joint("precession", "base", "frame", lp.Revolute((0, 0, 1))),
        lp.Joint("spin", "frame", "wheel", lp.Revolute((1, 0, 0))),
        frame=lp.Inertia(0.1),
        wheel=lp.Inertia.from_moments(2.0, ixx=0.4, iyy=0.3, izz=0.3),
    )
    wrench = top.joint_wrenches([0.0, 0.0], [3.0, 50.0], [0.0, 0.0])["spin"]
    assert_allclose(wrench.torque, [0, 0.4 * 50.0 * 3.0, 0], atol=1e-11)
    assert_allclose(top.inverse_dynamics([0, 0], [3.0, 50.0], [0, 0]), [0, 0], atol=1e-11)


def test_coriolis_force_on_a_slider() -> None:
    """A bead on a turning rod: 2 m omega v sideways, m omega^2 r along it."""
    rod = arm_of(
        lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),
        lp.Joint("slide", "rod", "bead", lp.Prismatic((1, 0, 0))),
        rod=lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.2),
        bead=lp.Inertia(0.5),
    )
    omega, r, v = 3.0, 0.7, 2.0
    tau = rod.inverse_dynamics([0.9, r], [omega, v], [0, 0])
    assert_allclose(tau, [0.5 * 2 * omega * v * r, -0.5 * omega**2 * r], atol=1e-13)
    force = rod.joint_wrenches([0.9, r], [omega, v], [0, 0])["slide"].force
    assert_allclose(force, [-0.5 * omega**2 * r, 0.5 * 2 * omega * v, 0.5 * G], atol=1e-13)


# Drives


def motor(**drive: float) -> lp.Robot:
    joint = lp.Joint("motor", "base", "wheel", lp.Revolute(), **drive)
    return arm_of(joint, wheel=lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=0.5))


@pytest.mark.parametrize("speed", [-2.0, 0.0, 3.0])
def test_friction_is_overcome_in_the_direction_of_motion(speed: float) -> None:
    wheel = motor(viscous_friction=0.7, coulomb_friction=0.3)
    assert_allclose(wheel.inverse_dynamics([0.1], [speed], [0.0]), [0.7 * speed + 0.3 * np.sign(speed)])
    assert_allclose(wheel.gravity_forces([0.1]), [0.0])


def test_a_rotor_counts_with_the_square_of_its_gear_ratio() -> None:
    wheel = motor(rotor_inertia=1e-4, gear_ratio=-80.0)
    assert_allclose(wheel.inverse_dynamics([0], [5.0], [2.0]), [(0.5 + 1e-4 * 80.0**2) * 2.0])
    assert float(wheel.kinetic_energy([0], [5.0])) == pytest.approx(0.5 * (0.5 + 1e-4 * 80.0**2) * 25.0)
    assert_allclose(wheel.joint_wrenches([0], [5.0], [2.0])["motor"].torque, [0, 0, 0.5 * 2.0])


def test_drives_of_a_joint_with_several_speeds() -> None:
    joint = lp.Joint("table", "base", "plate", lp.Planar(), viscous_friction=(1.0, 2.0, 3.0), coulomb_friction=0.5,
                     rotor_inertia=(0.1, 0.2, 0.3))
    table = arm_of(joint, plate=lp.Inertia.from_moments(2.0, izz=0.4, ixx=0.3, iyy=0.3))
    tau = table.inverse_dynamics([0.3, 0.4, 0.5], [1.0, -1.0, 2.0], [3.0, 4.0, 5.0])
    assert_allclose(tau, [2.1 * 3 + 1 + 0.5, 2.2 * 4 - 2 - 0.5, 0.7 * 5 + 6 + 0.5])


# Mimics


def gear_pair(ratio: float, offset: float, **drive: float) -> lp.Robot:
    turn = lp.Revolute((0, -1, 0))
    arm = lp.Inertia(2.0, (0.5, 0.0, 0.0))
    return arm_of(
        lp.Joint("pinion", "base", "first", turn),
        lp.Joint("wheel", "base", "second", turn, mimic=lp.Mimic("pinion", ratio, offset), **drive),
        first=arm,
        second=arm,
    )


def test_a_gear_pair() -> None:
    """Two pendulums of 2 kg at 0.5 m; the second turns -3 times as far. Its load comes back times -3."""
    pair = gear_pair(-3.0, 0.2)
    assert (pair.n, pair.nq) == (1, 1)
    q, acceleration = 0.3, 1.5
    moment, weight = 2.0 * 0.25, 2.0 * G * 0.5
    follower = -3.0 * q + 0.2
    expected = moment * acceleration * (1 + 9) + weight * (math.cos(q) - 3.0 * math.cos(follower))
    assert_allclose(pair.inverse_dynamics([q], [7.0], [acceleration]), [expected])
    assert float(pair.kinetic_energy([q], [7.0])) == pytest.approx(0.5 * moment * 49.0 * 10)
    assert float(pair.potential_energy([q])) == pytest.approx(weight * (math.sin(q) + math.sin(follower)))
    wrenches = pair.joint_wrenches([q], [0.0], [acceleration])
    about_axis = [
        moment * acceleration + weight * math.cos(q),
        moment * -3 * acceleration + weight * math.cos(follower),
    ]
    assert_allclose([wrenches["pinion"].torque[1], wrenches["wheel"].torque[1]], [-t for t in about_axis])


def test_the_drive_of_a_follower_is_felt_through_the_gear() -> None:
    plain, driven = gear_pair(-3.0, 0.2), gear_pair(-3.0, 0.2, viscous_friction=0.5, coulomb_friction=0.1,
                                                    rotor_inertia=0.01, gear_ratio=10.0)
    state = [0.3], [2.0], [1.5]
    extra = driven.inverse_dynamics(*state) - plain.inverse_dynamics(*state)
    # The follower turns at -6 rad/s and speeds up by -4.5 rad/s^2; its forces come back times -3.
    assert_allclose(extra, [-3.0 * (0.5 * -6.0 - 0.1 + 1.0 * -4.5)])
    more = driven.kinetic_energy(*state[:2]) - plain.kinetic_energy(*state[:2])
    assert float(more) == pytest.approx(0.5 * 1.0 * 36.0)


def test_a_follower_of_a_follower() -> None:
    turn, weight = lp.Revolute(), lp.Inertia.from_moments(1.0, ixx=1, iyy=1, izz=1)
    train = arm_of(
        lp.Joint("third", "base", "c", turn, mimic=lp.Mimic("second", 5.0, 1.0)),
        lp.Joint("second", "base", "b", turn, mimic=lp.Mimic("first", -2.0, 0.5)),
        lp.Joint("first", "base", "a", turn),
        a=weight, b=weight, c=weight,
    )
    assert_allclose(train.inverse_dynamics([0.1], [0.0], [1.0]), [1 + 4 + 100])
    angle = 5.0 * (-2.0 * 0.1 + 0.5) + 1.0
    assert_allclose(train.link_poses([0.1])[1, :2, 0], [math.cos(angle), math.sin(angle)])
    assert_allclose(train.jacobian([0.1], "c")[5], [-10.0])


# Robots without freedom


def test_a_statue_has_wrenches_and_no_torques() -> None:
    statue = arm_of(lp.Joint("bolt", "base", "stone", lp.Fixed(), lp.Pose(translation=(0, 0, 2))),
                    stone=lp.Inertia(100.0, (0.5, 0, 0)))
    assert statue.inverse_dynamics([], [], []).shape == (0,)
    wrench = statue.joint_wrenches([], [], [])["bolt"]
    assert_allclose(wrench.force, [0, 0, 100 * G])
    assert_allclose(wrench.torque, [0, -50 * G, 0])
    assert float(statue.kinetic_energy([], [])) == 0.0
    assert float(statue.potential_energy([])) == 0.0  # what cannot move does not count
    assert statue.jacobian([], "stone").shape == (6, 0)


def test_a_lone_link() -> None:
    stone = lp.Robot("stone", (lp.Link("stone", lp.Inertia(1.0)),), ())
    assert (stone.n, stone.inverse_dynamics([], [], []).shape) == (0, (0,))
    assert stone.joint_wrenches([], [], []).force.shape == (0, 3)
    assert_allclose(stone.link_poses([]), [np.eye(4)])
