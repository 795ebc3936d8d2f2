"""Stores: what was killed goes on to the same bits; damage is noticed; other studies and second runners are refused."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("zarr")

import loadpath as lp
from loadpath.studies import store as stores
from loadpath.studies.store import OnDisk
from loadpath.studies.study import Study

ARM = lp.catalog.planar(2).with_payload(0.0)
SPACE = lp.Space({"payload.mass": lp.span("-1 kg", "5 kg", 12), "link2.mass": lp.span("1 kg", "2 kg", 10)})
STATES = tuple(np.random.default_rng(0).normal(size=(3, 50, 2)))
ANSWERS = ["mass", "joint1.drive:rms", "wrenches"]


def study(to: Path | None, space: lp.Space = SPACE, **changes: Any) -> Study:
    asked: dict[str, Any] = {"answers": ANSWERS, "chunk": 5, **changes}
    robot = asked.pop("robot", ARM)
    return lp.study(robot, space, asked.pop("motion", STATES), to=to, **asked)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that was made without an interruption."""
    path = tmp_path_factory.mktemp("whole") / "arm.zarr"
    made = study(path).run(threads=1)
    assert made.done and made.counts["failed"] == 20  # payloads below zero
    return path


def files(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*"))
            if file.is_file() and file.name != stores.LOCK}


def test_any_reader_of_zarr_reads_it(whole: Path) -> None:
    import zarr

    group = zarr.open_group(str(whole), mode="r")
    memory = study(None).run(threads=2)
    np.testing.assert_array_equal(group["mass"][:], memory.answer("mass").ravel())
    np.testing.assert_array_equal(group["wrenches"][:], memory.answer("wrenches").reshape(120, 4, 6))
    assert group["wrenches"].metadata.dimension_names == ("design", "joint", "component")


def _slow_run(path: Path, delay: float) -> None:
    real = stores._write

    def slow(file: Path, data: bytes) -> None:
        time.sleep(delay)
        real(file, data)

    stores._write = slow  # type: ignore[assignment]
    study(path).run(threads=1)
    os._exit(0)


def _killed(path: Path, after: float, kills: int) -> int:
    """Run in processes that are killed; how often something was left to do."""
    fork = multiprocessing.get_context("fork")
    left = 0
    rng = np.random.default_rng(kills)
    for _ in range(kills):
        process = fork.Process(target=_slow_run, args=(path, after / 60))
        process.start()
        time.sleep(after * (0.2 + rng.random()))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        if OnDisk.manifest(path) is not None:
            left += bool(study(path).store.missing(range(24)))
    return left


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_study_that_is_killed_goes_on_to_the_same_bits(tmp_path: Path, whole: Path, kills: int) -> None:
    path = tmp_path / "arm.zarr"
    _killed(path, 0.5, kills)
    study(path).run(threads=1)
    assert files(path) == files(whole)
    assert not list(tmp_path.glob(".*.part/zarr.json")) or kills  # what a killed process left beside it is hidden


