"""`<include>` in SDF: the model of another file, found by its address next to the file or where models are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.bounded_reading import read_at_most
from loadpath.files.sdf.values import WrittenPose
from loadpath.files.xml_node import Node
from loadpath.files.xml_reading import MOST_ELEMENTS, read_xml

LARGEST_FILE = 64 * 2**20
"""Bytes of an SDF file that are read."""
MOST_FILES, DEEPEST = 256, 16
"""Files that a file may include, and how deep they may include one another."""
SUPPORTED = ((1, 4), (1, 12))
PLACES = ("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH")
"""Environment variables with the folders in which models are kept."""
_CONFIG = "model.config"


@dataclass(frozen=True)
class Included:
    """What an `<include>` says of the model instead of its file."""

    name: str = ""
    pose: WrittenPose | None = None
    static: bool | None = None
    placement_frame: str = ""
    merge: bool = False


@dataclass
class _Count:
    files: int = 0
    elements: int = 0


@dataclass(frozen=True)
class Library:
    """Where a file finds others: its folder and its depth; what is counted is counted for all of them."""

    source: str
    version: tuple[int, int]
    assets: Assets
    folder: Path | None = None
    depth: int = 0
    count: _Count = field(default_factory=_Count)

    def model(self, uri: str, node: Node) -> tuple[Node, Library]:
        """The `<model>` that an address leads to, and the library of its file."""
        path = self._file(uri, node)
        self.count.files += 1
        if self.count.files > MOST_FILES or self.depth >= DEEPEST:
            node.fail(f"<uri> is '{uri}': the files include one another more than {DEEPEST} deep, or more than "
                      f"{MOST_FILES} of them")  # fmt: skip
        data = read_at_most(path, LARGEST_FILE)
        if data is None:
            node.fail(f"<uri> leads to {path}, which is larger than {LARGEST_FILE >> 20} MiB")
        root = root_of(data, str(path))
        self.count.elements += sum(1 for _ in root.element.everything())
        if self.count.elements > MOST_ELEMENTS:
            node.fail(f"the included files have more than {MOST_ELEMENTS:,} elements, which no robot needs")
        found = root.children("model")
        if len(found) != 1:
            node.fail(f"<uri> leads to {path}, which has {len(found)} models: expected one")
        inner = replace(self, source=str(path), version=version_of(root), folder=path.parent, depth=self.depth + 1,
                        assets=Assets(path.parent))  # fmt: skip
        return found[0], inner

    def _file(self, uri: str, node: Node) -> Path:
        if uri.startswith(("http://", "https://")):
            node.fail(f"<uri> is '{uri}': nothing is fetched from the network; download the model, and write where it "
                      "is")  # fmt: skip
        tried = list(self._candidates(uri))
        for place in tried:
            if place.is_file():
                return place
            if place.is_dir() and (found := _of_folder(place)) is not None:
                return found
        where = ", ".join(dict.fromkeys(str(place) for place in tried[:4]))
        node.fail(f"<uri> is '{uri}', and there is no such model; looked for {where or 'it nowhere'}. Set {PLACES[0]} "
                  "to the folder with the models")  # fmt: skip

    def _candidates(self, uri: str) -> Iterator[Path]:
        scheme, separator, rest = uri.partition("://")
        if not separator:
            scheme, rest = "", uri
        if scheme == "file":
            yield Path(rest)
            return
        folders = [] if self.folder is None else [self.folder, *list(self.folder.parents)[:6]]
        if scheme in ("model", "package"):
            kept = [Path(entry) for place in PLACES for entry in os.environ.get(place, "").split(os.pathsep) if entry]
            for folder in (*folders[1:], *kept, *folders[:1]):
                yield folder / rest
                if (name := rest.partition("/")) and folder.name == name[0]:
                    yield folder / name[2]
        else:
            for folder in folders[:1]:
                yield folder / rest


def _of_folder(folder: Path) -> Path | None:
    """The SDF file of a folder with a model: what `model.config` names for the newest version that is read."""
    config = folder / _CONFIG
    if not config.is_file():
        plain = folder / "model.sdf"
        return plain if plain.is_file() else None
    data = read_at_most(config, LARGEST_FILE)
    if data is None:
        raise ModelError(f"{config}: the file is larger than {LARGEST_FILE >> 20} MiB")
    best: tuple[tuple[int, int], Path] | None = None
    for element in read_xml(data, str(config)).children:
        if element.tag == "sdf":
            version = _parsed(element.attributes.get("version", "1.4")) or (0, 0)
            if version <= SUPPORTED[1] and (best is None or version > best[0]):
                best = (version, folder / element.text.strip())
    return best[1] if best is not None and best[1].is_file() else None


def root_of(text: str | bytes, source: str) -> Node:
    """The `<sdf>` element of a file."""
    root = Node(read_xml(text, source), "sdf", source)
    if root.tag != "sdf":
        known = {"robot": " (this is URDF)", "mujoco": " (this is MJCF)"}
        root.fail(f"the root element is <{root.tag}>{known.get(root.tag, '')}: expected <sdf>")
    version_of(root)
    return root


def version_of(root: Node) -> tuple[int, int]:
    """The version of SDF in which a file is written; its frames mean different things before 1.5 and 1.7."""
    written = root.text("version")
    version = _parsed(written)
    if version is None or not SUPPORTED[0] <= version <= SUPPORTED[1]:
        (a, b), (c, d) = SUPPORTED
        root.fail(f"version of <sdf> is '{written}': expected {a}.{b} to {c}.{d}")
    return version


def _parsed(version: str) -> tuple[int, int] | None:
    major, _, minor = version.strip().partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None
