"""URDF files: random robots of a grammar, real robots, and mutations of both, down to the bytes."""

from __future__ import annotations

import random
import warnings
from functools import cache

from hypothesis import strategies as st

from loadpath.api.robot import as_robot
from loadpath.errors import ModelError
from loadpath.files.urdf.reading import parse_urdf
from loadpath.files.urdf.words import VOCABULARY
from real_robots import REAL_ROBOTS, REFUSED

from .against_pinocchio import compared
from .hostile import NAMES, NUMBERS, sane, seeds
from .outcome import REFUSED as REFUSED_CASE
from .outcome import Fault, Outcome, Parser, Refusal, refusals
from .xml_trees import Tree, decorated, parsed, plain

_TYPES = ("revolute",) * 4 + ("continuous", "prismatic") * 2 + ("fixed", "floating", "planar")
_TAGS = (*VOCABULARY, "visual", "intertial", "Mass", "xacro:if", "gazebo", "x", "mujoco", "transmission")
_ATTRIBUTES = sorted(
    {name for word in VOCABULARY.values() for name in word.attributes} | {"x", "Name", "XYZ", "xmlns:a"}
)
_LARGEST_REAL = 140_000


# Random robots


def random_robot(rng: random.Random, links: int) -> Tree:
    """A robot that is sound, though its inertias may be suspicious."""
    names = [f"link{k}" for k in range(links)]
    body = [_link(rng, name) for name in names]
    joints: list[Tree] = []
    for k in range(1, links):
        parent = names[rng.randrange(k)] if rng.random() < 0.4 else names[k - 1]
        joints.append(_joint(rng, f"joint{k}", parent, names[k], joints))
    parts = body + joints
    if rng.random() < 0.3:
        rng.shuffle(parts)
    return Tree("robot", [("name", "r")], parts)


