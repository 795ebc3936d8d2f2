"""From a path to a robot: what is there (a file, an archive, the robot in it), which format it has, and its reader."""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadpath.errors import ModelError
from loadpath.files import archives, assets
from loadpath.files.archives import Members
from loadpath.files.assets import Assets
from loadpath.files.contract import ReadRobot
from loadpath.files.formats import (
    FORMATS,
    Format,
    format_of_root,
    format_without_root,
    formats,
    is_markup,
    root_of,
    what_instead,
)
from loadpath.files.xacro import XACRO_ENDING, ends_as_xacro, has_xacro, run_xacro
from loadpath.files.xml_reading import read_xml
from loadpath.robot.numbers import nearest

_ARCHIVE_ENDINGS = (".zip", ".gz", ".tgz", ".tar")
_MOST_LISTED = 12


@dataclass(frozen=True)
class RobotText:
    """The content of a robot's file, how to name it in messages, and where the files are that it refers to."""

    data: bytes
    source: str
    assets: Assets


def open_robot(
    path: str | os.PathLike[str],
    strict: bool = False,
    packages: Assets = Assets(),  # noqa: B008  # frozen
    xacro_arguments: Mapping[str, object] | None = None,
    xacro: bool = False,
) -> ReadRobot:
    """A robot from a file of any format in `loadpath.files.formats`, by its content; also from an archive.

    Args:
        path: the file; `archive.zip:inside/arm.urdf` for one of several in an archive.
        strict: refuse what is otherwise reported in a `ModelWarning` and kept as given.
        packages: where to look for packages first.
        xacro_arguments: what `<xacro:arg>` is to be, for files of xacro.
        xacro: evaluate xacro, whatever the ending; files ending in `.xacro` ask for it by themselves.

    Raises:
        ModelError: the robot is wrong; the message names the file, the line, the link or joint and the value.
        FileNotFoundError: there is no such file.

    >>> open_robot("nowhere.urdf")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] there is no such URDF file: 'nowhere.urdf'
    """
    text = text_at(path, packages)
    found = format_of(text)
    if xacro_arguments is not None and not (xacro or ends_as_xacro(text.source)):
        if not has_xacro(read_xml(text.data, text.source)):
            raise ValueError(f"{text.source} is not xacro: it takes no xacro_arguments")
        xacro = True  # who gives its arguments asks for it
    if xacro or ends_as_xacro(text.source):
        made = run_xacro(text.data, text.source, text.assets, xacro_arguments or {})
        text = replace(text, data=made, source=f"{text.source} (as xacro makes it)")
    return found.read(text.data, text.source, strict, text.assets)


def text_at(path: str | os.PathLike[str], packages: Assets) -> RobotText:
    """The content of the file at a path, or of the robot's file in the archive there."""
    file, member = file_and_member(path)
    if file.is_dir():
        raise ModelError(f"{file} is a folder: expected the path of a file, like '{file / _some_robot_in(file)}'")
    data, source = _content(file), str(file)
    beside = replace(packages, folder=Assets.beside(file).folder)
    if not archives.is_compressed(data):
        if member:
            raise ModelError(f"{file} is no archive: there is no '{member}' in it")
        return RobotText(data, source, beside)
    unpacked = archives.unpack(data, source)
    if isinstance(unpacked, bytes):
        return RobotText(unpacked, source, beside)
    inside = _chosen(unpacked, member, source)
    if len(unpacked[inside]) > assets.LARGEST_FILE:
        raise ModelError(f"{source}:{inside}: unpacked, the file is larger than "
                         f"{assets.LARGEST_FILE >> 20} MiB, which no robot needs")
    within = Assets(members=unpacked, inside=posixpath.dirname(inside))
    return RobotText(unpacked[inside], f"{source}:{inside}", within)


def format_of(text: RobotText) -> Format:
    """The format of a file by its root element; an error says what it is if it is no robot."""
    if not text.data.strip():
        raise ModelError(f"{text.source}: the file is empty: expected XML")
    root = root_of(text.data)
    found = format_of_root(root) if root is not None else None
    if found is None and root is None:
        found = format_without_root(posixpath.splitext(text.source)[1])
    if found is not None:
        return found
    if root is None and is_markup(text.data):
        read_xml(text.data, text.source)  # says what is wrong with it
    raise ModelError(f"{text.source}: {what_instead(text.data, root)}")


# What is there


def file_and_member(path: str | os.PathLike[str]) -> tuple[Path, str]:
    """The file, and the name after a colon of a file in an archive."""
    given = Path(path)
    text = os.fspath(path)
    if os.path.lexists(given) or ":" not in text:
        return given, ""
    for place in (place for place, letter in enumerate(text) if letter == ":"):
        archive = Path(text[:place])
        if text[place + 1 :] and (archive.is_file() or archive.suffix.lower() in _ARCHIVE_ENDINGS):
            return archive, text[place + 1 :]
    return given, ""


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(assets.LARGEST_FILE + 1)
            if len(data) > assets.LARGEST_FILE and archives.is_compressed(data):
                data += stream.read(archives.LARGEST_ARCHIVE + 1 - len(data))
                if len(data) > archives.LARGEST_ARCHIVE:
                    raise ModelError(f"{file}: the archive is larger than {archives.LARGEST_ARCHIVE >> 20} MiB, which "
                                     "no robot needs")
                return data
    except FileNotFoundError:
        kind = next((row for row in FORMATS if file.suffix.lower() in row.endings), None)
        what = f"there is no such {kind.name + ' ' if kind else ''}file{_similar(file)}"
        raise FileNotFoundError(errno.ENOENT, what, str(file)) from None
    except ValueError as problem:
        if isinstance(problem, ModelError):
            raise
        raise ModelError(f"path of a robot is {str(file)!r}: {problem}") from None
    if len(data) > assets.LARGEST_FILE:
        raise ModelError(f"{file}: the file is larger than {assets.LARGEST_FILE >> 20} MiB, which no robot "
                         "needs: expected a robot whose meshes are in files of their own")
    return data


