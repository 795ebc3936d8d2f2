"""What makes a page a record: the files that it is of with their hashes, the command that makes it again, versions, and
a block for revisions and signatures.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path

import numpy as np

from loadpath._version import __version__
from loadpath.errors import ModelError
from loadpath.report.blocks import Cell, Section, Table
from loadpath.robot.model import RobotModel
from loadpath.robot.shapes import MeshShape

TITLE = "Signatures"
OF_REVISION = ("revision", "date", "what changed", "by")
SIGNED = ("made", "checked", "approved")
BLANK = "\N{NO-BREAK SPACE}"
ROOM = (36, 20, 44)
"""Spaces to write a name, a date and a signature into."""


def files_in_words(paths: Iterable[str | PathLike[str]]) -> list[str]:
    """Each file with its SHA-256, size and the time of its last change.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "arm.urdf")
    >>> _ = file.write_text("abc")
    >>> files_in_words([file])[0].split(", of ")[0].removeprefix(str(file.parent) + "/")
    'arm.urdf: SHA-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad, 3 bytes'
    """
    found = []
    for path in dict.fromkeys(Path(path) for path in paths):
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        about = path.stat()
        changed = datetime.fromtimestamp(about.st_mtime).astimezone()
        found.append(f"{path}: SHA-256 {digest}, {about.st_size:,} bytes, of {changed:%Y-%m-%d %H:%M}")
    return found


def mesh_files(robot: RobotModel) -> list[str]:
    """Files of the meshes of a robot, each once; those in an archive are hashed with it.

    >>> from loadpath.robot.catalog import planar
    >>> mesh_files(planar(2))
    []
    """
    meshes = [shape for link in robot.links for shape in link.shapes if isinstance(shape, MeshShape)]
    return list(dict.fromkeys(mesh.file for mesh in meshes if mesh.content is None and Path(mesh.file).is_file()))


def made_in_words() -> str:
    """When, and with what."""
    return (f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z}, Loadpath {__version__}, Python "
            f"{platform.python_version()}, NumPy {np.__version__}, {platform.system()} {platform.machine()}")


def signatures(revisions: Sequence[Sequence[str]]) -> Section:
    """The revisions so far, a free line below them, and lines to sign."""
    blank: list[Cell] = [BLANK] * 3
    rows = [_revision(row) for row in revisions]
    history: list[list[Cell]] = [*rows, [BLANK, *blank]]
    room: list[Cell] = [BLANK * width for width in ROOM]
    signed: list[list[Cell]] = [[word, *room] for word in SIGNED]
    return Section(TITLE, "", [
        Table("Revisions", list(OF_REVISION), history, left=4, steady=True),
        Table("Signatures", ["step", "name", "date", "signature"], signed, left=4, steady=True),
    ])


def _revision(row: Sequence[str]) -> list[Cell]:
    if isinstance(row, str) or not 1 <= len(row) <= len(OF_REVISION) or not all(isinstance(one, str) for one in row):
        raise ModelError(f"{row!r} among the revisions: expected up to four texts each, {', '.join(OF_REVISION)}")
    return [*row, *[BLANK] * (len(OF_REVISION) - len(row))]
