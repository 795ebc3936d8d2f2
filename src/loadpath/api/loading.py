"""`lp.load`: a robot from a file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from loadpath.api.robot import Robot, as_robot
from loadpath.errors import ModelError


def load(path: str | PathLike[str], *, strict: bool = False) -> Robot:
    """A robot from a file: URDF, by its ending. `strict=True` turns every warning about the inertias into an error. A
    file with loops or couplings (`<loop>` and `<coupling>` of URDF+, `<constraint>` of urdfdom#264) gives an
    `lp.ClosedRobot`.

    >>> import loadpath as lp
    >>> robot = lp.load("robot.urdf")  # doctest: +SKIP
    >>> lp.load("arm.step")
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.step: files ending in '.step' are not known; there is '.urdf'
    """
    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"path of a robot is {path!r}: expected the path of a file, like 'arm.urdf'")
    if isinstance(path, str) and path.lstrip().startswith("<"):
        raise ModelError("this is the text of a robot, not the path of a file: write it to a file ending in .urdf")
    ending = Path(path).suffix.lower()
    if ending == ".urdf":
        from loadpath.files.urdf import open_urdf

        read = open_urdf(path, strict=strict)
        if not (read.loops or read.couplings):
            return as_robot(read.tree)
        from loadpath.api.closed import closed_from

        return closed_from(read.tree, read.loops, read.couplings, read.drives, str(path), read.near)
    if Path(path).is_dir():
        raise ModelError(f"{path} is a folder: expected the path of a file, like '{Path(path) / 'arm.urdf'}'")
    if not ending:
        raise ModelError(f"{path}: its name has no ending that says what it is; there is '.urdf'")
    raise ModelError(f"{path}: files ending in '{ending}' are not known; there is '.urdf'")
