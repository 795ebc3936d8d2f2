"""Stops of category 0, 1 and 2: by hand, by the balance of energy, against MuJoCo, and against `robot.fastest`."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import loadpath as lp

ROD = lp.Robot("rod", (lp.Link("base"), lp.Link("rod", lp.Inertia.from_moments(1.0, iyy=0.5, izz=0.5))),
               (lp.Joint("turn", "base", "rod", lp.Revolute((0, 0, 1))),))
RAIL = lp.Robot("rail", (lp.Link("base"), lp.Link("cart", lp.Inertia(4.0))),
                (lp.Joint("slide", "base", "cart", lp.Prismatic((1, 0, 0))),))
GEARED = lp.Drive(ratio=100, rotor_inertia=1e-4, efficiency=(0.8, 0.6), no_load_torque=0.001,
                  friction=lp.Friction(viscous=0.3, coulomb=1.0))
BRAKES = {"joint1": 60.0, "joint2": 30.0}


def steady(speed: float) -> lp.Motion:
    return lp.Motion([0.0, 1.0], [[0.0], [speed]], [[speed], [speed]], [[0.0], [0.0]])


def swing(arm: lp.Robot, duration: float = 1.0) -> lp.Motion:
    return lp.Motion.swing(arm, 51, duration)


def test_a_flywheel_by_hand() -> None:
    """It turns on for the delay, then w I / T, w^2 I / 2T; its energy is the heat."""
    found = ROD.stop(steady(8.0), at=0.25, brakes={"turn": lp.Brake(holding_torque=2.0, response_time=0.5, on="joint")})
    assert np.isclose(found.time, 0.5 + 2.0, rtol=1e-9)
    assert np.isclose(found.moved[0], 8.0 * 0.5 + 16.0 / 2.0, rtol=1e-12)
    assert np.isclose(found.travelled[0], found.moved[0], rtol=1e-12)
    assert np.allclose(found.heat, 16.0, rtol=1e-12)
    assert np.isclose(found.motion.q[0, 0], 2.0) and found.simulation is not None
    assert found.simulation.energy_drift < 1e-12 and not found.motion.qd[-1].any()
    assert np.isclose(found.peaks["turn", "drive"].magnitude, 2.0)


def test_a_slide_by_hand() -> None:
    found = RAIL.stop(steady(2.0), at=0.1, brakes={"slide": 20.0}, delay={"slide": 0.05})
    assert np.isclose(found.time, 0.05 + 2.0 * 4.0 / 20.0, rtol=1e-9)
    assert np.isclose(found.tip_distance, 2.0 * 0.05 + 0.5 * 4.0 * 4.0 / 20.0, rtol=1e-9)
    assert np.allclose(found.heat, 8.0, rtol=1e-12) and found.tip == "cart"


def test_a_delay_takes_the_place_of_response_times() -> None:
    brake = lp.Brake(holding_torque=20.0, response_time=0.5, on="joint")
    assert np.isclose(RAIL.stop(steady(2.0), at=0.1, brakes={"slide": brake}, delay="10 ms").time, 0.41, rtol=1e-9)
    both = RAIL.stop(steady(2.0), at=0.1, brakes={"slide": [10.0, lp.Brake(holding_torque=10.0, on="joint")]}, delay=0)
    assert np.isclose(both.time, 0.4, rtol=1e-9) and len(both.heat) == 2 and np.isclose(both.heat.sum(), 8.0)


def test_geared_arm_balances() -> None:
    """With gravity, friction, gears that lose and brakes that grip one after the other."""
    arm = lp.catalog.planar(2).with_drives({"joint1": GEARED, "joint2": GEARED})
    arm = arm.with_parts({name: [lp.Brake(holding_torque=1.0, braking_torque=0.8, response_time=delay)]
                          for name, delay in (("joint1", 0.02), ("joint2", 0.05))})
    found = arm.stop(swing(arm), at=0.5)
    run = found.simulation
    assert run is not None and run.energy_drift < 1e-9 and (found.heat > 0).all() and run.gear_heat[-1] > 0
    assert run.sticking[-1].all() and found.brake_names == ("joint1", "joint2")
    before = run.times < found.time
    assert np.abs(run.qd[before]).max(axis=1).min() > 0 and not run.qd[~before][-1].any()
    without = arm.stop(swing(arm), at=0.5, gear_losses=False)
    assert without.time > found.time


def test_a_double_pendulum_against_mujoco() -> None:
    """The same brakes as frictionloss that is switched on: angles, time and heat within one per cent."""
    mujoco = pytest.importorskip("mujoco")
    inertia = lp.Inertia.from_moments(1.0, (0.5, 0, 0), ixx=0.01, iyy=0.1, izz=0.1)
    arm = lp.Robot("double", (lp.Link("base"), lp.Link("link1", inertia), lp.Link("link2", inertia)), (
        lp.Joint("joint1", "base", "link1", lp.Revolute((0, -1, 0))),
        lp.Joint("joint2", "link1", "link2", lp.Revolute((0, -1, 0)), lp.Pose(translation=(1.0, 0, 0)))))
    motion = lp.Motion.through(arm, [[0.0, -1.0], [1.2, 1.0]], times=[0.0, 0.6])
    torques, delays = (25.0, 9.0), (0.02, 0.05)
    found = arm.stop(motion, at=0.3, brakes=dict(zip(arm.dof_names, torques, strict=True)),
                     delay=dict(zip(arm.dof_names, delays, strict=True)))
    model = mujoco.MjModel.from_xml_string(arm.to_mjcf())
    data = mujoco.MjData(model)
    model.opt.timestep, model.opt.iterations, model.opt.tolerance = 1e-5, 100, 1e-14
    model.dof_solref[:] = [2e-4, 1.0]
    model.dof_solimp[:] = [0.9999, 0.9999, 1e-3, 0.5, 2]
    data.qpos[:], data.qvel[:] = found.motion.q[0], found.motion.qd[0]
    heat = np.zeros(2)
    while data.time < 0.06 or np.abs(data.qvel).max() > 1e-3:
        model.dof_frictionloss[:] = np.where(data.time >= np.array(delays) - 1e-9, torques, 0.0)
        before = data.qvel.copy()
        mujoco.mj_step(model, data)
        heat += model.dof_frictionloss * np.abs(0.5 * (before + data.qvel)) * 1e-5
    assert np.allclose(data.qpos - found.motion.q[0], found.moved, rtol=0.01)
    assert np.isclose(data.time, found.time, rtol=0.01)
    assert np.allclose(heat, found.heat, rtol=0.01)


def test_braking_by_hand() -> None:
    """Along a straight path: v m / F, v^2 m / 2F. The power is off at rest, where the brake has nothing to do."""
    found = RAIL.stop(steady(2.0), at=0.25, category=1, brakes={"slide": 20.0}, limits={"torque": 40.0})
    assert np.isclose(found.time, 0.2, rtol=1e-5) and np.isclose(found.moved[0], 0.2, rtol=1e-5)
    assert not found.heat.any() and found.braking is not None and found.braking.certificate < 1.0001
    slower = RAIL.stop(steady(2.0), at=0.25, category=2, limits={"torque": 40.0}, factor=0.5)
    assert np.isclose(slower.time, 0.4, rtol=1e-5) and slower.simulation is None and not len(slower.heat)


def test_braking_of_a_pendulum_against_its_equation() -> None:
    """I w' = -T - G cos q, integrated by SciPy until it rests; then the drive holds G cos q."""
    arm = lp.catalog.planar(1)
    motion = lp.Motion.through(arm, [[-1.0], [2.0]], times=[0.0, 1.0])
    found = arm.stop(motion, at=0.4, category=2, limits={"torque": 12.0, "speed": False})
    begin = motion.at(0.4)

    def rate(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (-12.0 - 4.905 * np.cos(y[0])) / (1 / 3)]

    def rests(t: float, y: np.ndarray) -> float:
        return float(y[1])

    rests.terminal = True  # type: ignore[attr-defined]
    own = solve_ivp(rate, (0, 5), [begin.q[0, 0], begin.qd[0, 0]], events=rests, rtol=1e-11, atol=1e-12)
    assert np.isclose(found.time, own.t[-1], rtol=1e-4)
    assert np.isclose(found.moved[0], own.y[0, -1] - begin.q[0, 0], rtol=1e-4)
    assert np.isclose(arm.inverse_dynamics(found.motion)[-1, 0], 4.905 * np.cos(found.motion.q[-1, 0]), rtol=1e-9)


