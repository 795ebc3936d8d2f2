"""`loadpath rover`: loads of the wheels, tipping over and slipping, in a state or over a motion."""

from __future__ import annotations

import inspect
import shlex
import warnings
from dataclasses import dataclass
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, RobotName, StatesAsked

if will_run():
    import numpy as np
    from rich.console import RenderableType

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import Named, find, uphill
    from loadpath.cli.states import Given, base_numbers, given_states, verdict_on
    from loadpath.cli.tables import NONE, Sheet, decimals, titled
    from loadpath.digits import fixed, percent
    from loadpath.mobile.ground_checks import TIPPING
    from loadpath.mobile.motions import BaseState
    from loadpath.mobile.standards import TESTS
    from loadpath.parts.verdict.result import Verdict
    from loadpath.printable import printable
    from loadpath.tables import write_table
    from loadpath.whole_file import check_ending, check_writable


@dataclass(frozen=True)
class BaseMotion:
    """How a user says that the base moves."""

    velocity: Annotated[
        str | None, typer.Option(help="Velocity of the base: v,w or vx,vy,w (m/s, rad/s), in its own axes.")
    ] = None
    acceleration: Annotated[
        str | None, typer.Option(help="Acceleration of the base, like --velocity (m/s^2, rad/s^2).")
    ] = None
    heading: Annotated[float | None, typer.Option(help="Angle (rad) of the base from uphill, on a slope.")] = None

    def over(self, named: Named) -> BaseState:
        """What is typed, in place of what the project file says."""
        given = {"velocity": base_numbers("--velocity", self.velocity),
                 "acceleration": base_numbers("--acceleration", self.acceleration),
                 "heading": self.heading}
        return {**named.base_state, **{key: value for key, value in given.items() if value is not None}}  # type: ignore[typeddict-item]


def rover(
    robot: RobotName = "lau_rover",
    *,
    base: BaseMotion,
    asked: StatesAsked,
    carried: Carried,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition: a row for each state.")] = None,
    standards: Annotated[str | None, typer.Option(
        help="Tests of standards, as 'braking speed=1.5 deceleration=2; kerb height=0.02': tables, rows of the verdict."
    )] = None,
    as_json: AsJson = False,
) -> None:
    """Wheel loads, margin against tipping and friction used: a table, JSON, or a CSV file in addition."""
    with errors_reported():
        if csv is not None:
            check_ending(csv, (".csv",), "a table of wheel loads")
            check_writable(csv)
        named = find(robot).with_payload(carried)
        if named.rover is None:
            raise ValueError(f"'{robot}' is no rover: {_how_to_get_wheels(robot, named)}")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            given = given_states(named, asked) if named.rover.n else None
            with busy(f"Compiling {named.rover.name} ..."):
                state = base.over(named)
                tests = named.standards if standards is None else asked_tests(named.rover, standards, given)
                made = _Wheels(named.rover, given, state, _verdict(named, given, state, tests), tests)
            if csv is not None:
                made.write(csv)
    messages = [*named.warnings, *(str(warning.message) for warning in caught)]
    if as_json:
        print_json(**made.as_json(), warnings=messages)
        return
    made.show()
    print_warnings(messages)
    if csv is not None:
        wrote(csv)


def _how_to_get_wheels(robot: str, named: Named) -> str:
    """What the user of a robot without wheels does next."""
    if named.project is not None:
        return "its project file has no [[base.wheels]]; `loadpath new ROBOT --base` writes some to begin with"
    if ".py" in robot:
        return "expected a Python file that makes an lp.Rover"
    return (f"it has no wheels. `loadpath new {shlex.quote(robot)} --base -o cart.toml` puts it on a base with wheels, "
            "and `loadpath rover cart.toml` tells how it stands")


def _verdict(named: Named, given: Given | None, base: BaseState, tests: list[lp.StandardTest]) -> Verdict:
    """The verdict on the rover in these states, with the tests that are asked for."""
    states = None if given is None else given.arrays if given.motion is None else given.motion
    return verdict_on(named, states, base=base, standards=tests)


def asked_tests(subject: lp.Rover, text: str, given: Given | None) -> list[lp.StandardTest]:
    """The tests of a text: names with their numbers, between semicolons. They are of the poses that are asked for."""
    found = []
    for part in (words.strip() for words in text.split(";")):
        if not part:
            continue
        name, *options = part.split()
        if name not in TESTS:
            raise ValueError(f"--standards: no test '{name}'; there are {', '.join(TESTS)}")
        values: dict[str, Any] = {}
        for option in options:
            key, equals, value = option.partition("=")
            if not equals or key not in inspect.signature(TESTS[name]).parameters or key in ("rover", "q"):
                known = [key for key in inspect.signature(TESTS[name]).parameters if key not in ("rover", "q", "qd")]
                raise ValueError(f"--standards: {name} has no '{option}': expected name=value of {', '.join(known)}")
            values[key] = _value(value)
        needed = [key for key, parameter in inspect.signature(TESTS[name]).parameters.items()
                  if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty]
        if missing := [key for key in needed if key not in values]:
            raise ValueError(f"--standards: {name} needs {' and '.join(f'{key}=' for key in missing)}, as in '{name} "
                             f"{' '.join(f'{key}={values.get(key, 1)}' for key in needed)}'")
        poses = {} if given is None else {"q": given.q}
        if given is not None and "qd" in inspect.signature(TESTS[name]).parameters:
            poses["qd"] = given.qd
        try:
            found.append(getattr(subject.standards, name)(**poses, **values))
        except TypeError as problem:
            raise ValueError(f"--standards: {problem}") from None
    if not found:
        raise ValueError("--standards: no test is named, as in 'braking speed=1.5 deceleration=2'; there are "
                         f"{', '.join(TESTS)}")
    return found


