"""`lp.load`: a robot from a file of any known format, from an archive, or by its name in `robot_descriptions`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from loadpath.api.robot import Robot, as_robot
from loadpath.errors import ModelError
from loadpath.robot.estimated import Density

if TYPE_CHECKING:
    from loadpath.files.contract import ReadRobot


def load(
    path: str | PathLike[str],
    *,
    strict: bool = False,
    estimate_inertia: Density | None = None,
    package_paths: Iterable[str | PathLike[str]] | Mapping[str, str | PathLike[str]] = (),
    xacro_arguments: Mapping[str, object] | None = None,
    xacro: bool = False,
) -> Robot:
    """A robot from a file, whose format is told by its content: see the page on robot files for all formats. A file
    with loops or couplings gives an `lp.ClosedRobot`.

    Args:
        path: a file; an archive (`.gz`, `.zip`, `.tar.gz`) with one, or `"archive.zip:inside/arm.urdf"` to choose one
            of several; or a name of the package `robot_descriptions`, like `"ur10e_description"`, which downloads it.
        strict: turn every warning about the inertias into an error.
        estimate_inertia: a density (kg/m^3), or one for each of some links, to estimate inertias from shapes for links
            that have none (see `robot.with_estimated_inertia`). Without it, a moving link with a shape and no inertia
            is an error.
        package_paths: folders where the packages of `package://` and `$(find ...)` are, or a dict from the names of
            packages to their folders. Packages around the file, and those of ROS, are found without.
        xacro_arguments: for files of xacro, what `<xacro:arg>` is to be, like `{"prefix": "left_"}`.
        xacro: evaluate xacro in a file whose name does not end in `.xacro`. Without it, elements of xacro are an error.

    >>> import loadpath as lp
    >>> robot = lp.load("robot.urdf")  # doctest: +SKIP
    >>> lp.load("arm.step")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] there is no such file: 'arm.step'
    """
    given = read(path, strict=strict, package_paths=package_paths, xacro_arguments=xacro_arguments,
                 xacro=xacro)
    return robot_of(given if estimate_inertia is None else given.estimated(estimate_inertia), path)


def read(
    path: str | PathLike[str],
    *,
    strict: bool = False,
    package_paths: Iterable[str | PathLike[str]] | Mapping[str, str | PathLike[str]] = (),
    xacro_arguments: Mapping[str, object] | None = None,
    xacro: bool = False,
) -> ReadRobot:
    """What a file says of a robot, with what of it is left out; the arguments are those of `load`."""
    from loadpath.files.assets import Assets
    from loadpath.files.opening import description, is_description, open_robot

    if not isinstance(path, (str, PathLike)):
        raise ModelError(f"path of a robot is {path!r}: expected the path of a file, like 'arm.urdf'")
    if isinstance(path, str) and path.lstrip().startswith("<"):
        raise ModelError("this is the text of a robot, not the path of a file: write it to a file ending in .urdf")
    if isinstance(package_paths, (str, PathLike)):
        raise ValueError(f"package_paths is {package_paths!r}: expected several folders, like [{str(package_paths)!r}]")
    if isinstance(package_paths, Mapping):
        packages = Assets(named_packages={name: os.fspath(folder) for name, folder in package_paths.items()})
    else:
        packages = Assets(packages=tuple(Path(folder) for folder in package_paths))
    if isinstance(path, str) and is_description(path) and not Path(path).exists():
        found = description(path, packages, xacro_arguments)
        path, packages, xacro_arguments = found.path, found.packages, found.xacro_arguments
    try:
        return open_robot(path, strict, packages, xacro_arguments, xacro)
    except FileNotFoundError as problem:
        if os.fspath(path) not in importlib.import_module("loadpath.catalog").names():
            raise
        words = f"there is no such file (lp.catalog.{os.fspath(path)}(...) is a robot of the catalog)"
        raise FileNotFoundError(problem.errno, words, os.fspath(path)) from None


def robot_of(given: ReadRobot, path: str | PathLike[str]) -> Robot:
    """The robot that a file gives: a tree, or one with loops."""
    return closed_from(given.whole(), str(path))


def closed_from(given: ReadRobot, source: str) -> Robot:
    """The robot with loops that a file describes; `source` names it in errors."""
    closing = {part: getattr(given, part) for part in ("loops", "couplings", "drives", "near")}
    try:
        return as_robot(replace(given.tree, **closing))
    except ModelError as problem:
        raise ModelError(f"{source}: {problem}") from None
