"""Robots by their names in the package `robot_descriptions`, which downloads them when first asked for."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.robot.numbers import nearest

_NAME = re.compile(r"[a-z0-9_]+_description", re.IGNORECASE)


@dataclass(frozen=True)
class Description:
    """Where a robot of `robot_descriptions` is on this machine."""

    path: Path
    packages: Assets
    xacro_arguments: Mapping[str, object] | None = None


def is_description(text: str) -> bool:
    """Whether this has the form of a name of `robot_descriptions`.

    >>> is_description("ur10e_description"), is_description("ur10e_description.urdf"), is_description("ur10e")
    (True, False, False)
    """
    return _NAME.fullmatch(text) is not None


def description(name: str, packages: Assets, xacro_arguments: Mapping[str, object] | None = None) -> Description:
    """A robot of `robot_descriptions`; the first time, its repository is cloned from the network."""
    try:
        known = importlib.import_module("robot_descriptions").DESCRIPTIONS
    except ImportError:
        raise ModelError(f"there is no file '{name}'; to load it from the package robot_descriptions, pip install "
                         "'loadpath[descriptions]'") from None
    if name not in known:
        raise ModelError(f"there is no file '{name}', and robot_descriptions has none of that name"
                         f"{nearest(name, known)}")
    try:
        module: Any = importlib.import_module(f"robot_descriptions.{name}")
    except Exception as problem:  # of git, of the network, of the disk
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise ModelError(f"'{name}' of robot_descriptions could not be downloaded: {said}") from None
    return _found(name, module, packages, xacro_arguments)


def _found(name: str, module: Any, packages: Assets, xacro_arguments: Mapping[str, object] | None) -> Description:
    roots = [Path(getattr(module, part)) for part in ("PACKAGE_PATH", "REPOSITORY_PATH") if hasattr(module, part)]
    around = dict.fromkeys((*packages.packages, *roots, *(root.parent for root in roots)))
    named = {**getattr(module, "XACRO_PACKAGE_PATHS", {}), **packages.named_packages}
    where = Assets(packages=tuple(around), named_packages=named)
    for part in ("URDF_PATH", "MJCF_PATH"):
        if hasattr(module, part):
            return Description(Path(getattr(module, part)), where, xacro_arguments)
    if hasattr(module, "XACRO_PATH"):
        arguments = {**getattr(module, "XACRO_ARGS", {}), **(xacro_arguments or {})}
        return Description(Path(module.XACRO_PATH), where, arguments)
    raise ModelError(f"'{name}' of robot_descriptions has neither URDF nor MJCF nor xacro")
