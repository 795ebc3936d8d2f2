"""`rover.fastest(path, limits=...)`: of an arm on a rover that stands, and of a rover that rolls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Never

import numpy as np

from loadpath.errors import ModelError
from loadpath.fastest.asked import Given
from loadpath.fastest.limits import Limits
from loadpath.fastest.path import Path, refuse_quaternions, with_timing
from loadpath.fastest.result import Fastest
from loadpath.fastest.run import within
from loadpath.mobile.fastest.contacts import rolling, standing
from loadpath.mobile.fastest.limits import KINDS, limits_of_contacts, shares_of
from loadpath.mobile.fastest.planar import PLANE
from loadpath.motion.motion import Motion
from loadpath.scalars.types import ArrayLike
from loadpath.states import MotionLike, refuse_keywords
from loadpath.states.keywords import MOVES_BY

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

OF_JOINTS = ("torque", "speed", "acceleration", "torque_rate", "jerk")
"""What one number limits at the joints of the arms alone, not at the base."""
NO_LOADS = {
    **MOVES_BY,
    "external": "it is without wrenches on links: rover.stability and slip of its states, external=..., judge it under "
                "them, and limits of margin and slip leave room",
    "base": "a path in the coordinates of rover.planar moves the base: x, y and heading before those of the arms",
}
"""Why the fastest motion does not take loads, and what to do."""
End = float | Literal["rest", "any"]


def fastest(
    rover: Rover,
    path: Path | MotionLike | ArrayLike,
    limits: Given | None = None,
    *,
    factor: float | Mapping[str, float] = 1.0,
    start: End = "rest",
    end: End = "rest",
    also: Sequence[Rover] = (),
    intervals: int | None = None,
    heading: float = 0.0,
    **others: Never,
) -> Fastest:
    """`Robot.fastest` of a rover: its arms move while it stands with a `heading` (rad), or it rolls as well.

    A path in the coordinates of the arms is one while the base stands. One in those of `rover.planar`, x and y of the
    base in the frame of the ground and its heading before those of the arms, is one on which it rolls, on a course on
    which its wheels keep their angles: straight, on one circle, on the spot. The result is that of the robot so meant;
    `rover.from_planar(q, qd, qdd)` makes its states those of the rover.

    Beside the limits of robots there are, by contacts or one number for all: `"normal"`, the least normal force (N);
    `"wheel_load"`, the largest; `"wheel_torque"` of driven wheels (N m); `"margin"`, the least distance (m) of the
    zero-moment point from an edge of the support polygon; `"slip"`, the largest share of its friction that a contact
    uses. Without a word no edge is tipped over (margin 0), no contact of known friction slips (slip 1), contacts
    with a rating carry no more than it, and drives of wheels (`lp.WheelDrive`) give no more torque, speed and power
    than they have (`"wheel_drives": False` leaves them out).

    >>> import loadpath as lp
    >>> rover = lp.catalog.lau_rover(driven=True)
    >>> points = [[0, 0, 0.5], [1, 0, 0.5]]
    >>> quick = rover.fastest(points, {"torque": 200.0, "speed": 20.0, "margin": False, "slip": False})
    >>> safe = rover.fastest(points, {"torque": 200.0, "speed": 20.0, "margin": 0.05})
    >>> safe.duration > quick.duration, bool(rover.stability(*safe.sampled(9)).margin.min() > 0.05 - 1e-6)
    (True, True)
    """
    refuse_keywords("fastest", others, NO_LOADS)
    given: dict[str, Any] = dict(limits or {})
    for other in also:
        if other.contact_names != rover.contact_names:
            raise ModelError(f"fastest: rover '{other.name}' of 'also' has other contacts than '{rover.name}'")
    for each in (rover, *also):
        _refuse(each)
    way = _way(rover, with_timing(rover, path))
    rolls = isinstance(way, Path) and way.n == rover.n + PLANE and not rover.closing_names
    more: list[Limits] = []
    robots = []
    for k, each in enumerate((rover, *also)):
        robot = each.planar if rolls else each.facing(heading)
        robots.append(robot)
        suffix = f" ({k + 1})" if also else ""
        contacts = rolling(each, robot, way) if rolls and isinstance(way, Path) else standing(each, robot)
        more += limits_of_contacts(each, contacts, given, shares_of(factor), suffix)
    own = {kind: value for kind, value in given.items() if kind not in KINDS}
    if rolls:
        own |= {kind: _of_arms(rover, own[kind], kind) for kind in OF_JOINTS if kind in own}
    if isinstance(factor, Mapping):
        factor = {kind: value for kind, value in factor.items() if kind not in KINDS}
    return within(robots[0], way, own, factor=factor, start=start, end=end,
                  also=robots[1:], intervals=intervals, more=more)


def _way(rover: Rover, path: Path | Motion | ArrayLike) -> Path | Motion | ArrayLike:
    """The path, whose coordinates are those of the arms or of the base as well; of closed arms as it is."""
    if not rover.closing_names:
        refuse_quaternions(rover.robot)
        way = Path.of(path)
        if way.n not in (rover.n, rover.n + PLANE):
            raise ValueError(f"the path has {way.n} coordinates, and rover '{rover.name}' stands with {rover.n}, "
                             f"{', '.join(rover.dof_names)}, and rolls with {rover.n + PLANE}, x, y and heading before "
                             "them")
        return way
    width = (path.n,) if isinstance(path, Path) else np.shape(path.q if isinstance(path, Motion) else path)[-1:]
    stands = rover.mobility, rover.nq
    if width in [(n + PLANE,) for n in stands] and width not in [(n,) for n in stands]:
        raise ModelError(f"fastest: rover '{rover.name}' rolls on this path, and its robots are closed by "
                         f"{', '.join(rover.closing_names)}: of both there is the fastest motion while it stands")
    return path


def _of_arms(rover: Rover, given: Any, kind: str) -> Any:
    """Numbers for the joints of the arms, by their names."""
    if given is None or isinstance(given, (bool, Mapping)):
        return given
    values = np.broadcast_to(np.asarray(given, dtype=float), (rover.n,)) if np.size(given) in (1, rover.n) else None
    if values is None:
        raise ValueError(f"{kind} limits have the shape {np.shape(given)}: expected one number or {rover.n}, of the "
                         "joints of the arms, or a dict by name")
    return dict(zip(rover.dof_names, values.tolist(), strict=True))


def _refuse(rover: Rover) -> None:
    """What has no fixed shares of its contacts."""
    why = None
    if rover.base.on_links:
        why = "wheels on links, which lift and turn with passive joints"
    elif rover.ground.plane is not rover.ground or rover.ground.motion is not None:
        why = "ground that is uneven or moves"
    elif not rover.base.on_plain_springs:
        why = "wheels on springs that are not in proportion"
    if why is not None:
        raise ModelError(f"fastest: rover '{rover.name}' has {why}, and how contacts share loads is not linear then: "
                         "rover.on_fixed_base.fastest(...) is that of its robots on a base at rest, and "
                         "rover.stability, slip and wheel_loads judge the motion")
