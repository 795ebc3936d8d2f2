"""How far utilisations may be off because masses, mass centers, friction and the pace of the motion are not known
exactly: by the exact derivatives of a study, with the share of each input; drawn at random to confirm it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.parts.verdict.duties import is_spectrum
from loadpath.parts.verdict.result import Verdict
from loadpath.printable import printable
from loadpath.quantities.carriers import is_closed
from loadpath.report.blocks import Section
from loadpath.report.blocks import Table as PageTable
from loadpath.robot.model import RobotModel
from loadpath.robot.numbers import number
from loadpath.scalars.types import Floats
from loadpath.studies.space import Space
from loadpath.studies.study import Study, study
from loadpath.tables import Table

PACE = "motion.speed"
NAMED = 3
"""Inputs that a row names."""
_AXES = "xyz"
_LEAST = 1e-12


@dataclass(frozen=True)
class Tolerances:
    """Standard deviations of what is put in, independent of each other. The defaults are those of a design that is not
    weighed yet.

    >>> import loadpath as lp
    >>> lp.Tolerances(mass=0.02).center
    0.005
    """

    mass: float = 0.05
    """Of each link and payload, as a share of its mass; its inertia goes with it."""
    center: float = 0.005
    """m, of each coordinate of each mass center."""
    friction: float = 0.3
    """Of each viscous and Coulomb friction, as a share."""
    pace: float = 0.01
    """Of the speed of the whole motion, as a share."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = number(getattr(self, each.name), f"{each.name} of the tolerances")
            if not 0.0 <= value < 1.0:
                raise ValueError(f"{each.name} of the tolerances is {value:g}: expected zero or more, less than one")

    @property
    def words(self) -> str:
        """In a sentence."""
        return (f"masses {100 * self.mass:.3g} %, mass centers {1000 * self.center:.3g} mm along each axis, friction "
                f"{100 * self.friction:.3g} %, pace of the motion {100 * self.pace:.3g} %")


@dataclass(frozen=True)
class UncertainRow:
    """A check of the verdict with its spread."""

    joint: str
    part: str
    check: str
    utilisation: float
    spread: float
    """Standard deviation of the utilisation."""
    shares: Mapping[str, float]
    """Of its variance, by input, the largest first; they sum to one."""


@dataclass(frozen=True, eq=False, repr=False)
class Uncertainty:
    """Spreads of all checks: `print` shows a table, `section()` is one for `robot.report(sections=[...])`."""

    rows: tuple[UncertainRow, ...]
    tolerances: Tolerances
    deviations: Mapping[str, float]
    """Of each input, in its unit (kg, m, N m s/rad, ...)."""
    at: Study
    """The study of the one design whose derivatives these are."""
    verdict: Verdict = field(repr=False)
    """The verdict, whose tables show the spread beside each utilisation."""

    def __iter__(self) -> Iterator[UncertainRow]:
        return iter(self.rows)

    def __getitem__(self, key: tuple[str, str, str]) -> UncertainRow:
        for row in self.rows:
            if (row.joint, row.part, row.check) == key:
                return row
        raise ValueError(f"no row {key!r}: expected joint, part and check, like "
                         f"{(self.rows[0].joint, self.rows[0].part, self.rows[0].check)!r}")

    def drawn(self, count: int = 1000, seed: int = 0) -> dict[tuple[str, str, str], Floats]:
        """(count,): the utilisation of each check in robots and motions drawn at random, from normal distributions."""
        rng = np.random.default_rng(seed)
        middle = {name: float(self.at.design(0)[name]) for name in self.deviations}  # type: ignore[arg-type]
        values = {name: rng.normal(middle[name], deviation, count) for name, deviation in self.deviations.items()}
        of = self.at.problem
        fixed = {name: np.full(count, float(self.at.design(0)[name]))  # type: ignore[arg-type]
                 for name in self.at.space.chosen if name not in values}
        every = study(of.subject, self.at.space.samples(values | fixed), of.motion,
                      answers=[(row.joint, row.part, row.check) for row in self.rows], hours=of.hours).run()
        keys = [(row.joint, row.part, row.check) for row in self.rows]
        return {key: every.answer(".".join(key)) for key in keys}

    def table(self) -> Table:
        """The rows, the most utilised first."""
        lines: list[list[str | tuple[str, str]]] = []
        for row in sorted(self.rows, key=lambda row: -row.utilisation):
            most = [f"{name} {100 * share:.0f} %" for name, share in list(row.shares.items())[:NAMED] if share > 0.005]
            lines.append([row.part, row.joint, row.check, f"{100 * row.utilisation:.1f} %",
                          f"{100 * row.spread:.1f} %", f"{100 * (row.utilisation + 2 * row.spread):.1f} %",
                          ", ".join(most)])
        columns = ["part", "joint", "check", "utilisation", "spread", "with two spreads", "mostly from"]
        note = (f"A spread is one standard deviation, for independent standard deviations of {self.tolerances.words}; "
                "by exact derivatives where there are equations to follow, to first order. Numbers of catalogues are "
                "taken as they are.")
        return Table("Uncertainty of the utilisations", columns, lines, note, left=3, words=("mostly from",))

    def section(self) -> Section:
        """For a report, after its own sections."""
        plain = self.table()
        block = PageTable(plain.title, plain.columns, plain.rows, plain.note, left=3, right=1)
        return Section("Uncertainty", "", [block])

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        return printable(f"<uncertainty of {len(self.rows)} checks by {len(self.deviations)} inputs>")