def test_braking_of_an_arm_is_the_shortest_way_of_the_fastest() -> None:
    """A limit is used up all the way, and on a path that is shorter by a thousandth there is no motion to rest."""
    arm, limits = lp.catalog.planar(2), {"torque": [60.0, 25.0]}
    motion = swing(arm)
    found = arm.stop(motion, at=0.4, category=2, limits=limits)
    assert found.braking is not None and found.braking.certificate < 1.0001
    assert np.mean(found.braking.utilisation.max(axis=1) > 0.999) > 0.99
    rest = motion.between(0.4)
    speed = float(np.linalg.norm(rest.qd[0]))
    path = lp.Path.of(rest)
    length = float(found.braking.path.breaks[-1] - path.breaks[0])

    def on(share: float) -> lp.Fastest:
        end = path.breaks[0] + share * length
        k = int(np.searchsorted(path.breaks, end))
        short = lp.Path(np.append(path.breaks[:k], end), path.coefficients[:, :k], {})
        return arm.fastest(short, limits, start=speed, end="rest")

    with pytest.raises(lp.NoMotionError):
        on(0.999)
    assert np.isclose(on(1.0001).duration, found.time, rtol=5e-3)
    assert found.time < motion.t[-1] - 0.4


def test_category_1_sags_until_its_brakes_grip() -> None:
    arm = lp.catalog.planar(2)
    held = arm.stop(swing(arm), at=0.5, category=1, brakes=BRAKES, limits={"torque": [60.0, 25.0]})
    sags = arm.stop(swing(arm), at=0.5, category=1, brakes=BRAKES, limits={"torque": [60.0, 25.0]}, delay=0.05,
                    hold=False)
    waits = arm.stop(swing(arm), at=0.5, category=1, brakes=BRAKES, limits={"torque": [60.0, 25.0]}, delay=0.05)
    assert np.isclose(waits.time, held.time) and not waits.heat.any() and held.sag < 1e-9
    assert np.isclose(waits.sag, sags.sag) and np.isclose(waits.tip_distance + sags.sag, sags.tip_distance, rtol=1e-4)
    assert f"sag {1000 * waits.sag:.3g} mm" in waits.to_table()
    assert held.braking is not None and np.isclose(held.time, held.braking.duration) and not held.heat.any()
    assert sags.time > held.time + 0.05 and (sags.heat > 0).any()
    assert sags.simulation is not None and sags.simulation.energy_drift < 1e-9
    assert "sags" in " ".join(sags.notes)


