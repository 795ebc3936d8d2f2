"""What a robot is: links joined by joints in a tree. Data and its checks; nothing is computed here.

Frames. Every link has a frame. A joint sits at `origin` in its parent link's frame, moves as its `motion` says,
and carries the child link's frame at `link_offset` after the motion:

    pose of child in parent = origin @ motion(q) @ link_offset

In URDF and modified DH tables `link_offset` is the identity; standard DH frames need it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from loadpath.cached import cached_property
from loadpath.errors import ModelError, warn
from loadpath.in_room import function_in_room
from loadpath.robot.drive_train.drive import Drive
from loadpath.robot.drive_train.of_joint import drive_train, refuse_with_beams
from loadpath.robot.loops import Coupling, Loop, check_closing
from loadpath.robot.numbers import Vector3, name, nearest, vector3
from loadpath.robot.parts import Fitted, Joint, Link, Mimic, check_parts
from loadpath.robot.tree import check_mimics, followed_joints, model_warnings, parents_first
from loadpath.robot.units import question_of_gravity

if TYPE_CHECKING:
    from loadpath.robot.beams.beam import Beam, Guide
    from loadpath.robot.beams.edit import as_joint, check_elastic, cut_robot, opened_tree
    from loadpath.robot.beams.placement import PlacedBeam, PlacedGuide, placed_beams, placed_guides
    from loadpath.robot.joint_compliance import JointCompliance
    from loadpath.robot.wheels.base import BaseModel, standing, under_body
    from loadpath.robot.wheels.ground import Ground
else:  # beams, with all sections and materials, and wheels are imported with the first robot that has any
    as_joint = function_in_room("loadpath.robot.beams.edit", "as_joint")
    cut_robot = function_in_room("loadpath.robot.beams.edit", "cut_robot")
    opened_tree = function_in_room("loadpath.robot.beams.edit", "opened_tree")
    check_elastic = function_in_room("loadpath.robot.beams.edit", "check_elastic")
    placed_beams = function_in_room("loadpath.robot.beams.placement", "placed_beams")
    placed_guides = function_in_room("loadpath.robot.beams.placement", "placed_guides")
    standing = function_in_room("loadpath.robot.wheels.base", "standing")
    under_body = function_in_room("loadpath.robot.wheels.base", "under_body")

STANDARD_GRAVITY: Vector3 = (0.0, 0.0, -9.81)



@dataclass(frozen=True)
class RobotModel:
    """A tree of links and what is attached to it: loops, couplings, beams, compliant joints, guides, parts, wheels. Any
    of these may be missing.

    The joints are put in an order with parents first, the links follow: the base, the link without a parent, then the
    child of each joint. Coordinates q, speeds qd and forces tau follow the order of `joints`. The base is fixed in the
    world, unless it stands on wheels; see `floating` for one that moves freely.
    """

    _purpose = "What it consists of"

    name: str
    links: Sequence[Link]
    joints: Sequence[Joint]
    gravity: Vector3 = STANDARD_GRAVITY
    known_faults: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """Warnings that were given once and are not repeated when a robot is made from another."""
    parts: tuple[tuple[str, Fitted], ...] = ()
    """Parts with the names of their joints: bearings, gears, motors. No equation depends on them."""
    guessed_masses: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Links whose mass is a guess: a verdict says so."""
    pedigrees: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)
    """Where its data come from: "masses", "limits", ... with their sources; see `with_pedigree`."""
    loops: tuple[Loop, ...] = ()
    """Joints that close loops."""
    couplings: tuple[Coupling, ...] = ()
    """Fixed ratios between speeds."""
    drives: tuple[str, ...] = ()
    """Names of the speeds that have a drive, as given; none: all of an open chain, chosen where loops are closed."""
    near: tuple[float, ...] = ()
    """Coordinates near a closed configuration; none: the unmoved robot."""
    beams: tuple[tuple[str, Beam], ...] = ()
    """Beams with the names of their links; a link may have several, and a beam may end at a loop."""
    joint_compliances: tuple[tuple[str, JointCompliance], ...] = ()
    """Compliant joints and loops by name."""
    guides: tuple[tuple[str, Guide], ...] = ()
    """Guides by the names of their joints, in addition to those that the beams have."""
    wheeled_base: BaseModel | None = None
    """The base on wheels and feet, whose body the first link becomes; none: that link is fixed in the world."""
    ground: Ground | None = None
    """What the wheels stand on; gravity is that of the ground then, for a base that looks uphill."""
    ratings: tuple[tuple[str, Fitted], ...] = ()
    """What wheels may carry, by the names of their contacts. No equation depends on them."""

    def __post_init__(self) -> None:
        name(self.name, "name of the robot")
        object.__setattr__(self, "gravity", vector3(self.gravity, f"gravity of robot '{self.name}'"))
        for part, (kind, example) in _ROWS.items():
            object.__setattr__(self, part, _row_of(self.name, part, getattr(self, part), kind, example))
        links = {link.name: link for link in self.links}
        joints = parents_first(self.name, self.links, self.joints)
        base = next(link for link in links if link not in {joint.child for joint in joints})
        object.__setattr__(self, "links", tuple(links[entry] for entry in (base, *(j.child for j in joints))))
        object.__setattr__(self, "joints", joints)
        if self.wheeled_base is not None:
            for part, value in standing(self).items():
                object.__setattr__(self, part, value)
        elif self.ground is not None or self.ratings:
            raise ModelError(f"robot '{self.name}' has a ground or ratings of wheels, and no wheels: "
                             "base.carrying(robot) puts it on some")
        check_mimics(self.joints)
        check_parts(self.name, self.parts)
        about = model_warnings(self.links, self.joints, closed=self.held_by_loops)
        faults = [*about, *question_of_gravity(self.gravity)]
        for fault in faults:
            if fault not in self.known_faults:
                warn(f"robot '{self.name}', {fault}")
        object.__setattr__(self, "known_faults", self.known_faults | frozenset(faults))
        check_closing(self)
        if self.is_elastic:
            self._settle_beams()

    def _settle_beams(self) -> None:
        """Beams in the order of links, compliances in the axes of their joints; what cannot be placed is refused."""
        order = {link: k for k, link in enumerate(self.link_names)}
        beams = sorted(self.beams, key=lambda entry: order.get(entry[0], 0))
        object.__setattr__(self, "beams", tuple(beams))
        check_elastic(self)  # which places them in this order
        refuse_with_beams(self, tuple(name for name, _ in self.joint_compliances))
        of_loops = {loop.name: as_joint(loop) for loop in self.loops}
        compliances = tuple(
            (name, compliance.of(of_loops[name] if name in of_loops else self.joint(name)))
            for name, compliance in self.joint_compliances
        )
        object.__setattr__(self, "joint_compliances", compliances)

    # What there is, by name and number

    @property
    def held_by_loops(self) -> bool:
        """Whether its speeds are not all free and driven: loops or couplings close it, or some joints have no drive.
        Loops may hold what has no inertia of its own.
        """
        return bool(self.loops or self.couplings or 0 < len(self.drives) < self.n)

    @property
    def is_elastic(self) -> bool:
        """Whether it has beams, guides or compliant joints."""
        return bool(self.beams or self.joint_compliances or self.guides)

    @property
    def on_wheels(self) -> bool:
        """Whether its base stands on wheels, and may move: see `lp.Rover`."""
        return self.wheeled_base is not None

    @property
    def on_fixed_base(self) -> Self:
        """The robot on a base at rest in the world: itself; of a rover, the robots that it carries, under gravity as it
        acts on its ground, the base looking uphill.
        """
        return self if self.wheeled_base is None else self._without_wheels

    @cached_property
    def _without_wheels(self) -> Self:
        return replace(self, wheeled_base=None, ground=None, ratings=())

    def _with_robot(self, robot: Any) -> Any:
        """What comes of `on_fixed_base`, where this robot stands: of a rover on the same wheels, but for what has
        another root.
        """
        if self.wheeled_base is None or robot.link_names[0] != self.link_names[0]:
            return robot
        if robot.gravity != self.gravity:
            raise ModelError(f"rover '{self.name}': its gravity is that of the ground, and would become "
                             f"{robot.gravity}: rover.on(lp.Ground(slope=..., gravity=...)) gives it another")
        base = under_body(self.wheeled_base, robot.links[0].inertia)
        return replace(robot, wheeled_base=base, ground=self.ground, ratings=self.ratings)

    @cached_property
    def placed_beams(self) -> tuple[PlacedBeam, ...]:
        """The beams with their ends and axes in the joint frames of their links."""
        return self.cut.placed_beams if self.loops else tuple(placed_beams(self, self.beams))

    @cached_property
    def placed_guides(self) -> tuple[PlacedGuide, ...]:
        """The guides, those of the beams among them, with their pads as places along the beams."""
        return self.cut.placed_guides if self.loops else placed_guides(self, self.placed_beams, dict(self.guides))

    @cached_property
    def tree(self) -> Self:
        """The open tree, with its beams: the same robot without its loops and couplings, all of it driven."""
        return self if self._is_open else opened_tree(self)

    @cached_property
    def cut(self) -> Self:
        """The tree with its loops cut, with a link without mass at either side of every cut."""
        return self if self._is_open else cut_robot(self)

    @property
    def _is_open(self) -> bool:
        """Whether nothing is said of loops, drives and where to look for closed ones."""
        return not (self.loops or self.couplings or self.drives or self.near)

    @property
    def loop_compliances(self) -> tuple[tuple[str, JointCompliance], ...]:
        """The compliances of the loops."""
        return tuple(entry for entry in self.joint_compliances if entry[0] in self.loop_names)

    @cached_property
    def loop_names(self) -> tuple[str, ...]:
        """Names of the loops' joints."""
        return tuple(loop.name for loop in self.loops)

    @cached_property
    def closed_joint_names(self) -> tuple[str, ...]:
        """Names of all joints, those of the tree, then those of the loops."""
        return (*self.joint_names, *self.loop_names)

    @cached_property
    def closing_names(self) -> tuple[str, ...]:
        """Names of loops and couplings."""
        return (*self.loop_names, *(coupling.name for coupling in self.couplings))

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, base first, then each joint's child in the order of the joints."""
        return tuple(link.name for link in self.links)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, fixed ones too."""
        return tuple(joint.name for joint in self.joints)

    @property
    def base(self) -> Link:
        """The link without a parent; of a rover, the `lp.WheeledBase` whose body that is."""
        return self.links[0] if self.wheeled_base is None else self.wheeled_base  # type: ignore[return-value]

    @cached_property
    def n(self) -> int:
        """Number of degrees of freedom: entries of qd, qdd, tau (mimicking joints have none of their own)."""
        return sum(joint.motion.dof for joint in self.joints if joint.mimic is None)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates: entries of q; more than n only where there are quaternions."""
        return sum(joint.motion.coordinates for joint in self.joints if joint.mimic is None)

    @cached_property
    def q_slices(self) -> Mapping[str, slice]:
        """For each moving joint, where its coordinates stand in q (a mimicking joint: those it follows)."""
        return self._slices(coordinates=True)

    @cached_property
    def quaternion_starts(self) -> Mapping[str, int]:
        """For each joint with a quaternion, where its x, y, z, w begin in q.

        >>> import loadpath as lp
        >>> lp.catalog.panda().floating().quaternion_starts
        {'floating_base': 3}
        """
        motions = {joint.name: joint.motion for joint in self.joints if joint.name in self.q_slices}
        turned = [name for name, motion in motions.items() if motion.coordinates > motion.dof]
        return {name: self.q_slices[name].stop - 4 for name in turned}

    @cached_property
    def v_slices(self) -> Mapping[str, slice]:
        """For each moving joint, where its speeds stand in qd, qdd and tau."""
        return self._slices(coordinates=False)

    def _slices(self, coordinates: bool) -> Mapping[str, slice]:
        slices: dict[str, slice] = {}
        start = 0
        for joint in self.joints:
            if joint.mimic is None and joint.motion.dof:
                stop = start + (joint.motion.coordinates if coordinates else joint.motion.dof)
                slices[joint.name] = slice(start, stop)
                start = stop
        for follower, followed in followed_joints(self.joints).items():
            slices[follower] = slices[followed]
        return slices

    def mimic_of(self, joint: Joint) -> Mimic:
        """Which independent joint a mimicking joint follows in the end, and how (mimics of mimics multiplied out).

        >>> import loadpath as lp
        >>> panda = lp.catalog.panda(hand=True)
        >>> panda.mimic_of(panda.joint("panda_finger_joint2")).joint
        'panda_finger_joint1'
        """
        multiplier, offset = 1.0, 0.0
        while joint.mimic is not None:
            offset += multiplier * joint.mimic.offset
            multiplier *= joint.mimic.multiplier
            joint = self.joint(joint.mimic.joint)
        return Mimic(joint.name, multiplier, offset)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """A name for each entry of qd, qdd and tau: the joint's, with a suffix where it has several."""
        return tuple(
            f"{joint.name}.{label}" if label else joint.name
            for joint in self.joints
            if joint.mimic is None
            for label in joint.motion.labels
            if joint.motion.dof
        )

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each entry of q: those of `dof_names`, but for joints with a quaternion the position's x, y, z and
        the quaternion's qx, qy, qz, qw.
        """
        return tuple(
            f"{joint.name}.{label}" if label else joint.name
            for joint in self.joints
            if joint.mimic is None and joint.motion.dof
            for label in joint.motion.coordinate_labels
        )

    def link(self, name: str) -> Link:
        """The link of that name.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).link("link1").inertia.mass
        1.0
        """
        found = self._links_by_name.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        raise ValueError(f"robot '{self.name}' has no link '{name}'{nearest(name, self.link_names)}")

    def joint(self, name: str) -> Joint:
        """The joint of that name.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).joint("joint2").parent
        'link1'
        """
        found = self._joints_by_name.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        raise ValueError(f"robot '{self.name}' has no joint '{name}'{nearest(name, self.joint_names)}")

    @cached_property
    def _links_by_name(self) -> Mapping[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def _joints_by_name(self) -> Mapping[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def neutral(self) -> NDArray[np.float64]:
        """Coordinates of the unmoved robot: zeros, and unit quaternions.

        >>> import loadpath as lp
        >>> lp.catalog.planar(2).neutral().tolist()
        [0.0, 0.0]
        """
        return np.array([x for j in self.joints if j.mimic is None for x in j.motion.neutral()], dtype=float)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of all that counts in the dynamics; equal robots have equal ones."""
        content = repr((self.links, self.joints, self.gravity))
        if self.held_by_loops:
            content += repr((self.loops, self.couplings, self.drives, self.near))
        if self.on_wheels:
            content += repr((self.wheeled_base, self.ground))
        return hashlib.sha256(content.encode()).hexdigest()

    @property
    def defined_by(self) -> tuple[object, ...]:
        """All data that the equations depend on: robots with equal data share compiled code."""
        # Of motors and gears only what joints have fields for enters equations.
        joints = tuple(
            replace(joint, drives=(), from_parts=()) if any(joint.drives) else joint for joint in self.joints
        )
        links = tuple(replace(link, shapes=()) if link.shapes else link for link in self.links)
        return links, joints, self.gravity, *self._attached

    @property
    def _attached(self) -> tuple[object, ...]:
        elastic = self.beams, self.joint_compliances, self.guides
        ground = None if self.ground is None else self.ground.plane
        return self.loops, self.couplings, self.drives, self.near, *elastic, self.wheeled_base, ground

    @property
    def drive_trains(self) -> tuple[tuple[str, Drive], ...]:
        """The drive train of every degree of freedom that has one, by its name: what `with_drives` gave, and the gear
        ratio, rotor, friction and springs that the joint has from elsewhere. Degrees of freedom without gear, rotor and
        motor are not listed.

        >>> import loadpath as lp
        >>> name, drive = lp.catalog.puma560().drive_trains[0]
        >>> name, drive.ratio, drive.rotor_inertia
        ('joint1', -62.6111, 0.0002)
        """
        found = []
        for joint in self.joints:
            if joint.mimic is None:
                for k, label in enumerate(joint.motion.labels[: joint.motion.dof]):
                    drive = drive_train(joint, k)
                    if drive is not None:
                        found.append((f"{joint.name}.{label}" if label else joint.name, drive))
        return tuple(found)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """What the letters in signatures of compiled quantities stand for: see `loadpath.engine.quantity`."""
        joints, links = len(self.joints), len(self.links)
        of_speeds = {"q": self.nq, "n": self.n, "x": self.nq + self.n, "d": 3 * self.n}
        wheels = {} if self.wheeled_base is None else {"c": len(self.wheeled_base.wheels)}
        return {**of_speeds, "j": joints, "l": links, "p": 10 * links, **wheels}

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Of the values, not of the digest: 0.0 and -0.0 are equal but not written alike.
        return hash((self.name, self.links, self.joints, self.gravity, *self._attached))

    def __getstate__(self) -> dict[str, object]:
        # Only what defines it: everything cached is made again where it arrives.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        for key, value in state.items():
            object.__setattr__(self, key, value)


