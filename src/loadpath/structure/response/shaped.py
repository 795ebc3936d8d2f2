"""`arm.shaped(motion, "zv")`: the motion changed so that the arm vibrates less after it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Never

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.kinematics.closed.motions import motion as close_loops
from loadpath.motion.closed import drive_layout, drive_places, driven_robot
from loadpath.motion.layout import Layout
from loadpath.motion.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.ends import link_or_only_end, one_name
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats
from loadpath.states import MotionLike, as_motion, refuse_keywords
from loadpath.structure.response.damping import RATIO, DampingLike, Rayleigh, read_damping
from loadpath.structure.response.respond import MODES, STILL, motion_track, respond
from loadpath.structure.response.shapers import SHAPERS, Impulses, ShaperName, impulses
from loadpath.structure.response.track import ClosedTrack, Track

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

STANDS = 1e-9
"""rad or m by which a joint may move and still stand."""


class ShapedMotion(Motion):
    """A motion that was shaped against a vibration, with what it was made of and what it saves."""

    arm: ElasticQuantities
    original: Motion
    shaper: ShaperName
    frequency: float
    """Hz: the natural frequency (undamped) that it is made for."""
    ratio: float
    """Damping ratio that it is made for."""
    impulses: Impulses | None
    """Sizes and times; None for "smooth"."""
    damping: DampingLike
    modes: int
    tip: str
    """The link whose vibration is looked at."""

    @classmethod
    def from_checked(
        cls, t: Floats, q: Floats, qd: Floats, qdd: Floats, robot: RobotModel | None, like: Motion | None = None
    ) -> Motion:
        """Motions made of this one are plain ones."""
        return Motion.from_checked(t, q, qd, qdd, robot, like)

    @property
    def longer(self) -> float:
        """s by which it is longer than the original."""
        return self.duration - self.original.duration

    @cached_property
    def residual_before(self) -> float:
        """m: the tip's vibration after the original motion."""
        return respond(self.arm, self.original, damping=self.damping, modes=self.modes, tip=self.tip).residual

    @cached_property
    def residual_after(self) -> float:
        """m: the tip's vibration after this motion."""
        return respond(self.arm, self, damping=self.damping, modes=self.modes, tip=self.tip).residual

    def __repr__(self) -> str:
        return printable(
            f"<{super().__repr__()[1:-1]}, shaped by '{self.shaper}' for {self.frequency:.4g} Hz: {self.longer:.4g} s "
            f"longer, vibration after it {1e3 * self.residual_after:.3g} mm in place of "
            f"{1e3 * self.residual_before:.3g} mm>"
        )


def shaped(
    arm: ElasticQuantities,
    motion: Motion | MotionLike,
    shaper: ShaperName = "zv",
    *,
    frequency: float | None = None,
    damping: DampingLike = RATIO,
    modes: int = MODES,
    tip: str | None = None,
    link: str | None = None,
    **others: Never,
) -> ShapedMotion:
    """The motion changed so that the arm vibrates less after it: a new `lp.Motion`, longer by half a period or more of
    the vibration, on the same path for motions that are straight in joint space. Of a robot with loops the motion of
    its drives is shaped, and the loops are closed.

    - "zv" (half a period longer), "zvd" (one period; forgives a frequency that is off by some per cent) and "zvdd" (one
      and a half) leave no vibration of the mode they are made for; "ei" (one period) leaves 5 % and forgives most.
    - "smooth" takes the mean over one period: one period longer, with half the jerk or less at the ends. It leaves no
      vibration of an undamped mode.

    The mode is the one whose vibration the tip (`link` or `tip` names it; the only end unless given) has most of after
    the motion, in the last pose; or `frequency` (Hz) gives one, with the ratio that `damping` has for it.
    `residual_before` and `residual_after` say what it saves.
    Where a motion changes the frequency of the arm by much, what is left is not zero: look at `residual_after`.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_payload(2.0).with_beams({"link1": box})
    >>> quick = lp.Motion.through(arm, [[0.0], [1.0]], times=[0.0, 0.4], profile="trapezoidal")
    >>> calm = arm.shaped(quick, "zv", damping=0.01)
    >>> calm.residual_after < 0.02 * calm.residual_before
    True
    """
    refuse_keywords("shaped", others, "give the frequency= that the arm has under these loads")
    if not isinstance(shaper, str) or shaper not in SHAPERS:
        raise ValueError(f"shaped: shaper is {shaper!r}: expected one of {', '.join(SHAPERS)}")
    original = as_motion(arm, motion, "shaped")
    track = moved_joints(arm, motion_track(arm, original, None, "shaped"))
    if original.robot is None:  # it has been asked about units: once is enough
        original = Motion.from_checked(original.t, original.q, original.qd, original.qdd, arm, original)
    _refuse(track.layout, track)
    tip = link_or_only_end(arm, one_name("shaped", link, tip))
    hertz, ratio = _mode(arm, original, frequency, damping, modes, tip)
    if shaper == "smooth":
        found, parts = None, _averaged(track, 1 / (hertz * math.sqrt(1 - ratio**2)))
    else:
        found = impulses(shaper, hertz, ratio)
        parts = _convolved(track, found)
    if isinstance(track, DriveTrack):
        closed = close_loops(track.robot, Motion(*parts), near=original.q[0])
        parts = closed.t, closed.q, closed.qd, closed.qdd
    made = object.__new__(ShapedMotion)
    zero = np.zeros(arm.n)
    made._fill(*parts, arm, zero, zero)
    values = {"arm": arm, "original": original, "shaper": shaper, "frequency": hertz, "ratio": ratio,
              "impulses": found, "damping": damping, "modes": modes, "tip": tip, "source": original.source}
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


