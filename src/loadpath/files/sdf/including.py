"""`<include>` in SDF: the model of another file, found by its address next to the file or where models are kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.bounded_reading import LARGEST_FILE
from loadpath.files.sdf.values import WrittenPose
from loadpath.files.xml_node import Node
from loadpath.files.xml_reading import MOST_ELEMENTS, read_xml

MOST_FILES, DEEPEST = 256, 16
"""Files that a file may include, and how deep they may include one another."""
SUPPORTED = ((1, 4), (1, 12))
PLACE_OF_MODELS = "GZ_SIM_RESOURCE_PATH"
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
    """Where a file finds others, and how deep it lies among them; what is counted is counted for all of them."""

    source: str
    version: tuple[int, int]
    assets: Assets
    depth: int = 0
    count: _Count = field(default_factory=_Count)

    def model(self, uri: str, node: Node) -> tuple[Node, Library]:
        """The `<model>` that an address leads to, and the library of its file."""
        if uri.startswith(("http://", "https://")):
            node.fail(f"<uri> is '{uri}': nothing is fetched from the network; download the model, and write where it "
                      "is")
        try:
            path = self._locate(uri.rstrip("/"))
        except ModelError as problem:
            node.fail(f"<uri>: {problem}")
        if path is None:
            node.fail(f"<uri> is '{uri}', and there is no such model next to the file; if it is elsewhere, set "
                      f"{PLACE_OF_MODELS} to the folder with the models")
        self.count.files += 1
        if self.count.files > MOST_FILES or self.depth >= DEEPEST:
            node.fail(f"<uri> is '{uri}': the files include one another more than {DEEPEST} deep, or more than "
                      f"{MOST_FILES} of them")
        root = root_of(self.assets.text_at(path, LARGEST_FILE), path)
        self.count.elements += sum(1 for _ in root.element.everything())
        if self.count.elements > MOST_ELEMENTS:
            node.fail(f"the included files have more than {MOST_ELEMENTS:,} elements, which no robot needs")
        found = root.children("model")
        if len(found) != 1:
            node.fail(f"<uri> leads to {path}, which has {len(found)} models: expected one")
        inner = replace(self, source=path, version=version_of(root), depth=self.depth + 1,
                        assets=self.assets.of_included(path))
        return found[0], inner

    def _locate(self, uri: str) -> str | None:
        """The file of a model: the address itself, or what the folder it names has for the newest version. Only what
        the file may include is found.
        """
        alone = self.assets.text_file(uri)
        if alone is not None:
            return alone
        config = self.assets.text_file(f"{uri}/{_CONFIG}")
        if config is None:
            return self.assets.text_file(f"{uri}/model.sdf")
        best: tuple[tuple[int, int], str] | None = None
        for element in read_xml(self.assets.text_at(config, LARGEST_FILE), config).children:
            if element.tag == "sdf":
                version = _parsed(element.attributes.get("version", "1.4")) or (0, 0)
                if version <= SUPPORTED[1] and (best is None or version > best[0]):
                    best = (version, element.text.strip())
        return None if best is None else self.assets.text_file(f"{uri}/{best[1]}")


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
