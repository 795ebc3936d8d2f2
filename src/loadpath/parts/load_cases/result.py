"""Load cases at the instants that matter, as tables and files: `robot.load_cases(motion)`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from loadpath.csv_tables import write_table
from loadpath.motion import DutySpectrum
from loadpath.parts.load_cases.balanced import Frame, LinkCase, link_cases
from loadpath.parts.load_cases.choosing import Chosen, chosen_instants, deciding_instants
from loadpath.parts.verdict.duties import Duty, duties_of
from loadpath.printable import printable
from loadpath.quantities.load_keywords import DriveLoadKeywords, takes_loads
from loadpath.states import StatesLike
from loadpath.whole_file import write_whole

if TYPE_CHECKING:
    from pandas import DataFrame

    from loadpath.parts.verdict.result import Verdict
    from loadpath.quantities.table import RobotQuantities

COLUMNS = ("case", "motion", "sample", "time", "because", "link", "kind", "name", "frame", "x", "y", "z", "force_x",
           "force_y", "force_z", "torque_x", "torque_y", "torque_z")


@dataclass(frozen=True, eq=False, repr=False)
class BalancedCase:
    """All links of a robot at one instant: `case["link2"].loads`.

    >>> import loadpath as lp
    >>> case = lp.catalog.planar(1).load_cases(([0], [0], [0]))[0]
    >>> case["link1"].mass
    1.0
    """

    number: int
    motion: int
    sample: int
    time: float
    """s; NaN without times."""
    because: tuple[str, ...]
    """What is largest, or decides a verdict, at this instant."""
    links: tuple[LinkCase, ...]

    def __getitem__(self, link: str) -> LinkCase:
        found = [case for case in self.links if case.link == link]
        if not found:
            raise ValueError(f"no link '{link}'; there are {', '.join(case.link for case in self.links)}")
        return found[0]

    def __iter__(self) -> Iterator[LinkCase]:
        return iter(self.links)

    def __repr__(self) -> str:
        when = f"sample {self.sample}" if np.isnan(self.time) else f"{self.time:.6g} s"
        return printable(f"<load case {self.number} at {when}: {', '.join(self.because)}>")


@dataclass(frozen=True, eq=False, repr=False)
class LoadCases:
    """Balanced load cases of a robot, those of most peaks first: `cases[0]["link2"].loads`.

    Every link is in equilibrium under its loads with its inertia, which is one of them. `to_csv` and `to_dataframe`
    have a row for each load of each link, `to_json` the acceleration fields, too.

    >>> import loadpath as lp
    >>> lp.catalog.planar(1).load_cases(([0], [0], [0]))
    <1 load cases of 'planar1', 3 links each>
    """

    cases: tuple[BalancedCase, ...]
    robot: RobotQuantities
    frame: Frame

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[BalancedCase]:
        return iter(self.cases)

    def __getitem__(self, number: int) -> BalancedCase:
        return self.cases[number]

    def __repr__(self) -> str:
        return printable(f"<{len(self)} load cases of '{self.robot.name}', {len(self.robot.links)} links each>")

    @property
    def residual(self) -> float:
        """The largest sum of forces or moments on a link, relative to the magnitudes on the most loaded link."""
        found = [0.0]
        for case in self.cases:
            for k in (0, 1):
                size = max((link.size[k] for link in case.links), default=0.0)
                found += [float(np.linalg.norm(link.residual[k]) / size) for link in case.links if size > 0]
        return max(found)

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for case in self.cases:
            start = (case.number, case.motion, case.sample, None if np.isnan(case.time) else case.time,
                     "; ".join(case.because))
            for link in case.links:
                for load in link.loads:
                    numbers = np.concatenate([load.point, load.force, load.torque]).tolist()
                    values = (*start, link.link, load.kind, load.name, self.frame, *numbers)
                    rows.append(dict(zip(COLUMNS, values, strict=True)))
        return rows

    def to_dataframe(self) -> DataFrame:
        """A pandas data frame with a row for each load of each link in each case; N, N m, m."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=list(COLUMNS))

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """The same rows as a CSV file; numbers in full, so that the loads of a link still sum to zero."""
        return write_table(path, COLUMNS, self._rows())

    def to_json(self, path: str | PathLike[str]) -> Path:
        """Cases, links and loads as JSON, with mass, mass center, gravity and accelerations of each link."""
        made = {"robot": self.robot.name, "frame": self.frame, "units": "SI", "cases": [_plain(c) for c in self.cases]}
        return write_whole(path, lambda file: file.write(json.dumps(made, indent=1).encode()))


