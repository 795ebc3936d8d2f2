"""Accelerations of rovers against world-frame equations with constraints, and against formulas by hand."""

from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp

G = 9.81


def random_states(rover, count, seed, *, sideways=False):
    rng = np.random.default_rng(seed)
    q, qd, tau = rng.normal(size=(3, count, rover.n))
    velocity = rng.normal(size=(count, 3))
    if not sideways:
        velocity[:, 1] = 0.0
    return q, qd, tau, velocity, rng.uniform(-3, 3, count)


def pfaffian_accelerations(robot, q, qd, tau, constraints, rates):
    """qdd with C qd = 0 by Lagrange multipliers: M qdd + h = tau + C' f, C qdd + Cdot qd = 0."""
    M, h = robot.mass_matrix(q), robot.bias_forces(q, qd)
    n, k = len(M), len(constraints)
    system = np.block([[M, -constraints.T], [constraints, np.zeros((k, k))]])
    solution = np.linalg.solve(system, np.concatenate([tau - h, -rates @ qd]))
    return solution[:n], solution[n:]


def to_world(velocity, psi):
    c, s = np.cos(psi), np.sin(psi)
    return np.array([c * velocity[0] - s * velocity[1], s * velocity[0] + c * velocity[1], velocity[2]])


def in_base_axes(acceleration, velocity, psi):
    """Rates of (v_x, v_y, w) from second derivatives of x, y, psi."""
    c, s = np.cos(psi), np.sin(psi)
    ax, ay, alpha = acceleration
    vx, vy, w = velocity
    return np.array([c * ax + s * ay + w * vy, -s * ax + c * ay - w * vx, alpha])


@pytest.mark.parametrize("slope", [0.0, 0.25])
def test_forward_dynamics_is_that_of_the_world_frame_with_a_pfaffian_constraint(slope):
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.8), driven=True).on(
        lp.Ground(slope=slope, friction=lp.WheelFriction(0.8))
    )
    q, qd, tau, velocity, psi = random_states(rover, 20, 1)
    wheels = np.random.default_rng(2).normal(size=(20, 3)) * (0, 1, 1)
    ours = rover.forward_dynamics(q, qd, tau, velocity=velocity, heading=psi, wheel_torques=wheels)
    for k in range(20):
        c, s = np.cos(psi[k]), np.sin(psi[k])
        world = np.concatenate([[0.3, -0.2, psi[k]], q[k]])
        speeds = np.concatenate([to_world(velocity[k], psi[k]), qd[k]])
        no_side_slip = np.concatenate([[-s, c, 0.0], np.zeros(3)])[None]
        turned = velocity[k, 2] * np.concatenate([[-c, -s, 0.0], np.zeros(3)])[None]
        # tau_i / R forward at (0, d) and (0, -d)
        push, twist = wheels[k, 1:].sum() / 0.1, 0.3 * (wheels[k, 2] - wheels[k, 1]) / 0.1
        forces = np.concatenate([[push * c, push * s, twist], tau[k]])
        qdd, _ = pfaffian_accelerations(rover.planar, world, speeds, forces, no_side_slip, turned)
        assert abs(in_base_axes(qdd[:3], velocity[k], psi[k]) - ours.acceleration[k]).max() < 1e-10
        assert abs(qdd[3:] - ours.qdd[k]).max() < 1e-10


