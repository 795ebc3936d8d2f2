"""Parts of the viewer that need no browser: sliders, arrows, use of limits, the player, ports, what is refused."""

import socket
import sys

import numpy as np
import pytest

import loadpath as lp
from loadpath.viewer.layers.arrows import ArrowScale, arrows, in_world, part_of
from loadpath.viewer.layers.player import playable
from loadpath.viewer.moving import controls_of
from loadpath.viewer.server import free_port
from loadpath.viewer.subject import subject_of


def test_sliders_have_the_limits_in_degrees_and_millimetres():
    robot = lp.catalog.lau_arm().with_limits({"theta1": {"lower": -1.0, "upper": 0.5}, "d2": {"lower": 0.1}})
    first, second, third = controls_of(robot, 2.0)
    assert (first.unit, third.unit) == ("deg", "mm")
    assert first.low == pytest.approx(np.degrees(-1.0)) and first.high == pytest.approx(np.degrees(0.5))
    assert (second.low, second.high) == pytest.approx((-180.0, 180.0))
    assert third.low == pytest.approx(100.0) and third.high == pytest.approx(4100.0)
    low, high = first.ends  # whole steps, never beyond the limits
    assert first.low <= low < high <= first.high
    q = first.put(np.zeros(3), 20.0)
    assert q[0] == pytest.approx(np.radians(20.0)) and first.of(q) == pytest.approx(20.0)


def test_a_quaternion_has_roll_pitch_and_yaw():
    robot = lp.catalog.planar(1).floating()
    subject = subject_of(robot)
    by_name = {control.name: control for control in subject.moving.controls}
    q = robot.neutral()
    for name, value in (("roll", 30.0), ("pitch", -40.0), ("yaw", 50.0)):
        q = by_name[f"floating_base.{name}"].put(q, value)
    assert np.linalg.norm(q[3:7]) == pytest.approx(1.0)
    for name, value in (("roll", 30.0), ("pitch", -40.0), ("yaw", 50.0)):
        assert by_name[f"floating_base.{name}"].of(q) == pytest.approx(value)
    r, p, y = np.radians([30.0, -40.0, 50.0])
    np.testing.assert_allclose(robot.link_poses(q)[1, :3, :3], _about(2, y) @ _about(1, p) @ _about(0, r), atol=1e-12)


def _about(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    found, (i, j) = np.eye(3), [k for k in range(3) if k != axis]
    sign = -1.0 if axis == 1 else 1.0
    found[i, i] = found[j, j] = c
    found[i, j], found[j, i] = -sign * s, sign * s
    return found


def test_home_and_random_poses_are_within_the_limits():
    subject = subject_of(lp.catalog.panda())
    limits = [joint.limits[0] for joint in subject.robot.joints if joint.motion.dof]
    low, high = np.array([limit.lower for limit in limits]), np.array([limit.upper for limit in limits])
    for q in (subject.moving.home, *(subject.moving.random(subject.moving.home, np.random.default_rng(k)).q
                                     for k in range(5))):
        assert ((low - 1e-12 <= q) & (q <= high + 1e-12)).all()


def test_a_drive_moves_all_joints_of_its_loops():
    robot = lp.catalog.four_bar()
    moving = subject_of(robot).moving
    assert [control.name for control in moving.controls] == ["crank_joint"]
    found = moving.put(moving.home, moving.controls[0], moving.controls[0].of(moving.home) + 10.0)
    assert found.reached and abs(found.q - moving.home).min() > 1e-3
    poses = dict(zip(robot.link_names, robot.link_poses(found.q), strict=True))
    loop = robot.loops[0]
    apart = (poses[loop.first] @ loop.at.matrix - poses[loop.second] @ loop.on.matrix)[:3, 3]
    assert np.linalg.norm(apart) < 1e-9


def test_the_tip_follows_the_gizmo():
    subject = subject_of(lp.catalog.panda())
    q = np.array([0.1, 0.4, 0.2, -1.4, 0.3, 1.7, 0.4])
    place = np.asarray(subject.robot.link_poses(q))[-1].copy()
    place[:3, 3] += (0.01, -0.02, 0.015)
    for turn in (True, False):
        found = subject.moving.reach(q, "panda_link8", place, turn=turn)
        assert found.reached
        np.testing.assert_allclose(subject.robot.link_poses(found.q)[-1][:3, 3], place[:3, 3], atol=1e-6)


def test_arrows_point_where_the_forces_do():
    rotation = _about(2, 0.7) @ _about(0, 0.4)
    wrench = np.array([[1.0, -2.0, 3.0, 0.5, 0.1, -4.0]])
    vectors = in_world(rotation[None], wrench)
    np.testing.assert_allclose(vectors[0], [rotation @ wrench[0, :3], rotation @ wrench[0, 3:]])
    along = np.array([[0.0, 0.0, 1.0]])
    parts = [part_of(vectors, name, "joint", rotation[None], along) for name in ("x", "y", "z")]
    np.testing.assert_allclose(sum(parts), vectors, atol=1e-14)
    np.testing.assert_allclose(parts[2], part_of(vectors, "along the axis", "world", rotation[None], along))
    across = part_of(vectors, "across the axis", "world", rotation[None], along)
    np.testing.assert_allclose(across, parts[0] + parts[1], atol=1e-14)
    scale = ArrowScale(0.5)
    scale.see(vectors[:, 0])
    made = arrows(np.ones((1, 3)), vectors[:, 0], scale, 1, 0.1)
    np.testing.assert_allclose(made[0, 1] - made[0, 0], 0.5 * vectors[0, 0] / np.linalg.norm(vectors[0, 0]))
    assert len(arrows(np.ones((1, 3)), 1e-9 * vectors[:, 0], scale, 1, 0.1)) == 0


def test_the_player_shows_samples_of_the_motion():
    robot = lp.catalog.planar(2)
    subject = subject_of(robot)
    motion = lp.Motion.swing(robot, samples=501, duration=1.0)
    played = playable(subject, motion)
    state = played.at(0.5004, subject.at(robot.neutral()))
    k = int(np.abs(motion.t - 0.5004).argmin())
    np.testing.assert_array_equal(state.qdd, motion.qdd[k])
    assert state.time == motion.t[k] and played.at(99.0, state).time == 1.0 and played.at(-1.0, state).time == 0.0


def test_a_port_that_is_taken_makes_it_the_next_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert port < free_port("127.0.0.1", port) <= port + 100


@pytest.mark.parametrize(("options", "words"), [
    ({"q": [0.1]}, "'q' has the shape"),
    ({"q": [np.nan, 0.0]}, "NaN"),
    ({"port": 0}, "port is 0"),
    ({"host": "no.such.host.invalid"}, "expected an address of this machine"),
    ({"velocity": (1.0, 0.0)}, "is of a rover's base"),
    ({"motion": [1.0, 2.0]}, "view takes an lp.Motion"),
    ({"motion": lp.Motion.swing(lp.catalog.two_link().locked({"joint2": 0.0}))}, "robot"),
    ({"external": {"tip": 3.0}}, "expected an lp.Wrench"),
])
def test_what_cannot_be_shown_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        lp.catalog.planar(2).view(open_browser=False, **options)


def test_without_viser_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(ImportError, match=r"pip install 'loadpath\[viewer\]'"):
        lp.catalog.planar(1).view(open_browser=False)
