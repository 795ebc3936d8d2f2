"""The report: one HTML file with what a robot carries over a motion, and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loadpath._version import __version__
from loadpath.errors import ModelError
from loadpath.in_room import function_in_room
from loadpath.loads.motors.result import MotorLoads, motor_loads
from loadpath.loads.peaks.result import PeakLoads, peak_loads
from loadpath.motion import DutySpectrum, Motion
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.printable import printable
from loadpath.progress import each, part
from loadpath.quantities.carriers import is_closed
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.quantities.table import RobotQuantities
from loadpath.report.around import Around
from loadpath.report.basis import basis, header
from loadpath.report.beams import beams, fatigue, vibration
from loadpath.report.blocks import Block, Section
from loadpath.report.causes import causes, leading_components
from loadpath.report.charts import POINTS
from loadpath.report.closed import mechanism
from loadpath.report.collecting import collected_warnings, one_a_kind
from loadpath.report.cycles import of_cycles
from loadpath.report.data import data_of_parts
from loadpath.report.exceptions import exception_sections, refuse_wheels
from loadpath.report.fastest import Asked, fastest_section, found_on
from loadpath.report.live.answering import Answering, answering, asked, why_static
from loadpath.report.over_time import SAMPLES_OF_CAUSES, drive_charts, motion_charts, series, windows
from loadpath.report.overview import overview
from loadpath.report.page import PDF, Paper, browser, check_paper, printed, render
from loadpath.report.peaks import bearing_table, drive_tables, is_mounted, mount_table, wrench_table
from loadpath.report.record import signatures
from loadpath.report.robot_picture import Worst, worst_instant
from loadpath.report.shown import Shown, chosen_joints, shown_joints
from loadpath.report.spread import Spreads, sections_on, with_spreads
from loadpath.report.supply import supplies, supply_table
from loadpath.report.verdict import judged, verdict_section
from loadpath.scalars.types import Ints
from loadpath.states import LoadCase, MotionLike, StateBatch, as_motion
from loadpath.structure.quantities import ElasticQuantities
from loadpath.whole_file import check_ending, check_writable, write_whole, writes_through

if TYPE_CHECKING:
    from loadpath.parts.fitting import WheelRating
    from loadpath.parts.verdict.exceptions import ExceptionalCase
    from loadpath.parts.verdict.result import Verdict
    from loadpath.structure.response.result import MotionResponse

SECTIONS = ("verdict", "overview", "basis", "mechanism", "drives", "joints", "causes", "beams", "vibration", "fatigue",
            "exceptions", "data", "signatures")
"""What `only` may name, in the order of the page."""
FRAME_HEIGHT = 720
"""px, in a notebook."""
OF_ENVELOPES = (
    "Curves of so many samples are drawn as the smallest and largest value of each short stretch: a dense band is an "
    "oscillation, and no peak is left out."
)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report in memory: `save` writes it, `html` is its text."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    warnings: Sequence[str] = ()
    """About robot and motion, one a kind; they stand at the head of the first section."""
    live: Answering | str = ""
    """What the page computes with as its controls move; or why its numbers stay as they are."""
    verdict: Verdict | None = None
    """What its first section shows."""

    @property
    def html(self) -> str:
        """The whole page: it needs no other file and no network."""
        return self._page()

    def _page(self, paper: Paper | None = None) -> str:
        footer = (
            f"Made by Loadpath {__version__}. SI units; z of the world points up. Wrenches are exerted by the "
            "parent on the child, at the joint's origin, in the child's joint frame."
        )
        live = "" if paper else self.live if isinstance(self.live, str) else asked(self.live)
        return render(self.title, self.subtitle, self.sections, footer, paper, live)

    def save(self, path: str | PathLike[str], *, paper: Paper = "a4") -> Path:
        """Writes the page, whole or not at all: over a regular file, through a link, into a pipe or device. Its name
        ends in .html or .htm, or has no ending; or in .pdf, for which an installed Chromium or Chrome prints it on
        `paper` ("a4" or "letter").
        """
        check_name(path)
        if Path(path).suffix.lower() == PDF and not writes_through(path):
            check_paper(paper)
            check_writable(path)
            content = printed(self._page(paper))
            return write_whole(path, lambda file: file.write(content))
        return write_whole(path, lambda file: file.write(self.html.encode()))

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook: its scripts run there and reach neither the notebook nor the network."""
        return (f'<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
                f'title="{escape(self.title)}" srcdoc="{escape(self.html)}"></iframe>')

    def __repr__(self) -> str:
        return f"<report '{printable(self.title)}': {', '.join(section.title for section in self.sections)}>"


