"""Robots written to files: URDF, MJCF, SDF."""

from __future__ import annotations

from os import PathLike

from loadpath.errors import warn
from loadpath.files.formats import format_named
from loadpath.robot.model import RobotModel
from loadpath.whole_file import check_ending, write_whole


def to_urdf(robot: RobotModel, path: str | PathLike[str] | None = None) -> str:
    """The robot as URDF: its text, and a file if a `path` is given. `lp.load` reads an equal robot from it again, also
    one with joints, rotors, loops and couplings that URDF has no word for: those have words of this library. What URDF
    cannot say, and what other readers do not know, is listed in one `ModelWarning`.

    >>> import loadpath as lp
    >>> lp.catalog.panda().to_urdf().splitlines()[1]
    '<robot name="panda">'
    """
    return _written(robot, "URDF", path)


def to_mjcf(robot: RobotModel, path: str | PathLike[str] | None = None) -> str:
    """The robot as MJCF, the format of MuJoCo: its text, and a file if a `path` is given. Loops become `connect` and
    `weld`, mimics and couplings `equality`, rotors `armature`. What MJCF cannot say is listed in one `ModelWarning`.

    >>> import loadpath as lp
    >>> lp.catalog.panda().to_mjcf().splitlines()[1]
    '<mujoco model="panda">'
    """
    return _written(robot, "MJCF", path)


def to_sdf(robot: RobotModel, path: str | PathLike[str] | None = None) -> str:
    """The robot as SDF, the format of Gazebo and Drake: its text, and a file if a `path` is given. Loops become joints
    that close them, mimics and couplings `<mimic>`, rotors what Drake has for them; gravity other than 9.81 m/s^2
    downwards is that of a world around the model. What SDF cannot say is listed in one `ModelWarning`.

    >>> import loadpath as lp
    >>> lp.catalog.panda().to_sdf().splitlines()[2]
    '  <model name="panda">'
    """
    return _written(robot, "SDF", path)


def _written(robot: RobotModel, name: str, path: str | PathLike[str] | None) -> str:
    """The text of a robot in a format, also put into a file; what the format cannot say is one warning."""
    row = format_named(name)
    if path is not None:
        check_ending(path, row.endings, f"a robot in {name}")
    written = row.write(robot)
    if path is not None:
        write_whole(path, lambda file: file.write(written.text.encode()))
    if written.lost:
        listed = written.lost[0] if len(written.lost) == 1 else "".join(f"\n  {sentence}" for sentence in written.lost)
        warn(f"robot '{robot.name}' as {name}: {listed}")
    return written.text
