"""Motions in CSV and NPZ files: files that people and other programs write, mutated; and what we write, read again."""

from __future__ import annotations

import csv
import io
import random
import tempfile
import warnings
import zipfile
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import loadpath as lp

from .hostile import NAMES, NUMBERS, hostile_name, plain_name, sane, seeds
from .outcome import ACCEPTED, REFUSED, Fault, Outcome, Parser, Refusal, refusals

_KINDS = ("revolute", "prismatic", "free", "planar", "mimic")
_SPELLED = {
    "t": ("t", "time", "T", "Time [s]", "timestamp"),
    "q": ("q.{}", "{}", "q_{}", "{}_pos", "{}.position", "q.{} [rad]", "Q.{}"),
    "qd": ("qd.{}", "vel_{}", "{}_velocity", "dq.{}"),
    "qdd": ("qdd.{}", "acc_{}", "{}.ddq"),
}


def robot_of(joints: list[list[str]]) -> lp.Robot:
    """A chain with joints of these names and kinds."""
    return _robot(tuple((name, kind) for name, kind in joints))


@lru_cache(maxsize=32)
def _robot(joints: tuple[tuple[str, str], ...]) -> lp.Robot:
    body = lp.Inertia.from_moments(1.0, ixx=0.1, iyy=0.1, izz=0.1)
    links = [lp.Link(f"link {k}", body) for k in range(len(joints) + 1)]
    made: list[lp.Joint] = []
    for k, (name, kind) in enumerate(joints):
        single = next((joint.name for joint in made if joint.motion.dof == 1 and joint.mimic is None), None)
        motion = {"prismatic": lp.Prismatic(), "free": lp.Free(), "planar": lp.Planar()}.get(kind, lp.Revolute())
        mimic = lp.Mimic(single, 2.0, 0.1) if kind == "mimic" and single else None
        made.append(lp.Joint(name, links[k].name, links[k + 1].name, motion, mimic=mimic))
    return lp.Robot("arm", tuple(links), tuple(made))


@st.composite
def joints(draw: st.DrawFn, hostile: bool) -> list[list[str]]:
    """Names and kinds of one to four joints."""
    usable = st.text(min_size=1, max_size=8).filter(str.strip) | st.sampled_from(
        [name for name in NAMES if name.strip()]
    )
    names = draw(st.lists(usable if hostile else plain_name, min_size=1, max_size=4, unique=True))
    return [[name, draw(st.sampled_from(_KINDS))] for name in names]


# CSV


@st.composite
def csv_cases(draw: st.DrawFn) -> dict[str, Any]:
    """Columns with what they mean, how they are written, and a mutation of the bytes."""
    rng = random.Random(draw(seeds))
    hostile = draw(st.integers(0, 3)) == 3
    named = draw(joints(hostile))
    robot = robot_of(named)
    meant = [["t", ""], *(["q", name] for name in robot.coordinate_names)]
    if draw(st.booleans()):
        meant += [[kind, name] for kind in ("qd", "qdd") for name in robot.dof_names]
    rng.shuffle(meant)
    exact = draw(st.booleans())
    headers = [_SPELLED[kind][0 if exact else rng.randrange(len(_SPELLED[kind]))].format(name) for kind, name in meant]
    rows = draw(st.sampled_from((3, 5, 2, 7, 4, 6, 1, 0)))
    cells = [[_cell(kind, name, k, rng) for kind, name in meant] for k in range(rows)]
    faults = draw(
        st.lists(st.sampled_from(("number", "header", "drop", "double", "cell", "order", "comment")), max_size=2)
    )
    for fault in faults:
        _spoil(fault, headers, cells, rng)
    style = {
        "separator": rng.choice((",", ",", ";", "\t", " ", "|")),
        "ending": rng.choice(("\n", "\r\n", "\r", "\x0b", "\u2028")),
        "encoding": rng.choice(("utf-8",) * 5 + ("utf-8-sig", "utf-16", "latin-1")),
        "quoted": rng.random() < 0.2,
    }
    if draw(st.integers(0, 2)):
        style = {"separator": ",", "ending": "\n", "encoding": "utf-8", "quoted": False}
    data = _written(headers, cells, style)
    broken = draw(st.integers(0, 9)) == 9 and len(data) > 1
    if broken:
        k = rng.randrange(len(data))
        data = rng.choice((data[:k], data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :], data * 2, data + b"\x00"))
    sound = (
        not (faults or broken or hostile) and style["encoding"] in ("utf-8", "utf-8-sig") and style["ending"] in "\r\n"
    )
    return {"joints": named, "data": data, "meant": meant if sound else None, "cells": cells}


def _cell(kind: str, name: str, k: int, rng: random.Random) -> str:
    if kind == "t":
        return f"{0.1 * k:.3f}"
    return "1" if name.endswith(".qw") else "0" if name.endswith((".qx", ".qy", ".qz")) else sane(rng)


