"""Dead points where geometry says that they are, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import loadpath as lp
from closed.linkages_by_hand import by_circles, four_bar

CRANK_ROCKER = (0.3, 0.8, 0.6, 0.7)


def _dead(bar: lp.ClosedRobot) -> np.ndarray:
    """Crank and coupler in one line."""
    a, b, c, d = CRANK_ROCKER
    stretched = np.arccos((d * d + (a + b) ** 2 - c * c) / (2 * d * (a + b)))
    return bar.assemble({"crank_joint": stretched, "coupler_joint": 0.0}).q


def test_a_rocker_does_not_drive_a_crank_through_its_dead_point() -> None:
    bar = four_bar(*CRANK_ROCKER)
    dead, other = _dead(bar), by_circles(*CRANK_ROCKER, 1.5, 1)
    driven_by_rocker = bar.with_driven("rocker_joint").singularities(np.stack([dead, other]))
    assert driven_by_rocker.dead.tolist() == [True, False]
    assert driven_by_rocker.drive[0] < 1e-9 and driven_by_rocker.drive[1] > 0.1
    (words,) = driven_by_rocker.words()
    assert "of the drive in state 0: while rocker_joint stands still" in words
    assert "coupler_joint (+1.00), crank_joint (-0.73) can move" in words
    # The crank does; but there the rocker has no speed.
    by_crank = bar.singularities(np.stack([dead, other]), "rocker")
    assert by_crank.drive.min() > 0.1 and by_crank.platform is not None
    assert by_crank.platform[0] < 1e-9 and by_crank.platform[1] > 0.1
    assert "of link 'rocker' in state 0: it cannot move about y" in by_crank.words()[0]
    qd, _ = bar.complete(dead, [1.0])
    assert abs(qd[2]) < 1e-9


def test_margins_fall_linearly_towards_a_dead_point() -> None:
    bar = four_bar(*CRANK_ROCKER)
    dead = _dead(bar)
    off = np.array([1e-2, 1e-3, 1e-4])
    q = bar.assemble({"crank_joint": dead[0] + off}, dead).q
    margin = bar.with_driven("rocker_joint").singularities(q).drive
    np.testing.assert_allclose(margin[:-1] / margin[1:], 10.0, rtol=0.1)


def _speeds(q: np.ndarray) -> np.ndarray:
    """(states, 3): of crank, coupler and rocker, from the circles by differences; the crank's is one."""
    step = 1e-5
    more, less = (by_circles(*CRANK_ROCKER, q[:, 0] + by, 1) for by in (step, -step))
    return np.angle(np.exp(1j * (more - less))) / (2 * step)


def test_margins_of_drives_are_their_parts_in_the_motion() -> None:
    """Of a crank-rocker: the speed of the drive in a motion of length one, against that around home."""
    bar = four_bar(*CRANK_ROCKER)
    q = by_circles(*CRANK_ROCKER, np.linspace(0.3, 6.2, 40), 1)
    speeds = _speeds(q)
    for k, drive in ((0, "crank_joint"), (2, "rocker_joint")):
        found = bar.with_driven(drive).singularities(q)
        parts = np.abs(speeds[:, k]) / np.linalg.norm(speeds, axis=1)
        counting = (found.drive < 0.999) & (found.drive < found.loops - 1e-9)
        assert counting.sum() >= 5
        shares = found.drive[counting] / parts[counting]
        np.testing.assert_allclose(shares, shares[0], rtol=1e-6)
        largest = speeds / np.take_along_axis(speeds, np.abs(speeds).argmax(axis=1)[:, None], axis=1)
        np.testing.assert_allclose(found.motion, largest, atol=1e-7)


