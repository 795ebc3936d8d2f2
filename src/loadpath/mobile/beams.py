"""What a rover with flexible robots is asked of them: the methods of `lp.Rover` that have to do with beams.

A robot keeps its beams and compliant joints on a base. Everything here is what the flexible robot itself computes
(`lp.FlexibleRobot`), under the motion of the base: its acceleration, its turning, the slope that it stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never, Self, Unpack, cast

from loadpath.api.flexible import FlexibleRobot, with_beams
from loadpath.loads.wrench import Wrench
from loadpath.mobile.motions import (
    BaseState,
    arm_states,
    as_numbers,
    base_state_of,
    loads_on_robot,
    refuse_unknown,
)
from loadpath.mobile.tyres import elastic_robot, placed_for, rigid_wheels, warn_of_lifted
from loadpath.motion import Motion
from loadpath.robot.choices import Names
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states import MotionLike, StatesLike, as_motion, is_motion, refuse_keywords
from loadpath.structure.beams.beam import Beam
from loadpath.structure.beams.guide import Guide
from loadpath.structure.choices import ALIKE
from loadpath.structure.compensation import Compensation
from loadpath.structure.deflection import Deflection
from loadpath.structure.extremes import Extremes
from loadpath.structure.fatigue.counting import Counting
from loadpath.structure.fatigue.duty import DutyCycle, HasSectionHistory, SectionHistory
from loadpath.structure.fatigue.mean_stress import MeanStress
from loadpath.structure.fatigue.result import Fatigue
from loadpath.structure.fatigue.sn_curve import MinerRule, SNCurve
from loadpath.structure.joint_compliance import JointCompliance
from loadpath.structure.quantities import PIECES, SECTIONS
from loadpath.structure.response.damping import RATIO, DampingLike
from loadpath.structure.response.frequency_response import FrequencyResponse, Place
from loadpath.structure.response.respond import MODES
from loadpath.structure.response.respond import TOLERANCE as RESPONSE_TOLERANCE
from loadpath.structure.response.result import MotionResponse
from loadpath.structure.response.shaped import ShapedMotion
from loadpath.structure.response.shapers import ShaperName
from loadpath.structure.stress import BucklingSafety, Stress
from loadpath.structure.vibration.bandwidth import ENOUGH, BandwidthCheck
from loadpath.structure.vibration.buckled import Buckling
from loadpath.structure.vibration.buckling import TOLERANCE as BUCKLING_TOLERANCE
from loadpath.structure.vibration.frequencies import TOLERANCE
from loadpath.structure.vibration.frequency_map import SAMPLES, FrequencyMap
from loadpath.structure.vibration.modes import Modes

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from loadpath.mobile.rover import Rover

class Loaded(NamedTuple):
    """A flexible robot, its states, and what the motion of the base loads it with."""

    arm: FlexibleRobot
    states: tuple[Any, Any, Any]
    case: dict[str, Any]


def _loaded(rover: Rover, q: Any, qd: Any, qdd: Any, base: Mapping[str, Any], asked: str) -> Loaded:
    refuse_unknown(base, asked)
    given, states = base_state_of(q, base), arm_states(rover, q, qd, qdd)
    if not rover.base.on_tyres:
        return Loaded(elastic_robot(rover, asked), states, loads_on_robot(rover, given))
    state = rover._state(*states, cast(BaseState, given), asked)
    warn_of_lifted(rover, state, asked)
    arm = elastic_robot(rover, asked, placed_for(rover, state, asked))
    return Loaded(arm, states, loads_on_robot(rover, given))


def _carried(rover: Rover, base: Mapping[str, Any], loaded: bool, asked: str) -> tuple[FlexibleRobot, dict[str, Any]]:
    """A flexible robot and what the motion of the base loads it with, where the states of the robot are not given."""
    refuse_unknown(base, asked)
    if not loaded:
        _refuse_loads({name: value for name, value in base.items() if value is not None}, asked)
        return elastic_robot(rover, asked), {}
    return elastic_robot(rover, asked), loads_on_robot(rover, base)


def _standing(rover: Rover, heading: float, asked: str) -> FlexibleRobot:
    """A flexible robot on the base that stands, under gravity as it acts there."""
    arm = elastic_robot(rover, asked)
    facing = float(as_numbers(heading, "heading"))
    return arm.with_gravity(rover.ground.gravity_in_base(facing)) if rover.ground.slope else arm


def _refuse_loads(given: Mapping[str, object], asked: str) -> None:
    if given:
        raise ValueError(f"{asked}: '{next(iter(given))}' is a load, and loaded=False leaves all loads out: give one "
                         "or the other")  # fmt: skip


class RoverBeams:
    """The part of `lp.Rover` that bends. `velocity`, `acceleration`, `heading` and `external` are as in `wheel_loads`;
    displacements "in world axes" are in those of the base frame before the base gives way. The base itself is rigid.
    Its wheels are, too, unless they have a `stiffness`: then it sinks in and tilts on them, results have one link more,
    the ground, and "joints" among the `effects` are the tyres as well.
    """

    def with_beams(
        self,
        beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
        *,
        joint_compliance: Mapping[str, JointCompliance] | None = None,
        guides: Mapping[str, Guide] | None = None,
        inertia_from_beams: bool = False,
    ) -> Self:
        """The rover with beams in some links of its robots and compliance in some joints: see `Robot.with_beams`.

        >>> import loadpath as lp
        >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.planar(1, mass=3.0), at=(0.2, 0, 0.5))
        >>> rover.with_beams({"link1": lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")}).robot
        <FlexibleRobot 'rover': 4 links, 3 joints, 1 degrees of freedom, beams: link1>
        """
        robot = cast("Rover", self).robot
        arm = with_beams(robot, beams, joint_compliance=joint_compliance, guides=guides,
                         inertia_from_beams=inertia_from_beams)  # fmt: skip
        return replace(self, robot=arm)  # type: ignore[type-var]

    def without_beams(self) -> Self:
        """The rover with the same robots, all of them rigid, on wheels that do not give way (and share their loads as
        before).

        >>> import loadpath as lp
        >>> soft = {"base_mount": lp.JointCompliance(rotation=1e5)}
        >>> rover = lp.catalog.lau_rover().base.carrying(lp.catalog.planar(1)).with_beams(joint_compliance=soft)
        >>> rover.without_beams().robot
        <Robot 'rover': 4 links, 3 joints, 1 degrees of freedom>
        """
        rigid = replace(rigid_wheels(cast("Rover", self)), robot=cast("Rover", self).robot.without_beams())
        return cast(Self, rigid)

    def deflection(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        effects: Names = None,
        axes: Literal["world", "link"] = "world",
        iterate: bool = False,
        pieces: int = PIECES,
        without_driven: bool = False,
        **base: Unpack[BaseState],
    ) -> Deflection:
        """How far the links of flexible robots on the base give way as arm and base move: see
        `FlexibleRobot.deflection`. A simulation brings the motion of the base.

        >>> import loadpath as lp
        >>> import numpy as np
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
        >>> braking = rover.deflection([np.pi / 2], acceleration=(-2.0, 0.0), effects={"shear": False})
        >>> load, EI = 2.0 * mast.link("link1").inertia.mass, 210e9 * np.pi / 4 * 0.01**4
        >>> round(float(braking.tip.displacement[0]) / (load / (8 * EI)), 9)          # m a L^3 / 8EI, it stands upright
        1.0
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "deflection")
        return arm.deflection(*states, effects=effects, axes=axes, iterate=iterate, pieces=pieces,
                              without_driven=without_driven, **case)  # fmt: skip

    def stress(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        sections: int = SECTIONS,
        **base: Unpack[BaseState],
    ) -> Stress:
        """Stresses along the beams of flexible robots on the base: see `FlexibleRobot.stress`.

        >>> import loadpath as lp
        >>> import numpy as np
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
        >>> rover.stress([np.pi / 2], velocity=(1.0, 0.0), acceleration=(-2.0, 0.0)).worst.link
        'link1'
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "stress")
        return arm.stress(*states, sections=sections, **case)

    def buckling_safety(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        sections: int = SECTIONS,
        **base: Unpack[BaseState],
    ) -> BucklingSafety:
        """How far the beams of flexible robots on the base are from buckling: see `FlexibleRobot.buckling_safety`.

        >>> import loadpath as lp
        >>> import numpy as np
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
        >>> float(rover.buckling_safety([np.pi / 2]).euler[0].round(1))
        168.2
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "buckling_safety")
        return arm.buckling_safety(*states, sections=sections, **case)

    def extremes(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        link: str | None = None,
        sections: int = SECTIONS,
        effects: Names = None,
        **base: Unpack[BaseState],
    ) -> Extremes:
        """The worst of many states of flexible robots on the base, in bounded memory: see `FlexibleRobot.extremes`.

        >>> import loadpath as lp
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
        >>> rover.extremes([[1.5], [0.0]], velocity=(1.0, 0.0), acceleration=(-2.0, 0.0)).worst_stress.state
        (1,)
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "extremes")
        return arm.extremes(*states, link=link, sections=sections, effects=effects, **case)

    def compensated(
        self,
        q_target: ArrayLike,
        *,
        link: str | None = None,
        orientation: bool | None = None,
        iterate: bool = False,
        tolerance: float = 1e-10,
        **base: Unpack[BaseState],
    ) -> Compensation:
        """Joint coordinates that put the sagging tip where the rigid one should be, in the base frame, on the slope on
        which the base stands: see `FlexibleRobot.compensated`.

        >>> import loadpath as lp
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> arm = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
        >>> bool(rover.compensated([0.3]).q[0] > 0.3)                           # held higher, as it sags
        True
        """
        arm, (target, _, _), case = _loaded(cast("Rover", self), q_target, None, None, base, "compensated")
        return arm.compensated(target, link=link, orientation=orientation, iterate=iterate, tolerance=tolerance, **case)

    def compliance(self, q: StatesLike | None = None, link: str | None = None, *, effects: Names = None) -> Floats:
        """Compliance (..., 6, 6) at a link against the base: see `FlexibleRobot.compliance`.

        >>> import loadpath as lp
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": rod})
        >>> lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5)).compliance([0.3]).shape
        (6, 6)
        """
        arm, (poses, _, _), _ = _loaded(cast("Rover", self), q, None, None, {}, "compliance")
        result: Floats = arm.compliance(poses, link, effects=effects)
        return result

    def stiffness(
        self, q: StatesLike | None = None, link: str | None = None, *, effects: Names = None, **others: Never
    ) -> Floats:
        """Cartesian stiffness (..., 6, 6) at a link against the base: see `FlexibleRobot.stiffness`.

        >>> import loadpath as lp
        >>> import numpy as np
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> arm = lp.catalog.planar(1, mass=3.0).with_beams({"link1": rod})
        >>> K = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5)).stiffness([0.0])
        >>> round(float(K[0, 0]) / (210e9 * np.pi * 0.01**2), 9)                             # E A / L
        1.0
        """
        refuse_keywords("stiffness", others, ALIKE)
        arm, (poses, _, _), _ = _loaded(cast("Rover", self), q, None, None, {}, "stiffness")
        return arm.stiffness(poses, link, effects=effects)

    def buckling(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        effects: Names = None,
        tolerance: float = BUCKLING_TOLERANCE,
        order: int | None = None,
        **base: Unpack[BaseState],
    ) -> Buckling:
        """By what factor all loads may grow together until flexible robots on the base buckle, as a whole: see
        `FlexibleRobot.buckling`. On wheels with a `stiffness` the tyres give way with them.

        >>> import loadpath as lp
        >>> import numpy as np
        >>> rod = lp.Beam(lp.Rod(0.01), lp.STEEL, end="tip_joint")
        >>> mast = lp.catalog.planar(1).with_beams({"link1": rod}, inertia_from_beams=True)
        >>> rover = lp.catalog.lau_rover().base.carrying(mast, at=(0.2, 0, 0.5))
        >>> float((rover.buckling([np.pi / 2]).factor * mast.link("link1").inertia.mass * 9.81
        ...        / (7.837 * 210e9 * np.pi / 4 * 0.01**4)).round(3))                  # Greenhill's column
        1.0
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "buckling")
        return arm.buckling(*states, effects=effects, tolerance=tolerance, order=order, **case)

    def natural_frequencies(
        self,
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
        rover = cast("Rover", self)
        if not loaded:
            given = {name: value for name, value in {"qd": qd, "qdd": qdd, **base}.items() if value is not None}
            _refuse_loads(given, "natural_frequencies")
            arm, (poses, _, _), _ = _loaded(rover, q, None, None, {}, "natural_frequencies")
            return arm.natural_frequencies(
                poses, count, loaded=False, effects=effects, tolerance=tolerance, order=order
            )
        arm, (poses, *rates), case = _loaded(rover, q, qd, qdd, base, "natural_frequencies")
        return arm.natural_frequencies(poses, count, qd=rates[0], qdd=rates[1], effects=effects, tolerance=tolerance,
                                       order=order, **case)  # fmt: skip

    def frequency_map(
        self,
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
        arm, case = _carried(cast("Rover", self), base, loaded, "frequency_map")
        return arm.frequency_map(ranges, q=q, samples=samples, seed=seed, link=link, loaded=loaded, effects=effects,
                                 tolerance=tolerance, progress=progress, **case)  # fmt: skip

    def bandwidth_check(
        self,
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
        rover = cast("Rover", self)
        given = base_state_of(motion, base) if loaded else dict(base)
        arm, case = _carried(rover, given, loaded, "bandwidth_check")
        own = as_motion(rover, motion, "bandwidth_check")
        own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
        return arm.bandwidth_check(own, bandwidth=bandwidth, required=required, loaded=loaded, effects=effects,
                                   tolerance=tolerance, **case)  # fmt: skip

    def respond(
        self,
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
        rover = cast("Rover", self)
        refuse_unknown(base, "respond")
        given = base_state_of(motion, base)
        own = as_motion(rover, motion, "respond")
        arm, _, _ = _loaded(rover, own, None, None, given, "respond")
        # Weight is there before the motion begins: gravity as it is at first, and what a turn on a slope changes.
        facing = as_numbers(0.0 if given.get("heading") is None else given["heading"], "heading")
        if rover.ground.slope:
            arm = arm.with_gravity(rover.ground.gravity_in_base(float(facing.flat[0])))
        case = loads_on_robot(rover, given, gravity=arm.gravity)
        own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
        return arm.respond(own, damping=damping, modes=modes, after=after, start=start, loaded=loaded, effects=effects,
                           rate=rate, tip=tip, tolerance=tolerance, **case)  # fmt: skip

    def frequency_response(
        self,
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
        arm = _standing(cast("Rover", self), heading, "frequency_response")
        return arm.frequency_response(q, from_, to, frequencies, damping=damping, modes=modes, loaded=loaded,
                                      external=external, effects=effects, tolerance=tolerance)  # fmt: skip

    def shaped(
        self,
        motion: Motion | MotionLike,
        shaper: ShaperName = "zv",
        *,
        heading: float = 0.0,
        frequency: float | None = None,
        damping: DampingLike = RATIO,
        modes: int = MODES,
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
        rover = cast("Rover", self)
        arm, own = _standing(rover, heading, "shaped"), as_motion(rover, motion, "shaped")
        own = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
        return arm.shaped(own, shaper, frequency=frequency, damping=damping, modes=modes)

    def fatigue(
        self,
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
        rover = cast("Rover", self)
        refuse_unknown(base, "fatigue")
        arm = elastic_robot(rover, "fatigue")
        case = loads_on_robot(rover, base_state_of(q, base))
        if is_motion(q):
            own = as_motion(rover, q, "fatigue")
            q = Motion.from_checked(own.t, own.q, own.qd, own.qdd, arm)
        return arm.fatigue(q, qd, qdd, cycles=cycles, cycles_per_hour=cycles_per_hour, detail=detail,
                           shear_detail=shear_detail,
                           stress_concentration=stress_concentration, mean_stress=mean_stress, miner=miner,
                           counting=counting, sections=sections, **case)  # fmt: skip

    def plot_deflection(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        magnification: float | str = "auto",
        title: str | None = None,
        effects: Names = None,
        iterate: bool = False,
        pieces: int = PIECES,
        without_driven: bool = False,
        **base: Unpack[BaseState],
    ) -> Figure:
        """A Plotly figure of one state of flexible robots on the base: see `FlexibleRobot.plot_deflection`.

        >>> import loadpath as lp
        >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
        >>> arm = lp.catalog.planar(1).with_beams({"link1": tube})
        >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
        >>> rover.plot_deflection([0.3], acceleration=(1.0, 0.0)).data[0].name
        'undeflected'
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "plot_deflection")
        return arm.plot_deflection(*states, magnification=magnification, title=title, effects=effects, iterate=iterate,
                                   pieces=pieces, without_driven=without_driven, **case)  # fmt: skip

    def plot_safety(
        self,
        q: StatesLike | None = None,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        against: str = "both",
        sections: int = 25,
        title: str | None = None,
        **base: Unpack[BaseState],
    ) -> Figure:
        """A Plotly figure of flexible robots, their beams colored by their safety: see `FlexibleRobot.plot_safety`.

        >>> import loadpath as lp
        >>> tube = lp.Beam(lp.Tube(0.02, 0.002), lp.ALUMINIUM, end="tip_joint")
        >>> arm = lp.catalog.planar(1).with_beams({"link1": tube})
        >>> rover = lp.catalog.lau_rover().base.carrying(arm, at=(0.2, 0, 0.5))
        >>> rover.plot_safety([0.0], acceleration=(1.0, 0.0)).layout.title.text[:28]
        'rover: smallest safety 117, '
        """
        arm, states, case = _loaded(cast("Rover", self), q, qd, qdd, base, "plot_safety")
        return arm.plot_safety(*states, against=against, sections=sections, title=title, **case)
