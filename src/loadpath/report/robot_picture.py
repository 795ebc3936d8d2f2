"""The robot drawn in space with the force and torque at every joint, at its worst instant and, by a slider, at others.

Sent are points and vectors of every instant; arrows and their heads are drawn by the page's script.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.loads.peaks.result import PeakLoads, Quantity
from loadpath.loads.resultants import effort_limits
from loadpath.parts.verdict.table import worst_words
from loadpath.plotting import label
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.report.around import Around
from loadpath.report.blocks import Chart, number, seconds
from loadpath.report.bodies import sent_bodies, sent_rods, shares_of_bodies
from loadpath.robot.parts import Joint
from loadpath.scalars.types import Floats, Ints

if TYPE_CHECKING:
    from loadpath.parts.verdict.result import Verdict

# The instant that the picture shows: the worst of the robot, by utilisation.

class Worst(NamedTuple):
    """A sample, and why it is the worst."""

    sample: int
    words: str
    name: str
    """Of the joint."""


def worst_instant(peaks: PeakLoads, verdict: Verdict | None = None) -> Worst:
    """When the robot is nearest to a limit of its parts; without parts, of its drives; without limits, when the largest
    moment is carried (the largest force, in mechanisms with pins).

    >>> import loadpath as lp
    >>> arm = lp.catalog.panda()
    >>> worst_instant(arm.peak_loads(lp.Motion.swing(arm))).words
    "when the drive of 'panda_joint2' needs most of its limit, 47 % (41.16 of 87 N m)"
    """
    if verdict is not None and peaks.robot.parts:
        row = next((row for row in verdict.ranked if row.at is not None and row.is_load and not row.case), None)
        if row is not None and row.at is not None:
            return Worst(row.at.sample, f"when the utilisation is largest: {worst_words(row)}", row.joint)
    limits = effort_limits(peaks.robot)
    driven = [peaks.dof_names.index(name) for name in peaks.drive_names]
    share = np.nan_to_num(peaks.drive.magnitude[driven] / limits[driven], nan=0.0)
    if share.size and share.max() > 0:
        k = int(np.argmax(share))
        found = peaks[peaks.drive_names[k], "drive"]
        words = f"when the drive of '{found.name}' needs most of its limit, {100 * share[k]:.0f} %"
        return Worst(
            found.peak.sample, f"{words} ({_load(found)} of {number(limits[driven[k]])} {found.unit})", found.name
        )
    quantity = "force" if is_closed(peaks.robot) else "torque"
    loads = [peaks[name, quantity] for name in peaks.joint_names]
    largest = max(loads, key=lambda load: np.nan_to_num(load.magnitude, nan=-1.0))
    word = "force" if quantity == "force" else "moment"
    words = f"when '{largest.name}' carries the largest {word}, {_load(largest)} {largest.unit}"
    return Worst(largest.peak.sample, words, largest.name)


def _load(found: Quantity) -> str:
    return number(found.magnitude)


INSTANTS = 25
"""Steps of the slider, in addition to the worst instant."""
MOST_NUMBERS = 60_000
"""Of all instants together: robots of many joints have fewer steps."""
MOST_NAMES = 12
"""Joints whose names stand in the picture: those that carry most. The pointer shows the others."""
LONGEST = 0.25
"""Length of the longest arrow, of the robot's size."""


def robot_picture(peaks: PeakLoads, worst: Worst, shown: Sequence[str], around: Around | None = None) -> Chart:
    """The picture of a tree of joints over a motion; `shown` have arrows, `around` is what it stands on."""
    rows = _instants(peaks, worst.sample)
    robot = peaks.robot
    q, qd, qdd = peaks.states.rows(rows)
    case = peaks.states.case_of(rows).keywords
    wrenches = robot.joint_wrenches(q, qd, qdd, **case)
    poses = np.asarray(robot.link_poses(q), dtype=float)
    place = {name: k for k, name in enumerate(robot.link_names)}
    points, lines, force, torque = [], [], [], []
    for k, joint in enumerate(carriers(robot)):
        assert isinstance(joint, Joint)
        parent, child = poses[:, place[joint.parent]], poses[:, place[joint.child]]
        frame = child @ joint.link_offset.inverse().matrix
        lines += [parent[:, :3, 3], frame[:, :3, 3], child[:, :3, 3]]
        if joint.name in shown:
            points.append(frame[:, :3, 3])
            force.append(np.einsum("sij,sj->si", frame[:, :3, :3], np.asarray(wrenches.force)[:, k]))
            torque.append(np.einsum("sij,sj->si", frame[:, :3, :3], np.asarray(wrenches.torque)[:, k]))
    skeleton, at = np.stack(lines, axis=1), np.stack(points, axis=1)
    vectors = {"force": np.stack(force, axis=1), "torque": np.stack(torque, axis=1)}
    size = float(np.ptp(skeleton.reshape(-1, 3), axis=0).max(initial=0.0)) or 1.0
    start = int(np.searchsorted(rows, worst.sample))
    below = [] if around is None else around.surfaces(size)
    bodies = sent_bodies(robot, size, below)
    of_bodies = poses[:, [body["link"] for body in bodies], :3].reshape(len(rows), -1, 12)
    rods = sent_rods(robot)
    shares = shares_of_bodies(bodies, np.asarray(robot.inverse_dynamics(q, qd, qdd, **case)))
    arrows = {}
    for word, unit in (("force", "N"), ("torque", "N m")):
        strongest = float(np.nanmax(np.linalg.norm(vectors[word], axis=-1), initial=0.0))
        scale = LONGEST * size / strongest if strongest > 0 else 0.0
        words = f"{word}: 1 m is {number(1 / scale)} {unit}" if scale else word
        arrows[word] = {"scale": scale, "unit": unit, "name": words}
    moves = [joint.motion.dof > 0 for joint in robot.joints if joint.name in shown]
    ground = _ground(around, rows, size)
    trace: dict[str, Any] = {
        "type": "robot", "names": [label(name) for name in robot.joint_names if name in shown], "moves": moves,
        "named": _named(vectors, start, moves), "arrows": arrows, "size": size,
        "numbers": [k for k, joint in enumerate(carriers(robot)) if joint.name in shown],
        "payload": _payload(robot, poses, place), "bodies": bodies, "rods": rods, "samples": rows,
        "ring": around and around.ring,
        "frames": [{"points": at[k], "force": vectors["force"][k], "torque": vectors["torque"][k],
                    "poses": of_bodies[k], "shares": shares[k],
                    "rods": _rods(rods, poses[k]), "ground": ground[k]} for k in range(len(rows))],
    }
    reach = np.concatenate([skeleton.reshape(-1, 3), at.reshape(-1, 3),
                            *(surface.points for surface in below)])
    reach = np.concatenate([reach, *((at + arrows[word]["scale"] * vectors[word]).reshape(-1, 3) for word in arrows)])
    t = peaks.states.t
    instants = [seconds(None if t is None else float(t[row]), int(row)) for row in rows]
    title = f"The robot at {instants[start]}, {worst.words}"
    note = (
        "World axes. Force (red) and torque (blue) that each joint exerts on the link beyond it; the legend has the "
        "scale of the arrows. Links whose drive has a limit are coloured by how much of it the drive gives. The slider "
        "shows other instants."
    )
    layout = {"scene": _scene(reach, around is not None), "hovermode": "closest"}
    return Chart(title, [trace], layout, 520, None, note, instants, start)


