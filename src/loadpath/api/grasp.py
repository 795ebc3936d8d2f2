"""Arms that hold one object: one robot of several, closed by their grips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from loadpath.api.kinds import ClosedRobot
from loadpath.api.robot import Robot
from loadpath.converted import Converted
from loadpath.errors import ModelError
from loadpath.robot.ends import link_or_only_end
from loadpath.robot.inertia import Inertia
from loadpath.robot.joints import Fixed, JointType
from loadpath.robot.loops import Coupling, Loop
from loadpath.robot.parts import Fitted, Joint, Link
from loadpath.robot.pose import Pose, PoseLike, pose_of
from loadpath.scalars.types import ArrayLike

OBJECT = "object"


@dataclass(frozen=True)
class Hold:
    """An arm that holds an object: where its base stands in the world, and where on the object its hand is.

    `grip` is the pose of the frame of the hand (`link`, the arm's only end unless given) in the frame of the object.
    `motion` is what the grip allows: nothing, as a gripper does, or the turns of a `Spherical` joint, as one fingertip
    does.

    >>> import loadpath as lp
    >>> lp.Hold(lp.catalog.planar(3), base=(0, 0, 0.5), grip=(-0.1, 0, 0)).grip.translation
    (-0.1, 0.0, 0.0)
    """

    arm: Robot
    base: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    grip: Converted[Pose, PoseLike] = field(default_factory=Pose)  # type: ignore[arg-type]
    link: str | None = None
    motion: JointType = field(default_factory=Fixed)

    def __post_init__(self) -> None:
        if not isinstance(self.arm, Robot) or self.arm.on_wheels:
            raise ModelError(f"a hold is by a robot, not by a {type(self.arm).__name__}: lp.Hold(robot, base=, grip=)")
        object.__setattr__(self, "base", pose_of(self.base, "base of a hold"))
        object.__setattr__(self, "grip", pose_of(self.grip, "grip of a hold"))
        if not isinstance(self.motion, JointType):
            raise ModelError(f"motion of a hold is {self.motion!r}: expected a joint type like Fixed()")


def grasp(
    holds: Mapping[str, Hold], held: Inertia, *, q: Mapping[str, ArrayLike] | None = None, name: str = "grasp"
) -> ClosedRobot:
    """One robot of arms that hold one object of the inertia `held`: its link "object", carried by the first arm; the
    grips of the others are loops. Links and joints have the names of their arms in front, "left_joint1"; the grips are
    "left_grip", "right_grip". The wrench at a grip is what the hand exerts on the object, at and in the frame of the
    hand. All joints of the arms keep their drives. `q` are coordinates of the arms near the grasp, from which it is
    closed.

    With more drives than freedoms the arms share the work with the least effort; `preload_for` gives the preload with
    which a grip carries a given wrench, `preload=` adds one.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(3, length=0.5)
    >>> turned = lp.Pose.from_xyz_rpy((1.2, 0, 0), (0, 0, 3.141592653589793))      # across the table
    >>> pair = lp.grasp(
    ...     {"left": lp.Hold(arm, grip=(-0.1, 0, 0)),
    ...      "right": lp.Hold(arm, base=turned, grip=lp.Pose.from_xyz_rpy((0.1, 0, 0), (0, 3.141592653589793, 0)))},
    ...     lp.Inertia(2.0), q={"left": [1.0, -1.5, 0.6], "right": [1.0, -1.5, 0.6]})
    >>> pair.mobility, len(pair.driven), pair.loop_names
    (3, 6, ('right_grip',))
    """
    if len(holds) < 2:
        raise ModelError(f"a grasp is by two arms or more, not by {len(holds)}")
    known = {str(key): _checked(str(key), hold) for key, hold in holds.items()}
    for key in q or {}:
        if key not in known:
            raise ModelError(f"grasp: q has '{key}', which is none of the arms {', '.join(known)}")
    first = next(iter(known))
    gravity = known[first].arm.gravity
    links, joints = [Link("world")], []
    loops: list[Loop] = []
    couplings: list[Coupling] = []
    drives: list[str] = []
    near: list[float] = []
    parts: list[tuple[str, Fitted]] = []
    for key, hold in known.items():
        arm = hold.arm
        if arm.gravity != gravity:
            raise ModelError(f"grasp: gravity of '{key}' is {arm.gravity}, that of '{first}' {gravity}: they are in "
                             "one world; see with_gravity")
        own_links, own_joints = _prefixed(key, arm)
        links += own_links
        joints.append(Joint(f"{key}_mount", "world", own_links[0].name, Fixed(), hold.base))
        joints += own_joints
        near += _coordinates(key, arm, q)
        parts += [(f"{key}_{joint}", part) for joint, part in arm.parts]
        hand = f"{key}_{link_or_only_end(arm, hold.link)}"
        if key == first:
            links.append(Link(OBJECT, held))
            grip = Joint(f"{key}_grip", hand, OBJECT, hold.motion, link_offset=hold.grip.inverse())
            joints.append(grip)
            near += hold.motion.neutral()
        else:
            loops.append(Loop(f"{key}_grip", hand, OBJECT, hold.motion, Pose(), hold.grip))
        if isinstance(arm, ClosedRobot):
            loops += [replace(loop, name=f"{key}_{loop.name}", first=f"{key}_{loop.first}",
                              second=f"{key}_{loop.second}") for loop in arm.loops]
            couplings += [replace(each, name=f"{key}_{each.name}",
                                  ratios=tuple((f"{key}_{dof}", factor) for dof, factor in each.ratios))
                          for each in arm.couplings]
            drives += [f"{key}_{dof}" for dof in arm.driven]
        else:
            drives += [f"{key}_{dof}" for dof in arm.dof_names]
    return ClosedRobot(
        name, tuple(links), tuple(joints), gravity, loops=tuple(loops), couplings=tuple(couplings),
        drives=tuple(drives), near=tuple(near), parts=tuple(parts),
    )


def _checked(key: str, hold: Hold) -> Hold:
    if not isinstance(hold, Hold):
        raise ModelError(f"grasp: '{key}' is a {type(hold).__name__}: expected an lp.Hold(robot, base=, grip=)")
    if hold.arm.is_elastic:
        raise ModelError(f"grasp: '{key}' is an arm with beams or springs in its joints, and a grasp is of rigid arms: "
                         "give arm.without_beams()")
    return hold


def _prefixed(key: str, arm: Robot) -> tuple[list[Link], list[Joint]]:
    links = [replace(link, name=f"{key}_{link.name}") for link in arm.links]
    joints = []
    for joint in arm.joints:
        mimic = None if joint.mimic is None else replace(joint.mimic, joint=f"{key}_{joint.mimic.joint}")
        joints.append(replace(joint, name=f"{key}_{joint.name}", parent=f"{key}_{joint.parent}",
                              child=f"{key}_{joint.child}", mimic=mimic))
    return links, joints


def _coordinates(key: str, arm: Robot, q: Mapping[str, ArrayLike] | None) -> list[float]:
    if q is not None and key in q:
        values = np.asarray(q[key], dtype=float)
        if values.shape != (arm.nq,):
            raise ModelError(f"grasp: q of '{key}' has the shape {values.shape}: expected ({arm.nq},)")
        return [float(x) for x in values]
    start = arm.near
    return [float(x) for x in (start or arm.neutral())]
