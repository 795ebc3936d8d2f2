"""Robots with closed chains: `robot.with_loop(...)`, `with_coupling`, and everything that can be asked of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from loadpath.api.closed_kinematics import ClosedKinematics
from loadpath.api.closed_load_quantities import ClosedLoadQuantities
from loadpath.api.closed_motion import ClosedMotion
from loadpath.api.closed_refused import ClosedRefusals
from loadpath.api.in_room import InRoom
from loadpath.api.robot import Robot, as_robot
from loadpath.engine.arguments import DEFAULT
from loadpath.errors import ModelError
from loadpath.kinematics.closed import freedoms
from loadpath.printable import printable
from loadpath.robot import closed_edit, edit
from loadpath.robot.closed_mechanism import Split
from loadpath.robot.joints import JointType, Revolute
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel, model_warnings
from loadpath.robot.numbers import number
from loadpath.robot.pose import Pose, pose_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from loadpath.api.closed_flexible import ClosedFlexibleRobot
    from loadpath.equations import Choice, ClosedEquations, Letters
    from loadpath.loads import preload as closed_preload
    from loadpath.robot.catalog.closed_tree import ClosedTree
    from loadpath.scalars.types import Floats
    from loadpath.structure import Beam, Guide, JointCompliance


@dataclass(frozen=True, repr=False)
class ClosedRobot(  # type: ignore[misc]  # inverse_kinematics also closes
    ClosedRefusals, ClosedKinematics, ClosedMotion, ClosedLoadQuantities, Robot
):
    """A robot with loops: a tree of links and joints, and joints (`loops`) and ratios (`couplings`) that close it.

    q, qd, qdd and tau are those of the tree. `driven` has the names of the speeds with a drive; the other joints are
    passive, and their forces are zero.

    >>> import loadpath as lp
    >>> four_bar = lp.catalog.four_bar()
    >>> four_bar.mobility, four_bar.driven, four_bar.loop_names
    (1, ('crank_joint',), ('rocker_pin',))
    """

    loops: tuple[Loop, ...] = ()
    """Joints that close loops."""
    couplings: tuple[Coupling, ...] = ()
    """Fixed ratios between speeds."""
    drives: tuple[str, ...] = ()
    """Names of the speeds that have a drive, as given; none: chosen."""
    near: tuple[float, ...] = ()
    """Coordinates near a closed configuration; none: the unmoved robot."""

    held_by_loops: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [*self.joint_names]
        for loop in self.loops:
            for link in (loop.first, loop.second):
                try:
                    self.link(link)
                except ValueError as problem:
                    raise ModelError(f"loop '{loop.name}': {problem}") from None
            if loop.name in names:
                raise ModelError(f"robot '{self.name}': two joints are named '{loop.name}'")
            names.append(loop.name)
        for coupling in self.couplings:
            for dof, _ in coupling.ratios:
                if dof not in self.dof_names or dof not in self.coordinate_names:
                    raise ModelError(f"coupling '{coupling.name}': there is no speed '{dof}' with a coordinate of its "
                                     f"own; there are {', '.join(self.dof_names)}")  # fmt: skip
        for dof in self.drives:
            if dof not in self.dof_names:
                raise ModelError(f"robot '{self.name}': there is no speed '{dof}' to drive; there are "
                                 f"{', '.join(self.dof_names)}")  # fmt: skip
            if self.drives.count(dof) > 1:
                raise ModelError(f"robot '{self.name}': '{dof}' is driven {self.drives.count(dof)} times: name each "
                                 "drive once; two motors on one joint are one drive of both their forces")  # fmt: skip
        if self.near and len(self.near) != self.nq:
            raise ModelError(f"robot '{self.name}': the configuration to start from has {len(self.near)} numbers, "
                             f"expected {self.nq}")  # fmt: skip
        for name, value in zip(self.coordinate_names, self.near, strict=False):
            number(value, f"robot '{self.name}': coordinate '{name}' of the configuration to start from")

    # What there is

    @cached_property
    def tree(self) -> Robot:
        """The open tree: the same robot without its loops and couplings."""
        values = {part.name: getattr(self, part.name) for part in fields(Robot)}
        # What holds massless links is cut for the sake of the equations: no reason to warn.
        values["known_faults"] |= frozenset(model_warnings(self.links, self.joints))
        return Robot(**values)

    @cached_property
    def loop_names(self) -> tuple[str, ...]:
        """Names of the loops' joints."""
        return tuple(loop.name for loop in self.loops)

    @cached_property
    def closed_joint_names(self) -> tuple[str, ...]:
        """Names of all joints, those of the tree, then those of the loops."""
        return (*self.joint_names, *self.loop_names)

    @cached_property
    def _home(self) -> Floats:
        return freedoms.closed_configuration(self, np.array(self.near) if self.near else self.neutral())

    @property
    def home(self) -> Floats:
        """A closed configuration, (nq,): the one found from `near`."""
        return self._home.copy()

    @cached_property
    def split(self) -> Split:
        """Which speeds are driven, independent and dependent, by number."""
        return freedoms.split_of(self, tuple(self.dof_names.index(dof) for dof in self.drives))

    @property
    def mobility(self) -> int:
        """How many freedoms there really are: speeds less the rank of what the loops hold."""
        return len(self.split.independent)

    @property
    def gruebler(self) -> int:
        """Freedoms by the count of Gruebler and Kutzbach; `mobility_report()` explains the difference to `mobility`."""
        return self.n - self._rows

    @property
    def _rows(self) -> int:
        return sum(loop.rows for loop in self.loops) + len(self.couplings)

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the speeds that have a drive."""
        return tuple(self.dof_names[k] for k in self.split.driven)

    @property
    def passive(self) -> tuple[str, ...]:
        """Names of the speeds without a drive."""
        return tuple(name for k, name in enumerate(self.dof_names) if k not in self.split.driven)

    @property
    def independent(self) -> tuple[str, ...]:
        """Names of the speeds that determine all others."""
        return tuple(self.dof_names[k] for k in self.split.independent)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures of compiled quantities stand for; in addition to a tree's: `w` all joints,
        `m` held directions, `f` freedoms, `k` loops.
        """
        closed = {"w": len(self.closed_joint_names), "m": self._rows, "f": self.mobility, "k": len(self.loops)}
        return {**super().sizes, **closed}

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on: robots with equal data share compiled code."""
        return *super().defined_by, self.loops, self.couplings, self.drives, self.near

    @cached_property
    def digest(self) -> str:
        """A fingerprint of all that counts in the dynamics; equal robots have equal ones."""
        return hashlib.sha256(repr((super().digest, *self.defined_by[-4:])).encode()).hexdigest()

    def __hash__(self) -> int:
        return hash((self._hash, self.loops, self.couplings, self.drives, self.near))

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __repr__(self) -> str:
        loops = ", ".join((*self.loop_names, *(coupling.name for coupling in self.couplings)))
        return printable(
            f"<ClosedRobot '{self.name}': {len(self.links)} links, {len(self.joints)} joints, {self.n} speeds, closed "
            f"by: {loops}>"
        )

    # Redundant drives

    if TYPE_CHECKING:
        preload_for = closed_preload.preload_for
    else:
        preload_for = InRoom("loadpath.loads.preload")

    # What it reads like

    def equations(
        self,
        formulation: str = DEFAULT,
        parameters: Choice | None = None,
        *,
        letters: Letters | None = None,
        shapes: bool = True,
    ) -> ClosedEquations:
        """Equations of motion as SymPy expressions: those of the open tree, the constraints of the loops with their
        Jacobian and multipliers, and both reduced to the independent speeds; options as for any robot.

        >>> import loadpath as lp
        >>> lp.catalog.slider_crank().equations(parameters="symbols").constraints
        Matrix([
        [-l1*cos(q1) - l2*cos(q1 + q2) + q3],
        [     -l1*sin(q1) - l2*sin(q1 + q2)]])
        """
        from loadpath import equations

        formulations = Robot.inverse_dynamics.formulations
        return equations.closed_equations(
            self, self.loops, self.couplings, self.split, formulations, formulation, parameters, letters, shapes=shapes
        )

    # Other robots from this one

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
        return replace(self, near=tuple(_start(self, q, "with_home").tolist()))

    def locked(self, joints: Mapping[str, ArrayLike]) -> Self:
        """The robot with joints frozen at the given coordinates, its loops as they are: see `Robot.locked`. The drives
        of frozen joints go; a coupling keeps its ratio among the others. A mechanism may be held altogether. Where no
        loop or coupling is left, it is an open chain, an `lp.Robot`.

        >>> import loadpath as lp
        >>> pin, q = lp.Revolute((0, 0, 1)), (0.5, 1.2, 0.9)
        >>> bar = lp.catalog.planar(3).with_loop("pin", "link3", "base", motion=pin, at=(1, 0, 0), q=q)
        >>> bar.mobility, bar.locked({"joint1": 0.5}).mobility
        (1, 0)
        >>> geared = lp.catalog.planar(3).with_coupling({"joint1": 1.0, "joint2": -2.0})
        >>> geared.locked({"joint1": 0.2, "joint2": 0.1})
        <Robot 'planar3': 5 links, 4 joints, 1 degrees of freedom>
        """
        return as_open(self._locked(joints))

    def _locked(self, joints: Mapping[str, ArrayLike]) -> Self:
        """The same, of the class of closed robots whatever is left."""
        made = edit.locked(self._open, joints)
        drives = closed_edit.kept_drives(self.drives, made)
        couplings = closed_edit.locked_couplings(self, self.couplings, joints)
        near = closed_edit.kept_coordinates(self, self.near, made)
        closed = replace(made, loops=self.loops, couplings=couplings, drives=drives, near=near)
        if self.drives and not drives and closed.mobility:
            raise ModelError(f"robot '{self.name}': all of its drives, {', '.join(self.drives)}, would be locked, and "
                             f"{closed.mobility} freedoms are left: name those that drive it first, with_driven(...)"
                             )  # fmt: skip
        return closed

    def floating(self, name: str = "floating_base", world: str = "world") -> Self:
        """The robot with its base free to move against a new link `world`: see `Robot.floating`. The six speeds of the
        base come first and have forces in tau, as those of a tree do, so they count as driven.

        >>> import loadpath as lp
        >>> pin, q = lp.Revolute((0, 0, 1)), (0.5, 1.2, 0.9)
        >>> bar = lp.catalog.planar(3).with_loop("pin", "link3", "base", motion=pin, at=(1, 0, 0), q=q)
        >>> bar.floating().mobility
        7
        """
        made = edit.floating(self._open, name, world)
        new = made.n - self.n
        drives = (*made.dof_names[:new], *self.drives) if self.drives else ()
        near = (*made.neutral()[: made.nq - self.nq].tolist(), *self.near) if self.near else ()
        return replace(made, loops=self.loops, couplings=self.couplings, drives=drives, near=near)

    def with_beams(  # type: ignore[override]  # flexible, and with loops
        self,
        beams: Mapping[str, Beam | Iterable[Beam]] | None = None,
        *,
        joint_compliance: Mapping[str, JointCompliance] | None = None,
        guides: Mapping[str, Guide] | None = None,
        inertia_from_beams: bool = False,
    ) -> ClosedFlexibleRobot:
        """The robot with elastic links, joints and loops (see `loadpath.api.closed_flexible.with_beams`).

        >>> import loadpath as lp
        >>> rod = lp.Beam(lp.Rod(0.008), lp.STEEL, end="rocker_pin")
        >>> lp.catalog.four_bar().with_beams({"coupler": rod}).beams[0][0]
        'coupler'
        """
        from loadpath.api.closed_flexible import with_beams

        springs = joint_compliance
        return with_beams(self, beams, joint_compliance=springs, guides=guides, inertia_from_beams=inertia_from_beams)

    def without_beams(self) -> ClosedRobot:
        """The rigid robot: see `Robot.without_beams`. Its loops stay.

        >>> import loadpath as lp
        >>> lp.catalog.four_bar().without_beams() == lp.catalog.four_bar()
        True
        """
        return self

    @property
    def _open(self) -> Self:
        """The same without what closes it, of the same class, for edits that change the coordinates."""
        return replace(self, loops=(), couplings=(), drives=(), near=())


Closed = TypeVar("Closed", bound=ClosedRobot)


def as_open(robot: Closed) -> Closed:
    """The robot as an open chain if nothing closes it and all of it is driven."""
    if robot.loops or robot.couplings or len(robot.split.driven) < robot.n:
        return robot
    return robot.tree  # type: ignore[return-value]  # which has all that can be asked of an open chain


def closed_robot(data: ClosedTree) -> ClosedRobot:
    """The public robot of a mechanism of the catalog."""
    tree = as_robot(data.tree)
    own = {part.name: getattr(data, part.name) for part in fields(data) if part.name != "tree"}
    return ClosedRobot(**{part.name: getattr(tree, part.name) for part in fields(Robot)}, **own)


def closed_fields(robot: Robot) -> dict[str, Any]:
    """The fields of a robot, as a closed one has them."""
    own = ClosedRobot if isinstance(robot, ClosedRobot) else Robot
    return {part.name: getattr(robot, part.name) for part in fields(own)}


def closed_from(
    tree: RobotModel,
    loops: tuple[Loop, ...],
    couplings: tuple[Coupling, ...],
    drives: tuple[str, ...],
    source: str,
    near: tuple[float, ...] = (),
) -> ClosedRobot:
    """The closed robot that a file describes; `source` names it in errors."""
    values = {part.name: getattr(tree, part.name) for part in fields(Robot)}
    try:
        return ClosedRobot(**values, loops=loops, couplings=couplings, drives=drives, near=near)
    except ModelError as problem:
        raise ModelError(f"{source}: {problem}") from None


def _of_fields(robot: Robot, values: dict[str, Any]) -> ClosedRobot:
    """The closed robot, with the beams and compliances of the one that it is made from."""
    elastic = {part: getattr(robot, part) for part in ("beams", "joint_compliances", "guides") if part in _names(robot)}
    if not elastic:
        return ClosedRobot(**values)
    from loadpath.api.closed_flexible import ClosedFlexibleRobot

    return ClosedFlexibleRobot(**values, **elastic)


def _names(robot: Robot) -> set[str]:
    return {part.name for part in fields(robot)}


def _start(robot: Robot, q: ArrayLike, what: str) -> Floats:
    """One configuration, as numbers."""
    try:
        start = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: q is {q!r}: expected {robot.nq} numbers") from None
    if start.shape != (robot.nq,):
        raise ModelError(f"{what}: q has the shape {start.shape}: expected ({robot.nq},), one configuration of robot "
                         f"'{robot.name}'")  # fmt: skip
    for name, value in zip(robot.coordinate_names, start, strict=False):
        number(float(value), f"{what}: q of '{name}'")
    return start


def with_loop(
    robot: Robot,
    name: str,
    first: str,
    second: str,
    *,
    motion: JointType | None = None,
    at: Pose | ArrayLike | None = None,
    on: Pose | ArrayLike | None = None,
    q: ArrayLike | None = None,
) -> ClosedRobot:
    """The robot with one more loop, closed by a joint between two of its links. Without `on` the second frame is where
    the first one is at `q` (or at the start of the robot); with both, they meet at `q`, but for rounding.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(3)
    >>> bar = arm.with_loop("pin", "base", "link3", at=(1.0, 0, 0), on=(1.0, 0, 0), motion=lp.Revolute((0, 0, 1)))
    """
    values = closed_fields(robot)
    start = np.array(values.get("near") or robot.neutral()) if q is None else _start(robot, q, f"loop '{name}'")
    pose_at = Pose() if at is None else pose_of(at, f"frame 'at' of loop '{name}'")
    if on is None:
        poses = dict(zip(robot.link_names, robot.link_poses(start), strict=True))
        both = np.linalg.inv(poses[robot.link(second).name]) @ poses[robot.link(first).name]
        on = Pose.from_matrix(both) @ pose_at
    loop = Loop(name, first, second, motion or Revolute(), pose_at, pose_of(on, f"frame 'on' of loop '{name}'"))
    values["loops"] = (*values.get("loops", ()), loop)
    if q is not None:
        values["near"] = tuple(start.tolist())
    closed = _of_fields(robot, values)
    if q is not None:
        freedoms.refuse_apart(closed, len(closed.loops) - 1, start)
    return closed


def with_coupling(
    robot: Robot, ratios: Mapping[str, float], *, name: str | None = None, offset: float = 0.0
) -> ClosedRobot:
    """The robot with a fixed ratio between speeds: the sum of ratios times speeds is zero."""
    values = closed_fields(robot)
    couplings: tuple[Coupling, ...] = values.get("couplings", ())
    coupling = Coupling(name or f"coupling{len(couplings) + 1}", ratios, offset)  # type: ignore[arg-type]
    values["couplings"] = (*couplings, coupling)
    return _of_fields(robot, values)