def _link(rng: random.Random, name: str) -> Tree:
    link = Tree("link", [("name", name)])
    if rng.random() < 0.9:
        a, b, c = (rng.uniform(0.01, 1) for _ in range(3))
        moments = {"ixx": b + c, "iyy": a + c, "izz": a + b, "ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
        if rng.random() < 0.4:
            moments |= {name: rng.uniform(-0.01, 0.01) for name in ("ixy", "ixz", "iyz")}
        parts = [
            Tree("mass", [("value", f"{rng.uniform(0.1, 10):.6g}")]),
            Tree("inertia", [(name, repr(value)) for name, value in moments.items()]),
        ]
        if rng.random() < 0.8:
            parts.append(_origin(rng))
        rng.shuffle(parts)
        link.children.append(Tree("inertial", [], parts))
    if rng.random() < 0.2:
        box = Tree("geometry", [], [Tree("box", [("size", "1 1 1")])])
        link.children.append(Tree(rng.choice(("visual", "collision")), [], [box]))
    return link


def _origin(rng: random.Random) -> Tree:
    attributes = [("xyz", " ".join(sane(rng) for _ in range(3)))] if rng.random() < 0.9 else []
    if rng.random() < 0.7:
        attributes.append(("rpy", " ".join(sane(rng, 3.0) for _ in range(3))))
    return Tree("origin", attributes)


def _joint(rng: random.Random, name: str, parent: str, child: str, earlier: list[Tree]) -> Tree:
    kind = rng.choice(_TYPES)
    parts = [Tree("parent", [("link", parent)]), Tree("child", [("link", child)])]
    if rng.random() < 0.8:
        parts.append(_origin(rng))
    if kind == "planar" and rng.random() < 0.7:
        parts.append(Tree("axis", [("xyz", "0 0 1")]))
    elif rng.random() < 0.85:
        axis = rng.choice(("1 0 0", "0 1 0", "0 0 1", "0 0 -1", " ".join(repr(rng.uniform(0.1, 1)) for _ in range(3))))
        parts.append(Tree("axis", [("xyz", axis)]))
    if kind in ("revolute", "prismatic") or rng.random() < 0.2:
        limit = [("lower", "-2"), ("upper", "2"), ("velocity", "3"), ("effort", sane(rng, 50).lstrip("-+"))]
        parts.append(Tree("limit", limit))
    if rng.random() < 0.3:
        parts.append(Tree("dynamics", [("damping", "0.3"), ("friction", "0.2")]))
    movable = [joint.get("name") for joint in earlier if joint.get("type") in ("revolute", "continuous", "prismatic")]
    if movable and kind in ("revolute", "continuous", "prismatic") and rng.random() < 0.15:
        followed = rng.choice(movable) or ""
        parts.append(Tree("mimic", [("joint", followed), ("multiplier", sane(rng)), ("offset", sane(rng))]))
    rng.shuffle(parts)
    return Tree("joint", [("name", name), ("type", kind)], parts)


@cache
def _real(name: str) -> Tree:
    return parsed(REAL_ROBOTS[name].read_bytes())


@cache
def real_names() -> list[str]:
    """The real robots that are not too large to be read many times."""
    readable = sorted(REAL_ROBOTS.keys() - REFUSED.keys())
    return [name for name in readable if REAL_ROBOTS[name].stat().st_size < _LARGEST_REAL]


# Mutations of the tree: each takes the tree, an element of it, and a source of random numbers


def _parent_of(tree: Tree, element: Tree) -> Tree | None:
    return next((other for other in tree.everything() if any(child is element for child in other.children)), None)


def _drop(tree: Tree, element: Tree, rng: random.Random) -> None:
    if parent := _parent_of(tree, element):
        parent.children = [child for child in parent.children if child is not element]


def _duplicate(tree: Tree, element: Tree, rng: random.Random) -> None:
    if parent := _parent_of(tree, element):
        parent.children.insert(rng.randrange(len(parent.children) + 1), element.copy())


def _swap(tree: Tree, element: Tree, rng: random.Random) -> None:
    other = rng.choice(tree.everything())
    element.attributes, other.attributes = other.attributes, element.attributes


def _shuffle(tree: Tree, element: Tree, rng: random.Random) -> None:
    rng.shuffle(element.children)


def _move(tree: Tree, element: Tree, rng: random.Random) -> None:
    target = rng.choice(tree.everything())
    if not any(part is target for part in element.everything()):
        _drop(tree, element, rng)
        target.children.append(element)


def _rename(tree: Tree, element: Tree, rng: random.Random) -> None:
    element.tag = rng.choice(_TAGS)


def _drop_attribute(tree: Tree, element: Tree, rng: random.Random) -> None:
    if element.attributes:
        del element.attributes[rng.randrange(len(element.attributes))]


def _double_attribute(tree: Tree, element: Tree, rng: random.Random) -> None:
    if element.attributes:
        element.attributes.append(rng.choice(element.attributes))


def _rename_attribute(tree: Tree, element: Tree, rng: random.Random) -> None:
    if element.attributes:
        k = rng.randrange(len(element.attributes))
        name, value = element.attributes[k]
        misspelt = rng.choice((rng.choice(_ATTRIBUTES), name[:-1] or "x", name.upper(), name + "s"))
        element.attributes[k] = (misspelt, value)


def _add_attribute(tree: Tree, element: Tree, rng: random.Random) -> None:
    element.attributes.append((rng.choice(_ATTRIBUTES), rng.choice(NUMBERS)))


def _hostile_number(tree: Tree, element: Tree, rng: random.Random) -> None:
    """One word of an attribute is replaced."""
    if element.attributes:
        k = rng.randrange(len(element.attributes))
        name, value = element.attributes[k]
        words = value.split() or [""]
        words[rng.randrange(len(words))] = rng.choice(NUMBERS)
        element.attributes[k] = (name, " ".join(words))


def _other_number(tree: Tree, element: Tree, rng: random.Random) -> None:
    """Another sound number: what is read, is to be read right."""
    if element.attributes:
        k = rng.randrange(len(element.attributes))
        name, value = element.attributes[k]
        words = value.split() or [""]
        words[rng.randrange(len(words))] = sane(rng, 10.0 ** rng.randint(-3, 3))
        element.attributes[k] = (name, " ".join(words))


ODD = (
    "1e-320", "5e-324", "1e-200", "1e-160", "1e14", "1e9", "-0", "-0.0", "+1", ".5", "1.", "1E-3", "-.25e+1", "1e-16",
    "0" * 500 + "1", "0.123456789012345678901234567890", "1" + "0" * 12, "1e-400", "0e999", "3.141592653589793",
)
"""Numbers that are sound, though seldom written."""


def _odd_number(tree: Tree, element: Tree, rng: random.Random) -> None:
    """One of several numbers of an origin, an axis, an inertia."""
    telling = [part for part in tree.everything() if part.tag in ("origin", "axis", "inertia", "mass", "mimic")]
    element = rng.choice(telling) if telling else element
    if element.attributes:
        k = rng.randrange(len(element.attributes))
        name, value = element.attributes[k]
        words = value.split() or [""]
        words[rng.randrange(len(words))] = rng.choice(ODD)
        element.attributes[k] = (name, " ".join(words))


def _white_space(tree: Tree, element: Tree, rng: random.Random) -> None:
    if element.attributes:
        k = rng.randrange(len(element.attributes))
        name, value = element.attributes[k]
        gap = rng.choice(("  ", "\t", "\n", "\u00a0", "\u2003", "\x0b", "\x85", ","))
        element.attributes[k] = (name, rng.choice((gap + value, value + gap, value.replace(" ", gap))))


def _hostile_name(tree: Tree, element: Tree, rng: random.Random) -> None:
    """A name is replaced wherever it stands."""
    names = [value for part in tree.children for key, value in part.attributes if key == "name"]
    if names:
        old, new = rng.choice(names), rng.choice((*NAMES, *names))
        for part in tree.everything():
            part.attributes = [(key, new if value == old else value) for key, value in part.attributes]


def _text(tree: Tree, element: Tree, rng: random.Random) -> None:
    element.text = rng.choice((*NUMBERS, "x" * 5000, "\u202e", "]]>"))


def _other_type(tree: Tree, element: Tree, rng: random.Random) -> None:
    joints = tree.all("joint")
    if joints:
        joint = rng.choice(joints)
        kind = rng.choice((*_TYPES, "Revolute", "screw", "", "ball"))
        joint.attributes = [(key, kind if key == "type" else value) for key, value in joint.attributes]


def _mimic(tree: Tree, element: Tree, rng: random.Random) -> None:
    joints = tree.all("joint")
    if joints:
        followed = rng.choice(joints).get("name") or ""
        rng.choice(joints).children.append(Tree("mimic", [("joint", followed), ("multiplier", sane(rng, 2.0))]))


def _quaternion(tree: Tree, element: Tree, rng: random.Random) -> None:
    origins = [part for part in tree.everything() if part.tag == "origin"]
    if origins:
        origin = rng.choice(origins)
        kept = [(key, value) for key, value in origin.attributes if key != "rpy"]
        origin.attributes = [*kept, ("quat_xyzw", " ".join(sane(rng) for _ in range(4)))]


def _nest(tree: Tree, element: Tree, rng: random.Random) -> None:
    inner = element
    for _ in range(rng.choice((3, 20, 80))):
        inner.children.append(Tree("x"))
        inner = inner.children[-1]


GENTLE = (_other_number, _odd_number, _white_space, _hostile_number, _quaternion, _mimic, _other_type, _shuffle)
ROUGH = (
    _drop, _duplicate, _swap, _shuffle, _move, _rename, _drop_attribute, _double_attribute, _rename_attribute,
    _add_attribute, _hostile_number, _hostile_name, _text, _nest,
)


# Mutations of the bytes


def _as_bytes(text: str, rng: random.Random) -> bytes:
    encoding = rng.choice(("utf-8",) * 6 + ("utf-8-sig", "utf-16", "utf-16-le", "latin-1", "ascii", "utf-32", "cp037"))
    declared = rng.choice((None, None, "UTF-8", encoding, "ISO-8859-1", "utf-16", "nonsense"))
    version = rng.choice(("1.0", "1.0", "1.0", "1.1", "2"))
    start = "" if declared is None else f'<?xml version="{version}" encoding="{declared}"?>'
    return (start + text).encode(encoding, "replace")


_DEFINITIONS = b'<!DOCTYPE robot [<!ENTITY a "1"><!ENTITY b "&a;&a;">]>'
_BEFORE = (b"\x1f\x8b\x08", b"PK\x03\x04", b"\x00", b"<?xml?>", b" ", b"<!DOCTYPE robot SYSTEM 'a'>")
_AFTER = (b"<robot/>", b"\x00", b"text", b"<!-- -- -->", b"\xff\xfe", b"</robot>")


def broken(data: bytes, rng: random.Random) -> bytes:
    """The file cut, repeated, with entities, nested deeply, with a long text, or with something before or after it."""
    k, m = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    depth, end = rng.choice((10, 3000, 60_000)), b"</robot>"
    ways = (
        lambda: data[:k],
        lambda: data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :],
        lambda: data[:k] + data[m:],
        lambda: data[:m] + data[k:m] + data[m:],
        lambda: _DEFINITIONS + data.replace(b'"1"', b'"&b;"'),
        lambda: data + rng.choice(_AFTER),
        lambda: data.replace(end, b"<gazebo>" * depth + b"</gazebo>" * depth + end),
        lambda: data.replace(end, b"<gazebo>" + b"text " * 100_000 + b"</gazebo>" + end),
        lambda: rng.choice(_BEFORE) + data,
    )
    return rng.choice(ways)()


