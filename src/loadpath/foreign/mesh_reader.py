"""Triangles of a mesh file, by trimesh; runs in a process of its own."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import trimesh

from loadpath.errors import ModelError
from loadpath.foreign.messages import Message

_GREY = np.array([0.6, 0.6, 0.6, 1.0])


class _Asking(trimesh.resolvers.Resolver):  # type: ignore[misc]
    """Files that a mesh names (its buffers, its materials), which the caller may send."""

    def __init__(self, ask: Callable[[dict[str, Any]], Message]) -> None:
        self.ask = ask

    def get(self, key: str) -> bytes:
        sent = self.ask({"file": str(key)}).arrays.get("content")
        if sent is None:
            raise FileNotFoundError(f"it names '{key}', which is not beside it")
        return sent.tobytes()

    def write(self, name: str, data: Any) -> None:
        raise PermissionError(name)

    def namespaced(self, namespace: str) -> _Asking:
        return self

    def keys(self) -> tuple[str, ...]:
        return ()


def run(request: Message, ask: Callable[[dict[str, Any]], Message]) -> Message:
    """The triangles of a mesh of a known kind, as arrays; none where it has no surface."""
    kind = str(request.fields["ending"]).removeprefix(".")
    content = request.arrays["content"].tobytes()
    try:
        if kind == "gltf":
            json.loads(content)  # trimesh would look for a file elsewhere where it is none
        scene = trimesh.load_scene(io.BytesIO(content), file_type=kind, resolver=_Asking(ask), process=False)
        return Message(arrays=_one(scene.dump(concatenate=False)))
    except ImportError as problem:
        raise ImportError(f"reading a mesh of the kind {kind.upper()} needs {problem.name}: "
                          "pip install 'loadpath[meshes]'") from problem
    except MemoryError:
        raise
    except Exception as problem:  # whatever a parser of a broken file may raise
        why = (str(problem) or type(problem).__name__)[:200]
        raise ModelError(f"the mesh cannot be read as {kind.upper()}: {why}; export it anew") from None


def _one(parts: list[Any]) -> dict[str, Any]:
    """All surfaces of a scene as one, with what is no surface left out (points, lines, cameras)."""
    surfaces = [part for part in parts if len(getattr(part, "faces", ())) and len(part.vertices)]
    if not surfaces:
        return {}
    vertices, faces, colors, count = [], [], [], 0
    for part in surfaces:
        vertices.append(np.asarray(part.vertices, dtype="<f8") * _metres(part))
        faces.append(np.asarray(part.faces, dtype="<i8") + count)
        colors.append(_colors(part))
        count += len(part.vertices)
    found = {"vertices": np.concatenate(vertices), "faces": np.concatenate(faces)}
    if any(color is not None for color in colors):
        found["colors"] = np.concatenate([
            np.broadcast_to(_GREY, (len(face), 4)) if color is None else color
            for color, face in zip(colors, faces, strict=True)
        ])
    return found


def _metres(part: Any) -> float:
    """The unit of length of a DAE (trimesh writes it as "0.01 * meters")."""
    written = str(part.metadata.get("units") or part.units or "meters")
    factor, star, _ = written.partition("*")
    return float(factor) if star else 1.0


def _colors(part: Any) -> Any:
    """Of each face, where the file has any; of a texture, its material's color."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == "texture":
        color = np.asarray(visual.material.main_color, dtype="<f8").reshape(-1)
        color = np.concatenate([color, [255.0]])[:4]
        return np.broadcast_to(color / 255, (len(part.faces), 4))
    return np.asarray(visual.face_colors, dtype="<f8") / 255
