"""The data sheet: its numbers are those of other functions, and of cases by hand; what lacks is said."""

import math

import numpy as np
import pytest

import loadpath as lp
from loadpath.datasheet.stopping import largest_speeds, stopping
from loadpath.datasheet.torque_speed import torque_speed
from loadpath.datasheet.workspace import workspace

SPEED = 2.0


def arm(**first):
    """Two links in an upright plane, with drives, motors and brakes."""
    found = lp.catalog.planar(2).with_limits({
        "joint1": lp.Limits(lower=-2.0, upper=2.0, velocity=SPEED, effort=first.pop("effort", 90.0)),
        "joint2": lp.Limits(lower=-2.5, upper=2.5, velocity=3.0, effort=60.0)})
    drive = lp.Drive(ratio=100, rotor_inertia=1e-4, efficiency=(0.8, 0.7))
    motor = lp.Motor(continuous_torque=0.5, peak_torque=1.4, max_speed=400.0)
    return found.with_drives(dict.fromkeys(("joint1", "joint2"), drive)).with_parts({
        "joint1": [motor, lp.Brake(holding_torque=1.2, response_time=0.03)],
        "joint2": [motor, lp.Brake(holding_torque=0.6, response_time=0.02)]})


@pytest.fixture(scope="module")
def sheet():
    return arm().datasheet(payload=2.0, only=["workspace", "stopping", "drives"])


# Workspace


