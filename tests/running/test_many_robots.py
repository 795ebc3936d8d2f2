"""Ten thousand robots in one process: memory, file handles and results."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from scripts import run

pytestmark = pytest.mark.slow  # minutes in all; `pytest --slow` runs them

linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

ALIVE = """
import os, time
import numpy as np, loadpath as lp
def memory():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
base = lp.Link("base")
def robot(k):
    link = lp.Link("rod", lp.Inertia(1.0 + k % 20, (0.5, 0, 0), ((0.01, 0, 0), (0, 0.1, 0), (0, 0, 0.1))))
    return lp.Robot(f"robot {k}", (base, link), (lp.Joint("hinge", "base", "rod", lp.Revolute((0, -1, 0))),))
robots = [robot(k) for k in range(20)]
found = [float(one.gravity_forces([0.0])[0]) for one in robots]
before, files = memory(), len(os.listdir("/proc/self/fd"))
robots = [robot(k) for k in range(10_000)]                              # all alive, of twenty kinds
found = np.array([one.gravity_forces([0.0])[0] for one in robots])
assert np.allclose(found, 9.81 * 0.5 * (1 + np.arange(10_000) % 20)), found
print(int((memory() - before) / 10_000), len(os.listdir("/proc/self/fd")) - files)
"""


@pytest.mark.slow
@linux
def test_ten_thousand_robots_alive_at_once() -> None:
    """Equal ones share their code: a robot takes some kilobytes, and no file."""
    each, files = map(int, run(ALIVE).split())
    assert each < 40_000, f"{each} bytes a robot"
    assert files == 0


PASSING = """
import gc, os
import numpy as np, loadpath as lp
from loadpath.engine import kernels
kernels.MOST_KEPT = 8                                                   # 512 of them would take longer to fill
def memory():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
sizes = []
for k in range({count}):
    length = 0.5 + 1e-3 * k                                             # no two alike: each is compiled
    found = lp.catalog.planar(1, length=length).gravity_forces([0.0])
    assert np.allclose(found, 9.81 * length / 2)
    if k % ({count} // 4) == {count} // 4 - 1:
        gc.collect()
        sizes.append(memory())
assert len(kernels._kept) == 8 and not kernels._making
print(*sizes, len(os.listdir("/proc/self/fd")))
"""


@pytest.mark.slow
@linux
def test_robots_that_come_and_go_leave_no_memory(tmp_path: Path) -> None:
    """Each is compiled by itself; what was compiled is let go. `python -m tests.soak` does it ten thousand times."""
    *sizes, files = map(float, run(PASSING.format(count=48)).split())
    assert sizes[-1] - sizes[1] < 10, f"MB after each quarter: {sizes}"
    assert files < 30


EVICTED = """
import os
import numpy as np, loadpath as lp
from loadpath.engine import cache, kernels
cache.SIZE_LIMIT = 60_000
folder = os.environ["LOADPATH_CACHE_DIR"]
for k in range(16):
    length = 0.5 + 1e-3 * (k % 8)
    kernels._kept.clear()
    assert np.allclose(lp.catalog.planar(1, length=length).gravity_forces([0.0]), 9.81 * length / 2)
print(sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)) <= 60_000)
"""


def test_a_cache_that_overflows_lets_the_oldest_go(tmp_path: Path) -> None:
    assert run(EVICTED, cache=str(tmp_path / "cache")) == "True\n"
