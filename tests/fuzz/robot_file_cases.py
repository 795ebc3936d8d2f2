"""SDF files, project files and archives: sound ones of a grammar, mutated in their values, their structure and their
bytes. What is read must be refused in our words or give a robot that can be asked for its names.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
import tarfile
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import loadpath as lp

from .hostile import NAMES, NUMBERS, sane, seeds
from .outcome import ACCEPTED, REFUSED, Outcome, Parser, Refusal, refusals
from .urdf_cases import GENTLE, ROUGH, random_robot
from .xml_trees import Tree, decorated, plain

# SDF

_KINDS = ("revolute", "continuous", "prismatic", "ball", "universal", "fixed", "screw", "gearbox", "revolute2", "none")
_TAGS = (
    'link', 'joint', 'pose', 'inertial', 'mass', 'inertia', 'ixx', 'axis', 'xyz', 'limit', 'frame', 'model',
    'include', 'uri', 'parent', 'child', 'static', 'gravity', 'world', 'mimic', 'placement_frame', 'merge', 'visual',
    'mesh', 'plugin', 'drake:joint',
)
_URIS = (
    'model://arm', 'model://..', 'file:///etc/passwd', '/etc/passwd', '../x.sdf', 'case.sdf', 'https://a.b/c', '',
    'model://', 'package://a/b', 'other.sdf', 'model://other',
)
_OTHER = """<sdf version="1.9"><model name="other"><link name="part"><inertial><mass>1</mass><inertia>
<ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link></model></sdf>"""


def _leaf(tag: str, text: str, **attributes: str) -> Tree:
    return Tree(tag, list(attributes.items()), [], text)


def _sdf_link(rng: random.Random, name: str) -> Tree:
    moments = [_leaf(tag, "1") for tag in ("ixx", "iyy", "izz")]
    inertial = Tree("inertial", [], [_leaf("mass", sane(rng).lstrip("-+")), Tree("inertia", [], moments)])
    form = rng.choice(({}, {}, {"rotation_format": "quat_xyzw"}, {"degrees": "true"}))
    count = 7 if form.get("rotation_format") else 6
    return Tree("link", [("name", name)], [_leaf("pose", " ".join(sane(rng) for _ in range(count)), **form), inertial])


def random_sdf(rng: random.Random, links: int) -> Tree:
    """A model that is sound but for its numbers."""
    names = [f"l{k}" for k in range(links)]
    parts = [_sdf_link(rng, name) for name in names]
    for k in range(1, links):
        ends = [_leaf("parent", rng.choice((*names[:k], "world"))), _leaf("child", names[k])]
        axis = Tree("axis", [], [_leaf("xyz", rng.choice(("0 0 1", "1 0 0", "0 1 1")))])
        kind = rng.choice(_KINDS[:6] if rng.random() < 0.9 else _KINDS)
        parts.append(Tree("joint", [("name", f"j{k}"), ("type", kind)], [*ends, axis]))
    if rng.random() < 0.3:
        parts.append(Tree("frame", [("name", "f"), ("attached_to", rng.choice(names))]))
    if rng.random() < 0.4:
        parts.append(Tree("include", [], [_leaf("uri", rng.choice(_URIS)), _leaf("name", rng.choice(("x", "l0")))]))
    model = Tree("model", [("name", "r")], parts)
    inner = Tree("world", [("name", "w")], [model]) if rng.random() < 0.2 else model
    return Tree("sdf", [("version", rng.choice(("1.9", "1.9", "1.6", "1.4", "1.12", "2", "")))], [inner])


def _change_text(tree: Tree, element: Tree, rng: random.Random) -> None:
    told = [part for part in tree.everything() if part.text]
    if told:
        part = rng.choice(told)
        words = part.text.split() or [""]
        words[rng.randrange(len(words))] = rng.choice((*NUMBERS, *NAMES, *_URIS))
        part.text = " ".join(words)


def _other_tag(tree: Tree, element: Tree, rng: random.Random) -> None:
    element.tag = rng.choice(_TAGS)


@st.composite
def sdf_cases(draw: st.DrawFn) -> dict[str, Any]:
    rng = random.Random(draw(seeds))
    tree = random_sdf(rng, draw(st.integers(1, 5)))
    moves = (_change_text, _change_text, _other_tag, *GENTLE, *ROUGH)
    for move in draw(st.lists(st.sampled_from(moves), max_size=3)):
        move(tree, rng.choice(tree.everything()), rng)
    written = plain(tree) if draw(st.booleans()) else decorated(tree, rng)
    return {"data": written.encode("utf-8", "replace"), "name": "case.sdf", "other": _OTHER}


# Project files

_LINES = (
    'catalog = "two_link"', 'file = "other.urdf"', 'name = "r"', 'gravity = [0, 0, -9.81]', 'strict = true',
    'xacro = true', '[payload]', 'mass = 2.0', 'link = "tool"', '[motion]', 'swing = true', 'duration = 2',
    'file = "log.csv"', '[base]', '[[base.wheels]]', 'radius = 0.1', 'position = [1, 0, 0]', '[drives.joint1]',
    'ratio = 100', 'efficiency = 0.9', '[beams.link1]', 'outer_radius = 0.04', 'wall = 0.003', '[[robot.dh]]',
    'theta = 0', 'd = 0.1', 'a = 0.2', 'alpha = 0', '[limits.joint1]', 'velocity = 2', 'effort = 10', '[mount]',
    'xyz = [0, 0, 1]', 'rpy = [0, 0, 0]', '[[cycle]]', '[robot]', 'x = { a = 1 }', '[robot.x]', 'mass = "2 kg"',
    'mass = 1e300', 'outer_radius = 1e300', 'wall = 0', 'mass = nan', 'mass = -1', 'file = "/etc/passwd"',
    'file = "../other.urdf"', 'file = "arm_description"', 'file = "other.urdf:a"', 'file = "a.zip:b.zip:c"',
    'package_paths = [".."]', 'package_paths = ["."]', 'through = [[0, 0], [1, 1]]', 'times = [0, 1]', 'rate = 1e12',
    'velocity = 1e-12', 'repeat = 3', '[verdict]', 'hours = 100', '[x.' + "a." * 40 + 'a]', '"\\"".a.a = 1',
)
_VALUES = (
    '"x"', "[]", "{}", "true", "[[1]]", "1979-05-27", '"""', "9" * 400, '"\\u0000"', "0x" + "f" * 300,
    "[" * 40 + "]" * 40, '"' + "x/" * 3000 + '"',
)