def _value(text: str) -> Any:
    """A number, yes or no, or a word."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


class _Wheels:
    """What the ground carries, for one state or the samples of a motion."""

    def __init__(
        self, subject: lp.Rover, given: Given | None, base: BaseState, verdict: Verdict, tests: list[lp.StandardTest]
    ) -> None:
        self.tests = tests
        self.rover, self.given, self.base, self.verdict = subject, given, base, verdict
        self.motion = None if given is None else given.motion
        states = () if given is None else given.states
        self.loads = subject.wheel_loads(*states, **base)
        self.stability = subject.stability(*states, **base)
        known = all(subject.friction_of(name) is not None for name in subject.contact_names)
        self.slip = subject.slip(*states, **base) if known else None

    def _series(self, values: Any) -> Any:
        """Of all states, (states, ...)."""
        array = np.asarray(values)
        return array.reshape(-1, *array.shape[1:]) if self.motion is not None else array[None]

    def show(self) -> None:
        console = terminal()
        over = "standing with all joints as given" if self.given is None else self.given.words
        parts: list[RenderableType] = [
            printable(f"{self.rover.name}: {len(self.rover.contact_names)} contacts, {self.rover.n} degrees of freedom "
                      f"on it; {over}{self._moving()}{uphill(self.rover, self._heading)}."), ""]
        parts.append(self._contact_table())
        parts += self._margin_lines()
        parts += [part for test in self.tests for part in ("", _test_table(test))]
        parts += ["", printable(f"Verdict: {self.verdict.summary}.")]
        show(console, *parts)

    @property
    def _heading(self) -> float:
        return float(np.ravel(self.base.get("heading") or 0.0)[0])

    def _moving(self) -> str:
        given = ((self.base.get("velocity"), "velocity", "m/s, rad/s"),
                 (self.base.get("acceleration"), "acceleration", "m/s^2, rad/s^2"))
        words = [f"{name} {', '.join(f'{x:g}' for x in np.ravel(value))} {unit}" for value, name, unit in given
                 if value is not None]
        return f"; base with {' and '.join(words)}" if words else "; base standing"

    def _contact_table(self) -> RenderableType:
        normal = self._series(self.loads.normal)
        along, across = self._series(self.loads.longitudinal), self._series(self.loads.lateral)
        used = None if self.slip is None else self._series(self.slip.ratio)
        one = len(normal) == 1
        heads = ["normal (N)"] if one else ["normal min (N)", "normal max (N)"]
        table = Sheet(["contact", "type", *heads, "along (N)", "across (N)", "friction used"], left=2)
        digits = decimals(normal)
        for k, (name, wheel) in enumerate(zip(self.rover.contact_names, self.rover.base.wheels, strict=True)):
            ends = [normal[:, k].min()] if one else [normal[:, k].min(), normal[:, k].max()]
            sides = [part[int(np.abs(part[:, k]).argmax()), k] for part in (along, across)]
            friction = NONE if used is None else _percent(float(used[:, k].max()))
            table.add_row(name, wheel.kind.removesuffix(" wheel"),
                          *(fixed(float(x), digits) for x in (*ends, *sides)), friction)
        what = "" if one else "; along and across the rolling direction where largest"
        return titled(f"Forces of the ground on every contact{what}", table)

    def _margin_lines(self) -> list[RenderableType]:
        margin = self._series(self.stability.margin)
        k = int(np.nanargmin(margin)) if np.isfinite(margin).any() else 0
        edge = self.stability.edges[int(self._series(self.stability.edge_number)[k])]
        when = "" if self.motion is None else f" at {self.motion.t[k]:.3g} s"
        x, y = self._series(self.stability.zero_moment_point)[k]
        lines = [f"Smallest distance of the zero-moment point from an edge: {margin[k]:.4g} m{when}, over the edge "
                 f"{' to '.join(edge)}; it lies at ({x:.4g}, {y:.4g}) m."]
        if towards := self._towards_edge():
            lines.append(f"Mostly taken there by {towards}.")
        energy, tilt = self._least("energy"), self._least("tilt")
        lines.append(f"Energy left to tipping over: {energy['smallest']:.4g} J{_when(energy['time'])}, over the edge "
                     f"{' to '.join(energy['edge'])}; the ground may tilt by {np.degrees(tilt['smallest']):.3g} "
                     f"degrees{_when(tilt['time'])}, about the edge {' to '.join(tilt['edge'])}.")
        tips = int(np.count_nonzero(self.stability.tips_over))
        states = "" if self.motion is None else f" in {tips} of {len(margin)} states"
        lines.append(f"It tips over{states}." if tips else "It does not tip over.")
        if np.any(self.stability.falls):
            lines.append("It may fall if its motion stops dead: its kinetic energy is more than it takes over an edge.")
        if self.slip is None:
            lines.append("Slip is not known: no friction is given.")
        else:
            slips = self._series(self.slip.slips)
            names = [name for k, name in enumerate(self.rover.contact_names) if slips[:, k].any()]
            lines.append(f"Slips: {', '.join(names)}." if names else "No contact slips.")
        return [printable(line) for line in lines]

    def _least(self, what: str) -> dict[str, Any]:
        """Where the margin by energy (J) or tilt (rad) is least."""
        margin = self._series(getattr(self.stability, f"{what}_margin"))
        k = 0 if np.isnan(margin).all() else int(np.nanargmin(margin))
        return {"smallest": margin[k], "time": None if self.motion is None else self.motion.t[k],
                "edge": [str(name) for name in self._series(getattr(self.stability, f"{what}_edge"))[k]]}

    def _towards_edge(self, count: int = 3) -> str:
        """The causes that take the zero-moment point towards the nearest edge at the worst moment, m."""
        row = next((row for row in self.verdict if row.check == TIPPING and row.at is not None), None)
        if row is None or not np.isfinite(row.demand):
            return ""
        try:
            towards = [part for part in row.top(1000) if part.value > 1e-9][:count]
        except ValueError:  # of ground on which causes do not add up
            return ""
        return ", ".join(f"{part.cause} ({part.value:.3g} m)" for part in towards)

    def as_json(self) -> dict[str, Any]:
        """The same numbers for programs."""
        normal = self._series(self.loads.normal)
        along, across = self._series(self.loads.longitudinal), self._series(self.loads.lateral)
        margin = self._series(self.stability.margin)
        used = None if self.slip is None else self._series(self.slip.ratio)
        slips = None if self.slip is None else self._series(self.slip.slips)
        contacts = [
            {"contact": name, "type": wheel.kind, "position": wheel.position,
             "normal": {"min": normal[:, k].min(), "max": normal[:, k].max()},
             "longitudinal": {"min": along[:, k].min(), "max": along[:, k].max()},
             "lateral": {"min": across[:, k].min(), "max": across[:, k].max()},
             "friction_used": None if used is None else used[:, k].max(),
             "slips": None if slips is None else bool(slips[:, k].any())}
            for k, (name, wheel) in enumerate(zip(self.rover.contact_names, self.rover.base.wheels, strict=True))
        ]
        k = int(np.nanargmin(margin)) if np.isfinite(margin).any() else 0
        return {
            "rover": self.rover.name, "states": len(margin), "contacts": contacts,
            "margin": {"smallest": margin[k], "time": None if self.motion is None else self.motion.t[k],
                       "edge": self.stability.edges[int(self._series(self.stability.edge_number)[k])],
                       "zero_moment_point": self._series(self.stability.zero_moment_point)[k]},
            "energy_margin": self._least("energy"), "tilt_margin": self._least("tilt"),
            "tips_over": bool(np.any(self.stability.tips_over)), "falls": bool(np.any(self.stability.falls)),
            "standards": [test.as_dict() for test in self.tests],
            "verdict": self.verdict.as_dict(),
        }

    def write(self, path: str) -> None:
        """A row for each state: normal, longitudinal and lateral forces of every contact, and the margins."""
        names = self.rover.contact_names
        parts = {"normal": self.loads.normal, "longitudinal": self.loads.longitudinal, "lateral": self.loads.lateral}
        columns = [f"{name}.{part} (N)" for part in parts for name in names]
        margins = (self.stability.margin, self.stability.energy_margin, self.stability.tilt_margin)
        values = np.concatenate([*(self._series(part) for part in parts.values()),
                                 *(self._series(part)[:, None] for part in margins)], axis=1)
        times = np.zeros(len(values)) if self.motion is None else self.motion.t
        heads = ["t (s)", *columns, "margin (m)", "energy margin (J)", "tilt margin (rad)"]
        write_table(path, heads, np.column_stack([times, values]).tolist())


def _test_table(test: lp.StandardTest) -> RenderableType:
    heads = [*test.table.columns[:5], "result", "after"]
    table = Sheet(heads, words=("unit", "result", "after"), less_important=("after",))
    for row in test.table.texts:
        table.add_row(*row)
    return titled(f"{test.table.title}. {test.table.note}", table)


def _when(time: float | None) -> str:
    return "" if time is None else f" at {time:.3g} s"


def _percent(share: float) -> str:
    return NONE if np.isnan(share) else percent(share)
