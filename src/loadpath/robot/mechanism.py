"""What a formulation reads: the moving bodies of a robot, parents first, each with its constants, and what closes it.

A `Mechanism` is the robot with its frames chosen. Of a tree the lists of loops and couplings are empty. `plain` keeps
the user's frames; `reduction.reduced` chooses frames and regroups inertias so that the same equations cost fewer
operations. A formulation cannot know which one it is given, and its constants may be any scalars (symbols, say).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.robot.drive_train.drive import LineSpring
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import JointType
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.robot.pose import Pose
from loadpath.scalars import IDENTITY, Array, Rotation, Scalar, array, compose, rotation_from_matrix, zeros

BASE = -1
"""The parent of bodies that are joined to the base."""
_ROUNDING = 4e-15


class Split(NamedTuple):
    """Which speeds are which, by their numbers."""

    driven: tuple[int, ...]
    """Speeds with a drive."""
    independent: tuple[int, ...]
    """Speeds that determine all others: driven ones first, as many as there are freedoms."""
    dependent: tuple[int, ...]
    """The others."""

    @staticmethod
    def of_tree(n: int) -> Split:
        """Of a tree all of whose joints are driven."""
        every = tuple(range(n))
        return Split(every, every, ())


@dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed on a body: `rotation` takes its components to the body's axes, `origin` is in body axes."""

    body: int
    rotation: Rotation = IDENTITY
    origin: Array = field(default_factory=lambda: zeros(3))


@dataclass(frozen=True, eq=False)
class PlacedSpring:
    """A line spring with its ends on bodies."""

    spring: LineSpring
    on_parent: Array
    """From the parent's origin, in the parent's axes."""
    on_child: Array
    """From the body's own origin, in its own axes."""


@dataclass(frozen=True, eq=False)
class Body:
    """One moving body and the joint that moves it.

    The body's frame is the joint's frame after the motion; its origin is the joint's origin `O_i`.
    """

    name: str
    parent: int
    """Number of the parent body, or BASE."""
    turn: Rotation
    """Constant: from the axes before the joint's motion to the parent's axes."""
    arm: Array
    """Constant: from the parent's origin to the joint's, in parent axes (the book's a_{i-1})."""
    motion: JointType
    joint: Joint
    q: slice
    v: slice
    multiplier: float
    """Of a mimicking joint: its own q is multiplier * q + offset; 1 and 0 otherwise."""
    offset: float
    mass: Scalar
    moment: Array
    """Mass times the vector rho_i from the origin to the mass center, in body axes."""
    inertia: Array
    """3 x 3, about the body's origin, in body axes."""
    line_springs: tuple[PlacedSpring, ...] = ()
    """Springs between this body and its parent."""


@dataclass(frozen=True, eq=False)
class BaseInertia:
    """What the base itself weighs: it counts only where the base moves."""

    mass: Scalar
    moment: Array
    """Mass times the vector from the origin of the base's frame to the mass center, in its axes."""
    inertia: Array
    """3 x 3, about the origin of the base's frame, in its axes."""


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """A loop with its frames on bodies."""

    name: str
    motion: JointType
    at: Frame
    on: Frame


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Bodies with parents first, where the user's frames sit on them, and the loops and couplings between them."""

    bodies: tuple[Body, ...]
    n: int
    nq: int
    gravity: Array
    """Acceleration of gravity in the axes of the base."""
    base: Frame
    """The world frame in the frame of the base (body = BASE); the root link's own frame is there too."""
    base_inertia: BaseInertia
    link_frames: Mapping[str, Frame]
    joint_frames: Mapping[str, Frame]
    """For every joint the child's joint frame, on the child's body: where joint wrenches are reported."""
    loops: tuple[ClosedLoop, ...] = ()
    coupling_rows: Array = field(default_factory=lambda: zeros(0, 0))
    """(couplings, n): factors of the speeds."""
    coupling_positions: Array = field(default_factory=lambda: zeros(0, 0))
    """(couplings, nq): factors of the coordinates."""
    coupling_offsets: Array = field(default_factory=lambda: zeros(0))
    """(couplings,)"""
    find_split: Callable[[], Split] | None = None
    """Which speeds determine the others; none where all are driven."""

    @property
    def is_tree(self) -> bool:
        """Whether nothing closes it, and all of its joints are driven."""
        return self.find_split is None

    @property
    def rows(self) -> int:
        """How many directions are held: those of all loops, then one for each coupling."""
        return sum(6 - loop.motion.dof for loop in self.loops) + len(self.coupling_rows)

    @cached_property
    def split(self) -> Split:
        """Which speeds are driven, independent and dependent: found when it is first needed, from the rows of the loops
        themselves.
        """
        return Split.of_tree(self.n) if self.find_split is None else self.find_split()


def floats(values: NDArray[np.float64]) -> Array:
    """An array of plain Python floats, which no kind of scalar trips over."""
    return array(values.tolist())


