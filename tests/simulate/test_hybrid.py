"""The event-driven stepper on systems whose motion is known by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

import loadpath as lp
from loadpath.simulate.hybrid import AT_ONCE, Change, Revision, Settings, Settled, integrate

HOW = Settings("DOP853", 1e-10, 1e-10, np.inf)


@dataclass
class Plain:
    """y grows at the rate `mode`; margins as given. Subclasses change what they need."""

    margin: Callable[[float, np.ndarray], list[float]] = lambda t, y: []
    first_mode: float = 1.0
    samples: list[tuple[float, float, float]] = field(default_factory=list)
    changes: list[tuple[float, Change]] = field(default_factory=list)
    pieces: list[tuple[float, float]] = field(default_factory=list)

    def begin_piece(self, begin, end, y):
        self.pieces.append((begin, end))

    def settle(self, t, y, mode, change):
        """What has become negative is let be."""
        self.changes.append((t, change))
        tolerated = None if change.margin is None else np.full(len(self.margin(t, y)), np.inf)
        return Settled(self.first_mode if mode is None else self.next_mode(mode), y, tolerated)

    def next_mode(self, mode):
        return mode

    def rate(self, t, y, mode):
        return np.full(len(y), mode)

    def margins(self, t, y, mode):
        return np.array(self.margin(t, y), dtype=float)

    def revise(self, t, y, mode):
        return None

    def sample(self, t, y, mode):
        self.samples.append((t, float(y[0]), mode))

    def failed(self, t, y, mode, problem):
        return f": {problem}"

    def endless(self, t, margin):
        return f"margin {margin} changes without end"


@dataclass
class Ball(Plain):
    """A ball that falls by 1 m/s^2 and bounces, losing part of its speed: y = (height, speed)."""

    restitution: float = 0.5

    def settle(self, t, y, mode, change):
        self.changes.append((t, change))
        return Settled(0.0, y if mode is None else np.array([0.0, -self.restitution * y[1]]))

    def rate(self, t, y, mode):
        return np.array([y[1], -1.0])

    def margins(self, t, y, mode):
        return y[:1]


def test_a_ball_bounces_when_it_must() -> None:
    ball = Ball()
    run = integrate(ball, np.array([0.5, 0.0]), 0.0, [2.9], np.array([0.0, 0.5, 1.5, 2.9]), HOW)
    bounces = [t for t, change in ball.changes if change.margin == 0]
    assert bounces == pytest.approx([1.0, 2.0, 2.5, 2.75, 2.875], abs=1e-12)  # then half of the time every time
    t, u = 0.5, 0.025  # after 1 s it goes up with 0.5 m/s, after 2.875 s with 1/32 m/s
    assert [height for _, height, _ in ball.samples] == pytest.approx(
        [0.5, 0.5 - 0.125, 0.5 * t - 0.5 * t**2, u / 32 - 0.5 * u**2], abs=1e-10
    )
    assert run.end == 2.9 and not run.stopped and run.steps < 40


def test_changes_that_have_no_end_are_given_up() -> None:
    ball = Ball()
    with pytest.raises(lp.IntegrationError, match=r"at t = 3 s margin 0 changes without end"):
        integrate(ball, np.array([0.5, 0.0]), 0.0, [4.0], np.array([4.0]), HOW)
    counts = [change.at_once for _, change in ball.changes]
    assert counts[-AT_ONCE - 1 :] == list(range(AT_ONCE + 1))  # one more each time, then it is enough


@pytest.mark.parametrize("method", ["RK23", "DOP853", "Radau", "LSODA"])
@pytest.mark.parametrize("depth", [1e-1, 1e-3])
def test_a_margin_that_dips_within_a_step_is_seen(depth: float, method: str) -> None:
    """A constant rate lets the solver step across everything, ever farther; nothing is sampled on its way."""
    dips = Plain(lambda t, y: [(y[0] - 0.5) ** 2 - depth**2, 1.0])
    integrate(dips, np.zeros(1), 0.0, [1.0], np.array([1.0]), Settings(method, 1e-6, 1e-6, np.inf))
    assert dips.changes[1][0] == pytest.approx(0.5 - depth, abs=1e-9)
    assert dips.changes[1][1] == Change(0, 0)


def test_a_dip_between_samples_far_apart_is_seen_at_a_sample_too() -> None:
    """A pulse that no polynomial foretells, but a sample meets."""
    pulse = Plain(lambda t, y: [-1.0 if 0.699 < t < 0.701 else 1.0])
    integrate(pulse, np.zeros(1), 0.0, [1.0], np.array([0.7, 1.0]), HOW)
    assert pulse.changes[1][0] == pytest.approx(0.699, abs=1e-9)


def test_the_first_of_two_margins_is_found() -> None:
    two = Plain(lambda t, y: [0.8 - y[0], 0.3 - 0.4 * y[0]])
    two.next_mode = lambda mode: -mode  # type: ignore[method-assign]
    integrate(two, np.zeros(1), 0.0, [1.0], np.array([0.5, 1.0]), HOW)
    assert [change.margin for _, change in two.changes] == [None, 1]
    assert two.changes[1][0] == pytest.approx(0.75, abs=1e-12)
    assert two.samples[-1] == (1.0, pytest.approx(0.5), -1.0)


def test_what_is_sampled_at_a_break_belongs_to_the_piece_that_begins_there() -> None:
    broken = Plain()
    broken.next_mode = lambda mode: mode + 1  # type: ignore[method-assign]
    integrate(broken, np.zeros(1), 0.0, [0.25, 0.5, 1.0], np.array([0.0, 0.25, 0.4, 1.0]), HOW)
    assert broken.pieces == [(0.0, 0.25), (0.25, 0.5), (0.5, 1.0)]
    assert [mode for _, _, mode in broken.samples] == [1, 2, 2, 3]
    assert [y for _, y, _ in broken.samples] == pytest.approx([0.0, 0.25, 0.55, 0.25 + 0.5 + 1.5])


def test_it_stops_where_the_sign_changes() -> None:
    asked = Plain()
    run = integrate(asked, np.zeros(1), 0.0, [1.0], np.linspace(0, 1, 11), HOW, stop=lambda t, y: y[0] - 0.55)
    assert run.stopped and run.end == pytest.approx(0.55, abs=1e-12)
    assert [t for t, _, _ in asked.samples] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.55])
    from_zero = Plain()
    assert not integrate(from_zero, np.zeros(1), 0.0, [1.0], np.array([0.0, 1.0]), HOW, stop=lambda t, y: y[0]).stopped
    first = Plain(lambda t, y: [0.5 - y[0]])
    first.next_mode = lambda mode: 0.0  # type: ignore[method-assign]
    assert not integrate(first, np.zeros(1), 0.0, [1.0], np.array([1.0]), HOW, stop=lambda t, y: y[0] - 0.6).stopped


def test_a_margin_that_is_tolerated_counts_once_it_is_beyond_what_is_tolerated() -> None:
    class Tolerant(Plain):
        def settle(self, t, y, mode, change):
            self.changes.append((t, change))
            return Settled(1.0, y, np.array([0.2, 0.0]) if mode is None else np.full(2, np.inf))

    found = Tolerant(lambda t, y: [-0.05 - y[0], 1.0])
    integrate(found, np.zeros(1), 0.0, [1.0], np.linspace(0, 1, 101), HOW)
    assert len(found.changes) == 2
    assert found.changes[1][0] == pytest.approx(0.15, abs=0.011)  # between two looks
    rises = Tolerant(lambda t, y: [abs(y[0] - 0.5) - 0.6, 1.0])  # above zero from 1.1 on only
    integrate(rises, np.zeros(1), 0.0, [1.0], np.linspace(0, 1, 101), HOW)
    assert rises.changes[1][0] == pytest.approx(0.1, abs=0.011)


def test_a_system_revises_itself_between_steps() -> None:
    class Revising(Plain):
        def revise(self, t, y, mode):
            if t >= 0.5 and mode == 1.0:
                return Revision(3.0, restart=True)
            return Revision(4.0, settle=True) if t >= 0.8 and mode == 3.0 else None

    revised = Revising()
    short = Settings("RK45", 1e-6, 1e-6, 0.1)
    integrate(revised, np.zeros(1), 0.0, [1.0], np.array([0.0, 1.0]), short)
    (began, change) = revised.changes[1]
    assert 0.8 <= began <= 0.9 and change == Change(None, 0)
    assert revised.samples[-1][2] == 4.0
    # 1 m/s up to the first step that ends after 0.5 s, 3 m/s up to the change, 4 m/s from there
    turned = 0.5 * (3 * began + 4 * (1 - began) - revised.samples[-1][1])
    assert 0.5 <= turned <= 0.6


def test_progress_and_failure_are_reported() -> None:
    shares: list[float] = []
    integrate(Plain(), np.zeros(1), 2.0, [3.0, 4.0], np.array([4.0]), HOW, report=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1.0 and 0.5 in shares

    class Wild(Plain):
        def rate(self, t, y, mode):
            return 1.0 + y**2

    with pytest.raises(lp.IntegrationError, match=r"failed at t = 1\.57\d+ s: Required step size"):
        integrate(Wild(), np.zeros(1), 0.0, [2.0], np.array([2.0]), HOW)


def test_a_system_is_never_asked_beyond_finite_states() -> None:
    class Jumps(Plain):
        def rate(self, t, y, mode):
            assert np.isfinite(y).all()
            return np.array([1.0 if t <= 0.5 else np.inf])

    with pytest.raises(lp.IntegrationError, match=r"failed at t = 0\.\d+ s"):
        integrate(Jumps(), np.zeros(1), 0.0, [1.0], np.array([1.0]), Settings("RK45", 1e-6, 1e-6, np.inf))


@dataclass
class Ticking(Plain):
    """Something changes in every `interval` of time."""

    interval: float = 1e-7
    due: float = 0.0

    def settle(self, t, y, mode, change):
        self.due = t + self.interval
        return Settled(0.0, y)

    def margins(self, t, y, mode):
        return np.array([self.due - t])


def test_changes_that_follow_each_other_too_closely_are_refused() -> None:
    moments = np.array([0.0, 1.0])
    with pytest.raises(lp.IntegrationError, match="margin 0 changes without end"):
        integrate(Ticking(), np.zeros(1), 0.0, [1.0], moments, HOW)
    slow = Ticking(interval=2e-4)
    integrate(slow, np.zeros(1), 0.0, [0.05], np.array([0.0, 0.05]), HOW)
    assert slow.due > 0.05  # 250 changes, each of which took its time
