"""A breakdown in rows and columns: text for the terminal, a data frame for pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath import html
from loadpath.digits import fixed
from loadpath.loads.resultants import OPEN, meaning, open_components
from loadpath.printable import printable
from loadpath.quantities.carriers import carrier, is_closed
from loadpath.quantities.load_index import cause_label, check_count
from loadpath.quantities.wrench import COMPONENTS
from loadpath.tables import Table

if TYPE_CHECKING:
    from loadpath.loads.breakdown.result import LoadBreakdown
    from loadpath.quantities.wrench import Wrench

_DECIMALS = 3
_MOST = 20
"""Joints of which a notebook shows a table."""


def table(breakdown: LoadBreakdown, joint: str | None, count: int | None, state: Any) -> str:
    """The text of `LoadBreakdown.to_table`."""
    if joint is not None:
        return _of_joint(breakdown, joint, count, state)
    parts = [_of_kinds(breakdown, name, state) for name in breakdown.index.joint_names]
    return "\n\n".join(parts) if parts else "no joints"


def html_of(breakdown: LoadBreakdown) -> str:
    """For notebooks: the sums of the kinds for every joint that moves, or for all; of a batch, at the worst state."""
    made = ""
    moving = [name for name in breakdown.index.joint_names if _moves(breakdown, name)][:_MOST]
    for name in moving:
        here, title = _at(breakdown, name, None)
        marks = _open(here, name)
        columns = [f"{part} ({'N' if k < 3 else 'N m'}){OPEN * marks[k]}" for k, part in enumerate(COMPONENTS)]
        rows = [[kind, *(fixed(x, _DECIMALS) for x in _six(wrench))] for kind, wrench in here.by_kind(name).items()]
        rows.append(["total", *(fixed(x, _DECIMALS) for x in _six(here.total(name)))])
        made += Table(printable(title), ["", *columns], rows, _note(here, marks)).html()
    others = len(breakdown.index.joint_names) - len(moving)
    return made + (html.paragraph(f"{others} more joints: to_table() has them") if others else "")


def _moves(breakdown: LoadBreakdown, name: str) -> bool:
    return breakdown.robot is None or carrier(breakdown.robot, name).motion.dof > 0


def _at(breakdown: LoadBreakdown, joint: str, state: Any) -> tuple[LoadBreakdown, str]:
    """The breakdown at one state, and the words for it after the joint's name."""
    if not breakdown.batch_shape and state is None:
        return breakdown, joint
    here, where = breakdown.one_state(breakdown.worst(joint) if state is None else state)
    numbers = ", ".join(str(i) for i in where)
    return here, f"{joint}, {'worst ' if state is None else ''}state {numbers}"


def _of_joint(breakdown: LoadBreakdown, joint: str, count: int | None, state: Any) -> str:
    check_count(count)
    here, title = _at(breakdown, joint, state)
    rows = {name: _six(wrench) for name, wrench in here.by_cause(joint).items()}
    order = sorted(rows, key=lambda name: -float(np.abs(rows[name]).max()))
    shown = {name: rows[name] for name in order[:count]}
    if others := order[len(shown) :]:
        shown[f"{len(others)} others"] = np.sum([rows[name] for name in others], axis=0)
    return _text(title, shown, _six(here.total(joint)), here, joint)


def _open(here: LoadBreakdown, joint: str) -> list[bool]:
    """Which components of a joint's wrench rigid statics leaves open in one state; where axes are not the joint's own,
    all of a vector of which one is.
    """
    if here.robot is None or here.q is None or not is_closed(here.robot):
        return [False] * 6
    own = open_components(here.robot, np.asarray(here.q))[here.index.joint_names.index(joint)]
    if here.frame != "joint":
        own = np.repeat([own[:3].any(), own[3:].any()], 3)
    marks: list[bool] = own.tolist()
    return marks


def _of_kinds(breakdown: LoadBreakdown, joint: str, state: Any) -> str:
    here, title = _at(breakdown, joint, state)
    kinds: dict[str, Any] = {kind: _six(wrench) for kind, wrench in here.by_kind(joint).items()}
    return _text(title, kinds, _six(here.total(joint)), here, joint)


def _six(wrench: Wrench) -> Any:
    return np.concatenate([np.asarray(wrench.force), np.asarray(wrench.torque)])


def _note(here: LoadBreakdown, marks: list[bool]) -> str:
    return meaning(here.robot) if here.robot is not None and any(marks) else ""


def _text(title: str, rows: dict[str, Any], total: Any, here: LoadBreakdown, joint: str) -> str:
    left_open = _open(here, joint)
    columns = [printable(title), *(name + OPEN * mark for name, mark in zip(COMPONENTS, left_open, strict=True))]
    cells = [[printable(name), *(fixed(x, _DECIMALS) for x in row)] for name, row in (*rows.items(), ("total", total))]
    head, rule, *lines = Table("", columns, cells).text().splitlines()
    note = [_note(here, left_open)] if any(left_open) else []
    return "\n".join([head, rule, *lines[:-1], *([rule] if rows else []), lines[-1], *note])


def dataframe(breakdown: LoadBreakdown) -> Any:
    """The data frame of `LoadBreakdown.to_dataframe`."""
    try:
        import pandas
    except ImportError as problem:
        raise ImportError("to_dataframe needs pandas: pip install pandas") from problem
    terms, batch = breakdown.index.terms, breakdown.batch_shape
    states = int(np.prod(batch, dtype=int))
    values = np.asarray(breakdown.values).reshape(states * len(terms), 6)
    columns: dict[str, Any] = {}
    for axis, numbers in enumerate(np.indices(batch)):
        columns["state" if len(batch) == 1 else f"state_{axis}"] = np.repeat(numbers.ravel(), len(terms))
    if breakdown.time is not None and len(batch) == 1:
        columns["time"] = np.repeat(np.asarray(breakdown.time), len(terms))

    def as_column(texts: list[str | None]) -> Any:
        # Names as categories: one small number a row instead of a string.
        kinds = pandas.Categorical(texts, categories=list(dict.fromkeys(t for t in texts if t is not None)))
        return pandas.Categorical.from_codes(np.tile(kinds.codes, states), dtype=kinds.dtype)

    columns["joint"] = as_column([term.joint for term in terms])
    columns["kind"] = as_column([term.kind for term in terms])
    columns["cause"] = as_column([cause_label((term.kind, term.names)) for term in terms])
    if breakdown.index.by_link:
        columns["link"] = as_column([term.link for term in terms])
    columns |= {name: values[:, k] for k, name in enumerate(COMPONENTS)}
    return pandas.DataFrame(columns)
