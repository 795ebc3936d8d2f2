"""What `arm.fatigue` returns: damage and life of every fibre, where they are worst, and what drives them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from loadpath import html
from loadpath.cached import cached_property
from loadpath.plotting import COLORS, label
from loadpath.printable import printable
from loadpath.scalars.types import Bools, Floats
from loadpath.states import count_words
from loadpath.structure.fatigue.causes import Causes
from loadpath.structure.fatigue.damage import Strength
from loadpath.structure.fatigue.duty import hours_of
from loadpath.structure.fatigue.fibres import Fibres

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


class WorstFibre(NamedTuple):
    """A fibre with the most damage, of a link or of all."""

    damage: float
    """Of one repetition."""
    life: float
    """Repetitions until the damage is 1; infinite without damage."""
    link: str
    position: float
    """m from the beam's start."""
    fibre: str
    """Place in the section."""
    largest_range: float
    """Pa: of the largest cycle, with its notch factor."""


@dataclass(frozen=True, eq=False)
class Fatigue:
    """Fatigue of the beams over a motion or duty cycle, fibre by fibre, each (fibres,): `damage` of one repetition by
    Miner's rule, and from it the `life` in repetitions.
    """

    damage: Floats
    """Of one repetition, with that of torsion; 1 is failure, with the survival that the S-N curve stands for."""
    shear_damage: Floats
    """Of torsion alone."""
    largest_range: Floats
    """Pa: of the largest cycle of normal stress, with its notch factor."""
    largest_shear_range: Floats
    """Pa: of the shear stress by torsion."""
    counted: Floats
    """How many cycles were counted in one repetition."""
    rows: Fibres
    """The fibres, then a row for the torsion of each section."""
    unknown: tuple[Bools, ...]
    """For each motion, (samples,): those that are not numbers, which were left out."""
    cycles: float | None
    """Repetitions that are wanted; None where none were given."""
    cycles_per_hour: float | None
    duration: float | None
    """s of one repetition without a pause; None for states without times."""
    strengths: tuple[Strength, ...]
    of_causes: Causes

    @cached_property
    def fibres(self) -> Fibres:
        """Where each fibre is: `links`, `positions` (m), `names`, `materials`."""
        return self.rows.chosen(list(range(len(self.damage))))

    @property
    def life(self) -> Floats:
        """(fibres,): repetitions until the damage is 1; infinite where there is none."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.damage)

    @property
    def hours(self) -> Floats:
        """(fibres,): the life in hours, by `cycles_per_hour`, or by the motion's duration without a pause."""
        return hours_of(self.life, self.cycles_per_hour, self.duration)

    @property
    def equivalent_stress(self) -> Floats:
        """(fibres,), Pa: the stress range that would do the same damage as one cycle in each repetition, on the curve
        without its cut-off; of fibres without damage zero. Where mean stress counts it is fully reversed.
        """
        found = [float(replace(strength.curve, cut_off=math.inf).range_at(life)) if math.isfinite(life) else 0.0
                 for strength, life in zip(self.strengths[: len(self.damage)], self.life, strict=True)]
        return np.array(found)

    @property
    def total(self) -> Floats:
        """(fibres,): damage after all the `cycles` that are wanted."""
        if self.cycles is None:
            raise ValueError("fatigue: the total damage needs the number of repetitions: give cycles=")
        return np.asarray(self.damage * self.cycles)

    @property
    def fails(self) -> bool:
        """Whether some fibre fails within the `cycles` that are wanted; also where that is not known, because states
        are not numbers.
        """
        return not bool((self.total <= 1.0).all()) or any(part.any() for part in self.unknown)

    @property
    def worst(self) -> WorstFibre:
        """The fibre with the most damage of all; without any damage that with the largest cycle."""
        return min(self.by_link.values(), key=lambda worst: (-worst.damage, -worst.largest_range))

    @cached_property
    def _worst_rows(self) -> dict[str, int]:
        if not len(self.damage) or np.isnan(self.damage).all():
            why = "only states that are not numbers" if len(self.damage) else "no beams"
            raise ValueError(f"there is no worst place: {why}")
        rows: dict[str, int] = {}
        for k, link in enumerate(self.fibres.links):
            most = rows.setdefault(link, k)
            for values in (self.damage, self.largest_range):
                if abs(values[k] - values[most]) > 1e-9 * values[most]:  # of equal ones, but for rounding, the first
                    rows[link] = k if values[k] > values[most] else most
                    break
        return rows

    @property
    def by_link(self) -> dict[str, WorstFibre]:
        """By link: its fibre with the most damage."""
        life, at = self.life, self.fibres
        return {link: WorstFibre(float(self.damage[k]), float(life[k]), link, float(at.positions[k]), at.names[k],
                                 float(self.largest_range[k])) for link, k in self._worst_rows.items()}

    @cached_property
    def causes(self) -> dict[str, dict[str, float]]:
        """By link, for its worst fibre: by cause, the share of the damage that would go if the cause were taken away,
        largest first. The shares do not add up to one: damage grows with a power of the stress. A negative one is of a
        cause that relieves the fibre. Each cause is a further run over all states.
        """
        links, rows, at = list(self._worst_rows), list(self._worst_rows.values()), self.rows
        damages = [float(self.damage[k]) for k in rows]
        torsion = {int(at.sections[k]): int(k) for k in np.flatnonzero(at.twisted)}
        rows += [torsion[int(at.sections[k])] for k in rows]
        shares = self.of_causes.shares(at.chosen(rows), [self.strengths[k] for k in rows], damages)
        return dict(zip(links, shares, strict=True))

    def table(self) -> str:
        """A line for each link: its worst fibre, the damage of a repetition and the life.

        >>> import loadpath as lp
        >>> arm = lp.catalog.planar(1).with_beams({"link1": lp.Beam(lp.Rod(0.02), lp.STEEL, end="tip_joint")},
        ...                                       inertia_from_beams=True)
        >>> print(arm.fatigue([[0.0], [3.14159265]]).table())
        link   at, m  fibre  largest range, MPa  damage of one  life, repetitions
        link1  0      0 deg                15.4              0  unlimited
        """
        lines = self._lines()
        widths = [max(len(line[k]) for line in lines) for k in range(6)]
        aligned = [[cell.rjust(widths[k]) if k in (3, 4) else cell.ljust(widths[k]) for k, cell in enumerate(line)]
                   for line in lines]
        return "\n".join(["  ".join(line).rstrip() for line in aligned] + self._left_out())

    def _repr_html_(self) -> str:
        head, *rows = self._lines()
        words = "fails" if self.fails else "holds"
        title = f"Fatigue: {words} for {self.cycles:.4g} repetitions"
        return html.table(title, head, rows, left=3, note="; ".join(self._left_out()))

    def _left_out(self) -> list[str]:
        return [f"motion {k}: {count_words(part)}, left out" for k, part in enumerate(self.unknown) if part.any()]

    def _lines(self) -> list[tuple[str, ...]]:
        head = ("link", "at, m", "fibre", "largest range, MPa", "damage of one", "life, repetitions")
        lines: list[tuple[str, ...]] = [head]
        for link, worst in self.by_link.items():
            life = "unlimited" if math.isinf(worst.life) else f"{worst.life:.4g}"
            lines.append((printable(link), f"{worst.position:.4g}", worst.fibre, f"{worst.largest_range / 1e6:.4g}",
                          f"{worst.damage:.3g}", life))
        return lines

    def to_dataframe(self) -> DataFrame:
        """A row for each fibre; needs pandas."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from None
        at = self.fibres
        return pd.DataFrame({"link": at.links, "beam": at.beams, "position": at.positions, "fibre": at.names,
                             "material": [material.name for material in at.materials], "damage": self.damage,
                             "life": self.life, "shear_damage": self.shear_damage, "largest_range": self.largest_range,
                             "equivalent_stress": self.equivalent_stress})

    def plot(self, title: str | None = None) -> Figure:
        """A Plotly figure: the damage of one repetition along every beam, of the worst fibre of each section."""
        import plotly.graph_objects as go

        figure, at = go.Figure(), self.fibres
        sections = np.array(at.sections)
        for place, beam in enumerate(dict.fromkeys(at.beams)):
            rows = np.flatnonzero(np.array(at.beams) == beam)
            ends = [rows[sections[rows] == number] for number in dict.fromkeys(sections[rows].tolist())]
            most = [group[int(np.argmax(self.damage[group]))] for group in ends]
            figure.add_trace(go.Scatter(
                x=at.positions[most], y=np.maximum(self.damage[most], 1e-300), mode="lines+markers",
                name=label(at.links[most[0]]), line={"color": COLORS[place % len(COLORS)]},
                text=[f"{at.names[k]}<br>life {self.life[k]:.4g}" for k in most],
            ))
        largest = float(np.nanmax(self.damage, initial=0.0))
        words = title or (f"damage of one repetition, at most {largest:.3g}" if largest else "no damage")
        figure.update_layout(title=label(words), template="plotly_white", xaxis_title="position along the beam (m)",
                             yaxis_title="damage of one repetition")
        if largest > 0:
            figure.update_yaxes(type="log", exponentformat="power",
                                range=[math.log10(largest) - 6, math.log10(largest) + 0.5])
        return figure

    def __repr__(self) -> str:
        most = np.nanmax(self.damage, initial=0.0)
        return f"<Fatigue of {len(self.damage)} fibres, largest damage of one repetition {most:.4g}>"

    __iter__ = None