@pytest.mark.filterwarnings("ignore:.*no mass, though")
def test_spinning_wheels_are_those_of_a_robot_with_real_wheels_on_real_axles():
    R, J, m, d = 0.1, 0.04, 2.0, 0.3
    box, arm = 10.0, lp.catalog.lau_arm()
    wheel = lp.Inertia(m, tensor=np.diag([J / 2, J, J / 2]))
    places = np.array([(0.15, 0, 0.2), (0, d, R), (0, -d, R)])
    masses, tensors = np.array([box, m, m]), [np.eye(3), *[np.array(wheel.tensor)] * 2]
    center = masses @ places / masses.sum()
    arms = places - center
    whole = sum(J3 + k * (a @ a * np.eye(3) - np.outer(a, a)) for J3, k, a in zip(tensors, masses, arms, strict=True))
    base = lp.WheeledBase(
        mass=box + 2 * m,
        center_of_mass=center,
        inertia=whole,
        wheels=[lp.CasterWheel((0.6, 0), R), *(lp.FixedWheel((0, y), R, spin_inertia=J) for y in (d, -d))],
        friction=lp.WheelFriction(0.8),
    )
    rover = base.carrying(arm, at=(0.1, 0.05, 0.3))
    bare = lp.WheeledBase(
        mass=box, center_of_mass=(0.15, 0, 0.2), inertia=np.diag([1.0, 1.0, 1.0]), wheels=base.wheels
    ).carrying(arm, at=(0.1, 0.05, 0.3))
    planar = bare.planar
    root = bare.robot.base.name
    links, joints = list(planar.links), list(planar.joints)
    for name, y in (("left", d), ("right", -d)):
        links.append(lp.Link(name, wheel))
        joints.append(lp.Joint(f"{name}_axle", root, name, lp.Revolute((0, 1, 0)), lp.Pose(translation=(0, y, R))))
    robot = lp.Robot("real wheels", tuple(links), tuple(joints), planar.gravity)
    q, qd, tau, velocity, psi = random_states(rover, 10, 3)
    wheels = np.random.default_rng(4).normal(size=(10, 3)) * (0, 1, 1)
    ours = rover.forward_dynamics(q, qd, tau, velocity=velocity, wheel_torques=wheels)
    at = [robot.dof_names.index(name) for name in ("left_axle", "right_axle")]
    for k in range(10):
        c, s, w = np.cos(psi[k]), np.sin(psi[k]), velocity[k, 2]
        rates = (velocity[k, 0] + w * np.array([-d, d])) / R
        world = np.concatenate([[0, 0, psi[k]], q[k], [0.4, -0.7]])
        speeds = np.concatenate([to_world(velocity[k], psi[k]), qd[k], rates])
        C, Cdot = np.zeros((3, robot.n)), np.zeros((3, robot.n))
        C[0, :2], Cdot[0, :2] = (-s, c), (-c * w, -s * w)
        for row, (y, joint) in enumerate(zip((d, -d), at, strict=True), start=1):
            C[row, :3], C[row, joint] = (c, s, -y), -R
            Cdot[row, :2] = -s * w, c * w
        forces = np.concatenate([np.zeros(3), tau[k], wheels[k, 1:]])
        # A motor's torque turns the wheel and, against it, the base about y, which the ground takes.
        qdd, f = pfaffian_accelerations(robot, world, speeds, forces, C, Cdot)
        assert abs(in_base_axes(qdd[:3], velocity[k], psi[k]) - ours.acceleration[k]).max() < 1e-10
        assert abs(qdd[3:6] - ours.qdd[k]).max() < 1e-10
        assert abs(f[1:] - ours.longitudinal[k, 1:]).max() < 1e-10
        # The planar joint carries what the ground gives along its normal and about x and y.
        wrench = robot.joint_wrenches(world, speeds, qdd)
        torque = wrench.torque[0]
        vertical = np.array([wrench.force[0][2], torque[0], torque[1]])
        points = rover.base.positions
        sums = np.array([ours.normal[k].sum(), points[:, 1] @ ours.normal[k], -points[:, 0] @ ours.normal[k]])
        assert abs(vertical - sums).max() < 1e-9


def errata_accelerations(rover, q, qd, qdd, v, w, mu, s, d):
    """The 6 x 6 system of section 6.9 of the errata, with W from three passes."""

    def wrench(vdot, wdot):
        at = rover.ground_wrench(q, qd, qdd, velocity=(v, w), acceleration=(vdot, wdot))
        return np.concatenate([at.force, at.torque])

    W00 = wrench(0.0, 0.0)
    Wv, Ww = wrench(1.0, 0.0) - W00, wrench(0.0, 1.0) - W00
    theta = np.arctan2(s * w, v)
    s2, s3 = np.sign(v - w * d), np.sign(v + w * d)
    columns = np.array([
        (-mu * np.cos(theta), -mu * np.sin(theta), 1, 0, -s, -s * mu * np.sin(theta)),
        (-mu * s2, 0, 1, d, 0, d * mu * s2),
        (-mu * s3, 0, 1, -d, 0, -d * mu * s3),
        (0, 1, 0, 0, 0, 0),
    ]).T
    return np.linalg.solve(np.column_stack([Wv, Ww, -columns]), -W00)