def _spoil(fault: str, headers: list[str], cells: list[list[str]], rng: random.Random) -> None:
    k = rng.randrange(len(headers)) if headers else 0
    if fault == "header" and headers:
        headers[k] = rng.choice(
            (*NAMES, headers[rng.randrange(len(headers))], headers[k].upper(), headers[k] + " [deg]", "")
        )
    elif fault == "drop" and headers:
        del headers[k]
        for row in cells:
            del row[k : k + 1]
    elif fault == "double" and headers:
        headers.append(headers[k])
        for row in cells:
            row.extend(row[k : k + 1])
    elif not cells:
        return
    elif fault == "number":
        row = rng.choice(cells)
        if row:
            row[rng.randrange(len(row))] = rng.choice(NUMBERS)
    elif fault == "cell":
        row = rng.choice(cells)
        row[:] = [*row, "1"] if rng.random() < 0.5 else row[:-1]
    elif fault == "order":
        rng.shuffle(cells)
    else:
        cells.insert(rng.randrange(len(cells) + 1), ["# a comment"])


def _written(headers: list[str], cells: list[list[str]], style: dict[str, Any]) -> bytes:
    quoting = csv.QUOTE_ALL if style["quoted"] else csv.QUOTE_MINIMAL
    text = io.StringIO()
    writer = csv.writer(text, delimiter=style["separator"], lineterminator=style["ending"], quoting=quoting)
    writer.writerows([headers, *cells])
    return text.getvalue().encode(style["encoding"], "replace")


