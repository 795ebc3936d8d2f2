"""The bodies in the report's picture: where they are, how fine they are, and what their colours say."""

import base64
import shutil

import numpy as np
import pytest

import loadpath as lp
from browsing import wait_until
from loadpath.drawing.coarse import coarse
from loadpath.drawing.scene import ball
from loadpath.drawing.surfaces import Surface
from loadpath.report.bodies import MOST_TRIANGLES, drives_of_links, sent_bodies

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def trace_of(robot, motion=None, **given):
    section = robot.report(motion, only=["overview"], **given).sections[0]
    return next(block for block in section.blocks if block.kind == "chart").traces[0]


def points_of(body):
    places = np.frombuffer(base64.b64decode(body["points"]), "<u2").reshape(-1, 3)
    return body["low"] + places * np.array(body["step"])


def shaped_arm(effort=30.0):
    """A base plate and an arm of 1 m and 4 kg, as boxes."""
    plate, bar = lp.BoxShape((0.3, 0.3, 0.02)), lp.BoxShape((1.0, 0.1, 0.05), pose=(0.5, 0, 0), color=(1, 1, 1))
    links = (lp.Link("base", shapes=[plate]), lp.Link("arm", bar.inertia(800.0), shapes=[bar]))
    joint = lp.Joint("shoulder", "base", "arm", lp.Revolute((0, 1, 0)))
    return lp.Robot("arm", links, (joint,)).with_limits({"shoulder": {"effort": effort}})


def test_bodies_move_with_their_links_and_have_the_places_of_the_shapes():
    arm = shaped_arm()
    motion = lp.Motion.through(arm, [[0.0], [1.0]], times=[0, 1])
    trace = trace_of(arm, motion)
    plate, bar = trace["bodies"]
    assert (plate["link"], bar["link"]) == (0, 1) and (plate["drive"], bar["drive"]) == (-1, 0)
    assert np.allclose(points_of(bar).min(axis=0), (0, -0.05, -0.025), atol=2e-5)
    assert np.allclose(points_of(bar).max(axis=0), (1, 0.05, 0.025), atol=2e-5)
    for sample, frame in zip(trace["samples"], trace["frames"], strict=True):
        q = motion.q[sample]
        at = np.reshape(frame["poses"][1], (3, 4))
        assert np.allclose(at, [[np.cos(q[0]), 0, np.sin(q[0]), 0], [0, 1, 0, 0], [-np.sin(q[0]), 0, np.cos(q[0]), 0]])
        tau = arm.inverse_dynamics(q, motion.qd[sample], motion.qdd[sample])
        assert frame["shares"][0] is None and frame["shares"][1] == pytest.approx(abs(tau[0]) / 30.0, abs=6e-5)


def test_links_take_the_drive_that_moves_them_also_across_welds_and_in_trees():
    robot = lp.catalog.panda()
    drives = drives_of_links(robot)
    assert drives[robot.base.name] == -1
    for joint in robot.joints:
        expected = robot.v_slices[joint.name].start if joint.motion.dof else drives[joint.parent]
        assert drives[joint.child] == expected
    assert {body["limit"] for body in sent_bodies(robot, 1.0)} <= {87.0, 12.0, None}


def test_many_triangles_become_as_many_as_a_page_takes_and_keep_their_outline():
    fine = Surface(*ball(np.array([1.0, 2.0, 3.0]), 0.5, sides=200), color=(1, 2, 3))
    small = Surface(*ball(np.zeros(3), 0.4, sides=60), color=(4, 5, 6))
    assert len(fine.triangles) + len(small.triangles) > 2 * MOST_TRIANGLES
    found = coarse([fine, small], MOST_TRIANGLES)
    count = sum(len(surface.triangles) for surface in found)
    assert 0.8 * MOST_TRIANGLES < count <= MOST_TRIANGLES
    for surface, center, radius in zip(found, ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)), (0.5, 0.4), strict=True):
        assert np.abs(np.linalg.norm(surface.points - center, axis=1) / radius - 1).max() < 0.01
        corners = surface.points[surface.triangles]
        assert np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).all()
    assert coarse([small], 10**6)[0] is small


def test_a_rover_stands_on_its_wheels_in_the_picture():
    rover = lp.catalog.lau_rover()
    motion = lp.Motion.swing(rover)
    trace = trace_of(rover, motion)
    loads, standing = (ask(motion.q, motion.qd, motion.qdd) for ask in (rover.wheel_loads, rover.stability))
    assert np.allclose(np.sort(np.array(trace["ring"])[:, :2], axis=0), np.sort(standing.support_polygon, axis=0))
    ratios = []
    for sample, frame in zip(trace["samples"], trace["frames"], strict=True):
        ground = frame["ground"]
        assert np.allclose(ground["zero_moment_point"][:2], standing.zero_moment_point[sample])
        assert ground["tips"] == standing.tips_over[sample]
        ratios.append(np.asarray(ground["force"]) / loads.force[sample])
    scale = np.nanmedian(ratios)
    assert np.allclose(np.array(ratios)[np.isfinite(ratios)], scale)
    *wheels, slab = [body for body in trace["bodies"] if body["link"] == 0][-len(loads.names) - 1 :]
    lowest = [points_of(wheel)[:, 2].min() for wheel in wheels]
    assert points_of(slab)[:, 2].min() > 0 and lowest == pytest.approx([0] * 3, abs=1e-3)


COLORS = """canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let beyond = 0, inked = 0;
  for (let k = 0; k < data.length; k += 4) {
    if (data[k + 3] < 255) continue;
    inked += 1;
    const [red, green, blue] = data.subarray(k, k + 3);
    if (red > 90 && red > 2.4 * green && red > 1.9 * blue && blue > 1.2 * green) beyond += 1;
  }
  return { beyond, inked };
}"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_link_whose_drive_is_overloaded_is_drawn_in_the_color_that_says_so(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    found = {}
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for effort in (10.0, 1000.0):
            report = shaped_arm(effort).report(only=["overview"])
            page, problems = chromium.new_page(), []
            page.on("pageerror", lambda error, problems=problems: problems.append(str(error)))
            page.goto(report.save(tmp_path / "report.html").as_uri() + "#all")
            wait_until(page, "document.querySelector('.chart.space')?.data")
            found[effort] = page.locator(".space canvas").evaluate(COLORS)
            assert problems == []
        chromium.close()
    assert found[10.0]["beyond"] > 3000 and found[1000.0]["beyond"] < 600  # the legend has it
    assert found[1000.0]["inked"] > 3000


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("width", [400, 1200])
def test_names_hide_no_other_name_and_stay_in_the_picture(tmp_path, width):
    playwright = pytest.importorskip("playwright.sync_api")
    path = lp.catalog.parallelogram_palletizer().report(only=["overview"]).save(tmp_path / "report.html")
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": width, "height": 900})
        page.goto(path.as_uri() + "#all")
        wait_until(page, "document.querySelector('.chart.space')?.space?.labels?.length")
        labels = page.locator(".space").evaluate("c => c.space.labels")
        wide, high = page.locator(".space").evaluate("c => [c.clientWidth, c.clientHeight]")
        chromium.close()
    assert len(labels) >= 8
    for k, (x, y, w, h) in enumerate(labels):
        assert x >= 0 and y >= 0 and x + w <= wide and y + h <= high
        for u, v, other_w, other_h in labels[:k]:
            assert x >= u + other_w or u >= x + w or y >= v + other_h or v >= y + h
