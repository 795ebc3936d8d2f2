"""The shapes of links as triangles, for pictures: a mesh that is missing or broken is left out, with one warning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loadpath.errors import ModelError, warn
from loadpath.robot.parts import Link
from loadpath.robot.shapes import LinkShape, Purpose
from loadpath.robot.triangles import Triangles

NAMED = 3
"""Meshes that a warning names."""


class DrawnShape(NamedTuple):
    """A shape and its surface in the frame of its link."""

    shape: LinkShape
    triangles: Triangles


def drawn_shapes(links: Iterable[Link], purpose: Purpose | None = None) -> Mapping[str, tuple[DrawnShape, ...]]:
    """What can be drawn of each link, by its name: the shapes of that purpose; without one, those to be seen, and of a
    link without any those to be touched. A mesh that cannot be read is left out, and one warning names what is missing.

    >>> import loadpath as lp
    >>> arm = lp.Link("arm", shapes=[lp.BoxShape((0.4, 0.1, 0.1)), lp.MeshShape("nowhere.stl")])
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     [len(drawn.triangles.faces) for drawn in drawn_shapes([arm])["arm"]]
    [12]
    """
    found: dict[str, tuple[DrawnShape, ...]] = {}
    missing: dict[str, str] = {}
    for link in links:
        drawn = []
        for shape in shapes_for(link, purpose or "visual", or_others=purpose is None):
            try:
                drawn.append(DrawnShape(shape, shape.triangles()))
            except ModelError as problem:
                missing.setdefault(str(problem), link.name)
            except ImportError as problem:
                missing.setdefault(str(problem), link.name)
        found[link.name] = tuple(drawn)
    if missing:
        sentences = [f"link '{link}': {problem}" for problem, link in missing.items()]
        more = f"; and {len(sentences) - NAMED} more" if len(sentences) > NAMED else ""
        warn(f"drawn without {len(sentences)} of the meshes: {'; '.join(sentences[:NAMED])}{more}")
    return found


def shapes_for(link: Link, purpose: Purpose, or_others: bool = True) -> tuple[LinkShape, ...]:
    """The shapes of a link for a purpose; of a link that has none, if wanted, the others."""
    fitting = tuple(shape for shape in link.shapes if shape.purpose == purpose)
    return fitting or (link.shapes if or_others else ())
