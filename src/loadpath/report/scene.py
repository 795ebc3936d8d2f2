"""A robot at several instants as the page's script draws it: one picture for reports and recordings.

Sent are surfaces once, and for every instant where each is, points and vectors; arrows and their heads are drawn by the
page's script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.drawing.skeleton import plane_of
from loadpath.drawing.surfaces import Surface, ends_of_carrier
from loadpath.plotting import label
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.report.blocks import number
from loadpath.report.bodies import FINEST, sent_bodies, sent_rods, shares_of_bodies
from loadpath.robot.loops import Loop
from loadpath.scalars.types import Floats

MOST_NAMES = 12
"""Joints whose names stand in the picture: those that carry most. The pointer shows the others."""
LONGEST = 0.25
"""Length of the longest arrow, of the robot's size."""
UNITS = {"force": "N", "torque": "N m"}


class Instants(NamedTuple):
    """What is known of a robot at some instants, (instants, ...)."""

    poses: Floats
    """(..., links, 4, 4), in the world."""
    wrenches: Floats
    """(..., joints and loops, 6): on the second link, in the joint's frame there."""
    tau: Floats
    """(..., n)."""

    def skeleton(self, robot: ClosableRobot) -> Floats:
        """(instants, points, 3): origins of joints and links in the world."""
        place = {name: k for k, name in enumerate(robot.link_names)}
        points = [self.poses[:, :, :3, 3]]
        for carrier in carriers(robot):
            ends = ends_of_carrier(carrier)
            points.append((self.poses[:, place[ends.second]] @ ends.on.matrix)[:, None, :3, 3])
        return np.concatenate(points, axis=1)

    def frames(self, robot: ClosableRobot) -> Floats:
        """(instants, joints and loops, 4, 4)."""
        place = {name: k for k, name in enumerate(robot.link_names)}
        ends = [ends_of_carrier(carrier) for carrier in carriers(robot)]
        found = [self.poses[:, place[end.second]] @ end.on.matrix for end in ends]
        return np.stack(found, axis=1) if found else np.zeros((len(self.poses), 0, 4, 4))


class Scene(NamedTuple):
    """The trace of a robot, and all points that are to be in view."""

    trace: dict[str, Any]
    reach: Floats
    """(points, 3)."""
    size: float


def size_of(points: Floats) -> float:
    """The largest extent (m)."""
    known = points.reshape(-1, 3)
    return float(np.ptp(known[np.isfinite(known).all(axis=1)], axis=0).max(initial=0.0)) or 1.0


def scene_of(
    robot: ClosableRobot, at: Instants, shown: Sequence[str], size: float, *, on_base: Sequence[Surface] = (),
    start: int = 0, by_cause: Mapping[str, Floats] | None = None, shapes: bool = True,
) -> Scene:
    """The trace of a robot at some instants. `shown` are the joints and loops that have arrows, `on_base` are surfaces
    that move with its base, `by_cause` parts of the wrenches, each as those of `at`; without `shapes` links are drawn
    from the kinematics.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1)
    >>> at = Instants(arm.link_poses([[0.0]]), np.zeros((1, 2, 6)), np.zeros((1, 1)))
    >>> scene_of(arm, at, ["joint1"], 1.0).trace["frames"][0]["points"].tolist()
    [[0.0, 0.0, 0.0]]
    """
    every = carriers(robot)
    chosen = [k for k, carrier in enumerate(every) if carrier.name in shown]
    frames = at.frames(robot)[:, chosen]
    points = frames[..., :3, 3]

    def in_world(wrenches: Floats, part: slice) -> Floats:
        return np.asarray(np.einsum("skij,skj->ski", frames[..., :3, :3], wrenches[:, chosen, part]))

    halves = {"force": slice(0, 3), "torque": slice(3, 6)}
    vectors = {word: in_world(at.wrenches, part) for word, part in halves.items()}
    arrows = {word: _scaled(word, vectors[word], size) for word in halves}
    bodies, rods = sent_bodies(robot, size, on_base, shapes), sent_rods(robot)
    of_bodies = at.poses[:, [body["link"] for body in bodies], :3].reshape(len(at.poses), -1, 12)
    shares = shares_of_bodies(bodies, at.tau)
    moves = [every[k].motion.dof > 0 for k in chosen]
    trace: dict[str, Any] = {
        "type": "robot", "names": [label(every[k].name) for k in chosen], "moves": moves,
        "closes": [isinstance(every[k], Loop) for k in chosen], "carries": is_closed(robot),
        "named": _named(vectors, start, moves), "arrows": arrows, "size": size, "numbers": chosen,
        "payload": _payload(robot, at.poses), "bodies": bodies, "rods": rods,
        "frames": [{"points": points[k], "force": vectors["force"][k], "torque": vectors["torque"][k],
                    "poses": of_bodies[k], "shares": shares[k],
                    "rods": _rods(rods, at.poses[k])} for k in range(len(at.poses))],
    }
    for cause, wrenches in (by_cause or {}).items():
        for word, part in halves.items():
            for frame, of in zip(trace["frames"], in_world(wrenches, part), strict=True):
                frame[f"{word} by {cause}"] = of
    trace["causes"] = list(by_cause or {})
    reach = [at.skeleton(robot).reshape(-1, 3),
             *((points + arrows[word]["scale"] * vectors[word]).reshape(-1, 3) for word in halves)]
    base = at.poses[:, robot.link_names.index(robot.base.name)]
    places = base[[0, -1]] if len(base) > 1 and np.ptp(base, axis=0).any() else base[:1]
    reach += [(surface.points @ pose[:3, :3].T + pose[:3, 3]) for surface in on_base for pose in places]
    reach += [_corners(body) @ pose[:, :3].T + pose[:, 3] for k, body in enumerate(bodies)
              for pose in of_bodies[:, k].reshape(-1, 3, 4)]
    return Scene(trace, np.concatenate(reach), size)