def test_the_worst_instant_is_the_worst() -> None:
    arm = lp.catalog.planar(2)
    motion = lp.Motion.swing(arm, 9, 1.0)
    for by in ("distance", "time", "heat"):
        worst = arm.stop(motion, "worst", brakes=BRAKES, delay=0.02, by=by)
        each = [arm.stop(motion, t, brakes=BRAKES, delay=0.02) for t in motion.t.tolist()]
        sizes = {"distance": [one.tip_distance for one in each], "time": [one.time for one in each],
                 "heat": [one.heat.sum() for one in each]}[by]
        assert worst.at == motion.t[int(np.argmax(sizes))] and worst.by == by
        assert np.allclose(worst.sizes, sizes, rtol=0.01, atol=1e-4)
    two = arm.stop(motion, motion.t[[1, 4]], brakes=BRAKES)
    assert two.at == motion.t[4] and two.instants.tolist() == motion.t[[1, 4]].tolist()


def test_peaks_causes_and_checks_of_the_stop() -> None:
    """A joint with one freedom: the gear bears what slows the rod, T N / eta, and its momentary limit is asked."""
    gear = lp.StrainWaveGear(ratio=100, average_torque=2.0, peak_torque=3.0, momentary_torque=50.0, rated_torque=1.0,
                             rated_speed=200.0, rated_life=1e4, stiffness=1e4)
    drive = lp.Drive(ratio=100, rotor_inertia=1e-5, efficiency=(1.0, 0.8))
    rod = ROD.without_friction().with_gravity((0, 0, 0)).with_drives({"turn": drive})
    rod = rod.with_parts({"turn": [gear, lp.Brake(holding_torque=0.3, response_time=0.0)]})
    found = rod.stop(steady(2.0), at=0.5, elastic=False)
    slowing = 30.0 / 0.8 / (0.5 + 0.1 / 0.8)
    assert np.isclose(found.gear_torques["turn"], 0.5 * slowing, rtol=1e-9)
    (row,) = [row for row in found.checks if "torque" in row.check]
    assert row.check == "momentary peak torque" and np.isclose(row.demand, 0.5 * slowing, rtol=1e-9)
    assert np.isclose(row.utilisation, 0.5 * slowing / 50.0)
    assert not any("life" in row.check or "average" in row.check for row in found.checks)
    assert "twice as large" in " ".join(found.notes) and not found.elastic_factors
    top = found.peaks["turn", "drive"].peak.top(2)
    assert np.isclose(abs(sum(part.value for part in top)), 0.6 * slowing)
    assert ROD.stop(steady(2.0), at=0.5, brakes={"turn": 5.0}).checks == ()


