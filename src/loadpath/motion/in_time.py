"""A motion at other times: smoothed, sampled anew, cut, at another pace, one after the other, in blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from loadpath.errors import warn
from loadpath.motion import carried, checks
from loadpath.motion.checks import tracks
from loadpath.motion.closed import closed_states, driven_robot
from loadpath.motion.interpolation import at_times
from loadpath.motion.logs.table import check_samples
from loadpath.motion.reading import rising_times
from loadpath.motion.smoothing import LowPass
from loadpath.plotting import COLORS, label, seen
from loadpath.robot.numbers import LARGEST_NUMBER, SMALLEST_NUMBER, number

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


BLOCK = 16384
"""Samples that are worked on at a time."""
JUMP = 1e-6
"""Motions are joined where the end of one and the beginning of the next differ by no more than this."""


class MotionInTime:
    """The part of `lp.Motion` that makes others from it."""

    def smoothed(self, cutoff: float | None = None) -> Motion:
        """The motion with smoothed positions, speeds and accelerations derived anew from these: by cross-validation, or
        with a cut-off (Hz). What it changed is in `smoothing`. Samples of clean motions are hardly changed, noisy ones
        lose their noise.

        >>> import loadpath as lp
        >>> rng, swing = np.random.default_rng(0), lp.Motion.swing(lp.catalog.planar(2), duration=2.0)
        >>> q = swing.q + rng.normal(0, 1e-4, swing.q.shape)
        >>> noisy = lp.Motion.from_checked(swing.t, q, swing.qd, swing.qdd, None)
        >>> bool(abs(noisy.smoothed().qdd - swing.qdd)[50:-50].max() < 0.02 * swing.qdd.max())
        True
        """
        this = cast("Motion", self)
        smooth = True if cutoff is None else LowPass(cutoff)
        found = type(this)(this.t, this.q, robot=this.robot, smooth=smooth)
        return found._with(loads=this.loads, extra=this.extra, notes=this.notes, source=this.source)

    def at(self, times: ArrayLike) -> Motion:
        """The motion at other times within its own, one or many: polynomials of degree five that meet all samples,
        their speeds and accelerations.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.planar(2), duration=2.0).at(1.0).q.tolist()
        [[0.0, 0.0]]
        """
        this = cast("Motion", self)
        instants = rising_times(np.atleast_1d(times), "times", fewest=1)
        if instants[0] < this.t[0] or instants[-1] > this.t[-1]:
            outside = instants[0] if instants[0] < this.t[0] else instants[-1]
            raise ValueError(f"time {outside:.6g} s is outside the motion, {this.t[0]:.6g} to {this.t[-1]:.6g} s")
        states = at_times(this._layout, this.t, (this.q, this.qd, this.qdd), instants)
        closed = driven_robot(this.robot)
        if closed is not None:
            states = closed_states(closed, *states)
        return this.from_checked(instants, *states, this.robot, like=this)

    def resampled(self, rate: float) -> Motion:
        """The motion with so many samples a second, evenly; the last interval is cut so that the end stays.

        >>> import loadpath as lp
        >>> len(lp.Motion.swing(lp.catalog.planar(2), duration=2.0).resampled(100))
        201
        """
        this = cast("Motion", self)
        rate = number(rate, "rate")
        if rate <= 0:
            raise ValueError(f"rate is {rate}: expected samples a second, more than zero")
        check_samples(this.duration * rate, this._layout.width, f"rate is {rate:g} samples a second")
        count = int(this.duration * rate * (1 + 1e-12))
        times = this.t[0] + np.arange(count + 1) / rate
        times[-1] = min(times[-1], this.t[-1])
        if this.t[-1] - times[-1] > 1e-9 / rate:
            times = np.append(times, this.t[-1])
        else:
            times[-1] = this.t[-1]
        return this.at(times)

    def between(self, begin: float | None = None, end: float | None = None) -> Motion:
        """The part between two times (s); the ends are samples of it.

        >>> import loadpath as lp
        >>> lp.Motion.swing(lp.catalog.planar(2), duration=2.0).between(0.5, 1.25)
        <motion of 'planar2': 189 samples from 0.5 to 1.25 s>
        """
        this = cast("Motion", self)
        first = float(this.t[0]) if begin is None else number(begin, "begin")
        last = float(this.t[-1]) if end is None else number(end, "end")
        if not this.t[0] <= first < last <= this.t[-1]:
            raise ValueError(f"no part from {first:.6g} to {last:.6g} s in a motion from {this.t[0]:.6g} to "
                             f"{this.t[-1]:.6g} s")
        inner = this.t[(this.t > first) & (this.t < last)]
        part = this.at(np.concatenate([[first], inner, [last]]))
        return part._with(loads=carried.within(this.loads, first, last))

    def scaled(self, *, duration: float | None = None, speed: float | None = None) -> Motion:
        """The same path at another pace: in so many seconds, or so many times as fast.

        >>> import loadpath as lp
        >>> motion = lp.Motion.swing(lp.catalog.planar(2), duration=2.0)
        >>> float(motion.scaled(speed=2).qdd.max() / motion.qdd.max())
        4.0
        """
        this = cast("Motion", self)
        if (duration is None) == (speed is None):
            raise ValueError("scaled: give a duration (s) or a speed (a factor), one of them")
        factor = number(speed, "speed") if duration is None else number(duration, "duration")
        if duration is not None and factor > 0:
            factor = this.duration / factor
        if not SMALLEST_NUMBER <= factor <= LARGEST_NUMBER:  # its square is the factor of accelerations
            pace = f"a pace from {SMALLEST_NUMBER:g} to {LARGEST_NUMBER:g} times this one"
            expected = "more than zero" if factor <= 0 else pace
            raise ValueError(f"scaled: duration {duration}, speed {speed}: expected {expected}")
        t = this.t[0] + (this.t - this.t[0]) / factor
        motion = this.from_checked(t, this.q, factor * this.qd, factor**2 * this.qdd, this.robot)
        motion._with(qd_error=factor * this.qd_error, qdd_error=factor**2 * this.qdd_error,
                     loads=carried.at_another_pace(this.loads, float(this.t[0]), factor),
                     smoothing=this.smoothing, notes=this.notes, source=this.source)
        if this.robot is not None:
            for problem in checks.outside_limits(this.robot, motion.t, motion.q, motion.qd):
                warn(problem)
        return motion

    def followed_by(self, *others: Motion) -> Motion:
        """This motion and others after it, their times moved so that each begins where the one before ends. There the
        positions must agree; the speeds and accelerations are those of the earlier one. Loads go along: one that the
        earlier motion ends with and the later begins with is carried on.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2)
        >>> there = lp.Motion.through(arm, [[0, 0], [1, 1]], times=[0, 1])
        >>> there.followed_by(lp.Motion.through(arm, [[1, 1], [0, 0]], times=[0, 2])).duration
        3.0
        """
        this = cast("Motion", self)
        parts: list[Motion] = [this]
        end = float(this.t[-1])
        borne = [(this.loads, 0.0, float(this.t[0]), end)]
        for other in others:
            before = parts[-1]
            if not isinstance(other, MotionInTime):
                raise ValueError(f"a motion is followed by {other!r}: expected motions")
            if other.dof_names != this.dof_names:
                raise ValueError(f"motions of other joints cannot be joined: {', '.join(this.dof_names)} and "
                                 f"{', '.join(other.dof_names)}")
            _check_meeting(before, other)
            shift = end - float(other.t[0])
            parts.append(this.from_checked(other.t[1:] + shift, other.q[1:], other.qd[1:], other.qdd[1:], this.robot))
            borne.append((other.loads, shift, end, end + other.duration))
            end += other.duration
        arrays = [np.concatenate([getattr(part, name) for part in parts]) for name in ("t", "q", "qd", "qdd")]
        joined = this.from_checked(arrays[0], arrays[1], arrays[2], arrays[3], this.robot)
        for name in ("qd_error", "qdd_error"):
            worst = np.max([getattr(part, name) for part in (this, *others)], axis=0)
            object.__setattr__(joined, name, worst)
        logs = [this, *(other for other in others if other is not this)]
        smoothed = [log.smoothing for log in logs if log.smoothing is not None]
        said = [note for log in logs for note in log.notes]
        said += [sentence for other in smoothed[1:] for sentence in other.sentences]
        smoothing = smoothed[0] if smoothed else None
        source = ", then ".join(dict.fromkeys(log.source for log in logs if log.source))
        return joined._with(loads=carried.one_after_the_other(borne), smoothing=smoothing,
                            notes=tuple(dict.fromkeys(said)), source=source)

    def blocks(self, size: int = BLOCK) -> Iterator[Motion]:
        """The motion in pieces of so many samples, views of its arrays.

        >>> import loadpath as lp
        >>> [len(block) for block in lp.Motion.swing(lp.catalog.planar(2), samples=501).blocks(200)]
        [200, 200, 101]
        """
        this = cast("Motion", self)
        if size < 1:
            raise ValueError(f"blocks of {size} samples: expected one or more")
        for begin in range(0, len(this), size):
            rows = slice(begin, begin + size)
            yield this.from_checked(this.t[rows], this.q[rows], this.qd[rows], this.qdd[rows], this.robot, like=this)


def _check_meeting(before: Motion, after: Motion) -> None:
    """Refuse motions that do not meet; ask about speeds that jump where they do."""
    gap = np.abs(before.q[-1] - after.q[0])
    for joint in before._layout.turning:
        four = slice(joint.q.stop - 4, joint.q.stop)
        gap[four] = np.minimum(gap[four], np.abs(before.q[-1, four] + after.q[0, four]))
    if gap.max(initial=0.0) > JUMP:
        k = int(gap.argmax())
        raise ValueError(f"motions cannot be joined: '{before.coordinate_names[k]}' ends at {before.q[-1, k]:.6g} "
                         f"and begins at {after.q[0, k]:.6g}")
    jump = np.abs(before.qd[-1] - after.qd[0])
    if jump.max(initial=0.0) > JUMP:
        k = int(jump.argmax())
        warn(f"where motions are joined, the speed of joint '{before.dof_names[k]}' jumps from "
             f"{before.qd[-1, k]:.6g} to {after.qd[0, k]:.6g}")


# A motion as a figure: positions, speeds and accelerations over time, with the limits as dashed lines.


def figure(motion: Motion) -> Any:
    """A Plotly figure in three rows; a click on a name hides all three curves of a joint."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    rows = (("position", motion.q, motion.coordinate_names, ""), ("speed", motion.qd, motion.dof_names, "/s"),
            ("acceleration", motion.qdd, motion.dof_names, "/s²"))
    plot = make_subplots(rows=3, cols=1, shared_xaxes=True, vertical_spacing=0.05)
    shown: set[str] = set()
    colors: dict[str, str] = {}
    for row, (what, values, names, per) in enumerate(rows, start=1):
        for k, name in enumerate(names):
            color = colors.setdefault(name, COLORS[len(colors) % len(COLORS)])
            line, text = {"color": color, "width": 1.8}, label(name)
            picked = seen(values[:, k])
            plot.add_trace(
                go.Scatter(x=motion.t[picked], y=values[picked, k], name=text, legendgroup=text, line=line,
                           mode="lines", showlegend=name not in shown, hovertemplate="%{y:.4g}"),
                row=row, col=1,
            )
            shown.add(name)
        plot.update_yaxes(title_text=f"{what} ({_units(motion, per)})", row=row, col=1)
    if motion.robot is not None:
        _limits(plot, motion, colors)
    plot.update_xaxes(title_text="time (s)", row=3, col=1)
    plot.update_layout(template="plotly_white", height=760, hovermode="x unified", margin={"t": 30, "r": 20},
                       legend={"title": "joint"})
    return plot