@pytest.mark.parametrize("ends", [(-3.0, 3.0), (0.5, 2.0)])
def test_workspace_of_two_links_by_hand(ends):
    robot = lp.catalog.planar(2).with_limits({
        "joint1": lp.Limits(lower=-math.pi, upper=math.pi), "joint2": lp.Limits(lower=ends[0], upper=ends[1])})
    found = workspace(robot, count=100_000)
    nearest_to_straight = max(ends[0], 0.0)
    far, near = (2 * math.cos(angle / 2) for angle in (nearest_to_straight, max(map(abs, ends))))
    assert found.reach == pytest.approx(far, abs=1e-9) and found.nearest == pytest.approx(near, abs=1e-9)
    assert found.high[[0, 2]] == pytest.approx(far, abs=1e-9) and found.low[[0, 2]] == pytest.approx(-far, abs=1e-9)
    edge = 2 * math.pi * (far + near) * found.side.cell
    assert found.side.area == pytest.approx(math.pi * (far**2 - near**2), abs=edge)
    assert found.top is None
    middle = found.side.filled[len(found.side.y) // 2]
    hole = np.abs(found.side.x) < near - 2 * found.side.cell
    assert not middle[hole].any() and (near < 0.5 or hole.any())


def test_workspace_about_an_upright_joint_by_hand():
    """A boom of 1 m on a post of 0.5 m that turns by a right angle and tilts from level to 60 degrees."""
    post = lp.Joint("turn", "base", "post", lp.Revolute((0, 0, 1)), limits=(lp.Limits(lower=0.0, upper=math.pi / 2),))
    boom = lp.Joint("tilt", "post", "boom", lp.Revolute((0, -1, 0)), origin=lp.Pose.from_xyz_rpy(xyz=(0, 0, 0.5)),
                    limits=(lp.Limits(lower=0.0, upper=math.pi / 3),))
    end = lp.Joint("end", "boom", "tip", lp.Fixed(), origin=lp.Pose.from_xyz_rpy(xyz=(1.0, 0, 0)))
    robot = lp.Robot("boom", tuple(lp.Link(name, lp.Inertia(1.0)) for name in ("base", "post", "boom", "tip")),
                     (post, boom, end))
    found = workspace(robot, count=100_000)
    assert (found.reach, found.nearest) == pytest.approx((1.0, 0.5), abs=1e-9)
    assert found.low == pytest.approx([0, 0, 0.5], abs=1e-9)
    assert found.high == pytest.approx([1, 1, 0.5 + math.sin(math.pi / 3)], abs=1e-9)
    assert found.top.area == pytest.approx(math.pi / 4 * (1 - 0.25), rel=0.06)
    assert found.axis == "turn"


def test_workspace_of_a_slide():
    slide = lp.Joint("slide", "base", "car", lp.Prismatic((1, 0, 0)), limits=(lp.Limits(lower=-0.2, upper=1.0),))
    robot = lp.Robot("slide", (lp.Link("base"), lp.Link("car", lp.Inertia(2.0))), (slide,))
    found = workspace(robot, count=1000)
    assert found.high[0] == pytest.approx(1.0) and found.low[0] == pytest.approx(-0.2) and found.top is None
    free = robot.with_limits({"slide": lp.Limits()})
    with pytest.raises(lp.ModelError, match="'slide' slides without limits: give it a range"):
        workspace(free)


# Stops


def test_stops_of_a_wheel_by_hand():
    """A rod about an upright axis: t = delay + I w / T, way = w delay + I w^2 / 2 T."""
    rod = lp.catalog.planar(1, gravity=0)
    brake = lp.Brake(holding_torque=20.0, response_time=0.05, on="joint")
    found = stopping(lambda share: rod, 0.0, "tip", np.array([6.0]), brakes={"joint1": brake})["joint1", 0]
    w = 6.0 * np.array([1 / 3, 2 / 3, 1.0])
    assert found.extensions == (1.0,) and found.loads == (1.0,)
    assert found.time[0, 0] == pytest.approx(0.05 + w / 60.0, rel=1e-9)
    assert found.distance[0, 0] == pytest.approx(0.05 * w + w**2 / 120.0, rel=1e-9)
    assert found.arc == pytest.approx(found.distance * 1.0)


def test_stops_by_the_drive_by_hand():
    """A rod about an upright axis: t = I w / M."""
    rod = lp.catalog.planar(1, gravity=0).with_limits({"joint1": lp.Limits(effort=5.0, velocity=6.0)})
    found = stopping(lambda share: rod, 0.0, "tip", np.array([6.0]))["joint1", 1]
    w = 6.0 * np.array([1 / 3, 2 / 3, 1.0])
    assert found.time[0, 0] == pytest.approx(w / 15.0, rel=1e-6)
    assert found.distance[0, 0] == pytest.approx(w**2 / 30.0, rel=1e-6)


def test_stops_by_the_drive_keep_the_balance_of_work():
    """A rod in an upright plane: what its speed and its weight give is what the drive takes, 16 N m all the way."""
    rod = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(lower=-2.0, upper=2.0, effort=16.0, velocity=4.0)})
    found = stopping(lambda share: rod, 0.0, "tip", np.array([4.0]))["joint1", 1]
    g = float(np.linalg.norm(rod.gravity))
    start, sense = float(found.q[0, 0]), found.directions[0]
    for w, way in zip(4.0 * np.array([1 / 3, 2 / 3, 1.0]), found.distance[0, 0], strict=True):
        fallen = -0.5 * g * (math.sin(start + sense * way) - math.sin(start))
        assert w**2 / 6 + fallen == pytest.approx(16.0 * way, rel=1e-4)


@pytest.mark.parametrize(("category", "tolerance"), [(0, 1e-8), (1, 2e-3)])
@pytest.mark.parametrize("joint", ["joint1", "joint2"])
def test_stops_are_those_of_robot_stop(joint, category, tolerance):
    """Of the robot with the other joint locked, on which nothing is that it could exceed."""
    other = {"joint1": "joint2", "joint2": "joint1"}[joint]
    robot = arm().without_parts(other).with_limits({other: lp.Limits(lower=-2.0, upper=2.0)})
    table = robot.datasheet(payload=2.0, only=["stopping"]).stopping[joint, category]
    k = robot.dof_names.index(joint)
    for e, load, speed in ((-1, 2, 2), (0, 0, 1), (-1, 1, 0)):
        carrying = robot.with_payload(2.0 * table.loads[load])
        alone = carrying.locked({other: float(table.q[e, 1 - k])}).with_limits({joint: lp.Limits(effort=90.0)})
        if joint == "joint2":
            alone = alone.with_limits({joint: lp.Limits(effort=60.0)})
        start, v = float(table.q[e, k]), table.directions[e] * table.speed * table.speeds[speed]
        motion = lp.Motion([0.0, 4.0], [[start], [start + 4 * v]], [[v], [v]], [[0.0], [0.0]])
        stop = alone.stop(motion, 0.0, category=0 if category == 0 else 2)
        assert table.time[e, load, speed] == pytest.approx(stop.time, rel=tolerance)
        assert table.distance[e, load, speed] == pytest.approx(stop.travelled[0], rel=tolerance)


