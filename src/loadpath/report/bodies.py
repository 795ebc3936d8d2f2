"""The bodies of the robot in its picture, as the page's script takes them: surfaces, the link that each moves with, and
how much of its limit the drive gives that moves it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.drawing.coarse import coarse
from loadpath.drawing.surfaces import Surface, bodies_of, ends_of_carrier, sliding
from loadpath.loads.resultants import effort_limits
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import Floats

MOST_TRIANGLES = 16_000
"""Of one picture: a tenth of a megabyte."""
FINEST = 65_535
"""Steps of a coordinate along its surface."""


def sent_bodies(
    robot: ClosableRobot, size: float, on_base: Sequence[Surface] = (), shapes: bool = True
) -> list[dict[str, Any]]:
    """The surfaces of a robot, and more that move with its base, with as many digits as a picture shows.

    `link` is the number of the link that a surface moves with, `drive` that of the freedom that moves this link and
    `limit` its largest effort, where there is one.

    >>> import loadpath as lp
    >>> [(body["link"], body["drive"]) for body in sent_bodies(lp.catalog.planar(1), 1.0)]
    [(1, 0), (1, 0)]
    """
    bodies, _ = bodies_of(robot, size, shapes, bolted=not on_base)
    of_link = [(link, surface) for link, surfaces in bodies.items() for surface in surfaces if len(surface.triangles)]
    of_link += [(robot.base.name, surface) for surface in on_base]
    surfaces = coarse([surface for _, surface in of_link], MOST_TRIANGLES)
    drives, limits = drives_of_links(robot), effort_limits(robot)
    found = []
    for (link, _), surface in zip(of_link, surfaces, strict=True):
        if len(surface.triangles):
            drive = drives[link]
            limit = float(limits[drive]) if drive >= 0 else np.inf
            found.append({"link": robot.link_names.index(link), "drive": drive,
                          "limit": limit if 0 < limit < np.inf else None, **_packed(surface)})
    return found


def sent_rods(robot: RobotModel) -> list[dict[str, Any]]:
    """Of joints that slide: the links on both sides, and where on each the rod between them ends. Shapes of a robot
    have rods of their own.

    >>> import loadpath as lp
    >>> sent_rods(lp.catalog.lau_arm())[0]["links"]
    [2, 3]
    """
    if any(link.shapes for link in robot.links):
        return []
    place = {name: k for k, name in enumerate(robot.link_names)}
    ends = [ends_of_carrier(carrier) for carrier in sliding(robot)]
    return [{"links": [place[end.first], place[end.second]], "ends": [end.at.p.tolist(), end.on.p.tolist()]}
            for end in ends]


def drives_of_links(robot: RobotModel) -> dict[str, int]:
    """The number of the last freedom that moves each link; -1 of links that nothing moves."""
    found = {robot.base.name: -1}
    for joint in robot.joints:  # parents first
        driven = joint.motion.dof and joint.mimic is None
        found[joint.child] = robot.v_slices[joint.name].stop - 1 if driven else found.get(joint.parent, -1)
    return found


def _packed(surface: Surface) -> dict[str, Any]:
    low = surface.points.min(axis=0)
    step = np.maximum(np.ptp(surface.points, axis=0), 1e-12) / FINEST
    places = np.round((surface.points - low) / step).astype("<u2")
    kind = "<u2" if len(surface.points) <= FINEST else "<u4"
    return {
        "low": low, "step": [float(part) for part in step], "wide": kind == "<u4", "color": list(surface.color),
        "opacity": surface.opacity, "points": _text(places), "triangles": _text(surface.triangles.astype(kind)),
    }


def sent_frames(frames: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Instants as the page's script takes them: numbers of all of them together, in single precision; `frameAt` of
    templates/page/robot.js gives one.

    >>> sent = sent_frames([{"points": np.zeros((2, 3)), "ground": None}] * 4)
    >>> sent["count"], sent["numbers"]["points"]["shape"], sent["rest"]["ground"]
    (4, [2, 3], [None, None, None, None])
    """
    numbers, rest = {}, {}
    for key in frames[0]:
        column = [frame[key] for frame in frames]
        if key == "shares":
            column = [np.array([np.nan if share is None else share for share in shares]) for shares in column]
        if isinstance(column[0], np.ndarray):
            numbers[key] = {"shape": list(column[0].shape), "values": _text(np.stack(column).astype("<f4"))}
        else:
            rest[key] = column
    return {"count": len(frames), "numbers": numbers, "rest": rest}


def _text(numbers: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode()


def shares_of_bodies(bodies: list[dict[str, Any]], tau: Floats) -> list[list[float | None]]:
    """For every instant, (instants, n) efforts, what each body's drive gives of its limit; none where it has none."""
    return [[None if body["limit"] is None else round(float(abs(row[body["drive"]])) / body["limit"], 4)
             for body in bodies] for row in tau]