def test_rolling_resistance_is_that_of_the_errata():
    mu, s, d = 0.05, 0.6, 0.3
    rover = lp.catalog.lau_rover(s=s, d=d, friction=lp.WheelFriction(0.6, rolling=mu))
    q, qd, qdd, velocity, _ = random_states(rover, 20, 5)
    ours = rover.base_acceleration(q, qd, qdd, velocity=velocity)
    for k in range(20):
        vdot, wdot, *normal, f = errata_accelerations(
            rover, q[k], qd[k], qdd[k], velocity[k, 0], velocity[k, 2], mu, s, d
        )
        assert abs(ours.acceleration[k] - (vdot, 0, wdot)).max() < 1e-10
        assert abs(ours.normal[k] - normal).max() < 1e-10
        caster = -mu * normal[0] * np.sin(np.arctan2(s * velocity[k, 2], velocity[k, 0]))
        assert abs(ours.lateral[k, 1:].sum() - f) < 1e-10 and np.isfinite(caster)
    assert abs(rover.robot.gravity[2] + G) < 1e-12


def test_the_thesis_s_corrected_equation_for_the_yaw_acceleration():
    """(6-88) as corrected: a rigid base under a wrench (F, N) about O, rolling."""
    mu, s, d, M = 0.05, 0.6, 0.3, 12.0
    h, Ic = np.array([0.17, 0.04, 0.0]), 0.9  # mass center on the ground: no load shifts by accelerations
    base = lp.WheeledBase(
        mass=M,
        center_of_mass=h,
        inertia=np.diag([0.5, 0.5, Ic]),
        wheels=[lp.CasterWheel((s, 0), 0.1), lp.FixedWheel((0, d), 0.1), lp.FixedWheel((0, -d), 0.1)],
        friction=lp.WheelFriction(0.6, rolling=mu),
    )
    rover = base.carrying()
    force, moment = np.array([3.0, 1.0, -5.0]), np.array([0.4, -0.7, 2.0])
    none = np.zeros(0)
    for v, w in ((1.0, 0.5), (2.0, -0.7), (0.8, 1e-9)):
        ours = rover.base_acceleration(
            none, none, none, velocity=(v, w), external={"rover": lp.Wrench(force, moment, axes="world")}
        )
        N1, N2, N3 = ours.normal
        theta = np.arctan2(s * w, v)
        sin, cos = np.sin(theta), np.cos(theta)
        turning = moment[2] + force[0] * h[1] + mu * d * (N2 - N3) - mu * h[1] * (N2 + N3)
        turning -= mu * N1 * (s * sin + h[1] * cos) + M * h[0] * w * (v - h[1] * w)  # w s cot(theta) = v
        assert ours.acceleration[2] == pytest.approx(turning / (Ic + M * h[0] ** 2), rel=1e-9)
        # (6-37), (6-42), (6-43) as corrected
        assert pytest.approx((M * G * h[0] + moment[1]) / s) == N1
        for N, side in ((N2, 1), (N3, -1)):
            twice = M * G * (1 - h[0] / s + side * h[1] / d) - force[2] - moment[1] / s - side * moment[0] / d
            assert pytest.approx(twice / 2) == N


def test_an_undriven_wheel_takes_the_force_of_its_spin_inertia_alone():
    """Errata of (6-6)-(6-11): the contact force of an undriven wheel is F I_w/(I_w + M R^2)."""
    M, R, J = 8.0, 0.2, 0.3
    wheels = [lp.FixedWheel((0, y), R, spin_inertia=J / 2) for y in (0.3, -0.3)]
    base = lp.WheeledBase(
        mass=M,
        center_of_mass=(0, 0, R),
        wheels=[*wheels, lp.CasterWheel((0.5, 0), 0.1), lp.CasterWheel((-0.5, 0), 0.1)],
        inertia=np.eye(3),
        friction=lp.WheelFriction(0.8),
    )
    none = np.zeros(0)
    pushed = base.carrying().forward_dynamics(none, none, external={"rover": lp.Wrench((5.0, 0, 0))})
    assert pushed.acceleration[0] == pytest.approx(5.0 / (M + J / R**2), rel=1e-12)
    assert -pushed.longitudinal.sum() == pytest.approx(5.0 * J / (J + M * R**2), rel=1e-12)