def frame_on(body: int, pose: Pose) -> Frame:
    """The frame with that pose on a body."""
    return Frame(body, rotation_from_matrix(pose.rotation), array(pose.translation))


def base_inertia_of(inertia: Inertia) -> BaseInertia:
    """A base with that inertia, given in the base's frame."""
    return BaseInertia(inertia.mass, floats(inertia.first_moment), floats(inertia.at_origin()))


def make_body(
    robot: RobotModel, joint: Joint, motion: JointType, parent: int, *, placement: Pose, inertia: Inertia
) -> Body:
    """A body in the frame that `joint` moves, `placement` being the pose of that frame before the motion."""
    mimic = robot.mimic_of(joint)
    nothing = slice(0, 0)
    return Body(
        name=joint.child,
        parent=parent,
        turn=rotation_from_matrix(placement.rotation),
        arm=array(placement.translation),
        motion=motion,
        joint=joint,
        q=robot.q_slices.get(joint.name, nothing),
        v=robot.v_slices.get(joint.name, nothing),
        multiplier=mimic.multiplier,
        offset=mimic.offset,
        mass=inertia.mass,
        moment=floats(inertia.first_moment),
        inertia=floats(inertia.at_origin()),
    )


def plain(robot: RobotModel) -> Mechanism:
    """The robot in its own frames: a body for each joint, fixed ones too, in the joint's frame after the motion."""
    number = {robot.base.name: BASE}
    offset = {robot.base.name: Pose()}
    bodies: list[Body] = []
    for joint in robot.joints:
        placement = offset[joint.parent] @ joint.origin
        inertia = robot.link(joint.child).inertia.seen_from(joint.link_offset)
        bodies.append(make_body(robot, joint, joint.motion, number[joint.parent], placement=placement, inertia=inertia))
        number[joint.child] = len(bodies) - 1
        offset[joint.child] = joint.link_offset
    made = Mechanism(
        bodies=tuple(bodies),
        n=robot.n,
        nq=robot.nq,
        gravity=array(robot.gravity),
        base=Frame(BASE),
        base_inertia=base_inertia_of(robot.base.inertia),
        link_frames={link: frame_on(number[link], offset[link]) for link in robot.link_names},
        joint_frames={joint.name: Frame(number[joint.child]) for joint in robot.joints},
    )
    return with_loops(with_line_springs(made), robot)


def with_line_springs(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the springs between its links put on their bodies."""
    if not any(body.joint.line_springs for body in mechanism.bodies):
        return mechanism
    frames = mechanism.link_frames

    def placed(link: str, point: tuple[float, float, float]) -> Array:
        result: Array = frames[link].origin + frames[link].rotation @ array(point)
        return result

    bodies = []
    for body in mechanism.bodies:
        joint = body.joint
        springs = tuple(
            PlacedSpring(spring, placed(joint.parent, spring.on_parent), placed(joint.child, spring.on_child))
            for spring in joint.line_springs
        )
        bodies.append(replace(body, line_springs=springs))
    return replace(mechanism, bodies=tuple(bodies))


def with_loops(mechanism: Mechanism, robot: RobotModel) -> Mechanism:
    """The mechanism of a tree with the loops and couplings of a robot put on."""
    loops = tuple(
        ClosedLoop(
            loop.name,
            loop.motion,
            _placed(mechanism.link_frames[loop.first], loop.at),
            _placed(mechanism.link_frames[loop.second], loop.on),
        )
        for loop in robot.loops
    )
    speeds, coordinates = zeros(len(robot.couplings), robot.n), zeros(len(robot.couplings), robot.nq)
    for row, coupling in enumerate(robot.couplings):
        for dof, factor in coupling.ratios:
            speeds[row, robot.dof_names.index(dof)] = factor
            coordinates[row, robot.coordinate_names.index(dof)] = factor
    return replace(
        mechanism,
        loops=loops,
        coupling_rows=speeds,
        coupling_positions=coordinates,
        coupling_offsets=array([coupling.offset for coupling in robot.couplings]),
        find_split=functools.partial(getattr, robot, "split") if robot.held_by_loops else None,
    )


def _placed(link: Frame, pose: Pose) -> Frame:
    """A frame that is given in the frame of a link, on the body that carries the link."""
    turn = compose(link.rotation, rotation_from_matrix(pose.rotation))
    origin = link.origin + link.rotation @ array(pose.translation)
    matrix = turn.matrix()
    if all(isinstance(x, (int, float)) for x in (*matrix.flat, *origin)):  # no symbols: without the sum's rounding
        turn = rotation_from_matrix(matrix.tolist())
        size = max(abs(x) for x in (*link.origin, *pose.translation))
        origin = array([0.0 if abs(x) <= _ROUNDING * size else x for x in origin])
    return Frame(link.body, turn, origin)
