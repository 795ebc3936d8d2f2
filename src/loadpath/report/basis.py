"""The section that says what was computed: robot, motion, gravity, loads, what the numbers include and what not, and
the conventions that they are in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadpath.closure.robot import ClosableRobot
from loadpath.loads.motors.missing import missing_drive_data
from loadpath.motion import Motion
from loadpath.quantities.wrench import Wrench
from loadpath.report.blocks import NONE, Block, Cell, Facts, Picture, Section, Table, number, vector
from loadpath.report.closed import counts
from loadpath.report.pedigree import pedigree_table
from loadpath.report.record import made_in_words
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint
from loadpath.states import LoadCase

TITLE = "What was computed"
UPRIGHT = 1e-6
"""rad: gravity within this of an axis is along it."""
ASSUMED = (
    "Links are rigid, joints without play, and the motion is followed exactly; what bends has a section of its own. "
    "Between samples nothing is assumed: peaks are those of the samples."
)
CONVENTIONS = (
    "A joint wrench is exerted by the parent on the child (the link beyond), at the joint's origin, in the child's "
    "joint frame. Axial is along the joint's axis, radial across it; the tilting moment is the torque across it. "
    "Friction and rotors act inside the drives and load no bearing. SI units, angles in radians."
)


def basis(
    robot: ClosableRobot, motion: Motion, case: LoadCase, external: Mapping[str, Wrench] | None, sources: Mapping[str,
    str | Sequence[str]], joints: Sequence[str], hours: float | None = None,
) -> Section:
    """Facts, the robot's masses and limits, conventions. `sources` are where robot and motion come from, by words."""
    mass = sum(link.inertia.mass for link in robot.links)
    rows: list[tuple[str, str | Sequence[str]]] = [
        ("Robot", f"{robot.name}: {counts(robot)}, {number(mass)} kg in all"),
        *sources.items(),
        ("Motion", _motion(motion)),
        ("Gravity and mounting", mounting(robot) if case.gravity is None else _gravity(case.gravity)),
        ("Payload", _payloads(robot) or "none"),
    ]
    rows += [("Log", list(motion.notes))] if motion.notes else []
    carried = [load.sentence for load in motion.loads]
    rows += [("Carried loads", carried)] if carried else []
    rows.append(("External wrenches", [_wrench(link, wrench) for link, wrench in (external or {}).items()] or "none"))
    rows += [("Base", _base_motion(case))] if case.base_motion else []
    rows += [("Smoothing", list(motion.smoothing.sentences))] if motion.smoothing is not None else []
    rows += [("Life required", f"{number(hours)} h")] if hours is not None else []
    rows += [("Derived", derived)] if (derived := _derived(motion)) else []
    lacking = missing_drive_data(robot)
    rows += [("Not in the robot's data", lacking)] if lacking else []
    rows += [("Assumed", ASSUMED), ("Made", made_in_words())]
    pedigree = pedigree_table(robot, motion, sources)
    blocks: list[Block] = [Facts("", rows), pedigree, _masses(robot), *_limits(robot, joints)]
    blocks.append(Picture("Conventions", "frames.svg", CONVENTIONS))
    return Section(TITLE, "", blocks)


def mounting(robot: RobotModel) -> str:
    """Gravity, and what that means for how the robot is mounted: z of the world is the base's own.

    >>> import loadpath as lp
    >>> mounting(lp.catalog.planar(1).with_gravity((0, 0, 9.81)))
    '9.81 m/s², along +z: hanging from a ceiling'
    """
    g = np.array(robot.gravity, dtype=float)
    size = float(np.linalg.norm(g))
    if size == 0:
        return "no gravity"
    axis = int(np.argmax(np.abs(g)))
    along = f"{'+' if g[axis] > 0 else '-'}{'xyz'[axis]}"
    tilt = math.acos(float(np.clip(-g[2] / size, -1.0, 1.0)))
    words = f"{number(size)} m/s\u00b2"
    if tilt < UPRIGHT:
        return f"{words}, along -z: standing on the floor"
    if math.pi - tilt < UPRIGHT:
        return f"{words}, along +z: hanging from a ceiling"
    how = f"{math.degrees(tilt):.4g}\u00b0 from the base's -z"
    if abs(tilt - math.pi / 2) < UPRIGHT:
        there = f"along {along}" if abs(abs(g[axis]) - size) < UPRIGHT * size else vector(g)
        return f"{words}, {there}: mounted on a wall, its base's z level"
    return f"{words}, {vector(g)}, {how}: mounted at an angle"


def _motion(motion: Motion) -> str:
    source = f"{motion.source}: " if motion.source else ""
    rate = (len(motion) - 1) / motion.duration if motion.duration > 0 else math.nan
    return f"{source}{motion.duration:.4g} s, {len(motion):,} samples, {number(rate)} a second"


def _payloads(robot: RobotModel) -> list[str]:
    found = []
    for joint in robot.joints:
        if joint.child.startswith("payload") and not joint.motion.dof:
            body = robot.link(joint.child).inertia
            spread = "" if np.any(body.tensor) else ", a point mass"
            at = vector(body.center_of_mass)
            found.append(f"{number(body.mass)} kg on '{joint.parent}', its mass center at {at} m in the frame of "
                         f"'{joint.parent}'{spread}")
    return found


