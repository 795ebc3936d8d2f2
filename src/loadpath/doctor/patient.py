"""What is examined: a robot, or what can be read of its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.files.xml_reading import XmlElement
from loadpath.robot.edit import placed_at
from loadpath.robot.estimated import shapes_for
from loadpath.robot.inertia import Inertia
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose
from loadpath.robot.shapes import PURPOSES, LinkShape
from loadpath.robot.solids import Solid
from loadpath.scalars.types import Floats

# How large the shapes of a link are: the box around all of them, and the volume of those that are to be touched and of
# those to be seen.


@dataclass(frozen=True, eq=False)
class Filled:
    """Shapes filled with 1 kg/m^3, in the frame of the link; what bounds no volume counts as its convex hull, and a
    flat sheet as nothing.
    """

    body: Inertia
    closed: bool
    """Whether all of them bound a volume."""

    @property
    def volume(self) -> float:
        """m^3."""
        return self.body.mass


@dataclass(frozen=True, eq=False)
class Measured:
    """The shapes of a link, in its frame."""

    lower: Floats
    upper: Floats
    """Corners of the box around all shapes (m)."""
    filled: tuple[Filled, ...]
    """The shapes to be touched, and those to be seen, where they have a volume."""

    @property
    def size(self) -> float:
        """The diagonal of the box (m)."""
        return float(np.linalg.norm(self.upper - self.lower))

    @property
    def uniform(self) -> float:
        """Trace of the inertia tensor of a uniform body of the shapes, for each kg (m^2); 0 where it is not known."""
        if not self.filled:
            return 0.0
        first = self.filled[0]
        return float(np.trace(np.array(first.body.tensor))) / first.volume


def measured(link: Link) -> Measured | None:
    """None if there are no shapes, or one cannot be read."""
    if not link.shapes:
        return None
    try:
        bounds = [shape.triangles().bounds for shape in link.shapes]
    except (ModelError, ImportError):
        return None
    groups = [shapes_for(link, purpose, or_others=False) for purpose in reversed(PURPOSES)]
    filled = [_filled(shapes) for shapes in groups if shapes]
    lowers, uppers = zip(*bounds, strict=True)
    return Measured(np.min(lowers, axis=0), np.max(uppers, axis=0), tuple(one for one in filled if one.volume))


def _filled(shapes: Iterable[LinkShape]) -> Filled:
    body, closed = Inertia(), True
    for shape in shapes:
        solid, whole = _solid(shape)
        closed &= whole
        if solid is not None:
            body += Inertia.of_solid(solid, shape.kind, None, 1.0, shape.pose)
    return Filled(body, closed)


def _solid(shape: LinkShape) -> tuple[Solid | None, bool]:
    """What a shape bounds, or its hull, and which of the two it is."""
    try:
        return shape.solid("refuse"), True
    except ModelError:
        pass
    try:
        return shape.surface().hull.solid, False
    except ModelError:
        return None, False


@dataclass(frozen=True, eq=False)
class Patient:
    """The parts of a robot that can be read. `robot` is there if they make a tree."""

    name: str
    links: Sequence[Link]
    joints: Sequence[Joint]
    robot: RobotModel | None = None
    root: XmlElement | None = None
    """The XML of a URDF."""
    refusals: tuple[str, ...] = ()
    """Why the file is refused, a sentence each."""
    remarks: tuple[str, ...] = ()
    """What the reader of the file warned of, other than the model's own warnings."""
    left_out: tuple[str, ...] = ()
    """What of the file is not read, as it changes no motion."""
    density: float | None = None
    """kg/m^3, of links whose inertia is to be estimated."""
    with_meshes: bool = True
    """Whether meshes are read."""
    _measured: dict[str, Measured | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def link_by_name(self) -> Mapping[str, Link]:
        return {link.name: link for link in self.links}

    @cached_property
    def moved(self) -> frozenset[str]:
        """Links that some joint moves."""
        moving: set[str] = set()
        waiting = [joint for joint in self.joints if joint.motion.dof]
        below: dict[str, list[Joint]] = {}
        for joint in self.joints:
            below.setdefault(joint.parent, []).append(joint)
        while waiting:
            joint = waiting.pop()
            if joint.child not in moving:
                moving.add(joint.child)
                waiting += below.get(joint.child, [])
        return frozenset(moving)

    @cached_property
    def mass(self) -> float:
        """Of all links (kg)."""
        return sum(link.inertia.mass for link in self.links)

    def measured(self, link: Link) -> Measured | None:
        """Size and volume of the shapes of a link, if they can be read."""
        if link.name not in self._measured:
            self._measured[link.name] = measured(link) if self.with_meshes else None
        return self._measured[link.name]

    @cached_property
    def poses(self) -> Mapping[str, Pose]:
        """Poses of the links of the unmoved robot, in the frame of its base; empty where it is no tree."""
        if self.robot is None:
            return {}
        found = {self.robot.base.name: Pose()}
        for joint in self.robot.joints:
            moved = placed_at(joint, tuple(float(x) for x in joint.motion.neutral()))
            found[joint.child] = found[joint.parent] @ joint.origin @ moved @ joint.link_offset
        return found

    def elements(self, *tags: str) -> Iterator[XmlElement]:
        """The elements of a URDF right inside `<robot>` with these tags."""
        if self.root is not None:
            yield from (child for child in self.root.children if child.tag in tags)
