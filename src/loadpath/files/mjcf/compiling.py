"""MuJoCo compiles an MJCF file; what goes wrong there becomes a ModelError that names file and line."""

from __future__ import annotations

import re
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.bounded_reading import LARGEST_FILE, read_at_most
from loadpath.files.mjcf.checking import CheckedFiles
from loadpath.files.mjcf.mesh_sources import MeshSource
from loadpath.files.mjcf.stand_ins import RawInertia, StandIns, put_stand_ins
from loadpath.files.xml_reading import decoded
from loadpath.printable import printable

_LINE = re.compile(r",? ?line (\d+)")
_ONE_AT_A_TIME = threading.Lock()
"""MuJoCo has one place for what hears its warnings, whatever the thread."""


@dataclass(frozen=True)
class CompiledModel:
    """A compiled model, and what was kept away from the compiler."""

    model: Any
    """The `mujoco.MjModel`."""
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


def mujoco_library() -> Any:
    """The module `mujoco`, or an error that says how to get it."""
    try:
        import mujoco
    except ImportError as problem:
        raise ImportError("MJCF is read by MuJoCo's own compiler: pip install loadpath[mjcf]") from problem
    if not hasattr(getattr(mujoco, "MjsGeom", None), "id"):
        raise ImportError(f"MJCF is read through mujoco.MjSpec of MuJoCo 3.3.1 or newer, this is {mujoco.__version__}: "
                          "pip install --upgrade loadpath[mjcf]")  # fmt: skip
    return mujoco


def compile_mjcf(checked: CheckedFiles, text: str | bytes, source: str, assets: Assets) -> CompiledModel:
    """The compiled model of a file that was looked over."""
    mujoco = mujoco_library()
    with (
        tempfile.TemporaryDirectory(prefix="mjcf") as room,
        _on_disk(checked, text, source, assets, Path(room)) as path,
    ):
        try:
            with _heard(mujoco) as heard:
                make = mujoco.MjSpec
                spec = make.from_string(decoded(text)) if path is None else make.from_file(str(path))
                # Welded bodies and shapes that nothing touches are left out of simulations; here they are wanted.
                spec.compiler.fusestatic = False
                spec.compiler.discardvisual = False
                stand_ins = put_stand_ins(mujoco, spec, assets, checked, Path(room), source)
                model = spec.compile()
        except ModelError:
            raise
        except (ValueError, RuntimeError, TypeError) as problem:
            raise ModelError(_in_words(str(problem), source)) from None
        return _numbered(model, stand_ins, heard)


@contextmanager
def _heard(mujoco: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of, which it would otherwise print and write to a file in the folder of the user."""
    found: list[str] = []
    with _ONE_AT_A_TIME:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(found.append)
        try:
            with warnings.catch_warnings(record=True) as python:
                warnings.simplefilter("always")
                yield found
        finally:
            mujoco.set_mju_user_warning(before)
    found += [str(warning.message) for warning in python]


def _numbered(model: Any, stand_ins: StandIns, heard: list[str]) -> CompiledModel:
    meshes = {int(geom.id): origin for geom, origin in stand_ins.meshes}
    inertias = {int(body.id): raw for body, raw in stand_ins.inertias}
    undrawn = frozenset(int(geom.id) for geom in stand_ins.undrawn)
    return CompiledModel(model, meshes, inertias, undrawn, tuple(sorted(stand_ins.missing)), tuple(heard))


def _in_words(problem: str, source: str) -> str:
    """MuJoCo's words, with the file and the line in front."""
    words = printable(" ".join(problem.split()))
    words = words.removeprefix("XML Error: ").removeprefix("Error: ")
    line = _LINE.search(words)
    words = _LINE.sub("", words)
    return f"{source}{f', line {line[1]}' if line and int(line[1]) > 0 else ''}: MuJoCo's compiler refuses it: {words}"


@contextmanager
def _on_disk(
    checked: CheckedFiles, text: str | bytes, source: str, assets: Assets, room: Path
) -> Iterator[Path | None]:
    """The path of the file, where it includes others; None where its text is all there is."""
    if not checked.names:
        yield None
        return
    data = text.encode() if isinstance(text, str) else text
    if assets.members:
        main = _inside(room / "archive", f"{assets.inside}/loadpath_main.xml")
        for name, content in checked.names.items():
            _put(_inside(room / "archive", name), content)
        _put(main, data)
        yield main
        return
    path = Path(source)
    if path.is_file() and read_at_most(path, LARGEST_FILE) == data:
        yield path
        return
    # Text that is in no file, as of a compressed one: beside links to what lies around it.
    folder = assets.folder or Path()
    home = room / "beside" / (folder.name or "folder")
    home.mkdir(parents=True)
    for entry in folder.parent.iterdir():
        if entry.name != home.name:
            (home.parent / entry.name).symlink_to(entry)
    for entry in folder.iterdir():
        (home / entry.name).symlink_to(entry)
    main = home / "loadpath_main.xml"
    _put(main, data)
    yield main


def _inside(folder: Path, name: str) -> Path:
    """A path below a folder, whatever the name of a member of an archive says."""
    parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..", ".")]
    return folder.joinpath(*parts)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
