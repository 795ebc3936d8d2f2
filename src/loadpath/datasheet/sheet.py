"""`robot.datasheet(motion)`: what a maker prints of a robot, computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import numpy as np

from loadpath.datasheet.handled import Handled
from loadpath.datasheet.load_pages import compliance_section, duty_section, foundation_section, payload_section
from loadpath.datasheet.pages import (
    drive_section,
    joint_table,
    mass_table,
    stopping_section,
    workspace_section,
)
from loadpath.datasheet.picture import standing, still_picture
from loadpath.datasheet.stopping import Stopping, largest_speeds, stopping
from loadpath.datasheet.torque_speed import TorqueSpeed, torque_speed
from loadpath.datasheet.workspace import Workspace, workspace
from loadpath.errors import ModelError
from loadpath.handling.compliance import StaticCompliance
from loadpath.handling.duty import DutyMap
from loadpath.handling.foundation import FoundationLoads
from loadpath.handling.result import PayloadDiagram
from loadpath.motion import DutySpectrum, Motion
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.printable import printable
from loadpath.progress import Report as Progress
from loadpath.progress import reporting
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.report.basis import mounting
from loadpath.report.blocks import Chart, Facts, Figure, Section, number
from loadpath.report.closed import counts
from loadpath.report.collecting import collected_warnings, one_a_kind
from loadpath.report.data import data_of_parts
from loadpath.report.page import Paper
from loadpath.report.record import made_in_words, signatures
from loadpath.report.report import Report
from loadpath.robot.ends import link_or_only_end, loose_ends_of
from loadpath.robot.inertia import Inertia
from loadpath.robot.numbers import known
from loadpath.robot.numbers import number as checked_number
from loadpath.robot.parameters import payloads_of
from loadpath.robot.units_of_text import in_si
from loadpath.scalars.types import Floats
from loadpath.simulate.power_off import BrakeLike
from loadpath.states import MotionLike, as_motion

if TYPE_CHECKING:
    from loadpath.quantities.table import RobotQuantities

SECTIONS = ("workspace", "payload", "stopping", "foundation", "compliance", "life", "drives")
"""What `only` may name, in the order of the page."""
UNNAMED = "where no link is named"
"""In what the library says of a tip that it found by itself: the sheet names its own."""
ASSUMED = (
    "Links are rigid and joints without play.",
    "Stops: the other joints stand, as if held; limits of joints and obstacles stop nothing. Of a joint with several "
    "brakes all grip when the last one does. A gear that gives way rings when a brake grips at once, and its momentary "
    "peak may be twice as large as that of a rigid one.",
    "Poses are the worst of those drawn from the ranges of the joints, the same at every call; the ends of the "
    "workspace are found from the outermost of them.",
)


@dataclass(frozen=True, eq=False, repr=False)
class Datasheet:
    """A data sheet in memory: its numbers, and `save` for the page."""

    robot: RobotQuantities
    link: str
    """Its tip."""
    payload: float
    """kg: the payload at 100 %; 0 where none is stated."""
    workspace: Workspace | None
    stopping: Stopping | None
    drives: tuple[TorqueSpeed, ...]
    payload_diagram: PayloadDiagram | None
    foundation: FoundationLoads | None
    compliance: Mapping[str, StaticCompliance]
    """By poses: "as drawn" and "stretched out"; empty where nothing gives way."""
    duty_map: DutyMap | None
    left_out: tuple[str, ...]
    """What is not on it, and what to give for it: a sentence each."""
    page: Report

    @property
    def html(self) -> str:
        """The whole page: it needs no other file and no network."""
        return self.page.html

    def save(self, path: str | PathLike[str], *, paper: Paper = "a4") -> Path:
        """Writes the page, whole or not at all: .html, or .pdf as `report.save` does."""
        return self.page.save(path, paper=paper)

    def __repr__(self) -> str:
        return f"<data sheet '{printable(self.page.title)}': {', '.join(part.title for part in self.page.sections)}>"


@takes_loads
def datasheet(
    robot: RobotQuantities,
    motion: Motion | MotionLike | DutySpectrum | None = None,
    *,
    payload: float | None = None,
    link: str | None = None,
    hours: float | None = None,
    only: Sequence[str] | None = None,
    brakes: Mapping[str, BrakeLike] | None = None,
    title: str | None = None,
    about: str = "",
    notes: Sequence[str] = (),
    sources: Mapping[str, str | Sequence[str]] | None = None,
    revisions: Sequence[Sequence[str]] = (),
    progress: bool | Progress = False,
    **acting: Unpack[DriveLoadKeywords],
) -> Datasheet:
    """The data sheet of a robot, as one page, HTML or PDF: `robot.datasheet(duty).save("sheet.html")`. It has the
    robot with its joints and masses, its workspace in two views, stopping times and distances of the first three joints
    at thirds of speed, payload and extension, torque over speed of every drive; and what `payload_diagram`,
    `foundation_loads`, `static_compliance` and `duty_map` say of it.

    `motion` is the duty of the drives (a motion, simulation or duty spectrum; without one, a swing from rest to rest).
    `external=`, `base_velocity=`, `gravity=` ... act during the duty, as in `motor_loads`.
    `payload` (kg) is the rated one, a point mass at the origin of `link`, the only end unless given; without it the
    payload that the robot carries (`with_payload`). `hours` is the life that parts shall have;
    `only` are sections of `SECTIONS` beside those that every sheet has; `brakes` are as `robot.stop` takes them, else
    those of `with_parts`. What the robot's data lack is left out:
    `left_out` says what to give. `sources`, `notes` and `revisions` are as in `loadpath.report.report`; `progress` is
    True for a bar, or a function of the share done.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2).with_limits({"joint1": lp.Limits(velocity=2.0, effort=60.0)})
    >>> sheet = arm.datasheet(payload=1.0)
    >>> round(sheet.workspace.reach, 9), sheet.stopping["joint1", 1].time.shape
    (2.0, (3, 3, 3))
    """
    if robot.on_wheels:
        raise ModelError(f"robot '{robot.name}' is on wheels, which stop and reach otherwise: "
                         "rover.on_fixed_base.datasheet(...) is of the arm on a base at rest")
    if not robot.n:
        raise ModelError(f"robot '{robot.name}' has no moving joints: there is nothing to put on a data sheet")
    wanted = _wanted(only)
    tip, mass, loaded = _loaded(robot, payload, link)
    full = loaded(1.0)
    duty: Any = Motion.swing(full) if motion is None else motion
    if not is_spectrum(duty):
        duty = as_motion(full, duty, "datasheet", counts_loads=True)
    left_out: list[str] = []
    if not mass:
        left_out.append("Shares of the payload: none is stated. Give payload= (--payload), kg, or a robot that carries "
                        "one.")
    with reporting(progress, f"data sheet of {robot.name}") as report, collected_warnings() as said:
        speeds = largest_speeds(full)
        where = _asked(lambda: workspace(full, tip), "The workspace", left_out) if wanted - {"drives"} else None
        report(0.15)
        stops = None
        if "stopping" in wanted and full.closing_names:
            left_out.append("Stops: with loops joints do not move one alone; robot.stop(motion) has those of all.")
        elif "stopping" in wanted:
            rigid = cache(lambda share: _rigid(loaded(share)))
            stops = _asked(lambda: stopping(rigid, mass, tip, speeds, brakes=brakes,
                                            report=lambda share: report(0.15 + 0.2 * share)), "Stops", left_out)
        report(0.35)
        drives: tuple[TorqueSpeed, ...] = ()
        if "drives" in wanted:
            drives = _asked(lambda: torque_speed(full, duty, acting["under"]), "Torque over speed", left_out) or ()
        report(0.4)
        bare, center = loaded(0.0), _center(full, mass)
        loads = Handled(full, bare, None if motion is None else duty, tip, mass, center, where, hours, acting["under"])
        diagram = _asked(loads.diagram, "The payload diagram", left_out) if "payload" in wanted else None
        report(0.7)
        foundation = (_asked(lambda: loads.foundation(duty, brakes, left_out), "Loads on the foundation", left_out)
                      if "foundation" in wanted else None)
        report(0.9)
        compliance = (_asked(loads.compliance, "Static compliance", left_out) if "compliance" in wanted else None) or {}
        life = _asked(loads.duty_map, "Speed, payload and life", left_out) if "life" in wanted else None
        report(0.98)
        left_out += [] if stops is None else stops.left_out
        lacking = [one.drive for one in drives if not one.peak]
        if lacking:
            left_out.append(f"Limits of {', '.join(lacking)} in torque and speed: none are known. Give the joints "
                            "lp.Limits(effort=..., velocity=...), or an lp.Motor with a drive train.")
    words = _duty_in_words(duty, motion is None)
    of_loads = {
        "diagram": [] if diagram is None else [payload_section(diagram, loads.states_in_words, mass)],
        "foundation": [] if foundation is None else [foundation_section(foundation, words)],
        "compliance": [compliance_section(compliance, mass)] if compliance else [],
        "life": [] if life is None else [duty_section(life, words)],
    }
    data = data_of_parts(full)
    sections = [
        _robot_section(full, mass, where, speeds),
        *([] if where is None or "workspace" not in wanted else [workspace_section(where)]),
        *of_loads["diagram"], *([] if stops is None or not stops.tables else [stopping_section(stops)]),
        *of_loads["foundation"], *of_loads["compliance"], *of_loads["life"],
        *([drive_section(drives, words)] if drives else []), *([] if data is None else [data]),
        _record(full, mass, tip, words, sources or {}, left_out), *([signatures(revisions)] if revisions else []),
    ]
    warned = one_a_kind([*notes, *(text for text in said if UNNAMED not in text)])
    sections[0] = replace(sections[0], warnings=warned)
    subtitle = " ".join(part for part in (f"Data sheet. {counts(full)}, {_mass(full) - mass:.4g} kg.", about) if part)
    page = Report(title or robot.name, subtitle, sections, warned)
    return Datasheet(full, tip, mass, where, stops, drives, diagram, foundation, compliance, life, tuple(left_out),
                     page)


def _wanted(only: Sequence[str] | None) -> set[str]:
    """The sections to make."""
    if only is None:
        return set(SECTIONS)
    if isinstance(only, str):
        raise ValueError(f"only is {only!r}: expected a list of sections, like only=[{only!r}]")
    return {known(name.lower(), SECTIONS, "section") for name in only}


T = TypeVar("T")


def _asked(ask: Callable[[], T], what: str, left_out: list[str]) -> T | None:
    """What a call returns; where the robot's data do not suffice, why, among what is left out."""
    try:
        return ask()
    except (ModelError, ValueError) as problem:
        words = re.sub("^[a-z_]+: ", "", str(problem)).rstrip(".")  # without the function that says so
        left_out.append(f"{what}: {words}.")
        return None


