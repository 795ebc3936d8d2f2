"""Motions in files: what `lp.Motion` reads and writes."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, cast

from loadpath.motion import carried, files
from loadpath.motion.closed import drive_layout, driven_robot
from loadpath.motion.layout import layout_of
from loadpath.robot.model import RobotModel

if TYPE_CHECKING:
    from loadpath.motion.motion import Motion


class MotionInFiles:
    """The part of `lp.Motion` that has to do with files."""

    @classmethod
    def from_csv(cls, path: str | PathLike[str], robot: RobotModel, *, strict: bool = False) -> Motion:
        """From a text file with a column `t`, one for each coordinate (`q.joint1`, or just the joint's name) and,
        unless they are to be derived, one for each speed (`qd.joint1`) and acceleration (`qdd.joint1`), in any order.
        Of a robot with loops columns of the drives are enough: the others follow.

        >>> import loadpath as lp, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.csv")
        >>> _ = log.write_text("t,joint1,joint2\\n" + "".join(f"{k / 10},{k / 20},0\\n" for k in range(11)))
        >>> lp.Motion.from_csv(log, lp.catalog.planar(2)).qd[5].round(6).tolist()         # derived: 0.5 rad/s
        [0.5, 0.0]
        """
        closed = driven_robot(robot)
        if closed is not None and not files.has_columns(path, robot.coordinate_names):
            drives = files.read_csv(path, drive_layout(closed))
            with files.named(path):
                return closed.motion(*drives)
        parts = files.read_csv(path, layout_of(robot))
        with files.named(path):
            return cast("type[Motion]", cls)(*parts, robot=robot, strict=strict)

    @classmethod
    def from_npz(cls, path: str | PathLike[str], robot: RobotModel | None = None, *, strict: bool = False) -> Motion:
        """From an NPZ file with arrays `t`, `q` and, unless they are to be derived, `qd` and `qdd`.

        >>> import loadpath as lp, numpy as np, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.npz")
        >>> np.savez(log, t=np.linspace(0, 1, 11), q=np.zeros((11, 2)))
        >>> lp.Motion.from_npz(log, lp.catalog.planar(2)).duration
        1.0
        """
        layout = None if robot is None else layout_of(robot)
        parts = files.read_npz(path, layout)
        with files.named(path):
            return cast("type[Motion]", cls)(*parts, robot=robot, strict=strict)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Writes a text file with named columns, `t`, `q.` and `qd.` and `qdd.` with the names of the joints.

        >>> import loadpath as lp, pathlib, tempfile
        >>> log = pathlib.Path(tempfile.mkdtemp(), "cycle.csv")
        >>> lp.Motion.swing(lp.catalog.planar(1), 11).to_csv(log)
        >>> log.read_text().splitlines()[0]
        't,q.joint1,qd.joint1,qdd.joint1'
        """
        one = cast("Motion", self)
        files.write_csv(path, one._layout, (one.t, one.q, one.qd, one.qdd))
        carried.warn_of_unwritten(one.loads, path)

    def to_npz(self, path: str | PathLike[str]) -> None:
        """Writes an NPZ file with arrays `t`, `q`, `qd`, `qdd`, `coordinate_names` and `dof_names`.

        >>> import loadpath as lp, pathlib, tempfile
        >>> arm, log = lp.catalog.planar(1), pathlib.Path(tempfile.mkdtemp(), "cycle.npz")
        >>> lp.Motion.swing(arm, 11).to_npz(log)
        >>> len(lp.Motion.from_npz(log, arm))
        11
        """
        one = cast("Motion", self)
        files.write_npz(path, one._layout, (one.t, one.q, one.qd, one.qdd))
        carried.warn_of_unwritten(one.loads, path)
