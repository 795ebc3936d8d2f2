"""The report of a duty spectrum: one verdict over all its cycles, then what was computed, then each cycle's sections.

What a cycle loads is on its own sections, which are those of the report of its motion alone; what holds, and for how
long, is of all cycles with their shares, and stands once, at the head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from loadpath.digits import percent
from loadpath.in_room import function_in_room
from loadpath.quantities.table import RobotQuantities
from loadpath.report.basis import TITLE as BASIS
from loadpath.report.basis import sentence_of
from loadpath.report.beams import fatigue
from loadpath.report.blocks import NONE, Block, Cell, Facts, Section, Table, number
from loadpath.report.collecting import collected_warnings, one_a_kind
from loadpath.report.data import TITLE as DATA
from loadpath.report.exceptions import exception_sections
from loadpath.report.record import TITLE as SIGNATURES
from loadpath.report.record import signatures
from loadpath.report.supply import TITLE as SUPPLY
from loadpath.report.verdict import TITLE as VERDICT
from loadpath.report.verdict import judged, verdict_section
from loadpath.states import as_motion

if TYPE_CHECKING:
    from loadpath.motion import DutySpectrum
    from loadpath.parts.verdict.result import Verdict, VerdictRow
    from loadpath.report.report import Report
    from loadpath.structure.quantities import ElasticQuantities

ONCE = (VERDICT, BASIS, "Fatigue", DATA, SIGNATURES)
"""Titles of sections that are of all cycles together."""
TITLE = "Cycles"
WHY_STATIC = "the page is of several cycles, whose lives and means are of all of them with their shares"
NOTE = (
    "Shares are of the running time. What decides are the checks that this cycle decides of those of the verdict: the "
    "instant of their peak is in it. Means and lives are of all cycles together."
)
_standards_section = function_in_room("loadpath.mobile.report_standards", "standards_section")


def of_cycles(
    report: Callable[..., Report],
    robot: RobotQuantities,
    spectrum: DutySpectrum,
    only: Sequence[str] | None,
    words: Mapping[str, Any],
    *,
    title: str | None,
    about: str,
    notes: Sequence[str],
    revisions: Sequence[Sequence[str]],
    sections: Sequence[Section],
) -> Report:
    """The report over a spectrum, from the `report` of each of its motions. `words` are that one's keywords, with what
    acts on the robot.
    """
    acting = dict(words)
    exceptions = acting.pop("exceptions", ())
    tests = tuple(acting.pop("standards", None) or ()) if robot.on_wheels else ()
    with collected_warnings() as said:
        verdict = _judged(robot, spectrum, {**acting, "exceptions": exceptions}, tests)
    asked = None if only is None else {name.lower() for name in only}
    own = {section.title.lower() for section in sections}
    together = {"verdict", "fatigue", "exceptions", "signatures"}
    each = None if asked is None else sorted({"basis", *(asked - own - together)})
    pages = [report(robot, motion, only=each, **acting) for motion in spectrum.motions]

    def wants(name: str) -> bool:
        return asked is None or name.lower() in asked

    first = [verdict_section(verdict)] if verdict is not None and wants("verdict") else []
    first.append(_overview(spectrum, verdict, pages))
    first += [_merged_basis(spectrum, pages)] if wants("basis") else []
    first += [section for section in pages[0].sections if section.title == DATA]
    made = [replace(section, title=f"{name}: {section.title}", warnings=())
            for name, page in zip(spectrum.names, pages, strict=True)
            for section in page.sections if section.title not in ONCE]
    if robot.beams and not robot.on_wheels and wants("fatigue"):
        made.append(fatigue(cast("ElasticQuantities", robot), spectrum, acting["under"].keywords))
    made += exception_sections(verdict) if wants("exceptions") else []
    made += [_standards_section(tests)] if tests and wants("wheels") else []
    made += [section for section in sections if wants(section.title)]
    every = [*first, *made, *([signatures(revisions)] if wants("signatures") else [])]
    warned = one_a_kind([*notes, *said, *_by_cycle(spectrum, pages)])
    every[0] = replace(every[0], warnings=[*warned, *every[0].warnings])
    subtitle = pages[0].subtitle.replace(
        sentence_of(as_motion(robot, spectrum.motions[0], "report", counts_loads=True)),
        f"Duty of {len(spectrum)} cycles: {_shares(spectrum)}.")
    return replace(pages[0], title=title or robot.name, subtitle=f"{subtitle} {about}".rstrip(), sections=every,
                   warnings=warned, live=WHY_STATIC, verdict=verdict)


def _judged(robot: RobotQuantities, spectrum: DutySpectrum, acting: Mapping[str, Any], tests: tuple[Any, ...]) -> Any:
    if robot.on_wheels:
        of_rover: Any = robot
        others = ("exceptions", "joints", "sources", "interactive", "hours")
        base = {name: value for name, value in acting.items() if name not in others and value is not None}
        return of_rover.verdict(spectrum, hours=acting["hours"], standards=tests, **base)
    return judged(robot, spectrum, acting["under"], acting["hours"], acting["exceptions"])


def _shares(spectrum: DutySpectrum) -> str:
    return ", ".join(f"{name} {100 * share:.3g} %" for name, share in zip(spectrum.names, spectrum.shares, strict=True))


def _overview(spectrum: DutySpectrum, verdict: Verdict | None, pages: Sequence[Report]) -> Section:
    """A row for each cycle, and one for a pass through all of them."""
    rows: list[list[Cell]] = []
    supplies = [_supply_rows(page) for page in pages]
    kept = "electrical, at the motors"
    kept = kept if all(kept in rows for rows in supplies) else "mechanical, at the joints"
    known = all(kept in rows for rows in supplies)
    for k, (name, share, repeats) in enumerate(zip(spectrum.names, spectrum.shares, spectrum.repeats, strict=True)):
        times = spectrum.motions[k].times
        decided = [] if verdict is None else [row for row in verdict.ranked
                                                    if row.at and row.at.motion == k and not row.case]
        row: list[Cell] = [name, f"{100 * share:.4g} %", number(repeats), number(float(times[-1] - times[0])),
                           f"{len(times):,}"]
        row += list(supplies[k][kept][3:5]) if known else []
        rows.append([*row, str(len(decided)), _used(decided), decided[0].words if decided else NONE])
    columns = ["cycle", "share of the time", "runs in a pass", "duration (s)", "samples",
               *(["taken (J)", "fed back (J)"] * known), "checks that it decides", "most utilised", "which"]
    energy = f" Energies are of one run, {kept}." if known else ""
    lead = f"One pass through all cycles takes {number(spectrum.duration)} s."
    return Section(TITLE, lead, [Table("Shares of the cycles", columns, rows, f"{NOTE}{energy}", right=1, mixed=True)])


def _used(decided: Sequence[VerdictRow]) -> str:
    return percent(decided[0].utilisation) if decided else NONE


def _supply_rows(page: Report) -> dict[str, Sequence[Cell]]:
    """Rows of the table of the supply of a page, by their names."""
    found = [block for section in page.sections for block in section.blocks
             if isinstance(block, Table) and block.title == SUPPLY]
    return {str(row[0]): row for table in found for row in table.rows}


def _merged_basis(spectrum: DutySpectrum, pages: Sequence[Report]) -> Section:
    """What all cycles have alike once, the other facts with the name of the cycle."""
    each = [next(section for section in page.sections if section.title == BASIS) for page in pages]
    facts = [next(block for block in section.blocks if isinstance(block, Facts)) for section in each]
    terms = dict.fromkeys(term for block in facts for term, _ in block.rows)
    rows = [(term, _merged(spectrum.names, [dict(block.rows).get(term) for block in facts])) for term in terms]
    blocks: list[Block] = [Facts("", rows) if block is facts[0] else block for block in each[0].blocks]
    return replace(each[0], blocks=blocks, warnings=())


def _merged(names: Sequence[str], texts: Sequence[str | Sequence[str] | None]) -> str | list[str]:
    """One text where all say the same, else a line for each cycle that says something."""
    lines = [[] if text is None else [text] if isinstance(text, str) else list(text) for text in texts]
    if all(line == lines[0] for line in lines):
        return lines[0][0] if len(lines[0]) == 1 else lines[0]
    return [f"{name}: {line}" for name, some in zip(names, lines, strict=True) for line in some]


def _by_cycle(spectrum: DutySpectrum, pages: Sequence[Report]) -> list[str]:
    """Warnings of the cycles: those of all of them once, others with the cycle's name."""
    common = set.intersection(*(set(page.warnings) for page in pages))
    found = [text for text in pages[0].warnings if text in common]
    return found + [f"{name}: {text}" for name, page in zip(spectrum.names, pages, strict=True)
                    for text in page.warnings if text not in common]
