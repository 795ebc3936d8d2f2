"""What the page says is so: no beat that is not there, the worst instant, nothing claimed that the robot has not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import loadpath as lp
from loadpath.parts.part import DRIVE, Instant
from loadpath.parts.verdict.result import VerdictRow
from loadpath.plotting import envelope
from loadpath.report import Table
from loadpath.report.basis import mounting
from loadpath.report.charts import POINTS, lines
from loadpath.report.collecting import one_a_kind
from loadpath.report.peaks import included, wrench_table
from loadpath.report.robot_picture import worst_instant
from loadpath.report.shown import shown_joints
from loadpath.report.verdict import verdict_section


def titled(report, title):
    return next(section for section in report.sections if section.title == title)


def facts(report):
    return dict(titled(report, "What was computed").blocks[0].rows)


def cell(text):
    return float(
        (text if isinstance(text, str) else text[0]).split()[0].replace("\N{MINUS SIGN}", "-").replace(",", "")
    )


@pytest.fixture(scope="module")
def cycles():
    """A planar arm over 400 cycles of 0.5 s: a fast oscillation of 40,000 samples."""
    arm = lp.catalog.planar(2)
    t = np.arange(40_000) * 0.005
    turn = 2 * np.pi * 2.0
    q = np.stack([0.4 * np.sin(turn * t), 0.3 * np.sin(turn * t + 1)], axis=1)
    qd = turn * np.stack([0.4 * np.cos(turn * t), 0.3 * np.cos(turn * t + 1)], axis=1)
    return arm, lp.Motion.from_checked(t, q, qd, -(turn**2) * q, arm)


def test_a_long_motion_shows_its_envelope_and_no_beat(cycles):
    arm, motion = cycles
    tau = np.asarray(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd))
    report = arm.report(motion, only=["drives", "causes"])
    chart = next(b for b in titled(report, "Drives").blocks if b.kind == "chart" and b.title.startswith("Torques"))
    for k, trace in enumerate(chart.traces):
        assert len(trace["y"]) <= POINTS
        for window in (slice(0, 200), slice(400, 600), slice(700, 900)):  # every stretch has all of the oscillation
            assert trace["y"][window].max() > tau[:, k].max() - 0.02 * np.ptp(tau[:, k])
            assert trace["y"][window].min() < tau[:, k].min() + 0.02 * np.ptp(tau[:, k])
        assert trace["y"].max() == tau[:, k].max() and trace["y"].min() == tau[:, k].min()
    for choice in titled(report, "Where the loads come from").blocks:
        shown = choice.charts[choice.shown]
        width = shown.x[-1] - shown.x[0]
        assert width < 5.0 and "of the motion, about that instant" in choice.note
        assert np.diff(shown.x).max() < 0.5 / 10  # more than ten samples a cycle
        peak = arm.peak_loads(motion)[choice.title, "torque_z"].peak
        assert shown.x[0] <= peak.time <= shown.x[-1]
        (total,) = [trace["y"] for trace in shown.traces if trace["name"] == "sum"]
        assert np.abs(total).max() == pytest.approx(abs(peak.value), rel=1e-12)


def test_an_envelope_keeps_gaps_and_short_motions():
    t = np.arange(10.0)
    values = np.stack([t, t**2], axis=1)
    same = envelope(t, values, 10)
    assert same[0] is t and same[1] is values
    long = np.arange(10_000.0)
    curve = np.where((long > 2000) & (long < 4000), np.nan, np.sin(long))[:, None]
    times, drawn = envelope(long, curve, 100)
    assert len(times) == 100 and (np.diff(times) > 0).all()
    assert np.isnan(drawn[22:38]).all() and not np.isnan(drawn[:18]).any()
    rising = envelope(long, long[:, None], 100)
    assert (rising[0] == rising[1][:, 0]).all()  # exact where a curve only rises


def test_curves_that_look_like_one_are_one():
    x = np.linspace(0, 1, 50)
    chart = lines("", x, {"a": x, "b": x + 1e-5, "c": 2 * x}, "rad")
    assert [trace["name"] for trace in chart.traces] == ["a and 1 alike", "c"] and chart.note == "Alike: a, b."


def test_the_picture_is_of_the_worst_instant():
    arm = lp.catalog.panda()
    motion = lp.Motion.swing(arm)
    peaks = arm.peak_loads(motion)
    tau = np.abs(np.asarray(arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)))
    limits = np.array([joint.limits[0].effort for joint in arm.joints if joint.motion.dof])
    sample, drive = np.unravel_index(int(np.argmax(tau / limits)), tau.shape)
    found = worst_instant(peaks)
    assert (found.sample, found.name) == (sample, arm.dof_names[drive])
    (picture,) = titled(arm.report(motion, only=["overview"]), "Overview").blocks
    assert picture.title.startswith(
        f"The robot at {motion.t[sample]:.3f} s, when the drive of '{found.name}' needs most"
    )
    assert picture.instants[picture.start] == f"{motion.t[sample]:.3f} s"
    force = arm.joint_wrenches(motion.q[sample], motion.qd[sample], motion.qdd[sample]).force
    drawn = np.linalg.norm(picture.traces[0]["frames"][picture.start]["force"], axis=1)
    assert drawn == pytest.approx(np.linalg.norm(force, axis=1)[: len(drawn)])  # panda_joint8 carries nothing
    verdict = arm.verdict(motion)
    bearing = replace(verdict["panda_joint3", "effort"], part="XR 1", check="static safety", utilisation=1.5,
                      at=instant(7))
    parts = replace(verdict, checks=(*verdict.checks, bearing))
    fitted = replace(peaks, robot=SimpleNamespace(parts=(("panda_joint3", "part"),)))
    assert worst_instant(fitted, parts).sample == 7
    free = lp.catalog.planar(2)
    peaks = free.peak_loads(lp.Motion.swing(free))
    assert worst_instant(peaks).words.startswith("when 'joint1' carries the largest moment")


def test_the_base_wrench_has_all_six(cycles):
    arm, _ = cycles
    motion = lp.Motion.swing(arm, 101)
    base = arm.base_wrench(motion.q, motion.qd, motion.qdd)
    table = next(
        b for b in titled(arm.report(motion, only=["joints"]), "Joints").blocks if b.title.startswith("Base wrench")
    )
    six = np.concatenate([base.force, base.torque], axis=1)
    for k in range(6):
        assert cell(table.rows[k][1]) == pytest.approx(six[:, k].max(), rel=1e-3, abs=1e-9)
        assert cell(table.rows[k][2]) == pytest.approx(six[:, k].min(), rel=1e-3, abs=1e-9)
        assert cell(table.rows[k][3]) == pytest.approx(np.sqrt((six[:, k] ** 2).mean()), rel=1e-3, abs=1e-9)
    assert table.rows[5][0] == "torque z (N m)"


def test_what_was_computed_is_said():
    arm = lp.catalog.panda().with_payload(2.0, (0, 0, 0.1), link="panda_link8").with_gravity((0, 0, 9.81))
    motion = lp.Motion.swing(arm, 51)
    report = arm.report(motion, external={"panda_link8": lp.Wrench((0, 0, -100), axes="link")}, only=["basis"])
    said = facts(report)
    assert said["Payload"] == ["2 kg on 'panda_link8', its mass center at (0, 0, 0.1) m in the frame of 'panda_link8', "
                               "a point mass"]
    assert (
        said["Gravity and mounting"].endswith("hanging from a ceiling") and "hanging from a ceiling" in report.subtitle
    )
    assert said["External wrenches"] == [
        "on 'panda_link8': force (0, 0, \N{MINUS SIGN}100) N, in axes of 'panda_link8', at its origin"]
    assert said["Not in the robot's data"][0].startswith("No rotor inertia is known of any of the 7 joints")
    assert f"{motion.duration:.4g} s, 51 samples" in said["Motion"] and "Made" in said and "Assumed" in said
    tables = {block.title: block for block in titled(report, "What was computed").blocks if isinstance(block, Table)}
    masses = {row[0]: cell(row[1]) for row in tables["Masses"].rows}
    assert masses == pytest.approx({k.name: k.inertia.mass for k in arm.links if k.inertia.mass > 0}, rel=1e-3)
    assert [row[5] for row in tables["Limits and drives"].rows] == ["87"] * 4 + ["12"] * 3


@pytest.mark.parametrize(
    ("gravity", "words"),
    [((0, 0, -9.81), "standing on the floor"), ((0, 9.81, 0), "along +y: mounted on a wall"), ((0, 0, 0), "no gravity"),
     ((0, -6.937, -6.937), "45\u00b0 from the base's -z: mounted at an angle")],
)
def test_mounting(gravity, words):
    assert words in mounting(lp.catalog.planar(1).with_gravity(gravity))


def test_nothing_is_claimed_of_drives_without_numbers():
    note = titled(lp.catalog.planar(1).report(only=["drives"]), "Drives").blocks[0].note
    assert note.startswith("Not included, because the robot has no numbers for it: friction and rotor inertia.")
    puma = lp.catalog.puma560()
    assert included(puma) == "Included: friction and rotor inertia."
    words = "Included: friction. Not included, because the robot has no numbers for it: rotor inertia."
    assert included(puma.without_rotors()) == words


def test_power_and_work_have_no_double_negation():
    arm = lp.catalog.panda()
    report = arm.report(lp.Motion.swing(arm))
    table = titled(report, "Drives").blocks[1]
    peaks = arm.peak_loads(lp.Motion.swing(arm))
    for row in table.rows:
        power = peaks[row[0], "power"]
        assert cell(row[5]) == pytest.approx(max(power.maximum, 0), rel=1e-3)
        assert cell(row[6]) == pytest.approx(max(-power.minimum, 0), rel=1e-3)
        assert cell(row[8]) == pytest.approx(-peaks.work_returned[arm.dof_names.index(row[0])], rel=1e-3)
    label = next(figure for figure in titled(report, "Overview").figures if "power" in figure.label)
    assert label.label == "Most power taken back" and cell(label.value) == pytest.approx(
        peaks.power.magnitude.max(), rel=1e-3
    )


def test_frames_without_mass_and_double_welds_are_left_out_and_said():
    arm = lp.catalog.panda().with_payload(1.0)
    peaks = arm.peak_loads(lp.Motion.swing(arm))
    table = wrench_table(peaks, shown_joints(peaks, None))
    assert "panda_joint8" not in [row[0] for row in table.rows] and "payload_joint" in [row[0] for row in table.rows]
    assert "'panda_joint8', which carries the same as 'payload_joint'" in table.left_out


def test_joints_that_are_asked_for():
    arm = lp.catalog.panda()
    report = arm.report(joints=["panda_joint4", "panda_joint2"])
    assert [row[0] for row in titled(report, "Drives").blocks[0].rows] == ["panda_joint2", "panda_joint4"]
    assert [block.title for block in titled(report, "Where the loads come from").blocks] == [
        "panda_joint2",
        "panda_joint4",
    ]
    with pytest.raises(ValueError, match="no joint 'panda_joint9'; did you mean"):
        arm.report(joints=["panda_joint9"])
    with pytest.raises(ValueError, match=r"joints is 'panda_joint1': expected a list"):
        arm.report(joints="panda_joint1")
    for wrong in ([], "drives"):
        with pytest.raises(ValueError, match="only is"):
            arm.report(only=wrong)


def test_warnings_are_one_a_kind_with_limits_first():
    noisy = [f"the speed of joint 'j{k}' had to be derived, off by {k}.5" for k in range(6)]
    found = one_a_kind(
        [*noisy, "drive 'j1' needs 600 N m, beyond its limit 330", "drive 'j2' needs 400 N m, beyond its limit 330"]
    )
    assert len(found) == 2 and found[0].endswith("(the same of 'j2')") and "'j5'" in found[1]
    fast = lp.Motion.swing(lp.catalog.panda(), duration=0.05)
    report = lp.catalog.panda().report(fast, only=["overview", "basis"])
    assert report.warnings and list(report.sections[0].warnings) == list(report.warnings)
    assert "limit" in report.warnings[0] and len(report.warnings) <= 4


def instant(sample):
    return Instant(0, sample, 1.25)


def row(check, utilisation, **more):
    given = {"part": "XU 08", "joint": "panda_joint2", "demand": 100 * utilisation, "capacity": 100.0, "unit": "N m",
             "at": instant(3), "along": DRIVE, "kind": "crossed roller bearing"}
    return VerdictRow(check=check, utilisation=utilisation, **{**given, **more})


def test_the_verdict_comes_first_and_says_what_was_not_checked():
    nan = float("nan")
    bad = row("peak torque", nan, demand=nan, capacity=nan, note="not checked: no peak_torque given", at=None)
    rows = [row("effort", 0.5), row("static safety", 1.2, note="C0/P0 = 1.25, required 1.5"),
            row("life L10", 0.8, life_hours=12_345.0, unit="h"), bad]
    arm = lp.catalog.panda()
    swing = arm.verdict(lp.Motion.swing(arm), hours=20_000)
    found = replace(swing, checks=tuple(rows))
    section = verdict_section(found)
    assert section.blocks[0].text == (
        "Does not hold over a demo swing of 1.293 s: 1 exceeded, 1 not checked of 4 checks; no parts given; 20,000 h "
        "of life required; worst: static safety of XU 08 at 'panda_joint2', 120.0 %."
    )
    checks, missing = (block for block in section.blocks if isinstance(block, Table))
    assert [line[2] for line in checks.rows] == [
        ("static safety", "C0/P0 = 1.25, required 1.5"), "life L10", "effort"]
    cause = found["panda_joint2", "static safety"].top(1)[0].cause
    assert checks.rows[0][3:] == [("120", "1.250 s"), "100", "N m", "120.0 %", "\N{EN DASH}", cause]
    assert missing.rows == [["XU 08", "panda_joint2", "peak torque", "no peak_torque given"]]
    labels = {figure.label: figure for figure in section.figures}
    assert labels["All checks"].value == "does not hold" and labels["All checks"].alarming
    assert labels["Shortest life"].value == "12,345 h" and "20,000 h required" in labels["Shortest life"].note
    unknown = verdict_section(replace(swing, checks=(row("effort", 0.5), bad)))
    assert unknown.blocks[0].text.startswith("Not known to hold over a demo swing of 1.293 s: 1 not checked of 2")
    fine = verdict_section(replace(swing, checks=(row("effort", 0.5),)))
    assert fine.blocks[0].text.startswith("No limit exceeded over a demo swing of 1.293 s: 1 check; no parts given")
    assert "with_parts" in fine.blocks[-1].text and fine.figures[0].value == "no limit exceeded"


def test_friction_of_a_wheel_that_hardly_stands_is_explained():
    base = lp.WheeledBase(mass=20, center_of_mass=(0, 0, 0.2), inertia=np.eye(3), friction=lp.WheelFriction(0.6),
                          wheels=[
        lp.FixedWheel((x, y), 0.1) for x in (-0.3, 0.3) for y in (-0.3, 0.3)])
    rover = base.carrying(lp.catalog.planar(1).with_payload(2.0), at=(0, 0, 0.3))
    section = rover.report(only=["wheels"], acceleration=(6.0, 0.0)).sections[0]
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert all("on" in line[5][1] and line[5][1].endswith("N") for line in table.rows) and "hardly stands" in table.note
    chart = next(block for block in section.blocks if block.kind == "chart" and block.title.startswith("Friction"))
    largest = max(cell(line[5]) if line[5][0] != "all" else 1e9 for line in table.rows)
    assert (largest > 200) == ("Cut off at 200 %" in chart.note)
