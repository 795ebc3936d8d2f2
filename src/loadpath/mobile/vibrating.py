"""How flexible robots on a rover vibrate, and how long they last: methods of `lp.Rover`.

Everything here is what the flexible robot itself computes (`lp.FlexibleRobot`), under the motion of the base.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, Unpack

from loadpath.mobile.carried_loads import carried_robot, loaded_robot, refuse_loads, standing_robot
from loadpath.mobile.motions import (
    BaseState,
    as_numbers,
    base_state_of,
    loads_on_robot,
    refuse_unknown,
)
from loadpath.mobile.tyres import elastic_robot
from loadpath.motion import Motion
from loadpath.quantities.wrench import Wrench
from loadpath.robot.choices import Names
from loadpath.robot.materials.sn_curve import MinerRule, SNCurve
from loadpath.scalars.types import ArrayLike
from loadpath.states import MotionLike, StatesLike, as_motion, is_motion
from loadpath.structure.fatigue.counting import Counting
from loadpath.structure.fatigue.duty import DutyCycle, HasSectionHistory, SectionHistory
from loadpath.structure.fatigue.mean_stress import MeanStress
from loadpath.structure.fatigue.result import Fatigue
from loadpath.structure.quantities import SECTIONS
from loadpath.structure.response.damping import RATIO, DampingLike
from loadpath.structure.response.frequency_response import FrequencyResponse, Place
from loadpath.structure.response.respond import MODES
from loadpath.structure.response.respond import TOLERANCE as RESPONSE_TOLERANCE
from loadpath.structure.response.result import MotionResponse
from loadpath.structure.response.shaped import ShapedMotion
from loadpath.structure.response.shapers import ShaperName
from loadpath.structure.vibration.bandwidth import ENOUGH, BandwidthCheck
from loadpath.structure.vibration.frequencies import TOLERANCE
from loadpath.structure.vibration.frequency_map import SAMPLES, FrequencyMap
from loadpath.structure.vibration.modes import Modes

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover


def natural_frequencies(
    rover: Rover,
    q: StatesLike | None = None,
    count: int | None = None,
    *,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = TOLERANCE,
    order: int | None = None,
    **base: Unpack[BaseState],
) -> Modes:
    """Natural frequencies (Hz) of flexible robots on the base, under the loads of its motion: see
    `FlexibleRobot.natural_frequencies`. The base is rigid; on wheels with a `stiffness` its mass swings on them. A
    `JointCompliance` of the mount, a joint named after the robot's first link ("base_mount"), is what holds the
    robot on the base.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> rover.natural_frequencies([0.0], count=1).frequencies.round(2)
    array([14.47])
    """
    if not loaded:
        given = {name: value for name, value in {"qd": qd, "qdd": qdd, **base}.items() if value is not None}
        refuse_loads(given, "natural_frequencies")
        arm, (poses, _, _), _ = loaded_robot(rover, q, None, None, {}, "natural_frequencies")
        return arm.natural_frequencies(
            poses, count, loaded=False, effects=effects, tolerance=tolerance, order=order
        )
    arm, (poses, *rates), case = loaded_robot(rover, q, qd, qdd, base, "natural_frequencies")
    return arm.natural_frequencies(poses, count, qd=rates[0], qdd=rates[1], effects=effects, tolerance=tolerance,
                                   order=order, **case)


def frequency_map(
    rover: Rover,
    ranges: Mapping[str, ArrayLike] | None = None,
    *,
    q: ArrayLike | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    link: str | None = None,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = 1e-4,
    progress: Callable[[float], object] | None = None,
    **base: Unpack[BaseState],
) -> FrequencyMap:
    """The lowest natural frequency over the workspace of flexible robots, on the slope and under the motion of the
    base: see `FlexibleRobot.frequency_map`.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.03, 0.002), lp.ALUMINIUM, end="joint2")
    >>> arm = lp.catalog.planar(2).with_beams({"link1": tube})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> rover.frequency_map({"joint2": (0.0, 3.0, 7)}).frequencies.shape
    (7,)
    """
    arm, case = carried_robot(rover, base, loaded, "frequency_map")
    return arm.frequency_map(ranges, q=q, samples=samples, seed=seed, link=link, loaded=loaded, effects=effects,
                             tolerance=tolerance, progress=progress, **case)


def bandwidth_check(
    rover: Rover,
    motion: Motion | MotionLike,
    *,
    bandwidth: float | None = None,
    required: float = ENOUGH,
    loaded: bool = True,
    effects: Names = None,
    tolerance: float = 1e-4,
    **base: Unpack[BaseState],
) -> BandwidthCheck:
    """Whether a motion (or a simulation) stays slow against the lowest natural frequency of flexible robots: see
    `FlexibleRobot.bandwidth_check`. The bandwidth is that of the joints: give that of the base if it is higher.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": box})
    >>> move = lp.Motion.through(arm, [[0.0], [1.0]], times=[0.0, 1.0])
    >>> lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5)).bandwidth_check(move).passed
    True
    """
    given = base_state_of(rover, motion, base, "bandwidth_check") if loaded else dict(base)
    arm, case = carried_robot(rover, given, loaded, "bandwidth_check")
    own = as_motion(rover, motion, "bandwidth_check")
    own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
    return arm.bandwidth_check(own, bandwidth=bandwidth, required=required, loaded=loaded, effects=effects,
                               tolerance=tolerance, **case)


def respond(
    rover: Rover,
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
    tolerance: float = RESPONSE_TOLERANCE,
    **base: Unpack[BaseState],
) -> MotionResponse:
    """How flexible robots vibrate while they follow a motion of theirs and the base moves as given, one state of it
    for all samples or one for each: see `FlexibleRobot.respond`. On wheels with a `stiffness` the base swings with
    them: `r.displacement["rover"]`, by the name of the base. What the base does at the first sample it has done for
    long: only changes of it excite. A simulation brings the motion of the base.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_payload(2.0).with_beams({"link1": box})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> move = lp.Motion.through(rover.robot, [[0.0], [1.0]], times=[0.0, 0.5])
    >>> r = rover.respond(move, damping=0.01)
    >>> bool(r.peak.displacement > r.peak.quasi_static)
    True
    """
    refuse_unknown(base, "respond")
    given = base_state_of(rover, motion, base, "respond")
    own = as_motion(rover, motion, "respond")
    arm, _, _ = loaded_robot(rover, own, None, None, given, "respond")
    # Weight is there before the motion begins: gravity as it is at first, and what a turn on a slope changes.
    facing = as_numbers(0.0 if given.get("heading") is None else given["heading"], "heading")
    if rover.ground.slope:
        arm = arm.with_gravity(rover.ground.gravity_in_base(float(facing.flat[0])))
    case = loads_on_robot(rover, given, gravity=arm.gravity)
    own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
    return arm.respond(own, damping=damping, modes=modes, after=after, start=start, loaded=loaded, effects=effects,
                       rate=rate, tip=tip, link=link, tolerance=tolerance, **case)


def frequency_response(
    rover: Rover,
    q: StatesLike,
    from_: Place | None = None,
    to: Place | None = None,
    frequencies: ArrayLike | None = None,
    *,
    heading: float = 0.0,
    damping: DampingLike = RATIO,
    modes: int | None = None,
    loaded: bool = True,
    external: Mapping[str, Wrench] | None = None,
    effects: Names = None,
    tolerance: float = 1e-4,
) -> FrequencyResponse:
    """How far a link moves per unit of a harmonic load, in one pose of flexible robots on the standing base, which
    has a heading on a slope: see `FlexibleRobot.frequency_response`. On wheels with a `stiffness` the base vibrates
    as well, as any link; the ground is the base link then, which shakes by its acceleration.

    >>> import loadpath as lp
    >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> round(rover.frequency_response([0.0], ("tip", "z"), loaded=False).peaks[0].frequency, 1)
    14.5
    """
    arm = standing_robot(rover, heading, "frequency_response")
    return arm.frequency_response(q, from_, to, frequencies, damping=damping, modes=modes, loaded=loaded,
                                  external=external, effects=effects, tolerance=tolerance)


def shaped(
    rover: Rover,
    motion: Motion | MotionLike,
    shaper: ShaperName = "zv",
    *,
    heading: float = 0.0,
    frequency: float | None = None,
    damping: DampingLike = RATIO,
    modes: int = MODES,
    tip: str | None = None,
    link: str | None = None,
) -> ShapedMotion:
    """A motion changed so that flexible robots on the standing base vibrate less after it: see
    `FlexibleRobot.shaped`.

    >>> import loadpath as lp
    >>> box = lp.Beam(lp.RectangularTube(0.03, 0.06, 0.002), lp.ALUMINIUM, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=3.0).with_payload(2.0).with_beams({"link1": box})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> quick = lp.Motion.through(rover.robot, [[0.0], [1.0]], times=[0.0, 0.4], profile="trapezoidal")
    >>> calm = rover.shaped(quick, "zv", damping=0.01)
    >>> calm.residual_after < 0.02 * calm.residual_before
    True
    """
    arm, own = standing_robot(rover, heading, "shaped"), as_motion(rover, motion, "shaped")
    own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
    return arm.shaped(own, shaper, frequency=frequency, damping=damping, modes=modes, tip=tip, link=link)


def fatigue(
    rover: Rover,
    q: StatesLike | HasSectionHistory | SectionHistory | DutyCycle,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    cycles: float | None = None,
    cycles_per_hour: float | None = None,
    detail: SNCurve | Mapping[str, SNCurve] | None = None,
    shear_detail: SNCurve | Mapping[str, SNCurve] | None = None,
    stress_concentration: float | Mapping[str, float] = 1.0,
    mean_stress: MeanStress | None = None,
    miner: MinerRule = "haibach",
    counting: Counting = "repeated",
    sections: int = SECTIONS,
    **base: Unpack[BaseState],
) -> Fatigue:
    """Damage of a motion or duty cycle in the beams of flexible robots on the base, while it stands or moves as
    given: see `FlexibleRobot.fatigue`. A simulation brings the motion of the base; `rover.fatigue(response)`, of
    `rover.respond`, counts the vibration, too.

    >>> import loadpath as lp
    >>> tube = lp.Beam(lp.Tube(0.03, 0.003), lp.STEEL, end="tip_joint")
    >>> arm = lp.catalog.planar(1, mass=5.0).with_payload(40.0).with_beams({"link1": tube})
    >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
    >>> swing = lp.Motion.through(rover.robot, [[0.0], [3.0], [0.0]], [0.0, 1.5, 3.0])
    >>> rover.fatigue(swing).worst.link
    'link1'
    """
    refuse_unknown(base, "fatigue")
    arm = elastic_robot(rover, "fatigue")
    case = loads_on_robot(rover, base_state_of(rover, q, base, "fatigue"))
    if is_motion(q):
        own = as_motion(rover, q, "fatigue", counts_loads=True)
        q = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
    return arm.fatigue(q, qd, qdd, cycles=cycles, cycles_per_hour=cycles_per_hour, detail=detail,
                       shear_detail=shear_detail,
                       stress_concentration=stress_concentration, mean_stress=mean_stress, miner=miner,
                       counting=counting, sections=sections, **case)
