"""A few seconds of the soak, and that it notices what it should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from loadpath.engine import cache, kernels
from soak import command
from soak.work import WORK

SHORT = [name for name in WORK if name not in ("spawned", "forks", "differential", "elastic", "new_robots")]


@pytest.mark.parametrize("name", SHORT)
def test_each_work_by_itself(name: str) -> None:
    WORK[name](np.random.default_rng(5))


def test_what_goes_wrong_is_reported_with_its_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "MOST_KEPT", kernels.MOST_KEPT)
    monkeypatch.setattr(cache, "SIZE_LIMIT", cache.SIZE_LIMIT)

    def broken(rng: np.random.Generator) -> None:
        assert rng.random() > 2, "it is not"

    monkeypatch.setattr(command, "WORK", {"broken": broken})
    done, wrong = command.soak(0.05, 1)
    assert done["broken"] == len(wrong) > 0
    assert "broken, seed" in wrong[0]
    assert "it is not" in wrong[0]


def test_open_files_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("open files are counted in /proc")
    monkeypatch.setenv("LOADPATH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernels, "MOST_KEPT", kernels.MOST_KEPT)
    monkeypatch.setattr(cache, "SIZE_LIMIT", cache.SIZE_LIMIT)
    kept = []

    def leaking(rng: np.random.Generator) -> None:  # much at once: a busy machine may come to it only twice
        kept.extend((tmp_path / "file").open("a") for _ in range(50))

    monkeypatch.setattr(command, "WORK", {"leaking": leaking})
    monkeypatch.setattr(command, "WARM_UP", 0.0)
    _, wrong = command.soak(0.3, 1)
    for file in kept:
        file.close()
    assert any("files more are open" in problem for problem in wrong)
