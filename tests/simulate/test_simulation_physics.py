"""Simulated motions against solutions known in closed form, against conservation laws and against Pinocchio."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import loadpath as lp
from loadpath.simulate.guard import check_energy
from references.to_pinocchio import random_state, to_pinocchio

# Robots made for a closed form


def pendulum(length: float, mass: float = 2.0) -> lp.Robot:
    """A point mass on a massless rod that hangs at q = 0 and swings about y."""
    bob = lp.Link("bob", lp.Inertia(mass, (0.0, 0.0, -length)))
    hinge = lp.Joint("hinge", "base", "bob", lp.Revolute((0, 1, 0)))
    return lp.Robot("pendulum", (lp.Link("base"), bob), (hinge,))


def body(moments: tuple[float, float, float], center: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> lp.Robot:
    """A single free body."""
    link = lp.Link("body", lp.Inertia(1.5, center, np.diag(moments)))
    return lp.Robot("body", (lp.Link("world"), link), (lp.Joint("free", "world", "body", lp.Free()),))


# Closed forms


def test_pendulum_has_the_period_of_the_elliptic_integral() -> None:
    length, amplitude = 0.7, 2.5
    period = 4 * math.sqrt(length / 9.81) * ellipk(math.sin(amplitude / 2) ** 2)
    swing = pendulum(length).simulate([amplitude], [0.0], times=np.array([0, 0.25, 0.5, 1, 3]) * period, rtol=1e-11)
    assert swing.q[:, 0] == pytest.approx([amplitude, 0, -amplitude, amplitude, amplitude], abs=1e-8)
    assert swing.qd[1, 0] == pytest.approx(-2 * math.sqrt(9.81 / length) * math.sin(amplitude / 2), rel=1e-9)


def test_free_body_turns_as_jacobis_elliptic_functions_say() -> None:
    """The Euler top, in body axes (Landau and Lifshitz, Mechanics, section 37), for L^2 > 2 E I2."""
    I1, I2, I3 = moments = (0.4, 0.7, 0.9)
    omega = np.array([0.8, 0.0, 2.1])
    E2, L2 = float(omega @ (moments * omega)), float(((moments * omega) ** 2).sum())
    assert L2 > E2 * I2
    rate = math.sqrt((I3 - I2) * (L2 - E2 * I1) / (I1 * I2 * I3))
    modulus = (I2 - I1) * (E2 * I3 - L2) / ((I3 - I2) * (L2 - E2 * I1))
    spin = body(moments).with_gravity((0, 0, 0)).simulate(
        [0, 0, 0, 0, 0, 0, 1], [0, 0, 0, *omega], duration=20.0, rtol=1e-11
    )
    sn, cn, dn, _ = ellipj(rate * spin.times, modulus)
    expected = np.stack(
        [
            math.sqrt((E2 * I3 - L2) / (I1 * (I3 - I1))) * cn,
            math.sqrt((E2 * I3 - L2) / (I2 * (I3 - I2))) * sn,
            math.sqrt((L2 - E2 * I1) / (I3 * (I3 - I1))) * dn,
        ],
        axis=1,
    )
    assert spin.qd[:, 3:] == pytest.approx(expected, abs=1e-8)
    momentum = Rotation.from_quat(spin.q[:, 3:]).apply(moments * spin.qd[:, 3:])
    assert momentum == pytest.approx(np.broadcast_to(moments * omega, momentum.shape), abs=1e-9)


def test_thrown_body_flies_on_a_parabola_whatever_it_spins() -> None:
    robot = body((0.4, 0.7, 0.9), center=(0.1, -0.2, 0.3))
    flight = robot.simulate([0, 0, 0, 0.5, 0.5, 0.5, 0.5], [1, 2, 3, 4, -5, 6], duration=1.0, rtol=1e-10)
    center = robot.center_of_mass(flight.q)
    velocity = robot.momentum(flight.q[0], flight.qd[0]).linear / 1.5
    t = flight.times[:, None]
    assert center == pytest.approx(center[0] + velocity * t - 0.5 * 9.81 * t**2 * [0, 0, 1], abs=1e-8)


def test_damped_slider_slows_exponentially() -> None:
    block = lp.Robot(
        "block",
        (lp.Link("base"), lp.Link("block", lp.Inertia(2.0))),
        (lp.Joint("slide", "base", "block", lp.Prismatic((1, 0, 0)), viscous_friction=3.0),),
    )
    slide = block.simulate([0.0], [4.0], duration=2.0)
    assert slide.qd[:, 0] == pytest.approx(4.0 * np.exp(-1.5 * slide.times), rel=1e-7)
    assert slide.friction[:, 0] == pytest.approx(3.0 * slide.qd[:, 0])
    assert slide.dissipated[-1] == pytest.approx(slide.kinetic[0] - slide.kinetic[-1], rel=1e-7)


# Conservation


@pytest.mark.slow
def test_puma_falls_for_a_hundred_seconds_and_keeps_its_energy() -> None:
    puma = lp.catalog.puma560(drives=False)
    fall = puma.simulate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], np.zeros(6), duration=100.0, rtol=1e-10, sample_rate=2.0)
    assert fall.energy_drift < 1e-7
    assert np.abs(fall.energy - fall.energy[0]).max() < 1e-7 * abs(fall.energy[0])
    assert fall.kinetic.max() > 40


@pytest.mark.slow
def test_floating_robot_keeps_its_momentum_whatever_its_drives_do() -> None:
    robot = lp.catalog.random_tree(3, 31, general=True).floating().with_gravity((0, 0, 0))
    rng = np.random.default_rng(3)
    q, qd, _ = random_state(robot, rng)
    push = np.array([0.0] * 6 + [1.0] * (robot.n - 6))
    motion = robot.simulate(q, qd, lambda t, q, qd: 3 * push * np.sin(5 * t), 2.0, rtol=1e-10)
    momentum = robot.momentum(motion.q, motion.qd)
    for part in (momentum.linear, momentum.angular):
        assert np.abs(part - part[0]).max() < 1e-7 * np.abs(part).max()
    assert np.abs(motion.drive_work).max() > 0.1
    assert motion.energy_drift < 1e-8


@pytest.mark.slow
def test_quaternions_stay_units() -> None:
    robot = lp.catalog.random_chain(2, 33, ("revolute", "spherical"), general=True)
    q, qd, _ = random_state(robot, np.random.default_rng(4))
    start = q.copy()
    for name, at in robot.q_slices.items():
        if robot.joint(name).motion.coordinates != robot.joint(name).motion.dof:
            start[at][-4:] *= 3.0  # only its direction counts
    motion, same = (robot.simulate(begin, qd, duration=1.0, sample_rate=20) for begin in (q, start))
    found = 0
    for name, at in robot.q_slices.items():
        if robot.joint(name).motion.coordinates != robot.joint(name).motion.dof:
            found += 1
            assert np.linalg.norm(motion.q[:, at][:, -4:], axis=1) == pytest.approx(1.0, abs=1e-15)
    assert found
    assert same.q == pytest.approx(motion.q, abs=1e-9)


def test_what_drives_and_surroundings_put_in_is_found_again() -> None:
    """Every part of the balance: drives, viscous and Coulomb friction, wrenches in world and link axes, rotors."""
    robot = lp.catalog.random_chain(3, 35, ("revolute", "spherical", "prismatic"), general=True, drives=True)
    q, qd, _ = random_state(robot, np.random.default_rng(5))
    tip = robot.link_names[-1]
    external = {
        tip: lp.Wrench((1.0, 2.0, -3.0), (0.1, 0.2, 0.3), axes="link"),
        robot.link_names[2]: lp.Wrench((3.0, 0.0, 5.0), (0.0, 1.0, 0.0)),
    }
    motion = robot.simulate(q, qd, lambda t, q, qd: np.cos(t + np.arange(robot.n)) - 0.1 * qd, 1.0, external=external)
    for part in (motion.drive_work, motion.dissipated, motion.external_work):
        assert np.abs(part).max() > 1.0
    assert motion.energy_drift < 1e-6
    assert (np.diff(motion.dissipated) >= 0).all()


def test_works_of_constant_forces_are_force_times_way() -> None:
    robot = lp.catalog.stanford_arm().without_friction()
    q = np.array([0.1, 0.2, 0.3, -1.4, 0.5, 1.6])
    tau, force = np.arange(6) - 3.0, np.array([5.0, -7.0, 60.0])
    motion = robot.simulate(q, np.zeros(6), tau, 0.5, external={"tool": lp.Wrench(force)}, rtol=1e-10)
    tip = robot.link_poses(motion.q)[:, robot.link_names.index("tool"), :3, 3]
    assert motion.drive_work == pytest.approx((motion.q - q) @ tau, abs=1e-8)
    assert motion.external_work == pytest.approx((tip - tip[0]) @ force, abs=1e-8)
    assert motion.qdd[7] == pytest.approx(
        robot.forward_dynamics(motion.q[7], motion.qd[7], tau, external={"tool": lp.Wrench(force)})
    )


# Against others


def test_against_an_integration_of_pinocchio() -> None:
    robot = lp.catalog.random_tree(4, 37, ("revolute", "prismatic", "universal", "helical"), general=True)
    peer = to_pinocchio(robot)
    q, qd, _ = random_state(robot, np.random.default_rng(6))
    tau = np.linspace(-1, 1, robot.n)

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[robot.nq :], peer.forward_dynamics(x[: robot.nq], x[robot.nq :], tau * np.cos(3 * t))])

    theirs = solve_ivp(rate, (0, 0.4), np.concatenate([q, qd]), rtol=1e-10, atol=1e-10, method="DOP853")
    ours = robot.simulate(q, qd, lambda t, q, qd: tau * np.cos(3 * t), 0.4, rtol=1e-10)
    assert np.concatenate([ours.q[-1], ours.qd[-1]]) == pytest.approx(theirs.y[:, -1], abs=1e-7)


def test_against_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string("""
    <mujoco><option timestep="0.0005" integrator="RK4" gravity="0 0 -9.81"/>
      <worldbody><body pos="0 0 1"><freejoint/>
        <inertial pos="0.1 0 0.05" mass="3" diaginertia="0.05 0.06 0.07"/>
        <body pos="0.3 0.1 0"><joint type="hinge" axis="0 1 0" damping="0.1" armature="0.02"/>
          <inertial pos="0.2 0 0.1" mass="1.2" diaginertia="0.01 0.02 0.02"/></body>
      </body></worldbody></mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[:] = 0.3, -0.2, 2.0, 1.0, 2.0, -1.5, 3.0  # velocity in world axes, angular velocity in the body's
    robot = lp.Robot(
        "copy",
        (
            lp.Link("world"),
            lp.Link("base", lp.Inertia(3.0, (0.1, 0, 0.05), np.diag((0.05, 0.06, 0.07)))),
            lp.Link("flap", lp.Inertia(1.2, (0.2, 0, 0.1), np.diag((0.01, 0.02, 0.02)))),
        ),
        (
            lp.Joint("free", "world", "base", lp.Free()),
            lp.Joint("hinge", "base", "flap", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.3, 0.1, 0)),
                     viscous_friction=0.1, rotor_inertia=0.02),
        ),
    )
    motion = robot.simulate([0, 0, 1, 0, 0, 0, 1, 0], data.qvel.copy(), duration=0.5, rtol=1e-10)
    while data.time < 0.5 - 1e-9:
        mujoco.mj_step(model, data)
    x, y, z, w = motion.q[-1, 3:7]
    theirs = data.qpos * np.array([1, 1, 1, *[np.sign(data.qpos[3] * w)] * 4, 1])
    assert [*motion.q[-1, :3], w, x, y, z, motion.q[-1, 7]] == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("method", ["RK23", "RK45", "Radau", "BDF", "LSODA"])
