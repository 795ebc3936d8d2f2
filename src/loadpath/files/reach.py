"""Which texts a robot's file may include: a file of a stranger must not read other files of its user.

A file may include what lies in its own folder, in its package, and in packages around it. That is judged by where a
file really is, with all links followed, and not by whether it is there. Folders that the user names are added, and
those where ROS and Gazebo have theirs: in these, links are not followed, as `colcon` makes links in its own.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from loadpath.errors import ModelError
from loadpath.printable import clipped

_MARKS = ("package.xml", "model.config", "__init__.py")
"""What lies in the folder of a package of ROS, of a model of Gazebo, of a package of Python (as most MJCF is in)."""
LONGEST_PATH = 4096
_NAMED_AS_PACKAGE = re.compile(r"\w+_(description|descriptions|support)")


@dataclass(frozen=True)
class Reach:
    """Folders from which texts may be read."""

    folders: frozenset[str] = frozenset()
    """Where they really are."""
    trusted: frozenset[str] = frozenset()
    """As they are written, for paths as they are written."""
    neighbourhoods: frozenset[str] = frozenset()
    """Folders in which, or as which, packages may lie: those around the file."""

    @classmethod
    def of_file_in(cls, folder: Path | None, named: Iterable[str] = (), trusted: Iterable[str] = ()) -> Reach:
        """That of a file in a folder, with folders that the user names and those of ROS and Gazebo.

        >>> reach = Reach.of_file_in(Path("/home/user/arm_description/urdf"))
        >>> reach.holds("/home/user/arm_description/config/limits.yaml"), reach.holds("/home/user/.netrc")
        (True, False)
        """
        folders = [os.path.realpath(path) for path in named]
        upwards: list[str] = []
        if folder is not None:
            home = Path(os.path.realpath(folder))
            upwards = [str(path) for path in (home, *home.parents) if path != path.parent]
            folders.append(str(home))
            folders += [path for path in upwards if _NAMED_AS_PACKAGE.fullmatch(Path(path).name)]
        written = frozenset(os.path.abspath(path) for path in trusted)  # noqa: PTH100  # links stay
        return cls(frozenset(folders), written, frozenset(upwards))

    def with_checkout(self) -> Reach:
        """With the whole checkout of a repository that the file lies in, the nearest folder around it with `.git`; but
        for the user's home, where some keep their settings that way.
        """
        home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111  # no error without one
        around = sorted(self.neighbourhoods - {str(home), *map(str, home.parents)}, key=len, reverse=True)
        checkout = next((folder for folder in around if os.path.exists(Path(folder, ".git"))), None)  # noqa: PTH110
        return self if checkout is None else replace(self, folders=self.folders | {checkout})

    def holds(self, path: str) -> bool:
        """Whether a text at this path may be read, be it there or not."""
        if len(path) > LONGEST_PATH:  # which no system opens
            return False
        try:
            written, real = Path(os.path.abspath(path)), Path(os.path.realpath(path))  # noqa: PTH100
        except (ValueError, OSError):  # a character that no path may have; links that lead to themselves
            return False
        if any(str(folder) in self.trusted for folder in written.parents):
            return True
        if any(str(folder) in self.folders for folder in real.parents):
            return True
        package = next((folder for folder in real.parents if _is_package(folder)), None)
        return package is not None and not self.neighbourhoods.isdisjoint((str(package), str(package.parent)))


def _is_package(folder: Path) -> bool:
    return any(os.path.isfile(folder / mark) for mark in _MARKS)  # noqa: PTH113  # no error for any name


# Reading files that may be longer than they should be, or never end, as a device or a pipe.


LARGEST_FILE = 64 * 2**20
"""Bytes of a robot's file that are read. The largest published robots have 1 MB."""


def read_at_most(path: Path, limit: int) -> bytes | None:
    """The content of a file, or None if it is longer than so many bytes; no more than these are read.

    >>> read_at_most(Path(__file__), 10) is None
    True
    """
    with path.open("rb") as file:
        data = file.read(limit + 1)
    return data if len(data) <= limit else None


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> IO[bytes]:
    """A file in a ZIP archive, unpacked as far as it is read. What bzip2 or LZMA packed is refused, as Python would
    unpack it whole, gigabytes from kilobytes, whatever size the archive declares.
    """
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ModelError(f"'{clipped(member.filename)}' is compressed by the method {member.compress_type} of ZIP: "
                         "expected the usual one (deflate), pack the archive anew")
    return archive.open(member)
