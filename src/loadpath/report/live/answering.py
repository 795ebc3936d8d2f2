"""What a page computes with: the samples of the motion, the robot's equations, limits, axes and checks; or why not."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.exports.webassembly.kernel import page_kernel
from loadpath.loads.peaks.result import PeakLoads
from loadpath.loads.resultants import effort_limits, unit_of
from loadpath.motion import Motion
from loadpath.plotting import COLORS
from loadpath.progress import part
from loadpath.quantities.carriers import carriers, is_closed
from loadpath.quantities.load_index import cause_label, index_of
from loadpath.quantities.table import RobotQuantities
from loadpath.report.blocks import vector
from loadpath.report.charts import DASHES, HUES
from loadpath.report.collecting import collected_warnings
from loadpath.report.live.checks import checks_of
from loadpath.report.peaks import is_mounted, speed_limits
from loadpath.robot.drive_train.drive import TorsionSpring
from loadpath.robot.edit import with_payload
from loadpath.robot.model import RobotModel
from loadpath.scalars import zeros
from loadpath.scalars.types import Floats, Ints
from loadpath.states import LoadCase
from loadpath.states.batch import time_weights

if TYPE_CHECKING:
    from loadpath.exports.webassembly.kernel import WebAssemblyKernel
    from loadpath.parts.verdict.result import Verdict

# The payload that the page's control changes: the one that the robot carries, or one at the end of the arm.

NAME = "payload"
SHARE = 0.15
"""Of a robot's mass: so much payload the control reaches where there is none to begin with."""


class Payload(NamedTuple):
    """A payload whose mass is an argument."""

    robot: RobotQuantities
    """With the payload as a link of its own."""
    link: str
    mass: float
    """kg, as the report was made."""
    largest: float
    """kg, at the end of the control."""
    words: str


def payload_of(robot: RobotQuantities) -> Payload | str:
    """The payload, or why there is none to change.

    >>> import loadpath as lp
    >>> payload_of(lp.catalog.panda().with_payload(2.0)).words
    "on 'panda_link8', its mass center at (0, 0, 0) m, a point mass"
    """
    worn = [j for j in robot.joints if j.child.startswith(NAME) and not j.motion.dof]
    worn = [j for j in worn if not any(other.parent == j.child for other in robot.joints)]
    if len(worn) > 1:
        return f"it carries {len(worn)} payloads: {', '.join(j.child for j in worn)}"
    if worn:
        link, loaded = worn[0].child, robot
    else:
        try:
            with collected_warnings():
                loaded = with_payload(robot, 0.0, name=NAME)
        except (ValueError, ModelError) as problem:
            return str(problem)
        link = NAME
    joint, body = next(j for j in loaded.joints if j.child == link), loaded.link(link).inertia
    if not body.mass and np.any(body.tensor):
        return f"its payload '{link}' has inertia and no mass"
    spread = "its inertia in proportion to its mass" if np.any(body.tensor) else "a point mass"
    words = f"on '{joint.parent}', its mass center at {vector(body.center_of_mass)} m, {spread}"
    whole = sum(part.inertia.mass for part in robot.links if part.name != link)
    return Payload(loaded, link, body.mass, _round_up(max(2.5 * body.mass, SHARE * whole)), words)


def _round_up(mass: float) -> float:
    """To 1, 2 or 5 times a power of ten.

    >>> _round_up(3.1), _round_up(0.0)
    (5.0, 1.0)
    """
    if mass <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(mass))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= mass * (1 - 1e-9)))


# Which samples of a motion go into the page: all, or of very long ones some, the peaks among them.

MOST_NUMBERS = 120_000
"""Of q, qd and qdd together, about 1 MB: of a robot of seven joints 5,700 samples."""


def kept_samples(peaks: PeakLoads, also: Iterable[int]) -> Ints:
    """Numbers of the samples: all, or spread evenly, with those of all peaks and those that are named."""
    count = len(peaks.states)
    most = MOST_NUMBERS // max(peaks.robot.nq + 2 * peaks.robot.n, 1)
    if count <= most:
        return np.arange(count)
    named = [np.array(list(also), dtype=np.intp)]
    for statistics in (peaks.components, peaks.resultants, peaks.drive, peaks.speed, peaks.power):
        named += [statistics.maximum_at.ravel(), statistics.minimum_at.ravel()]
    even = np.linspace(0, count - 1, most).round().astype(np.intp)
    return np.unique(np.concatenate([even, *named]))


