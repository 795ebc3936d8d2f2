"""`inverse_kinematics` of closed robots: loops closed and a link at its pose, both at once."""

from __future__ import annotations

from loadpath.kinematics.closed.assembly import RESTARTS, Assembly, assemble
from loadpath.quantities.closed import ClosedQuantities
from loadpath.robot.ends import link_or_only_end
from loadpath.scalars.types import ArrayLike


def inverse_kinematics(
    robot: ClosedQuantities,
    pose: ArrayLike,
    link: str | None = None,
    q0: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    path: bool | None = None,
    limits: bool = True,
    strict: bool = False,
    restarts: int = RESTARTS,
    seed: int = 0,
) -> Assembly:
    """Closed configurations that bring a link to poses (..., 4, 4) in the world: `assemble` with that pose.

    `q0` is where the search begins, `robot.home` unless given; `weights` (6) of the errors along and about the world's
    x, y and z: `(1, 1, 1, 0, 0, 0)` for positions only, as a platform needs that has fewer freedoms than a pose.

    >>> import loadpath as lp
    >>> robot = lp.catalog.delta()
    >>> place = robot.link_poses(robot.home)[robot.link_names.index("platform")]
    >>> place[2, 3] -= 0.02
    >>> answer = robot.inverse_kinematics(place, "platform")
    >>> bool(answer.reached), bool(answer.error < 1e-12)
    (True, True)
    """
    name = link_or_only_end(robot, link)
    given = None if weights is None else {name: weights}
    return assemble(
        robot,
        None,
        q0,
        poses={name: pose},
        weights=given,
        path=path,
        limits=limits,
        strict=strict,
        restarts=restarts,
        seed=seed,
    )
