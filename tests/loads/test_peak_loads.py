"""Peak loads: against brute force over all states, hand calculations, and the definitions of the catalogues."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadpath as lp
from loadpath.loads.peaks.result import Accumulator
from loadpath.loads.resultants import RESULTANTS
from loadpath.quantities.wrench import COMPONENTS


@pytest.fixture(scope="module")
def panda() -> lp.Robot:
    return lp.catalog.panda().with_payload(2.0, (0, 0, 0.1))


@pytest.fixture(scope="module")
def mixed() -> lp.Robot:
    """A ball joint, a slide, a cylinder and a finger that follows, with friction and rotors."""
    body = lp.Inertia.from_moments(1.5, (0.1, 0.05, 0.2), ixx=0.02, iyy=0.03, izz=0.04)
    drive = {"viscous_friction": 0.3, "coulomb_friction": 0.2, "rotor_inertia": 1e-3, "gear_ratio": 10.0}
    joints = (
        lp.Joint("ball", "base", "a", lp.Spherical(), lp.Pose(translation=(0, 0, 0.3))),
        lp.Joint("slide", "a", "b", lp.Prismatic((0, 1, 1)), lp.Pose(translation=(0.2, 0, 0)), **drive),
        lp.Joint("can", "b", "c", lp.Cylindrical((1, 0, 0)), lp.Pose(translation=(0.1, 0.1, 0))),
        lp.Joint("finger", "c", "d", lp.Revolute((0, 1, 0)), lp.Pose(translation=(0.1, 0, 0)), **drive),
        lp.Joint("thumb", "c", "e", lp.Revolute((0, 0, 1)), mimic=lp.Mimic("finger", -2.0, 0.3), **drive),
        lp.Joint("weld", "e", "f", lp.Fixed(), lp.Pose(translation=(0, 0.1, 0))),
    )
    return lp.Robot("mixed", (lp.Link("base"), *(lp.Link(name, body) for name in "abcdef")), joints)


def random_states(robot: lp.Robot, shape: tuple[int, ...], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = robot.integrate(robot.neutral(), rng.uniform(-1, 1, (*shape, robot.n)))
    return q, rng.uniform(-2, 2, (*shape, robot.n)), rng.uniform(-5, 5, (*shape, robot.n))


def brute(robot: lp.Robot, states: tuple[np.ndarray, ...], **options: object) -> dict[tuple[str, str], np.ndarray]:
    """All quantities of all states, written without the code under test."""
    q, qd, qdd = states
    wrenches = robot.joint_wrenches(q, qd, qdd, **options)
    tau = robot.inverse_dynamics(q, qd, qdd, **options)
    found = {}
    for joint in robot.joints:
        f, m = wrenches[joint.name].force, wrenches[joint.name].torque
        for k, axis in enumerate("xyz"):
            found[joint.name, f"force_{axis}"], found[joint.name, f"torque_{axis}"] = f[..., k], m[..., k]
        found[joint.name, "force"] = np.linalg.norm(f, axis=-1)
        found[joint.name, "torque"] = np.linalg.norm(m, axis=-1)
        if joint.motion.axis_direction() is not None:
            e = np.array(joint.motion.axis_direction())
            found[joint.name, "axial_force"], found[joint.name, "axial_torque"] = f @ e, m @ e
            found[joint.name, "radial_force"] = np.linalg.norm(np.cross(f, e), axis=-1)
            found[joint.name, "tilting_moment"] = np.linalg.norm(np.cross(m, e), axis=-1)
    for k, name in enumerate(robot.dof_names):
        found[name, "drive"], found[name, "speed"], found[name, "acceleration"] = tau[..., k], qd[..., k], qdd[..., k]
        found[name, "power"] = tau[..., k] * qd[..., k]
    return found


def close(a: float, b: float) -> bool:
    return a == pytest.approx(b, rel=1e-9, abs=1e-9)


# Against brute force


@pytest.mark.parametrize(
    "shape", [(5, 4), *(pytest.param(shape, marks=pytest.mark.slow) for shape in ((), (7,), (9001,)))]
)
def test_everything_against_brute_force(mixed: lp.Robot, shape: tuple[int, ...]) -> None:
    states = random_states(mixed, shape)
    push = lp.Wrench(force=np.broadcast_to([0, 0, -20.0], (*shape, 3)) * np.linspace(0, 1, 3), torque=(1, 2, 3))
    base = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    options = {"external": {"d": push}, "base_velocity": base, "base_acceleration": 2 * base}
    peaks = mixed.peak_loads(states, **options)
    expected = brute(mixed, states, **options)
    for (name, quantity), batch in expected.items():
        of, values = peaks[name, quantity], batch.ravel()
        assert close(of.maximum, values.max()) and close(of.minimum, values.min())
        assert close(of.magnitude, np.abs(values).max())
        assert close(of.mean, values.mean()) and close(of.mean_magnitude, np.abs(values).mean())
        assert close(of.rms, math.sqrt((values**2).mean()))
        assert close(of.cubic_mean, (np.abs(values) ** 3).mean() ** (1 / 3))
        assert close(of.peak.value, values[np.abs(values).argmax()])
        for peak, extreme in ((of.highest, values.max()), (of.lowest, values.min())):
            assert close(values[peak.sample], extreme)
            assert peak.time is None
            place = peak.state if shape else ()
            np.testing.assert_array_equal(peak.q, states[0][place])
            if quantity not in ("speed", "acceleration", "power"):
                assert close(sum(part.value for part in peak.top(1000)), peak.value)
    assert peaks.work_done is None


def test_a_motion_weighs_by_time_and_travel(mixed: lp.Robot) -> None:
    rng = np.random.default_rng(3)
    states = random_states(mixed, (301,))
    t = np.cumsum(rng.uniform(0.001, 0.02, 301))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.ModelWarning)  # random states are no motion
        motion = lp.Motion(t, *states, robot=mixed)
    peaks = mixed.peak_loads(motion)
    speed = {"slide": np.abs(states[1][:, 3]), "can": np.abs(states[1][:, 4]), "finger": np.abs(states[1][:, 6]),
             "thumb": 2 * np.abs(states[1][:, 6])}
    for (name, quantity), values in brute(mixed, states).items():
        of = peaks[name, quantity]
        assert close(of.mean, np.trapezoid(values, t) / (t[-1] - t[0]))
        assert close(of.cubic_mean, (np.trapezoid(np.abs(values) ** 3, t) / (t[-1] - t[0])) ** (1 / 3))
        if name in speed and quantity in (*COMPONENTS, *RESULTANTS):
            n = speed[name]
            expected = (np.trapezoid(n * np.abs(values) ** 3, t) / np.trapezoid(n, t)) ** (1 / 3)
            assert close(of.travel_cubic_mean, expected)
        elif name in ("ball", "weld"):
            assert math.isnan(of.travel_cubic_mean)
    tau, qd = mixed.inverse_dynamics(*states), states[1]
    np.testing.assert_allclose(peaks.work_done, np.trapezoid(np.maximum(tau * qd, 0), t, axis=0))
    np.testing.assert_allclose(peaks.work_returned, np.trapezoid(np.minimum(tau * qd, 0), t, axis=0))
    assert peaks["slide", "drive"].peak.time == t[peaks["slide", "drive"].peak.sample]


def test_joints_without_an_axis_have_no_radial_force(mixed: lp.Robot) -> None:
    peaks = mixed.peak_loads(random_states(mixed, (3,)))
    for joint in ("ball", "weld"):
        for quantity in ("axial_force", "radial_force", "axial_torque", "tilting_moment"):
            assert math.isnan(peaks[joint, quantity].maximum)
            with pytest.raises(ValueError, match=f"joint '{joint}' has no single axis"):
                _ = peaks[joint, quantity].peak
        assert peaks[joint, "force"].maximum > 0


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40), st.integers(1, 7))
def test_blocks_make_no_difference(values: list[float], size: int) -> None:
    x = np.array(values)[:, None]
    weight, travel = np.linspace(1, 2, len(x)) / np.linspace(1, 2, len(x)).sum(), np.abs(np.sin(x))
    whole, parts = Accumulator((1,)), Accumulator((1,))
    whole.add(x, weight, 0, travel)
    for k in range(0, len(x), size):
        parts.add(x[k : k + size], weight[k : k + size], k, travel[k : k + size])
    one, other = whole.result(), parts.result()
    assert one.maximum_at == other.maximum_at == int(np.argmax(values))
    assert one.minimum_at == other.minimum_at == int(np.argmin(values))
    for part in ("maximum", "minimum", "mean", "rms", "cubic_mean", "travel_cubic_mean", "magnitude"):
        np.testing.assert_allclose(getattr(one, part), getattr(other, part), rtol=1e-12, atol=1e-12)


# By hand


def test_a_crane_by_hand() -> None:
    """A turntable with a 10 kg mass 0.8 m out and 0.5 m up: bearing loads of statics and of constant turning."""
    mass = lp.Link("mass", lp.Inertia(10.0, (0.8, 0, 0.5)))
    turn = lp.Joint("turn", "ground", "mass", lp.Revolute((0, 0, 1)))
    crane = lp.Robot("crane", (lp.Link("ground"), mass), (turn,))
    t = np.linspace(0, 2, 201)
    qd = np.full((201, 1), 3.0)
    peaks = crane.peak_loads(lp.Motion(t, 3.0 * t[:, None], qd, 0 * qd, robot=crane))
    assert close(peaks["turn", "axial_force"].maximum, 98.1)
    assert close(peaks["turn", "radial_force"].maximum, 10 * 0.8 * 9)  # m r w^2
    assert close(peaks["turn", "tilting_moment"].maximum, 98.1 * 0.8 + 72 * 0.5)  # both tilt outwards
    assert close(peaks["turn", "radial_force"].cubic_mean, 72.0)
    assert close(peaks["turn", "radial_force"].travel_cubic_mean, 72.0)
    assert peaks["turn", "drive"].magnitude < 1e-9
    (part,) = peaks["turn", "radial_force"].peak.top(1)
    assert part.cause == "centrifugal turn"
    assert close(part.value, 72.0)


def test_a_gearbox_by_hand() -> None:
    """A duty cycle of the gearbox catalogues: start, run, brake, each at constant torque."""
    flywheel = lp.Link("wheel", lp.Inertia.from_moments(1.0, izz=2.0, ixx=2.0, iyy=2.0))
    turn = lp.Joint("turn", "ground", "wheel", lp.Revolute((0, 0, 1)), coulomb_friction=5.0)
    robot = lp.Robot("wheel", (lp.Link("ground"), flywheel), (turn,))
    motion = lp.Motion.through(
        robot, [[0.0], [30.0]], velocity=10.0, acceleration=20.0, profile="trapezoidal", rate=9000
    )
    peaks = robot.peak_loads(motion)
    # 0.5 s with 45 N m at 5 rad/s on average, 2.5 s with 5 N m at 10 rad/s, 0.5 s with -35 N m at 5 rad/s
    assert motion.duration == pytest.approx(3.5)
    torque, time, n = np.array([45, 5, 35]), np.array([0.5, 2.5, 0.5]), np.array([5, 10, 5])
    drive = peaks["turn", "drive"]
    assert drive.maximum == pytest.approx(45)
    assert drive.minimum == pytest.approx(-40)  # the last sample is at rest, where friction does not help to brake
    assert drive.lowest.time == motion.duration
    assert drive.rms == pytest.approx(math.sqrt((torque**2 * time).sum() / 3.5), rel=2e-3)
    assert drive.cubic_mean == pytest.approx(((torque**3 * time).sum() / 3.5) ** (1 / 3), rel=2e-3)
    average = ((n * time * torque**3).sum() / (n * time).sum()) ** (1 / 3)
    assert drive.travel_cubic_mean == pytest.approx(average, rel=2e-3)
    assert peaks["turn", "speed"].mean_magnitude == pytest.approx((n * time).sum() / 3.5, rel=1e-3)
    assert peaks["turn", "power"].maximum == pytest.approx(450, rel=1e-2)
    # Kinetic energy 0.5 * 2 * 10^2 = 100 J, friction 5 N m: 5 N m * 30 rad = 150 J in all.
    assert peaks.work_done is not None and peaks.work_returned is not None
    assert peaks.work_done[0] + peaks.work_returned[0] == pytest.approx(150, rel=2e-3)
    assert peaks.work_returned[0] == pytest.approx(-35 * 2.5, rel=5e-3)
    roller = robot.peak_loads(motion, life_exponent=10 / 3)["turn", "drive"]
    assert roller.cubic_mean == pytest.approx(((torque ** (10 / 3) * time).sum() / 3.5) ** 0.3, rel=2e-3)
    by_travel = ((n * time * torque ** (10 / 3)).sum() / (n * time).sum()) ** 0.3
    assert roller.travel_cubic_mean == pytest.approx(by_travel, rel=2e-3)


def test_causes_of_a_peak_sum_to_it_and_name_the_payload(panda: lp.Robot) -> None:
    motion = lp.Motion.swing(panda)
    peaks = panda.peak_loads(motion)
    for joint in panda.joint_names:
        for quantity in ("force", "torque", "torque_z", "force_x"):
            peak = peaks[joint, quantity].peak
            wrench = panda.joint_wrenches(motion.q[peak.sample], motion.qd[peak.sample], motion.qdd[peak.sample])[joint]
            direct = {"force": np.linalg.norm(wrench.force), "torque": np.linalg.norm(wrench.torque),
                      "torque_z": wrench.torque[2], "force_x": wrench.force[0]}
            assert close(peak.value, direct[quantity])
            assert close(sum(part.value for part in peak.top(1000)), peak.value)
    assert "gravity payload" in [part.cause for part in peaks["panda_joint4", "drive"].peak.top(3)]


# Forms of the result


def test_table_and_dataframe(panda: lp.Robot) -> None:
    peaks = panda.peak_loads(lp.Motion.swing(panda))
    text = peaks.to_table()
    assert max(len(line) for line in text.splitlines()) <= 110
    assert text.count("panda_joint3") == 3
    frame = peaks.to_dataframe().set_index(["name", "quantity"])
    row = frame.loc[("panda_joint2", "tilting_moment")]
    assert row["maximum"] == peaks["panda_joint2", "tilting_moment"].maximum
    assert row["maximum_time"] == peaks["panda_joint2", "tilting_moment"].highest.time
    assert frame.loc[("panda_joint2", "drive"), "unit"] == "N m"
    assert ("panda_joint8", "radial_force") not in frame.index  # a weld
    assert repr(peaks) == "<peak loads of 'panda' over 1.2931 s: 9 joints, 7 drives>"
    assert repr(peaks["panda_joint2", "drive"]).startswith("<'panda_joint2', drive: ")


def test_names_from_files_are_no_markup() -> None:
    odd = lp.Joint("[red]joint[/red]", "a", "b", lp.Revolute())
    robot = lp.Robot("odd", (lp.Link("a"), lp.Link("b", lp.Inertia(1.0, (1, 0, 0)))), (odd,))
    assert "[red]joint[/red]" in robot.peak_loads(([0.0], [1.0], [0.0])).to_table()


# What is refused and told


def test_calls_that_make_no_sense_of_peaks(panda: lp.Robot) -> None:
    peaks = panda.peak_loads(([0.0] * 7, [0.0] * 7, [0.0] * 7))
    for key, message in (
        (("joint2", "drive"), "no degree of freedom 'joint2'; there are panda_joint1"),
        (("panda_joint2", "shear"), "no quantity 'shear'; there are force_x"),
        (("panda_link2", "force"), "no joint 'panda_link2'"),
        ("panda_joint2", "two names, like"),
        ((0, 1), "two names, like"),
    ):
        with pytest.raises(ValueError, match=message):
            peaks[key]
    with pytest.raises(ValueError, match="no load with causes"):
        peaks["panda_joint2", "speed"].peak.top()
    for states, message in (
        ((np.zeros(6), np.zeros(7), np.zeros(7)), r"'q' has the shape \(6,\): expected \(..., 7\)"),
        ((np.zeros((4, 7)), np.zeros((3, 7)), np.zeros(7)), "batch shapes do not go together"),
        ((np.zeros((0, 7)), np.zeros(7), np.zeros(7)), "no states"),
        (np.zeros(7), "expected as a Motion, a simulation, or three arrays"),
        (lp.Motion.swing(lp.catalog.puma560()), "the motion is of robot 'puma560' with joint1"),
    ):
        with pytest.raises(ValueError, match=message):
            panda.peak_loads(states)
    bad = np.zeros((5, 7))
    bad[3, 2] = np.nan
    with pytest.warns(lp.ModelWarning, match=r"1 of 5 states is not a number \(3\): left out"):
        panda.peak_loads((bad, np.zeros(7), np.zeros(7)))
    with pytest.raises(ValueError, match="life_exponent is 0"):
        panda.peak_loads((np.zeros(7), np.zeros(7), np.zeros(7)), life_exponent=0)


def test_effort_beyond_the_limit_is_told_with_joint_and_sample(panda: lp.Robot) -> None:
    motion = lp.Motion.swing(panda).scaled(speed=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        panda.peak_loads(motion)
    heavy = panda.without_payload().with_payload(30.0)
    with pytest.warns(
        lp.ModelWarning, match=r"drive of joint 'panda_joint\d' would have to give .* N m at sample \d+ \(t"
    ):
        heavy.peak_loads(motion)


def test_a_motion_without_a_robot_is_checked_against_this_one(panda: lp.Robot) -> None:
    motion = lp.Motion.swing(panda)
    with pytest.warns(lp.ModelWarning, match="joint 'panda_joint4' is at .*outside its limits"):
        panda.peak_loads(lp.Motion(motion.t, -motion.q, -motion.qd, -motion.qdd))


def test_a_mast_that_cannot_move() -> None:
    mast = lp.Robot(
        "mast", (lp.Link("a"), lp.Link("b", lp.Inertia(2.0, (1, 0, 0)))), (lp.Joint("w", "a", "b", lp.Fixed()),)
    )
    peaks = mast.peak_loads(lp.Motion([0, 1], np.zeros((2, 0)), robot=mast))
    assert close(peaks["w", "torque"].maximum, 19.62)
    assert "Drives" not in peaks.to_table()


@pytest.mark.parametrize("seed", range(2))
def test_causes_sum_to_the_peaks_of_random_trees(seed: int) -> None:
    robot = lp.catalog.random_tree(5, seed=seed)
    peaks = robot.peak_loads(random_states(robot, (6,), seed))
    for joint in robot.joint_names:
        for quantity in (
            "force",
            "torque_x",
            *(("tilting_moment",) if robot.joint(joint).motion.axis_direction() else ()),
        ):
            peak = peaks[joint, quantity].peak
            assert sum(part.value for part in peak.top(10_000)) == pytest.approx(peak.value, rel=1e-9)
    for dof in robot.dof_names:
        peak = peaks[dof, "drive"].peak
        assert sum(part.value for part in peak.top(10_000)) == pytest.approx(peak.value, rel=1e-9)


def test_a_motion_of_one_sample_has_means_too() -> None:
    arm = lp.catalog.planar(2)
    *_, last = lp.Motion.swing(arm, 11).blocks(10)
    assert len(last) == 1
    peaks = arm.peak_loads(last)
    assert peaks.drive.rms == pytest.approx(np.abs(arm.inverse_dynamics(last.q, last.qd, last.qdd)[0]))
    assert peaks.duration == 0.0 and peaks.work_done.tolist() == [0.0, 0.0]
