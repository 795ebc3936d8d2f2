"""A URDF with nothing in it but links, inertias and joints: what every peer reads without meshes or plugins."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

_KEPT = {"link": ("inertial",), "joint": ("parent", "child", "origin", "axis", "limit")}


def bare_urdf(path: Path, *, before: str = "") -> str:
    """The text of the file without shapes, friction, mimicry, transmissions and extensions; `before` goes first.

    Files that are read are those of an installed package, not of strangers.
    """
    root = ET.fromstring(path.read_text())
    bare = ET.Element("robot", name=root.get("name", "robot"))
    if before:
        bare.append(ET.fromstring(before))
    for tag, kept in _KEPT.items():
        for element in root.findall(tag):
            copy = ET.SubElement(bare, tag, dict(element.attrib))
            copy.extend(child for child in element if child.tag in kept)
    return ET.tostring(bare, encoding="unicode")
