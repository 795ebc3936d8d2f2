"""A `<link>` of SDF as a Link. What it does not say has SDF's defaults, which are not zero: 1 kg and 1 kg m^2."""

from __future__ import annotations

from loadpath.files.sdf.auto_inertia import inertia_of_collisions
from loadpath.files.sdf.models import FoundLink
from loadpath.files.sdf.shapes import ShapeReader
from loadpath.files.sdf.values import attribute, number_in, read_pose, truth, truth_in
from loadpath.files.urdf_places import placed
from loadpath.files.vocabulary import Watch
from loadpath.files.xml_node import Node
from loadpath.robot.inertia import Inertia
from loadpath.robot.parts import Link

_MOMENTS = {"ixx": 1.0, "iyy": 1.0, "izz": 1.0, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}


def read_link(found: FoundLink, watch: Watch, shapes: ShapeReader) -> Link:
    """A link with its inertia and shapes."""
    node = found.node
    watch.look(node)
    if truth_in(node, "kinematic", False):
        node.fail("<kinematic> is true: it would move as told, whatever the forces; take it out")
    _note_decay(node, watch)
    inertial = node.child("inertial")
    inertia = _default(node, watch) if inertial is None else _inertia(inertial, found, watch)
    return Link(found.frame.name, inertia, shapes.of(found))


def has_weight(node: Node) -> bool:
    """Whether gravity acts on a link."""
    return truth_in(node, "gravity", True)


def _default(node: Node, watch: Watch) -> Inertia:
    watch.note(f"{node.owner}: no <inertial>, which SDF takes for 1 kg with moments of 1 kg m^2")
    return Inertia.from_moments(1.0, ixx=1.0, iyy=1.0, izz=1.0)


def _inertia(node: Node, found: FoundLink, watch: Watch) -> Inertia:
    watch.look(node)
    if node.child("fluid_added_mass") is not None:
        node.needed_child("fluid_added_mass").fail("<fluid_added_mass> changes the dynamics of the link and is not "
                                                   "known here: take it out to load the robot in air")
    if truth(node, attribute(node, "auto") or "false", "auto of <inertial>"):
        return inertia_of_collisions(node, found, watch)
    written = read_pose(node, watch)
    if written.relative_to:
        node.fail(f"<pose> of <inertial> has relative_to='{written.relative_to}': it is given in the frame of its "
                  "link, always")
    mass, tensor = node.child("mass"), node.child("inertia")
    if mass is None or tensor is None:
        missing, taken = ("mass", "1 kg") if mass is None else ("inertia", "moments of 1 kg m^2")
        watch.note(f"{node.owner}: <inertial> without <{missing}>, which SDF takes for {taken}")
    if tensor is not None:
        watch.look(tensor)
    moments = {tag: default if tensor is None else number_in(tensor, tag, default)
               for tag, default in _MOMENTS.items()}
    absent = [tag for tag in ("ixx", "iyy", "izz") if tensor is not None and tensor.child(tag) is None]
    if absent:
        watch.note(f"{node.owner}: <inertia> without {', '.join(absent)}, which SDF takes for 1 kg m^2")
    with placed(mass or node):
        in_own_axes = Inertia.from_moments(number_in(node, "mass", 1.0), **moments)
    with placed(node):
        return in_own_axes.seen_from(written.pose)


def _note_decay(node: Node, watch: Watch) -> None:
    decay = node.child("velocity_decay")
    if decay is None:
        return
    values = [number_in(decay, tag, 0.0) for tag in ("linear", "angular")]
    if any(values):
        watch.note(f"{node.owner}: <velocity_decay> is {values[0]:g} and {values[1]:g}: a simulator's means against "
                   "jitter, not used")
