"""The report and the commands of closed robots."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

import loadpath as lp
from browsing import wait_until
from closed.cases import CATALOG, catalog
from loadpath.cli import app
from loadpath.cli.options import ROBOTS
from loadpath.drawing.surfaces import bodies_of
from loadpath.report.closed import mechanism
from loadpath.report.page import unpacked


@pytest.fixture(scope="module")
def report():
    bar = catalog("four_bar")
    return bar.report(lp.Motion.swing(bar, 60))


def section(report, title):
    return next(part for part in report.sections if part.title == title)


def tables(part):
    return {block.title: block for block in part.blocks if block.kind == "table"}


def test_every_table_has_the_loop_pins(report):
    wanted = ["What was computed", "Mechanism", "Drives", "Joints"]
    assert [part.title for part in report.sections if part.title in wanted] == wanted
    bearings, wrenches, base = tables(section(report, "Joints")).values()
    assert [row[0] for row in base.rows][5] == "torque z (N m)"
    for table in (bearings, wrenches):
        assert "rocker_pin" in [row[0] for row in table.rows]
    causes = section(report, "Where the loads come from")
    assert "rocker_pin" in [block.title for block in causes.blocks if block.kind == "choice"]
    drives = next(iter(tables(section(report, "Drives")).values()))
    assert [row[0] for row in drives.rows] == ["crank_joint"]


def test_what_statics_knows_is_said_plainly(report):
    mechanism = section(report, "Mechanism")
    known = tables(mechanism)["What rigid statics knows of the reactions"]
    assert known.rows[-1] == ["rocker_pin", *"\N{BLACK CIRCLE}" * 2, *"\N{WHITE CIRCLE}" * 3, "\N{BLACK CIRCLE}"]
    assert "equal compliances" in known.note
    assert mechanism.figures[0].value == "12 of 24"
    text = next(block.text for block in mechanism.blocks if block.kind == "text")
    assert "1 freedom" in text and "3 - 5 = -2" in text
    wrenches = tables(section(report, "Joints"))["Peak joint wrenches"]
    marked = [cell[0].endswith("~") for cell in wrenches.rows[-1][1:]]
    assert marked == [False, False, True, True, True, False]


def picture(robot, motion=None):
    (chart,) = robot.report(motion, only=["overview"]).sections[0].blocks
    return chart


@pytest.mark.parametrize("name", ["four_bar", "delta", "excavator"])
def test_the_picture_of_a_mechanism_has_every_pin_with_its_force(name):
    robot = catalog(name)
    motion = lp.Motion.swing(robot, 15)
    chart = picture(robot, motion)
    (trace,) = chart.traces
    carried = trace["names"]  # all but those that carry nothing
    assert set(robot.closed_joint_names) - set(carried) <= {"teeth_joint"}
    assert trace["closes"] == [name in robot.loop_names for name in carried]
    for sample, frame in zip(trace["samples"], trace["frames"], strict=True):
        q, qd, qdd = (part[sample] for part in (motion.q, motion.qd, motion.qdd))
        poses = dict(zip(robot.link_names, robot.link_poses(q), strict=True))
        wrenches = robot.joint_wrenches(q, qd, qdd)
        for loop in robot.loops:
            k = carried.index(loop.name)
            at = poses[loop.second] @ loop.on.matrix
            np.testing.assert_allclose(frame["points"][k], at[:3, 3], atol=1e-12)
            np.testing.assert_allclose(frame["points"][k], (poses[loop.first] @ loop.at.matrix)[:3, 3], atol=1e-5)
            np.testing.assert_allclose(frame["force"][k], at[:3, :3] @ wrenches[loop.name].force, rtol=1e-9, atol=1e-9)
        for body, pose in zip(trace["bodies"], frame["poses"], strict=True):
            np.testing.assert_allclose(np.reshape(pose, (3, 4)), poses[robot.link_names[body["link"]]][:3], atol=1e-12)


def test_the_slider_has_the_instant_of_every_largest_force():
    bar = catalog("four_bar")
    motion = lp.Motion.swing(bar, 2001)
    peaks = bar.peak_loads(motion)
    samples = set(picture(bar, motion).traces[0]["samples"].tolist())
    assert {peaks[name, "force"].peak.sample for name in peaks.joint_names} <= samples


def test_a_plane_mechanism_is_seen_from_in_front_of_its_plane():
    eye = picture(catalog("four_bar")).layout["scene"]["camera"]["eye"]  # in the plane of x and z
    assert -eye["y"] > 0.9 and 0 < eye["z"] < 0.3
    oblique = picture(catalog("delta")).layout["scene"]["camera"]["eye"]
    assert abs(oblique["y"]) < 0.8


@pytest.mark.parametrize("name", CATALOG)
def test_every_mechanism_can_be_drawn(name):
    (trace,) = picture(catalog(name)).traces
    links = {catalog(name).link_names[body["link"]] for body in trace["bodies"]}
    assert {link for loop in catalog(name).loops for link in (loop.first, loop.second)} <= links


@pytest.mark.slow
def test_a_page_in_a_browser(report, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium")
    path = report.save(tmp_path / "report.html")
    with playwright.sync_playwright() as tools:
        options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = tools.chromium.launch(executable_path=chromium, args=options)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(path.as_uri())
        wait_until(page, "document.querySelector('#s1 .space')?.data")
        names = page.locator("#s1 .space").evaluate("c => c.data.find(({ mode }) => mode === 'text').text")
        assert len(names) == 4 and all(name.endswith(" N") for name in names)
        assert problems == []
        browser.close()


# Commands


def run(*words):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "100"})


def test_info_says_what_closes_it_and_what_moves():
    shown = run("info", "four_bar")
    assert shown.exit_code == 0, shown.output
    for words in ("1 degree of freedom, 3 joints and 1 that closes a loop", "Gruebler's count is 3 - 5 = -2",
                  "driven: crank_joint", "passive: coupler_joint, rocker_joint", "rocker_pin"):
        assert words in shown.output, words
    assert set(CATALOG) <= set(ROBOTS)


def test_info_shows_couplings(tmp_path):
    file = tmp_path / "wrist.py"
    file.write_text("import loadpath as lp\n"
                    "wrist = lp.catalog.planar(3).with_coupling({'joint1': 1.0, 'joint2': -2.5}, name='belt')\n",
                    encoding="utf-8")
    shown = run("info", str(file))
    assert shown.exit_code == 0, shown.output
    assert "joint1 - 2.5 joint2 = 0" in shown.output and "1 coupling" in shown.output


def test_demo_shows_the_pins_and_only_the_drives():
    shown = run("demo", "four_bar")
    assert shown.exit_code == 0, shown.output
    drives, others = shown.output.split("Force at every joint")
    assert "crank_joint" in drives and "coupler_joint" not in drives
    assert "rocker_pin" in others and "rigid statics" in others
    assert run("demo", "four_bar", "--joint", "rocker_pin").output.count("Wrench at rocker_pin") == 1


def test_report_by_name(tmp_path):
    file = tmp_path / "bar.html"
    shown = run("report", "four_bar", "-o", str(file))
    assert shown.exit_code == 0, shown.output
    page = file.read_text(encoding="utf-8")
    charts = json.loads(unpacked(page.split('id="charts">', 1)[1].split("</script>", 1)[0]))
    assert sum(trace["type"] == "robot" for chart in charts for trace in chart["data"]) == 1
    assert "What rigid statics knows of the reactions" in page


def test_a_wrong_joint_is_named():
    shown = run("demo", "four_bar", "--joint", "rocker")
    assert shown.exit_code == 2


def test_a_slot_is_drawn_on_the_link_that_it_is_in() -> None:
    """A pin on a crank in the slot of a lever: the lever goes up to the pin, the crank ends there."""
    turns = lp.Revolute((0, 1, 0))
    links = (lp.Link("ground"), *(lp.Link(name, lp.Inertia(1.0, (0.05, 0, 0))) for name in ("crank", "lever")))
    joints = (lp.Joint("a", "ground", "crank", turns, (0, 0, 0.3)), lp.Joint("b", "ground", "lever", turns))
    slot = lp.Robot("whitworth", links, joints).with_loop(
        "slot", "lever", "crank", motion=lp.PointOnLine((1, 0, 0)), on=(0.1, 0, 0)).with_home((-1.0, -1.4))
    bodies, _ = bodies_of(slot, 0.4)
    crank, lever = (bodies[name][0].points[:, 0] for name in ("crank", "lever"))
    assert crank.max() < 0.1 + 0.03 and lever.max() > 0.05


def test_gears_that_share_a_load_are_not_called_determinate() -> None:
    belt = {"joint1": 1.0, "joint2": -2.0}
    robot = lp.catalog.planar(2).with_coupling(belt, name="one").with_coupling(belt, name="two")
    state = robot.home[None], np.zeros((1, 2)), np.zeros((1, 2))
    assert "how couplings share a load is open" in str(mechanism(robot.peak_loads(*state)))
