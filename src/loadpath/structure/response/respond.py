"""`arm.respond(motion)`: how a flexible arm vibrates over a motion, and after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np

from loadpath.errors import warn
from loadpath.motion.checks import outside_limits, times_in_other_units
from loadpath.motion.layout import layout_of
from loadpath.motion.motion import Motion
from loadpath.quantities.load_keywords import LoadKeywords, takes_loads
from loadpath.robot.ends import ends_of, link_or_only_end, one_name
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import Names, number
from loadpath.states import LoadCase, MotionLike, as_motion, read_states
from loadpath.states.carried import VIBRATES, refuse_counted
from loadpath.structure.checks import check_free_ends, check_wrench_points, chosen_effects, whole_number
from loadpath.structure.deflection import LARGE_ROTATION
from loadpath.structure.quantities import at_once
from loadpath.structure.response.course import STEPS_PER_PERIOD, Course, integrate, reduced_arm
from loadpath.structure.response.damping import RATIO, DampingLike, read_damping
from loadpath.structure.response.histories import frame_motion
from loadpath.structure.response.result import MotionResponse
from loadpath.structure.response.track import Track, track_of

if TYPE_CHECKING:
    from loadpath.structure.quantities import ElasticQuantities

MODES = 8
TOLERANCE = 1e-4
PERIODS = 10
"""Of the lowest mode that the arm rings on after the motion, at most, unless given."""
FADED = 0.02
"""Share of a vibration at which it counts as over, where the time after the motion is not given."""
MOST_INSTANTS = 5_000_000
STILL = 1e-6
"""rad/s (or m/s), as a share of the largest speed: a joint that is slower stands."""


@takes_loads
def respond(
    arm: ElasticQuantities,
    motion: Motion | MotionLike,
    *,
    damping: DampingLike = RATIO,
    modes: int = MODES,
    after: float | None = None,
    start: Literal["rest", "quasi-static"] = "rest",
    loaded: bool = True,
    effects: Names = None,
    rate: float | None = None,
    tip: str | None = None,
    link: str | None = None,
    tolerance: float = TOLERANCE,
    **acting: Unpack[LoadKeywords],
) -> MotionResponse:
    """How the arm vibrates while its joints follow a motion (or a simulation) exactly, and after it.

    - `damping`: a ratio for all modes, one for each mode, `lp.Rayleigh(alpha, beta)`. Dampers of compliant joints are
      given with `lp.JointCompliance(damping=...)` and come in addition.
    - `modes`: lowest modes that vibrate, in every pose; all higher ones follow the loads without delay.
    - `after`: s that the arm rings on in the last pose; by default until 2 % are left, at most ten periods.
    - `start`: "rest", in the equilibrium of the first pose, the first acceleration setting in at once; or
      "quasi-static", with the deflection of the first acceleration, as in the middle of a longer motion.
    - `loaded`: whether the loads stiffen and soften the arm (geometric stiffness), as in `natural_frequencies`.
    - `external`, `base_velocity`, `base_acceleration`: as in `inverse_dynamics`, constant or one for each sample of the
      motion. `effects` as in `deflection`.
    - `rate`: samples a second of the result, at least; those of the motion, and fifty in a period of the lowest mode,
      unless given. `link` (or `tip`): the link whose vibration is looked at, the only end unless given.

    Links that slide in guides must stand at one extension during the motion.

    Jumps of the acceleration, as of a trapezoid, are kept. Left out: the reaction of the vibration on the joints'
    motion (drives hold them exactly), and what small vibrations of a turning link add in the second order of its speed
    over the natural frequency. Deflections are taken as small: where the end of an arm turns by more than 0.1 rad as it
    bends, a `ModelWarning` says so.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_payload(2.0).with_beams({"link1": box})
    >>> quick = lp.Motion.through(arm, [[0.0], [1.0]], times=[0.0, 0.4], profile="trapezoidal")
    >>> r = arm.respond(quick, damping=0.01)
    >>> r.displacement["tip"].shape == (len(r.times), 3)
    True
    >>> bool(r.peak.displacement > 1.5 * r.peak.quasi_static)
    True
    """
    given, motion = motion, as_motion(arm, motion, "respond", counts_loads=True)
    case = acting["under"].with_motion_of(given, arm, "respond")
    refuse_counted(case, "respond", VIBRATES)
    track = motion_track(arm, motion, case, "respond")
    ratios, chosen = read_damping(damping, "respond"), chosen_effects(effects)
    if start not in ("rest", "quasi-static"):
        raise ValueError(f"respond: start is {start!r}: expected 'rest' or 'quasi-static'")
    tip = link_or_only_end(arm, one_name("respond", link, tip))
    count = whole_number(modes, "'modes'")
    reduced, frequencies = reduced_arm(arm, track, chosen, count, tolerance, bool(loaded))
    lowest = float(frequencies.min())
    step = 1 / (STEPS_PER_PERIOD * lowest) if rate is None else 1 / _positive(rate, "rate", "samples a second")
    ringing = _after(after, track, float(frequencies[-1].min()), ratios)
    steps = (motion.duration + ringing) / step
    if steps > MOST_INSTANTS:
        raise ValueError(f"respond: {steps:.3g} steps of {step:.3g} s (the lowest mode has {lowest:.4g} Hz): more than "
                         f"{MOST_INSTANTS:,}. Give a rate, or a part of the motion (motion.between)")
    course = integrate(reduced, track, ratios, loaded=bool(loaded), step=step, after=ringing,
                       settled=start == "quasi-static")
    check_free_ends(arm, "respond")
    ends = ends_of(arm)
    _check_rotation(course, ends)
    return MotionResponse(arm, course, frequencies, chosen, tip, ends)


def _check_rotation(course: Course, ends: tuple[str, ...]) -> None:
    """Warn where an end turns so far, as the arm bends, that the response is not small."""
    arm = course.arm.arm
    # Ends that the same parts move, such as the fingers of a hand, turn alike.
    moved = {course.arm.ends_moved_by(arm.link_names.index(link)): link for link in reversed(ends)}
    for link in reversed(moved.values()):
        turned = frame_motion(course, arm.link_names.index(link), course.coordinates)[:, 3:]
        angles = np.linalg.norm(turned, axis=1)
        k = int(angles.argmax())
        if angles[k] > LARGE_ROTATION:
            remedy = "; simulate(..., prescribed={joint: motion}) bends the arm as far as it goes"
            warn(f"arm '{arm.name}': link '{link}' turns by {angles[k]:.3g} rad as the arm bends, at "
                 f"{course.times[k]:.4g} s, more than {LARGE_ROTATION}: that is not small, and respond takes it as "
                 f"small{'' if arm.placed_guides else remedy}")
            return


def _positive(value: float, what: str, expected: str) -> float:
    result = number(value, what)
    if not 0 < result < math.inf:
        raise ValueError(f"respond: {what} is {value}: expected {expected}, more than zero")
    return result


def motion_track(arm: RobotModel, motion: Motion, case: LoadCase | None, caller: str) -> Track:
    """The course of a motion with its load case; an error where any of it is not a number."""
    case = case if case is not None else LoadCase()
    states = read_states(arm, motion, caller=caller, counts_loads=True)  # they are in the case
    t = np.asarray(motion.t, dtype=float)
    if motion.robot is None:  # a motion that knows its robot has asked
        for question in outside_limits(arm, t, motion.q, motion.qd, motion.qd_error):
            warn(f"{caller}: {question}")
        for question in times_in_other_units(arm, layout_of(arm), t, motion.qd):
            warn(f"{caller}: {question}")
    arrays = [np.asarray(part, dtype=float) for part in states[:3]]
    check_wrench_points(arm, case.external)
    for name, shape in case.shapes.items():
        if shape not in ((), (len(t),)):
            raise ValueError(f"{caller}: {name} has the batch shape {shape}: expected one for all samples, or one for "
                             f"each of the motion's {len(t)}")
    parts = [("t", t), *zip(("q", "qd", "qdd"), arrays, strict=True)]
    parts += [(name, np.asarray(value, dtype=float)) for name, value in case.on_links.items()]
    for link, wrench in (case.external or {}).items():
        parts += [(f"external on {link}", part) for part in (wrench.force, wrench.torque, wrench.point)]
    for name, values in parts:
        bad = np.flatnonzero(~np.isfinite(values.reshape(len(values), -1)).all(axis=1))
        if bad.size:
            raise ValueError(f"{caller}: {name} is not a number at sample {bad[0]} ({bad.size} of {len(values)}): a "
                             "vibration has a history, so everything after it would be unknown. Take the part before "
                             "or after (motion.between), or mend the samples")
    if not arm.held_by_loops:
        return track_of(layout_of(arm), t, arrays[0], arrays[1], arrays[2], case)
    at_once(arm.inverse_dynamics, *arrays)  # type: ignore[attr-defined]  # which says where loops are open
    return track_of(layout_of(arm), t, arrays[0], arrays[1], arrays[2], case, arm)  # type: ignore[arg-type]


def _after(after: float | None, track: Track, lowest: float, damping: object) -> float:
    speeds = np.abs(track.qd).max(axis=0)
    moving = np.abs(track.qd[-1]) > STILL * max(float(speeds.max(initial=0.0)), 1e-9)
    if after is not None:
        given = number(after, "after")
        if not 0 <= given < math.inf:
            raise ValueError(f"respond: after is {after}: expected seconds, zero or more")
        if given > 0 and moving.any():
            k = int(np.argmax(moving))
            raise ValueError(f"respond: after is {after:g}, and the motion does not end at rest: joint "
                             f"'{track.layout.dof_names[k]}' has {track.qd[-1, k]:.4g} there, and would have to stop "
                             "at once. Give after=0, or a motion that stops")
        return given
    if moving.any():
        return 0.0
    if isinstance(damping, np.ndarray) and damping[0] > 0:
        return min(PERIODS, math.log(1 / FADED) / (2 * math.pi * float(damping[0]))) / lowest
    return PERIODS / lowest