@pytest.mark.parametrize("damage", ["bit", "short", "gone", "status", "reasons"])
def test_damaged_chunks_are_computed_again(tmp_path: Path, whole: Path, damage: str) -> None:
    path = tmp_path / "arm.zarr"
    shutil.copytree(whole, path)
    name = {"status": "status", "reasons": "reasons"}.get(damage, "wrenches")
    file = path / "reasons/1.json" if damage == "reasons" else path.joinpath(
        name, "c", "1", *(("0", "0") if name == "wrenches" else ()))
    content = bytearray(file.read_bytes())
    if damage == "gone":
        file.unlink()
    else:
        content[len(content) // 2] ^= 64
        file.write_bytes(bytes(content[:-5] if damage in ("short", "reasons") else content))
    again = study(path)
    assert not again.done
    again.run(threads=1)
    assert files(path) == files(whole)


def test_a_full_disk_leaves_what_was_written(tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, written, real = tmp_path / "arm.zarr", 0, os.fsync

    def full(handle: int) -> None:
        nonlocal written
        written += 1
        if written == 40:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(stores.os, "fsync", full)
    with pytest.raises(OSError, match="no room is left for the study"):
        study(path).run(threads=1)
    assert written == 40
    monkeypatch.undo()
    assert not list(path.rglob("*.part"))
    assert 0 < len(study(path).store.missing(range(24))) < 24
    study(path).run(threads=1)
    assert files(path) == files(whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A disk of its own, of a size that can be changed; where one may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = False

    def sized(size: str) -> Path:
        nonlocal mounted
        options = f"size={size}" if not mounted else f"remount,size={size}"
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], capture_output=True,
                              check=False)
        if done.returncode:
            pytest.skip("no file system may be mounted here")
        mounted = True
        return place

    if not (sys.platform == "linux" and shutil.which("mount")):
        pytest.skip("no file system may be mounted here")
    yield sized
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


def test_a_small_disk_is_full_and_then_is_larger(small_disk: Callable[[str], Path], whole: Path) -> None:
    path = small_disk("220k") / "arm.zarr"
    with pytest.raises(OSError, match="no room is left for the study"):
        study(path).run(threads=1)
    left = study(path)
    assert 0 < len(left.store.missing(range(24))) < 24 and not list(path.rglob("*.part"))
    known = left.answer("mass").ravel()
    known = known[~np.isnan(known)]
    assert len(known) and np.isin(known, study(whole).answer("mass")).all()
    with pytest.raises(OSError, match="no room is left"):
        left.run(threads=1)
    small_disk("10m")
    study(path).run(threads=1)
    assert files(path) == files(whole)


def test_a_disk_without_room_keeps_nothing(small_disk: Callable[[str], Path]) -> None:
    disk = small_disk("16k")
    with pytest.raises(OSError, match="no room is left"):
        study(disk / "arm.zarr").run(threads=1)
    assert not list(disk.iterdir())


def test_another_process_that_runs_it_is_waited_for(tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "arm.zarr"
    other = multiprocessing.get_context("fork").Process(target=_slow_run, args=(path, 0.008))
    other.start()
    refused = 0
    while other.is_alive():
        if OnDisk.manifest(path) is not None:
            try:
                study(path).run(threads=1)
            except BlockingIOError as said:
                assert "another process runs the study" in str(said)
                refused += 1
        time.sleep(0.02)
    other.join()
    study(path).run(threads=1)
    assert refused and files(path) == files(whole)


def test_two_runners_exclude_each_other(tmp_path: Path) -> None:
    path = tmp_path / "arm.zarr"
    first = study(path)
    store = first._open(create=True)
    assert store is not None
    with store.locked(), pytest.raises(BlockingIOError, match="another process runs the study"):
        study(path).run(threads=1)
    assert study(path).run(threads=1).done


CHANGES: dict[str, Callable[[], dict[str, Any]]] = {
    "robots": lambda: {"robot": ARM.with_gravity((0, 0, -1.62))},
    "motion": lambda: {"motion": tuple(part + 1e-9 for part in STATES)},
    "answers": lambda: {"answers": ["mass"]},
    "space": lambda: {"space": SPACE.subject_to("payload.mass < 4 kg")},
    "hours": lambda: {"hours": 100.0},
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_store_of_another_study_is_refused(whole: Path, what: str) -> None:
    before = files(whole)
    with pytest.raises(ValueError, match=f"of another study: its {what}"):
        study(whole, **CHANGES[what]())
    assert files(whole) == before


def test_other_versions_and_folders_are_refused(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "arm.zarr"
    shutil.copytree(whole, path)
    head = json.loads((path / "zarr.json").read_text())
    head["attributes"][stores.ATTRIBUTE]["versions"]["loadpath"] = "0.0.1"
    (path / "zarr.json").write_text(json.dumps(head))
    with pytest.raises(ValueError, match=r"made with loadpath 0\.0\.1"):
        study(path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/todo.txt").write_text("x")
    with pytest.raises(ValueError, match="not one of a study"):
        study(tmp_path / "notes")
    with pytest.raises(ValueError, match="is a file"):
        study(tmp_path / "notes/todo.txt")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        study(tmp_path / "nowhere/arm.zarr").run(threads=1)


DAMAGES: dict[str, Any] = {
    "chunk": 0, "designs": -3, "shapes": {"mass": [-1]}, "content": None, "versions": None,
}


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.parametrize("gone", [True, False])
def test_a_damaged_manifest_is_said(whole: Path, tmp_path: Path, what: str, gone: bool) -> None:
    """A field that is gone, or not what any study writes there."""
    path = tmp_path / "arm.zarr"
    shutil.copytree(whole, path)
    head = json.loads((path / "zarr.json").read_text())
    manifest = head["attributes"][stores.ATTRIBUTE]
    manifest[what] = DAMAGES[what]
    if gone:
        del manifest[what]
    (path / "zarr.json").write_text(json.dumps(head))
    with pytest.raises(ValueError, match=rf"manifest of the study '.*' .* is damaged: its {what} cannot be read"):
        study(path)


def test_a_manifest_that_is_cut_off_or_of_something_else(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "arm.zarr"
    shutil.copytree(whole, path)
    text = (path / "zarr.json").read_bytes()
    for cut, said in ((text[:200], "cannot be read"), (b"", "cannot be read"), (b"[1]", "not one of a study"),
                      (b'{"attributes": {}}', "not one of a study")):
        (path / "zarr.json").write_bytes(cut)
        with pytest.raises(ValueError, match=said):
            study(path)


def test_a_store_is_where_a_link_leads(whole: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.zarr"
    link.symlink_to("other.zarr")
    study(link).run(threads=1)  # to what is not there yet
    assert link.is_symlink() and files(tmp_path / "other.zarr") == files(whole)
    assert study(link).done
    circle = tmp_path / "circle.zarr"
    circle.symlink_to("circle.zarr")
    with pytest.raises(ValueError, match="leads in a circle"):
        study(circle)


def test_what_is_done_is_read_from_a_disk_that_is_only_read(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.zarr"
    shutil.copytree(whole, path)
    real = os.open

    def only_read(place: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and str(place).startswith(str(path)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(place))
        return real(place, flags, *rest, **more)

    monkeypatch.setattr(os, "open", only_read)
    assert study(path).run(threads=1).counts["failed"] == 20
    (path / "mass/c/1").unlink()
    with pytest.raises(OSError, match="Read-only"):
        study(path).run(threads=1)


def test_functions_are_told_apart_by_what_they_do(tmp_path: Path) -> None:
    factor = 2.0

    def make(payload: float) -> lp.Robot:
        return lp.catalog.planar(2).with_payload(factor * payload)

    path = tmp_path / "arm.zarr"
    space = lp.Space(payload=[1.0, 2.0])
    lp.study(make, space, answers=["mass"], to=path).run()
    assert lp.study(make, space, answers=["mass"], to=path).done
    factor = 3.0
    with pytest.raises(ValueError, match="its robots are another"):
        lp.study(make, space, answers=["mass"], to=path)
