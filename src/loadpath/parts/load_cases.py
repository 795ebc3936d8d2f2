"""Balanced load cases for finite-element models: all that acts on a link at the instants that matter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.loads.resultants import RESULTANTS, axes_of, resultants
from loadpath.motion import DutySpectrum
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.robot.numbers import known as known_name
from loadpath.robot.pose import Pose
from loadpath.scalars.types import Floats
from loadpath.states import LoadCase, StatesLike
from loadpath.states.unknown import not_finite
from loadpath.tables import data_frame, write_table
from loadpath.whole_file import write_whole

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities


# All that acts on every link of a robot in one state: at its joints, gravity, from outside, and its own inertia.
#
# With the forces of inertia (d'Alembert) each link is in equilibrium: what a finite-element model of it needs.


Frame = Literal["link", "world"]
Kind = Literal["joint", "loop", "support", "gravity", "external", "inertia"]


class LinkLoad(NamedTuple):
    """A force (N) and a moment (N m) about the point (m) where it acts on a link; (3,) each."""

    kind: Kind
    name: str
    """Of the joint or loop; of other kinds the kind itself."""
    point: Floats
    force: Floats
    torque: Floats


@dataclass(frozen=True, eq=False)
class LinkCase:
    """All that acts on one link at one instant, in the axes of its frame, points from its origin; or in world axes,
    points from the world's origin.

    Together with the inertia, `loads` sum to zero. A finite-element model gets those of the joints and from outside,
    and the field of gravity and acceleration: `gravity` and `acceleration` (m/s^2) of the mass center,
    `angular_velocity` (rad/s) and `angular_acceleration` (rad/s^2) about it.
    """

    link: str
    frame: Frame
    mass: float
    center_of_mass: Floats
    gravity: Floats
    acceleration: Floats
    angular_velocity: Floats
    angular_acceleration: Floats
    loads: tuple[LinkLoad, ...]

    @property
    def residual(self) -> tuple[Floats, Floats]:
        """Sum of all forces, and of all moments about the origin: zero but for rounding."""
        force = sum((load.force for load in self.loads), start=np.zeros(3))
        torque = sum((load.torque + np.cross(load.point, load.force) for load in self.loads), start=np.zeros(3))
        return force, torque

    @property
    def size(self) -> tuple[float, float]:
        """Sums of the magnitudes of forces and moments, which residuals are measured by."""
        arms = [float(np.linalg.norm(load.torque) + np.linalg.norm(load.point) * np.linalg.norm(load.force))
                for load in self.loads]
        return sum(float(np.linalg.norm(load.force)) for load in self.loads), sum(arms)


def link_cases(robot: RobotQuantities, state: tuple[Floats, ...], case: LoadCase, frame: Frame) -> list[LinkCase]:
    """All links in one state (q, qd, qdd)."""
    return list(_walk(robot, state, case, frame))


def _walk(robot: RobotQuantities, state: tuple[Floats, ...], case: LoadCase, frame: Frame) -> Iterator[LinkCase]:
    keywords, base = case.keywords, case.base_motion
    poses = [Pose.from_matrix(pose) for pose in np.asarray(robot.link_poses(state[0]))]
    turning = robot.link_velocities(*state[:2], **{k: v for k, v in base.items() if k == "base_velocity"})
    moving = robot.link_accelerations(*state, **base)
    at_links: dict[str, list[LinkLoad]] = {name: [] for name in robot.link_names}
    for link, load in (*_of_joints(robot, state, keywords, poses), *_support(robot, state, keywords, poses),
                       *_external(robot, case, poses)):
        at_links[link].append(load)
    gravity = np.array(robot.gravity if case.gravity is None else case.gravity, dtype=float)
    for k, body in enumerate(robot.links):
        R, p = poses[k].R, poses[k].p
        inertia = body.inertia
        arm = R @ np.array(inertia.center_of_mass)
        omega, alpha = np.asarray(turning.angular)[k], np.asarray(moving.angular)[k]
        a = np.asarray(moving.linear)[k] + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        tensor = R @ np.array(inertia.tensor) @ R.T
        loads = [
            *at_links[body.name],
            LinkLoad("gravity", "gravity", p + arm, inertia.mass * gravity, np.zeros(3)),
            LinkLoad("inertia", "inertia", p + arm, -inertia.mass * a,
                     -(tensor @ alpha + np.cross(omega, tensor @ omega))),
        ]
        vectors = {"gravity": gravity, "acceleration": a, "angular_velocity": omega, "angular_acceleration": alpha}
        center = p + arm
        if frame == "link":
            center = np.array(inertia.center_of_mass)
            vectors = {name: R.T @ vector for name, vector in vectors.items()}
            loads = [load._replace(point=R.T @ (load.point - p), force=R.T @ load.force, torque=R.T @ load.torque)
                     for load in loads]
        yield LinkCase(body.name, frame, inertia.mass, center, loads=tuple(loads), **vectors)


def _of_joints(
    robot: RobotQuantities, state: tuple[Floats, ...], keywords: dict[str, Any], poses: list[Pose]
) -> Iterator[tuple[str, LinkLoad]]:
    """What parent and child exert on each other at each joint and loop, in world axes."""
    number = {name: k for k, name in enumerate(robot.link_names)}
    wrenches = robot.joint_wrenches(*state, **keywords)
    for joint in robot.joints:
        here = poses[number[joint.child]] @ joint.link_offset.inverse()
        yield from _both(joint.name, "joint", joint.parent, joint.child, here, wrenches[joint.name])
    for loop in robot.loops:
        here = poses[number[loop.second]] @ loop.on
        yield from _both(loop.name, "loop", loop.first, loop.second, here, wrenches[loop.name])


def _both(name: str, kind: Kind, parent: str, child: str, here: Pose, wrench: Any) -> Iterator[tuple[str, LinkLoad]]:
    force, torque = here.R @ np.asarray(wrench.force), here.R @ np.asarray(wrench.torque)
    yield child, LinkLoad(kind, name, here.p, force, torque)
    yield parent, LinkLoad(kind, name, here.p, -force, -torque)


def _support(
    robot: RobotQuantities, state: tuple[Floats, ...], keywords: dict[str, Any], poses: list[Pose]
) -> Iterator[tuple[str, LinkLoad]]:
    """What the surroundings exert on the root link to hold the robot."""
    plain = {name: value for name, value in keywords.items() if name not in ("weights", "preload")}
    held = robot.base_wrench(*state, **plain)
    R, p = poses[0].R, poses[0].p
    yield robot.base.name, LinkLoad("support", "support", p, R @ np.asarray(held.force), R @ np.asarray(held.torque))


def _external(robot: RobotQuantities, case: LoadCase, poses: list[Pose]) -> Iterator[tuple[str, LinkLoad]]:
    for link, wrench in (case.external or {}).items():
        pose = poses[robot.link_names.index(link)]
        turn = np.eye(3) if wrench.axes == "world" else pose.R
        force, torque, point = (turn @ np.asarray(part, dtype=float) for part in
                                (wrench.force, wrench.torque, wrench.point))
        yield link, LinkLoad("external", "external", pose.p + point, force, torque)


# Which instants of a motion matter: where resultants of joints are largest, or where a verdict is decided.


LOOKED_AT = ("force", "radial_force", "torque", "tilting_moment")


class Chosen(NamedTuple):
    """An instant, and why."""

    motion: int
    sample: int
    because: tuple[str, ...]


def chosen_instants(
    robot: RobotQuantities, duties: tuple[Duty, ...], joints: Sequence[str] | None = None
) -> list[Chosen]:
    """Where the resultants are largest over all motions; instants of several peaks first."""
    every = robot.closed_joint_names
    if isinstance(joints, str):
        joints = (joints,)
    names = every if joints is None else tuple(known_name(name, every, "joint") for name in joints)
    columns = [every.index(name) for name in names]
    kinds = [RESULTANTS.index(kind) for kind in LOOKED_AT]
    axes = axes_of(robot)[columns]
    most = np.zeros((len(names), len(kinds)))
    at: dict[tuple[int, int], tuple[int, int]] = {}
    for duty in duties:
        for block in duty.blocks():
            found = robot.joint_wrenches(*block.arrays, **block.case.keywords)
            force, torque = np.asarray(found.force)[:, columns], np.asarray(found.torque)[:, columns]
            bad = not_finite(force, 2) | not_finite(torque, 2)
            sizes = np.abs(resultants(axes, force, torque)[..., kinds])
            sizes = np.where(np.isnan(sizes) | bad[:, None, None], -1.0, sizes)
            rows = sizes.argmax(axis=0)
            here = sizes.max(axis=0)
            for j, k in np.argwhere(here > most * (1 + 1e-9) + 1e-9):  # what rounding makes larger is no new peak
                most[j, k], at[int(j), int(k)] = here[j, k], (duty.number, block.first + int(rows[j, k]))
    if not at:
        first = next((int(k) for duty in duties for k in range(len(duty))), 0)
        return [Chosen(0, first, ("no load",))]
    return _gathered((place, f"largest {LOOKED_AT[k].replace('_', ' ')} at '{names[j]}'")
                     for (j, k), place in sorted(at.items()))


def deciding_instants(verdict: Verdict) -> list[Chosen]:
    """Where the rows of a verdict are decided, in the order of their utilisation."""
    rows = [row for row in verdict.ranked if row.at is not None and not row.case]
    if not rows:
        raise ValueError("no instant decides this verdict: nothing could be checked")
    found: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        assert row.at is not None
        found.setdefault((row.at.motion, row.at.sample), []).append(f"{row.check} of {row.part} at '{row.joint}'")
    return [Chosen(*place, tuple(why)) for place, why in found.items()]


def _gathered(pairs: Iterable[tuple[tuple[int, int], str]]) -> list[Chosen]:
    """One entry for each instant, those with the most reasons first."""
    found: dict[tuple[int, int], list[str]] = {}
    for place, why in pairs:
        found.setdefault(place, []).append(why)
    chosen = [Chosen(*place, tuple(why)) for place, why in found.items()]
    return sorted(chosen, key=lambda one: (-len(one.because), one.motion, one.sample))


COLUMNS = ("case", "motion", "sample", "time", "because", "link", "kind", "name", "frame", "x", "y", "z", "force_x",
           "force_y", "force_z", "torque_x", "torque_y", "torque_z")


@dataclass(frozen=True, eq=False, repr=False)
class BalancedCase:
    """All links of a robot at one instant: `case["link2"].loads`.

    >>> import loadpath as lp
    >>> case = lp.catalog.planar(1).load_cases(([0], [0], [0]))[0]
    >>> case["link1"].mass
    1.0
    """

    number: int
    motion: int
    sample: int
    time: float
    """s; NaN without times."""
    because: tuple[str, ...]
    """What is largest, or decides a verdict, at this instant."""
    links: tuple[LinkCase, ...]

    def __getitem__(self, link: str) -> LinkCase:
        found = [case for case in self.links if case.link == link]
        if not found:
            raise ValueError(f"no link '{link}'; there are {', '.join(case.link for case in self.links)}")
        return found[0]

    def __iter__(self) -> Iterator[LinkCase]:
        return iter(self.links)

    def __repr__(self) -> str:
        when = f"sample {self.sample}" if np.isnan(self.time) else f"{self.time:.6g} s"
        return printable(f"<load case {self.number} at {when}: {', '.join(self.because)}>")


@dataclass(frozen=True, eq=False, repr=False)
class LoadCases:
    """Balanced load cases of a robot, those of most peaks first: `cases[0]["link2"].loads`.

    Every link is in equilibrium under its loads with its inertia, which is one of them. `to_csv` and `to_dataframe`
    have a row for each load of each link, `to_json` the acceleration fields, too.

    >>> import loadpath as lp
    >>> lp.catalog.planar(1).load_cases(([0], [0], [0]))
    <1 load cases of 'planar1', 3 links each>
    """

    cases: tuple[BalancedCase, ...]
    robot: RobotQuantities
    frame: Frame

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[BalancedCase]:
        return iter(self.cases)

    def __getitem__(self, number: int) -> BalancedCase:
        return self.cases[number]

    def __repr__(self) -> str:
        return printable(f"<{len(self)} load cases of '{self.robot.name}', {len(self.robot.links)} links each>")

    @property
    def residual(self) -> float:
        """The largest sum of forces or moments on a link, relative to the magnitudes on the most loaded link."""
        found = [0.0]
        for case in self.cases:
            for k in (0, 1):
                size = max((link.size[k] for link in case.links), default=0.0)
                found += [float(np.linalg.norm(link.residual[k]) / size) for link in case.links if size > 0]
        return max(found)

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for case in self.cases:
            start = (case.number, case.motion, case.sample, None if np.isnan(case.time) else case.time,
                     "; ".join(case.because))
            for link in case.links:
                for load in link.loads:
                    numbers = np.concatenate([load.point, load.force, load.torque]).tolist()
                    values = (*start, link.link, load.kind, load.name, self.frame, *numbers)
                    rows.append(dict(zip(COLUMNS, values, strict=True)))
        return rows

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each load of each link in each case; N, N m, m."""
        return data_frame(self._rows(), COLUMNS)

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same rows as a CSV file; numbers in full, so that the loads of a link still sum to zero."""
        return write_table(path, COLUMNS, self._rows())

    def to_json(self, path: str | PathLike[str]) -> Path:
        """Cases, links and loads as JSON, with mass, mass center, gravity and accelerations of each link."""
        made = {"robot": self.robot.name, "frame": self.frame, "units": "SI", "cases": [_plain(c) for c in self.cases]}
        return write_whole(path, lambda file: file.write(json.dumps(made, indent=1).encode()))


def _plain(case: BalancedCase) -> dict[str, Any]:
    fields = ("center_of_mass", "gravity", "acceleration", "angular_velocity", "angular_acceleration")
    links = [
        {"link": link.link, "mass": link.mass, **{name: getattr(link, name).tolist() for name in fields},
         "loads": [{"kind": load.kind, "name": load.name, "point": load.point.tolist(), "force": load.force.tolist(),
                    "torque": load.torque.tolist()} for load in link.loads]}
        for link in case.links
    ]
    time = None if np.isnan(case.time) else case.time
    return {"case": case.number, "motion": case.motion, "sample": case.sample, "time": time, "because": case.because,
            "links": links}


@takes_loads
def load_cases(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    count: int | None = None,
    joints: Sequence[str] | None = None,
    frame: Frame = "link",
    **acting: Unpack[DriveLoadKeywords],
) -> LoadCases:
    """Balanced load cases for finite-element models, at the instants at which the resultants of the joints are largest:
    force, radial force, torque and tilting moment, of all joints or of `joints`. See `LoadCases`.

    Each has for every link the forces and moments at its joints, gravity, its inertia, what acts from outside and, of
    the root link, what holds the robot; they sum to zero. `frame="link"` has them in the axes of each link's frame,
    points from its origin, `"world"` in the world's. `count` keeps the instants of the most peaks. The other arguments
    are as in `peak_loads`; `motion` may be a spectrum. `verdict.load_cases()` has the instants that decide a verdict.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> cases = arm.load_cases(([0, 0], [0, 0], [0, 0]))
    >>> [(load.kind, load.name) for load in cases[0]["link2"].loads]
    [('joint', 'joint2'), ('joint', 'tip_joint'), ('gravity', 'gravity'), ('inertia', 'inertia')]
    >>> cases[0]["link2"].loads[0].force.round(9).tolist(), cases.residual < 1e-12
    ([0.0, 9.81, 0.0], True)
    """
    if frame not in ("link", "world"):
        raise ValueError(f"frame is {frame!r}: expected 'link' or 'world'")
    case = acting["under"]
    duties = duties_of(robot, "load_cases", motion, qd, qdd, case)
    return _made(robot, duties, chosen_instants(robot, duties, joints), count, frame)


def verdict_load_cases(verdict: Verdict, count: int | None = None, frame: Frame = "link") -> LoadCases:
    """Load cases at the instants that decide the rows of a verdict, those of the most utilised first."""
    return _made(verdict.robot, verdict.duties, deciding_instants(verdict), count, frame)


def _made(
    robot: RobotQuantities, duties: tuple[Duty, ...], chosen: list[Chosen], count: int | None, frame: Frame
) -> LoadCases:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ValueError(f"count is {count!r}: expected a number of load cases, 1 or more")
    cases = []
    for number, instant in enumerate(chosen[:count]):
        duty = duties[instant.motion]
        *state, case = duty.state(instant.sample)
        links = link_cases(robot, tuple(state), case, frame)
        time = duty.time_of(instant.sample)
        cases.append(BalancedCase(number, instant.motion, instant.sample, time, instant.because, tuple(links)))
    return LoadCases(tuple(cases), robot, frame)
