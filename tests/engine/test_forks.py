"""A fork in any moment of a compilation: no child waits for a thread that it lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import loadpath as lp

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
PROGRAM = Path(__file__).with_name("forking.py")


def check(kind: str, forks: int) -> None:
    environment = {**os.environ, "LOADPATH_CACHE_DIR": ""}  # everything is compiled
    done = subprocess.run([sys.executable, str(PROGRAM), kind, str(forks)], capture_output=True, text=True, check=False,
                          env=environment)
    assert (done.returncode, done.stdout) == (0, f"{forks}\n"), done.stderr


@pytest.mark.parametrize("kind", ["ours", "others", "symbols"])
def test_no_child_hangs(kind: str) -> None:
    check(kind, 40)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "forks"), [("ours", 1000), ("others", 1000), ("symbols", 1000), ("whole", 100)])
def test_no_child_hangs_in_many_forks(kind: str, forks: int) -> None:
    check(kind, forks)


WITHIN = """
import os, signal, threading, time
from loadpath.cached import cached_property

class Slow:
    @cached_property
    def value(self):
        entered.set()
        goes_on.wait(60)
        return 1

entered, goes_on = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: Slow().value)
thread.start()
entered.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)  # killed if it waits for the thread that it lacks
    goes_on.set()
    os._exit(Slow().value)
goes_on.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_while_a_thread_computes_a_cached_property() -> None:
    """Python 3.11 holds a lock meanwhile, for all instances: one child of 300 hung in one, of a robot's mechanism."""
    done = subprocess.run([sys.executable, "-c", WITHIN], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "1", done.stderr


def test_no_property_is_cached_under_a_lock() -> None:
    package = Path(lp.__file__).parent
    users = [path.name for path in package.rglob("*.py") if re.search(r"functools(\.| import .*)cached_property",
             path.read_text(encoding="utf-8"))]
    assert users == ["cached.py"]
