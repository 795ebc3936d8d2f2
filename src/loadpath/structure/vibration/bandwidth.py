"""`arm.bandwidth_check(motion)`: whether a motion is slow against the arm's lowest natural frequency.

Rigid dynamics, and deflection under quasi-static loads, hold where the motion's bandwidth stays well below the lowest
natural frequency (an assumption of chapter 7 of Lau's thesis). How much further than quasi-statically the arm moves
depends on how the motion begins and ends too: an acceleration that sets in at once moves it twice as far, however slow
the motion is. So the motion's accelerations are put to an oscillator of the lowest frequency (its response spectrum).
A push at the share r of the natural frequency that begins from rest moves it 1 / (1 - r) times as far at most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np

from loadpath.motion.layout import layout_of
from loadpath.motion.motion import Motion
from loadpath.printable import printable
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names
from loadpath.scalars.types import Bools, Floats
from loadpath.states import MotionLike, as_motion
from loadpath.states.carried import VIBRATES, refuse_counted
from loadpath.structure.response.spectrum import response_spectrum
from loadpath.structure.response.track import track_of
from loadpath.structure.vibration.frequencies import natural_frequencies

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

POWER = 0.99
"""Share of the accelerations' power that lies below the bandwidth."""
ENOUGH = 5.0
"""Lowest natural frequency over bandwidth from which on a motion is slow."""
POSES = 200
"""Poses of the motion whose frequencies are looked at."""
FEW = 0.02
"""Joints with less than this share of the largest acceleration do not count in the response spectrum."""
PADDING = 8
"""The spectrum is that of the motion followed by standstill, in all this many times as long as the motion."""


@dataclass(frozen=True, eq=False)
class BandwidthCheck:
    """How the bandwidth of a motion compares with the arm's lowest natural frequency."""

    bandwidth: float
    """Hz: the given one, or below which 99 % of the power of the accelerations lies."""
    bandwidths: dict[str, float]
    """The same for each speed by itself; empty where the bandwidth was given, zero for a joint that stands still."""
    frequency: float
    """Hz: the lowest natural frequency over the motion."""
    time: float
    """s: when it is lowest."""
    times: Floats
    frequencies: Floats
    """The lowest natural frequency (Hz) at `times` (s)."""
    mode: str
    """What gives way most in that vibration."""
    required: float
    spectrum: float
    """How many times the quasi-static deflection an undamped oscillator of the lowest frequency makes of the motion's
    accelerations, of the joint where that is most; 1 for a motion that stands still."""
    residual: float
    """The same of its vibration after the motion: what is left, as a share of the largest quasi-static deflection."""
    given: bool = False
    """Whether the bandwidth was given."""

    @property
    def ratio(self) -> float:
        """Lowest natural frequency over bandwidth; infinite for a motion that stands still."""
        return self.frequency / self.bandwidth if self.bandwidth > 0 else math.inf

    @property
    def passed(self) -> bool:
        """Whether the ratio is as large as required, in every pose that was looked at, and the motion makes no more of
        its accelerations than a push of such a ratio does: `allowed`.
        """
        return self.ratio >= self.required and self.amplification <= self.allowed and not self.unknown.any()

    @property
    def allowed(self) -> float:
        """Amplification of a push at the bandwidth that begins from rest, with the ratio required."""
        return 1 / (1 - 1 / self.required) if self.required > 1 else math.inf

    @property
    def unknown(self) -> Bools:
        """Of which of the `times` the frequency is not known."""
        result: Bools = np.isnan(self.frequencies)
        return result

    @property
    def amplification(self) -> float:
        """How many times the quasi-static deflection the lowest mode reaches over the motion, undamped. Where the
        bandwidth was given, at least what a steady push at it makes.
        """
        if not self.given:
            return self.spectrum
        return max(self.spectrum, 1 / (1 - 1 / self.ratio**2)) if self.ratio > 1 else math.inf

    def __str__(self) -> str:
        enough = "at least" if self.ratio >= self.required else "less than"
        shakes = f"up to {self.amplification:.3g} times the quasi-static deflection, {self.residual:.2g} after the end"
        verdict = (
            "the arm may be taken as rigid with quasi-static deflection"
            if self.passed
            else "the motion excites vibrations, which deflection and stress leave out: see respond"
        )
        return printable(
            f"lowest natural frequency {self.frequency:.4g} Hz ({self.mode}, at {self.time:.4g} s), bandwidth "
            f"{self.bandwidth:.4g} Hz: ratio {self.ratio:.3g}, {enough} {self.required:g}; {shakes}: {verdict}"
        )


