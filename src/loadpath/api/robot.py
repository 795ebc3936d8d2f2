"""The class users hold, `lp.Robot`: a table of contents. The compiled quantities are in the room
`quantities`, one line each; here are the other methods, each handed over to the room where it lives.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ParamSpec, Self, Unpack

from loadpath import html
from loadpath.api import locking, with_loops
from loadpath.api.exported import Exported
from loadpath.api.missing import missing
from loadpath.api.with_beams import WithBeams, WithLoopsAndBeams
from loadpath.engine.arguments import ask_with, read_states_with
from loadpath.engine.attached import attach, lines_of, raise_from_within
from loadpath.engine.purpose import purpose
from loadpath.in_room import InRoom, function_in_room
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot import dh, edit, estimated, pedigree
from loadpath.robot import selection as freedoms
from loadpath.robot.drive_train import edit as trains
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Limits
from loadpath.robot.shapes import Purpose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from loadpath.api import robot_files
    from loadpath.api.kinds import ClosedRobot, FlexibleRobot
    from loadpath.bounds import peaks
    from loadpath.bounds.worst_case import worst_case as over_box
    from loadpath.datasheet.sheet import datasheet as printed_data
    from loadpath.drawing import robot_figure
    from loadpath.families import family as many_designs
    from loadpath.fastest.asked import Given as FastestLimits
    from loadpath.fastest.many import path_durations as on_many_paths
    from loadpath.fastest.run import fastest as on_path
    from loadpath.handling import compliance as compliances
    from loadpath.handling import diagram as payload_diagrams
    from loadpath.handling import duty as duty_maps
    from loadpath.handling import foundation as foundations
    from loadpath.identification import BaseParameters
    from loadpath.kinematics import inverse
    from loadpath.loads import payload
    from loadpath.loads.breakdown import calculation as breakdown
    from loadpath.loads.breakdown import reduce as breakdown_reduce
    from loadpath.loads.motors import result as motors
    from loadpath.motion import DutySpectrum, Motion
    from loadpath.parts import fitting
    from loadpath.parts import load_cases as for_elements
    from loadpath.parts import spectra as joint_spectra
    from loadpath.parts.sizing import size as sizes
    from loadpath.parts.verdict import largest as how_far
    from loadpath.parts.verdict import running
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.report import Report, Section
    from loadpath.report.spread import Spreads
    from loadpath.robot.beams.beam import Beam, Guide
    from loadpath.robot.joint_compliance import JointCompliance
    from loadpath.robot.joints import JointType
    from loadpath.robot.pose import Pose
    from loadpath.simulate.linearization import linearize as about_motion
    from loadpath.simulate.rollout import rollout as many_steps
    from loadpath.simulate.simulation import simulate as in_time
    from loadpath.states import MotionLike
    from loadpath.stops.collision import collision as collision_from
    from loadpath.stops.jam import jam as jam_from
    from loadpath.stops.stopping import stop as stop_from
    from loadpath.viewer.view import view as in_browser

    class _Lines(Exported, with_loops.WithLoops, WithBeams):  # whose names may mean other things
        """To type checkers a robot has all names that it may have."""

else:
    _Lines = Exported

P = ParamSpec("P")

# Calls with more than plain arrays: motions, simulations, labelled tables, masked arrays.
read_states_with(function_in_room("loadpath.states.calls", "plain_call"))
ask_with(function_in_room("loadpath.states.questions", "ask_at_first_call"))


@dataclass(frozen=True, eq=False, repr=False)  # frozen for attributes that are no fields, too
class Robot(_Lines):
    """A robot and everything that can be computed of it.

    Arrays have leading batch axes, which broadcast: `q` is (..., nq), `qd`, `qdd` and `tau` are (..., n).
    Functions compile for the robot on their first call and are NumPy ufuncs from then on.

    >>> import loadpath as lp
    >>> arm = lp.catalog.two_link(m1=1, m2=1, l1=1, l2=1)
    >>> arm.n, arm.dof_names
    (2, ('joint1', 'joint2'))
    """

    def __new__(cls, *values: object, **named: object) -> Self:
        # Kinds by data (`kinds.py`) have no instances of their own, from older pickles neither.
        return super().__new__(Robot if "_stands_for" in vars(cls) else cls)  # type: ignore[return-value]

    # Loads

    if TYPE_CHECKING:
        load_breakdown = breakdown.load_breakdown
        reduce_loads = breakdown_reduce.reduce_loads
        peak_loads = peaks.peak_loads
        max_payload = payload.max_payload
        payload_diagram = payload_diagrams.payload_diagram
        foundation_loads = foundations.foundation_loads
        static_compliance = compliances.static_compliance
        motor_loads = motors.motor_loads
        plot = robot_figure.plot
        view = in_browser
        verdict = running.verdict
        datasheet = printed_data
        size = sizes.size
        load_cases = for_elements.load_cases
        load_spectra = joint_spectra.load_spectra
        largest = how_far.largest
        duty_map = duty_maps.duty_map
        worst_case = over_box
        family = many_designs
        with_parts = fitting.with_parts
        without_parts = fitting.without_parts
        to_urdf = robot_files.to_urdf
        to_mjcf = robot_files.to_mjcf
        to_sdf = robot_files.to_sdf
    else:
        load_breakdown = InRoom("loadpath.loads.breakdown.calculation", purpose="Loads of every joint")
        reduce_loads = InRoom("loadpath.loads.breakdown.reduce", purpose="Loads of every joint")
        peak_loads = InRoom("loadpath.bounds.peaks", purpose="Loads of every joint")
        max_payload = InRoom("loadpath.loads.payload", purpose="Loads of every joint")
        payload_diagram = InRoom("loadpath.handling.diagram", purpose="Loads of every joint")
        foundation_loads = InRoom("loadpath.handling.foundation", purpose="Loads of every joint")
        static_compliance = InRoom("loadpath.handling.compliance", purpose="Does it hold")
        motor_loads = InRoom("loadpath.loads.motors.result", purpose="Loads of every joint")
        plot = InRoom("loadpath.drawing.robot_figure", purpose="Where it is and how it moves")
        view = InRoom("loadpath.viewer.view", purpose="Where it is and how it moves")
        verdict = InRoom("loadpath.parts.verdict.running", purpose="Does it hold")
        datasheet = InRoom("loadpath.datasheet.sheet", purpose="Does it hold")
        size = InRoom("loadpath.parts.sizing.size", purpose="Does it hold")
        load_cases = InRoom("loadpath.parts.load_cases", purpose="Does it hold")
        load_spectra = InRoom("loadpath.parts.spectra", purpose="Does it hold")
        largest = InRoom("loadpath.parts.verdict.largest", purpose="Does it hold")
        duty_map = InRoom("loadpath.handling.duty", purpose="Does it hold")
        worst_case = InRoom("loadpath.bounds.worst_case", purpose="Loads of every joint")
        family = InRoom("loadpath.families", purpose="Other robots from this one")
        with_parts = InRoom("loadpath.parts.fitting", purpose="Does it hold")
        without_parts = InRoom("loadpath.parts.fitting", purpose="Does it hold")
        to_urdf = InRoom("loadpath.api.robot_files", purpose="To files")
        to_mjcf = InRoom("loadpath.api.robot_files", purpose="To files")
        to_sdf = InRoom("loadpath.api.robot_files", purpose="To files")

    @takes_loads
    @purpose("Loads of every joint")
    def report(
        self,
        motion: Motion | MotionLike | DutySpectrum | None = None,
        *arrays: ArrayLike,
        hours: float | None = None,
        joints: Sequence[str] | None = None,
        only: Sequence[str] | None = None,
        title: str | None = None,
        sections: Sequence[Section] = (),
        revisions: Sequence[Sequence[str]] = (),
        interactive: bool = True,
        fastest: bool | FastestLimits = False,
        exceptions: Sequence[ExceptionalCase] = (),
        uncertainty: Spreads | None = None,
        **acting: Unpack[DriveLoadKeywords],
    ) -> Report:
        """The verdict on the robot, what it carries over a motion, a simulation or a duty spectrum (without one, a
        swing from rest to rest) and where it comes from, as one page, HTML or PDF. `joints` and `only` choose what is
        shown, `hours` is the life that parts shall have; `sections` of your own come after the others, `revisions` are
        rows of its block for signatures (revision, date, what changed, by whom): see `loadpath.report`. The page
        computes again as its controls for payload, speed and gravity move, unless `interactive=False`. `fastest=True`,
        or limits as `robot.fastest` takes them, adds the fastest motion on the same path; `exceptions` are
        exceptional cases as `verdict` takes them, each with a section; `uncertainty=lp.uncertainty(robot, motion)`
        shows the spread beside each utilisation.

        >>> import loadpath as lp
        >>> lp.catalog.panda().report(joints=["panda_joint2"], only=["drives", "joints"])
        <report 'panda': Drives, Joints>
        """
        from loadpath import report

        if arrays:
            raise ValueError("report takes one motion or simulation, not arrays q, qd, qdd: lp.Motion(t, q, qd, qdd) "
                             "makes a motion of them")
        return report.report(
            self, motion, **acting, hours=hours, joints=joints, only=only, title=title, sections=sections,
            revisions=revisions, interactive=interactive, fastest=fastest, exceptions=exceptions,
            uncertainty=uncertainty,
        )

    # Motion

    if TYPE_CHECKING:
        inverse_kinematics = inverse.inverse_kinematics  # type: ignore[assignment]  # of a tree
        fastest = on_path
        path_durations = on_many_paths
        simulate = in_time
        rollout = many_steps
        linearize = about_motion
        stop = stop_from
        collision = collision_from
        jam = jam_from
    else:
        inverse_kinematics = InRoom("loadpath.kinematics.inverse", purpose="Where it is and how it moves")
        fastest = InRoom("loadpath.fastest.run", purpose="Where it is and how it moves")
        path_durations = InRoom("loadpath.fastest.many", purpose="Where it is and how it moves")
        simulate = InRoom("loadpath.simulate", purpose="Forward dynamics")
        rollout = InRoom("loadpath.simulate", purpose="Forward dynamics")
        linearize = InRoom("loadpath.simulate", purpose="Forward dynamics")
        stop = InRoom("loadpath.stops", purpose="Forward dynamics")
        collision = InRoom("loadpath.stops", purpose="Forward dynamics")
        jam = InRoom("loadpath.stops", purpose="Forward dynamics")

    @purpose("Identification")
    def base_parameters(
        self, *, friction: bool = False, rotors: bool = False, tolerance: float | None = None
    ) -> BaseParameters[Self]:
        """The minimal set of inertial parameters that the drive forces depend on: which parameters act together, and
        how. `friction` and `rotors` add those of the drives. Print it for a table; `.symbolic()` has the groups with
        symbols for the geometry.

        >>> import loadpath as lp
        >>> base = lp.catalog.puma560().base_parameters()
        >>> base.number, base.groups[8]
        (36, 'mx3 + 0.0203 (m3 + m4 + m5 + m6)')
        >>> print(base.symbolic().texts[8])
        mx3 + a3 (m3 + m4 + m5 + m6)
        """
        from loadpath.identification import base

        kept = base.TOLERANCE if tolerance is None else tolerance
        return base.base_parameters(self, friction=friction, rotors=rotors, tolerance=kept)

    # Other robots from this one

    _purpose = "Other robots from this one"

    def with_payload(
        self,
        mass: float,
        center_of_mass: ArrayLike = (0.0, 0.0, 0.0),
        *,
        inertia: ArrayLike | None = None,
        link: str | None = None,
        name: str = "payload",
    ) -> Self:
        """The robot carrying a payload on a link (see `loadpath.robot.edit.with_payload`).

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_payload(mass=3.0).link_names[-1]
        'payload'
        """
        return edit.with_payload(self, mass, center_of_mass, inertia=inertia, link=link, name=name)

    def without_payload(self, name: str = "payload") -> Self:
        """The robot without the payload of that name.

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_payload(mass=3.0).without_payload() == lp.catalog.panda()
        True
        """
        return edit.without_payload(self, name)

    def with_inertias(self, inertias: Mapping[str, Inertia]) -> Self:
        """The robot with other inertias of some links.

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_inertias({"panda_link7": lp.Inertia(1.0)}).link("panda_link7").inertia.mass
        1.0
        """
        return edit.with_inertias(self, inertias)

    def with_estimated_inertia(
        self, density: estimated.Density, links: Iterable[str] | None = None, *, purpose: Purpose = "collision"
    ) -> Self:
        """The robot with inertias of uniform solids, from the shapes of links that have none: `density` (kg/m^3) of all
        of them, or by links (see `loadpath.robot.estimated.with_estimated_inertia`).

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).with_estimated_inertia(2700) == lp.catalog.planar(2)   # all of its links have one
        True
        """
        return estimated.with_estimated_inertia(self, density, links, purpose=purpose)

    def with_pedigree(self, **data: str) -> Self:
        """The robot with the sources of its data (masses, payload, limits, friction, rotors, beams, wheels), whose
        first word says their pedigree: file (or CAD), catalogue, measured, estimated, default. Verdicts and reports
        name what is estimated; no equation depends on it.

        >>> import loadpath as lp
        >>> arm = lp.catalog.panda().with_pedigree(masses="measured 2026-03, balance", friction="estimated")
        >>> arm.verdict(lp.Motion.swing(arm)).basis.estimated
        ('friction',)
        """
        return pedigree.with_pedigree(self, data)

    def with_gravity(self, gravity: ArrayLike) -> Self:
        """The robot under another gravity (m/s^2, world axes).

        >>> import loadpath as lp
        >>> lp.catalog.panda().with_gravity((0, 0, -1.62)).gravity
        (0.0, 0.0, -1.62)
        """
        return edit.with_gravity(self, gravity)

    def locked(self, joints: Mapping[str, ArrayLike]) -> Self:
        """The robot with joints frozen at the given coordinates.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().locked({"joint2": 0.5}).n
        1
        """
        return locking.locked(self, joints)

    @purpose("Free bases")
    def floating(self, name: str = "floating_base", world: str = "world") -> Self:
        """The robot with its base free to move against a new link `world`: six more degrees of freedom in front.

        >>> import loadpath as lp
        >>> free = lp.catalog.panda().floating()
        >>> free.n, free.nq
        (13, 14)
        """
        return locking.floating(self, name, world)

    def generalized(self, joints: Iterable[str] | None = None) -> Self:
        """The robot with all six freedoms at its joints, or at those named: the generalized manipulator of Lau's thesis
        (see `loadpath.robot.selection.generalized`). All of them count as driven; joints that get other coordinates are
        at zero in its home.

        >>> import loadpath as lp
        >>> lp.catalog.two_link().generalized().n
        12
        """
        return locking.with_home_of(freedoms.generalized(self.tree, joints), self)

    def reduced(self, selection: freedoms.Selection, at: Mapping[str, ArrayLike] | None = None) -> Self:
        """The robot with only the selected freedoms of its joints, the others held (see
        `loadpath.robot.selection.reduced`). Drives stay where their speeds do; joints that get other coordinates are at
        zero in its home.

        >>> import loadpath as lp
        >>> lp.catalog.generalized(2).reduced({"joint1": "rz", "joint2": ("ry", "x")}).dof_names
        ('joint1', 'joint2.ry', 'joint2.x')
        """
        made = locking.with_home_of(freedoms.reduced(self.tree, selection, at), self)
        return replace(made, drives=locking.kept_drives(self, made))

    def with_drives(self, drives: Mapping[str, Drive]) -> Self:
        """The robot with drive trains: gear, rotor, friction, springs, motor and brake of its degrees of freedom (see
        `lp.Drive` and `loadpath.robot.drive_train.edit.with_drives`). What a drive does not give stays as it is.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(2).with_drives({"joint2": lp.Drive(ratio=100, rotor_inertia=2e-5)})
        >>> [name for name, drive in arm.drive_trains], arm.joint("joint2").gear_ratio
        (['joint2'], (100.0,))
        """
        return trains.with_drives(self, drives)

    def with_limits(self, limits: Mapping[str, Limits | Mapping[str, float | None]]) -> Self:
        """The robot with limits given or changed, by joints or degrees of freedom: `lp.Limits`, or a dict of those
        that change.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).with_limits({"joint1": {"effort": 40.0}}).joint("joint1").limits[0].effort
        40.0
        """
        return trains.with_limits(self, limits)

    def without_springs(self) -> Self:
        """The robot without the springs that `with_drives` put at its joints.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1).with_drives({"joint1": lp.Drive(spring=lp.TorsionSpring(5.0))})
        >>> arm.without_springs().joint("joint1").springs
        ((),)
        """
        return trains.without_springs(self)

    def without_friction(self) -> Self:
        """The robot without joint friction.

        >>> import loadpath as lp
        >>> lp.catalog.puma560().without_friction().joints[0].viscous_friction
        (0.0,)
        """
        return edit.without_friction(self)

    def without_rotors(self) -> Self:
        """The robot without rotor inertias.

        >>> import loadpath as lp
        >>> lp.catalog.puma560().without_rotors().joints[0].rotor_inertia
        (0.0,)
        """
        return edit.without_rotors(self)

    def without_beams(self) -> Robot:
        """The rigid robot: without the beams and the compliance of the joints that `with_beams` gave it. Inertias stay
        as they are. Of a rover, on wheels that do not give way, and share their loads as they did.

        >>> import loadpath as lp
        >>> beam = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.CARBON_UD, end="tip_joint")
        >>> arm = lp.catalog.planar(1, mass=2.0).with_beams({"link1": beam})
        >>> arm.without_beams() == lp.catalog.planar(1, mass=2.0)
        True
        """
        rigid = None if self.wheeled_base is None else self.wheeled_base.rigid
        if not self.is_elastic and rigid is self.wheeled_base:
            return self
        return replace(self, beams=(), joint_compliances=(), guides=(), wheeled_base=rigid)

    def with_loop(
        self,
        name: str,
        first: str,
        second: str,
        *,
        motion: JointType | None = None,
        at: Pose | ArrayLike | None = None,
        on: Pose | ArrayLike | None = None,
        q: ArrayLike | None = None,
    ) -> ClosedRobot:
        """The robot with one more loop, closed by a joint between two of its links (see `loadpath.api.with_loops`).

        >>> import loadpath as lp
        >>> pin = lp.Revolute((0, 0, 1))
        >>> lp.catalog.planar(3).with_loop("pin", "base", "link3", motion=pin, at=(1, 0, 0), on=(1, 0, 0)).loop_names
        ('pin',)
        """
        closed = with_loops.with_loop(self, name, first, second, motion=motion, at=at, on=on, q=q)
        return closed  # type: ignore[return-value]  # by its data

    def with_coupling(
        self, ratios: Mapping[str, float], *, name: str | None = None, offset: float = 0.0
    ) -> ClosedRobot:
        """The robot with a fixed ratio between speeds, as of gears and belts: the sum of ratios times speeds is zero,
        and the sum of ratios times coordinates is `offset` (see `loadpath.api.with_loops`).

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).with_coupling({"joint1": 1.0, "joint2": -2.0}).mobility
        1
        """
        return with_loops.with_coupling(self, ratios, name=name, offset=offset)  # type: ignore[return-value]

    def with_beams(
        self,
        beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
        *,
        joint_compliance: Mapping[str, JointCompliance] | None = None,
        guides: Mapping[str, Guide] | None = None,
        inertia_from_beams: bool = False,
    ) -> FlexibleRobot:
        """The robot with elastic links, joints and loops (see `loadpath.robot.beams.edit.with_beams`).

        >>> import loadpath as lp
        >>> beam = lp.Beam(lp.Tube(outer_radius=0.04, wall=0.003), lp.CARBON_UD, end="tip_joint")
        >>> lp.catalog.planar(1, mass=2.0).with_beams({"link1": beam}).beams[0][0]
        'link1'
        """
        from loadpath.robot.beams.edit import with_beams

        return with_beams(  # type: ignore[return-value]
            self, beams, joint_compliance=joint_compliance, guides=guides, inertia_from_beams=inertia_from_beams
        )

    def with_driven(self, *names: str) -> Self:
        """The robot with drives at these speeds, and nowhere else.

        >>> import loadpath as lp
        >>> lp.catalog.four_bar().with_driven("rocker_joint").driven
        ('rocker_joint',)
        """
        return replace(self, drives=tuple(names))

    def with_home(self, q: ArrayLike) -> Self:
        """The robot with these coordinates as the start for closing its loops.

        >>> import loadpath as lp
        >>> four_bar = lp.catalog.four_bar()
        >>> four_bar.with_home(four_bar.home) == four_bar
        True
        """
        return replace(self, near=tuple(with_loops.configuration(self, q, "with_home").tolist()))

    if not TYPE_CHECKING:  # to type checkers a robot has the attributes that it has

        def __getattr__(self, name: str) -> object:
            raise_from_within(self, name)
            raise AttributeError(missing(self, name), name=name, obj=self)

    def __dir__(self) -> list[str]:
        # For editors: names that mean nothing for what is attached to this robot are left out.
        of_class, lines = set(dir(type(self))), lines_of(self)
        return sorted(name for name in super().__dir__() if name in lines or name not in of_class)

    def _repr_html_(self) -> str:
        from loadpath.drawing.robot_table import html_of

        words = "; ".join(self._beams_in_words())
        return html_of(self) + (html.paragraph(printable(words)) if words else "")

    def __repr__(self) -> str:
        if self.wheeled_base is not None and self.ground is not None:
            ground = self.ground.words
            count = len(self.wheeled_base.wheels)
            return printable(f"<Rover '{self.name}': {count} contacts, carrying {self.n} degrees of freedom{ground}>")
        words = [f"{len(self.links)} links", f"{len(self.joints)} joints"]
        words.append(f"{self.n} {'speeds' if self.closing_names else 'degrees of freedom'}")
        if self.closing_names:
            words.append(f"closed by: {', '.join(self.closing_names)}")
        elif self.passive:
            words.append(f"not driven: {', '.join(self.passive)}")
        return printable(f"<Robot '{self.name}': {', '.join([*words, *self._beams_in_words()])}>")

    def _beams_in_words(self) -> list[str]:
        if not self.is_elastic:
            return []
        links = ", ".join(dict.fromkeys(link for link, _ in self.beams)) or "none"
        joints = ", ".join(name for name, _ in self.joint_compliances)
        return [f"beams: {links}", *([f"compliant joints: {joints}"] if joints else [])]


attach(Robot, loops=with_loops.WithLoops, beams=WithBeams, both=WithLoopsAndBeams)


def as_robot(model: RobotModel) -> Robot:
    """The public robot of a model."""
    return Robot(**{part.name: getattr(model, part.name) for part in fields(model)})


def public(make: Callable[P, RobotModel], module: str) -> Callable[P, Robot]:
    """The same maker of robots, giving the public class; `module` is where it is found by its name, as pickle does."""

    @functools.wraps(make)
    def made(*arguments: P.args, **options: P.kwargs) -> Robot:
        return as_robot(make(*arguments, **options))

    made.__module__ = module
    return made


from_dh = public(dh.from_dh, __name__)
