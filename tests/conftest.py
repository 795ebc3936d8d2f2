"""What all tests share. Its place here also lets tests in every folder import the helpers beside it."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

# Two test processes on two cores: threads of the linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

# The same examples in every run, and no deadline: the first call of a robot compiles it.
settings.register_profile("loadpath", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("loadpath")

_cache = pytest.StashKey[str]()
LONG_CASES = Path(__file__).with_name("long_cases.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the long tests, too")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked slow, as all that are named in long_cases.txt, are of cases that shorter ones cover: they run with
    --slow.
    """
    long_cases = _long_cases(config, items)
    for item in items:
        if item.nodeid in long_cases:
            item.add_marker("slow")
    if not config.getoption("--slow"):
        left_out = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def _long_cases(config: pytest.Config, items: list[pytest.Item]) -> set[str]:
    lines = [line for line in LONG_CASES.read_text().splitlines() if line and not line.startswith("#")]
    tests: dict[str, list[str]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item.nodeid)
    every = {item.nodeid for item in items}
    found: set[str] = set()
    for line in lines:
        test, sampled, number = line.partition(" 1 of ")
        cases = tests.get(test, []) if sampled or "[" not in test else [test] if test in every else []
        if not cases and config.args == config.getini("testpaths"):
            raise pytest.UsageError(f"{LONG_CASES.name} names {test!r}, and there is no such test")
        found |= {nodeid for k, nodeid in enumerate(cases) if not sampled or k % int(number)}
    return found.difference(config.args)  # what is named on the command line runs


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays: Python would look through it for garbage again and again, a quarter of the time. Later,
    too, it looks less often than after every 700 objects: symbols and pictures are tens of thousands.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Files here are looked through for examples only if they have any, which takes a quarter of collecting them."""
    found = yield
    if b">>>" in file_path.read_bytes():
        return found
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    """Compiled code goes to a folder of this run's own: never the user's, but shared by all tests of the run, in all
    its processes. `LOADPATH_TEST_CACHE` names a folder that is kept from run to run instead: machine code is found by
    its text, so that a changed source compiles no more than what it changed.
    """
    if not hasattr(config, "workerinput"):
        kept = os.environ.get("LOADPATH_TEST_CACHE")
        os.environ["LOADPATH_CACHE_DIR"] = kept or tempfile.mkdtemp(prefix="loadpath-tests-")
        if not kept:
            config.stash[_cache] = os.environ["LOADPATH_CACHE_DIR"]


def pytest_unconfigure(config: pytest.Config) -> None:
    if _cache in config.stash:
        shutil.rmtree(config.stash[_cache], ignore_errors=True)