_ROWS: Mapping[str, tuple[type, str]] = {
    "links": (Link, "Link('base')"),
    "joints": (Joint, "Joint('joint1', 'base', 'link1', Revolute())"),
    "loops": (Loop, "Loop('pin', 'base', 'link3')"),
    "couplings": (Coupling, "Coupling('gear', {'joint1': 1.0, 'joint2': -2.0})"),
    "drives": (str, "'joint1'"),
    "near": (object, "0.0"),
    "beams": (tuple, "('link1', Beam(...))"),
    "joint_compliances": (tuple, "('joint1', JointCompliance(...))"),
    "guides": (tuple, "('joint1', Guide(...))"),
    "ratings": (tuple, "('wheel1', WheelRating(...))"),
}


def _row_of(robot: str, what: str, given: object, kind: type, example: str) -> tuple[Any, ...]:
    """A row of links, joints, loops, ... as a tuple; an error for what is none."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise ModelError(f"robot '{robot}': {what} are {given!r}, expected several, like [{example}]")
    entries = tuple(tuple(entry) if kind is tuple and isinstance(entry, list) else entry for entry in given)
    for number_, entry in enumerate(entries):
        if not isinstance(entry, kind) or (isinstance(entry, tuple) and kind is tuple and len(entry) != 2):
            raise ModelError(f"robot '{robot}': {what}[{number_}] is {entry!r}, expected a "
                             f"{'pair' if kind is tuple else kind.__name__} like {example}")
    return entries
