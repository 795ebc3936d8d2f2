"""Paths of several kinds one after the other: where they go, where they stop, and what rests and times make of them."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp

PLANAR = [(1.2, 0.0, 0.4), (0.8, 0.0, 1.0), (0.4, 0.0, 0.9), (0.4, 0.0, 0.4)]
NEAR = [0.3, 0.8]


def on_path(path: lp.Path, each: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Configurations and directions all along it."""
    share = np.linspace(0, 1, each)
    at = (path.breaks[:-1, None] + np.diff(path.breaks)[:, None] * share).ravel()
    q, rate = path.at(at, np.repeat(np.arange(path.pieces), each), 1)
    return q, rate / np.linalg.norm(rate, axis=1, keepdims=True)


def tips(arm: lp.Robot, q: np.ndarray) -> np.ndarray:
    return np.asarray(arm.link_poses(q))[:, -1, :3, 3]


def distance_to(where: np.ndarray, center: np.ndarray) -> np.ndarray:
    return np.linalg.norm(where - center, axis=-1)


@pytest.mark.parametrize("blend", [None, 0.08])
def test_lines_and_circles_of_the_tool(blend: float | None) -> None:
    """A line, half a circle, a line: every point is on one of them, or within a corner; directions have no jumps."""
    arm = lp.catalog.planar(2)
    poses = [(1.2, 0.0, 0.3), (1.0, 0.0, 0.7), (0.6, 0.0, 0.7), (0.3, 0.0, 0.4)]
    path = lp.Path.tool(arm, poses, near=NEAR, orientation="free", blend=blend, through={2: (0.8, 0.0, 0.9)})
    q, along = on_path(path)
    at = tips(arm, q)
    corners = np.array(poses)
    center, radius = np.array([0.8, 0, 0.7]), 0.2
    on_circle = np.abs(distance_to(at, center) - radius)
    straight = []
    for a, b in ((0, 1), (2, 3)):
        way = (corners[b] - corners[a]) / np.linalg.norm(corners[b] - corners[a])
        off = at - corners[a]
        straight.append(np.linalg.norm(off - (off @ way)[:, None] * way, axis=1))
    off = np.minimum(on_circle, np.min(straight, axis=0))
    near = np.min([distance_to(at, corner) for corner in corners[1:3]], axis=0) < (blend or 0.0) * 1.001
    assert off[~near].max() < 2e-5
    assert (at[on_circle < 1e-5][:, 2] > 0.85).any()  # through the point, not below
    turns = np.linalg.norm(np.diff(along, axis=0), axis=1)
    if blend:
        assert not path.stops
        assert off[near].max() < blend
        assert turns.max() < 0.1
        assert np.min(distance_to(at, corners[1])) > 0.005
    else:
        assert len(path.stops) == 2
    found = arm.fastest(path, {"torque": 60.0, "speed": 4.0})
    assert found.certificate <= 1.0001
    assert np.abs(arm.inverse_dynamics(*found.sampled(33))).max() <= 60.0 * found.certificate * (1 + 1e-9)


def test_a_corner_of_arcs_has_the_curvature_of_a_difference() -> None:
    """First and second derivatives of a rounded corner between a line and a circle, in space and turning."""
    from loadpath.kinematics.tool_path import arc_through, lines, rounded

    a, b, c = np.eye(4), np.eye(4), np.eye(4)
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    b[:3, 3], b[:3, :3] = (0.5, 0.1, 0), turn
    c[:3, 3], c[:3, :3] = (0.7, 0.5, 0.2), turn @ turn
    path = rounded([lines(np.array([a, b]))[0], arc_through(b, np.array([0.7, 0.2, 0.0]), c)], 0.1)
    s, step = np.linspace(0.02, path.length - 0.02, 200), 1e-5
    here, more, less = path.at(s), path.at(s + step), path.at(s - step)
    inner = np.abs(s[:, None] - path.ends[1:-1]).min(axis=1) > 2 * step
    first = (more.position - less.position) / (2 * step)
    assert np.abs(first - here.first[:, :3])[inner].max() < 1e-8
    second = (more.first - less.first) / (2 * step)
    assert np.abs(second - here.second)[inner].max() < 1e-6
    spun = (more.rotation - less.rotation) / (2 * step) @ here.rotation.swapaxes(-1, -2)
    w = np.stack([spun[:, 2, 1], spun[:, 0, 2], spun[:, 1, 0]], axis=1)
    assert np.abs(w - here.first[:, 3:])[inner].max() < 1e-8
    for k in range(1, len(path.pieces)):
        end = path.ends[k]
        before, after = path.at(np.array([end - 1e-9])), path.at(np.array([end + 1e-9]))
        assert np.abs(before.second - after.second).max() < 1e-5  # curvature has no jumps


def test_rests_and_times_at_poses() -> None:
    arm = lp.catalog.planar(2)
    limits = {"torque": 60.0, "speed": 4.0}
    options = {"near": NEAR, "orientation": "free", "blend": 0.1}
    free = arm.fastest(lp.Path.tool(arm, PLANAR, **options), limits)
    path = lp.Path.tool(arm, PLANAR, dwell={1: 0.4}, passes={2: 2.5}, **options)
    found = arm.fastest(path, limits)
    q, qd, _ = found.at(np.linspace(0, found.duration, 4001))
    t = np.linspace(0, found.duration, 4001)
    at = tips(arm, q)
    rests = (np.abs(qd).max(axis=1) < 1e-6) & (distance_to(at, np.array(PLANAR[1])) < 1e-6)
    assert rests.sum() * (t[1] - t[0]) == pytest.approx(0.4, abs=5e-3)
    second = int(np.argmin(distance_to(at, np.array(PLANAR[2]))))
    assert t[second] >= 2.5 - 0.02
    assert np.abs(qd[second]).max() > 1e-3
    assert found.duration > free.duration + 0.4
    later = arm.fastest(lp.Path.tool(arm, PLANAR, not_before={1: 3.0}, **options), limits)
    assert later.duration > 3.0


