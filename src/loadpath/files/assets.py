"""What a robot's file refers to: meshes, packages and other texts, found on the disk or in the archive that the robot
came in.

Where a mesh is, is asked for once, and it is read when somebody draws or measures it; `package.xml` is read for its
name. Texts that a file includes (SDF, xacro, YAML) are found only where `Reach` allows it. From an archive nothing
outside the archive is ever found.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.printable import clipped
from loadpath.robot.shapes import MeshShape

if TYPE_CHECKING:
    from typing import Self

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

_SCHEME = re.compile(r"(package|model|file)://+", re.IGNORECASE)
_OF_PACKAGE = re.compile(r"(package|model)://|\$\(find ", re.IGNORECASE)
_FIND = re.compile(r"\$\(find ([^)]+)\)/*")
_DRIVE = re.compile(r"/?[A-Za-z]:/")
_NAME_OF_PACKAGE = re.compile(rb"<name>([^<]*)</name>")
_LARGEST_PACKAGE_FILE = 2**20
_MOST_FOLDERS = 2000
"""Folders of a workspace that are looked into for packages."""
_WORKSPACES = ("ROS_PACKAGE_PATH",)
_INSTALLED = ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH")
_MODELS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "SDF_PATH")


@dataclass(frozen=True)
class Assets:
    """Where the files are that a robot's file refers to, by what it writes: `package://arm_description/meshes/a.stl`,
    `model://...`, `file://...`, a path from the folder of the file, or an absolute one.

    A package is looked for in `packages` (folders that are a package or hold it), then from the folder of the file
    upwards, then where ROS has its packages (ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, CMAKE_PREFIX_PATH) and, for
    `model://`, Gazebo its models.

    >>> arm = Assets(members={"arm/meshes/a.stl": b"solid a", "arm/urdf/arm.urdf": b"<robot/>"}, inside="arm/urdf")
    >>> arm.locate("package://arm/meshes/a.stl"), arm.locate("../meshes/a.stl"), arm.locate("../../../a.stl")
    ('arm/meshes/a.stl', 'arm/meshes/a.stl', None)
    """

    folder: Path | None = None
    """The folder of the robot's file; None for text, and for a file in an archive."""
    members: Mapping[str, bytes] = field(default_factory=dict)
    """The files of the archive, by their names in it."""
    inside: str = ""
    """The folder of the robot's file in the archive."""
    packages: tuple[Path, ...] = ()
    """Folders to look for packages in, first: packages, or folders that hold some."""
    named_packages: Mapping[str, str] = field(default_factory=dict)
    """Folders of packages by the names of these, before all others."""
    reach: Reach | None = None
    """Where the texts are that this file may include; None: by its folder, as the file that the user named."""
    _known: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """For each package the folder where it was last found."""
    _declarations: dict[str, bytes | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    """For each folder the name in its package.xml, or None."""

    @classmethod
    def beside(cls, path: str | os.PathLike[str]) -> Self:
        """Those of a robot's file on the disk."""
        return cls(Path(os.path.abspath(path)).parent)  # noqa: PTH100  # links stay

    def mesh(self, uri: str, **shape: Any) -> MeshShape:
        """A mesh, located if it is there; `shape` is what else a MeshShape has: scale, pose, color, purpose, name."""
        found = self.locate(uri)
        content = self.members[found] if found is not None and self.members else None
        return MeshShape(found or uri, content=content, uri=uri, **shape)

    def locate(self, uri: str) -> str | None:
        """The path of a file (in an archive, its name there), or None if it is not there."""
        for candidate in self._candidates(uri):
            if self._is_file(candidate):
                return candidate
        return None

    def package(self, name: str) -> str | None:
        """The folder of a package, or None if it is not there."""
        for folder in self._homes(name):
            if self._is_folder(folder):
                return folder
        return None

    # Texts that a file includes

    def of_included(self, path: str) -> Assets:
        """Those of a file that this one includes, which may read what this one may."""
        if self.members:
            return replace(self, inside=posixpath.dirname(path))
        return replace(self, folder=Assets.beside(path).folder, reach=self._reach)

    def text_file(self, uri: str) -> str | None:
        """The path of a text that this file includes, or None if it is not there. What lies outside its reach is an
        error, whether it is there or not; of packages, what lies outside is not there.
        """
        outside, inside = False, False
        for candidate in self._candidates(uri):
            if not self.members and not self._reach.holds(candidate):
                outside = True
                continue
            inside = True
            if self._is_file(candidate):
                return candidate
        if outside and not inside and not _OF_PACKAGE.match(uri.strip()):
            raise ModelError(f"'{clipped(uri)}' is outside of what this file may include: files of its own folder, of "
                             "its package and of packages around it; lp.load(..., package_paths=[folder]) allows a "
                             "folder")
        return None

    def texts_in(self, folder: str, pattern: str) -> list[str]:
        """The files in a folder that this file may include, by the folder's path or address and a pattern of names."""
        fits = re.compile(fnmatch.translate(pattern)).match
        if self.members:
            inside = next(iter(self._candidates(folder or ".")), None)
            return [name for name in self.members if inside is not None and posixpath.dirname(name) == inside
                    and fits(posixpath.basename(name))]
        found: list[str] = []
        for path in self._candidates(folder or "."):
            if self._reach.holds(posixpath.join(path, "_")) and self._is_folder(path):
                with os.scandir(path) as entries:
                    listed = zip(entries, range(_MOST_FOLDERS), strict=False)
                    found += [entry.path for entry, _ in listed if fits(entry.name)]
        return [path for path in found if self._reach.holds(path) and self._is_file(path)]

    def text_at(self, path: str, most: int) -> bytes:
        """The content of a file that `text_file` found, of so many bytes at most."""
        data = self.members[path] if self.members else read_at_most(Path(path), most)
        if data is None or len(data) > most:
            raise ModelError(f"{path}: the file is larger than {most / 2**20:g} MiB, which no robot needs")
        return data

    def package_of_texts(self, name: str) -> str | None:
        """The folder of a package whose texts this file may include; in an archive, the address of the package."""
        if self.members:
            return f"package://{name}" if self.package(name) is not None else None
        for folder in self._homes(name):
            if self._is_folder(folder) and self._reach.holds(posixpath.join(folder, "_")):
                return folder
        return None

    @cached_property
    def _reach(self) -> Reach:
        if self.reach is not None:
            return self.reach
        named = (*(str(path) for path in self.packages), *self.named_packages.values())
        return Reach.of_file_in(self.folder, named, installed_folders())

    # What a name may stand for

    def _candidates(self, uri: str) -> Iterator[str]:
        written = _FIND.sub(r"package://\1/", uri.strip()).replace("\\", "/")
        spellings = (written, unquote(written)) if "%" in written else (written,)
        for text in spellings:
            scheme = _SCHEME.match(text)
            kind, rest = (scheme[1].lower(), text[scheme.end() :]) if scheme else ("", text)
            if kind in ("package", "model"):
                name, _, inner = rest.partition("/")
                yield from self._in_package(name, inner)
            elif kind == "file":
                yield from self._at("/" + rest.removeprefix("localhost/"))
                yield from self._at(rest)
            else:
                yield from self._at(rest)

    def _at(self, path: str) -> Iterator[str]:
        """A path, absolute or from the folder of the robot's file."""
        if path.startswith("/") or _DRIVE.match(path):
            if not self.members:
                yield path[1:] if _DRIVE.match(path) and path.startswith("/") else path
        elif self.members:
            inside = posixpath.normpath(posixpath.join(self.inside, path))
            if not inside.startswith(".."):
                yield inside
        elif self.folder is not None:
            yield os.path.normpath(self.folder / path)

    def _in_package(self, name: str, inner: str) -> Iterator[str]:
        inner = posixpath.normpath(inner)
        if not name or inner.startswith(("..", "/")):  # a package ends where it ends
            return
        if name in self._known:
            yield posixpath.join(self._known[name], inner)
        # Last, a package whose folder is named otherwise, as one that was unpacked from an archive of a repository.
        for folder in (*self._homes(name), *self._upwards):
            candidate = posixpath.join(folder, inner)
            if self._is_file(candidate):
                self._known[name] = folder
                yield candidate

    def _homes(self, name: str) -> Iterator[str]:
        """Folders where a package may be, the likely ones first."""
        declared = name.encode("utf-8", "replace")
        if name in self.named_packages:
            yield str(self.named_packages[name])
        for folder in (*(str(path) for path in self.packages), *self._upwards):
            if posixpath.basename(folder.replace("\\", "/")) == name or self._declared(folder) == declared:
                yield folder
            yield posixpath.join(folder, name)
        if self.members:
            yield from self._by_name.get(name, ())
            yield from self._by_declaration.get(declared, ())
            return
        for prefix in _folders_of(_INSTALLED):
            yield posixpath.join(prefix, "share", name)
        for folder in _folders_of(_WORKSPACES + _MODELS):
            if posixpath.basename(folder) == name or self._declared(folder) == declared:
                yield folder
            yield posixpath.join(folder, name)
        for folder in _folders_of(_WORKSPACES):
            yield from (posixpath.join(inner, name) for inner in _inner_folders(folder))

    @cached_property
    def _upwards(self) -> tuple[str, ...]:
        """The folder of the robot's file and those around it."""
        if self.members:
            parts = self.inside.split("/") if self.inside else []
            return tuple("/".join(parts[:count]) for count in range(len(parts), -1, -1))
        if self.folder is None:
            return ()
        real = self.folder.resolve()
        paths = dict.fromkeys((self.folder, *self.folder.parents, real, *real.parents))
        return tuple(str(path) for path in paths if path != path.parent)

    # What is there

    @cached_property
    def _folders(self) -> Mapping[str, None]:
        """All folders of the archive, outer ones first."""
        found: set[str] = set()
        for member in self.members:
            folder = posixpath.dirname(member)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return dict.fromkeys(sorted(found, key=lambda folder: (folder.count("/"), folder)))

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        """The folders of the archive by their own names."""
        found: dict[str, list[str]] = {}
        for folder in self._folders:
            found.setdefault(posixpath.basename(folder), []).append(folder)
        return found

    @cached_property
    def _by_declaration(self) -> Mapping[bytes, list[str]]:
        """The folders of the archive by the names that their package.xml has."""
        found: dict[bytes, list[str]] = {}
        for folder in self._folders:
            declared = self._declared(folder)
            if declared is not None:
                found.setdefault(declared, []).append(folder)
        return found

    def _is_file(self, path: str) -> bool:
        try:
            return path in self.members if self.members else os.path.isfile(path)  # noqa: PTH113  # ten times as fast
        except ValueError:  # a character that no path may have
            return False

    def _is_folder(self, path: str) -> bool:
        return path in self._folders if self.members else os.path.isdir(path)  # noqa: PTH112

    def _declared(self, folder: str) -> bytes | None:
        """The name that the package.xml in a folder has; each is read once."""
        if folder not in self._declarations:
            path, data = posixpath.join(folder, "package.xml"), None
            if self._is_file(path):
                with contextlib.suppress(OSError):
                    data = self.members[path] if self.members else read_at_most(Path(path), _LARGEST_PACKAGE_FILE)
            found = _NAME_OF_PACKAGE.search((data or b"")[:_LARGEST_PACKAGE_FILE])
            self._declarations[folder] = None if found is None else found[1].strip()
        return self._declarations[folder]


def installed_folders() -> list[str]:
    """Where ROS has its packages and Gazebo its models."""
    installed = (posixpath.join(prefix, "share") for prefix in _folders_of(_INSTALLED))
    return [*_folders_of(_WORKSPACES + _MODELS), *installed]


def _folders_of(variables: tuple[str, ...]) -> Iterator[str]:
    for variable in variables:
        for folder in os.environ.get(variable, "").split(os.pathsep):
            if folder:
                yield folder.rstrip("/")


def _inner_folders(folder: str) -> Iterator[str]:
    """The folders in a workspace, such as the repositories in it."""
    try:
        with os.scandir(folder) as entries:
            for entry, _ in zip(entries, range(_MOST_FOLDERS), strict=False):
                if entry.is_dir():
                    yield entry.path
    except OSError:
        return