def check_csv(case: dict[str, Any]) -> Outcome:
    """Refused by name, or the numbers of the columns that were meant."""
    robot = robot_of(case["joints"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.csv"
        path.write_bytes(case["data"])
        try:
            with refusals(ValueError, names="case.csv"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                motion = lp.Motion.from_csv(path, robot)
        except Refusal:
            return REFUSED
    _check_sound(motion, robot)
    if case["meant"] is None:
        return ACCEPTED
    rows = [row for row in case["cells"] if len(row) > 1 or len(case["meant"]) == 1]
    for k, (kind, name) in enumerate(case["meant"]):
        read = motion.t if kind == "t" else getattr(motion, kind)[:, _names(motion, kind).index(name)]
        if not np.array_equal(read, [float(row[k]) for row in rows]):
            raise Fault(f"column {kind} of {name!r} is read as {read[:4]}")
    return Outcome("agreed")


def _names(motion: lp.Motion, kind: str) -> tuple[str, ...]:
    return motion.coordinate_names if kind == "q" else motion.dof_names


def _check_sound(motion: lp.Motion, robot: lp.Robot) -> None:
    """What every motion is, however hostile its file."""
    samples = len(motion.t)
    shapes = motion.q.shape, motion.qd.shape, motion.qdd.shape
    if shapes != ((samples, robot.nq), (samples, robot.n), (samples, robot.n)):
        raise Fault(f"shapes {shapes} of {samples} samples")
    if not np.isfinite(motion.t).all() or (np.diff(motion.t) <= 0).any() or not np.isfinite(motion.q).all():
        raise Fault("times that do not rise, or positions that are no numbers")


# NPZ


_DTYPES = ("<f8", ">f8", "<f4", "<f2", "<i4", "|b1", "<c16", "<U8", "|S4", "<M8[s]", "|O", "<f16", "<u8", "|V8")
_MEMBERS = ("t", "q", "qd", "qdd", "coordinate_names", "dof_names", "extra")


@st.composite
def npz_cases(draw: st.DrawFn) -> dict[str, Any]:
    """Members of an archive: sound ones, some replaced by others of any type and shape; and a mutation of the bytes."""
    rng = random.Random(draw(seeds))
    named = draw(joints(draw(st.integers(0, 3)) == 3))
    robot = robot_of(named)
    samples = draw(st.sampled_from((3, 5, 2, 8, 4, 6, 1, 0)))
    members: dict[str, Any] = {
        "t": {"values": [0.1 * k for k in range(samples)]},
        "q": {"values": [[float(_cell("q", name, 0, rng)) for name in robot.coordinate_names] for _ in range(samples)]},
    }
    if draw(st.booleans()):
        members["coordinate_names"] = {"values": list(robot.coordinate_names)}
        members["dof_names"] = {"values": list(robot.dof_names)}
    if draw(st.integers(0, 3)) == 0:
        rates = [[float(sane(rng)) for _ in robot.dof_names] for _ in range(samples)]
        members["qd"] = members["qdd"] = {"values": rates}
    sound = True
    for name in draw(st.lists(st.sampled_from(_MEMBERS), max_size=2)):
        sound = False
        change = draw(st.sampled_from(("drop", "header", "values", "names", "bytes")))
        if change == "drop":
            members.pop(name, None)
        elif change == "header":
            shape = draw(st.sampled_from(([], [2], [0], [3, 0], [10**12, 2], [10**9], [-1], [2**63], [1] * 40, [4, 2])))
            members[name] = {"dtype": draw(st.sampled_from(_DTYPES)), "shape": shape, "bytes": rng.randbytes(64)}
        elif change == "values":
            inner = st.lists(st.floats() | st.integers(-9, 9), max_size=3)
            members[name] = {"values": draw(inner | st.lists(inner, max_size=3).filter(_even))}
        elif change == "names":
            members[name] = {"values": draw(st.lists(hostile_name.filter(_storable), min_size=1, max_size=4))}
        else:
            members[name] = {
                "raw": rng.choice((b"", b"\x93NUMPY", b"text", b"\x93NUMPY\x01\x00\xff\xff{'a", b"\x80\x04N."))
            }
    mutated = rng.choice(("cut", "flip", "double", "bomb", "no")) if draw(st.integers(0, 4)) == 4 else "no"
    return {
        "joints": named,
        "members": members,
        "mutation": mutated,
        "at": rng.random(),
        "sound": sound and mutated == "no",
    }


def _even(rows: list[list[Any]]) -> bool:
    return len({len(row) for row in rows}) <= 1


def _storable(name: str) -> bool:
    return "\x00" not in name and not any(0xD800 <= ord(c) < 0xE000 for c in name)


def _member(member: dict[str, Any]) -> bytes:
    if "raw" in member:
        return bytes(member["raw"])
    file = io.BytesIO()
    if "values" in member:
        np.lib.format.write_array(file, np.array(member["values"]), allow_pickle=False)
    else:
        header = {"descr": member["dtype"], "fortran_order": False, "shape": tuple(member["shape"])}
        np.lib.format.write_array_header_1_0(file, header)
        file.write(member["bytes"])
    return file.getvalue()


@cache
def _bomb() -> bytes:
    """100 MB of zeros in 100 kB."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, length in (("t", 2), ("q", 12_500_000)):
            header = io.BytesIO()
            np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (length,)})
            archive.writestr(f"{name}.npy", header.getvalue() + bytes(8 * length))
    return file.getvalue()


def _archive(case: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in case["members"].items():
            archive.writestr(f"{name}.npy", _member(member))
    data = _bomb() if case["mutation"] == "bomb" else file.getvalue()
    k = int(case["at"] * len(data))
    if case["mutation"] == "cut":
        return data[:k]
    if case["mutation"] == "flip":
        return data[:k] + bytes([data[k] ^ 0x55]) + data[k + 1 :]
    return data * 2 if case["mutation"] == "double" else data


def check_npz(case: dict[str, Any]) -> Outcome:
    """Refused by name, or a sound motion; never much memory."""
    robot = robot_of(case["joints"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        path.write_bytes(_archive(case))
        try:
            with refusals(ValueError, names="case.npz"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                motion = lp.Motion.from_npz(path, robot)
        except Refusal:
            return REFUSED
    _check_sound(motion, robot)
    if not case["sound"]:
        return ACCEPTED
    if not np.array_equal(motion.q, case["members"]["q"]["values"]):
        raise Fault("q is not what stands in the file")
    return Outcome("agreed")


# Written and read again


@st.composite
def written_cases(draw: st.DrawFn) -> dict[str, Any]:
    """A motion of a robot with joints of any names."""
    return {
        "joints": draw(joints(True)),
        "seed": draw(seeds),
        "samples": draw(st.integers(2, 5)),
        "size": draw(st.sampled_from((1.0, 1e-300, 1e-5, 1e5, 1e150))),
    }


def check_written(case: dict[str, Any]) -> Outcome:
    """The same motion comes back, to the last bit, from both kinds of files."""
    robot = robot_of(case["joints"])
    rng = np.random.default_rng(case["seed"])
    t = np.cumsum(rng.uniform(0.01, 1, case["samples"]))
    q, qd, qdd = (case["size"] * rng.normal(size=(len(t), width)) for width in (robot.nq, robot.n, robot.n))
    for k, name in enumerate(robot.coordinate_names):
        if name.endswith((".qx", ".qy", ".qz", ".qw")):
            q[:, k] = name.endswith(".qw")
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        motion = lp.Motion(t, q, qd, qdd, robot=robot)
        for ending, write, read in (
            (".csv", motion.to_csv, lp.Motion.from_csv),
            (".npz", motion.to_npz, lp.Motion.from_npz),
        ):
            path = Path(folder) / f"case{ending}"
            try:
                with refusals(ValueError, names=""):
                    write(path)
                    again = read(path, robot)
            except Refusal:
                if any(0xD800 <= ord(c) < 0xE000 for name, _ in case["joints"] for c in name):
                    return REFUSED  # no text: UTF-8 has no bytes for it
                raise Fault(f"a motion does not come back from {ending}: {case['joints']!r}") from None
            for part in ("t", "q", "qd", "qdd"):
                if not np.array_equal(getattr(again, part), getattr(motion, part)):
                    raise Fault(f"{part} of the motion changes on the way through {ending}")
    return Outcome("agreed")


csv_motion = Parser("motion CSV", csv_cases(), check_csv)
npz_motion = Parser("motion NPZ", npz_cases(), check_npz)
written = Parser("motion written and read", written_cases(), check_written)
