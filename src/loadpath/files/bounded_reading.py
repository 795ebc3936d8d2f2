"""Reading files that may be longer than they should be, or never end, as a device or a pipe."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import IO

from loadpath.errors import ModelError
from loadpath.printable import clipped

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