@st.composite
def cases(draw: st.DrawFn) -> dict[str, object]:
    """A file, and whether the robot is also to be compiled."""
    rng = random.Random(draw(seeds))
    links = draw(st.sampled_from((2, 3, 4, 3, 5, 6, 4, 2, 8, 1)))
    if draw(st.integers(0, 5)) == 5:
        tree = _real(draw(st.sampled_from(real_names()))).copy()
    else:
        tree = random_robot(rng, links)
    moves = GENTLE if draw(st.booleans()) else GENTLE + ROUGH
    for move in draw(st.lists(st.sampled_from(moves), max_size=4)):
        elements = tree.everything()
        move(tree, elements[draw(st.integers(0, 10_000)) % len(elements)], rng)
    style = draw(st.integers(0, 3))
    text = plain(tree) if style < 2 else decorated(tree, rng)
    rough = draw(st.integers(0, 7))
    data = text.encode("utf-8", "replace") if rough < 6 else _as_bytes(text, rng)
    if rough == 7:
        data = broken(data, rng)
    return {"data": data, "compiled": draw(st.integers(0, 15)) == 15}


def check(case: dict[str, object]) -> Outcome:
    """Refused in our words, or a robot that agrees with Pinocchio's reading of the same file."""
    data = case["data"]
    assert isinstance(data, bytes)
    try:
        with refusals(ModelError, names="case.urdf"), warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            robot = parse_urdf(data, source="case.urdf")
    except Refusal:
        return REFUSED_CASE
    outcome = compared(data, robot, as_robot(robot) if case["compiled"] and robot.n <= 5 else None)
    if outcome.difference > 1e-9:
        raise Fault(f"differs from Pinocchio by {outcome.difference:.2e}")
    return outcome


urdf = Parser("URDF", cases(), check, weight=5.0)
