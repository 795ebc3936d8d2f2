"""Motions in files: what is written is read again, whatever the joints are called; what is hostile is refused."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import loadpath as lp
from loadpath.motion.logs import files, table, text_files

T = np.linspace(0.0, 1.0, 7)


def called(*names: str) -> lp.Robot:
    """A planar arm whose joints have these names."""
    arm = lp.catalog.planar(len(names))
    moving = iter(names)
    joints = [replace(joint, name=next(moving)) if joint.motion.dof else joint for joint in arm.joints]
    return lp.Robot("arm", arm.links, tuple(joints))


def some_motion(robot: lp.Robot) -> lp.Motion:
    q = np.sin(np.outer(T, 1.0 + np.arange(robot.n)))
    return lp.Motion.from_checked(T, q, 2 * q + 0.25, 3 * q - 0.125, robot)


NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name.strip() and name != "tip_joint")
HARD = st.sampled_from(
    [";", "\t", "a\tb", "a;b", ",", '"', '""', '"a"', 'a"b', "a\nb", "a\n\nb", "a\n# b", "\r", "a\rb", "a\r\nb", " a",
     "a ", "t", "time", "T", "Time", "q", "q.x", "x", "qd.x", "dq_x", "x [rad]", "x [deg]", "x(m)", "#", "# x", "1",
     "nan", "\u2028", "\x85", "\x1c", "\x00", "a\x00", "\x1b[2J", "\u202e", "Ä", "ä", "肘", "﻿x", "é", "e\u0301"]
).filter(str.strip)


@given(st.lists(NAMES | HARD, min_size=1, max_size=4, unique=True))
@example(["a", "a ", " a", "A"])
@example(["x", "q.x", "qd.x", "x [rad]"])
@example(["t", "time", "q.t"])
@example(["a", "a\x00"])
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    robot = called(*names)
    motion = some_motion(robot)
    folder = tmp_path_factory.mktemp("files")
    motion.to_csv(folder / "m.csv")
    motion.to_npz(folder / "m.npz")
    for read, file in ((lp.Motion.from_csv, "m.csv"), (lp.Motion.from_npz, "m.npz")):
        if file == "m.npz" and len({name.rstrip("\0") for name in names}) < len(names):
            continue  # NumPy's text does not keep these; the next test
        with pytest.warns(lp.ModelWarning):  # its speeds are not the rates of its positions
            again = read(folder / file, robot)
        for part in ("t", "q", "qd", "qdd"):
            np.testing.assert_array_equal(getattr(again, part), getattr(motion, part))


@given(st.lists(NAMES | HARD, min_size=2, max_size=4, unique=True), st.randoms())
def test_columns_are_found_in_any_order(tmp_path_factory: pytest.TempPathFactory, names: list[str], random) -> None:
    """The file of a robot with its joints the other way round, or in any order, is read by name."""
    if len({name.rstrip("\0") for name in names}) < len(names):
        return
    shuffled = list(names)
    random.shuffle(shuffled)
    motion = some_motion(called(*names))
    other = called(*shuffled)
    folder = tmp_path_factory.mktemp("files")
    motion.to_csv(folder / "m.csv")
    motion.to_npz(folder / "m.npz")
    order = [names.index(name) for name in shuffled]
    for read, file in ((lp.Motion.from_csv, "m.csv"), (lp.Motion.from_npz, "m.npz")):
        with pytest.warns(lp.ModelWarning):
            again = read(folder / file, other)
        np.testing.assert_array_equal(again.q, motion.q[:, order])
        np.testing.assert_array_equal(again.qdd, motion.qdd[:, order])


def test_names_that_would_be_one_are_refused(tmp_path: Path) -> None:
    planar = lp.Joint("a", "base", "l1", lp.Planar())
    hinge = lp.Joint("a.x", "l1", "l2", lp.Revolute())
    links = (lp.Link("base"), lp.Link("l1", lp.Inertia(1.0)), lp.Link("l2", lp.Inertia(1.0, tensor=np.eye(3))))
    robot = lp.Robot("twice", links, (planar, hinge))
    motion = lp.Motion.from_checked(T, np.zeros((7, 4)), np.zeros((7, 4)), np.zeros((7, 4)), robot)
    with pytest.raises(ValueError, match=r"two columns would have the name 'q.a.x': give one of the joints another"):
        motion.to_csv(tmp_path / "m.csv")
    assert not list(tmp_path.iterdir())


def test_the_header_stays_plain_where_it_can(tmp_path: Path) -> None:
    some_motion(called("elbow", "left wrist")).to_csv(tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().startswith("t,q.elbow,q.left wrist,qd.elbow,")


@pytest.mark.parametrize("columns", ["t,q.a,q.a [rad]", "t,a,a (rad)", "t, a,a"])
def test_a_column_twice_is_refused_with_and_without_its_unit(tmp_path: Path, columns: str) -> None:
    (tmp_path / "m.csv").write_text(f"{columns}\n0,1,2\n1,1,2\n")
    with pytest.raises(ValueError, match=r"is there twice|could be"):
        lp.Motion.from_csv(tmp_path / "m.csv", called("a"))


def test_units_of_columns_that_are_not_used_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("t [s],a [rad],heat [K],b [furlong]\n" + "".join(f"{t},0.1,1,1\n" for t in T))
    with pytest.warns(lp.ModelWarning, match=r"not used are the columns 'heat \[K\]', 'b \[furlong\]'"):
        assert lp.Motion.from_csv(tmp_path / "m.csv", called("a")).q.max() == 0.1


# Hostile text


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "LONGEST_LINE", 1000)
    (tmp_path / "m.csv").write_text("t,a\n0,1\n1," + "1" * 2000)
    with pytest.raises(ValueError, match=r"m\.csv: line 3 has more than 1,000 characters: is this a table\?"):
        lp.Motion.from_csv(tmp_path / "m.csv", called("a"))
    with pytest.raises(ValueError, match="line 1 has more than"):
        lp.Motion.from_csv("/dev/zero", called("a"))


def test_more_numbers_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "MOST_NUMBERS", 1000)
    monkeypatch.setattr(text_files, "BLOCK_LINES", 100)
    (tmp_path / "m.csv").write_text("t,a\n" + "".join(f"{k},1\n" for k in range(501)))
    with pytest.raises(ValueError, match=r"there are more than .* numbers \(2 GiB\): split the motion"):
        lp.Motion.from_csv(tmp_path / "m.csv", called("a"))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ('t,"a', "there is no column|cannot be read"),
        ('"' + "x" * 200_000 + '",t', "cannot be read: field larger than field limit"),
        ("t," + ",".join(f"c{k}" for k in range(20_000)), "there is no column 'q.a'; .* and 19971 more"),
        ("t,x" + " " * 100_000 + "y,b", "there is no column 'q.a'"),
    ],
    ids=["open quote", "long cell", "many columns", "many spaces"],
)
def test_hostile_headers_are_refused_at_once(tmp_path: Path, header: str, words: str) -> None:
    (tmp_path / "m.csv").write_text(f"{header}\n0,1\n1,2\n")
    with pytest.raises(ValueError, match=words) as caught:
        lp.Motion.from_csv(tmp_path / "m.csv", called("a"))
    assert len(str(caught.value)) < 110_000


def test_blocks_and_careful_rows_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that only the careful reader understands, among those of the quick one."""
    monkeypatch.setattr(text_files, "BLOCK_LINES", 3)
    rows = [f'{t},{2 * t},"remark, {k}"' if k % 4 == 3 else f"{t},{2 * t},none" for k, t in enumerate(T)]
    (tmp_path / "m.csv").write_text("t,a,remark\n" + "# comment\n\n".join(f"{row}\n" for row in rows))
    with pytest.warns(lp.ModelWarning, match="not used"):
        motion = lp.Motion.from_csv(tmp_path / "m.csv", called("a"))
    np.testing.assert_array_equal(motion.q[:, 0], 2 * motion.t)
    (tmp_path / "m.csv").write_text("t,a\n# comment\n\n" + "".join(f"{t},0\n" for t in T) + "9,x\n")
    with pytest.raises(ValueError, match="line 11, column 'a': 'x' is not a number"):
        lp.Motion.from_csv(tmp_path / "m.csv", called("a"))


