"""`loadpath loads`: the wrench at every joint and the force of every drive, with their causes, in a state or over a
motion.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import loadpath as lp
from loadpath.cli.app import will_run
from loadpath.cli.options import AsJson, Carried, RobotName, StatesAsked

if will_run():
    import numpy as np
    from rich.console import RenderableType

    from loadpath.cli import tables
    from loadpath.cli.json_output import print_json
    from loadpath.cli.messages import busy, errors_reported, heading, print_notes, print_warnings, show, terminal, wrote
    from loadpath.cli.robots import Named, find, joint_of
    from loadpath.cli.states import Given, by_name, case_over, given_states
    from loadpath.cli.tables import NONE, Sheet, decimals, titled
    from loadpath.digits import fixed
    from loadpath.loads.peaks.result import Peak, PeakLoads
    from loadpath.loads.resultants import effort_limits
    from loadpath.quantities.carriers import drive_names
    from loadpath.quantities.wrench import COMPONENTS, JointWrenches
    from loadpath.scalars.types import Floats
    from loadpath.tables import write_table
    from loadpath.whole_file import check_ending, check_writable

UNITS = ("N", "N", "N", "N m", "N m", "N m")
FEW_CAUSES = 2
"""That are shown of every joint; of one that is asked for, all are."""
REST, SUM = "rest", "sum"


def loads(
    robot: RobotName = "panda",
    *,
    asked: StatesAsked,
    carried: Carried,
    joint: Annotated[
        str | None, typer.Option(help="Show this joint only, by name or number, with all its causes and their sum.")
    ] = None,
    causes: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1000,
            help="How many causes to show, the largest first, and the rest; left out: two of every "
            "joint, all of --joint.",
        ),
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option(help="A CSV file to write: of a motion all wrenches and drives over time, of a state by cause."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Joint wrenches and drives with their causes: a table, JSON, or a CSV file in addition."""
    with errors_reported():
        if csv is not None:
            check_ending(csv, (".csv",), "a table of loads")
            check_writable(csv)
        named = find(robot).with_payload(carried)
        if named.rover is not None and named.rover.base.on_links:
            raise ValueError(f"wheels of rover '{named.rover.name}' are on links of its robot, and `loadpath loads` is "
                             "of robots without the ground under them: `loadpath report` has the loads of its joints")
        if not named.robot.joints:
            raise ValueError(f"robot '{named.robot.name}' has no joints: nothing carries a load")
        if joint is not None:
            joint = joint_of(named.robot, joint)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", lp.ModelWarning)
            given = given_states(named, asked)
            with busy(f"Compiling {named.robot.name} ..."):
                made = _Loads(named, given, joint, causes)
            if csv is not None:
                made.write(csv)
    messages = [*named.warnings, *(str(warning.message) for warning in caught)]
    if as_json:
        print_json(**made.as_json(), warnings=messages)
    else:
        made.show(carried.payload)
        print_notes(named.carried_on(carried), None if named.robot.held_by_loops else named.flexible("the loads are"))
        print_warnings(messages)
    if csv is not None and not as_json:
        wrote(csv)


