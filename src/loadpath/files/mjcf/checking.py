"""An MJCF file is read with the library's own reader of XML, with all that it includes, and looked over before MuJoCo
sees it: entities, files that never end or lie elsewhere, circles of includes, deformable bodies, and numbers that would
fill the memory are refused.

What MuJoCo gets is written anew from what was looked over (`texts`), each element in its line: so nothing in it was
read in another way here. Files that a model names are known to MuJoCo by names of ours, and sent with it: it
opens none.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from loadpath.cached import cached_property
from loadpath.errors import ModelError
from loadpath.files.assets import LARGEST_FILE, Assets
from loadpath.files.xml_reading import MOST_ELEMENTS, XmlElement, read_xml

MOST_FILES = 500
"""XML files that one model may be put together from."""
DEEPEST_INCLUDES = 50
"""Files that include one another in a row."""
MOST_COPIES = 10_000
"""Elements that <replicate>, <composite> and <attach> may make, all together: MuJoCo takes seconds for them."""
MOST_POINTS = 4_000_000
"""Points of a height field."""
MOST_PARTS = 200
"""Parts of a generated mesh along a direction."""
SHORTEST_QUATERNION, LONGEST_QUATERNION = 1e-14, 1e150
MOST_NUMBERS = 100_000
"""Numbers of a custom field, states of an actuator, values of a sensor."""
_TEXTS = {("include", "file"), ("model", "file")}
"""Attributes that name further XML."""
_MESHES = {("mesh", "file")}
"""Attributes that name meshes, of which only those are read that an inertia needs."""
_UNOPENED = {("hfield", "file"), ("skin", "file"), *(("texture", f"file{side}") for side in
             ("", "right", "left", "up", "down", "front", "back"))}
"""Attributes that name files that nobody here opens."""
_ENDINGS = (".xml", ".mjcf")
_COUNTS = {("numeric", "size"), ("user", "dim"), ("general", "actdim"), ("general", "nsample"), ("plugin", "actdim")}
"""Attributes that say how much memory is needed."""
MOST_SLOTS = 1_000_000
"""Entries of a <size>."""
_DATA_ONLY = ("memory", "njmax", "nconmax", "nstack")
"""Sizes of memory for simulation, which is never made here."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


@dataclass
class CheckedFiles:
    """The XML files of a model."""

    root: XmlElement
    source: str
    others: dict[str, XmlElement] = field(default_factory=dict)
    """Included files and attached models, by their paths (or names in the archive)."""

    @cached_property
    def aliases(self) -> dict[str, str]:
        """How MuJoCo knows these files."""
        return {name: f"file{number}.xml" for number, name in enumerate(self.others)}

    @cached_property
    def references(self) -> dict[int, str]:
        """By the identity of an element that names a further file: which one."""
        return {}

    def texts(self) -> tuple[str, dict[str, str]]:
        """What MuJoCo reads: the text of the model, and of the files that it names."""
        names = {element: self.aliases[name] for element, name in self.references.items()}
        return _text(self.root, names), {self.aliases[name]: _text(tree, names) for name, tree in self.others.items()}


def check_mjcf(text: str | bytes, source: str, assets: Assets) -> CheckedFiles:
    """The XML of an MJCF file and of all that it includes, or an error that names file and line.

    >>> check_mjcf("<mujoco><worldbody/></mujoco>", "arm.xml", Assets()).root.tag
    'mujoco'
    >>> check_mjcf("<robot name='arm'/>", "arm.xml", Assets())
    Traceback (most recent call last):
    loadpath.errors.ModelError: arm.xml: the root element is <robot> (this is URDF): expected <mujoco>
    """
    data = text.encode() if isinstance(text, str) else text
    if len(data) > LARGEST_FILE:
        raise ModelError(f"{source}: the file is larger than {LARGEST_FILE >> 20} MiB, which no robot needs")
    root = read_xml(text, source)
    if root.tag not in ("mujoco", "mujocoinclude"):
        others = {"robot": " (this is URDF)", "sdf": " (this is SDF)"}
        raise ModelError(f"{source}: the root element is <{root.tag}>{others.get(root.tag, '')}: expected <mujoco>")
    checked = CheckedFiles(root, source)
    elements = 0
    waiting: list[tuple[XmlElement, str, str]] = [(root, source, "")]
    while waiting:
        tree, name, folder = waiting.pop()
        elements += sum(1 for _ in tree.everything())
        if elements > MOST_ELEMENTS:
            raise ModelError(f"{source}: its files have more than {MOST_ELEMENTS:,} elements, which no robot needs")
        for element in tree.everything():
            place = f"{name}, line {element.line}"
            _check_element(element, place)
            for written in _names_of_texts(element, place):
                found = _located(element, written, folder, assets, place)
                checked.references[id(element)] = found
                if found not in checked.others:
                    checked.others[found] = read_xml(assets.text_at(found, LARGEST_FILE), found)
                    inner = posixpath.join(folder, posixpath.dirname(written))
                    waiting.append((checked.others[found], found, inner))
                if len(checked.others) > MOST_FILES:
                    raise _too_many_files(source)
    _Sizes(checked).check()
    return checked


