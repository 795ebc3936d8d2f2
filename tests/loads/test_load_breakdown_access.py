"""Finding loads by name, what matters most, tables, data frames and plots."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.quantities.wrench import COMPONENTS


def six(wrench: lp.Wrench) -> np.ndarray:
    return np.concatenate([wrench.force, wrench.torque], axis=-1)


@pytest.fixture(scope="module")
def arm() -> lp.Robot:
    return lp.catalog.planar(2)


@pytest.fixture(scope="module")
def batch(arm: lp.Robot) -> lp.LoadBreakdown:
    """Five states, the third the fastest."""
    q, qd, qdd = np.random.default_rng(1).normal(size=(3, 5, 2))
    qd[2] *= 20
    return arm.load_breakdown(q, qd, qdd)


# Names


def test_pairs_in_either_order(batch: lp.LoadBreakdown) -> None:
    pair = batch.coriolis["joint1", "joint1", "joint2"]
    assert pair.force.shape == pair.torque.shape == (5, 3)
    np.testing.assert_array_equal(six(pair), six(batch.coriolis["joint1", "joint2", "joint1"]))
    assert np.abs(pair.force).max() > 1


def test_what_does_not_reach_a_joint_is_zero(batch: lp.LoadBreakdown) -> None:
    assert not six(batch.gravity["joint2", "link1"]).any()
    assert batch.gravity["joint2", "link1"].force.shape == (5, 3)
    assert not six(batch.external["joint1", "link2"]).any()
    assert not six(batch.base["joint1", "coriolis", "joint2"]).any()
    assert not six(batch.total("tip_joint")).any()  # a frame without mass is welded on there


@pytest.mark.parametrize(
    ("find", "message"),
    [
        (lambda b: b.inertial["joint3", "joint1"], "no joint 'joint3'; did you mean 'joint"),
        (lambda b: b.inertial["joint1", "joint9"], "no moving joint or degree of freedom 'joint9'; did you mean"),
        (lambda b: b.inertial["joint1", "tip_joint"], "no moving joint or degree of freedom"),
        (lambda b: b.gravity["joint1", "lnk2"], "no link 'lnk2'; did you mean 'link2'"),
        (lambda b: b.coriolis["joint1", "joint2"], r"\[joint, moving, moving\].*2 names were given"),
        (lambda b: b.base["joint1", "spinning"], "no effect of the base's motion 'spinning'"),
        (lambda b: b.inertial["joint1", "joint1", "link2"], "by_link=True"),
        (lambda b: b.inertial["joint1"], "by the names of a joint and a cause"),
        (lambda b: b.inertial[0, 1], "by the names of a joint and a cause"),
        (lambda b: b.total("elbow"), "no joint 'elbow'; there are joint1, joint2, tip_joint"),
        (lambda b: b.top("joint1", "torque"), "no component 'torque'; there are force_x"),
        (lambda b: b.of_link("link1"), "by_link=True"),
        (lambda b: b.by_carrier("joint1"), "by_link=True"),
    ],
)
def test_wrong_names_say_what_there_is(batch: lp.LoadBreakdown, find: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find(batch)


def test_a_joint_of_several_freedoms_is_no_cause_by_itself() -> None:
    robot = lp.catalog.random_chain(1, 1, "universal")
    loads = robot.load_breakdown([0.1, 0.2], [1, 2], [3, 4])
    with pytest.raises(ValueError, match=r"several degrees of freedom, joint1\.\w+, joint1\.\w+: name one, or ask for"):
        loads.inertial["joint1", "joint1"]


def test_mimicking_joints_are_causes_of_their_own() -> None:
    joint = lp.catalog.planar(2).joints[1]
    follower = replace(joint, mimic=lp.Mimic("joint1", -2.0, 0.1))
    whole = lp.catalog.planar(2)
    robot = replace(whole, joints=(whole.joints[0], follower, *whole.joints[2:]))
    loads = robot.load_breakdown([0.3], [1.0], [2.0])
    free = whole.load_breakdown([0.3, -0.5], [1.0, -2.0], [2.0, -4.0])
    for cause in ("joint1", "joint2"):
        np.testing.assert_allclose(six(loads.inertial["joint1", cause]), six(free.inertial["joint1", cause]))
    np.testing.assert_allclose(
        six(loads.coriolis["joint1", "joint1", "joint2"]), six(free.coriolis["joint1", "joint1", "joint2"])
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"frame": "lnk1"}, "no link to take the axes of 'lnk1'; did you mean 'link1'"),
        ({"by": "link"}, "by is 'link': expected 'freedom' or 'joint'"),
        ({"external": {"hand": lp.Wrench()}}, "no link 'hand'"),
        ({"base_velocity": [1, 2, 3]}, r"'base_velocity' has the shape \(3,\)"),
    ],
)
def test_wrong_calls(arm: lp.Robot, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arm.load_breakdown([0, 0], [0, 0], [0, 0], **options)
    with pytest.raises(ValueError, match=r"'q' has the shape \(3,\)"):
        arm.load_breakdown([0, 0, 0], [0, 0], [0, 0])


# Sums and ranks


def test_groups_sum_to_the_total(batch: lp.LoadBreakdown) -> None:
    for joint in ("joint1", "joint2"):
        total = six(batch.total(joint))
        np.testing.assert_allclose(sum(map(six, batch.by_kind(joint).values())), total, rtol=1e-13, atol=1e-11)
        np.testing.assert_allclose(sum(map(six, batch.by_cause(joint).values())), total, rtol=1e-13, atol=1e-11)
        moved = sum(map(six, batch.by_mover(joint).values()))
        np.testing.assert_allclose(moved + six(batch.by_kind(joint)["gravity"]), total, rtol=1e-13, atol=1e-11)
    assert list(batch.by_cause("joint2")) == batch.causes("joint2")
    half = six(batch.coriolis["joint1", "joint1", "joint2"]) / 2
    first = six(batch.inertial["joint1", "joint1"]) + six(batch.centrifugal["joint1", "joint1"]) + half
    np.testing.assert_allclose(six(batch.by_mover("joint1")["joint1"]), first)


def test_top_ranks_over_the_batch_or_at_a_state(batch: lp.LoadBreakdown) -> None:
    ranked = batch.top("joint1", "force_x", count=100)
    sizes = [abs(part.value) for part in ranked]
    assert sizes == sorted(sizes, reverse=True) and len(ranked) == len(batch.causes("joint1"))
    first = ranked[0]
    assert first.state == (2,) and first.kind in ("centrifugal", "coriolis")
    assert first.value == six(getattr(batch, first.kind)[("joint1", *first.names)])[2, 0]
    assert first.cause in batch.causes("joint1")
    there = batch.top("joint1", "force_x", count=2, state=0)
    assert [part.state for part in there] == [(0,), (0,)]
    assert there[0].value == batch.at(0).top("joint1", "force_x", count=1)[0].value


def test_worst_state(batch: lp.LoadBreakdown) -> None:
    assert batch.worst("joint2", "force_x") == (int(np.abs(batch.total("joint2").force[:, 0]).argmax()),)
    assert batch.worst("joint1") == (int(np.linalg.norm(batch.total("joint1").torque, axis=-1).argmax()),)


def test_nan_does_not_rank(arm: lp.Robot) -> None:
    loads = arm.load_breakdown([[np.nan, 0], [0.1, 0.2]], [1, 1], [1, 1])
    assert loads.worst("joint1", "torque_z") == (1,)
    assert all(part.state == (1,) for part in loads.top("joint1", "torque_z", count=2))


# Tables


def test_tables(batch: lp.LoadBreakdown) -> None:
    text = batch.to_table("joint1", count=2, state=1)
    lines = text.splitlines()
    assert lines[0].startswith("joint1, state 1") and lines[0].split()[-6:] == list(COMPONENTS)
    assert len({len(line) for line in lines}) == 1
    assert lines[-3].startswith("5 others")
    total = [float(number) for number in lines[-1].split()[1:]]
    np.testing.assert_allclose(total, six(batch.total("joint1"))[1], atol=6e-4)
    rows = [[float(number) for number in line.split()[-6:]] for line in lines[2:-2]]
    np.testing.assert_allclose(np.sum(rows, axis=0), total, atol=4e-3)
    overview = batch.to_table()
    assert "joint1, worst state 2" in overview and "tip_joint" in overview and "coriolis" in overview
    assert "-0.000" not in overview
    with pytest.raises(ValueError, match="not one state"):
        batch.to_table("joint1", state=slice(2))


def test_data_frame(arm: lp.Robot, batch: lp.LoadBreakdown) -> None:
    pandas = pytest.importorskip("pandas")
    frame = batch.to_dataframe()
    assert list(frame) == ["state", "joint", "kind", "cause", *COMPONENTS]
    assert len(frame) == 5 * len(batch.index.terms)
    sums = frame[frame.joint == "joint1"].groupby("state")[list(COMPONENTS)].sum().to_numpy()
    np.testing.assert_allclose(sums, six(batch.total("joint1")), rtol=1e-12, atol=1e-10)
    cell = frame[(frame.state == 3) & (frame.joint == "joint2") & (frame.cause == "gravity link2")]
    np.testing.assert_array_equal(cell[list(COMPONENTS)].to_numpy()[0], six(batch.gravity["joint2", "link2"])[3])
    by_link = arm.load_breakdown([0, 0], [1, 1], [1, 1], by_link=True).to_dataframe()
    assert list(by_link)[:4] == ["joint", "kind", "cause", "link"] and isinstance(by_link, pandas.DataFrame)


def test_a_data_frame_without_pandas(batch: lp.LoadBreakdown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)  # an entry None makes the import fail
    with pytest.raises(ImportError, match="pip install pandas"):
        batch.to_dataframe()


# Plots


def bars(figure: object, panel: int = 0) -> list:
    axis = "x" if panel == 0 else f"x{panel + 1}"
    return [trace for trace in figure.data if trace.type == "bar" and (trace.xaxis or "x") == axis]


def test_the_stack_of_a_plot_is_the_total(arm: lp.Robot) -> None:
    t = np.linspace(0, 1, 50)
    motion = lp.Motion(t, np.stack([np.sin(3 * t), np.cos(2 * t)], axis=-1))
    loads = arm.load_breakdown(motion)
    figure = loads.plot("joint1", count=2)
    torque = loads.total("joint1").torque
    drawn = bars(figure, 5)
    assert len(drawn) == 3 and drawn[-1].name.startswith("other (")
    np.testing.assert_allclose(np.sum([bar.y for bar in drawn], axis=0), torque[:, 2], rtol=1e-9)
    np.testing.assert_allclose(drawn[0].x, t)
    assert figure.layout.barmode == "relative"
    assert figure.layout.xaxis4.title.text == "time (s)"
    [line] = [trace for trace in loads.plot("joint1", "torque_z").data if trace.type == "scatter"]
    np.testing.assert_allclose(line.y, torque[:, 2])


def test_long_motions_are_drawn_with_fewer_bars(arm: lp.Robot) -> None:
    q = np.random.default_rng(0).normal(size=(1000, 2))
    loads = arm.load_breakdown(q, [0, 0], [0, 0])
    figure = loads.plot("joint1", "torque_z", time=np.arange(1000) / 100)
    assert all(len(bar.x) <= 300 for bar in bars(figure))
    [line] = [trace for trace in figure.data if trace.type == "scatter"]
    assert len(line.x) == 1000
    with pytest.raises(ValueError, match="time has the shape"):
        loads.plot("joint1", time=[0, 1])
    with pytest.raises(ValueError, match=r"choose with \.at"):
        arm.load_breakdown(q.reshape(10, 100, 2), [0, 0], [0, 0]).plot("joint1")


def test_a_plot_of_one_state_and_names_with_tags(arm: lp.Robot) -> None:
    renamed = replace(arm.joints[0], name="<b>j</b>")
    robot = replace(arm, joints=(renamed, *arm.joints[1:]))
    figure = robot.load_breakdown([0.1, 0.2], [1, 2], [3, 4]).plot("<b>j</b>")
    assert "&lt;b&gt;j" in figure.layout.title.text and "<b>" not in str(figure.to_json())
    assert len(bars(figure)[0].y) == 3


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda b: b.inertial[()], "found by the names of a joint and a cause"),
        (lambda b: b.inertial[["joint1", "joint1"]], "found by the names of a joint and a cause"),
        (lambda b: b.coriolis["joint1", "joint2", "joint2"], r"its own is \.centrifugal\[joint, 'joint2'\]"),
        (lambda b: b.top("joint1", "force_x", count=-1), "count is -1"),
        (lambda b: b.to_table("joint1", count=-1), "count is -1"),
        (lambda b: b.plot("joint1", count=-1), "count is -1"),
        (lambda b: b.top("joint1", "force_x", state=0), "there is only one: leave it out"),
        (lambda b: b.to_table("joint1", state=0), "there is only one: leave it out"),
    ],
)
def test_questions_that_make_no_sense(arm: lp.Robot, ask: Callable[[lp.LoadBreakdown], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(arm.load_breakdown([0.1, 0.2], [1, 2], [3, 4]))


def test_one_state_of_a_batch_is_one(arm: lp.Robot) -> None:
    loads = arm.load_breakdown(np.zeros((4, 2)), [1, 2], [3, 4])
    for wrong in (slice(2), (1, 1), [0, 1]):
        with pytest.raises(ValueError, match=r"is not one state of the batch \(4,\)"):
            loads.top("joint1", "force_x", state=wrong)
    with pytest.raises(IndexError):
        loads.to_table("joint1", state=4)
    assert loads.top("joint1", "force_x", state=np.int64(3))[0].state == (3,)


def test_states_are_three_arrays_or_a_motion_of_this_robot(arm: lp.Robot) -> None:
    with pytest.raises(ValueError, match="expected q, qd and qdd, or a motion"):
        arm.load_breakdown([0, 0], [0, 0])
    with pytest.raises(ValueError, match=r"load_breakdown: 'qd' has the shape \(3,\): expected \(\.\.\., 2\)"):
        arm.load_breakdown([0, 0], [0, 0, 0], [0, 0])
    motion = lp.Motion.swing(arm, 11)
    with pytest.raises(ValueError, match="the motion has its own qd and qdd: leave out"):
        arm.load_breakdown(motion, [0, 0], [0, 0])
    renamed = replace(arm, joints=(replace(arm.joints[0], name="hip"), *arm.joints[1:]))
    for asked in (renamed.load_breakdown, lambda m: renamed.reduce_loads(m, lp.LoadMean())):
        with pytest.raises(ValueError, match="the motion is of robot 'planar2' with joint1, joint2"):
            asked(motion)
    nameless = lp.Motion(motion.t, motion.q[:, :1], motion.qd[:, :1], motion.qdd[:, :1])
    with pytest.raises(ValueError, match="the motion has 1 coordinates and 1 speeds; robot 'planar2' has 2 and 2"):
        arm.load_breakdown(nameless)
    simulated = arm.simulate([0.3, 0], [0, 0], duration=0.1)
    assert arm.load_breakdown(simulated).time.tolist() == simulated.times.tolist()
    assert arm.peak_loads(simulated).duration == pytest.approx(0.1)


def rubbing_gripper() -> lp.Robot:
    """A ball, a joint that turns and slides, a drive with friction and rotor, and a joint that follows it."""
    body = lp.Inertia.from_moments(1.0, (0.1, 0.2, 0.3), ixx=0.1, iyy=0.2, izz=0.25)
    drive = {"viscous_friction": (0.3,), "coulomb_friction": (0.2,), "rotor_inertia": (1e-3,), "gear_ratio": (20.0,)}
    joints = (
        lp.Joint("ball", "ground", "a", lp.Spherical()),
        lp.Joint("both", "a", "b", lp.Cylindrical((0, 1, 0))),
        lp.Joint("cross", "b", "c", lp.Universal()),
        lp.Joint("grip", "c", "d", lp.Revolute((1, 0, 0)), **drive),
        lp.Joint("twin", "c", "e", lp.Prismatic(), mimic=lp.Mimic("grip", -2.0, 0.1), viscous_friction=(0.1,)),
    )
    return lp.Robot("gripper", (lp.Link("ground"), *(lp.Link(name, body) for name in "abcde")), joints)


@pytest.mark.slow
def test_the_parts_of_a_drive_sum_to_its_force() -> None:
    robot = rubbing_gripper()
    q, qd, qdd = (np.random.default_rng(2).normal(size=(2, 3, size)) for size in (robot.nq, robot.n, robot.n))
    q[..., :4] /= np.linalg.norm(q[..., :4], axis=-1, keepdims=True)
    tau = robot.inverse_dynamics(q, qd, qdd)
    for by_link in (False, True):
        loads = robot.load_breakdown(q, qd, qdd, by_link=by_link)
        for k, name in enumerate(robot.dof_names):
            parts = loads.drive(name)
            np.testing.assert_allclose(sum(parts.values()), tau[..., k], rtol=1e-12, atol=1e-12)
            assert ("friction grip" in parts, "rotor grip" in parts) == (name == "grip", name == "grip")
    assert loads.at((1, 2)).drive("grip")["gravity d"] == loads.drive("grip")["gravity d"][1, 2]
    (most, *_) = loads.top("grip", "drive")
    assert most.value == max(loads.drive("grip").items(), key=lambda part: np.abs(part[1]).max())[1][most.state]
    assert loads.worst("grip", "drive") == np.unravel_index(np.abs(tau[..., -1]).argmax(), (2, 3))
    of_one = loads.of_link("d").drive("grip")  # inside the drive no link's mass acts
    assert not of_one["friction grip"].any() and not of_one["rotor grip"].any() and of_one["gravity d"].any()


def test_parts_of_a_drive_need_joint_axes_and_states(arm: lp.Robot) -> None:
    state = [0.1, 0.2], [1, 2], [3, 4]
    rows = tuple(np.array([part]) for part in state)
    for loads in (arm.load_breakdown(*state, frame="world"), arm.reduce_loads(rows, lp.LoadMean())):
        with pytest.raises(ValueError, match="leave out frame=, and take no means"):
            loads.drive("joint1")
    with pytest.raises(ValueError, match="no degree of freedom with a drive 'tip_joint'"):
        arm.load_breakdown(*state).drive("tip_joint")


def test_a_plot_of_a_drive() -> None:
    robot = lp.catalog.puma560()
    motion = lp.Motion.swing(robot, 51)
    loads = robot.load_breakdown(motion)
    figure = loads.plot("joint1", "drive", count=50)
    assert {"friction joint1", "rotor joint1"} <= {trace.name for trace in figure.data}
    [line] = [trace for trace in figure.data if trace.type == "scatter"]
    np.testing.assert_allclose(line.y, robot.inverse_dynamics(motion.q, motion.qd, motion.qdd)[:, 0], atol=1e-11)
    assert figure.layout.title.text == "Drive of joint1 by cause"
    assert figure.layout.annotations[0].text == "drive (N m)"
    assert bars(loads.at(25).plot("joint1", "drive"))