def _wrench(link: str, wrench: Wrench) -> str:
    axes = "world axes" if wrench.axes == "world" else f"axes of '{link}'"
    parts = []
    for word, values, unit in (("force", wrench.force, "N"), ("torque", wrench.torque, "N m")):
        rows = np.asarray(values, dtype=float).reshape(-1, 3)
        if not rows.any():
            continue
        if (rows == rows[0]).all():
            parts.append(f"{word} {vector(rows[0])} {unit}")
        else:
            parts.append(f"{word} changing, up to {number(float(np.linalg.norm(rows, axis=1).max()))} {unit}")
    point = np.asarray(wrench.point, dtype=float)
    at = f", at {vector(point)} m from its origin" if point.ndim == 1 and point.any() else ", at its origin"
    return f"on '{link}': {' and '.join(parts) or 'zero'}, in {axes}{at}"


def _gravity(given: Any) -> str:
    rows = np.asarray(given, dtype=float).reshape(-1, 3)
    same = bool((rows == rows[0]).all())
    return f"{vector(rows[0])} m/s² in world axes" if same else "changing with time"


def _base_motion(case: LoadCase) -> str:
    given = {"base_velocity": "velocity", "base_acceleration": "acceleration"}
    parts = []
    for key, word in given.items():
        if key in case.base_motion:
            rows = np.asarray(case.base_motion[key], dtype=float).reshape(-1, 6)
            same = bool((rows == rows[0]).all())
            parts.append(f"{word} {vector(rows[0])}" if same else f"{word} changing with time")
    return f"moves: {', '.join(parts)} (m, rad, s; linear first)"


def _derived(motion: Motion) -> str:
    speeds, accelerations = bool(np.any(motion.qd_error)), bool(np.any(motion.qdd_error))
    if not (speeds or accelerations):
        return ""
    what = "Speeds and accelerations were" if speeds else "Accelerations were"
    return f"{what} derived from the samples by splines; the motion itself has none."


def _masses(robot: RobotModel) -> Table:
    columns = ["link", "mass (kg)", "center x (m)", "center y (m)", "center z (m)"]
    bodies = [link for link in robot.links if link.inertia.mass > 0]
    rows: list[list[Cell]] = [
        [link.name, number(link.inertia.mass), *(_meters(value) for value in link.inertia.center_of_mass)]
        for link in bodies
    ]
    bare = len(robot.links) - len(bodies)
    note = f"Mass centers in the links' frames.{f' {bare} frames without mass are not listed.' if bare else ''}"
    return Table("Masses", columns, rows, note)


def _meters(value: float) -> str:
    text = f"{value:.4f}"
    return "0.0000" if text == "-0.0000" else text.replace("-", "\N{MINUS SIGN}")


def _limits(robot: RobotModel, shown: Sequence[str]) -> list[Table]:
    columns = ["joint", "type", "from", "to", "speed limit", "effort limit", "rotor inertia (kg m\u00b2)",
               "viscous friction", "Coulomb friction"]
    rows: list[list[Cell]] = []
    for joint in robot.joints:
        if joint.motion.dof and joint.mimic is None and (joint.name in shown or not shown):
            rows += [_limit_row(joint, k) for k in range(joint.motion.dof)]
    note = (
        "As the robot has them, rad and N m, of sliding joints m and N; rotor inertia on the motor's side, with the "
        f"gear ratio squared by which it is felt at the joint; without one, as felt there. {NONE}: not known."
    )
    return [Table("Limits and drives", columns, rows, note, left=2, steady=True)] if rows else []


def _limit_row(joint: Joint, k: int) -> list[Cell]:
    limit = joint.limits[k]
    name = joint.name if joint.motion.dof == 1 else f"{joint.name} ({k + 1})"
    ratio = joint.gear_ratio[k] if joint.gear_ratio else 1.0
    at_joint = joint.armature[k] or ratio == 1
    rotor = number(joint.armature[k] or joint.rotor_inertia[k])
    rotor += "" if at_joint else f" \N{MULTIPLICATION SIGN} {number(ratio)}\u00b2"
    return [name, type(joint.motion).__name__, *(_known(value) for value in (limit.lower, limit.upper)),
            *(_known(value) if value > 0 else NONE for value in (limit.velocity, limit.effort)),
            rotor if joint.reflected_inertia[k] else NONE,
            *(number(part[k]) if part[k] else NONE for part in (joint.viscous_friction, joint.coulomb_friction)),
            ]


def _known(value: float) -> str:
    return number(value) if math.isfinite(value) else NONE


def sentence_of(motion: Motion) -> str:
    """How long a motion is, in a sentence."""
    return f"Motion of {motion.duration:.4g} s, {len(motion):,} samples."


def header(robot: Any, motion: Motion, about: str) -> str:
    """The lines under the title: robot, motion, and what there is beyond both."""
    mass = sum(link.inertia.mass for link in robot.links)
    words = [f"{counts(robot)}, {number(mass)} kg.", sentence_of(motion)]
    words += [f"Carries {text}." for text in _payloads(robot)]
    gravity = mounting(robot)
    words += [] if gravity.endswith("floor") else [f"Gravity {gravity}."]
    return " ".join([*words, about]).rstrip()