def _too_many_files(source: str) -> ModelError:
    return ModelError(f"{source}: it is put together from more than {MOST_FILES} files, which no robot needs")


# Files that are named


def _names_of_texts(element: XmlElement, place: str) -> Iterator[str]:
    for attribute, written in element.attributes.items():
        if (element.tag, attribute) in _TEXTS:
            yield written
        elif attribute.startswith("file") and (element.tag, attribute) not in _MESHES | _UNOPENED:
            raise ModelError(f"{place}: <{element.tag} {attribute}='{written}'>: no <{element.tag}> that is kept has a "
                             "file: take it out")


def _located(element: XmlElement, written: str, folder: str, assets: Assets, place: str) -> str:
    """MuJoCo looks from the folder of the main file; some of its versions from that of the including one."""
    what = f"{place}: <{element.tag} file='{written}'>"
    if not written.lower().endswith(_ENDINGS):
        raise ModelError(f"{what}: expected a file that ends in {' or '.join(_ENDINGS)}")
    try:
        found = assets.text_file(written) or (assets.text_file(posixpath.join(folder, written)) if folder else None)
    except ModelError as problem:
        raise ModelError(f"{what}: {problem}") from None
    if found is None:
        alone = not (assets.folder or assets.members)
        hint = ": a text alone includes no files, load it from its file" if alone else ""
        raise ModelError(f"{what}: there is no such file{hint}")
    return found


# Numbers that stand for more than a robot can have


def _check_element(element: XmlElement, place: str) -> None:
    given = element.attributes
    if element.tag in ("flexcomp", "flex"):
        name = f" '{given['name']}'" if "name" in given else ""
        raise ModelError(f"{place}: <{element.tag}>{name} is a deformable body: only rigid links can be kept")
    for attribute in given:
        if (element.tag, attribute) in _COUNTS:
            _at_most(MOST_NUMBERS, _whole(element, attribute, place), element, attribute, place)
        if element.tag == "size" and attribute not in _DATA_ONLY:
            _at_most(MOST_SLOTS, _whole(element, attribute, place), element, attribute, place)
        if attribute in ("quat", "refquat"):
            _check_quaternion(element, attribute, place)
    if element.tag == "hfield" and ("nrow" in given or "ncol" in given):
        points = _whole(element, "nrow", place) * _whole(element, "ncol", place)
        if points > MOST_POINTS:
            raise ModelError(f"{place}: <hfield nrow='{given.get('nrow', 1)}' ncol='{given.get('ncol', 1)}'>: more "
                             f"than {MOST_POINTS:,} points, which no robot needs")
    if element.tag == "mesh":
        for word in given.get("params", "").split():
            if not _NUMBER.fullmatch(word):
                raise ModelError(f"{place}: params of <mesh> are '{given['params'][:60]}': expected numbers")
            _at_most(MOST_PARTS, float(word), element, "params", place)


def _check_quaternion(element: XmlElement, attribute: str, place: str) -> None:
    """MuJoCo brings quaternions to length 1, unless their squares are too large or too small for that."""
    words = element.attributes[attribute].split()
    if len(words) != 4 or not all(_NUMBER.fullmatch(word) for word in words):
        return  # MuJoCo says what is wrong with it
    length = math.hypot(*map(float, words))
    if not SHORTEST_QUATERNION < length < LONGEST_QUATERNION:
        name = f" '{element.attributes['name']}'" if "name" in element.attributes else ""
        raise ModelError(f"{place}: {attribute} of <{element.tag}>{name} is {' '.join(words)[:80]}, of length "
                         f"{length:g}: expected a quaternion of about length 1")


def _at_most(most: int, value: float, element: XmlElement, attribute: str, place: str) -> None:
    if value > most:
        raise ModelError(f"{place}: {attribute} of <{element.tag}> is {element.attributes[attribute][:60]}: more than "
                         f"{most:,}, which no robot needs")