def test_other_methods_agree(method: str) -> None:
    arm, state = lp.catalog.planar(2), ([0.4, 0.2], [0.0, 0.0])
    expected = arm.simulate(*state, duration=0.5, rtol=1e-10)
    found = arm.simulate(*state, duration=0.5, rtol=1e-5, method=method)
    assert found.q == pytest.approx(expected.q, abs=2e-3)


def test_no_tolerance_lets_a_tenth_of_the_energy_pass() -> None:
    """A double pendulum with rtol=1e-2 gains a third of the energy it turns over in 20 s: it is computed again."""
    told = r"J of energy are not accounted for, .*at most 10 %.*again with rtol=0\.0001"
    with pytest.warns(lp.ModelWarning, match=told):
        run = lp.catalog.planar(2).simulate([2.5, 1.0], [0.0, 0.0], duration=20.0, rtol=1e-2)
    assert len(run.times) == 2001 and run.energy_drift < 0.01
    assert lp.catalog.planar(2).simulate([2.5, 1.0], [0.0, 0.0], duration=20.0, rtol=1e-3).energy_drift < 0.1


@pytest.mark.parametrize("amplitude", [1e-6, 1e-9, 1e-12])
def test_a_motion_finer_than_the_tolerance_is_no_fault(amplitude: float) -> None:
    """A spring holds an arm in the plane of a table: 1e-17 J are missing, a good part of what it trembles by."""
    spring = lp.Drive(ratio=1, spring=lp.TorsionSpring(50.0, rest=0.7))
    arm = lp.catalog.planar(2).with_gravity((0.0, 0.0, 0.0)).with_drives({"joint1": spring})
    trembling = arm.simulate([0.7 + amplitude, 0.0], [0.0, 0.0], duration=5.0)
    assert np.abs(trembling.q[:, 0] - 0.7).max() < 2 * amplitude + 1e-7


def test_a_result_with_an_error_ends_before_too_much_is_missing() -> None:
    """Also where what is missing in the end is a hundred times too much."""
    fall = lp.catalog.planar(2).simulate([0.3, 0.0], [0.0, 0.0], duration=1.0)
    lost = replace(fall, dissipated=np.geomspace(1e-9, 1e3, len(fall.times)))
    with pytest.raises(lp.IntegrationError, match="J of energy are not accounted for") as caught:
        check_energy(lost, "")
    turned_over = 1e3
    assert np.abs(caught.value.result.energy_residual).max() <= 1e-3 * turned_over
