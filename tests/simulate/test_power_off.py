"""Brakes of joints and losses of gears in simulations: by hand, by the balance of energy, and against MuJoCo."""

import numpy as np
import pytest

import loadpath as lp

HINGE = lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1)))
ROD = lp.Robot("rod", (lp.Link("base"), lp.Link("rod", lp.Inertia.from_moments(1.0, iyy=0.5, izz=0.5))), (HINGE,))
GEAR = lp.Drive(ratio=100, rotor_inertia=1e-5, efficiency=(0.8, 0.6), no_load_torque=0.001)
ARM = lp.catalog.planar(3).with_drives({
    f"joint{k}": lp.Drive(ratio=100, rotor_inertia=1e-4, efficiency=(0.8, 0.6), no_load_torque=0.001,
                          friction=lp.Friction(viscous=0.3, coulomb=1.0)) for k in (1, 2, 3)})


def brake(torque: float, delay: float = 0.0, **more: object) -> lp.Brake:
    return lp.Brake(holding_torque=torque, response_time=delay, **more)


def test_a_flywheel_by_hand() -> None:
    """I w / T and I w^2 / 2T, after the delay."""
    run = ROD.simulate([0.0], [8.0], duration=3.0, brakes={"turn": brake(2.0, 0.5, on="joint")})
    assert np.isclose(run.q[-1, 0], 8 * 0.5 + 16.0 / 2.0, rtol=1e-12)
    assert np.isclose(run.joint_brake_heat[-1, 0], 16.0, rtol=1e-12)
    assert run.sticking[run.times > 2.5].all() and not run.sticking[run.times <= 2.5].any()
    assert (run.joint_brake_torques[(run.times >= 0.5) & (run.times < 2.5)] == 2.0).all()
    assert (run.joint_brake_torques[run.times < 0.5] == 0.0).all() and run.energy_drift < 1e-12


def test_a_slide_by_hand() -> None:
    rail = lp.Robot("rail", (lp.Link("base"), lp.Link("cart", lp.Inertia(4.0))),
                    (lp.Joint("slide", "base", "cart", lp.Prismatic((1, 0, 0))),))
    run = rail.simulate([0.0], [2.0], duration=1.0, brakes={"slide": 20.0})
    assert np.isclose(run.q[-1, 0], 0.5 * 4.0 * 4.0 / 20.0, rtol=1e-12)
    assert np.isclose(run.joint_brake_heat[-1, 0], 8.0, rtol=1e-12)


def test_a_gear_that_loses_power_helps_its_brake() -> None:
    """The rotor's energy goes into the brake alone, the load's through the gear, of which it loses 40 %:
    (I + R / eta) a = (N T + N T0) / eta.
    """
    run = ROD.with_drives({"turn": GEAR}).simulate(
        [0.0], [8.0], duration=3.0, brakes={"turn": brake(0.02)}, gear_losses=True)
    slowing = (2.1 / 0.6) / (0.5 + 0.1 / 0.6)
    way = 64 / (2 * slowing)
    assert np.isclose(run.q[-1, 0], way, rtol=1e-10)
    assert np.isclose(run.joint_brake_heat[-1, 0], 2.0 * way, rtol=1e-9)
    assert np.isclose(run.gear_heat[-1], 0.5 * 0.6 * 64 - 2.0 * way, rtol=1e-9)
    assert np.isclose(run.dissipated[-1], 0.5 * 0.6 * 64, rtol=1e-9) and run.energy_drift < 1e-12


def test_a_motor_drives_its_load_through_a_gear() -> None:
    """Speeding up, the motor's torque less what turns the rotor loses 20 %: (I + R eta) a = eta (tau - N T0)."""
    run = ROD.with_drives({"turn": GEAR}).simulate([0.0], [1.0], [3.0], duration=1.0, gear_losses=True)
    assert np.isclose(run.qdd[50, 0], 0.8 * (3.0 - 0.1) / (0.5 + 0.1 * 0.8), rtol=1e-12)
    drive = ROD.with_drives({"turn": GEAR}).motor_loads(lp.Motion(run.times, run.q, run.qd, run.qdd))
    assert np.allclose(drive.torque[:, 0] * 100, 3.0, rtol=1e-12)  # the motor's side has its own equations for it


@pytest.mark.parametrize(("torque", "moves"), [(0.02, True), (0.03, False)])
def test_what_holds_a_pendulum_at_rest(torque: float, moves: bool) -> None:
    """m g l = 4.905 N m at the joint; the gear helps the brake: N T / eta holds, with what turning it takes."""
    pendulum = lp.catalog.planar(1).with_drives({"joint1": GEAR})
    run = pendulum.simulate([0.0], duration=0.1, brakes={"joint1": brake(torque, on="motor")}, gear_losses=True)
    assert ((100 * (torque + 0.001)) / 0.6 < 4.905) == moves
    assert (run.q[-1, 0] != 0.0) == moves
    assert run.sticking.all() != moves


def test_static_and_sliding_torque() -> None:
    """A brake that slips has its braking torque, from the moment on at which what it holds exceeds the other."""
    run = ROD.simulate([0.0], [0.0], [[0.0], [4.0]], duration=4.0, torque_times=[0.0, 4.0],
                       brakes={"turn": brake(3.0, braking_torque=1.0, on="joint")})
    moves = run.times[~run.sticking[:, 0]][0]
    assert abs(moves - 3.0) <= 0.0101
    assert np.isclose(run.joint_brake_torques[100, 0], 1.0) and run.joint_brake_torques[-1, 0] == 1.0
    assert np.isclose(run.qdd[-1, 0], (4.0 - 1.0) / 0.5)