def _whole(element: XmlElement, attribute: str, place: str) -> int:
    """A whole number, in the one way in which MuJoCo reads it too: decimal digits, with or without a sign."""
    return _all_whole(element, attribute, place)[0]


def _all_whole(element: XmlElement, attribute: str, place: str) -> list[int]:
    words = element.attributes.get(attribute, "1").split()
    if not words or not all(_WHOLE.fullmatch(word) for word in words):
        raise ModelError(f"{place}: {attribute} of <{element.tag}> is '{element.attributes[attribute][:60]}': expected "
                         "a whole number of at most nine digits")
    return [int(word) for word in words]


class _Sizes:
    """How many elements a model has when all copies are made. Files may include others twice each, and models may be
    attached again and again: what one stands for is counted once.
    """

    def __init__(self, checked: CheckedFiles) -> None:
        self.checked = checked
        self.known: dict[str, tuple[int, int]] = {}
        self.open: list[str] = []

    def check(self) -> None:
        files, _ = self._of(self.checked.root, self.checked.source)
        if files > MOST_FILES:
            raise _too_many_files(self.checked.source)

    def _of_file(self, name: str, place: str) -> tuple[int, int]:
        if name in self.open:
            raise ModelError(f"{place}: '{name}' includes itself: {' -> '.join((*self.open, name))}")
        if len(self.open) == DEEPEST_INCLUDES:
            raise ModelError(f"{place}: '{name}' is in a row of more than {DEEPEST_INCLUDES} files that include one "
                             "another, which no robot needs")
        if name not in self.known:
            self.open.append(name)
            self.known[name] = self._of(self.checked.others[name], name)
            self.open.pop()
        return self.known[name]

    def _of(self, root: XmlElement, source: str) -> tuple[int, int]:
        """Files that are read for it, and elements that MuJoCo makes of it."""
        files = made = written = 0
        models = self._models(root, source)
        waiting = [(root, 1, root)]
        while waiting:
            element, copies, maker = waiting.pop()
            place = f"{source}, line {element.line}"
            maker = element if element.tag in ("replicate", "composite", "attach") else maker
            below = copies
            if element.tag == "replicate":
                below *= max(1, _whole(element, "count", place))
            if element.tag == "composite":
                copies = below = copies * math.prod(max(1, count) for count in _all_whole(element, "count", place))
            further = self.checked.references.get(id(element))
            inner_files, inner = self._of_file(further, place) if further is not None else (0, 0)
            files += inner_files + (further is not None)
            if element.tag == "attach":
                inner = models.get(element.attributes.get("model", ""), max(models.values(), default=0))
            made += copies * (1 + inner)
            written += 1 + (0 if element.tag == "attach" else inner)
            if max(made - written, below) > MOST_COPIES:
                number = f" count='{maker.attributes['count'][:60]}'" if "count" in maker.attributes else ""
                raise ModelError(f"{source}, line {maker.line}: <{maker.tag}{number}> makes more than {MOST_COPIES:,} "
                                 "copies of elements, which no robot needs")
            waiting += [(child, below, maker) for child in element.children]
        return files, made

    def _models(self, root: XmlElement, source: str) -> dict[str, int]:
        """Elements of models that may be attached, by name."""
        found: dict[str, int] = {}
        for element in root.everything():
            further = self.checked.references.get(id(element))
            if element.tag == "model" and further is not None:
                stem = posixpath.splitext(posixpath.basename(element.attributes["file"]))[0]
                _, size = self._of_file(further, f"{source}, line {element.line}")
                found[element.attributes.get("name", stem)] = size
        return found


# Written anew


def _text(root: XmlElement, names: dict[int, str]) -> str:
    """An element and all below it, each in the line where it was. Sizes are left out: they reserve memory."""
    parts: list[str] = []
    line = 1
    waiting: list[XmlElement | str] = [root]
    while waiting:
        element = waiting.pop()
        if isinstance(element, str):
            parts.append(element)
            continue
        if element.tag == "size":
            continue
        if element.line > line:
            parts.append("\n" * (element.line - line))
            line = element.line
        file = names.get(id(element))
        given = element.attributes if file is None else {**element.attributes, "file": file}
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in given.items())
        parts.append(f"<{element.tag}{attributes}{'>' if element.children else '/>'}")
        if element.children:
            waiting.append(f"</{element.tag}>")
            waiting += reversed(element.children)
    return "".join(parts)