def _similar(file: Path) -> str:
    """A file that may be meant, in the same folder."""
    try:
        names = [entry.name for entry, _ in zip(os.scandir(file.parent), range(2000), strict=False)]
    except OSError:
        return "" if file.parent.exists() else f", and no folder '{file.parent}'"
    close = difflib.get_close_matches(file.name[:200], [name for name in names if len(name) < 200], n=1, cutoff=0.75)
    return f" (there is '{close[0]}')" if close else ""


def _some_robot_in(folder: Path) -> str:
    """The name of a robot's file in a folder, for an example."""
    endings = {ending for row in FORMATS for ending in row.endings} | {XACRO_ENDING}
    try:
        names = [entry.name for entry, _ in zip(os.scandir(folder), range(2000), strict=False)]
    except OSError:
        names = []
    return next((name for name in sorted(names) if Path(name).suffix.lower() in endings), "arm.urdf")


# The robot in an archive


def _chosen(members: Members, name: str, source: str) -> str:
    """The robot's file in an archive: the one of that name, or the only one."""
    robots = _robots_in(members)
    listed = ", ".join(f"'{source}:{robot}'" for robot in robots[:_MOST_LISTED])
    listed += f" and {len(robots) - _MOST_LISTED} more" if len(robots) > _MOST_LISTED else ""
    if name:
        wanted = posixpath.normpath(name.replace("\\", "/"))
        if wanted in members:
            return wanted
        raise ModelError(f"{source}: there is no '{name}' in the archive; there is {listed or 'no robot in it'}")
    if not robots:
        raise ModelError(f"{source}: there is no robot in the archive: expected a file of the format "
                         f"{', '.join(row.name for row in formats())}")
    if len(robots) > 1:
        raise ModelError(f"{source}: there are {len(robots)} robots in the archive; choose one: {listed}")
    return robots[0]


def _robots_in(members: Members) -> list[str]:
    """The robots' files in an archive by their content; files of xacro only if there are no others."""
    plain = _among(members, FORMATS) or _among(members, formats())
    return sorted(plain) or sorted(name for name in members if name.lower().endswith(XACRO_ENDING))


def _among(members: Members, rows: Sequence[Format]) -> list[str]:
    """The files of some formats in an archive."""
    endings, roots = {ending for row in rows for ending in row.endings} | {".xml"}, {row.root for row in rows} - {""}
    others = {ending for row in rows if not row.root for ending in row.endings}
    found = ((name, posixpath.splitext(name)[1].lower()) for name in members)
    return [name for name, ending in found
            if ending in others or (ending in endings and root_of(members[name]) in roots)]


# Robots by their names in the package `robot_descriptions`, which downloads them when first asked for.


_NAME = re.compile(r"[a-z0-9_]+_description", re.IGNORECASE)


@dataclass(frozen=True)
class Description:
    """Where a robot of `robot_descriptions` is on this machine."""

    path: Path
    packages: Assets
    xacro_arguments: Mapping[str, object] | None = None


def is_description(text: str) -> bool:
    """Whether this has the form of a name of `robot_descriptions`.

    >>> is_description("ur10e_description"), is_description("ur10e_description.urdf"), is_description("ur10e")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def description(name: str, packages: Assets, xacro_arguments: Mapping[str, object] | None = None) -> Description:
    """A robot of `robot_descriptions`; the first time, its repository is cloned from the network."""
    try:
        known = importlib.import_module("robot_descriptions").DESCRIPTIONS
    except ImportError:
        raise ModelError(f"there is no file '{name}'; to load it from the package robot_descriptions, pip install "
                         "'loadpath[descriptions]'") from None
    if name not in known:
        raise ModelError(f"there is no file '{name}', and robot_descriptions has none of that name"
                         f"{nearest(name, known)}")
    try:
        module: Any = importlib.import_module(f"robot_descriptions.{name}")
    except Exception as problem:  # of git, of the network, of the disk
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise ModelError(f"'{name}' of robot_descriptions could not be downloaded: {said}") from None
    return _found(name, module, packages, xacro_arguments)


def _found(name: str, module: Any, packages: Assets, xacro_arguments: Mapping[str, object] | None) -> Description:
    roots = [Path(getattr(module, part)) for part in ("PACKAGE_PATH", "REPOSITORY_PATH") if hasattr(module, part)]
    around = dict.fromkeys((*packages.packages, *roots, *(root.parent for root in roots)))
    named = {**getattr(module, "XACRO_PACKAGE_PATHS", {}), **packages.named_packages}
    where = Assets(packages=tuple(around), named_packages=named)
    for part in ("URDF_PATH", "MJCF_PATH"):
        if hasattr(module, part):
            return Description(Path(getattr(module, part)), where, xacro_arguments)
    if hasattr(module, "XACRO_PATH"):
        arguments = {**getattr(module, "XACRO_ARGS", {}), **(xacro_arguments or {})}
        return Description(Path(module.XACRO_PATH), where, arguments)
    raise ModelError(f"'{name}' of robot_descriptions has neither URDF nor MJCF nor xacro")