def check_name(path: str | PathLike[str]) -> None:
    """Refuse a name that promises another format than HTML or PDF; for PDF, refuse if nothing can print it."""
    if Path(path).suffix.lower() == PDF:
        browser()
    else:
        check_ending(path, (".html", ".htm", ".pdf"), "a report")


_on_ground = function_in_room("loadpath.mobile.report", "on_ground")


@takes_loads
def report(
    robot: RobotQuantities,
    motion: Motion | MotionLike | DutySpectrum | None = None,
    *,
    hours: float | None = None,
    joints: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    title: str | None = None,
    about: str = "",
    notes: Sequence[str] = (),
    sources: Mapping[str, str | Sequence[str]] | None = None,
    revisions: Sequence[Sequence[str]] = (),
    sections: Sequence[Section] = (),
    fastest: Asked = False,
    uncertainty: Spreads | None = None,
    exceptions: Sequence[ExceptionalCase] = (),
    interactive: bool = True,
    elastic: ElasticQuantities | None = None,
    respond: Callable[..., MotionResponse] | None = None,
    judge: Callable[[], Verdict] | None = None,
    around: Around | None = None,
    ratings: Sequence[tuple[str, WheelRating]] = (),
    **acting: Unpack[DriveLoadKeywords],
) -> Report:
    """The report of a robot over a motion or a simulation (without one, a swing from rest to rest): the verdict on its
    parts and limits, torques, speeds and power, peak joint wrenches and bearing loads, and for every joint its load by
    cause; of a flexible arm also its deflection, the safety of its beams against yield and buckling, its lowest natural
    frequency, its vibration and fatigue. What acts on the robot (`external`, `gravity`, ... or `under`) is as in
    `peak_loads`, one for all samples or one for each; `hours` is the life that parts shall have.

    `joints` are those that tables and charts show, by their names; `only` the sections, of `SECTIONS` and the titles of
    your own. `about` is a sentence for its head, `notes` stand there as warnings, with those about the motion;
    `sources` say where robot and motion come from, `revisions` are rows of its block for signatures: revision, date,
    what changed, by whom. `sections` are added after its own, their figures with those of the others in the overview;
    `fastest=True` adds one on the fastest motion on the same path (or its limits, as `robot.fastest` takes them), of a
    rover while it stands. `uncertainty=lp.uncertainty(robot, motion)` shows the spread beside each utilisation, and a
    section on it; it is of robots without wheels and of one motion. `exceptions` are exceptional cases as
    `robot.verdict` takes them: their rows are in the verdict, and each has a section. The page computes again as its
    controls for payload, speed and gravity move; with `interactive=False` it has none. `elastic` is what bends where
    that is more than the robot (an arm on tyres), `respond` is asked for its vibration, `judge` for the verdict where
    the subject is more than the robot, `around` is drawn around it, and `ratings` are those of its wheels. That of a
    rover is over a motion of its robots while its base moves as `velocity=`, `acceleration=`, `heading=` and
    `steering=` say, or over a simulation, with a
    section on its wheels
    (`only=["wheels"]`).

    >>> import loadpath as lp
    >>> lp.catalog.planar(1).report(only=["overview", "drives"])
    <report 'planar1': Overview, Drives>
    >>> lp.catalog.lau_rover().report(only=["overview", "wheels"])
    <report 'rover': Overview, Wheels>
    """
    refuse_wheels(robot, exceptions)
    sections = [*sections, *sections_on(uncertainty, robot, several=is_spectrum(motion))]
    if is_spectrum(motion):
        if fastest is not False:
            raise ValueError("fastest= is for one motion, and this is a duty spectrum: ask for each of its motions")
        words = {"hours": hours, "joints": joints, "sources": sources, "interactive": False,
                 "exceptions": tuple(exceptions), **acting}
        return of_cycles(report, robot, cast(DutySpectrum, motion), only, words, title=title, about=about, notes=notes,
                         revisions=revisions, sections=sections)
    if robot.on_wheels:
        rover, moves = robot, Motion.swing(robot) if motion is None else motion
        robot, motion, more = _on_ground(rover, moves, acting, hours)
        if fastest is not False:
            beside = {name: value for name, value in acting.items() if name != "standards"}
            before = None if cast(Motion, motion).t is None else cast(Motion, motion).duration
            sections = [*sections, fastest_section(found_on(rover, moves, fastest, beside), before)]
        more |= {"title": title or more["title"], "about": f"{about} {more['about']}".strip(),
                 "sections": [*more["sections"], *sections]}
        return report(robot, motion, hours=hours, joints=joints, only=only, notes=notes, sources=sources,
                      revisions=revisions, interactive=interactive, **more)
    given = Motion.swing(robot) if motion is None else motion
    case = acting["under"].with_motion_of(given, robot, "report")
    motion = as_motion(robot, given, "report", counts_loads=True)
    if not robot.n:
        raise ValueError(f"robot '{robot.name}' has no moving joints: there is nothing to report over a motion")
    if fastest is not False:
        before = None if motion.t is None else motion.duration
        sections = [*sections, fastest_section(found_on(robot, motion, fastest, case.keywords), before)]
    wanted = _wanted(only, sections)
    if joints is not None:
        chosen_joints(robot, joints)  # before long work
    with collected_warnings() as said:
        judges = "verdict" in wanted or bool(robot.parts) or bool(exceptions)
        peaks, found = _examined(robot, motion, case, hours, judge, exceptions, judges=judges, spreads=uncertainty)
    shown, worst = shown_joints(peaks, joints), worst_instant(peaks, found)
    loads, stacks = _of_loads(peaks, motion, case, shown, worst, wanted)
    own: dict[str, Callable[[], list[Section]]] = {
        "mechanism": lambda: [mechanism(peaks)] if is_closed(robot) else [],
        **loads,
        **_of_structure(robot if elastic is None else elastic, motion, peaks.states, respond),
        "exceptions": lambda: exception_sections(found),
    }
    with part(0.4):
        made = [section for key in each([key for key in own if key in wanted]) for section in own[key]()]
    made += [section for section in sections if only is None or section.title.lower() in wanted]
    first = [verdict_section(found)] if found is not None and "verdict" in wanted else []
    figures = [figure for section in made for figure in section.figures]
    first += [overview(peaks, worst, shown, figures, around, bends=True)] if "overview" in wanted else []
    if "basis" in wanted:
        first.append(basis(robot, motion, case, acting["under"].external, sources or {}, shown.tables, hours))
    last = [signatures(revisions)] if "signatures" in wanted else []
    parts = data_of_parts(robot, ratings) if "data" in wanted else None
    every = [*first, *([parts] if parts is not None else []), *made, *last]
    warned = one_a_kind([*notes, *motion.problems(), *said])
    if every:
        every[0] = replace(every[0], warnings=[*warned, *every[0].warnings])
    live: Answering | str = why_static(robot, motion, peaks, case) if interactive else ""
    if interactive and not live:
        live = answering(peaks, motion, found, worst.sample, stacks)
    return Report(title or robot.name, header(robot, motion, about), every, warned, live, found)


