"""`loadpath deflect`: how far a flexible arm bends, what its beams carry, when it buckles and how it rings."""

from __future__ import annotations

import math
import warnings
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, FlexibleName, StatesAsked

if will_run():
    import numpy as np
    from rich.console import RenderableType

    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, heading, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import Named, find
    from loadpath.cli.states import Given, given_states, verdict_on
    from loadpath.cli.tables import NONE, Sheet, titled
    from loadpath.parts.verdict.basis import guesses_of
    from loadpath.printable import printable
    from loadpath.progress import part
    from loadpath.report.collecting import asked_for
    from loadpath.scalars.types import Floats
    from loadpath.tables import write_table
    from loadpath.whole_file import check_ending, check_writable

INSTANTS_TRIED = 101
"""Instants of a motion at which the arm is bent, tried for buckling and rung."""


def deflect(
    robot: FlexibleName,
    *,
    asked: StatesAsked,
    carried: Carried,
    modes: Annotated[int, typer.Option(min=1, max=100, help="How many natural frequencies to show.")] = 3,
    csv: Annotated[str | None, typer.Option(help="A CSV file to write, in addition: a row for each state.")] = None,
    as_json: AsJson = False,
) -> None:
    """Deflection, stress, buckling and frequencies: a table, JSON, or a CSV file in addition."""
    with errors_reported():
        if csv is not None:
            check_ending(csv, (".csv",), "a table of deflections")
            check_writable(csv)
        named = find(robot).with_payload(carried)
        arm = _flexible(named, robot)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            given = given_states(named, asked)
            with busy(f"Bending {named.robot.name} ..."):
                made = _Bent(named, arm, given, modes)
            if csv is not None:
                made.write(csv)
    messages = [*named.warnings, *(str(warning.message) for warning in caught), *made.said]
    if as_json:
        print_json(**made.as_json(), warnings=messages)
        return
    made.show(carried.payload)
    print_warnings(messages)
    if csv is not None:
        wrote(csv)


def _flexible(named: Named, name: str) -> Any:
    """What bends: an arm with beams or compliant joints, or a rover with such an arm or on tyres."""
    if named.rover is not None and (named.rover.base.on_tyres or isinstance(named.robot, lp.FlexibleRobot)):
        return named.rover
    if named.rover is None and isinstance(named.robot, (lp.FlexibleRobot, lp.ClosedFlexibleRobot)):
        return named.robot
    raise ValueError(f"'{name}' is rigid: give it [beams.link] or [joint_compliance.joint] in a project file; "
                     "`loadpath new ROBOT --beams` writes one to begin with")


