"""What every reader of robot files returns and every writer gives, whatever the format, and how readers report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadpath.errors import ModelError, warn
from loadpath.printable import printable
from loadpath.robot.estimated import Density, with_estimated_inertia
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Link
from loadpath.robot.shapes import MeshShape


@dataclass(frozen=True)
class ReadRobot:
    """What a file says of a robot: the tree, and what closes it."""

    tree: RobotModel
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: tuple[str, ...] = ()
    """Speeds that drive a robot with loops; none: chosen by rule."""
    near: tuple[float, ...] = ()
    """Coordinates near a closed configuration of a robot with loops; none: the unmoved robot."""
    notes: tuple[str, ...] = ()
    """What of the file is left out and changes no motion: contacts, controllers, sensors."""
    forgotten: tuple[tuple[str, str], ...] = ()
    """Moving links that have a shape and no inertia, each with a sentence that refuses the robot."""

    def whole(self) -> ReadRobot:
        """The same, or an error if an inertia was forgotten."""
        for _, sentence in self.forgotten:
            raise ModelError(f"{sentence}; lp.load(path, estimate_inertia=density) estimates them from its shape")
        return self

    def estimated(self, density: Density) -> ReadRobot:
        """With inertias from shapes, of that density (kg/m^3), where there are none."""
        tree = with_estimated_inertia(self.tree, density)
        left = tuple((link, sentence) for link, sentence in self.forgotten if not tree.link(link).inertia.mass)
        return replace(self, tree=tree, forgotten=left)

    @classmethod
    def of(cls, robot: RobotModel) -> ReadRobot:
        """A robot as a reader would return it, for those who write it: a tree, or a robot with loops (`lp.ClosedRobot`)
        apart into its tree and what closes it.

        >>> import loadpath as lp
        >>> [loop.name for loop in ReadRobot.of(lp.catalog.four_bar()).loops], ReadRobot.of(lp.catalog.planar(2)).loops
        (['rocker_pin'], ())
        """
        closing = {part: getattr(robot, part) for part in ("loops", "couplings", "drives", "near")}
        return cls(robot, **closing)


# What a writer of robot files returns, whatever the format: the text, and what of the robot the format cannot say; and
# how it names meshes.


@dataclass(frozen=True)
class Written:
    """A robot as text, and a sentence for each thing that the format has no word for.

    >>> Written("<robot name='arm'/>", ("gravity (0, 0, 0): URDF has no word for it",)).lost
    ('gravity (0, 0, 0): URDF has no word for it',)
    """

    text: str
    lost: tuple[str, ...] = ()


def lost_everywhere(robot: RobotModel) -> list[str]:
    """What no robot file has a word for: beams, guides and compliances, fitted parts, and the data sheets of motors.

    >>> import loadpath as lp
    >>> beams = {"link1": lp.Beam(lp.Tube(0.04, 0.003), lp.STEEL, "joint2")}
    >>> lost_everywhere(lp.catalog.two_link().with_beams(beams))
    ["beams of 'link1': no robot file has a word for them"]
    """
    found = [
        f"{what} of {named(name for name, _ in given)}: no robot file has a word for them"
        for what, given in (
            ("beams", robot.beams),
            ("guides", robot.guides),
            ("joint compliances", robot.joint_compliances),
            ("parts", robot.parts),
        )
        if given
    ]
    driven = [joint.name for joint in robot.joints if any(drive is not None and drive.motor_side != type(drive)()
                                                          for drive in joint.drives)]
    if driven:
        found.append(f"motor data of {named(driven)} (efficiency, brake, torque constant, resistance, no-load torque): "
                     "no robot file has a word for them")
    return found


def named(names: Iterable[str], most: int = 4) -> str:
    """Some names for a sentence, each once: 'a', 'b' and 3 more.

    >>> named(["a", "b", "a"]), named("abcdef")
    ("'a', 'b'", "'a', 'b', 'c', 'd' and 2 more")
    """
    each = [f"'{name}'" for name in dict.fromkeys(names)]
    more = f" and {len(each) - most} more" if len(each) > most else ""
    return ", ".join(each[:most]) + more


_SCHEME = re.compile(r"[a-z]+://", re.IGNORECASE)


def mesh_name(shape: MeshShape) -> str:
    """How to name a mesh in a file: as its source names it, but a path from the folder of that file as a whole path, if
    the mesh is there.

    >>> mesh_name(MeshShape("/a/b.stl", uri="package://a/b.stl")), mesh_name(MeshShape("b.stl"))
    ('package://a/b.stl', 'b.stl')
    """
    if shape.uri and (_SCHEME.match(shape.uri) or shape.content is not None or not Path(shape.file).is_absolute()):
        return shape.uri
    return shape.file


def not_written(shape: MeshShape, link: Link) -> list[str]:
    """What is to be said of a mesh whose file is not beside the one that is written."""
    if shape.content is None:
        return []
    return [f"mesh '{shape.file}' of link '{link.name}' came in an archive: it is named, and not written"]


# What a reader of robot files has found questionable: one warning for the file, or one error. Shapes that cannot be
# read are left out, with one warning: no equation depends on them.


def report(source: str, found: list[str], strict: bool) -> None:
    """One warning for the file, or one error, with everything suspicious in it.

    >>> report("arm.urdf", ["link 'arm': negative mass"], strict=True)
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.urdf: link 'arm': negative mass
    """
    if not found:
        return
    found = [printable(sentence) for sentence in found]
    listed = found[0] if len(found) == 1 else "".join(f"\n  {sentence}" for sentence in found)
    if strict:
        raise ModelError(f"{source}: {listed}")
    warn(f"{source}: {listed}")


@dataclass
class Undrawn:
    """What of a file's shapes was left out, each sentence once."""

    source: str
    left_out: list[str] = field(default_factory=list)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """What is wrong inside is noted, and nothing more."""
        try:
            yield
        except ModelError as problem:
            said = printable(str(problem).removeprefix(f"{self.source}, "))
            if said not in self.left_out:
                self.left_out.append(said)

    def report(self) -> None:
        """One warning with what was left out, if anything was."""
        if self.left_out:
            more = f"; and {len(self.left_out) - 1} more" if len(self.left_out) > 1 else ""
            warn(f"{self.source}: the robot is drawn without what cannot be read: {self.left_out[0]}{more}; motion and "
                 "loads do not depend on it")
