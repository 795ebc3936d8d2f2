"""What tips a rover and loads its wheels, by cause: charts over the motion and a table of the worst instants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from loadpath.mobile.loads import WheelLoads
from loadpath.mobile.motions import base_rows
from loadpath.mobile.slip import Slip
from loadpath.mobile.stability import Stability
from loadpath.mobile.wheel_breakdown import UNITS, Part, WheelLoadBreakdown, wheel_load_breakdown
from loadpath.motion import Motion
from loadpath.quantities.load_index import cause_label
from loadpath.report import charts
from loadpath.report.blocks import NONE, Block, Chart, Choice, Table, number, seconds
from loadpath.report.over_time import window
from loadpath.scalars.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from loadpath.mobile.rover import Rover

_TOP = 3


class Causes:
    """The loads of a rover over a motion, by cause at the samples that are asked for."""

    def __init__(
        self, rover: Rover, motion: Motion, base: Mapping[str, Any], loads: WheelLoads, stability: Stability,
        slip: Slip | None,
    ) -> None:
        self.rover, self.motion, self.base = rover, motion, base
        self.loads, self.stability, self.slip = loads, stability, slip
        self.left_out: list[str] = []

    def blocks(self) -> list[Block]:
        """A chart of the tipping moment, one of the wheels' loads, and a table of the worst instants; what cannot be
        split by cause is left out, and `left_out` says why.
        """
        blocks: list[Block] = []
        for made in (self._tipping, self._wheels, self._table):
            try:
                blocks += made()
            except ValueError as problem:
                self.left_out.append(f"Not by cause: {problem}")
        return blocks

    def _at(self, samples: Ints) -> WheelLoadBreakdown:
        m = self.motion
        base = base_rows(self.base, samples, m.t.shape)
        return wheel_load_breakdown(self.rover, m.q[samples], m.qd[samples], m.qdd[samples], **base)

    # Charts

    def _tipping(self) -> list[Block]:
        moments = np.broadcast_to(self.stability.edge_moments, (len(self.motion.t), len(self.stability.edges)))
        if not np.isfinite(moments).any():
            return []
        finite = np.where(np.isfinite(moments), moments, np.inf)
        worst, nearest = np.unravel_index(int(np.argmin(finite)), finite.shape)
        samples = window(np.where(np.isfinite(moments[:, nearest]), moments[:, nearest], 0.0), int(worst))
        split = self._at(samples)
        edges = [k for k in range(len(split.edges)) if np.isfinite(split.edge_moments[..., k]).all()]
        named = {" to ".join(split.edges[k]): split.edges[k] for k in edges}
        shown = " to ".join(self.stability.edges[int(nearest)])
        if shown not in named:
            return []
        drawn = {words: self._chart(split, edge, None, samples, f"about {words}") for words, edge in named.items()}
        row = int(np.flatnonzero(samples == worst)[0])
        note = (f"Least moment that keeps the base down: {self._words(split, named[shown], None, row, int(worst))}. "
                "What is below zero tips it over that edge.")
        return [Choice("What keeps the base from tipping over an edge", drawn, shown, note)]

    def _wheels(self) -> list[Block]:
        normal = self.loads.normal
        if not np.isfinite(normal).any():
            return []
        worst, most = (int(k) for k in np.unravel_index(int(np.nanargmax(normal)), normal.shape))
        splits = self._splits
        if not splits[worst]:
            return []
        samples = window(normal[:, most], worst)
        samples = samples[splits[samples]]
        split = self._at(samples)
        drawn = {name: self._chart(split, name, None, samples, name) for name in split.names}
        row = int(np.flatnonzero(samples == worst)[0])
        shown = split.names[most]
        words = self._words(split, shown, None, row, worst)
        return [Choice("What loads the wheels", drawn, shown, f"Largest normal force, of {shown}: {words}.")]

    @property
    def _splits(self) -> Bools:
        """(samples,): whether no contact lifts, so that normal forces are sums."""
        lifted = self.loads.lifted.any(axis=-1) & (len(self.loads.names) > 3)
        return np.broadcast_to(~(lifted | self.loads.unknown), self.motion.t.shape)

    def _chart(
        self, split: WheelLoadBreakdown, part: Part, quantity: str | None, samples: Ints, title: str
    ) -> Chart:
        unit = _unit(part, quantity)
        parts = [charts.Part(cause_label(cause), cause[0], np.asarray(values))
                 for cause, values in split.parts(part, quantity).items()]
        what = "moment" if unit == "N m" else "normal force"
        return charts.stacked(f"{title}, {what}", self.motion.t[samples], parts, f"{what} ({unit})")

    def _words(self, split: WheelLoadBreakdown, part: Part, quantity: str | None, row: int, sample: int) -> str:
        whole = float(split.total(part, quantity)[row])
        when = seconds(float(self.motion.t[sample]))
        return f"{number(whole)} {_unit(part, quantity)} at {when}; most of it from {_top(split, part, quantity, row)}"

    # The worst instants

    def _table(self) -> list[Block]:
        count = len(self.motion.t)
        lines: list[tuple[str, Part, str | None, Floats]] = []
        for k, edge in enumerate(self.stability.edges):
            moments = np.broadcast_to(self.stability.edge_moments, (count, len(self.stability.edges)))[:, k]
            if np.isfinite(moments).all():
                lines.append((f"least moment about {' to '.join(edge)}", edge, None, -moments))
        for k, name in enumerate(self.loads.names):
            lines.append((f"normal force of {name}", name, None, np.broadcast_to(self.loads.normal, (
                count, len(self.loads.names)))[:, k]))
        if self.slip is not None:
            for k, name in enumerate(self.loads.names):
                lines.append((f"friction of {name}", name, "used", np.broadcast_to(self.slip.used, (
                    count, len(self.loads.names)))[:, k]))
        rows: list[list[str | tuple[str, str]]] = []
        for words, part, quantity, values in lines:
            if np.isfinite(values).any():
                sample = int(np.nanargmax(np.where(np.isfinite(values), values, np.nan)))
                value = float(-values[sample] if isinstance(part, tuple) else values[sample])
                rows.append([words, (f"{number(value)} {_unit(part, quantity)}",
                                     seconds(float(self.motion.t[sample]))), self._mostly(part, quantity, sample)])
        note = ("The largest of each, for edges the least, and the causes that add most at that instant. Where a wheel "
                "lifts, or friction is at its limit, the others carry what all causes do together: none by itself.")
        columns, named = ["load", "at its worst", "mostly from"], any(row[2] != NONE for row in rows)
        return [Table("Causes of what the ground gives", columns, rows, note, left=1, right=1)] if named else []

    def _mostly(self, part: Part, quantity: str | None, sample: int) -> str:
        try:
            return _top(self._at(np.array([sample])), part, quantity, 0)
        except ValueError:  # where it is no sum
            return NONE


def _top(split: WheelLoadBreakdown, part: Part, quantity: str | None, row: int) -> str:
    terms = split.top(part, quantity, _TOP, state=row)
    return "; ".join(f"{term.cause} ({'+' if term.value > 0 else ''}{number(term.value)})" for term in terms
                     if abs(term.value) > 1e-9) or NONE


def _unit(part: Part, quantity: str | None) -> str:
    return "N m" if isinstance(part, tuple) else UNITS.get(quantity or "", "N")