def test_accelerations_agree_with_the_wheel_loads_of_the_same_motion():
    rover = lp.catalog.lau_rover(friction=lp.WheelFriction(0.6, rolling=0.03)).on(lp.Ground(slope=0.2))
    q, qd, tau, velocity, psi = random_states(rover, 30, 7)
    ours = rover.forward_dynamics(q, qd, tau, velocity=velocity, heading=psi)
    loads = rover.wheel_loads(q, qd, ours.qdd, velocity=velocity, acceleration=ours.acceleration, heading=psi)
    assert abs(loads.unsupplied).max() < 1e-10
    for part in ("normal", "longitudinal", "lateral"):
        assert abs(getattr(loads, part) - getattr(ours, part)).max() < 1e-9
    there = rover.base_acceleration(q, qd, ours.qdd, velocity=velocity, heading=psi)
    assert abs(there.tau - tau).max() < 1e-10 and abs(there.acceleration - ours.acceleration).max() < 1e-10


def test_four_wheels_lift_as_they_do_in_wheel_loads():
    wheels = [lp.CasterWheel((x, y), 0.1) for x in (0.5, -0.5) for y in (0.4, -0.4)]
    base = lp.WheeledBase(mass=5, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=wheels,
                          friction=lp.WheelFriction(0.5, rolling=0.05))
    rover = base.carrying(lp.catalog.lau_arm(), at=(0.3, 0.2, 0.5))
    q = np.array([[-2.0, 0.1, 2.0], [-2.0, 0.1, 3.0], [-2.0, 0.1, 6.0]])
    ours = rover.base_acceleration(q, np.zeros(3), np.zeros(3), velocity=(0.5, 0.1, 0.2))
    loads = rover.wheel_loads(q, velocity=(0.5, 0.1, 0.2), acceleration=ours.acceleration)
    assert loads.lifted[:2].any() and ours.tips_over.tolist() == loads.tips_over.tolist() == [False, False, True]
    assert abs(ours.normal[:2] - loads.normal[:2]).max() < 1e-9


def test_a_bad_row_stays_the_only_one_and_batches_broadcast():
    rover = lp.catalog.lau_rover()
    q, qd, tau, velocity, _ = random_states(rover, 4, 9)
    good = rover.forward_dynamics(q, qd, tau, velocity=velocity)
    q[2, 1] = np.nan
    bad = rover.forward_dynamics(q, qd, tau, velocity=velocity)
    rows = [0, 1, 3]
    assert np.isnan(bad.acceleration[2]).all() and np.array_equal(bad.acceleration[rows], good.acceleration[rows])
    wide = rover.forward_dynamics(np.zeros((5, 1, 3)), np.zeros(3), velocity=np.ones((4, 3)) * (1, 0, 1))
    assert wide.acceleration.shape == (5, 4, 3) and wide.normal.shape == (5, 4, 3)


def test_wrong_calls_are_told():
    rover = lp.catalog.lau_rover()
    still = np.zeros(3)
    with pytest.raises(ValueError, match="makes wheels slide across"):
        rover.forward_dynamics(still, still, velocity=(1.0, 0.2, 0.0))
    with pytest.raises(ValueError, match="'wheel1' is a caster wheel and cannot be driven"):
        rover.forward_dynamics(still, still, wheel_torques={"wheel1": 1.0})
    with pytest.raises(ValueError, match="no wheel 'left'"):
        rover.forward_dynamics(still, still, wheel_torques={"left": 1.0})
    with pytest.raises(ValueError, match="tau has the shape"):
        rover.forward_dynamics(still, still, [1.0, 2.0])
    skid = [lp.FixedWheel((x, y), 0.1) for x in (0.4, -0.4) for y in (0.3, -0.3)]
    tracked = lp.WheeledBase(mass=5, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), wheels=skid).carrying()
    none = np.zeros(0)
    with pytest.raises(ValueError, match="rolling direction"):
        tracked.forward_dynamics(none, none, velocity=(1.0, 0.5))


