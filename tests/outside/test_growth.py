"""Work grows with the length of a file and no faster, for every reader: n, 2 n and 4 n.

The processor's time is measured, the best of several, on files long enough that it can be; what takes time in
proportion gives 4 between n and 4 n, what takes the square gives 16. A row of CASES is a reader with a maker of files;
to add a format, add a row. MJCF and meshes are in `test_growth_of_mjcf_and_meshes.py`.
"""

from __future__ import annotations

import gc
import gzip
import io
import tarfile
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import loadpath as lp

MOST = 9.0
"""Of the time for 4 n to that for n; the square of the length would give 16."""
LEAST = 0.02
"""Seconds below which a time says nothing."""

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
ARM = f"""<robot name="arm"><link name="a"/><link name="b">{BODY}</link><joint name="j" type="continuous">
<parent link="a"/><child link="b"/></joint></robot>"""


@dataclass(frozen=True)
class Case:
    """A reader, and files for it that are n long."""

    name: str
    ending: str
    make: Callable[[int], bytes | str]
    n: int
    read: Callable[[Path], object] = lp.load


# Robots


def star(n: int) -> str:
    links = "".join(f'<link name="l{k}">{BODY}</link>' for k in range(1, n + 1))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="a"/><child link="l{k}"/></joint>' for k in range(1, n + 1)
    )
    return f'<robot name="r"><link name="a"/>{links}{joints}</robot>'


def meshes(n: int, uri: str = "package://missing{k}/a.stl") -> str:
    shapes = "".join(f'<visual><geometry><mesh filename="{uri.format(k=k)}"/></geometry></visual>' for k in range(n))
    return f'<robot name="r"><link name="a">{shapes}</link></robot>'


def sdf(n: int) -> str:
    inertial = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    links = "".join(f'<link name="l{k}"><pose relative_to="a">0 0 {k} 0 0 0</pose>{inertial}</link>' for k in range(n))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent>a</parent><child>l{k}</child><axis><xyz>0 0 1</xyz></axis></joint>'
        for k in range(n)
    )
    return f'<sdf version="1.9"><model name="r"><link name="a">{inertial}</link>{links}{joints}</model></sdf>'


def frames(n: int) -> str:
    """Each frame relative to the one before."""
    chain = "".join(
        f'<frame name="f{k + 1}" attached_to="f{k}"><pose relative_to="f{k}">0 0 1 0 0 0</pose></frame>'
        for k in range(n)
    )
    return sdf(1).replace("</model>", f'<frame name="f0" attached_to="a"/>{chain}</model>')


XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'


def macros(n: int) -> str:
    calls = "".join(f'<xacro:m name="l{k}" x="${{{k} * 2}}"/>' for k in range(n))
    return f"""{XACRO}<link name="a"/><xacro:macro name="m" params="name x y:=^|3"><link name="${{name}}">{BODY}</link>
    <joint name="j_${{name}}" type="fixed"><origin xyz="${{x + 1}} 0 0"/><parent link="a"/><child link="${{name}}"/>
    </joint>    </xacro:macro>{calls}</robot>"""


def properties(n: int) -> str:
    rows = "".join(f'<xacro:property name="p{k}" value="${{{k} + 1}}"/>' for k in range(n))
    return f'{XACRO}{rows}<link name="a${{p{n - 1}}}"/></robot>'


