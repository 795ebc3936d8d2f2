"""A study as one page that works offline: the front, the designs side by side, what limits them, maps and slices, which
parameters matter, what failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath._version import __version__
from loadpath.digits import percent
from loadpath.errors import ModelError
from loadpath.report.blocks import NONE, Block, Cell, Chart, Choice, Facts, Figure, Section, Table, Text, number
from loadpath.report.report import Report
from loadpath.studies.charts import (
    check_names,
    front_chart,
    indices_chart,
    lines_chart,
    map_chart,
    sensitivity_chart,
    slice_charts,
    titled,
)
from loadpath.studies.fronts import Front
from loadpath.studies.indices import SobolIndices
from loadpath.studies.sampling import GRID, PAIRS
from loadpath.studies.summary import kinds_of_failures, table_of_answers, table_of_front
from loadpath.studies.together import one_by_one
from loadpath.studies.values import written

if TYPE_CHECKING:
    from loadpath.studies.results import Results
    from loadpath.studies.why import Why

_MOST_DESIGNS, _MOST_ANSWERS, _MOST_MAPS = 5, 6, 6
_FRONT_ROWS, _REASONS = 24, 8


def report_of(
    study: Results, front: Front | None, where: str | None, designs: Sequence[int], indices: SobolIndices | None,
    title: str | None, about: str,
) -> Report:
    """Of what is there of a study: `designs` are those that stand side by side."""
    main = designs[0]
    whys = {k: _why(study, k) for k in designs}
    answers = [answer.name for answer in study.answers if not study.shape_of(answer.name)][:_MOST_ANSWERS]
    sections = [_head(study, front, where, main, whys)]
    if front is not None:
        sections.append(_front(front, study))
    sections.append(_side_by_side(study, designs, whys))
    names = [name for name in study.space.varying if name not in study.space.scattered]
    if answers and names:
        sections += _pictures(study, answers, names, main)
    sections += _matters(study, answers, designs, indices)
    sections.append(_feasibility(study, where, names))
    if answers:
        every = check_names(study, [])
        color = next((aim for aim in (front.aims if front is not None else ()) if aim in answers), answers[0])
        sections.append(Section("All designs", "", [lines_chart(study, every, color, where)]))
    subject = study.problem.subject if not study.problem.makes else study.problem.bound["bases"][0]
    subtitle = f"{about} " if about else ""
    subtitle += f"{len(study.space):,} designs of {', '.join(names)}; Loadpath {__version__}."
    return Report(title or f"Study of {subject.name}", subtitle.strip(), sections)


# Sections

def _head(study: Results, front: Front | None, where: str | None, main: int, whys: Mapping[int, Why | None]) -> Section:
    counts = study.counts
    figures = [Figure("Designs computed", f"{counts['computed']:,}", _rest(counts))]
    if where is not None:
        good = int(study.fulfilling(where).sum())
        share = good / max(counts["computed"], 1)
        figures.append(Figure("Fulfil the requirement", f"{100 * share:.3g} %", f"{good:,} designs: {where}",
                              alarming=good == 0))
    if front is not None:
        figures.append(Figure("On the front", f"{len(front):,}", ", ".join(front.aims)))
    why = whys[main]
    words = "Knee of the front" if front is not None and main == front.knee() else "Chosen design"
    if why is not None:
        figures.append(Figure(f"{words}: design {main}", percent(why.worst.utilisation), why.worst.words,
                              alarming=not why.worst.holds))
    rows: list[tuple[str, str | Sequence[str]]] = [("Parameters", [_axis_words(study, name)
                                                                  for name in study.space.names])]
    if study.space.conditions:
        rows.append(("Conditions", [getattr(one, "text", "a function") for one in study.space.conditions]))
    rows.append(("Designs", f"{study.space.sampling.kind}, {len(study.space):,} of them"
                 + (f"; {', '.join(study.space.scattered)} scattered about each" if study.space.scattered else "")))
    rows.append(("States", f"{study.problem.count_of_states:,} of each design"))
    if study.problem.hours is not None:
        rows.append(("Life asked for", f"{study.problem.hours:,.0f} h"))
    plain = table_of_answers(study)
    found = Table("Answers over all designs", plain.columns, plain.rows, left=2, mixed=True)
    warnings = [] if not counts["not computed yet"] else [
        f"{counts['not computed yet']:,} designs are not computed yet: this page shows what is there."]
    return Section("Study", "", [Facts("", rows), found], figures, warnings)


def _rest(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {words}" for words, count in counts.items() if count and words != "computed") or "all"


def _axis_words(study: Results, name: str) -> str:
    space, unit = study.space, titled(study, name).removeprefix(name).strip(" ()")
    after = f" {unit}" if unit else ""
    if name in space.dependent:
        return f"{name}: follows from {', '.join(space.dependent[name].names)}"
    axis = space.span_of(name)
    if axis is not None:
        low, high = space.bounds(name)
        many = f", {axis.count} values" if space.sampling.kind == GRID and name in space.chosen else ""
        return f"{name}: {low:.5g} to {high:.5g}{after}{many}"
    values = [written(value) for value in space.axis(name)]
    more = f" and {len(values) - 8} more" if len(values) > 8 else ""
    return f"{name}: {', '.join(values[:8])}{more}{after}"


def _front(front: Front, study: Results) -> Section:
    plain = table_of_front(front, _FRONT_ROWS)
    lead = "Designs that no other is better than: " + ", ".join(
        f"{aim} {'large' if aim in front.maximise else 'small'}" for aim in front.aims)
    lead += f"; of those with {front.where}." if front.where else "."
    return Section("Best designs", lead, [front_chart(front), Table(plain.title, plain.columns, plain.rows,
                                                                           left=1)])


def _side_by_side(study: Results, designs: Sequence[int], whys: Mapping[int, Why | None]) -> Section:
    """The chosen designs as columns."""
    scalars = study.scalars()
    kinds = study.kinds()
    several = [answer.name for answer in study.answers if study.shape_of(answer.name)]
    rows: list[list[Cell]] = [
        [titled(study, name) + (", largest entry" if name in several else ""),
         *(_cell(scalars[name][k], shares=kinds.get(name) == ("share",)) for k in designs)] for name in scalars]
    lines: list[list[Cell]] = []
    for words, of in (("limited by", lambda why: why.worst.words), ("when", _when),
                      ("utilisation", lambda why: percent(why.worst.utilisation)),
                      ("mostly by", lambda why: ", ".join(one.cause for one in why.causes) or NONE),
                      ("with 10 % more of it", lambda why: percent(why.lifted)),
                      ("limits then", lambda why: "the same" if why.next is None or why.next is why.worst
                       else why.next.words)):
        lines.append([words, *(NONE if (why := whys[k]) is None else of(why) for k in designs)])
    columns = ["", *(f"design {k}" for k in designs)]
    blocks: list[Block] = [Table("The designs", columns, rows, left=1, mixed=True)]
    if any(whys.values()):
        blocks.append(Table("What limits them", columns, lines, left=len(columns)))
    else:
        blocks.append(Text("Nothing limits these designs: the robot has neither limits nor parts, or there is no "
                           "motion."))
    return Section("Side by side", "", blocks)


def _when(why: Why) -> str:
    at = why.worst.at
    return NONE if at is None else f"{at.time:.4g} s"


def _cell(value: Any, *, shares: bool = False) -> str:
    if shares:
        return NONE if np.isnan(value) else percent(float(value))
    return number(float(value)) if isinstance(value, (float, int, np.number)) else written(value)


def _pictures(study: Results, answers: Sequence[str], names: Sequence[str], main: int) -> list[Section]:
    """Slices of each answer, and maps of it over pairs of parameters."""
    few = answers if not one_by_one(study.problem) else answers[:3]
    blocks: list[Block] = []
    for answer in few:
        charts = slice_charts(study, answer, main, names)
        blocks.append(Choice(f"{answer}, design {main}, along", charts, names[0]))
    found = [Section("Slices", f"Each answer along one parameter, the others as in design {main}.", blocks)]
    pairs = list(combinations(names, 2))[:_MOST_MAPS]
    if pairs and (study.space.sampling.kind == GRID or not one_by_one(study.problem)):
        maps: list[Block] = []
        for answer in few:
            drawn = {f"{x} and {y}": map_chart(study, answer, x, y, main) for x, y in pairs}
            note = " ".join(dict.fromkeys(chart.note for chart in drawn.values() if "White" in chart.note))
            maps.append(Choice(f"{answer} over", drawn, next(iter(drawn)), "White: no design, or one that failed."
                               if note else ""))
        lead = f"Each answer over two parameters, the others as in design {main} (the cross); a red line is at 100 %."
        found.append(Section("Maps", lead, maps))
    return found


def _matters(
    study: Results, answers: Sequence[str], designs: Sequence[int], indices: SobolIndices | None
) -> list[Section]:
    """Derivatives at the chosen designs, and Sobol indices over the whole space."""
    found: list[Section] = []
    try:
        slopes = {k: study.sensitivities(k, answers) for k in designs[:1 if one_by_one(study.problem) else None]}
    except (ValueError, ModelError):
        slopes = {}
    if slopes and answers:
        main = slopes[designs[0]]
        charts = {answer: sensitivity_chart(main, answer) for answer in main.values}
        plain = main.table()
        blocks: list[Block] = [Choice(f"Per cent by one per cent of each parameter, at design {designs[0]}:", charts,
                                      next(iter(charts)))]
        blocks.append(Table(plain.title, plain.columns, plain.rows, left=2, mixed=True))
        said = list(dict.fromkeys(f"design {k}: {line}" for k, one in slopes.items() for line in one.warnings))
        found.append(Section("Sensitivities", "How the answers change with small changes of each parameter.", blocks,
                             warnings=said))
    if indices is None and study.space.sampling.kind == PAIRS:
        indices = study.sobol_indices()
    if indices is not None:
        shown: dict[str, Chart] = {answer: indices_chart(indices, answer) for answer in indices.total
                                   if np.isfinite(indices.total[answer]).any()}
        plain = indices.table()
        more: list[Block] = [] if not shown else [Choice("Sobol indices of", shown, next(iter(shown)))]
        more.append(Table(plain.title, plain.columns, plain.rows, left=2))
        lead = (f"Shares of each answer's variance over the whole space, of {indices.pairs:,} pairs of designs: the "
                "first order index goes when the parameter is known, the total index stays when all others are.")
        found.append(Section("Over the whole space", lead, more))
    return found


def _feasibility(study: Results, where: str | None, names: Sequence[str]) -> Section:
    """What failed and why, and along each parameter the share of designs that fulfil the requirement."""
    blocks: list[Block] = []
    failures = kinds_of_failures(study.failures)
    if failures:
        rows: list[list[Cell]] = [[reason, f"{count:,}", f"{first}"] for reason, count, first in failures[:_REASONS]]
        more = f"{len(failures) - _REASONS} more reasons." if len(failures) > _REASONS else ""
        blocks.append(Table("Why designs failed", ["reason", "designs", "the first"], rows, more, left=1))
    counts = study.counts
    if where is not None or counts["failed"] or counts["left out"]:
        good = study.fulfilling(where)
        charts = {name: _share_chart(study, name, good) for name in names}
        if charts:
            blocks.append(Choice("Share of designs that can be used, along", charts, names[0]))
    if not blocks:
        blocks.append(Text("All designs were computed, and no requirement was given."))
    lead = f"The requirement: {where}." if where is not None else ""
    return Section("Feasibility", lead, blocks)


def _share_chart(study: Results, name: str, good: Any) -> Chart:
    column = study.scalars()[name]
    if column.dtype.kind in "fiu" and len(np.unique(column)) > 24:
        edges = np.linspace(column.min(), column.max(), 13)
        codes = np.clip(np.searchsorted(edges, column, side="right") - 1, 0, 11)
        values: list[Any] = (0.5 * (edges[:-1] + edges[1:])).tolist()
    else:
        kept, codes = np.unique(column, return_inverse=True)
        values = list(kept.tolist())
    total = np.bincount(codes, minlength=len(values))
    share = 100.0 * np.bincount(codes, weights=good, minlength=len(values)) / np.maximum(total, 1)
    trace = {"type": "bar", "x": values, "y": share.tolist(), "name": "share", "marker": {"color": "#0b5cad"},
             "hovertemplate": "%{x}: %{y:.3g} %<extra></extra>"}
    layout = {"xaxis": {"title": {"text": titled(study, name)}}, "yaxis": {"title": {"text": "%"}, "range": [0, 100]},
              "showlegend": False, "hovermode": "closest"}
    return Chart(f"Along {name}", [trace], layout, 280)


def _why(study: Results, design: int) -> Why | None:
    """None where there is nothing that could limit it."""
    try:
        return study.why(design)
    except (ValueError, ModelError):
        return None


def chosen_designs(study: Results, front: Front | None, designs: Sequence[Any] | None) -> list[int]:
    """Numbers of the designs to look at: as asked for, else the knee and the ends of the front, else one in the middle.
    """
    if designs is not None:
        numbers = [study.number_of(design) for design in designs]
        if not numbers:
            raise ValueError("report: 'designs' is empty: expected numbers of designs, or their parameters")
        return list(dict.fromkeys(numbers))[:_MOST_DESIGNS]
    if front is not None:
        return list(dict.fromkeys([front.knee(), *front.ends()]))[:_MOST_DESIGNS]
    return [study.middle()]
