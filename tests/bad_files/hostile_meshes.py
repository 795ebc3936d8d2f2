"""Meshes that are broken or were made to break their reader: made here, as nobody can read them in a diff."""

from __future__ import annotations

import base64
import functools
import json
import struct
import zlib
from collections.abc import Callable
from typing import Any


def _gltf(**changes: Any) -> bytes:
    """A triangle as glTF, with parts of its own."""
    data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0) + struct.pack("<3H", 0, 1, 2)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    model: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"uri": uri, "byteLength": len(data)}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
    }
    return json.dumps({**model, **changes}).encode()


def _accessors(**changes: Any) -> list[dict[str, Any]]:
    return [
        {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", **changes},
        {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
    ]


def _picture(side: int) -> str:
    """A PNG of so many pixels along a side, all of them zero."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    rows = b"".join([packer.compress(b"\x00" * (side // 8 + 1)) for _ in range(side)] + [packer.flush()])
    data = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))
    return "data:image/png;base64," + base64.b64encode(data + part(b"IDAT", rows) + part(b"IEND", b"")).decode()


@functools.cache
def _pictured() -> dict[str, Any]:
    return {
        "images": [{"uri": _picture(30_000)}],
        "textures": [{"source": 0}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 0}, "indices": 1, "material": 0}]}],
    }


_STL = b"\x00" * 80
_DAE = (
    b'<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
    b'<asset/><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="%d">0 0 0 1 0 0 0 1 '
    b'0</float_array><technique_common><accessor source="#a" count="3" stride="3"><param name="X" type="float"/>'
    b'<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>'
    b'<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1"><input '
    b'semantic="VERTEX" source="#v" offset="0"/><p>%s</p></triangles></mesh></geometry></library_geometries>'
    b'<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node></visual_scene>'
    b'</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>'
)
_PLY = "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nelement face {}\n"
_PLY_FACE = "property list uchar int vertex_indices\nend_header\n"
_OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"

MESHES: dict[str, Callable[[], bytes]] = {
    "empty.stl": bytes,
    "count_beyond_the_file.stl": lambda: _STL + struct.pack("<I", 2**32 - 1) + b"\x00" * 50,
    "count_of_none.stl": lambda: _STL + struct.pack("<I", 0),
    "cut_short.stl": lambda: _STL + struct.pack("<I", 2) + b"\x00" * 60,
    "nan.stl": lambda: _STL + struct.pack("<I", 1) + struct.pack("<12f", *[float("nan")] * 12) + b"\x00\x00",
    "words.stl": lambda: b"solid a\nfacet normal 0 0 1\nouter loop\nvertex a b c\nendloop\nendfacet\nendsolid",
    "corner_that_is_not_there.obj": lambda: _OBJ + b"f 1 2 99999999\n",
    "corner_before_the_first.obj": lambda: _OBJ + b"f -1 -2 -99\n",
    "huge_numbers.obj": lambda: b"v 1e400 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "no_faces.obj": lambda: _OBJ,
    "not_text.obj": lambda: bytes(range(256)) * 20,
    "count_of_terabytes.ply": lambda: (_PLY.format("binary_little_endian", 10**12, 10**9) + _PLY_FACE).encode() + b"0",
    "count_below_zero.ply": lambda: (_PLY.format("binary_little_endian", -5, -5) + _PLY_FACE).encode() + b"\x00" * 99,
    "unknown_type.ply": lambda: (_PLY.format("ascii", 3, 1) + _PLY_FACE).replace("float", "object").encode(),
    "count_of_terabytes.off": lambda: b"OFF\n99999999999 99999999999 0\n0 0 0\n",
    "corner_that_is_not_there.off": lambda: b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 77\n",
    "entity.dae": lambda: b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + _DAE % (9, b"&a;"),
    "laughs.dae": lambda: b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + _DAE % (9, b"&b;"),
    "corner_that_is_not_there.dae": lambda: _DAE % (9, b"0 1 900000000"),
    "corner_below_zero.dae": lambda: _DAE % (9, b"0 1 -900000000"),
    "deep.dae": lambda: _DAE.replace(b"<node>", b"<node>" * 20_000).replace(b"</node>", b"</node>" * 20_000)
    % (9, b"0 1 2"),
    "no_json.gltf": lambda: b"{",
    "deep.gltf": lambda: b'{"asset": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "count_of_terabytes.gltf": lambda: _gltf(accessors=_accessors(count=10**12)),
    "count_below_zero.gltf": lambda: _gltf(accessors=_accessors(count=-3)),
    "zeros_of_terabytes.gltf": lambda: _gltf(accessors=[{"componentType": 5126, "count": 10**12, "type": "VEC3"},
                                                        _accessors()[1]]),
    "view_outside.gltf": lambda: _gltf(accessors=_accessors(byteOffset=10**9)),
    "no_such_view.gltf": lambda: _gltf(accessors=_accessors(bufferView=77)),
    "buffer_elsewhere.gltf": lambda: _gltf(buffers=[{"uri": "../../../../../../etc/passwd", "byteLength": 42}]),
    "buffer_at_an_address.gltf": lambda: _gltf(buffers=[{"uri": "http://127.0.0.1:9/x.bin", "byteLength": 42}]),
    "buffer_of_a_pipe.gltf": lambda: _gltf(buffers=[{"uri": "pipe.bin", "byteLength": 42}]),
    "length_that_lies.glb": lambda: struct.pack("<4sII", b"glTF", 2, 2**32 - 1)
    + struct.pack("<I4s", 2**32 - 1, b"JSON"),
    "cut_short.glb": lambda: b"glTF\x02\x00",
}
"""Meshes that are refused."""
HARMLESS: dict[str, Callable[[], bytes]] = {
    "plain.gltf": _gltf,
    "circle_of_nodes.gltf": lambda: _gltf(nodes=[{"mesh": 0, "children": [1]}, {"children": [0]}]),
    "lists_of_terabytes.ply": lambda: (_PLY.format("ascii", 3, 1) + _PLY_FACE).encode()
    + b"0 0 0\n1 0 0\n0 1 0\n2000000000 0 1 2\n",
    "large_picture.gltf": lambda: _gltf(**_pictured()),
    "material_elsewhere.obj": lambda: b"mtllib ../../../../../../etc/passwd\nusemtl a\n" + _OBJ + b"f 1 2 3\n",
    "material_of_a_pipe.obj": lambda: b"mtllib pipe.mtl\nusemtl a\n" + _OBJ + b"f 1 2 3\n",
    "plain.dae": lambda: _DAE % (9, b"0 1 2"),
    "count_of_terabytes.dae": lambda: _DAE % (10**12, b"0 1 2"),
}
"""Meshes whose triangle is read, though what they name is not."""
