"""What is examined: a robot, or what can be read of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loadpath.cached import cached_property
from loadpath.doctor.measured import Measured, measured
from loadpath.files.xml_reading import XmlElement
from loadpath.robot.edit import placed_at
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Link
from loadpath.robot.pose import Pose


@dataclass(frozen=True, eq=False)
class Patient:
    """The parts of a robot that can be read. `robot` is there if they make a tree."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
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
