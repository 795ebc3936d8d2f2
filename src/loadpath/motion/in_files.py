"""Motions in files and frames: what `lp.Motion` reads and writes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from loadpath.errors import ModelWarning, warn
from loadpath.motion import carried
from loadpath.motion.closed import drive_layout, driven_robot
from loadpath.motion.layout import layout_of, units_of
from loadpath.motion.logs import files
from loadpath.motion.logs.files import LogFrame
from loadpath.motion.logs.log import HowToRead, read_log
from loadpath.motion.logs.table import LogTable, factor, listed, quantity
from loadpath.motion.logs.table import columns as names_of_columns
from loadpath.motion.smoothing import Smooth
from loadpath.robot.model import RobotModel

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


class MotionInFiles:
    """The part of `lp.Motion` that has to do with files and frames."""

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        robot: RobotModel,
        *,
        degrees: bool = False,
        units: Mapping[str, str] | None = None,
        columns: Mapping[str, str | None] | None = None,
        smooth: Smooth = None,
        strict: bool = False,
    ) -> Motion:
        """From a text file with a column `t`, one for each coordinate (`q.joint1`, or just the joint's name) and,
        unless they are to be derived, one for each speed (`qd.joint1`) and acceleration (`qdd.joint1`), in any order.
        Of a robot with loops columns of the drives are enough: the others follow.

        Units in names of columns (`elbow [deg]`, `time_ms`) are converted; `degrees=True` is for angles without a unit,
        `units={"t": "ms", "q": "deg"}` for kinds or columns without one. Names of known loggers (UR's RTDE, ROS's joint
        states) are understood; `columns={"axis 3": "elbow", "remark": None}` says what others are, or that they do not
        matter; of a file without names, `columns={"column 1": "t", "column 2": "elbow"}`. Torques, currents and
        payloads are kept in `extra`, and what was done to the log is said in `notes`.
        Samples that are noisy are smoothed before they are differentiated: `smooth` is that of `lp.Motion`.

        >>> import loadpath as lp, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.csv")
        >>> _ = log.write_text("t;joint1 [deg];joint2\\n" + "".join(f"{k / 10};{3 * k};0\\n" for k in range(11)))
        >>> motion = lp.Motion.from_csv(log, lp.catalog.planar(2))
        >>> motion.qd[5].round(4).tolist(), motion.notes         # derived: 30 degrees a second
        ([0.5236, 0.0], ("column 'joint1 [deg]' was converted from deg to rad",))
        """
        _refuse_no_robot(path, robot)
        unnamed = isinstance(columns, Mapping) and any(str(name).startswith(files.UNNAMED) for name in columns)
        with files.text_table(path, ",".join(names_of_columns(layout_of(robot))[:3]) + ",...", unnamed) as table:
            return cls._from_table(table, robot, HowToRead(degrees, units or {}, columns), smooth, strict)

    @classmethod
    def from_parquet(
        cls,
        path: str | PathLike[str],
        robot: RobotModel,
        *,
        degrees: bool = False,
        units: Mapping[str, str] | None = None,
        columns: Mapping[str, str | None] | None = None,
        smooth: Smooth = None,
        strict: bool = False,
    ) -> Motion:
        """From a Parquet file, by the rules of `from_csv`. It needs pyarrow, polars or pandas.

        >>> import loadpath as lp, pathlib, tempfile
        >>> import pandas as pd                                                             # doctest: +SKIP
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.parquet")                         # doctest: +SKIP
        >>> frame = pd.DataFrame({"time_ms": range(11), "joint1 [deg]": range(11)})         # doctest: +SKIP
        >>> frame.to_parquet(log)                                                           # doctest: +SKIP
        >>> lp.Motion.from_parquet(log, lp.catalog.planar(1)).duration                      # doctest: +SKIP
        0.01
        """
        table = files.parquet_table(path)
        return cls._from_table(table, robot, HowToRead(degrees, units or {}, columns), smooth, strict)

    @classmethod
    def from_frame(
        cls,
        frame: LogFrame,
        robot: RobotModel,
        *,
        degrees: bool = False,
        units: Mapping[str, str] | None = None,
        columns: Mapping[str, str | None] | None = None,
        smooth: Smooth = None,
        strict: bool = False,
    ) -> Motion:
        """From a frame of pandas or polars, or a table of Arrow, by the rules of `from_csv`. Dates in the column of the
        times become seconds from the first.

        >>> import loadpath as lp, pandas as pd
        >>> frame = pd.DataFrame({"time_ms": range(0, 110, 10), "joint1": [0.1] * 11})
        >>> lp.Motion.from_frame(frame, lp.catalog.planar(1)).duration
        0.1
        """
        table = files.FrameTable(frame, "the frame")
        return cls._from_table(table, robot, HowToRead(degrees, units or {}, columns), smooth, strict)

    @classmethod
    def _from_table(cls, table: LogTable, robot: RobotModel, how: HowToRead, smooth: Smooth, strict: bool) -> Motion:
        """The one way from any table to a motion."""
        _refuse_no_robot(table.name, robot)
        closed = driven_robot(robot)
        drives = None if closed is None else drive_layout(closed)
        log, of_drives = read_log(table, robot, layout_of(robot), how, drives)
        if log.unused:
            warn(f"{table.name}: not used are the columns {listed(log.unused)}")
        if strict and log.problems:
            raise ValueError(f"{table.name}: {'; '.join(log.problems)}")
        for problem in log.problems:
            warn(f"{table.name}: {problem}")
        states = log.t, log.q, log.qd, log.qdd
        with files.named(table.name):
            if closed is not None and of_drives:
                with warnings.catch_warnings():
                    if strict:
                        warnings.simplefilter("error", ModelWarning)
                    try:
                        motion = closed.motion(*states, smooth=False if strict and smooth is None else smooth)
                    except ModelWarning as problem:
                        raise ValueError(str(problem)) from None
            else:
                motion = cast("type[Motion]", cls)(*states, robot=robot, strict=strict, smooth=smooth)
        return motion._with(extra=log.extra, notes=tuple(log.notes), source=Path(table.name).name)

    @classmethod
    def from_npz(
        cls,
        path: str | PathLike[str],
        robot: RobotModel | None = None,
        *,
        degrees: bool = False,
        smooth: Smooth = None,
        strict: bool = False,
    ) -> Motion:
        """From an NPZ file with arrays `t`, `q` and, unless they are to be derived, `qd` and `qdd`; with `degrees`,
        angles are in degrees.

        >>> import loadpath as lp, numpy as np, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.npz")
        >>> np.savez(log, t=np.linspace(0, 1, 11), q=np.zeros((11, 2)))
        >>> lp.Motion.from_npz(log, lp.catalog.planar(2)).duration
        1.0
        """
        layout = None if robot is None else layout_of(robot)
        t, q, qd, qdd = files.read_npz(path, layout)
        with files.named(path):
            if degrees:
                if robot is None or layout is None:
                    raise ValueError("degrees=True needs the robot too, which knows what is an angle")
                units, scale = units_of(robot), factor("deg", quantity("rad")) or 1.0
                places = [k for k, name in enumerate(layout.coordinate_names) if units[name] == "rad"]
                turning = [k for k, name in enumerate(layout.dof_names) if units[name] == "rad"]
                q, qd, qdd = (
                    _scaled(part, which, scale) for part, which in ((q, places), (qd, turning), (qdd, turning))
                )
            motion = cast("type[Motion]", cls)(t, q, qd, qdd, robot=robot, strict=strict, smooth=smooth)
        return motion._with(source=Path(path).name)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Writes a text file with named columns, `t`, `q.` and `qd.` and `qdd.` with the names of the joints, and what
        is in `extra`.

        >>> import loadpath as lp, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.csv")
        >>> lp.Motion.swing(lp.catalog.planar(1), 11).to_csv(log)
        >>> log.read_text().splitlines()[0]
        't,q.joint1,qd.joint1,qdd.joint1'
        """
        one = cast("Motion", self)
        files.write_csv(path, one._layout, (one.t, one.q, one.qd, one.qdd), one.extra)
        carried.warn_of_unwritten(one.loads, path)

    def to_npz(self, path: str | PathLike[str]) -> None:
        """Writes an NPZ file with arrays `t`, `q`, `qd`, `qdd`, `coordinate_names` and `dof_names`; what is in `extra`
        stays behind.

        >>> import loadpath as lp, pathlib, tempfile
        >>> arm, log = lp.catalog.planar(1), pathlib.Path(tempfile.mkdtemp(), "cycle.npz")
        >>> lp.Motion.swing(arm, 11).to_npz(log)
        >>> len(lp.Motion.from_npz(log, arm))
        11
        """
        one = cast("Motion", self)
        files.write_npz(path, one._layout, (one.t, one.q, one.qd, one.qdd))
        carried.warn_of_unwritten(one.loads, path)


def _refuse_no_robot(name: object, robot: Any) -> None:
    if not isinstance(robot, RobotModel):
        given = repr(robot)
        raise ValueError(f"log {str(name)!r} is to be read for {given[:80]}: expected a file, then a robot, whose "
                         "joints the columns are matched with")


def _scaled(part: Any, columns: list[int], scale: float) -> Any:
    """Some columns of an array that may be no array of numbers: others say so."""
    if getattr(part, "ndim", 0) != 2 or part.dtype.kind not in "biuf" or part.shape[1] <= max(columns, default=0):
        return part
    part = part.astype(float)
    part[:, columns] *= scale
    return part
