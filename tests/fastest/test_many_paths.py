"""Durations on many paths at once, against each path alone."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp


@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_many_paths_are_as_each_alone(name: str) -> None:
    """With friction and without; paths without a motion among them; more than are computed at once."""
    arm = getattr(lp.catalog, name)()
    rng = np.random.default_rng(1)
    points = arm.neutral() + rng.uniform(-0.7, 0.7, (300, 4, arm.n))
    limits = {"torque": np.r_[120.0, 150.0, 90.0, 30.0, 30.0, 30.0], "speed": 3.0}
    found = arm.path_durations(points, limits)
    assert np.isfinite(found).any()
    for k in (0, 150, 299):
        if np.isnan(found[k]):
            with pytest.raises(lp.NoMotionError):
                arm.fastest(points[k], limits)
        else:
            assert found[k] == pytest.approx(arm.fastest(points[k], limits).duration, rel=0.03)
    weak = arm.path_durations(points[:20], limits | {"torque": 20.0})
    assert np.isnan(weak).any()


@pytest.mark.parametrize("viscous", [0.5, 3.0, 5.0])
def test_friction_that_takes_most_of_a_limit(viscous: float) -> None:
    """It goes with the speed, which is not known before: what a few passes find would be a fifth too long."""
    drive = lp.Drive(friction=lp.Friction(viscous=viscous, coulomb=0.5))
    arm = lp.catalog.planar(2, gravity=0).with_drives({"joint1": drive, "joint2": drive})
    points, limits = np.array([[0.0, 0.5], [2.0, -1.0]]), {"torque": 2.0, "speed": False}
    (found,) = arm.path_durations(points[None], limits)
    assert found == pytest.approx(arm.fastest(points, limits).duration, rel=0.01)


@pytest.mark.parametrize(("paths", "words"), [
    (np.zeros((2, 3)), "expected"), (np.zeros((1, 1, 2)), "expected"), (np.zeros((1, 2, 2)), "are the same"),
    (np.full((1, 2, 2), np.nan), "finite"),
])
def test_wrong_paths_are_named(paths: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lp.catalog.planar(2).path_durations(paths, {"speed": 1.0, "torque": 60.0})
