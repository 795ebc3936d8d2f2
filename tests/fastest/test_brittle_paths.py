"""Paths of the kinds on which other parametrisations are reported to give up: solved, nothing relaxed."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from benchmarks import fastest_brittle

PATHS = {what: (path, limits) for what, path, limits in fastest_brittle.paths()}


@pytest.mark.parametrize("what", PATHS)
def test_solved_within_limits_as_they_are(what: str) -> None:
    """Some limit is reached, none is exceeded, by the robot's own equations."""
    arm, (path, limits) = lp.catalog.panda(), PATHS[what]
    found = arm.fastest(path, limits)
    assert found.certificate <= 1 + 2e-6
    assert 0.999 < fastest_brittle.exceeded(arm, found, 17) <= found.certificate + 1e-9
    end = path.at(path.breaks[-1:], np.array([path.pieces - 1]), 0)[0][0]
    assert found.motion.q[-1] == pytest.approx(end, abs=1e-9)


def test_lines_take_as_long_as_they_must() -> None:
    """A planner's configurations on straight lines: even speeding up, even speed, even slowing down on each line."""
    arm, (path, limits) = lp.catalog.panda(), PATHS["a planner's 101 configurations, straight lines"]
    speed = np.array([joint.limits[0].velocity for joint in arm.joints if joint.motion.dof])
    corners = path.at(path.breaks[[0, *path.stops, -1]], np.array([0, *path.stops, path.pieces - 1]), 0)[0]
    seconds = 0.0
    for way in np.diff(corners, axis=0):
        size = np.linalg.norm(way)
        share = np.maximum(np.abs(way) / size, 1e-12)
        most, a = (speed / share).min(), (np.array(limits["acceleration"]) / share).min()
        seconds += 2 * np.sqrt(size / a) if size * a <= most**2 else size / most + most / a
    assert arm.fastest(path, limits).duration == pytest.approx(seconds, rel=1e-9)


def test_a_torque_just_below_what_gravity_takes_is_named() -> None:
    """With 1.0001 of it there is a motion, as above; with 0.999 there is none, and every joint is named."""
    arm, (path, limits) = lp.catalog.panda(), PATHS["straight lines, torques 1.0001 of what gravity takes"]
    less = {**limits, "torque": 0.999 / 1.0001 * limits["torque"]}
    with pytest.raises(lp.NoMotionError) as problem:
        arm.fastest(path, less)
    held = np.abs(arm.gravity_forces(path.at(path.breaks, np.append(np.arange(path.pieces), path.pieces - 1), 0)[0]))
    names = {entry.limit for entry in problem.value.at_rest}
    assert names >= {f"torque of '{name}'" for name, most, own in zip(arm.dof_names, held.max(axis=0), less["torque"],
                                                                       strict=True) if most > own}
    assert all(1.0 < entry.utilisation < 1.0011 for entry in problem.value.at_rest)
