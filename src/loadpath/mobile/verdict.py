"""Does everything hold on a rover: parts of the robots on it, ratings of the wheels, tipping over, slipping.

The robots are judged on the moving base as any robot; wheels, tipping and slip go through the same states in blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from loadpath.bounds.box import Box
from loadpath.bounds.over import worst_states
from loadpath.bounds.peaks import refuse_both
from loadpath.mobile.ground_causes import ground_causes
from loadpath.mobile.ground_checks import ground_checks
from loadpath.mobile.loads import wheel_loads, with_ground_forces
from loadpath.mobile.motions import (
    BaseState,
    base_components,
    base_state_of,
    coordinates,
    is_in_space,
    loads_on_robot,
    refuse_unknown,
)
from loadpath.mobile.off_the_plane import OffThePlane
from loadpath.mobile.standards.result import StandardTest
from loadpath.mobile.state import state_at
from loadpath.mobile.tyres import elastic_robot
from loadpath.mobile.worst_case import ends_of, moving
from loadpath.motion import Carried, DutySpectrum
from loadpath.parts.part import not_checked
from loadpath.parts.verdict.duties import Duty, duties_of, is_spectrum
from loadpath.parts.verdict.limits import OwnLimits, TipError
from loadpath.parts.verdict.result import Asked, Verdict
from loadpath.parts.verdict.running import SAMPLES, checked_hours, row_of, run
from loadpath.parts.verdict.what_if import Payload
from loadpath.progress import Report
from loadpath.states import LoadCase, StatesLike, as_motion, is_motion
from loadpath.states.carried import placed
from loadpath.states.reading import loads_of

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

WHEEL, BASE = "wheel", "base"
_STANDS = ("heading", "position", "time", "ground_state", "external")
"""What counts while base and robots stand."""


def verdict(
    rover: Rover,
    motion: StatesLike | DutySpectrum | None = None,
    *,
    over: Box | Mapping[str, object] | None = None,
    seconds: float = 60.0,
    hours: float | None = None,
    progress: bool | Report = False,
    standards: Iterable[StandardTest] = (),
    **base: Unpack[BaseState],
) -> Verdict:
    """Does everything hold: the parts and limits of the robots on the moving base, the ratings of the wheels, and
    the rover itself against tipping over and, where friction is known, slipping.

    `motion` is one of the robots, a simulation of the rover, which brings the motion of its base, a spectrum, or a
    tuple of arrays (q, qd, qdd); a base without robots needs none. `velocity=`, `acceleration=`, `heading=`,
    `steering=` and `external=` are as in `wheel_loads`. All else is as in `Robot.verdict`.

    A simulation whose base was a free body (wheels on springs, or past tipping) is judged as it went: where it turned
    over an edge of its wheels or flew it does not hold, and a row says how near it was to falling over.

    `standards` are tests of `rover.standards`, as they came out: a row of the verdict for each row of theirs. They are
    of the rover as it is, and stay as they are where a verdict is made again with a payload or at a pace.

    Over a box of states, `over=`, the base moves as that says, too: see `Robot.verdict`.

    Tipping is measured by the zero-moment point: how far it is from the place farthest from all edges, against the
    distance of that place from the edges.

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover()
    >>> found = rover.verdict(([0, 0, 0.5], [0, 0, 0], [0, 0, 0]))
    >>> [(row.joint, row.check, round(row.utilisation, 3)) for row in found if row.check == "tipping over"]
    [('rover', 'tipping over', 0.156)]
    """
    refuse_unknown(base, "verdict")
    given = tuple(standards)
    if wrong := [one for one in given if not isinstance(one, StandardTest)]:
        raise ValueError(f"verdict: {wrong[0]!r} among the standards: expected tests like rover.standards.braking(...)")
    if over is not None:
        refuse_both("verdict", motion)
        worst = worst_states(rover, over, seconds, progress, "verdict", base)
        low, high = ends_of(rover, Box.read(over, rover), base)
        samples = np.random.default_rng(1).uniform(low, high, (SAMPLES, len(low)))
        arms = zip((worst.q, worst.qd, worst.qdd), np.split(samples[:, : 3 * rover.n], 3, axis=1), strict=True)
        here = {part: np.concatenate([worst.base[part], values]) for part, values in moving(rover, samples).items()}
        states = tuple(np.concatenate(parts) for parts in arms)
        found = _judged(rover, states, {**base, **here}, checked_hours(hours), standards=given)
        return replace(found, worst_cases=worst.worst)
    return _judged(rover, motion, dict(base), checked_hours(hours), progress=progress, standards=given)


def _judged(
    rover: Rover,
    motion: Any,
    base: dict[str, Any],
    hours: float | None,
    pace: float = 1.0,
    more: Payload | None = None,
    progress: bool | Report = False,
    standards: tuple[StandardTest, ...] = (),
) -> Verdict:
    """The verdict on a rover over motions at a pace, with a payload more where one is given."""
    actual: Rover = rover if more is None else more.actual
    motions = list(motion.motions) if is_spectrum(motion) else [motion]
    read, bases, duties = [], [], list[Duty]()
    runs: list[OffThePlane | None] = []
    shares = list(motion.shares) if is_spectrum(motion) else [1.0]
    names = getattr(motion, "names", None) or [f"motion {k + 1}" for k in range(len(motions))]
    for number, given in enumerate(motions):
        bare = given.with_loads([]) if loads_of(given) else given
        unloaded = own = _paced(base_state_of(rover, bare, base, "verdict", knows_space=True), pace)
        runs.append(OffThePlane(rover, given) if is_in_space(given) else None)
        if runs[-1] is not None and (more is not None or pace != 1.0):
            raise ValueError("verdict: in the simulation the base moves in space, where forces of the ground come from "
                             "the simulation: simulate with the payload, or at the pace, in place of asking what if")
        carried: tuple[Carried, ...] = ()
        if loads_of(given):  # what they do to their links grows with the pace, too
            moved = as_motion(rover, given, "verdict", counts_loads=True).scaled(speed=pace)
            own, carried = base_state_of(rover, moved, own, "verdict"), placed(moved.loads, rover.robot, moved)
        moving = _moving(rover, given, pace)
        standing: dict[str, Any] = {name: unloaded[name] for name in _STANDS if name in unloaded}
        case, resting = (LoadCase(**loads_on_robot(rover, acting)) for acting in (own, standing))
        if rover.base.on_links:
            case, resting = _with_contacts(actual, moving, own, standing, case, resting)
        duty = duties_of(rover.robot, "verdict", moving, None, None, case)[0]
        # Loads that the motion carries are in the wrenches of its base state already.
        duties.append(replace(duty, number=number, share=float(shares[number]), name=names[number], source=None,
                              carried=carried, resting=resting))
        read.append(moving)
        bases.append(own)
    one = len(duties) == 1
    asked = Asked(duties[0].case if one else LoadCase(), hours)
    rows: list[Any] = []
    tip: TipError | None = None
    unknown = tuple(np.zeros(len(duty), dtype=bool) for duty in duties)
    if rover.robot.parts or OwnLimits(rover.robot) or rover.robot.beams:
        of_robot = None if more is None else Payload(more.unit.robot, more.mass, more.actual.robot)
        robot = rover.robot if one else rover.robot.without_beams()
        elastic = elastic_robot(actual, "verdict") if robot.beams else None  # buckling knows the tyres, too
        judged = run(robot, tuple(duties), asked, of_robot, progress, elastic)
        rows, unknown, tip = [replace(row, _of=None) for row in judged.checks], judged.unknown, judged.tip_error
    if not one:
        rows += [row_of(link, "beam", "beam", not_checked("stress", "beams on a rover are judged over one motion"))
                 for link in dict.fromkeys(link for link, _ in rover.robot.beams)]
    found, bad = ground_checks(actual, duties, bases, runs)
    rows += [row_of(name, label, kind, check) for name, label, kind, check in found]
    rows += [row_of(rover.name, "base", BASE, check) for test in standards for check in test.checks()]
    unknown = tuple(one | other for one, other in zip(unknown, bad, strict=True))
    kept = tuple(replace(duty, pace=pace) for duty in duties)

    def again(subject: Any, paced: tuple[Duty, ...], _: Asked, payload: Payload | None) -> Verdict:
        return _judged(subject, motion, base, hours, paced[0].pace, payload, standards=standards)

    shown = tuple(replace(duty, pace=1.0) for duty in kept)
    return Verdict(tuple(rows), actual.robot, shown, asked, unknown, _at_pace_of(again, pace), actual, tip,
                   partial(ground_causes, actual, duties, bases))


def _with_contacts(
    rover: Rover, moving: Any, base: dict[str, Any], standing: dict[str, Any], case: LoadCase, resting: LoadCase
) -> tuple[LoadCase, LoadCase]:
    """Load cases of the robots, moving and at rest, with what the ground gives wheels that are on their links. Of a run
    as a free body both are as it was.
    """
    states = (moving.q, moving.qd, moving.qdd) if is_motion(moving) else moving
    q, still = states[0], np.zeros(rover.n)
    found = []
    for acting, at, moves in ((case, states, base), (resting, (q, still, still), standing)):
        known = moves if base.get("in_space") is None else base
        state = state_at(rover, at[0], at[1], at[2], cast(BaseState, known), "verdict", knows_space=True)
        found.append(replace(acting, external=with_ground_forces(wheel_loads(rover, state), acting.external or {})))
    return found[0], found[1]


def _at_pace_of(again: Any, pace: float) -> Any:
    """What judges again, with paces counted from that of this verdict."""

    def judge(subject: Any, duties: tuple[Duty, ...], asked: Asked, payload: Payload | None) -> Verdict:
        paced = tuple(replace(duty, pace=duty.pace * pace) for duty in duties)
        found: Verdict = again(subject, paced, asked, payload)
        return found

    return judge


def _moving(rover: Rover, given: Any, pace: float) -> Any:
    """States of the robots at a pace: a motion, or a tuple of arrays."""
    if is_motion(given):
        motion = as_motion(rover, given, "verdict", counts_loads=True)
        motion = motion.with_loads([]) if motion.loads else motion
        return motion if pace == 1.0 else motion.scaled(speed=pace)
    q, qd, qdd = given if isinstance(given, tuple) and len(given) == 3 else (coordinates(rover, given), None, None)
    still = np.zeros(rover.n)
    rates = [still if part is None else np.asarray(part, dtype=float) for part in (qd, qdd)]
    return np.asarray(q, dtype=float), pace * rates[0], pace**2 * rates[1]


def _paced(base: dict[str, Any], pace: float) -> dict[str, Any]:
    """The motion of the base at a pace, as arrays."""
    made = dict(base)
    for name, power in (("velocity", 1), ("acceleration", 2)):
        if base.get(name) is not None:
            made[name] = base_components(base[name], name) * pace**power
    if pace != 1.0 and base.get("time") is not None and np.ndim(base["time"]):  # the ground keeps its own pace
        times = np.asarray(base["time"], dtype=float)
        made["time"] = times[0] + (times - times[0]) / pace
    return made
