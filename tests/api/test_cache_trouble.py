"""Whatever is wrong with the cache on disk costs speed, never correctness."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import loadpath as lp
from loadpath.engine import better, cache, kernels
from loadpath.errors import CacheWarning
from loadpath.scalars import IDENTITY, array, scale, zeros

G = 9.81


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """No kernel is kept in memory, so that the disk is asked each time; and nothing of other tests is optimised, which
    would be kept in the folder of the moment.
    """
    assert better.settle()
    monkeypatch.setattr(kernels, "_kept", type(kernels._kept)())


def check(length: float = 0.345) -> None:
    """A new robot each time computes what it should."""
    found = lp.catalog.planar(1, length=length).gravity_forces([0.0])
    assert found[0] == pytest.approx(G * length / 2, rel=1e-14)
    kernels._kept.clear()


ENTRIES = 2
"""Files of one kernel: its code, and the quick key that leads to it."""


def use(monkeypatch: pytest.MonkeyPatch, place: Path | str) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(place))


def test_code_is_kept_and_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path)
    check()
    stamps = {path: path.stat().st_ino for path in tmp_path.glob("*.o")}
    assert len(stamps) == ENTRIES
    monkeypatch.setattr(lp.Robot.gravity_forces, "equations", lambda *_: pytest.fail("compiled again"))
    check()
    assert {path: path.stat().st_ino for path in tmp_path.glob("*.o")} == stamps


def test_robots_that_differ_do_not_take_each_others_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path)
    for length in (0.3, 0.4, 0.3, 0.4):
        check(length)
    assert len(list(tmp_path.glob("*.o"))) == 2 * ENTRIES


def test_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    for off in ("", "off", "OFF"):
        use(monkeypatch, off)
        check()


def test_the_cache_is_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    use(monkeypatch, tmp_path / "file")
    check()
    assert (tmp_path / "file").read_text() == "not a folder"


def test_the_cache_is_inside_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    use(monkeypatch, tmp_path / "file" / "cache")
    check()


def test_the_cache_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    use(monkeypatch, folder)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)  # root may write anywhere
    check()
    assert not list(folder.iterdir())


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path)
    original = os.fdopen

    def full(handle: int, *_: object) -> object:
        class File:
            def __enter__(self) -> File:
                return self

            def __exit__(self, *_: object) -> None:
                os.close(handle)

            def write(self, content: bytes) -> None:
                os.write(handle, content[:100])
                raise OSError(28, "No space left on device")

        return File()

    monkeypatch.setattr(cache.os, "fdopen", full)
    check()
    assert not list(tmp_path.iterdir())  # no half of a file stays behind
    monkeypatch.setattr(cache.os, "fdopen", original)
    check()
    assert len(list(tmp_path.iterdir())) == ENTRIES


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:100],
        lambda content: content[:-1],
        lambda content: content[:-8] + bytes(8),
        lambda content: b"\x7fELF" + content,
        lambda content: bytes(len(content)),
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    ],
    ids=["empty", "start only", "cut", "end zeroed", "shifted", "zeros", "one bit"],
)
def test_a_damaged_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    use(monkeypatch, tmp_path)
    check()
    for kept in tmp_path.glob("*.o"):
        sound = kept.read_bytes()
        kept.write_bytes(damage(sound))
        check()
        assert kept.read_bytes()[:50] == sound[:50]  # mended


def test_the_cache_vanishes_while_in_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "cache"
    use(monkeypatch, folder)
    check()
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    check()
    assert len(list(folder.iterdir())) == ENTRIES


def test_a_folder_that_everybody_writes_to_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    use(monkeypatch, folder)
    with pytest.warns(CacheWarning, match="can be written to by other users") as warned:
        check()
    assert warned[0].filename == __file__  # where the user called
    assert not list(folder.iterdir())


def test_no_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOADPATH_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cache.Path, "home", staticmethod(homeless))
    check()


# A user's own joint class: what it computes is in no key


def rack(ratio: float) -> lp.Robot:
    """A slide that goes `ratio` times as far as its coordinate says, by a class that looks the same for every ratio."""

    @dataclass(frozen=True)
    class Rack(lp.Prismatic):
        def placement(self, q: Any) -> Any:
            return IDENTITY, scale(ratio * q[0], array(self.axis))

        def subspace(self, q: Any) -> Any:
            return [(zeros(3), scale(ratio, array(self.axis)))]

        def along_z(self, zero: float) -> Any:
            return Rack((0.0, 0.0, 1.0)), zero

    links = (lp.Link("base"), lp.Link("slide", lp.Inertia(1.0)))
    return lp.Robot("rack", links, (lp.Joint("joint", "base", "slide", Rack()),))


def test_a_joint_class_that_changed_does_not_get_its_old_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path)
    for ratio in (1.0, 2.0, 3.0):  # as in a notebook, where the class is corrected and run again
        assert rack(ratio).gravity_forces([0.5])[0] == pytest.approx(G * ratio)
        assert rack(ratio).link_poses([0.5])[1, 2, 3] == pytest.approx(0.5 * ratio)
