"""Packages for a test: modules and what an installer writes beside them, in a folder that is put on the path."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parent / "example"


def install(folder: Path, package: str, groups: Mapping[str, Mapping[str, str]], **modules: str) -> None:
    """A package with these entry points, of which each group is named without "loadpath."."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    beside = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    beside.mkdir()
    said = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\nSummary: What is of {package}\n"
    (beside / "METADATA").write_text(said)
    lines = [line for group, names in groups.items()
             for line in (f"[loadpath.{group}]", *(f"{name} = {target}" for name, target in names.items()))]
    (beside / "entry_points.txt").write_text("\n".join(lines) + "\n")


def install_example(folder: Path) -> None:
    """The example, with the entry points of its `pyproject.toml`."""
    shutil.copy(EXAMPLE / "loadpath_example.py", folder)
    said = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    groups = {group.removeprefix("loadpath."): names for group, names in said["entry-points"].items()}
    install(folder, said["name"], groups)
