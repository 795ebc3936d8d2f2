"""A study on a Dask cluster that exists: workers get robots as data and compile once; this process writes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from loadpath._version import __version__
from loadpath.studies.chunks import Chunk, compute
from loadpath.studies.content import fingerprint
from loadpath.studies.problem import Problem

INSTALL = "pip install 'loadpath[study]'"
_WINDOW = 4
"""Chunks under way for each thread of the cluster."""
_PROBLEMS: dict[str, Problem] = {}
"""Of this worker, by what they compute: what is compiled stays with them."""
_MOST_PROBLEMS = 4


def check_cluster(client: Any) -> None:
    """Refuse what is no cluster, one without workers, and one without this version of loadpath."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(f"a study on a cluster needs dask.distributed: {INSTALL}") from None
    if not isinstance(client, Client):
        raise ValueError(f"client is {client!r}: expected a dask.distributed.Client")
    found: dict[str, Any] = client.run(_versions)
    if not found:
        raise ValueError("the cluster has no workers yet: client.wait_for_workers(1) waits for one")
    for worker, versions in found.items():
        _refuse_others(worker, versions, _mine())


def _mine() -> dict[str, str]:
    return {"loadpath": __version__, "numpy": np.__version__}


def _refuse_others(worker: str, there: dict[str, str], here: dict[str, str]) -> None:
    """Refuse a worker with other versions."""
    for name, version in here.items():
        if not there.get(name):
            raise ValueError(f"worker {worker} of the cluster has no {name}: install {name} {version} there")
        if there[name] != version:
            raise ValueError(f"worker {worker} of the cluster has {name} {there[name]}, and here it is {version}: give "
                             "all the same version, so that all numbers of a study are made alike")


def _versions() -> dict[str, str]:
    """Of a worker; written without loadpath, which may not be there."""
    import importlib

    found = {}
    for name in ("loadpath", "numpy"):
        try:
            found[name] = str(importlib.import_module(name).__version__)
        except ImportError:
            found[name] = ""
    return found


_versions.__module__ = "__main__"  # so that it is sent as its code: a worker without loadpath could not find it


def computed(client: Any, problem: Problem, left: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, Chunk]]:
    """Chunks as they are done, so many under way at a time. What a worker that dies was at is computed by another."""
    from distributed import as_completed

    if not left:
        return
    name = fingerprint(problem.content)
    threads = sum(client.nthreads().values())
    waiting = iter(left)
    numbers: dict[str, int] = {}
    # The problem goes as data, once to each worker, which makes and compiles what it needs.
    task = client.submit(bytes, _packed(problem), key=f"loadpath-problem-{name}", pure=True)

    def submitted(one: tuple[int, int, int]) -> Any:
        future = client.submit(_compute, task, name, _mine(), one[1], one[2], pure=False, retries=3)
        numbers[future.key] = one[0]
        return future

    first = [submitted(one) for _, one in zip(range(_WINDOW * max(threads, 1)), waiting, strict=False)]
    running = as_completed(first, with_results=False)
    for future in running:
        chunk = future.result()
        number = numbers.pop(future.key)
        future.release()
        one = next(waiting, None)
        if one is not None:
            running.add(submitted(one))
        yield number, chunk


def _packed(problem: Problem) -> bytes:
    """A problem as data, functions of the user's own with it."""
    import cloudpickle

    return bytes(cloudpickle.dumps(problem))


def _compute(data: bytes, name: str, versions: dict[str, str], first: int, last: int) -> Chunk:
    """On a worker; one that came later than the study began may have other versions."""
    problem = _PROBLEMS.get(name)
    if problem is None:
        _refuse_others("that came later", _mine(), versions)
        problem = _PROBLEMS.setdefault(name, pickle.loads(data))
        for other in list(_PROBLEMS)[:-_MOST_PROBLEMS]:
            _PROBLEMS.pop(other, None)
    return compute(problem, first, last)
