"""Fewer and more freedoms of each joint, as in To-Choi Lau's thesis: every joint given all six, which makes any robot a
generalized manipulator (chapter 3), and the reduction by selection vectors to the ones that it has (chapter 4).

Every function returns a new robot of the class it was given and leaves the given one as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from loadpath.errors import ModelError
from loadpath.robot.edit import coordinates_of, locked, placed_at
from loadpath.robot.joints import Free, Generalized, JointType, Prismatic, Revolute
from loadpath.robot.joints.generalized import Freedom, FreedomLike, freedoms_of
from loadpath.robot.model import RobotModel
from loadpath.robot.parts import Joint, Limits
from loadpath.robot.pose import Pose
from loadpath.robot.tree import model_warnings
from loadpath.scalars import array, rotation_from_matrix
from loadpath.scalars.types import ArrayLike

R = TypeVar("R", bound=RobotModel)

Selected: TypeAlias = FreedomLike | Iterable[FreedomLike] | None
Selection: TypeAlias = Mapping[str, Selected] | Sequence[Selected]
"""For each joint what it keeps: words and axes as `Generalized` takes them, () for none, None to leave it as it is."""

_SAME = 1e-9


def generalized(robot: R, joints: Iterable[str] | None = None) -> R:
    """The generalized manipulator of a robot: its joints given all six freedoms, its links as they are.

    All joints that move, or those named, become free ones that stand at zero where they stand when unmoved. q of each
    is then the displacement and a quaternion, qd the velocity of the child's joint frame against the parent and its
    angular velocity, in the child's axes, and tau the whole joint wrench: force and torque in the same axes. Friction
    and rotors stay with the freedom that they belong to; limits of position go. A link without mass leaves the mass
    matrix singular: inverse dynamics is what the generalized manipulator is for.

    >>> from loadpath.robot.catalog import lau_arm
    >>> generalized(lau_arm()).dof_names[6:12]
    ('theta2.vx', 'theta2.vy', 'theta2.vz', 'theta2.wx', 'theta2.wy', 'theta2.wz')
    """
    if isinstance(joints, str):
        joints = (joints,)
    if joints is not None and not isinstance(joints, Iterable):
        raise ModelError(f"joints to be given six freedoms are {joints!r}: expected names like ['joint1', 'joint2']")
    named = [j.name for j in robot.joints if j.motion.dof] if joints is None else [robot.joint(n).name for n in joints]
    for follower in robot.joints:
        leader = robot.mimic_of(follower).joint
        if follower.mimic is not None and {leader, follower.name} & set(named):
            raise ModelError(f"joint '{follower.name}' follows joint '{leader}', which only joints with one freedom do:"
                             " name the joints that are to have six, without these two")
    made = tuple(_freed(joint) if joint.name in named else joint for joint in robot.joints)
    # Nothing is asked about links without mass, see above.
    return replace(robot, joints=made, known_faults=robot.known_faults | frozenset(model_warnings(robot.links, made)))


def _freed(joint: Joint) -> Joint:
    """The joint with six freedoms; the drive of each of its own stays with the one in the same direction."""
    _refuse_springs(joint)
    at = joint.origin @ placed_at(joint, joint.motion.neutral())
    free = Joint(joint.name, joint.parent, joint.child, Free(), at, joint.link_offset)
    return _with_drives(free, joint, must=True)


def reduced(robot: R, selection: Selection, at: Mapping[str, ArrayLike] | None = None) -> R:
    """The robot with only the selected freedoms of its joints: the reduction of chapter 4 of Lau's thesis.

    `selection` gives for each joint the selection vectors that it keeps, as `lp.Generalized` takes them: "rz", "-x",
    ("ry", "x"), ("turn", (0, 0.6, 0.8)), in axes of the joint frame; () for none, None to leave the joint as it is. A
    mapping leaves joints that it does not name as they are; a sequence has an entry for every joint that moves. One
    turn makes the joint a `Revolute` one, one slide a `Prismatic` one, several a `Generalized` one; none a weld, whose
    load is still reported. A joint that keeps all its freedoms stays as it is, and what it could not do before cannot
    be selected.

    The other freedoms are held at the joint's neutral coordinates, or at those given in `at`; from there the selected
    ones move, and are zero there. Their friction, rotors and limits stay; those of the others go.

    >>> from loadpath.robot.catalog import generalized as manipulator, lau_arm
    >>> arm = reduced(manipulator(3), ["rz", ("ry", "x"), ()])
    >>> arm.dof_names
    ('joint1', 'joint2.ry', 'joint2.x')
    >>> reduced(generalized(lau_arm()), {"theta1": "rz", "theta2": "ry", "d2": "-x"}) == lau_arm()
    True
    """
    chosen = _by_joint(robot, selection)
    held = {} if at is None else _positions(robot, at, chosen)
    followed = {robot.mimic_of(joint).joint for joint in robot.joints if joint.mimic is not None}
    made, welds = list[Joint](), dict[str, tuple[float, ...]]()
    for joint in robot.joints:
        kept = joint
        if joint.name in chosen:
            place = held.get(joint.name, joint.motion.neutral())
            if chosen[joint.name]:
                kept = _selected(joint, chosen[joint.name], place, moved=joint.name in held)
            else:
                welds[joint.name] = place
        if kept is not joint and joint.name in followed:
            raise ModelError(f"joint '{joint.name}' is followed by a mimicking joint: it can be left as it is, or held,"
                             f" not changed to {_words(chosen[joint.name])}")
        made.append(kept)
    changed = replace(robot, joints=tuple(made))
    return locked(changed, welds) if welds else changed


# What is asked for


def _by_joint(robot: RobotModel, selection: Selection) -> dict[str, tuple[Freedom, ...]]:
    """The freedoms that each joint keeps; without those that stay as they are."""
    moving = [joint.name for joint in robot.joints if joint.motion.dof and joint.mimic is None]
    if isinstance(selection, Mapping):
        named = dict(selection)
    elif isinstance(selection, Sequence) and not isinstance(selection, str):
        if len(selection) != len(moving):
            raise ModelError(f"selection has {len(selection)} entries, and robot '{robot.name}' {len(moving)} joints "
                             f"that move ({', '.join(moving)}): expected one for each, or a dict like "
                             "{'joint1': 'rz'}")
        named = dict(zip(moving, selection, strict=True))
    else:
        raise ModelError(f"selection is {selection!r}: expected a dict like {{'joint1': 'rz'}} or an entry for every "
                         "joint that moves, like ['rz', ('ry', 'x')]")
    chosen: dict[str, tuple[Freedom, ...]] = {}
    for name, given in named.items():
        joint = robot.joint(name)
        if joint.mimic is not None:
            raise ModelError(f"joint '{name}' follows '{robot.mimic_of(joint).joint}' and keeps what that one does:"
                             " take it out of the selection")
        if given is None:
            continue
        freedoms = freedoms_of(given, f"selection of joint '{name}'")
        if joint.motion.dof:
            chosen[name] = freedoms
        elif freedoms:
            raise ModelError(f"joint '{name}' is fixed and cannot keep {_words(freedoms)}")
    return chosen


def _positions(
    robot: RobotModel, at: Mapping[str, ArrayLike], chosen: Mapping[str, object]
) -> dict[str, tuple[float, ...]]:
    if not isinstance(at, Mapping):
        raise ModelError(f"at is {at!r}: expected a dict of coordinates like {{'joint1': 0.2}}")
    for name in at:
        if robot.joint(name).name not in chosen:
            raise ModelError(f"at gives coordinates of joint '{name}', which the selection leaves as it is: hold it "
                             f"with robot.locked({{'{name}': ...}}), or select what it keeps")
    return {name: coordinates_of(robot.joint(name), value) for name, value in at.items()}


# What becomes of a joint


def _selected(joint: Joint, freedoms: tuple[Freedom, ...], place: tuple[float, ...], *, moved: bool) -> Joint:
    """The joint with these freedoms only, from its coordinates `place`."""
    try:
        motion: JointType = Generalized([freedom.given for freedom in freedoms])
    except ModelError as problem:
        raise ModelError(f"selection of joint '{joint.name}': {problem}") from None
    if len(freedoms) == 1:
        motion = (Revolute if freedoms[0].turns else Prismatic)(freedoms[0].axis)
    if not moved and _keeps_all(joint.motion, motion):
        return joint
    _refuse_springs(joint)
    pose = placed_at(joint, place)
    _refuse_what_it_cannot(joint, motion, freedoms, pose)
    made = Joint(joint.name, joint.parent, joint.child, motion, joint.origin @ pose, joint.link_offset)
    return _with_drives(made, joint, place if joint.motion.coordinates == joint.motion.dof else None)


def _keeps_all(before: JointType, after: JointType) -> bool:
    """Whether nothing is taken away: the same freedoms, and of two turns the same one first."""
    own, new = _columns(before), _columns(after)
    turns = [[column for column in columns if any(column[:3])] for columns in (own, new)]
    return set(own) == set(new) and (len(turns[0]) == 3 or turns[0] == turns[1])


def _refuse_what_it_cannot(joint: Joint, motion: JointType, freedoms: tuple[Freedom, ...], start: Pose) -> None:
    """An error unless all that the new motion does from its start is something that the old one can do."""
    for k in range(3):
        q = array([0.9 * math.sin(1.0 + 2.0 * i + 5.0 * k) for i in range(motion.coordinates)])
        turn, shift = motion.placement(q)
        target = start @ Pose(turn.matrix().astype(float).tolist(), shift.astype(float).tolist())
        try:
            Q, b = joint.motion.nearest(rotation_from_matrix(target.rotation), array(target.translation))
        except ModelError:
            raise ModelError(f"joint '{joint.name}': its class {type(joint.motion).__name__} does not say `nearest`, so"
                             f" whether it can move as {_words(freedoms)} is not known: leave it as it is (None) or "
                             "hold it (())") from None
        off = max(np.abs(Q.matrix().astype(float) - target.R).max(), np.abs(b.astype(float) - target.p).max())
        if off > _SAME * (1.0 + np.abs(target.p).max()):
            raise ModelError(f"joint '{joint.name}' is {joint.motion} and does not move as {_words(freedoms)} alone: a "
                             "reduction only takes freedoms away; robot.generalized() gives the joints all six first"
                             )


def _words(freedoms: Sequence[Freedom]) -> str:
    return ", ".join(repr(freedom.given) for freedom in freedoms)


# Its drives


def _refuse_springs(joint: Joint) -> None:
    """Springs are counted from coordinates that the joint will not have."""
    if any(joint.springs):
        raise ModelError(f"joint '{joint.name}' has springs, which do not go over to other freedoms: take them off "
                         "first with robot.without_springs()")


def _columns(motion: JointType) -> list[tuple[float, ...]]:
    """What each speed does at the neutral coordinates: angular and linear velocity."""
    found = motion.subspace(array(motion.neutral()))
    return [tuple(float(x) + 0.0 for x in (*angular, *linear)) for angular, linear in found]


def _with_drives(made: Joint, joint: Joint, place: Sequence[float] | None = None, *, must: bool = False) -> Joint:
    """The new joint with friction, rotors and limits of those speeds of the old one that do the same, or its opposite.

    `place` are the old coordinates where the new ones are zero, if limits of position can be carried over. With `must`
    an error where a drive finds no place.
    """
    parts = ("viscous_friction", "coulomb_friction", "rotor_inertia", "armature", "gear_ratio", "stribeck",
             "drives", "limits")
    values = {part: list(getattr(made, part)) for part in parts}
    own, new = np.array(_columns(joint.motion)), np.array(_columns(made.motion))
    for k, column in enumerate(own):
        same = np.abs(new - column).max(axis=1) < _SAME
        opposite = np.abs(new + column).max(axis=1) < _SAME
        if not (same | opposite).any():
            if must and any(getattr(joint, part)[k] for part in (*parts[:4], "stribeck", "drives")):
                raise ModelError(f"joint '{joint.name}' has friction or a rotor, and its axis is none of x, y, z of its"
                                 " frame, in which the six freedoms are: turn the frame, or take "
                                 "robot.without_friction().without_rotors() first")
            continue
        to = int(np.argmax(same | opposite))
        for part in parts[:-1]:
            values[part][to] = getattr(joint, part)[k]
        zero = math.nan if place is None else float(place[k])
        values["limits"][to] = _carried(joint.limits[k], zero, reverse=not same.any())
    kept: dict[str, Any] = {part: tuple(entries) for part, entries in values.items()}
    return replace(made, **kept)


def _carried(limits: Limits, zero: float, *, reverse: bool) -> Limits:
    """Limits counted from `zero` of the old coordinate; NaN: those of position have no meaning there."""
    if math.isnan(zero):
        return replace(limits, lower=-math.inf, upper=math.inf)
    lower, upper = limits.lower - zero, limits.upper - zero
    return replace(limits, lower=-upper, upper=-lower) if reverse else replace(limits, lower=lower, upper=upper)
