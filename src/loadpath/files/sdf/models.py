"""The links and joints of a model, of the models in it and of those it includes, each with its frame."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from loadpath.files.sdf.frames import MODEL, SEPARATOR, WORLD, Frame, Scope, refuse_circles
from loadpath.files.sdf.including import Included, Library
from loadpath.files.sdf.naming import NAME
from loadpath.files.sdf.values import WrittenPose, attribute, read_pose, text_in, truth, truth_in
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.files.xml_reading import XmlElement


@dataclass(frozen=True)
class FoundLink:
    """A `<link>` with its frame, in the scope of its model."""

    node: Node
    frame: Frame
    scope: Scope
    library: Library


@dataclass(frozen=True)
class FoundJoint:
    """A `<joint>` with its frame, in the scope of its model."""

    node: Node
    frame: Frame
    scope: Scope


@dataclass
class Found:
    """All links and joints of a file, in its order."""

    watch: Watch
    world: Frame
    links: list[FoundLink] = field(default_factory=list)
    joints: list[FoundJoint] = field(default_factory=list)
    frames: list[tuple[Frame, WrittenPose, Scope, Frame | None]] = field(default_factory=list)
    """Frames whose poses are still to be resolved, with the scope to look in and the frame they are in by default; None
    for joints: that is the frame of the child."""
    attached: list[tuple[Frame, str, Scope]] = field(default_factory=list)
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
        frame = Frame(attribute(node, NAME) or within.full(name), node)
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
        frame = Frame(full, node)
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
        frame = Frame(full, node)
        scope.add(name, frame)
        self.frames.append((frame, read_pose(node, self.watch), scope, None))
        self.attached.append((frame, node.needed_child("child").content(), scope))
        self.joints.append(FoundJoint(node, frame, scope))

    def _frame(self, node: Node, scope: Scope) -> None:
        name = node.text("name")
        node = replace(node, owner=f"frame '{scope.full(name)}'")
        self.watch.look(node)
        frame = Frame(scope.full(name), node)
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
