"""Robots with closed chains: `robot.with_loop(...)`, `with_coupling`, and everything that can be asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from loadpath.api.closed_quantities import ClosedQuantities
from loadpath.api.robot import Robot, as_robot
from loadpath.engine.arguments import DEFAULT
from loadpath.errors import ModelError
from loadpath.kinematics.closed import freedoms
from loadpath.printable import printable
from loadpath.robot.closed_mechanism import ClosedMechanism, Split, with_loops
from loadpath.robot.joints import JointType, Revolute
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.mechanism import plain
from loadpath.robot.pose import Pose, pose_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from loadpath.equations import Choice, ClosedEquations
    from loadpath.robot.catalog.closed_tree import ClosedTree
    from loadpath.scalars.types import Floats


@dataclass(frozen=True, repr=False)
class ClosedRobot(ClosedQuantities, Robot):
    """A robot with loops: a tree of links and joints, and joints (`loops`) and ratios (`couplings`) that close it.

    q, qd, qdd and tau are those of the tree. `driven` has the names of the speeds with a drive; the other joints are
    passive, and their forces are zero.
    """

    loops: tuple[Loop, ...] = ()
    """Joints that close loops."""
    couplings: tuple[Coupling, ...] = ()
    """Fixed ratios between speeds."""
    drives: tuple[str, ...] = ()
    """Names of the speeds that have a drive, as given; none: chosen."""
    near: tuple[float, ...] = ()
    """Coordinates near a closed configuration; none: the unmoved robot."""

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
        if self.near and len(self.near) != self.nq:
            raise ModelError(f"robot '{self.name}': the configuration to start from has {len(self.near)} numbers, "
                             f"expected {self.nq}")  # fmt: skip

    # What there is

    @property
    def tree(self) -> Robot:
        """The open tree: the same robot without its loops and couplings."""
        return Robot(**{part.name: getattr(self, part.name) for part in fields(Robot)})

    @cached_property
    def loop_names(self) -> tuple[str, ...]:
        """Names of the loops' joints."""
        return tuple(loop.name for loop in self.loops)

    @cached_property
    def closed_joint_names(self) -> tuple[str, ...]:
        """Names of all joints, those of the tree, then those of the loops."""
        return (*self.joint_names, *self.loop_names)

    @cached_property
    def _unsplit(self) -> ClosedMechanism:
        return with_loops(plain(self), self, self, freedoms.NO_SPLIT)

    @cached_property
    def _home(self) -> Floats:
        start = np.array(self.near) if self.near else self.neutral()
        return freedoms.closed_configuration(self._unsplit, start, self.name)

    @property
    def home(self) -> Floats:
        """A closed configuration, (nq,): the one found from `near`."""
        return self._home.copy()

    @cached_property
    def split(self) -> Split:
        """Which speeds are driven, independent and dependent, by number."""
        wanted = tuple(self.dof_names.index(dof) for dof in self.drives)
        return freedoms.split(self._unsplit, self._home, wanted)

    @property
    def mobility(self) -> int:
        """How many freedoms there really are: speeds less the rank of what the loops hold."""
        return len(self.split.independent)

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
        closed = {"w": len(self.closed_joint_names), "m": self._unsplit.rows, "f": self.mobility, "k": len(self.loops)}
        return {**super().sizes, **closed}

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on: robots with equal data share compiled code."""
        return *super().defined_by, self.loops, self.couplings, self.drives, self.near

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

    # What it reads like

    def equations(self, formulation: str = DEFAULT, parameters: Choice = "numbers") -> ClosedEquations:
        """Equations of motion as SymPy expressions: those of the open tree, the constraints of the loops with their
        Jacobian and multipliers, and both reduced to the independent speeds; options as for any robot.

        >>> import loadpath as lp
        >>> lp.catalog.slider_crank().equations(parameters="symbols").constraints
        Matrix([
        [-l1*cos(q1) - l2*cos(q1 + q2) + q3],
        [      -l1*sin(q1) - l2*sin(q1 + q2)]])
        """
        from loadpath import equations

        formulations = Robot.inverse_dynamics.formulations
        return equations.closed_equations(
            self, self.loops, self.couplings, self.split, formulations, formulation, parameters
        )

    # Other robots from this one

    def with_driven(self, *names: str) -> Self:
        """The robot with drives at these speeds, and nowhere else."""
        return replace(self, drives=tuple(names))

    def with_home(self, q: ArrayLike) -> Self:
        """The robot with these coordinates as the start for closing its loops."""
        return replace(self, near=tuple(np.asarray(q, dtype=float).tolist()))


def closed_robot(data: ClosedTree) -> ClosedRobot:
    """The public robot of a mechanism of the catalog."""
    tree = as_robot(data.tree)
    own = {part.name: getattr(data, part.name) for part in fields(data) if part.name != "tree"}
    return ClosedRobot(**{part.name: getattr(tree, part.name) for part in fields(Robot)}, **own)


def closed_fields(robot: Robot) -> dict[str, Any]:
    """The fields of a robot, as a closed one has them."""
    own = ClosedRobot if isinstance(robot, ClosedRobot) else Robot
    return {part.name: getattr(robot, part.name) for part in fields(own)}


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
    """The robot with one more loop, closed by a joint between two of its links.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(3)
    >>> bar = arm.with_loop("pin", "base", "link3", at=(1.0, 0, 0), on=(1.0, 0, 0), motion=lp.Revolute((0, 0, 1)))
    """
    values = closed_fields(robot)
    start = np.asarray(q, dtype=float) if q is not None else np.array(values.get("near") or robot.neutral())
    pose_at = Pose() if at is None else pose_of(at, f"frame 'at' of loop '{name}'")
    if on is None:
        poses = dict(zip(robot.link_names, robot.link_poses(start), strict=True))
        both = np.linalg.inv(poses[robot.link(second).name]) @ poses[robot.link(first).name]
        on = Pose.from_matrix(both) @ pose_at
    loop = Loop(name, first, second, motion or Revolute(), pose_at, pose_of(on, f"frame 'on' of loop '{name}'"))
    values["loops"] = (*values.get("loops", ()), loop)
    if q is not None:
        values["near"] = tuple(start.tolist())
    return ClosedRobot(**values)


def with_coupling(
    robot: Robot, ratios: Mapping[str, float], *, name: str | None = None, offset: float = 0.0
) -> ClosedRobot:
    """The robot with a fixed ratio between speeds: the sum of ratios times speeds is zero."""
    values = closed_fields(robot)
    couplings: tuple[Coupling, ...] = values.get("couplings", ())
    coupling = Coupling(name or f"coupling{len(couplings) + 1}", tuple(ratios.items()), offset)
    values["couplings"] = (*couplings, coupling)
    return ClosedRobot(**values)