@takes_loads
def bandwidth_check(
    arm: ElasticQuantities,
    motion: Motion | MotionLike,
    *,
    bandwidth: float | None = None,
    required: float = ENOUGH,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = 1e-4,
    **acting: Unpack[LoadKeywords],
) -> BandwidthCheck:
    """Whether a motion (or a simulation) stays slow against the lowest natural frequency of the arm.

    The bandwidth (Hz) is the frequency below which 99 % of the power of the joint accelerations lies, of the joint
    where it is highest, or the given one (that of the drives' control, say). The natural frequency is the lowest over
    up to 200 states of the motion, under gravity, the loads of the motion and `external` wrenches as in
    `natural_frequencies` (`base_velocity`, `base_acceleration`: the motion of the base), or with `loaded=False` under
    none.

    Passed if it is at least `required` times the bandwidth, and if the motion's accelerations, put to an undamped
    oscillator of that frequency, deflect it by no more than 1 / (1 - 1 / required) times as much as slow ones
    (`amplification`); `residual` is what vibrates on after the end. `respond` has all of it in mm.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": box})
    >>> move = lp.Motion.through(arm, [[0.0], [1.0]], times=[0.0, 1.0])
    >>> check = arm.bandwidth_check(move)
    >>> check.passed, check.mode
    (True, "link 'link1': bending about z")
    """
    case = acting["under"]
    case = case.with_motion_of(motion, arm, "bandwidth_check") if loaded else case
    refuse_counted(case, "bandwidth_check", VIBRATES)
    motion = as_motion(arm, motion, "bandwidth_check")
    for name, value in (("bandwidth", bandwidth), ("required", required)):
        if value is not None and not 0 < value < math.inf:
            raise ValueError(f"{name} is {value}: expected more than zero")
    each: dict[str, float] = {}
    given = bandwidth is not None
    if bandwidth is None:
        each = dict(zip(motion.dof_names, motion_bandwidths(motion).tolist(), strict=True))
        bandwidth = max(each.values(), default=0.0)
    rows = np.unique(np.linspace(0, len(motion.t) - 1, POSES).round().astype(int))
    rates = {"qd": motion.qd[rows], "qdd": motion.qdd[rows]} if loaded else {}
    loads = case.of_states(rows, motion.t.shape).keywords
    modes = natural_frequencies(
        arm, motion.q[rows], 1, loaded=loaded, effects=effects, tolerance=tolerance, **rates, **loads
    )
    lowest = modes.frequencies[:, 0]
    if np.isnan(lowest).all():
        raise ValueError("bandwidth_check: the motion has no pose without a NaN")
    k = int(np.nanargmin(lowest))
    times = motion.t[rows]
    spectrum, residual = _spectrum(arm, motion, float(lowest[k]))
    return BandwidthCheck(float(bandwidth), each, float(lowest[k]), float(times[k]), times, lowest,
                          str(modes.names[k, 0]), float(required), spectrum, residual, given)


def _spectrum(arm: RobotModel, motion: Motion, frequency: float) -> tuple[float, float]:
    """Peak and residual of the joint with most; joints that hardly accelerate are left out."""
    if not math.isfinite(frequency):
        return 1.0, 0.0
    if not all(np.isfinite(part).all() for part in (motion.q, motion.qd, motion.qdd)):
        return math.nan, math.nan  # a vibration has a history
    found = response_spectrum(track_of(layout_of(arm), motion.t, motion.q, motion.qd, motion.qdd), frequency)
    largest = np.abs(motion.qdd).max(axis=0, initial=0.0)
    counting = (largest > FEW * largest.max(initial=0.0)) & np.isfinite(found.peak)
    if not counting.any():
        return 1.0, 0.0
    return float(found.peak[counting].max()), float(found.residual[counting].max())


def motion_bandwidths(motion: Motion, power: float = POWER) -> Floats:
    """For each speed the frequency (Hz) below which that share of the power of its acceleration lies.

    The motion is taken at even steps, with rest before and after: its spectrum is that of a single stroke.

    >>> import loadpath as lp
    >>> t = np.linspace(0, 10, 2001)
    >>> wave = lp.Motion(t, np.sin(2 * np.pi * 3 * t)[:, None])
    >>> bool(3.0 <= motion_bandwidths(wave)[0] < 3.5)
    True
    """
    if not 0 < power < 1:
        raise ValueError(f"power is {power}: expected a share between 0 and 1")
    t, qdd = motion.t, motion.qdd
    if len(t) < 2:
        return np.zeros(qdd.shape[1])
    step = float(np.diff(t).min())
    count = int(min(max(len(t), round(motion.duration / step) + 1), 8 * len(t), 2**20))
    even = np.linspace(t[0], t[-1], count)
    values = np.stack([np.interp(even, t, column) for column in qdd.T], axis=1)
    length = 2 ** math.ceil(math.log2(PADDING * count))
    spectrum = np.abs(np.fft.rfft(values, length, axis=0)) ** 2
    spectrum[1:] *= 2
    frequencies = np.fft.rfftfreq(length, (even[1] - even[0]))
    total = np.cumsum(spectrum, axis=0)
    result = np.array([
        np.interp(power * column[-1], column, frequencies) if column[-1] > 0 else 0.0 for column in total.T
    ])
    return cast(Floats, result)
