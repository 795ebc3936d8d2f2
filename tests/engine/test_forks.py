"""A fork in any moment of a compilation: no child waits for a thread that it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
PROGRAM = Path(__file__).with_name("forking.py")


def hung(kind: str, forks: int) -> int:
    environment = {**os.environ, "LOADPATH_CACHE_DIR": ""}  # everything is compiled
    done = subprocess.run([sys.executable, str(PROGRAM), kind, str(forks)], capture_output=True, text=True, check=False,
                          env=environment)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("kind", ["ours", "others"])
def test_no_child_hangs(kind: str) -> None:
    assert hung(kind, 40) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "forks"), [("ours", 1000), ("others", 1000), ("whole", 100)])
def test_no_child_hangs_in_many_forks(kind: str, forks: int) -> None:
    assert hung(kind, forks) == 0