@pytest.mark.parametrize("roller", [0.0, np.pi / 4])
def test_rollers_resist_in_accelerations_as_they_do_in_simulations_and_wheel_loads(roller):
    angles = np.array([0.2, 2.3, 4.4])
    wheels = [lp.OmniWheel((0.4 * np.cos(a), 0.4 * np.sin(a)), 0.1, direction=a + np.pi / 2, roller_angle=roller)
              for a in angles]
    rover = lp.WheeledBase(mass=50, center_of_mass=(0.05, 0, 0.3), inertia=3 * np.eye(3), wheels=wheels,
                           friction=lp.WheelFriction(0.6, 0.8, 0.02)).carrying()
    velocity, torques = (0.3, 0.2, 0.1), {"wheel1": -1.0, "wheel2": 2.0}
    moved = rover.forward_dynamics([], [], velocity=velocity, wheel_torques=torques)
    run = rover.simulate(velocity=velocity, wheel_torques=torques, duration=0.0)
    np.testing.assert_allclose(moved.acceleration, run.acceleration[0], atol=1e-12)
    spinning = [replace(wheel, spin_inertia=1e-9) for wheel in wheels]
    spun = (
        replace(rover.base, wheels=spinning).carrying().simulate(velocity=velocity, wheel_torques=torques, duration=0.0)
    )
    loads = rover.wheel_loads([], velocity=velocity, acceleration=moved.acceleration)
    np.testing.assert_allclose(loads.drive_torque, [-1.0, 2.0, 0.0], atol=1e-10)
    for part in ("normal", "longitudinal", "lateral"):
        np.testing.assert_allclose(getattr(moved, part), getattr(loads, part), atol=1e-10)
        np.testing.assert_allclose(getattr(run, part)[0], getattr(loads, part), atol=1e-10)
        np.testing.assert_allclose(getattr(spun, part)[0], getattr(loads, part), atol=1e-5)
    # Power: drives put in what kinetic energy gains and rolling takes, along rims and across rollers.
    rates = rover.wheel_motion(velocity).rate
    gained = velocity @ rover.mass_matrix([])[:3, :3] @ moved.acceleration
    taken = 0.02 * (loads.normal * _rolling_speeds(rover, velocity, rates)).sum()
    assert abs(rates @ loads.drive_torque - gained - taken) < 1e-9


def _rolling_speeds(rover, velocity, rates):
    """Speeds with which rims and rollers of omni wheels roll, summed."""
    vx, vy, w = velocity
    speeds = []
    for wheel, b in zip(rover.base.wheels, rates, strict=True):
        x, y = wheel.position
        axis = wheel.direction + wheel.roller_angle
        forward = np.array([np.cos(wheel.direction), np.sin(wheel.direction)])
        along, beside = np.array([np.cos(axis), np.sin(axis)]), np.array([-np.sin(axis), np.cos(axis)])
        at = np.array([vx - w * y, vy + w * x])
        assert abs(at @ along - wheel.radius * b * (forward @ along)) < 1e-12
        speeds.append(abs(wheel.radius * b) + abs((at - wheel.radius * b * forward) @ beside))
    return np.array(speeds)


def test_an_arm_at_rest_needs_no_speeds():
    rover = lp.catalog.lau_rover()
    still = rover.forward_dynamics([0, 0, 0.5], [0, 0, 0])
    np.testing.assert_array_equal(rover.forward_dynamics([0, 0, 0.5], None).qdd, still.qdd)


def test_rolling_resistance_of_wheels_that_spin_by_hand():
    """Straight on: (M + 2 J/R^2) dv/dt = 2 tau/R - mu_r M g sgn(v), whatever each wheel carries."""
    J, R, mu, tau = 0.05, 0.1, 0.03, 1.5
    wheels = [lp.CasterWheel((0.6, 0), R), *(lp.FixedWheel((0, y), R, spin_inertia=J) for y in (0.3, -0.3))]
    rover = lp.WheeledBase(
        mass=20, center_of_mass=(0.2, 0, 0.2), inertia=np.eye(3), wheels=wheels,
        friction=lp.WheelFriction(0.8, rolling=mu),
    ).carrying()
    none = np.zeros(0)
    for speed in (0.5, -0.5):
        pushed = rover.forward_dynamics(none, none, velocity=(speed, 0.0), wheel_torques=[0, tau, tau])
        dv = (2 * tau / R - np.sign(speed) * mu * 20 * G) / (20 + 2 * J / R**2)
        np.testing.assert_allclose(pushed.acceleration, [dv, 0, 0], atol=1e-10)
        # R f = tau - J db/dt - mu_r N R sgn(b)
        force = (tau - J * dv / R) / R - np.sign(speed) * mu * pushed.normal[1:]
        np.testing.assert_allclose(pushed.longitudinal[1:], force, atol=1e-10)
        loads = rover.wheel_loads([], velocity=(speed, 0.0), acceleration=pushed.acceleration)
        np.testing.assert_allclose(loads.drive_torque, [0, tau, tau], atol=1e-10)