def _units(motion: Motion, per: str) -> str:
    if motion.robot is None:
        return f"rad{per} or m{per}"
    angular = [a for j in motion.robot.joints if j.mimic is None for a in j.motion.angular]
    kinds = [unit for unit, there in (("rad", any(angular)), ("m", not all(angular))) if there]
    return ", ".join(f"{unit}{per}" for unit in kinds)


def _limits(plot: Any, motion: Motion, colors: dict[str, str]) -> None:
    """Limits of every joint in its color, where they are near enough to be seen with the motion."""
    robot = motion.robot
    assert robot is not None
    t = [float(motion.t[0]), float(motion.t[-1])]
    for track in tracks(robot):
        if track.joint.mimic is not None:
            continue
        limits = track.joint.limits[track.k]
        name = robot.dof_names[track.v]
        bounds = [(2, motion.qd, bound) for bound in (-limits.velocity, limits.velocity)]
        if track.coordinate is not None:
            bounds += [(1, motion.q, bound) for bound in (limits.lower, limits.upper)]
        for row, values, bound in bounds:
            if math.isfinite(bound) and abs(bound) <= 3 * float(np.abs(values).max()):
                line, text = {"color": colors[name], "width": 1, "dash": "dash"}, label(name)
                plot.add_scatter(x=t, y=[bound, bound], mode="lines", line=line, name=f"limit of {text}",
                                 legendgroup=text, showlegend=False, hoverinfo="skip", row=row, col=1)
