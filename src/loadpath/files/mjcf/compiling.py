"""MuJoCo compiles an MJCF file, in a process of its own; what goes wrong there becomes a ModelError that names file and
line.
"""

from __future__ import annotations

import importlib.util
import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.mjcf.checking import CheckedFiles
from loadpath.files.mjcf.remembered import unit_quaternion
from loadpath.foreign.messages import Message, as_bytes
from loadpath.foreign.mujoco_model import MujocoModel, model_of
from loadpath.foreign.process import Parser
from loadpath.printable import printable
from loadpath.robot.numbers import Vector3

# Where the meshes of an MJCF file come from: files, found as MuJoCo finds them, or numbers in the file itself.


LARGEST_MESH = 2**30
"""Bytes of a mesh that is read for its inertia."""
_ENDINGS = (".stl", ".obj", ".msh")
"""Meshes that MuJoCo reads."""


@dataclass(frozen=True)
class MeshSource:
    """Where a geom's mesh comes from."""

    uri: str
    """Its file, as the model finds it; empty where its numbers are in the model."""
    found: str | None
    """Where it is; None if it is not there."""
    scale: Vector3
    refpos: Vector3
    refquat: tuple[float, float, float, float]
    name: str
    compiled: bool
    """Whether MuJoCo has read it: then its frame in the compiled model is another one."""
    numbers: bytes | None = None
    """The mesh in the OBJ format, where only the compiled model has its vertices in a form that others can read."""


def mesh_located(
    file: str, folder: str, stripped: bool, assets: Assets, checked: CheckedFiles
) -> tuple[str, str | None]:
    """The file of a mesh from the folder of the model, and where it is."""
    file = posixpath.basename(file) if stripped else file
    uri = posixpath.join(folder, file)
    around = {posixpath.dirname(name) for name in checked.others}  # attached models have their own folders
    for candidate in (uri, file, *(posixpath.join(place, uri) for place in sorted(around))):
        found = assets.locate(candidate)
        if found is not None:
            return uri, found
    return uri, None


def mesh_content(found: str, uri: str, assets: Assets) -> bytes:
    """A mesh that an inertia comes from."""
    if not found.lower().endswith(_ENDINGS):
        raise ModelError(f"the mesh '{uri}' gives an inertia: expected one that MuJoCo reads, {', '.join(_ENDINGS)}")
    size = len(assets.members[found]) if assets.members else Path(found).stat().st_size
    if size > LARGEST_MESH:
        raise ModelError(f"the mesh '{uri}' is larger than {LARGEST_MESH >> 20} MiB")
    return assets.members[found] if assets.members else Path(found).read_bytes()


_COMPILER = Parser("loadpath.foreign.mujoco_compiler", "MuJoCo's compiler")
_LINE = re.compile(r",? ?line (\d+)")


@dataclass(frozen=True)
class RawInertia:
    """An inertia as the file gives it; moments or a whole tensor, about the mass center."""

    mass: float
    moments: tuple[float, ...]
    """Three about the axes of the inertial frame, or six of a tensor in the body's axes: xx yy zz xy xz yz."""


@dataclass(frozen=True)
class CompiledModel:
    """A compiled model, and what was kept away from the compiler."""

    model: MujocoModel
    meshes: dict[int, MeshSource] = field(default_factory=dict)
    """For geoms that are meshes, by number: where the mesh comes from."""
    inertias: dict[int, RawInertia] = field(default_factory=dict)
    """For bodies whose inertia MuJoCo would refuse, by number: as the file gives it."""
    undrawn: frozenset[int] = frozenset()
    """Numbers of geoms that are no shapes."""
    missing: tuple[str, ...] = ()
    """Meshes that are not there."""
    said: tuple[str, ...] = ()
    """Warnings of the compiler, as on words that it will not know for long."""


class MeshAnswers:
    """Answers the compiler's questions: where meshes are, and what is in those that it needs."""

    def __init__(self, checked: CheckedFiles, assets: Assets, source: str) -> None:
        self.checked, self.assets, self.source = checked, assets, source
        self.located: list[tuple[str, str | None]] = []

    def __call__(self, question: Message) -> Message:
        if "meshes" in question.fields:
            wanted = question.fields["meshes"]
            self.located = [
                mesh_located(str(file), str(folder), bool(stripped), self.assets, self.checked) if file else ("", None)
                for file, folder, stripped in wanted
            ]
            return Message({"uris": [uri for uri, _ in self.located],
                            "there": [found is not None for _, found in self.located]})
        return Message(arrays={str(number): as_bytes(self._content(number)) for number in question.fields["contents"]})

    def _content(self, number: Any) -> bytes:
        uri, found = self.located[int(number)]
        try:
            return mesh_content(found or "", uri, self.assets)
        except ModelError as problem:
            raise ModelError(f"{self.source}: {problem}") from None


