"""What is asked of each design: a quantity, and how the states of its motion are reduced to one number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from loadpath.loads.resultants import OF_DRIVES, RESULTANTS
from loadpath.quantities.wrench import COMPONENTS
from loadpath.robot.conditions import Kinds
from loadpath.robot.numbers import nearest
from loadpath.scalars.types import Floats

OF_STATES = (*COMPONENTS, *RESULTANTS, *OF_DRIVES)
"""Quantities of a joint or drive in every state."""
ON_WHEELS = ("normal", "longitudinal", "lateral", "friction_used")
"""Quantities of a wheel in every state."""
OF_DESIGNS: dict[str, tuple[str, str, Kinds]] = {
    "mass": ("mass of all links, of a rover with its base", "kg", ("mass",)),
    "utilisation": ("the largest of the verdict", "", ("share",)),
    "life": ("the shortest of the verdict", "h", ("life",)),
    "tip_error": ("largest displacement of the tip by the twist of gears", "m", ("length",)),
    "deflection": ("largest displacement of the tip by what bends", "m", ("length",)),
    "buckling_safety": ("smallest over the motion", "", ("plain number",)),
    "frequency": ("smallest first natural frequency over the motion", "Hz", ("frequency",)),
    "wheel_load": ("largest normal force of a wheel", "N", ("force",)),
    "margin": ("smallest distance of the zero-moment point from the edge", "m", ("length",)),
}
"""What there is to ask of a design as a whole, what it is, and its unit."""
OF_BLOCKS = {"wheel_load": "max", "margin": "min", "deflection": "max"}
"""Those that are reductions of one number of each state."""
MARGIN = "margin"
"""Of a rover, by its name, in every state."""
JUDGED = ("utilisation", "life")
"""Answers of the verdict as a whole."""
WRENCHES = "wrenches"
"""Peaks of all components at all joints."""
REDUCTIONS = ("peak", "max", "min", "at", "mean", "mean_magnitude", "rms", "cubic_mean")

_AT_ONCE = 12_288
"""Numbers that are compared at once: they stay near the processor, and take longer than threads to take turns."""

Reduction: TypeAlias = "str | float | tuple[str, Sequence[float]] | Callable[[Floats, Floats], Floats]"


@dataclass(frozen=True, eq=False)
class Answer:
    """What is asked of each design, and how the states of its motion are reduced.

    | quantity | what |
    |---|---|
    | `"joint2.tilting_moment"` | any quantity of `lp.PeakLoads` of a joint, drive or wheel; `"*.tilting_moment"` of all joints, `"*.normal"` of all wheels; `"rover.margin:min"` |
    | `"wrenches"` | the peaks of all components at all joints |
    | `"mass"`, `"utilisation"`, `"life"`, `"tip_error"`, `"deflection"`, `"buckling_safety"`, `"frequency"`, `"wheel_load"`, `"margin"` | one number of the design: the worst over its motion |
    | `("joint2", "effort")` | the utilisation of a row of the verdict |
    | `"kinetic_energy"` ... | any compiled quantity of q, qd, qdd, every entry of it |
    | a function of the robot, or of the robot and the motion | one number |

    `reduce` is of quantities of states: "peak" (largest magnitude), "max", "min", "at" (number of the state of the
    peak), "mean", "mean_magnitude", "rms" and "cubic_mean" by time, a quantile as a number from 0 to 1, or
    `("histogram", edges)` for the share of time between edges. A function of values (designs, states) and of the shares
    of time (states,) gives numbers (designs,). In text a reduction follows a colon: `"joint2.drive:rms"`.

    >>> import loadpath as lp
    >>> lp.Answer("joint2.drive", reduce=0.99).name
    'joint2.drive:0.99'
    """  # noqa: E501

    quantity: str | tuple[str, ...] | Callable[..., object]
    reduce: Reduction = "peak"
    name: str = ""

    def __post_init__(self) -> None:
        quantity, how = self.quantity, self.reduce
        if isinstance(quantity, str) and ":" in quantity:
            if not self.name:
                object.__setattr__(self, "name", quantity)
            quantity, _, text = quantity.rpartition(":")
            how = _read_reduction(text)
            object.__setattr__(self, "quantity", quantity)
            object.__setattr__(self, "reduce", how)
        if not (isinstance(quantity, str) or callable(quantity)) and not (
            isinstance(quantity, tuple) and len(quantity) >= 2 and all(isinstance(part, str) for part in quantity)
        ):
            raise ValueError(f"an answer is asked for by {quantity!r}: expected a name like 'joint2.tilting_moment' or "
                             "'mass', a row of the verdict like ('joint2', 'effort'), or a function of the robot")
        _check_reduction(how)
        whole = not isinstance(quantity, str) or quantity in OF_DESIGNS
        if whole and how != "peak":
            raise ValueError(f"answer {quantity!r} is one number of a design: it is not reduced by {how!r}")
        if not self.name:
            object.__setattr__(self, "name", _name_of(quantity, how))
        if not isinstance(self.name, str) or "/" in self.name or self.name.startswith("."):
            raise ValueError(f"name of an answer is {self.name!r}: expected text without '/'")

    @property
    def of_states(self) -> bool:
        """Whether it is a quantity of states, which is reduced."""
        return isinstance(self.quantity, str) and self.quantity not in OF_DESIGNS

    @property
    def kinds(self) -> Kinds:
        """What it measures, as far as that is known."""
        if isinstance(self.quantity, str) and self.quantity in OF_DESIGNS:
            return OF_DESIGNS[self.quantity][2]
        return ("share",) if isinstance(self.quantity, tuple) else ()


def answers_of(given: Any) -> tuple[Answer, ...]:
    """Answers as a user asks for them: names, rows, functions, or `lp.Answer`; of a mapping with their names."""
    if isinstance(given, (str, Answer)) or callable(given):
        given = [given]
    if isinstance(given, dict):
        found = [Answer(one.quantity, one.reduce, name) if isinstance(one, Answer) else Answer(one, name=name)
                 for name, one in given.items()]
    elif isinstance(given, (list, tuple)):
        found = [one if isinstance(one, Answer) else Answer(one) for one in given]
    else:
        raise ValueError(f"answers are {given!r}: expected a list like ['mass', 'joint2.tilting_moment']")
    if not found:
        raise ValueError("no answers are asked for: expected some, like ['mass', 'utilisation']")
    names = [answer.name for answer in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two answers are named '{name}': give one of them another, lp.Answer(..., name='...')")
    return tuple(found)


def split_name(quantity: str) -> tuple[str, str]:
    """The joint (or wheel) and its quantity; no joint where there is none.

    >>> split_name("left.arm.joint2.drive"), split_name("kinetic_energy")
    (('left.arm.joint2', 'drive'), ('', 'kinetic_energy'))
    """
    name, dot, last = quantity.rpartition(".")
    return (name, last) if dot else ("", quantity)


def unit_of(answer: Answer) -> str:
    """Its unit, as far as it is one of a force, torque or power, or of a design."""
    quantity = answer.quantity
    if isinstance(quantity, str) and quantity in OF_DESIGNS:
        return OF_DESIGNS[quantity][1]
    if not isinstance(quantity, str) or answer.reduce == "at":
        return ""
    _, last = split_name(quantity)
    if last == MARGIN:
        return "m"
    if "force" in last or last in ON_WHEELS[:3]:
        return "N"
    return "N m" if "torque" in last or "moment" in last else "W" if last == "power" else ""


def unknown_quantity(quantity: str, compiled: Sequence[str]) -> ValueError:
    """The error that says what there is."""
    joint, last = split_name(quantity)
    if joint:
        return ValueError(f"no quantity '{last}' of '{joint}'{nearest(last, (*OF_STATES, *ON_WHEELS))}; there are "
                          f"{', '.join((*OF_STATES, *ON_WHEELS))}")
    known = (*OF_DESIGNS, WRENCHES, *compiled)
    there = ", ".join((*OF_DESIGNS, WRENCHES))
    return ValueError(f"no answer '{quantity}'{nearest(quantity, known)}; there are {there}, quantities of joints "
                      "like 'joint2.tilting_moment', and compiled quantities")


def _read_reduction(text: str) -> Reduction:
    try:
        return float(text)
    except ValueError:
        return text


def _check_reduction(how: object) -> None:
    if callable(how):
        return
    if isinstance(how, (int, float)) and not isinstance(how, bool):
        if not 0.0 <= how <= 1.0:
            raise ValueError(f"a quantile is {how}: expected a share from 0 to 1")
        return
    if isinstance(how, tuple) and len(how) == 2 and how[0] == "histogram":
        edges = np.asarray(how[1], dtype=float)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
            raise ValueError(f"edges of a histogram are {how[1]!r}: expected two numbers or more that rise")
        return
    if how not in REDUCTIONS:
        raise ValueError(f"reduce is {how!r}: expected {', '.join(REDUCTIONS)}, a quantile from 0 to 1, ('histogram', "
                         "edges), or a function of values (designs, states) and shares of time (states,)")


def _name_of(quantity: Any, how: Reduction) -> str:
    if isinstance(quantity, tuple):
        return ".".join(quantity).replace("/", " per ")
    if callable(quantity):
        return str(getattr(quantity, "__name__", "answer")).strip("<>")
    if how == "peak":
        return str(quantity)
    last = how if isinstance(how, str) else f"{how:g}" if isinstance(how, (int, float)) else (
        how[0] if isinstance(how, tuple) else getattr(how, "__name__", "reduced").strip("<>"))
    return f"{quantity}:{last}"


# Reducing block by block: partial results of pieces of the states are joined in their order.


class Reducing(Protocol):
    """Takes in values (designs, states) block by block."""

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        """Values of states, with their shares of the time (states,), numbered from `first` on."""

    def join(self, later: Any) -> None:
        """What another took in, of later states."""

    def result(self) -> Floats:
        """(designs,) or (designs, k)."""


def reducing(how: Reduction, designs: int) -> Reducing:
    """What reduces in that way."""
    if callable(how) or isinstance(how, (int, float)):
        return _Whole(how)
    if isinstance(how, tuple):
        return _Histogram(np.asarray(how[1], dtype=float), designs)
    if how in ("peak", "max", "min"):
        return _Extreme(how, designs)
    return _At(designs) if how == "at" else _Mean(how, designs)


class _Extreme:
    def __init__(self, how: str, designs: int) -> None:
        self.how = how
        self.value: Any = np.inf if how == "min" else -np.inf  # with the first block (designs, entries...)

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        if self.how == "min":
            self.value = np.minimum(self.value, _over_states(np.minimum, values))
        else:
            high = _over_states(np.maximum, values)
            found = np.maximum(high, -_over_states(np.minimum, values)) if self.how == "peak" else high
            self.value = np.maximum(self.value, found)

    def join(self, later: _Extreme) -> None:
        self.value = (np.minimum if self.how == "min" else np.maximum)(self.value, later.value)

    def result(self) -> Floats:
        found: Floats = self.value
        return found


def _over_states(extreme: np.ufunc, values: Floats) -> Floats:
    """The largest or smallest over the states, (designs, entries...), of (designs, states, entries...): some states at
    once, in long rows that stay near the processor.
    """
    states = values.shape[1]
    width = max(1, _AT_ONCE * states // max(values.size, 1))
    if width >= states or values.ndim < 3:
        at_once: Floats = extreme.reduce(values, axis=1)
        return at_once
    found = values[:, :width].copy()
    whole = states - states % width
    for k in range(width, whole, width):
        extreme(found, values[:, k: k + width], out=found)
    result = np.asarray(extreme.reduce(found, axis=1))
    return result if whole == states else np.asarray(extreme(result, extreme.reduce(values[:, whole:], axis=1)))


class _At:
    def __init__(self, designs: int) -> None:
        self.value, self.number = np.full(designs, -np.inf), np.full(designs, np.nan)

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        size = np.abs(values)
        at = size.argmax(axis=1)
        self._better(np.take_along_axis(size, at[:, None], axis=1)[:, 0], first + at.astype(float))

    def join(self, later: _At) -> None:
        self._better(later.value, later.number)

    def _better(self, value: Floats, number: Floats) -> None:
        better = ~(value <= self.value)
        self.value, self.number = np.where(better, value, self.value), np.where(better, number, self.number)

    def result(self) -> Floats:
        return np.where(np.isnan(self.value), np.nan, self.number)


class _Mean:
    _POWERS: dict[str, float] = {"mean": 1.0, "mean_magnitude": 1.0, "rms": 2.0, "cubic_mean": 3.0}  # noqa: RUF012

    def __init__(self, how: str, designs: int) -> None:
        self.how, self.weight = how, 0.0
        self.total: Any = 0.0  # with the first block (designs, entries...)

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        if self.how != "mean":
            size = np.abs(values)
            values = size if self.how == "mean_magnitude" else size * size if self.how == "rms" else size * size * size
        self.total = self.total + (values * weights.reshape(-1, *(1,) * (values.ndim - 2))).sum(axis=1)
        self.weight += float(weights.sum())

    def join(self, later: _Mean) -> None:
        self.total, self.weight = self.total + later.total, self.weight + later.weight

    def result(self) -> Floats:
        share = 1.0 if math.isclose(self.weight, 1.0, rel_tol=0, abs_tol=1e-9) else self.weight
        mean: Floats = self.total / share
        power = self._POWERS[self.how]
        return mean if power == 1.0 else np.sqrt(mean) if power == 2.0 else np.cbrt(mean)


class _Histogram:
    def __init__(self, edges: Floats, designs: int) -> None:
        self.edges, self.shares = edges, np.zeros((designs, len(edges) - 1))

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        inside = np.searchsorted(self.edges, values, side="right") - 1
        inside[values == self.edges[-1]] = len(self.edges) - 2
        for k in range(self.shares.shape[1]):
            self.shares[:, k] += ((inside == k) * weights).sum(axis=1)
        self.shares[np.isnan(values).any(axis=1)] = np.nan

    def join(self, later: _Histogram) -> None:
        self.shares = self.shares + later.shares

    def result(self) -> Floats:
        return self.shares


class _Whole:
    """What needs all states at once: quantiles, and functions of the user's own."""

    def __init__(self, how: float | Callable[[Floats, Floats], Floats]) -> None:
        self.how = how
        self.parts: list[tuple[Floats, Floats]] = []

    def add(self, values: Floats, weights: Floats, first: int) -> None:
        self.parts.append((values.copy(), weights))

    def join(self, later: _Whole) -> None:
        self.parts += later.parts

    def result(self) -> Floats:
        values = np.concatenate([part for part, _ in self.parts], axis=1)
        weights = np.concatenate([part for _, part in self.parts])
        if callable(self.how):
            found = np.asarray(self.how(values, weights), dtype=float)
            if found.ndim not in (1, 2) or found.shape[:1] != values.shape[:1]:
                raise ValueError(f"reduction {getattr(self.how, '__name__', self.how)!r} of values {values.shape} gave "
                                 f"the shape {found.shape}: expected ({len(values)},), a number for each design")
            return found
        order = np.argsort(values, axis=1, kind="stable")
        reached = np.cumsum(weights[order], axis=1)
        at = np.minimum((reached < self.how * reached[:, -1:] - 1e-12).sum(axis=1), values.shape[1] - 1)
        chosen = np.take_along_axis(order, at[:, None], axis=1)
        found = np.take_along_axis(values, chosen, axis=1)[:, 0]
        return np.where(np.isnan(values).any(axis=1), np.nan, found)
