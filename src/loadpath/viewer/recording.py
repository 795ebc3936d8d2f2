"""A motion as one HTML file: the picture of the report, for every instant, with play, pause, time, speed and the arrows
of all causes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from loadpath._version import __version__
from loadpath.errors import ModelError
from loadpath.mobile.drawing import wheels_and_body
from loadpath.mobile.spatial.geometry import rotation_of
from loadpath.report.bent import bent_of, put
from loadpath.report.blocks import Chart, Section, seconds
from loadpath.report.page import render
from loadpath.report.scene import LONGEST, Instants, scale_words, scene_of, size_of, view_of
from loadpath.viewer.layers.beams import case_of
from loadpath.viewer.layers.bodies import Bodies
from loadpath.viewer.layers.ground import Standing, standing_of
from loadpath.viewer.layers.player import Trail
from loadpath.viewer.subject import CAUSES

if TYPE_CHECKING:
    from loadpath.scalars.types import Floats
    from loadpath.viewer.stage import Frame, Stage
    from loadpath.viewer.subject import Subject

MOST_BY_CAUSE = 4_000_000
"""Numbers of all arrows by cause: longer recordings have those of the sums alone."""
NOTICEABLE = 1e-9
"""Of the largest load: causes that never reach it are left out."""
TRAIL_POINTS = 600


def recorded(stage: Stage, frames: Sequence[Frame], times: Floats) -> str:
    """The page of some instants, as they would be shown."""
    subject = stage.subject
    robot, size = subject.robot, subject.size
    placed = np.array([base_of(subject, frame) for frame in frames])
    poses = placed[:, None] @ np.array([frame.poses for frame in frames])
    count = len(robot.closed_joint_names)
    total = np.array([np.full((count, 6), np.nan) if frame.loads is None else frame.loads.total for frame in frames])
    tau = np.array([np.full(robot.n, np.nan) if frame.loads is None else frame.loads.tau for frame in frames])
    at = Instants(poses, total, tau)
    on_base = [] if subject.rover is None else wheels_and_body(subject.rover, size)
    bodies = next(layer for layer in stage.layers if isinstance(layer, Bodies))
    trace, reach, _ = scene_of(robot, at, robot.closed_joint_names, size, on_base=on_base, shapes=bodies.shapes,
                               by_cause=_by_cause(frames, total))
    trace |= {"samples": np.arange(len(frames)), "times": times, "ring": None}
    more = (_bend(stage, frames, trace, placed, size), _outside(frames, trace, poses, robot.link_names, size),
            _stand(subject, frames, trace, placed, size), _trail(stage, trace, poses))
    reach = np.concatenate([reach, *more])
    skeleton = at.skeleton(robot).reshape(-1, 3)
    layout = {"scene": view_of(reach, skeleton, subject.rover is not None)}
    chart = Chart("", [trace], layout, 520, instants=[seconds(float(t)) for t in times])
    duration = f"{times[-1]:.3g} s, " if len(times) > 1 else ""
    words = f"{duration}{len(robot.joints)} joints"
    footer = f"Made by Loadpath {__version__}. Wrenches are exerted by the parent on the child; world axes, SI units."
    return render(subject.name, words, [Section("", blocks=[chart])], footer, alone=True)


def base_of(subject: Subject, frame: Frame) -> Floats:
    """(4, 4): where the base of a rover is in the world, whose x goes uphill on a slope."""
    pose = np.eye(4)
    if subject.rover is None:
        return pose
    base, slope = frame.state.base, subject.rover.ground.slope
    up, out = np.sin(slope), np.cos(slope)
    ground = np.array([[out, 0.0, -up], [0.0, 1.0, 0.0], [up, 0.0, out]])
    if base.in_space is not None:
        pose[:3, :3], pose[:3, 3] = ground @ rotation_of(base.in_space.quaternion), ground @ base.in_space.position
        return pose
    x, y, heading = (float(value) for value in base.pose)
    c, s = np.cos(heading), np.sin(heading)
    pose[:3, :3] = ground @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    pose[:3, 3] = ground @ np.array([x, y, 0.0])
    return pose


def _by_cause(frames: Sequence[Frame], total: Floats) -> dict[str, Floats]:
    none = np.zeros(total.shape[1:])
    if total.size * len(CAUSES) > MOST_BY_CAUSE:
        return {}
    largest = float(np.nanmax(np.abs(total), initial=0.0))
    found = {cause: np.array([none if frame.loads is None else frame.loads.by_cause.get(cause, none)
                              for frame in frames]) for cause in CAUSES}
    return {cause: part for cause, part in found.items() if np.nanmax(np.abs(part), initial=0) > NOTICEABLE * largest}


def _bend(stage: Stage, frames: Sequence[Frame], trace: dict[str, Any], placed: Floats, size: float) -> Floats:
    """The arm as it bends; the points that it reaches."""
    arm = stage.subject.arm or stage.subject.closed_arm
    if arm is None or any(frame.loads is None for frame in frames):
        return np.zeros((0, 3))
    states = tuple(np.array([getattr(frame.state, part) for frame in frames]) for part in ("q", "qd", "qdd"))
    poses = np.array([frame.poses for frame in frames])
    bent = bent_of(cast(Any, arm), states, lambda k: case_of(stage.subject, frames[k]), poses, size)
    if bent is None:
        return np.zeros((0, 3))
    lines = bent.poses.reshape(*bent.poses.shape[:2], 3, 4)
    turns = placed[:, :3, :3]
    moved = np.einsum("sij,spj->spi", turns, bent.moved)
    lines = np.einsum("sij,sljk->slik", turns, lines)
    lines[..., 3] += placed[:, None, :3, 3]
    return put(bent._replace(moved=moved, poses=lines.reshape(bent.poses.shape)), trace)


def _outside(
    frames: Sequence[Frame], trace: dict[str, Any], poses: Floats, names: Sequence[str], size: float
) -> Floats:
    """Forces from outside and pulls, at the origins of their links."""
    forces = [dict(frame.state.wrenches) for frame in frames]
    found = []
    for frame, acting in zip(frames, forces, strict=True):
        pull = frame.state.pull
        one = [(link, np.asarray(wrench.force, dtype=float)) for link, wrench in acting.items()]
        found.append([*one, *([] if pull is None else [(pull.link, np.asarray(pull.force, dtype=float))])])
    strongest = max((float(np.linalg.norm(force)) for each in found for _, force in each), default=0.0)
    if not strongest > 0:
        return np.zeros((0, 3))
    scale = LONGEST * size / strongest
    for k, each in enumerate(found):
        ends = np.array([[poses[k, names.index(link), :3, 3], scale * force] for link, force in each]).reshape(-1, 2, 3)
        trace["frames"][k]["outside"] = ends
    trace["outside_name"] = scale_words("force from outside", scale, "N")
    return np.concatenate([frame["outside"].sum(axis=1) for frame in trace["frames"]])


def _stand(
    subject: Subject, frames: Sequence[Frame], trace: dict[str, Any], placed: Floats, size: float
) -> Floats:
    """The support polygon, the zero-moment point and the forces of the ground."""
    if subject.rover is None:
        return np.zeros((0, 3))
    made: list[Standing | None] = []
    for frame in frames:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what cannot be is in the report
                made.append(standing_of(subject.rover, frame))
        except ModelError:
            made.append(None)
    forces = [np.linalg.norm(one.force, axis=-1) for one in made if one is not None]
    strongest = max((float(np.nanmax(force, initial=0.0)) for force in forces), default=0.0)
    scale = LONGEST * size / strongest if strongest > 0 else 0.0
    name, reach = scale_words("force of the ground", scale, "N"), []
    for frame, one, base in zip(trace["frames"], made, placed, strict=True):
        frame["ground"], frame["edge"] = None, None
        if one is None:
            continue

        def put_down(points: Floats, base: Floats = base) -> Floats:
            return points @ base[:3, :3].T + base[:3, 3]

        frame["edge"] = put_down(one.ring).tolist()
        frame["ground"] = {"name": name, "at": put_down(one.at).tolist(), "tips": one.tips,
                           "force": (scale * one.force @ base[:3, :3].T).tolist(),
                           "zero_moment_point": put_down(one.zero_moment_point).tolist()}
        reach.append(put_down(one.ring))
    return np.concatenate(reach) if reach else np.zeros((0, 3))


def _trail(stage: Stage, trace: dict[str, Any], poses: Floats) -> Floats:
    """Where a link has been in all of it."""
    layer = next(one for one in stage.layers if isinstance(one, Trail))
    path = poses[:, stage.subject.robot.link_names.index(layer.link.value), :3, 3]
    path = path[np.isfinite(path).all(axis=1)]
    if not layer.shown.value or len(path) < 2 or size_of(path) < 1e-6 * stage.subject.size:
        return np.zeros((0, 3))
    few = np.unique(np.linspace(0, len(path) - 1, TRAIL_POINTS).round().astype(int))
    trace["path"], trace["path_name"] = path[few].tolist(), f"path of {layer.link.value}"
    return path