def encoded(values: Floats) -> str:
    """Numbers as the page reads them: little-endian doubles in base64.

    >>> encoded(np.array([1.0]))
    'AAAAAAAA8D8='
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


LOADS = ("inverse_dynamics", "joint_wrenches", "link_poses")
MOST_JOINTS = 80
"""Robots of more have equations too long for a page."""
LARGEST_KERNEL = 1_500_000
"""Letters of the equations by cause, packed: of more, stacks stay as they were computed."""


@dataclass(frozen=True, eq=False)
class Answering:
    """A page that answers: what goes into it."""

    peaks: PeakLoads
    motion: Motion
    verdict: Verdict | None
    start: int
    """The sample that the picture shows first."""
    windows: Mapping[int, Ints]
    """By the numbers of joints, the samples of their charts by cause."""

    @property
    def robot(self) -> RobotQuantities:
        """The robot of the report."""
        return self.peaks.robot

    @cached_property
    def payload(self) -> Payload | str:
        """The payload that the control changes, or why there is no such control."""
        return payload_of(self.robot)

    @cached_property
    def kernels(self) -> tuple[WebAssemblyKernel, str]:
        """The equations of all loads, and those by cause, packed; nothing in place of the latter where they are too
        long.
        """
        traced, parameters = self.robot, ["gravity"]
        if not isinstance(self.payload, str):
            traced, parameters = self.payload.robot, [f"{self.payload.link}.mass", "gravity"]
        names = (*LOADS, "base_wrench") if is_mounted(self.robot) else LOADS
        with part(0.2):
            loads = page_kernel(traced, names, parameters=parameters)
        if not (self.windows or self.verdict) or len(index_of(traced).terms) > MOST_TERMS:
            return loads, ""
        with part(0.8):
            by_cause = page_kernel(traced, ("load_terms",), parameters=parameters).packed
        return loads, by_cause if len(by_cause) <= LARGEST_KERNEL else ""

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        loads, by_cause = self.kernels
        peaks, robot, traced = self.peaks, self.robot, loads.robot
        rows = [int(row) for window in self.windows.values() for row in window]
        checks = [] if self.verdict is None else list(self.verdict.checks)
        decided = [check.at.sample for check in checks if check.at is not None and not check.case]
        kept = kept_samples(peaks, [self.start, *rows, *decided])
        states, t = peaks.states, self.motion.t[kept]
        weight = states.weights if len(kept) == len(states) else time_weights(t)
        place = {int(sample): k for k, sample in enumerate(kept)}
        effort, speed = effort_limits(robot), speed_limits(robot)
        return {
            "samples": len(states), "kept": len(kept), "start": place[self.start],
            "n": robot.n, "nq": robot.nq, "dofs": robot.dof_names, "joints": traced.joint_names,
            "links": traced.link_names, "parts": bool(robot.parts),
            "drive_units": [unit_of(robot, name, "drive") for name in robot.dof_names],
            "axes": [joint.motion.axis_direction() for joint in traced.joints],
            "travel": _travel(traced), "skeleton": _skeleton(traced),
            "limits": {"effort": _finite(effort), "speed": _finite(speed)},
            "base": {"payload": 0.0 if isinstance(self.payload, str) else self.payload.mass,
                     "gravity": [float(g) for g in robot.gravity]},
            "payload": self._payload(), "no_payload": self.payload if isinstance(self.payload, str) else "",
            "colors": COLORS, "dashes": DASHES, "hues": HUES,
            "peaks": _signed(peaks), "checks": checks_of(robot, checks, place),
            "basis": {} if self.verdict is None else _basis(self.verdict),
            "windows": {str(joint): [place[int(row)] for row in window] for joint, window in self.windows.items()},
            "terms": _terms(traced) if by_cause else [], "drives": drives_of(robot),
            "t": encoded(t), "q": encoded(states.q[kept]), "qd": encoded(states.qd[kept]),
            "qdd": encoded(states.qdd[kept]), "weight": encoded(weight),
            "kernel": loads.packed, "by_cause": by_cause,
        }

    def _payload(self) -> dict[str, Any] | None:
        if isinstance(self.payload, str):
            return None
        body = self.payload.robot.link(self.payload.link).inertia
        argument = self.kernels[0].inputs[-2].name
        return {"link_number": self.payload.robot.link_names.index(self.payload.link), "argument": argument,
                "center": [float(x) for x in body.center_of_mass], "largest": self.payload.largest,
                "words": self.payload.words}


MOST_TERMS = 6_000
"""Rows of the table by cause."""


def why_static(robot: RobotQuantities, motion: Motion, peaks: PeakLoads, case: LoadCase) -> str:
    """Why the numbers of a page stay as they were computed; empty where they need not."""
    reasons = {
        "closed chains: loads go through loops that the page does not solve": is_closed(robot),
        "the base moves": case.base_motion,
        "gravity is given for the motion": case.gravity is not None,
        "weights or a preload of the drives are given": case.effort,
        "the motion carries loads of its own": motion.loads,  # these are among the wrenches, too
        "wrenches act from outside": case.external,
        "some states of the motion are not numbers": peaks.unknown.any(),
        f"{len(robot.joints)} joints have equations too long for a page": len(robot.joints) > MOST_JOINTS,
    }
    return next((words for words, holds in reasons.items() if holds), "")


def answering(
    peaks: PeakLoads, motion: Motion, verdict: Verdict | None, start: int, windows: Mapping[str, Ints]
) -> Answering:
    """What a page needs; `windows` are the samples of the charts by cause, by the names of joints."""
    names = [carrier.name for carrier in carriers(peaks.robot)]
    return Answering(peaks, motion, verdict, start, {names.index(joint): rows for joint, rows in windows.items()})


def asked(page: Answering) -> dict[str, Any] | str:
    """The data of a page, or why there is none: equations that cannot be traced with arguments, say."""
    try:
        return page.data()
    except (ValueError, ModelError) as problem:
        return str(problem)


def _basis(verdict: Verdict) -> dict[str, Any]:
    """What the page needs to say what a verdict rests on, at another speed, too."""
    basis = verdict.basis
    return {"motion": basis.motion, "duration": basis.duration, "rest": basis.rest, "sound": basis.sound,
            "hours": basis.hours}


def _terms(robot: RobotModel) -> list[list[Any]]:
    """Rows of the table by cause: the number of the joint, kind and words of the cause."""
    place = {name: k for k, name in enumerate(robot.joint_names)}
    return [[place[k.joint], k.kind, cause_label((k.kind, k.names))] for k in index_of(robot).terms]


def _finite(limits: Any) -> list[float | None]:
    return [float(limit) if math.isfinite(limit) else None for limit in limits]


def _signed(peaks: PeakLoads) -> list[float]:
    """Of each drive, the value of largest magnitude."""
    high, low = peaks.drive.maximum, peaks.drive.minimum
    return [float(value) for value in np.where(np.abs(high) >= np.abs(low), high, low)]


def _travel(robot: RobotModel) -> list[dict[str, float] | None]:
    """By joint, the speed that it travels with: as `loadpath.loads.resultants.travel` has it."""
    found: list[dict[str, float] | None] = []
    for joint in robot.joints:
        moves = joint.motion.dof and joint.motion.axis_direction() is not None
        found.append({"v": robot.v_slices[joint.name].start, "multiplier": abs(robot.mimic_of(joint).multiplier)}
                     if moves else None)
    return found


def _skeleton(robot: RobotModel) -> Sequence[dict[str, Any]]:
    """By joint, the link beyond it, and its frame in that of this link."""
    place = {name: k for k, name in enumerate(robot.link_names)}
    found = []
    for joint in robot.joints:
        frame = joint.link_offset.inverse().matrix
        turn = None if np.array_equal(frame[:3, :3], np.eye(3)) else frame[:3, :3].tolist()
        found.append({"child": place[joint.child], "origin": frame[:3, 3].tolist(), "turn": turn})
    return found


def drives_of(robot: RobotModel) -> list[dict[str, Any]]:
    """For every degree of freedom: `along`, six numbers (force first) for each joint that its drive moves, whose
    product with the wrench of that joint counts; whether it `rubs`, its rotor `turns`, a torsion spring is `wound`. Of
    joints with several freedoms, whose directions change with the pose, nothing.

    >>> import loadpath as lp
    >>> drives_of(lp.catalog.planar(1))[0]["along"]
    [{'joint': 0, 'column': [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]}]
    """
    found: list[dict[str, Any]] = [
        {"along": [], "rubs": False, "turns": False, "wound": False} for _ in robot.dof_names
    ]
    for number, joint in enumerate(robot.joints):
        if joint.motion.dof != 1:
            continue
        own = found[robot.v_slices[joint.name].start]
        own["rubs"] |= bool(joint.viscous_friction[0] or joint.coulomb_friction[0] or joint.stribeck[0] is not None)
        own["turns"] |= bool(joint.reflected_inertia[0])
        own["wound"] |= any(isinstance(spring, TorsionSpring) for spring in joint.springs[0])
        angular, linear = joint.motion.subspace(zeros(joint.motion.coordinates))[0]
        factor = robot.mimic_of(joint).multiplier
        own["along"].append({"joint": number, "column": [factor * float(part) for part in (*linear, *angular)]})
    return found
