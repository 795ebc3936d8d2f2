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
from loadpath.report.closed import mechanism, mechanism_with_forces
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


def test_the_picture_of_a_plane_mechanism_has_its_forces_in_their_directions():
    bar = catalog("four_bar")
    still = np.zeros(3)
    wrenches = bar.joint_wrenches(bar.home, still, still)
    chart = mechanism_with_forces(bar, bar.link_poses(bar.home), wrenches.force, "bar")
    arrows = [note for note in chart.layout["annotations"] if note["showarrow"]]
    assert len(arrows) == 4 and {trace["type"] for trace in chart.traces} == {"scatter"}
    tip, start = ([arrows[3][key] for key in pair] for pair in (("x", "y"), ("ax", "ay")))
    poses = dict(zip(bar.link_names, bar.link_poses(bar.home), strict=True))
    frame = poses["rocker"] @ bar.loops[0].on.matrix
    force = frame[:3, :3] @ wrenches["rocker_pin"].force
    np.testing.assert_allclose(start, frame[[0, 2], 3], atol=1e-12)
    drawn = np.subtract(tip, start)
    np.testing.assert_allclose(drawn / np.linalg.norm(drawn), force[[0, 2]] / np.linalg.norm(force), atol=1e-9)


@pytest.mark.parametrize("name", CATALOG)
def test_every_mechanism_can_be_drawn(name):
    robot = catalog(name)
    force = np.random.default_rng(0).normal(size=(len(robot.closed_joint_names), 3))
    chart = mechanism_with_forces(robot, robot.link_poses.uncompiled(robot.home), force, name)
    kinds = {trace["type"] for trace in chart.traces}
    assert kinds == ({"scatter3d"} if name in ("delta", "stewart_platform") else {"scatter"})
    links = {trace.get("name") for trace in chart.traces}
    assert {link for loop in robot.loops for link in (loop.first, loop.second)} - links <= {"slider"}


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
        wait_until(page, "document.querySelectorAll('#s1 .annotation-arrow-g').length == 4")
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
    assert any(chart["layout"].get("annotations") for chart in charts)
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
    poses, c = slot.link_poses.uncompiled(slot.home), np.cos(slot.home)
    drawn = {trace.get("name"): trace for trace in mechanism_with_forces(slot, poses, np.zeros((3, 3)), "").traces}
    assert np.allclose(np.ptp(drawn["crank"]["x"]), 0.1 * c[0]) and len(drawn["crank"]["x"]) == 2
    assert np.allclose(np.max(drawn["lever"]["x"]), 0.1 * c[0])


def test_gears_that_share_a_load_are_not_called_determinate() -> None:
    belt = {"joint1": 1.0, "joint2": -2.0}
    robot = lp.catalog.planar(2).with_coupling(belt, name="one").with_coupling(belt, name="two")
    state = robot.home[None], np.zeros((1, 2)), np.zeros((1, 2))
    assert "how couplings share a load is open" in str(mechanism(robot.peak_loads(*state)))
