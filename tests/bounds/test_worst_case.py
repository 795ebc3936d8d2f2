"""The largest load over a box of states: by hand, against samples, and what is no box."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import loadpath as lp
from loadpath.bounds import search as module
from loadpath.bounds.asked import asked_of
from loadpath.bounds.enclosures import BySeries
from loadpath.bounds.expansion import expanded
from loadpath.bounds.nested import nested
from loadpath.bounds.search import search

G = 9.81


def test_two_rods_by_hand() -> None:
    """Both level: m g (l / 2 + 3 l / 2)."""
    arm = lp.catalog.planar(2)
    found = arm.worst_case("joint1", "drive", over={"q": (-math.pi, math.pi), "qd": 0})
    assert found.certified
    assert found.value == pytest.approx(2 * G)
    assert 2 * G <= found.bound <= 2 * G * 1.001
    assert np.abs(np.cos(found.q[0])) == pytest.approx(1.0)
    raised = arm.worst_case(("joint1", "drive"), over={"q": {"joint1": (0.5, 1.0), "joint2": 0.0}, "qd": 0})
    assert raised.value == pytest.approx(2 * G * math.cos(0.5))
    assert raised.q.tolist() == [0.5, 0.0]


def test_a_rod_that_swings_by_hand() -> None:
    """Hanging: m (g + l / 2 w^2); level: m g l / 2 + m l^2 / 3 a, and friction against the speed."""
    rod = lp.catalog.planar(1)
    hanging = rod.worst_case("joint1", "radial_force", over=lp.Box(qd=(-3, 3)))
    assert hanging.certified
    assert hanging.value == pytest.approx(G + 4.5)
    assert hanging.q[0] == pytest.approx(-math.pi / 2, abs=1e-3)
    box = lp.Box(qd=(-2, 3), qdd=(-7, 5))
    driven = rod.with_drives({"joint1": lp.Drive(friction=lp.Friction(viscous=0.4, coulomb=1.5))})
    most = driven.worst_case("joint1", "drive", over=box, sense="max")
    assert most.certified
    assert most.value == pytest.approx(G / 2 + 5 / 3 + 0.4 * 3 + 1.5)
    least = driven.worst_case("joint1", "drive", over=box, sense="min")
    assert least.certified
    assert least.value == pytest.approx(-G / 2 - 7 / 3 - 0.4 * 2 - 1.5)
    assert least.bound <= least.value


def test_three_rods_bound_optimum_and_samples() -> None:
    arm, box = lp.catalog.planar(3), lp.Box(qd=(-2, 2), qdd=(-5, 5))
    found = arm.worst_case("joint1", "drive", over=box)
    assert found.certified
    assert found.bound >= found.value > found.largest_sample
    assert arm.inverse_dynamics(*found.state)[0] == pytest.approx(found.value * np.sign(found.value), abs=1e-9) or (
        arm.inverse_dynamics(*found.state)[0] == pytest.approx(-found.value))
    low, high = box.of(arm)
    x = np.random.default_rng(3).uniform(low, high, (200_000, 9))
    assert np.abs(arm.inverse_dynamics(x[:, :3], x[:, 3:6], x[:, 6:])[:, 0]).max() <= found.bound


@pytest.mark.parametrize("quantity", ["drive", "tilting_moment", "force"])
def test_a_puma_at_rest(quantity: str) -> None:
    puma = lp.catalog.puma560()
    found = puma.worst_case("joint2", quantity, over={"qd": 0}, seconds=120)
    assert found.certified
    q = np.random.default_rng(5).uniform(*lp.Box(qd=0).of(puma), (50_000, 18))[:, :6]
    zero = np.zeros(6)
    wrench = puma.joint_wrenches(q, zero, zero)["joint2"]
    values = {
        "drive": np.abs(puma.inverse_dynamics(q, zero, zero)[:, 1]),
        "tilting_moment": np.hypot(wrench.torque[:, 0], wrench.torque[:, 1]),
        "force": np.linalg.norm(wrench.force, axis=1),
    }[quantity]
    assert found.bound >= found.value * (1 - 1e-12) and found.value >= values.max() * (1 - 1e-9)


@pytest.mark.parametrize(("name", "quantity"), [("joint2", "drive"), ("joint2", "tilting_moment"), ("joint3", "force")])
def test_bounds_of_random_boxes_hold(name: str, quantity: str) -> None:
    """Values and slopes at points of boxes of a moving arm, with a slide among its joints too."""
    for robot in (lp.catalog.puma560(), lp.catalog.stanford_arm()):
        box = lp.Box(q=(-1.2, 1.3), qd=(-2, 2), qdd=(-5, 4))
        low, high = box.of(robot)
        asked = asked_of(robot, name, quantity, None)
        expansion = expanded(asked.smooth_parts, asked.variables, low, high)
        assert expansion is not None
        series = BySeries(asked, expansion, low, high, 0.0)
        whole_low, whole_high = (ends[0] for ends in series.boxes())
        rng = np.random.default_rng(6)
        center = rng.uniform(whole_low, whole_high, (20, len(whole_low)))
        half = (whole_high - whole_low) * rng.choice([0.0, 0.003, 0.05, 0.4], center.shape)
        ends = np.maximum(center - half, whole_low), np.minimum(center + half, whole_high)
        bounds, middle = series.bounds(*ends), (ends[0] + ends[1]) / 2

        def values(x: np.ndarray) -> np.ndarray:
            directions = x[:, len(series.angles) : series.sum.angles]  # noqa: B023
            parts = asked.parts(series.states(x))  # noqa: B023
            return np.array([asked.along(list(p), d) for p, d in zip(parts, directions, strict=True)])  # noqa: B023

        for _ in range(8):
            x = rng.uniform(*ends)
            there = values(x)
            assert (there <= bounds.upper).all()
            assert (there <= bounds.plane + ((x - middle) * bounds.tilt).sum(axis=1)).all()
        for k in np.flatnonzero(whole_high > whole_low):
            step = 1e-6 * np.eye(x.shape[1])[k]
            slope = (values(x + step) - values(x - step)) / 2e-6
            error = np.abs(slope - bounds.slope[:, k]) - bounds.slope_error[:, k]
            assert (error <= 1e-5 * (1 + np.abs(slope))).all()


def test_both_ways_to_bound_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    arm, box = lp.catalog.planar(2), lp.Box(qd=(-2, 2), qdd=(-5, 5))
    by_series = arm.worst_case("joint1", "drive", over=box)
    monkeypatch.setattr(module, "expanded", lambda *arguments, **options: None)
    by_ranges = arm.worst_case("joint1", "drive", over=box)
    assert by_series.certified and by_ranges.certified
    assert by_ranges.value == pytest.approx(by_series.value, rel=1e-6)
    assert by_ranges.boxes != by_series.boxes


def test_without_time_it_says_the_gap() -> None:
    panda = lp.catalog.panda()
    found = panda.worst_case("panda_joint2", "drive", over={"qd": 0}, seconds=0.3)
    assert not found.certified
    assert found.bound > found.value * 1.001
    assert "not certified" in repr(found)
    q = np.random.default_rng(7).uniform(*lp.Box(qd=0).of(panda), (100_000, 21))[:, :7]
    assert np.abs(panda.gravity_forces(q)[:, 1]).max() <= found.value
    assert panda.gravity_forces(found.q)[1] == pytest.approx(found.value) or (
        panda.gravity_forces(found.q)[1] == pytest.approx(-found.value))
    assert pickle.loads(pickle.dumps(found)).value == found.value
    assert "panda_joint4" in found.to_table()


def test_what_acts_in_addition_counts() -> None:
    arm = lp.catalog.planar(2)
    push = {"link2": lp.Wrench(force=(0.0, 0.0, -10.0), torque=(0.0, 0.0, 0.0))}
    found = arm.worst_case("joint1", "drive", over={"qd": 0}, external=push)
    q = np.random.default_rng(8).uniform(-math.pi, math.pi, (20_000, 2))
    pushed = np.abs(arm.inverse_dynamics(q, np.zeros(2), np.zeros(2), external=push)[:, 0])
    assert found.bound >= pushed.max() > 0.99 * found.value
    light = arm.worst_case("joint1", "drive", over={"qd": 0}, gravity=(0.0, 0.0, -1.0))
    assert light.value == pytest.approx(2.0)


@pytest.mark.parametrize(("what", "over", "words"), [
    (("joint1", "drive"), {"q": {"joint1": (math.nan, 1)}}, "from nan to 1.0: expected two finite"),
    (("joint1", "drive"), {"q": (0, math.inf), "qd": 0}, "expected two finite numbers"),
    (("joint1", "drive"), {"joint2": (1, 0)}, "which is empty"),
    (("joint1", "drive"), {"joint3": (0, 1)}, "no degree of freedom 'joint3'"),
    (("joint1", "drive"), {"joint1": (0, 1), "qd": 0}, "beside names of joints"),
    (("joint1", "drive"), None, "'joint1' has no limit of its speed"),
    (("joint1", "drive"), {"q": np.zeros((3, 2)), "qd": 0}, r"shape \(3, 2\)"),
    (("joint1", "drive"), 3.0, "expected an lp.Box"),
    (("joint1", "torque_w"), {"qd": 0}, "no quantity 'torque_w'; did you mean"),
    (("joint9", "force"), {"qd": 0}, "no joint 'joint9'"),
    (("joint1",), {"qd": 0}, "a name and a quantity"),
    (("tip_joint", "tilting_moment"), {"qd": 0}, "has no single axis"),
])
def test_what_is_no_question(what: tuple[str, ...], over: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.planar(2).worst_case(*what, over=over)


def test_options_that_are_no_numbers() -> None:
    arm = lp.catalog.planar(1)
    for options, words in (({"tolerance": 0.0}, "tolerance is 0.0"), ({"seconds": math.nan}, "seconds is nan"),
                           ({"sense": "most"}, "sense is 'most'")):
        with pytest.raises(ValueError, match=words):
            arm.worst_case("joint1", "drive", over={"qd": 0}, **options)
    with pytest.raises(ValueError, match="not sense='min'"):
        arm.worst_case("joint1", "force", over={"qd": 0}, sense="min")


def test_robots_without_a_box_of_states() -> None:
    with pytest.raises(lp.ModelError, match="its states fill no box"):
        lp.catalog.four_bar().worst_case("rocker_joint", "force", over={"qd": 0})
    with pytest.raises(lp.ModelError, match="has a quaternion"):
        lp.catalog.planar(1).floating().worst_case("joint1", "drive", over={"qd": 0})
    slide = lp.catalog.stanford_arm()
    free = slide.with_limits({slide.dof_names[2]: lp.Limits()})
    with pytest.raises(ValueError, match="no limit of its position"):
        free.worst_case("joint1", "force", over={"qd": 0})


@pytest.mark.parametrize("quantity", ["drive", "tilting_moment"])
def test_seven_joints_at_rest_are_certified(quantity: str) -> None:
    """Branch and bound alone left 4 % and 19 %. Samples stay below, and the state attains it."""
    panda = lp.catalog.panda()
    found = panda.worst_case("panda_joint2", quantity, over=lp.Box(qd=0), tolerance=6e-3)
    assert found.certified and found.ratio <= 1.006
    low, high = lp.Box(qd=0).of(panda)
    q = np.random.default_rng(11).uniform(low, high, (100_000, 21))[:, :7]
    zero = np.zeros(7)
    if quantity == "drive":
        values, there = np.abs(panda.inverse_dynamics(q, zero, zero)[:, 1]), panda.inverse_dynamics(*found.state)[1]
    else:
        values, there = (np.hypot(*wrench.torque[..., 1, :2].T) for wrench in (
            panda.joint_wrenches(q, zero, zero), panda.joint_wrenches(*found.state)))
    assert values.max() <= found.value
    assert abs(there) == pytest.approx(found.value)
    assert sum(part.value for part in found.top(1000)) == pytest.approx(there)


@pytest.mark.parametrize("seed", range(4))
def test_tables_never_say_less_than_a_value(seed: int) -> None:
    """Chains of turning and sliding joints at rest, boxes wide and narrow, tables coarse and finer."""
    rng = np.random.default_rng(seed)
    robot = lp.catalog.random_chain(4, seed=seed, general=True)
    ends = rng.uniform(-2, 1, robot.n)
    box = lp.Box(q=np.stack([ends, ends + rng.choice([0.0, 0.3, 2.0, 7.0], robot.n)], axis=1), qd=0)
    low, high = box.of(robot)
    for quantity in ("drive", "tilting_moment"):
        asked = asked_of(robot, robot.joint_names[0], quantity, None)
        expansion = expanded(asked.smooth_parts, asked.variables, low, high)
        assert expansion is not None
        chains = nested(asked, expansion, low, high)
        assert chains is not None
        x = rng.uniform(low, high, (20_000, len(low)))
        bounds = [max(chain.bound(size) for chain in chains) for size in (4, 8, 16)]
        assert asked.value(x).max() <= min(bounds)
        assert bounds[2] <= bounds[0] * (1 + 1e-9)
        assert bounds[2] <= max(search(asked, low, high, 0.05, 60).value * 1.06, 1e-9)


def test_a_payload_is_a_dimension_of_the_box() -> None:
    """By hand: the heaviest at the far end; and a robot with that payload, in motion, through other kernels."""
    arm = lp.catalog.planar(2)
    found = arm.worst_case("joint1", "drive", over=lp.Box(qd=0, payload=(0, 3), payload_center=[(-0.5, 0.5), 0, 0]))
    assert found.certified
    assert found.value == pytest.approx(G * (2 + 3 * 2.5))
    assert found.also == {"payload": 3.0, "payload x": 0.5, "payload y": 0.0, "payload z": 0.0}
    box = lp.Box(qd=(-2, 2), qdd=(-5, 5), payload=(1, 4), payload_center=[0, (-0.1, 0.2), 0])
    moving = arm.worst_case("joint2", "radial_force", over=box, tolerance=0.02)
    assert moving.certified
    rng = np.random.default_rng(4)
    low, high = box.of(arm)
    for mass, y in rng.uniform((1, -0.1), (4, 0.2), (5, 2)):
        x = rng.uniform(low, high, (20_000, 6))
        loaded = arm.with_payload(mass, (0, y, 0))
        force = loaded.joint_wrenches(x[:, :2], x[:, 2:4], x[:, 4:])["joint2"].force
        assert np.hypot(force[:, 0], force[:, 1]).max() <= moving.bound
    here = arm.with_payload(moving.also["payload"], (0, moving.also["payload y"], 0))
    there = here.joint_wrenches(*moving.state)["joint2"].force
    assert np.hypot(there[0], there[1]) == pytest.approx(moving.value)
    for words, over in (("no negative mass", lp.Box(qd=0, payload=(-1, 2))), ("but not its mass", lp.Box(
            qd=0, payload_center=(0, 0, 0.1))), ("expected 3 ranges", lp.Box(qd=0, payload=1, payload_center=(0, 1)))):
        with pytest.raises(ValueError, match=words):
            arm.worst_case("joint1", "drive", over=over)


def test_peaks_over_a_box() -> None:
    arm = lp.catalog.planar(2)
    peaks = arm.peak_loads(over=lp.Box(qd=0), seconds=5)
    drive = peaks["joint1", "drive"]
    assert drive.magnitude == pytest.approx(2 * G) and drive.bound == pytest.approx(2 * G, rel=1e-3)
    assert drive.peak.top(1)[0].cause == "gravity link2"
    assert math.isnan(drive.rms) and peaks["joint1", "torque_x"].bound is None
    q = np.random.default_rng(9).uniform(-math.pi, math.pi, (20_000, 2))
    sampled = arm.peak_loads(q, np.zeros(2), np.zeros(2))
    for joint in arm.joint_names[:2]:
        for quantity in ("radial_force", "tilting_moment", "force", "torque", "axial_force"):
            bound = peaks[joint, quantity].bound
            assert bound is not None and sampled[joint, quantity].magnitude <= bound + 1e-12
    assert "certified" in peaks.to_table() and "of 'planar2' over a box" in repr(peaks)
    for call, words in ((arm.peak_loads, "or a box of states"),
                        (lambda: arm.peak_loads([0, 0], over=lp.Box(qd=0)), "give one of them"),
                        (arm.verdict, "or a box of states")):
        with pytest.raises(TypeError, match=words):
            call()
    with pytest.raises(ValueError, match="a range of payloads"):
        arm.peak_loads(over=lp.Box(qd=0, payload=(0, 1)))


@pytest.mark.parametrize(("effort", "holds"), [(19.7, True), (19.5, False)])
def test_a_verdict_over_a_box(effort: float, holds: bool) -> None:
    arm = lp.catalog.planar(2).with_limits({"joint1": lp.Limits(effort=effort)})
    found = arm.verdict(over=lp.Box(qd=0), seconds=5)
    assert found.holds is holds and found.effort_certified is holds
    assert found.worst is not None and found.worst.utilisation == pytest.approx(2 * G / effort)


def test_deflections_over_a_box() -> None:
    """A cantilever by hand: tip of a level rod under its payload, m g l^3 / 3 E I and what its own mass adds."""
    rod = lp.Beam(lp.Rod(0.02), lp.STEEL, end="tip_joint")
    arm = lp.catalog.planar(2).with_beams({"link2": rod}).with_payload(3.0)
    found = arm.worst_case("payload", "deflection", over=lp.Box(qd=(-1, 1), qdd=(-2, 2)), tolerance=0.02)
    assert found.certified
    low, high = lp.Box(qd=(-1, 1), qdd=(-2, 2)).of(arm)
    x = np.random.default_rng(2).uniform(low, high, (20_000, 6))
    moved = arm.deflection(x[:, :2], x[:, 2:4], x[:, 4:]).displacement[:, -1]
    assert np.linalg.norm(moved, axis=1).max() <= found.bound
    assert np.linalg.norm(arm.deflection(*found.state).tip.displacement) == pytest.approx(found.value)
    down = arm.worst_case("payload", "deflection_z", over=lp.Box(qd=0), sense="min")
    level = arm.deflection([0, 0], [0, 0], [0, 0]).tip.displacement[2]
    assert down.certified and down.value == pytest.approx(level)
    with pytest.raises(ValueError, match="nothing deflects"):
        lp.catalog.planar(2).worst_case("tip", "deflection", over=lp.Box(qd=0))


def test_boxes_as_they_come() -> None:
    """Names in tables, single precision, ranges without width, a load that is nothing, many joints held."""
    pandas = pytest.importorskip("pandas")
    arm = lp.catalog.planar(3)
    ranges = {"joint1": (0.0, 1.0), "joint2": (-0.5, 0.5), "joint3": (0.2, 0.2)}
    table = pandas.DataFrame.from_dict(ranges, orient="index", columns=["low", "high"])
    found = [arm.worst_case("joint1", "drive", over=lp.Box(q=q, qd=np.float32(0)))
             for q in (ranges, table, np.array(list(ranges.values()), dtype=np.float32))]
    assert found[0].value == found[1].value == pytest.approx(found[2].value, rel=1e-6)
    one = arm.worst_case("joint1", "drive", over=lp.Box(q=[0.1, 0.2, 0.3][0], qd=1.0, qdd=2.0))
    tau = arm.inverse_dynamics([0.1] * 3, [1.0] * 3, [2.0] * 3)[0]
    assert one.certified and one.value == pytest.approx(abs(tau)) and one.bound == pytest.approx(abs(tau))
    nothing = arm.worst_case("joint1", "axial_force", over=lp.Box(qd=0))
    assert nothing.certified and nothing.value == pytest.approx(0, abs=1e-9) and math.isfinite(nothing.bound)
    upright = lp.catalog.puma560().worst_case("joint1", "drive", over=lp.Box(qd=0))
    assert upright.certified and upright.bound < 1e-6


def test_time_progress_threads_and_interruption() -> None:
    import time
    from concurrent.futures import ThreadPoolExecutor

    panda, seen = lp.catalog.panda(), []
    box = lp.Box(qd=(-2, 2), qdd=(-5, 5))
    panda.worst_case("panda_joint2", "drive", over=lp.Box(qd=0), seconds=0.1)  # compiled
    began = time.monotonic()
    found = panda.worst_case("panda_joint2", "drive", over=box, seconds=0.5, progress=seen.append)
    assert time.monotonic() - began < 8.0 and not found.certified
    assert seen == sorted(seen)

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    puma = lp.catalog.puma560().without_friction()
    with pytest.raises(KeyboardInterrupt):
        puma.worst_case("joint5", "drive", over=box, progress=interrupt)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda name: puma.worst_case(name, "drive", over=lp.Box(qd=0)), ["joint2", "joint3"]))
    assert [one.value for one in both] == [
        puma.worst_case(name, "drive", over=lp.Box(qd=0)).value for name in ("joint2", "joint3")]
