"""The viewer in a real browser: sliders move the robot, arrows are what is computed, nothing leaves the machine."""

import shutil
import time

import numpy as np
import pytest

import loadpath as lp
from browsing import wait_until

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("viser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
PATIENCE = 60_000  # ms: drawing is slow without a graphics card


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tools:
        options = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=options)
        yield chromium
        chromium.close()


def opened(browser, address, width=500, height=400):
    """A page, what went wrong in it, and what it asked for."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.set_default_timeout(PATIENCE)
    page.problems, page.fetched = [], []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda said: page.problems.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: page.fetched.append(request.url))
    page.on("websocket", lambda socket: page.fetched.append(socket.url))
    page.goto(address)
    return page


def at_home(url):
    """Whether a request stays on this machine."""
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "file:"))


def until(condition, seconds=30.0):
    """Wait for what another thread does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def layer(viewer, name):
    return next(found for found in viewer.stage.layers if type(found).__name__ == name)


@pytest.fixture(scope="module")
def viewer():
    with lp.catalog.lau_arm().view(open_browser=False) as found:
        yield found


@pytest.fixture(scope="module")
def page(browser, viewer):
    found = opened(browser, viewer.url)
    found.get_by_text("theta1 (deg)").wait_for()
    yield found
    assert found.problems == []
    assert [url for url in found.fetched if not at_home(url)] == []
    found.close()


def nodes_are_at(viewer):
    """Whether every node of a link stands where the compiled kinematics put the link."""
    poses = np.asarray(viewer.stage.subject.robot.link_poses(viewer.q))
    for node, pose in zip(layer(viewer, "Bodies").nodes, poses, strict=True):
        w, x, y, z = node.wxyz
        turn = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ])
        np.testing.assert_allclose(node.position, pose[:3, 3], atol=1e-12)
        np.testing.assert_allclose(turn, pose[:3, :3], atol=1e-12)


def test_a_slider_moves_the_robot_and_its_arrows(page, viewer):
    before, control = viewer.q, viewer.stage.subject.moving.controls[0]
    slider = page.get_by_role("slider").first
    slider.focus()  # by the keyboard, as by the pointer
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    until(lambda: abs(control.of(viewer.q) - control.of(before) - 5 * control.step) < 1e-6)
    until(lambda: viewer.stage._done == viewer.stage._asked)
    nodes_are_at(viewer)
    robot, drawn = viewer.stage.subject.robot, layer(viewer, "Arrows")
    wrenches = robot.joint_wrenches(viewer.q, np.zeros(robot.n), np.zeros(robot.n))
    scale = drawn.scales["force"].factor
    tips = drawn.drawn["force", "total"]
    turns = viewer.frame.joints[:, :3, :3]
    world = np.einsum("jab,jb->ja", turns, np.asarray(wrenches.force))
    long = np.linalg.norm(world, axis=1) > 0.01 * np.linalg.norm(world, axis=1).max()
    np.testing.assert_allclose((tips[:, 1] - tips[:, 0]) / scale, world[long], atol=1e-9)


def test_a_cause_is_chosen_and_the_numbers_are_those_computed(page, viewer):
    viewer.set([0.3, -0.4, 0.9], [0.5, 1.0, -0.2], [1.0, -2.0, 0.5])
    page.get_by_role("tab", name="Loads").click()
    page.get_by_text("cause", exact=True).last.wait_for()
    expected = viewer.frame.loads.by_cause["gravity"][0]
    turned = viewer.frame.joints[0, :3, :3] @ expected[:3]
    page.locator("tr", has_text="coriolis").first.wait_for()
    shown = page.locator("tr", has_text="gravity").first.inner_text().split()
    values = [float(text) for text in shown if text.replace(".", "").replace("-", "").replace("e", "").isdigit()]
    np.testing.assert_allclose(values[:3], turned, rtol=5e-3, atol=1e-2)
    choice = layer(viewer, "LoadChoice")
    choice.cause.value = "every cause"
    until(lambda: ("force", "inertial") in layer(viewer, "Arrows").drawn)
    assert ("force", "total") not in layer(viewer, "Arrows").drawn
    choice.cause.value = "total"


def test_it_plays_until_somebody_moves_the_robot(page, viewer):
    page.get_by_role("tab", name="Motion").click()
    page.get_by_role("button", name="Play").click()
    until(lambda: viewer.frame.state.time not in (None, 0.0))
    first = viewer.frame.state.time
    until(lambda: viewer.frame.state.time != first)
    viewer.set([0.1, 0.2, 0.5])
    assert not layer(viewer, "Player").playing and viewer.frame.state.time is None
    nodes_are_at(viewer)


def test_a_telephone_shows_the_controls_in_its_width(browser, viewer):
    page = opened(browser, viewer.url, 360, 640)
    page.get_by_text(viewer.stage.subject.name).first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert page.problems == [] and [url for url in page.fetched if not at_home(url)] == []
    page.close()


def test_a_recording_plays_from_its_file_alone(browser, viewer, tmp_path):
    path = viewer.record(tmp_path / "swing.html", rate=5)
    assert path.stat().st_size < 1e6
    page = opened(browser, path.as_uri(), 400, 300)
    button, time_, slider = (page.locator(f".player {part}") for part in ("button", "output", "input"))
    wait_until(page, "document.querySelector('.space')?.data")
    wait_until(page, "Number(document.querySelector('.slider input').value) > 0")  # it plays by itself, again and again
    button.click()
    assert "play" in button.text_content()
    slider.evaluate("s => { s.value = 3; s.dispatchEvent(new Event('input')); }")
    assert time_.text_content() == "0.600 s"
    viewer.seek(0.6)
    expected = viewer.frame.joints[0, :3, 3]
    marker = "c => { const { x, y, z } = c.data.find(({ name }) => name === 'joints'); return [x[0], y[0], z[0]]; }"
    np.testing.assert_allclose(page.locator(".space").evaluate(marker), expected, atol=1e-6)
    page.locator("label:has-text('arrows') select").select_option("torque")
    names = "c => c.data.map(({ name }) => name).filter(Boolean).join()"
    assert "gravity (torque: 1 m is" in page.locator(".space").evaluate(names)
    page.locator("label:has-text('speed') select").select_option("4")
    button.click()
    wait_until(page, "Number(document.querySelector('.slider input').value) !== 3")
    assert page.problems == []
    assert [url for url in page.fetched if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


def test_a_script_that_gets_into_a_recording_or_the_page_does_not_run(browser, viewer, page, tmp_path):
    smuggled = "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'><img src='http://127.0.0.1:9/'>"
    path = viewer.record(tmp_path / "swing.html", rate=2)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("</body>", f"{smuggled}</body>"), encoding="utf-8")
    recorded = opened(browser, path.as_uri(), 400, 300)
    recorded.locator("canvas").first.wait_for()
    assert recorded.title().startswith("lau_arm")
    assert recorded.evaluate("window.ran === undefined")
    assert any("Content Security Policy" in said for said in recorded.problems)
    recorded.close()
    other = opened(browser, viewer.url)
    other.get_by_text("theta1 (deg)").wait_for()
    other.evaluate("html => { document.body.insertAdjacentHTML('beforeend', html); }", smuggled)
    other.wait_for_timeout(200)
    assert other.evaluate("window.ran === undefined")
    other.close()