@dataclass(frozen=True, eq=False)
class DriveTrack(Track):
    """Of the drives of a robot with loops."""

    robot: ClosedQuantities


def moved_joints(arm: ElasticQuantities, track: Track) -> Track:
    """The motion of what can be shaped: of all joints; of a robot with loops that of its drives, and the others follow.
    """
    if not isinstance(track, ClosedTrack):
        return track
    drives = driven_robot(arm)
    assert drives is not None
    q, v = drive_places(drives)
    parts = track.t, track.q[:, q], track.qd[:, v], track.begins[:, v], track.ends[:, v]
    return DriveTrack(drive_layout(drives), *parts, track.case, track.robot)


def _refuse(layout: Layout, track: Track) -> None:
    for joint in layout.turning:
        if np.abs(track.q[:, joint.q] - track.q[:1, joint.q]).max() > STANDS:
            raise ModelError(f"shaped: the joint with the coordinates {layout.coordinate_names[joint.q.start]} and on "
                             "has a quaternion and moves: sums of its positions are none; shape motions of joints with "
                             "single coordinates")
    speeds = np.abs(track.qd).max(axis=0)
    for row, when in ((0, "begin"), (-1, "end")):
        moving = np.abs(track.qd[row]) > STILL * max(float(speeds.max(initial=0.0)), 1e-9)
        if moving.any():
            k = int(np.argmax(moving))
            raise ValueError(f"shaped: the motion does not {when} at rest: joint '{layout.dof_names[k]}' has "
                             f"{track.qd[row, k]:.4g} there; shape whole motions")


def _mode(
    arm: ElasticQuantities, motion: Motion, frequency: float | None, damping: DampingLike, modes: int, tip: str
) -> tuple[float, float]:
    if frequency is not None:
        hertz = number(frequency, "frequency")
        if not 0 < hertz < math.inf:
            raise ValueError(f"shaped: frequency is {frequency}: expected Hz, more than zero")
        read = read_damping(damping, "shaped")
        ratio = read.ratio(hertz) if isinstance(read, Rayleigh) else float(read[0])
        if ratio >= 1:
            raise ValueError(f"shaped: at {hertz:.4g} Hz the damping ratio is {ratio:.3g}: nothing vibrates there")
        return hertz, ratio
    ringing = respond(arm, motion, damping=damping, modes=modes, tip=tip).ringing
    vibrating = np.abs(ringing.rates.imag) > 1e-9 * np.abs(ringing.rates).max()
    if not vibrating.any():
        raise ModelError(f"robot '{arm.name}': nothing vibrates after the motion, all of it is damped critically")
    sizes = np.where(vibrating, ringing.sizes, -1.0)
    k = int(np.argmax(sizes))
    if sizes[k] == 0:
        raise ModelError(f"robot '{arm.name}': link '{tip}' does not vibrate at all after the motion: no mode to shape "
                         "for; name the link that vibrates, link=, or the frequency=")
    rate = complex(ringing.rates[k])
    return abs(rate) / (2 * math.pi), max(0.0, -rate.real / abs(rate))


