"""The shapes of links as surfaces of one colour each: what the browser draws of boxes, cylinders and meshes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadpath.robot.drawn_shapes import DrawnShape, drawn_shapes
from loadpath.robot.model import RobotModel
from loadpath.robot.shapes import Color as Shade
from loadpath.scalars.types import Floats
from loadpath.viewer.colors import BODY, Color, rgb

LARGEST = 60_000
"""Triangles of a surface whose edges are looked at; larger ones are fine enough as they are."""


class Piece(NamedTuple):
    """A surface of one colour, in the frame of its link."""

    points: Floats
    triangles: NDArray[np.int64]
    color: Color
    opacity: float


def pieces_of(robot: RobotModel) -> tuple[dict[str, list[Piece]], list[str]]:
    """The visible shapes of every link that has any, and the links that have shapes none of which can be drawn.

    >>> import loadpath as lp
    >>> box = lp.BoxShape((0.4, 0.1, 0.1), color=(1, 0, 0))
    >>> found, missing = pieces_of(lp.Robot("box", (lp.Link("base", shapes=[box]),), ()))
    >>> found["base"][0].color, missing
    ((255, 0, 0), [])
    """
    # Shapes to be touched are often rough: they are drawn only of robots that have nothing else.
    seen = any(shape.purpose == "visual" for link in robot.links for shape in link.shapes)
    drawn = drawn_shapes(robot.links, "visual" if seen else None)
    found = {name: [piece for shape in shapes for piece in _pieces(shape)] for name, shapes in drawn.items()}
    without = [link.name for link in robot.links if link.shapes and not found[link.name]
               and (not seen or any(shape.purpose == "visual" for shape in link.shapes))]
    return {name: pieces for name, pieces in found.items() if pieces}, without


def _pieces(drawn: DrawnShape) -> Iterator[Piece]:
    surface = drawn.triangles
    if drawn.shape.color is not None or surface.colors is None:
        yield _piece(surface.vertices, surface.faces, drawn.shape.color)
        return
    shades, number = np.unique(np.round(surface.colors, 3), axis=0, return_inverse=True)
    for k, shade in enumerate(shades):
        r, g, b, opacity = (float(part) for part in shade)
        yield _piece(surface.vertices, surface.faces[number.reshape(-1) == k], (r, g, b, opacity))


def _piece(points: Floats, faces: NDArray[np.int64], shade: Shade | None) -> Piece:
    """A surface, with edges that are drawn sharp where it has them: corners of its own for each side of them."""
    import trimesh

    mesh = trimesh.Trimesh(points, faces, process=True)
    if len(faces) < LARGEST:
        mesh = mesh.smooth_shaded
    color, opacity = rgb(BODY), 1.0
    if shade is not None:
        r, g, b, opacity = shade
        color = round(255 * r), round(255 * g), round(255 * b)
    return Piece(np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64), color, opacity)