def test_brakes_that_engage_one_after_the_other_balance() -> None:
    brakes = {f"joint{k}": brake(1.0, 0.03 * k, braking_torque=0.8) for k in (1, 2, 3)}
    run = ARM.simulate([0.3, 0.2, 0.1], [2, -1, 3], duration=1.0, gear_losses=True, brakes=brakes, rtol=1e-10,
                       sample_rate=5000)
    assert run.energy_drift < 1e-9 and run.sticking[-1].all() and not run.qd[-1].any()
    by_integral = np.trapezoid(run.joint_brake_torques * np.abs(run.qd), run.times, axis=0)
    assert np.allclose(by_integral, run.joint_brake_heat[-1], atol=0.03)
    assert (run.joint_brake_heat[-1] > 0).all() and run.gear_heat[-1] > 0


def test_every_gear_obeys_the_equations_of_the_motors_side() -> None:
    """The torque that `motor_loads` has for the motion that was simulated is that of the brake, with its sign."""
    brakes = {f"joint{k}": brake(0.5) for k in (1, 2, 3)}
    run = ARM.simulate([0.3, 0.2, 0.1], [2, -1, 3], times=[0.0, 0.02, 0.04, 0.06], gear_losses=True, brakes=brakes)
    side = ARM.motor_loads(lp.Motion(run.times, run.q, run.qd, run.qdd))
    moving = ~run.sticking
    assert moving[:3].sum() > 6 and moving[:, 0].all()
    assert np.allclose(side.torque[moving], (-0.5 * np.sign(run.qd))[moving], rtol=1e-9)


def test_a_linkage_with_a_brake_and_a_gear() -> None:
    bar = lp.catalog.four_bar().with_drives({"crank_joint": lp.Drive(ratio=20, rotor_inertia=1e-4, efficiency=0.7)})
    qd, _ = bar.complete(bar.home, {"crank_joint": 10.0})
    run = bar.simulate(bar.home, qd, duration=1.0, gear_losses=True,
                       brakes={"crank_joint": brake(2.0, 0.02, on="motor")})
    assert run.energy_drift < 1e-7 and run.closure.max() < 1e-12 and not run.qd[-1].any()
    assert run.joint_brake_heat[-1, 0] > 0 and run.gear_heat[-1] > 0
    early = run.times < 0.02
    assert (run.joint_brake_heat[early] == 0).all()


def test_a_double_pendulum_against_mujoco() -> None:
    """The same brakes, as frictionloss that is switched on, within one per cent."""
    mujoco = pytest.importorskip("mujoco")
    inertia = lp.Inertia.from_moments(1.0, (0.5, 0, 0), ixx=0.01, iyy=0.1, izz=0.1)
    links = [lp.Link("base"), lp.Link("link1", inertia), lp.Link("link2", inertia)]
    arm = lp.Robot("double", tuple(links), (
        lp.Joint("joint1", "base", "link1", lp.Revolute((0, -1, 0))),
        lp.Joint("joint2", "link1", "link2", lp.Revolute((0, -1, 0)), lp.Pose(translation=(1.0, 0, 0)))))
    model = mujoco.MjModel.from_xml_string(arm.to_mjcf())
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.iterations, model.opt.tolerance = 1e-5, 100, 1e-14
    start, speeds, torques, delays = [0.3, -0.5], [3.0, -4.0], (25.0, 9.0), (0.02, 0.05)
    brakes = {f"joint{k + 1}": brake(torques[k], delays[k], on="joint") for k in range(2)}
    run = arm.simulate(start, speeds, duration=0.5, brakes=brakes)
    data.qpos[:], data.qvel[:] = start, speeds
    model.dof_solref[:] = [2e-4, 1.0]
    model.dof_solimp[:] = [0.9999, 0.9999, 1e-3, 0.5, 2]
    heat = np.zeros(2)
    for _ in range(20_000):
        for k in range(2):
            model.dof_frictionloss[k] = torques[k] if data.time >= delays[k] - 1e-9 else 0.0
        before = data.qvel.copy()
        mujoco.mj_step(model, data)
        heat += model.dof_frictionloss * np.abs(0.5 * (before + data.qvel)) * 1e-5
        if np.abs(data.qvel).max() < 1e-3 and data.time > 0.1:
            break
    moved = run.q[-1] - start
    assert np.allclose(data.qpos - start, moved, rtol=0.01)
    assert np.allclose(heat, run.joint_brake_heat[-1], rtol=0.01)


@pytest.mark.parametrize(("given", "words"), [
    ({"brakes": {"elbow": 1.0}}, "no degree of freedom"),
    ({"brakes": {"turn": -1.0}}, "zero or more"),
    ({"brakes": {"turn": lp.Brake(response_time=0.0, on="joint")}}, "no torque"),
    ({"brakes": {"turn": lp.Brake(holding_torque=1.0, on="joint")}}, "no response_time"),
    ({"brakes": {"turn": brake(1.0)}}, "no ratio is known"),
    ({"brakes": 3.0}, "expected a mapping"),
    ({"gear_losses": 2}, "expected True or False"),
])
def test_what_makes_no_sense_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises((ValueError, lp.ModelError), match=words):
        ROD.simulate([0.0], [1.0], duration=0.1, **given)


def test_what_has_no_such_brakes_says_so() -> None:
    locked = ROD.with_drives({"turn": lp.Drive(ratio=50, efficiency=(0.4, -0.1))})
    with pytest.raises(lp.ModelError, match="locks itself"):
        locked.simulate([0.0], [1.0], duration=0.1, gear_losses=True)
    bent = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    with pytest.raises(TypeError, match="rigid ones"):
        bent.simulate([0.0], duration=0.1, brakes={"joint1": 1.0})
    with pytest.raises(TypeError, match="fixed base"):
        lp.catalog.lau_rover().simulate([0, 0, 0.5], duration=0.1, gear_losses=True)