@st.composite
def project_cases(draw: st.DrawFn) -> dict[str, Any]:
    rng = random.Random(draw(seeds))
    lines = ["[robot]", rng.choice(_LINES[:2])]
    for _ in range(draw(st.integers(0, 6))):
        line = rng.choice(_LINES)
        key, sign, _ = line.partition(" = ")
        if sign and rng.random() < 0.3:
            value = rng.choice((*NUMBERS, *_VALUES))
            line = f"{key} = {value}"
        lines.append(line)
    if rng.random() < 0.5:
        lines += ["[payload]", "mass = 1.0"]
    text = "\n".join(dict.fromkeys(lines) if rng.random() < 0.8 else lines) + "\n"
    data = text.encode("utf-8", "replace")
    return {"data": _damaged(data, rng) if rng.random() < 0.1 else data, "name": "case.toml", "other": _URDF}


_URDF = plain(random_robot(random.Random(1), 3))


# Archives


def _members(rng: random.Random) -> list[tuple[str, bytes]]:
    robot = plain(random_robot(rng, 2)).encode()
    found = [("arm.urdf", robot)]
    for _ in range(rng.randint(0, 4)):
        names = ("a/b.stl", "package.xml", "./arm.urdf", "../x", "/etc/x", "a\\b", "C:/x", "é/ü.stl", "n" * 1200,
                 "d/" * 60 + "x", "b.urdf", "c.xml", "", ".", "a//b.stl", *NAMES)
        content = (b"", b"solid x", robot, b"<package><name>p</name></package>", b"\x1f\x8b", bytes(2000))
        found.append((rng.choice(names), rng.choice(content)))
    return found


def _zip(rng: random.Random) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", rng.choice((0, 8))) as archive:
        warnings.simplefilter("ignore")
        for name, content in _members(rng):
            archive.writestr(name.encode("utf-8", "replace").decode() or "x", content)
    return file.getvalue()


def _tar(rng: random.Random) -> bytes:
    file = io.BytesIO()
    form = rng.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for name, content in _members(rng):
            entry = tarfile.TarInfo(name.encode("utf-8", "replace").decode())
            entry.size, entry.type = (
                len(content),
                rng.choice((b"0", b"0", b"0", b"1", b"2", b"5", b"6", b"S", b"L", b"x", b"g")),
            )
            try:
                archive.addfile(entry, io.BytesIO(content))
            except ValueError:  # a name that this form cannot hold
                continue
    return file.getvalue()


def _damaged(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(found) or 1)
        kind = rng.random()
        if kind < 0.5 and found:
            found[at] = rng.randrange(256)
        elif kind < 0.7:
            del found[at : at + rng.randint(1, 600)]
        elif kind < 0.85:
            found[at:at] = rng.choice((b"9" * 3000, b"\0" * 512, b"\xff" * 8, b"PK\x01\x02", b"99999 path=a\n"))
        else:
            found[at : at + 4] = struct.pack("<I", rng.choice((0, 2**31, 2**32 - 1, 512)))
    return bytes(found)


@st.composite
def archive_cases(draw: st.DrawFn) -> dict[str, Any]:
    rng = random.Random(draw(seeds))
    data = rng.choice((_zip, _tar))(rng)
    if draw(st.booleans()):
        data = _damaged(data, rng)
    if rng.random() < 0.3:
        data = gzip.compress(data)
        data = _damaged(data, rng) if rng.random() < 0.3 else data
    return {"data": data, "name": "case.bin", "other": _URDF}


def check(case: dict[str, Any]) -> Outcome:
    """Refused in our words, or read."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file = Path(folder) / case["name"]
        file.write_bytes(case["data"])
        (file.with_name("other.sdf" if file.suffix == ".sdf" else "other.urdf")).write_text(case["other"])
        try:
            with refusals(ValueError, names=folder if file.suffix == ".sdf" else case["name"]):  # or an included file
                subject = lp.load_project(file).robot if file.suffix == ".toml" else lp.load(file)
                _ = subject.joint_names, subject.q_slices, repr(subject)
        except Refusal:
            return REFUSED
    return ACCEPTED


sdf = Parser("SDF", sdf_cases(), check)
projects = Parser("project file", project_cases(), check)
archives = Parser("archive", archive_cases(), check)