def uncertainty(
    robot: RobotModel, motion: object, tolerances: Tolerances | None = None, *, hours: float | None = None
) -> Uncertainty:
    """The spread of every utilisation of `robot.verdict(motion, hours=hours)`, to first order, and which inputs it
    comes from: masses and mass centers of what moves, friction, the pace of the motion.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(1).with_limits({"joint1": lp.Limits(effort=10.0)})
    >>> held = ([[0.0]], [[0.0]], [[0.0]])                        # m g c / 10 N m, with c = 0.5 m
    >>> row = lp.uncertainty(arm, held, lp.Tolerances(mass=0.03, center=0.02))["joint1", "limits", "effort"]
    >>> round(row.spread / row.utilisation, 9), list(row.shares)  # the root of 0.03^2 + 0.04^2
    (0.05, ['link1_center_x', 'link1.mass'])
    """
    if robot.on_wheels or is_closed(robot):
        what = "stands on wheels" if robot.on_wheels else "has loops"
        raise ModelError(f"uncertainty: robot '{robot.name}' {what}, and it is for arms without: lp.study takes "
                         "parameters of such robots by name")
    if is_spectrum(motion):
        raise ValueError("uncertainty takes one motion, not a duty spectrum: call it for each of spectrum.motions")
    allowed = Tolerances() if tolerances is None else tolerances
    values, deviations, dependent = _inputs(robot, allowed, timed=not isinstance(motion, tuple))
    if not deviations:
        raise ValueError(f"uncertainty: nothing of robot '{robot.name}' is uncertain: all tolerances are zero")
    verdict: Any = robot.verdict(motion, hours=hours)  # type: ignore[attr-defined]
    keys = [(row.joint, row.part, row.check) for row in verdict.ranked
            if row.utilisation > _LEAST and row.kind != "beam"]
    if not keys:
        raise ValueError(f"uncertainty: nothing of robot '{robot.name}' is utilised in this motion")
    space = Space({**{name: [value] for name, value in values.items()}, **dependent})
    at = study(robot, space, motion, answers=keys, hours=hours)
    slopes = at.sensitivities(0, parameters=list(deviations))
    sizes = np.array(list(deviations.values()))
    rows = []
    for joint, part, check in keys:
        name = f"{joint}.{part}.{check}"
        each = sizes**2 * _variances(slopes.above[name], slopes.below[name])
        variance = float(each.sum())
        shares = {key: float(one / variance) for key, one in
                  sorted(zip(deviations, each, strict=True), key=lambda pair: -pair[1]) if one > 0} if variance else {}
        rows.append(UncertainRow(joint, part, check, float(slopes.values[name]), float(np.sqrt(variance)), shares))
    spreads = {(row.joint, row.part, row.check): row.spread for row in rows}
    return Uncertainty(tuple(rows), allowed, deviations, at, replace(verdict, spreads=spreads))


def _variances(above: Floats, below: Floats) -> Floats:
    """Of what grows by `above` times a normal variable where that is positive, and by `below` times it elsewhere: at a
    corner, as of a magnitude that is zero, both are far apart.

    >>> _variances(np.array([2.0, 1.0]), np.array([2.0, -1.0])).round(6).tolist()    # 4, and that of a magnitude
    [4.0, 0.36338]
    """
    a, b = np.where(np.isnan(above), below, above), np.where(np.isnan(below), above, below)
    variances: Floats = (a**2 + b**2) / 2 - (a - b) ** 2 / (2 * np.pi)
    return variances


def _inputs(
    robot: RobotModel, allowed: Tolerances, *, timed: bool
) -> tuple[dict[str, float], dict[str, float], dict[str, Callable[..., Any]]]:
    """Nominal values, standard deviations, and parameters that follow from them."""
    values: dict[str, float] = {}
    deviations: dict[str, float] = {}
    dependent: dict[str, Callable[..., Any]] = {}

    def put(name: str, value: float, deviation: float) -> None:
        values[name] = value
        deviations.update({name: deviation} if deviation > 0 else {})

    for link in robot.links:
        if link.name == robot.base.name or link.inertia.mass <= 0:
            continue
        put(f"{link.name}.mass", float(link.inertia.mass), allowed.mass * float(link.inertia.mass))
        if allowed.center > 0:
            plain = re.sub(r"\W", "_", link.name)
            plain = plain if f"{plain}_center_x" not in values else f"{plain}_{len(values)}"
            names = [f"{plain}_center_{axis}" for axis in _AXES]
            for name, middle in zip(names, link.inertia.center_of_mass, strict=True):
                put(name, float(middle), allowed.center)
            dependent[f"{link.name}.center_of_mass"] = _together(names)
    for joint in robot.joints:
        if joint.motion.dof == 1 and joint.mimic is None:
            for what in ("viscous_friction", "coulomb_friction"):
                if size := float(getattr(joint, what)[0]):
                    put(f"{joint.name}.{what}", size, allowed.friction * abs(size))
    if timed:
        put(PACE, 1.0, allowed.pace)
    return values, deviations, dependent


def _together(names: list[str]) -> Callable[..., Any]:
    """A function of parameters by their names that gives them as one vector."""

    def vector(*given: Any) -> Any:
        return given

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    vars(vector)["__signature__"] = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return vector