def request_of(checked: CheckedFiles) -> Message:
    """What the compiler is to compile."""
    main, others = checked.texts()
    texts = {"main": main, **others}
    return Message(arrays={name: as_bytes(text.encode("utf-8", "replace")) for name, text in texts.items()})


def compile_mjcf(checked: CheckedFiles, source: str, assets: Assets) -> CompiledModel:
    """The compiled model of a file that was looked over."""
    if importlib.util.find_spec("mujoco") is None:
        raise ImportError("MJCF is read by MuJoCo's own compiler: pip install loadpath[mjcf]")
    answers = MeshAnswers(checked, assets, source)
    reply = _COMPILER.run(request_of(checked), source, answers)
    if "problem" in reply.fields:
        raise ModelError(_in_words(str(reply.fields["problem"]), checked))
    try:
        return _received(reply, answers)
    except ModelError as problem:
        raise ModelError(f"{source}: {problem}") from None
    except (KeyError, ValueError, TypeError, IndexError) as problem:
        raise ModelError(f"{source}: MuJoCo's compiler returns no model ({problem!r}): the file is damaged, or made to "
                         "break it") from None


def _received(reply: Message, answers: MeshAnswers) -> CompiledModel:
    model = model_of(reply)
    fields = reply.fields
    sources = _mesh_sources(reply, answers.located)
    meshes = {}
    for geom, number, compiled in fields["meshes"]:
        meshes[_within(geom, model.count["geom"])] = sources[_within(number, len(sources))][bool(compiled)]
    raw = reply.arrays["raw_inertias"].tolist()
    inertias = {
        _within(body, model.count["body"]): RawInertia(row[0], tuple(row[1 : 1 + (6 if count == 6 else 3)]))
        for (body, count), row in zip(fields["inertias"], raw, strict=True)
    }
    undrawn = frozenset(_within(geom, model.count["geom"]) for geom in fields["undrawn"])
    missing = sorted({sources[_within(number, len(sources))][False].uri for number in fields["missing"]})
    return CompiledModel(model, meshes, inertias, undrawn, tuple(missing), tuple(map(str, fields["said"])))


def _within(number: Any, count: int) -> int:
    if type(number) is not int or not 0 <= number < count:
        raise ModelError(f"MuJoCo's compiler speaks of part {number} of {count}")
    return number


def _mesh_sources(reply: Message, located: Sequence[tuple[str, str | None]]) -> list[tuple[MeshSource, MeshSource]]:
    """For each mesh where it comes from: as its file has it, and as the compiled model has it."""
    found = []
    names, frames = reply.fields["mesh_names"], reply.arrays["mesh_frames"]
    for number, (name, (uri, place), frame) in enumerate(zip(names, located, frames.tolist(), strict=True)):
        if not np.isfinite(frame).all():
            raise ModelError(f"mesh '{name}': scale, refpos or refquat is not finite: {frame}")
        x, y, z, a, b, c, *quaternion = frame
        common = (uri, place, (x, y, z), (a, b, c), unit_quaternion(quaternion), str(name))
        vertices = reply.arrays.get(f"vertices {number}")
        numbers = None if vertices is None else _wavefront(vertices, reply.arrays[f"faces {number}"])
        found.append((MeshSource(*common, compiled=False), MeshSource(*common, compiled=True, numbers=numbers)))
    return found


def _wavefront(vertices: Any, faces: Any) -> bytes:
    """A mesh of the compiled model in the OBJ format."""
    corners = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    return "\n".join([*corners, *(f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist())]).encode() + b"\n"


def _in_words(problem: str, checked: CheckedFiles) -> str:
    """MuJoCo's words, with the file and the line in front."""
    words = printable(" ".join(problem.split()))
    words = words.removeprefix("XML Error: ").removeprefix("Error: ")
    for name, alias in checked.aliases.items():
        words = words.replace(alias, name)
    line = _LINE.search(words)
    words = _LINE.sub("", words)
    where = f", line {line[1]}" if line and int(line[1]) > 0 else ""
    return f"{checked.source}{where}: MuJoCo's compiler refuses it: {words}"