def test_a_linkage_and_a_tree() -> None:
    bar = lp.catalog.four_bar()
    qd, _ = bar.complete(bar.home, {"crank_joint": 10.0})
    turn = bar.simulate(bar.home, qd, duration=0.4)
    found = bar.stop(turn, at=0.1, brakes={"crank_joint": 5.0}, delay=0.02)
    assert found.simulation is not None and found.simulation.energy_drift < 1e-8
    assert found.simulation.closure.max() < 1e-12 and found.heat[0] > 0
    braked = bar.stop(turn, at=0.1, category=2, limits={"torque": 8.0})
    assert braked.braking is not None and np.mean(braked.braking.utilisation > 0.999) > 0.99
    assert np.allclose(bar.closure(braked.motion.q[-1]), 0, atol=1e-9) and "coupler_joint" in braked.to_table()
    tree = lp.catalog.random_tree(4, seed=1)
    found = tree.stop(lp.Motion.swing(tree, 21, 1.0), at=0.5, brakes=dict.fromkeys(tree.dof_names, 200.0))
    assert found.simulation is not None and found.simulation.energy_drift < 1e-9
    ways = {link: tree.stop(lp.Motion.swing(tree, 21, 1.0), at=0.5, link=link, brakes=dict.fromkeys(
        tree.dof_names, 200.0)).tip_distance for link in tree.link_names[1:]}
    assert found.tip_distance >= max(way for link, way in ways.items() if not any(
        joint.parent == link for joint in tree.joints)) * (1 - 1e-12)


def test_a_parallel_robot_whose_rods_have_balls() -> None:
    """The path is of its independent joints, from the assembly mode of the motion on; its drives are at their limit."""
    robot = lp.catalog.delta()
    found = robot.stop(lp.Motion.swing(robot, 21, 1.0), at=0.5, category=2, limits={"torque": 30.0})
    assert found.braking is not None and found.braking.certificate < 1.0001
    assert np.isclose(np.abs(robot.inverse_dynamics(found.braking.motion)).max(), 30.0, rtol=1e-5)
    assert np.abs(robot.closure(found.motion.q)).max() < 1e-9


