"""Exceptional cases: what is asked of one, how it comes out, and the verdict with their rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, NoReturn

from loadpath.errors import ModelError
from loadpath.in_room import function_in_room
from loadpath.parts.verdict.result import Verdict
from loadpath.printable import printable
from loadpath.robot.numbers import number

_checked_kind = function_in_room("loadpath.exceptional.kinds", "checked_kind")


class ExceptionalCase:
    """Something that a robot has to bear once in a while: `robot.verdict(motion, exceptions=[...])` counts it apart from
    the duty. It meets momentary limits: static safety of bearings, bolts, momentary and emergency torque of gears, yield
    and buckling of beams, energy of brakes; not lives, means and temperatures.

    | kind | what happens | options |
    |---|---|---|
    | `"stop"` | an emergency stop | those of `robot.stop`: `at`, `category`, `brakes`, `delay`, ... |
    | `"power loss"` | the power fails, brakes grip | `at`, `brakes`, `delay`, ... as of `robot.stop` |
    | `"jam"` | the rotor of a joint stops at once | those of `robot.jam`: `joint`, `at`, `stiffness` |
    | `"collision"` | something is hit | those of `robot.collision`: `at`, `stiffness`, `mass`, `link`, `force_limit`, ... |
    | `"static"` | an overload at rest, in all poses of the motion or in `q` | `external`, `torques` (those that an emergency brings at gears), `payload`, `center_of_mass`, `link`, `q`, `qd`, `qdd` |

    `cycle` is the name of the motion in a spectrum from which it begins; without it, from each. `count` is how often it
    happens in life: gears that permit a number of momentary peaks, and brakes with a `total_energy`, ask for it.

    >>> import loadpath as lp
    >>> gear = lp.StrainWaveGear(ratio=100, momentary_torque=110, name="size 20")
    >>> arm = lp.catalog.planar(1).with_parts({"joint1": gear})
    >>> crash = lp.ExceptionalCase("crash", "static", torques={"joint1": 99.0})
    >>> found = arm.verdict(lp.Motion.swing(arm), exceptions=[crash])
    >>> found["crash", "joint1", "momentary peak torque"]
    <momentary peak torque of size 20 at 'joint1' in crash: 99 of 110 N m, 90.0 %>
    """  # noqa: E501

    def __init__(
        self, name: str, kind: str = "stop", *, cycle: str | None = None, count: float | None = None, **options: object
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"the name of an exceptional case is {name!r}: expected text, as 'emergency stop'")
        self.name, self.cycle = name, cycle
        self.kind: str = _checked_kind(kind, options, f"exceptional case '{name}'")
        self.options: Mapping[str, object] = dict(options)
        self.count = None if count is None else number(count, f"count of exceptional case '{name}'")
        if self.count is not None and not self.count > 0:
            raise ModelError(f"count of exceptional case '{name}' is {count}: expected how often it happens in life, "
                             "more than zero")

    def __repr__(self) -> str:
        said = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return printable(f"ExceptionalCase({self.name!r}, {self.kind!r}{said})")

    def refuse(self, problem: Exception) -> NoReturn:
        """The error of what cannot be computed."""
        raise ModelError(f"exceptional case '{self.name}': {problem}") from problem


class Fact(NamedTuple):
    """A number of an exceptional case: how long, how far."""

    words: str
    value: float
    unit: str


@dataclass(frozen=True, eq=False, repr=False)
class Exceptional:
    """An exceptional case as it came out: its verdict, and what else is known of it.

    >>> import loadpath as lp
    >>> bearing = lp.CrossedRollerBearing(C=5300, C0=6070, dp=0.036)
    >>> arm = lp.catalog.planar(1).with_parts({"joint1": bearing})
    >>> leans = lp.ExceptionalCase("leans on it", "static", q=[0.0], external={"tip": lp.Wrench(force=(0, 0, -500))})
    >>> case, = arm.verdict(lp.Motion.swing(arm), exceptions=[leans]).exceptions
    >>> case.headline, case.holds, [row.check for row in case.verdict]
    ('a given pose', True, ['static safety'])
    """

    name: str
    kind: str
    """"stop", "collision", ..."""
    verdict: Verdict
    """On momentary limits alone; its times are the event's own."""
    headline: str
    """What happens, in a line."""
    facts: tuple[Fact, ...] = ()
    """What else is known: how long, how far."""
    notes: tuple[str, ...] = ()
    """What it rests on, and what is left out."""
    cycle: str = ""
    """Of a spectrum, from which motion it begins."""
    count: float | None = None
    """How often it happens in life."""
    found: object = None
    """What `robot.stop`, `robot.collision`, ... found."""

    @property
    def holds(self) -> bool:
        """Whether all momentary limits were checked and hold; where a case meets none, there is nothing to hold."""
        return self.verdict.holds or not (self.verdict.checks or self.verdict.unknown_count)

    def as_dict(self) -> dict[str, object]:
        """As plain data, for JSON."""
        return {"name": self.name, "kind": self.kind, "cycle": self.cycle, "count": self.count, "holds": self.holds,
                "headline": self.headline, "facts": [fact._asdict() for fact in self.facts], "notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"<exceptional case '{self.name}': {self.headline}>"


def with_exceptions(found: Verdict, cases: Iterable[Exceptional]) -> Verdict:
    """The verdict on a duty with the rows of exceptional cases. What could not be checked of the duty for want of what
    an emergency brings, goes where a case has it.
    """
    every = tuple(cases)
    described = {(row.joint, row.part, row.check) for case in every for row in case.verdict.checks
                 if row.checked}
    rows = [row for row in found.checks if row.checked or row.life_hours is not None
            or (row.joint, row.part, row.check) not in described]
    rows += [replace(row, case=case.name) for case in every for row in case.verdict.checks]
    return replace(found, checks=tuple(rows), exceptions=every)