def test_no_pose_drawn_stops_later(sheet):
    """Of other poses at the same extension none has a longer way, by a law of its own for each."""
    table = sheet.stopping["joint1", 0]
    assert (np.diff(table.time, axis=1) > 0).all() and (np.diff(table.distance, axis=2) > 0).all()
    assert table.directions[-1] * math.sin(table.q[-1, 0]) <= 1.0 and table.reach == pytest.approx(2.0, abs=1e-9)


def test_brakes_that_do_not_hold_are_said():
    weak = arm().without_parts("joint1").with_parts({"joint1": lp.Brake(holding_torque=0.1, response_time=0.03)})
    made = weak.datasheet(payload=2.0, only=["stopping"])
    table = made.stopping["joint1", 0]
    assert np.isnan(table.time[-1]).all()
    assert "brakes do not hold it there" in made.html and "does not stop" in made.html


def test_limits_that_leave_no_stop_are_said():
    weak = arm(effort=5.0)
    table = weak.datasheet(payload=2.0, only=["stopping"]).stopping["joint1", 1]
    assert np.isnan(table.time[-1]).all()


def test_a_slide_that_falls_by_hand():
    """4 kg fall at v against a brake of 100 N: v + g delay, then (100 - 4 g) / 4."""
    slide = lp.Joint("lift", "base", "car", lp.Prismatic((0, 0, 1)),
                     limits=(lp.Limits(lower=0.0, upper=2.0, velocity=1.5),))
    robot = lp.Robot("lift", (lp.Link("base"), lp.Link("car", lp.Inertia(4.0))), (slide,))
    brake = lp.Brake(holding_torque=100.0, response_time=0.04, on="joint")
    made = robot.datasheet(brakes={"lift": brake}, only=["stopping"])
    found = made.stopping["lift", 0]
    g = float(np.linalg.norm(robot.gravity))
    v = 1.5 * np.array([1 / 3, 2 / 3, 1.0])
    w, a = v + g * 0.04, 25.0 - g
    assert found.directions[0] == -1.0 and not found.turns
    assert found.time[0, 0] == pytest.approx(0.04 + w / a, rel=1e-9)
    assert found.distance[0, 0] == pytest.approx(v * 0.04 + g * 0.04**2 / 2 + w**2 / (2 * a), rel=1e-9)
    assert "(mm)" in made.html


# Drives


def test_torque_and_speed_are_those_of_motor_loads(sheet):
    motion = lp.Motion.swing(sheet.robot)
    loads = sheet.robot.motor_loads(motion)
    for k, one in enumerate(sheet.drives):
        assert one.drive == loads.drive_names[k] and one.at_motor
        assert np.array_equal(one.torque, loads.torque[:, k]) and np.array_equal(one.speed, loads.speed[:, k])
        assert one.rms_torque == pytest.approx(loads.rms_torque[k], rel=1e-12)
        assert one.peak == ((0.0, 1.4), (400.0, 1.4)) and one.continuous == ((0.0, 0.5), (400.0, 0.5))


def test_torque_and_speed_of_joints_without_motors_and_of_spectra():
    robot = lp.catalog.panda()
    motion = lp.Motion.swing(robot, 101)
    slow = motion.scaled(duration=2 * motion.duration)
    found = torque_speed(robot, lp.DutySpectrum([(motion, 0.25), (slow, 0.75)]))
    tau = [robot.inverse_dynamics(one) for one in (motion, slow)]
    assert np.array_equal(found[1].torque, np.concatenate([part[:, 1] for part in tau])) and not found[1].at_motor
    means = [np.trapezoid(part[:, 1] ** 2, one.t) / one.duration for part, one in zip(tau, (motion, slow), strict=True)]
    assert found[1].rms_torque == pytest.approx(math.sqrt(0.25 * means[0] + 0.75 * means[1]))
    assert found[1].peak == ((0.0, 87.0), (2.175, 87.0))


