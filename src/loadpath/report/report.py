"""The report: one HTML file with what a robot carries over a motion, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath._version import __version__
from loadpath.loads.carriers import is_closed
from loadpath.loads.wrench import Wrench
from loadpath.motion import Motion
from loadpath.printable import printable
from loadpath.report.beams import beams
from loadpath.report.blocks import Section
from loadpath.report.causes import causes, leading_components
from loadpath.report.closed import counts, mechanism
from loadpath.report.collecting import collected_warnings
from loadpath.report.fatigue import fatigue
from loadpath.report.over_time import drive_charts
from loadpath.report.overview import overview
from loadpath.report.page import render
from loadpath.report.peaks import bearing_table, drive_table, wrench_table
from loadpath.report.vibration import vibration
from loadpath.states import LoadCase, MotionLike, StateBatch, as_motion
from loadpath.structure.quantities import is_flexible
from loadpath.whole_file import check_ending, write_whole

if TYPE_CHECKING:
    from loadpath.api import Robot
    from loadpath.api.flexible import FlexibleRobot
    from loadpath.structure.response.result import MotionResponse

MOST_SAMPLES = 400
"""Samples that charts show, in addition to the peaks, which are found among all."""
SAMPLES_OF_CAUSES = 151


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report in memory: `save` writes it, `html` is its text."""

    title: str
    subtitle: str
    sections: Sequence[Section]

    @property
    def html(self) -> str:
        """The whole page: it needs no other file and no network."""
        footer = (
            f"Made by Loadpath {__version__}. SI units; z of the world points up. Wrenches are exerted by the "
            "parent on the child, at the joint's origin, in the child's joint frame. Friction and rotors act inside "
            "the drives and load no bearing."
        )
        return render(self.title, self.subtitle, self.sections, footer)

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the page, whole or not at all: over a regular file, through a link, into a pipe or device. Its name
        ends in .html or .htm, or has no ending.
        """
        check_name(path)
        return write_whole(path, lambda file: file.write(self.html.encode()))

    def __repr__(self) -> str:
        return f"<report '{printable(self.title)}': {', '.join(section.title for section in self.sections)}>"


def check_name(path: str | PathLike[str]) -> None:
    """Refuse a name that promises another format than HTML."""
    check_ending(path, (".html", ".htm"), "a report")


def report(
    robot: Robot,
    motion: Motion | MotionLike | None = None,
    *,
    external: Mapping[str, Wrench] | None = None,
    base_velocity: ArrayLike | None = None,
    base_acceleration: ArrayLike | None = None,
    weights: ArrayLike | Mapping[str, ArrayLike] | None = None,
    preload: ArrayLike | Mapping[str, ArrayLike | Wrench] | None = None,
    title: str | None = None,
    about: str = "",
    notes: Sequence[str] = (),
    sections: Sequence[Section] = (),
    elastic: FlexibleRobot | None = None,
    respond: Callable[..., MotionResponse] | None = None,
) -> Report:
    """The report of a robot over a motion or a simulation (without one, a swing from rest to rest): torques, speeds and
    power, peak joint wrenches and bearing loads, and for every joint its load by cause; of a flexible arm also its
    deflection, the safety of its beams against yield and buckling, its lowest natural frequency, its vibration and
    fatigue. `external`, `base_velocity`, `base_acceleration`, `weights` and `preload` are as in `peak_loads`, one for
    all samples or one for each. `about` is a sentence for its head, `notes` stand there as warnings, with those about
    the motion; `sections` are added after its own, their figures with those of the others in the overview. `elastic` is
    what bends where that is more than the robot (an arm on tyres), and `respond` is asked for its vibration.

    >>> import loadpath as lp
    >>> lp.catalog.planar(1).report()
    <report 'planar1': Overview, Drives, Joints, Where the loads come from>
    """
    case = LoadCase(external, base_velocity, base_acceleration, weights, preload)
    case = case.with_motion_of(motion, robot, "report")
    motion = Motion.swing(robot) if motion is None else as_motion(robot, motion, "report", counts_loads=True)
    if not robot.n:
        raise ValueError(f"robot '{robot.name}' has no moving joints: there is nothing to report over a motion")
    with collected_warnings() as said:
        peaks = robot.peak_loads(motion, **case.keywords)
    warned = list(dict.fromkeys([*notes, *motion.problems(), *said]))
    few = spread(len(motion), MOST_SAMPLES, peaks.drive.magnitude_at, peaks.power.magnitude_at)
    tau = robot.inverse_dynamics(motion.q[few], motion.qd[few], motion.qdd[few], **peaks.states.case_of(few).keywords)
    leading = leading_components(peaks)
    worst = [peaks[joint, component].peak.sample for joint, component in leading.items()]
    fewer = spread(len(motion), SAMPLES_OF_CAUSES, worst)
    at_fewer = motion.q[fewer], motion.qd[fewer], motion.qdd[fewer]
    breakdown = robot.load_breakdown(*at_fewer, **peaks.states.case_of(fewer).keywords, compiled=False)
    mass = sum(link.inertia.mass for link in robot.links)
    subtitle = (
        f"{counts(robot)}, {mass:.4g} kg. Motion of {motion.duration:.4g} s, {len(motion):,} samples. {about}".rstrip()
    )
    own = [
        Section("Drives", "", [drive_table(peaks), *drive_charts(robot, motion.t[few], motion.qd[few], tau)]),
        Section("Joints", "", [bearing_table(peaks), wrench_table(peaks)]),
        causes(motion.t[fewer], breakdown, leading),
    ]
    if is_closed(robot):
        own.insert(0, mechanism(peaks))
    own += _elastic_sections(robot if elastic is None else elastic, motion, peaks.states, fewer, respond)
    own += sections
    first = overview(peaks, warned, [figure for section in own for figure in section.figures])
    return Report(title or robot.name, subtitle, [first, *own])


def _elastic_sections(
    robot: Robot,
    motion: Motion,
    states: StateBatch,
    few: NDArray[np.intp],
    respond: Callable[..., MotionResponse] | None,
) -> list[Section]:
    if not is_flexible(robot) or not (robot.beams or robot.joint_compliances):
        return []
    found, tip = beams(robot, motion, states, few)
    made = [found, vibration(robot, motion, states.case.keywords, tip, respond)]
    if robot.beams:
        made.append(fatigue(robot, motion, states.case.keywords))
    return made


def spread(samples: int, most: int, *also: ArrayLike) -> NDArray[np.intp]:
    """Numbers of samples, first and last among them, no more than so many, and those given.

    >>> spread(101, 3, [7, 50]).tolist()
    [0, 7, 50, 100]
    """
    even = np.linspace(0, samples - 1, min(samples, most)).round()
    return np.unique(np.concatenate([even, *(np.ravel(numbers) for numbers in also)])).astype(np.intp)
