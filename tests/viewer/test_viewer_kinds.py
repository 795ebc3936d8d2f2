"""Every kind of robot is shown, moved and loaded, without a browser; and what a recording and the command line do."""

import re
import signal
import subprocess
import sys
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest

import loadpath as lp
from loadpath.viewer.stage import Load, Pull


def layer(viewer, name):
    return next(found for found in viewer.stage.layers if type(found).__name__ == name)


def handled(viewer):
    """Everything that a person can switch on, switched on; what cannot be drawn is raised."""
    payload, pull = layer(viewer, "Payload"), layer(viewer, "Pull")
    payload.mass.value = 0.5 * payload.most
    payload.put()
    pull.shown.value, pull.force.value = True, (1.0, 2.0, 3.0)
    pull.put()
    layer(viewer, "Use").balls_on.value = True
    layer(viewer, "Tip").shown.value = True
    layer(viewer, "LoadChoice").cause.value = "every cause"
    layer(viewer, "LoadChoice").joint.value = viewer.stage.subject.robot.joint_names[0]
    layer(viewer, "Pose").press("random")
    return viewer.stage.show(lambda state: state)


def test_an_arm_with_beams_bends_as_deflection_says():
    tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
    arm = lp.catalog.planar(1, mass=2.0).with_beams({"link1": tube})
    with arm.view([0.3], open_browser=False) as viewer:
        beams = layer(viewer, "Beams")
        expected = arm.deflection([0.3]).displacement[-1]
        np.testing.assert_allclose(beams.shape.tip_displacement[-1], expected, rtol=1e-9)
        frame = handled(viewer)
        acting = dict(frame.acting)
        assert list(acting) == ["tip"]  # payload and pull together
        loaded = arm.with_payload(frame.state.payload.mass, link="tip")
        pull = {"tip": lp.Wrench((1.0, 2.0, 3.0))}
        expected = loaded.deflection(frame.state.q, external=pull).displacement[arm.link_names.index("tip")]
        shown = beams.shape.tip_displacement[arm.link_names.index("tip")]
        np.testing.assert_allclose(shown, expected, rtol=1e-6, atol=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frequency = arm.natural_frequencies(frame.state.q, count=4).frequencies[0]
        beams.show.value = "mode 1"
        end = time.monotonic() + 30.0
        while f"{frequency:.4g} Hz" not in beams.summary.content:  # it moves by itself, in a thread of its own
            assert time.monotonic() < end, beams.summary.content
            time.sleep(0.02)


def test_a_rover_stands_as_stability_says():
    rover = lp.catalog.lau_rover()
    q = [0.3, -0.4, 0.5]
    with rover.view(q, velocity=(1.0, 0.2), acceleration=(-1.0, 0.0), open_browser=False) as viewer:
        ground = layer(viewer, "GroundUnderRover")
        standing = rover.stability(q, velocity=(1.0, 0.2), acceleration=(-1.0, 0.0))
        np.testing.assert_allclose(ground.point.position[:2], standing.zero_moment_point, atol=1e-9)
        assert f"margin {1000 * float(standing.margin):.4g} mm" in ground.summary.content
        frame = handled(viewer)
        mass = frame.state.payload.mass
        loaded = rover.with_payload(mass, link=frame.state.payload.link)
        external = {frame.state.pull.link: lp.Wrench((1.0, 2.0, 3.0))}
        expected = loaded.stability(frame.state.q, velocity=(1.0, 0.2), acceleration=(-1.0, 0.0), external=external)
        np.testing.assert_allclose(ground.point.position[:2], expected.zero_moment_point, atol=1e-9)


def test_a_simulated_rover_drives():
    rover = lp.catalog.lau_rover()
    driven = rover.simulate([0.0, 0.0, 0.5], velocity=(0.5, 0.4), duration=0.4)
    with rover.view(motion=driven, open_browser=False) as viewer:
        viewer.seek(0.4)
        k = len(driven.times) - 1
        np.testing.assert_allclose(viewer.frame.state.base.pose, driven.pose[k])
        np.testing.assert_allclose(layer(viewer, "GroundUnderRover").root.position[:2], driven.pose[k, :2])


def test_single_causes_sum_to_the_wrench_and_the_verdict_is_that_of_the_motion():
    robot = lp.catalog.lau_arm().with_limits({"theta1": {"effort": 30.0, "velocity": 2.0}})
    motion = lp.Motion.swing(robot, duration=1.0)
    with robot.view(motion=motion, open_browser=False) as viewer:
        viewer.seek(0.4)
        causes = layer(viewer, "SingleCauses")
        causes.shown.value = True
        frame = viewer.stage.show(lambda state: state)
        total = sum(wrench for _, wrench in causes.terms(frame, "theta2"))
        np.testing.assert_allclose(total, frame.loads.total[robot.joint_names.index("theta2")], atol=1e-11)
        assert "gravity" in causes.list.content
        verdict = layer(viewer, "VerdictOverMotion")
        verdict.judge()
        worst = robot.verdict(motion).worst
        assert worst.joint in verdict.table.content and f"{100 * worst.utilisation:.1f} %" in verdict.table.content
        assert "Without payload and force of this page" in verdict.table.content
        rod, force = robot.link_names[-1], np.array([40.0, 30.0, -60.0])
        heavier = robot.with_payload(4.0, link=rod).verdict(motion, external={rod: lp.Wrench(force=force)})
        viewer.stage.show(lambda state: replace(state, payload=Load(rod, 4.0), pull=Pull(rod, force)))
        assert "As it was without payload" in verdict.table.content  # never taken for that of the new loads
        verdict.judge()
        assert "With 4 kg on &#x27;rod&#x27; and a force of (40, 30, -60) N" in verdict.table.content
        before, after = (found["theta1", "limits", "effort"].utilisation for found in (robot.verdict(motion), heavier))
        assert after > 1.2 * before and f"{100 * after:.1f} %" in verdict.table.content


def test_loops_stay_closed():
    robot = lp.catalog.four_bar()
    with robot.view(open_browser=False) as viewer:
        frame = handled(viewer)
        marks, loop = layer(viewer, "Loops").marks, robot.loops[0]
        pose = robot.link_poses(frame.state.q)[robot.link_names.index(loop.first)]
        np.testing.assert_allclose(marks[0].position, (pose @ loop.at.matrix)[:3, 3], atol=1e-9)


@pytest.mark.slow
def test_loops_with_beams_have_numbers():
    bar = lp.catalog.four_bar()
    arm = bar.with_beams({"coupler": lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")})
    with arm.view(open_browser=False) as viewer:
        shown = layer(viewer, "BeamNumbers").summary.content
        assert f"{arm.stress(viewer.q).worst.value / 1e6:.3g} MPa" in shown
        layer(viewer, "SingleCauses").shown.value = True  # refused by name
        viewer.stage.show(lambda state: state)
        assert "without_beams" in layer(viewer, "SingleCauses").list.content


def test_nothing_is_shared_over_the_net():
    with lp.catalog.planar(2).view(open_browser=False) as viewer:
        assert viewer.stage.server.request_share_url() is None
        assert viewer.stage.server.get_host() == "127.0.0.1"


def test_a_robot_without_a_joint_that_moves():
    robot = lp.Robot("block", (lp.Link("base", shapes=[lp.BoxShape((1, 1, 1))]), lp.Link("top", lp.Inertia(1.0))),
                     (lp.Joint("weld", "base", "top", lp.Fixed()),))
    with robot.view(open_browser=False) as viewer:
        assert viewer.frame.loads.by_cause["gravity"].shape == (1, 6)
        viewer.play()  # there is nothing to play
        assert viewer.q.shape == (0,)


def test_a_missing_mesh_is_one_warning_and_a_picture_without_it():
    shapes = [lp.MeshShape("nowhere.stl")]
    links = (lp.Link("base", shapes=[lp.BoxShape((0.1, 0.1, 0.1))]), lp.Link("arm", lp.Inertia(1.0), shapes=shapes))
    robot = lp.Robot("half", links, (lp.Joint("joint1", "base", "arm", lp.Revolute()),))
    with pytest.warns(lp.ModelWarning, match="nowhere.stl") as caught, robot.view(open_browser=False) as viewer:
        assert len(layer(viewer, "Bodies").nodes) == 2
    assert len(caught) == 1


def test_a_storm_of_slider_values_ends_at_the_latest():
    with lp.catalog.planar(2).view(open_browser=False) as viewer:
        stage, moving = viewer.stage, viewer.stage.subject.moving
        drawn = []
        original = stage.draw
        stage.draw = lambda state: drawn.append(state) or original(state)
        for value in np.linspace(0.0, 50.0, 400):
            stage.change("slider", lambda state, value=float(value): _at(stage, moving, state, value))
        stage.show(lambda state: state)
        assert viewer.q[0] == pytest.approx(np.radians(50.0)) and len(drawn) < 400


def _at(stage, moving, state, value):
    from loadpath.viewer.subject import stopped

    return stopped(state, moving.put(state.q, moving.controls[0], value).q)


def test_what_a_person_cannot_set():
    with lp.catalog.planar(2).view(open_browser=False) as viewer:
        with pytest.raises(ValueError, match="NaN"):
            viewer.set([np.nan, 0.0])
        with pytest.raises(ValueError, match="shape"):
            viewer.set([0.0, 0.0, 0.0])
        with pytest.raises(ValueError, match="html"):
            viewer.record("motion.mp4")
        with pytest.raises(ValueError, match="rate"):
            viewer.record("motion.html", rate=0.0)
        assert "iframe" in viewer._repr_html_()
    with pytest.raises(RuntimeError, match="stopped"):
        viewer.set([0.0, 0.0])
    assert "stopped" in viewer._repr_html_() and "stopped" in repr(viewer)


def test_the_command_serves_until_it_is_interrupted_and_records(tmp_path):
    command = [sys.executable, "-m", "loadpath.cli", "view", "planar:2", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert re.search(r"planar2 is shown at http://127\.0\.0\.1:\d+/[\w-]{20,}/; Ctrl-C ends it\.", line), line
        assert process.wait(timeout=60) == 130
    done = subprocess.run([*command, "--duration", "0.5", "--record", str(tmp_path / "motion.html")],
                          check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "Wrote" in done.stdout, done.stderr
    assert "planar2" in (tmp_path / "motion.html").read_text()
