"""Every broken or hostile mesh is refused in the words of the corpus, or read without what it names elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import loadpath as lp
from bad_files.corpus import Case, cases, check_words
from bad_files.hostile_meshes import HARMLESS, MESHES
from bad_files.test_bad_files import described, message_of
from loadpath.robot.meshes import read_mesh

CASES = cases("meshes.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With pipes beside the mesh, which never answer."""
    if hasattr(os, "mkfifo"):
        for ending in ("bin", "mtl"):
            os.mkfifo(tmp_path / f"pipe.{ending}")
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=described)
def test_meshes(case: Case, folder: Path) -> None:
    file = folder / case.what
    file.write_bytes(MESHES[case.what]())
    message = message_of(case, lambda: lp.Inertia.from_mesh(file, density=1000))
    assert message.startswith(str(file))
    check_words(case, message)


def test_every_mesh_has_its_words() -> None:
    assert sorted(case.what for case in CASES) == sorted(MESHES)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_not_needed_is_not_opened(name: str, folder: Path) -> None:
    file = folder / name
    file.write_bytes(HARMLESS[name]())
    assert read_mesh(file).faces.tolist() == [[0, 1, 2]]


def test_a_buffer_beside_the_mesh_is_read_and_a_link_out_of_its_folder_is_not(tmp_path: Path) -> None:
    inner = tmp_path / "meshes"
    inner.mkdir()
    data = b"\x00" * 36 + b"\x00\x00\x01\x00\x02\x00"
    model = MESHES["buffer_elsewhere.gltf"]().replace(b"../../../../../../etc/passwd", b"part.bin")
    (inner / "a.gltf").write_bytes(model)
    (tmp_path / "part.bin").write_bytes(data)
    (inner / "part.bin").symlink_to(tmp_path / "part.bin")
    with pytest.raises(lp.ModelError, match=r"it names 'part\.bin', which is not beside it"):
        read_mesh(inner / "a.gltf")
    (inner / "part.bin").unlink()
    (inner / "part.bin").write_bytes(data)
    assert len(read_mesh(inner / "a.gltf").faces) == 1