class _Loads:
    """The loads of a robot in the states that are asked for."""

    def __init__(self, named: Named, given: Given, joint: str | None, causes: int | None) -> None:
        self.named, self.given, self.joint = named, given, joint
        self.count = causes if causes is not None else FEW_CAUSES if joint is None else None
        self.robot = named.robot
        case = named.load_case
        if given.motion is not None:
            self.peaks: PeakLoads | None = self.robot.peak_loads(given.motion, **case)
            case = case_over(named, given.motion)
        else:
            self.peaks = None
        self.case = case
        self.wrenches: JointWrenches = self.robot.joint_wrenches(*given.arrays, **case)
        self.tau: Floats = np.asarray(self.robot.inverse_dynamics(*given.arrays, **case))

    @property
    def names(self) -> Sequence[str]:
        """Joints that are shown."""
        return self.robot.closed_joint_names if self.joint is None else [self.joint]

    # As text

    def show(self, payload: float) -> None:
        console = terminal()
        of = f"In {self.given.words}" if self.given.motion is None else f"Over {self.given.words}"
        where = f"{of}{'' if self.given.motion is None else f', {self.given.motion.t[-1]:.4g} s'}."
        parts: list[RenderableType] = [heading(self.robot, payload), where, ""]
        if self.peaks is None:
            parts += [self._state_table(), self._drive_table(), *self._cause_tables()]
        else:
            motion = self.given.motion
            assert motion is not None
            parts += [tables.peak_table(self.robot, motion, self.wrenches, part, console, self.joint)
                      for part in ("force", "torque")]
            parts += [self._peak_drive_table(self.peaks), *self._peak_cause_tables(self.peaks)]
        show(console, *parts)

    def _state_table(self) -> RenderableType:
        table = Sheet(["joint", *(f"F{a} (N)" for a in "xyz"), *(f"M{a} (N m)" for a in "xyz")])
        values = np.concatenate([self.wrenches.force, self.wrenches.torque], axis=-1)
        digits = [decimals(values[:, :3])] * 3 + [decimals(values[:, 3:])] * 3
        every = list(self.robot.closed_joint_names)
        for name in self.names:
            row = values[every.index(name)]
            table.add_row(name, *(fixed(float(x), d) for x, d in zip(row, digits, strict=True)))
        return titled("Wrench at every joint, by the parent on the child, at the joint's origin, in its frame", table)

    def _drive_table(self) -> RenderableType:
        table = Sheet(["drive", "needs", "limit", "used"], left=1)
        for name, unit, value, limit in self._drives(self.tau):
            bounded = np.isfinite(limit)
            table.add_row(name, f"{value:.5g} {unit}", f"{limit:.4g} {unit}" if bounded else NONE,
                          f"{abs(value) / limit:.0%}" if bounded and limit else NONE)
        return titled("Torque or force of every drive", table)

    def _drives(self, values: Floats) -> list[tuple[str, str, float, float]]:
        """Name, unit, value and limit of each drive."""
        units = tables.dof_units(self.robot)
        limits = effort_limits(self.robot)
        every = list(self.robot.dof_names)
        found = [(name, units[k], float(values[k]), float(limits[k])) for name in drive_names(self.robot)
                 for k in (every.index(name),)]
        return found if self.joint is None else [one for one in found if one[0].split(".")[0] == self.joint]

    def _by_cause(self, name: str) -> tuple[dict[str, Floats], Floats, Floats]:
        """What a joint carries in the state, six components each: the largest causes, as many as are asked for; the
        rest of them together; and the sum of all.
        """
        every = self.robot.load_breakdown(*self.given.arrays, **self.case).by_cause(name)
        parts = {cause: np.array([*wrench.force, *wrench.torque], dtype=float) for cause, wrench in every.items()}
        total = sum(parts.values(), start=np.zeros(6))
        some = {cause: part for cause, part in parts.items() if np.linalg.norm(part) > tables.ROUNDING}
        order = sorted(some, key=lambda cause: -float(np.linalg.norm(some[cause])))
        largest = {cause: some[cause] for cause in order[: self.count]}
        rest = sum((some[cause] for cause in order[len(largest) :]), start=np.zeros(6))
        return largest, rest, total

    def _cause_tables(self) -> list[RenderableType]:
        """What the joint that is asked for carries, by cause."""
        if self.joint is None:
            return []
        largest, rest, total = self._by_cause(self.joint)
        table = Sheet(["cause", *(f"F{a} (N)" for a in "xyz"), *(f"M{a} (N m)" for a in "xyz")])
        rows = {**largest, **({REST: rest} if rest.any() else {}), SUM: total}
        values = np.array(list(rows.values()))
        digits = [decimals(values[:, :3])] * 3 + [decimals(values[:, 3:])] * 3
        for cause, row in rows.items():
            table.add_row(cause, *(fixed(float(x), d) for x, d in zip(row, digits, strict=True)))
        return [titled(f"Wrench at {self.joint} by cause, largest first", table)]

    def _peak_drive_table(self, peaks: PeakLoads) -> RenderableType:
        table = Sheet(["drive", "smallest", "largest", "RMS", "limit", "used", "work (J)"])
        every = list(self.robot.dof_names)
        work = peaks.work_done
        for name, unit, _, limit in self._drives(self.tau[0]):
            k = every.index(name)
            one = peaks[name, "drive"]
            bounded = np.isfinite(limit)
            table.add_row(name, f"{one.minimum:.4g} {unit}", f"{one.maximum:.4g} {unit}", f"{one.rms:.4g} {unit}",
                          f"{limit:.4g} {unit}" if bounded else NONE,
                          f"{one.magnitude / limit:.0%}" if bounded and limit else NONE,
                          NONE if work is None else f"{work[k]:.4g}")
        return titled("Torque or force of every drive over the motion", table)

    def _peak_cause_tables(self, peaks: PeakLoads) -> list[RenderableType]:
        if self.count == 0:
            return []
        if self.joint is not None:
            return [self._peak_causes(quantity, peak, unit) for _, quantity, peak, unit in self._peaks(peaks)]
        table = Sheet(["joint", "peak of", "mostly by", "value", "at"], left=3)
        for name, quantity, peak, unit in self._peaks(peaks):
            largest, rest = _along_peak(peak, self.count)
            words = [f"{cause} {value:.4g} {unit}" for cause, value in largest.items()]
            words += [f"{REST} {rest:.4g} {unit}"] if abs(rest) > tables.ROUNDING else []
            table.add_row(name, quantity, "; ".join(words), f"{peak.value:.4g} {unit}", f"{peak.time:.3g} s")
        return [titled("Largest loads and what causes them, at that instant and along the peak", table)]

    def _peak_causes(self, quantity: str, peak: Peak, unit: str) -> RenderableType:
        """The causes of one peak of the joint that is asked for."""
        largest, rest = _along_peak(peak, self.count)
        rows = {**largest, **({REST: rest} if abs(rest) > tables.ROUNDING else {}), SUM: peak.value}
        digits = decimals(np.array(list(rows.values())))
        table = Sheet(["cause", f"{quantity} ({unit})"])
        for cause, value in rows.items():
            table.add_row(cause, fixed(value, digits))
        return titled(f"Largest {quantity} at {self.joint} by cause, at {peak.time:.3g} s, along the peak", table)

    def _peaks(self, peaks: PeakLoads) -> list[tuple[str, str, Peak, str]]:
        """The largest force and torque of every joint, and of the one that is chosen all resultants."""
        found = []
        for name in self.names:
            for quantity in ("force", "torque"):
                one = peaks[name, quantity]
                if one.magnitude > tables.ROUNDING:
                    found.append((name, quantity, one.peak, one.unit))
        return found

    # As data

    def as_json(self) -> dict[str, Any]:
        """The same numbers for programs."""
        drives = [{"drive": name, "unit": unit, "limit": limit if np.isfinite(limit) else None,
                   **self._drive_numbers(name)} for name, unit, _, limit in
                  self._drives(self.tau if self.peaks is None else self.tau[0])]
        return {"robot": self.robot.name, "states": self._states(), "joints": [self._joint(n) for n in self.names],
                "drives": drives}

    def _states(self) -> dict[str, Any]:
        motion = self.given.motion
        if motion is not None:
            return {"of": self.given.words, "count": len(motion.t), "duration": float(motion.t[-1] - motion.t[0])}
        q, qd, qdd = self.given.arrays
        return {"of": self.given.words, "count": 1, "q": by_name(self.robot.coordinate_names, q),
                "qd": by_name(self.robot.dof_names, qd), "qdd": by_name(self.robot.dof_names, qdd)}

    def _joint(self, name: str) -> dict[str, Any]:
        wrench = self.wrenches[name]
        if self.peaks is None:
            largest, rest, _ = self._by_cause(name)
            return {"joint": name, "force": wrench.force, "torque": wrench.torque,
                    "causes": [{"cause": cause, "force": part[:3], "torque": part[3:]}
                               for cause, part in largest.items()],
                    "rest": {"force": rest[:3], "torque": rest[3:]}}
        ranges = {part: {"min": getattr(wrench, part).min(axis=0), "max": getattr(wrench, part).max(axis=0)}
                  for part in ("force", "torque")}
        peaks = {}
        for _, quantity, peak, unit in _of(self, name):
            along, others = _along_peak(peak, self.count)
            peaks[quantity] = {"value": peak.value, "unit": unit, "time": peak.time,
                               "causes": [{"cause": cause, "value": value} for cause, value in along.items()],
                               "rest": others}
        return {"joint": name, **ranges, "peaks": peaks}

    def _drive_numbers(self, name: str) -> dict[str, Any]:
        if self.peaks is None:
            return {"value": float(self.tau[list(self.robot.dof_names).index(name)])}
        one = self.peaks[name, "drive"]
        return {"min": one.minimum, "max": one.maximum, "rms": one.rms}

    def write(self, path: str) -> None:
        """A CSV file: of a motion a row for each instant, of a state a row for each joint and cause."""
        motion = self.given.motion
        if motion is None:
            found = self.robot.load_breakdown(*self.given.arrays, **self.case)
            rows = [[name, cause, *wrench.force, *wrench.torque] for name in self.names
                    for cause, wrench in found.by_cause(name).items()]
            heads = [f"{name} ({unit})" for name, unit in zip(COMPONENTS, UNITS, strict=True)]
            write_table(path, ["joint", "cause", *heads], rows)
            return
        columns, values = ["t (s)"], [motion.t[:, None]]
        for name in self.names:
            wrench = self.wrenches[name]
            columns += [f"{name}.{part} ({unit})" for part, unit in zip(COMPONENTS, UNITS, strict=True)]
            values += [wrench.force, wrench.torque]
        every = list(self.robot.dof_names)
        for name, unit, _, _ in self._drives(self.tau[0]):
            columns.append(f"drive.{name} ({unit})")
            values.append(self.tau[:, [every.index(name)]])
        write_table(path, columns, np.concatenate(values, axis=1).tolist())


def _along_peak(peak: Peak, count: int | None) -> tuple[dict[str, float], float]:
    """The largest causes of a peak, as many as are asked for, and the rest of them together."""
    every = [part for part in peak.top(10**6) if abs(part.value) > tables.ROUNDING]
    return {part.cause: part.value for part in every[:count]}, sum(part.value for part in every[len(every[:count]) :])


def _of(made: _Loads, name: str) -> list[tuple[str, str, Peak, str]]:
    assert made.peaks is not None
    return [one for one in made._peaks(made.peaks) if one[0] == name]