def test_curves_of_motors_are_cut_by_their_constants():
    motor = lp.Motor(peak_torque=1.0, intermittent_curve=[(0, 2.0), (100, 2.0), (300, 0.0)], max_speed=250)
    robot = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(ratio=10)}).with_parts({"joint1": motor})
    (found,) = torque_speed(robot, lp.Motion.swing(robot))
    assert found.peak == ((0.0, 1.0), (100.0, 1.0), (200.0, 1.0), (250.0, 0.5))
    assert largest_speeds(robot) == pytest.approx([25.0])


# The page


def test_the_page_shows_the_numbers(sheet):
    html = sheet.html
    table = sheet.stopping["joint1", 0]
    assert f"{table.time[-1, -1, -1]:.3f}" in html
    assert f"{math.degrees(table.distance[-1, -1, -1]):.2f}" in html
    assert "Reach" in html and f"{1000 * sheet.workspace.reach:,.0f} mm" in html
    titles = [section.title for section in sheet.page.sections]
    assert titles == ["The robot", "Workspace", "Stopping times and distances", "Drives: torque over speed",
                      "Data of the parts", "How it was made"]
    assert sheet.left_out == ()


def test_the_payload_is_stated_or_carried():
    robot = arm()
    carried = robot.with_payload(2.0, (0.1, 0, 0))
    made = carried.datasheet(only=["stopping"])
    assert made.payload == 2.0 and made.link == "tip"
    assert made.robot.link("payload").inertia.center_of_mass == (0.1, 0.0, 0.0)
    stated = carried.datasheet(payload="500 g", only=["drives"])
    assert stated.payload == 0.5 and stated.robot.link("payload").inertia.center_of_mass == (0.0, 0.0, 0.0)
    none = carried.datasheet(payload=0, only=["stopping"])
    assert none.payload == 0 and none.stopping["joint1", 0].loads == (1.0,)
    assert any("Shares of the payload" in text for text in none.left_out)
    masses = next(block for block in made.page.sections[0].blocks if block.title == "Masses")
    assert "payload" not in [row[0] for row in masses.rows]


def test_what_lacks_is_left_out_and_said():
    bare = lp.catalog.planar(2)
    made = bare.datasheet(only=["stopping", "drives", "payload", "life"])
    assert made.stopping.tables == ()
    said = " ".join(made.left_out)
    for words in ("no largest speed is known", "lp.Limits(velocity=", "none is stated. Give payload=", "lp.Motor"):
        assert words in said
    moving = bare.with_limits({"joint1": lp.Limits(velocity=1.0)}).datasheet(payload=1.0, only=["stopping"])
    said = " ".join(moving.left_out)
    assert "has no brakes" in said and "nothing limits the drive" in said
    one = arm().without_parts("joint2").datasheet(payload=1.0, only=["stopping"])
    assert any("category 0 of 'joint2': there is no brake" in text for text in one.left_out)
    assert ("joint1", 0) in [(table.joint, table.category) for table in one.stopping.tables]


def test_robots_of_other_kinds():
    closed = lp.catalog.four_bar().datasheet(only=["workspace", "stopping", "drives"])
    assert closed.workspace is None and closed.stopping is None and closed.drives
    assert any("has loops" in text for text in closed.left_out)
    assert any("joints do not move one alone" in text for text in closed.left_out)
    floating = lp.catalog.planar(2).floating().datasheet(only=["workspace", "drives"])
    assert floating.workspace is None and any("more than one axis" in text for text in floating.left_out)
    with pytest.raises(lp.ModelError, match=r"rover.on_fixed_base.datasheet"):
        lp.catalog.lau_rover().datasheet()
    with pytest.raises(ValueError, match="has several ends"):
        lp.catalog.random_tree(5, 3).datasheet()