def test_edited_robots() -> None:
    """A payload takes longer to stop; a held joint is as if it were not there; mimics go along."""
    arm = lp.catalog.planar(2)
    plain = arm.stop(swing(arm), at=0.5, brakes=BRAKES)
    loaded = arm.with_payload(3.0)
    assert loaded.stop(swing(arm), at=0.5, brakes=BRAKES).tip_distance > plain.tip_distance
    held = arm.locked({"joint2": 0.3})
    found = held.stop(swing(held), at=0.5, brakes={"joint1": 60.0})
    assert found.simulation is not None and found.simulation.energy_drift < 1e-9


def test_results_are_shown() -> None:
    arm = lp.catalog.planar(2)
    found = arm.stop(swing(arm), brakes=BRAKES)
    assert "category 0" in repr(found) and "largest distance of 51 instants" in found.to_table()
    assert "<table" in found._repr_html_() and len(found.plot().data) > 3
    held = arm.stop(swing(arm), at=0.5, category=2, limits={"torque": 100.0})
    assert len(held.plot().data) > 2 and "J" in held.to_table()
    at_rest = arm.stop(swing(arm), at=0.0, category=2, limits={"torque": 100.0})
    assert at_rest.time == 0 and at_rest.braking is None and not at_rest.travelled.any()


@pytest.mark.parametrize(("given", "words"), [
    ({}, "has no brakes"),
    ({"brakes": {"slid": 3.0}}, "did you mean 'slide'"),
    ({"brakes": {"slide": -3.0}}, "zero or more"),
    ({"brakes": {"slide": lp.Brake(holding_torque=3.0, on="joint")}}, "no response_time"),
    ({"brakes": 3.0}, "expected a mapping"),
    ({"brakes": {"slide": 0.0}}, r"does not come to rest within 10 s .* 'slide' \(2 of m/s\) still moves"),
    ({"brakes": {"slide": 20.0}, "at": 1.5}, "1.5 s is outside the motion, 0 to 1 s"),
    ({"brakes": {"slide": 20.0}, "at": float("nan")}, "finite"),
    ({"brakes": {"slide": 20.0}, "at": []}, "one row of instants"),
    ({"brakes": {"slide": 20.0}, "at": "soon"}, "'soon'"),
    ({"brakes": {"slide": 20.0}, "category": 3}, "expected 0"),
    ({"brakes": {"slide": 20.0}, "delay": -1.0}, "delay of the brake of 'slide'"),
    ({"brakes": {"slide": 20.0}, "delay": {"x": 1.0}}, "'x'"),
    ({"brakes": {"slide": 20.0}, "delay": 20.0}, "'longest' is 10 s"),
    ({"brakes": {"slide": 20.0}, "by": "speed"}, "by is 'speed'"),
    ({"brakes": {"slide": 20.0}, "link": "hand"}, "hand"),
    ({"brakes": {"slide": 20.0}, "category": 2}, "takes no brakes"),
    ({"category": 2, "by": "heat"}, "no heat"),
    ({"category": 2}, "nothing limits"),
    ({"category": 2, "limits": {"torque": 1.0}}, "cannot brake to rest along the rest of its path"),
    ({"category": 2, "limits": {"torque": 1.0}, "at": 1.0}, "no path is left"),
])
def test_what_makes_no_sense_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises((ValueError, lp.ModelError), match=words):
        RAIL.stop(steady(2.0), **{"at": 0.5, **given})


