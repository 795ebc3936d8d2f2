"""States as users hand them in: arrays, labelled tables, a motion or a simulation. All become plain arrays here.

| handed in | taken as |
|---|---|
| NumPy arrays, lists, Dask arrays | as they are, columns in the robot's order |
| a pandas Series or DataFrame, an xarray DataArray | its labels are joints: put in order, or refused by name |
| a masked array | refused where a value is masked |
| an `lp.Motion`, a simulation, or anything with `q`, `qd`, `qdd` | its joints are matched by names where it has names |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard

import numpy as np

from loadpath.motion.carried import Carried
from loadpath.motion.motion import Motion
from loadpath.motion.spectrum import DutySpectrum
from loadpath.robot.arrays import array_of, is_labelled, match_names, refuse_lost_quaternions, same_rows
from loadpath.robot.model import RobotModel
from loadpath.scalars.types import ArrayLike, Floats
from loadpath.states.questions import ask_about_state


class MotionLike(Protocol):
    """An `lp.Motion`, an `lp.Simulation`, or what else has the arrays of a motion, with time on their first axis."""

    @property
    def q(self) -> Floats:
        """(samples, nq)."""

    @property
    def qd(self) -> Floats:
        """(samples, n)."""

    @property
    def qdd(self) -> Floats:
        """(samples, n)."""


StatesLike: TypeAlias = MotionLike | ArrayLike
"""What may be handed in for states: a motion or a simulation, or the array q with others for qd and qdd."""


class States(NamedTuple):
    """Plain arrays in the robot's order."""

    q: Any
    qd: Any
    qdd: Any
    times: Floats | None = None
    """(samples,), s, of a motion that has them."""
    tau: Any = None
    """Forces of the drives, of a simulation."""


class Joints(NamedTuple):
    """Whose states they are, for messages, and the names of the entries of q and of qd, qdd."""

    name: str
    coordinate_names: tuple[str, ...]
    dof_names: tuple[str, ...]
    mounted: bool = False
    """Whether they are of robots on a rover, where all names of a robot may have a prefix."""
    base_link: str = ""

    @staticmethod
    def of(subject: Any) -> Joints:
        """Those of a robot, or of the robots on a rover."""
        names = subject.coordinate_names, subject.dof_names
        return Joints(subject.name, *names, subject.on_wheels, subject.link_names[0])

    def are(self, own: Joints) -> bool:
        """Whether these are the same joints in the same order, but for a prefix where a robot is mounted on a rover."""
        if self.dof_names == own.dof_names:
            return True
        if not self.mounted or not own.dof_names or not self.dof_names:
            return False
        prefix = self.dof_names[0].removesuffix(own.dof_names[0])
        return self.dof_names == tuple(prefix + name for name in own.dof_names)


def is_motion(value: object) -> TypeGuard[MotionLike]:
    """Whether states are given as a motion or a simulation: anything with the arrays q, qd and qdd that is no table.

    >>> from types import SimpleNamespace
    >>> is_motion(SimpleNamespace(q=[[0.0]], qd=[[0.0]], qdd=[[0.0]])), is_motion([[0.0]])
    (True, False)
    """
    if type(value) in (np.ndarray, list, tuple):
        return False
    has_arrays = hasattr(value, "q") and hasattr(value, "qd") and hasattr(value, "qdd")
    return has_arrays and not isinstance(value, tuple) and not is_labelled(value)


def read_array(joints: Joints, name: str, value: Any, caller: str = "") -> Any:
    """Coordinates ('q') or what belongs to the speeds ('qd', 'qdd', 'tau') without labels or masks."""
    names = joints.coordinate_names if name == "q" else joints.dof_names
    return array_of(value, names, f"{caller}: '{name}'" if caller else f"'{name}'")


def read_arrays(joints: Joints, arrays: Mapping[str, Any], caller: str = "") -> dict[str, Any]:
    """The same of several arrays that are used together."""
    same_rows(arrays, caller)
    return {name: read_array(joints, name, value, caller) for name, value in arrays.items()}


