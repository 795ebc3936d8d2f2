"""Archives that are wrong or hostile, made by name: nobody can read them in a diff."""

from __future__ import annotations

import gzip
import io
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence

ROBOT = b'<robot name="arm"><link name="base"/></robot>'
_START = b'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def zipped(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w") as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def tarred(*members: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return file.getvalue()


def after_header(records: bytes, kind: bytes = b"x") -> bytes:
    """A robot in a tar archive, after a header of pax."""
    entry = tarfile.TarInfo("pax")
    entry.size, entry.type = len(records), kind
    return entry.tobuf(tarfile.USTAR_FORMAT) + records + bytes(-len(records) % 512) + tarred(("arm.urdf", ROBOT))


def _changed(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


_ARM: Sequence[tuple[str, bytes]] = (("arm.urdf", ROBOT),)
_SDF = b'<sdf version="1.9"><model name="m"><include><uri>file:///etc/passwd</uri></include></model></sdf>'
ARCHIVES: dict[str, Callable[[], bytes]] = {
    "same_name.zip": lambda: zipped(*_ARM, *_ARM),
    "same_name_with_a_dot.zip": lambda: zipped(*_ARM, ("./arm.urdf", b"<robot/>")),
    "same_name.tar": lambda: tarred(*_ARM, *_ARM),
    "leading_out.zip": lambda: zipped(*_ARM, ("../../x.urdf", ROBOT)),
    "leading_out.tar": lambda: tarred(*_ARM, ("a/../../x.urdf", ROBOT)),
    "absolute.tar.gz": lambda: gzip.compress(tarred(*_ARM, ("/etc/x.urdf", ROBOT))),
    "header_of_digits.tar.gz": lambda: gzip.compress(after_header(b"1" * 60_000)),
    "header_of_all_digits.tar.gz": lambda: gzip.compress(after_header(b"1" * 60_000, b"g")),
    "header_too_long.tar.gz": lambda: gzip.compress(after_header(b"1" * 200_000)),
    "header_damaged.tar": lambda: after_header(b"99 path=a\n"),
    "size_beyond_the_end.tar": lambda: after_header(b"17 size=99999999\n"),
    "checksum.tar": lambda: _changed(tarred(*_ARM), 0, b"z"),
    "name_too_long.zip": lambda: zipped(*_ARM, ("n" * 2000, b"")),
    "folders_too_deep.tar": lambda: tarred(*_ARM, ("d/" * 400 + "x", b"")),
    "include_outside.zip": lambda: zipped(("arm.sdf", _SDF)),
    "xacro_outside.zip": lambda: zipped(("a.xacro", _START + b"<xacro:include filename='/etc/passwd'/></robot>")),
    "cut_short.zip": lambda: zipped(*_ARM)[:-30],
    "cut_short.tar.gz": lambda: gzip.compress(tarred(*_ARM))[:-30],
    "no_robot.zip": lambda: zipped(("README", b"an arm")),
}
