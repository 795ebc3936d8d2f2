"""What a store of a study was made for, in its attributes: written once, and compared before anything is read from it.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from loadpath._version import __version__
from loadpath.studies.answers import unit_of
from loadpath.studies.problem import Problem
from loadpath.studies.space import Space
from loadpath.studies.store import OnDisk, Shapes

FORMAT = 2


def versions() -> dict[str, str]:
    """What made the numbers."""
    return {"loadpath": __version__, "numpy": np.__version__}


def created(path: Path, problem: Problem, chunk: int, shapes: Shapes) -> dict[str, Any]:
    """A store without answers, and its manifest."""
    space, designs = problem.space, len(problem.space)
    content = {
        "format": FORMAT, "content": problem.content, "versions": versions(), "designs": designs,
        "chunk": chunk, "seed": space.sampling.seed, "sampling": space.sampling.kind,
        "shapes": {name: list(shape) for name, shape in shapes.items()},
        "parameters": {name: _words_of_axis(space, name) for name in space.names},
        "processor": platform.processor() or platform.machine(),
    }
    axes = problem.bound["axes"]
    dims = {name: _dims(name, axes.get(name, ()), shape) for name, shape in shapes.items()}
    attributes = {answer.name: {"units": unit_of(answer)} for answer in problem.answers}
    OnDisk(path, designs, chunk, shapes).create(content, dims, attributes)
    made = OnDisk.manifest(path)
    assert made is not None
    return made


def refuse_others(path: Path, manifest: Mapping[str, Any], problem: Problem, chunk: int | None) -> None:
    """A store of another study, of other versions, or whose manifest is damaged, is an error. Chunks may have any size
    where none is asked for.
    """
    if manifest.get("format") != FORMAT:
        raise ValueError(f"'{path}' is a study in another format ({manifest.get('format')!r}, not {FORMAT}): "
                         "give another name")
    wrong = _damaged(manifest, problem)
    if wrong:
        raise ValueError(f"the manifest of the study '{path}' (its zarr.json) is damaged: its {wrong} cannot be read; "
                         "give another name, or delete the folder")
    mine, there, designs = problem.content, manifest["content"], len(problem.space)
    other = [name for name, value in mine.items() if there.get(name) != value]
    if other or manifest["designs"] != designs:
        what = " and ".join(dict.fromkeys(other or ["space"]))
        verb = "are" if len(other) > 1 or what in ("robots", "answers", "hours") else "is"
        raise ValueError(f"'{path}' is of another study: its {what} {verb} another; give another name, or delete it")
    if chunk is not None and manifest["chunk"] != min(chunk, designs):
        raise ValueError(f"'{path}' has chunks of {manifest['chunk']} designs: leave out chunk={chunk}")
    for name, version in versions().items():
        if manifest["versions"].get(name) != version:
            raise ValueError(f"'{path}' was made with {name} {manifest['versions'].get(name)}, and {version} is "
                             "installed: go on with that version, or give another name, so that all numbers of a "
                             "study are made alike")


def _damaged(manifest: Mapping[str, Any], problem: Problem) -> str:
    """The field that no study wrote like this."""
    for name in ("content", "versions", "shapes"):
        if not isinstance(manifest.get(name), dict):
            return name
    if not _count(manifest.get("designs")):
        return "designs"
    if not _count(manifest.get("chunk")) or manifest["chunk"] > manifest["designs"]:
        return "chunk"
    shapes = manifest["shapes"]
    if manifest["content"] == problem.content and set(shapes) != {answer.name for answer in problem.answers}:
        return "shapes"
    if not all(isinstance(shape, list) and all(_count(size, 0) for size in shape) for shape in shapes.values()):
        return "shapes"
    return ""


def _count(value: object, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _dims(name: str, axes: Sequence[tuple[str, tuple[str, ...]]], shape: Sequence[int]) -> tuple[str, ...]:
    if len(axes) == len(shape):
        return tuple(axis for axis, _ in axes)
    return tuple(f"{name} {k + 1}" for k in range(len(shape)))


def _words_of_axis(space: Space, name: str) -> str:
    if name not in space.free:
        return "dependent"
    values = space.axis(name)
    return f"{values[0]} ... {values[-1]}, {len(values)}"
