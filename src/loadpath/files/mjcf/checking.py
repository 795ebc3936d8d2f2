"""An MJCF file is looked over with the library's own reader of XML before MuJoCo sees it: entities, files that never
end, circles of includes and numbers that would fill the memory are refused.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loadpath.errors import ModelError
from loadpath.files.assets import Assets
from loadpath.files.bounded_reading import LARGEST_FILE, read_at_most
from loadpath.files.xml_reading import MOST_ELEMENTS, XmlElement, read_xml

MOST_FILES = 500
"""XML files that one model may be put together from."""
MOST_COPIES = 100_000
"""Copies that <replicate> may make, and bodies of a <composite>, all together."""
MOST_SLOTS = 1_000_000
"""Entries of a <size>, and parameters of a generated mesh."""
_DATA_ONLY = frozenset({"memory", "njmax", "nconmax", "nstack"})
"""Sizes of memory for simulation, which is never made here."""


@dataclass
class CheckedFiles:
    """The XML files of a model: what was read, and where."""

    root: XmlElement
    names: dict[str, bytes] = field(default_factory=dict)
    """Included files and attached models, by their paths (or names in the archive)."""


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
    checked = CheckedFiles(root)
    elements = files = 0
    waiting: list[tuple[XmlElement, str, str, tuple[str, ...]]] = [(root, source, "", ())]
    while waiting:
        element, name, folder, path = waiting.pop()
        elements += _check_numbers(element, name)
        if elements > MOST_ELEMENTS:
            raise ModelError(f"{source}: its files have more than {MOST_ELEMENTS:,} elements, which no robot needs")
        for inner, written in _files(element):
            found = _located(written, folder, assets)
            place = f"{name}, line {inner.line}"
            if found is None:
                hint = (
                    "" if assets.folder or assets.members else ": a text alone includes no files, load it from its file"
                )
                raise ModelError(f"{place}: <{inner.tag} file='{written}'>: there is no such file{hint}")
            if found in path:
                raise ModelError(
                    f"{place}: <{inner.tag} file='{written}'> includes itself: {' -> '.join((*path, found))}"
                )
            if inner.tag == "model" and posixpath.splitext(found)[1].lower() not in ("", ".xml", ".mjcf"):
                raise ModelError(f"{place}: the attached model '{written}' is no MJCF: convert it first")
            content = _content(found, assets, place)
            checked.names[found] = content
            files += 1  # also where one is included again: there may be as many as two to the depth
            if files > MOST_FILES:
                raise ModelError(
                    f"{source}: it is put together from more than {MOST_FILES} files, which no robot needs"
                )
            waiting.append((read_xml(content, found), found, posixpath.dirname(written), (*path, found)))
    return checked


def _files(root: XmlElement) -> Iterator[tuple[XmlElement, str]]:
    for element in root.everything():
        if element.tag in ("include", "model") and "file" in element.attributes:
            yield element, element.attributes["file"]


def _located(written: str, folder: str, assets: Assets) -> str | None:
    """MuJoCo looks from the folder of the main file; some of its versions from that of the including one."""
    return assets.locate(written) or (assets.locate(posixpath.join(folder, written)) if folder else None)


def _content(found: str, assets: Assets, place: str) -> bytes:
    content = assets.members[found] if assets.members else read_at_most(Path(found), LARGEST_FILE)
    if content is None or len(content) > LARGEST_FILE:
        raise ModelError(f"{place}: '{found}' is larger than {LARGEST_FILE >> 20} MiB, which no robot needs")
    return content


def _check_numbers(root: XmlElement, source: str) -> int:
    """The number of elements; refuses numbers that stand for more than a robot can have."""
    elements = 0
    copied = 0
    waiting = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        elements += 1
        copied += copies - 1
        place = f"{source}, line {element.line}"
        if element.tag == "replicate":
            copies *= max(1, _whole(element, "count", place))
        if element.tag in ("composite", "flexcomp"):
            counts = [int(word) for word in element.attributes.get("count", "").split() if word.isdecimal()]
            for count in counts:
                copies *= max(1, count)
            copied += copies
        if copied > MOST_COPIES or copies > MOST_COPIES:
            raise ModelError(f"{place}: <{element.tag}> makes more than {MOST_COPIES:,} copies, which no robot needs")
        if element.tag == "size":
            for name in element.attributes.keys() - _DATA_ONLY:
                _whole(element, name, place)
        if element.tag == "mesh":
            for word in element.attributes.get("params", "").split():
                if word.isdecimal() and int(word) > 1000:
                    raise ModelError(f"{place}: <mesh params='{element.attributes['params']}'>: over 1000 parts of "
                                     "a generated mesh, which no robot needs")  # fmt: skip
        waiting += [(child, copies) for child in element.children]
    return elements


def _whole(element: XmlElement, name: str, place: str) -> int:
    word = element.attributes.get(name, "").strip()
    if not word.isdecimal():
        return 0  # MuJoCo says what is wrong with it
    if len(word) > 9 or int(word) > MOST_SLOTS:
        raise ModelError(f"{place}: {name} of <{element.tag}> is {word[:20]}, which no robot needs")
    return int(word)