def _examined(
    robot: RobotQuantities, motion: Motion, case: LoadCase, hours: float | None, judge: Callable[[], Verdict] | None,
    exceptions: Sequence[ExceptionalCase], *, judges: bool, spreads: Spreads | None,
) -> tuple[PeakLoads, Verdict | None]:
    """The peak loads, and the verdict if it is asked for."""
    with part(0.2):
        peaks = peak_loads(robot, motion, under=case)
    if not judges:
        return peaks, None
    with part(0.1):
        found = judged(robot, motion, case, hours, exceptions) if judge is None else judge()
    return peaks, with_spreads(found, spreads)


def _of_loads(
    peaks: PeakLoads, motion: Motion, case: LoadCase, shown: Shown, worst: Worst, wanted: Container[str]
) -> tuple[dict[str, Callable[[], list[Section]]], dict[str, Ints]]:
    """How the sections on drives, joints and causes are made, from one pass over the motion; and which samples the
    charts by cause have, by joint.
    """
    if not any(key in wanted for key in ("drives", "joints", "causes")):
        return {}, {}
    robot = peaks.robot
    leading = leading_components(peaks)
    leading = {joint: leading[joint] for joint in shown.charts if joint in leading}
    mount = "joints" in wanted and is_mounted(robot)
    over = series(peaks, leading if "causes" in wanted else {}, mount)
    rows: dict[str, Ints] = {}
    if "causes" in wanted:
        samples = {joint: peaks[joint, component].peak.sample for joint, component in leading.items()}
        rows = windows(over, samples, len(motion), worst.sample, len(peaks.joint_names))

    def drives() -> list[Section]:
        long = len(motion) > POINTS
        lead = OF_ENVELOPES if long else ""
        charts: list[Block] = [*drive_charts(peaks, motion.t, over.tau, shown.drives)]
        charts += motion_charts(motion, robot, shown.drives)
        powers = supply_table(supplies(peaks, motion, over.tau, _motors(robot, motion, case)))
        return [Section("Drives", lead, [*drive_tables(peaks, shown), powers, *charts])]

    def loads() -> list[Section]:
        blocks: list[Block] = [bearing_table(peaks, shown), wrench_table(peaks, shown)]
        if over.mount is not None:
            blocks.append(mount_table(robot.base.name, over.mount, motion.t))
        return [Section("Joints", "", blocks)]

    def by_cause() -> list[Section]:
        return [causes(peaks, motion.t, rows, leading, shown)]

    return {"drives": drives, "joints": loads, "causes": by_cause}, rows