# Hostile archives


def header_of(shape: tuple[int, ...], descr: str = "<f8") -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


def archive(path: Path, change: Callable[[zipfile.ZipFile], None]) -> Path:
    """An archive with sound t and q, unless they are changed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        change(file)
        there = set(file.namelist())
        for name, values in (("t", T), ("q", np.zeros((7, 1)))):
            if f"{name}.npy" not in there:
                content = io.BytesIO()
                np.save(content, values)
                file.writestr(f"{name}.npy", content.getvalue())
    return path


def bomb(shape: tuple[int, ...], size: int) -> Callable[[zipfile.ZipFile], None]:
    """An array q of zeros of this shape, of which so many bytes are there."""

    def add(file: zipfile.ZipFile) -> None:
        with file.open("q.npy", "w") as member:
            member.write(header_of(shape))
            for _ in range(size // 2**20):
                member.write(bytes(2**20))
            member.write(bytes(size % 2**20))

    return add


def named(values: object, **options: object) -> Callable[[zipfile.ZipFile], None]:
    def add(file: zipfile.ZipFile) -> None:
        content = io.BytesIO()
        np.save(content, np.array(values, **options))
        file.writestr("coordinate_names.npy", content.getvalue())

    return add


def twice(file: zipfile.ZipFile) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        for value in (1.0, 2.0):
            content = io.BytesIO()
            np.save(content, np.full((7, 1), value))
            file.writestr("q.npy", content.getvalue())


def longer(file: zipfile.ZipFile) -> None:
    file.writestr("q.npy", header_of((7, 1)) + bytes(56 + 1))


HOSTILE = {
    "10^12 rows": (bomb((10**12, 2), 0), "more than .* numbers"),
    "10^30 rows": (bomb((10**30,), 0), "more than .* numbers"),
    "more promised than there": (bomb((1000, 1), 80), r"q has the shape \(1000, 1\) of float64, but 80 bytes"),
    "more there than promised": (longer, r"q has the shape \(7, 1\) of float64, but 57 bytes"),
    "negative": (lambda file: file.writestr("q.npy", header_of((-7, 1)) + bytes(56)), "no sound NPZ file"),
    "no header": (lambda file: file.writestr("q.npy", b"hello"), "no sound NPZ file"),
    "long header": (lambda file: file.writestr("q.npy", b"\x93NUMPY\x02\x00" + b"\xff\xff\xff\x7f{"), "no sound NPZ"),
    "header that is code": (
        lambda file: file.writestr("q.npy", b"\x93NUMPY\x01\x00\x10\x00__import__('os')"),
        "no sound NPZ file",
    ),
    "name of no dimension": (named("a"), "there are 1 names of its columns"),
    "names that are numbers": (named([1.0]), "coordinate_names has the dtype float64: expected text"),
    "names that are objects": (
        lambda file: file.writestr("coordinate_names.npy", header_of((1,), "|O") + b"cos\nsystem\n"),
        "coordinate_names holds objects",
    ),
    "names twice": (named(["a", "a"]), "there are 2 names"),
    "names of two dimensions": (named([["a"]]), "1 names of its columns"),
    "long names": (
        lambda file: file.writestr("dof_names.npy", header_of((2**20,), "<U100")),
        "more than 1,048,576 characters",
    ),
    "more samples than times": (bomb((2**20, 1), 2**23), "q has 1048576 samples, t has 7"),
    "array twice": (twice, "'q' is there twice"),
    "unpacked at once": (
        lambda file: file.writestr("q.npy", header_of((7, 1)) + bytes(2**26), zipfile.ZIP_BZIP2),
        "'q.npy' is compressed by the method 12 of ZIP",
    ),
}


@pytest.mark.filterwarnings("ignore::loadpath.errors.ModelWarning")
@pytest.mark.parametrize(("change", "words"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_are_refused_in_little_memory(
    tmp_path: Path, change: Callable[[zipfile.ZipFile], None], words: str
) -> None:
    path = archive(tmp_path / "m.npz", change)
    robot = called("a")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"m.npz: .*{words}"):
            lp.Motion.from_npz(path, robot)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_an_archive_of_many_zeros_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """64 MiB that take 64 KiB in the file, with a lower limit."""
    monkeypatch.setattr(files, "MOST_NUMBERS", 2**20)
    path = archive(tmp_path / "m.npz", bomb((2**23, 1), 2**26))
    assert path.stat().st_size < 2**17
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"more than .* numbers"):
            lp.Motion.from_npz(path, called("a"))
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_what_is_not_used_is_not_unpacked(tmp_path: Path) -> None:
    def add(file: zipfile.ZipFile) -> None:
        with file.open("extra.npy", "w") as member:
            member.write(header_of((2**40,)))
            for _ in range(64):
                member.write(bytes(2**20))

    path = archive(tmp_path / "m.npz", add)
    tracemalloc.start()
    try:
        with pytest.warns(lp.ModelWarning, match="not used are the arrays 'extra'"):
            assert len(lp.Motion.from_npz(path, called("a"))) == 7
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_the_sum_of_all_arrays_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some_motion(called("a")).to_npz(tmp_path / "m.npz")
    monkeypatch.setattr(files, "MOST_NUMBERS", 27)
    with pytest.raises(ValueError, match="more than"):
        lp.Motion.from_npz(tmp_path / "m.npz", called("a"))
    monkeypatch.setattr(files, "MOST_NUMBERS", 28)
    with pytest.warns(lp.ModelWarning):
        lp.Motion.from_npz(tmp_path / "m.npz", called("a"))
    assert table.MOST_NUMBERS == 2**28


@pytest.mark.filterwarnings("ignore::loadpath.errors.ModelWarning")
def test_an_archive_cut_or_changed_anywhere_is_one_error(tmp_path: Path) -> None:
    robot = called("a")
    some_motion(robot).to_npz(tmp_path / "m.npz")
    sound = (tmp_path / "m.npz").read_bytes()
    rng = np.random.default_rng(3)
    refused = 0
    for k in range(0, len(sound), 11):
        changed = bytearray(sound)
        changed[k] ^= int(rng.integers(1, 256))
        for content in (sound[:k], bytes(changed)):
            (tmp_path / "m.npz").write_bytes(content)
            try:
                lp.Motion.from_npz(tmp_path / "m.npz", robot)
            except ValueError as problem:
                assert str(tmp_path / "m.npz") in str(problem)
                refused += 1
    assert refused > len(sound) / 11


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory of Linux")
def test_the_command_survives_a_small_memory(tmp_path: Path) -> None:
    """With 1.5 GB of address space, a file that promises 16 GB is one line."""
    path = archive(tmp_path / "m.npz", bomb((2**31, 1), 0))

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**29, 3 * 2**29))

    command = [sys.executable, "-m", "loadpath.cli", "report", "planar:1", "--motion", str(path)]
    done = subprocess.run(
        [*command, "-o", str(tmp_path / "r.html")], capture_output=True, text=True, check=False, preexec_fn=limited,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 2
    assert done.stderr.startswith("loadpath: ")
    assert done.stderr.count("\n") == 1
    assert "more than 268,435,456 numbers" in done.stderr


def test_a_robot_whose_joints_are_all_locked_keeps_its_motion(tmp_path: Path) -> None:
    arm = lp.catalog.planar(2)
    still = arm.locked(dict.fromkeys(arm.joint_names[:2], 0.3))
    swing = lp.Motion.swing(still)
    swing.to_npz(tmp_path / "m.npz")
    swing.to_csv(tmp_path / "m.csv")
    for again in (lp.Motion.from_npz(tmp_path / "m.npz", still), lp.Motion.from_csv(tmp_path / "m.csv", still)):
        assert again.q.shape == (501, 0)
        assert np.array_equal(again.t, swing.t)