def _loaded(
    robot: RobotQuantities, payload: float | None, link: str | None
) -> tuple[str, float, Callable[[float], RobotQuantities]]:
    """The tip, the rated payload, and the robot with a share of it."""
    carried = {name: robot.link(name).inertia for name in payloads_of(robot) if robot.link(name).inertia.mass > 0}
    on = {joint.child: joint.parent for joint in robot.joints}
    if link is None and len({on[name] for name in carried}) == 1:
        tip = on[next(iter(carried))]
    elif link is None and robot.closing_names and not payload:
        tip = loose_ends_of(robot)[0]
    else:
        tip = link_or_only_end(robot, link)
    if payload is not None:
        payload = checked_number(in_si(payload, ("mass",), "payload"), "payload")
        if payload < 0:
            raise ValueError(f"payload is {payload} kg: expected zero or more")
        bare: Any = robot
        for name in carried:
            bare = bare.without_payload(name)
        if not payload:
            return tip, 0.0, lambda share: bare
        return tip, payload, cache(lambda share: bare.with_payload(share * payload, link=tip) if share else bare)
    mass = sum(body.mass for body in carried.values())
    given: Any = robot

    @cache
    def shared(share: float) -> RobotQuantities:
        if share == 1.0 or not mass:
            return robot
        if not share:
            bare: Any = robot
            for name in carried:
                bare = bare.without_payload(name)
            found: RobotQuantities = bare
            return found
        found = given.with_inertias({name: Inertia(share * body.mass, body.center_of_mass,
                                                                    share * np.array(body.tensor))
                                                      for name, body in carried.items()})
        return found

    return tip, mass, shared