def test_splines_lines_and_tools_are_one_path() -> None:
    """Ends meet, corners are stops or have the curvature on both sides, rests and times go with their ends."""
    arm = lp.catalog.planar(2)
    spline = lp.Path.through([[0.0, 0.2], [0.0, 0.6], [0.3, 0.8]], dwell={1: 0.0})
    line = lp.Path.lines([[0.3, 0.8], [0.9, 0.4], [1.2, 1.0]], blend=0.1)
    start = np.asarray(arm.link_poses([1.2, 1.0]))[-1, :3, 3]
    tool = lp.Path.tool(arm, [start, (start[0] - 0.2, 0.0, start[2] - 0.2)], near=[1.2, 1.0], orientation="free")
    sharp = lp.Path.joined(spline, line, tool)
    assert len(sharp.stops) == 3
    assert sharp.length == pytest.approx(spline.length + line.length + tool.length, rel=1e-12)
    smooth = lp.Path.joined(spline, line, tool, blend=0.05)
    assert list(smooth.stops) == [1]
    q, along = on_path(smooth)
    assert np.linalg.norm(np.diff(q, axis=0), axis=1).max() < 0.05
    keep = np.ones(len(along) - 1, dtype=bool)
    keep[40 - 1] = False  # the stop
    assert np.linalg.norm(np.diff(along, axis=0), axis=1)[keep].max() < 0.2
    of_sharp, _ = on_path(sharp, 400)
    away = np.array([np.linalg.norm(of_sharp - each, axis=1).min() for each in q])
    assert away.max() < 0.05
    for path in (sharp, smooth):
        found = arm.fastest(path, {"torque": 80.0, "speed": 4.0})
        assert found.certificate <= 1.0001
        tau = arm.inverse_dynamics(*found.sampled(33))
        assert np.abs(tau).max() <= 80.0 * found.certificate * (1 + 1e-9)
    assert found.duration < arm.fastest(sharp, {"torque": 80.0, "speed": 4.0}).duration
    waits = lp.Path.joined(spline, line, dwell={1: 0.3, 2: 0.2}, blend=0.05)
    assert sorted(waits.stops.values()) == [0.0, 0.2, 0.3]
    resting = lp.Path.lines([[0.0, 0.2], [0.3, 0.8]], dwell={1: 0.7})
    assert lp.Path.joined(resting, line, blend=0.05).stops == {1: 0.7}  # no corner where it rests
    timed = lp.Path.joined(line, lp.Path.lines([[1.2, 1.0], [0.5, 1.2]]), blend=0.05, passes={1: 4.0})
    slow = arm.fastest(timed, {"torque": 80.0, "speed": 4.0})
    t = np.linspace(0, slow.duration, 2001)
    corner = int(np.argmin(np.linalg.norm(slow.at(t)[0] - [1.2, 1.0], axis=1)))
    assert t[corner] == pytest.approx(4.0, abs=0.01)
    smoothly = arm.fastest(lp.Path.joined(line, lp.Path.lines([[1.2, 1.0], [0.5, 1.2]]), blend=0.05),
                           {"torque": 80.0, "jerk": 500.0})  # continuous curvature
    assert smoothly.certificate <= 1.001


@pytest.mark.parametrize(("make", "words"), [
    (lambda: lp.Path.joined([[0.0], [1.0]], [[2.0], [3.0]]), r"path 0 ends at \[1.0\], and path 1 begins at \[2.0\]"),
    (lp.Path.joined, "no paths were given"),
    (lambda: lp.Path.joined([[0.0], [1.0]], [[0.0, 1.0], [1.0, 1.0]]), "path 0 has 1 coordinates and path 1 has 2"),
    (lambda: lp.Path.joined([[0, 0], [1, 0]], [[1, 0], [1, 1]], blend=3.0), "more than there is of path"),
    (lambda: lp.Path.joined([[0, 0], [1, 0]], [[1, 0], [1, 1]], blend=-1.0), "blend is -1"),
    (lambda: lp.Path.joined([[0, 0], [1, 0]], dwell={5: 1.0}), "dwell at point 5"),
    (lambda: lp.Path.joined([[0, 0], [1, 0]], passes={0: 1.0}), "there the motion begins"),
    (lambda: lp.Path.joined(lp.Path.lines([[0, 0], [0.9, 0], [1, 0]], dwell={1: 0.1}), [[1, 0], [1, 1]], blend=0.3),
     "path 0 has a stop or a time nearer to its end"),
    (lambda: lp.Path.tool(lp.catalog.planar(2), PLANAR, near=NEAR, orientation="free", through={0: (1, 0, 0)}),
     "through has a point for pose 0"),
    (lambda: lp.Path.tool(lp.catalog.planar(2), PLANAR, near=NEAR, orientation="free", dwell={9: 1.0}),
     "dwell at point 9"),
])
def test_wrong_paths_are_named(make: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()  # type: ignore[operator]
