"""Runs the work for some minutes and watches what it leaves behind."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib
import os
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from loadpath.engine import better, cache, kernels
from soak.work import WORK

WARM_UP = 0.3
"""Share of the time after which memory is measured against what it is at the end."""
GROWTH = 40.0
"""MB by which the process may be larger at the end than after the warm-up, with nothing kept in either case."""


HEAVY = ("casadi", "jax", "mujoco", "pandas", "pyarrow", "pylife", "sympy", "wasmtime")
"""What pieces of work import where it is installed: 300 MB, which are there before memory is measured."""


def memory() -> float:
    """MB that the process has in memory; zero where that is not known."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20 if statm.exists() else 0.0


def settled() -> float:
    """MB once everything is let go that is kept for later on purpose: kernels, tables of a bounded number of robots."""
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in ("loadpath", "differential")]
    for value in [value for module in modules for value in vars(module).values()]:
        info = getattr(value, "cache_info", None)
        if callable(info) and info().maxsize is not None:  # those without end hold LLVM itself
            value.cache_clear()
    kernels._kept.clear()
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return memory()


def handles() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def soak(seconds: float, seed: int, *, kept: int = 64, size_limit: int = 2_000_000) -> tuple[dict[str, int], list[str]]:
    """How often each work was done, and what was wrong. Caches in memory and on disk are made small, to overflow."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    kernels.MOST_KEPT, cache.SIZE_LIMIT = kept, size_limit
    rng, done, wrong = np.random.default_rng(seed), dict.fromkeys(WORK, 0), []
    start, threads = time.monotonic(), threading.active_count()
    warm: tuple[float, int] | None = None
    last = start
    while (now := time.monotonic()) - start < seconds:
        if warm is None and now - start > WARM_UP * seconds and all(done.values()):
            warm = settled(), handles()
        if now - last > 60:
            last = now
            print(
                f"{(now - start) / 60:5.1f} min  {sum(done.values())} pieces of work, {memory():.0f} MB, "
                f"{handles()} files, {threading.active_count()} threads",
                flush=True,
            )
        name = str(rng.choice(list(WORK))) if all(done.values()) else next(k for k, v in done.items() if not v)
        own = int(rng.integers(1 << 30))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                WORK[name](np.random.default_rng(own))
        except Exception:
            wrong.append(f"{name}, seed {own}:\n{traceback.format_exc()}")
        done[name] += 1
    if len(kernels._kept) > kept:
        wrong.append(f"{len(kernels._kept)} kernels are kept, more than {kept}")
    if warm is not None:
        now = settled()
        grown, more = now - warm[0], handles() - warm[1]
        print(
            f"memory {warm[0]:.0f} MB after the warm-up, {now:.0f} MB at the end, with nothing kept; "
            f"{warm[1]} and {handles()} files open"
        )
        if grown > GROWTH:
            wrong.append(f"memory has grown by {grown:.0f} MB since the warm-up")
        if more > 5:
            wrong.append(f"{more} files more are open than after the warm-up")
    if threading.active_count() > threads + 2:  # those from before, as of Zarr, are not the soak's
        wrong.append(f"{threading.active_count()} threads are left: {threading.enumerate()}")
    folder = cache.directory()
    better.settle()  # nothing is half written any more
    if folder is not None and folder.exists():
        size = sum(path.stat().st_size for path in folder.iterdir())
        if size > 1.5 * size_limit or list(folder.glob("*.tmp")):
            left = sorted(path.name for path in folder.glob("*.tmp"))
            wrong.append(f"the cache on disk has {size} bytes, the limit is {size_limit}; half written: {left[:5]}")
    return done, wrong


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="loadpath-soak-") as folder:
        os.environ["LOADPATH_CACHE_DIR"] = str(Path(folder) / "cache")
        done, wrong = soak(60 * given.minutes, given.seed)
        better.settle()  # what is optimised in the background still writes there
    for name, count in done.items():
        print(f"{count:6d}  {name}")
    for problem in wrong:
        print("\n" + problem)
    print(f"\nseed {given.seed}, {given.minutes:g} minutes, {sum(done.values())} pieces of work, {len(wrong)} wrong")
    return 1 if wrong else 0