def test_wrong_inputs():
    robot = arm()
    for words, payload in (("payload", -1.0), ("payload", math.nan), ("payload", "2 m")):
        with pytest.raises(ValueError, match=words):
            robot.datasheet(payload=payload)
    with pytest.raises(ValueError, match="tool"):
        robot.datasheet(link="tool")
    with pytest.raises(ValueError, match="stoping"):
        robot.datasheet(only=["stoping"])
    with pytest.raises(ValueError, match="expected a list of sections"):
        robot.datasheet(only="stopping")
    with pytest.raises(lp.ModelError, match="no moving joints"):
        lp.Robot("stone", (lp.Link("base", lp.Inertia(1.0)),), ()).datasheet()
    with pytest.raises(KeyError, match="no stops of joint and category"):
        robot.datasheet(payload=1.0, only=["stopping"]).stopping["joint9", 0]


def test_progress_is_a_share():
    seen = []
    arm().datasheet(payload=1.0, only=["stopping"], progress=seen.append)
    assert seen == sorted(seen) and len(seen) > 4 and seen[-1] <= 1.0


# What other rooms say, on one page


@pytest.fixture(scope="module")
def whole():
    gear = lp.StrainWaveGear(ratio=100, rated_torque=70, rated_speed=200, rated_life=10_000, stiffness=2e4)
    robot = arm().with_parts(dict.fromkeys(("joint1", "joint2"), gear))
    duty = lp.Motion.through(robot, [[0.0, 0.5], [0.6, -0.5], [0.0, 0.5]], times=[0, 1.0, 2.0], rate=50)
    return robot, duty, robot.datasheet(duty, payload=2.0, hours=1000.0)


def test_payload_foundation_compliance_and_life_are_those_of_their_functions(whole):
    robot, duty, made = whole
    assert made.left_out == ()
    diagram = made.payload_diagram
    center = (0.0, 0.0, float(diagram.axial[3]))
    assert diagram.mass[3, 0] == pytest.approx(
        robot.payload_diagram(duty, offsets=([center[2]], [0.0]), hours=1000.0, around=8).mass[0, 0], rel=1e-9)
    full = robot.with_payload(2.0, link="tip")
    alone = full.foundation_loads(duty)
    for row in alone:
        assert made.foundation["service", row.quantity].value == pytest.approx(row.value, rel=1e-12)
    assert made.foundation.cases == ("service", "stop, category 0", "stop, category 1")
    stretched = made.compliance["stretched out"]
    assert stretched.mm_per_N.max() == pytest.approx(1e3 * (2.0**2 + 1.0) / 2e4, rel=1e-3)
    life = made.duty_map
    assert np.array_equal(life.payload, np.linspace(0, 2.5, 6)) and life.hours == 1000.0
    there = robot.with_payload(2.5, link="tip").verdict(duty.scaled(speed=float(life.speed[2])), hours=1000.0)
    assert life.life[-1, 2] == pytest.approx(there.shortest_life.life_hours, rel=1e-9)


def test_they_are_on_the_page(whole):
    made = whole[2]
    titles = [section.title for section in made.page.sections]
    assert titles == ["The robot", "Workspace", "Payload", "Stopping times and distances", "Loads on the foundation",
                      "Static compliance", "Speed, payload and life", "Drives: torque over speed", "Data of the parts",
                      "How it was made"]
    html = made.html
    assert f"{made.foundation.largest('tilting_moment').value:.4g}" in html
    assert "joint1, strain wave gear" in html.replace("<wbr>", "")


def test_without_a_duty_a_payload_is_held_at_rest_in_many_poses():
    made = arm().datasheet(payload=1.0, only=["payload", "life"])
    by_hand = 90.0 / float(np.linalg.norm(made.robot.gravity)) / 2.0 - 1.0     # stretched out: 90 N m hold both rods
    assert made.payload_diagram.mass[0, 0] == pytest.approx(by_hand, rel=1e-6)
    assert any("Speed, payload and life: no duty is given" in text for text in made.left_out)
    assert "poses at rest" in made.html