def read_states(
    subject: Any,
    q: Any,
    qd: Any = None,
    qdd: Any = None,
    *,
    caller: str = "",
    at_rest: bool = False,
    counts_loads: bool = False,
) -> States:
    """States of a robot, or of the robots on a rover: a motion or a simulation alone, or arrays. With `at_rest`, speeds
    and accelerations that are left out are zero; without, they are needed. A motion that carries loads is refused
    unless the caller counts them (`counts_loads`), as `LoadCase.with_motion_of` does.

    >>> from loadpath.robot.catalog import planar
    >>> read_states(planar(2), [0.1, 0.2], at_rest=True).qd.tolist()
    [0.0, 0.0]
    """
    if is_motion(q):
        if qd is not None or qdd is not None:
            also = " and ".join(f"'{name}'" for name, part in (("qd", qd), ("qdd", qdd)) if part is not None)
            start = f"{caller}: " if caller else ""
            raise ValueError(f"{start}{_described(q)} has its own qd and qdd: leave out {also}")
        states = read_motion(Joints.of(subject), q, caller, counts_loads=counts_loads)
        if getattr(subject, "quaternion_starts", None):
            refuse_lost_quaternions(subject, states.q, caller)
        return states
    refuse_spectrum(q, caller)
    if at_rest:
        still = np.zeros(subject.n)
        qd, qdd = still if qd is None else qd, still if qdd is None else qdd
    elif qd is None or qdd is None:
        raise ValueError(f"{caller}: expected q, qd and qdd, or a motion")
    if np.ndim(q) == 1:
        ask_about_state(subject, q, qd)
    if not type(q) is type(qd) is type(qdd) is np.ndarray:
        q, qd, qdd = read_arrays(Joints.of(subject), {"q": q, "qd": qd, "qdd": qdd}, caller).values()
    if getattr(subject, "quaternion_starts", None):
        refuse_lost_quaternions(subject, q, caller)
    return States(q, qd, qdd)


def read_motion(joints: Joints, motion: MotionLike, caller: str = "", *, counts_loads: bool = False) -> States:
    """The arrays of a motion or simulation in the order of these joints, or an error that names both."""
    if not counts_loads:
        refuse_loads_of(motion, caller)
    check = getattr(motion, "check_use", None)
    if check is not None:
        check(caller)
    start, what = f"{caller}: " if caller else "", _described(motion)
    parts = {name: getattr(motion, name) for name in ("q", "qd", "qdd")}
    if getattr(motion, "tau", None) is not None:
        parts["tau"] = motion.tau  # type: ignore[attr-defined]
    sizes, own = (np.shape(motion.q)[-1], np.shape(motion.qd)[-1]), _joints_of(motion)
    expected = len(joints.coordinate_names), len(joints.dof_names)
    if own is not None and not joints.are(own):
        if set(own.dof_names) != set(joints.dof_names) or len(own.coordinate_names) != sizes[0]:
            of = f"robot '{own.name}'" if own.name else "a robot"
            raise ValueError(f"{start}{what} is of {of} with {', '.join(own.dof_names)}; robot '{joints.name}' has "
                             f"{', '.join(joints.dof_names)}")
        of_q = match_names(own.coordinate_names, joints.coordinate_names, f"{start}{what}")
        of_speeds = match_names(own.dof_names, joints.dof_names, f"{start}{what}")
        for name in [name for name, part in parts.items() if not is_labelled(part)]:  # labels of its own count more
            plain = read_array(joints, name, parts[name], caller)
            parts[name] = np.asarray(plain)[..., of_q if name == "q" else of_speeds]
    elif sizes != expected:
        raise ValueError(f"{start}{what} has {sizes[0]} coordinates and {sizes[1]} speeds; robot '{joints.name}' has "
                         f"{expected[0]} and {expected[1]}")
    _refuse_motion_of_another_base(joints, motion, start)
    return States(**read_arrays(joints, parts, caller), times=times_of(motion))