def _center(robot: RobotQuantities, mass: float) -> Floats:
    """(3,), m: of all payloads, in the frame of the link that carries them."""
    found = np.zeros(3)
    for name in payloads_of(robot) if mass else ():
        body = robot.link(name).inertia
        found += body.mass / mass * np.array(body.center_of_mass)
    return found


def _rigid(robot: Any) -> RobotQuantities:
    found: RobotQuantities = robot.without_beams() if robot.is_elastic else robot
    return found


def _mass(robot: RobotQuantities) -> float:
    return sum(link.inertia.mass for link in robot.links)


def _duty_in_words(duty: Any, swing: bool) -> str:
    if is_spectrum(duty):
        return f"{len(duty.motions)} motions with their shares"
    words = f"{duty.duration:.4g} s"
    return f"none is given: a swing of every joint, {words}" if swing else f"{duty.source or 'a motion'}, {words}"


def _robot_section(
    robot: RobotQuantities, mass: float, where: Workspace | None, speeds: Floats
) -> Section:
    figures = [Figure("Payload", f"{number(mass)} kg" if mass else "not stated")]
    if where is not None:
        figures.append(Figure("Reach", f"{1000 * where.reach:,.0f} mm", f"from the axis of {where.axis}"))
    figures.append(Figure("Mass", f"{number(_mass(robot) - mass)} kg", "without the payload"))
    figures.append(Figure("Driven freedoms", f"{robot.n}"))
    masses = mass_table(robot, payloads_of(robot) if mass else ())
    return Section("The robot", "", [_picture(robot, where), joint_table(robot, speeds), masses], figures)


def _picture(robot: RobotQuantities, where: Workspace | None) -> Chart:
    """Reaching forward and up where that can be looked for, else as it is assembled."""
    if where is not None:
        q = standing(robot.on_fixed_base, where)
    else:
        q = np.asarray(robot.home if robot.closing_names else robot.neutral(), dtype=float)
    return still_picture(robot, q, robot.name)


def _record(
    robot: RobotQuantities, mass: float, tip: str, duty: str, sources: Mapping[str, str | Sequence[str]],
    left_out: Sequence[str],
) -> Section:
    rows: list[tuple[str, str | Sequence[str]]] = [
        ("Robot", f"{robot.name}: {counts(robot)}"), *sources.items(),
        ("Payload", f"{number(mass)} kg on '{tip}'" if mass else "none"),
        ("Duty", duty), ("Gravity and mounting", mounting(robot)), ("Assumed", list(ASSUMED)),
        ("Left out", list(left_out) or "nothing"), ("Made", made_in_words()),
    ]
    return Section("How it was made", "", [Facts("", rows)])
