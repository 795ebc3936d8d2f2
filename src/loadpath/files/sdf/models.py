"""The links and joints of a model, of the models in it and of those it includes, each with its frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from loadpath.errors import ModelError
from loadpath.files.assets import LARGEST_FILE, Assets
from loadpath.files.sdf.frames import MODEL, NAME, SEPARATOR, WORLD, Scope, SdfFrame, refuse_circles
from loadpath.files.sdf.words import WrittenPose, attribute, read_pose, text_in, truth, truth_in
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_reading import MOST_ELEMENTS, Node, XmlElement, read_xml

# `<include>` in SDF: the model of another file, found by its address next to the file or where models are kept.


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


@dataclass(frozen=True)
class FoundLink:
    """A `<link>` with its frame, in the scope of its model."""

    node: Node
    frame: SdfFrame
    scope: Scope
    library: Library


@dataclass(frozen=True)
class FoundJoint:
    """A `<joint>` with its frame, in the scope of its model."""

    node: Node
    frame: SdfFrame
    scope: Scope


@dataclass
class Found:
    """All links and joints of a file, in its order."""

    watch: Watch
    world: SdfFrame
    links: list[FoundLink] = field(default_factory=list)
    joints: list[FoundJoint] = field(default_factory=list)
    frames: list[tuple[SdfFrame, WrittenPose, Scope, SdfFrame | None]] = field(default_factory=list)
    """Frames whose poses are still to be resolved, with the scope to look in and the frame they are in by default; None
    for joints: that is the frame of the child."""
    attached: list[tuple[SdfFrame, str, Scope]] = field(default_factory=list)
    models: list[tuple[Scope, str]] = field(default_factory=list)
    """Models with the names of their placement frames."""
    canonical: list[tuple[Scope, str, Node]] = field(default_factory=list)
    robot: XmlElement | None = None
    """The model of a world whose names do without its own in front."""

    # Collecting

    def model(self, node: Node, within: Scope, library: Library, included: Included | None = None,
              prefixed: bool = True) -> Scope:
        """Everything in a `<model>`, its frame placed in another scope; `included` has what an `<include>` says of it
        instead.
        """
        said = included or Included()
        name = said.name or node.text("name")
        node = replace(node, owner=f"model '{name}'")
        self.watch.look(node)
        pose = read_pose(node, self.watch) if said.pose is None else said.pose
        frame = SdfFrame(attribute(node, NAME) or within.full(name), node)
        prefix = f"{within.prefix}{name}{SEPARATOR}" if prefixed else within.prefix
        static = truth_in(node, "static", False) if said.static is None else said.static
        scope = Scope(frame, library.version, self.world, prefix=prefix, static=static or within.static)
        if said.merge:  # its members are those of the model around it, but its __model__ is its own
            scope.members, scope.nested, scope.prefix = within.members, within.nested, within.prefix
        else:
            within.add(name, frame)
            within.nested[name] = scope
        self.frames.append((frame, pose, within, within.model))
        self.models.append((scope, said.placement_frame or attribute(node, "placement_frame")))
        before = len(self.links)
        self.contents(node, scope, library)
        self.canonical.append((scope, attribute(node, "canonical_link"), node))
        inside = self.links[before:]
        own = [link for link in inside if link.scope is scope] or inside
        frame.carrier = own[0].frame if own else None
        return scope

    def contents(self, node: Node, scope: Scope, library: Library) -> None:
        """The members of a model or the world, in their order."""
        for element in node.element.children:
            child = replace(node, element=element)
            if element.tag == "link":
                self._link(child, scope, library)
            elif element.tag == "joint":
                self._joint(child, scope)
            elif element.tag == "frame" and library.version >= (1, 7):
                self._frame(child, scope)
            elif element.tag == "model":
                self.model(child, scope, library, prefixed=element is not self.robot)
            elif element.tag == "include":
                self.include(child, scope, library, prefixed=element is not self.robot)

    def include(self, node: Node, within: Scope, library: Library, prefixed: bool = True) -> Scope:
        """The model of another file."""
        self.watch.look(node)
        uri = text_in(node, "uri") or node.needed_child("uri").content()
        merge = truth(node, attribute(node, "merge") or "false", "merge of <include>")
        pose = None if node.child("pose") is None else read_pose(node, self.watch)
        static = None if node.child("static") is None else truth_in(node, "static", False)
        said = Included(text_in(node, "name"), pose, static, text_in(node, "placement_frame"), merge)
        model, inner = library.model(uri, node)
        return self.model(model, within, inner, said, prefixed)

    def _link(self, node: Node, scope: Scope, library: Library) -> None:
        name = node.text("name")
        full = attribute(node, NAME) or scope.full(name)
        node = replace(node, owner=f"link '{full}'")
        frame = SdfFrame(full, node)
        if scope.static:
            frame.carrier = self.world
        scope.add(name, frame)
        self.frames.append((frame, read_pose(node, self.watch), scope, scope.model))
        self.links.append(FoundLink(node, frame, scope, library))

    def _joint(self, node: Node, scope: Scope) -> None:
        name = node.text("name")
        full = attribute(node, NAME) or scope.full(name)
        node = replace(node, owner=f"joint '{full}'")
        self.watch.look(node)
        frame = SdfFrame(full, node)
        scope.add(name, frame)
        self.frames.append((frame, read_pose(node, self.watch), scope, None))
        self.attached.append((frame, node.needed_child("child").content(), scope))
        self.joints.append(FoundJoint(node, frame, scope))

    def _frame(self, node: Node, scope: Scope) -> None:
        name = node.text("name")
        node = replace(node, owner=f"frame '{scope.full(name)}'")
        self.watch.look(node)
        frame = SdfFrame(scope.full(name), node)
        scope.add(name, frame)
        self.frames.append((frame, read_pose(node, self.watch), scope, None))
        self.attached.append((frame, attribute(node, "attached_to") or (MODEL if scope.model is not self.world else
                                                                        WORLD), scope))

    # Resolving

    def resolve(self) -> None:
        """Say for every frame in which other it is given and what it moves with, now that all names are known."""
        for frame, name, scope in self.attached:
            frame.carrier = scope.find(name, frame.node, "child" if frame.node.tag == "joint" else "attached_to")
        for scope, name, node in self.canonical:
            if name:
                scope.model.carrier = scope.find(name, node, "canonical_link")
            if scope.static:
                scope.model.carrier = self.world
        for frame, pose, scope, around in self.frames:
            default = around or frame.carrier
            frame.pose = pose.pose
            frame.above = (
                scope.find(pose.relative_to, pose.node or frame.node, "relative_to") if pose.relative_to else default
            )
        for scope, name in self.models:
            if name:
                scope.model.placed = scope.find(name, scope.model.node, "placement_frame")
        refuse_circles([frame for frame, *_ in self.frames])