def _plain(case: BalancedCase) -> dict[str, Any]:
    fields = ("center_of_mass", "gravity", "acceleration", "angular_velocity", "angular_acceleration")
    links = [
        {"link": link.link, "mass": link.mass, **{name: getattr(link, name).tolist() for name in fields},
         "loads": [{"kind": load.kind, "name": load.name, "point": load.point.tolist(), "force": load.force.tolist(),
                    "torque": load.torque.tolist()} for load in link.loads]}
        for link in case.links
    ]
    time = None if np.isnan(case.time) else case.time
    return {"case": case.number, "motion": case.motion, "sample": case.sample, "time": time, "because": case.because,
            "links": links}


@takes_loads
def load_cases(
    robot: RobotQuantities,
    motion: StatesLike | DutySpectrum,
    qd: ArrayLike | None = None,
    qdd: ArrayLike | None = None,
    *,
    count: int | None = None,
    joints: Sequence[str] | None = None,
    frame: Frame = "link",
    **acting: Unpack[DriveLoadKeywords],
) -> LoadCases:
    """Balanced load cases for finite-element models, at the instants at which the resultants of the joints are largest:
    force, radial force, torque and tilting moment, of all joints or of `joints`. See `LoadCases`.

    Each has for every link the forces and moments at its joints, gravity, its inertia, what acts from outside and, of
    the root link, what holds the robot; they sum to zero. `frame="link"` has them in the axes of each link's frame,
    points from its origin, `"world"` in the world's. `count` keeps the instants of the most peaks. The other arguments
    are as in `peak_loads`; `motion` may be a spectrum. `verdict.load_cases()` has the instants that decide a verdict.

    >>> import loadpath as lp
    >>> arm = lp.catalog.planar(2)
    >>> cases = arm.load_cases(([0, 0], [0, 0], [0, 0]))
    >>> [(load.kind, load.name) for load in cases[0]["link2"].loads]
    [('joint', 'joint2'), ('joint', 'tip_joint'), ('gravity', 'gravity'), ('inertia', 'inertia')]
    >>> cases[0]["link2"].loads[0].force.round(9).tolist(), cases.residual < 1e-12
    ([0.0, 9.81, 0.0], True)
    """
    if frame not in ("link", "world"):
        raise ValueError(f"frame is {frame!r}: expected 'link' or 'world'")
    case = acting["under"]
    duties = duties_of(robot, "load_cases", motion, qd, qdd, case)
    return _made(robot, duties, chosen_instants(robot, duties, joints), count, frame)


def verdict_load_cases(verdict: Verdict, count: int | None = None, frame: Frame = "link") -> LoadCases:
    """Load cases at the instants that decide the rows of a verdict, those of the most utilised first."""
    return _made(verdict.robot, verdict.duties, deciding_instants(verdict), count, frame)


def _made(
    robot: RobotQuantities, duties: tuple[Duty, ...], chosen: list[Chosen], count: int | None, frame: Frame
) -> LoadCases:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
        raise ValueError(f"count is {count!r}: expected a number of load cases, 1 or more")
    cases = []
    for number, instant in enumerate(chosen[:count]):
        duty = duties[instant.motion]
        *state, case = duty.state(instant.sample)
        links = link_cases(robot, tuple(state), case, frame)
        time = duty.time_of(instant.sample)
        cases.append(BalancedCase(number, instant.motion, instant.sample, time, instant.because, tuple(links)))
    return LoadCases(tuple(cases), robot, frame)