def _instants(peaks: PeakLoads, worst: int) -> Ints:
    count, joints = len(peaks.states), len(peaks.joint_names)
    steps = int(np.clip(MOST_NUMBERS // (18 * max(joints, 1)), 3, INSTANTS))
    even = np.linspace(0, count - 1, min(count, steps)).round()
    return np.unique(np.append(even, worst)).astype(np.intp)


def _ground(around: Around | None, rows: Ints, size: float) -> list[dict[str, Any] | None]:
    """For every instant, the forces of the ground as they are drawn, the zero-moment point, and whether it tips."""
    if around is None or around.at_rows is None:
        return [None] * len(rows)
    found = around.at_rows(rows)
    strongest = float(np.nanmax(np.linalg.norm(found["ground"], axis=-1), initial=0.0))
    scale = LONGEST * size / strongest if strongest > 0 else 0.0
    name = f"force of the ground: 1 m is {number(1 / scale)} N" if scale else "force of the ground"
    return [{"name": name, "at": found["at"][k], "force": scale * found["ground"][k], "tips": bool(found["tips"][k]),
             "zero_moment_point": found["zero_moment_point"][k]} for k in range(len(rows))]


def _rods(rods: Sequence[dict[str, Any]], poses: Floats) -> list[list[Floats]]:
    return [[poses[link, :3, :3] @ np.array(end) + poses[link, :3, 3]
             for link, end in zip(rod["links"], rod["ends"], strict=True)] for rod in rods]


def _named(vectors: dict[str, Floats], start: int, moves: Sequence[bool]) -> list[bool]:
    """Which joints have their names in the picture: those that move and carry most."""
    size = np.linalg.norm(vectors["torque"][start], axis=-1) + 1e-3 * np.linalg.norm(vectors["force"][start], axis=-1)
    order = [int(k) for k in np.argsort(-np.nan_to_num(size)) if moves[k]][:MOST_NAMES]
    return [k in order for k in range(len(moves))]


def _payload(robot: Any, poses: Floats, place: dict[str, int]) -> list[Floats] | None:
    """Where the mass center of the payload is, if there is one."""
    names = [name for name in robot.link_names if name.startswith("payload")]
    if not names:
        return None
    pose, center = poses[:, place[names[0]]], np.array(robot.link(names[0]).inertia.center_of_mass)
    return list(pose[:, :3, 3] + pose[:, :3, :3] @ center)


def _scene(points: Floats, grounded: bool) -> dict[str, Any]:
    """Equal scales, and all of the robot in view at every instant; its floor is the ground, if it stands on one."""
    known = points[np.isfinite(points).all(axis=1)]
    low, high = (known.min(axis=0), known.max(axis=0)) if len(known) else (np.zeros(3), np.ones(3))
    longest = float((high - low).max()) or 1.0
    half, middle = np.maximum(0.54 * (high - low), 0.15 * longest), 0.5 * (low + high)
    if grounded:
        top = middle[2] + half[2]
        half[2], middle[2] = 0.5 * top, 0.5 * top
    axes = {f"{k}axis": {"title": {"text": f"{k} (m)"}, "range": [middle[i] - half[i], middle[i] + half[i]]}
            for i, k in enumerate("xyz")}
    ratio = {k: float(1.35 * half[i] / half.max()) for i, k in enumerate("xyz")}
    camera = {"eye": {"x": 1.5, "y": -1.7, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.05}}
    return {**axes, "aspectmode": "manual", "aspectratio": ratio, "camera": camera}