def _corners(body: Mapping[str, Any]) -> Floats:
    """(8, 3): of the box around a body, in the frame of its link."""
    low, high = np.array(body["low"]), np.array(body["low"]) + np.array(body["step"]) * FINEST
    return np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])


def _scaled(word: str, vectors: Floats, size: float) -> dict[str, Any]:
    strongest = float(np.nanmax(np.linalg.norm(vectors, axis=-1), initial=0.0))
    scale = LONGEST * size / strongest if strongest > 0 else 0.0
    return {"scale": scale, "unit": UNITS[word], "name": scale_words(word, scale, UNITS[word])}


def scale_words(word: str, scale: float, unit: str) -> str:
    """What an arrow of a length means.

    >>> scale_words("force", 0.01, "N"), scale_words("torque", 0.0, "N m")
    ('force: 1 m is 100 N', 'torque')
    """
    return f"{word}: 1 m is {number(1 / scale)} {unit}" if scale > 0 else word


def _rods(rods: Sequence[dict[str, Any]], poses: Floats) -> Floats:
    ends = [[poses[link, :3, :3] @ np.array(end) + poses[link, :3, 3]
             for link, end in zip(rod["links"], rod["ends"], strict=True)] for rod in rods]
    return np.array(ends).reshape(-1, 2, 3)


def _named(vectors: Mapping[str, Floats], start: int, moves: Sequence[bool]) -> list[bool]:
    """Which joints have their names in the picture: those that move and carry most."""
    size = np.linalg.norm(vectors["torque"][start], axis=-1) + 1e-3 * np.linalg.norm(vectors["force"][start], axis=-1)
    order = [int(k) for k in np.argsort(-np.nan_to_num(size)) if moves[k]][:MOST_NAMES]
    return [k in order for k in range(len(moves))]


def _payload(robot: Any, poses: Floats) -> list[Floats] | None:
    """Where the mass center of the payload is, if there is one."""
    names = [name for name in robot.link_names if name.startswith("payload")]
    if not names:
        return None
    pose, center = poses[:, robot.link_names.index(names[0])], np.array(robot.link(names[0]).inertia.center_of_mass)
    return list(pose[:, :3, 3] + pose[:, :3, :3] @ center)


def view_of(points: Floats, skeleton: Floats, grounded: bool) -> dict[str, Any]:
    """Equal scales, and all of the robot in view at every instant; its floor is the ground, if it stands on one. What
    stays in a plane is seen nearly from in front of it.
    """
    known = points[np.isfinite(points).all(axis=1)]
    low, high = (known.min(axis=0), known.max(axis=0)) if len(known) else (np.zeros(3), np.ones(3))
    longest = float((high - low).max()) or 1.0
    half, middle = np.maximum(0.54 * (high - low), 0.15 * longest), 0.5 * (low + high)
    if grounded:
        top = max(middle[2] + half[2], 0.1 * longest)
        half[2], middle[2] = 0.5 * top, 0.5 * top
    axes = {f"{k}axis": {"title": {"text": f"{k} (m)"}, "range": [middle[i] - half[i], middle[i] + half[i]]}
            for i, k in enumerate("xyz")}
    floor = float(middle[2] - half[2])
    yaw, pitch = _camera(skeleton)
    eye = {"x": np.cos(pitch) * np.cos(yaw), "y": np.cos(pitch) * np.sin(yaw), "z": np.sin(pitch)}
    return {**axes, "camera": {"eye": {k: float(v) for k, v in eye.items()}},
            "reach": rim_of(np.concatenate([known, [[*middle[:2], floor]]]))}


def rim_of(points: Floats, directions: int = 96) -> Floats:
    """The points that lie farthest in many directions: whatever way they are looked at, they reach as far as all do.

    >>> rim_of(np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 0, 0]])).tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    k = np.arange(directions) + 0.5
    polar, around = np.arccos(1 - 2 * k / directions), np.pi * (1 + 5**0.5) * k
    ways = np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], axis=-1)
    return np.asarray(points[np.unique((points @ ways.T).argmax(axis=0))])


def _camera(skeleton: Floats) -> tuple[float, float]:
    """Yaw and pitch (rad) of the first view."""
    points = skeleton[np.isfinite(skeleton).all(axis=1)]
    axes = plane_of(points, size_of(points)) if len(points) > 2 else None
    if axes is None or np.ptp(points @ axes[0]) * np.ptp(points @ axes[1]) < 1e-3 * size_of(points) ** 2:
        return -0.85, 0.34
    toward = np.cross(axes[0], axes[1])
    if abs(toward[2]) > 0.9:
        return -1.2, 0.95
    return float(np.arctan2(toward[1], toward[0])) + 0.28, 0.2