def test_every_pose_of_a_parallelogram_moves_alike() -> None:
    """Speeds are 1, -1, 1 everywhere: the drive is never further from a dead point than the loops are."""
    bar = four_bar(0.3, 0.7, 0.3, 0.7).with_home([1.0, -1.0, 1.0])
    angles = np.linspace(0.5, 2.5, 9)
    found = bar.singularities(np.column_stack([angles, -angles, angles]), "rocker")
    np.testing.assert_allclose(found.drive, found.loops, rtol=1e-9)
    np.testing.assert_allclose(found.platform, 1.0, rtol=1e-9)
    np.testing.assert_allclose(found.motion / found.motion[:, :1], np.tile([1.0, -1.0, 1.0], (9, 1)), atol=1e-9)
    assert found.loops.max() > 0.9


def test_the_velocity_of_a_link_that_has_one_only() -> None:
    """The coupler's frame is at the end of the crank, 0.3 m, and turns with both joints; lengths are in units of the
    longest way to the pin, 0.7 m + 0.6 m.
    """
    bar = four_bar(*CRANK_ROCKER)
    q = by_circles(*CRANK_ROCKER, np.linspace(0.3, 6.0, 12), 1)
    found = bar.singularities(q, "coupler")
    assert found.lost is not None and found.platform is not None
    turning = 1.0 + _speeds(q)[:, 1]
    velocity = np.zeros((12, 6))
    velocity[:, 0], velocity[:, 2] = -0.3 * np.sin(q[:, 0]) / 1.3, -0.3 * np.cos(q[:, 0]) / 1.3
    velocity[:, 4] = turning
    velocity /= np.linalg.norm(velocity, axis=1, keepdims=True)
    along = np.einsum("ki,ki->k", velocity, found.lost)
    np.testing.assert_allclose(np.abs(along), 1.0, atol=1e-9)


def test_a_parallelogram_that_lies_flat_loses_a_hold() -> None:
    bar = four_bar(0.3, 0.7, 0.3, 0.7)
    found = bar.singularities(np.array([[0.0, 0.0, 0.0], [0.8, -0.8, 0.8]]))
    assert found.dead.tolist() == [True, False]
    assert found.loops[0] < 1e-9 and found.loops[1] > 0.1
    assert "of the loops in state 0: they hold one direction less" in found.words()[0]
    # What can move while the crank stands keeps the pin together: up and down.
    speeds = found.motion[0]
    assert speeds[0] == pytest.approx(0.0, abs=1e-9)
    assert 0.7 * speeds[1] == pytest.approx(0.3 * speeds[2], abs=1e-9)


def test_top_and_bottom_of_a_slider_crank() -> None:
    engine = lp.catalog.slider_crank()
    slide = next(name for name in engine.dof_names if isinstance(engine.joint(name).motion, lp.Prismatic))
    turns = np.linspace(0, 2 * np.pi, 721)[:-1]
    q = engine.assemble({engine.driven[0]: turns}).q
    margin = engine.with_driven(slide).singularities(q).drive
    stroke = q[:, engine.coordinate_names.index(slide)]
    ends = {int(stroke.argmin()), int(stroke.argmax())}
    lowest = {int(k) for k in np.argsort(margin)[:2]}
    assert all(min(abs(k - end) for end in ends) <= 2 for k in lowest)
    assert engine.singularities(q).drive.min() > 0.05  # the crank turns through


def test_a_row_that_is_no_number_is_never_called_safe() -> None:
    bar = four_bar(*CRANK_ROCKER)
    with pytest.warns(lp.ModelWarning, match=r"1 of 2 states is not a number \(1\), and counted as dead"):
        found = bar.singularities(np.stack([by_circles(*CRANK_ROCKER, 1.0, 1), np.full(3, np.nan)]))
    assert found.dead.tolist() == found.unknown.tolist() == [False, True] and np.isnan(found.drive[1])
    assert found.words() == ["1 of 2 states is not a number (1)"]
    with pytest.raises(ValueError, match="has no link 'roker'"):
        bar.singularities(bar.home, "roker")
    with pytest.raises(ValueError, match=r"singularities: the loops of .* are open in state 1, 'pin' by"):
        bar.singularities([bar.home, bar.home + 0.1])