def _motors(robot: RobotQuantities, motion: Motion, case: LoadCase) -> MotorLoads | None:
    """What the motors do; None where no drive train is known."""
    try:
        return motor_loads(robot, motion, under=case)
    except ModelError:
        return None


def _wanted(only: Sequence[str] | None, sections: Sequence[Section]) -> set[str]:
    """Keys of the sections to make, checked."""
    own = [section.title.lower() for section in sections]
    every = [*SECTIONS, *own]
    if only is None:
        return set(every)
    if isinstance(only, str):
        raise ValueError(f"only is {only!r}: expected a list of sections, like only=[{only!r}]")
    asked = [name.lower() for name in only]
    for name in asked:
        if name not in every:
            close = get_close_matches(name, every, n=1)
            hint = f"did you mean '{close[0]}'? There" if close else "there"
            raise ValueError(f"no section '{name}'; {hint} are {', '.join(every)}")
    if not asked:
        raise ValueError(f"only is empty: expected sections of {', '.join(every)}")
    return set(asked)


def _of_structure(
    robot: RobotQuantities, motion: Motion, states: StateBatch, respond: Callable[..., MotionResponse] | None
) -> dict[str, Callable[[], list[Section]]]:
    """How the sections on what bends are made; of rigid robots there are none."""
    if not (robot.beams or robot.joint_compliances):
        return {}
    robot = cast("ElasticQuantities", robot)
    few = spread(len(motion), SAMPLES_OF_CAUSES)
    case = states.case.keywords

    @cache
    def bent() -> tuple[Section, str]:
        return beams(robot, motion, states, few)

    return {
        "beams": lambda: [bent()[0]],
        "vibration": lambda: [] if robot.held_by_loops else [vibration(robot, motion, case, bent()[1], respond)],
        "fatigue": lambda: [fatigue(robot, motion, case)] if robot.beams else [],
    }


def spread(samples: int, most: int, *also: ArrayLike) -> NDArray[np.intp]:
    """Numbers of samples, first and last among them, no more than so many, and those given.

    >>> spread(101, 3, [7, 50]).tolist()
    [0, 7, 50, 100]
    """
    even = np.linspace(0, samples - 1, min(samples, most)).round()
    return np.unique(np.concatenate([even, *(np.ravel(numbers) for numbers in also)])).astype(np.intp)
