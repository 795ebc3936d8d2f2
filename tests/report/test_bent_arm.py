"""The bent arm in the picture: its shape is deflection times the factor that is said, its colour the stress over the
yield strength, at the instants that were sent and, in the page, between them."""

import shutil

import numpy as np
import pytest

import loadpath as lp
from browsing import wait_until
from loadpath.report.bent import SECTIONS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TUBE = lp.Tube(0.02, 0.002)


@pytest.fixture(scope="module")
def arm():
    beams = {"link1": lp.Beam(TUBE, lp.ALUMINIUM, end="joint2"), "link2": lp.Beam(TUBE, lp.ALUMINIUM, end="tip_joint")}
    return lp.catalog.planar(2, length=0.6, mass=2.0).with_payload(3.0).with_beams(beams)


@pytest.fixture(scope="module")
def motion(arm):
    return lp.Motion.through(arm, [[0.0, 0.2], [0.9, -0.6]], times=[0, 1], rate=40)


def trace_of(robot, motion):
    (chart,) = robot.report(motion, only=["overview"], interactive=False).sections[0].blocks
    return chart.traces[0], chart


def drawn(trace, frame):
    """(points, 3) by line."""
    found, start = [], 0
    for line, pose in zip(trace["bent"]["lines"], frame["bent poses"], strict=True):
        count, at = len(line["points"]), np.reshape(pose, (3, 4))
        rest = line["points"] @ at[:, :3].T + at[:, 3]
        found.append(rest + trace["bent"]["factor"] * frame["moved"][start : start + count])
        start += count
    return found


def test_the_ends_of_beams_are_where_the_joints_go(arm, motion):
    trace, chart = trace_of(arm, motion)
    factor = trace["bent"]["factor"]
    assert factor > 1 and f"drawn {factor:g} times" in trace["bent"]["name"]
    assert f"{factor:g} times as large" in chart.note
    for sample, frame in zip(trace["samples"], trace["frames"], strict=True):
        state = motion.q[sample], motion.qd[sample], motion.qdd[sample]
        sag, poses = arm.deflection(*state), arm.link_poses(state[0])
        beams = drawn(trace, frame)
        for line, link, end in zip(beams[:2], ("link1", "link2"), ("link2", "tip"), strict=True):
            k = arm.link_names.index(end)
            np.testing.assert_allclose(line[-1], poses[k, :3, 3] + factor * sag[end].displacement, atol=1e-9)
            np.testing.assert_allclose(line[0], poses[arm.link_names.index(link), :3, 3]
                                       + factor * sag[link].displacement, atol=1e-9)


def test_the_curve_between_is_that_of_a_cantilever():
    """A clamped beam under its tip's load: F x^2 (3L - x) / 6EI."""
    rod = lp.Rod(0.01)
    links = (lp.Link("base"), lp.Link("link1"), lp.Link("tip", lp.Inertia(1.0)))
    joints = (lp.Joint("joint1", "base", "link1", lp.Revolute((0, 1, 0))),
              lp.Joint("tip_joint", "link1", "tip", lp.Fixed(), (1, 0, 0)))
    one = lp.Robot("one", links, joints).with_beams({"link1": lp.Beam(rod, lp.STEEL, end="tip_joint")})
    still = np.zeros((5, 1))
    trace, _ = trace_of(one, lp.Motion(np.linspace(0, 1, 5), still, still, still, robot=one))
    line = trace["bent"]["lines"][0]["points"][:, 0]
    by_hand = -9.81 * line**2 * (3 - line) / (6 * lp.STEEL.youngs_modulus * rod.second_moment_y)
    moved = trace["frames"][0]["moved"][: len(line), 2]
    assert np.allclose(moved, by_hand, rtol=2e-3, atol=2e-3 * abs(by_hand).max())  # and shear


def test_colors_are_stress_over_yield_strength(arm, motion):
    trace, _ = trace_of(arm, motion)
    for sample, frame in list(zip(trace["samples"], trace["frames"], strict=True))[::9]:
        found = arm.stress(motion.q[sample], motion.qd[sample], motion.qdd[sample], sections=SECTIONS)
        use = found.von_mises / found.sections.yield_strengths
        own = [k for k, beam in enumerate(found.sections.beams) if beam == 0]
        first, last = frame["used"][0], frame["used"][len(trace["bent"]["lines"][0]["points"]) - 1]
        assert first == pytest.approx(use[own[0]]) and last == pytest.approx(use[own[-1]])
        assert np.nanmax(frame["used"]) == pytest.approx(use.max())


def test_rigid_robots_and_those_whose_shape_is_not_known_are_drawn_as_they_are():
    robot = lp.catalog.planar(1)
    trace, chart = trace_of(robot, lp.Motion.swing(robot, 11))
    assert "bent" not in trace and "moved" not in trace["frames"][0] and "bends" not in chart.note


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_page_that_answers_bends_the_arm_between_the_instants_that_were_sent(arm, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    motion = lp.Motion.through(arm, [[0.0, 0.2], [0.9, -0.6]], times=[0, 1], rate=400)
    report = arm.report(motion, only=["overview"])
    trace = report.sections[0].blocks[0].traces[0]
    sent = trace["samples"].tolist()
    between = next(k for k in range(200, 400) if k not in sent)
    with playwright.sync_playwright() as tools:
        chromium = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = chromium.new_page()
        page.goto(report.save(tmp_path / "bent.html").as_uri() + "#all")
        wait_until(page, "document.querySelector('.space')?.data && Boolean(window.loadpath?.goTo)")
        ends = {}
        for sample in (between, sent[20]):
            page.evaluate(f"loadpath.goTo({sample})")
            ends[sample] = page.locator(".space").evaluate("c => c.data[0].bent[1].line.at(-1)")
        page.evaluate("loadpath.set({ payload: 1 })")
        assert page.locator(".space").evaluate("c => c.data[0].bent") is None  # it was computed for another
        chromium.close()
    for sample, end in ends.items():
        state = motion.q[sample], motion.qd[sample], motion.qdd[sample]
        k = arm.link_names.index("tip")
        moved = trace["bent"]["factor"] * arm.deflection(*state)["tip"].displacement
        np.testing.assert_allclose(end, arm.link_poses(state[0])[k, :3, 3] + moved, atol=2e-3 * np.linalg.norm(moved))