def test_what_has_no_stop_says_so() -> None:
    arm = lp.catalog.planar(2)
    with pytest.raises(lp.ModelError, match=r"'joint2' .* still moves"):
        arm.stop(swing(arm), at=0.5, brakes={"joint1": 100.0}, longest=2.0)
    with pytest.raises(lp.ModelError, match=r"at t = 0 s of the motion"):
        arm.stop(swing(arm), brakes={"joint1": 100.0}, longest=2.0)
    with pytest.raises(ValueError, match="has 1 coordinates"):
        arm.stop(steady(1.0), brakes=BRAKES)
    with pytest.raises(TypeError, match=r"expected an lp\.Motion"):
        arm.stop(np.zeros((3, 2)), brakes=BRAKES)
    with pytest.raises(ValueError, match="not finite"):
        arm.stop(lp.Motion.from_checked(np.array([0.0, 1.0]), np.full((2, 2), np.nan), np.zeros((2, 2)),
                                        np.zeros((2, 2)), None), brakes=BRAKES)
    bent = lp.catalog.planar(1).with_beams(joint_compliance={"joint1": lp.JointCompliance(drive=1e4)})
    with pytest.raises(lp.ModelError, match="without_beams"):
        bent.stop(steady(1.0), at=0.1, brakes={"joint1": 5.0})
    with pytest.raises(lp.ModelError, match=r"rover\.on_fixed_base\.stop"):
        lp.catalog.lau_rover().stop(steady(1.0))


def test_power_fails_without_brakes_until_the_end_of_a_range() -> None:
    """A rod falls from rest at the horizontal: I w^2 / 2 = m g l (sin q0 - sin q1) / 2; a slide coasts to its end."""
    arm = lp.catalog.planar(1)
    joint = arm.joints[0]
    arm = dataclasses.replace(arm, joints=(dataclasses.replace(joint, limits=(lp.Limits(lower=-1.0, upper=3.0),)),
                                           *arm.joints[1:]))
    still = lp.Motion([0.0, 1.0], [[0.2], [0.2]], [[0.0], [0.0]], [[0.0], [0.0]])
    fall = arm.stop(still, at=0.5, brakes={})
    assert fall.end_stop is not None and fall.end_stop.joint == "joint1"
    assert np.isclose(fall.end_stop.position, -1.0, rtol=1e-12)
    energy = 9.81 * 0.5 * (np.sin(0.2) + np.sin(1.0))
    assert np.isclose(fall.end_stop.energy, energy, rtol=1e-9)
    assert np.isclose(fall.end_stop.speed, -np.sqrt(6 * energy), rtol=1e-9) and len(fall.heat) == 0
    assert "end of its range" in fall.to_table() and fall.moved[0] == pytest.approx(-1.2)
    slow = arm.stop(still, at=0.5, brakes={"joint1": 30.0}, delay=0.1)
    assert slow.end_stop is None and slow.time > 0.1 and slow.heat[0] > 0
    late = arm.stop(still, at=0.5, brakes={"joint1": 30.0}, delay=5.0)
    assert late.end_stop is not None and np.isclose(late.time, fall.time, rtol=1e-9)
    worst = arm.stop(still, [0.1, 0.5], brakes={})
    assert worst.by == "distance" and worst.end_stop is not None
    with pytest.raises(lp.ModelError, match="does not come to rest"):
        lp.catalog.planar(1).stop(still, at=0.5, brakes={}, longest=1.0)


def test_loads_from_outside() -> None:
    """A push along a slide helps or hinders its brake; it is among the causes; braking along a path has none."""
    push = {"cart": lp.Wrench(force=(5.0, 0.0, 0.0))}
    found = RAIL.stop(steady(2.0), at=0.1, brakes={"slide": 25.0}, external=push)
    assert np.isclose(found.time, 2.0 * 4.0 / 20.0, rtol=1e-9) and np.isclose(found.heat[0], 25.0 * 0.4, rtol=1e-9)
    assert np.isclose(found.peaks["slide", "drive"].magnitude, 25.0, rtol=1e-6)
    with pytest.raises(lp.ModelError, match=r"outside \(on 'cart'\) and category=2 do not go together"):
        RAIL.stop(steady(2.0), at=0.1, category=2, external=push)
    with pytest.raises(ValueError, match="same all the time"):
        RAIL.stop(steady(2.0), at=0.1, brakes={"slide": 25.0}, external={"cart": lp.Wrench(force=np.zeros((3, 3)))})


def test_brakes_on_the_joint_that_are_given_as_numbers_are_told() -> None:
    assert "brakes on the joint's side" in RAIL.stop(steady(2.0), at=0.1, brakes={"slide": 25.0}).to_table()
