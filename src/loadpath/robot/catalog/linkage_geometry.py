"""What the makers of closed chains share: poses in a plane, coordinates by name, sizes that are positive."""

from __future__ import annotations

from collections.abc import Mapping

from loadpath.errors import ModelError
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.robot.pose import Pose

# Axes of what moves in a vertical plane: x along the parent's, the joint axis z to the viewer (the parent's -y).
UPRIGHT: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))


def in_plane(x: float, y: float, z: float = 0.0) -> Pose:
    """A joint at (x, y) of a link whose z is the joint axis."""
    return Pose(translation=(x, y, z))


def upright(x: float, z: float, y: float = 0.0) -> Pose:
    """A joint of the vertical plane, at x and at the height z of a link whose z is up."""
    return Pose(UPRIGHT, (x, y, z))  # type: ignore[arg-type]


def coordinates(tree: RobotModel, places: Mapping[str, float | tuple[float, ...]]) -> tuple[float, ...]:
    """Coordinates of the tree from those of its joints, by name; the others as they are unmoved."""
    q = tree.neutral()
    for name, place in places.items():
        q[tree.q_slices[name]] = place
    return tuple(q.tolist())


def positive(**sizes: float) -> list[float]:
    """Numbers more than zero; an error names the one that is not."""
    found = []
    for what, value in sizes.items():
        found.append(number(value, what.replace("_", " ")))
        if found[-1] <= 0:
            raise ModelError(f"{what.replace('_', ' ')} is {found[-1]}: expected more than zero")
    return found
