"""What a reader of robot files returns and a writer takes, whatever the format."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadpath.errors import ModelError
from loadpath.robot.estimated import Density, with_estimated_inertia
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.model import RobotModel


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