class _Bent:
    """What bends, in one state or at some instants of a motion."""

    def __init__(self, named: Named, arm: Any, given: Given, modes: int) -> None:
        self.robot, self.arm, self.given = named.robot, arm, given
        case: Any = dict(named.base_state) if named.rover is not None else {"external": named.external}
        self.said: list[str] = []
        motion = given.motion
        self.t: Floats | None = None
        states: tuple[Any, ...] = given.arrays
        rest: dict[str, Any] = {"qd": given.qd, "qdd": given.qdd}
        if motion is not None:
            at = np.unique(np.linspace(0, len(motion.t) - 1, INSTANTS_TRIED).round().astype(int))
            self.t = motion.t[at]
            few = lp.Motion(motion.t[at], *(part[at] for part in given.arrays), robot=self.robot)
            states, rest = (few.with_loads(motion.loads) if motion.loads else few,), {}
        has_beams = bool(self.robot.beams)
        with part(0.2):
            self.deflection = arm.deflection(*states, **case)
            self.sag = self._sag()
        with part(0.1):
            self.stress = asked_for(lambda: arm.stress(*states, **case), self.said) if has_beams else None
        with part(0.2):
            self.buckling = asked_for(lambda: arm.buckling(*states, **case), self.said)
        with part(0.1):
            self.modes = asked_for(lambda: arm.natural_frequencies(states[0], modes, **rest, **case), self.said)
        self.guesses = guesses_of(arm)
        judged = given.arrays if motion is None else motion
        with part(0.4):
            self.verdict = asked_for(lambda: verdict_on(named, judged), self.said)

    def _series(self, values: Any) -> Any:
        array = np.asarray(values)
        return array[None] if self.t is None else array

    def _when(self, k: int) -> str:
        return NONE if self.t is None else f"{self.t[k]:.3g} s"

    def _sag(self) -> dict[str, Any] | None:
        """Of the end that goes farthest, where it does: which beam and joint gives how much of it; None where that is
        not known, as of what has loops.
        """
        ends = self._series(self.deflection.displacement)[:, [self.deflection.link_names.index(one)
                                                              for one in self.deflection.ends]]
        size = np.linalg.norm(ends, axis=-1)
        if not np.isfinite(size).any() or not np.nanmax(size) > 0:
            return None
        at, k = np.unravel_index(int(np.nanargmax(size)), size.shape)
        try:
            parts = self.deflection.by_part(self.deflection.ends[k])
        except ValueError:
            return None
        along = {name: float(self._series(part)[at]) for name, part in parts.along(
            np.asarray(self.deflection[self.deflection.ends[k]].displacement)).items()}
        whole = float(size[at, k])
        return {"link": self.deflection.ends[k], "time": None if self.t is None else float(self.t[at]), "size": whole,
                "beams": {name: along[name] / whole for name in parts.beams},
                "joints": {name: along[name] / whole for name in parts.joints}}

    # As text

    def show(self, payload: float) -> None:
        over = "In one state" if self.t is None else f"Over {self.given.words}, at {len(self.t)} instants"
        parts: list[RenderableType] = [heading(self.robot, payload), f"{over}."]
        parts += [printable(f"Guessed: {', '.join(self.guesses)}.")] if self.guesses else []
        parts += ["", self._frame_table()]
        if self.stress is not None:
            parts.append(self._beam_table())
        parts += [printable(line) for line in self._sag_line()]
        parts += [printable(line) for line in (*self._buckling_line(), *self._frequency_line())]
        parts += ["", printable(f"Verdict: {self.verdict.summary}.")] if self.verdict is not None else []
        show(terminal(), *parts)

    def _frame_table(self) -> RenderableType:
        table = Sheet(["link", "x (mm)", "y (mm)", "z (mm)", "size (mm)", "turned (mrad)", "at"])
        for row in self._frames():
            x, y, z = (f"{1e3 * part:.4g}" for part in row["displacement"])
            table.add_row(row["link"], x, y, z, f"{1e3 * row['size']:.4g}", f"{1e3 * row['turned']:.4g}",
                          NONE if row["time"] is None else f"{row['time']:.3g} s")
        return titled("Deflection of the link frames, world axes, where largest", table)

    def _frames(self) -> list[dict[str, Any]]:
        moved, turned = self._series(self.deflection.displacement), self._series(self.deflection.rotation)
        size, angle = np.linalg.norm(moved, axis=-1), np.linalg.norm(turned, axis=-1)
        found = []
        for k, name in enumerate(self.deflection.link_names):
            if not size[:, k].any() and not angle[:, k].any():
                continue
            at = int((size if size[:, k].any() else angle)[:, k].argmax())
            found.append({"link": name, "displacement": moved[at, k], "size": float(size[at, k]),
                          "rotation": turned[at, k], "turned": float(angle[at, k]),
                          "time": None if self.t is None else float(self.t[at])})
        return found

    def _beam_table(self) -> RenderableType:
        table = Sheet(["beam of link", "share of the sag", "largest stress (MPa)", "safety (yield)", "along (m)", "at"])
        for row in self._beams():
            share = NONE if row["share"] is None else f"{100 * row['share']:.3g} %"
            table.add_row(row["link"], share, f"{row['von_mises'] / 1e6:.4g}", f"{row['safety']:.4g}",
                          f"{row['along']:.3g}", NONE if row["time"] is None else f"{row['time']:.3g} s")
        return titled("Von Mises stress of the beams where the safety against yield is smallest", table)

    def _beams(self) -> list[dict[str, Any]]:
        assert self.stress is not None
        found = []
        for link in dict.fromkeys(link for link, _ in self.robot.beams):
            worst = self.stress.of(link).worst
            at = worst.state[0] if worst.state else 0
            stress = self.stress.of(link)
            most = float(np.nanmax(self._series(stress.von_mises)[at]))
            share = None if self.sag is None else self.sag["beams"].get(link)
            found.append({"link": link, "share": share, "safety": worst.safety, "along": worst.position,
                          "von_mises": most,
                          "time": None if self.t is None else float(self.t[at])})
        return found

    def _sag_line(self) -> list[str]:
        if self.sag is None or not self.sag["joints"]:
            return []
        when = "" if self.t is None else f" at {self.sag['time']:.3g} s"
        by = [f"{kind} {100 * sum(self.sag[kind].values()):.3g} %" for kind in ("beams", "joints") if self.sag[kind]]
        most = sorted(self.sag["joints"].items(), key=lambda part: -part[1])[:3]
        joints = f" ({', '.join(f'{name} {100 * share:.3g} %' for name, share in most)})" if most else ""
        return [f"Of the {1e3 * self.sag['size']:.4g} mm by which '{self.sag['link']}' goes{when}: "
                f"{', '.join(by)}{joints}."]

    def _buckling_line(self) -> list[str]:
        if self.buckling is None:
            return []
        worst = self.buckling.worst
        if not math.isfinite(worst.factor):
            return ["No multiple of these loads buckles the arm."]
        when = "" if self.t is None else f", at {self._when(worst.state[0])}"
        return [f"The arm buckles under {worst.factor:.4g} times these loads{when}; '{worst.link}' gives way most."]

    def _frequency_line(self) -> list[str]:
        if self.modes is None:
            return []
        lowest = self._lowest()
        said = ", ".join(NONE if math.isnan(x) else f"{x:.4g}" for x in lowest)
        where = "" if self.t is None else ", each where it is lowest"
        return [f"Natural frequencies under load{where}: {said} Hz."]

    def _lowest(self) -> list[float]:
        assert self.modes is not None
        every = self._series(self.modes.frequencies)
        return [float(np.nanmin(column)) if np.isfinite(column).any() else math.nan for column in every.T]

    # As data

    def as_json(self) -> dict[str, Any]:
        """The same numbers for programs."""
        worst = None if self.buckling is None else self.buckling.worst
        return {
            "robot": self.robot.name, "states": 1 if self.t is None else len(self.t), "frames": self._frames(),
            "beams": [] if self.stress is None else self._beams(), "sag": self.sag,
            "buckling": None if worst is None else {
                "factor": worst.factor, "link": worst.link,
                "time": None if self.t is None or not worst.state else self.t[worst.state[0]]},
            "frequencies": None if self.modes is None else self._lowest(), "guesses": list(self.guesses),
            "verdict": None if self.verdict is None else self.verdict.as_dict(),
        }

    def write(self, path: str) -> None:
        """A row for each state: displacement and rotation of every link frame that moves."""
        moved, turned = self._series(self.deflection.displacement), self._series(self.deflection.rotation)
        columns, values = ["t (s)"], [np.zeros((len(moved), 1)) if self.t is None else self.t[:, None]]
        for k, name in enumerate(self.deflection.link_names):
            columns += [f"{name}.{axis} (m)" for axis in "xyz"] + [f"{name}.rotation_{axis} (rad)" for axis in "xyz"]
            values += [moved[:, k], turned[:, k]]
        write_table(path, columns, np.concatenate(values, axis=1).tolist())
