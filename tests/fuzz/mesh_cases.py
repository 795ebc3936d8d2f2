"""Meshes of all kinds: whole ones, and mutations of their bytes, their numbers and their words."""

from __future__ import annotations

import functools
import random
import re

import numpy as np
import trimesh
from hypothesis import strategies as st

from bad_files.hostile_meshes import HARMLESS, MESHES
from loadpath.errors import ModelError
from loadpath.robot.meshes import ENDINGS, read_mesh

from .hostile import NUMBERS, seeds
from .outcome import ACCEPTED, Fault, Outcome, Parser, Refusal, refusals
from .outcome import REFUSED as REFUSED_CASE


@functools.cache
def _whole() -> list[tuple[str, bytes]]:
    """A box in every format, and the corpus."""
    box = trimesh.creation.box((1, 2, 3))
    endings = (".stl", ".obj", ".ply", ".off", ".glb", ".dae")
    written = [(ending, box.export(file_type=ending[1:])) for ending in endings]
    found = [(ending, data.encode() if isinstance(data, str) else data) for ending, data in written]
    found.append((".stl", box.export(file_type="stl_ascii").encode()))
    found.append((".ply", box.export(file_type="ply", encoding="ascii")))
    made = [("." + name.rpartition(".")[2], make()) for name, make in {**HARMLESS, **MESHES}.items()]
    return found * 3 + [(ending, data) for ending, data in made if len(data) < 20_000]


_WORD = re.compile(rb"-?\d+(\.\d+)?(e-?\d+)?")
_BYTES = (b"\x00\x00\x00\x00", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x00\x00\xc0\x7f", b"\x01\x00\x00\x00")


def _mutated(data: bytes, rng: random.Random) -> bytes:
    k, m = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    words = list(_WORD.finditer(data[:100_000]))

    def other_number() -> bytes:
        if not words:
            return data
        word = rng.choice(words)
        return data[: word.start()] + rng.choice(NUMBERS).encode("utf-8", "replace") + data[word.end() :]

    ways = (
        lambda: data[:k],
        lambda: data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :],
        lambda: data[:k] + data[m:],
        lambda: data[:m] + data[k:m] + data[m:],
        lambda: data[:k] + rng.choice(_BYTES) + data[k + 4 :],
        other_number,
        other_number,
    )
    return rng.choice(ways)()


@st.composite
def cases(draw: st.DrawFn) -> dict[str, object]:
    """A mesh: its ending and its bytes."""
    rng = random.Random(draw(seeds))
    ending, data = draw(st.sampled_from(_whole()))
    for _ in range(draw(st.integers(0, 4))):
        data = _mutated(data, rng)
    if draw(st.integers(0, 19)) == 19:
        ending = draw(st.sampled_from(ENDINGS))
    return {"ending": ending, "data": data}


def check(case: dict[str, object]) -> Outcome:
    """Refused in our words, or triangles with corners."""
    name, data = f"case{case['ending']}", case["data"]
    assert isinstance(data, bytes)
    try:
        with refusals(ModelError, names=name):
            surface = read_mesh(name, data)
    except Refusal:
        return REFUSED_CASE
    there = 0 <= surface.faces.min() <= surface.faces.max() < len(surface.vertices)
    if not there or not np.isfinite(surface.vertices).all():
        raise Fault("triangles without corners")
    return ACCEPTED


meshes = Parser("meshes", cases(), check, weight=2.0)