def long_text(n: int) -> str:
    rows = f'<gazebo about="{"${1} $$(x) $y " * 500}"/>' * (n // 500)
    return f'{XACRO}<link name="a"/>{rows}</robot>'


# Archives


def zipped(members: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(members: dict[str, str | bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            data = content.encode() if isinstance(content, str) else content
            entry.size, entry.mtime = len(data), 1.5
            archive.addfile(entry, io.BytesIO(data))
    return file.getvalue()


def pax(n: int, length: int = 60_000) -> bytes:
    """Headers of pax before a member, each of digits."""
    header = tarfile.TarInfo("pax")
    start = b"%d comment=" % length
    digits = start + b"1" * (length - len(start) - 1) + b"\n"
    header.size, header.type = len(digits), b"x"
    return (header.tobuf() + digits + bytes(-len(digits) % 512)) * n + tarred({"arm.urdf": ARM})


def many(n: int) -> dict[str, str | bytes]:
    return {"arm.urdf": ARM, **{f"folder{k % 50}/file{k}.txt": "x" for k in range(n)}}


def packages(n: int) -> bytes:
    """Many packages times many that are missing."""
    declared = {f"p{k}/package.xml": f"<package><name>q{k}</name></package>" for k in range(n)}
    return zipped({"arm.urdf": meshes(n), **declared})


def workspace(folder: Path, n: int) -> Path:
    """The same on the disk, in folders beside that of the robot."""
    root = folder / f"workspace{n}"
    for k in range(n):
        (root / f"p{k}").mkdir(parents=True)
        (root / f"p{k}" / "package.xml").write_text(f"<package><name>q{k}</name></package>")
    file = root / "p0" / "arm.urdf"
    file.write_text(meshes(n))
    return file


# Projects and motions


def project(n: int) -> str:
    rows = "".join(f"[[robot.dh]]\ntheta = 0.{k}\nd = 0.1\na = 0.2\nalpha = 0.3\nmass = 1.0\n" for k in range(n))
    return f"[robot]\nname = 'r'\n{rows}"


def below(header: str) -> str:
    """A text in a project that looks like a header, before a key that is not known, whose line is then sought."""
    return f"[robot]\ncatalog = 'two_link'\n[payload]\nmass = 1\nname = '''\n{header}\n'''\n[verdict]\nx = 1\n"


def refused(read: Callable[[Path], object]) -> Callable[[Path], object]:
    def of(path: Path) -> None:
        with pytest.raises(lp.ModelError):
            read(path)

    return of


def table(n: int) -> str:
    return "t,q.j\n" + "".join(f"{k * 0.01:.2f},{k % 7 * 0.001:.4f}\n" for k in range(n))


def arrays(n: int) -> bytes:
    file = io.BytesIO()
    np.savez(file, t=np.arange(n) * 0.01, q=np.zeros((n, 1)))
    return file.getvalue()


def motion(read: Callable[..., object]) -> Callable[[Path], object]:
    def of(path: Path) -> object:
        robot = path.with_name("arm.urdf")
        robot.write_text(ARM)
        return read(path, lp.load(robot))

    return of


CASES = [
    Case("urdf", ".urdf", star, 100),
    Case("urdf, missing packages", ".urdf", meshes, 400),
    Case("urdf, missing files of one package", ".urdf", lambda n: meshes(n, "package://gone/{k}.stl"), 400),
    Case("sdf", ".sdf", sdf, 100),
    Case("sdf, frames", ".sdf", frames, 150),
    Case("xacro, macros", ".xacro", macros, 60),
    Case("xacro, properties", ".xacro", properties, 1_500),
    Case("xacro, text", ".xacro", long_text, 2_000),
    Case("zip", ".zip", lambda n: zipped(many(n)), 1_500),
    Case("zip, packages", ".zip", packages, 400),
    Case("tar", ".tar", lambda n: tarred(many(n)), 1_500),
    Case("tar, pax", ".tar", lambda n: tarred(many(n), tarfile.PAX_FORMAT), 1_500),
    Case("tar.gz, long headers", ".tar.gz", lambda n: gzip.compress(pax(n), 1), 30),
    Case("tar, digits of a header", ".tar", lambda n: pax(40, min(n, 60_000)), 1_000),
    Case("gz", ".urdf.gz", lambda n: gzip.compress(star(n).encode()), 100),
    Case("gz, members", ".urdf.gz", lambda n: gzip.compress(ARM.encode()) + gzip.compress(b" ") * n, 2_000),
    Case("project", ".toml", project, 20, lp.load_project),
    Case("project, parts of a key", ".toml", lambda n: ".".join("a" * n) + " = 1", 500, refused(lp.load_project)),
    Case("project, tables below a header", ".toml", lambda n: "".join(f"[x.a{k}.b]\n" for k in range(n)), 500,
         refused(lp.load_project)),
    Case("project, spaces", ".toml", lambda n: below(f"[{' ' * n}x"), 200, refused(lp.load_project)),
    Case("project, brackets", ".toml", lambda n: below("[" + "] " * n), 500, refused(lp.load_project)),
    Case("project, a path", ".toml", lambda n: f"[robot]\nfile = '{'a/' * n}arm.urdf'", 1_000,
         refused(lp.load_project)),
    Case("sdf, a path", ".sdf", lambda n: f"<sdf version='1.9'><include><uri>{'a/' * n}a.sdf</uri></include></sdf>",
         1_000, refused(lp.load)),
    Case("csv", ".csv", table, 10_000, motion(lp.Motion.from_csv)),
    Case("npz", ".npz", arrays, 100_000, motion(lp.Motion.from_npz)),
]


def seconds(read: Callable[[], object]) -> float:
    """Of the processor, the better of two, garbage aside: to look for that takes as long as all else is large."""
    taken = []
    gc.disable()
    try:
        for _ in range(2):
            begin = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read()
            taken.append(time.process_time() - begin)
    finally:
        gc.enable()
    return min(taken)


def check_growth(measured: Callable[[int], float], n: int) -> None:
    """Four times as long takes no more than nine times as long; what is too quick to measure is made longer."""
    for _ in range(5):
        short = measured(n)
        if short >= LEAST:
            break
        n *= 2
    ratio = measured(4 * n) / max(short, LEAST)
    if ratio >= MOST:  # a busy machine may disturb one measurement
        ratio = min(ratio, measured(4 * n) / max(measured(n), LEAST))
    assert ratio < MOST, f"{4 * n} take {ratio:.1f} times as long as {n}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_work_grows_with_the_length(case: Case, tmp_path: Path) -> None:
    def measured(n: int) -> float:
        file = tmp_path / f"{case.name.replace(' ', '_')}{n}{case.ending}"
        content = case.make(n)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return seconds(lambda: case.read(file))

    check_growth(measured, case.n)


def test_packages_on_the_disk(tmp_path: Path) -> None:
    check_growth(lambda n: seconds(lambda: lp.load(workspace(tmp_path / str(time.monotonic_ns()), n))), 150)


def test_the_square_would_be_found() -> None:
    """This file's check can fail."""
    with pytest.raises(AssertionError, match="times as long as"):
        check_growth(lambda n: 1e-6 * n * n, 500)
    check_growth(lambda n: 1e-4 * n, 500)