def _held(track: Track, times: Floats, *, before: bool) -> tuple[Floats, Floats, Floats]:
    """The motion at times, standing before its begin and after its end."""
    begin, end = float(track.t[0]), float(track.t[-1])
    q, qd, qdd = track.at(np.clip(times, begin, end), before=before)
    out = (times <= begin) | (times > end) if before else (times < begin) | (times >= end)
    return q, np.where(out[:, None], 0.0, qd), np.where(out[:, None], 0.0, qdd)


def _instants(track: Track, delays: Floats) -> Floats:
    """The samples of all the delayed motions together."""
    times = np.sort((track.t[:, None] + delays).ravel())
    keep = np.concatenate([[True], np.diff(times) > 1e-9 * (track.t[-1] - track.t[0])])
    result: Floats = times[keep]
    result[-1] = track.t[-1] + delays[-1]
    return result


def _convolved(track: Track, found: Impulses) -> tuple[Floats, Floats, Floats, Floats]:
    t = _instants(track, found.times)
    total = [np.zeros((len(t), size)) for size in (track.q.shape[1], track.qd.shape[1], track.qd.shape[1])]
    for size, delay in zip(found.sizes, found.times, strict=True):
        after, last = _held(track, t - delay, before=False), _held(track, t[-1:] - delay, before=True)
        for part, values, end in zip(total, after, last, strict=True):
            part[:-1] += size * values[:-1]
            part[-1:] += size * end
    return t, total[0], total[1], total[2]


def _averaged(track: Track, period: float) -> tuple[Floats, Floats, Floats, Floats]:
    """The mean of the positions over the last period, of the motion and its derivatives."""
    t = _instants(track, np.array([0.0, period]))
    now, then = (_held(track, t - delay, before=False) for delay in (0.0, period))
    q = (_integral(track, t) - _integral(track, t - period)) / period
    qd = np.zeros_like(now[1])
    layout = track.layout
    qd[:, layout.plain_v] = (now[0] - then[0])[:, layout.plain_q] / period
    for joint in layout.turning:
        q[:, joint.q] = track.q[0, joint.q]
    return t, q, qd, (now[1] - then[1]) / period


def _integral(track: Track, times: Floats) -> Floats:
    """Of the positions from the begin of the motion to times before, in and after it; the pieces are of degree five."""
    t, q = track.t, track.q
    layout = track.layout
    qd, a, b = (np.zeros((len(values), q.shape[1])) for values in (track.qd, track.begins, track.ends))
    qd[:, layout.plain_q] = track.qd[:, layout.plain_v]
    a[:, layout.plain_q], b[:, layout.plain_q] = track.begins[:, layout.plain_v], track.ends[:, layout.plain_v]
    h = np.diff(t)[:, None]
    whole = h / 2 * (q[:-1] + q[1:]) + h**2 / 10 * (qd[:-1] - qd[1:]) + h**3 / 120 * (a + b)
    sums = np.concatenate([np.zeros((1, q.shape[1])), np.cumsum(whole, axis=0)])
    inside = np.clip(times, t[0], t[-1])
    k = np.clip(np.searchsorted(t, inside, side="right") - 1, 0, len(t) - 2)
    s = inside - t[k]
    there, rate, second = track.at(inside)
    speed, growth = np.zeros_like(there), np.zeros_like(there)
    speed[:, layout.plain_q], growth[:, layout.plain_q] = rate[:, layout.plain_v], second[:, layout.plain_v]
    s = s[:, None]
    part = s / 2 * (q[k] + there) + s**2 / 10 * (qd[k] - speed) + s**3 / 120 * (a[k] + growth)
    outside = np.where(times < t[0], times - t[0], 0.0)[:, None] * q[0]
    beyond = np.where(times > t[-1], times - t[-1], 0.0)[:, None] * q[-1]
    result: Floats = sums[k] + part + outside + beyond
    return result