def _refuse_motion_of_another_base(joints: Joints, motion: Any, start: str) -> None:
    """The base of a rover moves otherwise than the base of a robot that it carries."""
    moving = getattr(motion, "base_link", "")
    acts = moving and (motion.base_motion or motion.gravity is not None)
    if acts and not joints.mounted and moving != joints.base_link:
        does = "moves" if motion.base_motion else "has gravity as it acts on"
        raise ValueError(f"{start}the simulation {does} '{moving}', the base of a rover, and the base of robot "
                         f"'{joints.name}' is '{joints.base_link}': use rover.robot, or simulation.motion for the "
                         "joints alone")


def times_of(motion: object) -> Floats | None:
    """(samples,), s, of a motion or simulation that has them."""
    times = getattr(motion, "t", getattr(motion, "times", None))
    return None if times is None else np.asarray(times, dtype=float)


def as_motion(subject: Any, given: Any, caller: str, *, counts_loads: bool = False) -> Motion:
    """A motion as it is; a simulation, or what else has times, as a motion of the robot, or of those on a rover."""
    refuse_spectrum(given, caller)
    if not is_motion(given):
        raise ValueError(f"{caller} takes an lp.Motion or a simulation, not a {type(given).__name__}: "
                         "lp.Motion(t, q, qd, qdd) makes a motion of arrays")
    joints = Joints.of(subject)
    states = read_motion(joints, given, caller, counts_loads=counts_loads)
    if states.times is None:
        raise ValueError(f"{caller}: {_described(given)} has no times")
    if len(states.times) < 2:
        tipped = " (it tips over at the start)" if getattr(given, "tipped", False) else ""
        raise ValueError(f"{caller}: {_described(given)} has {len(states.times)} samples{tipped}: expected two or more")
    if isinstance(given, Motion) and (given.robot is None or joints.are(Joints.of(given.robot))):
        return given
    motion = Motion.from_checked(states.times, states.q, states.qd, states.qdd, getattr(subject, "robot", subject))
    return motion._with(loads=loads_of(given), source=source_of(given))


def source_of(states: object) -> str:
    """Where states come from, in a few words; nothing of arrays."""
    if isinstance(states, Motion):
        return states.source
    return "a simulation" if "Simulation" in type(states).__name__ else ""


def loads_of(states: object) -> tuple[Carried, ...]:
    """What a motion carries; nothing of other states."""
    if isinstance(states, DutySpectrum):
        return ()
    found = getattr(states, "loads", ())
    return found if isinstance(found, tuple) and all(isinstance(load, Carried) for load in found) else ()


def refuse_loads_of(states: object, caller: str, why: str = "") -> None:
    """Refuse a motion with loads where these cannot be taken into account."""
    loads = loads_of(states)
    if loads:
        because = why or "does not count loads that are picked up and put down"
        raise ValueError(f"{caller or 'this function'} {because}, and the motion carries '{loads[0].name}': take "
                         "robot.with_payload(...) for the part of the motion with it (motion.between), or "
                         "motion.with_loads([]) for the motion without")


def refuse_spectrum(given: object, caller: str) -> None:
    """Refuse a duty spectrum where one motion is looked at."""
    if isinstance(given, DutySpectrum):
        given.refuse(caller)


def _joints_of(motion: Any) -> Joints | None:
    """The joints of a motion that has names for them."""
    own = getattr(motion, "robot", None)
    if isinstance(own, RobotModel):
        return Joints.of(own)
    names = getattr(motion, "dof_names", None)
    if names is None or isinstance(motion, Motion):  # which without a robot only numbers its columns
        return None
    return Joints("", tuple(getattr(motion, "coordinate_names", names)), tuple(names))


def _described(motion: Any) -> str:
    """Words for a motion in messages."""
    return "the simulation" if "Simulation" in type(motion).__name__ else "the motion"
